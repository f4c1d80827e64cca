//! Re-evaluation: evaluates a policy on each recorded decision, and follows the recorded path as
//! far as the policy allows it.
//!
//! No model and no tool is run, so there is no statement about what would have happened instead.

use super::model::FindingNote;
use super::recorded_decisions::DecisionHistory;
use crate::diag::{Code, Severity};
use crate::report::page::{Page, Tone};
use crate::trace::step::{Action, ActionKind, Annotation, Fact};
use crate::trace::{Entry, action};
use crate::trajectory::words::plural;
use crate::verify::Report;
use agent_policy::{Drift, Effect, History, Policy, RecordedDecision};
use content_scan::mask::Mask;
use governance::ActionType;
use schemars::JsonSchema;
use serde::Serialize;
use shell_effects::{Context, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Version of the JSON shape. New members don't change it; a change of meaning does.
const VERSION: u32 = 1;
/// Maximum number of actions to list for one execution, both after a stop and newly allowed; the
/// rest is counted.
const LISTED: usize = 100;

/// Maximum number of paths of one action to compare with those of later actions.
const TOUCHED: usize = 200;

/// A recorded action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Recorded {
    /// Number of the turn.
    pub turn: Option<i64>,
    /// Line of the decision about the action.
    pub line: u64,
    /// Short description of the action. Hostile.
    pub action: String,
    /// The paths that it shares with the stopped action, or with an action that depends on that
    /// one.
    pub shares: Vec<String>,
}

/// A decision that the policy now makes differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// The recorded action.
    #[serde(flatten)]
    pub action: Recorded,
    /// Whether a human made the recorded decision, and not the policy.
    pub by_human: bool,
    /// The effect of the policy: `allow`, `require_approval` or `deny`.
    pub effect: &'static str,
    /// The rule that matched; `default` when none did.
    pub rule: String,
    /// The reason that the rule gives.
    pub reason: String,
}

/// The path of one execution.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Path {
    /// Name of the input.
    pub file: String,
    /// Id of the execution.
    pub execution_id: String,
    /// Number of unchanged decisions before the stop, or in the whole execution when nothing stops
    /// it.
    pub unchanged: u64,
    /// The first action that the policy now stops.
    pub stopped: Option<Changed>,
    /// Actions that policy refused and now allows. Their results aren't recorded.
    pub now_allowed: Vec<Changed>,
    /// Recorded actions after the stop that share a path with the stopped action, directly or
    /// through another action.
    pub dependents: Vec<Recorded>,
    /// Recorded actions after the stop that share no path with it. Whether they would have happened
    /// is unknown.
    pub afterwards: Vec<Recorded>,
    /// Number of actions that aren't listed.
    pub left_out: u64,
    /// Changes of the policy by the execution that it governs.
    pub findings: Vec<FindingNote>,
    #[serde(skip)]
    touched: BTreeSet<String>,
}

/// The result of evaluating a policy on recorded executions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// Version of this shape.
    pub version: u32,
    /// Number of evaluated decisions, plus those after a stop.
    pub decisions: u64,
    /// Number of executions that the policy stops.
    pub stopped: u64,
    /// Number of changes of the policy by executions that it governs.
    pub policy_changed: u64,
    /// Number of errors that made records unreadable. `replay` lists them.
    pub unreadable: u64,
    /// The path of each execution.
    pub executions: Vec<Path>,
}

/// The state of a re-evaluation while records are read.
#[derive(Debug)]
pub struct Reevaluation<'p> {
    policy: &'p Policy,
    recorded_decisions: DecisionHistory,
    decisions: u64,
    paths: BTreeMap<(String, String), Path>,
    /// The paths that the latest proposed action touches, by execution.
    proposed: BTreeMap<(String, String), Vec<String>>,
}

/// Returns the paths that an action touches: those that it names, and for a command those of its
/// effects.
fn touched(action: &Action<'_>) -> Vec<String> {
    static TABLE: LazyLock<Table> = LazyLock::new(Table::builtin);
    let Some(payload) = action.payload else {
        return Vec::new();
    };
    let mut paths = action::paths(action.kind, payload);
    if action.kind == ActionKind::Known(ActionType::ShellCmd)
        && let Some(line) = action::command(payload)
    {
        let context = Context::new(&TABLE);
        let inside = format!("{}/", context.workdir);
        let targets = shell_effects::analyse(&line, &context)
            .effects
            .into_iter()
            .filter_map(|e| e.target);
        paths.extend(targets.map(|t| {
            t.strip_prefix(&inside)
                .map_or_else(|| t.clone(), str::to_owned)
        }));
    }
    for path in &mut paths {
        *path = action::plain_path(path).into_owned();
    }
    paths.truncate(TOUCHED);
    paths
}

