//! Risk that decides about an action, and what a modification changed.

use super::analysis_cache::AnalysisCache;
use super::digest::FixedParts;
use super::evidence::{OwnedAction, TurnEvidence};
use super::path_effects::{PathEffects, StartDirectory, WorkTree, places, start_directory};
use super::step_facts::{DecisionFacts, Lineage};
use super::tool_manifest::ToolManifest;
use crate::trace::action;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Action, ActionKind, Decision, Paths};
use agent_policy::Category;
use governance::Ruling;
use governance::risk::{RiskLevel, assess_v0};
use governance::{ActionType, DecidedBy};
use shell_effects::command_line::CommandLine;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use strict_json::Raw;

/// Source of an action's risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assessor {
    /// Recorded risks only.
    Off,
    /// Rules of the early runtime.
    V0,
    /// Analysis of the action's effects.
    #[default]
    V1,
}

/// The files of the policies that govern the executions, besides those that the trace names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyFiles {
    /// Paths of the policies that govern every execution.
    pub all: Vec<String>,
    /// Paths of further policies, by their SHA-256 in lower case. They govern the executions that
    /// record this digest.
    pub by_digest: BTreeMap<String, BTreeSet<String>>,
}

impl PolicyFiles {
    /// Returns the files of the policy with a recorded digest.
    pub(super) fn with_digest(&self, digest: &str) -> impl Iterator<Item = &str> {
        let digest = digest.to_ascii_lowercase();
        let files = self
            .by_digest
            .get(digest.strip_prefix("sha256:").unwrap_or(&digest));
        files.into_iter().flatten().map(String::as_str)
    }
}

/// Settings and shared data of a replay.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub assessor: Assessor,
    /// Keep what actions changed, to compare it with a repository.
    pub keep_changes: bool,
    /// The policies that govern the executions, besides those in the trace.
    pub policies: Option<&'a PolicyFiles>,
    /// Cache of analyses.
    pub cache: Option<&'a AnalysisCache>,
    /// The manifests of tools that calls are compared with.
    pub tools: Option<&'a ToolManifest>,
    pub tree: &'a WorkTree,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            assessor: Assessor::default(),
            keep_changes: false,
            policies: None,
            cache: None,
            tools: None,
            tree: WorkTree::unknown(),
        }
    }
}

/// Determines an action's risk; `None` without an analyser. An unknown type is always high.
#[must_use]
pub fn assess(assessor: Assessor, action: &Action<'_>) -> Option<RiskLevel> {
    analyse_cached(
        Context {
            assessor,
            ..Context::default()
        },
        action,
    )
    .0
}

