//! Actions in parts of a record where the format has none. The writer put them there for a reason,
//! so they are compared with the recorded ones.

use super::native::NativeAction;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Action, ActionKind, ActionRole, Annotation, Fact, Part, Step};
use governance::ActionType;
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use shell_effects::WRAPPERS;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use strict_json::{DEFAULT_MAX_DEPTH, Deserializer, Raw, Scanner, Str};

/// Maximum number of values read in one place.
const MOST: usize = 256;

/// Members that contain texts, data or results, and the members of a decision that contain an
/// action.
const DATA: [&str; 8] = [
    "modifiedAction",
    "parsedPlan",
    "contextSnapshot",
    "contextDiff",
    "artifacts",
    "output",
    "parameters",
    "arguments",
];

/// Returns whether actions in a member of this name have been executed.
fn has_run(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("execut") || name.contains("result") || name == "ran"
}

/// Returns whether a member of this name contains executed actions or changes, in any record.
pub(crate) fn names_action(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['_', '-'], "");
    [
        "executedaction",
        "executedcommand",
        "toolcall",
        "tooluse",
        "functioncall",
        "commandline",
        "observedchanges",
        "declaredchanges",
    ]
    .iter()
    .any(|word| name.contains(word))
        || name.ends_with("command")
        || names_changes(&name)
        || matches!(
            &*name,
            "argv"
                | "bash"
                | "call"
                | "calls"
                | "cmd"
                | "commands"
                | "exec"
                | "executed"
                | "ran"
                | "script"
                | "sh"
                | "shell"
        )
}

/// Returns whether a name in lower case means changed files, such as `fileswritten`.
fn names_changes(name: &str) -> bool {
    (name.contains("file") || name.contains("path"))
        && [
            "added", "changed", "changes", "created", "deleted", "edited", "modified", "moved",
            "removed", "renamed", "touched", "updated", "written",
        ]
        .iter()
        .any(|word| name.contains(word))
}

/// The members of an object that make it a call or an action.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallShape<'a> {
    /// Whether its `type` is a call's; `None` without a `type`.
    kind: Option<bool>,
    /// It names a tool, in a member that can't name anything else.
    tool: bool,
    /// It has a `name`.
    name: bool,
    payload: Option<Raw<'a>>,
    /// Arguments, in a member that only calls have.
    wrapped: Option<Raw<'a>>,
    /// Arguments, in a member that other objects have too.
    given: Option<Raw<'a>>,
    /// A single parameter, next to the tool's name.
    parameter: Option<Raw<'a>>,
}

impl<'a> CallShape<'a> {
    pub(super) fn of(members: &BTreeMap<String, Raw<'a>>) -> Self {
        let mut shape = Self::default();
        for (name, value) in members {
            shape.take(name, *value);
        }
        shape
    }

    fn take(&mut self, name: &str, value: Raw<'a>) {
        let text = value.as_written().starts_with('"') && value.as_written() != "\"\"";
        let plain = name.to_ascii_lowercase().replace(['_', '-'], "");
        match &*plain {
            "type" if text => {
                let word = value.as_written();
                self.kind = Some(word.contains("tool") || word.contains("function"));
            }
            "tool" | "toolname" | "function" | "functionname" => self.tool |= text,
            "name" => self.name |= text,
            "payload" => self.payload = Some(value),
            word if WRAPPERS.contains(&word) && !is_schema(value) => self.wrapped = Some(value),
            "params" | "args" | "input" | "toolinput" | "toolparameters" | "toolarguments"
            | "toolargs"
                if !is_schema(value) =>
            {
                self.given = Some(value);
            }
            "content" | "diff" | "file" | "filepath" | "patch" | "path" | "paths" | "url"
                if !is_nothing(value) =>
            {
                self.parameter = Some(value);
            }
            _ => {}
        }
    }

    /// Returns whether it names a tool.
    const fn names_tool(&self) -> bool {
        self.tool || self.name && self.wrapped.is_some()
    }

