//! `policy replay`: evaluates a policy for every recorded decision.

mod policies;
mod tally;

use super::counted::thousands;
use super::find;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::common::inputs::Inputs;
use crate::cli::file::traces;
use crate::cli::output::{Color, Failure, print_prose_if, warn};
use crate::cli::progress::Progress;
use crate::cli::shares::ShareArgs;
use crate::diag::{Code, FailOn, Severity};
use crate::replay::PolicyFiles;
use crate::report::{findings_json, safe_json, terminal, write_findings};
use crate::rules::{Settings, codes};
use crate::source::{Found, Limits, Missing, survey};
use crate::trace::Entry;
use crate::trajectory::recorded_decisions::DecisionHistory;
use crate::verify::partial::{Command, Condensing, Kept, RunOptions, Work};
use crate::verify::{Options, Report, Visitor, visit};
use clap::Args;
use content_scan::mask::Mask;
use policies::{PolicyOptions, PolicySet};
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tally::{About, ChangedAction, DecisionPlace, InconclusiveGroup, KEPT, Outcome, Tally};

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
    #[command(flatten)]
    policies: PolicyOptions,
    /// Fail (exit 1) when there are findings this bad.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
    /// Print every finding in full, not only the groups.
    #[arg(short, long)]
    verbose: bool,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
    #[command(flatten)]
    share: ShareArgs,
}

impl ReplayArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        if self.share.partial.is_some() {
            self.policies.check_share()?;
        }
        let policies = PolicySet::load(&self.policies)?;
        if let Some(path) = &self.share.partial {
            return self.write_share(path, &policies);
        }
        let inputs = traces(&self.traces);
        let (outcome, report) = evaluate_all(&policies, &inputs, Some(policies.files()));
        print(
            outcome,
            report,
            (self.format, Color::Auto),
            (self.fail_on, self.verbose),
        )
    }

    /// Writes what a share of the traces says.
    fn write_share(&self, path: &Path, policies: &PolicySet) -> Result<u8, Failure> {
        if self.verbose || self.fail_on != FailOn::Error {
            return Err(Failure::unable(
                "a share with --partial writes no report",
                "pass --verbose and --fail-on to `merge`",
            ));
        }
        let mut apart = Inputs::default();
        policies.paths().for_each(|policy| apart.add(policy));
        apart.keep_apart([path])?;
        let mut options = options(Some(policies.files()));
        let run = RunOptions {
            command: Command::PolicyReplay,
            words: self.policies.words(),
            files: vec![policies.hash()],
            ..RunOptions::of(&options)
        };
        let mut evaluation = Evaluation::new(policies, true);
        let found = (survey(&self.traces), &*self.traces);
        self.share.write(
            path,
            found,
            (&mut options, run),
            Work::Visit(&mut evaluation),
            false,
        )
    }
}

/// What the shares of a run say about recorded decisions.
#[derive(Debug, Default)]
pub(in crate::cli) struct MergedDecisions(Tally);

impl MergedDecisions {
    /// Adds what shares have kept of one input. Returns false if it has more than is kept, so that
    /// its pieces keep other decisions than the whole does.
    pub(in crate::cli) fn add(&mut self, pieces: &[Kept]) -> io::Result<bool> {
        let invalid = |why| io::Error::new(io::ErrorKind::InvalidData, why);
        let mut input = Tally::default();
        for piece in pieces {
            let mut tally: Tally = borsh::from_slice(&piece.bytes)?;
            tally.check().map_err(invalid)?;
            tally.shift_lines(piece.lines_before);
            input.absorb(tally);
        }
        let can_join = pieces.len() == 1 || !input.is_full();
        if can_join {
            self.0.absorb(input);
        }
        Ok(can_join)
    }

