//! An execution with its timeline.

use super::action::{self, Budget, lines};
use super::finding::{self, Anchors};
use super::{EXECUTIONS, shown};
use crate::replay::{Answer, Summary};
use crate::report::run::{Grade, with_errors};
use crate::report::{Run, words};
use crate::verify::timeline::{Text, Turn};
use governance::DecidedBy;
use governance::Ruling;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Units between two stops of a drawn path.
const STEP: usize = 84;
/// Findings that are named in a turn.
const IN_PLACE: usize = 20;

#[derive(Debug, Serialize)]
pub(super) struct View {
    key: String,
    id: String,
    grade: &'static str,
    open: bool,
    summary: String,
    answers: Vec<Question>,
    position: String,
    format: &'static str,
    outcome: Option<String>,
    violation: Option<String>,
    turns: Vec<TurnView>,
    #[serde(skip)]
    findings: usize,
}

impl View {
    /// Whether it is worth a choice in the filter.
    pub(super) fn has_findings(&self) -> bool {
        self.findings > 0
    }
}

#[derive(Debug, Serialize)]
struct Question {
    asked: &'static str,
    answer: &'static str,
    class: &'static str,
}

#[derive(Debug, Serialize)]
struct TurnView {
    anchor: String,
    title: String,
    open: bool,
    bad: bool,
    risk: Option<&'static str>,
    decided: Option<String>,
    decided_class: &'static str,
    what: String,
    width: usize,
    path: Vec<StopView>,
    ways: Vec<CompareLink>,
    path_text: String,
    findings: Vec<Link>,
    action: Option<action::View>,
    modified: Option<action::View>,
    ran: Option<action::View>,
    rows: Vec<Row>,
    output: Option<Output>,
    error: Option<Output>,
}

#[derive(Debug, Serialize)]
struct StopView {
    x: usize,
    state: &'static str,
    bad: bool,
}

#[derive(Debug, Serialize)]
struct CompareLink {
    from: usize,
    to: usize,
    bad: bool,
}

#[derive(Debug, Serialize)]
struct Link {
    anchor: String,
    severity: &'static str,
    code: String,
    message: String,
}

#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    value: String,
}

#[derive(Debug, Serialize)]
struct Output {
    text: String,
    cut: usize,
}

impl Output {
    fn of(text: &Text) -> Option<Self> {
        (!text.text.is_empty()).then(|| Self {
            text: lines(&text.text),
            cut: text.cut,
        })
    }
}

/// Where the turns stand in the page. A number that comes twice leads to the first turn that has
/// it.
pub(super) fn anchors(run: &Run<'_>, keys: &BTreeMap<(&str, &str), usize>) -> Anchors {
    let mut all = Anchors::new();
    for (n, turn) in run.report.timeline.turns.iter().enumerate() {
        if let Some((key, number)) = keys.get(&(&*turn.file, &*turn.execution)).zip(turn.number) {
            all.entry((*key, number))
                .or_insert_with(|| format!("t-{n}"));
        }
    }
    all
}

/// The executions that are drawn, with their places among all and their grades: those with errors
/// first, as many as fit, in the order of the input.
pub(super) fn drawn<'r>(run: &'r Run<'_>) -> Vec<(usize, &'r Summary, Grade)> {
    let failed = with_errors(run.report);
    let graded = |(n, summary): (usize, &'r Summary)| {
        (
            n,
            summary,
            run.grade(summary, failed.contains(&(&*summary.file, &*summary.id))),
        )
    };
    let mut all: Vec<_> = run
        .report
        .summaries
        .iter()
        .enumerate()
        .map(graded)
        .collect();
    all.sort_by_key(|(n, _, grade)| (*grade != Grade::Fail, *n));
    all.truncate(EXECUTIONS);
    all.sort_by_key(|(n, ..)| *n);
    all
}

