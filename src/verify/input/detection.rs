//! Detects the format of an input, and reports the records before the first one of a known format.

use super::Run;
use crate::diag::{ContentHash, subject};
use crate::rules::codes;
use crate::source::Block;
use crate::trace::entry::Entry;
use crate::trace::formats;
use crate::trace::formats::Format;
use crate::verify::parse::BOM;
use crate::verify::pipeline::ParsedBlock;
use crate::verify::place::shown_parts;

/// Records before the first one of a known format.
#[derive(Debug)]
pub(super) struct UnknownRecords {
    /// Line of the first one.
    line: u64,
    count: u64,
    /// The name of the unsupported format that they resemble.
    looks: Option<&'static str>,
    /// Line of the first record of a known format, if there is one.
    pub(super) known: Option<u64>,
    /// Hash of their content.
    content: ContentHash,
}

impl Run<'_> {
    /// Detects the format by the first line that has the shape of a record. Returns the format and
    /// the offset of that line.
    pub(super) fn detect(&self, block: &Block) -> Option<(Format, usize)> {
        let mut at = 0;
        block
            .bytes
            .split_inclusive(|b| *b == b'\n')
            .find_map(|line| {
                let start = at;
                at += line.len();
                let text = std::str::from_utf8(
                    line.strip_prefix(BOM)
                        .filter(|_| start == 0)
                        .unwrap_or(line),
                )
                .ok()?;
                Some((Format::of_record(text, self.options.limits.depth)?, start))
            })
    }

    /// Processes a block of an input whose format isn't known yet. Invalid JSON, and content that
    /// no record may have, is reported whatever the format is.
    pub(super) fn read_undetected(&mut self, block: &Block) {
        let mut parsed = ParsedBlock::new(block, self.is_at_start(), &self.reading());
        self.number(&mut parsed);
        self.note_records(&parsed.entries, &parsed.routes);
        self.lost_before_shards = parsed
            .entries
            .last()
            .map_or(self.lost_before_shards, |entry| entry.line);
    }

    /// Records a record that matches no known format.
    pub(super) fn add_unknown(&mut self, entry: &Entry<'_>) {
        let new = UnknownRecords {
            line: entry.line,
            count: 0,
            looks: None,
            known: None,
            content: ContentHash::default(),
        };
        let foreign = self.foreign.get_or_insert(new);
        foreign.count += 1;
        foreign.content.add("");
        for part in shown_parts(entry) {
            foreign.content.add(part);
        }
        // Sessions begin with records of several kinds, so the first few are compared.
        if foreign.count < 50 {
            foreign.looks = foreign.looks.or_else(|| formats::looks_like(entry.text));
        }
    }

    /// Sets the format, which is known from a line on.
    pub(super) fn recognise(&mut self, format: Option<Format>, line: u64) {
        self.format = self.format.or(format);
        if let Some(foreign) = self.foreign.as_mut().filter(|_| format.is_some()) {
            foreign.known.get_or_insert(line);
        }
    }

    /// Reports that records weren't checked because their format is unknown.
    pub(super) fn report_foreign(&mut self) {
        let Some(UnknownRecords {
            line,
            count,
            looks,
            known,
            content,
        }) = &self.foreign
        else {
            return;
        };
        let (line, count, looks, known, content) =
            (*line, *count, *looks, *known, content.finish());
        let names: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
        let looks = looks
            .map(|name| format!("; this looks like {name}"))
            .unwrap_or_default();
        let message = match known {
            None => {
                format!(
                    "the format can't be determined: \
                     its records look like none of the known formats ({}){looks}",
                    names.join(", ")
                )
            }
            Some(known) => {
                let records = if count == 1 {
                    "1 record".to_owned()
                } else {
                    format!("{count} records")
                };
                format!(
                    "{records} before line {known} look like none of the known formats ({}) \
                     and were not checked{looks}",
                    names.join(", ")
                )
            }
        };
        self.finding(
            codes::UNKNOWN_FORMAT,
            (line, 0),
            &subject(["format", &content]),
            &message,
        );
    }
}
