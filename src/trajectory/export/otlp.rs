//! Exports executions as spans in the JSON form of the OpenTelemetry protocol.
//!
//! Attributes follow the semantic conventions for generative AI (`gen_ai.*`), and use `yuangs.*`
//! where those have no name. An execution is a trace: its root is `invoke_agent`, each thought is
//! `chat`, and each executed action is `execute_tool`. Ids are derived from file, execution and
//! position, so equal inputs give equal spans.
//!
//! Messages of agents and output of tools aren't exported: the conventions make them optional, and
//! they don't belong in a trace store.

use crate::trajectory::model::{ExecutionSet, Trajectory};
use crate::trajectory::words::{self, TurnOutcome};
use crate::verify::timeline::{Deed, Turn};
use governance::Ruling;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// `SPAN_KIND_INTERNAL`.
const INTERNAL: u8 = 1;
/// `STATUS_CODE_ERROR`.
const ERROR: u8 = 2;

/// Returns the first bytes of a hash over some strings, in hexadecimal.
fn id(words: &[&str], bytes: usize) -> String {
    let mut hash = Sha256::new();
    for word in words {
        hash.update((word.len() as u64).to_le_bytes());
        hash.update(word.as_bytes());
    }
    hash.finalize()
        .iter()
        .take(bytes)
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// Formats nanoseconds since the epoch. Returns 0, the protocol's value for an unknown time, also
/// for times after the year 2554, which don't fit into 64 bits.
fn nanos(millis: Option<i64>) -> String {
    let millis = millis.and_then(|millis| u64::try_from(millis).ok());
    millis
        .and_then(|millis| millis.checked_mul(1_000_000))
        .unwrap_or(0)
        .to_string()
}

/// A list of attributes. Missing values are left out.
#[derive(Default)]
struct Attributes(Vec<Value>);

impl Attributes {
    fn text(mut self, key: &str, value: Option<impl Into<String>>) -> Self {
        self.0
            .extend(value.map(|v| json!({ "key": key, "value": { "stringValue": v.into() } })));
        self
    }

    fn whole(mut self, key: &str, value: Option<i64>) -> Self {
        // The JSON form of the protocol writes 64-bit integers as strings.
        self.0
            .extend(value.map(|v| json!({ "key": key, "value": { "intValue": v.to_string() } })));
        self
    }

    fn number(mut self, key: &str, value: Option<f64>) -> Self {
        let value = value.filter(|v| v.is_finite());
        self.0
            .extend(value.map(|v| json!({ "key": key, "value": { "doubleValue": v } })));
        self
    }
}

/// Converts all executions of a set to one `ExportTraceServiceRequest`.
#[must_use]
pub fn spans(set: &ExecutionSet) -> Value {
    let spans: Vec<Value> = set.executions.iter().flat_map(of_execution).collect();
    json!({
        "resourceSpans": [{
            "resource": { "attributes": Attributes::default().text("service.name", Some("yuangs")).0 },
            "scopeSpans": [{
                "scope": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
                "spans": spans,
            }],
        }],
    })
}

/// The values that the spans of one execution share.
struct Trace<'e> {
    execution: &'e Trajectory,
    id: String,
    root: String,
}

impl Trace<'_> {
    fn span(
        &self,
        name: &str,
        place: &str,
        times: (Option<i64>, Option<i64>),
        failed: bool,
        attributes: &Attributes,
    ) -> Value {
        let mut span = json!({
            "traceId": self.id,
            "spanId": id(&[&self.id, place], 8),
            "name": name,
            "kind": INTERNAL,
            "startTimeUnixNano": nanos(times.0),
            "endTimeUnixNano": nanos(times.1.max(times.0)),
            "attributes": attributes.0,
            "status": if failed { json!({ "code": ERROR }) } else { json!({}) },
        });
        if place != "root"
            && let Some(members) = span.as_object_mut()
        {
            members.insert("parentSpanId".into(), self.root.clone().into());
        }
        span
    }
}

