//! `policy prove`.

use super::find::{self, LoadedPolicy};
use super::objection::Objections;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::output::{Color, Failure, print_prose_if};
use crate::diag::{digest, subject};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use agent_policy::{Effect, Position, ProvableProperty, Proven};
use clap::Args;
use serde_json::json;

/// Arguments of `policy prove`.
#[derive(Debug, Args)]
pub struct ProveArgs {
    /// The policy: a file, or the name of a built-in one.
    #[arg(value_name = "FILE|NAME", default_value = "default")]
    policy: String,
    /// Prove only this property; may be given several times.
    #[arg(long, value_name = "ID")]
    property: Vec<String>,
    /// Prove only the properties that the policy itself states.
    #[arg(long, conflicts_with = "property")]
    own: bool,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
}

/// A property, with where it is in the file and the result.
struct Outcome {
    id: String,
    at: Option<Position>,
    least: Effect,
    result: Proven,
}

impl ProveArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let found = find::policy(&self.policy)?;
        let outcomes = self.prove(&found)?;
        let mut objections = Objections::default();
        for outcome in &outcomes {
            report(&found, outcome, &mut objections);
        }
        objections.finish();
        let inconclusive = |o: &&Outcome| matches!(o.result, Proven::Inconclusive(_));
        let doubtful = outcomes.iter().filter(inconclusive).count();
        print_prose_if(
            self.format == OutputFormat::Text,
            Color::Auto,
            |out| match self.format {
                OutputFormat::Text => {
                    write_findings(&objections.findings, out)?;
                    for outcome in &outcomes {
                        let id = terminal(&outcome.id);
                        match &outcome.result {
                            Proven::Holds => writeln!(out, "proved       {id}")?,
                            Proven::Fails { .. } => writeln!(out, "FAIL         {id}")?,
                            Proven::Inconclusive(why) => {
                                writeln!(out, "inconclusive {id}: {}", terminal(why))?;
                            }
                        }
                    }
                    if outcomes.is_empty() {
                        writeln!(out, "nothing to prove: the policy states no property")?;
                    }
                    Ok(())
                }
                OutputFormat::Json => {
                    let properties: Vec<_> = outcomes.iter().map(json_of).collect();
                    let findings = findings_json(&objections.findings);
                    let value = json!({ "version": 1, "policy": found.file, "properties": properties, "findings": findings });
                    writeln!(out, "{}", safe_json(&value))
                }
            },
        )?;
        Ok(match () {
            () if !objections.findings.is_empty() => EXIT_FINDINGS,
            () if doubtful > 0 || outcomes.is_empty() => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        })
    }

    fn prove(&self, found: &LoadedPolicy) -> Result<Vec<Outcome>, Failure> {
        let policy = &found.policy;
        let wanted = |id: &str| self.property.is_empty() || self.property.iter().any(|p| p == id);
        let built_in = ProvableProperty::ALL
            .into_iter()
            .filter(|property| property.concerns(policy));
        let known = built_in.clone().map(|property| property.id().to_owned());
        let known: Vec<String> = known
            .chain(policy.properties.iter().map(|own| own.id.clone()))
            .collect();
        if let Some(unknown) = self.property.iter().find(|id| !known.contains(id)) {
            return Err(Failure::unable(
                format!("the policy has no property `{unknown}` that can be proved"),
                format!("known: {}", known.join(", ")),
            ));
        }
        let mut outcomes: Vec<Outcome> = built_in
            .filter(|property| !self.own && wanted(property.id()))
            .map(|property| Outcome {
                id: property.id().to_owned(),
                at: None,
                least: Effect::RequireApproval,
                result: policy.prove(property),
            })
            .collect();
        let own = policy.properties.iter().filter(|own| wanted(&own.id));
        outcomes.extend(own.map(|own| Outcome {
            id: own.id.clone(),
            at: Some(own.at),
            least: own.effect,
            result: policy.prove_own(own),
        }));
        Ok(outcomes)
    }
}

fn report(found: &LoadedPolicy, outcome: &Outcome, to: &mut Objections) {
    let Proven::Fails {
        witness,
        found: effect,
        rule,
    } = &outcome.result
    else {
        return;
    };
    let at = outcome.at.or_else(|| found.policy.rule(rule).map(|r| r.at));
    let monotone = outcome.id == ProvableProperty::RiskMonotone.id();
    let why = match (outcome.at, monotone) {
        (None, true) => "and a higher stated risk gets a more permissive effect".to_owned(),
        _ => format!("and the property asks for {} at least", outcome.least),
    };
    let message = format!(
        "{}: {effect} by `{rule}`, {why}: {}",
        outcome.id,
        witness.summary()
    );
    let action = digest(witness.action.to_json().to_string());
    to.add(
        515,
        found.place(at.unwrap_or(Position::START)),
        message,
        None,
    )
    .subject = Some(subject([&*outcome.id, rule, &action]));
}

fn json_of(outcome: &Outcome) -> serde_json::Value {
    let (result, witness, context, why) = match &outcome.result {
        Proven::Holds => ("proved", None, None, None),
        Proven::Fails { witness, .. } => (
            "refuted",
            Some(witness.action.to_json()),
            witness.circumstances(),
            None,
        ),
        Proven::Inconclusive(why) => ("inconclusive", None, None, Some(why)),
    };
    json!({ "id": outcome.id, "result": result, "counterexample": witness, "context": context, "why": why })
}
