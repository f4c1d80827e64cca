//! References to context as people type them: `@src/a.ts`, `@src/a.ts:10-30`, `#src/engine` and
//! `@!check.sh`.

use super::action::plain_path;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What a typed reference refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceKind {
    /// `@PATH`, or some lines of a file: `@PATH:10-30`.
    File,
    /// `#PATH`: everything in a directory.
    Directory,
    /// `@!PATH`: the output of a script.
    Runtime,
}

/// A reference with a mark that says what it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedReference<'t> {
    pub kind: ReferenceKind,
    pub path: Cow<'t, str>,
    /// First and last line, from 1.
    pub lines: Option<(u64, u64)>,
}

impl<'t> TypedReference<'t> {
    /// Reads a reference; `None` for a text without a mark, or with an impossible range of lines.
    #[must_use]
    pub fn parse(text: &'t str) -> Option<Self> {
        let (kind, path) = if let Some(path) = text.strip_prefix('#') {
            (ReferenceKind::Directory, path.trim_end_matches('/'))
        } else if let Some(path) = text.strip_prefix("@!") {
            (ReferenceKind::Runtime, path)
        } else {
            (ReferenceKind::File, text.strip_prefix('@')?)
        };
        let range = |range: &str| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let lines = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
            (1 <= lines.0 && lines.0 <= lines.1).then_some(lines)
        };
        let looks_like_lines = |text: &&str| {
            text.starts_with(|c: char| c.is_ascii_digit())
                && text.chars().all(|c| c.is_ascii_digit() || c == '-')
        };
        let (path, lines) = match path.rsplit_once(':') {
            Some((path, lines)) if kind == ReferenceKind::File && looks_like_lines(&lines) => {
                (path, Some(range(lines)?))
            }
            _ => (path, None),
        };
        let path = plain_path(path);
        (!path.is_empty()).then_some(Self { kind, path, lines })
    }
}

/// Returns whether a reference, typed or a bare path, refers to one of some items. A name that is
/// written like a typed reference (`@types/a.d.ts`) is itself. `first_from` returns the first item
/// at or after a text.
pub fn is_among<'i>(reference: &str, first_from: impl Fn(&str) -> Option<&'i str>) -> bool {
    let has = |path: &str| first_from(path) == Some(path);
    if has(reference) || has(&plain_path(reference)) {
        return true;
    }
    TypedReference::parse(reference).is_some_and(|typed| {
        let inside = || {
            let folder = format!("{}/", typed.path);
            first_from(&folder).is_some_and(|item| item.starts_with(&folder))
        };
        has(&typed.path) || typed.kind == ReferenceKind::Directory && inside()
    })
}

/// The items that a turn declares as used, by typed references or bare paths.
#[derive(Debug, Default)]
pub struct Declared {
    paths: BTreeSet<String>,
    directories: BTreeSet<String>,
}

impl Declared {
    /// Adds a reference.
    pub fn add(&mut self, reference: &str) {
        if let Some(typed) = TypedReference::parse(reference) {
            let all = match typed.kind {
                ReferenceKind::Directory => &mut self.directories,
                ReferenceKind::File | ReferenceKind::Runtime => &mut self.paths,
            };
            all.insert(typed.path.into_owned());
        }
        self.paths.insert(plain_path(reference).into_owned());
    }

    /// Returns the declared paths of items and directories.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.paths
            .iter()
            .chain(&self.directories)
            .map(String::as_str)
    }

    /// Returns whether an item is declared, by its own path or that of a directory.
    #[must_use]
    pub fn contains(&self, item: &str) -> bool {
        let item = plain_path(item);
        let folder = |end: usize| {
            item.get(..end)
                .is_some_and(|f| self.directories.contains(f))
        };
        self.paths.contains(&*item)
            || !self.directories.is_empty()
                && (folder(item.len()) || item.match_indices('/').any(|(end, _)| folder(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_marks_say_what_is_meant() {
        use ReferenceKind::{Directory, File, Runtime};
        for (text, kind, path, lines) in [
            ("@src/a.ts", File, "src/a.ts", None),
            ("@./src/a.ts:10-30", File, "src/a.ts", Some((10, 30))),
            ("@src/a.ts:7", File, "src/a.ts", Some((7, 7))),
            ("@c:/a.ts", File, "c:/a.ts", None),
            ("#src/engine/", Directory, "src/engine", None),
            ("@!scripts/check.sh", Runtime, "scripts/check.sh", None),
        ] {
            let path = Cow::Borrowed(path);
            let expected = TypedReference { kind, path, lines };
            assert_eq!(TypedReference::parse(text), Some(expected), "{text}");
        }
        for text in [
            "", "@", "#", "@!", "src/a.ts", ":ls", "@a:30-10", "@a:0-1", "@a:1-2-3",
        ] {
            assert_eq!(TypedReference::parse(text), None, "{text}");
        }
    }

    /// For each reference, the items that it declares.
    #[test]
    fn a_reference_declares_what_it_names() {
        let items = BTreeSet::from([
            "@types/d.ts",
            "src/a.ts",
            "src/engine/b.ts",
            "src/engines/c.ts",
        ]);
        for (reference, expected) in [
            ("#src/engine", &["src/engine/b.ts"][..]),
            ("#src/engine/b.ts", &["src/engine/b.ts"]),
            ("@src/a.ts:1-2", &["src/a.ts"]),
            ("./src/a.ts", &["src/a.ts"]),
            ("@types/d.ts", &["@types/d.ts"]),
            ("src/engine", &[]),
            ("@src", &[]),
            ("#.", &[]),
            ("#src/eng", &[]),
        ] {
            let mut declared = Declared::default();
            declared.add(reference);
            let found: Vec<&str> = items
                .iter()
                .copied()
                .filter(|i| declared.contains(i))
                .collect();
            assert_eq!(found, expected, "{reference}");
            let from = |text: &str| items.iter().copied().find(|item| *item >= text);
            assert_eq!(
                is_among(reference, from),
                !expected.is_empty(),
                "{reference}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[@#!]{0,2}[a-z./:0-9-]{0,12}") {
            let mut declared = Declared::default();
            declared.add(&text);
            prop_assert!(declared.contains(&text));
            if let Some(typed) = TypedReference::parse(&text) {
                prop_assert!(declared.contains(&typed.path));
                prop_assert!(is_among(&text, |_| Some(&*typed.path)) || typed.path.contains("//"));
            }
        }
    }
}
