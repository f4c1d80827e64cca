//! `command`: explains, rates and lists shell commands.

use super::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use super::common::formats::OutputFormat;
use super::file;
use super::output::{Color, Failure, print, print_prose_if, print_shared, warn};
use crate::report::{harmless_json, json_line, line_start, terminal};
use clap::{Args, Subcommand, ValueEnum};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use shell_effects::{Analysis, Context, Effect, Links, RiskLevel, Table, analyse, explain};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use strict_json::{Deserializer, Scanner};

/// What shell commands do.
#[derive(Debug, Subcommand)]
pub enum ShellCommand {
    /// Show what a command line would run, its effects, and how risky that is.
    Explain {
        /// The command line, as one argument.
        #[arg(value_name = "CMD", allow_hyphen_values = true)]
        line: String,
        #[command(flatten)]
        places: Places,
        /// Output format.
        #[arg(long, value_parser = OutputFormat::parser("For people", "One JSON object"), default_value = "text")]
        format: OutputFormat,
    },
    /// Rate a JSONL file of commands: `{"cmd": …, "expect"?: "low|medium|high", "class"?: …}`.
    Check {
        /// The file, or `-` for standard input.
        file: PathBuf,
        #[command(flatten)]
        places: Places,
        /// Output format.
        #[arg(long, value_enum, default_value_t = RatingFormat::Table)]
        format: RatingFormat,
    },
    /// List the programs of the table.
    List {
        #[command(flatten)]
        places: Places,
    },
}

/// Where a command would run.
#[derive(Debug, Args)]
pub struct Places {
    /// Assume that the command starts in this directory.
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Assume that this is the work tree.
    #[arg(long, value_name = "DIR")]
    workdir: Option<String>,
    /// Follow the symbolic links in this folder: the work tree as it is on this machine.
    #[arg(long, value_name = "DIR")]
    tree: Option<PathBuf>,
    /// Read more programs from this file, in the form of docs/command-table.md.
    #[arg(long, value_name = "FILE")]
    table: Vec<PathBuf>,
}

/// Ways to report on a file of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RatingFormat {
    /// How many of each class were rated how; fails when one isn't as expected.
    Table,
    /// One JSON object a line.
    Jsonl,
}

impl Places {
    fn table(&self) -> Result<Table, Failure> {
        let mut table = Table::builtin();
        for path in &self.table {
            let text = file::text_or_input(path)?;
            let name = path.to_string_lossy();
            table.add(&name, &text).map_err(|e| {
                Failure::unable(
                    format!("`{name}`: {e}"),
                    "docs/command-table.md describes the form",
                )
            })?;
        }
        Ok(table)
    }

    fn context<'t>(&self, table: &'t Table) -> Result<Context<'t>, Failure> {
        for place in [&self.workdir, &self.cwd].into_iter().flatten() {
            if !place.starts_with('/') {
                return Err(Failure::unable(
                    format!("`{}` isn't an absolute path", terminal(place)),
                    "`--workdir` and `--cwd` begin with `/`",
                ));
            }
        }
        let mut context = Context::new(table);
        if let Some(workdir) = &self.workdir {
            context.workdir.clone_from(workdir);
            context.cwd.clone_from(workdir);
        }
        if let Some(cwd) = &self.cwd {
            context.cwd.clone_from(cwd);
            if self.workdir.is_none() {
                context.workdir.clone_from(cwd);
            }
        }
        if let Some(tree) = &self.tree {
            context.links = links(tree, &context.workdir)?;
        }
        Ok(context)
    }
}

/// Returns the symbolic links below a directory as if it were the work tree. An absolute link into
/// the directory is a link into the work tree.
fn links(tree: &Path, workdir: &str) -> Result<Links, Failure> {
    let unable = |e: &dyn std::fmt::Display| {
        Failure::unable(
            format!("can't read the tree `{}`: {e}", tree.display()),
            "it must be a readable folder",
        )
    };
    let root = tree.canonicalize().map_err(|e| unable(&e))?;
    if !root.is_dir() {
        return Err(unable(&"it isn't a directory"));
    }
    let inside = |path: &Path| {
        path.strip_prefix(&root)
            .ok()
            .map(|below| format!("{workdir}/{}", below.to_string_lossy()))
    };
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(&root) {
        let entry = entry.map_err(|e| unable(&e))?;
        if entry.path_is_symlink() {
            let target = std::fs::read_link(entry.path()).map_err(|e| unable(&e))?;
            let target = inside(&target).unwrap_or_else(|| target.to_string_lossy().into_owned());
            found.extend(inside(entry.path()).map(|link| (link, target)));
        }
    }
    Ok(Links::new(found))
}

/// A line of a corpus. Unknown members are ignored.
#[derive(Debug, Deserialize)]
struct Row {
    cmd: String,
    #[serde(default)]
    expect: Option<RiskLevel>,
    #[serde(default)]
    class: Option<String>,
}

/// An analysis with reasons as sentences.
#[derive(Serialize)]
struct Explanation<'a> {
    #[serde(flatten)]
    analysis: &'a Analysis,
    reasons: Vec<String>,
}

/// A rated line: its number, with the row and its analysis, or else why it isn't a row.
type RatedLine = (usize, Result<(Row, Analysis), &'static str>);

/// Parses a line of a corpus. A line that parsers may read differently is rejected.
fn row(line: &[u8]) -> Result<Row, &'static str> {
    let text = std::str::from_utf8(line).map_err(|_| "not UTF-8")?;
    let mut scanner = Scanner::new(text, strict_json::DEFAULT_MAX_DEPTH);
    let row = Row::deserialize(&mut Deserializer::new(&mut scanner))
        .and_then(|row| scanner.end().map(|()| row))
        .map_err(|_| "not a JSON object with a member `cmd`")?;
    if scanner.notes().is_empty() {
        Ok(row)
    } else {
        Err("a member that is given twice, or text that isn't Unicode")
    }
}

