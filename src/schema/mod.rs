//! JSON Schemas: generated from the types that read records, and the general validator that says
//! exactly where and why a record breaks one.
//!
//! The fast path never comes here. A record that its type accepts is valid; only a refused record
//! is read a second time, slowly, for a good message. A property test holds that the two agree.

mod catalogue;
mod validate;

pub(crate) use catalogue::define;
pub use catalogue::{Catalogue, Entry};
pub use validate::{SchemaError, Validator, Violation};
