//! Reads a context bank: `index.json`, `items/ID.json`, or a list of items.

use super::item::{Item, Place};
use crate::diag::Finding;
use crate::knowledge::KnowledgeError;
use crate::knowledge::extract::{extract, is_repeated, learn};
use crate::knowledge::memory::CANDIDATES;
use crate::knowledge::source_config::{SourceKind, Sources};
use crate::source::read_whole;
use content_scan::mask::Mask;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Maximum size of one file of a bank, in bytes.
const WHOLE: u64 = 64 << 20;

/// A file of a context bank.
#[derive(Debug, Clone)]
pub struct BankFile {
    /// The path relative to the root, with `/`.
    pub name: String,
    /// The path to open.
    pub path: PathBuf,
    /// The bytes as read from disk.
    pub bytes: Vec<u8>,
    pub value: Value,
}

/// The items of all configured banks.
#[derive(Debug, Clone, Default)]
pub struct Bank {
    /// The readable files, by name.
    pub files: Vec<BankFile>,
    /// The items, by file and place.
    pub items: Vec<Item>,
    /// Files that can't be read, with the reason. Those that `reindex` also reports contain invalid
    /// JSON.
    pub unreadable: Vec<(String, String)>,
    /// Ids of items that were proposed as skills.
    pub proposed: BTreeSet<String>,
    /// The files that list those proposals, by path relative to the root, with their bytes.
    pub candidate_files: BTreeMap<String, Vec<u8>>,
    /// Secrets in the files, masked in all output about items.
    pub secrets: Mask,
}

impl Bank {
    /// Reads every bank among the sources.
    ///
    /// # Errors
    /// When a source leads out of the root.
    pub fn read(sources: &Sources) -> Result<Self, KnowledgeError> {
        let listing = banks(sources).list()?;
        let mut bank = Self::default();
        bank.unreadable.extend(
            listing
                .findings
                .into_iter()
                .map(|f| (f.place.file.to_string(), f.message)),
        );
        for file in listing.files {
            match read(&file.path) {
                Ok((bytes, value)) => {
                    learn(&mut bank.secrets, &String::from_utf8_lossy(&bytes), true);
                    bank.files.push(BankFile {
                        name: file.name,
                        path: file.path,
                        bytes,
                        value,
                    });
                }
                Err(why) => bank.unreadable.push((file.name, why)),
            }
        }
        bank.collect();
        bank.proposals(&sources.root);
        Ok(bank)
    }

    /// Returns what is wrong with the files of the banks, as `reindex` reports it. An item with a
    /// fault claims nothing that can be checked.
    ///
    /// # Errors
    /// When a source leads out of the root.
    pub fn faults(sources: &Sources) -> Result<Vec<Finding>, KnowledgeError> {
        let files = banks(sources).list()?.files;
        Ok(files.iter().flat_map(|f| extract(f).findings).collect())
    }

    /// Reads which items were proposed as skills. Unreadable lines are ignored.
    fn proposals(&mut self, root: &Path) {
        let folders: BTreeSet<&str> = self.files.iter().map(|f| Self::folder(&f.name)).collect();
        for folder in folders {
            let name = if folder.is_empty() {
                CANDIDATES.to_owned()
            } else {
                format!("{folder}/{CANDIDATES}")
            };
            let path = root.join(&name);
            if !path
                .symlink_metadata()
                .is_ok_and(|m| m.file_type().is_file() && m.len() <= WHOLE)
            {
                continue;
            }
            match std::fs::read(&path) {
                Ok(bytes) => {
                    let lines = bytes
                        .split(|b| *b == b'\n')
                        .filter_map(|line| serde_json::from_slice::<Value>(line).ok());
                    self.proposed.extend(lines.filter_map(|line| {
                        line.get("id").and_then(Value::as_str).map(str::to_owned)
                    }));
                    self.candidate_files.insert(name, bytes);
                }
                Err(error) => self.unreadable.push((name, error.to_string())),
            }
        }
    }

    fn collect(&mut self) {
        let mut known = BTreeSet::new();
        for file in &self.files {
            match &file.value {
                Value::Array(all) => {
                    let read = |(n, v)| Item::read(&file.name, Place::Element(n), v);
                    self.items.extend(all.iter().enumerate().filter_map(read));
                }
                Value::Object(members) if !members.contains_key("items") => {
                    self.items
                        .extend(Item::read(&file.name, Place::Whole, &file.value));
                }
                _ => {}
            }
        }
        known.extend(self.items.iter().map(|i| i.id.clone()));
        // Items that an index freezes, by directory and id.
        let mut frozen: BTreeMap<(String, String), &'static str> = BTreeMap::new();
        for file in &self.files {
            let entries = file
                .value
                .get("items")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            for (n, entry) in entries.enumerate() {
                let Some(entry) = Item::read(&file.name, Place::Listed(n), entry) else {
                    continue;
                };
                // An item's own file takes precedence over its index entry, except that either may
                // freeze it.
                if !known.contains(&entry.id) {
                    self.items.push(entry);
                } else if let Some(why) = entry.frozen {
                    frozen.insert((Self::folder(&entry.file).to_owned(), entry.id), why);
                }
            }
        }
        for item in self
            .items
            .iter_mut()
            .filter(|item| item.frozen.is_none() && !frozen.is_empty())
        {
            item.frozen = frozen
                .get(&(Self::folder(&item.file).to_owned(), item.id.clone()))
                .copied();
        }
        self.items
            .sort_by(|a, b| (&a.file, a.place, &a.id).cmp(&(&b.file, b.place, &b.id)));
    }

