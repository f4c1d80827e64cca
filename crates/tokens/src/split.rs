//! The pieces that an encoding counts by themselves.
//!
//! Both encodings publish a regular expression for this. A walk by hand over classes of characters
//! gives the same pieces, in a fraction of the time; the expression is its oracle in the tests.

use super::Encoding;
use std::sync::LazyLock;

/// What a character may be, as bits.
mod class {
    /// A capital or title-case letter.
    pub(super) const UPPER: u8 = 1;
    /// A small letter.
    pub(super) const LOWER: u8 = 2;
    /// A letter without case, or one that modifies others.
    pub(super) const OTHER: u8 = 4;
    /// A mark: goes with letters, and is none.
    pub(super) const MARK: u8 = 8;
    /// A number.
    pub(super) const NUMBER: u8 = 16;
    /// White space that ends no line.
    pub(super) const SPACE: u8 = 32;
    /// Carriage return or line feed.
    pub(super) const END: u8 = 64;

    pub(super) const LETTER: u8 = UPPER | LOWER | OTHER;
    /// May stand at the beginning of a word.
    pub(super) const HEAD: u8 = UPPER | OTHER | MARK;
    /// May stand at the end of a word.
    pub(super) const TAIL: u8 = LOWER | OTHER | MARK;
}

/// The class of every character, by its number. Out of the same tables as the regular expressions.
static CLASSES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut all = vec![0; 0x11_0000];
    for (pattern, bit) in [
        (r"[\p{Lu}\p{Lt}]", class::UPPER),
        (r"\p{Ll}", class::LOWER),
        (r"[\p{Lm}\p{Lo}]", class::OTHER),
        (r"\p{M}", class::MARK),
        (r"\p{N}", class::NUMBER),
        (r"[\s&&[^\r\n]]", class::SPACE),
        (r"[\r\n]", class::END),
    ] {
        for (start, end) in super::characters(pattern) {
            if let Some(part) = all.get_mut(start as usize..=end as usize) {
                for c in part {
                    *c |= bit;
                }
            }
        }
    }
    all
});

/// The pieces of a text, in its order; together they are all of it.
pub(super) struct Pieces<'t> {
    encoding: Encoding,
    classes: &'static [u8],
    text: &'t str,
    at: usize,
}

impl<'t> Pieces<'t> {
    pub fn of(encoding: Encoding, text: &'t str) -> Self {
        Self {
            encoding,
            classes: &CLASSES,
            text,
            at: 0,
        }
    }

    /// The class of the character that begins at a place, and where the next one begins; `None` at
    /// the end.
    fn step(&self, at: usize) -> Option<(u8, usize)> {
        let first = *self.text.as_bytes().get(at)?;
        if first < 0x80 {
            return Some((
                self.classes
                    .get(usize::from(first))
                    .copied()
                    .unwrap_or_default(),
                at + 1,
            ));
        }
        let c = self.text.get(at..)?.chars().next()?;
        Some((
            self.classes.get(c as usize).copied().unwrap_or_default(),
            at + c.len_utf8(),
        ))
    }

    /// The end of the run of characters of some classes.
    fn run(&self, mut at: usize, classes: u8) -> usize {
        while let Some((class, next)) = self.step(at)
            && class & classes != 0
        {
            at = next;
        }
        at
    }

    /// The end of the run of characters that are neither space nor letter nor number.
    fn signs(&self, mut at: usize) -> usize {
        while let Some((class, next)) = self.step(at)
            && class & !class::MARK == 0
        {
            at = next;
        }
        at
    }

    /// Letters that may begin a word, then at least one that may end it.
    fn mixed(&self, start: usize) -> Option<usize> {
        let mut at = start;
        // Behind the last of the run that may end a word as well.
        let mut both = None;
        while let Some((class, next)) = self.step(at)
            && class & class::HEAD != 0
        {
            at = next;
            if class & class::TAIL != 0 {
                both = Some(next);
            }
        }
        let end = self.run(at, class::TAIL);
        if end > at { Some(end) } else { both }
    }

    /// A word of `o200k_base`: small letters behind capitals, or capitals alone, with a contraction
    /// behind it.
    fn word_by_case(&self, first: (u8, usize)) -> Option<usize> {
        let behind =
            (first.0 & (class::END | class::LETTER | class::NUMBER) == 0).then_some(first.1);
        let capitals = |at: usize| Some(self.run(at, class::HEAD)).filter(|end| *end > at);
        let end = behind
            .and_then(|at| self.mixed(at))
            .or_else(|| self.mixed(self.at));
        let end = end
            .or_else(|| behind.and_then(capitals))
            .or_else(|| capitals(self.at))?;
        Some(self.contraction(end).unwrap_or(end))
    }

