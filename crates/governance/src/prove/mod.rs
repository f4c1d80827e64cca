//! The proof: a breadth-first search over all situations that the model can reach.
//!
//! Because the search is breadth first, the first violation found has a shortest trace, and so has
//! the first witness. Steps are tried in a fixed order and nothing iterates over a hash map. Equal
//! models therefore give byte-identical proofs.

mod result;
mod text;

pub use result::{Outcome, Proof, PropertyProof, Trace, TraceStep};

use super::model::{Model, Step, World};
use super::properties::{Property, Verdict};
use super::state::State;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// The default limit of situations in a search. The model has far fewer. The limit stops a model
/// that grows too large before it fills the memory.
pub const DEFAULT_LIMIT: usize = 2_000_000;

/// Searches all situations that a model can reach and checks the ten properties.
///
/// The search holds at most `limit` situations. If there are more, a violation that was found is
/// still reported, and every other property is inconclusive.
#[must_use]
pub fn prove(model: &Model, limit: usize) -> Proof {
    let search = Search::run(model, limit);
    let exits = search.exits();
    let properties = Property::ALL
        .into_iter()
        .zip(&search.tallies)
        .map(|(property, tally)| PropertyProof {
            id: property,
            sentence: property.sentence().to_owned(),
            premise: property.premise().to_owned(),
            outcome: match property {
                Property::P1
                | Property::P2
                | Property::P3
                | Property::P4
                | Property::P5
                | Property::P6
                | Property::P7
                | Property::P8
                | Property::P9 => search.outcome(model, tally),
                Property::P10 => search.dead_end_outcome(model, &exits),
            },
        })
        .collect();
    Proof {
        fsm_version: model.version().name().to_owned(),
        complete: search.complete,
        limit,
        states: search.nodes.len(),
        transitions: search.transitions,
        depth: search.depth(),
        properties,
    }
}

/// A reached situation, with the step that led to it.
struct Node {
    world: World,
    from: Option<(usize, Step)>,
    depth: usize,
}

/// A transition that concerns a property.
#[derive(Clone, Copy)]
struct Occurrence {
    node: usize,
    step: Step,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    exercised: usize,
    witness: Option<Occurrence>,
    violation: Option<Occurrence>,
}

struct Edge {
    from: usize,
    step: Step,
    to: usize,
}

struct Search {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    transitions: usize,
    tallies: [Tally; Property::ALL.len()],
    complete: bool,
}

/// The distance of a situation from TERMINAL, and the first edge of a shortest path.
#[derive(Clone, Copy)]
struct Exit {
    distance: usize,
    edge: Option<usize>,
}

