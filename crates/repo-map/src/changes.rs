//! Which definitions a change touches: those whose own text isn't in the earlier tree.

use super::diff::full_names;
use super::snapshot::File;
use super::tags::{Kind, Tags};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The text of a file with its tags.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub text: &'a str,
    pub tags: &'a Tags,
}

/// What a change touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The changed files of the later tree, each with the indices of its changed definitions.
    pub(super) files: BTreeMap<String, Vec<u32>>,
    /// The names of definitions that the later tree doesn't have any more, by family of languages.
    pub(super) removed: BTreeSet<(u8, String)>,
}

impl Changes {
    /// Adds a file that is in the later tree and isn't equal in the earlier one. Without texts, the
    /// file as a whole is changed.
    pub fn add(&mut self, before: Option<(&File, &str)>, after: &File, text: &str) {
        let old = before.map(|(file, text)| Source {
            text,
            tags: &file.tags,
        });
        let new = Source {
            text,
            tags: &after.tags,
        };
        let changed = changed_definitions(old, new);
        self.files.insert(after.path.clone(), changed);
        if let Some((before, _)) = before {
            self.remove(before, Some(after));
        }
    }

    /// Adds the names that a file defined and, after the change, doesn't define any more.
    pub fn remove(&mut self, before: &File, after: Option<&File>) {
        let Some(family) = before.language.map(super::Language::family) else {
            return;
        };
        let names = |file: &File| -> BTreeSet<String> {
            let all = file.tags.definitions.iter();
            all.filter(|d| d.kind != Kind::Implementation)
                .map(|d| d.name.clone())
                .collect()
        };
        let left = after.map(names).unwrap_or_default();
        let gone = names(before);
        self.removed
            .extend(gone.difference(&left).map(|name| (family, name.clone())));
    }

    /// Returns whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.removed.is_empty()
    }

    /// Returns the number of changed files and definitions.
    pub fn counts(&self) -> (usize, usize) {
        (self.files.len(), self.files.values().map(Vec::len).sum())
    }
}

/// Returns the own text of each definition: its lines without those of the definitions inside.
/// What is local to a call is a part of the definition around it.
fn own_texts<'a>(source: Source<'a>, names: &[Option<String>]) -> Vec<Vec<&'a str>> {
    let lines: Vec<&str> = source.text.lines().collect();
    // The innermost definition of each line. Definitions inside come after what encloses them.
    let mut of_line: Vec<Option<usize>> = vec![None; lines.len()];
    let all = source.tags.definitions.iter().zip(names).enumerate();
    for (at, (definition, _)) in all.filter(|(_, (_, name))| name.is_some()) {
        let from = (definition.line as usize).saturating_sub(1);
        let to = (definition.end as usize).min(lines.len());
        if let Some(range) = of_line.get_mut(from.min(to)..to) {
            range.fill(Some(at));
        }
    }
    let mut out = vec![Vec::new(); source.tags.definitions.len()];
    for (line, at) in lines.into_iter().zip(of_line) {
        if let Some(own) = at.and_then(|at| out.get_mut(at)) {
            own.push(line.trim());
        }
    }
    out
}

/// Returns the indices of the definitions whose own text isn't that of a definition of the same
/// name and kind in the earlier file. White space around lines isn't compared.
pub fn changed_definitions(before: Option<Source<'_>>, after: Source<'_>) -> Vec<u32> {
    let mut known: HashMap<(Option<String>, Kind, Vec<&str>), usize> = HashMap::new();
    if let Some(before) = before {
        let names = full_names(before.tags);
        let texts = own_texts(before, &names);
        for ((name, definition), text) in names.into_iter().zip(&before.tags.definitions).zip(texts)
        {
            *known.entry((name, definition.kind, text)).or_default() += 1;
        }
    }
    let names = full_names(after.tags);
    let texts = own_texts(after, &names);
    let all = names.into_iter().zip(&after.tags.definitions).zip(texts);
    let mut out = Vec::new();
    for (at, ((name, definition), text)) in (0..).zip(all) {
        if name.is_none() {
            continue;
        }
        match known.get_mut(&(name, definition.kind, text)) {
            Some(left) if *left > 0 => *left -= 1,
            _ => out.push(at),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::of_file;

    fn file(text: &str) -> File {
        of_file("a.rs", text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn the_innermost_definition_is_changed() {
        let before =
            "struct A;\nimpl A {\n    fn one(&self) {}\n    fn two(&self) {}\n}\nfn gone() {}\n";
        let after = "\nstruct A;\nimpl A {\n    fn one(&self) {}\n    fn two(&self) { 1; }\n}\nfn new() {}\n";
        let (old, new) = (file(before), file(after));
        let mut changes = Changes::default();
        changes.add(Some((&old, before)), &new, after);
        let names: Vec<&str> = changes.files["a.rs"]
            .iter()
            .map(|at| new.tags.definitions[*at as usize].name.as_str())
            .collect();
        assert_eq!(names, ["two", "new"]);
        assert_eq!(changes.removed.len(), 1);
        assert_eq!(changes.counts(), (1, 2));
        let mut all = Changes::default();
        all.add(None, &new, after);
        assert_eq!(all.counts(), (1, new.tags.definitions.len()));
        let mut none = Changes::default();
        none.add(Some((&new, after)), &new, after);
        assert_eq!(none.counts(), (1, 0));
    }
}
