//! Requests to a policy, and the history of approvals.

use super::action::{Action, type_bit};
use super::timeline::SortedTimeline;
use borsh::{BorshDeserialize, BorshSerialize};
use governance::{ActionType, RiskLevel};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A request to a policy: may this action run?
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The proposed action.
    pub action: &'a Action,
    /// The stated risk. It only counts if it is higher than the computed one.
    pub risk: Option<RiskLevel>,
    /// The number of the turn, if it is recorded.
    pub turn: Option<u64>,
    /// The agent that proposes the action.
    pub agent: Option<&'a str>,
    /// The mode of the runtime.
    pub mode: Option<&'a str>,
    /// Whether this is a production environment.
    pub production: bool,
    /// The time in milliseconds since the epoch. Without it, every past approval counts as recent.
    pub time: Option<i64>,
    /// The past approvals of this execution.
    pub history: &'a History,
}

impl<'a> Request<'a> {
    /// A request about an action without context.
    #[must_use]
    pub fn new(action: &'a Action, history: &'a History) -> Self {
        Self {
            action,
            risk: None,
            turn: None,
            agent: None,
            mode: None,
            production: false,
            time: None,
            history,
        }
    }
}

/// A past approval.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Past {
    /// Type of the action.
    pub kind: Option<ActionType>,
    /// Tool of a tool call.
    pub tool: Option<String>,
    pub risk: RiskLevel,
    /// The time in milliseconds since the epoch.
    pub time: Option<i64>,
    /// Whether a human approved it, not the policy.
    pub by_human: bool,
}

/// The past approvals of one execution. Rejected actions aren't part of it.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The approvals by type and time. Approvals without a time are in every window.
    approved: BTreeMap<u8, ApprovalTimes>,
    /// The highest risk that a human has approved, by tool.
    tools: BTreeMap<String, RiskLevel>,
    cost: f64,
    /// The part of the cost without a time.
    undated_cost: f64,
    busy: u64,
    /// What happened in all executions, and the number of the present entry.
    across: Option<(Arc<SortedTimeline>, u64)>,
}

/// The approvals and costs of one execution that have no time.
#[derive(Debug, Clone, PartialEq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Undated {
    /// Numbers of approvals, in the order of [`ALL_KINDS`].
    approvals: [u64; 5],
    cost: f64,
}

#[derive(Debug, Clone, Default)]
struct ApprovalTimes {
    /// Each time with the number of approvals up to and including it.
    known: Vec<(i64, u64)>,
    unknown: u64,
}

impl ApprovalTimes {
    fn add(&mut self, time: i64, count: u64) {
        let at = self.known.partition_point(|(t, _)| *t < time);
        if self.known.get(at).is_none_or(|(t, _)| *t != time) {
            self.known.insert(at, (time, self.before(at)));
        }
        for (_, up_to) in self.known.iter_mut().skip(at) {
            *up_to = up_to.saturating_add(count);
        }
    }

    /// The number of approvals before an index.
    fn before(&self, index: usize) -> u64 {
        index
            .checked_sub(1)
            .and_then(|last| self.known.get(last))
            .map_or(0, |(_, up_to)| *up_to)
    }
}

/// All types of actions, the unknown ones last.
const ALL_KINDS: [Option<ActionType>; 5] = [
    Some(ActionType::ToolCall),
    Some(ActionType::ShellCmd),
    Some(ActionType::CodeDiff),
    Some(ActionType::Answer),
    None,
];

impl History {
    /// Adds an approval.
    pub fn approve(&mut self, past: &Past) {
        self.approve_times(past, 1);
    }

    /// Adds `count` equal approvals, in constant time.
    pub fn approve_times(&mut self, past: &Past, count: u64) {
        if count == 0 {
            return;
        }
        let times = self.approved.entry(type_bit(past.kind)).or_default();
        match past.time {
            Some(time) => times.add(time, count),
            None => times.unknown = times.unknown.saturating_add(count),
        }
        if let (true, Some(tool)) = (past.by_human, &past.tool) {
            let risk = self.tools.entry(tool.clone()).or_insert(past.risk);
            *risk = past.risk.max(*risk);
        }
    }

    /// Adds the cost of an action, in the unit of the policy's limit, and its duration.
    pub fn spend(&mut self, cost: f64, milliseconds: u64) {
        self.spend_at(None, cost, milliseconds);
    }

    /// Like [`Self::spend`], at a time.
    pub fn spend_at(&mut self, time: Option<i64>, cost: f64, milliseconds: u64) {
        if cost.is_finite() && cost > 0.0 {
            self.cost += cost;
            if time.is_none() {
                self.undated_cost += cost;
            }
        }
        self.busy = self.busy.saturating_add(milliseconds);
    }

    /// What has no time.
    pub(crate) fn undated(&self) -> Undated {
        let unknown = |kind| self.approved.get(&type_bit(kind)).map_or(0, |t| t.unknown);
        Undated {
            approvals: ALL_KINDS.map(unknown),
            cost: self.undated_cost,
        }
    }

    /// What limits per hour and day count: a timeline up to the entry with this number, which
    /// contains the dated approvals and costs of this execution, and its undated ones.
    pub(crate) fn across(undated: &Undated, timeline: &Arc<SortedTimeline>, number: u64) -> Self {
        let approved = ALL_KINDS.into_iter().zip(undated.approvals);
        let approved = approved.map(|(kind, unknown)| {
            let times = ApprovalTimes {
                unknown,
                ..ApprovalTimes::default()
            };
            (type_bit(kind), times)
        });
        Self {
            approved: approved.collect(),
            undated_cost: undated.cost,
            across: Some((Arc::clone(timeline), number)),
            ..Self::default()
        }
    }

