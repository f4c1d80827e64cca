//! `knowledge memory`: shows, applies and undoes the memory policy.

use super::context::{BankArgs, as_of, bank, exit, shown, warn_of_future_dates};
use super::place::{Place, PlaceArgs};
use super::retrieve::time;
use super::{Format, clock};
use crate::cli::EXIT_CLEAN;
use crate::cli::output::{Color, Failure, print};
use crate::cli::progress::{Progress, Unit};
use crate::knowledge::context::{Bank, MemoryAction};
use crate::knowledge::memory::{FinishedRun, Journal, JournalError, Plan, UnfinishedRun, plan};
use crate::report::{safe_json, terminal};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::io::{self, BufRead as _, IsTerminal as _, Write};
use util::time::format_minute;

/// Subcommands of `knowledge memory`.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Show what is to become of each item, and why. Changes nothing.
    Status(StatusArgs),
    /// Do what `status` shows: propose, remove, mark, reinforce. Keeps every file as it was.
    Apply(ApplyArgs),
    /// Take the last `apply` back.
    Undo(UndoArgs),
}

impl MemoryCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Self::Status(args) => args.run(),
            Self::Apply(args) => args.run(),
            Self::Undo(args) => args.run(),
        }
    }
}

/// Arguments of `knowledge memory status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    #[command(flatten)]
    bank: BankArgs,
}

/// Arguments of `knowledge memory apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// Decide as of this time, as 2027-01-31 or RFC 3339. The default, as for `status`, is the
    /// newest record of the bank that isn't in the future.
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<i64>,
    /// Apply without asking.
    #[arg(long)]
    yes: bool,
}

/// Arguments of `knowledge memory undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// Undo without asking.
    #[arg(long)]
    yes: bool,
}

fn refused(error: &JournalError) -> Failure {
    Failure::unable(error.to_string(), error.remedy())
}

fn journal(place: &Place) -> Journal {
    Journal::new(&place.own_folder(), &place.sources)
}

/// Asks for confirmation on the terminal. Without a terminal or `yes` this is an error.
fn agreed(question: &str, yes: bool) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        return Err(Failure::unable(
            "there is no terminal to ask for confirmation",
            "--yes does it without asking",
        ));
    }
    let mut stderr = anstream::stderr().lock();
    write!(stderr, "{question} [y/N] ").and_then(|()| stderr.flush())?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn table(bank: &Bank, plan: &Plan, out: &mut dyn Write) -> io::Result<()> {
    for d in &plan.decisions {
        let effect = match (d.memory.action, d.effect) {
            (MemoryAction::Keep, _) => String::new(),
            (_, "") => "; it is so already".to_owned(),
            (_, effect) => format!("; {effect}"),
        };
        let (action, path) = (d.memory.action.name(), shown(bank, &d.path));
        writeln!(
            out,
            "{action:<16} {:.2}  {path} ({}{effect})",
            d.memory.confidence, d.memory.why
        )?;
    }
    for (file, why) in &bank.unreadable {
        writeln!(out, "not read: {}: {}", terminal(file), terminal(why))?;
    }
    let count = |action| {
        plan.decisions
            .iter()
            .filter(|d| d.memory.action == action)
            .count()
    };
    let counts: Vec<String> = MemoryAction::ALL
        .iter()
        .map(|a| format!("{} {}", count(*a), a.name()))
        .collect();
    writeln!(out, "{} items: {}", plan.decisions.len(), counts.join(", "))
}

impl StatusArgs {
    fn run(self) -> Result<u8, Failure> {
        let place = self.bank.place.place()?;
        let bank = bank(&place)?;
        let now = as_of(&bank, self.bank.now);
        let plan = plan(&bank, &place.sources.root, now);
        let broken_off = journal(&place).broken_off().map_err(|e| refused(&e))?;
        print(Color::Auto, |out| match self.bank.format {
            Format::Text => {
                table(&bank, &plan, out)?;
                if let Some(open) = &broken_off {
                    writeln!(
                        out,
                        "the next `memory apply` or `memory undo` asks about this first:"
                    )?;
                    unfinished(open, out)?;
                }
                let files: Vec<&str> = plan.changes.iter().map(|c| c.name.as_str()).collect();
                let files = if files.is_empty() {
                    "no file".to_owned()
                } else {
                    terminal(&files.join(", ")).into_owned()
                };
                warn_of_future_dates(&bank, now, out)?;
                writeln!(
                    out,
                    "as of {} UTC; `memory apply` would change {files}",
                    format_minute(now)
                )
            }
            Format::Json => {
                let all: Vec<Value> = plan
                    .decisions
                    .iter()
                    .map(|d| {
                        json!({ "id": shown(&bank, &d.id), "path": shown(&bank, &d.path), "file": d.file,
                            "action": d.memory.action.name(), "confidence": d.memory.confidence, "reason": d.memory.why,
                            "effect": d.effect })
                    })
                    .collect();
                let files: Vec<&str> = plan.changes.iter().map(|c| c.name.as_str()).collect();
                let broken_off = broken_off.as_ref().map(|open| open.run);
                let json = json!({ "version": 1, "now": now, "decisions": all, "files": files, "brokenOff": broken_off,
                    "datedLater": bank.later_than(now).len() });
                writeln!(out, "{}", safe_json(&json))
            }
        })?;
        Ok(exit(&bank))
    }
}

