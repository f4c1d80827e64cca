//! Steps: what a record contains, in terms that all formats share.
//!
//! A record of any format unfolds into steps: one for an event, several for a turn or an execution.
//! What a format doesn't record is [`None`] or [`Fact::NotRecorded`]; it is never made up.

use super::record::{
    Capability, ChainMode, EvaluationReason, ExecutionStarted, NotRecorded, RecordKind, Signature,
};
use super::scalar::Timestamp;
use governance::{ActionType, DecidedBy};
use governance::{EvaluationKind, Event, RiskLevel, Ruling, State};
use std::borrow::Cow;
use strict_json::{Raw, Str};

/// One fact with its position in the record.
#[derive(Debug, Clone, Copy)]
pub struct Step<'r, 'a> {
    /// Number of the turn that the record names.
    pub turn: Option<i64>,
    pub time: Option<Timestamp>,
    pub part: Part,
    pub fact: Fact<'r, 'a>,
}

/// Position of a step in its record: `/MEMBER` or `/turns/N/MEMBER`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Index of the turn, in a record of a whole execution.
    pub nested: Option<u32>,
    /// Name of the member; empty for the record itself.
    pub member: &'static str,
}

impl Part {
    /// The record itself.
    pub const WHOLE: Self = Self {
        nested: None,
        member: "",
    };

    /// Returns the position of a member of the record.
    #[must_use]
    pub const fn member(member: &'static str) -> Self {
        Self {
            nested: None,
            member,
        }
    }

    /// Returns the position as a JSON pointer, followed by `below`.
    #[must_use]
    pub fn pointer(self, below: &str) -> String {
        let turn = self
            .nested
            .map(|n| format!("/turns/{n}"))
            .unwrap_or_default();
        let slash = if self.member.is_empty() { "" } else { "/" };
        format!("{turn}{slash}{}{below}", self.member)
    }
}

/// Content of a step.
#[derive(Debug, Clone, Copy)]
pub enum Fact<'r, 'a> {
    /// An execution starts or resumes.
    Started(StartFact<'r, 'a>),
    Thought(Thought<'a>),
    Proposed(Proposal<'r, 'a>),
    Decided(Decision<'a>),
    Executed(ExecutionFact<'r, 'a>),
    Observed(ObservationFact<'a>),
    /// The runtime decided whether the execution continues.
    Evaluated(EvaluationKind, Option<EvaluationReason>),
    /// The end of the execution, with its outcome.
    Ended(Str<'a>),
    Issued(&'r Capability<'a>),
    /// A token was revoked, by its id.
    Revoked(Str<'a>),
    /// The context changed.
    Context,
    /// A native log records a state transition.
    Moved(TransitionFact<'a>),
    /// A native log records more about the turn without a state transition.
    Annotation(Annotation<'r, 'a>),
    /// The format doesn't record this event, but it must have happened.
    NotRecorded(Event),
    /// A frame of a recorded terminal session.
    Terminal(super::formats::yuangs_cast::Frame<'a>),
    /// An unreadable record of this kind.
    Unreadable(RecordKind),
}

/// Start of an execution.
#[derive(Debug, Clone, Copy)]
pub struct StartFact<'r, 'a> {
    /// Version of the format.
    pub schema_version: Str<'a>,
    /// Version of the state machine.
    pub fsm_version: Str<'a>,
    /// Maximum number of turns.
    pub max_turns: Option<i64>,
    /// Ids of the agents that think; `None` when they aren't recorded.
    pub agents: Option<&'r [Str<'a>]>,
    pub governor: Option<Str<'a>>,
    /// Whether the record names the policy.
    pub policy: bool,
    /// The task of the execution.
    pub intent: Option<Str<'a>>,
    pub policy_digest: Option<Str<'a>>,
    /// Path of the policy's file.
    pub policy_path: Option<Str<'a>>,
    /// Whether each action needs a capability token.
    pub capabilities_required: bool,
    /// Whether and how records are chained.
    pub chain: Option<ChainMode>,
    /// Its turns are separate records, so what it rejects hasn't been executed yet.
    pub alone: bool,
    /// A rejection that the record also contains.
    pub refused: Option<&'r Decision<'a>>,
    /// The original record, if it is one of an agent's session.
    pub own: Option<&'r ExecutionStarted<'a>>,
}

impl<'r, 'a> StartFact<'r, 'a> {
    /// Returns the parts that the writer doesn't record.
    #[must_use]
    pub fn not_recorded(&self) -> &'r [NotRecorded] {
        self.own
            .and_then(|own| own.not_recorded.as_deref())
            .unwrap_or_default()
    }

    /// Returns the absolute path of the work tree's root.
    #[must_use]
    pub fn workdir(&self) -> Option<Str<'a>> {
        self.own.and_then(|own| own.workdir)
    }
}

/// Type of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind<'a> {
    Known(ActionType),
    /// A type that the format doesn't define; it is always high-risk.
    Other(Str<'a>),
}

impl ActionKind<'_> {
    /// Returns the word that records use.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Known(ActionType::ToolCall) => "tool_call".into(),
            Self::Known(ActionType::ShellCmd) => "shell_cmd".into(),
            Self::Known(ActionType::CodeDiff) => "code_diff".into(),
            Self::Known(ActionType::Answer) => "answer".into(),
            Self::Other(word) => word.decode(),
        }
    }
}

/// An action as far as it is recorded.
#[derive(Debug, Clone, Copy)]
pub struct Action<'a> {
    pub id: Option<Str<'a>>,
    pub kind: ActionKind<'a>,
    pub payload: Option<Raw<'a>>,
    /// The recorded risk.
    pub risk: Option<RiskLevel>,
}

