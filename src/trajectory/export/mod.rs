//! `export`: converts executions to tables or spans for other tools.

mod otlp;
mod table;

pub use otlp::spans;
pub use table::{Cell, Table, TurnRow, tables};
