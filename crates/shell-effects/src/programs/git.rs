//! Git.

use super::{Family, Invocation};
use crate::engine::{Engine, Stream};
use crate::expand::Arg;

pub(super) const PROGRAMS: Family = &[(&["git"], git), (&["patch", "gpatch"], patch)];

fn git(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    cx.git_config(rest);
    let applies = |a: &Arg| matches!(a.text.as_str(), "apply" | "am");
    let only_looks = |a: &Arg| matches!(a.text.as_str(), "--check" | "--stat" | "--numstat");
    if rest
        .iter()
        .find(|a| !a.text.starts_with('-'))
        .is_some_and(applies)
        && !rest.iter().any(only_looks)
    {
        cx.fetched = true;
    }
    None
}

/// What a patch changes isn't said in the line.
fn patch(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let looks = |a: &Arg| matches!(a.text.as_str(), "--dry-run" | "--help" | "--version" | "-v");
    cx.fetched |= !call.rest.iter().any(looks);
    None
}
