//! The tables in the index of what sources say besides observations: the graph, findings, banks and
//! uses of skills.

mod graph;
pub(super) mod skill;
mod write;

pub(super) use graph::{EdgeRow, NodeRow, dangling, documents, edges, misdirected, names, nodes};
pub(super) use write::add;

use knowledge_index::Schema;

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

#[cfg(test)]
mod tests {
    use super::*;
    use knowledge_index::Store;
    use sha2::{Digest, Sha256};

    /// The index refuses files of another version only, so every change of a table needs one.
    #[test]
    fn tables_and_version_change_together() {
        let store = Store::in_memory(&SCHEMA).unwrap();
        let columns = "SELECT t.name, c.name, c.type, c.\"notnull\", c.pk
            FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c
            WHERE t.type = 'table' AND t.name NOT GLOB 'words_*' ORDER BY t.name, c.cid";
        let mut select = store.connection().prepare(columns).unwrap();
        let row = |row: &rusqlite::Row<'_>| {
            let text = |n| row.get::<_, String>(n);
            let number = |n| row.get::<_, i64>(n);
            let (table, name, kind) = (text(0)?, text(1)?, text(2)?);
            Ok(format!(
                "{table}.{name} {kind} {} {}",
                number(3)?,
                number(4)?
            ))
        };
        let all: Vec<String> = select
            .query_map([], row)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert!(all.len() > 90, "{all:#?}");
        let digest = util::hex(&Sha256::digest(all.join("\n"))[..8]);
        assert_eq!(
            (SCHEMA.version, digest.as_str()),
            (11, "d2ba9b089a67e622"),
            "{all:#?}"
        );
    }
}
