//! Measures detectors: their precision and recall over rows with known content.
//!
//! A row becomes an execution of one turn, which is verified like any trace. So the figures
//! describe what a user gets from the rule with everything before it, and not a single function.

use crate::diag::Code;
use crate::replay::Assessor;
use crate::rules::{self, Rule, Settings};
use crate::verify::account::reconcile_on;
use crate::verify::{Options, verify_reader};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A row of a corpus.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Row {
    /// Whether the detector must find something.
    pub finds: bool,
    /// Explanation of the row for readers.
    pub why: String,
    /// The recorded intent.
    pub intent: Option<String>,
    /// The agent's reasoning.
    pub reasoning: Option<String>,
    /// A command to execute.
    pub command: Option<String>,
    /// A file that a tool writes.
    pub path: Option<String>,
    /// The content of the written or added file.
    pub content: Option<String>,
    /// A file that a diff adds.
    pub diff: Option<String>,
    /// An answer in text.
    pub answer: Option<String>,
    /// Output of the action; `ok` if absent.
    pub output: Option<Output>,
    /// Whether the record reports a truncated output.
    pub truncated: bool,
    /// Whether a human approved the action, and not a policy.
    pub human: bool,
    /// Items of the context: path and text. A message carries each text that isn't empty.
    pub context: Option<BTreeMap<String, String>>,
    /// The context items that the turn declares to have used.
    pub used: Option<Vec<String>>,
    /// A whole unified diff.
    pub patch: Option<String>,
    /// The files that the diff is applied to.
    pub files: Option<BTreeMap<String, String>>,
    /// The files that the proposal declares it will change.
    pub declared: Option<Vec<String>>,
    /// The files that the runtime observed to change.
    pub observed: Option<Vec<String>>,
    pub failed: bool,
    /// Changes to the records, by record kind: a JSON merge patch (RFC 7396) each.
    #[serde(rename = "with")]
    pub over: BTreeMap<String, Value>,
    /// Additional records before the evaluation.
    pub more: Vec<Value>,
}

/// An output: literal, or a repeated text of a given size with an end.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Output {
    /// The literal output.
    Plain(String),
    /// A generated output.
    Generated {
        /// The text to repeat.
        of: String,
        /// Size in bytes, including the end.
        bytes: usize,
        /// The text at the end.
        end: String,
    },
}

/// Maximum size of a generated output in bytes.
const MAX_GENERATED: usize = 4 << 20;

impl Output {
    fn text(&self) -> Option<String> {
        match self {
            Self::Plain(text) => Some(text.clone()),
            Self::Generated { of, bytes, end } => {
                let length = bytes
                    .checked_sub(end.len())
                    .filter(|n| *n <= MAX_GENERATED && !of.is_empty())?;
                let mut text = of.repeat(length / of.len() + 1);
                // Truncation inside a character would give a different row than the corpus
                // describes.
                text.is_char_boundary(length)
                    .then(|| text.truncate(length))?;
                Some(text + end)
            }
        }
    }
}

