#![doc = include_str!("../README.md")]

pub mod diff;
pub mod git;
pub mod name;
pub mod path;
