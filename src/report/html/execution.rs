//! The view of an execution with its timeline.

use super::action::{self, AnalysisBudget, lines};
use super::budget::SizeBudget;
use super::finding::{self, Anchors};
use super::{BYTES, EXECUTIONS, PASSED, shown};
use crate::replay::{Answer, Summary};
use crate::report::run::{Grade, with_errors};
use crate::report::{Lang, Run, words};
use crate::verify::timeline::{Stop, Text, Turn};
use governance::DecidedBy;
use governance::Ruling;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum distance between two stops of a drawn path, in units of the drawing.
const STEP: usize = 84;
/// Maximum width of a label's character, in the same units.
const CHARACTER: usize = 6;
/// Approximate bytes of markup of an execution, of a turn and of a stop of its path.
const MARKUP: [usize; 3] = [900, 700, 170];
/// Maximum number of findings named in a turn.
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
    /// Iterates over the anchors of the execution and its turns.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        let turns = self.turns.iter().map(|turn| &*turn.anchor);
        std::iter::once(&*self.key).chain(turns)
    }

    /// Returns true if the execution belongs in the filter.
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
    height: usize,
    path: Vec<StopView>,
    ways: Vec<PathLine>,
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
    /// Name of the illegal event that was attempted in this state.
    tried: Option<String>,
}

#[derive(Debug, Serialize)]
struct PathLine {
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

/// Assigns anchors to turns. A duplicate turn number links to the first turn that has it.
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

/// Selects the executions to draw, with their indexes and grades: those with errors first, up to
/// the limit, each group in input order.
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
    let mut passed = 0;
    all.retain(|(.., grade)| {
        passed += usize::from(matches!(grade, Grade::Pass | Grade::Info));
        passed <= PASSED || matches!(grade, Grade::Fail | Grade::Incomplete)
    });
    all.truncate(EXECUTIONS);
    all
}

