//! Decisions that depend on what other executions have done: they are completed once all
//! executions are known.

use crate::action::Action;
use crate::condition::{Condition, Predicate};
use crate::decide::Decision;
use crate::effect::{Effect, Tristate};
use crate::facts::Facts;
use crate::limit::Limit;
use crate::model::{Combine, Policy, Rule};
use crate::recorded_decision::{Drift, DriftedDecision, RecordedDecision, UnrecordedContext};
use crate::request::{History, Request, Undated};
use crate::timeline::{Moment, SortedTimeline};
use borsh::{BorshDeserialize, BorshSerialize};
use governance::{ActionType, Ruling};
use serde_json::Value;
use std::sync::Arc;

/// A rule that matches, or whose limit over all executions decides whether it does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
struct Match {
    /// Index of the rule.
    rule: u32,
    /// Whether the action certainly matches; otherwise that can't be determined.
    is_certain: bool,
    /// The first limit within the execution that is used up: its index and the count.
    used_up: Option<(u32, u64)>,
}

/// The rules that match in one of the possible contexts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
struct MatchesIn {
    /// The unrecorded context that this assumes, if any.
    if_so: Option<String>,
    matches: Box<[Match]>,
}

/// The rules that match in each of the possible contexts. There may be hundreds of contexts, but
/// many decisions have equal ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub struct PossibleMatches(Box<[MatchesIn]>);

impl PossibleMatches {
    /// The number of contexts and matches, which memory grows with.
    #[must_use]
    pub fn size(&self) -> usize {
        let sizes = self.0.iter().map(|context| 1 + context.matches.len());
        sizes.sum()
    }
}

/// A decision for which limits per hour or day count what other executions have done. It contains
/// no text of the action. The caller keeps its [`PossibleMatches`].
#[derive(Debug, Clone, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct PendingDecision {
    ruling: Ruling,
    by_human: bool,
    kind: Option<ActionType>,
    at: Moment,
    /// What the execution has done before without a time.
    undated: Undated,
}

/// How a recorded decision compares with the policy's.
#[derive(Debug)]
pub enum DecisionComparison<'p> {
    Same,
    Drifted(DriftedDecision<'p>),
    /// Other executions must be known first.
    Pending(PendingDecision, PossibleMatches),
}

impl Match {
    /// Returns whether a rule that has this match decides, whatever later rules say.
    fn settles(&self, rule: &Rule, combine: Combine) -> bool {
        self.is_certain
            && spanning_condition(rule).is_none()
            && (combine == Combine::FirstMatch || rule.effect == Effect::Deny)
    }
}

/// The limit of the whole policy that a rule enforces, if it is one over all executions.
fn spanning_condition(rule: &Rule) -> Option<&Limit> {
    match &rule.when {
        Condition::Is(Predicate::UsedUp(limit), _) if limit.spans_executions() => Some(limit),
        _ => None,
    }
}

impl Rule {
    /// Whether it has a limit over all executions.
    pub(crate) fn counts_across_executions(&self) -> bool {
        spanning_condition(self).is_some() || self.limits.iter().any(Limit::spans_executions)
    }
}

impl Policy {
    /// The rules that match a request, before limits over all executions are applied.
    fn matches(&self, facts: &Facts<'_>, request: &Request<'_>) -> Vec<Match> {
        let mut matches = Vec::new();
        for index in self.rules.prefilter().candidates(facts) {
            let Some(rule) = self.rules.get(index) else {
                break;
            };
            let holds = match spanning_condition(rule) {
                Some(_) => Tristate::Yes,
                None => rule.matches(facts, request),
            };
            if holds == Tristate::No {
                continue;
            }
            let mut within = (0..).zip(&rule.limits);
            let found = Match {
                rule: u32::try_from(index).unwrap_or(u32::MAX),
                is_certain: holds == Tristate::Yes,
                used_up: within.find_map(|(number, limit)| {
                    let count = limit.used_up(request).filter(|_| !limit.spans_executions());
                    Some((number, count?))
                }),
            };
            let settles = found.settles(rule, self.combine);
            matches.push(found);
            if settles {
                break;
            }
        }
        matches
    }

