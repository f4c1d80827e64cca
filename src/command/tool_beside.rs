//! What stands where no parameters belong: beside the text of an answer, beside a diff.

use super::Context;
use super::effect::{Analysis, Certainty, EffectKind, Risk, Span};
use super::engine::Engine;
use super::line::{HARMLESS, PLACES};
use super::param::{Param, WRAPPERS};
use super::tool::effects_of_call;
use super::tool_found::Found;
use super::tool_name::Verb;
use std::borrow::Cow;

/// Members that an answer's text stands in.
pub const ANSWER: [&str; 2] = ["content", "text"];
/// Members that a diff stands in.
pub const DIFF: [&str; 2] = ["diff", "content"];

/// Effects of an `answer`: none of its text, but whatever stands beside that is read as the parameters of a call.
#[must_use]
pub fn effects_of_answer(payload: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    /// Members that say what kind of text it is.
    const KINDS: [&str; 10] =
        ["confidence", "done", "final", "format", "lang", "language", "metadata", "mime_type", "role", "type"];
    /// Members that say where it has it from.
    const CITES: [&str; 6] = ["citations", "sources", "references", "links", "related", "urls"];
    let mut rest: Vec<(Cow<'_, str>, Param<'_>)> = Vec::new();
    let mut cited: Vec<(Cow<'_, str>, Param<'_>)> = Vec::new();
    let mut objects: Vec<&Param<'_>> = vec![payload];
    // An answer may be made of parts, each a text of its own.
    if let Param::List(parts) = payload {
        objects = parts.iter().collect();
    }
    for name in ANSWER {
        match payload.get(name) {
            Some(Param::List(parts)) => objects.extend(parts),
            Some(one @ Param::Members(_)) => objects.push(one),
            _ => {}
        }
    }
    for (name, value) in objects.into_iter().filter_map(Param::members).flatten() {
        let text = ANSWER.contains(&&**name) && matches!(value, Param::Text(_));
        let part = ANSWER.contains(&&**name) && std::ptr::eq(payload.get(name).unwrap_or(&Param::Nothing), value);
        if value.is_empty() || text || part || KINDS.contains(&&**name) || HARMLESS.contains(&&**name) {
            continue;
        }
        let list = if CITES.contains(&&**name) { &mut cited } else { &mut rest };
        list.push((Cow::Borrowed(name), value.clone()));
    }
    let mut analysis = if rest.is_empty() { Analysis::default() } else { effects_beside(&Param::Members(rest), ctx) };
    if !cited.is_empty() {
        let mut e = Engine::new(ctx, 200_000);
        let cited = Param::Members(cited);
        let mut found = Found { verb: Verb::Read, cites: true, ..Found::default() };
        found.read(&mut e, &cited);
        found.paths.iter().for_each(|path| e.path_read(&**path));
        analysis.join(e.finish());
    }
    analysis
}

/// Effects of what stands beside the diff of a `code_diff`, read as the parameters of a call.
#[must_use]
pub fn effects_beside_diff(payload: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    let beside = |(name, value): &&(Cow<'_, str>, Param<'_>)| {
        let text = DIFF.contains(&&**name) && matches!(value, Param::Text(_));
        let here = PLACES.contains(&&**name) && value.as_str().is_some_and(|place| matches!(place, "." | "./"));
        !(value.is_empty() || text || here || HARMLESS.contains(&&**name))
    };
    let rest: Vec<_> = payload.members().unwrap_or_default().iter().filter(beside).cloned().collect();
    if rest.is_empty() { Analysis::default() } else { effects_beside(&Param::Members(rest), ctx) }
}

/// Effects of members that stand where no parameters belong.
fn effects_beside(rest: &Param<'_>, ctx: &Context<'_>) -> Analysis {
    if let Some(tool) = rest.tool() {
        return effects_of_call(tool, rest, ctx);
    }
    let mut e = Engine::new(ctx, 200_000);
    let mut unknown = |why| e.emit_raw(EffectKind::Unknown, None, Certainty::Possible, Span::default(), Risk::High, why);
    let names = rest.members().unwrap_or_default();
    if names.iter().any(|(name, _)| WRAPPERS.contains(&&**name) || matches!(&**name, "tool" | "tool_name")) {
        unknown("parameters of a tool that isn't named");
    }
    if names.iter().any(|(name, _)| PLACES.contains(&&**name)) {
        unknown("it says that it is applied somewhere else");
    }
    let inputs = rest.inputs();
    let mut found = Found { verb: Verb::Write, ..Found::default() };
    found.read(&mut e, &inputs.values);
    // Nothing says what is done to them.
    found.paths.iter().chain(&found.outputs).for_each(|path| e.path_write(&**path));
    e.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Context, Table};
    use serde_json::json;

    #[test]
    fn what_stands_beside_an_answer_or_a_diff_counts() {
        let table = Table::builtin();
        let ctx = Context::new(&table);
        let answer = |payload: serde_json::Value| effects_of_answer(&Param::from(&payload), &ctx).risk;
        for payload in [
            json!({"content": "Done.", "command": "rm -rf /"}),
            json!({"text": "Done.", "tool": "bash", "parameters": "{\"command\":\"rm -rf /\"}"}),
            json!({"content": "Done.", "arguments": "rm -rf /"}),
            json!({"content": "Done.", "path": ".git/hooks/pre-commit"}),
            json!({"content": "Done.", "files": {".envrc": "x"}}),
            json!({"content": [{"type": "tool_use", "name": "bash", "input": {"command": "rm -rf /"}}]}),
            json!({"content": "Done.", "sources": ["/home/dev/.ssh/id_rsa"]}),
        ] {
            assert_eq!(answer(payload.clone()), Risk::High, "{payload}");
        }
        for payload in [
            json!({"content": "rm -rf /", "format": "markdown", "reasoning": "r"}),
            json!({"text": "See /etc/hosts"}),
            json!("rm -rf /"),
            json!({"content": [{"type": "text", "text": "../../x"}]}),
            json!({"content": "As said there.", "sources": ["src/a.rs", "https://example.org/x"], "command": null}),
        ] {
            assert_eq!(answer(payload.clone()), Risk::Low, "{payload}");
        }
        assert_eq!(answer(json!({"content": "Done.", "url": "https://example.org"})), Risk::Medium);
        let diff = |payload: serde_json::Value| effects_beside_diff(&Param::from(&payload), &ctx).risk;
        assert_eq!(diff(json!({"diff": "d", "command": "rm -rf /"})), Risk::High);
        assert_eq!(diff(json!({"diff": "d", "path": "../../x"})), Risk::High);
        assert_eq!(diff(json!({"diff": "d", "cwd": "/etc"})), Risk::High);
        assert_eq!(diff(json!({"diff": "d", "path": "src/a.rs"})), Risk::Medium);
        assert_eq!(diff(json!({"diff": "d", "content": "x", "cwd": ".", "description": "Fixes it."})), Risk::Low);
    }
}
