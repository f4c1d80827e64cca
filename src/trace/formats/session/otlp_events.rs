//! Events of spans: calls that a model requests, and what a tool was given and returned. Some
//! writers record them only there.

use super::otlp::Attributes;
use super::{Call, given, messages, otlp_models};
use std::borrow::Cow;
use strict_json::Raw;

/// Attribute under which the arguments in events are added to those of their span.
pub(super) const ARGUMENTS: &str = "gen_ai.tool.message";
/// Like [`ARGUMENTS`], for the result.
pub(super) const RESULT: &str = "gen_ai.choice";
/// Attributes of an event that contain its message.
const MESSAGE: [&str; 4] = ["gen_ai.event.content", "message", "content", "body"];

/// Events of a span, with their names.
pub(super) struct SpanEvents<'a>(pub(super) Vec<(Cow<'a, str>, Attributes<'a>)>);

impl<'a> SpanEvents<'a> {
    /// Adds the arguments and the result in the events of a tool's span to its attributes.
    pub(super) fn add_to(self, attributes: &mut Attributes<'a>, plain: &[&str], results: &[&str]) {
        let known = attributes.first(results);
        let mut given = attributes
            .first(&[ARGUMENTS])
            .into_iter()
            .collect::<Vec<_>>();
        for (name, event) in self.0 {
            given.extend(plain.iter().filter_map(|name| event.first(&[name])));
            let result = match &*name {
                // In the span of a model, it contains a result.
                ARGUMENTS => {
                    let message = event.first(&["content", "gen_ai.event.content", "body"]);
                    given.extend(message.filter(|text| Some(text) != known.as_ref()));
                    None
                }
                RESULT => event.first(&MESSAGE),
                _ => {
                    let asked = event.first(&["gen_ai.input.messages"]);
                    let asked = asked.map(|text| calls(&text)).unwrap_or_default();
                    given.extend(asked.into_iter().map(|call| call.input));
                    event
                        .first(&["gen_ai.output.messages"])
                        .or_else(|| event.first(results))
                }
            };
            if let Some(result) = result {
                attributes.0.entry(RESULT.into()).or_insert(result);
            }
        }
        let mut given = given.into_iter();
        if let Some(first) = given.next() {
            let mut all = given::of_texts(&[("arguments", Some(first))]);
            for other in given {
                given::add(&mut all, given::of_texts(&[("arguments", Some(other))]));
            }
            attributes.0.insert(ARGUMENTS.into(), all);
        }
    }

    /// Returns the calls in the events of a model's span, first those that it requested here and
    /// then those of its history.
    pub(super) fn asked(&self) -> (Vec<Call<'static>>, Vec<Call<'static>>) {
        let (mut new, mut past) = (Vec::new(), Vec::new());
        for (name, event) in &self.0 {
            new.extend(otlp_models::asked(&event.0));
            match &**name {
                "gen_ai.choice" => new.extend(in_message(event)),
                "gen_ai.assistant.message" => past.extend(in_message(event)),
                _ => {}
            }
        }
        (new, past)
    }
}

/// Returns the calls in an event that contains a message.
fn in_message(event: &Attributes<'_>) -> Vec<Call<'static>> {
    let listed = event.first(&["tool_calls"]);
    let listed = listed.map(|list| format!("{{\"role\":\"assistant\",\"tool_calls\":{list}}}"));
    let texts = MESSAGE.iter().filter_map(|name| event.first(&[name]));
    let texts = texts.chain(listed.map(Cow::Owned));
    texts.flat_map(|text| otlp_models::chosen(&text)).collect()
}

fn calls(text: &str) -> Vec<Call<'static>> {
    let calls = strict_json::from_text::<Raw<'_>>(text).map(messages::asked);
    calls
        .unwrap_or_default()
        .iter()
        .map(Call::to_owned)
        .collect()
}
