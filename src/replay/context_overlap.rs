//! Texts of context items, as far as a trace contains them, and the items that an action repeats.
//!
//! A snapshot contains hashes, not contents. An item's text is known if a message carried it to the
//! model, or if a tool read its file in this execution.

use crate::trace::action::{self, plain_path};
use crate::trace::injected;
use crate::trace::record::Payload;
use crate::trace::step::ActionKind;
use crate::trace::typed_reference::Declared;
use governance::ActionType;
use std::collections::{BTreeMap, HashMap, HashSet};
use strict_json::Raw;
use util::verbatim_overlap::{RUN, Repetition, head, repetitions, runs_of};

/// Maximum number of remembered runs of tokens per execution: about ten megabytes at worst. Later
/// ones are ignored.
const MOST: usize = 200_000;
/// Maximum bytes of a text that are read; the rest is ignored.
const TEXT: usize = 64 << 10;
/// Maximum number of items reported for one action.
const REPORTED: usize = 5;

/// An item whose text an action repeats without declaring it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Undeclared {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) tokens: usize,
}

/// Items that contain one run of tokens. A run in more items than [`ItemSet::MOST`] is too common
/// to be evidence of use.
#[derive(Debug, Clone, Default)]
struct ItemSet {
    numbers: [u32; ItemSet::MOST],
    count: usize,
}

impl ItemSet {
    const MOST: usize = 4;

    fn add(&mut self, number: u32) {
        if self.all().contains(&number) || self.count > Self::MOST {
            return;
        }
        if let Some(free) = self.numbers.get_mut(self.count) {
            *free = number;
        }
        self.count += 1;
    }

    fn all(&self) -> &[u32] {
        self.numbers.get(..self.count).unwrap_or_default()
    }
}

/// Texts of items, as runs of tokens.
#[derive(Debug, Default)]
pub(super) struct Sources {
    paths: Vec<String>,
    numbers: BTreeMap<String, u32>,
    runs: HashMap<u64, ItemSet>,
    /// Runs that the agent was given or wrote itself before any item contained them.
    own: HashSet<u64>,
    /// Path of the file that the open action reads.
    reading: Option<String>,
}

impl Sources {
    /// Returns an estimate of the heap bytes that it owns.
    pub(super) fn weight(&self) -> usize {
        let paths: usize = self.paths.iter().map(|path| 2 * path.len() + 96).sum();
        paths + self.runs.len() * (size_of::<(u64, ItemSet)>() + 8) + self.own.len() * 16
    }

    /// Remembers the intent; repeating it isn't use of an item.
    pub(super) fn asked(&mut self, intent: &str) {
        if self.own.len() >= MOST {
            return;
        }
        self.own.extend(runs_of(head(intent, TEXT)));
    }

    /// Remembers the items that a message contains.
    pub(super) fn carried(&mut self, message: &str) {
        for (path, text) in injected::items(message) {
            self.learn(&plain_path(path), &text);
        }
    }

    fn learn(&mut self, path: &str, text: &str) {
        let number = match self.numbers.get(path) {
            Some(number) => *number,
            None => match u32::try_from(self.paths.len()) {
                Ok(number) => number,
                Err(_) => return,
            },
        };
        if number as usize == self.paths.len() {
            self.paths.push(path.to_owned());
            self.numbers.insert(path.to_owned(), number);
        }
        for run in runs_of(head(text, TEXT)) {
            if self.runs.len() >= MOST && !self.runs.contains_key(&run) {
                return;
            }
            self.runs.entry(run).or_default().add(number);
        }
    }

    /// Remembers the file that an action about to be executed may read.
    pub(super) fn before_execution(&mut self, kind: ActionType, payload: Payload<'_>) {
        self.reading = read_file(kind, payload.0);
    }

    /// Remembers the output of a read.
    pub(super) fn after_execution(&mut self, success: bool, output: &str) {
        if let Some(path) = self.reading.take().filter(|_| success) {
            self.learn(&plain_path(&path), output);
        }
    }

    /// Returns items that an action repeats, that are in the context (`there`) and that its turn
    /// doesn't declare.
    pub(super) fn undeclared(
        &mut self,
        kind: ActionType,
        payload: Payload<'_>,
        there: &dyn Fn(&str) -> bool,
        declared: &Declared,
    ) -> Vec<Undeclared> {
        let texts = written(kind, payload.0);
        let mut found: BTreeMap<u32, Repetition> = BTreeMap::new();
        let paths = |run: u64| {
            let held = self.runs.get(&run).map(ItemSet::all).unwrap_or_default();
            held.iter()
                .filter_map(|n| Some((*n, self.paths.get(*n as usize)?)))
        };
        let holders = |run| {
            paths(run)
                .filter(|(_, path)| there(path) && !declared.contains(path))
                .map(|(n, _)| n)
                .collect()
        };
        let excused =
            |run| self.own.contains(&run) || paths(run).any(|(_, path)| declared.contains(path));
        for text in texts.iter().filter(|_| !self.runs.is_empty()) {
            for (number, repetition) in repetitions(head(text, TEXT), &holders, &excused) {
                if found
                    .get(&number)
                    .is_none_or(|r| r.tokens < repetition.tokens)
                {
                    found.insert(number, repetition);
                }
            }
        }
        let name = |(n, r): (u32, Repetition)| {
            Some(Undeclared {
                path: self.paths.get(n as usize)?.clone(),
                text: r.text,
                tokens: r.tokens,
            })
        };
        let mut found: Vec<Undeclared> = found.into_iter().filter_map(name).collect();
        found.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.path.cmp(&b.path)));
        found.truncate(REPORTED);
        for text in &texts {
            self.wrote(text);
        }
        found
    }
}

