//! The facts that a replay establishes about one step.

use super::context::ContextBreak;
use super::machine::Movement;
use super::path_effects::PathEffects;
use governance::{Event, LedgerError, RiskLevel, State};
use std::sync::LazyLock;

/// What a step turned out to be. Rules read this; each field answers one question.
#[derive(Debug, Clone, Default)]
pub struct StepFacts {
    /// How the machine took it.
    pub movement: Option<Moved>,
    /// What stands behind a decision.
    pub decided: Option<Decided>,
    /// What stands behind something that ran.
    pub executed: Option<ExecutedFacts>,
    /// What hardly any step has.
    anomalies: Option<Box<Anomalies>>,
}

/// What is out of the ordinary about a step, beyond what stands behind decisions and executions.
#[derive(Debug, Clone, Default)]
pub struct Anomalies {
    /// Whether the turn numbers are in order.
    pub order: Option<TurnBreak>,
    /// The turns that are missing by the numbers may be in a record that was lost.
    pub turns_lost: bool,
    /// The time before it, when this one is earlier.
    pub reversal: Option<Reversal>,
    /// Something ran before the date of its decision, and only this step's time shows it.
    pub late_decision: Option<LateDecision>,
    /// The id that was used before.
    pub reuse: Option<Reuse>,
    /// What a chained record's `prev` should be.
    pub chain: Option<ChainBreak>,
    /// A proposal that is nobody's thought.
    pub not_thought: bool,
    /// A token that can't be issued.
    pub token: Option<LedgerError>,
    /// Tokens that something ran on before any was issued, and where.
    pub used_unissued: Vec<(String, u64)>,
    /// They may have been issued in a record that can't be read.
    pub tokens_lost: bool,
    /// A token that is revoked here, by a date before something ran on it, and where that was.
    pub used_revoked: Option<(String, u64)>,
    /// A token is issued by somebody whose id shows nothing.
    pub issued_by_nobody: bool,
    /// The action that an observation names, and the one that ran instead.
    pub observed_other: Option<(String, String)>,
    /// The execution was declared over, and the last evaluation says something else.
    pub outcome: Option<OutcomeMismatch>,
    /// The recorded risk is below what the analyser finds.
    pub understated: Option<(RiskLevel, RiskLevel)>,
    /// An agent that thinks, and that has signed a decision before: the line of that decision.
    pub late_agent: Option<(String, u64)>,
    /// An agent that thinks, and that has issued a token before: the line of that.
    pub late_issuer: Option<(String, u64)>,
    /// An agent that issues a token.
    pub issued_by_agent: Option<String>,
    /// An agent that isn't among those that the start records.
    pub stranger: Option<String>,
    /// Ids that look like others.
    pub confusable: Vec<Confusable>,
    /// What a start after a pause says otherwise than the one before.
    pub resumed: Resumed,
    /// Who governs this execution, where that is one of its agents.
    pub governing_agent: Option<String>,
    /// A recorded hash of the context doesn't fit the recorded messages.
    pub input_hash_wrong: bool,
    /// Why a proposed diff is none.
    pub malformed_diff: Option<String>,
    /// What is remarkable about a call of a session.
    pub call: Option<CallMark>,
    /// The same action was rejected before, under another id: that, and where.
    pub rejected_before: Option<(String, Option<u64>)>,
    /// What can't be about the context.
    pub context: Vec<ContextBreak>,
}

impl StepFacts {
    /// What is out of the ordinary about it.
    #[must_use]
    pub fn anomalies(&self) -> &Anomalies {
        static NONE: LazyLock<Anomalies> = LazyLock::new(Anomalies::default);
        self.anomalies.as_deref().unwrap_or_else(|| &NONE)
    }

    /// The same, to add something to it.
    pub fn anomalies_mut(&mut self) -> &mut Anomalies {
        self.anomalies.get_or_insert_default()
    }

    /// Takes note of a risk that is recorded below what the analyser finds. The first one counts.
    pub(super) fn understate(&mut self, understated: Option<(RiskLevel, RiskLevel)>) {
        if let Some(risks) = understated {
            self.anomalies_mut().understated.get_or_insert(risks);
        }
    }

