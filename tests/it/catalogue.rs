//! Generated files in the repository are up to date.

use std::collections::BTreeSet;
use std::path::Path;
use yuangs_verify::cli;
use yuangs_verify::report::Lang;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Fails with a readable difference.
fn same(name: &str, old: &str, new: &str, how: &str) {
    if old != new {
        let diff = similar::TextDiff::from_lines(old, new)
            .unified_diff()
            .context_radius(2)
            .to_string();
        panic!("{name} isn't what the code gives; {how}\n{diff}");
    }
}

#[test]
fn checked_in_schemas_are_the_generated_ones() {
    let catalogue = cli::schemas();
    let mut expected = BTreeSet::new();
    for entry in catalogue.entries() {
        let file = format!("{}.schema.json", entry.name);
        let text = std::fs::read_to_string(root().join("schemas").join(&file)).unwrap_or_default();
        same(
            &file,
            &text,
            &format!("{}\n", cli::schema_text(&entry.schema)),
            "run `cargo run -- schema write schemas`",
        );
        expected.insert(file);
    }
    let there: BTreeSet<String> = std::fs::read_dir(root().join("schemas"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        there, expected,
        "schemas/ holds a file that no schema is written to"
    );
}

#[test]
fn the_documentation_lists_every_rule() {
    let page = std::fs::read_to_string(root().join("docs/rules.md")).unwrap();
    let table = page
        .split_once("<!-- rules -->\n")
        .and_then(|(_, rest)| rest.split_once("<!-- /rules -->"))
        .map(|(table, _)| table);
    same(
        "docs/rules.md",
        table.expect("the markers are there").trim(),
        cli::rules_table(Lang::En).trim(),
        "run `cargo run -- rules --format markdown`",
    );
}
