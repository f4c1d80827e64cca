//! One item of a context bank as recorded.

use crate::knowledge::extract::time;
use crate::trace::identity::misspelling;
use content_scan::secret::Table;
use serde_json::{Map, Value};

/// The location of an item in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The item is the whole file.
    Whole,
    /// The item is an element of a list.
    Element(usize),
    /// The item exists only as this entry of an index's `items`.
    Listed(usize),
}

/// Counts of references to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UsageStats {
    /// All references.
    pub referenced: u64,
    /// References verified as useful.
    pub useful: u64,
    /// References verified as not useful.
    pub not_useful: u64,
}

/// The recorded importance of an item. The older form is one number without its inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Importance {
    /// A single number, 0..1.
    Number(f64),
    /// The inputs of the formula.
    Counts {
        uses: u64,
        successes: u64,
        failures: u64,
        /// 0..1.
        confidence: f64,
    },
}

/// The counts of an item and its confidence as recorded, whichever of them there are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Claims {
    pub uses: u64,
    pub successes: u64,
    pub failures: u64,
    /// 0..1.
    pub confidence: Option<f64>,
}

/// An item of a context bank. Its texts may be hostile.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The file that contains it, relative to the root, with `/`.
    pub file: String,
    /// The location in the file.
    pub place: Place,
    /// The recorded id, or else the path.
    pub id: String,
    /// The path that the item describes.
    pub path: String,
    /// `file`, `directory`, `runtime` or `generated`; empty when it isn't recorded.
    pub kind: String,
    /// `source_code`, `config` and the like, if it is recorded.
    pub semantic: Option<String>,
    pub tags: Vec<String>,
    pub alias: Option<String>,
    pub content: Option<String>,
    pub summary: Option<String>,
    /// `None` when it isn't recorded or the item is malformed.
    pub importance: Option<Importance>,
    /// `None` when it isn't recorded or the item is malformed.
    pub stats: Option<UsageStats>,
    /// All zero when the item is malformed.
    pub claims: Claims,
    /// Time of the last use, or else of creation, in milliseconds since the Unix epoch.
    pub used: Option<i64>,
    /// Why the item must not change: it is frozen, output of a run, a production configuration, or
    /// contains a secret.
    pub frozen: Option<&'static str>,
    /// Whether the item has been archived.
    pub deprecated: bool,
    /// The reference count at which its confidence was last raised.
    pub reinforced: Option<u64>,
}

/// The members of an item that decide about it.
const MEMBERS: [&str; 21] = [
    "id",
    "path",
    "type",
    "semantic",
    "tags",
    "alias",
    "content",
    "summary",
    "importance",
    "usageStats",
    "frozen",
    "deprecated",
    "reinforcedAtReferences",
    "lastUsedAt",
    "lastUsed",
    "firstSeenAt",
    "createdAt",
    "useCount",
    "successCount",
    "failureCount",
    "confidence",
];

/// Reads a count. Some writers store every number as a float. A missing count is 0.
fn counted(value: &Value, member: &str) -> Result<u64, ()> {
    /// 2^53, up to which a float represents every whole number.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    match value.get(member) {
        None | Some(Value::Null) => Ok(0),
        Some(Value::Number(n)) => {
            let float = n
                .as_f64()
                .filter(|f| (0.0..=WHOLE).contains(f) && f.fract() == 0.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number within the range"
            )]
            n.as_u64().or_else(|| float.map(|f| f as u64)).ok_or(())
        }
        Some(_) => Err(()),
    }
}

/// Reads a count. An invalid one is reported elsewhere and is 0 here.
fn count(value: &Value, member: &str) -> u64 {
    counted(value, member).unwrap_or(0)
}

