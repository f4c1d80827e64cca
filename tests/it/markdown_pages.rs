//! What the tests of the documentation read of a page: titles, links, fenced blocks, prose.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::path::{Path, PathBuf};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A fenced block: the words behind the fence, and the text.
pub struct Block {
    pub language: String,
    pub marks: Vec<(String, String)>,
    pub text: String,
    pub line: usize,
}

impl Block {
    pub fn mark(&self, name: &str) -> Option<&str> {
        let found = self.marks.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A Markdown file.
pub struct Page {
    /// From the root of the repository, with `/`.
    pub path: String,
    pub headings: Vec<(HeadingLevel, String)>,
    pub links: Vec<String>,
    pub blocks: Vec<Block>,
    /// The prose without code, with the line it begins on.
    pub prose: Vec<(usize, String)>,
}

impl Page {
    pub fn read(path: &str) -> Self {
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        Self::of(path, &text)
    }

    pub fn of(path: &str, text: &str) -> Self {
        let mut page = Self {
            path: path.to_owned(),
            headings: Vec::new(),
            links: Vec::new(),
            blocks: Vec::new(),
            prose: Vec::new(),
        };
        let mut heading: Option<String> = None;
        let mut block: Option<Block> = None;
        let line_of = |at: usize| text[..at].matches('\n').count() + 1;
        let mut paragraph = String::new();
        let mut paragraph_line = 1;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(level)) => {
                    page.headings.push((level, heading.take().unwrap()));
                    page.flush(&mut paragraph, paragraph_line);
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    page.flush(&mut paragraph, paragraph_line);
                    block = Some(opened(kind, line_of(range.start)));
                }
                Event::End(TagEnd::CodeBlock) => page.blocks.extend(block.take()),
                Event::End(TagEnd::Paragraph | TagEnd::TableCell | TagEnd::Item) => {
                    page.flush(&mut paragraph, paragraph_line);
                }
                Event::Text(part) => {
                    if let Some(block) = &mut block {
                        block.text.push_str(&part);
                        continue;
                    }
                    if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                    if paragraph.is_empty() {
                        paragraph_line = line_of(range.start);
                    }
                    paragraph.push_str(&part);
                }
                Event::Code(part) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                    paragraph.push('\u{fffc}');
                }
                Event::SoftBreak | Event::HardBreak => paragraph.push(' '),
                _ => {}
            }
        }
        page.flush(&mut paragraph, paragraph_line);
        page
    }

    fn flush(&mut self, paragraph: &mut String, line: usize) {
        if !paragraph.is_empty() {
            self.prose.push((line, std::mem::take(paragraph)));
        }
    }

    /// The anchors of the headings, as GitHub and mdBook make them.
    pub fn anchors(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for (_, heading) in &self.headings {
            let plain: String = heading
                .trim()
                .chars()
                .filter_map(|c| match c {
                    ' ' => Some('-'),
                    c if c.is_alphanumeric() || c == '-' || c == '_' => {
                        Some(c.to_lowercase().next().unwrap())
                    }
                    _ => None,
                })
                .collect();
            let repeated = all
                .iter()
                .filter(|a| **a == plain || a.starts_with(&format!("{plain}-")))
                .filter(|a| {
                    a.strip_prefix(&format!("{plain}-"))
                        .is_none_or(|n| n.parse::<usize>().is_ok())
                })
                .count();
            all.push(if repeated == 0 {
                plain
            } else {
                format!("{plain}-{repeated}")
            });
        }
        all
    }
}

fn opened(kind: CodeBlockKind<'_>, line: usize) -> Block {
    let info = match kind {
        CodeBlockKind::Fenced(info) => info,
        CodeBlockKind::Indented => CowStr::Borrowed("indented"),
    };
    let mut words = info.split_whitespace();
    Block {
        language: words.next().unwrap_or_default().to_owned(),
        marks: words
            .map(|word| word.split_once('=').unwrap_or((word, "")))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
        text: String::new(),
        line,
    }
}

/// All Markdown files below a directory, sorted.
pub fn below(directory: &str) -> Vec<String> {
    let mut all: Vec<PathBuf> = walkdir::WalkDir::new(root().join(directory))
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    all.sort();
    all.iter()
        .map(|path| path.strip_prefix(root()).unwrap())
        .map(|path| path.to_str().unwrap().replace('\\', "/"))
        .collect()
}

/// The pages that a reader is meant to read.
pub fn all() -> Vec<String> {
    let mut all: Vec<String> = std::fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    all.sort();
    all.extend(below("docs"));
    all.extend(below("corpora/gate-demo"));
    all
}
