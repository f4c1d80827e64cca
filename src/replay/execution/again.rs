//! What happens a second time: runs of one action.

use super::super::authority;
use super::super::evidence::KeptAction;
use super::super::judged::Repeat;
use super::Execution;
use crate::trace::step::Executed;

impl Execution {
    /// The run before of what runs now, and whether that is the action that this turn's decision allows. An id tells it,
    /// wherever it stands in the execution. A native log may leave the id out: what equals the action that was allowed is
    /// that action, and its approval is used up.
    pub(super) fn run_before(&self, id: Option<&str>, executed: &Executed<'_, '_>) -> (Option<Repeat>, bool) {
        // What was proposed anew under an old id, which has been reported, is another action.
        let anew = self.turn.id_reused && !self.turn.executed.iter().any(|e| e.as_deref() == id);
        let by_id = id.filter(|_| !anew).and_then(|id| self.known.get(id)?.ran);
        let is_it = |approved: &KeptAction| match id {
            Some(_) => approved.id.as_deref() == id,
            None => executed.action.is_some_and(|action| approved.same_as(&action) == Some(true)),
        };
        let allowed = authority::approved(&self.turn).is_some_and(is_it);
        let before = by_id.or(self.turn.allowed_ran.filter(|_| allowed));
        (before.map(|(line, succeeded)| Repeat { succeeded, line }), allowed)
    }
}
