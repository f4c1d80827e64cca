//! Effects of tool calls that aren't command lines: from the tool's name, and from the paths and
//! URLs among its parameters, whatever their names.

use super::agent_tools::{effects_of_known, tool};
use super::extra_members::effects_of_nested_calls;
use super::param::Param;
use super::param_scan::ParamScan;
use super::tool_name::{Verb, normalise_name, verb, words};
use super::tool_params;
use super::tool_params::Topics;
use crate::Context;
use crate::chars::any_byte;
use crate::effect::{Analysis, Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::Engine;
use crate::interpreter::expand::Arg;
use crate::memo::Memo;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;

thread_local! {
    static TOOLS: RefCell<Memo<(Verb, Topics)>> = RefCell::default();
}

fn unreadable_parameters(cx: &mut Engine<'_>) {
    cx.emit_unknown(
        None,
        Span::default(),
        "parameters in a text that can't be read as JSON",
    );
}

/// Returns whether a parameter of this name contains a command line.
pub(super) fn command_like(key: &str) -> bool {
    [
        "command",
        "cmd",
        "shell",
        "script",
        "commandline",
        "command_line",
        "bash",
        "shell_command",
    ]
    .into_iter()
    .any(|name| key.eq_ignore_ascii_case(name))
}

/// Returns the effects of calling a tool with these parameters. Spans are empty, since there is no
/// line.
#[must_use]
pub fn effects_of_tool(name: &str, params: &Value, ctx: &Context<'_>) -> Analysis {
    effects_of_call(name, &Param::from(params), ctx)
}

/// Like [`effects_of_tool`], with parameters borrowed from a record.
#[must_use]
pub fn effects_of_call(name: &str, params: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    let (params, more) = params.with_parsed_strings();
    let mut analysis = effects_of_own(name, &params, ctx);
    analysis.join(effects_of_nested_calls(&params, ctx));
    if more {
        analysis.join(unreadable(ctx));
    }
    analysis
}

/// Returns the effects of parameters that can't be parsed.
pub(super) fn unreadable(ctx: &Context<'_>) -> Analysis {
    let mut e = Engine::for_call(ctx);
    unreadable_parameters(&mut e);
    e.finish()
}

/// Returns the effects of a call without those of calls among its parameters.
pub(super) fn effects_of_own(name: &str, params: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    match tool(name) {
        Some(tool) => effects_of_known(tool, name, params, ctx),
        None => effects_by_name(name, params, ctx),
    }
}

/// Returns the effects of a call by the words of the tool's name and by its parameters.
pub(super) fn effects_by_name(name: &str, params: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    let mut e = Engine::for_call(ctx);
    let (mut v, topics) = TOOLS.with_borrow_mut(|tools| tools.get(name, verb));
    let args: Vec<Arg> = Vec::new();
    e.step(name, &args, Span::default());
    let inputs = params.inputs();
    let params = &*inputs.values;
    if inputs.unreadable {
        unreadable_parameters(&mut e);
    }
    let mut found = ParamScan {
        verb: v,
        tool: name,
        topics,
        ..ParamScan::default()
    };
    found.read(&mut e, params);
    let ParamScan {
        verb,
        paths,
        outputs,
        seen_command,
        ..
    } = found;
    v = verb;
    for p in &outputs {
        // An output is written, even if the tool's name says that it only reads.
        e.path_write(&**p);
    }
    let brings = topics.has(Topics::DOWNLOAD);
    for p in &paths {
        match v {
            Verb::Network if brings => e.path_write(&**p),
            Verb::Read | Verb::GitRead | Verb::Network => e.path_read(&**p),
            Verb::Write | Verb::GitWrite => e.path_write(&**p),
            Verb::Delete => {
                let recursive = flag(params, "recursive") || p.ends_with('/');
                e.path_delete(&**p, recursive);
            }
            Verb::Move => {
                e.path_move(&**p);
                e.path_write(&**p);
            }
            Verb::Execute | Verb::Check | Verb::Unknown => e.path_read(&**p),
        }
    }
    let none = Span::default();
    match v {
        Verb::Read => {
            if topics.handles_secrets() {
                tool_params::tool_secret(
                    &mut e,
                    name,
                    "the tool's name says that it reads secrets",
                );
            } else if paths.is_empty() {
                e.emit_raw(
                    EffectKind::Read,
                    None,
                    Certainty::Possible,
                    none,
                    RiskLevel::Low,
                    "the tool's name says that it reads",
                );
            }
        }
        Verb::Write | Verb::Move if paths.is_empty() => {
            e.emit_raw(
                EffectKind::Write,
                None,
                Certainty::Possible,
                none,
                RiskLevel::Medium,
                "the tool's name says that it writes",
            );
        }
        Verb::Delete if paths.is_empty() => {
            e.emit_raw(
                EffectKind::Delete,
                None,
                Certainty::Possible,
                none,
                RiskLevel::High,
                "the tool's name says that it deletes",
            );
        }
        Verb::Write | Verb::Move | Verb::Delete => {}
        Verb::Execute if !seen_command => {
            e.emit_raw(
                EffectKind::Dynamic,
                None,
                Certainty::Possible,
                none,
                RiskLevel::High,
                "the tool runs something that isn't named",
            );
        }
        Verb::Check if !seen_command => {
            e.emit_raw(
                EffectKind::Execute,
                None,
                Certainty::Certain,
                none,
                RiskLevel::Medium,
                "the tool's name says that it runs the project's own tests or build",
            );
        }
        Verb::Execute | Verb::Check => {}
        Verb::Network => {
            e.emit_raw(
                EffectKind::Network,
                None,
                Certainty::Possible,
                none,
                RiskLevel::Medium,
                "the tool's name says that it uses the network",
            );
        }
        Verb::GitRead => e.emit(
            EffectKind::GitRead,
            None,
            none,
            "the tool's name says that it reads the repository",
        ),
        Verb::GitWrite => {
            let rewrites = words(&normalise_name(name))
                .any(|word| matches!(word, "reset" | "rebase" | "force" | "clean"))
                || flag(params, "force")
                || flag(params, "hard");
            let kind = if rewrites {
                EffectKind::GitRewrite
            } else {
                EffectKind::GitWrite
            };
            e.emit(
                kind,
                None,
                none,
                "the tool's name says that it changes the repository",
            );
        }
        Verb::Unknown => {
            e.emit_unknown(
                Some(name.to_owned()),
                none,
                "the tool's name doesn't say what it does",
            );
        }
    }
    if !reads(v) && topics.handles_secrets() {
        tool_params::tool_secret(&mut e, name, "the tool's name says that it handles secrets");
    }
    if matches!(v, Verb::GitRead | Verb::GitWrite) {
        let normalised = normalise_name(name);
        let all: Vec<&str> = words(&normalised).collect();
        if let Some(at) = all.iter().rposition(|word| *word == "git") {
            tool_params::tool_git(&mut e, all.get(at + 1..).unwrap_or_default(), params);
        }
    }
    e.finish()
}

/// Returns whether the tool's name says that it changes nothing.
pub(super) fn reads(v: Verb) -> bool {
    matches!(v, Verb::Read | Verb::GitRead)
}

/// Returns the text without the characters that represent unknown parts of expanded words.
pub(super) fn clean(s: &str) -> Cow<'_, str> {
    if any_byte(s, |b| b <= 3) {
        Cow::Owned(
            s.chars()
                .map(|c| if c <= '\u{3}' { '\u{1a}' } else { c })
                .collect(),
        )
    } else {
        Cow::Borrowed(s)
    }
}

