//! Paths that a search of directories prints, or passes on to a program: `find`, `fd`.

use super::filters::operands;
use crate::calls::spec_eval::parse_args;
use crate::chars::{ANY, STAR, UNKNOWN};
use crate::effect::Span;
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::paths::private::{named, searched};

/// A search for files by name.
pub(crate) struct Search {
    /// The directories in which it begins.
    pub(crate) starts: Vec<Arg>,
    /// The name that it looks for, with globs; empty for any name.
    name: String,
}

impl Search {
    /// Reads the arguments of `find`.
    pub(crate) fn of_find(rest: &[Arg]) -> Self {
        let mut starts = Vec::new();
        let mut words = rest.iter();
        // Options and starting points come first.
        while let Some(word) = words.next() {
            match word.text.as_str() {
                "-H" | "-L" | "-P" => {}
                "-D" => drop(words.next()),
                "(" | "!" | ")" | "," => break,
                text if text.starts_with('-') && text.len() > 1 => break,
                _ => starts.push(word.clone()),
            }
        }
        let at = rest
            .iter()
            .position(|word| matches!(word.text.as_str(), "-name" | "-iname"));
        let name = at.and_then(|at| rest.get(at + 1));
        let name = name.map(|name| {
            let text = name.text.replace('*', &STAR.to_string());
            text.replace('?', &ANY.to_string())
        });
        Self::new(starts, name)
    }

    /// Reads the arguments of `fd`.
    pub(crate) fn of_fd(cx: &Engine<'_>, rest: &[Arg]) -> Self {
        let ctx = cx.ctx();
        let Some(spec) = ctx.table.get("fd") else {
            return Self::new(
                vec![Arg::literal(UNKNOWN.to_string(), Span::default())],
                None,
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
            _ if is_literal => Some(format!("{STAR}{pattern}{STAR}")),
            [ending] => Some(format!("{STAR}.{}", ending.text.trim_start_matches('.'))),
            _ => None,
        };
        Self::new(starts, name)
    }

    /// Reads the arguments of `rg`: what it lists by name or by content.
    fn of_rg(rest: &[Arg]) -> Self {
        let lists = |word: &Arg| word.text == "--files";
        let globs = rest
            .iter()
            .position(|word| matches!(word.text.as_str(), "-g" | "--glob"));
        let glob = globs.and_then(|at| rest.get(at + 1));
        let name = glob.map(|glob| glob.text.replace('*', &STAR.to_string()));
        let starts = operands(rest)
            .into_iter()
            .skip(usize::from(!rest.iter().any(lists)));
        let starts = starts.filter(|word| glob.is_none_or(|glob| glob.text != word.text));
        Self::new(starts.cloned().collect(), name)
    }

    /// Reads the arguments of a program that lists all that is in its operands.
    fn of_listing(rest: &[Arg]) -> Self {
        Self::new(operands(rest).into_iter().cloned().collect(), None)
    }

    /// Reads the arguments of `locate`, which knows all files of the machine.
    fn of_locate(rest: &[Arg]) -> Self {
        let name = operands(rest)
            .first()
            .map(|name| format!("{STAR}{}{STAR}", name.text));
        Self::new(vec![Arg::literal("/", Span::default())], name)
    }

    fn new(mut starts: Vec<Arg>, name: Option<String>) -> Self {
        if starts.is_empty() {
            starts.push(Arg::literal(".", Span::default()));
        }
        let name = name.unwrap_or_default();
        Self { starts, name }
    }

    /// Returns the name as the last part of a path, or nothing.
    fn tail(&self) -> String {
        if self.name.is_empty() {
            String::new()
        } else {
            format!("/{}", self.name)
        }
    }

    /// Returns the private paths that the search may find.
    fn private(&self, cx: &Engine<'_>) -> Vec<String> {
        let home = cx.ctx().home.as_str();
        let found = self.starts.iter().filter_map(|start| {
            let path = cx.resolve(&start.text)?;
            let directory = searched(&path, &self.name, home)?;
            Some(format!("{directory}/{STAR}{}", self.tail()))
        });
        let mut found: Vec<String> = found.collect();
        if let Some(name) = named(&self.name) {
            let starts = self.starts.iter();
            found.extend(starts.map(|start| {
                let directory = start.text.trim_end_matches('/');
                format!("{directory}/{STAR}/{name}")
            }));
        }
        found.dedup();
        found
    }

    /// Returns the paths that a program run on each result may get.
    pub(crate) fn results(&self, cx: &Engine<'_>) -> Vec<String> {
        let mut all = self.private(cx);
        for start in &self.starts {
            let directory = start.text.trim_end_matches('/');
            let path = format!("{directory}/{STAR}{}", self.tail());
            // Without private files, nothing is known about results below a home directory.
            let path = match cx.resolve(&start.text) {
                Some(at) if searched(&at, "", &cx.ctx().home).is_some() => {
                    format!("{UNKNOWN}{}", self.tail())
                }
                _ => path,
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
        let mut all = self.private(cx);
        if self.starts.iter().any(outside) {
            all.push(format!("{UNKNOWN}{}", self.tail()));
        }
        if !self.starts.iter().all(outside) {
            if cx.cwd().is_none_or(str::is_empty) && self.name.is_empty() {
                return Stream::unknown();
            }
            all.push(format!("./{STAR}{}", self.tail()));
        }
        Stream::known(all.join("\n") + "\n")
    }
}

/// Returns what a program prints that lists files.
pub(crate) fn printed(cx: &Engine<'_>, program: &str, rest: &[Arg]) -> Stream {
    let search = match program {
        "find" => Search::of_find(rest),
        "fd" => Search::of_fd(cx, rest),
        "locate" => Search::of_locate(rest),
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
