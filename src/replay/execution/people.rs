//! Who proposes and who decides: no agent governs.

use super::super::judged::Judged;
use super::Execution;

impl Execution {
    /// Takes note of an agent, who may turn out to have signed, or to govern.
    pub(super) fn meet(&mut self, agent: Box<str>, judged: &mut Judged) {
        let signed = self.signers.get(&agent).copied();
        let name = signed.map(|line| (agent.to_string(), line));
        if self.agents.insert(agent.clone()) {
            if name.is_some() {
                judged.late_agent = name;
            }
            // What it has signed says as much.
            if judged.late_agent.is_none() && self.governor.as_deref() == Some(&*agent) {
                judged.governing_agent = Some(agent.into());
            }
        }
    }

    /// The governor has been named: it may be an agent that is known already.
    pub(super) fn governed_by_agent(&self, judged: &mut Judged) {
        judged.governing_agent = self.governor.as_deref().filter(|g| self.agents.contains(*g)).map(str::to_owned);
    }
}
