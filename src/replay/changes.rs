//! What the actions of an execution have changed, as far as the record holds it.

use super::path_effects::{PathEffects, WorkTree};
use shell_effects::path::PathClass;
use shell_effects::{Analysis, Content, EffectKind};

/// What one action that ran and succeeded has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordedChange {
    /// Line of the input where it ran.
    pub line: u64,
    /// When, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// The diff, if it was one.
    pub diff: Option<String>,
    /// What it made of one file, where its parameters hold all of that.
    pub content: Option<(String, Content)>,
    /// Paths that its parameters, its command or `observedChanges` say it has written: their
    /// content isn't known.
    pub written: Vec<String>,
    /// It ran what may have changed anything, and nobody has recorded what changed.
    pub opaque: bool,
    /// The paths that were declared, where they were.
    pub declared: Option<Vec<String>>,
    /// The paths that were seen to change, where that is recorded.
    pub observed: Option<Vec<String>>,
}

/// What an action writes inside the work tree, by its effects; and whether it may write anything
/// else there.
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
    /// Bytes that it holds, roughly.
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

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.diff.is_none() && self.content.is_none() && self.written.is_empty() && !self.opaque
    }

    /// What an action has changed that reaches so far.
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
        // Where it is recorded what an action made of its file, and where it only reads, naming
        // files explains nothing about those.
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
