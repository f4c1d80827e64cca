//! No credential reaches the store.
//!
//! The source as it is written is scanned whole, before anything is cut, where a member's name can
//! give a password away; and every text that is to be stored is scanned again by itself. What was
//! found in either is hidden everywhere, down to stretches of eight bytes.

use super::Extracted;
use content_scan::mask::Mask;
use content_scan::secret::{self, Table};
use strict_json::{Str, from_text};

/// What was found secret in one source.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    mask: Mask,
}

impl Cleaner {
    /// Takes over what a replay found.
    pub(super) fn know(&mut self, mask: Mask) {
        self.mask.absorb(mask);
    }

    /// Looks for credentials in JSON as it is written.
    pub(super) fn learn(&mut self, record: &str) {
        let valid = serde_json::from_str::<serde::de::IgnoredAny>(record).is_ok();
        learn(&mut self.mask, record, valid);
    }

    /// Takes them out of everything.
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

    /// Looks for credentials in a text.
    pub(super) fn read(&mut self, text: &str) {
        let Ok(table) = Table::shipped() else {
            // Without the table nothing can be said to be free of secrets.
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

/// Remembers the credentials of JSON, as they are written and as they are meant: escapes are one
/// way to write them.
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

/// Every text that comes from the source.
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
            &mut used.intent,
        ] {
            visit(text);
        }
        used.error.iter_mut().for_each(&mut *visit);
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
    for (id, json) in &mut out.documents {
        visit(id);
        visit(json);
    }
    out.findings.iter_mut().for_each(|f| visit(&mut f.message));
}
