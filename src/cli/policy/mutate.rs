//! `policy mutate`: finds changes of policies that no test case notices.

use super::test::{Suite, suites};
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::output::{Color, Failure, print_prose_if, warn};
use crate::cli::progress::{Progress, Unit};
use crate::report::{safe_json, terminal};
use agent_policy::{Case, Difference, DifferenceKind, Effort, Mutant, MutantStatus};
use clap::Args;
use rayon::prelude::*;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Arguments of `policy mutate`.
#[derive(Debug, Args)]
pub struct MutateArgs {
    /// Policies (`NAME.yaml` with `NAME.test.yaml` beside it), or folders of them. Without any: the
    /// ones built in.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Also run this corpus: one `{"action", "expect", "source"?, "why"?}` per line.
    #[arg(long, value_name = "JSONL")]
    corpus: Vec<PathBuf>,
    /// Start the search for a witness with this seed; the same seed tries the same actions.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Try this many actions for each change that no case notices and the proof leaves open.
    #[arg(long, default_value_t = 2_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    cases: u32,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
}

/// The results for the mutants of one policy.
struct Outcome {
    file: String,
    id: String,
    statuses: Vec<(Mutant, MutantStatus)>,
}

impl Outcome {
    fn count(&self, which: impl Fn(&MutantStatus) -> bool) -> usize {
        self.statuses
            .iter()
            .filter(|(_, status)| which(status))
            .count()
    }

    fn killed(&self) -> usize {
        self.count(|f| matches!(f, MutantStatus::Killed))
    }

    fn survived(&self) -> usize {
        self.count(|f| matches!(f, MutantStatus::Survived(..)))
    }
}

impl MutateArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let effort = Effort {
            seed: self.seed,
            cases: self.cases,
            only: Vec::new(),
        };
        let suites = suites(&self.paths, &self.corpus)?;
        let mutants = suites.iter().map(|s| s.found.policy.mutants().len() as u64);
        let progress = Progress::start("trying mutants", Unit::Items, mutants.sum(), false);
        let outcomes = suites
            .iter()
            .map(|suite| run_mutants(suite, &effort, &progress.done()))
            .collect::<Result<Vec<Outcome>, Failure>>()?;
        drop(progress);
        print_prose_if(
            self.format == OutputFormat::Text,
            Color::Auto,
            |out| match self.format {
                OutputFormat::Text => self.text(&outcomes, out),
                OutputFormat::Json => writeln!(out, "{}", safe_json(&self.json(&outcomes))),
            },
        )?;
        Ok(match () {
            () if outcomes.iter().any(|o| o.survived() > 0) => EXIT_FINDINGS,
            () if outcomes.is_empty() || outcomes.iter().any(|o| o.statuses.is_empty()) => {
                warn("nothing was changed: a policy has no rule that could be more permissive");
                EXIT_NOTHING_VERIFIED
            }
            () => EXIT_CLEAN,
        })
    }

    fn text(&self, outcomes: &[Outcome], out: &mut dyn Write) -> io::Result<()> {
        for outcome in outcomes {
            for (mutant, status) in &outcome.statuses {
                let MutantStatus::Survived(kind, difference) = status else {
                    continue;
                };
                writeln!(
                    out,
                    "untested: {}: {}",
                    terminal(rule_of(mutant)),
                    terminal(&mutant.change)
                )?;
                writeln!(
                    out,
                    "    {} would become {}: {}",
                    kind.base,
                    kind.head,
                    terminal(&difference.witness.summary())
                )?;
                writeln!(out, "    as a test case: {}", case_of(kind, difference))?;
            }
            let (all, killed, survived) =
                (outcome.statuses.len(), outcome.killed(), outcome.survived());
            let alike = outcome.count(|status| matches!(status, MutantStatus::Equivalent));
            writeln!(
                out,
                "{} {} ({}): {killed} of {all} changes are noticed by a case, {survived} by none; {alike} are proved to allow nothing more, {} are undecided",
                if survived == 0 { "PASS" } else { "FAIL" },
                terminal(&outcome.id),
                terminal(&outcome.file),
                all - killed - survived - alike,
            )?;
        }
        writeln!(
            out,
            "seed {}, {} random actions for each change that the proof leaves open",
            self.seed, self.cases
        )
    }

    fn json(&self, outcomes: &[Outcome]) -> serde_json::Value {
        let policies: Vec<_> = outcomes
            .iter()
            .map(|outcome| {
                let mutants: Vec<_> = outcome
                    .statuses
                    .iter()
                    .map(|(mutant, status)| mutant_json(mutant, status))
                    .collect();
                json!({ "file": outcome.file, "policy": outcome.id, "mutants": mutants })
            })
            .collect();
        json!({ "version": 1, "seed": self.seed, "actions": self.cases, "exhaustive": false, "policies": policies })
    }
}

/// Creates every mutant of a policy and runs the test cases on it.
fn run_mutants(suite: &Suite, effort: &Effort, done: &AtomicU64) -> Result<Outcome, Failure> {
    let policy = &suite.found.policy;
    let cases: Vec<Case> = suite
        .files
        .iter()
        .flat_map(|(_, _, cases)| cases.iter().cloned())
        .collect();
    let file = &suite.found.file;
    if cases.is_empty() {
        return Err(Failure::unable(
            format!("`{file}` has no case"),
            "write some into a `NAME.test.yaml` beside it",
        ));
    }
    // A case that already fails would fail on every mutant.
    if let Some(case) = cases.iter().find(|c| c.run(policy).is_some()) {
        let remedy = "`policy test` says why; fix it first";
        return Err(Failure::unable(
            format!("the case `{}` of `{file}` fails as it is", case.name),
            remedy,
        ));
    }
    let statuses = policy.mutants().into_par_iter().map(|mutant| {
        let status = mutant.status(policy, &cases, effort);
        done.fetch_add(1, Ordering::Relaxed);
        (mutant, status)
    });
    Ok(Outcome {
        file: file.clone(),
        id: policy.id.clone(),
        statuses: statuses.collect(),
    })
}

fn rule_of(mutant: &Mutant) -> &str {
    mutant.rule.as_deref().unwrap_or("default")
}

fn mutant_json(mutant: &Mutant, status: &MutantStatus) -> serde_json::Value {
    let (word, witness) = match status {
        MutantStatus::Killed => ("killed", None),
        MutantStatus::Equivalent => ("alike", None),
        MutantStatus::Undecided => ("undecided", None),
        MutantStatus::Survived(kind, difference) => ("survived", Some((kind, difference))),
    };
    json!({
        "rule": rule_of(mutant),
        "change": mutant.change,
        "fate": word,
        "kind": witness.map(|(kind, _)| kind),
        "witness": witness.map(|(_, difference)| difference.witness.action.to_json()),
        "context": witness.and_then(|(_, difference)| difference.witness.circumstances()),
        "history": witness.and_then(|(_, difference)| difference.witness.approved()),
    })
}

/// Formats a witness as a test case on one line. JSON is valid YAML.
fn case_of(kind: &DifferenceKind, difference: &Difference) -> String {
    safe_json(
        &difference
            .witness
            .case(&json!({ "effect": kind.base, "rule": kind.base_rule })),
    )
}
