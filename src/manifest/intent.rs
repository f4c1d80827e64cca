//! Detects intents of skills that say nothing specific.

use text_safety::invisible_chars::is_ignorable;
use unicode_normalization::UnicodeNormalization as _;

/// Words that say nothing about a purpose, alone or combined.
const VAGUE: [&str; 71] = [
    "any",
    "anything",
    "anyone",
    "anywhere",
    "all",
    "every",
    "everything",
    "everyone",
    "everywhere",
    "general",
    "generic",
    "default",
    "universal",
    "whatever",
    "various",
    "misc",
    "miscellaneous",
    "other",
    "others",
    "catch",
    "purpose",
    "purposes",
    "task",
    "tasks",
    "thing",
    "things",
    "request",
    "requests",
    "job",
    "jobs",
    "work",
    "stuff",
    "kind",
    "kinds",
    "sort",
    "sorts",
    "use",
    "of",
    "the",
    "a",
    "an",
    "do",
    "does",
    "for",
    "and",
    "or",
    "is",
    "it",
    "wildcard",
    "wildcards",
    "multi",
    "multiple",
    "arbitrary",
    "unspecified",
    "unlimited",
    "unrestricted",
    "assorted",
    "something",
    "else",
    "etc",
    "you",
    "your",
    "want",
    "wants",
    "need",
    "needs",
    "to",
    "be",
    "can",
    "that",
    "with",
];
/// The same in Chinese and Japanese, with filler words.
const VAGUE_HAN: [&str; 43] = [
    "任何",
    "所有",
    "通用",
    "一切",
    "全部",
    "任意",
    "默认",
    "万能",
    "各种",
    "各样",
    "其他",
    "其它",
    "任务",
    "事情",
    "用途",
    "工作",
    "请求",
    "事",
    "的",
    "类",
    "多用途",
    "多功能",
    "不限",
    "杂项",
    "什么",
    "随便",
    "随意",
    "都",
    "可以",
    "做",
    "預設",
    "萬能",
    "各種",
    "各樣",
    "任務",
    "請求",
    "什麼",
    "何でも",
    "なんでも",
    "すべて",
    "全て",
    "汎用",
    "雑多",
];
/// Shortest vague word that is recognised inside a compound. Shorter ones occur in too many other
/// words.
const LETTERS: usize = 3;

/// Whether an intent says nothing: it has no words, as `*` and `.*`, or only vague ones. Lookalike
/// letters are read as the letters that a person would see.
pub(super) fn is_catch_all(intent: &str) -> bool {
    let words = words(intent);
    let mut spelled = String::new();
    for word in &words {
        // Joins spaced letters: `a n y` is one word.
        if word.chars().count() == 1 && word.chars().all(|c| c.is_ascii_alphabetic()) {
            spelled.push_str(word);
            continue;
        }
        if !is_vague(word) || !is_spelled_vague(&spelled) {
            return false;
        }
        spelled.clear();
    }
    is_spelled_vague(&spelled)
}

/// Whether isolated letters say nothing: each one by itself, or the word that they spell.
fn is_spelled_vague(letters: &str) -> bool {
    letters.chars().all(|c| c == 'a') || is_vague(letters)
}

/// Splits a text into lower-case words without accents or styled letters. Words also end where the
/// case changes and where digits begin.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in text
        .nfkd()
        .filter(|c| !is_accent(*c) && !is_ignorable(*c))
        .nfc()
    {
        let c = text_safety::confusables::looks_like(c).unwrap_or(c);
        let parts = !c.is_alphanumeric()
            || before.is_lowercase() && c.is_uppercase()
            || before.is_numeric() != c.is_numeric();
        if parts && !word.is_empty() {
            all.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    all.extend(Some(word).filter(|word| !word.is_empty()));
    all
}

/// Whether a character is a combining mark of European scripts. Marks of other scripts change the
/// letter.
const fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Whether a word says nothing: a vague word, a compound of vague words, or a number.
fn is_vague(word: &str) -> bool {
    if VAGUE.contains(&word) || word.chars().all(char::is_numeric) {
        return true;
    }
    let mut left = word.to_owned();
    for vague in VAGUE_HAN {
        left = left.replace(vague, "");
    }
    left.is_empty() || is_made_of_vague(&left)
}

/// Whether a word is a compound of vague words, such as `catchall` or `multipurpose`. Each
/// reachable position is tried as the start of the next part.
fn is_made_of_vague(word: &str) -> bool {
    if word.len() > 64 {
        return false;
    }
    let mut reached = vec![0];
    let mut n = 0;
    while let Some(at) = reached.get(n).copied() {
        let rest = word.get(at..).unwrap_or_default();
        for part in VAGUE
            .iter()
            .filter(|part| part.len() >= LETTERS && rest.starts_with(**part))
        {
            let end = at + part.len();
            if end == word.len() {
                return true;
            }
            if !reached.contains(&end) {
                reached.push(end);
            }
        }
        n += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_intent_that_takes_anything_is_one_however_it_is_written() {
        for intent in [
            "",
            " ",
            "*",
            "**",
            ".*",
            "ANY",
            "ＡＮＹ",
            "𝐚𝐧𝐲",
            "аny",
            "ánÿ",
            "an\u{200b}y",
            "anyTask",
            "any_task",
            "generalPurpose",
            "General-Purpose",
            "catchall",
            "catch-all",
            "CatchAll",
            "multipurpose",
            "multi-purpose",
            "a n y",
            "A.N.Y.",
            "a n y task",
            "anything1",
            "any2any",
            "wildcard",
            "whatever you want",
            "anything you need",
            "everything else",
            "各种各样",
            "各种各样的任务",
            "什么都可以做",
            "任何",
            "何でも",
            "42",
            "a",
        ] {
            assert!(is_catch_all(intent), "{intent:?}");
        }
        for intent in [
            "fix any build",
            "general ledger",
            "do the dishes",
            "任何构建失败的修复",
            "catch exceptions",
            "sort imports",
            "multi-file rename",
            "wildcard certificates",
            "default values",
            "C++ to C",
            "a b testing",
            "C",
            "i18n",
            "generalise types",
            "workflow",
            "needless borrows",
            "2fa setup",
            "починить сборку",
            "kindle export",
            "taskwarrior sync",
            "allocate memory",
            "make anything red green",
            "format",
            "universe",
            "translate to any language",
            "manyfold",
            "修复构建",
            "k8s",
        ] {
            assert!(!is_catch_all(intent), "{intent:?}");
        }
    }

    proptest! {
        #[test]
        fn what_says_something_says_it_beside_anything(text in ".{0,40}") {
            let more = format!("{text} fix a build {text}");
            prop_assert!(!is_catch_all(&more), "{}", more);
            let _ = is_catch_all(&text);
        }
    }
}
