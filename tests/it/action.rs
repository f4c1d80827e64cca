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
    let directory = tempfile::tempdir().unwrap();
    let (output, summary) = (
        directory.path().join("output"),
        directory.path().join("summary"),
    );
    let ran = Command::new("bash")
        .arg(root.join(".github/actions/replay-gate/run.sh"))
        .current_dir(place)
        .env_remove("GITHUB_WORKSPACE")
        .env("CONFIG", config)
        .env("TOOL", env!("CARGO_BIN_EXE_yuangs-verify"))
        .env("RUNNER_TEMP", directory.path())
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
fn the_summary_is_in_the_language_that_is_asked_for() {
    let chinese = [("REPORT_LANG", "zh")];
    let (code, shown, output, summary) = run("corpora/gate-demo/red/yuangs-verify.toml", &chinese);
    assert_eq!(code, 1);
    assert!(
        summary.starts_with("## ❌ yuangs-verify 未通过"),
        "{summary}"
    );
    // The output for the runner and for the next step is unchanged.
    assert!(shown.contains("::error file="), "{shown}");
    assert!(output.contains("errors=1\nwarnings=0\n"), "{output}");
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
    let git = |directory: &Path, args: &[&str]| {
        let identity = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "-c",
            "commit.gpgsign=false",
        ];
        let ran = Command::new("git")
            .current_dir(directory)
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

#[test]
fn what_could_not_be_verified_is_annotated_summarised_and_commented() {
    let (code, shown, output, summary) = run("no%such\n::error::file.toml", &[]);
    assert_eq!(code, 2);
    assert!(
        shown.contains("::error title=yuangs-verify::error: can't read `no%25such\\n::error::"),
        "{shown}"
    );
    assert_eq!(shown.lines().count(), 1, "{shown}");
    assert!(
        summary.starts_with("## ⚠️ yuangs-verify could not verify (exit code 2)\n\n    error: "),
        "{summary}"
    );
    assert!(output.contains("\ncomment="), "{output}");

    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("traces")).unwrap();
    let config = "[traces]\npaths = ['traces']\n";
    fs::write(place.path().join("yuangs-verify.toml"), config).unwrap();
    let (code, shown, _, summary) = run_in(place.path(), "yuangs-verify.toml", &[]);
    assert!(
        code == 3
            && shown.contains("::error title=yuangs-verify::nothing was verified")
            && summary.contains("nothing was verified"),
        "{shown}{summary}"
    );
    let off = [("ANNOTATIONS", "false")];
    let (code, shown, ..) = run_in(place.path(), "yuangs-verify.toml", &off);
    assert!(code == 3 && !shown.contains("::error"), "{shown}");
}

/// A directory with scripts that replace programs.
struct Fakes(tempfile::TempDir);

