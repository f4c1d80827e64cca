//! The section about one execution: its intent, participants, end and verdict, followed by its
//! turns.

use super::{Detail, turn};
use crate::diag::Severity;
use crate::replay::Answer;
use crate::report::page::{Page, Tone};
use crate::trajectory::context::{Quality, References};
use crate::trajectory::graph::{Evidence, Graph, Said};
use crate::trajectory::model::{FindingNote, Known, Trajectory};
use crate::trajectory::words::{TurnOutcome, duration, plural};
use governance::DecidedBy;
use governance::Ruling;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Writes the section of one execution.
pub(super) fn write(
    execution: &Trajectory,
    graph: Option<&Graph>,
    detail: Detail,
    page: &mut Page,
) {
    page.heading(
        1,
        format!("Execution {}", execution.execution_id),
        Tone::Plain,
    );
    found(&execution.findings, page);
    page.row(
        "recorded in",
        format!(
            "{}:{} ({})",
            execution.file, execution.line, execution.format
        ),
    );
    page.row("intent", execution.intent().unwrap_or("not recorded"));
    took_part(execution, page);
    page.row("summary", what_happened(execution));
    page.toned(
        "ended",
        ended(execution),
        if execution.final_state.is_some() {
            Tone::Plain
        } else {
            Tone::Warning
        },
    );
    let verdict = execution.verdict;
    let answers = [
        verdict.legal_path,
        verdict.authorised,
        verdict.governance_complete,
    ];
    page.toned(
        "verdict",
        format!(
            "legal path: {}; authorised: {}; governance complete: {}",
            verdict.legal_path.name(),
            verdict.authorised.name(),
            verdict.governance_complete.name()
        ),
        match () {
            () if answers.contains(&Answer::No) => Tone::Bad,
            () if answers.contains(&Answer::NotRecorded) => Tone::Warning,
            () => Tone::Good,
        },
    );
    context(execution, page);
    skills(execution, page);
    if let Some(graph) = graph {
        evidence(&Evidence::of(graph, &execution.execution_id), page);
    }
    if let Some(known) = &execution.known {
        index(known, page);
    }
    let mut found = execution.findings_by_turn();
    for note in found.remove(&None).unwrap_or_default() {
        finding(note, page);
    }
    for index in 0..execution.turns.len() {
        if detail.turn.is_none()
            || execution
                .turns
                .get(index)
                .is_some_and(|t| t.number == detail.turn)
        {
            turn::write(
                execution,
                index,
                &found.remove(&Some(index)).unwrap_or_default(),
                detail,
                page,
            );
        }
    }
    if execution.turns_left_out > 0 {
        page.say(
            format!(
                "… {} more, beyond the limit",
                plural(execution.turns_left_out, "turn")
            ),
            Tone::Warning,
        );
    }
}

/// Writes the number of findings by severity and rule. It comes first, because readers need it
/// most.
pub(super) fn found<'n>(findings: impl IntoIterator<Item = &'n FindingNote>, page: &mut Page) {
    let mut severities: BTreeMap<Reverse<Severity>, u64> = BTreeMap::new();
    let mut codes: BTreeMap<(Reverse<Severity>, &str), u64> = BTreeMap::new();
    for note in findings {
        *severities.entry(Reverse(note.severity)).or_default() += 1;
        *codes
            .entry((Reverse(note.severity), &note.code))
            .or_default() += 1;
    }
    let counts: Vec<String> = severities
        .iter()
        .map(|(severity, n)| plural(*n, severity.0.name()))
        .collect();
    let codes: Vec<String> = codes
        .iter()
        .map(|((_, code), n)| match n {
            1 => (*code).to_owned(),
            n => format!("{code} ({n} times)"),
        })
        .collect();
    let (text, tone) = match severities.keys().next() {
        None => ("nothing".to_owned(), Tone::Plain),
        Some(Reverse(worst)) => (
            format!("{}: {}", counts.join(", "), codes.join(", ")),
            match worst {
                Severity::Error => Tone::Bad,
                Severity::Warning => Tone::Warning,
                Severity::Note => Tone::Plain,
            },
        ),
    };
    page.toned("found", text, tone);
}

