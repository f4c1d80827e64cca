//! The section about one execution: its intent, participants, end and verdict, followed by its
//! turns.

use super::{Detail, turn};
use crate::diag::Severity;
use crate::replay::Answer;
use crate::report::Lang;
use crate::report::page::{Page, Tone};
use crate::trajectory::context::{Change, Quality, References, views};
use crate::trajectory::graph::{Evidence, Graph, Said};
use crate::trajectory::model::{FindingNote, Known, Trajectory};
use crate::trajectory::words::{TurnOutcome, duration};
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
    let lang = page.lang;
    page.heading(
        1,
        lang.fill("Execution {0}", &[&execution.execution_id]),
        Tone::Plain,
    );
    found(&execution.findings, page);
    page.row(
        lang.say("recorded in"),
        format!(
            "{}:{} ({})",
            execution.file, execution.line, execution.format
        ),
    );
    page.row(
        lang.say("intent"),
        execution.intent().unwrap_or(lang.say("not recorded")),
    );
    took_part(execution, page);
    page.row(lang.say("summary"), what_happened(execution, lang));
    page.toned(
        lang.say("ended"),
        ended(execution, lang),
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
        lang.say("verdict"),
        lang.fill(
            "legal path: {0}; authorised: {1}; governance complete: {2}",
            &[
                &lang.say(verdict.legal_path.name()),
                &lang.say(verdict.authorised.name()),
                &lang.say(verdict.governance_complete.name()),
            ],
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
    let views = views(&execution.turns);
    for (index, view) in views.iter().enumerate() {
        if detail.turn.is_none()
            || execution
                .turns
                .get(index)
                .is_some_and(|t| t.number == detail.turn)
        {
            turn::write(
                execution,
                index,
                view,
                &found.remove(&Some(index)).unwrap_or_default(),
                detail,
                page,
            );
        }
    }
    if execution.turns_left_out > 0 {
        page.say(
            lang.fill(
                "… {0}, beyond the limit",
                &[&lang.plural(execution.turns_left_out, "more turn")],
            ),
            Tone::Warning,
        );
    }
}

/// Writes the number of findings by severity and rule. It comes first, because readers need it
/// most.
pub(super) fn found<'n>(findings: impl IntoIterator<Item = &'n FindingNote>, page: &mut Page) {
    let lang = page.lang;
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
        .map(|(severity, n)| lang.plural(*n, severity.0.name()))
        .collect();
    let codes: Vec<String> = codes
        .iter()
        .map(|((_, code), n)| match n {
            1 => (*code).to_owned(),
            n => lang.fill("{0} ({1} times)", &[code, &n]),
        })
        .collect();
    let (text, tone) = match severities.keys().next() {
        None => (lang.say("nothing").to_owned(), Tone::Plain),
        Some(Reverse(worst)) => (
            lang.fill("{0}: {1}", &[&lang.list(&counts), &lang.list(&codes)]),
            match worst {
                Severity::Error => Tone::Bad,
                Severity::Warning => Tone::Warning,
                Severity::Note => Tone::Plain,
            },
        ),
    };
    page.toned(lang.say("found"), text, tone);
}

