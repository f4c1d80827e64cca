//! A proof as text for people.

use super::result::{Outcome, Proof, Trace};
use std::fmt::{self, Write as _};

impl Proof {
    /// Formats the whole proof as text. The last line ends with a line break.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a `String` never fails.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let extent = if self.complete {
            "everything that can be reached"
        } else {
            "search cut short by its limit"
        };
        writeln!(
            out,
            "machine version {}: {} situations, {} transitions, {} steps deep ({extent})",
            self.fsm_version, self.states, self.transitions, self.depth
        )?;
        for property in &self.properties {
            writeln!(out, "\n{:<3}  {}", property.id.id(), property.sentence)?;
            match &property.outcome {
                Outcome::Proved {
                    states,
                    transitions,
                    exercised,
                    witness,
                } => {
                    writeln!(
                        out,
                        "     proved: {states} situations, {transitions} transitions, {exercised} of them in question"
                    )?;
                    writeln!(out, "     witness: {}", property.premise)?;
                    write_trace(out, witness)?;
                }
                Outcome::Vacuous {
                    states,
                    transitions,
                } => {
                    writeln!(
                        out,
                        "     VACUOUS: never put to the test in {states} situations, {transitions} transitions"
                    )?;
                    writeln!(out, "     what never happens: {}", property.premise)?;
                }
                Outcome::Violated { counterexample } => {
                    writeln!(
                        out,
                        "     VIOLATED: shortest counterexample, {} steps",
                        counterexample.steps.len()
                    )?;
                    write_trace(out, counterexample)?;
                }
                Outcome::Inconclusive {
                    states,
                    transitions,
                    depth,
                } => {
                    writeln!(
                        out,
                        "     INCONCLUSIVE: nothing found in {states} situations, {transitions} transitions, {depth} steps deep"
                    )?;
                }
            }
        }
        let count = |verdict: &str| {
            self.properties
                .iter()
                .filter(|p| p.outcome.name() == verdict)
                .count()
        };
        writeln!(
            out,
            "\n{} proved, {} violated, {} vacuous, {} inconclusive",
            count("proved"),
            count("violated"),
            count("vacuous"),
            count("inconclusive")
        )
    }
}

fn write_trace(out: &mut String, trace: &Trace) -> fmt::Result {
    writeln!(out, "       given: {}", trace.given)?;
    let width = trace
        .steps
        .iter()
        .map(|step| step.event.len())
        .max()
        .unwrap_or(0);
    for (number, step) in trace.steps.iter().enumerate() {
        let number = number.saturating_add(1);
        write!(
            out,
            "       {number:>2}. {:<width$}  {} -> {}",
            step.event, step.from, step.to
        )?;
        if step.changes.is_empty() {
            writeln!(out)?;
        } else {
            writeln!(out, "  ({})", step.changes.join("; "))?;
        }
    }
    Ok(())
}
