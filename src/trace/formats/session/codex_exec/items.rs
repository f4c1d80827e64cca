//! Items of a record, wherever it contains them.

use super::Item;
use crate::trace::formats::session::lists;
use std::collections::BTreeMap;
use strict_json::Raw;

/// Types of items that are calls.
const CALLS: [&str; 6] = [
    "collab_tool_call",
    "command_execution",
    "file_change",
    "mcp_tool_call",
    "todo_list",
    "web_search",
];
/// Members that contain arguments, texts or results, and messages of another protocol.
const DATA: [&str; 9] = [
    "agents_states",
    "arguments",
    "changes",
    "error",
    "msg",
    "output",
    "result",
    "structured_content",
    "usage",
];
/// Maximum depth at which items are searched.
const DEPTH: u32 = 16;

/// Returns whether a value in place of an item is one, or is a list of some.
pub(super) fn is_readable(value: Raw<'_>) -> bool {
    let is_object = |raw: &Raw<'_>| raw.as_written().starts_with('{');
    let list = value.read::<Vec<Raw<'_>>>();
    is_object(&value) || list.is_some_and(|list| !list.is_empty() && list.iter().all(is_object))
}

/// Returns the items of a record. `item` is the member that usually contains the only one.
pub(super) fn of_record<'a>(
    record: Raw<'a>,
    item: Option<Raw<'a>>,
    malformed: &mut Vec<(&'a str, String)>,
) -> Vec<(Raw<'a>, Item<'a>)> {
    let mut search = Search {
        found: Vec::new(),
        malformed,
    };
    match item.and_then(|raw| raw.read::<Vec<Raw<'a>>>()) {
        Some(list) => list
            .into_iter()
            .for_each(|raw| search.item(raw, None, DEPTH)),
        None => match item.filter(|raw| raw.as_written().starts_with('{')) {
            Some(item) => search.item(item, None, DEPTH),
            // Its members may be those of the record.
            None => search.part(record, None, DEPTH),
        },
    }
    if item.is_some() {
        search.members(record, &["item", "id"], None, DEPTH);
    }
    search.found
}

struct Search<'f, 'a> {
    found: Vec<(Raw<'a>, Item<'a>)>,
    malformed: &'f mut Vec<(&'a str, String)>,
}

impl<'a> Search<'_, 'a> {
    /// Adds an item and those in it. `outer` is the one around it.
    fn item(&mut self, raw: Raw<'a>, outer: Option<&Item<'a>>, left: u32) {
        let object = Some(raw).filter(|raw| raw.as_written().starts_with('{'));
        let Some(mut item) = object.and_then(|raw| raw.read::<Item<'a>>()) else {
            return;
        };
        if let Some(outer) = outer {
            item.id = item.id.or(outer.id);
        }
        let details = item.details.filter(|raw| raw.as_written().starts_with('{'));
        let inner = details.and_then(|raw| raw.read::<Item<'a>>());
        let mut known = Vec::new();
        // One item in two parts.
        if let Some(inner) = inner.filter(|_| !item.has_content()) {
            item = inner.completed_by(&item);
            known.push("details");
        }
        self.found.push((raw, item));
        if item.is_of("todo_list") {
            known.push("items");
        }
        self.members(raw, &known, Some(&item), left);
    }

    /// Searches the members of an object.
    fn members(&mut self, raw: Raw<'a>, known: &[&str], outer: Option<&Item<'a>>, left: u32) {
        let members = raw.read::<BTreeMap<String, Raw<'a>>>().unwrap_or_default();
        for (name, value) in members {
            let searched = !known.contains(&&*name) && !DATA.contains(&&*name);
            if !searched || !value.as_written().starts_with(['{', '[']) {
                continue;
            }
            let Some(left) = left.checked_sub(1) else {
                lists::add(self.malformed, value, "expected items at a lower depth");
                return;
            };
            self.part(value, outer, left);
        }
    }

    /// Searches a value that may be an item or contain some.
    fn part(&mut self, value: Raw<'a>, outer: Option<&Item<'a>>, left: u32) {
        if let Some(list) = value.read::<Vec<Raw<'a>>>() {
            match left.checked_sub(1) {
                Some(left) => list.into_iter().for_each(|one| self.part(one, outer, left)),
                None => lists::add(self.malformed, value, "expected items at a lower depth"),
            }
        } else if value.as_written().starts_with('{') {
            if value.read::<Item<'a>>().is_some_and(|item| item.is_call()) {
                self.item(value, outer, left);
            } else {
                self.members(value, &[], outer, left);
            }
        }
    }
}

impl<'a> Item<'a> {
    /// Returns whether it contains what was called, apart from its details.
    const fn has_content(&self) -> bool {
        self.command.is_some()
            || self.changes.is_some()
            || self.arguments.is_some()
            || self.query.is_some()
            || self.items.is_some()
            || self.prompt.is_some()
            || self.tool.0.is_some()
    }

    /// Returns whether its type is this one.
    fn is_of(&self, kind: &str) -> bool {
        self.kind().is_some_and(|own| own == kind)
    }

    /// Returns whether an object in any place is a call.
    fn is_call(&self) -> bool {
        let ended = self.status.0.is_some() || self.exit_code.0.is_some();
        let made = self.command.is_some() || self.changes.is_some() || self.arguments.is_some();
        made && ended || CALLS.iter().any(|kind| self.is_of(kind))
    }

    /// Returns the item with members of another part of it where it has none.
    fn completed_by(self, other: &Self) -> Self {
        let word = |own: super::LenientStr<'a>, other| if own.0.is_some() { own } else { other };
        Self {
            // Records of an item agree on the outer id.
            id: other.id.or(self.id),
            kind: word(self.kind, other.kind),
            first_kind: word(self.first_kind, other.first_kind),
            status: word(self.status, other.status),
            text: word(self.text, other.text),
            cwd: word(self.cwd, other.cwd),
            aggregated_output: word(self.aggregated_output, other.aggregated_output),
            exit_code: if self.exit_code.0.is_some() {
                self.exit_code
            } else {
                other.exit_code
            },
            server: word(self.server, other.server),
            result: self.result.or(other.result),
            error: self.error.or(other.error),
            action: self.action.or(other.action),
            ..self
        }
    }
}
