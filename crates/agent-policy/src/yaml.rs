//! YAML with the position of every value, so that each error has its line and column.
//!
//! serde-saphyr parses the text within limits on size, depth and aliases. Unlike a derived type,
//! this keeps positions and unknown keys, and allows more than one error.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Options, Spanned};
use std::collections::BTreeSet;
use std::fmt;

/// Maximum size of a policy or a test file in bytes.
const MAX_BYTES: usize = 4 << 20;

/// A position in a file of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Index of the file; 0 unless the policy consists of several.
    pub source: u16,
    /// Line, from 1; 0 if unknown.
    pub line: u32,
    /// Column in UTF-8 bytes, from 1.
    pub column: u32,
}

impl Position {
    /// The beginning of a policy's only or first file.
    pub const START: Self = Self::new(1, 1);

    /// A position in a policy's only or first file.
    #[must_use]
    pub const fn new(line: u32, column: u32) -> Self {
        Self {
            source: 0,
            line,
            column,
        }
    }
}

/// An error in a policy or test file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub at: Position,
    /// The error, with text of the file in backticks. May contain hostile text.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

/// A value with its position.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) at: Position,
    pub(crate) value: Value,
}

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

/// A value from the YAML library, with columns in characters.
struct Parsed(Value);

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParsedVisitor)
    }
}

fn node(spanned: Spanned<Parsed>) -> Node {
    let place = spanned.referenced;
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Node {
        at: Position::new(small(place.line()), small(place.column())),
        value: spanned.value.0,
    }
}

struct ParsedVisitor;

