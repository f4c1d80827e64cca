//! The table of programs: the effects of each program, as data.
//!
//! The files are embedded as text. Loading only finds where each entry starts, which takes a few
//! hundred microseconds for the whole table. An entry is parsed when its program first occurs. So
//! an analysis of one line stays fast, and no generated form has to be kept in sync with the files.

pub(crate) mod schema;
pub(crate) mod spec;
#[cfg(test)]
mod spellings;

pub use spec::TableError;

use memchr::memmem;
use rustc_hash::FxHashMap;
use schema::{RawSpec, Style};
use spec::Spec;
use std::borrow::Cow;
use std::sync::OnceLock;

include!("files.rs");

/// Approximate number of programs in the table, for preallocation.
const PROGRAMS: usize = 1100;

/// The table of programs.
#[derive(Debug, Default)]
pub struct Table {
    slots: Vec<Slot>,
    names: FxHashMap<Cow<'static, str>, usize>,
    /// The names in alphabetical order.
    sorted: OnceLock<Vec<Cow<'static, str>>>,
}

#[derive(Debug)]
struct Slot {
    file: Cow<'static, str>,
    text: Cow<'static, str>,
    /// Boxed: few entries are ever parsed, and all slots are allocated at the start.
    spec: OnceLock<Option<Box<Spec>>>,
    /// The commands of its test lines.
    examples: OnceLock<Vec<String>>,
}

/// An entry as the `command list` subcommand prints it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Listed {
    pub name: String,
    pub aliases: Vec<String>,
    /// The manual page that the entry follows.
    pub source: String,
    /// The file of the table that contains it.
    pub file: String,
    pub subcommands: Vec<String>,
}

/// A test line of an entry.
#[derive(Debug, Clone)]
pub struct Test {
    /// The file that contains the entry.
    pub file: String,
    /// The program of the entry.
    pub program: String,
    pub cmd: String,
    /// The expected risk.
    pub risk: crate::effect::RiskLevel,
    /// Kinds of effects that must be found.
    pub effects: Vec<String>,
    /// Kinds of effects that must not be found.
    pub not: Vec<String>,
}

/// Splits a file into its entries.
pub(crate) fn entries(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let mut started = false;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if !started {
            started = true;
            if !rest.starts_with("- name:") {
                let i = memmem::find(rest.as_bytes(), b"\n- name:")?;
                rest = rest.get(i + 1..)?;
            }
        }
        let n = memmem::find(rest.as_bytes(), b"\n- ").map_or(rest.len(), |i| i + 1);
        let entry = rest.get(..n)?;
        rest = rest.get(n..)?;
        Some(entry)
    })
}

fn unquote(s: &str) -> &str {
    let s = s.trim();
    s.strip_prefix('"')
        .and_then(|s| s.strip_suffix('"'))
        .or_else(|| s.strip_prefix('\'').and_then(|s| s.strip_suffix('\'')))
        .unwrap_or(s)
}

/// Returns the names in the first two lines of an entry: `name` and `aliases`.
pub(crate) fn names_of(entry: &str) -> impl Iterator<Item = &str> {
    let mut lines = entry.lines();
    let name = lines
        .next()
        .and_then(|l| l.strip_prefix("- name:"))
        .map(unquote);
    let aliases = lines
        .next()
        .and_then(|l| l.trim_start().strip_prefix("aliases:"))
        .map(|l| l.trim().trim_start_matches('[').trim_end_matches(']'))
        .unwrap_or_default();
    name.into_iter()
        .chain(aliases.split(',').map(unquote))
        .filter(|s| !s.is_empty())
}

fn parse_entry(text: &str) -> Result<RawSpec, TableError> {
    let name = names_of(text).next().unwrap_or_default().to_owned();
    let list: Vec<RawSpec> = serde_saphyr::from_str(text).map_err(|e| TableError::Yaml {
        name: name.clone(),
        message: e.to_string(),
    })?;
    list.into_iter().next().ok_or(TableError::Yaml {
        name,
        message: "empty entry".to_owned(),
    })
}

impl Table {
    /// Returns the embedded table.
    #[must_use]
    pub fn builtin() -> Self {
        let mut table = Self {
            slots: Vec::with_capacity(PROGRAMS),
            names: FxHashMap::default(),
            sorted: OnceLock::new(),
        };
        table.names.reserve(2 * PROGRAMS);
        for (file, text) in FILES {
            table.index(file, text);
        }
        table
    }

    fn index(&mut self, file: &'static str, text: &'static str) {
        for entry in entries(text) {
            let i = self.slots.len();
            self.slots.push(Slot {
                file: Cow::Borrowed(file),
                text: Cow::Borrowed(entry),
                spec: OnceLock::new(),
                examples: OnceLock::new(),
            });
            for name in names_of(entry) {
                self.names.insert(Cow::Borrowed(name), i);
            }
        }
    }

