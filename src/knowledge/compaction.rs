//! Checks that a compaction preserved the decisions, facts, to-dos and preferences before it.
//!
//! An item, such as a decision, is preserved when each of its sentences is a sentence of the
//! compaction. Words, numbers and symbols must be the same and in the same order. Only words that
//! don't change the meaning may come between (`we decided to`, `我们决定`). Anything else counts as
//! lost, since a reader of the compaction alone can't rely on it. The words that can invert a
//! sentence can't be listed; harmless words can.

use super::session::{Event, ItemKind, Session};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of items, and of compactions, of one session.
const MOST: usize = 10_000;
/// Words that may surround those of a decision: they introduce it without changing its meaning.
const HARMLESS: [&str; 22] = [
    "we",
    "our",
    "us",
    "i",
    "decision",
    "decisions",
    "decided",
    "agreed",
    "chosen",
    "chose",
    "to",
    "that",
    "will",
    "shall",
    "must",
    "also",
    "still",
    "kept",
    "final",
    "confirmed",
    "so",
    "as",
];
/// Words that are ignored on both sides.
const ARTICLES: [&str; 3] = ["a", "an", "the"];
/// The same in Chinese: sequences of characters that may surround those of a decision.
const HARMLESS_HAN: [&str; 18] = [
    "决定",
    "决策",
    "我们",
    "我们决定",
    "已",
    "已经",
    "已决定",
    "我们已决定",
    "将",
    "我们将",
    "继续",
    "仍",
    "仍然",
    "保留",
    "确认",
    "最终",
    "最终决定",
    "決定",
];
/// Words of a heading whose items are not decisions, such as `Rejected:`.
const TURNS: [&str; 25] = [
    "not",
    "no",
    "never",
    "without",
    "don't",
    "against",
    "stop",
    "stopped",
    "avoid",
    "rejected",
    "reject",
    "refused",
    "discarded",
    "dropped",
    "abandoned",
    "forbidden",
    "alternatives",
    "alternative",
    "considered",
    "undecided",
    "superseded",
    "obsolete",
    "reverted",
    "ideas",
    "proposals",
];
/// Words of a heading below which only to-dos are kept.
const PENDING: [&str; 6] = ["open", "questions", "todo", "todos", "pending", "待"];
/// The same in Chinese, as characters.
const TURNS_HAN: [char; 14] = [
    '不', '没', '別', '别', '勿', '非', '未', '无', '拒', '禁', '停', '否', '弃', '废',
];

/// An item that a compaction doesn't contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostItem {
    pub kind: ItemKind,
    /// The text of the item. It comes from the transcript and may be hostile.
    pub text: String,
    /// The line that records it.
    pub line: u64,
    /// The line of the first compaction without it.
    pub compaction: u64,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Compactions in the session.
    pub compactions: usize,
    /// Number of different items of each kind, in the order of [`ItemKind::ALL`].
    pub items: [usize; ItemKind::ALL.len()],
    /// The lost items in the order of the transcript.
    pub lost: Vec<LostItem>,
}

/// The session has more items or compactions than are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the session has more than {MOST} items or compactions")]
pub struct TooMany;

/// Returns the words, numbers and symbols of a sentence in order. Each Chinese character is a word.
fn tokens(sentence: &str) -> Vec<String> {
    let lower = sentence.to_lowercase().replace('’', "'");
    let all: Vec<char> = lower.chars().collect();
    let at = |n: Option<usize>| n.and_then(|n| all.get(n)).copied().unwrap_or(' ');
    let mut tokens: Vec<String> = Vec::new();
    let mut word = String::new();
    for (n, c) in all.iter().copied().enumerate() {
        let (before, after) = (at(n.checked_sub(1)), at(n.checked_add(1)));
        let inside = before.is_alphanumeric()
            && after.is_alphanumeric()
            && !is_han(before)
            && !is_han(after);
        if (c.is_alphanumeric() && !is_han(c)) || c == '_' || matches!(c, '.' | '\'') && inside {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            tokens.push(std::mem::take(&mut word));
        }
        let emphasis = c == '*'
            && (before == '*' || after == '*' || before.is_whitespace() != after.is_whitespace());
        // A hyphen in a word and a dash between words separate them; before a number it is a minus
        // sign.
        let dash = c == '-' && (before.is_alphanumeric() || !after.is_ascii_digit());
        let exclamation = c == '!' && after != '=';
        if !(c.is_whitespace() || is_quiet(c) || emphasis || dash || exclamation) {
            tokens.push(c.to_string());
        }
    }
    if !word.is_empty() {
        tokens.push(word);
    }
    tokens.retain(|token| !ARTICLES.contains(&token.as_str()));
    tokens
}

