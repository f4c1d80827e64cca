//! `init`, `config show` and `doctor`: write, show and check the configuration.

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR};
use super::common::located::{LocatedConfig, locate};
use super::common::policy_files::{ENDINGS, REASONS, sibling};
use super::common::time::{current_time, parse_time};
use super::common::tools::read_tools;
use super::common::trust::trust_store;
use super::file;
use super::init_github;
use super::output::{Color, Failure, print_prose};
use crate::config::{Config, Demand, Expiry, FILE, Traces};
use crate::replay::Answer;
use crate::report::terminal;
use crate::source::{
    COMPRESSED, Choice, Input, NO_ENDING, NOT_INCLUDED, Skipped, TRACE_ENDINGS, by_name, open,
};
use crate::trace::Format;
use crate::verify::{Options, skipped_sentence, verify};
use clap::{Args, Subcommand};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use worktree::git::Repository;

/// Maximum number of files that `init` reads.
const LOOKED_AT: usize = 5_000;
/// Maximum number of globs that `init` writes. The gate reports further files.
const EXCLUDED: usize = 200;

/// Write a commented configuration for the repository here.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The folder to write it to.
    #[arg(default_value = ".", value_name = "FOLDER")]
    folder: PathBuf,
    /// Write `.github/workflows/replay-gate.yml` too. A file that is there already is kept.
    #[arg(long)]
    github: bool,
}

impl InitArgs {
    /// Writes the file unless it exists.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let path = self.folder.join(FILE);
        let there = path.symlink_metadata().is_ok();
        if self.github {
            self.write_workflow(there)?;
            if there {
                return Ok(EXIT_CLEAN);
            }
        } else if there {
            return Err(Failure::unable(
                format!("`{}` is there already", path.display()),
                "`yuangs-verify config show` shows it",
            ));
        }
        let found = TraceSurvey::below(&self.folder)?;
        super::write::write_own(&path, template(&found), super::guard::Exemption::Config)?;
        print_prose(Color::Auto, |out| {
            writeln!(out, "wrote {}", terminal(&path.to_string_lossy()))?;
            if found.paths.is_empty() {
                return writeln!(
                    out,
                    "no traces were found: set [traces] paths, then run `yuangs-verify gate`"
                );
            }
            writeln!(out, "traces: {}", terminal(&found.paths.join(", ")))?;
            if let Some(sentence) = skipped_sentence(&found.unread, found.unread.len() as u64) {
                writeln!(
                    out,
                    "{}; the gate won't pass until they are read, excluded or gone",
                    terminal(&sentence)
                )?;
            }
            writeln!(out, "next: yuangs-verify gate")
        })?;
        Ok(EXIT_CLEAN)
    }

    /// Writes the workflow, and reports which existing files are kept.
    fn write_workflow(&self, config_there: bool) -> Result<(), Failure> {
        let workflow = self.folder.join(init_github::WORKFLOW);
        let there = workflow.symlink_metadata().is_ok();
        let config = self.folder.join(FILE);
        if there && config_there {
            return Err(Failure::unable(
                format!(
                    "`{}` and `{}` are there already",
                    config.display(),
                    workflow.display()
                ),
                "remove the one that is to be written again",
            ));
        }
        if !there {
            init_github::write_workflow(&workflow)?;
        }
        print_prose(Color::Auto, |out| {
            let done = if there { "kept" } else { "wrote" };
            writeln!(out, "{done} {}", terminal(&workflow.to_string_lossy()))?;
            if config_there {
                writeln!(out, "kept {}", terminal(&config.to_string_lossy()))?;
            }
            Ok(())
        })
    }
}

/// The traces that `init` finds in a repository.
#[derive(Debug, Default)]
struct TraceSurvey {
    /// Directories with traces, and traces at the top.
    paths: Vec<String>,
    /// Globs of the traces, if some have unusual extensions.
    include: Vec<String>,
    /// Globs of other files among them.
    exclude: Vec<String>,
    /// Files among them that may be traces.
    unread: Vec<Skipped>,
    /// The formats of the traces.
    formats: BTreeSet<&'static str>,
    /// The answers that all of the traces record.
    require: Vec<Demand>,
}

