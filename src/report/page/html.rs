//! A page for a browser: one file without scripts and external resources. The template escapes
//! every text.

use super::{Kind, Page, Part, chart};
use crate::report::{lang::environment, terminal};
use minijinja::value::Serde;
use serde::Serialize;
use std::io::{self, Write};

const TEMPLATE: &str = concat!(include_str!("parts.html"), include_str!("page.html"));
const STYLE: &str = concat!(include_str!("../html/style.css"), include_str!("chart.css"));

/// The view of a part for the template.
#[derive(Debug, Default, Serialize)]
pub(in crate::report) struct View {
    part: &'static str,
    level: u8,
    name: &'static str,
    text: String,
    class: &'static str,
    lines: Vec<Line>,
    missing: Option<String>,
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    chart: Option<chart::View>,
    /// Layout flags. A row opens or closes a list of rows. A table before a chart opens a figure,
    /// and the chart closes it.
    opens: bool,
    closes: bool,
}

#[derive(Debug, Serialize)]
struct Line {
    class: &'static str,
    text: String,
}

#[derive(Serialize)]
struct Whole<'p> {
    lang: &'static str,
    title: String,
    style: &'static str,
    version: &'static str,
    parts: &'p [View],
}

/// Returns text without control characters. It never begins a line, because the template puts a tag
/// before it.
fn shown(text: &str) -> String {
    terminal(text.trim_end_matches('\r')).into_owned()
}

fn view(part: &Part) -> View {
    match part {
        Part::Heading(level, text, tone) => View {
            part: "heading",
            level: (*level).clamp(1, 4),
            text: shown(text),
            class: tone.class(),
            ..View::default()
        },
        Part::Row(name, text, tone) => View {
            part: "row",
            name,
            text: shown(text),
            class: tone.class(),
            ..View::default()
        },
        Part::Block {
            kind,
            text,
            missing,
        } => {
            let line = |line: &str| Line {
                class: match (kind, line.as_bytes().first()) {
                    (Kind::Diff, Some(b'+')) => "add",
                    (Kind::Diff, Some(b'-')) => "del",
                    (Kind::Diff, Some(b'@')) => "hunk",
                    _ => "",
                },
                text: shown(line),
            };
            View {
                part: "block",
                lines: text.split('\n').map(line).collect(),
                missing: missing.clone(),
                ..View::default()
            }
        }
        Part::Table(caption, head, rows) => View {
            part: "table",
            text: shown(caption),
            head: head.clone(),
            rows: rows
                .iter()
                .map(|row| row.iter().map(|c| shown(c)).collect())
                .collect(),
            ..View::default()
        },
        Part::Chart(chart) => View {
            part: "chart",
            chart: Some(chart.view()),
            ..View::default()
        },
        Part::Say(text, tone) => View {
            part: "say",
            text: shown(text),
            class: tone.class(),
            ..View::default()
        },
    }
}

/// Returns the views of parts, with the flags for the first and last row of a list and for a table
/// with its chart.
fn views<'p>(parts: impl Iterator<Item = &'p Part>) -> Vec<View> {
    let mut views: Vec<View> = parts.map(view).collect();
    let kinds: Vec<&'static str> = views.iter().map(|v| v.part).collect();
    for (n, view) in views.iter_mut().enumerate() {
        let before = n
            .checked_sub(1)
            .and_then(|n| kinds.get(n))
            .copied()
            .unwrap_or_default();
        let behind = kinds.get(n + 1).copied().unwrap_or_default();
        (view.opens, view.closes) = match view.part {
            "row" => (before != "row", behind != "row"),
            "table" => (behind == "chart", false),
            "chart" => (false, before == "table"),
            _ => (false, false),
        };
    }
    views
}

/// Returns the tables and charts of a page, for a section of another page.
pub(in crate::report) fn figures(page: &Page) -> Vec<View> {
    views(
        page.parts
            .iter()
            .filter(|part| matches!(part, Part::Table(..) | Part::Chart(_))),
    )
}

pub(super) fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let environment = environment(page.lang, TEMPLATE)?;
    let template = environment
        .get_template("page.html")
        .map_err(io::Error::other)?;
    let parts = views(page.parts.iter());
    let whole = Whole {
        lang: page.lang.tag(),
        title: shown(&page.title),
        style: STYLE,
        version: env!("CARGO_PKG_VERSION"),
        parts: &parts,
    };
    let text = template.render(Serde(&whole)).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())?;
    writeln!(out)
}
