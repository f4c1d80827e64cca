//! Manifests: what skills, tools, servers and agents say of themselves, and whether it can be so.
//!
//! A manifest is told by its name, or else by its shape ([`kind_of`]). What is wrong with its text
//! alone is found without looking around ([`faults`]); what it names is then looked for in the
//! project ([`check()`]).

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