impl TraceSurvey {
    /// Surveys the files below `root` and what the traces among them record.
    fn below(root: &Path) -> Result<Self, Failure> {
        let traces = traces_below(root);
        let mut found = Self {
            paths: places(&traces),
            ..Self::default()
        };
        if traces
            .iter()
            .any(|trace| by_name(Path::new(trace)) != Choice::Read)
        {
            let others = traces
                .iter()
                .filter(|trace| by_name(Path::new(trace)) != Choice::Read)
                .map(|trace| glob_of(trace));
            found.include = usual_globs()
                .into_iter()
                .chain(others.collect::<BTreeSet<_>>())
                .collect();
        }
        let section = Traces {
            include: Some(found.include.clone()).filter(|i| !i.is_empty()),
            ..Traces::from_paths(found.paths.clone())
        };
        let located = LocatedConfig::at(root);
        let all = located.traces(&section)?;
        let (others, unread): (Vec<_>, Vec<_>) = all.skipped.into_iter().partition(is_no_trace);
        (found.exclude, found.unread) = (exclusions(&others), unread);
        let report = verify(
            &all.inputs,
            &Options {
                max_findings: 1,
                ..Options::default()
            },
        );
        found.formats = report
            .inputs
            .iter()
            .filter_map(|input| input.format)
            .collect();
        let answered = report
            .inputs
            .iter()
            .all(|input| report.summaries.iter().any(|s| s.file == input.path));
        let recorded = |demand: &Demand| {
            report
                .summaries
                .iter()
                .all(|s| demand.answer(&s.verdict) != Answer::NotRecorded)
        };
        if answered && !report.summaries.is_empty() {
            found.require = Demand::ALL.into_iter().filter(recorded).collect();
        }
        Ok(found)
    }
}

/// Whether neither its extension nor its content suggests that a file is a trace.
fn is_no_trace(skipped: &Skipped) -> bool {
    [NO_ENDING, NOT_INCLUDED].contains(&skipped.reason)
        && by_name(Path::new(&skipped.name)) == Choice::Skip(NO_ENDING)
}

/// Returns globs for the usual extensions.
fn usual_globs() -> [String; 2] {
    let list = |endings: &[&str]| {
        let words = endings.iter().map(|ending| ending.trim_start_matches('.'));
        words.collect::<Vec<_>>().join(",")
    };
    let plain = format!("*.{{{}}}", list(&TRACE_ENDINGS));
    let packed = format!("{plain}.{{{}}}", list(&COMPRESSED));
    [plain, packed]
}

/// Returns globs for files that aren't traces. Each names a single file, so the gate reports files
/// that are added later.
fn exclusions(others: &[Skipped]) -> Vec<String> {
    let glob = |other: &Skipped| match globset::escape(&other.name) {
        path if path.contains('/') => path,
        name => format!("./{name}"),
    };
    others.iter().map(glob).take(EXCLUDED).collect()
}

/// Returns a glob for traces with the same extension.
fn glob_of(trace: &str) -> String {
    let name = trace.rsplit('/').next().unwrap_or(trace);
    let packed = COMPRESSED
        .into_iter()
        .find(|ending| name.to_lowercase().ends_with(ending))
        .unwrap_or_default();
    let plain = name.get(..name.len() - packed.len()).unwrap_or(name);
    match Path::new(plain).extension().and_then(|e| e.to_str()) {
        Some(ending) => format!("*.{}{packed}", globset::escape(ending)),
        None => globset::escape(trace),
    }
}

