//! A model of an execution, and its `ExecutionRecord`s.

use super::actions::{self, ActionDraft, RISKS};
use super::records::{ExecutionSet, SIGNERS, key, sha256};
use base64::Engine as _;
use ed25519_dalek::Signer as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use util::random::SplitMix;

/// Random choices that are the same in every run.
#[derive(Debug, Clone)]
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, n: usize) -> usize {
        let mut split = SplitMix(self.0);
        let number = split.below(n);
        self.0 = split.0;
        number
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}

/// Merges lists, each in its own order.
pub fn shuffled(all: &mut [Vec<String>], rng: &mut Rng) -> Vec<String> {
    for list in &mut *all {
        list.reverse();
    }
    let mut merged = Vec::new();
    while all.iter().any(|list| !list.is_empty()) {
        let from = rng.below(all.len());
        merged.extend(all[from].pop());
    }
    merged
}

/// The features of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// Everything that version 1 records.
    Full,
    /// Like `Full` without a chain, which depends on the bytes of lines.
    Unchained,
    /// Like `Unchained`, with decisions in whole seconds and records in milliseconds.
    Coarse,
    /// What the command-line runtime can also write: one agent, no tokens, no limits, and an
    /// evaluation at the end.
    Plain,
    /// What the editor can also write: like `Plain` without pauses, and an answer at the end.
    Editor,
}

/// The layout of a written execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One record per event.
    Events,
    /// One record per turn.
    Turns,
    /// A mixture of both.
    Mixed,
    /// One record from each start to the next.
    Whole,
}

/// The format of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Millis,
    Rfc3339,
    Offset,
    /// Whole seconds without a fraction.
    Seconds,
    /// Records in milliseconds, decisions in truncated whole seconds.
    Coarse,
}

/// 2026-01-01T00:00:00Z.
const NEW_YEAR: i64 = 1_767_225_600_000;

fn rfc3339(time: i64, offset: bool, fraction: bool) -> String {
    let local = if offset { time + 7_200_000 } else { time };
    let since = local - NEW_YEAR;
    let (days, rest) = (since / 86_400_000, since % 86_400_000);
    assert!((0..31).contains(&days), "January");
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    let fraction = if fraction {
        format!(".{:03}", rest % 1000)
    } else {
        String::new()
    };
    let zone = if offset { "+02:00" } else { "Z" };
    format!(
        "2026-01-{:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}",
        days + 1
    )
}

impl Clock {
    pub(super) fn spell(self, time: i64) -> Value {
        match self {
            Self::Millis | Self::Coarse => json!(time),
            Self::Rfc3339 => json!(rfc3339(time, false, true)),
            Self::Offset => json!(rfc3339(time, true, true)),
            Self::Seconds => json!(rfc3339(time, false, false)),
        }
    }

    pub(super) fn spell_decision(self, time: i64) -> Value {
        if self == Self::Coarse {
            json!(rfc3339(time, false, false))
        } else {
            self.spell(time)
        }
    }
}

/// A record between turns: its kind, time and members.
type Aside = (&'static str, i64, Value);

/// A turn. Each part has its time and the members that are specific to its event.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub id: u64,
    /// The start record after a pause, if the turn begins with one.
    pub resumed: Option<(i64, Value)>,
    /// Records before the turn.
    pub(super) before: Vec<Aside>,
    /// A token that may also be issued after the decision.
    pub(super) token: Option<Value>,
    pub thoughts: Vec<(i64, Value)>,
    pub proposed: Option<(i64, Value)>,
    pub decided: Option<(i64, Value)>,
    pub ran: Option<(i64, Value)>,
    pub observed: Option<(i64, Value)>,
    pub evaluated: Option<(i64, Value)>,
    pub(super) after: Vec<Aside>,
}

impl Turn {
    pub fn start(&self) -> i64 {
        self.thoughts[0].0
    }

    pub fn end(&self) -> i64 {
        let last = [
            &self.evaluated,
            &self.observed,
            &self.ran,
            &self.decided,
            &self.proposed,
        ];
        last.iter()
            .find_map(|part| part.as_ref().map(|p| p.0))
            .unwrap_or(self.start())
    }
}

