//! Private keys that are written as an array of lines.

use super::SecretCollector;
use super::joined::JoinedText;
use super::secret::{Table, key, keys};
use super::strings::{Offsets, RecordString};

/// Maximum number of bytes of an array that are read as one key.
const MOST: usize = 64 << 10;

/// The strings of an array, from the one in which a key starts and doesn't end.
#[derive(Debug, Default)]
pub(super) struct ListedKey<'a> {
    open: Option<(usize, JoinedText<Offsets<'a>>)>,
}

impl<'a> ListedKey<'a> {
    /// Takes the next string of a record, with its decoded text and offsets.
    pub(super) fn read(
        &mut self,
        table: &Table,
        string: &RecordString<'a>,
        (decoded, offsets): (&str, Offsets<'a>),
        collector: &mut SecretCollector,
    ) {
        let Some(list) = string.list else { return };
        if key::is_open(decoded) {
            self.end(table, collector);
            self.open = Some((list, JoinedText::default()));
        }
        let Some((_, lines)) = self.open.as_mut().filter(|(open, _)| *open == list) else {
            return;
        };
        lines.push("\n", decoded, offsets);
        if key::ends(decoded) || lines.text().len() > MOST {
            self.end(table, collector);
        }
    }

    /// Adds a key that spans several strings. A key within the first string was found before.
    pub(super) fn end(&mut self, table: &Table, collector: &mut SecretCollector) {
        let Some((_, mut lines)) = self.open.take() else {
            return;
        };
        let text = lines.text().to_owned();
        for key in keys(table, &text) {
            let pieces = lines.pieces(key.start..key.end);
            let places: Vec<_> = pieces
                .map(|(offsets, place)| offsets.range(place))
                .collect();
            if places.len() > 1 {
                collector.add_parts(places, key.describe(&text));
            }
        }
    }
}
