//! Changes that the actions of an execution made, as far as they are recorded.

use super::path_effects::{PathEffects, WorkTree};
use shell_effects::path::PathClass;
use shell_effects::{Analysis, Content, EffectKind};

/// Changes of one action that was executed and succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordedChange {
    /// Line of the input where it was executed.
    pub line: u64,
    /// Time in milliseconds since the epoch.
    pub time: Option<i64>,
    /// The diff, if the action is one.
    pub diff: Option<String>,
    /// Path and content of a file, if the parameters contain all of it.
    pub content: Option<(String, Content)>,
    /// Paths written according to its parameters, its command or `observedChanges`; their content
    /// is unknown.
    pub written: Vec<String>,
    /// It may have changed anything, and no record says what changed.
    pub opaque: bool,
    /// Declared paths, if recorded.
    pub declared: Option<Vec<String>>,
    /// Paths that were observed to change, if recorded.
    pub observed: Option<Vec<String>>,
}

/// Returns the paths that an action writes inside the work tree, by its effects, and whether it may
/// write others there.
pub(super) fn written(analysis: &Analysis, tree: &WorkTree) -> (Vec<String>, bool) {
    let root = format!("{}/", tree.places.workdir);
    let mut paths = Vec::new();
    let mut opaque = analysis.unparsed || analysis.truncated;
    for effect in &analysis.effects {
        match effect.kind {
            EffectKind::Write | EffectKind::Delete => match &effect.path_info {
                Some(place)
                    if place.class == PathClass::Inside
                        && !place.absolute.contains(['*', '?', '\0']) =>
                {
                    paths.extend(place.absolute.strip_prefix(&root).map(str::to_owned));
                }
                Some(place) if matches!(place.class, PathClass::Sink | PathClass::Temporary) => {}
                _ => opaque = true,
            },
            EffectKind::Read
            | EffectKind::GitRead
            | EffectKind::Network
            | EffectKind::Credential => {}
            _ => opaque = true,
        }
    }
    paths.sort();
    paths.dedup();
    (paths, opaque)
}

impl RecordedChange {
    /// Returns an estimate of the bytes that it owns.
    pub(super) fn weight(&self) -> usize {
        let paths = self
            .written
            .iter()
            .chain(self.declared.iter().flatten())
            .chain(self.observed.iter().flatten());
        size_of::<Self>()
            + self.diff.as_ref().map_or(0, String::len)
            + paths.map(|path| path.len() + 32).sum::<usize>()
    }

    /// Returns whether it contains no change.
    pub(super) fn is_empty(&self) -> bool {
        self.diff.is_none() && self.content.is_none() && self.written.is_empty() && !self.opaque
    }

    /// Collects the changes of an action from its path effects and from what was declared and
    /// observed.
    pub(super) fn of(
        line: u64,
        (diff, content): (Option<String>, Option<(String, Content)>),
        reach: Option<&PathEffects>,
        declared: Option<Vec<String>>,
        (observed, only_reads): (Option<Vec<String>>, bool),
    ) -> Self {
        let mut written = reach.map(|r| r.written.clone()).unwrap_or_default();
        let opaque = reach.is_some_and(|r| r.opaque) && observed.is_none();
        if let Some((path, _)) = &content {
            written.retain(|written| written != path);
        }
        // If the content is recorded or the action only reads, observed paths don't explain changes
        // of those files.
        if diff.is_none() && content.is_none() && !only_reads {
            written.extend(
                observed
                    .iter()
                    .flatten()
                    .map(|p| crate::trace::action::plain_path(p).into_owned()),
            );
        }
        written.sort();
        written.dedup();
        Self {
            line,
            time: None,
            diff,
            content,
            written,
            opaque,
            declared,
            observed,
        }
    }
}
