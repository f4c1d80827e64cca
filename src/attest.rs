//! Attestations: a signed statement of what a gate verified and its result.
//!
//! The statement is an in-toto Statement v1, the envelope is DSSE v1, and the signature is Ed25519.
//! The verdict is that of the run that writes the attestation, so a failed gate can't be attested
//! as passed.

use crate::trace::keys::{Distrust, Signed, TrustStore};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "urn:yuangs-verify:gate:1";
const PAYLOAD: &str = "application/vnd.in-toto+json";
/// The DER encoding of an Ed25519 private key in PKCS #8 up to its 32 bytes (RFC 8410, section 7).
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// The statement of an attestation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    /// The verified inputs.
    pub subject: Vec<Subject>,
    predicate_type: String,
    /// The result of the gate.
    pub predicate: Predicate,
}

/// An input with its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Name of the input, relative to the configuration.
    pub name: String,
    /// `sha256` in lower-case hexadecimal.
    pub digest: BTreeMap<String, String>,
}

/// The result of a gate, and the files that it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Predicate {
    /// Version of the tool.
    pub tool_version: String,
    /// The time of `--now`, in milliseconds since the epoch.
    pub time: i64,
    /// The verdict of the gate.
    pub verdict: Verdict,
    /// SHA-256 of the configuration, the trust file and the baseline, by name.
    pub materials: BTreeMap<String, String>,
    /// Counts of verified items, of findings, and of findings that the configuration and the
    /// baseline suppress.
    pub counts: BTreeMap<String, u64>,
}

/// The verdict of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Passed,
    Failed,
    /// There are errors, and the user asked that findings fail nothing.
    Unenforced,
    Undecided,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Envelope {
    payload_type: String,
    payload: String,
    signatures: Vec<EnvelopeSignature>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvelopeSignature {
    keyid: String,
    sig: String,
}

/// An error in making or reading an attestation.
#[derive(Debug, thiserror::Error)]
pub enum AttestError {
    /// The key file contains no Ed25519 private key.
    #[error(
        "it isn't an Ed25519 private key in PKCS #8 PEM, as `openssl genpkey -algorithm ed25519` writes it"
    )]
    Key,
    /// The text isn't an envelope with a statement of this tool.
    #[error("it isn't an attestation of this tool: {0}")]
    Shape(String),
    /// No signature is trusted.
    #[error("no signature counts: {0}")]
    Distrust(#[from] Distrust),
    /// The envelope has no signature.
    #[error("it isn't signed")]
    Unsigned,
}

/// Reads an Ed25519 private key in PEM.
///
/// # Errors
/// When the text isn't such a key.
pub fn private_key(pem: &str) -> Result<SigningKey, AttestError> {
    let body = pem
        .split_once("-----BEGIN PRIVATE KEY-----")
        .and_then(|(_, rest)| rest.split_once("-----END PRIVATE KEY-----"));
    let text: String = body.ok_or(AttestError::Key)?.0.split_whitespace().collect();
    let der = STANDARD.decode(text).map_err(|_| AttestError::Key)?;
    let seed: [u8; 32] = der
        .strip_prefix(&PKCS8)
        .and_then(|s| s.try_into().ok())
        .ok_or(AttestError::Key)?;
    Ok(SigningKey::from_bytes(&seed))
}

impl Statement {
    /// Creates a statement about inputs, given their SHA-256 digests by name.
    #[must_use]
    pub fn new(digests: BTreeMap<String, String>, predicate: Predicate) -> Self {
        let subject = |(name, digest)| Subject {
            name,
            digest: BTreeMap::from([("sha256".to_owned(), digest)]),
        };
        Self {
            kind: STATEMENT.into(),
            subject: digests.into_iter().map(subject).collect(),
            predicate_type: PREDICATE.into(),
            predicate,
        }
    }

    /// Returns the signed envelope as JSON.
    ///
    /// # Errors
    /// Never in practice, because the statement is plain data.
    pub fn sign(&self, key: &SigningKey, key_id: &str) -> Result<String, AttestError> {
        let shape = |e: serde_json::Error| AttestError::Shape(e.to_string());
        let payload = serde_json::to_vec(self).map_err(shape)?;
        let sig = STANDARD.encode(key.sign(&authenticated(PAYLOAD, &payload)).to_bytes());
        let signatures = vec![EnvelopeSignature {
            keyid: key_id.to_owned(),
            sig,
        }];
        let envelope = Envelope {
            payload_type: PAYLOAD.into(),
            payload: STANDARD.encode(payload),
            signatures,
        };
        Ok(serde_json::to_string_pretty(&envelope).map_err(shape)? + "\n")
    }

