//! Command lines and patches among the parameters of a tool call.
//!
//! `{"command": "rm", "args": ["-rf", "src"]}` is one command line, whether a runtime calls it a
//! command or a tool. Members next to a command apply as in a `shell_cmd`. A patch has its own
//! effects on files.

use super::command_line::CommandLine;
use super::diff::effects_of_diff;
use super::edit_blocks::edit_blocks;
use super::param::Param;
use super::param_scan::Hook;
use super::tool::{clean, command_like};
use crate::effect::{EffectKind, RiskLevel, Span, StepOrigin};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::paths::path::normalise;
use crate::syntax::parse::Base;
use std::borrow::Cow;

/// The members around a parameter.
pub(super) type Siblings<'p> = &'p [(Cow<'p, str>, Param<'p>)];

const NO_SPAN: Span = Span { from: 0, to: 0 };

/// Runs a parameter that is a command line, with the parameters next to it.
pub(super) fn tool_line(cx: &mut Engine<'_>, text: &str, siblings: Siblings<'_>) {
    let line = completed_line(cx, text, siblings);
    in_directory(cx, line.cwd.as_deref(), |engine| {
        engine.run_text(
            &clean(&line.text),
            Base::Fixed(NO_SPAN),
            StepOrigin::Code,
            &Stream::default(),
            false,
        );
    });
}

/// Runs a parameter that is a program with its arguments, with the parameters next to it.
pub(super) fn tool_words(cx: &mut Engine<'_>, words: &[&str], siblings: Siblings<'_>) {
    const WORD: &str = "x";
    let line = completed_line(cx, WORD, siblings);
    if *line.text != *WORD {
        tool_unknown(cx, "arguments or variables");
    }
    let argv: Vec<Arg> = words
        .iter()
        .map(|word| Arg::literal(clean(word), NO_SPAN))
        .collect();
    in_directory(cx, line.cwd.as_deref(), |engine| {
        engine.wrapped(&argv, &Stream::default(), false, NO_SPAN);
    });
}

/// Returns the line completed by the members next to it. Other commands among them run
/// separately.
fn completed_line<'p>(
    cx: &mut Engine<'_>,
    text: &'p str,
    siblings: Siblings<'p>,
) -> CommandLine<'p> {
    let mut line = CommandLine {
        text: Cow::Borrowed(text),
        ..CommandLine::default()
    };
    let apart =
        |name: &str| matches!(name, "tool" | "tool_name") || command_like(name) && name != "shell";
    let others = siblings.iter().filter(|(name, _)| !apart(name));
    line.add(text, others);
    if let Some(name) = &line.unknown {
        tool_unknown(cx, name);
    }
    line
}

fn tool_unknown(cx: &mut Engine<'_>, name: &str) {
    let why = "a parameter next to the command that may change what runs";
    let target = Some(crate::chars::show(&clean(name)));
    cx.emit_unknown(target, NO_SPAN, why);
}

