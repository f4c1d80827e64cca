//! How large a page may grow.

use serde::Serialize;

/// Bytes that are left.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    pub(super) const fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Takes what a view weighs in the page, with so many bytes of markup around its texts. Once
    /// something doesn't fit, nothing does.
    pub(super) fn spend(&mut self, markup: usize, view: &impl Serialize) -> bool {
        let left = self.0.checked_sub(markup.saturating_add(weight(view)));
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// The length of its texts when they are escaped, and of its names, which markup makes up for. What
/// can't be written weighs more than any page.
fn weight(view: &impl Serialize) -> usize {
    let Ok(text) = serde_json::to_string(view) else {
        return usize::MAX;
    };
    // An escape is up to six bytes long. Quotes around names and texts aren't escaped in a page;
    // those in texts stand behind a backslash here.
    let special = text.bytes().filter(|b| b"<>&'/\\".contains(b)).count();
    text.len().saturating_add(special.saturating_mul(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_ends_it() {
        let mut budget = Budget::new(100);
        assert!(budget.spend(50, &"abc"));
        assert!(!budget.spend(50, &"<>"));
        assert!(!budget.spend(0, &""));
    }

    #[test]
    fn escapes_weigh_what_they_take() {
        for text in ["<b>", "a\"b", "it's", "a/b", "a&b", "plain"] {
            let escaped = text.replace('&', "&amp;").replace(['<', '>'], "&lt;");
            let escaped = escaped
                .replace('"', "&quot;")
                .replace(['\'', '/'], "&#x2f;");
            assert!(weight(&text) >= escaped.len(), "{text}");
        }
    }
}
