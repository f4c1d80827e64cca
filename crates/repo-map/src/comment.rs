//! Documentation: the first line of the comment above a definition, or of the string at its top.

use super::language::Language;
use super::signature::one_line;

/// Maximum length of a line of documentation, in characters.
const LIMIT: usize = 120;

/// Maximum number of comment lines to search, above a definition or within a block.
const MAX_LINES: usize = 400;

/// A comment, or an attribute or annotation that may come between a comment and its definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_comment: bool,
}

/// Returns the first line of the documentation of a definition. Spans and strings must be in source
/// order.
pub fn of(
    language: Language,
    text: &str,
    start: usize,
    body: Option<usize>,
    spans: &[Span],
    strings: &[(usize, usize)],
) -> Option<String> {
    let inside = body.and_then(|b| {
        let first = strings.get(strings.partition_point(|s| s.0 < b))?;
        // Elixir's bodies begin with `do`.
        let gap = text.get(b..first.0)?;
        (gap.is_empty() || language == Language::Elixir && gap.trim() == "do").then_some(first)
    });
    if let Some((from, to)) = inside {
        return first_line(language, text.get(*from..*to)?);
    }
    above(language, text, start, spans).and_then(|block| first_line(language, block))
}

/// Returns the first line of the documentation of the file itself.
pub(super) fn of_file(
    language: Language,
    text: &str,
    spans: &[Span],
    strings: &[(usize, usize)],
) -> Option<String> {
    match language {
        Language::Rust => {
            let first = spans.iter().find(|s| s.is_comment)?;
            let block = text.get(first.start..first.end)?;
            let before = text.get(..first.start)?.trim();
            (before.is_empty() && (block.starts_with("//!") || block.starts_with("/*!")))
                .then(|| first_line(language, block))?
        }
        Language::Python => {
            let (from, to) = strings.first()?;
            let before = text.get(..*from)?;
            let only_comments = before
                .lines()
                .all(|l| l.trim().is_empty() || l.trim_start().starts_with('#'));
            only_comments.then(|| first_line(language, text.get(*from..*to)?))?
        }
        _ => None,
    }
}

/// Returns the comment that ends directly above a place.
fn above<'t>(language: Language, text: &'t str, start: usize, spans: &[Span]) -> Option<&'t str> {
    let mut at = start;
    let mut block: Option<(usize, usize)> = None;
    let last = spans.partition_point(|s| s.start < start);
    for span in spans.get(..last)?.iter().rev().take(MAX_LINES) {
        let (from, to) = (
            span.start,
            span.start + text.get(span.start..span.end)?.trim_end().len(),
        );
        if to > at {
            // The span lies within one that was handled already.
            continue;
        }
        let gap = text.get(to..at)?;
        if !gap.trim().is_empty() || gap.matches('\n').count() > 1 {
            break;
        }
        at = from;
        if !span.is_comment {
            if block.is_some() {
                break;
            }
            continue;
        }
        let comment = text.get(from..to)?;
        let starts_its_line = text
            .get(..from)?
            .rsplit('\n')
            .next()
            .is_some_and(|before| before.trim().is_empty());
        if !starts_its_line || !is_documentation(language, comment) {
            break;
        }
        block = Some((from, block.map_or(to, |(_, end)| end)));
        if comment.starts_with("/*") {
            break;
        }
    }
    let (from, to) = block?;
    text.get(from..to)
}

/// Returns whether a comment is documentation. Some languages have their own syntax for it.
fn is_documentation(language: Language, comment: &str) -> bool {
    match language {
        Language::Rust => {
            let outer_line = comment.starts_with("///") && !comment.starts_with("////");
            outer_line || comment.starts_with("/**")
        }
        Language::CSharp => comment.starts_with("///") || comment.starts_with("/**"),
        Language::Java | Language::Php | Language::Kotlin | Language::Dart => {
            comment.starts_with("/**") || comment.starts_with("///")
        }
        Language::Zig => comment.starts_with("///") && !comment.starts_with("////"),
        // `@doc` is documentation, a comment isn't.
        Language::Elixir => comment.starts_with('@'),
        Language::Lua | Language::Sql | Language::Hcl | Language::Protobuf => true,
        Language::PowerShell => !comment.starts_with("#!"),
        Language::R => !comment.starts_with("#!"),
        // Python's documentation is a string.
        Language::Python => false,
        Language::Bash | Language::Ruby => !comment.starts_with("#!"),
        Language::C | Language::Cpp | Language::Go => true,
        Language::JavaScript | Language::TypeScript | Language::Tsx => true,
        Language::Svelte | Language::Vue => true,
    }
}

