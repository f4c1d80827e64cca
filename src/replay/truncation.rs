//! Outputs that look truncated without being marked as truncated.

use strict_json::Str;

/// Minimum bytes of an output that may look truncated by its length; short outputs have round
/// lengths by chance.
const SHORTEST: usize = 2000;

/// Minimum bytes of an output for which half a character at its end counts.
const SHORTEST_TEXT: usize = 256;

/// Like [`looks_cut`], for an output as written in JSON. Most are too short to decode: an escape is
/// never shorter than its character.
pub(super) fn written_looks_cut(output: Str<'_>) -> Option<String> {
    let written = output.as_written();
    let ends_in_escape = || {
        written
            .len()
            .checked_sub(6)
            .and_then(|at| written.get(at..))
            .is_some_and(|end| end.starts_with("\\u"))
    };
    let half =
        written.len() >= SHORTEST_TEXT && (written.ends_with('\u{fffd}') || ends_in_escape());
    if written.len() < SHORTEST && !half {
        None
    } else {
        looks_cut(&output.decode())
    }
}

/// Returns why an output looks truncated; `None` when it doesn't, or when its end says so.
///
/// It ends in the middle of a character, or in the middle of a line at a length that is a usual
/// limit: a power of two, a round thousand or some multiples of 1,024. Lengths are counted in
/// bytes, characters or UTF-16 units, as writers do.
fn looks_cut(output: &str) -> Option<String> {
    why(output).filter(|_| !says_so(output))
}

fn why(output: &str) -> Option<String> {
    // A short output with such an end was probably never text.
    if output.len() >= SHORTEST_TEXT && output.ends_with('\u{fffd}') {
        return Some("it ends in the middle of a character".to_owned());
    }
    if output.len() < SHORTEST
        || output.ends_with(['\n', '\r', '}', ']', '.', '>', ';', ')', '"', '`'])
    {
        return None;
    }
    let lengths = [
        (output.len(), "bytes"),
        (output.chars().count(), "characters"),
        (output.encode_utf16().count(), "UTF-16 units"),
    ];
    let (length, unit) = lengths.into_iter().find(|(length, _)| is_limit(*length))?;
    Some(format!(
        "it has exactly {length} {unit} and ends in the middle of a line"
    ))
}

fn is_limit(length: usize) -> bool {
    const OTHERS: [usize; 5] = [10_240, 20_480, 51_200, 65_535, 102_400];
    let round = if length <= 20_000 { 1000 } else { 10_000 };
    (SHORTEST..=1 << 20).contains(&length)
        && (length.is_power_of_two() || length.is_multiple_of(round) || OTHERS.contains(&length))
}

/// Returns whether the end of an output says that something is missing.
fn says_so(output: &str) -> bool {
    const TAIL: usize = 300;
    let start = output
        .char_indices()
        .rev()
        .take(TAIL)
        .last()
        .map_or(0, |(n, _)| n);
    let tail = output.get(start..).unwrap_or_default().to_lowercase();
    [
        "truncat",
        "omitted",
        "…",
        "...",
        "cut off",
        "[cut",
        "more lines",
        "more bytes",
        "more characters",
    ]
    .iter()
    .any(|mark| tail.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_at_a_limit_or_in_half_a_character_looks_cut() {
        let text = |n: usize| {
            "word "
                .repeat(n / 5 + 1)
                .chars()
                .take(n)
                .collect::<String>()
        };
        assert_eq!(
            looks_cut(&text(4096)).unwrap(),
            "it has exactly 4096 bytes and ends in the middle of a line"
        );
        assert!(
            looks_cut(&format!("é{}", text(9999)))
                .unwrap()
                .contains("10000 characters")
        );
        assert_eq!(
            looks_cut(&(text(300) + "\u{fffd}")).unwrap(),
            "it ends in the middle of a character"
        );
        for whole in [
            text(4095),
            text(1000),
            text(4095) + "\n",
            text(4093) + "...",
            text(3986) + "\n[output truncated: 9000 characters, 4096 shown",
        ] {
            assert_eq!(looks_cut(&whole), None, "{}", whole.len());
        }
        for (escaped, cut) in [
            ("\\ud83d", true),
            ("\\ufffd", true),
            ("\u{fffd}", true),
            ("\\u0041", false),
            ("x", false),
        ] {
            let written = format!("{}{escaped}", "a".repeat(300));
            assert_eq!(
                written_looks_cut(Str::plain(&written)).is_some(),
                cut && !escaped.starts_with('\\'),
                "{escaped}"
            );
            let quoted = format!("\"{written}\"");
            assert_eq!(
                written_looks_cut(strict_json::from_text(&quoted).unwrap()).is_some(),
                cut,
                "{escaped}"
            );
        }
        assert_eq!(looks_cut(""), None);
        assert_eq!(looks_cut("abc\u{fffd}"), None);
    }
}
