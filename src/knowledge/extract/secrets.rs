//! Keeps credentials out of the store.
//!
//! The source text is scanned as a whole before it is cut, since a member's name can reveal a
//! password. Every text to be stored is then scanned again. Every occurrence of a detected secret
//! is masked, including fragments of eight bytes.

use super::Extracted;
use content_scan::mask::Mask;
use content_scan::secret::{self, Table};
use strict_json::{Str, from_text};

/// The secrets found in one source.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    mask: Mask,
}

impl Cleaner {
    /// Adds the secrets that a replay found.
    pub(super) fn know(&mut self, mask: Mask) {
        self.mask.absorb(mask);
    }

    /// Scans JSON text for credentials.
    pub(super) fn learn(&mut self, record: &str) {
        let valid = serde_json::from_str::<serde::de::IgnoredAny>(record).is_ok();
        learn(&mut self.mask, record, valid);
    }

    /// Masks the secrets in everything that is stored.
    pub(super) fn clean(mut self, out: &mut Extracted) {
        let mut texts = 0_u64;
        each_text(out, &mut |text| self.read(text));
        if self.mask.is_empty() {
            return;
        }
        each_text(out, &mut |text| {
            if let Some(hidden) = self.mask.hide(text) {
                *text = hidden;
                texts += 1;
            }
        });
        out.hidden = texts;
    }

    /// Scans a text for credentials.
    pub(super) fn read(&mut self, text: &str) {
        let Ok(table) = Table::shipped() else {
            // Without the table of secrets, the whole text counts as one.
            self.mask.add(text);
            return;
        };
        for found in secret::find(table, text) {
            if let Some(secret) = text.get(found.start..found.end) {
                self.mask.add(secret);
            }
        }
    }
}

/// Adds the credentials in JSON text to a mask, both as written and unescaped, since escapes can
/// disguise a value.
pub(in crate::knowledge) fn learn(mask: &mut Mask, record: &str, valid: bool) {
    for place in content_scan::secrets(record, valid).places {
        let Some(written) = record.get(place) else {
            continue;
        };
        mask.add(written);
        if written.contains('\\')
            && let Ok(meant) = from_text::<Str<'_>>(&format!("\"{written}\""))
        {
            mask.add(&meant.decode());
        }
    }
}

/// Visits every text that comes from the source.
fn each_text(out: &mut Extracted, visit: &mut dyn FnMut(&mut String)) {
    out.observations.iter_mut().for_each(|o| o.each_text(visit));
    for edge in &mut out.edges {
        visit(&mut edge.from);
        visit(&mut edge.to);
        visit(&mut edge.kind);
        edge.meta.iter_mut().for_each(&mut *visit);
    }
    for node in &mut out.nodes {
        visit(&mut node.id);
        visit(&mut node.kind);
        node.payload.iter_mut().for_each(&mut *visit);
    }
    for used in &mut out.uses {
        for text in [
            &mut used.skill,
            &mut used.version,
            &mut used.task,
            &mut used.input,
        ] {
            visit(text);
        }
        let said = [&mut used.error, &mut used.output, &mut used.metadata];
        said.into_iter().flatten().for_each(&mut *visit);
    }
    for change in &mut out.promotions {
        visit(&mut change.skill);
        let said = [
            &mut change.version,
            &mut change.candidate,
            &mut change.metrics,
            &mut change.reason,
            &mut change.by,
        ];
        said.into_iter().flatten().for_each(&mut *visit);
    }
    out.names.iter_mut().for_each(|(_, name)| visit(name));
    for (execution, path) in &mut out.contexts {
        visit(execution);
        visit(path);
    }
    for (id, json) in &mut out.documents {
        visit(id);
        visit(json);
    }
    out.findings.iter_mut().for_each(|f| visit(&mut f.message));
}
