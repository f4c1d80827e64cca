//! Finds what is wrong with a manifest by its text alone.

use super::agent_check;
use super::intent::is_catch_all;
use super::kind::Kind;
use super::misspelt;
use super::rules::request_pattern;
use super::servers;
use super::types::{Trial, add_to};
use crate::diag::Severity;
use crate::replay::UriTemplate;
use crate::schema::{BoundedValidator, Catalogue, SchemaBudget, Validator};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;
use strict_json::{self, DEFAULT_MAX_DEPTH, NoteKind, Scanner};

/// Maximum number of faults listed for one manifest.
const MOST: usize = 100;
/// Codes of the faults that are warnings.
const WARNINGS: [u16; 3] = [109, 804, 915];
/// Maximum number of tools of one manifest that are read. A model can't choose among more.
pub(super) const TOOLS: usize = 1_000;
/// Maximum number of resources or prompts of a server that are read.
const LISTED: usize = 10_000;
/// Maximum number of templates of resources that are read.
const TEMPLATES: usize = 100;

/// One fault in a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The code of the rule.
    pub code: u16,
    /// Replaces the rule's own severity.
    pub severity: Option<Severity>,
    /// Byte range in the text. Empty until it is resolved from the pointer.
    pub at: Range<usize>,
    /// JSON pointer to the faulty value; empty for the whole document.
    pub pointer: String,
    /// May contain hostile text.
    pub message: String,
}

impl Fault {
    /// Creates a violation of a manifest's schema or of a constraint the schema can't express.
    pub(super) fn manifest(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: 901,
            severity: None,
            at: 0..0,
            pointer: pointer.into(),
            message: message.into(),
        }
    }

    /// Creates a fault that reports input over a limit.
    pub(super) fn limit(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: 107,
            ..Self::manifest(pointer, message)
        }
    }
}

/// The schemas of manifests, by name, as written and compiled.
static SCHEMAS: LazyLock<BTreeMap<String, (Value, Validator)>> = LazyLock::new(|| {
    let mut catalogue = Catalogue::new();
    add_to(&mut catalogue);
    // A schema that doesn't compile is a bug that the tests find. At run time its manifests would
    // all be refused.
    let compiled = |schema: &Value| Some((schema.clone(), Validator::new(schema).ok()?));
    catalogue
        .entries()
        .iter()
        .filter_map(|e| Some((e.name.clone(), compiled(&e.schema)?)))
        .collect()
});

/// Returns the members of a manifest that have no effect because of their spelling.
#[must_use]
pub fn misspelled(kind: Kind, value: &Value) -> Vec<Fault> {
    let mut all = Vec::new();
    if let Some((schema, _)) = SCHEMAS.get(kind.schema()) {
        match value {
            Value::Array(list) if kind == Kind::Tools => {
                for (n, tool) in list.iter().enumerate().take(TOOLS) {
                    misspelt::members(schema, tool, &format!("/{n}"), &mut all);
                }
            }
            value => misspelt::members(schema, value, "", &mut all),
        }
    }
    all
}

/// Escapes a member's name for a JSON pointer.
pub(super) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns every fault in the text of a manifest, in text order.
#[must_use]
pub fn faults(kind: Kind, text: &str) -> Vec<Fault> {
    let mut scanner = Scanner::new(text, DEFAULT_MAX_DEPTH);
    if let Err(error) = scanner.skip().and_then(|_| scanner.end()) {
        let at = error.at.min(text.len());
        let message = format!("the manifest is not JSON: {error}");
        return vec![Fault {
            code: 102,
            severity: None,
            at: at..at,
            pointer: String::new(),
            message,
        }];
    }
    let mut all = Vec::new();
    // Resolving a pointer takes a pass over the text, so only notes that can be listed are
    // resolved.
    let mut notes: Vec<_> = scanner.notes().iter().collect();
    notes.sort_by_key(|note| (note.kind != NoteKind::DuplicateMember, note.at));
    for note in notes.into_iter().take(MOST) {
        let (code, what) = match note.kind {
            NoteKind::DuplicateMember => (
                106,
                "a member appears twice in its object: which of them counts depends on the reader",
            ),
            NoteKind::LoneSurrogate => (109, "an escape names half of a surrogate pair"),
            NoteKind::TooManyMembers => (
                107,
                "there are too many members to tell whether one appears twice",
            ),
        };
        let pointer = strict_json::pointer_at(text, note.at);
        all.push(Fault {
            code,
            severity: None,
            at: note.at..note.at + 1,
            pointer,
            message: what.to_owned(),
        });
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        all.push(Fault::manifest(
            "",
            "the manifest can't be read: a string or number in it is invalid",
        ));
        return all;
    };
    shape(kind, text, &value, &mut all);
    all.extend(misspelled(kind, &value));
    meaning(kind, &value, &mut all);
    place(text, &mut all);
    let (secrets, hidden) = content_scan::scan(text);
    for (code, remarks) in [(803, secrets.remarks), (804, hidden)] {
        for remark in remarks.into_iter().take(MOST) {
            let at = remark.at.0..remark.at.0 + remark.at.1;
            let pointer = strict_json::pointer_at(text, remark.at.0);
            all.push(Fault {
                code,
                severity: None,
                at,
                pointer,
                message: remark.message,
            });
        }
    }
    let in_order = |a: &Fault, b: &Fault| {
        (a.at.start, a.code, &a.message).cmp(&(b.at.start, b.code, &b.message))
    };
    all.sort_by(in_order);
    all.dedup();
    if all.len() > MOST {
        // Warnings must not displace errors.
        all.sort_by_key(|fault| WARNINGS.contains(&fault.code));
        all.truncate(MOST);
        all.sort_by(in_order);
    }
    all
}

