//! The model: the report of a verification, grouped by execution.

use crate::diag::{Finding, Severity};
use crate::replay::{Summary, Verdict};
use crate::verify::Report;
use crate::verify::timeline::{CommandRun, Opening, Timeline, Turn};
use governance::State;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A finding, reduced to what is shown next to its subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingNote {
    /// Code of the rule.
    pub code: String,
    /// Severity of the finding.
    pub severity: Severity,
    /// Message of the finding. May contain hostile text.
    pub message: String,
    /// Line of the finding.
    pub line: u64,
    /// Number of the turn, if the finding belongs to one.
    pub turn: Option<i64>,
}

impl FindingNote {
    /// Reduces a finding.
    #[must_use]
    pub fn from_finding(finding: &Finding) -> Self {
        Self {
            code: finding.code.to_string(),
            severity: finding.severity,
            message: finding.message.clone(),
            line: finding.place.line,
            turn: finding.turn,
        }
    }
}

/// A statement of a knowledge index about an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Known {
    /// Kind of the statement.
    pub what: String,
    /// Subject of the statement. May contain hostile text.
    pub node: String,
    /// Details of the statement. May contain hostile text.
    pub note: String,
    /// The lines that support the statement, as `FILE:LINE`.
    pub lines: Vec<String>,
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trajectory {
    /// Id of the execution.
    pub execution_id: String,
    /// Name of the input.
    pub file: String,
    /// First line of the execution in the input.
    pub line: u64,
    /// Name of the trace format.
    pub format: String,
    /// Version of the state machine.
    pub fsm_version: String,
    /// The verdict of the replay.
    pub verdict: Verdict,
    /// The final state; null when the format doesn't record it.
    pub final_state: Option<State>,
    /// The outcome that the trace declares.
    pub outcome: Option<String>,
    /// The start of the execution and its resumptions.
    pub openings: Vec<Opening>,
    /// The turns that are kept.
    pub turns: Vec<Turn>,
    /// Number of turns that aren't kept.
    pub turns_left_out: u64,
    /// The findings of the execution, in input order.
    pub findings: Vec<FindingNote>,
    /// The statements of a knowledge index about the execution; absent when no index was queried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<Vec<Known>>,
}

impl Trajectory {
    fn from_summary(summary: &Summary) -> Self {
        Self {
            execution_id: summary.id.to_string(),
            file: summary.file.to_string(),
            line: summary.line,
            format: summary.format.name().to_owned(),
            fsm_version: summary.version.name().to_owned(),
            verdict: summary.verdict,
            final_state: summary.final_state,
            outcome: summary.outcome.as_deref().map(str::to_owned),
            openings: Vec::new(),
            turns: Vec::new(),
            turns_left_out: summary.turns,
            findings: Vec::new(),
            known: None,
        }
    }

    /// Returns the task of the agent: the recorded intent, or else the first message of a user.
    #[must_use]
    pub fn intent(&self) -> Option<&str> {
        let said = self.openings.iter().find_map(|o| o.intent.as_ref());
        let asked = || {
            self.turns
                .iter()
                .find_map(|t| t.context.as_ref()?.asked.as_ref())
        };
        said.or_else(asked).map(|text| text.text.as_str())
    }

    /// Returns the milliseconds between the first and the last recorded time.
    #[must_use]
    pub fn took(&self) -> Option<i64> {
        let times = || {
            self.turns
                .iter()
                .flat_map(|t| [t.start, t.end])
                .chain(self.openings.iter().map(|o| o.time))
                .flatten()
        };
        times().max()?.checked_sub(times().min()?)
    }

    /// Groups findings by the index of their turn.
    ///
    /// A finding belongs to the first turn with its number, or, in a format without turn numbers,
    /// to the turn that contains its line. Findings of no turn have the key `None`.
    #[must_use]
    pub fn findings_by_turn(&self) -> BTreeMap<Option<usize>, Vec<&FindingNote>> {
        let mut first: BTreeMap<i64, usize> = BTreeMap::new();
        for (index, number) in self
            .turns
            .iter()
            .enumerate()
            .filter_map(|(n, t)| Some((n, t.number?)))
        {
            first.entry(number).or_insert(index);
        }
        let on_line = |line: u64| {
            let index = self.turns.partition_point(|t| t.last_line < line);
            self.turns
                .get(index)
                .filter(|t| t.counted && t.line <= line)
                .map(|_| index)
        };
        let mut by_turn: BTreeMap<Option<usize>, Vec<&FindingNote>> = BTreeMap::new();
        for finding in &self.findings {
            let turn = match finding.turn {
                Some(number) => first.get(&number).copied(),
                // A note about what a format doesn't record is reported once, at the first line,
                // and concerns no turn.
                None if finding.severity == Severity::Note => None,
                None => on_line(finding.line),
            };
            by_turn.entry(turn).or_default().push(finding);
        }
        by_turn
    }
}

/// The executions, commands and other findings of all inputs.
#[derive(Debug, Clone, Default)]
pub struct ExecutionSet {
    /// The executions, in input order.
    pub executions: Vec<Trajectory>,
    /// Records of single commands, which have no turns.
    pub commands: Vec<CommandRun>,
    /// Findings that belong to no execution.
    pub findings: Vec<FindingNote>,
}

impl ExecutionSet {
    /// Groups the report of a verification, which must have been made with a timeline.
    #[must_use]
    pub fn of(report: Report) -> Self {
        Self::gather(&report.summaries, &report.findings, report.timeline)
    }

    /// Groups the parts of a verification.
    #[must_use]
    pub fn gather(summaries: &[Summary], findings: &[Finding], timeline: Timeline) -> Self {
        let mut set = Self {
            commands: timeline.commands,
            ..Self::default()
        };
        let mut index: BTreeMap<(String, String), usize> = BTreeMap::new();
        for summary in summaries {
            index
                .entry((summary.file.to_string(), summary.id.to_string()))
                .or_insert(set.executions.len());
            set.executions.push(Trajectory::from_summary(summary));
        }
        let place = |file: &str, id: &str| index.get(&(file.to_owned(), id.to_owned())).copied();
        for opening in timeline.openings {
            if let Some(e) =
                place(&opening.file, &opening.execution).and_then(|n| set.executions.get_mut(n))
            {
                e.openings.push(opening);
            }
        }
        for turn in timeline.turns {
            if let Some(e) =
                place(&turn.file, &turn.execution).and_then(|n| set.executions.get_mut(n))
            {
                // In some formats the first steps come before any turn. They are shown, but not
                // counted as a turn.
                e.turns_left_out = e
                    .turns_left_out
                    .saturating_sub(u64::from(turn.number.is_some()));
                e.turns.push(turn);
            }
        }
        for finding in findings {
            let of = finding
                .execution
                .as_deref()
                .and_then(|id| place(&finding.place.file, id));
            match of.and_then(|n| set.executions.get_mut(n)) {
                Some(execution) => execution.findings.push(FindingNote::from_finding(finding)),
                None => set.findings.push(FindingNote::from_finding(finding)),
            }
        }
        set
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.executions.is_empty() && self.commands.is_empty()
    }
}
