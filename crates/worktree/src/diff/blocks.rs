//! Parses SEARCH/REPLACE blocks: old and new lines of a file, between markers, below its name.
//!
//! ```text
//! src/add.ts
//! <<<<<<< SEARCH
//!   return a - b;
//! =======
//!   return a + b;
//! >>>>>>> REPLACE
//! ```
//!
//! Tools differ in what else they accept. What they may read differently is refused.

use super::header::bare;
use super::parse::{Reader, row, text};
use super::{Change, DiffError, Fault, FileDiff, Hunk, Limits, Line, Row, Side};
use crate::name::to_text;

const SEARCH: &[u8] = b"<<<<<<< SEARCH";
const DIVIDER: &[u8] = b"=======";
const REPLACE: &[u8] = b">>>>>>> REPLACE";

/// Returns whether a line of the text begins a block.
pub(super) fn has_block(diff: &[u8]) -> bool {
    memchr::memmem::find_iter(diff, SEARCH).any(|at| {
        let begins = at == 0 || diff.get(at - 1) == Some(&b'\n');
        let rest = diff.get(at + SEARCH.len()..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        begins
            && rest
                .get(..end)
                .is_some_and(|tail| tail.trim_ascii().is_empty())
    })
}

/// Returns whether some tool may take the line for a marker.
fn is_marker(line: &[u8]) -> bool {
    [
        (b'<', b" SEARCH".as_slice()),
        (b'=', b""),
        (b'>', b" REPLACE"),
    ]
    .iter()
    .any(|(sign, word)| {
        let run = line.iter().take_while(|b| *b == sign).count();
        (5..=9).contains(&run) && line.get(run..).is_some_and(|rest| rest == *word)
    })
}

/// Parses a text that consists of blocks. Any text may precede the first one; between them, there
/// may be file names, empty lines and code fences.
pub(super) fn parse<'a>(
    reader: &mut Reader<'a>,
    limits: &Limits,
) -> Result<Vec<FileDiff<'a>>, DiffError> {
    let mut files: Vec<FileDiff<'a>> = Vec::new();
    // The last line outside of a block, with its number. It may name the next block's file.
    let mut named: Option<(usize, &[u8])> = None;
    let stray = |line: usize| {
        Err(DiffError {
            line,
            fault: Fault::Stray,
        })
    };
    while let Some(line) = reader.peek() {
        let shown = bare(line).trim_ascii_end();
        if shown == SEARCH {
            let (at, name) = match named.take() {
                Some((at, name)) => (at, Some(file_name(at, name)?)),
                None => (reader.line, None),
            };
            let number = files.last().map_or(0, |file| file.hunks.len()) + 1;
            let hunk = block(reader, number, limits)?;
            add(&mut files, at, name, hunk)?;
            reader.check_files(files.len(), limits)?;
            continue;
        }
        if is_marker(shown) {
            return Err(reader.fault(Fault::Block("this marker is in no block")));
        }
        let header = line.starts_with(b"diff --git ") || line.starts_with(b"@@");
        if header || reader.at_plain_header() {
            return Err(reader.fault(Fault::Block("a diff is next to SEARCH/REPLACE blocks")));
        }
        match named {
            // A fence may be between a name and its block.
            Some(_) if shown.starts_with(b"```") => {}
            Some((at, _)) if !files.is_empty() => return stray(at),
            _ if shown.is_empty() || shown.starts_with(b"```") => named = None,
            _ => named = Some((reader.line, shown)),
        }
        reader.next();
    }
    match named {
        Some((at, _)) => stray(at),
        None => Ok(files),
    }
}

/// Adds a block to the part of its file.
fn add<'a>(
    files: &mut Vec<FileDiff<'a>>,
    line: usize,
    name: Option<String>,
    hunk: Hunk<'a>,
) -> Result<(), DiffError> {
    let creates = hunk.old_rows().next().is_none();
    let last = files
        .last_mut()
        .filter(|last| name.as_ref().is_none_or(|name| *name == last.new));
    match last {
        Some(last) if last.change == Change::Modify && !creates => {
            last.hunks.push(hunk);
            return Ok(());
        }
        _ => {}
    }
    let name = name.or_else(|| files.last().map(|last| last.new.clone()));
    let Some(name) = name else {
        let fault = Fault::Block("no line above the block names its file");
        return Err(DiffError { line, fault });
    };
    files.push(FileDiff {
        line,
        change: if creates {
            Change::Create
        } else {
            Change::Modify
        },
        old: name.clone(),
        new: name,
        old_mode: None,
        new_mode: None,
        binary: false,
        may_create: false,
        hunks: vec![hunk],
    });
    Ok(())
}

/// Parses the name above a block. Tools remove some decoration, each its own.
fn file_name(line: usize, name: &[u8]) -> Result<String, DiffError> {
    let decorated = name.first().is_none_or(|b| b"#*`\"'(<>- \t".contains(b))
        || name.last().is_none_or(|b| b":*`\"')>".contains(b));
    if decorated || name.contains(&0) || name == b"/dev/null" {
        let name = text(name);
        return Err(DiffError {
            line,
            fault: Fault::Name { name },
        });
    }
    Ok(to_text(name))
}

/// Parses one block.
fn block<'a>(
    reader: &mut Reader<'a>,
    number: usize,
    limits: &Limits,
) -> Result<Hunk<'a>, DiffError> {
    let at = reader.line;
    reader.count_hunk(limits)?;
    reader.next();
    let mut side = Side::Old;
    let mut lines: Vec<Line<'a>> = Vec::new();
    loop {
        let Some(line) = reader.peek() else {
            let fault = Fault::Block("the block has no end");
            return Err(DiffError { line: at, fault });
        };
        let shown = bare(line).trim_ascii_end();
        if shown == DIVIDER && side == Side::Old {
            side = Side::New;
        } else if shown == REPLACE && side == Side::New {
            reader.next();
            break;
        } else if is_marker(shown) {
            return Err(reader.fault(Fault::Block("this marker doesn't belong in a block")));
        } else {
            reader.count_line(limits)?;
            let row = Row {
                text: row(line),
                ended: true,
            };
            lines.push(Line { side, row });
        }
        reader.next();
    }
    let hunk = Hunk {
        line: at,
        old_start: 0,
        new_start: 0,
        unplaced: true,
        lines,
    };
    if hunk.old_rows().eq(hunk.new_rows()) {
        let fault = Fault::Idle { hunk: number };
        return Err(DiffError { line: at, fault });
    }
    Ok(hunk)
}
