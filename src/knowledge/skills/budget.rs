//! Budgets of skills and agents per day, hour and task, compared with the recorded use.

use crate::diag::{Finding, Severity};
use crate::knowledge::extract::Turn;
use crate::knowledge::source_config::finding;
use std::collections::BTreeMap;
use util::time::format_minute;

/// The limits of one skill or agent. Costs are in the unit of the records; days and hours are in
/// UTC.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    /// Maximum cost per day, hour and task.
    pub cost: [Option<f64>; 3],
    /// Maximum number of uses per day, hour and task.
    pub uses: [Option<u64>; 3],
    /// Maximum number of tokens per day, hour and task.
    pub tokens: [Option<u64>; 3],
    /// Maximum duration of one use in milliseconds.
    pub latency: Option<f64>,
}

impl Budget {
    /// Whether there are no limits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the number of tokens is limited.
    pub(super) fn limits_tokens(&self) -> bool {
        self.tokens.iter().any(Option::is_some)
    }

    /// Whether a use records something that is limited.
    fn measures(&self, turn: &Turn, cost: Option<f64>) -> bool {
        let some = |limits: &[Option<u64>; 3]| limits.iter().any(Option::is_some);
        some(&self.uses)
            || self.cost.iter().any(Option::is_some) && cost.is_some()
            || some(&self.tokens) && turn.tokens.is_some()
            || self.latency.is_some() && turn.duration.is_some()
    }
}

/// A skill or agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Who<'w> {
    /// The name in the form in which uses are counted together.
    pub(super) key: &'w str,
    /// The name as reports show it.
    pub(super) shown: &'w str,
}

/// Milliseconds in a day and an hour.
const SPANS: [i64; 2] = [86_400_000, 3_600_000];
const NAMES: [&str; 3] = ["day", "hour", "task"];

/// A window: the number of a day or hour (all uses without a time share one), or a task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Window {
    Time(Option<i64>),
    /// The execution; and the file, if only that gives the execution its name.
    Task(Option<String>, String),
}

/// The use in one window, with the place where the window begins.
#[derive(Debug, Clone)]
struct Sum {
    who: String,
    cost: f64,
    uses: u64,
    tokens: u64,
    file: String,
    line: u64,
    execution: String,
}

/// A use that exceeded the time limit.
struct Slow {
    file: String,
    line: u64,
    execution: String,
    turn: Option<i64>,
    who: String,
    took: f64,
}

/// Maximum number of slow uses that are kept. Further ones are only counted.
const SLOW: usize = 1_000;

/// The recorded use, by skill or agent and window.
#[derive(Default)]
pub(super) struct Spent {
    sums: BTreeMap<(String, usize, Window), Sum>,
    slow: Vec<Slow>,
}

impl Spent {
    /// Adds a use. Returns whether it records anything that is limited.
    pub(super) fn take(
        &mut self,
        budget: &Budget,
        file: &str,
        execution: &str,
        who: Who<'_>,
        turn: &Turn,
    ) -> bool {
        let cost = turn.cost.filter(|c| c.is_finite() && *c >= 0.0);
        let time = turn.start.or(turn.end);
        for (n, _) in NAMES.iter().enumerate() {
            let limited = budget.cost.get(n).copied().flatten().is_some()
                || budget.uses.get(n).copied().flatten().is_some()
                || budget.tokens.get(n).copied().flatten().is_some();
            if !limited {
                continue;
            }
            let window = match SPANS.get(n) {
                Some(span) => Window::Time(time.map(|t| t.div_euclid(*span))),
                None => Window::Task((!turn.named).then(|| file.to_owned()), execution.to_owned()),
            };
            let sum = self
                .sums
                .entry((who.key.to_owned(), n, window))
                .or_insert_with(|| Sum {
                    who: who.shown.to_owned(),
                    cost: 0.0,
                    uses: 0,
                    tokens: 0,
                    file: file.to_owned(),
                    line: turn.lines.0,
                    execution: execution.to_owned(),
                });
            sum.cost += cost.unwrap_or(0.0);
            sum.uses += 1;
            let tokens = turn.tokens.and_then(|tokens| u64::try_from(tokens).ok());
            sum.tokens = sum.tokens.saturating_add(tokens.unwrap_or(0));
        }
        if let (Some(most), Some(took)) = (budget.latency, turn.duration)
            && took > most
            && self.slow.len() < SLOW
        {
            let (file, execution) = (file.to_owned(), execution.to_owned());
            let who = who.shown.to_owned();
            self.slow.push(Slow {
                file,
                line: turn.lines.0,
                execution,
                turn: turn.number,
                who,
                took,
            });
        }
        budget.measures(turn, cost)
    }

