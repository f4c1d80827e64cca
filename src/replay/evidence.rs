//! Owned evidence of past steps: no more than an open turn needs.

use super::digest::{Digest, FixedParts, TokenInput};
use super::path_effects::PathEffects;
use super::tool_manifest::{ToolFault, ToolManifest};
use crate::trace::action::{action_hash, tool};
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

/// A value with the line and time of its step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence<T> {
    pub what: T,
    /// Line of the input.
    pub line: u64,
    pub time: Option<Timestamp>,
}

/// Type of a kept action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnedActionKind {
    Known(ActionType),
    /// A type that the format doesn't define.
    Other(Box<str>),
}

impl OwnedActionKind {
    /// Copies an action's type.
    #[must_use]
    pub fn of(kind: ActionKind<'_>) -> Self {
        match kind {
            ActionKind::Known(kind) => Self::Known(kind),
            ActionKind::Other(word) => Self::Other(word.decode().into()),
        }
    }

    /// Returns the type as a step holds it.
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
pub struct OwnedAction {
    pub id: Option<Box<str>>,
    /// `None` when the type isn't recorded.
    pub kind: Option<OwnedActionKind>,
    /// Payload exactly as written; `None` when it isn't recorded or a digest replaces it.
    pub payload: Option<Arc<str>>,
    /// Digest of a payload that is too large to keep.
    pub digest: Option<Arc<Digest>>,
    pub risk: Option<RiskLevel>,
    /// The analyser's risk, where the analyser was used.
    pub found: Option<RiskLevel>,
    /// Effects on paths, if there are any.
    pub reach: Option<Arc<PathEffects>>,
}

impl OwnedAction {
    /// Returns an action about which the record says only that it exists.
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

    /// Returns whether the record describes the action.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.kind.is_some()
    }

    /// Copies an action.
    #[must_use]
    pub fn of(action: &Action<'_>) -> Self {
        Self::proposed(action, None, &[])
    }

    /// Copies a proposal with the analyser's risk. Its payload is usually identical to that of a
    /// thought, whose copy it then shares.
    #[must_use]
    pub fn proposed(
        action: &Action<'_>,
        found: Option<RiskLevel>,
        thoughts: &[Evidence<OwnedThought>],
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
            kind: Some(OwnedActionKind::of(action.kind)),
            payload,
            digest: None,
            risk: action.risk,
            found,
            reach: None,
        }
    }

    /// Replaces the payload by a digest with the payload's risk and path effects.
    pub(super) fn digest(
        &mut self,
        analysis: (Option<RiskLevel>, Option<Arc<PathEffects>>),
        tool_faults: Vec<ToolFault>,
    ) {
        let digest = self.payload.as_deref().map(|payload| Digest {
            tool_faults,
            ..Digest::of(&self.as_action(), Raw::trusted(payload), analysis)
        });
        if let Some(digest) = digest {
            (self.payload, self.digest) = (None, Some(Arc::new(digest)));
        }
    }

    /// Returns what the call does beyond the manifests of tools.
    pub(super) fn tool_faults(&self, tools: &ToolManifest) -> Vec<ToolFault> {
        match &self.digest {
            Some(digest) => digest.tool_faults.clone(),
            None => tools.faults(&self.as_action()),
        }
    }

    /// Returns the tool of a call.
    pub(super) fn tool(&self) -> Option<String> {
        match &self.digest {
            Some(digest) => digest.covered.tool.clone(),
            None => tool_of(&self.as_action()),
        }
    }

    /// Returns risk and path effects, if a digest replaces the payload.
    pub(super) fn analysis(&self) -> Option<(Option<RiskLevel>, Option<Arc<PathEffects>>)> {
        self.digest.as_ref().map(|digest| digest.analysis.clone())
    }

    /// Returns the parts that tokens are compared with, if a digest replaces the payload.
    pub(super) fn covered(&self) -> Option<&TokenInput> {
        self.digest.as_ref().map(|digest| &digest.covered)
    }

    /// Returns the parts that a modification may not change, if the payload is recorded.
    pub(super) fn fixed(&self) -> Option<Cow<'_, FixedParts>> {
        if let Some(digest) = &self.digest {
            return Some(Cow::Borrowed(&digest.fixed));
        }
        Some(Cow::Owned(FixedParts::of(
            self.kind.as_ref()?.as_kind(),
            Raw::trusted(self.payload.as_deref()?),
        )))
    }

    /// Returns the canonical hash of the action, if its payload is recorded.
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

    /// Returns the SHA-256 of the payload as written.
    #[must_use]
    pub fn written_hash(&self) -> Option<[u8; 32]> {
        match &self.digest {
            Some(digest) => Some(digest.written),
            None => Some(Sha256::digest(self.payload.as_deref()?).into()),
        }
    }

    /// Sets the effects on paths.
    #[must_use]
    pub fn reaching(self, reach: Option<Arc<PathEffects>>) -> Self {
        Self { reach, ..self }
    }

    /// Returns the risk that decides: the higher of the recorded and the analyser's risk.
    #[must_use]
    pub fn effective_risk(&self) -> Option<RiskLevel> {
        self.risk.max(self.found)
    }

    /// Returns the action as a step holds it, without a payload that isn't kept.
    #[must_use]
    pub fn as_action(&self) -> Action<'_> {
        Action {
            id: None,
            kind: self
                .kind
                .as_ref()
                .map_or(ActionKind::Other(Str::plain("")), OwnedActionKind::as_kind),
            payload: self.payload.as_deref().map(Raw::trusted),
            risk: self.risk,
        }
    }

    /// Compares type and payload in canonical form. Returns `None` when a payload isn't recorded.
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

