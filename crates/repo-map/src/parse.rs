//! Reads a map back into its files and lines. A map may be merged or edited by hand, so every line
//! either has its place in the layout or is reported.

use super::header;
use super::json::JsonMap;
use super::settings::{Format, Settings};

/// The purpose of a line below a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    Definition,
    /// What a map says about the whole file: its documentation, a reason, its language.
    Prose,
    /// The start of a block of code, without its backticks.
    Fence,
    /// What JSON says about a file besides its definitions.
    Head,
}

/// A line below a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Line in the map, from 1.
    pub(super) line: usize,
    pub(super) kind: RowKind,
    pub(super) text: String,
}

/// A file of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileRows {
    /// Line in the map, from 1.
    pub(super) line: usize,
    /// The line; in JSON the path.
    pub(super) heading: String,
    pub(super) rows: Vec<Row>,
}

/// The content of a map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) files: Vec<FileRows>,
    /// Lines that have no place in a map.
    pub(super) foreign: Vec<(usize, String)>,
}

/// Reads a map with its settings.
pub(super) fn parse(map: &str, settings: &Settings) -> Parsed {
    // A checkout may have converted the line ends.
    let map = map.replace("\r\n", "\n");
    match settings.format {
        Format::Text => text(&map, settings),
        Format::Markdown => markdown(&map, settings),
        Format::Json => json(&map),
    }
}

/// Returns whether a line of the header, without its marks, can be in any map with these settings.
fn is_header(line: &str, settings: &Settings) -> bool {
    line == header::title(settings) || header::is_omission(line)
}

fn text(map: &str, settings: &Settings) -> Parsed {
    let mut out = Parsed::default();
    let mut in_header = true;
    for (at, line) in (1..).zip(map.split('\n')) {
        let is_blank = line.trim().is_empty();
        if is_blank {
            in_header = false;
        } else if in_header {
            let known = line
                .strip_prefix("# ")
                .is_some_and(|l| l == settings.line() || is_header(l, settings));
            if !known {
                out.foreign.push((at, line.to_owned()));
            }
        } else if line.starts_with(' ') {
            let explained = settings.explain && line.starts_with("  (");
            match out.files.last_mut() {
                None => out.foreign.push((at, line.to_owned())),
                Some(file) => file.rows.push(Row {
                    line: at,
                    kind: if explained && file.rows.is_empty() {
                        RowKind::Prose
                    } else {
                        RowKind::Definition
                    },
                    text: line.to_owned(),
                }),
            }
        } else {
            out.files.push(FileRows {
                line: at,
                heading: line.to_owned(),
                rows: Vec::new(),
            });
        }
    }
    out
}

fn markdown(map: &str, settings: &Settings) -> Parsed {
    let mut out = Parsed::default();
    let mut fence: Option<(usize, String)> = None;
    for (at, line) in (1..).zip(map.split('\n')) {
        if let Some((_, end)) = &fence {
            if line == end {
                fence = None;
                continue;
            }
        } else if line.starts_with("## ") {
            out.files.push(FileRows {
                line: at,
                heading: line.to_owned(),
                rows: Vec::new(),
            });
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let Some(file) = out.files.last_mut() else {
            let comment = line
                .strip_prefix("<!-- ")
                .and_then(|l| l.strip_suffix(" -->"));
            let sentence = line.strip_suffix('.');
            let known = comment.is_some_and(|l| l == settings.line())
                || sentence.is_some_and(|l| is_header(l, settings));
            if !known {
                out.foreign.push((at, line.to_owned()));
            }
            continue;
        };
        let bare = line.trim_start_matches('`');
        let ticks = line.len() - bare.len();
        let (kind, text) = match &fence {
            Some(_) => (RowKind::Definition, line),
            // A code span has backticks behind its text too.
            None if ticks >= 3 && !bare.contains('`') => {
                fence = Some((at, "`".repeat(ticks)));
                (RowKind::Fence, bare)
            }
            None => (RowKind::Prose, line),
        };
        file.rows.push(Row {
            line: at,
            kind,
            text: text.to_owned(),
        });
    }
    if let Some((at, ticks)) = fence {
        out.foreign.push((at, ticks));
    }
    out
}

fn json(map: &str) -> Parsed {
    let mut out = Parsed::default();
    let whole: JsonMap = match serde_json::from_str(map) {
        Ok(whole) => whole,
        Err(error) => {
            out.foreign.push((error.line().max(1), error.to_string()));
            return out;
        }
    };
    if let Some(odd) = whole.odd() {
        out.foreign.push((1, odd));
    }
    let mut lines = KeyLines::new(map);
    for mut file in whole.map {
        let line = lines.next("path");
        let definitions = std::mem::take(&mut file.definitions);
        let mut rows = vec![Row {
            line,
            kind: RowKind::Head,
            text: file.line(),
        }];
        rows.extend(definitions.iter().map(|definition| Row {
            line: lines.next("signature"),
            kind: RowKind::Definition,
            text: definition.line(),
        }));
        out.files.push(FileRows {
            line,
            heading: file.path,
            rows,
        });
    }
    out
}

/// Finds the lines of the members of a JSON text, in their order.
struct KeyLines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    /// Whether a member wasn't found. Searching for more of them could take quadratic time.
    is_lost: bool,
}

impl<'a> KeyLines<'a> {
    const fn new(text: &'a str) -> Self {
        KeyLines {
            text,
            at: 0,
            line: 1,
            is_lost: false,
        }
    }

    /// Returns the line of the next member of this name; the current line if there is none.
    fn next(&mut self, key: &str) -> usize {
        if self.is_lost {
            return self.line;
        }
        let quoted = format!("\"{key}\"");
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found = rest.match_indices(&quoted).find(|(at, _)| {
            // Inside of a string, the quote would be escaped. A value has no colon behind it.
            let before = rest.get(..*at).unwrap_or_default();
            let after = rest.get(at + quoted.len()..).unwrap_or_default();
            !before.ends_with('\\') && after.trim_start().starts_with(':')
        });
        self.is_lost = found.is_none();
        if let Some((at, _)) = found {
            let passed = rest.get(..at).unwrap_or_default();
            self.line += memchr::memchr_iter(b'\n', passed.as_bytes()).count();
            self.at += at + quoted.len();
        }
        self.line
    }
}