    /// Returns the arguments if it is a call.
    pub(super) fn call(self) -> Option<Raw<'a>> {
        let given = self.wrapped.or(self.given);
        given
            .filter(|_| self.tool || self.kind == Some(true))
            .or(self.wrapped.filter(|_| self.name))
            .or(self.parameter.filter(|_| self.tool))
    }

    /// Returns the arguments or payload if it is a call or an action.
    fn action(self) -> Option<Raw<'a>> {
        self.payload
            .filter(|_| self.kind.is_some())
            .or_else(|| self.call())
    }
}

/// Returns whether a value is the JSON Schema of a tool's parameters.
pub(super) fn is_schema(value: Raw<'_>) -> bool {
    const KEYWORDS: [&str; 9] = [
        "$defs",
        "$schema",
        "additionalProperties",
        "definitions",
        "description",
        "properties",
        "required",
        "title",
        "type",
    ];
    value
        .read::<BTreeMap<String, Raw<'_>>>()
        .is_some_and(|members| {
            let kind = members.get("type").map(|kind| kind.as_written());
            kind == Some("\"object\"")
                && members
                    .get("properties")
                    .is_some_and(|all| all.as_written().starts_with('{'))
                && members.keys().all(|name| KEYWORDS.contains(&&**name))
        })
}

/// Returns whether an object defines a tool.
pub(super) fn is_definition(members: &BTreeMap<String, Raw<'_>>) -> bool {
    members.contains_key("name")
        && members
            .iter()
            .any(|(name, value)| WRAPPERS.contains(&&**name) && is_schema(*value))
}

/// Returns whether a member of this name contains an action.
fn is_action(name: &str) -> bool {
    name == "action" || name.ends_with("Action") || name.ends_with("_action")
}

/// How to search a value for actions, and what they are evidence of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    pub(super) showing: ActionRole,
    /// The name of the value's member says that it is an action.
    named: bool,
    /// Accept calls, commands and changes by their names too, as in members that a format doesn't
    /// have.
    wide: bool,
}

impl From<ActionRole> for Search {
    fn from(showing: ActionRole) -> Self {
        Self {
            showing,
            named: false,
            wide: false,
        }
    }
}

/// Emits every action in `value`. A value that is named an action but can't be read as one is
/// emitted as unknown.
pub(super) fn show<'r, 'a: 'r>(
    value: Raw<'a>,
    search: impl Into<Search>,
    place: (Option<i64>, Option<Timestamp>, &'static str),
    emit: &mut dyn FnMut(&Step<'r, 'a>),
) {
    let (turn, time, member) = place;
    let mut show = |action, showing| {
        emit(&Step {
            turn,
            time,
            part: Part::member(member),
            fact: Fact::Annotation(Annotation::Shown(action, showing)),
        });
    };
    let unread = |payload| Action {
        id: None,
        kind: ActionKind::Other(Str::plain("")),
        payload: Some(payload),
        risk: None,
    };
    let Search {
        showing,
        named,
        wide,
    } = search.into();
    let mut read = 0;
    let mut stack = vec![(named, showing, value)];
    while let Some((named, showing, value)) = stack.pop() {
        read += 1;
        if read > MOST {
            show(unread(value), ActionRole::Unknown);
            return;
        }
        if value.as_written().starts_with('[') {
            let all: Vec<Raw<'a>> = value.read().unwrap_or_default();
            stack.extend(all.into_iter().rev().map(|one| (named, showing, one)));
            continue;
        }
        let members: Option<BTreeMap<String, Raw<'a>>> = Some(value)
            .filter(|v| v.as_written().starts_with('{'))
            .and_then(Raw::read);
        let action = members
            .as_ref()
            .filter(|m| m.contains_key("type") && (named || m.contains_key("payload")));
        match action.and_then(|_| value.read::<NativeAction<'a>>()) {
            Some(action) => show(action.fact(), showing),
            None if named && wide && !is_nothing(value) => {
                show(call(value, members.as_ref()), ActionRole::Unknown);
            }
            None if named && !is_nothing(value) => show(unread(value), ActionRole::Unknown),
            None if members
                .as_ref()
                .is_some_and(|m| CallShape::of(m).call().is_some()) =>
            {
                show(call(value, members.as_ref()), ActionRole::Unknown);
            }
            None if members.as_ref().is_some_and(is_definition) => {}
            None => {
                // Data is skipped, unless it may be a call's arguments.
                let searched =
                    |name: &str| !DATA.contains(&name) || wide && WRAPPERS.contains(&name);
                for (name, value) in members
                    .into_iter()
                    .flatten()
                    .filter(|(name, _)| searched(name))
                {
                    let holds = value.as_written().starts_with(['{', '[']);
                    let run = has_run(&name);
                    let named = if holds {
                        is_action(&name)
                    } else {
                        is_action(&name) && (!wide || run)
                    };
                    let named = named || wide && names_action(&name);
                    if named || holds {
                        stack.push((
                            named,
                            if run { ActionRole::Execution } else { showing },
                            value,
                        ));
                    }
                }
            }
        }
    }
}

