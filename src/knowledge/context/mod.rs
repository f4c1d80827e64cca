//! The context bank: its items, how important each is, at which stage it stands, and what is to
//! become of it.
//!
//! Everything here is computed anew from what the bank records; nothing of it is believed. Nothing
//! is written: [`super::memory`] does that.

mod bank;
mod formula;
mod item;
mod quote;

pub use bank::{Bank, BankFile};
pub use formula::{
    Memory, MemoryAction, Metrics, Stage, Staged, confidence_after, importance, memory, ranking,
    stage,
};
pub(super) use item::item_faults;
pub use item::{Importance, Item, Place, UsageStats};
pub use quote::Quotes;

/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// Days from a time to another, both in milliseconds since the epoch; 0 when it lies ahead.
#[must_use]
pub fn days_between(then: i64, now: i64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a time that is a millisecond off is the same day"
    )]
    let millis = now.saturating_sub(then).max(0) as f64;
    millis / DAY
}
