//! Details of a record that no check needs but reports show: reasons, contexts, skills,
//! observations.
//!
//! The typed records check these members without keeping them. This module reads them by name from
//! the record's text, once per record, and only when a report needs turns.

use super::turn::{Context, ContextDiff, Frame, Item, Observation, Text, Turn};
use super::{ACTION, PATHS_KEPT, TEXT, texts, word};
use crate::trace::formats::Narrative;
use crate::trace::{Entry, Record};
use serde::Deserialize;
use std::collections::VecDeque;
use strict_json::{Raw, Str, from_text};

/// The details that one turn of a record adds.
#[derive(Debug, Default)]
pub(super) struct Detail {
    context: Option<Context>,
    context_diff: Option<ContextDiff>,
    /// Reasoning and model of each thought, in the order of the steps.
    thoughts: VecDeque<(Option<Text>, Option<String>)>,
    used_context: Option<Vec<String>>,
    used_skills: Option<Vec<String>>,
    error_type: Option<String>,
    observation: Option<Observation>,
    frame: Option<Frame>,
}

/// The members of a record, or of a turn in it, unparsed.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
struct Members<'a> {
    turns: Option<Raw<'a>>,
    thought: Option<Raw<'a>>,
    thoughts: Option<Raw<'a>>,
    model: Option<Raw<'a>>,
    context_snapshot: Option<Raw<'a>>,
    context_diff: Option<Raw<'a>>,
    /// Member of a record that only reports a change of the context.
    diff: Option<Raw<'a>>,
    snapshot: Option<Raw<'a>>,
    used_context: Option<Raw<'a>>,
    used_skills: Option<Raw<'a>>,
    result: Option<Raw<'a>>,
    execution_result: Option<Raw<'a>>,
    observation: Option<Raw<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
struct ThoughtMembers<'a> {
    reasoning: Option<Str<'a>>,
    raw: Option<Str<'a>>,
    model: Option<Raw<'a>>,
    used_context: Option<Raw<'a>>,
    used_skills: Option<Raw<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
