//! Headings of `AsciiDoc`: one to six equals signs before the words.
//!
//! Source: `AsciiDoc` Language Documentation, "Sections" and "Delimited Blocks".

use super::markdown::Heading;

/// Returns the sign and length of a line that begins or ends a delimited block.
fn delimiter(line: &str) -> Option<(char, usize)> {
    let sign = line.chars().next()?;
    let least = match sign {
        '`' => 3,
        '-' if line == "--" => 2,
        '-' | '.' | '+' | '/' | '=' | '*' | '_' => 4,
        _ => return None,
    };
    let count = line.chars().take_while(|c| *c == sign).count();
    // A code block of Markdown may name its language.
    (count >= least && (count == line.len() || sign == '`')).then_some((sign, count))
}

/// Returns the headings outside of blocks.
pub(super) fn headings(text: &str) -> Vec<Heading> {
    let mut all = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let line = line.trim_end();
        let delimits = delimiter(line);
        match (open, delimits) {
            (None, Some(_)) => open = delimits,
            (Some(begun), Some(ends)) if begun == ends => open = None,
            _ => {}
        }
        let level = line.bytes().take_while(|b| *b == b'=').count();
        let words = line.get(level..).unwrap_or_default();
        if open.is_none() && (1..=6).contains(&level) && words.starts_with([' ', '\t']) {
            all.push(Heading {
                start,
                end,
                level,
                words: words.trim().to_owned(),
            });
        }
        start = end;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_in_blocks_are_none() {
        let text = "= Title\n\n== One\n----\n== no\n----\n--\n== no\n--\n```ruby\n== no\n```\n=== Two\n=no\n======= no\n";
        let found: Vec<_> = headings(text)
            .into_iter()
            .map(|h| (h.level, h.words))
            .collect();
        let expected = [(1, "Title"), (2, "One"), (3, "Two")];
        assert_eq!(
            found,
            expected.map(|(level, words)| (level, words.to_owned()))
        );
    }
}
