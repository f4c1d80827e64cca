//! The facts about an action that conditions use. Each is computed once, on first use.

use super::action::Action;
use super::command_text::{CommandText, has_other_text};
use super::effect::Tristate;
use super::network::{NetworkRequest, requests};
use super::parts::Parts;
use super::path::{PathFacts, TouchedPath};
use super::surroundings::Surroundings;
use governance::{ActionType, RiskLevel};
use shell_effects::command_line::CommandLine;
use shell_effects::{
    Analysis, Certainty, Context, Effect, EffectKind, Param, Span, Step, StepOrigin, analyse,
    effects_of_answer, effects_of_diff, effects_of_diff_extras, effects_of_tool,
};
use std::cell::OnceCell;

/// The bit of an effect kind.
pub const fn bit(kind: EffectKind) -> u32 {
    1 << kind as u32
}

/// Effect kinds that may hide any other.
pub(crate) const HIDDEN: u32 = bit(EffectKind::Unknown) | bit(EffectKind::Dynamic);

/// The part of the category `git` that changes a repository.
pub(crate) const GIT_WRITE: u32 = 1 << 6;

/// The bits of all parts of categories.
pub(crate) const CATEGORY_BITS: [u32; 7] = [1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, GIT_WRITE];

/// The category of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Reads files.
    Read,
    /// Changes files.
    Write,
    /// Runs programs.
    Execute,
    /// Contacts hosts.
    Network,
    /// Uses or changes a repository.
    Git,
    /// Removes something, or changes rights, services, packages, secrets or processes.
    Admin,
}

impl Category {
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Write,
        Self::Execute,
        Self::Network,
        Self::Git,
        Self::Admin,
    ];

    /// The name in policies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
            Self::Network => "network",
            Self::Git => "git",
            Self::Admin => "admin",
        }
    }

    /// Its bit in a set of categories.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// The bits of its parts.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Git => self.bit() | GIT_WRITE,
            _ => self.bit(),
        }
    }

    /// The parts of categories that an effect belongs to, as bits. Removing something is both a
    /// change and administration, so a rule that allows needs both, and a rule that forbids either.
    pub(crate) const fn bits_of(kind: EffectKind) -> u32 {
        match kind {
            EffectKind::Delete => Self::Write.bit() | Self::Admin.bit(),
            EffectKind::GitWrite | EffectKind::GitRewrite => Self::Git.bits(),
            _ => Self::of(kind).bit(),
        }
    }

    /// The category that a capability token needs for an effect.
    pub const fn of(kind: EffectKind) -> Self {
        match kind {
            EffectKind::Read => Self::Read,
            EffectKind::Write | EffectKind::Delete => Self::Write,
            EffectKind::Execute | EffectKind::Dynamic | EffectKind::Unknown => Self::Execute,
            EffectKind::Network => Self::Network,
            EffectKind::GitRead | EffectKind::GitWrite | EffectKind::GitRewrite => Self::Git,
            EffectKind::Privilege
            | EffectKind::Process
            | EffectKind::Install
            | EffectKind::Credential
            | EffectKind::System => Self::Admin,
        }
    }
}

