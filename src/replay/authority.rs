//! Who may do what: risk to judge by, what a modification changed.

use super::analysis_cache::Looks;
use super::digest::Fixed;
use super::evidence::{KeptAction, TurnEvidence};
use super::path_effects::{PathEffects, Start, WorkTree, places, start};
use super::step_facts::{Decided, Lineage};
use crate::trace::action;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Action, ActionKind, Decision, Paths};
use agent_policy::Category;
use governance::Ruling;
use governance::risk::{RiskLevel, assess_v0};
use governance::{ActionType, DecidedBy};
use shell_effects::command_line::CommandLine;
use std::collections::BTreeSet;
use std::sync::Arc;
use strict_json::Raw;

/// How the risk of an action is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assessor {
    /// The recorded risk is believed.
    Off,
    /// The early runtime's rules.
    V0,
    /// What the action does, as far as it can be understood.
    #[default]
    V1,
}

/// What a replay is told from outside.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// How risk is found.
    pub assessor: Assessor,
    /// Keep what actions changed, to hold it against a repository.
    pub keep_changes: bool,
    /// What equal actions were found to do, if that is remembered.
    pub looks: Option<&'a Looks>,
    /// Where the work tree stands.
    pub tree: &'a WorkTree,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            assessor: Assessor::default(),
            keep_changes: false,
            looks: None,
            tree: WorkTree::unknown(),
        }
    }
}

/// What the analyser finds of an action's risk; `None` when there is no analyser. A type that
/// nobody knows is always high.
#[must_use]
pub fn assess(assessor: Assessor, action: &Action<'_>) -> Option<RiskLevel> {
    look(
        Context {
            assessor,
            ..Context::default()
        },
        action,
    )
    .0
}

/// The risk of an action as [`assess`] finds it, and where the action reaches; both from one
/// analysis.
pub(super) fn look(
    context: Context<'_>,
    action: &Action<'_>,
) -> (Option<RiskLevel>, Option<Arc<PathEffects>>) {
    let found = || {
        let (risk, reach) = analyse(action, context.tree);
        (risk, Some(reach).filter(|r| !r.is_empty()).map(Arc::new))
    };
    // What is remembered was found where nothing is known of the work tree.
    let looks = context.looks.filter(|_| context.tree.is_unknown());
    let (found, reach) = match (looks, action.payload, action.kind) {
        (Some(looks), Some(payload), ActionKind::Known(kind)) => {
            looks.get(kind, payload.as_written(), found)
        }
        _ => found(),
    };
    let risk = match context.assessor {
        _ if matches!(action.kind, ActionKind::Other(_)) => Some(RiskLevel::High),
        Assessor::Off => None,
        Assessor::V0 => {
            let mut line = String::new();
            Some(assess_v0(action::risk_subject(action, &mut line)))
        }
        Assessor::V1 => Some(found),
    };
    (risk, reach)
}

/// The same of an action that was kept.
pub(super) fn look_again(
    context: Context<'_>,
    action: &KeptAction,
) -> (Option<RiskLevel>, Option<Arc<PathEffects>>) {
    if let Some(analysis) = action.analysis() {
        analysis
    } else {
        look(context, &action.as_action())
    }
}

/// Lets go of a kept payload, unless it is as `short`, in bytes; what it does is found out before.
pub(super) fn digest(context: Context<'_>, action: &mut KeptAction, short: usize) {
    if action
        .payload
        .as_ref()
        .is_some_and(|payload| payload.len() > short)
    {
        let known = action.found.is_some() || action.reach.is_some();
        let analysis = if known {
            (action.found, action.reach.clone())
        } else {
            look(context, &action.as_action())
        };
        action.digest(analysis);
    }
}

/// What an action does; the risk of what can't be found in the payload is high.
fn analyse(action: &Action<'_>, tree: &WorkTree) -> (RiskLevel, PathEffects) {
    if let (Some(payload), ActionKind::Known(ActionType::CodeDiff)) = (action.payload, action.kind)
    {
        return analyse_diff(payload, tree);
    }
    let Some((kind, analysis, moved)) = effects(action, tree) else {
        return (RiskLevel::High, PathEffects::default());
    };
    let kind = if kind == ActionType::Answer {
        ActionType::ToolCall
    } else {
        kind
    };
    (
        risk(&analysis),
        PathEffects::of_effects(kind, &analysis, moved, tree),
    )
}

