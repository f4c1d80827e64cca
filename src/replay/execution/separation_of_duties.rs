//! Separation of duties: no agent of an execution decides or issues tokens.

use super::super::step_facts::{Confusable, DecisionFacts, StepFacts};
use super::Execution;
use crate::trace::identity::{Identity, plain, shape};
use crate::trace::step::{Decision, StartFact};
use governance::DecidedBy;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;

/// Maximum number of ids that later ids are compared with.
const SHAPES: usize = 1024;
/// Maximum number of confusable pairs that one step reports.
const PAIRS: usize = 8;

/// Everybody who takes part in an execution.
#[derive(Debug, Default)]
pub(super) struct Participants {
    /// Ids that have been compared, as written.
    met: HashSet<Box<str>>,
    /// Agents by plain name and by visible form.
    agents: HashSet<Box<str>>,
    /// Plain names of the agents that the start records; `None` when it records none.
    recorded: Option<HashSet<Box<str>>>,
    /// Reported agents that aren't among the recorded ones.
    strangers: HashSet<Box<str>>,
    pub(super) governor: Option<Box<str>>,
    /// Signer of the first decision by policy.
    policy_signer: Option<Box<str>>,
    governor_signs_as_human: bool,
    /// Signers with the line of their first signature. None of them may later turn out to be an
    /// agent.
    signers: HashMap<Box<str>, u64>,
    /// Issuers of tokens with the line of their first token.
    issuers: HashMap<Box<str>, u64>,
    /// First id and its line, by the id's shape.
    shapes: HashMap<String, (Box<str>, u64)>,
}

impl Participants {
    /// Returns an estimate of the heap bytes that it owns.
    pub(super) fn weight(&self) -> usize {
        let sets = [&self.met, &self.agents, &self.strangers]
            .into_iter()
            .chain(self.recorded.as_ref());
        let in_sets = sets.flatten().map(|name| name.len() + 64).sum::<usize>();
        let in_maps = self
            .signers
            .keys()
            .chain(self.issuers.keys())
            .map(|name| name.len() + 80)
            .sum::<usize>();
        in_sets
            + in_maps
            + self
                .shapes
                .iter()
                .map(|(shape, (id, _))| shape.len() + id.len() + 128)
                .sum::<usize>()
    }

    fn is_agent(&self, who: &Identity) -> bool {
        self.agents.contains(who.plain()) || self.agents.contains(who.seen())
    }

    /// Compares a new id with the shapes of earlier ones.
    fn compare_shape(&mut self, line: u64, id: &str, who: &Identity, step_facts: &mut StepFacts) {
        if !self.met.insert(id.into()) {
            return;
        }
        let shape = shape(id);
        match self.shapes.get(&shape) {
            Some((other, at))
                if *plain(other) != *who.plain()
                    && step_facts.anomalies().confusable.len() < PAIRS =>
            {
                step_facts.anomalies_mut().confusable.push(Confusable {
                    id: id.to_owned(),
                    other: other.to_string(),
                    line: *at,
                });
            }
            None if self.shapes.len() < SHAPES => {
                self.shapes.insert(shape, (id.into(), line));
            }
            _ => {}
        }
    }

    /// Adds an agent, and reports it if it has signed, issued tokens or governs.
    fn add_agent(&mut self, line: u64, agent: &str, step_facts: &mut StepFacts) {
        if self.met.contains(agent) && self.agents.contains(&*plain(agent)) {
            return;
        }
        let who = Identity::of(agent);
        let known = |names: &HashMap<Box<str>, u64>| {
            names
                .get(who.plain())
                .or_else(|| names.get(who.seen()))
                .copied()
        };
        let (signed, issued) = (known(&self.signers), known(&self.issuers));
        self.compare_shape(line, agent, &who, step_facts);
        let new = [who.plain(), who.seen()]
            .map(|name| self.agents.insert(name.into()))
            .contains(&true);
        if !new {
            return;
        }
        if let Some(line) = signed {
            step_facts.anomalies_mut().late_agent = Some((agent.to_owned(), line));
        }
        if let Some(line) = issued {
            step_facts.anomalies_mut().late_issuer = Some((agent.to_owned(), line));
        }
        // A decision that it signed has already been reported.
        if step_facts.anomalies().late_agent.is_none()
            && self
                .governor
                .as_deref()
                .is_some_and(|g| passes_for(g, &who))
        {
            step_facts.anomalies_mut().governing_agent = Some(agent.to_owned());
        }
    }

    /// Records the first line on which `who` signed or issued a token.
    fn note(names: &mut HashMap<Box<str>, u64>, who: &Identity, line: u64) {
        for name in [who.plain(), who.seen()] {
            if !names.contains_key(name) {
                names.insert(name.into(), line);
            }
        }
    }
}

/// Returns whether an id is that of `who` or can be mistaken for it.
fn passes_for(id: &str, who: &Identity) -> bool {
    let id = Identity::of(id);
    id.plain() == who.plain() || id.seen() == who.seen()
}

