//! The recorded hash of the context doesn't fit the recorded messages.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(607),
    name: "input-hash-mismatch",
    severity: Severity::Error,
    aspect: None,
    summary: "the recorded hash of the context doesn't fit the recorded messages",
    source: include_str!("yv607.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if scene.judged.input_hash_wrong {
        out.report(&RULE, "`inputHash` is not the hash of the recorded messages").whole_record("/contextSnapshot/inputHash");
    }
}
