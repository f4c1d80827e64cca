#![doc = include_str!("../README.md")]

use std::ops::ControlFlow;
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

/// The most reports of progress that a text may take; the parser reports after each 100 steps. That
/// is 25 steps for each byte and a start: far more than text that people write needs.
const fn allowance(bytes: usize) -> usize {
    2_000 + bytes / 4
}

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unparsed {
    /// The grammar was made for another version of the library.
    Grammar,
    /// It takes more work than any ordinary text of its size.
    TooMuchWork,
}

/// Parses a text. The parser keeps its memory for the next one.
///
/// # Errors
/// [`Unparsed`] if the grammar can't be used or the text takes too much work.
pub fn parse(parser: &mut Parser, grammar: &Language, text: &str) -> Result<Tree, Unparsed> {
    parser
        .set_language(grammar)
        .map_err(|_| Unparsed::Grammar)?;
    let mut left = allowance(text.len());
    let mut progress = |_: &ParseState| match left.checked_sub(1) {
        Some(less) => {
            left = less;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    // Without this, the parser would continue with a parse that it gave up in the next text.
    parser.reset();
    tree.ok_or(Unparsed::TooMuchWork)
}
