//! One binary for all integration tests.

mod agreement;
mod architecture;
mod catalogue;
mod cli;
mod corpora;
mod generate;
mod pages;
mod properties;
