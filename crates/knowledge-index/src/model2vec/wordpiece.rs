//! Splits texts into the word pieces of a model: BERT's `WordPiece` (Devlin and others, 2019), as
//! described by a `tokenizer.json` of the library `tokenizers`. Other kinds are rejected.

use super::ModelError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::LazyLock;
use tokens::characters;
use unicode_normalization::UnicodeNormalization as _;

/// Maximum number of pieces in a vocabulary.
const PIECES: usize = 1 << 21;
/// Maximum length of a piece in bytes. No word of any language is longer.
const LONGEST: usize = 256;

/// A tokenizer.
#[derive(Debug)]
pub(super) struct WordPiece {
    pieces: HashMap<String, u32>,
    /// The prefix of pieces that continue a word.
    prefix: String,
    unknown: Option<u32>,
    /// Maximum number of characters in a word. Longer words have no pieces.
    word: usize,
    /// Length of the longest piece in bytes.
    longest: usize,
    clean: bool,
    part_han: bool,
    lower: bool,
    strip_accents: bool,
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    added_tokens: Vec<RawAdded>,
    model: Value,
}

#[derive(Deserialize)]
struct RawAdded {
    content: String,
    #[serde(default)]
    special: bool,
}

#[derive(Deserialize)]
struct RawModel {
    vocab: HashMap<String, u32>,
    #[serde(default)]
    unk_token: Option<String>,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
    #[serde(default)]
    max_input_chars_per_word: Option<usize>,
}

#[derive(Deserialize)]
struct RawNormalizer {
    #[serde(default = "yes")]
    clean_text: bool,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
    #[serde(default)]
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    lowercase: bool,
}

const fn yes() -> bool {
    true
}

static MARKS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| characters(r"\p{Mn}"));
static PUNCTUATION: LazyLock<Vec<(char, char)>> =
    LazyLock::new(|| characters(r"[\p{P}!-/:-@\[-`{-~]"));
static INVISIBLE: LazyLock<Vec<(char, char)>> =
    LazyLock::new(|| characters(r"[\p{C}\x00\x{fffd}&&[^\t\n\r]]"));

fn is(class: &[(char, char)], c: char) -> bool {
    let at = class.partition_point(|(_, end)| *end < c);
    class.get(at).is_some_and(|(start, _)| *start <= c)
}

/// Whether a character is a Chinese ideograph, which is a word of its own.
const fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b73f}' | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

impl WordPiece {
    /// Parses a `tokenizer.json`.
    pub(super) fn parse(json: &[u8]) -> Result<Self, ModelError> {
        let wrong =
            |error: serde_json::Error| ModelError::Tokenizer(format!("it can't be read: {error}"));
        let raw: Raw = serde_json::from_slice(json).map_err(wrong)?;
        let is =
            |part: &str, value: &Value, kind: &str| match value.get("type").and_then(Value::as_str)
            {
                Some(known) if known == kind => Ok(()),
                Some(other) => Err(ModelError::Tokenizer(format!(
                    "its {part} is a `{other}`; only `{kind}` is supported"
                ))),
                None => Err(ModelError::Tokenizer(format!(
                    "it has no {part}; only `{kind}` is supported"
                ))),
            };
        is("model", &raw.model, "WordPiece")?;
        is("normalizer", &raw.normalizer, "BertNormalizer")?;
        is("pre-tokenizer", &raw.pre_tokenizer, "BertPreTokenizer")?;
        // Added tokens are matched before a text is split into words. Ignoring them would give
        // different vectors from those of the original library.
        if let Some(added) = raw.added_tokens.iter().find(|added| !added.special) {
            return Err(ModelError::Tokenizer(format!(
                "its added token `{}` isn't supported",
                added.content
            )));
        }
        let model: RawModel = serde_json::from_value(raw.model).map_err(wrong)?;
        let how: RawNormalizer = serde_json::from_value(raw.normalizer).map_err(wrong)?;
        if model.vocab.is_empty() || model.vocab.len() > PIECES {
            return Err(ModelError::Tokenizer(format!(
                "its vocabulary has {} pieces",
                model.vocab.len()
            )));
        }
        Ok(Self {
            prefix: model
                .continuing_subword_prefix
                .unwrap_or_else(|| "##".to_owned()),
            unknown: model
                .vocab
                .get(model.unk_token.as_deref().unwrap_or("[UNK]"))
                .copied(),
            word: model.max_input_chars_per_word.unwrap_or(100).min(LONGEST),
            longest: model
                .vocab
                .keys()
                .map(String::len)
                .max()
                .unwrap_or_default()
                .min(LONGEST),
            pieces: model.vocab,
            clean: how.clean_text,
            part_han: how.handle_chinese_chars,
            lower: how.lowercase,
            strip_accents: how.strip_accents.unwrap_or(how.lowercase),
        })
    }

    /// Returns the largest id of a piece.
    pub(super) fn largest(&self) -> u32 {
        self.pieces.values().max().copied().unwrap_or_default()
    }

    /// Returns the ids of the pieces of a text, at most `most`. Words without pieces are skipped.
    pub(super) fn pieces(&self, text: &str, most: usize) -> Vec<u32> {
        let mut all = Vec::new();
        let mut word = String::new();
        for c in self.normal(text).chars() {
            let alone = is(&PUNCTUATION, c);
            if !alone && !c.is_whitespace() {
                word.push(c);
                continue;
            }
            self.word(&word, &mut all);
            word.clear();
            if alone {
                self.word(c.encode_utf8(&mut [0; 4]), &mut all);
            }
            if all.len() >= most {
                break;
            }
        }
        self.word(&word, &mut all);
        all.truncate(most);
        all
    }

