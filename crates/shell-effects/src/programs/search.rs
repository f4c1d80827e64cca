//! Paths that a search of directories prints, or passes on to a program: `find`, `fd`.

use super::filters::operands;
use crate::calls::spec_eval::parse_args;
use crate::chars::{ANY, STAR, UNKNOWN};
use crate::effect::Span;
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::paths::private::{is_private, named, searched};

/// A search for files by name.
pub(crate) struct Search {
    /// The directories in which it begins.
    starts: Vec<Arg>,
    /// The names that it looks for, with globs; an empty one is any name.
    names: Vec<String>,
}

/// Returns the directories in which `find` begins, and where its expression does.
pub(crate) fn start_of_find(rest: &[Arg]) -> (Vec<Arg>, usize) {
    let mut starts = Vec::new();
    let mut at = 0;
    // Options and starting points come first.
    while let Some(word) = rest.get(at) {
        match word.text.as_str() {
            "-H" | "-L" | "-P" => {}
            "-D" => at += 1,
            "(" | "!" | ")" | "," => break,
            text if text.starts_with('-') && text.len() > 1 => break,
            _ => starts.push(word.clone()),
        }
        at += 1;
    }
    (starts, at)
}

/// Returns the names that an expression of `find` looks for. Of one with alternatives, each has to
/// name what it looks for.
fn names_in(rest: &[Arg]) -> Vec<String> {
    let mut names = Vec::new();
    let mut alternatives = 1;
    let mut before = "";
    for (at, word) in rest.iter().enumerate() {
        let word = word.text.as_str();
        match word {
            "-name" | "-iname" if !matches!(before, "!" | "-not") => {
                let name = rest.get(at + 1).map_or("", |name| &name.text);
                let name = name.replace('*', &STAR.to_string());
                names.push(name.replace('?', &ANY.to_string()));
            }
            "-o" | "-or" | "," => alternatives += 1,
            _ => {}
        }
        before = word;
    }
    if names.len() < alternatives {
        names.clear();
    }
    names
}

impl Search {
    /// Reads the arguments of `find`.
    pub(crate) fn of_find(rest: &[Arg]) -> Self {
        let (starts, _) = start_of_find(rest);
        Self::new(starts, names_in(rest))
    }

    /// Reads the arguments of `fd`.
    pub(crate) fn of_fd(cx: &Engine<'_>, rest: &[Arg]) -> Self {
        let ctx = cx.ctx();
        let Some(spec) = ctx.table.get("fd") else {
            return Self::new(
                vec![Arg::literal(UNKNOWN.to_string(), Span::default())],
                Vec::new(),
            );
        };
        let call = parse_args(spec, rest).0;
        let values = |names: &[&str]| {
            let flags = call.flags.iter();
            let flags = flags.filter(|flag| names.contains(&flag.name.as_str()));
            let values: Vec<Arg> = flags
                .filter_map(|flag| flag.values.first())
                .cloned()
                .collect();
            values
        };
        let mut starts: Vec<Arg> = call.operands.iter().skip(1).cloned().collect();
        starts.extend(values(&["--search-path", "-C", "--base-directory"]));
        let pattern = call.operands.first().map_or("", |pattern| &pattern.text);
        let pattern = pattern
            .trim_start_matches(['^', '\\'])
            .trim_end_matches('$');
        // Other patterns are regular expressions.
        let is_literal = pattern.len() > 1
            && pattern
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        let ending = values(&["-e", "--extension"]);
        let name = match ending.as_slice() {
            _ if is_literal => vec![format!("{STAR}{pattern}{STAR}")],
            [ending] => vec![format!("{STAR}.{}", ending.text.trim_start_matches('.'))],
            _ => Vec::new(),
        };
        Self::new(starts, name)
    }

    /// Reads the arguments of `rg`: what it lists by name or by content.
    fn of_rg(rest: &[Arg]) -> Self {
        let lists = |word: &Arg| word.text == "--files";
        let is_glob = |word: &Arg| matches!(word.text.as_str(), "-g" | "--glob");
        let globs: Vec<&Arg> = rest
            .iter()
            .zip(rest.iter().skip(1))
            .filter(|(flag, _)| is_glob(flag))
            .map(|(_, glob)| glob)
            .collect();
        let names = match globs.as_slice() {
            [glob] => vec![glob.text.replace('*', &STAR.to_string())],
            _ => Vec::new(),
        };
        let starts = operands(rest)
            .into_iter()
            .filter(|word| globs.iter().all(|glob| glob.text != word.text))
            .skip(usize::from(!rest.iter().any(lists)));
        Self::new(starts.cloned().collect(), names)
    }

    /// Reads the arguments of a program that lists all that is in its operands.
    fn of_listing(rest: &[Arg]) -> Self {
        Self::new(operands(rest).into_iter().cloned().collect(), Vec::new())
    }

    /// Reads the arguments of `locate`, which knows all files of the machine.
    fn of_locate(rest: &[Arg]) -> Self {
        let names = operands(rest).into_iter();
        let names = names.map(|name| format!("{STAR}{}{STAR}", name.text));
        Self::new(vec![Arg::literal("/", Span::default())], names.collect())
    }