fn took_part(execution: &Trajectory, page: &mut Page) {
    let lang = page.lang;
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
    add(lang.say("agent"), join(agents));
    add(lang.say("model"), join(models));
    let last = |member: fn(&crate::verify::timeline::Opening) -> Option<&String>| {
        execution
            .openings
            .iter()
            .rev()
            .find_map(member)
            .cloned()
            .unwrap_or_default()
    };
    add(lang.say("governor"), last(|o| o.governor.as_ref()));
    add(lang.say("signed by"), join(signers));
    add(lang.say("runtime"), last(|o| o.runtime.as_ref()));
    page.row(
        lang.say("took part"),
        if parts.is_empty() {
            lang.say("not recorded").to_owned()
        } else {
            parts.join(lang.say("; "))
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
        page.row(lang.say("policy"), policy.join(", "));
    }
    if let Some(parent) = execution.openings.iter().find_map(|o| o.parent.as_ref()) {
        page.row(lang.say("resumes"), parent.clone());
    }
}

fn count<'t, T>(all: &'t [T], test: impl Fn(&'t T) -> bool) -> u64 {
    all.iter().filter(|t| test(t)).count() as u64
}

fn what_happened(execution: &Trajectory, lang: Lang) -> String {
    let turns = &execution.turns;
    let ruled = |ruling: Ruling, by: DecidedBy| {
        count(turns, |t| {
            t.decision
                .as_ref()
                .is_some_and(|d| d.ruling == ruling && d.by == by)
        })
    };
    let mut parts = vec![
        lang.plural(count(turns, |t| t.number.is_some()), "turn"),
        lang.plural(count(turns, |t| t.proposed.is_some()), "proposed action"),
    ];
    for ruling in [Ruling::Approved, Ruling::Modified, Ruling::Rejected] {
        for (by, who) in [
            (DecidedBy::Policy, lang.say("policy")),
            (DecidedBy::Human, lang.say("a human")),
        ] {
            let n = ruled(ruling, by);
            let word = lang.say(ruling.name());
            parts.extend((n > 0).then(|| lang.fill("{0} {1} by {2}", &[&n, &word, &who])));
        }
    }
    for fate in [TurnOutcome::Succeeded, TurnOutcome::Failed] {
        let n = count(turns, |t| TurnOutcome::from_turn(t) == fate);
        parts.extend((n > 0).then(|| lang.fill("{0} {1}", &[&n, &lang.say(fate.name())])));
    }
    let took = execution.took().map(duration);
    parts.extend(took.map(|time| lang.fill("took {0}", &[&time])));
    lang.list(&parts)
}

/// Describes the end of an execution and its cause, as far as they are recorded.
fn ended(execution: &Trajectory, lang: Lang) -> String {
    let last = execution
        .turns
        .iter()
        .rev()
        .find_map(|t| Some((t.evaluation.as_ref()?, t.number)));
    let ruled = match last {
        Some((evaluation, Some(turn))) => {
            lang.fill("the runtime ruled {0} in turn {1}", &[evaluation, &turn])
        }
        Some((evaluation, None)) => lang.fill("the runtime ruled {0}", &[evaluation]),
        None => lang.say("no evaluation is recorded").to_owned(),
    };
    let state = execution.final_state.map_or(
        lang.say("where it stopped isn't recorded").to_owned(),
        |s| lang.fill("it is in {0}", &[&s.name()]),
    );
    let undeclared = || lang.say("its end isn't declared").to_owned();
    let outcome = execution.outcome.clone().unwrap_or_else(undeclared);
    [outcome, ruled, state].join(lang.say("; "))
}

fn context(execution: &Trajectory, page: &mut Page) {
    let lang = page.lang;
    let references = References::of(execution);
    let views = views(&execution.turns);
    let sum = |change| {
        let all = views.iter().flat_map(|view| &view.changes);
        all.filter(|c| c.change == change).count()
    };
    let changes = [
        (sum(Change::Added), lang.say("added")),
        (sum(Change::Removed), lang.say("removed")),
        (sum(Change::Changed), lang.say("changed")),
    ];
    let mut parts: Vec<String> = Vec::new();
    parts.extend(references.items.map(|n| lang.plural(n as u64, "item")));
    parts.extend(
        changes
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| lang.fill("{0} {1}", &[n, word])),
    );
    page.row(
        lang.say("context"),
        if parts.is_empty() {
            lang.say("no items are recorded").to_owned()
        } else {
            lang.list(&parts)
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
                let unknown = references.unknown.join(", ");
                lang.fill("; not in the context: {0}", &[&unknown])
            };
            let all = references.valid + references.invalid;
            let percent = format!("{:.0}", accuracy * 100.0);
            let text = lang.fill(
                "{0}: {1} of {2} to an item that was there ({3} %)",
                &[
                    &lang.say(references.quality.name()),
                    &references.valid,
                    &lang.plural(all as u64, "reference"),
                    &percent,
                ],
            );
            text + &unknown
        }
        None => lang.say(references.quality.name()).to_owned(),
    };
    page.toned(lang.say("references"), text, tone);
    if !references.weak_turns.is_empty() {
        let turns: Vec<String> = references.weak_turns.iter().map(i64::to_string).collect();
        let text = lang.fill(
            "{0}: content of the context is used and not declared, so they are no evidence",
            &[&turns.join(", ")],
        );
        page.toned(lang.say("weak turns"), text, Tone::Warning);
    }
}

