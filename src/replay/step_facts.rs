//! The facts that a replay establishes about one step.

use super::context::ContextBreak;
use super::machine::Legality;
use super::tool_manifest::ToolFault;
use governance::{Event, LedgerError, RiskLevel, State};
use std::sync::LazyLock;

/// Facts about one step, as rules read them.
#[derive(Debug, Clone, Default)]
pub struct StepFacts {
    /// Effect of the step on the state machine, if it is an event.
    pub movement: Option<AppliedEvent>,
    /// Facts about a decision.
    pub decided: Option<DecisionFacts>,
    /// Facts about an executed action.
    pub executed: Option<ExecutedFacts>,
    /// Boxed because hardly any step has anomalies.
    anomalies: Option<Box<Anomalies>>,
}

/// Irregularities of a step beyond those of decisions and executed actions.
#[derive(Debug, Clone, Default)]
pub struct Anomalies {
    /// Break in the order of turn numbers.
    pub order: Option<TurnBreak>,
    /// The turn numbers that are missing may be in a record that was lost.
    pub turns_lost: bool,
    /// Set when this step's time is earlier than the time before it.
    pub reversal: Option<Reversal>,
    /// An action was executed before the date of its decision, and only this step's time shows it.
    pub late_decision: Option<LateDecision>,
    /// An id of this step that was already used.
    pub reuse: Option<Reuse>,
    /// A `prev` of a chained record that doesn't match the record before.
    pub chain: Option<ChainBreak>,
    /// The proposal isn't the action of any thought in its turn.
    pub not_thought: bool,
    /// Why the ledger refuses a token that is issued or revoked here.
    pub token: Option<LedgerError>,
    /// Tokens issued here that an earlier action used, with the line of that use.
    pub used_unissued: Vec<(String, u64)>,
    /// A missing token may have been issued in an unreadable record.
    pub tokens_lost: bool,
    /// Token revoked here by a date before its last use, with the line of that use.
    pub used_revoked: Option<(String, u64)>,
    /// The token's issuer has an id without visible characters.
    pub issued_by_nobody: bool,
    /// The action that an observation names, and the one that was executed.
    pub observed_other: Option<(String, String)>,
    /// The execution was declared over, and its last evaluation contradicts that.
    pub outcome: Option<OutcomeMismatch>,
    /// Recorded risk and the higher risk that the analyser found.
    pub understated: Option<(RiskLevel, RiskLevel)>,
    /// The tool of a call, its recorded risk, and the higher one that its manifest declares.
    pub below_declared: Option<(String, RiskLevel, RiskLevel)>,
    /// What an executed call does beyond the manifests of tools.
    pub tool_faults: Vec<ToolFault>,
    /// An agent that thinks here and signed an earlier decision, with the line of that decision.
    pub late_agent: Option<(String, u64)>,
    /// An agent that thinks here and issued an earlier token, with the line of that token.
    pub late_issuer: Option<(String, u64)>,
    /// An agent that issues a token here.
    pub issued_by_agent: Option<String>,
    /// An agent that isn't in the list of agents that the start records.
    pub stranger: Option<String>,
    /// Ids of this step that look like earlier ones.
    pub confusable: Vec<Confusable>,
    /// Differences between a start after a pause and the start before.
    pub resumed: ResumptionChanges,
    /// The governor of this execution, when it is also one of its agents.
    pub governing_agent: Option<String>,
    /// A recorded hash of the context doesn't match the recorded messages.
    pub input_hash_wrong: bool,
    /// Diffs that can't be parsed, once it is known whether they were executed.
    pub unread_diffs: Vec<UnreadDiff>,
    /// Irregularity of a call in an agent's session.
    pub call: Option<CallAnomaly>,
    /// Id and line of the same action, rejected earlier under another id. The line is `None` when
    /// it was rejected in another execution.
    pub rejected_before: Option<(String, Option<u64>)>,
    /// Contradictions in what is recorded about the model's context.
    pub context: Vec<ContextBreak>,
}

impl StepFacts {
    /// Returns the anomalies; empty ones when there are none.
    #[must_use]
    pub fn anomalies(&self) -> &Anomalies {
        static NONE: LazyLock<Anomalies> = LazyLock::new(Anomalies::default);
        self.anomalies.as_deref().unwrap_or_else(|| &NONE)
    }

    /// Returns the anomalies for writing, and creates them if necessary.
    pub fn anomalies_mut(&mut self) -> &mut Anomalies {
        self.anomalies.get_or_insert_default()
    }

    /// Adds what an executed call does beyond the manifests of tools.
    pub(super) fn add_tool_faults(&mut self, faults: Vec<ToolFault>) {
        if !faults.is_empty() {
            self.anomalies_mut().tool_faults.extend(faults);
        }
    }

