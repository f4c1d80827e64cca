//! A finding as the page shows it.

use super::shown;
use crate::diag::Finding;
use crate::report::words;
use serde::Serialize;
use std::collections::BTreeMap;

/// The anchor of a turn in the page, by execution and number.
pub(super) type Anchors = BTreeMap<(usize, i64), String>;

#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) anchor: String,
    pub(super) severity: &'static str,
    pub(super) code: String,
    name: &'static str,
    pub(super) message: String,
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

pub(super) fn view(
    finding: &Finding,
    keys: &BTreeMap<(&str, &str), usize>,
    turns: &Anchors,
) -> View {
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
    }
}
