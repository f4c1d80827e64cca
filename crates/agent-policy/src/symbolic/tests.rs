//! The engine and the analysis are compared on actions, and the analysis on small pairs.

mod brute_force;

use super::abstraction::Vocabulary;
use super::encoding::{Encoder, PATHS};
use super::glob_order::GlobOrder;
use super::proof::{AbstractDifference, Encoded, Proof, list_all, prove};
use super::solver::Solver;
use crate::action::Action;
use crate::facts::Facts;
use crate::fuzz::{strategy, test_runner};
use crate::model::Policy;
use crate::question::Question;
use crate::{Effect, SHIPPED, load};
use proptest::strategy::{Strategy, ValueTree};
use std::sync::Arc;

fn pack(combine: &str, default: &str, rules: &[&str]) -> Policy {
    try_pack(combine, default, rules).unwrap_or_else(|| panic!("{rules:?}"))
}

fn try_pack(combine: &str, default: &str, rules: &[&str]) -> Option<Policy> {
    let rules: String = rules
        .iter()
        .enumerate()
        .map(|(n, rule)| {
            let (when, effect) = rule.rsplit_once(" → ").unwrap_or((rule, "deny"));
            format!("  - {{ id: r{n}, when: {{ {when} }}, effect: {effect}, reason: r }}\n")
        })
        .collect();
    let text = format!(
        "version: 1\nid: p\ncombine: {combine}\ndefault: {{ effect: {default}, reason: d }}\nrules:\n{rules}"
    );
    load("p", &text).ok()
}

/// Asks the engine and the formulas about the same random actions.
fn agree(policy: &Policy, seed: u64, cases: u32) {
    let mut runner = test_runner(seed, 0, cases);
    let questions = strategy::questions(policy, &[]);
    let made = (0..cases).map(|_| questions.new_tree(&mut runner).unwrap().current());
    agree_on(policy, made);
}

/// Asks the engine and the formulas about the same actions.
fn agree_on(policy: &Policy, questions: impl Iterator<Item = Question>) {
    let mut encoder = Encoder::new();
    let symbolic = Encoded::new(policy, &mut encoder);
    let decisions = symbolic.decisions(&mut encoder.formulas);
    let deciding = |rule: Option<usize>| {
        let effects = Effect::ALL.into_iter();
        let default = policy.default.effect;
        effects
            .filter(move |effect| rule.is_some() || *effect == default)
            .map(move |effect| (effect, rule))
    };
    let rules = (0..policy.rules.len()).map(Some).chain([None]);
    let decides: Vec<_> = rules
        .flat_map(deciding)
        .map(|(effect, rule)| {
            let formula = symbolic.decides(&mut encoder.formulas, rule, effect);
            ((effect, rule), formula)
        })
        .collect();
    let vocabulary = Vocabulary::new([policy]);
    let parts = encoder.part_axioms(&policy.surroundings.context().workdir);
    let globs = encoder.glob_order(&vocabulary);
    let axioms = encoder.axioms();
    let mut objects = Vec::new();
    for question in questions {
        let history = question.history();
        let request = question.context.request(&question.action, &history);
        let facts = Facts::new(
            &question.action,
            question.context.risk,
            &policy.surroundings,
        );
        let decision = policy.decide_on(&facts, &request);
        let object = vocabulary.object(&encoder.facts(), &facts, &request);
        objects.push((question.clone(), decision.effect, decision.index, object));
    }
    let mut solver = Solver::new(encoder.formulas, encoder.languages, globs);
    for (question, effect, index, object) in objects {
        assert!(
            solver.holds(axioms, &object),
            "{}: axioms don't hold: {question:#?} {object:#?}",
            policy.id
        );
        for (collection, axiom) in &parts {
            for part in object.parts.get(collection).into_iter().flatten() {
                assert!(
                    solver.holds(*axiom, part),
                    "{}: {question:#?} {part:#?}",
                    policy.id
                );
            }
        }
        for path in object.parts.get(&PATHS).into_iter().flatten() {
            assert!(solver.has_wider_globs(path), "{}: {question:#?}", policy.id);
        }
        let found = symbolic.decide(&mut solver.evaluation(&object));
        assert_eq!(
            found,
            (effect, index),
            "{}: {question:#?} {object:#?}",
            policy.id
        );
        for (decision, formula) in &decides {
            assert_eq!(
                solver.holds(*formula, &object),
                *decision == (effect, index),
                "{}: {decision:?} {question:#?}",
                policy.id
            );
        }
        for (which, formula) in Effect::ALL.into_iter().zip(decisions) {
            assert_eq!(
                solver.holds(formula, &object),
                which == effect,
                "{question:#?}"
            );
        }
    }
}

