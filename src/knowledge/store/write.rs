//! Writes the changes of one run.

use crate::knowledge::KnowledgeError;
use crate::knowledge::extract::Extracted;
use crate::knowledge::fulltext::{self, Words};
use crate::knowledge::observation::{Id, Observation};
use crate::knowledge::source_config::SourceFile;
use rusqlite::{Transaction, params};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The transaction of a run. Dropping it without [`Writer::commit`] changes nothing.
#[derive(Debug)]
pub(in crate::knowledge) struct Writer<'s> {
    pub(in crate::knowledge) db: Transaction<'s>,
    /// The id of the next observation.
    next: i64,
}

/// Tables whose rows belong to a source.
const OWNED: [&str; 8] = [
    "finding",
    "edge",
    "node",
    "name",
    "snapshot",
    "document",
    "execution_log",
    "promotion_history",
];

impl<'s> Writer<'s> {
    pub(super) fn new(db: Transaction<'s>) -> Result<Self, KnowledgeError> {
        // Enough for one source. The default of 16 would evict statements between two sources.
        db.set_prepared_statement_cache_capacity(64);
        let last: i64 =
            db.query_row("SELECT coalesce(max(id), 0) FROM observation", [], |row| {
                row.get(0)
            })?;
        Ok(Self { db, next: last + 1 })
    }

    /// Commits everything that was written.
    pub(in crate::knowledge) fn commit(self) -> Result<(), KnowledgeError> {
        Ok(self.db.commit()?)
    }

    /// Returns the id of the next observation.
    pub(in crate::knowledge) const fn next(&self) -> i64 {
        self.next
    }

    /// Adds the words of new observations, whose ids begin at `first`.
    pub(in crate::knowledge) fn index(
        &self,
        first: i64,
        words: &[Words],
    ) -> Result<(), KnowledgeError> {
        (first..)
            .zip(words)
            .try_for_each(|(id, words)| fulltext::add(&self.db, id, words))
    }

    /// Removes a source with all its rows. Returns its number of observations.
    pub(in crate::knowledge) fn remove(&mut self, source: i64) -> Result<u64, KnowledgeError> {
        fulltext::remove(&self.db, source)?;
        let vectors = "DELETE FROM vector WHERE observation IN
            (SELECT id FROM observation WHERE source = ?1)";
        self.db.prepare_cached(vectors)?.execute([source])?;
        let observations = self
            .db
            .prepare_cached("DELETE FROM observation WHERE source = ?1")?
            .execute([source])?;
        for table in OWNED {
            self.db
                .prepare_cached(&format!("DELETE FROM {table} WHERE source = ?1"))?
                .execute([source])?;
        }
        self.db
            .prepare_cached("DELETE FROM source WHERE id = ?1")?
            .execute([source])?;
        Ok(observations as u64)
    }

    /// Adds a source. The words of its observations are added by [`Writer::index`].
    pub(in crate::knowledge) fn add(
        &mut self,
        file: &SourceFile,
        hash: &[u8],
        bytes: u64,
        extracted: &Extracted,
        prepared: &Prepared,
    ) -> Result<(), KnowledgeError> {
        let mut insert = self.db.prepare_cached(
            "INSERT INTO source (kind, path, hash, bytes, digest, hidden)
             VALUES (?1, ?2, ?3, ?4, zeroblob(0), ?5)",
        )?;
        let source = insert.insert(params![
            file.kind.name(),
            file.name,
            hash,
            bytes.cast_signed(),
            extracted.hidden.cast_signed()
        ])?;
        drop(insert);
        let mut digest = Sha256::new();
        self.observations(file, source, &prepared.0, &mut digest)?;
        self.graph(source, extracted, &mut digest)?;
        self.skills(source, extracted, &mut digest)?;
        let mut finding = self.db.prepare_cached(
            "INSERT INTO finding (source, code, line, message) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for found in &extracted.findings {
            finding.execute(params![
                source,
                found.code.0,
                found.place.line.cast_signed(),
                found.message
            ])?;
            note(&mut digest, &[&found.code.to_string(), &found.message]);
        }
        let digest = digest.finalize();
        self.db
            .prepare_cached("UPDATE source SET digest = ?2 WHERE id = ?1")?
            .execute(params![source, digest.as_slice()])?;
        Ok(())
    }

