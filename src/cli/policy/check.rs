//! `policy check`.

use super::find::{self, LoadedPolicy};
use super::folder::policies_under;
use super::objection::Objections;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::output::{Color, Failure, print_prose_if};
use crate::diag::{FailOn, Severity, subject};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use agent_policy::{Combine, Policy, Rule, RuleUse, SHIPPED};
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
    /// Whether the default never decides.
    dead_default: bool,
    /// The severity of the worst finding.
    worst: Option<Severity>,
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
                OutputFormat::Text => self.text(&outcomes, &objections, out),
                OutputFormat::Json => {
                    let policies: Vec<_> = outcomes
                        .iter()
                        .map(|o| json!({ "file": o.file, "rules": o.rules, "neverDecide": o.dead, "deadDefault": o.dead_default, "notProved": o.unknown }))
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
            if let Some(name) = path.to_str()
                && find::format_of(name).0.is_some()
            {
                all.push(find::policy(name)?);
                continue;
            }
            for file in policies_under(path)? {
                all.push(find::parse(&find::name_of(&file), find::read(&file)?)?);
            }
        }
        Ok(all)
    }

    fn text(
        &self,
        outcomes: &[Outcome],
        objections: &Objections,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_findings(&objections.findings, out)?;
        for outcome in outcomes {
            let Outcome {
                file,
                rules,
                dead,
                unknown,
                dead_default,
                worst,
            } = outcome;
            let word = match worst {
                Some(severity) if self.fail_on.includes(*severity) => "FAIL",
                _ if *unknown > 0 => "inconclusive",
                Some(_) => "WARN",
                None => "PASS",
            };
            let file = terminal(file);
            write!(
                out,
                "{word} {file}: {} of {rules} rules can decide",
                rules - dead - unknown
            )?;
            if *dead_default {
                write!(out, ", the default can't")?;
            }
            if *unknown > 0 {
                write!(out, ", {unknown} are too complex to analyse")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Returns what to do about a rule that never decides, where the rules `by` do.
fn remedy(policy: &Policy, rule: &Rule, by: &[String]) -> String {
    let earlier: Vec<&Rule> = policy
        .rules
        .iter()
        .take_while(|r| r.id != rule.id)
        .collect();
    let others: Vec<&Rule> = by.iter().filter_map(|id| policy.rule(id)).collect();
    let Some(first) = others.first() else {
        return format!("delete `{}`", rule.id);
    };
    let alike = |other: &&Rule| other.effect == rule.effect && other.limits == rule.limits;
    let before = |other: &&Rule| earlier.iter().any(|r| r.id == other.id);
    let narrow = if others.len() == 1 {
        format!("narrow `{}`", first.id)
    } else {
        "narrow the others".to_owned()
    };
    if others.iter().all(alike) {
        format!("delete `{}`: without it, the same holds", rule.id)
    } else if policy.combine == Combine::FirstMatch && others.iter().all(before) {
        let first = earlier.iter().find(|r| by.contains(&r.id));
        let first = first.map_or("", |r| r.id.as_str());
        format!(
            "delete `{}`, move it before `{first}`, or {narrow}",
            rule.id
        )
    } else {
        format!("delete `{}`, or {narrow}", rule.id)
    }
}

/// Reports the rules of a policy that never decide.
pub(super) fn check(found: &LoadedPolicy, to: &mut Objections) -> Outcome {
    let used = found.policy.rule_use();
    let mut outcome = Outcome {
        file: found.file.clone(),
        rules: found.policy.rules.len(),
        dead: 0,
        unknown: 0,
        dead_default: used.dead_default,
        worst: None,
    };
    if let Some(at) = found.policy.disabled {
        let message = "permission checks are off: every action is allowed, and nobody is asked";
        let help = "write `enabled: true`, or delete the block if that is meant";
        let finding = to.add(
            522,
            found.place(at),
            message.to_owned(),
            Some(help.to_owned()),
        );
        finding.subject = Some("enabled".into());
        outcome.worst = outcome.worst.max(Some(finding.severity));
    }
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
                    remedy(&found.policy, rule, by),
                )
            }
        };
        outcome.dead += 1;
        let finding = to.add(code, found.place(rule.at), message, Some(help));
        finding.subject = Some(subject([&*rule.id]));
        outcome.worst = outcome.worst.max(Some(finding.severity));
    }
    // A default that isn't written misleads nobody.
    if let Some(at) = found.policy.default.at.filter(|_| used.dead_default) {
        let message = "the default never decides: the rules decide on every action".to_owned();
        let help = "delete `default`, or narrow the rule that matches everything else".to_owned();
        let finding = to.add(510, found.place(at), message, Some(help));
        finding.subject = Some("default".into());
        outcome.worst = outcome.worst.max(Some(finding.severity));
    }
    outcome
}
