//! Parses a [`Diff`], strictly. Text after a hunk that `git apply` would skip as garbage is an
//! error.

use super::blocks;
use super::header::{self, Name, bare};
use super::{Change, Diff, DiffError, Fault, FileDiff, Hunk, Limits, Line, Mode, Row, Side};

/// Parses a unified diff, a git diff, or SEARCH/REPLACE blocks.
///
/// An `@@` line may state no numbers. Then the hunk extends to the next `@@` or header.
///
/// Any text may precede the first header, such as a commit message. Between files, the lines that
/// other tools write are skipped (`Index:`, `diff -u`, rows of `=`). Git's signature (`-- ` and a
/// version) may follow the last file. The last line needs no line feed.
///
/// # Errors
/// Returns the line and the fault if the text is invalid. For a hunk with wrong counts, the fault
/// has the expected and the actual ones.
pub fn parse<'a>(diff: &'a [u8], limits: &Limits) -> Result<Diff<'a>, DiffError> {
    if diff.len() > limits.bytes {
        return Err(DiffError {
            line: 0,
            fault: Fault::Limit {
                of: "bytes",
                limit: limits.bytes,
            },
        });
    }
    let mut reader = Reader {
        rest: diff,
        line: 1,
        hunks: limits.hunks,
        lines: limits.lines,
    };
    if blocks::has_block(diff) {
        let files = blocks::parse(&mut reader, limits)?;
        return Ok(Diff { files });
    }
    let mut files = Vec::new();
    while let Some(line) = reader.peek() {
        if line.starts_with(b"diff --git ") {
            files.push(reader.git(limits)?);
        } else if reader.at_plain_header() {
            files.push(reader.plain(limits)?);
        } else if reader.at_hunk() {
            return Err(reader.fault(Fault::Orphan));
        } else if line.starts_with(b"--- ") && (!files.is_empty() || line.starts_with(b"--- a/")) {
            reader.next();
            return Err(reader.fault(Fault::Header { expected: "+++ " }));
        } else if line.starts_with(b"+++ ") {
            return Err(reader.fault(Fault::Header { expected: "--- " }));
        } else if files.is_empty() || between_files(line) {
            reader.next();
        } else if bare(line) == b"-- " || bare(line) == b"--" {
            // Git's signature ends a mail. The version follows it, and nothing to apply.
            reader.signature()?;
        } else {
            return Err(reader.fault(Fault::Stray));
        }
        reader.check_files(files.len(), limits)?;
    }
    if files.is_empty() {
        return Err(DiffError {
            line: 0,
            fault: Fault::NoFile,
        });
    }
    Ok(Diff { files })
}

/// Returns whether a line is one that tools write before a file header.
fn between_files(line: &[u8]) -> bool {
    let line = bare(line);
    line.iter().all(u8::is_ascii_whitespace)
        || [b"Index: ".as_slice(), b"diff ", b"Only in ", b"==="]
            .iter()
            .any(|start| line.starts_with(start))
}

/// The remaining lines of a diff.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    /// Number of the next line, from 1.
    pub(super) line: usize,
    /// Number of hunks that are still allowed.
    hunks: usize,
    /// Number of lines in hunks that are still allowed.
    lines: usize,
}

/// The fields of a git header that were parsed so far.
#[derive(Default)]
struct Header {
    /// The names in the first line, without prefixes.
    first: Option<(String, String)>,
    old: Option<String>,
    new: Option<String>,
    old_mode: Option<Mode>,
    new_mode: Option<Mode>,
    change: Option<Change>,
    binary: bool,
}

fn split(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at_checked(memchr::memchr(b'\n', text).map_or(text.len(), |n| n + 1))
        .unwrap_or((text, b""))
}

/// Decodes bytes for use in a message.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(super) fn row(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