    fn observations(
        &mut self,
        file: &SourceFile,
        source: i64,
        observations: &[Indexed],
        digest: &mut Sha256,
    ) -> Result<(), KnowledgeError> {
        let mut insert = self.db.prepare_cached(
            "INSERT INTO observation (id, key, source, kind, task, time, first_line, last_line,
             summary, refs, detail, role)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT (key) DO NOTHING",
        )?;
        let mut seen: HashMap<&Id, u64> = HashMap::new();
        for Indexed {
            observation,
            id: first,
            refs,
        } in observations
        {
            let repeat = seen.entry(first).or_default();
            // Another observation may have this id: the same text again or, very rarely, a
            // collision.
            let id = loop {
                let id = if *repeat == 0 {
                    first.clone()
                } else {
                    Id::of(observation, &file.name, *repeat)
                };
                *repeat += 1;
                let lines = (
                    observation.lines.0.cast_signed(),
                    observation.lines.1.cast_signed(),
                );
                let values = params![
                    self.next,
                    id.as_str(),
                    source,
                    observation.kind.name(),
                    observation.task,
                    observation.time,
                    lines.0,
                    lines.1,
                    observation.summary,
                    refs,
                    observation.detail,
                    observation.role()
                ];
                if insert.execute(values)? > 0 {
                    break id;
                }
            };
            self.next += 1;
            let lines = format!("{} {}", observation.lines.0, observation.lines.1);
            note(digest, &[id.as_str(), &lines]);
        }
        Ok(())
    }

    fn graph(
        &self,
        source: i64,
        extracted: &Extracted,
        digest: &mut Sha256,
    ) -> Result<(), KnowledgeError> {
        let mut edge = self.db.prepare_cached(
            "INSERT INTO edge (source, line, from_node, to_node, type, time, weight, meta)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        for e in &extracted.edges {
            edge.execute(params![
                source,
                e.line.cast_signed(),
                e.from,
                e.to,
                e.kind,
                e.time,
                e.weight,
                e.meta
            ])?;
            note(
                digest,
                &[
                    "edge",
                    &e.line.to_string(),
                    &e.from,
                    &e.to,
                    &e.kind,
                    &format!("{:?} {:?} {:?}", e.time, e.weight, e.meta),
                ],
            );
        }
        let mut node = self.db.prepare_cached(
            "INSERT INTO node (source, line, id, type, time, payload)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for n in &extracted.nodes {
            node.execute(params![
                source,
                n.line.cast_signed(),
                n.id,
                n.kind,
                n.time,
                n.payload
            ])?;
            note(
                digest,
                &[
                    "node",
                    &n.line.to_string(),
                    &n.id,
                    &n.kind,
                    &format!("{:?} {:?}", n.time, n.payload),
                ],
            );
        }
        let mut name = self
            .db
            .prepare_cached("INSERT INTO name (source, kind, name) VALUES (?1, ?2, ?3)")?;
        for (kind, text) in &extracted.names {
            name.execute(params![source, kind.name(), text])?;
        }
        let mut snapshot = self
            .db
            .prepare_cached("INSERT INTO snapshot (source, execution, path) VALUES (?1, ?2, ?3)")?;
        for (execution, path) in &extracted.contexts {
            snapshot.execute(params![source, execution, path])?;
            note(digest, &["snapshot", execution, path]);
        }
        let mut document = self
            .db
            .prepare_cached("INSERT INTO document (source, name, json) VALUES (?1, ?2, ?3)")?;
        for (text, json) in &extracted.documents {
            document.execute(params![source, text, json])?;
            note(digest, &["document", text, json]);
        }
        Ok(())
    }

    fn skills(
        &self,
        source: i64,
        extracted: &Extracted,
        digest: &mut Sha256,
    ) -> Result<(), KnowledgeError> {
        let mut log = self.db.prepare_cached(
            "INSERT INTO execution_log (source, line, skill_name, skill_version, task_id, success,
             rolled_back, error_message, cost, latency, tokens_used, input_json, output_json,
             metadata_json, started_at, completed_at, turn)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?;
        for used in &extracted.uses {
            log.execute(params![
                source,
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
            note(digest, &["use", &format!("{used:?}")]);
        }
        let mut change = self.db.prepare_cached(
            "INSERT INTO promotion_history (source, line, skill_name, skill_version, candidate,
             old_status, new_status, recorded_score, recorded_metrics, reason, decided_by,
             promoted_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?;
        for p in &extracted.promotions {
            change.execute(params![
                source,
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
            note(digest, &["change", &format!("{p:?}")]);
        }
        Ok(())
    }

    /// Sets a value of the table `meta`.
    pub(in crate::knowledge) fn set(
        &self,
        key: &str,
        value: impl rusqlite::ToSql,
    ) -> Result<(), KnowledgeError> {
        // An unchanged value doesn't cause a write to disk.
        let sql = "INSERT INTO meta VALUES (?1, ?2)
            ON CONFLICT (key) DO UPDATE SET value = ?2 WHERE value IS NOT ?2";
        self.db.prepare_cached(sql)?.execute(params![key, value])?;
        Ok(())
    }
}

/// The observations of a source in stored form, prepared on all cores while sources are read.
#[derive(Debug)]
pub(in crate::knowledge) struct Prepared(Vec<Indexed>);

#[derive(Debug)]
struct Indexed {
    observation: Observation,
    id: Id,
    refs: String,
}

impl Prepared {
    /// Prepares the observations of a source.
    pub(in crate::knowledge) fn new(observations: Vec<Observation>, source: &str) -> Self {
        let index = |observation: Observation| Indexed {
            refs: observation.refs.join("\n"),
            id: Id::of(&observation, source, 0),
            observation,
        };
        Self(observations.into_iter().map(index).collect())
    }

    /// Splits the observations into words.
    pub(in crate::knowledge) fn words(&self) -> Vec<Words> {
        let words = |Indexed {
                         observation, refs, ..
                     }: &Indexed| {
            let task = observation.task.as_deref().unwrap_or_default();
            Words::new(&observation.summary, refs, task, &observation.detail)
        };
        self.0.iter().map(words).collect()
    }
}

/// Adds texts to a digest with their lengths, so that different lists can't collide.
fn note(digest: &mut Sha256, parts: &[&str]) {
    digest.update((parts.len() as u64).to_le_bytes());
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
}
