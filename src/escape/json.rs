//! Text in JSON that somebody looks at.

/// JSON text with what acts on a terminal or a runner written as `\uhhhh`. Outside of strings JSON has no
/// such characters but line ends, which stay.
pub fn harmless(text: &str) -> String {
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
    safe
}
