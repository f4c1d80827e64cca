//! The work that the parser does at syntax errors and behind comments, which its reports of
//! progress don't show.
//!
//! At an error, the parser tries all reductions, and each of them walks over the comments and
//! earlier errors on the stack. So does each reduction behind a run of comments. The messages of
//! the parser show how many there are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tree_sitter::LogType;

/// Maximum sum of the lengths of all walks. A walk over one node takes about half a microsecond,
/// since it belongs to tens of reductions.
const MAX_WALKS: usize = 2_000_000;

/// Counts the work of a parse.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    walks: Arc<AtomicUsize>,
}

impl Recovery {
    /// Returns whether the parser did more work than is allowed.
    pub(super) fn is_exhausted(&self) -> bool {
        self.walks.load(Relaxed) > MAX_WALKS
    }

    /// Returns a logger that counts the work.
    pub(super) fn logger(&self) -> impl FnMut(LogType, &str) + Send + 'static {
        let walks = Arc::clone(&self.walks);
        let mut errors = 0_usize;
        // Comments at the top of the stack, and the most that were there.
        let (mut run, mut longest) = (0_usize, 0_usize);
        move |kind, message| {
            if kind != LogType::Parse {
                return;
            }
            let work = if message.starts_with("resume") {
                errors = errors.saturating_add(1);
                // A reduction may walk over several runs of comments.
                errors.saturating_add(longest.saturating_mul(4))
            } else if message.starts_with("shift_extra") {
                run = run.saturating_add(1);
                longest = longest.max(run);
                0
            } else if message.starts_with("shift") {
                run = 0;
                0
            } else if message.starts_with("reduce") {
                run
            } else {
                0
            };
            walks.fetch_add(work, Relaxed);
        }
    }
}
