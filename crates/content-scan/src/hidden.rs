//! Characters that control a terminal, reorder text, or are invisible.
//!
//! Sources: ECMA-48 (control functions), xterm's control sequences (OSC 8, OSC 52), Unicode
//! Standard Annex 9 (bidirectional text), Unicode Technical Standards 39 and 51 (confusables,
//! emoji).

use super::letters;
use super::strings::Role;
use super::unusual::unusual;
use std::collections::BTreeMap;

/// A hidden character or sequence in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HiddenText {
    /// Byte offset.
    pub(super) at: usize,
    /// Length in bytes.
    pub(super) length: usize,
    pub(super) what: HiddenKind,
}

/// The kinds of hidden text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HiddenKind {
    /// A control sequence, by its introducer and its name.
    Sequence(&'static str, &'static str),
    /// A character and its name.
    Char(char, &'static str),
    /// A letter that looks like one of another script, in a word of that script.
    Letter(char),
    /// A symbol that looks like a separator.
    Sign(char),
}

impl HiddenKind {
    fn describe(self) -> String {
        match self {
            Self::Sequence(introducer, name) => format!("{introducer} ({name})"),
            Self::Char(c, name) => format!("U+{:04X} ({name})", u32::from(c)),
            Self::Letter(c) => {
                let like = text_safety::confusables::looks_like(c)
                    .map_or_else(|| "a plain letter".to_owned(), |l| format!("`{l}`"));
                format!(
                    "U+{:04X} `{c}` (looks like {like}) among other letters",
                    u32::from(c)
                )
            }
            Self::Sign(c) => {
                let like = text_safety::confusables::looks_like(c).unwrap_or('/');
                format!("U+{:04X} (looks like `{like}`)", u32::from(c))
            }
        }
    }
}

/// Maximum number of kinds that a summary names.
const NAMED: usize = 6;

/// Summarises findings by kind. The first [`NAMED`] kinds are named, the others counted.
pub(super) fn describe(sightings: &[HiddenText]) -> String {
    let mut counts: BTreeMap<HiddenKind, usize> = BTreeMap::new();
    for sighting in sightings {
        *counts.entry(sighting.what).or_default() += 1;
    }
    let mut parts: Vec<String> = counts
        .iter()
        .take(NAMED)
        .map(|(what, count)| {
            if *count > 1 {
                format!("{count} times {}", what.describe())
            } else {
                what.describe()
            }
        })
        .collect();
    if counts.len() > NAMED {
        parts.push(format!("{} more kinds", counts.len() - NAMED));
    }
    parts.join(", ")
}

/// Returns whether `c` needs closer inspection anywhere.
pub(super) const fn is_of_interest(c: char) -> bool {
    matches!(c, '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}')
        || invisible(c).is_some()
        || letters::is_of_interest(c)
}

/// Returns the name of an invisible character.
pub(super) const fn invisible(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{ad}' => "soft hyphen",
        '\u{34f}' => "combining grapheme joiner",
        '\u{61c}' => "Arabic letter mark",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "Hangul filler",
        '\u{17b4}' | '\u{17b5}' => "Khmer inherent vowel",
        '\u{180b}'..='\u{180f}' => "Mongolian separator or selector",
        '\u{200b}' => "zero-width space",
        '\u{200c}' => "zero-width non-joiner",
        '\u{200d}' => "zero-width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "pop directional formatting",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2060}' => "word joiner",
        '\u{2061}'..='\u{2064}' => "invisible operator",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "pop directional isolate",
        '\u{206a}'..='\u{206f}' => "deprecated format character",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{feff}' => "zero-width no-break space",
        '\u{fff9}'..='\u{fffb}' => "interlinear annotation",
        '\u{1bca0}'..='\u{1bca3}' => "shorthand format control",
        '\u{1d173}'..='\u{1d17a}' => "musical format control",
        '\u{e0000}'..='\u{e007f}' => "tag character",
        _ => return None,
    })
}

