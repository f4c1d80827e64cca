//! A cache of tags by the hash of the text, and of what each file contained when it was last read.
//!
//! The key is the SHA-256 of everything that tags depend on: the version of queries and code, the
//! language, and the text. A file whose [`FileStat`] hasn't changed since a run read it isn't read
//! again.
//!
//! One file holds all entries. It ends with the SHA-256 of what precedes it, so that a truncated or
//! damaged file, or one of another version, is ignored and rebuilt. This detects accidents, not
//! attacks: whoever can write the file can also write a matching hash. Caching is therefore opt-in,
//! and checks run without a cache.

use super::classify::LeftOut;
use super::file_stat::FileStat;
use super::grammar::VERSION;
use super::language::Language;
use super::tags::Tags;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

const MAGIC: &[u8; 8] = b"yvrmap\x00\x02";
const HASH: usize = 32;
/// Name of the cache file in its directory.
const NAME: &str = "tags.cache";

/// Maximum size in bytes of a cache that is read. This program writes no larger one for any tree
/// that it accepts.
const MAX_BYTES: u64 = 1 << 30;

/// The key of an entry: a SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Key([u8; HASH]);

impl Key {
    pub(super) fn new(language: Language, text: &str) -> Key {
        let mut hash = Sha256::new();
        hash.update(VERSION.to_le_bytes());
        hash.update(language.name().as_bytes());
        hash.update([0]);
        hash.update(text.as_bytes());
        Key(hash.finalize().into())
    }
}

/// What a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FileKind {
    /// Source code, with the key of its tags.
    Source(Language, Key),
    /// Text in no supported language.
    Text,
    /// A map that this program wrote.
    Map,
    /// A file that is left out of maps.
    Not(LeftOut),
}

/// Files by their path from the root of their tree, with stat and contents when they were read.
type Files = BTreeMap<String, (FileStat, FileKind)>;

/// A cache in a directory.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    bytes: Vec<u8>,
    content: Content,
    /// When the run began. Files changed at or shortly before this time aren't recorded, so the
    /// next run reads them again.
    began: SystemTime,
    state: Mutex<State>,
}

/// The parsed index of a cache file.
#[derive(Debug, Default)]
struct Content {
    entries: HashMap<Key, Range<usize>>,
    files: Files,
}

#[derive(Debug, Default)]
struct State {
    used: BTreeSet<Key>,
    new: BTreeMap<Key, Vec<u8>>,
    files: Files,
}

/// Statistics of a run's use of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Number of files whose tags came from the cache.
    pub found: usize,
    /// Number of files that were parsed.
    pub parsed: usize,
}

impl Cache {
    /// Name of the cache file in its directory.
    pub const NAME: &str = NAME;

