//! Sections of HTML pages: what a reader sees, without scripts and styles.

use super::Extracted;
use super::document::{Outline, Section};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, Rcdata, ScriptData};
use html5ever::tokenizer::{
    BufferQueue, EndTag, StartTag, Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use std::cell::RefCell;

/// Elements whose text is not shown.
const HIDDEN: [&str; 5] = ["script", "style", "template", "noscript", "iframe"];
/// Elements that don't end a line.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "em", "font", "i", "ins", "kbd",
    "mark", "q", "s", "small", "span", "strong", "sub", "sup", "u", "var",
];

/// Adds the sections of a page.
pub(super) fn extract(text: &str, outline: &mut Outline<'_>, out: &mut Extracted) {
    let tokenizer = Tokenizer::new(Page::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(text));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let page = tokenizer.sink.0.into_inner();
    // The text of a page is decoded, so secrets have to be looked for in it too.
    let whole: Vec<&str> = page.parts.iter().map(|part| part.text.as_str()).collect();
    out.seen.read(&whole.join("\n"));
    let last = text.lines().count().max(1) as u64;
    for part in page.parts {
        if let Some(level) = part.level {
            outline.enter(level, words(&part.text));
            continue;
        }
        let mut lines = part.text.lines().map(str::trim);
        let section = Section {
            lines: (part.lines.0.clamp(1, last), part.lines.1.clamp(1, last)),
            says: lines.find(|line| !line.is_empty()).map(str::to_owned),
            detail: format!("{}\n", part.text.trim_end()),
            is_verbatim: false,
        };
        outline.add(section, out);
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A heading, or the text between two of them.
#[derive(Debug, Default)]
struct Part {
    /// The level, if it is a heading.
    level: Option<usize>,
    lines: (u64, u64),
    text: String,
}

/// The tokens of a page, put together.
#[derive(Debug, Default)]
struct Page(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    parts: Vec<Part>,
    /// The element that hides what is in it, and how many of its kind are open.
    hidden: Option<(String, usize)>,
    /// How many `pre` are open, in which white space counts.
    preformatted: usize,
}

impl State {
    /// Begins a part, unless the open one is of the same kind.
    fn part(&mut self, level: Option<usize>, line: u64) {
        let goes_on = self.parts.last().is_some_and(|part| part.level == level);
        if !goes_on || level.is_some() {
            self.parts.push(Part {
                level,
                lines: (line, line),
                text: String::new(),
            });
        }
    }

    fn text(&mut self, text: &str, line: u64) {
        if self.hidden.is_some() {
            return;
        }
        let is_preformatted = self.preformatted > 0;
        if self.parts.is_empty() {
            self.part(None, line);
        }
        let Some(part) = self.parts.last_mut() else {
            return;
        };
        let is_empty = part.text.trim().is_empty();
        if is_preformatted {
            part.text.push_str(text);
        } else {
            for piece in text.split_inclusive(char::is_whitespace) {
                let word = piece.trim_end();
                part.text.push_str(word);
                if word.len() < piece.len() && !part.text.ends_with([' ', '\n']) {
                    part.text.push(' ');
                }
            }
        }
        if !text.trim().is_empty() {
            let newlines = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
            // The line is that of the end.
            let behind = newlines(text.get(text.trim_end().len()..).unwrap_or_default());
            if is_empty {
                let before = newlines(text.trim_start());
                part.lines.0 = line.saturating_sub(before);
            }
            part.lines.1 = line.saturating_sub(behind);
        }
    }

    fn tag(&mut self, tag: &Tag, line: u64) -> TokenSinkResult<()> {
        let name = &*tag.name;
        let begins = tag.kind == StartTag;
        match &mut self.hidden {
            Some((hidden, open)) if hidden == name => {
                *open = if begins {
                    open.saturating_add(1)
                } else {
                    open.saturating_sub(1)
                };
                if *open == 0 {
                    self.hidden = None;
                }
            }
            Some(_) => return TokenSinkResult::Continue,
            None if begins && HIDDEN.contains(&name) => self.hidden = Some((name.to_owned(), 1)),
            None => {}
        }
        if let [b'h', level @ b'1'..=b'6'] = name.as_bytes() {
            let level = begins.then(|| usize::from(level - b'0'));
            self.part(level, line);
        } else if name == "title" {
            // The title of the page is above all of its headings.
            self.part(begins.then_some(0), line);
        } else if !INLINE.contains(&name)
            && let Some(part) = self.parts.last_mut()
        {
            let is_empty = part.text.trim().is_empty() || part.text.ends_with('\n');
            part.text.push_str(if is_empty { "" } else { "\n" });
        }
        if name == "pre" {
            self.preformatted = if begins {
                self.preformatted.saturating_add(1)
            } else {
                self.preformatted.saturating_sub(1)
            };
        }
        match name {
            "script" if begins => TokenSinkResult::RawData(ScriptData),
            "style" | "noscript" | "iframe" if begins => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" if begins => TokenSinkResult::RawData(Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

impl TokenSink for Page {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if matches!(tag.kind, StartTag | EndTag) => state.tag(&tag, line),
            Token::CharacterTokens(text) => {
                state.text(&text, line);
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }
}