/// Finds everything invisible or with an effect on a terminal that doesn't belong in a text of this
/// role. The result is in text order.
pub(super) fn find(text: &str, role: Role) -> Vec<HiddenText> {
    let mut found = Vec::new();
    let mut candidates = unusual(text).filter(|(_, c)| is_of_interest(*c)).peekable();
    if candidates.peek().is_none() {
        return found;
    }
    let mut scan = HiddenScan {
        text,
        role,
        directed: None,
    };
    let mut skip = 0;
    for (at, c) in candidates {
        if at >= skip {
            skip = scan.inspect(at, c, &mut found);
        }
    }
    if matches!(role, Role::Command | Role::Path) {
        letters::find(text, role == Role::Command, &mut found);
        found.sort_by_key(|s| s.at);
    }
    found
}

struct HiddenScan<'t> {
    text: &'t str,
    role: Role,
    /// Whether the text contains right-to-left letters; `None` until it was computed.
    directed: Option<bool>,
}

impl HiddenScan<'_> {
    fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    fn behind(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// Inspects the character `c` at `at`. Returns the position at which to continue.
    fn inspect(&mut self, at: usize, c: char, found: &mut Vec<HiddenText>) -> usize {
        let after = at + c.len_utf8();
        let mut report = |length, what| found.push(HiddenText { at, length, what });
        let output = self.role == Role::Output;
        match c {
            '\u{1b}' => {
                let (length, introducer, name, harmless) =
                    sequence(self.text.get(after..).unwrap_or_default());
                if !(output && harmless) {
                    report(1 + length, HiddenKind::Sequence(introducer, name));
                }
                return after + length;
            }
            '\r' => {
                // Either a line ending, or the trick of overwriting the line.
                let ends_line = matches!(self.behind(after), Some('\n' | '\r') | None);
                if !ends_line && matches!(self.role, Role::Prose | Role::Command | Role::Path) {
                    report(1, HiddenKind::Char(c, "carriage return inside a line"));
                }
            }
            '\u{c}' if matches!(self.role, Role::Code | Role::Output) => {}
            '\u{0}'..='\u{8}'
            | '\u{b}'
            | '\u{c}'
            | '\u{e}'..='\u{1a}'
            | '\u{1c}'..='\u{1f}'
            | '\u{7f}'
                if !output =>
            {
                report(1, HiddenKind::Char(c, "control character"));
            }
            '\u{80}'..='\u{9f}' => {
                let name = match c {
                    '\u{9b}' => "C1 control, CSI",
                    '\u{9d}' => "C1 control, OSC",
                    '\u{90}' => "C1 control, DCS",
                    _ => "C1 control",
                };
                if !output || name.len() > 10 {
                    report(2, HiddenKind::Char(c, name));
                }
            }
            '\u{e0000}'..='\u{e007f}' => {
                let (end, is_flag) = self.tags(at);
                if is_flag {
                    return end;
                }
                report(c.len_utf8(), HiddenKind::Char(c, "tag character"));
            }
            c => {
                if let Some(name) = invisible(c)
                    && !output
                    && !self.belongs(at, after, c)
                {
                    report(c.len_utf8(), HiddenKind::Char(c, name));
                }
            }
        }
        after
    }

    /// Returns the end of a run of tag characters, and whether it spells one of the three flags
    /// that Unicode recommends.
    fn tags(&self, at: usize) -> (usize, bool) {
        let run: String = self
            .text
            .get(at..)
            .unwrap_or_default()
            .chars()
            .take_while(|c| is_tag(*c))
            .take(8)
            .collect();
        let spelled: String = run
            .chars()
            .filter_map(|c| char::from_u32(u32::from(c) - 0xE_0000))
            .collect();
        let is_flag = self.before(at) == Some('\u{1f3f4}')
            && matches!(&*spelled, "gbeng\u{7f}" | "gbsct\u{7f}" | "gbwls\u{7f}");
        (at + run.len(), is_flag)
    }

    /// Returns whether an invisible character is used for its purpose.
    fn belongs(&mut self, at: usize, after: usize, c: char) -> bool {
        let (before, behind) = (self.before(at), self.behind(after));
        let prose = matches!(self.role, Role::Prose | Role::Code);
        match c {
            // Between emoji, and between letters of scripts that join.
            '\u{200d}' => {
                before.is_some_and(|c| is_pictograph(c) || is_emoji_part(c))
                    && behind.is_some_and(is_pictograph)
                    || before.is_some_and(joins)
            }
            '\u{200c}' => before.is_some_and(joins) && behind.is_some_and(joins),
            '\u{200b}' => {
                before.is_some_and(breaks_by_zero_width) || behind.is_some_and(breaks_by_zero_width)
            }
            '\u{180b}'..='\u{180f}' => before.is_some_and(|c| matches!(c, '\u{1800}'..='\u{18af}')),
            '\u{ad}' => {
                prose
                    && before.is_some_and(char::is_alphabetic)
                    && behind.is_some_and(char::is_alphabetic)
            }
            '\u{2028}' | '\u{2029}' => prose,
            // A byte-order mark starts a file, and hence a line of a diff.
            '\u{feff}' => match before {
                None => true,
                Some('+' | '-' | ' ') => {
                    self.role == Role::Code && matches!(self.before(at - 1), None | Some('\n'))
                }
                Some(_) => false,
            },
            '\u{fe00}'..='\u{fe0f}' => {
                before.is_some_and(|c| !c.is_ascii_alphabetic() && invisible(c).is_none())
            }
            '\u{e0100}'..='\u{e01ef}' => before.is_some_and(is_ideograph),
            // Marks order the punctuation of right-to-left text. Overrides and isolates are
            // different.
            '\u{200e}' | '\u{200f}' | '\u{61c}' => {
                let text = self.text;
                *self
                    .directed
                    .get_or_insert_with(|| text.chars().any(is_right_to_left))
            }
            _ => false,
        }
    }
}

