//! Extracts transcripts: `{"type":"message","timestamp":…,"message":{"role":…,"content":…}}`, one
//! per line.

use super::{Extracted, objects, stem, text_of, time};
use crate::knowledge::source_config::SourceFile;
use knowledge_index::{Kind, Observation, summarise};
use serde_json::Value;

/// Characters below which a message is too short to be indexed.
const LEAST: usize = 20;

pub(super) fn extract(file: &SourceFile, text: &str, out: &mut Extracted) {
    objects(file, text, out, |out, line, _, record| {
        // Other types of lines (summaries of a compaction, metadata) contain no messages.
        if record.get("type").and_then(Value::as_str) != Some("message") {
            return;
        }
        let Some((role, content)) = message(&record) else {
            return out.object(
                103,
                file,
                line,
                "a message needs `message.role` and `message.content`",
            );
        };
        if content.trim().chars().count() < LEAST {
            return;
        }
        let task = text_of(&record, &["sessionId", "session_id", "task_id", "taskId"])
            .unwrap_or_else(|| stem(&file.name));
        out.push(
            Observation {
                kind: Kind::Message,
                task: Some(task.to_owned()),
                time: record.get("timestamp").and_then(time),
                lines: (line, line),
                summary: summarise(&format!("{role}: {content}")),
                refs: Vec::new(),
                detail: format!("{role}: {content}"),
            },
            false,
        );
    });
}

/// Returns the role and text of a message. Content is a text or a list of parts; only parts with
/// text are used.
pub(in crate::knowledge) fn message(record: &Value) -> Option<(&str, String)> {
    let message = record.get("message")?;
    let content = match message.get("content")? {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| {
                part.get("text")
                    .and_then(Value::as_str)
                    .or_else(|| part.as_str())
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => return None,
    };
    Some((message.get("role")?.as_str()?, content))
}