/// An execution.
#[derive(Debug, Clone)]
pub struct Execution {
    pub id: String,
    pub(super) clock: Clock,
    pub started: i64,
    pub(super) start: Value,
    pub turns: Vec<Turn>,
    pub(super) ended: Option<(i64, Value)>,
    pub(super) chain: bool,
    pub(super) late_tokens: bool,
}

/// Serialises as RFC 8785, for the values used here: plain names, and only small integers as
/// numbers.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            let all: Vec<String> = sorted
                .into_iter()
                .map(|(k, v)| format!("{}:{}", json!(k), canonical(v)))
                .collect();
            format!("{{{}}}", all.join(","))
        }
        Value::Array(all) => format!(
            "[{}]",
            all.iter().map(canonical).collect::<Vec<_>>().join(",")
        ),
        other => other.to_string(),
    }
}

/// Returns `value` with the members of `more` added.
pub(super) fn with(value: &Value, more: Value) -> Value {
    let mut all = value.as_object().unwrap().clone();
    all.extend(more.as_object().unwrap().clone());
    Value::Object(all)
}

/// The use of tokens in an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tokens {
    None,
    /// One for each action.
    Subjects,
    /// One for all actions, by its scope.
    Scope,
}

/// The state while an execution is generated.
struct Generator {
    rng: Rng,
    clock: Clock,
    now: i64,
    id: String,
    agents: Vec<&'static str>,
    signer: &'static str,
    issuer: String,
    signs: bool,
    tokens: Tokens,
    items: Vec<(String, u64)>,
    policy: bool,
    chained: bool,
    /// A rejected action that may be proposed again: its id and content.
    rejected: Option<(String, ActionDraft)>,
}

impl Generator {
    /// Returns a time at least this many milliseconds after the previous one.
    fn later(&mut self, least: i64) -> i64 {
        let jitter = i64::try_from(self.rng.below(40)).unwrap();
        // Equal times are legal.
        let step = if least == 0 && self.rng.one_in(3) {
            0
        } else {
            least + jitter
        };
        self.now += step;
        if self.clock == Clock::Seconds {
            self.now = (self.now + 999) / 1000 * 1000;
        }
        self.now
    }

    fn snapshot(&mut self) -> Value {
        let mut snapshot = json!({
            "inputHash": sha256(&format!("{} {}", self.id, self.now)),
            "systemPromptVersion": "v2.1.0", "toolSetVersion": "v1.4.0",
        });
        if !self.items.is_empty() {
            snapshot["items"] = self.items();
        }
        snapshot
    }

    fn items(&self) -> Value {
        let item = |(path, version): &(String, u64)| json!({ "path": path, "hash": sha256(&format!("{path}{version}")), "tokens": 40 });
        self.items.iter().map(item).collect()
    }

    fn change_context(&mut self, turn: u64) -> Aside {
        let added = format!("docs/page{turn}.md");
        let removed = self.items.remove(0).0;
        let changed: Vec<String> = self
            .items
            .iter_mut()
            .take(1)
            .map(|item| {
                item.1 += 1;
                item.0.clone()
            })
            .collect();
        self.items.push((added.clone(), 1));
        let diff = json!({ "added": [added], "removed": [removed], "changed": changed });
        let at = self.later(0);
        (
            "context_changed",
            at,
            json!({ "turnId": turn, "diff": diff, "snapshot": { "items": self.items() } }),
        )
    }

    fn thought(&mut self, agent: Option<&str>, wish: Option<&ActionDraft>) -> (i64, Value) {
        let at = self.later(0);
        let mut thought = json!({ "reasoning": "What follows, follows.", "done": wish.is_none() });
        if let Some(wish) = wish {
            thought["action"] = json!({ "type": wish.kind, "payload": wish.payload });
        }
        let mut members = json!({ "thought": thought });
        if let Some(agent) = agent {
            members["agentId"] = json!(agent);
        }
        if let Some((path, _)) = self.items.first().filter(|_| self.rng.0.is_multiple_of(2)) {
            members["usedContext"] = json!([path]);
        }
        if self.rng.one_in(6) {
            members["model"] = json!("model-a");
            members["usedSkills"] = json!(["tidy-up"]);
        }
        (at, members)
    }