fn of_execution(execution: &Trajectory) -> Vec<Value> {
    let trace_id = id(
        &[
            &execution.file,
            &execution.execution_id,
            &execution.line.to_string(),
        ],
        16,
    );
    let trace = Trace {
        execution,
        root: id(&[&trace_id, "root"], 8),
        id: trace_id,
    };
    let times = || {
        execution
            .turns
            .iter()
            .flat_map(|t| [t.start, t.end])
            .chain(execution.openings.iter().map(|o| o.time))
            .flatten()
    };
    let agent = execution.openings.iter().find_map(|o| o.agents.first());
    let agent = agent.or_else(|| {
        execution
            .turns
            .iter()
            .flat_map(|t| &t.thoughts)
            .find_map(|t| t.agent.as_ref())
    });
    let v = execution.verdict;
    let attributes = Attributes::default()
        .text("gen_ai.operation.name", Some("invoke_agent"))
        .text("gen_ai.agent.name", agent.cloned())
        .text(
            "gen_ai.conversation.id",
            Some(execution.execution_id.clone()),
        )
        .text("yuangs.format", Some(execution.format.clone()))
        .text("yuangs.outcome", execution.outcome.clone())
        .text(
            "yuangs.final_state",
            execution.final_state.map(|s| s.name()),
        )
        .text("yuangs.verdict.legal_path", Some(v.legal_path.name()))
        .text("yuangs.verdict.authorised", Some(v.authorised.name()))
        .text(
            "yuangs.verdict.governance_complete",
            Some(v.governance_complete.name()),
        )
        .whole(
            "yuangs.findings",
            i64::try_from(execution.findings.len()).ok(),
        );
    let name = agent.map_or("invoke_agent".to_owned(), |a| format!("invoke_agent {a}"));
    let mut spans = vec![trace.span(
        &name,
        "root",
        (times().min(), times().max()),
        false,
        &attributes,
    )];
    for (index, turn) in execution.turns.iter().enumerate() {
        of_turn(&trace, index, turn, &mut spans);
    }
    spans
}

fn of_turn(trace: &Trace<'_>, index: usize, turn: &Turn, spans: &mut Vec<Value>) {
    for (n, thought) in turn.thoughts.iter().enumerate() {
        let attributes = Attributes::default()
            .text("gen_ai.operation.name", Some("chat"))
            .text(
                "gen_ai.conversation.id",
                Some(trace.execution.execution_id.clone()),
            )
            .text("gen_ai.request.model", thought.model.clone())
            .text("gen_ai.agent.name", thought.agent.clone())
            .whole("yuangs.turn", turn.number);
        let name = thought
            .model
            .as_ref()
            .map_or("chat".to_owned(), |m| format!("chat {m}"));
        // A trace records when a thought was complete, but not when it began.
        spans.push(trace.span(
            &name,
            &format!("{index}/thought/{n}"),
            (turn.start, turn.start),
            false,
            &attributes,
        ));
    }
    let Some(action) = turn.ran.as_ref().or(turn.proposed.as_ref()) else {
        return;
    };
    let tool = match &action.deed {
        Deed::Tool { tool, .. } => tool.as_str(),
        other => other.word(),
    };
    let decision = turn.decision.as_ref();
    let result = turn.result.as_ref();
    let fate = TurnOutcome::from_turn(turn);
    let attributes = Attributes::default()
        .text("gen_ai.operation.name", Some("execute_tool"))
        .text(
            "gen_ai.conversation.id",
            Some(trace.execution.execution_id.clone()),
        )
        .text("gen_ai.tool.name", Some(tool))
        .text("gen_ai.tool.call.id", action.id.clone())
        .text(
            "error.type",
            result
                .filter(|r| r.failed())
                .map(|r| r.error_type.clone().unwrap_or_else(|| "_OTHER".to_owned())),
        )
        .whole("yuangs.turn", turn.number)
        .text("yuangs.action.risk", words::risk(turn).map(|r| r.name()))
        .text("yuangs.action.fate", Some(fate.name()))
        .text("yuangs.decision.status", decision.map(|d| d.ruling.name()))
        .text("yuangs.decision.by", decision.map(|d| words::by(d.by)))
        .text(
            "yuangs.decision.signer",
            decision.and_then(|d| d.signer.clone()),
        )
        .text(
            "yuangs.decision.rule",
            decision.and_then(|d| d.rule.clone()),
        )
        .whole("yuangs.decision.waited_ms", words::waited(turn))
        .whole("yuangs.exit_code", result.and_then(|r| r.exit_code))
        .number("yuangs.cost", result.and_then(|r| r.cost));
    let ran = decision.is_none_or(|d| d.ruling != Ruling::Rejected);
    let begun = decision
        .and_then(|d| d.time)
        .or(turn.proposed_at)
        .or(turn.start);
    let ended = if ran { turn.end } else { begun };
    let name = format!("execute_tool {tool}");
    spans.push(trace.span(
        &name,
        &format!("{index}/action"),
        (begun, ended),
        fate == TurnOutcome::Failed,
        &attributes,
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_fits_into_the_bits_that_it_has() {
        let last = i64::try_from(u64::MAX / 1_000_000).unwrap();
        assert_eq!(nanos(Some(last)), format!("{last}000000"));
        for none in [
            None,
            Some(-1),
            Some(last + 1),
            Some(253_402_300_800_000),
            Some(i64::MAX),
        ] {
            assert_eq!(nanos(none), "0");
        }
    }
}
