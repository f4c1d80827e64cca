//! Reads inputs again whose pieces can't be joined as they are.

use super::merge::MergeError;
use super::{Command, Header, Kept, Work, common_key, complete, read_whole};
use crate::source::{Found, Input};
use crate::trace::formats::Format;
use crate::verify::Options;
use crate::verify::input::verify_seam;
use crate::verify::input_result::InputResult;
use crate::verify::own_calls::SubAgentCalls;
use crate::verify::piece::{Seam, join};
use std::io;
use std::path::{Path, PathBuf};

/// What a command does when its partial results are merged.
pub trait Merger {
    /// Restores how the shares read an input, and passes it to `read`.
    ///
    /// # Errors
    /// When the options name a file that isn't there or was changed.
    fn reread(
        &mut self,
        header: &Header,
        read: &mut dyn FnMut(&Options, Work<'_>),
    ) -> Result<(), String>;

    /// Adds what the command has kept of an input or its pieces, in the order of the names of
    /// inputs. Returns false if the pieces don't give what the whole input gives.
    ///
    /// # Errors
    /// When no version of the program writes it.
    fn add(&mut self, command: Command, kept: &[Kept]) -> io::Result<bool>;
}

/// Reads inputs of a run again.
pub(super) struct Rereader<'m> {
    pub(super) header: &'m Header,
    pub(super) merger: &'m mut dyn Merger,
}

/// A large input that shares have read in pieces.
struct Divided {
    found: Found,
    size: u64,
    format: Option<Format>,
}

impl Rereader<'_> {
    /// Makes one result of those of the shares. An input that was read as a whole is alone.
    pub(super) fn one(&mut self, mut results: Vec<InputResult>) -> Result<InputResult, MergeError> {
        if results.len() == 1 && results.iter().all(|result| result.piece.is_none()) {
            let result = results.pop().unwrap_or_default();
            self.keep(&result)?;
            return Ok(result);
        }
        let bytes = |result: &InputResult| {
            let piece = result.piece.as_ref();
            piece.map(|piece| (piece.bytes.start, piece.bytes.end))
        };
        results.sort_by_key(bytes);
        let Some(first) = results.first() else {
            return Ok(InputResult::default());
        };
        let input = Divided {
            found: Found {
                name: first.file.to_string(),
                input: Input::File(PathBuf::from(&*first.file)),
            },
            size: first.piece.as_ref().map_or(0, |piece| piece.size),
            format: first.format,
        };
        let mut end = 0;
        for result in &results {
            match &result.piece {
                Some(piece) if piece.bytes.start == end && piece.size == input.size => {
                    end = piece.bytes.end;
                }
                _ => return Err(MergeError::Changed(input.found.name)),
            }
        }
        if end != input.size {
            return Err(MergeError::Changed(input.found.name));
        }
        let restored = self.header.options.restored();
        let joined = join(results, &restored, &mut |seam| self.seam(&input, seam))?;
        if let Some(joined) = joined {
            let joined = self.condensed(&input, joined)?;
            if self.keep(&joined)? {
                return Ok(joined);
            }
        }
        let whole = self.whole(&input)?;
        self.keep(&whole)?;
        Ok(whole)
    }

    /// Passes on what the command has kept. Returns false if it can't use the pieces.
    fn keep(&mut self, result: &InputResult) -> Result<bool, MergeError> {
        let command = self.header.options.command;
        let invalid = |error: io::Error| MergeError::Invalid(result.file.to_string(), error);
        match command {
            Command::Replay | Command::Stats => Ok(true),
            Command::Audit | Command::PolicyReplay if result.condensed.is_empty() => {
                let why = "it lacks what its command keeps of an input";
                Err(invalid(io::Error::new(io::ErrorKind::InvalidData, why)))
            }
            Command::Audit | Command::PolicyReplay => {
                let added = self.merger.add(command, &result.condensed);
                added.map_err(invalid)
            }
        }
    }

    /// Reads the input as the shares did. It must have the size that they found.
    fn reread(
        &mut self,
        input: &Divided,
        read: &mut dyn FnMut(&Options, Work<'_>) -> io::Result<InputResult>,
    ) -> Result<InputResult, MergeError> {
        // An input that is read again is compared with others.
        if common_key(&self.header.run) != self.header.key {
            let why = "the process has verified another run";
            return Err(MergeError::Options(why.to_owned()));
        }
        let about = Path::new(&input.found.name).metadata();
        if !about.is_ok_and(|about| about.is_file() && about.len() == input.size) {
            return Err(MergeError::NeedsInput(input.found.name.clone()));
        }
        self.restored(input, read)
    }

    /// Restores how the shares read the input, and passes it to `make`.
    fn restored(
        &mut self,
        input: &Divided,
        make: &mut dyn FnMut(&Options, Work<'_>) -> io::Result<InputResult>,
    ) -> Result<InputResult, MergeError> {
        let mut result = Ok(InputResult::default());
        let make = &mut |options: &Options, work: Work<'_>| result = make(options, work);
        let restored = self.merger.reread(self.header, make);
        restored.map_err(MergeError::Options)?;
        result.map_err(|error| MergeError::Invalid(input.found.name.clone(), error))
    }

    fn whole(&mut self, input: &Divided) -> Result<InputResult, MergeError> {
        let found = Ok(input.found.clone());
        self.reread(input, &mut |options, mut work| {
            let result = read_whole(&found, &mut SubAgentCalls::new(&[]), options, &mut work)?;
            complete(&found, result, options, &mut work)
        })
    }

    /// Reads what crosses a cut. Decisions are counted in the order of the input, so their seams
    /// aren't read apart.
    fn seam(&mut self, input: &Divided, seam: &Seam) -> Result<InputResult, MergeError> {
        self.reread(input, &mut |options, work| {
            Ok(match (work, input.format) {
                (Work::Verify | Work::Condense(_), Some(format)) => {
                    verify_seam((&input.found, seam), format, options)
                }
                _ => InputResult::default(),
            })
        })
    }

    /// Condenses joined pieces, if that is what the command keeps.
    fn condensed(
        &mut self,
        input: &Divided,
        joined: InputResult,
    ) -> Result<InputResult, MergeError> {
        if self.header.options.command != Command::Audit {
            return Ok(joined);
        }
        let found = Ok(input.found.clone());
        let mut joined = Some(joined);
        self.restored(input, &mut |options, mut work| {
            let joined = joined.take().unwrap_or_default();
            complete(&found, joined, options, &mut work)
        })
    }
}
