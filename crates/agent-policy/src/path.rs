//! Paths that an action touches, and globs over them.
//!
//! A glob without a slash matches a name in any directory. A glob with a slash is relative to the
//! work tree, with a leading `/` to the root, with `~/` to the home directory. A trailing slash
//! means a directory and everything below. `*` and `?` stay within a name, `**` crosses
//! directories.

use super::effect::Tristate;
use super::pattern::{letter, number, wildcard};
use globset::{GlobBuilder, GlobMatcher};
use shell_effects::Effect as ShellEffect;
use shell_effects::chars::{any_byte, has_unknown};
use shell_effects::path::{PathClass, normalise};
use shell_effects::{EffectKind, RiskLevel};
use std::fmt;

/// How a path is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Its contents or its name are read.
    Read,
    /// It is created or changed.
    Write,
    /// It is removed.
    Delete,
}

impl Access {
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Delete];

    /// The name in policies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

/// A path that an action touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TouchedPath<'a> {
    /// The path as the action writes it.
    pub shown: &'a str,
    /// The absolute, normalised path; `None` if it is unknown.
    pub absolute: Option<&'a str>,
    pub facts: PathFacts,
}

/// Facts about a path, computed once for all rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathFacts {
    pub access: Access,
    /// Whether it is inside the work tree.
    pub inside: Tristate,
    /// Whether the absolute path is known.
    known: bool,
    /// Whether it contains an unexpanded `*` or `?`.
    wild: bool,
    /// Whether the action affects everything below, too.
    tree: bool,
    /// Whether an unexpanded `*` also matches names that begin with a dot.
    dots: bool,
    /// The first and last bytes of the names in the path.
    edges: Edges,
}

/// The first and last bytes of the names in a path, in lower case. They exclude nearly all pairs of
/// a glob and a path without running the glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Edges {
    begins: u64,
    ends: u64,
    /// The last two bytes: names often end in a number.
    tails: u64,
    /// Excludes nothing: text that isn't ASCII may fold to ASCII.
    open: bool,
}

impl Edges {
    fn from_path(path: &str) -> Self {
        let mut edges = Self {
            open: !path.is_ascii(),
            ..Self::default()
        };
        let (mut last_but_one, mut last) = (b'/', b'/');
        for byte in path.bytes() {
            if byte == b'/' {
                edges.end(last_but_one, last);
            } else if last == b'/' {
                edges.begins |= letter(byte);
            }
            (last_but_one, last) = (last, byte);
        }
        edges.end(last_but_one, last);
        edges
    }

    /// Adds the end of a name; after a slash there is none.
    fn end(&mut self, last_but_one: u8, last: u8) {
        if last != b'/' {
            self.ends |= letter(last);
            self.tails |= tail(last_but_one, last);
        }
    }

    /// The requirements of a glob, from its literal prefix and suffix. Of a prefix with several
    /// names, the last one is the most selective.
    fn from_glob((begins, ends): &(String, String)) -> Self {
        let bit = |byte: Option<u8>| byte.map_or(0, letter);
        let name = begins.rsplit('/').next().unwrap_or_default();
        let mut last = ends.bytes().rev();
        let (end, before) = (last.next(), last.next());
        let tails = before.zip(end).map_or(0, |(one, end)| tail(one, end));
        Self {
            begins: bit(name.bytes().next()),
            ends: bit(end),
            tails,
            open: false,
        }
    }

    /// Whether one of the names may match the glob.
    pub(super) const fn admit(self, glob: Self) -> bool {
        self.open
            || (glob.begins & !self.begins) | (glob.ends & !self.ends) | (glob.tails & !self.tails)
                == 0
    }

    /// Excludes nothing.
    pub(super) const OPEN: Self = Self {
        begins: 0,
        ends: 0,
        tails: 0,
        open: true,
    };

    /// The bytes of both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            begins: self.begins | other.begins,
            ends: self.ends | other.ends,
            tails: self.tails | other.tails,
            open: self.open || other.open,
        }
    }
}

