//! Text that people read hides something from them.
//!
//! ## What it does
//! Reads every string of a record and names the code points that act on a terminal or don't show:
//! escape sequences (CSI, OSC 8, OSC 52, DCS), C0 and C1 controls, bidirectional overrides,
//! embeddings and isolates, zero-width, filler and tag characters. In commands and paths also
//! letters of one script inside a word of another (`pаyment` with a Cyrillic `а`) and signs that
//! look like `/` or `.`. What a character is made for is no finding: line ends and tabs, text in
//! any language, joiners inside emoji and joining scripts, flags, a byte-order mark at the start of
//! a text or of a diff's line. The output of programs may hold colours, progress and links; there
//! only what writes to the clipboard, device control, C1 introducers and tag characters count.
//! Texts of one execution that hide the same are one finding.
//!
//! ## Why it matters
//! A human approves what a human sees. A carriage return writes `npm test` over `rm -rf`; an
//! override turns text around; tag characters carry instructions that models read and people don't;
//! a look-alike letter makes a new file or another program out of one that everybody trusts.
//!
//! ## How to fix it
//! Read the text as code points, not in a terminal, and treat the approval as given for
//! something else. Let the runtime escape or refuse such characters before it asks anybody.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(804),
    name: "control-characters",
    severity: Severity::Warning,
    aspect: None,
    summary: "terminal escapes, bidirectional or invisible characters appear in text that people read",
    source: include_str!("control_characters.rs"),
    examples: &[
        include_str!("control_characters.fails.jsonl"),
        include_str!("control_characters.passes.jsonl"),
    ],
    check: Check::Reader,
};
