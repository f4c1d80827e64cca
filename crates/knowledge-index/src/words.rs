//! Extracts the words of a text for searching: prose, code, and scripts without spaces.
//!
//! - Words are runs of letters, digits and `_`, folded to lower case and without diacritics;
//!   full-width Latin is read as Latin.
//! - Identifiers are found whole and by their parts: `parseHTTPHeader` is `parsehttpheader`,
//!   `parse`, `http` and `header`.
//! - Endings of English are folded lightly: plurals (Harman's S stemmer, "How effective is
//!   suffixing?", 1991), `-ing` and `-ed` (step 1b of Porter's, "An algorithm for suffix
//!   stripping", 1980) and the `e` that they take the place of: `cached`, `caching` and `caches`
//!   are `cach`, as is `cache`. No ending that makes another word, such as `-er` or `-ation`, is.
//! - Chinese, Japanese and Korean have no spaces that could be relied on: each pair of neighbouring
//!   characters is a word, and the last of a run by itself, so that a single character is found as
//!   the beginning of a word.

use std::borrow::Cow;
use text_simd::{self, CHUNK, Kinds as _};
use unicode_normalization::UnicodeNormalization as _;

/// Maximum length of an indexed word in bytes: a SHA-512 in hexadecimal fits, an image in base64
/// doesn't.
const LONGEST: usize = 128;

/// Function words of questions, which are ignored in a search.
const FUNCTION_WORDS: [&str; 87] = [
    "a", "about", "after", "all", "am", "an", "and", "any", "anyway", "are", "as", "at", "be",
    "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "else", "for",
    "from", "get", "got", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its",
    "like", "may", "me", "might", "must", "my", "no", "not", "of", "on", "or", "our", "out",
    "over", "per", "should", "so", "some", "such", "tell", "than", "that", "the", "their", "them",
    "then", "there", "they", "this", "to", "too", "up", "us", "was", "we", "were", "what", "when",
    "where", "which", "who", "whom", "why", "will", "with", "would", "you", "your",
];

/// Words that frame a question in English, as they are indexed: they say little about the answer,
/// but may be what is asked about.
const FRAME_WORDS: [&str; 21] = [
    "actually",
    "describ",
    "exactly",
    "explain",
    "happen",
    "know",
    "let",
    "many",
    "mean",
    "much",
    "need",
    "pleas",
    "possibl",
    "thing",
    "understand",
    "use",
    "used",
    "using",
    "want",
    "way",
    "work",
];

/// Function words of Chinese questions, the longest first. They have no blanks around them.
const CHINESE_FUNCTION_WORDS: [&str; 38] = [
    "什么时候",
    "可不可以",
    "什么意思",
    "为什么",
    "怎么样",
    "有没有",
    "怎么办",
    "怎么做",
    "能不能",
    "会不会",
    "是不是",
    "要不要",
    "什么",
    "怎么",
    "怎样",
    "如何",
    "哪里",
    "哪个",
    "哪些",
    "哪儿",
    "多少",
    "是否",
    "能否",
    "请问",
    "可以",
    "应该",
    "我们",
    "多久",
    "多大",
    "多快",
    "多长",
    "意思",
    "的",
    "了",
    "吗",
    "呢",
    "吧",
    "谁",
];
/// Characters that are function words as well as parts of words: a pair with one of them that no
/// text contains isn't a word.
const CHINESE_FUNCTION_CHARS: [char; 24] = [
    '在', '是', '有', '会', '中', '到', '从', '和', '与', '被', '把', '让', '对', '就', '都', '也',
    '还', '要', '能', '个', '由', '时', '不', '以',
];

/// Replaces the function words of a Chinese question by blanks.
#[must_use]
pub fn without_function_words(text: &str) -> Cow<'_, str> {
    if !text.contains(is_cjk) {
        return Cow::Borrowed(text);
    }
    let replaced = CHINESE_FUNCTION_WORDS
        .iter()
        .fold(text.to_owned(), |text, word| text.replace(word, " "));
    Cow::Owned(replaced)
}