impl Fakes {
    fn new(programs: &[(&str, &str)]) -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        for (name, script) in programs {
            let path = directory.path().join(name);
            fs::write(&path, format!("#!/usr/bin/env bash\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(directory)
    }

    /// Runs a script. Returns the exit code, with the text it prints and its outputs.
    fn bash(&self, script: &Path, variables: &[(&str, &str)]) -> (i32, String) {
        let path = std::env::var("PATH").unwrap();
        let output = self.0.path().join("output");
        let _ = fs::remove_file(&output);
        let ran = Command::new("bash")
            .arg(script)
            .current_dir(self.0.path())
            .env("PATH", format!("{}:{path}", self.0.path().display()))
            .env("RUNNER_TEMP", self.0.path())
            .env("GITHUB_OUTPUT", &output)
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let said = [ran.stdout, ran.stderr].concat();
        let put = fs::read_to_string(&output).unwrap_or_default();
        let said = String::from_utf8(said).unwrap() + &put;
        (ran.status.code().unwrap(), said)
    }
}

#[test]
fn the_pinned_release_is_installed_or_nothing() {
    let fakes = Fakes::new(&[
        (
            "curl",
            "[ -n \"$ARCHIVE\" ] || exit 22
while [ $# -gt 1 ]; do [ \"$1\" != --output ] || cp \"$ARCHIVE\" \"$2\"; shift; done; echo \"from $1\"",
        ),
        ("gh", "echo \"gh $*\"; exit \"${VERIFIED:-0}\""),
    ]);
    let root = fakes.0.path();
    let action = root.join("source/.github/actions/replay-gate");
    fs::create_dir_all(&action).unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/actions/replay-gate");
    fs::copy(from.join("install.sh"), action.join("install.sh")).unwrap();
    let manifest = "version = \"1.2.3\"\nrepository = \"https://forge.example/o/yuangs-verify\"\n";
    fs::write(root.join("source/Cargo.toml"), manifest).unwrap();

    let name = "yuangs-verify-v1.2.3-x86_64-unknown-linux-musl";
    fs::create_dir(root.join(name)).unwrap();
    let program = root.join(name).join("yuangs-verify");
    fs::write(&program, "#!/bin/sh\necho yuangs-verify 1.2.3\n").unwrap();
    let pack = format!(
        "chmod +x {name}/yuangs-verify && tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz"
    );
    let ran = Command::new("bash")
        .args(["-c", &pack])
        .current_dir(root)
        .output()
        .unwrap();
    let sums = String::from_utf8(ran.stdout).unwrap();
    let archive = root.join(format!("{name}.tar.gz"));
    let archive = archive.to_str().unwrap();
    let install = |sums: &str, variables: &[(&str, &str)]| {
        fs::write(action.join("SHA256SUMS"), format!("# pinned\n{sums}")).unwrap();
        let machine = [
            ("RUNNER_OS", "Linux"),
            ("RUNNER_ARCH", "X64"),
            ("GH_TOKEN", "t"),
            ("ARCHIVE", archive),
        ];
        fakes.bash(
            &action.join("install.sh"),
            &[&machine[..], variables].concat(),
        )
    };

    let (code, said) = install(&sums, &[]);
    assert!(code == 0 && !said.contains("build="), "{said}");
    assert!(said.contains("\nyuangs-verify 1.2.3\ntool=/"), "{said}");
    assert!(
        said.contains(&format!(
            "from https://forge.example/o/yuangs-verify/releases/download/v1.2.3/{name}.tar.gz\n"
        )),
        "{said}"
    );
    assert!(
        said.contains(
            "--repo o/yuangs-verify --signer-workflow o/yuangs-verify/.github/workflows/"
        ),
        "{said}"
    );
    let (code, said) = install(&sums, &[("ATTESTATION", "false")]);
    assert!(
        code == 0 && said.contains("tool=/") && !said.contains("gh a"),
        "{said}"
    );

    let forged = format!("{}{}", "0".repeat(64), &sums[64..]);
    for (sums, variables) in [(forged.as_str(), ("A", "")), (&sums, ("VERIFIED", "1"))] {
        let (code, said) = install(sums, &[variables]);
        assert!(
            code == 2 && said.contains("::error") && !said.contains("tool="),
            "{said}"
        );
        assert!(!said.contains("build="), "nothing stands in for it: {said}");
    }

    let older = sums.replace("v1.2.3", "v1.2.2");
    assert!(install(&older, &[]).1.contains("build=true\n"));
    let unpinned = ("RUNNER_ARCH", "RISCV");
    for variables in [("ARCHIVE", ""), unpinned] {
        let (code, said) = install(&sums, &[variables]);
        assert!(
            code == 0 && said.contains("build=true\nkey=yuangs-verify-Linux-"),
            "{said}"
        );
    }
    assert!(install("", &[]).1.contains("build=true\n"));
}

#[test]
fn a_pull_request_has_one_comment() {
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/actions/replay-gate/comment.sh");
    let fakes = Fakes::new(&[(
        "gh",
        "[ -z \"${REFUSED:-}\" ] || exit 1
case $* in *--jq*) echo \"$FOUND\" ;; *) echo \"$*\" ;; esac",
    )]);
    let here = [
        ("GITHUB_REPOSITORY", "o/r"),
        ("COMMENT", "c.md"),
        ("PULL_REQUEST", "7"),
    ];
    let comment =
        |variables: &[(&str, &str)]| fakes.bash(&script, &[&here[..], variables].concat());
    let (code, said) = comment(&[("FOUND", "")]);
    assert!(
        code == 0 && said.contains("--method POST repos/o/r/issues/7/comments"),
        "{said}"
    );
    let (code, said) = comment(&[("FOUND", "12\n13")]);
    assert!(
        code == 0
            && said.contains("--method PATCH repos/o/r/issues/comments/12 --field body=@c.md"),
        "{said}"
    );
    let (code, said) = comment(&[("REFUSED", "yes")]);
    assert!(code == 0 && said.starts_with("::warning"), "{said}");
    let (code, said) = comment(&[("PULL_REQUEST", "")]);
    assert!(code == 0 && said.starts_with("There is no pull"), "{said}");
}

#[test]
fn a_weaker_policy_fails_its_regression_check() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = root.join(".github/scripts/policy-regression.sh");
    let fakes = Fakes::new(&[]);
    let here = fakes.0.path();
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let ran = Command::new("git")
            .current_dir(here)
            .args(identity)
            .args(args)
            .status();
        assert!(ran.unwrap().success(), "{args:?}");
    };
    let policy = |word: &str| {
        format!(
            "version: 1
id: p
combine: deny-overrides
default: {{ effect: deny, reason: no }}
rules:
  - id: looks
    when: {{ effects: [read, git_read] }}
    effect: {word}
    reason: Only looks
"
        )
    };
    fs::write(here.join("p.yaml"), policy("require_approval")).unwrap();
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "base"]);
    fs::write(here.join("p.yaml"), policy("allow")).unwrap();
    let variables = [
        ("TOOL", env!("CARGO_BIN_EXE_yuangs-verify")),
        ("POLICY", "p.yaml"),
        ("BASE", "main"),
        ("GITHUB_STEP_SUMMARY", "summary.md"),
    ];
    let (code, said) = fakes.bash(&script, &variables);
    assert!(code >= 1 && said.contains("main:p.yaml → p.yaml"), "{said}");
    assert!(
        said.contains("Compared with the base ended with exit code 1"),
        "{said}"
    );
    let summary = fs::read_to_string(here.join("summary.md")).unwrap();
    assert!(
        summary.contains("## Compared with the base: ❌ exit code 1\n\n    ")
            && summary.contains("\n    main:p.yaml"),
        "{summary}"
    );
    let proofs = "Proofs of the policy's own properties ended with exit code";
    let nothing = format!("::notice title=yuangs-verify::{proofs} 3");
    assert!(said.contains(&nothing), "{said}");
    // The policy tests itself, and only what it promises itself decides.
    let cases = "cases:
  - { name: looks, action: { type: shell_cmd, command: ls }, expect: allow }
  - { name: other, action: { type: shell_cmd, command: make }, near_miss: [looks], expect: deny }
