//! Posting lists: the documents of a word, with frequencies.

/// A document's place in a segment, and the frequency of a word in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::knowledge) struct Posting {
    pub(in crate::knowledge) document: u32,
    pub(in crate::knowledge) count: u32,
}

/// A posting list that is being written. Documents must be ascending. Each is encoded as twice the
/// distance to the previous one, plus one if the frequency is 1; otherwise the frequency follows.
/// Numbers are little-endian base 128.
#[derive(Debug)]
pub(super) struct List<'b> {
    bytes: &'b mut Vec<u8>,
    /// The last document written.
    last: u32,
}

impl<'b> List<'b> {
    /// Creates an empty list after the content of `bytes`.
    pub(super) const fn new(bytes: &'b mut Vec<u8>) -> Self {
        Self { bytes, last: 0 }
    }

    pub(super) fn push(&mut self, posting: Posting) {
        let distance = u64::from(posting.document - self.last);
        self.last = posting.document;
        number(distance << 1 | u64::from(posting.count == 1), self.bytes);
        if posting.count != 1 {
            number(u64::from(posting.count), self.bytes);
        }
    }

    /// Appends another list, whose last document is `end`, with its documents moved by `by`.
    pub(super) fn append(&mut self, list: &[u8], end: u32, by: u32) {
        let mut rest = list;
        let Some(head) = read(&mut rest) else { return };
        number(head + (u64::from(by - self.last) << 1), self.bytes);
        self.bytes.extend_from_slice(rest);
        self.last = by + end;
    }
}

/// Encodes a number.
pub(super) fn number(mut value: u64, out: &mut Vec<u8>) {
    while value > 0x7f {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Decodes a number from the front of some bytes; `None` if there is none.
pub(super) fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Passes every posting of a list to `visit`. `None` when the bytes aren't a list, or name a
/// document beyond `documents`.
pub(super) fn decode(
    mut bytes: &[u8],
    documents: usize,
    mut visit: impl FnMut(Posting),
) -> Option<()> {
    let mut document = 0_u64;
    while !bytes.is_empty() {
        let head = read(&mut bytes)?;
        document = document.checked_add(head >> 1)?;
        let count = if head & 1 == 1 {
            1
        } else {
            u32::try_from(read(&mut bytes)?).ok()?
        };
        if document >= documents as u64 {
            return None;
        }
        visit(Posting {
            document: u32::try_from(document).ok()?,
            count,
        });
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(bytes: &[u8], documents: usize) -> Option<Vec<Posting>> {
        let mut all = Vec::new();
        decode(bytes, documents, |p| all.push(p)).map(|()| all)
    }

    fn encoded(list: &[Posting]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut out = List::new(&mut bytes);
        for posting in list {
            out.push(*posting);
        }
        bytes
    }

    proptest! {
        #[test]
        fn lists_come_back(list in proptest::collection::btree_map(0_u32..5_000_000, 1_u32..300, 0..200), cut in 0_usize..200) {
            let list: Vec<Posting> = list.into_iter().map(|(document, count)| Posting { document, count }).collect();
            let bytes = encoded(&list);
            prop_assert_eq!(decoded(&bytes, 5_000_000), Some(list.clone()));
            // A list with a document that the segment doesn't have is refused.
            if let Some(last) = list.last() {
                prop_assert_eq!(decoded(&bytes, last.document as usize), None);
            }
            // In two parts, the second one relative to its first document.
            let (left, right) = list.split_at(cut.min(list.len()));
            let by = right.first().map_or(0, |p| p.document);
            let right: Vec<Posting> = right.iter().map(|p| Posting { document: p.document - by, ..*p }).collect();
            let mut joined = Vec::new();
            let mut out = List::new(&mut joined);
            for (part, by) in [(left, 0), (&right, by)] {
                out.append(&encoded(part), part.last().map_or(0, |p| p.document), by);
            }
            prop_assert_eq!(joined, bytes);
        }

        #[test]
        fn any_bytes_are_a_list_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Some(list) = decoded(&bytes, 1_000) {
                prop_assert!(list.iter().all(|p| p.document < 1_000));
            }
        }
    }
}
