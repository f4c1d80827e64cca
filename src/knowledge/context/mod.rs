//! The context bank: its items, their importance and stage, and the memory policy's decisions.
//!
//! Everything is recomputed from the recorded counts; recorded conclusions aren't trusted. Nothing
//! is written here: [`super::memory`] does that.

mod bank;
mod formula;
mod item;
mod query;
mod quote;

pub use bank::{Bank, BankFile};
pub use formula::{
    Memory, MemoryAction, Metrics, REINFORCED_ABOVE, Stage, StageDecision, confidence_after,
    importance, memory, missing_for_entry, ranking, stage,
};
pub(super) use item::item_faults;
pub use item::{Claims, Importance, Item, Place, UsageStats};
pub use query::{BankQuery, Hit};
pub use quote::Quotes;

/// Milliseconds in a day.
const DAY: f64 = 86_400_000.0;

/// Returns the days between two times in milliseconds since the Unix epoch; 0 when `then` is in the
/// future.
#[must_use]
pub fn days_between(then: i64, now: i64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a time that is a millisecond off is the same day"
    )]
    let millis = now.saturating_sub(then).max(0) as f64;
    millis / DAY
}
