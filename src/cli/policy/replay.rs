//! `policy replay`: evaluates a policy for every recorded decision.

use super::counted::{Uncounted, collect, is_stdin, thousands};
use super::find::{self, LoadedPolicy};
use super::objection::Objections;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::file::traces;
use crate::cli::output::{Color, Failure, print_prose_if, warn};
use crate::cli::progress::Progress;
use crate::diag::{Code, FailOn, Place, Related, Severity, digest as digest_of, subject};
use crate::replay::PolicyFiles;
use crate::report::{findings_json, safe_json, terminal, write_findings};
use crate::rules::{Settings, codes};
use crate::source::{Found as Input, Limits, Missing};
use crate::trace::Entry;
use crate::trace::action::hex;
use crate::trajectory::recorded_decisions::DecisionHistory;
use crate::verify::{Options, Report, watch, watch_and_check};
use agent_policy::{
    Drift, DriftedDecision, History, RecordedDecision, Rule, SHIPPED, UnrecordedContext,
};
use clap::Args;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Maximum number of actions listed for one rule, and of findings in total.
const LISTED: usize = 10;
const KEPT: usize = 1000;

/// Limits on the executions that are replayed for changes of their policy. They are higher than
/// those of `replay`, which has options for them.
const EXECUTIONS: usize = 1_000_000;
const OPEN_BYTES: usize = 256 << 20;

/// Arguments of `policy replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Traces: files, folders, or `-` for standard input.
    #[arg(required = true, value_name = "TRACES")]
    traces: Vec<PathBuf>,
    /// Use this policy: a file, `REV:PATH`, or the name of a built-in one. The default is the one
    /// whose digest the trace records.
    #[arg(short, long, value_name = "FILE|NAME")]
    policy: Option<String>,
    /// Search for a recorded digest in these files or folders.
    #[arg(long, value_name = "PATH")]
    policy_path: Vec<PathBuf>,
    /// Search for a recorded digest in the history of this repository.
    #[arg(long, value_name = "DIR")]
    policy_repo: Option<PathBuf>,
    /// Read at most N commits of that history, from HEAD backwards.
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    policy_history: usize,
    /// Assume that it was production or wasn't, which traces don't record. By default, both are
    /// possible.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    production: Option<bool>,
    /// Assume this mode of the runtime, which traces don't record. By default, every mode is
    /// possible.
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// Fail (exit 1) when there are findings this bad.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
    /// Print every finding in full, not only the groups.
    #[arg(short, long)]
    verbose: bool,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
}

/// The actions for which one rule gives a different decision than the recorded one.
#[derive(Debug, Default)]
struct Group {
    count: u64,
    reason: String,
    actions: Vec<(String, u64, String, String)>,
}

/// Decisions that one rule would change under a condition that traces don't record.
#[derive(Debug)]
struct InconclusiveGroup {
    count: u64,
    if_so: String,
    /// The first of them: file, line and execution.
    first: (String, u64, String),
}

/// The counts of a replay.
#[derive(Debug, Default)]
struct Tally {
    decisions: u64,
    changed: u64,
    unjudged: u64,
    left_out: u64,
    groups: BTreeMap<(u16, String), Group>,
    /// Decisions that depend on a condition that traces don't record, by the rule with that
    /// condition.
    unrecorded: BTreeMap<String, InconclusiveGroup>,
    errors: u64,
    warnings: u64,
    notes: u64,
    /// What limits per hour and day don't count over all executions.
    uncounted: Uncounted,
}

/// A difference between a policy and a recorded decision.
struct Objection {
    code: u16,
    message: String,
    help: Option<String>,
    turn: Option<i64>,
    /// The place of the responsible rule.
    rule: Option<Related>,
    /// The subject besides the turn: rule and action, or the missing policy.
    subject: Box<str>,
    /// Whether the policy only monitors.
    monitor: bool,
}

