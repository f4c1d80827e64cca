//! Evaluates a call by the program's entry in the table.

pub(crate) mod args;
pub(crate) mod copies;
pub(crate) mod shell_args;
pub(crate) mod spec_eval;
pub(crate) mod unlisted_options;