/// Validates the manifest against its schema; of a list, each element.
fn shape(kind: Kind, text: &str, value: &Value, all: &mut Vec<Fault>) {
    let Some((_, validator)) = SCHEMAS.get(kind.schema()) else {
        return all.push(Fault::manifest(
            "",
            "the manifest can't be checked: its schema isn't there",
        ));
    };
    let mut check = |text: &str, offset: usize, before: &str| {
        for v in validator.violations(text) {
            let at = v.at.start + offset..v.at.end + offset;
            let pointer = format!("{before}{}", v.pointer);
            let expected = match v.pointer.rsplit('/').next() {
                Some("version") => "expected a version of three numbers, such as 1.2.3",
                Some("handler") => "expected a file and a function, such as ./tool.js#run",
                _ => "expected another form",
            };
            // A regular expression means little to a reader, so the message shows what was
            // expected.
            let message = if v.keyword == "pattern" {
                expected.to_owned()
            } else {
                v.message
            };
            all.push(Fault {
                code: 901,
                severity: None,
                at,
                pointer,
                message,
            });
        }
    };
    match (kind, value) {
        (Kind::Tools, Value::Array(list)) => {
            let pointers: Vec<String> = (0..list.len().min(TOOLS))
                .map(|n| format!("/{n}"))
                .collect();
            let parts = strict_json::resolve_all(text, &pointers.iter().cloned().collect());
            for pointer in &pointers {
                if let Some(part) = parts.get(pointer)
                    && let Some(inner) = text.get(part.value.clone())
                {
                    check(inner, part.value.start, pointer);
                }
            }
        }
        (Kind::Tools, _) => all.push(Fault::manifest("", "expected a list of tools")),
        _ => check(text, 0, ""),
    }
}

/// Resolves the byte range of faults that have only a pointer.
fn place(text: &str, all: &mut [Fault]) {
    let wanted: BTreeSet<String> = all
        .iter()
        .filter(|f| f.at.is_empty())
        .map(|f| f.pointer.clone())
        .collect();
    let places = strict_json::resolve_all(text, &wanted);
    for fault in all.iter_mut().filter(|f| f.at.is_empty()) {
        if let Some(found) = places.get(&fault.pointer) {
            fault.at = found.value.clone();
        }
    }
}

