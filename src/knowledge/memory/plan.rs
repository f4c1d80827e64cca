//! Turns decisions about items into changes of files.

use crate::knowledge::context::{
    Bank, BankFile, Importance, Item, Memory, MemoryAction, Place, confidence_after, memory,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path relative to the root, with `/`.
    pub name: String,
    /// The path to open.
    pub path: PathBuf,
    /// The current bytes; `None` when the file doesn't exist.
    pub before: Option<Vec<u8>>,
    /// The new bytes; `None` when the file is to be removed.
    pub after: Option<Vec<u8>>,
}

/// The decision about one item.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub id: String,
    /// The path that the item describes.
    pub path: String,
    /// The file that contains the item.
    pub file: String,
    /// The action with its confidence and reason.
    pub memory: Memory,
    /// The effect of carrying it out; empty when nothing would change.
    pub effect: &'static str,
}

/// The decisions about all items, with the resulting changes.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The decisions, by file and place.
    pub decisions: Vec<Decision>,
    /// The changes, by file name.
    pub changes: Vec<FileChange>,
}

/// A file that is being edited.
struct Edit<'b> {
    file: &'b BankFile,
    value: Value,
    touched: bool,
    /// Elements or entries to remove.
    gone: BTreeSet<usize>,
    deleted: bool,
}

/// All files that are being edited.
struct Edits<'b> {
    files: BTreeMap<&'b str, Edit<'b>>,
    /// New lines for the lists of candidates, by the directory of the bank.
    proposals: BTreeMap<&'b str, Vec<Value>>,
}

/// Returns the list of items in a file.
fn list(value: &mut Value) -> Option<&mut Vec<Value>> {
    match value {
        Value::Array(all) => Some(all),
        Value::Object(members) => members.get_mut("items").and_then(Value::as_array_mut),
        _ => None,
    }
}

impl Edits<'_> {
    fn item(&mut self, item: &Item) -> Option<&mut Value> {
        let edit = self.files.get_mut(item.file.as_str())?;
        edit.touched = true;
        match item.place {
            Place::Whole => Some(&mut edit.value),
            Place::Element(n) | Place::Listed(n) => list(&mut edit.value)?.get_mut(n),
        }
    }

    fn forget(&mut self, item: &Item) {
        let Some(edit) = self.files.get_mut(item.file.as_str()) else {
            return;
        };
        match item.place {
            Place::Whole => edit.deleted = true,
            Place::Element(n) | Place::Listed(n) => {
                edit.gone.insert(n);
            }
        }
    }

    /// Removes the entries of forgotten items, which have a file of their own, from the indexes.
    fn unlist(&mut self, forgotten: &BTreeMap<&str, BTreeSet<&str>>) {
        for (name, index) in &mut self.files {
            if let Some(ids) = forgotten.get(Bank::folder(name))
                && let Some(entries) = index.value.get("items").and_then(Value::as_array)
            {
                let is_named = |entry: &Value| {
                    let id = entry.get("id").and_then(Value::as_str);
                    id.is_some_and(|id| ids.contains(id))
                };
                let named = entries.iter().enumerate().filter(|(_, e)| is_named(e));
                index.gone.extend(named.map(|(n, _)| n));
            }
        }
    }

    fn archive(&mut self, item: &Item) {
        if let Some(Value::Object(members)) = self.item(item) {
            members.insert("deprecated".into(), json!(true));
        }
    }

    fn reinforce(&mut self, item: &Item, confidence: f64, referenced: u64) {
        if let Some(value) = self.item(item) {
            let inner = if value.get("importance").is_some_and(Value::is_object) {
                value.get_mut("importance")
            } else {
                Some(&mut *value)
            };
            if let Some(Value::Object(members)) = inner {
                members.insert(
                    "confidence".into(),
                    json!(confidence_after(confidence, true)),
                );
            }
            if let Value::Object(members) = value {
                members.insert("reinforcedAtReferences".into(), json!(referenced));
            }
        }
    }
}

