//! Tokens of C and C++: enough to find calls of macros outside of comments and strings.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or a keyword.
    Word,
    /// A number, a string or a character.
    Literal,
    /// `::`
    Scope,
    /// Any other single character.
    Symbol(u8),
    /// A line of the preprocessor, with its continuations.
    Directive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it is the first one of its line.
    pub(super) is_first: bool,
    /// For a bracket, the index of its partner.
    pub(super) partner: Option<usize>,
}

/// Splits a text into tokens, without partners. Takes time that is linear in its length.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut out: Vec<Token> = Vec::new();
    let (mut at, mut is_first) = (0, true);
    while let Some(byte) = bytes.get(at).copied() {
        let next = bytes.get(at + 1).copied();
        let (kind, end) = match byte {
            b'\n' => {
                is_first = true;
                at += 1;
                continue;
            }
            b'/' if next == Some(b'/') => {
                at = end_of_line(bytes, at);
                continue;
            }
            b'/' if next == Some(b'*') => {
                at = find(bytes, at + 2, b"*/");
                continue;
            }
            b if b.is_ascii_whitespace() || b == b'\\' => {
                at += 1;
                continue;
            }
            b'#' if is_first => (TokenKind::Directive, end_of_directive(bytes, at)),
            b'"' | b'\'' => (TokenKind::Literal, end_of_quoted(bytes, at)),
            b'0'..=b'9' => (TokenKind::Literal, end_of_number(bytes, at)),
            b if is_word(b) => {
                let end = skip(bytes, at, is_word);
                let is_raw = bytes.get(end) == Some(&b'"') && bytes.get(end - 1) == Some(&b'R');
                let raw = if is_raw { end_of_raw(bytes, end) } else { None };
                raw.map_or((TokenKind::Word, end), |end| (TokenKind::Literal, end))
            }
            b':' if next == Some(b':') => (TokenKind::Scope, at + 2),
            b => (TokenKind::Symbol(b), at + 1),
        };
        out.push(Token {
            kind,
            start: at,
            end,
            is_first,
            partner: None,
        });
        is_first = false;
        at = end;
    }
    out
}

/// Finds the partner of each bracket. A brace also closes brackets that were left open inside.
pub(super) fn pair(tokens: &mut [Token]) {
    let mut open: Vec<(usize, u8)> = Vec::new();
    for here in 0..tokens.len() {
        let opening = match tokens.get(here).map(|t| t.kind) {
            Some(TokenKind::Symbol(b @ (b'(' | b'[' | b'{'))) => {
                open.push((here, b));
                continue;
            }
            Some(TokenKind::Symbol(b')')) => b'(',
            Some(TokenKind::Symbol(b']')) => b'[',
            Some(TokenKind::Symbol(b'}')) => b'{',
            _ => continue,
        };
        if opening == b'{' {
            while open.last().is_some_and(|(_, b)| *b != b'{') {
                open.pop();
            }
        }
        let Some((there, _)) = open.pop_if(|(_, b)| *b == opening) else {
            continue;
        };
        for (at, partner) in [(there, here), (here, there)] {
            if let Some(token) = tokens.get_mut(at) {
                token.partner = Some(partner);
            }
        }
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn skip(bytes: &[u8], from: usize, is_in: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|b| !is_in(*b)).unwrap_or(rest.len())
}

fn find(bytes: &[u8], from: usize, needle: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    memchr::memmem::find(rest, needle).map_or(bytes.len(), |at| from + at + needle.len())
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

/// Returns the end of a directive: the first line break that no backslash precedes. A block comment
/// may hide line breaks.
fn end_of_directive(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => {
                let is_crlf = bytes.get(at + 1) == Some(&b'\r');
                at += if is_crlf { 3 } else { 2 };
            }
            b'\n' => return at,
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = find(bytes, at + 2, b"*/"),
            b'/' if bytes.get(at + 1) == Some(&b'/') => return end_of_line(bytes, at),
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Returns the end of a string or a character. It ends with its line at the latest.
fn end_of_quoted(bytes: &[u8], from: usize) -> usize {
    let quote = bytes.get(from).copied();
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            b if Some(b) == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Returns the end of a number: `1'000.5e-3f`.
fn end_of_number(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        at = skip(bytes, at, |b| is_word(b) || b == b'.');
        let is_separator = bytes.get(at) == Some(&b'\'')
            && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !is_separator {
            return at;
        }
        at += 1;
    }
}

/// Returns the end of a raw string whose quotation mark is at `quote`: `R"name(…)name"`.
fn end_of_raw(bytes: &[u8], quote: usize) -> Option<usize> {
    let name = bytes.get(quote + 1..)?;
    let length = name.iter().take(17).position(|b| *b == b'(')?;
    let mut end = vec![b')'];
    end.extend_from_slice(name.get(..length)?);
    end.push(b'"');
    Some(find(bytes, quote + 1, &end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<&str> {
        let all = tokens(text);
        all.iter()
            .filter_map(|t| text.get(t.start..t.end))
            .collect()
    }

    #[test]
    fn a_text_is_split_into_tokens() {
        assert_eq!(
            texts("a::b /* c */ (1'000.5e3f, 'x', \"\\\"}\") // d\n e;"),
            [
                "a",
                "::",
                "b",
                "(",
                "1'000.5e3f",
                ",",
                "'x'",
                ",",
                "\"\\\"}\"",
                ")",
                "e",
                ";"
            ]
        );
        assert_eq!(
            texts("#define A \\\n b /* \n */ c\nx R\"y({)y\" #"),
            ["#define A \\\n b /* \n */ c", "x", "R\"y({)y\"", "#"]
        );
        assert_eq!(texts("'a\nb"), ["'a", "b"]);
    }

    #[test]
    fn brackets_have_partners() {
        let partners = |text: &str| {
            let mut all = tokens(text);
            pair(&mut all);
            all.iter().map(|t| t.partner).collect::<Vec<_>>()
        };
        assert_eq!(partners("(())"), [Some(3), Some(2), Some(1), Some(0)]);
        assert_eq!(partners("{ ( }"), [Some(2), None, Some(0)]);
        assert_eq!(partners("( ] )"), [Some(2), None, Some(0)]);
    }

    proptest! {
        #[test]
        fn tokens_are_in_order(text in "([#\"'/*(){}\\\\\nR:a1 ]|\\PC){0,60}") {
            let mut last = 0;
            for token in tokens(&text) {
                prop_assert!(last <= token.start && token.start < token.end);
                prop_assert!(text.len() >= token.end);
                last = token.end;
            }
        }
    }
}
