//! Applies a configuration to a report: severities, ignores, the baseline. Every effect leaves a
//! notice.

use super::{Accept, Baseline, Config, Ignore, Level, Override, day_end};
use crate::diag::{Code, Finding, Severity, fingerprints_v1};
use crate::verify::Report;
use globset::{GlobBuilder, GlobMatcher};
use std::collections::{BTreeMap, BTreeSet};

/// What was applied, for the report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Number of findings suppressed by an ignore.
    pub ignored: u64,
    /// Number of findings whose rule is off.
    pub off: u64,
    /// Number of findings with a lower severity than their rule's own.
    pub lowered: u64,
    /// Number of findings that the baseline contains.
    pub known: u64,
    /// Number of changes of a policy that `[[policy.accept]]` accepts.
    pub accepted: u64,
    pub notices: Vec<String>,
}

/// Compiles a glob in which `*` doesn't match `/`.
pub(super) fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map(|g| g.compile_matcher())
        .map_err(|e| e.to_string())
}

/// An ignore that applies, with what is known about its use.
struct ActiveIgnore<'c> {
    name: String,
    ignore: &'c Ignore,
    path: Option<GlobMatcher>,
    used: bool,
    /// The current fingerprint of a finding that this ignore names by its version 1 fingerprint.
    renamed: Option<String>,
}

impl ActiveIgnore<'_> {
    /// Returns true if the ignore's rule and path match. [`Self::fits`] compares the fingerprint.
    fn concerns(&self, code: Code, file: &str) -> bool {
        self.ignore
            .code
            .as_deref()
            .is_none_or(|c| Code::parse(c) == Some(code))
            && self.path.as_ref().is_none_or(|g| g.is_match(file))
    }

    fn fits(&mut self, finding: &Finding, first: Option<&str>) -> bool {
        let fits = self.concerns(finding.code, &finding.place.file)
            && self.ignore.fingerprint.as_deref().is_none_or(|f| {
                let old = first == Some(f) && f != finding.fingerprint;
                self.renamed = self
                    .renamed
                    .take()
                    .or_else(|| old.then(|| finding.fingerprint.clone()));
                old || f == finding.fingerprint
            });
        self.used |= fits;
        fits
    }
}

/// An entry of `[[policy.accept]]` that applies, with what is known about its use.
struct ActiveAccept<'c> {
    name: String,
    accept: &'c Accept,
    used: bool,
    /// The code of the finding with this fingerprint, if that can't be accepted.
    refused: Option<Code>,
}

/// Rules about a change of a policy whose fingerprints consist of the deciding rules and the class
/// of the actions. Others, such as YV519, say less of the change, so accepting one could hide
/// another change.
const ACCEPTABLE: [Code; 4] = [Code(506), Code(507), Code(516), Code(517)];

impl ActiveAccept<'_> {
    fn fits(&mut self, finding: &Finding) -> bool {
        if self.accept.fingerprint != finding.fingerprint {
            return false;
        }
        if !ACCEPTABLE.contains(&finding.code) {
            self.refused = Some(finding.code);
            return false;
        }
        self.used = true;
        true
    }
}

/// The state of applying a configuration.
struct Application<'c> {
    severities: BTreeMap<Code, &'c Override>,
    active: Vec<ActiveIgnore<'c>>,
    accepted: Vec<ActiveAccept<'c>>,
    baseline: Option<&'c Baseline>,
    /// The fingerprints of the baseline that matched a finding.
    matched: BTreeSet<String>,
    /// The rules with a configured severity that have findings.
    changed: BTreeSet<Code>,
    applied: Applied,
}

/// The reason of a [`Suppression`] that lowers a finding's severity but keeps the finding.
const LOWERED: &str = "is less severe here";

/// Rules about content that wasn't read or compared. Their version 1 fingerprints don't depend on
/// that content, so accepting one would suppress findings about other content.
const UNREAD_CONTENT: [Code; 7] = [
    Code(101),
    Code(102),
    Code(104),
    Code(107),
    Code(108),
    Code(111),
    Code(322),
];

