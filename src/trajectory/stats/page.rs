//! The page of the statistics for people.

use super::{Counts, Distribution, Document};
use crate::report::Lang;
use crate::report::page::{Bar, Chart, Page, Part, Tone};
use crate::report::thousands;
use crate::trajectory::words::duration;

/// Maximum number of bars of one chart.
const BARS: usize = 10;
/// Maximum number of rows of one table; the rest is counted.
const ROWS: usize = 20;

/// Builds the page in a language.
#[must_use]
pub fn page(document: &Document, lang: Lang) -> Page {
    let executions = lang.plural(document.executions, "execution");
    let mut page = Page::in_language(lang, lang.fill("Statistics of {0}", &[&executions]));
    page.heading(1, lang.say("Statistics"), Tone::Plain);
    page.row(lang.say("executions"), thousands(document.executions));
    page.row(lang.say("turns"), thousands(document.turns));
    if document.commands > 0 {
        page.row(lang.say("commands"), thousands(document.commands));
    }
    if document.turns_left_out > 0 {
        let turns = lang.plural(document.turns_left_out, "turn");
        page.toned(
            lang.say("left out"),
            lang.fill("{0} beyond the limit", &[&turns]),
            Tone::Warning,
        );
    }
    distributions(document, &mut page);
    let tables: [(&str, &str, Names, &Counts); 13] = [
        (
            "Verdicts (legal path, authorised, governance complete)",
            "verdict",
            Names::Ours,
            &document.verdicts,
        ),
        (
            "Final states",
            "state",
            Names::Theirs,
            &document.final_states,
        ),
        ("Outcomes", "outcome", Names::Theirs, &document.outcomes),
        ("Actions", "type", Names::Theirs, &document.actions),
        ("Risk of actions", "risk", Names::Ours, &document.risks),
        (
            "What became of actions",
            "fate",
            Names::Ours,
            &document.fates,
        ),
        ("Tools", "tool", Names::Theirs, &document.tools),
        ("Decisions", "decision", Names::Ours, &document.decisions),
        ("Signers", "signer", Names::Theirs, &document.signers),
        ("Rules of policy", "rule", Names::Theirs, &document.rules),
        ("Failures", "kind", Names::Theirs, &document.failures),
        ("Models", "model", Names::Theirs, &document.models),
        ("Findings", "code", Names::Theirs, &document.findings),
    ];
    for (caption, head, names, counts) in tables {
        counted(lang.say(caption), lang.say(head), names, counts, &mut page);
    }
    page
}

/// Origin of the names that a table counts.
#[derive(Debug, Clone, Copy)]
enum Names {
    /// Names of this program, which are translated.
    Ours,
    /// Names from traces, and the translated placeholder for a missing one.
    Theirs,
}

impl Names {
    fn shown(self, word: &str, lang: Lang) -> String {
        match (self, word) {
            (Self::Ours, _) | (Self::Theirs, "not recorded" | "not declared") => {
                let words: Vec<_> = word.split(", ").map(|w| lang.say(w)).collect();
                words.join(", ")
            }
            (Self::Theirs, _) => word.to_owned(),
        }
    }
}

fn counted(caption: &str, head: &'static str, names: Names, counts: &Counts, page: &mut Page) {
    if counts.is_empty() {
        return;
    }
    let lang = page.lang;
    let mut all: Vec<_> = counts.iter().collect();
    all.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let total: u64 = counts.values().sum();
    let mut rows: Vec<Vec<String>> = all
        .iter()
        .take(ROWS)
        .map(|(word, n)| row(names.shown(word, lang), **n, total))
        .collect();
    let rest: u64 = all.iter().skip(ROWS).map(|(_, n)| **n).sum();
    if rest > 0 {
        let others = lang.fill("{0} others", &[&(all.len() - ROWS)]);
        rows.push(row(others, rest, total));
    }
    let bars = all
        .iter()
        .take(BARS)
        .map(|(word, n)| bar(names.shown(word, lang), **n, total))
        .collect();
    page.parts.push(Part::Table(
        caption.to_owned(),
        vec![head, lang.say("count"), lang.say("share")],
        rows,
    ));
    page.parts.push(Part::Chart(Chart {
        title: caption.to_owned(),
        axis: lang.say("how often"),
        about: lang.say("A bar for each, by how often it was seen."),
        logarithmic: false,
        bars,
    }));
}

fn bar(label: String, count: u64, total: u64) -> Bar {
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    let value = count as f64;
    Bar {
        label,
        value,
        reach: None,
        shown: format!("{} ({})", thousands(count), share(count, total)),
    }
}

fn share(count: u64, total: u64) -> String {
    format!("{} %", (count * 100 + total / 2) / total.max(1))
}

fn row(word: String, count: u64, total: u64) -> Vec<String> {
    vec![word, thousands(count), share(count, total)]
}

fn distributions(document: &Document, page: &mut Page) {
    let lang = page.lang;
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
        .filter_map(|(name, d, say)| Some(numbers(lang.say(name), d.as_ref()?, *say)))
        .collect();
    rows.extend(
        document
            .time_per_state
            .iter()
            .map(|(state, d)| numbers(&lang.fill("time in {0}", &[state]), d, time)),
    );
    let times = [
        ("a human decides", &document.human_latency),
        ("an action runs", &document.durations),
        ("a command", &document.command_latency),
    ];
    let times = times
        .into_iter()
        .filter_map(|(name, d)| Some((lang.say(name).to_owned(), d.as_ref()?)));
    let states = document
        .time_per_state
        .iter()
        .map(|(state, d)| (lang.fill("in {0}", &[state]), d));
    let bars: Vec<Bar> = times.chain(states).map(|(name, d)| span(name, d)).collect();
    if !rows.is_empty() {
        page.parts.push(Part::Table(
            lang.say("Distributions").to_owned(),
            ["of", "count", "least", "median", "90 %", "most", "sum"]
                .map(|head| lang.say(head))
                .to_vec(),
            rows,
        ));
    }
    if !bars.is_empty() {
        let about = lang.say(
            "A bar up to the median, and a whisker up to what nine of ten don't exceed, on a logarithmic scale.",
        );
        page.parts.push(Part::Chart(Chart {
            title: lang.say("Times: median and 90 %").to_owned(),
            axis: lang.say("time, on a logarithmic scale"),
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

/// Formats milliseconds for people.
fn time(millis: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast to an integer saturates"
    )]
    let whole = millis.round() as i64;
    duration(whole)
}

/// A formatter of a number.
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
