//! Arguments as Python prints a `dict`, in which some programs record them: `{'command': 'ls'}`.

use strict_json::push_quoted;

/// Maximum depth.
const DEPTH: u32 = 64;

/// Returns a printed `dict` as JSON; `None` for any other text.
pub(super) fn to_json(text: &str) -> Option<String> {
    let mut literal = Literal {
        rest: text.trim(),
        json: String::with_capacity(text.len()),
    };
    if !literal.rest.starts_with('{') {
        return None;
    }
    literal.value(DEPTH)?;
    literal.rest.is_empty().then_some(literal.json)
}

/// The rest of a text, and the JSON of what was read.
struct Literal<'a> {
    rest: &'a str,
    json: String,
}

impl Literal<'_> {
    fn value(&mut self, left: u32) -> Option<()> {
        let left = left.checked_sub(1)?;
        match self.rest.chars().next()? {
            '{' => self.list('}', '{', left),
            '[' => self.list(']', '[', left),
            '(' => self.list(')', '[', left),
            '\'' | '"' => self.string(),
            _ => self.word(),
        }
    }

    /// Reads a `dict`, a `list` or a `tuple`.
    fn list(&mut self, end: char, open: char, left: u32) -> Option<()> {
        let is_dict = end == '}';
        self.json.push(open);
        self.skip(1);
        let mut is_first = true;
        while !self.rest.starts_with(end) {
            if !is_first {
                self.rest.starts_with(',').then(|| self.skip(1))?;
                // A tuple of one element ends with a comma.
                if self.rest.starts_with(end) {
                    break;
                }
                self.json.push(',');
            }
            is_first = false;
            if is_dict {
                self.rest
                    .starts_with(['\'', '"'])
                    .then(|| self.string())??;
                self.rest.starts_with(':').then(|| self.skip(1))?;
                self.json.push(':');
            }
            self.value(left)?;
        }
        self.skip(1);
        self.json.push(if is_dict { '}' } else { ']' });
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let mut chars = self.rest.chars();
        let quote = chars.next()?;
        let mut text = String::new();
        loop {
            match chars.next()? {
                c if c == quote => break,
                '\\' => {
                    let digits = match chars.next()? {
                        'n' => Err('\n'),
                        't' => Err('\t'),
                        'r' => Err('\r'),
                        'x' => Ok(2),
                        'u' => Ok(4),
                        'U' => Ok(8),
                        c @ ('\\' | '\'' | '"') => Err(c),
                        _ => return None,
                    };
                    text.push(match digits {
                        Err(c) => c,
                        Ok(count) => {
                            let digits = chars.as_str().get(..count)?;
                            chars = chars.as_str().get(count..)?.chars();
                            char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                        }
                    });
                }
                c => text.push(c),
            }
        }
        self.rest = chars.as_str().trim_start();
        push_quoted(&mut self.json, &text);
        Some(())
    }

    fn word(&mut self) -> Option<()> {
        let end = self.rest.find([',', '}', ']', ')', ' ', ':']);
        let word = self.rest.get(..end?)?;
        self.json.push_str(match word {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            number if serde_json::from_str::<serde_json::Number>(number).is_ok() => number,
            _ => return None,
        });
        self.skip(word.len());
        Some(())
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default().trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn a_printed_dict_is_json() {
        for (text, expected) in [
            ("{'command': 'ls'}", json!({"command": "ls"})),
            (
                r#"{'a': "it's", 'b': [1, -2.5, 1e3], 'c': {'d': True, 'e': None}}"#,
                json!({"a": "it's", "b": [1, -2.5, 1e3], "c": {"d": true, "e": null}}),
            ),
            (
                r"{'a': 'x\n\'\\\x41\u00e4', 'b': (1,), 'c': ()}",
                json!({"a": "x\n'\\Aä", "b": [1], "c": []}),
            ),
            (" {} ", json!({})),
        ] {
            let json = to_json(text).map(|json| serde_json::from_str::<Value>(&json).unwrap());
            assert_eq!(json, Some(expected), "{text}");
        }
        for text in [
            "",
            "ls",
            "['a']",
            "{'a'}",
            "{'a': }",
            "{'a': 'b'",
            "{'a': 'b'} x",
            "{'a': b}",
            "{'a': 'b' 'c': 'd'}",
            "{1: 'a'}",
            "{'a': Path('x')}",
            r"{'a': '\q'}",
            "{'a': nan}",
            "{'a': 01}",
        ] {
            assert_eq!(to_json(text), None, "{text}");
        }
        assert_eq!(to_json(&format!("{{'a': {}", "[".repeat(100_000))), None);
    }

    /// Prints a value as Python does.
    fn printed(value: &Value) -> String {
        match value {
            Value::Null => "None".into(),
            Value::Bool(true) => "True".into(),
            Value::Bool(false) => "False".into(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => {
                let text = text.replace('\\', r"\\").replace('\'', r"\'");
                format!("'{}'", text.replace('\n', r"\n"))
            }
            Value::Array(list) => {
                let all: Vec<_> = list.iter().map(printed).collect();
                format!("[{}]", all.join(", "))
            }
            Value::Object(all) => {
                let one = |(name, value): (&String, &Value)| {
                    let name = printed(&Value::String(name.clone()));
                    format!("{name}: {}", printed(value))
                };
                format!("{{{}}}", all.iter().map(one).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,8}|[a\\\\'\"\n]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-z' ]{1,4}", inner, 0..4)
                    .prop_map(|all| Value::Object(all.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_python_prints_is_read_back(value in value()) {
            let whole = json!({"x": value});
            let json = to_json(&printed(&whole)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), whole);
        }

        #[test]
        fn any_text_is_no_panic_and_only_json_comes_out(text in "\\PC*|[{}\\[\\]()'\",:a0\\\\ ]*") {
            if let Some(json) = to_json(&text) {
                prop_assert!(serde_json::from_str::<Value>(&json).is_ok_and(|v| v.is_object()));
            }
        }
    }
}
