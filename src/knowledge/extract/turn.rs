//! Describes one turn of an execution in words.

use super::{cut, text_of};
use crate::trace::action;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{
    Action, ActionKind, Annotation, Decision, ExecutionFact, Fact, Paths, Step, TransitionFact,
};
use governance::{ActionType, DecidedBy};
use knowledge_index::{Kind, Observation, summarise};
use serde_json::Value;
use std::collections::BTreeSet;
use strict_json::Raw;

/// Lines kept of an error: the last ones, which usually name the cause.
const ERROR_LINES: usize = 6;

/// Maximum bytes of a recorded value that is stored as JSON.
const JSON: usize = 16 << 10;
/// Members in which writers record the number of tokens that an action used.
const TOKENS: [&str; 4] = ["tokensUsed", "tokens_used", "totalTokens", "total_tokens"];

/// Returns a value as JSON. Of a value that is too long, only its length is kept.
pub(super) fn bounded(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= JSON {
        return text;
    }
    serde_json::json!({ "omittedBytes": text.len() }).to_string()
}

/// A turn whose records are being read.
#[derive(Debug, Default)]
pub(in crate::knowledge) struct Turn {
    pub(in crate::knowledge) number: Option<i64>,
    /// Whether its records name the execution. Otherwise the execution is named after the file.
    pub(in crate::knowledge) named: bool,
    pub(in crate::knowledge) lines: (u64, u64),
    pub(in crate::knowledge) start: Option<i64>,
    pub(in crate::knowledge) end: Option<i64>,
    pub(in crate::knowledge) skills: Vec<(String, String)>,
    pub(in crate::knowledge) success: Option<bool>,
    pub(super) error: Option<String>,
    pub(in crate::knowledge) cost: Option<f64>,
    /// Whether an executed action has no recorded cost.
    pub(in crate::knowledge) costless: bool,
    pub(in crate::knowledge) duration: Option<f64>,
    pub(super) rolled_back: bool,
    pub(super) thoughts: Vec<String>,
    pub(super) action: Option<(String, String)>,
    pub(super) decision: Option<String>,
    pub(super) result: Option<String>,
    pub(super) evaluation: Option<String>,
    pub(super) refs: Vec<String>,
    /// The current action: as proposed, or as it was changed later.
    pub(in crate::knowledge) deed: Option<RecordedAction>,
    /// Whether an executed action has no recorded duration.
    pub(in crate::knowledge) untimed: bool,
    /// Whether an action was proposed since the last execution of one.
    pub(super) proposed: bool,
    /// Whether the action that is running according to the state changes has been recorded; `None`
    /// while none is running.
    pub(super) running: Option<bool>,
    /// The executed actions, as recorded.
    pub(in crate::knowledge) performed: Vec<RecordedAction>,
    /// The paths that were observed to change.
    pub(in crate::knowledge) observed: Vec<String>,
    /// The context items that were declared as used; `None` when it isn't recorded.
    pub(in crate::knowledge) used_context: Option<Vec<String>>,
    /// Peak memory in bytes, if recorded.
    pub(in crate::knowledge) memory: Option<f64>,
    /// Number of tokens used, if recorded.
    pub(in crate::knowledge) tokens: Option<i64>,
    /// The agents that thought or proposed in it.
    pub(in crate::knowledge) agents: BTreeSet<String>,
    /// The last result, without its metadata.
    pub(super) output: Option<Value>,
    /// The metadata of the last result.
    pub(super) metadata: Option<Value>,
    /// Whether all results say that their actions were only simulated; `None` without results.
    pub(in crate::knowledge) simulated: Option<bool>,
    /// The complete texts of the thoughts.
    pub(in crate::knowledge) reasonings: Vec<String>,
}

/// A complete action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::knowledge) struct RecordedAction {
    /// The type as written.
    pub(in crate::knowledge) kind: String,
    /// The type, if it is a known one.
    pub(in crate::knowledge) known: Option<ActionType>,
    /// The payload as JSON.
    pub(in crate::knowledge) payload: Option<String>,
}

impl RecordedAction {
    fn nameless() -> Self {
        Self {
            kind: "an action that isn't recorded".to_owned(),
            known: None,
            payload: None,
        }
    }
}

