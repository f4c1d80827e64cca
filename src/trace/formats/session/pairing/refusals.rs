//! Actions that were rejected in one part of a session and requested again in another: by a
//! sub-agent, or by the agent that started it.

use super::super::tools::SessionAction;
use crate::trace::action::{cwd, same_action};
use hashbrown::HashMap;
use strict_json::Raw;
use util::keyed_hash;

/// Maximum number of remembered rejected actions per input.
const REFUSED: usize = 1024;

/// Rejected actions by a hash of session and action.
#[derive(Debug, Default)]
pub(super) struct RejectedActions {
    all: HashMap<u64, RejectedAction>,
}

#[derive(Debug)]
struct RejectedAction {
    execution: Box<str>,
    id: Box<str>,
}

/// The part of a session that a call belongs to.
pub(super) struct CallOrigin<'c> {
    /// Id of the whole session.
    pub(super) session: &'c str,
    /// Id of the part.
    pub(super) execution: &'c str,
    /// Its work tree.
    pub(super) root: Option<&'c str>,
}

fn key(place: &CallOrigin<'_>, action: &SessionAction) -> Option<u64> {
    let payload = Raw::trusted(&action.payload);
    let is_command = action.kind == "shell_cmd";
    let same = same_action(is_command, payload)?;
    // A command without a directory is executed in its part's directory.
    let root = (is_command && cwd(payload).is_none()).then_some(place.root);
    Some(keyed_hash(&(place.session, same, root)))
}

impl RejectedActions {
    /// Records a rejected action.
    pub(super) fn add(&mut self, place: &CallOrigin<'_>, action: &SessionAction, id: &str) {
        if self.all.len() < REFUSED
            && let Some(key) = key(place, action)
        {
            self.all.entry(key).or_insert_with(|| RejectedAction {
                execution: place.execution.into(),
                id: id.into(),
            });
        }
    }

    /// Returns the call of another part of the session that requested the same and was rejected.
    pub(super) fn before(&self, place: &CallOrigin<'_>, action: &SessionAction) -> Option<&str> {
        if self.all.is_empty() {
            return None;
        }
        let before = self.all.get(&key(place, action)?)?;
        (*before.execution != *place.execution).then_some(&before.id)
    }
}
