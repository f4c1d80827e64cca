//! An action as a policy sees it.

use governance::ActionType;
use serde_json::{Map, Value};
use shell_effects::command_line::{CommandLine, DIRECTORY_MEMBERS, is_harmless};
use shell_effects::{Param, WRAPPERS, json_in_text};

/// An action that an agent proposes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Action {
    /// The type; `None` if it isn't a known one.
    pub kind: Option<ActionType>,
    /// The type as recorded.
    pub kind_name: String,
    /// The tool of a tool call.
    pub tool: Option<String>,
    /// A second tool that the payload names. It is unknown which of the two is called.
    pub other_tool: Option<String>,
    pub payload: Value,
}

/// Why a value isn't an action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// Not an object.
    #[error("an action is an object with `type` and `payload`")]
    NoObject,
    /// The type is missing.
    #[error("the action has no `type`")]
    NoType,
    /// A tool call without the name of a tool.
    #[error("a `tool_call` names its tool in `tool`")]
    NoTool,
    /// The member with the text is missing.
    #[error("a `{kind}` has its text in `{member}`")]
    NoText {
        /// Type of the action.
        kind: &'static str,
        /// The member that is missing.
        member: &'static str,
    },
    /// Two members contradict each other.
    #[error("`{0}` and `{1}` say different things: which of the two counts can't be determined")]
    Twice(&'static str, &'static str),
    /// A member next to `payload` may also be executed.
    #[error("`{0}` is next to `payload`: which of the two counts can't be determined")]
    Beside(String),
}

/// The name of an action type in traces and policies.
#[must_use]
pub const fn kind_name(kind: ActionType) -> &'static str {
    match kind {
        ActionType::ToolCall => "tool_call",
        ActionType::ShellCmd => "shell_cmd",
        ActionType::CodeDiff => "code_diff",
        ActionType::Answer => "answer",
    }
}

/// Parses the name of an action type.
#[must_use]
pub fn parse_kind(word: &str) -> Option<ActionType> {
    [
        ActionType::ToolCall,
        ActionType::ShellCmd,
        ActionType::CodeDiff,
        ActionType::Answer,
    ]
    .into_iter()
    .find(|k| kind_name(*k) == word)
}

/// The bit of an action type in a set of types; all unknown types share one bit.
pub(crate) const fn type_bit(kind: Option<ActionType>) -> u8 {
    use ActionType::{Answer, CodeDiff, ShellCmd, ToolCall};
    match kind {
        Some(ToolCall) => 1,
        Some(ShellCmd) => 2,
        Some(CodeDiff) => 4,
        Some(Answer) => 8,
        None => 16,
    }
}

impl Action {
    /// Creates a `shell_cmd` from a command line.
    #[must_use]
    pub fn shell(command: &str) -> Self {
        let payload = serde_json::json!({ "command": command });
        Self {
            kind: Some(ActionType::ShellCmd),
            kind_name: "shell_cmd".into(),
            tool: None,
            other_tool: None,
            payload,
        }
    }

    /// Creates a `tool_call`.
    #[must_use]
    pub fn call(tool: &str, parameters: Value) -> Self {
        let payload = Value::Object(Map::from_iter([
            ("tool".into(), tool.into()),
            ("parameters".into(), parameters),
        ]));
        Self {
            kind: Some(ActionType::ToolCall),
            kind_name: "tool_call".into(),
            tool: Some(tool.into()),
            other_tool: None,
            payload,
        }
    }

    /// Creates a `code_diff` from a unified diff.
    #[must_use]
    pub fn diff(diff: &str) -> Self {
        let payload = serde_json::json!({ "diff": diff });
        Self {
            kind: Some(ActionType::CodeDiff),
            kind_name: "code_diff".into(),
            tool: None,
            other_tool: None,
            payload,
        }
    }

    /// Creates an action from a recorded type and payload of any shape.
    #[must_use]
    pub fn recorded(kind_name: &str, mut payload: Value) -> Self {
        let kind = parse_kind(kind_name);
        // Parameters as JSON in a string are the same call as the object.
        for name in WRAPPERS
            .iter()
            .filter(|_| kind == Some(ActionType::ToolCall))
        {
            if let Some(value) = payload.get_mut(name)
                && let Some(read) = value.as_str().and_then(json_in_text)
            {
                *value = read;
            }
        }
        let named = |member: &str| {
            let name = payload
                .get(member)
                .and_then(Value::as_str)
                .filter(|name| !name.is_empty())
                .map(str::to_owned);
            name.filter(|_| kind == Some(ActionType::ToolCall))
        };
        let (tool, other) = (named("tool"), named("tool_name"));
        let (tool, other_tool) = if tool.is_none() {
            (other, None)
        } else {
            (tool.clone(), other.filter(|o| Some(o) != tool.as_ref()))
        };
        Self {
            kind,
            kind_name: kind_name.to_owned(),
            tool,
            other_tool,
            payload,
        }
    }

