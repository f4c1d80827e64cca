//! Parsing with tree-sitter within a bound on the work.

use std::ops::ControlFlow;
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

/// Reports of progress that a text may cost, each after 100 steps of the parser: 25 steps for each
/// byte and a start, far more than text that people write needs. The bound is on work and not on
/// time, so that every machine gives the same tree.
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

/// The tree of a text. The parser keeps its memory for the next one.
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
    // A parse that was given up would be gone on with in the next text.
    parser.reset();
    tree.ok_or(Unparsed::TooMuchWork)
}
