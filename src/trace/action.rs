//! Parts of an action's payload that a replay needs.

use super::step::{Action, ActionKind};
use governance::ActionType;
use governance::risk::Subject;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use sha2::{Digest, Sha256};
use shell_effects::{WRAPPERS, agent_tools};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use strict_json::{Raw, Str, canonical_pieces, canonicalise};
use util::{hex, keyed_hash};

/// Parameters of tools that contain paths, in lower case.
const PATH_MEMBERS: [&str; 16] = [
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filepath",
    "file_path",
    "dir",
    "directory",
    "cwd",
    "source",
    "src",
    "target",
    "destination",
    "dest",
    "root",
];

/// Members of a payload in their order. Most payloads have at most five and are read once, so a map
/// wouldn't pay.
#[derive(Debug, Default)]
struct Members<'a>(Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Members<'a> {
    fn of(payload: Raw<'a>) -> Self {
        payload.read().unwrap_or_default()
    }

    fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.0
            .iter()
            .find(|(member, _)| member == name)
            .map(|(_, value)| *value)
    }

    fn diff(&self) -> Option<String> {
        let text = |name: &str| {
            self.get(name)
                .and_then(|raw| raw.read::<Str<'_>>())
                .filter(|s| !s.is_empty())
        };
        match (
            text("diff").map(Str::decode),
            text("content").map(Str::decode),
        ) {
            (Some(diff), Some(content)) if diff != content && diff_targets(&content).is_some() => {
                None
            }
            (diff, content) => diff.or(content).map(Cow::into_owned),
        }
    }

    fn has_more_than(&self, texts: &[&str], payload: Raw<'_>) -> bool {
        let text = |raw: Raw<'_>| raw.as_written().starts_with('"');
        if self.0.is_empty() {
            return !text(payload) && !matches!(payload.as_written(), "null" | "{}");
        }
        !self
            .0
            .iter()
            .all(|(name, value)| texts.contains(&&**name) && text(*value))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

        struct V<'a>(PhantomData<Members<'a>>);

        impl<'de: 'a, 'a> Visitor<'de> for V<'a> {
            type Value = Members<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Members<'a>, M::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(V(PhantomData))
    }
}

/// Returns the command line of a `shell_cmd`: the member `command`, or the plain string.
#[must_use]
pub fn command(payload: Raw<'_>) -> Option<String> {
    let text = match payload.read::<Str<'_>>() {
        Some(text) => text,
        None => Members::of(payload).get("command")?.read()?,
    };
    Some(text.decode().into_owned())
}

/// Returns the starting directory of a `shell_cmd`, if recorded.
#[must_use]
pub fn cwd(payload: Raw<'_>) -> Option<String> {
    let text: Str<'_> = Members::of(payload).get("cwd")?.read()?;
    Some(text.decode().into_owned())
}

/// Returns the text of an `answer`: `content` or `text`.
#[must_use]
pub fn answer(payload: Raw<'_>) -> Option<String> {
    let members = Members::of(payload);
    let text: Str<'_> = members
        .get("content")
        .or_else(|| members.get("text"))?
        .read()?;
    Some(text.decode().into_owned())
}

/// Returns whether a payload contains anything but text in one of the members `texts`. Other
/// members have to be analysed as well.
#[must_use]
pub fn has_more_than(texts: &[&str], payload: Raw<'_>) -> bool {
    Members::of(payload).has_more_than(texts, payload)
}

/// Returns the tool of a `tool_call`: `tool`, or `tool_name` in early runtimes.
#[must_use]
pub fn tool(payload: Raw<'_>) -> Option<String> {
    let members = Members::of(payload);
    let name: Str<'_> = members
        .get("tool")
        .or_else(|| members.get("tool_name"))?
        .read()?;
    Some(name.distinct().into_owned())
}

/// Returns tool and arguments of a call under any of their names; `None` if the call has other
/// members.
#[must_use]
pub fn call(payload: Raw<'_>) -> Option<(String, Raw<'_>)> {
    let members = Members::of(payload);
    let first = |names: &[&str]| names.iter().find_map(|name| members.get(name));
    let tool: Str<'_> = first(&["tool", "tool_name", "name"])?.read()?;
    let given = first(&WRAPPERS)?;
    (members.0.len() == 2).then(|| (tool.distinct().into_owned(), given))
}

