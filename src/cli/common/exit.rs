//! Exit codes.

use crate::report::Outcome;

/// Verified, with no finding at or above the threshold.
pub const EXIT_CLEAN: u8 = 0;
/// Findings at or above the threshold.
pub const EXIT_FINDINGS: u8 = 1;
/// The command failed: usage, configuration, input or output.
pub const EXIT_ERROR: u8 = 2;
/// Nothing was verified, or an analysis is inconclusive.
pub const EXIT_NOTHING_VERIFIED: u8 = 3;

/// Returns the exit code of an outcome.
pub(in crate::cli) const fn exit_code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Clean | Outcome::Unenforced(_) => EXIT_CLEAN,
        Outcome::Findings => EXIT_FINDINGS,
        Outcome::Unable(_) => EXIT_ERROR,
        Outcome::Empty(_) => EXIT_NOTHING_VERIFIED,
    }
}
