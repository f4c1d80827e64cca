//! Files that an action left, by an observation, a result or the end of an execution.

use super::super::authority;
use super::super::changes::RecordedChange;
use super::super::evidence::{OwnedAction, OwnedActionKind};
use super::super::path_effects::PathEffects;
use super::super::step_facts::{Approval, ExecutedFacts, StepFacts, TokenUse};
use super::super::verdict::Answer;
use super::Execution;
use crate::trace::action;
use crate::trace::formats::Coverage;
use crate::trace::record::Texts;
use crate::trace::step::{Decision, ObservationFact, Step};
use governance::RiskLevel;
use governance::{ActionType, DecidedBy, Event};
use hashbrown::HashSet;
use strict_json::Str;

/// Maximum number of kept paths of one execution.
const MOST: usize = 1024;
/// Maximum number of kept actions that the start of an execution rejects.
const REFUSED: usize = 1024;

/// Known effects of an execution's actions, to compare with what its end records.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    /// Paths that need no report at the end: special paths that a human approved, and reported
    /// ones.
    known: HashSet<Box<str>>,
    /// A human approved an action that may have written anything.
    anything: bool,
    /// Recorded changes of executed actions.
    pub(super) changes: Vec<RecordedChange>,
}

/// Contribution of one action to [`Leftovers`].
pub(super) enum Contribution {
    /// A human approved the action, and it affects these paths.
    Human {
        paths: Vec<String>,
        anything: bool,
    },
    Other,
}

impl Leftovers {
    pub(super) fn take(&mut self, contribution: Contribution, reported: &[Box<str>]) {
        match contribution {
            Contribution::Human { paths, anything } => {
                self.anything |= anything;
                self.know(paths.into_iter().map(Into::into));
            }
            Contribution::Other => {}
        }
        self.know(reported.iter().cloned());
    }

    fn know(&mut self, paths: impl Iterator<Item = Box<str>>) {
        for path in paths {
            if self.known.len() < MOST {
                self.known.insert(path);
            }
        }
    }

    pub(super) fn weight(&self) -> usize {
        let known: usize = self.known.iter().map(|path| path.len() + 64).sum();
        known
            + self
                .changes
                .iter()
                .map(RecordedChange::weight)
                .sum::<usize>()
    }
}

impl Execution {
    /// Returns what an executed action contributes to the comparison at the end. `seen` are the
    /// effects of the paths that it is known to have changed.
    pub(super) fn contribution(
        &self,
        known: Option<&OwnedAction>,
        approval: Approval,
        success: bool,
        seen: &PathEffects,
    ) -> Contribution {
        let by_human = self
            .turn
            .decision
            .as_ref()
            .is_some_and(|d| d.what.by == DecidedBy::Human);
        if !by_human || approval != Approval::Given {
            return Contribution::Other;
        }
        let reach = known.and_then(|k| k.reach.as_deref());
        let declared: Vec<String> = self
            .turn
            .declared
            .iter()
            .flatten()
            .filter(|_| success)
            .map(|p| p.to_string())
            .collect();
        let declared = PathEffects::default().with_observed(&declared, self.tree());
        let paths = [Some(seen), Some(&declared), reach]
            .into_iter()
            .flatten()
            .flat_map(special)
            .collect();
        Contribution::Human {
            paths,
            anything: reach.is_some_and(|r| r.opaque),
        }
    }

    /// Reports special paths that only the end of the execution names. Nobody approved those,
    /// unless an action with unknown effects was approved.
    pub(super) fn check_final_artifacts(
        &mut self,
        artifacts: Texts<'_>,
        step_facts: &mut StepFacts,
    ) {
        if self.leftovers.anything || self.verdict.authorised != Answer::Yes {
            return;
        }
        let plain = |path: Str<'_>| action::plain_path(&path.distinct()).into_owned();
        let mut changed: Vec<String> = artifacts
            .all()
            .into_iter()
            .map(plain)
            .filter(|path| !path.is_empty())
            .collect();
        changed.retain(|path| !self.leftovers.known.contains(path.as_str()));
        let PathEffects {
            leaves, protected, ..
        } = PathEffects::default().with_observed(&changed, self.tree());
        let policies = self.changed_policies(&changed);
        if !(leaves.is_empty() && protected.is_empty() && policies.is_empty()) {
            step_facts.executed = Some(ExecutedFacts {
                leaves,
                protected,
                policies,
                ..ExecutedFacts::bare(None, Approval::Given)
            });
        }
    }

