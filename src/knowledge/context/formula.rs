//! The formulas of importance, stage and memory, with their thresholds.
//!
//! Thresholds are inclusive where a table says "at least" and exclusive where it says "more than".
//! A missing input neither adds nor subtracts: without a time of use, an item isn't fresh and isn't
//! penalised either.

use super::days_between;
use super::item::{Importance, Item};

/// Days in which freshness falls to 1/e.
const FRESH_DAYS: f64 = 14.0;
/// Days without use after which an item is idle.
const IDLE_DAYS: f64 = 30.0;

/// Computes `0.45 · success rate + 0.35 · freshness + 0.20 · confidence`. Inputs and result are
/// 0..1.
#[must_use]
pub fn importance(success_rate: f64, freshness: f64, confidence: f64) -> f64 {
    (0.45 * success_rate + 0.35 * freshness + 0.20 * confidence).clamp(0.0, 1.0)
}

/// Computes `importance · ln(1 + uses) · freshness`.
#[must_use]
pub fn ranking(importance: f64, uses: u64, freshness: f64) -> f64 {
    importance * float(uses).ln_1p() * freshness
}

/// Number of references above which the memory policy raises the confidence of an item, once for
/// each number.
pub const REINFORCED_ABOVE: u64 = 5;

/// Returns the confidence after a use: plus 0.05 up to 1 after a success, minus 0.1 down to 0 after
/// a failure.
#[must_use]
pub fn confidence_after(confidence: f64, success: bool) -> f64 {
    if success {
        (confidence + 0.05).min(1.0)
    } else {
        (confidence - 0.1).max(0.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn float(n: u64) -> f64 {
    n as f64
}

/// The values that the formulas compute for an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metrics {
    /// 0..1; `None` when nothing is recorded, or when the time of use that it needs is missing.
    pub importance: Option<f64>,
    /// `exp(-idle days / 14)`; `None` without a time of use.
    pub freshness: Option<f64>,
    /// Days since the last use; `None` without a time of use.
    pub idle_days: Option<f64>,
    /// Share of uses that succeeded; 0.5 when it was never used.
    pub success_rate: f64,
    /// 0..1; 0 when it isn't recorded.
    pub confidence: f64,
    pub uses: u64,
    pub referenced: u64,
    /// Share of verified references that were useful; 0 without any.
    pub verified_rate: f64,
    /// The value that items are sorted by.
    pub ranking: f64,
}

impl Metrics {
    /// Computes the metrics of an item at a time in milliseconds since the Unix epoch.
    #[must_use]
    pub fn of(item: &Item, now: i64) -> Self {
        let idle_days = item.used.map(|used| days_between(used, now));
        let freshness = idle_days.map(|days| (-days / FRESH_DAYS).exp());
        let (uses, success_rate, confidence) = match item.importance {
            Some(Importance::Counts {
                uses,
                successes,
                failures,
                confidence,
            }) => {
                let tried = successes.saturating_add(failures);
                (
                    uses,
                    if tried == 0 {
                        0.5
                    } else {
                        float(successes) / float(tried)
                    },
                    confidence,
                )
            }
            Some(Importance::Number(_)) | None => (0, 0.5, 0.0),
        };
        let whole = match item.importance {
            Some(Importance::Number(n)) => Some(n),
            Some(Importance::Counts { .. }) => {
                freshness.map(|fresh| importance(success_rate, fresh, confidence))
            }
            None => None,
        };
        let stats = item.stats.unwrap_or_default();
        let verified = stats.useful.saturating_add(stats.not_useful);
        Self {
            importance: whole,
            freshness,
            idle_days,
            success_rate,
            confidence,
            uses,
            referenced: stats.referenced,
            verified_rate: if verified == 0 {
                0.0
            } else {
                float(stats.useful) / float(verified)
            },
            ranking: whole
                .zip(freshness)
                .map_or(0.0, |(i, f)| ranking(i, uses, f)),
        }
    }
}

/// The stage of an item on the way from context to skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Referenced at least 5 times, verified rate at least 0.75, confidence at least 0.7.
    SkillCandidate,
    /// Referenced at least 3 times, verified rate at least 0.6, confidence at least 0.5.
    Bank,
    /// Idle for more than 30 days, confidence below 0.25, more often not useful than useful.
    Archived,
    /// Every other item.
    Context,
}

impl Stage {
    /// Returns the name in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SkillCandidate => "skill_candidate",
            Self::Bank => "bank",
            Self::Archived => "archived",
            Self::Context => "context",
        }
    }
}

