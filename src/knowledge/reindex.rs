//! Brings the store up to date with its sources.

use super::by_repository::{self, RepositoryCheck, RepositorySummary};
use super::extract::{self, Extracted, extract};
use super::skills::{self, Limits};
use super::source_config::{SourceFile, SourceKind, Sources, finding};
use super::{KnowledgeError, history, integrity, tables, weak};
use crate::diag::{Finding, assign_fingerprints};
use crate::source::Input;
use knowledge_index::rank::{self, Difference};
use knowledge_index::{IndexError, Prepared, Store, Words, Writer};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::time::{Duration, SystemTime};

/// Groups per core that are read at a time. Their content stays in memory until it is written.
const GROUPS: usize = 4;
/// Maximum number of sources in a group.
const SOURCES: usize = 32;
/// Bytes of a group beyond which no further source is added.
const BYTES: u64 = 2 << 20;

/// The changes made by a run.
#[derive(Debug, Default)]
pub struct Summary {
    /// New sources, by kind and path.
    pub added: Vec<(SourceKind, String)>,
    /// Sources with different content.
    pub changed: Vec<(SourceKind, String)>,
    /// Sources that no longer exist.
    pub removed: Vec<(SourceKind, String)>,
    /// Number of unchanged sources.
    pub unchanged: u64,
    /// Number of observations before the run.
    pub observations_before: u64,
    /// Number of observations after the run.
    pub observations: u64,
    /// Number of graph edges after the run.
    pub edges: u64,
    /// Number of skill uses after the run.
    pub skill_uses: u64,
    /// Number of texts with a removed secret, over all sources.
    pub hidden: u64,
    /// The origin of the vectors.
    pub vectors: rank::Vectors,
    /// A digest of everything that was stored before the run.
    pub digest_before: String,
    /// A digest of everything that is stored.
    pub digest: String,
    /// All faults in the sources, whether they have changed or not.
    pub findings: Vec<Finding>,
    /// Number of files below configured directories that their kind doesn't read, by the ending of
    /// the name.
    pub unread: BTreeMap<(SourceKind, String), u64>,
    /// The same for each of several repositories: the listed ones, and those that were indexed.
    pub repositories: BTreeMap<String, RepositorySummary>,
}

/// Settings of a run.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Whether to compute vectors.
    pub vectors: bool,
}

