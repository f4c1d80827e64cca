//! The effects of the names in each scripting language, as data: `policies/code/*.yaml`.
//!
//! A file is parsed when its language first occurs.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

/// Languages with their embedded files.
const FILES: [(&str, &str); 6] = [
    (
        "python",
        include_str!("../../../../policies/code/python.yaml"),
    ),
    ("js", include_str!("../../../../policies/code/js.yaml")),
    ("ruby", include_str!("../../../../policies/code/ruby.yaml")),
    ("php", include_str!("../../../../policies/code/php.yaml")),
    ("perl", include_str!("../../../../policies/code/perl.yaml")),
    ("lua", include_str!("../../../../policies/code/lua.yaml")),
];

/// Verbs by which unknown names are rated.
const VERBS: &str = include_str!("../../../../policies/code/verbs.yaml");

/// The action of a name. If a name has two entries, the earlier action in this order wins, except
/// for `Safe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Action {
    /// Runs unknown code.
    Dynamic,
    /// Runs a command line, or a list of words, in the first argument.
    Shell,
    /// Runs a program; program and arguments are separate arguments.
    Program,
    /// Like `Program`, but the code writes the program's input.
    Piped,
    /// Runs a program; its `argv[0]` comes before the arguments.
    Argv,
    /// Like `Argv`, after an argument with a mode.
    ModeArgv,
    /// Runs code of the same language, given as text.
    Code,
    /// Calls a function, or runs code of the same language given as text.
    Timer,
    /// Evaluates a text in a language of its own that can call Python: `df.query("@f(x)")`.
    Query,
    /// Returns an attribute by its name.
    Getattr,
    /// Calls a method by its name.
    Send,
    /// Calls the function in the first argument, which may be given by its name.
    Callback,
    /// Calls the function in the second argument.
    Callback2,
    /// Calls the function in the last argument.
    CallbackLast,
    Delete,
    DeleteTree,
    /// Destroys the contents of a file.
    Empty,
    Write,
    /// Writes the file in the second argument.
    Write2,
    Move,
    Open,
    PerlOpen,
    /// Edits the files that it reads, if an argument says so.
    Inplace,
    Read,
    /// Contacts a host. Sends data if it has an argument for it.
    Network,
    /// Contacts a host with an HTTP method from an argument.
    Request,
    NetSend,
    /// Contacts a host and writes the answer to the file in the second argument.
    Download,
    Process,
    PathDelete,
    PathMove,
    PathOpen,
    PathWrite,
    PathRead,
    /// Adds a directory from which modules are loaded.
    LoadPath,
    /// Changes the current directory.
    Chdir,
    /// Sets an environment variable.
    Setenv,
    /// Accesses memory or the runtime below the language.
    System,
    /// Runs the SQL in the first argument.
    Sql,
    /// Returns a secret.
    Credential,
    /// Loads an unknown module.
    Execute,
    /// Calls an unknown function with a verb in its name.
    Verb,
    /// Reads the environment variables.
    Environment,
    /// Contains functions that aren't listed.
    Opaque,
    Safe,
}

/// The capabilities of a module, least powerful first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Capability {
    /// None, or reading files at most.
    Pure,
    /// A large library for data processing.
    Mild,
    /// Files, processes or hosts; unlisted functions may do anything with them.
    Partial,
    /// Contains functions that aren't listed.
    Opaque,
    /// Sends data to hosts.
    NetSend,
    /// Any code.
    Dynamic,
    /// Unknown.
    Foreign,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    names: BTreeMap<String, String>,
    #[serde(default)]
    modules: BTreeMap<Capability, String>,
    #[serde(default)]
    constants: BTreeMap<Capability, String>,
}

/// The names of a language.
#[derive(Debug, Default)]
pub(crate) struct Language {
    names: FxHashMap<Box<str>, Action>,
    prefixes: Vec<Box<str>>,
    outputs: FxHashSet<Box<str>>,
    modules: FxHashMap<Box<str>, Capability>,
    constants: FxHashMap<Box<str>, Capability>,
}

/// Returns the data of a language; empty if it isn't known.
pub(crate) fn language(lang: &str) -> &'static Language {
    static LANGUAGES: [OnceLock<Language>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    static NONE: OnceLock<Language> = OnceLock::new();
    let found = FILES
        .iter()
        .zip(&LANGUAGES)
        .find(|((name, _), _)| *name == lang);
    match found {
        // If a file can't be parsed, its language has no known names.
        Some(((_, text), slot)) => slot.get_or_init(|| Language::read(text).unwrap_or_default()),
        None => NONE.get_or_init(Language::default),
    }
}

fn words(text: &str) -> impl Iterator<Item = Box<str>> {
    text.split_ascii_whitespace().map(Box::from)
}

fn capabilities(lists: &BTreeMap<Capability, String>) -> FxHashMap<Box<str>, Capability> {
    // If a name has two entries, the last one wins, which is the more powerful one.
    lists
        .iter()
        .flat_map(|(capability, names)| words(names).map(|name| (name, *capability)))
        .collect()
}

