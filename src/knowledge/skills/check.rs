//! Checks skills against traces: declared permissions (YV912), trial limits (YV913) and budgets
//! (YV914).

use super::budget::{Budget, Spent, Who};
use super::effects::{Access, accesses, named, runs, tool};
use super::estimate::Estimates;
use super::permission::{Allowed, Paths};
use super::templates::Templates;
use crate::diag::{Finding, Severity, assign_fingerprints};
use crate::knowledge::KnowledgeError;
use crate::knowledge::extract::{RecordedAction, Turn, each_turn};
use crate::knowledge::source_config::{SourceKind, Sources, finding};
use crate::manifest::{
    Kind, Metadata, Permission, Permissions, SkillManifest, Tool, Trial, TrialMode, misspelled,
};
use crate::source::{Found, Missing};
use crate::trace::identity::Identity;
use crate::verify::{Options, Report};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The declarations of all skills.
#[derive(Debug, Default)]
pub struct Declarations {
    by_name: BTreeMap<String, Vec<Declared>>,
    /// Skills with a manifest of tools only.
    named: BTreeSet<String>,
    /// The permissions of tools, by name.
    tools: BTreeMap<String, Vec<Allowed>>,
    /// Manifests that can't be read; `validate` says why.
    pub unreadable: Vec<String>,
    /// Names of permissions that no template has, with the manifest.
    nameless: Vec<(String, String)>,
}

#[derive(Debug)]
struct Declared {
    version: String,
    allowed: Option<Allowed>,
    trial: Option<(Trial, Paths)>,
    /// Estimated cost of one use.
    estimate: Option<f64>,
}

/// Maximum number of manifests with the same name. Nobody keeps more versions of a skill.
const VERSIONS: usize = 100;

/// The name of a skill, and the tools of its manifest with their permissions.
type Tools = (Option<String>, Vec<(String, Option<Vec<Permission>>)>);

/// Reads a manifest. One with a misspelled member isn't read: what it declares there would be
/// ignored.
fn manifest<T: DeserializeOwned>(kind: Kind, bytes: &[u8]) -> Option<T> {
    let read = serde_json::from_slice(bytes).ok()?;
    let value = serde_json::from_slice(bytes).ok()?;
    misspelled(kind, &value).is_empty().then_some(read)
}

fn tools(kind: Kind, bytes: &[u8]) -> Option<Tools> {
    let each = |tool: Tool| (tool.name, tool.permissions);
    match kind {
        Kind::Skill => {
            let manifest: SkillManifest = manifest(kind, bytes)?;
            Some((
                Some(manifest.name),
                manifest.tools.into_iter().map(|t| each(t.tool)).collect(),
            ))
        }
        Kind::Tool => Some((None, vec![each(manifest(kind, bytes)?)])),
        Kind::Tools => Some((
            None,
            manifest::<Vec<Tool>>(kind, bytes)?
                .into_iter()
                .map(each)
                .collect(),
        )),
        _ => None,
    }
}

/// Returns a name in the form in which people read it, so that no other spelling of it has a budget
/// of its own.
fn alike(name: &str) -> String {
    Identity::of(name).seen().to_owned()
}

fn with_globs(trial: &Trial) -> (Trial, Paths) {
    (
        trial.clone(),
        Paths::of(trial.globs().unwrap_or_default().iter().map(String::as_str)),
    )
}

