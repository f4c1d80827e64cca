//! Table entries, compiled for use.

use super::schema::{OneOrMany, RawFlag, RawSpec, RawValue, RawWhen, Style};
use crate::effect::{EffectKind, RiskLevel};
use rustc_hash::FxHashMap;

/// The role of a word in a program's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Role {
    Text,
    Stat,
    Read,
    /// A file with the names of files to read.
    List,
    Write,
    Edit,
    Delete,
    Move,
    Empty,
    Cwd,
    Config,
    /// A directory that the program makes readable to others.
    Serve,
    Script,
    Command,
    Program,
    /// The remaining words are a command with its arguments; true: on another machine.
    CommandRest(bool),
    /// The remaining words are joined and given to a shell; true: on another machine.
    ShellRest(bool),
    Assigns,
    Code(String),
    Host,
    Source,
    Dest,
    Upload,
    Data,
    Mount,
    Secret,
    Key,
    Args,
    Effect(EffectKind),
}

/// Roles of operands, by position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Operands {
    pub roles: Vec<Role>,
    /// Index of the role that repeats.
    pub repeat: Option<usize>,
}

/// An effect as the table writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EffectSpec {
    pub kind: EffectKind,
    pub possible: bool,
    pub target: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Spec {
    pub effects: Vec<EffectSpec>,
    pub risk: RiskLevel,
    pub style: Option<Style>,
    pub flags: FxHashMap<String, usize>,
    pub flag_list: Vec<Flag>,
    pub operands: Option<Operands>,
    pub subcommands: FxHashMap<String, usize>,
    pub sub_list: Vec<Spec>,
    pub otherwise: Option<Box<Spec>>,
    pub when: Vec<When>,
    pub stdin: Option<Role>,
    pub strict: bool,
    pub no_help: bool,
    /// Whether one of the options can do more than the program does without it.
    pub risky: bool,
    /// The highest risk that one of the options adds.
    pub option_risk: RiskLevel,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Flag {
    pub arg: Option<Role>,
    pub attached_only: bool,
    pub args: usize,
    pub effects: Vec<EffectSpec>,
    pub risk: RiskLevel,
    pub operands: Option<Operands>,
    pub recursive: bool,
    pub dry: bool,
    pub help: bool,
    pub stop: bool,
    pub values: Vec<(Vec<String>, Value)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Value {
    pub effects: Vec<EffectSpec>,
    pub risk: RiskLevel,
    pub dry: bool,
    pub help: bool,
    pub operands: Option<Operands>,
    pub as_program: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct When {
    pub operand: Vec<String>,
    pub flags: Vec<String>,
    pub any: Vec<String>,
    pub without: Vec<String>,
    pub min: Option<usize>,
    pub max: Option<usize>,
    pub dashdash: Option<bool>,
    pub effects: Vec<EffectSpec>,
    pub risk: RiskLevel,
    pub dry: bool,
    pub help: bool,
    pub operands: Option<Operands>,
    pub recursive: bool,
    pub clear: bool,
}

/// A violation of the entry schema.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum TableError {
    #[error("`{name}` is not a valid entry: {message}")]
    Yaml {
        /// Name of the entry.
        name: String,
        /// The YAML parser's message.
        message: String,
    },
    #[error("unknown role `{0}`")]
    Role(String),
    #[error("unknown effect `{0}`")]
    Effect(String),
    #[error("more than one operand role repeats")]
    Repeat,
    #[error("`{0}` does not look like a flag")]
    Flag(String),
}

fn split(names: &str) -> impl Iterator<Item = &str> {
    names.split(',').map(str::trim).filter(|s| !s.is_empty())
}

fn role(text: &str) -> Result<Role, TableError> {
    Ok(match text {
        "text" => Role::Text,
        "stat" => Role::Stat,
        "read" => Role::Read,
        "list" => Role::List,
        "write" => Role::Write,
        "edit" => Role::Edit,
        "delete" => Role::Delete,
        "move" => Role::Move,
        "empty" => Role::Empty,
        "cwd" => Role::Cwd,
        "config" => Role::Config,
        "serve" => Role::Serve,
        "script" => Role::Script,
        "command" | "commands" => Role::Command,
        "program" => Role::Program,
        "command..." => Role::CommandRest(false),
        "remote-command..." => Role::CommandRest(true),
        "shell..." => Role::ShellRest(false),
        "remote-shell..." => Role::ShellRest(true),
        "assign..." => Role::Assigns,
        "host" | "url" => Role::Host,
        "source" => Role::Source,
        "dest" => Role::Dest,
        "upload" => Role::Upload,
        "data" => Role::Data,
        "mount" => Role::Mount,
        "secret" => Role::Secret,
        "key" => Role::Key,
        "args" => Role::Args,
        other => match other.strip_prefix("code:") {
            Some(lang) if !lang.is_empty() => Role::Code(lang.to_owned()),
            _ => Role::Effect(
                EffectKind::from_name(other).ok_or_else(|| TableError::Role(other.to_owned()))?,
            ),
        },
    })
}

fn operands(list: &[String]) -> Result<Operands, TableError> {
    let mut out = Operands::default();
    for text in list {
        let whole = matches!(
            text.as_str(),
            "command..." | "remote-command..." | "shell..." | "remote-shell..." | "assign..."
        );
        match text.strip_suffix("...") {
            Some(base) if !whole => {
                if out.repeat.is_some() {
                    return Err(TableError::Repeat);
                }
                out.repeat = Some(out.roles.len());
                out.roles.push(role(base)?);
            }
            _ => out.roles.push(role(text)?),
        }
    }
    Ok(out)
}

fn effects(list: &[String]) -> Result<Vec<EffectSpec>, TableError> {
    list.iter()
        .map(|text| {
            let (head, target) = match text.split_once(':') {
                Some((h, t)) => (h, Some(t.to_owned())),
                None => (text.as_str(), None),
            };
            let (name, possible) = match head.strip_suffix('?') {
                Some(n) => (n, true),
                None => (head, false),
            };
            let kind =
                EffectKind::from_name(name).ok_or_else(|| TableError::Effect(text.clone()))?;
            Ok(EffectSpec {
                kind,
                possible,
                target,
            })
        })
        .collect()
}

fn value(raw: &RawValue) -> Result<Value, TableError> {
    Ok(Value {
        effects: effects(&raw.effects)?,
        risk: raw.risk.unwrap_or_default(),
        dry: raw.dry,
        help: raw.help,
        operands: raw.operands.as_deref().map(operands).transpose()?,
        as_program: raw.as_program.clone(),
    })
}

fn flag(raw: &RawFlag) -> Result<Flag, TableError> {
    let mut values = Vec::new();
    for (k, v) in &raw.values {
        values.push((split(k).map(str::to_owned).collect::<Vec<_>>(), value(v)?));
    }
    // The catch-all pattern comes last, whatever the order of the file.
    values.sort_by_key(|(k, _)| k.iter().any(|g| g == "*"));
    let attached_only = raw.arg.is_none() && raw.optarg.is_some();
    let arg = raw
        .arg
        .as_deref()
        .or(raw.optarg.as_deref())
        .map(role)
        .transpose()?;
    Ok(Flag {
        args: if arg.is_some() {
            raw.args.unwrap_or(1)
        } else {
            0
        },
        arg,
        attached_only,
        effects: effects(&raw.effects)?,
        risk: raw.risk.unwrap_or_default(),
        operands: raw.operands.as_deref().map(operands).transpose()?,
        recursive: raw.recursive,
        dry: raw.dry,
        help: raw.help,
        stop: raw.stop,
        values,
    })
}

fn when(raw: &RawWhen) -> Result<When, TableError> {
    Ok(When {
        operand: match &raw.operand {
            None => Vec::new(),
            Some(OneOrMany::One(s)) => vec![s.clone()],
            Some(OneOrMany::Many(v)) => v.clone(),
        },
        flags: raw.flags.clone(),
        any: raw.any.clone(),
        without: raw.without.clone(),
        min: raw.min,
        max: raw.max,
        dashdash: raw.dashdash,
        effects: effects(&raw.effects)?,
        risk: raw.risk.unwrap_or_default(),
        dry: raw.dry,
        help: raw.help,
        operands: raw.operands.as_deref().map(operands).transpose()?,
        recursive: raw.recursive,
        clear: raw.clear,
    })
}

impl Role {
    /// Returns whether an option with an argument in this role acts in a dry run too: loaded code
    /// runs, and a log is written.
    pub(crate) fn acts_when_dry(&self) -> bool {
        matches!(
            self,
            Self::Config
                | Self::Script
                | Self::Command
                | Self::Program
                | Self::Code(_)
                | Self::CommandRest(_)
                | Self::ShellRest(_)
        )
    }

    /// Returns whether an unknown word in this role can have an effect.
    fn may_act(&self) -> bool {
        !matches!(
            self,
            Self::Text
                | Self::Stat
                | Self::Read
                | Self::List
                | Self::Cwd
                | Self::Args
                | Self::Assigns
                | Self::Host
                | Self::Source
                | Self::Key
        )
    }
}

impl Value {
    /// Returns the highest risk of the option with this value.
    pub(crate) fn worst(&self) -> RiskLevel {
        let effects = self.effects.iter().map(|e| e.kind.base_risk()).max();
        let mut roles = self.operands.iter().flat_map(|o| &o.roles);
        let acts = if self.as_program.is_some() || roles.any(Role::may_act) {
            RiskLevel::High
        } else {
            RiskLevel::Low
        };
        self.risk.max(effects.unwrap_or_default()).max(acts)
    }
}

impl When {
    /// Returns the highest risk that it adds.
    pub(crate) fn worst(&self) -> RiskLevel {
        let effects = self.effects.iter().map(|e| e.kind.base_risk()).max();
        self.risk.max(effects.unwrap_or_default())
    }

    fn may_act(&self) -> bool {
        !(self.operand.is_empty() && self.any.is_empty() && self.flags.is_empty())
            && (self.risk > RiskLevel::Low
                || self
                    .effects
                    .iter()
                    .any(|e| e.kind.base_risk() > RiskLevel::Low))
    }
}

impl Flag {
    /// Returns the highest risk that the option may add.
    fn worst(&self) -> RiskLevel {
        let role = match &self.arg {
            Some(Role::Effect(kind)) => kind.base_risk(),
            Some(role) if role.may_act() => RiskLevel::High,
            _ => RiskLevel::Low,
        };
        let operands = self.operands.iter().flat_map(|o| &o.roles);
        let acts = self.recursive || operands.clone().any(Role::may_act);
        let effects = self.effects.iter().map(|e| e.kind.base_risk());
        let values = self.values.iter().map(|(_, v)| v.worst());
        let most = effects.chain(values).max().unwrap_or_default();
        let acts = if acts { RiskLevel::High } else { role };
        self.risk.max(most).max(acts)
    }

    fn may_act(&self) -> bool {
        self.arg.as_ref().is_some_and(Role::may_act)
            || self.risk > RiskLevel::Low
            || self.recursive
            || self
                .operands
                .as_ref()
                .is_some_and(|o| o.roles.iter().any(Role::may_act))
            || self
                .effects
                .iter()
                .any(|e| e.kind.base_risk() > RiskLevel::Low)
            || self.values.iter().any(|(_, v)| v.worst() > RiskLevel::Low)
    }
}

impl Operands {
    /// Returns the role of the `at`th of `count` operands.
    pub(crate) fn role(&self, at: usize, count: usize) -> Option<&Role> {
        let Some(repeat) = self.repeat else {
            return self.roles.get(at);
        };
        let tail = self.roles.len().saturating_sub(repeat + 1);
        let left = count.saturating_sub(at);
        if at < repeat {
            self.roles.get(at)
        } else if left <= tail {
            self.roles.get(self.roles.len().saturating_sub(left))
        } else {
            self.roles.get(repeat)
        }
    }
}

impl Spec {
    /// Returns whether the program is a client of a server that runs on this machine unless a host
    /// is named.
    pub(crate) fn talks_to_localhost(&self) -> bool {
        self.effects
            .iter()
            .any(|e| e.kind == EffectKind::Network && e.target.as_deref() == Some("localhost"))
    }

    /// Compiles an entry.
    pub fn compile(raw: &RawSpec) -> Result<Self, TableError> {
        let mut spec = Self {
            effects: effects(&raw.effects)?,
            risk: raw.risk.unwrap_or_default(),
            style: raw.style,
            operands: raw.operands.as_deref().map(operands).transpose()?,
            strict: raw.strict,
            no_help: raw.help == Some(false),
            ..Self::default()
        };
        let dd = raw.style == Some(Style::Dd);
        for (names, raw) in &raw.flags {
            let i = spec.flag_list.len();
            spec.flag_list.push(flag(raw)?);
            for name in split(names) {
                if !dd && !name.starts_with(['-', '+', '/', '@', ':']) {
                    return Err(TableError::Flag(name.to_owned()));
                }
                spec.flags.insert(name.to_owned(), i);
            }
        }
        spec.option_risk = spec
            .flag_list
            .iter()
            .map(Flag::worst)
            .max()
            .unwrap_or_default();
        spec.risky = spec.flag_list.iter().any(Flag::may_act);
        for (names, raw) in &raw.subcommands {
            let i = spec.sub_list.len();
            spec.sub_list.push(Self::compile(raw)?);
            for name in split(names) {
                spec.subcommands.insert(name.to_owned(), i);
            }
        }
        if let Some(o) = &raw.otherwise {
            spec.otherwise = Some(Box::new(Self::compile(o)?));
        }
        spec.when = raw.when.iter().map(when).collect::<Result<_, _>>()?;
        spec.risky |= spec.when.iter().any(When::may_act);
        let by_option = spec
            .when
            .iter()
            .filter(|w| w.operand.is_empty() && !(w.flags.is_empty() && w.any.is_empty()));
        let most = by_option.map(When::worst).max().unwrap_or_default();
        spec.option_risk = spec.option_risk.max(most);
        spec.stdin = raw.stdin.as_deref().map(role).transpose()?;
        Ok(spec)
    }
}
