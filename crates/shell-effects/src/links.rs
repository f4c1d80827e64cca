//! Symbolic links of a work tree, for resolving paths.

use super::path::normalise;
use std::collections::BTreeMap;

/// Maximum number of links in one path, as in Linux (`path_resolution(7)`).
const MOST: usize = 40;

/// The symbolic links of a tree with their targets, as absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links(BTreeMap<String, String>);

/// The result of resolving a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Followed {
    /// The path contains no link.
    Same,
    To(String),
    /// The links form a cycle, or there are too many.
    Nowhere,
}

impl Links {
    /// Adds a link that the line creates.
    pub(super) fn add(&mut self, link: String, target: &str) {
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
    pub(super) fn follow(&self, path: &str, cwd: Option<&str>) -> Followed {
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
                        if hops > MOST {
                            return Followed::Nowhere;
                        }
                        here.clear();
                        ahead.extend(target.rsplit('/'));
                    }
                }
            }
        }
        match hops {
            0 => Followed::Same,
            _ if here.is_empty() => Followed::To("/".to_owned()),
            _ => Followed::To(here),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_wherever_they_stand() {
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
        let to = |path: &str| Followed::To(path.to_owned());
        let follow = |path: &str| links.follow(path, Some("/w/a"));
        assert_eq!(follow("/w/b/c"), Followed::Same);
        assert_eq!(follow("up"), to("/x"));
        assert_eq!(follow("up/../y"), to("/y"), "not /w/a/y");
        assert_eq!(follow("up/../../.."), to("/"));
        assert_eq!(follow("/w/outer"), Followed::Same);
        assert_eq!(follow("/w/out/passwd"), to("/etc/passwd"));
        assert_eq!(follow("/w/out"), to("/etc"));
        assert_eq!(follow("/w/again/passwd"), to("/etc/passwd"));
        assert_eq!(follow("/w/a/up/y"), to("/x/y"));
        assert_eq!(follow("/w/src/main.rs"), to("/w/lib/main.rs"));
        assert_eq!(follow("/w/loop"), Followed::Nowhere);
        assert!(Links::default().is_empty());
    }
}
