//! Generates legal traces. A plan is a random walk over the state machine with agents, tokens,
//! modifications, rejections, pauses and chains. It can be written in three layouts.

use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The layout of a written plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Events,
    Turns,
    Execution,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    Policy,
    Human,
    Modified,
    Rejected,
}

#[derive(Debug, Clone)]
pub struct TurnPlan {
    /// Number of agents that think in this turn; the action of the first one is proposed.
    pub thinkers: usize,
    pub kind: usize,
    pub text: String,
    pub ruling: Ruling,
    pub success: bool,
    pub pause: bool,
}

#[derive(Debug, Clone)]
pub struct Plan {
    pub id: String,
    pub agents: usize,
    pub tokens: bool,
    pub chain: bool,
    pub turns: Vec<TurnPlan>,
}

const POLICY: &str = "sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";

/// Generates text in any language that hides nothing, since hidden text is a legitimate finding.
fn text() -> impl Strategy<Value = String> {
    "[a-z]{1,6}|\\PC{0,8}".prop_filter("hides something", |text| {
        // Commands contain the text without quotes, which may join parts to hidden text.
        [text.clone(), text.replace('\'', "")].iter().all(|text| {
            let record = json!({"reasoning": text, "command": text, "path": text}).to_string();
            content_scan::hidden_text(&record).is_empty()
        })
    })
}

pub fn plan() -> impl Strategy<Value = Plan> {
    let ruling = prop_oneof![
        Just(Ruling::Policy),
        Just(Ruling::Human),
        Just(Ruling::Modified),
        Just(Ruling::Rejected)
    ];
    let turn = (
        1usize..4,
        0usize..3,
        text(),
        ruling,
        any::<bool>(),
        prop::bool::weighted(0.15),
    )
        .prop_map(|(thinkers, kind, text, ruling, success, pause)| TurnPlan {
            thinkers,
            kind,
            text,
            ruling,
            success,
            pause,
        });
    (
        "[a-z0-9_]{1,10}",
        1usize..4,
        any::<bool>(),
        any::<bool>(),
        prop::collection::vec(turn, 0..6),
    )
        .prop_map(|(id, agents, tokens, chain, turns)| Plan {
            id,
            agents,
            tokens,
            chain,
            turns,
        })
}

impl Plan {
    /// Whether a layout can express the plan. A whole execution on one line has no place for tokens
    /// and resumptions.
    pub fn fits(&self, layout: Layout) -> bool {
        layout != Layout::Execution
            || !(self.tokens
                || self
                    .turns
                    .iter()
                    .any(|t| t.pause && t.ruling != Ruling::Rejected))
    }

    /// Returns the trace, one record per line.
    pub fn lines(&self, layout: Layout) -> Vec<String> {
        let mut values = Writer {
            plan: self,
            layout,
            time: 1_768_800_000_000,
            out: Vec::new(),
            nested: Vec::new(),
        }
        .write();
        if !self.chain {
            return values.iter().map(Value::to_string).collect();
        }
        let mut prev = "0".repeat(64);
        let mut lines = Vec::new();
        for value in &mut values {
            value["prev"] = json!(prev);
            let line = value.to_string();
            prev = Sha256::digest(line.as_bytes())
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            lines.push(line);
        }
        lines
    }

    pub fn trace(&self, layout: Layout) -> String {
        self.lines(layout)
            .iter()
            .map(|l| format!("{l}\n"))
            .collect()
    }

    /// Returns the number of agents that think in a turn. With only one, a lost thought is
    /// detected.
    pub fn thinkers(&self, turn: &TurnPlan) -> usize {
        turn.thinkers.min(self.agents)
    }
}

struct Writer<'p> {
    plan: &'p Plan,
    layout: Layout,
    time: i64,
    out: Vec<Value>,
    nested: Vec<Value>,
}

