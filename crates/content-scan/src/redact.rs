//! Removes credentials from text and keeps everything else byte for byte.

use super::frames::{Frames, Spread};
use super::secret::visible::Visible;
use super::secret::{Table, find, key};
use super::secrets;
use super::strings;
use aho_corasick::{AhoCorasick, MatchKind};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use strict_json::{Str, from_text};

/// Maximum number of rounds. A replacement may complete something that then looks like a secret.
const ROUNDS: usize = 4;
/// Minimum length in bytes of a secret that is removed everywhere. A shorter one may be a word.
const SHORTEST: usize = 8;

/// Why secrets couldn't be removed from a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RedactError {
    /// Every round finds something that looks like a secret.
    #[error("what looks like a secret remains, whatever is put in its place")]
    Remains,
    /// There are too many different secrets.
    #[error("there are too many different secrets to look for")]
    TooMany,
}

/// The decoded secrets of several texts.
#[derive(Debug, Default)]
pub struct Gathered {
    values: BTreeSet<String>,
}

impl Gathered {
    /// Adds the secrets of a text. `valid` says whether it is valid JSON.
    pub fn add(&mut self, text: &str, valid: bool) {
        for place in secrets(text, valid).places {
            self.add_value(decode_visible(text.get(place).unwrap_or_default()));
        }
    }

    /// Adds the secrets that span several frames of a recording.
    pub fn add_frames<'t>(&mut self, lines: impl Iterator<Item = &'t str>) {
        for spread in Frames::default().read(lines) {
            self.add_value(spread.secret);
        }
    }

    /// Adds a secret. Each line of a private key is added too, since it may appear elsewhere.
    fn add_value(&mut self, secret: String) {
        if secret.contains('\n') || secret.contains("-----") {
            self.values.extend(key::lines(&secret).map(str::to_owned));
        }
        if secret.len() >= SHORTEST && !key::is_marker(&secret) {
            self.values.insert(secret);
        }
    }

    /// Returns the number of different secrets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no secrets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Creates a redactor for the secrets.
    ///
    /// # Errors
    /// Fails if there are too many.
    pub fn redactor(self) -> Result<Redactor, RedactError> {
        let known = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&self.values);
        Ok(Redactor {
            known: if self.values.is_empty() {
                None
            } else {
                Some(known.map_err(|_| RedactError::TooMany)?)
            },
        })
    }
}

/// Removes secrets from texts: those that it finds there, and the gathered ones anywhere.
#[derive(Debug)]
pub struct Redactor {
    known: Option<AhoCorasick>,
}

impl Redactor {
    /// Returns the text without its secrets, and the number of replacements.
    ///
    /// A secret is replaced by `REDACTED_` and the first 32 bits of its SHA-256 in hexadecimal, so
    /// that equal secrets stay equal. Line breaks inside a secret are kept.
    ///
    /// # Errors
    /// Fails if the text still contains what looks like a secret.
    pub fn redact(&self, text: &str, valid: bool) -> Result<(String, usize), RedactError> {
        let mut text = text.to_owned();
        let mut replaced = 0;
        for _ in 0..ROUNDS {
            let places = self.places(&text, valid);
            if places.is_empty() {
                return Ok((text, replaced));
            }
            replaced += places.len();
            let mut out = String::with_capacity(text.len());
            let mut from = 0;
            for place in places {
                out.push_str(text.get(from..place.start).unwrap_or_default());
                out.push_str(&replacement(text.get(place.clone()).unwrap_or_default()));
                from = place.end;
            }
            out.push_str(text.get(from..).unwrap_or_default());
            text = out;
        }
        if self.places(&text, valid).is_empty() {
            Ok((text, replaced))
        } else {
            Err(RedactError::Remains)
        }
    }

