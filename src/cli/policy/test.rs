//! `policy test`: runs the test cases of policies.

use super::find::{self, LoadedPolicy};
use super::folder::policies_under;
use super::objection::Objections;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::common::policy_files::{ENDINGS, REASONS, sibling};
use crate::cli::output::{Color, Failure, print_prose_if, warn};
use crate::diag::{Severity, subject};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use crate::verify::Report;
use agent_policy::{Case, Coverage, Effect, Failure as Failed, SHIPPED, load_cases, load_corpus};
use clap::Args;
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use text_safety::invisible_chars::says_nothing;

/// Arguments of `policy test`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Policies (`NAME.yaml` with `NAME.test.yaml` beside it), or folders of them. Without any: the
    /// ones built in.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Also run this corpus: one `{"action", "expect", "source"?, "why"?}` per line.
    #[arg(long, value_name = "JSONL")]
    corpus: Vec<PathBuf>,
    /// Write the reasons of what is denied as snapshots (`NAME.reasons.yaml`) instead of comparing
    /// them.
    #[arg(long)]
    update: bool,
    /// Fail on warnings too: rules that no case makes decide.
    #[arg(long)]
    strict: bool,
    /// List every key that no case exercises both ways.
    #[arg(short, long)]
    verbose: bool,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
}

/// A policy with all of its tests.
pub(super) struct Suite {
    pub(super) found: LoadedPolicy,
    /// Files of test cases: name, text, cases.
    pub(super) files: Vec<(String, String, Vec<Case>)>,
    /// The path of the snapshot of reasons, and its content.
    snapshot: Option<PathBuf>,
    reasons: BTreeMap<String, String>,
}

/// The result of one suite.
struct Outcome {
    file: String,
    id: String,
    failed: usize,
    coverage: Coverage,
}