    /// Records an understated risk unless one is already set.
    pub(super) fn record_understated_risk(&mut self, understated: Option<(RiskLevel, RiskLevel)>) {
        if let Some(risks) = understated {
            self.anomalies_mut().understated.get_or_insert(risks);
        }
    }

    /// Returns whether there may be an irregularity outside of `decided` and `executed`.
    #[must_use]
    pub fn has_irregularities(&self) -> bool {
        let is_irregular = |m: AppliedEvent| {
            m.movement != Legality::Legal || m.breach.is_some() || m.event == Event::Concluded
        };
        self.anomalies.is_some() || self.movement.is_some_and(is_irregular)
    }
}

/// A `code_diff` that can't be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadDiff {
    /// Why it can't be parsed.
    pub why: Box<str>,
    /// Line of the proposal, or of the decision that modified it.
    pub line: u64,
    pub fate: DiffFate,
    /// Recorded risk and the higher one of an action that can't be read, if nothing else about the
    /// diff is known.
    pub understated: Option<(RiskLevel, RiskLevel)>,
}

/// What became of a diff that can't be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffFate {
    /// It was rejected, or nothing shows that it was executed.
    NotRun,
    /// It was tried, and the record shows that it had no effect.
    Failed,
    /// It was reported as done, or files changed.
    Done,
    /// It was approved, and no result is recorded.
    Unknown,
}

/// Two ids that differ and look alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusable {
    /// The id in this step.
    pub id: String,
    /// The earlier id that it looks like.
    pub other: String,
    /// Line of the earlier id.
    pub line: u64,
}

/// Differences between a start after a pause and the start before. A member that the later start
/// leaves out is unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResumptionChanges {
    /// Governor before and after.
    pub governor: Option<(String, String)>,
    /// Whether the policy's digest differs.
    pub policy: bool,
    /// Maximum number of turns before and after.
    pub max_turns: Option<(i64, i64)>,
    /// Whether the intent differs.
    pub intent: bool,
    /// Whether a session names another work tree.
    pub workdir: bool,
}

/// One event, applied to the state machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppliedEvent {
    pub event: Event,
    /// State before the event.
    pub before: State,
    pub movement: Legality,
    /// Kind of the violation, if the movement is illegal.
    pub breach: Option<Breach>,
    /// The transition that a native log records instead: from, to.
    pub claimed: Option<(State, State)>,
}

/// Kinds of illegal movement. Exactly one rule reports each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breach {
    /// An event before the start.
    NoStart,
    /// An event after the end.
    AfterTerminal,
    /// A start while the execution was open, or after its end.
    Restart,
    /// A result or an observation in a state that allows none.
    ResultOutsideState,
    /// A second thought of the same agent in one turn.
    SecondThought,
    Other,
}

/// Break in the order of turn numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnBreak {
    /// The next turn doesn't have the expected number.
    Jump { expected: i64, found: i64 },
    /// An event of another turn lies inside the open one.
    Interleaved {
        /// Number of the open turn.
        current: i64,
        /// Number of the event's turn.
        found: i64,
    },
}

/// A time that is earlier than the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reversal {
    /// Time before, in milliseconds since the epoch.
    pub previous: i64,
    /// Line of the time before.
    pub line: u64,
    /// This step's time, in milliseconds since the epoch.
    pub now: i64,
    /// Which of the step's times it is.
    pub of: Clock,
}

/// The times that a step can record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// When the step happened.
    Step,
    /// When its decision was made, as the decision records.
    Decision,
}

/// An action that was executed before the date of its decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateDecision {
    pub id: Option<String>,
    /// Line of the execution.
    pub ran: u64,
}

/// An id that was used twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reuse {
    /// What the id names, as a word for messages.
    pub of: &'static str,
    pub id: String,
    /// Line of its first use.
    pub line: u64,
}

/// A broken chain of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainBreak {
    /// The recorded `prev`.
    pub found: Option<String>,
    /// Hash of the record before; `None` where that record has no `prev` itself.
    pub expected: Option<String>,
    /// Line of the record before; 0 when there is none.
    pub previous_line: u64,
}

/// Facts about a decision.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecisionFacts {
    /// The action that the decision names and the proposed one, when they differ.
    pub other_action: Option<(String, String)>,
    /// The higher of the recorded risk and the analyser's.
    pub risk: Option<RiskLevel>,
    /// An agent of the execution that signed the decision.
    pub signed_by_agent: Option<String>,
    /// The governor that signed and the one that governs, when they differ.
    pub second_governor: Option<(String, String)>,
    /// Recorded time that a human took to decide, in milliseconds.
    pub human_millis: Option<i64>,
    /// Recorded time until a human's answer, in milliseconds, if that allows the action.
    pub approval_millis: Option<i64>,
    /// Member that a modification changed although only parameters may change.
    pub beyond_parameters: Option<&'static str>,
    /// Risk before and after the modification, when it rose.
    pub raised_risk: Option<(RiskLevel, RiskLevel)>,
    pub lineage: Option<Lineage>,
    /// Line of the proposal.
    pub proposal_line: Option<u64>,
    /// No proposal is on record for the decision. Other findings about it are consequences.
    pub unproposed: bool,
    /// Highest risk of the turn's thoughts, when nothing was proposed.
    pub thought_risk: Option<RiskLevel>,
}

