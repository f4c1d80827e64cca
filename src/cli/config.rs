//! `init`, `config show` and `doctor`: the configuration written, shown and looked after.

use super::file;
use super::gate::{Located, locate, read_baseline};
use super::output::{Color, Failure, print};
use super::replay::trust_store;
use super::{EXIT_CLEAN, EXIT_UNABLE};
use crate::config::{Config, FILE};
use crate::report::terminal;
use crate::source::{Input, open};
use crate::trace::Format;
use crate::verify::skipped_sentence;
use clap::{Args, Subcommand};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// Files that `init` looks at.
const LOOKED_AT: usize = 5_000;

/// Write a commented configuration for the repository here.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Where to write it.
    #[arg(default_value = ".", value_name = "FOLDER")]
    folder: PathBuf,
}

impl InitArgs {
    /// Writes the file, unless there is one.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let path = self.folder.join(FILE);
        if path.exists() {
            return Err(Failure::unable(
                format!("`{}` is there already", path.display()),
                "`yuangs-verify config show` shows it",
            ));
        }
        let found = traces_below(&self.folder);
        std::fs::write(&path, template(&found))
            .map_err(|e| Failure::unable(format!("can't write `{}`: {e}", path.display()), "the folder must exist"))?;
        print(Color::Auto, |out| {
            writeln!(out, "wrote {}", terminal(&path.to_string_lossy()))?;
            match found.len() {
                0 => writeln!(out, "no traces were found: set [traces] paths, then run `yuangs-verify gate`"),
                _ => writeln!(out, "traces: {}\nnext: yuangs-verify gate", terminal(&found.join(", "))),
            }
        })?;
        Ok(EXIT_CLEAN)
    }
}