/// The same of a diff. Its own paths are known; of those beside it nothing is known but where they
/// are.
fn analyse_diff(payload: Raw<'_>, tree: &WorkTree) -> (RiskLevel, PathEffects) {
    let (diff, more) = action::diff_and_more(&shell_effects::DIFF_MEMBERS, payload);
    let reach = PathEffects::of_diff(diff.as_deref());
    let Some(diff) = diff else {
        return (RiskLevel::High, reach);
    };
    let own = risk(&shell_effects::effects_of_diff(&diff, &tree.places));
    if !more {
        return (own, reach);
    }
    let Some(all) = payload.read_all::<shell_effects::Param<'_>>() else {
        return (RiskLevel::High, reach);
    };
    let beside = shell_effects::effects_of_diff_extras(&all, &tree.places);
    let elsewhere = PathEffects::of_effects(ActionType::ToolCall, &beside, false, tree);
    (own.max(risk(&beside)), reach.and_beside(elsewhere))
}

fn risk(analysis: &shell_effects::Analysis) -> RiskLevel {
    analysis.risk
}

/// The effects of an action, and whether it starts in a folder of its own; none where its payload
/// can't be read.
fn effects(
    action: &Action<'_>,
    tree: &WorkTree,
) -> Option<(ActionType, shell_effects::Analysis, bool)> {
    let (Some(payload), ActionKind::Known(kind)) = (action.payload, action.kind) else {
        return None;
    };
    let mut moved = false;
    let mut unknown = false;
    let mut analysis = match kind {
        // Its text does nothing; what stands beside that may.
        ActionType::Answer if !action::has_more_than(&shell_effects::ANSWER_MEMBERS, payload) => {
            shell_effects::Analysis::default()
        }
        ActionType::Answer => shell_effects::effects_of_answer(&payload.read_all()?, &tree.places),
        ActionType::CodeDiff => {
            let mut analysis =
                shell_effects::effects_of_diff(&action::diff(payload)?, &tree.places);
            analysis.join(shell_effects::effects_of_diff_extras(
                &payload.read_all()?,
                &tree.places,
            ));
            analysis
        }
        ActionType::ShellCmd => {
            let (payload, is_beyond) = read::<serde_json::Value>(payload)?;
            unknown = is_beyond;
            let line = CommandLine::from_payload(&payload)?;
            let start = start(line.cwd.as_deref(), tree);
            // Where a command starts in a work tree that goes by another name, nobody knows how far
            // `..` takes it.
            moved = start == Start::Somewhere;
            let mut analysis = match start {
                Start::At(cwd) => shell_effects::analyse(
                    &line.text,
                    &shell_effects::Context {
                        cwd,
                        ..tree.places.clone()
                    },
                ),
                Start::Tree | Start::Somewhere => shell_effects::analyse(&line.text, &tree.places),
            };
            // What stands beside it may change what runs; what the line itself does is known.
            if line.unknown.is_some() {
                analysis.risk = RiskLevel::High;
                analysis.unparsed = true;
            }
            analysis
        }
        ActionType::ToolCall => {
            let (call, is_beyond) = read::<shell_effects::Param<'_>>(payload)?;
            unknown = is_beyond;
            let mut analysis = shell_effects::effects_of_call(call.tool()?, &call, &tree.places);
            join_other_tools(&mut analysis, &call, tree);
            analysis
        }
    };
    if unknown {
        analysis.risk = RiskLevel::High;
        analysis.unparsed = true;
    }
    Some((kind, analysis, moved))
}

/// A payload, and whether it holds numbers beyond all: what those mean, nobody can tell.
fn read<'a, T: serde::Deserialize<'a>>(payload: Raw<'a>) -> Option<(T, bool)> {
    let exact = payload.read_all().map(|value| (value, false));
    exact.or_else(|| Some((payload.read_with_infinite_numbers()?, true)))
}

/// Adds what a call does if it is that of another tool that it names. Where that may be a
/// parameter, only a name that says what it does is taken for a tool's.
fn join_other_tools(
    analysis: &mut shell_effects::Analysis,
    call: &shell_effects::Param<'_>,
    tree: &WorkTree,
) {
    for (tool, given, perhaps) in call.other_tools() {
        let other = shell_effects::effects_of_call(tool, given, &tree.places);
        if !perhaps
            || other
                .effects
                .iter()
                .all(|e| e.kind != shell_effects::EffectKind::Unknown)
        {
            analysis.join(other);
        }
    }
}

