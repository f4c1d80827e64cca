//! The trust file, which lists trusted public keys and their validity; and the check of signatures.

use super::scalar::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use ed25519_dalek::{Signature, VerifyingKey};
use serde::Deserialize;
use std::collections::BTreeMap;
use strict_json::{Deserializer, NoteKind, Scanner};

/// Why a trust file is invalid.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// It isn't JSON with the required members.
    #[error("the trust file is not valid: {0}")]
    Shape(String),
    /// A public key isn't an Ed25519 key.
    #[error("key `{0}`: the public key must be 32 bytes of Ed25519, in base64 or hexadecimal")]
    Key(String),
    /// Two keys have the same id.
    #[error("key `{0}` appears twice")]
    Duplicate(String),
}

/// Why a signature isn't accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// The key isn't in the trust file.
    #[error("key `{0}` is not in the trust file")]
    UnknownKey(String),
    /// The key wasn't valid at the time of the decision.
    #[error("key `{0}` was not valid at the time of the decision")]
    Expired(String),
    /// The key belongs to another signer.
    #[error("key `{key}` belongs to `{owner}`, and the decision names `{signer}`")]
    OtherSigner {
        key: String,
        /// Signer of the key in the trust file.
        owner: String,
        /// Signer that the decision names.
        signer: String,
    },
    /// The algorithm isn't Ed25519.
    #[error("the algorithm `{0}` is not accepted; only `ed25519` is")]
    Algorithm(String),
    /// The value isn't a signature.
    #[error("the value isn't an Ed25519 signature in base64 or hexadecimal")]
    Malformed,
    /// The signature is of other data.
    #[error("the signature doesn't match the decision")]
    Mismatch,
    /// The record lacks data that the signature covers.
    #[error("the record lacks the {0}, without which the signature can't be checked")]
    Incomplete(&'static str),
}

impl Distrust {
    /// Returns the kind of the error as a word that doesn't depend on the message.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::UnknownKey(_) => "unknown-key",
            Self::Expired(_) => "expired",
            Self::OtherSigner { .. } => "other-signer",
            Self::Algorithm(_) => "algorithm",
            Self::Malformed => "malformed",
            Self::Mismatch => "mismatch",
            Self::Incomplete(_) => "incomplete",
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TrustFile {
    keys: Vec<KeyEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct KeyEntry {
    key_id: String,
    #[serde(alias = "key", alias = "public_key")]
    public_key: String,
    signer: String,
    #[serde(alias = "notBefore", alias = "from")]
    valid_from: Option<Timestamp>,
    #[serde(alias = "notAfter", alias = "validUntil", alias = "to")]
    valid_to: Option<Timestamp>,
}

#[derive(Debug)]
struct Key {
    public: VerifyingKey,
    signer: String,
    from: Option<i64>,
    to: Option<i64>,
}

/// Trusted keys by id.
#[derive(Debug, Default)]
pub struct TrustStore {
    keys: BTreeMap<String, Key>,
}

/// A signature to check, and the data that it covers.
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    /// Id of the key.
    pub key: &'a str,
    pub algorithm: &'a str,
    /// The signature in base64 or hexadecimal.
    pub value: &'a str,
    pub signer: &'a str,
    /// Time of the decision, in milliseconds since the epoch.
    pub time: i64,
    /// The signed data: the RFC 8785 form of the decision's core.
    pub message: &'a [u8],
}

impl TrustStore {
    /// Reads a trust file:
    /// `{"keys": [{"keyId", "publicKey", "signer", "validFrom"?, "validTo"?}]}`.
    ///
    /// # Errors
    /// When the text isn't a trust file, or a key in it is invalid.
    pub fn parse(text: &str) -> Result<Self, TrustError> {
        let mut scanner = Scanner::new(text, strict_json::DEFAULT_MAX_DEPTH);
        let file = TrustFile::deserialize(&mut Deserializer::new(&mut scanner))
            .and_then(|file| scanner.end().map(|()| file));
        let file = file.map_err(|e| TrustError::Shape(e.to_string()))?;
        if scanner
            .notes()
            .iter()
            .any(|n| n.kind != NoteKind::LoneSurrogate)
        {
            return Err(TrustError::Shape(
                "a member appears twice; which one counts can't be determined".into(),
            ));
        }
        let mut keys = BTreeMap::new();
        for entry in file.keys {
            let bytes: Option<[u8; 32]> = bytes(&entry.public_key).and_then(|b| b.try_into().ok());
            let key = bytes
                .and_then(|b| VerifyingKey::from_bytes(&b).ok())
                .filter(|k| !k.is_weak());
            let Some(key) = key else {
                return Err(TrustError::Key(entry.key_id));
            };
            let known = Key {
                public: key,
                signer: entry.signer,
                from: entry.valid_from.map(Timestamp::millis),
                to: entry.valid_to.map(Timestamp::millis),
            };
            if keys.insert(entry.key_id.clone(), known).is_some() {
                return Err(TrustError::Duplicate(entry.key_id));
            }
        }
        Ok(Self { keys })
    }

