//! Properties of the replay over generated traces.

use crate::generate::{Layout, Plan, Ruling, plan};
use proptest::prelude::*;
use serde_json::{Value, json};
use yuangs_verify::diag::Severity;
use yuangs_verify::replay::Answer;
use yuangs_verify::verify::{Options, Report, verify_reader};

fn replay(trace: &str) -> Report {
    verify_reader("trace.jsonl", trace.as_bytes(), &Options::default())
}

fn codes(report: &Report) -> Vec<String> {
    report.findings.iter().map(|f| f.code.to_string()).collect()
}

fn join(lines: &[String]) -> String {
    lines.iter().map(|l| format!("{l}\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// A legal trace gives no finding in any layout, and all layouts agree.
    #[test]
    fn legal_traces_are_clean_in_every_layout(plan in plan()) {
        let mut verdicts = Vec::new();
        for layout in [Layout::Events, Layout::Turns, Layout::Execution] {
            if !plan.fits(layout) {
                continue;
            }
            let report = replay(&plan.trace(layout));
            prop_assert!(report.findings.is_empty(), "{layout:?}: {:?}\n{}", report.findings, plan.trace(layout));
            prop_assert_eq!(report.summaries.len(), 1);
            let s = &report.summaries[0];
            prop_assert_eq!(s.verdict.legal_path, Answer::Yes);
            verdicts.push((s.verdict, s.turns, s.final_state, s.outcome.clone(), s.actions, s.decisions));
        }
        verdicts.dedup();
        prop_assert_eq!(verdicts.len(), 1);
    }

    /// Interleaving executions changes nothing.
    #[test]
    fn interleaved_executions_do_not_disturb_each_other(a in plan(), b in plan(), seed in any::<u64>()) {
        let (mut a, b) = (a, b);
        a.id.push_str("_other");
        let (mut first, mut second) = (a.lines(Layout::Events), b.lines(Layout::Turns));
        first.reverse();
        second.reverse();
        let mut lines = Vec::new();
        let mut bits = seed;
        while !first.is_empty() || !second.is_empty() {
            let from = if (bits & 1 == 0 && !first.is_empty()) || second.is_empty() { &mut first } else { &mut second };
            bits = bits.rotate_right(1);
            lines.extend(from.pop());
        }
        let report = replay(&join(&lines));
        prop_assert!(report.findings.is_empty(), "{:?}", report.findings);
        prop_assert_eq!(report.summaries.len(), 2);
    }

    /// A lost event gives exactly one finding.
    #[test]
    fn one_lost_event_is_one_finding(plan in plan(), at in any::<prop::sample::Index>()) {
        let plan = Plan { chain: false, tokens: false, agents: 1, ..plan };
        let mut lines = plan.lines(Layout::Events);
        let lost = at.index(lines.len() - 1);
        let line = lines.remove(lost);
        let report = replay(&join(&lines));
        let bad: Vec<_> = report.findings.iter().filter(|f| f.severity > Severity::Note).collect();
        prop_assert_eq!(bad.len(), 1, "lost {}\n{:#?}", line, bad);
    }

    /// A repeated event gives exactly one finding.
    #[test]
    fn one_repeated_event_is_one_finding(plan in plan(), at in any::<prop::sample::Index>()) {
        let plan = Plan { chain: false, tokens: false, agents: 1, ..plan };
        let mut lines = plan.lines(Layout::Events);
        let again = at.index(lines.len());
        prop_assume!(!lines[again].contains("execution_started") && !lines[again].contains("execution_ended"));
        let line = lines[again].clone();
        lines.insert(again, line.clone());
        let report = replay(&join(&lines));
        let bad: Vec<_> = report.findings.iter().filter(|f| f.severity > Severity::Note).collect();
        prop_assert_eq!(bad.len(), 1, "repeated {}\n{:#?}", line, bad);
    }

    /// Whichever event violates its schema, that is reported, and no other finding follows from it.
    #[test]
    fn a_broken_event_accuses_nobody(mut plan in plan(), at in any::<prop::sample::Index>()) {
        plan.chain = false;
        let mut lines = plan.lines(Layout::Events);
        let broken = at.index(lines.len());
        let mut record: Value = serde_json::from_str(&lines[broken]).unwrap();
        record["bogus"] = json!(1);
        lines[broken] = record.to_string();
        let trace = join(&lines);
        let report = replay(&trace);
        let found = codes(&report);
        prop_assert!(!found.is_empty() && found.iter().all(|c| c == "YV103"), "{found:?}\n{trace}");
        for verdict in report.summaries.iter().map(|s| &s.verdict) {
            for answer in [verdict.legal_path, verdict.authorised, verdict.governance_complete] {
                prop_assert!(answer != Answer::No, "{verdict:?}\n{trace}");
            }
        }
    }

    /// A part that violates the schema affects only itself: no other finding follows from it, no
    /// answer stays at yes, and faults of another turn are still found.
    #[test]
    fn a_broken_part_of_a_turn_hides_nothing_else(mut plan in plan(), at in any::<prop::sample::Index>(), member in any::<prop::sample::Index>()) {
        prop_assume!(!plan.turns.is_empty());
        plan.chain = false;
        for layout in [Layout::Turns, Layout::Execution] {
            if !plan.fits(layout) {
                continue;
            }
            let mut lines: Vec<Value> = plan.lines(layout).iter().map(|l| serde_json::from_str(l).unwrap()).collect();
            let mut turns = turns_of(&mut lines, layout);
            let broken = at.index(turns.len());
            let turn = turns[broken].as_object_mut().unwrap();
            let names: Vec<String> = turn.keys().filter(|k| !matches!(k.as_str(), "record" | "executionId" | "prev")).cloned().collect();
            let name = member.get(&names);
            turn.insert(name.clone(), json!([7]));
            let other = (broken + 1) % turns.len();
            let ran = turns[other].get("executionResult").is_some() && turns[other]["governance"].get("signature").is_none();
            let honest = join(&lines.iter().map(Value::to_string).collect::<Vec<_>>());
            let report = replay(&honest);
            let found = codes(&report);
            prop_assert!(!found.is_empty() && found.iter().all(|c| c == "YV103" || c == "YV210"), "{name}: {found:?}\n{honest}");
            let verdict = &report.summaries[0].verdict;
            for answer in [verdict.legal_path, verdict.authorised, verdict.governance_complete] {
                prop_assert!(answer != Answer::Yes, "{name}: {verdict:?}");
            }
            if ran {
                let mut turns = turns_of(&mut lines, layout);
                turns[other]["governance"] = json!({"status": "rejected", "by": "policy", "timestamp": turns[other]["startTime"], "ruleId": "r", "reason": "no"});
                let trace = join(&lines.iter().map(Value::to_string).collect::<Vec<_>>());
                let found = codes(&replay(&trace));
                prop_assert!(found.contains(&"YV309".to_owned()), "{name} of turn {broken}: {found:?}\n{trace}");
            }
        }
    }

    /// Two swapped neighbours are found.
    #[test]
    fn swapped_events_are_found(plan in plan(), at in any::<prop::sample::Index>()) {
        let plan = Plan { chain: false, tokens: false, agents: 1, ..plan };
        let mut lines = plan.lines(Layout::Events);
        let first = at.index(lines.len() - 1);
        lines.swap(first, first + 1);
        prop_assert!(!codes(&replay(&join(&lines))).is_empty());
    }

    /// In a chained trace, a change of any byte is found, except in the last record, and so is a
    /// missing record.
    #[test]
    fn a_chain_guards_every_record(plan in plan(), at in any::<prop::sample::Index>(), drop in any::<bool>()) {
        let plan = Plan { chain: true, ..plan };
        let mut lines = plan.lines(Layout::Events);
        let which = at.index(lines.len() - 1);
        if drop {
            lines.remove(which);
        } else {
            // White space, which nothing else would notice.
            lines[which].insert(1, ' ');
        }
        let found = codes(&replay(&join(&lines)));
        prop_assert!(found.contains(&"YV801".to_owned()), "{found:?}");
    }

    /// Each forgery is found by its own rule, whatever the rest of the trace contains, in every
    /// layout that can express it.
    #[test]
    fn each_forgery_is_caught_by_its_rule(plan in plan(), forgery in forgery(), at in any::<prop::sample::Index>()) {
        let mut plan = Plan { chain: false, ..plan };
        plan.turns.retain(|t| !t.pause);
        prop_assume!(!plan.turns.is_empty());
        let at = at.index(plan.turns.len());
        (forgery.prepare)(&mut plan, at);
        let mut found = Vec::new();
        for layout in [Layout::Events, Layout::Turns, Layout::Execution] {
            if !plan.fits(layout) {
                continue;
            }
            let mut values: Vec<Value> = plan.lines(layout).iter().map(|l| serde_json::from_str(l).unwrap()).collect();
            for part in parts(&mut values, layout, at + 1) {
                (forgery.forge)(part);
            }
            let lines: Vec<String> = values.iter().map(Value::to_string).collect();
            let report = replay(&join(&lines));
            let turn = i64::try_from(at).unwrap() + 1;
            prop_assert!(
                report.findings.iter().any(|f| f.code.to_string() == forgery.code && f.turn == Some(turn)),
                "{} in {layout:?}: {:#?}", forgery.code, report.findings
            );
            let mut all: Vec<_> = report.findings.iter().map(|f| (f.code, f.turn)).collect();
            all.sort();
            found.push((layout, all));
        }
        for pair in found.windows(2) {
            prop_assert_eq!(&pair[0].1, &pair[1].1, "{:?} and {:?} disagree", pair[0].0, pair[1].0);
        }
    }

    /// No input makes anything panic, and unreadable input is reported.
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = verify_reader("x", &bytes[..], &Options::default());
    }

    /// The same for traces with gaps, cuts and foreign bytes.
    #[test]
    fn no_damaged_trace_panics(plan in plan(), cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        for layout in [Layout::Events, Layout::Turns] {
            let mut bytes = plan.trace(layout).into_bytes();
            for (at, byte) in &cuts {
                let at = at.index(bytes.len());
                if byte % 3 == 0 { bytes.remove(at); } else { bytes[at] = *byte; }
                if bytes.is_empty() { break; }
            }
            let report = verify_reader("x", &bytes[..], &Options::default());
            // If no line with a detectable format is left, that is reported.
            let said = report.counts.records > 0 || report.counts.errors > 0;
            prop_assert!(said || bytes.iter().all(u8::is_ascii_whitespace));
        }
    }
}

/// A change of a trace that one rule must find.
#[derive(Debug, Clone)]
struct Forgery {
    code: &'static str,
    /// Changes the turn so that the forgery is applicable.
    prepare: fn(&mut Plan, usize),
    /// Applied to every part of the turn: `thought`, `action`, `decision`, `finished`,
    /// `evaluation`.
    forge: fn(Part<'_>),
}

/// A part of a turn, independent of the layout.
enum Part<'v> {
    Action(&'v mut Value),
    Decision(&'v mut Value),
    /// The record or part with the result's members, the result itself, and the turn.
    Finished {
        holder: &'v mut Value,
    },
}

/// Returns the turns of a trace of turn records or of one execution.
fn turns_of(lines: &mut [Value], layout: Layout) -> Vec<&mut Value> {
    if layout == Layout::Turns {
        return lines.iter_mut().filter(|l| l["record"] == "turn").collect();
    }
    lines[0]["turns"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .collect()
}

fn set(plan: &mut Plan, at: usize, ruling: Ruling) {
    plan.turns[at].ruling = ruling;
}

fn forgery() -> impl Strategy<Value = Forgery> {
    let all: Vec<Forgery> = vec![
        Forgery {
            code: "YV302",
            prepare: |p, at| set(p, at, Ruling::Policy),
            forge: |part| {
                if let Part::Action(a) = part {
                    a["riskLevel"] = json!("high");
                }
            },
        },
        Forgery {
            code: "YV303",
            prepare: |p, at| set(p, at, Ruling::Human),
            forge: |part| {
                if let Part::Decision(d) = part {
                    d.as_object_mut().unwrap().remove("signer");
                }
            },
        },
        Forgery {
            code: "YV303",
            prepare: |p, at| {
                set(p, at, Ruling::Policy);
                p.turns[at].kind = 1;
            },
            forge: |part| {
                if let Part::Decision(d) = part {
                    d.as_object_mut().unwrap().remove("ruleId");
                }
            },
        },
        Forgery {
            code: "YV303",
            prepare: |p, at| set(p, at, Ruling::Rejected),
            forge: |part| {
                if let Part::Decision(d) = part {
                    d.as_object_mut().unwrap().remove("reason");
                }
            },
        },
        Forgery {
            code: "YV304",
            prepare: |p, at| set(p, at, Ruling::Human),
            forge: |part| {
                if let Part::Decision(d) = part {
                    d["actionId"] = json!("another");
                }
            },
        },
        Forgery {
            code: "YV305",
            prepare: |p, at| set(p, at, Ruling::Human),
            forge: |part| {
                if let Part::Finished { holder } = part {
                    holder["action"]["payload"] = json!({"command": "rm -rf /"});
                }
            },
        },
        Forgery {
            code: "YV306",
            prepare: |p, at| set(p, at, Ruling::Modified),
            forge: |part| {
                if let Part::Decision(d) = part {
                    d["modifiedAction"]["type"] = json!("answer");
                }
            },
        },
        Forgery {
            code: "YV307",
            prepare: |p, at| set(p, at, Ruling::Modified),
            forge: |part| {
                if let Part::Decision(d) = part {
                    d["modifiedAction"]["riskLevel"] = json!("high");
                }
            },
        },
        Forgery {
            code: "YV308",
            prepare: |p, at| set(p, at, Ruling::Modified),
            forge: |part| {
                if let Part::Decision(d) = part {
                    d["originalActionId"] = json!("another");
                }
            },
        },
        Forgery {
            code: "YV312",
            prepare: |p, at| set(p, at, Ruling::Human),
            forge: |part| {
                if let Part::Decision(d) = part {
                    d["signer"] = json!("agent-0");
                }
            },
        },
        Forgery {
            code: "YV314",
            prepare: |p, at| set(p, at, Ruling::Human),
            forge: |part| {
                if let Part::Action(a) = part {
                    a["payload"] = json!({"command": "something else"});
                }
            },
        },
        Forgery {
            code: "YV407",
            prepare: |p, at| {
                p.tokens = true;
                set(p, at, Ruling::Human);
            },
            forge: |part| {
                if let Part::Finished { holder } = part {
                    holder["capabilityId"] = json!("no-token");
                }
            },
        },
        Forgery {
            code: "YV704",
            prepare: |p, at| set(p, at, Ruling::Human),
            forge: |part| {
                if let Part::Finished { holder } = part {
                    holder["observedChanges"] = json!(["/etc/passwd"]);
                }
            },
        },
    ];
    prop::sample::select(all)
}

/// Returns the parts of one turn in a trace.
fn parts(values: &mut [Value], layout: Layout, turn: usize) -> Vec<Part<'_>> {
    let mut all = Vec::new();
    match layout {
        Layout::Events => {
            for value in values.iter_mut().filter(|v| v["turnId"] == json!(turn)) {
                match value["record"].as_str().unwrap() {
                    "action_proposed" => all.push(Part::Action(&mut value["action"])),
                    "governance_decided" => all.push(Part::Decision(&mut value["decision"])),
                    "execution_finished" => all.push(Part::Finished { holder: value }),
                    _ => {}
                }
            }
        }
        Layout::Turns => {
            for value in values.iter_mut().filter(|v| v["turnId"] == json!(turn)) {
                whole(value, &mut all);
            }
        }
        Layout::Execution => {
            for value in values
                .iter_mut()
                .flat_map(|v| v["turns"].as_array_mut().into_iter().flatten())
                .filter(|v| v["turnId"] == json!(turn))
            {
                whole(value, &mut all);
            }
        }
    }
    all
}

fn whole<'v>(turn: &'v mut Value, all: &mut Vec<Part<'v>>) {
    for (name, value) in turn.as_object_mut().unwrap() {
        match name.as_str() {
            "proposedAction" => all.push(Part::Action(value)),
            "governance" => all.push(Part::Decision(value)),
            "executionResult" => all.push(Part::Finished { holder: value }),
            _ => {}
        }
    }
}
