//! The view of a finding.

use super::rule::{Fixes, Span};
use super::shown;
use crate::diag::Finding;
use crate::report::fold::Group;
use crate::report::{Lang, words};
use crate::rules;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The anchors of turns, by execution and turn number.
pub(super) type Anchors = BTreeMap<(usize, i64), String>;

/// Approximate bytes of markup of one card.
pub(super) const MARKUP: usize = 900;
/// Maximum number of positions of equal notes to list; the rest is counted.
const SAME: usize = 20;

#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) anchor: String,
    pub(super) severity: &'static str,
    pub(super) code: String,
    name: &'static str,
    pub(super) message: String,
    /// The rule's summary, if the message isn't in the language of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
    position: String,
    pointer: Option<String>,
    execution: Option<String>,
    execution_key: Option<String>,
    #[serde(skip)]
    pub(super) owner: Option<usize>,
    pub(super) turn: Option<i64>,
    turn_anchor: Option<String>,
    excerpt: Option<Excerpt>,
    related: Vec<Related>,
    file: String,
    help: Option<String>,
    fix: Vec<Span>,
    /// Keys of the executions of this finding and of all equal notes.
    executions: String,
    same: Vec<Same>,
    same_more: usize,
    /// Whether the card of an equal note represents this finding.
    #[serde(skip)]
    folded: bool,
}

impl View {
    /// Removes links to executions and turns that aren't drawn.
    pub(super) fn unlink(&mut self, drawn: &BTreeSet<&str>) {
        let gone = |id: &mut String| !drawn.contains(&**id);
        self.turn_anchor.take_if(gone);
        self.execution_key.take_if(gone);
        for same in &mut self.same {
            same.execution_key.take_if(gone);
        }
    }

    /// Returns true if another card represents this finding.
    pub(super) const fn is_folded(&self) -> bool {
        self.folded
    }
}

/// The position of an equal note.
#[derive(Debug, Serialize)]
struct Same {
    position: String,
    execution: Option<String>,
    execution_key: Option<String>,
}

#[derive(Debug, Serialize)]
struct Excerpt {
    before: String,
    marked: String,
    after: String,
}

#[derive(Debug, Serialize)]
struct Related {
    line: u64,
    message: String,
}

/// Creates the views of a group of findings. The card of the first one represents all of them.
pub(super) fn views(
    group: &Group<'_>,
    keys: &BTreeMap<(&str, &str), usize>,
    turns: &Anchors,
    fixes: &mut Fixes,
    lang: Lang,
) -> Vec<View> {
    let mut card = view(group.first, keys, turns);
    let rule = rules::by_code(group.first.code).filter(|_| lang != Lang::En);
    card.summary = rule.map(|rule| lang.summary(rule));
    card.fix = fixes.of(group.first.code);
    let mut all = Vec::with_capacity(group.same.len() + 1);
    let mut owners: BTreeSet<usize> = card.owner.into_iter().collect();
    for finding in &group.same {
        let view = View {
            anchor: card.anchor.clone(),
            folded: true,
            ..view(finding, keys, turns)
        };
        owners.extend(view.owner);
        if card.same.len() < SAME {
            card.same.push(Same {
                position: view.position.clone(),
                execution: view.execution.clone(),
                execution_key: view.execution_key.clone(),
            });
        } else {
            card.same_more += 1;
        }
        all.push(view);
    }
    let owners: Vec<String> = owners.iter().map(|n| format!("e-{n}")).collect();
    card.executions = owners.join(" ");
    all.insert(0, card);
    all
}

fn view(finding: &Finding, keys: &BTreeMap<(&str, &str), usize>, turns: &Anchors) -> View {
    let owner = finding
        .execution
        .as_deref()
        .and_then(|id| keys.get(&(&*finding.place.file, id)))
        .copied();
    let excerpt = finding.place.excerpt.as_ref().map(|e| {
        let part = |from: usize, to: usize| shown(e.text.get(from..to).unwrap_or_default());
        let dots = |cut: bool| if cut { "…" } else { "" };
        Excerpt {
            before: format!("{}{}", dots(e.cut_before), part(0, e.span.0)),
            marked: part(e.span.0, e.span.1),
            after: format!("{}{}", part(e.span.1, e.text.len()), dots(e.cut_after)),
        }
    });
    View {
        anchor: format!("f-{}", finding.fingerprint),
        severity: finding.severity.name(),
        code: finding.code.to_string(),
        name: finding.name,
        message: shown(&finding.message),
        summary: None,
        position: shown(&words::position(&finding.place)),
        pointer: finding.place.pointer.as_deref().map(shown),
        execution: finding
            .execution
            .as_deref()
            .filter(|_| owner.is_some())
            .map(shown),
        execution_key: owner.map(|n| format!("e-{n}")),
        owner,
        turn: finding.turn,
        turn_anchor: owner
            .zip(finding.turn)
            .and_then(|key| turns.get(&key))
            .cloned(),
        excerpt,
        related: finding
            .related
            .iter()
            .map(|r| Related {
                line: r.line,
                message: shown(&r.message),
            })
            .collect(),
        file: shown(&finding.place.file),
        help: finding.help.as_deref().map(shown),
        fix: Vec::new(),
        executions: String::new(),
        same: Vec::new(),
        same_more: 0,
        folded: false,
    }
}