const WHENS: [&str; 36] = [
    "network: 'GET:https://good.com/*'",
    "network: ['*:https://*.good.com/*', 'POST:http://good.com:8080/x']",
    "network: 'https://evil.com'",
    "category: [write, admin, git]",
    "host: good.com",
    "host: ['*.good.com', good.com]",
    "path: { glob: 'src/**' }",
    "path: { glob: ['*.pem', '.env'], access: [write, delete] }",
    "path: { outside_workdir: false }",
    "path: { outside_workdir: true, access: [write] }",
    "path: { except: ['*.pem'], access: [write, read] }",
    "path: { glob: '/etc/**' }",
    "command: { program: [ls, cat, echo] }",
    "command: { program: 'git*', arg: ['push', '-f'] }",
    "command: { arg: ['-l', '--', src/a] }",
    "command: { arg: ['--frob', '-z'] }",
    "command: { raw: '^(ls|cat|curl)' }",
    "command: { text: [ls, 'ls *', 'cat *', 'curl *'] }",
    "command: { text: 'git push *' }",
    "command: { text: ['^(?:timeout [0-9]+ )?rm( .*)?$', 'sudo *'] }",
    "command: { text: ['* src/a', 'echo hi'], program: [cat, echo] }",
    "command: { text: '*', raw: 'src' }",
    "pattern: 'src|true'",
    "effects: [read, network]",
    "category: [execute, read]",
    "risk: low",
    "risk: medium",
    "risk: [low, high]",
    "type: shell_cmd",
    "type: [tool_call, answer]",
    "tool: ['read_*', fetch]",
    "agent: 'intern-*'",
    "production: true",
    "mode: [quick, 'ci*']",
    "turn: { at_least: 3, at_most: 5 }",
    "turn: [0, 4]",
];

/// Lines whose text says little of what runs.
const ODD_LINES: [&str; 34] = [
    "ls=x git push -f",
    "ls+=x git push",
    "ls[1 + 1]=x git push",
    "ls=(a b) git push",
    "alias ls='git push -f'\nls -l",
    "ls() { git push; }; ls",
    "git -c alias.x='!rm -r a' x",
    "git -c core.pager='git push -f' log",
    "sudo git push -f",
    "timeout 5 sh -c 'git push -f'",
    "sudo ls $(echo git push)",
    "git log $(echo git push)",
    "/usr/bin/git push -f",
    "ls/../git push -f",
    "git/log x; ls /a/..",
    "./t/../git push -f",
    "./t/a x",
    "./t/..",
    "./t/'..'/git push -f",
    "./t/a'x' b",
    "ls$'\\x2fls'",
    "./git/ls x",
    "./ls x",
    "./l's' x",
    "g'i't push -f",
    "ls'x/git' push",
    "\"git push\" -f",
    "git2 push -f",
    "GIT push -f",
    "python3.11 -c 'print(1)'",
    "bash-5.2 -c 'git push -f'",
    "find . -exec git push -f {} +",
    "ls | xargs git push -f",
    "time ls; git\tpush -f",
];

#[test]
fn the_engine_and_the_formulas_agree_on_odd_lines() {
    let policy = pack(
        "deny-overrides",
        "ask",
        &[
            "command: { program: [git, python], arg: ['-f'] } → deny",
            "command: { program: [gi, ls, bash, ./ls, ./git/ls] } → ask",
            "command: { text: ['ls*', 'git *', 'python*', 'bash*', 'sudo *', './t/*'] } → allow",
        ],
    );
    let lines = ODD_LINES.iter().map(|line| Action::shell(line));
    agree_on(&policy, lines.map(Question::plain));
}

