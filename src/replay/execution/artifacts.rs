//! Files that an observation says an action has left behind.

use super::super::authority;
use super::super::evidence::{KeptAction, KeptKind};
use super::super::judged::{Approval, Judged, Ran};
use super::super::reach::Reach;
use super::super::verdict::Answer;
use super::{Execution, people};
use crate::governance::Risk;
use crate::json::Str;
use crate::trace::action;
use crate::trace::record::{ActionType, DecidedBy, Texts};
use crate::trace::step::{Decision, Executed, Observed};
use std::collections::HashSet;

/// Paths that are kept of one execution.
const MOST: usize = 1024;

/// What the actions of an execution have left behind, as far as its end may say more.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Protected paths and paths outside of the work tree that a human has sent it to, or that have been reported.
    known: HashSet<Box<str>>,
    /// A human has allowed what may have written anything.
    anything: bool,
}

/// What one action adds to that.
pub(super) enum Account {
    /// A human has allowed it, and it reaches these paths.
    Human { paths: Vec<String>, anything: bool },
    /// Anything else.
    Other,
}

impl Left {
    pub(super) fn take(&mut self, account: Account, reported: &[Box<str>]) {
        match account {
            Account::Human { paths, anything } => {
                self.anything |= anything;
                self.know(paths.into_iter().map(Into::into));
            }
            Account::Other => {}
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
        self.known.iter().map(|path| path.len() + 64).sum()
    }
}

impl Execution {
    /// What an action adds to what may have been left behind when the execution ends.
    pub(super) fn account(
        &self,
        executed: &Executed<'_, '_>,
        known: Option<&KeptAction>,
        approval: Approval,
        success: bool,
    ) -> Account {
        let Some(decision) = self.turn.decision.as_ref().filter(|_| approval == Approval::Given) else {
            return Account::Other;
        };
        let reach = known.and_then(|k| k.reach.as_deref());
        if decision.what.by == DecidedBy::Human {
            let observed = executed.observed.unwrap_or_default().iter().map(|p| p.decode().into_owned());
            let declared = self.turn.declared.iter().flatten().filter(|_| success).map(|p| p.to_string());
            let left = Self::changed_by(known, executed.result.and_then(|r| r.artifacts));
            let named: Vec<String> = observed.chain(declared).chain(left).collect();
            let mut paths = special(&Reach::default().observing(&named));
            paths.extend(reach.map(special).unwrap_or_default());
            return Account::Human { paths, anything: reach.is_some_and(|r| r.opaque) };
        }
        Account::Other
    }

    /// What the end of an execution says that was left behind: where nobody answers for it, nobody has allowed it.
    pub(super) fn summed_up(&mut self, artifacts: Texts<'_>, judged: &mut Judged) {
        if self.left.anything || self.verdict.authorised != Answer::Yes {
            return;
        }
        let plain = |path: Str<'_>| action::plain_path(&path.decode()).into_owned();
        let mut changed: Vec<String> = artifacts.all().into_iter().map(plain).filter(|path| !path.is_empty()).collect();
        changed.retain(|path| !self.left.known.contains(path.as_str()));
        let Reach { leaves, protected, .. } = Reach::default().observing(&changed);
        if !(leaves.is_empty() && protected.is_empty()) {
            judged.executed = Some(Ran { leaves, protected, ..Ran::bare(None, Approval::Given) });
        }
    }

    /// What the end of an execution says that was rejected: what ran all the same, and was never rejected before, was rejected
    /// then.
    pub(super) fn refused_at_the_end(&mut self, decision: &Decision<'_>, nth: u64, judged: &mut Judged) {
        let id = decision.action.map(|id| id.decode());
        match id.as_deref().and_then(|id| self.known.get(id)) {
            Some(known) if known.ran.is_some() && !known.refused => {
                judged.executed = Some(Ran::bare(id.map(std::borrow::Cow::into_owned), Approval::Rejected));
            }
            Some(_) => {}
            None if nth > self.rejections && self.actions > 0 => self.doubt_all(),
            None => {}
        }
    }

    /// Takes note of an observation: what it is of, and what that has left behind.
    pub(super) fn observe(&mut self, observed: &Observed<'_>, judged: &mut Judged) {
        let before = judged.observed_other.is_some();
        self.bind_observation(observed, judged);
        let other = !before && judged.observed_other.is_some();
        if let Some(artifacts) = observed.artifacts.filter(|a| a.count > 0 && !other) {
            self.left_behind(artifacts, judged);
        }
    }

    /// The files of a result or an observation that an action hasn't only read. What an answer leaves is its text.
    pub(super) fn changed_by(known: Option<&KeptAction>, artifacts: Option<Texts<'_>>) -> Vec<String> {
        let Some(artifacts) = artifacts.filter(|a| a.count > 0) else {
            return Vec::new();
        };
        if known.is_some_and(|k| k.kind == Some(KeptKind::Known(ActionType::Answer))) {
            return Vec::new();
        }
        let read = known.map(KeptAction::reads);
        let plain = artifacts.all().into_iter().map(|path| action::plain_path(&path.decode()).into_owned());
        plain.filter(|path| !path.is_empty() && !read.into_iter().flatten().any(|read| people::same(read, path))).collect()
    }

    /// Holds what an action has left behind against its approval, as what was seen to change. What has been reported of
    /// the turn isn't reported again.
    fn left_behind(&mut self, artifacts: Texts<'_>, judged: &mut Judged) {
        let turn = &self.turn;
        let Some(decision) = turn.decision.as_ref().filter(|_| !turn.executed.is_empty()) else { return };
        let approved = authority::approved(turn).cloned();
        let known = approved.as_ref().filter(|k| k.is_recorded());
        let by_human = decision.what.by == DecidedBy::Human;
        if turn.decision_unknown || approved.is_none() {
            return;
        }
        if by_human {
            let named = Self::changed_by(known, Some(artifacts));
            let paths = special(&Reach::default().observing(&named));
            self.left.take(Account::Human { paths, anything: false }, &[]);
        }
        let turn = &self.turn;
        let mut changed = Self::changed_by(known, Some(artifacts));
        changed.retain(|path| !turn.reported.iter().any(|r| **r == **path));
        if changed.is_empty() {
            return;
        }
        let reach = Reach::default().observing(&changed);
        let mut leaves = reach.leaves;
        if by_human {
            leaves.retain(|l| l.disguised);
        }
        let writes = known.and_then(|k| k.reach.as_ref()).is_some_and(|r| !r.written.is_empty() || r.opaque);
        let low = known.is_some_and(|k| k.judged_risk() == Some(Risk::Low) && !writes);
        let beyond_risk = if low && !by_human { changed } else { Vec::new() };
        let protected = if by_human { Vec::new() } else { reach.protected };
        if leaves.is_empty() && protected.is_empty() && beyond_risk.is_empty() {
            return;
        }
        let id = turn.executed.last().and_then(|id| id.as_deref()).map(str::to_owned);
        let decision_line = turn.decision.as_ref().map(|d| d.line);
        let reported: Vec<Box<str>> = leaves
            .iter()
            .map(|l| l.path.as_str().into())
            .chain(protected.iter().chain(&beyond_risk).map(|p| p.as_str().into()))
            .collect();
        self.left.know(reported.into_iter());
        judged.executed = Some(Ran { leaves, protected, beyond_risk, decision_line, ..Ran::bare(id, Approval::Given) });
    }
}

/// The paths that a reach says something of.
fn special(reach: &Reach) -> Vec<String> {
    reach.leaves.iter().map(|l| &l.path).chain(&reach.protected).cloned().collect()
}
