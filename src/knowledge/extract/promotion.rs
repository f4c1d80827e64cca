//! Extracts changes of the standing of skills, one per line: what was promoted, approved, rejected
//! or retired, when, by whom and why.

use super::{Extracted, objects, text_of, time};
use crate::knowledge::source_config::SourceFile;
use serde_json::Value;

/// The values for the standing of a skill or candidate.
pub(in crate::knowledge) const STATUSES: [&str; 13] = [
    "pending",
    "approved",
    "rejected",
    "deferred",
    "candidate",
    "enabled",
    "disabled",
    "degraded",
    "archived",
    "experimental",
    "production",
    "promoted",
    "retired",
];

/// A change of standing. Its texts may be hostile.
#[derive(Debug, Clone, PartialEq)]
pub struct Promotion {
    pub line: u64,
    pub skill: String,
    /// The skill's version, if recorded.
    pub version: Option<String>,
    /// The candidate that the decision is about, if any.
    pub candidate: Option<String>,
    /// The previous standing, if recorded.
    pub old: Option<String>,
    /// The new standing.
    pub new: String,
    /// The recorded score that the decision is based on.
    pub score: Option<f64>,
    /// The recorded metrics that the decision is based on, as JSON.
    pub metrics: Option<String>,
    pub reason: Option<String>,
    /// The person or documented rule that decided.
    pub by: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub time: i64,
}

pub(super) fn extract(file: &SourceFile, text: &str, out: &mut Extracted) {
    objects(file, text, out, |out, line, _, record| {
        match read(line, &record) {
            Ok(promotion) => out.promotions.push(promotion),
            Err(why) => out.object(103, file, line, why),
        }
    });
}

/// Reads one line. The error describes what is wrong with it.
pub(in crate::knowledge) fn read(line: u64, record: &Value) -> Result<Promotion, String> {
    let text = |members: &[&str]| text_of(record, members).map(str::to_owned);
    let status = |members: &[&str]| match text(members) {
        Some(word) if !STATUSES.contains(&word.as_str()) => Err(format!(
            "`{word}` isn't a status of a skill; expected {}",
            STATUSES.join(", ")
        )),
        word => Ok(word),
    };
    let skill =
        text(&["skill_name", "skillName", "skill"]).ok_or("the change needs `skill_name`")?;
    let old = status(&["old_status", "oldStatus", "from"])?;
    let new = status(&["new_status", "newStatus", "to"])?.ok_or("the change needs `new_status`")?;
    let when = ["promoted_at", "promotedAt", "timestamp"]
        .iter()
        .find_map(|m| time(record.get(m)?));
    Ok(Promotion {
        line,
        skill,
        version: text(&["skill_version", "skillVersion", "version"]),
        candidate: text(&["candidate"]),
        old,
        new,
        score: record
            .get("score")
            .and_then(Value::as_f64)
            .filter(|s| s.is_finite()),
        metrics: ["metrics", "metrics_json"]
            .iter()
            .find_map(|m| record.get(m))
            .filter(|m| !m.is_null())
            // In a column of text, the object is a string.
            .map(|m| match m.as_str().map(serde_json::from_str::<Value>) {
                Some(Ok(object @ Value::Object(_))) => object.to_string(),
                _ => m.to_string(),
            }),
        reason: text(&["reason"]),
        by: text(&["by", "approved_by", "rule"]),
        time: when.ok_or("the change needs `promoted_at`, a time")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_change_needs_a_skill_a_standing_and_a_time() {
        let good = json!({"skill_name":"fix","new_status":"production","promoted_at":"2026-01-31"});
        assert_eq!(read(1, &good).unwrap().new, "production");
        let camel = json!({"skillName":"fix","newStatus":"retired","promotedAt":5,"oldStatus":"production"});
        assert_eq!(read(1, &camel).unwrap().old.unwrap(), "production");
        for member in ["skill_name", "new_status", "promoted_at"] {
            let mut broken = good.clone();
            broken.as_object_mut().unwrap().remove(member);
            assert!(read(1, &broken).unwrap_err().contains(member));
            broken[member] = json!("nonsense \u{1b}[2J");
            assert_eq!(read(1, &broken).is_ok(), member == "skill_name");
        }
    }

    proptest! {
        #[test]
        fn any_object_is_read_or_refused(members in proptest::collection::btree_map("skill|skill_name|new_status|to|promoted_at|score|by|metrics", "production|2026-01-31|[a-z]{0,5}", 0..8)) {
            let record = json!(members);
            if let Ok(change) = read(3, &record) {
                prop_assert!(STATUSES.contains(&change.new.as_str()) && !change.skill.is_empty());
            }
        }
    }
}