/// Decides about every item of a bank at a time. Pure: it neither reads nor writes files.
#[must_use]
pub fn plan(bank: &Bank, root: &Path, now: i64) -> Plan {
    let edit = |file| Edit {
        file,
        value: file.value.clone(),
        touched: false,
        gone: BTreeSet::new(),
        deleted: false,
    };
    let mut edits = Edits {
        files: bank
            .files
            .iter()
            .map(|file| (file.name.as_str(), edit(file)))
            .collect(),
        proposals: BTreeMap::new(),
    };
    let mut decisions = Vec::new();
    let mut forgotten: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for item in &bank.items {
        let memory = memory(item, now);
        let referenced = item.stats.unwrap_or_default().referenced;
        let effect = match (memory.action, item.importance) {
            (MemoryAction::Forget, _) => {
                edits.forget(item);
                if item.place == Place::Whole {
                    let ids = forgotten.entry(Bank::folder(&item.file)).or_default();
                    ids.insert(&item.id);
                }
                "removes it"
            }
            (MemoryAction::Archive, _) if !item.deprecated => {
                edits.archive(item);
                "marks it as deprecated"
            }
            // Confidence is raised only once per new reference; repeated runs add no evidence.
            (MemoryAction::Reinforce, Some(Importance::Counts { confidence, .. }))
                if item.reinforced.is_none_or(|at| at < referenced) && confidence < 1.0 =>
            {
                edits.reinforce(item, confidence, referenced);
                "raises its confidence by 0.05"
            }
            (MemoryAction::PromoteToSkill, _) if !bank.proposed.contains(&item.id) => {
                let line = json!({ "id": item.id, "source": item.file, "path": item.path, "status": "pending", "createdAt": now });
                edits
                    .proposals
                    .entry(Bank::folder(&item.file))
                    .or_default()
                    .push(line);
                "proposes it as a candidate"
            }
            _ => "",
        };
        decisions.push(Decision {
            id: item.id.clone(),
            path: item.path.clone(),
            file: item.file.clone(),
            memory,
            effect,
        });
    }
    edits.unlist(&forgotten);
    Plan {
        decisions,
        changes: changes(edits, bank, root),
    }
}