impl Row {
    /// Builds the trace: one execution of one turn.
    fn trace(&self) -> Option<String> {
        let (kind, payload) = self.action();
        let output = match &self.output {
            Some(output) => output.text()?,
            None => "ok".to_owned(),
        };
        let reasoning = self.reasoning.as_deref().unwrap_or("This comes next.");
        let mut snapshot =
            json!({ "inputHash": "1", "systemPromptVersion": "1", "toolSetVersion": "1" });
        if let (Some(context), Some(members)) = (&self.context, snapshot.as_object_mut()) {
            let item = |path| json!({ "path": path, "hash": "1", "tokens": 1 });
            members.insert("items".into(), context.keys().map(item).collect());
            let carried = |(path, text): (&String, &String)| {
                format!("[Reference] FILE: item ({path})\n{text}\n")
            };
            let message: String = context
                .iter()
                .filter(|(_, text)| !text.is_empty())
                .map(carried)
                .collect();
            members.insert(
                "recentMessages".into(),
                json!([{ "role": "system", "content": message, "timestamp": 1 }]),
            );
        }
        let decision = if self.human {
            json!({ "status": "approved", "by": "human", "actionId": "a", "signer": "reviewer",
                "timestamp": 9000 })
        } else {
            json!({ "status": "approved", "by": "policy", "actionId": "a", "ruleId": "allow",
                "timestamp": 9000 })
        };
        let mut thought = json!({
            "record": "thought_generated", "turnId": 1, "timestamp": 2, "contextSnapshot": snapshot,
            "thought": { "reasoning": reasoning, "done": false,
                "action": { "type": kind, "payload": payload } },
        });
        if let (Some(used), Some(members)) = (&self.used, thought.as_object_mut()) {
            members.insert("usedContext".into(), json!(used));
        }
        let mut result = json!({ "success": !self.failed, "output": output });
        if let (true, Some(members)) = (self.failed, result.as_object_mut()) {
            members.insert("error".into(), json!("it went wrong"));
        }
        if let (true, Some(members)) = (self.truncated, result.as_object_mut()) {
            members.insert("truncated".into(), json!(true));
        }
        let intent = self.intent.as_deref().unwrap_or("Do what has to be done");
        let action = json!({ "id": "a", "type": kind, "payload": payload, "riskLevel": "low",
            "reasoning": reasoning });
        let mut records = vec![
            json!({ "record": "execution_started", "timestamp": 1, "schemaVersion": "1.0",
                "rootIntent": intent, "fsmVersion": "1",
                "policy": { "digest": "sha256:1" } }),
            thought,
            json!({ "record": "action_proposed", "turnId": 1, "timestamp": 3, "action": action }),
            json!({ "record": "governance_decided", "turnId": 1, "timestamp": 9000,
                "decision": decision }),
            json!({ "record": "execution_finished", "turnId": 1, "timestamp": 9001,
                "actionId": "a", "result": result }),
            json!({ "record": "observation_recorded", "turnId": 1, "timestamp": 9002,
                "observation": { "summary": "Seen.", "artifacts": [] } }),
        ];
        records.extend(self.more.iter().cloned());
        records.push(
            json!({ "record": "evaluation_made", "turnId": 1, "timestamp": 9003,
            "evaluation": { "kind": "terminate", "reason": "goal_satisfied" } }),
        );
        for (record, member, paths) in [
            ("action_proposed", "declaredChanges", &self.declared),
            ("execution_finished", "observedChanges", &self.observed),
        ] {
            if let Some(paths) = paths {
                apply_patch(&mut records, record, &json!({ member: paths }));
            }
        }
        for (record, patch) in &self.over {
            apply_patch(&mut records, record, patch);
        }
        let with_id = |mut record: Value| {
            if let Some(members) = record.as_object_mut() {
                members.insert("executionId".into(), json!("row"));
            }
            record.to_string() + "\n"
        };
        Some(records.into_iter().map(with_id).collect())
    }

