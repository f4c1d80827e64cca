#![doc = include_str!("../README.md")]
//!
//! Every byte of an input passes through here, and nearly all of them are harmless. Each check is
//! therefore done twice: first a fast test without false negatives on the text as written, and
//! then, only where needed, a thorough one on the decoded strings.

mod confusables;
mod escapes;
pub mod frames;
mod hidden;
mod joined;
mod letters;
mod listed;
pub mod mask;
pub mod redact;
mod runs;
pub mod secret;
mod strings;
mod unusual;

pub use confusables::passes_for;

use escapes::Escapes;
use listed::ListedKey;
use secret::{Table, visible};
use std::ops::Range;
use unusual::unusual;

/// A finding of a scan in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Byte offset in the record as written, and length in bytes.
    pub at: (usize, usize),
    /// What was found. It names code points, and contains no invisible or active text itself.
    pub message: String,
}

/// Maximum number of findings per record that are reported. The others are counted.
const MOST: usize = 12;

/// Finds both credentials and hidden text in a record of valid JSON.
#[must_use]
pub fn scan(record: &str) -> (Secrets, Vec<Remark>) {
    let escapes = Escapes::of(record);
    let hides = may_hide(record, escapes);
    (
        secrets_in(record, true, escapes, hides),
        hidden_in(record, escapes, hides),
    )
}

/// Finds hidden text in the strings of a record of valid JSON. It reports one remark for each
/// string, and no message twice.
#[must_use]
pub fn hidden_text(record: &str) -> Vec<Remark> {
    let escapes = Escapes::of(record);
    hidden_in(record, escapes, may_hide(record, escapes))
}

/// Like [`hidden_text`]. `hides` is the result of [`may_hide`] for the record.
fn hidden_in(record: &str, escapes: Escapes, hides: bool) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = Vec::new();
    if !hides {
        return remarks;
    }
    let mut left_out = 0_usize;
    strings::each(record, |string| {
        if !may_hide(string.inner, escapes) {
            return;
        }
        let role = string.role();
        let decoded = string.decode(record);
        let sightings = hidden::find(&decoded, role);
        let Some(first) = sightings.first() else {
            return;
        };
        let message = format!("{} holds {}", role.name(), hidden::describe(&sightings));
        if remarks.iter().any(|r| r.message == message) {
            return;
        }
        if remarks.len() == MOST {
            left_out += 1;
            return;
        }
        let place = string
            .offsets(&decoded)
            .range(first.at..first.at + first.length);
        remarks.push(Remark {
            at: (place.start, place.len()),
            message,
        });
    });
    if left_out > 0
        && let Some(last) = remarks.last_mut()
    {
        last.message.push_str(&format!(
            " ({left_out} more texts of this record hide something)"
        ));
    }
    remarks
}

/// The credentials of a record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Secrets {
    /// The distinct messages to report.
    pub remarks: Vec<Remark>,
    /// The places of all credentials, as bytes of the record as written.
    pub places: Vec<Range<usize>>,
}

/// Finds credentials in a record. If the record isn't `valid` JSON, the raw text is searched too,
/// both as it is and with its escapes resolved.
#[must_use]
pub fn secrets(record: &str, valid: bool) -> Secrets {
    secrets_in(record, valid, Escapes::of(record), true)
}

