//! Comparison of executed calls with the manifests of tools.

use super::super::authority;
use super::super::evidence::tool_of;
use super::super::step_facts::StepFacts;
use super::{Context, Execution};
use crate::trace::step::ExecutionFact;

impl Execution {
    /// Records what an executed call, or its result, does beyond the manifests of tools. If the
    /// record doesn't show the executed call, it is the approved one, or else the proposed one.
    pub(super) fn check_call(
        &self,
        executed: &ExecutionFact<'_, '_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        let Some(tools) = context.tools else {
            return;
        };
        let proposed = self.turn.proposal.as_ref().map(|p| &p.what);
        let known = authority::approved(&self.turn)
            .filter(|approved| approved.is_recorded())
            .or(proposed);
        let shown = executed.action.filter(|action| action.payload.is_some());
        let (faults, tool) = match (&shown, known) {
            (Some(action), _) => (tools.faults(action), tool_of(action)),
            (None, Some(known)) => (known.tool_faults(tools), known.tool()),
            (None, None) => return,
        };
        step_facts.add_tool_faults(faults);
        if let Some(result) = &executed.result {
            step_facts.add_tool_faults(tools.result_faults(tool.as_deref(), result));
        }
    }
}
