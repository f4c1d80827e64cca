//! Text in pieces over the lines of a recording: the output of a terminal, and its input.
//!
//! A user types a token key by key, and a program's output is cut wherever a buffer was full. The
//! frames of each direction are therefore also scanned as one text. The terminal isn't emulated, so
//! a token with control sequences or corrections inside isn't found.

use super::joined::JoinedText;
use super::secret::{self, Table};
use super::strings::{self, RecordString};
use std::ops::Range;

/// Bytes of the previous text that are scanned again with the next lines.
const KEPT: usize = 64 << 10;

/// The text of a recording so far, by direction.
#[derive(Debug, Default)]
pub struct Frames {
    printed: TextTail,
    typed: TextTail,
}

/// The last part of a text that continues.
#[derive(Debug, Default)]
struct TextTail(String);

/// A credential that spans several frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// The message to report.
    pub message: String,
    pub secret: String,
    /// The parts within the lines that were read last: the line number from 0, and the bytes in
    /// that line.
    pub pieces: Vec<(usize, Range<usize>)>,
}

impl Frames {
    /// Reads the next lines of a recording. Returns the credentials that end in them and span
    /// several frames.
    pub fn read<'t>(&mut self, lines: impl Iterator<Item = &'t str>) -> Vec<Spread> {
        let Ok(table) = Table::shipped() else {
            return Vec::new();
        };
        self.read_for(lines, |text| {
            let found = secret::find(table, text).into_iter();
            found
                .map(|s| {
                    (
                        s.start..s.end,
                        format!("{}, in pieces over several frames", s.describe(text)),
                    )
                })
                .collect()
        })
    }

    /// Like [`Frames::read`], with another search function.
    pub(super) fn read_for<'t>(
        &mut self,
        lines: impl Iterator<Item = &'t str>,
        find: impl Fn(&str) -> Vec<(Range<usize>, String)>,
    ) -> Vec<Spread> {
        let [mut printed, mut typed] = [&mut self.printed, &mut self.typed].map(TextTail::take);
        for (number, line) in lines.enumerate() {
            each_frame(line, |code, data| {
                let stream = match code {
                    "o" => &mut printed,
                    "i" => &mut typed,
                    _ => return,
                };
                let decoded = data.decode(line);
                stream.push("", &decoded, Some((number, data.offsets(&decoded))));
            });
        }
        let mut all = Vec::new();
        for (mut stream, kept) in [(printed, &mut self.printed), (typed, &mut self.typed)] {
            for (place, message) in find(stream.text()) {
                let secret = stream
                    .text()
                    .get(place.clone())
                    .unwrap_or_default()
                    .to_owned();
                let mut touched = 0;
                let pieces = stream.pieces(place).inspect(|_| touched += 1);
                let pieces: Vec<_> = pieces
                    .filter_map(|(part, place)| {
                        part.as_mut()
                            .map(|(number, offsets)| (*number, offsets.range(place)))
                    })
                    .collect();
                // Secrets in one frame are found elsewhere, and those that ended earlier were found
                // then.
                if touched > 1 && !pieces.is_empty() {
                    all.push(Spread {
                        message,
                        secret,
                        pieces,
                    });
                }
            }
            kept.keep(&stream);
        }
        all
    }
}

impl TextTail {
    /// Takes the kept text as the start of a new one. It has no position in the new lines.
    fn take<P>(&mut self) -> JoinedText<Option<P>> {
        let mut joined = JoinedText::default();
        let text = std::mem::take(&mut self.0);
        if !text.is_empty() {
            joined.push("", &text, None);
        }
        joined
    }

    fn keep<P>(&mut self, joined: &JoinedText<P>) {
        let text = joined.text();
        let from = text.ceil_char_boundary(text.len().saturating_sub(KEPT));
        text.get(from..).unwrap_or_default().clone_into(&mut self.0);
    }
}

/// Visits the frames of a line, by code and data. A line is one frame, or a whole recording as one
/// document, whose output is visited.
fn each_frame<'t>(line: &'t str, mut visit: impl FnMut(&str, RecordString<'t>)) {
    if line.trim_start().starts_with('{') {
        strings::each(line, |string| {
            if string.list.is_some() && string.member() == Some("stdout") {
                visit("o", string);
            }
        });
    } else if let Some((code, data)) = frame(line) {
        visit(&code.decode(line), data);
    }
}

/// Parses a frame: its code and data are the first two strings of the array.
fn frame(line: &str) -> Option<(RecordString<'_>, RecordString<'_>)> {
    let (mut code, mut data) = (None, None);
    let bracket = line.len() - line.trim_start().len();
    strings::each(line, |string| {
        if string.list == Some(bracket) && data.is_none() {
            *(if code.is_none() { &mut code } else { &mut data }) = Some(string);
        }
    });
    code.zip(data)
}

