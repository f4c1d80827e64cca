//! `audit`: shows what coding agents did in this repository.

mod page;
mod places;
mod reports;

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use super::common::formats::{OutputFormat, trace_format};
use super::common::secrets::secret_rules;
use super::output::{Color, Failure, print_prose_if, warn};
use super::policy::{OtherDecisions, other_decisions, policy_files};
use super::progress::Progress;
use super::reports::{Target, lang_parser, target};
use super::shares::ShareArgs;
use crate::diag::{FailOn, Severity};
use crate::replay::{Assessor, PolicyFiles, Summary};
use crate::report::{Lang, TextOptions, safe_json};
use crate::rules::Settings;
use crate::source::{Found, Missing, survey};
use crate::trace::Format;
use crate::trajectory::audit::{Audit, last_time};
use crate::trajectory::{ExecutionSet, FindingNote, Trajectory, words};
use crate::verify::partial::{Command, Kept, RunOptions, Work};
use crate::verify::timeline::{Deed, Shown};
use crate::verify::{Options, Report, SilentInputs, SubAgentCalls, findings_between, verify_one};
use borsh::{BorshDeserialize, BorshSerialize};
use clap::Args;
use content_scan::mask::Mask;
use governance::RiskLevel;
use places::{Mention, Places};
use shell_effects::path::normalise;
use std::env::home_dir;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use worktree::git::Repository;

/// Maximum number of calls of one file that are ranked.
const CALLS: usize = 100_000;

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Sessions: files or folders. Without any, those of the repository here are searched for where
    /// Claude Code, Codex, Gemini CLI, Cline, Roo, `OpenHands`, Copilot CLI and pi keep them.
    #[arg(value_name = "SESSION")]
    sessions: Vec<PathBuf>,
    /// Show sessions up to this age by their recorded times: a number and `h`, `d` or `w`, or
    /// `all`.
    #[arg(long, default_value = "7d", value_name = "TIME", value_parser = since)]
    since: Since,
    /// Also say what this policy would have decided otherwise: a file, or the name of one that is
    /// built in.
    #[arg(long, value_name = "FILE|NAME")]
    policy: Option<String>,
    /// Read every session as this format instead of finding out.
    #[arg(long, value_name = "NAME", value_parser = trace_format)]
    format_in: Option<Format>,
    /// Fail (exit 1) when there are findings this bad.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
    /// Also write a report of `replay` about the files of these sessions; may be given several
    /// times.
    #[arg(long = "report", value_parser = target, value_name = "FORMAT=PATH")]
    reports: Vec<Target>,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
    /// Write the fixed words in text, Markdown and HTML reports in this language. Messages of
    /// findings and other formats stay English.
    #[arg(long, value_parser = lang_parser(), default_value = "en", value_name = "LANG")]
    lang: Lang,
    /// Use colours always, never, or only on a terminal.
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    #[command(flatten)]
    share: ShareArgs,
}

/// The age limit of sessions; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Since(Option<Duration>);

fn since(text: &str) -> Result<Since, String> {
    let wrong = || "a number and `h`, `d` or `w`, or `all`".to_owned();
    if text == "all" {
        return Ok(Since(None));
    }
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let hours = match unit {
        'h' => 1,
        'd' => 24,
        'w' => 24 * 7,
        _ => return Err(wrong()),
    };
    let number = text.strip_suffix(unit).unwrap_or_default();
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(hours * 3600).ok_or_else(wrong)?;
    Ok(Since(Some(Duration::from_secs(seconds))))
}

impl Since {
    /// Returns the earliest time in milliseconds since the Unix epoch; `None` if unlimited.
    fn earliest(self) -> Option<i64> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(now.saturating_sub(self.0?).as_millis()).ok()
    }
}

/// The sessions that were read, with counts of the rest.
struct Read {
    audit: Audit,
    /// Files with sessions that are shown; empty for merged audits, which only count them.
    files: Vec<Found>,
    file_count: usize,
    unopened: u64,
    /// Sessions of other directories, and sessions that are too old.
    elsewhere: u64,
    older: u64,
    /// Sessions that began in another directory and later worked in this one.
    moved: u64,
    /// Files that hold nothing to show.
    silent: SilentInputs,
}

