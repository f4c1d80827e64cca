//! Recorded terminal sessions: lines typed while the governor checks them, and while an elevation
//! waits for a password.

use super::super::machine::Legality;
use super::super::step_facts::{AppliedEvent, Approval, Breach, ExecutedFacts, StepFacts};
use super::Execution;
use crate::trace::formats::yuangs_cast::{Frame, elevates};
use governance::Event;

/// Maximum kept bytes of a line and of the output after it, for comparison.
const KEPT: usize = 1024;
/// Minimum characters of a line that may be searched for anywhere in the output; shorter ones occur
/// by chance.
const TELLING: usize = 4;

/// State of a terminal session.
#[derive(Debug, Default)]
pub(super) struct Terminal {
    elevation: Elevation,
    /// The governor has shown a prompt, and nothing has been typed since.
    asked: bool,
    /// The line that is being typed.
    open: Option<Line>,
    /// Text of that line so far.
    text: String,
    /// The recording contains line ends.
    has_ends: bool,
    /// A line that was taken for a password, with the output since it was begun.
    password: Option<Password>,
}

/// Privileges of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Elevation {
    #[default]
    User,
    Pending,
    /// A password was wrong and may be requested again.
    Failed,
    Root,
}

/// Kinds of typed lines, by the state in which they were begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// A command that the governor checks when the line ends.
    Watched,
    /// A command that nobody checks; it has been reported.
    Unwatched,
    /// The answer to a prompt for a password.
    Password,
}

/// A line that was taken for a password. A password prompt doesn't echo, so a line that is echoed
/// wasn't a password.
#[derive(Debug, Default)]
struct Password {
    line: u64,
    text: String,
    printed: String,
    ended: bool,
}

impl Password {
    fn is_shown(&self) -> bool {
        if !self.ended || self.text.is_empty() {
            return false;
        }
        let telling = self.text.chars().count() >= TELLING;
        self.printed.starts_with(&self.text) || telling && self.printed.contains(&self.text)
    }
}

fn keep(kept: &mut String, more: impl Iterator<Item = char>) {
    let room = KEPT.saturating_sub(kept.len());
    kept.extend(more.filter(|c| !c.is_control()).take(room));
}

impl Terminal {
    /// Handles keys. Returns the number of commands that they begin, and whether one of them is
    /// unchecked.
    fn typed(&mut self, at: u64, keys: &str) -> (u64, bool) {
        let pending = self.elevation == Elevation::Pending;
        let (mut commands, mut unwatched) = (0, false);
        for key in keys.chars() {
            if matches!(key, '\r' | '\n') {
                // A line end submits a line that was typed before the elevation.
                unwatched |= pending && self.open == Some(Line::Watched);
                self.end_line();
                // An empty line also answers the prompt.
                self.asked = false;
                self.has_ends = true;
                continue;
            }
            let line = match self.open {
                None if pending && self.asked => {
                    self.password = Some(Password {
                        line: at,
                        ..Password::default()
                    });
                    Line::Password
                }
                None if pending => Line::Unwatched,
                None => Line::Watched,
                Some(Line::Watched) if pending => Line::Unwatched,
                Some(line) => line,
            };
            commands += u64::from(self.open.is_none() && line != Line::Password);
            unwatched |= line == Line::Unwatched && self.open != Some(Line::Unwatched);
            self.open = Some(line);
            self.asked = false;
            let kept = self
                .password
                .as_mut()
                .filter(|_| line == Line::Password)
                .map_or(&mut self.text, |p| &mut p.text);
            keep(kept, std::iter::once(key));
        }
        // In a recording without line ends, several keys at once are one line.
        if self.open == Some(Line::Password) && !self.has_ends && keys.chars().nth(1).is_some() {
            self.end_line();
        }
        (commands, unwatched)
    }

    fn end_line(&mut self) {
        if self.open.take() == Some(Line::Password)
            && let Some(password) = &mut self.password
        {
            password.ended = true;
        }
        self.text.clear();
    }

    /// Returns the line number of a supposed password that has been echoed.
    fn shown(&mut self) -> Option<u64> {
        self.password.take_if(|p| p.is_shown()).map(|p| p.line)
    }

    /// Handles a message of the governor, after which no password is expected.
    fn ruled(&mut self, elevation: Elevation) {
        if self.open == Some(Line::Password) {
            self.open = None;
        }
        self.password = None;
        self.asked = false;
        self.elevation = elevation;
    }
}

