//! A signature is invalid or not trusted.
//!
//! ## What it does
//! With a trust file (`--keys`), each `signature` of a decision is verified: Ed25519 over the RFC
//! 8785 form of `executionId`, `turnId`, `actionHash`, `status`, `by`, `signer` and `timestamp`,
//! where `actionHash` is the canonical hash of the decided action. The key must be in the file,
//! valid at the time of the decision, and belong to `signer`. A decision without a signature isn't
//! reported here. Without a trust file, signatures are counted as not checked.
//!
//! ## Why it matters
//! A name in `signer` is only a claim; the signature binds the person to this one action. If it is
//! invalid, the approval was invented or copied from another action, or the action was replaced
//! after it: in the example, the path.
//!
//! ## How to fix it
//! Find out whether the record or the trust file is wrong: a key that was rotated must stay in the
//! file with its validity period. If the record was changed, get the original, and have the person
//! decide again.
//!
//! ## Fails
//! ```jsonl --keys keys/example.json
//! ```
//!
//! ## Passes
//! ```jsonl --keys keys/example.json
//! ```
//!
//! ## Trust file
//! ```json
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use crate::trace::action::action_hash;
use crate::trace::keys::{Distrust, Signed, TrustStore};
use crate::trace::step::{Decision, SignatureFact};
use governance::DecidedBy;
use strict_json::{Raw, canonicalise};

pub(super) const RULE: Rule = Rule {
    code: Code(802),
    name: "bad-signature",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "a signature is invalid or not trusted",
    source: include_str!("bad_signature.rs"),
    examples: &[
        include_str!("bad_signature.fails.jsonl"),
        include_str!("bad_signature.passes.jsonl"),
        include_str!("bad_signature/keys/example.json"),
    ],
    check: Check::Step(&[Trigger::Decision], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let (Some(keys), Some(decision)) = (cx.settings.keys.as_ref(), cx.decision()) else {
        return;
    };
    let Some(signature) = decision.signature else {
        return;
    };
    if let Err(distrust) = verify(cx, keys, &decision, &signature) {
        out.report(&RULE, distrust.to_string())
            .below_if_present("/signature")
            .subject(subject([distrust.name(), &*signature.key.decode()]));
    }
}

/// Verifies a signature over the RFC 8785 form of `{executionId, turnId, actionHash, status, by,
/// signer, timestamp}`, which it rebuilds.
fn verify(
    cx: &RuleContext<'_, '_, '_>,
    keys: &TrustStore,
    decision: &Decision<'_>,
    signature: &SignatureFact<'_>,
) -> Result<(), Distrust> {
    let turn = cx.execution.turn();
    let signer = decision
        .signer
        .ok_or(Distrust::Incomplete("signer"))?
        .decode();
    let time = decision
        .time
        .ok_or(Distrust::Incomplete("timestamp"))?
        .millis();
    let turn_id = cx
        .step
        .and_then(|s| s.turn)
        .ok_or(Distrust::Incomplete("turn"))?;
    let action = match decision.modification() {
        Some(modified) => modified
            .payload
            .map(|p| action_hash(&modified.kind.name(), p)),
        None => turn
            .proposal
            .as_ref()
            .filter(|p| p.what.is_recorded())
            .and_then(|p| p.what.hash()),
    };
    // The signature covers the whole id; the execution's name may be shortened.
    let execution_id = cx
        .entry
        .and_then(|entry| entry.record.execution_id())
        .map(|id| id.decode());
    let core = serde_json::json!({
        "executionId": execution_id.as_deref().unwrap_or(cx.execution.id()),
        "turnId": turn_id,
        "actionHash": action.ok_or(Distrust::Incomplete("action"))?,
        "status": decision.ruling.name(),
        "by": match decision.by { DecidedBy::Policy => "policy", DecidedBy::Human => "human" },
        "signer": signer,
        "timestamp": cx.written_timestamp().ok_or(Distrust::Incomplete("timestamp"))?,
    });
    let message = canonicalise(Raw::trusted(&core.to_string()));
    keys.check(&Signed {
        key: &signature.key.decode(),
        algorithm: &signature.algorithm.decode(),
        value: &signature.value.decode(),
        signer: &signer,
        time,
        message: message.as_bytes(),
    })
}
