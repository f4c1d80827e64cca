//! Compares a committed map with the tree that it shows.
//!
//! A map is stale when a line of it isn't true any more, or when too much is missing of what a new
//! map would show. Numbers, order and what ranks lower don't matter.

use super::json::JsonFile;
use super::map::{BuildError, Inputs, Map, choose};
use super::outline::slots;
use super::parse::{FileRows, Row, RowKind, parse};
use super::render::{
    self, definition_line, file_doc, heading, reason_line, sections, with_parents, written_path,
};
use super::settings::{Format, Settings};
use super::signature::one_line;
use super::snapshot::{File, Snapshot};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Maximum length in characters of a line that is reported.
const TEXT: usize = 240;

/// What is wrong with a line of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The tree has no such file. The value is the number of lines below it.
    FileGone(usize),
    /// The file has no such definition. The value is the number of lines below it.
    Gone(usize),
    /// The file or the definition is described in another way. The value is the new line.
    Changed(String),
    /// The line is in the map more often than in the tree.
    Repeated,
    /// The line has no place in a map.
    Foreign,
}

/// A line of a map that isn't true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Line in the map, from 1.
    pub line: usize,
    /// The file that the line is below, as the map writes it.
    pub path: Option<String>,
    /// The line without its indentation, of at most [`TEXT`] characters.
    pub text: String,
    pub fault: Fault,
}

/// What a new map would show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub path: String,
    /// The line of the definition; `None` for a file that is shown by its name.
    pub text: Option<String>,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// By line.
    pub wrong: Vec<Wrong>,
    /// In the order of a new map.
    pub missing: Vec<Missing>,
    /// Number of definitions and files by name that the map shows, and that a new map would show.
    pub shown: usize,
    pub expected: usize,
    /// Whether the map has at most as many tokens as its settings allow.
    pub fits: bool,
    /// The map that the tree gives.
    pub new: Map,
}

impl Comparison {
    /// Returns how much of a new map is missing in thousandths.
    pub fn drift(&self) -> usize {
        if self.shown == 0 && self.new.files.1 > 0 {
            return 1000;
        }
        (self.missing.len() * 1000)
            .checked_div(self.expected)
            .unwrap_or(0)
    }

    /// Returns whether more is missing than a number of hundredths allows.
    pub fn has_drifted(&self, max: u8) -> bool {
        let is_empty = self.shown == 0 && self.new.files.1 > 0;
        is_empty || self.missing.len() * 100 > self.expected * usize::from(max)
    }

    /// Returns whether the map is stale.
    pub fn is_stale(&self, max: u8) -> bool {
        !self.wrong.is_empty() || self.has_drifted(max)
    }
}

/// Compares a map, whose settings are known, with a tree.
///
/// # Errors
/// Returns [`BuildError`] if the tree gives no map with these settings.
pub fn compare(
    map: &str,
    snapshot: &Snapshot,
    settings: &Settings,
    inputs: Inputs<'_>,
) -> Result<Comparison, BuildError> {
    let built = choose(snapshot, settings, inputs)?;
    let parsed = parse(map, settings);
    let mut check = Check {
        settings,
        snapshot,
        reasons: &built.input.reasons,
        index: Index::new(settings, snapshot),
        known: HashMap::new(),
        seen: HashSet::new(),
        wrong: Vec::new(),
        shown: 0,
    };
    let foreign = parsed.foreign.into_iter().map(|(line, text)| Wrong {
        line,
        path: None,
        text: one_line(text.trim(), TEXT),
        fault: Fault::Foreign,
    });
    check.wrong.extend(foreign);
    for file in &parsed.files {
        check.file(file);
    }
    let (missing, expected) = check.missing(&sections(&built.input, built.entries));
    let (mut wrong, shown) = (check.wrong, check.shown);
    wrong.sort_by_key(|w| w.line);
    let fits = settings
        .encoding()?
        .count_within(map, settings.tokens)
        .is_some();
    Ok(Comparison {
        wrong,
        missing,
        shown,
        expected,
        fits,
        new: built.map,
    })
}

