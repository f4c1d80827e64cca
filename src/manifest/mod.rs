//! Manifests of skills, tools, servers and agents, and the checks of what they declare.
//!
//! A manifest is detected by its name, or else by its shape ([`kind_of`]). [`faults`] checks its
//! text alone. [`check()`] also checks that the paths it names exist in the project.

mod check;
mod code;
mod fault;
mod intent;
mod kind;
mod paths;
mod servers;
mod types;

pub use check::{File, check};
pub use fault::{Fault, faults};
pub use kind::{Kind, PROMOTIONS, is_ledger, kind_of};
pub use types::{
    AgentConfig, Metadata, Permission, PermissionType, Servers, SkillManifest, SkillSet, Tool,
    Trial, TrialMode, add_to,
};
