//! Patches in the format of Codex: `*** Begin Patch`, one section per file, `*** End Patch`.

use crate::effect::Span;
use crate::interpreter::engine::Engine;
use crate::tools::tool::clean;
use crate::tools::tool_line;

/// A file header of a patch.
#[derive(Debug, PartialEq, Eq)]
enum Section<'t> {
    Add(&'t str),
    Update(&'t str),
    Delete(&'t str),
    /// New path of the preceding section's file.
    MoveTo(&'t str),
}

/// Splits a patch into its sections. Returns false if the text breaks the format: a more lenient
/// reader may then find other sections.
fn sections(text: &str) -> (Vec<Section<'_>>, bool) {
    let mut found: Vec<Section<'_>> = Vec::new();
    let mut lines = text.trim().lines().map(|line| line.trim_end_matches('\r'));
    let mut ordered = lines
        .next()
        .is_some_and(|line| line.trim() == "*** Begin Patch");
    let mut ended = false;
    for line in lines {
        let header = line.trim();
        let named = |word: &str| {
            let path = header.strip_prefix(word)?.trim();
            Some(path).filter(|path| !path.is_empty())
        };
        // Lines of a file begin with a prefix of their own; none of them is a header.
        let within = line.starts_with(['+', '-', ' ']);
        let last = found.last();
        let updates = matches!(last, Some(Section::Update(_) | Section::MoveTo(_)));
        if ended {
            ordered = false;
        } else if within && updates
            || line.starts_with('+') && matches!(last, Some(Section::Add(_)))
        {
            // A line of the file.
        } else if let Some(path) = named("*** Add File:") {
            found.push(Section::Add(path));
        } else if let Some(path) = named("*** Update File:") {
            found.push(Section::Update(path));
        } else if let Some(path) = named("*** Delete File:") {
            found.push(Section::Delete(path));
        } else if let Some(path) = named("*** Move to:") {
            ordered &= matches!(last, Some(Section::Update(_)));
            found.push(Section::MoveTo(path));
        } else if header == "*** End Patch" {
            ended = true;
        } else {
            let place = header.starts_with("@@") || header == "*** End of File";
            ordered &= updates && (place || line.is_empty());
        }
    }
    (found, ordered && ended)
}

/// Returns the paths of a patch's files, in order.
pub(super) fn files(text: &str) -> Vec<&str> {
    let paths = sections(text).0.into_iter().map(|section| match section {
        Section::Add(path)
        | Section::Update(path)
        | Section::Delete(path)
        | Section::MoveTo(path) => path,
    });
    paths.collect()
}

/// Handles a parameter that is a patch.
pub(super) fn known_patch(cx: &mut Engine<'_>, text: &str) {
    if !text.contains("*** ") && tool_line::tool_patch(cx, text) {
        return;
    }
    let text = clean(text);
    let (found, ordered) = sections(&text);
    for (n, section) in found.iter().enumerate() {
        match section {
            Section::Add(path) | Section::MoveTo(path) => cx.path_write(*path),
            Section::Update(path) if matches!(found.get(n + 1), Some(Section::MoveTo(_))) => {
                cx.path_move(*path);
            }
            Section::Update(path) => cx.path_write(*path),
            Section::Delete(path) => cx.path_delete(*path, false),
        }
    }
    if !ordered || found.is_empty() {
        // The sections that a more lenient reader finds apply as well.
        tool_line::tool_patch(cx, &text);
        cx.emit_unknown(None, Span::default(), "not understood as a patch");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_within_files_are_text() {
        let text = concat!(
            "*** Begin Patch\n*** Add File: a b.txt\n+*** Delete File: x\n+\n",
            "*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@ fn f()\n *** Update File: y\n",
            "-a\n+b\n\n*** End of File\n*** Delete File: c\n*** End Patch\n"
        );
        let expected = vec![
            Section::Add("a b.txt"),
            Section::Update("src/a.rs"),
            Section::MoveTo("src/b.rs"),
            Section::Delete("c"),
        ];
        assert_eq!(sections(text), (expected, true));
        let text = text.replace('\n', "\r\n");
        let (found, ordered) = sections(&text);
        assert_eq!((found.len(), ordered), (4, true));
    }

    #[test]
    fn broken_formats_are_detected() {
        for text in [
            "",
            "*** Begin Patch",
            "*** Begin Patch\n*** Update File: a\n-a\n+b",
            "*** Update File: a\n-a\n+b\n*** End Patch",
            "*** Begin Patch\n*** Update File:\n-a\n*** End Patch",
            "*** Begin Patch\n*** Move to: a\n*** End Patch",
            "*** Begin Patch\n*** Delete File: a\n-a\n*** End Patch",
            "*** Begin Patch\n*** Add File: a\nb\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n+b\n*** End Patch\n*** Update File: c\n+d",
            "*** Begin Patch\n*** Rename File: a\n*** End Patch",
        ] {
            assert!(!sections(text).1, "{text}");
        }
    }
}
