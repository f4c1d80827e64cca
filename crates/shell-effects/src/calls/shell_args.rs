//! Words that a program passes to a shell, and operands whose positions are uncertain.

use super::args::ParsedArgs;
use super::spec_eval;
use crate::chars::{UNKNOWN, has_unknown};
use crate::effect::StepOrigin;
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::syntax::parse::Base;
use crate::table::spec::{Operands, Role};

/// Handles operands next to a completely unknown word. It may expand to no word or to several,
/// so the other operands may have different positions and thus roles.
pub(super) fn shifted_operands(
    cx: &mut Engine<'_>,
    ops: &Operands,
    call: &ParsedArgs<'_>,
    recursive: bool,
    name: &str,
) {
    let changes = |role: &&Role| {
        matches!(
            role,
            Role::Write | Role::Edit | Role::Delete | Role::Move | Role::Empty
        )
    };
    let Some(role) = ops.roles.iter().find(changes) else {
        return;
    };
    for arg in call
        .operands
        .iter()
        .filter(|a| !super::args::is_unknown_word(a))
    {
        spec_eval::apply_role(cx, role, arg, recursive, name, &Stream::default());
    }
}

/// Returns the words that a shell evaluates again. Adds an effect if one has an unknown part, which
/// may hold further commands whatever the quotes around it.
pub(super) fn line_words<'a>(cx: &mut Engine<'_>, words: Option<&'a [Arg]>) -> &'a [Arg] {
    let words = words.unwrap_or_default();
    if let Some(unknown) = words.iter().find(|a| a.text.contains(UNKNOWN)) {
        cx.dynamic(unknown.span, "evaluates text that isn't known");
    }
    words
}

/// Joins words and runs them as shell code.
pub(crate) fn joined_shell(
    cx: &mut Engine<'_>,
    rest: &[Arg],
    stdin: &Stream,
    want: bool,
) -> Stream {
    let Some(first) = rest.first() else {
        return Stream::unknown();
    };
    let span = rest.iter().fold(first.span, |s, a| s.join(a.span));
    if let [one] = rest {
        return shell_arg(cx, one, stdin, want);
    }
    let text: Vec<String> = rest.iter().map(|a| crate::chars::source(&a.text)).collect();
    if rest.iter().any(|a| a.obfuscated) {
        cx.dynamic(span, "decoded text is run as a command");
    }
    cx.run_text(
        &text.join(" "),
        Base::Fixed(span),
        StepOrigin::Code,
        stdin,
        want,
    )
}

/// Runs one argument as shell code.
pub(crate) fn shell_arg(cx: &mut Engine<'_>, arg: &Arg, stdin: &Stream, want: bool) -> Stream {
    let t = arg.text.trim();
    if t == "\0" {
        cx.dynamic(arg.span, "runs text that isn't known as a command");
        return Stream::unknown();
    }
    if arg.obfuscated {
        cx.dynamic(arg.span, "runs decoded text as a command");
    }
    let base = match arg.at {
        Some(o) if !has_unknown(&arg.text) => Base::Offset(o),
        _ => Base::Fixed(arg.span),
    };
    cx.run_text(
        &crate::chars::source(&arg.text),
        base,
        StepOrigin::Code,
        stdin,
        want,
    )
}
