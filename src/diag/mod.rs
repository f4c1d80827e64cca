//! What the tool reports: findings with a code, a severity and a place.

mod finding;

pub use finding::{
    Code, ContentHash, Excerpt, Finding, Place, Related, Severity, assign_fingerprints, digest, first_fingerprints, subject,
};
