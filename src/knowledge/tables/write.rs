//! Writes what sources say.

use crate::knowledge::KnowledgeError;
use crate::knowledge::extract::Extracted;
use crate::knowledge::source_config::SourceFile;
use knowledge_index::{NewSource, OpenSource, Prepared, Writer};
use rusqlite::{Connection, params};

/// Adds a source. The words of its observations are added by [`Writer::index`].
pub(in crate::knowledge) fn add(
    writer: &mut Writer<'_>,
    file: &SourceFile,
    hash: &[u8],
    bytes: u64,
    extracted: &Extracted,
    prepared: &Prepared,
) -> Result<(), KnowledgeError> {
    let new = NewSource {
        kind: file.kind.name(),
        path: &file.name,
        hash,
        bytes,
        hidden: extracted.hidden,
    };
    let mut source = writer.add(&new, prepared)?;
    let db = writer.connection();
    graph(db, &mut source, extracted)?;
    skills(db, &mut source, extracted)?;
    let mut finding = db.prepare_cached(
        "INSERT INTO finding (source, code, line, message) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for found in &extracted.findings {
        finding.execute(params![
            source.id(),
            found.code.0,
            found.place.line.cast_signed(),
            found.message
        ])?;
        source.note(&[&found.code.to_string(), &found.message]);
    }
    Ok(writer.finish(source)?)
}

fn graph(
    db: &Connection,
    source: &mut OpenSource,
    extracted: &Extracted,
) -> Result<(), KnowledgeError> {
    let mut edge = db.prepare_cached(
        "INSERT INTO edge (source, line, from_node, to_node, type, time, weight, meta)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for e in &extracted.edges {
        edge.execute(params![
            source.id(),
            e.line.cast_signed(),
            e.from,
            e.to,
            e.kind,
            e.time,
            e.weight,
            e.meta
        ])?;
        source.note(&[
            "edge",
            &e.line.to_string(),
            &e.from,
            &e.to,
            &e.kind,
            &format!("{:?} {:?} {:?}", e.time, e.weight, e.meta),
        ]);
    }
    let mut node = db.prepare_cached(
        "INSERT INTO node (source, line, id, type, time, payload)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for n in &extracted.nodes {
        node.execute(params![
            source.id(),
            n.line.cast_signed(),
            n.id,
            n.kind,
            n.time,
            n.payload
        ])?;
        source.note(&[
            "node",
            &n.line.to_string(),
            &n.id,
            &n.kind,
            &format!("{:?} {:?}", n.time, n.payload),
        ]);
    }
    let mut name =
        db.prepare_cached("INSERT INTO name (source, kind, name) VALUES (?1, ?2, ?3)")?;
    for (kind, text) in &extracted.names {
        name.execute(params![source.id(), kind.name(), text])?;
    }
    let mut snapshot =
        db.prepare_cached("INSERT INTO snapshot (source, execution, path) VALUES (?1, ?2, ?3)")?;
    for (execution, path) in &extracted.contexts {
        snapshot.execute(params![source.id(), execution, path])?;
        source.note(&["snapshot", execution, path]);
    }
    let mut document =
        db.prepare_cached("INSERT INTO document (source, name, json) VALUES (?1, ?2, ?3)")?;
    for (text, json) in &extracted.documents {
        document.execute(params![source.id(), text, json])?;
        source.note(&["document", text, json]);
    }
    Ok(())
}

fn skills(
    db: &Connection,
    source: &mut OpenSource,
    extracted: &Extracted,
) -> Result<(), KnowledgeError> {
    let mut log = db.prepare_cached(
        "INSERT INTO execution_log (source, line, skill_name, skill_version, task_id, success,
         rolled_back, error_message, cost, latency, tokens_used, input_json, output_json,
         metadata_json, started_at, completed_at, turn)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    )?;
    for used in &extracted.uses {
        log.execute(params![
            source.id(),
            used.line.cast_signed(),
            used.skill,
            used.version,
            used.task,
            used.success,
            used.rolled_back,
            used.error,
            used.cost,
            used.latency,
            used.tokens,
            used.input,
            used.output,
            used.metadata,
            used.started,
            used.completed,
            used.turn
        ])?;
        source.note(&["use", &format!("{used:?}")]);
    }
    let mut change = db.prepare_cached(
        "INSERT INTO promotion_history (source, line, skill_name, skill_version, candidate,
         old_status, new_status, recorded_score, recorded_metrics, reason, decided_by,
         promoted_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?;
    for p in &extracted.promotions {
        change.execute(params![
            source.id(),
            p.line.cast_signed(),
            p.skill,
            p.version,
            p.candidate,
            p.old,
            p.new,
            p.score,
            p.metrics,
            p.reason,
            p.by,
            p.time
        ])?;
        source.note(&["change", &format!("{p:?}")]);
    }
    Ok(())
}
