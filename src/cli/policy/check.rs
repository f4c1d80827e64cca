//! `policy check`.

use super::find::{self, LoadedPolicy};
use super::folder::policies_under;
use super::objection::Objections;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::output::{Color, Failure, print_prose_if};
use crate::diag::{FailOn, subject};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use agent_policy::{RuleUse, SHIPPED};
use clap::Args;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of `policy check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Policies, or directories of them. Without any: the built-in ones.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Fail (exit 1) on findings of this severity or above.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
}

/// What was proved of one policy.
pub(super) struct Outcome {
    file: String,
    rules: usize,
    dead: usize,
    unknown: usize,
}

impl CheckArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let mut objections = Objections::default();
        let outcomes: Vec<Outcome> = self
            .policies()?
            .iter()
            .map(|found| check(found, &mut objections))
            .collect();
        objections.finish();
        print_prose_if(
            self.format == OutputFormat::Text,
            Color::Auto,
            |out| match self.format {
                OutputFormat::Text => text(&outcomes, &objections, out),
                OutputFormat::Json => {
                    let policies: Vec<_> = outcomes
                        .iter()
                        .map(|o| json!({ "file": o.file, "rules": o.rules, "neverDecide": o.dead, "notProved": o.unknown }))
                        .collect();
                    let findings = findings_json(&objections.findings);
                    let value = json!({ "version": 1, "policies": policies, "findings": findings });
                    writeln!(out, "{}", safe_json(&value))
                }
            },
        )?;
        let failing = self
            .fail_on
            .count(|severity| objections.count(severity) as u64);
        Ok(match () {
            () if failing > 0 => EXIT_FINDINGS,
            () if outcomes.is_empty() || outcomes.iter().any(|o| o.unknown > 0) => {
                EXIT_NOTHING_VERIFIED
            }
            () => EXIT_CLEAN,
        })
    }

    fn policies(&self) -> Result<Vec<LoadedPolicy>, Failure> {
        if self.paths.is_empty() {
            let load = |shipped: &agent_policy::BuiltInPolicy| {
                find::parse(&format!("{}.yaml", shipped.name), shipped.text.to_owned())
            };
            return SHIPPED.iter().map(load).collect();
        }
        let mut all = Vec::new();
        for path in &self.paths {
            for file in policies_under(path)? {
                all.push(find::parse(&find::name_of(&file), find::read(&file)?)?);
            }
        }
        Ok(all)
    }
}

fn text(outcomes: &[Outcome], objections: &Objections, out: &mut dyn Write) -> io::Result<()> {
    write_findings(&objections.findings, out)?;
    for outcome in outcomes {
        let Outcome {
            file,
            rules,
            dead,
            unknown,
        } = outcome;
        let word = match (dead, unknown) {
            (0, 0) => "PASS",
            (0, _) => "inconclusive",
            _ => "FAIL",
        };
        let file = terminal(file);
        write!(
            out,
            "{word} {file}: {} of {rules} rules can decide",
            rules - dead - unknown
        )?;
        if *unknown > 0 {
            write!(out, ", {unknown} are too complex to analyse")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Reports the rules of a policy that never decide.
pub(super) fn check(found: &LoadedPolicy, to: &mut Objections) -> Outcome {
    let used = found.policy.rule_use();
    let mut outcome = Outcome {
        file: found.file.clone(),
        rules: found.policy.rules.len(),
        dead: 0,
        unknown: 0,
    };
    for (rule, used) in found.policy.rules.iter().zip(&used.rules) {
        // A form implies rules whether or not another one decides first.
        let (code, message, help) = match used {
            RuleUse::Decides => continue,
            RuleUse::Dead(_) if rule.generated => continue,
            RuleUse::Unknown => {
                outcome.unknown += 1;
                continue;
            }
            RuleUse::Unsatisfiable => (
                511,
                format!("no action can match the rule `{}`", rule.id),
                "its conditions contradict each other: drop one, or delete the rule".to_owned(),
            ),
            RuleUse::Dead(by) => {
                let names = by.iter().map(|id| format!("`{id}`"));
                let names = names.collect::<Vec<_>>().join(", ");
                let others = if names.is_empty() {
                    "other rules decide".to_owned()
                } else if by.len() == 1 {
                    format!("rule {names} decides")
                } else {
                    format!("rules {names} decide")
                };
                (
                    510,
                    format!(
                        "the rule `{}` never decides: {others} on every action that it matches",
                        rule.id
                    ),
                    "delete the rule, put it before the others, or narrow theirs".to_owned(),
                )
            }
        };
        outcome.dead += 1;
        to.add(code, &found.file, &found.text, rule.at, message, Some(help))
            .subject = Some(subject([&*rule.id]));
    }
    outcome
}