/// Counts the executions of each grade.
pub(super) fn grades(run: &Run<'_>) -> BTreeMap<&'static str, u64> {
    let failed = with_errors(run.report);
    let mut all = BTreeMap::new();
    for summary in &run.report.summaries {
        let grade = run.grade(summary, failed.contains(&(&*summary.file, &*summary.id)));
        *all.entry(grade.name()).or_default() += 1;
    }
    all
}

/// Describes how many executions aren't drawn; `None` when all are.
pub(super) fn left_out(
    grades: &BTreeMap<&'static str, u64>,
    drawn: &[View],
    lang: Lang,
) -> Option<String> {
    let mut parts = Vec::new();
    let mut all = 0;
    for (grade, count) in grades {
        let shown = drawn.iter().filter(|view| view.grade == *grade).count() as u64;
        let missing = count.saturating_sub(shown);
        all += missing;
        parts.extend((missing > 0).then(|| format!("{missing} {grade}")));
    }
    (all > 0).then(|| {
        lang.fill(
            "{0} counted above and not drawn: {1}.",
            &[&lang.plural(all, "more execution"), &lang.list(&parts)],
        )
    })
}

pub(super) fn views(
    run: &Run<'_>,
    drawn: &[(usize, &Summary, Grade)],
    findings: &[finding::View],
) -> (Vec<View>, u64) {
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
    let mut budget = AnalysisBudget::new();
    let (mut heads, mut bytes) = (SizeBudget::new(BYTES), SizeBudget::new(BYTES));
    let mut left_out = 0;
    let mut views = Vec::with_capacity(drawn.len());
    for (n, summary, grade) in drawn {
        let mine = of_owner.get(n).map(Vec::as_slice).unwrap_or_default();
        let turns = turns
            .remove(&(&*summary.file, &*summary.id))
            .unwrap_or_default();
        let mut view = of_execution(
            (*n, summary, *grade),
            few && *grade == Grade::Fail,
            &turns,
            mine,
            &mut budget,
            run.text.lang,
        );
        let turns = std::mem::take(&mut view.turns);
        if !heads.spend(MARKUP[0], &view) {
            break;
        }
        for turn in turns {
            let markup = MARKUP[1] + MARKUP[2] * turn.path.len();
            if bytes.spend(markup, &turn) {
                view.turns.push(turn);
            } else {
                left_out += 1;
            }
        }
        views.push(view);
    }
    (views, left_out)
}

fn of_execution(
    (n, summary, grade): (usize, &Summary, Grade),
    open: bool,
    turns: &[(usize, &Turn)],
    findings: &[&finding::View],
    budget: &mut AnalysisBudget,
    lang: Lang,
) -> View {
    let verdict = &summary.verdict;
    let question = |asked, answer: Answer| Question {
        asked: lang.say(asked),
        answer: lang.say(answer.name()),
        class: match answer {
            Answer::Yes if grade == Grade::Info => "plain",
            Answer::Yes => "yes",
            Answer::No => "no",
            Answer::NotRecorded => "open",
        },
    };
    let state = summary.final_state.map(|s| s.name());
    let state = state.unwrap_or_else(|| lang.say("end not recorded"));
    let found = if findings.is_empty() {
        String::new()
    } else {
        format!(" · {}", lang.plural(findings.len() as u64, "finding"))
    };
    let mut named = BTreeSet::new();
    View {
        key: format!("e-{n}"),
        id: shown(&summary.id),
        grade: grade.name(),
        open,
        summary: format!(
            "{} · {} · {state}{found} · {}",
            lang.plural(summary.turns, "turn"),
            lang.plural(summary.actions, "action"),
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
            shown(&lang.fill(
                "line {0}: {1} in {2}, after {3}",
                &[
                    &v.line,
                    &v.event,
                    &v.state.name(),
                    &lang.plural(v.prefix, "event"),
                ],
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
                of_turn(*n, turn, &mine, budget, lang)
            })
            .collect(),
        findings: findings.len(),
    }
}

fn of_turn(
    n: usize,
    turn: &Turn,
    findings: &[&finding::View],
    budget: &mut AnalysisBudget,
    lang: Lang,
) -> TurnView {
    let decision = turn.decision.as_ref();
    let by = |by: DecidedBy| match by {
        DecidedBy::Policy => lang.say("policy"),
        DecidedBy::Human => lang.say("a human"),
    };
    let deed = turn.proposed.as_ref().or(turn.ran.as_ref());
    let what = match deed {
        Some(action) => action::brief(action, lang),
        None if turn.thoughts.iter().any(|t| t.done) => lang.say("believes itself done").into(),
        None => String::new(),
    };
    let tried = |s: &Stop| {
        s.illegal
            .as_deref()
            .map(|event| shown(&words::clip(event, 40)))
    };
    // Labels must not overlap.
    let half = |s: &StopView| {
        let label = s.tried.as_ref().map_or(0, |t| t.chars().count() + 4);
        (STEP / 2).max(label * CHARACTER / 2)
    };
    let mut path: Vec<StopView> = Vec::with_capacity(turn.path.len());
    let mut width = 4;
    for stop in &turn.path {
        let mut view = StopView {
            x: 0,
            state: stop.state.name(),
            bad: stop.illegal.is_some(),
            tried: tried(stop),
        };
        view.x = width + half(&view);
        width = view.x + half(&view);
        path.push(view);
    }
    let broken = path.iter().any(|s| s.bad);
    let ways = path.windows(2).filter_map(|pair| match pair {
        [a, b] => Some(PathLine {
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
                |e| lang.fill("{0} tried in {1} (illegal)", &[e, &s.state.name()]),
            )
        })
        .collect();
    let bad = broken || findings.iter().any(|f| f.severity == "error");
    TurnView {
        anchor: format!("t-{n}"),
        title: turn.number.map_or_else(
            || lang.say("before the first turn").into(),
            |n| lang.fill("Turn {0}", &[&n]),
        ),
        open: !findings.is_empty(),
        bad,
        risk: deed.and_then(|d| d.risk).map(|r| r.name()),
        decided: match decision {
            Some(d) => Some(lang.fill("{0} by {1}", &[&lang.say(d.ruling.name()), &by(d.by)])),
            None => turn
                .result
                .is_some()
                .then(|| lang.say("no decision recorded").into()),
        },
        decided_class: match decision.map(|d| d.ruling) {
            // The finding may be about the approval itself, so it isn't shown as good.
            Some(Ruling::Approved) if bad => "plain",
            Some(Ruling::Approved) => "good",
            Some(Ruling::Modified) => "warning",
            Some(Ruling::Rejected) => "plain",
            None => "error",
        },
        what,
        width,
        height: if broken { 56 } else { 44 },
        ways: ways.collect(),
        path_text: shown(&lang.fill("Path: {0}", &[&told.join(lang.say(", then "))])),
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
        rows: rows(turn, lang),
        output: turn.result.as_ref().and_then(|r| Output::of(&r.output)),
        error: turn
            .result
            .as_ref()
            .and_then(|r| r.error.as_ref())
            .and_then(Output::of),
    }
}

fn rows(turn: &Turn, lang: Lang) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name, value: Option<String>| {
        rows.extend(value.map(|v| Row {
            name: lang.say(name),
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
            .map(|c| lang.fill(", exit code {0}", &[&c]))
            .unwrap_or_default();
        let success = if result.success { "success" } else { "failure" };
        row("result", Some(format!("{}{code}", lang.say(success))));
    }
    row("evaluation", turn.evaluation.clone());
    let took = turn.end.zip(turn.start).and_then(|(e, s)| e.checked_sub(s));
    row("took", took.map(duration));
    row("line", Some(turn.line.to_string()));
    rows
}

/// Formats a duration in milliseconds for people.
fn duration(millis: i64) -> String {
    match millis {
        i64::MIN..=9_999 => format!("{millis} ms"),
        10_000..=119_999 => format!("{} s", millis / 1000),
        120_000..=7_199_999 => format!("{} min", millis / 60_000),
        _ => format!("{} h", millis / 3_600_000),
    }
}