fn flag(params: &Param<'_>, key: &str) -> bool {
    params.get(key).is_some_and(Param::is_on)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk_of_call as risk;
    use serde_json::json;

    #[test]
    fn names_and_parameters() {
        assert_eq!(
            risk("read_file", json!({"path": "README.md"})),
            RiskLevel::Low
        );
        assert_eq!(
            risk("mcp__fs__readFile", json!({"anything": "./src/a.rs"})),
            RiskLevel::Low
        );
        assert_eq!(
            risk("read_file", json!({"path": "/home/dev/.ssh/id_rsa"})),
            RiskLevel::High
        );
        assert_eq!(
            risk("write_file", json!({"p": "./a.txt", "content": "rm -rf /"})),
            RiskLevel::Medium
        );
        assert_eq!(
            risk("write_file", json!({"where": "/etc/hosts"})),
            RiskLevel::High
        );
        assert_eq!(
            risk("delete_file", json!({"path": "a.txt"})),
            RiskLevel::Medium
        );
        assert_eq!(
            risk(
                "delete_directory",
                json!({"path": "src", "recursive": true})
            ),
            RiskLevel::High
        );
        assert_eq!(
            risk("bash_execute", json!({"command": "ls src"})),
            RiskLevel::Low
        );
        assert_eq!(
            risk("bash_execute", json!({"command": "rm -rf src"})),
            RiskLevel::High
        );
        assert_eq!(
            risk("run", json!({"command": ["rm", "-rf", "src"]})),
            RiskLevel::High
        );
        assert_eq!(
            risk("fetch", json!({"url": "https://example.org"})),
            RiskLevel::Medium
        );
        assert_eq!(risk("git_status", json!({})), RiskLevel::Low);
        assert_eq!(
            risk("git_commit", json!({"message": "x"})),
            RiskLevel::Medium
        );
        assert_eq!(risk("frobnicate", json!({})), RiskLevel::High);
        assert_eq!(
            risk("run_tests", json!({"suite": "all"})),
            RiskLevel::Medium
        );
        assert_eq!(
            risk("runTests", json!({"command": "rm -rf src"})),
            RiskLevel::High
        );
        assert_eq!(risk("run_script", json!({"name": "test"})), RiskLevel::High);
        assert_eq!(risk("delete_test", json!({})), RiskLevel::High);
        assert_eq!(
            risk("github_get_issue", json!({"number": 1})),
            RiskLevel::Medium
        );
        assert_eq!(risk("\u{1b}[2Jread", json!({})), RiskLevel::High);
    }

    #[test]
    fn a_name_with_a_second_action_is_not_low() {
        for name in [
            "view_and_transfer_money",
            "query_mutate",
            "get_rid_of",
            "get__sudo",
            "search__root",
            "read_sign",
            "search_hack",
            "get_and_pwn",
            "list_exploit_target",
            "delete_all__get",
            "git_show_and_push",
            "git_log_delete",
            "sudo__read_file",
            "get_user_\u{455}end",
            "read_dеlete",
            "viewAndTransferMoney",
            "viewANDTransferMoney",
            "get_or_wire_funds",
            "list-then-pay",
            "read_and_exfiltrate",
            "search_and_forward_emails",
            "check_and_approve",
            "mcp__bank__view_and_transfer_money",
            "get_then_frobnicate",
            "view_transfer_money",
            "approve_and_view",
            "open_and_pay_invoice",
            "lookup_plus_buy",
        ] {
            assert_ne!(risk(name, json!({})), RiskLevel::Low, "{name}");
        }
        for name in [
            "get_weather",
            "get_user",
            "read_file",
            "search_issues",
            "list_projects",
            "get_transfer",
            "get_start_line",
            "list_mount_points",
            "get_ssh_config",
            "read_resource",
            "get_diagnostics",
            "mcp__docs__get_library_docs",
            "search__docs",
            "read_文件",
            "list_files_and_directories",
            "get_title_and_body",
            "get_transfer",
            "get_transfer_status",
            "find_or_list",
            "read_pdf",
            "readPDFFile",
            "view_order",
            "list_pull_requests",
            "get_merge_conflicts",
            "search_code_and_issues",
            "get_user_and_groups",
        ] {
            assert_eq!(risk(name, json!({})), RiskLevel::Low, "{name}");
        }
    }

    #[test]
    fn every_shape_of_parameters_is_read() {
        let call = |parameters: Value| json!({"tool": "x", "arguments": parameters});
        for (name, params) in [
            ("bash", call(json!("{\"command\":\"rm -rf /\"}"))),
            ("bash", call(json!("rm -rf /"))),
            ("bash", call(json!(["rm", "-rf", "/"]))),
            ("bash", call(json!("[\"rm\",\"-rf\",\"/\"]"))),
            ("bash", call(json!("{\"command\":\"rm -rf /\""))),
            (
                "bash",
                json!({"tool": "x", "parameters": {"command": "rm a"}, "cwd": "/etc"}),
            ),
            ("read_file", call(json!("{\"path\":\".env\"}"))),
            ("read_file", call(json!(".env"))),
            ("read_file", call(json!([".env"]))),
            ("cat", call(json!("/etc/shadow"))),
            ("query", call(json!("drop table x"))),
            (
                "apply_patch",
                call(json!(
                    "*** Begin Patch\n*** Update File: /etc/hosts\n@@\n-a\n+b\n*** End Patch"
                )),
            ),
            ("git_diff", call(json!("--output=/etc/x"))),
            (
                "delete_directory",
                json!({"tool": "x", "parameters": {"path": "src", "recursive": true}}),
            ),
            (
                "write_files",
                json!({"files": {".git/hooks/pre-commit": "x"}}),
            ),
            (
                "write_files",
                json!({"files": {"Jenkinsfile": "x", "data": "y"}}),
            ),
            (
                "write_files",
                json!({"tool": "x", "parameters": "{\"files\":{\"../../x\":{\"content\":\"y\"}}}"}),
            ),
            ("write_file", json!({".envrc": "x"})),
            (
                "write_file",
                json!({"path": "$HOME/.ssh/authorized_keys", "content": "x"}),
            ),
            (
                "write_file",
                json!({"path": "%USERPROFILE%\\x", "content": "x"}),
            ),
            ("write_file", json!({"path": "%AppData%/x", "content": "x"})),
            (
                "write_file",
                json!({"path": "$env:USERPROFILE\\x", "content": "x"}),
            ),
            ("write_file", json!({"path": "${HOME}/x", "content": "x"})),
            (
                "write_file",
                json!({"path": "$SOMEWHERE/x", "content": "x"}),
            ),
            (
                "write_file",
                json!({"path": ".github/workflows/ci.yml", "content": "x"}),
            ),
        ] {
            assert_eq!(
                risk(name, params.clone()),
                RiskLevel::High,
                "{name} {params}"
            );
        }
        for (name, params, expected) in [
            (
                "bash",
                call(json!("{\"command\":\"ls src\",\"timeout\":5}")),
                RiskLevel::Low,
            ),
            (
                "read_file",
                call(json!("{\"path\":\"src/a.rs\"}")),
                RiskLevel::Low,
            ),
            ("read_file", call(json!("src/a.rs")), RiskLevel::Low),
            (
                "read_file",
                json!({"path": "${workspaceFolder}/src/a.rs"}),
                RiskLevel::Low,
            ),
            (
                "write_file",
                json!({"path": "a.json", "content": "{\"command\":\"rm -rf /\"}"}),
                RiskLevel::Medium,
            ),
            (
                "write_file",
                json!({"path": "$PWD/a.rs", "content": "x"}),
                RiskLevel::Medium,
            ),
            (
                "write_files",
                json!({"files": {"src/a.rs": "use crate::x;", "src/profile.rs": "mod x;"}}),
                RiskLevel::Medium,
            ),
            (
                "edit_file",
                json!({"edits": [{"old_string": "a", "new_string": "b"}], "path": "a"}),
                RiskLevel::Medium,
            ),
            (
                "search_text",
                call(json!("{\"query\":\"rm -rf /\"}")),
                RiskLevel::Low,
            ),
        ] {
            assert_eq!(risk(name, params.clone()), expected, "{name} {params}");
        }
    }
}
