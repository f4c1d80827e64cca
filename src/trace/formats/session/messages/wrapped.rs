//! Messages inside of other objects: those that `LangChain` serialises, and those of Zed. Also how
//! calls of Amp went, which its results contain.

use super::super::given;
use super::{
    Call, CallEnd, CallStatus, EventKind, Events, Lenient, LenientStr, Message, Raw, Str, id,
    is_word, message_as, output, push_text, text,
};
use crate::trace::formats::Unit;
use crate::trace::formats::session::{ExitCode, unread};
use governance::DecidedBy;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Returns whether a unit is such a message.
pub(super) fn is_shape_of(unit: &Unit<'_>) -> bool {
    let inner = || unit.get("data")?.read::<Message<'_>>();
    let is_constructed =
        unit.has(&["lc", "id", "kwargs"]) && unit.is_word("type", &["constructor"]);
    is_constructed && unit.get("id").and_then(constructed_role).is_some()
        || unit.is_word("type", WORDS)
            && !unit.has(&["timestamp"])
            && inner().is_some_and(|inner| inner.content.is_some())
}

/// `LangChain`'s types of messages that contain their members as `data`.
const WORDS: &[&str] = &["human", "ai", "tool", "system", "function"];

/// Returns the role of the message that a constructor of `LangChain` creates.
fn constructed_role(class: Raw<'_>) -> Option<&'static str> {
    let path: Vec<Str<'_>> = class.read()?;
    let class = path.last()?.decode();
    Some(match class.strip_suffix("Chunk").unwrap_or(&class) {
        "AIMessage" => "ai",
        "HumanMessage" => "human",
        "SystemMessage" => "system",
        "ToolMessage" | "FunctionMessage" => "tool",
        _ => return None,
    })
}

impl<'a> Message<'a> {
    /// Returns whether a message is inside of it.
    pub(super) fn is_wrapped(&self) -> bool {
        let is_class = is_word(self.kind, &["constructor"]) && self.kwargs.is_some();
        self.is_of_zed() || is_class && self.id.and_then(constructed_role).is_some()
    }

    const fn is_of_zed(&self) -> bool {
        self.zed_agent.is_some() || self.zed_user.is_some()
    }

    /// Reads the message inside of this one. Returns whether there is one.
    pub(super) fn inner(&self, events: &mut Events<'a>) -> bool {
        if let Some(inner) = self.kwargs.filter(|_| is_word(self.kind, &["constructor"])) {
            let role = self.id.and_then(constructed_role);
            message_as(
                events,
                inner,
                role.map(|role| LenientStr(Some(Str::plain(role)))),
            );
            return true;
        }
        let is_data = self.content.is_none() && is_word(self.kind, WORDS);
        if let Some(inner) = self.data.filter(|_| is_data) {
            message_as(events, inner, Some(self.kind));
            return true;
        }
        for (side, role) in [(self.zed_user, "user"), (self.zed_agent, "assistant")] {
            let side = side.and_then(|raw| raw.read::<Side<'a>>());
            if let Some(side) = side {
                side.read_into(events, LenientStr(Some(Str::plain(role))));
            }
        }
        self.is_of_zed()
    }

    /// Reads the texts of one of Zed's older messages.
    pub(super) fn segments(&self, events: &mut Events<'a>, raw: Raw<'a>, role: LenientStr<'a>) {
        let Some(segments) = &self.segments.0 else {
            return;
        };
        for segment in segments.iter().filter_map(|raw| raw.read::<Self>()) {
            if let Some(said) = text(segment.text).filter(|_| is_word(segment.kind, &["text"])) {
                push_text(events, raw, role, said);
            }
        }
    }

    /// Reads the results in one of Zed's older messages.
    pub(super) fn segment_results(&self, events: &mut Events<'a>) {
        let results = self.tool_results.filter(|_| self.segments.0.is_some());
        let results = results.and_then(|raw| raw.read::<Vec<Raw<'a>>>());
        for raw in results.unwrap_or_default() {
            if let Some(result) = raw.read::<ZedResult<'a>>() {
                events.push(raw, EventKind::Ended(result.ended(None)));
            }
        }
    }
}

/// One side's message in Zed's threads.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Side<'a> {
    #[serde(borrow)]
    content: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    tool_results: Lenient<BTreeMap<String, Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow, rename = "Text")]
    text: LenientStr<'a>,
    #[serde(borrow, rename = "ToolUse")]
    call: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ZedCall<'a> {
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    input: Option<Raw<'a>>,
    #[serde(borrow)]
    raw_input: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ZedResult<'a> {
    #[serde(borrow)]
    tool_use_id: Option<Raw<'a>>,
    is_error: Lenient<bool>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
}

