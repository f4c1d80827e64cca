#![no_main]

//! Any text gives tags with valid positions in a language, which the first byte of the input
//! selects. It is accepted or refused as a map, which is compared with an empty tree.

use libfuzzer_sys::fuzz_target;
use repo_map::{Inputs, Language, Previous, Settings, Snapshot, compare, extract};

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    if let Ok(settings) = Settings::of_map(text) {
        let _ = Previous::from_map(text);
        let _ = compare(text, &Snapshot::default(), &settings, Inputs::default());
    }
    let Some(language) = Language::ALL.into_iter().cycle().nth(usize::from(choice)) else { return };
    let Ok(tags) = extract(language, text) else { return };
    for (at, definition) in tags.definitions.iter().enumerate() {
        assert!(definition.within.is_none_or(|w| (w as usize) < at));
        assert!(!definition.signature.contains(char::is_control));
    }
    for reference in &tags.references {
        assert!((reference.name as usize) < tags.names.len());
    }
});
