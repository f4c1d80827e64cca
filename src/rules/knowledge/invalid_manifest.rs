//! A skill, tool, server or configuration file breaks its schema.
//!
//! ## What it does
//! `validate` recognises manifests by their name or structure: `skill.json`, `skills.json`,
//! `meta.json`, `.mcp.json`, `.ai-stack.json`, tools (`tool.json`, `tools.json`), and listings of
//! servers (`mcp-listing.json`). A file with the name of a manifest is always checked as one.
//! Files that end in `.yaml` or `.yml` are checked in the same way, with the lines of the YAML
//! text. Policies and tests of policies in YAML must load. The rule requires:
//!
//! - Each manifest conforms to its schema.
//! - Handlers and paths exist in the project, without `..` and without links that lead out of it. A
//!   handler's function must be in its file.
//! - The parameters of a tool are JSON Schema that is applied in bounded work: no reference leaves
//!   the schema or leads back to itself, and patterns are matched in linear time.
//! - A rule for the network is a glob of hosts or a request, as `GET:https://api.test/v1/*`.
//! - `.ai-stack.json` has no unknown key, and its permissions are a valid policy. A trial has no
//!   unknown member.
//! - The intent of a skill is one purpose. `any`, `general`, `everything`, `*` and an empty intent
//!   are refused, in any spelling.
//! - A server has either a program or an address, and an entry of `skills.json` either a path or a
//!   package.
//!
//! `knowledge reindex` checks the metadata of skills in the same way, and the structure of a
//! context bank's index and items. `knowledge skills check` reports permissions that name a
//! template which doesn't exist.
//!
//! ## Why it matters
//! Skills are chosen by their intent and rated by their record. A skill for everything is chosen
//! for everything, and nobody can say whether it is good at it. A handler outside the project is
//! code that wasn't reviewed with it.
//!
//! ## How to fix it
//! Add what is missing, and state what the skill is for. Split a skill with two purposes into two
//! skills. `schema print skill-metadata` (or `skill-manifest`, `skill-set`, `tool-manifest`,
//! `mcp-servers`, `mcp-listing`, `agent-config`) shows what manifests may contain.
//!
//! ## Fails
//! ```toml validate skills
//! ```
//! ```json skills/production/fix-build/meta.json
//! ```
//!
//! ## Passes
//! ```toml validate skills
//! ```
//! ```json skills/production/fix-build/meta.json
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
        include_str!("invalid_manifest/fails/skills/production/fix-build/meta.json"),
        include_str!("invalid_manifest/passes/yuangs-verify.toml"),
        include_str!("invalid_manifest/passes/skills/production/fix-build/meta.json"),
    ],
    check: Check::Policy,
};