    /// Handles a rejection that the end of the execution records. If the action was executed and no
    /// earlier rejection of it is known, it was executed despite the rejection.
    pub(super) fn rejected_at_end(
        &mut self,
        decision: &Decision<'_>,
        nth: u64,
        step_facts: &mut StepFacts,
    ) {
        let id = decision.action.map(|id| id.decode());
        match id.as_deref().and_then(|id| self.known.by_id.get(id)) {
            Some(known) if known.ran.is_some() && !known.refused => {
                step_facts.executed = Some(ExecutedFacts::bare(
                    id.map(std::borrow::Cow::into_owned),
                    Approval::Rejected,
                ));
            }
            Some(_) => {}
            None if nth > self.counts.rejections && self.counts.actions > 0 => self.doubt_all(),
            None => {}
        }
    }

    /// Handles a rejection that the start of the execution records. The action must not be executed
    /// later either.
    pub(super) fn rejected_at_start(
        &mut self,
        decision: &Decision<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.rejected_later(decision.action, step_facts);
        match decision.action {
            Some(id) if self.known.refused.ids.len() < REFUSED => {
                self.known.refused.ids.insert(id.decode().into());
            }
            Some(_) => self.doubt_all(),
            None => self.known.refused.unnamed = true,
        }
    }

    /// Assigns a rejection of the start that names no action: it applies to what the last turn
    /// executed. If that turn executed nothing, it may apply to any executed action.
    pub(super) fn assign_start_rejection(&mut self, step_facts: &mut StepFacts) {
        if !std::mem::take(&mut self.known.refused.unnamed) {
            return;
        }
        if let Some(last) = self.turn.executed.last() {
            let id = last.as_deref().map(str::to_owned);
            step_facts.executed = Some(ExecutedFacts::bare(id, Approval::Rejected));
        } else if self.counts.rejections == 0 && self.counts.actions > 0 {
            self.doubt_all();
        }
    }

    /// Handles a rejection that can't be about this turn's action. If it names an action, that may
    /// have been executed earlier. Without a name, it may be about any executed action, provided
    /// that nothing else was rejected and no action waits for a decision.
    pub(super) fn rejected_later(&mut self, id: Option<Str<'_>>, step_facts: &mut StepFacts) {
        match id {
            Some(id) => {
                let id = id.decode();
                if self
                    .known
                    .by_id
                    .get(&*id)
                    .is_some_and(|known| known.ran.is_some() && !known.refused)
                {
                    step_facts.executed = Some(ExecutedFacts::bare(
                        Some(id.into_owned()),
                        Approval::Rejected,
                    ));
                }
            }
            // An event log records decisions in lines of their own, in no fixed order.
            None if self.origin.format.coverage() == (Coverage::Movements { evidence: true }) => {}
            None if self.counts.rejections == 0
                && self.counts.actions > 0
                && self.turn.is_fresh() =>
            {
                self.doubt_all();
            }
            None => {}
        }
    }

    /// Handles an observation and the files that it names.
    pub(super) fn observed(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        observed: &ObservationFact<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_turn(line, step, false, step_facts);
        self.apply(line, Event::ObservationRecorded, step_facts);
        if step_facts.movement.is_none_or(|m| m.breach.is_none()) {
            self.observe(observed, step_facts);
        }
    }

    /// Checks which action an observation is about, and the files that it names.
    pub(super) fn observe(&mut self, observed: &ObservationFact<'_>, step_facts: &mut StepFacts) {
        let before = step_facts.anomalies().observed_other.is_some();
        self.bind_observation(observed, step_facts);
        let other = !before && step_facts.anomalies().observed_other.is_some();
        if let Some(artifacts) = observed.artifacts.filter(|a| a.count > 0 && !other) {
            self.check_artifacts(artifacts, step_facts);
        }
    }

    /// Returns the files in a result or an observation that the action changed. Excludes files that
    /// it reads, lists or names in its diff. The artifact of an answer is its text.
    pub(super) fn changed_files(
        known: Option<&OwnedAction>,
        artifacts: Option<Texts<'_>>,
    ) -> Vec<String> {
        let is = |kind| known.is_some_and(|k| k.kind == Some(OwnedActionKind::Known(kind)));
        let Some(artifacts) = artifacts.filter(|a| a.count > 0 && !is(ActionType::Answer)) else {
            return Vec::new();
        };
        let reach = known.and_then(|k| k.reach.as_deref());
        let named = reach.map_or(&[][..], |reach| &reach.named);
        if matches!(named, [path] if artifacts.is_only(path)) {
            return Vec::new();
        }
        // A listing returns names in the listed directory; a tool may return paths below it.
        let lists = reach.is_some_and(|reach| reach.lists);
        let listed = |path: &str| {
            lists && is_below(path) && !(is(ActionType::ShellCmd) && path.contains('/'))
        };
        let is_named = |path: &str| named.iter().any(|name| is_same_file(name, path));
        let plain = artifacts
            .all()
            .into_iter()
            .map(|path| action::plain_path(&path.distinct()).into_owned());
        plain
            .filter(|path| !path.is_empty() && !is_named(path) && !listed(path))
            .collect()
    }