/// The bit of the last two bytes of a name.
const fn tail(one: u8, end: u8) -> u64 {
    letter(end).rotate_left(number(one) * 7)
}

impl PathFacts {
    /// The facts about the path of an effect; `None` if it has no path. `folders`: a moved path may
    /// be a directory, which it never is in a diff.
    pub fn new(effect: &ShellEffect, dots: bool, folders: bool) -> Option<Self> {
        let access = match effect.kind {
            EffectKind::Read | EffectKind::Credential => Access::Read,
            EffectKind::Write | EffectKind::System => Access::Write,
            EffectKind::Delete => Access::Delete,
            _ => return None,
        };
        // An effect without a place comes from a name that says what it does, not to what.
        if effect.target.is_none() && access == Access::Read && effect.risk == RiskLevel::Low {
            return None;
        }
        let known = effect
            .path_info
            .as_ref()
            .filter(|p| p.class != PathClass::Unknown && !has_unknown(&p.absolute));
        let inside = match known.map(|p| p.class) {
            None | Some(PathClass::Unknown) => Tristate::Maybe,
            Some(PathClass::Inside | PathClass::Root | PathClass::GitInternal) => Tristate::Yes,
            Some(
                PathClass::Sink
                | PathClass::Temporary
                | PathClass::Home
                | PathClass::Outside
                | PathClass::System,
            ) => Tristate::No,
        };
        Some(Self {
            access,
            inside,
            known: known.is_some(),
            wild: effect
                .target
                .as_ref()
                .is_some_and(|shown| any_byte(shown, |byte| matches!(byte, b'*' | b'?'))),
            tree: access == Access::Delete && effect.risk == RiskLevel::High
                || folders && access == Access::Write && effect.why.starts_with("moves away"),
            dots,
            edges: known
                .map(|p| Edges::from_path(&p.absolute))
                .unwrap_or_default(),
        })
    }

    /// The bytes that a glob must require so that it may match.
    pub(super) const fn edges(&self) -> Edges {
        if self.known && !self.wild && !self.tree {
            self.edges
        } else {
            Edges::OPEN
        }
    }

    /// Whether the path contains an unexpanded `*` or `?`.
    pub(super) const fn is_wild(&self) -> bool {
        self.wild
    }

    /// Whether the action affects everything below, too.
    pub(super) const fn is_tree(&self) -> bool {
        self.tree
    }

    /// Adds the path of the effect.
    pub(super) fn place(self, effect: &ShellEffect) -> TouchedPath<'_> {
        TouchedPath {
            shown: effect.target.as_deref().unwrap_or_default(),
            absolute: effect
                .path_info
                .as_ref()
                .filter(|_| self.known)
                .map(|p| p.absolute.as_str()),
            facts: self,
        }
    }
}

/// A compiled glob over paths.
#[derive(Clone)]
pub(crate) struct PathGlob {
    /// The glob as written.
    text: String,
    /// The components of the glob.
    parts: Vec<String>,
    by_name: bool,
    /// A name glob whose only wildcard is `*`. Most are, and they need no automaton.
    simple: Option<String>,
    folder: bool,
    /// Case-sensitive for rules that allow, case-insensitive for others.
    exact: GlobMatcher,
    blind: GlobMatcher,
    /// The literal prefix and suffix of all matches, which exclude most candidates.
    ends: (String, String),
    /// The bytes of `ends`.
    edges: Edges,
}

/// Why a glob can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GlobError {
    #[error("an empty glob matches nothing")]
    Empty,
    #[error("not a glob: {0}")]
    Syntax(String),
}

/// What the glob is made of, without its automata: conditions are compared by this.
impl fmt::Debug for PathGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PathGlob({:?}, {:?})", self.text, self.parts)
    }
}

