//! Finds turns that use content of the context bank without declaring it (YV602).

use super::context::{Bank, Quotes};
use super::extract::{Turn, each_turn};
use super::source_config::finding;
use crate::diag::{Finding, assign_fingerprints};
use crate::source::{Found, Missing};
use crate::trace::action::texts;
use crate::trace::injected::declared;
use crate::trace::typed_reference::Declared;
use crate::verify::{Options, Report};
use std::collections::BTreeSet;

/// Maximum number of findings. Further weak turns are only counted.
const MOST: usize = 1_000;
/// Maximum number of items that one finding names. The others are counted.
const NAMED: usize = 5;

/// A turn that quotes items without declaring them. Its outcome is no evidence for importance or a
/// promotion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weak {
    pub file: String,
    pub execution: String,
    /// The line that the turn begins on.
    pub line: u64,
    pub turn: Option<i64>,
    /// The paths of quoted items that it doesn't declare.
    pub undeclared: Vec<String>,
}

/// The result of a search for weak turns.
#[derive(Debug, Default)]
pub struct WeakTurnScan {
    /// The weak turns, in the order of the inputs.
    pub weak: Vec<Weak>,
    /// Number of turns that were checked.
    pub turns: u64,
    /// Findings about input that couldn't be read.
    pub report: Report,
}

/// Searches the actions and answers of traces for quotes of the bank's items.
#[must_use]
pub fn weak_turns(bank: &Bank, inputs: &[Result<Found, Missing>]) -> WeakTurnScan {
    let quotes = Quotes::of(bank);
    let mut scan = WeakTurnScan::default();
    let (mut weak, mut turns) = (Vec::new(), 0);
    scan.report = each_turn(inputs, &Options::default(), &mut |file, execution, turn| {
        turns += 1;
        let undeclared = undeclared(&quotes, &turn);
        if !undeclared.is_empty() {
            let (line, turn) = (turn.lines.0, turn.number);
            weak.push(Weak {
                file: file.to_owned(),
                execution: execution.to_owned(),
                line,
                turn,
                undeclared,
            });
        }
    });
    weak.sort_by(|a, b| (&a.file, a.line, &a.execution).cmp(&(&b.file, b.line, &b.execution)));
    (scan.weak, scan.turns) = (weak, turns);
    scan
}

/// Returns the texts of a turn's actions.
fn spoken(turn: &Turn) -> Vec<String> {
    let deeds = turn.deed.iter().chain(&turn.performed);
    deeds
        .flat_map(|deed| deed.payload.iter().flat_map(|p| texts(p)))
        .collect()
}

/// Returns the items that a turn declares as used.
pub(super) fn declared_by(turn: &Turn) -> Declared {
    let spoken = spoken(turn);
    let texts = spoken.iter().chain(&turn.reasonings);
    let written = texts.flat_map(|text| declared(text));
    let mut all = Declared::default();
    for reference in turn.used_context.iter().flatten().cloned().chain(written) {
        all.add(&reference);
    }
    all
}

fn undeclared(quotes: &Quotes, turn: &Turn) -> Vec<String> {
    let spoken = spoken(turn);
    let declared = declared_by(turn);
    let known = |id: &str, path: &str| declared.contains(id) || declared.contains(path);
    let paths: BTreeSet<&str> = spoken
        .iter()
        .flat_map(|text| quotes.undeclared(text, &known))
        .collect();
    paths.into_iter().map(str::to_owned).collect()
}

/// Converts read errors and weak turns to findings.
#[must_use]
pub fn findings(scan: &WeakTurnScan, bank: &Bank) -> Vec<Finding> {
    let mut all: Vec<Finding> = scan
        .report
        .findings
        .iter()
        .filter(|f| f.code.0 < 200)
        .cloned()
        .collect();
    for weak in scan.weak.iter().take(MOST) {
        let named: Vec<String> = weak
            .undeclared
            .iter()
            .take(NAMED)
            .map(|p| format!("`{p}`"))
            .collect();
        let more = weak.undeclared.len().saturating_sub(NAMED);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let message = format!(
            "the turn quotes {}{more} and doesn't declare it: it is weak",
            named.join(", ")
        );
        let mut finding = finding(602, &weak.file, weak.line, message);
        for secrets in [&bank.secrets, &scan.report.secrets] {
            secrets.clean(&mut finding.message);
        }
        finding.execution = Some(weak.execution.as_str().into());
        finding.turn = weak.turn;
        all.push(finding);
    }
    all.sort_by_cached_key(Finding::order);
    assign_fingerprints(&mut all);
    all
}