/// The reason why a finding is suppressed or lowered, and the counts of findings that the baseline
/// lists as folded under it.
struct Suppression(&'static str, BTreeMap<Code, u64>);

impl Application<'_> {
    /// Sets the severity of a finding. Returns why it is suppressed or lowered, or `None` when
    /// neither applies.
    fn evaluate(&mut self, finding: &mut Finding, first: Option<&str>) -> Option<Suppression> {
        let first = first.filter(|_| !UNREAD_CONTENT.contains(&finding.code));
        let without_known = |why| Some(Suppression(why, BTreeMap::new()));
        let was = finding.severity;
        if let Some(change) = self.severities.get(&finding.code) {
            self.changed.insert(finding.code);
            let Some(severity) = change.level.severity() else {
                self.applied.off += 1;
                return without_known("is off here");
            };
            finding.severity = severity;
        }
        // Every matching ignore is marked as used, not only the first.
        if self
            .active
            .iter_mut()
            .filter_map(|i| i.fits(finding, first).then_some(()))
            .count()
            > 0
        {
            self.applied.ignored += 1;
            return without_known("is ignored");
        }
        let accepting = self.accepted.iter_mut().map(|accept| accept.fits(finding));
        if accepting.filter(|fits| *fits).count() > 0 {
            self.applied.accepted += 1;
            return without_known("is accepted");
        }
        if let Some(baseline) = self.baseline {
            let fingerprint = if baseline.is_version_1() {
                first
            } else {
                Some(finding.fingerprint.as_str())
            };
            if let Some((known, fingerprint)) =
                fingerprint.and_then(|f| Some((baseline.entry(finding, f)?, f)))
            {
                self.matched.insert(fingerprint.to_owned());
                self.applied.known += 1;
                return Some(Suppression("is in the baseline", known));
            }
        }
        let lowered = finding.severity < was;
        self.applied.lowered += u64::from(lowered);
        if lowered {
            without_known(LOWERED)
        } else {
            None
        }
    }

    /// Returns the severity and number of findings that remain of findings that were only counted.
    fn remaining(
        &mut self,
        (code, severity): (Code, Severity),
        file: Option<&str>,
        mut number: u64,
    ) -> (Severity, u64) {
        let Some(change) = self.severities.get(&code) else {
            return (severity, self.not_ignored(code, file, number));
        };
        self.changed.insert(code);
        if let Some(level) = change.level.severity() {
            number = self.not_ignored(code, file, number);
            self.applied.lowered += if level < severity { number } else { 0 };
            return (level, number);
        }
        self.applied.off += number;
        (severity, 0)
    }

    /// Returns how many findings no ignore suppresses. An ignore with a fingerprint never matches,
    /// because counted findings have none.
    fn not_ignored(&mut self, code: Code, file: Option<&str>, number: u64) -> u64 {
        let Some(file) = file else { return number };
        let fits = self
            .active
            .iter_mut()
            .filter(|i| i.ignore.fingerprint.is_none() && i.concerns(code, file));
        if fits.map(|i| i.used = true).count() == 0 {
            return number;
        }
        self.applied.ignored += number;
        0
    }

    /// Turns what is folded under a suppressed or lowered finding into findings of their own.
    fn unfold(
        &mut self,
        finding: &mut Finding,
        Suppression(why, mut known): Suppression,
        report: &mut Report,
    ) -> Vec<Finding> {
        let mut all: Vec<Finding> = finding
            .related
            .iter_mut()
            .flat_map(|r| std::mem::take(&mut r.folded))
            .collect();
        for one in &mut all {
            one.message.push_str(&format!(
                " (it is a follow-up of {} in line {}, which {why})",
                finding.code, finding.place.line
            ));
        }
        for ((code, severity), number) in std::mem::take(&mut finding.unlisted) {
            let entry = known.entry(code).or_default();
            let in_baseline = number.min(*entry);
            *entry -= in_baseline;
            self.applied.known += in_baseline;
            let (severity, number) = self.remaining(
                (code, severity),
                Some(&finding.place.file),
                number - in_baseline,
            );
            if number > 0 {
                report.drop_findings(code, severity, number);
            }
        }
        all
    }
}

/// An entry of the configuration with an expiry date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expiry {
    /// Name of the entry, with its reason.
    pub name: String,
    /// Last day on which the entry applies.
    pub date: String,
    /// Whether that day is over.
    pub expired: bool,
}

impl Expiry {
    /// Returns the entries of a configuration that have an expiry date. `now` is in milliseconds
    /// since the epoch.
    #[must_use]
    pub fn of(config: &Config, now: i64) -> Vec<Self> {
        let ignores = config.ignore.iter().enumerate();
        let ignores = ignores.map(|(n, entry)| (ignore_name(n, entry), &entry.expires));
        let accept = config.policy.iter().flat_map(|policy| &policy.accept);
        let accept = accept.enumerate();
        let accept = accept.map(|(n, entry)| (accept_name(n, entry), &entry.expires));
        let entries = ignores.chain(accept);
        entries
            .filter_map(|(name, date)| {
                let date = date.clone()?;
                let expired = day_end(&date).is_some_and(|end| now >= end);
                Some(Self {
                    name,
                    date,
                    expired,
                })
            })
            .collect()
    }
}

fn ignore_name(index: usize, ignore: &Ignore) -> String {
    format!("ignore number {} ({})", index + 1, ignore.reason)
}

