//! Words: quoting, parameters, substitutions.

use super::ast::{List, Param, ParamOp, Part, Word};
use super::parse::{Base, ParseError, Parsed, Parser};
use crate::chars::{SAFE_UNKNOWN, UNKNOWN};
use std::rc::Rc;

/// Returns the literal text of a word, without quotes and without parts that aren't literal.
pub(crate) fn literal(w: &Word) -> String {
    let mut s = String::new();
    for p in &w.parts {
        if let Part::Lit(t) | Part::Quoted(t) | Part::Ansi(t, _) = p {
            s.push_str(t);
        }
    }
    s
}

fn push_lit(parts: &mut Vec<Part>, text: &str) {
    if text.is_empty() {
        return;
    }
    if let Some(Part::Lit(s)) = parts.last_mut() {
        s.push_str(text);
    } else {
        parts.push(Part::Lit(text.to_owned()));
    }
}

fn push_quoted(parts: &mut Vec<Part>, text: &str) {
    if let Some(Part::Quoted(s)) = parts.last_mut() {
        s.push_str(text);
    } else {
        parts.push(Part::Quoted(text.to_owned()));
    }
}

/// Returns whether zsh reads the inside of a pattern's group as qualifiers that run code: `e:code:`
/// with any delimiter, or `+function`.
fn runs_code(inside: &str) -> bool {
    const QUALIFIERS: &str = "/F.@=p*%rwxAIERWXsStfdlUGugamcLNDnYoO^-MT0123456789:+";
    let mut rest = inside;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let mut next = after.chars();
        let delimiter = next.next();
        match (c, delimiter) {
            ('e', Some(open)) if !open.is_ascii_alphanumeric() && !"|)".contains(open) => {
                let close = match open {
                    '{' => '}',
                    '[' => ']',
                    '<' => '>',
                    '\'' | '"' | '\\' => return true,
                    other => other,
                };
                let code = next.as_str().split(')').next().unwrap_or_default();
                return code.contains(close) || code.contains(['\'', '"', '\\', '$', '`', ' ']);
            }
            // An expansion may be a qualifier.
            ('$' | '`', _) | ('"', Some('$' | '`')) => return true,
            ('+', Some(name)) if name.is_ascii_alphabetic() || name == '_' => return true,
            ('e', _) => {}
            _ if QUALIFIERS.contains(c) => {}
            _ => return false,
        }
        rest = after;
    }
    false
}

