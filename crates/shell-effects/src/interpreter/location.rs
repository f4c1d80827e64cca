//! Where the line runs, and what its paths name there.

use crate::Context;
use crate::paths::links::{Links, Resolution};
use crate::paths::path::{self, PathClass, PathInfo};
use std::borrow::Cow;

/// The machine that a command runs on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Machine {
    remote: bool,
    /// Whether the other machine is a container on this one.
    container: bool,
}

impl Machine {
    /// The machine of the line itself.
    pub(crate) fn is_local(self) -> bool {
        !self.remote && !self.container
    }

    /// Whether paths are on another machine.
    pub(crate) fn is_remote(self) -> bool {
        self.remote
    }

    pub(crate) fn is_container(self) -> bool {
        self.container
    }

    /// The machine that a program starts commands on.
    pub(crate) fn started_by(self, runs_containers: bool) -> Self {
        Self {
            remote: true,
            container: runs_containers && (self.container || !self.remote),
        }
    }
}

/// Where the line runs.
pub(crate) struct Location<'a> {
    pub(super) machine: Machine,
    /// Whether paths are names in a diff, to which no shell expansion applies.
    as_written: bool,
    /// Links of the work tree, and those that the line creates.
    links: Cow<'a, Links>,
}

impl<'a> Location<'a> {
    pub(super) fn new(links: &'a Links, as_written: bool) -> Self {
        Self {
            machine: Machine::default(),
            as_written,
            links: Cow::Borrowed(links),
        }
    }

    /// Records a link that the line creates.
    pub(super) fn add_link(&mut self, link: String, target: &str) {
        self.links.to_mut().add(link, target);
    }

    /// Classifies a path, resolved against the current directory `cwd`.
    pub(super) fn classify(&self, text: &str, cwd: Option<&str>, ctx: &Context<'_>) -> PathInfo {
        if self.machine.is_remote() {
            let mut info = path::classify(text, Some("/"), "/home/dev/project", "/root");
            if !matches!(info.class, PathClass::Sink | PathClass::Unknown) {
                info.class = PathClass::Outside;
            }
            return info;
        }
        let classify = if self.as_written {
            path::classify_as_written
        } else {
            path::classify
        };
        let info = classify(text, cwd, &ctx.workdir, &ctx.home);
        if self.links.is_empty() {
            return info;
        }
        // `classify` has expanded a tilde; other paths are resolved as written.
        let (path, cwd) = if text.starts_with('~') {
            (info.absolute.as_str(), None)
        } else {
            (text, cwd)
        };
        match self.links.resolve(path, cwd) {
            Resolution::Unchanged => info,
            Resolution::Target(place) => {
                let there = path::classify(&place, None, &ctx.workdir, &ctx.home);
                PathInfo {
                    secret: there.secret || info.secret,
                    ..there
                }
            }
            Resolution::Unresolvable => PathInfo {
                class: PathClass::Unknown,
                ..info
            },
        }
    }
}
