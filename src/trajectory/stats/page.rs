//! Counts and distributions for people.

use super::{Counts, Distribution, Document};
use crate::report::page::{Bar, Chart, Page, Part, Tone};
use crate::report::thousands;
use crate::trajectory::words::{duration, plural};

/// Bars of one chart; the table has more.
const BARS: usize = 10;
/// Rows of one table; the rest is counted.
const ROWS: usize = 20;

/// The page.
#[must_use]
pub fn page(document: &Document) -> Page {
    let mut page = Page::new(format!(
        "Statistics of {}",
        plural(document.executions, "execution")
    ));
    page.heading(1, "Statistics", Tone::Plain);
    page.row("executions", thousands(document.executions));
    page.row("turns", thousands(document.turns));
    if document.commands > 0 {
        page.row("commands", thousands(document.commands));
    }
    if document.turns_left_out > 0 {
        page.toned(
            "left out",
            format!(
                "{} beyond the limit",
                plural(document.turns_left_out, "turn")
            ),
            Tone::Warning,
        );
    }
    distributions(document, &mut page);
    let tables: [(&str, &'static str, &Counts); 13] = [
        (
            "Verdicts (legal path, authorised, governance complete)",
            "verdict",
            &document.verdicts,
        ),
        ("Final states", "state", &document.final_states),
        ("Outcomes", "outcome", &document.outcomes),
        ("Actions", "type", &document.actions),
        ("Risk of actions", "risk", &document.risks),
        ("What became of actions", "fate", &document.fates),
        ("Tools", "tool", &document.tools),
        ("Decisions", "decision", &document.decisions),
        ("Signers", "signer", &document.signers),
        ("Rules of policy", "rule", &document.rules),
        ("Failures", "kind", &document.failures),
        ("Models", "model", &document.models),
        ("Findings", "code", &document.findings),
    ];
    for (caption, head, counts) in tables {
        counted(caption, head, counts, &mut page);
    }
    page
}

fn counted(caption: &str, head: &'static str, counts: &Counts, page: &mut Page) {
    if counts.is_empty() {
        return;
    }
    let mut all: Vec<_> = counts.iter().collect();
    all.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let total: u64 = counts.values().sum();
    let mut rows: Vec<Vec<String>> = all
        .iter()
        .take(ROWS)
        .map(|(word, n)| row(word, **n, total))
        .collect();
    let rest: u64 = all.iter().skip(ROWS).map(|(_, n)| **n).sum();
    if rest > 0 {
        rows.push(row(&format!("{} others", all.len() - ROWS), rest, total));
    }
    let bars = all
        .iter()
        .take(BARS)
        .map(|(word, n)| bar(word, **n, total))
        .collect();
    page.parts.push(Part::Table(
        caption.to_owned(),
        vec![head, "count", "share"],
        rows,
    ));
    page.parts.push(Part::Chart(Chart {
        title: caption.to_owned(),
        axis: "how often",
        about: "A bar for each, by how often it was seen.",
        logarithmic: false,
        bars,
    }));
}

fn bar(word: &str, count: u64, total: u64) -> Bar {
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    let value = count as f64;
    Bar {
        label: word.to_owned(),
        value,
        reach: None,
        shown: format!("{} ({})", thousands(count), share(count, total)),
    }
}

fn share(count: u64, total: u64) -> String {
    format!("{} %", (count * 100 + total / 2) / total.max(1))
}

fn row(word: &str, count: u64, total: u64) -> Vec<String> {
    vec![word.to_owned(), thousands(count), share(count, total)]
}

fn distributions(document: &Document, page: &mut Page) {
    let fixed = [
        (
            "turns per execution",
            &document.turns_per_execution,
            say as Number,
        ),
        ("time of a human decision", &document.human_latency, time),
        ("time of an action", &document.durations, time),
        ("cost of an action", &document.costs, say),
        ("tokens of a command", &document.tokens, say),
        ("time of a command", &document.command_latency, time),
    ];
    let mut rows: Vec<Vec<String>> = fixed
        .iter()
        .filter_map(|(name, d, say)| Some(numbers(name, d.as_ref()?, *say)))
        .collect();
    rows.extend(
        document
            .time_per_state
            .iter()
            .map(|(state, d)| numbers(&format!("time in {state}"), d, time)),
    );
    let times = [
        ("a human decides", &document.human_latency),
        ("an action runs", &document.durations),
        ("a command", &document.command_latency),
    ];
    let times = times
        .into_iter()
        .filter_map(|(name, d)| Some((name.to_owned(), d.as_ref()?)));
    let states = document
        .time_per_state
        .iter()
        .map(|(state, d)| (format!("in {state}"), d));
    let bars: Vec<Bar> = times.chain(states).map(|(name, d)| span(name, d)).collect();
    if !rows.is_empty() {
        page.parts.push(Part::Table(
            "Distributions".to_owned(),
            vec!["of", "count", "least", "median", "90 %", "most", "sum"],
            rows,
        ));
    }
    if !bars.is_empty() {
        let about = "A bar up to the median, and a whisker up to what nine of ten don't exceed, on a logarithmic scale.";
        page.parts.push(Part::Chart(Chart {
            title: "Times: median and 90 %".to_owned(),
            axis: "time, on a logarithmic scale",
            about,
            logarithmic: true,
            bars,
        }));
    }
}

fn span(label: String, d: &Distribution) -> Bar {
    Bar {
        label,
        value: d.median,
        reach: Some(d.p90),
        shown: format!("{} / {}", time(d.median), time(d.p90)),
    }
}

/// Milliseconds in words.
fn time(millis: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast to an integer saturates"
    )]
    let whole = millis.round() as i64;
    duration(whole)
}

/// A number in words.
type Number = fn(f64) -> String;

fn say(n: f64) -> String {
    if n.fract() != 0.0 || !(0.0..1e15).contains(&n) {
        return format!("{n:.3}");
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole, not negative and below 2^53"
    )]
    thousands(n as u64)
}

fn numbers(name: &str, d: &Distribution, say: Number) -> Vec<String> {
    vec![
        name.to_owned(),
        thousands(d.count),
        say(d.min),
        say(d.median),
        say(d.p90),
        say(d.max),
        say(d.sum),
    ]
}
