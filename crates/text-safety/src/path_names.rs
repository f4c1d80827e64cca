//! Names in paths as file systems compare them.

use unicode_normalization::UnicodeNormalization as _;

/// Characters that HFS+ leaves out when it compares names (Apple's technical note TN1150; the list
/// that git keeps).
#[must_use]
pub const fn ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// The parts of a path between these ASCII characters. Names are short: a plain loop over their
/// bytes is faster than a search for characters.
pub fn names<'a>(path: &'a str, separators: &'static [u8]) -> impl Iterator<Item = &'a str> {
    debug_assert!(separators.is_ascii());
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        let end = path.bytes().position(|byte| separators.contains(&byte));
        rest = end.and_then(|end| path.get(end + 1..));
        path.get(..end.unwrap_or(path.len()))
    })
}

/// A path as a file system sees it that folds letters' case and normalises Unicode: two that fold
/// to the same may be one file.
#[must_use]
pub fn fold(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    // Decomposed, folded, and decomposed again: folding may give letters that aren't.
    let seen = path.chars().filter(|c| !ignored_by_hfs(*c));
    seen.nfd()
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'ς' { 'σ' } else { c })
        .nfd()
        .collect()
}