    /// Generates a whole turn; `ends` is the evaluation that ends the execution.
    fn turn(&mut self, id: u64, wish: Option<ActionDraft>, ends: Option<&str>) -> Turn {
        let mut turn = Turn {
            id,
            ..Turn::default()
        };
        if !self.items.is_empty() && id > 1 && self.rng.one_in(3) {
            let change = self.change_context(id);
            turn.before.push(change);
        }
        self.later(100);
        let snapshot = self.snapshot();
        let selected = self.rng.below(self.agents.len().max(1));
        let agents: Vec<Option<&str>> = if self.agents.is_empty() {
            vec![None]
        } else {
            self.agents.iter().copied().map(Some).collect()
        };
        for (n, agent) in agents.iter().enumerate() {
            let other = if self.rng.one_in(2) {
                None
            } else {
                Some(actions::any(&mut self.rng))
            };
            let what = match (&wish, n == selected) {
                (Some(wish), true) => Some(wish.clone()),
                (Some(_), false) => other,
                (None, _) => None,
            };
            let (at, mut members) = self.thought(*agent, what.as_ref());
            members["contextSnapshot"] = snapshot.clone();
            turn.thoughts.push((at, members));
        }
        if let Some(wish) = wish {
            self.act(&mut turn, wish, agents[selected], ends);
        } else {
            let at = self.later(0);
            turn.evaluated = Some((at, evaluation(ends.unwrap_or("incomplete"))));
        }
        turn
    }

    fn act(&mut self, turn: &mut Turn, wish: ActionDraft, agent: Option<&str>, ends: Option<&str>) {
        let again = self.rejected.take();
        let (action_id, wish) = match &again {
            // A rejected action may be proposed again, with the same id or a new one.
            Some((old, before)) if before.payload == wish.payload && self.rng.one_in(2) => {
                (old.clone(), wish)
            }
            _ => (
                format!("{}-{}", ["a", "act"][self.rng.below(2)], turn.id),
                wish,
            ),
        };
        let risk = (wish.risk + usize::from(self.rng.one_in(6))).min(2);
        let declares = wish.changes.is_some() && self.rng.one_in(2);
        let at = self.later(0);
        let mut members = json!({ "action": {
            "id": action_id, "type": wish.kind, "payload": wish.payload, "riskLevel": RISKS[risk], "reasoning": "Needed."
        }});
        if let Some(agent) = agent {
            members["agentId"] = json!(agent);
        }
        if declares {
            members["declaredChanges"] = json!([wish.changes]);
        }
        turn.proposed = Some((at, members));

        let human = risk == 2 || again.is_some() || self.rng.one_in(3);
        let at = self.later(if human { 400 } else { 0 });
        // A repeated action isn't rejected again, and the last turn has to execute its action.
        let status = match self.rng.below(7) {
            0 if ends.is_none() && again.is_none() => "rejected",
            1 | 2 if human && wish.narrowed.is_some() => "modified",
            _ => "approved",
        };
        let mut decision = json!({ "status": status, "by": if human { "human" } else { "policy" }, "timestamp": self.clock.spell_decision(at) });
        if self.rng.one_in(3) || self.tokens != Tokens::None {
            decision["actionId"] = json!(action_id);
        }
        let (mut runs, mut payload) = (action_id.clone(), wish.payload.clone());
        if human {
            decision["signer"] = json!(self.signer);
        } else if risk == 1 || self.rng.one_in(2) {
            decision["ruleId"] = json!("allow-in-the-tree");
            decision["policyId"] = json!("team");
        }
        match status {
            "rejected" => decision["reason"] = json!("not before the tests have run"),
            "modified" => {
                runs = format!("{action_id}-m{}", turn.id);
                payload = wish.narrowed.clone().unwrap();
                decision["originalActionId"] = json!(action_id);
                decision["modificationReason"] = json!("narrowed to what is needed");
                decision["modifiedAction"] =
                    json!({ "id": runs, "type": wish.kind, "payload": payload });
                if self.rng.one_in(2) {
                    decision["modifiedAction"]["riskLevel"] = json!(RISKS[risk]);
                }
            }
            _ if human && self.rng.one_in(4) => decision["reason"] = json!("looks right"),
            _ => {}
        }
        if human && self.signs && self.rng.below(3) > 0 {
            let action = canonical(&json!({ "type": wish.kind, "payload": payload }));
            let signed = json!({
                "executionId": self.id, "turnId": turn.id, "actionHash": sha256(&action), "status": status, "by": "human",
                "signer": self.signer, "timestamp": decision["timestamp"],
            });
            let value = key(self.signer)
                .sign(canonical(&signed).as_bytes())
                .to_bytes();
            let value = base64::engine::general_purpose::STANDARD.encode(value);
            decision["signature"] =
                json!({ "keyId": format!("{}-1", self.signer), "alg": "ed25519", "value": value });
        }
        turn.decided = Some((at, json!({ "decision": decision })));
        if status == "rejected" {
            self.rejected = Some((action_id, wish));
            return;
        }
        if self.tokens == Tokens::Subjects {
            let grants = match self.rng.below(5) {
                0 => json!([]),
                // A command may also contact hosts and use a repository.
                1 if wish.kind == "shell_cmd" => json!([wish.category, "git", "network", "admin"]),
                1 => json!([wish.category]),
                2 if wish.tool.is_some() => json!([wish.tool]),
                3 => json!(["answer", wish.kind]),
                _ => json!([wish.kind]),
            };
            let mut token = json!({ "id": format!("cap-{}", turn.id), "subject": runs, "grants": grants, "issuer": self.issuer });
            if wish.changes.is_some() && self.rng.one_in(3) {
                token["scope"] = json!(["src/**"]);
            }
            turn.token = Some(token);
        }
        self.run(turn, &wish, &runs, &payload, declares, ends);
    }