/// Returns the tool and the arguments of a call as people read them; `None` if the payload has
/// another form.
fn called(payload: Raw<'_>) -> Option<String> {
    let payload: Value = payload.read_clamped()?;
    let mut out = text_of(&payload, &["tool", "name"])?.to_owned();
    let arguments = ["parameters", "arguments", "input"];
    let arguments = arguments.iter().find_map(|name| payload.get(name));
    let mut given: Vec<_> = arguments?.as_object()?.iter().collect();
    // What the call is about comes first, since the end of a long text is cut.
    given.sort_by_key(|(name, _)| {
        let about = ["path", "file", "url", "query", "pattern"];
        let is_about = about.iter().any(|word| name.contains(word));
        (name.as_str() != "command", !is_about)
    });
    for (name, value) in given {
        match value {
            Value::String(text) => out.push_str(&format!(" {name}: {text}")),
            other => out.push_str(&format!(" {name}: {other}")),
        }
    }
    Some(out)
}

/// Whether a result says that its action was only simulated: in `metadata`, or in an output that is
/// a JSON object.
fn is_simulated(result: &Value) -> bool {
    let says = |value: &Value| value.get("simulated").and_then(Value::as_bool) == Some(true);
    let output = result.get("output");
    let written = output
        .and_then(Value::as_str)
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    result.get("metadata").is_some_and(says)
        || output.is_some_and(says)
        || written.is_some_and(|output| says(&output))
}

/// Returns an integer, also one that is written as `2.0` or `2e5`.
fn whole_number(value: &Value) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float to integer cast saturates, which suits a count"
    )]
    let rounded = |float: f64| (float.fract() == 0.0).then_some(float as i64);
    value.as_i64().or_else(|| rounded(value.as_f64()?))
}

