//! Writes the same executions in the formats of other programs.

use super::model::{Execution, Rng, Turn};
use super::records::sha256;
use serde_json::{Map, Value, json};

/// Converts an action for a native runtime, which names tools in `tool_name`.
fn native_action(action: &Value) -> Value {
    let mut action = action.clone();
    if action["type"] == "tool_call" {
        let mut payload: Map<String, Value> = action["payload"].as_object().unwrap().clone();
        let name = payload
            .remove("tool")
            .or_else(|| payload.remove("tool_name"))
            .unwrap();
        let parameters = payload
            .remove("parameters")
            .unwrap_or(Value::Object(payload));
        action["payload"] = json!({ "tool_name": name, "parameters": parameters });
    }
    if action["type"] == "shell_cmd" && action["payload"].is_string() {
        action["payload"] = json!({ "command": action["payload"] });
    }
    action
}

/// Removes the members of a decision that native runtimes don't record.
fn native_decision(decision: &Value) -> Value {
    let mut members = decision.as_object().unwrap().clone();
    members.retain(|name, _| {
        matches!(
            name.as_str(),
            "status"
                | "by"
                | "timestamp"
                | "reason"
                | "originalActionId"
                | "modifiedAction"
                | "modificationReason"
        )
    });
    if let Some(modified) = members.get_mut("modifiedAction") {
        *modified = native_action(modified);
    }
    Value::Object(members)
}

fn native_result(turn: &Turn) -> Option<Value> {
    let (_, ran) = turn.ran.as_ref()?;
    let mut result =
        json!({ "success": ran["result"]["success"], "output": ran["result"]["output"] });
    for name in ["error", "exitCode", "artifacts"] {
        if let Some(value) = ran["result"].get(name) {
            result[name] = value.clone();
        }
    }
    Some(result)
}

fn proposed(turn: &Turn) -> Value {
    native_action(&turn.proposed.as_ref().unwrap().1["action"])
}

fn decision(turn: &Turn) -> Value {
    native_decision(&turn.decided.as_ref().unwrap().1["decision"])
}

fn thought(turn: &Turn) -> Value {
    let action = native_action(&turn.thoughts[0].1["thought"]["action"]);
    let plan = json!({ "action_type": action["type"], "reasoning": "next" });
    json!({ "raw": plan.to_string(), "parsedPlan": plan, "isDone": false, "type": action["type"], "payload": action["payload"], "reasoning": "next" })
}

fn evaluation(turn: &Turn) -> Option<&Value> {
    turn.evaluated.as_ref().map(|(_, e)| &e["evaluation"])
}

/// Returns the state changes of a turn: from, to, time, payload.
fn movements(
    execution: &Execution,
    turn: &Turn,
) -> Vec<(&'static str, &'static str, i64, Option<Value>)> {
    let mut all = Vec::new();
    if turn.id == 1 {
        all.push(("IDLE", "THINKING", execution.started, None));
    } else if let Some((at, _)) = &turn.resumed {
        all.push(("IDLE", "THINKING", *at, None));
    }
    all.push(("THINKING", "PROPOSING", turn.start(), None));
    all.push((
        "PROPOSING",
        "GOVERNING",
        turn.proposed.as_ref().unwrap().0,
        None,
    ));
    let decision = decision(turn);
    let to = if decision["status"] == "rejected" {
        "THINKING"
    } else {
        "EXECUTING"
    };
    all.push((
        "GOVERNING",
        to,
        turn.decided.as_ref().unwrap().0,
        Some(decision),
    ));
    if let (Some(ran), Some(observed), Some(evaluated)) =
        (&turn.ran, &turn.observed, &turn.evaluated)
    {
        all.push(("EXECUTING", "OBSERVING", ran.0, None));
        all.push(("OBSERVING", "EVALUATING", observed.0, None));
        let to = match evaluated.1["evaluation"]["kind"].as_str().unwrap() {
            "continue" => "THINKING",
            "pause" => "IDLE",
            _ => "TERMINAL",
        };
        all.push((
            "EVALUATING",
            to,
            evaluated.0,
            Some(evaluated.1["evaluation"].clone()),
        ));
    }
    all
}

