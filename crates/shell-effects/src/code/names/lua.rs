//! Actions of names in Lua.

use super::super::language::Action;
use super::NameContext;

pub(super) fn lua(p: &NameContext<'_>) -> Option<Action> {
    let last = p.last;
    if let Some(action) = p.exact().filter(|_| p.head.is_some()) {
        return Some(action);
    }
    // A library as a value: its later use isn't tracked.
    if matches!(p.full, "os" | "io" | "package" | "debug" | "_G" | "_ENV") {
        return Some(Action::Dynamic);
    }
    let library = matches!(p.head, Some("os" | "io" | "package" | "debug"));
    let own = p.head.is_some() && !library || p.member;
    if let Some(action) = p.act() {
        let of_value = matches!(
            last,
            "open" | "read" | "lines" | "input" | "output" | "rename" | "load"
        );
        return Some(if own && of_value {
            Action::Safe
        } else {
            action
        });
    }
    if library {
        return p.unknown(true);
    }
    Some(Action::Safe)
}