impl<'p> Reevaluation<'p> {
    /// Creates a re-evaluation with this policy.
    #[must_use]
    pub fn new(policy: &'p Policy) -> Self {
        Self {
            policy,
            recorded_decisions: DecisionHistory::default(),
            decisions: 0,
            paths: BTreeMap::new(),
            proposed: BTreeMap::new(),
        }
    }

    /// Processes a record of an execution.
    pub fn record(&mut self, file: &str, execution: &str, entry: &Entry<'_>) {
        let key = (file.to_owned(), execution.to_owned());
        entry.record.steps(&mut |step| {
            let proposed = match &step.fact {
                Fact::Proposed(proposal) => Some(touched(&proposal.action)),
                Fact::Annotation(Annotation::Decided(Some(action), _)) => Some(touched(action)),
                Fact::Decided(decision) => decision.modified.as_ref().map(touched),
                _ => None,
            };
            if let Some(paths) = proposed {
                self.proposed.insert(key.clone(), paths);
            }
            let Self {
                policy,
                recorded_decisions,
                decisions,
                paths,
                proposed,
            } = self;
            recorded_decisions.step(&format!("{file}\n{execution}"), step, &mut |decided,
                                                                                 (
                history,
                _,
            )| {
                *decisions += 1;
                let path = paths.entry(key.clone()).or_insert_with(|| Path {
                    file: file.to_owned(),
                    execution_id: execution.to_owned(),
                    ..Path::default()
                });
                let touches = proposed.get(&key).map(Vec::as_slice).unwrap_or_default();
                path.decide(policy, decided, history, entry.line, touches);
            });
        });
    }

    /// Returns the result, without the secrets of the report. The report is that of reading the
    /// records, and has the findings about changes of the policy, with this code.
    #[must_use]
    pub fn finish(self, report: &Report, code: Code) -> Document {
        let mut policy_changed = report.dropped.get(&(code, Severity::Error)).copied();
        let mut changes: BTreeMap<(String, String), Vec<FindingNote>> = BTreeMap::new();
        for change in report.findings.iter().filter(|f| f.code == code) {
            *policy_changed.get_or_insert_default() += 1;
            let id = change.execution.as_deref().unwrap_or_default();
            let key = (change.place.file.to_string(), id.to_owned());
            let notes = changes.entry(key).or_default();
            notes.push(FindingNote::from_finding(change));
        }
        let mut executions: Vec<Path> = self.paths.into_values().collect();
        for path in &mut executions {
            path.hide(&report.secrets);
            if !changes.is_empty() {
                let key = (path.file.clone(), path.execution_id.clone());
                path.findings = changes.remove(&key).unwrap_or_default();
            }
        }
        // No decision of these executions is recorded.
        executions.extend(
            changes
                .into_iter()
                .map(|((file, execution_id), findings)| Path {
                    file,
                    execution_id,
                    findings,
                    ..Path::default()
                }),
        );
        let policy_changed = policy_changed.unwrap_or(0);
        let stopped = executions.iter().filter(|p| p.stopped.is_some()).count() as u64;
        Document {
            version: VERSION,
            decisions: self.decisions,
            stopped,
            policy_changed,
            unreadable: report.counts.errors.saturating_sub(policy_changed),
            executions,
        }
    }
}

