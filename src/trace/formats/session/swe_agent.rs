//! `swe-agent` and `mini-swe-agent`: trajectories of commands.
//!
//! SWE-agent stores steps, each an action and its observation; its demonstrations contain only
//! messages. mini-SWE-agent stores messages: the action is the only fenced block of the agent's
//! message, and the next message contains the result.

mod interface;

use super::messages::{self, Message};
use super::{
    Call, CallEnd, CallStatus, EventKind, Events, ExitCode, Lenient, LenientStr, Read,
    SessionFormat, SessionRecord, Sessions, given, is_word, object_of, output, text,
};
use crate::trace::record::NotRecorded;
use serde::Deserialize;
use shell_effects::agent_tools;
use std::borrow::Cow;
use strict_json::{Raw, Str};

pub(in crate::trace::formats) const FORMAT: SessionFormat = SessionFormat {
    name: "swe-agent",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::ExitCodes,
        NotRecorded::Diffs,
        NotRecorded::Times,
    ],
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        unit.has(&["trajectory"]) && unit.has_one(&["history", "info", "environment"])
            || unit.has(&["attempts"]) && unit.has_one(&["history", "info", "environment"])
            || unit.has(&["history"])
                && !unit.has_one(&["instance_id", "instruction", "git_patch", "test_result"])
                && unit
                    .get("history")
                    .and_then(|raw| raw.read::<Vec<Raw<'_>>>())
                    .and_then(|list| list.first()?.read::<Message<'_>>())
                    .is_some_and(|first| first.role.0.is_some())
    },
    lists: &["trajectory", "history", "attempts", "tool_calls"],
    read: Read::Value(read),
};

pub(in crate::trace::formats) const MINI: SessionFormat = SessionFormat {
    name: "mini-swe-agent",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::Diffs,
        NotRecorded::Times,
        NotRecorded::Workdir,
    ],
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        unit.has(&["messages"])
            && (unit.has(&["trajectory_format"])
                || unit.has(&["info"])
                    && !unit.has_one(&["role", "task_id"])
                    && messages::have_roles(unit))
            || unit.is_word("role", &["system"])
                && unit
                    .get("content")
                    .and_then(|raw| raw.read::<Str<'_>>())
                    .map(Str::decode)
                    .is_some_and(|said| {
                        said.contains("```mswea_bash_command")
                            || said.contains("ONE bash code block")
                    })
    },
    lists: &["messages", "tool_calls"],
    read: Read::Value(read_mini),
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Trajectory<'a> {
    #[serde(borrow, rename = "trajectory")]
    steps: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    history: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    attempts: Lenient<Vec<Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TrajectoryStep<'a> {
    #[serde(borrow)]
    action: Option<Raw<'a>>,
    /// The model's whole text, from which the action was taken.
    #[serde(borrow)]
    response: LenientStr<'a>,
    #[serde(borrow)]
    observation: Option<Raw<'a>>,
    #[serde(borrow)]
    thought: LenientStr<'a>,
    #[serde(borrow)]
    state: Option<Raw<'a>>,
    /// The model's calls, from which the action was made.
    #[serde(borrow)]
    tool_calls: Lenient<Vec<Raw<'a>>>,
}

/// Members that both programs add to a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MessageFields<'a> {
    #[serde(borrow)]
    role: LenientStr<'a>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_calls: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    action: LenientStr<'a>,
    is_demo: Lenient<bool>,
    #[serde(borrow)]
    extra: Lenient<Extra<'a>>,
    /// Type of a response or of one of its items.
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    object: LenientStr<'a>,
    #[serde(borrow)]
    output: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Extra<'a> {
    returncode: ExitCode,
    /// Why there is no return code.
    #[serde(borrow)]
    exception_info: LenientStr<'a>,
    #[serde(borrow)]
    actions: Lenient<Vec<Lenient<Action<'a>>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Action<'a> {
    #[serde(borrow)]
    command: LenientStr<'a>,
}

