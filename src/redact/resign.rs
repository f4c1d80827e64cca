//! Recomputes chains and signatures of a trace whose text changes.
//!
//! A value that was invalid before is never made valid: a key must not vouch for anything that it
//! hasn't signed.

use super::Outcome;
use super::record::{Edit, kind, note, set, string, value};
use crate::trace::action::action_hash;
use crate::trace::record::RecordKind;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use strict_json::{Raw, canonicalise};
use util::hex;

/// Private keys by key id.
pub type Keys = BTreeMap<String, SigningKey>;

/// The state of one execution.
#[derive(Debug, Default)]
struct ExecutionLinks {
    chained: bool,
    /// Hashes of the last record before and after redaction; `None` before the first record.
    last: Option<(String, String)>,
    /// Hashes of the proposed action before and after redaction.
    proposed: [Option<String>; 2],
}

/// Recomputes the chains and signatures of a trace, record by record.
pub(super) struct Resigner<'k> {
    keys: &'k Keys,
    executions: HashMap<String, ExecutionLinks>,
    /// Lines of the records on either side of a link that was invalid before.
    broken_links: BTreeSet<u64>,
}

/// Returns the lines of the records on either side of each invalid link. Such a link isn't
/// recomputed, and its records can't claim a recomputed chain.
pub(super) fn broken_links<'t>(lines: impl Iterator<Item = (u64, &'t str)>) -> BTreeSet<u64> {
    let mut broken_links = BTreeSet::new();
    let mut last: HashMap<String, (u64, String)> = HashMap::new();
    for (number, text) in lines {
        let Some(id) = kind(text).and_then(|_| string(text, "/executionId")) else {
            continue;
        };
        let now = (number, hash(text));
        if let (Some((before, hash)), Some(prev)) = (last.insert(id, now), string(text, "/prev"))
            && prev != hash
        {
            broken_links.extend([before, number]);
        }
    }
    broken_links
}

/// Returns the hash that the link of the next record contains.
fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Counts of the signatures of one record.
#[derive(Default)]
struct Signatures {
    recomputed: u64,
    stale: u64,
}

impl<'k> Resigner<'k> {
    pub(super) fn new(keys: &'k Keys, broken_links: BTreeSet<u64>) -> Self {
        Self {
            keys,
            executions: HashMap::new(),
            broken_links,
        }
    }

    /// Recomputes what a change of a record invalidates. `before` is the original record on line
    /// `number`, `after` the record without its `count` secrets.
    pub(super) fn record(
        &mut self,
        (number, before): (u64, &str),
        after: &mut String,
        count: usize,
        outcome: &mut Outcome,
    ) {
        let Some(kind) = kind(before) else { return };
        // A secret in an id is replaced by the same mark everywhere, so both ids identify one
        // execution.
        let Some(id) = string(after, "/executionId") else {
            return;
        };
        let old_id = string(before, "/executionId").unwrap_or_default();
        let sealed = self.executions.entry(id.clone()).or_default();
        let mut signatures = Signatures::default();
        let ids = [old_id.as_str(), id.as_str()];
        match kind {
            RecordKind::ActionProposed => {
                sealed.proposed = [hash_of(before, "/action"), hash_of(after, "/action")];
            }
            RecordKind::GovernanceDecided => {
                resign(
                    self.keys,
                    ids,
                    &sealed.proposed,
                    (before, after),
                    "/decision",
                    &mut signatures,
                );
            }
            RecordKind::Turn => turn(self.keys, ids, before, after, &mut signatures),
            RecordKind::Execution => turns(self.keys, ids, before, after, &mut signatures),
            _ => {}
        }
        outcome.signatures.recomputed += signatures.recomputed;
        outcome.signatures.stale += signatures.stale;
        sealed.chained |= string(before, "/chain").is_some() || value(before, "/prev").is_some();
        if count > 0 || signatures.recomputed + signatures.stale > 0 {
            let recomputed = !self.keys.is_empty() && !self.broken_links.contains(&number);
            note(
                after,
                &redaction_note(count, &signatures, sealed.chained.then_some(recomputed)),
            );
        }
        if let (Some((was, is)), Some(prev)) = (&sealed.last, string(before, "/prev"))
            && was != is
        {
            let recomputed = prev == *was
                && !self.keys.is_empty()
                && set(
                    after,
                    &Edit {
                        pointer: "/prev",
                        value: format!("\"{is}\""),
                    },
                );
            if recomputed {
                outcome.links.recomputed += 1;
            } else {
                outcome.links.stale += 1;
            }
        }
        sealed.last = Some([before, after.as_str()].map(hash).into());
    }
}