impl Writer<'_> {
    fn tick(&mut self, by: i64) -> i64 {
        self.time += by;
        self.time
    }

    fn record(&mut self, kind: &str, turn: Option<usize>, mut members: Value) {
        members["record"] = json!(kind);
        members["executionId"] = json!(self.plan.id);
        if let Some(turn) = turn {
            members["turnId"] = json!(turn);
        }
        if members.get("timestamp").is_none() && kind != "turn" {
            members["timestamp"] = json!(self.tick(10));
        }
        self.out.push(members);
    }

    fn start_members(&self) -> Value {
        let mut start = json!({
            "schemaVersion": "1.0", "rootIntent": "tidy up", "fsmVersion": "1", "maxTurns": 50,
            "governor": {"id": "governor"}, "policy": {"digest": POLICY},
            "agents": (0..self.plan.agents).map(|n| format!("agent-{n}")).collect::<Vec<_>>(),
        });
        if self.plan.tokens {
            start["capabilities"] = json!("required");
        }
        if self.plan.chain {
            start["chain"] = json!("sha256");
        }
        start
    }

    fn write(mut self) -> Vec<Value> {
        if self.layout != Layout::Execution {
            let start = self.start_members();
            self.record("execution_started", None, start);
        }
        let plan = self.plan;
        for (index, turn) in plan.turns.iter().enumerate() {
            self.turn(index + 1, turn);
            if turn.pause && turn.ruling != Ruling::Rejected {
                let start = self.start_members();
                self.record("execution_started", None, start);
            }
        }
        let last = plan.turns.len() + 1;
        let thought = json!({"reasoning": "done", "done": true});
        let evaluation = json!({"kind": "terminate", "reason": "goal_satisfied"});
        match self.layout {
            Layout::Events => {
                let snapshot = snapshot();
                self.record(
                    "thought_generated",
                    Some(last),
                    json!({"agentId": "agent-0", "thought": thought, "contextSnapshot": snapshot}),
                );
                self.record(
                    "evaluation_made",
                    Some(last),
                    json!({"evaluation": evaluation}),
                );
            }
            Layout::Turns | Layout::Execution => {
                let start = self.tick(10);
                let end = self.tick(10);
                let turn = json!({"startTime": start, "endTime": end, "contextSnapshot": snapshot(), "agentId": "agent-0",
                    "thought": thought, "evaluation": evaluation});
                self.whole_turn(last, turn);
            }
        }
        if self.layout == Layout::Execution {
            let mut execution = self.start_members();
            execution["turns"] = json!(self.nested);
            execution["outcome"] = json!("goal_satisfied");
            execution["timestamp"] = json!(1_768_800_000_000i64);
            self.record("execution", None, execution);
        } else {
            self.record(
                "execution_ended",
                None,
                json!({"outcome": "goal_satisfied"}),
            );
        }
        self.out
    }

    fn whole_turn(&mut self, number: usize, mut turn: Value) {
        if self.layout == Layout::Execution {
            turn["turnId"] = json!(number);
            self.nested.push(turn);
        } else {
            self.record("turn", Some(number), turn);
        }
    }

    fn turn(&mut self, number: usize, turn: &TurnPlan) {
        let plan = self.plan;
        let id = format!("{}-a{number}", plan.id);
        let modified_id = format!("{id}-m");
        let (kind, payload, risk) = action(turn.kind, &turn.text);
        let (_, other_payload, _) = action(turn.kind, "other");
        let thinkers = plan.thinkers(turn);
        let own = json!({"type": kind, "payload": payload});
        let runs_as = if turn.ruling == Ruling::Modified {
            &modified_id
        } else {
            &id
        };
        let declared = if kind == "code_diff" {
            json!(["src/file.ts"])
        } else {
            json!([])
        };
        let observed = if kind == "code_diff" && turn.success {
            json!(["src/file.ts"])
        } else {
            json!([])
        };
        let token = format!("{id}-token");
        if plan.tokens && turn.ruling != Ruling::Rejected {
            self.record(
                "capability_issued",
                None,
                json!({"capability": {"id": token, "subject": runs_as, "grants": ["tool_call", "shell_cmd", "code_diff", "answer"], "issuer": "governor"}}),
            );
        }
        let thoughts: Vec<Value> = (0..thinkers)
            .map(|n| {
                let action = if n == 0 { own.clone() } else { json!({"type": kind, "payload": other_payload}) };
                json!({"agentId": format!("agent-{n}"), "reasoning": turn.text, "done": false, "action": action})
            })
            .collect();
        let mut decision = match turn.ruling {
            Ruling::Policy => json!({"status": "approved", "by": "policy", "ruleId": "rule-1"}),
            Ruling::Human => json!({"status": "approved", "by": "human", "signer": "alice"}),
            Ruling::Rejected => {
                json!({"status": "rejected", "by": "human", "signer": "alice", "reason": "not now"})
            }
            Ruling::Modified => {
                json!({"status": "modified", "by": "human", "signer": "alice", "originalActionId": id,
                "modificationReason": "safer", "modifiedAction": {"id": modified_id, "type": kind, "payload": other_payload, "riskLevel": risk, "reasoning": "safer"}})
            }
        };
        if turn.ruling != Ruling::Modified {
            decision["actionId"] = json!(id);
        }
        let proposed = json!({"id": id, "type": kind, "payload": payload, "riskLevel": risk, "reasoning": turn.text});
        let mut result = json!({"success": turn.success, "output": turn.text});
        if !turn.success {
            result["error"] = json!("it failed");
            result["errorType"] = json!("runtime");
        }
        let observation = json!({"summary": turn.text, "artifacts": []});
        let evaluation = if turn.pause {
            json!({"kind": "pause", "reason": "await_human_input"})
        } else {
            json!({"kind": "continue", "reason": if turn.success { "incomplete" } else { "failure_retry" }})
        };
        let ran = json!({"type": kind, "payload": if turn.ruling == Ruling::Modified { &other_payload } else { &payload }});
        if self.layout == Layout::Events {
            let turn_id = Some(number);
            for thought in &thoughts {
                let mut bare = thought.clone();
                let agent = bare.as_object_mut().unwrap().remove("agentId");
                self.record(
                    "thought_generated",
                    turn_id,
                    json!({"agentId": agent, "thought": bare, "contextSnapshot": snapshot()}),
                );
            }
            self.record(
                "action_proposed",
                turn_id,
                json!({"agentId": "agent-0", "action": proposed, "declaredChanges": declared}),
            );
            decision["timestamp"] = json!(self.tick(2000));
            self.record(
                "governance_decided",
                turn_id,
                json!({"decision": decision, "timestamp": self.time}),
            );
            if turn.ruling == Ruling::Rejected {
                return;
            }
            let mut finished = json!({"actionId": runs_as, "action": ran, "result": result, "observedChanges": observed});
            if plan.tokens {
                finished["capabilityId"] = json!(token);
            }
            self.record("execution_finished", turn_id, finished);
            self.record(
                "observation_recorded",
                turn_id,
                json!({"actionId": runs_as, "observation": observation}),
            );
            self.record(
                "evaluation_made",
                turn_id,
                json!({"evaluation": evaluation}),
            );
        } else {
            let start = self.tick(10);
            decision["timestamp"] = json!(self.tick(2000));
            let end = self.tick(10);
            let mut whole = json!({"startTime": start, "endTime": end, "contextSnapshot": snapshot(), "agentId": "agent-0",
                "proposedAction": proposed, "declaredChanges": declared, "governance": decision});
            if thinkers == 1 {
                whole["thought"] = thoughts[0].clone();
            } else {
                whole["thoughts"] = json!(thoughts);
            }
            if turn.ruling != Ruling::Rejected {
                result["action"] = ran;
                whole["executionResult"] = result;
                whole["observedChanges"] = observed;
                whole["observation"] = observation;
                whole["evaluation"] = evaluation;
                if plan.tokens {
                    whole["capabilityId"] = json!(token);
                }
            }
            self.whole_turn(number, whole);
        }
        if plan.tokens && turn.ruling != Ruling::Rejected {
            self.record(
                "capability_revoked",
                None,
                json!({"capability": {"id": token}, "reason": "used"}),
            );
        }
    }
}

fn snapshot() -> Value {
    json!({"inputHash": "0".repeat(64), "systemPromptVersion": "v1", "toolSetVersion": "v1"})
}

/// The text appears only as data: the actions' effects must not depend on it.
fn action(kind: usize, text: &str) -> (&'static str, Value, &'static str) {
    match kind {
        0 => {
            let note = format!("a note about {text}");
            (
                "tool_call",
                json!({"tool": "read_file", "parameters": {"path": "src/file.ts", "note": note}}),
                "low",
            )
        }
        1 => (
            "shell_cmd",
            json!({"command": format!("echo '{}'", text.replace('\'', ""))}),
            "medium",
        ),
        _ => (
            "code_diff",
            json!({"diff": format!("--- a/src/file.ts\n+++ b/src/file.ts\n@@ -1 +1 @@\n-a\n+b {}\n", text.len())}),
            "medium",
        ),
    }
}
