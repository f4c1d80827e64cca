//! Names in paths, as file systems compare them.

use unicode_normalization::UnicodeNormalization as _;

/// Returns whether HFS+ ignores a character when it compares names (Apple's technical note TN1150,
/// with the list that git uses).
#[must_use]
pub const fn ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Splits a path at these ASCII characters. Names are short, so a loop over bytes is faster than a
/// search for characters.
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

/// Folds a path like a file system that ignores case and normalises Unicode. Two paths with the
/// same folded form may be one file.
#[must_use]
pub fn fold(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    // Decompose, fold, and decompose again, since folding may produce composed letters.
    let seen = path.chars().filter(|c| !ignored_by_hfs(*c));
    seen.nfd()
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'ς' { 'σ' } else { c })
        .nfd()
        .collect()
}