fn accept_name(index: usize, accept: &Accept) -> String {
    format!("policy.accept number {} ({})", index + 1, accept.reason)
}

/// Returns why an entry with an expiry date doesn't apply, if it doesn't.
fn inactive(name: &str, expires: Option<&str>, now: Option<i64>) -> Option<String> {
    let date = expires?;
    let end = day_end(date)?;
    match now {
        None => Some(format!(
            "{name} has an expiry date and was skipped; pass --now to apply it"
        )),
        Some(now) if now >= end => Some(format!("{name} expired on {date} and was skipped")),
        Some(_) => None,
    }
}

/// Applies severities, ignores, accepted changes of the policy and the baseline, in this order.
///
/// `now` is in milliseconds since the epoch. Without it, an entry with an expiry date doesn't
/// apply, because it may have expired. Findings that are folded under a suppressed or lowered
/// finding become findings of their own.
pub fn apply(
    report: &mut Report,
    config: &Config,
    baseline: Option<&Baseline>,
    now: Option<i64>,
) -> Applied {
    let mut applying = Application {
        severities: config
            .severity
            .iter()
            .filter_map(|(code, change)| Some((Code::parse(code)?, change)))
            .collect(),
        active: Vec::new(),
        accepted: Vec::new(),
        baseline,
        matched: BTreeSet::new(),
        changed: BTreeSet::new(),
        applied: Applied::default(),
    };
    for (n, ignore) in config.ignore.iter().enumerate() {
        let name = ignore_name(n, ignore);
        if let Some(notice) = inactive(&name, ignore.expires.as_deref(), now) {
            applying.applied.notices.push(notice);
            continue;
        }
        let path = ignore.path.as_deref().and_then(|p| glob(p).ok());
        applying.active.push(ActiveIgnore {
            name,
            ignore,
            path,
            used: false,
            renamed: None,
        });
    }
    let accept = config.policy.iter().flat_map(|policy| &policy.accept);
    for (n, accept) in accept.enumerate() {
        let name = accept_name(n, accept);
        if let Some(notice) = inactive(&name, accept.expires.as_deref(), now) {
            applying.applied.notices.push(notice);
            continue;
        }
        applying.accepted.push(ActiveAccept {
            name,
            accept,
            used: false,
            refused: None,
        });
    }
    for ((code, severity), number) in std::mem::take(&mut report.dropped) {
        let counted = report.counts.counter(severity);
        *counted = counted.saturating_sub(number);
        report.counts.left_out = report.counts.left_out.saturating_sub(number);
        let (severity, number) = applying.remaining((code, severity), None, number);
        if number > 0 {
            report.drop_findings(code, severity, number);
        }
    }
    let by_first = baseline.is_some_and(Baseline::is_version_1)
        || applying
            .active
            .iter()
            .any(|active| active.ignore.fingerprint.is_some());
    let first = if by_first {
        fingerprints_v1(&report.findings)
    } else {
        Vec::new()
    };
    let mut first = first.into_iter();
    let mut unfolded = false;
    for finding in std::mem::take(&mut report.findings) {
        let counted = report.counts.counter(finding.severity);
        *counted = counted.saturating_sub(1);
        let mut waiting = vec![(finding, first.next())];
        while let Some((mut finding, first)) = waiting.pop() {
            let suppression = applying.evaluate(&mut finding, first.as_deref());
            let removed = suppression
                .as_ref()
                .is_some_and(|Suppression(why, _)| *why != LOWERED);
            if let Some(suppression) = suppression {
                let folded = applying.unfold(&mut finding, suppression, report);
                unfolded |= !folded.is_empty();
                waiting.extend(folded.into_iter().map(|finding| (finding, None)));
            }
            if !removed {
                report.counts.count(finding.severity);
                report.findings.push(finding);
            }
        }
    }
    if unfolded {
        report.findings.sort_by_cached_key(Finding::order);
    }
    applying.finish()
}

