//! Hides text from the parser that its grammar doesn't know: calls of macros, and markup around
//! scripts. Ends members that have no semicolon where the grammar needs one.
//!
//! Hidden bytes become spaces and line breaks stay, so all offsets and lines are those of the file.
//! Names and signatures are always taken from the file itself.

mod c_tokens;
mod call_signatures;
mod conditionals;
mod preprocessor;
mod rust_macros;
mod scanner_limits;
mod script;

use super::language::Language;
use bounded_parse::{Unparsed, parse, parse_short_tokens};
use std::ops::Range;
use tree_sitter::{Parser, Tree};

/// Ranges of a text to hide.
#[derive(Debug, Default, PartialEq, Eq)]
struct Mask {
    hidden: Vec<Range<usize>>,
    /// Names of hidden calls. They remain references.
    calls: Vec<Range<usize>>,
    /// Places of blanks that become semicolons.
    semicolons: Vec<usize>,
}

impl Mask {
    /// Returns the text with spaces in place of everything hidden.
    fn apply(&self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for range in &self.hidden {
            for byte in bytes.get_mut(range.clone()).unwrap_or_default() {
                if !matches!(*byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        for at in &self.semicolons {
            if let Some(byte) = bytes.get_mut(*at) {
                *byte = b';';
            }
        }
        // Ranges end at the boundaries of characters.
        String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
    }
}

/// A parsed text.
pub(super) struct Parsed {
    pub(super) tree: Tree,
    /// Names of calls that aren't in the tree, in source order.
    pub(super) calls: Vec<Range<usize>>,
}

/// Parses a text without what its grammar doesn't know.
///
/// # Errors
/// Returns [`Unparsed`] if the grammar can't be used or the text takes too much work.
pub(super) fn parse_masked(
    parser: &mut Parser,
    grammar: &tree_sitter::Language,
    language: Language,
    text: &str,
) -> Result<Parsed, Unparsed> {
    let mask = match language {
        Language::C | Language::Cpp => preprocessor::mask(text, language == Language::Cpp),
        Language::Vue | Language::Svelte => script::mask(text),
        Language::Rust => {
            let tree = parse(parser, grammar, text)?;
            let mask = rust_macros::mask(parser, grammar, text, &tree);
            if mask.hidden.is_empty() {
                return Ok(Parsed {
                    tree,
                    calls: Vec::new(),
                });
            }
            mask
        }
        Language::TypeScript => Mask {
            semicolons: call_signatures::ends(text),
            ..Mask::default()
        },
        Language::Sql => {
            scanner_limits::sql(text)?;
            Mask::default()
        }
        Language::Kotlin => {
            let text = scanner_limits::kotlin(text);
            let ahead = scanner_limits::MAX_KOTLIN_TOKEN;
            let tree = parse_short_tokens(parser, grammar, &text, ahead)?;
            return Ok(Parsed {
                tree,
                calls: Vec::new(),
            });
        }
        _ => Mask::default(),
    };
    let tree = if mask.hidden.is_empty() && mask.semicolons.is_empty() {
        parse(parser, grammar, text)?
    } else {
        parse(parser, grammar, &mask.apply(text))?
    };
    Ok(Parsed {
        tree,
        calls: mask.calls,
    })
}
