//! Effects of a command, their certainty, and the risk that follows.

pub use governance::RiskLevel;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A byte range `from..to` of the original line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub from: usize,
    /// Exclusive end.
    pub to: usize,
}

impl Span {
    /// Creates a span. A `to` before `from` is raised to `from`, so that no length is negative.
    #[must_use]
    pub fn new(from: usize, to: usize) -> Self {
        Self {
            from,
            to: to.max(from),
        }
    }

    /// Returns the smallest span that contains both.
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

/// The kind of an effect: the closed set of the policy language.
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
    /// Runs code that can't be determined from the text.
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
    /// Changes services, mounts, partitions, the kernel or users.
    System,
    /// Runs a program or calls a tool whose effects aren't known.
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

    /// Returns what an effect of this kind does, for an effect without a reason of its own.
    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Delete => "removes",
            Self::Execute => "runs the project's own code",
            Self::Dynamic => "runs what can't be known from the text",
            Self::Network => "uses the network",
            Self::Privilege => "uses another user's rights",
            Self::Process => "stops or signals processes",
            Self::Install => "installs or removes packages",
            Self::GitRead => "reads the repository",
            Self::GitWrite => "changes the repository",
            Self::GitRewrite => "rewrites history or throws work away",
            Self::Credential => "reads or moves secrets",
            Self::System => "changes the system",
            Self::Unknown => "isn't in the table",
        }
    }

    /// Returns the name used in tables, policies and reports.
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

    /// Returns the kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == name)
    }

    /// Returns the risk of an effect of this kind when nothing else is known. Paths and counts may
    /// raise or lower it.
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

/// Whether an effect surely happens when the line runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Happens if the command is reached.
    Certain,
    /// May happen; the text doesn't determine it.
    Possible,
}

/// One effect with the text that causes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effect {
    #[serde(rename = "effect")]
    pub kind: EffectKind,
    /// A path, host, package or program, if one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    pub certainty: Certainty,
    /// Bytes of the original line that cause it. For decoded text, the outer text.
    pub span: Span,
    /// The risk of this effect alone.
    pub risk: RiskLevel,
    /// The reason, in a few words.
    pub why: Cow<'static, str>,
    /// For effects on paths: the classified path, resolved against the current directory of the
    /// command.
    #[serde(skip)]
    pub path_info: Option<crate::paths::path::PathInfo>,
    /// For effects on paths: whether the path is changed rather than only read. The kind doesn't
    /// always imply it: reading a device and writing one are both effects on the system.
    #[serde(skip)]
    pub changes: bool,
}

/// The reason why a program is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOrigin {
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
    #[serde(rename = "how")]
    pub origin: StepOrigin,
    /// The program's name in the table, without the directory.
    pub program: String,
    /// The arguments; unknown parts are shown as `$…`.
    pub args: Vec<String>,
    pub span: Span,
}

/// The result of analysing one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct Analysis {
    /// The highest risk of the effects.
    pub risk: RiskLevel,
    /// In the order of the text.
    pub effects: Vec<Effect>,
    /// Whether the line isn't understood. Its risk is high then.
    pub unparsed: bool,
    /// The programs that would run, parents before children.
    pub tree: Vec<Step>,
    /// Whether effects or steps beyond the limit were dropped. `risk` includes the dropped ones.
    #[serde(skip)]
    pub truncated: bool,
}

impl Analysis {
    /// Returns whether an effect of this kind was found.
    #[must_use]
    pub fn has(&self, kind: EffectKind) -> bool {
        self.effects.iter().any(|e| e.kind == kind)
    }

    /// Adds the results of another analysis.
    pub fn join(&mut self, other: Self) {
        let steps = self.tree.len();
        self.risk = self.risk.max(other.risk);
        self.unparsed |= other.unparsed;
        self.truncated |= other.truncated;
        self.effects.extend(other.effects);
        self.tree.extend(other.tree.into_iter().map(|step| Step {
            parent: step.parent.map(|p| p + steps),
            ..step
        }));
    }

    /// Returns the reasons for the risk, highest risk first, without duplicates. The number is
    /// limited to what a person can read.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        const MAX_REASONS: usize = 12;
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
            if reasons.len() == MAX_REASONS {
                break;
            }
            if !reasons.contains(&line) {
                reasons.push(line);
            }
        }
        reasons
    }
}