/// Brings the store up to date in one transaction. `progress` receives the number of completed
/// sources and the total.
///
/// # Errors
/// When a source leads out of the root, or the store can't be written. The store is unchanged then.
pub fn run(
    store: &mut Store,
    sources: &Sources,
    settings: Settings,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Summary, KnowledgeError> {
    run_with(store, sources, settings, Limits::default(), progress)
}

/// Like [`run`], with the given limits for scoring skills.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    store: &mut Store,
    sources: &Sources,
    settings: Settings,
    limits: Limits,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Summary, KnowledgeError> {
    let listing = sources.list()?;
    // A source that can't be listed must not be removed from the store.
    if let Some((path, error)) = listing.unlisted.into_iter().next() {
        return Err(KnowledgeError::Source { path, error });
    }
    let mut summary = Summary {
        findings: listing.findings,
        unread: listing.unread,
        ..Summary::default()
    };
    let given = if settings.vectors {
        store.model()?
    } else {
        None
    };
    summary.digest_before = store.digest()?;
    let mut writer = store.write()?;
    let before = if sources.repositories.is_empty() {
        None
    } else {
        Some(by_repository::held(writer.connection())?)
    };
    // Results of an older version of the extraction can't be reused.
    let current = writer.meta::<i64>("extractor")? == Some(extract::VERSION);
    let mut known: BTreeMap<(SourceKind, String), IndexedSource> = BTreeMap::new();
    for row in writer.sources()? {
        let kind = SourceKind::parse(&row.kind)
            .ok_or(IndexError::Damaged("a kind of source is unknown"))?;
        known.insert(
            (kind, row.path),
            IndexedSource {
                id: row.id,
                hash: row.hash,
                bytes: row.bytes,
            },
        );
    }
    let total = listing.files.len();
    let listed = listing.files.into_iter().map(|file| {
        let before = known.remove(&(file.kind, file.name.clone()));
        (file, before)
    });
    let listed: Vec<Source> = listed.collect();
    let first_new = writer.next();
    // Groups are read on all cores while earlier ones are written.
    std::thread::scope(|scope| {
        let (send, receive) = std::sync::mpsc::sync_channel::<Vec<Group<'_>>>(1);
        let mut rest = listed.as_slice();
        scope.spawn(move || {
            while !rest.is_empty() {
                let groups =
                    (0..GROUPS * rayon::current_num_threads()).map_while(|_| group(&mut rest));
                let groups: Vec<&[Source]> = groups.collect();
                if send
                    .send(
                        groups
                            .into_par_iter()
                            .map(|sources| Group::read(sources, current))
                            .collect(),
                    )
                    .is_err()
                {
                    // The writer has failed.
                    return;
                }
            }
        });
        let mut done = 0;
        for groups in receive {
            for Group { sources, read } in groups {
                for ((file, before), read) in sources.iter().zip(read) {
                    take(
                        &mut writer,
                        file,
                        before.as_ref().map(|known| known.id),
                        read,
                        &mut summary,
                    )?;
                }
                done += sources.len();
            }
            progress(done, total);
        }
        Ok::<(), KnowledgeError>(())
    })?;
    for ((kind, path), removed) in known {
        summary.observations_before += writer.remove(removed.id)?;
        summary.removed.push((kind, path));
    }
    let added = (writer.next() - first_new).cast_unsigned();
    let changed =
        !(summary.added.is_empty() && summary.changed.is_empty() && summary.removed.is_empty());
    summary.vectors = rank::update(&writer, settings.vectors, given, changed)?;
    writer.set("extractor", extract::VERSION)?;
    weak::mark(&writer, sources)?;
    finish(&writer, limits, &mut summary)?;
    // Removed observations are counted already; add the current ones that aren't new.
    summary.observations_before += summary.observations.saturating_sub(added);
    if let Some(before) = before {
        summary.repositories = by_repository::summaries(
            sources.repositories.keys(),
            (before, by_repository::held(writer.connection())?),
            [&summary.added, &summary.changed, &summary.removed],
            &listing.unread_in,
            &summary.findings,
        );
    }
    writer.commit()?;
    Ok(summary)
}

/// A source as it was indexed.
struct IndexedSource {
    id: i64,
    hash: Vec<u8>,
    bytes: u64,
}

/// A source and its indexed state.
type Source = (SourceFile, Option<IndexedSource>);

/// Takes the next group off the front of the sources; `None` when none are left.
fn group<'s>(rest: &mut &'s [Source]) -> Option<&'s [Source]> {
    let mut bytes = 0;
    let within = rest.iter().take(SOURCES).take_while(|(file, before)| {
        let begins = bytes < BYTES;
        // A known source mostly has its old length. A file whose length can't be read can't be read
        // either.
        let length = || std::fs::metadata(&file.path).map_or(0, |data| data.len());
        bytes = before
            .as_ref()
            .map_or_else(length, |known| known.bytes)
            .saturating_add(bytes);
        begins
    });
    let (group, others) = rest.split_at_checked(within.count())?;
    *rest = others;
    Some(group).filter(|group| !group.is_empty())
}

/// The result of reading a source.
enum Read {
    Unchanged,
    Content {
        hash: Vec<u8>,
        bytes: u64,
        extracted: Box<Extracted>,
        prepared: Box<Prepared>,
        words: Vec<Words>,
    },
    Unreadable(std::io::Error),
}

/// A group of sources after reading.
struct Group<'s> {
    sources: &'s [Source],
    read: Vec<Read>,
}

impl<'s> Group<'s> {
    fn read(sources: &'s [Source], current: bool) -> Self {
        let read = |(file, before): &Source| read(file, before.as_ref().filter(|_| current));
        Self {
            sources,
            read: sources.iter().map(read).collect(),
        }
    }
}

fn read(file: &SourceFile, before: Option<&IndexedSource>) -> Read {
    match hash(file) {
        Err(error) => Read::Unreadable(error),
        Ok((hash, _)) if before.is_some_and(|known| known.hash == hash) => Read::Unchanged,
        Ok((hash, bytes)) => {
            let mut extracted = Box::new(extract(file));
            let observations = std::mem::take(&mut extracted.observations);
            let prepared = Box::new(Prepared::new(observations, &file.name));
            Read::Content {
                hash,
                bytes,
                extracted,
                words: prepared.words(),
                prepared,
            }
        }
    }
}