impl PathGlob {
    /// Compiles a glob; `workdir` and `home` are absolute.
    pub(crate) fn new(text: &str, workdir: &str, home: &str) -> Result<Self, GlobError> {
        let folder = text.ends_with('/');
        let body = text.trim_end_matches('/');
        let body = body.strip_prefix("./").unwrap_or(body);
        if body.is_empty() && text != "/" {
            return Err(GlobError::Empty);
        }
        let by_name = !body.contains('/') && !text.starts_with('/') && body != "**" && body != "~";
        let full = if by_name {
            body.to_owned()
        } else if let Some(rest) = body.strip_prefix('~') {
            format!("{}{rest}", literal(home))
        } else if text.starts_with('/') {
            body.to_owned()
        } else {
            format!("{}/{body}", literal(workdir))
        };
        let full = if by_name {
            full
        } else {
            normalise(&full, None).ok_or(GlobError::Empty)?
        };
        let build = |blind: bool| {
            GlobBuilder::new(&full)
                .literal_separator(true)
                .case_insensitive(blind)
                .build()
                .map(|g| g.compile_matcher())
                .map_err(|e| GlobError::Syntax(e.kind().to_string()))
        };
        let parts = full
            .split('/')
            .filter(|p| !p.is_empty())
            .map(str::to_owned)
            .collect();
        let ends = ends(&full, by_name);
        let plain =
            by_name && full.is_ascii() && !full.contains(['?', '[', ']', '{', '}', '\\', ',', '!']);
        Ok(Self {
            text: text.to_owned(),
            simple: plain.then(|| full.clone()),
            parts,
            by_name,
            folder,
            exact: build(false)?,
            blind: build(true)?,
            edges: Edges::from_glob(&ends),
            ends,
        })
    }

    /// The first and last bytes that names must have to match.
    pub(super) const fn edges(&self) -> Edges {
        self.edges
    }

    /// The glob as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The glob with its place spelled out: equal for globs that match the same.
    pub(crate) fn key(&self) -> String {
        let place = if self.by_name { "name" } else { "path" };
        format!("{place} {}", self.parts.join("/"))
    }

    /// Whether the glob means a directory and everything below.
    pub(crate) const fn is_folder(&self) -> bool {
        self.folder
    }

    /// The absolute paths that [`Self::covers`], as a regular expression over bytes; `None` if
    /// there is no exact one.
    pub(crate) fn expression(&self, blind: bool, below: bool) -> Option<String> {
        let glob = if blind { &self.blind } else { &self.exact };
        let regex = glob.glob().regex().strip_prefix("(?-u)")?;
        let (flags, regex) = regex
            .strip_prefix("(?i)")
            .map_or(("s", regex), |rest| ("si", rest));
        let regex = regex.strip_prefix('^')?.strip_suffix('$')?;
        let (before, after) = match (self.by_name, below) {
            (true, true) => ("(?:.*/)?", "(?:/.*)?"),
            (true, false) => ("(?:.*/)?", "/*"),
            (false, true) => ("", "(?:/.*)?"),
            (false, false) => ("", ""),
        };
        // A name is never empty, and has no slash.
        if self.by_name && glob.is_match("") {
            let all = self.text.bytes().all(|byte| byte == b'*');
            return all.then(|| "(?s)^.*[^/].*$".to_owned());
        }
        if self.by_name && (self.text.contains("[!") || self.text.contains("[^")) {
            return None;
        }
        Some(format!("(?{flags})^{before}(?:{regex}){after}$"))
    }

    /// The paths that an unexpanded path has to share one with to match perhaps, as a regular
    /// expression over bytes; `None` if [`overlap`] isn't exact for this glob.
    pub(crate) fn overlap_expression(&self) -> Option<String> {
        let complex = |part: &String| part.contains(['[', '{', '\\']) || part.len() > 256;
        if self.parts.is_empty() || self.parts.iter().any(complex) {
            return None;
        }
        let name = |part: &String| {
            let escaped = regex::escape(part);
            escaped.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
        };
        let parts = self.parts.iter().map(|part| match part.as_str() {
            "**" => "(?:/[^/]*)*".to_owned(),
            _ if self.by_name => name(part),
            _ => format!("/{}", name(part)),
        });
        let body: String = parts.collect();
        let before = if self.by_name { "(?:.*/)?" } else { "" };
        Some(format!("(?si)^{before}{body}(?:/.*)?$"))
    }

