//! The machine as a TLA+ module.

use super::{Edge, edges, is_final, text};
use crate::properties::Property;
use crate::reducer::FsmVersion;
use crate::state::State;
use std::fmt::{self, Write as _};

/// Formats the machine as a self-contained TLA+ module that TLC can check. A comment at its end
/// holds the configuration for that.
///
/// P10 says that TERMINAL *can* be reached from every reachable state, which linear time can't
/// express directly. In a finite machine it is equivalent to this: an execution that takes each
/// edge infinitely often that it could take infinitely often reaches TERMINAL again and again.
/// Every edge therefore has strong fairness.
#[must_use]
pub fn tla(version: FsmVersion) -> String {
    text(|out| write(out, version))
}

fn write(out: &mut String, version: FsmVersion) -> fmt::Result {
    let governed = FsmVersion::ALL.contains(&version);
    let edges = edges(version);
    let ends: Vec<State> = State::ALL
        .into_iter()
        .filter(|state| is_final(version, *state))
        .collect();
    let title = format!(" MODULE YuangsFsmV{version} ");
    writeln!(out, "{title:-^78}")?;
    writeln!(
        out,
        "(* The state machine of {}, FSM version {version}.",
        if governed {
            "governed executions"
        } else {
            "recorded sessions"
        }
    )?;
    writeln!(
        out,
        "   Printed from the reducer; one action for each pair of states that an event joins. *)\n"
    )?;
    writeln!(out, "VARIABLES state\n")?;
    let names = State::ALL.map(|state| format!("\"{state}\"")).join(", ");
    writeln!(out, "States == {{{names}}}\n")?;
    writeln!(out, "Init == state = \"{}\"", State::Idle)?;
    for edge in &edges {
        writeln!(out, "\n\\* {}", edge.label())?;
        writeln!(
            out,
            "{} == state = \"{}\" /\\ state' = \"{}\"",
            action(edge),
            edge.from,
            edge.to
        )?;
    }
    writeln!(out, "\nNext ==")?;
    for edge in &edges {
        writeln!(out, "    \\/ {}", action(edge))?;
    }
    for end in &ends {
        writeln!(
            out,
            "    \\/ (state = \"{end}\" /\\ UNCHANGED state)  \\* an end is no deadlock"
        )?;
    }
    writeln!(out, "\nFairness ==")?;
    for edge in &edges {
        writeln!(out, "    /\\ SF_state({})", action(edge))?;
    }
    writeln!(out, "\nSpec == Init /\\ [][Next]_state")?;
    writeln!(out, "FairSpec == Spec /\\ Fairness\n")?;
    writeln!(out, "TypeOK == state \\in States\n")?;
    if governed {
        write_properties(out, &edges)?;
    } else {
        writeln!(
            out,
            "(* Of sessions none of the properties P1 to P10 is promised."
        )?;
    }
    writeln!(out, "\n   To check with TLC:")?;
    writeln!(out, "       SPECIFICATION FairSpec")?;
    if governed {
        writeln!(out, "       INVARIANTS TypeOK NoDeadlock")?;
        writeln!(out, "       PROPERTIES P6 P10")?;
    } else {
        writeln!(out, "       INVARIANTS TypeOK")?;
    }
    writeln!(out, "*)")?;
    writeln!(out, "{:=^78}", "")
}

/// Writes the properties of a governed machine.
fn write_properties(out: &mut String, edges: &[Edge]) -> fmt::Result {
    writeln!(out, "\\* P6: {}.", Property::P6.sentence())?;
    for edge in edges
        .iter()
        .filter(|edge| edge.to == State::Terminal && edge.from != State::Evaluating)
    {
        writeln!(
            out,
            "\\* This version violates it: {} -> {} on {}.",
            edge.from,
            edge.to,
            edge.label()
        )?;
    }
    let (end, evaluating) = (State::Terminal, State::Evaluating);
    writeln!(
        out,
        "P6 == [][(state # \"{end}\" /\\ state' = \"{end}\") => state = \"{evaluating}\"]_state\n"
    )?;
    writeln!(out, "\\* P10: {}.", Property::P10.sentence())?;
    writeln!(out, "NoDeadlock == ENABLED Next")?;
    writeln!(out, "P10 == []<>(state = \"{end}\")\n")?;
    writeln!(
        out,
        "(* These speak of more than the state: of decisions, actions and capabilities."
    )?;
    for property in Property::ALL {
        match property {
            Property::P6 | Property::P10 => {}
            Property::P1
            | Property::P2
            | Property::P3
            | Property::P4
            | Property::P5
            | Property::P7
            | Property::P8
            | Property::P9 => writeln!(out, "   {}: {}.", property.id(), property.sentence())?,
        }
    }
    Ok(())
}

/// Returns the name of an edge, such as `ThinkingToProposing`.
fn action(edge: &Edge) -> String {
    format!("{:?}To{:?}", edge.from, edge.to)
}
