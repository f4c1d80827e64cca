//! The rules for credentials.

use crate::cli::output::Failure;
use content_scan::secret::{Table, TableError};

/// Returns the built-in rules. Without them a scan would find nothing, which would look like a
/// clean trace.
///
/// # Errors
/// When they can't be loaded.
pub(in crate::cli) fn secret_rules() -> Result<&'static Table, Failure> {
    Table::shipped().map_err(|e| broken_rules(&e))
}

/// Creates the failure for invalid rules.
pub(in crate::cli) fn broken_rules(error: &TableError) -> Failure {
    Failure::unable(error.to_string(), "docs/secrets.md describes the form")
}
