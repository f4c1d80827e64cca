//! Guards against the scanner of the Kotlin grammar, which the bound on the parser's work doesn't
//! cover.
//!
//! Behind an `@`, it searches for a white space, and never ends if there is none. Behind each
//! `set(` it searches for a `)`, to the end of the text if there is none.

use bounded_parse::Unparsed;

/// Maximum number of bytes that are searched for `)`, for each byte of a text.
const MAX_SEARCH: usize = 20;

/// Returns the text as the scanner can read it: with a line break at its end.
///
/// # Errors
/// Returns [`Unparsed::TooMuchWork`] if the scanner would read the text again and again.
pub(super) fn guard(text: &str) -> Result<String, Unparsed> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_bounded() {
        assert_eq!(guard("val a = 1").unwrap(), "val a = 1\n");
        assert!(guard(&"set(value) {}\n".repeat(10_000)).is_ok());
        assert!(guard(&"val a = 1\nset(\n".repeat(10_000)).is_err());
        assert!(guard(&"set ".repeat(100_000)).is_ok());
    }
}