impl Execution {
    /// Handles a frame of a terminal session. A line typed while an elevation waits for its
    /// password passes no governor, unless it is that password. A root shell without a request is
    /// an illegal transition.
    pub(super) fn frame(&mut self, line: u64, frame: Frame<'_>, step_facts: &mut StepFacts) {
        let terminal = &mut self.terminal;
        let mut unseen = |typed_at: Option<u64>| {
            step_facts.executed = Some(ExecutedFacts {
                decision_line: typed_at,
                ..ExecutedFacts::bare(None, Approval::Missing)
            });
        };
        match (frame, terminal.elevation) {
            (Frame::Typed(keys), _) => {
                let (commands, unwatched) = terminal.typed(line, &keys.decode());
                self.counts.actions += commands;
                let shown = terminal.shown();
                self.counts.actions += u64::from(shown.is_some());
                if unwatched || shown.is_some() {
                    unseen(shown.filter(|at| *at != line));
                }
            }
            (Frame::Printed(text), _) => {
                if let Some(password) = &mut terminal.password {
                    keep(&mut password.printed, text.decode().chars());
                    if let Some(at) = terminal.shown() {
                        self.counts.actions += 1;
                        unseen(Some(at));
                    }
                }
            }
            (Frame::PromptShown, Elevation::Pending) => terminal.asked = true,
            (Frame::ElevationStarted, _) => {
                terminal.ruled(Elevation::Pending);
                // The line that the governor allowed; its end may be recorded later.
                if elevates(&terminal.text) {
                    terminal.end_line();
                }
            }
            // The password may be requested again.
            (Frame::ElevationFailed, Elevation::Pending | Elevation::Failed) => {
                terminal.ruled(Elevation::Failed);
            }
            (Frame::ElevationFailed | Frame::ElevationBlocked, _) => {
                terminal.ruled(Elevation::User);
            }
            (Frame::ElevationSucceeded, from) => {
                if from == Elevation::User {
                    step_facts.movement = Some(AppliedEvent {
                        event: Event::ExecutionFinished,
                        before: self.track.machine.state(),
                        movement: Legality::Illegal,
                        breach: Some(Breach::Other),
                        claimed: None,
                    });
                }
                terminal.ruled(Elevation::Root);
            }
            (Frame::PromptShown, Elevation::User | Elevation::Failed | Elevation::Root)
            | (Frame::Other, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::formats::Format;
    use strict_json::Str;

    const NONE: [usize; 0] = [];

    /// Returns the numbers of the frames that report an unchecked line.
    fn unseen(frames: &[Frame<'_>]) -> Vec<usize> {
        let mut execution = Execution::new(
            "e".into(),
            "e.cast".into(),
            Format::parse("yuangs-cast").unwrap(),
            1,
        );
        let mut found = Vec::new();
        for (n, frame) in frames.iter().enumerate() {
            let mut step_facts = StepFacts::default();
            execution.frame(1 + n as u64, *frame, &mut step_facts);
            if step_facts.executed.is_some() {
                found.push(n);
            }
        }
        found
    }

    fn typed(keys: &str) -> Frame<'_> {
        Frame::Typed(Str::plain(keys))
    }

    fn printed(text: &str) -> Frame<'_> {
        Frame::Printed(Str::plain(text))
    }

    use Frame::{
        ElevationFailed as Failed, ElevationStarted as Started, ElevationSucceeded as Root,
        PromptShown as Prompt,
    };

    #[test]
    fn the_answer_to_a_prompt_is_no_command() {
        assert_eq!(
            unseen(&[
                typed("sudo ls\r"),
                Started,
                Prompt,
                typed("hunter\r"),
                Root,
                typed("id\r")
            ]),
            NONE
        );
        assert_eq!(
            unseen(&[
                Started,
                Prompt,
                typed("h"),
                typed("u"),
                typed("\r"),
                printed("Sorry, try again.\r\n"),
                Failed
            ]),
            NONE
        );
        assert_eq!(
            unseen(&[Started, Prompt, typed("a\r"), Prompt, typed("b\r"), Root]),
            NONE,
            "asked twice"
        );
        assert_eq!(
            unseen(&[
                Started,
                Prompt,
                typed("hunter"),
                printed("******"),
                typed("\r"),
                Root
            ]),
            NONE,
            "stars"
        );
        assert_eq!(
            unseen(&[
                typed("sudo ls"),
                Started,
                typed("\r"),
                Prompt,
                typed("pw\r"),
                Root
            ]),
            NONE,
            "its end comes behind"
        );
        assert_eq!(
            unseen(&[
                typed("sudo ls"),
                Started,
                Prompt,
                typed("hunter"),
                Root,
                typed("id")
            ]),
            NONE,
            "lines without ends"
        );
    }

    #[test]
    fn one_line_is_one_finding() {
        assert_eq!(unseen(&[Started, typed("l"), typed("s"), typed("\r")]), [1]);
        assert_eq!(
            unseen(&[Started, typed("ls\r"), typed("\n"), typed("id\r\n")]),
            [1, 3]
        );
        assert_eq!(unseen(&[Started, typed("\r"), typed("\n")]), NONE);
    }

    #[test]
    fn a_prompt_hides_no_command() {
        assert_eq!(
            unseen(&[Started, Prompt, typed("pw\rrm -rf /\r")]),
            [2],
            "two lines at once"
        );
        assert_eq!(
            unseen(&[Started, Prompt, Prompt, typed("pw\r"), typed("rm x\r")]),
            [4],
            "two prompts, one answer"
        );
        assert_eq!(
            unseen(&[Started, Prompt, typed("\r"), typed("rm x\r")]),
            [3],
            "an empty answer"
        );
        assert_eq!(
            unseen(&[Started, typed("rm"), Prompt, typed(" x\r"), typed("rm y\r")]),
            [1, 4],
            "begun before the prompt"
        );
        assert_eq!(
            unseen(&[Prompt, Started, typed("rm x\r")]),
            [2],
            "a prompt of before"
        );
        assert_eq!(
            unseen(&[typed("sudo ls\rrm x"), Started, typed("\r")]),
            [2],
            "typed ahead"
        );
        assert_eq!(
            unseen(&[Started, Prompt, typed("rm x\r"), printed("rm x\r\n")]),
            [3],
            "it was shown"
        );
        assert_eq!(
            unseen(&[
                Started,
                Prompt,
                typed("r"),
                printed("r"),
                typed("m"),
                printed("m"),
                typed("\r")
            ]),
            [6],
            "key by key"
        );
        assert_eq!(
            unseen(&[Started, Prompt, typed("hunter"), typed("rm x")]),
            [3],
            "lines without ends"
        );
    }
}