    /// A word of `cl100k_base`: letters.
    fn word(&self, first: (u8, usize)) -> Option<usize> {
        let letters = |at: usize| Some(self.run(at, class::LETTER)).filter(|end| *end > at);
        let prefix = first.0 & (class::END | class::LETTER | class::NUMBER) == 0;
        if prefix {
            letters(first.1)
        } else {
            letters(self.at)
        }
    }

    /// The end of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` in any case.
    fn contraction(&self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?.strip_prefix('\'')?;
        // The long s folds to an s.
        if let Some(long) = rest.strip_prefix('ſ') {
            return Some(self.text.len() - long.len());
        }
        let bytes = rest.as_bytes();
        let two = bytes.get(..2).map(<[u8]>::to_ascii_lowercase);
        match (bytes.first()?.to_ascii_lowercase(), two.as_deref()) {
            (b's' | b't' | b'm' | b'd', _) => Some(at + 2),
            (_, Some(b"re" | b"ve" | b"ll")) => Some(at + 3),
            _ => None,
        }
    }

    /// White space: up to its last line end, or else all but the last, which goes with what
    /// follows.
    fn space(&self) -> usize {
        let mut at = self.at;
        let (mut lines, mut before_last) = (None, at);
        while let Some((class, next)) = self.step(at)
            && class & (class::SPACE | class::END) != 0
        {
            if class & class::END != 0 {
                lines = Some(next);
            }
            before_last = at;
            at = next;
        }
        match lines {
            Some(end) => end,
            None if at == self.text.len() || before_last == self.at => at,
            None => before_last,
        }
    }

    fn end(&self) -> Option<usize> {
        let first = self.step(self.at)?;
        let word = match self.encoding {
            Encoding::O200k => self.word_by_case(first),
            Encoding::Cl100k => self.contraction(self.at).or_else(|| self.word(first)),
        };
        if word.is_some() {
            return word;
        }
        if first.0 & class::NUMBER != 0 {
            let mut at = first.1;
            for _ in 0..2 {
                at = self
                    .step(at)
                    .filter(|(class, _)| class & class::NUMBER != 0)
                    .map_or(at, |(_, next)| next);
            }
            return Some(at);
        }
        let start = if self.text.as_bytes().get(self.at) == Some(&b' ') {
            first.1
        } else {
            self.at
        };
        let end = self.signs(start);
        if end == start {
            return Some(self.space());
        }
        let tail: &[u8] = if self.encoding == Encoding::O200k {
            b"\r\n/"
        } else {
            b"\r\n"
        };
        let behind = self.text.as_bytes().get(end..).unwrap_or_default();
        Some(end + behind.iter().take_while(|b| tail.contains(b)).count())
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let end = self.end()?;
        let piece = self.text.get(self.at..end);
        self.at = end;
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(text: &str) {
        for encoding in Encoding::ALL {
            let expected: Vec<&str> = encoding.tokenizer().split(text).collect();
            let pieces: Vec<&str> = Pieces::of(encoding, text).collect();
            assert_eq!(pieces, expected, "{} {text:?}", encoding.name());
        }
    }

    #[test]
    fn pieces_are_those_of_the_expression() {
        for text in [
            "",
            " ",
            "  \n  x",
            "   x",
            "x  ",
            "don't DON'T I'LLx it'ſ we'Re'd",
            "parseHTTPHeader ABCdef 日本ABC ABC日 é e\u{301} \u{301}A",
            "12345 ½³ 一二",
            "a//b///\n\n/ //\r\n ?!\n",
            "\t\tx\u{a0}\u{a0}y\u{2003}z",
            "ǅx ʰA ⅣV",
        ] {
            same(text);
        }
    }

    #[test]
    fn every_class_is_there() {
        let class = |c: char| CLASSES[c as usize];
        assert_eq!(
            ['A', 'a', '一', '\u{301}', '1', ' ', '\n', '!'].map(class),
            [
                class::UPPER,
                class::LOWER,
                class::OTHER,
                class::MARK,
                class::NUMBER,
                class::SPACE,
                class::END,
                0
            ]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn pieces_of_hard_texts(text in "([aAsStTrReEvVlLdDmM'ſ /\r\n\t0一\u{301}ʰǅ½!\u{a0}]){0,24}") {
            same(&text);
        }

        #[test]
        fn pieces_of_any_text(text in "(\\PC|\\s|\\p{Lu}|\\p{Lm}|\\p{M}|'){0,40}") {
            same(&text);
        }
    }
}
