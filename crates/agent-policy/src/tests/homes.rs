//! Paths that lead to a place under another name.

use super::*;

#[test]
fn homes_and_links_of_processes_are_the_places_that_they_name() {
    let policy = policy(
        "\
version: 1
id: t
default: { effect: allow, reason: nothing matched }
rules:
  - id: places
    when: { path: { glob: ['/root/**', '/home/**'] } }
    effect: deny
    reason: not there
",
    );
    let denied = [
        "cat ~root/x",
        "cat < ~bob/x",
        "cat ~dev/project/x",
        "cd ~dev/project && cat x",
    ];
    for line in denied {
        assert_eq!(shell(&policy, line).0, Effect::Deny, "{line}");
    }
    let asked = [
        "cat ~0/x",
        "cat ~1/x",
        "cat ~-/x",
        "cat /proc/self/cwd/x",
        "cat /proc/thread-self/root/root/x",
        "cat /proc/1/task/1/cwd/x",
    ];
    for line in asked {
        assert_eq!(shell(&policy, line).0, Effect::RequireApproval, "{line}");
    }
    assert_eq!(shell(&policy, "cat /proc/self/status").0, Effect::Allow);
}
