//! Which globs may match what an unexpanded path stands for, if others may.
//!
//! What may match a glob may match each wider one. Few globs ever meet an unexpanded path, so those
//! that are wider than one are found when it is first asked about.

use super::formula::FactId;
use super::language::{Found, LanguageId, Languages};
use rustc_hash::FxHashMap;

/// The globs of an analysis, by their facts.
#[derive(Debug, Default)]
pub(super) struct GlobOrder {
    globs: Vec<(FactId, LanguageId)>,
    places: FxHashMap<FactId, LanguageId>,
    /// The globs that are wider than one.
    wider: FxHashMap<FactId, Vec<FactId>>,
}

impl GlobOrder {
    /// Adds a glob, with the language of what it may match.
    pub(super) fn add(&mut self, fact: FactId, language: LanguageId) {
        self.globs.push((fact, language));
        self.places.insert(fact, language);
    }

    /// The globs that may match whatever this one may.
    pub(super) fn wider(&mut self, fact: FactId, languages: &mut Languages) -> &[FactId] {
        let Some(language) = self.places.get(&fact) else {
            return &[];
        };
        let (globs, language) = (&self.globs, *language);
        self.wider.entry(fact).or_insert_with(|| {
            let Found::Text(shortest) = languages.shortest(&[(language, true)]) else {
                return Vec::new();
            };
            let mut wider = Vec::new();
            for (other, of_other) in globs {
                // Most are excluded by one text.
                let is_wider = *other != fact
                    && languages.contains(*of_other, &shortest) == Some(true)
                    && languages.shortest(&[(language, true), (*of_other, false)]) == Found::None;
                if is_wider {
                    wider.push(*other);
                }
            }
            wider
        })
    }
}