impl ShellCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Self::Explain {
                line,
                places,
                format,
            } => {
                let table = places.table()?;
                let analysis = analyse(&line, &places.context(&table)?);
                print_prose_if(
                    format == OutputFormat::Text,
                    Color::Auto,
                    |out| match format {
                        OutputFormat::Text => {
                            let text = explain::explain(&line, &analysis);
                            text.trim_end()
                                .lines()
                                .try_for_each(|line| writeln!(out, "{}", line_start(line)))
                        }
                        OutputFormat::Json => {
                            let explanation = Explanation {
                                reasons: analysis.reasons(),
                                analysis: &analysis,
                            };
                            let explanation = serde_json::to_string_pretty(&explanation)
                                .map_err(io::Error::other)?;
                            writeln!(out, "{}", harmless_json(&explanation))
                        }
                    },
                )?;
                Ok(EXIT_CLEAN)
            }
            Self::Check {
                file,
                places,
                format,
            } => {
                let bytes = file::bytes_or_input(&file)?;
                let table = places.table()?;
                let context = places.context(&table)?;
                let lines: Vec<(usize, &[u8])> = (1..)
                    .zip(bytes.split(|byte| *byte == b'\n'))
                    .filter(|(_, line)| !line.trim_ascii().is_empty())
                    .collect();
                if lines.is_empty() {
                    warn("there is no command in the input: nothing was rated");
                }
                let rated: Vec<RatedLine> = lines
                    .par_iter()
                    .map(|(number, line)| {
                        let row = row(line).map(|row| {
                            let analysis = analyse(&row.cmd, &context);
                            (row, analysis)
                        });
                        (*number, row)
                    })
                    .collect();
                match format {
                    RatingFormat::Jsonl => print_shared(|out| jsonl(&rated, out))?,
                    RatingFormat::Table => print(Color::Auto, |out| confusion(&rated, out))?,
                }
                let unreadable = rated.iter().any(|(_, row)| row.is_err());
                let wrong = |(_, row): &RatedLine| {
                    row.as_ref()
                        .is_ok_and(|(r, a)| r.expect.is_some_and(|e| e != a.risk))
                };
                Ok(if rated.is_empty() {
                    EXIT_NOTHING_VERIFIED
                } else if unreadable || (format == RatingFormat::Table && rated.iter().any(wrong)) {
                    EXIT_FINDINGS
                } else {
                    EXIT_CLEAN
                })
            }
            Self::List { places } => {
                let table = places.table()?;
                let listed = table.list().map_err(|e| {
                    Failure::unable(e.to_string(), "docs/command-table.md describes the form")
                })?;
                print(Color::Auto, |out| {
                    for entry in &listed {
                        writeln!(
                            out,
                            "{:<24} {:<22} {}",
                            terminal(&entry.name),
                            terminal(&entry.file),
                            terminal(&entry.source)
                        )?;
                    }
                    Ok(())
                })?;
                Ok(EXIT_CLEAN)
            }
        }
    }
}

/// Writes one object per line in input order. An invalid line has an unknown risk, which counts as
/// high.
fn jsonl(rated: &[RatedLine], out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Rating<'r> {
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'r str>,
        effects: &'r [Effect],
        line: usize,
        risk: RiskLevel,
        unparsed: bool,
    }
    rated.iter().try_for_each(|(line, row)| {
        let rating = match row {
            Ok((_, a)) => Rating {
                error: None,
                effects: &a.effects,
                line: *line,
                risk: a.risk,
                unparsed: a.unparsed,
            },
            Err(why) => Rating {
                error: Some(why),
                effects: &[],
                line: *line,
                risk: RiskLevel::High,
                unparsed: true,
            },
        };
        json_line(&rating, out)
    })
}

/// Writes a table of ratings by class, followed by the unexpected ratings.
fn confusion(rated: &[RatedLine], out: &mut dyn Write) -> io::Result<()> {
    const SHOWN: usize = 20;
    let mut classes: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (line, row) in rated {
        let (row, analysis) = match row {
            Ok(rated) => rated,
            Err(why) => {
                wrong.push(format!("line {line}: {why}"));
                continue;
            }
        };
        let class = row
            .class
            .clone()
            .or_else(|| row.expect.map(|e| format!("expected {}", e.name())))
            .unwrap_or_else(|| "all".into());
        let [low, medium, high] = classes.entry(class).or_default();
        *match analysis.risk {
            RiskLevel::Low => low,
            RiskLevel::Medium => medium,
            RiskLevel::High => high,
        } += 1;
        if let Some(expected) = row.expect.filter(|e| *e != analysis.risk) {
            wrong.push(format!(
                "line {line}: expected {}, rated {}: {}",
                expected.name(),
                analysis.risk.name(),
                terminal(&row.cmd)
            ));
        }
    }
    writeln!(
        out,
        "{:<28} {:>7} {:>7} {:>7} {:>8}",
        "class", "low", "medium", "high", "high"
    )?;
    for (class, [low, medium, high]) in &classes {
        let all = low + medium + high;
        let permille = high * 1000 / all.max(1);
        writeln!(
            out,
            "{:<28} {low:>7} {medium:>7} {high:>7} {:>5}.{} %",
            terminal(class),
            permille / 10,
            permille % 10
        )?;
    }
    for line in wrong.iter().take(SHOWN) {
        writeln!(out, "{line}")?;
    }
    if wrong.len() > SHOWN {
        writeln!(out, "and {} more", wrong.len() - SHOWN)?;
    }
    writeln!(
        out,
        "{} commands, {} not as expected",
        rated.len(),
        wrong.len()
    )
}
