//! Decisions about the calls of sessions, from a source beside the sessions themselves.

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

/// What a sidecar says of a call.
#[derive(Debug)]
pub struct SidecarDecision {
    /// Whether it may run.
    pub ruling: Ruling,
    /// Who said so.
    pub by: DecidedBy,
    /// The sidecar.
    pub file: Arc<str>,
    /// The line there.
    pub line: u64,
    /// The call was found in a session.
    met: AtomicBool,
}

/// The session of an execution: sub-agents have executions of their own, and the session's id.
#[must_use]
pub fn session_of(execution: &str) -> &str {
    execution.split_once('/').map_or(execution, |(id, _)| id)
}

impl Sidecar {
    /// Adds a decision. Of two about one call a rejection counts.
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

    /// Whether it says anything of a session.
    #[must_use]
    pub fn knows(&self, execution: &str) -> bool {
        self.sessions.contains(session_of(execution))
    }

    /// The decision about a call.
    #[must_use]
    pub fn about(&self, execution: &str, call: &str) -> Option<&SidecarDecision> {
        let key = (session_of(execution).into(), call.into());
        let decision = self.decisions.get(&key)?;
        decision.met.store(true, Ordering::Relaxed);
        Some(decision)
    }

    /// How many decisions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty()
    }

    /// Decisions about calls that no session holds: session, call and what it says.
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
