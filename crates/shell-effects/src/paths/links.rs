//! Symbolic links of a work tree, for resolving paths.

use super::path::normalise;
use std::collections::BTreeMap;

/// Maximum number of links in one path, as in Linux (`path_resolution(7)`).
const MAX_LINKS: usize = 40;

/// The symbolic links of a tree with their targets, as absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links(BTreeMap<String, String>);

/// The result of resolving a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// The path contains no link.
    Unchanged,
    Target(String),
    /// The links form a cycle, or there are too many.
    Unresolvable,
}

impl Links {
    /// Adds a link that the line creates.
    pub(crate) fn add(&mut self, link: String, target: &str) {
        self.0.extend(Self::new([(link, target.to_owned())]).0);
    }

    /// Creates links from their absolute paths and stored targets. A relative target is resolved
    /// from the link's directory.
    #[must_use]
    pub fn new(links: impl IntoIterator<Item = (String, String)>) -> Self {
        let absolute = |(link, target): (String, String)| {
            let link = normalise(&link, None)?;
            let folder = link.rsplit_once('/').map_or("", |(folder, _)| folder);
            let target = if target.starts_with('/') {
                target
            } else {
                format!("{folder}/{target}")
            };
            Some((link, target))
        };
        Self(links.into_iter().filter_map(absolute).collect())
    }

    /// Returns whether there are no links.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Resolves a path name by name, as the system does: a `..` after a link leaves the link's
    /// target.
    pub(crate) fn resolve(&self, path: &str, cwd: Option<&str>) -> Resolution {
        let base = if path.starts_with('/') {
            ""
        } else {
            cwd.unwrap_or_default()
        };
        let mut ahead: Vec<&str> = path.rsplit('/').chain(base.rsplit('/')).collect();
        let mut here = String::with_capacity(base.len() + path.len());
        let mut hops = 0;
        while let Some(part) = ahead.pop() {
            match part {
                "" | "." => {}
                ".." => here.truncate(here.rfind('/').unwrap_or_default()),
                part => {
                    here.push('/');
                    here.push_str(part);
                    if let Some(target) = self.0.get(&here) {
                        hops += 1;
                        if hops > MAX_LINKS {
                            return Resolution::Unresolvable;
                        }
                        here.clear();
                        ahead.extend(target.rsplit('/'));
                    }
                }
            }
        }
        match hops {
            0 => Resolution::Unchanged,
            _ if here.is_empty() => Resolution::Target("/".to_owned()),
            _ => Resolution::Target(here),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_anywhere_in_a_path_are_resolved() {
        let links = Links::new(
            [
                ("/w/out", "/etc"),
                ("/w/a/up", "../../x"),
                ("/w/again", "out"),
                ("/w/loop", "loop/x"),
                ("/w/src/", "lib"),
            ]
            .map(|(link, target)| (link.to_owned(), target.to_owned())),
        );
        let to = |path: &str| Resolution::Target(path.to_owned());
        let resolve = |path: &str| links.resolve(path, Some("/w/a"));
        assert_eq!(resolve("/w/b/c"), Resolution::Unchanged);
        assert_eq!(resolve("up"), to("/x"));
        assert_eq!(resolve("up/../y"), to("/y"), "not /w/a/y");
        assert_eq!(resolve("up/../../.."), to("/"));
        assert_eq!(resolve("/w/outer"), Resolution::Unchanged);
        assert_eq!(resolve("/w/out/passwd"), to("/etc/passwd"));
        assert_eq!(resolve("/w/out"), to("/etc"));
        assert_eq!(resolve("/w/again/passwd"), to("/etc/passwd"));
        assert_eq!(resolve("/w/a/up/y"), to("/x/y"));
        assert_eq!(resolve("/w/src/main.rs"), to("/w/lib/main.rs"));
        assert_eq!(resolve("/w/loop"), Resolution::Unresolvable);
        assert!(Links::default().is_empty());
    }
}
