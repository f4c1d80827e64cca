//! Values assigned to a name that marks them as secret: `DB_PASSWORD=…`, `"apiKey": "…"`,
//! `Authorization: Bearer …`, `--token …`.

use super::check::{counted_runs, entropy, is_placeholder};
use super::table::{LiteralKind, Table};
use std::ops::Range;

/// Length of a value in bytes.
pub(super) const VALUE: std::ops::RangeInclusive<usize> = 12..=512;
/// Maximum number of bytes of a name that are read.
const NAME: usize = 48;

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns the name before `at`, and whether an assignment operator is between them.
pub(super) fn name_before(bytes: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    let mut pos = at;
    let mut assigns = false;
    for _ in 0..8 {
        let Some(byte) = pos.checked_sub(1).and_then(|n| bytes.get(n)) else {
            break;
        };
        match byte {
            b' ' | b'\t' | b'"' | b'\'' | b'`' | b'\\' | b']' | b')' => {}
            b':' | b'=' | b'>' => assigns = true,
            _ => break,
        }
        pos -= 1;
    }
    let end = pos;
    while end - pos < NAME && pos > 0 && bytes.get(pos - 1).is_some_and(|b| is_name_byte(*b)) {
        pos -= 1;
    }
    (pos < end && end < at).then_some((pos..end, assigns))
}

/// Returns whether a name marks its value as secret. Without an assignment operator (`assigns`),
/// only the option of a command or the scheme of a header does.
pub(super) fn is_secret_name(table: &Table, name: &[u8], assigns: bool) -> bool {
    if !assigns && !name.starts_with(b"--") && !name.eq_ignore_ascii_case(b"bearer") {
        return false;
    }
    if !table.has_literal(name)
        || !table
            .literals(name)
            .any(|(_, announced)| announced == LiteralKind::Name)
    {
        return false;
    }
    // Plurals such as `tokens` or `passwords` mostly name counts.
    let plain: Vec<u8> = name
        .iter()
        .filter(|b| b.is_ascii_alphanumeric())
        .map(u8::to_ascii_lowercase)
        .collect();
    !table
        .except
        .iter()
        .any(|end| plain.ends_with(end.as_bytes()))
}

/// Returns whether a value looks random enough to be a secret.
pub(super) fn is_secret_value(value: &[u8]) -> bool {
    if !VALUE.contains(&value.len()) || is_placeholder(value) {
        return false;
    }
    let has = |test: fn(&u8) -> bool| value.iter().any(test);
    // Without a digit, upper and lower case must be well mixed, since most names consist of letters
    // too.
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && changes(value, 40);
    if !has(u8::is_ascii_alphabetic) || !has(u8::is_ascii_digit) && !mixed {
        return false;
    }
    let refers = value.starts_with(b"$")
        || value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"~/");
    let inside = |needle: &[u8]| memchr::memmem::find(value, needle).is_some();
    if refers
        || inside(b"://")
        || inside(b"::")
        || inside(b"${")
        || inside(b"{{")
        || inside(b"()")
        || inside(b"->")
    {
        return false;
    }
    let (equal, counted) = counted_runs(value);
    let least = if value.len() < 20 { 3.0 } else { 3.2 };
    equal < 5 && counted < 6 && entropy(value) >= least && !is_words(value) && changes(value, 22)
}

/// Returns whether a value consists of words and numbers: an identifier, a path, a date, a version.
fn is_words(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value
        .split(|b| !b.is_ascii_alphanumeric())
        .filter(|p| !p.is_empty())
        .collect();
    let words = parts.iter().filter(|p| is_word(p)).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    // A UUID is more often an identifier than a secret.
    words * 10 >= parts.len() * 8 || letters * 6 < value.len() || is_uuid(value)
}

/// Returns whether a part is `word`, `Word`, `WORD` or `twoWords`, with an optional short number:
/// `utf8`, `sha256`.
fn is_word(part: &[u8]) -> bool {
    let letters = part.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let (word, number) = part.split_at_checked(letters).unwrap_or((part, &[]));
    if number.len() > 4 || !number.iter().all(u8::is_ascii_digit) {
        return false;
    }
    // A hump is a lower-case letter followed by a capital.
    let humps = word
        .windows(2)
        .filter(|p| matches!(p, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
        .count();
    let capitals = word.iter().filter(|b| b.is_ascii_uppercase()).count();
    capitals == word.len() || capitals <= humps + 1 && humps * 4 <= word.len()
}

fn is_uuid(value: &[u8]) -> bool {
    let lengths: Vec<usize> = value.split(|b| *b == b'-').map(<[u8]>::len).collect();
    lengths == [8, 4, 4, 4, 12] && value.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-')
}

/// Returns whether the class of characters changes at `percent` of all positions or more, as in
/// random text. In random hexadecimal it changes at every second position, in base 62 more often,
/// in `getValueOfField2` at every sixth.
fn changes(value: &[u8], percent: usize) -> bool {
    let kind = |b: &u8| match b {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changed = value
        .windows(2)
        .filter(|p| matches!(p, [a, b] if kind(a) != kind(b)))
        .count();
    changed * 100 >= (value.len() - 1) * percent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_behind_quotes_and_signs() {
        let name = |text: &str, at: &str| {
            let found = name_before(text.as_bytes(), text.find(at).unwrap());
            found.map(|(range, assigns)| (text.get(range).unwrap().to_owned(), assigns))
        };
        assert_eq!(
            name("DB_PASSWORD: \"v1\"", "v1"),
            Some(("DB_PASSWORD".into(), true))
        );
        assert_eq!(
            name("config[\"api-key\"] = 'v1'", "v1"),
            Some(("api-key".into(), true))
        );
        assert_eq!(
            name("curl --token v1", "v1"),
            Some(("--token".into(), false))
        );
        assert_eq!(name("v1", "v1"), None);
    }

    #[test]
    fn identifiers_are_no_values() {
        for value in [
            "self.get_token_from_v2_store",
            "process.env.API_KEY_2",
            "src/auth/token_v2.rs",
            "2026-11-22T01:02:03Z",
            "authTokenProviderFactoryV2",
            "123e4567-e89b-12d3-a456-426614174000",
            "${VAULT_SECRET_1}",
            "sha256_hex_digest_2",
            "1.2.3-beta.4",
        ] {
            assert!(!is_secret_value(value.as_bytes()), "{value}");
        }
        for value in ["q7Zk2vX9pLm4", "5f2ac91be07d4836aa10c2", "Tr0ub4dor&3kX!"] {
            assert!(is_secret_value(value.as_bytes()), "{value}");
        }
    }
}