impl Sources {
    /// Remembers the agent's own text. Leaves out runs that overlap with an item's: they lie at the
    /// edge of a quotation and would excuse the same quotation next time.
    fn wrote(&mut self, text: &str) {
        let runs = runs_of(head(text, TEXT));
        let quoted: Vec<bool> = runs.iter().map(|run| self.runs.contains_key(run)).collect();
        for (n, run) in runs.iter().enumerate() {
            let near = quoted
                .get(n.saturating_sub(RUN - 1)..quoted.len().min(n + RUN))
                .unwrap_or_default();
            if self.own.len() < MOST && !near.contains(&true) {
                self.own.insert(*run);
            }
        }
    }
}

/// Returns the file whose text an action returns, if it reads exactly one.
fn read_file(kind: ActionType, payload: Raw<'_>) -> Option<String> {
    match kind {
        ActionType::ToolCall => {
            let tool = action::tool(payload)?.to_ascii_lowercase();
            let mut words = tool.split(|c: char| !c.is_ascii_alphanumeric());
            if !words.any(|w| matches!(w, "read" | "cat" | "view" | "open" | "readfile")) {
                return None;
            }
            let mut paths = action::paths(ActionKind::Known(kind), payload);
            (paths.len() == 1).then(|| paths.pop())?
        }
        ActionType::ShellCmd => {
            let command = action::command(payload)?;
            let path = command.trim().strip_prefix("cat ")?.trim();
            let plain = !path.is_empty()
                && path
                    .chars()
                    .all(|c| c.is_alphanumeric() || "._-/@+".contains(c));
            (plain && !path.starts_with('-')).then(|| path.to_owned())
        }
        ActionType::CodeDiff | ActionType::Answer => None,
    }
}

/// Returns the texts that an action writes: every string of its payload, or the lines of a diff
/// without their first column.
fn written(kind: ActionType, payload: Raw<'_>) -> Vec<String> {
    if kind == ActionType::CodeDiff
        && let Some(diff) = action::diff(payload)
    {
        let column = |line: &'_ str| {
            line.strip_prefix(['+', '-', ' '])
                .unwrap_or(line)
                .to_owned()
        };
        return vec![diff.lines().map(column).collect::<Vec<_>>().join("\n")];
    }
    action::texts(payload.as_written())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(text: &str) -> Payload<'_> {
        Payload(Raw::trusted(text))
    }

    #[test]
    fn files_that_are_read_are_known_by_their_path() {
        let read = |kind, text| read_file(kind, Raw::trusted(text));
        let tool = |text| read(ActionType::ToolCall, text);
        assert_eq!(
            tool(r#"{"tool":"read_file","parameters":{"path":"a.md"}}"#).as_deref(),
            Some("a.md")
        );
        assert_eq!(
            tool(r#"{"tool":"write_file","parameters":{"path":"a.md"}}"#),
            None
        );
        assert_eq!(
            tool(r#"{"tool":"read_both","parameters":{"source":"a","target":"b"}}"#),
            None
        );
        assert_eq!(
            read(ActionType::ShellCmd, r#"{"command":"cat src/a.ts"}"#).as_deref(),
            Some("src/a.ts")
        );
        for other in [
            r#"{"command":"cat a b"}"#,
            r#"{"command":"cat a | sh"}"#,
            r#"{"command":"cat -n"}"#,
        ] {
            assert_eq!(read(ActionType::ShellCmd, other), None, "{other}");
        }
    }

    #[test]
    fn declaring_repeating_ones_own_words_and_the_task_are_no_break() {
        let text = "the deploy key rotates every ninety days on a monday";
        let answer = format!(r#"{{"content":"It is so: {text}."}}"#);
        let mut sources = Sources::default();
        let all = |_: &str| true;
        let none = Declared::default();
        let only = |reference| {
            let mut declared = Declared::default();
            declared.add(reference);
            declared
        };
        let ask = |sources: &mut Sources, declared: &Declared| {
            sources
                .undeclared(ActionType::Answer, payload(&answer), &all, declared)
                .into_iter()
                .map(|u| u.path)
                .collect::<Vec<_>>()
        };
        sources.before_execution(
            ActionType::ToolCall,
            payload(r#"{"tool":"read_file","parameters":{"path":"./ops.md"}}"#),
        );
        sources.after_execution(true, text);
        assert_eq!(ask(&mut sources, &only("@ops.md:1-9")), [""; 0]);
        assert_eq!(ask(&mut sources, &none), ["ops.md"]);
        sources.carried(&format!("[Reference] FILE: copy (copy.md)\n{text}\n"));
        assert_eq!(ask(&mut sources, &only("copy.md")), [""; 0]);
        let mut asked = Sources::default();
        asked.asked(text);
        asked.carried(&format!("[Reference] FILE: copy (copy.md)\n{text}\n"));
        assert_eq!(ask(&mut asked, &none), [""; 0]);
        let mut wrote = Sources::default();
        ask(&mut wrote, &none);
        wrote.carried(&format!("[Reference] FILE: copy (copy.md)\n{text}\n"));
        assert_eq!(ask(&mut wrote, &none), [""; 0]);
    }

    #[test]
    fn a_diff_is_read_without_its_first_column() {
        let diff = r#"{"diff":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one two three\n+four five six\n"}"#;
        assert!(
            written(ActionType::CodeDiff, Raw::trusted(diff))[0]
                .contains("one two three\nfour five six")
        );
    }
}
