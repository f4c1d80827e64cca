mod levels;

use super::VendorFormat;
use crate::{Action, Effect, History, Policy, Request, load};

/// Reads an action of a table: a command line, `tool {parameters}`, `diff PATH` or `remove PATH`.
fn action(text: &str) -> Action {
    if let Some(path) = text.strip_prefix("remove ") {
        let diff = format!("--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
        return Action::diff(&diff);
    }
    if let Some(path) = text.strip_prefix("diff ") {
        let diff = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n");
        return Action::diff(&diff);
    }
    if let Some((tool, rest)) = text.split_once(" {")
        && let Ok(parameters) = serde_json::from_str(&format!("{{{rest}"))
        && !tool.contains(' ')
    {
        return Action::call(tool, parameters);
    }
    Action::shell(text)
}

fn decide(policy: &Policy, text: &str) -> Effect {
    let action = action(text);
    policy
        .decide(&Request::new(&action, &History::default()))
        .effect
}

/// Compares a policy with a table: an effect and an action on each line.
fn check(policy: &Policy, table: &str) {
    let mut wrong = String::new();
    for line in table
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with("# "))
    {
        let (word, text) = line.split_once(' ').unwrap();
        let wanted = Effect::parse(word).unwrap();
        let action = action(text);
        let history = History::default();
        let request = Request::new(&action, &history);
        let found = policy.decide(&request);
        if found.effect != wanted {
            wrong.push_str(&format!(
                "{line}: {} by {}\n",
                found.effect,
                found.rule_id()
            ));
            for one in policy.explain(&request) {
                wrong.push_str(&format!(
                    "    {} {:?} {}\n",
                    one.rule.id, one.holds, one.why
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Reads a file, and its translation as YAML, which must decide alike.
fn read(format: VendorFormat, text: &str) -> Policy {
    let policy = format.load("p", text).unwrap_or_else(|e| panic!("{e:?}"));
    let yaml = format.translate("p", text).unwrap().yaml();
    let again = load("p", &yaml).unwrap_or_else(|e| panic!("{e:?}\n{yaml}"));
    let rules = |policy: &Policy| {
        let rules = policy.rules.iter().map(|r| (r.id.clone(), r.effect));
        let default = (policy.default.effect, policy.default.reason.clone());
        (rules.collect::<Vec<_>>(), default)
    };
    assert_eq!(rules(&policy), rules(&again), "{yaml}");
    policy
}

/// The line and column of each error.
fn errors(format: VendorFormat, text: &str) -> Vec<(u32, u32, String)> {
    let problems = format.load("p", text).err().unwrap_or_default();
    let place = |p: crate::Problem| (p.at.line, p.at.column, p.message);
    problems.into_iter().map(place).collect()
}

#[test]
fn claude_settings_decide_as_claude_code_does() {
    let policy = read(VendorFormat::Claude, include_str!("tests/claude.json"));
    check(&policy, include_str!("tests/claude-actions.txt"));
    let rule = policy.rule("deny Bash(curl *)").unwrap();
    assert_eq!((rule.at.line, rule.at.column), (33, 7));
}

#[test]
fn modes_of_claude_code_say_what_happens_without_a_rule() {
    let with = |members: &str| {
        let text = format!(r#"{{"permissions":{{{members}}}}}"#);
        read(VendorFormat::Claude, &text)
    };
    check(
        &with(r#""allow":["Bash(mytool *)"],"deny":["Bash(x)"]"#),
        "allow mytool\n\
         allow cd a && mytool a\n\
         ask mytool a && ls\n\
         ask mytoolbox\n\
         deny x\n\
         ask x y\n\
         ask mytool > a\n\
         ask other",
    );
    let edit = r#"{"file_path":"src/a","old_string":"a","new_string":"b"}"#;
    let settings = r#"{"file_path":".claude/settings.json","content":"a"}"#;
    check(
        &with(r#""defaultMode":"acceptEdits""#),
        &format!(
            "allow Edit {edit}\n\
             allow diff src/a\n\
             ask diff /etc/a\n\
             ask Write {settings}\n\
             allow mkdir a\n\
             allow cp a b\n\
             ask mv a b\n\
             ask npm test\n\
             allow ls\n\
             ask cp a .git/hooks/x\n\
             ask rm a"
        ),
    );
    check(
        &with(r#""defaultMode":"plan","allow":["Bash(npm test)","Edit"]"#),
        &format!(
            "deny Edit {edit}\ndeny diff src/a\nask npm test\nallow ls\nask touch a\nask WebSearch {{}}"
        ),
    );
    check(
        &with(r#""defaultMode":"dontAsk","allow":["Bash(npm test)"],"ask":["Bash(npm *)"]"#),
        "deny npm test\ndeny other\nallow ls\ndeny AskUserQuestion {}\nallow TodoWrite {}",
    );
    check(
        &with(
            r#""defaultMode":"bypassPermissions","ask":["Bash(git push *)"],"deny":["Bash(curl *)"]"#,
        ),
        &format!(
            "allow other\n\
             allow Edit {edit}\n\
             ask git push a\n\
             deny curl x\n\
             ask rm -rf /\n\
             ask rm -rf ~\n\
             allow rm -rf ~/a\n\
             allow rm -rf /srv/a"
        ),
    );
    check(
        &with(r#""defaultMode":"bypassPermissions","disableBypassPermissionsMode":"disable""#),
        "ask other",
    );
    check(
        &with(r#""allow":["Edit"]"#),
        &format!("allow Edit {edit}\nallow diff /etc/a\nask remove a\nask touch a"),
    );
    check(
        &with(r#""defaultMode":"auto","allow":["Bash"]"#),
        "allow other > a\nask Skill {}",
    );
    check(&with(r#""deny":["Bash(a && b)"]"#), "deny a && b\nask a; c");
    check(&read(VendorFormat::Claude, "{}"), "ask other\nallow ls");
}

#[test]
fn what_claude_settings_lack_is_listed_with_its_line() {
    let text = include_str!("tests/claude.json");
    let gaps = VendorFormat::Claude.translate("p", text).unwrap().gaps;
    let lines: Vec<u32> = gaps.iter().map(|gap| gap.at.line).collect();
    assert_eq!(lines, [24], "{gaps:?}");
    let text = "{\"hooks\":{\"PreToolUse\":[]},\n\"permissions\":{\"deny\":[\n\"Write(a)\",\n\"Foo(b)\"],\n\"defaultMode\":\"auto\"}}";
    let gaps = VendorFormat::Claude.translate("p", text).unwrap().gaps;
    let lines: Vec<u32> = gaps.iter().map(|gap| gap.at.line).collect();
    assert_eq!(lines, [1, 3, 4, 5], "{gaps:?}");
}

#[test]
fn mistakes_in_claude_settings_have_places() {
    let error = |members: &str| {
        let text = format!("{{\n\"permissions\":{{\n{members}}}}}");
        let found = errors(VendorFormat::Claude, &text);
        let (line, column, _) = found.first().unwrap_or_else(|| panic!("{members}"));
        (*line, *column, found.len())
    };
    for (members, place) in [
        (r#""deny":["Bash(","Read(a"]"#, (3, 9, 2)),
        (r#""deny":["(x)"]"#, (3, 9, 1)),
        (r#""deny":["Bash()"]"#, (3, 9, 1)),
        (r#""deny":[""]"#, (3, 9, 1)),
        (r#""deny":["a b"]"#, (3, 9, 1)),
        (r#""deny":[7]"#, (3, 9, 1)),
        (r#""deny":"Bash""#, (3, 8, 1)),
        (r#""denny":[]"#, (3, 1, 1)),
        (r#""defaultMode":"yolo""#, (3, 15, 1)),
        (r#""defaultMode":7"#, (3, 15, 1)),
        (r#""deny":["WebFetch(x.com)"]"#, (3, 9, 1)),
        (r#""deny":["Read([)"]"#, (3, 9, 1)),
        (r#""deny":["Read(!a)"]"#, (3, 9, 1)),
        (r#""deny":[],"deny":["Bash"]"#, (3, 11, 1)),
        (r#""additionalDirectories":[1]"#, (3, 26, 1)),
        (r#""disableBypassPermissionsMode":true"#, (3, 32, 1)),
    ] {
        assert_eq!(error(members), place, "{members}");
    }
    for text in [
        "[]",
        "",
        "{",
        "{\"permissions\":[]}",
        "{\"permissions\":null}",
        "{} x",
        "{'a':1}",
    ] {
        assert_eq!(errors(VendorFormat::Claude, text).len(), 1, "{text}");
    }
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    assert_eq!(errors(VendorFormat::Claude, &deep).len(), 1);
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(10 << 20));
    assert_eq!(errors(VendorFormat::Claude, &large).len(), 1);
    let rules: Vec<String> = (0..2_000).map(|n| format!("\"Bash(tool{n} *)\"")).collect();
    let many = format!("{{\"permissions\":{{\"allow\":[{}]}}}}", rules.join(","));
    let policy = VendorFormat::Claude.load("p", &many).unwrap();
    assert_eq!(decide(&policy, "tool1999 x"), Effect::Allow);
}

#[test]
fn codex_rules_decide_as_codex_does() {
    let policy = read(VendorFormat::Codex, include_str!("tests/codex.rules"));
    check(&policy, include_str!("tests/codex-actions.txt"));
    let rule = policy.rule("forbidden rm -rf").unwrap();
    assert_eq!((rule.at.line, rule.at.column), (14, 1));
    assert_eq!(rule.reason.as_deref(), Some("Use `trash`"));
}

#[test]
fn rules_that_look_alike_are_all_kept() {
    let rule = |pattern: &str, decision: &str| {
        format!("prefix_rule(pattern = {pattern}, decision = \"{decision}\")\n")
    };
    let text = [
        rule("[\"a\", [\"b\", \"c\"]]", "forbidden"),
        rule("[\"a\", \"b|c\"]", "forbidden"),
        rule("[\"a\", \"b|c\"]", "forbidden"),
    ];
    let policy = read(VendorFormat::Codex, &text.concat());
    assert_eq!(policy.rules.len(), 3, "two, and what needs no permission");
    check(&policy, "deny a b\ndeny a 'b|c'\nask a d");
}

#[test]
fn codex_runs_what_stays_in_its_sandbox() {
    let config = |text: &str| read(VendorFormat::Codex, text);
    check(
        &config("approval_policy = \"on-request\"\nsandbox_mode = \"workspace-write\"\n"),
        "allow touch a\n\
         allow npm test\n\
         allow cat /etc/passwd\n\
         ask touch /srv/a\n\
         allow touch /tmp/a\n\
         ask curl x.com\n\
         ask git commit -m x\n\
         ask echo x > .git/hooks/pre-commit\n\
         ask other\n\
         ask sudo ls",
    );
    check(
        &config(
            "sandbox_mode = \"workspace-write\"\n\
             approval_policy = \"never\"\n\
             [sandbox_workspace_write]\n\
             writable_roots = [\"/srv/b\"]\n\
             network_access = true\n\
             exclude_slash_tmp = true\n\
             ",
        ),
        "allow touch /srv/b/a\ndeny touch /srv/a\ndeny touch /tmp/a\nallow curl x.com\ndeny other",
    );
    check(
        &config("approval_policy = \"never\""),
        "allow ls\ndeny touch a",
    );
    check(
        &config("approval_policy = \"untrusted\"\nsandbox_mode = \"danger-full-access\""),
        "allow ls\nallow cat a | wc -l\nask jq . a\nask touch a\nask cat $X\nask cat a > b",
    );
    check(
        &config("approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\""),
        "allow sudo rm -rf /",
    );
}

#[test]
fn mistakes_in_codex_rules_have_places() {
    for (text, place) in [
        (
            "prefix_rule(pattern = [\"a\"], decision = \"deny\")",
            (1, 41),
        ),
        ("prefix_rule(pattern = [])", (1, 23)),
        ("prefix_rule(pattern = [\"a\", []])", (1, 29)),
        ("prefix_rule(pattern = [\"a\", [[\"b\"]]])", (1, 30)),
        ("prefix_rule(pattern = \"a\")", (1, 23)),
        ("prefix_rule(decision = \"allow\")", (1, 1)),
        ("prefix_rule(patern = [\"a\"])", (1, 1)),
        ("prefix_rule([\"a\"])", (1, 13)),
        ("\n\nfoo(a = [])", (3, 1)),
        ("x = 1", (1, 1)),
        ("prefix_rule(pattern = [\"a\" + \"b\"])", (1, 28)),
        ("prefix_rule(pattern = [x])", (1, 24)),
        ("prefix_rule(pattern = [\"a\"], pattern = [\"b\"])", (1, 30)),
        (
            "prefix_rule(pattern = [\"a\"],\n  match = [\"a b\",\n    \"b\"])",
            (3, 5),
        ),
        (
            "prefix_rule(pattern = [\"a\"], not_match = [[\"a\", \"b\"]])",
            (1, 43),
        ),
        ("prefix_rule(pattern = [\"a\"], match = [\"'\"])", (1, 39)),
        (
            "prefix_rule(pattern = [\"a\"], justification = \" \")",
            (1, 46),
        ),
        (
            "prefix_rule(pattern = [\"a\"]) prefix_rule(pattern = [\"b\"])",
            (1, 30),
        ),
        ("prefix_rule(pattern = [\"a", (1, 24)),
        ("prefix_rule(pattern = [\"\\q\"])", (1, 25)),
        ("for x in []: pass", (1, 1)),
        ("network_rule(host = \"a\")", (1, 1)),
    ] {
        let found = errors(VendorFormat::Codex, text);
        let (line, column, _) = found.first().unwrap_or_else(|| panic!("{text}"));
        assert_eq!((*line, *column), place, "{text}: {found:?}");
    }
    for text in [
        "approval_policy = \"sometimes\"",
        "sandbox_mode = 7",
        "sandbox_mode = \"read-only\"\nsandbox_mode = \"read-only\"",
        "[sandbox_workspace_write]\nnetwork_acess = true",
        "[sandbox_workspace_write]\nwritable_roots = [1]",
    ] {
        let text = format!("# approval_policy sandbox_mode\n{text}");
        assert!(!errors(VendorFormat::Codex, &text).is_empty(), "{text}");
    }
    let deep = format!("prefix_rule(pattern = {}", "[".repeat(100_000));
    assert_eq!(errors(VendorFormat::Codex, &deep).len(), 1);
}

#[test]
fn gemini_policies_decide_as_gemini_cli_does() {
    let policy = read(VendorFormat::Gemini, include_str!("tests/gemini.toml"));
    check(&policy, include_str!("tests/gemini-actions.txt"));
    let rule = policy.rule("5 deny run_shell_command rm -rf").unwrap();
    assert_eq!((rule.at.line, rule.at.column), (27, 1));
    assert_eq!(rule.reason.as_deref(), Some("Deletion is permanent"));
    let ask = |mode: Option<&str>, text: &str| {
        let (action, history) = (action(text), History::default());
        let request = Request {
            mode,
            ..Request::new(&action, &history)
        };
        policy.decide(&request).effect
    };
    assert_eq!(ask(Some("yolo"), "docker ps"), Effect::Allow);
    assert_eq!(ask(Some("plan"), "docker ps"), Effect::Deny);
    let plan = "[[rule]]\ntoolName='*'\ndecision='deny'\npriority=5\nmodes=['default','autoEdit']\n[[rule]]\ntoolName='ls'\ndecision='allow'\npriority=5\n";
    check(&read(VendorFormat::Gemini, plan), "deny ls {}\ndeny other");
    let first = "[[rule]]\ntoolName='run_shell_command'\ncommandRegex='(?=x)'\ndecision='deny'\npriority=5\n[[rule]]\ntoolName='run_shell_command'\ncommandRegex='^a'\ndecision='allow'\npriority=9\n";
    check(&read(VendorFormat::Gemini, first), "deny a\nask other {}");
}

#[test]
fn a_diff_may_come_from_any_call_of_gemini_cli() {
    let rule =
        |members: &str, priority: u32| format!("[[rule]]\n{members}\npriority = {priority}\n");
    let allows = rule("toolName = 'write_file'\ndecision = 'allow'", 10);
    let secrets = "toolName = ['write_file']\nargsPattern = '\"file_path\":\"secrets/'";
    for decision in ["deny", "ask_user"] {
        let forbids = rule(&format!("{secrets}\ndecision = '{decision}'"), 20);
        let policy = read(VendorFormat::Gemini, &format!("{allows}{forbids}"));
        check(
            &policy,
            "ask diff secrets/a\nask diff src/a\nallow write_file {\"file_path\":\"a\"}",
        );
    }
    let every = rule(
        "toolName = '*'\nargsPattern = 'secrets'\ndecision = 'deny'",
        20,
    );
    let all = rule("toolName = '*'\ndecision = 'allow'", 10);
    let policy = read(VendorFormat::Gemini, &format!("{all}{every}"));
    check(
        &policy,
        "ask diff src/a\ndeny diff secrets/a\nallow other {}",
    );
    // A rule of higher priority still decides first.
    let first = rule("toolName = '*'\ndecision = 'allow'", 30);
    let policy = read(VendorFormat::Gemini, &format!("{first}{every}"));
    check(&policy, "allow diff src/a");
    // Tools that no diff is recorded for don't ask about diffs.
    let other = rule(
        "toolName = 'glob'\nargsPattern = 'secrets'\ndecision = 'deny'",
        20,
    );
    let policy = read(VendorFormat::Gemini, &format!("{all}{other}"));
    check(&policy, "allow diff src/a");
}

#[test]
fn mistakes_in_gemini_policies_have_places() {
    for (text, place) in [
        (
            "[[rule]]\ntoolName = 'a'\ndecision = 'maybe'\npriority = 1",
            (3, 12),
        ),
        (
            "[[rule]]\ntoolName = 'a'\ndecision = 'deny'\npriority = 1000",
            (4, 12),
        ),
        ("[[rule]]\ntoolName = 'a'\ndecision = 'deny'", (2, 1)),
        ("[[rule]]\ntoolName = 'a'\npriority = 1", (2, 1)),
        ("[[rule]]\ndecision = 'deny'\npriority = 1", (2, 1)),
        (
            "[[rule]]\ntoolName = 7\ndecision = 'deny'\npriority = 1",
            (2, 12),
        ),
        (
            "[[rule]]\ntoolName = []\ndecision = 'deny'\npriority = 1",
            (2, 12),
        ),
        (
            "[[rule]]\ntoolNam = 'a'\ndecision = 'deny'\npriority = 1",
            (2, 1),
        ),
        (
            "[[rule]]\ntoolName = 'a'\ncommandPrefix = 'b'\ndecision = 'deny'\npriority = 1",
            (2, 1),
        ),
        (
            "[[rule]]\ntoolName = 'a'\nmodes = ['x']\ndecision = 'deny'\npriority = 1",
            (3, 10),
        ),
        (
            "[[rule]]\ntoolName = 'a'\ntoolName = 'a'\ndecision = 'deny'",
            (3, 1),
        ),
        ("[[rules]]\ndecision = 'deny'", (1, 3)),
        ("rule = 1", (1, 1)),
        ("[[rule]", (1, 8)),
    ] {
        let found = errors(VendorFormat::Gemini, text);
        let (line, column, _) = found.first().unwrap_or_else(|| panic!("{text}"));
        assert_eq!((*line, *column), place, "{text}: {found:?}");
    }
    let deep = format!("rule = {}", "[".repeat(100_000));
    assert_eq!(errors(VendorFormat::Gemini, &deep).len(), 1);
}

/// Formats with a text that each recognises by its name and content.
#[test]
fn formats_are_recognised() {
    let detect = VendorFormat::detect;
    let claude = include_str!("tests/claude.json");
    let gemini = include_str!("tests/gemini.toml");
    assert_eq!(
        detect("a/.claude/settings.json", "{}"),
        Some(VendorFormat::Claude)
    );
    assert_eq!(
        detect("managed-settings.json", "{"),
        Some(VendorFormat::Claude)
    );
    assert_eq!(detect("other.json", claude), Some(VendorFormat::Claude));
    assert_eq!(detect("default.rules", ""), Some(VendorFormat::Codex));
    assert_eq!(
        detect("config.toml", "sandbox_mode = 'read-only'"),
        Some(VendorFormat::Codex)
    );
    assert_eq!(detect("a.toml", gemini), Some(VendorFormat::Gemini));
    for (file, text) in [
        (
            "a.json",
            r#"{"permissions":{"admin":{"files":[]}},"dangerous_commands":[]}"#,
        ),
        ("a.json", r#"{"rules":[]}"#),
        ("a.yaml", claude),
        ("a.toml", "[package]\nname = 'a'"),
        ("yuangs-verify.toml", "[policy]\nfile = 'a.yaml'"),
        ("rules", ""),
    ] {
        assert_eq!(detect(file, text), None, "{file} {text}");
    }
    assert_eq!(
        VendorFormat::split("claude:a/b"),
        Some((VendorFormat::Claude, "a/b"))
    );
    assert_eq!(VendorFormat::split("claude:"), None);
    assert_eq!(VendorFormat::split("main:a"), None);
    assert_eq!(VendorFormat::split("a.yaml"), None);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Commands of few words, so that rules meet them.
    fn command() -> impl Strategy<Value = String> {
        let words = prop::collection::vec(prop::sample::select(vec!["push", "a", "-f"]), 0..3);
        (prop::sample::select(vec!["git", "npm", "make"]), words)
            .prop_map(|(program, words)| [vec![program], words].concat().join(" "))
    }

    fn line() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec(command(), 1..4)
    }

    fn prefix() -> impl Strategy<Value = String> {
        command()
    }

    fn begins(command: &str, prefix: &str) -> bool {
        command == prefix || command.starts_with(&format!("{prefix} "))
    }

    /// The strictest decision about the commands of a line.
    fn strictest(line: &[String], one: impl Fn(&str) -> Effect) -> Effect {
        line.iter().map(|command| one(command)).max().unwrap()
    }

    fn effects() -> impl Strategy<Value = Effect> {
        prop::sample::select(Effect::ALL.to_vec())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,120}") {
            for format in VendorFormat::ALL {
                if let Err(problems) = format.load("p", &text) {
                    prop_assert!(!problems.is_empty());
                }
            }
        }

        #[test]
        fn texts_that_look_right_are_read_or_refused(parts in prop::collection::vec(
            "\\{|\\}|\\[|\\]|,|:|\"permissions\"|\"deny\"|\"allow\"|\"Bash\\(a:\\*\\)\"|\"Read\\(.{0,4}\\)\"|prefix_rule\\(|pattern = |\\)|\"a\"|'b'|\\[\\[rule\\]\\]\n|toolName = |decision = \"deny\"\n|priority = 1\n|#|\n|\\\\|\"\"\"", 0..24
        )) {
            let text = parts.concat();
            for format in VendorFormat::ALL {
                if let Ok(pack) = format.translate("p", &text) {
                    prop_assert!(format.load("p", &text).is_ok(), "{}", text);
                    prop_assert!(load("p", &pack.yaml()).is_ok(), "{}", pack.yaml());
                }
            }
        }

        #[test]
        fn claude_rules_never_allow_more(
            line in line(), rules in prop::collection::vec((effects(), prefix(), any::<bool>()), 1..5)
        ) {
            let mut lists = [("allow", Vec::new()), ("ask", Vec::new()), ("deny", Vec::new())];
            for (effect, prefix, exact) in &rules {
                let spec = if *exact { format!("Bash({prefix})") } else { format!("Bash({prefix}:*)") };
                lists[*effect as usize].1.push(spec);
            }
            let members = lists.iter().map(|(name, list)| {
                ((*name).to_owned(), serde_json::json!(list))
            });
            let members: serde_json::Map<_, _> = members.collect();
            let text = serde_json::json!({ "permissions": members }).to_string();
            let policy = VendorFormat::Claude.load("p", &text).unwrap();
            let one = |command: &str| {
                let fits = rules.iter().filter(|(_, prefix, exact)| {
                    if *exact { command == prefix } else { begins(command, prefix) }
                });
                fits.map(|(effect, ..)| *effect).max().unwrap_or(Effect::RequireApproval)
            };
            let wanted = strictest(&line, one);
            prop_assert_eq!(decide(&policy, &line.join(" && ")), wanted);
        }

        #[test]
        fn codex_rules_never_allow_more(
            line in line(), rules in prop::collection::vec((effects(), prefix()), 1..5)
        ) {
            let text: String = rules.iter().map(|(effect, prefix)| {
                let word = ["allow", "prompt", "forbidden"][*effect as usize];
                let tokens: Vec<&str> = prefix.split(' ').collect();
                format!("prefix_rule(pattern = {tokens:?}, decision = {word:?})\n")
            }).collect();
            let policy = VendorFormat::Codex.load("p", &text).unwrap();
            let one = |command: &str| {
                let fits = rules.iter().filter(|(_, prefix)| begins(command, prefix));
                fits.map(|(effect, _)| *effect).max().unwrap_or(Effect::RequireApproval)
            };
            prop_assert_eq!(decide(&policy, &line.join(" && ")), strictest(&line, one), "{}", text);
        }

        #[test]
        fn gemini_rules_never_allow_more(
            line in line(), rules in prop::collection::vec((effects(), prefix(), 0..4_i64), 1..5)
        ) {
            let text: String = rules.iter().map(|(effect, prefix, priority)| {
                let word = ["allow", "ask_user", "deny"][*effect as usize];
                format!(
                    "[[rule]]\ntoolName = 'run_shell_command'\ncommandPrefix = '{prefix}'\n\
                     decision = '{word}'\npriority = {priority}\n"
                )
            }).collect();
            let policy = VendorFormat::Gemini.load("p", &text).unwrap();
            let one = |command: &str| {
                let fits = rules.iter().filter(|(_, prefix, _)| begins(command, prefix));
                let first = fits.max_by_key(|(effect, _, priority)| (*priority, *effect));
                first.map_or(Effect::RequireApproval, |(effect, ..)| *effect)
            };
            let (found, wanted) = (decide(&policy, &line.join(" && ")), strictest(&line, one));
            prop_assert!(found >= wanted, "{} instead of {}: {}", found, wanted, text);
            // A single command is decided exactly.
            let (first, wanted) = (decide(&policy, &line[0]), one(&line[0]));
            prop_assert_eq!(first, wanted, "{}", text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn rules_of_any_text_come_back_from_yaml(
            spec in "\\PC{1,20}",
            list in "allow|ask|deny",
            tool in "Bash|Read|Skill|Agent",
        ) {
            let rule = format!("{tool}({spec})");
            let text = serde_json::json!({ "permissions": { list: [rule] } }).to_string();
            if let Ok(pack) = VendorFormat::Claude.translate("p", &text) {
                let (policy, again) = (VendorFormat::Claude.load("p", &text), load("p", &pack.yaml()));
                prop_assert_eq!(policy.is_ok(), again.is_ok(), "{}\n{}", text, pack.yaml());
                if let (Ok(policy), Ok(again)) = (policy, again) {
                    let condition = |rule: &crate::Rule| (rule.id.clone(), format!("{:?}", rule.when));
                    let conditions = |p: &Policy| p.rules.iter().map(condition).collect::<Vec<_>>();
                    prop_assert_eq!(conditions(&policy), conditions(&again));
                }
            }
        }
    }
}
