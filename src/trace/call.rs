//! Calls of a session: their records and the steps that these unfold into.

use super::record::{AnyObject, Payload, RecordKind, shapes};
use super::scalar::{Int, Timestamp};
use super::step::{
    Action, ActionKind, Annotation, CallAnnotation, Decision, ExecutionFact, Fact, Outcome, Part,
    Paths, Proposal, Step,
};
use borsh::{BorshDeserialize, BorshSerialize};
use governance::{ActionType, DecidedBy, Ruling};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strict_json::Str;

/// A part that the writer of a record doesn't record. Its absence is no evidence.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum NotRecorded {
    /// Who allowed a call. A missing decision is no evidence.
    Decisions,
    /// Who decided, when and by which rule.
    DecisionDetails,
    /// Results of calls.
    Results,
    /// Exit codes of commands.
    ExitCodes,
    /// Arguments of calls.
    Arguments,
    /// Which files changed, and how.
    Diffs,
    /// Times of events.
    Times,
    /// The location of the work tree.
    Workdir,
}

impl NotRecorded {
    /// Returns the word that reports use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decisions => "who allowed a call",
            Self::DecisionDetails => "who decided, when and by which rule",
            Self::Results => "results",
            Self::ExitCodes => "exit codes",
            Self::Arguments => "the arguments of calls",
            Self::Diffs => "diffs",
            Self::Times => "times",
            Self::Workdir => "the work tree",
        }
    }
}

/// How a call of a session ended.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// It was executed, and its result isn't an error.
    Ok,
    /// It was executed, and its result is an error.
    Error,
    /// It was interrupted; it may have been executed in part.
    Interrupted,
    /// A structured mark says that it wasn't executed.
    NotExecuted,
    /// A text says that it was rejected. Any program can print such a text.
    RejectedByText,
    /// The record contains no result.
    Unmatched,
    /// The last call of the input; the record contains no result so far.
    Open,
    /// The format doesn't record results.
    NotRecorded,
}

shapes! {
    /// The action that a call requests.
    pub struct CallAction<'a> {
        #[serde(rename = "type")]
        kind: ActionType,
        payload: Payload<'a>,
    }

    /// A decision about a call, as far as it is recorded.
    pub struct CallDecision<'a> {
        status: Ruling,
        by: DecidedBy,
        timestamp: Option<Timestamp>,
        reason: Option<Str<'a>>,
        /// A second source contradicts the decision.
        contradicted: Option<bool>,
    }

    /// The result of a call.
    pub struct CallResult<'a> {
        output: Str<'a>,
        exit_code: Option<Int<-2_147_483_648>>,
        timestamp: Option<Timestamp>,
        observed_changes: Option<Vec<Str<'a>>>,
    }

    /// A tool call of a session, with its recorded decision and result.
    ///
    /// Without an action it is one of: a result whose call isn't recorded, another result of a
    /// call, evidence that a rejected call was executed (`rejected` and `ok`), or, without
    /// execution and result, a call that the agent only claimed.
    pub struct Call<'a> {
        record: RecordKind,
        execution_id: Str<'a>,
        turn_id: Int<1>,
        timestamp: Option<Timestamp>,
        prev: Option<Str<'a>>,
        call_id: Str<'a>,
        agent_id: Option<Str<'a>>,
        tool: Option<Str<'a>>,
        reasoning: Option<Str<'a>>,
        action: Option<CallAction<'a>>,
        decision: Option<CallDecision<'a>>,
        outcome: CallOutcome,
        result: Option<CallResult<'a>>,
        repeats_result: Option<bool>,
        /// The call of another execution of the session with the same action, which was rejected
        /// earlier.
        rejected_before: Option<Str<'a>>,
        metadata: Option<AnyObject>,
    }
}