fn read<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let mut events = Events::new(whole, None);
    let mut cwd = None;
    let document = raw.read::<Trajectory<'a>>().unwrap_or_default();
    let attempts = document.attempts.0.unwrap_or_default();
    let parts: Vec<_> = attempts
        .iter()
        .filter_map(|raw| raw.read::<Trajectory<'a>>())
        .collect();
    if parts.is_empty() {
        match document.steps.0 {
            Some(steps) => steps
                .into_iter()
                .for_each(|raw| step(&mut events, raw, &mut cwd)),
            None => history(&mut events, document.history.0.unwrap_or_default()),
        }
    }
    for steps in parts.into_iter().filter_map(|part| part.steps.0) {
        for raw in steps {
            step(&mut events, raw, &mut cwd);
        }
    }
    SessionRecord {
        cwd: cwd.map(Cow::Owned),
        whole: true,
        events: events.into_list(),
        ..SessionRecord::default()
    }
}

fn step<'a>(events: &mut Events<'a>, raw: Raw<'a>, cwd: &mut Option<String>) {
    let step = raw.read::<TrajectoryStep<'a>>().unwrap_or_default();
    let directory = step.state.and_then(working_dir);
    if cwd.is_none() {
        cwd.clone_from(&directory);
    }
    if let Some(thought) = text(step.thought) {
        events.push(raw, EventKind::Said(thought));
    }
    // A value of another type may contain an action, too.
    let action = step.action.map(|action| output(Some(action)));
    let is_given = action.is_some();
    let mut action = action.filter(|action| !action.trim().is_empty());
    let shown = step.observation.map(|shown| output(Some(shown)));
    let calls = called(step.tool_calls, action.as_deref());
    if action.is_none() && calls.is_empty() && (!is_given || shown.as_deref().is_some_and(is_run)) {
        let said = text(step.response).or_else(|| text(step.thought));
        action = said.and_then(|said| blocks(&said).map(Cow::Owned));
        action = action.filter(|action| !action.trim().is_empty());
    }
    if action.is_none() && calls.is_empty() {
        return;
    }
    let end = |events: &mut Events<'a>, id| {
        if let Some(shown) = &shown {
            push_end(events, raw, Some(id), how(shown), shown.clone(), None);
        }
    };
    if let Some(action) = action {
        let id = events.own_id();
        push_command(events, raw, Some(id.clone()), &action);
        end(events, id);
    }
    for mut call in calls {
        // Ids may begin again with each step.
        let id = events.own_id();
        call.id = Some(id.clone());
        events.push(raw, EventKind::Call(call));
        end(events, id);
    }
    // The state is that after the action.
    if let Some(directory) = directory {
        events.push(raw, EventKind::Moved(directory.into()));
    }
}

/// Returns the model's calls, without those that the action was made from.
fn called<'a>(calls: Lenient<Vec<Raw<'a>>>, action: Option<&str>) -> Vec<Call<'a>> {
    // The action is a line for a shell, with quotes of its own.
    let plain = |text: &str| text.replace(['"', '\'', '\\', '\n', '\r', '\t', ' '], "");
    let action = action.map(plain);
    let all = calls.0.unwrap_or_default().into_iter();
    let calls = all.filter_map(|raw| Some(raw.read::<Message<'a>>()?.call()));
    let is_another = |call: &Call<'a>| {
        let Some(action) = &action else {
            return true;
        };
        let tool = agent_tools::tool(&call.tool);
        let runs_line = tool.is_some_and(|tool| tool.command().is_some());
        // The action of another tool begins with its name.
        let begins = runs_line || action.starts_with(&plain(&call.tool));
        let mut texts = given::texts(&call.input).into_iter();
        let is_of_action = |text: String| {
            let text = plain(&text);
            text == *action || !runs_line && action.contains(&text)
        };
        !(begins && texts.all(is_of_action))
    };
    calls.filter(is_another).collect()
}

