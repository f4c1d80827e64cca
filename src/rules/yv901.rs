//! A skill, tool, server or configuration file breaks its schema.
//!
//! ## What it does
//! Reads the manifests among the sources of knowledge: the metadata of skills, and the index and items of a context bank. A
//! skill needs name, version, intent, author and time of creation, and its intent has to be one purpose: `any`, `general`,
//! `everything`, `*` and nothing at all are refused.
//!
//! ## Why it matters
//! Skills are chosen by their intent and judged by their record. One that is for everything is chosen for everything, and
//! nobody can say whether it is good at it.
//!
//! ## How to mend it
//! Add what is missing, and say what the skill is for. A skill with two purposes is two skills.
//!
//! ## Fails
//! ```toml knowledge reindex
//! [knowledge]
//! skills = ['skills']
//! ```
//! ```json skills/production/mend-build/meta.json
//! {"name":"mend-build","version":"1.0.0","intent":"everything","author":"ci","created_at":"2026-01-31T10:00:00Z"}
//! ```
//!
//! ## Passes
//! ```toml knowledge reindex
//! [knowledge]
//! skills = ['skills']
//! ```
//! ```json skills/production/mend-build/meta.json
//! {"name":"mend-build","version":"1.0.0","intent":"mend a broken build","author":"ci","created_at":"2026-01-31T10:00:00Z"}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(901),
    name: "invalid-manifest",
    severity: Severity::Error,
    aspect: None,
    summary: "a skill, tool, server or configuration file breaks its schema",
    source: include_str!("yv901.rs"),
    check: Check::Policy,
};
