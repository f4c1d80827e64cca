//! The format doesn't record what a check needs.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(212),
    name: "evidence-not-recorded",
    severity: Severity::Note,
    aspect: None,
    summary: "the format doesn't record what a check needs",
    source: include_str!("yv212.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(close) = scene.close
        && let Some(parts) = close.not_recorded
    {
        let format = scene.execution.format().name();
        let repeats = match close.repeats {
            0 => String::new(),
            1 => "; 1 line stands twice and was read once".to_owned(),
            n => format!("; {n} lines stand more than once and were read once"),
        };
        out.report(&RULE, format!("the format `{format}` doesn't record: {parts}{repeats}")).at_line(scene.execution.first_line());
    }
}