/// The files of a tree by how a map writes them.
struct Index {
    by_heading: HashMap<String, Vec<usize>>,
    by_path: HashMap<String, Vec<usize>>,
}

impl Index {
    fn new(settings: &Settings, snapshot: &Snapshot) -> Index {
        let mut out = Index {
            by_heading: HashMap::new(),
            by_path: HashMap::new(),
        };
        for (at, file) in snapshot.files.iter().enumerate() {
            let heading = match settings.format {
                Format::Json => file.path.clone(),
                Format::Text | Format::Markdown => heading(settings, file),
            };
            out.by_heading.entry(heading).or_default().push(at);
            let path = written_path(settings.format, &file.path);
            out.by_path.entry(path).or_default().push(at);
        }
        out
    }
}

/// Returns the path in a line of a file.
pub(super) fn path_of(settings: &Settings, heading: &str) -> String {
    let path = match settings.format {
        Format::Text => heading.split(render::DASH).next().unwrap_or(heading),
        Format::Markdown => heading.strip_prefix("## ").unwrap_or(heading),
        Format::Json => heading,
    };
    let marked = settings.marks && settings.format != Format::Json && path.ends_with(']');
    match path.rsplit_once(" [") {
        Some((path, _)) if marked => path.to_owned(),
        _ => path.to_owned(),
    }
}

/// Definitions of a file that have equal lines below equal lines.
#[derive(Debug)]
struct Class {
    line: String,
    parent: Option<usize>,
    /// How often the tree has it, the map shows it, and a new map shows it.
    tree: usize,
    shown: usize,
    new: usize,
}

/// The lines that a file of the tree can have in a map.
struct Known {
    classes: Vec<Class>,
    by_line: HashMap<(Option<usize>, String), usize>,
    /// The class of each definition, by its index.
    of_definitions: Vec<Option<usize>>,
    /// Classes by the names of their definitions.
    by_name: HashMap<String, Vec<usize>>,
}

impl Known {
    fn new(settings: &Settings, file: &File) -> Known {
        let mut out = Known {
            classes: Vec::new(),
            by_line: HashMap::new(),
            of_definitions: Vec::new(),
            by_name: HashMap::new(),
        };
        for (definition, slot) in file.tags.definitions.iter().zip(slots(file)) {
            let Some(slot) = slot else {
                out.of_definitions.push(None);
                continue;
            };
            let line = definition_line(settings, file, definition, slot.depth);
            let parent = match settings.format {
                Format::Json => None,
                Format::Text | Format::Markdown => slot
                    .parent
                    .and_then(|p| out.of_definitions.get(p as usize).copied().flatten()),
            };
            let class = *out.by_line.entry((parent, line)).or_insert_with_key(|key| {
                out.classes.push(Class {
                    line: key.1.clone(),
                    parent,
                    tree: 0,
                    shown: 0,
                    new: 0,
                });
                out.classes.len() - 1
            });
            if let Some(class) = out.classes.get_mut(class) {
                class.tree += 1;
            }
            let named = out.by_name.entry(definition.name.clone()).or_default();
            if named.last() != Some(&class) {
                named.push(class);
            }
            out.of_definitions.push(Some(class));
        }
        out
    }

    /// Returns the class that a line which isn't true probably was: one of the same name that the
    /// map doesn't show.
    fn successor(
        &self,
        line: &str,
        parent: Option<usize>,
        elsewhere: &HashSet<&str>,
    ) -> Option<usize> {
        let signature = line.split(render::DASH).next().unwrap_or(line);
        let head = signature.split(['(', '=']).next().unwrap_or(signature);
        let of_word = |word: &str| {
            let named = self.by_name.get(word)?;
            let is_free = |c: &&usize| {
                self.classes
                    .get(**c)
                    .is_some_and(|c| c.parent == parent && !elsewhere.contains(c.line.as_str()))
            };
            named.iter().take(MOST_NAMESAKES).find(is_free).copied()
        };
        // The name is the last word of most heads.
        if let Some(found) = words(head).rev().find_map(of_word) {
            return Some(found);
        }
        let given: Vec<&str> = words(signature).collect();
        words(signature).filter_map(of_word).find(|class| {
            let line = self.classes.get(*class).map_or("", |c| c.line.as_str());
            let found: HashSet<&str> = words(line).collect();
            let same = given.iter().filter(|w| found.contains(**w)).count();
            same * 2 >= given.len()
        })
    }
}