const fn is_han(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character is punctuation or a quotation mark, which has no meaning of its own.
const fn is_quiet(c: char) -> bool {
    matches!(
        c,
        '.' | ','
            | ';'
            | ':'
            | '"'
            | '\''
            | '`'
            | '('
            | ')'
            | '['
            | ']'
            | '…'
            | '–'
            | '—'
            | '“'
            | '”'
            | '‘'
            | '«'
            | '»'
    ) || matches!(
        c,
        '，' | '、'
            | '：'
            | '；'
            | '。'
            | '！'
            | '（'
            | '）'
            | '「'
            | '」'
            | '『'
            | '』'
            | '《'
            | '》'
            | '【'
            | '】'
    )
}

/// Whether `sentence` repeats `said` with nothing added that could change its meaning.
fn repeats(said: &[String], sentence: &[String]) -> bool {
    let mut left = said.iter().peekable();
    // Chinese characters since the last matching token.
    let mut run = String::new();
    let harmless = |run: &str| run.is_empty() || HARMLESS_HAN.contains(&run);
    for token in sentence {
        if left.peek() == Some(&token) {
            left.next();
        } else if token.chars().all(is_han) {
            run.push_str(token);
            continue;
        } else if !HARMLESS.contains(&token.as_str()) {
            return false;
        }
        if !harmless(&run) {
            return false;
        }
        run.clear();
    }
    left.peek().is_none() && harmless(&run)
}

/// Normalises spaces and case, so that texts of equal words and symbols are equal.
fn folded(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// The sentences of a compaction.
struct Summary {
    /// Whole sentences, with whether only a to-do counts there.
    folded: BTreeMap<String, bool>,
    sentences: Vec<(Vec<String>, bool)>,
    /// Indices of the sentences that contain a word.
    by_word: BTreeMap<String, Vec<usize>>,
}

impl Summary {
    fn of(text: &str) -> Self {
        let mut out = Self {
            folded: BTreeMap::new(),
            sentences: Vec::new(),
            by_word: BTreeMap::new(),
        };
        let mut turned = false;
        let mut is_pending = false;
        for line in text.lines() {
            // The lines below a heading like `Rejected:` aren't decisions.
            if line.starts_with('#') || line.trim_end().ends_with([':', '：']) {
                let words = tokens(line);
                turned = words
                    .iter()
                    .any(|t| TURNS.contains(&t.as_str()) || t.contains(TURNS_HAN));
                is_pending = words.iter().any(|t| PENDING.contains(&t.as_str()));
            }
            if turned {
                continue;
            }
            for sentence in sentences(line) {
                let known = out.folded.entry(folded(sentence)).or_insert(is_pending);
                *known &= is_pending;
                let tokens = tokens(sentence);
                for token in &tokens {
                    let with = out.by_word.entry(token.clone()).or_default();
                    if with.last() != Some(&out.sentences.len()) {
                        with.push(out.sentences.len());
                    }
                }
                out.sentences.push((tokens, is_pending));
            }
        }
        out
    }

    fn holds(&self, kind: ItemKind, said: &Statement) -> bool {
        let mut sentences = said.sentences.iter();
        sentences.all(|sentence| self.says(kind, sentence))
    }

    fn says(&self, kind: ItemKind, sentence: &Sentence) -> bool {
        let counts = |is_pending: bool| !is_pending || kind == ItemKind::Todo;
        let whole = self.folded.get(&sentence.folded);
        if whole.is_some_and(|is_pending| counts(*is_pending)) {
            return true;
        }
        // A match contains all words, so it's enough to search the sentences with the rarest word.
        let with = sentence
            .tokens
            .iter()
            .map(|word| self.by_word.get(word).map_or(&[][..], Vec::as_slice));
        let with = with
            .min_by_key(|sentences| sentences.len())
            .unwrap_or_default();
        with.iter()
            .filter_map(|n| self.sentences.get(*n))
            .any(|(said, is_pending)| counts(*is_pending) && repeats(&sentence.tokens, said))
    }
}

/// A sentence of an item.
struct Sentence {
    folded: String,
    tokens: Vec<String>,
}

/// An item split into sentences.
struct Statement {
    sentences: Vec<Sentence>,
}

impl Statement {
    fn of(text: &str) -> Self {
        let sentence = |s: &str| Sentence {
            folded: folded(s),
            tokens: tokens(s),
        };
        let mut all: Vec<Sentence> = text.lines().flat_map(sentences).map(sentence).collect();
        if all.is_empty() {
            // The text has only symbols, so it has to match as a whole.
            all.push(sentence(text));
        }
        Self { sentences: all }
    }
}

/// Splits a line into sentences. A full stop ends one if a space or nothing follows. List and
/// heading markers are removed, but no other symbols, since `C++` and `C` are different languages.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut line = line.trim();
    while let Some((mark, rest)) = line.split_once(char::is_whitespace)
        && mark
            .chars()
            .all(|c| matches!(c, '-' | '*' | '+' | '#' | '>' | '•'))
    {
        line = rest.trim_start();
    }
    line.split(['。', '；', '！'])
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split("; "))
        .map(|part| part.trim().trim_end_matches(['.', ';']))
        .filter(|part| !part.is_empty())
}

