//! Private keys, the only kind of secret that is a block of lines.

/// Minimum length of a base64 run that is a line of a key. Keys are wrapped at 64 or 76 characters,
/// and no word is as long.
const LINE: usize = 40;
/// Maximum number of bytes between two lines of a key: line numbers, diff markers or indentation.
const BETWEEN: usize = 128;
/// Start of the last line of a key, and the maximum length of the name that follows.
const END: &[u8] = b"-----END ";
const NAME: usize = 64;

/// Returns the base64 runs in a text that are long enough for a line of a key. The letter of an
/// escape before a line isn't a part of it.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    runs(text.as_bytes()).filter_map(|(start, end)| text.get(start..end))
}

/// Returns the ranges of the runs that [`lines`] returns.
pub(super) fn runs(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += bytes.get(at..)?.iter().position(|b| is_base64(*b))?;
            // In `\n` before a line, for text that was escaped twice.
            let escape = usize::from(at > 0 && bytes.get(at - 1) == Some(&b'\\'));
            let start = at + escape;
            at += length(bytes.get(at..)?);
            if at >= start + LINE {
                return Some((start, at));
            }
        }
    })
}

const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Returns the length of the base64 run at the start of a text.
fn length(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|b| !is_base64(*b))
        .unwrap_or(bytes.len())
}

/// Returns whether a key starts in a text and doesn't end in it.
pub(crate) fn is_open(text: &str) -> bool {
    let last = text.rfind("-----BEGIN ").and_then(|at| text.get(at..));
    last.is_some_and(|key| key.contains("PRIVATE KEY") && !ends(key))
}

/// Returns whether a text contains the last line of a key.
pub(crate) fn ends(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), END).is_some()
}

/// Returns whether a text is only the first or the last line of a key. That alone isn't a secret.
pub(crate) fn is_marker(text: &str) -> bool {
    text.len() <= END.len() + NAME
        && text.trim_start().starts_with("-----")
        && lines(text).next().is_none()
}

/// Returns the end of a key that was matched up to `at`, however long the key is. If the last line
/// is missing, the key continues as long as base64 lines do. No key starts inside another one, so
/// all calls together read a text once.
pub(super) fn end(bytes: &[u8], at: usize) -> usize {
    let behind = bytes.get(at..).unwrap_or_default();
    let dash = memchr::memchr(b'-', behind).unwrap_or(behind.len());
    let body = behind.get(..dash).unwrap_or_default();
    let last = behind.get(dash..).unwrap_or_default();
    if let Some(name) = last.strip_prefix(END) {
        let name = name.get(..NAME.min(name.len())).unwrap_or_default();
        let length = name
            .iter()
            .position(|b| !(b.is_ascii_uppercase() || *b == b' '))
            .unwrap_or_default();
        let dashes = name
            .get(length..)
            .is_some_and(|rest| rest.starts_with(b"-----"));
        return at + dash + if dashes { END.len() + length + 5 } else { 0 };
    }
    let mut end = length(body);
    for (from, to) in runs(body) {
        if from > end + BETWEEN {
            break;
        }
        end = to;
    }
    at + end
}

#[cfg(test)]
mod tests {
    use super::super::sample::fill;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_told_from_words() {
        let line = fill("⟦b64:64⟧").unwrap();
        for (text, expected) in [
            (line.clone(), vec![&*line]),
            (format!("  12 {line}\n+{line}\r\n"), vec![&*line, &line]),
            (format!(r"x\n{line}\\n{line}\r\n"), vec![&*line, &line]),
            (fill("⟦b64:39⟧").unwrap(), Vec::new()),
            (String::new(), Vec::new()),
        ] {
            // The plus sign of a diff is also a base64 character.
            let found: Vec<&str> = lines(&text).map(|l| l.trim_start_matches('+')).collect();
            assert_eq!(
                found,
                expected
                    .iter()
                    .map(|l| l.trim_start_matches('+'))
                    .collect::<Vec<_>>(),
                "{text}"
            );
        }
    }

    #[test]
    fn markers_are_no_secret() {
        assert!(
            is_marker("-----BEGIN RSA PRIVATE KEY-----")
                && is_marker(" -----END PRIVATE KEY-----\n")
        );
        assert!(
            !is_marker(&fill("-----BEGIN PRIVATE KEY-----\n⟦b64:64⟧").unwrap())
                && !is_marker("AAAA")
        );
        assert!(
            is_open("a -----BEGIN PRIVATE KEY-----\nMII")
                && !is_open("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----")
        );
        assert!(!is_open("-----BEGIN CERTIFICATE-----"));
    }

    proptest! {
        #[test]
        fn an_end_lies_behind_its_key(text in "([A-Za-z0-9+/=]{0,90}|\n|[ -~]{0,9}|-----END [A-Z ]{0,9}-----){0,9}", at in 0_usize..90) {
            let found = end(text.as_bytes(), at.min(text.len()));
            prop_assert!(found >= at.min(text.len()) && found <= text.len());
            prop_assert!(runs(text.as_bytes()).all(|(start, end)| end >= start + LINE && end <= text.len()));
        }
    }
}
