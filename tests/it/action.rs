//! The composite action's script, run as the runner runs it.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

fn run(config: &str, variables: &[(&str, &str)]) -> (i32, String, String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let (output, summary) = (folder.path().join("output"), folder.path().join("summary"));
    let ran = Command::new("bash")
        .arg(root.join(".github/actions/replay-gate/run.sh"))
        .current_dir(root)
        .env("CONFIG", config)
        .env("TOOL", env!("CARGO_BIN_EXE_yuangs-verify"))
        .env("RUNNER_TEMP", folder.path())
        .env("GITHUB_OUTPUT", &output)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    (ran.status.code().unwrap(), String::from_utf8(ran.stdout).unwrap(), read(output), read(summary))
}

#[test]
fn it_fails_shows_and_counts() {
    let (code, shown, output, summary) = run("corpora/gate-demo/red/yuangs-verify.toml", &[]);
    assert_eq!(code, 1);
    assert!(shown.contains("::error file=traces/diff-fix.jsonl,line="), "{shown}");
    assert!(output.starts_with("exit-code=1\nerrors=1\nwarnings=0\njson=") && output.contains("\nsarif="), "{output}");
    assert!(summary.starts_with("## ❌ yuangs-verify failed"), "{summary}");
}

#[test]
fn it_passes_and_is_quiet_where_it_is_told() {
    let off = [("ANNOTATIONS", "false"), ("SUMMARY", "false")];
    let (code, shown, output, summary) = run("corpora/gate-demo/green/yuangs-verify.toml", &off);
    assert_eq!((code, summary.as_str()), (0, ""));
    assert!(shown.contains("PASS") && !shown.contains("::") && output.starts_with("exit-code=0\nerrors=0\n"), "{shown}{output}");
}

#[test]
fn inputs_are_words_and_no_script() {
    for hostile in ["$(touch /tmp/forged)", "x\"; exit 0; \"", "--help", "a\nexit-code=0"] {
        let (code, _, output, _) = run(hostile, &[]);
        assert_eq!(code, 2, "{hostile}");
        assert!(output.starts_with("exit-code=2\n"), "{output}");
        let (code, ..) = run("corpora/gate-demo/green/yuangs-verify.toml", &[("BASELINE", hostile)]);
        assert_eq!(code, 2, "{hostile}");
    }
}