/// Runs `run` in another directory.
pub(super) fn in_directory(
    cx: &mut Engine<'_>,
    cwd: Option<&str>,
    run: impl FnOnce(&mut Engine<'_>),
) {
    let before = cx.clone_cwd();
    if let Some(cwd) = cwd {
        cx.set_cwd(normalise(&clean(cwd), before.as_deref()).map(Cow::Owned));
    }
    run(cx);
    cx.set_cwd(before);
}

/// Handles a parameter that may be a command line which runs later.
pub(super) fn tool_hook(cx: &mut Engine<'_>, text: &str, hook: Hook) {
    let text = text.trim();
    if text.is_empty() || text.len() > 100_000 {
        return;
    }
    let found = crate::analyse(text, cx.ctx());
    let unknown = |effect: &&crate::Effect| effect.kind == EffectKind::Unknown;
    let word = !text.contains(char::is_whitespace);
    let least = if word && !text.contains('/') || hook == Hook::Code {
        RiskLevel::High
    } else {
        RiskLevel::Medium
    };
    let known = found.effects.iter().filter(|effect| !unknown(effect));
    let acts = known.map(|effect| effect.risk).max() >= Some(least);
    let is_one = match hook {
        Hook::Command => acts || !word,
        Hook::Step => acts,
        Hook::Code => acts && !found.effects.iter().any(|effect| unknown(&effect)),
    };
    if is_one {
        for effect in found.effects {
            cx.emit_found(crate::Effect {
                span: NO_SPAN,
                ..effect
            });
        }
    }
}

/// Adds the effects of a parameter that is a patch. Returns false if it isn't one.
pub(super) fn tool_patch(cx: &mut Engine<'_>, text: &str) -> bool {
    let text = clean(text);
    if text
        .lines()
        .any(|line| line.starts_with("+++ ") || line.starts_with("diff --git "))
    {
        for effect in effects_of_diff(&text, cx.ctx()).effects {
            cx.emit_found(crate::Effect {
                span: NO_SPAN,
                ..effect
            });
        }
        return true;
    }
    // Blocks without a name are about the file of another parameter.
    let blocks = edit_blocks(&text).names;
    let mut found = !blocks.is_empty();
    for (name, _) in &blocks {
        cx.path_write(name.as_str());
    }
    for line in text.lines().filter_map(|line| line.strip_prefix("*** ")) {
        let named = |word: &str| line.strip_prefix(word).map(str::trim);
        if let Some(path) = named("Add File: ")
            .or_else(|| named("Update File: "))
            .or_else(|| named("Move to: "))
        {
            cx.path_write(path);
            found = true;
        } else if let Some(path) = named("Delete File: ") {
            cx.path_delete(path, false);
            found = true;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::RiskLevel;
    use crate::risk_of_call as risk;
    use serde_json::json;

    #[test]
    fn members_next_to_a_command_are_applied() {
        for params in [
            json!({"command": "rm", "args": ["-rf", "src"]}),
            json!({"command": "git", "args": ["push", "--force"]}),
            json!({"command": "cat", "args": [".env"]}),
            json!({"command": "cat", "argv": "x; y"}),
            json!({"command": "ls", "stdin": "rm -rf /"}),
            json!({"command": "ls", "code": "import os"}),
            json!({"command": "ls", "env": {"LD_PRELOAD": "./evil.so"}}),
            json!({"command": "ls", "user": 0}),
            json!({"command": "rm a", "cwd": "/etc"}),
            json!({"command": "rm a", "cwd": "/etc", "workdir": "src"}),
            json!({"command": "rm a", "directory": "/etc"}),
            json!({"command": "ls", "with_escalated_permissions": true}),
            json!({"command": ["ls"], "args": ["x"]}),
            json!({"command": ["rm", "a"], "cwd": "/etc"}),
            json!({"command": "ls", "script": "rm -rf src"}),
            json!({"command": "ls", "is_input": true}),
            json!({"command": "ls", "reset": {"command": "rm -rf src"}}),
        ] {
            assert_eq!(
                risk("bash_execute", params.clone()),
                RiskLevel::High,
                "{params}"
            );
        }
        for params in [
            json!({"command": "ls", "args": ["-l", "src"]}),
            json!({
                "command": "ls -l | wc", "timeout": 1000, "description": "look", "args": [],
                "env": {}, "stdin": null
            }),
            json!({"command": "ls", "cwd": "src", "run_in_background": false, "requires_approval": false}),
            json!({"command": "ls", "directory": "src"}),
            json!({"command": "ls", "is_input": "false", "reset": false, "security_risk": "LOW"}),
            json!({"command": "ls", "is_input": false, "thought": "rm -rf src", "hidden": false}),
            json!({"command": ["ls", "-l"], "workdir": "/home/dev/project"}),
            json!({"command": "ls", "env": {"LANG": "C", "COLUMNS": 80}}),
        ] {
            assert_eq!(
                risk("bash_execute", params.clone()),
                RiskLevel::Low,
                "{params}"
            );
        }
        assert_eq!(
            risk("bash_execute", json!({"command": "touch a", "cwd": "src"})),
            RiskLevel::Medium
        );
    }

    #[test]
    fn patches_have_effects() {
        let git = "--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-a\n+b\n";
        let plain = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n";
        let begun = |path: &str| {
            format!("*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n")
        };
        assert_eq!(risk("apply_patch", json!({"patch": git})), RiskLevel::High);
        assert_eq!(
            risk("edit_file", json!({"path": "src/a", "diff": git})),
            RiskLevel::High
        );
        assert_eq!(
            risk("apply_patch", json!({"input": begun("/etc/hosts")})),
            RiskLevel::High
        );
        assert_eq!(
            risk("apply_patch", json!({"input": begun("src/a.rs")})),
            RiskLevel::Medium
        );
        assert_eq!(
            risk("apply_patch", json!({"patch": plain})),
            RiskLevel::Medium
        );
        assert_eq!(
            risk("review_diff_show", json!({"diff": plain})),
            RiskLevel::Low
        );
        assert_eq!(
            risk("write_file", json!({"path": "a.patch", "content": git})),
            RiskLevel::Medium,
            "no tool applies it"
        );
    }

    #[test]
    fn parameters_of_a_reader_are_rated() {
        const WORKFLOW: &str = ".github/workflows/x.yml";
        let diff = format!("--- a/{WORKFLOW}\n+++ b/{WORKFLOW}\n@@ -1 +1 @@\n-a\n+b\n");
        for params in [
            json!({"tool_calls": [{"tool": "delete_branch", "parameters": {"branch": "main"}}]}),
            json!({"tool_calls": [{"function": {"name": "delete_branch", "arguments": "{}"}}]}),
            json!({"calls": [{"tool": "write_file", "path": WORKFLOW}]}),
            json!({"parameters": "{\"calls\":[{\"tool\":\"delete_branch\"}]}"}),
            json!({"path": "a", "diff": diff}),
            json!({"path": "a", "run": "rm -rf src"}),
            json!({"path": "a", "run": ["rm", "-rf", "src"]}),
            json!({"path": "a", "on_success": "rm -rf src"}),
            json!({"path": "a", "steps": [{"run": "rm -rf src"}, "ls"]}),
            json!({"path": "a", "steps": ["rm -rf src"]}),
            json!({"path": "a", "pager": "sh -c 'rm -rf src'"}),
            json!({"path": "a", "code": "rm -rf src"}),
            json!({"path": "a", "env": {"LD_PRELOAD": "./evil.so"}}),
            json!({"path": WORKFLOW, "content": "x"}),
            json!({"path": ".envrc.user", "old_string": "x", "newString": "y"}),
            json!({"files": {WORKFLOW: "on: push"}}),
            json!({"files": [{"path": WORKFLOW, "content": "x"}]}),
        ] {
            assert_eq!(
                risk("read_file", params.clone()),
                RiskLevel::High,
                "{params}"
            );
        }
        for (tool, params) in [
            ("search", json!({"query": "rm -rf src"})),
            ("search", json!({"path": "src", "content": "rm -rf src"})),
            ("lookup_error", json!({"code": "E0308"})),
            (
                "get_snippet",
                json!({"code": "import os\nprint(1)", "language": "python"}),
            ),
            (
                "read_file",
                json!({"path": "a", "on_error": "continue", "after": "10"}),
            ),
            ("read_file", json!({"path": "a", "env": {"LANG": "C"}})),
            ("read_files", json!({"files": {"src/a.rs": "1-20"}})),
            ("get_plan", json!({"steps": ["Open the file", "Read it"]})),
            ("get_hook", json!({"hook": "pre-commit"})),
            (
                "get_tool_schema",
                json!({"parameters": {"tool": "delete_branch"}}),
            ),
            ("get_diff", json!({"diff": "HEAD~1"})),
        ] {
            assert_eq!(
                risk(tool, params.clone()),
                RiskLevel::Low,
                "{tool} {params}"
            );
        }
    }

    #[test]
    fn member_names_are_read_like_paths() {
        for params in [
            json!({"files": {" .github/workflows/ci.yml": "x"}}),
            json!({"files": {".npmrc\u{0}.txt": "x"}}),
            json!({"path": ".npmrc\u{0}.txt"}),
        ] {
            assert_eq!(
                risk("write_files", params.clone()),
                RiskLevel::High,
                "{params}"
            );
        }
    }
}
