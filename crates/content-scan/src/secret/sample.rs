//! Generates fake secrets for tests and corpora.
//!
//! No file in this project may contain what looks like a live token: forges refuse such pushes, and
//! readers can't tell that it is fake. Tests and corpora therefore contain templates such as
//! `ghp_⟦crc62:30⟧`. A generator seeded with the template fills the brackets at run time, so a
//! template gives the same text everywhere.

use super::check::{base62, crc32, github_alphabet};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use util::random::SplitMix;

/// A template contains an unknown kind of sample.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` isn't a kind of sample; expected b62, b64, url, hex, HEX, low, up, low36, up36, b32, bech, dig, crc62, crchex, jwt, pem"
)]
pub struct SampleError(pub String);

/// Maximum number of characters in one sample.
const LONGEST: usize = 4096;

/// Fills the brackets of a template.
///
/// - `⟦KIND:N⟧` becomes `N` characters. Kinds are `b62`, `b64`, `url` (base64url), `hex`, `HEX`,
///   `low`, `up`, `low36` and `up36` (with digits), `b32`, `bech` (bech32) and `dig`.
/// - `⟦crc62:N⟧` and `⟦crchex:N⟧` become `N` characters and their checksum.
/// - `⟦jwt⟧` becomes a signed token.
/// - `⟦pem:N⟧` becomes `N` lines of base64.
///
/// # Errors
/// Fails if a kind is unknown.
pub fn fill(template: &str) -> Result<String, SampleError> {
    // FNV-1a and SplitMix64. Any generator will do that gives the same result on every machine.
    let seed = template.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut chance = Chance(SplitMix(seed));
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, tail)) = rest.split_once('⟦') {
        out.push_str(before);
        let (kind, behind) = tail
            .split_once('⟧')
            .ok_or_else(|| SampleError(tail.to_owned()))?;
        out.push_str(&chance.sample(kind)?);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

struct Chance(SplitMix);

impl Chance {
    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length)
            .map(|_| {
                self.0
                    .next()
                    .to_le_bytes()
                    .first()
                    .copied()
                    .unwrap_or_default()
            })
            .collect()
    }

    fn of(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let count = letters.len().max(1) as u64;
        (0..length)
            .filter_map(|_| {
                usize::try_from(self.0.next() % count)
                    .ok()
                    .and_then(|n| letters.get(n))
            })
            .collect()
    }

    fn sample(&mut self, kind: &str) -> Result<String, SampleError> {
        const DIGITS: &str = "0123456789";
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let unknown = || SampleError(kind.to_owned());
        let (name, length) = match kind.split_once(':') {
            Some((name, length)) => (
                name,
                length
                    .parse()
                    .ok()
                    .filter(|n| *n <= LONGEST)
                    .ok_or_else(unknown)?,
            ),
            None => (kind, 0),
        };
        let base62_letters = format!("{DIGITS}{UPPER}{LOWER}");
        Ok(match name {
            "b62" => self.of(&base62_letters, length),
            "b64" => self.of(&format!("{base62_letters}+/"), length),
            "url" => self.of(&format!("{base62_letters}_-"), length),
            "hex" => self.of("0123456789abcdef", length),
            "HEX" => self.of("0123456789ABCDEF", length),
            "low" => self.of(LOWER, length),
            "up" => self.of(UPPER, length),
            "low36" => self.of(&format!("{LOWER}{DIGITS}"), length),
            "up36" => self.of(&format!("{UPPER}{DIGITS}"), length),
            "b32" => self.of(&format!("{UPPER}234567"), length),
            "bech" => self.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", length),
            "dig" => self.of(DIGITS, length),
            "crc62" => {
                let body = self.of(&base62_letters, length);
                let sum = base62(crc32(body.as_bytes()), github_alphabet());
                format!("{body}{}", String::from_utf8_lossy(&sum))
            }
            "crchex" => {
                let body = self.of(&base62_letters, length);
                format!("{body}_{:08x}", crc32(body.as_bytes()))
            }
            "jwt" => {
                let id = self.of("0123456789abcdef", 16);
                let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
                let head = encode(r#"{"alg":"HS256","typ":"JWT"}"#);
                let body = encode(&format!(r#"{{"sub":"{id}","iat":1768800000}}"#));
                format!("{head}.{body}.{}", URL_SAFE_NO_PAD.encode(self.bytes(32)))
            }
            "pem" => (0..length)
                .map(|_| STANDARD.encode(self.bytes(48)))
                .collect::<Vec<_>>()
                .join("\n"),
            _ => return Err(unknown()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_template_gives_the_same_text() {
        let text = fill("a ⟦hex:8⟧ b ⟦hex:8⟧").unwrap();
        assert_eq!(text, fill("a ⟦hex:8⟧ b ⟦hex:8⟧").unwrap());
        assert_eq!(text.len(), 21);
        assert_ne!(text.get(2..10).unwrap(), text.get(13..21).unwrap());
        assert_eq!(fill("nothing").unwrap(), "nothing");
        assert!(
            fill("⟦nonsense⟧").is_err() && fill("⟦hex:99999⟧").is_err() && fill("⟦hex").is_err()
        );
    }
}
