pub mod governance;
pub mod json;