#[test]
fn the_engine_and_the_formulas_agree() {
    for name in SHIPPED {
        agree(&load(name.name, name.text).unwrap(), 1, 60);
    }
    for text in [
        include_str!("forms/dangerous.yaml"),
        include_str!("forms/scopes.yaml"),
    ] {
        agree(&load("p", text).unwrap(), 2, 400);
    }
    let mut seed = 0;
    for combine in ["first-match", "deny-overrides"] {
        for default in ["allow", "ask", "deny"] {
            for one in WHENS {
                seed += 1;
                let other = WHENS[seed * 7 % WHENS.len()];
                let third = WHENS[seed * 11 % WHENS.len()];
                let rules = [
                    format!("any: [{{ {one} }}, {{ {other}, not: {{ {third} }} }}] → deny"),
                    format!("{other}, not: {{ {one} }} → allow"),
                    format!("{third}, max_per_hour: 2 → allow"),
                    format!("any: [{{ {other} }}, {{ all: [{{ {one} }}, {{ {third} }}] }}] → ask"),
                    format!("{one} → allow"),
                ];
                let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
                agree(&pack(combine, default, &rules), seed as u64, 12);
            }
        }
    }
}

fn differences(base: &[&str], head: &[&str]) -> Vec<AbstractDifference> {
    let [base, head] = [base, head].map(|rules| pack("first-match", "ask", rules));
    let proof = prove(&base, &head);
    assert!(
        proof.complete && proof.opaque().is_empty(),
        "{:?}",
        proof.kinds
    );
    proof.kinds
}

#[test]
fn rewritings_are_proved_equal() {
    for (base, head) in [
        (
            &["pattern: '(a|b)' → deny"][..],
            &["pattern: '[ab]' → deny"][..],
        ),
        (
            &["tool: [a, b] → deny"],
            &["tool: a → deny", "tool: b → deny"],
        ),
        (
            &["tool: 'a*' → deny", "tool: abc → deny"],
            &["tool: 'a*' → deny"],
        ),
        (
            &[
                "path: { glob: '*.pem' } → deny",
                "path: { glob: '*.key' } → deny",
            ],
            &["path: { glob: ['*.key', '*.pem'] } → deny"],
        ),
        (
            &["path: { glob: '*.{pem,key}' } → deny"],
            &["path: { glob: ['*.key', '*.pem'] } → deny"],
        ),
        (
            &["not: { not: { host: x.com } } → deny"],
            &["host: x.com → deny"],
        ),
        (
            &["risk: high → deny", "risk: high, tool: x → allow"],
            &["risk: high → deny"],
        ),
        (
            &["command: { program: '^gi[t]$' } → deny"],
            &["command: { program: git } → deny"],
        ),
        (
            &["path: { glob: './src/**' } → deny"],
            &["path: { glob: 'src/**' } → deny"],
        ),
        (
            &["path: { glob: ['src/**', src/a] } → deny"],
            &["path: { glob: 'src/**' } → deny"],
        ),
        (
            &["path: { glob: '[ab].txt' } → deny"],
            &["path: { glob: '{a,b}.txt' } → deny"],
        ),
        (
            &["path: { glob: 'a?*' } → deny"],
            &["path: { glob: 'a*?' } → deny"],
        ),
        (
            &["max_per_hour: 5, tool: x → allow"],
            &["tool: x, max_per_hour: 5 → allow"],
        ),
        (
            &["network: ['GET:https://a.test/*', 'get:https://A.test:443/x'] → deny"],
            &["network: 'GET:https://a.test/*' → deny"],
        ),
        (
            &["turn: { at_least: 2, at_most: 4 } → deny"],
            &["turn: [2, 3] → deny", "turn: 4 → deny"],
        ),
        (
            &["tool: x, not: { turn: { at_most: 4 } } → deny"],
            &["tool: x, turn: { at_least: 5 } → deny"],
        ),
        (
            &["command: { text: [git, 'git *'] } → deny"],
            &["command: { text: ['git *', git, 'git push', '^git( .*)?$'] } → deny"],
        ),
        (
            &[
                "command: { text: '*' } → deny",
                "command: { program: git } → deny",
            ],
            &[
                "command: { program: git } → deny",
                "command: { text: '*' } → deny",
            ],
        ),
    ] {
        let found = differences(base, head);
        assert!(found.is_empty(), "{base:?} {head:?}: {found:?}");
    }
}

#[test]
fn programs_and_texts_are_compared() {
    let program = ["type: shell_cmd, command: { program: curl } → deny"];
    let text = ["type: shell_cmd, command: { text: [curl, 'curl *'] } → deny"];
    let found = differences(&program, &text);
    let permissive = |kind: &AbstractDifference| kind.is_more_permissive();
    assert!(!found.iter().any(permissive), "{found:?}");
}

