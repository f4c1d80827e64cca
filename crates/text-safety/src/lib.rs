#![doc = include_str!("../README.md")]

pub mod confusables;
pub mod escape;
pub mod invisible_chars;
pub mod path_names;
