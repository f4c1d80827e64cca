//! The metrics of a skill, its score, and the advice that follows from them.

use super::Use;

/// The weights of the metrics in a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Success 0.4, cost 0.2, latency 0.15, rollback 0.15, stability 0.1.
    Balanced,
    /// Success 0.6, the others 0.1 each.
    Aggressive,
}

impl Weights {
    /// Returns the weights of success, cost, latency, rollback and stability.
    const fn values(self) -> [f64; 5] {
        match self {
            Self::Balanced => [0.4, 0.2, 0.15, 0.15, 0.1],
            Self::Aggressive => [0.6, 0.1, 0.1, 0.1, 0.1],
        }
    }
}

/// The cost and latency from which they contribute nothing to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// In the unit of the records.
    pub max_cost: f64,
    /// In milliseconds.
    pub max_latency: f64,
}

impl Default for Limits {
    /// One unit of cost, above which advice is given, and one minute.
    fn default() -> Self {
        Self {
            max_cost: 1.0,
            max_latency: 60_000.0,
        }
    }
}

/// Metrics over some uses of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Metrics {
    /// Uses with a recorded result.
    pub executions: u64,
    /// Uses without a recorded result, which are no evidence.
    pub unjudged: u64,
    /// Uses that succeeded in a weak turn, which are no evidence either.
    pub weak: u64,
    pub successes: u64,
    pub total_cost: f64,
    /// Mean of the recorded costs.
    pub avg_cost: Option<f64>,
    /// In milliseconds.
    pub total_latency: f64,
    /// Mean of the recorded latencies in milliseconds.
    pub avg_latency: Option<f64>,
    /// Uses that were rolled back.
    pub rollbacks: u64,
    /// Time of the first use, in milliseconds since the Unix epoch.
    pub first: Option<i64>,
    /// Time of the last use, in milliseconds since the Unix epoch.
    pub last: Option<i64>,
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Returns sum and mean. Values that are negative or not finite are ignored: they are errors, or
/// attempts to appear cheap.
fn mean(numbers: impl Iterator<Item = f64>) -> (f64, Option<f64>) {
    let (mut sum, mut count) = (0.0, 0.0);
    for number in numbers.filter(|n| n.is_finite() && *n >= 0.0) {
        sum += number;
        count += 1.0;
    }
    (sum, (count > 0.0).then(|| sum / count))
}

impl Metrics {
    /// Computes the metrics of some uses.
    #[must_use]
    pub fn of(uses: &[&Use]) -> Self {
        let count = |test: &dyn Fn(&Use) -> bool| uses.iter().filter(|u| test(u)).count() as u64;
        let (total_cost, avg_cost) = mean(uses.iter().filter_map(|u| u.cost));
        let (total_latency, avg_latency) = mean(uses.iter().filter_map(|u| u.latency));
        Self {
            executions: count(&|u| u.outcome().is_some()),
            unjudged: count(&|u| u.success.is_none()),
            weak: count(&|u| u.weak && u.success == Some(true)),
            successes: count(&|u| u.outcome() == Some(true)),
            total_cost,
            avg_cost,
            total_latency,
            avg_latency,
            rollbacks: count(&|u| u.rolled_back),
            first: uses.iter().filter_map(|u| u.started.or(u.completed)).min(),
            last: uses.iter().filter_map(|u| u.time()).max(),
        }
    }

