//! What a replay keeps of the steps it has seen: owned, and no more than an open turn needs.

use super::digest::{Covered, Digest, Fixed};
use super::path_effects::PathEffects;
use crate::trace::action::action_hash;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Action, ActionKind};
use agent_policy::Category;
use globset::{GlobBuilder, GlobMatcher};
use governance::{ActionType, DecidedBy};
use governance::{RiskLevel, Ruling};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::sync::Arc;
use strict_json::{Raw, Str, canonical_eq};

/// Something with the line that it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept<T> {
    /// What.
    pub what: T,
    /// Line of the input.
    pub line: u64,
    /// When.
    pub time: Option<Timestamp>,
}

/// The type of a kept action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptKind {
    /// One of the known types.
    Known(ActionType),
    /// Some other word.
    Other(Box<str>),
}

impl KeptKind {
    /// Keeps a type.
    #[must_use]
    pub fn of(kind: ActionKind<'_>) -> Self {
        match kind {
            ActionKind::Known(kind) => Self::Known(kind),
            ActionKind::Other(word) => Self::Other(word.decode().into()),
        }
    }

    /// The type as a step would hold it.
    #[must_use]
    pub fn as_kind(&self) -> ActionKind<'_> {
        match self {
            Self::Known(kind) => ActionKind::Known(*kind),
            Self::Other(word) => ActionKind::Other(Str::plain(word)),
        }
    }
}

/// An action, kept until its turn is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAction {
    /// Its id.
    pub id: Option<Box<str>>,
    /// Its type; `None` when that isn't recorded.
    pub kind: Option<KeptKind>,
    /// Its payload as it was written, unless that took too much room.
    pub payload: Option<Arc<str>>,
    /// What is kept of it then.
    pub digest: Option<Arc<Digest>>,
    /// The recorded risk.
    pub risk: Option<RiskLevel>,
    /// The risk that the analyser found, where it was asked.
    pub found: Option<RiskLevel>,
    /// Where it reaches, if there is anything to say of that.
    pub reach: Option<Arc<PathEffects>>,
}

impl KeptAction {
    /// An action of which the format says no more than that there was one.
    #[must_use]
    pub fn not_recorded() -> Self {
        Self {
            id: None,
            kind: None,
            payload: None,
            digest: None,
            risk: None,
            found: None,
            reach: None,
        }
    }

    /// Whether anything is known of it.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.kind.is_some()
    }

    /// Keeps an action.
    #[must_use]
    pub fn of(action: &Action<'_>) -> Self {
        Self::proposed(action, None, &[])
    }

    /// Keeps a proposal with what the analyser found. Its payload is mostly that of a thought,
    /// letter for letter, which is kept already.
    #[must_use]
    pub fn proposed(
        action: &Action<'_>,
        found: Option<RiskLevel>,
        thoughts: &[Kept<KeptThought>],
    ) -> Self {
        let mut known = thoughts
            .iter()
            .filter_map(|t| t.what.action.as_ref()?.payload.as_ref());
        let payload = action
            .payload
            .map(|p| match known.find(|kept| ***kept == *p.as_written()) {
                Some(kept) => Arc::clone(kept),
                None => p.as_written().into(),
            });
        Self {
            id: action.id.map(|id| id.decode().into()),
            kind: Some(KeptKind::of(action.kind)),
            payload,
            digest: None,
            risk: action.risk,
            found,
            reach: None,
        }
    }

    /// Replaces its payload, whose risk and reach are these, by a digest.
    pub(super) fn digest(&mut self, analysis: (Option<RiskLevel>, Option<Arc<PathEffects>>)) {
        let digest = self
            .payload
            .as_deref()
            .map(|payload| Digest::of(&self.as_action(), Raw::trusted(payload), analysis));
        if let Some(digest) = digest {
            (self.payload, self.digest) = (None, Some(Arc::new(digest)));
        }
    }

    /// Its risk and reach, where the payload isn't kept.
    pub(super) fn analysis(&self) -> Option<(Option<RiskLevel>, Option<Arc<PathEffects>>)> {
        self.digest.as_ref().map(|digest| digest.analysis.clone())
    }

    /// What tokens are compared with, where the payload isn't kept.
    pub(super) fn covered(&self) -> Option<&Covered> {
        self.digest.as_ref().map(|digest| &digest.covered)
    }

    /// What a modification may not change, where the payload is recorded.
    pub(super) fn fixed(&self) -> Option<Cow<'_, Fixed>> {
        if let Some(digest) = &self.digest {
            return Some(Cow::Borrowed(&digest.fixed));
        }
        Some(Cow::Owned(Fixed::of(
            self.kind.as_ref()?.as_kind(),
            Raw::trusted(self.payload.as_deref()?),
        )))
    }

    /// The canonical hash of the action, where its payload is recorded.
    #[must_use]
    pub fn hash(&self) -> Option<String> {
        if let Some(digest) = &self.digest {
            return Some(digest.action.to_string());
        }
        Some(action_hash(
            &self.kind.as_ref()?.as_kind().name(),
            Raw::trusted(self.payload.as_deref()?),
        ))
    }

    /// The SHA-256 of its payload as it was written.
    #[must_use]
    pub fn written_hash(&self) -> Option<[u8; 32]> {
        match &self.digest {
            Some(digest) => Some(digest.written),
            None => Some(Sha256::digest(self.payload.as_deref()?).into()),
        }
    }

    /// The same, with what is known of where it reaches.
    #[must_use]
    pub fn reaching(self, reach: Option<Arc<PathEffects>>) -> Self {
        Self { reach, ..self }
    }

    /// The risk to judge by: the worse of what was recorded and what was found.
    #[must_use]
    pub fn judged_risk(&self) -> Option<RiskLevel> {
        self.risk.max(self.found)
    }

    /// The action as a step would hold it; without a payload that isn't kept.
    #[must_use]
    pub fn as_action(&self) -> Action<'_> {
        Action {
            id: None,
            kind: self
                .kind
                .as_ref()
                .map_or(ActionKind::Other(Str::plain("")), KeptKind::as_kind),
            payload: self.payload.as_deref().map(Raw::trusted),
            risk: self.risk,
        }
    }

    /// Whether type and payload are the same, however they are spelled. `None` when a payload isn't
    /// recorded.
    #[must_use]
    pub fn same_as(&self, other: &Action<'_>) -> Option<bool> {
        let theirs = other.payload?;
        let kind = self.kind.as_ref()?.as_kind();
        if let Some(digest) = &self.digest {
            return Some(kind == other.kind && digest.is_of(other, theirs));
        }
        let mine = Raw::trusted(self.payload.as_ref()?);
        Some(kind == other.kind && canonical_eq(mine, theirs))
    }
}

