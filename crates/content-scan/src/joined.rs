//! Separate texts that form one.

use std::ops::Range;

/// Concatenated texts, each with data to find its original position.
#[derive(Debug)]
pub(super) struct JoinedText<P> {
    text: String,
    /// The range of each text within `text`.
    parts: Vec<(Range<usize>, P)>,
}

impl<P> Default for JoinedText<P> {
    fn default() -> Self {
        Self {
            text: String::new(),
            parts: Vec::new(),
        }
    }
}

impl<P> JoinedText<P> {
    /// Appends a text. `between` separates it from the previous one.
    pub(super) fn push(&mut self, between: &str, text: &str, part: P) {
        if !self.parts.is_empty() {
            self.text.push_str(between);
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.parts.push((start..self.text.len(), part));
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the parts that a range of the whole text touches, each with the bytes within the
    /// part.
    pub(super) fn pieces(
        &mut self,
        stretch: Range<usize>,
    ) -> impl Iterator<Item = (&mut P, Range<usize>)> {
        let first = self
            .parts
            .partition_point(|(place, _)| place.end <= stretch.start);
        let touched = self
            .parts
            .iter_mut()
            .skip(first)
            .take_while(move |(place, _)| place.start < stretch.end);
        touched
            .filter(|(place, _)| !place.is_empty())
            .map(move |(place, part)| {
                let from = stretch.start.max(place.start) - place.start;
                let to = stretch.end.min(place.end) - place.start;
                (part, from..to)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_what_the_stretch_says(texts in proptest::collection::vec("[a-z]{0,4}", 0..8), between in "-{0,2}", from in 0_usize..40, length in 0_usize..40) {
            let mut joined = JoinedText::default();
            for text in &texts {
                joined.push(&between, text, text.clone());
            }
            prop_assert_eq!(joined.text(), texts.join(&between));
            let from = from.min(joined.text().len());
            let stretch = from..(from + length).min(joined.text().len());
            let expected = joined.text().get(stretch.clone()).unwrap().replace('-', "");
            let pieces: String = joined.pieces(stretch).map(|(text, place)| text.get(place).unwrap().to_owned()).collect();
            prop_assert_eq!(pieces, expected);
        }
    }
}
