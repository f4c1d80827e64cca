//! Paths relative to the root of a repository, for platforms that show findings in its files.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// The root of a repository, and the directory that the paths of a report are relative to.
#[derive(Debug, Clone)]
pub struct Base {
    root: PathBuf,
    directory: PathBuf,
}

impl Base {
    /// Creates a base from two absolute paths without symbolic links.
    #[must_use]
    pub fn new(root: PathBuf, directory: PathBuf) -> Self {
        Self { root, directory }
    }

    /// Returns the path of an input relative to the root. The name of an input that isn't a file
    /// below the root is unchanged.
    pub(super) fn name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if name.is_empty() || name.starts_with('<') {
            return Cow::Borrowed(name);
        }
        let mut path = PathBuf::new();
        for part in self.directory.join(name).components() {
            match part {
                Component::ParentDir => {
                    path.pop();
                }
                Component::CurDir => {}
                part => path.push(part),
            }
        }
        match path.strip_prefix(&self.root).map(Path::to_str) {
            Ok(Some(below)) if !below.is_empty() => {
                Cow::Owned(below.replace(std::path::MAIN_SEPARATOR, "/"))
            }
            _ => Cow::Borrowed(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_root() {
        let base = Base::new("/r".into(), "/r/sub".into());
        for (name, expected) in [
            ("a.jsonl", "sub/a.jsonl"),
            ("./a/b.jsonl", "sub/a/b.jsonl"),
            ("../a.jsonl", "a.jsonl"),
            ("/r/x/a.jsonl", "x/a.jsonl"),
            ("../../a.jsonl", "../../a.jsonl"),
            ("/elsewhere/a.jsonl", "/elsewhere/a.jsonl"),
            ("<stdin>", "<stdin>"),
            ("", ""),
            ("..", ".."),
        ] {
            assert_eq!(base.name(name), expected, "{name}");
        }
    }
}
