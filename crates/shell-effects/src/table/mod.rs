//! The table of programs: which program does what, as data.
//!
//! The files are embedded as text. Loading only finds where each entry starts (a few
//! hundred microseconds for the whole table); an entry is parsed when its program is
//! first met, so that a run over one line stays fast and no generated form has to be
//! kept in step with the files.

pub(crate) mod schema;
pub(crate) mod spec;

pub use spec::TableError;

use memchr::memmem;
use rustc_hash::FxHashMap;
use schema::{RawSpec, Style};
use spec::Spec;
use std::borrow::Cow;
use std::sync::OnceLock;

include!("files.rs");

/// About as many programs as the table has.
const PROGRAMS: usize = 1100;

/// The table of programs.
#[derive(Debug, Default)]
pub struct Table {
    slots: Vec<Slot>,
    names: FxHashMap<Cow<'static, str>, usize>,
}

#[derive(Debug)]
struct Slot {
    file: Cow<'static, str>,
    text: Cow<'static, str>,
    /// In a place of its own: few are ever read, and all slots are made at the start.
    spec: OnceLock<Option<Box<Spec>>>,
}

/// An entry as the `command list` subcommand prints it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Listed {
    /// Name.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Its source.
    pub source: String,
    /// File of the table it stands in.
    pub file: String,
    /// Names of its subcommands.
    pub subcommands: Vec<String>,
}

/// A test line of an entry.
#[derive(Debug, Clone)]
pub struct Test {
    /// File of the entry.
    pub file: String,
    /// Program of the entry.
    pub program: String,
    /// The line.
    pub cmd: String,
    /// Its risk.
    pub risk: super::effect::RiskLevel,
    /// Kinds that must be found.
    pub effects: Vec<String>,
    /// Kinds that must not be found.
    pub not: Vec<String>,
}

/// Cuts a file into its entries.
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

/// The names in the first two lines of an entry.
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
    /// The table that is built in.
    #[must_use]
    pub fn builtin() -> Self {
        let mut table = Self {
            slots: Vec::with_capacity(PROGRAMS),
            names: FxHashMap::default(),
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
            });
            for name in names_of(entry) {
                self.names.insert(Cow::Borrowed(name), i);
            }
        }
    }

    /// Indexes a file without checking it (the lint reports what is wrong with it).
    pub fn index_text(&mut self, file: &str, text: &str) {
        for entry in entries(text) {
            let i = self.slots.len();
            self.slots.push(Slot {
                file: Cow::Owned(file.to_owned()),
                text: Cow::Owned(entry.to_owned()),
                spec: OnceLock::new(),
            });
            for name in names_of(entry) {
                self.names.insert(Cow::Owned(name.to_owned()), i);
            }
        }
    }

    /// Adds a user's own file; its entries replace those of the same name.
    ///
    /// # Errors
    /// If an entry doesn't follow the schema.
    pub fn add(&mut self, file: &str, text: &str) -> Result<usize, TableError> {
        // As a whole first: what stands before or between entries is no entry, but a slip.
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
        let mut count = 0;
        for entry in entries(text) {
            let raw = parse_entry(entry)?;
            let spec = Spec::compile(&raw)?;
            let i = self.slots.len();
            let slot = Slot {
                file: Cow::Owned(file.to_owned()),
                text: Cow::Owned(entry.to_owned()),
                spec: OnceLock::new(),
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

    /// The groups of options that the table lists together with `option`, for a program and for
    /// those of its subcommands that `args` name.
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

    /// What the table says of a program, and of those of its subcommands that `args` name.
    fn specs<'t>(&'t self, program: &str, args: &[String]) -> impl Iterator<Item = &'t Spec> {
        let spec = self.get(program);
        let named = spec.into_iter().flat_map(move |spec| {
            let named = spec.subcommands.iter();
            let named = named.filter(move |(name, _)| args.contains(name));
            named.filter_map(|(_, n)| spec.sub_list.get(*n))
        });
        spec.into_iter().chain(named)
    }

    /// Whether the table lists an option that takes no value, for a program whose short options
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
            });
        listed.next().is_some_and(|flag| flag.arg.is_none())
    }

    /// The options that the table lists for a program, and for those of its subcommands that
    /// `args` name.
    pub fn options<'t>(&'t self, program: &str, args: &[String]) -> impl Iterator<Item = &'t str> {
        let names = self.specs(program, args).flat_map(|spec| spec.flags.keys());
        names.map(String::as_str)
    }

    /// What a program does, if it is in the table.
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

    /// True if the program is listed.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Number of programs (entries, not names).
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// True if there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// All entries, in the order of the files.
    ///
    /// # Errors
    /// The first entry that doesn't follow the schema.
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

    /// Checks every entry against the schema; returns what is wrong, file and name first.
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

    /// The names of the programs that begin like this, in alphabetical order.
    #[must_use]
    pub fn names_with_prefix(&self, prefix: &str) -> Vec<&str> {
        let all = self.names.keys().map(|name| &**name);
        let mut names: Vec<&str> = all.filter(|name| name.starts_with(prefix)).collect();
        names.sort_unstable();
        names
    }

    /// Calls of a program that people write: the test lines of its entry.
    #[must_use]
    pub fn examples(&self, program: &str) -> Vec<String> {
        let slot = self.names.get(program).and_then(|at| self.slots.get(*at));
        let Some(raw) = slot.and_then(|slot| parse_entry(&slot.text).ok()) else {
            return Vec::new();
        };
        let own = |cmd: &&String| cmd.split(' ').next() == Some(program);
        let lines = tests_of(&raw).into_iter().map(|test| &test.cmd);
        lines.filter(own).cloned().collect()
    }

    /// The test lines of all entries.
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