fn skills(execution: &Trajectory, page: &mut Page) {
    let lang = page.lang;
    let used: BTreeSet<&str> = execution
        .turns
        .iter()
        .filter_map(|t| t.used_skills.as_ref())
        .flatten()
        .map(String::as_str)
        .collect();
    let recorded = execution.turns.iter().any(|t| t.used_skills.is_some());
    page.row(
        lang.say("skills used"),
        match (used.is_empty(), recorded) {
            (true, true) => lang.say("none").to_owned(),
            (true, false) => lang.say("not recorded").to_owned(),
            (false, _) => used.into_iter().collect::<Vec<_>>().join(", "),
        },
    );
}

fn evidence(evidence: &Evidence, page: &mut Page) {
    let lang = page.lang;
    if evidence.is_empty() {
        page.row(
            lang.say("evidence"),
            lang.say("the graph says nothing of this execution"),
        );
        return;
    }
    let sentence = |list: &[Said], say: &dyn Fn(&Said) -> String| {
        list.iter()
            .map(|s| lang.fill("{0} (line {1})", &[&say(s), &s.line]))
            .collect::<Vec<_>>()
            .join(lang.say("; "))
    };
    let mut row = |name, list: &[Said], say: &dyn Fn(&Said) -> String| {
        if !list.is_empty() {
            page.row(name, sentence(list, say));
        }
    };
    let with = |s: &Said| s.with.clone().unwrap_or_default();
    row(lang.say("evidence"), &evidence.contexts_used, &|s| {
        lang.fill("used {0}", &[&s.node])
    });
    row(
        lang.say("validated"),
        &evidence.skills_validated,
        &|s| match s.success {
            Some(true) => lang.fill("{0} did well", &[&s.node]),
            Some(false) => lang.fill("{0} did badly", &[&s.node]),
            None => s.node.clone(),
        },
    );
    row(lang.say("promoted"), &evidence.promoted, &|s| {
        lang.fill("{0} became {1}", &[&s.node, &with(s)])
    });
    row(lang.say("provenance"), &evidence.provenance, &|s| {
        lang.fill("{0} comes from {1}", &[&s.node, &with(s)])
    });
    row(lang.say("suggestion"), &evidence.suggested, &|s| {
        lang.fill("{0} comes from {1}, used here", &[&s.node, &with(s)])
    });
    if evidence.left_out > 0 {
        page.row(
            lang.say("left out"),
            lang.fill(
                "{0} of the graph",
                &[&lang.plural(evidence.left_out, "statement")],
            ),
        );
    }
}

/// Writes the statements of a knowledge index, each with the lines that support it.
fn index(known: &[Known], page: &mut Page) {
    let lang = page.lang;
    if known.is_empty() {
        page.row(
            lang.say("index"),
            lang.say("it says nothing of this execution"),
        );
    }
    for Known {
        what,
        node,
        note,
        lines,
    } in known
    {
        let name = match what.as_str() {
            "indexed" => lang.say("index"),
            "used" => lang.say("evidence"),
            "provenance" => lang.say("provenance"),
            "promoted" => lang.say("promoted"),
            "bank" => lang.say("from the bank"),
            "suggestion" => lang.say("suggestion"),
            _ => lang.say("validated"),
        };
        let said = if what == "used" {
            lang.fill("used {0}", &[node])
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
    let lang = page.lang;
    let tone = match note.severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Plain,
    };
    page.toned(
        lang.say("finding"),
        lang.fill(
            "{0} {1}: {2} (line {3})",
            &[
                &lang.say(note.severity.name()),
                &note.code,
                &note.message,
                &note.line,
            ],
        ),
        tone,
    );
}
