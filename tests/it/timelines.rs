//! The HTML page: its content, its limits, and that neither depends on the number of workers.

use super::reading;
use std::path::Path;
use yuangs_verify::diag::Severity;
use yuangs_verify::report::{Format, Outcome, Run, TextOptions};
use yuangs_verify::source::discover;
use yuangs_verify::verify::{Options, Report, verify};

fn report(paths: &[&str], max_turns: usize) -> Report {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces");
    let paths: Vec<_> = paths.iter().map(|p| root.join(p)).collect();
    verify(
        &discover(&paths),
        &Options {
            max_turns,
            ..Options::default()
        },
    )
}

fn page(report: &Report) -> String {
    let outcome = Outcome::of(report, Some(Severity::Error), false);
    let run = Run {
        report,
        outcome: &outcome,
        text: TextOptions::default(),
        command: "yuangs-verify replay -- traces",
        statistics: None,
        base: None,
    };
    let mut out = Vec::new();
    run.write(Format::Html, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_turn_shows_what_was_done_and_who_decided() {
    let text = page(&report(&["demo/diff-fix.jsonl"], 100));
    for part in [
        "<h1>Passed</h1>",
        "Turn 1",
        "approved by a human",
        "medium risk",
        "<ins>+  return a + b;</ins>",
        "<del>-  return a - b;</del>",
        "Path: THINKING, then PROPOSING, then GOVERNING, then EXECUTING, then OBSERVING, then EVALUATING, then THINKING",
        "<dt>signer</dt><dd>erika</dd>",
        "terminate (goal_satisfied)",
        "Nothing was found.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    reading::html(&text).unwrap();
}

#[test]
fn the_three_layouts_of_a_trace_give_the_same_turns() {
    let turns = |file: &str| {
        let mut turns = report(&[file], 100).timeline.turns;
        assert!(turns.len() > 1);
        for turn in &mut turns {
            // Positions differ, and so do times in records of whole turns.
            (turn.file, turn.line, turn.last_line) = (file.into(), 0, 0);
            (turn.start, turn.end, turn.proposed_at) = (None, None, None);
            turn.file = "".into();
            turn.path.iter_mut().for_each(|stop| stop.at = None);
        }
        turns
    };
    assert_eq!(
        turns("demo/diff-fix.jsonl"),
        turns("demo/diff-fix-turns.jsonl")
    );
    assert_eq!(
        turns("demo/diff-fix.jsonl"),
        turns("demo/diff-fix-execution.jsonl")
    );
}

#[test]
fn a_broken_path_is_drawn_broken_and_linked_both_ways() {
    let text = page(&report(
        &["broken/YV201-missing-observation-in-turn-6.jsonl"],
        100,
    ));
    let bare = page(&report(&["broken/YV301-no-decision-in-turn-4.jsonl"], 100));
    assert_eq!(bare.matches("no decision recorded").count(), 1);
    assert!(
        text.contains("EvaluationMade(continue) tried in OBSERVING (illegal)"),
        "{text}"
    );
    assert!(
        text.contains("class=\"bad\">✕ EvaluationMade(continue)</text>")
            && text.contains(">in OBSERVING</text>"),
        "the broken step is named by the event"
    );
    assert!(
        text.contains("class=\"way bad\"")
            && text.contains("id=\"rule-YV201\"")
            && text.contains("href=\"#rule-YV201\"")
    );
    let anchor = text
        .split("href=\"#t-")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert!(
        text.contains(&format!("id=\"t-{anchor}\"")),
        "the finding leads to its turn"
    );
    let finding = text
        .split("href=\"#f-")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert!(
        text.contains(&format!("id=\"f-{finding}\"")),
        "the turn leads to its finding"
    );
}

#[test]
fn a_finding_says_how_it_is_fixed_and_has_a_link() {
    let text = page(&report(&["broken/YV301-no-decision-in-turn-4.jsonl"], 100));
    let card = text
        .split("<article class=\"card finding")
        .nth(1)
        .and_then(|rest| rest.split("</article>").next())
        .unwrap();
    let anchor = card
        .split("id=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    for part in [
        format!("<a class=\"here\" href=\"#{anchor}\""),
        "<b>How to fix it:</b> Call the executor from one place only".into(),
        "data-rule=\"YV301\" data-name=\"unauthorised-execution\"".into(),
    ] {
        assert!(card.contains(&part), "{part}: {card}");
    }
    for part in [
        "type=\"search\" name=\"q\"",
        "<select name=\"group\">",
        "<b>1</b><span>failed</span>",
        "<b>0</b><span>passed</span>",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn commands_are_taken_apart_up_to_a_limit() {
    let mut report = report(&["broken/YV307-redirection.jsonl"], 100);
    assert!(page(&report).contains("<span class=\"fx medium\""));
    assert!(!page(&report).contains("not taken apart"));
    let turn = report
        .timeline
        .turns
        .iter()
        .find(|t| t.proposed.is_some())
        .unwrap()
        .clone();
    report.timeline.turns = vec![turn; 300];
    for turn in &mut report.timeline.turns {
        let text = yuangs_verify::verify::timeline::Text {
            text: "x ".repeat(4_000),
            ..Default::default()
        };
        turn.proposed.as_mut().unwrap().deed = yuangs_verify::verify::timeline::Deed::Command(text);
    }
    let text = page(&report);
    assert!(
        text.matches("not taken apart").count() >= 38,
        "512 KiB and no more"
    );
    assert!(text.contains("<span class=\"fx high\""));
}

#[test]
fn every_anchor_is_there_once() {
    let text = page(&report(&["broken", "demo", "native"], 10_000));
    let ids: Vec<&str> = text
        .split(" id=\"")
        .skip(1)
        .map(|s| s.split('"').next().unwrap())
        .collect();
    let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len());
    assert!(ids.len() > 500);
    for target in text
        .split("href=\"#")
        .skip(1)
        .map(|s| s.split('"').next().unwrap())
    {
        assert!(unique.contains(target), "#{target} leads nowhere");
    }
    for label in text
        .split("labelledby=\"")
        .skip(1)
        .map(|s| s.split('"').next().unwrap())
    {
        assert!(unique.contains(label), "{label} names nothing");
    }
}

#[test]
fn turns_over_the_limit_are_counted_and_the_first_are_kept() {
    let paths = [
        "broken/YV201-missing-observation-in-turn-6.jsonl",
        "broken/YV301-decision-in-the-other-execution.jsonl",
    ];
    let whole = report(&paths, 1000).timeline;
    assert_eq!(whole.left_out, 0);
    assert!(whole.turns.len() > 8);
    for limit in [1, 3, 8] {
        let part = report(&paths, limit);
        assert_eq!(part.timeline.turns, whole.turns[..limit], "{limit}");
        assert_eq!(part.timeline.left_out, (whole.turns.len() - limit) as u64);
        assert!(page(&part).contains(&format!(
            "{} more turns are not drawn",
            part.timeline.left_out
        )));
    }
    assert!(
        report(&paths, 0).timeline.turns.is_empty(),
        "nothing is kept unless asked for"
    );
}
