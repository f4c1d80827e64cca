//! The scripts that package a release.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

fn script(name: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("bash");
    command.arg(root.join("packaging").join(name));
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
fn a_release_refuses_placeholders_and_another_version() {
    let ran = script("check.sh")
        .env("GITHUB_REF_NAME", "v99.0.0")
        .env("GITHUB_REPOSITORY", "owner/yuangs-verify")
        .output()
        .unwrap();
    let said = said(&ran);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("the tag is v99.0.0, but"), "{said}");
    // Only until the owner has set the addresses.
    let placeholder = env!("CARGO_PKG_HOMEPAGE").ends_with(".example");
    assert_eq!(
        said.contains("`homepage` in Cargo.toml is the placeholder"),
        placeholder,
        "{said}"
    );
}

#[test]
fn equal_input_gives_equal_archives() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let text = format!(
        "#!/bin/sh\ncase $1 in\n--version) echo yuangs-verify {} ;;\nman) echo page \
         >\"$3/yuangs-verify.1\" ;;\n*) echo \"$*\" ;;\nesac\n",
        env!("CARGO_PKG_VERSION")
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let name = format!(
        "yuangs-verify-v{}-some-unix-target",
        env!("CARGO_PKG_VERSION")
    );
    let pack = |to: &str| {
        let out = folder.path().join(to);
        fs::create_dir(&out).unwrap();
        let ran = script("pack.sh")
            .arg("some-unix-target")
            .args([&program, &out])
            .env("SOURCE_DATE_EPOCH", "1700000000")
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", said(&ran));
        out.join(format!("{name}.tar.gz"))
    };
    let (first, second) = (pack("first"), pack("second"));
    assert_eq!(fs::read(&first).unwrap(), fs::read(second).unwrap());
    let ran = Command::new("tar").arg("-tzf").arg(first).output().unwrap();
    let listed = String::from_utf8(ran.stdout).unwrap();
    for file in [
        "yuangs-verify",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "completions/_yuangs-verify",
        "completions/yuangs-verify.bash",
        "completions/yuangs-verify.elv",
        "completions/yuangs-verify.fish",
        "completions/yuangs-verify.ps1",
        "man/yuangs-verify.1",
    ] {
        assert!(
            listed.lines().any(|line| line == format!("{name}/{file}")),
            "{file}: {listed}"
        );
    }
}

#[test]
fn a_program_with_debug_information_is_too_large_to_release() {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("yuangs-verify");
    fs::File::create(&large)
        .unwrap()
        .set_len(64_000_001)
        .unwrap();
    let ran = script("pack.sh")
        .arg("some-unix-target")
        .arg(&large)
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1));
    assert!(said(&ran).contains("more than 64000000"), "{}", said(&ran));
}

/// Packages the program under test behind a line of shell, and runs the script that tests an
/// installation.
fn first_ten_minutes(line: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let built = env!("CARGO_BIN_EXE_yuangs-verify");
    fs::write(
        &program,
        format!("#!/bin/sh\n{line}\nexec '{built}' \"$@\"\n"),
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let packed = script("pack.sh")
        .arg("some-unix-target")
        .args([program.as_path(), folder.path()])
        .env("SOURCE_DATE_EPOCH", "1700000000")
        .output()
        .unwrap();
    assert!(packed.status.success(), "{}", said(&packed));
    let archive = String::from_utf8(packed.stdout).unwrap();
    let mut minutes = script("first-ten-minutes.sh");
    minutes.arg(archive.trim()).output().unwrap()
}

#[test]
fn a_stranger_gets_from_the_archive_to_a_red_and_a_green_gate() {
    let ran = first_ten_minutes("");
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(said(&ran).contains("error[YV703]"), "{}", said(&ran));
    for (line, error) in [
        (
            "[ \"$4\" != --report ] || exit 0",
            "ends with 0 instead of 1",
        ),
        (
            "[ \"$4\" != --report ] || { echo FAIL dangerous; exit 1; }",
            "nothing says `error[YV703]`",
        ),
    ] {
        let ran = first_ten_minutes(line);
        assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
        assert!(said(&ran).contains(error), "{}", said(&ran));
    }
}