/// Whether a character may be a function word of Chinese.
#[must_use]
pub fn is_function_char(c: char) -> bool {
    CHINESE_FUNCTION_CHARS.contains(&c)
}

/// Whether a word of a question says nothing about the answer.
#[must_use]
pub fn is_function_word(word: &str) -> bool {
    // The longest function words have six letters.
    word.len() <= 6 && FUNCTION_WORDS.binary_search(&word).is_ok()
}

/// Whether a word of a question says little about the answer.
#[must_use]
pub fn is_frame_word(word: &str) -> bool {
    FRAME_WORDS.binary_search(&word).is_ok()
}

/// Whether a character is of a script without spaces or whose spaces don't separate words: Han,
/// kana, Hangul.
#[must_use]
pub const fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}'
        | '\u{3105}'..='\u{318f}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character is a combining diacritic.
const fn is_diacritic(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Maps full-width characters to their ASCII forms.
const fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => match char::from_u32(c as u32 - 0xfee0) {
            Some(narrow) => narrow,
            None => c,
        },
        c => c,
    }
}

/// Calls `emit` for every word of a text in order. Identifiers give the whole and their parts.
pub fn each(text: &str, emit: &mut impl FnMut(&str)) {
    let (stretches, rest) = text.as_bytes().as_chunks();
    let mut open: Option<Open> = None;
    // Padded with at least one zero byte, which ends the last run.
    let last = text_simd::first(rest);
    for (at, stretch) in (0..).step_by(CHUNK).zip(stretches.iter().chain([&last])) {
        let signs = Signs::of(stretch);
        let mut edges = signs.run ^ (signs.run << 1 | u64::from(open.is_some()));
        let mut from = 0;
        while edges != 0 {
            let to = edges.trailing_zeros();
            edges &= edges - 1;
            match open.take() {
                None => {
                    open = Some(Open {
                        start: at + to as usize,
                        foreign: false,
                        joined: false,
                    });
                }
                Some(run) => {
                    let run = run.with(signs, from, to, at);
                    run.end(
                        text.get(run.start..at + to as usize).unwrap_or_default(),
                        emit,
                    );
                }
            }
            from = to;
        }
        open = open.map(|run| run.with(signs, from, u64::BITS, at));
    }
}

/// Classes of the bytes in a chunk, one bit per byte.
#[derive(Clone, Copy)]
struct Signs {
    /// Word bytes, and non-ASCII bytes, which may be part of words.
    run: u64,
    /// Non-ASCII bytes.
    foreign: u64,
    /// Capitals and `_`, at which identifiers are split.
    joint: u64,
}

impl Signs {
    fn of(stretch: &[u8; CHUNK]) -> Self {
        let lanes = text_simd::lanes(stretch);
        // A mask is made of the highest bit of each byte, which is set in non-ASCII bytes.
        let foreign = text_simd::word(lanes);
        let joint = text_simd::word(lanes.map(|l| l.within(b'A', b'Z') | l.are(b'_')));
        let plain = text_simd::word(lanes.map(|l| l.within(b'a', b'z') | l.within(b'0', b'9')));
        Self {
            run: plain | joint | foreign,
            foreign,
            joint,
        }
    }
}

/// A run of letters, digits, `_` and non-ASCII characters whose end isn't known yet.
#[derive(Clone, Copy)]
struct Open {
    start: usize,
    /// Whether the run contains non-ASCII characters.
    foreign: bool,
    /// Whether the run contains capitals or `_` after its first byte.
    joined: bool,
}

impl Open {
    /// Adds the flags of the bytes `from..to` of a chunk that begins at offset `at`.
    fn with(self, signs: Signs, from: u32, to: u32, at: usize) -> Self {
        let held = !0 << from & !u64::MAX.checked_shl(to).unwrap_or_default();
        let behind = if self.start >= at {
            held & held << 1
        } else {
            held
        };
        Self {
            foreign: self.foreign || signs.foreign & held != 0,
            joined: self.joined || signs.joint & behind != 0,
            ..self
        }
    }