    /// Indexes a file without checking it ([`Table::lint`] reports its errors).
    pub fn index_text(&mut self, file: &str, text: &str) {
        self.sorted.take();
        for entry in entries(text) {
            let i = self.slots.len();
            self.slots.push(Slot {
                file: Cow::Owned(file.to_owned()),
                text: Cow::Owned(entry.to_owned()),
                spec: OnceLock::new(),
                examples: OnceLock::new(),
            });
            for name in names_of(entry) {
                self.names.insert(Cow::Owned(name.to_owned()), i);
            }
        }
    }

    /// Adds a user's file. Its entries replace those of the same name. Returns their number.
    ///
    /// # Errors
    /// Fails if an entry doesn't follow the schema.
    pub fn add(&mut self, file: &str, text: &str) -> Result<usize, TableError> {
        // Parse the file as a whole first: text before or between entries is an error.
        let whole: Vec<RawSpec> = serde_saphyr::from_str(text).map_err(|e| TableError::Yaml {
            name: file.to_owned(),
            message: e.to_string(),
        })?;
        if whole.is_empty() || whole.len() != entries(text).count() {
            return Err(TableError::Yaml {
                name: file.to_owned(),
                message: "every entry begins with `- name:` at the beginning of a line".to_owned(),
            });
        }
        self.sorted.take();
        let mut count = 0;
        for entry in entries(text) {
            let raw = parse_entry(entry)?;
            let spec = Spec::compile(&raw)?;
            let i = self.slots.len();
            let slot = Slot {
                file: Cow::Owned(file.to_owned()),
                text: Cow::Owned(entry.to_owned()),
                spec: OnceLock::new(),
                examples: OnceLock::new(),
            };
            let _ = slot.spec.set(Some(Box::new(spec)));
            self.slots.push(slot);
            self.names.insert(Cow::Owned(raw.name.clone()), i);
            for a in &raw.aliases {
                self.names.insert(Cow::Owned(a.clone()), i);
            }
            count += 1;
        }
        Ok(count)
    }

    /// Returns the groups of options that the table lists together with `option`, for a program and
    /// for those of its subcommands that `args` name.
    #[must_use]
    pub fn option_groups(&self, program: &str, args: &[String], option: &str) -> Vec<Vec<&str>> {
        self.specs(program, args)
            .filter_map(|spec| {
                let number = spec.flags.get(option)?;
                let group = spec.flags.iter().filter(|(_, n)| *n == number);
                Some(group.map(|(name, _)| name.as_str()).collect())
            })
            .collect()
    }

