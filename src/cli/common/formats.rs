//! Output formats that several commands accept.

use crate::cli::output::{Color, Failure, print_prose_if};
use crate::report::page::{Format as PageFormat, Page};
use crate::report::write_pretty;
use crate::trace::Format as TraceFormat;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;

/// Output formats for people and for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    Text,
    Json,
}

impl OutputFormat {
    /// Creates a parser for the formats; the help shows these descriptions.
    pub(in crate::cli) fn parser(
        text: &'static str,
        json: &'static str,
    ) -> impl TypedValueParser<Value = Self> {
        parser([("text", text, Self::Text), ("json", json, Self::Json)])
    }
}

/// Output formats of a document: a page or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    Json,
    Page(PageFormat),
}

impl DocumentFormat {
    /// Text for a terminal.
    pub(in crate::cli) const TEXT: Self = Self::Page(PageFormat::Text);

    /// Creates a parser for the formats.
    pub(in crate::cli) fn parser() -> impl TypedValueParser<Value = Self> {
        parser([
            ("text", "For a terminal", Self::TEXT),
            (
                "markdown",
                "For a code forge",
                Self::Page(PageFormat::Markdown),
            ),
            (
                "json",
                "For programs; `schema print` shows the schema",
                Self::Json,
            ),
            (
                "html",
                "For a browser, in one file",
                Self::Page(PageFormat::Html),
            ),
        ])
    }
}

impl DocumentFormat {
    /// Prints a document in this format. Only text has colours.
    pub(in crate::cli) fn print<D: Serialize>(
        self,
        color: Color,
        page: impl FnOnce() -> Page,
        document: impl FnOnce() -> D,
    ) -> Result<(), Failure> {
        let color = if self == Self::TEXT {
            color
        } else {
            Color::Never
        };
        print_prose_if(self == Self::TEXT, color, |out| match self {
            Self::Json => write_pretty(&document(), out),
            Self::Page(format) => page().write(format, out),
        })
    }
}

/// Parses the name of a trace format.
pub(in crate::cli) fn trace_format(name: &str) -> Result<TraceFormat, String> {
    TraceFormat::parse(name).ok_or_else(|| {
        let names = TraceFormat::ALL.map(TraceFormat::name);
        let nearest = crate::config::nearest(name, names.iter().copied());
        let nearest = nearest.map_or_else(String::new, |n| format!("the nearest is `{n}`; "));
        format!("{nearest}known formats: {}", names.join(", "))
    })
}

/// Creates a parser for some names. An empty description isn't shown.
pub(in crate::cli) fn parser<T, const N: usize>(
    values: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let possible = values
        .iter()
        .map(|(name, about, _)| match *about {
            "" => PossibleValue::new(*name),
            about => PossibleValue::new(*name).help(about),
        })
        .collect::<Vec<_>>();
    PossibleValuesParser::new(possible).try_map(move |given| {
        values
            .iter()
            .find(|(name, ..)| *name == given)
            .map(|(.., value)| *value)
            .ok_or("unknown format")
    })
}