#[test]
fn what_becomes_more_permissive_is_found() {
    for (base, head) in [
        (
            &["pattern: '^rm' → deny"][..],
            &["pattern: '^rm$' → deny"][..],
        ),
        (&["tool: [a, b] → deny"], &["tool: a → deny"]),
        (&["tool: 'a*' → deny"], &["tool: abc → deny"]),
        (
            &[
                "path: { glob: 'src/**' } → deny",
                "path: { glob: '*.pem' } → allow",
            ],
            &[
                "path: { glob: '*.pem' } → allow",
                "path: { glob: 'src/**' } → deny",
            ],
        ),
        (
            &["max_per_hour: 5, tool: x → allow"],
            &["max_per_hour: 6, tool: x → allow"],
        ),
        (
            &["turn: { at_least: 5 } → deny"],
            &["turn: { at_least: 6 } → deny"],
        ),
        (
            &["tool: x, turn: { at_most: 9 } → allow"],
            &["tool: x → allow"],
        ),
        (
            &["network: '*:https://a.test/*' → deny"],
            &["network: 'GET:https://a.test/*' → deny"],
        ),
        (
            &["network: 'GET:https://a.test/x' → allow"],
            &["network: 'GET:https://a.test/*' → allow"],
        ),
        (&["risk: [medium, high] → deny"], &["risk: high → deny"]),
        (
            &["command: { text: ['git push', 'git push *'] } → deny"],
            &["command: { text: 'git push *' } → deny"],
        ),
        (
            &["command: { text: 'git *' } → deny"],
            &["command: { text: 'git push *' } → deny"],
        ),
    ] {
        let permissive = |kind: &AbstractDifference| kind.is_more_permissive();
        assert!(differences(base, head).iter().any(permissive), "{base:?}");
        let back = differences(head, base);
        assert!(!back.iter().all(permissive), "{head:?} {base:?}");
    }
}

#[test]
fn rules_that_never_decide_are_named() {
    use crate::RuleUse::{Dead, Decides, Unsatisfiable};
    let uses = |combine: &str, rules: &[&str]| pack(combine, "ask", rules).rule_use().rules;
    let dead = |by: &str| Dead(vec![by.to_owned()]);
    assert_eq!(
        uses(
            "first-match",
            &["tool: 'a*' → deny", "tool: abc → allow", "tool: b → deny"]
        ),
        [Decides, dead("r0"), Decides]
    );
    assert_eq!(
        uses(
            "deny-overrides",
            &["tool: abc → allow", "tool: 'a*' → deny"]
        ),
        [dead("r1"), Decides]
    );
    assert_eq!(
        uses(
            "first-match",
            &["pattern: 'ab', not: { pattern: '[a]' } → allow"]
        ),
        [Unsatisfiable]
    );
    assert_eq!(
        uses(
            "first-match",
            &[
                "risk: low → deny",
                "risk: [medium, high] → ask",
                "type: shell_cmd → deny"
            ]
        ),
        [Decides, Decides, Dead(vec!["r0".into(), "r1".into()])]
    );
    assert_eq!(
        uses(
            "first-match",
            &[
                "path: { glob: 'src/**' } → deny",
                "path: { glob: 'src/gen/*.rs', access: write } → ask",
                " → ask"
            ]
        ),
        [Decides, dead("r0"), Decides],
        "the rule that is asked first, and not one that decides where neither is sure"
    );
    let all = pack("first-match", "ask", &["risk: [low, medium, high] → deny"]);
    assert!(all.rule_use().dead_default);
    assert!(
        !pack("first-match", "ask", &["tool: x → deny"])
            .rule_use()
            .dead_default
    );
}

