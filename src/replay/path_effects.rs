//! Where an action reaches: paths that leave the work tree, protected ones, and diffs that are
//! none.
//!
//! A record seldom says where its work tree stands. A path that may well be inside it by an
//! absolute name isn't held against anybody; what climbs out, hides, or lies where no work tree can
//! be is.

use governance::ActionType;
use shell_effects::path::PathClass;
use shell_effects::{Analysis, Certainty, Effect, EffectKind, protected};
use std::collections::HashSet;
use std::sync::LazyLock;
use worktree::diff;
use worktree::path::{self, PathFault};

/// What the payload of an action reaches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathEffects {
    /// Paths that leave the work tree.
    pub leaves: Vec<PathEscape>,
    /// Protected paths that are written or removed.
    pub protected: Vec<String>,
    /// Why a `code_diff` is no diff.
    pub malformed: Option<String>,
    /// Paths inside the work tree that a tool or a command writes.
    pub written: Vec<String>,
    /// Paths that it reads, those inside of the work tree seen from there, and those that its diff
    /// names: a result that leaves them tells nothing new.
    pub named: Vec<String>,
    /// A tool or a command that may have written anything.
    pub opaque: bool,
    /// It only reads, and finds files or lists them: those that its result names are what it found.
    pub lists: bool,
}

/// A path that leaves the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEscape {
    /// As the action writes it.
    pub path: String,
    /// Why it isn't inside.
    pub why: String,
    /// It isn't what it seems to a reader: a human who approved it may not have seen where it
    /// leads.
    pub disguised: bool,
}

impl PathEffects {
    /// Whether there is nothing to say.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Bytes that it holds, roughly.
    pub(super) fn weight(&self) -> usize {
        let paths = self
            .protected
            .iter()
            .chain(&self.written)
            .chain(&self.named);
        let leaving = self
            .leaves
            .iter()
            .map(|leaving| size_of::<PathEscape>() + leaving.path.len() + leaving.why.len());
        size_of::<Self>()
            + leaving.sum::<usize>()
            + paths
                .map(|path| size_of::<String>() + path.len())
                .sum::<usize>()
    }

    /// What a diff reaches by its own headers, where it can be read.
    pub(super) fn of_diff(text: Option<&str>) -> Self {
        let Some(text) = text else {
            return Self {
                malformed: Some("the payload holds no diff".to_owned()),
                ..Self::default()
            };
        };
        match diff::parse(text.as_bytes(), &diff::Limits::default()) {
            Err(error) => Self {
                malformed: Some(error.to_string()),
                ..Self::default()
            },
            Ok(diff) => {
                let mut reach = Self::default();
                for file in &diff.files {
                    reach.diff_path(&file.old);
                    if file.new != file.old {
                        reach.diff_path(&file.new);
                    }
                    reach.named.push(file.new.clone());
                }
                reach.settled()
            }
        }
    }

    fn diff_path(&mut self, name: &str) {
        match path::entry(name) {
            // No tool that applies diffs takes such a name: whoever writes it means the reader of
            // the diff.
            Err(fault) => self.leave(name, fault.to_string(), true),
            Ok(()) if name.contains('/') && shell_effects::path::names_home(name) => {
                self.leave(name, "it names a home directory".to_owned(), true);
            }
            Ok(()) => self.write(name, false),
        }
    }