#[cfg(test)]
mod tests {
    use super::super::secret::sample::fill;
    use super::*;
    use proptest::prelude::*;

    fn line(code: &str, data: &str) -> String {
        serde_json::json!([0.5, code, data]).to_string()
    }

    /// Returns a recording of a text in pieces of `length` characters, with other frames between.
    fn recording(text: &str, length: usize) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let pieces = letters
            .chunks(length.max(1))
            .map(|piece| line("o", &piece.iter().collect::<String>()));
        pieces
            .flat_map(|piece| [piece, line("r", "80x24"), line("i", "x")])
            .collect()
    }

    #[test]
    fn what_is_typed_key_by_key_is_one_text() {
        let token = fill("ghp_⟦crc62:30⟧").unwrap();
        let lines: Vec<String> = format!("export TOKEN={token}\r")
            .chars()
            .map(|c| line("i", &c.to_string()))
            .collect();
        let found = Frames::default().read(lines.iter().map(String::as_str));
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].secret, found[0].pieces.len()), (&token, 40));
        assert_eq!(found[0].pieces[0], (13, 10..11));
        assert!(
            found[0]
                .message
                .ends_with("(github-token), in pieces over several frames"),
            "{}",
            found[0].message
        );
        // A token in one frame isn't reported here.
        assert_eq!(
            Frames::default().read([&*line("o", &token), &line("o", "\r\n")].into_iter()),
            []
        );
        // The two directions aren't one text.
        let (first, second) = token.split_at(20);
        assert_eq!(
            Frames::default().read([&*line("o", first), &line("i", second)].into_iter()),
            []
        );
    }

    #[test]
    fn pieces_of_a_recording_in_one_document_are_joined() {
        let token = fill("ghp_⟦crc62:30⟧").unwrap();
        let (first, second) = token.split_at(20);
        let text = serde_json::json!({"version": 1, "title": "x", "stdout": [[0.1, first], [0.2, second]]});
        let text = text.to_string();
        let found = Frames::default().read([&*text].into_iter());
        assert_eq!((found.len(), &found[0].secret), (1, &token));
        let pieces = found[0].pieces.iter();
        let pieces: Vec<_> = pieces
            .map(|(n, place)| (*n, text.get(place.clone()).unwrap()))
            .collect();
        assert_eq!(pieces, [(0, first), (0, second)]);
    }

    #[test]
    fn what_was_read_before_is_remembered_for_a_while() {
        let token = fill("ghp_⟦crc62:30⟧").unwrap();
        let (first, second) = token.split_at(20);
        let mut frames = Frames::default();
        assert_eq!(
            frames.read([&*line("o", "a\n"), &line("o", first)].into_iter()),
            []
        );
        let found = frames.read([&*line("o", second)].into_iter());
        assert_eq!(
            found
                .iter()
                .map(|s| (&s.secret, s.pieces.len()))
                .collect::<Vec<_>>(),
            [(&token, 1)]
        );
        assert_eq!(
            frames.read([&*line("o", "\n")].into_iter()),
            [],
            "it is said once"
        );
        frames.read(
            [
                &*line("o", first),
                &line("o", &"\n".repeat(KEPT)),
                &line("o", "x"),
            ]
            .into_iter(),
        );
        assert_eq!(frames.printed.0, format!("{}x", "\n".repeat(KEPT - 1)));
    }

    #[test]
    fn frames_are_read_whatever_else_stands_in_them() {
        let of = |text| frame(text).map(|(code, data)| (code.inner, data.inner));
        assert_eq!(of(r#" [1, "o", "a", {"b": "c"}, "d"]"#), Some(("o", "a")));
        assert_eq!(of(r#"["o", ["x"], "a""#), Some(("o", "a")));
        assert_eq!(of(r#"{"version": 2, "a": ["o", "b"]}"#), None);
        assert_eq!(of("[1]"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        /// However a text is split and delivered, the pieces of a finding contain the secret.
        #[test]
        fn pieces_lead_back(text in "[ -~é\n]{0,30}", length in 1_usize..30, block in 1_usize..40) {
            let token = fill("ghp_⟦crc62:30⟧").unwrap();
            let lines = recording(&format!("{text}\n{token}\n{text}"), length);
            let mut frames = Frames::default();
            let mut found = Vec::new();
            for lines in lines.chunks(block) {
                for spread in frames.read(lines.iter().map(String::as_str)) {
                    let written = spread.pieces.iter().map(|(n, place)| lines[*n].get(place.clone()).unwrap());
                    let meant: String = written.map(|w| serde_json::from_str::<String>(&format!("\"{w}\"")).unwrap()).collect();
                    prop_assert!(spread.secret.ends_with(&meant) && !meant.is_empty());
                    found.push(spread.secret);
                }
            }
            prop_assert!(found.contains(&token) || lines.iter().any(|l| l.contains(&token)), "{:?}", found);
        }
    }
}
