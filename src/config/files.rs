//! Decides which files under `[traces] paths` are traces.

use super::{ConfigError, Traces, apply::glob};
use globset::GlobMatcher;

/// The compiled globs of `[traces]`.
#[derive(Debug)]
pub struct TraceGlobs {
    include: Option<Vec<Glob>>,
    exclude: Vec<Glob>,
}

/// What the globs say about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceMatch {
    /// `include` matches it.
    Trace,
    /// `exclude` matches it.
    Excluded,
    /// There is an `include`, and it doesn't match.
    NotIncluded,
    /// There is no `include`: the file's extension decides.
    Unsaid,
}

/// A glob over paths, or over names in any directory when it has no `/`.
#[derive(Debug)]
pub(super) struct Glob {
    matcher: GlobMatcher,
    names: bool,
}

impl Glob {
    fn fits(&self, path: &str) -> bool {
        self.matcher.is_match(if self.names {
            path.rsplit('/').next().unwrap_or(path)
        } else {
            path
        })
    }
}

fn globs(key: &str, patterns: &[String]) -> Result<Vec<Glob>, ConfigError> {
    patterns
        .iter()
        .map(|pattern| compile(key, pattern))
        .collect()
}

/// Compiles a glob of `include` or `exclude`.
pub(super) fn compile(key: &str, pattern: &str) -> Result<Glob, ConfigError> {
    match glob(pattern.strip_prefix("./").unwrap_or(pattern)) {
        Ok(matcher) => Ok(Glob {
            matcher,
            names: !pattern.contains('/'),
        }),
        Err(why) => Err(ConfigError::Glob {
            name: format!("traces.{key}"),
            why,
        }),
    }
}

impl Traces {
    /// Compiles `include` and `exclude`.
    ///
    /// # Errors
    /// When one of them isn't a valid glob.
    pub fn files(&self) -> Result<TraceGlobs, ConfigError> {
        let include = self
            .include
            .as_ref()
            .map(|patterns| globs("include", patterns))
            .transpose()?;
        Ok(TraceGlobs {
            include,
            exclude: globs("exclude", &self.exclude)?,
        })
    }
}

impl TraceGlobs {
    /// Classifies a file of a directory. The path is relative to the configuration, with `/` as
    /// separator.
    #[must_use]
    pub fn classify(&self, path: &str) -> TraceMatch {
        if self.exclude.iter().any(|g| g.fits(path)) {
            return TraceMatch::Excluded;
        }
        match &self.include {
            None => TraceMatch::Unsaid,
            Some(include) if include.iter().any(|g| g.fits(path)) => TraceMatch::Trace,
            Some(_) => TraceMatch::NotIncluded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn files(keys: &str) -> TraceGlobs {
        Config::parse("x.toml", &format!("[traces]\npaths = []\n{keys}"))
            .unwrap()
            .traces
            .unwrap()
            .files()
            .unwrap()
    }

    #[test]
    fn globs_are_relative_to_the_configuration() {
        let all = files("exclude = ['traces/*.md', './notes/**', '.gitkeep']");
        assert_eq!(all.classify("traces/README.md"), TraceMatch::Excluded);
        assert_eq!(
            all.classify("traces/deep/README.md"),
            TraceMatch::Unsaid,
            "a star stays within a folder"
        );
        assert_eq!(all.classify("notes/a/b"), TraceMatch::Excluded);
        assert_eq!(
            all.classify("a/b/.gitkeep"),
            TraceMatch::Excluded,
            "without a slash it is a name"
        );
        assert_eq!(all.classify("a/b.gitkeep"), TraceMatch::Unsaid);
    }

    #[test]
    fn include_says_what_a_trace_is_and_exclude_goes_before_it() {
        let all = files("include = ['*.ndjson']\nexclude = ['old/**']");
        assert_eq!(all.classify("a/b.ndjson"), TraceMatch::Trace);
        assert_eq!(all.classify("a/b.jsonl"), TraceMatch::NotIncluded);
        assert_eq!(all.classify("old/b.ndjson"), TraceMatch::Excluded);
        assert_eq!(
            files("include = []").classify("a.jsonl"),
            TraceMatch::NotIncluded
        );
    }
}
