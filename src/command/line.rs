//! The command line that a payload comes to: not only its `command`, but whatever else in it changes what runs.

use super::param::Param;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Members that say something about a command, how long it is waited for or how its output is shown, and change nothing about
/// what runs.
pub const HARMLESS: [&str; 48] = [
    "agent",
    "agentId",
    "agent_id",
    "background",
    "blocking",
    "callId",
    "call_id",
    "comment",
    "description",
    "explanation",
    "id",
    "interactive",
    "is_background",
    "is_blocking",
    "justification",
    "label",
    "login",
    "maxOutputLength",
    "max_output_length",
    "max_output_tokens",
    "note",
    "purpose",
    "rationale",
    "reason",
    "reasoning",
    "requestId",
    "request_id",
    "require_user_approval",
    "requiresApproval",
    "requires_approval",
    "restart",
    "risk",
    "riskLevel",
    "risk_level",
    "run_in_background",
    "stream",
    "summary",
    "timeout",
    "timeoutMs",
    "timeoutSeconds",
    "timeout_ms",
    "timeout_seconds",
    "timestamp",
    "title",
    "toolCallId",
    "tool_call_id",
    "tty",
    "turn",
];

/// Names of the member that says where a command runs.
pub(crate) const PLACES: [&str; 7] =
    ["cwd", "dir", "directory", "workdir", "workingDirectory", "working_dir", "working_directory"];

/// A command line with what its payload adds to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line<'a> {
    /// The text that runs, arguments and variables included.
    pub text: Cow<'a, str>,
    /// The directory that it runs in.
    pub cwd: Option<&'a str>,
    /// A member that may change what runs, in a way that can't be told.
    pub unknown: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// The line of a payload; none where it has no command.
    #[must_use]
    pub fn of(payload: &'a Value) -> Option<Self> {
        if let Some(text) = payload.as_str() {
            return Some(Self { text: Cow::Borrowed(text), ..Self::default() });
        }
        let members = payload.as_object()?;
        let command = members.get("command")?.as_str()?;
        let mut line = Self { text: Cow::Borrowed(command), ..Self::default() };
        if members.len() > 1 {
            line.add(command, members);
        }
        Some(line)
    }

    fn add(&mut self, command: &str, members: &'a Map<String, Value>) {
        let others = members.iter().filter(|(name, _)| *name != "command");
        self.add_beside(command, others.map(|(name, value)| (name.as_str(), Beside::from(value))));
    }

    /// Takes in what stands beside a command.
    pub(super) fn add_beside(&mut self, command: &str, others: impl Iterator<Item = (&'a str, Beside<'a>)>) {
        let mut arguments = String::new();
        let mut variables = String::new();
        for (name, value) in others {
            let understood = match (name, value) {
                // Some runtimes write every member that any action may have.
                (_, Beside::Nothing) => true,
                (name, _) if HARMLESS.contains(&name) => true,
                (name, value) if PLACES.contains(&name) => match (value, self.cwd) {
                    (Beside::Text(here), None) => {
                        self.cwd = Some(here);
                        true
                    }
                    (Beside::Text(here), Some(there)) => here == there,
                    _ => false,
                },
                // Whether several words are one program or a line is left to the runtime.
                ("args" | "arguments" | "argv", Beside::List(words)) => {
                    let plain_words: Option<Vec<&str>> = words.iter().map(|word| word.text().filter(|w| plain(w))).collect();
                    plain_words.is_some_and(|words| {
                        arguments.extend(words.iter().flat_map(|word| [" ", word]));
                        plain(command)
                    })
                }
                ("env" | "environment", Beside::Members(members)) => assignments(&members, &mut variables),
                ("shell", Beside::Flag(shell)) => shell || command.split(' ').all(plain),
                ("shell", Beside::Text(shell)) => is_shell(shell),
                // A number is no code. Whose rights a command has may be one.
                (name, value) => value == Beside::Number && !matches!(name, "uid" | "gid" | "user" | "group"),
            };
            if !understood && self.unknown.is_none() {
                self.unknown = Some(name);
            }
        }
        if !(arguments.is_empty() && variables.is_empty()) {
            self.text = Cow::Owned(format!("{variables}{command}{arguments}"));
        }
    }
}

