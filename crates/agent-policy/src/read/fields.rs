//! Takes the members of a map one by one, and reports unknown ones.

use crate::effect::Effect;
use crate::surroundings::Surroundings;
use crate::yaml::{Node, Position, Problem, Value};
use shell_effects::protected;

/// Maximum number of errors to list for one file.
const MAX_PROBLEMS: usize = 100;

/// The state of reading a file.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) problems: Vec<Problem>,
    /// The absolute path of the work tree.
    pub(crate) workdir: String,
    /// The lists of protected paths: ask, deny.
    pub(crate) protected: [Vec<String>; 2],
    /// Whether the file is one of the older runtime, and not a pack.
    pub(crate) older: bool,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self {
            problems: Vec::new(),
            workdir: Surroundings::CWD.to_owned(),
            protected: [
                protected::ask_globs().to_vec(),
                protected::deny_globs().to_vec(),
            ],
            older: false,
        }
    }

    pub(crate) fn problem(&mut self, at: Position, message: String, help: Option<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { at, message, help });
        }
    }

    /// Reports a value of the wrong kind.
    pub(crate) fn expected(&mut self, node: &Node, what: &str) {
        self.problem(
            node.at,
            format!("expected {what}, found {}", node.kind()),
            None,
        );
    }

    /// Parses a whole number that isn't negative.
    pub(crate) fn count(&mut self, node: &Node) -> Option<u64> {
        let count = match node.value {
            Value::Int(n) => u64::try_from(n).ok(),
            _ => None,
        };
        if count.is_none() {
            self.expected(node, "a whole number, 0 or more");
        }
        count
    }

    /// Reports an unknown word.
    pub(crate) fn unknown_word(&mut self, at: Position, what: &str, word: &str, known: &[&str]) {
        let help = match nearest(word, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", known.join(", ")),
        };
        self.problem(at, format!("unknown {what} `{word}`"), Some(help));
    }

    /// Parses an effect.
    pub(crate) fn effect(&mut self, text: &str, at: Position) -> Option<Effect> {
        let effect = Effect::parse(text);
        if effect.is_none() {
            self.unknown_word(at, "effect", text, &Effect::WORDS);
        }
        effect
    }
}

/// The known word with the smallest edit distance, if it is near enough.
pub(crate) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    if word.len() > 64 {
        return None;
    }
    let plain = |s: &str| s.to_ascii_lowercase().replace(['-', ' '], "_");
    let word = plain(word);
    let distance = |k: &&str| edits(&word, &plain(k));
    let near = known.iter().copied().min_by_key(|k| distance(k))?;
    let prefix =
        word.len() >= 3 && (plain(near).starts_with(&word) || word.starts_with(&plain(near)));
    (distance(&near) <= 1 + word.len() / 4 || prefix).then_some(near)
}

