//! Declared permissions, and whether they cover what an action does.

use super::effects::Touch;
use crate::manifest::{Permission, PermissionType};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Everything that is allowed. A rule that can't be read allows nothing.
#[derive(Debug)]
pub(super) struct Allowed {
    read: GlobSet,
    write: GlobSet,
    network: GlobSet,
    command: GlobSet,
    /// Everything of everything is allowed.
    all: bool,
}

/// Rules that are read of one kind; a longer list is no list that anybody reviewed.
const RULES: usize = 1_000;

pub(super) fn globs<'r>(rules: impl Iterator<Item = &'r str>, path: bool) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for rule in rules.take(RULES) {
        let plain = if path { rule.strip_prefix("./").unwrap_or(rule) } else { rule };
        // A path that climbs can't be compared by its text.
        if path && plain.split('/').any(|part| part == "..") {
            continue;
        }
        if let Ok(glob) = GlobBuilder::new(plain).literal_separator(path).case_insensitive(!path).build() {
            set.add(glob);
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

impl Allowed {
    /// What a list of permissions allows.
    pub(super) fn of(permissions: &[Permission]) -> Self {
        let rules = |kind: PermissionType| {
            permissions.iter().filter(move |p| p.kind == kind).flat_map(|p| p.rules.iter().map(String::as_str))
        };
        let files = |wanted: &'static str, other: &'static str| {
            let rules = rules(PermissionType::FileSystem).filter(move |r| !r.starts_with(other));
            globs(rules.map(move |r| r.strip_prefix(wanted).unwrap_or(r)), true)
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

    /// Whether something is allowed.
    pub(super) fn covers(&self, touch: &Touch) -> bool {
        let path = |set: &GlobSet, path: &Option<String>| path.as_ref().is_some_and(|p| set.is_match(p));
        self.all
            || match touch {
                Touch::Read(target) => path(&self.read, target),
                Touch::Write(target) => path(&self.write, target),
                Touch::Network(host) => host.as_ref().map_or_else(|| self.network.is_match("*"), |h| self.network.is_match(h)),
                Touch::Program(name) => self.command.is_match(name),
                // The program that starts it is a touch of its own; what it does in turn was agreed on with it.
                Touch::Project(_) => !self.command.is_empty(),
                Touch::Anything(_) => false,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(rules: &[(PermissionType, &str)]) -> Allowed {
        let all: Vec<Permission> =
            rules.iter().map(|(kind, rule)| Permission { kind: *kind, rules: vec![(*rule).to_owned()] }).collect();
        Allowed::of(&all)
    }

    #[test]
    fn rules_cover_what_they_name_and_no_more() {
        use PermissionType::{Command, FileSystem, Network};
        let path = |p: &str| Some(p.to_owned());
        let a =
            allowed(&[(FileSystem, "read:src/**"), (FileSystem, "write:./out/*"), (Network, "*.example.com"), (Command, "cat")]);
        assert!(a.covers(&Touch::Read(path("src/a/b.rs"))) && a.covers(&Touch::Write(path("out/a"))));
        assert!(!a.covers(&Touch::Write(path("src/a/b.rs"))) && !a.covers(&Touch::Write(path("out/a/b"))));
        assert!(!a.covers(&Touch::Read(path("/etc/passwd"))) && !a.covers(&Touch::Read(None)));
        assert!(a.covers(&Touch::Network(path("api.example.com"))) && !a.covers(&Touch::Network(path("example.org"))));
        assert!(!a.covers(&Touch::Network(None)));
        assert!(a.covers(&Touch::Program("cat".into())) && !a.covers(&Touch::Program("rm".into())));
        assert!(!a.covers(&Touch::Anything("x".into())));
        let none = Allowed::of(&[]);
        assert!(!none.covers(&Touch::Read(path("a"))) && !none.covers(&Touch::Project("x".into())));
        let climbs = allowed(&[(FileSystem, "src/../../**"), (FileSystem, "[")]);
        assert!(!climbs.covers(&Touch::Read(path("a"))));
        let all = allowed(&[(FileSystem, "**"), (Network, "*"), (Command, "*")]);
        assert!(all.covers(&Touch::Anything("x".into())));
    }
}
