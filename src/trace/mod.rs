//! Traces: from bytes to records, from records to steps.
pub mod record;
pub mod scalar;
pub mod step;
pub mod v1;