    /// Passes what a share does to `read`.
    pub(in crate::cli) fn reread(
        run: &RunOptions,
        read: &mut dyn FnMut(&Options, Work<'_>),
    ) -> Result<(), Failure> {
        let policies = restored(run)?;
        let options = Options {
            settings: options(Some(policies.files())).settings,
            ..run.restored()
        };
        read(&options, Work::Visit(&mut Evaluation::new(&policies, true)));
        Ok(())
    }

    /// Prints what all shares say.
    pub(in crate::cli) fn print(
        self,
        run: &RunOptions,
        report: Report,
        page: (OutputFormat, Color),
        end: (FailOn, bool),
    ) -> Result<u8, Failure> {
        print(self.0.finish(&restored(run)?), report, page, end)
    }
}

/// Loads the policies that the shares of a run asked.
fn restored(run: &RunOptions) -> Result<PolicySet, Failure> {
    let options = PolicyOptions::from_words(&run.words)?;
    options.check_share()?;
    let policies = PolicySet::load(&options)?;
    if run.files == [policies.hash()] {
        Ok(policies)
    } else {
        Err(Failure::unable(
            "the policies aren't those that the shares asked",
            "merge where the policies are as the shares found them",
        ))
    }
}

/// Prints what the policies would change, and returns the exit code.
fn print(
    mut outcome: Outcome,
    mut report: Report,
    (format, color): (OutputFormat, Color),
    (fail_on, verbose): (FailOn, bool),
) -> Result<u8, Failure> {
    outcome.objections.findings.append(&mut report.findings);
    outcome.objections.finish();
    print_prose_if(format == OutputFormat::Text, color, |out| match format {
        OutputFormat::Text => outcome.text(verbose, out),
        OutputFormat::Json => writeln!(out, "{}", safe_json(&outcome.json())),
    })?;
    let failing = fail_on.count(|severity| {
        let found = match severity {
            Severity::Error => report.counts.errors,
            Severity::Warning => report.counts.warnings,
            Severity::Note => report.counts.notes,
        };
        outcome.tally.findings(severity).saturating_add(found)
    });
    Ok(match () {
        () if report.counts.unopened > 0 => EXIT_ERROR,
        () if failing > 0 => EXIT_FINDINGS,
        () if (!outcome.tally.unrecorded.is_empty() || outcome.uncounted.is_full)
            && fail_on != FailOn::Never =>
        {
            EXIT_NOTHING_VERIFIED
        }
        () if outcome.tally.decisions == outcome.tally.unjudged => {
            warn("nothing was replayed: no recorded decision could be asked about");
            EXIT_NOTHING_VERIFIED
        }
        () => EXIT_CLEAN,
    })
}

/// Asks the policies about the decisions of inputs, one input after the other.
struct Evaluation<'p> {
    policies: &'p PolicySet,
    /// Whether changes of policies by the executions are reported.
    checks_policies: bool,
    counts_across: bool,
    history: DecisionHistory,
    /// The names of the last input and execution.
    file: Arc<str>,
    execution: Arc<str>,
    /// The decisions of the present input, and of those before it.
    present: Tally,
    all: Tally,
}

impl<'p> Evaluation<'p> {
    fn new(policies: &'p PolicySet, checks_policies: bool) -> Self {
        let counts_across = policies.count_across_executions();
        Self {
            policies,
            checks_policies,
            counts_across,
            history: history(counts_across),
            file: Arc::default(),
            execution: Arc::default(),
            present: Tally::default(),
            all: Tally::default(),
        }
    }
}

fn history(counts_across: bool) -> DecisionHistory {
    if counts_across {
        DecisionHistory::collecting()
    } else {
        DecisionHistory::default()
    }
}

/// Makes a name the last one, which decisions share.
fn shared(last: &mut Arc<str>, name: &str) {
    if **last != *name {
        *last = name.into();
    }
}

impl Visitor for Evaluation<'_> {
    fn record(&mut self, file: &str, execution: &str, entry: &Entry<'_>) {
        shared(&mut self.file, file);
        shared(&mut self.execution, execution);
        let (policies, tally, history) = (self.policies, &mut self.present, &mut self.history);
        entry.record.steps(&mut |step| {
            history.step(execution, step, &mut |decided, before| {
                let place = DecisionPlace {
                    file: self.file.clone(),
                    execution: self.execution.clone(),
                    line: entry.line,
                    column: entry.indent + 1,
                };
                tally.ask(policies, decided, before, place);
            });
        });
    }

    fn end(&mut self, secrets: &Mask) {
        let mut tally = std::mem::take(&mut self.present);
        let history = std::mem::replace(&mut self.history, history(self.counts_across));
        tally.set_counted(history.into_counted());
        tally.hide(secrets);
        self.all.absorb(tally);
    }
}

impl Condensing for Evaluation<'_> {
    fn rule(&self) -> Option<Code> {
        self.checks_policies
            .then_some(codes::GOVERNING_POLICY_CHANGED)
    }

    fn condensed(&mut self) -> io::Result<Vec<u8>> {
        borsh::to_vec(&std::mem::take(&mut self.all))
    }
}

/// Returns the options for reading traces; `governing` are the policies' own files.
fn options(governing: Option<PolicyFiles>) -> Options {
    Options {
        max_findings: KEPT,
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
    }
}

/// Evaluates the policies for every decision of the inputs. The report contains findings about
/// unreadable records, and with `governing` those about executions that changed one of these files
/// or the policy that they name.
fn evaluate_all(
    policies: &PolicySet,
    inputs: &[Result<Found, Missing>],
    governing: Option<PolicyFiles>,
) -> (Outcome, Report) {
    let progress = Progress::of_inputs(inputs, false);
    let mut evaluation = Evaluation::new(policies, governing.is_some());
    let options = Options {
        bytes_read: Some(progress.done()),
        ..options(governing)
    };
    let rule = evaluation.rule();
    let report = visit(inputs, &options, rule, &mut evaluation);
    (evaluation.all.finish(policies), report)
}

