//! `knowledge context`: shows stages of items and references to them.

use super::place::{Place, PlaceArgs};
use super::retrieve::time;
use super::{Format, clock, failure};
use crate::cli::executions::ReadArgs;
use crate::cli::output::{Color, Failure, print};
use crate::cli::replay::FailOn;
use crate::cli::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::diag::{Finding, assign_fingerprints};
use crate::knowledge::SourceKind;
use crate::knowledge::context::{Bank, BankQuery, Hit, Item, Metrics, missing_for_entry, stage};
use crate::knowledge::references::{findings, weak_turns};
use crate::knowledge::usage::overstated_usage;
use crate::report::{findings_json, line_start, safe_json, terminal, write_findings};
use crate::source::discover;
use crate::trajectory::{References, Trajectory};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use util::time::format_minute;

/// Subcommands of `knowledge context`.
#[derive(Debug, Subcommand)]
pub enum ContextCommand {
    /// Show the stage of each item: context, bank, candidate for a skill, or archived; with the
    /// figures that decide.
    Stages(StagesArgs),
    /// Find items by a query as users of an agent type it: `@src/a.ts:10-30`, `#src/engine`,
    /// `@!check.sh`, `type:file importance:>0.5 tag:ci "two words"`, `:ls`, `:cat 3`.
    Find(FindArgs),
    /// Show what executions refer to, how much of it was there, which turns hide what they use
    /// (YV602), and which items claim more uses than the traces record (YV922).
    References(ReferencesArgs),
}

impl ContextCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Self::Stages(args) => args.run(),
            Self::Find(args) => args.run(),
            Self::References(args) => args.run(),
        }
    }
}

/// Options for a context bank.
#[derive(Debug, Args)]
pub(super) struct BankArgs {
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    /// Compute ages as of this time, as 2027-01-31 or RFC 3339. The default is the newest record of
    /// the bank that isn't in the future; for `skills candidates`, it is now.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(super) now: Option<i64>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub(super) format: Format,
}

/// Arguments of `knowledge context stages`.
#[derive(Debug, Args)]
pub struct StagesArgs {
    #[command(flatten)]
    bank: BankArgs,
}

/// Arguments of `knowledge context find`.
#[derive(Debug, Args)]
pub struct FindArgs {
    /// The query. Without it, list all items.
    #[arg(value_name = "QUERY")]
    query: Option<String>,
    #[command(flatten)]
    bank: BankArgs,
    /// Print at most N items that meet conditions.
    #[arg(long, default_value_t = 5, value_name = "N")]
    limit: usize,
}

/// Arguments of `knowledge context references`.
#[derive(Debug, Args)]
pub struct ReferencesArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// Traces: files or folders. The default is `[knowledge] traces`.
    #[arg(value_name = "TRACES")]
    traces: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Fail (exit 1) when there are findings this bad.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
    #[command(flatten)]
    read: ReadArgs,
}

/// Reads the configured context banks.
pub(super) fn bank(place: &Place) -> Result<Bank, Failure> {
    let bank = Bank::read(&place.sources).map_err(|e| failure(&e))?;
    if !place
        .sources
        .paths
        .iter()
        .any(|(kind, _)| *kind == SourceKind::Bank)
    {
        let remedy = "name one, such as bank = ['.ai/bank']; docs/knowledge.md describes it";
        return Err(Failure::unable("[knowledge] names no context bank", remedy));
    }
    Ok(bank)
}

/// Masks the secrets in a text of a bank and escapes it for a terminal.
pub(super) fn shown(bank: &Bank, text: &str) -> String {
    terminal(&bank.secrets.hide(text).unwrap_or_else(|| text.to_owned())).into_owned()
}

/// Returns the time from which ages are computed: the given time, or else the newest record that
/// isn't in the future. So the same bank gives the same output. A single wrong date in the future
/// would make everything else look too old.
pub(super) fn as_of(bank: &Bank, asked: Option<i64>) -> i64 {
    let clock = clock();
    let fallback = || {
        if bank.later_than(clock).is_empty() {
            0
        } else {
            clock
        }
    };
    asked
        .or_else(|| bank.newest(clock))
        .unwrap_or_else(fallback)
}

