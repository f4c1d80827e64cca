//! Recorded decisions, and how they relate to what a policy decides now.

use crate::action::Action;
use crate::condition::{Condition, Predicate};
use crate::decide::{Cause, Decision};
use crate::effect::Effect::{Allow, Deny, RequireApproval};
use crate::facts::Facts;
use crate::model::{Policy, Rule};
use crate::name::Name;
use crate::request::{History, Request};
use crate::witness_generation::spelled;
use governance::{RiskLevel, Ruling};
use std::collections::HashSet;

/// Modes that are tried where none is recorded.
const MAX_MODES: usize = 200;

/// A decision as it was recorded.
#[derive(Debug, Clone)]
pub struct RecordedDecision {
    /// What was decided about: the action as a human has changed it, where one has.
    pub action: Action,
    /// The risk that was recorded.
    pub risk: Option<RiskLevel>,
    /// What was decided.
    pub ruling: Ruling,
    /// A human decided, and not the policy.
    pub by_human: bool,
    /// Who had proposed it.
    pub agent: Option<String>,
    /// In which turn.
    pub turn: Option<i64>,
    /// When, in milliseconds since the epoch; no earlier than the decisions before it in the
    /// execution.
    pub time: Option<i64>,
    /// The digest of the policy that was in force.
    pub digest: Option<String>,
}

impl RecordedDecision {
    /// The question that was decided.
    #[must_use]
    pub fn request<'a>(&'a self, history: &'a History) -> Request<'a> {
        Request {
            action: &self.action,
            risk: self.risk,
            turn: self.turn.and_then(|t| u64::try_from(t).ok()).unwrap_or(1),
            agent: self.agent.as_deref(),
            mode: None,
            production: false,
            time: self.time,
            history,
        }
    }
}

/// What a policy may ask for, and no trace records: whether it was production, and in which mode
/// the runtime was.
#[derive(Debug, Clone)]
pub struct UnrecordedContext {
    /// The ways that it may have been: first what is taken for granted, then what the policy tells
    /// from it.
    ways: Vec<(bool, Option<String>)>,
}

/// A recorded decision that would be another one.
#[derive(Debug)]
pub struct DriftedDecision<'p> {
    /// How it stands to the new one.
    pub drift: Drift,
    /// The new one.
    pub decision: Decision<'p>,
    /// What must have been so for that, if no trace tells it.
    pub if_so: Option<String>,
}

impl UnrecordedContext {
    /// What the policy asks for of what isn't known.
    #[must_use]
    pub fn of(policy: &Policy, production: Option<bool>, mode: Option<&str>) -> Self {
        let asks = |key: &str| policy.rules.iter().any(|rule| rule.keys().contains(key));
        let productions = match production {
            Some(known) => vec![known],
            None if asks("production") => vec![false, true],
            None => vec![false],
        };
        let mut modes = vec![mode.map(str::to_owned)];
        if mode.is_none() {
            modes.extend(modes_of(policy).into_iter().take(MAX_MODES).map(Some));
        }
        let ways = modes.iter().flat_map(|mode| {
            productions
                .iter()
                .map(|production| (*production, mode.clone()))
        });
        Self {
            ways: ways.collect(),
        }
    }

    /// What a policy has against a decision, in any of the ways that it may have been made.
    #[must_use]
    pub fn drift<'p>(
        &self,
        policy: &'p Policy,
        decided: &RecordedDecision,
        history: &History,
    ) -> Option<DriftedDecision<'p>> {
        let facts = Facts::new(&decided.action, decided.risk, &policy.surroundings);
        self.ways
            .iter()
            .enumerate()
            .find_map(|(number, (production, mode))| {
                let request = Request {
                    production: *production,
                    mode: mode.as_deref(),
                    ..decided.request(history)
                };
                let decision = policy.decide_on(&facts, &request);
                let drift = Drift::between(decided, &decision)?;
                let named = mode.as_ref().map(|mode| format!("the mode was `{mode}`"));
                let told = || {
                    [production.then(|| "it was production".to_owned()), named]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>()
                };
                Some(DriftedDecision {
                    drift,
                    decision,
                    if_so: (number > 0).then(|| told().join(" and ")),
                })
            })
    }
}

/// A name for each of the modes that the policy tells apart, and one for each choice of a regular
/// expression.
fn modes_of(policy: &Policy) -> Vec<String> {
    let mut modes = Vec::new();
    for rule in policy.rules.iter() {
        rule.when.walk(true, &mut |condition, _| {
            let Condition::Is(Predicate::Mode(names), _) = condition else {
                return;
            };
            for name in names {
                let choices = if matches!(name, Name::Regex(..)) {
                    usize::MAX
                } else {
                    1
                };
                let spelled = spelled(std::slice::from_ref(name))
                    .into_iter()
                    .take(choices);
                modes.extend(spelled.filter(|mode| !mode.is_empty()));
            }
        });
    }
    let mut seen = HashSet::new();
    modes.retain(|mode| seen.insert(mode.clone()));
    modes
}

/// How a recorded decision stands to what a policy says now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Drift {
    /// Approved, and the policy denies.
    NowDenies,
    /// Approved by policy, and the policy asks.
    NowAsks,
    /// Rejected by policy, and the policy allows.
    NowAllows,
    /// Approved beyond a limit of the policy.
    OverLimit,
}

impl Drift {
    /// The code of the rule that is about it.
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::NowDenies => 501,
            Self::NowAsks => 502,
            Self::NowAllows => 503,
            Self::OverLimit => 505,
        }
    }

    /// Compares a recorded decision with one of a policy; none when they agree, or when the policy
    /// leaves to a human what a human decided.
    #[must_use]
    pub fn between(recorded: &RecordedDecision, now: &Decision<'_>) -> Option<Self> {
        let limited = match &now.cause {
            Cause::Limit(..) => true,
            Cause::Matches => now.rule.is_some_and(Rule::is_limit),
            Cause::MayMatch | Cause::Default(_) => false,
        };
        match (recorded.ruling.permits(), now.effect) {
            (true, Deny) if limited => Some(Self::OverLimit),
            (true, Deny) => Some(Self::NowDenies),
            (true, RequireApproval) if !recorded.by_human => Some(Self::NowAsks),
            (false, Allow) if !recorded.by_human => Some(Self::NowAllows),
            _ => None,
        }
    }
}