    /// Removes secrets that span several lines of a recording. Returns the changed lines, with
    /// `None` for an unchanged one, and the number of secrets. The replacement is at the start of
    /// each secret.
    ///
    /// # Errors
    /// Fails if the lines still contain what looks like a secret.
    pub fn redact_frames(
        &self,
        lines: &[&str],
    ) -> Result<(Vec<Option<String>>, usize), RedactError> {
        let mut changed: Vec<Option<String>> = vec![None; lines.len()];
        let mut replaced = 0;
        for _ in 0..ROUNDS {
            let now = || {
                lines
                    .iter()
                    .zip(&changed)
                    .map(|(line, new)| new.as_deref().unwrap_or(line))
            };
            let found = self.spread(now());
            if found.is_empty() {
                return Ok((changed, replaced));
            }
            replaced += found.len();
            let mut edits: BTreeMap<usize, Vec<(Range<usize>, String)>> = BTreeMap::new();
            for spread in found {
                let mut tag = tag(&spread.secret);
                for (number, place) in spread.pieces {
                    edits
                        .entry(number)
                        .or_default()
                        .push((place, std::mem::take(&mut tag)));
                }
            }
            for (number, edits) in edits {
                let (Some(line), Some(new)) = (lines.get(number), changed.get_mut(number)) else {
                    continue;
                };
                let line = new.as_deref().unwrap_or(line);
                let (mut out, mut from) = (String::with_capacity(line.len()), 0);
                for (place, tag) in edits {
                    out.push_str(line.get(from..place.start).unwrap_or_default());
                    out.push_str(&tag);
                    out.push_str(&line_ends(line.get(place.clone()).unwrap_or_default()));
                    from = place.end;
                }
                out.push_str(line.get(from..).unwrap_or_default());
                *new = Some(out);
            }
        }
        Err(RedactError::Remains)
    }

    /// Finds the secrets that span several of the lines. They are sorted and don't overlap.
    fn spread<'t>(&self, lines: impl Iterator<Item = &'t str>) -> Vec<Spread> {
        let table = Table::shipped().ok();
        Frames::default().read_for(lines, |text| {
            let known = self
                .known
                .iter()
                .flat_map(|known| known.find_iter(text).map(|m| m.range()));
            let found = table
                .iter()
                .flat_map(|table| find(table, text))
                .map(|s| s.start..s.end);
            merge_overlaps(known.chain(found).collect())
                .into_iter()
                .map(|place| (place, String::new()))
                .collect()
        })
    }

    /// Returns the ranges of all secrets. They are sorted and don't overlap.
    fn places(&self, text: &str, valid: bool) -> Vec<Range<usize>> {
        let mut all = secrets(text, valid).places;
        if let Some(known) = &self.known {
            strings::each(text, |string| {
                let decoded = string.decode(text);
                let mut offsets = string.offsets(&decoded);
                all.extend(known.find_iter(&*decoded).map(|m| offsets.range(m.range())));
            });
            if !valid {
                all.extend(known.find_iter(text).map(|m| m.range()));
            }
        }
        merge_overlaps(all)
    }
}

/// Sorts ranges and merges those that overlap.
fn merge_overlaps(mut all: Vec<Range<usize>>) -> Vec<Range<usize>> {
    all.sort_by_key(|place| (place.start, place.end));
    let mut places: Vec<Range<usize>> = Vec::with_capacity(all.len());
    for place in all {
        match places.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => places.push(place),
        }
    }
    places
}

/// Returns whether an object in a text has a member with one of these names, in any spelling.
#[must_use]
pub fn has_member(text: &str, names: &[&str]) -> bool {
    let mut has = false;
    strings::each(text, |string| {
        has |= string.is_name && names.contains(&&*string.decode(text));
    });
    has
}

/// Decodes escaped text and removes invisible parts, so that equal tokens are equal however they
/// are split.
fn decode_visible(written: &str) -> String {
    let meant = unescaped(written);
    match Visible::new(&meant) {
        Some(visible) => visible.text,
        None => meant,
    }
}

fn unescaped(written: &str) -> String {
    let read = written.contains('\\').then(|| {
        from_text::<Str<'_>>(&format!("\"{written}\""))
            .ok()
            .map(|s| s.decode().into_owned())
    });
    read.flatten().unwrap_or_else(|| written.to_owned())
}