impl Declarations {
    /// Reads the metadata of the skills among the sources, with the tools next to it. The templates
    /// resolve permissions that are names.
    ///
    /// # Errors
    /// When a source leads out of the root.
    pub fn read(sources: &Sources, templates: &Templates) -> Result<Self, KnowledgeError> {
        let paths = sources
            .paths
            .iter()
            .filter(|(kind, _)| *kind == SourceKind::Skills)
            .cloned()
            .collect();
        let listing = Sources {
            root: sources.root.clone(),
            paths,
            ..Sources::default()
        }
        .list()?;
        let mut all = Self::default();
        all.unreadable
            .extend(listing.findings.iter().map(|f| f.place.file.to_string()));
        for file in listing
            .files
            .iter()
            .filter(|f| !f.is_lines() && !f.is_skill_set())
        {
            let bytes = std::fs::read(&file.path).ok();
            // A library or a queue declares no permissions.
            let is_list = |bytes: &Vec<u8>| bytes.trim_ascii_start().starts_with(b"[");
            if !file.name.ends_with("meta.json") && bytes.as_ref().is_some_and(is_list) {
                continue;
            }
            let read = bytes.and_then(|bytes| manifest::<Metadata>(Kind::Metadata, &bytes));
            let Some(meta) = read else {
                all.unreadable.push(file.name.clone());
                continue;
            };
            let allowed = match meta.permissions {
                None => None,
                Some(Permissions::Listed(list)) => Some(Allowed::of(&list)),
                Some(Permissions::Named(name)) => {
                    let found = templates.get(&name).map(Allowed::of);
                    if found.is_none() {
                        all.nameless.push((file.name.clone(), name));
                    }
                    found
                }
            };
            let declared = Declared {
                version: meta.version,
                allowed,
                trial: meta.trial.as_ref().map(with_globs),
                estimate: meta.cost_estimate,
            };
            all.by_name.entry(meta.name).or_default().push(declared);
        }
        let kind = |path: &Path| Kind::by_name(&path.to_string_lossy());
        let holds_tools =
            |path: &Path| matches!(kind(path), Some(Kind::Skill | Kind::Tool | Kind::Tools));
        for (name, path) in sources.below_skills(&holds_tools)? {
            let read = std::fs::read(&path).ok();
            let Some((skill, found)) = kind(&path)
                .zip(read)
                .and_then(|(kind, bytes)| tools(kind, &bytes))
            else {
                all.unreadable.push(name);
                continue;
            };
            all.named.extend(skill);
            for (tool, permissions) in found {
                let Some(permissions) = permissions else {
                    continue;
                };
                let same = all.tools.entry(tool).or_default();
                if same.len() < VERSIONS {
                    same.push(Allowed::of(&permissions));
                }
            }
        }
        Ok(all)
    }

    /// Whether skills are declared, but not this one.
    fn lacks(&self, skill: &str, version: &str) -> bool {
        !self.by_name.is_empty()
            && !self.named.contains(skill)
            && self.of(skill, version).next().is_none()
    }

    /// Returns the declarations that apply to a use: those of its version, or all of them when it
    /// names none. Each of them must allow the use.
    fn of<'d>(&'d self, skill: &str, version: &str) -> impl Iterator<Item = &'d Declared> {
        let fits = move |d: &&Declared| version.is_empty() || d.version == version;
        let fitting: Vec<&Declared> = self
            .by_name
            .get(skill)
            .into_iter()
            .flatten()
            .filter(fits)
            .take(VERSIONS)
            .collect();
        fitting.into_iter()
    }
}

/// The rules that traces are checked against.
#[derive(Debug)]
pub struct Question<'q> {
    pub declarations: &'q Declarations,
    /// The limits on cost and use.
    pub budget: &'q Budget,
    /// The limits of each agent.
    pub agent_budget: &'q Budget,
    /// The trial that applies to every turn, whatever is declared.
    pub trial: Option<&'q Trial>,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct SkillCheckReport {
    pub turns: u64,
    pub uses: u64,
    /// Number of skill uses and tool calls with declared permissions.
    pub declared: u64,
    /// Number of uses checked against a trial, and of turns if one was given.
    pub tried: u64,
    /// Number of uses with a recorded cost and an estimated one.
    pub estimated: u64,
    /// Number of uses and turns that record something of what is limited.
    pub limited: u64,
    /// Number of uses and turns without recorded tokens, where these are limited.
    pub tokenless: u64,
    /// Number of uses without a recorded cost.
    pub costless: u64,
    /// Number of uses without a recorded, plausible duration.
    pub untimed: u64,
    /// Used skills without a declaration, with the number of uses. These are checked only against
    /// limits and a given trial.
    pub undeclared: BTreeMap<String, u64>,
    /// The findings, in the order of the inputs.
    pub findings: Vec<Finding>,
    /// Findings about input that couldn't be read.
    pub report: Report,
}

