//! Payloads without parameters, such as an answer or a diff, with additional members that may act.

use super::command_line::{DIRECTORY_MEMBERS, is_descriptive, is_harmless};
use super::param::{Param, WRAPPERS};
use super::param_scan::ParamScan;
use super::tool::{command_like, effects_of_call, effects_of_own, unreadable};
use super::tool_name::{Verb, verb};
use crate::Context;
use crate::effect::{Analysis, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::Engine;
use std::borrow::Cow;

/// Members with the text of an answer.
pub const ANSWER_MEMBERS: [&str; 2] = ["content", "text"];
/// Members with a diff.
pub const DIFF_MEMBERS: [&str; 2] = ["diff", "content"];

/// Returns the effects of an `answer`. Its text has none; all other members are rated as the
/// parameters of a call.
#[must_use]
pub fn effects_of_answer(payload: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    /// Members that describe the text.
    const DESCRIPTIONS: [&str; 10] = [
        "confidence",
        "done",
        "final",
        "format",
        "lang",
        "language",
        "metadata",
        "mime_type",
        "role",
        "type",
    ];
    /// Members that list sources of the answer.
    const SOURCES: [&str; 6] = [
        "citations",
        "sources",
        "references",
        "links",
        "related",
        "urls",
    ];
    let (payload, more) = payload.with_parsed_strings();
    let payload = &*payload;
    let mut rest: Vec<(Cow<'_, str>, Param<'_>)> = Vec::new();
    let mut cited: Vec<(Cow<'_, str>, Param<'_>)> = Vec::new();
    let mut objects: Vec<&Param<'_>> = vec![payload];
    // An answer may consist of several texts.
    if let Param::List(parts) = payload {
        objects = parts.iter().collect();
    }
    for name in ANSWER_MEMBERS {
        match payload.get(name) {
            Some(Param::List(parts)) => objects.extend(parts),
            Some(one @ Param::Members(_)) => objects.push(one),
            _ => {}
        }
    }
    for (name, value) in objects.into_iter().filter_map(Param::members).flatten() {
        let text = ANSWER_MEMBERS.contains(&&**name) && matches!(value, Param::Text(_));
        let part = ANSWER_MEMBERS.contains(&&**name)
            && std::ptr::eq(payload.get(name).unwrap_or(&Param::Nothing), value);
        let kind = DESCRIPTIONS.contains(&&**name);
        if value.is_empty()
            || text
            || part
            || is_harmless(name, value)
            || kind && is_descriptive(value)
        {
            continue;
        }
        // Members that describe an answer may name files, but may contain neither files nor calls.
        let tells = SOURCES.contains(&&**name) || kind && !can_act(value);
        let list = if tells { &mut cited } else { &mut rest };
        list.push((Cow::Borrowed(name), value.clone()));
    }
    let mut analysis = if rest.is_empty() {
        Analysis::default()
    } else {
        effects_of_extras(&Param::Members(rest), ctx)
    };
    if !cited.is_empty() {
        let mut e = Engine::for_call(ctx);
        let cited = Param::Members(cited);
        let mut found = ParamScan {
            verb: Verb::Read,
            cites: true,
            ..ParamScan::default()
        };
        found.read(&mut e, &cited);
        found.paths.iter().for_each(|path| e.path_read(&**path));
        analysis.join(e.finish());
    }
    if more {
        analysis.join(unreadable(ctx));
    }
    analysis
}

/// Returns the effects of the members next to the diff of a `code_diff`, rated as the parameters of
/// a call.
#[must_use]
pub fn effects_of_diff_extras(payload: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    let (payload, more) = payload.with_parsed_strings();
    if more {
        return unreadable(ctx);
    }
    let is_extra = |(name, value): &&(Cow<'_, str>, Param<'_>)| {
        let text = DIFF_MEMBERS.contains(&&**name) && matches!(value, Param::Text(_));
        let here = DIRECTORY_MEMBERS.contains(&&**name)
            && value
                .as_str()
                .is_some_and(|place| matches!(place, "." | "./"));
        !(value.is_empty() || text || here || is_harmless(name, value))
    };
    let rest: Vec<_> = payload
        .members()
        .unwrap_or_default()
        .iter()
        .filter(is_extra)
        .cloned()
        .collect();
    if rest.is_empty() {
        Analysis::default()
    } else {
        effects_of_extras(&Param::Members(rest), ctx)
    }
}

/// Returns whether a value can cause an action: it contains a command, the parameters of a call, or
/// a file with its content.
fn can_act(value: &Param<'_>) -> bool {
    const CONTENTS: [&str; 8] = [
        "content", "contents", "data", "patch", "diff", "files", "changes", "edits",
    ];
    let act = |(name, value): &(Cow<'_, str>, Param<'_>)| {
        let holds =
            CONTENTS.contains(&&**name) || WRAPPERS.contains(&&**name) || command_like(name);
        !value.is_empty() && (holds || name.contains(['.', '/', '\\']))
    };
    let changes = |tool: &str| {
        matches!(
            verb(tool).0,
            Verb::Delete | Verb::Move | Verb::Write | Verb::GitWrite
        )
    };
    let acting = |one: &Param<'_>| {
        one.members().is_some_and(|members| members.iter().any(act))
            || one.tool().is_some_and(changes)
    };
    value.self_and_descendants().any(acting)
}

