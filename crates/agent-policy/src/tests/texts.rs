//! `command.text`, in rules that allow.

use super::*;

#[test]
fn expressions_show_the_directories_that_all_texts_begin_with() {
    for (text, expected) in [
        (r"^\\./gradlew (?:test|build)$", true),
        ("^[.]/gradlew", true),
        ("^(?:[.]/gradlew|[.]/mvnw) ", true),
        ("^.*gradlew", false),
        ("^(?:[.]/)?gradlew", false),
        ("^[.]/mvnw|/gradlew", false),
        ("^[.]/mvnw|^gradlew", false),
    ] {
        let rule = format!(
            "version: 1\nid: t\ndefault: {{ effect: deny, reason: d }}\nrules: [{{ id: a, when: {{ command: {{ text: \"{text}\" }} }}, effect: allow, reason: r }}]\n"
        );
        let allows = shell(&policy(&rule), "./gradlew test").0 == Effect::Allow;
        assert_eq!(allows, expected, "{text}");
    }
}

#[test]
fn a_text_allows_only_the_program_that_it_shows() {
    let policy = policy(
        "\
version: 1
id: t
default: { effect: require_approval, reason: nothing matched }
rules:
  - id: texts
    when: { command: { text: ['ls*', 'git log*', 'sudo *', 'python3*', './ls *', 'frob*', './tools/*', '^make(?:$|.* [a-z])', '^make.* src/ a', '../x/*', 'gcc *', 'exec *', 'cat *'] } }
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
        "ls /a/../b ../c",
        "./tools/a/b ../c",
        "../x/a b",
        "make test",
        "# Lists all; git push\nls -l # git push\n\n# git push",
        "! ls x; time ! ls",
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
        // Programs of other directories.
        "ls/../../bin/frob x",
        "ls-tools/frob x",
        "frob/..",
        "./tools/../frob x",
        "./tools/a/..",
        "./tools/'..'/frob x",
        "./tools/.\\./frob x",
        "./tools/{..,a}/frob x",
        "./tools/$'..'/frob x",
        "ls$'\\x2fls' x",
        "../x/../y",
        "make/frob src/ a",
        "make/../frob test",
        // Words that look like comments.
        "ls x ;#\ngit push",
        "cat <<'#'\n#\ngit push",
        "cat <<E\n# x\nE",
        // Other names.
        "alias ls=frob\nls x",
        // Programs that a side door of another one starts.
        "git log -c x; git -c core.pager='git push' log",
        "git log --config alias.x='!git push' | git -c alias.x='!ls' x",
        "gcc -wrapper frob,x a.c",
        "make --eval='x:;git push' test",
        // Redirections that set a variable.
        "exec {PATH}>&1; ls",
        "ls {PATH[0]}>/dev/null; ls",
        // Another command whose output is known.
        "git log $(echo push)",
        "sudo ls $(echo push) $(true)",
    ];
    for line in asked {
        assert_eq!(shell(&policy, line).0, Effect::RequireApproval, "{line}");
    }
}