/// Returns the files below `root` whose first record is that of a trace.
fn traces_below(root: &Path) -> Vec<String> {
    let walker = walkdir::WalkDir::new(root)
        .max_depth(5)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|e| {
            let name = e.file_name().to_string_lossy();
            e.depth() == 0 || !(name.starts_with('.') || name == "target" || name == "node_modules")
        });
    let files = walker
        .filter_map(Result::ok)
        .filter(|e| e.file_type().is_file())
        .take(LOOKED_AT);
    let traces = files.filter(|e| is_trace(e.path()));
    traces
        .filter_map(|e| {
            Some(
                e.path()
                    .strip_prefix(root)
                    .ok()?
                    .to_string_lossy()
                    .replace('\\', "/"),
            )
        })
        .collect()
}

/// Returns the directories of traces, and traces at the top.
fn places(traces: &[String]) -> Vec<String> {
    let place = |trace: &String| {
        trace
            .rsplit_once('/')
            .map_or(trace.clone(), |(folder, _)| folder.to_owned())
    };
    let found: BTreeSet<String> = traces.iter().map(place).collect();
    let covered = |path: &str| {
        found.iter().any(|other| {
            path.strip_prefix(other.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        })
    };
    found.iter().filter(|p| !covered(p)).cloned().collect()
}

fn is_trace(path: &Path) -> bool {
    let mut line = String::new();
    let first = open(&Input::File(path.to_path_buf()))
        .and_then(|reader| BufReader::new(reader.take(1 << 20)).read_line(&mut line));
    first.is_ok() && Format::of_record(line.trim(), strict_json::DEFAULT_MAX_DEPTH).is_some()
}

/// Formats a line that sets a list. Without values it is commented out and shows an example.
fn list(key: &str, values: &[String], example: &str) -> String {
    let quoted: Vec<String> = values
        .iter()
        .map(|v| toml::Value::String(v.clone()).to_string())
        .collect();
    if quoted.is_empty() {
        format!("# {key} = [{example}]")
    } else {
        format!("{key} = [{}]", quoted.join(", "))
    }
}

fn template(found: &TraceSurvey) -> String {
    let quoted: Vec<String> = found
        .paths
        .iter()
        .map(|t| toml::Value::String(t.clone()).to_string())
        .collect();
    let paths = if quoted.is_empty() {
        "\"traces\"".to_owned()
    } else {
        quoted.join(", ")
    };
    let include = list("include", &found.include, "\"*.jsonl\", \"*.json\"");
    let exclude = list("exclude", &found.exclude, "\"traces/README.md\"");
    let formats: Vec<String> = found.formats.iter().map(|f| (*f).to_owned()).collect();
    let formats = list("formats", &formats, "\"execution-record\"");
    let require: Vec<String> = found.require.iter().map(|d| d.name().to_owned()).collect();
    let require = list(
        "require",
        &require,
        "\"legal-path\", \"authorised\", \"governance-complete\"",
    );
    format!(
        include_str!("config/init.toml"),
        paths = paths,
        include = include,
        exclude = exclude,
        formats = formats,
        require = require
    )
}

/// Subcommands of `config`.
#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Print what is in force, and where it comes from.
    Show {
        /// Read this configuration. The default is the nearest one from the current folder upward.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
}

impl ConfigCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let Self::Show { config } = self;
        let located = locate(config.as_deref())?;
        print_prose(Color::Auto, |out| {
            for (key, value, set) in in_force(&located.config) {
                let from = if set { FILE } else { "default" };
                writeln!(out, "{} = {}  # {from}", terminal(&key), terminal(&value))?;
            }
            for name in located.config.not_run() {
                writeln!(out, "# [{name}] is read and not run by the gate")?;
            }
            writeln!(out, "# {}", terminal(&located.path.to_string_lossy()))
        })?;
        Ok(EXIT_CLEAN)
    }
}