/// Returns whether a value can't contain an action.
fn is_nothing(value: Raw<'_>) -> bool {
    matches!(
        value.as_written(),
        "null" | "\"\"" | "{}" | "true" | "false"
    ) || value
        .as_written()
        .starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

/// Converts an object without a `type` that is named an action: a call or the text of a command.
fn call<'a>(value: Raw<'a>, members: Option<&BTreeMap<String, Raw<'a>>>) -> Action<'a> {
    let kind = match members {
        Some(members) if CallShape::of(members).names_tool() => {
            ActionKind::Known(ActionType::ToolCall)
        }
        Some(members) if !members.contains_key("command") => ActionKind::Other(Str::plain("")),
        _ => ActionKind::Known(ActionType::ShellCmd),
    };
    Action {
        id: None,
        kind,
        payload: Some(value),
        risk: None,
    }
}

/// A member that the format doesn't have and that may contain an action or a result.
#[derive(Debug, Clone, Copy)]
pub struct UnknownMember<'a> {
    value: Raw<'a>,
    /// Its name or position says that its content has been executed.
    run: bool,
    /// Its name says that it contains actions.
    named: bool,
}

/// Members that the format defines for an object.
#[derive(Debug)]
pub(super) struct Shape {
    /// Names of members that aren't searched.
    pub(super) known: &'static [&'static str],
    /// Members that are objects, and whether their content has been executed.
    pub(super) parts: &'static [(&'static str, bool, &'static Shape)],
}

/// Members of an action.
pub(super) const ACTION: Shape = Shape {
    known: &["id", "type", "payload", "riskLevel", "reasoning"],
    parts: &[],
};
/// Names of the members of a decision and of an evaluation.
pub(crate) const DECISION_MEMBERS: &[&str] = &[
    "status",
    "by",
    "timestamp",
    "actionId",
    "signer",
    "reason",
    "ruleId",
    "originalActionId",
    "modifiedAction",
    "modificationReason",
    "policyId",
    "riskScore",
    "signature",
    "kind",
];
/// Members of a decision and of an evaluation.
pub(super) const DECISION: Shape = Shape {
    known: DECISION_MEMBERS,
    parts: &[],
};
/// Members of a result, an observation and a thought.
pub(super) const RESULT: Shape = Shape {
    known: &[
        "success",
        "output",
        "error",
        "exitCode",
        "artifacts",
        "errorType",
        "truncated",
        "durationMs",
        "cost",
        "actionId",
        "summary",
        "rawOutputRef",
        "raw",
        "parsedPlan",
        "isDone",
        "type",
        "payload",
        "reasoning",
        "kind",
        "reason",
    ],
    parts: &[],
};
/// An object for which no format defines members.
pub(super) const NO_MEMBERS: Shape = Shape {
    known: &[],
    parts: &[],
};