impl<'a> Reader<'a> {
    pub(super) fn fault(&self, fault: Fault) -> DiffError {
        DiffError {
            line: self.line,
            fault,
        }
    }

    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        (!self.rest.is_empty()).then(|| split(self.rest).0)
    }

    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.peek()?;
        self.rest = split(self.rest).1;
        self.line += 1;
        Some(line)
    }

    fn starts(&self, start: &[u8]) -> bool {
        self.rest.starts_with(start)
    }

    /// Returns whether an `@@` line is next.
    fn at_hunk(&self) -> bool {
        self.starts(b"@@ -") || self.at_unplaced_hunk()
    }

    pub(super) fn at_plain_header(&self) -> bool {
        self.starts(b"--- ") && split(self.rest).1.starts_with(b"+++ ")
    }

    /// Returns whether another hunk or file starts here, so that the line can't belong to a hunk.
    pub(super) fn at_next_part(&self) -> bool {
        self.rest.is_empty()
            || self.at_hunk()
            || self.starts(b"diff --git ")
            || self.at_plain_header()
    }

    fn signature(&mut self) -> Result<(), DiffError> {
        self.next();
        while let Some(line) = self.peek() {
            let version = bare(line);
            // Versions have the form `2.43.0` or `2.39.3 (Apple Git-146)`. Another mail may follow.
            if version.starts_with(b"From ") || line.starts_with(b"diff --git ") {
                return Ok(());
            }
            if !(version.is_empty() || version.first().is_some_and(u8::is_ascii_digit)) {
                return Err(self.fault(Fault::Stray));
            }
            self.next();
        }
        Ok(())
    }

    /// Parses the name in the next line, which must exist, from the byte `start`.
    fn name(&mut self, start: usize) -> Result<Name, DiffError> {
        let line = self.peek().unwrap_or_default();
        let rest = line.get(start..).unwrap_or_default();
        let name = header::name(rest).ok_or_else(|| {
            self.fault(Fault::Name {
                name: text(bare(rest)),
            })
        })?;
        self.next();
        Ok(name)
    }

    /// Parses a file's part without a git header.
    fn plain(&mut self, limits: &Limits) -> Result<FileDiff<'a>, DiffError> {
        let line = self.line;
        let (old, new) = (self.name(4)?, self.name(4)?);
        let (change, old, new) = match (old, new) {
            (Name::Null, Name::Null) => {
                return Err(DiffError {
                    line,
                    fault: Fault::Nameless,
                });
            }
            (Name::Null, Name::File(new)) => {
                let new = header::strip_one(&new, "b/");
                (Change::Create, new.clone(), new)
            }
            (Name::File(old), Name::Null) => {
                let old = header::strip_one(&old, "a/");
                (Change::Delete, old.clone(), old)
            }
            (Name::File(old), Name::File(new)) => {
                let (old, new) = header::strip(&old, &new);
                if old != new {
                    let fault = Fault::OtherName {
                        expected: old.to_owned(),
                        found: new.to_owned(),
                    };
                    return Err(DiffError {
                        line: line + 1,
                        fault,
                    });
                }
                (Change::Modify, old.to_owned(), new.to_owned())
            }
        };
        let hunks = self.hunks(limits)?;
        if hunks.is_empty() {
            return Err(self.fault(Fault::NoChange { path: new }));
        }
        // A part with several hunks can neither create nor remove a file.
        let may_create = matches!(&*hunks, [only] if only.old_rows().next().is_none()
            && only.old_start == 0
            && !only.unplaced);
        let file = FileDiff {
            line,
            change,
            old,
            new,
            old_mode: None,
            new_mode: None,
            binary: false,
            may_create,
            hunks,
        };
        check_sides(&file)?;
        Ok(file)
    }

    /// Parses a file's part with a git header.
    fn git(&mut self, limits: &Limits) -> Result<FileDiff<'a>, DiffError> {
        let line = self.line;
        let first = self
            .next()
            .and_then(|l| l.strip_prefix(b"diff --git "))
            .unwrap_or_default();
        let first = header::git_names(first).map(|(old, new)| {
            let (old, new) = header::strip(&old, &new);
            (old.to_owned(), new.to_owned())
        });
        let mut header = Header {
            first,
            ..Header::default()
        };
        while self.extended(&mut header)? {}
        let mut hunks = Vec::new();
        if self.starts(b"--- ") {
            self.sides(&mut header)?;
            hunks = self.hunks(limits)?;
            if hunks.is_empty() {
                return Err(self.fault(Fault::Header { expected: "@@ -" }));
            }
        } else if self.at_unplaced_hunk() {
            // Without line numbers, models also leave out the two lines that repeat the names.
            hunks = self.hunks(limits)?;
        } else if self.starts(b"@@ -") {
            return Err(self.fault(Fault::Header { expected: "--- " }));
        }
        let (first_old, first_new) = header.first.unzip();
        let (Some(old), Some(new)) = (header.old.or(first_old), header.new.or(first_new)) else {
            return Err(DiffError {
                line,
                fault: Fault::Nameless,
            });
        };
        let change = header.change.unwrap_or(Change::Modify);
        let renames = matches!(change, Change::Rename | Change::Copy);
        if !renames && old != new {
            return Err(DiffError {
                line,
                fault: Fault::OtherName {
                    expected: old,
                    found: new,
                },
            });
        }
        let modes = header.old_mode.is_some()
            && header.new_mode.is_some()
            && header.old_mode != header.new_mode;
        if hunks.is_empty() && change == Change::Modify && !modes && !header.binary {
            if self.peek().is_some_and(|line| !between_files(line)) {
                return Err(self.fault(Fault::Stray));
            }
            return Err(DiffError {
                line,
                fault: Fault::NoChange { path: new },
            });
        }
        let (old_mode, new_mode) = (header.old_mode, header.new_mode);
        let file = FileDiff {
            line,
            change,
            old,
            new,
            old_mode,
            new_mode,
            binary: header.binary,
            may_create: false,
            hunks,
        };
        check_sides(&file)?;
        Ok(file)
    }

    /// Parses one line of a git header after the first; returns false if the next line isn't one.
    fn extended(&mut self, header: &mut Header) -> Result<bool, DiffError> {
        let Some(line) = self.peek() else {
            return Ok(false);
        };
        let after = |start: &[u8]| line.strip_prefix(start);
        let mode = |rest: &[u8]| {
            header::mode(rest).ok_or_else(|| {
                self.fault(Fault::Mode {
                    mode: text(bare(rest)),
                })
            })
        };
        let whole = |rest: &[u8]| {
            let refused = || {
                self.fault(Fault::Name {
                    name: text(bare(rest)),
                })
            };
            header::whole_name(rest).ok_or_else(refused)
        };
        let becomes = |change: Change, header: &mut Header| match header.change.replace(change) {
            Some(before) if before != change => Err(self.fault(Fault::Contradiction(
                "the header says two things of what becomes of the file",
            ))),
            _ => Ok(()),
        };
        if let Some(rest) = after(b"old mode ") {
            header.old_mode = Some(mode(rest)?);
        } else if let Some(rest) = after(b"new mode ") {
            header.new_mode = Some(mode(rest)?);
        } else if let Some(rest) = after(b"new file mode ") {
            header.new_mode = Some(mode(rest)?);
            becomes(Change::Create, header)?;
        } else if let Some(rest) = after(b"deleted file mode ") {
            header.old_mode = Some(mode(rest)?);
            becomes(Change::Delete, header)?;
        } else if let Some(rest) = after(b"rename from ") {
            header.old = Some(whole(rest)?);
            becomes(Change::Rename, header)?;
        } else if let Some(rest) = after(b"rename to ") {
            header.new = Some(whole(rest)?);
            becomes(Change::Rename, header)?;
        } else if let Some(rest) = after(b"copy from ") {
            header.old = Some(whole(rest)?);
            becomes(Change::Copy, header)?;
        } else if let Some(rest) = after(b"copy to ") {
            header.new = Some(whole(rest)?);
            becomes(Change::Copy, header)?;
        } else if let Some(rest) = after(b"index ") {
            // `index OLD..NEW MODE`: the mode is here if it doesn't change.
            if let Some(at) = memchr::memchr(b' ', rest) {
                header.old_mode = Some(mode(rest.get(at + 1..).unwrap_or_default())?);
            }
        } else if after(b"similarity index ")
            .or(after(b"dissimilarity index "))
            .is_some()
        {
            // The similarity doesn't matter for applying the diff.
        } else if after(b"Binary files ").is_some_and(|rest| bare(rest).ends_with(b" differ")) {
            header.binary = true;
        } else if bare(line) == b"GIT binary patch" {
            header.binary = true;
            self.next();
            self.binary()?;
            return Ok(true);
        } else {
            return Ok(false);
        }
        self.next();
        Ok(true)
    }

    /// Parses `---` and `+++` after a git header. They must agree with the names in the header.
    fn sides(&mut self, header: &mut Header) -> Result<(), DiffError> {
        let at = self.line;
        let old = self.name(4)?;
        if !self.starts(b"+++ ") {
            return Err(self.fault(Fault::Header { expected: "+++ " }));
        }
        let new = self.name(4)?;
        let fault = |line: usize, expected: &str, found: &str| {
            Err(DiffError {
                line,
                fault: Fault::OtherName {
                    expected: expected.to_owned(),
                    found: found.to_owned(),
                },
            })
        };
        let (old, new) = match (old, new) {
            (Name::Null, Name::Null) => {
                return Err(DiffError {
                    line: at,
                    fault: Fault::Nameless,
                });
            }
            (Name::Null, Name::File(new)) => {
                if header.change != Some(Change::Create) {
                    return Err(DiffError {
                        line: at,
                        fault: Fault::Contradiction(
                            "the file is new, and the header doesn't say so",
                        ),
                    });
                }
                let new = header::strip_one(&new, "b/");
                (new.clone(), new)
            }
            (Name::File(old), Name::Null) => {
                if header.change != Some(Change::Delete) {
                    return Err(DiffError {
                        line: at,
                        fault: Fault::Contradiction("the file goes, and the header doesn't say so"),
                    });
                }
                let old = header::strip_one(&old, "a/");
                (old.clone(), old)
            }
            (Name::File(old), Name::File(new)) => {
                let contradiction = match header.change {
                    Some(Change::Create) => Some("the file is new, and `---` isn't `/dev/null`"),
                    Some(Change::Delete) => Some("the file goes, and `+++` isn't `/dev/null`"),
                    _ => None,
                };
                if let Some(text) = contradiction {
                    return Err(DiffError {
                        line: at,
                        fault: Fault::Contradiction(text),
                    });
                }
                let (old, new) = header::strip(&old, &new);
                (old.to_owned(), new.to_owned())
            }
        };
        let (first_old, first_new) = header.first.clone().unzip();
        if let Some(expected) = header
            .old
            .as_ref()
            .or(first_old.as_ref())
            .filter(|name| **name != old)
        {
            return fault(at, expected, &old);
        }
        if let Some(expected) = header
            .new
            .as_ref()
            .or(first_new.as_ref())
            .filter(|name| **name != new)
        {
            return fault(at + 1, expected, &new);
        }
        (header.old, header.new) = (Some(old), Some(new));
        Ok(())
    }

    /// Checks the format of the blocks after `GIT binary patch`. Their content isn't unpacked.
    fn binary(&mut self) -> Result<(), DiffError> {
        for block in 0..2 {
            let sized = |line: &[u8]| {
                let size = line
                    .strip_prefix(b"literal ")
                    .or_else(|| line.strip_prefix(b"delta "));
                size.is_some_and(|n| !bare(n).is_empty() && bare(n).iter().all(u8::is_ascii_digit))
            };
            if !self.peek().is_some_and(sized) {
                // The second block, which reverts the first, is optional.
                return if block == 1 {
                    Ok(())
                } else {
                    Err(self.fault(Fault::Binary))
                };
            }
            self.next();
            while let Some(line) = self.peek() {
                let line = bare(line);
                if line.is_empty() {
                    break;
                }
                if !base85_line(line) {
                    return Err(self.fault(Fault::Binary));
                }
                self.next();
            }
            self.next();
        }
        Ok(())
    }

    fn hunks(&mut self, limits: &Limits) -> Result<Vec<Hunk<'a>>, DiffError> {
        let mut hunks: Vec<Hunk<'a>> = Vec::new();
        while self.at_hunk() {
            self.count_hunk(limits)?;
            let number = hunks.len() + 1;
            hunks.push(if self.at_unplaced_hunk() {
                self.unplaced_hunk(number, limits)?
            } else {
                self.hunk(number, limits)?
            });
        }
        // A hunk without numbers may consist of context, as a place that later hunks follow.
        match &*hunks {
            [first, ..] if !hunks.iter().any(Hunk::has_changes) => Err(DiffError {
                line: first.line,
                fault: Fault::Idle { hunk: 1 },
            }),
            _ => Ok(hunks),
        }
    }

    pub(super) fn check_files(&self, files: usize, limits: &Limits) -> Result<(), DiffError> {
        if files <= limits.files {
            return Ok(());
        }
        Err(self.fault(Fault::Limit {
            of: "files",
            limit: limits.files,
        }))
    }

    pub(super) fn count_hunk(&mut self, limits: &Limits) -> Result<(), DiffError> {
        self.hunks = self.hunks.checked_sub(1).ok_or_else(|| {
            self.fault(Fault::Limit {
                of: "hunks",
                limit: limits.hunks,
            })
        })?;
        Ok(())
    }

    pub(super) fn count_line(&mut self, limits: &Limits) -> Result<(), DiffError> {
        self.lines = self.lines.checked_sub(1).ok_or_else(|| {
            self.fault(Fault::Limit {
                of: "lines",
                limit: limits.lines,
            })
        })?;
        Ok(())
    }

    fn hunk(&mut self, number: usize, limits: &Limits) -> Result<Hunk<'a>, DiffError> {
        let at = self.line;
        let ranges = self
            .peek()
            .and_then(ranges)
            .ok_or_else(|| self.fault(Fault::HunkHeader { hunk: number }))?;
        let ((old_start, old_count), (new_start, new_count)) = ranges;
        self.next();
        let start = (self.rest, self.line);
        let mut lines: Vec<Line<'a>> = Vec::new();
        let (mut old, mut new) = (old_count, new_count);
        let mut changes = false;
        // A line without a line feed is the last one on its side.
        let (mut old_over, mut new_over) = (false, false);
        while old > 0 || new > 0 || self.starts(b"\\ ") {
            let here = self.line;
            let Some(line) = self.peek() else { break };
            let side = match line.first() {
                Some(b'\\') => {
                    let fault = DiffError {
                        line: here,
                        fault: Fault::NoNewline { hunk: number },
                    };
                    let side = no_newline(&mut lines, line).ok_or(fault)?;
                    old_over |= side != Side::New;
                    new_over |= side != Side::Old;
                    self.next();
                    continue;
                }
                Some(b' ' | b'\n') => Side::Both,
                Some(b'-') => Side::Old,
                Some(b'+') => Side::New,
                _ if self.at_next_part() => break,
                _ => return Err(self.fault(Fault::Marker { hunk: number })),
            };
            let short = (side != Side::New && old == 0) || (side != Side::Old && new == 0);
            // Where a line of the hunk is due, git doesn't expect a file header. The counts are
            // wrong then.
            if short {
                break;
            }
            self.count_line(limits)?;
            if (side != Side::New && old_over) || (side != Side::Old && new_over) {
                return Err(self.fault(Fault::NoNewline { hunk: number }));
            }
            old -= usize::from(side != Side::New);
            new -= usize::from(side != Side::Old);
            changes |= side != Side::Both;
            let text = row(line
                .get(1..)
                .filter(|_| line.first() != Some(&b'\n'))
                .unwrap_or_default());
            lines.push(Line {
                side,
                row: Row { text, ended: true },
            });
            self.next();
        }
        let goes_on = self
            .peek()
            .is_some_and(|line| matches!(line.first(), Some(b' ' | b'+' | b'-' | b'\\')))
            && !self.at_next_part()
            && !self
                .peek()
                .is_some_and(|line| matches!(bare(line), b"-- " | b"--"));
        if old > 0 || new > 0 || goes_on {
            let (old_found, new_found) = measure(start.0);
            let fault = Fault::Counts {
                hunk: number,
                old_expected: old_count,
                new_expected: new_count,
                old_found,
                new_found,
            };
            return Err(DiffError { line: at, fault });
        }
        if !changes {
            return Err(DiffError {
                line: at,
                fault: Fault::Idle { hunk: number },
            });
        }
        Ok(Hunk {
            line: at,
            old_start,
            new_start,
            unplaced: false,
            lines,
        })
    }
}