    /// What a tool call or a command reaches, from its effects. `moved` says that it starts in a
    /// folder of its own.
    pub(super) fn of_effects(
        kind: ActionType,
        analysis: &Analysis,
        moved: bool,
        tree: &WorkTree,
    ) -> Self {
        let (written, opaque) = super::changes::written(analysis, tree);
        let mut reach = Self {
            written,
            opaque,
            ..Self::default()
        };
        for effect in &analysis.effects {
            if effect.kind == EffectKind::Read {
                let path = |place: &shell_effects::path::PathInfo| {
                    tree.below(&place.absolute)
                        .unwrap_or(&place.absolute)
                        .to_owned()
                };
                reach.named.extend(effect.path_info.as_ref().map(path));
            }
            let writes = effect.changes;
            let reads = matches!(effect.kind, EffectKind::Read | EffectKind::Credential);
            let tool = kind == ActionType::ToolCall;
            let Some(target) = effect
                .target
                .as_deref()
                .filter(|_| writes || (reads && tool))
            else {
                continue;
            };
            if let Some((why, disguised)) = leaves(effect, target, tool, writes, moved, tree) {
                reach.leave(target, why, disguised);
            } else if writes {
                let inside = effect
                    .path_info
                    .as_ref()
                    .and_then(|place| tree.below(&place.absolute))
                    .unwrap_or(target);
                reach.write(inside, effect.certainty == Certainty::Possible);
            }
        }
        let lists = || {
            analysis
                .tree
                .iter()
                .any(|step| shell_effects::is_listing(&step.program))
        };
        let asks_git = || {
            analysis
                .effects
                .iter()
                .any(|effect| effect.kind == EffectKind::GitRead)
        };
        reach.lists = analysis.risk == shell_effects::RiskLevel::Low && (lists() || asks_git());
        reach.settled()
    }

    /// Only what leaves the work tree and what is protected.
    pub(super) fn places(&self) -> Self {
        Self {
            leaves: self.leaves.clone(),
            protected: self.protected.clone(),
            ..Self::default()
        }
    }

    /// The same with where something beside a diff reaches. What the diff writes is known; that
    /// isn't.
    pub(super) fn and_beside(mut self, other: Self) -> Self {
        self.leaves.extend(other.leaves);
        self.protected.extend(other.protected);
        self.named.extend(other.named);
        self.settled()
    }

    /// The same with what was seen to change.
    pub(super) fn observing(mut self, observed: &[String], tree: &WorkTree) -> Self {
        for name in observed {
            if is_plainly_inside(name) {
                self.write(name, false);
                continue;
            }
            let change = seen(name, tree);
            if let Some((why, disguised)) = leaves(&change, name, true, true, false, tree) {
                self.leave(name, why, disguised);
            } else {
                let place = change.path_info.as_ref();
                let inside = place.and_then(|place| tree.below(&place.absolute));
                self.write(inside.filter(|_| tree.known).unwrap_or(name), false);
            }
        }
        self.settled()
    }

    fn leave(&mut self, path: &str, why: String, disguised: bool) {
        // The home directory is made up; nobody shall look for it in the record.
        let path = match path.strip_prefix(HOME).filter(|rest| rest.starts_with('/')) {
            Some(rest) => format!("~{rest}"),
            None => path.to_owned(),
        };
        self.leaves.push(PathEscape {
            path,
            why,
            disguised,
        });
    }

    /// A path is written; `globs` says that it is one that a shell expands.
    fn write(&mut self, path: &str, globs: bool) {
        let plain = crate::trace::action::plain_path(path);
        let expanded = || protected::find_expanded(&plain).is_some();
        if protected::find(&plain).is_some() || globs && expanded() {
            self.protected.push(plain.into_owned());
        }
    }

    /// Each path once.
    fn settled(mut self) -> Self {
        if self.leaves.len() + self.protected.len() < 2 {
            return self;
        }
        let mut met = HashSet::new();
        self.leaves.retain(|l| met.insert(l.path.clone()));
        met.clear();
        self.protected.retain(|p| met.insert(p.clone()));
        self
    }
}

/// Where a command starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// At the root of the work tree.
    Tree,
    /// In a folder that may well be the work tree by its own name.
    Somewhere,
    /// In this folder, absolute, where it is known what lies there.
    At(String),
}

