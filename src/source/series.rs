//! A directory of files that hold one event each (`events/0.json` of `OpenHands`), read as lines.
//!
//! A call and its result are events of their own, so that only all of them together tell what
//! happened. Line ends inside of a file become spaces, which changes no JSON: line N is the Nth
//! file.

use super::archive::join_lines;
use super::discover::{Found, Input, Missing, open_regular};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use strict_json::Raw;

/// Bytes of a first event that is recognised.
const FIRST: u64 = 1 << 20;

/// Takes the files that are events of one session out of inputs: directories, each with its files
/// in the order of their numbers.
pub(super) fn join(inputs: &mut Vec<Result<Found, Missing>>) -> BTreeMap<PathBuf, Vec<PathBuf>> {
    let mut numbered: BTreeMap<PathBuf, BTreeMap<u64, PathBuf>> = BTreeMap::new();
    for (folder, number, path) in inputs.iter().filter_map(numbered_file) {
        let files = numbered.entry(folder.to_path_buf()).or_default();
        files.insert(number, path.to_path_buf());
    }
    numbered.retain(|_, files| {
        let first = files.first_key_value().map(|(_, path)| path);
        files.len() > 1 && first.is_some_and(|path| is_event(path))
    });
    inputs.retain(|input| {
        numbered_file(input).is_none_or(|(folder, ..)| !numbered.contains_key(folder))
    });
    let in_order = |files: BTreeMap<u64, PathBuf>| files.into_values().collect();
    numbered
        .into_iter()
        .map(|(folder, files)| (folder, in_order(files)))
        .collect()
}

/// The directory and the number of a file that is called `NUMBER.json`. One number has one name.
fn numbered_file(input: &Result<Found, Missing>) -> Option<(&Path, u64, &Path)> {
    let Input::File(path) = &input.as_ref().ok()?.input else {
        return None;
    };
    let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let number: u64 = stem.parse().ok()?;
    (number.to_string() == stem).then_some((path.parent()?, number, path))
}

/// Whether a file has the members of an event.
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
    }
    let mut text = String::new();
    let read = open_regular(path).and_then(|file| file.take(FIRST).read_to_string(&mut text));
    let event = strict_json::from_text::<Event<'_>>(&text);
    read.is_ok()
        && event.is_ok_and(|event| {
            event.id.is_some()
                && event.source.is_some()
                && (event.action.is_some() || event.observation.is_some())
        })
}

/// The files, one after the other, each on a line.
pub(super) struct Series {
    waiting: std::vec::IntoIter<PathBuf>,
    current: Option<File>,
}

impl Series {
    pub(super) fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            waiting: paths.into_iter(),
            current: None,
        }
    }
}

impl Read for Series {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let Some(file) = &mut self.current else {
            let Some(path) = self.waiting.next() else {
                return Ok(0);
            };
            self.current = Some(open_regular(&path)?);
            return self.read(buffer);
        };
        let read = file.read(buffer)?;
        if read == 0 {
            self.current = None;
            if let Some(first) = buffer.first_mut() {
                *first = b'\n';
            }
            return Ok(1);
        }
        join_lines(buffer.get_mut(..read).unwrap_or_default());
        Ok(read)
    }
}