    fn end(self, run: &str, emit: &mut impl FnMut(&str)) {
        if self.foreign {
            walk(run, emit);
        } else {
            identifier(run, self.joined, emit);
        }
    }
}

/// Calls `emit` for every word of any text, one character at a time.
fn walk(text: &str, emit: &mut impl FnMut(&str)) {
    let mut word = String::new();
    let mut run: Option<char> = None;
    let mut pair = String::new();
    for c in text.chars() {
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

fn end_run(run: &mut Option<char>, emit: &mut impl FnMut(&str)) {
    if let Some(last) = run.take() {
        emit(last.encode_utf8(&mut [0; 4]));
    }
}

/// Emits a run of letters, digits and `_`, and clears it.
fn end_word(word: &mut String, emit: &mut impl FnMut(&str)) {
    if word.is_ascii() {
        identifier(word, true, emit);
    } else if word.len() <= LONGEST {
        let plain: String = word.nfd().filter(|c| !is_diacritic(*c)).collect();
        identifier(&plain, true, emit);
    }
    word.clear();
}

/// Emits an identifier and its parts. Unless `joined`, it has no parts.
fn identifier(word: &str, joined: bool, emit: &mut impl FnMut(&str)) {
    let Some(first) = word.bytes().next().filter(|_| word.len() <= LONGEST) else {
        return;
    };
    if joined || first == b'_' {
        return compound(word, emit);
    }
    if !first.is_ascii_uppercase() {
        return emit(&stem(word));
    }
    // A single part whose first letter may be a capital.
    let mut small = [0; LONGEST];
    let Some(small) = small.get_mut(..word.len()) else {
        return;
    };
    small.copy_from_slice(word.as_bytes());
    small.make_ascii_lowercase();
    emit(&stem(std::str::from_utf8(small).unwrap_or_default()));
}

fn compound(word: &str, emit: &mut impl FnMut(&str)) {
    let mut small = String::with_capacity(word.len());
    let mut ends = Vec::new();
    for part in parts(word) {
        if part.is_ascii() {
            small.push_str(part);
        } else {
            small.push_str(&part.to_lowercase());
        }
        ends.push(small.len());
    }
    small.make_ascii_lowercase();
    if ends.len() > 1 {
        emit(&stem(&small));
    }
    let mut start = 0;
    for end in ends {
        emit(&stem(small.get(start..end).unwrap_or_default()));
        start = end;
    }
}

/// Splits an identifier at `_`, where lower case changes to upper case, and before the last of
/// several capitals.
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
            && before.is_some_and(|b| {
                b != '_' && (!b.is_uppercase() || next.is_some_and(char::is_lowercase))
            })
        {
            cut(start, at);
            start = at;
        }
        before = Some(c);
    }
    cut(start, word.len());
    all
}

/// Words of questions that only seem to have an inflection.
fn is_unbent(word: &str) -> bool {
    matches!(
        word,
        "before" | "else" | "have" | "like" | "some" | "there" | "were" | "where"
    )
}

/// Returns the word without an inflection.
fn stem(word: &str) -> Cow<'_, str> {
    let may_bend = matches!(word.as_bytes(), [_, _, .., b's' | b'e' | b'd' | b'g']);
    if word.len() < 4 || !may_bend || !word.is_ascii() || is_unbent(word) {
        return Cow::Borrowed(word);
    }
    match singular(word) {
        Cow::Borrowed(word) => Cow::Borrowed(unbent(word)),
        Cow::Owned(word) => Cow::Owned(unbent(&word).to_owned()),
    }
}

