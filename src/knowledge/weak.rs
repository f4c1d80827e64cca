//! Marks uses of skills that rest on weak turns. A turn that quotes the context bank without
//! declaring it is no evidence, so its success can't support a promotion.

use super::KnowledgeError;
use super::context::Bank;
use super::references::weak_turns;
use super::source_config::{SourceKind, Sources};
use crate::source::discover;
use knowledge_index::{IndexError, Store, Writer};
use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use util::hex;

/// The metadata key for the digest of the banks that the marks were computed with.
const BANKS: &str = "weak_banks";

/// Marks the uses that aren't marked yet, or all of them when a bank has changed.
pub(super) fn mark(writer: &Writer<'_>, sources: &Sources) -> Result<(), KnowledgeError> {
    let db = writer.connection();
    let now = banks(db)?;
    if writer.meta::<String>(BANKS)?.as_deref() != Some(&now) {
        db.execute("UPDATE execution_log SET weak = NULL", [])?;
        writer.set(BANKS, &now)?;
    }
    let mut open = db.prepare(
        "SELECT DISTINCT source.id, path FROM execution_log JOIN source ON source.id = source WHERE weak IS NULL ORDER BY path",
    )?;
    let open: Vec<(i64, String)> = open
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    if open.is_empty() {
        return Ok(());
    }
    let mut banks = Banks::new(sources);
    let mut weak =
        db.prepare("UPDATE execution_log SET weak = 1 WHERE source = ?1 AND line = ?2")?;
    let mut others =
        db.prepare("UPDATE execution_log SET weak = 0 WHERE source = ?1 AND weak IS NULL")?;
    for (source, path) in open {
        for line in banks.weak_lines(&path)? {
            weak.execute(params![source, line.cast_signed()])?;
        }
        others.execute([source])?;
    }
    Ok(())
}

/// Whether the stored marks equal those that [`mark`] would compute now.
pub(super) fn agrees(store: &Store, sources: &Sources) -> Result<bool, KnowledgeError> {
    let db = store.connection();
    if store.meta::<String>(BANKS)?.as_deref() != Some(&banks(db)?) {
        return Ok(false);
    }
    let mut marks: BTreeMap<String, Vec<(u64, Option<bool>)>> = BTreeMap::new();
    let mut select =
        db.prepare("SELECT path, line, weak FROM execution_log JOIN source ON source.id = source")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        marks
            .entry(row.get(0)?)
            .or_default()
            .push((row.get::<_, i64>(1)?.cast_unsigned(), row.get(2)?));
    }
    let mut banks = Banks::new(sources);
    for (path, marks) in marks {
        let weak = banks.weak_lines(&path)?;
        if marks
            .iter()
            .any(|(line, mark)| *mark != Some(weak.contains(line)))
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The banks of the repositories, each read when it is first needed. A turn is only compared with
/// the bank of its own repository: it can't declare items of another one.
struct Banks<'s> {
    sources: &'s Sources,
    read: BTreeMap<PathBuf, Bank>,
}

impl<'s> Banks<'s> {
    const fn new(sources: &'s Sources) -> Self {
        let read = BTreeMap::new();
        Self { sources, read }
    }

    /// Returns the lines on which weak turns of an indexed source begin.
    fn weak_lines(&mut self, name: &str) -> Result<BTreeSet<u64>, KnowledgeError> {
        let damaged = IndexError::Damaged("a source belongs to no repository");
        let (sources, within) = self.sources.repository_of(name).ok_or(damaged)?;
        let bank = match self.read.entry(sources.root.clone()) {
            Entry::Occupied(bank) => bank.into_mut(),
            Entry::Vacant(free) => free.insert(Bank::read(sources)?),
        };
        if bank.items.is_empty() {
            return Ok(BTreeSet::new());
        }
        let turns = weak_turns(bank, &discover(&[sources.root.join(within)])).weak;
        Ok(turns.iter().map(|turn| turn.line).collect())
    }
}

/// Computes a digest of all indexed banks.
fn banks(db: &Connection) -> Result<String, KnowledgeError> {
    let mut all = Sha256::new();
    let mut select = db.prepare("SELECT path, hash FROM source WHERE kind = ?1 ORDER BY path")?;
    let mut rows = select.query([SourceKind::Bank.name()])?;
    while let Some(row) = rows.next()? {
        for part in [row.get::<_, String>(0)?.into_bytes(), row.get(1)?] {
            all.update((part.len() as u64).to_le_bytes());
            all.update(&part);
        }
    }
    Ok(hex(&all.finalize()))
}