/// Returns the members of an object and its parts that the format doesn't define and that may
/// contain something.
pub(super) fn others<'a>(text: &'a str, shape: &'static Shape) -> Vec<UnknownMember<'a>> {
    let mut found = Vec::new();
    let mut scanner = Scanner::new(text, DEFAULT_MAX_DEPTH);
    // Errors are impossible: the text has been read as a record before.
    drop(
        Level {
            shape,
            run: false,
            found: &mut found,
        }
        .deserialize(&mut Deserializer::new(&mut scanner)),
    );
    found
}

struct Level<'f, 'a> {
    shape: &'static Shape,
    run: bool,
    found: &'f mut Vec<UnknownMember<'a>>,
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for Level<'_, 'a> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Level<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { shape, run, found } = self;
        // An action may be spread over the members of another object.
        let mut spread = CallShape::default();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            if let Some((_, ran, part)) = shape.parts.iter().find(|(part, ..)| *part == name) {
                map.next_value_seed(Level {
                    shape: part,
                    run: run || *ran,
                    found: &mut *found,
                })?;
            } else if shape.known.contains(&&*name) {
                map.next_value::<IgnoredAny>()?;
            } else {
                let value: Raw<'a> = map.next_value()?;
                spread.take(&name, value);
                let run = run || has_run(&name);
                let holds = value.as_written().starts_with(['{', '[']);
                let named = names_action(&name) || is_action(&name) && (holds || run);
                if holds || named && !is_nothing(value) {
                    found.push(UnknownMember { value, run, named });
                }
            }
        }
        if let Some(value) = spread.action() {
            found.push(UnknownMember {
                value,
                run,
                named: true,
            });
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

impl<'a> UnknownMember<'a> {
    /// Emits the actions in the member. A result is emitted as unknown, since its action isn't
    /// known.
    pub(super) fn show<'r>(
        self,
        place: (Option<i64>, Option<Timestamp>, &'static str),
        emit: &mut dyn FnMut(&Step<'r, 'a>),
    ) where
        'a: 'r,
    {
        let mut shown = false;
        let showing = if self.run {
            ActionRole::Execution
        } else {
            ActionRole::Unknown
        };
        show(
            self.value,
            Search {
                showing,
                named: self.named,
                wide: true,
            },
            place,
            &mut |step| {
                shown = true;
                emit(step);
            },
        );
        if !shown && self.is_result() {
            let (turn, time, member) = place;
            let action = Action {
                id: None,
                kind: ActionKind::Other(Str::plain("")),
                payload: Some(self.value),
                risk: None,
            };
            let fact = Fact::Annotation(Annotation::Shown(action, ActionRole::Unknown));
            emit(&Step {
                turn,
                time,
                part: Part::member(member),
                fact,
            });
        }
    }

    fn is_result(self) -> bool {
        let mut all = vec![self.value];
        if let Some(list) = self.value.read::<Vec<Raw<'a>>>() {
            all = list;
        }
        all.into_iter()
            .any(|one| match one.read::<BTreeMap<String, Raw<'a>>>() {
                Some(members) => {
                    let has = |names: &[&str]| names.iter().any(|name| members.contains_key(*name));
                    let ran = self.run
                        && has(&[
                            "output",
                            "error",
                            "success",
                            "exitCode",
                            "type",
                            "tool",
                            "tool_name",
                            "command",
                            "diff",
                        ]);
                    ran || has(&["success", "exitCode"])
                        && has(&["output", "error", "artifacts", "exitCode"])
                }
                None => self.run && !one.as_written().starts_with('['),
            })
    }
}

/// Returns what an action in a transition's payload is evidence of.
pub(super) fn of_movement(from: governance::State, to: governance::State) -> ActionRole {
    use governance::State as S;
    match (from, to) {
        (S::Thinking, S::Proposing) => ActionRole::Thought,
        (S::Proposing, S::Governing) | (S::Governing, S::Executing | S::Thinking) => {
            ActionRole::Proposal
        }
        (_, S::Executing | S::Observing) => ActionRole::Execution,
        _ => ActionRole::Unknown,
    }
}
