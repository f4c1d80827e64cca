//! The figures of a skill, its score, and what they advise.

use super::Use;

/// How much each figure counts in a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Success 0.4, cost 0.2, latency 0.15, rollback 0.15, stability 0.1.
    Balanced,
    /// Success 0.6, the others 0.1 each.
    Aggressive,
}

impl Weights {
    /// Success, cost, latency, rollback, stability.
    const fn values(self) -> [f64; 5] {
        match self {
            Self::Balanced => [0.4, 0.2, 0.15, 0.15, 0.1],
            Self::Aggressive => [0.6, 0.1, 0.1, 0.1, 0.1],
        }
    }
}

/// The cost and latency at which a score earns nothing for them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// In the unit of the records.
    pub max_cost: f64,
    /// In milliseconds.
    pub max_latency: f64,
}

impl Default for Limits {
    /// One unit, above which advice is given; one minute.
    fn default() -> Self {
        Self {
            max_cost: 1.0,
            max_latency: 60_000.0,
        }
    }
}

/// Figures over some uses of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Metrics {
    /// Uses with a recorded result.
    pub executions: u64,
    /// Uses without one: they prove nothing.
    pub unjudged: u64,
    /// Uses that succeeded in a weak turn: they prove nothing either.
    pub weak: u64,
    /// Executions that succeeded.
    pub successes: u64,
    /// Sum of the costs.
    pub total_cost: f64,
    /// Mean of the costs that are recorded.
    pub avg_cost: Option<f64>,
    /// Sum of the latencies in milliseconds.
    pub total_latency: f64,
    /// Mean of the latencies that are recorded.
    pub avg_latency: Option<f64>,
    /// Uses that were taken back.
    pub rollbacks: u64,
    /// The first time of a use.
    pub first: Option<i64>,
    /// The last time of a use.
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

/// Sum and mean. What is negative or no number at all is a slip of the record, or an attempt to
/// look cheap.
fn mean(numbers: impl Iterator<Item = f64>) -> (f64, Option<f64>) {
    let (mut sum, mut count) = (0.0, 0.0);
    for number in numbers.filter(|n| n.is_finite() && *n >= 0.0) {
        sum += number;
        count += 1.0;
    }
    (sum, (count > 0.0).then(|| sum / count))
}

impl Metrics {
    /// The figures of some uses.
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

    /// Executions that failed.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.executions.saturating_sub(self.successes)
    }

    /// Share of the executions that succeeded; 0 without any.
    #[must_use]
    pub fn success_rate(&self) -> f64 {
        ratio(self.successes, self.executions)
    }

    /// Share of all uses that were taken back; 0 without any.
    #[must_use]
    pub fn rollback_rate(&self) -> f64 {
        ratio(self.rollbacks, self.executions + self.unjudged + self.weak)
    }

    /// One minus the variance of success over its greatest possible value, 1/4: 1 when it always
    /// ends the same way, 0 when half of the executions fail; 0 without any.
    #[must_use]
    pub fn stability(&self) -> f64 {
        if self.executions == 0 {
            return 0.0;
        }
        let rate = self.success_rate();
        1.0 - 4.0 * rate * (1.0 - rate)
    }

    /// The score, 0..1. Cost and latency that aren't recorded earn nothing, and neither does
    /// anything without an execution.
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

/// The thresholds, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds;

impl Thresholds {
    /// Score of a promotion, at least.
    pub const PROMOTE_SCORE: f64 = 0.8;
    /// Executions of a promotion, at least.
    pub const PROMOTE_EXECUTIONS: u64 = 10;
    /// Success of a promotion, at least.
    pub const PROMOTE_SUCCESS: f64 = 0.85;
    /// Score of a retirement, at most.
    pub const RETIRE_SCORE: f64 = 0.5;
    /// Executions after which a score retires, at least.
    pub const RETIRE_EXECUTIONS: u64 = 20;
    /// Rollbacks that retire, more than.
    pub const RETIRE_ROLLBACK: f64 = 0.3;
}

/// One condition with the figure that it was held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// Whether it is met.
    pub met: bool,
    /// In words, as `success 0.92 ≥ 0.85`.
    pub text: String,
}

fn test(met: bool, text: String) -> Test {
    Test { met, text }
}

/// Sums of products miss what they stand for by a rounding; a score that is the threshold counts as
/// it.
const ROUNDING: f64 = 1e-9;

/// What a promotion needs: all of these.
#[must_use]
pub fn promotion(figures: &Metrics, score: f64) -> [Test; 3] {
    type T = Thresholds;
    let success = figures.success_rate();
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
            success >= T::PROMOTE_SUCCESS - ROUNDING,
            format!("success {success:.3}, needs {}", T::PROMOTE_SUCCESS),
        ),
    ]
}

/// What retires: any of these.
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

/// What the figures suggest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suggestion {
    /// Into production.
    Promote,
    /// Out of use.
    Retire,
    /// Nothing is to be changed.
    Stay,
}

impl Suggestion {
    /// The word in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::Retire => "retire",
            Self::Stay => "stay",
        }
    }
}

/// What the figures suggest for a skill that stands in a folder; the conditions that decided.
/// Retiring goes first.
#[must_use]
pub fn suggestion(figures: &Metrics, score: f64, stage: Option<&str>) -> (Suggestion, Vec<Test>) {
    let retire = retirement(figures, score);
    if stage != Some("retired") && retire.iter().any(|t| t.met) {
        return (
            Suggestion::Retire,
            retire.into_iter().filter(|t| t.met).collect(),
        );
    }
    let promote = promotion(figures, score);
    match stage {
        Some("production" | "retired") => (Suggestion::Stay, retire.to_vec()),
        _ if promote.iter().all(|t| t.met) => (Suggestion::Promote, promote.to_vec()),
        _ => (
            Suggestion::Stay,
            promote.into_iter().filter(|t| !t.met).collect(),
        ),
    }
}

/// What to look at.
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
        // Nine of ten succeed, half the cost and a quarter of the time are spent, nothing is taken
        // back.
        let f = many(9, 1, 0.5, 15_000.0);
        assert!((f.stability() - (1.0 - 0.09 / 0.25)).abs() < 1e-12);
        let expected = 0.9 * 0.4 + 0.5 * 0.2 + 0.75 * 0.15 + 0.15 + 0.64 * 0.1;
        assert!((f.score(Weights::Balanced, Limits::default()) - expected).abs() < 1e-12);
        let expected = 0.9 * 0.6 + 0.05 + 0.075 + 0.1 + 0.064;
        assert!((f.score(Weights::Aggressive, Limits::default()) - expected).abs() < 1e-12);
        // Beyond the limits it costs points, and never goes below nothing.
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
        assert_eq!(suggestion(&f, 0.65, None).0, Suggestion::Stay);
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
        let of = |f: &Metrics, score| suggestion(f, score, Some("experimental")).0;
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
            suggestion(&many(10, 0, 0.0, 0.0), 0.9, Some("production")).0,
            Suggestion::Stay
        );
        assert_eq!(
            suggestion(&many(10, 10, 0.0, 0.0), 0.5, Some("retired")).0,
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