/// Returns the replacement for a secret. It needs no escaping and has no meaning to a shell.
fn tag(secret: &str) -> String {
    let hash: String = Sha256::digest(secret)
        .iter()
        .take(4)
        .map(|b| format!("{b:02x}"))
        .collect();
    format!("REDACTED_{hash}")
}

/// Returns the replacement with the line breaks of the secret.
fn replacement(written: &str) -> String {
    let tag = tag(&decode_visible(written));
    let mut out = String::new();
    for (n, line) in lines(written).into_iter().enumerate() {
        if n > 0 {
            out.push_str("\\n");
            // In a diff, the first column isn't a part of the secret.
            out.extend(line.chars().next().filter(|c| matches!(c, '+' | '-' | ' ')));
        }
        out.push_str(&tag);
        if line.ends_with("\\r") {
            out.push_str("\\r");
        }
    }
    out
}

/// Returns the line breaks inside a piece of a secret.
fn line_ends(written: &str) -> String {
    let ends: Vec<&str> = lines(written)
        .into_iter()
        .map(|line| if line.ends_with("\\r") { "\\r" } else { "" })
        .collect();
    ends.join("\\n")
}

/// Splits escaped text at its escaped line breaks.
fn lines(written: &str) -> Vec<&str> {
    let bytes = written.as_bytes();
    let (mut lines, mut from, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        if bytes.get(at) == Some(&b'\\') {
            if bytes.get(at + 1) == Some(&b'n') {
                lines.push(written.get(from..at).unwrap_or_default());
                from = at + 2;
            }
            at += 1;
        }
        at += 1;
    }
    lines.push(written.get(from..).unwrap_or_default());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::sample::fill;
    use proptest::prelude::*;

    fn redacted(text: &str) -> (String, usize) {
        let mut gathered = Gathered::default();
        gathered.add(text, true);
        gathered.redactor().unwrap().redact(text, true).unwrap()
    }

    #[test]
    fn a_secret_goes_wherever_it_stands_and_equal_ones_stay_equal() {
        let value = fill("⟦b62:24⟧").unwrap();
        let (text, n) = redacted(&format!(
            r#"{{"password":"{value}","output":"it was {value}.","other":"plain"}}"#
        ));
        assert_eq!(n, 2);
        assert!(!text.contains(&value));
        let mark = text.split('"').nth(3).unwrap();
        assert_eq!(
            text,
            format!(r#"{{"password":"{mark}","output":"it was {mark}.","other":"plain"}}"#)
        );
    }

    #[test]
    fn lines_inside_a_secret_stay_lines() {
        assert_eq!(lines(r"a\nb\\n\\\nc"), ["a", r"b\\n\\", "c"]);
        let marked =
            replacement(r"-----BEGIN PRIVATE KEY-----\r\n+MIIE\n+-----END PRIVATE KEY-----");
        assert_eq!(marked.matches(r"\n+REDACTED_").count(), 2);
        assert!(marked.contains(r"\r\n+"));
    }

    #[test]
    fn a_line_of_a_key_goes_wherever_it_stands() {
        let key = fill("-----BEGIN PRIVATE KEY-----\n⟦pem:5⟧\n-----END PRIVATE KEY-----").unwrap();
        let lines: Vec<&str> = key.lines().collect();
        let line = lines[2];
        let quoted = serde_json::to_string(&serde_json::json!([key, "it is"]).to_string()).unwrap();
        for first in [
            serde_json::json!(key).to_string(),
            serde_json::json!(lines).to_string(),
            quoted,
        ] {
            let (text, n) = redacted(&format!(
                r#"{{"key":{first},"note":"the line {line}!","begins":"-----BEGIN PRIVATE KEY-----"}}"#
            ));
            assert!(
                !lines.iter().skip(1).take(5).any(|l| text.contains(l)),
                "{text}"
            );
            assert!(
                text.contains(r#""begins":"-----BEGIN PRIVATE KEY-----""#) && n >= 2,
                "{text}"
            );
        }
    }

    #[test]
    fn what_stands_in_several_frames_goes_and_their_lines_stay() {
        let token = fill("ghp_⟦crc62:30⟧").unwrap();
        let key = fill("-----BEGIN PRIVATE KEY-----\n⟦pem:5⟧\n-----END PRIVATE KEY-----").unwrap();
        let printed = format!("{key}\r\n$ {token} é");
        let frame = |data: &str| serde_json::json!([1.5, "o", data]).to_string();
        let letters: Vec<char> = printed.chars().collect();
        let lines: Vec<String> = letters
            .chunks(7)
            .map(|piece| frame(&piece.iter().collect::<String>()))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (changed, n) = Gathered::default()
            .redactor()
            .unwrap()
            .redact_frames(&lines)
            .unwrap();
        assert_eq!(n, 2);
        let data = lines.iter().zip(&changed).map(|(line, new)| {
            serde_json::from_str::<(f64, String, String)>(new.as_deref().unwrap_or(line))
                .unwrap()
                .2
        });
        assert_eq!(
            data.collect::<String>(),
            format!("{}{}\r\n$ {} é", tag(&key), "\n".repeat(6), tag(&token))
        );
        // A known secret is removed even where no rule would find it.
        let mut gathered = Gathered::default();
        gathered.add(&format!("[\"{token}\"]"), true);
        let (first, second) = token.split_at(9);
        let lines = [frame(&format!("x{first}")), frame(second)];
        let (changed, n) = gathered
            .redactor()
            .unwrap()
            .redact_frames(&[&lines[0], &lines[1]])
            .unwrap();
        assert_eq!(
            (n, changed),
            (
                1,
                vec![Some(frame(&format!("x{}", tag(&token)))), Some(frame(""))]
            )
        );
    }

    #[test]
    fn what_is_written_in_escapes_goes_too() {
        let token = fill("ghp_⟦crc62:30⟧").unwrap();
        let escaped: String = token.bytes().map(|b| format!("\\u{b:04x}")).collect();
        let (text, n) = redacted(&format!(r#"{{"a":"x {escaped} y","b":"{token}"}}"#));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(n, 2);
        assert_eq!(
            value["a"].as_str().unwrap(),
            format!("x {} y", value["b"].as_str().unwrap())
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 64,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        /// No secret remains, and nothing else has changed.
        #[test]
        fn only_secrets_change(
            parts in proptest::collection::vec("[ -~é\n\t]{0,20}", 1..5),
            which in 0_usize..4,
            ascii in any::<bool>()
        ) {
            let templates = [
                "ghp_⟦crc62:30⟧",
                "AKIA⟦b32:16⟧",
                "npm_⟦crc62:30⟧",
                "xoxb-⟦digit:12⟧-⟦digit:13⟧-⟦b62:24⟧",
            ];
            let Ok(secret) = fill(templates[which]) else { return Ok(()) };
            let text = parts.join(&format!(" {secret} "));
            let mut written = serde_json::json!({ "text": text, "list": [text] }).to_string();
            if ascii {
                written = written.replace('é', "\\u00e9");
            }
            let (out, _) = redacted(&written);
            prop_assert!(!out.contains(&secret));
            prop_assert!(secrets(&out, true).places.is_empty());
            let hash: String = Sha256::digest(&secret).iter().take(4).map(|b| format!("{b:02x}")).collect();
            let count = |text: &str| secrets(text, true).places.len();
            let plain = parts.iter().all(|p| count(&serde_json::to_string(p).unwrap()) == 0);
            if plain && count(&written) == 2 * (parts.len() - 1) {
                prop_assert_eq!(out, written.replace(&secret, &format!("REDACTED_{hash}")));
            }
        }

        #[test]
        fn text_without_secrets_stays_as_it_is(text in "[a-z ,.\n\"\\\\]{0,80}") {
            let written = serde_json::to_string(&[text]).unwrap();
            prop_assume!(secrets(&written, true).places.is_empty());
            prop_assert_eq!(redacted(&written), (written, 0));
        }

        #[test]
        fn any_text_is_redacted_or_refused(text in "\\PC{0,60}") {
            let redactor = Gathered::default().redactor().unwrap();
            if let Ok((out, _)) = redactor.redact(&text, false) {
                prop_assert!(secrets(&out, false).places.is_empty());
            }
        }
    }
}
