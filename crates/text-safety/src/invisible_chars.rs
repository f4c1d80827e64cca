//! Characters without a visible form.

/// Returns whether a text has no visible letter or digit.
pub fn says_nothing(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c.is_alphanumeric() && !is_ignorable(c))
}

/// Returns whether a character is ignored when text is displayed (`Default_Ignorable_Code_Point` of
/// the Unicode Character Database). This includes zero-width characters, bidirectional controls,
/// fillers, selectors and tags.
pub const fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}
