//! Policies in the forms of the described systems.

use super::{decide, policy, shell};
use crate::{Action, Effect, Form, History, Policy, Request, load};
use serde_json::json;

fn call(policy: &Policy, tool: &str) -> Effect {
    decide(policy, &Action::call(tool, json!({}))).0
}

fn problems(text: &str) -> Vec<(u32, String)> {
    let problems = load("p", text).unwrap_err().into_iter();
    problems.map(|p| (p.at.line, p.message)).collect()
}

fn in_mode(policy: &Policy, mode: &str, command: &str) -> Effect {
    let (action, history) = (Action::shell(command), History::default());
    let request = Request {
        mode: Some(mode),
        ..Request::new(&action, &history)
    };
    policy.decide(&request).effect
}

#[test]
fn removing_is_administration_and_a_change() {
    let levels = |write: &str, admin: &str| {
        policy(&format!(
            "categoryDefaults: {{read: auto, write: {write}, admin: {admin}}}\n"
        ))
    };
    for tool in ["delete_user", "drop_table", "remove_file", "fs_delete_item"] {
        assert_eq!(call(&levels("auto", "deny"), tool), Effect::Deny, "{tool}");
        assert_eq!(call(&levels("deny", "auto"), tool), Effect::Deny, "{tool}");
        assert_eq!(call(&levels("auto", "auto"), tool), Effect::Allow, "{tool}");
        let asked = call(&levels("auto", "confirm"), tool);
        assert_eq!(asked, Effect::RequireApproval, "{tool}");
        // A rule about writing that forbids still forbids removing.
        let pack = concat!(
            "version: 1\n",
            "id: p\n",
            "default: allow\n",
            "rules: [{id: r, when: {category: write}, effect: deny, reason: r}]\n"
        );
        assert_eq!(call(&policy(pack), tool), Effect::Deny, "{tool}");
    }
    let write = levels("auto", "deny");
    let touch = Action::call("write_file", json!({"path": "a"}));
    assert_eq!(decide(&write, &touch).0, Effect::Allow);
}

#[test]
fn reading_a_repository_is_automatic_and_changing_it_is_confirmed() {
    let unset = policy("categoryDefaults: {read: auto, write: auto}\n");
    for (tool, effect) in [
        ("git_show", Effect::Allow),
        ("mcp__git__git_log", Effect::Allow),
        ("git_commit", Effect::RequireApproval),
        ("git_push", Effect::RequireApproval),
    ] {
        assert_eq!(call(&unset, tool), effect, "{tool}");
    }
    let of_file = Action::call("git_show", json!({"path": "src/a"}));
    assert_eq!(
        decide(&unset, &of_file),
        (Effect::Allow, "category-git-read".into())
    );
    let strict = policy("categoryDefaults: {read: confirm}\n");
    assert_eq!(decide(&strict, &of_file).0, Effect::RequireApproval);
    let word = policy("categoryDefaults: {git: confirm}\n");
    assert_eq!(call(&word, "git_show"), Effect::RequireApproval);
    let parts = policy("categoryDefaults: {git: {read: confirm, write: deny}}\n");
    assert_eq!(call(&parts, "git_show"), Effect::RequireApproval);
    assert_eq!(call(&parts, "git_commit"), Effect::Deny);
    let wrong = problems("categoryDefaults: {git: {reads: auto}}\n");
    assert!(wrong[0].1.contains("`git` has no key `reads`"), "{wrong:?}");
}

