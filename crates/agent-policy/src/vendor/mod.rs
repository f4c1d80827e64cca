//! Policies in the formats of coding agents: Claude Code, Codex and Gemini CLI.
//!
//! A vendor's file is translated into a pack, and the pack is read like any other: there is no
//! second evaluator. Each rule keeps its text and its place in the vendor's file. What can't be
//! said exactly gets the stricter reading, and is listed as a [`Gap`].

mod claude;
mod claude_modes;
mod claude_paths;
mod claude_rules;
mod codex;
mod codex_config;
mod export;
mod gemini;
mod gemini_rules;
mod json;
mod pack;
mod starlark;
mod toml_tree;

pub use claude::{SettingsFile, SettingsLevel};
pub use export::{Export, Loss, export};
pub use pack::{Gap, Translation};

use crate::model::Policy;
use crate::read::load;
use crate::yaml::{Position, Problem};
use shell_effects::EffectKind;
use std::path::Path;

/// Maximum size of a vendor's file in bytes.
const MAX_BYTES: usize = 4 << 20;

/// A format of a policy that another program defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VendorFormat {
    /// `settings.json` of Claude Code.
    Claude,
    /// `.rules` and `config.toml` of Codex.
    Codex,
    /// Policies of Gemini CLI: TOML with `[[rule]]`.
    Gemini,
}

impl VendorFormat {
    pub const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// The format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Splits `FORMAT:PATH`.
    #[must_use]
    pub fn split(text: &str) -> Option<(Self, &str)> {
        let (name, path) = text.split_once(':')?;
        Some((Self::from_name(name)?, path)).filter(|(_, path)| !path.is_empty())
    }

    /// The format of a file, by its name and what it contains; `None` for a pack.
    #[must_use]
    pub fn detect(file: &str, text: &str) -> Option<Self> {
        let path = Path::new(file);
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "json" => claude::is_settings(&name, text).then_some(Self::Claude),
            "rules" => Some(Self::Codex),
            "toml" if gemini::is_policy(text) => Some(Self::Gemini),
            "toml" => codex_config::is_config(text).then_some(Self::Codex),
            _ => None,
        }
    }

    /// Translates a file of this format into a pack. `name` is the id of the pack.
    ///
    /// # Errors
    /// All errors, in the order of the file.
    pub fn translate(self, name: &str, text: &str) -> Result<Translation, Vec<Problem>> {
        check_size(0, text)?;
        match self {
            Self::Claude => claude::translate(name, &[SettingsFile::alone(text)]),
            Self::Codex if codex_config::is_config(text) => codex_config::translate(name, text),
            Self::Codex => codex::translate(name, text),
            Self::Gemini => gemini::translate(name, text),
        }
    }

    /// Reads a policy of this format.
    ///
    /// # Errors
    /// All errors, in the order of the file.
    pub fn load(self, name: &str, text: &str) -> Result<Policy, Vec<Problem>> {
        self.translate(name, text)?.load()
    }
}

/// Translates settings of Claude Code on several levels into one pack. The file of the highest
/// level comes first. `name` is the id of the pack.
///
/// # Errors
/// All errors, by file and in the order of each.
pub fn translate_settings(
    name: &str,
    files: &[SettingsFile<'_>],
) -> Result<Translation, Vec<Problem>> {
    for (source, file) in (0..).zip(files) {
        check_size(source, file.text)?;
    }
    claude::translate(name, files)
}

fn check_size(source: u16, text: &str) -> Result<(), Vec<Problem>> {
    if text.len() <= MAX_BYTES {
        return Ok(());
    }
    let at = Position {
        source,
        ..Position::default()
    };
    let message = format!("the file has {} bytes; it may have {MAX_BYTES}", text.len());
    let help = None;
    Err(vec![Problem { at, message, help }])
}

/// Reads the policy of a file, in the format that it has. The file's name is the id if it contains
/// none.
///
/// # Errors
/// All errors, in the order of the file.
pub fn load_file(file: &str, text: &str) -> Result<Policy, Vec<Problem>> {
    let stem = Path::new(file).file_stem();
    let name = stem.map_or_else(|| file.into(), |stem| stem.to_string_lossy());
    match VendorFormat::detect(file, text) {
        Some(format) => format.load(&name, text),
        None => load(&name, text),
    }
}

/// The names of the effects that are known.
fn known_effects() -> Vec<&'static str> {
    let known = EffectKind::ALL.into_iter();
    let known = known.filter(|kind| !matches!(kind, EffectKind::Unknown | EffectKind::Dynamic));
    known.map(EffectKind::as_str).collect()
}

#[cfg(test)]
mod tests;
