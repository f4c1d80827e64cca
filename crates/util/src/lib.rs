#![doc = include_str!("../README.md")]

mod keyed_hash;
pub mod random;
pub mod time;
pub mod verbatim_overlap;

pub use keyed_hash::{keyed_hash, share_key};
