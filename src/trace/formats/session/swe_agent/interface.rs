//! Commands of the agents' own interface, which aren't programs.

use serde_json::{Map, Value};
use std::borrow::Cow;

/// Commands with the names of their parameters, in order. Parameters after the first may be
/// missing.
const COMMANDS: &[(&str, &[&str])] = &[
    ("open", &["path", "line_number"]),
    ("goto", &["line_number"]),
    ("scroll_down", &[]),
    ("scroll_up", &[]),
    ("create", &["filename"]),
    ("search_dir", &["search_term", "dir"]),
    ("search_file", &["search_term", "file"]),
    ("find_file", &["file_name", "dir"]),
    ("filemap", &["file_path"]),
    ("view_image", &["image_file"]),
];

/// Commands whose parameters a line doesn't show reliably.
const OTHERS: &[&str] = &[
    "edit",
    "submit",
    "exit_cost",
    "exit_context",
    "exit_format",
    "exit_error",
    "exit_api",
    "exit_forfeit",
    "skip",
    "undo_edit",
    "insert",
];

/// Returns the tool that a command line calls, and its parameters if the line shows them. Every
/// line is read by a shell first, so a line with more than plain words has none.
pub(super) fn parse(line: &str) -> (&'static str, Option<Cow<'static, str>>) {
    let line = line.trim();
    let first = line.split_whitespace().next().unwrap_or_default();
    if first == "str_replace_editor" {
        return ("str_replace_editor", editor(line));
    }
    if let Some((name, names)) = COMMANDS.iter().find(|(name, _)| *name == first) {
        return (name, named(line, names));
    }
    let other = OTHERS.iter().find(|name| **name == first);
    (other.copied().unwrap_or("bash"), None)
}

/// Returns the words of a line under their names.
fn named(line: &str, names: &[&str]) -> Option<Cow<'static, str>> {
    if !is_inert(line) {
        return None;
    }
    let words: Vec<String> = shlex::split(line)?.into_iter().skip(1).collect();
    if words.len() > names.len() || words.is_empty() && !names.is_empty() {
        return None;
    }
    let members = names.iter().zip(words);
    let members: Map<String, Value> = members
        .map(|(name, word)| ((*name).to_owned(), Value::from(word)))
        .collect();
    Some(Cow::Owned(Value::Object(members).to_string()))
}

/// Returns whether a shell would take the line as the words of one command, with nothing to expand.
fn is_inert(line: &str) -> bool {
    let mut quote = None;
    let inert = line.chars().all(|c| match (quote, c) {
        (Some(open), _) if open == c => {
            quote = None;
            true
        }
        (Some('"'), _) => !"$`\\!".contains(c),
        (Some(_), _) => true,
        (None, '\'' | '"') => {
            quote = Some(c);
            true
        }
        (None, _) => c.is_ascii_alphanumeric() || " _@%+=:,./-".contains(c),
    });
    inert && quote.is_none()
}

/// Returns the parameters of a call of the editor, which SWE-agent writes as a command line; `None`
/// if it has others.
fn editor(line: &str) -> Option<Cow<'static, str>> {
    if !is_inert(line) {
        return None;
    }
    let mut words = shlex::split(line)?.into_iter().skip(1);
    let mut given = Map::new();
    given.insert("command".to_owned(), words.next()?.into());
    given.insert("path".to_owned(), words.next()?.into());
    while let Some(option) = words.next() {
        let name = option.strip_prefix("--")?;
        let value: Value = match name {
            "view_range" => {
                let lines = [words.next()?, words.next()?].map(|line| line.parse::<i64>().ok());
                lines.into_iter().collect::<Option<Vec<_>>>()?.into()
            }
            "insert_line" => words.next()?.parse::<i64>().ok()?.into(),
            "file_text" | "old_str" | "new_str" => words.next()?.into(),
            _ => return None,
        };
        if given.insert(name.to_owned(), value).is_some() {
            return None;
        }
    }
    Some(Cow::Owned(Value::Object(given).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_parameters() {
        for (line, tool, given) in [
            (
                "open /etc/shadow",
                "open",
                Some(r#"{"path":"/etc/shadow"}"#),
            ),
            (
                "open \"a b.py\" 12",
                "open",
                Some(r#"{"line_number":"12","path":"a b.py"}"#),
            ),
            ("scroll_down", "scroll_down", Some("{}")),
            (
                "search_dir 'rm -rf /' src",
                "search_dir",
                Some(r#"{"dir":"src","search_term":"rm -rf /"}"#),
            ),
            ("open a.py\n", "open", Some(r#"{"path":"a.py"}"#)),
            ("open", "open", None),
            ("open a.py 1 2", "open", None),
            ("open a.py && rm b", "open", None),
            ("open $(rm b)", "open", None),
            ("open ~/.ssh/id_rsa", "open", None),
            ("edit 1:3\nx\nend_of_edit", "edit", None),
            ("ls", "bash", None),
        ] {
            let read = parse(line);
            assert_eq!((read.0, read.1.as_deref()), (tool, given), "{line}");
        }
    }

    #[test]
    fn the_editor_has_parameters() {
        let read = |line: &str| editor(line).map(|given| given.into_owned());
        let found = read("str_replace_editor view /r/a.py --view_range 1 20");
        let expected = r#"{"command":"view","path":"/r/a.py","view_range":[1,20]}"#;
        assert_eq!(found.as_deref(), Some(expected));
        let found = read("str_replace_editor str_replace a --old_str 'x\ny' --new_str ''");
        let expected = r#"{"command":"str_replace","new_str":"","old_str":"x\ny","path":"a"}"#;
        assert_eq!(found.as_deref(), Some(expected));
        for line in [
            "str_replace_editor view",
            "str_replace_editor view a b",
            "str_replace_editor view a --path b",
            "str_replace_editor view a --new_str x --new_str y",
            "str_replace_editor view a && rm b",
            "str_replace_editor view 'a",
            "str_replace_editor view a;rm",
            "str_replace_editor view a|sh",
            "str_replace_editor view\nreboot",
            "str_replace_editor view $(reboot)",
            "str_replace_editor view \"$(rm -rf b)\"",
            "str_replace_editor view `reboot`",
            "str_replace_editor view ~",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