/// The folders below `root` that hold traces, and traces that lie in `root` itself, as told by their first record.
fn traces_below(root: &Path) -> Vec<String> {
    let mut found = BTreeSet::new();
    let walker = walkdir::WalkDir::new(root).max_depth(5).sort_by_file_name().into_iter().filter_entry(|e| {
        let name = e.file_name().to_string_lossy();
        e.depth() == 0 || !(name.starts_with('.') || name == "target" || name == "node_modules")
    });
    for entry in walker.filter_map(Result::ok).filter(|e| e.file_type().is_file()).take(LOOKED_AT) {
        if is_trace(entry.path())
            && let Ok(below) = entry.path().strip_prefix(root)
        {
            let place = below.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(below);
            found.insert(place.to_string_lossy().replace('\\', "/"));
        }
    }
    let covered =
        |path: &str| found.iter().any(|other| path.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/')));
    found.iter().filter(|p| !covered(p)).cloned().collect()
}

fn is_trace(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    if ![".jsonl", ".json", ".cast"].iter().any(|e| plain.ends_with(e)) {
        return false;
    }
    let mut line = String::new();
    let first =
        open(&Input::File(path.to_path_buf())).and_then(|reader| BufReader::new(reader.take(1 << 20)).read_line(&mut line));
    first.is_ok() && Format::of_record(line.trim(), crate::json::DEFAULT_MAX_DEPTH).is_some()
}

fn template(traces: &[String]) -> String {
    let quoted: Vec<String> = traces.iter().map(|t| toml::Value::String(t.clone()).to_string()).collect();
    let paths = if quoted.is_empty() { "\"traces\"".to_owned() } else { quoted.join(", ") };
    format!(
        "# What `yuangs-verify gate` looks at, and what it lets pass. Paths are relative to this file.
# Whoever can change this file can change the judgement: have it reviewed, or keep it where agents can't write.

# Findings this bad fail the gate: error, warning, note or never.
fail-on = \"error\"

[traces]
# Files and folders (.jsonl, .json, .cast, also .gz and .zst).
paths = [{paths}]
# How the risk of an action is found: v1 understands commands, v0 looks for fragments, off believes the record.
risk = \"v1\"
# allow-empty = \"why there may be no trace at all\"

# Public keys whose signatures count.
# [keys]
# file = \"trust.json\"
# Which decisions must be signed by one of them: human or all.
# require = \"human\"

# Reports to write with every run, besides those of --report.
# [reports]
# sarif = \"out.sarif\"
# html = \"audit.html\"

# A severity that differs from the rule's own: error, warning, note or off. `yuangs-verify rules` lists the rules.
# [severity.YV203]
# level = \"note\"
# reason = \"our runtime is stopped from outside\"

# A finding that is let pass: by code or fingerprint, and path; until the end of a day.
# [[ignore]]
# code = \"YV208\"
# path = \"traces/2024-*.jsonl\"
# reason = \"the clock of the old machine\"
# expires = \"2027-01-31\"

# Findings that were there before (`yuangs-verify gate --write-baseline baseline.json`).
# [baseline]
# file = \"baseline.json\"

# What `yuangs-verify knowledge reindex` reads; what isn't named isn't read.
# [knowledge]
# traces = [{paths}]
# documents = [\"README.md\", \"docs\"]
"
    )
}

/// The configuration.
#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Print what is in force, and where it comes from.
    Show {
        /// The configuration; without it the nearest one from the current folder upward.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
}

impl ConfigCommand {
    /// Prints.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let Self::Show { config } = self;
        let located = locate(config.as_deref())?;
        print(Color::Auto, |out| {
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

/// Keys with their values as TOML, and whether the file sets them.
fn in_force(config: &Config) -> Vec<(String, String, bool)> {
    let text = |value: &str| toml::Value::String(value.to_owned()).to_string();
    let word = |value: String| text(&value.to_lowercase());
    let mut all =
        vec![("fail-on".to_owned(), word(config.fail_on.map_or("error".into(), |t| format!("{t:?}"))), config.fail_on.is_some())];
    match &config.traces {
        None => all.push(("traces.paths".into(), "[]".into(), false)),
        Some(traces) => {
            let paths: Vec<String> = traces.paths.iter().map(|p| text(p)).collect();
            all.push(("traces.paths".into(), format!("[{}]", paths.join(", ")), true));
            all.push(("traces.risk".into(), word(format!("{:?}", traces.risk.unwrap_or_default())), traces.risk.is_some()));
            all.extend(traces.allow_empty.as_ref().map(|r| ("traces.allow-empty".into(), text(r), true)));
        }
    }
    if let Some(keys) = &config.keys {
        all.push(("keys.file".into(), text(&keys.file), true));
        all.extend(keys.require.map(|require| ("keys.require".into(), word(format!("{require:?}")), true)));
    }
    if let Some(policy) = &config.policy {
        all.push(("policy.file".into(), text(&policy.file), true));
        all.extend(policy.base.as_ref().map(|base| ("policy.base".into(), text(base), true)));
        all.extend(policy.untested.as_ref().map(|reason| ("policy.untested".into(), text(reason), true)));
    }
    if let Some(map) = &config.repo_map {
        all.extend(map.file.as_ref().map(|file| ("repo-map.file".into(), text(file), true)));
        all.extend(map.base.as_ref().map(|base| ("repo-map.base".into(), text(base), true)));
    }
    all.extend(config.reports.iter().map(|(format, path)| (format!("reports.{format}"), text(path), true)));
    for (code, change) in &config.severity {
        let value = format!("{{ level = {}, reason = {} }}", word(format!("{:?}", change.level)), text(&change.reason));
        all.push((format!("severity.{code}"), value, true));
    }
    for (n, ignore) in config.ignore.iter().enumerate() {
        let parts =
            [("code", &ignore.code), ("path", &ignore.path), ("fingerprint", &ignore.fingerprint), ("expires", &ignore.expires)];
        let mut members: Vec<String> =
            parts.into_iter().filter_map(|(name, value)| Some(format!("{name} = {}", text(value.as_ref()?)))).collect();
        members.push(format!("reason = {}", text(&ignore.reason)));
        all.push((format!("ignore[{n}]"), format!("{{ {} }}", members.join(", ")), true));
    }
    all.extend(config.baseline.as_ref().map(|b| ("baseline.file".into(), text(&b.file), true)));
    all
}

/// Check the set-up: does everything that the configuration names exist, and can it be read?
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// The configuration; without it the nearest one from the current folder upward.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl DoctorArgs {
    /// Looks and tells.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let located = locate(self.config.as_deref())?;
        let checks = check(&located);
        print(Color::Auto, |out| {
            writeln!(out, "ok       {} can be read", terminal(&located.path.to_string_lossy()))?;
            for (fine, what) in &checks {
                writeln!(out, "{} {}", if *fine { "ok      " } else { "PROBLEM " }, terminal(what))?;
            }
            Ok(())
        })?;
        Ok(if checks.iter().all(|(fine, _)| *fine) { EXIT_CLEAN } else { EXIT_UNABLE })
    }
}

fn check(located: &Located) -> Vec<(bool, String)> {
    let config = &located.config;
    let mut all = Vec::new();
    match &config.traces {
        None => all.push((false, "[traces] is missing: there is nothing to replay".to_owned())),
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
                    all.push((false, format!("traces: {sentence}; the gate asks for [traces] include or exclude")));
                }
                let missing = inputs.iter().filter(|i| i.is_err()).count();
                let may_be_empty = traces.allow_empty.is_some();
                all.push((
                    missing == 0 && (may_be_empty || !inputs.is_empty()),
                    format!(
                        "traces: {} below {path}",
                        if missing > 0 { "can't look".into() } else { format!("{} found", inputs.len()) }
                    ),
                ));
            }
        }
    }
    if let Some(keys) = &config.keys {
        let read = trust_store(&located.root.join(&keys.file));
        all.push((read.is_ok(), read.map_or_else(|e| e.to_string(), |_| format!("keys: {} can be read", keys.file))));
    }
    if let Some(policy) = &config.policy {
        let read = file::text(&located.root.join(&policy.file));
        let said = read.map_err(|e| e.to_string()).and_then(|text| match crate::policy::load(&policy.file, &text) {
            Ok(loaded) => Ok(format!("policy: {} with {} rules", policy.file, loaded.rules.len())),
            Err(problems) => Err(format!("policy: {} {}", policy.file, problems.first().map_or("", |p| &p.message))),
        });
        all.push((said.is_ok(), said.unwrap_or_else(|problem| problem)));
    }
    if let Some(file) = config.repo_map.as_ref().and_then(|map| map.file.as_ref()) {
        let there = located.root.join(file).is_file();
        all.push((there, format!("repo map: {file} {}", if there { "is there" } else { "isn't there" })));
    }
    if let Some(baseline) = &config.baseline {
        let read = located.material(&baseline.file).and_then(|file| read_baseline(located, &file));
        let said = |b: crate::config::Baseline| format!("baseline: {} findings known", b.len());
        all.push((read.is_ok(), read.map_or_else(|e| e.to_string(), said)));
    }
    for (format, path) in &config.reports {
        let folder = located.root.join(path).parent().map(Path::to_path_buf).unwrap_or_default();
        let there = folder.as_os_str().is_empty() || folder.is_dir();
        let known = crate::report::Format::parse(format).is_some();
        all.push((there && known, format!("reports: {format} goes to {path}")));
    }
    for name in config.not_run() {
        all.push((false, format!("[{name}] is configured, and the gate doesn't run it")));
    }
    all
}