/// Returns the word without `-ing`, `-ed` or the `e` that they replace.
fn unbent(word: &str) -> &str {
    let vowel = |b: u8| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let bent = word
        .strip_suffix("ing")
        .or_else(|| word.strip_suffix("ed").filter(|stem| !stem.ends_with('e')));
    match bent {
        Some(stem) if stem.len() < 3 || !stem.bytes().any(vowel) => word,
        Some(stem) => match stem.as_bytes() {
            // `running` comes from `run`, `falling` from `fall`.
            [_, .., a, b]
                if stem.len() > 3 && a == b && !vowel(*b) && !matches!(b, b'l' | b's' | b'z') =>
            {
                stem.get(..stem.len() - 1).unwrap_or(stem)
            }
            _ => stem,
        },
        None => word
            .strip_suffix('e')
            .filter(|stem| stem.len() >= 3)
            .unwrap_or(word),
    }
}

/// Returns the singular of a word.
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
        assert_eq!(
            words("parseHTTPHeader"),
            ["parsehttpheader", "pars", "http", "header"]
        );
        assert_eq!(
            words("snake_case __init__"),
            ["snakecas", "snak", "cas", "init"]
        );
        assert_eq!(
            words("SCREAMING_SNAKE"),
            ["screamingsnak", "scream", "snak"]
        );
        assert_eq!(words("Word"), ["word"]);
        assert_eq!(words("src/main.rs sha256"), ["src", "main", "rs", "sha256"]);
        assert_eq!(words("ＡＢＣ１"), ["abc1"]);
        assert_eq!(
            words("Café cafe\u{301} ÄRGER naïveté"),
            ["caf", "caf", "arger", "naivet"]
        );
    }

    #[test]
    fn plurals_are_folded() {
        assert_eq!(
            words("files classes status pass queries this"),
            ["fil", "class", "status", "pass", "query", "this"]
        );
    }

    #[test]
    fn endings_that_only_bend_are_folded() {
        assert_eq!(words("cache caches cached caching"), ["cach"; 4]);
        assert_eq!(words("run runs running"), ["run"; 3]);
        assert_eq!(
            words("settings set added add falling"),
            ["set", "set", "add", "add", "fall"]
        );
        // Other endings stay, and so do the function words of questions.
        assert_eq!(
            words("string thing speed tree need there before these"),
            [
                "string", "thing", "speed", "tre", "need", "there", "before", "thes"
            ]
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
        assert!(FRAME_WORDS.windows(2).all(|w| w[0] < w[1]));
        assert!(is_frame_word("happen") && !is_frame_word("lexer"));
        let lengths: Vec<usize> = CHINESE_FUNCTION_WORDS.iter().map(|w| w.len()).collect();
        assert!(lengths.is_sorted_by(|a, b| a >= b));
        for word in FUNCTION_WORDS {
            assert_eq!(
                is_unbent(word),
                word.len() >= 4 && unbent(&singular(word)) != word,
                "{word}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_word_is_short_folded_and_without_space(text in "\\PC{0,80}") {
            for word in words(&text) {
                prop_assert!(!word.is_empty() && word.len() <= 4 * LONGEST);
                let odd = |c: char| c.is_whitespace() || c == '"' || c.is_ascii_uppercase();
                prop_assert!(!word.contains(odd));
            }
        }

        #[test]
        fn words_of_ascii_are_those_of_any_text(
            text in "([a-zA-Z0-9_ .]|[a-z]{1,40}|é|\u{301}|索|引|Ａ|ｂ|ß|İ){0,200}"
        ) {
            let mut slowly = Vec::new();
            walk(&text, &mut |w| slowly.push(w.to_owned()));
            prop_assert_eq!(words(&text), slowly);
        }

        #[test]
        fn a_question_and_an_answer_give_the_same_words(text in "[a-zA-Z_]{1,20}") {
            // The word is found regardless of the text around it.
            let inside = words(&format!("({text})"));
            prop_assert_eq!(words(&text), inside);
        }
    }
}
