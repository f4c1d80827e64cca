//! Credentials in text.
//!
//! A secret is a long run of characters without space or quote, and nearly no text consists of
//! those. So the long runs are found first, and in them the literals that begin a known kind of
//! token (`ghp_`, `AKIA`, …). A pattern is tried at the place of its literal only, over a bounded
//! stretch: the work grows with the length of the text and nothing else.

mod assigned;
mod boundary;
mod check;
pub mod corpus;
pub(super) mod key;
pub mod sample;
mod table;
pub(super) mod visible;

pub use table::{Rule, Table, TableError};

use super::escapes::Escapes;
use super::runs::{self, Run};
use assigned::{VALUE, is_secret_name, is_secret_value, name_before};
use boundary::{begins_word, is_word, last_escape};
use check::{counted_runs, entropy, is_placeholder};
use memchr::memmem::Finder;
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::sync::LazyLock;
use table::LiteralKind;
use visible::Visible;

/// A credential in a text.
#[derive(Debug, Clone, Copy)]
pub struct Secret<'t> {
    /// The rule that found it.
    pub rule: &'t Rule,
    /// Byte offset of the secret part.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Whether a checksum that it should have holds.
    pub checksum: Option<bool>,
}

/// The beginning of the first line of a private key.
static BEGINS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("-----BEGIN "));
/// A part of the first line of every private key.
static PRIVATE_KEY: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("PRIVATE KEY"));
/// Bytes of the shortest token that may consist of letters alone.
const SHORTEST: usize = 16;
/// Bytes that a pattern is tried over. What it matches may go on behind them.
const LONGEST: usize = 16 << 10;
/// Bytes that a match may have whose literal doesn't stand at its beginning.
const LONGEST_AROUND: usize = 512;
/// Bytes that user, password and host of a URL may have.
const AUTHORITY: usize = 512;
/// Bytes that may follow in a name behind the word that makes it secret.
const NAME_END: usize = 33;

/// At most `length` bytes from `at` on.
fn ahead(bytes: &[u8], at: usize, length: usize) -> &[u8] {
    bytes
        .get(at..(at + length).min(bytes.len()))
        .unwrap_or_default()
}

/// Whether a run may hold a secret or be one. A prefix of a token and the name of a secret have
/// letters. Tokens and values have digits or capitals, or follow a `=` or `:`.
const fn may_matter(run: runs::Kinds) -> bool {
    run.tells && run.letter
}

/// A cache of runs of one text that hold no literal: records repeat paths, hashes and ids.
#[derive(Debug)]
struct RunCache<'t>([&'t [u8]; 64]);

impl Default for RunCache<'_> {
    fn default() -> Self {
        Self([&[]; 64])
    }
}

impl<'t> RunCache<'t> {
    /// The place of a run; there is one for each.
    fn slot(&mut self, run: &[u8]) -> Option<&mut &'t [u8]> {
        let ends = run
            .first()
            .zip(run.last())
            .map_or(0, |(a, b)| usize::from(*a) + usize::from(*b) * 3);
        let middle = run
            .get(run.len() / 2)
            .map_or(0, |byte| usize::from(*byte) * 7);
        let slot = (run.len() + ends + middle) % self.0.len();
        self.0.get_mut(slot)
    }

    /// Whether a run holds a literal. Remembers it if not.
    fn has_literal(&mut self, table: &Table, run: &'t [u8]) -> bool {
        if self.slot(run).is_some_and(|known| *known == run) {
            return false;
        }
        let has = table.has_literal(run);
        if !has && let Some(slot) = self.slot(run) {
            *slot = run;
        }
        has
    }
}

