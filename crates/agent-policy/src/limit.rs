//! Limits on how often, how long and at what cost a rule may be used.

use super::request::Request;

/// A limit of a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// Approved actions of the type within a minute.
    PerMinute(u64),
    /// Approved actions of the type within an hour, in all executions that are known.
    PerHour(u64),
    /// Approved actions of the type in the execution.
    PerExecution(u64),
    /// Approved actions of any type within an hour, in all executions that are known.
    AllPerHour(u64),
    /// Cost of the UTC day so far, in all executions that are known.
    Cost(f64),
    /// Milliseconds that the execution's actions have taken so far.
    Busy(u64),
}

impl Limit {
    /// The key in policies.
    #[must_use]
    pub const fn key(&self) -> &'static str {
        match self {
            Self::PerMinute(_) => "max_per_minute",
            Self::PerHour(_) => "max_per_hour",
            Self::PerExecution(_) => "max_per_execution",
            Self::AllPerHour(_) => "max_executions_per_hour",
            Self::Cost(_) => "max_cost_per_day",
            Self::Busy(_) => "max_latency_per_task",
        }
    }

    /// Whether it is about an hour or a day, whatever executions are in it.
    #[must_use]
    pub const fn spans_executions(&self) -> bool {
        matches!(self, Self::PerHour(_) | Self::AllPerHour(_) | Self::Cost(_))
    }

    /// The count in the window, if the limit is used up.
    #[must_use]
    pub fn used_up(&self, request: &Request<'_>) -> Option<u64> {
        const MINUTE: i64 = 60_000;
        const HOUR: i64 = 60 * MINUTE;
        let (history, kind, now) = (request.history, request.action.kind, request.time);
        let (count, most) = match *self {
            Self::PerMinute(most) => (history.count(kind, Some(MINUTE), now), most),
            Self::PerHour(most) => (history.recent(kind, HOUR, now), most),
            Self::PerExecution(most) => (history.count(kind, None, now), most),
            Self::AllPerHour(most) => (history.recent_all(HOUR, now), most),
            Self::Busy(most) => (history.busy(), most),
            Self::Cost(most) => return (history.cost_of_day(now) >= most).then_some(0),
        };
        (count >= most).then_some(count)
    }

    /// The message that the limit is used up.
    #[must_use]
    pub fn exceeded(&self, count: u64) -> String {
        match *self {
            Self::PerMinute(most) => format!(
                "{count} approved actions of this type in the last minute; the rule grants {most}"
            ),
            Self::PerHour(most) => format!(
                "{count} approved actions of this type in the last hour; the rule grants {most}"
            ),
            Self::PerExecution(most) => {
                format!(
                    "{count} approved actions of this type in this execution; the rule grants {most}"
                )
            }
            Self::AllPerHour(most) => {
                format!("{count} approved actions in the last hour; the limit is {most}")
            }
            Self::Cost(most) => format!("actions have cost {most} or more on this day"),
            Self::Busy(most) => {
                format!("the execution's actions have taken {count} ms; the limit is {most} ms")
            }
        }
    }
}