";
    fs::write(here.join("p.test.yaml"), cases).unwrap();
    let own = |when: &str| {
        let text = policy("allow");
        format!("{text}properties:\n  - {{ id: own, for_all: {{ {when} }}, effect: deny }}\n")
    };
    let (refuted, doubtful, proved) = (
        own("command: { program: cat }"),
        own("any: [{ effects: [delete] }, { command: { program: rm, raw: '^ls$' } }]"),
        own("effects: [delete]"),
    );
    for (text, ends, said_of_it) in [
        (
            refuted,
            1,
            format!("::error title=yuangs-verify::{proofs} 1"),
        ),
        (
            doubtful,
            0,
            format!("::notice title=yuangs-verify::{proofs} 3"),
        ),
        (proved, 0, "proved       own".to_owned()),
    ] {
        fs::write(here.join("p.yaml"), text).unwrap();
        let (code, said) = fakes.bash(&script, &[&variables[..2], &[("BASE", "")]].concat());
        assert!(code == ends && said.contains(&said_of_it), "{code}: {said}");
    }
}

#[test]
#[cfg_attr(not(feature = "knowledge"), ignore = "needs knowledge")]
fn a_broken_line_does_not_stop_the_nightly_index() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/scripts/nightly-knowledge.sh");
    let fakes = Fakes::new(&[]);
    let here = fakes.0.path();
    fs::create_dir(here.join("traces")).unwrap();
    fs::write(here.join("traces/x.jsonl"), "{\"broken\"\n").unwrap();
    fs::write(
        here.join("a.md"),
        "# A\n\nA document that says something.\n",
    )
    .unwrap();
    let config = "[knowledge]\ntraces = ['traces']\ndocuments = ['a.md']\n";
    fs::write(here.join("k.toml"), config).unwrap();
    let variables = [
        ("TOOL", env!("CARGO_BIN_EXE_yuangs-verify")),
        ("CONFIG", "k.toml"),
        ("STORE", ".yuangs"),
        ("GITHUB_STEP_SUMMARY", "summary.md"),
    ];
    let night = |more: &[(&str, &str)]| fakes.bash(&script, &[&variables[..], more].concat());
    let (code, said) = night(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(here.join(".yuangs/index.db").exists());
    fs::write(here.join("a.md"), "# A\n\nA document that says more.\n").unwrap();
    let (code, said) = night(&[("FAIL_ON", "error")]);
    assert!(code == 1 && said.contains("::error"), "{said}");
    let summary = fs::read_to_string(here.join("summary.md")).unwrap();
    let drift = summary.find("# Drift since the last index").unwrap();
    assert!(
        summary[drift..].contains("YV905") && summary.contains("YV102"),
        "{summary}"
    );
    assert_eq!(night(&[("CONFIG", "none.toml")]).0, 2);
}
