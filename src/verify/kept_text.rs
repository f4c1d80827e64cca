//! Shortens the texts of a trace that are kept until the end of a run, so that a hostile trace
//! can't exhaust the memory.

use crate::diag::{Finding, digest, subject};
use std::borrow::Cow;

/// Maximum length of an id, in bytes.
const NAME: usize = 160;
/// Maximum length of an outcome, in bytes.
pub(super) const OUTCOME: usize = 128;
/// Maximum length of a finding's message, pointer or subject, in bytes.
const MESSAGE: usize = 512;
/// Maximum number of related places that a rule may add to one finding.
const RELATED: usize = 64;

/// Returns the name of an execution: its id, or the beginning of a long id with a digest of the
/// whole. A shortened id is longer than any whole one, so it can't equal another id.
#[must_use]
pub fn execution_name(id: &str) -> Cow<'_, str> {
    if id.len() <= NAME {
        return Cow::Borrowed(id);
    }
    let hash = blake3::hash(id.as_bytes()).to_hex();
    let digest = hash.get(..32).unwrap_or_default();
    Cow::Owned(format!(
        "{}…[cut: {} bytes, BLAKE3 {digest}]",
        beginning(id, NAME),
        id.len()
    ))
}

/// Returns at most the first `limit` bytes of a text, and marks the omission.
pub(super) fn shortened(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!(
            "{}…[cut: {} bytes]",
            beginning(text, limit),
            text.len()
        ))
    }
}

fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes))
        .unwrap_or_default()
}

/// Shortens the texts of a finding.
pub(super) fn shorten_finding(finding: &mut Finding) {
    shorten(&mut finding.message);
    finding.place.pointer.iter_mut().for_each(shorten);
    if let Some(about) = finding.subject.as_mut().filter(|s| s.len() > MESSAGE) {
        *about = subject(["long subject", &digest(about.as_bytes())]);
    }
    finding.related.truncate(RELATED);
    for related in &mut finding.related {
        shorten(&mut related.message);
    }
}

fn shorten(text: &mut String) {
    if let Cow::Owned(short) = shortened(text, MESSAGE) {
        *text = short;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Severity;
    use crate::source::Limits;
    use crate::verify::{Options, Report, verify_reader};
    use std::fmt::Write as _;

    #[test]
    fn only_long_ids_are_cut_and_stay_different() {
        let short = "é".repeat(NAME / 2);
        assert_eq!(execution_name(&short), short);
        let (one, other) = ("é".repeat(5000) + "1", "é".repeat(5000) + "2");
        assert_ne!(execution_name(&one), execution_name(&other));
        assert!(execution_name(&one).len() < NAME + 80);
        let cut = execution_name(&one).into_owned();
        assert_ne!(
            execution_name(&cut),
            cut,
            "a whole id can't look like a cut one"
        );
        assert!(shortened(&one, 255).starts_with(&"é".repeat(127)));
    }

    /// Returns how many bytes of the trace a report keeps.
    fn kept(report: &Report) -> usize {
        let summaries = report
            .summaries
            .iter()
            .map(|s| s.id.len() + s.outcome.as_ref().map_or(0, |o| o.len()));
        let findings = report.findings.iter().map(|f| {
            let texts = f.related.iter().map(|r| r.message.len()).sum::<usize>();
            f.message.len()
                + texts
                + f.subject.as_ref().map_or(0, |s| s.len())
                + f.place.pointer.as_ref().map_or(0, String::len)
                + f.execution.as_ref().map_or(0, |id| id.len())
        });
        let failed = report.failed_unlisted.iter().map(|(_, id)| id.len());
        summaries.chain(findings).chain(failed).sum()
    }

    fn trace(executions: usize, id: usize, outcome: usize) -> String {
        let mut text = String::new();
        let (id, outcome) = ("i".repeat(id), "o".repeat(outcome));
        for n in 0..executions {
            let start = format!(
                r#""schemaVersion":"1.0","rootIntent":"do","fsmVersion":"1","maxTurns":5,{}"#,
                format_args!(
                    r#""governor":{{"id":"g"}},"policy":{{"digest":"sha256:{:064}"}}"#,
                    0
                )
            );
            let _ = writeln!(
                text,
                r#"{{"record":"execution_started","executionId":"{n}{id}",{start}}}"#
            );
            let _ = writeln!(
                text,
                r#"{{"record":"execution_ended","executionId":"{n}{id}","outcome":"{outcome}"}}"#
            );
        }
        text
    }

    #[test]
    fn a_report_keeps_little_of_long_ids_and_outcomes() {
        for (executions, id, outcome) in [(20, 0, 90_000), (20, 60_000, 0), (100, 3000, 3000)] {
            let text = trace(executions, id, outcome);
            let report = verify_reader("t.jsonl", text.as_bytes(), &Options::default());
            assert_eq!(report.summaries.len(), executions);
            let each = kept(&report) / executions;
            assert!(each < 6 * (NAME + 80) + 4 * MESSAGE, "{each} bytes each");
        }
    }

    /// What is kept of ended executions counts too; beyond the limit, executions are refused.
    #[test]
    fn summaries_are_weighed() {
        let limits = Limits {
            open_bytes: 1 << 20,
            ..Limits::default()
        };
        let options = Options {
            limits,
            max_findings: 100_000,
            ..Options::default()
        };
        let text = trace(12_000, 260, 260);
        let report = verify_reader("t.jsonl", text.as_bytes(), &options);
        let refused = report
            .findings
            .iter()
            .any(|f| f.code == crate::diag::Code(107) && f.severity == Severity::Error);
        assert!(refused, "{:?}", report.counts);
        let names = report
            .summaries
            .iter()
            .map(|s| s.id.len() + s.outcome.as_ref().map_or(0, |o| o.len()));
        // Each of 16 workers gets at least 256 KiB.
        assert!(names.sum::<usize>() < 16 * (300 << 10));
        assert!(report.summaries.len() < 12_000);
    }
}
