//! Builds without a feature refuse its commands and its sections of the configuration. The error
//! names the feature to build with. A test program of its own, so that a build with few features
//! doesn't compile all other tests.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::Command;
use yuangs_verify::features::Feature;

struct Finished {
    code: i32,
    out: String,
    err: String,
}

fn run(directory: &Path, args: &[&str]) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    let output = command.current_dir(directory).args(args).output().unwrap();
    Finished {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs a command that needs a feature. A build without it must refuse the command and name the
/// feature.
fn refused_unless_built(directory: &Path, feature: Feature, args: &[&str]) {
    let finished = run(directory, args);
    let name = feature.name();
    let refusal = format!("`{name}` is not part of this build: build with `--features {name}`");
    if feature.is_built() {
        assert!(
            !finished.err.contains("is not part of this build"),
            "{args:?}: {}",
            finished.err
        );
    } else {
        assert_eq!(finished.code, 2, "{args:?}: {}", finished.err);
        assert!(
            finished.err.contains(&refusal),
            "{args:?}: {}",
            finished.err
        );
        assert!(finished.out.is_empty(), "{args:?}: {}", finished.out);
    }
}

#[test]
fn commands_of_missing_features_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for args in [
        &["knowledge"][..],
        &["knowledge", "--help"],
        &["knowledge", "search", "--limit", "3", "-h"],
    ] {
        refused_unless_built(directory.path(), Feature::Knowledge, args);
    }
    for args in [
        &["repomap", "build", "--tokens", "9000"][..],
        &["repomap", "--help"],
    ] {
        refused_unless_built(directory.path(), Feature::Repomap, args);
    }
    for args in [
        &["policy", "fuzz", "--help"][..],
        &["policy", "mutate", "-x"],
    ] {
        refused_unless_built(directory.path(), Feature::PolicyFuzz, args);
    }
}

#[test]
fn commands_are_listed_in_every_build() {
    let directory = tempfile::tempdir().unwrap();
    let help = run(directory.path(), &["--help"]).out;
    for command in ["knowledge", "repomap"] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
    }
    let help = run(directory.path(), &["policy", "--help"]).out;
    for command in ["fuzz", "mutate"] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
    }
}

#[test]
fn sections_of_missing_features_are_refused() {
    for (section, feature) in [
        ("[repo-map]\nfile = 'REPOMAP.md'\n", Feature::Repomap),
        ("[knowledge]\ndocuments = []\n", Feature::Knowledge),
        ("[knowledge]\nrepomap = ['src']\n", Feature::Repomap),
        ("[knowledge]\nmodel = 'model'\n", Feature::Model2Vec),
    ] {
        // Without `knowledge`, the whole section needs that feature.
        let feature = if section.starts_with("[knowledge]") && !Feature::Knowledge.is_built() {
            Feature::Knowledge
        } else {
            feature
        };
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("yuangs-verify.toml"), section).unwrap();
        for args in [&["gate"][..], &["doctor"], &["config", "show"]] {
            refused_unless_built(directory.path(), feature, args);
        }
    }
}

#[test]
fn options_and_files_of_missing_features_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let skills = directory.path().join("skills");
    fs::create_dir(&skills).unwrap();
    fs::write(skills.join("promotions.jsonl"), "{}\n").unwrap();
    refused_unless_built(
        directory.path(),
        Feature::Knowledge,
        &["validate", "skills"],
    );
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/traces/demo");
    let parquet = [
        "export", demo, "--format", "parquet", "--table", "turns", "-o", "t",
    ];
    refused_unless_built(directory.path(), Feature::Parquet, &parquet);
    assert_eq!(
        directory.path().join("t").exists(),
        Feature::Parquet.is_built()
    );
    refused_unless_built(
        directory.path(),
        Feature::Knowledge,
        &["explain", demo, "--index", "index.db"],
    );
}