/// Returns whether an observation is more than the note that no action could be read.
fn is_run(observation: &str) -> bool {
    let shown = observation.trim_start();
    let notes = [
        "Your output was not formatted correctly",
        "Your last output did not use",
    ];
    !shown.is_empty() && !notes.iter().any(|note| shown.starts_with(note))
}

/// Determines how a command ended from its observation, which has no exit code.
fn how(shown: &str) -> CallStatus {
    let shown = shown.trim_start();
    let cancelled = shown
        .strip_prefix("The command '")
        .and_then(|rest| rest.split_once("' was cancelled because it took more than "));
    if cancelled.is_some() || shown.starts_with("EXECUTION TIMED OUT") {
        CallStatus::Interrupted
    } else {
        CallStatus::Ok
    }
}

/// Returns the directory of a state, which may be a string that contains JSON.
fn working_dir(state: Raw<'_>) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct State {
        working_dir: Option<String>,
    }
    let inside = match state.read::<Str<'_>>() {
        Some(inner) => serde_json::from_str::<State>(&inner.decode()).ok()?,
        None => serde_json::from_str::<State>(state.as_written()).ok()?,
    };
    inside.working_dir.filter(|dir| dir.starts_with('/'))
}

/// Reads the messages of a demonstration: an action, then its observation.
fn history<'a>(events: &mut Events<'a>, messages: Vec<Raw<'a>>) {
    let mut waiting = None;
    for raw in messages {
        let kept = raw.read::<MessageFields<'a>>().unwrap_or_default();
        if kept.is_demo.0 == Some(true) {
            continue;
        }
        let called = kept
            .tool_calls
            .0
            .as_ref()
            .is_some_and(|calls| !calls.is_empty());
        let said = output(kept.content);
        if called || is_word(kept.role, &["tool"]) {
            messages::message(events, raw);
        } else if is_word(kept.role, &["assistant"]) {
            let action = text(kept.action).or_else(|| blocks(&said).map(Cow::Owned));
            events.push(raw, EventKind::Said(said));
            if let Some(action) = action.filter(|action| !action.trim().is_empty()) {
                let id = events.own_id();
                push_command(events, raw, Some(id.clone()), &action);
                waiting = Some(id);
            }
        } else if let Some(id) = waiting.take() {
            push_end(events, raw, Some(id), how(&said), said, None);
        } else {
            messages::message(events, raw);
        }
    }
}

fn read_mini<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Document<'a> {
        #[serde(borrow)]
        messages: Lenient<Vec<Raw<'a>>>,
    }
    let mut events = Events::new(whole, None);
    let document = raw.read::<Document<'a>>().unwrap_or_default();
    let mut record = SessionRecord::default();
    match document.messages.0 {
        Some(messages) => {
            record.whole = true;
            let mut before = Previous::Other;
            for raw in messages {
                before = mini(&mut events, raw, before);
            }
        }
        None => {
            mini(&mut events, raw, Previous::Other);
        }
    }
    record.events = events.into_list();
    record
}

/// Relation of a message of mini-SWE-agent to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Previous {
    /// It contains an action.
    Action,
    /// It contains a command that a person typed.
    OfPerson,
    /// It contains none, or that isn't known.
    Other,
}

