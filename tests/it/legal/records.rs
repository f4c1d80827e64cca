//! Writes the records of an execution, and signs with test keys.

use super::model::{Execution, Turn, with};
use base64::Engine as _;
use ed25519_dalek::SigningKey;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use yuangs_verify::trace::keys::TrustStore;

/// Writes records.
pub(super) struct ExecutionSet<'e> {
    pub(super) execution: &'e Execution,
    pub(super) prev: String,
    pub(super) lines: Vec<String>,
    pub(super) metadata: bool,
}

impl ExecutionSet<'_> {
    pub(super) fn push(&mut self, kind: &str, mut members: Value) {
        members["record"] = json!(kind);
        members["executionId"] = json!(self.execution.id);
        if self.execution.chain {
            members["prev"] = json!(self.prev);
        }
        if self.metadata {
            members["metadata"] = json!({ "host": "ci-7", "n": [1, null, { "x": "y" }] });
        }
        let line = members.to_string();
        self.prev = sha256(&line);
        self.lines.push(line);
    }

    pub(super) fn record(&mut self, kind: &str, at: i64, mut members: Value) {
        members["timestamp"] = self.execution.clock.spell(at);
        self.push(kind, members);
    }

    pub(super) fn events(&mut self, turn: &Turn) {
        let id = json!({ "turnId": turn.id });
        let late = self.execution.late_tokens;
        if let Some(token) = turn.token.as_ref().filter(|_| !late) {
            self.record(
                "capability_issued",
                turn.start(),
                json!({ "capability": token }),
            );
        }
        for (at, members) in &turn.thoughts {
            self.record("thought_generated", *at, with(members, id.clone()));
        }
        let parts = [
            ("action_proposed", &turn.proposed),
            ("governance_decided", &turn.decided),
            ("execution_finished", &turn.ran),
        ];
        for (kind, part) in parts {
            if let (Some(token), Some((at, _)), true) = (
                &turn.token,
                &turn.decided,
                late && kind == "execution_finished",
            ) {
                self.record("capability_issued", *at, json!({ "capability": token }));
            }
            if let Some((at, members)) = part {
                self.record(kind, *at, with(members, id.clone()));
            }
        }
        for (kind, part) in [
            ("observation_recorded", &turn.observed),
            ("evaluation_made", &turn.evaluated),
        ] {
            if let Some((at, members)) = part {
                self.record(kind, *at, with(members, id.clone()));
            }
        }
    }

    /// Returns the members of a `turn`.
    pub(super) fn turn(&self, turn: &Turn) -> Value {
        let spell = |time| self.execution.clock.spell(time);
        let mut members = json!({ "turnId": turn.id, "startTime": spell(turn.start()), "endTime": spell(turn.end()) });
        let mut thoughts: Vec<Value> = turn
            .thoughts
            .iter()
            .map(|(_, t)| {
                let mut own = t.as_object().unwrap().clone();
                own.remove("contextSnapshot");
                let thought = own.remove("thought").unwrap();
                with(&thought, Value::Object(own))
            })
            .collect();
        members["contextSnapshot"] = turn.thoughts[0].1["contextSnapshot"].clone();
        members["thought"] = thoughts.remove(0);
        if !thoughts.is_empty() {
            members["thoughts"] = json!(thoughts);
        }
        // Members of the event other than its part belong to the part.
        let inner = |part: &Option<(i64, Value)>, name: &str| {
            let mut own: Map<String, Value> = part.as_ref()?.1.as_object()?.clone();
            let inner = own.remove(name)?;
            Some(with(&inner, Value::Object(own)))
        };
        let parts = [
            ("proposedAction", inner(&turn.proposed, "action")),
            ("governance", inner(&turn.decided, "decision")),
            ("executionResult", inner(&turn.ran, "result")),
            ("observation", inner(&turn.observed, "observation")),
            ("evaluation", inner(&turn.evaluated, "evaluation")),
        ];
        for (name, part) in parts {
            if let Some(part) = part {
                members[name] = part;
            }
        }
        members
    }

    /// Writes the execution as one record, and one more for each resumption.
    pub(super) fn wholes(&mut self) {
        let execution = self.execution;
        let mut members = with(
            &execution.start,
            json!({ "timestamp": execution.clock.spell(execution.started) }),
        );
        let mut turns: Vec<Value> = Vec::new();
        for turn in &execution.turns {
            if let Some((at, start)) = &turn.resumed {
                members["turns"] = json!(std::mem::take(&mut turns));
                self.push("execution", members);
                members = with(start, json!({ "timestamp": execution.clock.spell(*at) }));
            }
            turns.push(self.turn(turn));
        }
        members["turns"] = json!(turns);
        if execution.ended.is_some() {
            members["outcome"] = json!(execution.outcome());
        }
        self.push("execution", members);
    }
}

pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// The people who may sign, each with a test key.
pub(super) const SIGNERS: [&str; 3] = ["alice", "maria.rossi", "chen@example.org"];

pub(super) fn key(signer: &str) -> &'static SigningKey {
    static KEYS: LazyLock<BTreeMap<&str, SigningKey>> = LazyLock::new(|| {
        let key = |signer: &&'static str| {
            (
                *signer,
                SigningKey::from_bytes(&Sha256::digest(signer.as_bytes()).into()),
            )
        };
        SIGNERS.iter().map(key).collect()
    });
    &KEYS[signer]
}

/// Returns the trust file of the test keys.
pub fn keys() -> TrustStore {
    let engine = base64::engine::general_purpose::STANDARD;
    let entry = |signer: &&str| {
        let public = engine.encode(key(signer).verifying_key().as_bytes());
        json!({ "keyId": format!("{signer}-1"), "publicKey": public, "signer": signer, "validFrom": "2026-01-01T00:00:00Z" })
    };
    TrustStore::parse(&json!({ "keys": SIGNERS.iter().map(entry).collect::<Vec<_>>() }).to_string())
        .unwrap()
}