    /// Returns the entries of a program and of those of its subcommands that `args` name, at any
    /// depth: `docker compose up`.
    fn specs<'t>(&'t self, program: &str, args: &[String]) -> impl Iterator<Item = &'t Spec> {
        let mut found: Vec<&Spec> = self.get(program).into_iter().collect();
        let mut at = 0;
        while let Some(spec) = found.get(at).copied() {
            at += 1;
            let named = args.iter().filter_map(|word| spec.subcommands.get(word));
            let mut named: Vec<usize> = named.copied().collect();
            named.sort_unstable();
            named.dedup();
            found.extend(named.into_iter().filter_map(|n| spec.sub_list.get(n)));
        }
        found.into_iter()
    }

    /// Returns the words that lead to each entry of a program: none for the program itself, then
    /// those of its subcommands, at any depth, by each of their names.
    #[must_use]
    pub fn subcommand_paths(&self, program: &str) -> Vec<Vec<String>> {
        let mut all = vec![Vec::new()];
        let mut open: Vec<(Vec<String>, &Spec)> = self
            .get(program)
            .map(|s| (Vec::new(), s))
            .into_iter()
            .collect();
        while let Some((path, spec)) = open.pop() {
            let mut names: Vec<_> = spec.subcommands.iter().collect();
            names.sort_unstable();
            for (name, number) in names {
                let mut longer = path.clone();
                longer.push(name.clone());
                all.push(longer.clone());
                open.extend(spec.sub_list.get(*number).map(|sub| (longer, sub)));
            }
        }
        all
    }

    /// Returns whether the table lists an option without a value, for a program whose short options
    /// may be joined and may follow its operands.
    #[must_use]
    pub fn is_switch(&self, program: &str, args: &[String], option: &str) -> bool {
        let gnu = |spec: &&Spec| matches!(spec.style, None | Some(Style::Gnu));
        let mut listed = self
            .specs(program, args)
            .take_while(gnu)
            .filter_map(|spec| {
                let number = spec.flags.get(option)?;
                spec.flag_list.get(*number)
            })
            .peekable();
        // The same letter may take a value elsewhere: `git -C DIR branch -C old new`.
        listed.peek().is_some() && listed.all(|flag| flag.arg.is_none())
    }

    /// Returns the listed options of a program and of those of its subcommands that `args` name.
    pub fn options<'t>(&'t self, program: &str, args: &[String]) -> impl Iterator<Item = &'t str> {
        let names = self.specs(program, args).flat_map(|spec| spec.flags.keys());
        names.map(String::as_str)
    }

    /// Returns the entry of a program.
    pub(crate) fn get(&self, name: &str) -> Option<&Spec> {
        let slot = self.slots.get(*self.names.get(name)?)?;
        slot.spec
            .get_or_init(|| {
                parse_entry(&slot.text)
                    .ok()
                    .and_then(|raw| Spec::compile(&raw).ok())
                    .map(Box::new)
            })
            .as_deref()
    }

    /// Returns whether the program is listed.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Returns the number of programs (entries, not names).
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether the table has no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Lists all entries, in the order of the files.
    ///
    /// # Errors
    /// Fails at the first entry that doesn't follow the schema.
    pub fn list(&self) -> Result<Vec<Listed>, TableError> {
        self.slots
            .iter()
            .map(|slot| {
                let raw = parse_entry(&slot.text)?;
                Ok(Listed {
                    name: raw.name,
                    aliases: raw.aliases,
                    source: raw.source.unwrap_or_default(),
                    file: slot.file.clone().into_owned(),
                    subcommands: raw
                        .subcommands
                        .keys()
                        .flat_map(|k| k.split(',').map(|s| s.trim().to_owned()))
                        .collect(),
                })
            })
            .collect()
    }

    /// Checks every entry against the schema. Returns the errors, each beginning with file and
    /// name.
    #[must_use]
    pub fn lint(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut seen: FxHashMap<String, String> = FxHashMap::default();
        for slot in &self.slots {
            let at = names_of(&slot.text).next().unwrap_or("?");
            let raw = match parse_entry(&slot.text) {
                Ok(r) => r,
                Err(e) => {
                    out.push(format!("{}: {at}: {e}", slot.file));
                    continue;
                }
            };
            if let Err(e) = Spec::compile(&raw) {
                out.push(format!("{}: {at}: {e}", slot.file));
            }
            if raw.source.as_deref().unwrap_or_default().is_empty() {
                out.push(format!("{}: {at}: no source", slot.file));
            }
            if tests_of(&raw).is_empty() {
                out.push(format!("{}: {at}: no test line", slot.file));
            }
            let scanned: Vec<&str> = names_of(&slot.text).collect();
            let parsed: Vec<&str> = std::iter::once(raw.name.as_str())
                .chain(raw.aliases.iter().map(String::as_str))
                .collect();
            if scanned != parsed {
                out.push(format!(
                    "{}: {at}: `aliases` must be on one line right under `name`",
                    slot.file
                ));
            }
            for n in parsed {
                if let Some(other) = seen.insert(n.to_owned(), format!("{} ({at})", slot.file)) {
                    out.push(format!(
                        "{}: {at}: `{n}` is also defined in {other}",
                        slot.file
                    ));
                }
            }
        }
        out
    }

    /// Returns the names of programs with this prefix, in alphabetical order.
    #[must_use]
    pub fn names_with_prefix(&self, prefix: &str) -> Vec<&str> {
        let sorted = self.sorted.get_or_init(|| {
            let mut names: Vec<_> = self.names.keys().cloned().collect();
            names.sort_unstable();
            names
        });
        let first = sorted.partition_point(|name| **name < *prefix);
        let rest = sorted.iter().skip(first).map(|name| &**name);
        rest.take_while(|name| name.starts_with(prefix)).collect()
    }

    /// Returns examples of calls of a program: the test lines of its entry.
    #[must_use]
    pub fn examples(&self, program: &str) -> Vec<String> {
        let Some(slot) = self.names.get(program).and_then(|at| self.slots.get(*at)) else {
            return Vec::new();
        };
        let lines = slot.examples.get_or_init(|| {
            let raw = parse_entry(&slot.text).ok();
            let tests = raw.as_ref().map(tests_of).unwrap_or_default();
            tests.into_iter().map(|test| test.cmd.clone()).collect()
        });
        let own = |cmd: &&String| cmd.split(' ').next() == Some(program);
        lines.iter().filter(own).cloned().collect()
    }

    /// Returns the test lines of all entries.
    #[must_use]
    pub fn tests(&self) -> Vec<Test> {
        let mut out = Vec::new();
        for slot in &self.slots {
            let Ok(raw) = parse_entry(&slot.text) else {
                continue;
            };
            for t in tests_of(&raw) {
                out.push(Test {
                    file: slot.file.clone().into_owned(),
                    program: raw.name.clone(),
                    cmd: t.cmd.clone(),
                    risk: t.risk,
                    effects: t.effects.clone(),
                    not: t.not.clone(),
                });
            }
        }
        out
    }
}

fn tests_of(raw: &RawSpec) -> Vec<&schema::TestLine> {
    let mut out: Vec<&schema::TestLine> = raw.tests.iter().collect();
    for s in raw.subcommands.values() {
        out.extend(tests_of(s));
    }
    if let Some(o) = &raw.otherwise {
        out.extend(tests_of(o));
    }
    out
}
