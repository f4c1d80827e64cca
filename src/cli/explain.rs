//! `explain`.

use super::EXIT_CLEAN;
use super::output::{Color, Failure, print};
use crate::diag::Code;
use crate::rules::{self, Page};
use clap::Args;

/// Explain a rule.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code such as YV301, or a name such as unauthorised-execution.
    #[arg(value_name = "RULE")]
    rule: String,
}

impl ExplainArgs {
    /// Prints the page.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let word = self.rule.trim();
        let by_name = || rules::ALL.iter().find(|r| r.name == word).copied();
        let rule = Code::parse(word).and_then(rules::by_code).or_else(by_name);
        let rule =
            rule.ok_or_else(|| Failure::unable(format!("no rule is called `{word}`"), "`yuangs-verify rules` lists them"))?;
        print(Color::Auto, |out| write!(out, "{}", Page::of(rule).titled(rule)))?;
        Ok(EXIT_CLEAN)
    }
}