struct SnapshotMembers<'a> {
    input_hash: Option<Str<'a>>,
    system_prompt_version: Option<Str<'a>>,
    tool_set_version: Option<Str<'a>>,
    recent_messages: Option<Raw<'a>>,
    items: Option<Raw<'a>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct MessageMembers<'a> {
    role: Str<'a>,
    content: Str<'a>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct ItemMembers<'a> {
    path: Str<'a>,
    #[serde(default)]
    hash: Option<Str<'a>>,
    #[serde(default)]
    tokens: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct DiffMembers<'a> {
    added: Option<Raw<'a>>,
    removed: Option<Raw<'a>>,
    changed: Option<Raw<'a>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct ObservationMembers<'a> {
    summary: Str<'a>,
    #[serde(default)]
    artifacts: Option<Raw<'a>>,
    #[serde(default)]
    truncated: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
struct ResultMembers<'a> {
    #[serde(default)]
    error_type: Option<Str<'a>>,
}

fn owned(text: Option<Str<'_>>) -> Option<String> {
    text.map(word)
}

/// Reads a model that is written as a string; other forms yield `None`.
fn model(raw: Option<Raw<'_>>) -> Option<String> {
    owned(raw?.read::<Str<'_>>())
}

fn context(raw: Raw<'_>) -> Option<Context> {
    let members: SnapshotMembers<'_> = raw.read()?;
    let messages: Option<Vec<Raw<'_>>> = members.recent_messages.and_then(Raw::read);
    let asked = messages
        .iter()
        .flatten()
        .filter_map(|m| m.read::<MessageMembers<'_>>())
        .find(|m| m.role == *"user");
    let items: Option<Vec<Raw<'_>>> = members.items.and_then(Raw::read);
    let read = |raw: &Raw<'_>| {
        let item: ItemMembers<'_> = raw.read()?;
        Some(Item {
            path: word(item.path),
            hash: owned(item.hash).unwrap_or_default(),
            tokens: item.tokens,
        })
    };
    Some(Context {
        input_hash: owned(members.input_hash),
        prompt_version: owned(members.system_prompt_version),
        tool_set_version: owned(members.tool_set_version),
        messages: messages.as_ref().map(Vec::len),
        asked: asked.map(|m| Text::truncated(&m.content.decode(), TEXT)),
        items_cut: items
            .as_ref()
            .map_or(0, |items| items.len().saturating_sub(PATHS_KEPT)),
        items: items.map(|items| items.iter().filter_map(read).take(PATHS_KEPT).collect()),
    })
}

fn context_diff(raw: Raw<'_>) -> Option<ContextDiff> {
    let members: DiffMembers<'_> = raw.read()?;
    let mut cut = 0;
    let mut list = |raw: Option<Raw<'_>>| {
        let all: Vec<Raw<'_>> = raw.and_then(Raw::read).unwrap_or_default();
        cut += all.len().saturating_sub(PATHS_KEPT);
        texts(raw).unwrap_or_default()
    };
    let (added, removed, changed) = (
        list(members.added),
        list(members.removed),
        list(members.changed),
    );
    Some(ContextDiff {
        added,
        removed,
        changed,
        cut,
    })
}

fn observation(raw: Raw<'_>) -> Option<Observation> {
    let members: ObservationMembers<'_> = raw.read()?;
    Some(Observation {
        summary: Text::truncated(&members.summary.decode(), TEXT),
        artifacts: texts(members.artifacts).unwrap_or_default(),
        truncated: members.truncated == Some(true),
    })
}

impl Detail {
    fn thought(&mut self, raw: Raw<'_>, of_turn: Option<&String>) {
        let members: ThoughtMembers<'_> = raw.read().unwrap_or_default();
        let reasoning = members.reasoning.filter(|r| !r.is_empty()).or(members.raw);
        let reasoning = reasoning.map(|r| Text::truncated(&r.decode(), TEXT));
        self.thoughts
            .push_back((reasoning, model(members.model).or_else(|| of_turn.cloned())));
        self.use_more(texts(members.used_context), texts(members.used_skills));
    }

    fn use_more(&mut self, context: Option<Vec<String>>, skills: Option<Vec<String>>) {
        for (into, more) in [
            (&mut self.used_context, context),
            (&mut self.used_skills, skills),
        ] {
            if let Some(more) = more {
                into.get_or_insert_default().extend(more);
            }
        }
    }

    fn of_members(members: &Members<'_>) -> Self {
        let mut detail = Self {
            context: members
                .context_snapshot
                .or(members.snapshot)
                .and_then(context),
            context_diff: members.context_diff.or(members.diff).and_then(context_diff),
            error_type: members
                .execution_result
                .or(members.result)
                .and_then(Raw::read::<ResultMembers<'_>>)
                .and_then(|r| owned(r.error_type)),
            observation: members.observation.and_then(observation),
            ..Self::default()
        };
        let of_turn = model(members.model);
        let more: Vec<Raw<'_>> = members.thoughts.and_then(Raw::read).unwrap_or_default();
        for raw in members.thought.into_iter().chain(more) {
            detail.thought(raw, of_turn.as_ref());
        }
        detail.use_more(texts(members.used_context), texts(members.used_skills));
        detail
    }

    /// Returns the details of a record: one entry for the record itself, or one per turn of a whole
    /// execution.
    pub(super) fn from_entry(entry: &Entry<'_>) -> Vec<Self> {
        let narrative = match &entry.record {
            Record::V1(_) | Record::Recovered(_) => Narrative::Turn,
            Record::Native(record) => record.get().narrative(),
            Record::Broken(_) | Record::Foreign | Record::Unreadable => Narrative::Nothing,
        };
        let mut detail = Self::default();
        match narrative {
            Narrative::Nothing => {}
            Narrative::Thought(raw) => detail.thought(raw, None),
            Narrative::Observation(raw) => detail.observation = observation(raw),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a float to integer cast saturates, which suits a time"
            )]
            Narrative::Frame {
                seconds,
                what,
                text,
            } => {
                detail.frame = Some(Frame {
                    line: entry.line,
                    time: Some((seconds * 1000.0) as i64),
                    what,
                    text: Text::truncated(&text, ACTION),
                });
            }
            Narrative::Turn => {
                let Ok(members) = from_text::<Members<'_>>(entry.text) else {
                    return Vec::new();
                };
                let nested: Option<Vec<Raw<'_>>> = members.turns.and_then(Raw::read);
                return match nested {
                    Some(turns) => turns
                        .iter()
                        .map(|t| Self::of_members(&t.read().unwrap_or_default()))
                        .collect(),
                    None => vec![Self::of_members(&members)],
                };
            }
        }
        vec![detail]
    }

    /// Takes the reasoning and the model of the next thought.
    pub(super) fn next_thought(&mut self) -> (Option<Text>, Option<String>) {
        self.thoughts.pop_front().unwrap_or_default()
    }

    pub(super) fn error_type(&mut self) -> Option<String> {
        self.error_type.take()
    }

    /// Moves all other details to the turn.
    pub(super) fn move_to(&mut self, turn: &mut Turn) {
        turn.context = self.context.take().or(turn.context.take());
        turn.context_diff = self.context_diff.take().or(turn.context_diff.take());
        for (into, from) in [
            (&mut turn.used_context, self.used_context.take()),
            (&mut turn.used_skills, self.used_skills.take()),
        ] {
            if let Some(from) = from {
                let into = into.get_or_insert_default();
                for text in from {
                    if !into.contains(&text) && into.len() < PATHS_KEPT {
                        into.push(text);
                    }
                }
            }
        }
        turn.observation = self.observation.take().or(turn.observation.take());
        if turn.frames.len() < super::FRAMES {
            turn.frames.extend(self.frame.take());
        }
    }
}
