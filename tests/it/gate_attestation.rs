//! Attestations of the gate.

use super::gate::{GREEN, PLAIN, RED, gate, repository};
use super::support::run;
use std::fs;
use tempfile::TempDir;

/// The private key of RFC 8410, section 10.3, and its public key.
pub(super) const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";

pub(super) const TRUST: &str = r#"{"keys":[{"keyId":"ci","publicKey":"Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=","signer":"the gate"}]}"#;

pub(super) const ATTEST: [&str; 8] = [
    "--attest",
    "a.json",
    "--attest-key",
    "key.pem",
    "--attest-key-id",
    "ci",
    "--now",
    "2027-01-31",
];

fn repository_with_keys() -> TempDir {
    let repository = repository(PLAIN, GREEN);
    fs::write(repository.path().join("key.pem"), KEY).unwrap();
    fs::write(repository.path().join("trust.json"), TRUST).unwrap();
    repository
}

#[test]
fn an_attestation_says_how_the_gate_ended_and_about_which_files() {
    let repository = repository_with_keys();
    let root = repository.path();
    let verify = |signer: &str| {
        run(
            root,
            &[
                "attest",
                "verify",
                "a.json",
                "--keys",
                "trust.json",
                "--signer",
                signer,
            ],
        )
    };
    assert_eq!(gate(root, &ATTEST).code, 0);
    let ran = verify("the gate");
    assert!(
        ran.code == 0 && ran.out.contains("PASS attested by the gate: 1 files"),
        "{}",
        ran.out
    );
    assert_eq!(verify("somebody else").code, 1);
    fs::write(root.join("traces/a.jsonl"), RED).unwrap();
    assert!(
        verify("the gate")
            .out
            .contains("traces/a.jsonl isn't what was attested")
    );
    // A failed gate is attested as failed.
    assert_eq!(gate(root, &ATTEST).code, 1);
    let ran = verify("the gate");
    assert!(
        ran.code == 1 && ran.out.contains("the gate did not pass: failed"),
        "{}",
        ran.out
    );
    // The `attest` command does the same.
    fs::write(root.join("traces/a.jsonl"), GREEN).unwrap();
    let own = [
        "attest",
        "--key",
        "key.pem",
        "--key-id",
        "ci",
        "--now",
        "2027-01-31",
        "--output",
        "b.json",
    ];
    assert_eq!(gate(root, &ATTEST).code, 0);
    assert_eq!(run(root, &own).code, 0);
    assert_eq!(
        fs::read(root.join("a.json")).unwrap(),
        fs::read(root.join("b.json")).unwrap()
    );
    assert_eq!(run(root, &own[..7]).code, 2, "where to?");
    fs::write(root.join("traces/a.jsonl"), "").unwrap();
    assert_eq!(gate(root, &ATTEST).code, 3);
    assert!(
        verify("the gate")
            .out
            .contains("the gate did not pass: undecided")
    );
    assert_eq!(
        gate(root, &ATTEST[..6]).code,
        2,
        "an attestation needs a time"
    );
    assert_eq!(
        gate(
            root,
            &[&ATTEST[..], &["--write-baseline", "b.json"]].concat()
        )
        .code,
        2
    );
    fs::write(root.join("key.pem"), "no key").unwrap();
    assert_eq!(gate(root, &ATTEST).code, 2);
}

/// A statement doesn't apply to another change.
#[test]
fn an_attestation_is_about_all_that_the_gate_would_read() {
    let repository = repository_with_keys();
    let root = repository.path();
    let verify = |more: &[&str]| {
        run(
            root,
            &[
                &[
                    "attest",
                    "verify",
                    "a.json",
                    "--keys",
                    "trust.json",
                    "--signer",
                    "the gate",
                ],
                more,
            ]
            .concat(),
        )
    };
    assert_eq!(gate(root, &ATTEST).code, 0);
    assert_eq!(verify(&[]).code, 0);
    fs::write(root.join("traces/evil.jsonl"), RED).unwrap();
    assert!(
        verify(&[])
            .out
            .contains("FAIL traces/evil.jsonl lies here and wasn't attested")
    );
    fs::remove_file(root.join("traces/evil.jsonl")).unwrap();
    fs::write(
        root.join("yuangs-verify.toml"),
        format!("# other words\n{PLAIN}"),
    )
    .unwrap();
    assert!(
        verify(&[])
            .out
            .contains("FAIL the configuration isn't what was attested")
    );
    fs::remove_file(root.join("yuangs-verify.toml")).unwrap();
    assert_eq!(verify(&[]).code, 1);
    // A threshold that ignores errors doesn't make them acceptable.
    fs::write(root.join("yuangs-verify.toml"), PLAIN).unwrap();
    fs::write(root.join("traces/a.jsonl"), RED).unwrap();
    let ran = gate(root, &[&ATTEST[..], &["--fail-on", "never"]].concat());
    assert!(
        ran.code == 0 && ran.out.contains("fail-on = \"never\""),
        "{}",
        ran.out
    );
    assert!(verify(&[]).out.contains("FAIL the gate let 1 errors pass"));
    assert_eq!(verify(&["--fail-on", "never"]).code, 0);
    #[cfg(unix)]
    {
        fs::remove_file(root.join("traces/a.jsonl")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", root.join("traces/a.jsonl")).unwrap();
        assert_eq!(verify(&[]).code, 1, "a device isn't read");
    }
}

#[test]
fn how_the_configuration_is_named_changes_no_name() {
    let folder = repository("[traces]\npaths = ['.traces', './traces']\n", GREEN);
    let root = folder.path();
    fs::create_dir(root.join(".traces")).unwrap();
    fs::write(root.join(".traces/a.jsonl"), RED).unwrap();
    let here = gate(root, &["--format", "json"]).out;
    assert!(
        here.contains("\".traces/a.jsonl\"") && here.contains("\"traces/a.jsonl\""),
        "{here}"
    );
    let around = format!(
        "../{}/yuangs-verify.toml",
        root.file_name().unwrap().to_str().unwrap()
    );
    for config in ["./yuangs-verify.toml", &around] {
        assert_eq!(
            gate(root, &["--config", config, "--format", "json"]).out,
            here,
            "{config}"
        );
    }
}