/// A thought, kept until its turn is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptThought {
    /// Who thought.
    pub agent: Option<Box<str>>,
    /// What it wanted.
    pub action: Option<KeptAction>,
    /// Whether it believed that it was done.
    pub done: bool,
}

/// A decision, kept until its turn is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptDecision {
    /// What it says.
    pub ruling: Ruling,
    /// Who made it.
    pub by: DecidedBy,
    /// The action that it names.
    pub action: Option<Box<str>>,
    /// The action as it may run, where a human has changed it.
    pub modified: Option<KeptAction>,
    /// The decision names another action than the proposed one.
    pub misdirected: bool,
    /// When it was made, by its own account.
    pub own_time: Option<Timestamp>,
}

/// A decision that a line of a native log tells, kept until the movement that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldDecision {
    /// What it says.
    pub ruling: Ruling,
    /// Who made it.
    pub by: DecidedBy,
    /// All of it, as it is written.
    pub written: Arc<str>,
}

/// What is on record of the current turn.
#[derive(Debug, Clone, Default)]
pub struct TurnEvidence {
    /// Its number.
    pub id: Option<i64>,
    /// Where it begins.
    pub line: u64,
    /// The thoughts.
    pub thoughts: Vec<Kept<KeptThought>>,
    /// The proposal.
    pub proposal: Option<Kept<KeptAction>>,
    /// Who proposed.
    pub proposer: Option<Box<str>>,
    /// Paths that were declared.
    pub declared: Option<Vec<Box<str>>>,
    /// The proposal is shown as modified, or not at all: it can't be compared with.
    pub proposal_unknown: bool,
    /// A thought is there, but it can't be read or isn't recorded.
    pub thoughts_unknown: bool,
    /// The decision.
    pub decision: Option<Kept<KeptDecision>>,
    /// A decision is there, but it can't be read or isn't recorded.
    pub decision_unknown: bool,
    /// The decision that is missing may be in a record that can't be read.
    pub decision_lost: bool,
    /// A decision that a native log tells beside the movement.
    pub decision_beside: Option<Kept<ToldDecision>>,
    /// Ids of what ran in this turn.
    pub executed: Vec<Option<Box<str>>>,
    /// Where and when the last of it ran.
    pub ran: Option<(u64, Option<Timestamp>)>,
    /// Where the action that this turn's decision allows ran last, and whether it succeeded.
    pub allowed_ran: Option<(u64, bool)>,
    /// The proposal is from a place where the format keeps none: the line that tells it may still
    /// come.
    pub proposal_shown: bool,
    /// The artifacts of its action's result as written, once they are compared with the approval.
    pub compared_artifacts: Option<Box<str>>,
    /// Its action ran on a token that covers it, by the name that it gives.
    pub on_token: Option<Option<Box<str>>>,
    /// Files whose change has been reported.
    pub reported: Vec<Box<str>>,
    /// It has been counted.
    pub begun: bool,
    /// A rejected action was taken to EXECUTING by a native log, which has been reported.
    pub rejected_ran: bool,
    /// The id of the proposal was used before.
    pub id_reused: bool,
    /// The turn has the number of an earlier one: it comes again as a whole.
    pub repeated: bool,
}