/// Like [`secrets`]. `hides` is the result of [`may_hide`] for the record, or true if unknown.
fn secrets_in(record: &str, valid: bool, escapes: Escapes, hides: bool) -> Secrets {
    let table = match Table::shipped() {
        Ok(table) => table,
        Err(error) => {
            let remark = Remark {
                at: (0, 1),
                message: format!("no secret can be found here: {error}"),
            };
            return Secrets {
                remarks: vec![remark],
                places: Vec::new(),
            };
        }
    };
    // Valid JSON contains no raw escape character.
    let raw = !valid && record.contains('\u{1b}');
    let split = raw || hides && may_split(record, escapes);
    if !split && !secret::may_hold(table, record, escapes) {
        return Secrets::default();
    }
    let mut collector = SecretCollector::default();
    let mut listed = ListedKey::default();
    strings::each(record, |string| {
        let decoded = string.decode(record);
        let mut found = secret::find(table, &decoded);
        if found.is_empty()
            && !string.is_name
            && let Some(name) = string.member()
        {
            found.extend(secret::named(table, name, &decoded));
        }
        let mut offsets = string.offsets(&decoded);
        for secret in found {
            collector.add(
                offsets.range(secret.start..secret.end),
                secret.describe(&decoded),
            );
        }
        listed.read(
            table,
            &string,
            (&decoded, string.offsets(&decoded)),
            &mut collector,
        );
    });
    listed.end(table, &mut collector);
    if !valid {
        let found = secret::find(table, record).into_iter();
        collector
            .add_reading(found.map(|secret| (secret.start..secret.end, secret.describe(record))));
        if let Some(meant) = escapes::Unescaped::of(record) {
            let found = secret::find(table, &meant.text).into_iter();
            let place =
                |secret: &secret::Secret<'_>| meant.origin(secret.start)..meant.origin(secret.end);
            collector
                .add_reading(found.map(|secret| (place(&secret), secret.describe(&meant.text))));
        }
    }
    collector.end()
}

/// Ranges of a text, sorted by start, each with the largest end of all ranges up to it.
#[derive(Debug)]
struct IntervalSet(Vec<(usize, usize)>);

impl IntervalSet {
    fn of(places: &[Range<usize>]) -> Self {
        let mut all: Vec<(usize, usize)> = places.iter().map(|p| (p.start, p.end)).collect();
        all.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut all {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        Self(all)
    }

    /// Returns whether a range has a byte in common with any of the set.
    fn overlaps(&self, place: &Range<usize>) -> bool {
        let before = self.0.partition_point(|(start, _)| *start < place.end);
        before
            .checked_sub(1)
            .and_then(|n| self.0.get(n))
            .is_some_and(|(_, end)| place.start < *end)
    }
}

/// Collects the credentials of a record.
#[derive(Debug, Default)]
struct SecretCollector {
    secrets: Secrets,
    /// Number of remarks that were dropped.
    left_out: usize,
}

impl SecretCollector {
    /// Adds a credential.
    fn add(&mut self, place: Range<usize>, message: String) {
        self.add_parts(std::iter::once(place), message);
    }

    /// Adds the credentials of a text that was scanned before in another form. One that overlaps an
    /// earlier credential is the same, although its length and hash differ.
    fn add_reading(&mut self, found: impl Iterator<Item = (Range<usize>, String)>) {
        let known = IntervalSet::of(&self.secrets.places);
        for (place, message) in found {
            if known.overlaps(&place) {
                self.secrets.places.push(place);
            } else {
                self.add(place, message);
            }
        }
    }

    /// Adds a credential that consists of several parts.
    fn add_parts(&mut self, places: impl IntoIterator<Item = Range<usize>>, message: String) {
        let Secrets {
            remarks,
            places: known,
        } = &mut self.secrets;
        let before = known.len();
        known.extend(places);
        let Some(first) = known.get(before) else {
            return;
        };
        if !remarks.iter().any(|r| r.message == message) {
            if remarks.len() < MOST {
                remarks.push(Remark {
                    at: (first.start, first.len()),
                    message,
                });
            } else {
                self.left_out += 1;
            }
        }
    }