impl<'a> Side<'a> {
    fn read_into(self, events: &mut Events<'a>, role: LenientStr<'a>) {
        for raw in self.content.0.unwrap_or_default() {
            let part = raw.read::<Part<'a>>().unwrap_or_default();
            if let Some(said) = text(part.text) {
                push_text(events, raw, role, said);
            }
            let call = part
                .call
                .and_then(|raw| Some((raw, raw.read::<ZedCall<'a>>()?)));
            if let Some((raw, call)) = call {
                let all = [("input", call.input), ("raw_input", call.raw_input)];
                let call = Call {
                    id: id(call.id).filter(|id| !id.is_empty()),
                    tool: text(call.name).unwrap_or_default(),
                    input: given::of_members(&all),
                };
                events.push(raw, EventKind::Call(call));
                events.mark(raw, unread::Reading::Call);
            }
        }
        for (id, raw) in self.tool_results.0.unwrap_or_default() {
            let result = raw.read::<ZedResult<'a>>().unwrap_or_default();
            events.push(raw, EventKind::Ended(result.ended(Some(id.into()))));
        }
    }
}

impl<'a> ZedResult<'a> {
    fn ended(&self, key: Option<Cow<'a, str>>) -> CallEnd<'a> {
        let inner = self.content.and_then(|raw| raw.read::<Part<'a>>());
        let shown = inner.and_then(|part| text(part.text));
        let shown = shown.unwrap_or_else(|| output(self.content));
        let how = match self.is_error.0 {
            Some(true) if shown.starts_with("Tool canceled by user") => CallStatus::Interrupted,
            Some(true) if shown.ends_with("denied by user") => CallStatus::RejectedByText,
            Some(true) => CallStatus::Error,
            Some(false) => CallStatus::Ok,
            None => CallStatus::NotRecorded,
        };
        CallEnd {
            id: key.or_else(|| id(self.tool_use_id)),
            how,
            output: shown,
            exit_code: None,
            change: None,
        }
    }
}

/// Returns how a call of Amp ended. `None` as long as it is running or waits for a person.
pub(super) fn amp_end<'a>(run: Raw<'a>, id: Option<Cow<'a, str>>) -> Option<CallEnd<'a>> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Run<'a> {
        #[serde(borrow)]
        status: LenientStr<'a>,
        #[serde(borrow)]
        result: Option<Raw<'a>>,
        #[serde(borrow)]
        error: Option<Raw<'a>>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Returned<'a> {
        #[serde(borrow)]
        output: Option<Raw<'a>>,
        #[serde(borrow)]
        message: Option<Raw<'a>>,
        #[serde(rename = "exitCode")]
        exit_code: ExitCode,
    }
    let run = run.read::<Run<'a>>().unwrap_or_default();
    let status = text(run.status).unwrap_or_default();
    let kept = run.result.or(run.error);
    let inner = kept.and_then(|raw| raw.read::<Returned<'a>>());
    let inner = inner.unwrap_or_default();
    let exit_code = inner.exit_code.0;
    let how = match &*status {
        "done" if exit_code.is_some_and(|code| code != 0) => CallStatus::Error,
        "done" => CallStatus::Ok,
        "error" => CallStatus::Error,
        "cancelled" => CallStatus::Interrupted,
        "rejected-by-user" => CallStatus::Rejected(DecidedBy::Human),
        "in-progress" | "queued" | "blocked-on-user" => return None,
        _ => CallStatus::NotRecorded,
    };
    Some(CallEnd {
        id,
        how,
        output: output(inner.output.or(inner.message).or(kept)),
        exit_code,
        change: None,
    })
}

/// Returns the directory of a `file` URI; `None` if it is encoded.
fn directory(uri: LenientStr<'_>) -> Option<Cow<'_, str>> {
    let uri = text(uri)?;
    let path = uri.strip_prefix("file://").unwrap_or(&uri);
    (path.starts_with('/') && !path.contains('%')).then(|| Cow::Owned(path.to_owned()))
}

/// Returns the directory in which a thread of Amp or Zed began, if it is the only one.
pub(super) fn work_tree<'a>(document: Raw<'a>) -> Option<Cow<'a, str>> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Thread<'a> {
        #[serde(borrow)]
        env: Lenient<Env<'a>>,
        #[serde(borrow)]
        initial_project_snapshot: Lenient<Snapshot<'a>>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Env<'a> {
        #[serde(borrow)]
        initial: Lenient<Initial<'a>>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Initial<'a> {
        #[serde(borrow)]
        trees: Lenient<Vec<Tree<'a>>>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Snapshot<'a> {
        #[serde(borrow)]
        worktree_snapshots: Lenient<Vec<Tree<'a>>>,
    }
    #[derive(Clone, Copy, Default, Deserialize)]
    #[serde(default)]
    struct Tree<'a> {
        #[serde(borrow)]
        uri: LenientStr<'a>,
        #[serde(borrow)]
        worktree_path: LenientStr<'a>,
    }
    let thread = document.read::<Thread<'a>>()?;
    let amp = thread.env.0.and_then(|env| env.initial.0?.trees.0);
    let zed = thread.initial_project_snapshot.0;
    let trees = amp.or_else(|| zed?.worktree_snapshots.0)?;
    let [tree] = trees.as_slice() else {
        return None;
    };
    directory(if tree.uri.0.is_some() {
        tree.uri
    } else {
        tree.worktree_path
    })
}

#[cfg(test)]
mod tests {
    use crate::trace::formats::Format;
    use crate::trace::formats::session::messages::FORMAT;
    use crate::trace::formats::session::testing::{fed, told};

    fn format(text: &str) -> Option<&'static str> {
        Format::of_record(text, 32).map(Format::name)
    }

    #[test]
    fn a_serialised_message_of_langchain_is_its_message() {
        let made = |class: &str, kwargs: &str| {
            format!(
                r#"{{"lc":1,"type":"constructor","id":["langchain","schema","messages","{class}"],
                    "kwargs":{kwargs}}}"#
            )
        };
        let call = r#"{"content":"","tool_calls":[{"name":"f","args":{"a":1},"id":"c"}]}"#;
        let data = |word: &str, data: &str| format!(r#"{{"type":"{word}","data":{data}}}"#);
        let first = r#"call c f {"a":1}"#;
        for text in [
            made("AIMessage", call),
            made("AIMessageChunk", call),
            data("ai", call),
        ] {
            assert_eq!(told(&FORMAT, &text), [first], "{text}");
            assert_eq!(format(&text), Some("messages"), "{text}");
        }
        let result = |status: &str| {
            format!(r#"{{"id":"m","content":"x","tool_call_id":"c","status":"{status}"}}"#)
        };
        for (status, how) in [("success", "Ok"), ("error", "Error")] {
            let expected = format!("end c {how} None x");
            let result = result(status);
            for text in [made("ToolMessage", &result), data("tool", &result)] {
                assert_eq!(told(&FORMAT, &text), [&*expected], "{text}");
                assert_eq!(format(&text), Some("messages"), "{text}");
            }
        }
        let whole = [
            made("AIMessage", call),
            made("ToolMessage", &result("success")),
        ]
        .join(",");
        for text in [format!("[{whole}]"), format!(r#"{{"messages":[{whole}]}}"#)] {
            assert_eq!(told(&FORMAT, &text), [first, "end c Ok None x"]);
            assert_eq!(format(&text), Some("messages"), "{text}");
        }
        // A message of another class is still searched for calls.
        let other = made("NewMessage", call);
        assert!(told(&FORMAT, &other)[0].contains(first), "{other}");
        assert_eq!(format(&made("Prompt", "{}")), None);
        assert_eq!(format(r#"{"type":"tool","data":{"x":1}}"#), None);
    }

    #[test]
    fn threads_of_zed_join_calls_and_results() {
        let call = |id: &str, input: &str| {
            format!(r#"{{"ToolUse":{{"id":"{id}","name":"terminal",{input}}}}}"#)
        };
        let result = |id: &str, failed: bool, said: &str| {
            format!(
                r#""{id}":{{"tool_use_id":"{id}","tool_name":"terminal","is_error":{failed},
                    "content":{{"Text":"{said}"}},"output":null}}"#
            )
        };
        let calls = [
            call(
                "a",
                r#""input":{"command":"ls"},"raw_input":"{\"command\":\"ls\"}""#,
            ),
            call("b", r#""input":{},"raw_input":"{\"command\":\"rm x\"}""#),
            call("c", r#""input":{"command":"x"}"#),
            call("d", r#""input":{"command":"y"}"#),
        ];
        let results = [
            result("a", false, "x"),
            result("b", true, "no such file"),
            result("c", true, "Tool canceled by user"),
            result("d", true, "Permission to run tool action denied by user"),
        ];
        let text = format!(
            r#"{{"version":"0.3.0","initial_project_snapshot":{{"worktree_snapshots":
                [{{"worktree_path":"/home/u/p"}}]}},"messages":[
                {{"User":{{"id":"u","content":[{{"Text":"go"}}]}}}},
                {{"Agent":{{"content":[{{"Text":"ok"}},{}],"tool_results":{{{}}}}}}},"Resume"]}}"#,
            calls.join(","),
            results.join(",")
        );
        assert_eq!(format(&text), Some("messages"));
        let expected = [
            r#"call a terminal {"command":"ls"}"#,
            r#"call b terminal {"command":"rm x"}"#,
            r#"call c terminal {"command":"x"}"#,
            r#"call d terminal {"command":"y"}"#,
            "end a Ok None x",
            "end b Error None no such file",
            "end c Interrupted None Tool canceled by user",
            "end d RejectedByText None Permission to run tool action denied by user",
        ];
        assert_eq!(told(&FORMAT, &text), expected);
        let all = fed(&FORMAT, &[&text]);
        assert_eq!(all.len(), 5, "{all:#?}");
        assert!(all[0].contains(r#""workdir":"/home/u/p""#) && all[0].contains("\"go\""));

        let old = concat!(
            r#"{"version":"0.2.0","messages":[{"id":0,"role":"user","segments":[],"#,
            r#""tool_uses":[],"tool_results":[]},{"id":1,"role":"assistant","segments":"#,
            r#"[{"type":"text","text":"ok"}],"tool_uses":[{"id":"z","name":"f","input":{"a":1}}],"#,
            r#""tool_results":[]},{"id":2,"role":"user","segments":[],"tool_uses":[],"#,
            r#""tool_results":[{"tool_use_id":"z","is_error":false,"content":"x"}]}]}"#,
        );
        let expected = [r#"call z f {"a":1}"#, "end z Ok None x"];
        assert_eq!(told(&FORMAT, old), expected);
    }

    #[test]
    fn results_of_amp_say_how_their_calls_went() {
        let end = |run: &str| {
            let text = format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","toolUseID":"t",
                    "run":{run}}}]}}"#
            );
            told(&FORMAT, &text)
        };
        for (run, expected) in [
            (
                r#"{"status":"done","result":{"output":"x","exitCode":0}}"#,
                "end t Ok Some(0) x",
            ),
            (
                r#"{"status":"done","result":{"output":"","exitCode":2}}"#,
                "end t Error Some(2) ",
            ),
            (r#"{"status":"done","result":"x"}"#, "end t Ok None x"),
            (
                r#"{"status":"error","error":{"message":"gone"}}"#,
                "end t Error None gone",
            ),
            (r#"{"status":"cancelled"}"#, "end t Interrupted None "),
            (
                r#"{"status":"rejected-by-user"}"#,
                "end t Rejected(Human) None ",
            ),
            (r#"{"status":"new"}"#, "end t NotRecorded None "),
        ] {
            assert_eq!(end(run), [expected], "{run}");
        }
        for status in ["in-progress", "queued", "blocked-on-user"] {
            assert_eq!(end(&format!(r#"{{"status":"{status}"}}"#)), [""; 0]);
        }
        let command = concat!(
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","#,
            r#""input":{"cmd":"ls","cwd":"/p"}}]}"#,
        );
        let command = fed(&FORMAT, &[command])[1].clone();
        let payload = r#""type":"shell_cmd","payload":{"command":"ls","cwd":"/p"}"#;
        assert!(command.contains(payload), "{command}");
        let thread = |trees: &str| {
            let text = format!(
                r#"{{"id":"T","messages":[{{"role":"assistant","content":[{{"type":"tool_use",
                    "id":"t","name":"Read","input":{{"path":"/p/a"}}}}]}}],
                    "env":{{"initial":{{"trees":[{trees}]}}}}}}"#
            );
            fed(&FORMAT, &[&text])[0].clone()
        };
        let tree = r#"{"uri":"file:///p"}"#;
        assert!(thread(tree).contains(r#""workdir":"/p""#));
        let several = format!("{tree},{tree}");
        for trees in [
            &*several,
            r#"{"uri":"file:///p%20q"}"#,
            r#"{"uri":"ssh://h/p"}"#,
        ] {
            assert!(!thread(trees).contains(r#""workdir":"#), "{trees}");
        }
    }
}
