//! Any text is a command line that is understood or rated high. The result is deterministic, its
//! effects lie in the text, and it isn't more permissive if a shell or an interpreter runs the
//! text, or if it is part of a longer command line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use shell_effects::{Analysis, Context, RiskLevel, Table, analyse};

static TABLE: LazyLock<Table> = LazyLock::new(Table::builtin);

/// The command that runs the text, by the first byte of the input.
const HANDED: [&str; 12] = [
    "", "sh -c ", "eval ", "python3 -c ", "node -e ", "ruby -e ", "php -r ", "perl -e ", "awk ", "sed ", "pwsh -c ", "cmd /c ",
];

fn analysed(line: &str) -> Analysis {
    let context = Context::new(&TABLE);
    let found = analyse(line, &context);
    assert_eq!(found, analyse(line, &context), "the same line is read differently");
    assert!(!found.unparsed || found.risk == RiskLevel::High, "what isn't understood isn't rated high");
    for effect in &found.effects {
        assert!(effect.risk <= found.risk);
        assert!(line.get(effect.span.from..effect.span.to).is_some(), "{:?} doesn't lie in it", effect.span);
    }
    for (at, step) in found.tree.iter().enumerate() {
        assert!(step.parent.is_none_or(|parent| parent < at));
        assert!(line.get(step.span.from..step.span.to).is_some(), "{:?} doesn't lie in it", step.span);
    }
    found
}

/// What is around a text that runs in the same shell, by the first byte of the input.
const SURROUNDED: [(&str, &str); 6] = [
    ("true\n", ""),
    ("", "\ntrue"),
    ("(", "\n)"),
    ("{ ", "\n}"),
    ("if true; then\n", "\nfi"),
    ("f() {\n", "\n}; f"),
];

/// Whether some text looks like the language of another shell. That isn't considered where the text
/// is in one of a shell.
fn is_foreign(alone: &Analysis) -> bool {
    alone.reasons().iter().any(|reason| reason.contains("looks like"))
}

fuzz_target!(|input: (u8, &str)| {
    let (way, text) = input;
    let quoted = format!("'{}'", text.replace('\'', r"'\''"));
    let way = usize::from(way) % (HANDED.len() + SURROUNDED.len());
    if let Some((before, after)) = way.checked_sub(HANDED.len()).and_then(|n| SURROUNDED.get(n)) {
        let found = analysed(&format!("{before}{text}{after}"));
        let alone = analysed(text);
        // A function has parameters of its own. What follows may complete an incomplete text.
        let has_parameters = before.starts_with("f()") && text.contains('$');
        let comparable = !has_parameters && !is_foreign(&alone) && !alone.unparsed;
        assert!(!comparable || found.risk >= alone.risk, "milder inside {before:?} {after:?}");
        return;
    }
    let handed = HANDED.get(way).copied().unwrap_or_default();
    if handed.is_empty() {
        analysed(text);
        return;
    }
    let found = analysed(&format!("{handed}{quoted}"));
    // After `sh -c`, text with `$` may be rated lower, since that shell has no parameters. Text
    // that starts like an option is one. Text alone may look like the language of another shell,
    // which isn't considered where a shell is named.
    if handed == "sh -c " && !text.contains('$') && !text.starts_with(['-', '+']) {
        let alone = analysed(text);
        assert!(is_foreign(&alone) || found.risk >= alone.risk, "milder when a shell is given it");
    }
});
