//! `knowledge window` and `knowledge compaction`: check a session.

use super::Format;
use crate::cli::output::{Color, Failure, print};
use crate::cli::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::knowledge::compaction::compare;
use crate::knowledge::session::{ItemKind, Session};
use crate::knowledge::window::{Level, RESERVE, WINDOW, health};
use crate::report::{line_start, safe_json, terminal};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::PathBuf;
use tokens::Encoding;

/// The level from which a window is a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailAt {
    #[value(name = "flush_soon")]
    FlushSoon,
    #[value(name = "flush_now")]
    FlushNow,
    Critical,
    Never,
}

/// Arguments of `knowledge window`.
#[derive(Debug, Args)]
pub struct WindowArgs {
    /// The transcript, JSONL.
    #[arg(value_name = "TRANSCRIPT")]
    transcript: PathBuf,
    /// Size of the window in tokens.
    #[arg(long, value_name = "TOKENS", default_value_t = WINDOW, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000_000))]
    window: usize,
    /// Tokens of the window that stay free for the next answer.
    #[arg(long, value_name = "TOKENS", default_value_t = RESERVE)]
    reserve: usize,
    /// Fail (exit 1) from this level on.
    #[arg(long, value_enum, default_value_t = FailAt::Critical, value_name = "LEVEL")]
    fail_at: FailAt,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Lists the numbers of unreadable lines.
fn unreadable(lines: &[u64]) -> String {
    let shown: Vec<String> = lines.iter().take(10).map(u64::to_string).collect();
    let more = if lines.len() > shown.len() {
        format!(" and {} more", lines.len() - shown.len())
    } else {
        String::new()
    };
    format!("can't be read: line {}{more}", shown.join(", "))
}

impl WindowArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let session = Session::parse(&crate::cli::file::text(&self.transcript)?);
        let usable = self.window.saturating_sub(self.reserve);
        if usable == 0 {
            return Err(Failure::unable(
                format!(
                    "a reserve of {} tokens leaves nothing of the window",
                    self.reserve
                ),
                "give a larger --window or a smaller --reserve",
            ));
        }
        let health = health(&session, usable);
        let tenths = health.tokens.saturating_mul(1_000) / usable;
        let remaining = usable.saturating_sub(health.tokens);
        print(Color::Auto, |out| {
            if self.format == Format::Json {
                let json = json!({
                    "version": 1, "state": health.level.name(),
                    "tokens": health.tokens, "window": self.window,
                    "reserve": self.reserve, "remaining": remaining,
                    "recommendation": health.level.recommendation(),
                    "encoding": Encoding::default().name(),
                    "sinceFlush": {
                        "tokens": health.since, "messages": health.messages, "due": health.due.name()
                    },
                    "messages": session.messages(), "unreadable": session.unreadable,
                });
                return writeln!(out, "{}", safe_json(&json));
            }
            let encoding = Encoding::default().name();
            writeln!(out, "{}", health.level.name())?;
            writeln!(
                out,
                "window: {} of {usable} tokens ({encoding}), {}.{} %; {remaining} are left, and {} in reserve",
                health.tokens,
                tenths / 10,
                tenths % 10,
                self.reserve
            )?;
            writeln!(out, "recommendation: {}", health.level.recommendation())?;
            let (since, messages) = (health.since, health.messages);
            writeln!(
                out,
                "since the last compaction: {since} tokens, {messages} messages; flush due: {}",
                health.due.name()
            )?;
            if !session.unreadable.is_empty() {
                writeln!(out, "{}", unreadable(&session.unreadable))?;
            }
            Ok(())
        })?;
        let failing = match self.fail_at {
            FailAt::FlushSoon => health.level >= Level::FlushSoon,
            FailAt::FlushNow => health.level >= Level::FlushNow,
            FailAt::Critical => health.level >= Level::Critical,
            FailAt::Never => false,
        };
        Ok(match () {
            // The number of tokens in an unreadable line is unknown.
            () if failing || !session.unreadable.is_empty() => EXIT_FINDINGS,
            () if session.events.is_empty() => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        })
    }
}

/// Arguments of `knowledge compaction`.
#[derive(Debug, Args)]
pub struct CompactionArgs {
    /// The transcript, JSONL.
    #[arg(value_name = "TRANSCRIPT")]
    transcript: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

impl CompactionArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let session = Session::parse(&crate::cli::file::text(&self.transcript)?);
        let compared = compare(&session)
            .map_err(|e| Failure::unable(e.to_string(), "check a part of the transcript"))?;
        let name = self.transcript.to_string_lossy().replace('\\', "/");
        print(Color::Auto, |out| {
            if self.format == Format::Json {
                let lost: Vec<_> = compared
                    .lost
                    .iter()
                    .map(|l| {
                        json!({
                            "kind": l.kind.name(), "text": l.text,
                            "line": l.line, "compaction": l.compaction
                        })
                    })
                    .collect();
                let [decisions, facts, todos, preferences] = compared.items;
                let json = json!({
                    "version": 1, "compactions": compared.compactions, "decisions": decisions, "facts": facts,
                    "todos": todos, "preferences": preferences, "lost": lost,
                    "unreadable": session.unreadable,
                });
                return writeln!(out, "{}", safe_json(&json));
            }
            for lost in &compared.lost {
                writeln!(
                    out,
                    "{}:{}: lost {}: {}",
                    line_start(&name),
                    lost.line,
                    lost.kind.name(),
                    terminal(&lost.text)
                )?;
                writeln!(
                    out,
                    "  the compaction at line {} doesn't say it",
                    lost.compaction
                )?;
            }
            if !session.unreadable.is_empty() {
                writeln!(out, "{}", unreadable(&session.unreadable))?;
            }
            let items = ItemKind::ALL.iter().zip(compared.items);
            let items = items.filter(|(kind, count)| *count > 0 || **kind == ItemKind::Decision);
            let counts: Vec<String> = items
                .map(|(kind, count)| format!("{count} {}s", kind.name()))
                .collect();
            writeln!(
                out,
                "{} compactions, {}, {} lost",
                compared.compactions,
                counts.join(", "),
                compared.lost.len()
            )
        })?;
        Ok(match () {
            // An unreadable line may contain an item.
            () if !compared.lost.is_empty() || !session.unreadable.is_empty() => EXIT_FINDINGS,
            () if compared.compactions == 0 || compared.items == [0; 4] => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        })
    }
}
