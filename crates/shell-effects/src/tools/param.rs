//! Parameters of a tool call, borrowed from their source.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A parameter, reduced to what determines its effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Param<'a> {
    Text(Cow<'a, str>),
    Flag(bool),
    List(Vec<Param<'a>>),
    /// Members by name, in their order.
    Members(Vec<(Cow<'a, str>, Param<'a>)>),
    /// A number: it can't be a path, host or command. Some runtimes write a switch as a number.
    Number {
        zero: bool,
    },
    /// Null, or an unreadable value.
    Nothing,
}

impl<'a> Param<'a> {
    /// Returns the member of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Members(members) => members
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the members, if it has any.
    #[must_use]
    pub(super) fn members(&self) -> Option<&[(Cow<'a, str>, Self)]> {
        match self {
            Self::Members(members) => Some(members),
            _ => None,
        }
    }

    /// Iterates over the value and everything inside it. Doesn't recurse: values may be nested
    /// deeply.
    pub(super) fn self_and_descendants(&self) -> impl Iterator<Item = &Self> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            let one = stack.pop()?;
            match one {
                Self::Members(members) => stack.extend(members.iter().map(|(_, value)| value)),
                Self::List(list) => stack.extend(list),
                Self::Text(_) | Self::Flag(_) | Self::Number { .. } | Self::Nothing => {}
            }
            Some(one)
        })
    }

    /// Returns whether it has no content: null, or empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::List(list) => list.is_empty(),
            Self::Members(members) => members.is_empty(),
            Self::Nothing => true,
            Self::Flag(_) | Self::Number { .. } => false,
        }
    }

    /// Returns whether it is a switch that is on, in one of the notations of runtimes.
    #[must_use]
    pub fn is_on(&self) -> bool {
        match self {
            Self::Flag(on) => *on,
            Self::Number { zero } => !zero,
            Self::Text(text) => ["true", "yes", "on", "1"]
                .iter()
                .any(|word| text.eq_ignore_ascii_case(word)),
            Self::List(_) | Self::Members(_) | Self::Nothing => false,
        }
    }

    /// Returns the tool of a call, from `tool` or `tool_name`. `None` if the two differ.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        let named = |member| {
            self.get(member)
                .and_then(Param::as_str)
                .filter(|name| !name.is_empty())
        };
        match (named("tool"), named("tool_name")) {
            (Some(one), Some(other)) if one != other => None,
            (one, other) => one.or(other),
        }
    }

    /// Returns other tools that a call names besides its own, each with its parameters. Any of them
    /// may be the one that runs. The flag is true if the name may be an ordinary parameter instead,
    /// with the other parameters next to it.
    #[must_use]
    pub fn other_tools(&self) -> Vec<(&str, &Self, bool)> {
        const NAMES: [&str; 5] = [
            "tool",
            "toolname",
            "functionname",
            "functioncall",
            "toolcall",
        ];
        let own = self.tool();
        let wrapped = WRAPPERS.iter().any(|wrapper| self.get(wrapper).is_some());
        let mut others = Vec::new();
        for (member, value) in self.members().into_iter().flatten() {
            let is_one_of = |names: &[&str]| names.iter().any(|name| same_words(member, name));
            let names_tool = is_one_of(&NAMES);
            if !names_tool && !is_one_of(&["name", "function"]) {
                continue;
            }
            let sure = names_tool || wrapped || value.members().is_some();
            let called = sure || is_identifier(value);
            let (name, given) = match value.members() {
                Some(_) => (value.get("name").and_then(Self::as_str), value),
                None => (value.as_str(), self),
            };
            let other = name.filter(|name| called && !name.is_empty() && Some(*name) != own);
            others.extend(other.map(|name| (name, given, !sure)));
        }
        others
    }

    /// Returns the text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Returns whether a name has the words of `plain`, which is lower case without separators.
pub(super) fn same_words(name: &str, plain: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).eq(plain.chars())
}

/// Returns whether a text looks like a tool's name: words separated by underscores.
fn is_identifier(value: &Param<'_>) -> bool {
    value.as_str().is_some_and(|text| {
        text.contains('_') && text.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
    })
}

/// Members of a call that contain its parameters, in whatever shape.
pub const WRAPPERS: [&str; 2] = ["parameters", "arguments"];

/// The parameters of a call, normalised to one shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inputs<'p> {
    /// Members by name. A value without a name (an array, a bare string) is under the empty name.
    pub(super) values: Cow<'p, Param<'p>>,
    /// Whether there is text in place of an object that can't be parsed as one. It may mean
    /// anything.
    pub(super) unreadable: bool,
}