/// Whether text as it is written in a JSON record may hold a secret. Errs on the side of yes: a
/// pattern may expect a character that is written as an escape.
pub(super) fn may_hold(table: &Table, text: &str, escapes: Escapes) -> bool {
    let bytes = text.as_bytes();
    let printable = |at: usize| matches!(bytes.get(at + 4), Some(b'2'..=b'7'));
    if escapes.slash
        || escapes.unicode && memchr::memmem::find_iter(bytes, br"\u00").any(printable)
        || PRIVATE_KEY.find(bytes).is_some()
    {
        return true;
    }
    let mut found = false;
    let mut cache = RunCache::default();
    runs::each(bytes, |Run { range: run, kinds }| {
        if !may_matter(kinds) {
            return true;
        }
        let text = bytes.get(run.clone()).unwrap_or_default();
        // A short word is no token: the shortest have sixteen characters, the others a digit or a
        // sign.
        let word = kinds.only_letters && text.len() < SHORTEST;
        found = !word
            && cache.has_literal(table, text)
            && table.literals(text).any(|(m, announced)| match announced {
                LiteralKind::Rule(_) if text.get(m.range()) == Some(b"://") => {
                    memchr::memchr(b'@', ahead(text, m.end(), AUTHORITY)).is_some()
                }
                LiteralKind::Rule(_) => true,
                LiteralKind::Name => {
                    memchr::memchr2(b'=', b':', ahead(text, m.end(), NAME_END)).is_some()
                }
            })
            || name_before(bytes, run.start).is_some_and(|(name, assigns)| {
                is_secret_name(table, bytes.get(name).unwrap_or_default(), assigns)
            });
        !found
    });
    found
}

/// Finds the secrets of a text, in order, none inside another. A token that invisible characters or
/// colours split is found as well.
#[must_use]
pub fn find<'t>(table: &'t Table, text: &str) -> Vec<Secret<'t>> {
    let mut all = find_all(table, text);
    if let Some(visible) = Visible::new(text) {
        let split = find_all(table, &visible.text).into_iter();
        all.extend(split.map(|secret| secret.moved(visible.origin(secret.start..secret.end))));
    }
    settle(all)
}

/// Finds the secrets of a text, in no order; some may overlap.
fn find_all<'t>(table: &'t Table, text: &str) -> Vec<Secret<'t>> {
    let bytes = text.as_bytes();
    let mut all = keys(table, text);
    // What a pattern has gone over isn't tried again from a literal inside.
    let mut tried = 0;
    runs::each(bytes, |Run { range: run, kinds }| {
        if !may_matter(kinds) {
            return true;
        }
        let text = bytes.get(run.clone()).unwrap_or_default();
        for (found, announced) in table.literals(text) {
            let at = run.start + found.start();
            let rule = if let LiteralKind::Rule(n) = announced {
                table.rules.get(n)
            } else {
                None
            };
            match rule {
                Some(_) if at < tried => {}
                Some(rule) => {
                    let (end, secret) = matched(table, rule, bytes, at);
                    tried = tried.max(if rule.generic { 0 } else { end });
                    all.extend(secret);
                }
                None => all.extend(assignment_in(
                    table,
                    bytes,
                    run.start..run.end,
                    run.start + found.end(),
                )),
            }
        }
        if let Some((name, assigns)) = name_before(bytes, run.start)
            && is_secret_name(table, bytes.get(name).unwrap_or_default(), assigns)
        {
            all.extend(assigned_value(table, bytes, run));
        }
        true
    });
    all
}

/// Finds the private keys of a text: the one kind of secret whose beginning holds spaces.
pub(super) fn keys<'t>(table: &'t Table, text: &str) -> Vec<Secret<'t>> {
    let bytes = text.as_bytes();
    BEGINS
        .find_iter(bytes)
        .filter_map(|at| {
            table
                .rules
                .first()
                .and_then(|rule| matched(table, rule, bytes, at).1)
        })
        .collect()
}

