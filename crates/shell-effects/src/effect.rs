//! What a command does: effects, how sure we are, and the risk that follows.

pub use governance::RiskLevel;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Bytes `from..to` of the original line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub from: usize,
    /// One past the last byte.
    pub to: usize,
}

impl Span {
    /// A span; `to` is never before `from`, so that a slip can't produce a negative length.
    #[must_use]
    pub fn new(from: usize, to: usize) -> Self {
        Self {
            from,
            to: to.max(from),
        }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            from: self.from.min(other.from),
            to: self.to.max(other.to),
        }
    }
}

impl Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        [self.from, self.to].serialize(s)
    }
}

/// Kind of an effect (the closed set of the policy language).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// Reads a path.
    Read,
    /// Creates or changes a path.
    Write,
    /// Removes a path or its contents.
    Delete,
    /// Runs a program of the project (builds, tests, scripts).
    Execute,
    /// Runs what can't be known from the text.
    Dynamic,
    /// Contacts a host.
    Network,
    /// Gains or uses another user's rights.
    Privilege,
    /// Signals or stops processes.
    Process,
    /// Installs or removes packages.
    Install,
    /// Reads a git repository.
    GitRead,
    /// Changes a git repository in a way that can be undone.
    GitWrite,
    /// Rewrites history or throws uncommitted work away.
    GitRewrite,
    /// Reads or moves secrets.
    Credential,
    /// Services, mounts, partitions, kernel, users.
    System,
    /// Not in the table.
    Unknown,
}

impl EffectKind {
    /// All kinds, in the order of the specification.
    pub const ALL: [Self; 15] = [
        Self::Read,
        Self::Write,
        Self::Delete,
        Self::Execute,
        Self::Dynamic,
        Self::Network,
        Self::Privilege,
        Self::Process,
        Self::Install,
        Self::GitRead,
        Self::GitWrite,
        Self::GitRewrite,
        Self::Credential,
        Self::System,
        Self::Unknown,
    ];

    /// The name used in tables, policies and reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Execute => "execute",
            Self::Dynamic => "dynamic",
            Self::Network => "network",
            Self::Privilege => "privilege",
            Self::Process => "process",
            Self::Install => "install",
            Self::GitRead => "git_read",
            Self::GitWrite => "git_write",
            Self::GitRewrite => "git_rewrite",
            Self::Credential => "credential",
            Self::System => "system",
            Self::Unknown => "unknown",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == name)
    }

    /// The risk that an effect of this kind brings when nothing else is known
    /// (paths and counts may raise or lower it).
    #[must_use]
    pub fn base_risk(self) -> RiskLevel {
        match self {
            Self::Read | Self::GitRead => RiskLevel::Low,
            Self::Write
            | Self::Delete
            | Self::Execute
            | Self::Network
            | Self::Install
            | Self::GitWrite => RiskLevel::Medium,
            Self::Dynamic
            | Self::Privilege
            | Self::Process
            | Self::GitRewrite
            | Self::Credential
            | Self::System
            | Self::Unknown => RiskLevel::High,
        }
    }
}

/// How sure the analyser is that the effect happens when the line runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Happens if the command is reached.
    Certain,
    /// May happen, depending on what can't be seen.
    Possible,
}

/// One effect with the text that causes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// Kind.
    #[serde(rename = "effect")]
    pub kind: EffectKind,
    /// Path, host, package or program, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Certain or possible.
    pub certainty: Certainty,
    /// Bytes of the original line that cause it; for decoded text the outer text.
    pub span: Span,
    /// The risk that this effect alone brings.
    pub risk: RiskLevel,
    /// Why, in a few words.
    pub why: Cow<'static, str>,
    /// For effects on paths: where the path points, seen from where the line stands when it gets
    /// there.
    #[serde(skip)]
    pub place: Option<super::path::PathInfo>,
    /// For effects on paths: whether what stands there is changed, and not only looked at. The kind
    /// doesn't always tell: a device that is read and one that is written are both effects on the
    /// system.
    #[serde(skip)]
    pub changes: bool,
}

/// How a program comes to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Written in the line itself.
    Direct,
    /// By a program that runs another (`sudo`, `timeout`, `find -exec`).
    Wrapper,
    /// In `$(…)`, backticks or a process substitution.
    Substitution,
    /// As text given to a shell (`sh -c`, `eval`, a here-document, decoded text).
    Code,
    /// In a function that the line defines.
    Function,
}

/// One program that the line would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Index of the step that runs this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// How it comes to be run.
    pub how: How,
    /// The program's name as the table knows it (without the directory).
    pub program: String,
    /// Its arguments; what isn't known stands as `$…`.
    pub args: Vec<String>,
    /// Where it stands.
    pub span: Span,
}

/// What the analyser found for one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct Analysis {
    /// The worst of the effects.
    pub risk: RiskLevel,
    /// Everything the line does, in the order of the text.
    pub effects: Vec<Effect>,
    /// True if the line isn't understood; its risk is high then.
    pub unparsed: bool,
    /// What would run, parents before children.
    pub tree: Vec<Step>,
    /// True if there was more than is kept: effects or steps are missing here (the risk counts
    /// them).
    #[serde(skip)]
    pub cut: bool,
}

impl Analysis {
    /// True if an effect of this kind was found.
    #[must_use]
    pub fn has(&self, kind: EffectKind) -> bool {
        self.effects.iter().any(|e| e.kind == kind)
    }

    /// Adds what another analysis found.
    pub fn join(&mut self, other: Self) {
        let steps = self.tree.len();
        self.risk = self.risk.max(other.risk);
        self.unparsed |= other.unparsed;
        self.cut |= other.cut;
        self.effects.extend(other.effects);
        self.tree.extend(other.tree.into_iter().map(|step| Step {
            parent: step.parent.map(|p| p + steps),
            ..step
        }));
    }

    /// Why the risk is what it is, the worst first; each thing once, and not more than a person
    /// reads.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        const MOST: usize = 12;
        let mut ranked: Vec<&Effect> = self
            .effects
            .iter()
            .filter(|e| e.risk > RiskLevel::Low)
            .collect();
        ranked.sort_by_key(|e| std::cmp::Reverse(e.risk));
        let mut reasons: Vec<String> = Vec::new();
        for e in ranked {
            let line = match &e.target {
                Some(t) => format!("{} `{t}`: {}", e.kind.as_str(), e.why),
                None => format!("{}: {}", e.kind.as_str(), e.why),
            };
            if reasons.len() == MOST {
                break;
            }
            if !reasons.contains(&line) {
                reasons.push(line);
            }
        }
        reasons
    }
}
