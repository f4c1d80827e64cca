//! Who proposes, who decides and who issues tokens: no agent governs.

use super::super::step_facts::{Confusable, Decided, StepFacts};
use super::Execution;
use crate::trace::identity::{Identity, plain, shape};
use crate::trace::step::{Decision, Started};
use governance::DecidedBy;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;

/// Ids whose shapes are kept to compare others with them.
const SHAPES: usize = 1024;
/// Pairs of ids that look alike that one step is told of.
const PAIRS: usize = 8;

/// Everybody who takes part in an execution.
#[derive(Debug, Default)]
pub(super) struct People {
    /// Ids that have been looked at, as they are written.
    met: HashSet<Box<str>>,
    /// What agents are called and taken for.
    agents: HashSet<Box<str>>,
    /// The agents that the start records, by their plain names. None: it records none.
    recorded: Option<HashSet<Box<str>>>,
    /// Agents that it doesn't, which has been reported.
    strangers: HashSet<Box<str>>,
    /// Who governs.
    pub(super) governor: Option<Box<str>>,
    /// Who has signed the first decision by policy.
    policy_signer: Option<Box<str>>,
    governor_signs_as_human: bool,
    /// Who has signed, and where first: nobody of them may turn out to be an agent.
    signers: HashMap<Box<str>, u64>,
    /// Who has issued tokens, and where first.
    issuers: HashMap<Box<str>, u64>,
    /// The ids behind shapes, with where they stand.
    shapes: HashMap<String, (Box<str>, u64)>,
}

impl People {
    /// Bytes that it holds, roughly.
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

    /// Compares an id that hasn't been looked at before with the shapes of all others.
    fn look_at(&mut self, line: u64, id: &str, who: &Identity, step_facts: &mut StepFacts) {
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

    /// Takes note of an agent, who may turn out to have signed, to have issued tokens, or to
    /// govern.
    fn meet(&mut self, line: u64, agent: &str, step_facts: &mut StepFacts) {
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
        self.look_at(line, agent, &who, step_facts);
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
        // What it has signed says as much.
        if step_facts.anomalies().late_agent.is_none()
            && self
                .governor
                .as_deref()
                .is_some_and(|g| passes_for(g, &who))
        {
            step_facts.anomalies_mut().governing_agent = Some(agent.to_owned());
        }
    }

    /// Takes note of who has signed or issued a token for the first time.
    fn note(names: &mut HashMap<Box<str>, u64>, who: &Identity, line: u64) {
        for name in [who.plain(), who.seen()] {
            if !names.contains_key(name) {
                names.insert(name.into(), line);
            }
        }
    }
}

/// Whether an id is that of `who`, or may pass for it.
fn passes_for(id: &str, who: &Identity) -> bool {
    let id = Identity::of(id);
    id.plain() == who.plain() || id.seen() == who.seen()
}

/// Whether two ids are the same, however they are written.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || plain(one) == plain(other)
}

/// Whether two ids are the same, or one may pass for the other.
pub(super) fn alike(one: &str, other: &str) -> bool {
    same(one, other)
        || !(one.is_ascii() && other.is_ascii())
            && Identity::of(one).seen() == Identity::of(other).seen()
}

impl Execution {
    /// Takes note of an agent that thinks or proposes; a start that names the agents names all of
    /// them.
    pub(super) fn meet(&mut self, line: u64, agent: &str, step_facts: &mut StepFacts) {
        self.people.meet(line, agent, step_facts);
        if let Some(recorded) = &self.people.recorded {
            let name = plain(agent);
            if !recorded.contains(&*name) && self.people.strangers.insert(name.into()) {
                step_facts.anomalies_mut().stranger = Some(agent.to_owned());
            }
        }
    }

    /// Takes note of whom a start names. Whoever governed before a pause governs after it; a change
    /// is told and counts from here.
    pub(super) fn name_people(
        &mut self,
        line: u64,
        started: &Started<'_, '_>,
        goes_on: bool,
        step_facts: &mut StepFacts,
    ) {
        let people = &mut self.people;
        for agent in started.agents.unwrap_or_default() {
            people.meet(line, &agent.decode(), step_facts);
        }
        // An empty list says that there is none.
        if let Some(agents) = started.agents {
            people.recorded = Some(
                agents
                    .iter()
                    .map(|agent| plain(&agent.decode()).into())
                    .collect(),
            );
        }
        let Some(governor) = started.governor.map(|g| g.decode().into_owned()) else {
            return;
        };
        let before = people
            .governor
            .as_deref()
            .or(people.policy_signer.as_deref());
        let changed = before
            .filter(|before| !same(before, &governor))
            .map(str::to_owned);
        if people.governor.is_some() && (changed.is_none() || !goes_on) {
            return;
        }
        if let Some(before) = changed.filter(|_| goes_on) {
            step_facts.anomalies_mut().resumed.governor = Some((before, governor.clone()));
        }
        let who = Identity::of(&governor);
        people.look_at(line, &governor, &who, step_facts);
        people.governor_signs_as_human = false;
        if people.is_agent(&who) {
            step_facts.anomalies_mut().governing_agent = Some(governor.clone());
        }
        people.governor = Some(governor.into());
    }

    /// No agent may sign, and one governor signs. Humans are people, and several may have taken
    /// turns; but where the governor of record is one of them, nobody else may sign as one.
    pub(super) fn judge_signer(
        &mut self,
        line: u64,
        decision: &Decision<'_>,
        facts: &mut Decided,
        step_facts: &mut StepFacts,
    ) {
        let Some(signer) = decision.signer.map(|s| s.decode().into_owned()) else {
            return;
        };
        let people = &mut self.people;
        // Whoever has signed before by a name that is plain already isn't looked at again.
        let name = &*signer;
        let again = people.met.contains(name)
            && people.signers.contains_key(name)
            && !people.agents.contains(name);
        let known = again && matches!(plain(name), Cow::Borrowed(_));
        let who = if known {
            None
        } else {
            Some(Identity::of(&signer))
        };
        if who.as_ref().is_some_and(|who| people.is_agent(who)) {
            facts.signed_by_agent = Some(signer);
            return;
        }
        if let Some(who) = &who {
            People::note(&mut people.signers, who, line);
        }
        let governor = match decision.by {
            DecidedBy::Policy => {
                let first = people
                    .policy_signer
                    .get_or_insert_with(|| signer.as_str().into());
                Some(people.governor.as_ref().unwrap_or(first).clone())
            }
            DecidedBy::Human => {
                people.governor_signs_as_human |=
                    people.governor.as_deref().is_some_and(|g| same(g, &signer));
                people
                    .governor
                    .clone()
                    .filter(|_| people.governor_signs_as_human)
            }
        };
        let governor = governor.filter(|governor| !same(governor, &signer));
        if let Some(who) = who.filter(|_| governor.is_none()) {
            people.look_at(line, &signer, &who, step_facts);
        }
        facts.second_governor = governor.map(|governor| (signer, governor.into()));
    }

    /// No agent may issue tokens.
    pub(super) fn judge_issuer(&mut self, line: u64, issuer: &str, step_facts: &mut StepFacts) {
        let who = Identity::of(issuer);
        if who.plain().is_empty() {
            step_facts.anomalies_mut().issued_by_nobody = true;
            return;
        }
        if self.people.is_agent(&who) {
            step_facts.anomalies_mut().issued_by_agent = Some(issuer.to_owned());
            return;
        }
        People::note(&mut self.people.issuers, &who, line);
        self.people.look_at(line, issuer, &who, step_facts);
    }
}
