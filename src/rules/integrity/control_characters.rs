//! Text for people contains hidden or misleading characters.
//!
//! ## What it does
//! The rule searches every string of a record for code points that control a terminal or are
//! invisible: escape sequences (CSI, OSC 8, OSC 52, DCS), C0 and C1 controls, bidirectional
//! overrides, embeddings and isolates, zero-width, filler and tag characters. In commands and
//! paths, it also reports letters of one script inside a word of another (`pаyment` with a Cyrillic
//! `а`) and symbols that look like `/` or `.`.
//!
//! Legitimate uses aren't reported: line ends and tabs, text in any language, joiners inside emoji
//! and joining scripts, flags, and a byte-order mark at the start of a text or of a diff's line.
//! The output of programs may contain colours, progress and links. There, only clipboard access,
//! device control, C1 introducers and tag characters are reported. Texts of one execution that hide
//! the same are one finding.
//!
//! ## Why it matters
//! A human approves what a human sees. A carriage return writes `npm test` over `rm -rf`; an
//! override reverses text; tag characters carry instructions that models read and people don't; a
//! look-alike letter makes another file or program out of a trusted one.
//!
//! ## How to fix it
//! Read the text as code points, not in a terminal, and assume that the approval was for something
//! else. Make the runtime escape or refuse such characters before it asks anybody.
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