impl Application<'_> {
    /// Returns the result with its notices.
    fn finish(self) -> Applied {
        let Self {
            severities,
            active,
            accepted,
            baseline,
            matched,
            changed,
            mut applied,
        } = self;
        for ActiveIgnore {
            name,
            used,
            renamed,
            ..
        } in active
        {
            if !used {
                applied
                    .notices
                    .push(format!("{name} matches nothing any more: remove it"));
            }
            if let Some(new) = renamed {
                applied.notices.push(format!(
                    "{name} names a fingerprint of version 1: write `{new}` instead"
                ));
            }
        }
        for ActiveAccept {
            name,
            used,
            refused,
            ..
        } in accepted
        {
            if let Some(code) = refused {
                applied
                    .notices
                    .push(format!("{name} names {code}, which can't be accepted"));
            } else if !used {
                applied
                    .notices
                    .push(format!("{name} matches nothing any more: remove it"));
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
                applied
                    .notices
                    .push(format!("{code} is {level} here: {}", change.reason));
            }
        }
        let suppressed = applied.ignored + applied.off;
        if suppressed > 0 {
            applied.notices.push(format!(
                "findings ignored by the configuration: {suppressed}"
            ));
        }
        if applied.accepted > 0 {
            applied.notices.push(format!(
                "changes of the policy accepted by the configuration: {}",
                applied.accepted
            ));
        }
        if applied.known > 0 {
            applied.notices.push(format!(
                "findings that the baseline knows: {}",
                applied.known
            ));
        }
        let fixed = baseline.map_or(0, Baseline::len) - matched.len();
        if fixed > 0 {
            applied.notices.push(format!(
                "entries of the baseline that are fixed: {fixed}; update the file with `--write-baseline`"
            ));
        }
        if baseline.is_some_and(Baseline::is_version_1) {
            let notice = "the baseline has version 1: its fingerprints depend on messages, and its entries for unread content are ignored; update it with `--write-baseline`";
            applied.notices.push(notice.to_owned());
        }
        applied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::{Options, verify_reader};

    fn broken() -> Report {
        let text = include_str!("../../corpora/traces/broken/YV301-no-decision-in-turn-4.jsonl");
        verify_reader("traces/a.jsonl", text.as_bytes(), &Options::default())
    }

    fn applied(config: &str, now: Option<i64>) -> (Report, Applied) {
        let mut report = broken();
        let applied = apply(
            &mut report,
            &Config::parse("x.toml", config).unwrap(),
            None,
            now,
        );
        (report, applied)
    }

    #[test]
    fn an_ignore_lets_pass_what_it_names_and_nothing_else() {
        assert_eq!(broken().counts.errors, 1);
        let passes = |rest: &str, now| {
            let (report, applied) = applied(&format!("[[ignore]]\nreason = 'r'\n{rest}"), now);
            assert_eq!(report.counts.errors, report.findings.len() as u64);
            assert_eq!(applied.ignored, 1 - report.counts.errors);
            assert_eq!(
                report.counts.errors == 1,
                !applied.notices[0].starts_with("findings ignored"),
                "{applied:?}"
            );
            report.counts.errors == 0
        };
        assert!(passes("code = 'YV301'", None));
        assert!(passes("code = 'YV301'\npath = 'traces/*.jsonl'", None));
        assert!(
            !passes("code = 'YV301'\npath = '*.jsonl'", None),
            "a star stays within a folder"
        );
        assert!(!passes("code = 'YV302'", None));
        assert!(!passes("fingerprint = 'x'", None));
        let print = broken().findings[0].fingerprint.clone();
        assert!(passes(&format!("fingerprint = '{print}'"), None));
        let end = day_end("2027-01-31").unwrap();
        assert!(passes(
            "code = 'YV301'\nexpires = '2027-01-31'",
            Some(end - 1)
        ));
        assert!(!passes("code = 'YV301'\nexpires = '2027-01-31'", Some(end)));
        assert!(
            !passes("code = 'YV301'\nexpires = '2027-01-31'", None),
            "without a time nothing with an end counts"
        );
    }

    #[test]
    fn severities_change_and_the_counts_with_them() {
        let (report, note) = applied(
            "[severity.YV301]\nlevel = 'note'\nreason = 'known bug'",
            None,
        );
        assert_eq!((report.counts.errors, report.counts.notes), (0, 1));
        assert_eq!(note.notices, ["YV301 is a note here: known bug"]);
        let (report, off) = applied("[severity.YV301]\nlevel = 'off'\nreason = 'r'", None);
        assert!(
            report.findings.is_empty()
                && off.off == 1
                && report.counts.at_least(Severity::Note) == 0
        );
    }

    #[test]
    fn a_baseline_knows_what_was_there_and_says_what_is_gone() {
        let mut report = broken();
        let baseline = Baseline::parse(&Baseline::from_findings(&report.findings).text()).unwrap();
        let applied = apply(&mut report, &Config::default(), Some(&baseline), None);
        assert_eq!(
            (applied.known, report.counts.errors, report.findings.len()),
            (1, 0, 0)
        );
        let again = apply(&mut report, &Config::default(), Some(&baseline), None);
        assert_eq!(
            again.notices,
            ["entries of the baseline that are fixed: 1; update the file with `--write-baseline`"]
        );
        assert!(
            Baseline::parse("{\"version\":3,\"findings\":[]}").is_err()
                && Baseline::parse("[]").is_err()
        );
    }
}
