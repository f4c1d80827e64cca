//! Reports: one emitter per format, each in its own file, all from the same findings.
//!
//! Any text in a finding may have been written by an attacker. Each emitter escapes it for the
//! place where it is written.

mod base;
mod fold;
mod github;
mod gitlab;
mod html;
mod json;
mod jsonl;
mod junit;
mod lang;
mod markdown;
mod outcome;
pub mod page;
mod rdjson;
mod run;
mod sarif;
mod text;
mod words;

pub use base::Base;
pub(crate) use json::line as json_line;
pub use json::{Document, findings_json, safe_json, write_json, write_pretty};
pub use jsonl::Line;
pub use lang::Lang;
pub use markdown::MARKER;
pub use outcome::Outcome;
pub use run::{Format, Run};
pub use text::{TextOptions, write_findings, write_problem, write_text};
pub use text_safety::escape::json::harmless as harmless_json;
pub use text_safety::escape::markdown::code as code_span;
pub use text_safety::escape::terminal;
pub(crate) use text_safety::escape::{holds_command, line_start};
pub(crate) use words::thousands;
