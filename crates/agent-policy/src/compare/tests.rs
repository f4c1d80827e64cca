use super::*;
use crate::load;

fn pack(combine: &str, rules: &[&str]) -> Policy {
    let rules: String = rules
        .iter()
        .map(|rule| format!("  - {{ {rule}, reason: r }}\n"))
        .collect();
    let text = format!(
        "version: 1\nid: p\ncombine: {combine}\ndefault: {{ effect: allow, reason: d }}\nrules:\n{rules}"
    );
    load("p", &text).unwrap_or_else(|p| panic!("{text}: {p:#?}"))
}

fn compared(base: &Policy, head: &Policy) -> Comparison {
    compare(
        base,
        head,
        &[],
        &Effort {
            seed: 0,
            cases: 40,
            only: Vec::new(),
        },
    )
}

const REST: &str = "id: rest, when: { tool: never_called }, effect: deny";

#[test]
fn a_rule_that_is_gone_is_missed_whatever_it_is_about() {
    for when in [
        "production: true, not: { category: [read] }",
        "agent: 'intern-*'",
        "mode: autonomous",
        "risk: high",
        "tool: '^mcp__(github|jira)__delete_.*$'",
        "pattern: 'xyzzy-[0-9]{4}-plugh'",
        "command: { raw: 'frob(ni|nu)cate --[a-z]+-now' }",
        "type: answer, pattern: 'confidential'",
        "type: code_diff, path: { glob: 'migrations/**', access: delete }",
        "type: tool_call, agent: [nightly, 'ci-*'], path: { glob: 'infra/**/prod.tf' }",
        "type: shell_cmd, host: '*.internal.example', path: { glob: 'out/**' }, production: true",
        "effects: [git_rewrite], mode: review, agent: bot",
        "any: [{ tool: Deploy }, { command: { program: deployctl, arg: '--now' } }]",
        "all: [{ type: shell_cmd }, { any: [{ host: a.example }, { host: b.example }] }, { pattern: 'wget' }]",
    ] {
        let base = pack(
            "deny-overrides",
            &[&format!("id: gone, when: {{ {when} }}, effect: deny"), REST],
        );
        let found = compared(&base, &pack("deny-overrides", &[REST]));
        let kinds: Vec<_> = found
            .differences
            .keys()
            .filter(|k| k.is_more_permissive() && k.base_rule == "gone")
            .collect();
        assert!(
            !kinds.is_empty() && found.unproven.is_empty(),
            "{when}: {:?}",
            found.unproven
        );
        for (kind, difference) in &found.differences {
            let question = &difference.witness;
            let case = format!("cases: [{}]", question.case(&kind.base.name().into()));
            let read = crate::load_cases(&case).unwrap_or_else(|p| panic!("{case}: {p:#?}"));
            assert!(
                read[0].run(&base).is_none(),
                "the witness is a case that passes before: {case}"
            );
        }
    }
}

#[test]
fn alternatives_that_are_gone_are_missed() {
    for (old, new) in [
        (
            "tool: ['mcp__a__*', '^mcp__(b|c)__drop_[a-z]+$']",
            "tool: ['mcp__a__*', '^mcp__b__drop_[a-z]+$']",
        ),
        (
            "command: { raw: 'rm -(r|f)+ /data|mkfs' }",
            "command: { raw: 'mkfs' }",
        ),
        (
            "path: { glob: ['src/**', 'migrations/**'] }",
            "path: { glob: 'src/**' }",
        ),
        ("agent: [a, b]", "agent: [a]"),
        ("risk: { at_least: medium }", "risk: high"),
    ] {
        let rule = |when: &str| {
            pack(
                "deny-overrides",
                &[&format!("id: a, when: {{ {when} }}, effect: deny"), REST],
            )
        };
        let found = compared(&rule(old), &rule(new));
        assert!(
            found
                .differences
                .keys()
                .any(DifferenceKind::is_more_permissive),
            "{old} → {new}: {:?}",
            found.unproven
        );
    }
}

