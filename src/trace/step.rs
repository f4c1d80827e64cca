//! What a record says, in the words that all formats share.
//!
//! A record of any format unfolds into steps: one for an event, several for a turn or an execution.
//! A fact that a format doesn't keep is [`None`] or [`Fact::NotRecorded`]; it is never made up.

use super::record::{
    Capability, ChainMode, EvaluationReason, ExecutionStarted, NotRecorded, RecordKind, Signature,
};
use super::scalar::Timestamp;
use governance::{ActionType, DecidedBy};
use governance::{EvaluationKind, Event, RiskLevel, Ruling, State};
use std::borrow::Cow;
use strict_json::{Raw, Str};

/// One fact with its place in the record.
#[derive(Debug, Clone, Copy)]
pub struct Step<'r, 'a> {
    /// The turn that the record names.
    pub turn: Option<i64>,
    /// When.
    pub time: Option<Timestamp>,
    /// Where in the record.
    pub part: Part,
    /// What.
    pub fact: Fact<'r, 'a>,
}

/// The place of a step in its record: `/MEMBER` or `/turns/N/MEMBER`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Index of the turn inside a whole execution.
    pub nested: Option<u32>,
    /// The member; empty for the record itself.
    pub member: &'static str,
}

impl Part {
    /// The record itself.
    pub const WHOLE: Self = Self {
        nested: None,
        member: "",
    };

    /// A member of the record.
    #[must_use]
    pub const fn member(member: &'static str) -> Self {
        Self {
            nested: None,
            member,
        }
    }

    /// The JSON pointer, with `below` added.
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

/// What happened.
#[derive(Debug, Clone, Copy)]
pub enum Fact<'r, 'a> {
    /// An execution starts or resumes.
    Started(Started<'r, 'a>),
    /// An agent has thought.
    Thought(Thought<'a>),
    /// An action is proposed.
    Proposed(Proposal<'r, 'a>),
    /// The governor has decided.
    Decided(Decision<'a>),
    /// An action ran.
    Executed(Executed<'r, 'a>),
    /// A result was observed.
    Observed(Observed<'a>),
    /// The runtime has ruled.
    Evaluated(EvaluationKind, Option<EvaluationReason>),
    /// The execution is declared over.
    Ended(Str<'a>),
    /// A token was issued.
    Issued(&'r Capability<'a>),
    /// A token was revoked.
    Revoked(Str<'a>),
    /// The context changed.
    Context,
    /// A native log says that the state moved.
    Moved(Moved<'a>),
    /// A native log records more of the turn without moving the state.
    Annotation(Annotation<'r, 'a>),
    /// Something happened that the format keeps no record of.
    NotRecorded(Event),
    /// A frame of a recorded terminal session.
    Terminal(super::formats::yuangs_cast::Frame<'a>),
    /// A record of this kind that can't be read.
    Unreadable(RecordKind),
}

/// The start of an execution.
#[derive(Debug, Clone, Copy)]
pub struct Started<'r, 'a> {
    /// Version of the format.
    pub schema_version: Str<'a>,
    /// Version of the machine.
    pub fsm_version: Str<'a>,
    /// The most turns that it may take.
    pub max_turns: Option<i64>,
    /// The agents that think; none where that isn't recorded.
    pub agents: Option<&'r [Str<'a>]>,
    /// Who governs.
    pub governor: Option<Str<'a>>,
    /// Whether the policy in force is named.
    pub policy: bool,
    /// What is asked for.
    pub intent: Option<Str<'a>>,
    /// Its digest.
    pub policy_digest: Option<Str<'a>>,
    /// Whether tokens are required.
    pub capabilities_required: bool,
    /// Whether records are chained.
    pub chain: Option<ChainMode>,
    /// Its turns are records of their own: what it rejects is yet to run.
    pub alone: bool,
    /// A rejection that the record holds besides.
    pub refused: Option<&'r Decision<'a>>,
    /// The record that starts a session, where it is one of its own.
    pub own: Option<&'r ExecutionStarted<'a>>,
}

impl<'r, 'a> Started<'r, 'a> {
    /// What its writer doesn't keep.
    #[must_use]
    pub fn not_recorded(&self) -> &'r [NotRecorded] {
        self.own
            .and_then(|own| own.not_recorded.as_deref())
            .unwrap_or_default()
    }

    /// The root of the work tree, absolute.
    #[must_use]
    pub fn workdir(&self) -> Option<Str<'a>> {
        self.own.and_then(|own| own.workdir)
    }
}

/// What an action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind<'a> {
    /// One of the known types.
    Known(ActionType),
    /// Some other word. Unknown means high risk.
    Other(Str<'a>),
}

impl ActionKind<'_> {
    /// The word that records use.
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

/// An action, as far as it is recorded.
#[derive(Debug, Clone, Copy)]
pub struct Action<'a> {
    /// Its id.
    pub id: Option<Str<'a>>,
    /// Its type.
    pub kind: ActionKind<'a>,
    /// What it does.
    pub payload: Option<Raw<'a>>,
    /// The risk that was recorded.
    pub risk: Option<RiskLevel>,
}

/// A thought.
#[derive(Debug, Clone, Copy)]
pub struct Thought<'a> {
    /// Who thought.
    pub agent: Option<Str<'a>>,
    /// Whether the agent believes that it is done.
    pub done: bool,
    /// What it wants to do.
    pub action: Option<Action<'a>>,
    /// Whether the prompt and tool-set versions are recorded.
    pub conditions: bool,
}

/// Paths that a record lists. A turn may list them twice: in a part and next to it.
#[derive(Debug, Clone, Copy)]
pub struct Paths<'r, 'a> {
    own: &'r [Str<'a>],
    of_turn: &'r [Str<'a>],
}

impl<'r, 'a> Paths<'r, 'a> {
    /// The union of a part's list and of its turn's; `None` where there is neither.
    #[must_use]
    pub fn union(own: Option<&'r [Str<'a>]>, of_turn: Option<&'r [Str<'a>]>) -> Option<Self> {
        (own.is_some() || of_turn.is_some()).then(|| Self {
            own: own.unwrap_or_default(),
            of_turn: of_turn.filter(|list| own != Some(list)).unwrap_or_default(),
        })
    }

    /// The paths. One that is in both lists comes twice.
    pub fn iter(self) -> impl Iterator<Item = &'r Str<'a>> {
        self.own.iter().chain(self.of_turn)
    }

    /// How many there are.
    #[must_use]
    pub const fn len(self) -> usize {
        self.own.len() + self.of_turn.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A proposal.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'r, 'a> {
    /// Who proposes.
    pub agent: Option<Str<'a>>,
    /// What.
    pub action: Action<'a>,
    /// The paths that it says it will change.
    pub declared: Option<Paths<'r, 'a>>,
    /// The format shows the action as a human has changed it, not as it was proposed.
    pub replaced: bool,
}

/// A decision.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// What it says.
    pub ruling: Ruling,
    /// Who made it.
    pub by: DecidedBy,
    /// When, by its own account.
    pub time: Option<Timestamp>,
    /// The action that it is about.
    pub action: Option<Str<'a>>,
    /// Who signed.
    pub signer: Option<Str<'a>>,
    /// Why.
    pub reason: Option<Str<'a>>,
    /// The rule of the policy.
    pub rule: Option<Str<'a>>,
    /// The action that was modified.
    pub original: Option<Str<'a>>,
    /// The action as modified.
    pub modified: Option<Action<'a>>,
    /// Why it was modified.
    pub modification_reason: Option<Str<'a>>,
    /// The signature, as key id, algorithm, value and the timestamp as it was written.
    pub signature: Option<SignatureFact<'a>>,
}

