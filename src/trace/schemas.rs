//! Schemas of all formats, and their compiled validators.

use super::formats::Format;
use super::record::RecordKind;
use crate::schema::{Catalogue, Validator, Violation};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Adds the schemas of all formats.
pub fn add_to(catalogue: &mut Catalogue) {
    for format in Format::ALL {
        format.add_schemas(catalogue);
    }
}

static VALIDATORS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let mut catalogue = Catalogue::new();
    add_to(&mut catalogue);
    // A schema that doesn't compile is a bug that the tests find. Here the record is refused
    // without a position.
    catalogue
        .entries()
        .iter()
        .filter_map(|e| Validator::new(&e.schema).ok().map(|v| (e.name.clone(), v)))
        .collect()
});

/// Returns where a record violates the schema of its format and kind.
#[must_use]
pub fn violations(format: Format, kind: Option<RecordKind>, text: &str) -> Vec<Violation> {
    VALIDATORS
        .get(&*format.schema_of(kind, text))
        .map(|v| v.violations(text))
        .unwrap_or_default()
}

/// Returns whether the general validator accepts a record.
#[must_use]
pub fn accepts(format: Format, kind: Option<RecordKind>, text: &str) -> bool {
    VALIDATORS
        .get(&*format.schema_of(kind, text))
        .is_some_and(|v| v.accepts(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_compiles() {
        let mut catalogue = Catalogue::new();
        add_to(&mut catalogue);
        assert_eq!(VALIDATORS.len(), catalogue.entries().len());
        assert_eq!(catalogue.entries().len(), RecordKind::ALL.len() + 11);
    }
}
