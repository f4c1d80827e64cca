//! Checks the values in the configuration of an agent that a schema can't express: permissions,
//! budgets, globs and addresses.

use super::fault::Fault;
use super::servers::encrypted;
use globset::Glob;
use serde_json::{Map, Value, json};

/// The parts of a token budget.
const PARTS: [&str; 5] = [
    "profile",
    "taskState",
    "recentEvents",
    "semanticChunks",
    "summary",
];
/// Addresses that the key of a provider is sent to.
const PROVIDERS: [&str; 3] = ["/baseURL", "/agent/baseURL", "/provider/baseURL"];
/// Maximum number of mistakes in permissions that are reported.
const MISTAKES: usize = 20;

/// Checks the configuration of an agent.
pub(super) fn look(value: &Value, all: &mut Vec<Fault>) {
    permission(value, all);
    budget(value, all);
    for list in ["include", "exclude"] {
        let at = format!("/knowledge/code/{list}");
        let globs = value.pointer(&at).and_then(Value::as_array);
        for (n, glob) in globs.into_iter().flatten().enumerate() {
            if let Some(Err(error)) = glob.as_str().map(Glob::new) {
                all.push(Fault::manifest(format!("{at}/{n}"), error.to_string()));
            }
        }
    }
    for pointer in PROVIDERS {
        if let Some(url) = value.pointer(pointer).and_then(Value::as_str) {
            encrypted(pointer, url, all);
        }
    }
}

/// Checks that the parts of a token budget fit into its total.
fn budget(value: &Value, all: &mut Vec<Fault>) {
    let Some(budget) = value.pointer("/memory/tokenBudget") else {
        return;
    };
    let tokens = |name: &str| budget.get(name).and_then(Value::as_u64);
    let parts = PARTS
        .iter()
        .filter_map(|name| tokens(name))
        .fold(0_u64, u64::saturating_add);
    if let Some(total) = tokens("total").filter(|total| parts > *total) {
        all.push(Fault::manifest(
            "/memory/tokenBudget/total",
            format!("the parts need {parts} tokens together, and the total is {total}"),
        ));
    }
}

/// Checks the permissions with the reader of policies.
fn permission(value: &Value, all: &mut Vec<Fault>) {
    let at = "/permission";
    let Some(block) = value.pointer(at).filter(|block| block.is_object()) else {
        return;
    };
    let mut block = block.clone();
    if let Some(members) = block.as_object_mut() {
        complete(members, all);
    }
    // The text is written again, so that the reader of policies, which reads YAML, finds no
    // notation that YAML reads differently. Its lines lead back to the values.
    let Ok(text) = serde_json::to_string_pretty(&block) else {
        return;
    };
    let Err(mistakes) = agent_policy::load("permission", &text) else {
        return;
    };
    let starts: Vec<usize> = std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|n| n.saturating_add(1)))
        .collect();
    for mistake in mistakes.into_iter().take(MISTAKES) {
        let line = usize::try_from(mistake.at.line.saturating_sub(1)).unwrap_or_default();
        let column = usize::try_from(mistake.at.column.saturating_sub(1)).unwrap_or_default();
        let offset = starts.get(line).copied().unwrap_or_default();
        let pointer = strict_json::pointer_at(&text, offset.saturating_add(column));
        let help = mistake
            .help
            .map(|help| format!("; {help}"))
            .unwrap_or_default();
        all.push(Fault::manifest(
            format!("{at}{pointer}"),
            format!("{}{help}", mistake.message),
        ));
    }
}

/// Completes permissions to a policy of their own: they may be switched off as a whole, and have no
/// more than a default.
fn complete(members: &mut Map<String, Value>, all: &mut Vec<Fault>) {
    if let Some(enabled) = members.remove("enabled")
        && !enabled.is_boolean()
    {
        let message = "expected true or false";
        all.push(Fault::manifest("/permission/enabled", message));
    }
    let default = || Value::from("confirm");
    members.entry("defaultLevel").or_insert_with(default);
    let is_empty = |name: &str| match members.get(name) {
        None => true,
        Some(Value::Array(rules)) => rules.is_empty(),
        Some(Value::Object(defaults)) => defaults.is_empty(),
        Some(_) => false,
    };
    if is_empty("rules") && is_empty("categoryDefaults") {
        members.insert("categoryDefaults".into(), json!({ "execute": "confirm" }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: &Value) -> Vec<String> {
        let mut all = Vec::new();
        look(value, &mut all);
        all.into_iter().map(|f| f.pointer).collect()
    }

    #[test]
    fn permissions_are_read_as_policies_are() {
        let good = json!({"permission": {"defaultLevel": "confirm", "sessionMemory": true,
            "rules": [{"tool": "*_read*", "level": "auto", "category": "read"}, {"tool": "^mcp__.*$", "level": "confirm"}],
            "categoryDefaults": {"read": "auto", "admin": "deny"}}});
        assert_eq!(found(&good), [""; 0]);
        for (pointer, wrong) in [
            ("/permission/defaultLevel", json!("maybe")),
            ("/permission/rules/0/tool", json!("^mcp__(.*list")),
            ("/permission/rules/0/category", json!("reading")),
            ("/permission/rules/1/level", json!(true)),
            ("/permission/categoryDefaults/read", json!("sometimes")),
            (
                "/permission/sessionMemory",
                json!("\u{1f600}\u{7}\\ \" yes"),
            ),
        ] {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).unwrap() = wrong;
            assert_eq!(found(&bad), [pointer], "{bad}");
        }
        for short in [
            json!({"enabled": true, "defaultLevel": "confirm"}),
            json!({"enabled": false}),
            json!({}),
            json!({"rules": [{"tool": "a", "level": "auto"}]}),
            json!({"rules": [], "categoryDefaults": {}}),
        ] {
            assert_eq!(found(&json!({ "permission": short })), [""; 0], "{short}");
        }
        let switch = json!({"permission": {"enabled": "yes"}});
        assert_eq!(found(&switch), ["/permission/enabled"]);
        let mut unknown = good;
        unknown["permission"]["categoryDefaults"]["reading"] = json!("auto");
        assert_eq!(found(&unknown), ["/permission/categoryDefaults/reading"]);
    }

    #[test]
    fn the_parts_of_a_budget_fit() {
        let budget = |total: u64| json!({"memory":{"tokenBudget":{"profile":100,"summary":u64::MAX - 100,"taskState":7,"total":total}}});
        assert_eq!(found(&budget(u64::MAX)), [""; 0]);
        assert_eq!(found(&budget(100)), ["/memory/tokenBudget/total"]);
    }

    #[test]
    fn globs_and_addresses_are_checked() {
        let value = json!({"knowledge":{"code":{"include":["**/*.rs","[a"],"exclude":["{"]}},
            "provider":{"baseURL":"http://example.com/v1"},"baseURL":"https://example.com","agent":{"baseURL":"http://localhost:1"}});
        assert_eq!(
            found(&value),
            [
                "/knowledge/code/include/1",
                "/knowledge/code/exclude/0",
                "/provider/baseURL"
            ]
        );
    }
}
