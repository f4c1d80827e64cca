//! Parses the configuration and reports all errors in one run.

use super::error::{ConfigError, ConfigErrors, ConfigProblem, nearest};
use super::{Accept, Config, Ignore, Traces, apply, day_end, files};
use crate::diag::Code;
use crate::features::Feature;
use crate::report::Format as ReportFormat;
use crate::rules;
use crate::trace::Format;
use crate::trace::entry::places_in;
use serde::Deserialize as _;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, Deserializer};

/// Maximum number of collected errors. Each one costs a pass over the file.
const MOST: usize = 50;

type Table<'t> = Spanned<DeTable<'t>>;
type Problems = Vec<(Range<usize>, ConfigError)>;

/// Parses and checks a configuration.
pub(super) fn read(file: &str, text: &str) -> Result<Config, ConfigErrors> {
    let (config, mut problems) = collect(text);
    problems.sort_by_key(|(span, _)| span.start);
    problems.truncate(MOST);
    match config {
        Some(config) if problems.is_empty() => Ok(config),
        _ => {
            let place = places_in(file, text);
            let problems = problems.into_iter().map(|(span, error)| ConfigProblem {
                error,
                place: place(&span),
            });
            Err(ConfigErrors(problems.collect()))
        }
    }
}

/// Parses what is valid and collects the errors.
fn collect(text: &str) -> (Option<Config>, Problems) {
    let of = |error: &toml::de::Error| {
        (
            error.span().unwrap_or_default(),
            ConfigError::from_toml(error),
        )
    };
    let (mut table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        // Keys of a text that isn't valid TOML can't be checked reliably.
        return (None, errors.iter().map(of).collect());
    }
    let mut problems = Problems::new();
    let mut removed = Vec::new();
    let mut filled = Vec::new();
    // The reader stops at the first error, so that part is removed or filled in before the next
    // attempt.
    while problems.len() < MOST {
        let error = match Config::deserialize(Deserializer::from(table.clone())) {
            Ok(config) => {
                check(&config, &Places(&table), &mut problems);
                return (Some(config), problems);
            }
            Err(error) => error,
        };
        let (span, problem) = of(&error);
        let missing = error
            .message()
            .strip_prefix("missing field `")
            .and_then(|rest| rest.strip_suffix('`'));
        let at = missing.map(|key| (span.clone(), key.to_owned()));
        // A key that was removed because of its wrong value isn't missing.
        if at.as_ref().is_none_or(|at| !removed.contains(at)) {
            problems.push((span.clone(), problem));
        }
        let around = table.span();
        match at.filter(|at| !filled.contains(at)) {
            Some(at) if fill(table.get_mut(), &at) => filled.push(at),
            _ => match remove(table.get_mut(), &around, &span) {
                Some(gone) => removed.push(gone),
                None => break,
            },
        }
    }
    (None, problems)
}

/// The span of a table and the name of a key in it.
type Missing = (Range<usize>, String);

/// Adds a value for a required key, so that the rest of the table can be read.
fn fill(table: &mut DeTable<'_>, missing: &Missing) -> bool {
    table
        .iter_mut()
        .any(|(_, value)| fill_below(value, missing))
}

fn fill_below(value: &mut Spanned<DeValue<'_>>, missing: &Missing) -> bool {
    let (span, key) = missing;
    let is_here = value.span() == *span;
    match value.get_mut() {
        DeValue::Table(table) if is_here => {
            // `paths` is the only required list. `off` is valid as a level, a reason and a path.
            let value = match key.as_str() {
                "paths" => DeValue::Array(DeArray::new()),
                _ => DeValue::String("off".into()),
            };
            let key = Spanned::new(span.clone(), key.clone().into());
            table.insert(key, Spanned::new(span.clone(), value));
            true
        }
        DeValue::Table(table) => fill(table, missing),
        DeValue::Array(array) => array.iter_mut().any(|item| fill_below(item, missing)),
        _ => false,
    }
}

/// Removes the innermost key or value with this span.
fn remove(table: &mut DeTable<'_>, around: &Range<usize>, span: &Range<usize>) -> Option<Missing> {
    // The span of an array of tables is that of its first table, so the tables are searched first.
    let below = table
        .iter_mut()
        .find_map(|(_, value)| remove_below(value, span));
    if below.is_some() {
        return below;
    }
    let key = table
        .iter()
        .find(|(key, value)| key.span() == *span || value.span() == *span)
        .map(|(key, _)| key.get_ref().to_string())?;
    table.remove(key.as_str());
    Some((around.clone(), key))
}

