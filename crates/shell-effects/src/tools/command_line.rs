//! Derives the command line of a payload from its `command` and from other members that change what
//! runs.

use super::param::Param;
use serde_json::Value;
use std::borrow::Cow;

/// Members that describe a command, how long to wait for it or how to show its output. They change
/// nothing about what runs, as long as [`is_descriptive`] accepts their values.
const HARMLESS: [&str; 60] = [
    "agent",
    "agentId",
    "agent_id",
    "background",
    "blocking",
    "callId",
    "call_id",
    "comment",
    "confirmation_state",
    "delay",
    "description",
    "explanation",
    "hidden",
    "id",
    "initial_wait",
    "interactive",
    "is_background",
    "is_blocking",
    "is_confirmed",
    "is_static",
    "justification",
    "keep_prompt",
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
    "reset",
    "restart",
    "risk",
    "riskLevel",
    "risk_level",
    "run_in_background",
    "security_risk",
    "stream",
    "summary",
    "task_progress",
    "thought",
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
    "yield_time_ms",
];

/// Members of an object that only describes.
const DETAILS: [&str; 18] = [
    "by", "category", "code", "count", "kind", "lang", "language", "level", "locale", "model",
    "ms", "score", "seconds", "text", "type", "unit", "value", "version",
];

/// Returns whether a member changes nothing about what runs, by its name and because its value
/// can't cause an action.
#[must_use]
pub fn is_harmless(name: &str, value: &Param<'_>) -> bool {
    // A text that is typed into a running command isn't a command line.
    let is_typed = name == "is_input"
        && !(matches!(value, Param::Flag(false)) || value.as_str() == Some("false"));
    (HARMLESS.contains(&name) || name == "is_input") && !is_typed && is_descriptive(value)
}

/// Returns whether a value only describes: a scalar, or lists and objects of such values. A member
/// with a name outside of the known ones may be a command, a file or a call.
#[must_use]
pub fn is_descriptive(value: &Param<'_>) -> bool {
    let plain = |name: &str| HARMLESS.contains(&name) || DETAILS.contains(&name);
    let describes = |(name, value): &(Cow<'_, str>, Param<'_>)| {
        plain(name) || value.is_empty() || matches!(value, Param::Flag(_) | Param::Number { .. })
    };
    let mut values = value.self_and_descendants().enumerate();
    values.all(|(n, one)| {
        one.members()
            .is_none_or(|members| n < 1000 && members.iter().all(describes))
    })
}

/// Names of the member with the directory in which a command runs.
pub const DIRECTORY_MEMBERS: [&str; 7] = [
    "cwd",
    "dir",
    "directory",
    "workdir",
    "workingDirectory",
    "working_dir",
    "working_directory",
];

/// A command line, completed by the other members of its payload.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandLine<'a> {
    /// The text that runs, arguments and variables included.
    pub text: Cow<'a, str>,
    /// The directory it runs in.
    pub cwd: Option<Cow<'a, str>>,
    /// A member that may change what runs in an unknown way.
    pub unknown: Option<Cow<'a, str>>,
}

impl<'a> CommandLine<'a> {
    /// Returns the command line of a payload, or `None` if it has no command.
    #[must_use]
    pub fn from_payload(payload: &'a Value) -> Option<Self> {
        if let Some(text) = payload.as_str() {
            return Some(Self {
                text: Cow::Borrowed(text),
                ..Self::default()
            });
        }
        let members = payload.as_object()?;
        let command = members.get("command")?.as_str()?;
        let mut line = Self {
            text: Cow::Borrowed(command),
            ..Self::default()
        };
        if members.len() > 1 {
            let others = members.iter().filter(|(name, _)| *name != "command");
            let others: Vec<_> = others
                .map(|(name, value)| (Cow::Borrowed(name.as_str()), Param::from(value)))
                .collect();
            line.add(command, others.iter());
        }
        Some(line)
    }