/// An action with the facts about it.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) action: &'a Action,
    stated: Option<RiskLevel>,
    surroundings: &'a Surroundings,
    line: OnceCell<CommandLine<'a>>,
    analysis: OnceCell<Analysis>,
    parts: OnceCell<Parts>,
    effects: OnceCell<u32>,
    /// Facts about paths, with the index of their effect.
    paths: OnceCell<Vec<(usize, PathFacts)>>,
    requests: OnceCell<Vec<NetworkRequest>>,
    compact: OnceCell<String>,
    texts: OnceCell<Vec<CommandText>>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(
        action: &'a Action,
        stated: Option<RiskLevel>,
        surroundings: &'a Surroundings,
    ) -> Self {
        Self {
            action,
            stated,
            surroundings,
            line: OnceCell::new(),
            analysis: OnceCell::new(),
            parts: OnceCell::new(),
            effects: OnceCell::new(),
            paths: OnceCell::new(),
            requests: OnceCell::new(),
            compact: OnceCell::new(),
            texts: OnceCell::new(),
        }
    }

    /// Facts about an action that was analysed in other surroundings.
    pub(crate) fn with_analysis(
        action: &'a Action,
        surroundings: &'a Surroundings,
        analysis: Analysis,
    ) -> Self {
        Self {
            analysis: OnceCell::from(analysis),
            ..Self::new(action, None, surroundings)
        }
    }

    pub(crate) fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| {
            let context = self.context();
            let unknown = || Analysis {
                risk: RiskLevel::High,
                unparsed: true,
                ..Analysis::default()
            };
            match self.action.kind {
                Some(ActionType::ShellCmd) => match self.action.command() {
                    Some(_) => self.analyse_line(),
                    None => unknown(),
                },
                Some(ActionType::ToolCall) => match self.action.one_tool() {
                    Some(tool) => effects_of_tool(tool, &self.action.payload, context),
                    None => unknown(),
                },
                Some(ActionType::CodeDiff) => self.action.patch().map_or_else(unknown, |diff| {
                    let mut analysis = effects_of_diff(diff, context);
                    analysis.join(effects_of_diff_extras(
                        &Param::from(&self.action.payload),
                        context,
                    ));
                    analysis
                }),
                Some(ActionType::Answer) => {
                    effects_of_answer(&Param::from(&self.action.payload), context)
                }
                None => unknown(),
            }
        })
    }

    fn written(&self) -> &CommandLine<'a> {
        self.line
            .get_or_init(|| self.action.line().unwrap_or_default())
    }

    /// The command line; empty if the action has none.
    pub(crate) fn line(&self) -> &str {
        &self.written().text
    }

    /// The assumed surroundings of the action.
    pub(crate) fn context(&self) -> &Context<'static> {
        self.surroundings.context()
    }

    fn analyse_line(&self) -> Analysis {
        let (line, context) = (self.written(), self.context());
        let mut analysis = match line.cwd.as_deref() {
            None => analyse(&line.text, context),
            Some(cwd) => {
                let mut there = context.clone();
                there.cwd =
                    shell_effects::path::normalise(cwd, Some(&context.cwd)).unwrap_or_default();
                analyse(&line.text, &there)
            }
        };
        if let Some(name) = &line.unknown {
            analysis.risk = RiskLevel::High;
            analysis.effects.push(Effect {
                kind: EffectKind::Unknown,
                target: Some(name.to_string()),
                certainty: Certainty::Possible,
                span: Span::new(line.text.len(), line.text.len()),
                risk: RiskLevel::High,
                why: "a member of the payload that may change what runs".into(),
                path_info: None,
                changes: false,
            });
        }
        analysis
    }

    /// The commands of a line, which strict conditions check one by one.
    pub(crate) fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| {
            Parts::new(
                self.analysis(),
                self.action.kind == Some(ActionType::ShellCmd),
            )
        })
    }

    /// The first of several commands that touches no path, as the number of its part.
    pub(crate) fn without_path(&self) -> Option<usize> {
        self.parts().without(
            self.path_facts()
                .iter()
                .map(|(effect, _)| self.parts().of_effect(*effect)),
        )
    }

    /// The first of several commands that contacts no host.
    pub(crate) fn without_host(&self) -> Option<usize> {
        let effects = self.analysis().effects.iter().enumerate();
        let contacts = effects.filter(|(_, e)| e.kind == EffectKind::Network);
        self.parts()
            .without(contacts.map(|(index, _)| self.parts().of_effect(index)))
    }

    /// The first of several parts that runs no program: a redirection of a whole group.
    pub(crate) fn without_step(&self) -> Option<usize> {
        self.parts()
            .without((0..self.analysis().tree.len()).map(|index| self.parts().of_step(index)))
    }

    /// Whether an effect is one on a path.
    pub(crate) fn touches_path(&self, effect: usize) -> bool {
        self.path_facts().iter().any(|(index, _)| *index == effect)
    }

    /// Whether an effect is that of a program, and not of a redirection, which works whatever the
    /// program does.
    pub(crate) fn is_of_program(&self, index: usize, effect: &Effect) -> bool {
        match self.action.kind {
            Some(ActionType::ShellCmd) => {
                self.parts().is_of_step(index, self.analysis(), self.line())
            }
            // Analysing the command alone separates its effects from those of the tool.
            Some(ActionType::ToolCall) => self.tool_commands().any(|line| {
                let analysis = analyse(line, self.context());
                let parts = Parts::new(&analysis, true);
                let same = |e: &Effect| e.kind == effect.kind && e.target == effect.target;
                let mut alike = analysis
                    .effects
                    .iter()
                    .enumerate()
                    .filter(|(_, e)| same(e))
                    .peekable();
                alike.peek().is_some()
                    && alike.all(|(index, _)| parts.is_of_step(index, &analysis, line))
            }),
            Some(ActionType::CodeDiff | ActionType::Answer) | None => false,
        }
    }

    /// The command lines among the parameters of a tool call.
    fn tool_commands(&self) -> impl Iterator<Item = &str> {
        let members = self.action.parameters().as_object();
        let named = |key: &str| ["command", "cmd", "shell", "script", "bash"].contains(&key);
        members
            .into_iter()
            .flatten()
            .filter(move |(key, _)| named(key))
            .filter_map(|(_, value)| value.as_str())
    }

    /// The risk of each command of a line. A stated risk applies to each.
    pub(crate) fn risks(&self) -> Vec<RiskLevel> {
        let parts = self.parts();
        if parts.count < 2 {
            return vec![self.risk()];
        }
        let mut risks = vec![self.stated.unwrap_or(RiskLevel::Low); parts.count];
        for (index, effect) in self.analysis().effects.iter().enumerate() {
            if let Some(risk) = risks.get_mut(parts.of_effect(index)) {
                *risk = effect.risk.max(*risk);
            }
        }
        risks
    }

    /// The payload's JSON for each of several commands, as if it were the only one.
    pub(crate) fn compact_parts(&self) -> Vec<String> {
        if self.action.kind != Some(ActionType::ShellCmd) || self.parts().count < 2 {
            return Vec::new();
        }
        let alone = |text: &str| {
            let mut payload = self.action.payload.clone();
            match payload.get_mut("command") {
                Some(command) => *command = text.into(),
                None => payload = text.into(),
            }
            payload.to_string()
        };
        self.parts().texts(self.line()).map(alone).collect()
    }

    /// The higher of the stated and the computed risk.
    pub(crate) fn risk(&self) -> RiskLevel {
        if self.stated == Some(RiskLevel::High) {
            return RiskLevel::High;
        }
        let found = self.analysis().risk;
        self.stated.map_or(found, |stated| stated.max(found))
    }

    /// The kinds of effects, as bits.
    pub(crate) fn effects(&self) -> u32 {
        *self.effects.get_or_init(|| {
            let analysis = self.analysis();
            let hidden = if analysis.unparsed {
                bit(EffectKind::Unknown)
            } else {
                0
            };
            analysis
                .effects
                .iter()
                .fold(hidden, |bits, e| bits | bit(e.kind))
        })
    }

    /// Whether the action may do more than its effects say.
    pub(crate) fn hides(&self) -> bool {
        self.effects() & HIDDEN != 0 || self.analysis().truncated
    }

    /// The parts of categories, as bits. A command always has `execute`.
    pub(crate) fn categories(&self) -> u32 {
        let bits = self
            .analysis()
            .effects
            .iter()
            .fold(0, |bits, e| bits | Category::bits_of(e.kind));
        let runs = self.action.kind == Some(ActionType::ShellCmd)
            || self.analysis().unparsed
            || !self.steps().is_empty();
        bits | if runs { Category::Execute.bit() } else { 0 }
    }

    /// The programs that would run, without the tool itself.
    pub(crate) fn steps(&self) -> &[Step] {
        let tree = &self.analysis().tree;
        if self.action.kind == Some(ActionType::ToolCall) {
            tree.get(1..).unwrap_or_default()
        } else {
            tree
        }
    }

    /// The texts of the commands, in the order of [`Self::steps`].
    pub(crate) fn command_texts(&self) -> &[CommandText] {
        self.texts.get_or_init(|| {
            let line = match self.action.kind {
                Some(ActionType::ShellCmd) => self.line(),
                _ => "",
            };
            CommandText::of_steps(self.steps(), line)
        })
    }

    /// Whether the line has text beside its commands, or text that isn't theirs.
    pub(crate) fn has_other_text(&self) -> bool {
        has_other_text(self.line(), self.steps(), self.command_texts())
    }

    /// Whether the action may run commands whose text isn't known.
    pub(crate) fn hides_text(&self) -> bool {
        self.analysis().unparsed
            || self.analysis().truncated
            || self.effects() & bit(EffectKind::Dynamic) != 0
            || self.written().unknown.is_some()
    }

    fn path_facts(&self) -> &[(usize, PathFacts)] {
        self.paths.get_or_init(|| {
            let dots = self.dotted();
            let effects = self.analysis().effects.iter().enumerate();
            let moved = self.action.kind != Some(ActionType::CodeDiff);
            effects
                .filter_map(|(index, effect)| Some((index, PathFacts::new(effect, dots, moved)?)))
                .collect()
        })
    }

    /// The paths that it touches.
    pub(crate) fn touched_paths(&self) -> impl Iterator<Item = TouchedPath<'_>> {
        let effects = &self.analysis().effects;
        self.path_facts()
            .iter()
            .filter_map(|(index, site)| Some(site.place(effects.get(*index)?)))
    }

    /// Whether the line changes which names `*` matches.
    fn dotted(&self) -> bool {
        let options = |s: &Step| {
            matches!(
                s.program.as_str(),
                "shopt" | "setopt" | "set" | "zsh" | "fish"
            )
        };
        let flag = |s: &Step| {
            s.origin != StepOrigin::Direct && s.args.iter().any(|a| a.contains("dotglob"))
        };
        let names = |text: &str| text.contains("GLOBIGNORE") || text.contains("dotglob");
        names(self.line()) || self.steps().iter().any(|s| options(s) || flag(s))
    }

    /// The hosts; `None` for an unknown one.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = Option<&str>> {
        self.contacts().map(|(_, host)| host)
    }

    /// The hosts, each with the index of its effect.
    pub(crate) fn contacts(&self) -> impl Iterator<Item = (usize, Option<&str>)> {
        let known = |t: &str| !t.is_empty() && !t.contains("$…");
        let effects = self.analysis().effects.iter().enumerate();
        effects
            .filter(|(_, e)| e.kind == EffectKind::Network)
            .map(move |(index, e)| (index, e.target.as_deref().filter(|t| known(t))))
    }

    /// The requests over the network; at least one for each contact with a host.
    pub(crate) fn requests(&self) -> &[NetworkRequest] {
        self.requests.get_or_init(|| requests(self))
    }

    /// Whether an effect on the network is `git`'s with a remote of the repository's configuration.
    pub(crate) fn is_of_remote(&self, index: usize) -> bool {
        let effect = self.analysis().effects.get(index);
        let step = self.parts().owner(index);
        let step = step.and_then(|step| self.analysis().tree.get(step));
        effect.zip(step).is_some_and(|(effect, step)| {
            effect.kind == EffectKind::Network
                && effect.target.is_none()
                && contacts_remote(step)
                && self.is_of_program(index, effect)
        })
    }

    /// Whether an effect is one that a template may grant: with its path, its host or its program.
    pub(crate) fn is_grantable(&self, index: usize, effect: &Effect) -> bool {
        match effect.kind {
            EffectKind::Read | EffectKind::Write | EffectKind::Delete => {
                self.touches_path(index) || self.is_of_program(index, effect)
            }
            EffectKind::Network => true,
            // These have no path or host. They are granted with their program; a tool's name isn't
            // a program.
            EffectKind::Execute | EffectKind::GitRead | EffectKind::GitWrite => {
                self.is_of_program(index, effect)
            }
            _ => false,
        }
    }

    /// The payload as compact JSON, members in the order of their names.
    pub(crate) fn compact(&self) -> &str {
        self.compact.get_or_init(|| self.action.payload.to_string())
    }

    /// Whether the action may have further effects: `Maybe` if it hides any.
    pub(crate) fn perhaps(&self) -> Tristate {
        if self.hides() {
            Tristate::Maybe
        } else {
            Tristate::No
        }
    }
}