/// A thought of an agent.
#[derive(Debug, Clone, Copy)]
pub struct Thought<'a> {
    pub agent: Option<Str<'a>>,
    /// Whether the agent considers its task done.
    pub done: bool,
    /// The action that the agent intends.
    pub action: Option<Action<'a>>,
    /// Whether versions of prompt and tool set are recorded.
    pub conditions: bool,
}

/// Paths that a record lists. A turn may list them twice: in a part and next to it.
#[derive(Debug, Clone, Copy)]
pub struct Paths<'r, 'a> {
    own: &'r [Str<'a>],
    of_turn: &'r [Str<'a>],
}

impl<'r, 'a> Paths<'r, 'a> {
    /// Returns the union of a part's list and its turn's; `None` when both are missing.
    #[must_use]
    pub fn union(own: Option<&'r [Str<'a>]>, of_turn: Option<&'r [Str<'a>]>) -> Option<Self> {
        (own.is_some() || of_turn.is_some()).then(|| Self {
            own: own.unwrap_or_default(),
            of_turn: of_turn.filter(|list| own != Some(list)).unwrap_or_default(),
        })
    }

    /// Returns the paths. A path in both lists appears twice.
    pub fn iter(self) -> impl Iterator<Item = &'r Str<'a>> {
        self.own.iter().chain(self.of_turn)
    }

    /// Returns the number of paths.
    #[must_use]
    pub const fn len(self) -> usize {
        self.own.len() + self.of_turn.len()
    }

    /// Returns whether there are no paths.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A proposed action.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'r, 'a> {
    pub agent: Option<Str<'a>>,
    pub action: Action<'a>,
    /// Paths that the action is declared to change.
    pub declared: Option<Paths<'r, 'a>>,
    /// The format records the action as modified by a human, not as proposed.
    pub replaced: bool,
}

/// A decision about an action.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    pub ruling: Ruling,
    pub by: DecidedBy,
    /// When it was made, as the decision records.
    pub time: Option<Timestamp>,
    /// Id of the action.
    pub action: Option<Str<'a>>,
    pub signer: Option<Str<'a>>,
    pub reason: Option<Str<'a>>,
    /// Id of the policy's rule.
    pub rule: Option<Str<'a>>,
    /// Id of the action that was modified.
    pub original: Option<Str<'a>>,
    /// The action as modified; see [`Decision::modification`].
    pub modified: Option<Action<'a>>,
    pub modification_reason: Option<Str<'a>>,
    pub signature: Option<SignatureFact<'a>>,
}

impl<'a> Decision<'a> {
    /// Creates a decision without further facts.
    #[must_use]
    pub const fn bare(ruling: Ruling, by: DecidedBy, action: Option<Str<'a>>) -> Self {
        Self {
            ruling,
            by,
            time: None,
            action,
            signer: None,
            reason: None,
            rule: None,
            original: None,
            modified: None,
            modification_reason: None,
            signature: None,
        }
    }

