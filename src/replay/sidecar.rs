//! Decisions about calls of sessions, from a file other than the sessions themselves.

use governance::{DecidedBy, Ruling};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Decisions by session and call.
#[derive(Debug, Default)]
pub struct Sidecar {
    decisions: HashMap<(Box<str>, Box<str>), SidecarDecision>,
    sessions: HashSet<Box<str>>,
}

/// A sidecar's decision about a call.
#[derive(Debug)]
pub struct SidecarDecision {
    pub ruling: Ruling,
    pub by: DecidedBy,
    /// Name of the sidecar.
    pub file: Arc<str>,
    /// Line in the sidecar.
    pub line: u64,
    /// A session contains the call.
    met: AtomicBool,
}

/// Returns the session's id of an execution. Sub-agents have executions of their own, whose ids
/// begin with the session's.
#[must_use]
pub fn session_of(execution: &str) -> &str {
    execution.split_once('/').map_or(execution, |(id, _)| id)
}

impl Sidecar {
    /// Adds a decision. Of two decisions about one call, a rejection applies.
    pub fn add(
        &mut self,
        (execution, call): (&str, &str),
        (ruling, by): (Ruling, DecidedBy),
        (file, line): (&Arc<str>, u64),
    ) {
        let session = session_of(execution);
        self.sessions.insert(session.into());
        let new = SidecarDecision {
            ruling,
            by,
            file: file.clone(),
            line,
            met: AtomicBool::new(false),
        };
        let known = self.decisions.entry((session.into(), call.into()));
        known
            .and_modify(|known| {
                if known.ruling != Ruling::Rejected && ruling == Ruling::Rejected {
                    (known.ruling, known.by, known.line) = (ruling, by, line);
                }
            })
            .or_insert(new);
    }

    /// Returns whether it contains decisions about a session.
    #[must_use]
    pub fn knows(&self, execution: &str) -> bool {
        self.sessions.contains(session_of(execution))
    }

    /// Returns the decision about a call.
    #[must_use]
    pub fn about(&self, execution: &str, call: &str) -> Option<&SidecarDecision> {
        let key = (session_of(execution).into(), call.into());
        let decision = self.decisions.get(&key)?;
        decision.met.store(true, Ordering::Relaxed);
        Some(decision)
    }

    /// Returns the number of decisions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    /// Returns whether there are no decisions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty()
    }

    /// Returns decisions about calls that no session contains: session, call, decision.
    pub fn unmet(&self) -> impl Iterator<Item = (&str, &str, &SidecarDecision)> {
        self.decisions
            .iter()
            .filter(|(_, decision)| !decision.met.load(Ordering::Relaxed))
            .map(|((session, call), decision)| (&**session, &**call, decision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejection_counts_and_sub_agents_have_the_id_of_their_session() {
        let mut sidecar = Sidecar::default();
        let place = (&Arc::from("o.json"), 1);
        let human = DecidedBy::Human;
        sidecar.add(("s", "a"), (Ruling::Approved, human), place);
        sidecar.add(("s", "a"), (Ruling::Rejected, human), place);
        sidecar.add(("s", "b"), (Ruling::Approved, human), place);
        assert_eq!(sidecar.unmet().count(), 2);
        assert!(sidecar.knows("s/agent") && !sidecar.knows("t"));
        assert!(sidecar.about("t", "a").is_none());
        let about = sidecar.about("s/agent", "a").map(|d| d.ruling);
        assert_eq!(about, Some(Ruling::Rejected));
        assert_eq!(sidecar.unmet().count(), 1);
    }
}
