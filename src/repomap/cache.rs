//! Tags of files that were parsed before, by the hash of their text.
//!
//! The key is the SHA-256 of everything that tags depend on: the version of queries and code, the language, the text.
//! One file holds all entries and ends with the SHA-256 of what stands before: what is cut, of another version or damaged is
//! not believed, and is built anew. That finds accidents. Whoever may write the file may write a hash that fits, as with
//! any cache; so nothing is cached unless asked for, and checks are run without.

use super::grammar::VERSION;
use super::language::Language;
use super::tags::Tags;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const MAGIC: &[u8; 8] = b"yvrmap\x00\x01";
const HASH: usize = 32;
const NAME: &str = "tags.cache";

/// Bytes of a cache that is read: what is larger wasn't written by this program for any tree that it takes.
const MAX_BYTES: u64 = 1 << 30;

/// What an entry is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key([u8; HASH]);

impl Key {
    pub(super) fn of(language: Language, text: &str) -> Key {
        let mut hash = Sha256::new();
        hash.update(VERSION.to_le_bytes());
        hash.update(language.name().as_bytes());
        hash.update([0]);
        hash.update(text.as_bytes());
        Key(hash.finalize().into())
    }
}

/// A cache in a folder.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    bytes: Vec<u8>,
    entries: HashMap<Key, Range<usize>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: BTreeSet<Key>,
    new: BTreeMap<Key, Vec<u8>>,
}

/// What a run did with a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Files whose tags came out of it.
    pub found: usize,
    /// Files that were parsed.
    pub parsed: usize,
}

impl Cache {
    /// Opens the cache of a folder. One that can't be believed is empty.
    pub fn open(folder: &Path) -> Cache {
        let path = folder.join(NAME);
        let fits = fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= MAX_BYTES);
        let bytes = if fits { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        let entries = index(&bytes).unwrap_or_default();
        Cache { folder: folder.to_path_buf(), bytes, entries, state: Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(super) fn get(&self, key: &Key) -> Option<Tags> {
        let bytes = self.bytes.get(self.entries.get(key)?.clone())?;
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

    /// What was found and what was not.
    pub fn usage(&self) -> Usage {
        let state = self.state();
        Usage { found: state.used.len(), parsed: state.new.len() }
    }

    /// Writes what this run used and parsed, if it differs from what is there. Another run that writes at the same time
    /// does no harm: the file is put in place as a whole.
    ///
    /// # Errors
    /// When the folder can't be written.
    pub fn save(&self) -> io::Result<()> {
        let state = self.state();
        if state.new.is_empty() && state.used.len() == self.entries.len() {
            return Ok(());
        }
        let mut all: BTreeMap<Key, &[u8]> = state.new.iter().map(|(k, v)| (*k, v.as_slice())).collect();
        for key in &state.used {
            let old = self.entries.get(key).and_then(|range| self.bytes.get(range.clone()));
            all.extend(old.map(|bytes| (*key, bytes)));
        }
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        for (key, bytes) in all {
            out.extend(key.0);
            out.extend(u64::try_from(bytes.len()).unwrap_or(0).to_le_bytes());
            out.extend(bytes);
        }
        let hash = Sha256::digest(&out);
        out.extend(hash);
        fs::create_dir_all(&self.folder)?;
        let temporary = self.folder.join(format!("{NAME}.{}", std::process::id()));
        fs::write(&temporary, out)?;
        fs::rename(&temporary, self.folder.join(NAME))
    }
}

/// Where the entries lie; `None` when anything of the file isn't as it should be.
fn index(bytes: &[u8]) -> Option<HashMap<Key, Range<usize>>> {
    let (content, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    if Sha256::digest(content).as_slice() != hash {
        return None;
    }
    let start = MAGIC.len() + 4;
    let head = content.get(..start)?;
    if head.strip_prefix(MAGIC)? != VERSION.to_le_bytes() {
        return None;
    }
    let (mut at, mut out) = (start, HashMap::new());
    while at < content.len() {
        let key = content.get(at..at + HASH)?.try_into().ok()?;
        let length = content.get(at + HASH..at + HASH + 8)?.try_into().ok()?;
        let from = at + HASH + 8;
        let to = from.checked_add(usize::try_from(u64::from_le_bytes(length)).ok()?)?;
        content.get(from..to)?;
        out.insert(Key(key), from..to);
        at = to;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repomap::extract;
    use proptest::prelude::*;

    const TEXT: &str = "/// Doc.\npub fn f(x: A) -> B { g(x) }\n";

    fn written() -> (tempfile::TempDir, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        cache.put(Key::of(Language::Rust, TEXT), &extract(Language::Rust, TEXT).unwrap());
        cache.save().unwrap();
        let bytes = fs::read(folder.path().join(NAME)).unwrap();
        (folder, bytes)
    }

    #[test]
    fn what_was_parsed_is_found_again() {
        let (folder, _) = written();
        let cache = Cache::open(folder.path());
        assert_eq!(cache.get(&Key::of(Language::Rust, TEXT)), Some(extract(Language::Rust, TEXT).unwrap()));
        assert_eq!(cache.get(&Key::of(Language::C, TEXT)), None);
        assert_eq!(cache.usage(), Usage { found: 1, parsed: 0 });
        cache.save().unwrap();
        let unused = Cache::open(folder.path());
        unused.save().unwrap();
        assert!(Cache::open(folder.path()).entries.is_empty(), "what no run needs any more goes");
    }

    #[test]
    fn any_changed_byte_is_noticed() {
        let (folder, bytes) = written();
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            fs::write(folder.path().join(NAME), broken).unwrap();
            assert!(Cache::open(folder.path()).entries.is_empty(), "byte {at}");
            fs::write(folder.path().join(NAME), &bytes[..at]).unwrap();
            assert!(Cache::open(folder.path()).entries.is_empty(), "cut at {at}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_with_a_hash_that_fits_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(VERSION.to_le_bytes());
            bytes.extend(Key::of(Language::Rust, "").0);
            bytes.extend((body.len() as u64).to_le_bytes());
            bytes.extend(body);
            bytes.extend(Sha256::digest(&bytes));
            let entries = index(&bytes).unwrap();
            let cache = Cache { folder: PathBuf::new(), bytes, entries, state: Mutex::default() };
            if let Some(tags) = cache.get(&Key::of(Language::Rust, "")) {
                prop_assert!(tags.is_sound());
            }
        }
    }
}