    /// Returns the action that may be executed instead of the proposed one. Only a modification has
    /// one, even if the record of another decision contains one.
    #[must_use]
    pub fn modification(&self) -> Option<Action<'a>> {
        self.modified.filter(|_| self.ruling == Ruling::Modified)
    }
}

/// A signature of a decision.
#[derive(Debug, Clone, Copy)]
pub struct SignatureFact<'a> {
    pub key: Str<'a>,
    pub algorithm: Str<'a>,
    /// The signature in base64 or hexadecimal.
    pub value: Str<'a>,
}

impl<'a> From<&Signature<'a>> for SignatureFact<'a> {
    fn from(signature: &Signature<'a>) -> Self {
        Self {
            key: signature.key_id,
            algorithm: signature.alg,
            value: signature.value,
        }
    }
}

/// An executed action.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionFact<'r, 'a> {
    /// Id of the action.
    pub action_id: Option<Str<'a>>,
    /// Id of the token that it used.
    pub capability: Option<Str<'a>>,
    /// The executed action itself.
    pub action: Option<Action<'a>>,
    /// Paths that were observed to change.
    pub observed: Option<Paths<'r, 'a>>,
    pub result: Option<Outcome<'a>>,
}

/// Result of an action.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// The recorded success.
    pub success: bool,
    pub output: Str<'a>,
    /// Error message.
    pub error: Option<Str<'a>>,
    /// Whether the type of the error is recorded.
    pub error_type: bool,
    pub exit_code: Option<i64>,
    pub cost: Option<f64>,
    /// Duration in milliseconds.
    pub duration: Option<f64>,
    /// Files that it left, as recorded.
    pub artifacts: Option<super::record::Texts<'a>>,
    /// It may have had effects without a recorded success: it was interrupted, its end is unknown,
    /// or only a text says that it was rejected.
    pub perhaps: bool,
    /// Prefixes of the output by which the format marks failed, rejected or skipped actions. Empty
    /// if the output is the requested content and may begin with anything.
    pub marks: &'static [&'static str],
}

/// An observation.
#[derive(Debug, Clone, Copy)]
pub struct ObservationFact<'a> {
    /// Id of the observed action.
    pub action: Option<Str<'a>>,
    /// Files that it left, as recorded.
    pub artifacts: Option<super::record::Texts<'a>>,
}

/// A state transition as a native log records it.
#[derive(Debug, Clone, Copy)]
pub struct TransitionFact<'a> {
    pub from: State,
    pub to: State,
    /// The decision that causes it.
    pub decision: Option<Decision<'a>>,
    /// Line of the decision, if an earlier line records it.
    pub told: Option<u64>,
    /// The evaluation that causes it.
    pub evaluation: Option<EvaluationKind>,
    /// Reason of the evaluation.
    pub reason: Option<EvaluationReason>,
}

impl TransitionFact<'_> {
    /// Returns whether it begins the execution of an action.
    #[must_use]
    pub const fn begins_action(&self) -> bool {
        matches!(self.to, State::Executing)
    }

    /// Returns whether it ends the execution of an action.
    #[must_use]
    pub const fn ends_action(&self) -> bool {
        matches!(self.to, State::Observing)
    }
}