impl Read {
    fn new() -> Self {
        Self {
            audit: Audit::default(),
            files: Vec::new(),
            file_count: 0,
            unopened: 0,
            elsewhere: 0,
            older: 0,
            moved: 0,
            silent: SilentInputs::default(),
        }
    }

    /// Adds the findings between files.
    fn add_between(&mut self, summaries: Vec<Summary>, secrets: Mask) {
        for finding in findings_between(summaries, secrets) {
            let note = FindingNote::from_finding(&finding);
            self.audit.add_of_file(&finding.place.file, &[note]);
        }
    }

    fn print(
        &self,
        other: Option<&OtherDecisions>,
        (format, lang, color): (OutputFormat, Lang, Color),
    ) -> Result<(), Failure> {
        print_prose_if(format == OutputFormat::Text, color, |out| match format {
            OutputFormat::Text => page::text(self, other, lang, out),
            OutputFormat::Json => writeln!(out, "{}", safe_json(&page::json(self, other))),
        })
    }

    fn exit_code(&self, fail_on: FailOn) -> u8 {
        let [errors, warnings, notes] = self.audit.findings;
        let failing = fail_on.count(|severity| match severity {
            Severity::Error => errors,
            Severity::Warning => warnings,
            Severity::Note => notes,
        });
        match () {
            () if self.unopened > 0 => EXIT_ERROR,
            () if failing > 0 => EXIT_FINDINGS,
            () if self.audit.calls == 0 => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        }
    }
}

/// What a share keeps of one input.
#[derive(Debug, BorshSerialize, BorshDeserialize)]
struct AuditPart {
    audit: Audit,
    unopened: u64,
    /// Whether the input has sessions.
    has_sessions: bool,
    /// The warning about an input that can't be read.
    warning: Option<String>,
    silent: SilentInputs,
}

/// Audits one input of a share.
pub(super) fn condense(
    input: &Result<Found, Missing>,
    mut report: Report,
) -> io::Result<(Vec<u8>, Vec<Summary>)> {
    let mut part = AuditPart {
        audit: Audit::default(),
        unopened: report.counts.unopened,
        has_sessions: false,
        warning: input.as_ref().err().map(unreadable),
        silent: std::mem::take(&mut report.silent),
    };
    let acted = std::mem::take(&mut report.summaries);
    let set = ExecutionSet::gather(&acted, &report.findings, report.timeline);
    part.has_sessions = !part.audit.add(&set, &|_| true).is_empty();
    if let Ok(found) = input {
        part.audit.add_of_file(&found.name, &set.findings);
    }
    let acted = acted.into_iter();
    let acted = acted.filter(|summary| summary.actions_of_session.is_some());
    Ok((borsh::to_vec(&part)?, acted.collect()))
}

/// The audits of all shares.
#[derive(Debug, Default)]
pub(super) struct MergedAudits {
    audit: Audit,
    files: usize,
    unopened: u64,
    warnings: Vec<String>,
    silent: SilentInputs,
}

impl MergedAudits {
    /// Adds what a share has kept of one input.
    pub(super) fn add(&mut self, part: &Kept) -> io::Result<()> {
        let part: AuditPart = borsh::from_slice(&part.bytes)?;
        if !part.audit.has_known_words() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it contains unknown words",
            ));
        }
        self.audit.absorb(part.audit);
        self.files += usize::from(part.has_sessions);
        self.unopened = self.unopened.saturating_add(part.unopened);
        self.warnings.extend(part.warning);
        self.silent.absorb(part.silent);
        Ok(())
    }

    /// Prints the audit of all shares.
    pub(super) fn print(
        self,
        report: Report,
        page: (OutputFormat, Lang, Color),
        fail_on: FailOn,
    ) -> Result<u8, Failure> {
        let silent = self.silent.sentence();
        let warnings = self.warnings.iter().chain(&silent);
        warnings.for_each(|warning| warn(warning));
        let mut read = Read {
            audit: self.audit,
            file_count: self.files,
            unopened: self.unopened,
            ..Read::new()
        };
        read.add_between(report.summaries, report.secrets);
        read.print(None, page)?;
        Ok(read.exit_code(fail_on))
    }
}

