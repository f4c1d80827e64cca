//! The inverted index of observations, in immutable segments.
//!
//! The words of a few sources are collected as a sorted run. A reindexing joins its runs to one
//! segment: a posting list for each word, many of them in a block of the store. Removals are
//! recorded separately, and searches skip them. When there are many segments, the small ones are
//! merged, so that each posting is rewritten only a few times (O'Neil and others, "The
//! log-structured merge-tree", Acta Informatica 33, 1996).

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
