//! The form of an entry of the program table, as written in YAML.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A line of an entry's own tests.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestLine {
    /// The command.
    pub cmd: String,
    /// Its risk.
    pub risk: super::super::effect::RiskLevel,
    /// Kinds that must all be found.
    #[serde(default)]
    pub effects: Vec<String>,
    /// Kinds that must not be found.
    #[serde(default)]
    pub not: Vec<String>,
}

/// What a program or subcommand does.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawSpec {
    /// Effects of every run.
    pub effects: Vec<String>,
    /// Floor of the risk.
    pub risk: Option<super::super::effect::RiskLevel>,
    /// How arguments are read.
    pub style: Option<Style>,
    /// Flags by spelling.
    pub flags: BTreeMap<String, RawFlag>,
    /// Roles of the operands.
    pub operands: Option<Vec<String>>,
    /// Subcommands by name.
    pub subcommands: BTreeMap<String, RawSpec>,
    /// What an unlisted subcommand is.
    pub otherwise: Option<Box<RawSpec>>,
    /// Conditional additions.
    pub when: Vec<RawWhen>,
    /// What standard input is.
    pub stdin: Option<String>,
    /// Unlisted flags are unknown.
    pub strict: bool,
    /// False: no `--help` and `--version`.
    pub help: Option<bool>,
    /// Name of the program (at the top only).
    pub name: String,
    /// Other names of it (at the top only).
    pub aliases: Vec<String>,
    /// Manual page and section.
    pub source: Option<String>,
    /// Lines with what must come out.
    pub tests: Vec<TestLine>,
}

/// How a program reads its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Options and operands mixed, short ones clustered.
    #[default]
    Gnu,
    /// The first operand ends the options.
    Posix,
    /// Options are words with one or two dashes, never clusters.
    Long,
    /// `key=value`.
    Dd,
    /// Every argument is an operand.
    Raw,
}

/// A flag.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawFlag {
    /// Role of its argument.
    pub arg: Option<String>,
    /// Role of an attached argument.
    pub optarg: Option<String>,
    /// Number of arguments.
    pub args: Option<usize>,
    /// Effects added.
    pub effects: Vec<String>,
    /// Floor of the risk.
    pub risk: Option<super::super::effect::RiskLevel>,
    /// Replaces the operands.
    pub operands: Option<Vec<String>>,
    /// Works on whole trees.
    pub recursive: bool,
    /// Changes nothing.
    pub dry: bool,
    /// Prints help only.
    pub help: bool,
    /// Ends the options; the rest is data.
    pub stop: bool,
    /// Additions by the argument's value.
    pub values: BTreeMap<String, RawValue>,
}

/// What a value of a flag adds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawValue {
    /// Effects added.
    pub effects: Vec<String>,
    /// Floor of the risk.
    pub risk: Option<super::super::effect::RiskLevel>,
    /// Changes nothing.
    pub dry: bool,
    /// Prints help only.
    pub help: bool,
    /// The rest of the words are arguments of this program.
    #[serde(rename = "as")]
    pub as_program: Option<String>,
}

/// One string or several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// A conditional addition.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawWhen {
    /// Globs, one of which an operand matches.
    pub operand: Option<OneOrMany>,
    /// All of these flags are there.
    pub flags: Vec<String>,
    /// One of these is there.
    pub any: Vec<String>,
    /// None of these is there.
    pub without: Vec<String>,
    /// At least so many operands.
    pub min: Option<usize>,
    /// At most so many operands.
    pub max: Option<usize>,
    /// The word `--` is there.
    pub dashdash: Option<bool>,
    /// Effects added.
    pub effects: Vec<String>,
    /// Floor of the risk.
    pub risk: Option<super::super::effect::RiskLevel>,
    /// Changes nothing.
    pub dry: bool,
    /// Prints help only.
    pub help: bool,
    /// Replaces the operands.
    pub operands: Option<Vec<String>>,
    /// Works on whole trees.
    pub recursive: bool,
    /// Drops the spec's own effects and floor first.
    pub clear: bool,
}
