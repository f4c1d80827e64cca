//! Output of commands: never over an input, never into a git directory, atomic.

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const TRACE: &str = include_str!("../../corpora/gate-demo/green/traces/diff-fix.jsonl");

fn run(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), text)
}

fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git2::Repository::init(root).unwrap();
    fs::create_dir(root.join("traces")).unwrap();
    fs::write(root.join("traces/a.jsonl"), TRACE).unwrap();
    fs::write(root.join("keys.json"), r#"{"keys":[]}"#).unwrap();
    fs::write(
        root.join("yuangs-verify.toml"),
        "[traces]\npaths = ['traces']\n[keys]\nfile = 'keys.json'\n",
    )
    .unwrap();
    folder
}

fn refused(root: &Path, args: &[&str], why: &str) {
    let before: Vec<_> = [
        "traces/a.jsonl",
        "yuangs-verify.toml",
        "keys.json",
        ".git/config",
    ]
    .map(|f| fs::read(root.join(f)).unwrap())
    .into_iter()
    .collect();
    let (code, said) = run(root, args);
    assert!(
        code == 2 && said.contains(why) && !said.contains("PASS"),
        "{args:?}: {code} {said}"
    );
    for (file, before) in [
        "traces/a.jsonl",
        "yuangs-verify.toml",
        "keys.json",
        ".git/config",
    ]
    .iter()
    .zip(before)
    {
        assert!(
            fs::read(root.join(file)).unwrap() == before,
            "{args:?} has changed {file}"
        );
    }
}

#[test]
fn nothing_that_is_read_is_overwritten_by_whatever_name() {
    let repository = repository();
    let root = repository.path();
    for file in [
        "traces/a.jsonl",
        "./traces/../traces/a.jsonl",
        "yuangs-verify.toml",
        "keys.json",
    ] {
        refused(
            root,
            &["gate", "--report", &format!("json={file}")],
            "is an input",
        );
        refused(root, &["gate", "--write-baseline", file], "is an input");
        if file.contains("traces") {
            refused(
                root,
                &["replay", "traces", "--report", &format!("html={file}")],
                "is an input",
            );
        }
    }
    refused(
        root,
        &[
            "replay",
            "traces",
            "--keys",
            "keys.json",
            "--report",
            "html=keys.json",
        ],
        "is an input",
    );
    let tool = r#"[{"name":"look","description":"Looks.","parameters":{"type":"object"}}]"#;
    fs::write(root.join("tools.json"), tool).unwrap();
    let arguments = ["replay", "traces", "--tools", "tools.json"];
    let arguments = [&arguments[..], &["--report", "json=tools.json"]].concat();
    refused(root, &arguments, "is an input");
    refused(
        root,
        &["validate", "tools.json", "--report", "json=tools.json"],
        "is an input",
    );
    fs::write(root.join("known.json"), "{\"version\":2,\"findings\":[]}").unwrap();
    refused(
        root,
        &[
            "gate",
            "--baseline",
            "known.json",
            "--report",
            "json=known.json",
        ],
        "is an input",
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("traces/a.jsonl", root.join("soft.json")).unwrap();
        std::os::unix::fs::symlink("traces", root.join("folder")).unwrap();
        fs::hard_link(root.join("traces/a.jsonl"), root.join("hard.json")).unwrap();
        std::os::unix::fs::symlink(".git/config", root.join("inside.json")).unwrap();
        for name in ["soft.json", "hard.json", "folder/a.jsonl"] {
            refused(
                root,
                &["gate", "--report", &format!("json={name}")],
                "is an input",
            );
            refused(
                root,
                &["replay", "traces", "--report", &format!("json={name}")],
                "is an input",
            );
        }
        refused(
            root,
            &["gate", "--report", "json=inside.json"],
            "git directory",
        );
    }
}

#[test]
fn nothing_is_written_into_a_git_directory() {
    let repository = repository();
    let root = repository.path();
    for file in [
        ".git/config",
        ".git/hooks/post-checkout",
        "traces/../.git/x",
        ".GIT/x",
    ] {
        let file = &format!("json={file}");
        if !file.contains(".GIT") {
            refused(root, &["gate", "--report", file], "git directory");
        }
        let (code, said) = run(root, &["replay", "traces", "--report", file]);
        assert!(
            code == 2 && said.contains("git directory"),
            "{file}: {said}"
        );
    }
    refused(
        root,
        &["redact", "traces/a.jsonl", ".git/x"],
        "git directory",
    );
    refused(root, &["schema", "write", ".git/hooks"], "git directory");
    refused(
        root,
        &["gate", "--write-baseline", ".git/x"],
        "git directory",
    );
    // A bare repository may have any name.
    git2::Repository::init_bare(root.join("bare")).unwrap();
    refused(
        root,
        &["gate", "--report", "json=bare/hooks/x"],
        "git directory",
    );
}