/// Returns whether two ids are equal in plain form.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || plain(one) == plain(other)
}

/// Returns whether two ids are equal, or one can be mistaken for the other.
pub(super) fn alike(one: &str, other: &str) -> bool {
    same(one, other)
        || !(one.is_ascii() && other.is_ascii())
            && Identity::of(one).seen() == Identity::of(other).seen()
}

impl Execution {
    /// Adds an agent that thinks or proposes. Reports it if the start lists agents and it isn't
    /// listed.
    pub(super) fn add_agent(&mut self, line: u64, agent: &str, step_facts: &mut StepFacts) {
        self.participants.add_agent(line, agent, step_facts);
        if let Some(recorded) = &self.participants.recorded {
            let name = plain(agent);
            if !recorded.contains(&*name) && self.participants.strangers.insert(name.into()) {
                step_facts.anomalies_mut().stranger = Some(agent.to_owned());
            }
        }
    }

    /// Applies the names of a start. The governor stays the same after a pause; a change is
    /// reported and applies from here on.
    pub(super) fn apply_names(
        &mut self,
        line: u64,
        started: &StartFact<'_, '_>,
        goes_on: bool,
        step_facts: &mut StepFacts,
    ) {
        let participants = &mut self.participants;
        for agent in started.agents.unwrap_or_default() {
            participants.add_agent(line, &agent.decode(), step_facts);
        }
        // An empty list records that there are no agents.
        if let Some(agents) = started.agents {
            participants.recorded = Some(
                agents
                    .iter()
                    .map(|agent| plain(&agent.decode()).into())
                    .collect(),
            );
        }
        let Some(governor) = started.governor.map(|g| g.decode().into_owned()) else {
            return;
        };
        let before = participants
            .governor
            .as_deref()
            .or(participants.policy_signer.as_deref());
        let changed = before
            .filter(|before| !same(before, &governor))
            .map(str::to_owned);
        if participants.governor.is_some() && (changed.is_none() || !goes_on) {
            return;
        }
        if let Some(before) = changed.filter(|_| goes_on) {
            step_facts.anomalies_mut().resumed.governor = Some((before, governor.clone()));
        }
        let who = Identity::of(&governor);
        participants.compare_shape(line, &governor, &who, step_facts);
        participants.governor_signs_as_human = false;
        if participants.is_agent(&who) {
            step_facts.anomalies_mut().governing_agent = Some(governor.clone());
        }
        participants.governor = Some(governor.into());
    }

    /// Checks who signed a decision. No agent may sign, and only one governor signs for the policy.
    /// Several humans may sign, unless the recorded governor signs as a human: then nobody else
    /// may.
    pub(super) fn check_signer(
        &mut self,
        line: u64,
        decision: &Decision<'_>,
        facts: &mut DecisionFacts,
        step_facts: &mut StepFacts,
    ) {
        let Some(signer) = decision.signer.map(|s| s.decode().into_owned()) else {
            return;
        };
        let participants = &mut self.participants;
        // A known signer with a plain name needs no second comparison.
        let name = &*signer;
        let again = participants.met.contains(name)
            && participants.signers.contains_key(name)
            && !participants.agents.contains(name);
        let known = again && matches!(plain(name), Cow::Borrowed(_));
        let who = if known {
            None
        } else {
            Some(Identity::of(&signer))
        };
        if who.as_ref().is_some_and(|who| participants.is_agent(who)) {
            facts.signed_by_agent = Some(signer);
            return;
        }
        if let Some(who) = &who {
            Participants::note(&mut participants.signers, who, line);
        }
        let governor = match decision.by {
            DecidedBy::Policy => {
                let first = participants
                    .policy_signer
                    .get_or_insert_with(|| signer.as_str().into());
                Some(participants.governor.as_ref().unwrap_or(first).clone())
            }
            DecidedBy::Human => {
                participants.governor_signs_as_human |= participants
                    .governor
                    .as_deref()
                    .is_some_and(|g| same(g, &signer));
                participants
                    .governor
                    .clone()
                    .filter(|_| participants.governor_signs_as_human)
            }
        };
        let governor = governor.filter(|governor| !same(governor, &signer));
        if let Some(who) = who.filter(|_| governor.is_none()) {
            participants.compare_shape(line, &signer, &who, step_facts);
        }
        facts.second_governor = governor.map(|governor| (signer, governor.into()));
    }

    /// Reports an agent that issues a token.
    pub(super) fn check_issuer(&mut self, line: u64, issuer: &str, step_facts: &mut StepFacts) {
        let who = Identity::of(issuer);
        if who.plain().is_empty() {
            step_facts.anomalies_mut().issued_by_nobody = true;
            return;
        }
        if self.participants.is_agent(&who) {
            step_facts.anomalies_mut().issued_by_agent = Some(issuer.to_owned());
            return;
        }
        Participants::note(&mut self.participants.issuers, &who, line);
        self.participants
            .compare_shape(line, issuer, &who, step_facts);
    }
}