impl Path {
    fn decide(
        &mut self,
        policy: &Policy,
        decided: &RecordedDecision,
        history: &History,
        line: u64,
        touches: &[String],
    ) {
        let shares: Vec<String> = touches
            .iter()
            .filter(|path| self.touched.contains(*path))
            .cloned()
            .collect();
        let recorded = Recorded {
            turn: decided.turn,
            line,
            action: decided.action.summary(),
            shares,
        };
        if self.stopped.is_some() {
            // A refused action changed nothing that later actions could depend on.
            if decided.ruling.permits() {
                let list = if recorded.shares.is_empty() {
                    &mut self.afterwards
                } else {
                    &mut self.dependents
                };
                if list.len() < LISTED {
                    list.push(recorded.clone());
                } else {
                    self.left_out += 1;
                }
                if !recorded.shares.is_empty() {
                    self.touched.extend(touches.iter().cloned());
                }
            }
            return;
        }
        let now = policy.decide(&decided.request(history));
        let Some(drift) = Drift::between(decided.ruling, decided.by_human, &now) else {
            self.unchanged += 1;
            return;
        };
        let changed = Changed {
            action: recorded,
            by_human: decided.by_human,
            effect: match now.effect {
                Effect::Allow => "allow",
                Effect::RequireApproval => "require_approval",
                Effect::Deny => "deny",
            },
            rule: now.rule_id().to_owned(),
            reason: now.reason().into_owned(),
        };
        if drift == Drift::NowAllows {
            if self.now_allowed.len() < LISTED {
                self.now_allowed.push(changed);
            } else {
                self.left_out += 1;
            }
        } else {
            self.touched.extend(touches.iter().cloned());
            self.stopped = Some(changed);
        }
    }

    fn hide(&mut self, secrets: &Mask) {
        let hide = |recorded: &mut Recorded| {
            secrets.clean(&mut recorded.action);
            recorded
                .shares
                .iter_mut()
                .for_each(|path| secrets.clean(path));
        };
        secrets.clean(&mut self.execution_id);
        self.dependents
            .iter_mut()
            .chain(&mut self.afterwards)
            .for_each(hide);
        for changed in self.stopped.iter_mut().chain(&mut self.now_allowed) {
            hide(&mut changed.action);
            secrets.clean(&mut changed.reason);
        }
    }
}

/// Returns the page of a re-evaluation.
#[must_use]
pub fn page(document: &Document) -> Page {
    let mut page = Page::new("Re-evaluation");
    for path in &document.executions {
        write_path(path, &mut page);
    }
    page.heading(2, "Verdict", Tone::Plain);
    let tone = if document.stopped > 0 {
        Tone::Bad
    } else {
        Tone::Good
    };
    let sentence = format!(
        "{} of {} would be stopped; {} in all",
        document.stopped,
        plural(document.executions.len() as u64, "execution"),
        plural(document.decisions, "decision")
    );
    page.toned("verdict", sentence, tone);
    if document.policy_changed > 0 {
        let changes = plural(document.policy_changed, "change");
        let text = format!("{changes} by executions that it governs");
        page.toned("policy changed", text, Tone::Bad);
    }
    if document.unreadable > 0 {
        page.toned(
            "unreadable",
            format!(
                "{}: `replay` lists them",
                plural(document.unreadable, "error")
            ),
            Tone::Bad,
        );
    }
    page
}

fn write_path(path: &Path, page: &mut Page) {
    page.heading(
        1,
        format!("Execution {} ({})", path.execution_id, path.file),
        Tone::Plain,
    );
    let place = |r: &Recorded| match r.turn {
        Some(turn) => format!("turn {turn}, line {}: {}", r.line, r.action),
        None => format!("line {}: {}", r.line, r.action),
    };
    page.row("unchanged", plural(path.unchanged, "decision"));
    for note in &path.findings {
        let text = format!("{}, line {}: {}", note.code, note.line, note.message);
        page.toned("policy changed", text, Tone::Bad);
    }
    for changed in &path.now_allowed {
        let text = format!(
            "{}; refused by policy then, allowed by {} now: {}",
            place(&changed.action),
            changed.rule,
            changed.reason
        );
        page.toned("allowed now", text, Tone::Warning);
    }
    let Some(stopped) = &path.stopped else {
        page.toned(
            "path",
            "it would have been allowed to take the same path",
            Tone::Good,
        );
        return;
    };
    let who = if stopped.by_human {
        "a human"
    } else {
        "policy"
    };
    let now = if stopped.effect == "deny" {
        "denies it"
    } else {
        "asks for a human"
    };
    page.toned(
        "stopped",
        format!(
            "{}; approved by {who} then, {} {now}: {}",
            place(&stopped.action),
            stopped.rule,
            stopped.reason
        ),
        Tone::Bad,
    );
    for dependent in &path.dependents {
        page.toned(
            "depends",
            format!(
                "{} (it shares {})",
                place(dependent),
                dependent.shares.join(", ")
            ),
            Tone::Warning,
        );
    }
    for after in &path.afterwards {
        page.row("came after", place(after));
    }
    if path.left_out > 0 {
        page.row("and", format!("{} more", plural(path.left_out, "action")));
    }
}