/// Removes the line feed from the line before a `\ No newline at end of file`. Returns the sides of
/// that line.
pub(super) fn no_newline(lines: &mut [Line<'_>], mark: &[u8]) -> Option<Side> {
    // The text is localised; git only requires this length.
    const SHORTEST: usize = 11;
    let last = lines
        .last_mut()
        .filter(|l| l.row.ended && mark.starts_with(b"\\ ") && row(mark).len() >= SHORTEST)?;
    last.row.ended = false;
    Some(last.side)
}

/// Parses the two ranges of an `@@` line: first line and count, old and new.
fn ranges(line: &[u8]) -> Option<((usize, usize), (usize, usize))> {
    let (old, rest) = range(line.strip_prefix(b"@@ -")?)?;
    let (new, rest) = range(rest.strip_prefix(b" +")?)?;
    rest.starts_with(b" @@").then_some((old, new))
}

fn range(text: &[u8]) -> Option<((usize, usize), &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(count, rest)| ((start, count), rest)),
        None => Some(((start, 1), rest)),
    }
}

fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(digits)?;
    let number: u32 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((number as usize, rest))
}

/// Counts the old and new lines after an `@@` line, independently of its counts.
fn measure(mut rest: &[u8]) -> (usize, usize) {
    let (mut old, mut new) = (0, 0);
    loop {
        let reader = Reader {
            rest,
            line: 0,
            hunks: 0,
            lines: 0,
        };
        if reader.at_next_part() {
            return (old, new);
        }
        let (line, behind) = split(rest);
        match line.first() {
            Some(b' ' | b'\n') => (old, new) = (old + 1, new + 1),
            Some(b'-') => old += 1,
            Some(b'+') => new += 1,
            Some(b'\\') => {}
            _ => return (old, new),
        }
        rest = behind;
    }
}