    /// Applies the limits over all executions to the rules that match.
    fn decide_from(&self, matches: &[Match], request: &Request<'_>) -> Decision<'_> {
        let mut of_rules = matches.iter();
        let indexes = matches.iter().map(|one| one.rule as usize);
        self.decide_by(indexes, |rule| {
            let found = of_rules.next();
            let of_policy = spanning_condition(rule);
            let holds = match (found, of_policy) {
                (None, _) => Tristate::No,
                (_, Some(limit)) => Tristate::from_bool(limit.used_up(request).is_some()),
                (Some(found), None) if found.is_certain => Tristate::Yes,
                (Some(_), None) => Tristate::Maybe,
            };
            let within = found.and_then(|found| found.used_up);
            let mut limits = (0..).zip(&rule.limits).filter(|_| holds != Tristate::No);
            let used_up = limits.find_map(|(number, limit)| {
                let count = match within {
                    _ if limit.spans_executions() => limit.used_up(request)?,
                    Some((first, count)) if first == number => count,
                    _ => return None,
                };
                Some((*limit, count))
            });
            (holds, used_up)
        })
    }
}

impl UnrecordedContext {
    /// Compares a recorded decision with the policy's, over all possible contexts. The first
    /// difference counts. `number` is that of the next entry of the timeline.
    #[must_use]
    pub fn compare<'p>(
        &self,
        policy: &'p Policy,
        decided: &RecordedDecision,
        (history, number): (&History, u64),
    ) -> DecisionComparison<'p> {
        let moved = decided.moved(policy);
        let action = moved.as_ref().unwrap_or(&decided.action);
        let facts = Facts::new(action, decided.risk, &policy.surroundings);
        let counts = |found: &Match| {
            let rule = policy.rules.get(found.rule as usize);
            rule.is_some_and(Rule::counts_across_executions)
        };
        let mut contexts: Vec<MatchesIn> = Vec::new();
        for (production, mode, if_so) in self.combinations() {
            let request = Request {
                action,
                mode,
                production,
                ..decided.request(history)
            };
            let matches = policy.matches(&facts, &request);
            let is_pending = decided.time.is_some() && matches.iter().any(counts);
            if is_pending || !contexts.is_empty() {
                // Equal matches give equal decisions, and the first counts.
                if contexts.iter().all(|context| *context.matches != *matches) {
                    let matches = matches.into();
                    contexts.push(MatchesIn { if_so, matches });
                }
                continue;
            }
            let decision = policy.decide_from(&matches, &request);
            if let Some(drift) = Drift::between(decided.ruling, decided.by_human, &decision) {
                return DecisionComparison::Drifted(DriftedDecision {
                    drift,
                    decision,
                    if_so,
                });
            }
        }
        match decided.time {
            Some(time) if !contexts.is_empty() => {
                let pending = PendingDecision {
                    ruling: decided.ruling,
                    by_human: decided.by_human,
                    kind: action.kind,
                    at: (time, number),
                    undated: history.undated(),
                };
                DecisionComparison::Pending(pending, PossibleMatches(contexts.into()))
            }
            _ => DecisionComparison::Same,
        }
    }
}

impl PendingDecision {
    /// Moves it behind this number of entries.
    pub fn shift(&mut self, entries: u64) {
        self.at.1 = self.at.1.saturating_add(entries);
    }