impl<'a> Call<'a> {
    /// Emits the proposal, a recorded decision, the result and irregularities of the call.
    pub(super) fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let mut emit = |time, member, fact| {
            emit(&Step {
                turn: Some(self.turn_id.get()),
                time,
                part: Part::member(member),
                fact,
            });
        };
        let ended = self.result.as_ref().and_then(|r| r.timestamp);
        let begins = Annotation::Call(CallAnnotation::Begins { ended });
        emit(self.timestamp, "", Fact::Annotation(begins));
        if let Some(id) = self.rejected_before {
            let mark = Annotation::Call(CallAnnotation::RejectedElsewhere(id));
            emit(self.timestamp, "rejectedBefore", Fact::Annotation(mark));
        }
        if let Some(action) = &self.action {
            let fact = Fact::Proposed(Proposal {
                agent: self.agent_id,
                action: Action {
                    id: Some(self.call_id),
                    kind: ActionKind::Known(action.kind),
                    payload: Some(action.payload.0),
                    risk: None,
                },
                declared: None,
                replaced: false,
            });
            emit(self.timestamp, "action", fact);
        }
        if let Some(decision) = self.decision.as_ref().filter(|_| self.action.is_some()) {
            let fact = Fact::Decided(Decision {
                ruling: decision.status,
                by: decision.by,
                time: decision.timestamp,
                action: Some(self.call_id),
                signer: None,
                reason: decision.reason,
                rule: None,
                original: None,
                modified: None,
                modification_reason: None,
                signature: None,
            });
            emit(decision.timestamp, "decision", fact);
        }
        let time = ended;
        let observed = self
            .result
            .as_ref()
            .and_then(|r| r.observed_changes.as_deref())
            .filter(|changes| !changes.is_empty());
        let observed = Paths::union(observed, None);
        // A call that changed something was executed, whatever else is recorded.
        if self.may_have_run() || observed.is_some() {
            let executed = ExecutionFact {
                action_id: Some(self.call_id),
                capability: None,
                action: None,
                observed,
                result: Some(Outcome {
                    success: self.outcome == CallOutcome::Ok,
                    perhaps: self.outcome.may_have_changed() && observed.is_none(),
                    output: self.result.as_ref().map(|r| r.output).unwrap_or_default(),
                    error: None,
                    error_type: false,
                    exit_code: self
                        .result
                        .as_ref()
                        .and_then(|r| r.exit_code)
                        .map(|n| n.get()),
                    cost: None,
                    duration: None,
                    artifacts: None,
                    marks: &[],
                }),
            };
            let fact = match &self.action {
                Some(_) => Fact::Executed(executed),
                None => Fact::Annotation(Annotation::Changed(executed)),
            };
            emit(time, "result", fact);
        }
        for mark in self.marks().into_iter().flatten() {
            emit(time, "outcome", Fact::Annotation(Annotation::Call(mark)));
        }
    }

    /// Returns whether the call may have been executed. A rejected one has no result.
    fn may_have_run(&self) -> bool {
        use CallOutcome as O;
        let rejected = self
            .decision
            .as_ref()
            .is_some_and(|d| d.status == Ruling::Rejected);
        self.action.is_some()
            && match self.outcome {
                O::Ok | O::Error | O::Interrupted => true,
                O::RejectedByText | O::Unmatched | O::Open | O::NotRecorded => !rejected,
                O::NotExecuted => false,
            }
    }

    fn marks(&self) -> [Option<CallAnnotation<'a>>; 2] {
        use CallOutcome as O;
        let contradicted = self
            .decision
            .as_ref()
            .is_some_and(|d| d.contradicted == Some(true));
        let rejected = self
            .decision
            .as_ref()
            .is_some_and(|d| d.status == Ruling::Rejected);
        let mark = match self.outcome {
            O::Ok if self.action.is_none() && rejected => {
                Some(CallAnnotation::RejectedAndRan(self.call_id))
            }
            _ if self.repeats_result == Some(true) => {
                Some(CallAnnotation::AmbiguousResult(self.call_id))
            }
            _ if self.action.is_none() && contradicted => None,
            O::NotExecuted if self.action.is_none() && self.result.is_none() => {
                Some(CallAnnotation::Claimed(self.tool))
            }
            _ if self.action.is_none() => Some(CallAnnotation::ResultWithoutCall(self.call_id)),
            O::Interrupted => Some(CallAnnotation::Interrupted),
            O::Unmatched => Some(CallAnnotation::Unmatched { last: false }),
            O::Open => Some(CallAnnotation::Unmatched { last: true }),
            O::RejectedByText => Some(CallAnnotation::RejectedByText),
            O::NotRecorded => Some(CallAnnotation::NotRecorded),
            O::Ok | O::Error | O::NotExecuted => None,
        };
        [mark, contradicted.then_some(CallAnnotation::Contradicted)]
    }
}

impl CallOutcome {
    /// Returns whether it may have had effects although no result says that it succeeded.
    const fn may_have_changed(self) -> bool {
        !matches!(self, Self::Ok | Self::Error | Self::NotExecuted)
    }
}