/// Returns the keys with their values as TOML, and whether the file sets them.
fn in_force(config: &Config) -> Vec<(String, String, bool)> {
    let text = |value: &str| toml::Value::String(value.to_owned()).to_string();
    let word = |value: String| text(&value.to_lowercase());
    let mut all = vec![(
        "fail-on".to_owned(),
        word(config.fail_on.map_or("error".into(), |t| format!("{t:?}"))),
        config.fail_on.is_some(),
    )];
    match &config.traces {
        None => all.push(("traces.paths".into(), "[]".into(), false)),
        Some(traces) => {
            let paths: Vec<String> = traces.paths.iter().map(|p| text(p)).collect();
            all.push((
                "traces.paths".into(),
                format!("[{}]", paths.join(", ")),
                true,
            ));
            let mut list = |key: &str, values: &[String], set: bool| {
                let values: Vec<String> = values.iter().map(|v| text(v)).collect();
                all.push((
                    format!("traces.{key}"),
                    format!("[{}]", values.join(", ")),
                    set,
                ));
            };
            if let Some(include) = &traces.include {
                list("include", include, true);
            }
            list("exclude", &traces.exclude, !traces.exclude.is_empty());
            if let Some(formats) = &traces.formats {
                list("formats", formats, true);
            }
            let require: Vec<String> = traces.require.iter().map(|d| d.name().to_owned()).collect();
            list("require", &require, !require.is_empty());
            let unterminated = word(format!("{:?}", traces.unterminated.unwrap_or_default()));
            all.push((
                "traces.unterminated".into(),
                unterminated,
                traces.unterminated.is_some(),
            ));
            all.extend(
                traces
                    .account_for
                    .as_ref()
                    .map(|revision| ("traces.account-for".into(), text(revision), true)),
            );
            all.push((
                "traces.risk".into(),
                word(format!("{:?}", traces.risk.unwrap_or_default())),
                traces.risk.is_some(),
            ));
            all.extend(
                traces
                    .allow_empty
                    .as_ref()
                    .map(|r| ("traces.allow-empty".into(), text(r), true)),
            );
        }
    }
    if let Some(keys) = &config.keys {
        all.push(("keys.file".into(), text(&keys.file), true));
        all.extend(
            keys.require
                .map(|require| ("keys.require".into(), word(format!("{require:?}")), true)),
        );
    }
    if let Some(tools) = &config.tools {
        let files: Vec<String> = tools.files.iter().map(|file| text(file)).collect();
        all.push((
            "tools.files".into(),
            format!("[{}]", files.join(", ")),
            true,
        ));
    }
    if let Some(policy) = &config.policy {
        all.push(("policy.file".into(), text(&policy.file), true));
        all.extend(
            policy
                .base
                .as_ref()
                .map(|base| ("policy.base".into(), text(base), true)),
        );
        all.extend(
            policy
                .untested
                .as_ref()
                .map(|reason| ("policy.untested".into(), text(reason), true)),
        );
        for (n, accept) in policy.accept.iter().enumerate() {
            let mut members = vec![format!("fingerprint = {}", text(&accept.fingerprint))];
            let expires = accept.expires.as_ref();
            members.extend(expires.map(|date| format!("expires = {}", text(date))));
            members.push(format!("reason = {}", text(&accept.reason)));
            all.push((
                format!("policy.accept[{n}]"),
                format!("{{ {} }}", members.join(", ")),
                true,
            ));
        }
    }
    if let Some(map) = &config.repo_map {
        all.extend(
            map.file
                .as_ref()
                .map(|file| ("repo-map.file".into(), text(file), true)),
        );
        all.extend(map.max_drift.map(|drift| {
            (
                "repo-map.max-drift".into(),
                u8::from(drift).to_string(),
                true,
            )
        }));
        all.extend(
            map.base
                .as_ref()
                .map(|base| ("repo-map.base".into(), text(base), true)),
        );
    }
    all.extend(
        config
            .reports
            .iter()
            .map(|(format, path)| (format!("reports.{format}"), text(path), true)),
    );
    for (code, change) in &config.severity {
        let value = format!(
            "{{ level = {}, reason = {} }}",
            word(format!("{:?}", change.level)),
            text(&change.reason)
        );
        all.push((format!("severity.{code}"), value, true));
    }
    for (n, ignore) in config.ignore.iter().enumerate() {
        let parts = [
            ("code", &ignore.code),
            ("path", &ignore.path),
            ("fingerprint", &ignore.fingerprint),
            ("expires", &ignore.expires),
        ];
        let mut members: Vec<String> = parts
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name} = {}", text(value.as_ref()?))))
            .collect();
        members.push(format!("reason = {}", text(&ignore.reason)));
        all.push((
            format!("ignore[{n}]"),
            format!("{{ {} }}", members.join(", ")),
            true,
        ));
    }
    all.extend(
        config
            .baseline
            .as_ref()
            .map(|b| ("baseline.file".into(), text(&b.file), true)),
    );
    all
}