    fn action(&self) -> (&'static str, Value) {
        let parameters = |path: &str| {
            let content = self.content.as_deref().unwrap_or("text\n");
            json!({ "path": path, "content": content })
        };
        if let Some(patch) = &self.patch {
            return ("code_diff", json!({ "diff": patch }));
        }
        match (&self.command, &self.path, &self.diff, &self.answer) {
            (Some(command), ..) => ("shell_cmd", json!({ "command": command })),
            (_, Some(path), ..) => (
                "tool_call",
                json!({ "tool": "write_file", "parameters": parameters(path) }),
            ),
            (_, _, Some(path), _) => {
                let added: String = self
                    .content
                    .as_deref()
                    .unwrap_or("text")
                    .lines()
                    .map(|line| format!("+{line}\n"))
                    .collect();
                let lines = added.lines().count();
                (
                    "code_diff",
                    json!({ "diff": format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{added}") }),
                )
            }
            (_, _, _, Some(answer)) => ("answer", json!({ "content": answer })),
            _ => (
                "tool_call",
                json!({ "tool": "read_file", "parameters": { "path": "notes.txt" } }),
            ),
        }
    }
}

/// Applies a patch to the records of a kind.
fn apply_patch(records: &mut [Value], kind: &str, patch: &Value) {
    for record in records
        .iter_mut()
        .filter(|r| r.get("record").and_then(Value::as_str) == Some(kind))
    {
        merge(record, patch);
    }
}

/// Applies a JSON merge patch (RFC 7396), in which `null` removes a member. `serde_json` bounds the
/// depth of rows, so the recursion is bounded, too.
fn merge(target: &mut Value, patch: &Value) {
    let Some(members) = patch.as_object() else {
        target.clone_from(patch);
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Some(object) = target.as_object_mut() else {
        return;
    };
    for (name, value) in members {
        if value.is_null() {
            object.remove(name);
        } else {
            merge(object.entry(name.as_str()).or_insert(Value::Null), value);
        }
    }
}

/// The results for a corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measured {
    /// Number of true positives.
    pub found: u64,
    /// Number of false negatives.
    pub missed: u64,
    /// Number of true negatives.
    pub quiet: u64,
    /// Number of false positives.
    pub false_alarms: u64,
    /// Line numbers of the rows with a wrong result, with the kind of error.
    pub wrong: Vec<(usize, Wrong)>,
}

/// The kind of error in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// The detector missed a finding.
    Missed,
    /// The detector reported this finding where there is none.
    FalseAlarm(String),
    /// The row can't be evaluated.
    Unreadable(String),
}

impl Measured {
    /// Returns true positives per row with something to find, in tenths of a percent; `None`
    /// without such rows.
    #[must_use]
    pub fn recall(&self) -> Option<u64> {
        (self.found * 1000).checked_div(self.found + self.missed)
    }

    /// Returns true positives per reported row, in tenths of a percent; `None` without reports.
    #[must_use]
    pub fn precision(&self) -> Option<u64> {
        (self.found * 1000).checked_div(self.found + self.false_alarms)
    }

    /// Returns true if a row can't be evaluated.
    #[must_use]
    pub fn has_unreadable(&self) -> bool {
        self.wrong
            .iter()
            .any(|(_, wrong)| matches!(wrong, Wrong::Unreadable(_)))
    }
}

/// Returns the rule that a corpus is about, by the code at the start of the file name.
#[must_use]
pub fn rule_of(stem: &str) -> Option<&'static Rule> {
    Code::parse(stem.split('-').next()?).and_then(rules::by_code)
}