    /// Takes note of a diff that is none. The first one counts.
    pub(super) fn malform(&mut self, reach: Option<&PathEffects>) {
        if let Some(why) = reach.and_then(|r| r.malformed.as_ref()) {
            self.anomalies_mut()
                .malformed_diff
                .get_or_insert_with(|| why.clone());
        }
    }

    /// Whether anything may be out of the ordinary, beyond what stands behind decisions and
    /// executions.
    #[must_use]
    pub fn is_odd(&self) -> bool {
        let moved_oddly = |m: Moved| {
            m.movement != Movement::Legal || m.breach.is_some() || m.event == Event::Concluded
        };
        self.anomalies.is_some() || self.movement.is_some_and(moved_oddly)
    }
}

/// Two ids that differ and look alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusable {
    /// The one that stands here.
    pub id: String,
    /// The one that it looks like.
    pub other: String,
    /// Where that stands.
    pub line: u64,
}

/// What a start after a pause says otherwise than the one before. What it doesn't say is unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Who governed before, and who does now.
    pub governor: Option<(String, String)>,
    /// The policy has another digest.
    pub policy: bool,
    /// More or fewer turns are allowed: before and now.
    pub max_turns: Option<(i64, i64)>,
    /// Something else is asked for.
    pub intent: bool,
    /// A session names another work tree.
    pub workdir: bool,
}

/// A movement with what led to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// What happened.
    pub event: Event,
    /// Where.
    pub before: State,
    /// How the machine took it.
    pub movement: Movement,
    /// What kind of break it is, if it is one.
    pub breach: Option<Breach>,
    /// The movement that a native log claims instead, from where to where.
    pub claimed: Option<(State, State)>,
}

/// The kinds of illegal movement. Exactly one rule speaks for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breach {
    /// Something happened before the start.
    NoStart,
    /// Something happened after the end.
    AfterTerminal,
    /// The execution started again while it was open, or after its end.
    Restart,
    /// A result or an observation outside its state.
    ResultOutsideState,
    /// Somebody's second thought in one turn.
    SecondThought,
    /// Anything else.
    Other,
}

/// The turn numbers are out of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnBreak {
    /// The next turn has the wrong number.
    Jump {
        /// The number that was due.
        expected: i64,
        /// The number that stands there.
        found: i64,
    },
    /// An event of another turn stands inside this one.
    Interleaved {
        /// The open turn.
        current: i64,
        /// The number that stands there.
        found: i64,
    },
}

/// Time went backwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reversal {
    /// The time before, in milliseconds since the epoch.
    pub previous: i64,
    /// Where it stands.
    pub line: u64,
    /// The time now.
    pub now: i64,
    /// Whose time that is.
    pub of: Clock,
}

/// A step may have two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// When it happened.
    Step,
    /// When the decision in it was made, by its own account.
    Decision,
}

/// What a decision allows ran before the decision's date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateDecision {
    /// The action.
    pub id: Option<String>,
    /// Where it ran.
    pub ran: u64,
}

/// An id was used twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reuse {
    /// Of what.
    pub of: &'static str,
    /// The id.
    pub id: String,
    /// Where it was used first.
    pub line: u64,
}

/// A chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainBreak {
    /// What `prev` says.
    pub found: Option<String>,
    /// What the record before hashes to; `None` where that carries no `prev` itself.
    pub expected: Option<String>,
    /// Where the record before stands; 0 when there is none.
    pub previous_line: u64,
}

/// What stands behind a decision.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decided {
    /// The id that the decision names, when it isn't the proposed one.
    pub other_action: Option<(String, String)>,
    /// The risk to judge by: the worse of what was recorded and what the analyser finds.
    pub risk: Option<RiskLevel>,
    /// An agent that signed.
    pub signed_by_agent: Option<String>,
    /// A governor that signed, and the one that governs.
    pub second_governor: Option<(String, String)>,
    /// Milliseconds that a human is said to have taken.
    pub human_millis: Option<i64>,
    /// What the modification changed beyond parameters.
    pub beyond_parameters: Option<&'static str>,
    /// Risk before and after the modification, when it rose.
    pub raised_risk: Option<(RiskLevel, RiskLevel)>,
    /// What is wrong with the lineage.
    pub lineage: Option<Lineage>,
    /// The proposal's line.
    pub proposal_line: Option<u64>,
    /// No proposal is on record that the decision could be about: what there is to say of it
    /// follows from that.
    pub unproposed: bool,
    /// The highest risk of what was thought, if that is all there is to decide about.
    pub thought_risk: Option<RiskLevel>,
}

