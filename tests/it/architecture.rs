//! The arrows between the modules point down. ARCHITECTURE.md draws them; this holds them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Who may use whom. `cli` and the wiring may use everything below them.
const ARROWS: &[(&str, &[&str])] = &[
    ("bits", &[]),
    ("json", &["bits"]),
    ("time", &[]),
    ("source", &["json"]),
    ("tokens", &["bits"]),
    ("workspace", &["command", "diag"]),
    ("diag", &[]),
    ("unseen", &[]),
    ("escape", &["unseen"]),
    ("schema", &["json", "time"]),
    ("governance", &[]),
    ("random", &[]),
    ("syntax", &[]),
    ("quoting", &[]),
    ("command", &["random", "syntax", "unseen", "json"]),
    ("scan", &["json", "random", "bits"]),
    (
        "trace",
        &[
            "governance",
            "schema",
            "scan",
            "json",
            "time",
            "diag",
            "unseen",
        ],
    ),
    ("policy", &["command", "governance", "trace", "json"]),
    (
        "replay",
        &[
            "governance",
            "trace",
            "json",
            "command",
            "workspace",
            "policy",
            "tokens",
            "quoting",
        ],
    ),
    (
        "rules",
        &[
            "replay",
            "policy",
            "governance",
            "trace",
            "json",
            "diag",
            "unseen",
        ],
    ),
    (
        "verify",
        &[
            "rules",
            "replay",
            "governance",
            "trace",
            "scan",
            "schema",
            "source",
            "json",
            "diag",
            "workspace",
        ],
    ),
    (
        "report",
        &[
            "escape",
            "verify",
            "rules",
            "replay",
            "governance",
            "trace",
            "command",
            "diag",
        ],
    ),
    (
        "trajectory",
        &[
            "report",
            "verify",
            "replay",
            "policy",
            "command",
            "governance",
            "trace",
            "scan",
            "json",
            "diag",
        ],
    ),
    (
        "manifest",
        &[
            "schema",
            "scan",
            "trace",
            "rules",
            "workspace",
            "json",
            "time",
            "diag",
            "unseen",
        ],
    ),
    // A map of code is a layer of knowledge.
    (
        "knowledge",
        &[
            "manifest", "command", "repomap", "quoting", "random", "verify", "rules", "trace",
            "scan", "source", "json", "tokens", "bits", "time", "diag",
        ],
    ),
    ("attest", &["trace"]),
    ("redact", &["trace", "scan", "json"]),
    ("detectors", &["verify", "rules", "replay", "diag"]),
    ("repomap", &["workspace", "tokens", "escape", "syntax"]),
    (
        "config",
        &[
            "verify", "rules", "replay", "trace", "time", "diag", "unseen",
        ],
    ),
    (
        "cli",
        &[
            "trajectory",
            "attest",
            "redact",
            "detectors",
            "knowledge",
            "manifest",
            "config",
            "time",
            "tokens",
            "workspace",
            "command",
            "policy",
            "scan",
            "json",
            "workspace",
            "verify",
            "repomap",
            "tokens",
            "workspace",
            "report",
            "rules",
            "replay",
            "governance",
            "trace",
            "schema",
            "source",
            "unseen",
            "diag",
        ],
    ),
];

fn sources(folder: &Path, all: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path
                .strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
                .unwrap();
            let name = name.to_string_lossy().replace('\\', "/");
            all.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
}

fn all_sources() -> Vec<(String, String)> {
    let mut all = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    assert!(all.len() > 50);
    all
}

#[test]
fn modules_use_only_what_lies_below_them() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> = ARROWS
        .iter()
        .map(|(m, uses)| (*m, uses.iter().copied().collect()))
        .collect();
    let mut seen = 0;
    for (file, text) in all_sources() {
        let module = file.split(['/', '.']).next().unwrap().to_owned();
        if module == "lib" || module == "main" {
            continue;
        }
        let uses = &allowed
            .get(module.as_str())
            .unwrap_or_else(|| panic!("the module `{module}` is not on the map"));
        // Tests may look around.
        let code = text.split("#[cfg(test)]").next().unwrap();
        for part in code.split("crate::").skip(1) {
            let target: String = part
                .chars()
                .take_while(|c| c.is_ascii_lowercase() || *c == '_')
                .collect();
            seen += 1;
            assert!(
                target == module || uses.contains(target.as_str()),
                "{file}: `{module}` must not use `{target}`"
            );
        }
    }
    assert!(seen > 100);
}

#[test]
fn only_the_command_line_touches_the_outside() {
    for (file, text) in all_sources() {
        let code = text.split("#[cfg(test)]").next().unwrap();
        if file.ends_with("tests.rs") {
            continue;
        }
        for forbidden in [
            "println!",
            "eprintln!",
            "std::env::var",
            "SystemTime::now",
            "Instant::now",
            "current_dir()",
        ] {
            assert!(
                file.starts_with("cli/") || !code.contains(forbidden),
                "{file} uses {forbidden}"
            );
        }
    }
}

#[test]
fn files_stay_small() {
    for (file, text) in all_sources() {
        assert!(
            text.lines().count() <= 800,
            "{file} has {} lines",
            text.lines().count()
        );
    }
}
