#![doc = include_str!("../README.md")]

mod hex;
mod keyed_hash;
pub mod random;
pub mod time;
pub mod verbatim_overlap;

pub use hex::hex;
pub use keyed_hash::{keyed_hash, share_key};
