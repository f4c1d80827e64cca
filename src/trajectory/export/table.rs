//! Executions, turns, decisions and findings as tables, written as CSV, JSON lines or Parquet.

use crate::report::{Lang, terminal};
use crate::trajectory::model::{ExecutionSet, FindingNote, Trajectory};
use crate::trajectory::words::{self, TurnOutcome, moment};
use crate::verify::timeline::{Deed, Turn};
use content_scan::mask::Mask;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// Nothing is recorded.
    Empty,
    /// A text. May be hostile.
    Text(String),
    Whole(i64),
    /// A number. A value that isn't finite is written as an empty cell.
    Number(#[serde(with = "bits")] f64),
}

/// Serializes a number by its bits, because JSON can't represent a value that isn't finite.
mod bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(n: &f64, to: S) -> Result<S::Ok, S::Error> {
        n.to_bits().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

impl Cell {
    fn text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Empty, |t| Self::Text(t.into()))
    }

    fn whole(n: impl TryInto<i64>) -> Self {
        n.try_into().map_or(Self::Empty, Self::Whole)
    }

    /// Formats the cell for a CSV file (RFC 4180). Prefixes text that a spreadsheet would run as a
    /// formula with an apostrophe, and escapes control characters.
    fn csv(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Whole(n) => n.to_string(),
            Self::Number(n) if n.is_finite() => n.to_string(),
            Self::Number(_) => String::new(),
            Self::Text(text) => {
                let first = text.trim_start().chars().next();
                // The last four are full-width forms that some spreadsheets treat like the first
                // four.
                let runs = matches!(
                    first,
                    Some(
                        '=' | '+'
                            | '-'
                            | '@'
                            | '|'
                            | '%'
                            | '\u{ff1d}'
                            | '\u{ff0b}'
                            | '\u{ff0d}'
                            | '\u{ff20}'
                    )
                ) || text.starts_with(['\t', '\r', '\n']);
                format!(
                    "\"{}{}\"",
                    if runs { "'" } else { "" },
                    terminal(text).replace('"', "\"\"")
                )
            }
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Empty => Value::Null,
            Self::Text(text) => text.as_str().into(),
            Self::Whole(n) => (*n).into(),
            Self::Number(n) => (*n).into(),
        }
    }
}

/// Type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    Text,
    Whole,
    Number,
}

/// A column of a table. All formats take their columns from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub value_type: ColumnType,
    /// Whether a cell may be [`Cell::Empty`].
    pub is_optional: bool,
}

impl Column {
    /// The table's name, in formats whose rows name their table.
    pub const TABLE: Self = Self::text("table");

    const fn text(name: &'static str) -> Self {
        Self {
            name,
            value_type: ColumnType::Text,
            is_optional: false,
        }
    }

    const fn whole(name: &'static str) -> Self {
        Self {
            value_type: ColumnType::Whole,
            ..Self::text(name)
        }
    }

    const fn number(name: &'static str) -> Self {
        Self {
            value_type: ColumnType::Number,
            ..Self::text(name)
        }
    }

    /// The column with cells that may be empty.
    const fn optional(self) -> Self {
        Self {
            is_optional: true,
            ..self
        }
    }
}

const EXECUTION_COLUMNS: &[Column] = &[
    Column::text("file"),
    Column::whole("line"),
    Column::text("execution"),
    Column::text("format"),
    Column::text("intent").optional(),
    Column::text("legal_path"),
    Column::text("authorised"),
    Column::text("governance_complete"),
    Column::whole("turns"),
    Column::text("final_state").optional(),
    Column::text("outcome").optional(),
    Column::whole("duration_ms").optional(),
    Column::whole("findings"),
];

const TURN_COLUMNS: &[Column] = &[
    Column::text("file"),
    Column::text("execution"),
    Column::whole("turn").optional(),
    Column::whole("line"),
    Column::text("start").optional(),
    Column::text("agent").optional(),
    Column::text("model").optional(),
    Column::text("action_type").optional(),
    Column::text("action").optional(),
    Column::text("risk").optional(),
    Column::text("fate"),
    Column::whole("exit_code").optional(),
    Column::text("error_type").optional(),
    Column::number("duration_ms").optional(),
    Column::number("cost").optional(),
    Column::text("evaluation").optional(),
    Column::text("call_id").optional(),
    Column::text("tool").optional(),
    Column::text("decision"),
    Column::text("decided_by"),
    Column::text("outcome"),
];

const DECISION_COLUMNS: &[Column] = &[
    Column::text("file"),
    Column::text("execution"),
    Column::whole("turn").optional(),
    Column::text("action").optional(),
    Column::text("risk").optional(),
    Column::text("ruling"),
    Column::text("by"),
    Column::text("signer").optional(),
    Column::text("rule").optional(),
    Column::text("reason").optional(),
    Column::text("time").optional(),
    Column::whole("waited_ms").optional(),
];

