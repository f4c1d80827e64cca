//! The YAML schema of an entry of the program table.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A line of an entry's own tests.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestLine {
    pub cmd: String,
    /// The expected risk.
    pub risk: crate::effect::RiskLevel,
    /// Kinds of effects that must all be found.
    #[serde(default)]
    pub effects: Vec<String>,
    /// Kinds of effects that must not be found.
    #[serde(default)]
    pub not: Vec<String>,
}

/// The effects of a program or subcommand.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawSpec {
    /// Effects of every run.
    pub effects: Vec<String>,
    /// Minimum risk.
    pub risk: Option<crate::effect::RiskLevel>,
    pub style: Option<Style>,
    /// Keyed by spelling, or by several spellings separated by commas.
    pub flags: BTreeMap<String, RawFlag>,
    /// Roles of the operands, by position.
    pub operands: Option<Vec<String>>,
    pub subcommands: BTreeMap<String, RawSpec>,
    /// The entry that applies to an unlisted subcommand.
    pub otherwise: Option<Box<RawSpec>>,
    /// Conditional additions.
    pub when: Vec<RawWhen>,
    /// Role of standard input.
    pub stdin: Option<String>,
    /// Whether unlisted flags are unknown effects.
    pub strict: bool,
    /// If false, the program has no `--help` and `--version`.
    pub help: Option<bool>,
    /// Name of the program (only at the top level).
    pub name: String,
    /// Its other names (only at the top level).
    pub aliases: Vec<String>,
    /// Manual page and section.
    pub source: Option<String>,
    pub tests: Vec<TestLine>,
}

/// How a program parses its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Options and operands mixed, short options clustered.
    #[default]
    Gnu,
    /// The first operand ends the options.
    Posix,
    /// Options are words with one or two dashes, never clusters.
    Long,
    /// Operands of the form `key=value`.
    Dd,
    /// Every argument is an operand.
    Raw,
}

/// A flag of a program.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawFlag {
    /// Role of its argument.
    pub arg: Option<String>,
    /// Role of an optional, attached argument.
    pub optarg: Option<String>,
    pub args: Option<usize>,
    /// Additional effects.
    pub effects: Vec<String>,
    /// Minimum risk.
    pub risk: Option<crate::effect::RiskLevel>,
    /// Replaces the roles of the operands.
    pub operands: Option<Vec<String>>,
    /// Whether the program works on whole directory trees with it.
    pub recursive: bool,
    /// Whether the program changes nothing with it.
    pub dry: bool,
    /// Whether the program only prints help with it.
    pub help: bool,
    /// Whether it ends the options. The remaining words are data.
    pub stop: bool,
    /// Additional effects by value.
    pub values: BTreeMap<String, RawValue>,
}

/// The additional effects of one value of a flag.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawValue {
    pub effects: Vec<String>,
    /// Minimum risk.
    pub risk: Option<crate::effect::RiskLevel>,
    /// Whether the program changes nothing.
    pub dry: bool,
    /// Whether the program only prints help.
    pub help: bool,
    /// Roles that replace those of the entry's operands.
    pub operands: Option<Vec<String>>,
    /// The remaining words are arguments of this program.
    #[serde(rename = "as")]
    pub as_program: Option<String>,
}

/// One string or several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// A conditional addition. All conditions must be met.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawWhen {
    /// An operand matches one of these globs.
    pub operand: Option<OneOrMany>,
    /// All of these flags are given.
    pub flags: Vec<String>,
    /// At least one of these flags is given.
    pub any: Vec<String>,
    /// None of these flags is given.
    pub without: Vec<String>,
    /// Minimum number of operands.
    pub min: Option<usize>,
    /// Maximum number of operands.
    pub max: Option<usize>,
    /// Whether the word `--` is given.
    pub dashdash: Option<bool>,
    /// Additional effects.
    pub effects: Vec<String>,
    /// Minimum risk.
    pub risk: Option<crate::effect::RiskLevel>,
    /// Whether the program changes nothing.
    pub dry: bool,
    /// Whether the program only prints help.
    pub help: bool,
    /// Replaces the roles of the operands.
    pub operands: Option<Vec<String>>,
    /// Whether the program works on whole directory trees.
    pub recursive: bool,
    /// Whether the entry's own effects and minimum risk are dropped first.
    pub clear: bool,
}
