//! What the tool reports: findings with a code, a severity and a place.

mod finding;

pub use finding::{
    Code, ContentHash, Excerpt, Finding, Place, Related, Severity, assign_fingerprints, digest,
    digest_of, first_fingerprints, subject,
};