    /// Adds the fullest window to the uses whose times aren't recorded, since they may lie in it.
    fn add_to_untimed(&mut self) {
        let mut fullest: BTreeMap<(String, usize), (f64, u64, u64)> = BTreeMap::new();
        for ((key, n, window), sum) in &self.sums {
            if matches!(window, Window::Time(Some(_))) {
                let most = fullest.entry((key.clone(), *n)).or_default();
                *most = (
                    most.0.max(sum.cost),
                    most.1.max(sum.uses),
                    most.2.max(sum.tokens),
                );
            }
        }
        for ((key, n, window), sum) in &mut self.sums {
            if *window == Window::Time(None)
                && let Some((cost, uses, tokens)) = fullest.get(&(key.clone(), *n))
            {
                sum.cost += cost;
                sum.uses = sum.uses.saturating_add(*uses);
                sum.tokens = sum.tokens.saturating_add(*tokens);
            }
        }
    }

    /// Reports the windows over the budget, each at the place where it begins.
    pub(super) fn findings(mut self, budget: &Budget) -> Vec<Finding> {
        self.add_to_untimed();
        let mut all = Vec::new();
        let mut tell = |file: &str, line, execution: &str, turn, message| {
            let mut finding = finding(914, file, line, message);
            finding.severity = Severity::Error;
            finding.execution = Some(execution.into());
            finding.turn = turn;
            all.push(finding);
        };
        for ((_, n, window), sum) in self.sums {
            let who = &sum.who;
            let name = NAMES.get(n).copied().unwrap_or_default();
            let when = match (&window, SPANS.get(n)) {
                (Window::Time(Some(number)), Some(span)) => {
                    format!(
                        "in the {name} of {}",
                        format_minute(number.saturating_mul(*span))
                    )
                }
                (Window::Time(_), _) => {
                    format!("at times that aren't recorded, which may be one {name}")
                }
                (Window::Task(_, task), _) => format!("in the task `{task}`"),
            };
            let most = |limits: &[Option<u64>; 3]| limits.get(n).copied().flatten();
            let most_cost = budget.cost.get(n).copied().flatten();
            // Sums of costs have rounding errors.
            let cost = most_cost.filter(|most| sum.cost > most + 1e-9);
            let uses = most(&budget.uses).filter(|most| sum.uses > *most);
            let tokens = most(&budget.tokens).filter(|most| sum.tokens > *most);
            let over = [
                cost.map(|most| (format!("cost {:.4}", sum.cost), most.to_string())),
                uses.map(|most| (format!("was used {} times", sum.uses), most.to_string())),
                tokens.map(|most| (format!("used {} tokens", sum.tokens), most.to_string())),
            ];
            for (did, most) in over.into_iter().flatten() {
                let a = if name == "hour" { "an" } else { "a" };
                let message = format!("{who} {did} {when}, at most {most} {a} {name}");
                tell(&sum.file, sum.line, &sum.execution, None, message);
            }
        }
        for slow in self.slow {
            let most = budget.latency.unwrap_or_default();
            let message = format!(
                "a use of {} took {} ms, at most {most}",
                slow.who, slow.took
            );
            tell(&slow.file, slow.line, &slow.execution, slow.turn, message);
        }
        all
    }
}
