//! The machine of a version in several output formats.
//!
//! All data comes from [`reduce`], called with every pair of state and event. A second table could
//! contradict it.

mod tla;

pub use tla::tla;

use super::event::Event;
use super::reducer::{FsmVersion, reduce};
use super::state::State;
use std::fmt::{self, Write as _};

/// The events that lead from one state to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    pub from: State,
    pub to: State,
    /// Each of these events causes the transition, in the order of [`Event::ALL`].
    pub events: Vec<Event>,
}

impl Edge {
    /// Returns all events of the edge, separated by commas.
    #[must_use]
    pub fn label(&self) -> String {
        self.events
            .iter()
            .map(Event::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Returns all edges of a machine in the order of their states. Parallel edges are merged.
#[must_use]
pub fn edges(version: FsmVersion) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for from in State::ALL {
        for event in Event::ALL {
            let Ok(to) = reduce(version, from, event) else {
                continue;
            };
            match edges
                .iter_mut()
                .find(|edge| (edge.from, edge.to) == (from, to))
            {
                Some(edge) => edge.events.push(event),
                None => edges.push(Edge {
                    from,
                    to,
                    events: vec![event],
                }),
            }
        }
    }
    edges
}

/// Returns the events that a state refuses.
fn refused(version: FsmVersion, from: State) -> impl Iterator<Item = Event> {
    Event::ALL
        .into_iter()
        .filter(move |event| reduce(version, from, *event).is_err())
}

/// Returns whether a state can be reached but not left.
fn is_final(version: FsmVersion, state: State) -> bool {
    refused(version, state).count() == Event::ALL.len()
        && edges(version).iter().any(|edge| edge.to == state)
}

/// Collects what `write` writes. Writing to a `String` never fails.
fn text(write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut text = String::new();
    let _ = write(&mut text);
    text
}

/// Formats the machine as a Mermaid state diagram.
#[must_use]
pub fn mermaid(version: FsmVersion) -> String {
    text(|out| {
        writeln!(out, "stateDiagram-v2")?;
        writeln!(out, "    %% FSM version {version}")?;
        writeln!(out, "    [*] --> {}", State::Idle)?;
        for edge in edges(version) {
            writeln!(out, "    {} --> {}: {}", edge.from, edge.to, edge.label())?;
        }
        for state in State::ALL
            .into_iter()
            .filter(|state| is_final(version, *state))
        {
            writeln!(out, "    {state} --> [*]")?;
        }
        Ok(())
    })
}

/// Formats the machine as a Graphviz digraph.
#[must_use]
pub fn dot(version: FsmVersion) -> String {
    text(|out| {
        writeln!(out, "digraph fsm_v{version} {{")?;
        writeln!(out, "    label=\"FSM version {version}\";")?;
        writeln!(out, "    rankdir=LR;")?;
        writeln!(out, "    node [shape=box, style=rounded];")?;
        for state in State::ALL {
            let end = if is_final(version, state) {
                ", peripheries=2"
            } else {
                ""
            };
            let start = if state == State::Idle {
                ", penwidth=2"
            } else {
                ""
            };
            writeln!(out, "    {state} [label=\"{state}\"{start}{end}];")?;
        }
        for edge in edges(version) {
            writeln!(
                out,
                "    {} -> {} [label=\"{}\"];",
                edge.from,
                edge.to,
                edge.label()
            )?;
        }
        writeln!(out, "}}")
    })
}

/// Formats the machine as an aligned table, with counts of legal and illegal events.
#[must_use]
pub fn table(version: FsmVersion) -> String {
    text(|out| {
        let edges = edges(version);
        let state_width = State::ALL
            .iter()
            .map(|state| state.name().len())
            .max()
            .unwrap_or(0);
        writeln!(out, "FSM version {version}\n")?;
        writeln!(out, "{:<state_width$}  {:<state_width$}  ON", "FROM", "TO")?;
        for edge in &edges {
            writeln!(
                out,
                "{:<state_width$}  {:<state_width$}  {}",
                edge.from.name(),
                edge.to.name(),
                edge.label()
            )?;
        }
        writeln!(out, "\n{:<state_width$}  LEGAL  ILLEGAL", "STATE")?;
        let mut illegal = 0_usize;
        for state in State::ALL {
            let refused = refused(version, state).count();
            let legal: usize = edges
                .iter()
                .filter(|edge| edge.from == state)
                .map(|edge| edge.events.len())
                .sum();
            writeln!(
                out,
                "{:<state_width$}  {legal:>5}  {refused:>7}",
                state.name()
            )?;
            illegal = illegal.saturating_add(refused);
        }
        let legal: usize = edges.iter().map(|edge| edge.events.len()).sum();
        let pairs = State::ALL.len().saturating_mul(Event::ALL.len());
        writeln!(out, "{:<state_width$}  {legal:>5}  {illegal:>7}", "all")?;
        writeln!(
            out,
            "\n{pairs} pairs of state and event: {legal} legal, {illegal} illegal"
        )
    })
}

#[cfg(test)]
mod tests;
