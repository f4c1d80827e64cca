//! The steps of a gate. Each looks at one section of the configuration and gives a report; a new wing of the
//! house adds its step to [`STEPS`] and its section to the configuration.

use super::Located;
use crate::cli::output::Failure;
use crate::cli::policy::held_against;
use crate::cli::replay::trust_store;
use crate::config::{RiskProfile, Traces};
use crate::replay::Assessor;
use crate::rules::Settings;
use crate::source::{Found, Missing, discover};
use crate::verify::{Options, Report, verify};

/// A step: what it found, or why it had nothing to look at.
type Step = fn(&Located, usize) -> Result<Part, Failure>;

/// What a step hands back.
#[derive(Debug, Default)]
struct Part {
    report: Report,
    missing: Option<String>,
}

/// All steps, in their order.
const STEPS: [Step; 2] = [traces, policy];

/// Runs the steps; what they found is one report. Returns what was missing besides, if anything was.
pub(super) fn run(located: &Located, max_turns: usize) -> Result<(Report, Option<String>), Failure> {
    let mut whole = Report::default();
    let mut missing = None;
    for step in STEPS {
        let part = step(located, max_turns)?;
        whole.absorb(part.report);
        missing = missing.or(part.missing);
    }
    Ok((whole, missing))
}

/// Replays the traces. Each record is checked against its schema on the way, as `validate` does.
fn traces(located: &Located, max_turns: usize) -> Result<Part, Failure> {
    let Some(traces) = &located.config.traces else {
        let missing = Some("nothing was verified: the configuration names no traces ([traces] paths)".into());
        return Ok(Part { missing, ..Part::default() });
    };
    let keys = match &located.config.keys {
        Some(keys) => Some(trust_store(&located.root.join(&keys.file))?),
        None => None,
    };
    let assessor = match traces.risk.unwrap_or_default() {
        RiskProfile::Off => Assessor::Off,
        RiskProfile::V0 => Assessor::V0,
        RiskProfile::V1 => Assessor::V1,
    };
    let inputs = inputs(located, traces);
    let missing = inputs.is_empty().then(|| format!("nothing was verified: no trace under {}", traces.paths.join(", ")));
    let options = Options { settings: Settings { assessor, keys, keep_changes: false }, max_turns, ..Options::default() };
    Ok(Part { report: verify(&inputs, &options), missing })
}

/// Holds every recorded decision against the policy.
fn policy(located: &Located, _: usize) -> Result<Part, Failure> {
    let (Some(policy), Some(traces)) = (&located.config.policy, &located.config.traces) else {
        return Ok(Part::default());
    };
    let (report, missing) = held_against(&located.root.join(&policy.file), &inputs(located, traces))?;
    Ok(Part { report, missing })
}

/// The traces of the configuration, under names that are relative to it.
fn inputs(located: &Located, traces: &Traces) -> Vec<Result<Found, Missing>> {
    let paths: Vec<_> = traces.paths.iter().map(|p| located.root.join(p)).collect();
    let mut inputs = discover(&paths);
    for input in &mut inputs {
        match input {
            Ok(found) => found.name = located.name(&found.name),
            Err(missing) => missing.name = located.name(&missing.name),
        }
    }
    inputs
}