/// Where a command starts that says this of it.
pub(super) fn start(cwd: Option<&str>, tree: &WorkTree) -> Start {
    let Some(cwd) = cwd.filter(|cwd| !matches!(*cwd, "" | "." | "./")) else {
        return Start::Tree;
    };
    let places = &tree.places;
    let place =
        shell_effects::path::classify(cwd, Some(&places.cwd), &places.workdir, &places.home);
    let absolute = place.absolute;
    if let Some((_, behind)) = absolute
        .split_once("/.git/")
        .or_else(|| Some((absolute.strip_suffix("/.git")?, "")))
    {
        // Git's own folder is that of the work tree, wherever it lies.
        return Start::At(
            format!("{}/.git/{behind}", places.workdir)
                .trim_end_matches('/')
                .to_owned(),
        );
    }
    // Where images and build servers put work trees.
    let built = [
        "/usr/src/",
        "/usr/local/src/",
        "/opt/",
        "/var/www/",
        "/var/lib/jenkins/",
    ]
    .into_iter()
    .any(|at| absolute.starts_with(at));
    let settings = || {
        place.secret
            || absolute == places.home
            || absolute.split('/').any(|part| part.starts_with('.'))
    };
    match place.class {
        PathClass::Temporary | PathClass::Home | PathClass::Outside | PathClass::System
            if tree.known =>
        {
            Start::At(absolute)
        }
        PathClass::System if built => Start::Somewhere,
        PathClass::Inside
        | PathClass::Root
        | PathClass::GitInternal
        | PathClass::System
        | PathClass::Sink => Start::At(absolute),
        PathClass::Home if settings() => Start::At(absolute),
        PathClass::Outside if absolute == "/" || !cwd.starts_with('/') => Start::At(absolute),
        PathClass::Temporary | PathClass::Home | PathClass::Outside | PathClass::Unknown => {
            Start::Somewhere
        }
    }
}

/// Why an effect's path leaves the work tree, and whether that hides; `None` when it doesn't or may
/// not.
fn leaves(
    effect: &Effect,
    target: &str,
    tool: bool,
    writes: bool,
    moved: bool,
    tree: &WorkTree,
) -> Option<(String, bool)> {
    match path::parts(target) {
        Err(PathFault::GitFolder(part)) if part != ".git" && writes => {
            return Some((PathFault::GitFolder(part).to_string(), true));
        }
        Err(fault @ PathFault::Stream(_)) if tool && writes => {
            return Some((fault.to_string(), true));
        }
        _ => {}
    }
    // A shell takes a backslash for itself; what a tool does with it depends on the system that it
    // runs on.
    if tool
        && target.contains('\\')
        && let Err(fault @ (PathFault::Climbs | PathFault::Share)) = path::relative(target)
    {
        return Some((fault.to_string(), true));
    }
    let place = effect.path_info.as_ref()?;
    let absolute = place.absolute.as_str();
    let written_out = target.starts_with(['/', '~']);
    let why = match place.class {
        PathClass::Sink
        | PathClass::Inside
        | PathClass::Root
        | PathClass::Temporary
        | PathClass::GitInternal
        | PathClass::Unknown => return None,
        _ if !written_out
            && path::relative(shell_effects::path::strip_tree_variable(target))
                == Err(PathFault::Climbs) =>
        {
            if moved {
                return None;
            }
            PathFault::Climbs.to_string()
        }
        PathClass::System => "it lies in a system directory".to_owned(),
        PathClass::Home if absolute.split('/').any(|part| part.starts_with('.')) => {
            "it lies among the settings of a home directory".to_owned()
        }
        // Where the home directory is named by a tilde or a variable, it is no name of the work
        // tree.
        PathClass::Home if shell_effects::path::names_home(target) || is_home(absolute) => {
            "it lies in a home directory".to_owned()
        }
        PathClass::Outside if absolute == "/" => "it is the root of the file system".to_owned(),
        PathClass::Home | PathClass::Outside if tree.known => {
            "it lies outside of the work tree".to_owned()
        }
        PathClass::Home | PathClass::Outside => return None,
    };
    Some((why, false))
}

