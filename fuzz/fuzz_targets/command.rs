//! Any text is a command line that is understood or rated high: the same way each time, with
//! effects that lie in it, and no milder for being handed to a shell or an interpreter.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use shell_effects::{Analysis, Context, RiskLevel, Table, analyse};

static TABLE: LazyLock<Table> = LazyLock::new(Table::builtin);

/// What the text is handed to, by the first byte of the input.
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

fuzz_target!(|input: (u8, &str)| {
    let (way, text) = input;
    let quoted = format!("'{}'", text.replace('\'', r"'\''"));
    let handed = HANDED.get(usize::from(way) % HANDED.len()).copied().unwrap_or_default();
    if handed.is_empty() {
        analysed(text);
        return;
    }
    let found = analysed(&format!("{handed}{quoted}"));
    // A shell of its own has no parameters, and knows that. What begins like an option is one. What
    // looks like the language of another shell is none where a shell is named.
    if handed == "sh -c " && !text.contains('$') && !text.starts_with(['-', '+']) {
        let alone = analysed(text);
        let foreign = alone.reasons().iter().any(|reason| reason.contains("looks like"));
        assert!(foreign || found.risk >= alone.risk, "milder when a shell is given it");
    }
});
