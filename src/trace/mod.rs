//! Traces: bytes become records, records become steps.

pub mod action;
pub mod call;
pub mod contract;
pub mod cut;
pub mod entry;
pub mod formats;
pub mod graph_line;
pub mod identity;
pub mod injected;
pub mod keys;
mod line_index;
pub mod record;
pub mod recover;
pub mod refusal;
pub mod scalar;
pub mod schemas;
pub mod step;
mod turn;
pub mod typed_reference;
pub mod v1;

pub use entry::{Entry, Problem, Record};
pub use formats::Format;
pub use step::{Fact, Step};