impl<'de> Visitor<'de> for ParsedVisitor {
    type Value = Parsed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_bool<E>(self, v: bool) -> Result<Parsed, E> {
        Ok(Parsed(Value::Bool(v)))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Parsed, E> {
        Ok(Parsed(Value::Int(v)))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Parsed, E> {
        Ok(Parsed(
            i64::try_from(v).map_or_else(|_| Value::Text(v.to_string()), Value::Int),
        ))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Parsed, E> {
        Ok(Parsed(Value::Float(v)))
    }

    fn visit_str<E>(self, v: &str) -> Result<Parsed, E> {
        Ok(Parsed(Value::Text(v.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Parsed, E> {
        Ok(Parsed(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Parsed, E> {
        Ok(Parsed(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Parsed, D::Error> {
        deserializer.deserialize_any(Self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parsed, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element::<Spanned<Parsed>>()? {
            list.push(node(item));
        }
        Ok(Parsed(Value::List(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parsed, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<Parsed>>()? {
            let value = map.next_value::<Spanned<Parsed>>()?;
            entries.push((node(key), node(value)));
        }
        Ok(Parsed(Value::Map(entries)))
    }
}

/// Parses one YAML document.
///
/// # Errors
/// If the text isn't valid YAML, or exceeds a limit.
pub(crate) fn parse(text: &str) -> Result<Node, Problem> {
    let fail = |at, message: String, help: Option<&str>| Problem {
        at,
        message,
        help: help.map(str::to_owned),
    };
    if text.len() > MAX_BYTES {
        return Err(fail(
            Position::default(),
            format!("the file has {} bytes; it may have {MAX_BYTES}", text.len()),
            None,
        ));
    }
    let mut options = Options::default();
    options.strict_booleans = true;
    let mut root = match serde_saphyr::from_str_with_options::<Spanned<Parsed>>(text, options) {
        Ok(spanned) => node(spanned),
        Err(error) => {
            let place = error.location().map_or_else(Position::default, |l| {
                let small = |n: u64| u32::try_from(n).unwrap_or(0);
                Position::new(small(l.line()), small(l.column()))
            });
            let lines: Vec<&str> = text.lines().collect();
            let message = plain_words(&error.without_snippet().to_string());
            return Err(fail(in_bytes(place, &lines), message, None));
        }
    };
    let lines: Vec<&str> = text.lines().collect();
    // A stack instead of recursion; the library bounds the depth, but nothing here should depend on
    // it.
    let mut open: Vec<&mut Node> = vec![&mut root];
    while let Some(node) = open.pop() {
        node.at = in_bytes(node.at, &lines);
        match &mut node.value {
            Value::List(list) => open.extend(list.iter_mut()),
            Value::Map(map) => open.extend(map.iter_mut().flat_map(|(k, v)| [k, v])),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => {}
        }
    }
    Ok(root)
}

/// The library's error message without its names for options, types and limits.
fn plain_words(said: &str) -> String {
    const LONGEST: usize = 200;
    let line = said.lines().next().unwrap_or_default();
    if let Some(rest) = line.strip_prefix("duplicate mapping key: ") {
        let end = rest.find(", set DuplicateKeyPolicy").unwrap_or(rest.len());
        return format!(
            "the key `{}` appears twice in this map",
            shortened(rest.get(..end).unwrap_or(rest), LONGEST)
        );
    }
    if line.starts_with("budget breached: Depth") || line.starts_with("recursion limit") {
        return "it is nested too deeply".to_owned();
    }
    if line.starts_with("budget breached") {
        return "it holds more than can be read: the values, aliases and texts of a file are counted".to_owned();
    }
    // The position is reported separately, and library options don't help the author of the file.
    let end = [" at line ", ", set "]
        .iter()
        .filter_map(|word| line.find(word))
        .min()
        .unwrap_or(line.len());
    let line = line.get(..end).unwrap_or(line);
    if line.is_empty() {
        "not readable as YAML".to_owned()
    } else {
        shortened(line, LONGEST)
    }
}

fn shortened(text: &str, most: usize) -> String {
    let short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// Converts a column from characters, as the library counts, to bytes.
fn in_bytes(at: Position, lines: &[&str]) -> Position {
    let line = usize::try_from(at.line)
        .ok()
        .and_then(|n| n.checked_sub(1))
        .and_then(|n| lines.get(n));
    let Some(line) = line.filter(|l| !l.is_ascii()) else {
        return at;
    };
    let before = usize::try_from(at.column.saturating_sub(1)).unwrap_or(0);
    let bytes: usize = line.chars().take(before).map(char::len_utf8).sum();
    Position {
        column: u32::try_from(bytes + 1).unwrap_or(at.column),
        ..at
    }
}

impl Node {
    /// The kind of value, for error messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Int(_) | Value::Float(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// The text of a scalar; numbers and booleans as written.
    pub fn text(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) => Some(text.clone()),
            Value::Int(n) => Some(n.to_string()),
            Value::Bool(b) => Some(b.to_string()),
            Value::Null | Value::Float(_) | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The value as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(b) => (*b).into(),
            Value::Int(n) => (*n).into(),
            Value::Float(x) => (*x).into(),
            Value::Text(text) => text.clone().into(),
            Value::List(list) => list.iter().map(Self::json).collect(),
            Value::Map(map) => serde_json::Value::Object(
                map.iter()
                    .map(|(k, v)| (k.text().unwrap_or_default(), v.json()))
                    .collect(),
            ),
        }
    }

    /// Converts a JSON value, without positions.
    pub(crate) fn from_json(value: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        let text = |name: &String| Self {
            at: Position::default(),
            value: Value::Text(name.clone()),
        };
        let value = match value {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(n) => n
                .as_i64()
                .map_or_else(|| Value::Float(n.as_f64().unwrap_or(f64::MAX)), Value::Int),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(list) => Value::List(list.iter().map(Self::from_json).collect()),
            Json::Object(members) => Value::Map(
                members
                    .iter()
                    .map(|(name, v)| (text(name), Self::from_json(v)))
                    .collect(),
            ),
        };
        Self {
            at: Position::default(),
            value,
        }
    }

    /// The items of a list; anything else is a list of one.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(list) => list,
            _ => std::slice::from_ref(self),
        }
    }
}

/// A YAML document as JSON, with the position of every value.
#[derive(Debug, Clone)]
pub struct YamlDocument {
    root: Node,
    json: serde_json::Value,
}

impl YamlDocument {
    /// Parses one document. Keys must be texts, numbers or booleans, as JSON has only texts.
    ///
    /// # Errors
    /// If the text isn't valid YAML or exceeds a limit, or a map can't be an object.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let root = parse(text).map_err(|problem| vec![problem])?;
        let problems = without_json(&root);
        if problems.is_empty() {
            let json = root.json();
            Ok(Self { root, json })
        } else {
            Err(problems)
        }
    }

    /// Returns the document as JSON.
    #[must_use]
    pub const fn json(&self) -> &serde_json::Value {
        &self.json
    }

    /// Returns the positions of the value at a JSON pointer, and of its key in a map.
    #[must_use]
    pub fn position(&self, pointer: &str) -> Option<(Option<Position>, Position)> {
        let (mut node, mut key) = (&self.root, None);
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            (key, node) = match &node.value {
                Value::Map(map) => {
                    let is_named = |(key, _): &&(Node, Node)| key.text().as_ref() == Some(&step);
                    let (key, value) = map.iter().find(is_named)?;
                    (Some(key.at), value)
                }
                Value::List(list) => (None, list.get(step.parse::<usize>().ok()?)?),
                _ => return None,
            };
        }
        Some((key, node.at))
    }
}

/// Returns a problem for each key that can't be the name of a JSON member, in the order of the
/// text.
fn without_json(root: &Node) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match &node.value {
            Value::List(list) => open.extend(list),
            Value::Map(map) => {
                let mut seen = BTreeSet::new();
                for (key, value) in map {
                    let message = match key.text() {
                        None => Some("a key must be a text".to_owned()),
                        Some(name) => {
                            let message = format!("the key `{name}` appears twice in this map");
                            (!seen.insert(name)).then_some(message)
                        }
                    };
                    problems.extend(message.map(|message| Problem {
                        at: key.at,
                        message,
                        help: None,
                    }));
                    open.push(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => {}
        }
    }
    problems.sort_by_key(|problem| problem.at);
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn find<'n>(node: &'n Node, key: &str) -> &'n Node {
        let Value::Map(map) = &node.value else {
            panic!("{node:?}")
        };
        &map.iter()
            .find(|(k, _)| k.text().as_deref() == Some(key))
            .unwrap()
            .1
    }

    #[test]
    fn every_value_knows_its_place() {
        let root = parse("a: 1\nb:\n  - x: 'é ü'\n    c: {d: [true, null]}\n").unwrap();
        assert_eq!(find(&root, "a").at, Position::new(1, 4));
        let first = &find(&root, "b").items()[0];
        assert_eq!(first.at, Position::new(3, 5));
        assert_eq!(find(first, "x").text().as_deref(), Some("é ü"));
        let list = find(find(first, "c"), "d");
        assert_eq!(list.items()[0].at, Position::new(4, 13));
        let root = parse("{é: 1, b: 2}").unwrap();
        assert_eq!(
            find(&root, "b").at,
            Position::new(1, 12),
            "columns are bytes"
        );
    }

    #[test]
    fn what_is_no_yaml_says_where() {
        let e = parse("a: 1\nb: [1, 2\n").unwrap_err();
        assert!(e.at.line >= 2, "{e:?}");
        assert_eq!(
            parse("a: 1\na: 2\n").unwrap_err().at.line,
            2,
            "a key that appears twice has two meanings"
        );
        assert!(parse(&format!("a: {}", "[".repeat(10_000))).is_err());
    }

    #[test]
    fn the_library_speaks_in_our_words() {
        assert_eq!(
            parse("a: 1\na: 2\n").unwrap_err().message,
            "the key `a` appears twice in this map"
        );
        assert_eq!(
            parse(&format!("a: {}", "[".repeat(3000)))
                .unwrap_err()
                .message,
            "it is nested too deeply"
        );
        let many = format!("a: [{}]", "x,".repeat(300_000));
        assert!(
            parse(&many)
                .unwrap_err()
                .message
                .starts_with("it holds more than can be read")
        );
        for text in [
            "a: [1",
            "a: *b",
            "a: 'x",
            "a: b: c",
            "\t- a",
            "%x",
            "a: !!int x",
        ] {
            let said = parse(text).map_or_else(|problem| problem.message, |_| String::new());
            assert!(
                !said.contains("Options") && !said.contains("{ ") && !said.contains(" at line "),
                "{said}"
            );
        }
    }

    #[test]
    fn booleans_are_true_and_false_only() {
        let root = parse("a: yes\nb: on\nc: true\nd: 'true'").unwrap();
        assert!(matches!(find(&root, "a").value, Value::Text(_)));
        assert!(matches!(find(&root, "b").value, Value::Text(_)));
        assert!(matches!(find(&root, "c").value, Value::Bool(true)));
        assert!(matches!(find(&root, "d").value, Value::Text(_)));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            drop(parse(&text));
        }

        #[test]
        fn yaml_like_text_is_read_or_refused(lines in prop::collection::vec("[ ]{0,4}(- |a: |\\? |&a |\\*a|<<: |\\{|\\[|\"|'|#|!t |[|]|>|x|1|\\}|\\]|,|---)", 0..20)) {
            drop(parse(&lines.join("\n")));
        }
    }

    #[test]
    fn a_document_is_json_with_positions() {
        let text = "a:\n  - b/c: [1, true]\n    ~: x\n";
        let problem = YamlDocument::parse(text).unwrap_err();
        assert_eq!((problem.len(), problem[0].at), (1, Position::new(3, 5)));
        let document = YamlDocument::parse("a:\n  - b/c: [1, true]\n1: é: x\n").unwrap_err();
        assert_eq!(document[0].at.line, 3);
        let document = YamlDocument::parse("a:\n  - b/c: [1, true]\n1: x\n").unwrap();
        assert_eq!(
            *document.json(),
            serde_json::json!({"a": [{"b/c": [1, true]}], "1": "x"})
        );
        let at = |line, column| Position::new(line, column);
        for (pointer, found) in [
            ("", Some((None, at(1, 1)))),
            ("/a/0", Some((None, at(2, 5)))),
            ("/a/0/b~1c", Some((Some(at(2, 5)), at(2, 10)))),
            ("/a/0/b~1c/1", Some((None, at(2, 14)))),
            ("/1", Some((Some(at(3, 1)), at(3, 4)))),
            ("/a/1", None),
            ("/b", None),
            ("/1/0", None),
        ] {
            assert_eq!(document.position(pointer), found, "{pointer}");
        }
        let twice = YamlDocument::parse("1: a\n'1': b\n").unwrap_err();
        assert!(twice[0].message.contains("twice"), "{twice:?}");
    }
}
