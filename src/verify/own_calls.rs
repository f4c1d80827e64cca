//! Reads the calls in sub-agents' own sessions before the inputs are verified. The sessions that
//! started them may repeat these calls, and each call counts once.

use super::Options;
use crate::source::{Blocks, Found, Input, Missing, open};
use crate::trace::formats::OwnCalls;
use hashbrown::{HashMap, HashSet};
use std::path::Path;

/// The sub-agents' sessions among some inputs, by their project's folder. Claude Code calls their
/// files `agent-ID.jsonl`, and keeps them beside the sessions that started them, or in
/// `SESSION/subagents`.
#[derive(Debug)]
pub struct SubAgentCalls<'i> {
    sessions: HashMap<&'i Path, Vec<&'i Input>>,
    /// The calls of the project that was asked for last. Inputs are in the order of their names, so
    /// those of a project follow each other.
    last: Option<(&'i Path, OwnCalls)>,
}

impl<'i> SubAgentCalls<'i> {
    /// Finds the sub-agents' sessions among inputs.
    #[must_use]
    pub fn new(inputs: &'i [Result<Found, Missing>]) -> Self {
        let mut sessions: HashMap<&Path, Vec<&Input>> = HashMap::new();
        for found in inputs.iter().flatten().filter(|_| inputs.len() > 1) {
            if let (Input::File(path), Some(folder)) = (&found.input, project_of(found))
                && is_of_sub_agent(path)
            {
                sessions.entry(folder).or_default().push(&found.input);
            }
        }
        Self {
            sessions,
            last: None,
        }
    }

    /// Reads the calls that sub-agents of an input may have.
    pub fn beside(&mut self, input: &Result<Found, Missing>, options: &Options) -> OwnCalls {
        let folder = input.as_ref().ok().and_then(project_of);
        let Some((folder, sessions)) = folder.and_then(|f| self.sessions.get_key_value(f)) else {
            return OwnCalls::default();
        };
        if let Some((last, calls)) = &self.last
            && last == folder
        {
            return calls.clone();
        }
        let mut calls = HashSet::new();
        for session in sessions {
            read(session, options, &mut calls);
        }
        let calls = OwnCalls::from(calls);
        self.last = Some((folder, calls.clone()));
        calls
    }
}

/// Returns the folder of the project that a session belongs to.
fn project_of(found: &Found) -> Option<&Path> {
    let Input::File(path) = &found.input else {
        return None;
    };
    let folder = path.parent()?;
    if folder.file_name().is_some_and(|name| name == "subagents") {
        return folder.parent()?.parent();
    }
    Some(folder)
}

/// Whether a file that can be read twice has the name of a sub-agent's session.
fn is_of_sub_agent(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("agent-") && name.contains(".jsonl"))
        && path.metadata().is_ok_and(|meta| meta.is_file())
}

/// Adds the calls of a file. What can't be read is reported when the file itself is verified.
fn read(input: &Input, options: &Options, all: &mut HashSet<u64>) {
    let Ok(reader) = open(input) else {
        return;
    };
    let mut blocks = Blocks::new(reader, options.limits);
    let mut spare = Vec::new();
    while all.len() < OwnCalls::MOST
        && let Ok(Some(block)) = blocks.next(spare)
    {
        let lines = block.bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
        all.extend(OwnCalls::of_lines(lines));
        if block.last {
            return;
        }
        spare = block.bytes;
    }
}
