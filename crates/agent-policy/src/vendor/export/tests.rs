use super::{Export, export};
use crate::vendor::VendorFormat;
use crate::{Effort, load};

fn exported(pack: &str, format: VendorFormat) -> Export {
    let policy = load("p", pack).unwrap_or_else(|e| panic!("{e:?}"));
    let effort = Effort {
        seed: 0,
        cases: 20,
        only: Vec::new(),
    };
    export(&policy, format, &effort).unwrap().unwrap()
}

/// What is more permissive, and what isn't proved.
fn excess(made: &Export) -> String {
    let kinds = made.comparison.differences.iter();
    let kinds = kinds.filter(|(kind, _)| kind.is_more_permissive());
    let kinds: Vec<_> = kinds.collect();
    format!("{kinds:?}\n{:?}", made.comparison.unproven)
}

/// Imports a file, and exports the pack.
fn round(format: VendorFormat, text: &str) -> Export {
    let pack = format.translate("p", text).unwrap().yaml();
    exported(&pack, format)
}

fn pack(default: &str, rules: &[&str]) -> String {
    let rules: String = rules
        .iter()
        .map(|rule| format!("  - {{ {rule}, reason: r }}\n"))
        .collect();
    format!(
        "version: 1\nid: p\ncombine: deny-overrides\ndefault: {{ effect: {default}, reason: d }}\n\
         rules:\n{rules}"
    )
}

#[test]
fn settings_of_claude_code_come_back_alike() {
    let text = include_str!("tests/settings.json");
    let made = round(VendorFormat::Claude, text);
    assert!(made.comparison.equivalent, "{}\n{:?}", made.text, made.lost);
    assert!(made.lost.is_empty() && made.not_compared.is_none());
    assert_eq!(made.text, text);
}

#[test]
fn rules_of_codex_come_back_alike() {
    let text = include_str!("tests/team.rules");
    let made = round(VendorFormat::Codex, text);
    assert!(made.comparison.equivalent, "{}\n{:?}", made.text, made.lost);
    assert_eq!(made.text, text);
}

#[test]
fn what_claude_code_allows_by_itself_is_taken_back() {
    let rule = "id: tests, when: { command: { text: ['npm test', 'npm test *'] } }, effect: allow";
    let made = exported(&pack("require_approval", &[rule]), VendorFormat::Claude);
    assert!(made.is_proven(), "{}\n{}", made.text, excess(&made));
    for text in [
        "Bash(npm test *)",
        "Bash(ls *)",
        "Bash(timeout *)",
        "Task",
        "Read",
    ] {
        assert!(made.text.contains(&format!("\"{text}\"")), "{}", made.text);
    }
    assert!(!made.text.contains("\"Bash\""), "{}", made.text);
}

#[test]
fn what_codex_cannot_deny_is_refuted() {
    let rules = ["id: keys, when: { path: { glob: '*.pem' } }, effect: deny"];
    let made = exported(&pack("require_approval", &rules), VendorFormat::Codex);
    assert!(made.is_refuted() && !made.is_proven());
    let lost: Vec<&str> = made.lost.iter().map(|loss| loss.rule.as_str()).collect();
    assert_eq!(lost, ["keys"]);
    let made = exported(&pack("deny", &rules), VendorFormat::Codex);
    assert!(made.is_refuted());
    // Once a limit is used up, its rule denies.
    let rule = "id: x, when: { command: { text: [a, 'a *'] }, max_per_minute: 3 }, effect: allow";
    let made = exported(&pack("require_approval", &[rule]), VendorFormat::Codex);
    assert!(made.is_refuted() && made.text.is_empty(), "{}", made.text);
}

