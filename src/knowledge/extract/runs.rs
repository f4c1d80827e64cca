//! Extracts runs: one JSON object per file. Of terminal output, only the command, the exit code and
//! the error are kept.

use super::turn::error_summary;
use super::{Extracted, plain, stem, text_of, time};
use crate::knowledge::source_config::SourceFile;
use knowledge_index::{Kind, Observation, summarise};
use serde_json::Value;

/// Members whose texts are kept, by the label that is shown.
const TEXTS: [(&str, &[&str]); 5] = [
    (
        "goal",
        &["goal", "intent", "rootIntent", "description", "title"],
    ),
    ("command", &["command", "cmd"]),
    ("status", &["status", "outcome", "state", "result"]),
    ("summary", &["summary", "message"]),
    ("error", &["error", "stderr", "failureReason"]),
];

pub(super) fn extract(file: &SourceFile, text: &str, out: &mut Extracted) {
    let run: Value = match serde_json::from_str(text) {
        Ok(run @ Value::Object(_)) => run,
        Ok(_) => return out.object(102, file, 1, "a run is one JSON object"),
        Err(error) => {
            return out.object(
                102,
                file,
                error.line() as u64,
                format!("the run is not JSON: {}", plain(&error)),
            );
        }
    };
    if super::is_repeated(text) {
        return out.object(106, file, 1, super::REPEATED);
    }
    let mut lines = Vec::new();
    for (name, members) in TEXTS {
        if let Some(text) = text_of(&run, members) {
            lines.push(if name == "error" {
                format!("{name}: {}", error_summary(text))
            } else {
                format!("{name}: {}", super::cut(text))
            });
        }
    }
    let exit = ["exitCode", "exit_code", "code"]
        .iter()
        .find_map(|m| run.get(m)?.as_i64());
    lines.extend(exit.map(|code| format!("exit code: {code}")));
    if lines.is_empty() {
        return out.object(
            103,
            file,
            1,
            "the run names neither a goal, a command, a status, a summary, an error nor an exit code",
        );
    }
    let task = text_of(&run, &["task_id", "taskId", "task", "id", "runId"])
        .unwrap_or_else(|| stem(&file.name))
        .to_owned();
    let begun = ["startedAt", "started_at", "timestamp", "time", "createdAt"]
        .iter()
        .find_map(|m| run.get(m).and_then(time));
    out.push(
        Observation {
            kind: Kind::Run,
            time: begun,
            lines: (1, text.lines().count().max(1) as u64),
            summary: summarise(&format!("{task}: {}", lines.join(", "))),
            task: Some(task),
            refs: text_of(&run, &["command", "cmd"])
                .map(|c| vec![summarise(c)])
                .unwrap_or_default(),
            detail: lines.join("\n"),
        },
        false,
    );
}
