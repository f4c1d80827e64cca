//! The model: a verification's report, gathered by execution.

use crate::diag::{Finding, Severity};
use crate::replay::{Summary, Verdict};
use crate::verify::Report;
use crate::verify::timeline::{CommandRun, Opening, Timeline, Turn};
use governance::State;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A finding, as far as it is told beside what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingNote {
    /// Its code.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What. May hold hostile text.
    pub message: String,
    /// Its line.
    pub line: u64,
    /// Its turn.
    pub turn: Option<i64>,
}

impl FindingNote {
    fn from_finding(finding: &Finding) -> Self {
        Self {
            code: finding.code.to_string(),
            severity: finding.severity,
            message: finding.message.clone(),
            line: finding.place.line,
            turn: finding.turn,
        }
    }
}

/// Something that an index of knowledge says of an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Known {
    /// What kind of statement it is.
    pub what: String,
    /// What it is about. May hold hostile text.
    pub node: String,
    /// More about it. May hold hostile text.
    pub note: String,
    /// The lines that it rests on, as `FILE:LINE`.
    pub lines: Vec<String>,
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trajectory {
    /// Its id.
    pub execution_id: String,
    /// The input.
    pub file: String,
    /// The first line of it.
    pub line: u64,
    /// The format that it is recorded in.
    pub format: String,
    /// The version of the state machine.
    pub fsm_version: String,
    /// The verdict of the replay.
    pub verdict: Verdict,
    /// Where it ended; `None` when the format doesn't tell.
    pub final_state: Option<State>,
    /// How it says that it ended.
    pub outcome: Option<String>,
    /// How it began, and began again.
    pub openings: Vec<Opening>,
    /// Its turns.
    pub turns: Vec<Turn>,
    /// Turns that it has and that aren't kept.
    pub turns_left_out: u64,
    /// What was found in it, in the order of the input.
    pub findings: Vec<FindingNote>,
    /// What an index of knowledge says of it; `None` where none was asked.
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

    /// What the agent was asked for: what the record says, or else the first message of a user.
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

    /// From the first time that is recorded to the last, in milliseconds.
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

    /// Findings by the turn that they belong to: that of their number, the first one where a number
    /// comes twice, or, where a format numbers none, that of their line. Those of no turn stand
    /// under `None`.
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
                // What a format doesn't record is said once, where it begins, and is about no turn.
                None if finding.severity == Severity::Note => None,
                None => on_line(finding.line),
            };
            by_turn.entry(turn).or_default().push(finding);
        }
        by_turn
    }
}

/// All that inputs tell.
#[derive(Debug, Clone, Default)]
pub struct ExecutionSet {
    /// The executions, in the order of the inputs.
    pub executions: Vec<Trajectory>,
    /// The records of commands, which have no turns.
    pub commands: Vec<CommandRun>,
    /// What was found in no execution.
    pub findings: Vec<FindingNote>,
}

impl ExecutionSet {
    /// Gathers what a verification kept. Its turns have to have been asked for.
    #[must_use]
    pub fn of(report: Report) -> Self {
        Self::gather(&report.summaries, &report.findings, report.timeline)
    }

    /// Gathers the parts of a verification.
    #[must_use]
    pub fn gather(summaries: &[Summary], findings: &[Finding], timeline: Timeline) -> Self {
        let mut book = Self {
            commands: timeline.commands,
            ..Self::default()
        };
        let mut index: BTreeMap<(String, String), usize> = BTreeMap::new();
        for summary in summaries {
            index
                .entry((summary.file.to_string(), summary.id.to_string()))
                .or_insert(book.executions.len());
            book.executions.push(Trajectory::from_summary(summary));
        }
        let place = |file: &str, id: &str| index.get(&(file.to_owned(), id.to_owned())).copied();
        for opening in timeline.openings {
            if let Some(e) =
                place(&opening.file, &opening.execution).and_then(|n| book.executions.get_mut(n))
            {
                e.openings.push(opening);
            }
        }
        for turn in timeline.turns {
            if let Some(e) =
                place(&turn.file, &turn.execution).and_then(|n| book.executions.get_mut(n))
            {
                // The first steps of some formats stand before any turn; they are told, but are
                // none.
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
            match of.and_then(|n| book.executions.get_mut(n)) {
                Some(execution) => execution.findings.push(FindingNote::from_finding(finding)),
                None => book.findings.push(FindingNote::from_finding(finding)),
            }
        }
        book
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.executions.is_empty() && self.commands.is_empty()
    }
}