/// Returns the place of a rule, unless it was generated from the form of its file.
fn place_of_rule(found: &LoadedPolicy, rule: &Rule) -> Option<Related> {
    let message = || format!("the rule `{}`", rule.id);
    (rule.at.line > 0).then(|| {
        Related::new(
            &found.file_of(rule.at).into(),
            rule.at.line.into(),
            message(),
        )
    })
}

/// A policy, and the context that it needs but traces don't record.
struct ReplayedPolicy {
    found: LoadedPolicy,
    unrecorded: UnrecordedContext,
}

/// The context of all executions that the command line gives, since traces don't record it.
#[derive(Debug, Default)]
struct KnownContext<'a> {
    production: Option<bool>,
    mode: Option<&'a str>,
}

impl KnownContext<'_> {
    fn apply_to(&self, found: LoadedPolicy) -> ReplayedPolicy {
        let unrecorded = UnrecordedContext::new(&found.policy, self.production, self.mode);
        ReplayedPolicy { found, unrecorded }
    }
}

/// The policies, by the SHA-256 of their bytes.
struct PolicySet<'a> {
    known: KnownContext<'a>,
    given: Option<ReplayedPolicy>,
    by_digest: BTreeMap<String, ReplayedPolicy>,
    /// The files of these policies that aren't built in.
    files: BTreeMap<String, BTreeSet<String>>,
}

impl ReplayArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let known = KnownContext {
            production: self.production,
            mode: self.mode.as_deref(),
        };
        let mut policies = PolicySet::load(self.policy.as_deref(), &self.policy_path, known)?;
        if let Some(repository) = self
            .policy_repo
            .as_deref()
            .filter(|_| policies.given.is_none())
        {
            policies.add_history(repository, self.policy_history)?;
        }
        let inputs = traces(&self.traces);
        let (tally, mut objections, mut report) =
            evaluate_all(&policies, &inputs, Some(policies.files()));
        objections.findings.append(&mut report.findings);
        objections.finish();
        let (errors, warnings) = (
            tally.errors + report.counts.errors,
            tally.warnings + report.counts.warnings,
        );
        print_prose_if(
            self.format == OutputFormat::Text,
            Color::Auto,
            |out| match self.format {
                OutputFormat::Text => self.text(&tally, &objections, out),
                OutputFormat::Json => writeln!(out, "{}", safe_json(&tally.json(&objections))),
            },
        )?;
        let failing = self.fail_on.count(|severity| match severity {
            Severity::Error => errors,
            Severity::Warning => warnings,
            Severity::Note => tally.notes + report.counts.notes,
        });
        Ok(match () {
            () if report.counts.unopened > 0 => EXIT_ERROR,
            () if failing > 0 => EXIT_FINDINGS,
            () if (!tally.unrecorded.is_empty() || tally.uncounted.is_partial())
                && self.fail_on != FailOn::Never =>
            {
                EXIT_NOTHING_VERIFIED
            }
            () if tally.decisions == tally.unjudged => {
                warn("nothing was replayed: no recorded decision could be asked about");
                EXIT_NOTHING_VERIFIED
            }
            () => EXIT_CLEAN,
        })
    }

    fn text(&self, tally: &Tally, objections: &Objections, out: &mut dyn Write) -> io::Result<()> {
        if self.verbose {
            write_findings(&objections.findings, out)?;
        } else {
            // Drift is listed in groups below. This lists what prevented decisions from being
            // evaluated.
            let rest: Vec<_> = objections
                .findings
                .iter()
                .filter(|f| !is_drift(f.code.0))
                .cloned()
                .collect();
            write_findings(&rest, out)?;
        }
        for ((code, rule), group) in &tally.groups {
            let rule_of_code = crate::rules::by_code(Code(*code));
            let (name, severity) =
                rule_of_code.map_or(("", Severity::Error), |r| (r.name, r.severity));
            writeln!(
                out,
                "{severity}[YV{code}] {name}: {} by {}: {}",
                group.count,
                terminal(rule),
                terminal(&group.reason)
            )?;
            for (file, line, execution, action) in &group.actions {
                writeln!(
                    out,
                    "    {}:{line} [{}] {}",
                    terminal(file),
                    terminal(execution),
                    terminal(action)
                )?;
            }
            if group.count > group.actions.len() as u64 {
                writeln!(
                    out,
                    "    and {} more",
                    group.count - group.actions.len() as u64
                )?;
            }
        }
        writeln!(
            out,
            "{} of {} decisions would change",
            thousands(tally.changed),
            thousands(tally.decisions)
        )?;
        for (rule, doubt) in &tally.unrecorded {
            let (file, line, execution) = &doubt.first;
            writeln!(out, "inconclusive: {}", terminal(&doubt.say(rule)))?;
            writeln!(
                out,
                "    {}:{line} [{}] is the first; --production and --mode say how it was",
                terminal(file),
                terminal(execution)
            )?;
        }
        if let Some(uncounted) = tally.uncounted.say() {
            writeln!(out, "{uncounted}")?;
        }
        if tally.unjudged > 0 {
            writeln!(
                out,
                "{} could not be asked about: the policy of their day is not at hand",
                thousands(tally.unjudged)
            )?;
        }
        if tally.left_out > 0 && self.verbose {
            writeln!(
                out,
                "{} findings are counted and not listed",
                thousands(tally.left_out)
            )?;
        }
        Ok(())
    }
}