    fn new(mut starts: Vec<Arg>, mut names: Vec<String>) -> Self {
        if starts.is_empty() {
            starts.push(Arg::literal(".", Span::default()));
        }
        if names.is_empty() {
            names.push(String::new());
        }
        Self { starts, names }
    }

    /// Returns the private paths that the search may find.
    fn private(&self, cx: &Engine<'_>) -> Vec<String> {
        let home = cx.ctx().home.as_str();
        let mut found = Vec::new();
        for (start, name) in self.pairs() {
            let tail = tail(name);
            let directory = start.text.trim_end_matches('/');
            let at = cx.resolve(&start.text);
            // Above private files, the name decides which of them are found.
            if at
                .as_ref()
                .is_some_and(|at| searched(at, "", home).is_some())
            {
                let directory = at.as_ref().and_then(|at| searched(at, name, home));
                found.extend(directory.map(|directory| format!("{directory}/{STAR}{tail}")));
            } else {
                // Some directory below it, or none. Any file is private only where all are.
                let below = format!("{directory}/{STAR}{tail}");
                let below = Some(below).filter(|_| !name.is_empty());
                let paths = below.into_iter().chain([format!("{directory}{tail}")]);
                let is_known =
                    |path: &String| cx.resolve(path).is_some_and(|path| is_private(&path, home));
                found.extend(paths.filter(is_known));
            }
            if let Some(name) = named(name) {
                found.push(format!("{directory}/{STAR}/{name}"));
            }
        }
        if self.starts.len() * self.names.len() > PAIRS {
            found.push(format!("{home}/{STAR}"));
        }
        found.sort();
        found.dedup();
        found
    }

    fn pairs(&self) -> impl Iterator<Item = (&Arg, &str)> {
        let names = || self.names.iter().map(String::as_str);
        self.starts
            .iter()
            .flat_map(move |start| names().map(move |name| (start, name)))
            .take(PAIRS)
    }

    /// Returns the paths that a program run on each result may get.
    pub(crate) fn results(&self, cx: &Engine<'_>) -> Vec<String> {
        let mut all = self.private(cx);
        for (start, name) in self.pairs() {
            let directory = start.text.trim_end_matches('/');
            // Without private files, nothing is known about results below a home directory.
            let path = match cx.resolve(&start.text) {
                Some(at) if searched(&at, "", &cx.ctx().home).is_some() => {
                    format!("{UNKNOWN}{}", tail(name))
                }
                _ => format!("{directory}/{STAR}{}", tail(name)),
            };
            if !all.contains(&path) {
                all.push(path);
            }
        }
        all
    }

    /// Returns what the search prints.
    pub(crate) fn printed(&self, cx: &Engine<'_>) -> Stream {
        let outside = |start: &Arg| {
            start.text.starts_with(['/', '~', UNKNOWN]) || start.text.starts_with("..")
        };
        if !self.starts.iter().all(outside)
            && cx.cwd().is_none_or(str::is_empty)
            && self.names.iter().all(String::is_empty)
        {
            return Stream::unknown();
        }
        let mut all = self.private(cx);
        for (start, name) in self.pairs() {
            let path = if outside(start) {
                format!("{UNKNOWN}{}", tail(name))
            } else {
                format!("./{STAR}{}", tail(name))
            };
            if !all.contains(&path) {
                all.push(path);
            }
        }
        // Private paths come first.
        let mut text = String::new();
        for path in all {
            if text.len() + path.len() < PRINTED {
                text.push_str(&path);
                text.push('\n');
            }
        }
        Stream::known(text)
    }
}

/// Maximum number of starting points times names that are followed. More may find anything.
const PAIRS: usize = 1_000;
/// Maximum bytes of a search's output. Programs that read longer lists take them for unknown.
const PRINTED: usize = 4_000;

/// Returns a name as the last part of a path, or nothing.
fn tail(name: &str) -> String {
    if name.is_empty() {
        String::new()
    } else {
        format!("/{name}")
    }
}

/// Returns what a program prints that lists files.
pub(crate) fn printed(cx: &Engine<'_>, program: &str, rest: &[Arg]) -> Stream {
    let search = match program {
        "find" => Search::of_find(rest),
        "fd" => Search::of_fd(cx, rest),
        "locate" | "plocate" | "mlocate" | "mdfind" => Search::of_locate(rest),
        "rg" => Search::of_rg(rest),
        _ => Search::of_listing(rest),
    };
    search.printed(cx)
}

/// Returns what a filter of lines passes on, given what a search printed. A text that it looks for
/// may be the name of a private file.
pub(crate) fn filtered(listed: &str, pattern: &str) -> Stream {
    let mut text = String::new();
    if let Some(name) = named(pattern) {
        for line in listed.lines().filter(|line| line.contains(STAR)) {
            let directory = line
                .rsplit_once('/')
                .map_or(".", |(directory, _)| directory);
            text.push_str(&format!("{directory}/{name}\n"));
        }
    }
    Stream::known(text + listed)
}

/// Returns whether a text is what a search printed: it may be any number of such lines.
pub(crate) fn is_listing(text: &str) -> bool {
    text.lines().any(|line| line.contains(STAR))
}
