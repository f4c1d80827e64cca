//! Reads the graph, and the documents of banks and skills.

use crate::diag::Finding;
use crate::knowledge::KnowledgeError;
use crate::knowledge::source_config::{SourceKind, finding};
use rusqlite::Connection;

/// A node of the graph with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::knowledge) struct NodeRow {
    pub(in crate::knowledge) file: String,
    pub(in crate::knowledge) line: u64,
    pub(in crate::knowledge) id: String,
    pub(in crate::knowledge) kind: String,
}

/// An edge of the graph with its place.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::knowledge) struct EdgeRow {
    pub(in crate::knowledge) file: String,
    pub(in crate::knowledge) line: u64,
    pub(in crate::knowledge) from: String,
    pub(in crate::knowledge) to: String,
    pub(in crate::knowledge) kind: String,
    pub(in crate::knowledge) time: Option<i64>,
    pub(in crate::knowledge) weight: Option<f64>,
    pub(in crate::knowledge) meta: Option<String>,
}

/// Returns the JSON documents of the sources of a kind, with their names.
pub(in crate::knowledge) fn documents(
    db: &Connection,
    kind: SourceKind,
) -> Result<Vec<(String, String)>, KnowledgeError> {
    let mut select = db.prepare_cached(
        "SELECT name, json FROM document JOIN source ON source.id = document.source
            WHERE kind = ?1 ORDER BY path, name",
    )?;
    let rows = select.query_map([kind.name()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the nodes with lines of their own, in file order.
pub(in crate::knowledge) fn nodes(db: &Connection) -> Result<Vec<NodeRow>, KnowledgeError> {
    let sql = "SELECT path, line, node.id, type
        FROM node JOIN source ON source.id = node.source ORDER BY path, line";
    let mut select = db.prepare_cached(sql)?;
    let rows = select.query_map([], |row| {
        Ok(NodeRow {
            file: row.get(0)?,
            line: row.get::<_, i64>(1)?.cast_unsigned(),
            id: row.get(2)?,
            kind: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the edges of the graph in file order.
pub(in crate::knowledge) fn edges(db: &Connection) -> Result<Vec<EdgeRow>, KnowledgeError> {
    let mut statement = db.prepare_cached(
        "SELECT path, line, from_node, to_node, type, time, weight, meta
         FROM edge JOIN source ON source.id = edge.source
         ORDER BY path, line",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(EdgeRow {
            file: row.get(0)?,
            line: row.get::<_, i64>(1)?.cast_unsigned(),
            from: row.get(2)?,
            to: row.get(3)?,
            kind: row.get(4)?,
            time: row.get(5)?,
            weight: row.get(6)?,
            meta: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the names that sources define, with their kinds. What a snapshot lists is a context.
pub(in crate::knowledge) fn names(
    db: &Connection,
) -> Result<Vec<(String, String)>, KnowledgeError> {
    let mut select = db.prepare(
        "SELECT name, kind FROM name UNION SELECT path, 'context' FROM snapshot ORDER BY 1, 2",
    )?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reports edges to names that no source defines. The prefix of a name before `:` is optional. A
/// recorded snapshot defines the contexts that it lists, but an execution can use only its own.
pub(in crate::knowledge) fn dangling(db: &Connection) -> Result<Vec<Finding>, KnowledgeError> {
    let mut statement = db.prepare(
        "WITH known (name) AS (
             SELECT name FROM name
             UNION SELECT id FROM node
             UNION SELECT substr(id, instr(id, ':') + 1) FROM node),
         ends (source, line, end, node, type, other) AS (
             SELECT source, line, 'from', from_node, type, to_node FROM edge
             UNION ALL SELECT source, line, 'to', to_node, type, from_node FROM edge),
         named (source, line, end, node, bare, type, other, bare_other) AS (
             SELECT source, line, end, node, substr(node, instr(node, ':') + 1),
                 type, other, substr(other, instr(other, ':') + 1)
             FROM ends)
         SELECT source.path, line, end, node FROM named JOIN source ON source.id = named.source
         WHERE node NOT IN known AND bare NOT IN known
             AND NOT EXISTS (
                 SELECT 1 FROM snapshot WHERE snapshot.path IN (node, bare)
                     AND (type <> 'used_in' OR execution IN (other, bare_other)))
         ORDER BY source.path, line, end",
    )?;
    let rows = statement.query_map([], |row| {
        let (path, end, node): (String, String, String) = (row.get(0)?, row.get(2)?, row.get(3)?);
        let message = format!("the edge's `{end}` names `{node}`, which no source contains");
        Ok(finding(
            902,
            &path,
            row.get::<_, i64>(1)?.cast_unsigned(),
            message,
        ))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reports edges whose ends have the wrong kind: a context is used in an execution, which validates
/// a skill. Writers disagree on which way `derived_from` leads between a skill and a context.
/// Undefined names are reported by [`dangling`].
pub(in crate::knowledge) fn misdirected(db: &Connection) -> Result<Vec<Finding>, KnowledgeError> {
    let mut statement = db.prepare(
        "WITH wanted (type, end, kind, other) AS (VALUES
             ('used_in', 'from', 'context', ''), ('used_in', 'to', 'execution', ''),
             ('validated_by', 'from', 'execution', ''), ('validated_by', 'to', 'skill', ''),
             ('promoted_to', 'from', 'context', ''), ('promoted_to', 'to', 'skill', ''),
             ('derived_from', 'from', 'skill', 'context'),
             ('derived_from', 'to', 'context', 'skill')),
         prefixes (prefix, kind) AS (VALUES
             ('ctx', 'context'), ('context', 'context'),
             ('exec', 'execution'), ('execution', 'execution'), ('skill', 'skill')),
         ends (source, line, type, end, node, prefix) AS (
             SELECT source, line, type, 'from', from_node,
                 lower(substr(from_node, 1, instr(from_node, ':') - 1)) FROM edge
             UNION ALL SELECT source, line, type, 'to', to_node,
                 lower(substr(to_node, 1, instr(to_node, ':') - 1)) FROM edge),
         known (name, kind) AS (SELECT DISTINCT name, kind FROM name)
         SELECT path, line, wanted.type, wanted.end, node, wanted.kind
         FROM ends
             JOIN wanted ON wanted.type = ends.type AND wanted.end = ends.end
             JOIN source ON source.id = ends.source
         WHERE CASE
             WHEN ends.prefix IN (SELECT prefix FROM prefixes)
             THEN (SELECT kind FROM prefixes WHERE prefix = ends.prefix)
                 NOT IN (wanted.kind, wanted.other)
             ELSE EXISTS (SELECT 1 FROM known WHERE name = node)
                 AND NOT EXISTS (SELECT 1 FROM known
                     WHERE name = node AND known.kind IN (wanted.kind, wanted.other)) END
         ORDER BY path, line, wanted.end",
    )?;
    let rows = statement.query_map([], |row| {
        let (path, kind, end): (String, String, String) = (row.get(0)?, row.get(2)?, row.get(3)?);
        let (node, wanted): (String, String) = (row.get(4)?, row.get(5)?);
        let article = if wanted == "execution" { "an" } else { "a" };
        let message =
            format!("the edge's `{end}` names `{node}`, but `{kind}` has {article} {wanted} there");
        Ok(finding(
            103,
            &path,
            row.get::<_, i64>(1)?.cast_unsigned(),
            message,
        ))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
