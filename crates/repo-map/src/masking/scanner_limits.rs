//! Guards against the scanners of the grammars of `languages-extra`, which the bound on the
//! parser's work doesn't cover.
//!
//! Kotlin's searches for a white space behind an `@`, and never ends if there is none. Behind each
//! `set(` it searches for a `)`, to the end of the text if there is none. SQL's searches for the
//! second one of each `$tag$`.

use crate::language::Language;
use bounded_parse::Unparsed;
use std::collections::HashMap;

/// Returns the maximum number of bytes of a text. The scanners of these languages may read to the
/// end of a text at each line of it, so that their work grows with the square of the length. Texts
/// of these lengths took them two seconds at most.
const fn max_bytes(language: Language) -> usize {
    match language {
        Language::Kotlin => 64 << 10,
        Language::Lua => 32 << 10,
        Language::PowerShell => 16 << 10,
        _ => usize::MAX,
    }
}

/// Checks the length of a text.
///
/// # Errors
/// Returns [`Unparsed::TooMuchWork`] if the scanner may read the text again and again.
pub(super) fn length(language: Language, text: &str) -> Result<(), Unparsed> {
    if text.len() > max_bytes(language) {
        return Err(Unparsed::TooMuchWork);
    }
    Ok(())
}

/// Maximum number of bytes that are searched for `)`, for each byte of a text.
const MAX_SEARCH: usize = 20;

/// Maximum number of bytes that are searched for tags, for each byte of a text.
const MAX_TAG_SEARCH: usize = 100;

/// Returns the text as the scanner can read it: with a line break at its end.
///
/// # Errors
/// Returns [`Unparsed::TooMuchWork`] if the scanner would read the text again and again.
pub(super) fn kotlin(text: &str) -> Result<String, Unparsed> {
    let mut left = MAX_SEARCH.saturating_mul(text.len()).saturating_add(10_000);
    let mut end = None;
    for (at, _) in text.match_indices("set") {
        if !text.get(at + 3..).is_some_and(|rest| rest.starts_with('(')) {
            continue;
        }
        // The same `)` ends all searches before it.
        if end.is_none_or(|end| end < at) {
            let found = text.get(at..).and_then(|rest| rest.find(')'));
            end = Some(found.map_or(text.len(), |length| at + length));
        }
        let length = end.unwrap_or(at).saturating_sub(at);
        left = left.checked_sub(length).ok_or(Unparsed::TooMuchWork)?;
    }
    Ok(format!("{text}\n"))
}

/// Checks a text in SQL.
///
/// # Errors
/// Returns [`Unparsed::TooMuchWork`] if the scanner would read the text again and again.
pub(super) fn sql(text: &str) -> Result<(), Unparsed> {
    let allowed = MAX_TAG_SEARCH
        .saturating_mul(text.len())
        .saturating_add(10_000);
    let mut next: HashMap<&str, usize> = HashMap::new();
    let (mut end, mut work) = (None, 0_usize);
    // From the end, the next equal tag is known.
    for (at, _) in text.rmatch_indices('$') {
        if let Some(tag) = end.and_then(|end| text.get(at..end))
            && !tag.contains(char::is_whitespace)
        {
            let found = next.insert(tag, at).unwrap_or(text.len());
            work = work.saturating_add(found.saturating_sub(at));
        }
        end = Some(at + 1);
    }
    if work > allowed {
        return Err(Unparsed::TooMuchWork);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_bounded() {
        assert_eq!(kotlin("val a = 1").unwrap(), "val a = 1\n");
        assert!(kotlin(&"set(value) {}\n".repeat(4_000)).is_ok());
        assert!(kotlin(&"val a = 1\nset(\n".repeat(4_000)).is_err());
        assert!(kotlin(&"set ".repeat(10_000)).is_ok());
        assert!(length(Language::Kotlin, &"import a.\n".repeat(10_000)).is_err());
        assert!(length(Language::Lua, &"/**/\n".repeat(10_000)).is_err());
        assert!(length(Language::Lua, "local a = 1\n").is_ok());
        assert!(sql(&"CREATE FUNCTION f() AS $$ x $$;\n".repeat(10_000)).is_ok());
        assert!(sql("$body$ $1 $2 $body$").is_ok());
        let tags: String = (0..10_000).map(|n| format!("$t{n}$ ")).collect();
        assert!(sql(&tags).is_err());
    }
}