    /// Opens the cache of a directory. `now` is the time at which the run begins. A damaged cache
    /// is treated as empty.
    pub fn open(folder: &Path, now: SystemTime) -> Cache {
        let path = folder.join(NAME);
        let fits = fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= MAX_BYTES);
        let bytes = if fits {
            fs::read(&path).unwrap_or_default()
        } else {
            Vec::new()
        };
        let content = index(&bytes).unwrap_or_default();
        Cache {
            folder: folder.to_path_buf(),
            bytes,
            content,
            began: now,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Tags> {
        let bytes = self.bytes.get(self.content.entries.get(key)?.clone())?;
        let (tags, rest) = postcard::take_from_bytes::<Tags>(bytes).ok()?;
        if !rest.is_empty() || !tags.is_sound() {
            return None;
        }
        self.state().used.insert(*key);
        Some(tags)
    }

    pub(super) fn put(&self, key: Key, tags: &Tags) {
        if let Ok(bytes) = postcard::to_stdvec(tags) {
            self.state().new.insert(key, bytes);
        }
    }

    /// Returns what a file contained when it was last read, if its stat is unchanged.
    pub(super) fn file_kind(&self, path: &str, stat: &FileStat) -> Option<FileKind> {
        let (_, kind) = self
            .content
            .files
            .get(path)
            .filter(|(before, _)| before == stat)?;
        self.state().files.insert(path.to_owned(), (*stat, *kind));
        Some(*kind)
    }

    /// Records what a file contains, with its stat from before it was read.
    pub(super) fn record(&self, path: &str, stat: FileStat, kind: FileKind) {
        if stat.is_settled(self.began) {
            self.state().files.insert(path.to_owned(), (stat, kind));
        }
    }

    /// Returns how many files were found in the cache and how many were parsed.
    pub fn usage(&self) -> Usage {
        let state = self.state();
        Usage {
            found: state.used.len(),
            parsed: state.new.len(),
        }
    }

    /// Writes the entries that this run used and added, if they differ from the file. The file is
    /// replaced atomically, so concurrent runs don't damage it.
    ///
    /// # Errors
    /// Fails if the directory can't be written.
    pub fn save(&self) -> io::Result<()> {
        let state = self.state();
        let before = &self.content;
        if state.new.is_empty()
            && state.used.len() == before.entries.len()
            && state.files == before.files
        {
            return Ok(());
        }
        let mut all: BTreeMap<Key, &[u8]> =
            state.new.iter().map(|(k, v)| (*k, v.as_slice())).collect();
        for key in &state.used {
            let old = before
                .entries
                .get(key)
                .and_then(|range| self.bytes.get(range.clone()));
            all.extend(old.map(|bytes| (*key, bytes)));
        }
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        let mut part = |bytes: &[u8]| {
            out.extend(u64::try_from(bytes.len()).unwrap_or(0).to_le_bytes());
            out.extend(bytes);
        };
        part(&postcard::to_stdvec(&state.files).map_err(io::Error::other)?);
        for (key, bytes) in all {
            part(&[&key.0, bytes].concat());
        }
        let hash = Sha256::digest(&out);
        out.extend(hash);
        fs::create_dir_all(&self.folder)?;
        let temporary = self.folder.join(format!("{NAME}.{}", std::process::id()));
        fs::write(&temporary, out)?;
        fs::rename(&temporary, self.folder.join(NAME))
    }
}

/// Parses the index of a cache file. Returns `None` if any part of it is invalid.
fn index(bytes: &[u8]) -> Option<Content> {
    let (content, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    if Sha256::digest(content).as_slice() != hash {
        return None;
    }
    let start = MAGIC.len() + 4;
    let head = content.get(..start)?;
    if head.strip_prefix(MAGIC)? != VERSION.to_le_bytes() {
        return None;
    }
    let files = part(content, start)?;
    let mut at = files.end;
    let (files, rest) = postcard::take_from_bytes::<Files>(content.get(files)?).ok()?;
    if !rest.is_empty() {
        return None;
    }
    let mut entries = HashMap::new();
    while at < content.len() {
        let entry = part(content, at)?;
        at = entry.end;
        let (key, _) = content.get(entry.clone())?.split_first_chunk()?;
        entries.insert(Key(*key), entry.start + HASH..entry.end);
    }
    Some(Content { entries, files })
}

/// Returns the range of the length-prefixed part that starts at a position.
fn part(content: &[u8], at: usize) -> Option<Range<usize>> {
    let (length, _) = content.get(at..)?.split_first_chunk()?;
    let from = at + length.len();
    let to = from.checked_add(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    content.get(from..to).map(|_| from..to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;
    use proptest::prelude::*;

    const TEXT: &str = "/// Doc.\npub fn f(x: A) -> B { g(x) }\n";

    fn open(folder: &Path) -> Cache {
        Cache::open(folder, SystemTime::UNIX_EPOCH)
    }

    fn written() -> (tempfile::TempDir, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(folder.path());
        cache.put(
            Key::new(Language::Rust, TEXT),
            &extract(Language::Rust, TEXT).unwrap(),
        );
        cache.save().unwrap();
        let bytes = fs::read(folder.path().join(NAME)).unwrap();
        (folder, bytes)
    }

    #[test]
    fn what_was_parsed_is_found_again() {
        let (folder, _) = written();
        let cache = open(folder.path());
        assert_eq!(
            cache.get(&Key::new(Language::Rust, TEXT)),
            Some(extract(Language::Rust, TEXT).unwrap())
        );
        assert_eq!(cache.get(&Key::new(Language::C, TEXT)), None);
        assert_eq!(
            cache.usage(),
            Usage {
                found: 1,
                parsed: 0
            }
        );
        cache.save().unwrap();
        let unused = open(folder.path());
        unused.save().unwrap();
        assert!(
            open(folder.path()).content.entries.is_empty(),
            "what no run needs any more goes"
        );
    }

    #[test]
    fn a_file_is_known_while_its_stamp_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rs");
        fs::write(&path, TEXT).unwrap();
        let Some(stat) = FileStat::from_metadata(&fs::metadata(&path).unwrap()) else {
            return;
        };
        let kind = FileKind::Source(Language::Rust, Key::new(Language::Rust, TEXT));
        let now = fs::metadata(&path).unwrap().modified().unwrap();
        let cache = |now| Cache::open(folder.path(), now);
        let fresh = cache(now);
        fresh.record("a.rs", stat, kind);
        fresh.save().unwrap();
        assert_eq!(
            open(folder.path()).file_kind("a.rs", &stat),
            None,
            "it was written just now"
        );
        let later = cache(now + std::time::Duration::from_mins(1));
        later.record("a.rs", stat, kind);
        later.save().unwrap();
        let again = open(folder.path());
        assert_eq!(again.file_kind("a.rs", &stat), Some(kind));
        assert_eq!(again.file_kind("b.rs", &stat), None);
        fs::write(&path, format!("{TEXT}\n")).unwrap();
        assert_eq!(
            again.file_kind(
                "a.rs",
                &FileStat::from_metadata(&fs::metadata(&path).unwrap()).unwrap()
            ),
            None
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_was_left_alone_is_not_read_again_and_what_changed_is() {
        use crate::of_folder;
        let (tree, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |name: &str, text: &[u8]| fs::write(tree.path().join(name), text).unwrap();
        write("a.rs", TEXT.as_bytes());
        write("b.rs", b"pub fn b() {}\n");
        write("c.txt", b"words\n");
        write("d.txt", b"\0\0");
        let plain = of_folder(tree.path(), None).unwrap();
        assert_eq!((plain.files.len(), plain.left_out.len()), (3, 1));
        let now = fs::metadata(tree.path().join("d.txt"))
            .unwrap()
            .modified()
            .unwrap();
        let later = || Cache::open(kept.path(), now + std::time::Duration::from_mins(1));
        for _ in 0..2 {
            let cache = later();
            assert_eq!(of_folder(tree.path(), Some(&cache)).unwrap(), plain);
            cache.save().unwrap();
        }
        // A changed cache entry is used as long as the file's stat is the same: the file isn't
        // read.
        let mut cache = later();
        assert_eq!(cache.content.files.len(), 4);
        cache.content.files.get_mut("a.rs").unwrap().1 = FileKind::Text;
        let changed = of_folder(tree.path(), Some(&cache)).unwrap();
        assert_eq!(
            (changed.files[0].language, &changed.files[1..]),
            (None, &plain.files[1..])
        );
        // The new content has the same length.
        write("a.rs", TEXT.replace("f(", "g(").as_bytes());
        write("d.txt", b"ab");
        let cache = later();
        let now = of_folder(tree.path(), Some(&cache)).unwrap();
        assert_eq!(now, of_folder(tree.path(), None).unwrap());
        assert_eq!(
            (
                now.files[0].tags.definitions[0].name.as_str(),
                now.files.len()
            ),
            ("g", 4)
        );
        assert_eq!(
            cache.usage(),
            Usage {
                found: 1,
                parsed: 1
            }
        );
    }

    proptest! {
        #[test]
        fn any_bytes_for_the_files_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..60)) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(VERSION.to_le_bytes());
            bytes.extend((body.len() as u64).to_le_bytes());
            bytes.extend(body);
            bytes.extend(Sha256::digest(&bytes));
            let _ = index(&bytes);
        }
    }

    #[test]
    fn any_changed_byte_is_noticed() {
        let (folder, bytes) = written();
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            fs::write(folder.path().join(NAME), broken).unwrap();
            assert!(open(folder.path()).content.entries.is_empty(), "byte {at}");
            fs::write(folder.path().join(NAME), &bytes[..at]).unwrap();
            assert!(
                open(folder.path()).content.entries.is_empty(),
                "cut at {at}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_with_a_hash_that_fits_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(VERSION.to_le_bytes());
            bytes.extend([1, 0, 0, 0, 0, 0, 0, 0, 0]);
            bytes.extend((32 + body.len() as u64).to_le_bytes());
            bytes.extend(Key::new(Language::Rust, "").0);
            bytes.extend(body);
            bytes.extend(Sha256::digest(&bytes));
            let content = index(&bytes).unwrap();
            let cache = Cache { folder: PathBuf::new(), bytes, content, began: SystemTime::UNIX_EPOCH, state: Mutex::default() };
            if let Some(tags) = cache.get(&Key::new(Language::Rust, "")) {
                prop_assert!(tags.is_sound());
            }
        }
    }
}
