//! A page to read: headings, rows and blocks of text, written as text, Markdown or HTML.
//!
//! A caller builds a [`Page`] without escaping anything. Every text may be hostile; each emitter
//! escapes it for its own format.

mod chart;
pub(super) mod html;
mod markdown;
mod text;

pub use chart::{Bar, Chart};

use super::Lang;
use std::io::{self, Write};

/// The tone of a part, shown as a colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Plain,
    Good,
    Warning,
    Bad,
}

impl Tone {
    const fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Bad => "error",
        }
    }
}

/// The colouring of a block's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Without colours.
    Text,
    /// As a unified diff.
    Diff,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A heading with its level, from 1.
    Heading(u8, String, Tone),
    /// A name with its value.
    Row(&'static str, String, Tone),
    /// Verbatim lines, possibly truncated.
    Block {
        kind: Kind,
        text: String,
        /// Description of how much is truncated.
        missing: Option<String>,
    },
    /// A table with its caption, head and rows. Columns of numbers are right-aligned.
    Table(String, Vec<&'static str>, Vec<Vec<String>>),
    /// A bar chart, in formats that can draw one. A table before it holds the same numbers.
    Chart(Chart),
    /// A sentence.
    Say(String, Tone),
}

/// The output format of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text for a terminal of 100 columns.
    Text,
    /// Markdown for a code forge.
    Markdown,
    /// HTML in one file.
    Html,
}

/// A page that any emitter can write.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// Language of the fixed text.
    pub lang: Lang,
    /// Title, for example of a browser window.
    pub title: String,
    pub parts: Vec<Part>,
}

impl Page {
    /// Creates an empty page in English.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self::in_language(Lang::En, title)
    }

    /// Creates an empty page whose fixed text is in a language. The caller adds text in that
    /// language.
    #[must_use]
    pub fn in_language(lang: Lang, title: impl Into<String>) -> Self {
        Self {
            lang,
            title: title.into(),
            parts: Vec::new(),
        }
    }

    /// Adds a heading.
    pub fn heading(&mut self, level: u8, text: impl Into<String>, tone: Tone) {
        self.parts.push(Part::Heading(level, text.into(), tone));
    }

    /// Adds a row.
    pub fn row(&mut self, name: &'static str, value: impl Into<String>) {
        self.toned(name, value, Tone::Plain);
    }

    /// Adds a row with a tone.
    pub fn toned(&mut self, name: &'static str, value: impl Into<String>, tone: Tone) {
        self.parts.push(Part::Row(name, value.into(), tone));
    }

    /// Adds a sentence.
    pub fn say(&mut self, text: impl Into<String>, tone: Tone) {
        self.parts.push(Part::Say(text.into(), tone));
    }

    /// Adds at most `limit` lines of a text from which `cut` characters are already missing.
    pub fn block(&mut self, kind: Kind, text: &str, cut: usize, limit: usize) {
        let lines: Vec<&str> = text.lines().collect();
        let shown = lines.get(..limit.min(lines.len())).unwrap_or_default();
        let (more, lang) = (lines.len() - shown.len(), self.lang);
        let missing = match (more, cut) {
            (0, 0) => None,
            (0, cut) => Some(lang.plural(cut as u64, "more character")),
            (more, 0) => Some(lang.plural(more as u64, "more line")),
            (more, _) => {
                let lines = lang.plural(more as u64, "further line");
                Some(lang.fill("more than {0}", &[&lines]))
            }
        };
        self.parts.push(Part::Block {
            kind,
            text: shown.join("\n"),
            missing,
        });
    }

    /// Writes the page in a format.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => text::write(self, out),
            Format::Markdown => markdown::write(self, out),
            Format::Html => html::write(self, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(page: &Page, format: Format) -> String {
        let mut plain = anstream::StripStream::new(Vec::new());
        page.write(format, &mut plain).unwrap();
        String::from_utf8(plain.into_inner()).unwrap()
    }

    fn sample(text: &str) -> Page {
        let mut page = Page::new(text);
        page.heading(1, text, Tone::Bad);
        page.row("name", text);
        page.block(Kind::Diff, text, 3, 40);
        let bar = Bar {
            label: text.into(),
            value: 1.0,
            reach: Some(2.0),
            shown: text.into(),
        };
        page.parts.push(Part::Chart(Chart {
            title: text.into(),
            axis: "length",
            about: "Bars.",
            logarithmic: false,
            bars: vec![bar],
        }));
        page.parts.push(Part::Table(
            text.into(),
            vec!["a", "b"],
            vec![vec![text.into(), "1".into()]],
        ));
        page.say(text, Tone::Good);
        page
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut page = Page::new("x");
        page.block(Kind::Text, "a\nb\nc", 0, 2);
        page.block(Kind::Text, "a", 7, 2);
        page.block(Kind::Text, "a\nb\nc", 7, 2);
        let text = written(&page, Format::Text);
        for part in [
            "… 1 more line",
            "… 7 more characters",
            "… more than 1 further line",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_long_word_widens_no_page() {
        let mut page = Page::new("x");
        page.heading(1, "x".repeat(7_000), Tone::Plain);
        let html = written(&page, Format::Html);
        assert!(html.contains("}h1,h2,h3,p{overflow-wrap:anywhere}"));
    }

    #[test]
    fn long_rows_are_wrapped_under_themselves() {
        let mut page = Page::new("x");
        page.row("reason", "word ".repeat(60));
        let text = written(&page, Format::Text);
        assert!(
            text.lines().count() > 3 && text.lines().all(|l| l.len() <= text::WIDTH),
            "{text}"
        );
        assert!(
            text.lines()
                .skip(1)
                .all(|l| l.starts_with("              word")),
            "{text}"
        );
    }

    proptest! {
        #[test]
        fn nothing_acts_or_breaks_out(text in "(<script>|```|`|\\[|\\||#|##\\[x\\]|@a|::error::|\n|\r|\u{1b}\\[2J|\u{202e}|&|\"|a| ){0,24}") {
            let page = sample(&text);
            for format in [Format::Text, Format::Markdown, Format::Html] {
                let out = written(&page, format);
                prop_assert!(!out.contains('\u{1b}') && !out.contains('\u{202e}') && !out.contains('\r'), "{:?}", out);
                prop_assert!(!out.contains("##["), "{:?}", out);
                prop_assert!(!out.lines().any(|l| l.trim_start().starts_with("::")), "{:?}", out);
                if format != Format::Text {
                    prop_assert!(!out.contains("<script>") || format == Format::Markdown, "{:?}", out);
                }
            }
        }

        #[test]
        fn markdown_keeps_its_parts(text in "(<script>|```|`|\\[|\\||#|@a|\n|~~~|-|=|1\\.|2\\)|\\+|\\*|a| ){0,24}") {
            use pulldown_cmark::{Event, Options, Parser, Tag};
            let count = |text: &str| {
                let (mut items, mut headings, mut blocks) = (0, 0, 0);
                let markdown = written(&sample(text), Format::Markdown);
                for event in Parser::new_ext(&markdown, Options::ENABLE_GFM | Options::ENABLE_TABLES) {
                    match event {
                        Event::Start(Tag::Item) => items += 1,
                        Event::Start(Tag::Heading { .. }) => headings += 1,
                        Event::Start(Tag::CodeBlock(_)) => blocks += 1,
                        Event::Html(_) | Event::InlineHtml(_) => return Err(markdown),
                        _ => {}
                    }
                }
                Ok((items, headings, blocks))
            };
            prop_assert_eq!(count(&text), count("plain"), "{:?}", text);
        }
    }
}