/// Whether a number is plausible as a measurement: finite and not negative.
fn is_measure(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

/// Adds recorded measurements. An implausible value doesn't reduce the sum, and is kept only if it
/// is the only value.
fn sum(before: Option<f64>, more: Option<f64>) -> Option<f64> {
    match (before, more) {
        (Some(a), Some(b)) if is_measure(a) && is_measure(b) => Some(a + b),
        (Some(a), Some(b)) => Some(if is_measure(a) { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// Returns the last lines of an error, which usually name the cause.
pub(super) fn error_summary(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    let kept = lines
        .iter()
        .rev()
        .take(ERROR_LINES)
        .rev()
        .copied()
        .collect::<Vec<_>>()
        .join("\n");
    cut(&kept)
}

impl Turn {
    /// Processes a step of the turn.
    pub(super) fn take(&mut self, step: &Step<'_, '_>) {
        if let Some(time) = step.time.map(Timestamp::millis) {
            self.start = Some(self.start.map_or(time, |t| t.min(time)));
            self.end = Some(self.end.map_or(time, |t| t.max(time)));
        }
        match &step.fact {
            Fact::Proposed(proposal) => self.act(&proposal.action),
            Fact::Decided(decision) => self.decide(decision),
            Fact::Annotation(Annotation::Decided(action, told)) => {
                if let (None, Some(action)) = (&self.action, action) {
                    self.act(action);
                }
                if let Some(told) = told {
                    self.decide(&told.decision);
                }
            }
            Fact::Executed(executed) | Fact::Annotation(Annotation::Executed(executed, _)) => {
                self.execute(executed);
            }
            Fact::Evaluated(kind, reason) => {
                let reason = reason
                    .map(|r| format!(" ({})", r.name()))
                    .unwrap_or_default();
                self.evaluation = Some(format!("{}{reason}", kind.name()));
            }
            Fact::Moved(moved) => {
                if let Some(decision) = &moved.decision {
                    self.decide(decision);
                }
                self.moved(moved);
                if let Some(kind) = moved.evaluation {
                    self.evaluation = Some(kind.name().to_owned());
                }
            }
            _ => {}
        }
    }

    /// Reads the texts of a record and the skills that it names.
    pub(super) fn read(&mut self, record: &Value) {
        let thought = |value: &Value| text_of(value, &["reasoning", "raw"]).map(cut);
        let several = record
            .get("thoughts")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let said = record
            .get("thought")
            .into_iter()
            .chain(several)
            .filter_map(thought);
        let own = ["action", "proposedAction"]
            .iter()
            .find_map(|m| record.get(m))
            .and_then(|a| text_of(a, &["reasoning"]));
        let whole = |value: &Value| text_of(value, &["reasoning", "raw"]).map(str::to_owned);
        let several = record
            .get("thoughts")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        self.reasonings.extend(
            record
                .get("thought")
                .into_iter()
                .chain(several)
                .filter_map(whole),
        );
        if let Some(used) = record.get("usedContext").and_then(Value::as_array) {
            let paths = used.iter().filter_map(|p| {
                p.as_str()
                    .or_else(|| text_of(p, &["path"]))
                    .map(str::to_owned)
            });
            self.used_context.get_or_insert_default().extend(paths);
        }
        let several = record.get("thoughts").and_then(Value::as_array);
        let speakers = [record.get("thought"), record.get("proposedAction")];
        let speakers = speakers
            .into_iter()
            .flatten()
            .chain(several.into_iter().flatten());
        let named = speakers
            .chain([record])
            .filter_map(|v| text_of(v, &["agentId"]));
        self.agents.extend(named.map(str::to_owned));
        for text in said.chain(own.map(cut)) {
            if !self.thoughts.contains(&text) {
                self.thoughts.push(text);
            }
        }
        for used in record
            .get("usedSkills")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let name = used.as_str().or_else(|| text_of(used, &["name", "skill"]));
            let version = text_of(used, &["version"]).unwrap_or_default();
            if let Some(name) = name {
                // `name@1.2.0` is the short form.
                let (name, version) = name
                    .rsplit_once('@')
                    .filter(|(n, _)| !n.is_empty())
                    .unwrap_or((name, version));
                let entry = (name.to_owned(), version.to_owned());
                if !self.skills.contains(&entry) {
                    self.skills.push(entry);
                }
            }
        }
        let rolled_back = |m: &Value| {
            m.get("rolledBack")
                .or_else(|| m.get("rollback"))
                .and_then(Value::as_bool)
                == Some(true)
        };
        let results = [record.get("result"), record.get("executionResult")];
        for result in results.into_iter().flatten() {
            self.simulated = Some(self.simulated != Some(false) && is_simulated(result));
            let metadata = result.get("metadata").into_iter().chain([result]);
            let bytes = metadata
                .filter_map(|m| m.get("memoryBytes").and_then(Value::as_f64))
                .filter(|b| *b >= 0.0);
            self.memory = bytes.fold(self.memory, |most, b| {
                Some(most.map_or(b, |m: f64| m.max(b)))
            });
            self.result_of(result);
        }
        self.rolled_back |= [
            Some(record),
            record.get("metadata"),
            record.pointer("/executionResult/metadata"),
            record.pointer("/result/metadata"),
        ]
        .into_iter()
        .flatten()
        .any(rolled_back);
    }

    /// Keeps a recorded result for the store.
    fn result_of(&mut self, result: &Value) {
        let mut output = result.clone();
        let members = output.as_object_mut();
        self.metadata = members.and_then(|members| members.remove("metadata"));
        let places = [self.metadata.as_ref(), Some(&output)];
        let tokens = places.into_iter().flatten().find_map(|place| {
            TOKENS
                .iter()
                .find_map(|name| whole_number(place.get(name)?))
        });
        if let Some(tokens) = tokens.filter(|tokens| *tokens >= 0) {
            self.tokens = Some(self.tokens.unwrap_or(0).saturating_add(tokens));
        }
        self.output = Some(output);
    }

    /// Returns the input of a skill that the turn used, as JSON: the execution's intent and the
    /// executed action, or else the proposed one.
    pub(super) fn input(&self, intent: Option<&str>) -> String {
        let action = self.performed.last().or(self.deed.as_ref());
        let action = action.map(|action| {
            let payload = action.payload.as_deref();
            let payload =
                payload.and_then(|text| strict_json::from_text_clamped::<Value>(text).ok());
            serde_json::json!({ "type": action.kind, "payload": payload })
        });
        bounded(&serde_json::json!({ "rootIntent": intent, "action": action }))
    }

    /// Processes a state change, which may begin or end an action even if no record describes the
    /// action.
    fn moved(&mut self, moved: &TransitionFact<'_>) {
        if moved.begins_action() {
            self.settle();
            self.running = Some(false);
        } else if moved.ends_action() {
            self.running.get_or_insert(false);
            self.settle();
        }
    }

    /// Ends the action that was running according to the state changes. If no record describes it,
    /// it is the proposed action, or unknown.
    pub(super) fn settle(&mut self) {
        let Some(recorded) = self.running.take() else {
            return;
        };
        if !recorded {
            let deed = self
                .deed
                .clone()
                .filter(|_| self.proposed)
                .unwrap_or_else(RecordedAction::nameless);
            self.performed.push(deed);
            self.costless = true;
            self.untimed = true;
        }
        self.proposed = false;
    }

    fn act(&mut self, action: &Action<'_>) {
        self.proposed = true;
        let known = match action.kind {
            ActionKind::Known(known) => Some(known),
            ActionKind::Other(_) => None,
        };
        let payload = action.payload.map(|p| p.as_written().to_owned());
        self.deed = Some(RecordedAction {
            kind: action.kind.name().into_owned(),
            known,
            payload,
        });
        let what = action.payload.and_then(|payload| match action.kind {
            ActionKind::Known(ActionType::ShellCmd) => action::command(payload),
            ActionKind::Known(ActionType::CodeDiff) => action::diff(payload),
            ActionKind::Known(ActionType::ToolCall) => called(payload),
            _ => None,
        });
        let what = what.unwrap_or_else(|| {
            action
                .payload
                .map(|p| p.as_written().to_owned())
                .unwrap_or_default()
        });
        if let Some(payload) = action.payload {
            self.refs = action::paths(action.kind, payload)
                .into_iter()
                .take(16)
                .collect();
            if action.kind == ActionKind::Known(ActionType::ShellCmd) {
                self.refs.insert(0, summarise(&what));
            }
        }
        self.action = Some((action.kind.name().into_owned(), cut(&what)));
    }

    fn decide(&mut self, decision: &Decision<'_>) {
        let by = if decision.by == DecidedBy::Human {
            "a human"
        } else {
            "policy"
        };
        let mut text = format!("{} by {by}", decision.ruling.name());
        if let Some(signer) = decision.signer {
            text.push_str(&format!(", signed {}", signer.decode()));
        }
        if let Some(rule) = decision.rule {
            text.push_str(&format!(", rule {}", rule.decode()));
        }
        if let Some(reason) = decision.reason.or(decision.modification_reason) {
            text.push_str(&format!(": {}", cut(&reason.decode())));
        }
        self.decision = Some(text);
        if let Some(modified) = &decision.modified {
            self.act(modified);
        }
    }

    fn execute(&mut self, executed: &ExecutionFact<'_, '_>) {
        if let Some(action) = &executed.action {
            self.act(action);
        }
        self.running = Some(true);
        self.performed
            .push(self.deed.clone().unwrap_or_else(RecordedAction::nameless));
        self.observed.extend(
            executed
                .observed
                .into_iter()
                .flat_map(Paths::iter)
                .map(|p| p.decode().into_owned()),
        );
        let result = executed.result.as_ref();
        self.costless |= !result.and_then(|r| r.cost).is_some_and(is_measure);
        self.untimed |= !result.and_then(|r| r.duration).is_some_and(is_measure);
        let Some(result) = result else { return };
        let failed = !result.success || result.exit_code.is_some_and(|c| c != 0);
        self.success = Some(!failed);
        // A turn that runs several actions has the cost of all of them.
        self.cost = sum(self.cost, result.cost);
        self.duration = sum(self.duration, result.duration);
        let exit = result
            .exit_code
            .map(|c| format!(", exit code {c}"))
            .unwrap_or_default();
        let mut text = format!("{}{exit}", if failed { "failed" } else { "succeeded" });
        if failed {
            let said = result
                .error
                .map(|e| e.decode())
                .filter(|e| !e.trim().is_empty())
                .unwrap_or_else(|| result.output.decode());
            let error = error_summary(&said);
            if !error.is_empty() {
                text.push_str(&format!(": {error}"));
            }
            self.error = Some(error);
        }
        self.result = Some(text);
    }

    /// Converts the turn to an observation; `None` when it has no content.
    pub(super) fn observation(&self, execution: &str) -> Option<Observation> {
        let mut lines = Vec::new();
        lines.extend(self.thoughts.iter().map(|t| format!("thought: {t}")));
        if let Some((kind, what)) = &self.action {
            lines.push(format!("action: {kind} {what}"));
        }
        lines.extend(self.decision.iter().map(|d| format!("decision: {d}")));
        lines.extend(self.result.iter().map(|r| format!("result: {r}")));
        lines.extend(self.evaluation.iter().map(|e| format!("evaluation: {e}")));
        if !self.skills.is_empty() {
            let names: Vec<&str> = self.skills.iter().map(|(name, _)| name.as_str()).collect();
            lines.push(format!("skills: {}", names.join(", ")));
        }
        if lines.is_empty() {
            return None;
        }
        let first_line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        let did = self
            .action
            .as_ref()
            .map(|(kind, what)| format!("{kind} {}", summarise(what)));
        let did = did
            .or_else(|| self.thoughts.first().map(|t| first_line(t)))
            .unwrap_or_else(|| "turn".to_owned());
        let came = [&self.decision, &self.result]
            .into_iter()
            .flatten()
            .map(|t| t.split([':', ',']).next().unwrap_or_default());
        let came: Vec<&str> = came.collect();
        let number = self
            .number
            .map(|n| format!("turn {n}: "))
            .unwrap_or_default();
        // The outcome comes first, since the end of a long command is cut.
        let outcome = if came.is_empty() {
            String::new()
        } else {
            format!("[{}] ", came.join("; "))
        };
        Some(Observation {
            kind: Kind::Turn,
            task: Some(execution.to_owned()),
            time: self.start,
            lines: self.lines,
            summary: summarise(&format!("{number}{outcome}{did}")),
            refs: self.refs.clone(),
            detail: lines.join("\n"),
        })
    }
}