/// Reports the items that are dated later than the time from which ages are computed.
pub(super) fn warn_of_future_dates(
    bank: &Bank,
    now: i64,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let later = bank.later_than(now);
    if later.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = later.iter().take(10).map(|id| shown(bank, id)).collect();
    let more = if later.len() > shown.len() {
        format!(" and {} more", later.len() - shown.len())
    } else {
        String::new()
    };
    writeln!(
        out,
        "used later than that by their own account, so never idle: {}{more}",
        shown.join(", ")
    )
}

fn write_unreadable(bank: &Bank, out: &mut dyn io::Write) -> io::Result<()> {
    for (file, why) in &bank.unreadable {
        writeln!(out, "not read: {}: {}", terminal(file), terminal(why))?;
    }
    Ok(())
}

fn unreadable(bank: &Bank) -> Vec<&str> {
    bank.unreadable.iter().map(|(file, _)| &**file).collect()
}

/// Whether an input is standard input or a pipe.
fn is_read_once(path: &Path) -> bool {
    path.as_os_str() == "-" || path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// Returns the exit code of a command that has read a bank.
pub(super) fn exit(bank: &Bank) -> u8 {
    match () {
        () if !bank.unreadable.is_empty() => EXIT_ERROR,
        () if bank.items.is_empty() => EXIT_NOTHING_VERIFIED,
        () => EXIT_CLEAN,
    }
}

impl StagesArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let bank = bank(&self.bank.place.place()?)?;
        let now = as_of(&bank, self.bank.now);
        let mut items: Vec<&Item> = bank.items.iter().collect();
        let ranking = |item: &Item| Metrics::of(item, now).ranking;
        items.sort_by(|a, b| {
            stage(a, now)
                .stage
                .cmp(&stage(b, now).stage)
                .then(ranking(b).total_cmp(&ranking(a)))
        });
        print(Color::Auto, |out| match self.bank.format {
            Format::Text => {
                writeln!(
                    out,
                    "{:<15} {:>5} {:>10} {:>7}  item",
                    "stage", "score", "importance", "ranking"
                )?;
                for item in &items {
                    let (staged, f) = (stage(item, now), Metrics::of(item, now));
                    let importance = f
                        .importance
                        .map_or_else(|| "-".to_owned(), |i| format!("{i:.3}"));
                    let frozen = item
                        .frozen
                        .map(|why| format!(", frozen: {why}"))
                        .unwrap_or_default();
                    let entry = if missing_for_entry(item).is_empty() {
                        ", may enter the bank"
                    } else {
                        ""
                    };
                    writeln!(
                        out,
                        "{:<15} {:>5.3} {importance:>10} {:>7.3}  {} ({}{entry}{frozen})",
                        staged.stage.name(),
                        staged.score,
                        f.ranking,
                        shown(&bank, &item.path),
                        staged.why
                    )?;
                }
                warn_of_future_dates(&bank, now, out)?;
                write_unreadable(&bank, out)?;
                writeln!(
                    out,
                    "{} items, as of {} UTC",
                    items.len(),
                    format_minute(now)
                )
            }
            Format::Json => {
                let all: Vec<Value> = items
                    .iter()
                    .map(|item| staged_json(&bank, item, now))
                    .collect();
                writeln!(
                    out,
                    "{}",
                    safe_json(
                        &json!({ "version": 1, "now": now, "items": all, "unreadable": unreadable(&bank) })
                    )
                )
            }
        })?;
        Ok(exit(&bank))
    }
}

