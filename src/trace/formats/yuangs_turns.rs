//! `yuangs-turns`: whole turns, as a JSON array or one per line, of two generations.
//!
//! The command-line runtime writes every part of a turn that happened. The editor runtime writes no
//! thoughts, observations or evaluations; those are not recorded, rather than missing.

use super::native::{
    NativeAction, NativeDecision, NativeResult, NativeThought, POLICY_DENIED, REJECTED, open_shapes,
};
use super::{Coverage, FormatRecord, Narrative, RecordClass, Routing, TraceFormat, Unit, shown};
use crate::schema::Catalogue;
use crate::trace::contract::OpenEvaluation;
use crate::trace::entry::Record;
use crate::trace::record::{Each, RecordKind, Texts};
use crate::trace::scalar::{Int, Timestamp};
use crate::trace::step::{
    ActionKind, Annotation, Decision, ExecutionFact, Fact, ObservationFact, Part, Proposal, Step,
};
use governance::{ActionType, DecidedBy};
use governance::{EvaluationKind, Event, Ruling};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{self, Deserializer};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use strict_json::{Error, Raw, Scanner, Str, from_text, stringify};

pub(super) struct YuangsTurns;

impl TraceFormat for YuangsTurns {
    fn name(&self) -> &'static str {
        "yuangs-turns"
    }

    fn coverage(&self) -> Coverage {
        Coverage::Turns
    }

    fn routing(&self) -> Routing {
        Routing::ByInput
    }

    fn is_line_oriented(&self) -> bool {
        false
    }

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        unit.has(&["contextSnapshot"]) && unit.has_one(&["turnId", "startTime"])
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error> {
        let mut turn: Box<NativeTurn<'a>> =
            Box::deserialize(&mut strict_json::Deserializer::new(scanner))?;
        turn.read_others(text);
        scanner.end()?;
        Ok(turn.into())
    }

    fn not_recorded(&self, partial: bool) -> Option<&'static str> {
        Some(if partial {
            "thoughts, observations, evaluations, decisions about answers, signers of decisions, \
             the rules that policy used, the policy's version, the items of the context"
        } else {
            "signers of decisions, the rules that policy used, the policy's version, the items of the context"
        })
    }

    fn add_schemas(&self, catalogue: &mut Catalogue) {
        catalogue.add::<NativeTurn<'_>>(
            self.name(),
            "A turn as the early runtimes write it.",
            |_| {},
        );
    }
}

/// The messages that the model was given, as written; their hash is recorded next to them.
#[derive(Debug, Clone, Copy)]
pub struct Messages<'a> {
    /// The whole array.
    pub raw: Raw<'a>,
    /// Number of messages.
    pub count: usize,
}

impl<'de: 'a, 'a> Deserialize<'de> for Messages<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        let each: Each<NativeMessage<'_>> =
            from_text(raw.as_written()).map_err(de::Error::custom)?;
        Ok(Self {
            raw,
            count: each.count,
        })
    }
}

impl JsonSchema for Messages<'_> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Messages".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Each::<NativeMessage<'_>>::json_schema(generator)
    }
}

open_shapes! {
    /// A message that the model was given.
    pub struct NativeMessage<'a> {
        role: Str<'a>,
        content: Str<'a>,
        timestamp: Timestamp,
    }

    /// The conditions of a turn.
    pub struct NativeSnapshot<'a> {
        input_hash: Str<'a>,
        system_prompt_version: Str<'a>,
        tool_set_version: Str<'a>,
        recent_messages: Option<Messages<'a>>,
    }

    /// An observation of a result.
    pub struct NativeObservation<'a> {
        action_id: Option<Str<'a>>,
        summary: Str<'a>,
        artifacts: Option<Texts<'a>>,
        truncated: Option<bool>,
    }

    /// Paths that were added to, removed from or changed in the context.
    pub struct NativeContextDiff<'a> {
        #[serde(default)]
        added: Vec<Str<'a>>,
        #[serde(default)]
        removed: Vec<Str<'a>>,
        #[serde(default)]
        changed: Vec<Str<'a>>,
    }

    /// One turn.
    pub struct NativeTurn<'a> {
        turn_id: Int<1>,
        start_time: Timestamp,
        end_time: Option<Timestamp>,
        context_snapshot: NativeSnapshot<'a>,
        thought: Option<NativeThought<'a>>,
        proposed_action: Option<NativeAction<'a>>,
        governance: Option<NativeDecision<'a>>,
        execution_result: Option<NativeResult<'a>>,
        observation: Option<NativeObservation<'a>>,
        evaluation: Option<OpenEvaluation>,
        context_diff: Option<NativeContextDiff<'a>>,
        #[serde(skip)]
        #[schemars(skip)]
        others: Vec<shown::UnknownMember<'a>>,
    }
}