const FINDING_COLUMNS: &[Column] = &[
    Column::text("file").optional(),
    Column::text("execution").optional(),
    Column::whole("turn").optional(),
    Column::whole("line"),
    Column::text("code"),
    Column::text("severity"),
    Column::text("message"),
];

/// A row of the table `turns`, kept unmasked until all secrets of the input are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnRow(Vec<Cell>);

impl TurnRow {
    /// Name of the table.
    pub const TABLE: &'static str = "turns";
    pub const COLUMNS: &'static [Column] = TURN_COLUMNS;

    /// Creates the row of a turn. Its command is truncated only after masking, so that no secret is
    /// split.
    #[must_use]
    pub fn new(turn: &Turn) -> Self {
        Self(turn_cells(turn, usize::MAX))
    }

    /// Returns the row as a JSON object like those of [`Table::objects`], with `secrets` masked.
    #[must_use]
    pub fn object(self, secrets: &Mask) -> Value {
        object(Self::TABLE, Self::COLUMNS, &self.masked(secrets))
    }

    /// Returns the cells with `secrets` masked.
    #[must_use]
    pub fn masked(mut self, secrets: &Mask) -> Vec<Cell> {
        for (column, cell) in TURN_COLUMNS.iter().zip(&mut self.0) {
            if let Cell::Text(text) = cell {
                secrets.clean(text);
                if column.name == "action" && text.starts_with(words::PROMPT) {
                    *text = words::shown_command(text);
                }
            }
        }
        self.0
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name of the table: `executions`, `turns`, `decisions` or `findings`.
    pub name: &'static str,
    pub columns: &'static [Column],
    /// Rows with one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Formats the table as CSV with a header, with line ends as in RFC 4180.
    #[must_use]
    pub fn csv(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let mut out = format!("{}\r\n", names.join(","));
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(Cell::csv).collect();
            out.push_str(&cells.join(","));
            out.push_str("\r\n");
        }
        out
    }

    /// Iterates over the rows as JSON objects, each with the table's name in `table`.
    pub fn objects(&self) -> impl Iterator<Item = Value> {
        self.rows
            .iter()
            .map(|row| object(self.name, self.columns, row))
    }
}

fn object(table: &str, columns: &[Column], row: &[Cell]) -> Value {
    let cells = columns
        .iter()
        .zip(row)
        .map(|(column, cell)| (column.name.to_owned(), cell.json()));
    Value::Object(
        [(Column::TABLE.name.to_owned(), table.into())]
            .into_iter()
            .chain(cells)
            .collect::<Map<_, _>>(),
    )
}

/// Creates all tables of a set of executions.
#[must_use]
pub fn tables(set: &ExecutionSet) -> [Table; 4] {
    let executions = Table {
        name: "executions",
        columns: EXECUTION_COLUMNS,
        rows: set.executions.iter().map(execution).collect(),
    };
    let turns = Table {
        name: TurnRow::TABLE,
        columns: TurnRow::COLUMNS,
        rows: each_turn(set)
            .map(|(_, t)| turn_cells(t, words::COMMAND))
            .collect(),
    };
    let decisions = Table {
        name: "decisions",
        columns: DECISION_COLUMNS,
        rows: each_turn(set).filter_map(|(e, t)| decision(e, t)).collect(),
    };
    let of_executions = set
        .executions
        .iter()
        .flat_map(|e| e.findings.iter().map(move |f| (Some(e), f)));
    let findings = Table {
        name: "findings",
        columns: FINDING_COLUMNS,
        rows: of_executions
            .chain(set.findings.iter().map(|f| (None, f)))
            .map(|(e, f)| finding(e, f))
            .collect(),
    };
    [executions, turns, decisions, findings]
}

fn each_turn(set: &ExecutionSet) -> impl Iterator<Item = (&Trajectory, &Turn)> {
    set.executions
        .iter()
        .flat_map(|e| e.turns.iter().map(move |t| (e, t)))
}

fn execution(e: &Trajectory) -> Vec<Cell> {
    let v = e.verdict;
    vec![
        Cell::Text(e.file.clone()),
        Cell::whole(e.line),
        Cell::Text(e.execution_id.clone()),
        Cell::Text(e.format.clone()),
        Cell::text(e.intent()),
        Cell::Text(v.legal_path.name().into()),
        Cell::Text(v.authorised.name().into()),
        Cell::Text(v.governance_complete.name().into()),
        Cell::whole(
            e.turns.iter().filter(|t| t.number.is_some()).count() as u64 + e.turns_left_out,
        ),
        Cell::text(e.final_state.map(|s| s.name())),
        Cell::text(e.outcome.clone()),
        e.took().map_or(Cell::Empty, Cell::Whole),
        Cell::whole(e.findings.len()),
    ]
}