    /// Applies the other members of a payload to the line.
    pub(super) fn add<'p>(
        &mut self,
        command: &str,
        others: impl Iterator<Item = &'p (Cow<'a, str>, Param<'a>)>,
    ) where
        'a: 'p,
    {
        let mut arguments = String::new();
        let mut variables = String::new();
        for (name, value) in others {
            let understood = match (&**name, value) {
                // Some runtimes write every member that any action may have.
                (_, value) if value.is_empty() => true,
                (name, value) if is_harmless(name, value) => true,
                (name, value) if DIRECTORY_MEMBERS.contains(&name) => match (value, &self.cwd) {
                    (Param::Text(here), None) => {
                        self.cwd = Some(here.clone());
                        true
                    }
                    (Param::Text(here), Some(there)) => here == there,
                    _ => false,
                },
                // The runtime decides whether several words are one program or a line.
                ("args" | "arguments" | "argv", Param::List(words)) => {
                    let words: Option<Vec<&str>> = words
                        .iter()
                        .map(|word| word.as_str().filter(|w| plain(w)))
                        .collect();
                    words.is_some_and(|words| {
                        arguments.extend(words.iter().flat_map(|word| [" ", word]));
                        plain(command)
                    })
                }
                ("env" | "environment", Param::Members(members)) => {
                    assignments(members, &mut variables)
                }
                ("shell", Param::Flag(shell)) => *shell || command.split(' ').all(plain),
                ("shell", Param::Text(shell)) => is_shell(shell),
                // A number isn't code. But it may select whose rights a command has.
                (name, Param::Number { .. }) => !matches!(name, "uid" | "gid" | "user" | "group"),
                _ => false,
            };
            if !understood && self.unknown.is_none() {
                self.unknown = Some(name.clone());
            }
        }
        if !(arguments.is_empty() && variables.is_empty()) {
            self.text = Cow::Owned(format!("{variables}{command}{arguments}"));
        }
    }
}

/// Returns whether every shell reads the word unchanged.
fn plain(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_./:@+,%^=".contains(&b))
}

/// Writes variables as assignments in front of a line. Returns false if one of them can't be
/// determined.
fn assignments(members: &[(Cow<'_, str>, Param<'_>)], to: &mut String) -> bool {
    members.iter().all(|(name, value)| {
        let starts = |b: u8| b.is_ascii_alphabetic() || b == b'_';
        let named = name.bytes().next().is_some_and(starts)
            && name.bytes().all(|b| starts(b) || b.is_ascii_digit());
        let text = match value {
            Param::Text(text) => text.replace('\'', r"'\''"),
            value if value.is_empty() => String::new(),
            // The specific number changes nothing about what runs.
            Param::Number { .. } => "1".to_owned(),
            Param::Flag(flag) => flag.to_string(),
            Param::List(_) | Param::Members(_) | Param::Nothing => return false,
        };
        if named {
            to.push_str(&format!("{name}='{text}'; "));
        }
        // No shell reads a variable of another name, except for the functions that bash imports.
        named || !name.starts_with("BASH_FUNC_")
    })
}

/// Returns whether a shell interprets lines as bash does.
fn is_shell(name: &str) -> bool {
    let name = ["/bin/", "/usr/bin/"]
        .iter()
        .find_map(|folder| name.strip_prefix(folder))
        .unwrap_or(name);
    matches!(name, "bash" | "sh")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(payload: &Value) -> (String, bool) {
        let line = CommandLine::from_payload(payload).unwrap();
        (line.text.into_owned(), line.unknown.is_some())
    }

    #[test]
    fn arguments_and_variables_are_part_of_the_line() {
        let known = [
            (json!("ls"), "ls"),
            (json!({"command": "rm", "args": ["-rf", "/"]}), "rm -rf /"),
            (
                json!({"command": "ls -l | wc", "args": [], "env": {}, "shell": "/bin/bash"}),
                "ls -l | wc",
            ),
            (
                json!({"command": "ls", "env": {"A": "it's", "B C": 1}, "n": 10}),
                r"A='it'\''s'; ls",
            ),
            (
                json!({"command": "ls", "cwd": "", "tool_name": "", "parameters": {}, "stdin": ""}),
                "ls",
            ),
            (
                json!({
                    "command": "ls", "timeout": 5, "description": "rm -rf /", "stdin": null,
                    "shell": false
                }),
                "ls",
            ),
            (
                json!({
                    "command": "ls", "timeout": {"seconds": 5},
                    "reason": ["a", {"text": "b", "score": 1}]
                }),
                "ls",
            ),
        ];
        for (payload, text) in known {
            assert_eq!(line(&payload), (text.to_owned(), false), "{payload}");
        }
        assert_eq!(
            CommandLine::from_payload(&json!({"command": "ls", "workdir": "/etc"}))
                .unwrap()
                .cwd
                .as_deref(),
            Some("/etc")
        );
    }

    #[test]
    fn members_that_may_change_the_line_are_unknown() {
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
            json!({"command": "ls", "note": {"command": "rm -rf /"}}),
            json!({"command": "ls", "reason": [{"files": {".git/hooks/pre-commit": "x"}}]}),
        ] {
            assert!(line(&payload).1, "{payload}");
        }
        assert_eq!(CommandLine::from_payload(&json!({"cmd": "ls"})), None);
    }
}