#[test]
fn requests_that_are_newly_allowed_are_shown() {
    let shown = |old: &str, new: &str, effect: &str| {
        let rule = |when: &str| {
            let rule = format!("id: a, when: {{ {when} }}, effect: {effect}");
            let rest = "id: z, effect: require_approval";
            pack("first-match", &[&rule, rest])
        };
        let found = compared(&rule(old), &rule(new));
        assert!(
            found.unproven.is_empty(),
            "{old} → {new}: {:?}",
            found.unproven
        );
        let permissive = found.differences.iter();
        let permissive = permissive.filter(|(kind, _)| kind.is_more_permissive());
        permissive
            .map(|(_, shown)| shown.witness.action.payload.to_string())
            .collect::<Vec<_>>()
    };
    for (old, new, effect, wanted) in [
        (
            "network: 'GET:https://api.test/*'",
            "network: '*:https://api.test/*'",
            "allow",
            "curl -X POST https://api.test/",
        ),
        (
            "network: 'DELETE:*://api.test/*'",
            "network: 'DELETE:https://api.test/*'",
            "deny",
            "curl -X DELETE http://api.test/",
        ),
        (
            "network: 'GET:https://api.test/a'",
            "network: 'GET:https://api.test:8443/a'",
            "allow",
            "curl https://api.test:8443/a",
        ),
    ] {
        let shown = shown(old, new, effect);
        assert!(shown.iter().any(|s| s.contains(wanted)), "{new}: {shown:?}");
    }
}

#[test]
fn limits_are_asked_about_at_and_around_them() {
    for (old, new) in [
        ("max_per_minute: 30", "max_per_minute: 30000"),
        ("max_per_hour: 60", "max_per_minute: 60"),
        ("max_per_minute: 7, max_per_hour: 70", "max_per_minute: 7"),
        ("max_per_execution: 3", "max_per_hour: 3"),
        ("max_per_execution: 2000", "max_per_execution: 2001"),
    ] {
        let rule = |limit: &str| {
            pack(
                "deny-overrides",
                &[&format!(
                    "id: a, when: {{ type: shell_cmd, {limit} }}, effect: allow"
                )],
            )
        };
        let found = compared(&rule(old), &rule(new));
        assert!(
            found
                .differences
                .keys()
                .any(DifferenceKind::is_more_permissive),
            "{old} → {new}"
        );
        assert!(
            !compared(&rule(new), &rule(old))
                .differences
                .keys()
                .any(DifferenceKind::is_more_permissive),
            "{new} → {old}"
        );
    }
}

#[test]
fn a_milder_rule_that_comes_first_is_found() {
    let order = |stops: &str, allows: &str| {
        let (stops, allows) = (
            format!("id: stops, when: {{ {stops} }}, effect: deny"),
            format!("id: allows, when: {{ {allows} }}, effect: allow"),
        );
        compared(
            &pack("first-match", &[&stops, &allows]),
            &pack("first-match", &[&allows, &stops]),
        )
    };
    for (stops, allows) in [
        ("pattern: 'tenant-4711'", "tool: 'mcp__crm__get_*'"),
        ("path: { glob: '*.pem' }", "path: { glob: 'src/**' }"),
        ("path: { glob: '/etc/**' }", "command: { program: cat }"),
        (
            "host: '*.evil.example'",
            "command: { program: curl }, effects: [network]",
        ),
        (
            "pattern: 'aa-[0-9]{5}'",
            "type: tool_call, pattern: 'bb-[a-z]{5}'",
        ),
        (
            "agent: 'intern-*', tool: 'mcp__db__*'",
            "tool: 'mcp__db__read', mode: quick",
        ),
    ] {
        let found = order(stops, allows);
        let shown = |k: &DifferenceKind| {
            k.is_more_permissive() && k.base_rule == "stops" && k.head_rule == "allows"
        };
        assert!(
            found.differences.keys().any(shown),
            "{stops}; {allows}: {:?}",
            found.unproven
        );
        assert!(found.unproven.is_empty(), "{:?}", found.unproven);
    }
    let none = "pattern: 'aa', not: { pattern: 'a' }";
    assert!(
        order(none, "tool: x").unproven.is_empty(),
        "no action is both"
    );
    assert!(
        order("type: shell_cmd", "tool: x").unproven.is_empty(),
        "no action is both"
    );
}