    /// Reads a hand-written action: `{type, payload}`, or the payload's members next to `type`.
    ///
    /// # Errors
    /// If a member that the type requires is missing, or two members contradict each other.
    pub fn from_json(value: &Value) -> Result<Self, ActionError> {
        let object = value.as_object().ok_or(ActionError::NoObject)?;
        let kind = object
            .get("type")
            .and_then(Value::as_str)
            .ok_or(ActionError::NoType)?;
        let beside: &[&str] = &["type", "id", "riskLevel", "reasoning"];
        let payload = if let Some(payload) = object.get("payload") {
            let known = |name: &str, value: &Value| {
                name == "payload"
                    || beside.contains(&name)
                    || is_harmless(name, &Param::from(value))
            };
            if let Some((other, _)) = object.iter().find(|(name, value)| !known(name, value)) {
                return Err(ActionError::Beside(other.clone()));
            }
            payload.clone()
        } else {
            let members = object
                .iter()
                .filter(|(name, _)| !beside.contains(&name.as_str()));
            Value::Object(
                members
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
            )
        };
        let action = Self::recorded(kind, payload);
        match action.kind {
            Some(ActionType::ToolCall) if action.tool.is_none() => Err(ActionError::NoTool),
            Some(ActionType::ToolCall) if action.other_tool.is_some() => {
                Err(ActionError::Twice("tool", "tool_name"))
            }
            Some(ActionType::CodeDiff) if action.has_two_diffs() => {
                Err(ActionError::Twice("diff", "content"))
            }
            Some(ActionType::ShellCmd) if action.command().is_none() => Err(ActionError::NoText {
                kind: "shell_cmd",
                member: "command",
            }),
            Some(ActionType::CodeDiff) if action.patch().is_none() => Err(ActionError::NoText {
                kind: "code_diff",
                member: "diff",
            }),
            _ => Ok(action),
        }
    }

