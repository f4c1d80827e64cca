//! A rule of a policy denies or asks for approval and gives no reason.
//!
//! ## What it does
//! Reports every rule whose effect is `deny` or `require_approval` and that has no `reason`, or an
//! empty one.
//!
//! ## Why it matters
//! The reason is what a person reads who was stopped, and what an agent gets to plan with. Without
//! it they learn that something is forbidden and not what; the next try is a guess.
//!
//! ## How to mend it
//! Say in `reason` what the action does that it shouldn't, in words for somebody who doesn't know
//! the policy.
//!
//! ## Fails
//! ```yaml policy test policy.yaml
//! rules:
//!   - id: no-delete
//!     when: { effects: [delete] }
//!     effect: deny
//! ```
//! ```yaml
//! cases:
//!   - name: deleting
//!     action: { type: shell_cmd, command: rm a }
//!     expect: { effect: deny, rule: no-delete }
//!   - name: reading
//!     action: { type: shell_cmd, command: cat a }
//!     near_miss: [no-delete]
//!     expect: require_approval
//! ```
//!
//! ## Passes
//! ```yaml policy test policy.yaml
//! rules:
//!   - id: no-delete
//!     when: { effects: [delete] }
//!     effect: deny
//!     reason: Deletes files
//! ```
//! ```yaml
//! cases:
//!   - name: deleting
//!     action: { type: shell_cmd, command: rm a }
//!     expect: { effect: deny, rule: no-delete }
//!   - name: reading
//!     action: { type: shell_cmd, command: cat a }
//!     near_miss: [no-delete]
//!     expect: require_approval
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(512),
    name: "rule-without-reason",
    severity: Severity::Error,
    aspect: None,
    summary: "deny or ask without a reason",
    source: include_str!("yv512.rs"),
    check: Check::Policy,
};
