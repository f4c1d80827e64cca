use super::*;
use crate::event::EvaluationKind;
use std::collections::BTreeSet;

/// The governed machines and that of sessions.
const SHOWN: [FsmVersion; 3] = [FsmVersion::V0, FsmVersion::V1, FsmVersion::Session];

type Pairs = BTreeSet<(String, String, String)>;

/// Returns the transitions that `reduce` allows.
fn expected(version: FsmVersion) -> Pairs {
    let mut pairs = Pairs::new();
    for from in State::ALL {
        for event in Event::ALL {
            if let Ok(to) = reduce(version, from, event) {
                pairs.insert((from.to_string(), to.to_string(), event.to_string()));
            }
        }
    }
    pairs
}

/// Splits labels into events. Panics if a pair or an edge occurs twice.
fn collect<'a>(lines: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Pairs {
    let (mut pairs, mut ends) = (Pairs::new(), BTreeSet::new());
    for (from, to, label) in lines {
        assert!(ends.insert((from, to)), "{from} -> {to} appears twice");
        for event in label.split(", ") {
            assert!(
                pairs.insert((from.into(), to.into(), event.into())),
                "{from} {event} appears twice"
            );
        }
    }
    pairs
}

#[test]
fn mermaid_shows_every_legal_pair_once_and_no_other() {
    for version in SHOWN {
        let text = mermaid(version);
        let lines = text
            .lines()
            .filter(|line| line.contains("-->") && !line.contains("[*]"));
        let pairs = collect(lines.map(|line| {
            let (ends, label) = line.trim().split_once(": ").expect("a label");
            let (from, to) = ends.split_once(" --> ").expect("an arrow");
            (from, to, label)
        }));
        assert_eq!(pairs, expected(version));
        assert!(text.starts_with("stateDiagram-v2\n") && text.contains("    [*] --> IDLE\n"));
        assert_eq!(
            text.contains("    TERMINAL --> [*]\n"),
            version == FsmVersion::V1
        );
        assert_eq!(
            text.matches("[*]").count(),
            if version == FsmVersion::V1 { 2 } else { 1 }
        );
    }
}

#[test]
fn dot_shows_every_legal_pair_once_and_no_other() {
    for version in SHOWN {
        let text = dot(version);
        let pairs = collect(text.lines().filter(|line| line.contains("->")).map(|line| {
            let (ends, label) = line.trim().split_once(" [label=\"").expect("a label");
            let (from, to) = ends.split_once(" -> ").expect("an arrow");
            (from, to, label.strip_suffix("\"];").expect("an end"))
        }));
        assert_eq!(pairs, expected(version));
        assert!(text.starts_with(&format!("digraph fsm_v{version} {{\n")) && text.ends_with("}\n"));
        for state in State::ALL {
            assert_eq!(
                text.matches(&format!("    {state} [label=\"{state}\""))
                    .count(),
                1
            );
        }
    }
}

#[test]
fn tla_has_every_legal_pair_once_and_no_other() {
    for version in SHOWN {
        let text = tla(version);
        let lines: Vec<&str> = text.lines().collect();
        let mut names = Vec::new();
        let mut found = Vec::new();
        for pair in lines.windows(2) {
            let &[comment, definition] = pair else {
                continue;
            };
            let Some((name, body)) = definition.split_once(" == state = \"") else {
                continue;
            };
            let Some((from, to)) = body.split_once("\" /\\ state' = \"") else {
                continue;
            };
            names.push(name);
            found.push((
                from,
                to.strip_suffix('"').expect("a quote"),
                comment.strip_prefix("\\* ").expect("a comment"),
            ));
        }
        assert_eq!(collect(found.into_iter()), expected(version));
        for name in &names {
            assert_eq!(
                lines
                    .iter()
                    .filter(|line| **line == format!("    \\/ {name}"))
                    .count(),
                1,
                "{name} in Next"
            );
            assert_eq!(
                lines
                    .iter()
                    .filter(|line| **line == format!("    /\\ SF_state({name})"))
                    .count(),
                1,
                "{name} in Fairness"
            );
        }
        let disjuncts = lines
            .iter()
            .filter(|line| line.starts_with("    \\/ "))
            .count();
        assert_eq!(
            disjuncts,
            names.len() + usize::from(version == FsmVersion::V1),
            "the end may stutter, nothing else"
        );
        assert!(text.contains("\nInit == state = \"IDLE\"\n"));
        assert!(text.starts_with("---") && text.ends_with("===\n"));
        assert_eq!(
            text.contains("This version violates it: THINKING -> TERMINAL on Concluded."),
            version == FsmVersion::V0
        );
        assert_eq!(
            text.contains("PROPERTIES P6 P10"),
            version != FsmVersion::Session
        );
    }
}

#[test]
fn the_table_shows_every_legal_pair_once_and_counts_the_others() {
    for version in SHOWN {
        let text = table(version);
        let rows = text.lines().skip(3).take_while(|line| !line.is_empty());
        let pairs = collect(rows.map(|row| {
            let (from, rest) = row.split_once(' ').expect("a column");
            let (to, label) = rest.trim_start().split_once(' ').expect("a column");
            (from, to, label.trim_start())
        }));
        assert_eq!(pairs, expected(version));
        let (legal, illegal) = match version {
            FsmVersion::V0 => (14, 90),
            FsmVersion::V1 | FsmVersion::Session => (12, 92),
        };
        assert_eq!(pairs.len(), legal);
        assert!(text.ends_with(&format!(
            "\n104 pairs of state and event: {legal} legal, {illegal} illegal\n"
        )));
        assert!(text.lines().all(|line| line == line.trim_end()));
    }
}

#[test]
fn parallel_edges_are_one() {
    let edges = edges(FsmVersion::V1);
    assert_eq!(edges.len(), 11);
    let approved = edges
        .iter()
        .find(|edge| edge.from == State::Governing && edge.to == State::Executing)
        .expect("an edge");
    assert_eq!(
        approved.label(),
        "GovernanceDecided(approved), GovernanceDecided(modified)"
    );
    let resumed = edges
        .iter()
        .find(|edge| edge.to == State::Idle)
        .expect("an edge");
    assert_eq!(
        resumed.events,
        [Event::EvaluationMade(EvaluationKind::Pause)]
    );
}