/// Returns tool and arguments of a session's call, whatever other members it has: the diff of an
/// edit is added only after its execution.
#[must_use]
pub fn asked(payload: Raw<'_>) -> Option<(String, Raw<'_>)> {
    let members = Members::of(payload);
    let tool: Str<'_> = members.get("tool")?.read()?;
    Some((tool.distinct().into_owned(), members.get("parameters")?))
}

/// Returns the arguments of a call: the values of the members that hold them, or all other members
/// but the tool's name, as one object. If several members hold arguments, any may be the one that a
/// runtime uses.
#[must_use]
pub fn arguments(payload: Raw<'_>) -> Vec<Cow<'_, str>> {
    let members = Members::of(payload);
    let named = |names: &[&str]| -> Vec<Cow<'_, str>> {
        let all = members.0.iter();
        let named = all.filter(|(name, _)| names.contains(&&**name));
        let texts = named.map(|(_, value)| Cow::Borrowed(value.as_written()));
        texts.collect()
    };
    let mut wrapped = named(&WRAPPERS);
    if !wrapped.is_empty() {
        // Without one of those members, these may be arguments themselves.
        let others = named(&["input", "args", "params"]);
        wrapped.extend(others.into_iter().filter(|value| value.starts_with('{')));
        return wrapped;
    }
    let mut object = String::from("{");
    for (name, value) in &members.0 {
        if matches!(&**name, "tool" | "tool_name") {
            continue;
        }
        if object.len() > 1 {
            object.push(',');
        }
        object.push_str(&Value::from(&**name).to_string());
        object.push(':');
        object.push_str(value.as_written());
    }
    object.push('}');
    vec![Cow::Owned(object)]
}

/// Returns arguments as JSON texts. Some runtimes write them as a text that contains JSON, and
/// `null` means that there are none.
#[must_use]
pub fn text_arguments<'t>(written: &[Cow<'t, str>]) -> Vec<Cow<'t, str>> {
    let plain = |text: &Cow<'t, str>| match text.trim() {
        "null" | "\"\"" => Cow::Borrowed("{}"),
        quoted if quoted.starts_with('"') => {
            let inner =
                strict_json::from_text::<Str<'_>>(quoted).map(|text| text.decode().into_owned());
            match inner {
                Ok(inner) if strict_json::from_text::<Raw<'_>>(&inner).is_ok() => Cow::Owned(inner),
                _ => text.clone(),
            }
        }
        _ => text.clone(),
    };
    written.iter().map(plain).collect()
}

/// Returns every text of a payload, without escapes: strings, names of members, and the strings of
/// each list joined, since a command may be a list of words. Text that isn't JSON is returned as it
/// is.
#[must_use]
pub fn texts(payload: &str) -> Vec<String> {
    let mut all = Vec::new();
    match strict_json::from_text_clamped(payload) {
        Ok(value) => add_texts(value, &mut all),
        Err(_) => all.push(payload.to_owned()),
    }
    all
}

