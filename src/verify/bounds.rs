//! Bounds on what a worker keeps of an input, and the message about what was refused beyond them.

use crate::diag::ContentHash;
use crate::source::Limits;

/// Bounds on what a worker may keep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Maximum number of findings of each severity.
    pub(super) findings: usize,
    /// Whether `findings` also bounds the total over all severities; then the most severe ones are
    /// kept.
    pub(super) worst: bool,
    /// Maximum number of findings that are kept folded under others.
    pub(super) folded: usize,
    /// Maximum number of executions, open or ended.
    pub(super) executions: usize,
    pub(super) held: usize,
}

impl Bounds {
    /// Returns the bounds of one of `workers` workers. Each gets a quarter more than its share,
    /// since hashing doesn't distribute executions evenly.
    pub(super) fn for_workers(limits: &Limits, findings: usize, workers: u64) -> Self {
        let workers = usize::try_from(workers).unwrap_or(1).max(1);
        if workers == 1 {
            return Self {
                findings,
                worst: false,
                folded: findings,
                executions: limits.executions,
                held: limits.open_bytes,
            };
        }
        let share = |whole: usize| {
            (whole / workers)
                .saturating_add(whole / workers / 4)
                .saturating_add(8)
        };
        // Each worker keeps only part of the requested findings, so that all of them fit into
        // memory.
        let findings = findings.min((findings / 4).max(250));
        let folded = findings.min((findings / 4).max(250));
        Self {
            findings,
            worst: false,
            folded,
            executions: share(limits.executions),
            held: share(limits.open_bytes).max(256 << 10),
        }
    }
}

/// The kind of bound that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// The number of executions.
    Executions,
    /// The bytes that executions hold.
    Held,
}

impl Bound {
    /// Returns the sentence that the executions of a run have reached the bound.
    pub(super) fn of_run(self, limits: &Limits) -> String {
        match self {
            Self::Executions => format!(
                "the run has reached its limit of {} executions (--max-executions)",
                limits.executions
            ),
            Self::Held => format!(
                "the executions of the run have reached the limit of {} bytes of memory (--max-open-bytes)",
                limits.open_bytes
            ),
        }
    }
}

/// The records that weren't replayed because a bound was reached.
#[derive(Debug)]
pub(super) struct RefusedRecords {
    /// Line of the first such record.
    pub(super) line: u64,
    bound: Bound,
    /// Number of records that weren't replayed.
    pub(super) records: u64,
    /// Number of open executions that were given up.
    pub(super) given_up: u64,
    /// Hash of the refused records and given-up executions.
    pub(super) content: ContentHash,
}

impl RefusedRecords {
    pub(super) fn new(line: u64, bound: Bound) -> Self {
        Self {
            line,
            bound,
            records: 0,
            given_up: 0,
            content: ContentHash::default(),
        }
    }

    /// Merges the refusals of another worker.
    pub(super) fn merge(mut self, other: &Self) -> Self {
        if other.line < self.line {
            (self.line, self.bound) = (other.line, other.bound);
        }
        self.records += other.records;
        self.given_up += other.given_up;
        self.content.add(&*other.content.finish());
        self
    }

    /// Returns the message: which limit was reached first, and which option raises it.
    pub(super) fn message(&self, limits: &Limits, workers: u64) -> String {
        let bounds = Bounds::for_workers(limits, 0, workers);
        let share = |whole: usize, part: usize| {
            if part < whole {
                format!(" (a worker's share of {whole})")
            } else {
                String::new()
            }
        };
        let why = match self.bound {
            Bound::Executions => format!(
                "the input holds more than {} executions{}; --max-executions allows more",
                bounds.executions,
                share(limits.executions, bounds.executions)
            ),
            Bound::Held => format!(
                "executions hold more than {} bytes{}; --max-open-bytes allows more",
                bounds.held,
                share(limits.open_bytes, bounds.held)
            ),
        };
        let given_up = if self.given_up == 1 {
            "1 execution was".to_owned()
        } else {
            format!("{} executions were", self.given_up)
        };
        let given_up = if self.given_up > 0 {
            format!(", and {given_up} given up")
        } else {
            String::new()
        };
        let records = if self.records == 1 {
            "1 record was".to_owned()
        } else {
            format!("{} records were", self.records)
        };
        format!("from here on {records} not checked{given_up}: {why}")
    }
}

#[cfg(test)]
mod tests {
    use crate::diag::Code;
    use crate::source::Limits;
    use crate::verify::{Options, Report, verify_reader};
    use std::fmt::Write as _;

    /// Builds a trace of interleaved executions, each with an action of `bytes` bytes. The executed
    /// action is spelled differently from the proposal, and differs from it in the last execution.
    fn trace(executions: usize, bytes: usize) -> String {
        let mut text = String::new();
        let action = |n: usize, ran: bool| {
            let content = "text ".repeat(bytes / 5);
            let (space, other) = if ran {
                (" ", if n + 1 == executions { "!" } else { "" })
            } else {
                ("", "")
            };
            format!(r#""type":"answer","payload":{{{space}"text":"{content}{n}{other}"}}"#)
        };
        let records = [
            "execution_started",
            "thought_generated",
            "action_proposed",
            "governance_decided",
            "execution_finished",
        ];
        for record in records {
            for n in 0..executions {
                let rest = match record {
                    "execution_started" => {
                        r#""schemaVersion":"1.0","rootIntent":"do","fsmVersion":"1""#.to_owned()
                    }
                    "thought_generated" => format!(
                        r#""turnId":1,"thought":{{"reasoning":"r","done":false,"action":{{{}}}}}"#,
                        action(n, false)
                    ),
                    "action_proposed" => format!(
                        r#""turnId":1,"action":{{"id":"a","riskLevel":"low","reasoning":"r",{}}}"#,
                        action(n, false)
                    ),
                    "governance_decided" => {
                        let by = r#""by":"human","actionId":"a","signer":"alice""#;
                        format!(r#""turnId":1,"decision":{{"status":"approved",{by}}}"#)
                    }
                    _ => {
                        let result = r#""result":{"success":true,"output":""}"#;
                        let action = action(n, true);
                        format!(r#""turnId":1,"actionId":"a",{result},"action":{{{action}}}"#)
                    }
                };
                let _ = writeln!(
                    text,
                    r#"{{"record":"{record}","executionId":"e{n}",{rest}}}"#
                );
            }
        }
        text
    }

    fn lines(report: &Report, code: u16) -> Vec<u64> {
        report
            .findings
            .iter()
            .filter(|f| f.code == Code(code))
            .map(|f| f.place.line)
            .collect()
    }

    /// Payloads are dropped before executions are refused, and are still compared.
    #[test]
    fn payloads_of_open_turns_are_digested_where_they_take_too_much() {
        for (executions, bytes) in [(6, 300 << 10), (200, 40 << 10)] {
            let limits = Limits {
                open_bytes: 1 << 20,
                ..Limits::default()
            };
            let options = Options {
                limits,
                ..Options::default()
            };
            let report = verify_reader("t.jsonl", trace(executions, bytes).as_bytes(), &options);
            assert_eq!(lines(&report, 107), Vec::<u64>::new());
            assert_eq!(
                lines(&report, 210).len() + lines(&report, 103).len(),
                0,
                "{:?}",
                report.findings.first()
            );
            assert_eq!(
                lines(&report, 305),
                [executions as u64 * 5],
                "{:?}",
                report.counts
            );
        }
    }
}
