//! What a configuration does to a report: other severities, ignores, the baseline. Nothing of it is silent.

use super::{Baseline, Config, Ignore, Level, day_end};
use crate::diag::{Code, Finding};
use crate::verify::Report;
use globset::{GlobBuilder, GlobMatcher};
use std::collections::{BTreeMap, BTreeSet};

/// What was done, for the report to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Findings that an ignore let pass, or whose rule is off.
    pub ignored: u64,
    /// Findings that the baseline knows.
    pub known: u64,
    /// What a reader has to be told, in sentences.
    pub notices: Vec<String>,
}

/// Reads a glob; `*` stays within a folder.
pub(super) fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    GlobBuilder::new(pattern).literal_separator(true).build().map(|g| g.compile_matcher()).map_err(|e| e.to_string())
}

/// An ignore while it is in use.
struct Active<'c> {
    ignore: &'c Ignore,
    path: Option<GlobMatcher>,
    used: bool,
}

impl Active<'_> {
    fn fits(&self, finding: &Finding) -> bool {
        let ignore = self.ignore;
        ignore.code.as_deref().is_none_or(|c| Code::parse(c) == Some(finding.code))
            && self.path.as_ref().is_none_or(|g| g.is_match(&*finding.place.file))
            && ignore.fingerprint.as_deref().is_none_or(|f| f == finding.fingerprint)
    }
}

