//! Observations: the units that are stored, found and shown.

use sha2::{Digest, Sha256};
use std::fmt;
use util::hex;

/// Maximum number of characters in a summary.
pub const SUMMARY: usize = 120;
/// Hexadecimal digits of an id: 48 bits. Among a million observations, the chance of a collision is
/// 1 in 500.
const DIGITS: usize = 12;

/// The kind of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Execution,
    Turn,
    Command,
    Message,
    Document,
    Progress,
    Log,
    Run,
    Context,
    Skill,
    Code,
    /// A commit of the repository.
    Commit,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Execution,
        Self::Turn,
        Self::Command,
        Self::Message,
        Self::Document,
        Self::Progress,
        Self::Log,
        Self::Run,
        Self::Context,
        Self::Skill,
        Self::Code,
        Self::Commit,
    ];

    /// Returns the name in the store and in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Execution => "execution",
            Self::Turn => "turn",
            Self::Command => "command",
            Self::Message => "message",
            Self::Document => "document",
            Self::Progress => "progress",
            Self::Log => "log",
            Self::Run => "run",
            Self::Context => "context",
            Self::Skill => "skill",
            Self::Code => "code",
            Self::Commit => "commit",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == word)
    }
}

/// The stable id of an observation: a hash of its content and source, but not of its line. Text
/// inserted above it doesn't change the id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(String);

impl Id {
    /// Computes the id of an observation. `repeat` distinguishes observations that are otherwise
    /// equal.
    pub(crate) fn of(observation: &Observation, source: &str, repeat: u64) -> Self {
        let mut hash = Sha256::new();
        let Observation {
            kind,
            task,
            time,
            lines: _,
            summary,
            refs,
            detail,
        } = observation;
        let time = time.map(|t| t.to_string()).unwrap_or_default();
        let refs = refs.join("\n");
        for part in [
            kind.name(),
            source,
            task.as_deref().unwrap_or_default(),
            &time,
            summary,
            &refs,
            detail,
            &repeat.to_string(),
        ] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(hex(hash.finalize().get(..DIGITS / 2).unwrap_or_default()))
    }

    /// Creates an id from user input; case doesn't matter.
    #[must_use]
    pub fn typed(text: &str) -> Self {
        Self(text.trim().to_ascii_lowercase())
    }

    /// Returns the hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A unit of a source. Its texts come from the source and may be hostile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub kind: Kind,
    /// The task, execution or session that it belongs to.
    pub task: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub time: Option<i64>,
    /// The first and last source line, from 1.
    pub lines: (u64, u64),
    /// One line of at most 120 characters.
    pub summary: String,
    /// Mentioned paths and commands.
    pub refs: Vec<String>,
    pub detail: String,
}

impl Observation {
    /// Returns who says it: the role of a message, `assistant` for the turn of an agent, `tool` for
    /// a command.
    pub(crate) fn role(&self) -> Option<&str> {
        match self.kind {
            Kind::Turn => Some("assistant"),
            Kind::Command => Some("tool"),
            // A part of a long message begins with its number: `(2/3) user: …`.
            Kind::Message => {
                let said = match self.summary.strip_prefix('(') {
                    Some(part) => part.split_once(") ").map_or(part, |(_, said)| said),
                    None => &self.summary,
                };
                said.split_once(':').map(|(role, _)| role)
            }
            _ => None,
        }
    }

    /// Passes every text to `visit`.
    pub fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.task.iter_mut().for_each(&mut *visit);
        visit(&mut self.summary);
        self.refs.iter_mut().for_each(&mut *visit);
        visit(&mut self.detail);
    }
}

/// Returns the first line of a text that isn't empty, with folded spaces and cut to the length of a
/// summary.
#[must_use]
pub fn summarise(text: &str) -> String {
    let mut out = String::with_capacity(SUMMARY);
    let mut count = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if count > 0 && count + 1 + length > SUMMARY - 1 {
            out.push('…');
            return out;
        }
        if count > 0 {
            out.push(' ');
            count += 1;
        }
        if length > SUMMARY - 1 {
            out.extend(word.chars().take(SUMMARY - 1));
            out.push('…');
            return out;
        }
        out.push_str(word);
        count += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn observation() -> Observation {
        Observation {
            kind: Kind::Log,
            task: None,
            time: Some(1),
            lines: (1, 1),
            summary: "s".into(),
            refs: vec!["a".into()],
            detail: "d".into(),
        }
    }

    #[test]
    fn ids_depend_on_content_and_origin_and_not_on_lines() {
        let one = observation();
        let moved = Observation {
            lines: (7, 9),
            ..observation()
        };
        assert_eq!(Id::of(&one, "a", 0), Id::of(&moved, "a", 0));
        let other = Observation {
            detail: "e".into(),
            ..observation()
        };
        let ids = [
            Id::of(&one, "a", 0),
            Id::of(&one, "b", 0),
            Id::of(&one, "a", 1),
            Id::of(&other, "a", 0),
        ];
        assert_eq!(
            ids.iter().collect::<std::collections::BTreeSet<_>>().len(),
            4
        );
        assert_eq!(
            Id::typed(&format!(" {} ", ids[0].as_str().to_uppercase())),
            ids[0]
        );
        assert_eq!(
            Kind::ALL.map(|k| Kind::parse(k.name())),
            Kind::ALL.map(Some)
        );
    }

    proptest! {
        #[test]
        fn summaries_are_one_short_line(text in "(\\PC|[ \n\t]){0,300}") {
            let summary = summarise(&text);
            prop_assert!(summary.chars().count() <= SUMMARY);
            prop_assert!(!summary.contains(['\n', '\t']));
        }
    }
}
