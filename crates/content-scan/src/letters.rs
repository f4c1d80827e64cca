//! Letters that look like others.

use super::hidden::{HiddenKind, HiddenText};
use text_safety::confusables::looks_like;

/// Returns whether `c` is a full-width or mathematical form of an ASCII letter or digit.
const fn is_styled(c: char) -> bool {
    matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}')
}

/// Returns whether `c` may be relevant to this module.
pub(super) const fn is_of_interest(c: char) -> bool {
    looks_like(c).is_some() || is_styled(c)
}

/// Finds words that mix similar letters of different scripts, and symbols that imitate a separator.
/// With `programs`, it also checks words in the position of a program's name, and skips quoted
/// text: a commit message may be in any language.
pub(super) fn find(text: &str, programs: bool, sightings: &mut Vec<HiddenText>) {
    let mut words = Words {
        text,
        pos: 0,
        program: programs,
        programs,
    };
    while let Some(word) = words.next() {
        check_word(word.text, word.at, word.is_program, sightings);
    }
}

fn check_word(word: &str, at: usize, is_program: bool, sightings: &mut Vec<HiddenText>) {
    // Scripts may only not mix within one run of letters: `отчёт-final.txt` isn't a trick.
    let mut start = 0;
    for (n, c) in word.char_indices().chain([(word.len(), '/')]) {
        if matches!(looks_like(c), Some('/' | '.')) {
            sightings.push(HiddenText {
                at: at + n,
                length: c.len_utf8(),
                what: HiddenKind::Sign(c),
            });
        } else if c.is_alphanumeric() {
            continue;
        }
        let run = word.get(start..n).unwrap_or_default();
        start = n + c.len_utf8();
        let foreign = |c: char| !c.is_ascii() && (looks_like(c).is_some() || is_styled(c));
        let Some((first, letter)) = run.char_indices().find(|(_, c)| foreign(*c)) else {
            continue;
        };
        let mixed = run.chars().any(|c| c.is_ascii_alphabetic());
        let whole = is_program && run.chars().count() > 1 && run.chars().all(foreign);
        if mixed || whole {
            let at = at + n - run.len() + first;
            sightings.push(HiddenText {
                at,
                length: letter.len_utf8(),
                what: HiddenKind::Letter(letter),
            });
        }
    }
}

/// A word of a command or a path.
struct Word<'t> {
    text: &'t str,
    at: usize,
    is_program: bool,
}

/// Splits text into words, approximately. Taking a word for a program by mistake only leads to
/// closer inspection.
struct Words<'t> {
    text: &'t str,
    pos: usize,
    /// Whether the next word is in the position of a program's name.
    program: bool,
    programs: bool,
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Option<Word<'t>> {
        loop {
            let rest = self.text.get(self.pos..).filter(|r| !r.is_empty())?;
            if !self.programs {
                self.pos = self.text.len();
                return Some(Word {
                    text: rest,
                    at: 0,
                    is_program: false,
                });
            }
            let length = rest
                .find(|c: char| c.is_whitespace() || "|&;()<>\"'`$".contains(c))
                .unwrap_or(rest.len());
            if length > 0 {
                let at = self.pos;
                self.pos += length;
                let text = rest.get(..length).unwrap_or_default();
                let is_program = std::mem::take(&mut self.program);
                if is_program
                    && (text.contains('=')
                        || matches!(text, "sudo" | "env" | "exec" | "nohup" | "time" | "xargs"))
                {
                    self.program = true;
                }
                return Some(Word {
                    text,
                    at,
                    is_program,
                });
            }
            let c = rest.chars().next()?;
            self.pos += c.len_utf8();
            match c {
                '|' | '&' | ';' | '(' | '`' | '\n' => self.program = true,
                '"' | '\'' if !self.program => {
                    // Quoted sentences are skipped. A single word in quotes may be a path.
                    let quoted = self.text.get(self.pos..).unwrap_or_default();
                    if let Some(end) = quoted.find(c).filter(|n| {
                        quoted
                            .get(..*n)
                            .is_some_and(|q| q.contains(char::is_whitespace))
                    }) {
                        self.pos += end + 1;
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, programs: bool) -> Vec<char> {
        let mut sightings = Vec::new();
        find(text, programs, &mut sightings);
        let letters = sightings.iter().filter_map(|s| match s.what {
            HiddenKind::Letter(c) | HiddenKind::Sign(c) => Some(c),
            _ => None,
        });
        for sighting in &sightings {
            assert!(
                text.is_char_boundary(sighting.at)
                    && text.is_char_boundary(sighting.at + sighting.length)
            );
        }
        letters.collect()
    }

    #[test]
    fn mixed_words_are_found() {
        assert_eq!(found("src/pаyment.ts", false), ['а']);
        assert_eq!(found("сurl https://example.org", true), ['с']);
        assert_eq!(found("ls && ѕср a b", true), ['ѕ']);
        assert_eq!(found("sudo ѕсp a b", true), ['ѕ']);
        assert_eq!(found("rm ./dаta", true), ['а']);
        assert_eq!(found("ｇit status", true), ['ｇ']);
        assert_eq!(found("etc∕passwd", false), ['∕']);
    }

    #[test]
    fn other_languages_are_fine() {
        for path in [
            "docs/отчёт.md",
            "docs/отчёт-final_v2.md",
            "src/Δt.jl",
            "資料/Ａ社.xlsx",
            "müller/naïve.txt",
            "μs.rs",
            "αβγ.tex",
        ] {
            assert!(found(path, false).is_empty(), "{path}");
        }
        for command in [
            "git commit -m 'Исправить баг-fix pаge'",
            "cat отчёт.md",
            "echo \"SQL-запрос\"",
            "python анализ.py",
        ] {
            assert!(found(command, true).is_empty(), "{command}");
        }
    }
}
