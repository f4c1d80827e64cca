//! Compares the definitions that two trees offer to other code.

use super::snapshot::Snapshot;
use super::tags::{Definition, Kind, Tags};
use serde::Serialize;
use std::collections::BTreeMap;

/// How a definition differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum Change {
    /// The definition is only in the second tree.
    Added { signature: String },
    /// The definition is only in the first tree.
    Removed { signature: String },
    /// The definition is in both trees with different signatures.
    Changed {
        /// Signature in the first tree.
        before: String,
        /// Signature in the second tree.
        after: String,
    },
}

/// A definition that differs between the trees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub path: String,
    /// The name, after the names of its parents and a dot.
    pub name: String,
    pub kind: Kind,
    /// Whether other files can't, or by convention don't, refer to it.
    pub private: bool,
    /// Line in the second tree, from 1. For a removed definition, 1.
    pub line: u32,
    #[serde(flatten)]
    pub change: Change,
}

/// The identity of a definition across trees: path, full name and kind.
type Id<'a> = (&'a str, String, Kind);

/// Returns the definitions of a tree that aren't local to a call. Overloads share an id.
fn offered(snapshot: &Snapshot) -> BTreeMap<Id<'_>, Vec<&Definition>> {
    let mut out: BTreeMap<Id<'_>, Vec<&Definition>> = BTreeMap::new();
    for file in &snapshot.files {
        for (name, definition) in full_names(&file.tags)
            .into_iter()
            .zip(&file.tags.definitions)
        {
            if let Some(name) = name.filter(|_| definition.kind != Kind::Implementation) {
                out.entry((&file.path, name, definition.kind))
                    .or_default()
                    .push(definition);
            }
        }
    }
    out
}

/// Returns the full name of each definition: its name after those of its parents; `None` if it is
/// local to a call.
pub(super) fn full_names(tags: &Tags) -> Vec<Option<String>> {
    // Parents come first in the list.
    let mut known: Vec<Option<String>> = Vec::with_capacity(tags.definitions.len());
    for definition in &tags.definitions {
        let around = definition
            .within
            .and_then(|at| Some((known.get(at as usize)?, tags.definitions.get(at as usize)?)));
        let name = match (around, &definition.of) {
            (Some((None, _)), _) => None,
            (Some((_, outer)), _) if outer.kind.is_callable() => None,
            (_, Some(of)) => Some(format!("{of}.{}", definition.name)),
            (Some((Some(outer), _)), None) => Some(shortened(outer, &definition.name)),
            (None, None) => Some(definition.name.clone()),
        };
        known.push(name);
    }
    known
}

/// Appends a name to its parent's name. A very long parent's name is replaced by `…`.
fn shortened(outer: &str, name: &str) -> String {
    const LIMIT: usize = 200;
    if outer.len() > LIMIT {
        format!("….{name}")
    } else {
        format!("{outer}.{name}")
    }
}

/// Compares two trees. The result is sorted by file and name, and includes private definitions. A
/// definition that moved to another file is removed in one and added in the other.
pub fn diff(before: &Snapshot, after: &Snapshot) -> Vec<Difference> {
    let (old, new) = (offered(before), offered(after));
    let mut ids: Vec<&Id<'_>> = old.keys().chain(new.keys()).collect();
    ids.sort();
    ids.dedup();
    let mut out = Vec::new();
    for id in ids {
        let of = |tree: &BTreeMap<Id<'_>, Vec<&Definition>>| -> Vec<(String, bool, u32)> {
            tree.get(id)
                .map(|all| {
                    all.iter()
                        .map(|d| (d.signature.clone(), d.private, d.line))
                        .collect()
                })
                .unwrap_or_default()
        };
        let (mut old, mut new) = (of(&old), of(&new));
        // Overloads that both trees have are equal, whatever their order.
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (signature, ..) in &new {
            *counts.entry(signature).or_default() += 1;
        }
        let mut same: BTreeMap<String, usize> = BTreeMap::new();
        old.retain(|(signature, ..)| match counts.get_mut(signature.as_str()) {
            Some(left) if *left > 0 => {
                *left -= 1;
                *same.entry(signature.clone()).or_default() += 1;
                false
            }
            _ => true,
        });
        new.retain(|(signature, ..)| match same.get_mut(signature) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        });
        let (mut old, mut new) = (old.into_iter(), new.into_iter());
        loop {
            let (private, line, change) = match (old.next(), new.next()) {
                (None, None) => break,
                (Some((before, was, _)), Some((after, is, line))) => {
                    (was && is, line, Change::Changed { before, after })
                }
                (Some((signature, private, _)), None) => {
                    (private, 1, Change::Removed { signature })
                }
                (None, Some((signature, private, line))) => {
                    (private, line, Change::Added { signature })
                }
            };
            out.push(Difference {
                path: id.0.to_owned(),
                name: id.1.clone(),
                kind: id.2,
                private,
                line,
                change,
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, Language, extract};

    fn tree(text: &str) -> Snapshot {
        let tags = extract(Language::Rust, text).unwrap();
        let file = File {
            path: "a.rs".into(),
            language: Some(Language::Rust),
            tags,
        };
        Snapshot {
            files: vec![file],
            ..Snapshot::default()
        }
    }

    #[test]
    fn what_differs_is_listed_once() {
        let before =
            tree("pub fn a(x: u8) {}\nfn b() { fn inner() {} }\nimpl A { pub fn c(&self) {} }\n");
        let after =
            tree("impl A { pub fn c(&self) {} pub fn d() {} }\npub fn a(x: u16) { let y = 1; }\n");
        let found: Vec<(String, Change)> = diff(&before, &after)
            .into_iter()
            .map(|d| (d.name, d.change))
            .collect();
        let expected = [
            (
                "A.d".to_owned(),
                Change::Added {
                    signature: "pub fn d()".into(),
                },
            ),
            (
                "a".to_owned(),
                Change::Changed {
                    before: "pub fn a(x: u8)".into(),
                    after: "pub fn a(x: u16)".into(),
                },
            ),
            (
                "b".to_owned(),
                Change::Removed {
                    signature: "fn b()".into(),
                },
            ),
        ];
        assert_eq!(found, expected);
        assert_eq!(diff(&before, &before), []);
    }
}