/// Members of a turn.
static MEMBERS: shown::Shape = shown::Shape {
    known: &["turnId", "startTime", "endTime", "contextSnapshot"],
    parts: &[
        ("thought", false, &shown::RESULT),
        ("proposedAction", false, &shown::ACTION),
        ("governance", false, &shown::DECISION),
        ("executionResult", true, &shown::RESULT),
        ("observation", true, &shown::RESULT),
        ("evaluation", false, &shown::DECISION),
        ("contextDiff", false, &CONTEXT_DIFF),
        ("metadata", false, &shown::NO_MEMBERS),
    ],
};

/// Members of a context diff.
const CONTEXT_DIFF: shown::Shape = shown::Shape {
    known: &["added", "removed", "changed"],
    parts: &[],
};

impl<'a> NativeTurn<'a> {
    /// Reads the members that the format doesn't define.
    fn read_others(&mut self, text: &'a str) {
        self.others = shown::others(text, &MEMBERS);
    }

    /// Returns whether the editor runtime wrote it: it has an action, but no thought that led to
    /// it.
    #[must_use]
    pub fn is_editor(&self) -> bool {
        self.thought.is_none()
            && self.proposed_action.is_some()
            && self.observation.is_none()
            && self.evaluation.is_none()
    }

    /// Returns whether nothing happened in it, because the model didn't answer.
    fn is_empty(&self) -> bool {
        self.thought.is_none()
            && self.proposed_action.is_none()
            && self.governance.is_none()
            && self.execution_result.is_none()
            && self.observation.is_none()
            && self.evaluation.is_none()
    }

    /// Returns the policy's denial before the governor, which leaves no decision.
    fn refusal(&self) -> Option<Decision<'a>> {
        let result = self.execution_result.as_ref()?;
        let denied = self.governance.is_none() && result.is_notice(POLICY_DENIED, None);
        denied.then_some(Decision {
            ruling: Ruling::Rejected,
            by: DecidedBy::Policy,
            time: None,
            action: None,
            signer: None,
            reason: result.output.map(|output| output.0),
            rule: None,
            original: None,
            modified: None,
            modification_reason: None,
            signature: None,
        })
    }

    /// Returns whether the result only says that the governor rejected the action.
    fn is_refusal_notice(&self) -> bool {
        let rejected = self
            .governance
            .as_ref()
            .is_some_and(|g| g.status == Ruling::Rejected);
        let reason = self.governance.as_ref().and_then(|g| g.reason);
        rejected
            && self
                .execution_result
                .as_ref()
                .is_some_and(|r| r.is_notice(REJECTED, reason))
    }
}