    /// Checks a signature strictly (RFC 8032 with cofactorless equation and canonical encodings).
    ///
    /// # Errors
    /// The reason why the signature isn't accepted.
    pub fn check(&self, signed: &Signed<'_>) -> Result<(), Distrust> {
        if !signed.algorithm.eq_ignore_ascii_case("ed25519") {
            return Err(Distrust::Algorithm(signed.algorithm.to_owned()));
        }
        let key = self
            .keys
            .get(signed.key)
            .ok_or_else(|| Distrust::UnknownKey(signed.key.to_owned()))?;
        if key.from.is_some_and(|from| signed.time < from)
            || key.to.is_some_and(|to| signed.time > to)
        {
            return Err(Distrust::Expired(signed.key.to_owned()));
        }
        if key.signer != signed.signer {
            return Err(Distrust::OtherSigner {
                key: signed.key.to_owned(),
                owner: key.signer.clone(),
                signer: signed.signer.to_owned(),
            });
        }
        let value = bytes(signed.value).ok_or(Distrust::Malformed)?;
        let signature = Signature::from_slice(&value).map_err(|_| Distrust::Malformed)?;
        key.public
            .verify_strict(signed.message, &signature)
            .map_err(|_| Distrust::Mismatch)
    }
}

/// Decodes a signature. Returns the bytes of the text if it isn't one.
#[must_use]
pub fn value(text: &str) -> Vec<u8> {
    bytes(text).unwrap_or_else(|| text.trim().as_bytes().to_vec())
}

/// Decodes base64 in its usual dialects, or hexadecimal.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    if text.len() >= 64
        && text.len().is_multiple_of(2)
        && text.bytes().all(|b| b.is_ascii_hexdigit())
    {
        let digit = |b: u8| (b as char).to_digit(16).and_then(|d| u8::try_from(d).ok());
        return text
            .as_bytes()
            .chunks_exact(2)
            .map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.last()?)?))
            .collect();
    }
    [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD]
        .iter()
        .find_map(|engine| engine.decode(text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ed25519_dalek::{Signer, SigningKey};

    fn store(key: &SigningKey) -> TrustStore {
        let public = STANDARD.encode(key.verifying_key().as_bytes());
        let text = format!(
            r#"{{"keys":[{{"keyId":"k","publicKey":"{public}","signer":"alice",
                "validFrom":100,"validTo":200}}]}}"#
        );
        TrustStore::parse(&text).unwrap()
    }

    #[test]
    fn a_signature_counts_only_for_its_key_signer_time_and_text() {
        let key = SigningKey::from_bytes(&[7; 32]);
        let value = STANDARD.encode(key.sign(b"message").to_bytes());
        let good = Signed {
            key: "k",
            algorithm: "Ed25519",
            value: &value,
            signer: "alice",
            time: 150,
            message: b"message",
        };
        let store = store(&key);
        assert_eq!(store.check(&good), Ok(()));
        let hex = util::hex(&key.sign(b"message").to_bytes());
        assert_eq!(
            store.check(&Signed {
                value: &hex,
                ..good
            }),
            Ok(())
        );
        assert_eq!(
            store.check(&Signed {
                message: b"other",
                ..good
            }),
            Err(Distrust::Mismatch)
        );
        assert_eq!(
            store.check(&Signed { time: 201, ..good }),
            Err(Distrust::Expired("k".into()))
        );
        assert_eq!(
            store.check(&Signed { key: "x", ..good }),
            Err(Distrust::UnknownKey("x".into()))
        );
        assert!(matches!(
            store.check(&Signed {
                signer: "bob",
                ..good
            }),
            Err(Distrust::OtherSigner { .. })
        ));
        assert!(matches!(
            store.check(&Signed {
                algorithm: "none",
                ..good
            }),
            Err(Distrust::Algorithm(_))
        ));
        assert_eq!(
            store.check(&Signed {
                value: "%%",
                ..good
            }),
            Err(Distrust::Malformed)
        );
    }

    #[test]
    fn weak_and_malformed_keys_are_refused() {
        let file =
            |key: &str| format!(r#"{{"keys":[{{"keyId":"k","publicKey":"{key}","signer":"a"}}]}}"#);
        assert!(matches!(
            TrustStore::parse(&file(&STANDARD.encode([0; 32]))),
            Err(TrustError::Key(_))
        ));
        assert!(matches!(
            TrustStore::parse(&file("short")),
            Err(TrustError::Key(_))
        ));
        assert!(matches!(TrustStore::parse("[]"), Err(TrustError::Shape(_))));
    }
}
