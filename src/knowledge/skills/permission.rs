//! Declared permissions, and whether they cover an access.

use super::effects::Access;
use crate::manifest::{Permission, PermissionType, Rules};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use shell_effects::path::normalise;

/// Maximum number of rules of one kind. Nobody reviews a longer list.
const RULES: usize = 1_000;

fn globs<'r>(rules: impl Iterator<Item = &'r str>, path: bool) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for rule in rules.take(RULES) {
        if let Ok(glob) = GlobBuilder::new(rule)
            .literal_separator(path)
            .case_insensitive(!path)
            .build()
        {
            set.add(glob);
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

/// The paths that rules allow.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    /// Globs of paths below the project.
    below: GlobSet,
    /// Globs of absolute paths, from rules that begin with `/`.
    absolute: GlobSet,
    /// Whether `/**` allows every path.
    every: bool,
}

impl Paths {
    /// Compiles the rules. A rule that is invalid or contains `..` allows nothing.
    pub(super) fn of<'r>(rules: impl Iterator<Item = &'r str>) -> Self {
        let rules: Vec<&str> = rules
            .take(RULES)
            .filter(|r| !r.split(['/', '\\']).any(|part| part == ".."))
            .map(unprefixed)
            .collect();
        let (absolute, below): (Vec<&str>, Vec<&str>) =
            rules.iter().partition(|rule| rule.starts_with('/'));
        Self {
            every: absolute.contains(&"/**"),
            below: globs(below.into_iter(), true),
            absolute: globs(absolute.into_iter(), true),
        }
    }

    /// Whether the rules allow a path. The destination decides, not the spelling. An absolute path
    /// needs a rule that begins with `/`. A path that leaves the project or is in a home has an
    /// unknown destination, so only `/**` allows it.
    pub(super) fn is_match(&self, path: &str) -> bool {
        self.every
            || match seen(path) {
                Seen::Below(path) => self.below.is_match(path),
                Seen::Absolute(path) => self.absolute.is_match(path),
                Seen::Elsewhere => false,
            }
    }
}

fn unprefixed(rule: &str) -> &str {
    rule.strip_prefix("./").unwrap_or(rule)
}

/// The destination of a path.
enum Seen {
    /// Below the project, as a relative path.
    Below(String),
    /// An absolute path.
    Absolute(String),
    /// Outside of the project, in a home, on a drive or on another host.
    Elsewhere,
}

fn seen(path: &str) -> Seen {
    // Windows accepts both separators.
    let path = path.replace('\\', "/");
    let drive = path
        .split('/')
        .next()
        .is_some_and(|first| first.len() == 2 && first.ends_with(':'));
    let share = path.starts_with("//");
    if path.starts_with('/') && !share {
        return normalise(&path, None).map_or(Seen::Elsewhere, Seen::Absolute);
    }
    if drive || share || path.starts_with('~') || path.contains('\0') {
        return Seen::Elsewhere;
    }
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if kept.pop().is_none() {
                    return Seen::Elsewhere;
                }
            }
            part => kept.push(part),
        }
    }
    Seen::Below(if kept.is_empty() {
        ".".to_owned()
    } else {
        kept.join("/")
    })
}

/// Rules for programs. A rule of several words matches commands that begin with these words.
#[derive(Debug)]
struct Commands {
    programs: GlobSet,
    lines: Vec<Vec<GlobSet>>,
}

impl Commands {
    fn of<'r>(rules: impl Iterator<Item = &'r str>) -> Self {
        let (lines, programs): (Vec<&str>, Vec<&str>) = rules
            .take(RULES)
            .partition(|rule| rule.split_whitespace().nth(1).is_some());
        let words = |line: &str| {
            line.split_whitespace()
                .map(|word| globs(std::iter::once(word), false))
                .collect()
        };
        Self {
            programs: globs(programs.into_iter(), false),
            lines: lines.into_iter().map(words).collect(),
        }
    }

    fn is_match(&self, program: &str, args: &[String]) -> bool {
        let words = || std::iter::once(program).chain(args.iter().map(String::as_str));
        let begins = |line: &Vec<GlobSet>| {
            line.len() <= args.len() + 1
                && line
                    .iter()
                    .zip(words())
                    .all(|(glob, word)| glob.is_match(word))
        };
        self.programs.is_match(program) || self.lines.iter().any(begins)
    }
}

