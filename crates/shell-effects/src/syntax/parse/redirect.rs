//! The syntax of redirections.

use super::{ParseError, Parsed, Parser};
use crate::syntax::ast::{Redir, RedirOp, Word};

impl Parser<'_> {
    /// Parses one redirection if there is one.
    pub(super) fn redirect(&mut self, out: &mut Vec<Redir>) -> Parsed<bool> {
        let from = self.pos;
        let mut k = 0;
        match self.peek() {
            Some(b'<' | b'>' | b'&') => {}
            Some(b'0'..=b'9') => {
                while self.at(k).is_some_and(|c| c.is_ascii_digit()) && k < 5 {
                    k += 1;
                }
            }
            Some(b'{') => {
                // `{fd}>file`
                k = 1;
                while self.at(k).is_some_and(is_of_name) && k < 40 {
                    k += 1;
                }
                let begins = self
                    .at(1)
                    .is_some_and(|c| is_of_name(c) && !c.is_ascii_digit());
                if begins && self.at(k) == Some(b'[') && self.sets_element(from + k)? {
                    return Err(ParseError::Refused("a redirection that sets an element"));
                }
                if self.at(k) != Some(b'}') || !begins {
                    return Ok(false);
                }
                k += 1;
            }
            _ => return Ok(false),
        }
        let left = self.text.get(from..from + k).unwrap_or_default();
        let fd = left.parse().ok();
        let variable = left
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        let variable = variable.map(str::to_owned);
        let (op, n) = match (self.at(k), self.at(k + 1), self.at(k + 2)) {
            (Some(b'<'), Some(b'<'), Some(b'<')) => (RedirOp::HereString, 3),
            (Some(b'<'), Some(b'<'), Some(b'-')) => (RedirOp::HereDoc, 3),
            (Some(b'<'), Some(b'<'), _) => (RedirOp::HereDoc, 2),
            (Some(b'<'), Some(b'>'), _) => (RedirOp::ReadWrite, 2),
            (Some(b'<' | b'>'), Some(b'('), _) => return Ok(false),
            (Some(b'<'), Some(b'&'), _) => (RedirOp::Dup, 2),
            (Some(b'<'), ..) => (RedirOp::Read, 1),
            (Some(b'>'), Some(b'>'), _) => (RedirOp::Append, 2),
            (Some(b'>'), Some(b'&'), _) => (RedirOp::Dup, 2),
            (Some(b'>'), Some(b'|'), _) => (RedirOp::Write, 2),
            (Some(b'>'), ..) => (RedirOp::Write, 1),
            (Some(b'&'), Some(b'>'), Some(b'>')) if k == 0 => (RedirOp::Append, 3),
            (Some(b'&'), Some(b'>'), _) if k == 0 => (RedirOp::Write, 2),
            _ => return Ok(false),
        };
        let strip = op == RedirOp::HereDoc && n == 3;
        self.pos = from + k + n;
        self.blanks()?;
        if op == RedirOp::HereDoc {
            let mut redir = self.heredoc(from, fd, strip)?;
            redir.variable = variable;
            out.push(redir);
            return Ok(true);
        }
        let target = self
            .word_opt()?
            .ok_or(ParseError::Unexpected("end of a redirection"))?;
        // `>&file` writes a file; `>&2` and `>&-` copy or close descriptors.
        let op = if op == RedirOp::Dup && self.at_dup_file(&target, from + k) {
            RedirOp::Write
        } else {
            op
        };
        out.push(Redir {
            op,
            fd,
            variable,
            target,
            body: None,
            span: self.span(from),
        });
        Ok(true)
    }

    /// Whether a subscript may end in front of a redirection: `{fds[i]}>file`.
    fn sets_element(&mut self, at: usize) -> Parsed<bool> {
        // Its quotes may hold the end of a line.
        let rest = self.src.get(at..).unwrap_or_default();
        let mut ends = memchr::memmem::find_iter(rest, b"]}");
        let found = ends.any(|end| matches!(rest.get(end + 2), Some(b'<' | b'>')));
        self.burn(rest.len() / 16 + 1)?;
        Ok(found)
    }

    fn at_dup_file(&self, target: &Word, at: usize) -> bool {
        if self.src.get(at) != Some(&b'>') {
            return false;
        }
        !target.plain().is_some_and(|t| {
            let t = t.strip_suffix('-').unwrap_or(t);
            t.bytes().all(|c| c.is_ascii_digit())
        })
    }
}

const fn is_of_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}