    /// Returns the latest time of use that isn't after `until`, in milliseconds since the Unix
    /// epoch.
    #[must_use]
    pub fn newest(&self, until: i64) -> Option<i64> {
        self.items
            .iter()
            .filter_map(|i| i.used)
            .filter(|used| *used <= until)
            .max()
    }

    /// Returns the ids of the items that claim a use after `time`.
    #[must_use]
    pub fn later_than(&self, time: i64) -> Vec<&str> {
        self.items
            .iter()
            .filter(|i| i.used.is_some_and(|used| used > time))
            .map(|i| i.id.as_str())
            .collect()
    }

    /// Returns the directory of the bank that a file belongs to, relative to the root; empty for
    /// the root itself.
    #[must_use]
    pub fn folder(file: &str) -> &str {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        match folder.rsplit_once('/') {
            Some((bank, "items")) => bank,
            None if folder == "items" => "",
            _ => folder,
        }
    }
}

/// Returns the banks among the sources.
fn banks(sources: &Sources) -> Sources {
    let paths = sources.paths.iter();
    Sources {
        root: sources.root.clone(),
        paths: paths
            .filter(|(kind, _)| *kind == SourceKind::Bank)
            .cloned()
            .collect(),
        ..Sources::default()
    }
}

fn read(path: &Path) -> Result<(Vec<u8>, Value), String> {
    let bytes = std::fs::File::open(path)
        .and_then(|file| read_whole(file, WHOLE))
        .map_err(|e| e.to_string())?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let value = serde_json::from_slice(text).map_err(|e| format!("it is not JSON: {e}"))?;
    if is_repeated(std::str::from_utf8(text).map_err(|e| e.to_string())?) {
        // Writing the value back would drop one of the members, and which one was meant is unknown.
        return Err("a member appears twice in its object".to_owned());
    }
    Ok((bytes, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_that_stands_twice_is_not_read() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(
            root.path().join("a.json"),
            r#"{"id":"a","content":"one","content":"two"}"#,
        )
        .unwrap();
        let paths = vec![(SourceKind::Bank, "a.json".to_owned())];
        let bank = Bank::read(&Sources {
            root: root.path().to_path_buf(),
            paths,
            ..Sources::default()
        })
        .unwrap();
        assert!(
            bank.items.is_empty() && bank.unreadable.len() == 1,
            "{:?}",
            bank.unreadable
        );
    }

    #[test]
    fn a_secret_is_known_however_it_is_written() {
        let token = content_scan::secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
        let escaped: String = token.bytes().map(|b| format!("\\u{b:04x}")).collect();
        let root = tempfile::tempdir().unwrap();
        std::fs::write(
            root.path().join("a.json"),
            format!("{{\"id\":\"a\",\"path\":\"docs/{escaped}\"}}"),
        )
        .unwrap();
        let paths = vec![(SourceKind::Bank, "a.json".to_owned())];
        let bank = Bank::read(&Sources {
            root: root.path().to_path_buf(),
            paths,
            ..Sources::default()
        })
        .unwrap();
        assert_eq!(
            bank.secrets.hide(&bank.items[0].path).as_deref(),
            Some("docs/[secret]")
        );
    }

    #[test]
    fn a_bank_is_found_in_all_its_forms() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            "bank/index.json",
            r#"{"version":1,"items":[{"id":"a","path":"a.md"},{"id":"b","path":"b.md","confidence":0.5,"useCount":2}]}"#,
        );
        write(
            "bank/items/a.json",
            r#"{"id":"a","path":"a.md","importance":0.5}"#,
        );
        write("bank/items/broken.json", "{");
        write(
            "context.json",
            r#"[{"path":"c.md"},{"no":"path"},{"path":"d.md"}]"#,
        );
        let paths = ["bank", "context.json"]
            .map(|p| (SourceKind::Bank, p.to_owned()))
            .to_vec();
        let bank = Bank::read(&Sources {
            root: root.path().to_path_buf(),
            paths,
            ..Sources::default()
        })
        .unwrap();
        let items: Vec<_> = bank
            .items
            .iter()
            .map(|i| (i.id.as_str(), i.file.as_str(), i.place))
            .collect();
        assert_eq!(
            items,
            [
                ("b", "bank/index.json", Place::Listed(1)),
                ("a", "bank/items/a.json", Place::Whole),
                ("c.md", "context.json", Place::Element(0)),
                ("d.md", "context.json", Place::Element(2)),
            ]
        );
        assert_eq!(bank.unreadable.len(), 1);
        assert_eq!(
            [
                "bank/index.json",
                "bank/items/a.json",
                "context.json",
                "items/a.json"
            ]
            .map(Bank::folder),
            ["bank", "bank", "", ""]
        );
    }
}
