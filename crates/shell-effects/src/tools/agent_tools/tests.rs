use super::*;
use crate::tools::tool::{effects_by_name, effects_of_call, effects_of_own};
use crate::{Context, RiskLevel, Table};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

static TABLE: LazyLock<Table> = LazyLock::new(Table::builtin);

fn entries_of_all() -> impl Iterator<Item = (&'static str, Tool)> {
    let texts = FILES
        .iter()
        .flat_map(|(file, text)| entries(text).map(move |entry| (*file, entry)));
    texts.map(|(file, entry)| {
        (
            file,
            parse(entry).unwrap_or_else(|e| panic!("{file}: {e}\n{entry}")),
        )
    })
}

#[test]
fn every_entry_is_read_and_its_calls_do_what_it_says() {
    let ctx = Context::new(&TABLE);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (file, tool) in entries_of_all() {
        assert!(!tool.tests.is_empty(), "{file}: {} has no test", tool.name);
        for required in &tool.requires {
            assert!(
                tool.is_named() || tool.params.contains_key(required),
                "{}: {required}",
                tool.name
            );
        }
        for name in std::iter::once(&tool.name).chain(&tool.aliases) {
            // A server may name a tool anything, so no entry may explain a call of it.
            let of_server = tool.is_named();
            assert_eq!(name.contains("__"), of_server, "{name}");
            assert!(super::tool(name).is_some(), "{name} isn't found");
        }
        for test in &tool.tests {
            seen += 1;
            let found = effects_of_call(&tool.name, &Param::from(&test.call), &ctx);
            let kinds: Vec<&str> = found.effects.iter().map(|e| e.kind.as_str()).collect();
            let targets: Vec<&str> = found
                .effects
                .iter()
                .filter_map(|e| e.target.as_deref())
                .collect();
            let fits = found.risk == test.risk
                && test
                    .effects
                    .iter()
                    .all(|kind| kinds.contains(&kind.as_str()))
                && !test.not.iter().any(|kind| kinds.contains(&kind.as_str()))
                && test
                    .paths
                    .iter()
                    .all(|path| targets.contains(&path.as_str()));
            if !fits {
                wrong.push(format!(
                    "{file}: {} {}: {:?} {kinds:?} {targets:?} {:?}",
                    tool.name,
                    test.call,
                    found.risk,
                    found.reasons()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 150, "only {seen} calls");
}

#[test]
fn every_file_is_embedded() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies/tools");
    let names = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, FILES.map(|(file, _)| file));
}

/// Where agents disagree, the most restrictive operation applies to all of them.
#[test]
fn names_with_two_meanings() {
    let mut two: Vec<(&str, Vec<Operation>, Operation)> = Vec::new();
    for (name, slot) in NAMES.iter() {
        let operations = slot
            .entries
            .iter()
            .map(|(_, text)| parse(text).unwrap().operation());
        let mut operations: Vec<Operation> = operations.collect();
        operations.sort();
        operations.dedup();
        if operations.len() > 1 {
            two.push((name, operations, tool(name).unwrap().operation()));
        }
    }
    two.sort();
    assert_eq!(
        two,
        [(
            "new_task",
            vec![Operation::Ask, Operation::Spawn],
            Operation::Spawn
        )]
    );
    let parsed = |text: &str| parse(text).unwrap();
    let reads = parsed("- name: x\n  does: read\n  params: {a: path}\n");
    let runs = parsed("- name: x\n  does: command\n  params: {b: command}\n");
    for merged in [reads.clone().merge(runs.clone()), runs.merge(reads.clone())] {
        assert_eq!(
            (merged.operation(), merged.command()),
            (Operation::Command, Some("b"))
        );
        assert!(!merged.params.contains_key("a"));
    }
    let other = parsed("- name: x\n  does: read\n  params: {a: text, b: number}\n");
    let merged = reads.merge(other);
    assert_eq!(merged.params.keys().collect::<Vec<_>>(), ["b"]);
}

/// Parameters with different roles are rated by their names and values.
#[test]
fn parameters_with_two_roles() {
    let mut two: Vec<(&str, String)> = Vec::new();
    for (name, slot) in NAMES.iter() {
        let merged = tool(name).unwrap();
        for (_, text) in &slot.entries {
            let tool = parse(text).unwrap();
            if tool.operation() == merged.operation() {
                let gone = tool
                    .params
                    .into_keys()
                    .filter(|p| !merged.params.contains_key(p));
                two.extend(gone.map(|param| (*name, param)));
            }
        }
    }
    two.sort();
    two.dedup();
    assert!(two.is_empty(), "{two:?}");
}

#[test]
fn parameters_of_a_tool_by_role() {
    let shell = tool("shell").unwrap();
    assert_eq!(
        (shell.command(), shell.directory()),
        (Some("command"), Some("workdir"))
    );
    assert_eq!(tool("exec_command").unwrap().command(), Some("cmd"));
    assert_eq!(tool("apply_patch").unwrap().patch(), Some("input"));
    assert!(tool("Task").unwrap().spawns() && tool("task").unwrap().spawns());
    assert_eq!(
        tool("str_replace_editor").unwrap().operation(),
        Operation::Edit
    );
    assert_eq!(tool("str_replace_editor").unwrap().command(), None);
    assert_eq!(tool("Grep").unwrap().directory(), None);
    for name in [
        "",
        "mcp__a__Read",
        "mcp__a__think",
        "a__Bash",
        "READ",
        " Read",
        "functions.Read",
    ] {
        assert!(tool(name).is_none(), "{name}");
    }
}

#[test]
fn a_servers_tool_is_rated_by_its_own_name() {
    let ctx = Context::new(&TABLE);
    let every = NAMES.iter().flat_map(|(name, slot)| {
        let tests = slot
            .entries
            .iter()
            .flat_map(|(_, text)| parse(text).unwrap().tests);
        tests.map(move |test| (format!("mcp__server__{name}"), test.call))
    });
    for (name, call) in every {
        let call = Param::from(&call);
        assert_eq!(
            effects_of_own(&name, &call, &ctx),
            effects_by_name(&name, &call, &ctx),
            "{name}"
        );
    }
}

#[test]
fn an_entry_of_a_server_explains_nothing_but_texts() {
    let ctx = Context::new(&TABLE);
    let rated = |name: &str, call: Value| {
        let rated = effects_of_call(name, &Param::from(&call), &ctx);
        let paths = rated.effects.iter().filter_map(|e| e.target.clone());
        (rated.risk, paths.collect::<Vec<_>>())
    };
    let listed = "mcp__github__delete_file";
    let other = "mcp__other__github_delete_file";
    // What the tool does follows from its name.
    let call = json!({"owner": "o", "repo": "r", "path": "/src/x"});
    assert_eq!(rated(listed, call.clone()), (RiskLevel::High, Vec::new()));
    assert_eq!(rated(other, call).1, ["/src/x"]);
    for path in [
        "~/x",
        "../../x",
        "/home/dev/.ssh/id_rsa",
        "file:///etc/shadow",
        "/etc/cron.d/x",
        "/Users/x/a.txt",
        "C:/x",
        "x\0",
    ] {
        let call = json!({"owner": "o", "repo": "r", "path": path});
        assert_eq!(rated(listed, call.clone()), rated(other, call), "{path}");
    }
    // Another parameter, another type, or a missing one.
    for call in [
        json!({"owner": "o", "repo": "r", "file": "/src/x"}),
        json!({"owner": "o", "repo": "r", "path": {"path": "/src/x"}}),
        json!({"owner": "o", "repo": "", "path": "/src/x"}),
        json!({"owner": "o", "repo": "r", "command": "rm -rf src"}),
    ] {
        assert_eq!(
            rated(listed, call.clone()),
            rated(other, call.clone()),
            "{call}"
        );
        assert!(!rated(listed, call).1.is_empty());
    }
}

#[test]
fn calls_of_every_shape_are_read() {
    let ctx = Context::new(&TABLE);
    let risk = |name: &str, call: Value| effects_of_call(name, &Param::from(&call), &ctx).risk;
    let todos = json!({"todos": [{"content": "a", "status": "b"}]});
    for call in [
        todos.clone(),
        json!({"tool": "TodoWrite", "parameters": todos}),
        json!({"tool_name": "TodoWrite", "arguments": todos.to_string()}),
        json!({"tool": "TodoWrite", "todos": [{"content": "a"}], "parameters": {}}),
    ] {
        assert_eq!(risk("TodoWrite", call.clone()), RiskLevel::Low, "{call}");
    }
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** End Patch";
    assert_eq!(risk("apply_patch", json!(patch)), RiskLevel::Medium);
    assert_eq!(
        risk("apply_patch", json!({"arguments": patch})),
        RiskLevel::Medium
    );
    assert_eq!(
        risk("exec_command", json!({"arguments": ["ls", "src"]})),
        RiskLevel::Low
    );
    assert_eq!(
        risk("exec_command", json!({"arguments": "rm -rf src"})),
        RiskLevel::High
    );
    // A call among the parameters is a call.
    let inner =
        json!({"server_name": "a", "tool_name": "bash", "arguments": {"command": "rm -rf src"}});
    assert_eq!(
        risk("Task", json!({"prompt": "a", "extra": inner})),
        RiskLevel::High
    );
    let notes = json!({"todos": [{"content": "a", "tool": "bash", "arguments": {"command": "rm -rf src"}}]});
    assert_eq!(risk("TodoWrite", notes), RiskLevel::High);
}

#[test]
fn other_types_are_rated_by_name() {
    let ctx = Context::new(&TABLE);
    for (name, call) in [
        ("Read", json!({"file_path": {"path": "/etc/shadow"}})),
        (
            "Read",
            json!({"file_path": ["src/a.rs", {"x": "/etc/shadow"}]}),
        ),
        ("TodoWrite", json!({"todos": {"a.b/c": "/etc/hosts"}})),
        ("Bash", json!({"command": {"command": "rm -rf src"}})),
        ("Grep", json!({"pattern": {"path": "/etc/shadow"}})),
        (
            "Bash",
            json!({"command": "ls", "run_in_background": "rm -rf src"}),
        ),
        ("think", json!({"thought": {"command": "rm -rf src"}})),
        (
            "str_replace_editor",
            json!({"command": ["view"], "path": "/etc/hosts"}),
        ),
        (
            "str_replace_editor",
            json!({"command": "format", "path": "/etc/hosts"}),
        ),
    ] {
        let call = Param::from(&call);
        let before = effects_by_name(name, &call, &ctx);
        assert!(
            effects_of_call(name, &call, &ctx).risk >= before.risk,
            "{name} {call:?}"
        );
    }
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[ -~\n]{0,12}".prop_map(Value::from),
        Just(json!("rm -rf src")),
        Just(json!("view")),
        Just(json!("/etc/shadow")),
        Just(json!("src/a.rs")),
        Just(json!("https://example.org")),
        Just(json!(
            "*** Begin Patch\n*** Update File: a\n+b\n*** End Patch"
        )),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::Null),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}|content|path|old_string", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A name of the vocabulary, with some of its parameters.
fn call() -> impl Strategy<Value = (String, Map<String, Value>)> {
    let names = NAMES.keys().copied();
    // The words of a name promise nothing about further parameters.
    let mut names: Vec<&str> = names.filter(|name| !name.contains("__")).collect();
    names.sort_unstable();
    prop::sample::select(names).prop_flat_map(|name| {
        let params: Vec<String> = tool(name).unwrap().params.keys().cloned().collect();
        let params: Vec<_> = params
            .into_iter()
            .map(|param| (Just(param), prop::option::of(value())))
            .collect();
        params.prop_map(move |given| {
            let given = given
                .into_iter()
                .filter_map(|(param, value)| Some((param, value?)));
            (name.to_owned(), given.collect())
        })
    })
}

#[test]
fn an_edit_with_only_an_unlisted_parameter_still_writes() {
    let ctx = Context::new(&TABLE);
    for parameters in [json!({"zzz": "a/b"}), json!({"zzz": {"path": "a/b"}})] {
        let found = effects_of_call("appliedDiff", &Param::from(&parameters), &ctx);
        assert!(found.risk >= RiskLevel::Medium, "{parameters}");
    }
}

proptest! {
    #[test]
    fn a_parameter_more_never_lowers_the_risk(
        (name, mut given) in call(),
        key in "x_path|x_file|cmd2|run|script|x_command|command_line|hook|zzz|delete",
        value in prop_oneof![
            Just(json!("ls")),
            Just(json!("src/b.rs")),
            Just(json!("rm -rf src")),
            Just(json!("/etc/shadow")),
            Just(json!(["ls", "src"])),
            Just(json!({"path": "a/b"})),
            Just(json!(true)),
            value(),
        ],
    ) {
        let ctx = Context::new(&TABLE);
        let before = Value::Object(given.clone());
        let before = effects_of_call(&name, &Param::from(&before), &ctx);
        given.insert(key, value);
        let after = Value::Object(given);
        let after = Param::from(&after);
        let found = effects_of_call(&name, &after, &ctx);
        prop_assert!(found.risk >= before.risk, "{name} {after:?}: {:?}", before.reasons());
        prop_assert!(found.risk >= effects_by_name(&name, &after, &ctx).risk);
    }

    #[test]
    fn any_value_is_read(
        name in "Read|Bash|apply_patch|TodoWrite|str_replace_editor|write_stdin",
        call in value()
    ) {
        let ctx = Context::new(&TABLE);
        let found = effects_of_call(&name, &Param::from(&call), &ctx);
        prop_assert!(found.risk >= RiskLevel::Low);
    }
}

#[test]
fn a_file_in_an_unlisted_parameter_is_found() {
    let ctx = Context::new(&TABLE);
    for (name, key) in [
        ("write_file", "filename"),
        ("Read", "path"),
        ("edit", "file"),
    ] {
        let call = json!({ key: "src/a.rs" });
        let found = effects_of_call(name, &Param::from(&call), &ctx);
        let targets: Vec<_> = found.effects.iter().map(|e| e.target.as_deref()).collect();
        assert_eq!(targets, [Some("src/a.rs")], "{name}");
    }
}

/// Only Codex has a program `apply_patch`.
#[test]
fn only_codex_applies_the_patch_of_a_command() {
    let ctx = Context::new(&TABLE);
    let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
    let line = format!("apply_patch <<'EOF'\n{patch}EOF");
    let words = json!({"command": ["apply_patch", patch]});
    let risk = |name: &str, call: &Value| effects_of_call(name, &Param::from(call), &ctx).risk;
    assert_eq!(risk("shell", &words), RiskLevel::Medium);
    assert_eq!(
        risk("exec_command", &json!({"cmd": line})),
        RiskLevel::Medium
    );
    for medium in [
        line.replace("<<'EOF'", "<<EOF"),
        format!("cd 'src' && {line}"),
    ] {
        assert_eq!(
            risk("exec_command", &json!({"cmd": medium})),
            RiskLevel::Medium,
            "{medium}"
        );
    }
    assert_eq!(risk("bash", &words), RiskLevel::High);
    assert_eq!(risk("Bash", &json!({"command": line})), RiskLevel::High);
    for line in [
        line.replace("<<'EOF'", "<<EOF")
            .replace("File: a", "File: $(x)"),
        line.replace("\nEOF", "\nEOF; rm -rf src"),
        line.replace("*** End", "EOF\nrm -rf src\n*** End"),
        format!("cd /etc && {line}"),
    ] {
        assert_eq!(
            risk("exec_command", &json!({"cmd": line})),
            RiskLevel::High,
            "{line}"
        );
    }
}

#[test]
fn an_unresolvable_path_still_has_an_effect() {
    let ctx = Context::new(&TABLE);
    let long = format!("/etc/{}", "p".repeat(5000));
    for path in ["/etc/pass\nwd", "/etc/a\0b", &long] {
        for (tool, name) in [("Write", "file_path"), ("frobnicate", "path")] {
            let call = json!({"tool": tool, "parameters": {name: path, "content": "x"}});
            let found = effects_of_call(tool, &Param::from(&call), &ctx);
            assert_eq!(found.risk, RiskLevel::High, "{tool} {path:?}");
            let outside = |target: &str| target.starts_with("/etc/");
            let mut targets = found.effects.iter().filter_map(|e| e.target.as_deref());
            assert!(targets.any(outside), "{tool} {path:?} {found:?}");
        }
    }
}
