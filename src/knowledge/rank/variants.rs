//! Finds the indexed words that differ from a word by an ending only: `configure` for
//! `configuration`, `signature` for `signed`.

use crate::knowledge::KnowledgeError;
use rusqlite::Connection;

/// Endings that make another word of the same root, the longest first.
const ENDINGS: [&str; 29] = [
    "ications", "ication", "izations", "ization", "ations", "ation", "ators", "ator", "atures",
    "ature", "itions", "ition", "ments", "ment", "ances", "ence", "ions", "able", "ible", "ness",
    "ives", "ive", "ion", "ors", "ity", "er", "or", "al", "ly",
];
/// Minimum number of letters of a root.
const ROOT: usize = 4;
/// Maximum number of words that are compared, and of variants that are used.
const COMPARED: i64 = 256;
const USED: usize = 8;

/// Returns the root of an indexed word, which has lost its inflection already.
fn root(word: &str) -> &str {
    let cut = |ending: &&str| word.strip_suffix(ending).filter(|root| root.len() >= ROOT);
    let root = ENDINGS.iter().find_map(cut).unwrap_or(word);
    // `validat` and `valid`, `configur` and `configuration`, `apply` and `application`.
    root.strip_suffix("at")
        .or_else(|| root.strip_suffix('y'))
        .or_else(|| root.strip_suffix('i'))
        .filter(|root| root.len() >= ROOT)
        .unwrap_or(root)
}

/// Returns the indexed words with the same root as a word, and the number of observations with
/// each.
pub(super) fn of(db: &Connection, word: &str) -> Result<Vec<(String, i64)>, KnowledgeError> {
    if word.len() < ROOT || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return Ok(Vec::new());
    }
    let asked = root(word);
    let mut select = db.prepare_cached(
        "SELECT term, doc FROM vocabulary WHERE term >= ?1 AND term < ?2 LIMIT ?3",
    )?;
    // `{` follows `z`.
    let end = format!("{asked}{{");
    let rows = select.query_map((asked, &end, COMPARED), |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
    })?;
    let mut all = Vec::new();
    for row in rows {
        let (term, count) = row?;
        if all.len() < USED && term != word && root(&term) == asked {
            all.push((term, count));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::words;

    fn same(words: &str) -> bool {
        let mut roots = Vec::new();
        words::each(words, &mut |word| roots.push(root(word).to_owned()));
        roots.windows(2).all(|pair| pair[0] == pair[1])
    }

    #[test]
    fn words_of_one_root_are_variants() {
        assert!(same("configure configured configuration configurable"));
        assert!(same("validate validation validated validator"));
        assert!(same("reject rejected rejection rejections"));
        assert!(same("compress compression compressed"));
        assert!(same("schedule scheduler scheduled"));
        assert!(!same("state station") && !same("port portal"));
        assert!(!same("general generate") || root("gener").len() >= ROOT);
    }
}
