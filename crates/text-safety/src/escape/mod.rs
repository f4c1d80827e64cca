//! Escapes hostile text for terminals, CI runners, Markdown and JSON.

pub mod json;
pub mod markdown;

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes text so that it is safe on a terminal and stays on one line.
///
/// Control characters, bidirectional overrides, invisible characters and tags become `\u{…}`. A tab
/// becomes a space. The second `#` of `##[` and `##vso[` is escaped too, since CI runners read
/// commands from there, even inside a line.
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

/// Like [`terminal`], for text at the start of a line. CI runners take a line that starts with
/// `::`, also after spaces, for a command.
pub fn line_start(text: &str) -> String {
    let safe = terminal(text).into_owned();
    if safe.trim_start().starts_with("::") {
        safe.replacen(':', "\\u{003a}", 1)
    } else {
        safe
    }
}

/// Returns whether a CI runner would read a command anywhere in a line.
pub fn holds_command(line: &str) -> bool {
    line.match_indices("##")
        .any(|(at, _)| line.get(at + 2..).is_some_and(opens_command))
}

/// Returns whether the text after `##` makes it a command of a CI runner.
fn opens_command(after: &str) -> bool {
    after.starts_with('[')
        || after
            .get(..4)
            .is_some_and(|word| word.eq_ignore_ascii_case("vso["))
}

/// Returns whether a character acts on a terminal or hides from a reader. These are C0, DEL and C1
/// controls, line and paragraph separators, bidirectional controls, zero-width characters,
/// invisible operators and fillers, variation selectors, interlinear annotations, tags, private use
/// characters and noncharacters.
const fn is_dangerous(c: char) -> bool {
    // Fast path: nearly all text is ASCII.
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    crate::invisible_chars::is_ignorable(c)
        || matches!(c,
            '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{e000}'..='\u{f8ff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{f0000}'..='\u{10ffff}')
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
