//! Paths of secrets and of people's private data: `policies/private-paths.yaml`, embedded and
//! compiled once.

use super::name_globs::glob;
use super::patterns::{Patterns, folded, names};
use crate::chars::{ANY, STAR, has_glob};
use serde::Deserialize;
use std::sync::LazyLock;

/// The name that stands for somebody's home directory in patterns.
const HOME: &str = "~";

/// Directories that contain the home directories of people.
const HOMES: [&str; 3] = ["home", "users", "documents and settings"];

/// Extensions of copies that people and editors make of a file.
const COPIES: [&str; 8] = ["bak", "backup", "old", "orig", "save", "copy", "swp", "tmp"];

/// The best known secrets of a person and of a system.
const OWN: [&str; 9] = [
    ".ssh/id_rsa",
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".netrc",
    ".git-credentials",
    ".kube/config",
    ".docker/config.json",
    ".bash_history",
    ".pgpass",
];
const SYSTEM: [&str; 4] = [
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/root/.ssh/id_rsa",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[expect(dead_code, reason = "there is one so far")]
    version: u64,
    public: Vec<String>,
    variables: Vec<(String, String)>,
    groups: Vec<Group>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests"))]
    name: String,
    #[expect(dead_code, reason = "for readers of the file")]
    about: String,
    paths: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "tests"))]
    finds: Vec<String>,
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "tests"))]
    ignores: Vec<String>,
}

fn file() -> Option<File> {
    serde_saphyr::from_str(include_str!("../../../../policies/private-paths.yaml")).ok()
}

#[derive(Debug, Default)]
struct Table {
    /// Each pattern has the index of its group.
    patterns: Patterns<usize>,
    /// Names without secrets, by group.
    except: Vec<Vec<String>>,
    /// Names of files that are hardly ever private.
    public: Vec<String>,
    /// Names of environment variables that hold a private path, and how that path ends.
    variables: Vec<(String, String)>,
}

impl Table {
    fn holds(&self, path: &str, home: &str) -> bool {
        let mut found = false;
        self.patterns.find(
            path,
            |names| mark_home(names, path, home),
            |pattern, last, below| {
                // Some directory as a whole, or a file in it.
                let file = below.last().copied().unwrap_or(last);
                let except = self.except.get(pattern.value).into_iter().flatten();
                let is_public =
                    || file.ends_with(".pub") || except.clone().any(|one| glob(one, file));
                found = found || pattern.is_folder() && below.is_empty() || !is_public();
            },
        );
        found
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    let Some(file) = file() else { return table };
    table.public = file.public;
    table.variables = file.variables;
    for group in file.groups {
        for path in &group.paths {
            table.patterns.push(path, table.except.len());
        }
        table.except.push(group.except);
    }
    table
});

/// Returns whether a path is one of a secret or of somebody's private data, or of a directory full
/// of them.
#[must_use]
pub fn is_private(path: &str, home: &str) -> bool {
    let copied = path.strip_suffix('~').or_else(|| {
        let (file, extension) = path.rsplit_once('.')?;
        COPIES.contains(&extension).then_some(file)
    });
    TABLE.holds(path, home)
        || has_glob(path) && may_be_known(path, home)
        || copied.is_some_and(|path| !path.ends_with('/') && TABLE.holds(path, home))
}

/// Returns whether a pattern whose wildcards match slashes as well, like those of `find -path`,
/// matches one of the best known secrets.
fn may_be_known(path: &str, home: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.chars().all(|c| matches!(c, STAR | ANY)) {
        return false;
    }
    let pattern = crate::chars::source(path);
    let own = OWN.iter().map(|place| format!("{home}/{place}"));
    own.chain(SYSTEM.map(str::to_owned))
        .any(|place| glob(&pattern, &place))
}

