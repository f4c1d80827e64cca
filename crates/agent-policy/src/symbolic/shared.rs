//! What several analyses share, because it is expensive and depends on little.

use super::language::SharedAutomata;
use super::options::SharedOptionTables;
use std::sync::Arc;

/// What the analyses of a policy and of its mutants share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(super) automata: Arc<SharedAutomata>,
    pub(super) options: SharedOptionTables,
}