impl TestArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let suites = suites(&self.paths, &self.corpus)?;
        let mut objections = Objections::default();
        let mut outcomes = Vec::new();
        for suite in &suites {
            outcomes.push(suite.run(&mut objections));
            if self.update {
                suite.write_snapshot()?;
            }
        }
        objections.finish();
        print_prose_if(
            self.format == OutputFormat::Text,
            Color::Auto,
            |out| match self.format {
                OutputFormat::Text => self.text(&outcomes, &objections, out),
                OutputFormat::Json => {
                    let policies: Vec<_> = outcomes
                    .iter()
                    .map(|o| json!({ "file": o.file, "policy": o.id, "failed": o.failed, "coverage": o.coverage }))
                    .collect();
                    let value = json!({ "version": 1, "policies": policies, "findings": findings_json(&objections.findings) });
                    writeln!(out, "{}", safe_json(&value))
                }
            },
        )?;
        let empty = outcomes.iter().any(|o| o.coverage.cases == 0);
        Ok(match () {
            () if objections.count(Severity::Error) > 0 => EXIT_FINDINGS,
            () if outcomes.is_empty() || empty => {
                warn("nothing was tested: a policy has no case");
                EXIT_NOTHING_VERIFIED
            }
            () if self.strict && !objections.findings.is_empty() => EXIT_FINDINGS,
            () => EXIT_CLEAN,
        })
    }

    fn text(
        &self,
        outcomes: &[Outcome],
        objections: &Objections,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_findings(&objections.findings, out)?;
        for outcome in outcomes {
            let coverage = &outcome.coverage;
            let (deciding, rules) = coverage.deciding();
            let (both, keys) = coverage.keys();
            let [allow, ask, deny] = coverage.effects;
            let word = if outcome.failed > 0 || coverage.cases == 0 {
                "FAIL"
            } else {
                "PASS"
            };
            writeln!(
                out,
                "{word} {} ({}): {} of {} cases as expected; {deciding} of {rules} rules decide a case; {both} of {keys} keys hold and fail; allow {allow}, require_approval {ask}, deny {deny}",
                terminal(&outcome.id),
                terminal(&outcome.file),
                coverage.cases - outcome.failed as u64,
                coverage.cases,
            )?;
            if self.verbose {
                for rule in &coverage.rules {
                    writeln!(
                        out,
                        "    {:<28} {:<16} decides {:>4}, just misses {:>3}",
                        terminal(&rule.id),
                        rule.effect,
                        rule.decided,
                        rule.near_misses
                    )?;
                    for key in rule.keys.iter().filter(|k| k.held == 0 || k.failed == 0) {
                        let what = if key.held == 0 {
                            "holds in no case"
                        } else {
                            "fails in no case"
                        };
                        writeln!(out, "        {} {what}", terminal(&key.key))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Reads the file next to a policy with an extension, if it exists.
type SiblingReader<'r> = &'r dyn Fn(&Path, &str) -> Result<Option<String>, Failure>;

fn read_existing(policy: &Path, ending: &str) -> Result<Option<String>, Failure> {
    let file = Some(sibling(policy, ending)).filter(|file| file.is_file());
    file.map(|file| find::read(&file)).transpose()
}

/// Runs the test cases of one policy, for a gate. Also returns their number.
pub(in crate::cli) fn run_cases(
    policy: &Path,
    text: String,
    beside: &dyn Fn(&str) -> Result<Option<String>, Failure>,
) -> Result<(Report, u64), Failure> {
    let mut objections = Objections::default();
    let found = find::parse(&find::name_of(policy), text)?;
    let outcome =
        Suite::load(&[policy.to_owned()], found, &|_, ending| beside(ending))?.run(&mut objections);
    let cases = outcome.coverage.cases;
    let passed = cases - outcome.failed as u64;
    let mut report = objections.into_report();
    report.notices.push(format!(
        "{passed} of {cases} cases of the policy come out as expected"
    ));
    Ok((report, cases))
}

/// Loads the policies that paths name with their tests, plus corpora that apply to all of them.
/// Without paths, the built-in policies are loaded.
pub(super) fn suites(paths: &[PathBuf], corpus: &[PathBuf]) -> Result<Vec<Suite>, Failure> {
    let mut corpora = Vec::new();
    for path in corpus {
        let (name, text) = (find::name_of(path), find::read(path)?);
        let cases = load_corpus(&text).map_err(|p| find::complain(&name, &text, &p))?;
        corpora.push((name, text, cases));
    }
    let mut suites = Vec::new();
    if paths.is_empty() {
        for shipped in &SHIPPED {
            let found = find::parse(&format!("{}.yaml", shipped.name), shipped.text.to_owned())?;
            let name = format!("{}.test.yaml", shipped.name);
            let cases =
                load_cases(shipped.cases).map_err(|p| find::complain(&name, shipped.cases, &p))?;
            let files = vec![(name, shipped.cases.to_owned(), cases)];
            suites.push(Suite {
                found,
                files,
                snapshot: None,
                reasons: BTreeMap::new(),
            });
        }
    }
    for path in paths {
        if let Some(name) = path.to_str()
            && find::format_of(name).0.is_some()
        {
            let found = find::policy(name)?;
            let files: Vec<PathBuf> = found.paths().map(Path::to_path_buf).collect();
            suites.push(Suite::load(&files, found, &read_existing)?);
            continue;
        }
        for file in policies_under(path)? {
            let found = find::parse(&find::name_of(&file), find::read(&file)?)?;
            suites.push(Suite::load(&[file], found, &read_existing)?);
        }
    }
    for suite in &mut suites {
        suite.files.extend(corpora.iter().cloned());
    }
    Ok(suites)
}

impl Suite {
    /// Loads a policy with the files next to each of its own.
    fn load(
        paths: &[PathBuf],
        found: LoadedPolicy,
        read: SiblingReader<'_>,
    ) -> Result<Self, Failure> {
        let mut files = Vec::new();
        let mut reasons = BTreeMap::new();
        for path in paths {
            for ending in ENDINGS.into_iter().filter(|ending| *ending != REASONS) {
                if let Some(text) = read(path, ending)? {
                    let name = find::name_of(&sibling(path, ending));
                    let cases = load_cases(&text).map_err(|p| find::complain(&name, &text, &p))?;
                    files.push((name, text, cases));
                }
            }
            if let Some(text) = read(path, REASONS)? {
                let name = find::name_of(&sibling(path, REASONS));
                let own = agent_policy::load_reasons(&text);
                reasons.extend(own.map_err(|p| find::complain(&name, &text, &p))?);
            }
        }
        let snapshot = match paths {
            [only] => Some(sibling(only, REASONS)),
            _ => None,
        };
        Ok(Self {
            found,
            files,
            snapshot,
            reasons,
        })
    }

    fn run(&self, objections: &mut Objections) -> Outcome {
        let LoadedPolicy { file, policy, .. } = &self.found;
        let mut failed = 0;
        for (name, source, cases) in &self.files {
            let results: Vec<Option<Failed>> = cases.par_iter().map(|c| c.run(policy)).collect();
            for (case, failure) in cases.iter().zip(results) {
                let reason = policy.decide(&case.request());
                let told = self
                    .reasons
                    .get(&case.name)
                    .filter(|_| reason.effect == Effect::Deny);
                let stale = told
                    .filter(|told| **told != reason.reason())
                    .map(|_| Failed::Reason(reason.reason().into_owned()));
                if let Some(failure) = failure.or(stale) {
                    failed += 1;
                    let (message, help) = say(case, &failure, told);
                    objections
                        .add(514, find::place(name, source, case.at), message, help)
                        .subject = Some(subject([&*case.name, &class(&failure)]));
                }
            }
        }
        let cases: Vec<Case> = self
            .files
            .iter()
            .flat_map(|(_, _, cases)| cases.iter().cloned())
            .collect();
        let coverage = Coverage::from_cases(policy, &cases);
        for (rule, counts) in policy.rules.iter().zip(&coverage.rules) {
            if rule.effect != Effect::Allow && rule.reason.as_deref().is_none_or(says_nothing) {
                let help = "say in `reason` what a person should know who was stopped by it";
                let message = format!("the rule `{}` says {} and not why", rule.id, rule.effect);
                objections
                    .add(512, self.found.place(rule.at), message, Some(help.into()))
                    .subject = Some(subject([&*rule.id]));
            }
            if counts.decided == 0 {
                let message = format!("no case makes the rule `{}` decide", rule.id);
                let help = format!(
                    "add a case with `expect: {{effect: {}, rule: {}}}`",
                    rule.effect, rule.id
                );
                objections
                    .add(513, self.found.place(rule.at), message, Some(help))
                    .subject = Some(subject([&*rule.id, "decides"]));
            } else if counts.near_misses == 0 {
                let message = format!("no case just misses the rule `{}`", rule.id);
                let help = format!(
                    "add a case that it should leave alone, with `near_miss: [{}]`",
                    rule.id
                );
                objections
                    .add(513, self.found.place(rule.at), message, Some(help))
                    .subject = Some(subject([&*rule.id, "just misses"]));
            }
        }
        super::check::check(&self.found, objections);
        Outcome {
            file: file.clone(),
            id: policy.id.clone(),
            failed,
            coverage,
        }
    }

    /// Writes the reasons of denials, by the names of their cases.
    fn write_snapshot(&self) -> Result<(), Failure> {
        let Some(path) = &self.snapshot else {
            self.found.only_path("reasons")?;
            return Ok(());
        };
        let mut text = String::from(
            "# Reasons of what is denied, by case. `policy test --update` writes this file.\n",
        );
        for case in self.files.iter().flat_map(|(_, _, cases)| cases) {
            let request = case.request();
            let decision = self.found.policy.decide(&request);
            if decision.effect == Effect::Deny {
                let quote = |s: &str| serde_json::Value::from(s).to_string();
                text.push_str(&format!(
                    "{}: {}\n",
                    quote(&case.name),
                    quote(&decision.reason())
                ));
            }
        }
        crate::cli::write::write_own(path, text, crate::cli::guard::Exemption::Policy)
    }
}

/// Returns the kind of a failure, independent of its wording.
fn class(failure: &Failed) -> String {
    match failure {
        Failed::Effect { found, .. } => format!("effect {found}"),
        Failed::Rule(rule) => format!("rule {rule}"),
        Failed::Reason(_) => "reason".to_owned(),
        Failed::NearMiss(rule) => format!("near miss {rule}"),
        Failed::NoSuchRule(rule) => format!("no rule {rule}"),
    }
}

/// Describes a failure, and what to do about it.
fn say(case: &Case, failure: &Failed, told: Option<&String>) -> (String, Option<String>) {
    let name = &case.name;
    let expected = case.expect.effect;
    match failure {
        Failed::Effect {
            found,
            rule,
            reason,
        } => (
            format!("`{name}`: expected {expected}, found {found} by `{rule}`"),
            Some(format!("the policy's reason: {reason}")),
        ),
        Failed::Rule(rule) => {
            let wanted = case.expect.rule.as_deref().unwrap_or_default();
            (
                format!("`{name}`: {expected} as expected, but by `{rule}` and not by `{wanted}`"),
                None,
            )
        }
        Failed::Reason(reason) => {
            let wanted = case
                .expect
                .reason
                .as_ref()
                .or(told)
                .map(String::as_str)
                .unwrap_or_default();
            let help =
                told.map(|_| "if the new reason is meant, run `policy test --update`".to_owned());
            (
                format!("`{name}`: the reason is `{reason}` and not `{wanted}`"),
                help,
            )
        }
        Failed::NearMiss(rule) => (
            format!("`{name}`: the rule `{rule}` should just miss it, and decides"),
            None,
        ),
        Failed::NoSuchRule(rule) => (format!("`{name}`: the policy has no rule `{rule}`"), None),
    }
}