    fn run(
        &mut self,
        turn: &mut Turn,
        wish: &ActionDraft,
        runs: &str,
        payload: &Value,
        declares: bool,
        ends: Option<&str>,
    ) {
        let failed = self.rng.one_in(5);
        let at = self.later(0);
        let mut result = if failed {
            json!({ "success": false, "output": "", "error": "no such file", "errorType": "not_found" })
        } else {
            json!({ "success": true, "output": "done: 3 files" })
        };
        if wish.kind == "shell_cmd" && self.rng.one_in(2) {
            result["exitCode"] = json!(i32::from(failed));
        }
        if self.rng.one_in(4) {
            result["durationMs"] = json!(12.5);
            result["cost"] = json!(0.001);
            result["artifacts"] = json!([]);
        }
        let mut observation =
            json!({ "summary": if failed { "It failed." } else { "It worked." }, "artifacts": [] });
        if !failed && self.rng.one_in(6) {
            result["output"] = json!(
                "a line of a long listing; "
                    .repeat(80)
                    .chars()
                    .take(2048)
                    .collect::<String>()
            );
            let says = if self.rng.one_in(2) {
                &mut result
            } else {
                &mut observation
            };
            says["truncated"] = json!(true);
        }
        let mut members = json!({ "actionId": runs, "result": result });
        if self.rng.one_in(3) {
            members["action"] = json!({ "type": wish.kind, "payload": payload });
        }
        if declares && self.rng.one_in(2) {
            let path = wish.changes.as_ref().unwrap();
            let spelled = if self.rng.one_in(3) {
                format!("./{path}")
            } else {
                path.clone()
            };
            members["observedChanges"] = if failed { json!([]) } else { json!([spelled]) };
        }
        match self.tokens {
            Tokens::Subjects if self.rng.one_in(2) => {
                members["capabilityId"] = json!(format!("cap-{}", turn.id));
            }
            Tokens::Scope if self.rng.one_in(2) => members["capabilityId"] = json!("cap-sources"),
            _ => {}
        }
        turn.ran = Some((at, members));
        let at = self.later(0);
        let mut members = json!({ "observation": observation });
        if self.rng.one_in(2) {
            members["actionId"] = json!(runs);
        }
        turn.observed = Some((at, members));
        let at = self.later(0);
        let reason = ends.unwrap_or(if failed {
            "failure_retry"
        } else {
            "incomplete"
        });
        turn.evaluated = Some((at, evaluation(reason)));
        if self.tokens == Tokens::Subjects && self.rng.one_in(2) {
            let at = self.later(0);
            let mut members = json!({ "capability": { "id": format!("cap-{}", turn.id) } });
            if self.rng.one_in(2) {
                members["reason"] = json!("used");
            }
            turn.after.push(("capability_revoked", at, members));
        }
    }
}