/// Compares every compaction with the items before it.
///
/// # Errors
/// When there are more than 10,000 of either.
pub fn compare(session: &Session) -> Result<Comparison, TooMany> {
    let mut out = Comparison::default();
    let mut seen = BTreeSet::new();
    let mut open: Vec<OpenItem<'_>> = Vec::new();
    for (line, event) in &session.events {
        match event {
            Event::Message(_) | Event::Tool(_) => {}
            Event::Item(kind, text) => {
                if seen.insert((*kind, folded(text))) {
                    open.push(OpenItem {
                        kind: *kind,
                        line: *line,
                        text,
                        said: Statement::of(text),
                    });
                }
            }
            Event::Done(text) => {
                let done = folded(text);
                open.retain(|item| item.kind != ItemKind::Todo || folded(item.text) != done);
                seen.remove(&(ItemKind::Todo, done));
            }
            Event::Compaction(text) => {
                out.compactions += 1;
                let summary = Summary::of(text);
                open.retain(|item| {
                    let holds = summary.holds(item.kind, &item.said);
                    if !holds {
                        out.lost.push(LostItem {
                            kind: item.kind,
                            text: item.text.to_owned(),
                            line: item.line,
                            compaction: *line,
                        });
                    }
                    holds
                });
            }
        }
        if seen.len() > MOST || out.compactions > MOST {
            return Err(TooMany);
        }
    }
    for (kind, count) in ItemKind::ALL.iter().zip(&mut out.items) {
        *count = seen.iter().filter(|(of, _)| of == kind).count();
    }
    Ok(out)
}

