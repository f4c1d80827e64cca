//! The words of observations, in segments that are never changed.
//!
//! The words of a few sources are gathered as a run, in the order of words. A reindexing joins its
//! runs to one segment: for each word a list of where it stands, many of them in a block of the
//! store. What is removed is noted beside the segments and passed over. When there are many of
//! those the small ones are merged, so that each posting is written a few times in its life however
//! many nights there are (O'Neil and others, "The log-structured merge-tree", Acta Informatica 33,
//! 1996).

mod agree;
mod blocks;
mod merge;
mod postings;
mod segment;
mod sorted_run;
mod term_dict;

use super::KnowledgeError;
pub(super) use agree::agrees;
pub(super) use merge::{compact, standing};
pub(super) use segment::{Segment, Segments, add};
pub(super) use sorted_run::{Builder, IndexWriter, SortedRun};

const DAMAGED: KnowledgeError = KnowledgeError::Damaged("a segment of words can't be read");