    /// The number of approved actions of a type in the window that ends at `now`, in all executions
    /// that are known.
    #[must_use]
    pub fn recent(&self, kind: Option<ActionType>, window: i64, now: Option<i64>) -> u64 {
        let (Some((timeline, number)), Some(now)) = (&self.across, now) else {
            return self.count(kind, Some(window), now);
        };
        let undated = self.approved.get(&type_bit(kind)).map_or(0, |t| t.unknown);
        undated.saturating_add(timeline.count(kind, window, (now, *number)))
    }

    /// Like [`Self::recent`], over all types.
    #[must_use]
    pub fn recent_all(&self, window: i64, now: Option<i64>) -> u64 {
        let kinds = ALL_KINDS.into_iter();
        kinds.fold(0, |sum: u64, kind| {
            sum.saturating_add(self.recent(kind, window, now))
        })
    }

    /// What all known executions have cost on the UTC day of `now`. Without a time or other
    /// executions, what this one has cost.
    #[must_use]
    pub fn cost_of_day(&self, now: Option<i64>) -> f64 {
        match (&self.across, now) {
            (Some((timeline, number)), Some(now)) => {
                self.undated_cost + timeline.cost_of_day((now, *number))
            }
            _ => self.cost,
        }
    }

    /// The number of approved actions of a type in the window that ends at `now`. Without a window
    /// or a time, all of them.
    #[must_use]
    pub fn count(&self, kind: Option<ActionType>, window: Option<i64>, now: Option<i64>) -> u64 {
        let Some(times) = self.approved.get(&type_bit(kind)) else {
            return 0;
        };
        let known = match (window, now) {
            (Some(window), Some(now)) => {
                let until =
                    |time: i64| times.before(times.known.partition_point(|(t, _)| *t <= time));
                until(now).saturating_sub(until(now.saturating_sub(window)))
            }
            _ => times.before(times.known.len()),
        };
        times.unknown.saturating_add(known)
    }

    /// Like [`Self::count`], over all types.
    #[must_use]
    pub fn count_all(&self, window: Option<i64>, now: Option<i64>) -> u64 {
        let kinds = ALL_KINDS.into_iter();
        kinds.fold(0, |sum: u64, kind| {
            sum.saturating_add(self.count(kind, window, now))
        })
    }

    /// What the execution has cost so far.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Milliseconds that the execution's actions have taken so far.
    #[must_use]
    pub fn busy(&self) -> u64 {
        self.busy
    }

    /// Whether a human has approved this tool in this session, at the same or a higher risk. High
    /// risk always needs a new approval.
    #[must_use]
    pub fn has_approved(&self, tool: &str, risk: RiskLevel) -> bool {
        risk != RiskLevel::High
            && self
                .tools
                .get(tool)
                .is_some_and(|approved| *approved >= risk)
    }

    /// Whether nothing was approved yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.approved.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(time: Option<i64>, risk: RiskLevel, by_human: bool) -> Past {
        Past {
            kind: Some(ActionType::ToolCall),
            tool: Some("write_file".into()),
            risk,
            time,
            by_human,
        }
    }

    #[test]
    fn windows_are_open_at_their_start() {
        let mut history = History::default();
        for time in [70_000, 10_000, 60_000] {
            history.approve(&past(Some(time), RiskLevel::Low, false));
        }
        let count = |now| history.count(Some(ActionType::ToolCall), Some(60_000), Some(now));
        assert_eq!(count(70_000), 2, "10 s is a whole window ago");
        assert_eq!(count(69_999), 2);
        assert_eq!(count(130_000), 0);
        assert_eq!(history.count(Some(ActionType::ToolCall), None, None), 3);
        assert_eq!(
            history.count(Some(ActionType::ToolCall), Some(60_000), None),
            3,
            "without a time all count"
        );
        assert_eq!(history.count(Some(ActionType::ShellCmd), None, None), 0);
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        let (mut one_by_one, mut at_once) = (History::default(), History::default());
        for (time, count) in [
            (Some(50), 3),
            (Some(10), 2),
            (None, 4),
            (Some(50), 1),
            (Some(30), 0),
            (Some(20), 5),
            (Some(90), 1),
        ] {
            let past = past(time, RiskLevel::Low, false);
            (0..count).for_each(|_| one_by_one.approve(&past));
            at_once.approve_times(&past, count);
        }
        for now in (0..=100).step_by(5).map(Some).chain([None]) {
            for window in [None, Some(10), Some(35), Some(1000)] {
                let count =
                    |history: &History| history.count(Some(ActionType::ToolCall), window, now);
                assert_eq!(count(&one_by_one), count(&at_once), "{now:?} {window:?}");
            }
        }
        assert_eq!(
            at_once.count(Some(ActionType::ToolCall), Some(40), Some(50)),
            4 + 4 + 5
        );
        at_once.approve_times(&past(Some(60), RiskLevel::Low, false), u64::MAX);
        assert_eq!(
            at_once.count(Some(ActionType::ToolCall), Some(40), Some(60)),
            u64::MAX - 3,
            "too many don't come round"
        );
    }

    #[test]
    fn a_session_remembers_what_a_human_approved_and_never_high_risk() {
        let mut history = History::default();
        history.approve(&past(None, RiskLevel::High, false));
        assert!(
            !history.has_approved("write_file", RiskLevel::Low),
            "the policy's own approvals don't count"
        );
        history.approve(&past(None, RiskLevel::Medium, true));
        assert!(
            history.has_approved("write_file", RiskLevel::Medium)
                && history.has_approved("write_file", RiskLevel::Low)
        );
        assert!(
            !history.has_approved("write_file", RiskLevel::High)
                && !history.has_approved("other", RiskLevel::Low)
        );
    }
}