    /// Returns the number of executions that failed.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.executions.saturating_sub(self.successes)
    }

    /// Returns the share of executions that succeeded; 0 without any.
    #[must_use]
    pub fn success_rate(&self) -> f64 {
        ratio(self.successes, self.executions)
    }

    /// Returns the number of uses, with or without a result.
    #[must_use]
    pub const fn uses(&self) -> u64 {
        self.executions + self.unjudged + self.weak
    }

    /// Returns the share of all uses that were rolled back; 0 without any.
    #[must_use]
    pub fn rollback_rate(&self) -> f64 {
        ratio(self.rollbacks, self.uses())
    }

    /// Returns one minus the variance of success relative to its maximum 1/4. It is 1 when every
    /// execution ends the same way, and 0 when half of them fail or there are none.
    #[must_use]
    pub fn stability(&self) -> f64 {
        if self.executions == 0 {
            return 0.0;
        }
        let rate = self.success_rate();
        1.0 - 4.0 * rate * (1.0 - rate)
    }

    /// Returns the score, 0..1. Unrecorded cost and latency contribute nothing. Without executions
    /// it is 0.
    #[must_use]
    pub fn score(&self, weights: Weights, limits: Limits) -> f64 {
        if self.executions == 0 {
            return 0.0;
        }
        let left = |average: Option<f64>, most: f64| match average {
            Some(average) if most > 0.0 => 1.0 - average / most,
            _ => 0.0,
        };
        let earned = [
            self.success_rate(),
            left(self.avg_cost, limits.max_cost),
            left(self.avg_latency, limits.max_latency),
            1.0 - self.rollback_rate(),
            self.stability(),
        ];
        earned
            .iter()
            .zip(weights.values())
            .map(|(figure, weight)| figure * weight)
            .sum::<f64>()
            .clamp(0.0, 1.0)
    }
}

/// The thresholds for promoting and retiring a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds;

impl Thresholds {
    /// Minimum score for a promotion.
    pub const PROMOTE_SCORE: f64 = 0.8;
    /// Minimum number of executions for a promotion.
    pub const PROMOTE_EXECUTIONS: u64 = 10;
    /// Minimum success rate for a promotion.
    pub const PROMOTE_SUCCESS: f64 = 0.85;
    /// Scores up to this one lead to retirement.
    pub const RETIRE_SCORE: f64 = 0.5;
    /// Minimum number of executions for a retirement by score.
    pub const RETIRE_EXECUTIONS: u64 = 20;
    /// Rollback rates above this one lead to retirement.
    pub const RETIRE_ROLLBACK: f64 = 0.3;
}

/// One condition with the value that was compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    pub met: bool,
    /// A description, as `success 0.92 ≥ 0.85`.
    pub text: String,
}

fn test(met: bool, text: String) -> Test {
    Test { met, text }
}

/// Tolerance for rounding errors, so that a score equal to the threshold meets it.
const ROUNDING: f64 = 1e-9;

/// Returns the conditions of a promotion, all of which must be met. The skill's own threshold of
/// success can raise the general one, but not lower it.
#[must_use]
pub fn promotion(figures: &Metrics, score: f64, threshold: Option<f64>) -> [Test; 3] {
    type T = Thresholds;
    let success = figures.success_rate();
    let needed = threshold.map_or(T::PROMOTE_SUCCESS, |own| own.max(T::PROMOTE_SUCCESS));
    [
        test(
            score >= T::PROMOTE_SCORE - ROUNDING,
            format!("score {score:.3}, needs {}", T::PROMOTE_SCORE),
        ),
        test(
            figures.executions >= T::PROMOTE_EXECUTIONS,
            format!(
                "{} executions, needs {}",
                figures.executions,
                T::PROMOTE_EXECUTIONS
            ),
        ),
        test(
            success >= needed - ROUNDING,
            format!("success {success:.3}, needs {needed}"),
        ),
    ]
}

/// Returns the conditions of a retirement, any of which is sufficient.
#[must_use]
pub fn retirement(figures: &Metrics, score: f64) -> [Test; 2] {
    type T = Thresholds;
    let (executions, rollback) = (figures.executions, figures.rollback_rate());
    [
        test(
            score <= T::RETIRE_SCORE + ROUNDING && executions >= T::RETIRE_EXECUTIONS,
            format!(
                "score {score:.3} after {executions} executions, at most {} after {}",
                T::RETIRE_SCORE,
                T::RETIRE_EXECUTIONS
            ),
        ),
        test(
            rollback > T::RETIRE_ROLLBACK,
            format!("rollback {rollback:.3}, more than {}", T::RETIRE_ROLLBACK),
        ),
    ]
}

