//! Reads the calls in sub-agents' own sessions before the inputs are verified. The sessions that
//! started them may repeat these calls, and each call counts once.

use super::Options;
use crate::source::{Blocks, Found, Input, Missing, open};
use crate::trace::formats::OwnCalls;
use hashbrown::HashSet;
use std::path::Path;

/// The calls of the sessions of sub-agents among some inputs. Claude Code calls their files
/// `agent-ID.jsonl`.
#[must_use]
pub fn own_calls(inputs: &[Result<Found, Missing>], options: &Options) -> OwnCalls {
    let mut all = HashSet::new();
    if inputs.len() < 2 {
        return all.into();
    }
    for input in inputs.iter().flatten() {
        let Input::File(path) = &input.input else {
            continue;
        };
        if is_of_sub_agent(path) && all.len() < OwnCalls::MOST {
            read(&input.input, options, &mut all);
        }
    }
    all.into()
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
    while let Ok(Some(block)) = blocks.next(spare) {
        let lines = block.bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
        all.extend(OwnCalls::of_lines(lines));
        if block.last || all.len() >= OwnCalls::MOST {
            return;
        }
        spare = block.bytes;
    }
}
