//! Compares three policy engines: the same policy of fifteen rules about tool calls, and the same
//! questions.
//!
//! Each engine is used as its documentation shows, with all preparation done in advance. The
//! engines must agree on every answer before the measurement.

use cedar_policy::{Authorizer, Context, Entities, EntityUid, PolicySet, Request as Question};
use regorus::{Engine, Value};
use serde_json::json;
use std::str::FromStr;
use std::time::Instant;
use agent_policy::{Action, Effect, History, Policy, Request, load};

/// Number of forbidden tools, by prefix of their names.
const FORBIDDEN: usize = 10;
/// Number of forbidden directories.
const CLOSED: usize = 4;
/// Number of questions in one round.
const QUESTIONS: usize = 1000;
/// Number of rounds. The fastest is reported.
const ROUNDS: usize = 20;

fn ours() -> Policy {
    let mut text = String::from(
        "version: 1\nid: peers\ncombine: deny-overrides\ndefault: { effect: require_approval, reason: nothing matched }\nrules:\n",
    );
    for n in 0..FORBIDDEN {
        text += &format!("  - {{ id: tool-{n}, when: {{ tool: 'mcp__server{n}__*' }}, effect: deny, reason: closed }}\n");
    }
    for n in 0..CLOSED {
        text += &format!("  - {{ id: path-{n}, when: {{ path: {{ glob: 'vault{n}/**' }} }}, effect: deny, reason: closed }}\n");
    }
    text += "  - { id: readers, when: { type: tool_call, tool: '*read*' }, effect: allow }\n";
    load("peers.yaml", &text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The globs of the other policies are prefixes and substrings here. Regorus would compile each
/// glob for each question, which takes it 25 times as long.
fn rego() -> Engine {
    let mut text = String::from("package peers\nimport rego.v1\ndefault decision := \"ask\"\n");
    text += "decision := \"deny\" if denied\ndecision := \"allow\" if { not denied; allowed }\n";
    for n in 0..FORBIDDEN {
        text += &format!("denied if startswith(input.tool, \"mcp__server{n}__\")\n");
    }
    for n in 0..CLOSED {
        text += &format!("denied if startswith(input.path, \"vault{n}/\")\n");
    }
    text += "allowed if { input.type == \"tool_call\"; contains(input.tool, \"read\") }\n";
    let mut engine = Engine::new();
    engine.add_policy("peers.rego".into(), text).unwrap();
    engine
}

fn cedar() -> PolicySet {
    let mut text = String::new();
    for n in 0..FORBIDDEN {
        text += &format!("forbid(principal, action, resource) when {{ context.tool like \"mcp__server{n}__*\" }};\n");
    }
    for n in 0..CLOSED {
        text += &format!("forbid(principal, action, resource) when {{ context.path like \"vault{n}/*\" }};\n");
    }
    text += "permit(principal, action == Action::\"tool_call\", resource) when { context.tool like \"*read*\" };\n";
    PolicySet::from_str(&text).unwrap()
}

/// Returns the tool and the path of a question. Most are allowed, some are forbidden by tool or
/// path, and some match no rule.
fn question(n: usize) -> (String, String) {
    let tool = match n % 10 {
        0 => format!("mcp__server{}__read", n % 13),
        1 => "write_file".to_owned(),
        _ => format!("read_file_{}", n % 5),
    };
    let path = if n % 7 == 0 { format!("vault{}/a/b.txt", n % 5) } else { format!("src/module_{}/file_{n}.ts", n % 9) };
    (tool, path)
}

/// Returns the decisions per second in the fastest of several rounds.
fn rate(mut round: impl FnMut() -> usize) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        std::hint::black_box(round());
        best = best.min(start.elapsed().as_secs_f64());
    }
    QUESTIONS as f64 / best
}

fn main() {
    let questions: Vec<_> = (0..QUESTIONS).map(question).collect();

    let (policy, history) = (ours(), History::default());
    let actions: Vec<Action> =
        questions.iter().map(|(tool, path)| Action::call(tool, json!({ "path": path }))).collect();
    let ask = |action: &Action| policy.decide(&Request::new(action, &history)).effect;

    let mut engine = rego();
    let inputs: Vec<Value> = questions
        .iter()
        .map(|(tool, path)| Value::from_json_str(&json!({"type": "tool_call", "tool": tool, "path": path}).to_string()).unwrap())
        .collect();
    let compiled = rego().compile_with_entrypoint(&"data.peers.decision".into()).unwrap();
    let mut ask_rego = |input: &Value| {
        engine.set_input(input.clone());
        engine.eval_rule("data.peers.decision".into()).unwrap()
    };
    let ask_compiled = |input: &Value| compiled.eval_with_input(input.clone()).unwrap();

    let (set, authorizer, entities) = (cedar(), Authorizer::new(), Entities::empty());
    let uid = |text: &str| EntityUid::from_str(text).unwrap();
    let requests: Vec<Question> = questions
        .iter()
        .map(|(tool, path)| {
            let context = Context::from_json_value(json!({"tool": tool, "path": path}), None).unwrap();
            Question::new(uid("Agent::\"a\""), uid("Action::\"tool_call\""), uid("Tool::\"t\""), context, None).unwrap()
        })
        .collect();
    let ask_cedar = |request: &Question| authorizer.is_authorized(request, &set, &entities).decision();

    let mut allowed = 0;
    for ((action, input), request) in actions.iter().zip(&inputs).zip(&requests) {
        let effect = ask(action);
        let (rego, cedar) = (ask_rego(input), ask_cedar(request));
        let word = match effect {
            Effect::Allow => "allow",
            Effect::RequireApproval => "ask",
            Effect::Deny => "deny",
        };
        assert_eq!(rego, Value::from(word), "{action:?}");
        assert_eq!(ask_compiled(input), rego);
        // Cedar has no third answer.
        assert_eq!(cedar == cedar_policy::Decision::Allow, effect == Effect::Allow, "{action:?}");
        allowed += usize::from(effect == Effect::Allow);
    }
    println!("{QUESTIONS} tool calls, {allowed} allowed, 15 rules, one thread, best of {ROUNDS} rounds; decisions a second:");
    let count = |allow: bool| usize::from(allow);
    let yuangs = rate(|| actions.iter().map(|a| count(ask(a) == Effect::Allow)).sum());
    let rego = rate(|| inputs.iter().map(|i| count(ask_rego(i) == Value::from("allow"))).sum());
    let cedar = rate(|| requests.iter().map(|r| count(ask_cedar(r) == cedar_policy::Decision::Allow)).sum());
    let compiled = rate(|| inputs.iter().map(|i| count(ask_compiled(i) == Value::from("allow"))).sum());
    let all = [("yuangs-verify", yuangs), ("regorus", rego), ("regorus, compiled", compiled), ("cedar-policy", cedar)];
    for (name, rate) in all {
        println!("{name:>18} {rate:>9.0}");
    }
}