/// An item's stage and the reason for it.
#[derive(Debug, Clone, PartialEq)]
pub struct StageDecision {
    pub stage: Stage,
    /// `0.5 · confidence + 0.3 · ln(1 + referenced) + 0.2 · min(1, uses / 10)`; 0 without recorded
    /// counts.
    pub score: f64,
    /// The deciding conditions, with values and thresholds.
    pub why: String,
}

/// Returns the requirements of a stage that an item doesn't meet.
fn missing(figures: &Metrics, referenced: u64, rate: f64, confidence: f64) -> Vec<String> {
    let mut all = Vec::new();
    if figures.referenced < referenced {
        all.push(format!("referenced {} of {referenced}", figures.referenced));
    }
    if figures.verified_rate < rate {
        all.push(format!("verified {:.2} of {rate}", figures.verified_rate));
    }
    if figures.confidence < confidence {
        all.push(format!(
            "confidence {:.2} of {confidence}",
            figures.confidence
        ));
    }
    all
}

/// Returns what an item lacks to be taken into the bank: at least 3 uses, 1 success and a
/// confidence of 0.6.
#[must_use]
pub fn missing_for_entry(item: &Item) -> Vec<String> {
    let (uses, successes, confidence) = match item.importance {
        Some(Importance::Counts {
            uses,
            successes,
            confidence,
            ..
        }) => (uses, successes, confidence),
        Some(Importance::Number(_)) | None => return vec!["nothing was counted".to_owned()],
    };
    let mut all = Vec::new();
    if uses < 3 {
        all.push(format!("used {uses} of 3"));
    }
    if successes < 1 {
        all.push("no success".to_owned());
    }
    if confidence < 0.6 {
        all.push(format!("confidence {confidence:.2} of 0.6"));
    }
    all
}

/// Determines the stage of an item at a time. The furthest stage is tried first.
#[must_use]
pub fn stage(item: &Item, now: i64) -> StageDecision {
    let f = Metrics::of(item, now);
    let Some(stats) = item.stats else {
        return StageDecision {
            stage: Stage::Context,
            score: 0.0,
            why: "nothing was counted".to_owned(),
        };
    };
    let score = 0.5 * f.confidence
        + 0.3 * float(f.referenced).ln_1p()
        + 0.2 * (float(f.uses) / 10.0).min(1.0);
    let reached = || {
        format!(
            "referenced {}, verified {:.2}, confidence {:.2}",
            f.referenced, f.verified_rate, f.confidence
        )
    };
    let skill = missing(&f, 5, 0.75, 0.7);
    let bank = missing(&f, 3, 0.6, 0.5);
    let idle = f.idle_days.is_some_and(|days| days > IDLE_DAYS);
    let (stage, why) = if skill.is_empty() {
        (Stage::SkillCandidate, reached())
    } else if bank.is_empty() {
        (Stage::Bank, format!("for a skill: {}", skill.join(", ")))
    } else if idle && f.confidence < 0.25 && stats.not_useful > stats.useful {
        let days = f.idle_days.unwrap_or_default();
        let (no, yes) = (stats.not_useful, stats.useful);
        (
            Stage::Archived,
            format!(
                "idle {days:.0} days, confidence {:.2}, not useful {no}, useful {yes}",
                f.confidence
            ),
        )
    } else {
        (Stage::Context, format!("for the bank: {}", bank.join(", ")))
    };
    StageDecision { stage, score, why }
}

/// An action of the memory policy on an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryAction {
    /// Propose the item as a skill.
    PromoteToSkill,
    /// Remove the item.
    Forget,
    /// Mark the item as deprecated.
    Archive,
    /// Raise the item's confidence.
    Reinforce,
    /// Leave the item unchanged.
    Keep,
}

impl MemoryAction {
    /// Every action.
    pub const ALL: [Self; 5] = [
        Self::PromoteToSkill,
        Self::Forget,
        Self::Archive,
        Self::Reinforce,
        Self::Keep,
    ];

    /// Returns the name in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PromoteToSkill => "promote_to_skill",
            Self::Forget => "forget",
            Self::Archive => "archive",
            Self::Reinforce => "reinforce",
            Self::Keep => "keep",
        }
    }
}

/// A decision of the memory policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    pub action: MemoryAction,
    /// 0..1: the importance for an action that keeps the item, one minus it for an action that
    /// removes it.
    pub confidence: f64,
    /// The reason, with values and thresholds.
    pub why: String,
}

