//! JSON with the place of every value.

use crate::yaml::{Node, Position, Problem, Value};
use std::collections::BTreeSet;

/// Maximum depth of arrays and objects.
const MAX_DEPTH: usize = 64;

/// Finds the line and column of an offset.
#[derive(Debug)]
pub(super) struct Places {
    /// Index of the file.
    source: u16,
    /// Where the lines begin.
    lines: Vec<usize>,
}

impl Places {
    pub(super) fn new(source: u16, text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at.saturating_add(1)));
        Self {
            source,
            lines: lines.collect(),
        }
    }

    pub(super) fn at(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.lines.get(index));
        let column = offset.saturating_sub(start.copied().unwrap_or_default());
        Position {
            source: self.source,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1),
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    places: Places,
}

/// Parses the JSON of a policy's file. A key that appears twice in an object is an error.
pub(super) fn parse(source: u16, text: &str) -> Result<Node, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader {
        text,
        at: 0,
        places: Places::new(source, text),
    };
    let root = reader.value(0)?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.fail("something follows the value"));
    }
    Ok(root)
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn place(&self) -> Position {
        self.places.at(self.at)
    }

    fn fail(&self, message: &str) -> Problem {
        let help = "the file is JSON, without comments";
        Problem {
            at: self.place(),
            message: format!("not valid JSON: {message}"),
            help: Some(help.to_owned()),
        }
    }

    fn space(&mut self) {
        let rest = self.rest();
        let left = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.skip(rest.len().saturating_sub(left.len()));
    }

    const fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    /// Takes a token, behind white space.
    fn take(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.skip(token.len());
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        self.space();
        let at = self.place();
        if depth > MAX_DEPTH {
            return Err(self.fail("it is nested too deeply"));
        }
        let value = match self.rest().bytes().next() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(_) => self.word()?,
            None => return Err(self.fail("it ends too early")),
        };
        Ok(Node { at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Value, Problem> {
        self.take("{");
        let mut members = Vec::new();
        let mut seen = BTreeSet::new();
        if self.take("}") {
            return Ok(Value::Map(members));
        }
        loop {
            self.space();
            let at = self.place();
            if !self.rest().starts_with('"') {
                return Err(self.fail("expected a key in quotes"));
            }
            let key = self.string()?;
            if !seen.insert(key.clone()) {
                return Err(Problem {
                    at,
                    message: format!("the key `{key}` appears twice in this object"),
                    help: None,
                });
            }
            if !self.take(":") {
                return Err(self.fail("expected `:`"));
            }
            let value = self.value(depth.saturating_add(1))?;
            let key = Value::Text(key);
            members.push((Node { at, value: key }, value));
            if self.take("}") {
                return Ok(Value::Map(members));
            }
            if !self.take(",") {
                return Err(self.fail("expected `,` or `}`"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Problem> {
        self.take("[");
        let mut list = Vec::new();
        if self.take("]") {
            return Ok(Value::List(list));
        }
        loop {
            list.push(self.value(depth.saturating_add(1))?);
            if self.take("]") {
                return Ok(Value::List(list));
            }
            if !self.take(",") {
                return Err(self.fail("expected `,` or `]`"));
            }
        }
    }

    fn string(&mut self) -> Result<String, Problem> {
        let mut escaped = false;
        let inner = self.rest().bytes().enumerate().skip(1);
        let mut end = None;
        for (index, byte) in inner {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    end = Some(index.saturating_add(1));
                    break;
                }
                _ => {}
            }
        }
        let written = end.and_then(|end| self.rest().get(..end));
        let Some(written) = written else {
            return Err(self.fail("a text doesn't end"));
        };
        let text =
            serde_json::from_str(written).map_err(|_| self.fail("a text has a wrong escape"))?;
        self.skip(written.len());
        Ok(text)
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Value, Problem> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let value = match serde_json::from_str(word) {
            Ok(serde_json::Value::Null) => Value::Null,
            Ok(serde_json::Value::Bool(flag)) => Value::Bool(flag),
            Ok(serde_json::Value::Number(number)) => number.as_i64().map_or_else(
                || Value::Float(number.as_f64().unwrap_or(f64::MAX)),
                Value::Int,
            ),
            _ => return Err(self.fail("expected a value")),
        };
        self.skip(word.len());
        Ok(value)
    }
}