/// Options of `git push`, `fetch` and `pull` without a value that change neither the remote nor the
/// programs that are run.
const REMOTE_OPTIONS: [&str; 19] = [
    "-u",
    "--set-upstream",
    "-q",
    "--quiet",
    "-v",
    "--verbose",
    "-n",
    "--dry-run",
    "-t",
    "--tags",
    "--follow-tags",
    "--atomic",
    "--progress",
    "--no-tags",
    "--rebase",
    "--ff-only",
    "--no-rebase",
    "--porcelain",
    "--no-verify",
];

/// Whether a step contacts a remote by its name, or the default one: no URL, no path.
fn contacts_remote(step: &Step) -> bool {
    let [subcommand, rest @ ..] = step.args.as_slice() else {
        return false;
    };
    let is_remote = |name: &str| {
        name.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
            && !name.starts_with(['-', '.'])
    };
    let mut operands = rest.iter().filter(|word| !word.starts_with('-'));
    step.program == "git"
        && matches!(subcommand.as_str(), "push" | "fetch" | "pull")
        && operands.next().is_none_or(|name| is_remote(name))
        && rest.iter().all(|word| {
            !word.contains("$…")
                && (!word.starts_with('-') || REMOTE_OPTIONS.contains(&word.as_str()))
        })
}
