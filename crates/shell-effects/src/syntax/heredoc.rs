//! Here-documents: their delimiters, and where their bodies end.
//!
//! If bash and this parser disagree on where a body ends, an attacker can turn commands into data.
//! So the delimiter is taken literally with only its quotes removed, as in bash, which expands
//! nothing in it. Syntax that shells read differently is refused.

use super::ast::{Part, Redir, RedirOp, Word};
use super::parse::{ParseError, Parsed, Parser};
use crate::chars::{SAFE_UNKNOWN, UNKNOWN};
use std::cell::OnceCell;
use std::rc::Rc;

/// A here-document whose body hasn't been parsed yet.
pub(super) struct PendingHeredoc {
    body: Rc<OnceCell<Word>>,
    name: String,
    /// Whether the delimiter was quoted, so that nothing in the body is expanded.
    quoted: bool,
    /// Whether it is `<<-`, which ignores leading tabs.
    strip: bool,
}

const UNCLEAR: ParseError =
    ParseError::Refused("a here-document that shells end in different places");

/// Returns the delimiter as bash compares it, and whether some of it was quoted. `None` if it
/// contains more than plain and quoted text.
fn unquoted(source: &str) -> Option<(String, bool)> {
    let mut name = String::with_capacity(source.len());
    let mut quoted = false;
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                quoted = true;
                loop {
                    match rest.next()? {
                        '\'' => break,
                        inner => name.push(inner),
                    }
                }
            }
            '"' => {
                quoted = true;
                loop {
                    match rest.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' if matches!(rest.peek(), Some('$' | '`' | '"' | '\\' | '\n')) => {
                            name.extend(rest.next().filter(|c| *c != '\n'));
                        }
                        inner => name.push(inner),
                    }
                }
            }
            '\\' => {
                quoted = true;
                name.extend(rest.next().filter(|c| *c != '\n'));
            }
            '$' | '`' | '(' | ')' | '<' | '>' => return None,
            plain => name.push(plain),
        }
    }
    // A delimiter of two lines never matches, and one with unknown parts isn't known.
    (!name.contains(['\n', UNKNOWN, SAFE_UNKNOWN])).then_some((name, quoted))
}

/// Returns whether the end of the line is escaped, so that the next line continues it.
fn continues(line: &[u8]) -> bool {
    line.iter().rev().take_while(|c| **c == b'\\').count() % 2 == 1
}

impl Parser<'_> {
    /// Parses the delimiter after `<<`; `from` is where the redirection begins.
    pub(super) fn heredoc(&mut self, from: usize, fd: Option<u32>, strip: bool) -> Parsed<Redir> {
        let at = self.pos;
        let target = self
            .word_opt()?
            .ok_or(ParseError::Unexpected("end of a here-document's delimiter"))?;
        let source = self.text.get(at..self.pos).unwrap_or_default();
        let (name, quoted) = unquoted(source).ok_or(ParseError::Refused(
            "the delimiter of a here-document contains more than plain text",
        ))?;
        let body = Rc::new(OnceCell::new());
        self.heredocs.push(PendingHeredoc {
            body: Rc::clone(&body),
            name,
            quoted,
            strip,
        });
        Ok(Redir {
            op: RedirOp::HereDoc,
            fd,
            variable: None,
            target,
            body: Some(body),
            span: self.span(from),
        })
    }

    /// Gives an empty body to documents that never begin.
    pub(super) fn finish_heredocs(&mut self) {
        for pending in self.heredocs.drain(..) {
            let _ = pending.body.set(Word::default());
        }
    }

    /// Runs a part of the parser in which documents may begin but must also end: bash parses
    /// substitutions separately, and its versions differ on a document that outlives one.
    pub(super) fn own_heredocs<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let outer = std::mem::take(&mut self.heredocs);
        let result = read(self);
        let open = !std::mem::replace(&mut self.heredocs, outer).is_empty();
        if open && result.is_ok() {
            Err(UNCLEAR)
        } else {
            result
        }
    }

    /// Parses the bodies of the documents announced on the line that has just ended.
    pub(super) fn read_heredocs(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.heredocs) {
            let from = self.pos;
            let end = self.heredoc_end(&pending)?;
            let body = self.text.get(from..end).unwrap_or_default();
            let span = self.base.span(from, end);
            let word = if pending.quoted {
                Word {
                    parts: vec![Part::Quoted(body.to_owned())],
                    span,
                }
            } else {
                self.sub_word(body, from, span)?
            };
            let _ = pending.body.set(word);
        }
        Ok(())
    }

    /// Finds the end of the body that begins at the position. The position is then after the line
    /// with the delimiter.
    fn heredoc_end(&mut self, pending: &PendingHeredoc) -> Parsed<usize> {
        let name = pending.name.as_bytes();
        let from = self.pos;
        // The previous line was continued, so bash's comparison begins there.
        let mut joined: Option<Vec<u8>> = None;
        loop {
            let end = self.pos;
            let rest = self.src.get(end..).unwrap_or_default();
            if rest.is_empty() {
                // For bash, everything to the end of the text is data (with a warning). Other
                // shells may see commands in it.
                return if end == from {
                    Ok(end)
                } else {
                    Err(ParseError::Refused("a here-document is never closed"))
                };
            }
            let n = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.burn(1 + n / 8)?;
            let mut line = rest.get(..n).unwrap_or_default();
            let last = end + n + 1 >= self.src.len();
            self.pos = (end + n + 1).min(self.src.len());
            if pending.strip && joined.is_none() {
                while let Some(r) = line.strip_prefix(b"\t") {
                    line = r;
                }
            }
            let more = !pending.quoted && continues(line);
            if let Some(mut before) = joined.take() {
                before.extend(line.iter().take(name.len() + 1));
                if before == name || line == name {
                    return Err(UNCLEAR);
                }
            } else if line == name {
                return Ok(end);
            } else if line.strip_suffix(b"\r") == Some(name)
                || name.strip_suffix(b"\r") == Some(line)
            {
                if last {
                    return Ok(end);
                }
                return Err(UNCLEAR);
            } else if self.depth > 1 && line.starts_with(name) && line.contains(&b')') {
                // Some versions of bash let `NAME)` end both the document and the substitution.
                return Err(UNCLEAR);
            }
            if more {
                let kept = line.get(..line.len() - 1).unwrap_or_default();
                joined = Some(kept.iter().take(name.len() + 1).copied().collect());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_loses_only_its_quotes() {
        let name = |source: &str| unquoted(source);
        assert_eq!(name("EOF"), Some(("EOF".to_owned(), false)));
        assert_eq!(name("'E $O`F'"), Some(("E $O`F".to_owned(), true)));
        assert_eq!(name("\"E O\"F"), Some(("E OF".to_owned(), true)));
        assert_eq!(name("\\$A"), Some(("$A".to_owned(), true)));
        assert_eq!(name("\"a\\\"\\$\\x\""), Some(("a\"$\\x".to_owned(), true)));
        assert_eq!(name("~{a,b}*[x]"), Some(("~{a,b}*[x]".to_owned(), false)));
        for other in [
            "$A", "\"$A\"", "`a`", "\"`a`\"", "${A}", "A$(x)", "$((1))", "'A'$B", "$'A'", "@(a)",
            "'a\nb'", "'a", "\0",
        ] {
            assert_eq!(name(other), None, "{other}");
        }
    }
}
