//! An input can't be opened or decompressed, or a line is not valid UTF-8.
//!
//! ## What it does
//! An input is opened, decompressed according to its content (`.gz`, `.zst`) and read as UTF-8. The
//! rule fires in these cases:
//!
//! - The file is missing, or access is denied. Then the exit code is 2.
//! - A compressed stream breaks off.
//! - The input is longer than `--max-input-bytes`.
//! - A line isn't valid UTF-8. It is skipped, and events that are illegal only because it is
//!   missing are listed with this finding.
//!
//! The examples are in hexadecimal: in the `reasoning` of the first one, `e0` is a lone Latin-1
//! letter.
//!
//! ## Why it matters
//! What can't be read can't be checked, and the missing line may contain the decision that a
//! reviewer needs. If unreadable input were skipped silently, one stray byte would hide any record,
//! and an empty or locked file would pass as clean.
//!
//! ## How to fix it
//! Make the writer encode every record as UTF-8, including text from tools and terminals. Find out
//! which bytes are wrong (the finding names the first one) and restore the line from the original
//! source. Check the permissions and completeness of the file, and copy it again if it was cut off.
//!
//! ## Fails
//! ```jsonl hex
//! ```
//!
//! ## Passes
//! ```jsonl hex
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(101),
    name: "unreadable-input",
    severity: Severity::Error,
    aspect: None,
    summary: "an input can't be opened or decompressed, or a line is not valid UTF-8",
    source: include_str!("unreadable_input.rs"),
    examples: &[
        include_str!("unreadable_input.fails.hex"),
        include_str!("unreadable_input.passes.hex"),
    ],
    check: Check::Reader,
};
