//! The rules for credentials.

use crate::cli::output::Failure;
use content_scan::secret::{Table, TableError};

/// The built-in rules. Without them a scan would find nothing, which looks like a clean trace.
///
/// # Errors
/// When they don't load.
pub(in crate::cli) fn secret_rules() -> Result<&'static Table, Failure> {
    Table::shipped().map_err(|e| broken_rules(&e))
}

/// The failure for rules that can't be used.
pub(in crate::cli) fn broken_rules(error: &TableError) -> Failure {
    Failure::unable(error.to_string(), "docs/secrets.md describes the form")
}