/// Creates the row of a turn, with up to `command` characters of its command.
fn turn_cells(t: &Turn, command: usize) -> Vec<Cell> {
    let action = t.proposed.as_ref().or(t.ran.as_ref());
    let result = t.result.as_ref();
    let joined = |all: Vec<&str>| Cell::text((!all.is_empty()).then(|| all.join(", ")));
    vec![
        Cell::Text(t.file.to_string()),
        Cell::Text(t.execution.to_string()),
        t.number.map_or(Cell::Empty, Cell::Whole),
        Cell::whole(t.line),
        Cell::text(t.start.map(moment)),
        joined(
            t.thoughts
                .iter()
                .filter_map(|t| t.agent.as_deref())
                .collect(),
        ),
        joined(
            t.thoughts
                .iter()
                .filter_map(|t| t.model.as_deref())
                .collect(),
        ),
        Cell::text(action.map(|a| a.deed.word())),
        Cell::text(action.map(|a| words::action_up_to(a, command, Lang::En))),
        Cell::text(words::risk(t).map(|r| r.name())),
        Cell::Text(TurnOutcome::from_turn(t).name().into()),
        result
            .and_then(|r| r.exit_code)
            .map_or(Cell::Empty, Cell::Whole),
        Cell::text(result.and_then(|r| r.error_type.clone())),
        result
            .and_then(|r| r.duration_ms)
            .map_or(Cell::Empty, Cell::Number),
        result
            .and_then(|r| r.cost)
            .map_or(Cell::Empty, Cell::Number),
        Cell::text(t.evaluation.clone()),
        Cell::text(t.call.as_ref().map(|call| call.id.clone()).or_else(|| {
            let action = t.proposed.as_ref().or(t.ran.as_ref());
            action.and_then(|a| a.id.clone())
        })),
        Cell::text(t.call.as_ref().and_then(|c| c.tool.clone()).or_else(|| {
            match action.map(|a| &a.deed) {
                Some(Deed::Tool { tool, .. }) => Some(tool.clone()),
                _ => None,
            }
        })),
        Cell::Text(words::decided(t).into()),
        Cell::Text(words::decided_by(t).into()),
        Cell::Text(words::outcome(t).into()),
    ]
}

fn decision(e: &Trajectory, t: &Turn) -> Option<Vec<Cell>> {
    let decision = t.decision.as_ref()?;
    Some(vec![
        Cell::Text(e.file.clone()),
        Cell::Text(e.execution_id.clone()),
        t.number.map_or(Cell::Empty, Cell::Whole),
        Cell::text(t.proposed.as_ref().map(|a| words::action(a, Lang::En))),
        Cell::text(words::risk(t).map(|r| r.name())),
        Cell::Text(decision.ruling.name().into()),
        Cell::Text(words::by(decision.by).into()),
        Cell::text(decision.signer.clone()),
        Cell::text(decision.rule.clone()),
        Cell::text(decision.reason.clone()),
        Cell::text(decision.time.map(moment)),
        words::waited(t).map_or(Cell::Empty, Cell::Whole),
    ])
}

fn finding(e: Option<&Trajectory>, f: &FindingNote) -> Vec<Cell> {
    vec![
        Cell::text(e.map(|e| e.file.clone())),
        Cell::text(e.map(|e| e.execution_id.clone())),
        f.turn.map_or(Cell::Empty, Cell::Whole),
        Cell::whole(f.line),
        Cell::Text(f.code.clone()),
        Cell::Text(f.severity.to_string()),
        Cell::Text(f.message.clone()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn csv(text: &str) -> String {
        Cell::Text(text.into()).csv()
    }

    #[test]
    fn formulas_are_defused() {
        for text in [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            " =1",
            "\t=1",
            "\u{ff1d}1",
            "|calc",
            "\r=1",
        ] {
            assert!(csv(text).starts_with("\"'"), "{text}");
        }
        assert_eq!(csv("plain \"a\", b"), "\"plain \"\"a\"\", b\"");
        assert_eq!(
            (
                Cell::Whole(-3).csv(),
                Cell::Number(f64::NAN).csv(),
                Cell::Empty.csv()
            ),
            ("-3".into(), String::new(), String::new())
        );
    }

    proptest! {
        #[test]
        fn a_cell_is_one_cell(text in any::<String>()) {
            let cell = csv(&text);
            let inner = cell.strip_prefix('"').and_then(|c| c.strip_suffix('"')).unwrap();
            prop_assert!(!inner.replace("\"\"", "").contains('"') && !inner.contains(['\n', '\r']));
            prop_assert!(!inner.trim_start().starts_with(['=', '+', '-', '@']));
        }
    }
}
