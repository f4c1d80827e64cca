//! What the names of each scripting language do, as data: `policies/code/*.yaml`.
//!
//! A file is parsed when its language is first met.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

/// The embedded files.
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

/// Parts of names that aren't known.
const VERBS: &str = include_str!("../../../../policies/code/verbs.yaml");

/// What a name does. Of two entries of one name the earlier action wins, except for `Safe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Action {
    /// Runs code that can't be known.
    Dynamic,
    /// A command line, or a list of words, as its first argument.
    Shell,
    /// A program and its arguments as several arguments.
    Program,
    /// The same, and the code writes its input.
    Piped,
    /// A program, then what it sees as its own name, then its arguments.
    Argv,
    /// The same behind a mode.
    ModeArgv,
    /// Code of the same language as text.
    Code,
    /// A function, or code of the same language as text.
    Timer,
    /// An attribute by its name.
    Getattr,
    /// A method by its name.
    Send,
    /// Calls a function that may be given by its name, as its first argument.
    Callback,
    /// The same as its second argument.
    Callback2,
    /// The same as its last argument.
    CallbackLast,
    Delete,
    DeleteTree,
    Write,
    /// Writes its second argument.
    Write2,
    Move,
    Open,
    PerlOpen,
    /// Edits the files that it reads if it is asked to.
    Inplace,
    Read,
    /// Contacts a host; sends if it is given something to send.
    Network,
    /// Contacts a host by a method that it is given.
    Request,
    NetSend,
    /// Contacts a host and writes what it answers to its second argument.
    Download,
    Process,
    PathDelete,
    PathMove,
    PathOpen,
    PathWrite,
    PathRead,
    /// Adds a directory that modules are loaded from.
    LoadPath,
    /// Changes the directory that later paths start from.
    Chdir,
    /// Sets a variable of the environment.
    Setenv,
    /// Below the language.
    System,
    /// SQL as its first argument.
    Sql,
    /// Hands out a secret.
    Credential,
    /// A module that isn't known.
    Execute,
    /// A function that isn't known and has the name of an act.
    Verb,
    /// The variables of the environment.
    Environment,
    /// Holds functions that aren't listed.
    Opaque,
    Safe,
}

/// What a module reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reach {
    /// Nothing but what it is given, or it reads files at most.
    Pure,
    /// A large library for data.
    Mild,
    /// Files, processes or hosts; what isn't listed of it is a question.
    Partial,
    /// Holds functions that aren't listed.
    Opaque,
    /// Hosts that data is sent to.
    NetSend,
    /// Any code.
    Dynamic,
    /// Not known.
    Foreign,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    names: BTreeMap<String, String>,
    #[serde(default)]
    modules: BTreeMap<Reach, String>,
    #[serde(default)]
    constants: BTreeMap<Reach, String>,
}

/// The names of a language.
#[derive(Debug, Default)]
pub(crate) struct Language {
    names: FxHashMap<Box<str>, Action>,
    prefixes: Vec<Box<str>>,
    modules: FxHashMap<Box<str>, Reach>,
    constants: FxHashMap<Box<str>, Reach>,
}

/// The language of this name.
pub(crate) fn language(lang: &str) -> &'static Language {
    static LANGUAGES: [OnceLock<Language>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    static NONE: OnceLock<Language> = OnceLock::new();
    let found = FILES
        .iter()
        .zip(&LANGUAGES)
        .find(|((name, _), _)| *name == lang);
    match found {
        // What can't be read knows no name.
        Some(((_, text), slot)) => slot.get_or_init(|| Language::read(text).unwrap_or_default()),
        None => NONE.get_or_init(Language::default),
    }
}

fn words(text: &str) -> impl Iterator<Item = Box<str>> {
    text.split_ascii_whitespace().map(Box::from)
}

fn reaches(lists: &BTreeMap<Reach, String>) -> FxHashMap<Box<str>, Reach> {
    // Of two entries of one name the last one wins: the one that reaches further.
    lists
        .iter()
        .flat_map(|(reach, names)| words(names).map(|name| (name, *reach)))
        .collect()
}

impl Language {
    fn read(text: &str) -> Result<Self, String> {
        let file: File = serde_saphyr::from_str(text).map_err(|e| e.to_string())?;
        let mut language = Self {
            modules: reaches(&file.modules),
            constants: reaches(&file.constants),
            ..Self::default()
        };
        for (action, names) in &file.names {
            if action == "safe-prefix" {
                language.prefixes = words(names).collect();
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

    /// True if no name is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// What exactly this name does.
    pub(crate) fn exact(&self, name: &str) -> Option<Action> {
        self.names.get(name).copied()
    }

    /// What anything of this name does, if it does something.
    pub(crate) fn act(&self, name: &str) -> Option<Action> {
        self.exact(name).filter(|action| *action != Action::Safe)
    }

    /// True for a name that is listed as harmless.
    pub(crate) fn is_safe(&self, name: &str) -> bool {
        self.exact(name) == Some(Action::Safe)
            || self.prefixes.iter().any(|p| name.starts_with(&**p))
    }

    /// True for a name that does more than read, wherever it stands.
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

    /// What a module reaches: by its name, or by the package that it is part of.
    pub(crate) fn module(&self, name: &str) -> Reach {
        let mut name = name;
        loop {
            if let Some(reach) = self.modules.get(name) {
                return *reach;
            }
            match name.rfind(['.', '/']) {
                Some(at) if at > 0 => name = name.get(..at).unwrap_or_default(),
                _ => return Reach::Foreign,
            }
        }
    }

    /// What a class or another constant reaches.
    pub(crate) fn constant(&self, name: &str) -> Reach {
        let first = name.split("::").next().unwrap_or(name);
        let of = |name| self.constants.get(name).copied();
        of(name).or_else(|| of(first)).unwrap_or(Reach::Foreign)
    }

    /// What a module of exactly this name reaches.
    pub(crate) fn exact_module(&self, name: &str) -> Reach {
        self.modules.get(name).copied().unwrap_or(Reach::Foreign)
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

/// True if a part of the name says that it deletes, runs or sends something.
pub(crate) fn has_verb(lang: &str, name: &str) -> bool {
    let spared = WORDS.except.get(lang);
    parts(name).any(|part| {
        WORDS.high.contains(part.as_str())
            && !spared.is_some_and(|list| list.contains(part.as_str()))
    })
}

/// True if a part of the name says that it does more than compute.
pub(crate) fn has_mild_verb(lang: &str, name: &str) -> bool {
    has_verb(lang, name) || parts(name).any(|part| WORDS.mild.contains(part.as_str()))
}

/// The words of a name: `deleteMany`, `drop_all` and `HTTPSend` are two each.
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