    /// A path that matches, with `x` for wildcards.
    pub(crate) fn example(&self) -> String {
        let part = |p: &String| {
            if p == "**" {
                "x".to_owned()
            } else {
                p.replace(['*', '?', '[', ']', '{', '}', '!', ',', '\\'], "x")
            }
        };
        let joined = self.parts.iter().map(part).collect::<Vec<_>>().join("/");
        let path = if self.by_name {
            joined
        } else {
            format!("/{joined}")
        };
        if self.folder {
            format!("{path}/x")
        } else {
            path
        }
    }

    /// Whether the glob matches a path. If `strict`, only certain, case-sensitive matches count;
    /// otherwise a possible match is [`Tristate::Maybe`].
    pub(crate) fn matches(&self, place: &TouchedPath<'_>, strict: bool) -> Tristate {
        let site = &place.facts;
        let Some(path) = place.absolute else {
            return if strict {
                Tristate::No
            } else {
                Tristate::Maybe
            };
        };
        let admitted = site.edges.admit(self.edges);
        if strict {
            return Tristate::from_bool(
                !site.wild && admitted && self.covers(path, false, self.folder),
            );
        }
        if admitted && self.covers(path, true, true) {
            return Tristate::Yes;
        }
        if !(site.wild || site.tree) {
            return Tristate::No;
        }
        let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
        if parts.len() > 64 || path.len() > 4096 {
            return Tristate::Maybe;
        }
        let maybe = if self.by_name {
            site.tree
                || site.wild
                    && parts
                        .iter()
                        .any(|t| self.parts.iter().any(|p| overlap(p, t, site.dots)))
        } else {
            let pattern: Vec<&str> = self.parts.iter().map(String::as_str).collect();
            (site.wild || site.tree) && paths_overlap(&pattern, &parts, site)
        };
        if maybe { Tristate::Maybe } else { Tristate::No }
    }

    /// Whether a text has the literal prefix and, if `whole`, the suffix of all matches, ignoring
    /// case. Text that isn't ASCII may fold to ASCII.
    fn may_fit(&self, text: &str, whole: bool) -> bool {
        let (begins, ends) = (self.ends.0.as_bytes(), self.ends.1.as_bytes());
        let text = text.as_bytes();
        let head = text.get(..begins.len().min(text.len())).unwrap_or_default();
        let tail = text
            .get(text.len().saturating_sub(ends.len())..)
            .unwrap_or_default();
        // The last byte first: what several globs share is in front. One of ASCII is folded to
        // no other than itself.
        if let (true, Some(last), Some(end)) = (whole, text.last(), ends.last())
            && last.is_ascii()
            && !last.eq_ignore_ascii_case(end)
        {
            return false;
        }
        let same = head.len() == begins.len()
            && head.last().map(u8::to_ascii_lowercase) == begins.last().map(u8::to_ascii_lowercase)
            && head.eq_ignore_ascii_case(begins)
            && (!whole || tail.len() == ends.len() && tail.eq_ignore_ascii_case(ends));
        same || !text.is_ascii()
    }

    /// Whether the path itself matches, or (`below`) a directory above it.
    fn covers(&self, path: &str, blind: bool, below: bool) -> bool {
        let glob = if blind { &self.blind } else { &self.exact };
        if self.by_name {
            let mut names = from_the_end(path);
            let fits = |name: &str| match &self.simple {
                _ if !self.may_fit(name, true) => false,
                // What folds to an ASCII letter without being one is left to the general matcher.
                Some(pattern) if name.is_ascii() => wildcard(pattern, name, blind),
                _ => glob.is_match(name),
            };
            return if below {
                names.any(fits)
            } else {
                names.next().is_some_and(fits)
            };
        }
        // Whatever lies above a path begins as the path does; only the path itself has its end.
        if !self.may_fit(path, !below) {
            return false;
        }
        if glob.is_match(path) {
            return true;
        }
        below
            && path
                .match_indices('/')
                .skip(1)
                .any(|(i, _)| path.get(..i).is_some_and(|p| glob.is_match(p)))
    }
}