/// Builds the note about a record's redaction. `chain` says whether the links on both sides of the
/// record are valid.
fn redaction_note(count: usize, signatures: &Signatures, chain: Option<bool>) -> String {
    let mut said = serde_json::Map::new();
    said.insert("secrets".into(), count.into());
    let word = |recomputed| if recomputed { "recomputed" } else { "stale" };
    said.extend(chain.map(|recomputed| ("chain".to_owned(), word(recomputed).into())));
    if signatures.recomputed + signatures.stale > 0 {
        said.insert("signature".into(), word(signatures.stale == 0).into());
    }
    serde_json::Value::Object(said).to_string()
}

/// Signs the single decision of a whole turn again.
fn turn(
    keys: &Keys,
    ids: [&str; 2],
    before: &str,
    after: &mut String,
    signatures: &mut Signatures,
) {
    let proposed = [
        hash_of(before, "/proposedAction"),
        hash_of(after, "/proposedAction"),
    ];
    resign(
        keys,
        ids,
        &proposed,
        (before, after),
        "/governance",
        signatures,
    );
}

/// Signs the decisions of a whole execution again. Each turn is extracted and put back, so that a
/// long execution is processed only once.
fn turns(
    keys: &Keys,
    ids: [&str; 2],
    before: &str,
    after: &mut String,
    signatures: &mut Signatures,
) {
    let elements = |text: &str| -> Vec<String> {
        let turns = value(text, "/turns")
            .and_then(|turns| turns.read::<Vec<Raw<'_>>>())
            .unwrap_or_default();
        turns
            .into_iter()
            .map(|turn| turn.as_written().to_owned())
            .collect()
    };
    let (old, mut new) = (elements(before), elements(after));
    let done = signatures.recomputed;
    for (old, new) in old.iter().zip(&mut new) {
        turn(keys, ids, old, new, signatures);
    }
    if signatures.recomputed > done {
        set(
            after,
            &Edit {
                pointer: "/turns",
                value: format!("[{}]", new.join(",")),
            },
        );
    }
}

/// Signs a decision again if its signed content has changed.
fn resign(
    keys: &Keys,
    ids: [&str; 2],
    proposed: &[Option<String>; 2],
    (before, after): (&str, &mut String),
    decision: &str,
    signatures: &mut Signatures,
) {
    let [old_id, new_id] = ids;
    let [old_action, new_action] = proposed;
    let old = signed_content(before, old_id, decision, old_action.as_deref());
    let new = signed_content(after, new_id, decision, new_action.as_deref());
    if old != new {
        sign(keys, (before, old), (after, new), decision, signatures);
    }
}

/// Returns the canonical hash of an action.
fn hash_of(text: &str, pointer: &str) -> Option<String> {
    Some(action_hash(
        &string(text, &format!("{pointer}/type"))?,
        value(text, &format!("{pointer}/payload"))?,
    ))
}

/// Returns the signed content: the RFC 8785 form of `{executionId, turnId, actionHash, status, by,
/// signer, timestamp}`.
fn signed_content(text: &str, id: &str, decision: &str, proposed: Option<&str>) -> Option<String> {
    let plain = |pointer: &str| {
        value(text, pointer)
            .and_then(|raw| serde_json::from_str::<serde_json::Value>(raw.as_written()).ok())
    };
    let part = |name: &str| plain(&format!("{decision}/{name}"));
    let status = part("status")?;
    let modified =
        hash_of(text, &format!("{decision}/modifiedAction")).filter(|_| status == "modified");
    let core = serde_json::json!({
        "executionId": id,
        "turnId": plain("/turnId")?,
        "actionHash": modified.as_deref().or(proposed)?,
        "status": status,
        "by": part("by")?,
        "signer": part("signer")?,
        "timestamp": part("timestamp")?,
    });
    Some(canonicalise(Raw::trusted(&core.to_string())))
}

/// Signs a decision again, if its key is given and its signature was valid.
fn sign(
    keys: &Keys,
    (before, old): (&str, Option<String>),
    (after, new): (&mut String, Option<String>),
    decision: &str,
    signatures: &mut Signatures,
) {
    let at = |name: &str| format!("{decision}/signature/{name}");
    let Some(written) = string(before, &at("value")) else {
        return;
    };
    let key = string(before, &at("keyId")).and_then(|id| keys.get(&id));
    let right = |key: &&SigningKey| {
        let signature = STANDARD
            .decode(&written)
            .ok()
            .and_then(|bytes| Signature::from_slice(&bytes).ok());
        signature.zip(old.as_ref()).is_some_and(|(s, old)| {
            key.verifying_key()
                .verify_strict(old.as_bytes(), &s)
                .is_ok()
        })
    };
    let recomputed = key.filter(right).zip(new).is_some_and(|(key, new)| {
        let value = STANDARD.encode(key.sign(new.as_bytes()).to_bytes());
        set(
            after,
            &Edit {
                pointer: &at("value"),
                value: format!("\"{value}\""),
            },
        )
    });
    if recomputed {
        signatures.recomputed += 1;
    } else {
        signatures.stale += 1;
    }
}