    /// Reads an envelope and verifies it: `signer` must have signed it with a key of the trust file
    /// that was valid at the stated time.
    ///
    /// # Errors
    /// When the text isn't such an envelope, or no signature is trusted.
    pub fn open(text: &str, keys: &TrustStore, signer: &str) -> Result<Self, AttestError> {
        let shape = |e: serde_json::Error| AttestError::Shape(e.to_string());
        let envelope: Envelope = serde_json::from_str(text).map_err(shape)?;
        if envelope.payload_type != PAYLOAD {
            return Err(AttestError::Shape(format!(
                "the payload is `{}`",
                envelope.payload_type
            )));
        }
        let payload = STANDARD
            .decode(&envelope.payload)
            .map_err(|e| AttestError::Shape(e.to_string()))?;
        let statement: Self = serde_json::from_slice(&payload).map_err(shape)?;
        if statement.kind != STATEMENT || statement.predicate_type != PREDICATE {
            return Err(AttestError::Shape(format!(
                "the predicate is `{}`",
                statement.predicate_type
            )));
        }
        let message = authenticated(PAYLOAD, &payload);
        let mut refused = AttestError::Unsigned;
        for signature in &envelope.signatures {
            let claim = Signed {
                key: &signature.keyid,
                algorithm: "ed25519",
                value: &signature.sig,
                signer,
                time: statement.predicate.time,
                message: &message,
            };
            match keys.check(&claim) {
                Ok(()) => return Ok(statement),
                Err(distrust) => refused = distrust.into(),
            }
        }
        Err(refused)
    }
}

/// Returns the signed bytes: DSSE's pre-authentication encoding, which includes the type.
fn authenticated(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut message = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    message.extend_from_slice(payload);
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement() -> Statement {
        let predicate = Predicate {
            tool_version: "1".into(),
            time: 150,
            verdict: Verdict::Failed,
            materials: BTreeMap::new(),
            counts: BTreeMap::from([("errors".into(), 1)]),
        };
        Statement::new(BTreeMap::from([("a.jsonl".into(), "00".into())]), predicate)
    }

    fn keys(key: &SigningKey) -> TrustStore {
        let public = STANDARD.encode(key.verifying_key().as_bytes());
        let file = format!(
            r#"{{"keys":[{{"keyId":"k","publicKey":"{public}","signer":"ci","validFrom":100,"validTo":200}}]}}"#
        );
        TrustStore::parse(&file).unwrap()
    }

    #[test]
    fn the_encoding_is_that_of_the_specification() {
        // The example of the DSSE specification.
        let expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world";
        assert_eq!(
            authenticated("http://example.com/HelloWorld", b"hello world"),
            expected
        );
    }

    #[test]
    fn what_was_signed_is_read_and_nothing_else() {
        let key = SigningKey::from_bytes(&[3; 32]);
        let text = statement().sign(&key, "k").unwrap();
        let store = keys(&key);
        assert_eq!(Statement::open(&text, &store, "ci").unwrap(), statement());
        assert!(matches!(
            Statement::open(&text, &store, "somebody"),
            Err(AttestError::Distrust(Distrust::OtherSigner { .. }))
        ));
        assert!(Statement::open(&text, &TrustStore::default(), "ci").is_err());
        assert!(Statement::open(&text, &keys(&SigningKey::from_bytes(&[4; 32])), "ci").is_err());
        let mut late = statement();
        late.predicate.time = 201;
        let late = late.sign(&key, "k").unwrap();
        assert!(matches!(
            Statement::open(&late, &store, "ci"),
            Err(AttestError::Distrust(Distrust::Expired(_)))
        ));
        // A failure forged into a pass.
        let mut envelope: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut forged = statement();
        forged.predicate.verdict = Verdict::Passed;
        envelope["payload"] = STANDARD.encode(serde_json::to_vec(&forged).unwrap()).into();
        let refused = Statement::open(&envelope.to_string(), &store, "ci");
        assert!(matches!(
            refused,
            Err(AttestError::Distrust(Distrust::Mismatch))
        ));
        envelope["signatures"] = serde_json::json!([]);
        assert!(matches!(
            Statement::open(&envelope.to_string(), &store, "ci"),
            Err(AttestError::Unsigned)
        ));
    }

    #[test]
    fn keys_are_read_as_openssl_writes_them() {
        // RFC 8410, section 10.3.
        let pem = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
        let public = STANDARD.encode(private_key(pem).unwrap().verifying_key().as_bytes());
        assert_eq!(public, "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=");
        for wrong in [
            "",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
            &pem.replace("MC4C", "MC8C"),
        ] {
            assert!(matches!(private_key(wrong), Err(AttestError::Key)));
        }
    }
}
