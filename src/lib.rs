pub mod diag;
pub mod governance;
pub mod json;
pub mod schema;
pub mod source;
pub mod time;
pub mod trace;
