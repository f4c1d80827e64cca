//! A test case gets another decision than it expects.
//!
//! ## What it does
//! Runs the cases beside a policy and the corpora that are given, and compares effect, rule and
//! reason with what each case expects. A near miss that the rule decides after all is reported too.
//!
//! ## Why it matters
//! The cases are what the team has agreed on. In the example a glob was written for one folder
//! only, so that the key in another one is no longer protected.
//!
//! ## How to mend it
//! `policy eval --trace` shows of each rule why it matches or doesn't. Mend the rule; or, if the
//! decision is meant, the case.
//!
//! ## Fails
//! ```yaml policy test policy.yaml
//! rules:
//!   - id: keys
//!     when: { path: { glob: 'config/*.pem' } }
//!     effect: deny
//!     reason: Private keys
//! ```
//! ```yaml
//! cases:
//!   - name: a key in the folder for deployments
//!     action: { type: shell_cmd, command: cat deploy/server.pem }
//!     expect: { effect: deny, rule: keys }
//!   - name: a key in the folder of the configuration
//!     action: { type: shell_cmd, command: cat config/server.pem }
//!     expect: { effect: deny, rule: keys }
//!   - name: a text about keys
//!     action: { type: shell_cmd, command: cat config/pem.md }
//!     near_miss: [keys]
//!     expect: require_approval
//! ```
//!
//! ## Passes
//! ```yaml policy test policy.yaml
//! rules:
//!   - id: keys
//!     when: { path: { glob: '*.pem' } }
//!     effect: deny
//!     reason: Private keys
//! ```
//! ```yaml
//! cases:
//!   - name: a key in the folder for deployments
//!     action: { type: shell_cmd, command: cat deploy/server.pem }
//!     expect: { effect: deny, rule: keys }
//!   - name: a key in the folder of the configuration
//!     action: { type: shell_cmd, command: cat config/server.pem }
//!     expect: { effect: deny, rule: keys }
//!   - name: a text about keys
//!     action: { type: shell_cmd, command: cat config/pem.md }
//!     near_miss: [keys]
//!     expect: require_approval
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(514),
    name: "policy-test-failed",
    severity: Severity::Error,
    aspect: None,
    summary: "a test case or corpus case gives another decision",
    source: include_str!("yv514.rs"),
    check: Check::Policy,
};
