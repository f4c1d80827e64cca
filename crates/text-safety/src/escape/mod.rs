//! Escaping of hostile text: for a terminal, for a runner of continuous integration, for Markdown
//! and JSON.

pub mod json;
pub mod markdown;

use std::borrow::Cow;
use std::fmt::Write as _;

/// Text that is safe to print on a terminal and can't break a line: control characters,
/// bidirectional overrides, invisible and tag characters become `\u{…}`; a tab becomes a space. So
/// does the second `#` of `##[` and `##vso[`: runners of continuous integration read commands from
/// there on, in the middle of a line.
#[must_use]
pub fn terminal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\t' => out.push(' '),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '#' if out.ends_with('#') && opens_command(rest.as_str()) => out.push_str("\\u{0023}"),
            c if is_dangerous(c) => {
                let _ = write!(out, "\\u{{{:04x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Text that begins a line, as [`terminal`] gives it: a runner takes a line that begins with `::`,
/// behind spaces too, for a command.
pub fn line_start(text: &str) -> String {
    let safe = terminal(text).into_owned();
    if safe.trim_start().starts_with("::") {
        safe.replacen(':', "\\u{003a}", 1)
    } else {
        safe
    }
}

/// Whether a runner reads a command somewhere in a line.
pub fn holds_command(line: &str) -> bool {
    line.match_indices("##")
        .any(|(at, _)| line.get(at + 2..).is_some_and(opens_command))
}

/// Whether what stands behind `##` makes it a command of a runner.
fn opens_command(after: &str) -> bool {
    after.starts_with('[')
        || after
            .get(..4)
            .is_some_and(|word| word.eq_ignore_ascii_case("vso["))
}

/// Characters that act on a terminal or hide from a reader: C0, DEL and C1 controls; line and
/// paragraph separators; bidirectional marks, embeddings, overrides and isolates; zero-width
/// characters, invisible operators and fillers; variation selectors; interlinear annotations; tags;
/// private use and noncharacters.
const fn is_dangerous(c: char) -> bool {
    crate::invisible_chars::is_ignorable(c)
        || matches!(c,
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{e000}'..='\u{f8ff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}' | '\u{ffff}' | '\u{f0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(terminal("plain ünïcode 漢字"), "plain ünïcode 漢字");
        assert_eq!(
            terminal("a\u{1b}[2Jb\r\n::error::x"),
            "a\\u{001b}[2Jb\\r\\n::error::x"
        );
        assert_eq!(
            terminal("\u{202e}evil\u{2066}\u{200b}\u{e0041}\u{9b}"),
            "\\u{202e}evil\\u{2066}\\u{200b}\\u{e0041}\\u{009b}"
        );
    }

    proptest! {
        #[test]
        fn no_control_character_is_left(text in any::<String>()) {
            prop_assert!(!terminal(&text).chars().any(|c| c.is_control() || is_dangerous(c)));
        }

        #[test]
        fn no_line_begins_a_command(text in "( |\t|:|\n|error|a){0,12}") {
            prop_assert!(line_start(&text).lines().all(|l| !l.trim_start().starts_with("::")));
        }

        #[test]
        fn no_command_of_a_runner_is_left(text in "(#|\\[|vso|a){0,12}") {
            let safe = terminal(&text);
            prop_assert!(!safe.contains("##[") && !safe.contains("##vso["), "{}", safe);
        }
    }
}
