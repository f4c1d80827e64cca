//! Extracts traces: an observation for each execution, turn, recorded command and action of a
//! recorded governor.

use super::turn::{Turn, bounded, error_summary};
use super::{Extracted, NameKind, SkillUse, cut, stem, text_of, time};
use crate::knowledge::source_config::SourceFile;
use crate::source::{Found, Missing};
use crate::trace::entry::{Entry, Record};
use crate::trace::formats::RecordClass;
use crate::trace::scalar::Timestamp;
use crate::trace::step::Fact;
use crate::verify::{Options, Report, watch};
use knowledge_index::{Kind, Observation, summarise};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of findings kept for one trace. A replay shows all of them.
const FINDINGS: usize = 100;

/// Maximum number of paths kept of the contexts of an execution.
const PATHS: usize = 4096;

/// An execution whose records are being read.
#[derive(Default)]
struct OpenExecution {
    lines: (u64, u64),
    start: Option<i64>,
    end: Option<i64>,
    intent: Option<String>,
    outcome: Option<String>,
    turns: u64,
    open: Option<Turn>,
    /// The paths in its contexts.
    paths: BTreeSet<String>,
}

pub(super) fn extract(file: &SourceFile) -> Extracted {
    let mut out = Extracted::default();
    let mut accounts: BTreeMap<String, OpenExecution> = BTreeMap::new();
    let name = file.name.clone();
    let input = [match file.input() {
        Ok(input) => Ok(Found { name, input }),
        Err(error) => Err(Missing { name, error }),
    }];
    let mut recording = None;
    let report = watch(
        &input,
        &Options::default(),
        None,
        &mut |_, execution, entry| match (entry.record.class(), &entry.record) {
            (Some(RecordClass::Command), _) => command(file, entry, &mut out),
            (Some(RecordClass::Header), _) => {
                recording = strict_json::from_text_clamped(entry.text).ok();
            }
            (Some(RecordClass::Frame), _) => frame(file, entry, recording.as_ref(), &mut out),
            (None, Record::Foreign | Record::Unreadable) => {}
            _ => {
                if !accounts.contains_key(execution) {
                    accounts.insert(
                        execution.to_owned(),
                        OpenExecution {
                            lines: (entry.line, entry.line),
                            ..OpenExecution::default()
                        },
                    );
                }
                if let Some(account) = accounts.get_mut(execution) {
                    account.entry(entry, &mut |intent, turn| {
                        add_turn(execution, intent, &turn, &mut out);
                    });
                }
            }
        },
    );
    for (execution, mut account) in accounts {
        account.flush(&mut |intent, turn| add_turn(&execution, intent, &turn, &mut out));
        account.end(&execution, &mut out);
    }
    // Findings about secrets and hidden text belong to a replay. Findings about unreadable input
    // matter here, since that content is missing.
    out.findings.extend(
        report
            .findings
            .into_iter()
            .filter(|f| f.code.0 < 200)
            .take(FINDINGS),
    );
    out.seen.know(report.secrets);
    out.clean();
    out
}

/// Receives each turn when it ends, with the intent of its execution.
type Done<'d> = &'d mut dyn FnMut(Option<&str>, Turn);

/// Passes every turn of some traces to `show` as it ends, with its input and execution. The
/// returned report contains findings about unreadable input.
pub(in crate::knowledge) fn each_turn(
    inputs: &[Result<Found, Missing>],
    options: &Options,
    show: &mut (dyn FnMut(&str, &str, Turn) + Send),
) -> Report {
    let mut accounts: BTreeMap<(String, String), OpenExecution> = BTreeMap::new();
    let report = watch(inputs, options, None, &mut |file, execution, entry| match (
        entry.record.class(),
        &entry.record,
    ) {
        (Some(RecordClass::Command | RecordClass::Header | RecordClass::Frame), _)
        | (None, Record::Foreign | Record::Unreadable) => {}
        _ => {
            let account = accounts
                .entry((file.to_owned(), execution.to_owned()))
                .or_default();
            account.entry(entry, &mut |_, turn| show(file, execution, turn));
        }
    });
    for ((file, execution), mut account) in accounts {
        account.flush(&mut |_, turn| show(&file, &execution, turn));
    }
    report
}