/// Determines an action's risk like [`assess`], and its path effects, in one analysis.
pub(super) fn analyse_cached(
    context: Context<'_>,
    action: &Action<'_>,
) -> (Option<RiskLevel>, Option<Arc<PathEffects>>) {
    let found = || {
        let (risk, reach) = analyse(action, context.tree);
        (risk, Some(reach).filter(|r| !r.is_empty()).map(Arc::new))
    };
    // Cached analyses assume an unknown work tree.
    let cache = context.cache.filter(|_| context.tree.is_unknown());
    let (found, reach) = match (cache, action.payload, action.kind) {
        (Some(cache), Some(payload), ActionKind::Known(kind)) => {
            cache.get(kind, payload.as_written(), found)
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
    // A manifest can raise the risk, but not lower it.
    let declared = context.tools.and_then(|tools| tools.declared_risk(action));
    (risk.max(declared.map(|(_, risk)| risk)), reach)
}

/// Analyses a kept action.
pub(super) fn analyse_owned(
    context: Context<'_>,
    action: &OwnedAction,
) -> (Option<RiskLevel>, Option<Arc<PathEffects>>) {
    if let Some(analysis) = action.analysis() {
        analysis
    } else {
        analyse_cached(context, &action.as_action())
    }
}

/// Replaces a kept payload longer than `short` bytes by its digest, after analysing it.
pub(super) fn digest(context: Context<'_>, action: &mut OwnedAction, short: usize) {
    if action
        .payload
        .as_ref()
        .is_some_and(|payload| payload.len() > short)
    {
        let known = action.found.is_some() || action.reach.is_some();
        let analysis = if known {
            (action.found, action.reach.clone())
        } else {
            analyse_cached(context, &action.as_action())
        };
        let faults = context
            .tools
            .map(|tools| tools.faults(&action.as_action()))
            .unwrap_or_default();
        action.digest(analysis, faults);
    }
}

/// Analyses an action. The risk of a payload that can't be understood is high.
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

/// Analyses a diff and the members next to it. Of paths in those members, only the location is
/// known.
fn analyse_diff(payload: Raw<'_>, tree: &WorkTree) -> (RiskLevel, PathEffects) {
    let (diff, more) = action::diff_and_more(&shell_effects::DIFF_MEMBERS, payload);
    let mut reach = PathEffects::of_diff(diff.as_deref());
    let Some(diff) = diff else {
        return (RiskLevel::High, reach);
    };
    let analysis = shell_effects::effects_of_diff(&diff, &tree.places);
    let own = risk(&analysis);
    if !more {
        let unknown =
            |effect: &shell_effects::Effect| effect.kind == shell_effects::EffectKind::Unknown;
        reach.unreadable = reach.malformed.is_some() && analysis.effects.iter().all(unknown);
        return (own, reach);
    }
    let Some(all) = payload.read_all::<shell_effects::Param<'_>>() else {
        return (RiskLevel::High, reach);
    };
    let beside = shell_effects::effects_of_diff_extras(&all, &tree.places);
    let elsewhere = PathEffects::of_effects(ActionType::ToolCall, &beside, false, tree);
    (own.max(risk(&beside)), reach.merged_with(elsewhere))
}

fn risk(analysis: &shell_effects::Analysis) -> RiskLevel {
    analysis.risk
}

/// Returns the effects of an action, and whether it starts in an unknown directory. Returns `None`
/// if the payload can't be read.
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
        // The text has no effect; other members may have.
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
            let start = start_directory(line.cwd.as_deref(), tree);
            // The command starts in a work tree of another name, so the target of `..` is unknown.
            moved = start == StartDirectory::Somewhere;
            let mut analysis = match start {
                StartDirectory::At(cwd) => shell_effects::analyse(
                    &line.text,
                    &shell_effects::Context {
                        cwd,
                        ..tree.places.clone()
                    },
                ),
                StartDirectory::Tree | StartDirectory::Somewhere => {
                    shell_effects::analyse(&line.text, &tree.places)
                }
            };
            // Other members may change what is executed; the effects of the line itself are known.
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

/// Reads a payload. Also returns whether it contains numbers out of range, whose meaning is
/// unknown.
fn read<'a, T: serde::Deserialize<'a>>(payload: Raw<'a>) -> Option<(T, bool)> {
    let exact = payload.read_all().map(|value| (value, false));
    exact.or_else(|| Some((payload.read_clamped()?, true)))
}

/// Adds the effects of other tools that a call names. If the name may be an ordinary parameter, it
/// counts only if a tool of that name is known.
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

/// Effects of an action, reduced to those that a modification may not extend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EffectSummary {
    risk: RiskLevel,
    pub(super) programs: BTreeSet<String>,
    /// Kinds of effects with more than low risk.
    kinds: BTreeSet<shell_effects::EffectKind>,
    unparsed: bool,
}