fn changes(edits: Edits<'_>, bank: &Bank, root: &Path) -> Vec<FileChange> {
    let mut all = Vec::new();
    for (name, mut edit) in edits.files {
        if !edit.touched && edit.gone.is_empty() && !edit.deleted {
            continue;
        }
        if let Some(list) = list(&mut edit.value) {
            let mut n = 0;
            list.retain(|_| {
                n += 1;
                !edit.gone.contains(&(n - 1))
            });
        }
        let after = (!edit.deleted).then(|| written(&edit.value, &edit.file.bytes));
        all.push(FileChange {
            name: name.to_owned(),
            path: edit.file.path.clone(),
            before: Some(edit.file.bytes.clone()),
            after,
        });
    }
    for (folder, lines) in edits.proposals {
        let name = if folder.is_empty() {
            CANDIDATES.to_owned()
        } else {
            format!("{folder}/{CANDIDATES}")
        };
        let before = bank.candidate_files.get(&name).cloned();
        let mut after = before.clone().unwrap_or_default();
        if !after.is_empty() && !after.ends_with(b"\n") {
            after.push(b'\n');
        }
        for line in lines {
            after.extend_from_slice(line.to_string().as_bytes());
            after.push(b'\n');
        }
        all.push(FileChange {
            path: root.join(&name),
            name,
            before,
            after: Some(after),
        });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// The file of a bank that lists the items proposed as skills, one per line.
pub(in crate::knowledge) const CANDIDATES: &str = "candidates.jsonl";

/// Serialises a value in the style of the file it replaces: on one line or on several.
fn written(value: &Value, before: &[u8]) -> Vec<u8> {
    let several = before.trim_ascii_end().contains(&b'\n');
    let text = if several {
        serde_json::to_string_pretty(value)
    } else {
        serde_json::to_string(value)
    };
    let mut bytes = text.unwrap_or_default().into_bytes();
    if before.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;
    const NOW: i64 = 100 * DAY;

    fn item(
        id: &str,
        uses: (u64, u64),
        confidence: f64,
        idle: i64,
        stats: (u64, u64, u64),
    ) -> Value {
        json!({"id":id,"path":format!("{id}.md"),
            "importance":{"useCount":9,"successCount":uses.0,"failureCount":uses.1,"confidence":confidence,"lastUsed":NOW-idle*DAY},
            "usageStats":{"referencedCount":stats.0,"verifiedUseful":stats.1,"verifiedNotUseful":stats.2}})
    }

    fn bank(files: &[(&str, Value)]) -> (tempfile::TempDir, Bank) {
        use crate::knowledge::{SourceKind, Sources};
        let root = tempfile::tempdir().unwrap();
        for (name, value) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, value.to_string()).unwrap();
        }
        let sources = Sources {
            root: root.path().to_path_buf(),
            paths: vec![(SourceKind::Bank, ".".into())],
            ..Sources::default()
        };
        let bank = Bank::read(&sources).unwrap();
        (root, bank)
    }

    fn told(plan: &Plan) -> Vec<(&str, &str, &str)> {
        plan.decisions
            .iter()
            .map(|d| (d.id.as_str(), d.memory.action.name(), d.effect))
            .collect()
    }

    #[test]
    fn each_action_has_its_effect_once() {
        let bad = item("bad", (0, 9), 0.1, 60, (6, 0, 3));
        let (root, read) = bank(&[
            (
                "bank/index.json",
                json!({"version":1,"items":[{"id":"bad","path":"bad.md"},{"id":"good","path":"good.md"}]}),
            ),
            ("bank/items/bad.json", bad.clone()),
            (
                "bank/items/good.json",
                item("good", (9, 0), 0.99, 0, (6, 2, 0)),
            ),
            (
                "bank/items/fair.json",
                item("fair", (9, 0), 0.9, 0, (6, 1, 0)),
            ),
            (
                "list.json",
                json!([bad, item("old", (0, 9), 0.1, 20, (0, 0, 0)), {"path":"x"}]),
            ),
        ]);
        let first = plan(&read, root.path(), NOW);
        assert_eq!(
            told(&first),
            [
                ("bad", "forget", "removes it"),
                ("fair", "reinforce", "raises its confidence by 0.05"),
                ("good", "promote_to_skill", "proposes it as a candidate"),
                ("bad", "forget", "removes it"),
                ("old", "archive", "marks it as deprecated"),
                ("x", "keep", ""),
            ]
        );
        let names: Vec<&str> = first.changes.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "bank/candidates.jsonl",
                "bank/index.json",
                "bank/items/bad.json",
                "bank/items/fair.json",
                "list.json"
            ]
        );
        for change in &first.changes {
            match &change.after {
                Some(bytes) => std::fs::write(&change.path, bytes).unwrap(),
                None => std::fs::remove_file(&change.path).unwrap(),
            }
        }
        let sources = crate::knowledge::Sources {
            root: root.path().to_path_buf(),
            paths: vec![(crate::knowledge::SourceKind::Bank, ".".into())],
            ..crate::knowledge::Sources::default()
        };
        let read = Bank::read(&sources).unwrap();
        let again = plan(&read, root.path(), NOW);
        assert!(again.changes.is_empty(), "{:?}", told(&again));
        assert_eq!(again.decisions.len(), 4);
        let index = read
            .files
            .iter()
            .find(|f| f.name == "bank/index.json")
            .unwrap();
        assert_eq!(
            index.value["items"],
            json!([{"id":"good","path":"good.md"}])
        );
    }
}
