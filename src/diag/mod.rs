//! Findings with a code, a severity and a position.

mod fail_on;
mod finding;

pub use fail_on::FailOn;
pub use finding::{
    Code, ContentHash, Excerpt, Finding, Place, Related, Severity, assign_fingerprints, digest,
    digest_of, fingerprints_v1, subject,
};
