//! Modes of files that code sets, compared with what `chmod` of the shell may set.

use super::lex::Token;
use crate::chars::has_unknown;

/// Bits that make a program run with its owner's or group's rights.
const SPECIAL: u32 = 0o6000;
/// The bit that lets anyone write.
const WORLD_WRITES: u32 = 0o2;

/// Returns whether code that changes modes may give a file rights that it mustn't have: a mode in
/// the code does so, or isn't known.
pub(super) fn may_weaken(text: &str, tokens: &[Token]) -> bool {
    if !tokens.iter().any(changes_modes) {
        return false;
    }
    let named = |word: &str| matches!(word, "S_ISUID" | "S_ISGID" | "S_IWOTH" | "S_IRWXO");
    tokens.iter().any(|token| match token {
        Token::Name(name) => words(name).any(named),
        Token::Str(text, _) => has_unknown(text) || symbolic(text) || octal_text(text),
        Token::Unknown(_) => true,
        _ => false,
    }) || numbers(text).any(weakens)
}

/// Returns whether a token is the name of a function that changes the mode of a file.
fn changes_modes(token: &Token) -> bool {
    let name = token.name().and_then(|name| words(name).last());
    name.is_some_and(|name| {
        let name = name.trim_end_matches("Sync").trim_end_matches("_R");
        matches!(name, "chmod" | "fchmod" | "lchmod")
    })
}

/// Returns the words of a dotted name.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// Returns whether a text is a symbolic mode: `u+s`, `a=rwx`.
fn symbolic(text: &str) -> bool {
    text.split(',').any(|part| {
        let Some((who, rights)) = part.split_once(['+', '=']) else {
            return false;
        };
        who.bytes().all(|c| b"ugoa".contains(&c))
            && !rights.is_empty()
            && rights.bytes().all(|c| b"rwxXst".contains(&c))
            && (rights.contains('s') || rights.contains('w') && !matches!(who, "u" | "g" | "ug"))
    })
}

/// Returns whether a text is a mode in octal digits with such rights: `"4755"`.
fn octal_text(text: &str) -> bool {
    let digits = text.trim_start_matches("0o");
    let octal = (3..=5).contains(&digits.len());
    octal && u32::from_str_radix(digits, 8).is_ok_and(|mode| weakens((mode, true)))
}

/// Returns whether a number is a mode with such rights. A decimal number is one only if it has
/// rights for the owner as well.
fn weakens((mode, octal): (u32, bool)) -> bool {
    if mode > 0o7777 {
        return false;
    }
    if octal {
        return mode & (SPECIAL | WORLD_WRITES) != 0;
    }
    mode & SPECIAL != 0 && mode & 0o700 != 0 || matches!(mode, 0o777 | 0o666)
}

/// Returns the numbers of a text, and whether they are written in octal digits. Complements
/// (`~0o022`) remove rights.
fn numbers(text: &str) -> impl Iterator<Item = (u32, bool)> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '~' | ':' | '-');
    let words = text.split(move |c| !part(c));
    words.filter_map(|word| {
        let word = word.trim_matches(['.', ':', '-']).replace('_', "");
        let lower = word.to_ascii_lowercase();
        let radix = |prefix: &str, radix: u32| {
            let digits = lower.strip_prefix(prefix)?;
            u32::from_str_radix(digits, radix).ok()
        };
        let octal = radix("0o", 8).or_else(|| (word.len() > 3).then(|| radix("0", 8))?);
        if let Some(mode) = octal {
            return Some((mode, true));
        }
        let other = radix("0x", 16).or_else(|| radix("0b", 2));
        other.or_else(|| lower.parse().ok()).map(|n| (n, false))
    })
}
