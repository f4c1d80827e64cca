//! `redact`: removes every secret, changes nothing else, and keeps valid records valid.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use content_scan::secret::sample::fill;
use ed25519_dalek::{Signer as _, SigningKey};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::Digest as _;
use yuangs_verify::redact::{Error, Keys, Outcome, redact};
use yuangs_verify::rules::Settings;
use yuangs_verify::trace::keys::TrustStore;
use yuangs_verify::verify::{Options, verify_reader};

fn key() -> SigningKey {
    SigningKey::from_bytes(&[9; 32])
}

fn trust() -> TrustStore {
    let public = STANDARD.encode(key().verifying_key().as_bytes());
    TrustStore::parse(&format!(
        r#"{{"keys":[{{"keyId":"k","publicKey":"{public}","signer":"alice"}}]}}"#
    ))
    .unwrap()
}

fn keys() -> Keys {
    Keys::from([("k".to_owned(), key())])
}

/// Builds a chained and signed execution of one turn whose command is `command`, and whose output
/// is `output`.
fn trace(id: &str, command: &str, output: &str) -> String {
    let payload = json!({ "command": command });
    let hash = yuangs_verify::trace::action::action_hash(
        "shell_cmd",
        strict_json::Raw::trusted(&payload.to_string()),
    );
    let core = json!({"executionId": id, "turnId": 1, "actionHash": hash, "status": "approved", "by": "human", "signer": "alice", "timestamp": 5000});
    let value = STANDARD.encode(
        key()
            .sign(
                strict_json::canonicalise(strict_json::Raw::trusted(&core.to_string())).as_bytes(),
            )
            .to_bytes(),
    );
    let records = [
        json!({"record": "execution_started", "timestamp": 1, "schemaVersion": "1.0", "rootIntent": "Do it", "fsmVersion": "1", "chain": "sha256", "policy": {"digest": "sha256:1"}}),
        json!({"record": "thought_generated", "turnId": 1, "timestamp": 2, "thought": {"reasoning": "Do it.", "done": false, "action": {"type": "shell_cmd", "payload": payload}}, "contextSnapshot": {"inputHash": "1", "systemPromptVersion": "1", "toolSetVersion": "1"}}),
        json!({"record": "action_proposed", "turnId": 1, "timestamp": 3, "action": {"id": "a1", "type": "shell_cmd", "payload": payload, "riskLevel": "high", "reasoning": "Do it."}}),
        json!({"record": "governance_decided", "turnId": 1, "timestamp": 5000, "decision": {"status": "approved", "by": "human", "actionId": "a1", "signer": "alice", "timestamp": 5000, "signature": {"keyId": "k", "alg": "ed25519", "value": value}}}),
        json!({"record": "execution_finished", "turnId": 1, "timestamp": 5001, "actionId": "a1", "result": {"success": true, "output": output}}),
        json!({"record": "observation_recorded", "turnId": 1, "timestamp": 5002, "observation": {"summary": "Seen.", "artifacts": []}}),
        json!({"record": "evaluation_made", "turnId": 1, "timestamp": 5003, "evaluation": {"kind": "terminate", "reason": "goal_satisfied"}}),
    ];
    let mut previous = "0".repeat(64);
    let mut text = String::new();
    for mut record in records {
        record["executionId"] = id.into();
        record["prev"] = previous.clone().into();
        let line = record.to_string();
        previous = util::hex(&sha2::Sha256::digest(line.as_bytes()));
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Returns the codes of a replay's findings.
fn codes(text: &str) -> Vec<String> {
    let options = Options {
        settings: Settings {
            keys: Some(trust()),
            ..Settings::default()
        },
        ..Options::default()
    };
    verify_reader("t.jsonl", text.as_bytes(), &options)
        .findings
        .iter()
        .map(|f| f.code.to_string())
        .collect()
}

#[test]
fn with_its_key_a_trace_is_as_sound_as_before() {
    let token = fill("ghp_⟦crc62:30⟧").unwrap();
    let before = trace(
        "e",
        &format!("git push https://u:{token}@example.org/r"),
        &format!("used {token}"),
    );
    assert_eq!(codes(&before), ["YV803"]);
    let (after, outcome) = redact(&before, &keys()).unwrap();
    assert!(!after.contains(&token));
    assert_eq!(codes(&after), [""; 0], "{after}");
    assert_eq!(
        (
            outcome.places,
            outcome.changed,
            outcome.signatures.recomputed,
            outcome.signatures.stale
        ),
        (3, 3, 1, 0)
    );
    assert_eq!((outcome.links.recomputed, outcome.links.stale), (5, 0));
    assert!(after.contains(r#""redaction":{"chain":"recomputed","secrets":1}"#));
}

#[test]
fn without_a_key_a_trace_says_what_no_longer_fits() {
    let token = fill("ghp_⟦crc62:30⟧").unwrap();
    let before = trace("e", &format!("echo {token}"), "ok");
    let (after, outcome) = redact(&before, &Keys::new()).unwrap();
    assert_eq!(codes(&after), ["YV801", "YV802"]);
    assert_eq!((outcome.signatures.stale, outcome.links.recomputed), (1, 0));
    assert!(outcome.links.stale > 0);
    assert!(after.contains(r#""signature":"stale""#) && after.contains(r#""chain":"stale""#));
}

#[test]
fn what_was_wrong_stays_wrong() {
    let token = fill("ghp_⟦crc62:30⟧").unwrap();
    let before = trace("e", &format!("echo {token}"), "ok").replace("\"approved\"", "\"rejected\"");
    let (after, outcome) = redact(&before, &keys()).unwrap();
    assert_eq!(outcome.signatures.stale, 1);
    let left = codes(&after);
    assert!(
        left.contains(&"YV801".to_owned()) && left.contains(&"YV802".to_owned()),
        "{left:?}"
    );
}

/// A link that was broken before isn't reported as recomputed, by neither of its records.
#[test]
fn a_record_says_what_became_of_its_links() {
    let token = fill("ghp_⟦crc62:30⟧").unwrap();
    let whole = trace("e", &format!("echo {token}"), &token);
    let chain = |text: &str| -> Vec<Option<String>> {
        let of = |line: &str| {
            serde_json::from_str::<Value>(line).unwrap()["metadata"]["redaction"]["chain"]
                .as_str()
                .map(String::from)
        };
        text.lines().map(of).collect()
    };
    let (stale, fresh) = (Some("stale".to_owned()), Some("recomputed".to_owned()));
    // Secrets are in the thought, the action and the result, and the decision is signed again.
    let expected = |first: &Option<String>| {
        vec![
            None,
            first.clone(),
            first.clone(),
            first.clone(),
            fresh.clone(),
            None,
            None,
        ]
    };
    assert_eq!(chain(&redact(&whole, &keys()).unwrap().0), expected(&fresh));
    // The action isn't linked to the thought, and since redaction changed the action, the decision
    // isn't linked to it.
    let action: Value = serde_json::from_str(whole.lines().nth(2).unwrap()).unwrap();
    let broken = whole.replace(action["prev"].as_str().unwrap(), &"ab".repeat(32));
    let (after, outcome) = redact(&broken, &keys()).unwrap();
    assert_eq!(outcome.links.stale, 2);
    assert_eq!(chain(&after), expected(&stale), "{after}");
}

/// The signed and linked parts are in other records than the secret.
#[test]
fn a_sealed_document_with_a_secret_is_refused() {
    let token = fill("ghp_⟦crc62:30⟧").unwrap();
    let document = |text: &str| format!("[\n{}\n]\n", text.trim_end().replace('\n', ",\n"));
    let without = |text: &str, names: [&str; 2]| {
        let records = text.lines().map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            record
                .as_object_mut()
                .unwrap()
                .retain(|name, _| !names.contains(&name.as_str()));
            record.to_string() + "\n"
        });
        records.collect::<String>()
    };
    let whole = trace("e", &format!("echo {token}"), "ok");
    let signed = without(&whole, ["chain", "prev"]);
    assert_eq!(codes(&document(&signed)), ["YV803"]);
    for sealed in [
        document(&whole),
        document(&signed),
        document(&signed.replace("\"signature\"", r#""\u0073ignature""#)),
        document(&without(
            &trace("e", "ls", &token).replace("signature", "note"),
            ["chain", ""],
        )),
    ] {
        for keys in [keys(), Keys::new()] {
            assert!(
                matches!(redact(&sealed, &keys), Err(Error::SealedDocument)),
                "{sealed}"
            );
        }
    }
    let plain = document(&signed.replace("signature", "note"));
    assert!(!redact(&plain, &Keys::new()).unwrap().0.contains(&token));
    let innocent = document(&trace("e", "ls", "ok"));
    assert_eq!(redact(&innocent, &Keys::new()).unwrap().0, innocent);
}

/// A secret that is printed in two pieces is found in every version of a recording.
#[test]
fn every_version_of_a_recording_is_read_over_its_frames() {
    let token = fill("ghp_⟦crc62:30⟧").unwrap();
    let (first, second) = token.split_at(9);
    let one =
        json!({"version": 1, "width": 80, "height": 24, "stdout": [[0.5, first], [0.25, second]]});
    let header = json!({"version": 3, "term": {"cols": 80, "rows": 24}});
    let [a, b] = [first, second].map(|text| json!([0.5, "o", text]));
    let recordings = [
        format!("{one}\n"),
        format!("{one:#}\n"),
        format!("{header}\n{a}\n# a comment\n{b}\n"),
        format!("{header}\n# {token}\n"),
    ];
    for before in recordings {
        assert_eq!(codes(&before), ["YV212", "YV803"], "{before}");
        let (after, outcome) = redact(&before, &Keys::new()).unwrap();
        assert!(!after.contains(first) && !after.contains(second), "{after}");
        assert!(outcome.places >= 1 && outcome.changed >= 1, "{after}");
        assert_eq!(codes(&after), ["YV212"], "{after}");
    }
}

/// A secret that is typed key by key, or printed in two frames, is found.
#[test]
fn a_recording_is_read_over_its_frames() {
    let token = fill("ghp_⟦crc62:30⟧").unwrap();
    let header =
        json!({"version": 2, "width": 80, "height": 24, "timestamp": 1, "title": "a session"})
            .to_string();
    let mut frames: Vec<(&str, String)> = Vec::new();
    for key in format!("export TOKEN={token}\r").chars() {
        frames.extend([("i", key.to_string()), ("o", key.to_string())]);
    }
    let (first, second) = token.split_at(9);
    frames.extend([
        ("o", format!("it is {first}")),
        ("g", "allowed".to_owned()),
        ("o", format!("{second}\r\n$ ")),
    ]);
    let lines = frames
        .iter()
        .zip(1..)
        .map(|((code, data), time)| json!([time, code, data]).to_string());
    let before = format!("{header}\n{}\n", lines.collect::<Vec<_>>().join("\n"));
    assert_eq!(
        codes(&before),
        ["YV212", "YV803"],
        "it is one, wherever it is"
    );
    let (after, outcome) = redact(&before, &keys()).unwrap();
    assert_eq!(
        (outcome.places, outcome.changed, outcome.records),
        (3, 2 * 40 + 2, frames.len() as u64 + 1)
    );
    let said = |text: &str, stream: &str| -> String {
        let frames = text
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str::<(f64, String, String)>(line).unwrap());
        frames
            .filter(|(_, code, _)| code == stream)
            .map(|(_, _, data)| data)
            .collect()
    };
    let mark = said(&after, "i").trim_end().replace("export TOKEN=", "");
    assert!(mark.starts_with("REDACTED_"), "{mark}");
    for stream in ["i", "o"] {
        assert_eq!(
            said(&after, stream),
            said(&before, stream).replace(&token, &mark)
        );
    }
    assert_eq!(codes(&after), ["YV212"]);
    assert_eq!(
        redact(&after, &keys()).unwrap(),
        (
            after.clone(),
            Outcome {
                records: outcome.records,
                ..Outcome::default()
            }
        )
    );
    // A piece in an invalid frame, and one that was found elsewhere as a whole.
    let known = format!(
        "{header}\n[1,\"o\",\"{token}\"]\n[2,\"o\",\"x{first}\"]\n[3,\"o\",\"{second}\",1,2]\n"
    );
    assert!(!redact(&known, &keys()).unwrap().0.contains(second));
}

#[test]
fn turns_and_executions_are_signed_anew_too() {
    let token = fill("ghp_⟦crc62:30⟧").unwrap();
    let lines: Vec<Value> = trace("e", &format!("echo {token}"), "ok")
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let turn = json!({"record": "turn", "executionId": "e", "turnId": 1, "startTime": 2, "endTime": 5003, "contextSnapshot": lines[1]["contextSnapshot"],
        "thought": lines[1]["thought"], "proposedAction": lines[2]["action"], "governance": lines[3]["decision"],
        "executionResult": lines[4]["result"], "observation": lines[5]["observation"], "evaluation": lines[6]["evaluation"]});
    let mut start = lines[0].clone();
    start
        .as_object_mut()
        .unwrap()
        .retain(|name, _| name != "chain" && name != "prev");
    let mut whole = start.clone();
    whole["record"] = "execution".into();
    whole["turns"] = json!([turn]);
    for text in [format!("{start}\n{turn}\n"), format!("{whole}\n")] {
        assert_eq!(codes(&text), ["YV803"], "{text}");
        let (after, outcome) = redact(&text, &keys()).unwrap();
        assert_eq!(
            (codes(&after), outcome.signatures.recomputed),
            (Vec::new(), 1),
            "{after}"
        );
    }
}

#[test]
fn native_formats_keep_their_form() {
    let token = fill("ghp_⟦crc62:30⟧").unwrap();
    let turns = include_str!("../../corpora/traces/native/turns-legal.jsonl");
    let message = turns
        .split("\"content\":\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let before = turns.replace(message, &format!("{message} {token}"));
    let (after, outcome) = redact(&before, &Keys::new()).unwrap();
    assert!(!after.contains(&token) && outcome.places > 0);
    assert_eq!(after.lines().count(), turns.lines().count());
    let document = format!("[\n{}\n]", turns.trim_end().replace('\n', ",\n"));
    assert_eq!(redact(&document, &Keys::new()).unwrap().0, document);
    assert!(matches!(
        redact("hello", &Keys::new()),
        Err(Error::UnknownFormat)
    ));
    assert!(matches!(
        redact("\u{feff} \n", &Keys::new()),
        Err(Error::Empty)
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    /// Whatever is around the secrets, none is left, other text stays, and the chain and the
    /// signatures are valid.
    #[test]
    fn a_redacted_trace_is_sound(command in "[ -~]{0,30}", output in "[ -~é\\n]{0,40}", which in 0_usize..3, place in 0_usize..3) {
        let templates = ["ghp_⟦crc62:30⟧", "AKIA⟦b32:16⟧", "npm_⟦crc62:30⟧"];
        let secret = fill(templates[which]).unwrap();
        let put = |text: &str, here: bool| if here { format!("{text} {secret} {text}") } else { text.to_owned() };
        let before = trace("e", &put(&command, place != 1), &put(&output, place != 0));
        let (after, outcome) = redact(&before, &keys()).unwrap();
        prop_assert!(!after.contains(&secret));
        prop_assert!(!codes(&after).iter().any(|c| matches!(c.as_str(), "YV801" | "YV802" | "YV803")), "{}", after);
        prop_assert_eq!(outcome.links.stale + outcome.signatures.stale, 0);
        // A second redaction changes nothing.
        prop_assert_eq!(redact(&after, &keys()).unwrap().0, after);
    }
}
