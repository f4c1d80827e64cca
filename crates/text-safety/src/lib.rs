//! Hostile text made safe to show, and characters that deceive a reader.

pub mod confusables;
pub mod escape;
pub mod invisible_chars;
pub mod path_names;