/// Returns the hash and length of a file.
fn hash(file: &SourceFile) -> std::io::Result<(Vec<u8>, u64)> {
    if file.kind == SourceKind::History {
        return Ok((history::tip(&file.path, file.name_within())?, 0));
    }
    let mut hash = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 14];
    let mut bytes = 0;
    let paths = match file.input()? {
        Input::Series(paths) => paths,
        Input::File(_) | Input::Stdin => vec![file.path.clone()],
    };
    for path in paths {
        let mut opened = std::fs::File::open(path)?;
        loop {
            let n = opened.read(&mut buffer)?;
            if n == 0 {
                break;
            }
            hash.update(buffer.get(..n).unwrap_or_default());
            bytes += n as u64;
        }
    }
    Ok((hash.finalize().as_bytes().to_vec(), bytes))
}

fn take(
    writer: &mut Writer<'_>,
    file: &SourceFile,
    before: Option<i64>,
    read: Read,
    summary: &mut Summary,
) -> Result<(), KnowledgeError> {
    let key = (file.kind, file.name.clone());
    match read {
        Read::Unchanged => summary.unchanged += 1,
        Read::Content {
            hash,
            bytes,
            extracted,
            prepared,
            words,
        } => {
            match before {
                Some(id) => {
                    summary.observations_before += writer.remove(id)?;
                    summary.changed.push(key);
                }
                None => summary.added.push(key),
            }
            let first = writer.next();
            tables::add(writer, file, &hash, bytes, &extracted, &prepared)?;
            writer.index(first, &words)?;
        }
        Read::Unreadable(error) => {
            summary.findings.push(finding(
                101,
                &file.name,
                0,
                format!("the source can't be opened: {error}"),
            ));
            // The old content can't be verified any more.
            if let Some(id) = before {
                summary.observations_before += writer.remove(id)?;
                summary.removed.push(key);
            }
        }
    }
    Ok(())
}

/// Computes the counts, findings and digest of the updated store.
fn finish(
    writer: &Writer<'_>,
    limits: Limits,
    summary: &mut Summary,
) -> Result<(), KnowledgeError> {
    let count = |sql: &str| {
        writer
            .connection()
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .map(i64::cast_unsigned)
    };
    summary.observations = count("SELECT count(*) FROM observation")?;
    summary.edges = count("SELECT count(*) FROM edge")?;
    summary.skill_uses = count("SELECT count(*) FROM execution_log")?;
    summary.hidden = count("SELECT coalesce(sum(hidden), 0) FROM source")?;
    let mut statement = writer.connection().prepare(
        "SELECT path, code, line, message FROM finding JOIN source ON source.id = finding.source",
    )?;
    let rows = statement.query_map([], |row| {
        let (path, code): (String, u16) = (row.get(0)?, row.get(1)?);
        Ok(finding(
            code,
            &path,
            row.get::<_, i64>(2)?.cast_unsigned(),
            row.get(3)?,
        ))
    })?;
    for row in rows {
        summary.findings.push(row?);
    }
    summary
        .findings
        .extend(tables::dangling(writer.connection())?);
    summary
        .findings
        .extend(tables::misdirected(writer.connection())?);
    summary
        .findings
        .extend(skills::findings(writer.connection(), limits)?);
    skills::rebuild(writer.connection(), limits)?;
    summary.findings.sort_by_cached_key(Finding::order);
    assign_fingerprints(&mut summary.findings);
    summary.digest = writer.digest()?;
    Ok(())
}

/// How many sources differ from what is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Age {
    /// Sources that aren't indexed.
    pub added: usize,
    pub changed: usize,
    /// Indexed sources that no longer exist.
    pub removed: usize,
}

/// Seconds before the last run in which a source may have been written after it was read.
const SLACK: u64 = 60;
/// Maximum number of bytes that are read to find changed sources; beyond, lengths decide.
const HASHED: u64 = 64 << 20;

