//! The words of a text, for searching: prose, code and scripts without spaces alike.
//!
//! - Words are runs of letters, digits and `_`, folded to lower case and without diacritics; full-width Latin is read as
//!   Latin.
//! - Identifiers are found whole and by their parts: `parseHTTPHeader` is `parsehttpheader`, `parse`, `http` and `header`.
//! - Endings of English are folded lightly: plurals (Harman's S stemmer, "How effective is suffixing?", 1991), `-ing` and `-ed`
//!   (step 1b of Porter's, "An algorithm for suffix stripping", 1980) and the `e` that they take the place of: `cached`, `caching`
//!   and `caches` are `cach`, as is `cache`. No ending that makes another word, such as `-er` or `-ation`, is.
//! - Chinese, Japanese and Korean have no spaces that could be relied on: each pair of neighbouring characters is a word, and
//!   the last of a run by itself, so that a single character is found as the beginning of a word.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization as _;

/// Bytes of the longest word that is indexed: a SHA-512 in hexadecimal fits, an image in base64 doesn't.
const LONGEST: usize = 128;

/// Words that questions hold and that no answer is found by.
const FUNCTION_WORDS: [&str; 62] = [
    "a", "about", "after", "all", "an", "and", "any", "are", "at", "be", "been", "before", "but", "by", "can", "could", "did",
    "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on",
    "or", "our", "should", "so", "that", "the", "their", "then", "there", "they", "this", "to", "was", "we", "were", "what",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// Whether a word of a question says nothing about the answer.
#[must_use]
pub fn is_function_word(word: &str) -> bool {
    // The longest of them have six letters.
    word.len() <= 6 && FUNCTION_WORDS.binary_search(&word).is_ok()
}

/// Characters of scripts that are written without spaces, or with spaces that don't part words: Han, kana, Hangul.
#[must_use]
pub const fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3105}'..='\u{318f}'
        | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Marks that are combined with a letter.
const fn is_diacritic(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Full-width forms as what they stand for.
const fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => match char::from_u32(c as u32 - 0xfee0) {
            Some(narrow) => narrow,
            None => c,
        },
        c => c,
    }
}

/// Calls `emit` for every word of the text, in its order. Identifiers give the whole and the parts.
pub fn each(text: &str, emit: &mut dyn FnMut(&str)) {
    walk(text, true, emit);
}

/// As [`each`]; `quick` cuts words of ASCII out as they stand, which changes nothing but the time it takes.
fn walk(text: &str, quick: bool, emit: &mut dyn FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut word = String::new();
    let mut run: Option<char> = None;
    let mut pair = String::new();
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        if quick && word.is_empty() && first.is_ascii() {
            end_run(&mut run, emit);
            let length = |test: fn(u8) -> bool, from: usize| {
                bytes.get(from..).unwrap_or_default().iter().take_while(|b| test(**b)).count()
            };
            let start = at + length(|b| b.is_ascii() && !is_word_byte(b), at);
            let end = start + length(is_word_byte, start);
            let found = text.get(start..end).unwrap_or_default();
            if bytes.get(end).is_none_or(u8::is_ascii) {
                identifier(found, emit);
            } else {
                // What follows may go on with the word.
                word.push_str(found);
            }
            at = end;
            continue;
        }
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        at += c.len_utf8();
        let c = narrow(c);
        if is_diacritic(c) {
            continue;
        }
        if is_cjk(c) && !c.is_ascii() {
            end_word(&mut word, emit);
            if let Some(before) = run {
                pair.clear();
                pair.push(before);
                pair.push(c);
                emit(&pair);
            }
            run = Some(c);
            continue;
        }
        end_run(&mut run, emit);
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            end_word(&mut word, emit);
        }
    }
    end_run(&mut run, emit);
    end_word(&mut word, emit);
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn end_run(run: &mut Option<char>, emit: &mut dyn FnMut(&str)) {
    if let Some(last) = run.take() {
        emit(last.encode_utf8(&mut [0; 4]));
    }
}

/// Emits a run of letters, digits and `_`, and empties it.
fn end_word(word: &mut String, emit: &mut dyn FnMut(&str)) {
    if word.is_ascii() {
        identifier(word, emit);
    } else if word.len() <= LONGEST {
        let plain: String = word.nfd().filter(|c| !is_diacritic(*c)).collect();
        identifier(&plain, emit);
    }
    word.clear();
}

/// Emits the words of an identifier: itself and its parts.
fn identifier(word: &str, emit: &mut dyn FnMut(&str)) {
    if word.is_empty() || word.len() > LONGEST {
        return;
    }
    let small = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let (first, rest) = word.as_bytes().split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
    if !rest.iter().all(|b| small(*b)) {
        compound(word, emit);
    } else if small(first) {
        emit(&stem(word));
    } else if first.is_ascii_uppercase() {
        // One part, at the beginning of a sentence or a name.
        emit(&stem(&word.to_ascii_lowercase()));
    } else {
        compound(word, emit);
    }
}

fn compound(word: &str, emit: &mut dyn FnMut(&str)) {
    let parts = parts(word);
    let lower: Vec<String> = parts.iter().map(|p| p.to_lowercase()).collect();
    if lower.len() > 1 {
        emit(&stem(&lower.concat()));
    }
    for part in &lower {
        emit(&stem(part));
    }
}