/// The key for merging findings: input, code, severity, message.
type Key = (String, u16, Severity, String);

/// The first place of a finding, and the number of occurrences.
struct FirstPlace {
    line: u64,
    execution: String,
    turn: Option<i64>,
    times: u64,
}

#[derive(Default)]
struct FindingCollector {
    all: BTreeMap<Key, FirstPlace>,
}

/// Maximum number of findings that are kept.
const MOST: usize = 10_000;

impl FindingCollector {
    fn add(
        &mut self,
        file: &str,
        execution: &str,
        turn: &Turn,
        code: u16,
        severity: Severity,
        message: String,
    ) {
        let key = (file.to_owned(), code, severity, message);
        if let Some(at) = self.all.get_mut(&key) {
            at.times += 1;
        } else if self.all.len() < MOST {
            self.all.insert(
                key,
                FirstPlace {
                    line: turn.lines.0,
                    execution: execution.to_owned(),
                    turn: turn.number,
                    times: 1,
                },
            );
        }
    }
}

/// Checks the turns of traces against declarations, trials and limits.
#[must_use]
pub fn check(question: &Question<'_>, inputs: &[Result<Found, Missing>]) -> SkillCheckReport {
    let mut checked = SkillCheckReport::default();
    let mut found = FindingCollector::default();
    let mut spent = Spent::default();
    let mut spent_by_agents = Spent::default();
    let mut estimates = Estimates::default();
    let given = question.trial.map(with_globs);
    let report = each_turn(inputs, &Options::default(), &mut |file, execution, turn| {
        checked.turns += 1;
        let done: BTreeSet<Access> = turn.performed.iter().flat_map(accesses).collect();
        if let Some(trial) = &given {
            checked.tried += 1;
            for (severity, why) in breaches(trial, &turn, &done) {
                found.add(
                    file,
                    execution,
                    &turn,
                    913,
                    severity,
                    format!("a turn of a trial {why}"),
                );
            }
        }
        for (called, allowed, deed) in calls(question.declarations, &turn) {
            checked.declared += 1;
            for (severity, did) in uncovered(allowed, deed, &turn) {
                let message = format!(
                    "a call of the tool `{called}` {did}, which its permissions don't cover"
                );
                found.add(file, execution, &turn, 912, severity, message);
            }
        }
        if !question.agent_budget.is_empty() {
            let mut agents: BTreeMap<String, String> = BTreeMap::new();
            for agent in &turn.agents {
                let shown = format!("the agent `{agent}`");
                agents.entry(alike(agent)).or_insert(shown);
            }
            if agents.is_empty() {
                // They may all be one.
                agents.insert(String::new(), "an agent that isn't recorded".to_owned());
            }
            checked.tokenless +=
                u64::from(question.agent_budget.limits_tokens() && turn.tokens.is_none());
            for (key, shown) in &agents {
                let spent = &mut spent_by_agents;
                let who = Who { key, shown };
                checked.limited +=
                    u64::from(spent.take(question.agent_budget, file, execution, who, &turn));
            }
        }
        for (skill, version) in &turn.skills {
            checked.uses += 1;
            let named = if version.is_empty() {
                skill.clone()
            } else {
                format!("{skill} {version}")
            };
            if question.declarations.lacks(skill, version) {
                *checked.undeclared.entry(named.clone()).or_default() += 1;
            }
            for declared in question.declarations.of(skill, version) {
                if let Some(allowed) = &declared.allowed {
                    checked.declared += 1;
                    for access in done.iter().filter(|t| !allowed.covers(t)) {
                        let message = format!(
                            "a use of `{named}` {}, which its permissions don't cover",
                            access.words()
                        );
                        found.add(file, execution, &turn, 912, Severity::Error, message);
                    }
                }
                if let Some(estimate) = declared.estimate {
                    checked.estimated += u64::from(estimates.take(
                        (skill, &declared.version),
                        estimate,
                        (file, execution),
                        &turn,
                    ));
                }
                if let Some(trial) = declared.trial.as_ref().filter(|_| given.is_none()) {
                    checked.tried += 1;
                    for (severity, why) in breaches(trial, &turn, &done) {
                        found.add(
                            file,
                            execution,
                            &turn,
                            913,
                            severity,
                            format!("a use of `{named}`, which is on trial, {why}"),
                        );
                    }
                }
            }
            let took = turn.duration.filter(|ms| ms.is_finite() && *ms >= 0.0);
            checked.untimed += u64::from(took.is_none() || turn.untimed);
            checked.costless += u64::from(turn.cost.is_none() || turn.costless);
            checked.tokenless +=
                u64::from(question.budget.limits_tokens() && turn.tokens.is_none());
            let who = Who {
                key: &alike(skill),
                shown: &format!("`{skill}`"),
            };
            checked.limited += u64::from(spent.take(question.budget, file, execution, who, &turn));
        }
    });
    for ((file, code, severity, message), at) in found.all {
        let times = if at.times > 1 {
            format!(" ({} times in this input)", at.times)
        } else {
            String::new()
        };
        let mut finding = finding(code, &file, at.line, format!("{message}{times}"));
        finding.severity = severity;
        finding.execution = Some(at.execution.as_str().into());
        finding.turn = at.turn;
        checked.findings.push(finding);
    }
    checked.findings.extend(spent.findings(question.budget));
    checked
        .findings
        .extend(spent_by_agents.findings(question.agent_budget));
    checked.findings.extend(estimates.findings());
    for (file, name) in &question.declarations.nameless {
        let message = format!(
            "no template of [knowledge] permissions is called `{name}`: nothing is compared with these permissions"
        );
        checked.findings.push(finding(901, file, 1, message));
    }
    for finding in &mut checked.findings {
        report.secrets.clean(&mut finding.message);
    }
    checked.findings.sort_by_cached_key(Finding::order);
    assign_fingerprints(&mut checked.findings);
    checked.report = report;
    checked
}

