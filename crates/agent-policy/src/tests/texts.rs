//! `command.text`, in rules that allow.

use super::*;

#[test]
fn a_text_allows_only_the_program_that_it_shows() {
    let policy = policy(
        "\
version: 1
id: t
default: { effect: require_approval, reason: nothing matched }
rules:
  - id: texts
    when: { command: { text: ['ls*', 'git log*', 'sudo *', 'python3*', './ls *', 'frob*'] } }
    effect: allow
    reason: they look
",
    );
    let allowed = [
        "ls",
        "ls -l; ls --x=y | ls",
        "lsof",
        "git log",
        "sudo rm x",
        "sudo timeout 5 git push",
        "python3.11 -V",
        "./ls x",
        "frobnicate a=b",
    ];
    for line in allowed {
        assert_eq!(shell(&policy, line).0, Effect::Allow, "{line}");
    }
    let asked = [
        // Assignments.
        "ls=x git push",
        "ls+=x git push",
        "ls[1]=x git push",
        "ls[1 + 1]=x git push",
        "ls=(a b) git push",
        // Other names.
        "alias ls=frob\nls x",
        // Programs that a side door of another one starts.
        "git log -c x; git -c core.pager='git push' log",
        "git log --config alias.x='!git push' | git -c alias.x='!ls' x",
        // Another command whose output is known.
        "git log $(echo push)",
        "sudo ls $(echo push) $(true)",
    ];
    for line in asked {
        assert_eq!(shell(&policy, line).0, Effect::RequireApproval, "{line}");
    }
}
