//! The typed reader and the general validator agree on what is valid.

use crate::generate::{Layout, plan};
use proptest::prelude::*;
use serde_json::{Value, json};
use strict_json::Scanner;
use yuangs_verify::trace::entry::{Grammar, Record, read};
use yuangs_verify::trace::record::RecordKind;
use yuangs_verify::trace::{Format, schemas};

fn typed(format: Format, text: &str) -> bool {
    let mut scanner = Scanner::new("", 128);
    let entry = read(Grammar::Format(format), &mut scanner, text, (1, 0), false);
    !matches!(
        entry.record,
        Record::Broken(_) | Record::Recovered(_) | Record::Unreadable
    )
}

fn general(format: Format, text: &str) -> bool {
    let kind = serde_json::from_str::<Value>(text)
        .ok()
        .and_then(|v| v["record"].as_str().and_then(RecordKind::parse));
    match (format, kind) {
        (_, None) if format.name() == "execution-record" => false,
        _ => schemas::accepts(format, kind, text),
    }
}

/// Collects the pointers of all values inside a value.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                all.push(at.clone());
                pointers(member, &at, all);
            }
        }
        Value::Array(elements) => {
            for (n, element) in elements.iter().enumerate() {
                let at = format!("{at}/{n}");
                all.push(at.clone());
                pointers(element, &at, all);
            }
        }
        _ => {}
    }
}

fn junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!(true)),
        Just(json!(0)),
        Just(json!(1)),
        Just(json!(-1)),
        Just(json!(1.5)),
        Just(json!(2.0)),
        Just(json!(1e300)),
        Just(json!(9007199254740992u64)),
        Just(json!("")),
        Just(json!("x")),
        Just(json!([])),
        Just(json!({})),
        Just(json!([1])),
        Just(json!(["a"])),
        Just(json!("2026-01-19T05:20:00Z")),
        Just(json!("2026-02-30T05:20:00Z")),
        Just(json!("approved")),
        Just(json!("modified")),
        Just(json!("high")),
        Just(json!("continue")),
        Just(json!("pause")),
        Just(json!("incomplete")),
        Just(json!("tool_call")),
        Just(json!("turn")),
        Just(json!({"a": 1})),
    ]
}

/// Applies a change: 0 replaces the value, 1 removes it, 2 adds an unknown member next to it.
fn change(value: &mut Value, pointer: &str, how: u8, junk: &Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let name = name.replace("~1", "/").replace("~0", "~");
    match (how, value.pointer_mut(parent)) {
        (1, Some(Value::Object(members))) => {
            members.remove(&name);
        }
        (2, Some(Value::Object(members))) => {
            members.insert("unheard_of".into(), junk.clone());
        }
        (_, Some(_)) => {
            if let Some(place) = value.pointer_mut(pointer) {
                *place = junk.clone();
            }
        }
        (_, None) => {}
    }
}

