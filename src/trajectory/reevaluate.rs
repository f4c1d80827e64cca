//! Re-evaluation: a policy is asked again at each recorded decision, and the path is followed as
//! far as it would still have been allowed. No model and no tool is run, so nothing is said of what
//! would have happened instead.

use super::recorded_decisions::DecisionHistory;
use crate::report::page::{Page, Tone};
use crate::trace::step::{Action, ActionKind, Annotation, Fact};
use crate::trace::{Entry, action};
use crate::trajectory::words::plural;
use agent_policy::{Drift, Effect, History, Policy, RecordedDecision};
use content_scan::mask::Mask;
use governance::ActionType;
use schemars::JsonSchema;
use serde::Serialize;
use shell_effects::{Context, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The version of the JSON shape. It grows by members; a change of meaning makes a new version.
const VERSION: u32 = 1;
/// Actions behind a stop, or newly allowed ones, that are listed for one execution; the rest is
/// counted.
const LISTED: usize = 100;

/// Maximum number of paths of one action that later actions are compared with.
const TOUCHED: usize = 200;

/// An action that was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Recorded {
    /// Its turn.
    pub turn: Option<i64>,
    /// The line of its decision.
    pub line: u64,
    /// The action in a few words. Hostile.
    pub action: String,
    /// The paths that it shares with the stopped action, or with one that depends on it.
    pub shares: Vec<String>,
}

/// What the policy says now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// The action.
    #[serde(flatten)]
    pub action: Recorded,
    /// Whether a human had decided, and not the policy.
    pub by_human: bool,
    /// `allow`, `require_approval` or `deny`.
    pub effect: &'static str,
    /// The rule; `default` when none matched.
    pub rule: String,
    /// Why.
    pub reason: String,
}

/// The path of one execution.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Path {
    /// The input.
    pub file: String,
    /// The execution.
    pub execution_id: String,
    /// Decisions before the stop, or all of them, that would be the same.
    pub unchanged: u64,
    /// The first action that is now stopped.
    pub stopped: Option<Changed>,
    /// Actions that were refused by policy and that it allows now; what would have come of them
    /// isn't recorded.
    pub now_allowed: Vec<Changed>,
    /// Recorded actions behind the stop that touch what it would have touched, directly or through
    /// another one.
    pub dependents: Vec<Recorded>,
    /// Recorded actions behind the stop that share no path with it; whether they would have come is
    /// open.
    pub afterwards: Vec<Recorded>,
    /// Actions that are counted and not listed.
    pub left_out: u64,
    #[serde(skip)]
    touched: BTreeSet<String>,
}

/// What a policy makes of recorded executions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// The version of this shape.
    pub version: u32,
    /// Decisions that were asked about, and those behind a stop.
    pub decisions: u64,
    /// Executions that are stopped.
    pub stopped: u64,
    /// Errors that kept records from being read; see `replay` for them.
    pub unreadable: u64,
    /// The executions.
    pub executions: Vec<Path>,
}

/// A re-evaluation while records are read.
#[derive(Debug)]
pub struct Reevaluation<'p> {
    policy: &'p Policy,
    ledger: DecisionHistory,
    decisions: u64,
    paths: BTreeMap<(String, String), Path>,
    /// The paths that the action proposed last touches, by execution.
    proposed: BTreeMap<(String, String), Vec<String>>,
}

/// The paths that an action touches: those that it names, and of a command those that its effects
/// are about.
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
    /// Asks this policy.
    #[must_use]
    pub fn new(policy: &'p Policy) -> Self {
        Self {
            policy,
            ledger: DecisionHistory::default(),
            decisions: 0,
            paths: BTreeMap::new(),
            proposed: BTreeMap::new(),
        }
    }

    /// Takes a record of an execution.
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
                ledger,
                decisions,
                paths,
                proposed,
            } = self;
            ledger.step(
                &format!("{file}\n{execution}"),
                step,
                &mut |decided, history| {
                    *decisions += 1;
                    let path = paths.entry(key.clone()).or_insert_with(|| Path {
                        file: file.to_owned(),
                        execution_id: execution.to_owned(),
                        ..Path::default()
                    });
                    let touches = proposed.get(&key).map(Vec::as_slice).unwrap_or_default();
                    path.decide(policy, decided, history, entry.line, touches);
                },
            );
        });
    }

    /// What came of it, without what was found secret.
    #[must_use]
    pub fn finish(self, secrets: &Mask, unreadable: u64) -> Document {
        let mut executions: Vec<Path> = self.paths.into_values().collect();
        for path in &mut executions {
            path.hide(secrets);
        }
        let stopped = executions.iter().filter(|p| p.stopped.is_some()).count() as u64;
        Document {
            version: VERSION,
            decisions: self.decisions,
            stopped,
            unreadable,
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
            // What was refused then changed nothing that later actions could rest on.
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
        let Some(drift) = Drift::between(decided, &now) else {
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

/// The page of a re-evaluation.
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
