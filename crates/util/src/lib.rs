#![doc = include_str!("../README.md")]

pub mod random;
pub mod time;
pub mod verbatim_overlap;
