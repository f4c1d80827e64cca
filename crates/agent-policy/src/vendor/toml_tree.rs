//! TOML with the place of every value.

use super::json::Places;
use crate::yaml::{Node, Position, Problem, Value};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses TOML. A key that appears twice is an error.
pub(super) fn parse(text: &str) -> Result<Node, Problem> {
    let places = Places::new(0, text);
    match DeTable::parse(text) {
        Ok(root) => Ok(Node {
            at: Position::START,
            value: table(root.into_inner(), &places),
        }),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let message = error
                .message()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            Err(Problem {
                at: places.at(at),
                message: format!("not valid TOML: {message}"),
                help: None,
            })
        }
    }
}

fn table(table: DeTable<'_>, places: &Places) -> Value {
    let members = table.into_iter().map(|(key, value)| {
        let at = places.at(key.span().start);
        let key = Value::Text(key.into_inner().into_owned());
        (Node { at, value: key }, node(value, places))
    });
    // In the order of the file.
    let mut members: Vec<(Node, Node)> = members.collect();
    members.sort_by_key(|(key, _)| key.at);
    Value::Map(members)
}

fn node(value: Spanned<DeValue<'_>>, places: &Places) -> Node {
    let Range { start, .. } = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            parsed.map_or_else(|_| Value::Text(number.as_str().to_owned()), Value::Int)
        }
        DeValue::Float(number) => {
            let parsed = number.as_str().parse();
            parsed.map_or_else(|_| Value::Text(number.as_str().to_owned()), Value::Float)
        }
        DeValue::Boolean(flag) => Value::Bool(flag),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(list) => Value::List(list.into_iter().map(|v| node(v, places)).collect()),
        DeValue::Table(inner) => table(inner, places),
    };
    Node {
        at: places.at(start),
        value,
    }
}