/// Evidence that a native log records apart from state transitions.
#[derive(Debug, Clone, Copy)]
pub enum Annotation<'r, 'a> {
    /// A response of the model.
    Thought(Thought<'a>),
    /// A decision and the action that it is about, each if recorded.
    Decided(Option<Action<'a>>, Option<DecisionLine<'a>>),
    /// An executed action, with a decision from an earlier line that no transition has used.
    Executed(ExecutionFact<'r, 'a>, Option<(u64, &'r Decision<'a>)>),
    Observed(ObservationFact<'a>),
    /// The agent of a turn whose parts name no agent.
    Agent(Str<'a>),
    /// Changes that a turn declares without a proposal.
    Declared(Paths<'r, 'a>),
    /// Changes that a turn observed or the token that it names, without a result.
    Changed(ExecutionFact<'r, 'a>),
    /// An action in a part of the log that normally contains none.
    Shown(Action<'a>, ActionRole),
    /// Files that an execution left, as its end records.
    FinalArtifacts(super::record::Texts<'a>),
    /// A rejection that the end of an execution lists, and its position in that list.
    ListedRejection(Decision<'a>, u64),
    /// An irregularity of a call in an agent's session.
    Call(CallAnnotation<'a>),
    /// Anything that no check reads.
    Other,
}

/// Irregularity of a call in an agent's session.
#[derive(Debug, Clone, Copy)]
pub enum CallAnnotation<'a> {
    /// A call begins; further steps of its record follow.
    Begins {
        /// Time of its result.
        ended: Option<Timestamp>,
    },
    /// The same action was rejected in another execution of the session, under this id.
    RejectedElsewhere(Str<'a>),
    /// The writer doesn't record results.
    NotRecorded,
    /// The record contains no result.
    Unmatched {
        /// Whether it is the last call of its input.
        last: bool,
    },
    /// The call was interrupted; it may have been executed in part.
    Interrupted,
    /// Only a text says that it was rejected.
    RejectedByText,
    /// A result without a call, by its id.
    ResultWithoutCall(Str<'a>),
    /// A call that the agent only writes into a text, by the tool's name.
    Claimed(Option<Str<'a>>),
    /// A second result that differs from the first, by the call's id.
    AmbiguousResult(Str<'a>),
    /// Another source contradicts the decision.
    Contradicted,
    /// A recorded call was rejected and executed all the same, by its id.
    RejectedAndRan(Str<'a>),
}

/// What an action shown outside its usual place is evidence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionRole {
    Thought,
    /// A proposal or the action of a decision.
    Proposal,
    /// An executed action.
    Execution,
    /// Unknown.
    Unknown,
}

/// A decision recorded on its own line.
#[derive(Debug, Clone, Copy)]
pub struct DecisionLine<'a> {
    pub decision: Decision<'a>,
    /// The decision as written.
    pub written: Raw<'a>,
}

impl<'r, 'a> Step<'r, 'a> {
    /// Returns the kind of step as a word that differs from every other fact's.
    #[must_use]
    pub fn kind(&self) -> Cow<'static, str> {
        Cow::Borrowed(match &self.fact {
            Fact::Started(_) => "started",
            Fact::Thought(_) | Fact::Annotation(Annotation::Thought(_)) => "thought",
            Fact::Proposed(_) => "proposed",
            Fact::Decided(_) | Fact::Annotation(Annotation::Decided(..)) => "decided",
            Fact::Executed(_) | Fact::Annotation(Annotation::Executed(..)) => "executed",
            Fact::Observed(_) | Fact::Annotation(Annotation::Observed(_)) => "observed",
            Fact::Evaluated(..) => "evaluated",
            Fact::Ended(_) => "ended",
            Fact::Issued(_) => "issued",
            Fact::Revoked(_) => "revoked",
            Fact::Context => "context",
            Fact::Moved(moved) => {
                return format!("{}>{}", moved.from.name(), moved.to.name()).into();
            }
            Fact::Annotation(Annotation::Other) => "other",
            Fact::Annotation(Annotation::Call(_)) => "a call",
            Fact::NotRecorded(_) => "not recorded",
            Fact::Terminal(_) => "terminal",
            Fact::Annotation(Annotation::Agent(_)) => "agent",
            Fact::Annotation(Annotation::Declared(_)) => "declared changes",
            Fact::Annotation(Annotation::Changed(_)) => "observed changes",
            Fact::Annotation(Annotation::Shown(..)) => "an action that is shown",
            Fact::Annotation(Annotation::FinalArtifacts(_)) => "files left behind",
            Fact::Annotation(Annotation::ListedRejection(..)) => "a listed rejection",
            Fact::Unreadable(_) => "unreadable",
        })
    }

    /// Adds a decision from an earlier line, if the step is one that follows from a decision.
    #[must_use]
    pub fn with_decision(mut self, line: u64, decision: &'r Decision<'a>) -> Self {
        match &mut self.fact {
            Fact::Moved(moved) if moved.decision.is_none() => {
                moved.decision = Some(*decision);
                moved.told = Some(line);
            }
            Fact::Annotation(Annotation::Executed(_, told)) => *told = Some((line, decision)),
            _ => {}
        }
        self
    }
}