/// Check the set-up: does everything that the configuration names exist, and can it be read?
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Read this configuration. The default is the nearest one from the current folder upward.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Compare expiry dates with this time (`2027-01-31` or RFC 3339). The default is the current
    /// time.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    now: Option<i64>,
}

impl DoctorArgs {
    /// Runs the checks and prints their results.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let located = locate(self.config.as_deref())?;
        let mut checks = check(&located);
        let now = self.now.or_else(current_time).unwrap_or(i64::MAX);
        checks.extend(expiries(&located.config, now));
        print_prose(Color::Auto, |out| {
            writeln!(
                out,
                "ok       {} can be read",
                terminal(&located.path.to_string_lossy())
            )?;
            for (fine, what) in &checks {
                writeln!(
                    out,
                    "{} {}",
                    if *fine { "ok      " } else { "PROBLEM " },
                    terminal(what)
                )?;
            }
            Ok(())
        })?;
        Ok(if checks.iter().all(|(fine, _)| *fine) {
            EXIT_CLEAN
        } else {
            EXIT_ERROR
        })
    }
}

fn check(located: &LocatedConfig) -> Vec<(bool, String)> {
    let config = &located.config;
    let mut all = Vec::new();
    match &config.traces {
        None => all.push((
            false,
            "[traces] is missing: there is nothing to replay".to_owned(),
        )),
        Some(traces) => {
            for path in &traces.paths {
                let found = match located.traces_under(traces, std::slice::from_ref(path)) {
                    Ok(found) => found,
                    Err(failure) => {
                        all.push((false, failure.to_string()));
                        continue;
                    }
                };
                let (inputs, skipped) = (found.inputs, found.skipped);
                if let Some(sentence) = skipped_sentence(&skipped, skipped.len() as u64) {
                    all.push((
                        false,
                        format!(
                            "traces: {sentence}; the gate asks for [traces] include or exclude"
                        ),
                    ));
                }
                let missing = inputs.iter().filter(|i| i.is_err()).count();
                let may_be_empty = traces.allow_empty.is_some();
                all.push((
                    missing == 0 && (may_be_empty || !inputs.is_empty()),
                    format!(
                        "traces: {} below {path}",
                        if missing > 0 {
                            "can't look".into()
                        } else {
                            format!("{} found", inputs.len())
                        }
                    ),
                ));
            }
        }
    }
    all.extend(revisions(located));
    if let Some(keys) = &config.keys {
        let read = trust_store(&located.root.join(&keys.file));
        all.push((
            read.is_ok(),
            read.map_or_else(
                |e| e.to_string(),
                |_| format!("keys: {} can be read", keys.file),
            ),
        ));
    }
    if let Some(tools) = &config.tools {
        let files: Vec<_> = tools.files.iter().map(|f| located.root.join(f)).collect();
        let read = read_tools(&files);
        all.push((
            read.as_ref().is_ok_and(Option::is_some),
            match read {
                Err(e) => e.to_string(),
                Ok(None) => "tools: no file is named".to_owned(),
                Ok(Some(_)) => format!("tools: {} can be read", tools.files.join(", ")),
            },
        ));
    }
    if let Some(policy) = &config.policy {
        let read = file::text(&located.root.join(&policy.file));
        let said = read.map_err(|e| e.to_string()).and_then(|text| {
            match agent_policy::load_file(&policy.file, &text) {
                Ok(loaded) => Ok(format!(
                    "policy: {} with {} rules",
                    policy.file,
                    loaded.rules.len()
                )),
                Err(problems) => Err(format!(
                    "policy: {} {}",
                    policy.file,
                    problems.first().map_or("", |p| &p.message)
                )),
            }
        });
        all.push((said.is_ok(), said.unwrap_or_else(|problem| problem)));
        let file = located.root.join(&policy.file);
        let is_tested = ENDINGS
            .iter()
            .any(|ending| *ending != REASONS && sibling(&file, ending).is_file());
        if !is_tested && policy.untested.is_none() {
            let missing = "no case is next to it; write NAME.test.yaml, or set [policy] untested";
            all.push((false, format!("policy: {} {missing}", policy.file)));
        }
    }
    if let Some(file) = config.repo_map.as_ref().and_then(|map| map.file.as_ref()) {
        let there = located.root.join(file).is_file();
        all.push((
            there,
            format!(
                "repo map: {file} {}",
                if there { "is there" } else { "isn't there" }
            ),
        ));
    }
    if let Some(baseline) = &config.baseline {
        let read = located
            .material(&baseline.file)
            .and_then(|file| located.read_baseline(&file));
        let said = |b: crate::config::Baseline| match b.len() {
            1 => "baseline: 1 finding known".to_owned(),
            n => format!("baseline: {n} findings known"),
        };
        all.push((read.is_ok(), read.map_or_else(|e| e.to_string(), said)));
    }
    for (format, path) in &config.reports {
        let folder = located
            .root
            .join(path)
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default();
        let there = folder.as_os_str().is_empty() || folder.is_dir();
        let missing = if there {
            ""
        } else {
            ", whose directory is missing"
        };
        let said = format!("reports: {format} goes to {path}{missing}");
        all.push((there, said));
    }
    if let Some(knowledge) = &config.knowledge {
        // Other commands maintain the index, and the gate doesn't use it.
        let missing = knowledge
            .sources()
            .find(|path| !located.root.join(path).exists());
        all.push(match missing {
            Some(path) => (false, format!("knowledge: {path} isn't there")),
            None => (true, "knowledge: all sources are there".to_owned()),
        });
    }
    all
}

