//! Writes text from traces as GitHub's Markdown.
//!
//! Backslashes and character references aren't sufficient. `\@name` and `&#64;name` are both
//! displayed as `@name`, and GitHub searches the displayed text for mentions, issue numbers, emoji
//! and addresses. It doesn't search code. Hostile text is therefore written as code, and only words
//! that GitHub can't interpret are written as text.

use super::{line_start, terminal};

/// Formats hostile text as a code span on one line.
#[must_use]
pub fn code(text: &str) -> String {
    span(&terminal(text))
}

/// Formats hostile text as a code span in a table, where a pipe ends the cell even inside code.
pub fn cell(text: &str) -> String {
    span(&terminal(text).replace('|', "\\u{007c}"))
}

/// Formats a message. Text in backticks becomes code. The rest becomes code too, unless GitHub
/// can't interpret it.
pub fn message(text: &str) -> String {
    let text = terminal(text);
    if text.matches('`').count() % 2 == 1 {
        // It is unclear what is quoted.
        return span(&text);
    }
    let mut parts = text.split('`');
    let mut out = String::new();
    while let Some(free) = parts.next() {
        if is_plain(free) {
            out.push_str(&escape_punctuation(free));
        } else {
            push_span(&mut out, &span(free));
        }
        if let Some(quoted) = parts.next() {
            push_span(&mut out, &span(quoted));
        }
    }
    out
}

/// Formats a line as an HTML block that ends with the line, so that it isn't parsed as Markdown.
pub fn block(before: &str, marked: &str, after: &str) -> String {
    let [before, marked, after] = [before, marked, after].map(html);
    format!("<pre>{before}<ins>{marked}</ins>{after}</pre>\n")
}

/// Formats lines as a fenced block. Its fence is longer than any run of backticks inside.
pub fn fenced(text: &str, language: &str) -> String {
    let one = |line: &str| line_start(line.strip_suffix('\r').unwrap_or(line));
    let lines: Vec<String> = text.split('\n').map(one).collect();
    let longest = lines
        .iter()
        .flat_map(|l| l.split(|c| c != '`'))
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

/// Appends a code span, after a space if needed: two adjacent spans would be parsed as one.
fn push_span(out: &mut String, span: &str) {
    if out.ends_with('`') {
        out.push(' ');
    }
    out.push_str(span);
}

/// Formats a code span. Its fence is longer than any run of backticks inside.
fn span(text: &str) -> String {
    if text.is_empty() {
        return "` `".into();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // Markdown removes one space on each side, unless the span consists of spaces.
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    let pad = if text.trim_matches(' ').is_empty() {
        ""
    } else {
        pad
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns whether text contains no mention, issue number, address or emoji for GitHub.
fn is_plain(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let colon = text
        .split(':')
        .skip(1)
        .any(|after| !after.starts_with(' ') && !after.is_empty());
    !colon && !text.contains(['@', '#']) && !lower.contains("www.") && !lower.contains("gh-")
}

/// Escapes punctuation that Markdown may interpret as numeric character references.
fn escape_punctuation(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation()
            && !matches!(
                c,
                ',' | '.' | ';' | '(' | ')' | '\'' | '/' | '-' | '?' | '%' | '='
            )
        {
            out.push_str(&format!("&#{};", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Escapes text for an HTML block.
fn html(text: &str) -> String {
    terminal(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    /// Parses like GitHub, with a CommonMark parser and extensions. Returns the text outside of
    /// code and the text in code.
    fn seen(markdown: &str) -> Result<(String, String), String> {
        let (mut free, mut code) = (String::new(), String::new());
        let options = Options::ENABLE_GFM
            | Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_MATH;
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(t) => free.push_str(&t),
                Event::Code(t) => code.push_str(&t),
                Event::Start(Tag::Paragraph) | Event::End(_) => {}
                other => return Err(format!("{other:?} in {markdown:?}")),
            }
        }
        Ok((free, code))
    }

    #[test]
    fn hostile_text_is_code() {
        for text in [
            "@team",
            "#1",
            "![x](y)",
            "<img src=x>",
            "```",
            "[a]: b",
            "http://x.y",
            "~~x~~",
            "\\",
            "a`b",
            ":tada:",
            "$x$",
        ] {
            assert_eq!(
                seen(&format!("x {}", code(text))).unwrap(),
                ("x ".into(), text.into())
            );
            let (free, _) = seen(&format!("x {}", message(text))).unwrap();
            assert!(
                !free.contains(['@', '#']) && !free.contains("://"),
                "{free}"
            );
        }
        assert_eq!(message("in `a|b` of @x"), "in `a|b` `  of @x `");
        assert_eq!(cell("a|b"), "`a\\u{007c}b`");
        assert_eq!(code(""), "` `");
    }

    proptest! {
        #[test]
        fn any_text_is_code(text in "(\\PC|[`@#<>|\\\\\n ]){0,40}") {
            prop_assume!(!text.trim().is_empty());
            let expected = terminal(&text).into_owned();
            prop_assert_eq!(seen(&format!("x {}", code(&text))), Ok(("x ".to_owned(), expected)));
            let read = seen(&format!("x {}", message(&text)));
            prop_assert!(read.is_ok(), "{:?}", read);
            let (free, _) = read.unwrap_or_default();
            prop_assert!(!free.contains(['@', '#']), "{}", free);
        }

        #[test]
        fn a_cell_ends_where_it_should(text in "(\\PC|[`|\\\\ ]){0,30}") {
            let table = format!("| a | b |\n| --- | --- |\n| {} | end |\n", cell(&text));
            let cells = Parser::new_ext(&table, Options::ENABLE_TABLES).filter(|e| matches!(e, Event::Start(Tag::TableCell))).count();
            prop_assert_eq!(cells, 4);
        }

        #[test]
        fn a_block_is_one_line_of_html(text in any::<String>()) {
            let block = block("", &text, "");
            prop_assert_eq!(block.matches('\n').count(), 1);
            prop_assert!(Parser::new(&block).all(|e| matches!(e, Event::Html(_) | Event::Start(Tag::HtmlBlock) | Event::End(_))));
            prop_assert_eq!(block.matches('<').count(), 4);
        }
    }
}
