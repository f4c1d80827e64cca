//! `export`: converts executions to tables or spans for other tools.

mod otlp;
#[cfg_attr(not(feature = "parquet"), path = "parquet_absent.rs")]
mod parquet;
mod table;

pub use otlp::spans;
pub use parquet::ParquetWriter;
pub use table::{Cell, Column, ColumnType, Table, TurnRow, tables};
