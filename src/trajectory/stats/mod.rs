//! `stats`: counts and distributions over many executions.

mod page;

pub use page::page;

use super::model::{ExecutionSet, Trajectory};
use super::words::{self, TurnOutcome};
use crate::verify::timeline::{CommandRun, Deed, Turn};
use governance::DecidedBy;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Version of the JSON shape. New members don't change it; a change of meaning does.
const VERSION: u32 = 1;

/// Number of occurrences by name.
pub type Counts = BTreeMap<String, u64>;

/// A distribution of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Distribution {
    /// Number of values.
    pub count: u64,
    /// Smallest value.
    pub min: f64,
    /// Median; the lower middle value when the count is even.
    pub median: f64,
    /// 90th percentile (nearest rank).
    pub p90: f64,
    /// Largest value.
    pub max: f64,
    /// Sum of the values.
    pub sum: f64,
    /// Mean of the values.
    pub mean: f64,
}

impl Distribution {
    /// Computes the distribution of the finite numbers; `None` when there are none.
    #[must_use]
    pub fn from_numbers(numbers: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = numbers.iter().copied().filter(|n| n.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let rank = |percent: usize| {
            sorted
                .get((sorted.len() * percent).div_ceil(100).saturating_sub(1))
                .copied()
        };
        let sum: f64 = sorted.iter().sum();
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
        let mean = sum / sorted.len() as f64;
        Some(Self {
            count: sorted.len() as u64,
            min: *sorted.first()?,
            median: rank(50)?,
            p90: rank(90)?,
            max: *sorted.last()?,
            sum,
            mean,
        })
    }
}

/// Counts and distributions over many executions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// Version of this shape.
    pub version: u32,
    /// Number of executions.
    pub executions: u64,
    /// Number of turns.
    pub turns: u64,
    /// Number of turns beyond the limit. No other member includes them.
    pub turns_left_out: u64,
    /// Number of records of single commands.
    pub commands: u64,
    /// Number of findings by code.
    pub findings: Counts,
    /// Number of executions by final state.
    pub final_states: Counts,
    /// Number of executions by declared outcome.
    pub outcomes: Counts,
    /// Number of executions by verdict: whether they are legal, authorised and complete, each
    /// `yes`, `no` or `not recorded`.
    pub verdicts: Counts,
    /// Turns per execution.
    pub turns_per_execution: Option<Distribution>,
    /// Milliseconds in each state, summed over each execution.
    pub time_per_state: BTreeMap<String, Distribution>,
    /// Number of proposed actions by type.
    pub actions: Counts,
    /// Number of calls by tool.
    pub tools: Counts,
    /// Number of proposed actions by risk: the higher of the recorded and the effective one.
    pub risks: Counts,
    /// Number of turns by the outcome of their action.
    pub fates: Counts,
    /// Number of failures by kind.
    pub failures: Counts,
    /// Number of decisions by ruling and author.
    pub decisions: Counts,
    /// Number of human decisions by signer.
    pub signers: Counts,
    /// Number of policy decisions by rule.
    pub rules: Counts,
    /// Milliseconds from a proposal to the decision of a human.
    pub human_latency: Option<Distribution>,
    /// Duration of actions in milliseconds, as their results report it.
    pub durations: Option<Distribution>,
    /// Cost of actions, in the unit of the records.
    pub costs: Option<Distribution>,
    /// Number of thoughts and commands by model.
    pub models: Counts,
    /// Tokens per command.
    pub tokens: Option<Distribution>,
    /// Latency of commands in milliseconds.
    pub command_latency: Option<Distribution>,
}

/// The values that become distributions.
#[derive(Debug, Default)]
struct Numbers {
    turns: Vec<f64>,
    states: BTreeMap<&'static str, Vec<f64>>,
    human: Vec<f64>,
    durations: Vec<f64>,
    costs: Vec<f64>,
    tokens: Vec<f64>,
    latency: Vec<f64>,
}

fn count(counts: &mut Counts, word: &str) {
    if let Some(n) = counts.get_mut(word) {
        *n += 1;
    } else {
        counts.insert(word.to_owned(), 1);
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times and counts stay far below 2^52"
)]
fn number(n: i64) -> f64 {
    n as f64
}

/// Computes the statistics of a set of executions. Their order doesn't matter.
#[must_use]
pub fn stats(set: &ExecutionSet) -> Document {
    let mut document = Document {
        version: VERSION,
        ..Document::default()
    };
    let mut numbers = Numbers::default();
    for execution in &set.executions {
        document.execution(execution, &mut numbers);
    }
    for command in &set.commands {
        document.command(command, &mut numbers);
    }
    for finding in &set.findings {
        count(&mut document.findings, &finding.code);
    }
    document.turns_per_execution = Distribution::from_numbers(&numbers.turns);
    document.human_latency = Distribution::from_numbers(&numbers.human);
    document.durations = Distribution::from_numbers(&numbers.durations);
    document.costs = Distribution::from_numbers(&numbers.costs);
    document.tokens = Distribution::from_numbers(&numbers.tokens);
    document.command_latency = Distribution::from_numbers(&numbers.latency);
    document.time_per_state = numbers
        .states
        .into_iter()
        .filter_map(|(state, all)| Some((state.to_owned(), Distribution::from_numbers(&all)?)))
        .collect();
    document
}