/// Returns the tool of a call.
pub(super) fn tool_of(action: &Action<'_>) -> Option<String> {
    let payload = action
        .payload
        .filter(|_| action.kind == ActionKind::Known(ActionType::ToolCall))?;
    tool(payload)
}

/// A thought, kept until its turn is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedThought {
    pub agent: Option<Box<str>>,
    /// The action that the agent intends.
    pub action: Option<OwnedAction>,
    /// Whether the agent considers its task done.
    pub done: bool,
}

/// A decision, kept until its turn is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedDecision {
    pub ruling: Ruling,
    pub by: DecidedBy,
    /// Id of the action that it names.
    pub action: Option<Box<str>>,
    /// The action as modified by a human.
    pub modified: Option<OwnedAction>,
    /// The decision names another action than the proposed one.
    pub misdirected: bool,
    /// When it was made, as the decision records.
    pub own_time: Option<Timestamp>,
}

/// A decision from its own line of a native log, kept until the transition that follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingDecision {
    pub ruling: Ruling,
    pub by: DecidedBy,
    /// The whole decision as written.
    pub written: Arc<str>,
}

/// Evidence of the current turn.
#[derive(Debug, Clone, Default)]
pub struct TurnEvidence {
    /// Number of the turn.
    pub id: Option<i64>,
    /// First line of the turn.
    pub line: u64,
    pub thoughts: Vec<Evidence<OwnedThought>>,
    pub proposal: Option<Evidence<OwnedAction>>,
    /// Agent that proposed.
    pub proposer: Option<Box<str>>,
    pub declared: Option<Vec<Box<str>>>,
    /// The proposal isn't known in its original form, so nothing can be compared with it.
    pub proposal_unknown: bool,
    /// A thought exists, but it can't be read or isn't recorded.
    pub thoughts_unknown: bool,
    pub decision: Option<Evidence<OwnedDecision>>,
    /// A decision exists, but it can't be read or isn't recorded.
    pub decision_unknown: bool,
    /// A missing decision may be in an unreadable record.
    pub decision_lost: bool,
    /// A decision that a native log records in a line of its own, apart from the transition.
    pub pending_decision: Option<Evidence<PendingDecision>>,
    /// Ids of the actions executed in this turn.
    pub executed: Vec<Option<Box<str>>>,
    /// Line and time of the last execution.
    pub ran: Option<(u64, Option<Timestamp>)>,
    /// Line of the last execution of the action that this turn's decision allows, and whether it
    /// succeeded.
    pub allowed_ran: Option<(u64, bool)>,
    /// The proposal was inferred from a part of the log that keeps none; its own line may still
    /// follow.
    pub proposal_shown: bool,
    /// The artifacts of the action's result as written, once compared with the approval.
    pub compared_artifacts: Option<Box<str>>,
    /// The action used a token that covers it. Contains the name that the action gives, if any.
    pub on_token: Option<Option<Box<str>>>,
    /// Files whose change has been reported.
    pub reported: Vec<Box<str>>,
    /// The turn has been counted.
    pub begun: bool,
    /// A native log moved a rejected action to EXECUTING, and that has been reported.
    pub rejected_ran: bool,
    /// The proposal's id was used before.
    pub id_reused: bool,
    /// The turn has the number of an earlier one and repeats it as a whole.
    pub repeated: bool,
}

impl TurnEvidence {
    /// Returns whether the turn has neither a proposal nor an executed action yet.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.proposal.is_none() && self.executed.is_empty()
    }
}

/// A capability token.
#[derive(Debug, Clone)]
pub struct Token {
    /// Id of the only action that it is valid for, if it names one.
    pub subject: Option<Box<str>>,
    /// Globs of paths that it may be used on; `None` means no restriction.
    pub scope: Option<Vec<GlobMatcher>>,
    /// A glob of the scope is invalid, so the token covers nothing.
    pub scope_unreadable: bool,
    pub grants: Grants,
    /// Line of the record that issues it.
    pub line: u64,
    /// Date of the record that issues it.
    pub issued: Option<Timestamp>,
    /// Date and line of the last use.
    pub last_use: Option<(Timestamp, u64)>,
}

impl Token {
    /// Copies a token.
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

/// Grants of a token: types of action, categories of effects, tools.
#[derive(Debug, Clone, Default)]
pub struct Grants {
    /// The list is empty: the token is valid for its subject only.
    pub none: bool,
    pub types: Vec<ActionType>,
    /// Bit set of `Category`.
    pub categories: u32,
    /// Globs of tool names.
    pub tools: Vec<GlobMatcher>,
    /// Words that are neither a type, a category nor a glob. They match a tool of exactly that
    /// name.
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
            let mut kept = OwnedAction::of(&action(payload));
            let (hash, of_text) = (kept.hash(), kept.written_hash());
            kept.digest((None, None), Vec::new());
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
