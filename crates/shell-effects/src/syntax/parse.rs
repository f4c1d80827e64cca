//! A parser for bash command lines.
//!
//! It is handwritten because the analyser must answer within a fixed amount of work per byte for
//! any input, however nested, and keep unknown parts. Work is counted in `fuel` (a few units per
//! byte), nesting in `depth`. When either runs out, the line isn't understood: high risk, never a
//! crash. A general shell parser gives neither bound and is slower than the analysis as a whole may
//! be. The price is a second implementation of bash's grammar, which only the corpora and the tests
//! check.
//!
//! The parser is lenient: it may accept what bash refuses, since a refused line does nothing. It
//! must never miss what bash would run.

mod redirect;

use super::ast::{Assign, AssignValue, Command, Kind, List, Pipeline, Redir, Word};
use crate::effect::Span;
use std::rc::Rc;

/// The reason why a line isn't understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// A quote or bracket is never closed.
    #[error("{0} is never closed")]
    Unclosed(&'static str),
    /// A token appears where none is allowed.
    #[error("unexpected {0}")]
    Unexpected(&'static str),
    /// bash accepts it, but a reader may be misled, so the parser refuses it.
    #[error("{0}")]
    Refused(&'static str),
    #[error("nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// The work exceeds the limit per byte.
    #[error("too complicated")]
    OutOfFuel,
}

/// Maximum nesting of quotes, substitutions and compound commands.
pub const MAX_DEPTH: usize = 48;

/// The mapping of positions in the parsed text to the original line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Base {
    /// Add this offset to each position.
    Offset(usize),
    /// The text was computed; every position maps to this span.
    Fixed(Span),
}

impl Base {
    pub(crate) fn span(self, from: usize, to: usize) -> Span {
        match self {
            Self::Offset(o) => Span::new(from.saturating_add(o), to.saturating_add(o)),
            Self::Fixed(s) => s,
        }
    }
}

pub(crate) type Parsed<T> = Result<T, ParseError>;

pub(crate) struct Parser<'a> {
    pub(super) src: &'a [u8],
    pub text: &'a str,
    pub(super) pos: usize,
    pub(super) base: Base,
    pub(super) depth: usize,
    pub(crate) fuel: usize,
    pub(super) heredocs: Vec<super::heredoc::PendingHeredoc>,
}