/// Writes `yuangs-transitions`.
pub fn transitions(execution: &Execution) -> Vec<String> {
    let all = execution
        .turns
        .iter()
        .flat_map(|turn| movements(execution, turn));
    let line = |(from, to, at, payload): (&str, &str, i64, Option<Value>)| {
        let mut line = json!({ "from": from, "to": to, "timestamp": at });
        if let Some(payload) = payload {
            line["payload"] = payload;
        }
        line.to_string()
    };
    all.map(line).collect()
}

/// Writes `yuangs-reducer`.
pub fn reducer(execution: &Execution) -> Vec<String> {
    let all = execution
        .turns
        .iter()
        .flat_map(|turn| movements(execution, turn));
    let line = |(from, _, _, payload): (&str, &str, i64, Option<Value>)| {
        let event = match from {
            "IDLE" => json!({ "type": "START" }),
            "THINKING" => json!({ "type": "THOUGHT_COMPLETE", "done": false }),
            "PROPOSING" => json!({ "type": "ACTION_PROPOSED" }),
            "GOVERNING" => json!({ "type": "GOVERNANCE_DECIDED", "decision": payload }),
            "EXECUTING" => json!({ "type": "EXECUTION_FINISHED" }),
            "OBSERVING" => json!({ "type": "OBSERVATION_RECORDED" }),
            _ => json!({ "type": "EVALUATED", "outcome": payload }),
        };
        event.to_string()
    };
    all.map(line).collect()
}

/// Writes `yuangs-runtime`, in the first or the second spelling of its events.
pub fn runtime(execution: &Execution, second: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for turn in &execution.turns {
        let mut line = |names: [&str; 2], member: &str, value: Value| {
            lines.push(json!({ "type": names[usize::from(second)], member: value }).to_string());
        };
        let proposed = proposed(turn);
        let intended = json!({ "type": proposed["type"], "payload": proposed["payload"] });
        let output = json!({ "reasoning": "next", "done": false, "action": intended });
        line(["THOUGHT_GENERATED", "ThoughtGenerated"], "output", output);
        let id = proposed["id"].clone();
        line(["ACTION_PROPOSED", "ActionProposed"], "actionId", id);
        let names = ["GOVERNANCE_DECIDED", "GovernanceDecided"];
        line(names, "decision", decision(turn));
        if let (Some(result), Some(evaluation)) = (native_result(turn), evaluation(turn)) {
            line(["TOOL_EXECUTED", "ExecutionFinished"], "result", result);
            line(
                ["EVALUATED", "EvaluationMade"],
                "outcome",
                evaluation.clone(),
            );
        }
    }
    lines
}

/// Where an event log records decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// Only in the payload of the state change; the action isn't recorded there.
    Movement,
    /// In a `governance_decision` next to the state change.
    Beside,
    Both,
}

/// Writes `yuangs-events`.
pub fn events(execution: &Execution, decided: Decided, rng: &mut Rng) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let repeats = rng.one_in(4);
    let mut push = |rng: &mut Rng, kind: &str, at: i64, data: Value, payload: Option<Value>| {
        let number = lines.len();
        let mut line = json!({ "id": format!("{}-{number}", execution.id), "timestamp": at, "executionId": execution.id, "type": kind, "data": data });
        if let Some(payload) = payload {
            line["metadata"] = json!({ "payload": payload });
        }
        lines.push(line.to_string());
        if repeats && rng.one_in(10) {
            lines.push(line.to_string());
        }
    };
    for turn in &execution.turns {
        for (from, to, at, payload) in movements(execution, turn) {
            let action = proposed(turn);
            match (from, to) {
                ("THINKING", "PROPOSING") => push(
                    rng,
                    "llm_call",
                    at,
                    json!({ "result": thought(turn) }),
                    None,
                ),
                ("GOVERNING", _) if decided != Decided::Movement => {
                    push(
                        rng,
                        "governance_decision",
                        at,
                        json!({ "action": action, "decision": decision(turn) }),
                        None,
                    );
                }
                ("EXECUTING", _) => {
                    let decision = decision(turn);
                    let action = decision.get("modifiedAction").unwrap_or(&action);
                    push(
                        rng,
                        "tool_execution",
                        at,
                        json!({ "action": action, "result": native_result(turn) }),
                        None,
                    );
                }
                ("OBSERVING", _) => {
                    push(
                        rng,
                        "observation_recorded",
                        at,
                        json!({ "result": turn.observed.as_ref().unwrap().1["observation"] }),
                        None,
                    );
                }
                ("EVALUATING", _) => push(
                    rng,
                    "evaluation_result",
                    at,
                    json!({ "decision": evaluation(turn) }),
                    None,
                ),
                _ => {}
            }
            let payload = if from == "GOVERNING" && decided == Decided::Beside {
                None
            } else {
                payload
            };
            push(
                rng,
                "state_transition",
                at,
                json!({ "from": from, "to": to }),
                payload,
            );
        }
    }
    lines
}

