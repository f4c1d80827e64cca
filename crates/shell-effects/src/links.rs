//! Symbolic links of a work tree, for paths that lead through them.

use super::path::normalise;
use std::collections::BTreeMap;

/// Links that are followed for one path; Linux follows as many (`path_resolution(7)`).
const MOST: usize = 40;

/// The symbolic links of a tree: where each of them leads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links(BTreeMap<String, String>);

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Followed {
    /// No link is on the way.
    Same,
    /// Somewhere else.
    To(String),
    /// Round in circles.
    Nowhere,
}

impl Links {
    /// Adds a link that comes to be while a line runs.
    pub(super) fn add(&mut self, link: String, target: &str) {
        self.0.extend(Self::new([(link, target.to_owned())]).0);
    }

    /// Links by their absolute paths, with their targets as the links hold them: a relative one
    /// starts where the link stands.
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

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Walks a path part by part, as the system does: a `..` behind a link leaves the folder that
    /// the link leads to.
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
