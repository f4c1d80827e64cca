#![no_main]

//! Any text gives tags with valid positions in every language, and is accepted or refused as a
//! map, which is compared with an empty tree.

use libfuzzer_sys::fuzz_target;
use repo_map::{Inputs, Language, Previous, Settings, Snapshot, compare, extract};

fuzz_target!(|text: &str| {
    if let Ok(settings) = Settings::of_map(text) {
        let _ = Previous::from_map(text);
        let _ = compare(text, &Snapshot::default(), &settings, Inputs::default());
    }
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
