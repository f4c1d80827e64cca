//! No detector becomes worse: precision and recall over the corpora stay above their floors.

use std::path::{Path, PathBuf};
use std::process::Command;
use yuangs_verify::detectors::{measure, rule_of};

/// Minimum precision and recall in tenths of a percent: the values when the corpora were written,
/// rounded down.
const FLOORS: [(&str, u64, u64); 12] = [
    ("YV601-references", 1000, 1000),
    ("YV602-context", 960, 1000),
    ("YV603-context-diffs", 1000, 1000),
    ("YV604-cut-outputs", 1000, 950),
    ("YV605-context-budgets", 1000, 1000),
    ("YV606-conditions", 1000, 1000),
    ("YV701-malformed-diffs", 1000, 1000),
    ("YV702-diffs-that-apply", 1000, 1000),
    ("YV703-paths", 1000, 1000),
    ("YV704-changes", 1000, 1000),
    ("YV705-protected-paths", 1000, 1000),
    ("YV804-hidden-text", 1000, 980),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora")
}

#[test]
fn detectors_keep_their_precision_and_recall() {
    for (name, precision, recall) in FLOORS {
        let text =
            std::fs::read_to_string(folder().join(format!("detectors/{name}.jsonl"))).unwrap();
        let measured = measure(rule_of(name).unwrap(), &text);
        assert!(!measured.has_unreadable(), "{name}: {:?}", measured.wrong);
        assert!(
            measured.found + measured.missed >= 48 && measured.quiet + measured.false_alarms >= 60,
            "{name}: {measured:?}"
        );
        assert!(
            measured.precision().unwrap() >= precision,
            "{name}: {:?} {:?}",
            measured.precision(),
            measured.wrong
        );
        assert!(
            measured.recall().unwrap() >= recall,
            "{name}: {:?} {:?}",
            measured.recall(),
            measured.wrong
        );
    }
    let files = std::fs::read_dir(folder().join("detectors")).unwrap();
    let corpora = files
        .filter(|e| {
            e.as_ref()
                .unwrap()
                .path()
                .extension()
                .is_some_and(|e| e == "jsonl")
        })
        .count();
    assert_eq!(corpora, FLOORS.len(), "each corpus has a floor");
}

#[test]
fn the_command_prints_each_detector_and_fails_below_a_floor() {
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
            .current_dir(folder())
            .args(["detectors", "measure"])
            .args(arguments)
            .output()
            .unwrap()
    };
    let output = run(&[".", "--floor", "90"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    for (name, ..) in FLOORS {
        assert!(text.contains(name.split('-').next().unwrap()), "{text}");
    }
    assert!(text.contains("YV803 secret-in-trace"));
    let docs = std::fs::read_to_string(folder().join("../docs/detectors.md")).unwrap();
    assert!(
        docs.contains(text.trim()),
        "docs/detectors.md holds what `detectors measure` prints:\n{text}"
    );
    assert_eq!(run(&["/dev/null/none"]).status.code(), Some(2));
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(
        run(&[empty.path().to_str().unwrap()]).status.code(),
        Some(2)
    );
    std::fs::create_dir(empty.path().join("detectors")).unwrap();
    let rows = |text: &str| {
        std::fs::write(empty.path().join("detectors/YV604-x.jsonl"), text).unwrap();
        run(&[empty.path().to_str().unwrap()]).status.code()
    };
    assert_eq!(
        (rows("# nothing\n"), rows("{\"nonsense\":1}\n")),
        (Some(3), Some(2))
    );
    assert_eq!(
        rows("{\"finds\":false,\"output\":\"x\"}\n{\"finds\":true,\"output\":\"x\"}\n"),
        Some(0)
    );
    assert_eq!(
        run(&[empty.path().to_str().unwrap(), "--floor", "1"])
            .status
            .code(),
        Some(1)
    );
}
