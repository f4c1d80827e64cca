#![doc = include_str!("../README.md")]

mod recovery;

use recovery::Recovery;
use std::cell::Cell;
use std::ops::ControlFlow;
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

/// Returns the maximum number of progress reports for a text. The parser reports after every 100
/// steps, so this allows 25 steps for each byte plus a constant. Text written by people needs far
/// fewer.
const fn allowance(bytes: usize) -> usize {
    2_000 + bytes / 4
}

/// Number of bytes that the lexer gets at a time. It may read these again and again at no charge,
/// so there must be few of them.
const CHUNK: usize = 64;

/// Returns the maximum number of chunks that the lexer may read: as many as if it read each byte
/// [`TIMES`] times. A token costs one step, however far the lexer reads ahead for it, so steps
/// alone don't bound its work.
const fn max_reads(bytes: usize) -> usize {
    2_000 + bytes / CHUNK * TIMES
}

/// Text written by people is read three times at most. Where it has a syntax error, though, the
/// lexers of some languages read to the end of the text.
const TIMES: usize = 128;

/// Maximum length of a text that is parsed without the log. With an error at each second byte, the
/// slowest grammar takes some hundredths of a second.
const MAX_UNLOGGED: usize = 128;

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
    parse_bounded(parser, grammar, &Chunks::new(text, max_reads(text.len())))
}

/// Parses a text like [`parse`], for grammars whose lexers often read to the end of the text in
/// vain. The lexer reads at most `max_ahead` bytes ahead. Choose more than the length of any
/// ordinary token.
///
/// # Errors
/// Returns [`Unparsed`] if the grammar can't be used, the text takes too much work, or it contains
/// a longer token.
pub fn parse_short_tokens(
    parser: &mut Parser,
    grammar: &Language,
    text: &str,
    max_ahead: usize,
) -> Result<Tree, Unparsed> {
    let chunks = Chunks {
        max_ahead,
        ..Chunks::new(text, max_reads(text.len()))
    };
    let tree = parse_bounded(parser, grammar, &chunks)?;
    // A token that is too long looks like the end of the text.
    let is_whole = tree.root_node().end_byte() >= text.trim_end().len();
    is_whole.then_some(tree).ok_or(Unparsed::TooMuchWork)
}

/// Parses a text with the log, unless it is very short.
fn parse_bounded(
    parser: &mut Parser,
    grammar: &Language,
    chunks: &Chunks<'_>,
) -> Result<Tree, Unparsed> {
    if chunks.text.len() <= MAX_UNLOGGED {
        return parse_chunks(parser, grammar, chunks, None);
    }
    let recovery = Recovery::new(chunks.text.len());
    parser.set_logger(Some(Box::new(recovery.logger())));
    let tree = parse_chunks(parser, grammar, chunks, Some(&recovery));
    parser.set_logger(None);
    tree
}