#[test]
fn properties_are_proved_or_refuted_with_an_action() {
    use crate::symbolic::{ProvableProperty as P, Proven};
    let holds = |policy: &Policy, property| matches!(policy.prove(property), Proven::Holds);
    let fails = |policy: &Policy, property| matches!(policy.prove(property), Proven::Fails { .. });
    let careful = pack(
        "deny-overrides",
        "ask",
        &[
            "risk: low, path: { outside_workdir: false } → allow",
            "effects: [delete] → deny",
        ],
    );
    for property in P::ALL {
        assert!(
            holds(&careful, property),
            "{property:?}: {:?}",
            careful.prove(property)
        );
    }
    let careless = pack(
        "first-match",
        "allow",
        &[
            "risk: high, tool: x → allow",
            "risk: low, agent: bot → deny",
        ],
    );
    assert!(fails(&careless, P::HumanForHigh) && fails(&careless, P::NoEscape));
    assert!(fails(&careless, P::RiskMonotone) && holds(&careless, P::Reasoned));
    // A stated risk applies to each command of a line.
    for rules in [
        &[
            "not: { risk: high } → allow",
            "risk: [medium, high] → allow",
        ][..],
        &[
            "risk: low → allow",
            "risk: high → deny",
            "risk: [medium] → allow",
        ],
    ] {
        let parts = pack("first-match", "deny", rules);
        assert!(!holds(&parts, P::RiskMonotone), "{rules:?}");
    }
    let silent = "version: 1\nid: p\ndefault: { effect: allow, reason: d }\nrules:\n  - { id: r, when: { tool: x }, effect: deny }\n";
    assert!(fails(&load("p", silent).unwrap(), P::Reasoned));
}

/// A rule that denies may be widened: what may match a glob may match each wider one.
#[test]
fn wider_globs_are_stricter_where_they_deny() {
    for (base, head) in [
        ("*.pem", "*.p*"),
        ("src/secret/**", "src/**"),
        ("src/secret", "src/"),
        ("/etc/passwd", "/etc/*"),
        ("~/.ssh/id_*", "~/.ssh/"),
    ] {
        let rules = |glob: &str| format!("path: {{ glob: '{glob}' }} → deny");
        let found = differences(&[&rules(base)], &[&rules(head)]);
        let permissive = |kind: &AbstractDifference| kind.is_more_permissive();
        assert!(!found.iter().any(permissive), "{base} → {head}");
        let back = differences(&[&rules(head)], &[&rules(base)]);
        assert!(back.iter().any(permissive), "{head} → {base}");
    }
}

/// The relation between globs holds for paths with wildcards and for trees.
#[test]
fn paths_that_may_match_a_glob_may_match_a_wider_one() {
    let globs = [
        "*.pem",
        "*.p*",
        "*",
        "**",
        "src/**",
        "src/*",
        "src",
        "src/",
        "src/a/**",
        "./src/a",
        "/etc/**",
        "/etc/*",
        "/etc/passwd",
        "/**",
        ".env",
        ".*",
        ".env*",
        "src/.env",
        "~/.ssh/",
        "a?*",
        "a*?",
        "src/**/b",
        "**/b",
    ];
    let rules: Vec<String> = globs
        .iter()
        .map(|glob| format!("path: {{ glob: '{glob}' }} → deny"))
        .collect();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let policy = pack("first-match", "ask", &rules);
    let mut encoder = Encoder::new();
    let _symbolic = Encoded::new(&policy, &mut encoder);
    let vocabulary = Vocabulary::new([&policy]);
    let parts = encoder.part_axioms(&policy.surroundings.context().workdir);
    let globs = encoder.glob_order(&vocabulary);
    let of = encoder.facts();
    let mut solver = Solver::new(encoder.formulas, encoder.languages, globs);
    let mut paths = 0;
    for path in [
        "*",
        "s*",
        "src/*",
        "src/*/b",
        "*/a",
        "s?c/a",
        ".*",
        ".e*",
        "*.p*",
        "/etc/*",
        "/e*/passwd",
        "/*",
        "~/.ssh/*",
        "src",
        ".",
        "/",
        "/etc",
        "~",
        "a",
        "a*",
        "*a",
        "src/a",
        "src/a/*",
    ] {
        for command in ["cat", "rm -r", "mv", "touch"] {
            let action = Action::shell(&format!("{command} {path} x"));
            let history = crate::History::default();
            let request = crate::Request::new(&action, &history);
            let facts = Facts::new(&action, None, &policy.surroundings);
            let object = vocabulary.object(&of, &facts, &request);
            for (collection, axiom) in &parts {
                for part in object.parts.get(collection).into_iter().flatten() {
                    paths += 1;
                    assert!(solver.holds(*axiom, part), "{command} {path}: {part:#?}");
                    assert!(solver.has_wider_globs(part), "{command} {path}: {part:#?}");
                }
            }
        }
    }
    assert!(paths > 150, "{paths}");
}