/// The program that writes turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    CommandLine,
    Editor,
}

/// Writes `yuangs-turns`, one turn per line.
pub fn turns(execution: &Execution, writer: Writer) -> Vec<String> {
    let editor = writer == Writer::Editor;
    let kept = if editor { 5 } else { 10 };
    let message = |role: &str, content: &str, at: i64, metadata: bool| {
        let metadata = if metadata {
            ",\"metadata\":{\"source\":\"ci\"}"
        } else {
            ""
        };
        format!(
            "{{\"role\":\"{role}\",\"content\":{},\"timestamp\":{at}{metadata}}}",
            json!(content)
        )
    };
    let mut rng = Rng(execution.started.unsigned_abs());
    let mut messages = vec![message(
        "user",
        "Make add() return the sum — «now»",
        execution.started,
        rng.one_in(3),
    )];
    let mut lines = Vec::new();
    for turn in &execution.turns {
        let hash = sha256(&format!("[{}]", messages.join(",")));
        let recent = messages[messages.len().saturating_sub(kept)..].join(",");
        let action = proposed(turn);
        let answers = action["type"] == "answer";
        let mut line = json!({
            "turnId": turn.id, "startTime": turn.start(), "endTime": turn.end(),
            "contextSnapshot": { "inputHash": hash, "systemPromptVersion": "v1.0.0", "toolSetVersion": "v1.0.0", "recentMessages": "@messages@" },
            "proposedAction": action,
        });
        let mut decision = decision(turn);
        if decision["by"] == "policy" && rng.one_in(3) {
            decision["by"] = json!("auto-policy");
        }
        let refused = decision["status"] == "rejected";
        if refused && decision["by"] != "human" && rng.one_in(2) {
            line["executionResult"] = json!({ "success": false, "output": "POLICY DENIED: not before the tests have run" });
        } else if refused || !(editor && answers) {
            line["governance"] = decision;
        }
        if !editor {
            line["thought"] = thought(turn);
        }
        if let Some(result) = native_result(turn) {
            messages.push(message(
                "tool",
                &format!("{} returned:\n{}", action["type"], result["output"]),
                turn.end(),
                false,
            ));
            line["executionResult"] = result;
        }
        if let Some((_, observed)) = turn.observed.as_ref().filter(|_| !editor) {
            line["observation"] = observed["observation"].clone();
        }
        if let Some(evaluation) = evaluation(turn).filter(|_| !editor) {
            line["evaluation"] = evaluation.clone();
        }
        lines.push(
            line.to_string()
                .replace("\"@messages@\"", &format!("[{recent}]")),
        );
    }
    lines
}

/// Returns the turns as lines, as an array of lines, on one line, and formatted.
pub fn spellings(turns: &[String]) -> Vec<(&'static str, String)> {
    let array: Vec<Value> = turns
        .iter()
        .map(|t| serde_json::from_str(t).unwrap())
        .collect();
    vec![
        ("jsonl", turns.join("\n")),
        ("lines.json", format!("[\n{}\n]", turns.join(",\n"))),
        ("one.json", format!("[{}]", turns.join(","))),
        ("pretty.json", serde_json::to_string_pretty(&array).unwrap()),
    ]
}

