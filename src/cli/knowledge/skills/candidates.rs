//! `knowledge skills candidates`, `approve`, `reject` and `defer`.

use crate::cli::knowledge::context::BankArgs;
use crate::cli::knowledge::place::{Place, PlaceArgs};
use crate::cli::knowledge::retrieve::time;
use crate::cli::knowledge::{Format, clock, failure};
use crate::cli::output::{Color, Failure, print};
use crate::cli::{EXIT_CLEAN, EXIT_ERROR, EXIT_NOTHING_VERIFIED};
use crate::knowledge::context::Bank;
use crate::knowledge::skills::{
    Candidate, Ledger, LedgerError, Readiness, Status, Verdict, candidates,
};
use crate::report::{line_start, safe_json, terminal};
use crate::trajectory::words::plural;
use clap::Args;
use serde_json::{Value, json};
use util::time::format_minute;

/// Arguments of `knowledge skills candidates`.
#[derive(Debug, Args)]
pub struct CandidatesArgs {
    #[command(flatten)]
    bank: BankArgs,
}

/// Arguments of `knowledge skills approve`, `reject` and `defer`.
#[derive(Debug, Args)]
pub struct DecideArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// The candidate's id, as listed by `candidates`.
    #[arg(value_name = "ID")]
    id: String,
    /// Record this person as the one who decides.
    #[arg(long, value_name = "NAME")]
    by: String,
    /// Record this reason.
    #[arg(long, value_name = "WORDS")]
    reason: Option<String>,
    /// Record this time, as 2027-01-31 or RFC 3339. The default is now.
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<i64>,
}

fn refused(error: &LedgerError) -> Failure {
    Failure::unable(error.to_string(), error.remedy())
}

/// Reads the bank and the ledger.
fn read(place: &Place) -> Result<(Bank, Ledger), Failure> {
    let bank = Bank::read(&place.sources).map_err(|e| failure(&e))?;
    if bank.files.is_empty() && bank.unreadable.is_empty() {
        let remedy = "name one, such as bank = ['.ai/bank']; docs/knowledge.md describes it";
        return Err(Failure::unable(
            "[knowledge] names no context bank, or it is empty",
            remedy,
        ));
    }
    Ok((bank, Ledger::read(&place.sources).map_err(|e| refused(&e))?))
}

impl CandidatesArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let place = self.bank.place.place()?;
        let (bank, ledger) = read(&place)?;
        // Readiness now, by the same clock as `approve`.
        let now = self.bank.now.unwrap_or_else(clock);
        let all = candidates(&bank, &ledger.changes, now);
        let safe = |text: &str| {
            terminal(&bank.secrets.hide(text).unwrap_or_else(|| text.to_owned())).into_owned()
        };
        print(Color::Auto, |out| match self.bank.format {
            Format::Text => {
                for c in &all {
                    let decided = c
                        .decided
                        .map(|t| format!(" since {}", format_minute(t)))
                        .unwrap_or_default();
                    let (id, name, path) = (safe(&c.id), safe(&c.name), safe(&c.path));
                    writeln!(
                        out,
                        "{}",
                        line_start(&format!(
                            "{id}  {}{decided}  {name} ({path})",
                            c.status.name()
                        ))
                    )?;
                    let used = c.used.map_or_else(|| "-".to_owned(), format_minute);
                    writeln!(
                        out,
                        "  referenced {}  verified useful {} ({:.2})  confidence {:.2}  last used {used}",
                        c.referenced, c.useful, c.verified_rate, c.confidence
                    )?;
                    match &c.readiness {
                        Readiness::Ready => writeln!(out, "  may be approved")?,
                        Readiness::Lacks(lacks) => writeln!(out, "  lacks: {}", lacks.join("; "))?,
                    }
                }
                for (file, why) in &bank.unreadable {
                    writeln!(out, "not read: {}: {}", terminal(file), terminal(why))?;
                }
                if ledger.broken > 0 {
                    writeln!(
                        out,
                        "not read: {} lines of earlier decisions; `knowledge reindex` names them",
                        ledger.broken
                    )?;
                }
                writeln!(
                    out,
                    "{} among {}",
                    plural(all.len() as u64, "candidate"),
                    plural(bank.items.len() as u64, "context")
                )
            }
            Format::Json => {
                let list: Vec<Value> = all.iter().map(|c| document(c, &safe)).collect();
                let json = json!({ "version": 1, "now": now, "contexts": bank.items.len(), "candidates": list,
                    "unreadable": bank.unreadable.len(), "brokenDecisions": ledger.broken });
                writeln!(out, "{}", safe_json(&json))
            }
        })?;
        Ok(match () {
            () if !bank.unreadable.is_empty() => EXIT_ERROR,
            () if all.is_empty() => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        })
    }
}

fn document(c: &Candidate, safe: &dyn Fn(&str) -> String) -> Value {
    let lacks = match &c.readiness {
        Readiness::Ready => Vec::new(),
        Readiness::Lacks(lacks) => lacks.clone(),
    };
    json!({
        "id": safe(&c.id), "source": c.source, "path": safe(&c.path), "suggestedSkillName": c.name,
        "description": safe(&c.description), "confidence": c.confidence, "usageCount": c.uses, "referenced": c.referenced,
        "verifiedUseful": c.useful, "verifiedRate": c.verified_rate, "lastUsed": c.used, "status": c.status.name(),
        "decidedAt": c.decided, "lacks": lacks,
    })
}

impl DecideArgs {
    pub(super) fn run(self, status: Status) -> Result<u8, Failure> {
        let place = self.place.place()?;
        let (bank, ledger) = read(&place)?;
        if self.by.trim().is_empty() {
            return Err(Failure::unable("nobody decides", "--by names who does"));
        }
        // A decision is made now, not when the bank was last used.
        let time = self.now.unwrap_or_else(clock);
        if time == 0 {
            return Err(Failure::unable(
                "the clock is before 1970",
                "--now says when",
            ));
        }
        let all = candidates(&bank, &ledger.changes, time);
        let Some(candidate) = all.iter().find(|c| c.id == self.id) else {
            return Err(Failure::unable(
                format!("`{}` isn't a candidate", self.id),
                "`knowledge skills candidates` lists them",
            ));
        };
        let verdict = Verdict {
            status,
            by: self.by.trim(),
            reason: self.reason.as_deref(),
            time,
        };
        let (file, line) = ledger
            .decide(candidate, &verdict, &place.own_folder())
            .map_err(|e| refused(&e))?;
        print(Color::Auto, |out| {
            writeln!(
                out,
                "{}: {} -> {}",
                line_start(&candidate.id),
                candidate.status.name(),
                status.name()
            )?;
            writeln!(out, "wrote into {}: {}", terminal(&file), terminal(&line))?;
            writeln!(out, "`knowledge reindex` takes it into the index")
        })?;
        Ok(EXIT_CLEAN)
    }
}
