//! Credentials in text.
//!
//! A secret is a long run of characters without spaces or quotes, and little other text is. The
//! scan first finds these runs, and in them the literals that start a known kind of token (`ghp_`,
//! `AKIA`, …). A pattern is only tried at its literal, over a bounded number of bytes. The work is
//! therefore linear in the length of the text.

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
use util::hex;
use visible::Visible;

/// A credential in a text.
#[derive(Debug, Clone, Copy)]
pub struct Secret<'t> {
    /// The rule that found it.
    pub rule: &'t Rule,
    /// Start of the secret part, as a byte offset.
    pub start: usize,
    /// End of the secret part, as a byte offset.
    pub end: usize,
    /// Whether the checksum is valid; `None` if this kind of secret has none.
    pub checksum: Option<bool>,
}

/// The start of the first line of a private key.
static BEGINS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("-----BEGIN "));
/// A part of the first line of every private key.
static PRIVATE_KEY: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("PRIVATE KEY"));
/// Length in bytes of the shortest token that may consist of letters alone.
const SHORTEST: usize = 16;
/// Number of bytes over which a pattern is tried. A token may continue after them.
const LONGEST: usize = 16 << 10;
/// Maximum length in bytes of a match whose literal isn't at its start.
const LONGEST_AROUND: usize = 512;
/// Maximum length in bytes of user, password and host in a URL.
const AUTHORITY: usize = 512;
/// Number of bytes that may follow in a name after the word that marks it as secret.
const NAME_END: usize = 33;

/// Returns at most `length` bytes from `at` on.
fn ahead(bytes: &[u8], at: usize, length: usize) -> &[u8] {
    bytes
        .get(at..(at + length).min(bytes.len()))
        .unwrap_or_default()
}

/// Returns whether a run may contain a secret or the name of one. Prefixes of tokens and names of
/// secrets have letters. Tokens and values have digits or capitals, or follow a `=` or `:`.
const fn may_matter(run: runs::Kinds) -> bool {
    run.has_marker && run.letter
}

/// A cache of runs without literals. Records repeat paths, hashes and ids.
#[derive(Debug)]
struct RunCache<'t>([&'t [u8]; 64]);

impl Default for RunCache<'_> {
    fn default() -> Self {
        Self([&[]; 64])
    }
}

impl<'t> RunCache<'t> {
    /// Returns the only slot in which a run can be cached.
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

    /// Returns whether a run contains a literal, and caches the run if not.
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

/// Returns whether escaped text of a JSON record may contain a secret. Errs on the side of true,
/// since a pattern may match a character that is written as an escape.
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
        // A short word isn't a token: the shortest have sixteen characters, and others a digit or a
        // symbol.
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

/// Finds the secrets in a text. They are sorted and don't overlap. A token split by invisible
/// characters or colours is found too.
#[must_use]
pub fn find<'t>(table: &'t Table, text: &str) -> Vec<Secret<'t>> {
    let mut all = find_all(table, text);
    if let Some(visible) = Visible::new(text) {
        let split = find_all(table, &visible.text).into_iter();
        all.extend(split.map(|secret| secret.at_range(visible.origin(secret.start..secret.end))));
    }
    without_overlaps(all)
}

/// Finds the secrets in a text, unsorted and possibly overlapping.
fn find_all<'t>(table: &'t Table, text: &str) -> Vec<Secret<'t>> {
    let bytes = text.as_bytes();
    let mut all = keys(table, text);
    // The end of the last match. Literals inside it aren't tried again.
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
                    let (end, secret) = try_rule(table, rule, bytes, at);
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

/// Finds the private keys in a text. They have spaces in their first line, so runs don't find them.
pub(super) fn keys<'t>(table: &'t Table, text: &str) -> Vec<Secret<'t>> {
    let bytes = text.as_bytes();
    BEGINS
        .find_iter(bytes)
        .filter_map(|at| {
            table
                .rules
                .first()
                .and_then(|rule| try_rule(table, rule, bytes, at).1)
        })
        .collect()
}

/// Finds the secret in the value of an object's member, whose name is known.
pub(super) fn named<'t>(table: &'t Table, name: &str, value: &str) -> Option<Secret<'t>> {
    let visible = Visible::new(value);
    let plain = visible.as_ref().map_or(value, |visible| &visible.text);
    let secret = named_plain(table, name, plain)?;
    Some(match visible {
        Some(visible) => secret.at_range(visible.origin(secret.start..secret.end)),
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

/// Sorts findings and drops those that overlap another one. The more specific rule wins.
fn without_overlaps(mut all: Vec<Secret<'_>>) -> Vec<Secret<'_>> {
    all.sort_by_key(|s| (s.rule.generic, s.start, std::cmp::Reverse(s.end)));
    let mut kept: Vec<Secret<'_>> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    for secret in all {
        // The kept ranges don't overlap, so of those that start before its end, the last one ends
        // last.
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

/// Tries a rule at a literal. Returns the end of its match, and the secret if there is one.
fn try_rule<'t>(
    table: &Table,
    rule: &'t Rule,
    bytes: &[u8],
    at: usize,
) -> (usize, Option<Secret<'t>>) {
    // The literal inside a longer word isn't the start of a token.
    if rule.back == 0 && !begins_word(bytes, at) {
        return (0, None);
    }
    let reach = if rule.back == 0 {
        LONGEST
    } else {
        LONGEST_AROUND
    };
    let captures = |from: usize| {
        let window = ahead(bytes, from, reach);
        let captures = rule.pattern()?.captures(window)?;
        Some((from, window, captures.get(0)?, captures))
    };
    let first = at.saturating_sub(rule.back);
    // To a pattern, the last letter of an escape looks like a part of the word after it.
    let behind_escape = || captures(last_escape(bytes, first, at).filter(|_| rule.back > 0)?);
    let Some((from, window, whole, captures)) = captures(first).or_else(behind_escape) else {
        return (0, None);
    };
    let (begin, mut end) = (from + whole.start(), from + whole.end());
    // The match reaches the end of the window, so the token may continue after it.
    let cut = rule.back == 0 && whole.end() == window.len();
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
    // A valid checksum is no coincidence, so the token needn't look random. A block is a key if one
    // of its lines looks random.
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
    // A generic rule reports only the secret, any other rule the whole token with its prefix.
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

/// Returns whether a value looks random, and not like a placeholder.
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

/// Finds an assignment inside one run: `NAME=value`, `--name=value`, `name:value`. `behind` is the
/// end of the word that marks the name as secret.
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
    // In a query string, the next parameter follows.
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

/// Returns whether the value is an example from a vendor's documentation.
fn is_example(table: &Table, bytes: &[u8], found: &Secret<'_>) -> bool {
    let value = bytes.get(found.start..found.end).unwrap_or_default();
    value.len() < 1024 && table.examples.contains(&hex(&Sha256::digest(value)))
}

impl Secret<'_> {
    /// Returns the secret with another range.
    const fn at_range(self, place: Range<usize>) -> Self {
        Self {
            start: place.start,
            end: place.end,
            ..self
        }
    }

    /// Describes a secret without revealing it: its first characters, its length, and a hash that
    /// shows whether two findings are the same. The hash has 32 bits, too few to confirm a guess.
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
