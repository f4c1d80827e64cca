//! What limits per hour and day don't count over all executions.

/// What limits per hour and day don't count over all executions.
#[derive(Debug, Default)]
pub(super) struct Uncounted {
    /// Executions whose approvals or costs have no time.
    pub(super) undated: u64,
    /// There were more approvals than are kept.
    pub(super) is_full: bool,
}

impl Uncounted {
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
        if self.is_full {
            said.push("there are too many approvals to count all of them".to_owned());
        }
        (!said.is_empty()).then(|| format!("limits per hour and day: {}", said.join("; ")))
    }
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