impl Document {
    fn execution(&mut self, execution: &Trajectory, numbers: &mut Numbers) {
        self.executions += 1;
        self.turns_left_out += execution.turns_left_out;
        let turns = execution
            .turns
            .iter()
            .filter(|t| t.number.is_some())
            .count() as u64;
        self.turns += turns;
        numbers.turns.push(number(
            i64::try_from(turns + execution.turns_left_out).unwrap_or(i64::MAX),
        ));
        count(
            &mut self.final_states,
            execution.final_state.map_or("not recorded", |s| s.name()),
        );
        count(
            &mut self.outcomes,
            execution.outcome.as_deref().unwrap_or("not declared"),
        );
        let v = execution.verdict;
        let verdict = [v.legal_path, v.authorised, v.governance_complete]
            .map(|a| a.name())
            .join(", ");
        count(&mut self.verdicts, &verdict);
        for finding in &execution.findings {
            count(&mut self.findings, &finding.code);
        }
        for (state, millis) in states(execution) {
            numbers
                .states
                .entry(state)
                .or_default()
                .push(number(millis));
        }
        for turn in &execution.turns {
            self.turn(turn, numbers);
        }
    }

    fn turn(&mut self, turn: &Turn, numbers: &mut Numbers) {
        if let Some(proposed) = &turn.proposed {
            count(&mut self.actions, proposed.deed.word());
            if let Deed::Tool { tool, .. } = &proposed.deed {
                count(&mut self.tools, tool);
            }
            count(
                &mut self.risks,
                words::risk(turn).map_or("not recorded", |r| r.name()),
            );
        }
        let fate = TurnOutcome::from_turn(turn);
        if fate != TurnOutcome::None {
            count(&mut self.fates, fate.name());
        }
        if let Some(decision) = &turn.decision {
            count(
                &mut self.decisions,
                &format!("{} by {}", decision.ruling.name(), words::by(decision.by)),
            );
            match decision.by {
                DecidedBy::Human => {
                    count(
                        &mut self.signers,
                        decision.signer.as_deref().unwrap_or("not recorded"),
                    );
                    numbers.human.extend(words::waited(turn).map(number));
                }
                DecidedBy::Policy => count(
                    &mut self.rules,
                    decision.rule.as_deref().unwrap_or("not recorded"),
                ),
            }
        }
        if let Some(result) = &turn.result {
            if result.failed() {
                count(
                    &mut self.failures,
                    result.error_type.as_deref().unwrap_or("not recorded"),
                );
            }
            numbers.durations.extend(result.duration_ms);
            numbers.costs.extend(result.cost);
        }
        for model in turn.thoughts.iter().filter_map(|t| t.model.as_ref()) {
            count(&mut self.models, model);
        }
    }

    fn command(&mut self, run: &CommandRun, numbers: &mut Numbers) {
        self.commands += 1;
        count(
            &mut self.models,
            run.model.as_deref().unwrap_or("not recorded"),
        );
        if !run.success {
            count(
                &mut self.failures,
                run.failure.as_deref().unwrap_or("not recorded"),
            );
        }
        numbers.tokens.extend(run.tokens.map(number));
        numbers.latency.extend(run.latency_ms);
    }
}

/// Returns the milliseconds that an execution spent in each state, where times are recorded. A
/// negative duration counts as zero.
fn states(execution: &Trajectory) -> BTreeMap<&'static str, i64> {
    let begun = execution
        .openings
        .first()
        .and_then(|o| Some((governance::State::Thinking, o.time?)));
    let stops = execution
        .turns
        .iter()
        .flat_map(|t| &t.path)
        .filter_map(|s| Some((s.state, s.at?)));
    let stops: Vec<_> = begun.into_iter().chain(stops).collect();
    let mut all = BTreeMap::new();
    for ((state, from), (_, to)) in stops.iter().zip(stops.iter().skip(1)) {
        let sum: &mut i64 = all.entry(state.name()).or_default();
        *sum = sum.saturating_add(to.saturating_sub(*from).max(0));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_are_the_nearest() {
        let numbers: Vec<f64> = (1..=10).map(f64::from).collect();
        let d = Distribution::from_numbers(&numbers).unwrap();
        assert_eq!(
            (d.count, d.min, d.median, d.p90, d.max, d.sum),
            (10, 1.0, 5.0, 9.0, 10.0, 55.0)
        );
        assert!(Distribution::from_numbers(&[f64::NAN, f64::INFINITY]).is_none());
    }

    proptest! {
        #[test]
        fn a_distribution_is_in_order(numbers in proptest::collection::vec(-1e9f64..1e9, 1..40)) {
            let d = Distribution::from_numbers(&numbers).unwrap();
            prop_assert!(d.min <= d.median && d.median <= d.p90 && d.p90 <= d.max);
            prop_assert!(d.min <= d.mean + 1e-3 && d.mean <= d.max + 1e-3);
        }
    }
}
