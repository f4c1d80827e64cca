//! Options in `command.arg`.

use crate::*;

#[test]
fn options_are_forbidden_in_every_spelling_and_allowed_to_the_letter() {
    let policy = |when: &str, effect: &str, default: &str| {
        let head = "version: 1\nid: p\ncombine: first-match\n";
        let default = format!("default: {{ effect: {default}, reason: d }}\n");
        let rule = format!("{{ id: r, when: {{ {when} }}, effect: {effect}, reason: r }}");
        load("p", &format!("{head}{default}rules:\n  - {rule}\n")).unwrap()
    };
    let ask = |policy: &Policy, line: &str| {
        let action = Action::shell(line);
        policy
            .decide(&Request::new(&action, &History::default()))
            .effect
    };
    let force = "command: { program: git, arg: ['-f', '--force'] }";
    let forbids = policy(force, "deny", "allow");
    for line in [
        "git push -f",
        "git push -uf",
        "git push -fu",
        "git push --force",
        "git push --forc",
        "git push --force=x",
        "git push origin main --force",
    ] {
        assert_eq!(ask(&forbids, line), Effect::Deny, "{line}");
    }
    for line in ["git push", "git push -u origin main", "git log --follow a"] {
        assert_eq!(ask(&forbids, line), Effect::Allow, "{line}");
    }
    let doubts = policy(
        "command: { program: docker, arg: ['-f', '-z'] }",
        "deny",
        "allow",
    );
    assert_eq!(ask(&doubts, "docker rm -vf x"), Effect::Deny);
    assert_eq!(ask(&doubts, "docker top --zap x"), Effect::RequireApproval);
    assert_eq!(ask(&doubts, "docker top x"), Effect::Allow);
    let long = policy(
        "command: { program: docker, arg: '--zap' }",
        "deny",
        "allow",
    );
    assert_eq!(ask(&long, "docker top -vz x"), Effect::RequireApproval);
    let allows = policy("command: { program: ls, arg: '-l' }", "allow", "ask");
    assert_eq!(ask(&allows, "ls -l"), Effect::Allow);
    assert_eq!(ask(&allows, "ls -la"), Effect::RequireApproval);
    let spares = policy(
        "command: { program: git }, not: { command: { arg: '-f' } }",
        "allow",
        "ask",
    );
    assert_eq!(ask(&spares, "git push -uf"), Effect::RequireApproval);
}