pub(super) fn views(
    run: &Run<'_>,
    drawn: &[(usize, &Summary, Grade)],
    findings: &[finding::View],
) -> Vec<View> {
    let mut turns: BTreeMap<(&str, &str), Vec<(usize, &Turn)>> = BTreeMap::new();
    for (n, turn) in run.report.timeline.turns.iter().enumerate() {
        turns
            .entry((&turn.file, &turn.execution))
            .or_default()
            .push((n, turn));
    }
    let mut of_owner: BTreeMap<usize, Vec<&finding::View>> = BTreeMap::new();
    for finding in findings {
        if let Some(owner) = finding.owner {
            of_owner.entry(owner).or_default().push(finding);
        }
    }
    let few = run.report.summaries.len() <= 5;
    let mut budget = Budget::new();
    let mut views = Vec::with_capacity(drawn.len());
    for (n, summary, grade) in drawn {
        let mine = of_owner.get(n).map(Vec::as_slice).unwrap_or_default();
        let turns = turns
            .remove(&(&*summary.file, &*summary.id))
            .unwrap_or_default();
        views.push(of_execution(
            *n,
            summary,
            *grade,
            few && *grade == Grade::Fail,
            &turns,
            mine,
            &mut budget,
        ));
    }
    views
}

fn of_execution(
    n: usize,
    summary: &Summary,
    grade: Grade,
    open: bool,
    turns: &[(usize, &Turn)],
    findings: &[&finding::View],
    budget: &mut Budget,
) -> View {
    let verdict = &summary.verdict;
    let question = |asked, answer: Answer| Question {
        asked,
        answer: answer.name(),
        class: match answer {
            Answer::Yes if grade == Grade::Info => "plain",
            Answer::Yes => "yes",
            Answer::No => "no",
            Answer::NotRecorded => "open",
        },
    };
    let state = summary.final_state.map_or("end not recorded", |s| s.name());
    let found = if findings.is_empty() {
        String::new()
    } else {
        format!(" · {}", words::plural(findings.len() as u64, "finding"))
    };
    let mut named = BTreeSet::new();
    View {
        key: format!("e-{n}"),
        id: shown(&summary.id),
        grade: grade.name(),
        open,
        summary: format!(
            "{} · {} · {state}{found} · {}",
            words::plural(summary.turns, "turn"),
            words::plural(summary.actions, "action"),
            shown(&summary.file)
        ),
        answers: vec![
            question("legal path", verdict.legal_path),
            question("authorised", verdict.authorised),
            question("governance complete", verdict.governance_complete),
        ],
        position: shown(&format!("{}:{}", summary.file, summary.line)),
        format: summary.format.name(),
        outcome: summary.outcome.as_deref().map(shown),
        violation: summary.violation.as_ref().map(|v| {
            shown(&format!(
                "line {}: {} in {}, after {}",
                v.line,
                v.event,
                v.state.name(),
                words::plural(v.prefix, "event")
            ))
        }),
        turns: turns
            .iter()
            .map(|(n, turn)| {
                // Findings of a duplicate number appear in its first turn.
                let first = turn.number.is_some_and(|number| named.insert(number));
                let mine: Vec<&finding::View> = findings
                    .iter()
                    .copied()
                    .filter(|f| first && f.turn == turn.number)
                    .collect();
                of_turn(*n, turn, &mine, budget)
            })
            .collect(),
        findings: findings.len(),
    }
}

