//! What a record must not hold, whatever it is a record of: text that hides from its reader.
//!
//! Every byte of an input passes here, and nearly all of them are innocent. So each question is asked
//! twice: first of the text as it is written, quickly and generously; then, only where that gave cause,
//! of the strings that are meant.

mod hidden;
mod letters;
mod strings;

/// Something that a scan has found in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Byte offset into the record as written, and how many bytes.
    pub at: (usize, usize),
    /// What was found. Names code points; holds no text that acts or hides.
    pub message: String,
}

/// Texts of one record that are reported; the rest is counted.
const MOST: usize = 12;

/// Finds text that hides from its reader in the strings of a record, which is valid JSON. One remark
/// for each string, and none that says the same as an earlier one.
#[must_use]
pub fn hidden_text(record: &str) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = Vec::new();
    if !may_hide(record) {
        return remarks;
    }
    let mut left_out = 0_usize;
    strings::each(record, |string| {
        if !may_hide(string.inner) {
            return;
        }
        let role = string.role();
        let decoded = string.decode(record);
        let sightings = hidden::find(&decoded, role);
        let Some(first) = sightings.first() else {
            return;
        };
        let message = format!("{} holds {}", role.name(), hidden::describe(&sightings));
        if remarks.iter().any(|r| r.message == message) {
            return;
        }
        if remarks.len() == MOST {
            left_out += 1;
            return;
        }
        let start = string.offset(first.at);
        remarks.push(Remark { at: (start, string.offset(first.at + first.length) - start), message });
    });
    if left_out > 0
        && let Some(last) = remarks.last_mut()
    {
        last.message.push_str(&format!(" ({left_out} more texts of this record hide something)"));
    }
    remarks
}

/// Whether the text as written holds a character of interest, raw or as an escape.
fn may_hide(text: &str) -> bool {
    raw_of_interest(text) || escape_of_interest(text)
}

fn raw_of_interest(text: &str) -> bool {
    if text.is_ascii() {
        // No other control character may stand raw in a string.
        return memchr::memchr(0x7f, text.as_bytes()).is_some();
    }
    text.chars().any(|c| (!c.is_ascii() || c == '\u{7f}') && hidden::is_of_interest(c))
}

fn escape_of_interest(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, br"\u").any(|at| {
        let unit = text.get(at + 2..at + 6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match unit {
            // The planes of tags and selectors, of styled letters, of format controls.
            Some(0xDB40 | 0xD835 | 0xD834 | 0xD82F) => true,
            Some(unit) => char::from_u32(unit).is_some_and(hidden::is_of_interest),
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn remarks_point_into_the_record() {
        let record = r#"{"reasoning":"fine","command":"l\u0073 x\u202ey","output":"\u001b[1m"}"#;
        let remarks = hidden_text(record);
        assert_eq!(remarks.len(), 1);
        assert_eq!(remarks[0].message, "a command holds U+202E (right-to-left override)");
        let (at, length) = remarks[0].at;
        assert_eq!(&record[at..at + length], r"\u202e");
    }

    #[test]
    fn the_same_is_said_once_and_many_are_counted() {
        let record = format!("{{\"a\":[{}]}}", vec!["\"\u{200b}\""; 50].join(","));
        assert_eq!(hidden_text(&record).len(), 1);
        let many: Vec<String> = (1..50).map(|n| format!("\"{}\"", "\u{200b}".repeat(n))).collect();
        let remarks = hidden_text(&format!("{{\"a\":[{}]}}", many.join(",")));
        assert_eq!(remarks.len(), MOST);
        assert!(remarks[MOST - 1].message.ends_with("(37 more texts of this record hide something)"));
    }

    proptest! {
        /// The quick look never misses what the thorough one would find, however the text is written.
        #[test]
        fn the_quick_look_is_generous(text in "[ -~а\u{7f}-\u{9f}\u{200b}-\u{202e}\u{feff}\u{e0000}-\u{e007f}\u{1d400}😀]{0,12}", ascii in any::<bool>()) {
            let mut written = serde_json::to_string(&[&text]).unwrap();
            if ascii {
                written = written.chars().map(|c| if c.is_ascii() { c.to_string() } else {
                    c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect()
                }).collect();
            }
            let record = format!("{{\"path\":{written}}}");
            let found = !hidden::find(&text, strings::Role::Path).is_empty();
            prop_assert_eq!(found, !hidden_text(&record).is_empty());
        }
    }
}
