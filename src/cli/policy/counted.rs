//! What limits per hour and day count over all executions.

use crate::source::{Found, Input, Missing};
use crate::trajectory::recorded_decisions::DecisionHistory;
use crate::verify::{Options, watch};
use agent_policy::Timeline;

/// What limits per hour and day don't count over all executions.
#[derive(Debug, Default)]
pub(super) struct Uncounted {
    /// Executions whose approvals or costs have no time.
    pub(super) undated: u64,
    /// Standard input can't be read twice, so that each execution is counted by itself.
    pub(super) stdin: bool,
    /// There were more approvals than are kept.
    pub(super) full: bool,
}

impl Uncounted {
    /// Returns whether more than executions without times is left out.
    pub(super) const fn is_partial(&self) -> bool {
        self.stdin || self.full
    }

    pub(super) fn say(&self) -> Option<String> {
        let mut said = Vec::new();
        if self.undated > 0 {
            let (many, verb) = match self.undated {
                1 => ("1 execution".to_owned(), "records"),
                n => (format!("{} executions", thousands(n)), "record"),
            };
            said.push(format!(
                "{many} {verb} no time of an approval or cost: others don't count it"
            ));
        }
        if self.stdin {
            said.push(
                "standard input can't be read twice: each execution is counted by itself"
                    .to_owned(),
            );
        }
        if self.full {
            said.push("there are too many approvals to count all of them".to_owned());
        }
        (!said.is_empty()).then(|| format!("limits per hour and day: {}", said.join("; ")))
    }
}

/// Reads the inputs for the approvals and costs of all executions.
pub(super) fn collect(inputs: &[Result<Found, Missing>]) -> Timeline {
    let mut ledger = DecisionHistory::collecting();
    let _ = watch(
        inputs,
        &Options::default(),
        &mut |file, execution, entry| {
            let execution = format!("{file}\n{execution}");
            entry
                .record
                .steps(&mut |step| ledger.step(&execution, step, &mut |_, _| {}));
        },
    );
    ledger.into_timeline()
}

pub(super) fn is_stdin(input: &Result<Found, Missing>) -> bool {
    let input = input.as_ref().map(|found| &found.input);
    matches!(input, Ok(Input::Stdin))
}

/// Formats a number with thousands separators.
pub(super) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}