/// Applies severities, ignores and the baseline, in this order. `now` is in milliseconds since the epoch; without it
/// no ignore counts that has an end, since nobody can say that it hasn't come.
pub fn apply(report: &mut Report, config: &Config, baseline: Option<&Baseline>, now: Option<i64>) -> Applied {
    let mut applied = Applied::default();
    let mut active = Vec::new();
    for (n, ignore) in config.ignore.iter().enumerate() {
        let name = || format!("ignore number {} ({})", n + 1, ignore.reason);
        let end = ignore.expires.as_deref().and_then(day_end);
        match (end, now, ignore.expires.as_deref().unwrap_or_default()) {
            (Some(_), None, _) => applied.notices.push(format!("{} has an end and doesn't count: say --now", name())),
            (Some(end), Some(now), date) if now >= end => {
                applied.notices.push(format!("{} ended on {date} and doesn't count any more", name()));
            }
            _ => active.push((name(), Active { ignore, path: ignore.path.as_deref().and_then(|p| glob(p).ok()), used: false })),
        }
    }
    let known = baseline.map(Baseline::by_fingerprint).unwrap_or_default();
    let mut met: BTreeSet<String> = BTreeSet::new();
    let mut changed: BTreeSet<Code> = BTreeSet::new();
    let severities: BTreeMap<Code, _> =
        config.severity.iter().filter_map(|(code, change)| Some((Code::parse(code)?, change))).collect();
    for ((code, severity), number) in std::mem::take(&mut report.dropped) {
        let Some(change) = severities.get(&code) else { continue };
        changed.insert(code);
        let counted = report.counts.of(severity);
        *counted = counted.saturating_sub(number);
        if let Some(severity) = change.level.severity() {
            *report.counts.of(severity) += number;
        } else {
            applied.ignored += number;
            report.counts.left_out = report.counts.left_out.saturating_sub(number);
        }
    }
    let counts = &mut report.counts;
    report.findings.retain_mut(|finding| {
        let counted = counts.of(finding.severity);
        *counted = counted.saturating_sub(1);
        let change = severities.get(&finding.code);
        if let Some(change) = change {
            changed.insert(finding.code);
            let Some(severity) = change.level.severity() else {
                applied.ignored += 1;
                return false;
            };
            finding.severity = severity;
        }
        let mut let_pass = false;
        for (_, ignore) in active.iter_mut().filter(|(_, i)| i.fits(finding)) {
            ignore.used = true;
            let_pass = true;
        }
        if let_pass {
            applied.ignored += 1;
            return false;
        }
        let entry = known.get(&*finding.fingerprint);
        if entry.is_some_and(|(code, file)| *code == finding.code.to_string() && **file == *finding.place.file) {
            met.insert(finding.fingerprint.clone());
            applied.known += 1;
            return false;
        }
        counts.count(finding.severity);
        true
    });
    for (name, ignore) in active {
        if !ignore.used {
            applied.notices.push(format!("{name} fits nothing any more: take it away"));
        }
    }
    for code in changed {
        if let Some(change) = severities.get(&code) {
            let level = match change.level {
                Level::Error => "an error",
                Level::Warning => "a warning",
                Level::Note => "a note",
                Level::Off => "off",
            };
            applied.notices.push(format!("{code} is {level} here: {}", change.reason));
        }
    }
    if applied.ignored > 0 {
        applied.notices.push(format!("findings let pass by the configuration: {}", applied.ignored));
    }
    if applied.known > 0 {
        applied.notices.push(format!("findings that the baseline knows: {}", applied.known));
    }
    let gone = known.len() - met.len();
    if gone > 0 {
        applied.notices.push(format!("entries of the baseline that are mended: {gone}; write it anew"));
    }
    applied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Severity;
    use crate::verify::{Options, verify_reader};

    fn broken() -> Report {
        let text = include_str!("../../corpora/traces/broken/YV301-no-decision-in-turn-4.jsonl");
        verify_reader("traces/a.jsonl", text.as_bytes(), &Options::default())
    }

    fn applied(config: &str, now: Option<i64>) -> (Report, Applied) {
        let mut report = broken();
        let applied = apply(&mut report, &Config::parse(config).unwrap(), None, now);
        (report, applied)
    }

    #[test]
    fn an_ignore_lets_pass_what_it_names_and_nothing_else() {
        assert_eq!(broken().counts.errors, 1);
        let passes = |rest: &str, now| {
            let (report, applied) = applied(&format!("[[ignore]]\nreason = 'r'\n{rest}"), now);
            assert_eq!(report.counts.errors, report.findings.len() as u64);
            assert_eq!(applied.ignored, 1 - report.counts.errors);
            assert_eq!(report.counts.errors == 1, !applied.notices[0].starts_with("findings let pass"), "{applied:?}");
            report.counts.errors == 0
        };
        assert!(passes("code = 'YV301'", None));
        assert!(passes("code = 'YV301'\npath = 'traces/*.jsonl'", None));
        assert!(!passes("code = 'YV301'\npath = '*.jsonl'", None), "a star stays within a folder");
        assert!(!passes("code = 'YV302'", None));
        assert!(!passes("fingerprint = 'x'", None));
        let print = broken().findings[0].fingerprint.clone();
        assert!(passes(&format!("fingerprint = '{print}'"), None));
        let end = day_end("2027-01-31").unwrap();
        assert!(passes("code = 'YV301'\nexpires = '2027-01-31'", Some(end - 1)));
        assert!(!passes("code = 'YV301'\nexpires = '2027-01-31'", Some(end)));
        assert!(!passes("code = 'YV301'\nexpires = '2027-01-31'", None), "without a time nothing with an end counts");
    }

    #[test]
    fn severities_change_and_the_counts_with_them() {
        let (report, note) = applied("[severity.YV301]\nlevel = 'note'\nreason = 'known bug'", None);
        assert_eq!((report.counts.errors, report.counts.notes), (0, 1));
        assert_eq!(note.notices, ["YV301 is a note here: known bug"]);
        let (report, off) = applied("[severity.YV301]\nlevel = 'off'\nreason = 'r'", None);
        assert!(report.findings.is_empty() && off.ignored == 1 && report.counts.at_least(Severity::Note) == 0);
    }

    #[test]
    fn a_baseline_knows_what_was_there_and_says_what_is_gone() {
        let mut report = broken();
        let baseline = Baseline::parse(&Baseline::of(&report.findings).text()).unwrap();
        let applied = apply(&mut report, &Config::default(), Some(&baseline), None);
        assert_eq!((applied.known, report.counts.errors, report.findings.len()), (1, 0, 0));
        let again = apply(&mut report, &Config::default(), Some(&baseline), None);
        assert_eq!(again.notices, ["entries of the baseline that are mended: 1; write it anew"]);
        assert!(Baseline::parse("{\"version\":2,\"findings\":[]}").is_err() && Baseline::parse("[]").is_err());
    }
}
