//! JSON Schemas: generated from the types that read records, and a general validator that reports
//! the exact position and cause of each violation.
//!
//! The fast path doesn't use them. A record that its type accepts is valid; only a refused record
//! goes to the slower validator, for a good message. A property test checks that both agree.

mod bounded;
mod catalogue;
mod validate;

pub use bounded::{BoundedValidator, SchemaBudget};
pub(crate) use catalogue::define;
pub use catalogue::{Catalogue, Entry};
pub use validate::{SchemaError, Validator, Violation};