/// Returns the effects of calls nested in another call, in its parameters or next to them.
pub(super) fn effects_of_nested_calls(call: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    // Parameters that only name a tool ask about it.
    let asks = |one: &Param<'_>| {
        let given = WRAPPERS.iter().filter_map(|wrapper| call.get(wrapper));
        let members = one.members().unwrap_or_default();
        members.len() == 1 && given.into_iter().any(|given| std::ptr::eq(given, one))
    };
    let written = WRAPPERS
        .iter()
        .filter_map(|wrapper| call.get(wrapper)?.as_str())
        .any(|text| text.contains('{'));
    if written {
        return effects_of_calls(call.inputs().values.self_and_descendants(), ctx);
    }
    effects_of_calls(
        call.self_and_descendants().skip(1).filter(|one| !asks(one)),
        ctx,
    )
}

/// Returns the effects of the calls anywhere in a value.
fn effects_of_calls_in(value: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    effects_of_calls(value.self_and_descendants(), ctx)
}

/// Returns the tool that a value calls, and whether it surely is a call. `tool` and `tool_name`
/// name a tool; other members do only next to parameters.
fn called_tool<'p>(value: &'p Param<'_>) -> Option<(&'p str, bool)> {
    const GIVEN: [&str; 5] = ["parameters", "arguments", "input", "args", "params"];
    if let Some(tool) = value.tool() {
        let given = WRAPPERS.iter().any(|wrapper| value.get(wrapper).is_some());
        return Some((tool, given));
    }
    let name = value.get("name").or_else(|| value.get("function"))?;
    let given = GIVEN.iter().any(|given| value.get(given).is_some());
    // `parameters` may also be those of a model, or part of a tool's description.
    let sure = value.get("arguments").is_some_and(|a| !a.is_empty());
    Some((name.as_str().filter(|_| given)?, sure))
}

/// Returns the effects of the calls among some values. Without parameters, a tool's name may be a
/// remark. Then it counts as a call only if the name determines the effects.
fn effects_of_calls<'p>(
    values: impl Iterator<Item = &'p Param<'p>>,
    ctx: &Context<'_>,
) -> Analysis {
    /// Maximum number of calls; more are rated high.
    const MAX_CALLS: usize = 100;
    let mut analysis = Analysis::default();
    let mut calls = values.filter_map(|one| Some((one, called_tool(one)?)));
    for (call, (tool, sure)) in calls.by_ref().take(MAX_CALLS) {
        let found = effects_of_own(tool, call, ctx);
        if sure || found.effects.iter().all(|e| e.kind != EffectKind::Unknown) {
            analysis.join(found);
        }
    }
    if calls.next().is_some() {
        (analysis.truncated, analysis.risk) = (true, RiskLevel::High);
    }
    analysis
}

