//! Checks documents in YAML: manifests, policies, and tests of policies.
//!
//! A document is converted to JSON and checked like a manifest in JSON. The findings have the
//! places in the YAML text.

use super::check::{File, report};
use super::fault::{Fault, faults};
use super::kind::Kind;
use super::paths;
use crate::diag::Finding;
use crate::schema::Validator;
use agent_policy::{Position, Problem, YamlDocument};
use content_scan::mask::Mask;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// Maximum number of problems of a policy that are listed.
const PROBLEMS: usize = 100;
/// Code of a credential.
const SECRET: u16 = 803;
/// Members of which a policy has at least one.
const POLICY: [&str; 7] = [
    "rules",
    "dangerous_commands",
    "limits",
    "scopes",
    "permission",
    "defaultLevel",
    "categoryDefaults",
];

/// The kinds of document that `validate` reads as YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    Manifest(Kind),
    Policy,
    /// Cases for a policy.
    PolicyTests,
}

impl DocumentKind {
    /// Returns the kind that the name of a file in YAML implies.
    #[must_use]
    pub fn by_name(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let (stem, _) = name.rsplit_once('.').filter(|_| is_yaml(name))?;
        match stem {
            "policy" => Some(Self::Policy),
            _ if stem.ends_with(".policy") => Some(Self::Policy),
            _ => Kind::by_name(&format!("{stem}.json")).map(Self::Manifest),
        }
    }

    /// Returns the kind that the shape of a document implies.
    #[must_use]
    pub fn by_shape(value: &Value) -> Option<Self> {
        if let Some(kind) = Kind::by_shape(value) {
            return Some(Self::Manifest(kind));
        }
        let has = |member: &&str| value.get(*member).is_some();
        let is_map = |member: &str| value.get(member).is_some_and(Value::is_object);
        match () {
            () if value.get("cases").is_some_and(Value::is_array) => Some(Self::PolicyTests),
            () if POLICY.iter().any(has) || is_map("permissions") => Some(Self::Policy),
            () => None,
        }
    }
}

/// Whether the name of a file ends like that of a YAML file.
#[must_use]
pub fn is_yaml(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|e| e.eq_ignore_ascii_case("yaml") || e.eq_ignore_ascii_case("yml"))
}

/// What a document is checked as.
#[derive(Debug, Clone, Copy)]
pub enum DocumentSchema<'s> {
    /// The kind that its name implies, or else its shape.
    Detected,
    /// This JSON Schema.
    Given(&'s Validator),
}

/// Returns the findings about a document in YAML in text order, and a mask of its secrets. The
/// messages of the findings are already masked. `None` if its kind can't be detected.
#[must_use]
pub fn check_document(schema: DocumentSchema<'_>, file: &File<'_>) -> Option<(Vec<Finding>, Mask)> {
    let text = Text::new(file.text);
    let document = match YamlDocument::parse(file.text) {
        Ok(document) => document,
        Err(problems) => {
            let unread = |mut problem: Problem| {
                problem
                    .message
                    .insert_str(0, "the document can't be read as YAML: ");
                Fault {
                    code: 102,
                    ..text.fault(problem)
                }
            };
            let faults = problems.into_iter().take(PROBLEMS).map(unread).collect();
            return Some(report(file, text.with_secrets(faults)));
        }
    };
    let value = document.json();
    let kind = match schema {
        DocumentSchema::Given(_) => None,
        DocumentSchema::Detected => {
            Some(DocumentKind::by_name(file.name).or_else(|| DocumentKind::by_shape(value))?)
        }
    };
    let json = value.to_string();
    let of_policy = |problems: Vec<Problem>| {
        let problems = problems.into_iter().take(PROBLEMS);
        problems.map(|problem| text.fault(problem)).collect()
    };
    let mut all: Vec<Fault> = match (schema, kind) {
        (DocumentSchema::Given(schema), _) => schema
            .violations(&json)
            .into_iter()
            .map(|violation| Fault {
                code: 103,
                at: violation.at,
                ..Fault::manifest(violation.pointer, violation.message)
            })
            .map(|fault| text.place(fault, &document, &json))
            .collect(),
        (_, Some(DocumentKind::Manifest(kind))) => {
            let mut all = faults(kind, &json);
            if let Some((folder, root)) = file.places {
                all.extend(paths::look(kind, value, folder, root));
            }
            let all = all.into_iter();
            all.map(|fault| text.place(fault, &document, &json))
                .collect()
        }
        (_, Some(DocumentKind::PolicyTests)) => {
            agent_policy::load_cases(file.text).map_or_else(of_policy, |_| Vec::new())
        }
        (_, Some(DocumentKind::Policy) | None) => {
            agent_policy::load("policy", file.text).map_or_else(of_policy, |_| Vec::new())
        }
    };
    all.sort_by_key(|fault| fault.at.start);
    Some(report(file, text.with_secrets(all)))
}

/// The text of a document, with the beginnings of its lines.
struct Text<'t> {
    text: &'t str,
    lines: Vec<usize>,
}

impl<'t> Text<'t> {
    fn new(text: &'t str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let next = ends.map(|end| end.saturating_add(1));
        Self {
            text,
            lines: std::iter::once(0).chain(next).collect(),
        }
    }

    /// Returns the bytes from a position to the end of its line.
    fn range(&self, at: Position) -> Range<usize> {
        let line = usize::try_from(at.line.saturating_sub(1)).unwrap_or(usize::MAX);
        let column = usize::try_from(at.column.saturating_sub(1)).unwrap_or_default();
        let Some(begin) = self.lines.get(line).copied() else {
            return self.text.len()..self.text.len();
        };
        let rest = self.text.get(begin..).unwrap_or_default();
        let end = begin + rest.lines().next().unwrap_or_default().trim_end().len();
        let start = begin.saturating_add(column).min(end);
        let start = self.text.floor_char_boundary(start);
        start..end
    }

    fn fault(&self, problem: Problem) -> Fault {
        let help = problem.help.map(|help| format!("; {help}"));
        let message = format!("{}{}", problem.message, help.unwrap_or_default());
        Fault {
            at: self.range(problem.at),
            ..Fault::manifest("", message)
        }
    }

    /// Moves a fault of the document's JSON to its place in YAML.
    fn place(&self, fault: Fault, document: &YamlDocument, json: &str) -> Fault {
        // The name of a member, if the member isn't expected. In JSON, a colon follows.
        let is_key = json
            .get(fault.at.end..)
            .is_some_and(|rest| rest.starts_with(':'));
        let pointer = if is_key {
            strict_json::pointer_at(json, fault.at.start)
        } else {
            fault.pointer.clone()
        };
        let at = match document.position(&pointer) {
            Some((Some(key), _)) if is_key => self.range(key),
            Some((_, value)) => self.range(value),
            None => 0..0,
        };
        Fault { at, ..fault }
    }

    /// Adds the credentials in the text, which may also be in comments.
    fn with_secrets(&self, mut all: Vec<Fault>) -> Vec<Fault> {
        let remarks = content_scan::secrets(self.text, false).remarks.into_iter();
        let written: Vec<Fault> = remarks
            .take(PROBLEMS)
            .map(|remark| Fault {
                code: SECRET,
                at: remark.at.0..remark.at.0 + remark.at.1,
                ..Fault::manifest("", remark.message)
            })
            .collect();
        let known: BTreeSet<&str> = written.iter().map(|f| f.message.as_str()).collect();
        all.retain(|fault| fault.code != SECRET || !known.contains(fault.message.as_str()));
        all.extend(written);
        all
    }
}
