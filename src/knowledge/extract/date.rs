//! Parses times in the forms that people write.

use util::time::parse_rfc3339;

/// Parses RFC 3339, `2026-01-31`, `2026-01-31 10:20` or `2026-01-31T10:20:30` to milliseconds since
/// the Unix epoch. Without an offset, the time is UTC.
pub(super) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some(time) = parse_rfc3339(text) {
        return Some(time);
    }
    let whole = match text.len() {
        10 => format!("{text}T00:00:00Z"),
        16 => format!("{}T{}:00Z", text.get(..10)?, text.get(11..)?),
        19.. => format!("{}T{}Z", text.get(..10)?, text.get(11..)?),
        _ => return None,
    };
    parse_rfc3339(&whole)
}

/// Returns the first time in a text, and the position after it.
pub(super) fn first(text: &str) -> Option<(i64, usize)> {
    let digits = |at: usize, n: usize| {
        text.as_bytes()
            .get(at..at + n)
            .is_some_and(|b| b.iter().all(u8::is_ascii_digit))
    };
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'-', bytes) {
        let Some(start) = at.checked_sub(4) else {
            continue;
        };
        if !digits(start, 4) || !digits(at + 1, 2) || bytes.get(at + 3) != Some(&b'-') {
            continue;
        }
        // The longest form that parses is used: with an offset, with seconds, with minutes, or a
        // day.
        let word = text.get(start..).map_or(0, |rest| {
            let day = rest.get(10..11).filter(|s| *s == " ").map_or(0, |_| 11);
            rest.get(day..)
                .and_then(|r| r.find(|c: char| c.is_whitespace() || "|,;)]*`".contains(c)))
                .map_or(rest.len(), |n| day + n)
        });
        for length in [word, 19, 16, 10] {
            if let Some(time) = text.get(start..start + length).and_then(parse) {
                return Some((time, start + length));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_as_people_write_them() {
        let day = 1_769_817_600_000;
        assert_eq!(parse("2026-01-31"), Some(day));
        assert_eq!(parse("2026-01-31 10:20"), Some(day + 37_200_000));
        assert_eq!(parse("2026-01-31T10:20:30"), Some(day + 37_230_000));
        assert_eq!(parse("2026-01-31T10:20:30+01:00"), Some(day + 33_630_000));
        assert_eq!(parse("2026-02-30"), None);
        assert_eq!(
            first("- [2026-01-31 10:20] done"),
            Some((day + 37_200_000, 19))
        );
        assert_eq!(
            first("| 2026-01-31T10:20:30Z | x |").map(|f| f.0),
            Some(day + 37_230_000)
        );
        assert_eq!(first("## 2026-01-31: a day").map(|f| f.0), Some(day));
        assert_eq!(first("v1-2-3 and 99-99-99"), None);
    }

    proptest! {
        #[test]
        fn any_text(text in "[0-9T: Zé|-]{0,40}") {
            if let Some((_, end)) = first(&text) {
                prop_assert!(text.is_char_boundary(end));
            }
        }
    }
}