/// Parses a whole text. `fuel` is reduced by the work done.
pub(crate) fn parse(text: &str, base: Base, depth: usize, fuel: &mut usize) -> Parsed<List> {
    let mut p = Parser::new(text, base, depth, *fuel);
    let r = p.program();
    *fuel = p.fuel;
    r
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, base: Base, depth: usize, fuel: usize) -> Self {
        Self {
            src: text.as_bytes(),
            text,
            pos: 0,
            base,
            depth,
            fuel,
            heredocs: Vec::new(),
        }
    }

    fn program(&mut self) -> Parsed<List> {
        let list = self.list()?;
        self.blanks()?;
        if self.pos < self.src.len() {
            return Err(ParseError::Unexpected("token"));
        }
        self.finish_heredocs();
        Ok(list)
    }

    pub(super) fn burn(&mut self, n: usize) -> Parsed<()> {
        match self.fuel.checked_sub(n) {
            Some(f) => {
                self.fuel = f;
                Ok(())
            }
            None => Err(ParseError::OutOfFuel),
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.src.get(self.pos).copied()
    }

    pub(super) fn at(&self, off: usize) -> Option<u8> {
        self.src.get(self.pos.saturating_add(off)).copied()
    }

    pub(super) fn starts(&self, s: &str) -> bool {
        self.src
            .get(self.pos..)
            .is_some_and(|r| r.starts_with(s.as_bytes()))
    }

    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > MAX_DEPTH {
            Err(ParseError::TooDeep)
        } else {
            self.burn(1)
        }
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn span(&self, from: usize) -> Span {
        self.base.span(from, self.pos)
    }

    /// Skips blanks, line continuations and a comment, but no line end. A carriage return isn't a
    /// blank: bash treats it as part of a word.
    fn blanks(&mut self) -> Parsed<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.at(1) == Some(b'\n') => self.pos += 2,
                Some(b'#') => {
                    let rest = self.src.get(self.pos..).unwrap_or_default();
                    let n = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    self.burn(n / 8)?;
                    self.pos += n;
                }
                _ => return Ok(()),
            }
            self.burn(1)?;
        }
    }

    /// Skips blanks, comments and line ends, with the here-document bodies after them.
    fn newlines(&mut self) -> Parsed<()> {
        loop {
            self.blanks()?;
            if self.peek() == Some(b'\n') {
                self.pos += 1;
                self.read_heredocs()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Parses a part of the text as if between double quotes.
    pub(super) fn sub_word(&mut self, body: &str, from: usize, span: Span) -> Parsed<Word> {
        let base = match self.base {
            Base::Offset(o) => Base::Offset(o.saturating_add(from)),
            fixed @ Base::Fixed(_) => fixed,
        };
        let mut p = Parser::new(body, base, self.depth.saturating_add(1), self.fuel);
        let r = p.double_quoted(None);
        self.fuel = p.fuel;
        Ok(Word { parts: r?, span })
    }

    /// Parses a list up to a closing token, which isn't consumed.
    pub(super) fn list(&mut self) -> Parsed<List> {
        self.enter()?;
        let mut items = Vec::new();
        let mut conditional = false;
        loop {
            self.newlines()?;
            if conditional
                && (matches!(self.peek(), None | Some(b')' | b';' | b'&')) || self.at_terminator())
            {
                return Err(ParseError::Unexpected("end after `&&` or `||`"));
            }
            match self.peek() {
                None | Some(b')') => break,
                Some(b';') if self.at(1) == Some(b';') || self.at(1) == Some(b'&') => break,
                Some(b';' | b'&') => {
                    // An empty command: bash refuses it, but parsing goes on.
                    self.pos += 1;
                    continue;
                }
                _ => {}
            }
            if self.at_terminator() {
                break;
            }
            let p = self.pipeline(conditional)?;
            items.push(p);
            self.blanks()?;
            conditional = false;
            match (self.peek(), self.at(1)) {
                (Some(b'&'), Some(b'&')) | (Some(b'|'), Some(b'|')) => {
                    self.pos += 2;
                    conditional = true;
                }
                (Some(b';'), Some(b';' | b'&')) => break,
                (Some(b';' | b'&'), _) => self.pos += 1,
                (Some(b'\n'), _) => {}
                (None | Some(b')'), _) => break,
                _ => {
                    if !self.at_terminator() {
                        return Err(ParseError::Unexpected("token after a command"));
                    }
                    break;
                }
            }
        }
        self.leave();
        Ok(List { items })
    }

    /// Returns the unquoted word at the position, if it could be a reserved word.
    fn reserved(&self) -> Option<&'a str> {
        let rest = self.src.get(self.pos..)?;
        let n = rest
            .iter()
            .take(9)
            .position(|c| {
                matches!(
                    c,
                    b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
                )
            })
            .unwrap_or(rest.len().min(9));
        if n == 0 || n > 8 {
            return None;
        }
        self.text.get(self.pos..self.pos + n)
    }

    fn at_terminator(&self) -> bool {
        match self.peek() {
            Some(b'}' | b't' | b'd' | b'f' | b'e') => {
                matches!(
                    self.reserved(),
                    Some("}" | "then" | "do" | "done" | "fi" | "else" | "elif" | "esac")
                )
            }
            _ => false,
        }
    }

    fn expect(&mut self, word: &'static str) -> Parsed<()> {
        self.newlines()?;
        if self.reserved() == Some(word) {
            self.pos += word.len();
            Ok(())
        } else {
            Err(ParseError::Unclosed(word))
        }
    }

    fn pipeline(&mut self, conditional: bool) -> Parsed<Pipeline> {
        let from = self.pos;
        let mut commands = Vec::new();
        loop {
            // `!` and `time` before a pipeline don't change its effects.
            loop {
                self.newlines()?;
                match self.reserved() {
                    Some("!") => self.pos += 1,
                    Some("time") => {
                        self.pos += 4;
                        self.blanks()?;
                        while matches!(self.reserved(), Some("-p" | "--")) {
                            self.pos += 2;
                            self.blanks()?;
                        }
                    }
                    _ => break,
                }
            }
            if self.peek().is_none() && from != self.pos && commands.is_empty() {
                break;
            }
            commands.push(self.command()?);
            self.blanks()?;
            if self.peek() == Some(b'|') && self.at(1) != Some(b'|') {
                self.pos += 1;
                if self.peek() == Some(b'&') {
                    self.pos += 1;
                }
            } else {
                break;
            }
        }
        Ok(Pipeline {
            commands,
            conditional,
            span: self.span(from),
        })
    }

    fn command(&mut self) -> Parsed<Command> {
        self.enter()?;
        let from = self.pos;
        let kind = self.command_kind()?;
        let mut redirs = Vec::new();
        let kind = match kind {
            Some(k) => {
                self.blanks()?;
                while self.redirect(&mut redirs)? {
                    self.blanks()?;
                }
                k
            }
            None => self.simple(&mut redirs)?,
        };
        self.leave();
        Ok(Command {
            kind,
            redirs,
            span: self.span(from),
        })
    }

    fn command_kind(&mut self) -> Parsed<Option<Kind>> {
        if self.peek() == Some(b'(') {
            if self.at(1) == Some(b'(') {
                let save = (self.pos, self.depth);
                self.pos += 2;
                match self.own_heredocs(Self::arith) {
                    Ok(w) => return Ok(Some(Kind::Arith(w))),
                    Err(ParseError::OutOfFuel) => return Err(ParseError::OutOfFuel),
                    Err(_) => (self.pos, self.depth) = save,
                }
            }
            self.pos += 1;
            let list = self.list()?;
            self.close_paren("(")?;
            return Ok(Some(Kind::Subshell(list)));
        }
        let Some(word) = self.reserved() else {
            return self.function_short();
        };
        let n = word.len();
        let kind = match word {
            "{" => {
                self.pos += n;
                let list = self.list()?;
                self.expect("}")?;
                Kind::Group(list)
            }
            "if" => {
                self.pos += n;
                self.if_clause()?
            }
            "while" | "until" => {
                self.pos += n;
                let cond = self.list()?;
                self.expect("do")?;
                let body = self.list()?;
                self.expect("done")?;
                Kind::While(cond, body)
            }
            "for" | "select" => {
                self.pos += n;
                self.for_clause()?
            }
            "case" => {
                self.pos += n;
                self.case_clause()?
            }
            "function" => {
                self.pos += n;
                self.blanks()?;
                let name = self.name_word()?;
                self.blanks()?;
                if self.peek() == Some(b'(') && self.at(1) == Some(b')') {
                    self.pos += 2;
                }
                self.newlines()?;
                let body = Rc::new(self.command()?);
                Kind::Function { name, body }
            }
            "[[" => {
                self.pos += n;
                self.cond()?
            }
            "coproc" => {
                self.pos += n;
                self.blanks()?;
                // `coproc NAME {`: the name is only a name before a compound command.
                let save = self.pos;
                if self.word_opt()?.is_some() {
                    self.blanks()?;
                    if !matches!(
                        self.reserved(),
                        Some("{" | "while" | "for" | "if" | "until" | "case")
                    ) && self.peek() != Some(b'(')
                    {
                        self.pos = save;
                    }
                }
                Kind::Coproc(Box::new(self.command()?))
            }
            _ => return self.function_short(),
        };
        Ok(Some(kind))
    }

    /// Parses `name() …`.
    fn function_short(&mut self) -> Parsed<Option<Kind>> {
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let n = rest
            .iter()
            .take(64)
            .position(|c| {
                !(c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.' | b':' | b'@' | b'+'))
            })
            .unwrap_or(0);
        if n == 0 {
            return Ok(None);
        }
        let mut k = n;
        while matches!(rest.get(k), Some(b' ' | b'\t')) {
            k += 1;
        }
        if rest.get(k) != Some(&b'(') {
            return Ok(None);
        }
        k += 1;
        while matches!(rest.get(k), Some(b' ' | b'\t')) {
            k += 1;
        }
        if rest.get(k) != Some(&b')') {
            return Ok(None);
        }
        let name = self
            .text
            .get(self.pos..self.pos + n)
            .unwrap_or_default()
            .to_owned();
        self.pos += k + 1;
        self.newlines()?;
        let body = Rc::new(self.command()?);
        Ok(Some(Kind::Function { name, body }))
    }

    fn if_clause(&mut self) -> Parsed<Kind> {
        let mut lists = vec![self.list()?];
        self.expect("then")?;
        lists.push(self.list()?);
        loop {
            self.newlines()?;
            match self.reserved() {
                Some("elif") => {
                    self.pos += 4;
                    lists.push(self.list()?);
                    self.expect("then")?;
                    lists.push(self.list()?);
                }
                Some("else") => {
                    self.pos += 4;
                    lists.push(self.list()?);
                }
                Some("fi") => {
                    self.pos += 2;
                    return Ok(Kind::If(lists));
                }
                _ => return Err(ParseError::Unclosed("if")),
            }
            self.burn(4)?;
        }
    }

    fn for_clause(&mut self) -> Parsed<Kind> {
        self.blanks()?;
        if self.starts("((") {
            self.pos += 2;
            let head = self.arith()?;
            self.newlines()?;
            if self.peek() == Some(b';') {
                self.pos += 1;
            }
            let body = self.do_group()?;
            return Ok(Kind::ForArith(head, body));
        }
        let var = self.name_word()?;
        self.newlines()?;
        let mut words = None;
        if self.reserved() == Some("in") {
            self.pos += 2;
            let mut list = Vec::new();
            loop {
                self.blanks()?;
                match self.word_opt()? {
                    Some(w) => list.push(w),
                    None => break,
                }
            }
            words = Some(list);
        }
        self.blanks()?;
        if self.peek() == Some(b';') {
            self.pos += 1;
        }
        let body = self.do_group()?;
        Ok(Kind::For { var, words, body })
    }

    fn do_group(&mut self) -> Parsed<List> {
        self.newlines()?;
        if self.reserved() == Some("{") {
            self.pos += 1;
            let body = self.list()?;
            self.expect("}")?;
            return Ok(body);
        }
        self.expect("do")?;
        let body = self.list()?;
        self.expect("done")?;
        Ok(body)
    }

    fn case_clause(&mut self) -> Parsed<Kind> {
        self.blanks()?;
        let word = self
            .word_opt()?
            .ok_or(ParseError::Unexpected("end of `case`"))?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            if self.reserved() == Some("esac") {
                self.pos += 4;
                return Ok(Kind::Case { word, arms });
            }
            if self.peek() == Some(b'(') {
                self.pos += 1;
            }
            let mut pats = Vec::new();
            loop {
                self.newlines()?;
                match self.peek() {
                    None => return Err(ParseError::Unclosed("case")),
                    Some(b')') => {
                        self.pos += 1;
                        break;
                    }
                    Some(b'|') => self.pos += 1,
                    _ => match self.word_opt()? {
                        Some(w) => pats.push(w),
                        None => return Err(ParseError::Unexpected("token in a pattern")),
                    },
                }
                self.burn(2)?;
            }
            let body = self.list()?;
            arms.push((pats, body));
            if self.peek() == Some(b';') {
                self.pos += 1;
                while matches!(self.peek(), Some(b';' | b'&')) {
                    self.pos += 1;
                }
            }
            self.burn(4)?;
        }
    }

    fn cond(&mut self) -> Parsed<Kind> {
        let mut words = Vec::new();
        loop {
            self.newlines()?;
            if self.starts("]]") {
                self.pos += 2;
                return Ok(Kind::Cond(words));
            }
            match self.peek() {
                None => return Err(ParseError::Unclosed("[[")),
                Some(b'(' | b')' | b'|' | b'&' | b';') => self.pos += 1,
                Some(b'<' | b'>') if self.at(1) != Some(b'(') => self.pos += 1,
                _ => match self.word_opt()? {
                    Some(w) => words.push(w),
                    None => self.pos += 1,
                },
            }
            self.burn(2)?;
        }
    }

    pub(super) fn close_paren(&mut self, what: &'static str) -> Parsed<()> {
        self.newlines()?;
        if self.peek() == Some(b')') {
            self.pos += 1;
            Ok(())
        } else {
            Err(ParseError::Unclosed(what))
        }
    }

    fn name_word(&mut self) -> Parsed<String> {
        let w = self
            .word_opt()?
            .ok_or(ParseError::Unexpected("end of line"))?;
        // bash takes neither quotes nor expansions here.
        let name = w
            .plain()
            .ok_or(ParseError::Refused("a name that is an expansion"))?;
        Ok(name.to_owned())
    }

    fn simple(&mut self, redirs: &mut Vec<Redir>) -> Parsed<Kind> {
        let mut assigns = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut declares = false;
        loop {
            self.blanks()?;
            self.burn(2)?;
            if self.redirect(redirs)? {
                continue;
            }
            if (words.is_empty() || declares)
                && let Some(mut a) = self.assignment()?
            {
                a.declared = declares;
                assigns.push(a);
                continue;
            }
            match self.word_opt()? {
                Some(w) => {
                    if words.is_empty() {
                        declares = matches!(
                            w.plain(),
                            Some("export" | "declare" | "typeset" | "local" | "readonly")
                        );
                    }
                    words.push(w);
                }
                None => break,
            }
        }
        if assigns.is_empty() && words.is_empty() && redirs.is_empty() {
            return Err(ParseError::Unexpected("token"));
        }
        Ok(Kind::Simple { assigns, words })
    }

    /// Parses `name=`, `name+=` or `name[…]=` at the position.
    fn assignment(&mut self) -> Parsed<Option<Assign>> {
        let from = self.pos;
        let rest = self.src.get(self.pos..).unwrap_or_default();
        if !rest
            .first()
            .is_some_and(|c| c.is_ascii_alphabetic() || *c == b'_')
        {
            return Ok(None);
        }
        let n = rest
            .iter()
            .position(|c| !(c.is_ascii_alphanumeric() || *c == b'_'))
            .unwrap_or(rest.len());
        self.burn(n / 8)?;
        let mut k = n;
        let mut index = None;
        if rest.get(k) == Some(&b'[') {
            let mut depth = 0usize;
            let close = rest
                .iter()
                .enumerate()
                .skip(k)
                .take(512)
                .find_map(|(i, c)| {
                    match c {
                        b'[' => depth += 1,
                        b']' => {
                            depth = depth.saturating_sub(1);
                            if depth == 0 {
                                return Some(i);
                            }
                        }
                        _ => {}
                    }
                    None
                });
            let Some(close) = close else { return Ok(None) };
            if !matches!(
                (rest.get(close + 1), rest.get(close + 2)),
                (Some(b'='), _) | (Some(b'+'), Some(b'='))
            ) {
                return Ok(None);
            }
            let body = self
                .text
                .get(from + k + 1..from + close)
                .unwrap_or_default();
            let span = self.base.span(from + k + 1, from + close);
            index = Some(self.sub_word(body, from + k + 1, span)?);
            k = close + 1;
        }
        let append = rest.get(k) == Some(&b'+') && rest.get(k + 1) == Some(&b'=');
        if append {
            k += 1;
        }
        if rest.get(k) != Some(&b'=') {
            return Ok(None);
        }
        let name = self.text.get(from..from + n).unwrap_or_default().to_owned();
        self.pos = from + k + 1;
        let value = if self.peek() == Some(b'(') {
            self.pos += 1;
            let mut list = Vec::new();
            loop {
                self.newlines()?;
                match self.peek() {
                    None => return Err(ParseError::Unclosed("array")),
                    Some(b')') => {
                        self.pos += 1;
                        break;
                    }
                    _ => match self.word_opt()? {
                        Some(w) => list.push(w),
                        None => return Err(ParseError::Unexpected("token in an array")),
                    },
                }
                self.burn(2)?;
            }
            AssignValue::Array(list)
        } else {
            AssignValue::Word(self.word_opt()?.unwrap_or_default())
        };
        Ok(Some(Assign {
            name,
            append,
            index,
            value,
            declared: false,
            span: self.span(from),
        }))
    }
}
