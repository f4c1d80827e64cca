//! Converts the faults of a manifest to findings.

use super::document::is_yaml;
use super::fault::{Fault, faults};
use super::kind::Kind;
use super::paths;
use crate::diag::{Code, Finding, Place, digest, subject};
use crate::rules;
use crate::trace::entry::Entry;
use content_scan::mask::Mask;
use std::collections::BTreeSet;
use std::path::Path;
use strict_json;

/// A manifest and its location.
#[derive(Debug, Clone, Copy)]
pub struct File<'f> {
    /// The name shown in reports.
    pub name: &'f str,
    pub text: &'f str,
    /// The directory of the manifest and the root of its project. `None` skips the check that the
    /// paths it names exist.
    pub places: Option<(&'f Path, &'f Path)>,
}

/// Returns the findings about a manifest in text order, and a mask of its secrets. The messages of
/// the findings are already masked.
#[must_use]
pub fn check(kind: Kind, file: &File<'_>) -> (Vec<Finding>, Mask) {
    let mut all = faults(kind, file.text);
    if let Some((folder, root)) = file.places
        && let Ok(value) = serde_json::from_str(file.text)
    {
        let mut named = paths::look(kind, &value, folder, root);
        let wanted: BTreeSet<String> = named.iter().map(|f| f.pointer.clone()).collect();
        let places = strict_json::resolve_all(file.text, &wanted);
        for fault in &mut named {
            fault.at = places.get(&fault.pointer).map_or(0..0, |p| p.value.clone());
        }
        all.extend(named);
    }
    report(file, all)
}

/// Converts the faults of a file to findings without secrets, and returns a mask of the secrets.
pub(super) fn report(file: &File<'_>, all: Vec<Fault>) -> (Vec<Finding>, Mask) {
    // Text that isn't JSON is searched as it is.
    let valid = !is_yaml(file.name) && !all.iter().any(|f| f.code == 102);
    let secrets = content_scan::secrets(file.text, valid).places;
    let entry = Entry::unread((1, 0), file.text, Vec::new(), secrets);
    let mut mask = Mask::default();
    entry.secret_texts().for_each(|secret| mask.add(&secret));
    let mut findings: Vec<Finding> = all
        .into_iter()
        .map(|fault| finding(file.name, &entry, fault))
        .collect();
    for finding in &mut findings {
        // YV803 names a secret only by its first characters, which the mask would remove.
        if finding.code != Code(803) {
            mask.clean(&mut finding.message);
        }
    }
    findings.sort_by_cached_key(Finding::order);
    (findings, mask)
}

fn finding(name: &str, entry: &Entry<'_>, fault: Fault) -> Finding {
    let (line, column) = entry.position(fault.at.start);
    let place = Place {
        file: name.into(),
        line,
        column,
        pointer: Some(fault.pointer).filter(|p| !p.is_empty()),
        excerpt: Some(entry.excerpt(fault.at.start, fault.at.len())),
    };
    // Without a pointer, the text identifies the finding: two credentials in one string are two
    // findings.
    let text = entry.text.get(fault.at).unwrap_or_default();
    let about = subject([place.pointer.as_deref().unwrap_or_default(), &digest(text)]);
    let finding = rules::finding(Code(fault.code), fault.message, place);
    Finding {
        subject: Some(about),
        severity: fault.severity.unwrap_or(finding.severity),
        ..finding
    }
}