fn remove_below(value: &mut Spanned<DeValue<'_>>, span: &Range<usize>) -> Option<Missing> {
    let around = value.span();
    match value.get_mut() {
        DeValue::Table(table) => remove(table, &around, span),
        DeValue::Array(array) => {
            let below = array.iter_mut().find_map(|item| remove_below(item, span));
            if below.is_some() {
                return below;
            }
            let index = array.iter().position(|item| item.span() == *span)?;
            let kept = array.iter().enumerate().filter(|(i, _)| *i != index);
            *array = kept.map(|(_, item)| item.clone()).collect();
            Some((around, String::new()))
        }
        _ => None,
    }
}

/// Looks up the spans of keys and values.
struct Places<'t>(&'t Table<'t>);

impl Places<'_> {
    /// Returns the spans of a key and its value, or of the nearest ancestor that is present. The
    /// keys of array entries are their indexes.
    fn find(&self, path: &[&str]) -> (Range<usize>, Range<usize>) {
        let mut found = (self.0.span(), self.0.span());
        let mut table = Some(self.0.get_ref());
        let mut array = None;
        for name in path {
            let value = if let Some((key, value)) = table.and_then(|t| t.get_key_value(*name)) {
                found = (key.span(), value.span());
                value
            } else {
                let index = name.parse::<usize>().ok();
                let entry: Option<&Spanned<DeValue<'_>>> =
                    array.and_then(|a: &DeArray<'_>| a.get(index?));
                let Some(value) = entry else {
                    return found;
                };
                found = (value.span(), value.span());
                value
            };
            table = value.get_ref().as_table();
            array = value.get_ref().as_array();
        }
        found
    }

    fn key(&self, path: &[&str]) -> Range<usize> {
        self.find(path).0
    }

    fn value(&self, path: &[&str]) -> Range<usize> {
        self.find(path).1
    }
}

/// Checks the values of a configuration.
fn check(config: &Config, places: &Places<'_>, problems: &mut Problems) {
    let mut codes = BTreeMap::new();
    for (code, change) in &config.severity {
        let key = || places.key(&["severity", code]);
        match known(code) {
            Err(error) => problems.push((key(), error)),
            Ok(known) => {
                if let Some(other) = codes.insert(known, code) {
                    let error = ConfigError::Twice {
                        name: format!("severity.{other}"),
                        other: format!("severity.{code}"),
                    };
                    problems.push((key(), error));
                }
            }
        }
        let path = ["severity", code, "reason"];
        check_reason(&path, &change.reason, places, problems);
    }
    for (n, ignore) in config.ignore.iter().enumerate() {
        check_ignore(&n.to_string(), ignore, places, problems);
    }
    for (name, path) in &config.reports {
        // The file may come from a pull request, so it must not name arbitrary files to overwrite.
        let below = Path::new(path)
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if path.is_empty() || path == "-" || !below {
            let (name, path) = (name.clone(), path.clone());
            let span = places.value(&["reports", &name]);
            problems.push((span, ConfigError::ReportPath { name, path }));
        }
        if ReportFormat::parse(name).is_none() {
            let known = ReportFormat::ALL.iter().map(|format| format.name());
            let nearest = nearest(name, known);
            let name = name.clone();
            let span = places.key(&["reports", &name]);
            problems.push((span, ConfigError::UnknownReport { name, nearest }));
        }
    }
    if let Some(traces) = &config.traces {
        check_traces(traces, places, problems);
    }
    if let Some(reason) = config.policy.as_ref().and_then(|p| p.untested.as_ref()) {
        check_reason(&["policy", "untested"], reason, places, problems);
    }
    let accept = config.policy.iter().flat_map(|policy| &policy.accept);
    for (n, accept) in accept.enumerate() {
        check_accept(&n.to_string(), accept, places, problems);
    }
    check_features(config, places, problems);
}

fn check_ignore(n: &str, ignore: &Ignore, places: &Places<'_>, problems: &mut Problems) {
    check_reason(&["ignore", n, "reason"], &ignore.reason, places, problems);
    if let Some(Err(error)) = ignore.code.as_deref().map(known) {
        problems.push((places.value(&["ignore", n, "code"]), error));
    }
    let name = || "[[ignore]]".to_owned();
    if ignore.code.is_none() && ignore.fingerprint.is_none() {
        let error = ConfigError::TooWide { name: name() };
        problems.push((places.key(&["ignore", n]), error));
    }
    if let Some(Err(why)) = ignore.path.as_deref().map(apply::glob) {
        let error = ConfigError::Glob { name: name(), why };
        problems.push((places.value(&["ignore", n, "path"]), error));
    }
    check_date(
        "[[ignore]]",
        &["ignore", n, "expires"],
        ignore.expires.as_ref(),
        places,
        problems,
    );
}

