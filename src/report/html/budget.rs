//! The limit on the size of a page.

use serde::Serialize;

/// The number of bytes that are left.
#[derive(Debug)]
pub(super) struct SizeBudget(usize);

impl SizeBudget {
    pub(super) const fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Subtracts the size of a view in the page, with `markup` bytes around its texts. After the
    /// first view that doesn't fit, none fits.
    pub(super) fn spend(&mut self, markup: usize, view: &impl Serialize) -> bool {
        let left = self.0.checked_sub(markup.saturating_add(weight(view)));
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// Estimates the length of the escaped texts of a view. The member names make up for its markup. A
/// view that can't be serialized exceeds any page.
fn weight(view: &impl Serialize) -> usize {
    let Ok(text) = serde_json::to_string(view) else {
        return usize::MAX;
    };
    // An escape is up to six bytes long. A page doesn't escape the quotes around names and texts;
    // quotes within texts have a backslash here.
    let special = text.bytes().filter(|b| b"<>&'/\\".contains(b)).count();
    text.len().saturating_add(special.saturating_mul(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_ends_it() {
        let mut budget = SizeBudget::new(100);
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
