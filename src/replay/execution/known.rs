//! Actions of an execution by id.

use super::super::evidence::OwnedAction;
use hashbrown::{HashMap, HashSet};

/// State of an action over the whole execution.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) line: u64,
    pub(super) rejected: bool,
    /// It was rejected at some time.
    pub(super) refused: bool,
    /// A decision about it can't be read, and may have been a rejection.
    pub(super) rejected_perhaps: bool,
    /// Line and success of its last execution.
    pub(super) ran: Option<(u64, bool)>,
    /// Type and payload of a rejected action, which may be proposed again unchanged.
    pub(super) frozen: Option<OwnedAction>,
}

impl Known {
    pub(super) const fn new(line: u64) -> Self {
        Self {
            line,
            rejected: false,
            refused: false,
            rejected_perhaps: false,
            ran: None,
            frozen: None,
        }
    }
}

/// Actions that an execution has named.
#[derive(Debug, Default)]
pub(super) struct KnownActions {
    pub(super) by_id: HashMap<Box<str>, Known>,
    pub(super) refused: StartRefusals,
}

/// Rejections in the record that starts an execution. They apply to later actions.
#[derive(Debug, Default)]
pub(super) struct StartRefusals {
    /// Ids of the actions that they name.
    pub(super) ids: HashSet<Box<str>>,
    /// One of them names no action.
    pub(super) unnamed: bool,
}