/// A large change ends at a bound on kinds. Each changed rule is listed, or named as having more.
#[test]
fn a_change_beyond_the_bounds_names_its_rules() {
    let rules = |key: &str, effect: &str| -> Vec<String> {
        let all = 0..16;
        all.map(|n| format!("{key}: {key}{n} → {effect}")).collect()
    };
    let pack = |rules: Vec<String>| {
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        pack("first-match", "ask", &rules)
    };
    let (base, head) = (pack(rules("tool", "deny")), pack(rules("agent", "allow")));
    let proof = prove(&base, &head);
    let permissive = proof.kinds.iter().filter(|kind| kind.is_more_permissive());
    let mut listed: Vec<Option<usize>> = permissive
        .flat_map(|kind| [kind.base_rule, kind.head_rule.map(|at| at + 16)])
        .collect();
    listed.sort_unstable();
    listed.dedup();
    assert_eq!(listed.iter().flatten().count(), 32, "{listed:?}");
    assert!(!proof.complete && !proof.further.is_empty());
    let back = prove(&head, &base);
    assert!(back.complete || !back.further.is_empty());
    let same = prove(&base, &base);
    assert!(same.complete && same.stricter_complete && same.further.is_empty());
}

/// Rules about other paths than a change are excluded at once, not one after the other.
#[test]
fn rules_about_other_paths_take_little_work() {
    let rules = |changed: &str| -> Policy {
        let all = (0..120).map(|n| {
            let below = if n % 24 == 0 { changed } else { "" };
            let effect = ["allow", "deny", "ask"][n % 3];
            format!("path: {{ glob: 'dir{n}/{below}**' }} → {effect}")
        });
        let rules: Vec<String> = all.collect();
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        pack("first-match", "ask", &rules)
    };
    let (base, head) = (rules(""), rules("sub/"));
    let proof = prove(&base, &head);
    assert!(proof.complete && proof.kinds.iter().all(|kind| !kind.is_more_permissive()));
    let mut changed: Vec<usize> = (proof.kinds.iter())
        .filter_map(|kind| kind.base_rule)
        .collect();
    changed.sort_unstable();
    changed.dedup();
    assert_eq!(changed, [0, 24, 48, 72, 96]);
    // One after the other, it takes 27 million steps.
    let work = proof.work();
    assert!(work < 20_000_000, "{work}");
    let back = prove(&head, &base);
    let permissive = back.kinds.iter().filter(|kind| kind.is_more_permissive());
    let mut found: Vec<usize> = permissive.filter_map(|kind| kind.head_rule).collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, changed, "{} {}", back.kinds.len(), back.complete);
}

/// Where the work ends before any kind is listed, each rule that changed is named.
#[test]
fn a_change_beyond_the_bound_on_work_names_its_rules() {
    let pack = |effect: &str| {
        let rules = [
            "path: { glob: ['a/**', 'b/**'] } → deny".to_owned(),
            format!("tool: x → {effect}"),
            format!("pattern: '[a-z]+x' → {effect}"),
        ];
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        pack("first-match", "ask", &rules)
    };
    let (base, head) = (pack("deny"), pack("allow"));
    let proof = Proof::begin(&base, &head, Arc::default());
    proof.tire();
    let proof = list_all(proof, &base, &head);
    assert!(!proof.complete && !proof.stricter_complete && proof.kinds.is_empty());
    assert_eq!(Vec::from_iter(&proof.further), ["r1", "r2"]);
    assert!(prove(&base, &head).complete);
}

/// Where the work ends, nothing counts as proved.
#[test]
fn beyond_the_bounds_on_work_nothing_is_proved() {
    use super::language::{Languages, Pattern};
    use super::solver::Answer;
    let pattern = |regex: &str| Pattern {
        regex: regex.to_owned(),
        ignore_case: false,
        unicode: false,
    };
    let mut full = Languages::default();
    full.fill();
    let language = full.of(pattern("^a$"));
    assert!(!full.is_known(language));
    let mut encoder = Encoder::new();
    let one = encoder.languages.of(pattern("^a$"));
    let other = encoder.languages.of(pattern("^b$"));
    let [one, other] = [one, other].map(|language| encoder.text(0, language));
    let both = encoder.all([one, other]);
    encoder.languages.tire();
    let (mut solver, _) = encoder.into_solver(Vec::new(), GlobOrder::default());
    assert_eq!(solver.solve(both), Answer::Unknown);
}
