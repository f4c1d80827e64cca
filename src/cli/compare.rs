//! `compare`: compares executions.

use super::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use super::common::formats::DocumentFormat;
use super::executions::ReadArgs;
use super::output::{Color, Failure, warn};
use super::reports::lang_parser;
use crate::report::Lang;
use crate::trajectory::compare::{Document, compare, page};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// A property of executions that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Aspect {
    /// The actions, their order, and the states.
    Path,
    /// The rulings, with their signers and rules.
    Decisions,
    /// How it ended.
    Outcome,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Two traces, the base and the new one (files or folders); with `--golden` only new ones.
    #[arg(required = true, value_name = "BASE NEW")]
    traces: Vec<PathBuf>,
    /// Compare with the expected traces in this folder: each of its executions must be among the
    /// new ones, and the other way round. Fails on every difference unless `--fail-on` limits it.
    #[arg(long, value_name = "DIR")]
    golden: Option<PathBuf>,
    /// Fail (exit 1) when this differs; several with commas. An execution without a pair differs in
    /// everything.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    fail_on: Vec<Aspect>,
    /// Output format.
    #[arg(long, value_parser = DocumentFormat::parser(), default_value = "text")]
    format: DocumentFormat,
    /// Write the fixed words in text, Markdown and HTML in this language. JSON stays as it is.
    #[arg(long, value_parser = lang_parser(), default_value = "en", value_name = "LANG")]
    lang: Lang,
    /// Use colours always, never, or only on a terminal.
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    #[command(flatten)]
    read: ReadArgs,
}

impl CompareArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (base, new) = match (&self.golden, self.traces.as_slice()) {
            (Some(golden), new) => (std::slice::from_ref(golden), new),
            (None, [base, new]) => (std::slice::from_ref(base), std::slice::from_ref(new)),
            (None, _) => {
                return Err(Failure::unable(
                    "two traces are compared: the base and the new one",
                    "for more give folders, or --golden DIR",
                ));
            }
        };
        let (base, new) = (self.read.read(base)?, self.read.read(new)?);
        if base.unopened + new.unopened > 0 {
            let missing = base
                .book
                .findings
                .iter()
                .chain(&new.book.findings)
                .map(|f| f.message.as_str())
                .next();
            return Err(Failure::unable(
                missing.unwrap_or("an input can't be opened"),
                "both have to be readable",
            ));
        }
        for (reading, which) in [(&base, "base"), (&new, "new one")] {
            if reading.book.is_empty() {
                warn(&format!(
                    "nothing was compared: the {which} holds no execution and no record"
                ));
                return Ok(EXIT_NOTHING_VERIFIED);
            }
        }
        let document = compare(&base.book, &new.book, Lang::En);
        let page = || match self.lang {
            Lang::En => page(&document, Lang::En),
            lang @ Lang::Zh => page(&compare(&base.book, &new.book, lang), lang),
        };
        self.format.print(self.color, page, || &document)?;
        Ok(self.exit_code(&document))
    }

    fn exit_code(&self, document: &Document) -> u8 {
        const ALL: [Aspect; 3] = [Aspect::Path, Aspect::Decisions, Aspect::Outcome];
        let given = if self.fail_on.is_empty() && self.golden.is_some() {
            &ALL[..]
        } else {
            &self.fail_on
        };
        let same = document.same;
        let fails = given.iter().any(|what| match what {
            Aspect::Path => !same.path,
            Aspect::Decisions => !same.decisions,
            Aspect::Outcome => !same.outcome,
        });
        match () {
            () if fails => EXIT_FINDINGS,
            () if document.left_out() > 0 => {
                warn("not all was compared: there are more turns than --max-turns");
                EXIT_NOTHING_VERIFIED
            }
            () if document.unread > 0 => {
                warn(
                    "not everything was compared, because something can't be read; `replay` reports it",
                );
                EXIT_NOTHING_VERIFIED
            }
            () if document.pairs.is_empty() => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        }
    }
}