/// Checks the constraints that a schema can't express.
fn meaning(kind: Kind, value: &Value, all: &mut Vec<Fault>) {
    match kind {
        Kind::Tool => {
            permissions("", value, all);
            if let Some(schema) = value.get("parameters") {
                parameters("/parameters", schema, &mut SchemaBudget::default(), all);
            }
        }
        Kind::Tools => tools("", "parameters", value, all),
        Kind::Skill => {
            if let Some(list) = value.get("tools") {
                tools("/tools", "parameters", list, all);
            }
        }
        Kind::Listing => {
            if let Some(list) = value.get("tools") {
                tools("/tools", "inputSchema", list, all);
            }
            for (list, id) in [("resources", "uri"), ("prompts", "name")] {
                distinct(list, id, value, all);
            }
            templates(value, all);
        }
        Kind::Metadata => {
            if let Some(intent) = value.get("intent").and_then(Value::as_str)
                && is_catch_all(intent)
            {
                all.push(Fault::manifest(
                    "/intent",
                    format!("the intent `{intent}` takes anything: a skill has one purpose"),
                ));
            }
            let when = value.get("created_at").and_then(Value::as_str);
            if let Some(text) = when.filter(|t| !is_date(t)) {
                all.push(Fault::manifest(
                    "/created_at",
                    format!("`{text}` isn't a date"),
                ));
            }
            permissions("", value, all);
            if let Some(trial) = value.get("trial") {
                for synonyms in Trial::SYNONYMS {
                    both("/trial", trial, synonyms, all);
                }
            }
        }
        Kind::Servers => servers::look("/mcpServers", value, all),
        Kind::SkillSet => skills("/skills", value, all),
        Kind::Agent => {
            servers::look("/mcp/servers", value, all);
            skills("/skill/skills", value, all);
            agent_check::look(value, all);
        }
    }
}

/// Checks the entries of a list of skills.
fn skills(at: &str, value: &Value, all: &mut Vec<Fault>) {
    let skills = value.pointer(at).and_then(Value::as_object);
    for (name, skill) in skills.into_iter().flatten() {
        let pointer = format!("{at}/{}", step(name));
        both(&pointer, skill, ["path", "package"], all);
    }
}

/// Checks that no two elements of a server's list have the same id.
fn distinct(list: &str, id: &str, value: &Value, all: &mut Vec<Fault>) {
    let elements = value.get(list).and_then(Value::as_array);
    let mut seen = BTreeSet::new();
    if elements.is_some_and(|all| all.len() > LISTED) {
        let message = format!("more than {LISTED} {list}: from here on they aren't checked");
        all.push(Fault::limit(format!("/{list}/{LISTED}"), message));
    }
    for (n, element) in elements.into_iter().flatten().enumerate().take(LISTED) {
        if let Some(name) = element.get(id).and_then(Value::as_str)
            && !seen.insert(name)
        {
            let pointer = format!("/{list}/{n}/{id}");
            all.push(Fault::manifest(
                pointer,
                format!("`{name}` is listed twice"),
            ));
        }
    }
}

/// Checks the templates of URIs that a server lists.
fn templates(value: &Value, all: &mut Vec<Fault>) {
    let at = "/resourceTemplates";
    let templates = value.pointer(at).and_then(Value::as_array);
    if templates.is_some_and(|all| all.len() > TEMPLATES) {
        let message = format!("more than {TEMPLATES} templates: from here on they aren't checked");
        all.push(Fault::limit(format!("{at}/{TEMPLATES}"), message));
    }
    let templates = templates.into_iter().flatten().enumerate().take(TEMPLATES);
    for (n, template) in templates {
        if let Some(uri) = template.get("uriTemplate").and_then(Value::as_str)
            && UriTemplate::parse(uri).is_none()
        {
            all.push(Fault::manifest(
                format!("{at}/{n}/uriTemplate"),
                "the template isn't closed, or too long",
            ));
        }
    }
}

/// Reports two members that both choose what is loaded, since readers differ in which one they use.
pub(super) fn both(pointer: &str, value: &Value, members: [&str; 2], all: &mut Vec<Fault>) {
    let [one, other] = members;
    if members
        .iter()
        .all(|member| value.get(member).is_some_and(|v| !v.is_null()))
    {
        all.push(Fault::manifest(
            pointer,
            format!(
                "`{one}` and `{other}` are both present: which of them counts depends on the reader"
            ),
        ));
    }
}

/// Whether a text is a date, as `2027-01-31`, or an RFC 3339 timestamp.
fn is_date(text: &str) -> bool {
    let whole = if text.len() == 10 {
        format!("{text}T00:00:00Z")
    } else {
        text.to_owned()
    };
    util::time::parse_rfc3339(&whole).is_some()
}

