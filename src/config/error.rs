//! Errors in a configuration.

use crate::diag::Place;
use crate::features::NotInBuild;

/// One error in a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("{message}")]
    Toml { message: String },
    #[error("unknown key `{key}`; {}", hint(nearest.as_ref()))]
    UnknownKey {
        key: String,
        nearest: Option<String>,
    },
    #[error("no rule has the code `{code}`; {}", hint(nearest.as_ref()))]
    UnknownCode {
        code: String,
        nearest: Option<String>,
    },
    #[error("`{name}` and `{other}` are about the same rule")]
    Twice { name: String, other: String },
    #[error("`{name}` needs a reason")]
    NoReason { name: String },
    #[error("{name} would let everything pass: it needs a `code` or a `fingerprint`")]
    TooWide { name: String },
    #[error("{name}: the path isn't a valid glob: {why}")]
    Glob { name: String, why: String },
    #[error("traces.formats: no format is called `{name}`; {}", hint(nearest.as_ref()))]
    UnknownFormat {
        name: String,
        nearest: Option<String>,
    },
    #[error("reports: no format is called `{name}`; {}", hint(nearest.as_ref()))]
    UnknownReport {
        name: String,
        nearest: Option<String>,
    },
    #[error("reports.{name}: `{path}` leads out of the folder of the configuration")]
    ReportPath { name: String, path: String },
    #[error("{name}: `{date}` isn't a date; write it as 2027-01-31")]
    Date { name: String, date: String },
    #[error("{name} can't be used: {missing}")]
    NotInBuild {
        name: &'static str,
        missing: NotInBuild,
    },
}

fn hint(nearest: Option<&String>) -> String {
    nearest.map_or_else(
        || "nothing known is like it".into(),
        |n| format!("the nearest is `{n}`"),
    )
}

impl ConfigError {
    /// Converts an error of the TOML reader.
    pub(crate) fn from_toml(error: &toml::de::Error) -> Self {
        let message = error.message();
        // The reader's message quotes the unknown key in backticks, then each known key.
        let mut quoted = message.split('`').skip(1).step_by(2);
        match (message.starts_with("unknown field `"), quoted.next()) {
            (true, Some(key)) => Self::UnknownKey {
                key: key.to_owned(),
                nearest: nearest(key, quoted),
            },
            _ => Self::Toml {
                message: message.lines().collect::<Vec<_>>().join(" "),
            },
        }
    }
}

/// An error with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: {error}", place.line, place.column)]
pub struct ConfigProblem {
    pub error: ConfigError,
    /// Position in the file whose name was passed to the reader.
    pub place: Place,
}

/// All errors of a configuration, from top to bottom; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct ConfigErrors(pub Vec<ConfigProblem>);

/// Returns the known word that the word abbreviates, as `claude` does `claude-code`. Otherwise
/// returns the one with the smallest edit distance, unless that exceeds half of the word's length.
pub(crate) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    // A hostile key may be long; it gets no suggestion then.
    let known: Vec<&str> = known.filter(|_| word.len() <= 64).collect();
    let rest = |known: &'k str| known.strip_prefix(word);
    let is_longer = |known: &&&'k str| rest(known).is_some_and(|rest| rest.starts_with('-'));
    if let Some(whole) = known.iter().find(is_longer).filter(|_| word.len() > 2) {
        return Some((*whole).to_owned());
    }
    known
        .into_iter()
        .map(|known| (strsim::levenshtein(word, known), known))
        .min_by_key(|(changes, _)| *changes)
        .filter(|(changes, _)| changes * 2 <= word.chars().count())
        .map(|(_, known)| known.to_owned())
}
