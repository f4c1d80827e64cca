//! `knowledge skills history`: shows the decisions about skills.

use super::AskArgs;
use crate::cli::knowledge::{Format, failure};
use crate::cli::output::{Color, Failure, print};
use crate::cli::replay::FailOn;
use crate::cli::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::knowledge::skills::{self, ChangeReview};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use crate::trajectory::words::plural;
use clap::Args;
use serde_json::{Value, json};
use std::io::{self, Write};
use util::time::format_minute;

/// Arguments of `knowledge skills history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// Show only the skill with this name.
    #[arg(long, value_name = "NAME")]
    skill: Option<String>,
    /// Fail (exit 1) when there are findings this bad.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
}

impl HistoryArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let mut asked = self.ask.read()?;
        let limits = asked.place.limits();
        if let Some(now) = self.ask.now {
            asked.skills.changes.retain(|c| c.what.time <= now);
        }
        if let Some(name) = &self.skill {
            asked.skills.changes.retain(|c| c.what.skill == *name);
            asked.skills.manifests.retain(|m| m.name == *name);
            asked.skills.uses.retain(|u| u.skill == *name);
        }
        let items = skills::items_of(&asked.store).map_err(|e| failure(&e))?;
        let all = skills::review(&asked.skills, &items, limits);
        let mut findings =
            skills::findings_of(&asked.store, &asked.skills, limits).map_err(|e| failure(&e))?;
        if let Some(name) = &self.skill {
            findings.retain(|f| {
                [format!("`{name}`"), format!("`{name} ")]
                    .iter()
                    .any(|n| f.message.contains(n))
            });
        }
        print(Color::Auto, |out| match self.ask.format {
            Format::Text => {
                all.iter().try_for_each(|reviewed| line(reviewed, out))?;
                if !findings.is_empty() {
                    writeln!(out)?;
                    write_findings(&findings, out)?;
                }
                writeln!(
                    out,
                    "{}, {}",
                    plural(all.len() as u64, "change"),
                    plural(findings.len() as u64, "finding")
                )
            }
            Format::Json => {
                let changes: Vec<Value> = all.iter().map(one).collect();
                let json = json!({ "version": 1, "changes": changes, "findings": findings_json(&findings) });
                writeln!(out, "{}", safe_json(&json))
            }
        })?;
        let failed = self.fail_on.met_by(&findings);
        Ok(match () {
            () if failed => EXIT_FINDINGS,
            () if all.is_empty() => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        })
    }
}

fn line(reviewed: &ChangeReview<'_>, out: &mut dyn Write) -> io::Result<()> {
    let what = &reviewed.change.what;
    let version = what
        .version
        .as_deref()
        .map(|v| format!(" {v}"))
        .unwrap_or_default();
    let old = what.old.as_deref().unwrap_or("?");
    let by = what
        .by
        .as_deref()
        .map(|by| format!(", by {}", terminal(by)))
        .unwrap_or_default();
    let reason = what
        .reason
        .as_deref()
        .map(|r| format!(": {}", terminal(r)))
        .unwrap_or_default();
    let place = format!("{}:{}", terminal(&reviewed.change.file), what.line);
    writeln!(
        out,
        "{}  {}{}  {} -> {}{by}{reason}  [{place}]",
        format_minute(what.time),
        terminal(&what.skill),
        terminal(&version),
        terminal(old),
        terminal(&what.new)
    )?;
    match reviewed.supported {
        Some(true) => writeln!(out, "  supported: {}", terminal(&reviewed.why)),
        Some(false) => writeln!(out, "  not supported: {}", terminal(&reviewed.why)),
        None => Ok(()),
    }
}

fn one(reviewed: &ChangeReview<'_>) -> Value {
    let what = &reviewed.change.what;
    json!({
        "skill_name": what.skill, "skill_version": what.version, "candidate": what.candidate, "old_status": what.old,
        "new_status": what.new, "score": what.score, "reason": what.reason, "by": what.by, "promoted_at": what.time,
        "file": reviewed.change.file, "line": what.line, "supported": reviewed.supported, "evidence": reviewed.why,
    })
}