/// Checks that tool names are unique, and checks the parameters of each tool, which are in the
/// given member.
fn tools(before: &str, member: &str, list: &Value, all: &mut Vec<Fault>) {
    let mut seen = BTreeSet::new();
    let mut budget = SchemaBudget::default();
    if list.as_array().is_some_and(|list| list.len() > TOOLS) {
        all.push(Fault::limit(
            format!("{before}/{TOOLS}"),
            format!("more than {TOOLS} tools: from here on they aren't checked"),
        ));
    }
    for (n, tool) in list
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .take(TOOLS)
    {
        let pointer = format!("{before}/{n}");
        if let Some(name) = tool.get("name").and_then(Value::as_str)
            && !seen.insert(name)
        {
            all.push(Fault::manifest(
                format!("{pointer}/name"),
                format!("another tool is called `{name}` as well"),
            ));
        }
        permissions(&pointer, tool, all);
        if let Some(tool) = tool.get(member) {
            parameters(&format!("{pointer}/{member}"), tool, &mut budget, all);
        }
    }
}

/// Checks the rules of permissions for the network.
fn permissions(before: &str, value: &Value, all: &mut Vec<Fault>) {
    let permissions = value.get("permissions").and_then(Value::as_array);
    for (n, permission) in permissions.into_iter().flatten().enumerate() {
        if permission.get("type").and_then(Value::as_str) != Some("network") {
            continue;
        }
        for list in ["", "/allow", "/deny"] {
            let at = format!("/rules{list}");
            let rules = permission.pointer(&at).and_then(Value::as_array);
            let rules = rules.into_iter().flatten().enumerate();
            for (m, rule) in rules.filter_map(|(m, rule)| Some((m, rule.as_str()?))) {
                if let Some(Err(wrong)) = request_pattern(rule) {
                    let pointer = format!("{before}/permissions/{n}{at}/{m}");
                    all.push(Fault::manifest(pointer, wrong));
                }
            }
        }
    }
}