/// Returns whether an absolute path is that of a directory with private files somewhere below it:
/// somebody's home directory, one above it, or one in it like `~/.config`.
#[must_use]
pub fn is_above_private(path: &str, home: &str) -> bool {
    let seen = folded(path);
    let mut names: Vec<&str> = names(&seen).collect();
    // `~/.config/*/*` is all that is in it.
    while names.pop_if(|name| is_any(name)).is_some() {}
    mark_home(&mut names, path, home);
    match names.iter().position(|name| *name == HOME) {
        None => match names.as_slice() {
            [] => true,
            [one] => HOMES.contains(one),
            _ => false,
        },
        Some(at) => {
            let below = names.get(at + 1..).unwrap_or_default();
            below.is_empty()
                || TABLE
                    .patterns
                    .iter()
                    .any(|pattern| pattern.begins_with(HOME, below))
        }
    }
}

/// Returns whether a name with globs, or none, stands for all names.
fn is_any(name: &str) -> bool {
    name.chars().all(|c| matches!(c, STAR | ANY | '.'))
}

/// Returns the directory in which a search below an absolute path may find private files of this
/// name, which may have globs or be empty: the path itself, or a home directory below it.
#[must_use]
pub fn searched<'p>(path: &'p str, name: &str, home: &'p str) -> Option<&'p str> {
    if !is_above_private(path, home) {
        return None;
    }
    let seen = folded(path);
    let mut names: Vec<&str> = names(&seen).collect();
    mark_home(&mut names, path, home);
    let in_home = names.contains(&HOME);
    let name = folded(name);
    let known = || TABLE.patterns.iter().any(|one| one.may_end_with(&name));
    let is_public = || {
        let name = crate::chars::source(&name);
        TABLE.public.iter().any(|public| glob(public, &name))
    };
    (is_any(&name) || known() || in_home && !is_public()).then_some(if in_home {
        path
    } else {
        home
    })
}

/// Returns the name of a private file that a search for this text finds in any directory. Of the
/// text only what isn't part of a pattern counts, and surrounding dots don't.
#[must_use]
pub fn named(text: &str) -> Option<&'static str> {
    let plain = |c: char| !matches!(c, STAR | ANY | '^' | '$' | '\\' | '*' | '?' | '/');
    let text: String = folded(text).chars().filter(|c| plain(*c)).collect();
    let text = text.trim_matches('.');
    TABLE
        .patterns
        .names_everywhere()
        .find(|name| !text.is_empty() && name.trim_matches('.') == text)
}

/// Returns how the path of a private file or directory ends that an environment variable of this
/// name usually holds.
#[must_use]
pub fn variable(name: &str) -> Option<&'static str> {
    let (_, path) = TABLE.variables.iter().find(|(own, _)| glob(own, name))?;
    (!path.is_empty()).then_some(path)
}