/// Reads a message of mini-SWE-agent. Returns its relation to the next one.
fn mini<'a>(events: &mut Events<'a>, raw: Raw<'a>, before: Previous) -> Previous {
    let kept = raw.read::<MessageFields<'a>>().unwrap_or_default();
    if is_word(kept.object, &["response"]) {
        let items = kept.output.and_then(|raw| raw.read::<Vec<Raw<'a>>>());
        for raw in items.unwrap_or_default() {
            messages::message(events, raw);
        }
        return Previous::Other;
    }
    let said = output(kept.content);
    let code = kept
        .extra
        .0
        .as_ref()
        .and_then(|extra| extra.returncode.0)
        .or_else(|| returncode(&said));
    let extra = kept.extra.0.as_ref();
    let not_run =
        extra.is_some_and(|extra| is_word(extra.exception_info, &["action was not executed"]));
    let how = match code {
        Some(-1) if not_run => CallStatus::Cancelled,
        Some(0) => CallStatus::Ok,
        Some(_) => CallStatus::Error,
        None if said.starts_with("The last command") && said.contains("timed out") => {
            CallStatus::Interrupted
        }
        None if said.starts_with("Command not executed") => CallStatus::RejectedByText,
        None => CallStatus::NotRecorded,
    };
    if is_word(kept.role, &["assistant"]) {
        if kept
            .tool_calls
            .0
            .as_ref()
            .is_some_and(|calls| !calls.is_empty())
        {
            messages::message(events, raw);
            return Previous::Other;
        }
        let actions = kept
            .extra
            .0
            .and_then(|extra| extra.actions.0)
            .unwrap_or_default();
        let mut lines: Vec<String> = actions
            .into_iter()
            .filter_map(|action| Some(text(action.0?.command)?.into_owned()))
            .collect();
        if lines.is_empty() {
            lines.extend(executed_block(&said).map(Cow::into_owned));
        }
        events.push(raw, EventKind::Said(said));
        for line in &lines {
            push_command(events, raw, None, line);
        }
        return if lines.is_empty() {
            Previous::Other
        } else {
            Previous::Action
        };
    }
    let is_item = is_word(kept.kind, &["function_call_output"]);
    if is_word(kept.role, &["tool"]) || is_item {
        let message = raw.read::<Message<'a>>().unwrap_or_default();
        let mut ended = message.ended();
        if code.is_some() {
            ended.how = how;
        }
        ended.exit_code = code.filter(|_| how != CallStatus::Cancelled);
        events.push(raw, EventKind::Ended(ended));
    } else if extra.is_some_and(|extra| extra.actions.0.as_ref().is_some_and(|all| !all.is_empty()))
    {
        // A person typed the command, so it isn't the agent's.
        return Previous::OfPerson;
    } else if before == Previous::OfPerson && code.is_some() {
        return Previous::OfPerson;
    } else if before == Previous::Action && how == CallStatus::NotRecorded {
        // The message is a result, but doesn't show whether the command failed.
        push_end(events, raw, None, CallStatus::Ok, said, None);
    } else if how != CallStatus::NotRecorded {
        push_end(events, raw, None, how, said, code);
    } else if is_word(kept.role, &["user"]) {
        events.push(raw, EventKind::Prompt(said));
    }
    Previous::Other
}

fn returncode(said: &str) -> Option<i64> {
    let rest = said.trim_start().strip_prefix("<returncode>")?;
    rest.split_once("</returncode>")?.0.trim().parse().ok()
}

/// Returns the command that mini-SWE-agent takes from a message. Its versions know different
/// fences: where a message has a block of each, either may be executed.
fn executed_block(said: &str) -> Option<Cow<'_, str>> {
    let own = ["```mswea_bash_command", "```bash"];
    if !own.iter().any(|begin| said.contains(begin)) {
        return only_block(said).map(Cow::Borrowed).map(plain_lines);
    }
    match own.map(|begin| block_of(said, begin)) {
        [Some(one), Some(other)] => Some(Cow::Owned(format!("{one}\n{other}"))),
        [one, other] => one.or(other).map(Cow::Borrowed),
    }
    .map(plain_lines)
}

