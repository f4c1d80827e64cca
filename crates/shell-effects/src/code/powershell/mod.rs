//! PowerShell: cmdlets and what their arguments are, `policies/code/powershell.yaml`.

mod call;
mod expression;
mod read;
#[cfg(test)]
mod tests;

use crate::chars::{UNKNOWN, has_unknown};
use crate::effect::{EffectKind, RiskLevel, Span};
use crate::interpreter::engine::Engine;
use crate::interpreter::expand::Arg;
use read::{Followed, Reader};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Adds the effects of PowerShell code.
pub(super) fn code(cx: &mut Engine<'_>, arg: &Arg) {
    let before = cx.clone_cwd();
    let text = crate::chars::source(&arg.text);
    if let Err(why) = Reader::new(cx, &text, arg.span, false).run() {
        cx.dynamic(arg.span, format!("{NOT_FOLLOWED}: {why}"));
    }
    cx.set_cwd(before);
}

/// Why code is rated high that isn't understood.
pub(crate) const NOT_FOLLOWED: &str = "PowerShell that isn't followed";

/// Adds the effects of a line that may be PowerShell. Returns why it isn't followed, or whether it
/// is surely PowerShell.
pub(crate) fn line(cx: &mut Engine<'_>, text: &str) -> Result<bool, &'static str> {
    let span = Span::new(0, text.len());
    let mut reader = Reader::new(cx, text, span, true);
    reader.run()?;
    Ok(reader.is_certain)
}

/// Returns whether a name is one of a listed cmdlet, or an alias of one.
pub(crate) fn is_cmdlet(name: &str) -> bool {
    TABLE.index.contains_key(name.to_ascii_lowercase().as_str())
}

/// The value of an expression, as far as it is known.
#[derive(Debug, Clone)]
struct Value {
    /// The text, with [`UNKNOWN`] for unknown parts.
    text: String,
    /// Whether it is made of literals alone.
    is_literal: bool,
    quoted: bool,
    /// Whether it holds an environment variable whose name suggests a secret.
    is_secret: bool,
    /// Whether it holds the output of a command.
    is_computed: bool,
    /// Whether a part of a parameter's name is quoted.
    is_odd: bool,
    /// Whether it is a block of code, whose effects were added when it was read.
    is_block: bool,
}

impl Value {
    fn literal(text: String) -> Self {
        Self {
            text,
            is_literal: true,
            ..Self::unknown()
        }
    }

    fn unknown() -> Self {
        Self {
            text: UNKNOWN.to_string(),
            is_literal: false,
            quoted: false,
            is_secret: false,
            is_computed: false,
            is_odd: false,
            is_block: false,
        }
    }

    fn computed() -> Self {
        Self {
            is_computed: true,
            ..Self::unknown()
        }
    }

    /// Appends a text.
    fn push(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.is_literal &= other.is_literal;
        self.is_secret |= other.is_secret;
        self.is_computed |= other.is_computed;
        self.is_odd |= other.is_odd;
    }

    /// Returns a value that is computed of both.
    fn with(&self, other: &Self) -> Self {
        Self {
            is_literal: self.is_literal && other.is_literal,
            is_secret: self.is_secret || other.is_secret,
            is_computed: self.is_computed || other.is_computed,
            ..Self::unknown()
        }
    }

    /// Returns the result of a test of this value, which doesn't show it.
    fn tested(self) -> Self {
        Self {
            is_computed: self.is_computed,
            ..Self::unknown()
        }
    }

    fn has_unknown(&self) -> bool {
        has_unknown(&self.text)
    }
}

/// An argument: values separated by commas.
struct Word {
    values: Vec<Value>,
    /// Whether it begins without a quote or variable.
    is_bare: bool,
}

impl Word {
    /// Returns the text after the dash of a parameter.
    fn parameter(&self) -> Option<&str> {
        let first = self.values.first().filter(|_| self.is_bare)?;
        let text = first.text.strip_prefix('-')?;
        text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '-' | '_' | '?'))
            .then_some(text)
    }
}

/// What a value of a parameter is for a cmdlet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    Read,
    Stat,
    /// Only whether it exists.
    Exists,
    Write,
    Delete,
    Move,
    Named,
    Sibling,
    Url,
    Host,
    Data,
    /// A block of code.
    Block,
    Chdir,
    Filter,
    Member,
    Text,
    Switch,
    Recurse,
}

/// A position of arguments without a name.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// The group of parameters that it fills.
    Group(usize),
    Role(Role, bool),
}

