//! How records and documents of messages are recognised.

use super::{AGENT, CALLS, DONE, LANGCHAIN, Message, Raw, SYSTEM, TOOL, USER, is_word, wrapped};
use crate::trace::formats::Unit;

pub(super) fn is_message(unit: &Unit<'_>) -> bool {
    let role = || {
        [USER, AGENT, TOOL, SYSTEM]
            .iter()
            .any(|words| unit.is_word("role", words))
    };
    let body = [
        "content",
        "tool_calls",
        "toolCalls",
        "function_call",
        "parts",
        "tool_call_id",
        "toolCallId",
        "tool_messages",
        "segments",
    ];
    unit.has_one(&body) && (role() || unit.is_word("type", &["human", "ai"]))
        || unit.is_word("type", &["message"]) && unit.has_one(&["role", "message"])
        || unit.has_one(&["call_id", "callId", "arguments", "providerData"])
            && [CALLS, DONE]
                .iter()
                .any(|words| unit.is_word("type", words))
        || unit.has_one(&["call_id", "callId"]) && unit.has(&["type", "output"])
        || wrapped::is_shape_of(unit)
        || unit.is_word("type", &["reasoning"]) && unit.has_one(&["summary", "encrypted_content"])
}

pub(super) fn is_conversation(unit: &Unit<'_>) -> bool {
    // Runs of tau-bench call the list `traj`. Runs of tau2-bench may have only `ticks`, and its
    // results contain all runs.
    let runs = || unit.get("traj").filter(|_| unit.has(&["task_id"]));
    if unit.has(&["info", "tasks"]) && unit.has_one(&["simulations", "simulation_index"])
        || unit.has(&["task_id", "ticks", "termination_reason"])
    {
        return true;
    }
    if let Some(list) = unit
        .get("messages")
        .or_else(runs)
        .and_then(|raw| raw.read::<Vec<Raw<'_>>>())
    {
        let first = list.first().map(|raw| raw.read::<Message<'_>>());
        return first.is_none_or(|first| {
            first.is_some_and(|m| m.role.0.is_some() || m.kind.0.is_some() || m.is_wrapped())
        });
    }
    unit.is_word("object", &["response"]) && unit.has(&["output"])
        || unit.is_word("object", &["chat.completion"]) && unit.has(&["choices"])
        || unit.beginning.as_ref().is_some_and(|list| {
            let first = list.first.read::<Message<'_>>();
            first.is_some_and(|first| {
                let is_role = |words: &&[&str]| is_word(first.role, words);
                [USER, AGENT, TOOL, SYSTEM].iter().any(is_role)
                    || is_word(first.kind, LANGCHAIN)
                    || first.is_wrapped()
            })
        })
}

/// Returns whether the first of its messages has a role. opencode's have it further inside.
pub(in crate::trace::formats::session) fn have_roles(unit: &Unit<'_>) -> bool {
    let messages = unit
        .get("messages")
        .and_then(|raw| raw.read::<Vec<Message<'_>>>());
    messages.is_none_or(|all| all.first().is_none_or(|first| first.role.0.is_some()))
}
