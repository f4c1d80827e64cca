//! A server is started from code that nobody has reviewed.
//!
//! ## What it does
//! Checks the servers of `.mcp.json`. A package that is fetched and run (`npx`, `bunx`,
//! `npm exec`, `pnpm dlx`, `uvx`, `uv tool run`, `pipx run`, `deno run`) needs an exact version or
//! a commit, an image its digest; a shell or a line for a shell is named, and so are code for an
//! interpreter (`python -c`, `node -e`) and a connection in the clear to another machine. `env`
//! (with `-S`), `sudo` and their like are looked through, options before a subcommand passed over.
//!
//! ## Why it matters
//! A server sees what the agent sees and answers what it likes. Without a version it is whatever
//! its publisher, or whoever took over the name, put there today.
//!
//! ## How to fix it
//! Name the version that was reviewed: `npx -y @scope/server@1.2.3`, `uvx server==1.2.3`,
//! `image@sha256:…`. Name programs and their arguments instead of a line for a shell.
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
    summary: "a server runs a package without an exact version, a shell, or in the clear",
    source: include_str!("unpinned_server.rs"),
    examples: &[
        include_str!("unpinned_server/fails/yuangs-verify.toml"),
        include_str!("unpinned_server/fails/.mcp.json"),
        include_str!("unpinned_server/passes/yuangs-verify.toml"),
        include_str!("unpinned_server/passes/.mcp.json"),
    ],
    check: Check::Policy,
};
