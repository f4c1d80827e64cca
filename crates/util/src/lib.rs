//! Small leaves that several crates need.

pub mod random;
pub mod time;
pub mod verbatim_overlap;