/// Adds the observation and the skill uses of a turn.
fn add_turn(execution: &str, intent: Option<&str>, turn: &Turn, out: &mut Extracted) {
    for (skill, version) in &turn.skills {
        out.uses.push(SkillUse {
            line: turn.lines.0,
            skill: skill.clone(),
            version: version.clone(),
            task: execution.to_owned(),
            // Executions named after files aren't the same even if the files have the same name.
            turn: turn.number.filter(|_| turn.named),
            success: turn.success,
            rolled_back: turn.rolled_back,
            error: turn.error.clone().filter(|e| !e.is_empty()),
            cost: turn.cost,
            latency: turn.duration,
            tokens: turn.tokens,
            input: turn.input(intent),
            output: turn.output.as_ref().map(bounded),
            metadata: turn.metadata.as_ref().map(bounded),
            started: turn.start,
            completed: turn.end,
        });
    }
    if let Some(observation) = turn.observation(execution) {
        out.push(observation, false);
    }
}

/// Adds the paths of the items in the snapshot of a record.
fn add_paths(record: &Value, paths: &mut BTreeSet<String>) {
    let snapshots = ["/snapshot/items", "/contextSnapshot/items"];
    let items = snapshots
        .iter()
        .filter_map(|place| record.pointer(place)?.as_array())
        .flatten();
    for path in items.filter_map(|item| text_of(item, &["path"])) {
        if paths.len() >= PATHS {
            return;
        }
        paths.insert(path.to_owned());
    }
}

impl OpenExecution {
    fn entry(&mut self, entry: &Entry<'_>, done: Done<'_>) {
        self.lines.1 = entry.line;
        let mut value: Option<Value> = None;
        let mut read: Vec<(Option<u32>, i64)> = Vec::new();
        entry.record.steps(&mut |step| {
            let whole = || strict_json::from_text_clamped::<Value>(entry.text).ok();
            if let Some(time) = step.time.map(Timestamp::millis) {
                self.start = Some(self.start.map_or(time, |t| t.min(time)));
                self.end = Some(self.end.map_or(time, |t| t.max(time)));
            }
            match &step.fact {
                Fact::Started(_) => {
                    if value.is_none() {
                        value = whole();
                    }
                    self.intent = value
                        .as_ref()
                        .and_then(|v| text_of(v, &["rootIntent"]))
                        .map(cut)
                        .or(self.intent.take());
                    return;
                }
                Fact::Ended(outcome) => {
                    self.outcome = Some(outcome.decode().into_owned());
                    return;
                }
                Fact::Context => {
                    if value.is_none() {
                        value = whole();
                    }
                    if let Some(record) = &value {
                        add_paths(record, &mut self.paths);
                    }
                    return;
                }
                Fact::Issued(_) | Fact::Revoked(_) | Fact::Unreadable(_) => return,
                _ => {}
            }
            let number = step.turn.or(self.open.as_ref().and_then(|t| t.number));
            if self.open.as_ref().is_none_or(|open| open.number != number) {
                self.flush(done);
                self.turns += 1;
                let named = entry.record.execution_id().is_some();
                self.open = Some(Turn {
                    number,
                    named,
                    lines: (entry.line, entry.line),
                    ..Turn::default()
                });
            }
            let Some(turn) = &mut self.open else { return };
            turn.lines.1 = entry.line;
            turn.take(step);
            let key = (step.part.nested, number.unwrap_or(-1));
            if !read.contains(&key) {
                read.push(key);
                if value.is_none() {
                    value = whole();
                }
                let nested = |v: &Value| {
                    v.get("turns")
                        .and_then(|t| t.get(step.part.nested? as usize))
                        .cloned()
                };
                if let Some(record) = value.as_ref().and_then(|v| {
                    if step.part.nested.is_some() {
                        nested(v)
                    } else {
                        Some(v.clone())
                    }
                }) {
                    turn.read(&record);
                    add_paths(&record, &mut self.paths);
                }
            }
        });
    }

    /// Ends the open turn.
    fn flush(&mut self, done: Done<'_>) {
        if let Some(mut turn) = self.open.take() {
            turn.settle();
            done(self.intent.as_deref(), turn);
        }
    }