/// One record of each native format, with every member that its types know.
const NATIVE: &[(&str, &str)] = &[
    (
        "yuangs-events",
        r#"{"id":"e","timestamp":1,"executionId":"x","type":"state_transition","data":{"from":"IDLE","to":"THINKING","action":{"id":"a","type":"t","payload":{},"riskLevel":"low"},"decision":{},"result":{},"error":"e"},"metadata":{"payload":{}}}"#,
    ),
    (
        "yuangs-events",
        r#"{"id":"e","timestamp":1,"executionId":"x","type":"governance_decision","data":{"action":{"id":"a","type":"t"},"decision":{"status":"approved","by":"policy","timestamp":1,"modifiedAction":{"id":"b","type":"t"}}}}"#,
    ),
    (
        "yuangs-events",
        r#"{"id":"e","timestamp":1,"executionId":"x","type":"tool_execution","data":{"action":{"id":"a","type":"t"},"result":{"success":true,"output":"o","artifacts":["a"]}}}"#,
    ),
    (
        "yuangs-events",
        r#"{"id":"e","timestamp":1,"executionId":"x","type":"state_transition","data":{"from":"GOVERNING","to":"EXECUTING"},"metadata":{"payload":{"status":"approved","by":"human"}}}"#,
    ),
    (
        "yuangs-events",
        r#"{"id":"e","timestamp":1,"executionId":"x","type":"state_transition","data":{"from":"EVALUATING","to":"TERMINAL"},"metadata":{"payload":{"kind":"terminate","reason":"goal_satisfied"}}}"#,
    ),
    (
        "yuangs-transitions",
        r#"{"from":"EVALUATING","to":"THINKING","timestamp":1,"payload":{"kind":"continue","reason":"of its own"}}"#,
    ),
    (
        "yuangs-transitions",
        r#"{"from":"IDLE","to":"THINKING","timestamp":1,"payload":{}}"#,
    ),
    (
        "yuangs-transitions",
        r#"{"from":"GOVERNING","to":"THINKING","timestamp":1,"payload":{"status":"rejected","by":"policy","reason":"r"}}"#,
    ),
    (
        "yuangs-runtime",
        r#"{"type":"GOVERNANCE_DECIDED","decision":{"status":"approved","by":"policy","timestamp":1},"output":{},"actionId":"a","result":[]}"#,
    ),
    (
        "yuangs-runtime",
        r#"{"type":"EvaluationMade","outcome":{"kind":"terminate","reason":"goal_satisfied"}}"#,
    ),
    (
        "yuangs-reducer",
        r#"{"type":"THOUGHT_COMPLETE","done":true,"decision":{"status":"rejected","by":"human"}}"#,
    ),
    (
        "yuangs-reducer",
        r#"{"type":"EVALUATED","outcome":{"kind":"continue","reason":"incomplete"}}"#,
    ),
    ("yuangs-turns", include_str!("agreement/yuangs-turns.json")),
    (
        "yuangs-record",
        include_str!("agreement/yuangs-record.json"),
    ),
    (
        "yuangs-cast",
        r#"{"version":2,"width":80,"height":24,"timestamp":1,"title":"t","command":"c"}"#,
    ),
    ("yuangs-cast", r#"[0.5,"g","allowed",{"command":"ls"}]"#),
    (
        "yuangs-cast",
        r#"{"version":3,"term":{"cols":80,"rows":24,"type":"xterm"},"timestamp":1,"title":"t","command":"c"}"#,
    ),
    (
        "yuangs-cast",
        r#"{"version":1,"width":80,"height":24,"duration":1.5,"title":"t","command":"c","stdout":[[0.5,"x"]]}"#,
    ),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn on_valid_and_changed_records(plan in plan(), line in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), how in 0u8..3, junk in junk(), layout in prop::sample::select(vec![Layout::Events, Layout::Turns, Layout::Execution])) {
        prop_assume!(plan.fits(layout));
        let lines = plan.lines(layout);
        let text = &lines[line.index(lines.len())];
        prop_assert!(typed(Format::parse("execution-record").unwrap(), text) && general(Format::parse("execution-record").unwrap(), text), "{text}");
        let mut value: Value = serde_json::from_str(text).unwrap();
        let mut all = Vec::new();
        pointers(&value, "", &mut all);
        change(&mut value, &all[at.index(all.len())], how, &junk);
        let text = value.to_string();
        prop_assert_eq!(typed(Format::parse("execution-record").unwrap(), &text), general(Format::parse("execution-record").unwrap(), &text), "{}", text);
    }

    #[test]
    fn on_native_records(which in 0..NATIVE.len(), at in any::<prop::sample::Index>(), how in 0u8..3, junk in junk()) {
        let (name, text) = NATIVE[which];
        let format = Format::parse(name).unwrap();
        prop_assert!(typed(format, text) && general(format, text), "{text}");
        let mut value: Value = serde_json::from_str(text).unwrap();
        let mut all = Vec::new();
        pointers(&value, "", &mut all);
        change(&mut value, &all[at.index(all.len())], how, &junk);
        let text = value.to_string();
        prop_assert_eq!(typed(format, &text), general(format, &text), "{}", text);
    }
}