/// Returns the calls of a turn to tools with declared permissions. If a tool is declared twice,
/// both declarations must allow the call.
fn calls<'a>(
    declarations: &'a Declarations,
    turn: &'a Turn,
) -> Vec<(String, &'a Allowed, &'a RecordedAction)> {
    let mut all = Vec::new();
    for deed in &turn.performed {
        let Some(name) = tool(deed) else { continue };
        let declared = declarations.tools.get(&name).into_iter().flatten();
        all.extend(declared.map(|allowed| (name.clone(), allowed, deed)));
    }
    all
}

/// Describes what a call did beyond the permissions of its tool. Effects known only to the tool's
/// own code can't be proved and give a warning.
fn uncovered(allowed: &Allowed, deed: &RecordedAction, turn: &Turn) -> Vec<(Severity, String)> {
    let mut all: Vec<(Severity, String)> = accesses(deed)
        .iter()
        .filter(|access| !allowed.covers(access))
        .map(|access| {
            (
                if matches!(access, Access::Anything(_)) {
                    Severity::Warning
                } else {
                    Severity::Error
                },
                access.words(),
            )
        })
        .collect();
    // Observed changes belong to the call only if nothing else was executed in the turn.
    if turn.performed.len() == 1 {
        let changed = turn
            .observed
            .iter()
            .filter(|path| !allowed.covers(&Access::Write(Some((*path).clone()))));
        all.extend(changed.map(|path| (Severity::Error, format!("was seen to change `{path}`"))));
    }
    all
}