/// Names somebody's home directory [`HOME`] in a path.
fn mark_home(names: &mut [&str], path: &str, home: &str) {
    let own = path
        .strip_prefix(home)
        .filter(|rest| !home.is_empty() && (rest.is_empty() || rest.starts_with('/')))
        .map(|_| super::patterns::names(home).count());
    let drive = usize::from(names.first().is_some_and(|name| name.len() == 1));
    let at = match (own, names.get(drive).copied()) {
        (Some(count), _) => count.checked_sub(1),
        (None, Some("root")) => path.starts_with('/').then_some(0),
        (None, Some(folder)) if HOMES.contains(&folder) => Some(drive + 1),
        _ => None,
    };
    if let Some(name) = at.and_then(|at| names.get_mut(at)) {
        *name = HOME;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEV: &str = "/home/dev";

    #[test]
    fn the_list_matches_its_examples() {
        let file = file().expect("the list can be read");
        for group in file.groups {
            for path in &group.paths {
                assert!(
                    !path.starts_with('/') && !path.contains(['?', '[', '{']),
                    "{path}"
                );
            }
            assert!(
                !group.finds.is_empty() && !group.ignores.is_empty(),
                "{}",
                group.name
            );
            for path in &group.finds {
                assert!(is_private(path, DEV), "{}: {path}", group.name);
            }
            for path in &group.ignores {
                assert!(!is_private(path, DEV), "{}: {path}", group.name);
            }
        }
    }

    #[test]
    fn variables_name_private_paths() {
        for (name, path) in file().expect("the list can be read").variables {
            let path = format!("/x/{path}");
            let home = |path: &str| path.replace("/x/", "/home/dev/");
            assert!(
                path == "/x/" || is_private(&path, DEV) || is_above_private(&home(&path), DEV),
                "{name}: {path}"
            );
        }
        assert_eq!(variable("VAULT_TOKEN_FILE"), Some(".secrets"));
        assert_eq!(variable("PUBLIC_KEY_FILE"), None);
        assert_eq!(variable("OUT_FILE"), None);
    }

    #[test]
    fn homes_of_all_people_are_known() {
        for home in [
            "~",
            "/home/dev",
            "/home/x",
            "/Users/x",
            "/root",
            "C:/Users/x",
            r"C:\Users\x",
        ] {
            assert!(is_private(&format!("{home}/.claude.json"), DEV), "{home}");
        }
        for place in ["/home/dev/project", "/opt/root", "docs", "/srv/users/x"] {
            assert!(
                !is_private(&format!("{place}/.claude.json"), DEV),
                "{place}"
            );
        }
        assert!(is_private("/data/me/.claude.json", "/data/me"));
        assert!(!is_private("/.claude.json", ""));
    }

    #[test]
    fn copies_are_as_private() {
        for path in [
            ".env~",
            "id_rsa.bak",
            "/etc/shadow.old",
            "~/.codex/auth.json.orig",
        ] {
            assert!(is_private(path, DEV), "{path}");
        }
        for path in ["a.bak", "~", "src/~", ".bak", "x/.bak"] {
            assert!(!is_private(path, DEV), "{path}");
        }
    }

    #[test]
    fn texts_that_name_a_private_file_are_known() {
        for (text, expected) in [
            (".env", Some(".env")),
            ("env", Some(".env")),
            ("^\\.env$", Some(".env")),
            ("\u{2}ENV\u{2}", Some(".env")),
            ("id_rsa", Some("id_rsa")),
            ("netrc", Some(".netrc")),
            ("\u{2}.json", None),
            ("auth", None),
            ("environment", None),
            ("test", None),
            ("", None),
            (".", None),
        ] {
            assert_eq!(named(text), expected, "{text:?}");
        }
    }

    #[test]
    fn searches_that_find_private_files_are_known() {
        for (path, name, expected) in [
            ("/home/dev", "", Some("/home/dev")),
            ("/home/dev", "\u{2}", Some("/home/dev")),
            ("/home/dev/.config", "\u{2}.json", Some("/home/dev/.config")),
            ("/home/dev", "Auth.json", Some("/home/dev")),
            ("/home/x", "x.db", Some("/home/x")),
            ("/", "", Some(DEV)),
            ("/", "auth.json", Some(DEV)),
            ("/home", "id_\u{2}", Some(DEV)),
            ("/", "\u{2}.pem", Some(DEV)),
            ("/", "nginx.conf", None),
            ("/", "\u{2}.rs", None),
            ("/home/dev", "\u{2}.rs", None),
            ("/home/dev", "README\u{2}", None),
            ("/home/dev", "main\u{2}.py", None),
            ("/home/dev", "id_rsa.rs", None),
            ("/home/dev/project", "auth.json", None),
            ("/etc", "", None),
        ] {
            assert_eq!(searched(path, name, DEV), expected, "{path} {name:?}");
        }
    }

    #[test]
    fn directories_above_private_ones_are_known() {
        for path in [
            "/",
            "/home",
            "/home/dev",
            "/home/dev/",
            "/root",
            "/Users",
            "/home/dev/.config",
            "/home/x/.codex",
            "/Users/x/Library",
            "/Users/x/Library/Application Support",
            "/\u{2}",
            "/home/\u{2}",
            "/home/dev/.config/\u{2}/\u{2}",
        ] {
            assert!(is_above_private(path, DEV), "{path}");
        }
        for path in [
            "/home/dev/project",
            "/home/dev/.config/nvim",
            "/etc",
            "/var/log",
            "/usr",
            "/home/dev/etc",
            "/home/\u{2}/.bashrc",
            "/home/dev/.config/nvim/\u{2}",
            "/home/dev/.local/share/nvim",
        ] {
            assert!(!is_above_private(path, DEV), "{path}");
        }
    }
}