/// A value whose name is known from elsewhere: the member of an object.
pub(super) fn named<'t>(table: &'t Table, name: &str, value: &str) -> Option<Secret<'t>> {
    let visible = Visible::new(value);
    let plain = visible.as_ref().map_or(value, |visible| &visible.text);
    let secret = named_plain(table, name, plain)?;
    Some(match visible {
        Some(visible) => secret.moved(visible.origin(secret.start..secret.end)),
        None => secret,
    })
}

fn named_plain<'t>(table: &'t Table, name: &str, value: &str) -> Option<Secret<'t>> {
    if value.len() > *VALUE.end()
        || !value.bytes().all(|b| b.is_ascii_graphic())
        || !is_secret_name(table, name.as_bytes(), true)
    {
        return None;
    }
    assigned_value(table, value.as_bytes(), 0..value.len())
}

/// Sorts findings and drops those that overlap another one: the more specific rule wins.
fn settle(mut all: Vec<Secret<'_>>) -> Vec<Secret<'_>> {
    all.sort_by_key(|s| (s.rule.generic, s.start, std::cmp::Reverse(s.end)));
    let mut kept: Vec<Secret<'_>> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    for secret in all {
        // Of those that begin before its end, the last one ends last: they don't overlap.
        let overlaps = known
            .range(..secret.end)
            .next_back()
            .is_some_and(|(_, end)| *end > secret.start);
        if !overlaps {
            known.insert(secret.start, secret.end);
            kept.push(secret);
        }
    }
    kept.sort_by_key(|s| s.start);
    kept
}

/// Tries a rule at a literal. Also returns where its match ends.
fn matched<'t>(
    table: &Table,
    rule: &'t Rule,
    bytes: &[u8],
    at: usize,
) -> (usize, Option<Secret<'t>>) {
    // A part of a longer word is no token.
    if rule.back == 0 && !begins_word(bytes, at) {
        return (0, None);
    }
    let reach = if rule.back == 0 {
        LONGEST
    } else {
        LONGEST_AROUND
    };
    let captures = |from: usize| {
        let stretch = ahead(bytes, from, reach);
        let captures = rule.pattern()?.captures(stretch)?;
        Some((from, stretch, captures.get(0)?, captures))
    };
    let first = at.saturating_sub(rule.back);
    // To a pattern, the last letter of an escape is a part of the word behind it.
    let behind_escape = || captures(last_escape(bytes, first, at).filter(|_| rule.back > 0)?);
    let Some((from, stretch, whole, captures)) = captures(first).or_else(behind_escape) else {
        return (0, None);
    };
    let (begin, mut end) = (from + whole.start(), from + whole.end());
    // What the stretch has cut off, and not the text.
    let cut = rule.back == 0 && whole.end() == stretch.len();
    if rule.block {
        if !whole.as_bytes().ends_with(b"-----") {
            end = key::end(bytes, end);
        }
    } else if cut {
        end += bytes
            .get(end..)
            .unwrap_or_default()
            .iter()
            .take_while(|b| is_word(**b))
            .count();
    } else if !begins_word(bytes, begin) || bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) {
        return (end, None);
    }
    let group = captures.get(1).unwrap_or(whole);
    let secret = group.as_bytes();
    let checksum = rule.checksum.map(|c| c.holds(secret));
    // A valid checksum is no coincidence, whatever the token says. A key is one if one of its lines
    // is, whatever surrounds that.
    let is_random = || {
        let body = bytes.get(from + group.start()..end).unwrap_or_default();
        is_random_value(rule, secret)
            || rule.block
                && key::runs(body).any(|(a, b)| {
                    body.get(a..b)
                        .is_some_and(|line| is_random_value(rule, line))
                })
    };
    if checksum != Some(true) && !is_random() {
        return (end, None);
    }
    // What is reported is the whole token, its beginning included; of a generic pattern only the
    // secret.
    let (start, stop) = if rule.generic {
        (from + group.start(), from + group.end())
    } else {
        (begin, end)
    };
    let found = Secret {
        rule,
        start,
        end: stop,
        checksum,
    };
    (end, (!is_example(table, bytes, &found)).then_some(found))
}