fn add_texts(value: Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => all.push(text),
        Value::Array(list) => {
            let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            if words.len() > 1 {
                all.push(words.join(" "));
            }
            for value in list {
                add_texts(value, all);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                all.push(name);
                add_texts(value, all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Hashes the effect of an action, to recognise it under another id. Remarks and time limits of a
/// command don't matter.
#[must_use]
pub fn same_action(is_command: bool, payload: Raw<'_>) -> Option<u64> {
    if is_command && let Some(line) = command(payload) {
        return Some(keyed_hash(&(line, cwd(payload))));
    }
    let (tool, given) = asked(payload)?;
    Some(keyed_hash(&(tool, canonicalise(given))))
}

/// Returns the diff of a `code_diff`: `diff`, or `content` if that contains it; `None` if they are
/// two different diffs.
#[must_use]
pub fn diff(payload: Raw<'_>) -> Option<String> {
    Members::of(payload).diff()
}

/// Like [`diff`] and [`has_more_than`] together.
#[must_use]
pub fn diff_and_more(texts: &[&str], payload: Raw<'_>) -> (Option<String>, bool) {
    let members = Members::of(payload);
    (members.diff(), members.has_more_than(texts, payload))
}

/// Returns the files in a diff's headers, without git's `a/` and `b/`, and above SEARCH/REPLACE
/// blocks. `None` when there are none, so that the target is unknown.
#[must_use]
pub fn diff_targets(diff: &str) -> Option<BTreeSet<String>> {
    let mut targets = BTreeSet::new();
    let mut left = 0u64;
    for line in diff.lines() {
        if left > 0 {
            // Inside a hunk, a line that begins with `---` is a deletion, not a header.
            match line.as_bytes().first() {
                Some(b'+' | b'-' | b' ') | None => left -= 1,
                _ => {}
            }
            continue;
        }
        if let Some(rest) = line.strip_prefix("@@ -") {
            let (old, new) = hunk_lines(rest);
            left = old.max(new);
            continue;
        }
        let name = [
            "--- ",
            "+++ ",
            "rename from ",
            "rename to ",
            "copy from ",
            "copy to ",
        ]
        .iter()
        .find_map(|p| line.strip_prefix(p));
        if let Some(name) = name {
            let name = name.split('\t').next().unwrap_or_default().trim_end();
            if name != "/dev/null" {
                let name = name
                    .strip_prefix("a/")
                    .or_else(|| name.strip_prefix("b/"))
                    .unwrap_or(name);
                targets.insert(name.to_owned());
            }
        } else if let Some((a, b)) = line
            .strip_prefix("diff --git a/")
            .and_then(|rest| rest.split_once(" b/"))
        {
            targets.insert(a.to_owned());
            targets.insert(b.to_owned());
        }
    }
    let blocks = shell_effects::edit_blocks(diff).names;
    targets.extend(blocks.into_iter().map(|(name, _)| name));
    (!targets.is_empty()).then_some(targets)
}

/// Returns the number of lines of a hunk before and after, from the text after its `@@ -`.
fn hunk_lines(ranges: &str) -> (u64, u64) {
    let count = |range: &str| {
        range
            .split_once(',')
            .map_or(Some(1), |(_, n)| n.parse().ok())
            .unwrap_or(0)
    };
    let mut parts = ranges.split([' ', '+', '@']).filter(|p| !p.is_empty());
    let old = parts.next().map_or(0, count);
    (old, parts.next().map_or(0, count))
}

/// Counts the added and removed lines of a diff. A similar line outside of a hunk is a header.
#[must_use]
pub fn changed_lines(diff: &str) -> (usize, usize) {
    let (mut added, mut removed) = (0, 0);
    let (mut old, mut new) = (0u64, 0u64);
    // Whether the lines of a SEARCH/REPLACE block are new; a hunk whose `@@` states no numbers.
    let (mut block, mut unplaced): (Option<bool>, bool) = (None, false);
    for line in diff.lines() {
        if old == 0 && new == 0 {
            block = match (block, line.trim_end()) {
                (None, "<<<<<<< SEARCH") => Some(false),
                (Some(_), "=======") => Some(true),
                (Some(_), ">>>>>>> REPLACE") => None,
                (Some(true), _) => {
                    added += 1;
                    block
                }
                (Some(false), _) => {
                    removed += 1;
                    block
                }
                (None, _) => None,
            };
            if line.starts_with("@@") {
                unplaced = !line.starts_with("@@ -");
            } else if unplaced && !line.starts_with("--- ") && !line.starts_with("+++ ") {
                added += usize::from(line.starts_with('+'));
                removed += usize::from(line.starts_with('-'));
            }
            (old, new) = line
                .strip_prefix("@@ -")
                .map(hunk_lines)
                .unwrap_or_default();
            continue;
        }
        let (before, after) = match line.as_bytes().first() {
            Some(b'+') => (0, 1),
            Some(b'-') => (1, 0),
            Some(b'\\') => (0, 0),
            _ => (1, 1),
        };
        added += usize::from(before == 0 && after == 1);
        removed += usize::from(before == 1 && after == 0);
        old = old.saturating_sub(before);
        new = new.saturating_sub(after);
    }
    (added, removed)
}

/// Returns the paths that an action names.
#[must_use]
pub fn paths(kind: ActionKind<'_>, payload: Raw<'_>) -> Vec<String> {
    match kind {
        ActionKind::Known(ActionType::CodeDiff) => diff(payload)
            .and_then(|d| diff_targets(&d))
            .into_iter()
            .flatten()
            .collect(),
        ActionKind::Known(ActionType::ToolCall) => {
            let outer = Members::of(payload);
            let inner = outer.get("parameters").map(Members::of).unwrap_or_default();
            let mut found = Vec::new();
            for (name, value) in outer.0.iter().chain(&inner.0) {
                if PATH_MEMBERS.contains(&name.to_lowercase().as_str()) {
                    if let Some(one) = value.read::<Str<'_>>() {
                        found.push(one.decode().into_owned());
                    } else if let Some(many) = value.read::<Vec<Str<'_>>>() {
                        found.extend(many.into_iter().map(|s| s.decode().into_owned()));
                    }
                }
            }
            if found.is_empty()
                && let Some(tool) = tool(payload).and_then(|name| agent_tools::tool(&name))
                && let Some(parameters) = outer.get("parameters").and_then(|raw| raw.read_all())
            {
                found = tool.patched(&parameters);
            }
            found
        }
        ActionKind::Known(ActionType::ShellCmd | ActionType::Answer) | ActionKind::Other(_) => {
            Vec::new()
        }
    }
}

/// Returns the action as the early risk analyser reads it. A missing command is unknown.
pub fn risk_subject<'a>(action: &Action<'_>, command_line: &'a mut String) -> Subject<'a> {
    match action.kind {
        ActionKind::Known(ActionType::ShellCmd) => match action.payload.and_then(command) {
            Some(text) => {
                *command_line = text;
                Subject::ShellCommand(command_line)
            }
            None => Subject::Unknown,
        },
        ActionKind::Known(ActionType::CodeDiff) => Subject::CodeDiff,
        ActionKind::Known(ActionType::ToolCall) => Subject::ToolCall,
        ActionKind::Known(ActionType::Answer) => Subject::Answer,
        ActionKind::Other(_) => Subject::Unknown,
    }
}

/// Returns the canonical hash of an action: SHA-256, in lower-case hexadecimal, of the RFC 8785
/// form of `{type, payload}`.
#[must_use]
pub fn action_hash(kind: &str, payload: Raw<'_>) -> String {
    let kind = Value::String(kind.to_owned()).to_string();
    let mut hash = Sha256::new_with_prefix("{\"payload\":");
    canonical_pieces(payload, &mut |piece| hash.update(piece));
    hash.update(format!(",\"type\":{}}}", canonicalise(Raw::trusted(&kind))));
    hex(&hash.finalize())
}

/// Normalises a path for comparison: removes a leading `./` and doubled slashes.
#[must_use]
pub fn plain_path(path: &str) -> Cow<'_, str> {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    if path.contains("//") || path.contains("/./") {
        let parts: Vec<&str> = path
            .split('/')
            .enumerate()
            .filter(|(n, p)| !(*p == "." || (p.is_empty() && *n > 0)))
            .map(|(_, p)| p)
            .collect();
        Cow::Owned(parts.join("/"))
    } else {
        Cow::Borrowed(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_whatever_is_beside_them() {
        for payload in [
            r#"{"a":"on\u0065 two"}"#,
            r#"{"a":"one two","n":1e999}"#,
            r#"{"a":"one two","b":"\ud800"}"#,
            r#"{"one two":1}"#,
            r#"{"a":["one","two"]}"#,
            "one two",
        ] {
            assert!(texts(payload).contains(&"one two".to_owned()), "{payload}");
        }
    }

    #[test]
    fn finds_what_a_payload_is_about() {
        assert_eq!(
            command(Raw::trusted(r#"{"command":"ls -l","cwd":"."}"#)).as_deref(),
            Some("ls -l")
        );
        assert_eq!(command(Raw::trusted(r#""ls""#)).as_deref(), Some("ls"));
        assert_eq!(
            tool(Raw::trusted(r#"{"tool_name":"read_file"}"#)).as_deref(),
            Some("read_file")
        );
        assert_eq!(
            diff(Raw::trusted(r#"{"diff":"","content":"--- a/x"}"#)).as_deref(),
            Some("--- a/x")
        );
        let call = Raw::trusted(
            r#"{"tool":"move","parameters":{"source":"a","destination":"b","note":"c"}}"#,
        );
        assert_eq!(
            paths(ActionKind::Known(ActionType::ToolCall), call),
            ["a", "b"]
        );
    }

    #[test]
    fn a_diffs_targets_come_from_its_headers_only() {
        let diff = "diff --git a/x.txt b/x.txt\n--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,2 @@\n\
            --- a/not-a-header\n+++ b/neither\n one\n--- a/second\n+++ b/second\n@@ -1 +1 @@\n-a\n\
            +b\n";
        let targets: Vec<_> = diff_targets(diff).unwrap().into_iter().collect();
        assert_eq!(targets, ["second", "x.txt"]);
        assert_eq!(
            diff_targets("--- /dev/null\n+++ b/new\n")
                .unwrap()
                .into_iter()
                .collect::<Vec<_>>(),
            ["new"]
        );
        assert_eq!(diff_targets("no diff"), None);
    }

    #[test]
    fn diffs_without_line_numbers_have_targets_and_lines() {
        let targets = |diff: &str| diff_targets(diff).unwrap().into_iter().collect::<Vec<_>>();
        let bare = "diff --git a/x b/x\n@@\n a\n-b\n+c\n+d\n";
        assert_eq!(
            (targets(bare), changed_lines(bare)),
            (vec!["x".to_owned()], (2, 1))
        );
        let blocks = "x\n<<<<<<< SEARCH\nb\n=======\nc\nd\n>>>>>>> REPLACE\n\n\
            y\n<<<<<<< SEARCH\n=======\ne\n>>>>>>> REPLACE\n";
        assert_eq!(targets(blocks), ["x", "y"]);
        assert_eq!(changed_lines(blocks), (3, 1));
    }

    #[test]
    fn equal_actions_have_equal_hashes() {
        let a = action_hash("shell_cmd", Raw::trusted(r#"{"command":"ls","cwd":"."}"#));
        let b = action_hash(
            "shell_cmd",
            Raw::trusted(r#"{ "cwd":".", "command":"\u006cs" }"#),
        );
        assert_eq!(a, b);
        assert_eq!(a.len(), 64);
        assert_ne!(
            a,
            action_hash("tool_call", Raw::trusted(r#"{"command":"ls","cwd":"."}"#))
        );
    }

    #[test]
    fn a_call_names_the_files_of_its_patch() {
        let patch = r"*** Begin Patch\n*** Update File: a.rs\n*** Move to: /b.rs\n*** End Patch";
        for (call, expected) in [
            (
                format!(r#""apply_patch","parameters":{{"input":"{patch}"}}"#),
                "a.rs",
            ),
            (
                format!(
                    r#""shell","parameters":{{"command":["apply_patch","{patch}"],"workdir":"/w"}}"#
                ),
                "/w/a.rs",
            ),
            (
                format!(
                    r#""shell","parameters":{{"command":"cd c/ && apply_patch <<'E'\n{patch}\nE"}}"#
                ),
                "c/a.rs",
            ),
        ] {
            let payload = format!("{{\"tool\":{call}}}");
            let kind = ActionKind::Known(ActionType::ToolCall);
            assert_eq!(
                paths(kind, Raw::trusted(&payload)),
                [expected, "/b.rs"],
                "{payload}"
            );
        }
        let other = r#"{"tool":"shell","parameters":{"command":["ls","-l"]}}"#;
        let kind = ActionKind::Known(ActionType::ToolCall);
        assert!(paths(kind, Raw::trusted(other)).is_empty());
    }

    #[test]
    fn paths_are_compared_plainly() {
        assert_eq!(plain_path("./a//b"), "a/b");
        assert_eq!(plain_path("././a/./b"), "a/b");
        assert_eq!(plain_path("/a//b"), "/a/b");
        assert_eq!(plain_path("../a"), "../a");
    }
}