/// Evaluates the policies for every decision of the inputs. The report contains findings about
/// unreadable records, and with `governing` those about executions that changed one of these files
/// or the policy that they name.
fn evaluate_all(
    policies: &PolicySet<'_>,
    inputs: &[Result<Input, Missing>],
    governing: Option<PolicyFiles>,
) -> (Tally, Objections, Report) {
    let mut ledger = DecisionHistory::default();
    let mut uncounted = Uncounted::default();
    let counts = policies.count_across_executions();
    if counts && inputs.iter().any(is_stdin) {
        uncounted.stdin = true;
    } else if counts {
        let timeline = collect(inputs);
        uncounted.full = timeline.is_full();
        ledger = DecisionHistory::counting(timeline);
    }
    let mut tally = Tally::default();
    let mut objections = Objections::default();
    let mut missing: BTreeMap<String, u64> = BTreeMap::new();
    let progress = Progress::of_inputs(inputs, false);
    let checks = governing.is_some();
    let options = Options {
        max_findings: KEPT,
        bytes_read: Some(progress.done()),
        settings: Settings {
            policies: governing.unwrap_or_default(),
            ..Settings::default()
        },
        limits: Limits {
            executions: EXECUTIONS,
            open_bytes: OPEN_BYTES,
            ..Limits::default()
        },
        ..Options::default()
    };
    let mut evaluate = |file: &str, execution: &str, entry: &Entry<'_>| {
        entry.record.steps(&mut |step| {
            ledger.step(
                &format!("{file}\n{execution}"),
                step,
                &mut |decided, history| {
                    tally.decisions += 1;
                    let place = Place {
                        file: file.into(),
                        line: entry.line,
                        column: entry.indent + 1,
                        ..Place::default()
                    };
                    if let Some(policy) = policies.policy_of(decided) {
                        tally.evaluate(policy, decided, history, execution, place, &mut objections);
                    } else {
                        tally.unjudged += 1;
                        let digest = decided.digest.clone().unwrap_or_default();
                        if *missing
                            .entry(digest.clone())
                            .and_modify(|n| *n += 1)
                            .or_insert(1)
                            == 1
                        {
                            tally.not_found(&digest, execution, place, &mut objections);
                        }
                    }
                },
            );
        });
    };
    let report = if checks {
        let rule = codes::GOVERNING_POLICY_CHANGED;
        watch_and_check(inputs, &options, rule, &mut evaluate)
    } else {
        watch(inputs, &options, &mut evaluate)
    };
    if counts {
        uncounted.undated = ledger.undated();
    }
    tally.uncounted = uncounted;
    if !report.secrets.is_empty() {
        objections.hide(&report.secrets);
        for group in tally.groups.values_mut() {
            report.secrets.clean(&mut group.reason);
            for (_, _, execution, action) in &mut group.actions {
                report.secrets.clean(execution);
                report.secrets.clean(action);
            }
        }
        tally
            .unrecorded
            .values_mut()
            .for_each(|doubt| report.secrets.clean(&mut doubt.first.2));
    }
    (tally, objections, report)
}