impl Search {
    fn run(model: &Model, limit: usize) -> Self {
        let mut search = Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            transitions: 0,
            tallies: [Tally::default(); 10],
            complete: true,
        };
        let mut known = FxHashMap::default();
        for world in model.initial() {
            search.visit(
                &mut known,
                limit,
                Node {
                    world,
                    from: None,
                    depth: 0,
                },
            );
        }
        let mut at = 0_usize;
        while search.complete
            && let Some(node) = search.nodes.get(at)
        {
            let (world, depth) = (node.world, node.depth.saturating_add(1));
            for &step in model.steps(world.state) {
                let Some(after) = model.apply(&world, step) else {
                    continue;
                };
                search.transitions = search.transitions.saturating_add(1);
                search.check(&world, Occurrence { node: at, step }, &after);
                if let Some(to) = search.visit(
                    &mut known,
                    limit,
                    Node {
                        world: after,
                        from: Some((at, step)),
                        depth,
                    },
                ) {
                    search.edges.push(Edge { from: at, step, to });
                }
            }
            at = at.saturating_add(1);
        }
        search
    }

    /// Returns the index of a situation, new or known; `None` if it is new and the limit is
    /// reached.
    fn visit(
        &mut self,
        known: &mut FxHashMap<World, usize>,
        limit: usize,
        node: Node,
    ) -> Option<usize> {
        match known.entry(node.world) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(_) if self.nodes.len() >= limit => {
                self.complete = false;
                None
            }
            Entry::Vacant(entry) => {
                let number = *entry.insert(self.nodes.len());
                self.nodes.push(node);
                Some(number)
            }
        }
    }

    fn check(&mut self, before: &World, occurrence: Occurrence, after: &World) {
        for (property, tally) in Property::ALL.into_iter().zip(&mut self.tallies) {
            match property.check(before, occurrence.step, after) {
                Verdict::Silent => {}
                Verdict::Holds => {
                    tally.exercised = tally.exercised.saturating_add(1);
                    tally.witness.get_or_insert(occurrence);
                }
                Verdict::Breaks => {
                    tally.exercised = tally.exercised.saturating_add(1);
                    tally.violation.get_or_insert(occurrence);
                }
            }
        }
    }

    fn depth(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.depth)
    }

    fn inconclusive(&self) -> Outcome {
        Outcome::Inconclusive {
            states: self.nodes.len(),
            transitions: self.transitions,
            depth: self.depth(),
        }
    }

    fn outcome(&self, model: &Model, tally: &Tally) -> Outcome {
        if let Some(violation) = tally.violation {
            return Outcome::Violated {
                counterexample: self.trace(model, violation.node, [violation.step]),
            };
        }
        if !self.complete {
            return self.inconclusive();
        }
        let (states, transitions) = (self.nodes.len(), self.transitions);
        match tally.witness {
            None => Outcome::Vacuous {
                states,
                transitions,
            },
            Some(witness) => Outcome::Proved {
                states,
                transitions,
                exercised: tally.exercised,
                witness: self.trace(model, witness.node, [witness.step]),
            },
        }
    }

    /// Computes for every situation the shortest path to TERMINAL, backwards from there. Each round
    /// adds the situations that have an edge to one of the round before.
    fn exits(&self) -> Vec<Option<Exit>> {
        let mut exits: Vec<Option<Exit>> = self
            .nodes
            .iter()
            .map(|node| {
                (node.world.state == State::Terminal).then_some(Exit {
                    distance: 0,
                    edge: None,
                })
            })
            .collect();
        let mut distance = 0_usize;
        let mut grew = true;
        while grew {
            grew = false;
            let next = distance.saturating_add(1);
            for (number, edge) in self.edges.iter().enumerate() {
                let reaches =
                    matches!(exits.get(edge.to), Some(Some(exit)) if exit.distance == distance);
                if reaches && let Some(exit @ None) = exits.get_mut(edge.from) {
                    *exit = Some(Exit {
                        distance: next,
                        edge: Some(number),
                    });
                    grew = true;
                }
            }
            distance = next;
        }
        exits
    }

    fn dead_end_outcome(&self, model: &Model, exits: &[Option<Exit>]) -> Outcome {
        if !self.complete {
            return self.inconclusive();
        }
        if let Some(dead_end) = exits.iter().position(Option::is_none) {
            return Outcome::Violated {
                counterexample: self.trace(model, dead_end, []),
            };
        }
        let (states, transitions) = (self.nodes.len(), self.transitions);
        let farthest = exits.iter().flatten().map(|exit| exit.distance).max();
        match exits
            .iter()
            .position(|exit| exit.map(|exit| exit.distance) == farthest)
        {
            None => Outcome::Vacuous {
                states,
                transitions,
            },
            Some(node) => Outcome::Proved {
                states,
                transitions,
                exercised: states,
                witness: self.trace(model, node, self.way_out(exits, node)),
            },
        }
    }

    fn way_out(&self, exits: &[Option<Exit>], node: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some(Some(Exit {
            edge: Some(number), ..
        })) = exits.get(at)
            && let Some(edge) = self.edges.get(*number)
        {
            steps.push(edge.step);
            at = edge.to;
        }
        steps
    }

    /// Builds the trace from the start to a situation, followed by more steps.
    fn trace(&self, model: &Model, node: usize, then: impl IntoIterator<Item = Step>) -> Trace {
        let mut steps = Vec::new();
        let mut at = node;
        let mut start = World::initial(false);
        while let Some(node) = self.nodes.get(at) {
            let Some((from, step)) = node.from else {
                start = node.world;
                break;
            };
            steps.push(step);
            at = from;
        }
        steps.reverse();
        steps.extend(then);
        Trace::replay(model, start, steps)
    }
}

#[cfg(test)]
mod tests;
