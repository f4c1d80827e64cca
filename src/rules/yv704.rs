//! Observed changes differ from declared ones.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(704),
    name: "undeclared-change",
    severity: Severity::Error,
    aspect: None,
    summary: "observed changes differ from declared ones",
    source: include_str!("yv704.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some((extra, absent)) = scene.judged.executed.as_ref().and_then(|r| r.undeclared.as_ref()) else {
        return;
    };
    let mut parts = Vec::new();
    if !extra.is_empty() {
        parts.push(format!("changed without being declared: {}", list(extra)));
    }
    if !absent.is_empty() {
        parts.push(format!("declared and not changed: {}", list(absent)));
    }
    out.report(&RULE, parts.join("; ")).below_if_there("/observedChanges");
}

/// The first few paths in backticks.
fn list(paths: &[String]) -> String {
    const MOST: usize = 5;
    let mut shown: Vec<String> = paths.iter().take(MOST).map(|p| format!("`{p}`")).collect();
    if paths.len() > MOST {
        shown.push(format!("{} more", paths.len() - MOST));
    }
    shown.join(", ")
}
