//! Compares the directory of a skill with the recorded changes of its standing (YV903).

use super::{Change, Manifest, Skills};
use std::collections::BTreeMap;
use util::time::format_minute;

/// The directories of the stages.
const STAGES: [&str; 3] = ["experimental", "production", "retired"];

/// Returns the directory that a standing belongs to; `None` when it belongs to no certain one.
fn directory(standing: &str) -> Option<&'static str> {
    Some(match standing {
        "production" | "promoted" => "production",
        "retired" | "archived" => "retired",
        "experimental" => "experimental",
        _ => return None,
    })
}

/// Returns the manifests in another directory than the last recorded change says, each with the
/// contradiction. A directory that isn't one of a stage contradicts nothing.
pub(super) fn displaced(skills: &Skills) -> Vec<(&Manifest, String)> {
    let mut changes: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    // The changes are sorted by time.
    for change in &skills.changes {
        changes.entry(&change.what.skill).or_default().push(change);
    }
    let mut directories: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for m in &skills.manifests {
        directories.entry(&m.name).or_default().push(&m.stage);
    }
    let mut all = Vec::new();
    for m in &skills.manifests {
        if !m.file.split('/').any(|part| STAGES.contains(&part)) {
            continue;
        }
        let mut concerning = changes
            .get(m.name.as_str())
            .into_iter()
            .flatten()
            .rev()
            .filter(|c| c.what.version.as_deref().is_none_or(|v| v == m.version));
        let last = concerning.find_map(|c| Some((c, directory(&c.what.new)?)));
        match last {
            None if m.stage == "retired" && !skills.changes.is_empty() => all.push((
                m,
                "lies in `retired`, and no retirement of it is recorded".to_owned(),
            )),
            Some((change, expected)) if expected != m.stage => {
                // A change that names no version may be about another one, which is in its place.
                let elsewhere = change.what.version.is_none()
                    && directories
                        .get(m.name.as_str())
                        .is_some_and(|all| all.contains(&expected));
                if !elsewhere {
                    all.push((
                        m,
                        format!(
                            "is {} since {} and lies in `{}`",
                            change.what.new,
                            format_minute(change.what.time),
                            m.stage
                        ),
                    ));
                }
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::extract::Promotion;

    fn manifest(version: &str, stage: &str, file: &str) -> Manifest {
        Manifest {
            file: file.into(),
            name: "make".into(),
            version: version.into(),
            intent: "i".into(),
            stage: stage.into(),
            created: None,
            success_threshold: None,
            dependencies: Vec::new(),
        }
    }

    fn change(version: Option<&str>, new: &str, time: i64) -> Change {
        Change {
            file: "promotions.jsonl".into(),
            what: Promotion {
                line: 1,
                skill: "make".into(),
                version: version.map(str::to_owned),
                candidate: None,
                old: None,
                new: new.into(),
                score: None,
                metrics: None,
                reason: None,
                by: None,
                time,
            },
        }
    }

    #[test]
    fn directories_agree_with_the_last_change() {
        let found = |stages: &[(&str, &str)], changes: Vec<Change>| {
            let manifests = stages
                .iter()
                .map(|(v, stage)| manifest(v, stage, &format!("skills/{stage}/make/meta.json")));
            let skills = Skills {
                manifests: manifests.collect(),
                changes,
                ..Skills::default()
            };
            displaced(&skills).len()
        };
        for (stage, standing) in [
            ("production", "promoted"),
            ("retired", "archived"),
            ("experimental", "experimental"),
            ("experimental", "degraded"),
        ] {
            assert_eq!(
                found(&[("1.0.0", stage)], vec![change(None, standing, 1)]),
                0,
                "{standing}"
            );
        }
        for (stage, standing) in [
            ("experimental", "promoted"),
            ("production", "retired"),
            ("experimental", "retired"),
            ("production", "experimental"),
            ("retired", "production"),
            ("retired", "degraded"),
        ] {
            assert_eq!(
                found(&[("1.0.0", stage)], vec![change(None, standing, 1)]),
                1,
                "{standing}"
            );
        }
        // The last change decides, and only one about this version.
        let both = || vec![change(None, "promoted", 1), change(None, "retired", 2)];
        assert_eq!(found(&[("1.0.0", "retired")], both()), 0);
        assert_eq!(found(&[("1.0.0", "production")], both()), 1);
        assert_eq!(
            found(
                &[("1.0.0", "experimental")],
                vec![change(Some("2.0.0"), "promoted", 1)]
            ),
            0
        );
        let versions = [("1.0.0", "retired"), ("2.0.0", "production")];
        assert_eq!(found(&versions, vec![change(None, "promoted", 1)]), 0);
        assert_eq!(
            found(&[("1.0.0", "retired")], vec![]),
            0,
            "nothing is recorded at all"
        );
        let skills = Skills {
            manifests: vec![manifest("1.0.0", "experimental", "skills/make/meta.json")],
            changes: vec![change(None, "promoted", 1)],
            ..Skills::default()
        };
        assert_eq!(
            displaced(&skills).len(),
            0,
            "it is in no directory of a stage"
        );
    }
}