/// Compares the recorded decisions of inputs with one policy, for a gate. The report contains the
/// policy's findings, and none about reading the inputs. The second value says what is missing if
/// no decision is recorded.
pub(in crate::cli) fn compare_recorded(
    policy: &Path,
    text: String,
    inputs: &[Result<Input, Missing>],
) -> Result<(Report, Option<String>), Failure> {
    let known = KnownContext::default();
    let given = Some(known.apply_to(find::parse(&find::name_of(policy), text)?));
    let policies = PolicySet {
        known,
        given,
        by_digest: BTreeMap::new(),
        files: BTreeMap::new(),
    };
    // The gate checks itself whether an execution changed its policy.
    let (tally, objections, _) = evaluate_all(&policies, inputs, None);
    let mut report = objections.into_report();
    // There may be more findings than are kept.
    (
        report.counts.errors,
        report.counts.warnings,
        report.counts.notes,
    ) = (tally.errors, tally.warnings, tally.notes);
    report.counts.left_out = tally.left_out;
    report.notices.push(format!(
        "{} of {} recorded decisions would be others under the policy",
        thousands(tally.changed),
        thousands(tally.decisions)
    ));
    report
        .notices
        .extend(tally.unrecorded.iter().map(|(rule, doubt)| doubt.say(rule)));
    report.notices.extend(tally.uncounted.say());
    let empty = tally.decisions == 0;
    Ok((
        report,
        empty.then(|| "nothing was checked against the policy: no decision is recorded".to_owned()),
    ))
}

/// The decisions that a policy would change, by the responsible rule.
pub(in crate::cli) struct OtherDecisions {
    /// Number of evaluated decisions and calls.
    pub(in crate::cli) asked: u64,
    /// The changed decisions, one entry for each kind of difference and rule.
    pub(in crate::cli) groups: Vec<OtherDecision>,
}

/// The decisions that one rule would change.
pub(in crate::cli) struct OtherDecision {
    /// The new decision: `deny`, `ask` or `allow`.
    pub(in crate::cli) decision: &'static str,
    pub(in crate::cli) rule: String,
    pub(in crate::cli) reason: String,
    pub(in crate::cli) count: u64,
    pub(in crate::cli) first: Option<(String, u64, String)>,
}

/// Evaluates one policy for the actions of sessions.
pub(in crate::cli) fn other_decisions(
    policy: &str,
    inputs: &[Result<Input, Missing>],
) -> Result<OtherDecisions, Failure> {
    let policies = PolicySet::load(Some(policy), &[], KnownContext::default())?;
    let (tally, _, _) = evaluate_all(&policies, inputs, None);
    let groups = tally.groups.into_iter().map(|((code, rule), group)| {
        let first = group.actions.into_iter().next();
        OtherDecision {
            decision: match code {
                501 => "deny",
                502 => "ask",
                503 => "allow",
                _ => "deny (over a limit)",
            },
            rule,
            reason: group.reason,
            count: group.count,
            first: first.map(|(file, line, _, action)| (file, line, action)),
        }
    });
    Ok(OtherDecisions {
        asked: tally.decisions,
        groups: groups.collect(),
    })
}

const fn is_drift(code: u16) -> bool {
    matches!(code, 501 | 502 | 503 | 505)
}

impl InconclusiveGroup {
    fn say(&self, rule: &str) -> String {
        let many = if self.count == 1 {
            "1 decision".to_owned()
        } else {
            format!("{} decisions", thousands(self.count))
        };
        format!(
            "{many} would be another by `{rule}` if {}, which no trace records",
            self.if_so
        )
    }
}

