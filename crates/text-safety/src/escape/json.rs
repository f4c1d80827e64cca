//! Escapes JSON that people read on a terminal or in a CI log.

use std::borrow::Cow;

/// Escapes everything in JSON text that acts on a terminal or a CI runner as `\uhhhh`. Outside of
/// strings, valid JSON contains no such characters except line breaks, which are kept.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    // Nearly all text is plain.
    let plain = |byte: u8| matches!(byte, b' '..=b'"' | b'$'..=b'~' | b'\n');
    if text.bytes().fold(true, |all, byte| all & plain(byte)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let opens = c == '#' && safe.ends_with('#') && super::opens_command(rest.as_str());
        if c == '\n' || !(opens || super::is_dangerous(c)) {
            safe.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    Cow::Owned(safe)
}

/// A writer that applies [`harmless`] to JSON text. Each written piece must be valid UTF-8, which
/// serializers guarantee.
pub struct Harmless<W>(pub W);

impl<W: std::io::Write> std::io::Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(std::io::Error::other)?;
        self.0.write_all(harmless(text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}
