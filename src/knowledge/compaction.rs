//! Whether a compaction kept what had been decided before it.
//!
//! A decision is kept when a sentence of the compaction is that decision, or has all of its words. A word that turns a sentence
//! round (`not`, `never`, `不`) must stand in both or in neither. Anything else is lost: whoever reads the compaction
//! alone can't know of it for sure.

use super::session::{Event, Session};
use super::words;
use std::collections::{BTreeMap, BTreeSet};

/// Decisions and compactions of one session that are compared.
const MOST: usize = 10_000;
/// Words that turn a sentence round.
const TURNS: [&str; 12] =
    ["not", "no", "never", "without", "don", "doesn", "cannot", "isn", "instead", "against", "stop", "avoid"];
/// The same in Chinese, by characters.
const TURNS_HAN: [char; 6] = ['不', '没', '別', '别', '勿', '非'];

/// A decision that a compaction doesn't hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// What was decided. From the transcript, and may be hostile.
    pub decision: String,
    /// The line that records it.
    pub line: u64,
    /// The line of the first compaction without it.
    pub compaction: u64,
}

/// What was compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compared {
    /// Compactions in the session.
    pub compactions: usize,
    /// Different decisions before them.
    pub decisions: usize,
    /// What was lost, in the order of the transcript.
    pub lost: Vec<Lost>,
}

/// There is more than can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the session has more than {MOST} decisions or compactions")]
pub struct TooMany;

/// What counts of a line or of a decision.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    words: BTreeSet<String>,
    turned: BTreeSet<String>,
}

impl Said {
    fn of(text: &str) -> Self {
        let (mut all, mut turned) = (BTreeSet::new(), BTreeSet::new());
        words::each(text, &mut |word| {
            if TURNS.contains(&word) {
                turned.insert(word.to_owned());
            } else if !words::is_function_word(word) {
                all.insert(word.to_owned());
            }
        });
        turned.extend(text.chars().filter(|c| TURNS_HAN.contains(c)).map(String::from));
        Self { words: all, turned }
    }
}

/// Texts of equal words and signs are equal, whatever their spaces and case.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// What a compaction says, sentence by sentence.
struct Summary {
    folded: BTreeSet<String>,
    sentences: Vec<Said>,
    /// The sentences that hold a word.
    by_word: BTreeMap<String, Vec<usize>>,
}

impl Summary {
    fn of(text: &str) -> Self {
        let texts = || text.lines().flat_map(sentences);
        let sentences: Vec<Said> = texts().map(Said::of).collect();
        let mut by_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (n, sentence) in sentences.iter().enumerate() {
            for word in &sentence.words {
                by_word.entry(word.clone()).or_default().push(n);
            }
        }
        Self { folded: texts().map(folded).collect(), sentences, by_word }
    }

    fn holds(&self, decision: &str, said: &Said) -> bool {
        if self.folded.contains(&folded(decision)) {
            return true;
        }
        // The sentences with the rarest of the words have all of them, or none has.
        let with = said.words.iter().map(|word| self.by_word.get(word).map_or(&[][..], Vec::as_slice));
        let with = with.min_by_key(|sentences| sentences.len()).unwrap_or_default();
        let mut with = with.iter().filter_map(|n| self.sentences.get(*n));
        with.any(|sentence| said.words.is_subset(&sentence.words) && said.turned == sentence.turned)
    }
}

/// The sentences of a line: a full stop ends one where a space or nothing follows.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    line.split(['。', '；', '！', '？'])
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split("; "))
        .map(|part| part.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ';' | '-' | '*' | '+' | '#' | '>')))
}

/// Compares every compaction with the decisions before it.
///
/// # Errors
/// When there are more than 10,000 of either.
pub fn compare(session: &Session) -> Result<Compared, TooMany> {
    let mut out = Compared::default();
    let mut seen = BTreeSet::new();
    let mut open: Vec<(u64, &str, Said)> = Vec::new();
    for (line, event) in &session.events {
        match event {
            Event::Message(_) => {}
            Event::Decision(text) => {
                if seen.insert(folded(text)) {
                    open.push((*line, text, Said::of(text)));
                }
            }
            Event::Compaction(text) => {
                out.compactions += 1;
                let summary = Summary::of(text);
                open.retain(|(at, decision, said)| {
                    let holds = summary.holds(decision, said);
                    if !holds {
                        out.lost.push(Lost { decision: (*decision).to_owned(), line: *at, compaction: *line });
                    }
                    holds
                });
            }
        }
        if seen.len() > MOST || out.compactions > MOST {
            return Err(TooMany);
        }
    }
    out.decisions = seen.len();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(decisions: &[&str], summary: &str) -> Vec<String> {
        let mut events: Vec<(u64, Event)> = (1..).zip(decisions).map(|(n, d)| (n, Event::Decision((*d).to_owned()))).collect();
        events.push((99, Event::Compaction(summary.to_owned())));
        let compared = compare(&Session { events, unreadable: Vec::new() }).unwrap();
        assert_eq!((compared.compactions, compared.decisions), (1, decisions.len()));
        compared.lost.into_iter().map(|l| l.decision).collect()
    }

    #[test]
    fn what_is_said_again_is_kept() {
        assert!(lost(&["Use SQLite"], "- use  sqlite.").is_empty());
        assert!(
            lost(&["use SQLite for the index"], "The index uses no server. For the index we use SQLite files; done").is_empty()
        );
        assert!(lost(&["使用 SQLite 存储索引"], "决定：使用 SQLite 存储索引。然后测试").is_empty());
        assert!(lost(&["do it"], "do it").is_empty());
    }

    #[test]
    fn what_is_missing_or_turned_round_is_lost() {
        for summary in ["", "use Postgres", "do not use SQLite", "use it. SQLite", "never use SQLite"] {
            assert_eq!(lost(&["use SQLite"], summary), ["use SQLite"], "{summary}");
        }
        assert_eq!(lost(&["do not push to main"], "push to main").len(), 1);
        assert_eq!(lost(&["不使用网络"], "使用网络").len(), 1);
        assert_eq!(lost(&["do it"], "something else").len(), 1);
    }

    #[test]
    fn every_compaction_has_to_keep_it_and_the_first_that_does_not_is_named() {
        let decision = |line, text: &str| (line, Event::Decision(text.into()));
        let compaction = |line, text: &str| (line, Event::Compaction(text.into()));
        let events =
            vec![decision(1, "alpha"), compaction(2, "alpha"), decision(3, "beta"), compaction(4, "beta"), compaction(5, "")];
        let compared = compare(&Session { events, unreadable: Vec::new() }).unwrap();
        let lost: Vec<(u64, u64)> = compared.lost.iter().map(|l| (l.line, l.compaction)).collect();
        assert_eq!(lost, [(1, 4), (3, 5)]);
        let many = (0..=MOST as u64).map(|n| decision(n, &n.to_string())).collect();
        assert_eq!(compare(&Session { events: many, unreadable: Vec::new() }), Err(TooMany));
    }
}