impl Outcome {
    fn text(&self, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
        let findings = &self.objections.findings;
        if verbose {
            write_findings(findings, out)?;
        } else {
            // Drift is listed in groups below. This lists what prevented decisions from being
            // evaluated.
            let rest: Vec<_> = findings
                .iter()
                .filter(|f| !is_drift(f.code.0))
                .cloned()
                .collect();
            write_findings(&rest, out)?;
        }
        for ((code, rule), group) in &self.tally.groups {
            let rule_of_code = crate::rules::by_code(Code(*code));
            let (name, severity) =
                rule_of_code.map_or(("", Severity::Error), |r| (r.name, r.severity));
            writeln!(
                out,
                "{severity}[YV{code}] {name}: {} by {}: {}",
                group.count,
                terminal(rule),
                terminal(group.reason())
            )?;
            for ChangedAction { about, .. } in &group.actions {
                writeln!(
                    out,
                    "    {}:{} [{}] {}",
                    terminal(&about.file),
                    about.line,
                    terminal(&about.execution),
                    terminal(&about.action)
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
            thousands(self.tally.changed),
            thousands(self.tally.decisions)
        )?;
        for (rule, doubt) in &self.tally.unrecorded {
            let first = &doubt.first;
            writeln!(out, "inconclusive: {}", terminal(&doubt.say(rule)))?;
            writeln!(
                out,
                "    {}:{} [{}] is the first; --production and --mode say how it was",
                terminal(&first.file),
                first.line,
                terminal(&first.execution)
            )?;
        }
        if let Some(uncounted) = self.uncounted.say() {
            writeln!(out, "{uncounted}")?;
        }
        if self.tally.unjudged > 0 {
            writeln!(
                out,
                "{} could not be asked about: the policy of their day is not at hand",
                thousands(self.tally.unjudged)
            )?;
        }
        if self.left_out > 0 && verbose {
            writeln!(
                out,
                "{} findings are counted and not listed",
                thousands(self.left_out)
            )?;
        }
        Ok(())
    }

    fn json(&self) -> serde_json::Value {
        let groups: Vec<_> = self
            .tally
            .groups
            .iter()
            .map(|((code, rule), group)| {
                let actions: Vec<_> = group
                    .actions
                    .iter()
                    .map(|ChangedAction { about, .. }| json!({ "file": about.file, "line": about.line, "executionId": about.execution, "action": about.action }))
                    .collect();
                json!({ "code": format!("YV{code}"), "rule": rule, "reason": group.reason(), "count": group.count, "actions": actions })
            })
            .collect();
        let unrecorded: Vec<_> = self
            .tally
            .unrecorded
            .iter()
            .map(|(rule, doubt)| {
                let first = &doubt.first;
                json!({ "rule": rule, "if": doubt.if_so, "count": doubt.count, "first": { "file": first.file, "line": first.line, "executionId": first.execution } })
            })
            .collect();
        json!({
            "version": 1,
            "decisions": self.tally.decisions,
            "changed": self.tally.changed,
            "unjudged": self.tally.unjudged,
            "undatedExecutions": self.uncounted.undated,
            "leftOut": self.left_out,
            "inconclusive": unrecorded,
            "groups": groups,
            "findings": findings_json(&self.objections.findings),
        })
    }
}

/// Compares the recorded decisions of inputs with one policy, for a gate. The report contains the
/// policy's findings, and none about reading the inputs. The second value says what is missing if
/// no decision is recorded.
pub(in crate::cli) fn compare_recorded(
    policy: &Path,
    text: String,
    inputs: &[Result<Found, Missing>],
) -> Result<(Report, Option<String>), Failure> {
    let policies = PolicySet::of(find::parse(&find::name_of(policy), text)?);
    // The gate checks itself whether an execution changed its policy.
    let (outcome, _) = evaluate_all(&policies, inputs, None);
    let count = |severity| outcome.tally.findings(severity);
    let counts = [Severity::Error, Severity::Warning, Severity::Note].map(count);
    let mut report = outcome.objections.into_report();
    // There may be more findings than are kept.
    [
        report.counts.errors,
        report.counts.warnings,
        report.counts.notes,
    ] = counts;
    report.counts.left_out = outcome.left_out;
    report.notices.push(format!(
        "{} of {} recorded decisions would be others under the policy",
        thousands(outcome.tally.changed),
        thousands(outcome.tally.decisions)
    ));
    let unrecorded = outcome.tally.unrecorded.iter();
    report
        .notices
        .extend(unrecorded.map(|(rule, doubt)| doubt.say(rule)));
    report.notices.extend(outcome.uncounted.say());
    let empty = outcome.tally.decisions == 0;
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
    inputs: &[Result<Found, Missing>],
) -> Result<OtherDecisions, Failure> {
    let policies = PolicySet::of(find::policy(policy)?);
    let (outcome, _) = evaluate_all(&policies, inputs, None);
    let groups = outcome
        .tally
        .groups
        .into_iter()
        .map(|((code, rule), group)| {
            let mut actions = group.actions.into_iter();
            let first = actions.next();
            OtherDecision {
                decision: match code {
                    501 => "deny",
                    502 => "ask",
                    503 => "allow",
                    _ => "deny (over a limit)",
                },
                rule,
                count: group.count,
                reason: first
                    .as_ref()
                    .map_or_else(String::new, |first| first.reason.clone()),
                first: first.map(|first| {
                    let About {
                        file, line, action, ..
                    } = first.about;
                    (file.to_string(), line, action.into_string())
                }),
            }
        });
    Ok(OtherDecisions {
        asked: outcome.tally.decisions,
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
