//! What can be wrong with a configuration.

use crate::diag::Place;
use crate::features::NotInBuild;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
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
    #[error("{name}: the path is no glob: {why}")]
    Glob { name: String, why: String },
    #[error("traces.formats: no format is called `{name}`; {}", hint(nearest.as_ref()))]
    UnknownFormat {
        name: String,
        nearest: Option<String>,
    },
    #[error("reports.{name}: `{path}` leads out of the folder of the configuration")]
    ReportPath { name: String, path: String },
    #[error("{name}: `{date}` is no day; write it as 2027-01-31")]
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
    /// An error of the reader.
    pub(super) fn from_toml(error: &toml::de::Error) -> Self {
        let message = error.message();
        // The reader lists what it knows in backticks, behind the key that it doesn't.
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

/// An error and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: {error}", place.line, place.column)]
pub struct ConfigProblem {
    /// What is wrong.
    pub error: ConfigError,
    /// Where, in the file that was named to the reader.
    pub place: Place,
}

/// Everything that is wrong with a configuration, from top to bottom; never nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct ConfigErrors(pub Vec<ConfigProblem>);

/// The known word that takes the fewest changes, unless that changes more than half of it.
pub(crate) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    // A hostile key may be long; nothing is like it then.
    known
        .filter(|_| word.len() <= 64)
        .map(|known| (strsim::levenshtein(word, known), known))
        .min_by_key(|(changes, _)| *changes)
        .filter(|(changes, _)| changes * 2 <= word.chars().count())
        .map(|(_, known)| known.to_owned())
}
