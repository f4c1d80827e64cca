//! Guards against the scanners of the grammars of `languages-extra`, for what the bound on the
//! parser's work doesn't cover.

use bounded_parse::Unparsed;

/// Returns a text in Kotlin as the scanner can read it: with a line break at its end. Behind an `@`
/// the scanner searches for a white space, and never ends if there is none.
pub(super) fn kotlin(text: &str) -> String {
    format!("{text}\n")
}

/// Maximum number of bytes that the scanner for Kotlin may read ahead. Wherever the parser tries
/// two ways, even in correct text, it searches for the end of a multi-line string.
pub(super) const MAX_KOTLIN_TOKEN: usize = 16 << 10;

/// Maximum number of bytes between the two `$` of a tag. A name in `PostgreSQL` has at most 63.
const MAX_TAG: usize = 64;

/// Checks the tags of a text in SQL. Inside of `$tag$`, the scanner allocates memory of the tag's
/// length for each token and never frees it.
///
/// # Errors
/// Returns [`Unparsed::TooMuchWork`] if a tag is longer than any in use.
pub(super) fn sql(text: &str) -> Result<(), Unparsed> {
    let mut end: Option<usize> = None;
    for (at, _) in text.match_indices('$') {
        let between = end.and_then(|end| text.get(end..at)).unwrap_or_default();
        if between.len() > MAX_TAG && !between.contains(char::is_whitespace) {
            return Err(Unparsed::TooMuchWork);
        }
        end = Some(at + 1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tags_are_refused() {
        assert!(sql("$body$ $1 $2 $body$").is_ok());
        assert!(sql(&"CREATE FUNCTION f() AS $$ x $$;\n".repeat(10_000)).is_ok());
        assert!(sql(&format!("${}$", "a".repeat(64))).is_ok());
        assert!(sql(&format!("${}$", "a".repeat(65))).is_err());
        assert!(sql(&format!("${} $", "a".repeat(65))).is_ok());
        assert!(sql("$").is_ok());
    }
}