/// Checks that the hunks agree with the header about which sides exist.
fn check_sides(file: &FileDiff<'_>) -> Result<(), DiffError> {
    let fault = |text| {
        Err(DiffError {
            line: file.line,
            fault: Fault::Contradiction(text),
        })
    };
    let modes = file
        .old_mode
        .zip(file.new_mode)
        .is_none_or(|(old, new)| old.same_type(new));
    if !modes {
        return fault("a file can't change its type in place: that is a removal and a creation");
    }
    if file.binary && !file.hunks.is_empty() {
        return fault("the file is binary and has hunks");
    }
    match file.change {
        Change::Create if file.hunks.iter().any(|h| h.old_rows().next().is_some()) => {
            fault("the file is new and has old lines")
        }
        Change::Delete if file.hunks.iter().any(|h| h.new_rows().next().is_some()) => {
            fault("the file goes and has new lines")
        }
        Change::Create | Change::Delete if file.hunks.len() > 1 => {
            fault("a file that is new or goes has one hunk")
        }
        Change::Rename | Change::Copy if file.old == file.new => fault("both names are the same"),
        _ => Ok(()),
    }
}

/// Checks a line in git's base 85 format: a letter for the number of bytes (`A` to `Z` for 1 to 26,
/// `a` to `z` for 27 to 52), and five characters for each group of four bytes.
fn base85_line(line: &[u8]) -> bool {
    let Some((&length, digits)) = line.split_first() else {
        return false;
    };
    let bytes = match length {
        b'A'..=b'Z' => usize::from(length - b'A') + 1,
        b'a'..=b'z' => usize::from(length - b'a') + 27,
        _ => return false,
    };
    let digit = |b: &u8| b.is_ascii_alphanumeric() || b"!#$%&()*+-;<=>?@^_`{|}~".contains(b);
    digits.len() == bytes.div_ceil(4) * 5 && digits.iter().all(digit)
}
