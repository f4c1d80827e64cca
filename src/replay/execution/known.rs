//! The actions of an execution, by their ids.

use super::super::evidence::KeptAction;
use hashbrown::{HashMap, HashSet};

/// What is known of an action over the whole execution.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) line: u64,
    pub(super) rejected: bool,
    /// It was rejected at some time.
    pub(super) refused: bool,
    /// The decision about it can't be read: it may have been rejected.
    pub(super) rejected_perhaps: bool,
    /// How often it ran: line and success of the last time.
    pub(super) ran: Option<(u64, bool)>,
    /// Type and payload of a rejected action: it may be proposed again as it was.
    pub(super) frozen: Option<KeptAction>,
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

/// The actions that an execution has named.
#[derive(Debug, Default)]
pub(super) struct KnownActions {
    pub(super) by_id: HashMap<Box<str>, Known>,
    pub(super) refused: StartRefusals,
}

/// Rejections in the record that starts an execution, of what runs behind it.
#[derive(Debug, Default)]
pub(super) struct StartRefusals {
    /// The actions that they name.
    pub(super) ids: HashSet<Box<str>>,
    /// One names none.
    pub(super) unnamed: bool,
}
