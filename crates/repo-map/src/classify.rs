//! Decides which files are left out of a map: by `.gitattributes`, by name, and by content.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Why a file is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// The file contains NUL bytes.
    Binary,
    /// A program wrote the file, by `.gitattributes`, its name, or a comment at its top.
    Generated,
    /// The file is a symbolic link.
    Link,
    /// The file has very long lines.
    Minified,
    /// The path or the text isn't valid UTF-8.
    NotUtf8,
    /// Parsing takes more work than is allowed for a file of its size.
    Unparsed,
    /// The file can't be read.
    Unreadable,
    /// The file is larger than [`MAX_BYTES`].
    TooLarge,
    /// Third-party code, by `.gitattributes` or the name of a directory.
    Vendored,
}

impl LeftOut {
    /// All reasons.
    pub(super) const ALL: [LeftOut; 9] = [
        LeftOut::Binary,
        LeftOut::Generated,
        LeftOut::Link,
        LeftOut::Minified,
        LeftOut::NotUtf8,
        LeftOut::Unparsed,
        LeftOut::Unreadable,
        LeftOut::TooLarge,
        LeftOut::Vendored,
    ];

    /// Returns the name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            LeftOut::Binary => "binary",
            LeftOut::Generated => "generated",
            LeftOut::Link => "symbolic links",
            LeftOut::Minified => "minified",
            LeftOut::NotUtf8 => "not UTF-8",
            LeftOut::Unparsed => "too costly to parse",
            LeftOut::Unreadable => "unreadable",
            LeftOut::TooLarge => "too large",
            LeftOut::Vendored => "vendored",
        }
    }
}

/// Maximum size in bytes of a file that is read.
pub const MAX_BYTES: usize = 2 << 20;

/// Number of bytes at the top of a file that are searched for NUL bytes and for a comment that it
/// is generated.
const TOP: usize = 8 << 10;

const VENDORED: [&str; 12] = [
    "vendor",
    "vendored",
    "node_modules",
    "bower_components",
    "jspm_packages",
    "third_party",
    "third-party",
    "thirdparty",
    "Godeps",
    "Pods",
    ".venv",
    "site-packages",
];

const GENERATED_ENDS: [&str; 17] = [
    ".min.js",
    ".min.css",
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    "_pb2.py",
    "_pb2_grpc.py",
    "_pb.js",
    "_pb.d.ts",
    ".g.cs",
    ".g.i.cs",
    ".designer.cs",
    ".generated.cs",
    ".js.map",
    ".css.map",
    ".tsbuildinfo",
    ".snap",
];

const GENERATED_NAMES: [&str; 11] = [
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "bun.lock",
    "composer.lock",
    "go.sum",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "yarn.lock",
];

/// The `linguist-generated` and `linguist-vendored` attributes of a tree's `.gitattributes` files.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    /// The directory of each file (empty, or with a final `/`), and its patterns for generated and
    /// vendored files. Outer directories come first.
    files: Vec<(String, Gitignore, Gitignore)>,
}

impl Attributes {
    /// Adds the `.gitattributes` file of a directory.
    pub(super) fn add(&mut self, folder: &str, text: &str) {
        let mut builders = [GitignoreBuilder::new(""), GitignoreBuilder::new("")];
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            let Some(pattern) = words.next().filter(|p| !p.starts_with(['#', '!', '['])) else {
                continue;
            };
            for word in words {
                for (builder, name) in builders
                    .iter_mut()
                    .zip(["linguist-generated", "linguist-vendored"])
                {
                    let line = match word.strip_prefix(['-', '!']) {
                        Some(word) if word == name => format!("!{pattern}"),
                        None if word == format!("{name}=false") => format!("!{pattern}"),
                        None if word == name || word == format!("{name}=true") => {
                            pattern.to_owned()
                        }
                        _ => continue,
                    };
                    // An invalid pattern is ignored.
                    let _ = builder.add_line(None, &line);
                }
            }
        }
        let [generated, vendored] =
            builders.map(|b| b.build().unwrap_or_else(|_| Gitignore::empty()));
        self.files.push((folder.to_owned(), generated, vendored));
        self.files.sort_by(|a, b| a.0.cmp(&b.0));
    }

    /// Returns an attribute of a path, from the innermost file that sets it.
    fn attribute(
        &self,
        path: &str,
        which: impl Fn(&(String, Gitignore, Gitignore)) -> &Gitignore,
    ) -> Option<bool> {
        self.files.iter().rev().find_map(|file| {
            let inner = path.strip_prefix(file.0.as_str())?;
            let matched = which(file).matched(Path::new(inner), false);
            if matched.is_none() {
                None
            } else {
                Some(matched.is_ignore())
            }
        })
    }

    /// Returns why a file is left out, as far as its path determines it.
    pub(super) fn left_out(&self, path: &str) -> Option<LeftOut> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let vendored = || folders.split('/').any(|f| VENDORED.contains(&f));
        if self.attribute(path, |f| &f.2).unwrap_or_else(vendored) {
            return Some(LeftOut::Vendored);
        }
        let generated =
            || GENERATED_NAMES.contains(&name) || GENERATED_ENDS.iter().any(|e| name.ends_with(e));
        self.attribute(path, |f| &f.1)
            .unwrap_or_else(generated)
            .then_some(LeftOut::Generated)
    }
}