fn unreadable(missing: &Missing) -> String {
    format!("can't read `{}`: {}", missing.name, missing.error)
}

impl AuditArgs {
    /// Runs the audit. It writes nothing but requested reports and sends nothing.
    pub(super) fn run(self) -> Result<u8, Failure> {
        secret_rules()?;
        if let Some(path) = &self.share.partial {
            return self.write_share(path);
        }
        let tree = self.sessions.is_empty().then(here).transpose()?;
        let places = match &tree {
            Some(tree) => Places::new(tree),
            None => Places {
                own: self.sessions.clone(),
                others: Vec::new(),
            },
        };
        if let Some(tree) = tree.as_deref().filter(|_| places.is_empty()) {
            nothing_found(tree);
            return Ok(EXIT_NOTHING_VERIFIED);
        }
        let policy = self.policy.as_deref();
        let policies = policy.map(policy_files).transpose()?.unwrap_or_default();
        let read = self.read(&places, tree.as_deref(), &policies);
        let inputs: Vec<Result<Found, Missing>> = read.files.iter().cloned().map(Ok).collect();
        reports::check(&self.reports, &inputs)?;
        let other = match &self.policy {
            Some(policy) => Some(other_decisions(policy, &inputs)?),
            None => None,
        };
        if let Some(sentence) = read.silent.sentence() {
            warn(&sentence);
        }
        read.print(other.as_ref(), (self.format, self.lang, self.color))?;
        let text = TextOptions {
            lang: self.lang,
            ..TextOptions::default()
        };
        let options = self.options(&policies);
        reports::write(&self.reports, text, &inputs, options, self.fail_on)?;
        if let Some(tree) = tree.as_deref().filter(|_| read.audit.sessions() == 0) {
            nothing_found(tree);
            if read.older > 0 {
                warn("  older sessions were left out: see more of them with --since 30d");
            }
        }
        Ok(read.exit_code(self.fail_on))
    }

    /// Writes the audit of a share of the sessions.
    fn write_share(&self, path: &Path) -> Result<u8, Failure> {
        let unable = [
            (self.sessions.is_empty(), "name the sessions or folders"),
            (self.since != Since(None), "add `--since all`"),
            (self.policy.is_some(), "leave --policy out"),
            (!self.reports.is_empty(), "leave --report out"),
            (self.fail_on != FailOn::Error, "give --fail-on to `merge`"),
        ];
        if let Some((_, remedy)) = unable.into_iter().find(|(is_given, _)| *is_given) {
            return Err(Failure::unable(
                "a share audits all of the sessions that it is given, and nothing else",
                remedy,
            ));
        }
        let mut options = self.options(&PolicyFiles::default());
        let run = RunOptions {
            command: Command::Audit,
            ..RunOptions::of(&options)
        };
        let found = (survey(&self.sessions), &*self.sessions);
        self.share.write(
            path,
            found,
            (&mut options, run),
            Work::Condense(&mut condense),
            false,
        )
    }

    fn options(&self, policies: &PolicyFiles) -> Options {
        Options {
            format: self.format_in,
            max_turns: CALLS,
            settings: Settings {
                assessor: Assessor::V1,
                policies: policies.clone(),
                ..Settings::default()
            },
            ..Options::default()
        }
    }