    fn end(mut self) -> Secrets {
        if self.left_out > 0
            && let Some(last) = self.secrets.remarks.last_mut()
        {
            last.message.push_str(&format!(
                " (and {} more secrets in this record)",
                self.left_out
            ));
        }
        self.secrets
    }
}

/// Returns whether text as written contains a character of interest, raw or escaped. `escapes` are
/// those of the text or of an enclosing one.
fn may_hide(text: &str, escapes: Escapes) -> bool {
    escapes.beyond && raw_of_interest(text) || escape_of_interest(text, escapes)
}

/// Valid strings contain no raw control character except U+007F.
fn raw_of_interest(text: &str) -> bool {
    unusual(text).any(|(_, c)| (!c.is_ascii() || c == '\u{7f}') && hidden::is_of_interest(c))
}

fn escape_of_interest(text: &str, escapes: Escapes) -> bool {
    let bytes = text.as_bytes();
    // `\b`, `\f`, and `\r` that ends no line.
    let control = || {
        memchr::memchr_iter(b'\\', bytes).any(|at| match bytes.get(at + 1) {
            Some(b'b' | b'f') => escapes::is_start(bytes, at),
            Some(b'r') => {
                bytes.get(at + 2..at + 4) != Some(br"\n".as_slice()) && escapes::is_start(bytes, at)
            }
            _ => false,
        })
    };
    let unicode = || {
        escapes::units(text).any(|(at, unit)| {
            let matters = match unit {
                // The surrogates of tags and selectors, of styled letters, and of format controls.
                0xDB40 | 0xD835 | 0xD834 | 0xD82F => true,
                unit => char::from_u32(unit).is_some_and(hidden::is_of_interest),
            };
            matters && escapes::is_start(bytes, at)
        })
    };
    escapes.control && control() || escapes.unicode && unicode()
}

/// Returns whether text as written contains an invisible character or sequence that may split a
/// token, raw or escaped.
fn may_split(text: &str, escapes: Escapes) -> bool {
    let unicode = || {
        escapes::units(text).any(|(_, unit)| match unit {
            0x1B | 0xDB40 | 0xD834 | 0xD82F => true,
            unit => char::from_u32(unit).is_some_and(visible::is_splitter),
        })
    };
    escapes.beyond && unusual(text).any(|(_, c)| visible::is_splitter(c))
        || escapes.unicode && unicode()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_in_a_broken_record_is_one_secret() {
        let lines = "MIIEowIBAAKCAQEAx4Vb0Jm0u1s7oW9bQpX2mS3hK5fT8yZr6uN1cLqE4dGjI7aP";
        let key =
            format!(r"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----\n");
        let broken = format!(r#"{{"output":"{key}","other":"{key}",}}"#);
        let secrets = secrets(&broken, false);
        assert_eq!(secrets.remarks.len(), 1, "{:?}", secrets.remarks);
        let last = broken.rfind("END RSA").unwrap();
        assert!(secrets.places.iter().any(|p| p.contains(&last)));
    }

    #[test]
    fn remarks_point_into_the_record() {
        let record = r#"{"reasoning":"fine","command":"l\u0073 x\u202ey","output":"\u001b[1m"}"#;
        let remarks = hidden_text(record);
        assert_eq!(remarks.len(), 1);
        assert_eq!(
            remarks[0].message,
            "a command holds U+202E (right-to-left override)"
        );
        let (at, length) = remarks[0].at;
        assert_eq!(record.get(at..at + length), Some(r"\u202e"));
    }

    #[test]
    fn an_escaped_backslash_starts_no_escape() {
        for (written, hides) in [
            (r"\\b\\f\\r \\u202e", false),
            (r"\\\\\b", true),
            (r"\\\r.", true),
            (r"\\\u202e", true),
        ] {
            assert_eq!(may_hide(written, Escapes::of(written)), hides, "{written}");
        }
    }

    #[test]
    fn the_same_is_said_once_and_many_are_counted() {
        let record = format!("{{\"a\":[{}]}}", vec!["\"\u{200b}\""; 50].join(","));
        assert_eq!(hidden_text(&record).len(), 1);
        let many: Vec<String> = (1..50)
            .map(|n| format!("\"{}\"", "\u{200b}".repeat(n)))
            .collect();
        let remarks = hidden_text(&format!("{{\"a\":[{}]}}", many.join(",")));
        assert_eq!(remarks.len(), MOST);
        assert!(
            remarks[MOST - 1]
                .message
                .ends_with("(37 more texts of this record hide something)")
        );
    }

    #[test]
    fn secrets_are_found_however_they_are_written() {
        let token = secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
        let escaped: String = token.bytes().map(|b| format!("\\u{b:04x}")).collect();
        for written in [token.clone(), escaped, format!("\\n{token}\\n")] {
            let record = format!("{{\"a\":[\"{written}\"]}}");
            let found = secrets(&record, true);
            assert_eq!(
                (found.remarks.len(), found.places.len()),
                (1, 1),
                "{record}"
            );
            let again: String = serde_json::from_str(&format!(
                "\"{}\"",
                record.get(found.places[0].clone()).unwrap()
            ))
            .unwrap();
            assert_eq!(again, token);
        }
        let value = secret::sample::fill("⟦b62:24⟧").unwrap();
        assert_eq!(
            secrets(
                &format!("{{\"parameters\":{{\"password\": \"{value}\"}}}}"),
                true
            )
            .places
            .len(),
            1
        );
        assert_eq!(
            secrets(
                &format!("{{\"parameters\":{{\"passwordHash\": \"{value}\"}}}}"),
                true
            )
            .places
            .len(),
            0
        );
        assert_eq!(secrets(&format!("{{broken {token}"), false).places.len(), 1);
    }

    #[test]
    fn a_token_is_found_behind_an_escape_and_around_what_shows_nothing() {
        let token = secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
        let (first, second) = token.split_at(9);
        for (written, place) in [
            (format!(r"\u001b[32m{token}\u001b[0m"), token.clone()),
            (format!(r"x\\n{token}\\n"), token.clone()),
            (format!("a%3D{token}"), token.clone()),
            (
                format!(r"a {first}\u200b{second}!"),
                format!(r"{first}\u200b{second}"),
            ),
            (
                format!("a {first}\u{ad}{second}!"),
                format!("{first}\u{ad}{second}"),
            ),
            (
                format!(r"\u001b[0m{first}\u001b[1m{second}\u001b[0m"),
                format!(r"{first}\u001b[1m{second}"),
            ),
            (
                token.replacen("gh", r"gh\u2060", 1),
                token.replacen("gh", r"gh\u2060", 1),
            ),
        ] {
            for (record, valid) in [
                (format!("[\"{written}\"]"), true),
                (format!("[\"{written}"), false),
            ] {
                let found = secrets(&record, valid);
                assert!(
                    found
                        .places
                        .iter()
                        .any(|p| record.get(p.clone()) == Some(&*place)),
                    "{record} {found:?}"
                );
                assert!(
                    found.remarks[0].message.contains("`ghp_…`, 40 characters"),
                    "{found:?}"
                );
                assert_eq!(found.remarks.len(), 1, "{found:?}");
            }
            let mut gathered = redact::Gathered::default();
            let record = format!("[\"{written}\", \"{token}\"]");
            gathered.add(&record, true);
            let (redacted, _) = gathered.redactor().unwrap().redact(&record, true).unwrap();
            assert!(!redacted.contains(second), "{redacted}");
            let marks: Vec<&str> = redacted
                .match_indices("REDACTED_")
                .filter_map(|(at, _)| redacted.get(at..at + 17))
                .collect();
            assert!(marks.len() == 2 && marks[0] == marks[1], "{redacted}");
        }
        let value = secret::sample::fill("⟦b62:24⟧").unwrap();
        let (start, end) = value.split_at(9);
        let record = format!(r#"{{"password":"{start}\u200b{end}"}}"#);
        assert_eq!(secrets(&record, true).places.len(), 1);
        // Valid JSON contains no raw control characters.
        let broken = format!("{first}\u{1b}[1m{second}");
        let places = secrets(&broken, false).places;
        assert!(places.len() == 1 && places.first() == Some(&(0..broken.len())));
    }

    #[test]
    fn a_key_whose_lines_are_a_list_is_one_secret() {
        let key = secret::sample::fill(
            "-----BEGIN RSA PRIVATE KEY-----\n⟦pem:6⟧\n-----END RSA PRIVATE KEY-----",
        )
        .unwrap();
        let lines: Vec<&str> = key.lines().collect();
        let record = serde_json::json!({ "lines": lines, "other": ["a", {"b": lines}, "c"], "halves": [["x"], key.split_at(400).0, 1, key.split_at(400).1] });
        let record = record.to_string();
        let found = secrets(&record, true);
        // The lines of both lists, and the halves: the first half is a key by itself.
        assert_eq!(
            found.places.len(),
            2 * lines.len() + 3,
            "{:?}",
            found.remarks
        );
        let texts: Vec<&str> = found
            .places
            .iter()
            .filter_map(|p| record.get(p.clone()))
            .collect();
        assert!(
            lines
                .iter()
                .all(|line| texts.iter().filter(|t| t == &line).count() == 2)
        );
        // The halves get separate remarks, since a line ends between them.
        assert_eq!(found.remarks.len(), 3, "{:?}", found.remarks);
        assert!(
            secrets(r#"["-----BEGIN PRIVATE KEY-----","and","more",1]"#, true)
                .places
                .is_empty()
        );
    }

    #[test]
    fn many_secrets_are_counted_and_all_places_known() {
        let three = ["", " ", "."]
            .map(|end| secret::sample::fill(&format!("\"AKIA⟦b32:16⟧{end}\"")).unwrap());
        let found = secrets(&format!("[{}]", vec![three.join(","); 10].join(",")), true);
        assert_eq!(found.places.len(), 30);
        assert_eq!(found.remarks.len(), 3);
    }

    /// All secrets are found in linear time. A quadratic search would make this test noticeably
    /// slow.
    #[test]
    fn many_secrets_and_many_brackets_are_gone_through() {
        let tokens = ["a", "b", "c"]
            .map(|end| secret::sample::fill(&format!("AKIA⟦b32:16⟧ {end}\\n")).unwrap())
            .concat();
        let record = format!("[\"{}\"]", tokens.repeat(4000));
        let found = secrets(&record, true);
        assert_eq!(found.places.len(), 12_000);
        assert!(found.places.iter().all(|place| {
            record
                .get(place.clone())
                .is_some_and(|text| text.starts_with("AKIA"))
        }));
        let token = secret::sample::fill("AKIA⟦b32:16⟧").unwrap();
        let broken = format!(
            "{}\"{token}\",{}",
            "[".repeat(40_000),
            "\"\",".repeat(40_000)
        );
        assert!(!secrets(&broken, false).places.is_empty());
    }

    proptest! {
        #[test]
        fn stretches_meet_where_they_have_a_byte_in_common(all in proptest::collection::vec((0usize..30, 1usize..9), 0..6), at in 0usize..30, length in 1usize..9) {
            let all: Vec<Range<usize>> = all.into_iter().map(|(at, length)| at..at + length).collect();
            let place = at..at + length;
            let met = all.iter().any(|p| p.start < place.end && place.start < p.end);
            prop_assert_eq!(IntervalSet::of(&all).overlaps(&place), met);
        }

        /// The quick check has no false negatives, however the text is written.
        #[test]
        fn the_quick_look_is_generous(text in "[\\x00-~а\u{7f}-\u{9f}\u{200b}-\u{202e}\u{feff}\u{e0000}-\u{e007f}\u{1d400}😀]{0,12}", ascii in any::<bool>()) {
            let mut written = serde_json::to_string(&[&text]).unwrap();
            if ascii {
                written = written.chars().map(|c| if c.is_ascii() { c.to_string() } else {
                    c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect()
                }).collect();
            }
            let record = format!("{{\"path\":{written}}}");
            let found = !hidden::find(&text, strings::Role::Path).is_empty();
            prop_assert_eq!(found, !hidden_text(&record).is_empty());
        }
    }
}