/// How a modification's lineage is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lineage {
    /// The original isn't the proposed action.
    OtherOriginal {
        /// What is named.
        found: String,
        /// What was proposed.
        proposed: String,
    },
    /// The modified action has an id that is taken.
    IdTaken(String),
    /// A decision that is no modification holds a modified action.
    Unmodified(governance::Ruling),
}

/// What stands behind something that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutedFacts {
    /// The action's id.
    pub id: Option<String>,
    /// Who allowed it.
    pub approval: Approval,
    /// Whether it ran before.
    pub repeat: Option<Repeat>,
    /// It isn't what was approved.
    pub differs: bool,
    /// The token.
    pub token: TokenUse,
    /// Paths that changed without being declared, and declared ones that didn't change.
    pub undeclared: Option<(Vec<String>, Vec<String>)>,
    /// Paths that leave the work tree, but for those that a human has sent it to.
    pub leaves: Vec<super::path_effects::PathEscape>,
    /// Protected paths that were written without a human.
    pub protected: Vec<String>,
    /// Files that changed, though the action is low and a policy approved it as that.
    pub beyond_risk: Vec<String>,
    /// A policy approved it, and only where it ran the record shows that it is high.
    pub high_by_policy: bool,
    /// Line of the decision.
    pub decision_line: Option<u64>,
    /// It was decided about, and nothing was proposed: what there is to say of it follows from
    /// that.
    pub unproposed: bool,
    /// The decision that is missing may be in a record that can't be read.
    pub decision_lost: bool,
    /// The token that is missing may be in a record that can't be read.
    pub token_lost: bool,
}

impl ExecutedFacts {
    /// Something that ran and of which no more is known than this.
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
            beyond_risk: Vec::new(),
            high_by_policy: false,
            decision_line: None,
            unproposed: false,
            decision_lost: false,
            token_lost: false,
        }
    }
}

/// What is remarkable about a call of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallMark {
    /// The call.
    pub id: Option<String>,
    /// What.
    pub kind: CallMarkKind,
}

/// The kinds of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMarkKind {
    /// No result is on record.
    Unmatched {
        /// It is the last call of its input.
        last: bool,
    },
    /// It was stopped, and may have run in part.
    Interrupted,
    /// Only a text says that it was rejected.
    RejectedByText,
    /// A result without a call.
    ResultWithoutCall,
    /// A call that the agent claims in a text; the id is the tool.
    Claimed,
    /// A second result, and another one.
    AmbiguousResult,
    /// Another source says the opposite of the decision.
    Contradicted,
    /// It was rejected, and ran.
    RejectedAndRan,
}

/// Who allowed an action to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// The governor did.
    Given,
    /// Nobody did.
    Missing,
    /// The governor refused.
    Rejected,
    /// The governor did, by a decision that is dated after it had run on this line.
    Late(u64),
    /// The approval is for another action; the decision has been reported.
    Misdirected,
    /// It can't be told: not recorded, or not readable.
    Unknown,
}

/// An action ran before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// Whether it succeeded then.
    pub succeeded: bool,
    /// Where.
    pub line: u64,
}

/// The token that an action ran on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenUse {
    /// Tokens aren't in force, or a live one covers the action.
    Fine,
    /// None covers it.
    None(Option<String>),
    /// Nobody has issued it so far.
    NotIssued(String),
    /// It is issued, by a record that is dated behind its use.
    IssuedLater(String),
    /// It was revoked.
    Revoked(String),
    /// Its scope or what it grants doesn't cover the action.
    OutOfScope(String),
}

/// An execution's end contradicts its last evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeMismatch {
    /// What the end says.
    pub outcome: String,
    /// What the last evaluation said; `None` when there was none.
    pub evaluated: Option<&'static str>,
    /// Where.
    pub line: u64,
}