/// What an action does, as far as a modification may not add to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Doing {
    risk: RiskLevel,
    pub(super) programs: BTreeSet<String>,
    /// The kinds of its effects that are more than low.
    kinds: BTreeSet<shell_effects::EffectKind>,
    unparsed: bool,
}

impl Doing {
    /// Nothing where the payload can't be read.
    pub(super) fn of(action: &Action<'_>) -> Option<Self> {
        let (kind, analysis, _) = effects(action, WorkTree::unknown())?;
        // The first step of a call is the tool, which is compared by itself.
        let steps = analysis
            .tree
            .iter()
            .skip(usize::from(kind == ActionType::ToolCall));
        Some(Self {
            risk: analysis.risk,
            programs: steps.map(|step| step.program.clone()).collect(),
            kinds: analysis
                .effects
                .iter()
                .filter(|e| e.risk > RiskLevel::Low)
                .map(|e| e.kind)
                .collect(),
            unparsed: analysis.unparsed,
        })
    }

    /// Whether another action does another thing, and not the same with other parameters: it runs
    /// another program, or has a kind of effect that this doesn't have. Reading less is no other
    /// thing.
    fn is_unlike(&self, after: &Action<'_>) -> bool {
        /// Programs that say where or how another one runs, or print.
        const AROUND: [&str; 12] = [
            "cd", "echo", "env", "export", "nice", "printf", "pwd", "set", "test", "time",
            "timeout", "true",
        ];
        // What can't be read may do anything.
        let Some(after) = Self::of(after) else {
            return true;
        };
        if after.risk == RiskLevel::Low {
            return false;
        }
        let other_program = after
            .programs
            .difference(&self.programs)
            .any(|program| !AROUND.contains(&program.as_str()));
        other_program || !after.kinds.is_subset(&self.kinds) || after.unparsed && !self.unparsed
    }
}

/// What a tool call makes of a file, where its parameters hold all of that.
pub(super) fn content(payload: Raw<'_>) -> Option<(String, shell_effects::Content)> {
    let call: shell_effects::Param<'_> = payload.read_all()?;
    shell_effects::recorded_content(call.tool()?, &call, places())
}

/// Whether an action changes nothing by its own words.
pub(super) fn only_reads(action: &Action<'_>) -> bool {
    effects(action, WorkTree::unknown())
        .is_some_and(|(_, analysis, _)| analysis.risk == RiskLevel::Low)
}

/// The categories of everything that an action does, as bits; `None` where that can't be told. A
/// command is always executed, whatever it does then.
pub(super) fn categories(action: &Action<'_>) -> Option<u32> {
    let (Some(payload), ActionKind::Known(kind)) = (action.payload, action.kind) else {
        return None;
    };
    let analysis = match kind {
        ActionType::ShellCmd => {
            let payload: serde_json::Value = payload.read_all()?;
            let line = CommandLine::from_payload(&payload).filter(|line| line.unknown.is_none())?;
            shell_effects::analyse(&line.text, places())
        }
        ActionType::CodeDiff => {
            let mut analysis = shell_effects::effects_of_diff(&action::diff(payload)?, places());
            analysis.join(shell_effects::effects_of_diff_extras(
                &payload.read_all()?,
                places(),
            ));
            analysis
        }
        ActionType::Answer => shell_effects::effects_of_answer(&payload.read_all()?, places()),
        ActionType::ToolCall => {
            let call: shell_effects::Param<'_> = payload.read_all()?;
            let mut analysis = shell_effects::effects_of_call(call.tool()?, &call, places());
            join_other_tools(&mut analysis, &call, WorkTree::unknown());
            analysis
        }
    };
    let executes = if kind == ActionType::ShellCmd || analysis.unparsed {
        Category::Execute.bit()
    } else {
        0
    };
    let all = analysis
        .effects
        .iter()
        .fold(executes, |bits, e| bits | Category::of(e.kind).bit());
    (!analysis.truncated).then_some(all)
}

