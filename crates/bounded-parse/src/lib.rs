#![doc = include_str!("../README.md")]

use std::ops::ControlFlow;
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

/// Returns the maximum number of progress reports for a text. The parser reports after every 100
/// steps, so this allows 25 steps for each byte plus a constant. Text written by people needs far
/// fewer.
const fn allowance(bytes: usize) -> usize {
    2_000 + bytes / 4
}

/// Why a text has no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unparsed {
    /// The grammar is for another version of the library.
    Grammar,
    /// Parsing takes more work than any ordinary text of its size.
    TooMuchWork,
}

/// Parses a text and keeps the parser's memory for the next one.
///
/// # Errors
/// Returns [`Unparsed`] if the grammar can't be used or the text takes too much work.
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
    // Otherwise the parser would resume the aborted parse with the next text.
    parser.reset();
    tree.ok_or(Unparsed::TooMuchWork)
}