fn check_accept(n: &str, accept: &Accept, places: &Places<'_>, problems: &mut Problems) {
    let path = |key| ["policy", "accept", n, key];
    check_reason(&path("reason"), &accept.reason, places, problems);
    check_date(
        "[[policy.accept]]",
        &path("expires"),
        accept.expires.as_ref(),
        places,
        problems,
    );
}

/// Checks the expiry date of an entry.
fn check_date(
    name: &str,
    path: &[&str],
    date: Option<&String>,
    places: &Places<'_>,
    problems: &mut Problems,
) {
    if let Some(date) = date.filter(|date| day_end(date).is_none()) {
        let error = ConfigError::Date {
            name: name.to_owned(),
            date: date.clone(),
        };
        problems.push((places.value(path), error));
    }
}

fn check_traces(traces: &Traces, places: &Places<'_>, problems: &mut Problems) {
    if let Some(reason) = &traces.allow_empty {
        check_reason(&["traces", "allow-empty"], reason, places, problems);
    }
    let include = traces.include.iter().flatten().enumerate();
    let exclude = traces.exclude.iter().enumerate();
    let globs = include
        .map(|glob| ("include", glob))
        .chain(exclude.map(|glob| ("exclude", glob)));
    for (key, (n, glob)) in globs {
        if let Err(error) = files::compile(key, glob) {
            problems.push((places.value(&["traces", key, &n.to_string()]), error));
        }
    }
    for (n, format) in traces.formats.iter().flatten().enumerate() {
        if Format::parse(format).is_none() {
            let known = Format::ALL.iter().map(|f| f.name());
            let error = ConfigError::UnknownFormat {
                name: format.clone(),
                nearest: nearest(format, known),
            };
            problems.push((places.value(&["traces", "formats", &n.to_string()]), error));
        }
    }
}

/// Checks that this build contains the features that the configuration needs.
fn check_features(config: &Config, places: &Places<'_>, problems: &mut Problems) {
    let knowledge = config.knowledge.as_ref();
    let code = knowledge.is_some_and(|k| !k.repomap.is_empty());
    let model = knowledge.is_some_and(|k| k.model.is_some());
    let wanted: [(bool, &'static str, &[&str], Feature); 4] = [
        (
            config.repo_map.is_some(),
            "[repo-map]",
            &["repo-map"],
            Feature::Repomap,
        ),
        (
            knowledge.is_some(),
            "[knowledge]",
            &["knowledge"],
            Feature::Knowledge,
        ),
        (
            code,
            "[knowledge] repomap",
            &["knowledge", "repomap"],
            Feature::Repomap,
        ),
        (
            model,
            "[knowledge] model",
            &["knowledge", "model"],
            Feature::Model2Vec,
        ),
    ];
    for (_, name, path, feature) in wanted.into_iter().filter(|(is_set, ..)| *is_set) {
        if let Err(missing) = feature.require() {
            let error = ConfigError::NotInBuild { name, missing };
            problems.push((places.key(path), error));
        }
    }
}

fn check_reason(path: &[&str], reason: &str, places: &Places<'_>, problems: &mut Problems) {
    if text_safety::invisible_chars::says_nothing(reason) {
        let name = match path {
            ["ignore", ..] => "[[ignore]]".to_owned(),
            ["policy", "accept", ..] => "[[policy.accept]]".to_owned(),
            ["severity", code, _] => format!("severity.{code}"),
            _ => path.join("."),
        };
        problems.push((places.value(path), ConfigError::NoReason { name }));
    }
}

/// Parses a code and checks that a rule has it.
fn known(word: &str) -> Result<Code, ConfigError> {
    let code = Code::parse(word).filter(|c| rules::by_code(*c).is_some());
    code.ok_or_else(|| {
        let names: Vec<String> = rules::ALL.iter().map(|r| r.code.to_string()).collect();
        ConfigError::UnknownCode {
            code: word.to_owned(),
            nearest: nearest(word, names.iter().map(String::as_str)),
        }
    })
}
