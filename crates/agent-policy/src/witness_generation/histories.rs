//! Questions after past approvals.

use crate::limit::Limit;
use crate::question::{Approvals, Question};
use crate::request::Past;
use governance::RiskLevel;

/// Maximum number of approvals in a history.
const MAX_APPROVALS: u64 = 50_000;
/// The time of the questions.
const NOW: i64 = 1_768_800_000_000;

/// The question after approvals at and just around each limit, both recent and old.
pub(super) fn histories(
    question: &Question,
    limits: &[Limit],
    approved_before: bool,
) -> Vec<Question> {
    const MINUTE: i64 = 60_000;
    let mut all = Vec::new();
    let mut add = |count: u64, ago: Option<i64>, cost: u32, busy: u64, by_human: bool| {
        let mut asked = question.clone();
        asked.context.time = ago.map(|_| NOW);
        let each = Past {
            kind: asked.action.kind,
            tool: asked.action.tool.clone().filter(|_| by_human),
            risk: if by_human {
                RiskLevel::Medium
            } else {
                RiskLevel::Low
            },
            time: ago.map(|ago| NOW - ago),
            by_human,
        };
        asked.past.push(Approvals {
            each,
            count,
            cost,
            busy,
        });
        all.push(asked);
    };
    for limit in limits {
        let counts = |most: u64| [most.saturating_sub(1), most, most.saturating_add(1)];
        match *limit {
            Limit::PerMinute(most)
            | Limit::PerHour(most)
            | Limit::PerExecution(most)
            | Limit::AllPerHour(most) => {
                for count in counts(most)
                    .into_iter()
                    .filter(|count| (1..=MAX_APPROVALS).contains(count))
                {
                    // Within each window and just beyond it. Without a time, all approvals count.
                    for ago in [
                        None,
                        Some(MINUTE / 2),
                        Some(MINUTE),
                        Some(30 * MINUTE),
                        Some(60 * MINUTE),
                        Some(600 * MINUTE),
                    ] {
                        add(count, ago, 0, 0, false);
                    }
                }
            }
            Limit::Cost(most) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "saturates, which suits a sum of money"
                )]
                let whole = most.ceil() as u32;
                for cost in [whole.saturating_sub(1), whole, whole.saturating_add(1)] {
                    add(1, None, cost, 0, false);
                }
            }
            Limit::Busy(most) => {
                for busy in counts(most) {
                    add(1, None, 0, busy, false);
                }
            }
        }
    }
    if approved_before {
        add(1, None, 0, 0, true);
    }
    all
}