/// Compares the sources with an index that was written at `indexed`, by names, lengths and times. A
/// source that may have changed since is read.
///
/// # Errors
/// When a source can't be listed, or the store can't be read.
pub fn age(store: &Store, sources: &Sources, indexed: SystemTime) -> Result<Age, KnowledgeError> {
    let listing = sources.list()?;
    if let Some((path, error)) = listing.unlisted.into_iter().next() {
        return Err(KnowledgeError::Source { path, error });
    }
    let mut known = BTreeMap::new();
    for row in store.sources()? {
        known.insert((row.kind, row.path), (row.hash, row.bytes));
    }
    let fresh = indexed.checked_sub(Duration::from_secs(SLACK));
    let mut age = Age::default();
    let mut left = HASHED;
    for file in &listing.files {
        let key = (file.kind.name().to_owned(), file.name.clone());
        let Some((before, bytes)) = known.remove(&key) else {
            age.added += 1;
            continue;
        };
        let data = std::fs::metadata(&file.path).ok().filter(|d| d.is_file());
        let written = data.as_ref().and_then(|data| data.modified().ok());
        let is_older = fresh.zip(written).is_some_and(|(fresh, at)| at < fresh);
        let has_length = data.as_ref().is_some_and(|data| data.len() == bytes);
        let has_changed = match data {
            Some(_) if !has_length => true,
            Some(_) if is_older || bytes > left => false,
            _ => {
                left = left.saturating_sub(bytes);
                hash(file).map_or(true, |(now, _)| now != before)
            }
        };
        age.changed += usize::from(has_changed);
    }
    age.removed = known.len();
    Ok(age)
}

/// A comparison of the store with its sources.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The differences (YV905), and what is wrong with the sources.
    pub findings: Vec<Finding>,
    /// Number of compared sources.
    pub sources: usize,
    /// The same for each of several repositories: the listed ones, and those that are indexed.
    pub repositories: BTreeMap<String, RepositoryCheck>,
}

/// Compares the store with its sources.
///
/// # Errors
/// When a source leads out of the root, or the store can't be read.
pub fn check(
    store: &Store,
    sources: &Sources,
    settings: Settings,
    limits: Limits,
) -> Result<Comparison, KnowledgeError> {
    let listing = sources.list()?;
    let mut findings = listing.findings;
    let mut known: BTreeMap<(String, String), (i64, Vec<u8>)> = BTreeMap::new();
    for row in store.sources()? {
        known.insert((row.kind, row.path), (row.id, row.hash));
    }
    let current = store.meta::<i64>("extractor")? == Some(extract::VERSION);
    let mut unchanged = Vec::new();
    for (file, hash) in listing
        .files
        .iter()
        .zip(listing.files.par_iter().map(hash).collect::<Vec<_>>())
    {
        match (
            known.remove(&(file.kind.name().to_owned(), file.name.clone())),
            hash,
        ) {
            (_, Err(error)) => findings.push(finding(
                101,
                &file.name,
                0,
                format!("the source can't be opened: {error}"),
            )),
            (None, Ok(_)) => findings.push(stale(&file.name, "isn't in the index")),
            (Some((_, before)), Ok((now, _))) if before != now => {
                findings.push(stale(&file.name, "has changed since it was indexed"));
            }
            (Some((id, hash)), Ok((_, bytes))) => unchanged.push(Unchanged {
                file,
                id,
                hash,
                bytes,
            }),
        }
    }
    // What is indexed of a repository that can't be read is unknown, not gone.
    let unread: BTreeSet<String> = listing.unlisted.into_iter().map(|(name, _)| name).collect();
    known.retain(|(_, path), _| {
        let repository = path.split_once('/').map_or("", |(name, _)| name);
        !(sources.repositories.contains_key(repository) && unread.contains(repository))
    });
    let listed = listing.files.iter().map(|file| file.name.as_str());
    let compared: Vec<&str> = listed
        .chain(known.keys().map(|(_, path)| path.as_str()))
        .collect();
    let gone = known.keys();
    findings.extend(gone.map(|(_, path)| stale(path, "is gone and still in the index")));
    if current {
        check_contents(store, &unchanged, settings, &mut findings)?;
        // Marks depend on all sources, and statistics depend on marks, so each needs the former to
        // match.
        let agree = !findings.iter().any(|f| matches!(f.code.0, 101 | 905));
        if agree && !integrity::marks_agree(store, sources)? {
            findings.push(altered("", "marks of weak turns"));
        } else if agree && !skills::stats_agree(store.connection(), limits)? {
            findings.push(Finding {
                help: Some(REINDEX.into()),
                ..altered("", "figures of skills")
            });
        }
    } else {
        findings.push(stale("", "was read by another version of this program"));
    }
    findings.sort_by_cached_key(Finding::order);
    assign_fingerprints(&mut findings);
    let mut comparison = Comparison {
        sources: compared.len(),
        ..Comparison::default()
    };
    if !sources.repositories.is_empty() {
        let names = sources.repositories.keys();
        comparison.repositories = by_repository::checks(names, compared.into_iter(), &findings);
    }
    comparison.findings = findings;
    Ok(comparison)
}

