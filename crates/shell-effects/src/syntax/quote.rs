//! Quotes texts for a shell.

use crate::chars::{ANY, STAR};

/// Quotes a text for a shell so that it stays one word.
pub(crate) fn quote(text: &str) -> String {
    if !text.is_empty()
        && text
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || b"-_./=:,@%+\x00\x01".contains(&c))
    {
        return text.to_owned();
    }
    let t = text.replace(STAR, "*").replace(ANY, "?");
    format!("'{}'", t.replace('\'', "'\\''"))
}