/// Ways in which a modification's lineage is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lineage {
    /// The recorded original isn't the proposed action.
    OtherOriginal { found: String, proposed: String },
    /// The modified action has an id that is already in use.
    IdTaken(String),
    /// A decision other than `modified` contains a modified action.
    Unmodified(governance::Ruling),
}

/// Facts about an executed action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutedFacts {
    pub id: Option<String>,
    pub approval: Approval,
    /// An earlier execution of the same action.
    pub repeat: Option<Repeat>,
    /// The executed action isn't the approved one.
    pub differs: bool,
    pub token: TokenUse,
    /// Paths that changed without being declared, and declared paths that didn't change.
    pub undeclared: Option<(Vec<String>, Vec<String>)>,
    /// Paths outside of the work tree, except those that a human approved.
    pub leaves: Vec<super::path_effects::PathEscape>,
    /// Protected paths that were written without a human's approval.
    pub protected: Vec<String>,
    /// Policies that govern the execution and that it changed, whatever approved it.
    pub policies: Vec<String>,
    /// Changed files of a low-risk action that a policy approved for its low risk.
    pub beyond_risk: Vec<String>,
    /// A policy approved it, and only its execution shows that its risk is high.
    pub high_by_policy: bool,
    /// Line of the decision.
    pub decision_line: Option<u64>,
    /// A decision exists, but no proposal. Other findings about the action are consequences.
    pub unproposed: bool,
    /// A missing decision may be in an unreadable record.
    pub decision_lost: bool,
    /// A missing token may be in an unreadable record.
    pub token_lost: bool,
}

impl ExecutedFacts {
    /// Returns an executed action with its id and approval, and no other facts.
    #[must_use]
    pub fn bare(id: Option<String>, approval: Approval) -> Self {
        Self {
            id,
            approval,
            repeat: None,
            differs: false,
            token: TokenUse::Fine,
            undeclared: None,
            leaves: Vec::new(),
            protected: Vec::new(),
            policies: Vec::new(),
            beyond_risk: Vec::new(),
            high_by_policy: false,
            decision_line: None,
            unproposed: false,
            decision_lost: false,
            token_lost: false,
        }
    }
}

/// An irregularity of a call in an agent's session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallAnomaly {
    /// Id of the call.
    pub id: Option<String>,
    pub kind: CallAnomalyKind,
}

/// Kinds of irregular calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallAnomalyKind {
    /// The record contains no result.
    Unmatched {
        /// Whether it is the last call of its input.
        last: bool,
    },
    /// The call was interrupted; it may have been executed in part.
    Interrupted,
    /// Only the text of the result shows that the call was rejected.
    RejectedByText,
    /// A result without a call.
    ResultWithoutCall,
    /// A call that the agent only claims in a text. The mark's id is the tool's name.
    Claimed,
    /// A second result that differs from the first.
    AmbiguousResult,
    /// Another source contradicts the recorded decision.
    Contradicted,
    /// The call was rejected, and executed all the same.
    RejectedAndRan,
}

/// Approval of an executed action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// The governor approved it.
    Given,
    /// Nobody approved it.
    Missing,
    /// The governor rejected it.
    Rejected,
    /// The governor approved it, but by date only after it was executed on this line.
    Late(u64),
    /// The approval names another action; the decision itself has been reported.
    Misdirected,
    /// The approval isn't recorded or can't be read.
    Unknown,
}

/// An earlier execution of the same action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// Whether the earlier execution succeeded.
    pub succeeded: bool,
    pub line: u64,
}

/// Use of a capability token by an executed action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenUse {
    /// No token is required, or a valid one covers the action.
    Fine,
    /// No token covers the action. Contains the name that the action gives, if any.
    None(Option<String>),
    /// The token hasn't been issued so far.
    NotIssued(String),
    /// The token's date of issue is later than its use.
    IssuedLater(String),
    /// The token was revoked.
    Revoked(String),
    /// Neither the token's scope nor its grants cover the action.
    OutOfScope(String),
}

/// An end of the execution that contradicts its last evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeMismatch {
    /// The outcome that the end records.
    pub outcome: String,
    /// The last evaluation; `None` when there was none.
    pub evaluated: Option<&'static str>,
    /// Line of the last evaluation.
    pub line: u64,
}
