//! `when: turn`.

use super::{policy, problems};
use crate::*;

const PACK: &str = "\
default: { effect: ask, reason: d }
rules:
  - { id: late, when: { tool: deploy, turn: { at_least: 10 } }, effect: deny, reason: r }
  - { id: early, when: { type: tool_call, turn: [1, 2, 5] }, effect: allow, reason: r }
";

fn decide(policy: &Policy, tool: &str, turn: Option<u64>) -> (Effect, String) {
    let action = Action::call(tool, serde_json::json!({}));
    let history = History::default();
    let request = Request {
        turn,
        ..Request::new(&action, &history)
    };
    let decision = policy.decide(&request);
    (decision.effect, decision.rule_id().to_owned())
}

#[test]
fn an_unrecorded_turn_never_allows_and_may_forbid() {
    let p = policy(PACK);
    for (tool, turn, effect, rule) in [
        ("deploy", Some(10), Effect::Deny, "late"),
        ("deploy", Some(u64::MAX), Effect::Deny, "late"),
        ("deploy", Some(9), Effect::RequireApproval, "default"),
        ("deploy", Some(5), Effect::Allow, "early"),
        ("deploy", None, Effect::RequireApproval, "late"),
        ("list", Some(2), Effect::Allow, "early"),
        ("list", Some(3), Effect::RequireApproval, "default"),
        ("list", Some(0), Effect::RequireApproval, "default"),
        ("list", None, Effect::RequireApproval, "default"),
    ] {
        let expected = (effect, rule.to_owned());
        assert_eq!(decide(&p, tool, turn), expected, "{tool} {turn:?}");
    }
    let not =
        "rules: [{ id: a, when: { type: tool_call, not: { turn: 1 } }, effect: allow, reason: r }]";
    let p = policy(not);
    assert_eq!(decide(&p, "x", Some(2)).0, Effect::Allow);
    assert_eq!(decide(&p, "x", Some(1)).0, Effect::RequireApproval);
    assert_eq!(decide(&p, "x", None).0, Effect::RequireApproval);
}

#[test]
fn cases_and_contexts_name_a_turn() {
    let p = policy(PACK);
    let cases = "cases:
  - { name: late, action: { type: tool_call, tool: deploy }, context: { turn: 12 }, expect: deny }
  - { name: unknown, action: { type: tool_call, tool: deploy }, expect: ask }
";
    for case in load_cases(cases).unwrap() {
        assert_eq!(case.run(&p), None, "{}", case.name);
        let again = case
            .question()
            .case(&serde_json::json!(case.expect.effect.name()));
        let again = load_cases(&format!("cases: [{again}]")).unwrap();
        assert_eq!(again[0].run(&p), None, "{}", case.name);
    }
    let context = json_context(&serde_json::json!({ "turn": 12 })).unwrap();
    assert_eq!(context.turn, Some(12));
    assert!(json_context(&serde_json::json!({ "turn": -1 })).is_err());
}

#[test]
fn ranges_that_hold_no_turn_are_mistakes() {
    for (turn, said) in [
        ("{ at_least: 3, at_most: 2 }", "no turn is in this range"),
        ("{}", "`turn` is a number"),
        ("[]", "the list is empty"),
        ("-1", "expected a whole number"),
        ("'3'", "expected a whole number"),
        ("{ at_leats: 3 }", "did you mean `at_least`?"),
    ] {
        let text =
            format!("rules: [{{ id: a, when: {{ turn: {turn} }}, effect: deny, reason: r }}]");
        let found = problems(&text);
        assert!(
            found.iter().any(|(.., why)| why.contains(said)),
            "{turn}: {found:?}"
        );
    }
}

#[test]
fn a_comparison_shows_the_turn() {
    let base = policy(PACK);
    for (old, new, turn) in [
        ("{ at_least: 10 }", "{ at_least: 11 }", 10),
        ("turn: [1, 2, 5]", "turn: [0, 1, 2, 5]", 0),
        ("{ at_least: 10 }", "{ at_least: 10, at_most: 99 }", 100),
    ] {
        let head = policy(&PACK.replace(old, new));
        let found = compare(
            &base,
            &head,
            &[],
            &Effort {
                seed: 0,
                cases: 2,
                only: Vec::new(),
            },
        );
        let weaker = found.differences.iter();
        let weaker: Vec<&Question> = weaker
            .filter(|(kind, _)| kind.is_more_permissive())
            .map(|(_, difference)| &difference.witness)
            .collect();
        assert!(found.is_proven() && !weaker.is_empty(), "{found:#?}");
        let shown = format!(", turn {turn}");
        for witness in weaker {
            assert_eq!(witness.context.turn, Some(turn), "{found:#?}");
            assert!(witness.summary().contains(&shown), "{}", witness.summary());
        }
    }
    let same = PACK.replace("[1, 2, 5]", "[5, 2, 1, 2]");
    let found = compare(
        &base,
        &policy(&same),
        &[],
        &Effort {
            seed: 0,
            cases: 2,
            only: Vec::new(),
        },
    );
    assert!(found.equivalent, "{found:#?}");
}

#[test]
fn mutants_widen_ranges() {
    let p = policy(
        "rules: [{ id: a, when: { turn: { at_least: 3, at_most: 5 } }, effect: allow, reason: r }, { id: b, when: { turn: [7, 8] }, effect: deny, reason: r }]",
    );
    let changes: Vec<String> = p.mutants().into_iter().map(|m| m.change).collect();
    for change in [
        "`turn` without its start",
        "`turn` without its end",
        "`turn` without `7`",
        "`turn` without `8`",
    ] {
        assert!(changes.iter().any(|c| c == change), "{changes:?}");
    }
}