#[derive(Debug, Default)]
struct Cmdlet {
    name: String,
    native: Vec<String>,
    slots: Vec<Slot>,
    /// Names in lower case, with the index of their group.
    parameters: Vec<(String, usize)>,
    /// The role of each group.
    groups: Vec<Role>,
    input: Option<Role>,
    /// Values that a group may have.
    only: FxHashMap<usize, Vec<String>>,
    floor: Option<(EffectKind, RiskLevel)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCmdlet {
    names: Vec<String>,
    #[serde(default)]
    native: Vec<String>,
    #[serde(default)]
    operands: Vec<String>,
    #[serde(default)]
    parameters: BTreeMap<String, Role>,
    input: Option<Role>,
    #[serde(default)]
    only: BTreeMap<String, String>,
    risk: Option<RiskLevel>,
    effect: Option<EffectKind>,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests"))]
    tests: Vec<(String, RiskLevel)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[expect(dead_code, reason = "there is one so far")]
    version: u64,
    common: BTreeMap<String, Role>,
    operators: String,
    tests: String,
    casts: String,
    statics: BTreeMap<String, String>,
    methods: String,
    properties: String,
    refused: String,
    cmdlets: Vec<RawCmdlet>,
}

fn file() -> Option<File> {
    serde_saphyr::from_str(include_str!("../../../../../policies/code/powershell.yaml")).ok()
}

fn words(text: &str) -> FxHashSet<String> {
    text.split_ascii_whitespace()
        .map(str::to_ascii_lowercase)
        .collect()
}

/// The cmdlets and names of PowerShell. If the file can't be read, nothing is known.
#[derive(Debug, Default)]
struct Names {
    cmdlets: Vec<Cmdlet>,
    /// Index of the cmdlet for each of its names in lower case.
    index: FxHashMap<String, usize>,
    operators: FxHashSet<String>,
    tests: FxHashSet<String>,
    casts: FxHashSet<String>,
    statics: FxHashSet<(String, String)>,
    methods: FxHashSet<String>,
    properties: FxHashSet<String>,
    refused: FxHashSet<String>,
}

static TABLE: LazyLock<Names> =
    LazyLock::new(|| file().as_ref().and_then(Names::new).unwrap_or_default());

impl Names {
    fn new(file: &File) -> Option<Self> {
        let mut all = Self {
            operators: words(&file.operators),
            tests: words(&file.tests),
            casts: words(&file.casts),
            methods: words(&file.methods),
            properties: words(&file.properties),
            refused: words(&file.refused),
            ..Self::default()
        };
        for (types, members) in &file.statics {
            for class in words(types) {
                let members = words(members).into_iter();
                all.statics.extend(members.map(|m| (class.clone(), m)));
            }
        }
        for raw in &file.cmdlets {
            let cmdlet = Cmdlet::new(raw, &file.common)?;
            for name in &raw.names {
                let known = all
                    .index
                    .insert(name.to_ascii_lowercase(), all.cmdlets.len());
                if known.is_some() {
                    return None;
                }
            }
            all.cmdlets.push(cmdlet);
        }
        Some(all)
    }

    fn cmdlet(&self, name: &str) -> Option<&Cmdlet> {
        self.cmdlets.get(*self.index.get(name)?)
    }

    fn is_cast(&self, name: &str) -> bool {
        self.casts
            .contains(name.strip_prefix("system.").unwrap_or(name))
    }

    fn is_static(&self, class: &str, member: &str) -> bool {
        let class = class.strip_prefix("system.").unwrap_or(class);
        self.statics
            .contains(&(class.to_owned(), member.to_owned()))
    }

    fn is_method(&self, name: &str) -> bool {
        self.methods.contains(name)
    }

    fn is_test(&self, operator: &str) -> bool {
        self.tests.contains(operator)
    }

    /// Returns the name of an operator without the prefix for its case.
    fn operator<'n>(&self, name: &'n str) -> Followed<&'n str> {
        if name.is_empty() || self.operators.contains(name) {
            return Ok(name);
        }
        let plain = name.strip_prefix(['c', 'i']).unwrap_or_default();
        if self.operators.contains(plain) {
            return Ok(plain);
        }
        Err("an operator that isn't listed")
    }
}

fn names(key: &str) -> impl Iterator<Item = String> {
    key.split(',').map(|name| name.trim().to_ascii_lowercase())
}

impl Cmdlet {
    fn new(raw: &RawCmdlet, common: &BTreeMap<String, Role>) -> Option<Self> {
        let mut cmdlet = Self {
            name: raw.names.first()?.clone(),
            native: raw.native.clone(),
            input: raw.input,
            floor: raw
                .effect
                .map(|kind| (kind, raw.risk.unwrap_or(kind.base_risk()))),
            ..Self::default()
        };
        for (key, role) in raw.parameters.iter().chain(common) {
            let group = cmdlet.groups.len();
            cmdlet.groups.push(*role);
            let own = names(key).map(|name| (name, group));
            cmdlet.parameters.extend(own);
        }
        for operand in &raw.operands {
            let (word, repeats) = operand
                .strip_suffix("...")
                .map_or((operand.as_str(), false), |word| (word, true));
            let slot = match cmdlet.group(&word.to_ascii_lowercase()) {
                Some(group) if word.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    Slot::Group(group)
                }
                _ => Slot::Role(serde_saphyr::from_str(word).ok()?, repeats),
            };
            cmdlet.slots.push(slot);
        }
        for (key, values) in &raw.only {
            let group = cmdlet.group(&names(key).next()?)?;
            cmdlet
                .only
                .insert(group, words(values).into_iter().collect());
        }
        Some(cmdlet)
    }

    /// Returns the group of the parameter with exactly this name.
    fn group(&self, name: &str) -> Option<usize> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, group)| *group)
    }

    /// Returns the group of a parameter by its name or the beginning of one name alone.
    fn resolve(&self, name: &str) -> Option<usize> {
        let name = name.to_ascii_lowercase();
        if let Some(group) = self.group(&name) {
            return Some(group);
        }
        let mut begins = self
            .parameters
            .iter()
            .filter(|(known, _)| known.starts_with(&name));
        let (_, group) = begins.next()?;
        begins.next().is_none().then_some(*group)
    }
}
