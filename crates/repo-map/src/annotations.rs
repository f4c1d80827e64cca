//! Marks: properties of a definition that matter for assessing risk.
//!
//! The queries of each language define what gives a mark (`@mark.…`, `#mark!`, `@write`). A mark is
//! a hint; its absence proves nothing. Only names are compared, since what they are bound to isn't
//! known.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A side effect of a definition, or its role as an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Called from outside of the program.
    Entry,
    /// Global data that is written, or code that writes it.
    Global,
    File,
    /// Starts or controls other processes.
    Process,
    Network,
    /// Uses threads, tasks or locks.
    Concurrency,
}

impl Mark {
    const ALL: [Mark; 6] = [
        Mark::Entry,
        Mark::Global,
        Mark::File,
        Mark::Process,
        Mark::Network,
        Mark::Concurrency,
    ];

    /// Returns the name used in maps.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Entry => "entry",
            Mark::Global => "global",
            Mark::File => "file",
            Mark::Process => "process",
            Mark::Network => "network",
            Mark::Concurrency => "concurrency",
        }
    }

    pub(super) fn named(name: &str) -> Option<Mark> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// A set of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Marks(u8);

impl Marks {
    /// Adds a mark.
    pub(super) const fn add(&mut self, mark: Mark) {
        self.0 |= 1 << mark as u8;
    }

    /// Returns whether the set contains a mark.
    pub const fn has(self, mark: Mark) -> bool {
        self.0 & (1 << mark as u8) != 0
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the marks in the set, in the order of [`Mark::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Mark> {
        Mark::ALL.into_iter().filter(move |m| self.has(*m))
    }

    /// Returns the names of the marks.
    pub fn names(self) -> Vec<&'static str> {
        self.iter().map(Mark::name).collect()
    }
}

/// Maximum number of bytes of a called expression that are compared. A chain of calls may be as
/// long as its file.
const TAIL: usize = 120;

/// Returns the last part of a name: `read` for `std::fs::read`, `run` for `subprocess.run`.
pub(super) fn last_part(name: &str) -> &str {
    name.rsplit(is_separator).next().unwrap_or(name)
}

const fn is_separator(c: char) -> bool {
    matches!(c, '.' | ':' | '>' | '\\' | '/')
}

/// Returns the end of a text, at most [`TAIL`] bytes.
fn tail(text: &str) -> &str {
    let mut from = text.len().saturating_sub(TAIL);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default()
}

/// Returns the marks for a call of a name, optionally on a receiver (`exec` of `runtime`). A name
/// in the table matches itself and every longer name that ends with it after a separator.
pub(super) fn of_call<'c>(
    calls: &'c HashMap<String, Vec<(String, Mark)>>,
    of: Option<&str>,
    name: &str,
) -> impl Iterator<Item = Mark> + use<'c> {
    let name = tail(name);
    let found = calls.get(last_part(name)).map_or(&[][..], Vec::as_slice);
    let whole = match of {
        // Most calls match nothing; they need no copy.
        _ if found.is_empty() => String::new(),
        Some(of) => format!("{}.{name}", tail(of)),
        None => name.to_owned(),
    };
    let meant = move |call: &str| {
        whole
            .strip_suffix(call)
            .is_some_and(|before| before.is_empty() || before.ends_with(is_separator))
    };
    found
        .iter()
        .filter(move |(call, _)| meant(call))
        .map(|(_, mark)| *mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_by_the_end_of_their_names() {
        let mut calls: HashMap<String, Vec<(String, Mark)>> = HashMap::new();
        calls
            .entry("read".into())
            .or_default()
            .push(("fs::read".into(), Mark::File));
        calls
            .entry("run".into())
            .or_default()
            .push(("run".into(), Mark::Process));
        let of = |name: &str| of_call(&calls, None, name).collect::<Vec<_>>();
        assert_eq!(of("std::fs::read"), [Mark::File]);
        assert_eq!(of("fs::read"), [Mark::File]);
        assert_eq!(of("ofs::read"), []);
        assert_eq!(of("read"), []);
        assert_eq!(of("x->run"), [Mark::Process]);
        assert_eq!(of(&format!("{}.run", "ä".repeat(1000))), [Mark::Process]);
        assert_eq!(of(""), []);
        assert_eq!(
            of_call(&calls, Some("std::fs"), "read").count(),
            0,
            "behind a dot"
        );
        assert_eq!(
            of_call(&calls, Some("(x.y)"), "run").collect::<Vec<_>>(),
            [Mark::Process]
        );
    }

    #[test]
    fn a_set_holds_what_was_added() {
        let mut marks = Marks::default();
        assert!(marks.is_empty());
        for mark in Mark::ALL.into_iter().rev() {
            marks.add(mark);
            marks.add(mark);
        }
        assert_eq!(marks.iter().collect::<Vec<_>>(), Mark::ALL);
        assert!(
            Mark::ALL
                .into_iter()
                .all(|m| Mark::named(m.name()) == Some(m))
        );
    }
}
