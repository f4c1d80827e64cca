//! What a map was built with. The map contains it, so that anyone can build the map again.

use serde::{Deserialize, Serialize};
use tokens::Encoding;

/// Ways to write a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// For people and models.
    #[default]
    Text,
    /// For pages.
    Markdown,
    /// For programs.
    Json,
}

/// The version of the maps that are written. Another one is never compared with them.
pub const VERSION: u32 = 1;

/// Tokens of a map unless told otherwise.
pub const TOKENS: usize = 1500;

/// Precedes the settings in a map.
const MARK: &str = "repomap settings: ";

/// What a map was built with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// [`VERSION`].
    pub version: u32,
    /// How it is written.
    pub format: Format,
    /// Tokens that it may have.
    pub tokens: usize,
    /// The name of the encoding that they are counted in.
    pub encoding: String,
    /// Files and folders of interest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub focus: Vec<String>,
    /// Words of interest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// Whether lines are numbered.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lines: bool,
    /// Whether marks are shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub marks: bool,
    /// Whether it says why files stand where they stand.
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
            lines: false,
            marks: false,
            explain: false,
        }
    }
}

/// Why a text can't be built again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoMap {
    /// It doesn't say what it was built with.
    #[error("it holds no settings of a repo map")]
    NoSettings,
    /// What it says can't be read.
    #[error("its settings can't be read: {0}")]
    Settings(String),
    /// Another version wrote it.
    #[error("it is of version {0} of repo maps, and this is version {VERSION}")]
    Version(u32),
    /// It was counted in an encoding that isn't built in.
    #[error("its tokens are counted in `{0}`, which isn't built in")]
    Encoding(String),
}

impl Settings {
    /// The settings on one line. Neither a comment nor a line ends inside.
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

    /// The encoding.
    ///
    /// # Errors
    /// [`NoMap::Encoding`] when it isn't built in.
    pub fn encoding(&self) -> Result<Encoding, NoMap> {
        Encoding::named(&self.encoding).ok_or_else(|| NoMap::Encoding(self.encoding.clone()))
    }

    /// The settings that a map names.
    ///
    /// # Errors
    /// [`NoMap`] when it names none that can be used here.
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

/// Whether a text is a map: by its first lines, which every map has.
pub(super) fn is_map(text: &str) -> bool {
    // Members of a map in JSON are sorted by name and indented by two spaces.
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
            Settings::of_map("# repomap settings: {\"version\":1}"),
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
