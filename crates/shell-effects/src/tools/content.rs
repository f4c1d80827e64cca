//! The change of a file by a tool call, if its parameters contain the content.
//!
//! Only complete calls count: one path, one text, and no other parameter that could change what is
//! written.

use super::param::Param;
use super::tool_name::{Verb, normalise_name, verb, words};
use crate::Context;
use crate::paths::path::{PathClass, classify};

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The file contains this text.
    Whole(String),
    /// A text in the file is replaced: everywhere, or at its only occurrence.
    Replaced {
        /// The text before.
        old: String,
        /// The text after.
        new: String,
        /// Whether every occurrence is replaced.
        all: bool,
    },
    Removed,
}

const PATHS: [&str; 5] = ["path", "file_path", "filepath", "filename", "file"];
const TEXTS: [&str; 7] = [
    "content",
    "contents",
    "text",
    "file_text",
    "file_content",
    "new_content",
    "data",
];
const OLD: [&str; 4] = ["old_string", "old_str", "old_text", "old"];
const NEW: [&str; 4] = ["new_string", "new_str", "new_text", "new"];
/// Parameters that don't change what is written.
const NEUTRAL: [&str; 8] = [
    "overwrite",
    "create_dirs",
    "create_directories",
    "create_parents",
    "mkdirs",
    "language",
    "expected_replacements",
    "append",
];

/// Returns the change of a file by a call: the path below the work tree and the content. `None` if
/// the call doesn't determine them.
#[must_use]
pub fn recorded_content(
    name: &str,
    payload: &Param<'_>,
    ctx: &Context<'_>,
) -> Option<(String, Content)> {
    let verb = verb(name).0;
    let inputs = payload.inputs();
    if inputs.unreadable || !matches!(verb, Verb::Write | Verb::Delete) {
        return None;
    }
    let (mut path, mut text, mut old, mut new, mut all) = (None, None, None, None, false);
    let once = |slot: &mut Option<String>, value: &str| slot.replace(value.to_owned()).is_none();
    for (name, value) in inputs.values.members()? {
        let key = normalise_name(name).replace('-', "_");
        let key = key.as_str();
        let understood = match value {
            value
                if matches!(key, "tool" | "tool_name")
                    || super::command_line::is_harmless(name, value) =>
            {
                true
            }
            Param::Text(value) if PATHS.contains(&key) => once(&mut path, value),
            Param::Text(value) if TEXTS.contains(&key) => once(&mut text, value),
            Param::Text(value) if OLD.contains(&key) => once(&mut old, value),
            Param::Text(value) if NEW.contains(&key) => once(&mut new, value),
            Param::Text(value) if key == "encoding" => {
                matches!(&*value.to_ascii_lowercase(), "utf-8" | "utf8")
            }
            Param::Text(value) if key == "mode" => {
                matches!(&**value, "w" | "write" | "overwrite" | "create")
            }
            Param::Flag(on) if key == "replace_all" => {
                all = *on;
                true
            }
            // `append` only where it is off.
            value => {
                value.is_empty()
                    || matches!(value, Param::Flag(false))
                    || NEUTRAL.contains(&key) && key != "append"
            }
        };
        if !understood {
            return None;
        }
    }
    let normalised = normalise_name(name);
    let says = |list: &[&str]| words(&normalised).any(|word| list.contains(&word));
    let content = match (verb, text, old, new) {
        (Verb::Delete, None, None, None)
            if says(&["delete", "remove", "unlink", "rm"])
                && !says(&["dir", "directory", "folder"]) =>
        {
            Content::Removed
        }
        (Verb::Write, None, Some(old), Some(new)) if !old.is_empty() => {
            Content::Replaced { old, new, all }
        }
        (Verb::Write, Some(text), None, None)
            if says(&["write", "create", "save", "put", "store"])
                && !says(&["append", "insert", "patch", "line", "lines"]) =>
        {
            Content::Whole(text)
        }
        _ => return None,
    };
    let place = classify(
        &super::tool::clean(path.as_deref()?.trim()),
        Some(&ctx.cwd),
        &ctx.workdir,
        &ctx.home,
    );
    let inside = place
        .absolute
        .strip_prefix(&*ctx.workdir)?
        .strip_prefix('/')?;
    (place.class == PathClass::Inside).then(|| (inside.to_owned(), content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;
    use serde_json::json;

    #[test]
    fn only_complete_calls_count() {
        let table = Table::builtin();
        let ctx = Context::new(&table);
        let of = |name: &str, parameters: serde_json::Value| {
            let payload = json!({"tool": name, "parameters": parameters});
            recorded_content(name, &Param::from(&payload), &ctx)
        };
        let whole = Some(("src/a".to_owned(), Content::Whole("x\n".to_owned())));
        assert_eq!(
            of("write_file", json!({"path": "./src/a", "content": "x\n"})),
            whole
        );
        assert_eq!(
            of(
                "createFile",
                json!("{\"filePath\":\"src/a\",\"text\":\"x\\n\",\"encoding\":\"utf-8\"}")
            ),
            whole
        );
        let replaced = Content::Replaced {
            old: "a".into(),
            new: "b".into(),
            all: false,
        };
        assert_eq!(
            of(
                "edit_file",
                json!({"path": "a", "old_string": "a", "new_string": "b"})
            ),
            Some(("a".into(), replaced))
        );
        assert_eq!(
            of("delete_file", json!({"path": "a"})),
            Some(("a".into(), Content::Removed))
        );
        for (name, parameters) in [
            (
                "write_file",
                json!({"path": "a", "content": "x", "append": true}),
            ),
            (
                "write_file",
                json!({"path": "a", "content": "x", "mode": "a"}),
            ),
            (
                "write_file",
                json!({"path": "a", "content": "x", "start_line": 3}),
            ),
            (
                "write_file",
                json!({"path": "a", "file": "b", "content": "x"}),
            ),
            ("append_file", json!({"path": "a", "content": "x"})),
            ("insert_line", json!({"path": "a", "text": "x"})),
            ("write_file", json!({"path": "../a", "content": "x"})),
            ("read_file", json!({"path": "a"})),
            ("copy_file", json!({"path": "a", "to": "b"})),
            ("delete_directory", json!({"path": "a"})),
        ] {
            assert_eq!(of(name, parameters.clone()), None, "{name} {parameters}");
        }
    }
}
