//! The first lines of a map: what it is, and what it leaves out.
//!
//! They name kinds and extensions, and never numbers of files or definitions: those would differ
//! with nearly each change of a tree, and make each merge of two maps a conflict.

use super::classify::LeftOut;
use super::settings::Settings;
use super::snapshot::Snapshot;
use std::collections::BTreeMap;

/// Maximum number of extensions that are named.
const NAMED: usize = 12;

/// The name of all extensions beyond the first ones, and of odd ones.
const OTHERS: &str = "others";

const LEFT_OUT: &str = "Left out: ";
const NOT_PARSED: &str = "Not parsed: ";
const IN_PART: &str = "Parsed in part: files with syntax errors";
const NOTHING: &str = "nothing";
const DEFINITIONS: &str = "definitions that rank lower";
const FILES: &str = "files that rank lower";

/// Prose and data, which define nothing.
const PLAIN: &[&str] = &[
    "adoc",
    "cfg",
    "cff",
    "conf",
    "csv",
    "diff",
    "editorconfig",
    "env",
    "gitattributes",
    "gitignore",
    "ini",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "lock",
    "log",
    "markdown",
    "md",
    "mdx",
    "ndjson",
    "npmrc",
    "org",
    "patch",
    "pem",
    "po",
    "pot",
    "properties",
    "rst",
    "svg",
    "toml",
    "tsv",
    "txt",
    "xml",
    "yaml",
    "yml",
];

/// Counts the files that are in no language with a grammar by their extension, such as `.nim`.
/// Prose and data aren't counted. Extensions of odd characters are counted as `others`.
pub(super) fn not_parsed(snapshot: &Snapshot) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for file in snapshot.files.iter().filter(|f| f.language.is_none()) {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let Some((stem, extension)) = name.rsplit_once('.') else {
            continue;
        };
        let extension = extension.to_ascii_lowercase();
        if stem.is_empty() || PLAIN.contains(&extension.as_str()) {
            continue;
        }
        let named = format!(".{extension}");
        let key = if is_extension(&named) {
            named
        } else {
            OTHERS.to_owned()
        };
        *out.entry(key).or_default() += 1;
    }
    out
}

/// Returns whether a text can be a key of [`not_parsed`].
pub(super) fn is_counted(text: &str) -> bool {
    text == OTHERS || is_extension(text)
}

fn is_extension(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|rest| {
        (1..=12).contains(&rest.len())
            && rest
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_+-".contains(&b))
            // A text of digits is rarely a language: `libx.so.1`, `man.8`.
            && !rest.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Returns the first line: what the map is.
pub(super) fn title(settings: &Settings) -> String {
    format!(
        "Repo map for at most {} tokens ({})",
        settings.tokens, settings.encoding
    )
}

/// Returns the lines about what is left out. `lower` says whether definitions, and files, aren't
/// shown since they rank lower.
pub(super) fn omissions(
    snapshot: &Snapshot,
    not_parsed: &BTreeMap<String, usize>,
    lower: (bool, bool),
) -> Vec<String> {
    let mut left: Vec<&str> = Vec::new();
    left.extend(lower.0.then_some(DEFINITIONS));
    left.extend(lower.1.then_some(FILES));
    left.extend(snapshot.left_out.keys().map(|why| why.name()));
    let mut by_count: Vec<(&String, &usize)> = not_parsed.iter().collect();
    by_count.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let has_more = by_count.len() > NAMED;
    by_count.truncate(NAMED);
    let mut named: Vec<&str> = by_count
        .into_iter()
        .map(|(name, _)| name.as_str())
        .collect();
    if has_more && !named.contains(&OTHERS) {
        named.push(OTHERS);
    }
    named.sort_unstable();
    let in_part = snapshot.files.iter().any(|f| f.tags.has_errors);
    if left.is_empty() && named.is_empty() && !in_part {
        left.push(NOTHING);
    }
    let mut out = Vec::new();
    if !left.is_empty() {
        out.push(format!("{LEFT_OUT}{}", left.join(", ")));
    }
    if !named.is_empty() {
        out.push(format!("{NOT_PARSED}{}", named.join(", ")));
    }
    if in_part {
        out.push(IN_PART.to_owned());
    }
    out
}

/// Returns whether a text is one of [`omissions`], of whatever tree.
pub(super) fn is_omission(text: &str) -> bool {
    let all = |list: &str, test: &dyn Fn(&str) -> bool| list.split(", ").all(test);
    let is_left = |word: &str| {
        [NOTHING, DEFINITIONS, FILES].contains(&word)
            || LeftOut::ALL.iter().any(|why| why.name() == word)
    };
    if let Some(list) = text.strip_prefix(LEFT_OUT) {
        return all(list, &is_left);
    }
    if let Some(list) = text.strip_prefix(NOT_PARSED) {
        return all(list, &is_counted);
    }
    text == IN_PART
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, Tags};

    fn tree(paths: &[&str]) -> Snapshot {
        let file = |path: &&str| File {
            path: (*path).to_owned(),
            language: None,
            tags: Tags::default(),
        };
        Snapshot {
            files: paths.iter().map(file).collect(),
            ..Snapshot::default()
        }
    }

    #[test]
    fn what_has_no_grammar_is_named() {
        let tree = tree(&[
            "a.vue",
            "b/c.VUE",
            "x.zig",
            "README.md",
            ".gitignore",
            "LICENSE",
            "a.\u{202e}x",
            "m.8",
        ]);
        let counts = not_parsed(&tree);
        let found: Vec<(&str, usize)> = counts.iter().map(|(k, n)| (k.as_str(), *n)).collect();
        assert_eq!(found, [(".vue", 2), (".zig", 1), ("others", 2)]);
        let lines = omissions(&tree, &counts, (false, false));
        assert_eq!(lines, ["Not parsed: .vue, .zig, others"]);
        assert!(lines.iter().all(|l| is_omission(l)));
        let lines = omissions(&tree, &counts, (true, true));
        assert_eq!(
            lines[0],
            "Left out: definitions that rank lower, files that rank lower"
        );
        assert!(is_omission(&lines[0]));
        let nothing = omissions(&Snapshot::default(), &BTreeMap::new(), (false, false));
        assert_eq!(nothing, ["Left out: nothing"]);
        for text in [
            "Left out: binary, run this",
            "Not parsed: .a b",
            "Not parsed: ",
            "Left out: ",
        ] {
            assert!(!is_omission(text), "{text}");
        }
    }

    #[test]
    fn extensions_beyond_the_first_are_others() {
        let many: Vec<String> = (0..30).map(|n| format!("f.x{n}y")).collect();
        let tree = tree(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let lines = omissions(&tree, &not_parsed(&tree), (false, false));
        assert_eq!(lines[0].split(", ").count(), NAMED + 1);
        assert!(is_omission(&lines[0]));
    }
}