impl<'p> Param<'p> {
    /// Returns the parameters of a call: `parameters` or `arguments` as an object, as JSON in a
    /// string, as an array or a bare string, and the members next to them. This is the only place
    /// that reads parameters. Only these two members are unwrapped, and only once.
    pub(super) fn inputs(&'p self) -> Inputs<'p> {
        let Self::Members(members) = self else {
            let mut bare = Vec::new();
            let unreadable = collect_members("", self, &mut bare);
            let values = if matches!(self, Self::Nothing) {
                Cow::Borrowed(self)
            } else {
                Cow::Owned(Self::Members(bare))
            };
            return Inputs { values, unreadable };
        };
        let is_extra = |name: &str, value: &Param<'_>| {
            !(value.is_empty()
                || matches!(name, "tool" | "tool_name")
                || super::command_line::is_harmless(name, value))
        };
        let mut wrapped = members
            .iter()
            .filter(|(name, value)| WRAPPERS.contains(&&**name) && !value.is_empty());
        match (wrapped.next(), wrapped.next()) {
            (None, _) => {
                return Inputs {
                    values: Cow::Borrowed(self),
                    unreadable: false,
                };
            }
            (Some((_, inner @ Self::Members(_))), None) => {
                let alone = |(name, value): &(Cow<'_, str>, Param<'_>)| {
                    WRAPPERS.contains(&&**name) || !is_extra(name, value)
                };
                if members.iter().all(alone) {
                    return Inputs {
                        values: Cow::Borrowed(inner),
                        unreadable: false,
                    };
                }
            }
            _ => {}
        }
        let runs = members
            .iter()
            .any(|(name, value)| super::tool::command_like(name) && !value.is_empty());
        let mut all: Vec<(Cow<'p, str>, Self)> = Vec::with_capacity(members.len() + 8);
        let mut unreadable = false;
        for (name, value) in members {
            if WRAPPERS.contains(&&**name) {
                // Next to a command, an array contains its arguments.
                unreadable |= collect_members(if runs { name } else { "" }, value, &mut all);
            } else if is_extra(name, value) {
                all.push((Cow::Borrowed(name), value.clone()));
            }
        }
        Inputs {
            values: Cow::Owned(Self::Members(all)),
            unreadable,
        }
    }
}

/// Adds a value that contains parameters: an object's members, anything else under `name`. Returns
/// true if it can't be parsed.
fn collect_members<'p>(
    name: &'p str,
    value: &'p Param<'p>,
    to: &mut Vec<(Cow<'p, str>, Param<'p>)>,
) -> bool {
    let (read, unreadable) = match value {
        Param::Text(text) => parse_json_text(text),
        value => (value.clone(), false),
    };
    match read {
        Param::Members(members) => to.extend(members),
        Param::Nothing => {}
        other => to.push((Cow::Borrowed(name), other)),
    }
    unreadable
}

/// Returns the JSON that a text contains, or else the text itself. The flag is true if the text
/// looks like JSON but isn't valid: a lenient reader may find something in it.
fn parse_json_text(text: &str) -> (Param<'_>, bool) {
    let looks = |text: &str| {
        text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
            .starts_with(['{', '['])
    };
    let plain = Param::Text(Cow::Borrowed(text));
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    if !trimmed.starts_with(['{', '[', '"']) || !strict_json::has_few_values(trimmed) {
        return (plain, looks(text));
    }
    match serde_json::from_str(trimmed) {
        Ok(Param::Text(inner)) => {
            let twice = looks(&inner);
            (Param::Text(inner), twice)
        }
        Ok(value) => (value, false),
        Err(_) => (plain, looks(text)),
    }
}

/// Returns the object or list that a text contains as JSON. `None` if it isn't valid JSON, contains
/// anything else, or has a duplicate member.
#[must_use]
pub fn json_in_text(text: &str) -> Option<Value> {
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    let read: Param<'_> =
        serde_json::from_str(trimmed.strip_prefix(['{', '[']).map(|_| trimmed)?).ok()?;
    let repeats = |members: &[(Cow<'_, str>, Param<'_>)]| {
        let mut names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        names
            .windows(2)
            .any(|pair| matches!(pair, [one, other] if one == other))
    };
    if read
        .self_and_descendants()
        .filter_map(Param::members)
        .any(repeats)
    {
        return None;
    }
    serde_json::from_str(trimmed).ok()
}

