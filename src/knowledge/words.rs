//! The words of a text, for searching: prose, code and scripts without spaces alike.
//!
//! - Words are runs of letters, digits and `_`, folded to lower case and without diacritics; full-width Latin is read as
//!   Latin.
//! - Identifiers are found whole and by their parts: `parseHTTPHeader` is `parsehttpheader`, `parse`, `http` and `header`.
//! - Plurals are folded (Harman's S stemmer, "How effective is suffixing?", 1991, which conflates little and errs little).
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
    FUNCTION_WORDS.binary_search(&word).is_ok()
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
    let mut word = String::new();
    let mut run: Option<char> = None;
    let mut pair = String::new();
    for c in text.chars().map(narrow).filter(|c| !is_diacritic(*c)) {
        if is_cjk(c) && !c.is_ascii() {
            identifier(&mut word, emit);
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
        } else if !word.is_empty() {
            identifier(&mut word, emit);
        }
    }
    end_run(&mut run, emit);
    identifier(&mut word, emit);
}

fn end_run(run: &mut Option<char>, emit: &mut dyn FnMut(&str)) {
    if let Some(last) = run.take() {
        emit(last.encode_utf8(&mut [0; 4]));
    }
}

/// Emits a run of letters, digits and `_`, and empties it.
fn identifier(word: &mut String, emit: &mut dyn FnMut(&str)) {
    if word.is_empty() {
        return;
    }
    if word.len() <= LONGEST {
        if !word.is_ascii() {
            *word = word.nfd().filter(|c| !is_diacritic(*c)).collect();
        }
        let simple = word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if simple {
            emit(&singular(word));
        } else {
            compound(word, emit);
        }
    }
    word.clear();
}

fn compound(word: &str, emit: &mut dyn FnMut(&str)) {
    let parts = parts(word);
    let lower: Vec<String> = parts.iter().map(|p| p.to_lowercase()).collect();
    if lower.len() > 1 {
        emit(&singular(&lower.concat()));
    }
    for part in &lower {
        emit(&singular(part));
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

/// The words of a text as they are given to the full-text index, parted by spaces.
#[must_use]
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    each(text, &mut |word| {
        out.push_str(word);
        out.push(' ');
    });
    out
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
        assert_eq!(words("parseHTTPHeader"), ["parsehttpheader", "parse", "http", "header"]);
        assert_eq!(words("snake_case __init__"), ["snakecase", "snake", "case", "init"]);
        assert_eq!(words("SCREAMING_SNAKE"), ["screamingsnake", "screaming", "snake"]);
        assert_eq!(words("Word"), ["word"]);
        assert_eq!(words("src/main.rs sha256"), ["src", "main", "rs", "sha256"]);
        assert_eq!(words("ＡＢＣ１"), ["abc1"]);
        assert_eq!(words("Café cafe\u{301} ÄRGER naïveté"), ["cafe", "cafe", "arger", "naivete"]);
    }

    #[test]
    fn plurals_are_folded() {
        assert_eq!(words("files classes status pass queries this"), ["file", "class", "status", "pass", "query", "this"]);
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
        fn a_question_and_an_answer_give_the_same_words(text in "[a-zA-Z_]{1,20}") {
            // Found by itself wherever it stands.
            let inside = words(&format!("({text})"));
            prop_assert_eq!(words(&text), inside);
        }
    }
}