/// Returns the text of a file, or why it is left out. Long lines only matter in files that are
/// parsed.
pub fn text(bytes: &[u8], is_parsed: bool) -> Result<&str, LeftOut> {
    let top = bytes.get(..TOP.min(bytes.len())).unwrap_or_default();
    if memchr::memchr(0, top).is_some() {
        return Err(LeftOut::Binary);
    }
    if bytes.len() > MAX_BYTES {
        return Err(LeftOut::TooLarge);
    }
    let text = simdutf8::basic::from_utf8(bytes).map_err(|_| LeftOut::NotUtf8)?;
    if text.contains('\0') {
        return Err(LeftOut::Binary);
    }
    if is_generated(top) {
        return Err(LeftOut::Generated);
    }
    if is_parsed && is_minified(bytes) {
        return Err(LeftOut::Minified);
    }
    Ok(text)
}

/// Returns whether the first lines say that a program wrote the file.
fn is_generated(top: &[u8]) -> bool {
    let holds = |line: &[u8], word: &[u8]| memchr::memmem::find(line, word).is_some();
    top.split(|b| *b == b'\n').take(20).any(|line| {
        (holds(line, b"ode generated") && holds(line, b"DO NOT EDIT")) || is_marked(line)
    })
}

/// Returns whether a line is a comment that starts with the marker of some generators.
fn is_marked(line: &[u8]) -> bool {
    let words = line.trim_ascii_start();
    let is_comment = [&b"//"[..], b"#", b"/*", b"*", b"--", b"<!--"]
        .iter()
        .any(|start| words.starts_with(start));
    let bare = words
        .iter()
        .position(|b| b.is_ascii_alphanumeric() || *b == b'@')
        .and_then(|at| words.get(at..));
    // Concatenated, so that this file itself doesn't contain the marker.
    is_comment && bare.is_some_and(|b| b.starts_with(concat!("@", "generated").as_bytes()))
}

/// Returns whether a text has more than 300 bytes a line on average, or a line of more than 20,000.
/// Texts of up to 2,000 bytes are never considered minified.
fn is_minified(bytes: &[u8]) -> bool {
    let (mut lines, mut longest, mut start) = (1, 0, 0);
    for end in memchr::memchr_iter(b'\n', bytes) {
        longest = longest.max(end - start);
        start = end + 1;
        lines += 1;
    }
    longest = longest.max(bytes.len() - start);
    bytes.len() > 2_000 && (bytes.len() / lines > 300 || longest > 20_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_attributes_decide() {
        let mut attributes = Attributes::default();
        assert_eq!(
            attributes.left_out("a/vendor/x.go"),
            Some(LeftOut::Vendored)
        );
        assert_eq!(attributes.left_out("vendor.go"), None);
        assert_eq!(attributes.left_out("a/b.min.js"), Some(LeftOut::Generated));
        attributes
            .add("", "# x\n*.gen.rs linguist-generated\nvendor/** -linguist-vendored\nlib/*.c text linguist-vendored=true\n");
        attributes.add(
            "deep/",
            "own.gen.rs linguist-generated=false\n[x linguist-vendored\n",
        );
        assert_eq!(attributes.left_out("a/b.gen.rs"), Some(LeftOut::Generated));
        assert_eq!(attributes.left_out("deep/own.gen.rs"), None);
        assert_eq!(
            attributes.left_out("deep/x.gen.rs"),
            Some(LeftOut::Generated)
        );
        assert_eq!(attributes.left_out("vendor/x.go"), None);
        assert_eq!(attributes.left_out("lib/x.c"), Some(LeftOut::Vendored));
    }

    #[test]
    fn content_decides() {
        assert_eq!(text(b"a\0b", true), Err(LeftOut::Binary));
        assert_eq!(text(b"caf\xe9", true), Err(LeftOut::NotUtf8));
        assert_eq!(
            text(b"// Code generated by x. DO NOT EDIT.\n", true),
            Err(LeftOut::Generated)
        );
        assert_eq!(
            text(concat!("/* @", "generated */").as_bytes(), true),
            Err(LeftOut::Generated)
        );
        assert_eq!(
            text("x = 1;".repeat(900).as_bytes(), true),
            Err(LeftOut::Minified)
        );
        assert_eq!(
            text(&vec![b'\n'; MAX_BYTES + 1], true),
            Err(LeftOut::TooLarge)
        );
        assert_eq!(
            text("x = 1;\n".repeat(900).as_bytes(), true).map(str::len),
            Ok(6300)
        );
    }
}