    fn read(&self, places: &Places, tree: Option<&Path>, policies: &PolicyFiles) -> Read {
        let earliest = self.since.earliest();
        let mut read = Read::new();
        let own = survey(&places.own).inputs.into_iter();
        let others = survey(&places.others).inputs.into_iter();
        let mut inputs: Vec<_> = own.map(|i| (i, false)).collect();
        inputs.extend(others.map(|i| (i, true)));
        let mention = tree.map(Mention::new);
        inputs.retain(|(input, must_say)| {
            let Ok(found) = input else {
                return true;
            };
            let files = found.files();
            let old = earliest.is_some_and(|time| written_before(found, time));
            let elsewhere = || {
                mention.as_ref().is_some_and(|mention| {
                    let of_other = |path: &Path| !mention.may_be_of(path, *must_say);
                    !files.is_empty() && files.iter().all(|(_, path)| of_other(path))
                })
            };
            match () {
                () if old => read.older += 1,
                () if elsewhere() => read.elsewhere += 1,
                () => return true,
            }
            false
        });
        let progress = Progress::of_inputs(inputs.iter().map(|(input, _)| input), false);
        let options = Options {
            bytes_read: Some(progress.done()),
            ..self.options(policies)
        };
        let (inputs, must_say): (Vec<_>, Vec<_>) = inputs.into_iter().unzip();
        let mut own_calls = SubAgentCalls::new(&inputs);
        let (mut summaries, mut secrets) = (Vec::new(), Mask::default());
        for (input, must_say) in inputs.iter().zip(must_say) {
            if let Err(missing) = input {
                warn(&unreadable(missing));
            }
            let mut report = verify_one(input, &mut own_calls, &options);
            read.unopened += report.counts.unopened;
            secrets.absorb(std::mem::take(&mut report.secrets));
            let acted = report.summaries.iter();
            let acted = acted.filter(|summary| summary.actions_of_session.is_some());
            let acted: Vec<Summary> = acted.cloned().collect();
            let silent = std::mem::take(&mut report.silent);
            let set = ExecutionSet::of(report);
            let place = |e: &Trajectory| tree.map_or(Place::Here, |tree| Place::of(e, tree));
            let here = |e: &Trajectory| match place(e) {
                Place::Here | Place::Moved => true,
                Place::Unsaid => !must_say,
                Place::Elsewhere => false,
            };
            let new = |e: &Trajectory| {
                earliest.is_none_or(|time| last_time(e).is_none_or(|last| last >= time))
            };
            if tree.is_none() || set.executions.iter().any(here) {
                read.silent.absorb(silent);
            }
            let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
            let there = set.executions.iter().filter(|e| !here(e)).count();
            let old = set.executions.iter().filter(|e| here(e) && !new(e)).count();
            read.elsewhere += number(there);
            read.older += number(old);
            let moved = |e: &&Trajectory| place(e) == Place::Moved && new(e);
            read.moved += number(set.executions.iter().filter(moved).count());
            let kept = read.audit.add(&set, &|e| here(e) && new(e));
            summaries.extend(
                acted
                    .into_iter()
                    .filter(|summary| kept.contains(&*summary.id)),
            );
            // Other files in a directory for sessions aren't sessions.
            let mut beside = set.findings;
            beside.retain(|f| tree.is_none() || f.code != "YV108");
            let counts = tree.is_none() || !kept.is_empty() || set.executions.is_empty();
            if let Some(found) = input.as_ref().ok().filter(|_| counts) {
                read.audit.add_of_file(&found.name, &beside);
            }
            if let Ok(found) = input
                && !kept.is_empty()
            {
                read.files.push(found.clone());
                read.file_count += 1;
            }
        }
        read.add_between(summaries, secrets);
        read
    }
}

/// Returns the top of the repository around the current directory, or else the current directory.
fn here() -> Result<PathBuf, Failure> {
    let folder = std::env::current_dir()
        .map_err(|e| Failure::unable(format!("can't tell where this is: {e}"), "name sessions"))?;
    let top = Repository::discover(&folder)
        .ok()
        .and_then(|repository| repository.work_tree());
    let top = top.unwrap_or(folder);
    Ok(top.canonicalize().unwrap_or(top))
}

/// Whether a file was last modified before a time, so that it can't contain anything later.
fn written_before(found: &Found, earliest: i64) -> bool {
    let is_old = |path: &Path| {
        let modified = std::fs::metadata(path).and_then(|m| m.modified()).ok();
        let since_epoch = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        since_epoch
            .and_then(|since| i64::try_from(since.as_millis()).ok())
            .is_some_and(|time| time < earliest)
    };
    let files = found.files();
    !files.is_empty() && files.iter().all(|(_, path)| is_old(path))
}

