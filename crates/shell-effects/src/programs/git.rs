//! Git.

use super::{Family, Invocation};
use crate::engine::{Engine, Stream};

pub(super) const PROGRAMS: Family = &[(&["git"], git)];

fn git(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    cx.git_config(rest);
    None
}