/// Returns the first line with letters or digits, without comment markers or quotes.
fn first_line(language: Language, block: &str) -> Option<String> {
    let opening = ["r\"\"\"", "\"\"\"", "'''", "r\"", "\"", "'"];
    let unquoted = |text: &str| -> usize {
        let found = opening.iter().find_map(|o| text.strip_prefix(o));
        text.len() - found.unwrap_or(text).len()
    };
    let block = match language {
        Language::Python => block.get(unquoted(block)..).unwrap_or(block),
        // `@doc """`
        Language::Elixir => {
            let value = block.split_once(char::is_whitespace).map_or("", |(_, v)| v);
            let value = value.trim_start().trim_start_matches(['~', 'S', 's']);
            value.get(unquoted(value)..).unwrap_or(value)
        }
        _ => block,
    };
    for line in block.lines().take(MAX_LINES) {
        let line = line.trim();
        let line = match language {
            Language::Python | Language::Elixir => line.trim_end_matches(['"', '\'']),
            Language::Ruby | Language::Bash => line.trim_start_matches(['#', '!', '-', '=']),
            Language::R | Language::Hcl => line
                .trim_start_matches(['#', '\'', '/', '*'])
                .trim_end_matches(['/', '*']),
            Language::PowerShell if line.starts_with('.') => continue,
            Language::PowerShell => line
                .trim_start_matches(['<', '#'])
                .trim_end_matches(['#', '>']),
            Language::Lua | Language::Sql => line
                .trim_start_matches(['-', '/', '*', '['])
                .trim_end_matches(['*', '/', ']']),
            _ => line
                .trim_start_matches(['/', '*', '!'])
                .trim_end_matches(['/', '*']),
        };
        let line = if language == Language::CSharp {
            without_tags(line)
        } else {
            line.to_owned()
        };
        let line = line.trim();
        if line.starts_with(['@', '\\']) {
            return None;
        }
        if line.chars().any(char::is_alphanumeric) {
            return Some(one_line(line, LIMIT));
        }
    }
    None
}

/// Removes XML tags from a line.
fn without_tags(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, tag)) = rest.split_once('<') {
        out.push_str(before);
        match tag.split_once('>') {
            Some((_, after)) => rest = after,
            None => return out + "<" + tag,
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_says_something_counts() {
        assert_eq!(
            first_line(Language::Java, "/**\n * Reads it.\n * More.\n */").unwrap(),
            "Reads it."
        );
        assert_eq!(first_line(Language::Java, "/** @return x */"), None);
        assert_eq!(
            first_line(Language::Python, "\"\"\"\n  Doc.\n\"\"\"").unwrap(),
            "Doc."
        );
        assert_eq!(
            first_line(
                Language::CSharp,
                "/// <summary>\n/// Sums <c>a</c>.\n/// </summary>"
            )
            .unwrap(),
            "Sums a."
        );
        assert_eq!(first_line(Language::C, "/******/"), None);
    }

    #[test]
    fn a_comment_belongs_to_what_stands_below() {
        let text = "int a; /* a */\nint b;\n\n// far\n\n// one\n// two\nint c;";
        let span = |word: &str| {
            let start = text.find(word).unwrap();
            let end = if word.starts_with("/*") {
                start + 7
            } else {
                text.match_indices('\n').find(|n| n.0 > start).unwrap().0
            };
            Span {
                start,
                end,
                is_comment: true,
            }
        };
        let spans = [span("/* a"), span("// far"), span("// one"), span("// two")];
        let doc = |word: &str| {
            of(
                Language::C,
                text,
                text.find(word).unwrap(),
                None,
                &spans,
                &[],
            )
        };
        assert_eq!(doc("int b"), None);
        assert_eq!(doc("int c").unwrap(), "one");
    }
}