impl Tally {
    fn evaluate(
        &mut self,
        policy: &ReplayedPolicy,
        decided: &RecordedDecision,
        history: &History,
        execution: &str,
        place: Place,
        to: &mut Objections,
    ) {
        let found = &policy.found;
        let Some(DriftedDecision {
            drift,
            decision,
            if_so,
        }) = policy.unrecorded.drift(&found.policy, decided, history)
        else {
            return;
        };
        if let Some(if_so) = if_so {
            let first = || (place.file.to_string(), place.line, execution.to_owned());
            let new = || InconclusiveGroup {
                count: 0,
                if_so,
                first: first(),
            };
            self.unrecorded
                .entry(decision.rule_id().to_owned())
                .or_insert_with(new)
                .count += 1;
            return;
        }
        self.changed += 1;
        let (rule, reason) = (
            decision.rule_id().to_owned(),
            decision.reason().into_owned(),
        );
        let group = self.groups.entry((drift.code(), rule.clone())).or_default();
        group.count += 1;
        let summary = decided.action.summary();
        if group.actions.len() < LISTED {
            reason.clone_into(&mut group.reason);
            group.actions.push((
                place.file.to_string(),
                place.line,
                execution.to_owned(),
                summary.clone(),
            ));
        }
        let who = if decided.by_human {
            "a human"
        } else {
            "policy"
        };
        let message = match drift {
            Drift::NowDenies => format!("approved by {who}, and `{rule}` denies it: {reason}"),
            Drift::NowAsks => {
                format!("approved by policy, and `{rule}` asks for a human: {reason}")
            }
            Drift::NowAllows => format!("rejected by policy, and `{rule}` allows it: {reason}"),
            Drift::OverLimit => format!("approved by {who} beyond the limit of `{rule}`: {reason}"),
        };
        let objection = Objection {
            code: drift.code(),
            message,
            help: Some(format!("the action: {summary}")),
            turn: decided.turn,
            rule: decision.rule.and_then(|rule| place_of_rule(found, rule)),
            subject: subject([&*rule, &digest_of(decided.action.to_json().to_string())]),
            monitor: found.policy.monitor,
        };
        self.add(objection, execution, place, to);
    }

    fn not_found(&mut self, digest: &str, execution: &str, place: Place, to: &mut Objections) {
        let (message, help) = if digest.is_empty() {
            (
                "no policy is given, and the trace records none".to_owned(),
                "name one with --policy",
            )
        } else {
            (
                format!("no policy with the digest `{digest}` is to be found"),
                "add its folder with --policy-path or its repository with --policy-repo, or name a policy with --policy",
            )
        };
        let objection = Objection {
            code: 504,
            message,
            help: Some(help.into()),
            turn: None,
            rule: None,
            subject: digest.into(),
            monitor: false,
        };
        self.add(objection, execution, place, to);
    }

    fn add(&mut self, objection: Objection, execution: &str, place: Place, to: &mut Objections) {
        if to.findings.len() >= KEPT {
            self.left_out += 1;
        }
        let finding = to.add(objection.code, place, objection.message, objection.help);
        finding.execution = Some(execution.into());
        finding.turn = objection.turn;
        finding.subject = Some(objection.subject);
        finding.related.extend(objection.rule);
        if objection.monitor {
            finding.severity = Severity::Note;
        }
        match finding.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => self.notes += 1,
        }
        to.findings.truncate(KEPT);
    }

    fn json(&self, objections: &Objections) -> serde_json::Value {
        let groups: Vec<_> = self
            .groups
            .iter()
            .map(|((code, rule), group)| {
                let actions: Vec<_> = group
                    .actions
                    .iter()
                    .map(|(file, line, execution, action)| json!({ "file": file, "line": line, "executionId": execution, "action": action }))
                    .collect();
                json!({ "code": format!("YV{code}"), "rule": rule, "reason": group.reason, "count": group.count, "actions": actions })
            })
            .collect();
        let unrecorded: Vec<_> = self
            .unrecorded
            .iter()
            .map(|(rule, doubt)| {
                let (file, line, execution) = &doubt.first;
                json!({ "rule": rule, "if": doubt.if_so, "count": doubt.count, "first": { "file": file, "line": line, "executionId": execution } })
            })
            .collect();
        json!({
            "version": 1,
            "decisions": self.decisions,
            "changed": self.changed,
            "unjudged": self.unjudged,
            "undatedExecutions": self.uncounted.undated,
            "leftOut": self.left_out,
            "inconclusive": unrecorded,
            "groups": groups,
            "findings": findings_json(&objections.findings),
        })
    }
}