/// The rules of permissions, by kind of access.
#[derive(Debug)]
struct Lists {
    read: Paths,
    write: Paths,
    network: GlobSet,
    command: Commands,
    /// Whether there are rules of each kind: files, network, commands.
    present: [bool; 3],
    /// Whether the rules match every access.
    all: bool,
}

impl Lists {
    /// Compiles some of the rules of a list of permissions.
    fn of(permissions: &[Permission], chosen: fn(&Rules) -> &[String]) -> Self {
        let rules = |kind: PermissionType| {
            permissions
                .iter()
                .filter(move |p| p.kind == kind)
                .flat_map(move |p| chosen(&p.rules).iter().map(String::as_str))
        };
        let files = |wanted: &'static str, other: &'static str| {
            let rules = rules(PermissionType::FileSystem).filter(move |r| !r.starts_with(other));
            Paths::of(rules.map(move |r| r.strip_prefix(wanted).unwrap_or(r)))
        };
        let every = |kind, all: &str| rules(kind).any(|r| r == all);
        let kinds = [
            PermissionType::FileSystem,
            PermissionType::Network,
            PermissionType::Command,
        ];
        Self {
            read: files("read:", "write:"),
            write: files("write:", "read:"),
            network: globs(rules(PermissionType::Network).map(host), false),
            command: Commands::of(rules(PermissionType::Command)),
            present: kinds.map(|kind| rules(kind).next().is_some()),
            all: every(PermissionType::FileSystem, "**")
                && every(PermissionType::Network, "*")
                && every(PermissionType::Command, "*"),
        }
    }

    /// Whether the rules cover an access for certain.
    fn cover(&self, access: &Access) -> bool {
        let path =
            |set: &Paths, path: &Option<String>| path.as_ref().is_some_and(|p| set.is_match(p));
        self.all
            || match access {
                Access::Read(target) => path(&self.read, target),
                Access::Write(target) => path(&self.write, target),
                Access::Network(host) => host
                    .as_ref()
                    .map_or_else(|| self.network.is_match("*"), |h| self.network.is_match(h)),
                Access::Program(name, args) => self.command.is_match(name, args),
                // Allowing a program includes what it starts. If the starter is unknown, every
                // program must be allowed.
                Access::Project(_, programs) if programs.is_empty() => {
                    self.command.is_match("*", &[])
                }
                Access::Project(_, programs) => {
                    programs.iter().any(|name| self.command.is_match(name, &[]))
                }
                Access::Anything(_) => false,
            }
    }

    /// Whether the rules may be about an access. What isn't known may be what they name.
    fn may_concern(&self, access: &Access) -> bool {
        let [files, network, command] = self.present;
        let path = |set: &Paths, path: &Option<String>| {
            files
                && path
                    .as_ref()
                    .is_none_or(|p| set.is_match(p) || matches!(seen(p), Seen::Elsewhere))
        };
        match access {
            Access::Read(target) => path(&self.read, target),
            Access::Write(target) => path(&self.write, target),
            Access::Network(host) => {
                network && host.as_ref().is_none_or(|h| self.network.is_match(h))
            }
            Access::Program(name, args) => self.command.is_match(name, args),
            Access::Project(_, programs) => {
                command
                    && (programs.is_empty()
                        || programs.iter().any(|name| self.command.is_match(name, &[])))
            }
            Access::Anything(_) => files || network || command,
        }
    }
}

