//! Headings of reStructuredText: a line of text with a line of one character below, and perhaps
//! above it.
//!
//! Source: "reStructuredText Markup Specification", section "Sections", docutils.

use super::markdown::Heading;
use unicode_width::UnicodeWidthStr as _;

/// Returns the character of a line that consists of one punctuation character.
fn adornment(line: &str) -> Option<char> {
    let sign = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 2 && line.chars().all(|c| c == sign)).then_some(sign)
}

/// Returns the headings. The level of a style is given by the order in which styles appear.
pub(super) fn headings(text: &str) -> Vec<Heading> {
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut all = Vec::new();
    let mut lines: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        lines.push((start, line.trim_end()));
        start += line.len();
    }
    let is_blank = |at: usize| lines.get(at).is_none_or(|(_, line)| line.is_empty());
    let mut at = 0;
    while let Some((start, line)) = lines.get(at).copied() {
        // The line above the words, if it is a part of the heading.
        let over = adornment(line).filter(|_| is_blank(at.wrapping_sub(1)));
        let words_at = at + usize::from(over.is_some());
        let words = lines.get(words_at).map_or("", |(_, words)| words);
        let below = lines.get(words_at + 1).map_or("", |(_, below)| below);
        let sign = adornment(below).filter(|sign| {
            let matches_above = match over {
                Some(over) => over == *sign && line.len() == below.len(),
                // Only the words of a heading with a line above may be indented.
                None => is_blank(at.wrapping_sub(1)) && !words.starts_with([' ', '\t']),
            };
            // Shorter lines of four characters or more are accepted with a warning.
            let is_long = below.len() >= 4 || below.len() >= words.width();
            matches_above && is_long && !words.trim().is_empty() && adornment(words).is_none()
        });
        let Some(sign) = sign else {
            at += 1;
            continue;
        };
        let style = (sign, over.is_some());
        let known = styles.iter().position(|known| *known == style);
        let level = known.unwrap_or(styles.len()) + 1;
        if known.is_none() {
            styles.push(style);
        }
        at = words_at + 2;
        all.push(Heading {
            start,
            end: lines.get(at).map_or(text.len(), |(start, _)| *start),
            level,
            words: words.trim().to_owned(),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_the_order_of_styles() {
        let text = "=====\nTitle\n=====\n\nText.\n\nOne\n---\nText\n====\n\nTwo\n~~~\n\n端口\n----\n\n----\n\n::\n\n    no\n    --\n\n====  ====\na     b\n====  ====\n\nLong title\n---\n";
        let found: Vec<_> = headings(text)
            .into_iter()
            .map(|h| (h.level, h.words))
            .collect();
        let expected = [(1, "Title"), (2, "One"), (3, "Two"), (2, "端口")];
        assert_eq!(
            found,
            expected.map(|(level, words)| (level, words.to_owned()))
        );
    }
}
