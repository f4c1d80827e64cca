//! Measures decisions with a pack of fifty rules, and comparisons of policies.

#![allow(clippy::unwrap_used, reason = "a benchmark may panic")]

use agent_policy::{Action, Effect, Effort, History, Policy, Request, compare, load};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use std::hint::black_box;

/// Returns fifty rules like those of a team: tools and programs by name, paths, hosts, patterns,
/// effects. The first rules don't decide the frequent questions.
fn pack() -> Policy {
    let mut text = String::from(
        "version: 1\nid: fifty\ncombine: deny-overrides\ndefault: { effect: require_approval, reason: nothing matched }\nrules:\n",
    );
    let mut rule = |id: &str, when: &str, effect: &str| {
        text.push_str(&format!(
            "  - {{ id: {id}, when: {{ {when} }}, effect: {effect}, reason: {id} }}\n"
        ));
    };
    for n in 0..12 {
        rule(
            &format!("program-{n}"),
            &format!("command: {{ program: [tool{n}, 'helper{n}*'], arg: ['--force{n}'] }}"),
            "deny",
        );
    }
    for n in 0..12 {
        rule(
            &format!("tool-{n}"),
            &format!("tool: ['mcp__server{n}__*', 'old_tool_{n}']"),
            "deny",
        );
    }
    for n in 0..10 {
        rule(
            &format!("path-{n}"),
            &format!("path: {{ glob: ['vault{n}/**', '*.secret{n}'] }}"),
            "deny",
        );
    }
    for n in 0..6 {
        rule(
            &format!("host-{n}"),
            &format!("host: ['*.internal{n}.example']"),
            "deny",
        );
    }
    for n in 0..5 {
        rule(
            &format!("pattern-{n}"),
            &format!("type: shell_cmd, pattern: 'forbidden-?{n}'"),
            "deny",
        );
    }
    rule(
        "outside",
        "effects: [write, delete], path: { outside_workdir: true }",
        "deny",
    );
    rule("rights", "effects: [privilege, system, credential]", "deny");
    rule(
        "production",
        "production: true, risk: { at_least: medium }",
        "deny",
    );
    rule(
        "looks-tool",
        "type: tool_call, category: [read], risk: low",
        "allow",
    );
    rule(
        "looks-shell",
        "type: shell_cmd, effects: [read, git_read], risk: low",
        "allow",
    );
    load("fifty", &text).unwrap()
}

fn decisions(c: &mut Criterion) {
    let policy = pack();
    assert_eq!(policy.rules.len(), 50);
    let calls: Vec<Action> = (0..1000)
        .map(|n| {
            Action::call(
                "read_file",
                json!({ "path": format!("src/module_{}/file_{n}.ts", n % 7) }),
            )
        })
        .collect();
    let lines = [
        "git status --short",
        "ls -la src",
        "cat README.md | head -20",
        "grep -rn TODO src",
        "cargo test --lib policy",
        "rg -n 'fn main' src | wc -l",
    ];
    let shell: Vec<Action> = lines
        .iter()
        .cycle()
        .take(1000)
        .zip(0..)
        .map(|(line, n)| Action::shell(&format!("{line} # {n}")))
        .collect();
    let history = History::default();
    let ask = |actions: &[Action]| {
        actions
            .iter()
            .filter(|a| policy.decide(&Request::new(a, &history)).effect == Effect::Allow)
            .count()
    };
    assert_eq!(ask(&calls), 1000);
    assert!(ask(&shell) > 800);
    let mut group = c.benchmark_group("decisions");
    group.throughput(Throughput::Elements(1000));
    group.sample_size(20);
    group.bench_function("tool calls", |b| b.iter(|| ask(black_box(&calls))));
    group.bench_function("shell commands, parsing included", |b| {
        b.iter(|| ask(black_box(&shell)));
    });
    group.finish();
}

/// Programs of the table, and options that some of them have.
const PROGRAMS: [&str; 12] = [
    "git",
    "docker",
    "npm",
    "cargo",
    "kubectl",
    "rm",
    "make",
    "pip",
    "systemctl",
    "terraform",
    "rsync",
    "ssh",
];
const OPTIONS: [&str; 10] = [
    "-f", "--force", "-r", "--all", "--delete", "-v", "--yes", "--quiet", "--prune", "-a",
];

/// Returns the condition of a rule about names, paths, hosts and patterns of its own. A changed one
/// is about others.
fn plain_condition(n: usize, changed: bool) -> String {
    let x = if changed { "x" } else { "" };
    match n % 5 {
        0 => format!("command: {{ program: [tool{n}{x}, 'helper{n}*'], arg: ['--force{n}'] }}"),
        1 => format!("tool: ['mcp__server{n}{x}__*', 'old_tool_{n}']"),
        2 => format!("path: {{ glob: ['vault{n}{x}/**', '*.secret{n}'] }}"),
        3 => format!("host: ['*.internal{n}{x}.example']"),
        _ => format!("type: shell_cmd, pattern: 'forbidden-?{n}{x}'"),
    }
}

fn pick<'w>(words: &[&'w str], n: usize) -> &'w str {
    words.iter().cycle().nth(n).unwrap()
}

/// Returns the condition of a rule about options of a program of the table.
fn option_condition(n: usize, changed: bool) -> String {
    let program = pick(&PROGRAMS, 7 * n);
    let (one, other) = (pick(&OPTIONS, n + n / 12), pick(&OPTIONS, 3 * n + 1));
    let x = if changed { "x" } else { "" };
    format!("command: {{ program: {program}, arg: ['{one}', '{other}{x}'] }}")
}

/// Returns a policy of some rules, of which ten are changed if wished.
fn policy(rules: usize, changed: bool, condition: fn(usize, bool) -> String) -> Policy {
    let mut text = String::from(
        "version: 1\nid: some\ncombine: deny-overrides\ndefault: { effect: require_approval, reason: nothing matched }\nrules:\n",
    );
    for n in 0..rules {
        let when = condition(n, changed && n % (rules / 10) == 0);
        let effect = pick(&["deny", "require_approval", "allow"], n);
        text.push_str(&format!(
            "  - {{ id: r{n}, when: {{ {when} }}, effect: {effect}, reason: r{n} }}\n"
        ));
    }
    load("some", &text).unwrap()
}

fn comparisons(c: &mut Criterion) {
    let effort = Effort {
        seed: 0,
        cases: 0,
        only: Vec::new(),
    };
    let mut group = c.benchmark_group("comparisons, ten rules changed");
    group.sample_size(10);
    for (name, condition) in [
        ("plain", plain_condition as fn(usize, bool) -> String),
        ("options", option_condition),
    ] {
        for rules in [50, 300] {
            let [base, head] = [false, true].map(|changed| policy(rules, changed, condition));
            assert!(!compare(&base, &head, &[], &effort).differences.is_empty());
            group.bench_function(format!("{rules} rules, {name}"), |b| {
                b.iter(|| compare(black_box(&base), &head, &[], &effort));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, decisions, comparisons);
criterion_main!(benches);