impl FindArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let query = BankQuery::parse(self.query.as_deref().unwrap_or_default()).map_err(|why| {
            Failure::unable(
                why,
                "`knowledge context find --help` shows the forms of a query",
            )
        })?;
        let bank = bank(&self.bank.place.place()?)?;
        let now = as_of(&bank, self.bank.now);
        let mut hits = query.hits(&bank, now);
        let found = hits.len();
        if matches!(query, BankQuery::Find(_)) {
            hits.truncate(self.limit);
        }
        let item = |hit: &Hit| bank.items.get(hit.number.checked_sub(1)?);
        let items: Vec<(&Hit, &Item)> = hits.iter().filter_map(|h| Some((h, item(h)?))).collect();
        let with_content = matches!(query, BankQuery::Show(_)) || query.lines().is_some();
        print(Color::Auto, |out| match self.bank.format {
            Format::Text => {
                for (hit, item) in &items {
                    let score = hit
                        .score
                        .map_or_else(|| "-".to_owned(), |s| format!("{s:.3}"));
                    let kind = if item.kind.is_empty() {
                        "-"
                    } else {
                        &item.kind
                    };
                    let (kind, path) = (shown(&bank, kind), shown(&bank, &item.path));
                    writeln!(out, "{:>4} {score:>6}  {kind:<9}  {path}", hit.number)?;
                    if with_content {
                        match content(item, query.lines()) {
                            Some(text) => {
                                for line in text.lines() {
                                    writeln!(out, "      {}", shown(&bank, line))?;
                                }
                            }
                            None => writeln!(out, "      the bank doesn't contain that")?,
                        }
                    }
                }
                write_unreadable(&bank, out)?;
                let more = found - items.len();
                let more = if more > 0 {
                    format!(", {more} more with --limit {found}")
                } else {
                    String::new()
                };
                writeln!(out, "{} of {} items{more}", items.len(), bank.items.len())
            }
            Format::Json => {
                let one = |(hit, item): &(&Hit, &Item)| {
                    let text = content(item, query.lines()).filter(|_| with_content);
                    let (kind, semantic) =
                        (Some(&item.kind).filter(|k| !k.is_empty()), &item.semantic);
                    json!({
                        "number": hit.number,
                        "id": shown(&bank, &item.id),
                        "path": shown(&bank, &item.path),
                        "type": kind.map(|k| shown(&bank, k)),
                        "semantic": semantic.as_ref().map(|s| shown(&bank, s)),
                        "tags": item.tags.iter().map(|t| shown(&bank, t)).collect::<Vec<_>>(),
                        "file": item.file,
                        "importance": Metrics::of(item, now).importance,
                        "relevance": hit.relevance,
                        "score": hit.score,
                        "content": text.map(|text| bank.secrets.hide(&text).unwrap_or(text)),
                    })
                };
                let all: Vec<Value> = items.iter().map(one).collect();
                let json = json!({
                    "version": 1, "now": now, "found": found, "items": all, "unreadable": unreadable(&bank),
                });
                writeln!(out, "{}", safe_json(&json))
            }
        })?;
        Ok(match exit(&bank) {
            EXIT_CLEAN if items.is_empty() => EXIT_NOTHING_VERIFIED,
            code => code,
        })
    }
}

/// Returns the content of an item, or some of its lines; `None` when the bank lacks it.
fn content(item: &Item, lines: Option<(u64, u64)>) -> Option<String> {
    let text = item.content.as_deref().or(item.summary.as_deref())?;
    let Some((first, last)) = lines else {
        return Some(text.to_owned());
    };
    let chosen: Vec<&str> = (1_u64..)
        .zip(text.lines())
        .filter(|(n, _)| (first..=last).contains(n))
        .map(|(_, line)| line)
        .collect();
    (!chosen.is_empty()).then(|| chosen.join("\n"))
}

