//! Estimated memory of an open execution.

use super::known::Known;
use super::{Context, Execution};
use crate::replay::authority;
use crate::replay::evidence::{Evidence, OwnedAction, Token, TurnEvidence};

/// Estimated overhead of an entry in a map or set: its share of free slots, and the allocator's
/// overhead of a string.
const ENTRY: usize = 32;

impl Execution {
    /// Returns an estimate of the bytes that it owns. Takes time in proportion to them.
    #[must_use]
    pub fn weight(&self) -> usize {
        let known: usize = self
            .known
            .by_id
            .iter()
            .map(|(id, known)| id.len() + known.weight())
            .sum();
        let refused: usize = self
            .known
            .refused
            .ids
            .iter()
            .map(|id| id.len() + 2 * ENTRY)
            .sum();
        let names = self.participants.weight() + refused;
        let lines = self.lines.seen.len() * (size_of::<[u8; 32]>() + ENTRY / 2);
        let own = size_of::<Self>()
            + self.origin.id.len()
            + self.outcome.weight()
            + self.conditions.weight()
            + self.session.weight(ENTRY)
            + self.unread_diff.as_ref().map_or(0, |diff| diff.weight());
        let retained = known + names + self.tokens.weight(ENTRY) + self.leftovers.weight();
        own + retained + lines + self.shown.weight() + self.turn.weight()
    }

    /// Replaces payloads longer than `short` bytes by digests, after analysing them. They can still
    /// be compared.
    pub fn digest(&mut self, context: Context<'_>, short: usize) {
        let tree = self.session.tree();
        let context = Context {
            tree: tree.as_deref().unwrap_or(context.tree),
            ..context
        };
        let turn = &mut self.turn;
        let thoughts = turn
            .thoughts
            .iter_mut()
            .filter_map(|thought| thought.what.action.as_mut());
        let proposal = turn.proposal.iter_mut().map(|kept| &mut kept.what);
        let modified = turn
            .decision
            .iter_mut()
            .filter_map(|kept| kept.what.modified.as_mut());
        let frozen = self
            .known
            .by_id
            .values_mut()
            .filter_map(|known| known.frozen.as_mut());
        for action in thoughts.chain(proposal).chain(modified).chain(frozen) {
            authority::digest(context, action, short);
        }
    }

    /// Drops data that only warnings need.
    pub fn drop_texts(&mut self) {
        self.shown.drop_texts();
    }
}

impl Known {
    fn weight(&self) -> usize {
        size_of::<Self>()
            + size_of::<Box<str>>()
            + ENTRY
            + self.frozen.as_ref().map_or(0, OwnedAction::weight)
    }
}

impl Token {
    pub(super) fn weight(&self) -> usize {
        // A compiled glob is an automaton, many times larger than its text.
        let globs = self.scope.iter().flatten().chain(&self.grants.tools);
        let globs: usize = globs
            .map(|glob| 16 * glob.glob().glob().len() + (2 << 10))
            .sum();
        let words: usize = self
            .grants
            .words
            .iter()
            .map(|word| word.len() + ENTRY)
            .sum();
        size_of::<Self>()
            + 2 * ENTRY
            + self.subject.as_ref().map_or(0, |s| s.len())
            + self.grants.types.len()
            + globs
            + words
    }
}

impl OwnedAction {
    fn weight(&self) -> usize {
        let digest = self
            .digest
            .as_ref()
            .map_or(0, |digest| digest.weight() + 2 * ENTRY);
        size_of::<Self>()
            + digest
            + self.reach.as_ref().map_or(0, |reach| reach.weight())
            + self.payload.as_ref().map_or(0, |text| text.len())
            + self.id.as_ref().map_or(0, |id| id.len())
    }
}

impl TurnEvidence {
    fn weight(&self) -> usize {
        let action = |kept: &Option<Evidence<OwnedAction>>| {
            kept.as_ref().map_or(0, |kept| kept.what.weight())
        };
        let thoughts = self
            .thoughts
            .iter()
            .map(|t| 2 * ENTRY + t.what.action.as_ref().map_or(0, OwnedAction::weight));
        let declared = self
            .declared
            .iter()
            .flatten()
            .map(|path| path.len() + ENTRY);
        let reported = self
            .reported
            .iter()
            .map(|path| path.len() + ENTRY)
            .sum::<usize>();
        let artifacts = self
            .compared_artifacts
            .as_ref()
            .map_or(0, |text| text.len());
        let executed = self
            .executed
            .iter()
            .map(|id| ENTRY + id.as_ref().map_or(0, |id| id.len()));
        let modified = self
            .decision
            .as_ref()
            .and_then(|kept| kept.what.modified.as_ref());
        let beside = self
            .pending_decision
            .as_ref()
            .map_or(0, |kept| kept.what.written.len());
        thoughts.chain(declared).chain(executed).sum::<usize>()
            + action(&self.proposal)
            + modified.map_or(0, OwnedAction::weight)
            + beside
            + reported
            + artifacts
    }
}