impl Parser<'_> {
    fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// Parses a word; `None` at a blank, an operator or the end.
    pub(super) fn word_opt(&mut self) -> Parsed<Option<Word>> {
        let from = self.pos;
        let mut parts = Vec::new();
        loop {
            let start = self.pos;
            // Fast path: a run of plain bytes.
            while let Some(c) = self.peek() {
                if matches!(
                    c,
                    b' ' | b'\t'
                        | b'\n'
                        | b';'
                        | b'&'
                        | b'|'
                        | b'<'
                        | b'>'
                        | b'('
                        | b')'
                        | b'\''
                        | b'"'
                        | b'`'
                        | b'$'
                        | b'\\'
                        | UNKNOWN_BYTE
                        | SAFE_UNKNOWN_BYTE
                ) {
                    break;
                }
                self.pos += 1;
            }
            if self.pos > start {
                self.burn((self.pos - start) / 16 + 1)?;
                let (a, b) = (start, self.pos);
                let t = self.text.get(a..b).unwrap_or_default();
                push_lit(&mut parts, t);
            }
            let Some(c) = self.peek() else { break };
            self.burn(1)?;
            match c {
                b'\\' => {
                    if self.at(1) == Some(b'\n') {
                        self.pos += 2;
                        continue;
                    }
                    let n = self.char_len(1);
                    let (a, b) = (self.pos + 1, self.pos + 1 + n);
                    let t = self.text.get(a..b).unwrap_or_default();
                    // A backslash at the very end is literal.
                    push_quoted(&mut parts, if t.is_empty() { "\\" } else { t });
                    self.pos = b.min(self.src.len());
                }
                b'\'' => {
                    let rest = self.src.get(self.pos + 1..).unwrap_or_default();
                    let n = memchr::memchr(b'\'', rest).ok_or(ParseError::Unclosed("a quote"))?;
                    self.burn(n / 16)?;
                    let t = self
                        .text
                        .get(self.pos + 1..self.pos + 1 + n)
                        .unwrap_or_default();
                    push_with_unknowns(&mut parts, t);
                    self.pos += n + 2;
                }
                b'"' => {
                    self.pos += 1;
                    self.enter()?;
                    let inner = self.double_quoted(Some(b'"'))?;
                    self.leave();
                    if inner.is_empty() {
                        push_quoted(&mut parts, "");
                    }
                    parts.extend(inner);
                }
                b'`' => parts.push(self.backtick(false)?),
                b'$' => self.dollar(&mut parts, false)?,
                b'<' | b'>' if self.at(1) == Some(b'(') => {
                    let at = self.pos;
                    self.pos += 2;
                    let list = self.substituted("process substitution")?;
                    parts.push(Part::Proc(Rc::new(list), c == b'>', self.span(at)));
                }
                b'(' => {
                    // An extended glob: `@(a|b)`.
                    let extends = |s: &str| s.ends_with(['@', '?', '*', '+', '!']);
                    let glob = matches!(parts.last(), Some(Part::Lit(s)) if extends(s));
                    if !glob {
                        break;
                    }
                    if let Some(Part::Lit(s)) = parts.last_mut() {
                        s.pop();
                        s.push('*');
                    }
                    self.pos += 1;
                    if self.text.get(self.pos..).is_some_and(runs_code) {
                        return Err(ParseError::Refused("a pattern that zsh runs as code"));
                    }
                    self.enter()?;
                    self.glob_group(&mut parts)?;
                    self.leave();
                }
                UNKNOWN_BYTE | SAFE_UNKNOWN_BYTE => {
                    self.pos += 1;
                    parts.push(Part::Unknown);
                }
                _ => break,
            }
        }
        if parts.is_empty() && self.pos == from {
            return Ok(None);
        }
        Ok(Some(Word {
            parts,
            span: self.span(from),
        }))
    }

    /// Skips the inside of an extended glob, but keeps the substitutions in it.
    fn glob_group(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        loop {
            self.burn(2)?;
            match self.peek() {
                None => return Err(ParseError::Unclosed("a pattern")),
                Some(b')') => {
                    self.pos += 1;
                    return Ok(());
                }
                Some(b'|' | b' ' | b'\t' | b'\n' | b';' | b'&') => self.pos += 1,
                Some(b'<' | b'>') if self.at(1) != Some(b'(') => self.pos += 1,
                Some(b'(') => {
                    self.pos += 1;
                    self.enter()?;
                    self.glob_group(parts)?;
                    self.leave();
                }
                _ => {
                    if let Some(w) = self.word_opt()? {
                        parts.extend(
                            w.parts
                                .into_iter()
                                .filter(|p| matches!(p, Part::Cmd(..) | Part::Proc(..))),
                        );
                    } else {
                        self.pos += 1;
                    }
                }
            }
        }
    }

    /// Returns the length of the character at offset `off`.
    fn char_len(&self, off: usize) -> usize {
        match self.at(off) {
            None => 0,
            Some(c) if c < 0x80 => 1,
            Some(c) if c >= 0xf0 => 4,
            Some(c) if c >= 0xe0 => 3,
            Some(_) => 2,
        }
    }

    /// Parses text between double quotes (or of a here-document) up to `stop`, which is consumed.
    pub(crate) fn double_quoted(&mut self, stop: Option<u8>) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        loop {
            let start = self.pos;
            while let Some(c) = self.peek() {
                if matches!(
                    c,
                    b'"' | b'$' | b'`' | b'\\' | UNKNOWN_BYTE | SAFE_UNKNOWN_BYTE
                ) {
                    break;
                }
                self.pos += 1;
            }
            if self.pos > start {
                self.burn((self.pos - start) / 16 + 1)?;
                let t = self.slice(start, self.pos).to_owned();
                push_quoted(&mut parts, &t);
            }
            let Some(c) = self.peek() else {
                return if stop.is_none() {
                    Ok(parts)
                } else {
                    Err(ParseError::Unclosed("a quote"))
                };
            };
            self.burn(1)?;
            match c {
                b'"' if stop == Some(b'"') => {
                    self.pos += 1;
                    return Ok(parts);
                }
                b'"' => {
                    self.pos += 1;
                    push_quoted(&mut parts, "\"");
                }
                b'\\' => match self.at(1) {
                    Some(b'\n') => self.pos += 2,
                    Some(e @ (b'$' | b'`' | b'"' | b'\\')) => {
                        self.pos += 2;
                        push_quoted(&mut parts, ascii(e));
                    }
                    _ => {
                        self.pos += 1;
                        push_quoted(&mut parts, "\\");
                    }
                },
                b'`' => parts.push(self.backtick(true)?),
                b'$' => self.dollar(&mut parts, true)?,
                _ => {
                    self.pos += 1;
                    parts.push(Part::Unknown);
                }
            }
        }
    }

    fn backtick(&mut self, quoted: bool) -> Parsed<Part> {
        let from = self.pos;
        let mut k = self.pos + 1;
        let mut escaped = false;
        loop {
            match self.src.get(k) {
                None => return Err(ParseError::Unclosed("a backtick")),
                Some(b'`') => break,
                Some(b'\\') => {
                    escaped = true;
                    k += 2;
                }
                Some(_) => k += 1,
            }
        }
        self.burn((k - from) / 8 + 1)?;
        let body = self.slice(from + 1, k).to_owned();
        self.pos = k + 1;
        let span = self.span(from);
        let (text, base) = if escaped {
            let mut out = String::with_capacity(body.len());
            let mut it = body.chars().peekable();
            while let Some(c) = it.next() {
                if c == '\\' && matches!(it.peek(), Some('`' | '\\' | '$')) {
                    if let Some(n) = it.next() {
                        out.push(n);
                    }
                } else if c == '\\' && quoted && it.peek() == Some(&'"') {
                } else {
                    out.push(c);
                }
            }
            (out, Base::Fixed(span))
        } else {
            let base = match self.base {
                Base::Offset(o) => Base::Offset(o.saturating_add(from + 1)),
                fixed @ Base::Fixed(_) => fixed,
            };
            (body, base)
        };
        let mut fuel = self.fuel;
        let r = super::parse::parse(&text, base, self.depth.saturating_add(1), &mut fuel);
        self.fuel = fuel;
        Ok(Part::Cmd(Rc::new(r?), quoted, span))
    }

    fn dollar(&mut self, parts: &mut Vec<Part>, quoted: bool) -> Parsed<()> {
        let from = self.pos;
        match self.at(1) {
            Some(b'(') => {
                if self.at(2) == Some(b'(') {
                    let depth = self.depth;
                    self.pos += 3;
                    match self.own_heredocs(Self::arith) {
                        Ok(w) => {
                            parts.push(Part::Arith(Rc::new(w)));
                            return Ok(());
                        }
                        Err(ParseError::OutOfFuel) => return Err(ParseError::OutOfFuel),
                        Err(_) => (self.pos, self.depth) = (from, depth),
                    }
                }
                self.pos = from + 2;
                let list = self.substituted("$(")?;
                parts.push(Part::Cmd(Rc::new(list), quoted, self.span(from)));
            }
            Some(b'[') => {
                // The old syntax of arithmetic expansion.
                self.pos += 2;
                let at = self.pos;
                let mut inner = Vec::new();
                self.enter()?;
                self.until(b']', &mut inner)?;
                self.leave();
                parts.push(Part::Arith(Rc::new(Word {
                    parts: inner,
                    span: self.span(at),
                })));
            }
            Some(b'{') => {
                self.pos += 2;
                self.enter()?;
                let p = self.braced()?;
                self.leave();
                parts.push(Part::Param(Box::new(p), quoted));
            }
            Some(b'\'') if !quoted => {
                let (text, hidden) = self.ansi()?;
                parts.push(Part::Ansi(text, hidden));
            }
            Some(b'"') if !quoted => self.pos += 1,
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => {
                let rest = self.src.get(self.pos + 1..).unwrap_or_default();
                let n = rest
                    .iter()
                    .position(|c| !(c.is_ascii_alphanumeric() || *c == b'_'))
                    .unwrap_or(rest.len());
                let name = self.slice(from + 1, from + 1 + n).to_owned();
                self.pos += 1 + n;
                parts.push(Part::Param(
                    Box::new(Param {
                        name,
                        ..Param::default()
                    }),
                    quoted,
                ));
            }
            Some(c)
                if c.is_ascii_digit()
                    || matches!(c, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') =>
            {
                self.pos += 2;
                let name = ascii(c).to_owned();
                parts.push(Part::Param(
                    Box::new(Param {
                        name,
                        ..Param::default()
                    }),
                    quoted,
                ));
            }
            _ => {
                self.pos += 1;
                if quoted {
                    push_quoted(parts, "$");
                } else {
                    push_lit(parts, "$");
                }
            }
        }
        Ok(())
    }

    /// Parses the commands of a substitution, up to and including the closing bracket.
    fn substituted(&mut self, what: &'static str) -> Parsed<List> {
        self.own_heredocs(|parser| {
            let list = parser.list()?;
            parser.close_paren(what)?;
            Ok(list)
        })
    }

    /// Parses `$'…'`.
    fn ansi(&mut self) -> Parsed<(String, bool)> {
        self.pos += 2;
        let start = self.pos;
        let mut k = self.pos;
        loop {
            match self.src.get(k) {
                None => return Err(ParseError::Unclosed("a quote")),
                Some(b'\'') => break,
                Some(b'\\') => k += 2,
                Some(_) => k += 1,
            }
        }
        self.burn((k - start) / 8 + 1)?;
        let body = self.slice(start, k).to_owned();
        self.pos = k + 1;
        Ok(super::escapes::ansi_c(&body))
    }

    /// Parses a parameter after `${`, up to and including `}`.
    fn braced(&mut self) -> Parsed<Param> {
        let mut p = Param::default();
        if self.peek() == Some(b'!') && self.at(1) != Some(b'}') {
            p.indirect = true;
            self.pos += 1;
        } else if self.peek() == Some(b'#')
            && !matches!(self.at(1), Some(b'}' | b':' | b'-' | b'%'))
        {
            p.length = true;
            self.pos += 1;
        }
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let mut n = rest
            .iter()
            .position(|c| !(c.is_ascii_alphanumeric() || *c == b'_'))
            .unwrap_or(rest.len());
        if n == 0
            && matches!(
                rest.first(),
                Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
            )
        {
            n = 1;
        }
        if n == 0 {
            return Err(ParseError::Unexpected("parameter expansion"));
        }
        self.burn(n / 8 + 1)?;
        self.slice(self.pos, self.pos + n).clone_into(&mut p.name);
        self.pos += n;
        if self.peek() == Some(b'[') {
            self.pos += 1;
            let at = self.pos;
            let mut inner = Vec::new();
            self.until(b']', &mut inner)?;
            p.index = Some(Word {
                parts: inner,
                span: self.span(at),
            });
        }
        let (op, skip) = match (self.peek(), self.at(1)) {
            (Some(b'}'), _) => {
                self.pos += 1;
                return Ok(p);
            }
            (Some(b':'), Some(b'-')) => (ParamOp::Default, 2),
            (Some(b':'), Some(b'=')) => (ParamOp::Assign, 2),
            (Some(b':'), Some(b'+')) => (ParamOp::Alternative, 2),
            (Some(b':'), Some(b'?')) => (ParamOp::Error, 2),
            (Some(b':'), _) => (ParamOp::Substring, 1),
            (Some(b'-'), _) => (ParamOp::Default, 1),
            (Some(b'='), _) => (ParamOp::Assign, 1),
            (Some(b'+'), _) => (ParamOp::Alternative, 1),
            (Some(b'?'), _) => (ParamOp::Error, 1),
            (Some(b'#'), Some(b'#')) => (ParamOp::TrimStart(true), 2),
            (Some(b'#'), _) => (ParamOp::TrimStart(false), 1),
            (Some(b'%'), Some(b'%')) => (ParamOp::TrimEnd(true), 2),
            (Some(b'%'), _) => (ParamOp::TrimEnd(false), 1),
            (Some(b'/'), Some(b'/')) => (ParamOp::Replace(true), 2),
            (Some(b'/'), _) => (ParamOp::Replace(false), 1),
            (Some(b'^'), Some(b'^')) => (ParamOp::Case(true, true), 2),
            (Some(b'^'), _) => (ParamOp::Case(true, false), 1),
            (Some(b','), Some(b',')) => (ParamOp::Case(false, true), 2),
            (Some(b','), _) => (ParamOp::Case(false, false), 1),
            (Some(b'@' | b'*'), _) => (ParamOp::Transform, 1),
            _ => return Err(ParseError::Unexpected("parameter expansion")),
        };
        self.pos += skip;
        p.op = op;
        let sep = match op {
            ParamOp::Replace(_) => Some(b'/'),
            ParamOp::Substring => Some(b':'),
            _ => None,
        };
        let mut at = self.pos;
        let mut inner = Vec::new();
        loop {
            match self.peek() {
                None => return Err(ParseError::Unclosed("${")),
                Some(b'}') => {
                    p.args.push(Word {
                        parts: inner,
                        span: self.span(at),
                    });
                    self.pos += 1;
                    return Ok(p);
                }
                Some(c) if Some(c) == sep && p.args.is_empty() => {
                    p.args.push(Word {
                        parts: std::mem::take(&mut inner),
                        span: self.span(at),
                    });
                    self.pos += 1;
                    at = self.pos;
                }
                _ => self.one(&mut inner, b'}', sep)?,
            }
        }
    }

    /// Parses parts up to `close`, which is consumed. Brackets of the same kind nest.
    fn until(&mut self, close: u8, out: &mut Vec<Part>) -> Parsed<()> {
        let open = match close {
            b']' => b'[',
            b')' => b'(',
            _ => b'{',
        };
        let mut depth = 0usize;
        loop {
            match self.peek() {
                None => return Err(ParseError::Unclosed("a bracket")),
                Some(c) if c == close => {
                    self.pos += 1;
                    if depth == 0 {
                        return Ok(());
                    }
                    depth -= 1;
                    push_lit(out, ascii(c));
                }
                Some(c) if c == open => {
                    self.pos += 1;
                    depth += 1;
                    push_lit(out, ascii(c));
                }
                _ => self.one(out, close, Some(open))?,
            }
            self.burn(1)?;
        }
    }

    /// Parses one piece inside braces, brackets or arithmetic.
    fn one(&mut self, out: &mut Vec<Part>, stop: u8, stop2: Option<u8>) -> Parsed<()> {
        self.burn(1)?;
        match self.peek() {
            None => {}
            Some(b'\'') => {
                let rest = self.src.get(self.pos + 1..).unwrap_or_default();
                match memchr::memchr(b'\'', rest) {
                    // In arithmetic and double quotes an apostrophe is plain text.
                    None => {
                        self.pos += 1;
                        push_lit(out, "'");
                    }
                    Some(n) => {
                        self.burn(n / 16)?;
                        let t = self.slice(self.pos + 1, self.pos + 1 + n).to_owned();
                        push_with_unknowns(out, &t);
                        self.pos += n + 2;
                    }
                }
            }
            Some(b'"') => {
                self.pos += 1;
                self.enter()?;
                let inner = self.double_quoted(Some(b'"'))?;
                self.leave();
                if inner.is_empty() {
                    push_quoted(out, "");
                }
                out.extend(inner);
            }
            Some(b'`') => {
                let p = self.backtick(false)?;
                out.push(p);
            }
            Some(b'$') => self.dollar(out, false)?,
            Some(b'\\') => {
                let n = self.char_len(1);
                let t = self.slice(self.pos + 1, self.pos + 1 + n).to_owned();
                push_quoted(out, if t.is_empty() { "\\" } else { &t });
                self.pos = (self.pos + 1 + n).min(self.src.len());
            }
            Some(c @ (b'<' | b'>')) if self.at(1) == Some(b'(') => {
                let at = self.pos;
                self.pos += 2;
                let list = self.substituted("process substitution")?;
                out.push(Part::Proc(Rc::new(list), c == b'>', self.span(at)));
            }
            Some(UNKNOWN_BYTE | SAFE_UNKNOWN_BYTE) => {
                self.pos += 1;
                out.push(Part::Unknown);
            }
            Some(_) => {
                let start = self.pos;
                self.pos += self.char_len(0).max(1);
                while let Some(c) = self.peek() {
                    if c == stop
                        || Some(c) == stop2
                        || matches!(
                            c,
                            b'\''
                                | b'"'
                                | b'`'
                                | b'$'
                                | b'\\'
                                | b'<'
                                | b'>'
                                | b'('
                                | b')'
                                | UNKNOWN_BYTE
                                | SAFE_UNKNOWN_BYTE
                        )
                    {
                        break;
                    }
                    self.pos += 1;
                }
                self.burn((self.pos - start) / 16)?;
                let t = self.slice(start, self.pos).to_owned();
                push_lit(out, &t);
            }
        }
        Ok(())
    }

    /// Parses arithmetic after `((`, up to and including `))`.
    pub(super) fn arith(&mut self) -> Parsed<Word> {
        let at = self.pos;
        self.enter()?;
        let mut parts = Vec::new();
        let mut depth = 0usize;
        let r = loop {
            match self.peek() {
                None => break Err(ParseError::Unclosed("((")),
                Some(b')') => {
                    self.pos += 1;
                    if depth == 0 {
                        if self.peek() == Some(b')') {
                            let span = self.span(at);
                            self.pos += 1;
                            break Ok(Word { parts, span });
                        }
                        break Err(ParseError::Unclosed("(("));
                    }
                    depth -= 1;
                    push_lit(&mut parts, ")");
                }
                Some(b'(') => {
                    self.pos += 1;
                    depth += 1;
                    push_lit(&mut parts, "(");
                }
                _ => {
                    if let Err(e) = self.one(&mut parts, b')', Some(b'(')) {
                        break Err(e);
                    }
                }
            }
            if let Err(e) = self.burn(1) {
                break Err(e);
            }
        };
        self.leave();
        r
    }
}

const UNKNOWN_BYTE: u8 = UNKNOWN as u8;
const SAFE_UNKNOWN_BYTE: u8 = SAFE_UNKNOWN as u8;

/// Adds single-quoted text, which can contain unknown parts if the line was computed.
fn push_with_unknowns(parts: &mut Vec<Part>, text: &str) {
    if !text.contains([UNKNOWN, SAFE_UNKNOWN]) {
        push_quoted(parts, text);
        return;
    }
    for (i, piece) in text.split([UNKNOWN, SAFE_UNKNOWN]).enumerate() {
        if i > 0 {
            parts.push(Part::Unknown);
        }
        push_quoted(parts, piece);
    }
}

/// Returns one ASCII byte as text.
pub(super) fn ascii(c: u8) -> &'static str {
    const TABLE: &str = concat!(
        " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`",
        "abcdefghijklmnopqrstuvwxyz{|}~"
    );
    let i = usize::from(c).saturating_sub(32);
    TABLE.get(i..i + 1).unwrap_or("")
}