/// What it means that a file was seen to change.
fn seen(name: &str, tree: &WorkTree) -> Effect {
    let places = &tree.places;
    Effect {
        kind: EffectKind::Write,
        target: Some(name.to_owned()),
        certainty: Certainty::Certain,
        span: shell_effects::Span::default(),
        risk: shell_effects::RiskLevel::High,
        why: "was seen to change".into(),
        path_info: Some(shell_effects::path::classify(
            name,
            Some(&places.cwd),
            &places.workdir,
            &places.home,
        )),
        changes: true,
    }
}

/// Whether a path is relative, and of nothing but letters, digits and signs that mean nothing to
/// any system. What begins with a dot may.
fn is_plainly_inside(path: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'_' | b'-');
    !path.starts_with(['/', '.']) && !path.contains("/.") && path.bytes().all(plain)
}

/// Directories that hold home directories or the system: no work tree, whatever a session says.
const NO_ROOTS: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/private",
    "/private/etc",
    "/private/var",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/Users",
    "/var",
];

/// Where the work tree of an execution stands.
#[derive(Debug, Clone)]
pub struct WorkTree {
    /// Its places. Made up where nothing is known of them.
    pub(super) places: shell_effects::Context<'static>,
    /// Whether an absolute path can be told to be outside.
    known: bool,
}

impl WorkTree {
    /// A work tree of which nothing is known: paths are relative to it, and an absolute one may
    /// well be inside.
    pub(super) fn unknown() -> &'static Self {
        static TREE: LazyLock<WorkTree> = LazyLock::new(|| WorkTree {
            places: shell_effects::Context {
                home: HOME.to_owned(),
                ..shell_effects::Context::new(table())
            },
            known: false,
        });
        &TREE
    }

    /// The work tree with this root, as a session names it. The root of a file system, what holds
    /// home directories or the system, and a relative path are none, and then every absolute path
    /// is outside, as it is where no root is named.
    pub(super) fn at(root: Option<&str>) -> Self {
        let mut tree = Self {
            known: true,
            ..Self::unknown().clone()
        };
        // A system with drive letters: nothing is known of such paths.
        let has_drive = |root: &str| {
            let mut bytes = root.bytes();
            bytes.next().is_some_and(|b| b.is_ascii_alphabetic()) && bytes.next() == Some(b':')
        };
        if root.is_some_and(|root| has_drive(root) || root.starts_with("\\\\")) {
            return Self::unknown().clone();
        }
        let root = root.unwrap_or_default().trim_end_matches('/');
        if !root.starts_with('/') || NO_ROOTS.contains(&root) {
            return tree;
        }
        let places = &mut tree.places;
        home_above(root)
            .unwrap_or(HOME)
            .clone_into(&mut places.home);
        root.clone_into(&mut places.workdir);
        root.clone_into(&mut places.cwd);
        tree
    }

    /// An absolute path as one below the work tree, if it is there.
    fn below<'p>(&self, absolute: &'p str) -> Option<&'p str> {
        absolute
            .strip_prefix(self.places.workdir.as_str())?
            .strip_prefix('/')
    }

    /// Whether it is the tree of which nothing is known.
    pub(super) const fn is_unknown(&self) -> bool {
        !self.known
    }
}

/// The home directory that a path lies in, by its name.
fn home_above(path: &str) -> Option<&str> {
    if path == "/root" || path.starts_with("/root/") {
        return Some("/root");
    }
    let name = path
        .strip_prefix("/home/")
        .or_else(|| path.strip_prefix("/Users/"))?;
    let behind = name.find('/').map_or(0, |at| name.len() - at);
    path.get(..path.len() - behind)
}

fn table() -> &'static shell_effects::Table {
    static TABLE: LazyLock<shell_effects::Table> = LazyLock::new(shell_effects::Table::builtin);
    &TABLE
}

/// The context in which a record's actions are looked at where nothing is known but that paths are
/// relative to a work tree.
pub(super) fn places() -> &'static shell_effects::Context<'static> {
    &WorkTree::unknown().places
}

/// The home directory, under a name that no record has: what lies in it was named by a tilde or a
/// variable.
const HOME: &str = "/home/~";