/// Returns the effects of members of a payload that has no parameters.
fn effects_of_extras(rest: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    if let Some(tool) = rest.tool() {
        return effects_of_call(tool, rest, ctx);
    }
    let within = effects_of_calls_in(rest, ctx);
    let mut e = Engine::for_call(ctx);
    let mut unknown = |why| {
        e.emit_unknown(None, Span::default(), why);
    };
    let names = rest.members().unwrap_or_default();
    if names
        .iter()
        .any(|(name, _)| WRAPPERS.contains(&&**name) || matches!(&**name, "tool" | "tool_name"))
    {
        unknown("parameters of a tool that isn't named");
    }
    if names
        .iter()
        .any(|(name, _)| DIRECTORY_MEMBERS.contains(&&**name))
    {
        unknown("it is applied in another directory");
    }
    let inputs = rest.inputs();
    let mut found = ParamScan {
        verb: Verb::Write,
        ..ParamScan::default()
    };
    found.read(&mut e, &inputs.values);
    // The payload doesn't determine what happens to them.
    found
        .paths
        .iter()
        .chain(&found.outputs)
        .for_each(|path| e.path_write(&**path));
    let mut analysis = e.finish();
    analysis.join(within);
    analysis
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Table};
    use serde_json::json;

    #[test]
    fn extra_members_are_rated() {
        let table = Table::builtin();
        let ctx = Context::new(&table);
        let answer =
            |payload: serde_json::Value| effects_of_answer(&Param::from(&payload), &ctx).risk;
        for payload in [
            json!({"content": "Done.", "command": "rm -rf /"}),
            json!({"text": "Done.", "tool": "bash", "parameters": "{\"command\":\"rm -rf /\"}"}),
            json!({"content": "Done.", "arguments": "rm -rf /"}),
            json!({"content": "Done.", "path": ".git/hooks/pre-commit"}),
            json!({"content": "Done.", "files": {".envrc": "x"}}),
            json!({"content": [{"type": "tool_use", "name": "bash", "input": {"command": "rm -rf /"}}]}),
            json!({"content": "Done.", "sources": ["/home/dev/.ssh/id_rsa"]}),
            json!({"content": "Done.", "note": {"command": "rm -rf /"}}),
            json!({"content": "Done.", "timeout": [{"before": [{"command": "rm -rf /"}]}]}),
            json!({"content": "Done.", "metadata": {"files": {".git/hooks/pre-commit": "x"}}}),
            json!({"content": "Done.", "metadata": {"path": "../../x", "content": "x"}}),
            json!({"content": "Done.", "format": {"tool": "bash", "arguments": "rm -rf /"}}),
            json!({"content": "Done.", "summary": {"calls": [{"tool": "delete_branch"}]}}),
            json!({"content": "Done.", "role": {"shell": "rm -rf /"}}),
            json!([{"text": "Done.", "label": {"command": "rm -rf /"}}]),
        ] {
            assert_eq!(answer(payload.clone()), RiskLevel::High, "{payload}");
        }
        for payload in [
            json!({"content": "rm -rf /", "format": "markdown", "reasoning": "r"}),
            json!({"text": "See /etc/hosts"}),
            json!("rm -rf /"),
            json!({"content": [{"type": "text", "text": "../../x"}]}),
            json!({
                "content": "Done.",
                "metadata": {
                    "model": "lab/m-1", "tokens": 12, "tool": "some-agent", "seen": ["src/a.rs"]
                }
            }),
            json!({
                "content": "Done.", "reason": ["a", "b"], "timeout": {"seconds": 5},
                "note": {"text": "rm -rf /"}
            }),
            json!({
                "content": "As said there.", "sources": ["src/a.rs", "https://example.org/x"],
                "command": null
            }),
        ] {
            assert_eq!(answer(payload.clone()), RiskLevel::Low, "{payload}");
        }
        assert_eq!(
            answer(json!({"content": "Done.", "url": "https://example.org"})),
            RiskLevel::Medium
        );
        let diff =
            |payload: serde_json::Value| effects_of_diff_extras(&Param::from(&payload), &ctx).risk;
        assert_eq!(
            diff(json!({"diff": "d", "command": "rm -rf /"})),
            RiskLevel::High
        );
        assert_eq!(
            diff(json!({"diff": "d", "path": "../../x"})),
            RiskLevel::High
        );
        assert_eq!(
            diff(json!({"diff": "d", "note": {"files": {".git/hooks/pre-commit": "x"}}})),
            RiskLevel::High
        );
        assert_eq!(
            diff(json!({"diff": "d", "summary": {"command": "rm -rf /"}})),
            RiskLevel::High
        );
        assert_eq!(diff(json!({"diff": "d", "cwd": "/etc"})), RiskLevel::High);
        assert_eq!(
            diff(json!({"diff": "d", "path": "src/a.rs"})),
            RiskLevel::Medium
        );
        assert_eq!(
            diff(json!({"diff": "d", "content": "x", "cwd": ".", "description": "Fixes it."})),
            RiskLevel::Low
        );
    }
}