/// Maximum number of definitions of one name that are tried for a changed line.
const MOST_NAMESAKES: usize = 64;

/// Returns the words of a line that can be names.
fn words(line: &str) -> impl DoubleEndedIterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .filter(|w| !w.is_empty())
}

/// Returns the level of a line by its indentation.
fn level(settings: &Settings, line: &str) -> usize {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    match settings.format {
        Format::Text => (spaces / 2).saturating_sub(1),
        Format::Markdown => spaces / 2,
        Format::Json => 0,
    }
}

/// A comparison in progress.
struct Check<'a> {
    settings: &'a Settings,
    snapshot: &'a Snapshot,
    reasons: &'a BTreeMap<usize, String>,
    index: Index,
    known: HashMap<usize, Known>,
    /// The files that the map has shown so far.
    seen: HashSet<usize>,
    wrong: Vec<Wrong>,
    shown: usize,
}

impl Check<'_> {
    fn report(&mut self, line: usize, path: Option<&str>, text: &str, fault: Fault) {
        self.wrong.push(Wrong {
            line,
            path: path.map(|path| one_line(path, TEXT)),
            text: one_line(text.trim(), TEXT),
            fault,
        });
    }

    /// Finds the file of a heading. Also returns whether the heading is true.
    fn find(&self, heading: &str) -> Option<(usize, bool)> {
        let fresh = |all: &Vec<usize>| {
            let unseen = all.iter().find(|at| !self.seen.contains(at));
            unseen.or(all.first()).copied()
        };
        let exact = self.index.by_heading.get(heading).and_then(fresh);
        exact.map(|at| (at, true)).or_else(|| {
            let path = path_of(self.settings, heading);
            let at = self.index.by_path.get(&path).and_then(fresh)?;
            Some((at, false))
        })
    }

    fn file(&mut self, rows: &FileRows) {
        let written = path_of(self.settings, &rows.heading);
        let Some((at, is_true)) = self.find(&rows.heading) else {
            let below = rows.rows.iter().filter(|r| r.kind == RowKind::Definition);
            let fault = Fault::FileGone(below.count());
            self.report(rows.line, Some(&written), &rows.heading, fault);
            return;
        };
        let Some(file) = self.snapshot.files.get(at) else {
            return;
        };
        if !is_true {
            let now = heading(self.settings, file);
            self.report(
                rows.line,
                Some(&written),
                &rows.heading,
                Fault::Changed(now),
            );
        }
        if !self.seen.insert(at) {
            self.report(rows.line, Some(&written), &rows.heading, Fault::Repeated);
        }
        self.prose(rows, at, file, &written);
        let definitions: Vec<&Row> = rows
            .rows
            .iter()
            .filter(|r| r.kind == RowKind::Definition)
            .collect();
        if definitions.is_empty() && slots(file).iter().all(Option::is_none) {
            self.shown += 1;
        }
        self.definitions(&definitions, at, file, &written);
    }

    /// Compares what the map says about a whole file.
    fn prose(&mut self, rows: &FileRows, at: usize, file: &File, written: &str) {
        let reason = self.reasons.get(&at).filter(|_| self.settings.explain);
        let reason_text = reason.map(|r| reason_line(self.settings, r));
        let doc = match self.settings.format {
            Format::Markdown => file_doc(file),
            Format::Text | Format::Json => None,
        };
        let mut has_doc = doc.is_none();
        let language = file.language.map_or("", |l| l.name());
        for row in &rows.rows {
            let now = match row.kind {
                RowKind::Definition => continue,
                RowKind::Fence if row.text == language => continue,
                RowKind::Fence => language.to_owned(),
                RowKind::Head => JsonFile::new(self.settings, file, reason).line(),
                RowKind::Prose if doc.as_ref() == Some(&row.text) && !has_doc => {
                    has_doc = true;
                    continue;
                }
                RowKind::Prose if !has_doc => {
                    has_doc = true;
                    doc.clone().unwrap_or_default()
                }
                RowKind::Prose => reason_text.clone().unwrap_or_default(),
            };
            if now == row.text {
                continue;
            }
            let fault = if now.is_empty() {
                Fault::Foreign
            } else {
                Fault::Changed(now)
            };
            self.report(row.line, Some(written), &row.text, fault);
        }
        if !has_doc {
            let now = doc.unwrap_or_default();
            self.report(rows.line, Some(written), &rows.heading, Fault::Changed(now));
        }
    }

    /// Compares the definitions below a file.
    fn definitions(&mut self, rows: &[&Row], at: usize, file: &File, written: &str) {
        let settings = self.settings;
        let known = self
            .known
            .entry(at)
            .or_insert_with(|| Known::new(settings, file));
        let all: HashSet<&str> = rows.iter().map(|r| r.text.as_str()).collect();
        // The class of each open level; `None` for a line whose meaning isn't known.
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut found: Vec<(usize, String, Fault)> = Vec::new();
        for row in rows {
            let depth = level(settings, &row.text);
            let is_orphan = depth > open.len();
            open.truncate(depth);
            let parent = match open.last() {
                Some(None) => {
                    // Below a line that is gone, nothing is reported by itself.
                    if let Some((_, _, Fault::Gone(below))) = found.last_mut() {
                        *below += 1;
                    }
                    open.push(None);
                    continue;
                }
                Some(Some(class)) => Some(*class),
                None => None,
            };
            let exact = known.by_line.get(&(parent, row.text.clone())).copied();
            let class = if is_orphan {
                None
            } else if exact.is_some() {
                exact
            } else {
                known.successor(&row.text, parent, &all)
            };
            let Some((at, class)) = class.and_then(|at| Some((at, known.classes.get_mut(at)?)))
            else {
                found.push((row.line, row.text.clone(), Fault::Gone(0)));
                open.push(None);
                continue;
            };
            open.push(Some(at));
            class.shown += 1;
            if exact.is_none() {
                let now = class.line.trim().to_owned();
                found.push((row.line, row.text.clone(), Fault::Changed(now)));
            } else if class.shown > class.tree {
                found.push((row.line, row.text.clone(), Fault::Repeated));
            } else {
                self.shown += 1;
            }
        }
        for (line, text, fault) in found {
            self.report(line, Some(written), &text, fault);
        }
    }

    /// Returns what a new map with these files shows and this map doesn't, and how much it shows.
    fn missing(&mut self, new: &[render::Section]) -> (Vec<Missing>, usize) {
        let (mut out, mut expected) = (Vec::new(), 0);
        for (at, chosen) in new {
            let Some(file) = self.snapshot.files.get(*at) else {
                continue;
            };
            let path = file.path.clone();
            if chosen.is_empty() {
                expected += 1;
                if !self.seen.contains(at) {
                    out.push(Missing { path, text: None });
                }
                continue;
            }
            let settings = self.settings;
            let known = self
                .known
                .entry(*at)
                .or_insert_with(|| Known::new(settings, file));
            let shown: Vec<u32> = match settings.format {
                Format::Json => chosen.iter().copied().collect(),
                Format::Text | Format::Markdown => with_parents(file, chosen)
                    .into_iter()
                    .map(|(d, _)| d)
                    .collect(),
            };
            expected += shown.len();
            for definition in shown {
                let class = known.of_definitions.get(definition as usize).copied();
                let class = class.flatten().and_then(|c| known.classes.get_mut(c));
                if let Some(class) = class {
                    class.new += 1;
                    if class.new > class.shown {
                        out.push(Missing {
                            path: path.clone(),
                            text: Some(class.line.trim().to_owned()),
                        });
                    }
                }
            }
        }
        (out, expected)
    }
}
