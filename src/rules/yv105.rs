//! A trace names a version that nobody knows.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::governance::FsmVersion;
use crate::trace::Fact;

pub(super) const RULE: Rule = Rule {
    code: Code(105),
    name: "unsupported-version",
    severity: Severity::Error,
    aspect: None,
    summary: "a trace names a version that nobody knows",
    source: include_str!("yv105.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(Fact::Started(started)) = scene.step.map(|s| s.fact) else {
        return;
    };
    let schema = started.schema_version.decode();
    if schema != SCHEMA_VERSION {
        out.report(&RULE, format!("the schema version is `{schema}`; `{SCHEMA_VERSION}` is known")).whole_record("/schemaVersion");
    }
    let fsm = started.fsm_version.decode();
    if FsmVersion::parse(&fsm).is_none() {
        out.report(&RULE, format!("the FSM version is `{fsm}`; `0` and `1` are known")).whole_record("/fsmVersion");
    }
}

/// The version of the record format that this tool reads.
const SCHEMA_VERSION: &str = "1.0";
