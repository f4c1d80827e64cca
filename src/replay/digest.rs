//! Digest of an action whose payload is too large to keep: enough to compare it with other actions,
//! and to check tokens and modifications.

use super::authority::{EffectSummary, categories};
use super::path_effects::PathEffects;
use super::scope::{Targets, diff_files};
use super::tool_manifest::ToolFault;
use crate::trace::action::{action_hash, tool};
use crate::trace::step::{Action, ActionKind};
use governance::ActionType;
use governance::risk::RiskLevel;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;
use strict_json::Raw;

/// Maximum bytes of kept names. With more, the names count as unknown: no token covers them and no
/// modification may touch them.
const NAMES: usize = 256 << 10;

/// Digest of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// SHA-256 of the payload as written.
    pub(super) written: [u8; 32],
    /// The canonical hash of the action.
    pub(super) action: Box<str>,
    /// Parts that a modification may not change.
    pub(super) fixed: FixedParts,
    /// Effects that a modification may not extend; `None` if they are unknown.
    pub(super) does: Option<EffectSummary>,
    pub(super) covered: TokenInput,
    /// Risk and path effects.
    pub(super) analysis: (Option<RiskLevel>, Option<Arc<PathEffects>>),
    /// What a call does beyond the manifests of tools.
    pub(super) tool_faults: Vec<ToolFault>,
}

/// Parts of an action that a modification may not change, besides its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FixedParts {
    Tool(Option<String>),
    /// Files of a diff; `None` if it can't be parsed.
    Files(Option<BTreeSet<String>>),
    Nothing,
}

impl FixedParts {
    pub(super) fn of(kind: ActionKind<'_>, payload: Raw<'_>) -> Self {
        match kind {
            ActionKind::Known(ActionType::ToolCall) => Self::Tool(tool(payload)),
            ActionKind::Known(ActionType::CodeDiff) => Self::Files(diff_files(payload)),
            ActionKind::Known(ActionType::ShellCmd | ActionType::Answer) | ActionKind::Other(_) => {
                Self::Nothing
            }
        }
    }

    /// Returns the part that a modification changed. A diff that can't be parsed may have any
    /// target.
    pub(super) fn changed(&self, after: &Self) -> Option<&'static str> {
        match self {
            Self::Tool(_) => (self != after).then_some("the tool"),
            Self::Files(files) => {
                (files.is_none() || self != after).then_some("the target of the diff")
            }
            Self::Nothing => None,
        }
    }
}

/// Parts of an action that tokens are compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TokenInput {
    pub(super) tool: Option<String>,
    pub(super) targets: Option<Targets>,
    pub(super) categories: Option<u32>,
}

impl Digest {
    /// Creates the digest of an action with this payload and analysis.
    pub(super) fn of(
        action: &Action<'_>,
        payload: Raw<'_>,
        analysis: (Option<RiskLevel>, Option<Arc<PathEffects>>),
    ) -> Self {
        let short =
            |names: &BTreeSet<String>| names.iter().map(String::len).sum::<usize>() <= NAMES;
        let fixed = match FixedParts::of(action.kind, payload) {
            FixedParts::Files(files) => FixedParts::Files(files.filter(short)),
            // No tool has a name that long.
            FixedParts::Tool(tool) => FixedParts::Tool(tool.filter(|tool| tool.len() <= NAMES)),
            FixedParts::Nothing => FixedParts::Nothing,
        };
        let tool = if let FixedParts::Tool(tool) = &fixed {
            tool.clone()
        } else {
            None
        };
        let targets = Targets::of(action).filter(|targets| targets.length() <= NAMES);
        Self {
            written: Sha256::digest(payload.as_written()).into(),
            action: action_hash(&action.kind.name(), payload).into(),
            fixed,
            does: EffectSummary::of(action),
            covered: TokenInput {
                tool,
                targets,
                categories: categories(action),
            },
            analysis,
            tool_faults: Vec::new(),
        }
    }

    /// Returns whether an action of the same type has an equal payload, in any notation.
    pub(super) fn is_of(&self, action: &Action<'_>, payload: Raw<'_>) -> bool {
        self.written == <[u8; 32]>::from(Sha256::digest(payload.as_written()))
            || *self.action == *action_hash(&action.kind.name(), payload)
    }

    /// Returns an estimate of the bytes that it owns.
    pub(super) fn weight(&self) -> usize {
        let names =
            |names: &BTreeSet<String>| names.iter().map(|name| name.len() + 64).sum::<usize>();
        let fixed = match &self.fixed {
            FixedParts::Files(Some(files)) => names(files),
            FixedParts::Tool(Some(tool)) => 2 * tool.len(),
            FixedParts::Files(None) | FixedParts::Tool(None) | FixedParts::Nothing => 0,
        };
        let does = self.does.as_ref().map_or(0, |does| names(&does.programs));
        let targets = self
            .covered
            .targets
            .as_ref()
            .map_or(0, |targets| 2 * targets.length());
        let reach = self.analysis.1.as_ref().map_or(0, |reach| reach.weight());
        let faults = self
            .tool_faults
            .iter()
            .map(|fault| size_of::<ToolFault>() + fault.weight())
            .sum::<usize>();
        size_of::<Self>() + fixed + does + targets + reach + faults
    }
}

#[cfg(test)]
mod tests {
    use crate::replay::{Context, Execution, StepFacts};
    use crate::trace::entry::{Grammar, read};
    use crate::trace::formats::Format;
    use std::collections::HashMap;
    use std::path::Path;
    use strict_json::{DEFAULT_MAX_DEPTH, Scanner};

    /// Replays a trace twice, with payloads and with digests of all, and compares the facts.
    /// Returns the number of steps.
    fn replays_alike(path: &Path) -> usize {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let Some(format) = text
            .lines()
            .find_map(|line| Format::of_record(line, DEFAULT_MAX_DEPTH))
        else {
            return 0;
        };
        let mut executions: HashMap<String, [Execution; 2]> = HashMap::new();
        let mut steps = 0;
        let mut scanner = Scanner::new("", DEFAULT_MAX_DEPTH);
        for (n, line) in text.lines().enumerate() {
            let entry = read(
                Grammar::Format(format),
                &mut scanner,
                line,
                (n as u64 + 1, 1),
                false,
            );
            let id = entry
                .record
                .execution_id()
                .map(|id| id.decode().into_owned())
                .unwrap_or_default();
            let new = || Execution::new((&*id).into(), "t.jsonl".into(), format, 1);
            let pair = executions
                .entry(id.clone())
                .or_insert_with(|| [new(), new()]);
            entry.record.steps(&mut |step| {
                let [kept, digested] = pair.each_mut().map(|execution| {
                    let mut step_facts = StepFacts::default();
                    execution.step(entry.line, step, Context::default(), &mut step_facts);
                    format!("{step_facts:?}")
                });
                assert_eq!(kept, digested, "{} line {}", path.display(), n + 1);
                let [_, execution] = &mut *pair;
                execution.digest(Context::default(), 0);
                steps += 1;
            });
        }
        steps
    }

    #[test]
    fn whatever_can_be_told_of_a_payload_can_be_told_of_its_digest() {
        let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces");
        let files = walkdir::WalkDir::new(traces)
            .into_iter()
            .flatten()
            .filter(|file| file.file_type().is_file());
        let steps: usize = files.map(|file| replays_alike(file.path())).sum();
        assert!(steps > 1000, "{steps}");
    }
}
