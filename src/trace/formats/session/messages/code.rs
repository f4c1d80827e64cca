//! Code that Gemini executes itself, and its result: parts of a message, in both spellings.

use super::{Call, CallEnd, CallStatus, EventKind, Events, LenientStr, Raw, id, output, text};
use crate::trace::formats::session::{input, unread::Reading};
use serde::Deserialize;

/// The tool's name; that of `OpenAI`, since the tool is the same.
const TOOL: &str = "code_interpreter";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow, rename = "executableCode")]
    code: Option<Raw<'a>>,
    #[serde(borrow)]
    executable_code: Option<Raw<'a>>,
    #[serde(borrow, rename = "codeExecutionResult")]
    result: Option<Raw<'a>>,
    #[serde(borrow)]
    code_execution_result: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Code<'a> {
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow)]
    outcome: LenientStr<'a>,
    #[serde(borrow)]
    output: Option<Raw<'a>>,
}

/// Returns the calls and the results in a part, with what contains each.
pub(in crate::trace::formats::session) fn read_part<'a>(
    raw: Raw<'a>,
) -> (Vec<(Raw<'a>, Call<'a>)>, Vec<CallEnd<'a>>) {
    let written = raw.as_written().as_bytes();
    let may_be = [
        "ecutableCode",
        "ecutable_code",
        "odeExecution",
        "ode_execution",
    ];
    if !may_be
        .iter()
        .any(|word| memchr::memmem::find(written, word.as_bytes()).is_some())
    {
        return Default::default();
    }
    let part = raw.read::<Part<'a>>().unwrap_or_default();
    let is_given = |raw: &Raw<'a>| raw.as_written() != "null";
    let calls = [part.code, part.executable_code]
        .into_iter()
        .flatten()
        .filter(is_given);
    let calls = calls.map(|raw| {
        let call = Call {
            id: id(raw.read::<Code<'a>>().unwrap_or_default().id).filter(|id| !id.is_empty()),
            tool: TOOL.into(),
            input: input(Some(raw), "code"),
        };
        (raw, call)
    });
    let results = [part.result, part.code_execution_result];
    let results = results.into_iter().flatten().filter(is_given).map(|raw| {
        let result = raw.read::<Code<'a>>().unwrap_or_default();
        CallEnd {
            id: id(result.id).filter(|id| !id.is_empty()),
            how: match text(result.outcome).as_deref() {
                Some("OUTCOME_OK") => CallStatus::Ok,
                Some("OUTCOME_FAILED") => CallStatus::Error,
                Some("OUTCOME_DEADLINE_EXCEEDED") => CallStatus::Interrupted,
                _ => CallStatus::NotRecorded,
            },
            output: output(result.output),
            exit_code: None,
            change: None,
        }
    });
    (calls.collect(), results.collect())
}

/// Adds the calls and the results in a part. Returns whether there are some.
pub(super) fn push<'a>(events: &mut Events<'a>, raw: Raw<'a>) -> bool {
    let (calls, results) = read_part(raw);
    let found = !calls.is_empty() || !results.is_empty();
    for (part, call) in calls {
        events.push(raw, EventKind::Call(call));
        events.mark(part, Reading::Call);
    }
    for ended in results {
        let tool = TOOL.into();
        events.push(raw, EventKind::Responded { tool, ended });
    }
    found
}