#[test]
fn a_stricter_place_clears_no_milder_one() {
    let raw = "command: { raw: 'curl [^;|&]*--tag=[0-9]{4}( |$)' }";
    let old = |odd: &str| {
        format!("id: d, when: {{ any: [{{ {odd} }}, {{ tool: send }}] }}, effect: deny")
    };
    let new = pack(
        "deny-overrides",
        &["id: d, when: { tool: [send, forward] }, effect: deny"],
    );
    let found = compared(
        &pack(
            "deny-overrides",
            &[&old(&format!("host: evil.example, {raw}"))],
        ),
        &new,
    );
    assert!(
        found
            .differences
            .keys()
            .any(DifferenceKind::is_more_permissive),
        "{:?}",
        found.unproven
    );
    let found = compared(
        &pack(
            "deny-overrides",
            &[&old("command: { program: rm, raw: '^ls$' }")],
        ),
        &new,
    );
    assert!(
        found.differences.keys().all(|k| !k.is_more_permissive()) && !found.differences.is_empty()
    );
    let doubts: Vec<&str> = found.unproven.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(doubts, ["rules `d` and `default`"]);
    // Allowing more than before has to show too.
    let allow = |also: &str| {
        let when = format!(
            "host: good.example, not: {{ command: {{ program: [curl, ssh, scp] }} }}{also}"
        );
        pack(
            "first-match",
            &[
                &format!("id: a, when: {{ {when} }}, effect: allow"),
                "id: rest, effect: ask",
            ],
        )
    };
    let found = compared(&allow(""), &allow(", path: { glob: '/**' }"));
    assert!(
        !found.unproven.is_empty()
            || found
                .differences
                .keys()
                .any(DifferenceKind::is_more_permissive)
    );
}

#[test]
fn what_was_not_shown_is_said() {
    // The analysis doesn't know that a line with `rm` isn't `ls`.
    let odd = "id: odd, when: { command: { program: rm, raw: '^ls$' } }, effect: deny";
    let found = compared(
        &pack("deny-overrides", &[odd, REST]),
        &pack("deny-overrides", &[REST]),
    );
    let doubts: Vec<&str> = found.unproven.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(doubts, ["rules `odd` and `default`"]);
    assert!(!found.is_proven());
    // Under another name nothing is lost, and a stricter rule is none that was weakened.
    let one = pack(
        "deny-overrides",
        &["id: a, when: { tool: x }, effect: ask", REST],
    );
    let other = pack(
        "deny-overrides",
        &["id: b, when: { tool: [x, y] }, effect: deny", REST],
    );
    assert!(compared(&one, &other).unproven.is_empty());
    let same = compared(&one, &one);
    assert!(same.unproven.is_empty() && same.differences.is_empty() && same.targeted == 0);
}

#[test]
fn spellings_of_options_are_compared_by_the_table_of_programs() {
    let rule = |test: &str| {
        let rule = format!("id: g, when: {{ command: {{ {test} }} }}, effect: deny");
        pack("deny-overrides", &[&rule])
    };
    let both = rule("program: npm, arg: ['-f', '--force']");
    let long = rule("program: npm, arg: '--force'");
    assert!(compared(&both, &long).equivalent, "npm lists them together");
    for (old, new, shown) in [
        (
            "program: git, arg: '--force'",
            "program: git, arg: '--force-with-lease'",
            "git pull -f",
        ),
        (
            "program: docker, arg: '-f'",
            "program: docker, arg: '--force'",
            "docker logs -f web",
        ),
        (
            "program: [git, npm], arg: '--force'",
            "program: git, arg: '--force'",
            "npm --force",
        ),
        (
            "program: deployctl, arg: '--now'",
            "program: deployctl, arg: '--later'",
            "deployctl --now",
        ),
        (
            "program: rm, arg: '-rf'",
            "program: rm, arg: '-x'",
            "rm -rf build",
        ),
    ] {
        let found = compared(&rule(old), &rule(new));
        assert!(found.unproven.is_empty(), "{old}: {:?}", found.unproven);
        let mut allowed = found.differences.iter();
        let witness =
            allowed.find(|(kind, _)| (kind.base, kind.head) == (Effect::Deny, Effect::Allow));
        let line = witness.and_then(|(_, shown)| shown.witness.action.command().map(str::to_owned));
        assert_eq!(line.as_deref(), Some(shown), "{old}");
    }
}

#[test]
fn programs_that_are_not_listed_may_be_functions() {
    let rule = |rest: &str| {
        let rules = [
            "id: rm, when: { command: { program: rm } }, effect: deny",
            rest,
        ];
        pack("deny-overrides", &rules)
    };
    let allow = "id: own, when: { command: { program: deployctl, arg: '-x' } }, effect: allow";
    let ask = "id: all, when: { type: shell_cmd }, effect: ask";
    let found = compared(
        &rule(ask),
        &rule(&format!("{allow}, reason: r }}\n  - {{ {ask}")),
    );
    assert!(found.unproven.is_empty(), "{:?}", found.unproven);
}
