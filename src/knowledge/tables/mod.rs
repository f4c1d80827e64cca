//! The tables in the index of what sources say besides observations: the graph, findings, banks and
//! uses of skills.

mod graph;
pub(super) mod skill;
mod write;

pub(super) use graph::{EdgeRow, NodeRow, dangling, documents, edges, misdirected, names, nodes};
pub(super) use write::add;

use super::store::Schema;

/// The tables in the file of an index, as this program writes and reads them.
pub static SCHEMA: Schema = Schema {
    // `yvk1`.
    application_id: 0x7976_6b31,
    version: 11,
    tables: include_str!("tables.sql"),
    owned: &[
        "finding",
        "edge",
        "node",
        "name",
        "snapshot",
        "document",
        "execution_log",
        "promotion_history",
    ],
};