/// Parses the sequence after an escape character. Returns its length in bytes, its introducer, its
/// name, and whether programs print it for legitimate reasons (colours, progress, links).
fn sequence(rest: &str) -> (usize, &'static str, &'static str, bool) {
    const LONGEST: usize = 4096;
    let bytes = rest.as_bytes();
    let terminated = || {
        let body = bytes.get(..LONGEST.min(bytes.len())).unwrap_or_default();
        let end = body.iter().position(|b| matches!(b, 0x07 | 0x1b));
        // `ESC \` also ends it; any other escape character starts something else.
        end.map_or(1, |n| match body.get(n..n + 2) {
            Some(b"\x1b\\") => n + 2,
            _ if body.get(n) == Some(&0x1b) => n,
            _ => n + 1,
        })
    };
    match bytes.first() {
        Some(b'[') => {
            let parameters = bytes
                .iter()
                .skip(1)
                .take(LONGEST)
                .take_while(|b| matches!(b, 0x20..=0x3f))
                .count();
            (
                1 + parameters,
                "U+001B U+005B",
                "terminal control sequence, CSI",
                true,
            )
        }
        Some(b']') => {
            let number: &[u8] = bytes.get(1..).unwrap_or_default();
            let (name, harmless) = if number.starts_with(b"8;") {
                ("terminal hyperlink, OSC 8", true)
            } else if number.starts_with(b"52;") {
                ("writes to the clipboard, OSC 52", false)
            } else {
                ("operating system command, OSC", true)
            };
            (terminated(), "U+001B U+005D", name, harmless)
        }
        Some(b'P') => (
            terminated(),
            "U+001B U+0050",
            "device control string, DCS",
            false,
        ),
        Some(b'X' | b'^' | b'_') => (
            terminated(),
            "U+001B",
            "string to the terminal, SOS, PM or APC",
            false,
        ),
        Some(0x20..=0x7e) => (1, "U+001B", "escape sequence", true),
        _ => (0, "U+001B", "escape character", true),
    }
}

const fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Approximates the pictographs and symbols of which emoji sequences consist.
const fn is_pictograph(c: char) -> bool {
    matches!(
        c,
        '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
            | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'
    )
}

/// Returns whether a character is used between the pictographs of a sequence.
const fn is_emoji_part(c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Returns whether a script joins its letters and uses the joiner and the non-joiner: Arabic, South
/// Asian scripts, Tibetan, Myanmar, Khmer, Mongolian.
const fn joins(c: char) -> bool {
    matches!(
        c,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8ff}'
            | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{fff}' | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}' | '\u{1800}'..='\u{18af}' | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}'
    )
}

/// Returns whether a script has no spaces between words: Thai, Lao, Myanmar, Khmer, Chinese,
/// Japanese.
const fn breaks_by_zero_width(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
            | '\u{3040}'..='\u{30ff}'
    ) || is_ideograph(c)
}

const fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{323af}'
    )
}

const fn is_right_to_left(c: char) -> bool {
    matches!(
        c,
        '\u{590}'..='\u{60b}' | '\u{60d}'..='\u{61b}' | '\u{61d}'..='\u{8ff}'
            | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}'
            | '\u{1e800}'..='\u{1efff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(text: &str, role: Role) -> String {
        describe(&find(text, role))
    }

    #[test]
    fn hidden_text_is_found_with_its_code_points() {
        for (text, expected) in [
            (
                "a\u{1b}[2Jb",
                "U+001B U+005B (terminal control sequence, CSI)",
            ),
            (
                "\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}",
                "2 times U+001B U+005D (terminal hyperlink, OSC 8)",
            ),
            (
                "\u{1b}]52;c;ZXZpbA==\u{7}",
                "U+001B U+005D (writes to the clipboard, OSC 52)",
            ),
            (
                "\u{1b}P1$r\u{1b}\\",
                "U+001B U+0050 (device control string, DCS)",
            ),
            ("x\u{9b}2J", "U+009B (C1 control, CSI)"),
            ("a\u{8}b", "U+0008 (control character)"),
            ("safe\rrm -rf", "U+000D (carriage return inside a line)"),
            (
                "a\u{202e}b\u{202c}",
                "U+202C (pop directional formatting), U+202E (right-to-left override)",
            ),
            (
                "a\u{2066}b\u{2069}",
                "U+2066 (left-to-right isolate), U+2069 (pop directional isolate)",
            ),
            ("pay\u{200b}load", "U+200B (zero-width space)"),
            ("a\u{200d}b", "U+200D (zero-width joiner)"),
            ("a\u{feff}b", "U+FEFF (zero-width no-break space)"),
            (
                "a\u{e0041}\u{e0042}",
                "U+E0041 (tag character), U+E0042 (tag character)",
            ),
            ("a\u{fe01}", "U+FE01 (variation selector)"),
            ("☺\u{fe01}\u{fe02}", "U+FE02 (variation selector)"),
            ("a\u{3164}b", "U+3164 (Hangul filler)"),
            ("a\u{200f}b", "U+200F (right-to-left mark)"),
        ] {
            assert_eq!(said(text, Role::Prose), expected, "{text:?}");
        }
        assert_eq!(
            said("src/\u{430}pp.ts", Role::Path),
            "U+0430 `а` (looks like `a`) among other letters"
        );
        assert_eq!(said("a\u{2028}b", Role::Command), "U+2028 (line separator)");
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "two\nlines\tand a tab\r\nand more\r\n",
            "Grüße, 漢字, русский текст, Ελληνικά, हिन्दी, ไทย",
            "👨‍👩‍👧‍👦 👩🏽‍💻 ❤️ 🏳️‍🌈 1️⃣ 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "\u{feff}begins with a mark",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "שלום\u{200f}!",
            "葛\u{e0100}城",
            "co\u{ad}operate",
        ] {
            assert_eq!(said(text, Role::Prose), "", "{text:?}");
        }
        assert_eq!(
            said("@@ -0,0 +1 @@\n+\u{feff}using System;\n", Role::Code),
            ""
        );
        assert_eq!(
            said(
                "\u{1b}[32mok\u{1b}[0m\r 50 %\r100 %\n\u{1b}]0;title\u{7}",
                Role::Output
            ),
            ""
        );
        assert_ne!(said("\u{1b}]52;c;ZXZpbA==\u{7}", Role::Output), "");
        assert_ne!(said("x\u{e0069}\u{e0067}", Role::Output), "");
    }

    proptest! {
        #[test]
        fn sightings_lie_in_the_text(text in "[\\x00-\\x1f\u{7f}-\u{9f}a\u{ad}а\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2066}-\u{206f}\u{fe0f}\u{feff}\u{e0000}-\u{e007f}🏴😀 ]{0,40}") {
            for role in [Role::Prose, Role::Command, Role::Path, Role::Code, Role::Output] {
                let found = find(&text, role);
                for sighting in &found {
                    prop_assert!(text.get(sighting.at..sighting.at + sighting.length).is_some(), "{sighting:?}");
                }
                prop_assert!(found.windows(2).all(|p| p[0].at <= p[1].at));
            }
        }
    }
}