/// Returns the host of a rule for the network, which may be a URL behind a method, as
/// `GET:https://api.example.com/*`.
fn host(rule: &str) -> &str {
    let Some((_, rest)) = rule.split_once("://") else {
        return rule;
    };
    rest.split(['/', ':', '?', '#']).next().unwrap_or(rest)
}

/// Everything that permissions allow. An invalid rule allows nothing.
#[derive(Debug)]
pub(super) struct Allowed {
    allow: Lists,
    deny: Lists,
    /// Whether a rule of `deny` is invalid, so that everything may be denied.
    unclear: bool,
}

impl Allowed {
    /// Compiles a list of permissions.
    pub(super) fn of(permissions: &[Permission]) -> Self {
        let denied = permissions.iter().flat_map(|p| p.rules.deny());
        let is_invalid = |rule: &String| {
            GlobBuilder::new(rule).build().is_err()
                || rule.split(['/', '\\']).any(|part| part == "..")
        };
        let unclear = denied.clone().any(is_invalid) || denied.count() > RULES;
        Self {
            allow: Lists::of(permissions, Rules::allow),
            deny: Lists::of(permissions, Rules::deny),
            unclear,
        }
    }

    /// Whether an access is allowed.
    pub(super) fn covers(&self, access: &Access) -> bool {
        !self.unclear && self.allow.cover(access) && !self.deny.may_concern(access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::AllowDeny;

    fn allowed(rules: &[(PermissionType, &str)]) -> Allowed {
        let all: Vec<Permission> = rules
            .iter()
            .map(|(kind, rule)| Permission {
                kind: *kind,
                rules: Rules::Allow(vec![(*rule).to_owned()]),
            })
            .collect();
        Allowed::of(&all)
    }

    #[test]
    fn rules_cover_what_they_name_and_no_more() {
        use PermissionType::{Command, FileSystem, Network};
        let path = |p: &str| Some(p.to_owned());
        let a = allowed(&[
            (FileSystem, "read:src/**"),
            (FileSystem, "write:./out/*"),
            (Network, "*.example.com"),
            (Command, "cat"),
        ]);
        assert!(
            a.covers(&Access::Read(path("src/a/b.rs"))) && a.covers(&Access::Write(path("out/a")))
        );
        assert!(
            !a.covers(&Access::Write(path("src/a/b.rs")))
                && !a.covers(&Access::Write(path("out/a/b")))
        );
        assert!(!a.covers(&Access::Read(path("/etc/passwd"))) && !a.covers(&Access::Read(None)));
        assert!(
            a.covers(&Access::Network(path("api.example.com")))
                && !a.covers(&Access::Network(path("example.org")))
        );
        assert!(!a.covers(&Access::Network(None)));
        assert!(
            a.covers(&Access::Program("cat".into(), vec![]))
                && !a.covers(&Access::Program("rm".into(), vec![]))
        );
        assert!(!a.covers(&Access::Anything("x".into())));
        let none = Allowed::of(&[]);
        assert!(
            !none.covers(&Access::Read(path("a")))
                && !none.covers(&Access::Project("x".into(), vec!["ls".into()]))
        );
        let climbs = allowed(&[(FileSystem, "src/../../**"), (FileSystem, "[")]);
        assert!(!climbs.covers(&Access::Read(path("a"))));
        let ls = allowed(&[(Command, "ls")]);
        assert!(ls.covers(&Access::Project("x".into(), vec!["ls".into()])));
        for programs in [vec![], vec!["npm".to_owned()]] {
            assert!(!ls.covers(&Access::Project("x".into(), programs)));
        }
        let all = allowed(&[(FileSystem, "**"), (Network, "*"), (Command, "*")]);
        assert!(all.covers(&Access::Anything("x".into())));
    }

    #[test]
    fn what_is_denied_is_not_allowed() {
        use PermissionType::{Command, FileSystem, Network};
        let both = |kind, allow: &str, deny: &str| Permission {
            kind,
            rules: Rules::Both(AllowDeny {
                allow: vec![allow.to_owned()],
                deny: vec![deny.to_owned()],
            }),
        };
        let a = Allowed::of(&[
            both(FileSystem, "**", "write:src/**"),
            both(Network, "*", "*.example.org"),
            both(Command, "*", "rm"),
        ]);
        let path = |p: &str| Some(p.to_owned());
        for allowed in [
            Access::Read(path("src/a")),
            Access::Write(path("out/a")),
            Access::Network(path("example.com")),
            Access::Program("ls".into(), vec![]),
        ] {
            assert!(a.covers(&allowed), "{allowed:?}");
        }
        for denied in [
            Access::Write(path("src/a")),
            Access::Write(None),
            Access::Write(path("../src/a")),
            Access::Network(path("a.example.org")),
            Access::Network(None),
            Access::Program("rm".into(), vec!["-r".into()]),
            Access::Project("x".into(), vec![]),
            Access::Anything("x".into()),
        ] {
            assert!(!a.covers(&denied), "{denied:?}");
        }
        let unclear = Allowed::of(&[both(FileSystem, "**", "src/../a")]);
        assert!(!unclear.covers(&Access::Read(path("b"))));
        let nothing = Allowed::of(&[Permission {
            kind: Command,
            rules: Rules::Both(AllowDeny {
                allow: Vec::new(),
                deny: vec!["rm".to_owned()],
            }),
        }]);
        assert!(!nothing.covers(&Access::Program("ls".into(), vec![])));
    }

    #[test]
    fn rules_of_several_words_match_the_beginning_of_commands() {
        use PermissionType::{Command, Network};
        let a = allowed(&[
            (Command, "git diff"),
            (Network, "GET:https://api.example.com/*"),
        ]);
        let git = |args: &[&str]| {
            Access::Program("git".into(), args.iter().map(|s| (*s).to_owned()).collect())
        };
        assert!(a.covers(&git(&["diff"])) && a.covers(&git(&["diff", "--stat"])));
        for args in [&[][..], &["push"], &["-c", "x", "diff"], &["difftool"]] {
            assert!(!a.covers(&git(args)), "{args:?}");
        }
        assert!(a.covers(&Access::Network(Some("api.example.com".into()))));
        assert!(!a.covers(&Access::Network(Some("example.com".into()))));
    }

    #[test]
    fn only_rules_from_the_root_name_what_lies_outside() {
        use PermissionType::FileSystem;
        let outside = [
            "/etc/passwd",
            "/etc/secret.txt",
            "~/.ssh/x.txt",
            "~root/x.txt",
            "../../x.txt",
            "src/../../etc/x.txt",
            "C:\\x.txt",
            "C:/x.txt",
            "\\\\host\\x.txt",
            "..\\x.txt",
        ];
        let of = |rule: &str| Paths::of(std::iter::once(rule));
        for rule in ["**", "**/*.txt", "./**", "*", "{/etc,src}/**", "src/**"] {
            for path in outside {
                assert!(!of(rule).is_match(path), "{rule} {path}");
            }
        }
        for path in outside.into_iter().chain(["src/a.txt", "."]) {
            assert!(of("/**").is_match(path), "{path}");
            assert!(
                allowed(&[(FileSystem, "read:/**")]).covers(&Access::Read(Some(path.to_owned()))),
                "{path}"
            );
        }
        assert!(
            of("/etc/**").is_match("/etc/passwd") && of("/etc/**").is_match("/etc/../etc//passwd")
        );
        assert!(
            !of("/etc/**").is_match("etc/passwd") && !of("/src/**").is_match("/src/../etc/passwd")
        );
        for path in [
            "src/a.rs",
            "./src/a.rs",
            "src//a.rs",
            "src/../src/a.rs",
            "src\\a.rs",
        ] {
            assert!(
                of("src/**").is_match(path)
                    && of("./src/*").is_match(path)
                    && of("**").is_match(path),
                "{path}"
            );
        }
        assert!(!of("src/**").is_match("src/../b.rs") && !of("/x/../**").is_match("/etc/passwd"));
    }
}