impl Language {
    fn read(text: &str) -> Result<Self, String> {
        let file: File = serde_saphyr::from_str(text).map_err(|e| e.to_string())?;
        let mut language = Self {
            modules: capabilities(&file.modules),
            constants: capabilities(&file.constants),
            ..Self::default()
        };
        for (action, names) in &file.names {
            if action == "safe-prefix" {
                language.prefixes = words(names).collect();
                continue;
            }
            if action == "outputs" {
                language.outputs = words(names).collect();
                continue;
            }
            let action: Action =
                serde_saphyr::from_str(action).map_err(|e| format!("{action}: {e}"))?;
            for name in words(names) {
                let known = language.names.entry(name).or_insert(action);
                *known = action.min(*known);
            }
        }
        Ok(language)
    }

    /// Returns whether no name is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the action of exactly this name.
    pub(crate) fn exact(&self, name: &str) -> Option<Action> {
        self.names.get(name).copied()
    }

    /// Returns the action of exactly this name, unless it is safe.
    pub(crate) fn act(&self, name: &str) -> Option<Action> {
        self.exact(name).filter(|action| *action != Action::Safe)
    }

    /// Returns whether a name is listed as harmless.
    pub(crate) fn is_safe(&self, name: &str) -> bool {
        self.exact(name) == Some(Action::Safe)
            || self.prefixes.iter().any(|p| name.starts_with(&**p))
    }

    /// Returns whether a function may write to a path that it is given, by its full name or by the
    /// last part.
    pub(crate) fn is_output(&self, name: &str) -> bool {
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        self.outputs.contains(last) || self.outputs.contains(name)
    }

    /// Returns whether a name does more than read, wherever it occurs.
    pub(crate) fn acts(&self, name: &str) -> bool {
        !matches!(
            self.exact(name),
            None | Some(
                Action::Safe
                    | Action::Read
                    | Action::Open
                    | Action::Network
                    | Action::PathRead
                    | Action::Environment
                    | Action::Opaque
            )
        )
    }

    /// Returns the capabilities of a module, by its name or by the package that contains it.
    pub(crate) fn module(&self, name: &str) -> Capability {
        let mut name = name;
        loop {
            if let Some(capability) = self.modules.get(name) {
                return *capability;
            }
            match name.rfind(['.', '/']) {
                Some(at) if at > 0 => name = name.get(..at).unwrap_or_default(),
                _ => return Capability::Foreign,
            }
        }
    }

    /// Returns the capabilities of a class or another constant.
    pub(crate) fn constant(&self, name: &str) -> Capability {
        let first = name.split("::").next().unwrap_or(name);
        let of = |name| self.constants.get(name).copied();
        of(name)
            .or_else(|| of(first))
            .unwrap_or(Capability::Foreign)
    }

    /// Returns the capabilities of a module of exactly this name.
    pub(crate) fn exact_module(&self, name: &str) -> Capability {
        self.modules
            .get(name)
            .copied()
            .unwrap_or(Capability::Foreign)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerbFile {
    high: String,
    mild: String,
    except: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
struct Verbs {
    high: FxHashSet<Box<str>>,
    mild: FxHashSet<Box<str>>,
    except: BTreeMap<String, FxHashSet<Box<str>>>,
}

static WORDS: LazyLock<Verbs> = LazyLock::new(|| {
    let file: VerbFile = serde_saphyr::from_str(VERBS).unwrap_or_default();
    Verbs {
        high: words(&file.high).collect(),
        mild: words(&file.mild).collect(),
        except: file
            .except
            .into_iter()
            .map(|(lang, list)| (lang, words(&list).collect()))
            .collect(),
    }
});

/// Returns whether a part of the name is a verb that deletes, runs or sends something.
pub(crate) fn has_verb(lang: &str, name: &str) -> bool {
    let spared = WORDS.except.get(lang);
    parts(name).any(|part| {
        WORDS.high.contains(part.as_str())
            && !spared.is_some_and(|list| list.contains(part.as_str()))
    })
}

/// Returns whether a part of the name is a verb that does more than compute.
pub(crate) fn has_mild_verb(lang: &str, name: &str) -> bool {
    has_verb(lang, name) || parts(name).any(|part| WORDS.mild.contains(part.as_str()))
}

/// Splits a name into words: `deleteMany`, `drop_all` and `HTTPSend` have two each.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let mut rest = name;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let first = rest.chars().next()?;
        let mut before = first;
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(at, c)| {
                let after = rest.get(at + c.len_utf8()..).and_then(|r| r.chars().next());
                let starts = c.is_uppercase()
                    && (before.is_lowercase() || after.is_some_and(char::is_lowercase));
                before = *c;
                !c.is_alphanumeric() || starts
            })
            .map_or(rest.len(), |(at, _)| at);
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_valid() {
        for (lang, text) in FILES {
            let language = Language::read(text).unwrap_or_else(|e| panic!("{lang}: {e}"));
            assert!(language.names.len() > 60, "{lang}");
        }
        serde_saphyr::from_str::<VerbFile>(VERBS).unwrap();
    }

    #[test]
    fn names_are_split_into_words() {
        let of = |name: &str| parts(name).collect::<Vec<_>>();
        assert_eq!(of("deleteMany"), ["delete", "many"]);
        assert_eq!(of("x.drop_all"), ["x", "drop", "all"]);
        assert_eq!(of("HTTPSend"), ["http", "send"]);
        assert!(of("").is_empty());
        assert!(has_verb("python", "db.drop_all"));
        assert!(!has_verb("python", "dropout"));
        assert!(has_mild_verb("python", "to_sql"));
    }
}