    /// Compares the files that an action left with its approval, as observed changes. Leaves out
    /// what has been reported in this turn.
    fn check_artifacts(&mut self, artifacts: Texts<'_>, step_facts: &mut StepFacts) {
        let turn = &self.turn;
        if turn.compared_artifacts.as_deref() == Some(artifacts.as_written()) {
            return;
        }
        let Some(decision) = turn.decision.as_ref().filter(|_| !turn.executed.is_empty()) else {
            return;
        };
        let Some(approved) = authority::approved(turn).filter(|_| !turn.decision_unknown) else {
            return;
        };
        let known = Some(approved).filter(|k| k.is_recorded());
        let mut changed = Self::changed_files(known, Some(artifacts));
        if changed.is_empty() {
            return;
        }
        // Remaining files count as changes for the token's scope as well.
        let token = turn.on_token.as_ref().zip(known).map(|(named, known)| {
            let plain = changed.iter().cloned().collect();
            let id = turn.executed.last().and_then(|id| id.as_deref());
            self.tokens.token_use(
                named.as_deref(),
                (id, Some(&known.as_action()), known.covered()),
                (&plain, None),
            )
        });
        let token = token
            .filter(|token| matches!(token, TokenUse::OutOfScope(_)))
            .unwrap_or(TokenUse::Fine);
        let by_human = decision.what.by == DecidedBy::Human;
        let reach = PathEffects::default().with_observed(&changed, self.tree());
        let mut policies = self.changed_policies(&changed);
        if by_human {
            self.leftovers.know(special(&reach).map(Into::into));
        }
        let reported = |path: &str| turn.reported.iter().any(|r| **r == *path);
        let PathEffects {
            mut leaves,
            mut protected,
            ..
        } = reach;
        leaves.retain(|l| !reported(&l.path) && (l.disguised || !by_human));
        protected.retain(|path| !by_human && !reported(path));
        policies.retain(|path| !reported(path));
        let writes = known
            .and_then(|k| k.reach.as_ref())
            .is_some_and(|r| !r.written.is_empty() || r.opaque);
        let low = known.is_some_and(|k| k.effective_risk() == Some(RiskLevel::Low) && !writes);
        changed.retain(|path| low && !by_human && !reported(path));
        let beyond_risk = changed;
        if leaves.is_empty()
            && protected.is_empty()
            && policies.is_empty()
            && beyond_risk.is_empty()
            && token == TokenUse::Fine
        {
            return;
        }
        let id = turn
            .executed
            .last()
            .and_then(|id| id.as_deref())
            .map(str::to_owned);
        let decision_line = turn.decision.as_ref().map(|d| d.line);
        let reported: Vec<Box<str>> = leaves
            .iter()
            .map(|l| l.path.as_str().into())
            .chain(
                protected
                    .iter()
                    .chain(&policies)
                    .chain(&beyond_risk)
                    .map(|p| p.as_str().into()),
            )
            .collect();
        self.leftovers.know(reported.into_iter());
        step_facts.executed = Some(ExecutedFacts {
            token,
            leaves,
            protected,
            policies,
            beyond_risk,
            decision_line,
            ..ExecutedFacts::bare(id, Approval::Given)
        });
    }
}

/// Returns whether a relative path stays below its directory.
fn is_below(path: &str) -> bool {
    !path.starts_with(['/', '~'])
        && !path.contains(['\\', ':'])
        && !path.split('/').any(|name| name == "..")
}

/// Returns whether a path may be that of a named file. An absolute name may lead into the work
/// tree, whose location is unknown.
fn is_same_file(name: &str, path: &str) -> bool {
    name == path
        || name
            .strip_suffix(path)
            .is_some_and(|above| above.starts_with('/') && above.ends_with('/'))
}

/// Returns the paths that leave the work tree or are protected.
fn special(reach: &PathEffects) -> impl Iterator<Item = String> {
    reach
        .leaves
        .iter()
        .map(|l| &l.path)
        .chain(&reach.protected)
        .cloned()
}
