//! Measures how full the context window of a session is, and whether a compaction is due.

use super::session::{Event, Session};
use tokens::Encoding;

/// Default size of the window, in tokens.
pub const WINDOW: usize = 128_000;
/// Default number of tokens that are kept free for the next answer.
pub const RESERVE: usize = 4_000;
/// Tokens since the last compaction from which another one may (soft) or must (hard) follow.
const SOFT: usize = 4_000;
const HARD: usize = 8_000;
/// Minimum number of messages between two compactions.
const APART: usize = 5;

/// The urgency that follows from the use of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Below 60 %: nothing to do.
    None,
    /// From 60 %: record soon what has to be kept.
    FlushSoon,
    /// From 80 %: record it now.
    FlushNow,
    /// Above 95 %.
    Critical,
}

impl Level {
    /// Returns the name in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::FlushSoon => "flush_soon",
            Self::FlushNow => "flush_now",
            Self::Critical => "critical",
        }
    }

    /// Returns what to do.
    #[must_use]
    pub const fn recommendation(self) -> &'static str {
        match self {
            Self::None => "nothing has to be done",
            Self::FlushSoon => {
                "record decisions, facts, to-dos and preferences soon, so that a compaction can keep them"
            }
            Self::FlushNow => "record decisions, facts, to-dos and preferences now, then compact",
            Self::Critical => "compact before the next turn",
        }
    }

    /// Returns the level for `tokens` used of a window.
    #[must_use]
    pub fn of(tokens: usize, window: usize) -> Self {
        let share = |percent: usize| window.saturating_mul(percent);
        let used = tokens.saturating_mul(100);
        match () {
            () if used > share(95) => Self::Critical,
            () if used >= share(80) => Self::FlushNow,
            () if used >= share(60) => Self::FlushSoon,
            () => Self::None,
        }
    }
}

/// Whether a compaction is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// Below 4,000 tokens, or fewer than five messages.
    Not,
    /// From 4,000 tokens.
    Soft,
    /// From 8,000 tokens.
    Hard,
}

impl Due {
    /// Returns the name in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Not => "no",
            Self::Soft => "soft",
            Self::Hard => "hard",
        }
    }
}

/// The state at the end of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Health {
    /// Tokens in the window: the last compaction and everything after it.
    pub tokens: usize,
    /// The size of the window in tokens, without the reserve.
    pub usable: usize,
    pub level: Level,
    /// Tokens since the last compaction, or since the beginning.
    pub since: usize,
    /// Messages since then.
    pub messages: usize,
    pub due: Due,
}

/// Measures a session. `usable` is the size of the window without the reserve.
#[must_use]
pub fn health(session: &Session, usable: usize) -> Health {
    let count = |text: &str| Encoding::default().count(text);
    let (mut kept, mut since, mut messages) = (0, 0, 0);
    // Everything before the last compaction has left the window.
    let last = session
        .events
        .iter()
        .rposition(|(_, event)| matches!(event, Event::Compaction(_)))
        .unwrap_or_default();
    for (_, event) in session.events.iter().skip(last) {
        match event {
            Event::Message(text) => {
                since += count(text);
                messages += 1;
            }
            Event::Tool(text) => since += count(text),
            Event::Compaction(text) => kept = count(text),
            // Items in messages are counted with the message; others aren't part of the
            // conversation.
            Event::Item(..) | Event::Done(_) => {}
        }
    }
    let tokens = kept + since;
    let due = match () {
        () if messages < APART || since < SOFT => Due::Not,
        () if since < HARD => Due::Soft,
        () => Due::Hard,
    };
    Health {
        tokens,
        usable,
        level: Level::of(tokens, usable),
        since,
        messages,
        due,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_change_where_they_are_said_to() {
        let level = |tokens| Level::of(tokens, 1_000);
        assert_eq!([0, 599].map(level), [Level::None; 2]);
        assert_eq!([600, 799].map(level), [Level::FlushSoon; 2]);
        assert_eq!([800, 950].map(level), [Level::FlushNow; 2]);
        assert_eq!([951, usize::MAX].map(level), [Level::Critical; 2]);
    }

    #[test]
    fn what_tools_are_handed_and_answer_fills_the_window() {
        let events = vec![
            (1, Event::Message("look".into())),
            (1, Event::Tool("word ".repeat(1_000))),
        ];
        let health = health(
            &Session {
                events,
                unreadable: Vec::new(),
            },
            1_000,
        );
        assert!(health.tokens > 1_000 && health.messages == 1 && health.level == Level::Critical);
    }

    #[test]
    fn only_what_follows_the_last_compaction_counts() {
        let message = |words: usize| (1, Event::Message("word ".repeat(words)));
        let mut session = Session {
            events: vec![message(50_000)],
            unreadable: Vec::new(),
        };
        assert!(health(&session, WINDOW).since >= 50_000);
        assert_eq!(
            health(&session, WINDOW).due,
            Due::Not,
            "one message alone is never worth it"
        );
        session
            .events
            .push((2, Event::Compaction("all of it".into())));
        let after = health(&session, WINDOW);
        assert_eq!(
            (after.since, after.messages, after.level),
            (0, 0, Level::None)
        );
        assert!(after.tokens > 0);
        session.events.extend((0..5).map(|_| message(1_000)));
        assert_eq!(health(&session, WINDOW).due, Due::Soft);
        session.events.extend((0..5).map(|_| message(1_000)));
        assert_eq!(health(&session, WINDOW).due, Due::Hard);
    }
}