impl<'a> Decision<'a> {
    /// A decision of which no more is known than this.
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

    /// The action that may run in place of the proposed one. Only a modification has one, whatever
    /// else stands in the record.
    #[must_use]
    pub fn modification(&self) -> Option<Action<'a>> {
        self.modified.filter(|_| self.ruling == Ruling::Modified)
    }
}

/// A signature over a decision.
#[derive(Debug, Clone, Copy)]
pub struct SignatureFact<'a> {
    /// Which key.
    pub key: Str<'a>,
    /// Which algorithm.
    pub algorithm: Str<'a>,
    /// The signature itself, base64 or hexadecimal.
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

/// How an execution of an action ended.
#[derive(Debug, Clone, Copy)]
pub struct Executed<'r, 'a> {
    /// The action that ran, by id.
    pub action_id: Option<Str<'a>>,
    /// The token that it ran on.
    pub capability: Option<Str<'a>>,
    /// What really ran.
    pub action: Option<Action<'a>>,
    /// The paths that were seen to change.
    pub observed: Option<Paths<'r, 'a>>,
    /// The result.
    pub result: Option<Outcome<'a>>,
}

/// A result.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// Whether it is said to have succeeded.
    pub success: bool,
    /// What it printed.
    pub output: Str<'a>,
    /// What went wrong.
    pub error: Option<Str<'a>>,
    /// Whether a kind of failure is named.
    pub error_type: bool,
    /// The exit code.
    pub exit_code: Option<i64>,
    /// What it cost.
    pub cost: Option<f64>,
    /// How long it took, in milliseconds.
    pub duration: Option<f64>,
    /// Files that it is said to have left behind.
    pub artifacts: Option<super::record::Texts<'a>>,
    /// Whether it may have changed what it asks for, though it isn't said to have succeeded: it was
    /// interrupted, nobody knows how it ended, or only a text says that it was rejected.
    pub perhaps: bool,
    /// How the format marks what failed, was refused or didn't run, at the start of the output.
    /// Nothing where the output is what was asked for, and may say anything.
    pub marks: &'static [&'static str],
}

