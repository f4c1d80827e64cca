//! Distinguishes a secret from text of the same shape: entropy, checksums, and marks of
//! placeholders.

use serde::Deserialize;

/// The kind of checksum in an issued token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Checksum {
    /// The last six characters are the CRC-32 of those before them, in base 62 (GitHub, npm).
    Crc32Base62,
    /// The last eight characters are the CRC-32, in hexadecimal, of those before the underscore
    /// (Grafana).
    Crc32Hex,
}

impl Checksum {
    /// Returns whether the checksum of the secret part is valid.
    pub(super) fn holds(self, secret: &[u8]) -> bool {
        match self {
            Self::Crc32Base62 => {
                let Some((body, sum)) = secret
                    .len()
                    .checked_sub(6)
                    .and_then(|n| secret.split_at_checked(n))
                else {
                    return false;
                };
                // Both orders of the alphabet are in use.
                [
                    base62(crc32(body), *UPPER_FIRST),
                    base62(crc32(body), *LOWER_FIRST),
                ]
                .iter()
                .any(|s| s.as_slice() == sum)
            }
            Self::Crc32Hex => {
                let Some((body, sum)) = secret
                    .len()
                    .checked_sub(9)
                    .and_then(|n| secret.split_at_checked(n))
                else {
                    return false;
                };
                sum == format!("_{:08x}", crc32(body)).as_bytes()
            }
        }
    }
}

const UPPER_FIRST: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LOWER_FIRST: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Converts a number to six digits in base 62, with leading zeros.
pub(super) fn base62(mut number: u32, alphabet: [u8; 62]) -> [u8; 6] {
    let mut digits = [0; 6];
    for digit in digits.iter_mut().rev() {
        *digit = alphabet
            .get((number % 62) as usize)
            .copied()
            .unwrap_or_default();
        number /= 62;
    }
    digits
}

/// Returns the order of digits and letters that GitHub uses.
pub(super) const fn github_alphabet() -> [u8; 62] {
    *UPPER_FIRST
}

/// Computes the CRC-32 that gzip uses.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Computes the Shannon entropy in bits per character.
pub(super) fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "secrets are shorter than 2^52 bytes"
    )]
    let length = bytes.len() as f64;
    let bits = |count: u32| {
        let share = f64::from(count) / length;
        -share * share.log2()
    };
    counts.iter().filter(|c| **c > 0).map(|c| bits(*c)).sum()
}

/// Returns the lengths of the longest run of equal characters, and of characters that count up or
/// down.
pub(super) fn counted_runs(bytes: &[u8]) -> (usize, usize) {
    let (mut equal, mut counted) = (1, 1);
    let (mut longest_equal, mut longest_counted) = (1, 1);
    let mut step = 0;
    for pair in bytes.windows(2) {
        let [a, b] = pair else { continue };
        let difference = i16::from(*b) - i16::from(*a);
        equal = if difference == 0 { equal + 1 } else { 1 };
        counted = if difference.abs() == 1 && difference == step {
            counted + 1
        } else {
            2
        };
        step = difference;
        longest_equal = longest_equal.max(equal);
        longest_counted = longest_counted.max(if difference.abs() == 1 { counted } else { 1 });
    }
    (longest_equal, longest_counted)
}

/// Words that mark a placeholder.
const PLACEHOLDERS: [&str; 17] = [
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "your_",
    "your-",
    "dummy",
    "redacted",
    "xxxx",
    "****",
    "....",
    "sample",
    "replace",
    "insert",
    "not-a-real",
    "notareal",
];

/// Returns whether a value is marked as a placeholder.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS
        .iter()
        .any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_shannons() {
        assert!(entropy(b"aaaa").abs() < 1e-9);
        assert!((entropy(b"abab") - 1.0).abs() < 1e-9);
        assert!((entropy(b"0123456789abcdef") - 4.0).abs() < 1e-9);
    }

    #[test]
    fn checksums_hold_or_not() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(base62(61, *UPPER_FIRST), *b"00000z");
        let body = b"0123456789abcdefghijABCDEFGHIJ";
        let token = [body.as_slice(), &base62(crc32(body), *UPPER_FIRST)].concat();
        assert!(Checksum::Crc32Base62.holds(&token));
        let mut other = token.clone();
        other[3] ^= 1;
        assert!(!Checksum::Crc32Base62.holds(&other));
        assert!(!Checksum::Crc32Base62.holds(b"abc"));
    }

    #[test]
    fn runs_are_measured() {
        assert_eq!(counted_runs(b"aaab"), (3, 2));
        assert_eq!(counted_runs(b"x123456y"), (1, 6));
        assert_eq!(counted_runs(b"987"), (1, 3));
        assert_eq!(counted_runs(b""), (1, 1));
    }
}
