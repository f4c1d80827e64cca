//! A signature doesn't count.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::json::{Raw, canonicalise};
use crate::replay::Aspect;
use crate::trace::action::action_hash;
use crate::trace::keys::{Distrust, Signed, TrustStore};
use crate::trace::record::DecidedBy;
use crate::trace::step::{Decision, SignatureFact};

pub(super) const RULE: Rule = Rule {
    code: Code(802),
    name: "bad-signature",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "a signature doesn't count",
    source: include_str!("yv802.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let (Some(keys), Some(decision)) = (scene.settings.keys.as_ref(), scene.decision()) else {
        return;
    };
    let Some(signature) = decision.signature else {
        return;
    };
    if let Err(distrust) = verify(scene, keys, &decision, &signature) {
        out.report(&RULE, distrust.to_string()).below_if_there("/signature");
    }
}

/// Rebuilds what was signed: the RFC 8785 form of
/// `{executionId, turnId, actionHash, status, by, signer, timestamp}`.
fn verify(scene: &Scene<'_, '_, '_>, keys: &TrustStore, decision: &Decision<'_>, signature: &SignatureFact<'_>) -> Result<(), Distrust> {
    let turn = scene.execution.turn();
    let signer = decision.signer.ok_or(Distrust::Incomplete("signer"))?.decode();
    let time = decision.time.ok_or(Distrust::Incomplete("timestamp"))?;
    let turn_id = scene.step.and_then(|s| s.turn).ok_or(Distrust::Incomplete("turn"))?;
    let action = match decision.modified {
        Some(modified) => modified.payload.map(|p| action_hash(&modified.kind.name(), p)),
        None => turn
            .proposal
            .as_ref()
            .and_then(|p| p.what.payload.as_deref().map(|payload| action_hash(&p.what.kind_name, Raw::trusted(payload)))),
    };
    let core = serde_json::json!({
        "executionId": &**scene.execution.id(),
        "turnId": turn_id,
        "actionHash": action.ok_or(Distrust::Incomplete("action"))?,
        "status": decision.ruling.name(),
        "by": match decision.by { DecidedBy::Policy => "policy", DecidedBy::Human => "human" },
        "signer": signer,
        "timestamp": scene.written_timestamp().ok_or(Distrust::Incomplete("timestamp"))?,
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