/// What a decision did to the proposal, where it modified it. `found` is the risk of the modified
/// action.
pub(super) fn judge_modification(
    proposal: Option<&KeptAction>,
    decision: &Decision<'_>,
    found: Option<RiskLevel>,
    id_taken: impl FnOnce(&str) -> bool,
    step_facts: &mut Decided,
) {
    let Some(modified) = decision.modification() else {
        if decision.modified.is_some() {
            step_facts.lineage = Some(Lineage::Unmodified(decision.ruling));
        }
        return;
    };
    if let Some(proposal) = proposal {
        step_facts.beyond_parameters = beyond_parameters(proposal, &modified);
        let before = proposal.judged_risk();
        let after = modified.risk.max(found);
        if let (Some(before), Some(after)) = (before, after)
            && after > before
        {
            step_facts.raised_risk = Some((before, after));
        } else if step_facts.beyond_parameters.is_none() {
            let before = match &proposal.digest {
                Some(digest) => digest.does.clone(),
                None => Doing::of(&proposal.as_action()),
            };
            if before.is_some_and(|before| before.is_unlike(&modified)) {
                step_facts.beyond_parameters = Some("what it does");
            }
        }
        if let (Some(original), Some(proposed)) = (decision.original, proposal.id.as_deref())
            && original != *proposed
        {
            step_facts.lineage = Some(Lineage::OtherOriginal {
                found: original.decode().into_owned(),
                proposed: proposed.to_owned(),
            });
        }
    }
    if let Some(id) = modified.id {
        let id = id.decode();
        if step_facts.lineage.is_none()
            && (decision.original.is_some_and(|o| o == *id) || id_taken(&id))
        {
            step_facts.lineage = Some(Lineage::IdTaken(id.into_owned()));
        }
    }
}

/// What a modification changed that it may not: type, tool or diff target.
fn beyond_parameters(proposal: &KeptAction, modified: &Action<'_>) -> Option<&'static str> {
    let kind = proposal.kind.as_ref()?.as_kind();
    if kind != modified.kind {
        return Some("the type");
    }
    proposal
        .fixed()?
        .changed(&Fixed::of(modified.kind, modified.payload?))
}

/// Paths that changed without being declared, and declared ones that didn't change. What failed may
/// have changed less than it declared.
pub(super) fn undeclared_changes(
    declared: &[Box<str>],
    observed: Paths<'_, '_>,
    success: bool,
) -> Option<(Vec<String>, Vec<String>)> {
    // Nearly always they are written alike.
    if declared.len() == observed.len()
        && declared
            .iter()
            .zip(observed.iter())
            .all(|(path, seen)| *seen == **path && !seen.is_torn())
    {
        return None;
    }
    let plain = |path: &str| action::plain_path(path).into_owned();
    let declared: BTreeSet<String> = declared.iter().map(|path| plain(path)).collect();
    let observed: BTreeSet<String> = observed
        .iter()
        .map(|path| plain(&path.distinct()))
        .collect();
    let extra: Vec<String> = observed.difference(&declared).cloned().collect();
    let absent: Vec<String> = if success {
        declared.difference(&observed).cloned().collect()
    } else {
        Vec::new()
    };
    (!extra.is_empty() || !absent.is_empty()).then_some((extra, absent))
}

/// Whether a decision lets something run, and what: the proposal, or what a human made of it.
pub(super) fn approved(turn: &TurnEvidence) -> Option<&KeptAction> {
    let decision = &turn.decision.as_ref()?.what;
    match decision.ruling {
        Ruling::Approved => turn.proposal.as_ref().map(|p| &p.what),
        Ruling::Modified => decision.modified.as_ref(),
        Ruling::Rejected => None,
    }
}

/// Milliseconds between a proposal and a human's decision about it, where both are recorded.
pub(super) fn human_millis(
    turn: &TurnEvidence,
    decision: &Decision<'_>,
    step_time: Option<Timestamp>,
) -> Option<i64> {
    if decision.by != DecidedBy::Human {
        return None;
    }
    let proposed = turn.proposal.as_ref()?.time?;
    // Of two accounts the one that leaves less time to think.
    let decided = [decision.time, step_time]
        .into_iter()
        .flatten()
        .map(Timestamp::latest_millis)
        .min()?;
    Some(decided.saturating_sub(proposed.millis()))
}