/// Whether what has the shape of a secret looks random, and not like a placeholder.
fn is_random_value(rule: &Rule, secret: &[u8]) -> bool {
    let (equal, counted) = counted_runs(secret);
    let is_text = secret.len() <= 256 && (equal > 5 || counted > 8 || is_placeholder(secret));
    entropy(secret) >= rule.entropy
        && !is_text
        && !rule
            .never
            .iter()
            .any(|n| n.as_bytes().eq_ignore_ascii_case(secret))
}

/// An assignment inside one run: `NAME=value`, `--name=value`, `name:value`. `behind` is where the
/// word ends that makes the name secret.
fn assignment_in<'t>(
    table: &'t Table,
    bytes: &[u8],
    run: Range<usize>,
    behind: usize,
) -> Option<Secret<'t>> {
    let rest = bytes.get(behind..run.end)?;
    let sign = rest
        .iter()
        .take(NAME_END)
        .position(|b| matches!(b, b'=' | b':'))?;
    let mut value = behind + sign + 1;
    while matches!(bytes.get(value), Some(b'=' | b':')) && value < run.end {
        value += 1;
    }
    let sign_at = behind + sign;
    let before = bytes.get(run.start.max(sign_at.saturating_sub(64))..sign_at)?;
    let begin = before
        .iter()
        .rposition(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')))
        .map_or(0, |n| n + 1);
    let name = before.get(begin..)?;
    if !is_secret_name(table, name, true) {
        return None;
    }
    // In a query the next parameter follows.
    let most = run.end.min(value + VALUE.end() + 1);
    let end = bytes
        .get(value..most)?
        .iter()
        .position(|b| *b == b'&')
        .map_or(most, |n| value + n);
    assigned_value(table, bytes, value..end)
}

fn assigned_value<'t>(table: &'t Table, bytes: &[u8], mut at: Range<usize>) -> Option<Secret<'t>> {
    while at.end > at.start
        && matches!(
            bytes.get(at.end - 1),
            Some(b'.' | b':' | b',' | b'!' | b'?')
        )
    {
        at.end -= 1;
    }
    let found = Secret {
        rule: table.rules.last()?,
        start: at.start,
        end: at.end,
        checksum: None,
    };
    (is_secret_value(bytes.get(at)?) && !is_example(table, bytes, &found)).then_some(found)
}

/// Whether a vendor prints this very value in its documentation.
fn is_example(table: &Table, bytes: &[u8], found: &Secret<'_>) -> bool {
    let value = bytes.get(found.start..found.end).unwrap_or_default();
    value.len() < 1024 && table.examples.contains(&hex(&Sha256::digest(value)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

impl Secret<'_> {
    /// The same secret at another place.
    const fn moved(self, place: Range<usize>) -> Self {
        Self {
            start: place.start,
            end: place.end,
            ..self
        }
    }

    /// Says what was found without saying it: the first characters, the length, and a hash that
    /// tells whether two findings are about the same. It has 32 bits, too few to confirm a guess by
    /// it.
    #[must_use]
    pub fn describe(&self, text: &str) -> String {
        let value = text.get(self.start..self.end).unwrap_or_default();
        let visible = Visible::new(value).map(|visible| visible.text);
        let value = visible.as_deref().unwrap_or(value);
        let length = value.chars().count();
        let shown: String = value.chars().take((length / 5).min(4)).collect();
        let hash: String = hex(&Sha256::digest(value)).chars().take(8).collect();
        let doubt = if self.checksum == Some(false) {
            "; its checksum doesn't fit"
        } else {
            ""
        };
        let about = &self.rule.about;
        format!(
            "{about} is here: `{shown}…`, {length} characters, SHA-256 {hash}… ({}{doubt})",
            self.rule.id
        )
    }
}

#[cfg(test)]
mod tests;
