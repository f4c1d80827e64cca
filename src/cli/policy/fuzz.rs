//! `policy fuzz`: searches for counterexamples to the properties of a policy.

use super::find::{self, LoadedPolicy};
use super::objection::Objections;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::common::policy_files::sibling;
use crate::cli::output::{Color, Failure, print_prose_if, warn};
use crate::diag::{digest, subject};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use agent_policy::{
    Action, Effort, Position, PropertyResult, ReadOnlyAllowance, Violation, built_in_policy, fuzz,
    load_cases, property_ids, read_only_allowance,
};
use clap::Args;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of `policy fuzz`.
#[derive(Debug, Args)]
pub struct FuzzArgs {
    /// The policy: a file, or the name of a built-in one.
    #[arg(value_name = "FILE|NAME", default_value = "default")]
    policy: String,
    /// Start the search with this seed; the same seed tries the same actions.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Try this many actions for each property.
    #[arg(long, default_value_t = 2000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    cases: u32,
    /// Search only for counterexamples to this property; may be given several times.
    #[arg(long, value_name = "ID")]
    property: Vec<String>,
    /// Add the counterexamples to `NAME.regressions.yaml` beside the policy, where `policy test`
    /// runs them.
    #[arg(long)]
    save: bool,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
}

impl FuzzArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let found = find::policy(&self.policy)?;
        let seeds = self.seeds(&found)?;
        let known = property_ids(&found.policy);
        if let Some(unknown) = self.property.iter().find(|id| !known.contains(id)) {
            return Err(Failure::unable(
                format!("the policy has no property `{unknown}`"),
                format!("known: {}", known.join(", ")),
            ));
        }
        let effort = Effort {
            seed: self.seed,
            cases: self.cases,
            only: self.property.clone(),
        };
        let outcomes = fuzz(&found.policy, &seeds, &effort);
        let share = read_only_allowance(&found.policy);
        let mut objections = Objections::default();
        let mut saved = Vec::new();
        for outcome in &outcomes {
            if let Some(violation) = &outcome.violation {
                let at = position(&found, &outcome.id, violation);
                let code = if violation.evasion { 518 } else { 515 };
                let message = format!("{}: {}", outcome.id, violation.explanation);
                let case = case_of(&outcome.id, violation);
                let action = digest(violation.action.to_json().to_string());
                objections
                    .add(
                        code,
                        found.place(at),
                        message,
                        Some(format!("as a test case: {case}")),
                    )
                    .subject = Some(subject([&*outcome.id, &violation.rule, &action]));
                saved.push(case);
            }
        }
        objections.finish();
        if self.save {
            save(&found, &saved)?;
        }
        print_prose_if(
            self.format == OutputFormat::Text,
            Color::Auto,
            |out| match self.format {
                OutputFormat::Text => self.text(&outcomes, share, &objections, out),
                OutputFormat::Json => {
                    let properties: Vec<_> = outcomes
                    .iter()
                    .map(|o| {
                        let action = o.violation.as_ref().map(|v| v.action.to_json());
                        json!({ "id": o.id, "tried": o.tried, "concerned": o.concerned, "counterexample": action })
                    })
                    .collect();
                    let findings = findings_json(&objections.findings);
                    let value = json!({ "version": 1, "seed": self.seed, "properties": properties, "usable": share, "findings": findings });
                    writeln!(out, "{}", safe_json(&value))
                }
            },
        )?;
        Ok(match () {
            () if !objections.findings.is_empty() => EXIT_FINDINGS,
            () if outcomes.iter().all(|o| o.concerned == 0)
                || outcomes.iter().any(|o| o.own && o.concerned == 0) =>
            {
                warn("nothing was found that a property is about: it was not tried");
                EXIT_NOTHING_VERIFIED
            }
            () => EXIT_CLEAN,
        })
    }

    /// Returns the actions of the test cases next to the policy.
    fn seeds(&self, found: &LoadedPolicy) -> Result<Vec<Action>, Failure> {
        let mut files = Vec::new();
        for path in found.paths() {
            let file = sibling(path, "test.yaml");
            if file.is_file() {
                files.push((find::name_of(&file), find::read(&file)?));
            }
        }
        if found.paths().next().is_none()
            && let Some(shipped) = built_in_policy(&self.policy)
        {
            let name = format!("{}.test.yaml", shipped.name);
            files.push((name, shipped.cases.to_owned()));
        }
        let mut actions = Vec::new();
        for (name, text) in files {
            let cases = load_cases(&text).map_err(|p| find::complain(&name, &text, &p))?;
            actions.extend(cases.into_iter().map(|c| c.action));
        }
        Ok(actions)
    }

    fn text(
        &self,
        outcomes: &[PropertyResult],
        share: ReadOnlyAllowance,
        objections: &Objections,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_findings(&objections.findings, out)?;
        for outcome in outcomes {
            let word = match outcome {
                PropertyResult {
                    violation: Some(_), ..
                } => "FAIL",
                PropertyResult { concerned: 0, .. } => "none",
                PropertyResult { .. } => "pass",
            };
            writeln!(
                out,
                "{word} {:<18} {} tried, {} concerned",
                terminal(&outcome.id),
                outcome.tried,
                outcome.concerned
            )?;
        }
        writeln!(
            out,
            "usable: {} of {} commands that only look are allowed",
            share.allowed, share.of
        )?;
        writeln!(out, "seed {}: a search, and no proof", self.seed)
    }
}

/// Returns the place of the responsible rule, of the broken property, or of the top of the file.
fn position(found: &LoadedPolicy, id: &str, violation: &Violation) -> Position {
    let own = found.policy.properties.iter().find(|p| p.id == id);
    own.map(|p| p.at)
        .or_else(|| found.policy.rule(&violation.rule).map(|r| r.at))
        .unwrap_or(Position::START)
}

/// Adds cases to the file of counterexamples next to a policy on the disk.
fn save(found: &LoadedPolicy, cases: &[String]) -> Result<(), Failure> {
    let Some(path) = found
        .only_path("counterexamples")?
        .filter(|_| !cases.is_empty())
    else {
        return Ok(());
    };
    let file: PathBuf = sibling(path, "regressions.yaml");
    let mut text = if file.is_file() {
        find::read(&file)?
    } else {
        "# What `policy fuzz` has found.\ncases:\n".to_owned()
    };
    for case in cases
        .iter()
        .filter(|c| !text.contains(c.as_str()))
        .collect::<Vec<_>>()
    {
        text.push_str(&format!("  - {case}\n"));
    }
    crate::cli::write::write_own(&file, text, crate::cli::guard::Exemption::Policy)
}

/// Formats a counterexample as a test case on one line. JSON is valid YAML.
fn case_of(id: &str, violation: &Violation) -> String {
    let short = violation.action.summary();
    let mut case = json!({
        "name": format!("{id}: {short}"),
        "action": violation.action.to_json(),
        "expect": violation.expected,
    });
    if let (Some(members), Some(context)) = (case.as_object_mut(), &violation.context) {
        members.insert("context".to_owned(), context.clone());
    }
    safe_json(&case)
}
