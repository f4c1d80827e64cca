//! A line of the knowledge graph: an edge or a node.
//!
//! Two writers' forms are read: `{from, to, type, timestamp, weight?, meta?}` with types in lower
//! case, and `{from, to, type, timestamp, metadata?}` with types in upper case, together with nodes
//! `{id, type, payload, timestamp}`.

use serde::Deserialize;
use std::borrow::Cow;
use strict_json::{Raw, Str, from_text};

/// Prefixes of named nodes, and the kind that they give. Any other text before a `:` is part of the
/// name: `src/a.ts:10-30`, `https://…`.
const PREFIXES: [(&str, &str); 14] = [
    ("ctx", "context"),
    ("context", "context"),
    ("exec", "execution"),
    ("execution", "execution"),
    ("skill", "skill"),
    ("file", "context"),
    ("dir", "context"),
    ("directory", "context"),
    ("runtime", "context"),
    ("generated", "context"),
    ("bank", "context"),
    ("item", "context"),
    ("run", "execution"),
    ("task", "execution"),
];

/// Splits the prefix off a name, and returns the kind that it gives.
#[must_use]
pub fn prefixed(name: &str) -> Option<(&'static str, &str)> {
    let (prefix, rest) = name.split_once(':')?;
    let known = |(known, _): &&(&str, &str)| known.eq_ignore_ascii_case(prefix);
    let (_, kind) = PREFIXES.iter().find(known)?;
    Some((kind, rest))
}

/// Returns a name without its type prefix.
#[must_use]
pub fn bare(name: &str) -> &str {
    prefixed(name).map_or(name, |(_, rest)| rest)
}

/// Members of a line, of any type.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub struct GraphLine<'a> {
    #[serde(default)]
    from: Option<Raw<'a>>,
    #[serde(default)]
    to: Option<Raw<'a>>,
    #[serde(rename = "type", default)]
    kind: Option<Raw<'a>>,
    #[serde(default)]
    id: Option<Raw<'a>>,
    #[serde(default)]
    pub timestamp: Option<Raw<'a>>,
    /// Content of a node.
    #[serde(default)]
    pub payload: Option<Raw<'a>>,
    /// How strong the relation of an edge is.
    #[serde(default)]
    pub weight: Option<Raw<'a>>,
    #[serde(default)]
    meta: Option<Raw<'a>>,
    #[serde(default)]
    metadata: Option<Raw<'a>>,
}

/// Ends and type of an edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeEnds<'a> {
    /// Id of the source node.
    pub from: Cow<'a, str>,
    /// Id of the target node.
    pub to: Cow<'a, str>,
    /// Type as written; case is irrelevant.
    pub kind: Cow<'a, str>,
}

fn text(raw: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    Some(raw?.read::<Str<'_>>()?.decode())
}

impl<'a> GraphLine<'a> {
    /// Parses a line; `None` when it isn't a JSON object.
    #[must_use]
    pub fn parse(line: &'a str) -> Option<Self> {
        // A derived reader accepts arrays too.
        from_text(line)
            .ok()
            .filter(|_| line.trim_start().starts_with('{'))
    }

    /// Returns whether it is an edge, possibly an incomplete one.
    #[must_use]
    pub const fn is_edge(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// Returns ends and type of an edge; `None` when one is missing.
    #[must_use]
    pub fn ends(&self) -> Option<EdgeEnds<'a>> {
        Some(EdgeEnds {
            from: text(self.from)?,
            to: text(self.to)?,
            kind: text(self.kind)?,
        })
    }

    /// Returns the type in lower case.
    #[must_use]
    pub fn kind(&self) -> Option<String> {
        Some(text(self.kind)?.to_lowercase())
    }

    /// Returns the id of a node.
    #[must_use]
    pub fn id(&self) -> Option<Cow<'a, str>> {
        text(self.id)
    }

    /// Returns further data of an edge.
    #[must_use]
    pub fn meta(&self) -> Option<Raw<'a>> {
        self.meta.or(self.metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let line = GraphLine::parse(r#"{"from":"a","to":"b","type":"USED_IN","metadata":{}}"#);
        let line = line.unwrap();
        let ends = line.ends().unwrap();
        assert!(line.is_edge() && line.meta().is_some());
        assert_eq!((&*ends.from, &*ends.to, &*ends.kind), ("a", "b", "USED_IN"));
        let node = GraphLine::parse(r#"{"id":"n","type":"SKILL","payload":{}}"#).unwrap();
        assert!(!node.is_edge() && node.ends().is_none());
        assert_eq!(
            (node.id().unwrap(), node.kind().unwrap()),
            ("n".into(), "skill".into())
        );
        assert!(
            GraphLine::parse(r#"{"from":1,"to":"b","type":"t"}"#)
                .unwrap()
                .ends()
                .is_none()
        );
        assert!(GraphLine::parse("[1]").is_none());
    }
}
