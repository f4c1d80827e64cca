//! Converts between JSON pointers (RFC 6901) and byte positions.

use super::scan::{Error, Scanner, ValueKind};
use super::text::Str;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::{Bound, Range};

/// The position of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Bytes of the value in the text.
    pub value: Range<usize>,
    /// Byte offset of the member name; `None` if the value isn't a member.
    pub name: Option<usize>,
}

/// Returns the position of the value that `pointer` names; `None` if there is none.
#[must_use]
pub fn resolve(text: &str, pointer: &str) -> Option<Located> {
    let mut scanner = Scanner::unchecked(text);
    let mut name = None;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        name = None;
        match scanner.kind().ok()? {
            ValueKind::Object => {
                scanner.open_object(false).ok()?;
                let mut first = true;
                loop {
                    let at = next_name(&mut scanner, first);
                    let found = scanner.member(first).ok()??;
                    first = false;
                    if found == *token {
                        name = at;
                        break;
                    }
                    scanner.skip().ok()?;
                }
            }
            ValueKind::Array => {
                let index: usize = token.parse().ok()?;
                scanner.open_array().ok()?;
                for n in 0..=index {
                    if !scanner.element(n == 0).ok()? {
                        return None;
                    }
                    if n < index {
                        scanner.skip().ok()?;
                    }
                }
            }
            _ => return None,
        }
    }
    scanner.peek();
    let start = scanner.position();
    scanner.skip().ok()?;
    Some(Located {
        value: start..scanner.position(),
        name,
    })
}

/// Like [`resolve`], for any number of pointers in one pass over the text. Pointers to nothing have
/// no entry in the result.
#[must_use]
pub fn resolve_all(text: &str, pointers: &BTreeSet<String>) -> HashMap<String, Located> {
    let mut found = HashMap::with_capacity(pointers.len());
    // Values before an error in the text are still found.
    let _ = collect(&mut Scanner::unchecked(text), pointers, &mut found);
    found
}

/// An open container in [`collect`].
struct Level {
    start: usize,
    name: Option<usize>,
    /// Length in bytes of the container's pointer.
    pointer: usize,
    object: bool,
    /// Number of children before the current one.
    passed: usize,
}

fn collect(
    scanner: &mut Scanner<'_>,
    pointers: &BTreeSet<String>,
    found: &mut HashMap<String, Located>,
) -> Result<(), Error> {
    let mut open: Vec<Level> = Vec::new();
    let mut pointer = String::new();
    let mut name = None;
    let mut keep = |pointer: &str, value: Range<usize>, name| {
        if pointers.contains(pointer) && !found.contains_key(pointer) {
            found.insert(pointer.to_owned(), Located { value, name });
        }
    };
    loop {
        let kind = scanner.kind()?;
        let start = scanner.position();
        // Skip containers that no pointer leads into.
        let below = || {
            pointers
                .range::<str, _>((Bound::Excluded(pointer.as_str()), Bound::Unbounded))
                .next()
        };
        let inside = || below().is_some_and(|p| p.starts_with(pointer.as_str()));
        match kind {
            ValueKind::Object | ValueKind::Array if inside() => {
                let object = kind == ValueKind::Object;
                if object {
                    scanner.open_object(false)?;
                } else {
                    scanner.open_array()?;
                }
                open.push(Level {
                    start,
                    name,
                    pointer: pointer.len(),
                    object,
                    passed: 0,
                });
            }
            _ => {
                scanner.skip()?;
                keep(&pointer, start..scanner.position(), name);
            }
        }
        loop {
            let Some(level) = open.last_mut() else {
                return Ok(());
            };
            pointer.truncate(level.pointer);
            let first = level.passed == 0;
            let more = if level.object {
                name = next_name(scanner, first);
                let member = scanner.member(first)?.map(Str::decode);
                pointer.extend(
                    member
                        .iter()
                        .flat_map(|m| ["/".into(), m.replace('~', "~0").replace('/', "~1")]),
                );
                member.is_some()
            } else {
                name = None;
                let more = scanner.element(first)?;
                if more {
                    pointer.push('/');
                    pointer.push_str(&level.passed.to_string());
                }
                more
            };
            level.passed += 1;
            if more {
                break;
            }
            let ended = open
                .pop()
                .map(|level| (level.start..scanner.position(), level.name));
            if let Some((value, name)) = ended {
                keep(&pointer, value, name);
            }
        }
    }
}

/// Returns the position at which the next member's name starts.
fn next_name(scanner: &mut Scanner<'_>, first: bool) -> Option<usize> {
    scanner.peek();
    let at = scanner.position();
    if first {
        return Some(at);
    }
    let rest = scanner.text().get(at..)?;
    rest.find('"').map(|n| at + n)
}

