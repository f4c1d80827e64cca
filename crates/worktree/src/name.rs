//! Names of files as text. In git they are bytes, mostly UTF-8; text that only stands for what is
//! none (U+FFFD) is the same for many names, and one of them must not pass for another.

/// The sign that stands before two hexadecimal digits for a byte that is no UTF-8, and before
/// itself for itself.
const MARK: char = char::REPLACEMENT_CHARACTER;

/// A name as text that no other name has: what is no UTF-8 is written as U+FFFD and the two digits
/// of each byte, and U+FFFD itself twice. All other names are themselves.
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

/// The name that [`to_text`] has written so.
#[must_use]
pub fn to_bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut pieces = text.split(MARK);
    out.extend(pieces.next().unwrap_or_default().bytes());
    while let Some(piece) = pieces.next() {
        let escaped = piece.split_at_checked(2).and_then(|(digits, rest)| {
            // Every byte of ASCII is UTF-8, and is never written so: no separator can come out of
            // two digits.
            let byte = u8::from_str_radix(digits, 16)
                .ok()
                .filter(|byte| !byte.is_ascii())?;
            Some((byte, rest))
        });
        if let Some((byte, rest)) = escaped {
            out.push(byte);
            out.extend(rest.bytes());
        } else {
            // The mark itself: it stands twice, with nothing between.
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

/// A name as those write it who know of text only: U+FFFD stands for what is no UTF-8. Many names
/// are the same then.
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
