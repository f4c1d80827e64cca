//! One item of a context bank, as the record tells it.

use crate::knowledge::extract::time;
use content_scan::secret::Table;
use serde_json::Value;

/// Where an item stands, as far as it takes to change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// It is the whole file.
    Whole,
    /// It is an element of a file that is a list.
    Element(usize),
    /// Only the index knows it: this entry of `items`.
    Listed(usize),
}

/// What was counted about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UsageStats {
    /// References to it.
    pub referenced: u64,
    /// References that were verified as useful.
    pub useful: u64,
    /// References that were verified as not useful.
    pub not_useful: u64,
}

/// What is recorded of the importance of an item. The early form is one number and says nothing of
/// how it came about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Importance {
    /// One number, 0..1.
    Number(f64),
    /// Counts.
    Counts {
        /// Uses.
        uses: u64,
        /// Uses that succeeded.
        successes: u64,
        /// Uses that failed.
        failures: u64,
        /// 0..1.
        confidence: f64,
    },
}

/// An item. Its texts are hostile.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The file that it stands in, relative to the root, with `/`.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// Its id; its path where it has none.
    pub id: String,
    /// What it is of.
    pub path: String,
    /// `file`, `directory`, `runtime` or `generated`; empty when it doesn't say.
    pub kind: String,
    /// A short name.
    pub alias: Option<String>,
    pub content: Option<String>,
    /// What it is about.
    pub summary: Option<String>,
    /// How important, where it is recorded.
    pub importance: Option<Importance>,
    /// What was counted, where it was.
    pub stats: Option<UsageStats>,
    /// When it was used last, or else came to be, in milliseconds since the epoch.
    pub used: Option<i64>,
    /// It is to stay as it is: it says so, or it is what a run printed, a configuration of
    /// production, or holds a secret.
    pub frozen: Option<&'static str>,
    /// It has been archived.
    pub deprecated: bool,
    /// References that its confidence was raised for.
    pub reinforced: Option<u64>,
}

/// A count, where it is one; some writers know no other numbers than floats. What isn't there was
/// never counted.
fn counted(value: &Value, member: &str) -> Result<u64, ()> {
    /// The last whole number before which a float has them all.
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

/// A count; one that can't be read is a fault of its own and counts nothing.
fn count(value: &Value, member: &str) -> u64 {
    counted(value, member).unwrap_or(0)
}

/// What of an item isn't of the form that it must have, so that nothing can be told from it.
#[must_use]
pub(in crate::knowledge) fn item_faults(value: &Value) -> Vec<String> {
    type Fits = fn(&Value) -> bool;
    const COUNTS: [&str; 3] = ["useCount", "successCount", "failureCount"];
    const STATS: [&str; 3] = ["referencedCount", "verifiedUseful", "verifiedNotUseful"];
    let mut all = Vec::new();
    let places = [
        ("", Some(value), &COUNTS),
        ("importance.", value.get("importance"), &COUNTS),
        ("usageStats.", value.get("usageStats"), &STATS),
    ];
    for (before, object, members) in places {
        let Some(object) = object else { continue };
        for member in members.iter().filter(|m| counted(object, m).is_err()) {
            all.push(format!("`{before}{member}` is no count"));
        }
    }
    if counted(value, "reinforcedAtReferences").is_err() {
        all.push("`reinforcedAtReferences` is no count".to_owned());
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

/// A number between 0 and 1.
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
            // An index keeps the counts beside the rest.
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
        // What can't be read decides nothing, for the item or against it.
        let flawed = !item_faults(value).is_empty();
        let (importance, stats) = if flawed {
            (None, None)
        } else {
            (importance, stats)
        };
        Some(Self {
            frozen: frozen(value, &kind, &path)
                .or_else(|| flawed.then_some("something of it can't be read")),
            file: file.to_owned(),
            place,
            id: text("id").unwrap_or_else(|| path.clone()),
            kind,
            alias: text("alias"),
            content: text("content"),
            summary: text("summary"),
            importance,
            stats,
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

/// Why an item is only ever kept.
fn frozen(value: &Value, kind: &str, path: &str) -> Option<&'static str> {
    let written = value.get("frozen").filter(|frozen| !frozen.is_null());
    let semantic = value
        .get("semantic")
        .and_then(Value::as_str)
        .unwrap_or_default();
    // A secret is no matter of choice.
    if holds_secret(value) {
        return Some("it holds a secret");
    }
    // Nor is what production runs on.
    if is_production_config(value, path, semantic) {
        return Some("it is a configuration of production");
    }
    match written {
        Some(Value::Bool(false)) => None,
        // Whoever writes `"true"` doesn't mean that it may be changed.
        Some(_) => Some("it is frozen"),
        None if kind.trim().eq_ignore_ascii_case("runtime") => Some("it is what a run printed"),
        None => None,
    }
}

/// Whether an item is a configuration of production: both are told by its path, its alias and its
/// tags, and that it is a configuration by its `semantic` and its type besides.
fn is_production_config(value: &Value, path: &str, semantic: &str) -> bool {
    let text = |member: &str| {
        value
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let tags = match value.get("tags") {
        Some(Value::Array(all)) => all
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" "),
        Some(Value::String(one)) => one.clone(),
        _ => String::new(),
    };
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

/// The words of a text, in small letters: `appSettings.Production-2.json` has app, settings,
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

/// Whether a text names a configuration: by a word, or by the ending or the name of a file.
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

/// Whether anything of it is a secret, also where only the name of a member gives it away.
fn holds_secret(value: &Value) -> bool {
    // Without the table nothing can be said to be free of secrets.
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
