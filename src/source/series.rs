//! Reads a directory of files with one event each as lines: `events/0.json` of `OpenHands`, or
//! `events/event-00000-ID.json` of its SDK.
//!
//! A call and its result are separate events, so only all files together describe an execution.
//! Line N is the Nth file. `event_cache/0-25.json` next to them repeats 25 of them.

use super::discover::{Found, Input, Missing, open_regular};
use super::joined::JoinedReader;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use strict_json::Raw;

/// Maximum size in bytes of a first event to recognise.
const FIRST: u64 = 1 << 20;

/// Sessions whose events are in files of their own.
#[derive(Debug, Default)]
pub(crate) struct EventFiles {
    /// Directories, each with its files in the order of their numbers.
    pub(crate) sessions: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// Files that repeat some of them.
    pub(crate) repeated: Vec<PathBuf>,
}

/// Takes the files that are events of one session out of inputs, and those that repeat them.
pub(crate) fn join(inputs: &mut Vec<Result<Found, Missing>>) -> EventFiles {
    let mut numbered: BTreeMap<PathBuf, BTreeSet<(u64, PathBuf)>> = BTreeMap::new();
    for (folder, number, path) in inputs.iter().filter_map(numbered_file) {
        let files = numbered.entry(folder.to_path_buf()).or_default();
        files.insert((number, path.to_path_buf()));
    }
    numbered.retain(|_, files| {
        let first = files.first().map(|(_, path)| path);
        files.len() > 1 && first.is_some_and(|path| is_event(path))
    });
    inputs.retain(|input| {
        numbered_file(input).is_none_or(|(folder, ..)| !numbered.contains_key(folder))
    });
    let mut repeated = Vec::new();
    inputs.retain(|input| {
        let Some((events, numbers, path)) = page(input) else {
            return true;
        };
        // A page that holds another event is an input of its own.
        let has = |files: &BTreeSet<(u64, PathBuf)>| {
            numbers.clone().all(|number| {
                let next = files.range((number, PathBuf::new())..).next();
                next.is_some_and(|(known, _)| *known == number)
            })
        };
        let is_repeated = numbered.get(&events).is_some_and(has);
        if is_repeated {
            repeated.push(path.to_path_buf());
        }
        !is_repeated
    });
    let in_order =
        |files: BTreeSet<(u64, PathBuf)>| files.into_iter().map(|(_, path)| path).collect();
    let sessions = numbered.into_iter();
    EventFiles {
        sessions: sessions
            .map(|(folder, files)| (folder, in_order(files)))
            .collect(),
        repeated,
    }
}

/// The events of a directory, if that is what its files are.
#[cfg(feature = "knowledge")]
pub(crate) fn events_in(folder: &Path) -> std::io::Result<Option<Input>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        files.push(Ok(Found {
            name: String::new(),
            input: Input::File(path),
        }));
    }
    let session = join(&mut files).sessions.remove(folder);
    Ok(session.map(Input::Series))
}

/// Events that a page may hold.
const PAGE: u64 = 1000;

/// The directory of the events that a page `event_cache/FROM-TO.json` repeats, their numbers, and
/// the page.
fn page(input: &Result<Found, Missing>) -> Option<(PathBuf, Range<u64>, &Path)> {
    let Input::File(path) = &input.as_ref().ok()?.input else {
        return None;
    };
    let cache = path
        .parent()
        .filter(|parent| parent.ends_with("event_cache"))?;
    let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let (from, to) = stem.split_once('-')?;
    let (from, to): (u64, u64) = (from.parse().ok()?, to.parse().ok()?);
    let is_page = from < to && to.saturating_sub(from) <= PAGE;
    is_page.then(|| (cache.with_file_name("events"), from..to, path.as_path()))
}

/// Returns the directory and the number of a file named `NUMBER.json` or `event-NUMBER-ID.json`.
fn numbered_file(input: &Result<Found, Missing>) -> Option<(&Path, u64, &Path)> {
    let Input::File(path) = &input.as_ref().ok()?.input else {
        return None;
    };
    let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let number: u64 = if let Some(event) = stem.strip_prefix("event-") {
        event.split_once('-')?.0.parse().ok()?
    } else {
        // Only the canonical form of a number is accepted.
        let number: u64 = stem.parse().ok()?;
        Some(number).filter(|number| number.to_string() == stem)?
    };
    Some((path.parent()?, number, path))
}

/// Returns true if a file has the members of an event.
fn is_event(path: &Path) -> bool {
    #[derive(Deserialize)]
    struct Event<'a> {
        #[serde(borrow)]
        id: Option<Raw<'a>>,
        #[serde(borrow)]
        source: Option<Raw<'a>>,
        #[serde(borrow)]
        action: Option<Raw<'a>>,
        #[serde(borrow)]
        observation: Option<Raw<'a>>,
        #[serde(borrow)]
        kind: Option<Raw<'a>>,
    }
    let mut text = String::new();
    let read = open_regular(path).and_then(|file| file.take(FIRST).read_to_string(&mut text));
    let event = strict_json::from_text::<Event<'_>>(&text);
    read.is_ok()
        && event.is_ok_and(|event| {
            event.id.is_some()
                && event.source.is_some()
                && (event.action.is_some() || event.observation.is_some() || event.kind.is_some())
        })
}

/// Returns a reader of the files, one per line.
pub(super) fn lines(paths: Vec<PathBuf>) -> impl Read + Send {
    JoinedReader::new(paths.into_iter().map(|path| open_regular(&path)))
}