impl ApplyArgs {
    fn run(self) -> Result<u8, Failure> {
        let place = self.place.place()?;
        let journal = journal(&place);
        if !finish(&journal, self.yes)? {
            return Ok(EXIT_CLEAN);
        }
        let bank = bank(&place)?;
        if let Some((file, why)) = bank.unreadable.first() {
            let remedy = "half a bank is not processed: fix the file or remove it";
            return Err(Failure::unable(
                format!("`{file}` can't be read: {why}"),
                remedy,
            ));
        }
        // Use the same time as `status`, so that the same actions are applied as were shown.
        let now = as_of(&bank, self.now);
        let plan = plan(&bank, &place.sources.root, now);
        print(Color::Auto, |out| {
            table(&bank, &plan, out)?;
            warn_of_future_dates(&bank, now, out)?;
            writeln!(out, "as of {} UTC", format_minute(now))
        })?;
        if plan.changes.is_empty() {
            print(Color::Auto, |out| writeln!(out, "nothing is to be changed"))?;
            return Ok(exit(&bank));
        }
        if !agreed(&format!("change {} files?", plan.changes.len()), self.yes)? {
            print(Color::Auto, |out| writeln!(out, "nothing was changed"))?;
            return Ok(EXIT_CLEAN);
        }
        let done = plan.decisions.iter().filter(|d| !d.effect.is_empty());
        let what: Vec<String> = done
            .map(|d| format!("{} {}", d.memory.action.name(), shown(&bank, &d.path)))
            .collect();
        let progress = Progress::start("changing files", Unit::Items, 0, false);
        let done = journal.apply(&plan.changes, &what, clock());
        drop(progress);
        let done = done.map_err(|e| refused(&e))?;
        print(Color::Auto, |out| {
            done.files
                .iter()
                .try_for_each(|file| writeln!(out, "changed {}", terminal(file)))?;
            writeln!(
                out,
                "run {}: {} changes; `knowledge memory undo` takes it back",
                done.run,
                done.what.len()
            )
        })?;
        Ok(EXIT_CLEAN)
    }
}

/// Describes what completing a run would do. The content of the journal may be hostile.
fn unfinished(open: &UnfinishedRun, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "run {} was broken off; brought to its end it",
        open.run
    )?;
    open.files
        .iter()
        .try_for_each(|file| writeln!(out, "  {}", terminal(file)))
}

/// Completes interrupted runs after confirmation; `false` if the user declines.
fn finish(journal: &Journal, yes: bool) -> Result<bool, Failure> {
    while let Some(open) = journal.broken_off().map_err(|e| refused(&e))? {
        print(Color::Auto, |out| unfinished(&open, out))?;
        if !agreed(&format!("bring run {} to its end?", open.run), yes)? {
            print(Color::Auto, |out| writeln!(out, "nothing was changed"))?;
            return Ok(false);
        }
        journal.finish(&open).map_err(|e| refused(&e))?;
        print(Color::Auto, |out| {
            writeln!(out, "run {} is done now", open.run)
        })?;
    }
    Ok(true)
}

impl UndoArgs {
    fn run(self) -> Result<u8, Failure> {
        let place = self.place.place()?;
        let journal = journal(&place);
        if !finish(&journal, self.yes)? {
            return Ok(EXIT_CLEAN);
        }
        let Some(FinishedRun { run, files, what }) = journal.last().map_err(|e| refused(&e))?
        else {
            return Err(refused(&JournalError::NothingToUndo));
        };
        print(Color::Auto, |out| {
            writeln!(out, "run {run} did:")?;
            what.iter()
                .try_for_each(|w| writeln!(out, "  {}", terminal(w)))?;
            writeln!(out, "to be restored: {}", terminal(&files.join(", ")))
        })?;
        if !agreed(&format!("take run {run} back?"), self.yes)? {
            print(Color::Auto, |out| writeln!(out, "nothing was changed"))?;
            return Ok(EXIT_CLEAN);
        }
        let done = journal.undo(clock()).map_err(|e| refused(&e))?;
        print(Color::Auto, |out| {
            done.files
                .iter()
                .try_for_each(|file| writeln!(out, "restored {}", terminal(file)))?;
            writeln!(out, "run {} took run {run} back", done.run)
        })?;
        Ok(EXIT_CLEAN)
    }
}
