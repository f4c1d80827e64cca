//! An earlier map, whose order and choice a new one keeps where ranks allow. A map that is written
//! again after a small change then differs in few lines.

use super::compare::path_of;
use super::entries::Entry;
use super::parse::{RowKind, parse};
use super::render::{DASH, written_path};
use super::settings::{Format, NoMap, Settings};
use super::snapshot::{File, Snapshot};
use std::collections::{HashMap, HashSet};
use text_safety::escape::terminal;

/// How much lower a file may rank than the next one, and still stay in front of it.
const TOLERANCE: f64 = 2.0;

/// An entry of the earlier map moves up by one place of so many. This decides between entries at
/// the end of the map, and keeps the drift well below what a check allows.
const PLACES: usize = 25;

/// What an earlier map shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Previous {
    format: Format,
    /// The position of each file, by its path as the map writes it.
    positions: HashMap<String, usize>,
    /// The paths and the lines below them, without indentation.
    lines: HashSet<(String, String)>,
}

impl Previous {
    /// Reads a map. Lines that have no place in a map are ignored, such as the marks of a conflict.
    ///
    /// # Errors
    /// Returns [`NoMap`] if the text is no map that can be read.
    pub fn from_map(map: &str) -> Result<(Previous, Settings), NoMap> {
        let settings = Settings::of_map(map)?;
        let mut out = Previous {
            format: settings.format,
            ..Previous::default()
        };
        for file in parse(map, &settings).files {
            let path = path_of(&settings, &file.heading);
            let position = out.positions.len();
            out.positions.entry(path.clone()).or_insert(position);
            let rows = file.rows.into_iter();
            let rows = rows.filter(|row| row.kind == RowKind::Definition);
            out.lines
                .extend(rows.map(|row| (path.clone(), bare(&row.text, settings.format))));
        }
        Ok((out, settings))
    }

    /// Sorts files like the earlier map, as far as their ranks allow. The list is sorted by rank.
    pub(super) fn keep_files(&self, snapshot: &Snapshot, ranks: &[f64], files: &mut [usize]) {
        let rank = |file: usize| ranks.get(file).copied().unwrap_or(0.0);
        let position = |file: &usize| {
            let file = snapshot.files.get(*file)?;
            let path = written_path(self.format, &file.path);
            self.positions.get(&path).copied()
        };
        let mut earlier: Vec<(usize, usize)> = files
            .iter()
            .filter_map(|file| Some((position(file)?, *file)))
            .collect();
        earlier.sort_unstable();
        // From the end, a file counts as much as those behind it, but no more than its tolerance
        // allows. Sorting by that keeps the earlier order wherever it can be kept.
        let mut raised: HashMap<usize, (f64, usize)> = HashMap::new();
        let mut highest: f64 = 0.0;
        for (position, file) in earlier.iter().rev() {
            let own = rank(*file);
            let counted = highest.max(own).min(own * TOLERANCE);
            highest = highest.max(counted);
            raised.insert(*file, (counted, *position));
        }
        let key = |file: &usize| {
            raised
                .get(file)
                .copied()
                .unwrap_or_else(|| (rank(*file), usize::MAX))
        };
        files.sort_by(|a, b| {
            let (one, other) = (key(a), key(b));
            other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
        });
    }

    /// Moves entries of the earlier map up a little. The list is sorted by rank.
    pub(super) fn keep_entries(&self, snapshot: &Snapshot, entries: &mut [Entry]) {
        let mut keyed: Vec<(usize, Entry)> = entries
            .iter()
            .enumerate()
            .map(|(at, entry)| {
                let file = snapshot.files.get(entry.file);
                let is_shown = file.is_some_and(|file| self.shows(file, entry.definition));
                let place = (at + 1) * PLACES;
                (place - if is_shown { at } else { 0 }, *entry)
            })
            .collect();
        keyed.sort_by_key(|(place, _)| *place);
        for (into, (_, entry)) in entries.iter_mut().zip(keyed) {
            *into = entry;
        }
    }

    fn shows(&self, file: &File, definition: Option<u32>) -> bool {
        let path = written_path(self.format, &file.path);
        let Some(definition) = definition.and_then(|d| file.tags.definitions.get(d as usize))
        else {
            return self.positions.contains_key(&path);
        };
        let signature = match self.format {
            Format::Text | Format::Markdown => terminal(&definition.signature).into_owned(),
            Format::Json => definition.signature.clone(),
        };
        self.lines.contains(&(path, signature))
    }
}

/// Returns the signature in a line of a map.
fn bare(line: &str, format: Format) -> String {
    if format == Format::Json {
        let value: Option<super::json::JsonDefinition> = serde_json::from_str(line).ok();
        return value.map(|v| v.signature).unwrap_or_default();
    }
    let line = line.trim();
    // With `--lines`, a number precedes the signature.
    let line = match line.split_once(": ") {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => line,
    };
    line.split(DASH).next().unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inputs, build, build_with, of_file};

    /// A tree in which so many functions call the functions of two files.
    fn tree(one: usize, other: usize) -> Snapshot {
        let calls = |name: &str, count: usize| -> String {
            (0..count)
                .map(|n| format!("def {name}_user_{n}():\n    {name}()\n"))
                .collect()
        };
        let texts = [
            ("one.py", "def one_work(): pass\n".to_owned()),
            ("other.py", "def other_work(): pass\n".to_owned()),
            ("user_one.py", calls("one_work", one)),
            ("user_other.py", calls("other_work", other)),
        ];
        let file = |(path, text): &(&str, String)| of_file(path, text.as_bytes()).ok().flatten();
        Snapshot {
            files: texts.iter().filter_map(file).collect(),
            ..Snapshot::default()
        }
    }

    #[test]
    fn the_earlier_order_is_kept_where_ranks_allow() {
        let settings = Settings {
            tokens: 10_000,
            ..Settings::default()
        };
        let is_first = |map: &str| map.find("\none.py") < map.find("\nother.py");
        let first = build(&tree(9, 8), &settings).unwrap().text;
        assert!(is_first(&first));
        let (previous, known) = Previous::from_map(&first).unwrap();
        assert_eq!(known, settings);
        let inputs = Inputs {
            previous: Some(&previous),
            ..Inputs::default()
        };
        let updated = |one, other| {
            build_with(&tree(one, other), &settings, inputs)
                .unwrap()
                .text
        };
        assert!(!is_first(&build(&tree(8, 9), &settings).unwrap().text));
        assert!(is_first(&updated(8, 9)), "nearly equal");
        assert!(!is_first(&updated(2, 40)), "much lower");
        // Another format has the same order, and marks of a conflict don't matter.
        let conflict = first.replacen("\none.py", "\n<<<<<<< ours\none.py", 1);
        let (again, _) = Previous::from_map(&conflict).unwrap();
        assert_eq!(again.positions.len(), previous.positions.len() + 1);
        assert!(Previous::from_map("no map").is_err());
    }

    #[test]
    fn signatures_are_read_back() {
        for (line, format, expected) in [
            ("  fn a(b: u8) — Does it.", Format::Text, "fn a(b: u8)"),
            ("    12: fn a()", Format::Markdown, "fn a()"),
            ("a: number", Format::Markdown, "a: number"),
            (
                r#"{"name":"a","kind":"function","signature":"fn a()"}"#,
                Format::Json,
                "fn a()",
            ),
            ("{", Format::Json, ""),
        ] {
            assert_eq!(bare(line, format), expected);
        }
    }
}