/// Measures a rule over a corpus with one JSON object per line. Blank lines and lines that begin
/// with `#` are ignored.
#[must_use]
pub fn measure(rule: &Rule, text: &str) -> Measured {
    let mut measured = Measured::default();
    let settings = |row: &Row| Settings {
        assessor: Assessor::V1,
        keep_changes: row.files.is_some(),
        ..Settings::default()
    };
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let row: Row = match serde_json::from_str(line) {
            Ok(row) => row,
            Err(error) => {
                measured
                    .wrong
                    .push((number, Wrong::Unreadable(error.to_string())));
                continue;
            }
        };
        let Some(trace) = row.trace() else {
            measured.wrong.push((
                number,
                Wrong::Unreadable("the output can't be made".to_owned()),
            ));
            continue;
        };
        let options = Options {
            settings: settings(&row),
            ..Options::default()
        };
        let mut report = verify_reader("row.jsonl", trace.as_bytes(), &options);
        if let Some(files) = &row.files
            && let Err(error) = reconcile_on(&mut report, ("base", files), None)
        {
            measured
                .wrong
                .push((number, Wrong::Unreadable(error.to_string())));
            continue;
        }
        // A row that the reader refuses would otherwise count as one without a finding.
        if let Some(refused) = report.findings.iter().find(|f| f.code.0 < 200) {
            measured
                .wrong
                .push((number, Wrong::Unreadable(refused.message.clone())));
            continue;
        }
        let found = report.findings.iter().find(|f| f.code == rule.code);
        match (row.finds, found) {
            (true, Some(_)) => measured.found += 1,
            (false, None) => measured.quiet += 1,
            (true, None) => {
                measured.missed += 1;
                measured.wrong.push((number, Wrong::Missed));
            }
            (false, Some(finding)) => {
                measured.false_alarms += 1;
                measured
                    .wrong
                    .push((number, Wrong::FalseAlarm(finding.message.clone())));
            }
        }
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_judged_and_none_is_passed_over() {
        let rule = rule_of("YV604-cut-outputs").unwrap();
        let text = concat!(
            "# a comment\n",
            "{\"finds\":true,\"output\":{\"of\":\"word \",\"bytes\":4096,\"end\":\"wo\"}}\n",
            "{\"finds\":true,\"output\":\"whole\"}\n",
            "{\"finds\":false,\"output\":\"whole\"}\n",
            "{\"finds\":false,\"output\":{\"of\":\"é\",\"bytes\":4001,\"end\":\"\"}}\n",
            "{\"find\":true}\n",
        );
        let measured = measure(rule, text);
        assert_eq!(
            (
                measured.found,
                measured.missed,
                measured.quiet,
                measured.false_alarms
            ),
            (1, 1, 1, 0)
        );
        assert_eq!(
            measured
                .wrong
                .iter()
                .map(|(line, _)| *line)
                .collect::<Vec<_>>(),
            [3, 5, 6]
        );
        assert!(measured.has_unreadable());
        assert_eq!(
            (measured.recall(), measured.precision()),
            (Some(500), Some(1000))
        );
    }

    #[test]
    fn patches_add_change_and_take_away() {
        let mut target = json!({ "a": { "b": 1, "c": [1] }, "d": 2 });
        merge(
            &mut target,
            &json!({ "a": { "b": null, "c": 3, "e": { "f": null } }, "d": { "g": 4 } }),
        );
        assert_eq!(target, json!({ "a": { "c": 3, "e": {} }, "d": { "g": 4 } }));
    }

    #[test]
    fn a_diff_is_applied_to_the_files_of_its_row() {
        let row = |files: &str| {
            let patch = "--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n";
            format!("{{\"finds\":true,\"patch\":\"{patch}\",\"files\":{{{files}}}}}\n")
        };
        let rule = rule_of("YV702").unwrap();
        let found = |files: &str| measure(rule, &row(files)).found;
        assert_eq!(
            (
                found("\"x\":\"a\\n\""),
                found("\"x\":\"b\\n\""),
                found("\"y\":\"a\\n\"")
            ),
            (0, 1, 1)
        );
    }

    #[test]
    fn each_kind_of_row_is_a_legal_trace() {
        let rows = [
            "\"command\":\"ls\"",
            "\"path\":\"a.txt\"",
            "\"diff\":\"a.txt\"",
            "\"answer\":\"yes\"",
            "\"used\":[\"a\"],\"context\":{\"a\":\"text\"}",
            "\"patch\":\"--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n\",\"declared\":[\"x\"],\"observed\":[\"x\"]",
            "\"with\":{\"thought_generated\":{\"contextSnapshot\":{\"items\":[]}}}",
        ];
        for row in rows {
            let row: Row = serde_json::from_str(&format!("{{{row},\"human\":true}}")).unwrap();
            let options = Options {
                settings: Settings {
                    assessor: Assessor::Off,
                    ..Settings::default()
                },
                ..Options::default()
            };
            let report = verify_reader("row.jsonl", row.trace().unwrap().as_bytes(), &options);
            assert_eq!(report.findings.len(), 0, "{:?}", report.findings);
        }
    }
}
