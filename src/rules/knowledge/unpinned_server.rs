//! A server is started from unreviewed code.
//!
//! ## What it does
//! The rule checks the servers of `.mcp.json` and reports:
//!
//! - a package that is fetched and run (`npx`, `bunx`, `npm exec`, `pnpm dlx`, `uvx`, `uv tool
//!   run`, `pipx run`, `deno run`) without an exact version or a commit
//! - a container image without its digest
//! - a shell, or a command line for a shell
//! - code for an interpreter (`python -c`, `node -e`)
//! - an unencrypted connection to another machine
//!
//! Wrappers such as `env` (with `-S`) and `sudo`, and options before a subcommand, are skipped to
//! find the program.
//!
//! ## Why it matters
//! A server sees what the agent sees and can answer anything. Without a fixed version, it is
//! whatever its publisher, or whoever took over the name, published today.
//!
//! ## How to fix it
//! Name the version that was reviewed: `npx -y @scope/server@1.2.3`, `uvx server==1.2.3`,
//! `image@sha256:…`. Write a program and its arguments instead of a command line for a shell.
//!
//! ## Fails
//! ```toml validate --fail-on warning .mcp.json
//! ```
//! ```json .mcp.json
//! ```
//!
//! ## Passes
//! ```toml validate --fail-on warning .mcp.json
//! ```
//! ```json .mcp.json
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(915),
    name: "unpinned-server",
    severity: Severity::Warning,
    aspect: None,
    summary: "a server runs a package without an exact version or a shell, or isn't encrypted",
    source: include_str!("unpinned_server.rs"),
    examples: &[
        include_str!("unpinned_server/fails/yuangs-verify.toml"),
        include_str!("unpinned_server/fails/.mcp.json"),
        include_str!("unpinned_server/passes/yuangs-verify.toml"),
        include_str!("unpinned_server/passes/.mcp.json"),
    ],
    check: Check::Policy,
};