    /// Normalises a text to the form of the vocabulary.
    fn normal(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                _ if self.clean && c.is_whitespace() => out.push(' '),
                _ if self.clean && is(&INVISIBLE, c) => {}
                _ if self.part_han && is_han(c) => out.extend([' ', c, ' ']),
                _ => out.push(c),
            }
        }
        if self.strip_accents && !out.is_ascii() {
            out = out.nfd().filter(|c| !is(&MARKS, *c)).collect();
        }
        if self.lower {
            out.chars().flat_map(char::to_lowercase).collect()
        } else {
            out
        }
    }

    /// Splits a word by repeatedly taking the longest matching piece.
    fn word(&self, word: &str, out: &mut Vec<u32>) {
        if word.is_empty() || word.chars().count() > self.word {
            return;
        }
        let before = out.len();
        let mut key = String::new();
        let mut at = 0;
        while at < word.len() {
            let prefix = if at == 0 { "" } else { &self.prefix };
            let mut end = word
                .len()
                .min(at + self.longest.saturating_sub(prefix.len()));
            let found = loop {
                if end <= at {
                    break None;
                }
                if let Some(piece) = word.get(at..end) {
                    key.clear();
                    key.push_str(prefix);
                    key.push_str(piece);
                    if let Some(number) = self.pieces.get(&key) {
                        break Some(*number);
                    }
                }
                end -= 1;
            };
            let Some(number) = found else {
                // A word that can't be split completely is unknown as a whole.
                out.truncate(before);
                return;
            };
            if Some(number) != self.unknown {
                out.push(number);
            }
            at = end;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// Builds a BERT tokenizer with these pieces.
    pub(in super::super) fn tokenizer(pieces: &[&str]) -> String {
        let vocab: serde_json::Map<String, Value> = (0..)
            .zip(pieces)
            .map(|(n, p)| ((*p).to_owned(), json!(n)))
            .collect();
        json!({
            "version": "1.0", "truncation": null, "padding": null,
            "added_tokens": [{"id": 0, "content": "[UNK]", "special": true}],
            "normalizer": {
                "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": null,
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": vocab,
            }
        })
        .to_string()
    }

    fn made() -> WordPiece {
        let pieces = [
            "[UNK]", "un", "##aff", "##able", "hello", ",", "重", "新", "cafe", "##s", "a",
        ];
        WordPiece::parse(tokenizer(&pieces).as_bytes()).unwrap()
    }

    #[test]
    fn words_are_cut_at_the_longest_pieces() {
        let model = made();
        assert_eq!(model.pieces("unaffable", 99), [1, 2, 3]);
        assert_eq!(model.pieces("Hello,HELLO", 99), [4, 5, 4]);
        assert_eq!(model.pieces("重新", 99), [6, 7]);
        assert_eq!(
            model.pieces("Cafe\u{301}s Cafés\u{200b} a\u{0}a", 99),
            [8, 9, 8, 9],
            "the last one is `aa`, which can't be cut"
        );
        assert_eq!(
            model.pieces("unaffabl [UNK] un", 99),
            [1],
            "what can't be cut to its end gives nothing"
        );
        assert_eq!(model.pieces("hello hello hello", 2), [4, 4]);
        assert_eq!(model.pieces(&"a".repeat(101), 99), [0_u32; 0]);
        assert_eq!(model.largest(), 10);
    }

    #[test]
    fn other_tokenizers_are_refused_by_name() {
        let good: Value = serde_json::from_str(&tokenizer(&["a"])).unwrap();
        for (part, kind) in [
            ("model", "BPE"),
            ("model", "Unigram"),
            ("normalizer", "Lowercase"),
            ("pre_tokenizer", "Metaspace"),
        ] {
            let mut other = good.clone();
            other[part]["type"] = json!(kind);
            let error = WordPiece::parse(other.to_string().as_bytes())
                .unwrap_err()
                .to_string();
            assert!(error.contains(kind), "{error}");
        }
        let mut added = good.clone();
        added["added_tokens"] = json!([{"content": "[UNK]", "special": true}]);
        assert!(WordPiece::parse(added.to_string().as_bytes()).is_ok());
        added["added_tokens"] = json!([{"content": "New York", "special": false}]);
        assert!(
            WordPiece::parse(added.to_string().as_bytes())
                .unwrap_err()
                .to_string()
                .contains("New York")
        );
        let mut none = good.clone();
        none["normalizer"] = Value::Null;
        assert!(
            WordPiece::parse(none.to_string().as_bytes())
                .unwrap_err()
                .to_string()
                .contains("no normalizer")
        );
        let mut empty = good;
        empty["model"]["vocab"] = json!({});
        assert!(WordPiece::parse(empty.to_string().as_bytes()).is_err());
        assert!(WordPiece::parse(b"[]").is_err());
    }

    proptest! {
        #[test]
        fn any_text_gives_known_pieces(
            text in "(\\PC|un|aff|hello|[,重é\u{301}\u{0}]){0,40}",
            most in 0_usize..20
        ) {
            let model = made();
            let pieces = model.pieces(&text, most);
            prop_assert!(pieces.len() <= most && pieces.iter().all(|p| (1..=10).contains(p)));
        }

        #[test]
        fn any_json_is_read_or_refused(text in "\\PC{0,60}") {
            let _ = WordPiece::parse(text.as_bytes());
        }
    }
}
