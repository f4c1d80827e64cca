//! Full-text search: BM25 as FTS5 computes it (k1 1.2, b 0.75).

use crate::knowledge::words;
use crate::knowledge::{KnowledgeError, Store};
use rusqlite::params;
use std::collections::BTreeSet;

/// How much heavier a word in the head of an observation is than one in its body.
const HEAD: f64 = 2.0;
/// Words of a question that are looked for.
const WORDS: usize = 32;

/// The words of a question: without those that say nothing, unless there are no others.
fn question(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    words::each(text, &mut |word| {
        if seen.insert(word.to_owned()) {
            all.push(word.to_owned());
        }
    });
    let telling: Vec<String> = all.iter().filter(|w| !words::is_function_word(w)).cloned().collect();
    let mut asked = if telling.is_empty() { all } else { telling };
    asked.truncate(WORDS);
    asked
}

/// The question in the language of FTS5: any of the words. A word is quoted, so nothing in it is an operator; a single
/// character of Chinese is looked for as the beginning of a pair.
fn expression(words: &[String]) -> String {
    let quoted = |word: &String| {
        let single = word.chars().count() == 1 && word.chars().all(words::is_cjk);
        format!("\"{word}\"{}", if single { "*" } else { "" })
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" OR ")
}

/// The best observations for a question with their scores, the higher the better, the best first.
pub(super) fn search(store: &Store, text: &str, limit: usize) -> Result<Vec<(i64, f64)>, KnowledgeError> {
    let words = question(text);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = store.db.prepare_cached(
        "SELECT rowid, -bm25(observation_text, ?2, 1.0) AS score FROM observation_text
         WHERE observation_text MATCH ?1 ORDER BY score DESC, rowid LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![expression(&words), HEAD, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_lose_what_says_nothing() {
        assert_eq!(question("How does the lexer work?"), ["lexer", "work"]);
        assert_eq!(question("who is who"), ["who", "is"]);
        assert_eq!(question("?!"), Vec::<String>::new());
        assert_eq!(expression(&question("索 OR \"x\" NEAR")), "\"索\"* OR \"x\" OR \"near\"");
    }
}
