//! Programs whose arguments are a language of their own.
//!
//! The table of programs describes most calls. A program that needs code has one function here,
//! which reads an [`Invocation`] and reports the call's effects to the engine. Each family lists
//! its functions in `PROGRAMS` with the names that they handle.

#![expect(
    clippy::unnecessary_wraps,
    reason = "every function here has the type `Program`"
)]

mod archive;
mod build;
pub(crate) mod downloads;
pub(crate) mod files;
pub(crate) mod filters;
mod find_xargs;
mod git;
mod git_files;
pub(crate) mod git_settings;
mod interpreters;
mod search;

mod powershell;
pub(crate) mod printed_secrets;
pub(crate) mod program_output;
pub(crate) mod project_code;
mod remote;
mod shell;
mod wrappers;

use crate::effect::Span;
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// One call of a program.
#[derive(Clone, Copy)]
pub(crate) struct Invocation<'c> {
    /// The name in the table of programs.
    pub(crate) name: &'c str,
    /// The arguments after the name.
    pub(crate) rest: &'c [Arg],
    pub(crate) stdin: &'c Stream,
    /// Whether the caller uses the output.
    pub(crate) want: bool,
    pub(crate) span: Span,
}

/// Adds the effects of a call. Returns `None` if the table of programs describes the rest of the
/// call.
type Program = fn(&Invocation<'_>, &mut Engine<'_>) -> Option<Stream>;

/// Functions with the names of the programs that they handle.
type Family = &'static [(&'static [&'static str], Program)];

const FAMILIES: [Family; 9] = [
    archive::PROGRAMS,
    build::PROGRAMS,
    files::PROGRAMS,
    git::PROGRAMS,
    interpreters::PROGRAMS,
    powershell::PROGRAMS,
    remote::PROGRAMS,
    shell::PROGRAMS,
    wrappers::PROGRAMS,
];

static PROGRAMS: LazyLock<FxHashMap<&str, Program>> = LazyLock::new(|| {
    let families = FAMILIES.iter().copied().flatten();
    families
        .flat_map(|(names, program)| names.iter().map(|name| (*name, *program)))
        .collect()
});

/// Runs the function of a program, if it has one.
pub(crate) fn run(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    PROGRAMS
        .get(call.name)
        .and_then(|program| program(call, cx))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_one_function() {
        let names = FAMILIES
            .iter()
            .copied()
            .flatten()
            .map(|(names, _)| names.len());
        assert_eq!(names.sum::<usize>(), PROGRAMS.len());
    }
}
