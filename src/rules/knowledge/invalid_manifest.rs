//! A skill, tool, server or configuration file breaks its schema.
//!
//! ## What it does
//! `validate` knows manifests by their name or their shape: `skill.json`, `skills.json`,
//! `meta.json`, `.mcp.json`, `.ai-stack.json`, and tools (`tool.json`, `tools.json`). Each must
//! keep its schema. Handlers and paths that it names must exist in the project: no `..`, no link
//! that leads out, and a handler's function must be in its file. The parameters of a tool must
//! be JSON Schema, and the intent of a skill one purpose: `any`, `general`, `everything`, `*` and
//! nothing at all are refused, in whatever letters they are written. A server has a program or an
//! address, an entry of `skills.json` a path or a package, and never both. A file that has the name
//! of a manifest is checked as one, whatever else it looks like. `knowledge reindex` holds the
//! metadata of skills to the same, and the index and items of a context bank to their form.
//!
//! ## Why it matters
//! Skills are chosen by their intent and rated by their record. One that is for everything is
//! chosen for everything, and nobody can say whether it is good at it. A handler outside the
//! project is code that nobody reviewed with it.
//!
//! ## How to fix it
//! Add what is missing, and say what the skill is for. A skill with two purposes is two skills.
//! `schema print skill-metadata` (or `skill-manifest`, `skill-set`, `tool-manifest`, `mcp-servers`,
//! `agent-config`) shows what they may contain.
//!
//! ## Fails
//! ```toml validate skills
//! ```
//! ```json skills/production/mend-build/meta.json
//! ```
//!
//! ## Passes
//! ```toml validate skills
//! ```
//! ```json skills/production/mend-build/meta.json
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(901),
    name: "invalid-manifest",
    severity: Severity::Error,
    aspect: None,
    summary: "a skill, tool, server or configuration file breaks its schema",
    source: include_str!("invalid_manifest.rs"),
    examples: &[
        include_str!("invalid_manifest/fails/yuangs-verify.toml"),
        include_str!("invalid_manifest/fails/skills/production/mend-build/meta.json"),
        include_str!("invalid_manifest/passes/yuangs-verify.toml"),
        include_str!("invalid_manifest/passes/skills/production/mend-build/meta.json"),
    ],
    check: Check::Policy,
};