fn of_turn(n: usize, turn: &Turn, findings: &[&finding::View], budget: &mut Budget) -> TurnView {
    let decision = turn.decision.as_ref();
    let by = |by: DecidedBy| match by {
        DecidedBy::Policy => "policy",
        DecidedBy::Human => "a human",
    };
    let deed = turn.proposed.as_ref().or(turn.ran.as_ref());
    let what = match deed {
        Some(action) => action::brief(action),
        None if turn.thoughts.iter().any(|t| t.done) => "believes itself done".into(),
        None => String::new(),
    };
    let path: Vec<StopView> = turn
        .path
        .iter()
        .enumerate()
        .map(|(n, s)| StopView {
            x: 44 + n * STEP,
            state: s.state.name(),
            bad: s.illegal.is_some(),
        })
        .collect();
    let ways = path.windows(2).filter_map(|pair| match pair {
        [a, b] => Some(CompareLink {
            from: a.x + 7,
            to: b.x - 7,
            bad: b.bad,
        }),
        _ => None,
    });
    let told: Vec<String> = turn
        .path
        .iter()
        .map(|s| {
            s.illegal.as_ref().map_or_else(
                || s.state.name().to_owned(),
                |e| format!("{} (illegal: {e})", s.state.name()),
            )
        })
        .collect();
    TurnView {
        anchor: format!("t-{n}"),
        title: turn
            .number
            .map_or_else(|| "before the first turn".into(), |n| format!("Turn {n}")),
        open: !findings.is_empty(),
        bad: findings.iter().any(|f| f.severity == "error") || path.iter().any(|s| s.bad),
        risk: deed.and_then(|d| d.risk).map(|r| r.name()),
        decided: match decision {
            Some(d) => Some(format!("{} by {}", d.ruling.name(), by(d.by))),
            None => turn.result.is_some().then(|| "no decision recorded".into()),
        },
        decided_class: match decision.map(|d| d.ruling) {
            Some(Ruling::Approved) => "good",
            Some(Ruling::Modified) => "warning",
            Some(Ruling::Rejected) => "plain",
            None => "error",
        },
        what,
        width: path.len().max(1) * STEP + 4,
        ways: ways.collect(),
        path_text: shown(&format!("Path: {}", told.join(", then "))),
        path,
        findings: findings
            .iter()
            .take(IN_PLACE)
            .map(|f| Link {
                anchor: f.anchor.clone(),
                severity: f.severity,
                code: f.code.clone(),
                message: f.message.clone(),
            })
            .collect(),
        action: turn
            .proposed
            .as_ref()
            .map(|p| action::view(&p.deed, budget)),
        modified: decision
            .and_then(|d| d.modified.as_ref())
            .map(|m| action::view(&m.deed, budget)),
        ran: turn.ran.as_ref().map(|r| action::view(&r.deed, budget)),
        rows: rows(turn),
        output: turn.result.as_ref().and_then(|r| Output::of(&r.output)),
        error: turn
            .result
            .as_ref()
            .and_then(|r| r.error.as_ref())
            .and_then(Output::of),
    }
}

fn rows(turn: &Turn) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name, value: Option<String>| {
        rows.extend(value.map(|v| Row {
            name,
            value: shown(&v),
        }));
    };
    let agents: Vec<String> = turn
        .thoughts
        .iter()
        .filter_map(|t| t.agent.clone())
        .collect();
    row(
        "thought by",
        (!agents.is_empty()).then(|| agents.join(", ")),
    );
    row("action", turn.proposed.as_ref().and_then(|p| p.id.clone()));
    if let Some(decision) = &turn.decision {
        row("signer", decision.signer.clone());
        row("policy rule", decision.rule.clone());
        row("reason", decision.reason.clone());
        let waited = decision
            .time
            .zip(turn.proposed_at)
            .and_then(|(d, p)| d.checked_sub(p));
        row("decided after", waited.map(duration));
    }
    if let Some(result) = &turn.result {
        let code = result
            .exit_code
            .map(|c| format!(", exit code {c}"))
            .unwrap_or_default();
        row(
            "result",
            Some(format!(
                "{}{code}",
                if result.success { "success" } else { "failure" }
            )),
        );
    }
    row("evaluation", turn.evaluation.clone());
    let took = turn.end.zip(turn.start).and_then(|(e, s)| e.checked_sub(s));
    row("took", took.map(duration));
    row("line", Some(turn.line.to_string()));
    rows
}

/// Milliseconds as people say them.
fn duration(millis: i64) -> String {
    match millis {
        i64::MIN..=9_999 => format!("{millis} ms"),
        10_000..=119_999 => format!("{} s", millis / 1000),
        120_000..=7_199_999 => format!("{} min", millis / 60_000),
        _ => format!("{} h", millis / 3_600_000),
    }
}
