//! Actions in places where a format keeps none. A runtime that writes one there means something by it.

use super::NativeAction;
use crate::json::{Raw, Str, from_text};
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Action, ActionKind, Beside, Fact, Part, Showing, Step};
use std::collections::BTreeMap;

/// Values that are read in one place. More of them can't be told.
const MOST: usize = 256;

/// Members that hold what was said and what came of an action, and the members of a decision that hold an action.
const DATA: [&str; 6] = ["modifiedAction", "parsedPlan", "contextSnapshot", "contextDiff", "artifacts", "output"];

/// Members whose actions have run.
fn has_run(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("execut") || name.contains("result") || name == "ran"
}

/// Whether a member of this name holds executed actions or what they changed, whatever record it is in.
pub(crate) fn names_action(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['_', '-'], "");
    ["executedaction", "executedcommand", "toolcall", "tooluse", "observedchanges", "declaredchanges"]
        .iter()
        .any(|word| name.contains(word))
        || name.ends_with("command")
        || matches!(&*name, "calls" | "commands" | "cmd" | "executed" | "ran" | "shell")
}

/// Shows every action at or below `value`. A value that is called an action and can't be read as one is open.
pub(super) fn show<'r, 'a: 'r>(
    value: Raw<'a>,
    showing: Showing,
    place: (Option<i64>, Option<Timestamp>, &'static str),
    emit: &mut dyn FnMut(Step<'r, 'a>),
) {
    let (turn, time, member) = place;
    let mut show = |action, showing| {
        emit(Step { turn, time, part: Part::member(member), fact: Fact::Beside(Beside::Shown(action, showing)) });
    };
    let unread = |payload| Action { id: None, kind: ActionKind::Other(Str::plain("")), payload: Some(payload), risk: None };
    let mut read = 0;
    let mut stack = vec![(false, showing, value)];
    while let Some((named, showing, value)) = stack.pop() {
        read += 1;
        if read > MOST {
            show(unread(value), Showing::Open);
            return;
        }
        if value.as_written().starts_with('[') {
            let all: Vec<Raw<'a>> = value.read().unwrap_or_default();
            stack.extend(all.into_iter().rev().map(|one| (named, showing, one)));
            continue;
        }
        let members: Option<BTreeMap<String, Raw<'a>>> =
            Some(value).filter(|v| v.as_written().starts_with('{')).and_then(Raw::read);
        let action = members.as_ref().filter(|m| m.contains_key("type") && (named || m.contains_key("payload")));
        match action.and_then(|_| value.read::<NativeAction<'a>>()) {
            Some(action) => show(action.fact(), showing),
            None if named && !matches!(value.as_written(), "null" | "\"\"" | "{}") => show(unread(value), Showing::Open),
            None => {
                for (name, value) in members.into_iter().flatten().filter(|(name, _)| !DATA.contains(&name.as_str())) {
                    let named = name == "action" || name.ends_with("Action") || name.ends_with("_action");
                    let showing = if has_run(&name) { Showing::Run } else { showing };
                    stack.push((named, showing, value));
                }
            }
        }
    }
}

/// A member that a format doesn't have, where it may hold an action or a result.
#[derive(Debug, Clone, Copy)]
pub struct Other<'a> {
    value: Raw<'a>,
    /// Its name says that what it holds has run.
    run: bool,
}

/// The members of an object that aren't among the `known` ones and may hold something.
pub(super) fn others<'a>(text: &'a str, known: &[&str]) -> Vec<Other<'a>> {
    let members: BTreeMap<String, Raw<'a>> = from_text(text).unwrap_or_default();
    let holds = |value: &Raw<'_>| value.as_written().starts_with(['{', '[']);
    let others = members.into_iter().filter(|(name, value)| holds(value) && !known.contains(&name.as_str()));
    others.map(|(name, value)| Other { value, run: has_run(&name) }).collect()
}

impl<'a> Other<'a> {
    /// Shows the actions that it holds. A result is open: nobody can tell of what it is.
    pub(super) fn show<'r>(self, place: (Option<i64>, Option<Timestamp>, &'static str), emit: &mut dyn FnMut(Step<'r, 'a>))
    where
        'a: 'r,
    {
        let mut shown = false;
        show(self.value, if self.run { Showing::Run } else { Showing::Open }, place, &mut |step| {
            shown = true;
            emit(step);
        });
        if !shown && self.is_result() {
            let (turn, time, member) = place;
            let action = Action { id: None, kind: ActionKind::Other(Str::plain("")), payload: Some(self.value), risk: None };
            let fact = Fact::Beside(Beside::Shown(action, Showing::Open));
            emit(Step { turn, time, part: Part::member(member), fact });
        }
    }

    fn is_result(self) -> bool {
        let mut all = vec![self.value];
        if let Some(list) = self.value.read::<Vec<Raw<'a>>>() {
            all = list;
        }
        all.into_iter().any(|one| match one.read::<BTreeMap<String, Raw<'a>>>() {
            Some(members) => {
                let has = |names: &[&str]| names.iter().any(|name| members.contains_key(*name));
                let ran =
                    self.run && has(&["output", "error", "success", "exitCode", "type", "tool", "tool_name", "command", "diff"]);
                ran || has(&["success", "exitCode"]) && has(&["output", "error", "artifacts", "exitCode"])
            }
            None => self.run && !one.as_written().starts_with('['),
        })
    }
}

/// What an action in the payload of a movement is evidence of.
pub(super) fn of_movement(from: crate::governance::State, to: crate::governance::State) -> Showing {
    use crate::governance::State as S;
    match (from, to) {
        (S::Thinking, S::Proposing) => Showing::Thought,
        (S::Proposing, S::Governing) | (S::Governing, S::Executing | S::Thinking) => Showing::Proposal,
        (_, S::Executing | S::Observing) => Showing::Run,
        _ => Showing::Open,
    }
}
