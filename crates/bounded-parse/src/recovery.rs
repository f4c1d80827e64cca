//! The work that the parser does at syntax errors and behind comments, which its reports of
//! progress don't show.
//!
//! At an error, the parser tries all reductions, for each token that may be missing, and each of
//! them walks over the comments and earlier errors on the stack. So does each reduction behind a
//! run of comments. The parser says nothing of errors but in its log:
//! [`has_error`](tree_sitter::ParseState::has_error) is false as soon as it goes on after one, and
//! so between thousands of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tree_sitter::LogType;

/// Number of reductions that are charged for an error. The grammars of C try about a hundred, that
/// of Rust a thousand.
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
        let mut stack = Stack::default();
        move |kind, message| {
            // Each character that the lexer reads is a message.
            if kind == LogType::Lex {
                return;
            }
            let work = match message.as_bytes() {
                [b'r', b'e', b'd', ..] => stack.reduce(),
                [b's', b'h', b'i', b'f', b't', b'_', ..] => {
                    stack.shift_comment();
                    return;
                }
                [b's', b'h', ..] => {
                    stack.shift_token();
                    return;
                }
                [b'n', b'o', b'_', ..] => {
                    stack.ends_comment = true;
                    return;
                }
                [b'r', b'e', b's', b'u', b'm', b'e', b' ', ..] => stack.recover(),
                _ => return,
            };
            if work > 0 {
                walked.fetch_add(work, Relaxed);
            }
        }
    }
}

/// Maximum number of tokens that belong to a comment, where it isn't a single token.
const COMMENT_TOKENS: usize = 5;

/// What is known of the parser's stack.
#[derive(Debug, Default)]
struct Stack {
    /// Number of errors so far.
    errors: usize,
    /// Number of comments at the top.
    run: usize,
    /// The longest run so far.
    longest: usize,
    /// The run below the last tokens, and their number: they may belong to one more comment.
    below: usize,
    tokens: usize,
    /// Whether the next reduction makes a comment of its tokens.
    ends_comment: bool,
}

impl Stack {
    /// Adds a token.
    const fn shift_token(&mut self) {
        if self.run > 0 {
            self.below = self.run;
            self.run = 0;
            self.tokens = 0;
        }
        self.tokens = self.tokens.saturating_add(1);
    }

    /// Adds a comment that is a token.
    fn shift_comment(&mut self) {
        self.run = self.run.saturating_add(1);
        self.longest = self.longest.max(self.run);
    }

    /// Reduces what is below the comments at the top. Returns the work.
    fn reduce(&mut self) -> usize {
        if !std::mem::take(&mut self.ends_comment) {
            return self.run.saturating_mul(MOVED);
        }
        if self.run == 0 && self.tokens <= COMMENT_TOKENS {
            self.run = self.below;
        }
        self.shift_comment();
        0
    }

    /// Recovers from an error. Returns the work.
    const fn recover(&mut self) -> usize {
        self.errors = self.errors.saturating_add(1);
        // A reduction may walk over several runs of comments.
        let nodes = self.errors.saturating_add(self.longest.saturating_mul(4));
        nodes.saturating_mul(REDUCTIONS)
    }
}
