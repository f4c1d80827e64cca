//! Effects of an action on paths: paths outside of the work tree, protected paths, and malformed
//! diffs.
//!
//! A record seldom contains the location of its work tree. An absolute path that may be inside
//! isn't reported. Paths that climb out, are disguised, or lie where no work tree can be are
//! reported.

use governance::ActionType;
use shell_effects::path::PathClass;
use shell_effects::{Analysis, Certainty, Effect, EffectKind, protected};
use std::collections::HashSet;
use std::sync::LazyLock;
use worktree::diff;
use worktree::path::{self, PathFault};

/// Effects of an action's payload on paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathEffects {
    /// Paths that leave the work tree.
    pub leaves: Vec<PathEscape>,
    /// Protected paths that are written or removed.
    pub protected: Vec<String>,
    /// Why the text of a `code_diff` can't be parsed.
    pub malformed: Option<String>,
    /// Nothing is known about a `code_diff` but that it can't be parsed: it names no file.
    pub unreadable: bool,
    /// Paths that are written or removed, wherever they are. Behind a `/`, everything below is
    /// removed or moved as well.
    pub changed: Vec<String>,
    /// Paths inside the work tree that a tool or a command writes.
    pub written: Vec<String>,
    /// Paths that it reads, relative to the work tree where possible, and paths that its diff
    /// names. They are no news in a result.
    pub named: Vec<String>,
    /// The tool or command may have written anything.
    pub opaque: bool,
    /// The action only reads, and finds or lists files: paths in its result are what it found.
    pub lists: bool,
}

/// A path that leaves the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEscape {
    /// Path as the action writes it.
    pub path: String,
    /// Reason why it isn't inside.
    pub why: String,
    /// A reader may misunderstand the path, so a human who approved it may not know its target.
    pub disguised: bool,
}