/// The directory that a session worked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It began in the tree.
    Here,
    /// It began in another directory, and later worked in the tree.
    Moved,
    /// No directory is recorded.
    Unsaid,
    Elsewhere,
}

impl Place {
    fn of(execution: &Trajectory, tree: &Path) -> Self {
        let inside = |path: &String| Path::new(path).starts_with(tree);
        let mut folders = execution.openings.iter().filter_map(|o| o.workdir.as_ref());
        let began_in = folders.clone().next();
        let began = began_in.is_some();
        let here = folders.any(inside);
        let mut calls = execution.turns.iter();
        let mut moved = || {
            calls.any(|turn| {
                let cwd = turn.call.as_ref().and_then(|call| call.cwd.as_ref());
                let action = turn.proposed.as_ref().or(turn.ran.as_ref());
                // Reading a file of the tree isn't work in the tree.
                let changes = words::risk(turn).is_some_and(|risk| risk > RiskLevel::Low);
                let from = cwd.or(began_in).map(String::as_str);
                cwd.is_some_and(inside)
                    || (changes && action.is_some_and(|action| names(action, from, tree)))
            })
        };
        match () {
            () if here => Self::Here,
            () if began && moved() => Self::Moved,
            () if began => Self::Elsewhere,
            () => Self::Unsaid,
        }
    }
}

/// Returns whether an action names the tree or a file in it: in its paths, or as a word of its
/// command. `from` is the directory of the agent.
fn names(action: &Shown, from: Option<&str>, tree: &Path) -> bool {
    let home = home_dir();
    let is_inside = |path: &str| match path.strip_prefix("~/").zip(home.as_ref()) {
        Some((below, home)) => home.join(below).starts_with(tree),
        None => normalise(path, from).is_some_and(|path| Path::new(&path).starts_with(tree)),
    };
    let in_command = |text: &str| {
        text.split(|c: char| c.is_whitespace() || "\"'`=;|&<>(){}:,".contains(c))
            .any(|word| word.contains('/') && is_inside(word))
    };
    action.paths.iter().any(|path| is_inside(path))
        || matches!(&action.deed, Deed::Command(text) if in_command(&text.text))
}

/// Reports where sessions were searched, and suggests what to do next.
fn nothing_found(tree: &Path) {
    warn(&format!("no sessions of {} were found in", tree.display()));
    for name in places::NAMES {
        warn(&format!("  {name}"));
    }
    warn("  help: run `audit` in the repository that the agent worked in, or name the sessions:");
    warn("    yuangs-verify audit FILE-OR-FOLDER…");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::timeline::Text;

    #[test]
    fn commands_name_a_tree_by_its_paths() {
        let names = |command: &str| {
            let action = Shown {
                id: None,
                deed: Deed::Command(Text::truncated(command, 1000)),
                paths: Vec::new(),
                risk: None,
                hash: None,
            };
            names(&action, Some("/tmp/other"), Path::new("/tmp/a/tree"))
        };
        for command in [
            "rm -rf /tmp/a/tree/src",
            "echo x > /tmp/a/tree/a",
            "echo x >'/tmp/a/tree/a'",
            "sed -i s/a/b/ ../a/tree/a",
            "git -C /tmp/a/tree push --force",
            "cd /tmp/a/tree&& rm -rf x",
            "GIT_DIR=/tmp/a/tree/.git git gc",
        ] {
            assert!(names(command), "{command}");
        }
        for command in [
            "rm -rf /tmp/a/trees",
            "rm -rf src",
            "cd /tmp/a; ls tree",
            "",
        ] {
            assert!(!names(command), "{command}");
        }
    }

    #[test]
    fn times_are_numbers_with_a_unit() {
        let hours = |n: u64| Since(Some(Duration::from_secs(n * 3600)));
        assert_eq!(since("7d"), Ok(hours(7 * 24)));
        assert_eq!(since("36h"), Ok(hours(36)));
        assert_eq!(since("2w"), Ok(hours(2 * 7 * 24)));
        assert_eq!(since("all"), Ok(Since(None)));
        for wrong in [
            "",
            "d",
            "7",
            "-1d",
            "7 d",
            "1.5d",
            "99999999999999999999d",
            "7é",
        ] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}
