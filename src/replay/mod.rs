//! Replay: applies each execution's recorded steps to the reducer and collects the evidence.
//! Nothing is executed. Replay produces facts ([`StepFacts`]) and knows no rules; rules turn facts
//! into findings.

mod analysis_cache;
mod authority;
mod budget;
mod changes;
mod context;
mod context_overlap;
mod digest;
mod evidence;
mod execution;
mod machine;
mod path_effects;
mod scope;
mod session_actions;
mod sidecar;
mod step_facts;
mod tool_manifest;
mod truncation;
mod verdict;

pub use analysis_cache::AnalysisCache;
pub use authority::{Assessor, Context, PolicyFiles, assess};
pub use changes::RecordedChange;
pub use context::ContextBreak;
pub use evidence::{Evidence, OwnedAction, OwnedActionKind, Token, TurnEvidence};
pub use execution::{Close, ClosedState, Execution};
pub use machine::{Legality, Machine};
pub use path_effects::{PathEffects, PathEscape};
pub use session_actions::{ExecutedAction, RejectedAction, SessionActions};
pub use shell_effects::Content;
pub use sidecar::{Sidecar, SidecarDecision, session_of};
pub use step_facts::*;
pub use tool_manifest::{
    DeclaredTool, ResultKind, ServerListing, ToolFault, ToolManifest, UriTemplate,
};
pub use verdict::{Answer, Aspect, Summary, Verdict};
