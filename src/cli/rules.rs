//! `rules`: lists the rules.

use super::common::exit::EXIT_CLEAN;
use super::output::{Color, Failure, print_prose_if};
use super::reports::lang_parser;
use crate::replay::Aspect;
use crate::report::Lang;
use crate::rules::{ALL, Page, Rule};
use clap::{Args, ValueEnum};
use serde_json::json;

/// Arguments of `rules`.
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// Output format.
    #[arg(long, value_enum, default_value_t = Listing::Text)]
    format: Listing,
    /// Write the summaries in text and Markdown in this language. JSON stays as it is.
    #[arg(long, value_parser = lang_parser(), default_value = "en", value_name = "LANG")]
    lang: Lang,
}

/// Ways to list the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Listing {
    /// Aligned text.
    Text,
    /// A Markdown table.
    Markdown,
    /// A JSON array with the pages.
    Json,
}

const fn question(rule: &Rule) -> Option<&'static str> {
    match rule.aspect {
        Some(Aspect::LegalPath) => Some("legalPath"),
        Some(Aspect::Authorised) => Some("authorised"),
        Some(Aspect::GovernanceComplete) => Some("governanceComplete"),
        None => None,
    }
}

impl RulesArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        print_prose_if(
            self.format == Listing::Text,
            Color::Auto,
            |out| match self.format {
                Listing::Text => {
                    for rule in ALL.iter() {
                        writeln!(
                            out,
                            "{} {:<30} {:<8} {}",
                            rule.code,
                            rule.name,
                            rule.severity.name(),
                            self.lang.summary(rule)
                        )?;
                    }
                    Ok(())
                }
                Listing::Markdown => write!(out, "{}", markdown(self.lang)),
                Listing::Json => {
                    let rules: Vec<_> = ALL
                        .iter()
                        .map(|rule| {
                            json!({
                                "code": rule.code.to_string(),
                                "name": rule.name,
                                "severity": rule.severity,
                                "verdict": question(rule),
                                "summary": rule.summary,
                                "page": Page::from_rule(rule).markdown,
                            })
                        })
                        .collect();
                    serde_json::to_writer_pretty(&mut *out, &rules)?;
                    writeln!(out)
                }
            },
        )?;
        Ok(EXIT_CLEAN)
    }
}

/// Returns the catalogue as a Markdown table, for docs/rules.md.
#[must_use]
pub fn markdown(lang: Lang) -> String {
    let head = ["code", "name", "severity", "fires when"].map(|column| lang.say(column));
    let mut table = format!("| {} |\n| --- | --- | --- | --- |\n", head.join(" | "));
    for rule in ALL.iter() {
        table.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            rule.code,
            rule.name,
            rule.severity,
            lang.summary(rule)
        ));
    }
    table
}
