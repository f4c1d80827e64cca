//! Lines with inline code, as data: `policies/code/lines.test.yaml`.

use crate::{Context, RiskLevel, Table, analyse};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static TABLE: LazyLock<Table> = LazyLock::new(Table::builtin);

fn risk(line: &str) -> RiskLevel {
    analyse(line, &Context::new(&TABLE)).risk
}

fn lines() -> BTreeMap<RiskLevel, String> {
    serde_saphyr::from_str(include_str!("../../../../policies/code/lines.test.yaml")).unwrap()
}

#[test]
fn every_line_has_its_risk() {
    let mut wrong = Vec::new();
    for (expected, lines) in lines() {
        for line in lines.lines() {
            let found = risk(line);
            if found != expected {
                wrong.push(format!("{found:?} instead of {expected:?}: {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Replacing a text in code by a shell variable never makes the line harmless, unless it only reads
/// a file of that name.
#[test]
fn an_unknown_part_never_lowers_the_risk() {
    let mut wrong = Vec::new();
    for line in lines().remove(&RiskLevel::High).unwrap_or_default().lines() {
        // Other code rates the arguments of these.
        if [
            "readFileSync(",
            "getlines(",
            "'git'",
            "'dd'",
            "'find'",
            "'curl'",
            "'/home/dev/.ssh'",
            "'/root/.",
        ]
        .iter()
        .any(|part| line.contains(part))
        {
            continue;
        }
        let Some((_, code)) = line.split_once(" \"") else {
            continue;
        };
        let texts: Vec<&str> = code.split('\'').skip(1).step_by(2).collect();
        for text in texts.into_iter().filter(|t| !t.is_empty()) {
            let holed = line.replacen(&format!("'{text}'"), "'$X'", 1);
            if holed != line && risk(&holed) < RiskLevel::High {
                wrong.push(format!("{:?}: {holed}", risk(&holed)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_is_embedded() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies/code");
    let source = concat!(
        include_str!("language.rs"),
        include_str!("powershell/mod.rs")
    );
    for entry in std::fs::read_dir(dir).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name.ends_with(".test.yaml") || source.contains(&format!("code/{name}")),
            "{name}"
        );
    }
}

/// The amount of code that is compared with all other code is bounded.
#[test]
fn long_code_is_of_high_risk() {
    for part in [
        "a=(",
        "import a as b;",
        "x.replace(y);",
        "load(",
        "f(lambda x:",
    ] {
        let line = format!("python3 -c '{}'", part.repeat(10_000));
        assert_eq!(risk(&line), RiskLevel::High, "{part}");
    }
}

/// With an error at each token, the work of a grammar's parser grows with the square of the length.
/// So the parse is refused, and the code is of high risk.
#[test]
fn hostile_code_is_of_high_risk() {
    let mut wrong = Vec::new();
    for (start, patterns) in [
        ("python3 -c", ["-,", ":~", "?~"]),
        ("node -e", ["->", "-,", "?~"]),
        ("ruby -e", ["-,", "|+", ":~"]),
        ("php -r", ["-,", "?~", "|+"]),
    ] {
        for pattern in patterns {
            for length in [4_000, 8_000, 12_000, 60_000] {
                let line = format!("{start} '{}'", pattern.repeat(length / pattern.len()));
                let found = risk(&line);
                if found != RiskLevel::High {
                    wrong.push(format!("{found:?}: {start} {pattern:?} {length}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
