//! A record's `prev` doesn't match the record before it.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(801),
    name: "broken-chain",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "a record's `prev` doesn't match the record before it",
    source: include_str!("yv801.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(chain) = &scene.judged.chain else {
        return;
    };
    let message = match &chain.found {
        None => "the record carries no `prev`, though its execution is chained".to_owned(),
        Some(_) if chain.previous_line == 0 => "`prev` of the first record must be 64 zeros".to_owned(),
        Some(_) => "`prev` is not the hash of the record before: something was changed, added or taken away".to_owned(),
    };
    let draft = out.report(&RULE, message).whole_record("/prev");
    if chain.previous_line > 0 {
        draft.related(chain.previous_line, "the record before");
    }
}