/// The remedy for an index that is older than its sources.
const REINDEX: &str = "`knowledge reindex` brings the index up to date";

fn stale(name: &str, what: &str) -> Finding {
    let mut finding = finding(905, name, 0, format!("the source {what}"));
    finding.help = Some(REINDEX.into());
    finding
}

/// Reports index content that differs from its source. Reindexing only changed sources wouldn't fix
/// it.
fn altered(name: &str, what: &str) -> Finding {
    let mut finding = finding(
        905,
        name,
        0,
        format!("the {what} in the index aren't those that the source gives"),
    );
    finding.help =
        Some("the index was changed, or is damaged: move the file away and run `knowledge reindex` to make it again".into());
    finding
}

/// Reports that the index has no vectors.
fn no_vectors() -> Finding {
    let message = "the index has no vectors, though its texts suffice for them";
    let mut finding = finding(905, "", 0, message.into());
    finding.help = Some(format!(
        "{REINDEX}; give --no-vectors where it has none on purpose"
    ));
    finding
}

/// Reports that the vectors come from a different model than the current one.
fn other_model() -> Finding {
    let message = "the vectors in the index were made with another model, and can't be checked";
    let mut finding = finding(905, "", 0, message.into());
    finding.help = Some("give the same --model as `knowledge reindex`, or run that again".into());
    finding
}

/// A source whose bytes are those that were indexed.
struct Unchanged<'f> {
    file: &'f SourceFile,
    id: i64,
    hash: Vec<u8>,
    bytes: u64,
}

/// Compares the stored content of unchanged sources with a fresh extraction.
fn check_contents(
    store: &Store,
    unchanged: &[Unchanged<'_>],
    settings: Settings,
    findings: &mut Vec<Finding>,
) -> Result<(), KnowledgeError> {
    let mut agree = true;
    let mut rest = unchanged;
    while !rest.is_empty() {
        // Groups are read on all cores, a limited number at a time since their content stays in
        // memory.
        let mut groups = Vec::new();
        for _ in 0..GROUPS * rayon::current_num_threads() {
            let mut bytes = 0;
            let within = rest.iter().take(SOURCES).take_while(|source| {
                let begins = bytes < BYTES;
                bytes += source.bytes;
                begins
            });
            let (group, others) = rest.split_at_checked(within.count()).unwrap_or((rest, &[]));
            groups.push(group);
            rest = others;
        }
        let read = |group: &[Unchanged<'_>]| {
            let sources: Vec<_> = group
                .iter()
                .map(|source| (source.file, source.hash.as_slice(), source.bytes))
                .collect();
            integrity::expected(&sources)
        };
        let expected: Vec<Vec<integrity::Contents>> = groups
            .par_iter()
            .map(|group| read(group))
            .collect::<Result<_, _>>()?;
        for (source, expected) in groups
            .into_iter()
            .flatten()
            .zip(expected.into_iter().flatten())
        {
            if integrity::contents(store.connection(), source.id)? != expected {
                agree = false;
                findings.push(altered(&source.file.name, "texts"));
            }
        }
    }
    for table in integrity::strays(store)? {
        findings.push(altered("", &format!("rows of `{table}`")));
    }
    // The word index is derived from the texts. While texts differ, it can't be compared.
    if !agree {
        return Ok(());
    }
    if !store.words_agree()? {
        findings.push(altered("", "words"));
        return Ok(());
    }
    findings.extend(match rank::difference(store, settings.vectors)? {
        None => None,
        Some(Difference::Vectors) => Some(altered("", "vectors")),
        Some(Difference::Missing) => Some(no_vectors()),
        Some(Difference::Model) => Some(altered("", "model of the vectors")),
        Some(Difference::OtherModel) => Some(other_model()),
        Some(Difference::Unrecorded) => {
            Some(stale("", "was read by another version of this program"))
        }
    });
    Ok(())
}