/// The names of a path, the last one first. They are short, so a loop over bytes is faster than a
/// search made for long texts.
fn from_the_end(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    let names = std::iter::from_fn(move || {
        let here = rest?;
        let slash = here.bytes().rposition(|byte| byte == b'/');
        rest = slash.and_then(|at| here.get(..at));
        slash.map_or(Some(here), |at| here.get(at + 1..))
    });
    names.filter(|name| !name.is_empty())
}

/// The literal prefix and suffix of a glob. Empty if it isn't ASCII, which may be folded.
fn ends(glob: &str, by_name: bool) -> (String, String) {
    let special = ['*', '?', '[', ']', '{', '}', '\\', ',', '!'];
    if !glob.is_ascii() || glob.contains(['{', '[', '\\']) {
        return Default::default();
    }
    let first = glob.find(special).unwrap_or(glob.len());
    // `a/**` fits `a` as well in some readings of globs: the last slash isn't counted on.
    let begins = glob.get(..first).unwrap_or_default().trim_end_matches('/');
    let last = if by_name {
        glob.rfind(special).map_or(0, |at| at + 1)
    } else {
        glob.len()
    };
    (
        begins.to_owned(),
        glob.get(last..).unwrap_or_default().to_owned(),
    )
}

/// A glob that matches only this text.
fn literal(text: &str) -> String {
    globset::escape(text)
}