impl TurnEvidence {
    /// Whether nothing has come of its thoughts yet.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.proposal.is_none() && self.executed.is_empty()
    }
}

/// A capability token.
#[derive(Debug, Clone)]
pub struct Token {
    /// The action that it is for.
    pub subject: Option<Box<str>>,
    /// What it may touch; `None` when it isn't restricted that way.
    pub scope: Option<Vec<GlobMatcher>>,
    /// A glob of the scope can't be read: then it covers nothing.
    pub scope_unreadable: bool,
    /// What it grants.
    pub grants: Grants,
    /// Where it was issued.
    pub line: u64,
    /// When, by the record that issues it.
    pub issued: Option<Timestamp>,
    /// When something ran on it last by its own date, and where.
    pub last_use: Option<(Timestamp, u64)>,
}

impl Token {
    /// Keeps a token.
    #[must_use]
    pub fn of(
        capability: &crate::trace::record::Capability<'_>,
        line: u64,
        issued: Option<Timestamp>,
    ) -> Self {
        let mut unreadable = false;
        let scope = capability.scope.as_ref().map(|globs| {
            let mut matchers = Vec::with_capacity(globs.len());
            for glob in globs {
                match GlobBuilder::new(&glob.decode())
                    .literal_separator(true)
                    .build()
                {
                    Ok(glob) => matchers.push(glob.compile_matcher()),
                    Err(_) => unreadable = true,
                }
            }
            matchers
        });
        let grants = Grants::of(&capability.grants);
        let subject = capability.subject.map(|s| s.decode().into());
        Self {
            subject,
            scope,
            scope_unreadable: unreadable,
            grants,
            line,
            issued,
            last_use: None,
        }
    }
}

/// What a token grants: types of action, categories of what they do, tools.
#[derive(Debug, Clone, Default)]
pub struct Grants {
    /// Nothing is written: the token is for its subject and nothing else.
    pub none: bool,
    /// The types of action.
    pub types: Vec<ActionType>,
    /// The categories, as bits.
    pub categories: u32,
    /// The tools.
    pub tools: Vec<GlobMatcher>,
    /// Words that are no type, no category and no glob. A tool may be called so; otherwise they
    /// grant nothing.
    pub words: Vec<Box<str>>,
}

impl Grants {
    fn of(written: &[Str<'_>]) -> Self {
        let mut grants = Self {
            none: written.is_empty(),
            ..Self::default()
        };
        for word in written.iter().map(|word| word.decode()) {
            let kind = [
                ActionType::ToolCall,
                ActionType::ShellCmd,
                ActionType::CodeDiff,
                ActionType::Answer,
            ]
            .into_iter()
            .find(|kind| ActionKind::Known(*kind).name() == word);
            let category = Category::ALL
                .into_iter()
                .find(|category| category.name() == word);
            let glob = || {
                GlobBuilder::new(&word)
                    .build()
                    .ok()
                    .filter(|_| word.contains(['*', '?', '[', '{']))
            };
            if let Some(kind) = kind {
                grants.types.push(kind);
            } else if let Some(category) = category {
                grants.categories |= category.bit();
            } else if let Some(glob) = glob() {
                grants.tools.push(glob.compile_matcher());
            } else {
                grants.words.push(word.into());
            }
        }
        grants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(payload: &str) -> Action<'_> {
        Action {
            id: None,
            kind: ActionKind::Known(ActionType::Answer),
            payload: Some(Raw::trusted(payload)),
            risk: None,
        }
    }

    #[test]
    fn a_long_payload_is_told_by_its_digests() {
        let text = "text".repeat(1000);
        let written = [
            format!(r#"{{"a":1,"text":"{text}"}}"#),
            format!(
                r#"{{ "text" : "\u0074{}", "a" : 1.0 }}"#,
                text.get(1..).unwrap()
            ),
            format!(r#"{{"a":2,"text":"{text}"}}"#),
        ];
        let [kept, respelled, other] = written.each_ref().map(|payload| {
            let mut kept = KeptAction::of(&action(payload));
            let (hash, of_text) = (kept.hash(), kept.written_hash());
            kept.digest((None, None));
            assert_eq!((kept.hash(), kept.written_hash()), (hash, of_text));
            kept
        });
        assert!(kept.payload.is_none());
        for (payload, same) in written.iter().zip([true, true, false]) {
            assert_eq!(kept.same_as(&action(payload)), Some(same));
            let kind = ActionKind::Known(ActionType::ToolCall);
            assert_eq!(
                kept.same_as(&Action {
                    kind,
                    ..action(payload)
                }),
                Some(false)
            );
        }
        assert_eq!(
            kept.same_as(&Action {
                payload: None,
                ..action("")
            }),
            None
        );
        assert_eq!(
            kept.hash().unwrap(),
            action_hash("answer", Raw::trusted(written.first().unwrap()))
        );
        assert_eq!(kept.hash(), respelled.hash());
        assert_ne!(kept.hash(), other.hash());
    }
}