fn staged_json(bank: &Bank, item: &Item, now: i64) -> Value {
    let (staged, f) = (stage(item, now), Metrics::of(item, now));
    json!({
        "id": shown(bank, &item.id),
        "path": shown(bank, &item.path),
        "file": item.file,
        "stage": staged.stage.name(),
        "score": staged.score,
        "why": staged.why,
        "importance": f.importance,
        "freshness": f.freshness,
        "idleDays": f.idle_days,
        "successRate": f.success_rate,
        "confidence": f.confidence,
        "useCount": f.uses,
        "referenced": f.referenced,
        "verifiedRate": f.verified_rate,
        "ranking": f.ranking,
        "frozen": item.frozen,
        "deprecated": item.deprecated,
        "missingForEntry": missing_for_entry(item),
    })
}

impl ReferencesArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let place = self.place.place()?;
        let configured = || {
            let traces = place
                .sources
                .paths
                .iter()
                .filter(|(kind, _)| *kind == SourceKind::Traces);
            traces
                .map(|(_, path)| place.sources.root.join(path))
                .collect::<Vec<_>>()
        };
        let traces = if self.traces.is_empty() {
            configured()
        } else {
            self.traces.clone()
        };
        if traces.is_empty() {
            return Err(Failure::unable(
                "no traces are named",
                "name them, or set [knowledge] traces",
            ));
        }
        // Each pass over the traces opens them again.
        if let Some(once) = traces.iter().find(|path| is_read_once(path)) {
            return Err(Failure::unable(
                format!("`{}` can be read only once", once.display()),
                "this command reads traces several times; write it to a file and name that",
            ));
        }
        let bank = bank(&place)?;
        let reading = self.read.read(&traces)?;
        let looked = weak_turns(&bank, &discover(&traces));
        let mut findings = findings(&looked, &bank);
        let claims = overstated_usage(&bank, &place.sources, &discover(&traces));
        findings.extend(claims.map_err(|e| failure(&e))?);
        findings.extend(Bank::faults(&place.sources).map_err(|e| failure(&e))?);
        findings.sort_by_cached_key(Finding::order);
        assign_fingerprints(&mut findings);
        let executions = &reading.book.executions;
        print(Color::Auto, |out| match self.format {
            Format::Text => {
                for execution in executions {
                    let r = References::of(execution);
                    let items = r
                        .items
                        .map_or_else(|| "not recorded".to_owned(), |n| n.to_string());
                    let accuracy = r
                        .accuracy
                        .map_or_else(|| "-".to_owned(), |a| format!("{a:.3}"));
                    writeln!(
                        out,
                        "{}  items {items}  referenced {}  valid {}  invalid {}  accuracy {accuracy}  {}",
                        line_start(&execution.execution_id),
                        r.referenced,
                        r.valid,
                        r.invalid,
                        r.quality.name()
                    )?;
                    for path in &r.unknown {
                        writeln!(out, "  leads nowhere: {}", terminal(path))?;
                    }
                }
                write_findings(&findings, out)?;
                write_unreadable(&bank, out)?;
                let (turns, weak) = (looked.turns, looked.weak.len());
                writeln!(
                    out,
                    "{} executions, {turns} turns compared with {} items, {weak} weak",
                    executions.len(),
                    bank.items.len()
                )
            }
            Format::Json => {
                let all: Vec<Value> = executions.iter().map(references_json).collect();
                let json = json!({
                    "version": 1,
                    "executions": all,
                    "turns": looked.turns,
                    "items": bank.items.len(),
                    "findings": findings_json(&findings),
                    "unreadable": unreadable(&bank),
                });
                writeln!(out, "{}", safe_json(&json))
            }
        })?;
        let failed = self.fail_on.met_by(&findings);
        Ok(match () {
            () if reading.unopened > 0 || !bank.unreadable.is_empty() => EXIT_ERROR,
            () if failed => EXIT_FINDINGS,
            () if looked.turns == 0 || bank.items.is_empty() => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        })
    }
}

fn references_json(execution: &Trajectory) -> Value {
    let references = serde_json::to_value(References::of(execution)).unwrap_or_default();
    json!({
        "executionId": execution.execution_id,
        "file": execution.file,
        "line": execution.line,
        "references": references,
    })
}