#[test]
fn two_outputs_are_two_files() {
    let repository = repository();
    let root = repository.path();
    for other in ["a.json", "./a.json", "traces/../a.json", "A.json"] {
        let (code, said) = run(
            root,
            &[
                "gate",
                "--report",
                "json=a.json",
                "--report",
                &format!("html={other}"),
            ],
        );
        assert!(code == 2 && said.contains("two "), "{other}: {code} {said}");
    }
    assert!(!root.join("a.json").exists());
}

#[test]
fn a_report_replaces_an_older_one_and_keeps_what_it_may() {
    let repository = repository();
    let root = repository.path();
    fs::write(root.join("a.json"), "old").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(root.join("a.json"), fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink("a.json", root.join("link.json")).unwrap();
    }
    let target = if cfg!(unix) {
        "json=link.json"
    } else {
        "json=a.json"
    };
    assert_eq!(run(root, &["gate", "--report", target]).0, 0);
    assert!(
        fs::read_to_string(root.join("a.json"))
            .unwrap()
            .contains("\"executions\"")
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert!(root.join("link.json").is_symlink());
        assert_eq!(
            fs::metadata(root.join("a.json"))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
        assert_eq!(run(root, &["gate", "--report", "json=/dev/null"]).0, 0);
        let (code, said) = run(root, &["gate", "-q", "--report", "json=/dev/stdout"]);
        assert!(code == 0 && said.contains("\"executions\""), "{said}");
    }
    let left: Vec<_> = fs::read_dir(root)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains("tmp~")),
        "{left:?}"
    );
    // A baseline may replace itself.
    assert_eq!(run(root, &["gate", "--write-baseline", "b.json"]).0, 0);
    assert_eq!(run(root, &["gate", "--write-baseline", "b.json"]).0, 0);
    assert_eq!(run(root, &["gate", "--baseline", "b.json"]).0, 0);
}

#[cfg(unix)]
#[test]
fn a_hint_fits_what_went_wrong() {
    let repository = repository();
    let root = repository.path();
    fs::create_dir(root.join("out")).unwrap();
    std::os::unix::fs::symlink("circle", root.join("circle")).unwrap();
    let said = |args: &[&str], hint: &str| {
        let (code, said) = run(root, args);
        assert!(code == 2 && said.contains(hint), "{args:?}: {code} {said}");
    };
    said(
        &["replay", "traces", "--report", "json=out"],
        "it is a directory",
    );
    said(
        &["replay", "traces", "--report", "json=none/x"],
        "its directory must exist",
    );
    said(&["explain", "circle"], "can't read `circle`");
    said(&["explain", "none"], "there is no such file");
    said(&["gate", "--config", "out"], "it is a directory");
    if Path::new("/dev/full").exists() {
        said(
            &["replay", "traces", "--report", "json=/dev/full"],
            "no space left",
        );
    }
}

#[cfg(unix)]
#[test]
fn standard_input_that_is_a_file_is_not_overwritten() {
    let repository = repository();
    let root = repository.path();
    let input = root.join("traces/a.jsonl");
    fs::write(root.join("in.jsonl"), TRACE).unwrap();
    for args in [
        &["replay", "-", "--report", "json=in.jsonl"][..],
        &["replay", "-", "--report", "json=traces/../in.jsonl"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
            .current_dir(root)
            .args(args)
            .stdin(fs::File::open(root.join("in.jsonl")).unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
        assert_eq!(fs::read_to_string(root.join("in.jsonl")).unwrap(), TRACE);
    }
    // A pipe is no file.
    let mut piped = Command::new("sh");
    let shell = format!(
        "cat traces/a.jsonl | '{}' replay - --report json=o.json",
        env!("CARGO_BIN_EXE_yuangs-verify")
    );
    let status = piped
        .args(["-c", &shell])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(status.status.success(), "{status:?}");
    assert!(input.is_file() && root.join("o.json").is_file());
}
