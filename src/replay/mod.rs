//! Replay: each execution's recorded steps are applied to the reducer again, and what they rest on
//! is gathered. Nothing is run and nobody is asked; and no rule is named here: replay states facts
//! ([`Judged`]), the rules say what to think of them.

mod authority;
mod budget;
mod changes;
mod context;
mod cut;
mod digest;
mod evidence;
mod execution;
mod judged;
mod looks;
mod machine;
mod reach;
mod scope;
mod sources;
mod verdict;

pub use authority::{Assessor, Context, assess};
pub use changes::RecordedChange;
pub use context::ContextBreak;
pub use evidence::{Kept, KeptAction, KeptKind, Token, TurnEvidence};
pub use execution::{Close, Execution, Remains};
pub use judged::*;
pub use looks::Looks;
pub use machine::{Machine, Movement};
pub use reach::{Leaving, Reach};
pub use shell_effects::Content;
pub use verdict::{Answer, Aspect, Summary, Verdict};
