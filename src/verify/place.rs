//! Determines the place and the subject of findings.

use super::parse::without;
use crate::diag::{Finding, Place, digest, digest_of, subject};
use crate::replay::Execution;
use crate::rules::{self, Check, Draft, Rule, Target, Trigger, codes};
use crate::trace::entry::{Entry, Problem, Record};
use crate::trace::step::{Annotation, TransitionFact};
use crate::trace::{Fact, Step};
use std::sync::Arc;

/// Returns a hash of the action of a step, or else of its turn's proposal.
pub(super) fn about(execution: &Execution, step: Option<&Step<'_, '_>>) -> Option<Box<str>> {
    let action = match &step?.fact {
        Fact::Proposed(proposal) => Some(&proposal.action),
        Fact::Executed(executed) => executed.action.as_ref(),
        Fact::Decided(decision) => decision.modified.as_ref(),
        _ => None,
    };
    if let Some(own) = action.and_then(|action| action.payload) {
        return Some(digest(own.as_written()));
    }
    Some(digest_of(
        &execution.turn().proposal.as_ref()?.what.written_hash()?,
    ))
}

/// Returns the subject of a draft, besides execution, turn and action: the step, and what the rule
/// names.
pub(super) fn subject_of(
    draft: &Draft,
    entry: Option<&Entry<'_>>,
    step: Option<&Step<'_, '_>>,
) -> Box<str> {
    let named = draft.subject.as_deref().unwrap_or_default();
    match (step, entry) {
        (Some(step), _) => subject([&*step.kind(), named]),
        (None, Some(entry)) => subject(["record", &record_digest(entry), named]),
        (None, None) => subject(["end", named]),
    }
}

/// Returns a hash of a record without its credentials, so that these can't be found by trying
/// candidates.
fn record_digest(entry: &Entry<'_>) -> Box<str> {
    let text = digest(shown_parts(entry).concat());
    match &entry.unread {
        Some(unread) => subject([&*text, unread]),
        None => text,
    }
}

/// Returns the text of a record without its credentials.
pub(super) fn shown_parts<'e>(entry: &Entry<'e>) -> Vec<&'e str> {
    without(entry.text, entry.secrets.clone())
}

/// Returns the help line, which refers to the rule's page.
pub(super) fn help(rule: &Rule) -> String {
    format!(
        "run `yuangs-verify explain {}` for why this matters and how to fix it",
        rule.code
    )
}

/// Creates the finding for a problem that the reader found.
pub(super) fn problem_finding(
    file: &Arc<str>,
    entry: &Entry<'_>,
    problem: &Problem,
    execution: Option<Arc<str>>,
) -> Option<Finding> {
    let rule = rules::by_code(problem.code)?;
    let (line, column) = entry.position(problem.at.0);
    let turn = match &entry.record {
        Record::Broken(broken) => broken.turn,
        Record::Recovered(recovered) => recovered.turn_at(problem.pointer.as_deref()),
        _ => None,
    };
    let place = if entry.derived {
        Place {
            file: file.clone(),
            line,
            ..Place::default()
        }
    } else {
        Place {
            file: file.clone(),
            line,
            column,
            pointer: problem.pointer.clone(),
            excerpt: Some(entry.excerpt(problem.at.0, problem.at.1)),
        }
    };
    let pointer = problem.pointer.as_deref().unwrap_or_default();
    let about = if problem.is_scanned() {
        // The same text in another record of the turn has the same subject.
        let text = entry
            .text
            .get(problem.at.0..problem.at.0 + problem.at.1)
            .unwrap_or_default();
        let mut turn = turn;
        entry.record.steps(&mut |step| turn = turn.or(step.turn));
        subject([
            pointer,
            &turn.map(|t| t.to_string()).unwrap_or_default(),
            &digest(text),
        ])
    } else {
        subject([pointer, &record_digest(entry)])
    };
    Some(Finding {
        execution,
        turn,
        help: Some(help(rule)),
        subject: Some(about),
        ..rules::finding(rule.code, problem.message.as_str(), place)
    })
}

/// Returns the place to which a draft points.
pub(super) fn place(
    file: &Arc<str>,
    last_line: u64,
    draft: &Draft,
    entry: Option<&Entry<'_>>,
    step: Option<&Step<'_, '_>>,
) -> Place {
    let bare = |line| Place {
        file: file.clone(),
        line,
        ..Place::default()
    };
    let Some(entry) = entry else {
        return bare(if let Target::Line(line) = draft.target {
            line
        } else {
            last_line
        });
    };
    if entry.derived {
        return bare(if let Target::Line(line) = draft.target {
            line
        } else {
            entry.line
        });
    }
    let about_decision = match draft.rule.check {
        Check::Step(&[Trigger::Decision], _) => true,
        // A problem of the execution itself is located in the record of the execution.
        Check::Step(&[Trigger::Decision, Trigger::Execution], _) => {
            draft.rule.code == codes::HIGH_RISK_WITHOUT_HUMAN
                && !matches!(draft.target, Target::Record(_))
        }
        _ => false,
    };
    let told = step
        .filter(|_| about_decision)
        .and_then(|step| match step.fact {
            Fact::Moved(moved) => moved.told,
            Fact::Annotation(Annotation::Executed(_, told)) => told.map(|(line, _)| line),
            _ => None,
        });
    if let Some(line) = told {
        return bare(line);
    }
    // Some formats contain the decision in a separate member.
    let own = step.filter(|_| about_decision).and_then(|step| {
        let told = matches!(
            step.fact,
            Fact::Moved(TransitionFact {
                decision: Some(_),
                ..
            }) | Fact::Annotation(Annotation::Decided(..))
        );
        entry
            .record
            .native()
            .filter(|_| told)?
            .decision_pointer(step)
    });
    let below = |pointer: &str| match (own, step) {
        (Some(own), _) => format!("{own}{pointer}"),
        (None, Some(step)) => step.part.pointer(pointer),
        (None, None) => pointer.to_owned(),
    };
    let candidates: Vec<String> = match &draft.target {
        Target::Line(line) if *line != entry.line => return bare(*line),
        Target::Line(_) | Target::Step => vec![below("")],
        Target::Below(pointer) => vec![below(pointer), below("")],
        Target::BelowIfPresent(pointers) => pointers
            .iter()
            .map(|p| below(p))
            .chain([below("")])
            .collect(),
        Target::Record(pointer) => {
            let nested = step
                .and_then(|s| s.part.nested)
                .map(|n| format!("/turns/{n}{pointer}"));
            nested
                .into_iter()
                .chain([pointer.clone().into_owned(), below("")])
                .collect()
        }
    };
    for pointer in candidates {
        if let Some(located) = entry.resolve(&pointer) {
            let at = located.name.unwrap_or(located.value.start);
            let (line, column) = entry.position(at);
            let whole = pointer.is_empty();
            let length = if whole {
                1
            } else {
                (located.value.end - at).min(80)
            };
            return Place {
                file: file.clone(),
                line,
                column,
                pointer: Some(pointer).filter(|p| !p.is_empty()),
                excerpt: Some(entry.excerpt(at, length)),
            };
        }
    }
    Place {
        line: entry.line,
        column: entry.indent + 1,
        excerpt: Some(entry.excerpt(0, 1)),
        ..bare(entry.line)
    }
}
