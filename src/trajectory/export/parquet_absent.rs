//! Parquet files in a build without them. Always refuses.

use super::table::{Cell, Column};
use crate::features::{Feature, NotInBuild};
use std::convert::Infallible;
use std::io::{self, Write};
use std::marker::PhantomData;

/// A writer, which can't exist in this build.
#[derive(Debug)]
pub struct ParquetWriter<'o> {
    never: Infallible,
    _out: PhantomData<&'o mut ()>,
}

impl<'o> ParquetWriter<'o> {
    /// Refuses to start a file.
    ///
    /// # Errors
    /// Always.
    pub fn new(_: &'o mut (dyn Write + Send), _: &str, _: &[Column]) -> io::Result<Self> {
        Err(io::Error::other(NotInBuild(Feature::Parquet)))
    }

    /// Can't be called.
    ///
    /// # Errors
    /// Never.
    pub fn write(&mut self, _: &[Cell]) -> io::Result<()> {
        match self.never {}
    }

    /// Can't be called.
    ///
    /// # Errors
    /// Never.
    pub fn finish(self) -> io::Result<()> {
        match self.never {}
    }
}