fn evaluation(reason: &str) -> Value {
    let kind = match reason {
        "incomplete" | "failure_retry" => "continue",
        "await_human_input" => "pause",
        _ => "terminate",
    };
    json!({ "evaluation": { "kind": kind, "reason": reason } })
}

impl Execution {
    /// Generates the execution of a seed.
    pub fn new(seed: u64, flavour: Flavour) -> Self {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ flavour as u64);
        let full = matches!(
            flavour,
            Flavour::Full | Flavour::Unchained | Flavour::Coarse
        );
        let clock = match rng.below(8) {
            _ if flavour == Flavour::Coarse => Clock::Coarse,
            _ if !full => Clock::Millis,
            0 => Clock::Rfc3339,
            1 => Clock::Offset,
            2 => Clock::Seconds,
            _ => Clock::Millis,
        };
        let started = NEW_YEAR + i64::try_from(seed % 1_000).unwrap() * 1_000_000;
        let listed: &[&'static str] = rng.pick::<&[&str]>(&[
            &["coder"],
            &["planner", "coder"],
            &["planner", "coder", "tester"],
        ]);
        let agents = if full && rng.one_in(2) {
            listed.to_vec()
        } else {
            Vec::new()
        };
        let signer = *rng.pick(&SIGNERS);
        let governor = match rng.below(3) {
            0 => None,
            1 => Some(signer),
            _ => Some("governor"),
        };
        let tokens = match rng.below(5) {
            0 if full => Tokens::Subjects,
            1 if full => Tokens::Scope,
            _ => Tokens::None,
        };
        let mut maker = Generator {
            clock,
            now: started,
            id: format!("exec_{seed}"),
            issuer: governor.unwrap_or("token-desk").to_owned(),
            agents,
            signer,
            signs: full && rng.one_in(4),
            tokens,
            items: if full && rng.one_in(4) {
                vec![("README.md".into(), 1), ("src/add.ts".into(), 1)]
            } else {
                Vec::new()
            },
            policy: !rng.one_in(5),
            chained: flavour == Flavour::Full && rng.one_in(4),
            rejected: None,
            rng,
        };
        let number = 1 + maker.rng.below(6);
        let mut start = maker.start(governor, full && maker.agents.len() > 1);
        let stops = match maker.rng.below(4) {
            0 if full => "user_abort",
            1 if full => "max_turns_exceeded",
            _ => "goal_satisfied",
        };
        let mut turns: Vec<Turn> = Vec::new();
        for id in 1..=number as u64 {
            let last = id == number as u64;
            let pauses = flavour != Flavour::Editor && !last && maker.rng.one_in(6);
            let wish = match flavour {
                Flavour::Editor if last => Some(actions::answer(&mut maker.rng)),
                _ if last && full && maker.rng.one_in(2) => None,
                _ if tokens == Tokens::Scope => Some(actions::in_sources(&mut maker.rng)),
                _ => Some(actions::any(&mut maker.rng)),
            };
            let again = maker
                .rejected
                .as_ref()
                .filter(|_| maker.rng.0.is_multiple_of(2))
                .map(|(_, wish)| wish.clone());
            let wish = if last { wish } else { again.or(wish) };
            let goes_on = turns.last().is_some_and(|t: &Turn| is_pause(t));
            let resumed = goes_on.then(|| {
                let at = maker.later(3_600_000);
                (at, maker.resumption(&start))
            });
            let ends = if last {
                Some(stops)
            } else {
                pauses.then_some("await_human_input")
            };
            let mut turn = maker.turn(id, wish, ends);
            turn.resumed = resumed;
            turns.push(turn);
        }
        if tokens == Tokens::Scope {
            let grants: &[&str] = maker.rng.pick::<&[&str]>(&[
                &["tool_call", "code_diff"],
                &["read", "write"],
                &["read_*", "write_*", "code_diff"],
            ]);
            let token = json!({ "id": "cap-sources", "grants": grants, "scope": ["src/**"], "issuer": maker.issuer });
            turns[0].before.insert(
                0,
                ("capability_issued", started, json!({ "capability": token })),
            );
        }
        if tokens != Tokens::None && maker.rng.one_in(2) {
            start["capabilities"] = json!("required");
        } else if tokens == Tokens::None && maker.rng.one_in(6) && full {
            start["capabilities"] = json!("off");
        }
        if full && (stops == "max_turns_exceeded" || maker.rng.one_in(4)) {
            let over = if stops == "max_turns_exceeded" {
                1
            } else {
                number + maker.rng.below(3)
            };
            start["maxTurns"] = json!(over);
        }
        let ended = (!maker.rng.one_in(4) || turns.is_empty()).then(|| {
            let mut members = json!({ "outcome": stops });
            if maker.rng.one_in(3) {
                members["artifacts"] = json!(["src/add.ts"]);
                members["decisions"] = json!([]);
            }
            (maker.later(0), members)
        });
        let late_tokens = maker.rng.one_in(2);
        Self {
            id: maker.id,
            clock,
            started,
            start,
            turns,
            ended,
            chain: maker.chained,
            late_tokens,
        }
    }

    pub fn has_policy(&self) -> bool {
        self.start.get("policy").is_some()
    }

    /// Returns why the execution ended.
    pub fn outcome(&self) -> &str {
        self.turns.last().unwrap().evaluated.as_ref().unwrap().1["evaluation"]["reason"]
            .as_str()
            .unwrap()
    }

    /// Returns the records in a layout; `None` when the layout can't express them.
    pub fn lines(&self, layout: Layout, rng: &mut Rng) -> Option<Vec<String>> {
        let asides = self
            .turns
            .iter()
            .any(|t| !t.before.is_empty() || !t.after.is_empty() || t.token.is_some());
        if layout == Layout::Whole && asides {
            return None;
        }
        let mut book = ExecutionSet {
            execution: self,
            prev: "0".repeat(64),
            lines: Vec::new(),
            metadata: rng.one_in(5),
        };
        if layout == Layout::Whole {
            book.wholes();
            return Some(book.lines);
        }
        book.record("execution_started", self.started, self.start.clone());
        for turn in &self.turns {
            if let Some((at, members)) = &turn.resumed {
                book.record("execution_started", *at, members.clone());
            }
            let events = match layout {
                Layout::Events => true,
                Layout::Mixed => rng.one_in(2),
                _ => false,
            };
            for (kind, at, members) in &turn.before {
                book.record(kind, *at, members.clone());
            }
            if events {
                book.events(turn);
            } else {
                if let Some(token) = &turn.token {
                    book.record(
                        "capability_issued",
                        turn.start(),
                        json!({ "capability": token }),
                    );
                }
                let members = book.turn(turn);
                book.push("turn", members);
            }
            for (kind, at, members) in &turn.after {
                book.record(kind, *at, members.clone());
            }
        }
        if let Some((at, members)) = &self.ended {
            book.record("execution_ended", *at, members.clone());
        }
        Some(book.lines)
    }
}

