//! Calls that a model requests, from the attributes of its span.

use super::{Call, input_text, messages};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use strict_json::Raw;

/// Operations of models and agents.
pub(super) const OPERATIONS: [&str; 7] = [
    "chat",
    "create_agent",
    "embeddings",
    "generate_content",
    "invoke_agent",
    "llm_call",
    "text_completion",
];
/// Attributes that contain a model's output as JSON.
const OUTPUTS: [&str; 2] = ["gen_ai.output.messages", "gen_ai.completion"];

/// The AI SDK's attribute, which contains a list of calls.
const LISTED: &str = "ai.response.toolCalls";

/// Index of a message and index of a call in it, for calls that are split over attributes.
type CallIndex = (u32, u32);

/// Returns the indexes in an attribute's name, and the part of the call that it contains.
fn part(name: &str) -> Option<(CallIndex, &str)> {
    let (message, rest) = match name.strip_prefix("llm.output_messages.") {
        Some(rest) => rest.split_once(".message.tool_calls.")?,
        None => name
            .strip_prefix("gen_ai.completion.")?
            .split_once(".tool_calls.")?,
    };
    let (call, part) = rest.split_once('.')?;
    let part = part.strip_prefix("tool_call.").unwrap_or(part);
    let part = part.strip_prefix("function.").unwrap_or(part);
    Some(((message.parse().ok()?, call.parse().ok()?), part))
}

/// Returns the calls in the attributes of a span.
pub(super) fn asked(
    attributes: &HashMap<Cow<'_, str>, Cow<'_, str>>,
) -> impl Iterator<Item = Call<'static>> {
    let mut parts: BTreeMap<CallIndex, Call<'static>> = BTreeMap::new();
    for (name, value) in attributes {
        let Some((place, part)) = part(name) else {
            continue;
        };
        let call = parts.entry(place).or_insert_with(|| Call {
            id: None,
            tool: Cow::Borrowed(""),
            input: Cow::Borrowed("{}"),
        });
        match part {
            "id" => call.id = Some(value.to_string().into()).filter(|_| !value.is_empty()),
            "name" => call.tool = value.to_string().into(),
            "arguments" if !value.is_empty() => {
                let value = Cow::Owned(value.to_string());
                call.input = input_text(value, "arguments");
            }
            _ => {}
        }
    }
    let texts = OUTPUTS.iter().filter_map(|name| attributes.get(*name));
    let whole = texts.flat_map(|text| match strict_json::from_text::<Raw<'_>>(text) {
        Ok(raw) => messages::asked(raw).iter().map(Call::to_owned).collect(),
        Err(_) => Vec::new(),
    });
    let listed = attributes.get(LISTED).into_iter();
    let listed = listed
        .flat_map(|list| chosen(&format!("{{\"role\":\"assistant\",\"tool_calls\":{list}}}")));
    let whole: Vec<_> = whole.chain(listed).collect();
    parts.into_values().chain(whole)
}

/// Returns the calls in the body of an event about a model's choice.
pub(super) fn chosen(body: &str) -> Vec<Call<'static>> {
    let calls = strict_json::from_text::<Raw<'_>>(body).map(messages::choice);
    let calls = calls.unwrap_or_default();
    calls.iter().map(Call::to_owned).collect()
}