    /// The first difference between the recorded decision and the policy's, once all executions are
    /// known.
    #[must_use]
    pub fn drift<'p>(
        &self,
        policy: &'p Policy,
        possible: &PossibleMatches,
        timeline: &Arc<SortedTimeline>,
    ) -> Option<DriftedDecision<'p>> {
        let action = Action {
            kind: self.kind,
            kind_name: String::new(),
            tool: None,
            other_tool: None,
            payload: Value::Null,
        };
        let (time, number) = self.at;
        let history = History::across(&self.undated, timeline, number);
        let request = Request {
            time: Some(time),
            ..Request::new(&action, &history)
        };
        possible.0.iter().find_map(|context| {
            let decision = policy.decide_from(&context.matches, &request);
            let drift = Drift::between(self.ruling, self.by_human, &decision)?;
            Some(DriftedDecision {
                drift,
                decision,
                if_so: context.if_so.clone(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::load;
    use crate::request::Past;
    use crate::timeline::Timeline;
    use governance::RiskLevel;
    use proptest::prelude::*;

    const HOUR: i64 = 3_600_000;

    /// Limits of every kind, certain and uncertain matches, and both ways to combine rules.
    const RULES: &str = "
  - { id: some, when: { command: { program: ls }, max_per_hour: 2, max_per_execution: 3 }, effect: allow, reason: r }
  - { id: ask, when: { command: { program: ls, arg: -l }, max_per_minute: 1, max_per_hour: 3 }, effect: require_approval, reason: r }
  - { id: mode, when: { mode: night, max_per_hour: 1 }, effect: allow, reason: r }
  - { id: production, when: { production: true, command: { program: cat } }, effect: deny, reason: r }
  - { id: cat, when: { command: { program: cat } }, effect: allow, reason: r }
";
    const LIMITS: &str =
        "limits: {max_executions_per_hour: 2, max_cost_per_day: 5, max_latency_per_task: 900}
dangerous_commands: [{pattern: rm, severity: high, action: block}]
";

    fn policies() -> Vec<Policy> {
        let pack = |combine: &str| {
            format!("version: 1\nid: p\ncombine: {combine}\ndefault: deny\nrules:{RULES}")
        };
        let texts = [
            pack("first-match"),
            pack("deny-overrides"),
            LIMITS.to_owned(),
        ];
        let loaded = texts.iter().map(|text| load("p", text));
        loaded.map(|policy| policy.unwrap()).collect()
    }

    proptest! {
        /// An execution alone decides as its history does; with others, as one history of all does.
        #[test]
        fn pending_decisions_count_all_executions(
            which in 0usize..3,
            // Whether it is of this execution, minutes before the next, whether by a human, cost.
            events in proptest::collection::vec((any::<bool>(), 0i64..50, any::<bool>(), 0.0..3.0), 0..8),
            command in prop::sample::select(vec!["ls", "ls -l", "ls $x", "cat a", "$y", "rm x"]),
            approved in any::<bool>(),
            production in prop::option::of(any::<bool>()),
        ) {
            let policy = &policies()[which];
            let kind = Some(ActionType::ShellCmd);
            let mut time = 20_000 * 24 * HOUR + 22 * HOUR;
            let mut own = History::default();
            let mut timeline = Timeline::default();
            let mut numbers = 0..;
            for (is_own, minutes, by_human, cost) in events {
                let past = Past { kind, tool: None, risk: RiskLevel::Low, time: Some(time), by_human };
                timeline.approve(kind, (time, numbers.next().unwrap()));
                timeline.spend(cost, (time, numbers.next().unwrap()));
                if is_own {
                    own.approve(&past);
                    own.spend_at(Some(time), cost, 0);
                }
                time += minutes * 60_000;
            }
            let decided = RecordedDecision {
                action: Action::shell(command),
                risk: None,
                ruling: if approved { Ruling::Approved } else { Ruling::Rejected },
                by_human: false,
                agent: None,
                turn: Some(1),
                time: Some(time),
                digest: None,
                root: None,
            };
            let timeline = Arc::new(timeline.sorted());
            let number = numbers.next().unwrap();
            // What limits within the execution count comes from its own history, the rest from all.
            let expected = |request: &Request<'_>| {
                let across = History::across(&own.undated(), &timeline, number);
                let facts = Facts::new(request.action, request.risk, &policy.surroundings);
                let all = policy.rules.prefilter().candidates(&facts);
                let decision = policy.decide_by(all, |rule| {
                    let spans = Request { history: &across, ..*request };
                    let of_policy = spanning_condition(rule).is_some();
                    let holds = rule.matches(&facts, if of_policy { &spans } else { request });
                    let limits = rule.limits.iter().filter(|_| holds != Tristate::No);
                    let used = limits.into_iter().find_map(|limit| {
                        let request = if limit.spans_executions() { &spans } else { request };
                        Some((*limit, limit.used_up(request)?))
                    });
                    (holds, used)
                });
                Drift::between(decided.ruling, false, &decision)
                    .map(|drift| (drift, decision.rule_id().to_owned(), decision.reason().into_owned()))
            };
            let context = UnrecordedContext::new(policy, production, None);
            let wanted = context.combinations().find_map(|(production, mode, if_so)| {
                let request = Request { mode, production, ..decided.request(&own) };
                expected(&request).map(|found| (found, if_so))
            });
            let compared = context.compare(policy, &decided, (&own, number));
            let found = match &compared {
                DecisionComparison::Same => None,
                DecisionComparison::Drifted(drifted) => Some(named(drifted)),
                DecisionComparison::Pending(pending, possible) => {
                    let bytes = borsh::to_vec(&(pending, possible)).unwrap();
                    let read: (PendingDecision, PossibleMatches) = borsh::from_slice(&bytes).unwrap();
                    prop_assert_eq!((&read.0, &read.1), (pending, possible));
                    read.0.drift(policy, &read.1, &timeline).as_ref().map(named)
                }
            };
            prop_assert_eq!(found, wanted);
        }
    }

    fn named(drifted: &DriftedDecision<'_>) -> ((Drift, String, String), Option<String>) {
        let decision = &drifted.decision;
        let (rule, reason) = (
            decision.rule_id().to_owned(),
            decision.reason().into_owned(),
        );
        ((drifted.drift, rule, reason), drifted.if_so.clone())
    }
}
