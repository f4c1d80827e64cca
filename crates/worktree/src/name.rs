//! File names as unambiguous text. Git's names are bytes, mostly UTF-8. Replacing invalid bytes by
//! U+FFFD would give different files the same name.

/// The escape character. It precedes the two hexadecimal digits of a byte that isn't valid UTF-8,
/// and is doubled to represent itself.
const MARK: char = char::REPLACEMENT_CHARACTER;

/// Converts a name to unique text. Each byte that isn't valid UTF-8 becomes U+FFFD and two
/// hexadecimal digits, and U+FFFD itself is doubled. All other names stay as they are.
#[must_use]
pub fn to_text(name: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(name)
        && !text.contains(MARK)
    {
        return text.to_owned();
    }
    let mut out = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            out.push(c);
            if c == MARK {
                out.push(MARK);
            }
        }
        for byte in chunk.invalid() {
            out.push(MARK);
            out.extend(
                [byte >> 4, byte & 15]
                    .map(|digit| char::from_digit(digit.into(), 16).unwrap_or(MARK)),
            );
        }
    }
    out
}

/// Converts text from [`to_text`] back to the name.
#[must_use]
pub fn to_bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut pieces = text.split(MARK);
    out.extend(pieces.next().unwrap_or_default().bytes());
    while let Some(piece) = pieces.next() {
        let escaped = piece.split_at_checked(2).and_then(|(digits, rest)| {
            // ASCII bytes are valid UTF-8 and never escaped. Two digits can therefore never produce
            // a separator.
            let byte = u8::from_str_radix(digits, 16)
                .ok()
                .filter(|byte| !byte.is_ascii())?;
            Some((byte, rest))
        });
        if let Some((byte, rest)) = escaped {
            out.push(byte);
            out.extend(rest.bytes());
        } else {
            // A doubled escape character represents itself: the piece in between is empty.
            let piece = if piece.is_empty() {
                pieces.next().unwrap_or_default()
            } else {
                piece
            };
            out.extend(MARK.encode_utf8(&mut [0; 4]).bytes().chain(piece.bytes()));
        }
    }
    out
}

/// Converts text from [`to_text`] to the usual lossy form, with U+FFFD for invalid bytes. It isn't
/// unique.
#[must_use]
pub fn lossy(text: &str) -> String {
    if text.contains(MARK) {
        String::from_utf8_lossy(&to_bytes(text)).into_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_separator_is_hidden() {
        for text in [
            "\u{fffd}2f",
            "\u{fffd}2e\u{fffd}2e",
            "\u{fffd}00",
            "\u{fffd}+f",
        ] {
            assert_eq!(to_bytes(text), text.as_bytes(), "{text}");
        }
    }

    #[test]
    fn no_name_is_written_as_another() {
        assert_eq!(to_text(b"src/main.rs"), "src/main.rs");
        assert_eq!(to_text(b"tool\xff.sh"), "tool\u{fffd}ff.sh");
        assert_eq!(to_text(b"tool\xfe.sh"), "tool\u{fffd}fe.sh");
        assert_eq!(
            to_text("tool\u{fffd}ff.sh".as_bytes()),
            "tool\u{fffd}\u{fffd}ff.sh"
        );
        assert_eq!(lossy("tool\u{fffd}ff.sh"), "tool\u{fffd}.sh");
        assert_eq!(lossy("tool\u{fffd}\u{fffd}ff.sh"), "tool\u{fffd}ff.sh");
    }

    proptest! {
        #[test]
        fn a_name_is_found_again(name in prop::collection::vec(prop_oneof![
            Just(b"ff".to_vec()), Just(b"\xff".to_vec()), Just(b"/\xe2\x82".to_vec()), Just("\u{fffd}".as_bytes().to_vec()), any::<[u8; 1]>().prop_map(Vec::from),
        ], 0..8)) {
            let name = name.concat();
            prop_assert_eq!(to_bytes(&to_text(&name)), name);
        }

        #[test]
        fn any_text_is_taken(text in "[\u{fffd}0-9a-fé+ ]{0,8}") {
            let _ = to_bytes(&text);
        }
    }
}
