//! Which definitions of a file a map can show, and where.

use super::roles;
use super::snapshot::File;
use super::tags::Kind;

/// The deepest level that is shown. What is nested deeper is left out, so that levels can be told
/// by their indentation.
const DEEPEST: usize = 20;

/// The place of a definition among those that a map can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    /// The nearest enclosing definition with a line of its own.
    pub(super) parent: Option<u32>,
    pub(super) depth: usize,
}

/// The places of the definitions of a file, by their index; `None` for those that are never shown:
/// what is local to a call, namespaces, and what is nested too deeply.
pub(super) fn slots(file: &File) -> Vec<Option<Slot>> {
    let all = &file.tags.definitions;
    let mut out: Vec<Option<Slot>> = Vec::with_capacity(all.len());
    // Of each definition, the innermost line at or around it, and whether calls may be around.
    let mut around: Vec<(Option<u32>, bool)> = Vec::with_capacity(all.len());
    for (at, definition) in (0_u32..).zip(all) {
        let outer = definition.within.map(|w| w as usize);
        let (line, is_local) = outer
            .and_then(|w| Some((around.get(w)?, all.get(w)?)))
            .map_or((None, false), |((line, is_local), outer)| {
                (*line, *is_local || outer.kind.is_callable())
            });
        let depth = line
            .and_then(|l| out.get(l as usize).copied().flatten())
            .map_or(0, |slot: Slot| slot.depth + 1);
        let is_hidden =
            is_local || depth > DEEPEST || roles::is_namespace(definition, file.language);
        if is_hidden {
            out.push(None);
            around.push((line, is_local || depth > DEEPEST));
        } else {
            out.push(Some(Slot {
                parent: line,
                depth,
            }));
            around.push((Some(at), false));
        }
    }
    out
}

/// Returns whether a definition can be chosen for a map, and isn't shown only as what contains
/// others.
pub(super) fn is_candidate(file: &File, at: u32, slot: Option<Slot>) -> bool {
    let definition = file.tags.definitions.get(at as usize);
    slot.is_some()
        && definition
            .is_some_and(|d| d.kind != Kind::Implementation && !roles::is_trivial(d, file.language))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::of_file;

    #[test]
    fn namespaces_and_locals_have_no_place() {
        let text = "namespace a { namespace b {\nclass C { void m() {} };\nvoid f() {}\n} }\n";
        let file = of_file("x.cpp", text.as_bytes()).unwrap().unwrap();
        let found: Vec<_> = file
            .tags
            .definitions
            .iter()
            .zip(slots(&file))
            .map(|(d, s)| (d.name.as_str(), s.map(|s| (s.parent, s.depth))))
            .collect();
        assert_eq!(
            found,
            [
                ("a", None),
                ("b", None),
                ("C", Some((None, 0))),
                ("m", Some((Some(2), 1))),
                ("f", Some((None, 0))),
            ]
        );
        let file = of_file("x.rs", b"fn f() { fn g() { struct S; } }\n").unwrap();
        assert_eq!(
            slots(&file.unwrap()).iter().filter(|s| s.is_some()).count(),
            1
        );
        let deep = "mod m { ".repeat(60) + &"}".repeat(60);
        let file = of_file("x.rs", deep.as_bytes()).unwrap().unwrap();
        let shown = slots(&file);
        assert_eq!(shown.len(), 60);
        assert_eq!(shown.iter().filter(|s| s.is_some()).count(), DEEPEST + 1);
    }
}