/// Returns the members of an item that have the wrong form. Such an item can't be evaluated.
#[must_use]
pub(in crate::knowledge) fn item_faults(value: &Value) -> Vec<String> {
    type Fits = fn(&Value) -> bool;
    const COUNTS: [&str; 3] = ["useCount", "successCount", "failureCount"];
    const IMPORTANCE: [&str; 6] = [
        "useCount",
        "successCount",
        "failureCount",
        "confidence",
        "lastUsed",
        "createdAt",
    ];
    const STATS: [&str; 3] = ["referencedCount", "verifiedUseful", "verifiedNotUseful"];
    let mut all = Vec::new();
    let places = [
        ("", Some(value), &COUNTS[..], &MEMBERS[..]),
        ("importance.", value.get("importance"), &COUNTS, &IMPORTANCE),
        ("usageStats.", value.get("usageStats"), &STATS, &STATS),
    ];
    for (before, object, counts, known) in places {
        let Some(object) = object else { continue };
        for member in counts.iter().filter(|m| counted(object, m).is_err()) {
            all.push(format!("`{before}{member}` isn't a count"));
        }
        let confidence = object.get("confidence").filter(|c| !c.is_null());
        if confidence.is_some_and(|c| !c.as_f64().is_some_and(f64::is_finite)) {
            all.push(format!("`{before}confidence` isn't a number"));
        }
        for member in object.as_object().into_iter().flat_map(Map::keys) {
            if let Some(meant) = misspelling(member, known) {
                all.push(format!("`{before}{member}` is spelled `{meant}`"));
            }
        }
    }
    if counted(value, "reinforcedAtReferences").is_err() {
        all.push("`reinforcedAtReferences` isn't a count".to_owned());
    }
    let forms: [(&str, Fits, &str); 4] = [
        (
            "importance",
            |v| v.is_object() || v.is_number(),
            "neither counts nor a number",
        ),
        ("usageStats", Value::is_object, "no object"),
        ("type", Value::is_string, "no text"),
        ("frozen", Value::is_boolean, "neither true nor false"),
    ];
    for (member, fits, what) in forms {
        if value.get(member).is_some_and(|v| !v.is_null() && !fits(v)) {
            all.push(format!("`{member}` is {what}"));
        }
    }
    all
}

/// Reads a number and clamps it to 0..1.
fn share(value: &Value, member: &str) -> Option<f64> {
    value
        .get(member)
        .and_then(Value::as_f64)
        .filter(|n| n.is_finite())
        .map(|n| n.clamp(0.0, 1.0))
}

impl Item {
    /// Reads an item; `None` when it names no path.
    #[must_use]
    pub(in crate::knowledge) fn read(file: &str, place: Place, value: &Value) -> Option<Self> {
        let text = |member: &str| {
            value
                .get(member)
                .and_then(Value::as_str)
                .filter(|t| !t.trim().is_empty())
                .map(str::to_owned)
        };
        let path = text("path")?;
        let inner = value.get("importance").filter(|i| i.is_object());
        let counts = inner.unwrap_or(value);
        let importance = match value.get("importance") {
            Some(Value::Number(n)) => n
                .as_f64()
                .filter(|n| n.is_finite())
                .map(|n| Importance::Number(n.clamp(0.0, 1.0))),
            // An index stores the counts next to the other members.
            _ => share(counts, "confidence").map(|confidence| Importance::Counts {
                uses: count(counts, "useCount"),
                successes: count(counts, "successCount"),
                failures: count(counts, "failureCount"),
                confidence,
            }),
        };
        let stats = value
            .get("usageStats")
            .filter(|s| s.is_object())
            .map(|s| UsageStats {
                referenced: count(s, "referencedCount"),
                useful: count(s, "verifiedUseful"),
                not_useful: count(s, "verifiedNotUseful"),
            });
        let when = |from: &Value, members: &[&str]| members.iter().find_map(|m| time(from.get(m)?));
        let used = when(counts, &["lastUsed"])
            .or_else(|| when(value, &["lastUsedAt", "lastUsed"]))
            .or_else(|| when(counts, &["createdAt"]))
            .or_else(|| when(value, &["firstSeenAt", "createdAt"]));
        let kind = text("type").unwrap_or_default();
        // A malformed item must not influence a decision in either direction.
        let flawed = !item_faults(value).is_empty();
        let claims = Claims {
            uses: count(counts, "useCount"),
            successes: count(counts, "successCount"),
            failures: count(counts, "failureCount"),
            confidence: share(counts, "confidence"),
        };
        let (importance, stats, claims) = if flawed {
            (None, None, Claims::default())
        } else {
            (importance, stats, claims)
        };
        Some(Self {
            frozen: frozen(value, &kind, &path)
                .or_else(|| flawed.then_some("something of it can't be read")),
            file: file.to_owned(),
            place,
            id: text("id").unwrap_or_else(|| path.clone()),
            kind,
            semantic: text("semantic"),
            tags: tags(value),
            alias: text("alias"),
            content: text("content"),
            summary: text("summary"),
            importance,
            stats,
            claims,
            used,
            deprecated: value.get("deprecated").and_then(Value::as_bool) == Some(true),
            reinforced: value
                .get("reinforcedAtReferences")
                .filter(|v| !v.is_null())
                .map(|_| count(value, "reinforcedAtReferences")),
            path,
        })
    }
}