/// An item that the next compaction has to keep.
struct OpenItem<'s> {
    kind: ItemKind,
    line: u64,
    text: &'s str,
    said: Statement,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(decisions: &[&str], summary: &str) -> Vec<String> {
        let mut events: Vec<(u64, Event)> = (1..)
            .zip(decisions)
            .map(|(n, d)| (n, Event::Item(ItemKind::Decision, (*d).to_owned())))
            .collect();
        events.push((99, Event::Compaction(summary.to_owned())));
        let compared = compare(&Session {
            events,
            unreadable: Vec::new(),
        })
        .unwrap();
        assert_eq!(
            (compared.compactions, compared.items),
            (1, [decisions.len(), 0, 0, 0])
        );
        compared.lost.into_iter().map(|l| l.text).collect()
    }

    #[test]
    fn what_is_said_again_is_kept() {
        assert!(lost(&["Use SQLite"], "- use  sqlite.").is_empty());
        let around = "The index uses no server. We decided to use SQLite for an index; done";
        assert!(lost(&["use SQLite for the index"], around).is_empty());
        assert!(
            lost(
                &["使用 SQLite 存储索引"],
                "决定：使用 SQLite 存储索引。然后测试"
            )
            .is_empty()
        );
        assert!(lost(&["do it"], "do it").is_empty());
    }

    #[test]
    fn what_is_missing_or_turned_round_is_lost() {
        for summary in [
            "",
            "use Postgres",
            "do not use SQLite",
            "use it. SQLite",
            "never use SQLite",
        ] {
            assert_eq!(lost(&["use SQLite"], summary), ["use SQLite"], "{summary}");
        }
        assert_eq!(lost(&["do not push to main"], "push to main").len(), 1);
        assert_eq!(lost(&["不使用网络"], "使用网络").len(), 1);
        assert_eq!(lost(&["do it"], "something else").len(), 1);
    }

    #[test]
    fn what_has_several_sentences_is_kept_by_all_of_them() {
        for decision in [
            "Use SQLite. Do not use Postgres",
            "使用 SQLite。不用网络",
            "Use SQLite; keep WAL",
            "Use SQLite.\nKeep WAL.",
        ] {
            assert!(lost(&[decision], decision).is_empty(), "{decision}");
            assert!(
                lost(&[decision], &format!("- {decision}")).is_empty(),
                "{decision}"
            );
            assert!(
                lost(
                    &[decision],
                    &format!("We agreed:\n* {decision}\nand went on")
                )
                .is_empty(),
                "{decision}"
            );
            assert_eq!(
                lost(&[decision], "Use SQLite. 使用 SQLite").len(),
                1,
                "{decision}"
            );
        }
        for decision in [
            "…",
            "use C++",
            "**use** `a.toml`",
            "keep e-mail; don't log it!",
            "a == b",
            "is it? yes",
            "-5 is least",
        ] {
            assert!(
                lost(&[decision], &format!("first\n- {decision}\nlast")).is_empty(),
                "{decision}"
            );
        }
    }

    #[test]
    fn what_says_something_else_in_nearly_the_same_words_is_lost() {
        for (decision, summary) in [
            ("keep retries > 3", "keep retries < 3"),
            ("a == b", "a != b"),
            ("limit is 1.5", "limit is 5.1"),
            ("limit is 1.5", "limit is 1 5"),
            ("temperature -5", "temperature 5"),
            ("temperature 5", "temperature -5"),
            ("use C++", "use C"),
            ("use C", "use C++"),
            ("prefer Rust over Go", "prefer Go over Rust"),
            ("copy from a to b", "copy to a from b"),
            ("push to main", "push to main is forbidden"),
            ("push to main", "push to main?"),
            ("push to main", "~~push to main~~"),
            ("push to main", "push to main, if ever"),
            ("delete branch", "refuse to delete branch"),
            ("use SQLite", "we rejected the proposal to use SQLite"),
            ("use SQLite", "we don’t use SQLite"),
            ("use SQLite", "use SQLite is what nobody wants"),
            ("use SQLite", "## Rejected\n- use SQLite"),
            ("use SQLite", "These were discarded:\n- use SQLite"),
            ("允许写入", "禁止允许写入"),
            ("采用方案甲", "拒绝采用方案甲"),
            ("启用缓存", "未启用缓存"),
            ("启用缓存", "停止启用缓存"),
            ("启用缓存", "启用缓存被否决"),
            ("启用缓存", "不做的事：\n启用缓存"),
        ] {
            assert_eq!(lost(&[decision], summary), [decision], "{summary}");
        }
        assert!(lost(&["启用缓存"], "我们决定启用缓存").is_empty());
        assert!(
            lost(
                &["use SQLite"],
                "## Rejected\n- use Postgres\n## Decided\n- use SQLite"
            )
            .is_empty()
        );
    }

    #[test]
    fn every_compaction_has_to_keep_it_and_the_first_that_does_not_is_named() {
        let decision = |line, text: &str| (line, Event::Item(ItemKind::Decision, text.into()));
        let compaction = |line, text: &str| (line, Event::Compaction(text.into()));
        let events = vec![
            decision(1, "alpha"),
            compaction(2, "alpha"),
            decision(3, "beta"),
            compaction(4, "beta"),
            compaction(5, ""),
        ];
        let compared = compare(&Session {
            events,
            unreadable: Vec::new(),
        })
        .unwrap();
        let lost: Vec<(u64, u64)> = compared
            .lost
            .iter()
            .map(|l| (l.line, l.compaction))
            .collect();
        assert_eq!(lost, [(1, 4), (3, 5)]);
        let many = (0..=MOST as u64)
            .map(|n| decision(n, &n.to_string()))
            .collect();
        assert_eq!(
            compare(&Session {
                events: many,
                unreadable: Vec::new()
            }),
            Err(TooMany)
        );
    }

    #[test]
    fn other_items_are_kept_too_and_to_dos_until_they_are_done() {
        let item = |kind, text: &str| (1, Event::Item(kind, text.into()));
        let compaction = |text: &str| (9, Event::Compaction(text.into()));
        let lost = |events: Vec<(u64, Event)>| {
            let session = Session {
                events,
                unreadable: Vec::new(),
            };
            let lost = compare(&session).unwrap().lost;
            lost.into_iter().map(|l| l.kind).collect::<Vec<_>>()
        };
        for kind in ItemKind::ALL {
            let text = "the port is 8080";
            assert!(lost(vec![item(kind, text), compaction("- The port is 8080.")]).is_empty());
            assert_eq!(lost(vec![item(kind, text), compaction("")]), [kind]);
            let expected = match kind {
                ItemKind::Todo => vec![],
                other => vec![other],
            };
            assert_eq!(
                lost(vec![
                    item(kind, text),
                    compaction("TODO:\n- the port is 8080")
                ]),
                expected
            );
        }
        let done = (2, Event::Done("Write  docs".into()));
        assert!(
            lost(vec![
                item(ItemKind::Todo, "write docs"),
                done.clone(),
                compaction("")
            ])
            .is_empty()
        );
        assert_eq!(
            lost(vec![
                item(ItemKind::Fact, "write docs"),
                done,
                compaction("")
            ]),
            [ItemKind::Fact]
        );
    }
}