impl<'a> FormatRecord<'a> for NativeTurn<'a> {
    fn class(&self) -> RecordClass {
        RecordClass::Turn
    }

    fn may_refuse(&self) -> bool {
        true
    }

    fn narrative(&self) -> Narrative<'a> {
        Narrative::Turn
    }

    // The hash is SHA-256 over the compact JSON of all messages, as the runtime serialised them. A
    // reformatted file, with other order of members or escapes, still contains the same messages.
    // The list is complete only while it is shorter than the runtime's limit.
    fn input_hash_is_wrong(&self) -> Option<bool> {
        let kept = if self.is_editor() { 5 } else { 10 };
        let messages = self.context_snapshot.recent_messages?;
        let recorded = self.context_snapshot.input_hash;
        let same = self.input_hash().is_some_and(|hash| recorded == *hash)
            || messages
                .as_serialised()
                .is_some_and(|text| recorded == *sha256(&text));
        match (same, messages.count < kept) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        }
    }

    fn context_diff(&self) -> Option<[&[Str<'a>]; 3]> {
        let diff = self.context_diff.as_ref()?;
        Some([&diff.added, &diff.removed, &diff.changed])
    }

    fn input_hash(&self) -> Option<String> {
        Some(sha256(&minify(
            self.context_snapshot.recent_messages?.raw.as_written(),
        )))
    }

    fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let turn = Some(self.turn_id.get());
        let start = Some(self.start_time);
        let end = self.end_time;
        let editor = self.is_editor();
        let step = |time, member, fact| Step {
            turn,
            time,
            part: Part::member(member),
            fact,
        };
        if editor {
            emit(&step(
                start,
                "proposedAction",
                Fact::NotRecorded(Event::ThoughtGenerated { done: false }),
            ));
        } else if let Some(thought) = &self.thought {
            // An action follows only from a thought that isn't done.
            let goes_on = self.proposed_action.is_some() || thought.plans();
            let thought = thought
                .fact()
                .or_else(|| goes_on.then(|| thought.fact_when(false)));
            let fact = thought.map_or(
                Fact::Unreadable(RecordKind::ThoughtGenerated),
                Fact::Thought,
            );
            emit(&step(start, "thought", fact));
        }
        if let Some(action) = &self.proposed_action {
            // After a modification, the runtime writes the modified action in place of the proposed
            // one.
            let modified = self
                .governance
                .as_ref()
                .and_then(|g| g.modified_action.as_ref());
            let replaced = modified.is_some_and(|m| m.id.is_some() && m.id == action.id);
            emit(&step(
                start,
                "proposedAction",
                Fact::Proposed(Proposal {
                    agent: None,
                    action: action.fact(),
                    declared: None,
                    replaced,
                }),
            ));
        }
        if self.is_empty() {
            emit(&Step {
                turn,
                time: start,
                part: Part::WHOLE,
                fact: Fact::Annotation(Annotation::Other),
            });
        }
        let kind = self.proposed_action.as_ref().map(|a| a.fact().kind);
        let answer = kind == Some(ActionKind::Known(ActionType::Answer));
        let refused = self.refusal();
        match (&self.governance, refused) {
            (Some(decision), _) => {
                emit(&step(
                    decision.timestamp,
                    "governance",
                    Fact::Decided(decision.fact()),
                ));
            }
            (None, Some(refusal)) => emit(&step(end, "executionResult", Fact::Decided(refusal))),
            (None, None) if editor && answer => {
                // The editor runtime returns answers without a decision.
                emit(&step(
                    end,
                    "proposedAction",
                    Fact::NotRecorded(Event::GovernanceDecided(Ruling::Approved)),
                ));
            }
            (None, None) => {}
        }
        if let Some(result) = &self.execution_result
            && refused.is_none()
            && !self.is_refusal_notice()
        {
            let modified = self
                .governance
                .as_ref()
                .and_then(|g| g.modified_action.as_ref())
                .and_then(|m| m.id);
            emit(&step(
                end,
                "executionResult",
                Fact::Executed(ExecutionFact {
                    action_id: modified.or(self.proposed_action.as_ref().and_then(|a| a.id)),
                    capability: None,
                    action: None,
                    observed: None,
                    result: Some(result.fact(kind)),
                }),
            ));
            if editor {
                emit(&step(
                    end,
                    "executionResult",
                    Fact::NotRecorded(Event::ObservationRecorded),
                ));
                let kind = if answer {
                    EvaluationKind::Terminate
                } else {
                    EvaluationKind::Continue
                };
                emit(&step(
                    end,
                    "executionResult",
                    Fact::NotRecorded(Event::EvaluationMade(kind)),
                ));
            }
        }
        for other in &self.others {
            other.show((turn, end, ""), emit);
        }
        if let Some(observation) = &self.observation {
            emit(&step(
                end,
                "observation",
                Fact::Observed(ObservationFact {
                    action: observation.action_id,
                    artifacts: observation.artifacts,
                }),
            ));
        }
        if let Some(OpenEvaluation(evaluation)) = &self.evaluation {
            emit(&step(
                end,
                "evaluation",
                Fact::Evaluated(evaluation.kind, Some(evaluation.reason)),
            ));
        }
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

impl Messages<'_> {
    /// Returns the messages as the runtime serialises them. `None` if one has additional members,
    /// whose position is unknown.
    fn as_serialised(&self) -> Option<String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, bound(deserialize = "'de: 'a"))]
        struct Written<'a> {
            role: Option<Raw<'a>>,
            content: Option<Raw<'a>>,
            timestamp: Option<Raw<'a>>,
            metadata: Option<Raw<'a>>,
        }
        let messages: Vec<Written<'_>> = self.raw.read()?;
        let serialised = messages.iter().map(|message| {
            let members = [
                ("role", message.role),
                ("content", message.content),
                ("timestamp", message.timestamp),
                ("metadata", message.metadata),
            ];
            let given = members
                .iter()
                .filter_map(|(name, value)| Some(format!("\"{name}\":{}", stringify((*value)?))));
            format!("{{{}}}", given.collect::<Vec<_>>().join(","))
        });
        Some(format!("[{}]", serialised.collect::<Vec<_>>().join(",")))
    }
}

/// Removes white space between JSON tokens: the hash is over the runtime's serialisation, not over
/// the file's layout.
fn minify(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c == '"' {
            in_string = true;
        } else if c.is_ascii_whitespace() {
            continue;
        }
        out.push(c);
    }
    if out.len() == text.len() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minifying_keeps_strings() {
        assert_eq!(
            minify("[ {\"a b\" : \"c \\\" d\" } ,\n 1 ]"),
            "[{\"a b\":\"c \\\" d\"},1]"
        );
    }
}