/// Returns what a turn did that its trial forbids, or that can't be verified.
fn breaches(
    (trial, paths): &(Trial, Paths),
    turn: &Turn,
    done: &BTreeSet<Access>,
) -> Vec<(Severity, String)> {
    let error = |why: String| (Severity::Error, why);
    let open = |why: String| (Severity::Warning, why);
    let ran = turn.performed.iter().find(|deed| runs(deed));
    // A simulation that changed something wasn't one.
    let simulated = turn.simulated == Some(true) && turn.observed.is_empty();
    let mut all = Vec::new();
    match trial.mode {
        TrialMode::Full | TrialMode::Limited => {}
        TrialMode::DryRun => {
            all.extend(
                ran.filter(|_| !simulated)
                    .map(|deed| error(format!("ran `{}`: in a dry run nothing runs", named(deed)))),
            );
            if simulated {
                // Nothing ran that could have effects.
                return within_time(trial, turn, ran.is_some());
            }
        }
        TrialMode::ReadOnly => {
            for access in done {
                match access {
                    Access::Read(_) | Access::Program(..) => {}
                    Access::Network(_) if trial.network_allowed.is_some() => {}
                    Access::Network(_) => all.push(error(format!(
                        "{}: it isn't known what that changes there",
                        access.words()
                    ))),
                    Access::Write(_) | Access::Project(..) | Access::Anything(_) => {
                        all.push(error(format!("{}: it was to read only", access.words())));
                    }
                }
            }
            all.extend(
                turn.observed
                    .first()
                    .map(|path| error(format!("was seen to change `{path}`: it was to read only"))),
            );
        }
    }
    all.extend(within_time(trial, turn, ran.is_some()));
    if trial.network_allowed == Some(false) {
        for access in done {
            match access {
                Access::Network(_) => {
                    all.push(error(format!("{}: it has no network", access.words())));
                }
                Access::Anything(_) => all.push(error(format!(
                    "{}, also use the network, which it hasn't",
                    access.words()
                ))),
                Access::Project(..) => all.push(open(format!(
                    "{}: whether that used the network can't be determined",
                    access.words()
                ))),
                Access::Read(_) | Access::Write(_) | Access::Program(..) => {}
            }
        }
    }
    if trial.globs().is_some() {
        within(paths, turn, done, &mut all);
    }
    all
}

/// Checks the limits of time and memory, which apply in every mode.
fn within_time(trial: &Trial, turn: &Turn, ran: bool) -> Vec<(Severity, String)> {
    let measures = [
        (trial.most_ms(), turn.duration, "ms"),
        (trial.most_bytes(), turn.memory, "bytes of memory"),
    ];
    let mut all = Vec::new();
    for (most, took, unit) in measures {
        match (most, took) {
            // A negative value wasn't measured, so the true value is unknown.
            (Some(_), Some(took)) if took.is_nan() || took < 0.0 => all.push((
                Severity::Error,
                format!("has a recorded value of {took} {unit}, which is impossible"),
            )),
            (Some(most), Some(took)) if took > most => {
                all.push((
                    Severity::Error,
                    format!("took {took} {unit}, at most {most}"),
                ));
            }
            (Some(_), None) if ran => all.push((
                Severity::Warning,
                format!("doesn't record how many {unit} it took"),
            )),
            _ => {}
        }
    }
    all
}

/// Checks that the effects stay within the given paths.
fn within(paths: &Paths, turn: &Turn, done: &BTreeSet<Access>, all: &mut Vec<(Severity, String)>) {
    for access in done {
        match access {
            Access::Read(path) | Access::Write(path) => {
                if !path.as_ref().is_some_and(|p| paths.is_match(p)) {
                    all.push((
                        Severity::Error,
                        format!("{}, which lies outside its paths", access.words()),
                    ));
                }
            }
            Access::Project(..) => {
                all.push((
                    Severity::Warning,
                    format!(
                        "{}: whether that stayed within its paths can't be determined",
                        access.words()
                    ),
                ));
            }
            Access::Anything(_) => all.push((
                Severity::Error,
                format!("{}, also outside its paths", access.words()),
            )),
            Access::Network(_) | Access::Program(..) => {}
        }
    }
    for path in turn.observed.iter().filter(|p| !paths.is_match(p)) {
        all.push((
            Severity::Error,
            format!("was seen to change `{path}`, which lies outside its paths"),
        ));
    }
}