fn is_pause(turn: &Turn) -> bool {
    turn.evaluated
        .as_ref()
        .is_some_and(|(_, e)| e["evaluation"]["kind"] == "pause")
}

impl Generator {
    /// Returns the members of the first `execution_started`.
    fn start(&mut self, governor: Option<&str>, several: bool) -> Value {
        let mut start = json!({
            "schemaVersion": "1.0", "rootIntent": "Make add() return the sum",
            "fsmVersion": if self.rng.one_in(6) { "0" } else { "1" },
        });
        if self.policy {
            start["policy"] = json!({ "digest": format!("sha256:{}", sha256("policy")), "path": "policies/team.yaml", "revision": "r17" });
        }
        if let Some(governor) = governor {
            start["governor"] = json!({ "id": governor });
        }
        if several || !self.agents.is_empty() && self.rng.one_in(2) {
            start["agents"] = json!(self.agents);
        }
        if self.chained {
            start["chain"] = json!("sha256");
        }
        if self.rng.one_in(3) {
            start["runtime"] = json!({ "name": "demo-runtime", "version": "3.1.4" });
        }
        if self.rng.one_in(6) {
            start["parent"] = json!("exec_before");
        }
        start
    }

    /// Returns the members of a start after a pause. Absent ones are unchanged.
    fn resumption(&mut self, start: &Value) -> Value {
        let mut members = start.as_object().unwrap().clone();
        if self.rng.one_in(2) {
            members.retain(|name, _| {
                matches!(
                    name.as_str(),
                    "schemaVersion" | "rootIntent" | "fsmVersion" | "policy"
                ) || self.rng.one_in(2)
            });
        }
        Value::Object(members)
    }
}
