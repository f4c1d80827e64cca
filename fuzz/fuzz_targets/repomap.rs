#![no_main]

//! Any text gives tags with valid positions in every language, and is accepted or refused as a
//! map's settings.

use libfuzzer_sys::fuzz_target;
use repo_map::{Language, Settings, extract};

fuzz_target!(|text: &str| {
    let _ = Settings::of_map(text);
    for language in Language::ALL {
        let Ok(tags) = extract(language, text) else { continue };
        for (at, definition) in tags.definitions.iter().enumerate() {
            assert!(definition.within.is_none_or(|w| (w as usize) < at));
            assert!(!definition.signature.contains(char::is_control));
        }
        for reference in &tags.references {
            assert!((reference.name as usize) < tags.names.len());
        }
    }
});