/// Writes `yuangs-record`.
pub fn command_record(seed: u64) -> String {
    let mut rng = Rng(seed);
    let mut record = json!({
        "id": format!("exec_{seed:08x}"),
        "meta": { "commandName": "ai-ask", "timestamp": "2026-01-03T04:05:06.789Z", "toolVersion": "4.2.0", "projectPath": "~/shelf" },
        "intent": { "required": ["text"], "preferred": ["long-context"], "capabilityVersion": "1.0" },
        "configSnapshot": { "defaultModel": "model-a", "nested": { "x": [1] } },
        "decision": { "candidateModels": [{ "name": "model-a" }, { "name": "model-b" }], "selectedModel": { "name": "model-a" }, "usedFallback": false },
        "outcome": { "success": true },
    });
    if rng.one_in(2) {
        record["meta"]["rawInput"] = json!("why?");
        record["meta"]["args"] = json!({ "question": "why" });
        record["meta"]["replayable"] = json!(true);
        record["meta"]["mode"] = json!("chat");
        record["meta"]["version"] = json!("1");
    }
    if rng.one_in(2) {
        record["decision"]["usedFallback"] = json!(true);
        record["decision"]["fallbackReason"] = json!("busy");
        record["decision"]["skills"] = json!([{ "name": "s1", "score": 0.7 }]);
        record["decision"]["strategy"] = json!("cheapest");
        record["decision"]["reason"] = json!("enough");
    }
    match rng.below(3) {
        0 => {
            let reasons = [
                "capability-mismatch",
                "provider-error",
                "user-abort",
                "timeout",
                "other",
            ];
            record["outcome"] = json!({ "success": false, "failureReason": rng.pick(&reasons) });
        }
        1 => {
            record["outcome"] =
                json!({ "success": true, "tokenCount": 812, "latencyMs": 1201.5, "reward": 0.5 });
        }
        _ => {}
    }
    if rng.one_in(2) {
        record["command"] = json!("git status");
        record["llmResult"] = json!({ "text": "ok" });
        record["input"] = json!("why?");
    }
    record.to_string()
}

/// Writes `yuangs-cast`.
pub fn cast(seed: u64) -> Vec<String> {
    let mut rng = Rng(seed);
    let mut header =
        json!({ "version": 2, "width": 100, "height": 30, "timestamp": 1_767_225_600 + seed });
    if rng.one_in(2) {
        header["title"] = json!("session");
        header["env"] = json!({ "SHELL": "/bin/bash", "TERM": "xterm" });
        header["command"] = json!("/bin/bash");
    }
    let mut lines = vec![header.to_string()];
    let mut eighths = 1_u32;
    for _ in 0..=rng.below(6) {
        let mut frame = |kind: &str, data: &str, meta: Option<Value>| {
            eighths += 1;
            let mut frame = json!([f64::from(eighths) / 8.0, kind, data]);
            frame.as_array_mut().unwrap().extend(meta);
            lines.push(frame.to_string());
        };
        frame("o", "\u{1b}[32m$ \u{1b}[0m", None);
        match rng.below(5) {
            0 => frame(
                "g",
                "blocked",
                Some(json!({ "command": "rm -rf /", "reason": "destructive", "risk": "high" })),
            ),
            1 => {
                frame("i", "sudo id\r", None);
                frame("g", "elevation_started", None);
                frame("g", "sensitive_prompt_displayed", None);
                frame(
                    "g",
                    if rng.one_in(2) {
                        "elevation_success_root"
                    } else {
                        "elevation_failed"
                    },
                    None,
                );
                frame("o", "uid=0\r\n", None);
            }
            2 => {
                frame("i", "l", None);
                frame("i", "s", None);
                frame("i", "\r", None);
                frame("g", "allowed", Some(json!({ "command": "ls" })));
                frame("o", "a.txt\r\n", None);
            }
            3 => frame("r", "120x40", None),
            _ => {
                frame("i", "cat a.txt\r", None);
                frame(
                    "g",
                    "allowed",
                    Some(json!({ "command": "cat a.txt", "reasoning": "reads only" })),
                );
                frame("o", "hello\r\n", None);
            }
        }
    }
    lines
}
