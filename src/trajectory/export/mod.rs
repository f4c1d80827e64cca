//! `export`: executions for other tools, as tables or as spans.

mod otlp;
mod table;

pub use otlp::spans;
pub use table::{Cell, Table, TurnRow, tables};