/// Returns the tags of an item: a list, or a single one.
fn tags(value: &Value) -> Vec<String> {
    match value.get("tags") {
        Some(Value::Array(all)) => all
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Some(Value::String(one)) => vec![one.clone()],
        _ => Vec::new(),
    }
}

/// Returns the reason why an item must be kept unchanged.
fn frozen(value: &Value, kind: &str, path: &str) -> Option<&'static str> {
    let written = value.get("frozen").filter(|frozen| !frozen.is_null());
    let semantic = value
        .get("semantic")
        .and_then(Value::as_str)
        .unwrap_or_default();
    // `frozen: false` can't override a secret.
    if holds_secret(value) {
        return Some("it holds a secret");
    }
    // Nor can it override a production configuration.
    if is_production_config(value, path, semantic) {
        return Some("it is a configuration of production");
    }
    match written {
        Some(Value::Bool(false)) => None,
        // A malformed value such as `"true"` counts as frozen, the stricter reading.
        Some(_) => Some("it is frozen"),
        None if kind.trim().eq_ignore_ascii_case("runtime") => Some("it is what a run printed"),
        None => None,
    }
}

/// Whether an item is a production configuration. Path, alias and tags can name both properties;
/// `semantic` and the type can name a configuration.
fn is_production_config(value: &Value, path: &str, semantic: &str) -> bool {
    let text = |member: &str| {
        value
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let tags = tags(value).join(" ");
    let told = [
        path,
        text("alias"),
        text("id"),
        text("environment"),
        text("env"),
        text("stage"),
        &tags,
    ]
    .join(" ");
    let is_config = [
        path,
        text("alias"),
        text("id"),
        semantic,
        text("type"),
        &tags,
    ]
    .into_iter()
    .any(is_config);
    is_config
        && (is_production(&told)
            || semantic.trim().eq_ignore_ascii_case("config")
                && told.to_lowercase().contains("prod"))
}

/// Splits a text into lower-case words: `appSettings.Production-2.json` gives app, settings,
/// production, 2 and json.
fn words(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        let begins =
            c.is_uppercase() && before.is_lowercase() || c.is_numeric() != before.is_numeric();
        if begins || !c.is_alphanumeric() {
            all.push(String::new());
        }
        if let Some(last) = all.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
        before = c;
    }
    all.retain(|word| !word.is_empty());
    all
}

/// Whether a text names production.
fn is_production(text: &str) -> bool {
    const NAMES: [&str; 5] = ["prod", "production", "prd", "prods", "productive"];
    words(text)
        .iter()
        .any(|word| NAMES.contains(&word.as_str()))
}