/// An observation.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// The action that was observed.
    pub action: Option<Str<'a>>,
    /// Files that it is said to have left behind.
    pub artifacts: Option<super::record::Texts<'a>>,
}

/// A movement of the state as a native log states it.
#[derive(Debug, Clone, Copy)]
pub struct Moved<'a> {
    /// The state before.
    pub from: State,
    /// The state after.
    pub to: State,
    /// The decision that goes with it.
    pub decision: Option<Decision<'a>>,
    /// The earlier line that records the decision, if it isn't this one.
    pub told: Option<u64>,
    /// The evaluation that goes with it.
    pub evaluation: Option<EvaluationKind>,
    /// Why it ruled so.
    pub reason: Option<EvaluationReason>,
}

impl Moved<'_> {
    /// Whether an action begins to run with it.
    #[must_use]
    pub const fn begins_action(&self) -> bool {
        matches!(self.to, State::Executing)
    }

    /// Whether an action has run before it.
    #[must_use]
    pub const fn ends_action(&self) -> bool {
        matches!(self.to, State::Observing)
    }
}

/// Evidence that a native log records next to the state changes.
#[derive(Debug, Clone, Copy)]
pub enum Annotation<'r, 'a> {
    /// What the model said.
    Thought(Thought<'a>),
    /// What was decided about which action.
    Decided(Option<Action<'a>>, Option<Told<'a>>),
    /// What ran, with the decision that an earlier line has told, where no movement has taken that
    /// up.
    Executed(Executed<'r, 'a>, Option<(u64, &'r Decision<'a>)>),
    /// What was observed of which action.
    Observed(Observed<'a>),
    /// The agent of a turn, where no part of it is that agent's.
    Agent(Str<'a>),
    /// Changes that a turn declares, and it proposes nothing.
    Declared(Paths<'r, 'a>),
    /// Changes that a turn observed, or the token that it names, and it holds no result.
    Changed(Executed<'r, 'a>),
    /// An action in a place where the format keeps none.
    Shown(Action<'a>, Showing),
    /// Files that an execution is said to have left behind.
    SummedUp(super::record::Texts<'a>),
    /// A rejection that the end of an execution lists, and its number among those.
    RefusedBefore(Decision<'a>, u64),
    /// What is remarkable about a call of a session.
    Call(SessionMark<'a>),
    /// Something was noted that no check reads.
    Other,
}

/// What is remarkable about a call of a session.
#[derive(Debug, Clone, Copy)]
pub enum SessionMark<'a> {
    /// A call begins here: what else its record holds follows.
    Begins {
        /// When its result came.
        ended: Option<Timestamp>,
    },
    /// Its action was rejected in another execution of the session, under this id.
    RejectedElsewhere(Str<'a>),
    /// Its writer keeps no results.
    NotRecorded,
    /// No result is on record.
    Unmatched {
        /// It is the last one of its input.
        last: bool,
    },
    /// It was stopped, and may have run in part.
    Interrupted,
    /// A text says that it was rejected, and nothing else does.
    RejectedByText,
    /// A result of something that no call asks for.
    ResultWithoutCall(Str<'a>),
    /// Markup of a call of this tool in a text of the agent; the call was never made.
    Claimed(Option<Str<'a>>),
    /// One more result of a call, and another one.
    AmbiguousResult(Str<'a>),
    /// Another source of the decision says the opposite.
    Contradicted,
    /// A call that is on record was rejected, and ran.
    RejectedAndRan(Str<'a>),
}

/// What an action that is shown somewhere is evidence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Showing {
    /// What was thought.
    Thought,
    /// What was proposed or decided about.
    Proposal,
    /// What ran.
    Run,
    /// It isn't recorded.
    Open,
}

/// A decision that has a line of its own.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// What it says.
    pub decision: Decision<'a>,
    /// The same as it is written.
    pub written: Raw<'a>,
}

impl<'r, 'a> Step<'r, 'a> {
    /// What kind of step it is, in a word that no other text rests on.
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
            Fact::Annotation(Annotation::SummedUp(_)) => "files left behind",
            Fact::Annotation(Annotation::RefusedBefore(..)) => "a listed rejection",
            Fact::Unreadable(_) => "unreadable",
        })
    }

    /// The same with a decision that an earlier line has told, where the step is one that a
    /// decision leads to.
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