/// Returns the only block with this fence. It ends at the first line that begins with a fence, even
/// inside a here-document.
fn block_of<'t>(said: &'t str, begin: &str) -> Option<&'t str> {
    // White space as Python understands it.
    let is_space = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
    let mut found = None;
    let mut rest = said;
    while let Some((_, behind)) = rest.split_once(begin) {
        let body = behind.trim_start_matches(is_space);
        let space = behind.len().saturating_sub(body.len());
        let is_line = behind
            .get(..space)
            .is_some_and(|space| space.contains('\n'));
        let Some((body, after)) = body.split_once("\n```").filter(|_| is_line) else {
            rest = behind;
            continue;
        };
        if found.is_some() {
            return None;
        }
        found = Some(body.trim_matches(is_space));
        rest = after;
    }
    found
}

/// Returns the only fenced block of a message that is a command.
fn only_block(said: &str) -> Option<&str> {
    let mut all = fenced(said).filter(|(language, _)| is_shell(language));
    let (_, only) = all.next()?;
    all.next().is_none().then_some(only)
}

/// Returns the fenced blocks from which SWE-agent may have taken an action. It executes the last
/// one, whatever its language; other programs that write such messages execute the first one.
fn blocks(said: &str) -> Option<String> {
    let all: Vec<_> = fenced(said).collect();
    let last = all.len().checked_sub(1)?;
    let kept = all.iter().enumerate();
    let kept = kept.filter(|(n, (language, _))| *n == last || is_shell(language));
    let kept: Vec<_> = kept.map(|(_, (_, body))| *body).collect();
    Some(plain_lines(Cow::Owned(kept.join("\n"))).into_owned())
}

/// Ends lines as a shell does. Otherwise, the end of a line would belong to its last word.
fn plain_lines(lines: Cow<'_, str>) -> Cow<'_, str> {
    if lines.contains('\r') {
        return Cow::Owned(lines.replace("\r\n", "\n"));
    }
    lines
}

fn is_shell(language: &str) -> bool {
    matches!(language, "" | "bash" | "sh" | "mswea_bash_command")
}

/// Returns the fenced blocks of a message, with their languages.
fn fenced(said: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = said;
    std::iter::from_fn(move || {
        while let Some((_, behind)) = rest.split_once("```") {
            let (block, after) = behind.split_once("```")?;
            rest = after;
            if let Some((language, body)) = block.split_once('\n') {
                return Some((language.trim(), body.trim_end_matches(['\n', '\r'])));
            }
        }
        None
    })
}

fn push_command<'a>(events: &mut Events<'a>, raw: Raw<'a>, id: Option<Cow<'a, str>>, line: &str) {
    let (tool, given) = interface::parse(line);
    let call = Call {
        id,
        tool: Cow::Borrowed(tool),
        input: given.unwrap_or_else(|| object_of("command", line)),
    };
    events.push(raw, EventKind::Call(call));
}