impl EffectSummary {
    /// Returns `None` if the payload can't be read.
    pub(super) fn of(action: &Action<'_>) -> Option<Self> {
        let (kind, analysis, _) = effects(action, WorkTree::unknown())?;
        // The first step of a call is the tool, which is compared separately.
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

    /// Returns whether another action does something else, rather than the same with other
    /// parameters: it executes another program or has another kind of effect. An action with low
    /// risk never does.
    fn differs_from(&self, after: &Action<'_>) -> bool {
        /// Programs that print, or control where and how another one is executed.
        const AROUND: [&str; 12] = [
            "cd", "echo", "env", "export", "nice", "printf", "pwd", "set", "test", "time",
            "timeout", "true",
        ];
        // An unreadable action may do anything.
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

/// Returns the file and content that a tool call writes, if its parameters contain all of it.
pub(super) fn content(payload: Raw<'_>) -> Option<(String, shell_effects::Content)> {
    let call: shell_effects::Param<'_> = payload.read_all()?;
    shell_effects::recorded_content(call.tool()?, &call, places())
}

/// Returns whether an action by itself changes nothing.
pub(super) fn only_reads(action: &Action<'_>) -> bool {
    effects(action, WorkTree::unknown())
        .is_some_and(|(_, analysis, _)| analysis.risk == RiskLevel::Low)
}

/// Returns the categories of an action's effects as bits; `None` if they can't be determined. A
/// command always has the category `execute`.
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

/// Records what a decision changed in the proposal, if it modified it. `found` is the analyser's
/// risk of the modified action.
pub(super) fn check_modification(
    proposal: Option<&OwnedAction>,
    decision: &Decision<'_>,
    found: Option<RiskLevel>,
    id_taken: impl FnOnce(&str) -> bool,
    step_facts: &mut DecisionFacts,
) {
    let Some(modified) = decision.modification() else {
        if decision.modified.is_some() {
            step_facts.lineage = Some(Lineage::Unmodified(decision.ruling));
        }
        return;
    };
    if let Some(proposal) = proposal {
        step_facts.beyond_parameters = beyond_parameters(proposal, &modified);
        let before = proposal.effective_risk();
        // If only one of two risks is recorded, what the analyser finds is compared.
        let recorded = modified.risk.filter(|_| proposal.risk.is_some());
        let after = recorded.max(found);
        if let (Some(before), Some(after)) = (before, after)
            && after > before
        {
            step_facts.raised_risk = Some((before, after));
        } else if step_facts.beyond_parameters.is_none() {
            let before = match &proposal.digest {
                Some(digest) => digest.does.clone(),
                None => EffectSummary::of(&proposal.as_action()),
            };
            if before.is_some_and(|before| before.differs_from(&modified)) {
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

/// Returns the fixed part that a modification changed: type, tool or target of a diff.
fn beyond_parameters(proposal: &OwnedAction, modified: &Action<'_>) -> Option<&'static str> {
    let kind = proposal.kind.as_ref()?.as_kind();
    if kind != modified.kind {
        return Some("the type");
    }
    proposal
        .fixed()?
        .changed(&FixedParts::of(modified.kind, modified.payload?))
}

/// Returns paths that changed without being declared, and declared ones that didn't change. A
/// failed action may have changed less than it declared.
pub(super) fn undeclared_changes(
    declared: &[Box<str>],
    observed: Paths<'_, '_>,
    success: bool,
) -> Option<(Vec<String>, Vec<String>)> {
    // Fast path: nearly always both lists are written identically.
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

/// Returns the action that the turn's decision allows: the proposal, or a human's modification.
pub(super) fn approved(turn: &TurnEvidence) -> Option<&OwnedAction> {
    let decision = &turn.decision.as_ref()?.what;
    match decision.ruling {
        Ruling::Approved => turn.proposal.as_ref().map(|p| &p.what),
        Ruling::Modified => decision.modified.as_ref(),
        Ruling::Rejected => None,
    }
}

/// Returns the milliseconds between a proposal and a human's approval, as the decision dates it.
pub(super) fn approval_millis(
    turn: &TurnEvidence,
    decision: &Decision<'_>,
    step_time: Option<Timestamp>,
) -> Option<i64> {
    if decision.by != DecidedBy::Human || decision.ruling == Ruling::Rejected {
        return None;
    }
    let proposed = turn.proposal.as_ref()?.time?;
    let decided = decision.time.or(step_time)?;
    Some(decided.millis().saturating_sub(proposed.latest_millis()))
}

/// Returns the milliseconds between a proposal and a human's decision, if both times are recorded.
pub(super) fn human_millis(
    turn: &TurnEvidence,
    decision: &Decision<'_>,
    step_time: Option<Timestamp>,
) -> Option<i64> {
    if decision.by != DecidedBy::Human {
        return None;
    }
    let proposed = turn.proposal.as_ref()?.time?;
    // Of two times, the one that leaves less time to think.
    let decided = [decision.time, step_time]
        .into_iter()
        .flatten()
        .map(Timestamp::latest_millis)
        .min()?;
    Some(decided.saturating_sub(proposed.millis()))
}