    fn end(&self, execution: &str, out: &mut Extracted) {
        out.names.push((NameKind::Execution, execution.to_owned()));
        let paths = self.paths.iter().cloned();
        out.contexts
            .extend(paths.map(|path| (execution.to_owned(), path)));
        let intent = self.intent.as_deref().unwrap_or(execution);
        let outcome = self.outcome.as_deref().unwrap_or("end not recorded");
        let turns = self.turns;
        let s = if turns == 1 { "" } else { "s" };
        out.push(
            Observation {
                kind: Kind::Execution,
                task: Some(execution.to_owned()),
                time: self.start,
                lines: self.lines,
                summary: summarise(&format!("[{outcome}; {turns} turn{s}] {intent}")),
                refs: Vec::new(),
                detail: format!(
                    "execution {execution}\nintent: {intent}\noutcome: {outcome}\nturns: {turns}"
                ),
            },
            false,
        );
    }
}

/// Extracts the record of one command.
fn command(file: &SourceFile, entry: &Entry<'_>, out: &mut Extracted) {
    let Ok(record) = strict_json::from_text_clamped::<Value>(entry.text) else {
        return;
    };
    let text = |pointer: &str| {
        record
            .pointer(pointer)
            .and_then(Value::as_str)
            .filter(|t| !t.trim().is_empty())
    };
    let id = text_of(&record, &["id"]).unwrap_or_else(|| stem(&file.name));
    let name = text("/meta/commandName").unwrap_or("command");
    let success = record.pointer("/outcome/success").and_then(Value::as_bool);
    let ended = match success {
        Some(true) => "succeeded".to_owned(),
        Some(false) => format!(
            "failed ({})",
            text("/outcome/failureReason").unwrap_or("reason not recorded")
        ),
        None => "outcome not recorded".to_owned(),
    };
    let model = record.pointer("/decision/selectedModel");
    let model = model.and_then(|m| {
        m.as_str()
            .map(str::to_owned)
            .or_else(|| text_of(m, &["name", "id"]).map(str::to_owned))
    });
    let mut lines = vec![format!("command {name}: {ended}")];
    lines.extend(text("/meta/rawInput").map(|t| format!("input: {}", cut(t))));
    lines.extend(text_of(&record, &["command"]).map(|t| format!("shell: {}", cut(t))));
    lines.extend(model.map(|m| format!("model: {m}")));
    lines.extend(text("/decision/reason").map(|r| format!("why: {}", cut(r))));
    let said = text("/meta/rawInput")
        .or_else(|| text_of(&record, &["command"]))
        .unwrap_or_default();
    out.names.push((NameKind::Execution, id.to_owned()));
    out.push(
        Observation {
            kind: Kind::Command,
            task: Some(id.to_owned()),
            time: record.pointer("/meta/timestamp").and_then(time),
            lines: (entry.line, entry.line),
            summary: summarise(&format!("[{ended}] {name} {said}")),
            refs: text_of(&record, &["command"])
                .map(|c| vec![summarise(c)])
                .unwrap_or_default(),
            detail: lines.join("\n"),
        },
        false,
    );
}

/// Extracts a frame of a recording. Only actions of the governor are kept, not terminal output.
fn frame(file: &SourceFile, entry: &Entry<'_>, header: Option<&Value>, out: &mut Extracted) {
    let Ok(frame) = strict_json::from_text_clamped::<Value>(entry.text) else {
        return;
    };
    let at = |n: usize| frame.get(n);
    if at(1).and_then(Value::as_str) != Some("g") {
        return;
    }
    let what = at(2).and_then(Value::as_str).unwrap_or_default();
    let meta = at(3).cloned().unwrap_or_default();
    let command = text_of(&meta, &["command"]).unwrap_or_default();
    let why = text_of(&meta, &["reason", "reasoning"]).unwrap_or_default();
    let begun = header
        .and_then(|h| h.get("timestamp"))
        .and_then(Value::as_i64);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float to integer cast saturates, which suits a time"
    )]
    let after = at(0).and_then(Value::as_f64).map(|s| (s * 1000.0) as i64);
    let title = header
        .and_then(|h| text_of(h, &["title"]))
        .unwrap_or_else(|| stem(&file.name));
    out.push(
        Observation {
            kind: Kind::Command,
            task: Some(title.to_owned()),
            time: begun
                .zip(after)
                .map(|(b, a)| b.saturating_mul(1000).saturating_add(a)),
            lines: (entry.line, entry.line),
            summary: summarise(&format!("[{what}] {command} {why}")),
            refs: Some(command)
                .filter(|c| !c.is_empty())
                .map(|c| vec![summarise(c)])
                .unwrap_or_default(),
            detail: format!(
                "governance: {what}\ncommand: {}\nreason: {}",
                cut(command),
                error_summary(why)
            ),
        },
        false,
    );
}