#[test]
fn a_block_may_be_bare_or_wrapped_and_hold_only_its_default() {
    for text in [
        "{\"enabled\": true, \"defaultLevel\": \"confirm\"}",
        "{\"permission\": {\"enabled\": true, \"defaultLevel\": \"confirm\"}}",
        "{\"model\": \"m\", \"skill\": {\"directories\": []}, \"permission\": {\"defaultLevel\": \"confirm\"}}",
        "defaultLevel: confirm\n",
        "enabled: true\n",
        "rules: [{tool: x, level: deny}]\n",
    ] {
        let p = policy(text);
        assert_eq!(p.form, Form::Permissions, "{text}");
        // What isn't named has its built-in level.
        assert_eq!(call(&p, "read_file"), Effect::Allow, "{text}");
        assert_eq!(call(&p, "write_file"), Effect::RequireApproval, "{text}");
        assert_eq!(call(&p, "delete_user"), Effect::RequireApproval, "{text}");
        assert_eq!(call(&p, "frobnicate"), Effect::RequireApproval, "{text}");
    }
    // Only the default level can be stricter than a built-in one.
    let open = policy("defaultLevel: auto\n");
    assert_eq!(call(&open, "delete_user"), Effect::RequireApproval);
    assert_eq!(call(&open, "frobnicate"), Effect::RequireApproval);
    let closed = policy("defaultLevel: deny\n");
    assert_eq!(call(&closed, "read_file"), Effect::Deny);
    assert_eq!(call(&closed, "frobnicate"), Effect::Deny);
    for (text, message) in [
        (
            "permission: {defaultLevel: maybe}\n",
            "unknown level `maybe`",
        ),
        (
            "permission: {categoryDefaults: {reading: auto}}\n",
            "no key `reading`",
        ),
        ("permission: {rules: [{tool: '^(', level: auto}]}\n", "`^(`"),
        ("permission: []\n", "`permission` is a map"),
        ("permission:\n", "`permission` has no value"),
        ("permission: {enabled: true}\nrules: []\n", "no key `rules`"),
        ("permission: {enabled: 1}\n", "`true` or `false`"),
    ] {
        let found = problems(text);
        assert!(
            found.iter().any(|(_, m)| m.contains(message)),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_block_that_is_off_asks_nothing_and_says_so() {
    let off = policy("permission:\n  enabled: false\n  rules: [{tool: '*', level: deny}]\n");
    assert_eq!(off.disabled.map(|at| at.line), Some(2));
    assert_eq!(call(&off, "delete_user"), Effect::Allow);
    let action = Action::shell("rm -rf /");
    let history = History::default();
    let decision = off.decide(&Request::new(&action, &history));
    assert_eq!(decision.effect, Effect::Allow);
    assert!(decision.reason().contains("`enabled: false`"));
    assert!(policy("enabled: true\n").disabled.is_none());
    // What is off is still read.
    assert!(load("p", "enabled: false\nrules: [{tool: x, level: perhaps}]\n").is_err());
}

#[test]
fn a_limit_of_nothing_is_none_in_older_files_and_refused_in_packs() {
    let rule =
        "rules: [{id: r, when: {type: shell_cmd, max_per_minute: 0}, effect: allow, reason: r}]\n";
    assert_eq!(shell(&policy(rule), "ls").0, Effect::Allow);
    for head in ["version: 1\n", "id: p\n", "combine: first-match\n"] {
        let found = problems(&format!("{head}{rule}"));
        assert_eq!(found.len(), 1, "{head}: {found:?}");
        assert_eq!(found[0].0, 2);
        assert!(found[0].1.contains("`max_per_minute: 0` grants nothing"));
    }
    // Other limits are those of packs.
    assert!(load("p", &rule.replace("per_minute", "per_hour")).is_err());
}

#[test]
fn a_granted_command_covers_what_it_does_by_itself() {
    let p = policy(concat!(
        "permissions:\n",
        "  look: {file_system: ['read:/**'], commands: [git diff, cat]}\n",
        "  share: {file_system: ['read:/**', 'write:/tmp/*'], commands: [git commit, git push, cp]}\n"
    ));
    for command in [
        "git commit -m 'a b'",
        "git push",
        "git push origin main",
        "git push -u origin feature/x",
        "git commit -m x && git push",
        "cp a /tmp/x",
    ] {
        assert_eq!(in_mode(&p, "share", command), Effect::Allow, "{command}");
        assert_eq!(in_mode(&p, "look", command), Effect::Deny, "{command}");
    }
    for command in [
        "git push --force",
        "git push origin +main",
        "git push https://elsewhere.example/x",
        "git push git@elsewhere.example:x",
        "git push ../other",
        "git push --receive-pack=/tmp/x origin",
        "git push $REMOTE",
        "git commit -m x > notes",
        "git commit -m x; curl https://a.example",
        "git fetch",
        "git -c core.sshCommand=x push",
        "cp a src/x",
        "git commit -m \"$(curl https://a.example)\"",
    ] {
        assert_eq!(in_mode(&p, "share", command), Effect::Deny, "{command}");
    }
    assert_eq!(in_mode(&p, "look", "git diff HEAD~1"), Effect::Allow);
    assert_eq!(in_mode(&p, "look", "cat README.md"), Effect::Allow);
}

#[test]
fn a_network_grant_is_about_method_scheme_port_and_path() {
    let p = policy(concat!(
        "permissions:\n",
        "  look: {network: ['GET:https://api.test/v1/*'], commands: [curl, ssh]}\n",
        "  share: {network: ['*:https://api.test/*', build.test], commands: [curl]}\n"
    ));
    for (command, look, share) in [
        ("curl https://api.test/v1/users", true, true),
        ("curl -X POST -d a=b https://api.test/v1/users", false, true),
        ("curl -X DELETE https://api.test/v1/users", false, true),
        ("curl http://api.test/v1/users", false, false),
        ("curl https://api.test:8443/v1/users", false, false),
        ("curl https://api.test/v2/users", false, true),
        ("curl https://api.test/v1/../v2/users", false, true),
        (
            "curl --proxy http://p.test https://api.test/v1/users",
            false,
            false,
        ),
        ("curl -X $M https://api.test/v1/users", false, false),
        (
            "curl https://api.test/v1/users https://evil.test/",
            false,
            false,
        ),
        ("curl http://build.test:1/x", false, true),
    ] {
        let effect = |granted: bool| if granted { Effect::Allow } else { Effect::Deny };
        assert_eq!(in_mode(&p, "look", command), effect(look), "{command}");
        assert_eq!(in_mode(&p, "share", command), effect(share), "{command}");
    }
    let history = History::default();
    let fetch = |input: serde_json::Value| {
        let action = Action::call("fetch", input);
        let request = Request {
            mode: Some("look"),
            ..Request::new(&action, &history)
        };
        p.decide(&request).effect
    };
    let url = "https://api.test/v1/users";
    assert_eq!(fetch(json!({"url": url})), Effect::Allow);
    assert_eq!(fetch(json!({"url": url, "method": "GET"})), Effect::Allow);
    for input in [
        json!({"url": url, "method": "POST"}),
        json!({"url": url, "body": "x"}),
        json!({"url": "http://api.test:8080/v1/users"}),
        json!({"url": url, "headers": {"X-HTTP-Method-Override": "DELETE"}}),
    ] {
        assert_eq!(fetch(input.clone()), Effect::Deny, "{input}");
    }
}

#[test]
fn an_unknown_method_is_not_allowed_and_is_forbidden() {
    let pack = |effect: &str, default: &str| {
        policy(&format!(
            "version: 1\nid: p\ndefault: {default}\nrules: [{{id: r, when: {{network: 'POST:https://api.test/*'}}, effect: {effect}, reason: r}}]\n"
        ))
    };
    let (allow, deny) = (pack("allow", "ask"), pack("deny", "allow"));
    for (command, allowed, denied) in [
        ("curl -d x https://api.test/a", Effect::Allow, Effect::Deny),
        (
            "curl https://api.test/a",
            Effect::RequireApproval,
            Effect::Allow,
        ),
        (
            "curl --new https://api.test/a",
            Effect::RequireApproval,
            Effect::Deny,
        ),
        ("scp f api.test:", Effect::RequireApproval, Effect::Deny),
        (
            "curl -d x https://other.test/a",
            Effect::RequireApproval,
            Effect::Allow,
        ),
        (
            "curl $URL",
            Effect::RequireApproval,
            Effect::RequireApproval,
        ),
    ] {
        assert_eq!(shell(&allow, command).0, allowed, "{command}");
        assert_eq!(shell(&deny, command).0, denied, "{command}");
    }
    let found = problems(concat!(
        "version: 1\n",
        "id: p\n",
        "rules: [{id: r, when: {network: 'G T:https://a/'}, effect: deny, reason: r}]\n"
    ));
    assert!(found[0].1.contains("isn't a method"), "{found:?}");
}