#[test]
fn permissions_that_overlap_what_is_forbidden_are_left_out() {
    let rules = [
        "id: all, when: { command: { text: [git, 'git *'] } }, effect: allow",
        "id: make, when: { command: { text: [make, 'make *'] } }, effect: allow",
        "id: risky, when: { command: { text: 'git *' }, risk: high }, effect: require_approval",
        "id: exact, when: { command: { text: 'npm ci' } }, effect: allow",
    ];
    let made = exported(&pack("require_approval", &rules), VendorFormat::Codex);
    assert!(made.is_proven(), "{}\n{}", made.text, excess(&made));
    assert!(made.text.contains("\"make\""), "{}", made.text);
    assert!(!made.text.contains("\"npm\""), "{}", made.text);
    let lost: Vec<&str> = made.lost.iter().map(|loss| loss.rule.as_str()).collect();
    for id in ["risky", "exact"] {
        assert!(lost.contains(&id), "{lost:?}");
    }
}

#[test]
fn what_a_policy_says_besides_its_decisions_is_lost() {
    let rule = "id: make, when: { command: { text: [make, 'make *'] } }, effect: allow";
    let mut text = pack("require_approval", &[rule]);
    text.push_str(
        "properties:\n  - { id: own, for_all: { effects: [delete] }, effect: require_approval }\n",
    );
    let made = exported(&text, VendorFormat::Codex);
    let lost: Vec<(&str, u32)> = made.lost.iter().map(|l| (&*l.rule, l.at.line)).collect();
    assert!(lost.contains(&("own", 8)), "{lost:?}");
    let scopes = "version: 1\nid: p\nmeta: { mode: monitor }\nscopes: [{ id: s, allow: [a] }]\n";
    let made = exported(scopes, VendorFormat::Claude);
    assert!(
        made.lost.iter().any(|loss| loss.rule == "mode"),
        "{:?}",
        made.lost
    );
}

#[test]
fn hostile_texts_are_escaped() {
    let rule = "id: \"a\\u202eb\", when: { command: { text: [\"rm \\u001b[2J\\u202e\\\"\\\\\"] } }, effect: deny";
    let made = exported(&pack("require_approval", &[rule]), VendorFormat::Codex);
    assert!(!made.text.contains(['\u{1b}', '\u{202e}']), "{}", made.text);
    assert!(
        made.text.contains(r#"\U0000001b[2J\U0000202e\"\\"#),
        "{}",
        made.text
    );
    assert!(made.is_proven(), "{}", made.text);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn words() -> impl Strategy<Value = Vec<&'static str>> {
        prop::collection::vec(prop::sample::select(vec!["git", "push", "a", "-f"]), 1..3)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn rules_of_codex_never_become_more_permissive(
            rules in prop::collection::vec((0..3_usize, words()), 0..4)
        ) {
            let text: String = rules.iter().map(|(effect, tokens)| {
                let word = ["allow", "prompt", "forbidden"][*effect];
                format!("prefix_rule(pattern = {tokens:?}, decision = {word:?})\n")
            }).collect();
            let made = round(VendorFormat::Codex, &text);
            prop_assert!(made.comparison.equivalent, "{}\n{}", text, made.text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3))]

        #[test]
        fn settings_of_claude_code_never_become_more_permissive(
            rules in prop::collection::vec((0..3_usize, words(), any::<bool>()), 0..3),
            mode in prop::sample::select(vec!["default", "acceptEdits", "dontAsk"]),
        ) {
            let mut lists = [("allow", Vec::new()), ("ask", Vec::new()), ("deny", Vec::new())];
            for (effect, words, exact) in &rules {
                let spec = words.join(" ");
                lists[*effect].1.push(if *exact {
                    format!("Bash({spec})")
                } else {
                    format!("Bash({spec} *)")
                });
            }
            let members = lists.iter().map(|(name, list)| {
                ((*name).to_owned(), serde_json::json!(list))
            });
            let mut members: serde_json::Map<_, _> = members.collect();
            members.insert("defaultMode".to_owned(), mode.into());
            let text = serde_json::json!({ "permissions": members }).to_string();
            let made = round(VendorFormat::Claude, &text);
            prop_assert!(made.is_proven(), "{}\n{}", text, made.text);
            prop_assert!(made.comparison.equivalent, "{}\n{}", text, made.text);
        }
    }
}