fn push_end<'a>(
    events: &mut Events<'a>,
    raw: Raw<'a>,
    id: Option<Cow<'a, str>>,
    how: CallStatus,
    output: Cow<'a, str>,
    exit_code: Option<i64>,
) {
    let ended = CallEnd {
        id,
        how,
        output,
        exit_code,
        change: None,
    };
    events.push(raw, EventKind::Ended(ended));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::formats::session::testing::{fed, told};

    #[test]
    fn steps_and_blocks_are_commands() {
        let steps = concat!(
            r#"{"trajectory":[{"action":"edit 1:1\nx","observation":"o"},{"action":"ls"},"#,
            r#"{"action":" "}],"info":{}}"#,
        );
        let all = told(&FORMAT, steps);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(all[0].contains(" edit ") && all[2].contains(" bash "));
        assert_eq!(only_block("a ```bash\nls\n``` b"), Some("ls"));
        assert_eq!(only_block("```bash\nls\n```\n```bash\npwd\n```"), None);
        assert_eq!(
            only_block("```json\n{}\n```\n```bash\npwd\n```"),
            Some("pwd")
        );
        assert_eq!(only_block("```bash\nls"), None);
    }

    #[test]
    fn several_blocks_without_an_action_count_together() {
        for (said, expected) in [
            ("```\nls\n```\n```\nrm a\n```", Some("ls\nrm a")),
            ("```bash\nls\n```\n```python\nx\n```", Some("ls\nx")),
            ("```json\n{}\n```\n```\nls\n```", Some("ls")),
            ("nothing", None),
            ("```ls```", None),
            ("```x``` ```\nls\n```", Some("ls")),
            ("```bash\nls", None),
        ] {
            assert_eq!(blocks(said).as_deref(), expected, "{said}");
        }
        let two = r"a\n```\nls\n```\nb\n```\nrm a\n```";
        let history = format!(
            r#"{{"history":[{{"role":"assistant","content":"{two}"}},{{"role":"user","content":"o"}}]}}"#
        );
        let step =
            |more: &str| format!(r#"{{"trajectory":[{{{more}"observation":"o"}}],"info":{{}}}}"#);
        let both = r#"{"command":"ls\nrm a"}"#;
        for (text, count) in [
            (history, 2),
            (step(&format!(r#""response":"{two}","#)), 2),
            (step(&format!(r#""action":null,"response":"{two}","#)), 2),
            (step(&format!(r#""thought":"{two}","#)), 2),
            // Something was executed.
            (step(&format!(r#""action":"","response":"{two}","#)), 2),
        ] {
            let all = told(&FORMAT, &text);
            assert_eq!(all.len(), count, "{text} {all:?}");
            assert!(
                all.iter().take(1).all(|call| call.contains(both)),
                "{all:?}"
            );
        }
        let other = told(&FORMAT, &step(r#""action":["rm a"],"#));
        assert_eq!(other.len(), 2, "{other:?}");
        // The action could not be read, so none was executed.
        for shown in ["", "Your output was not formatted correctly. x"] {
            let step = format!(
                r#"{{"trajectory":[{{"action":"","response":"{two}","observation":"{shown}"}}],"info":{{}}}}"#
            );
            assert!(told(&FORMAT, &step).is_empty(), "{step}");
        }
    }

    #[test]
    fn calls_of_a_step_count_unless_they_are_its_action() {
        let step = |action: &str, calls: &str| {
            let text = format!(
                r#"{{"trajectory":[{{"action":"{action}","observation":"o","tool_calls":[{calls}]}}],"info":{{}}}}"#
            );
            told(&FORMAT, &text)
        };
        let call = |command: &str| {
            format!(
                r#"{{"id":"c","function":{{"name":"bash","arguments":{{"command":"{command}"}}}}}}"#
            )
        };
        for (action, calls, expected) in [
            ("ls", call("ls"), vec![r#"call #1 bash {"command":"ls"}"#]),
            ("", call("ls"), vec![r#"call #1 bash {"command":"ls"}"#]),
            (
                "",
                format!("{},{}", call("ls"), call("rm a")),
                vec![
                    r#"call #1 bash {"command":"ls"}"#,
                    r#"call #3 bash {"command":"rm a"}"#,
                ],
            ),
            (
                "ls",
                call("rm a"),
                vec![
                    r#"call #1 bash {"command":"ls"}"#,
                    r#"call #3 bash {"command":"rm a"}"#,
                ],
            ),
            (
                "echo rm a",
                call("rm a"),
                vec![
                    r#"call #1 bash {"command":"echo rm a"}"#,
                    r#"call #3 bash {"command":"rm a"}"#,
                ],
            ),
            (
                "str_replace_editor view '/w/a b'",
                r#"{"function":{"name":"str_replace_editor","arguments":"{\"command\":\"view\",\"path\":\"/w/a b\"}"}}"#.to_owned(),
                vec![r#"call #1 str_replace_editor {"command":"view","path":"/w/a b"}"#],
            ),
        ] {
            let all = step(action, &calls);
            let made: Vec<_> = all.iter().filter(|line| line.starts_with("call")).collect();
            assert_eq!(made, expected.iter().collect::<Vec<_>>(), "{action} {calls}");
            assert_eq!(all.len(), 2 * made.len(), "{all:?}");
        }
    }

    #[test]
    fn lines_of_a_block_end_with_it() {
        for said in [
            "```bash\r\nls\r\nrm a\r\n```",
            "```\r\nls\r\nrm a\r\n```\r\n",
        ] {
            assert_eq!(
                executed_block(said).as_deref(),
                Some("ls\nrm a"),
                "{said:?}"
            );
            assert_eq!(blocks(said).as_deref(), Some("ls\nrm a"), "{said:?}");
        }
    }

    #[test]
    fn the_next_message_ends_an_action() {
        let cases = [
            ("<returncode>0</returncode>", "end - Ok Some(0)"),
            ("<returncode>1</returncode>", "end - Error Some(1)"),
            ("Command not executed. x", "end - RejectedByText None"),
            ("The last command timed out", "end - Interrupted None"),
            ("done", "end - Ok None"),
        ];
        for (said, expected) in cases {
            let text = format!(
                r#"{{"info":{{}},"messages":[
                    {{"role":"assistant","content":"```bash\nls\n```"}},
                    {{"role":"user","content":"{said}"}}]}}"#
            );
            let all = told(&MINI, &text);
            assert!(all[1].starts_with(expected), "{all:?}");
        }
    }

    #[test]
    fn responses_hold_calls_and_a_person_may_type() {
        let text = include_str!("swe_agent.responses.test.json");
        let expected = [
            "call a bash {}",
            "call b bash {}",
            "end a Error Some(1) x",
            "end b Cancelled None y",
        ];
        assert_eq!(told(&MINI, text), expected);
    }

    #[test]
    fn the_executed_block_ends_at_the_first_fence_on_a_line() {
        for (said, expected) in [
            ("```bash\nls\n```", Some("ls")),
            ("x ```bash \n\nls\n```\n```sh\npwd\n```", Some("ls")),
            (
                "```bash\ncat <<E > a\n```python\nx\n```\nE\n```",
                Some("cat <<E > a"),
            ),
            ("```bash\nls\n```\n```bash\npwd\n```", None),
            ("```bash\nls", None),
            ("```bash ls\n```", None),
            ("```bash\u{1c}\nls\n```", Some("ls")),
            ("```mswea_bash_command x\n```bash\nls\n```", Some("ls")),
            ("```sh\nls\n```", Some("ls")),
            (
                "```mswea_bash_command\nls\n```\n```bash\npwd\n```",
                Some("ls\npwd"),
            ),
        ] {
            assert_eq!(executed_block(said).as_deref(), expected, "{said}");
        }
    }

    #[test]
    fn a_command_is_executed_where_the_last_one_went() {
        let step = |action: &str, dir: &str| {
            format!(r#"{{"action":"{action}","observation":"","state":{{"working_dir":"{dir}"}}}}"#)
        };
        let steps = [
            step("ls", "/r"),
            step("cd /etc", "/etc"),
            step("cat shadow", "/etc"),
        ];
        let text = format!(r#"{{"trajectory":[{}],"info":{{}}}}"#, steps.join(","));
        let all = fed(&FORMAT, &[&text]);
        assert!(all[0].contains(r#""workdir":"/r""#), "{all:#?}");
        let moved: Vec<bool> = all[1..]
            .iter()
            .map(|r| r.contains(r#""cwd":"/etc""#))
            .collect();
        assert_eq!(moved, [false, false, true], "{all:#?}");
    }

    #[test]
    fn a_command_that_took_too_long_was_interrupted() {
        for (shown, status) in [
            (
                "\nEXECUTION TIMED OUT BECAUSE NO OUTPUT",
                CallStatus::Interrupted,
            ),
            (
                "The command 'make' was cancelled because it took more than 30 seconds.",
                CallStatus::Interrupted,
            ),
            ("The command 'make' failed", CallStatus::Ok),
        ] {
            assert_eq!(how(shown), status, "{shown}");
        }
    }
}