/// Returns the pointer of the innermost value or member that contains the byte at `offset`.
///
/// It takes one pass. The text may be truncated or invalid after the offset.
#[must_use]
pub fn pointer_at(text: &str, offset: usize) -> String {
    let mut scanner = Scanner::unchecked(text);
    let mut path: Vec<Step<'_>> = Vec::new();
    walk(&mut scanner, offset, &mut path);
    let mut pointer = String::new();
    for step in &path {
        match step {
            Step::Inside { .. } => {}
            Step::Member(name) => {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
            }
            Step::Element(index) => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
        }
    }
    pointer
}

/// One level of a path: an open container before its first child, or its current child.
enum Step<'a> {
    Inside { object: bool },
    Member(Cow<'a, str>),
    Element(usize),
}

/// Advances until the byte at `offset` is before the cursor, and keeps the path of the current
/// position.
fn walk<'a>(scanner: &mut Scanner<'a>, offset: usize, path: &mut Vec<Step<'a>>) {
    loop {
        match scanner.kind() {
            Ok(ValueKind::Object) if scanner.open_object(false).is_ok() => {
                path.push(Step::Inside { object: true });
            }
            Ok(ValueKind::Array) if scanner.open_array().is_ok() => {
                path.push(Step::Inside { object: false });
            }
            Ok(_) if scanner.skip().is_ok() => {}
            _ => return,
        }
        loop {
            if scanner.position() > offset {
                return;
            }
            let (object, next) = match path.last() {
                None => return,
                Some(Step::Inside { object }) => (*object, 0),
                Some(Step::Member(_)) => (true, 1),
                Some(Step::Element(index)) => (false, index + 1),
            };
            let child = if object {
                let name_at = next_name(scanner, next == 0).unwrap_or(usize::MAX);
                match scanner.member(next == 0) {
                    Ok(Some(name)) if name_at <= offset => Some(Step::Member(name.decode())),
                    Ok(None) if scanner.position() <= offset => None,
                    _ => {
                        path.pop();
                        return;
                    }
                }
            } else {
                match scanner.element(next == 0) {
                    Ok(true) => Some(Step::Element(next)),
                    Ok(false) if scanner.position() <= offset => None,
                    _ => {
                        path.pop();
                        return;
                    }
                }
            };
            path.pop();
            if let Some(child) = child {
                path.push(child);
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"a/b":[1,{"c~d":"x"}], "e":null}"#;

    #[test]
    fn resolves_pointers_to_bytes() {
        let at = |pointer| resolve(TEXT, pointer).map(|l| (TEXT.get(l.value).unwrap(), l.name));
        assert_eq!(at(""), Some((TEXT, None)));
        assert_eq!(at("/a~1b/0"), Some(("1", None)));
        assert_eq!(at("/a~1b/1/c~0d"), Some((r#""x""#, Some(11))));
        assert_eq!(at("/e"), Some(("null", Some(24))));
        assert_eq!(at("/f"), None);
        assert_eq!(at("/a~1b/2"), None);
        assert_eq!(at("/e/0"), None);
    }

    #[test]
    fn resolves_many_pointers_as_one_by_one() {
        let text = r#"{"a/b":[1,{"c~d":"x","e":[]},[[]]],"e":null,"":{"a":{},"":0},"a":2,"e":1}"#;
        let pointers = [
            "",
            "/a~1b",
            "/a~1b/0",
            "/a~1b/1",
            "/a~1b/1/c~0d",
            "/a~1b/1/e",
            "/a~1b/2/0",
            "/a~1b/3",
            "/e",
            "/e/0",
            "/",
            "//",
            "//a",
            "/a",
            "/f",
            "x",
        ];
        let all = resolve_all(text, &pointers.iter().map(|p| (*p).to_owned()).collect());
        for pointer in pointers {
            let expected = if pointer == "x" {
                None
            } else {
                resolve(text, pointer)
            };
            assert_eq!(all.get(pointer), expected.as_ref(), "{pointer:?}");
        }
        assert!(resolve_all("[1,", &["/0".to_owned()].into()).contains_key("/0"));
    }

    #[test]
    fn names_the_value_at_an_offset() {
        assert_eq!(pointer_at(TEXT, 0), "");
        assert_eq!(pointer_at(TEXT, 1), "/a~1b");
        assert_eq!(pointer_at(TEXT, 8), "/a~1b/0");
        assert_eq!(pointer_at(TEXT, 17), "/a~1b/1/c~0d");
        assert_eq!(pointer_at(TEXT, 25), "/e");
        assert_eq!(pointer_at(r#"{"a":{"b":[1,2,"#, 14), "/a/b/2");
        assert_eq!(pointer_at(r#"{"a":{"b":tru"#, 12), "/a/b");
    }
}
