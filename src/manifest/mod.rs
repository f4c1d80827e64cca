//! Manifests of skills, tools, servers and agents, and the checks of what they declare.
//!
//! A manifest is detected by its name, or else by its shape ([`kind_of`]). [`faults`] checks its
//! text alone. [`check()`] also checks that the paths it names exist in the project.
//! [`check_document`] does the same for YAML, and reads policies.

mod agent;
mod agent_check;
mod check;
mod code;
mod declared;
mod document;
mod fault;
mod intent;
mod kind;
mod listing;
mod misspelt;
mod paths;
mod rules;
mod servers;
mod types;

pub use agent::AgentConfig;
pub use check::{File, check};
pub use declared::{DeclarationError, declare};
pub use document::{DocumentKind, DocumentSchema, check_document, is_yaml};
pub use fault::{Fault, faults, misspelled};
pub use kind::{Kind, PROMOTIONS, is_ledger, kind_of};
pub use listing::Listing;
pub use rules::{AllowDeny, Rules, Size, request_pattern};
pub use types::{
    Metadata, Permission, PermissionType, Permissions, Servers, SkillManifest, SkillSet, Tool,
    Trial, TrialMode, add_to,
};
