//! The work that the parser does at syntax errors and behind comments, which its reports of
//! progress don't show.
//!
//! At an error, the parser tries all reductions, for each token that may be missing, and each of
//! them walks over the comments and earlier errors on the stack. So does each reduction behind a run
//! of comments. The parser says nothing of errors but in its log:
//! [`has_error`](tree_sitter::ParseState::has_error) is false as soon as it goes on after one, and
//! so between thousands of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tree_sitter::LogType;

/// Number of reductions that are charged for an error. The grammars of C try about a hundred, that of
/// Rust a thousand.
const REDUCTIONS: usize = 256;

/// Number of steps of a walk that a comment costs which a reduction takes from the stack and puts
/// back.
const MOVED: usize = 8;

/// Returns the maximum number of nodes that reductions may walk over. A step of a walk takes about
/// 30 nanoseconds. A large text may have errors at 500 places.
fn max_walked(bytes: usize) -> usize {
    let walks = bytes.saturating_mul(4).saturating_add(2_000);
    walks.min(128_000) * REDUCTIONS
}

/// Counts the work of a parse.
#[derive(Debug)]
pub(super) struct Recovery {
    walked: Arc<AtomicUsize>,
    max: usize,
}

impl Recovery {
    /// Begins to count for a text of a length in bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Recovery {
            walked: Arc::default(),
            max: max_walked(bytes),
        }
    }

    /// Returns whether the parser did more work than is allowed.
    pub(super) fn is_exhausted(&self) -> bool {
        self.walked.load(Relaxed) > self.max
    }

    /// Returns a logger that counts the work.
    pub(super) fn logger(&self) -> impl FnMut(LogType, &str) + Send + 'static {
        let walked = Arc::clone(&self.walked);
        let mut errors = 0_usize;
        // Comments at the top of the stack, and the most that were there.
        let (mut run, mut longest) = (0_usize, 0_usize);
        move |kind, message| {
            // Each character that the lexer reads is a message.
            if kind == LogType::Lex {
                return;
            }
            let work = match message.as_bytes() {
                [b'r', b'e', b'd', ..] => run.saturating_mul(MOVED),
                [b's', b'h', b'i', b'f', b't', b'_', ..] => {
                    run = run.saturating_add(1);
                    longest = longest.max(run);
                    return;
                }
                [b's', b'h', ..] => {
                    run = 0;
                    return;
                }
                [b'r', b'e', b's', b'u', b'm', b'e', b' ', ..] => {
                    errors = errors.saturating_add(1);
                    // A reduction may walk over several runs of comments.
                    let nodes = errors.saturating_add(longest.saturating_mul(4));
                    nodes.saturating_mul(REDUCTIONS)
                }
                _ => return,
            };
            if work > 0 {
                walked.fetch_add(work, Relaxed);
            }
        }
    }
}