fn took_part(execution: &Trajectory, page: &mut Page) {
    let mut agents: BTreeSet<&str> = execution
        .openings
        .iter()
        .flat_map(|o| o.agents.iter().map(String::as_str))
        .collect();
    agents.extend(
        execution
            .turns
            .iter()
            .flat_map(|t| &t.thoughts)
            .filter_map(|t| t.agent.as_deref()),
    );
    let signers: BTreeSet<&str> = execution
        .turns
        .iter()
        .filter_map(|t| t.decision.as_ref()?.signer.as_deref())
        .collect();
    let models: BTreeSet<&str> = execution
        .turns
        .iter()
        .flat_map(|t| &t.thoughts)
        .filter_map(|t| t.model.as_deref())
        .collect();
    let join = |set: BTreeSet<&str>| set.into_iter().collect::<Vec<_>>().join(", ");
    let mut parts = Vec::new();
    let mut add = |name: &str, text: String| {
        parts.extend((!text.is_empty()).then(|| format!("{name} {text}")));
    };
    add("agent", join(agents));
    add("model", join(models));
    let last = |member: fn(&crate::verify::timeline::Opening) -> Option<&String>| {
        execution
            .openings
            .iter()
            .rev()
            .find_map(member)
            .cloned()
            .unwrap_or_default()
    };
    add("governor", last(|o| o.governor.as_ref()));
    add("signed by", join(signers));
    add("runtime", last(|o| o.runtime.as_ref()));
    page.row(
        "took part",
        if parts.is_empty() {
            "not recorded".to_owned()
        } else {
            parts.join("; ")
        },
    );
    let policy = [
        last(|o| o.policy_path.as_ref()),
        last(|o| o.policy_revision.as_ref()),
        last(|o| o.policy_digest.as_ref()),
    ];
    let policy: Vec<&str> = policy
        .iter()
        .map(String::as_str)
        .filter(|p| !p.is_empty())
        .collect();
    if !policy.is_empty() {
        page.row("policy", policy.join(", "));
    }
    if let Some(parent) = execution.openings.iter().find_map(|o| o.parent.as_ref()) {
        page.row("resumes", parent.clone());
    }
}

fn count<'t, T>(all: &'t [T], test: impl Fn(&'t T) -> bool) -> u64 {
    all.iter().filter(|t| test(t)).count() as u64
}

fn what_happened(execution: &Trajectory) -> String {
    let turns = &execution.turns;
    let ruled = |ruling: Ruling, by: DecidedBy| {
        count(turns, |t| {
            t.decision
                .as_ref()
                .is_some_and(|d| d.ruling == ruling && d.by == by)
        })
    };
    let mut parts = vec![format!(
        "{}, {} proposed",
        plural(count(turns, |t| t.number.is_some()), "turn"),
        plural(count(turns, |t| t.proposed.is_some()), "action")
    )];
    for (ruling, word) in [
        (Ruling::Approved, "approved"),
        (Ruling::Modified, "modified"),
        (Ruling::Rejected, "rejected"),
    ] {
        for (by, who) in [(DecidedBy::Policy, "policy"), (DecidedBy::Human, "a human")] {
            let n = ruled(ruling, by);
            parts.extend((n > 0).then(|| format!("{n} {word} by {who}")));
        }
    }
    for fate in [TurnOutcome::Succeeded, TurnOutcome::Failed] {
        let n = count(turns, |t| TurnOutcome::from_turn(t) == fate);
        parts.extend((n > 0).then(|| format!("{n} {}", fate.name())));
    }
    parts.extend(execution.took().map(|ms| format!("in {}", duration(ms))));
    parts.join(", ")
}

/// Describes the end of an execution and its cause, as far as they are recorded.
fn ended(execution: &Trajectory) -> String {
    let last = execution
        .turns
        .iter()
        .rev()
        .find_map(|t| Some((t.evaluation.as_ref()?, t.number)));
    let ruled = match last {
        Some((evaluation, Some(turn))) => format!("the runtime ruled {evaluation} in turn {turn}"),
        Some((evaluation, None)) => format!("the runtime ruled {evaluation}"),
        None => "no evaluation is recorded".to_owned(),
    };
    let state = execution
        .final_state
        .map_or("where it stopped isn't recorded".to_owned(), |s| {
            format!("it is in {}", s.name())
        });
    match &execution.outcome {
        Some(outcome) => format!("{outcome}; {ruled}; {state}"),
        None => format!("its end isn't declared; {ruled}; {state}"),
    }
}

