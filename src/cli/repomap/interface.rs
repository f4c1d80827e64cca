//! Reports differences between the interfaces of two trees as findings, for `repomap diff` and a
//! gate.

use super::tree::{at_merge_base, unread};
use crate::cli::output::Failure;
use crate::diag::{Code, Finding, Place, assign_fingerprints, subject};
use crate::rules;
use crate::verify::Report;
use repo_map::{Change, Difference, diff, of_folder};
use std::path::Path;

/// Maximum number of new definitions that a notice names.
const NAMED: usize = 10;

/// Returns a finding for each public definition that was removed or changed (YV906).
pub(super) fn findings(differences: &[Difference]) -> Vec<Finding> {
    let mut out: Vec<Finding> = differences
        .iter()
        .filter(|d| !d.private)
        .filter_map(finding)
        .collect();
    assign_fingerprints(&mut out);
    out
}

fn finding(difference: &Difference) -> Option<Finding> {
    let (kind, name) = (difference.kind.name(), &difference.name);
    let message = match &difference.change {
        Change::Added { .. } => return None,
        Change::Removed { signature } => {
            format!("the {kind} `{name}` is gone: it was `{signature}`")
        }
        Change::Changed { before, after } => {
            format!("the {kind} `{name}` has changed: was `{before}`, is `{after}`")
        }
    };
    let place = Place {
        file: difference.path.as_str().into(),
        line: difference.line.into(),
        column: 1,
        ..Place::default()
    };
    let change = match &difference.change {
        Change::Added { .. } | Change::Removed { .. } => [kind, name.as_str(), "removed", ""],
        Change::Changed { before: _, after } => [kind, name, "changed", after],
    };
    Some(Finding {
        help: Some("see who uses it, and say in the pull request that it breaks them; or keep it as it was".into()),
        subject: Some(subject(change)),
        ..rules::finding(Code(906), message, place)
    })
}

/// Compares the definitions of a directory with those at the merge base, for a gate. Also returns
/// whether there was anything to compare.
pub(in crate::cli) fn compare_interface(
    tree: &Path,
    base: &str,
) -> Result<(Report, bool), Failure> {
    let (parting, before) = at_merge_base(tree, base)?;
    let after = of_folder(tree, None)
        .map_err(|e| Failure::unable(e.to_string(), "the configuration is in a folder"))?;
    let differences = diff(&before, &after);
    let mut report = Report {
        findings: findings(&differences),
        ..Report::default()
    };
    report.counts.notes = u64::try_from(report.findings.len()).unwrap_or(u64::MAX);
    let is_new = |d: &&Difference| !d.private && matches!(d.change, Change::Added { .. });
    let new: Vec<&str> = differences
        .iter()
        .filter(is_new)
        .map(|d| d.name.as_str())
        .collect();
    let private = differences.iter().filter(|d| d.private).count();
    let mut said = format!(
        "definitions since {parting}: new {}, gone or changed {}, private ones that differ {private}",
        new.len(),
        report.findings.len()
    );
    let unread = (unread(&before), unread(&after));
    if unread != (0, 0) {
        said.push_str(&format!(
            "; in parts not parsed: {} files before, {} now",
            unread.0, unread.1
        ));
    }
    report.notices.push(said);
    if !new.is_empty() {
        let more = new.len().saturating_sub(NAMED);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let named: Vec<&str> = new.iter().take(NAMED).copied().collect();
        report
            .notices
            .push(format!("new definitions: {}{more}", named.join(", ")));
    }
    let any = before
        .files
        .iter()
        .chain(&after.files)
        .any(|f| !f.tags.definitions.is_empty());
    Ok((report, any))
}
