//! Generates short Markdown documents of about 540 bytes: a heading and some sentences, with a few
//! identifiers and numbers. Words follow Zipf's law over a vocabulary of about 20,000, and each
//! document has a topic. An index of them has both rare and frequent words, and correlations to
//! learn. The output is deterministic.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    reason = "small numbers, and places that are taken modulo the length"
)]

use util::random::SplitMix;

const COMMON: [&str; 48] = [
    "the", "a", "of", "to", "and", "in", "is", "for", "it", "that", "with", "on", "by", "as",
    "when", "this", "are", "be", "from", "not", "or", "which", "file", "test", "error", "build",
    "path", "value", "server", "change", "request", "line", "user", "time", "type", "state",
    "call", "name", "list", "cache", "key", "index", "data", "code", "result", "run", "log",
    "message",
];
const ROOTS: [&str; 96] = [
    "account", "align", "arrange", "attach", "balance", "batch", "bind", "block", "branch",
    "bridge", "buffer", "bundle", "channel", "charge", "clean", "cluster", "collect", "commit",
    "compile", "compress", "connect", "convert", "count", "crawl", "decode", "deploy", "detect",
    "dispatch", "encode", "enter", "escape", "expand", "expect", "export", "fetch", "filter",
    "flush", "fold", "format", "frame", "grant", "graph", "group", "handle", "harvest", "import",
    "inspect", "invoke", "join", "ledger", "limit", "link", "listen", "load", "lock", "map",
    "mark", "measure", "merge", "migrate", "mount", "order", "pack", "parse", "patch", "plan",
    "pool", "port", "print", "probe", "publish", "queue", "rank", "record", "render", "report",
    "resolve", "retry", "rotate", "route", "sample", "scale", "scan", "schedule", "search",
    "select", "shard", "sign", "sort", "split", "stream", "sync", "trace", "train", "verify",
    "watch",
];
const BEFORE: [&str; 14] = [
    "", "re", "pre", "un", "over", "sub", "auto", "inter", "multi", "cross", "post", "co", "non",
    "under",
];
const BEHIND: [&str; 15] = [
    "", "er", "ing", "ed", "able", "or", "ment", "ation", "less", "ful", "ness", "ish", "ward",
    "hood", "ship",
];
/// Number of words in the vocabulary.
const VOCABULARY: usize = COMMON.len() + ROOTS.len() * BEFORE.len() * BEHIND.len();
/// Number of topics, which are groups of related words.
const TOPICS: usize = 300;

fn word(rank: usize) -> String {
    if let Some(common) = COMMON.get(rank) {
        return (*common).to_owned();
    }
    // Plain roots come first, then their derivatives.
    let rank = rank - COMMON.len();
    let (shape, root) = (rank / ROOTS.len(), rank % ROOTS.len());
    format!(
        "{}{}{}",
        BEFORE[shape / BEHIND.len() % BEFORE.len()],
        ROOTS[root],
        BEHIND[shape % BEHIND.len()]
    )
}

/// Draws a rank with a probability inversely proportional to it.
fn zipf(numbers: &mut SplitMix, ranks: usize) -> usize {
    let unit = numbers.below(1 << 24) as f64 / f64::from(1 << 24);
    (ranks as f64).powf(unit) as usize - 1
}

/// Draws one of the 24 words of a topic.
fn topical(numbers: &mut SplitMix, topic: usize) -> String {
    let nth = zipf(numbers, 24);
    word(COMMON.len() + SplitMix((topic * 24 + nth) as u64).below(VOCABULARY - COMMON.len()))
}

fn any(numbers: &mut SplitMix) -> String {
    let rank = zipf(numbers, VOCABULARY);
    word(rank)
}

/// Returns a Markdown section with a heading. Another `version` has another text under the same
/// heading.
pub fn document(number: u64, version: u64) -> String {
    let mut numbers = SplitMix(number);
    let topic = numbers.below(TOPICS);
    let mut text = format!(
        "## {} {} {number}\n\n",
        topical(&mut numbers, topic),
        topical(&mut numbers, topic)
    );
    let mut numbers = SplitMix(number ^ (version << 40));
    while text.len() < 480 {
        let words = 6 + numbers.below(10);
        for n in 0..words {
            let next = match numbers.below(24) {
                0..=5 => topical(&mut numbers, topic),
                6 => format!("`{}_{}`", topical(&mut numbers, topic), any(&mut numbers)),
                7 => numbers.below(10_000).to_string(),
                _ => any(&mut numbers),
            };
            text.push_str(&next);
            text.push_str(if n + 1 == words { ".\n" } else { " " });
        }
    }
    text.push('\n');
    text
}

/// Returns a search query as people type it: one to four words, most of them on one topic.
pub fn question(number: u64) -> String {
    let mut numbers = SplitMix(number ^ 0xa5c);
    let topic = numbers.below(TOPICS);
    let words = 1 + numbers.below(4);
    let mut all: Vec<String> = (0..words).map(|_| topical(&mut numbers, topic)).collect();
    if numbers.below(2) == 0 {
        all.push(any(&mut numbers));
    }
    all.join(" ")
}
