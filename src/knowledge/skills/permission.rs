//! Declared permissions, and whether they cover an access.

use super::effects::Access;
use crate::manifest::{Permission, PermissionType};
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

/// Everything that permissions allow. An invalid rule allows nothing.
#[derive(Debug)]
pub(super) struct Allowed {
    read: Paths,
    write: Paths,
    network: GlobSet,
    command: GlobSet,
    /// Whether every access is allowed.
    all: bool,
}

impl Allowed {
    /// Compiles a list of permissions.
    pub(super) fn of(permissions: &[Permission]) -> Self {
        let rules = |kind: PermissionType| {
            permissions
                .iter()
                .filter(move |p| p.kind == kind)
                .flat_map(|p| p.rules.iter().map(String::as_str))
        };
        let files = |wanted: &'static str, other: &'static str| {
            let rules = rules(PermissionType::FileSystem).filter(move |r| !r.starts_with(other));
            Paths::of(rules.map(move |r| r.strip_prefix(wanted).unwrap_or(r)))
        };
        let every = |kind, all: &str| rules(kind).any(|r| r == all);
        Self {
            read: files("read:", "write:"),
            write: files("write:", "read:"),
            network: globs(rules(PermissionType::Network), false),
            command: globs(rules(PermissionType::Command), false),
            all: every(PermissionType::FileSystem, "**")
                && every(PermissionType::Network, "*")
                && every(PermissionType::Command, "*"),
        }
    }

    /// Whether an access is allowed.
    pub(super) fn covers(&self, access: &Access) -> bool {
        let path =
            |set: &Paths, path: &Option<String>| path.as_ref().is_some_and(|p| set.is_match(p));
        self.all
            || match access {
                Access::Read(target) => path(&self.read, target),
                Access::Write(target) => path(&self.write, target),
                Access::Network(host) => host
                    .as_ref()
                    .map_or_else(|| self.network.is_match("*"), |h| self.network.is_match(h)),
                Access::Program(name) => self.command.is_match(name),
                // Allowing a program includes what it starts. If the starter is unknown, every
                // program must be allowed.
                Access::Project(_, programs) if programs.is_empty() => self.command.is_match("*"),
                Access::Project(_, programs) => {
                    programs.iter().any(|name| self.command.is_match(name))
                }
                Access::Anything(_) => false,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(rules: &[(PermissionType, &str)]) -> Allowed {
        let all: Vec<Permission> = rules
            .iter()
            .map(|(kind, rule)| Permission {
                kind: *kind,
                rules: vec![(*rule).to_owned()],
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
            a.covers(&Access::Program("cat".into())) && !a.covers(&Access::Program("rm".into()))
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
