//! Finds the indexed words that differ from a word by an ending only: `configure` for
//! `configuration`, `signature` for `signed`.

use crate::IndexError;
use rusqlite::{Connection, OptionalExtension as _};

/// Endings that make another word of the same root, the longest first. Indexed words have lost a
/// final `e` and the `s` of a plural.
const ENDINGS: [&str; 20] = [
    "ication", "ization", "ation", "ition", "ator", "atur", "ment", "able", "ible", "ness", "abl",
    "ibl", "anc", "enc", "ion", "iti", "er", "or", "iv", "ly",
];
/// Irregular forms of verbs, as they are indexed, and their roots.
const IRREGULAR: [(&str, &str); 49] = [
    ("began", "begin"),
    ("begun", "begin"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("caught", "catch"),
    ("chose", "choos"),
    ("chosen", "choos"),
    ("drawn", "draw"),
    ("fallen", "fall"),
    ("fell", "fall"),
    ("forgot", "forget"),
    ("forgotten", "forget"),
    ("found", "find"),
    ("gave", "giv"),
    ("given", "giv"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("held", "hold"),
    ("hidden", "hid"),
    ("kept", "keep"),
    ("knew", "know"),
    ("known", "know"),
    ("left", "leav"),
    ("lost", "los"),
    ("made", "mak"),
    ("meant", "mean"),
    ("met", "meet"),
    ("paid", "pay"),
    ("ran", "run"),
    ("rose", "ris"),
    ("said", "say"),
    ("saw", "se"),
    ("seen", "se"),
    ("sent", "send"),
    ("shown", "show"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("stolen", "steal"),
    ("taken", "tak"),
    ("thought", "think"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("took", "tak"),
    ("went", "go"),
    ("written", "writ"),
    ("wrote", "writ"),
];
/// Minimum number of letters of a root before a short ending, and before one of four letters.
const ROOT: usize = 5;
const SHORT_ROOT: usize = 4;
/// Maximum number of words that are compared, and of variants that are used.
const COMPARED: i64 = 256;
const USED: usize = 8;

/// Returns the root of an indexed word.
fn root(word: &str) -> &str {
    let cut = |ending: &&str| {
        let least = if ending.len() < 4 { ROOT } else { SHORT_ROOT };
        word.strip_suffix(ending).filter(|root| root.len() >= least)
    };
    let root = ENDINGS.iter().find_map(cut).unwrap_or(word);
    // `validat` for `validation`, `retire` for `retirement`, `apply` for `application`.
    ["at", "e", "y", "i"]
        .iter()
        .find_map(|end| root.strip_suffix(end))
        .filter(|root| root.len() >= SHORT_ROOT)
        .unwrap_or(root)
}

/// Returns the indexed forms of an irregular verb.
fn irregular(db: &Connection, word: &str) -> Result<Vec<(String, i64)>, IndexError> {
    let root = IRREGULAR
        .iter()
        .find(|(form, root)| *form == word || *root == word)
        .map(|(_, root)| *root);
    let Some(root) = root else {
        return Ok(Vec::new());
    };
    let forms = IRREGULAR.iter().filter(|(_, of)| *of == root);
    let forms = forms.map(|(form, _)| *form).chain([root]);
    let mut select = db.prepare_cached("SELECT doc FROM vocabulary WHERE term = ?1")?;
    let mut all = Vec::new();
    for form in forms.filter(|form| *form != word) {
        let found: Option<i64> = select.query_row([form], |row| row.get(0)).optional()?;
        all.extend(found.map(|count| (form.to_owned(), count)));
    }
    Ok(all)
}

/// Returns the indexed words with the same root as a word, and the number of observations with
/// each.
pub(super) fn of(db: &Connection, word: &str) -> Result<Vec<(String, i64)>, IndexError> {
    let mut all = irregular(db, word)?;
    if word.len() < SHORT_ROOT || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return Ok(all);
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
    use crate::words;

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
        assert!(same("retire retired retirement") && same("manage manager management"));
        assert!(!same("state station") && !same("port portal"));
    }
}
