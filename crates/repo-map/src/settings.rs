//! The settings of a map. A map contains them, so that it can be rebuilt.

use serde::{Deserialize, Serialize};
use tokens::Encoding;

/// The output format of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Plain text, for people and models.
    #[default]
    Text,
    /// Markdown, for documentation pages.
    Markdown,
    /// JSON, for programs.
    Json,
}

/// The version of the map format. Maps of other versions aren't compared.
pub const VERSION: u32 = 2;

/// The default limit of tokens of a map.
pub const TOKENS: usize = 1500;

/// The text that precedes the settings in a map.
const MARK: &str = "repomap settings: ";

/// The settings of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The version of the map format, [`VERSION`].
    pub version: u32,
    pub format: Format,
    /// The maximum number of tokens.
    pub tokens: usize,
    /// The name of the encoding in which tokens are counted.
    pub encoding: String,
    /// Paths of files and directories of interest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub focus: Vec<String>,
    /// Search words of interest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// The revision whose differences from the tree are of interest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// Whether line numbers are shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lines: bool,
    /// Whether marks are shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub marks: bool,
    /// Whether the reasons for each file's rank are shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub explain: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            version: VERSION,
            format: Format::default(),
            tokens: TOKENS,
            encoding: Encoding::default().name().to_owned(),
            focus: Vec::new(),
            query: String::new(),
            diff: String::new(),
            lines: false,
            marks: false,
            explain: false,
        }
    }
}

/// Why a map can't be rebuilt from its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoMap {
    /// The text contains no settings.
    #[error("it holds no settings of a repo map")]
    NoSettings,
    /// The settings can't be parsed.
    #[error("its settings can't be read: {0}")]
    Settings(String),
    /// The map has another version of the format.
    #[error("it is of version {0} of repo maps, and this program writes version {VERSION}")]
    Version(u32),
    /// The encoding of the tokens isn't built in.
    #[error("its tokens are counted in `{0}`, which isn't built in")]
    Encoding(String),
}

impl Settings {
    /// Serialises the settings as one line. It can't contain the end of a comment or of a line.
    pub(super) fn line(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        let json = json
            .replace('<', "\\u003c")
            .replace('>', "\\u003e")
            .replace("--", "-\\u002d")
            .replace("##", "#\\u0023");
        let plain: String = json
            .chars()
            .map(|c| {
                if c.is_ascii() {
                    c.to_string()
                } else {
                    c.encode_utf16(&mut [0; 2])
                        .iter()
                        .map(|u| format!("\\u{u:04x}"))
                        .collect()
                }
            })
            .collect();
        format!("{MARK}{plain}")
    }

    /// Returns the encoding of the tokens.
    ///
    /// # Errors
    /// Returns [`NoMap::Encoding`] if it isn't built in.
    pub fn encoding(&self) -> Result<Encoding, NoMap> {
        Encoding::named(&self.encoding).ok_or_else(|| NoMap::Encoding(self.encoding.clone()))
    }

    /// Reads the settings in a map.
    ///
    /// # Errors
    /// Returns [`NoMap`] if there are none, or they can't be used here.
    pub fn of_map(map: &str) -> Result<Settings, NoMap> {
        let unread = |e: serde_json::Error| NoMap::Settings(e.to_string());
        let value: serde_json::Value = if map.trim_start().starts_with('{') {
            let mut whole: serde_json::Value = serde_json::from_str(map).map_err(unread)?;
            whole
                .get_mut("settings")
                .map(serde_json::Value::take)
                .ok_or(NoMap::NoSettings)?
        } else {
            let line = map
                .lines()
                .take(20)
                .find_map(|l| l.split_once(MARK))
                .ok_or(NoMap::NoSettings)?
                .1;
            serde_json::from_str(line.trim_end().trim_end_matches("-->").trim_end())
                .map_err(unread)?
        };
        let version = value
            .get("version")
            .and_then(serde_json::Value::as_u64)
            .ok_or(NoMap::NoSettings)?;
        let version = u32::try_from(version).unwrap_or(u32::MAX);
        if version != VERSION {
            return Err(NoMap::Version(version));
        }
        let settings: Settings = serde_json::from_value(value).map_err(unread)?;
        settings.encoding()?;
        Ok(settings)
    }
}

/// Returns whether a text is a map, by its first lines.
pub(super) fn is_map(text: &str) -> bool {
    // A JSON map starts with its kind. One of version 1 has its members in the order of their
    // names.
    if text.starts_with("{\n  \"kind\": \"repomap\",\n") {
        return true;
    }
    if text.starts_with("{\n  \"definitions\": {") {
        return text.contains("\n  \"kind\": \"repomap\",\n");
    }
    text.lines().take(4).any(|line| {
        let line = line
            .strip_prefix("# ")
            .or_else(|| line.strip_prefix("<!-- "))
            .unwrap_or(line);
        line.starts_with(MARK)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_cannot_be_used_is_said() {
        assert_eq!(Settings::of_map("x"), Err(NoMap::NoSettings));
        assert_eq!(
            Settings::of_map("# repomap settings: {\"version\":9}"),
            Err(NoMap::Version(9))
        );
        assert!(matches!(
            Settings::of_map("# repomap settings: {\"version\":2}"),
            Err(NoMap::Settings(_))
        ));
        assert!(matches!(Settings::of_map("{"), Err(NoMap::Settings(_))));
        let other = Settings {
            encoding: "x".into(),
            ..Settings::default()
        };
        assert_eq!(
            Settings::of_map(&other.line()),
            Err(NoMap::Encoding("x".into()))
        );
    }

    proptest! {
        #[test]
        fn settings_come_back(query in any::<String>(), focus in proptest::collection::vec(any::<String>(), 0..3), lines: bool) {
            let settings = Settings { focus, query, lines, ..Settings::default() };
            let line = settings.line();
            prop_assert!(line.is_ascii() && !line.contains(['\n', '<', '>']) && !line.contains("--"));
            prop_assert_eq!(Settings::of_map(&format!("x\n<!-- {line} -->\ny")), Ok(settings));
            let map = format!("# {line}");
            prop_assert!(is_map(&map));
        }
    }
}