/// Whether a text names a configuration, by a word or by a file's extension or name.
fn is_config(text: &str) -> bool {
    const WORDS: [&str; 24] = [
        "config",
        "configs",
        "configuration",
        "configurations",
        "conf",
        "cfg",
        "setting",
        "settings",
        "appsettings",
        "env",
        "envs",
        "environment",
        "environments",
        "deploy",
        "deployment",
        "deployments",
        "values",
        "overlay",
        "overlays",
        "secrets",
        "credentials",
        "terraform",
        "helm",
        "infra",
    ];
    const ENDINGS: [&str; 27] = [
        "yaml",
        "yml",
        "toml",
        "ini",
        "cnf",
        "config",
        "properties",
        "json",
        "json5",
        "jsonc",
        "xml",
        "tf",
        "tfvars",
        "hcl",
        "plist",
        "envrc",
        "kdl",
        "nix",
        "cue",
        "jsonnet",
        "libsonnet",
        "dhall",
        "pkl",
        "service",
        "ron",
        "edn",
        "dockerfile",
    ];
    let ending = text
        .trim()
        .rsplit(['.', '/', '\\'])
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let compose = || text.to_lowercase().contains("docker");
    ENDINGS.contains(&ending.as_str())
        || compose()
        || words(text)
            .iter()
            .any(|word| WORDS.contains(&word.as_str()))
}

/// Whether an item contains a secret, also one that only its member's name reveals.
fn holds_secret(value: &Value) -> bool {
    // Without the table of secrets, every item counts as one with a secret.
    Table::shipped().is_err()
        || !content_scan::secrets(&value.to_string(), true)
            .places
            .is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_item_that_holds_a_secret_anywhere_is_frozen() {
        let token = content_scan::secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
        let value = content_scan::secret::sample::fill("⟦b62:24⟧").unwrap();
        let frozen = |more: Value| {
            let mut item = json!({"id":"i","path":"p.md","content":"plain"});
            item.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            Item::read("f", Place::Whole, &item).unwrap().frozen
        };
        for more in [
            json!({"content":token}),
            json!({"summary":token}),
            json!({"alias":token}),
            json!({"path":format!("keys/{token}")}),
            json!({"tags":["ci", token]}),
            json!({"metadata":{"deep":[{"note":token}]}}),
            json!({"password":value}),
            json!({"frozen":false,"alias":token}),
        ] {
            assert_eq!(frozen(more.clone()), Some("it holds a secret"), "{more}");
        }
        assert_eq!(frozen(json!({"alias":"a","tags":["b"]})), None);
    }

    #[test]
    fn what_cannot_be_read_decides_nothing() {
        let item = |importance: Value, stats: Value, more: Value| {
            let mut item =
                json!({"id":"i","path":"p.md","importance":{"confidence":0.9},"usageStats":{}});
            for (member, extra) in [("importance", importance), ("usageStats", stats)] {
                item[member]
                    .as_object_mut()
                    .unwrap()
                    .extend(extra.as_object().unwrap().clone());
            }
            item.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            (
                Item::read("f", Place::Whole, &item).unwrap(),
                item_faults(&item),
            )
        };
        let (float, faults) = item(
            json!({"failureCount":50.0}),
            json!({"verifiedNotUseful":9.0}),
            json!({"frozen":false}),
        );
        let counts = Importance::Counts {
            uses: 0,
            successes: 0,
            failures: 50,
            confidence: 0.9,
        };
        assert_eq!(
            (
                float.importance,
                float.stats.unwrap().not_useful,
                float.frozen
            ),
            (Some(counts), 9, None)
        );
        assert!(faults.is_empty());
        for bad in [
            json!("50"),
            json!(-50),
            json!(50.5),
            json!(1e300),
            json!([1]),
            json!(true),
        ] {
            for (flawed, faults) in [
                item(json!({"failureCount":bad}), json!({}), json!({})),
                item(json!({}), json!({"verifiedNotUseful":bad}), json!({})),
            ] {
                assert_eq!(
                    (flawed.importance, flawed.stats, faults.len()),
                    (None, None, 1),
                    "{bad}"
                );
                assert!(flawed.frozen.is_some());
            }
        }
        for more in [
            json!({"frozen":"true"}),
            json!({"frozen":1}),
            json!({"frozen":"false"}),
            json!({"type":7}),
            json!({"importance":"high"}),
        ] {
            let (strange, faults) = item(json!({}), json!({}), more.clone());
            assert!(strange.frozen.is_some() && faults.len() == 1, "{more}");
        }
        let (run, faults) = item(json!({}), json!({}), json!({"type":"Runtime"}));
        assert!(run.frozen.is_some() && faults.is_empty());
    }
}
