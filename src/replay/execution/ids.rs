//! Ids and paths that can't be distinguished because they contain lone surrogates.

use super::Execution;
use crate::trace::step::{Action, Annotation, Decision, ExecutionFact, Fact, Paths, Step};
use strict_json::{Raw, Str, stringify};

impl Execution {
    /// Makes the verdict uncertain if an id or path contains a lone surrogate. Each is read as
    /// U+FFFD, so different ids would compare equal.
    pub(super) fn check_ids(&mut self, step: &Step<'_, '_>) {
        if has_torn_id(&step.fact) {
            self.doubt_all();
        }
    }
}

/// Returns whether a payload that is compared with another one contains a lone surrogate.
fn is_torn_payload(payload: Raw<'_>) -> bool {
    payload.as_written().contains("\\u") && stringify(payload).to_ascii_lowercase().contains("\\ud")
}

fn has_torn_id(fact: &Fact<'_, '_>) -> bool {
    let one = |id: Option<Str<'_>>| id.is_some_and(Str::is_torn);
    let action = |action: Option<Action<'_>>| one(action.and_then(|a| a.id));
    let decision = |d: &Decision<'_>| {
        let named = [
            d.action,
            d.signer,
            d.original,
            d.rule,
            d.signature.map(|s| s.key),
        ];
        named.into_iter().any(one)
            || action(d.modified)
            || d.modified
                .and_then(|m| m.payload)
                .is_some_and(is_torn_payload)
    };
    let paths =
        |paths: Option<Paths<'_, '_>>| paths.is_some_and(|p| p.iter().any(|path| path.is_torn()));
    let executed = |e: &ExecutionFact<'_, '_>| {
        one(e.action_id) || one(e.capability) || action(e.action) || paths(e.observed)
    };
    match fact {
        Fact::Started(started) => {
            one(started.governor)
                || one(started.policy_digest)
                || started
                    .agents
                    .unwrap_or_default()
                    .iter()
                    .any(|agent| agent.is_torn())
        }
        Fact::Thought(thought) | Fact::Annotation(Annotation::Thought(thought)) => {
            one(thought.agent)
        }
        Fact::Proposed(proposal) => {
            one(proposal.agent) || one(proposal.action.id) || paths(proposal.declared)
        }
        Fact::Decided(decided) => decision(decided),
        Fact::Executed(ran) => executed(ran),
        Fact::Issued(token) => {
            let words = token.grants.iter().chain(token.scope.iter().flatten());
            token.id.is_torn()
                || one(token.subject)
                || token.issuer.is_torn()
                || words.into_iter().any(|word| word.is_torn())
        }
        Fact::Revoked(id) => id.is_torn(),
        Fact::Moved(moved) => moved.decision.as_ref().is_some_and(decision),
        Fact::Annotation(Annotation::Decided(about, told)) => {
            action(*about) || told.as_ref().is_some_and(|t| decision(&t.decision))
        }
        Fact::Annotation(Annotation::Executed(ran, told)) => {
            executed(ran) || told.is_some_and(|(_, told)| decision(told))
        }
        Fact::Annotation(Annotation::ListedRejection(decided, _)) => decision(decided),
        Fact::Annotation(Annotation::Shown(shown, _)) => one(shown.id),
        Fact::Annotation(Annotation::Agent(agent)) => agent.is_torn(),
        Fact::Annotation(Annotation::Declared(listed)) => paths(Some(*listed)),
        Fact::Annotation(Annotation::Changed(changed)) => executed(changed),
        Fact::Observed(observed) | Fact::Annotation(Annotation::Observed(observed)) => {
            one(observed.action)
        }
        Fact::Evaluated(..)
        | Fact::Ended(_)
        | Fact::Context
        | Fact::Annotation(
            Annotation::Other | Annotation::FinalArtifacts(_) | Annotation::Call(_),
        )
        | Fact::NotRecorded(_)
        | Fact::Terminal(_)
        | Fact::Unreadable(_) => false,
    }
}