/// Whether an absolute path lies in the home directory, however that was named.
fn is_home(absolute: &str) -> bool {
    absolute
        .strip_prefix(HOME)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_plainly_inside_does_not_leave(path in "[a-zA-Z0-9._/-]{0,24}") {
            prop_assume!(is_plainly_inside(&path));
            prop_assert_eq!(leaves(&seen(&path, WorkTree::unknown()), &path, true, true, false, WorkTree::unknown()), None);
        }
    }

    fn shell(line: &str) -> PathEffects {
        PathEffects::of_effects(
            ActionType::ShellCmd,
            &shell_effects::analyse(line, places()),
            false,
            WorkTree::unknown(),
        )
    }

    fn tool(name: &str, parameters: &serde_json::Value) -> PathEffects {
        PathEffects::of_effects(
            ActionType::ToolCall,
            &shell_effects::effects_of_tool(name, parameters, places()),
            false,
            WorkTree::unknown(),
        )
    }

    fn paths(reach: &PathEffects) -> Vec<&str> {
        reach.leaves.iter().map(|l| l.path.as_str()).collect()
    }

    #[test]
    fn what_climbs_or_lies_where_no_work_tree_is_leaves() {
        assert_eq!(
            paths(&shell("echo x > ../../etc/cron.d/x")),
            ["../../etc/cron.d/x"]
        );
        assert_eq!(paths(&shell("echo x >> /etc/hosts")), ["/etc/hosts"]);
        assert_eq!(
            paths(&shell("cp k ~/.ssh/authorized_keys")),
            ["~/.ssh/authorized_keys"]
        );
        assert_eq!(
            paths(&shell("echo x > .GIT/hooks/pre-commit")),
            [".GIT/hooks/pre-commit"]
        );
        assert_eq!(
            paths(&tool(
                "write_file",
                &serde_json::json!({"path": "..\\..\\x", "content": "y"})
            )),
            ["../../x"]
        );
        assert_eq!(
            paths(&tool(
                "read_file",
                &serde_json::json!({"path": "/etc/passwd"})
            )),
            ["/etc/passwd"]
        );
        let diff = PathEffects::of_diff(Some("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n"));
        assert_eq!(paths(&diff), ["../x"]);
    }

    fn is_harmless(reach: &PathEffects) -> bool {
        reach.leaves.is_empty() && reach.protected.is_empty() && reach.malformed.is_none()
    }

    #[test]
    fn what_may_be_inside_is_left_alone() {
        for line in [
            "echo x > src/a.rs",
            "cd src && echo x > ../a.rs",
            "make > /tmp/log 2>&1",
            "echo x > /dev/null",
            "cat /etc/os-release",
            "echo x > /home/alice/app/src/a.rs",
            "cd /workspace/app && echo x > a.rs",
            "ls ..",
        ] {
            assert!(is_harmless(&shell(line)), "{line}: {:?}", shell(line));
        }
        let climbing = PathEffects::of_effects(
            ActionType::ShellCmd,
            &shell_effects::analyse("echo x > ../a", places()),
            true,
            WorkTree::unknown(),
        );
        assert!(is_harmless(&climbing));
        assert!(is_harmless(&tool(
            "write_file",
            &serde_json::json!({"path": "/workspace/app/a.rs", "content": "rm -rf /"})
        )));
        assert!(is_harmless(&tool(
            "write_file",
            &serde_json::json!({"path": "C:\\work\\a.rs", "content": "y"})
        )));
    }

    #[test]
    fn protected_names_are_known_wherever_they_stand() {
        assert_eq!(
            shell("echo x > .git/hooks/pre-commit").protected,
            [".git/hooks/pre-commit"]
        );
        assert_eq!(shell("rm ./Cargo.lock").protected, ["Cargo.lock"]);
        assert_eq!(
            shell("cp x .g?thub/workflows/ci.yml").protected,
            [".g?thub/workflows/ci.yml"]
        );
        assert!(
            shell("cp x '.g?thub/workflows/ci.yml'")
                .protected
                .is_empty()
        );
        assert!(shell("cat .env").protected.is_empty());
    }
}
