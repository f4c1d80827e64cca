//! The composite action's script, run as the runner runs it.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

fn run(config: &str, variables: &[(&str, &str)]) -> (i32, String, String, String) {
    run_in(Path::new(env!("CARGO_MANIFEST_DIR")), config, variables)
}

fn run_in(place: &Path, config: &str, variables: &[(&str, &str)]) -> (i32, String, String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let (output, summary) = (folder.path().join("output"), folder.path().join("summary"));
    let ran = Command::new("bash")
        .arg(root.join(".github/actions/replay-gate/run.sh"))
        .current_dir(place)
        .env_remove("GITHUB_WORKSPACE")
        .env("CONFIG", config)
        .env("TOOL", env!("CARGO_BIN_EXE_yuangs-verify"))
        .env("RUNNER_TEMP", folder.path())
        .env("GITHUB_OUTPUT", &output)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    (
        ran.status.code().unwrap(),
        String::from_utf8(ran.stdout).unwrap(),
        read(output),
        read(summary),
    )
}

#[test]
fn it_fails_shows_and_counts() {
    let (code, shown, output, summary) = run("corpora/gate-demo/red/yuangs-verify.toml", &[]);
    assert_eq!(code, 1);
    assert!(
        shown.contains("::error file=corpora/gate-demo/red/traces/diff-fix.jsonl,line="),
        "{shown}"
    );
    assert!(
        output.starts_with("exit-code=1\nerrors=1\nwarnings=0\njson=")
            && output.contains("\nsarif="),
        "{output}"
    );
    assert!(
        summary.starts_with("## ❌ yuangs-verify failed"),
        "{summary}"
    );
}

#[test]
fn it_passes_and_is_quiet_where_it_is_told() {
    let off = [("ANNOTATIONS", "false"), ("SUMMARY", "false")];
    let (code, shown, output, summary) = run("corpora/gate-demo/green/yuangs-verify.toml", &off);
    assert_eq!((code, summary.as_str()), (0, ""));
    assert!(
        shown.contains("PASS")
            && !shown.contains("::")
            && output.starts_with("exit-code=0\nerrors=0\n"),
        "{shown}{output}"
    );
}

#[test]
fn inputs_are_words_and_no_script() {
    for hostile in [
        "$(touch /tmp/forged)",
        "x\"; exit 0; \"",
        "--help",
        "a\nexit-code=0",
    ] {
        let (code, _, output, _) = run(hostile, &[]);
        assert_eq!(code, 2, "{hostile}");
        assert!(output.starts_with("exit-code=2\n"), "{output}");
        let (code, ..) = run(
            "corpora/gate-demo/green/yuangs-verify.toml",
            &[("BASELINE", hostile)],
        );
        assert_eq!(code, 2, "{hostile}");
    }
}

#[test]
fn a_pull_request_is_checked_by_the_rules_of_its_base() {
    let (origin, clone) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (red, green) = ["red", "green"]
        .map(|c| {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("corpora/gate-demo")
                .join(c)
        })
        .into();
    let git = |folder: &Path, args: &[&str]| {
        let identity = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "-c",
            "commit.gpgsign=false",
        ];
        let ran = Command::new("git")
            .current_dir(folder)
            .args(identity)
            .args(args)
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    };
    let put = |from: &Path, name: &str| {
        fs::create_dir_all(origin.path().join("traces")).unwrap();
        fs::copy(from.join(name), origin.path().join(name)).unwrap();
    };
    git(origin.path(), &["init", "-q", "-b", "main"]);
    put(&green, "traces/diff-fix.jsonl");
    git(origin.path(), &["add", "."]);
    git(origin.path(), &["commit", "-qm", "none yet"]);
    let unruled = git(origin.path(), &["rev-parse", "HEAD"]);
    put(&green, "yuangs-verify.toml");
    git(origin.path(), &["add", "."]);
    git(origin.path(), &["commit", "-qm", "the rules"]);
    let base = git(origin.path(), &["rev-parse", "HEAD"]);
    git(origin.path(), &["checkout", "-qb", "change"]);
    put(&red, "traces/diff-fix.jsonl");
    let lax = "[traces]\npaths = ['traces']\n[[ignore]]\ncode = 'YV301'\nreason = 'fine'\n";
    fs::write(origin.path().join("yuangs-verify.toml"), lax).unwrap();
    git(origin.path(), &["commit", "-qam", "changes its own rules"]);
    git(
        origin.path(),
        &["config", "uploadpack.allowAnySHA1InWant", "true"],
    );
    let from = format!("file://{}", origin.path().display());
    git(
        clone.path(),
        &["clone", "-q", "--depth=1", "--branch=change", &from, "."],
    );

    let config = "yuangs-verify.toml";
    assert_eq!(
        run_in(clone.path(), config, &[]).0,
        0,
        "no pull request: the work tree's rules"
    );
    let (code, shown, output, _) = run_in(clone.path(), config, &[("BASE", &base)]);
    assert!(
        code == 1 && shown.contains("YV301") && output.starts_with("exit-code=1\nerrors=1\n"),
        "fetched, and red: {shown}"
    );
    assert_eq!(
        run_in(clone.path(), "./yuangs-verify.toml", &[("BASE", &base)]).0,
        1
    );
    let whole = clone.path().join(config);
    let here = clone.path().to_str().unwrap();
    let at = [("BASE", base.as_str()), ("GITHUB_WORKSPACE", here)];
    assert_eq!(
        run_in(clone.path(), whole.to_str().unwrap(), &at).0,
        1,
        "the same file by its whole path"
    );
    assert_eq!(
        run_in(
            clone.path(),
            config,
            &[("BASE", &base), ("CONFIG_FROM", "work-tree")]
        )
        .0,
        0
    );
    assert_eq!(
        run_in(clone.path(), config, &[("BASE", &unruled)]).0,
        2,
        "the base has none"
    );
    let (code, shown, _, summary) = run_in(
        clone.path(),
        config,
        &[("BASE", &unruled), ("FIRST_RUN", "true")],
    );
    assert!(
        code == 0 && summary.contains("so the rules are those of the work tree"),
        "{shown}{summary}"
    );
    for missing in [
        "0123456789012345678901234567890123456789",
        "--upload-pack=touch x",
        "main",
    ] {
        assert_eq!(
            run_in(
                clone.path(),
                config,
                &[("BASE", missing), ("FIRST_RUN", "true")]
            )
            .0,
            2,
            "{missing}"
        );
    }
    assert!(!clone.path().join("x").exists());
}