impl PathEffects {
    /// Returns whether there are no effects.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns an estimate of the bytes that it owns.
    pub(super) fn weight(&self) -> usize {
        let paths = self
            .protected
            .iter()
            .chain(&self.changed)
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

    /// Returns the effects of a diff according to its headers.
    pub(super) fn of_diff(text: Option<&str>) -> Self {
        let Some(text) = text else {
            return Self {
                malformed: Some("the payload contains no diff".to_owned()),
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
                reach.deduplicated()
            }
        }
    }

    fn diff_path(&mut self, name: &str) {
        self.changed.push(name.to_owned());
        match path::entry(name) {
            // No tool that applies diffs accepts such a name, so it is aimed at the reader of the
            // diff.
            Err(fault) => self.leave(name, fault.to_string(), true),
            Ok(()) if name.contains('/') && shell_effects::path::names_home(name) => {
                self.leave(name, "it names a home directory".to_owned(), true);
            }
            Ok(()) => self.write(name, false),
        }
    }

    /// Returns the effects of a tool call or a command. `moved` says that it starts in an unknown
    /// directory.
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
        let is_mv = analysis.tree.iter().any(|step| step.program == "mv");
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
            if writes {
                reach.changed.extend(changed_path(effect, is_mv, tree));
            }
            let reads = matches!(effect.kind, EffectKind::Read | EffectKind::Credential);
            let tool = kind == ActionType::ToolCall;
            let Some(target) = effect
                .target
                .as_deref()
                .filter(|_| writes || (reads && tool))
            else {
                continue;
            };
            if let Some((why, disguised)) = escape_reason(effect, target, tool, writes, moved, tree)
            {
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
        reach.deduplicated()
    }

    /// Returns only the paths that leave the work tree and the protected ones.
    pub(super) fn places(&self) -> Self {
        Self {
            leaves: self.leaves.clone(),
            protected: self.protected.clone(),
            changed: self.changed.clone(),
            ..Self::default()
        }
    }

    /// Adds the effects of other members of a diff's payload. Only the diff's own writes are known
    /// as such.
    pub(super) fn merged_with(mut self, other: Self) -> Self {
        self.leaves.extend(other.leaves);
        self.protected.extend(other.protected);
        self.changed.extend(other.changed);
        self.named.extend(other.named);
        self.deduplicated()
    }

    /// Adds paths that were observed to change.
    pub(super) fn with_observed(mut self, observed: &[String], tree: &WorkTree) -> Self {
        self.changed.extend_from_slice(observed);
        for name in observed {
            if is_plainly_inside(name) {
                self.write(name, false);
                continue;
            }
            let change = observed_write(name, tree);
            if let Some((why, disguised)) = escape_reason(&change, name, true, true, false, tree) {
                self.leave(name, why, disguised);
            } else {
                let place = change.path_info.as_ref();
                let inside = place.and_then(|place| tree.below(&place.absolute));
                self.write(inside.filter(|_| tree.known).unwrap_or(name), false);
            }
        }
        self.deduplicated()
    }

    fn leave(&mut self, path: &str, why: String, disguised: bool) {
        // The home directory is made up and must not appear in findings.
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

    /// Records a written path. `globs` says that a shell expands it.
    fn write(&mut self, path: &str, globs: bool) {
        let plain = crate::trace::action::plain_path(path);
        let expanded = || protected::find_expanded(&plain).is_some();
        if protected::find(&plain).is_some() || globs && expanded() {
            self.protected.push(plain.into_owned());
        }
    }

    /// Removes duplicates.
    fn deduplicated(mut self) -> Self {
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

/// Returns the path that an effect changes, relative to the work tree where possible.
fn changed_path(effect: &Effect, is_mv: bool, tree: &WorkTree) -> Option<String> {
    let place = effect.path_info.as_ref().map(|place| &place.absolute);
    let path = place
        .map(|absolute| tree.below(absolute).unwrap_or(absolute))
        .or(effect.target.as_deref())?;
    let whole = is_mv || effect.kind == EffectKind::Delete;
    let end = if whole && !path.ends_with('/') {
        "/"
    } else {
        ""
    };
    Some(format!("{path}{end}"))
}

/// Returns whether two paths may name the same file. Where the work tree isn't known, an absolute
/// path may lead into it.
pub(super) fn is_same_path(one: &str, other: &str, tree: &WorkTree) -> bool {
    let ends_with = |long: &str, short: &str| {
        let start = long.len().checked_sub(short.len());
        let end = start.and_then(|start| Some((long.get(..start)?, long.get(start..)?)));
        end.is_some_and(|(above, end)| above.ends_with('/') && end.eq_ignore_ascii_case(short))
    };
    let absolute = |path: &str| path.starts_with(['/', '~']);
    one.eq_ignore_ascii_case(other)
        || tree.is_unknown()
            && match (absolute(one), absolute(other)) {
                (true, false) => ends_with(one, other),
                (false, true) => ends_with(other, one),
                _ => false,
            }
}

/// Returns whether a change of a path, as in [`PathEffects::changed`], changes a file.
pub(super) fn is_change_of(path: &str, file: &str, tree: &WorkTree) -> bool {
    let plain = crate::trace::action::plain_path(path);
    let whole = path.ends_with('/').then(|| plain.trim_end_matches('/'));
    let plain = plain.trim_end_matches('/');
    // The file itself, or a folder that contains it.
    let above = file.match_indices('/').filter_map(|(at, _)| file.get(..at));
    let mut names = above
        .filter(|_| whole.is_some())
        .chain([file])
        .filter(|name| !name.is_empty());
    if !plain.contains(['*', '?', '[', '{']) {
        return whole.is_some_and(|all| all.is_empty() || all == ".")
            || names.any(|name| is_same_path(plain, name, tree));
    }
    let glob = globset::GlobBuilder::new(plain)
        .literal_separator(true)
        .case_insensitive(true)
        .build();
    // A pattern that can't be read may match.
    glob.map_or(true, |glob| {
        let glob = glob.compile_matcher();
        names.any(|name| glob.is_match(name))
    })
}

/// Directory in which a command starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StartDirectory {
    /// The root of the work tree.
    Tree,
    /// A directory that may be the work tree under another name.
    Somewhere,
    /// This absolute directory, which can't be the work tree.
    At(String),
}

/// Determines where a command with this `cwd` starts.
pub(super) fn start_directory(cwd: Option<&str>, tree: &WorkTree) -> StartDirectory {
    let Some(cwd) = cwd.filter(|cwd| !matches!(*cwd, "" | "." | "./")) else {
        return StartDirectory::Tree;
    };
    let places = &tree.places;
    let place =
        shell_effects::path::classify(cwd, Some(&places.cwd), &places.workdir, &places.home);
    let absolute = place.absolute;
    if let Some((_, behind)) = absolute
        .split_once("/.git/")
        .or_else(|| Some((absolute.strip_suffix("/.git")?, "")))
    {
        // Git's own directory belongs to the work tree, wherever it lies.
        return StartDirectory::At(
            format!("{}/.git/{behind}", places.workdir)
                .trim_end_matches('/')
                .to_owned(),
        );
    }
    // Directories where images and build servers put work trees.
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
            StartDirectory::At(absolute)
        }
        PathClass::System if built => StartDirectory::Somewhere,
        PathClass::Inside
        | PathClass::Root
        | PathClass::GitInternal
        | PathClass::System
        | PathClass::Sink => StartDirectory::At(absolute),
        PathClass::Home if settings() => StartDirectory::At(absolute),
        PathClass::Outside if absolute == "/" || !cwd.starts_with('/') => {
            StartDirectory::At(absolute)
        }
        PathClass::Temporary | PathClass::Home | PathClass::Outside | PathClass::Unknown => {
            StartDirectory::Somewhere
        }
    }
}

/// Returns why an effect's path leaves the work tree, and whether the path is disguised. Returns
/// `None` if it doesn't leave or may not.
fn escape_reason(
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
    // A shell treats a backslash as an escape; its meaning to a tool depends on the operating
    // system.
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
        // A home directory named by a tilde or a variable isn't the work tree.
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

/// Returns the effect of an observed change.
fn observed_write(name: &str, tree: &WorkTree) -> Effect {
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

/// Returns whether a path is relative and consists only of characters without special meaning on
/// any system. A leading dot may have one.
fn is_plainly_inside(path: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'_' | b'-');
    !path.starts_with(['/', '.']) && !path.contains("/.") && path.bytes().all(plain)
}

/// Directories of the system and of home directories. They can't be a work tree, whatever a session
/// says.
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

/// Location of an execution's work tree.
#[derive(Debug, Clone)]
pub struct WorkTree {
    /// Directories for the analysis; made up where they are unknown.
    pub(super) places: shell_effects::Context<'static>,
    /// Whether absolute paths can be classified as outside.
    known: bool,
}

impl WorkTree {
    /// Returns an unknown work tree: paths are relative to it, and an absolute one may be inside.
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

    /// Creates the work tree of a session's root. A relative root, the root of a file system and
    /// directories of the system are no work trees. Then, as without a root, every absolute path is
    /// outside.
    pub(super) fn at(root: Option<&str>) -> Self {
        let mut tree = Self {
            known: true,
            ..Self::unknown().clone()
        };
        // Nothing is known about paths on a system with drive letters.
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

    /// Returns an absolute path relative to the work tree, if it is inside.
    fn below<'p>(&self, absolute: &'p str) -> Option<&'p str> {
        absolute
            .strip_prefix(self.places.workdir.as_str())?
            .strip_prefix('/')
    }

    /// Returns a path relative to the work tree, if it is known and contains the path.
    pub(super) fn relative<'p>(&self, path: &'p str) -> &'p str {
        self.below(path).filter(|_| self.known).unwrap_or(path)
    }

    /// Returns whether nothing is known about the work tree.
    pub(super) const fn is_unknown(&self) -> bool {
        !self.known
    }
}

/// Returns the home directory that contains a path, by its name.
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

/// Returns the context of an analysis in which only paths relative to a work tree are known.
pub(super) fn places() -> &'static shell_effects::Context<'static> {
    &WorkTree::unknown().places
}

/// Made-up home directory with a name that no record has. Paths in it were named by a tilde or a
/// variable.
const HOME: &str = "/home/~";

/// Returns whether an absolute path lies in the home directory, however that is named.
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
            let tree = WorkTree::unknown();
            let change = observed_write(&path, tree);
            prop_assert_eq!(escape_reason(&change, &path, true, true, false, tree), None);
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