/// The suggested action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suggestion {
    /// Move the skill to production.
    Promote,
    /// Retire the skill.
    Retire,
    /// Change nothing.
    Stay,
}

impl Suggestion {
    /// Returns the name in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::Retire => "retire",
            Self::Stay => "stay",
        }
    }
}

/// Returns the suggestion for a skill in a given stage, with the deciding conditions. Retirement
/// has priority.
#[must_use]
pub fn suggestion(
    figures: &Metrics,
    score: f64,
    stage: Option<&str>,
    threshold: Option<f64>,
) -> (Suggestion, Vec<Test>) {
    let retire = retirement(figures, score);
    if stage != Some("retired") && retire.iter().any(|t| t.met) {
        return (
            Suggestion::Retire,
            retire.into_iter().filter(|t| t.met).collect(),
        );
    }
    let promote = promotion(figures, score, threshold);
    match stage {
        Some("production" | "retired") => (Suggestion::Stay, retire.to_vec()),
        _ if promote.iter().all(|t| t.met) => (Suggestion::Promote, promote.to_vec()),
        _ => (
            Suggestion::Stay,
            promote.into_iter().filter(|t| !t.met).collect(),
        ),
    }
}

/// Returns what the user should examine.
#[must_use]
pub fn advice(figures: &Metrics) -> Vec<&'static str> {
    let mut all = Vec::new();
    if figures.executions > 0 && figures.success_rate() < 0.8 {
        all.push("success is below 0.8: read its errors");
    }
    if figures.avg_cost.is_some_and(|cost| cost > 1.0 + ROUNDING) {
        all.push("it costs more than 1.0: try a cheaper model or prompt");
    }
    if figures.rollback_rate() > 0.2 {
        all.push("more than 0.2 of it is taken back: add tests");
    }
    if figures.executions > 0 && (figures.avg_cost.is_none() || figures.avg_latency.is_none()) {
        all.push("cost or latency isn't recorded: it earns nothing for that");
    }
    if figures.unjudged > 0 {
        all.push("uses without a recorded result count for nothing");
    }
    if figures.weak > 0 {
        all.push(
            "successes of turns that quote the context bank without declaring it count for nothing",
        );
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn used(
        success: Option<bool>,
        cost: Option<f64>,
        latency: Option<f64>,
        rolled_back: bool,
    ) -> Use {
        Use {
            file: "t".into(),
            line: 1,
            skill: "s".into(),
            version: String::new(),
            task: "e".into(),
            turn: None,
            success,
            weak: false,
            rolled_back,
            cost,
            latency,
            started: None,
            completed: None,
        }
    }

    fn figures(uses: &[Use]) -> Metrics {
        Metrics::of(&uses.iter().collect::<Vec<_>>())
    }

    fn many(good: usize, bad: usize, cost: f64, latency: f64) -> Metrics {
        let all: Vec<Use> = (0..good + bad)
            .map(|n| used(Some(n < good), Some(cost), Some(latency), false))
            .collect();
        figures(&all)
    }

    #[test]
    fn a_score_by_hand() {
        // Nine of ten succeed, half of the cost limit and a quarter of the time limit are used,
        // nothing is rolled back.
        let f = many(9, 1, 0.5, 15_000.0);
        assert!((f.stability() - (1.0 - 0.09 / 0.25)).abs() < 1e-12);
        let expected = 0.9 * 0.4 + 0.5 * 0.2 + 0.75 * 0.15 + 0.15 + 0.64 * 0.1;
        assert!((f.score(Weights::Balanced, Limits::default()) - expected).abs() < 1e-12);
        let expected = 0.9 * 0.6 + 0.05 + 0.075 + 0.1 + 0.064;
        assert!((f.score(Weights::Aggressive, Limits::default()) - expected).abs() < 1e-12);
        // Cost beyond the limit lowers the score, but never below 0.
        assert!(
            many(0, 5, 100.0, 1.0)
                .score(Weights::Balanced, Limits::default())
                .abs()
                < 1e-12
        );
    }

    #[test]
    fn what_is_not_recorded_earns_nothing() {
        let f = figures(&vec![used(Some(true), None, None, false); 12]);
        assert!((f.score(Weights::Balanced, Limits::default()) - 0.65).abs() < 1e-12);
        assert_eq!(suggestion(&f, 0.65, None, None).0, Suggestion::Stay);
        let negative = figures(&vec![
            used(Some(true), Some(-5.0), Some(f64::NAN), false);
            12
        ]);
        assert_eq!((negative.avg_cost, negative.avg_latency), (None, None));
        let open = figures(&vec![used(None, Some(0.0), Some(0.0), false); 12]);
        assert_eq!(
            (
                open.executions,
                open.score(Weights::Balanced, Limits::default())
            ),
            (0, 0.0)
        );
    }

    #[test]
    fn thresholds_decide_at_their_edge() {
        let of = |f: &Metrics, score| suggestion(f, score, Some("experimental"), None).0;
        assert_eq!(of(&many(10, 0, 0.0, 0.0), 0.8), Suggestion::Promote);
        assert_eq!(of(&many(9, 0, 0.0, 0.0), 1.0), Suggestion::Stay);
        assert_eq!(
            of(&many(17, 3, 0.0, 0.0), 0.8),
            Suggestion::Promote,
            "17 of 20 is 0.85"
        );
        assert_eq!(of(&many(16, 3, 0.0, 0.0), 0.9), Suggestion::Stay);
        assert_eq!(of(&many(10, 0, 0.0, 0.0), 0.79), Suggestion::Stay);
        assert_eq!(of(&many(10, 10, 0.0, 0.0), 0.5), Suggestion::Retire);
        assert_eq!(of(&many(10, 9, 0.0, 0.0), 0.5), Suggestion::Stay);
        let mut taken_back = many(10, 0, 0.0, 0.0);
        taken_back.rollbacks = 3;
        assert_eq!(
            of(&taken_back, 0.9),
            Suggestion::Promote,
            "0.3 isn't more than 0.3"
        );
        taken_back.rollbacks = 4;
        assert_eq!(
            of(&taken_back, 0.9),
            Suggestion::Retire,
            "what is to be retired isn't promoted"
        );
        assert_eq!(
            suggestion(&many(10, 0, 0.0, 0.0), 0.9, Some("production"), None).0,
            Suggestion::Stay
        );
        assert_eq!(
            suggestion(&many(10, 10, 0.0, 0.0), 0.5, Some("retired"), None).0,
            Suggestion::Stay
        );
    }

    proptest! {
        #[test]
        fn any_uses_give_figures_in_their_bounds(
            all in proptest::collection::vec((any::<Option<bool>>(), any::<Option<f64>>(), any::<Option<f64>>(), any::<bool>()), 0..30),
            aggressive: bool, most in any::<f64>(),
        ) {
            let uses: Vec<Use> = all.into_iter().map(|(s, c, l, r)| used(s, c, l, r)).collect();
            let f = figures(&uses);
            let weights = if aggressive { Weights::Aggressive } else { Weights::Balanced };
            let score = f.score(weights, Limits { max_cost: most, max_latency: most });
            prop_assert!((0.0..=1.0).contains(&score), "{}", score);
            prop_assert!((0.0..=1.0).contains(&f.stability()) && (0.0..=1.0).contains(&f.rollback_rate()));
            prop_assert_eq!(f.executions, f.successes + f.failures());
        }
    }
}