/// Decides about an item at a time. The first matching rule applies.
#[must_use]
pub fn memory(item: &Item, now: i64) -> Memory {
    let keep = |confidence, why: &str| Memory {
        action: MemoryAction::Keep,
        confidence,
        why: why.to_owned(),
    };
    if let Some(why) = item.frozen {
        return keep(1.0, why);
    }
    let f = Metrics::of(item, now);
    let Some(value) = f.importance else {
        return keep(
            0.0,
            if item.importance.is_none() {
                "no importance is recorded"
            } else {
                "no time of use is recorded"
            },
        );
    };
    let stats = item.stats.unwrap_or_default();
    let idle = f.idle_days.unwrap_or_default();
    let (action, confidence, why) = if stats.referenced >= 3 && stats.useful >= 2 && value > 0.75 {
        let why = format!(
            "referenced {}, verified useful {}, importance {value:.2} > 0.75",
            stats.referenced, stats.useful
        );
        (MemoryAction::PromoteToSkill, value, why)
    } else if stats.not_useful >= 3 && value < 0.2 && idle > IDLE_DAYS {
        let why = format!(
            "verified not useful {}, importance {value:.2} < 0.2, idle {idle:.0} days > 30",
            stats.not_useful
        );
        (MemoryAction::Forget, 1.0 - value, why)
    } else if value < 0.4 {
        (
            MemoryAction::Archive,
            1.0 - value,
            format!("importance {value:.2} < 0.4"),
        )
    } else if stats.referenced > REINFORCED_ABOVE && value > 0.8 {
        (
            MemoryAction::Reinforce,
            value,
            format!(
                "referenced {} > {REINFORCED_ABOVE}, importance {value:.2} > 0.8",
                stats.referenced
            ),
        )
    } else {
        (MemoryAction::Keep, value, format!("importance {value:.2}"))
    };
    Memory {
        action,
        confidence,
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::context::Place;
    use proptest::prelude::*;
    use serde_json::json;

    const DAY: i64 = 86_400_000;
    const NOW: i64 = 100 * DAY;

    fn item(
        uses: (u64, u64, u64),
        confidence: f64,
        idle_days: i64,
        stats: (u64, u64, u64),
    ) -> Item {
        let value = json!({
            "id": "a", "path": "a.md", "type": "file",
            "importance": { "useCount": uses.0, "successCount": uses.1, "failureCount": uses.2, "confidence": confidence,
                "lastUsed": NOW - idle_days * DAY },
            "usageStats": { "referencedCount": stats.0, "verifiedUseful": stats.1, "verifiedNotUseful": stats.2 },
        });
        Item::read("a.json", Place::Whole, &value).unwrap()
    }

    #[test]
    fn an_item_enters_the_bank_at_its_thresholds() {
        let item = |uses: u64, successes: u64, confidence: f64| {
            let value = serde_json::json!({"path": "a", "importance": {"useCount": uses,
                "successCount": successes, "failureCount": 0, "confidence": confidence}});
            Item::read("f", Place::Whole, &value).unwrap()
        };
        assert_eq!(missing_for_entry(&item(3, 1, 0.6)), [""; 0]);
        assert_eq!(
            missing_for_entry(&item(2, 0, 0.59)),
            ["used 2 of 3", "no success", "confidence 0.59 of 0.6"]
        );
    }

    #[test]
    fn figures_by_hand() {
        // 0.45 · 3/4 + 0.35 · e^-1 + 0.2 · 0.8
        let f = Metrics::of(&item((4, 3, 1), 0.8, 14, (0, 0, 0)), NOW);
        assert!(
            (f.importance.unwrap() - (0.3375 + 0.35 * 0.367_879_441_171_442_3 + 0.16)).abs()
                < 1e-12
        );
        assert!(
            (f.ranking - f.importance.unwrap() * 5_f64.ln() * 0.367_879_441_171_442_3).abs()
                < 1e-12
        );
        // An item that was never used.
        assert!(
            (Metrics::of(&item((0, 0, 0), 0.5, 0, (0, 0, 0)), NOW)
                .importance
                .unwrap()
                - (0.225 + 0.35 + 0.1))
                .abs()
                < 1e-12
        );
        assert_eq!(
            (confidence_after(0.98, true), confidence_after(0.05, false)),
            (1.0, 0.0)
        );
    }

    #[test]
    fn stages_begin_at_their_thresholds() {
        let of = |i: &Item| stage(i, NOW).stage;
        assert_eq!(
            of(&item((9, 1, 0), 0.7, 0, (5, 3, 1))),
            Stage::SkillCandidate
        );
        for almost in [
            item((9, 1, 0), 0.7, 0, (4, 3, 1)),
            item((9, 1, 0), 0.7, 0, (5, 2, 1)),
            item((9, 1, 0), 0.69, 0, (5, 3, 1)),
        ] {
            assert_eq!(of(&almost), Stage::Bank);
        }
        assert_eq!(of(&item((9, 1, 0), 0.5, 0, (3, 3, 2))), Stage::Bank);
        assert_eq!(of(&item((9, 1, 0), 0.49, 0, (3, 3, 2))), Stage::Context);
        assert_eq!(of(&item((9, 1, 0), 0.24, 31, (3, 1, 2))), Stage::Archived);
        for almost in [
            item((9, 1, 0), 0.24, 30, (3, 1, 2)),
            item((9, 1, 0), 0.25, 31, (3, 1, 2)),
            item((9, 1, 0), 0.24, 31, (3, 2, 2)),
        ] {
            assert_eq!(of(&almost), Stage::Context);
        }
        let scored = stage(&item((5, 1, 0), 0.6, 0, (3, 3, 0)), NOW).score;
        assert!((scored - (0.3 + 0.3 * 4_f64.ln() + 0.1)).abs() < 1e-12);
        let mut uncounted = item((9, 1, 0), 0.9, 0, (9, 9, 0));
        uncounted.stats = None;
        assert_eq!(
            stage(&uncounted, NOW),
            StageDecision {
                stage: Stage::Context,
                score: 0.0,
                why: "nothing was counted".into()
            }
        );
    }

    #[test]
    fn memory_follows_its_table_in_order() {
        let of = |i: &Item| memory(i, NOW).action;
        let good = item((9, 9, 0), 1.0, 0, (6, 2, 0));
        assert_eq!(of(&good), MemoryAction::PromoteToSkill);
        assert_eq!(
            of(&item((9, 9, 0), 1.0, 0, (6, 1, 0))),
            MemoryAction::Reinforce
        );
        assert_eq!(of(&item((9, 9, 0), 1.0, 0, (5, 1, 0))), MemoryAction::Keep);
        assert_eq!(
            of(&item((9, 0, 9), 0.1, 60, (6, 0, 3))),
            MemoryAction::Forget
        );
        assert_eq!(
            of(&item((9, 0, 9), 0.1, 60, (6, 0, 2))),
            MemoryAction::Archive
        );
        assert_eq!(
            of(&item((9, 0, 9), 0.0, 30, (6, 0, 3))),
            MemoryAction::Archive
        );
        let mut frozen = good;
        frozen.frozen = Some("it is frozen");
        assert_eq!(of(&frozen), MemoryAction::Keep);
        let mut timeless = item((9, 0, 9), 0.1, 60, (6, 0, 3));
        timeless.used = None;
        assert_eq!(
            of(&timeless),
            MemoryAction::Keep,
            "nothing is taken away for want of a time"
        );
    }

    #[test]
    fn secrets_runs_and_production_are_frozen() {
        let read = |value| Item::read("a.json", Place::Whole, &value).unwrap().frozen;
        assert!(read(json!({"path":"x","type":"runtime"})).is_some());
        assert!(read(json!({"path":"x","type":"runtime","frozen":false})).is_none());
        assert!(read(json!({"path":"deploy/prod.yaml","semantic":"config"})).is_some());
        assert!(read(json!({"path":"deploy/dev.yaml","semantic":"config"})).is_none());
        assert!(read(json!({"path":"x","frozen":true})).is_some());
        let key = format!("AKIA{}", "IOSFODNN7ABCDEFG");
        assert!(read(json!({"path":"x","frozen":false,"content":format!("key {key}")})).is_some());
    }

    proptest! {
        #[test]
        fn every_figure_stays_in_its_bounds(
            uses in any::<(u64, u64, u64)>(), confidence in -2.0..3.0_f64, used in any::<Option<i64>>(), stats in any::<(u64, u64, u64)>(), now in any::<i64>(),
        ) {
            let mut i = item(uses, confidence, 0, stats);
            i.used = used;
            let f = Metrics::of(&i, now);
            prop_assert!(f.importance.is_none_or(|v| (0.0..=1.0).contains(&v)));
            prop_assert!((0.0..=1.0).contains(&f.verified_rate) && (0.0..=1.0).contains(&f.success_rate));
            prop_assert!(f.ranking.is_finite() && f.ranking >= 0.0);
            prop_assert!(stage(&i, now).score.is_finite());
            prop_assert!((0.0..=1.0).contains(&memory(&i, now).confidence));
        }
    }
}