/// The parts of an identifier: at `_`, where lower case turns to upper case, and before the last capital of several.
fn parts(word: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut chars = word.char_indices().peekable();
    let mut cut = |from: usize, to: usize| all.extend(word.get(from..to).filter(|p| !p.is_empty()));
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        if c == '_' {
            cut(start, at);
            start = at + 1;
        } else if c.is_uppercase()
            && before.is_some_and(|b| b != '_' && (!b.is_uppercase() || next.is_some_and(char::is_lowercase)))
        {
            cut(start, at);
            start = at;
        }
        before = Some(c);
    }
    cut(start, word.len());
    all
}

/// The word without an ending that only bends it.
fn stem(word: &str) -> Cow<'_, str> {
    let may_bend = matches!(word.as_bytes(), [_, _, .., b's' | b'e' | b'd' | b'g']);
    if word.len() < 4 || !may_bend || !word.is_ascii() || is_function_word(word) {
        return Cow::Borrowed(word);
    }
    match singular(word) {
        Cow::Borrowed(word) => Cow::Borrowed(unbent(word)),
        Cow::Owned(word) => Cow::Owned(unbent(&word).to_owned()),
    }
}

/// The word without `-ing`, `-ed` or the `e` that they take the place of.
fn unbent(word: &str) -> &str {
    let vowel = |b: u8| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let bent = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed").filter(|stem| !stem.ends_with('e')));
    match bent {
        Some(stem) if stem.len() < 3 || !stem.bytes().any(vowel) => word,
        Some(stem) => match stem.as_bytes() {
            // `running` is of `run`, `falling` of `fall`.
            [_, .., a, b] if stem.len() > 3 && a == b && !vowel(*b) && !matches!(b, b'l' | b's' | b'z') => {
                stem.get(..stem.len() - 1).unwrap_or(stem)
            }
            _ => stem,
        },
        None => word.strip_suffix('e').filter(|stem| stem.len() >= 3).unwrap_or(word),
    }
}

/// The word without the ending of a plural.
fn singular(word: &str) -> Cow<'_, str> {
    if word.len() < 4 || !word.ends_with('s') || !word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let ends = |with: &[&str]| with.iter().any(|w| word.ends_with(w));
    let cut = |n: usize| word.get(..word.len() - n).unwrap_or(word);
    if ends(&["ies"]) && word.len() > 4 {
        return Cow::Owned(format!("{}y", cut(3)));
    }
    Cow::Borrowed(match () {
        () if ends(&["sses", "ches", "shes", "xes"]) => cut(2),
        () if ends(&["us", "ss", "is", "aes", "ees", "oes"]) => word,
        () => cut(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each(text, &mut |w| all.push(w.to_owned()));
        all
    }

    #[test]
    fn identifiers_are_found_whole_and_in_parts() {
        assert_eq!(words("parseHTTPHeader"), ["parsehttpheader", "pars", "http", "header"]);
        assert_eq!(words("snake_case __init__"), ["snakecas", "snak", "cas", "init"]);
        assert_eq!(words("SCREAMING_SNAKE"), ["screamingsnak", "scream", "snak"]);
        assert_eq!(words("Word"), ["word"]);
        assert_eq!(words("src/main.rs sha256"), ["src", "main", "rs", "sha256"]);
        assert_eq!(words("ＡＢＣ１"), ["abc1"]);
        assert_eq!(words("Café cafe\u{301} ÄRGER naïveté"), ["caf", "caf", "arger", "naivet"]);
    }

    #[test]
    fn plurals_are_folded() {
        assert_eq!(words("files classes status pass queries this"), ["fil", "class", "status", "pass", "query", "this"]);
    }

    #[test]
    fn endings_that_only_bend_are_folded() {
        assert_eq!(words("cache caches cached caching"), ["cach"; 4]);
        assert_eq!(words("run runs running"), ["run"; 3]);
        assert_eq!(words("settings set added add falling"), ["set", "set", "add", "add", "fall"]);
        // What isn't such an ending stays, and so do the words that questions are made of.
        assert_eq!(
            words("string thing speed tree need there before these"),
            ["string", "thing", "speed", "tre", "need", "there", "before", "thes"]
        );
    }

    #[test]
    fn scripts_without_spaces_are_paired() {
        assert_eq!(words("重新索引 ok"), ["重新", "新索", "索引", "引", "ok"]);
        assert_eq!(words("x東y"), ["x", "東", "y"]);
        assert_eq!(words("テスト"), ["テス", "スト", "ト"]);
    }

    #[test]
    fn function_words_are_sorted() {
        assert!(FUNCTION_WORDS.windows(2).all(|w| w[0] < w[1]));
        assert!(is_function_word("the") && !is_function_word("index"));
    }

    proptest! {
        #[test]
        fn every_word_is_short_folded_and_without_space(text in "\\PC{0,80}") {
            for word in words(&text) {
                prop_assert!(!word.is_empty() && word.len() <= 4 * LONGEST);
                prop_assert!(!word.contains(|c: char| c.is_whitespace() || c == '"' || c.is_ascii_uppercase()));
            }
        }

        #[test]
        fn words_of_ascii_are_those_of_any_text(text in "([a-zA-Z0-9_ .]|é|\u{301}|索|引|Ａ|ｂ|ß|İ){0,40}") {
            let mut slowly = Vec::new();
            walk(&text, false, &mut |w| slowly.push(w.to_owned()));
            prop_assert_eq!(words(&text), slowly);
        }

        #[test]
        fn a_question_and_an_answer_give_the_same_words(text in "[a-zA-Z_]{1,20}") {
            // Found by itself wherever it stands.
            let inside = words(&format!("({text})"));
            prop_assert_eq!(words(&text), inside);
        }
    }
}
