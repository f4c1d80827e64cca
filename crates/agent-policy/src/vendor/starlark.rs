//! The part of Starlark that rules of Codex are written in: calls with named arguments, which are
//! texts and lists.

use super::json::Places;
use crate::yaml::{Node, Position, Problem, Value};

/// Maximum depth of lists.
const MAX_DEPTH: usize = 16;

/// A call of a function.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) at: Position,
    pub(super) name: String,
    pub(super) arguments: Vec<(String, Position, Node)>,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    places: Places,
}

/// Reads the calls of a file.
pub(super) fn parse(text: &str) -> Result<Vec<Call>, Problem> {
    let mut reader = Reader {
        text: text.strip_prefix('\u{feff}').unwrap_or(text),
        at: 0,
        places: Places::new(0, text),
    };
    let mut calls = Vec::new();
    loop {
        reader.space(true);
        while reader.take(";") {
            reader.space(true);
        }
        if reader.rest().is_empty() {
            return Ok(calls);
        }
        calls.push(reader.call()?);
        reader.space(false);
        let rest = reader.rest();
        if !rest.is_empty() && !rest.starts_with(['\n', '\r', ';']) {
            return Err(reader.unknown("a call ends its line"));
        }
    }
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn place(&self) -> Position {
        self.places.at(self.at)
    }

    const fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn unknown(&self, message: &str) -> Problem {
        let help = "rules are calls with named arguments, which are texts and lists: \
                    `prefix_rule(pattern = [\"git\", \"push\"], decision = \"prompt\")`";
        Problem {
            at: self.place(),
            message: message.to_owned(),
            help: Some(help.to_owned()),
        }
    }

    /// Skips white space and comments, and line ends where they mean nothing.
    fn space(&mut self, lines: bool) {
        loop {
            let rest = self.rest();
            let blank = |c: char| matches!(c, ' ' | '\t') || lines && matches!(c, '\n' | '\r');
            let left = rest.trim_start_matches(blank);
            self.skip(rest.len().saturating_sub(left.len()));
            if let Some(escaped) = ["\\\n", "\\\r\n"].iter().find(|e| left.starts_with(**e)) {
                self.skip(escaped.len());
            } else if left.starts_with('#') {
                self.skip(left.find('\n').unwrap_or(left.len()));
            } else {
                return;
            }
        }
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.skip(token.len());
        }
        found
    }

    fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.skip(name.len());
        Some(name.to_owned())
    }

    fn call(&mut self) -> Result<Call, Problem> {
        let at = self.place();
        let Some(name) = self.name() else {
            return Err(self.unknown("only calls are read here"));
        };
        self.space(false);
        if !self.take("(") {
            self.at = self.text.len().min(self.at);
            let mut problem = self.unknown("only calls are read here");
            problem.at = at;
            return Err(problem);
        }
        let mut arguments: Vec<(String, Position, Node)> = Vec::new();
        loop {
            self.space(true);
            if self.take(")") {
                break;
            }
            let place = self.place();
            let Some(key) = self.name() else {
                return Err(self.unknown("an argument has no name"));
            };
            self.space(true);
            if self.rest().starts_with("==") || !self.take("=") {
                let mut problem = self.unknown("an argument has no name");
                problem.at = place;
                return Err(problem);
            }
            let value = self.value(0)?;
            if arguments.iter().any(|(known, ..)| *known == key) {
                return Err(Problem {
                    at: place,
                    message: format!("the argument `{key}` appears twice in this call"),
                    help: None,
                });
            }
            arguments.push((key, place, value));
            self.space(true);
            if !self.take(",") && !self.rest().starts_with(')') {
                return Err(self.unknown("expected `,` or `)`"));
            }
        }
        Ok(Call {
            at,
            name,
            arguments,
        })
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        self.space(true);
        let at = self.place();
        if depth > MAX_DEPTH {
            return Err(self.unknown("it is nested too deeply"));
        }
        if self.take("[") {
            let mut list = Vec::new();
            loop {
                self.space(true);
                if self.take("]") {
                    let value = Value::List(list);
                    return Ok(Node { at, value });
                }
                list.push(self.value(depth.saturating_add(1))?);
                self.space(true);
                if !self.take(",") && !self.rest().starts_with(']') {
                    return Err(self.unknown("expected `,` or `]`"));
                }
            }
        }
        let raw = self.rest().starts_with("r\"") || self.rest().starts_with("r'");
        if raw {
            self.skip(1);
        }
        let value = Value::Text(self.string(raw)?);
        Ok(Node { at, value })
    }

    fn string(&mut self, raw: bool) -> Result<String, Problem> {
        let quotes = ["\"\"\"", "'''", "\"", "'"];
        let Some(quote) = quotes
            .into_iter()
            .find(|quote| self.rest().starts_with(quote))
        else {
            return Err(self.unknown("expected a text or a list"));
        };
        let begin = self.at;
        self.skip(quote.len());
        let mut out = String::new();
        loop {
            if self.take(quote) {
                return Ok(out);
            }
            let Some(c) = self.rest().chars().next() else {
                break;
            };
            if c == '\n' && quote.len() == 1 {
                break;
            }
            let before = self.at;
            self.skip(c.len_utf8());
            if c != '\\' {
                out.push(c);
                continue;
            }
            let Some(next) = self.rest().chars().next() else {
                break;
            };
            if raw {
                out.extend([c, next]);
                self.skip(next.len_utf8());
                continue;
            }
            let Some(text) = self.escape(next) else {
                self.at = before;
                return Err(self.unknown("an escape that Starlark doesn't have"));
            };
            out.push_str(&text);
        }
        self.at = begin;
        Err(self.unknown("a text doesn't end"))
    }

    /// Reads an escape behind its backslash. A line end is nothing.
    fn escape(&mut self, letter: char) -> Option<String> {
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                self.skip(letter.len_utf8());
                let plain = match letter {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '\\' | '"' | '\'' => letter,
                    '\n' => return Some(String::new()),
                    _ => return None,
                };
                return Some(plain.to_string());
            }
        };
        let written = self.rest().get(1..1_usize.saturating_add(digits))?;
        let value = u32::from_str_radix(written, 16).ok()?;
        self.skip(digits.saturating_add(1));
        char::from_u32(value).map(String::from)
    }
}