/// Checks the expiry dates of entries. The gate skips an expired one.
fn expiries(config: &Config, now: i64) -> impl Iterator<Item = (bool, String)> {
    Expiry::of(config, now).into_iter().map(|entry| {
        let said = if entry.expired {
            "expired on"
        } else {
            "applies with `gate --now` until"
        };
        let Expiry {
            name,
            date,
            expired,
        } = entry;
        (!expired, format!("{name} {said} {date}"))
    })
}

/// Checks whether the named revisions exist.
fn revisions(located: &LocatedConfig) -> Vec<(bool, String)> {
    let folder = if located.root.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &located.root
    };
    let config = &located.config;
    let traces = config.traces.as_ref().and_then(|t| t.account_for.as_ref());
    let policy = config.policy.as_ref().and_then(|p| p.base.as_ref());
    let map = config.repo_map.as_ref().and_then(|m| m.base.as_ref());
    [
        ("account-for", traces),
        ("policy base", policy),
        ("repo map base", map),
    ]
    .into_iter()
    .filter_map(|(name, revision)| Some((name, revision?)))
    .map(|(name, revision)| {
        let there = Repository::discover(folder)
            .and_then(|repository| repository.commit_of_one_name(revision));
        let said = there.as_ref().map_or_else(
            |e| format!("{name}: {e}"),
            |_| format!("{name}: {revision} is there"),
        );
        (there.is_ok(), said)
    })
    .collect()
}