/// Parses a text that is handed out in chunks.
fn parse_chunks(
    parser: &mut Parser,
    grammar: &Language,
    chunks: &Chunks<'_>,
    recovery: Option<&Recovery>,
) -> Result<Tree, Unparsed> {
    parser
        .set_language(grammar)
        .map_err(|_| Unparsed::Grammar)?;
    let mut left = allowance(chunks.text.len());
    let is_exhausted = || chunks.is_exhausted() || recovery.is_some_and(Recovery::is_exhausted);
    let mut progress = |state: &ParseState| {
        chunks.reach(state.current_byte_offset());
        match left.checked_sub(1) {
            Some(less) if !is_exhausted() => {
                left = less;
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(()),
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| chunks.read(at);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    // Otherwise the parser would resume the aborted parse with the next text.
    parser.reset();
    tree.filter(|_| !is_exhausted())
        .ok_or(Unparsed::TooMuchWork)
}

/// A text that is read in chunks, and the number of reads.
struct Chunks<'t> {
    text: &'t str,
    /// Maximum number of reads.
    max: usize,
    /// Maximum number of bytes that may be read beyond the parser's position.
    max_ahead: usize,
    reads: Cell<usize>,
    /// The last known position of the parser.
    position: Cell<usize>,
    /// Whether the last chunk was a line break that isn't in the text.
    is_cut: Cell<bool>,
}

impl<'t> Chunks<'t> {
    const fn new(text: &'t str, max: usize) -> Self {
        Chunks {
            text,
            max,
            max_ahead: usize::MAX,
            reads: Cell::new(0),
            position: Cell::new(0),
            is_cut: Cell::new(false),
        }
    }

    /// Returns whether more was read than is allowed.
    const fn is_exhausted(&self) -> bool {
        self.reads.get() > self.max
    }

    /// Notes a position of the parser.
    fn reach(&self, position: usize) {
        self.position.set(self.position.get().max(position));
    }

    /// Returns the chunk that starts at a place: whole characters, since the lexer can't decode the
    /// start of one at the end of a text.
    ///
    /// Behind the last chunk that is allowed, the text appears to end with a line break. So every
    /// search ends, whether it goes on to the end of the text or to the next white space.
    fn read(&self, at: usize) -> &'t str {
        self.reads.set(self.reads.get().saturating_add(1));
        let end = self.position.get().saturating_add(self.max_ahead);
        if self.is_exhausted() || at > end {
            return if self.is_cut.replace(true) { "" } else { "\n" };
        }
        self.is_cut.set(false);
        let rest = self.text.get(at..).unwrap_or_default();
        rest.get(..rest.ceil_char_boundary(CHUNK)).unwrap_or(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::iter::repeat_n;

    fn python() -> Language {
        tree_sitter_python::LANGUAGE.into()
    }

    /// Parses a text in Lua. Returns the number of reads, and whether there is a tree.
    fn lua(text: &str) -> (usize, bool) {
        let chunks = Chunks::new(text, max_reads(text.len()));
        let grammar = tree_sitter_lua::LANGUAGE.into();
        let tree = parse_chunks(&mut Parser::new(), &grammar, &chunks, None);
        (chunks.reads.get(), tree.is_ok())
    }

    #[test]
    fn chunks_dont_change_the_tree() {
        let mut parser = Parser::new();
        parser.set_language(&python()).unwrap();
        let lines = "été = '日本語 🦀🦀'  # ½ 🦀 \nif été:\n    f(\"\"\"ä\n{🦀}\"\"\", f'{x!r}')\n";
        for shift in 0..=CHUNK {
            let text = format!("#{}\n{}", " ".repeat(shift), lines.repeat(9));
            let whole = parser.parse(&text, None).unwrap();
            let tree = parse(&mut Parser::new(), &python(), &text).unwrap();
            assert_eq!(tree.root_node().to_sexp(), whole.root_node().to_sexp());
            assert_eq!(tree.root_node().byte_range(), 0..text.len());
        }
    }

    #[test]
    fn a_text_may_end_at_any_read() {
        let text =
            "def f(x):\n    return f'''{x}\n''' + \"ä\"  # b\nclass A:\n\tx = [1,\n".repeat(5);
        let mut parser = Parser::new();
        let chunks = Chunks::new(&text, usize::MAX);
        parse_chunks(&mut parser, &python(), &chunks, None).unwrap();
        let needed = chunks.reads.get();
        assert!(needed > 10);
        for max in 0..needed {
            let chunks = Chunks::new(&text, max);
            let tree = parse_chunks(&mut parser, &python(), &chunks, None);
            assert_eq!(tree.err(), Some(Unparsed::TooMuchWork), "{max}");
        }
        let chunks = Chunks::new(&text, needed);
        assert!(parse_chunks(&mut parser, &python(), &chunks, None).is_ok());
    }

    #[test]
    fn ordinary_text_is_read_a_few_times() {
        let text = "local a = [[\nb\n]]\n-- c\nfunction a.f(x) return x[1] .. '--[[' end\n";
        for times in [1_000, 10_000] {
            let text = text.repeat(times);
            let (reads, has_tree) = lua(&text);
            assert!(has_tree);
            assert!(reads < text.len() / CHUNK * 4, "{reads}");
        }
    }

    #[test]
    fn long_tokens_are_refused() {
        let parse = |length: usize, max_ahead: usize| {
            let text = format!("x = 1\ny = '{}'\nz = 2\n", "a".repeat(length));
            parse_short_tokens(&mut Parser::new(), &python(), &text, max_ahead)
        };
        assert!(!parse(900, 1_000).unwrap().root_node().has_error());
        assert_eq!(parse(1_100, 1_000).err(), Some(Unparsed::TooMuchWork));
        assert!(parse(1_100, usize::MAX).is_ok());
    }

    #[test]
    fn errors_are_bounded() {
        let parse = |text: &str| parse(&mut Parser::new(), &python(), text);
        for times in [5_000, 10_000] {
            let tree = parse(&"--==".repeat(times));
            assert_eq!(tree.err(), Some(Unparsed::TooMuchWork));
        }
        let ordinary = "# a\n# b\ndef f(x):\n    return f(x + 1)  # c\n".repeat(5_000);
        assert!(!parse(&ordinary).unwrap().root_node().has_error());
        let errors = format!("{ordinary}{}", "def (:\n    pass\n".repeat(100));
        assert!(parse(&errors).unwrap().root_node().has_error());
    }

    #[test]
    fn reads_are_bounded() {
        for hostile in ["/**/", "[[", "[=", "a.b[[ "] {
            for length in [100_000, 200_000] {
                let text: String = repeat_n(hostile, length / hostile.len()).collect();
                let (reads, has_tree) = lua(&text);
                assert!(!has_tree, "{hostile}");
                // Those that end the parse have nothing to read.
                assert!(reads < max_reads(length) + 1_000, "{hostile}: {reads}");
            }
        }
    }
}