impl<'a> From<&'a Value> for Param<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Array(list) => Self::List(list.iter().map(Self::from).collect()),
            Value::Object(map) => Self::Members(
                map.iter()
                    .map(|(name, value)| (Cow::Borrowed(name.as_str()), Self::from(value)))
                    .collect(),
            ),
            Value::Number(number) => Self::Number {
                zero: number.as_f64() == Some(0.0),
            },
            Value::Null => Self::Nothing,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Param<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParamVisitor)
    }
}

struct ParamVisitor;

impl<'de> Visitor<'de> for ParamVisitor {
    type Value = Param<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Param<'de>, E> {
        Ok(Param::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Param<'de>, E> {
        Ok(Param::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Param<'de>, E> {
        Ok(Param::Text(Cow::Owned(text)))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Param<'de>, E> {
        Ok(Param::Flag(flag))
    }

    fn visit_unit<E: Error>(self) -> Result<Param<'de>, E> {
        Ok(Param::Nothing)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Param<'de>, E> {
        Ok(Param::Number { zero: number == 0 })
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Param<'de>, E> {
        Ok(Param::Number { zero: number == 0 })
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Param<'de>, E> {
        Ok(Param::Number {
            zero: number == 0.0,
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Param<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = seq.next_element()? {
            list.push(element);
        }
        Ok(Param::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Param<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<Name<'de>>()? {
            members.push((name.0, map.next_value()?));
        }
        Ok(Param::Members(members))
    }
}

/// A member name. Deserialising `Cow` directly would always copy.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Param::deserialize(deserializer)? {
            Param::Text(text) => Ok(Self(text)),
            _ => Err(D::Error::custom("expected a member name")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn parameters_come_in_many_shapes() {
        let read = |value: Value| {
            let call = Param::from(&value);
            let inputs = call.inputs();
            (format!("{:?}", inputs.values), inputs.unreadable)
        };
        let object = read(json!({"tool": "t", "parameters": {"path": "a"}}));
        for same in [
            json!({"tool_name": "t", "arguments": {"path": "a"}}),
            json!({"tool": "t", "parameters": "{\"path\":\"a\"}"}),
            json!({
                "tool": "t", "arguments": "\u{feff} {\"path\":\"a\"}\n", "description": "looks",
                "parameters": null
            }),
            json!("{\"path\":\"a\"}"),
            json!({"path": "a"}),
        ] {
            assert_eq!(read(same.clone()), object, "{same}");
        }
        let (values, unreadable) = read(json!({"tool": "t", "arguments": "[\"rm\",\"-rf\"]"}));
        assert!(
            values.contains(r#"("", List([Text("rm"), Text("-rf")]))"#) && !unreadable,
            "{values}"
        );
        for text in [
            "{\"path\":\"a\"",
            "{path: 'a'}",
            "\"{\\\"path\\\":1}\"",
            "[1,]",
        ] {
            assert!(read(json!({"tool": "t", "arguments": text})).1, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(read(json!({"tool": "t", "arguments": deep})).1);
        let many = format!("[{}1]", "1,".repeat(100_000));
        assert!(read(json!({"tool": "t", "arguments": many})).1);
        let (values, _) = read(
            json!({"tool": "t", "parameters": {"path": "a", "content": "{\"path\":\"/etc\"}"}}),
        );
        assert!(
            !values.contains("/etc\")"),
            "what a file holds stays data: {values}"
        );
        let (values, _) = read(json!({"tool": "t", "parameters": {"path": "a"}, "cwd": "/etc"}));
        assert!(values.contains("/etc"), "{values}");
    }

    #[test]
    fn borrows_what_needs_no_unescaping() {
        let text = r#"{"path":"src","n":1,"deep":[true,null,{"a\n":"b\n"}]}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let read: Param<'_> = strict_json::from_text(text).unwrap();
        assert!(matches!(
            read.get("path"),
            Some(Param::Text(Cow::Borrowed("src")))
        ));
        assert_eq!(read.get("deep"), Param::from(&value).get("deep"));
        assert_eq!(read.get("n"), Some(&Param::Number { zero: false }));
    }

    proptest! {
        #[test]
        fn reads_the_same_from_text_and_from_a_tree(
            names in proptest::collection::btree_map("[a-c\\PC]{0,4}", "[^\u{0}]{0,12}", 0..6)
        ) {
            let value = serde_json::to_value(&names).unwrap();
            let text = value.to_string();
            prop_assert_eq!(strict_json::from_text::<Param<'_>>(&text).unwrap(), Param::from(&value));
        }
    }
}
