//! The words of observations, in segments that are never changed.
//!
//! A run writes what it adds as one segment: for each word a list of where it stands. What is removed is noted beside them
//! and passed over. When there are many segments the small ones are merged, so that each posting is written a few times in
//! its life however many nights there are (O'Neil and others, "The log-structured merge-tree", Acta Informatica 33, 1996).

mod blocks;
mod lexicon;
mod merge;
mod postings;
mod run;
mod segment;

use super::KnowledgeError;
pub(super) use merge::tidy;
pub(super) use run::{Builder, Run, Words};
pub(super) use segment::{Segment, Segments, add};

const DAMAGED: KnowledgeError = KnowledgeError::Damaged("a segment of words can't be read");