    /// The action as JSON, as traces and test files contain it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        Value::Object(Map::from_iter([
            ("type".into(), self.kind_name.clone().into()),
            ("payload".into(), self.payload.clone()),
        ]))
    }

    /// The command line of a `shell_cmd`: the member `command`, or the bare string.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        if self.kind != Some(ActionType::ShellCmd) {
            return None;
        }
        self.payload
            .as_str()
            .or_else(|| self.payload.get("command").and_then(Value::as_str))
    }

    /// The command line of a `shell_cmd`, with its directory and unknown members.
    pub(crate) fn line(&self) -> Option<CommandLine<'_>> {
        if self.kind == Some(ActionType::ShellCmd) {
            CommandLine::from_payload(&self.payload)
        } else {
            None
        }
    }

    /// The diff of a `code_diff`; `None` if it is unknown which diff is applied, or where.
    #[must_use]
    pub fn patch(&self) -> Option<&str> {
        if self.kind != Some(ActionType::CodeDiff) || self.has_two_diffs() || self.goes_elsewhere()
        {
            return None;
        }
        self.payload
            .as_str()
            .or_else(|| self.text("diff"))
            .or_else(|| self.text("content"))
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.payload
            .get(member)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    }

    /// Whether a `code_diff` contains two different diffs.
    fn has_two_diffs(&self) -> bool {
        let is_diff = |text: &&str| {
            text.lines()
                .any(|line| line.starts_with("+++ ") || line.starts_with("diff --git "))
        };
        let content = self.text("content").filter(is_diff);
        self.text("diff")
            .zip(content)
            .is_some_and(|(diff, content)| diff != content)
    }

    /// Whether a `code_diff` is applied outside the work tree.
    fn goes_elsewhere(&self) -> bool {
        DIRECTORY_MEMBERS.iter().any(|place| {
            self.payload
                .get(place)
                .is_some_and(|at| !at.is_null() && at.as_str() != Some(""))
        })
    }

    /// The tool of a tool call, if the payload names exactly one.
    pub(crate) fn one_tool(&self) -> Option<&str> {
        self.tool.as_deref().filter(|_| self.other_tool.is_none())
    }

    /// The parameters of a tool call, which may also be next to the tool's name.
    #[must_use]
    pub fn parameters(&self) -> &Value {
        WRAPPERS
            .iter()
            .find_map(|name| self.payload.get(name))
            .unwrap_or(&self.payload)
    }

    /// Summarises the action in one line. May contain hostile text.
    #[must_use]
    pub fn summary(&self) -> String {
        let cut = |text: &str| {
            let short: String = text.chars().take(160).collect();
            if short.len() < text.len() {
                format!("{short}…")
            } else {
                short
            }
        };
        match self.kind {
            Some(ActionType::ShellCmd) => {
                let line = self.line().unwrap_or_default();
                let more = line
                    .unknown
                    .map_or(String::new(), |name| format!(" (with `{name}`)"));
                format!("shell_cmd {}{more}", cut(&line.text))
            }
            Some(ActionType::ToolCall) => {
                format!(
                    "tool_call {} {}",
                    self.tool.as_deref().unwrap_or("?"),
                    cut(&self.parameters().to_string())
                )
            }
            Some(ActionType::CodeDiff) => {
                let mut old = "";
                let mut files = Vec::new();
                for line in self.patch().unwrap_or_default().lines() {
                    if let Some(name) = line.strip_prefix("--- ") {
                        old = name;
                    } else if let Some(name) = line.strip_prefix("+++ ") {
                        let gone = name == "/dev/null";
                        files.push(if gone {
                            format!("without {old}")
                        } else {
                            name.to_owned()
                        });
                    }
                }
                files.truncate(4);
                let beside = self.beside(shell_effects::DIFF_MEMBERS.as_slice());
                format!("code_diff {}{}", cut(&files.join(", ")), cut(&beside))
            }
            Some(ActionType::Answer) | None => {
                let beside = self.beside(shell_effects::ANSWER_MEMBERS.as_slice());
                format!("{}{}", self.kind_name, cut(&beside))
            }
        }
    }

    /// The members of the payload besides its texts, with a space before them.
    fn beside(&self, texts: &[&str]) -> String {
        let members = self.payload.as_object().into_iter().flatten();
        let others: Map<String, Value> = members
            .filter(|(name, _)| !texts.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if others.is_empty() {
            String::new()
        } else {
            format!(" {}", Value::Object(others))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_ways_to_write_an_action() {
        let nested =
            Action::from_json(&json!({"type": "shell_cmd", "payload": {"command": "ls"}})).unwrap();
        let flat = Action::from_json(&json!({"type": "shell_cmd", "command": "ls"})).unwrap();
        assert_eq!(nested, flat);
        assert_eq!(flat, Action::shell("ls"));
        assert_eq!(
            Action::recorded("shell_cmd", json!("ls")).command(),
            Some("ls")
        );
        let call = Action::from_json(
            &json!({"type": "tool_call", "tool": "t", "parameters": {"path": "a"}}),
        )
        .unwrap();
        assert_eq!(call.parameters()["path"], "a");
        assert_eq!(Action::from_json(&call.to_json()).unwrap(), call);
        let text = json!({"type": "tool_call", "tool": "t", "parameters": "{\"path\":\"a\"}"});
        assert_eq!(Action::from_json(&text).unwrap(), call);
        let twice = json!({"type": "tool_call", "tool": "t", "arguments": "{\"path\":\"a\",\"path\":\"b\"}"});
        assert!(Action::from_json(&twice).unwrap().parameters().is_string());
    }

    #[test]
    fn what_says_nothing_is_no_action() {
        assert_eq!(Action::from_json(&json!([])), Err(ActionError::NoObject));
        assert_eq!(
            Action::from_json(&json!({"payload": {}})),
            Err(ActionError::NoType)
        );
        assert_eq!(
            Action::from_json(&json!({"type": "tool_call"})),
            Err(ActionError::NoTool)
        );
        assert!(
            Action::from_json(&json!({"type": "shell_cmd", "payload": {"cmd": "ls"}})).is_err()
        );
        assert!(Action::from_json(&json!({"type": "code_diff"})).is_err());
        let twice =
            json!({"type": "shell_cmd", "payload": {"command": "ls"}, "command": "rm -rf /"});
        assert_eq!(
            Action::from_json(&twice),
            Err(ActionError::Beside("command".into()))
        );
        let two = json!({"type": "tool_call", "tool": "read", "tool_name": "delete"});
        assert_eq!(
            Action::from_json(&two),
            Err(ActionError::Twice("tool", "tool_name"))
        );
        let same = json!({"type": "tool_call", "tool": "read", "tool_name": "read"});
        assert_eq!(Action::from_json(&same).unwrap().one_tool(), Some("read"));
        let diff = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n");
        let two = json!({"type": "code_diff", "diff": diff("x"), "content": diff(".env")});
        assert_eq!(
            Action::from_json(&two),
            Err(ActionError::Twice("diff", "content"))
        );
        let whole = json!({"type": "code_diff", "diff": diff("x"), "content": "b\n"});
        assert!(
            Action::from_json(&whole).unwrap().patch().is_some(),
            "the file as it is then"
        );
        let elsewhere = json!({"diff": diff("x"), "cwd": "/etc"});
        assert_eq!(Action::recorded("code_diff", elsewhere).patch(), None);
        let said = json!({"type": "shell_cmd", "id": "a", "payload": {"command": "ls"}, "description": "looks"});
        assert!(Action::from_json(&said).is_ok());
        assert!(
            Action::from_json(&json!({"type": "dance"}))
                .unwrap()
                .kind
                .is_none()
        );
    }
}