/// Whether a glob and an unexpanded path can match the same path.
fn paths_overlap(pattern: &[&str], path: &[&str], site: &PathFacts) -> bool {
    // reach[j]: the pattern's parts so far can be used up by the first j names.
    let mut reach = vec![false; path.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for part in pattern {
        // A tree that goes takes with it whatever the rest of the pattern would match below.
        if site.tree && reach.last() == Some(&true) {
            return true;
        }
        let mut next = vec![false; path.len() + 1];
        for (j, slot) in next.iter_mut().enumerate() {
            let before = j.checked_sub(1);
            *slot = if *part == "**" {
                reach.iter().take(j + 1).any(|r| *r)
            } else {
                before.is_some_and(|k| {
                    reach.get(k) == Some(&true)
                        && path
                            .get(k)
                            .is_some_and(|name| overlap(part, name, site.dots))
                })
            };
        }
        reach = next;
        if !reach.contains(&true) {
            return false;
        }
    }
    // What lies below a match counts as well.
    reach.iter().any(|r| *r)
}

/// Whether two wildcard names can match the same name. Constructs that are too complex count as
/// yes. In `name`, the shell expands `*` and `?`; a leading one matches no dot.
fn overlap(pattern: &str, name: &str, dots: bool) -> bool {
    if pattern.contains(['[', '{', '\\']) || pattern.len() > 256 || name.len() > 256 {
        return true;
    }
    if !dots && name.starts_with(['*', '?']) && pattern.starts_with('.') {
        return false;
    }
    let (mut pattern, mut name) = (pattern.as_bytes(), name.as_bytes());
    let fits = |p: u8, n: u8| p == b'?' || n == b'?' || p.eq_ignore_ascii_case(&n);
    // In front of all stars one byte stands for one, and most names differ there.
    while let (Some((p, pattern_rest)), Some((n, name_rest))) =
        (pattern.split_first(), name.split_first())
        && *p != b'*'
        && *n != b'*'
    {
        if !fits(*p, *n) {
            return false;
        }
        (pattern, name) = (pattern_rest, name_rest);
    }
    let mut row = vec![false; name.len() + 1];
    for i in 0..=pattern.len() {
        let mut next = vec![false; name.len() + 1];
        for j in 0..=name.len() {
            let p = i.checked_sub(1).and_then(|k| pattern.get(k)).copied();
            let n = j.checked_sub(1).and_then(|k| name.get(k)).copied();
            let up = row.get(j).copied().unwrap_or(false);
            let left = j
                .checked_sub(1)
                .and_then(|k| next.get(k))
                .copied()
                .unwrap_or(false);
            let diagonal = j
                .checked_sub(1)
                .and_then(|k| row.get(k))
                .copied()
                .unwrap_or(false);
            let cell = match (p, n) {
                (None, None) => true,
                (None, Some(n)) => n == b'*' && left,
                (Some(p), None) => p == b'*' && up,
                (Some(p), Some(n)) => {
                    let star = p == b'*' || n == b'*';
                    star && (up || left) || (star || fits(p, n)) && diagonal
                }
            };
            if let Some(slot) = next.get_mut(j) {
                *slot = cell;
            }
        }
        row = next;
    }
    row.last().copied().unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shell_effects::{Context, Table, analyse};

    const ROOT: &str = "/home/dev/project";

    fn check(glob: &str, command: &str, strict: bool) -> Tristate {
        let table = Table::builtin();
        let analysis = analyse(command, &Context::new(&table));
        let glob = PathGlob::new(glob, ROOT, "/home/dev").unwrap();
        let places: Vec<TouchedPath<'_>> = analysis
            .effects
            .iter()
            .filter_map(|e| Some(PathFacts::new(e, false, true)?.place(e)))
            .collect();
        assert!(!places.is_empty(), "{command}");
        places
            .iter()
            .map(|p| glob.matches(p, strict))
            .max()
            .unwrap()
    }

    #[test]
    fn names_match_in_any_folder_and_folders_take_what_is_below() {
        assert_eq!(check(".env", "cat config/.env", false), Tristate::Yes);
        assert_eq!(
            check(".ENV", "cat config/.env", false),
            Tristate::Yes,
            "file systems may be blind to case"
        );
        assert_eq!(check(".ENV", "cat config/.env", true), Tristate::No);
        assert_eq!(check(".git/", "cat .git/config", false), Tristate::Yes);
        assert_eq!(check("src/**", "cat src/a/b.rs", true), Tristate::Yes);
        assert_eq!(check("src", "cat src/a/b.rs", false), Tristate::Yes);
        assert_eq!(check("docs/*", "cat docs/a/b.md", true), Tristate::No);
        assert_eq!(
            check("/etc/**", "cat /etc/ssh/sshd_config", true),
            Tristate::Yes
        );
        assert_eq!(check("~/.ssh/", "cat ~/.ssh/config", false), Tristate::Yes);
    }

    #[test]
    fn the_place_counts_and_not_the_spelling() {
        for command in [
            "cat src/../.env",
            "cat ./.env",
            "cd src && cat ../.env",
            "cat //home/dev/project//.env",
            "cd /home; cat dev/project/.env",
        ] {
            assert_eq!(check("./.env", command, false), Tristate::Yes, "{command}");
        }
        assert_eq!(
            check("passwd", "cd /etc && rm passwd", false),
            Tristate::Yes
        );
        assert_eq!(
            check("/etc/passwd", "cd /etc && rm passwd", false),
            Tristate::Yes
        );
    }

    #[test]
    fn what_the_shell_would_expand_may_match() {
        assert_eq!(check(".env", "cat .e*", false), Tristate::Maybe);
        assert_eq!(
            check(".env", "cat *", false),
            Tristate::No,
            "a star takes no leading dot"
        );
        assert_eq!(check("*.pem", "cat *", false), Tristate::Maybe);
        assert_eq!(check("*.pem", "cat *.rs", false), Tristate::No);
        assert_eq!(check("*.pem", "cat *", true), Tristate::No);
        assert_eq!(check("src/secret/**", "rm -rf src", false), Tristate::Maybe);
        assert_eq!(check("src/secret/**", "rm -rf docs", false), Tristate::No);
        assert_eq!(check("src/*.rs", "cat s*/x.rs", false), Tristate::Maybe);
        assert_eq!(check(".env", "cat $X", false), Tristate::Maybe);
        assert_eq!(check(".env", "cat $X", true), Tristate::No);
    }

    proptest! {
        #[test]
        fn what_is_told_apart_by_its_ends_does_not_fit(
            glob in "(~/|/|\\./)?[aAb*?./k]{1,8}", path in "/[abAB./\u{212a}k]{0,12}",
            blind: bool, below: bool,
        ) {
            let Ok(glob) = PathGlob::new(&glob, ROOT, "/home/dev") else { return Ok(()) };
            let open = PathGlob { ends: Default::default(), ..glob.clone() };
            for path in [path.clone(), format!("{ROOT}{path}")] {
                let covers = |glob: &PathGlob| glob.covers(&path, blind, below);
                prop_assert_eq!(covers(&glob), covers(&open), "{}", path);
                if glob.by_name && !Edges::from_path(&path).admit(glob.edges) {
                    prop_assert!(!open.covers(&path, blind, below), "{}", path);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_glob_compiles_or_is_refused(
            text in r"[a-z/*?.~{},!\[\]\\-]{0,16}", path in "[a-z/.*?]{0,20}",
        ) {
            if let Ok(glob) = PathGlob::new(&text, ROOT, "/home/dev") {
                let absolute = normalise(&path, Some(ROOT));
                let edges = Edges::from_path(absolute.as_deref().unwrap_or_default());
                let facts = PathFacts {
                    access: Access::Read, inside: Tristate::Maybe, known: true, wild: true,
                    tree: false, dots: false, edges,
                };
                let place = TouchedPath { shown: &path, absolute: absolute.as_deref(), facts };
                glob.matches(&place, false);
            }
        }

        /// The short way gives what the automaton gives.
        #[test]
        fn simple_names_match_as_globs_do(pattern in "[ab.*]{1,6}", name in "[abAB.]{1,6}") {
            if let Ok(glob) = PathGlob::new(&pattern, ROOT, "/home/dev") && glob.by_name {
                prop_assert!(glob.simple.is_some());
                prop_assert_eq!(glob.covers(&name, true, false), glob.blind.is_match(&name));
                prop_assert_eq!(glob.covers(&name, false, false), glob.exact.is_match(&name));
            }
        }

        /// Two wildcards overlap only if some name fits both.
        #[test]
        fn names_that_overlap_have_one_in_common(a in "[ab*?]{0,3}", b in "[ab*?]{0,3}") {
            let matcher = |p: &str| {
                let glob = GlobBuilder::new(p).literal_separator(true).build();
                glob.unwrap().compile_matcher()
            };
            let (one, other) = (matcher(&a), matcher(&b));
            let letter = |bits: u32, at| if bits >> at & 1 == 0 { 'a' } else { 'b' };
            let of_length = |length: u32| {
                let all = 0..1_u32 << length;
                all.map(move |bits| (0..length).map(|at| letter(bits, at)).collect::<String>())
            };
            let mut names = (0..=6).flat_map(of_length);
            let common = names.any(|name| one.is_match(&name) && other.is_match(&name));
            prop_assert_eq!(overlap(&a, &b, true), common);
        }

        /// If a name fits both wildcards, the two overlap.
        #[test]
        fn common_names_are_found(a in "[ab*?]{0,6}", b in "[ab*?]{0,6}", name in "[ab]{0,5}") {
            let fits = |pattern: &str| {
                let glob = GlobBuilder::new(pattern).literal_separator(true).build();
                glob.unwrap().compile_matcher().is_match(&name)
            };
            if fits(&a) && fits(&b) {
                prop_assert!(overlap(&a, &b, true));
            }
        }
    }
}