impl<'a> PolicySet<'a> {
    fn load(
        given: Option<&str>,
        paths: &[PathBuf],
        known: KnownContext<'a>,
    ) -> Result<Self, Failure> {
        let given = given
            .map(find::policy)
            .transpose()?
            .map(|found| known.apply_to(found));
        let mut by_digest = BTreeMap::new();
        let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        if given.is_none() {
            for path in paths {
                for entry in walkdir::WalkDir::new(path).max_depth(4).sort_by_file_name() {
                    let entry = entry.map_err(|e| {
                        Failure::unable(
                            format!("can't read `{}`: {e}", path.display()),
                            "it must be readable",
                        )
                    })?;
                    let is_policy = entry
                        .path()
                        .extension()
                        .is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
                    if entry.file_type().is_file() && is_policy {
                        let text = find::read(entry.path())?;
                        let name = find::name_of(entry.path());
                        // Other files may be there; only policies that a trace refers to have to
                        // load.
                        if let Ok(policy) = agent_policy::load_file(&name, &text) {
                            let digest = digest(&text);
                            files
                                .entry(digest.clone())
                                .or_default()
                                .insert(name.clone());
                            by_digest.insert(
                                digest,
                                known.apply_to(LoadedPolicy::of_file(&name, text, policy)),
                            );
                        }
                    }
                }
            }
            for shipped in &SHIPPED {
                let found =
                    find::parse(&format!("{}.yaml", shipped.name), shipped.text.to_owned())?;
                by_digest
                    .entry(digest(shipped.text))
                    .or_insert_with(|| known.apply_to(found));
            }
        }
        Ok(Self {
            known,
            given,
            by_digest,
            files,
        })
    }

    /// Adds every version of every policy in a repository's history, unless it is already known.
    fn add_history(&mut self, repository: &Path, commits: usize) -> Result<(), Failure> {
        for (name, text) in super::revision::history(repository, commits)? {
            // Other files may be there; only policies that a trace refers to have to load.
            if let Ok(policy) = agent_policy::load(&name, &text) {
                let known = &self.known;
                let digest = digest(&text);
                let files = self.files.entry(digest.clone()).or_default();
                files.insert(name.clone());
                self.by_digest
                    .entry(digest)
                    .or_insert_with(|| known.apply_to(LoadedPolicy::of_file(&name, text, policy)));
            }
        }
        Ok(())
    }

    /// Returns the files of the policies.
    fn files(&self) -> PolicyFiles {
        let given = self.given.as_ref().map(|given| given.found.files());
        PolicyFiles {
            by_digest: self.files.clone(),
            ..given.unwrap_or_default()
        }
    }

    /// Returns whether some policy has a limit per hour or day.
    fn count_across_executions(&self) -> bool {
        let mut all = self.given.iter().chain(self.by_digest.values());
        all.any(|one| one.found.policy.counts_across_executions())
    }

    fn policy_of(&self, decided: &RecordedDecision) -> Option<&ReplayedPolicy> {
        if let Some(found) = &self.given {
            return Some(found);
        }
        let recorded = decided.digest.as_deref()?.to_ascii_lowercase();
        self.by_digest
            .get(recorded.strip_prefix("sha256:").unwrap_or(&recorded))
    }
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