fn context(execution: &Trajectory, page: &mut Page) {
    let sum = |part: fn(&crate::verify::timeline::ContextDiff) -> usize| {
        execution
            .turns
            .iter()
            .filter_map(|t| t.context_diff.as_ref())
            .map(part)
            .sum::<usize>()
    };
    let references = References::of(execution);
    let changes = [
        (sum(|d| d.added.len()), "added"),
        (sum(|d| d.removed.len()), "removed"),
        (sum(|d| d.changed.len()), "changed"),
    ];
    let mut parts: Vec<String> = Vec::new();
    parts.extend(references.items.map(|n| plural(n as u64, "item")));
    parts.extend(
        changes
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| format!("{n} {word}")),
    );
    page.row(
        "context",
        if parts.is_empty() {
            "no items are recorded".to_owned()
        } else {
            parts.join(", ")
        },
    );
    let tone = if references.quality == Quality::Poor {
        Tone::Warning
    } else {
        Tone::Plain
    };
    let text = match references.accuracy {
        Some(accuracy) => {
            let unknown = if references.unknown.is_empty() {
                String::new()
            } else {
                format!("; not in the context: {}", references.unknown.join(", "))
            };
            format!(
                "{}: {} of {} to an item that was there ({:.0} %){unknown}",
                references.quality.name(),
                references.valid,
                plural((references.valid + references.invalid) as u64, "reference"),
                accuracy * 100.0
            )
        }
        None => references.quality.name().to_owned(),
    };
    page.toned("references", text, tone);
    if !references.weak_turns.is_empty() {
        let turns: Vec<String> = references.weak_turns.iter().map(i64::to_string).collect();
        let text = format!(
            "{}: content of the context is used and not declared, so nothing gains by them",
            turns.join(", ")
        );
        page.toned("weak turns", text, Tone::Warning);
    }
}

fn skills(execution: &Trajectory, page: &mut Page) {
    let used: BTreeSet<&str> = execution
        .turns
        .iter()
        .filter_map(|t| t.used_skills.as_ref())
        .flatten()
        .map(String::as_str)
        .collect();
    let recorded = execution.turns.iter().any(|t| t.used_skills.is_some());
    page.row(
        "skills used",
        match (used.is_empty(), recorded) {
            (true, true) => "none".to_owned(),
            (true, false) => "not recorded".to_owned(),
            (false, _) => used.into_iter().collect::<Vec<_>>().join(", "),
        },
    );
}

fn evidence(evidence: &Evidence, page: &mut Page) {
    if evidence.is_empty() {
        page.row("evidence", "the graph says nothing of this execution");
        return;
    }
    let sentence = |list: &[Said], say: &dyn Fn(&Said) -> String| {
        list.iter()
            .map(|s| format!("{} (line {})", say(s), s.line))
            .collect::<Vec<_>>()
            .join("; ")
    };
    let mut row = |name, list: &[Said], say: &dyn Fn(&Said) -> String| {
        if !list.is_empty() {
            page.row(name, sentence(list, say));
        }
    };
    let with = |s: &Said| s.with.clone().unwrap_or_default();
    row("evidence", &evidence.contexts_used, &|s| {
        format!("used {}", s.node)
    });
    row(
        "validated",
        &evidence.skills_validated,
        &|s| match s.success {
            Some(true) => format!("{} did well", s.node),
            Some(false) => format!("{} did badly", s.node),
            None => s.node.clone(),
        },
    );
    row("promoted", &evidence.promoted, &|s| {
        format!("{} became {}", s.node, with(s))
    });
    row("provenance", &evidence.provenance, &|s| {
        format!("{} comes from {}", s.node, with(s))
    });
    row("suggestion", &evidence.suggested, &|s| {
        format!("{} comes from {}, used here", s.node, with(s))
    });
    if evidence.left_out > 0 {
        page.row(
            "left out",
            format!("{} of the graph", plural(evidence.left_out, "statement")),
        );
    }
}

/// Writes the statements of a knowledge index, each with the lines that support it.
fn index(known: &[Known], page: &mut Page) {
    if known.is_empty() {
        page.row("index", "it says nothing of this execution");
    }
    for Known {
        what,
        node,
        note,
        lines,
    } in known
    {
        let name = match what.as_str() {
            "indexed" => "index",
            "used" => "evidence",
            "provenance" => "provenance",
            "promoted" => "promoted",
            _ => "validated",
        };
        let said = if what == "used" {
            format!("used {node}")
        } else {
            node.clone()
        };
        let note = if note.is_empty() {
            String::new()
        } else {
            format!(": {note}")
        };
        page.row(name, format!("{said}{note} ({})", lines.join(", ")));
    }
}

/// Writes one finding.
pub(super) fn finding(note: &FindingNote, page: &mut Page) {
    let tone = match note.severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Plain,
    };
    page.toned(
        "finding",
        format!(
            "{} {}: {} (line {})",
            note.severity, note.code, note.message, note.line
        ),
        tone,
    );
}