/// Checks that the parameters of a tool are a JSON Schema for an object.
fn parameters(pointer: &str, schema: &Value, budget: &mut SchemaBudget, all: &mut Vec<Fault>) {
    if !schema.is_object() {
        return;
    }
    match BoundedValidator::new(schema, budget) {
        Ok(_) => misspelt::keywords(schema, pointer, all),
        Err(error) => all.push(Fault::manifest(
            pointer,
            format!("the parameters are not a usable JSON Schema: {error}"),
        )),
    }
    if schema.get("type").is_some_and(|t| t != "object") {
        all.push(Fault::manifest(
            format!("{pointer}/type"),
            "parameters are given by name: their type is `object`",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn reported(kind: Kind, text: &str) -> Vec<(u16, String)> {
        faults(kind, text)
            .into_iter()
            .map(|f| (f.code, f.pointer))
            .collect()
    }

    const META: &str = r#"{"name":"make","version":"1.0.0","intent":"make a build","author":"a","created_at":"2026-01-31"}"#;

    #[test]
    fn every_schema_compiles() {
        assert!(Kind::ALL.iter().all(|k| SCHEMAS.contains_key(k.schema())));
    }

    #[test]
    fn a_misspelled_member_is_a_fault() {
        let tool = |more: Value, schema: Value| {
            let mut tool = json!({"name": "a", "description": "d", "parameters": schema});
            let more = more.as_object().unwrap().clone();
            tool.as_object_mut().unwrap().extend(more);
            reported(Kind::Tools, &json!([tool]).to_string())
        };
        let at = |pointer: &str| vec![(901, pointer.to_owned())];
        for (name, pointer) in [
            ("RiskLevel", "/0/RiskLevel"),
            ("risk_level", "/0/risk_level"),
            ("Permissions", "/0/Permissions"),
            ("resultKind", "/0/resultKind"),
        ] {
            assert_eq!(tool(json!({name: null}), json!({})), at(pointer), "{name}");
        }
        assert_eq!(tool(json!({"handler": "x", "owner": 1}), json!({})), []);
        for (schema, pointer) in [
            (
                json!({"additionalproperties": false}),
                "/additionalproperties",
            ),
            (json!({"Required": ["a"]}), "/Required"),
            (
                json!({"properties": {"a": {"maxlength": 3}}}),
                "/properties/a/maxlength",
            ),
            (json!({"anyOf": [{"types": "string"}]}), "/anyOf/0/types"),
        ] {
            let pointer = format!("/0/parameters{pointer}");
            assert_eq!(tool(json!({}), schema.clone()), at(&pointer), "{schema}");
        }
        // Names of parameters, data and keywords of others are free.
        for schema in [
            json!({"properties": {"Type": {}, "Required": {}}}),
            json!({"enum": [{"Type": 1}], "x-order": {"Type": 1}}),
        ] {
            assert_eq!(tool(json!({}), schema.clone()), [], "{schema}");
        }
    }

    #[test]
    fn rules_for_the_network_are_hosts_or_requests() {
        let with = |rules: &str| {
            let permissions =
                format!(r#""permissions":[{{"type":"network","rules":{rules}}}],"author""#);
            reported(
                Kind::Metadata,
                &META.replacen("\"author\"", &permissions, 1),
            )
        };
        assert_eq!(
            with(r#"["*", "*.example.com", "GET:https://api.example.com/v1/*"]"#),
            []
        );
        let at = |pointer: &str| [(901, format!("/permissions/0/rules{pointer}"))];
        assert_eq!(with(r#"["*", "GE T:https://api.example.com/"]"#), at("/1"));
        assert_eq!(
            with(r#"{"deny":["https://api.example.com:x/"]}"#),
            at("/deny/0")
        );
    }

    #[test]
    fn metadata_needs_its_members_and_one_purpose() {
        assert_eq!(reported(Kind::Metadata, META), []);
        for member in ["name", "version", "intent", "author", "created_at"] {
            let mut value: Value = serde_json::from_str(META).unwrap();
            value.as_object_mut().unwrap().remove(member);
            assert_eq!(
                reported(Kind::Metadata, &value.to_string()),
                [(901, String::new())],
                "{member}"
            );
        }
        let vague = [
            "",
            " ",
            "ANY",
            "general",
            "General-Purpose",
            "everything",
            "*",
            "**",
            ".*",
            "any task",
            "everything.",
            "all tasks",
        ];
        for intent in vague.into_iter().chain([
            "任何",
            "所有",
            "通用",
            "所有的任务",
            "＊",
            "do anything",
            "catch-all",
            "All: the things!",
        ]) {
            let text = META.replace("make a build", intent);
            assert_eq!(
                reported(Kind::Metadata, &text),
                [(901, "/intent".into())],
                "{intent:?}"
            );
        }
        for intent in [
            "make any build",
            "general ledger",
            "任何构建失败的修复",
            "do the dishes",
        ] {
            assert_eq!(
                reported(Kind::Metadata, &META.replace("make a build", intent)),
                [],
                "{intent:?}"
            );
        }
        for version in ["1.0.0-rc.1", "1.0.0-0a", "1.0.0+001", "1.0.0-x-y.7+b.01"] {
            assert_eq!(
                reported(Kind::Metadata, &META.replace("1.0.0", version)),
                [],
                "{version}"
            );
        }
        for version in [
            "1.0.0-01",
            "1.0.0-rc.01",
            "1.0.0-",
            "1.0.0-a..b",
            "1.0.0+",
            "1",
            "1.0",
            "01.0.0",
            "v1.0.0",
            "latest",
        ] {
            assert_eq!(
                reported(Kind::Metadata, &META.replace("1.0.0", version)),
                [(901, "/version".into())],
                "{version}"
            );
        }
        assert_eq!(
            reported(Kind::Metadata, &META.replace("2026-01-31", "yesterday")),
            [(901, "/created_at".into())]
        );
        assert_eq!(
            reported(
                Kind::Metadata,
                &META.replace("\"author\"", "\"name\":\"x\",\"author\"")
            ),
            [(106, "/name".into())]
        );
        assert_eq!(reported(Kind::Metadata, "{"), [(102, String::new())]);
        assert_eq!(reported(Kind::Metadata, "[]"), [(901, String::new())]);
        let trial = META.replace(
            "\"author\"",
            r#""trial":{"mode":"careful"},"permissions":[{"type":"disk","rules":[]}],"author""#,
        );
        assert_eq!(
            reported(Kind::Metadata, &trial),
            [
                (901, "/trial/mode".into()),
                (901, "/permissions/0/type".into())
            ]
        );
    }

    #[test]
    fn parameters_are_json_schema() {
        let tool = |parameters: &str| {
            format!(r#"{{"name":"t","description":"d","parameters":{parameters}}}"#)
        };
        assert_eq!(
            reported(
                Kind::Tool,
                &tool(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#)
            ),
            []
        );
        assert_eq!(
            reported(
                Kind::Tool,
                &tool(r#"{"type":"object","properties":{"a":{"type":"text"}}}"#)
            ),
            [(901, "/parameters".into())]
        );
        assert_eq!(
            reported(
                Kind::Tool,
                &tool(r#"{"type":"object","properties":{"a":{"$ref":"https://example.com/s"}}}"#)
            ),
            [(901, "/parameters".into())]
        );
        assert_eq!(
            reported(Kind::Tool, &tool(r#"{"type":"string"}"#)),
            [(901, "/parameters/type".into())]
        );
        assert_eq!(
            reported(Kind::Tool, &tool("[]")),
            [(901, "/parameters".into())]
        );
        let two = format!("[{},{}]", tool("{}"), tool("{}"));
        assert_eq!(reported(Kind::Tools, &two), [(901, "/1/name".into())]);
        assert_eq!(reported(Kind::Tools, "{}"), [(901, String::new())]);
        assert_eq!(reported(Kind::Tools, "[{}]").len(), 3);
        let many = |count: usize| {
            let each = |n: usize| tool("{}").replace("\"t\"", &format!("\"t{n}\""));
            (0..count).map(each).collect::<Vec<_>>().join(",")
        };
        assert_eq!(reported(Kind::Tools, &format!("[{}]", many(TOOLS))), []);
        assert_eq!(
            reported(Kind::Tools, &format!("[{}]", many(TOOLS + 1))),
            [(107, format!("/{TOOLS}"))]
        );
    }

    #[test]
    fn no_fault_is_crowded_out_or_takes_a_walk_too_many() {
        let twice = format!(
            "{},{}",
            META.trim_end_matches('}'),
            "\"x\":1,".repeat(20_000).trim_end_matches(',')
        ) + "}";
        let found = reported(Kind::Metadata, &twice);
        assert_eq!(
            (found.len(), found.first()),
            (MOST, Some(&(106, "/x".to_owned())))
        );
        let servers: String = (0..150)
            .map(|n| format!(r#""a{n:03}":{{"command":"npx","args":["x"]}},"#))
            .collect();
        let found = reported(
            Kind::Servers,
            &format!(r#"{{"mcpServers":{{{servers}"b":{{"command":"x","url":"https://x"}}}}}}"#),
        );
        assert_eq!(
            (found.len(), found.last()),
            (MOST, Some(&(901, "/mcpServers/b".to_owned())))
        );
    }

    #[test]
    fn one_member_says_what_is_loaded() {
        let entry =
            |entry: &str| reported(Kind::SkillSet, &format!(r#"{{"skills":{{"a":{entry}}}}}"#));
        assert_eq!(entry(r#"{"path":"./a"}"#), []);
        assert_eq!(entry(r#"{"package":"x"}"#), []);
        assert_eq!(
            entry(r#"{"package":"x","path":5}"#),
            [(901, "/skills/a".into())]
        );
        let server = |server: &str| {
            reported(
                Kind::Servers,
                &format!(r#"{{"mcpServers":{{"a":{server}}}}}"#),
            )
        };
        assert_eq!(server(r#"{"type":"http","url":"https://x"}"#), []);
        assert_eq!(
            server(r#"{"type":"http","url":"https://x","command":["sh","-c","evil"]}"#),
            [(901, "/mcpServers/a".into())]
        );
    }

    #[test]
    fn secrets_and_hidden_text_are_found() {
        let key = format!("AKIA{}", "IOSFODNN7ABCDEFG");
        let servers =
            format!(r#"{{"mcpServers":{{"a":{{"command":"serve","env":{{"K":"{key}"}}}}}}}}"#);
        assert_eq!(
            reported(Kind::Servers, &servers),
            [(803, "/mcpServers/a/env/K".into())]
        );
        assert_eq!(
            reported(
                Kind::Metadata,
                &META.replace("make a build", "make \u{202e}dliub")
            ),
            [(804, "/intent".into())]
        );
    }

    proptest! {
        #[test]
        fn any_text_has_faults_that_lie_in_it(text in "[\\[\\]{}\",:a-z0-9 ]{0,60}|.*", n in 0usize..8) {
            for fault in faults(Kind::ALL[n], &text) {
                prop_assert!(fault.at.start <= text.len() && fault.at.end <= text.len() + 1, "{:?}", fault);
            }
        }

        #[test]
        fn no_mutation_of_a_manifest_is_too_much(cut in 0usize..100, with in any::<String>()) {
            let mut text = META.to_owned();
            let at = (0..=cut.min(text.len())).rev().find(|n| text.is_char_boundary(*n)).unwrap();
            text.insert_str(at, &with);
            for kind in Kind::ALL {
                let _ = faults(kind, &text);
            }
        }
    }
}