/// The edit distance; a swap of neighbours is one edit.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let cell = |r: usize, c: usize| {
                rows.get(r)
                    .and_then(|row| row.get(c))
                    .copied()
                    .unwrap_or(usize::MAX / 2)
            };
            let mut best = (cell(i, j) + usize::from(x != y))
                .min(cell(i, j + 1) + 1)
                .min(row.last().copied().unwrap_or(0) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(cell(i - 1, j - 1) + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows.last()
        .and_then(|r| r.last())
        .copied()
        .unwrap_or(usize::MAX)
}

/// The members of one map.
#[derive(Debug)]
pub(crate) struct Fields<'n> {
    what: &'static str,
    pub(crate) at: Position,
    members: Vec<(String, Position, &'n Node, bool)>,
    known: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// Takes a node as a map.
    pub fn new(node: &'n Node, what: &'static str, reader: &mut Reader) -> Self {
        let mut members = Vec::new();
        match &node.value {
            Value::Map(map) => {
                for (key, value) in map {
                    match key.text() {
                        Some(name) => members.push((name, key.at, value, false)),
                        None => reader.expected(key, "a key"),
                    }
                }
            }
            _ => reader.problem(
                node.at,
                format!("{what} is a map, not {}", node.kind()),
                None,
            ),
        }
        Self {
            what,
            at: node.at,
            members,
            known: Vec::new(),
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.members.iter().any(|(name, ..)| name == key)
    }

    /// The member of this name, which stays to be taken.
    pub(crate) fn peek(&self, key: &str) -> Option<&'n Node> {
        let member = self.members.iter().find(|(name, ..)| name == key)?;
        Some(member.2)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Takes a member.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'n Node> {
        self.known.push(key);
        let member = self.members.iter_mut().find(|(name, ..)| name == key)?;
        member.3 = true;
        // `key:` without a value counts as absent.
        Some(member.2).filter(|n| !matches!(n.value, Value::Null))
    }

    /// Accepts a member that the policy doesn't use.
    pub(crate) fn accept(&mut self, key: &'static str) {
        self.take(key);
    }

    /// Takes a member that is text.
    pub fn text(&mut self, key: &'static str, reader: &mut Reader) -> Option<(String, Position)> {
        let node = self.take(key)?;
        let text = node.text();
        if text.is_none() {
            reader.expected(node, "text");
        }
        text.map(|text| (text, node.at))
    }

    /// Takes a required member.
    pub(crate) fn required(
        &mut self,
        key: &'static str,
        reader: &mut Reader,
    ) -> Option<(String, Position)> {
        if !self.has(key) {
            reader.problem(self.at, format!("{} has no `{key}`", self.what), None);
        }
        self.text(key, reader)
    }

    /// Takes a member that is true or false.
    pub(crate) fn flag(&mut self, key: &'static str, reader: &mut Reader) -> Option<bool> {
        let node = self.take(key)?;
        if let Value::Bool(flag) = node.value {
            return Some(flag);
        }
        reader.expected(node, "`true` or `false`");
        None
    }

    /// Takes a member that is a whole number, not negative.
    pub(crate) fn count(&mut self, key: &'static str, reader: &mut Reader) -> Option<u64> {
        self.take(key).and_then(|node| reader.count(node))
    }

    /// Takes a member that is one text or a list of texts.
    pub(crate) fn texts(
        &mut self,
        key: &'static str,
        reader: &mut Reader,
    ) -> Option<Vec<(String, Position)>> {
        let at = self
            .members
            .iter()
            .find(|(name, ..)| name == key)
            .map(|(_, _, node, _)| node.at);
        let all = self.texts_if_any(key, reader)?;
        if let (true, Some(at)) = (all.is_empty(), at)
            && reader.problems.last().is_none_or(|p| p.at < at)
        {
            reader.problem(
                at,
                format!("the list of `{key}` is empty: nothing would match"),
                None,
            );
        }
        Some(all)
    }

    /// Like [`Self::texts`], but an empty list is valid.
    pub(crate) fn texts_if_any(
        &mut self,
        key: &'static str,
        reader: &mut Reader,
    ) -> Option<Vec<(String, Position)>> {
        let node = self.take(key)?;
        let mut all = Vec::new();
        for item in node.items() {
            match item.text() {
                Some(text) => all.push((text, item.at)),
                None => reader.expected(item, "text"),
            }
        }
        Some(all)
    }

    /// Reports a member without a value.
    pub(crate) fn no_blank(&self, key: &str, reader: &mut Reader) {
        if let Some((_, at, node, _)) = self.members.iter().find(|(name, ..)| name == key)
            && matches!(node.value, Value::Null)
        {
            reader.problem(
                *at,
                format!("`{key}` has no value"),
                Some("leave the key away, or say what is meant".into()),
            );
        }
    }

    /// Reports unknown members.
    pub(crate) fn finish(self, reader: &mut Reader) {
        for (name, at, _, taken) in &self.members {
            if !taken {
                let help = match nearest(name, &self.known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known keys: {}", self.known.join(", ")),
                };
                reader.problem(
                    *at,
                    format!("{} has no key `{name}`", self.what),
                    Some(help),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["effects", "path", "outside_workdir", "max_per_minute"];
        assert_eq!(nearest("efects", &known), Some("effects"));
        assert_eq!(nearest("effcets", &known), Some("effects"));
        assert_eq!(nearest("outside-workdir", &known), Some("outside_workdir"));
        assert_eq!(nearest("outsideWorkdir", &known), Some("outside_workdir"));
        assert_eq!(nearest("paths", &known), Some("path"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(edits("abcd", "acbd"), 1);
    }
}
