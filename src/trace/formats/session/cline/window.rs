//! Paths that the window of Cline and Roo shows in place of a file's content.

use serde_json::Value;
use std::borrow::Cow;

/// The tool whose content is the path of the file that it reads. Of other tools the window shows
/// what they write or find, which may be a path as well.
const READER: &str = "readFile";

#[derive(Debug)]
struct Shown {
    path: Option<String>,
    content: Option<String>,
    outside: bool,
}

/// Returns the paths in place of contents that name another file than `path` does. The
/// path is relative to the work tree, and the content is the file that is read.
pub(super) fn other_paths(tool: &str, said: &str) -> Vec<String> {
    if tool != READER {
        return Vec::new();
    }
    let shown = serde_json::from_str::<Value>(said).unwrap_or_default();
    let batch = match shown.get("batchFiles") {
        Some(Value::Array(files)) => files.as_slice(),
        Some(file) => std::slice::from_ref(file),
        None => &[],
    };
    let all = std::iter::once(&shown).chain(batch);
    all.filter_map(|one| Shown::new(one).other_path()).collect()
}

impl Shown {
    fn new(value: &Value) -> Self {
        let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
        let is = |name: &str, wanted: bool| match value.get(name) {
            Some(Value::Bool(is)) => *is == wanted,
            Some(Value::String(is)) => *is == wanted.to_string(),
            _ => false,
        };
        Self {
            path: text("path"),
            content: text("content"),
            outside: is("isOutsideWorkspace", true) || is("operationIsLocatedInWorkspace", false),
        }
    }

    fn other_path(&self) -> Option<String> {
        let content = of_url(self.content.as_deref().map(str::trim)?);
        let leaves = is_absolute(&content) || leads_out(&content);
        if !leaves || content.contains(['\n', '\r']) {
            return None;
        }
        let path = self.path.as_deref().unwrap_or_default();
        let same = content == path || !self.outside && is_below(&content, path);
        (!same).then(|| content.into_owned())
    }
}

fn is_absolute(path: &str) -> bool {
    let on_drive =
        matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
    on_drive || path.starts_with(['/', '~']) || path.starts_with("\\\\")
}

/// Returns whether a path may lead out of the work tree.
fn leads_out(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| part == "..")
}

/// Returns the path in a URL of a file; any other text as it is.
fn of_url(text: &str) -> Cow<'_, str> {
    let scheme = text.get(..5).unwrap_or_default();
    let rest = text
        .get(5..)
        .filter(|_| scheme.eq_ignore_ascii_case("file:"));
    let Some(rest) = rest else {
        return Cow::Borrowed(text);
    };
    let path = match rest.strip_prefix("//").map(|rest| rest.find('/')) {
        Some(Some(at)) => rest.get(at + 2..).unwrap_or(rest),
        _ => rest,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let Some((first, rest)) = left.split_first() {
        let code = rest.get(..2).filter(|_| *first == b'%');
        let code = code.filter(|code| code.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            left = rest.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            left = rest;
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns whether a path ends with a relative one, below a directory that may be a work tree.
fn is_below(absolute: &str, relative: &str) -> bool {
    let absolute = absolute.replace('\\', "/");
    let relative = relative.replace('\\', "/");
    let relative = relative.trim_start_matches("./");
    let plain = !relative.is_empty() && !relative.split('/').any(|part| part == "..");
    let tree = absolute.strip_suffix(relative).filter(|_| plain);
    let tree = tree.and_then(|tree| tree.strip_suffix('/'));
    // No agent works in a directory of the system.
    tree.is_some_and(|tree| tree.matches('/').count() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_that_is_another_path_counts() {
        for (path, content, more, expected) in [
            ("src/a.rs", "/home/u/app/src/a.rs", "", None),
            ("src/a.rs", r"c:\\app\\x\\src\\a.rs", "", None),
            ("a.rs", "/etc/shadow", "", Some("/etc/shadow")),
            ("shadow", "/etc/shadow", "", Some("/etc/shadow")),
            ("/etc/shadow", "/etc/shadow", "", None),
            ("../b", "/home/u/b", "", Some("/home/u/b")),
            ("", "/home/u/b", "", Some("/home/u/b")),
            ("a.rs", "/home/u/app/ba.rs", "", Some("/home/u/app/ba.rs")),
            (
                "a.rs",
                "/home/u/app/a.rs",
                r#","isOutsideWorkspace":true"#,
                Some("/home/u/app/a.rs"),
            ),
            (
                "a.rs",
                "/home/u/app/a.rs",
                r#","operationIsLocatedInWorkspace":false"#,
                Some("/home/u/app/a.rs"),
            ),
            (
                "a.rs",
                "/home/u/app/a.rs",
                r#","batchFiles":null,"isOutsideWorkspace":"true""#,
                Some("/home/u/app/a.rs"),
            ),
            ("a.rs", "/* text */\\nx", "", None),
            ("a.rs", "text", "", None),
            ("a.rs", "../../etc/shadow", "", Some("../../etc/shadow")),
            ("a.rs", "src/../../b", "", Some("src/../../b")),
            ("../b", "../b", "", None),
            ("a.rs", "file:///etc/shadow", "", Some("/etc/shadow")),
            ("a.rs", "FILE://h/etc%2Fshadow", "", Some("/etc/shadow")),
            ("a.rs", "file:/home/u/app/a.rs", "", None),
            ("a.rs", "a..b", "", None),
        ] {
            let said =
                format!(r#"{{"tool":"readFile","path":"{path}","content":"{content}"{more}}}"#);
            let found = other_paths("readFile", &said);
            assert_eq!(found.first().map(String::as_str), expected, "{said}");
            for tool in ["newFileCreated", "searchFiles", "listFilesTopLevel"] {
                assert!(other_paths(tool, &said).is_empty(), "{said}");
            }
            let batch = format!(r#"{{"batchFiles":[{said},{said}]}}"#);
            let count = if expected.is_some() { 2 } else { 0 };
            assert_eq!(other_paths("readFile", &batch).len(), count, "{batch}");
        }
    }
}
