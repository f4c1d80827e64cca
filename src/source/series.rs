//! Reads a directory of files with one event each as lines: `events/0.json` of `OpenHands`, or
//! `events/event-00000-ID.json` of its SDK.
//!
//! A call and its result are separate events, so only all files together describe an execution.
//! Line N is the Nth file.

use super::discover::{Found, Input, Missing, open_regular};
use super::joined::JoinedReader;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use strict_json::Raw;

/// Maximum size in bytes of a first event to recognise.
const FIRST: u64 = 1 << 20;

/// Removes the event files of sessions from `inputs`. Returns their directories, each with its
/// files in the order of their numbers.
pub(super) fn join(inputs: &mut Vec<Result<Found, Missing>>) -> BTreeMap<PathBuf, Vec<PathBuf>> {
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
    let in_order =
        |files: BTreeSet<(u64, PathBuf)>| files.into_iter().map(|(_, path)| path).collect();
    numbered
        .into_iter()
        .map(|(folder, files)| (folder, in_order(files)))
        .collect()
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