/// A value that stands beside a command, as far as it matters there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Beside<'a> {
    /// It says nothing: null, or empty.
    Nothing,
    Text(&'a str),
    Flag(bool),
    Number,
    List(Vec<Self>),
    Members(Vec<(&'a str, Self)>),
}

impl<'a> Beside<'a> {
    const fn text(&self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> From<&'a Value> for Beside<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::String(text) if !text.is_empty() => Self::Text(text),
            Value::Array(list) if !list.is_empty() => Self::List(list.iter().map(Self::from).collect()),
            Value::Object(members) if !members.is_empty() => {
                Self::Members(members.iter().map(|(name, value)| (name.as_str(), value.into())).collect())
            }
            Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => Self::Nothing,
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Number(_) => Self::Number,
        }
    }
}

impl<'a> From<&'a Param<'_>> for Beside<'a> {
    fn from(value: &'a Param<'_>) -> Self {
        match value {
            Param::Text(text) if !text.is_empty() => Self::Text(text),
            Param::List(list) if !list.is_empty() => Self::List(list.iter().map(Self::from).collect()),
            Param::Members(members) if !members.is_empty() => {
                Self::Members(members.iter().map(|(name, value)| (&**name, value.into())).collect())
            }
            Param::Nothing | Param::Text(_) | Param::List(_) | Param::Members(_) => Self::Nothing,
            Param::Flag(flag) => Self::Flag(*flag),
            Param::Number { .. } => Self::Number,
        }
    }
}

/// Whether a word is the same to every shell and to none.
fn plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./:@+,%^=".contains(&b))
}

/// Writes variables as assignments in front of a line. False where one of them can't be told.
fn assignments(members: &[(&str, Beside<'_>)], to: &mut String) -> bool {
    members.iter().all(|(name, value)| {
        let starts = |b: u8| b.is_ascii_alphabetic() || b == b'_';
        let named = name.bytes().next().is_some_and(starts) && name.bytes().all(|b| starts(b) || b.is_ascii_digit());
        let text = match value {
            Beside::Text(text) => text.replace('\'', r"'\''"),
            Beside::Nothing => String::new(),
            // Which number it is changes nothing about what runs.
            Beside::Number => "1".to_owned(),
            Beside::Flag(flag) => flag.to_string(),
            Beside::List(_) | Beside::Members(_) => return false,
        };
        if named {
            to.push_str(&format!("{name}='{text}'; "));
        }
        // No shell reads a variable of another name, but for the functions that bash takes in.
        named || !name.starts_with("BASH_FUNC_")
    })
}

/// Whether a shell understands lines as bash does.
fn is_shell(name: &str) -> bool {
    let name = ["/bin/", "/usr/bin/"].iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(name);
    matches!(name, "bash" | "sh")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(payload: &Value) -> (String, bool) {
        let line = Line::of(payload).unwrap();
        (line.text.into_owned(), line.unknown.is_some())
    }

    #[test]
    fn arguments_and_variables_are_part_of_the_line() {
        let known = [
            (json!("ls"), "ls"),
            (json!({"command": "rm", "args": ["-rf", "/"]}), "rm -rf /"),
            (json!({"command": "ls -l | wc", "args": [], "env": {}, "shell": "/bin/bash"}), "ls -l | wc"),
            (json!({"command": "ls", "env": {"A": "it's", "B C": 1}, "n": 10}), r"A='it'\''s'; ls"),
            (json!({"command": "ls", "cwd": "", "tool_name": "", "parameters": {}, "stdin": ""}), "ls"),
            (json!({"command": "ls", "timeout": 5, "description": "rm -rf /", "stdin": null, "shell": false}), "ls"),
        ];
        for (payload, text) in known {
            assert_eq!(line(&payload), (text.to_owned(), false), "{payload}");
        }
        assert_eq!(Line::of(&json!({"command": "ls", "workdir": "/etc"})).unwrap().cwd, Some("/etc"));
    }

    #[test]
    fn what_may_change_what_runs_is_unknown() {
        for payload in [
            json!({"command": "ls", "script": "rm -rf /"}),
            json!({"command": "cat", "stdin": "x"}),
            json!({"command": "ls", "shell": "python"}),
            json!({"command": "ls; x", "shell": false}),
            json!({"command": "git status", "args": ["-s"]}),
            json!({"command": "echo", "args": ["a; rm -rf /"]}),
            json!({"command": "echo", "args": "a"}),
            json!({"command": "ls", "env": {"BASH_FUNC_ls%%": "() { rm -rf /; }"}}),
            json!({"command": "ls", "user": 0}),
            json!({"command": "ls", "env": ["A=b"]}),
            json!({"command": "ls", "cwd": "a", "workdir": "b"}),
            json!({"command": "ls", "cwd": 1}),
            json!({"command": "ls", "Command": "rm"}),
        ] {
            assert!(line(&payload).1, "{payload}");
        }
        assert_eq!(Line::of(&json!({"cmd": "ls"})), None);
    }
}
