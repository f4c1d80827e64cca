//! The policies that `policy replay` asks.

use super::super::find::{self, LoadedPolicy};
use super::super::revision;
use crate::cli::output::Failure;
use crate::cli::shares::check_named;
use crate::replay::PolicyFiles;
use agent_policy::{RecordedDecision, SHIPPED, UnrecordedContext};
use clap::{Args, FromArgMatches as _};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use util::hex;

/// Options that say which policies are asked, and in which context.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct PolicyOptions {
    /// Use this policy: a file, `REV:PATH`, or the name of a built-in one. The default is the one
    /// whose digest the trace records.
    #[arg(short, long, value_name = "FILE|NAME")]
    pub(super) policy: Option<String>,
    /// Search for a recorded digest in these files or folders.
    #[arg(long, value_name = "PATH")]
    policy_path: Vec<PathBuf>,
    /// Search for a recorded digest in the history of this repository.
    #[arg(long, value_name = "DIR")]
    policy_repo: Option<PathBuf>,
    /// Read at most N commits of that history, from HEAD backwards.
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    policy_history: usize,
    /// Assume that it was production or wasn't, which traces don't record. By default, both are
    /// possible.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    production: Option<bool>,
    /// Assume this mode of the runtime, which traces don't record. By default, every mode is
    /// possible.
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
}

impl PolicyOptions {
    /// Returns the options as words of a command.
    pub(super) fn words(&self) -> Vec<String> {
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let mut words = Vec::new();
        let mut add = |option: &str, value: Option<String>| {
            words.extend(value.map(|value| format!("--{option}={value}")));
        };
        add("policy", self.policy.clone());
        for searched in &self.policy_path {
            add("policy-path", Some(path(searched)));
        }
        add("policy-repo", self.policy_repo.as_ref().map(path));
        add("policy-history", Some(self.policy_history.to_string()));
        add("production", self.production.map(|known| known.to_string()));
        add("mode", self.mode.clone());
        words
    }

    /// Checks that `merge` can read the policies again. Otherwise a partial result could name a
    /// pipe, which may block, or another file than the one that was read.
    pub(super) fn check_share(&self) -> Result<(), Failure> {
        let given = self.policy.iter().flat_map(|name| {
            let path = find::format_of(name).1;
            // `claude:` takes a list of files.
            [name, path]
                .into_iter()
                .chain(path.split(',').map(str::trim))
        });
        for path in given {
            let about = Path::new(path).metadata();
            if about.is_ok_and(|about| !about.is_file() && !about.is_dir()) {
                return Err(Failure::unable(
                    format!("`{path}` isn't a regular file"),
                    "name a regular file: the shares and `merge` read it",
                ));
            }
        }
        let searched = self.policy_path.iter().chain(&self.policy_repo);
        check_named(searched.map(PathBuf::as_path))
    }

    /// Reads the options from words of a command.
    pub(super) fn from_words(words: &[String]) -> Result<Self, Failure> {
        let command = Self::augment_args(clap::Command::new("replay").no_binary_name(true));
        let read = command.try_get_matches_from(words);
        read.and_then(|matches| Self::from_arg_matches(&matches))
            .map_err(|_| Failure::unable("its command isn't one of this version", "write it again"))
    }
}

/// A policy, and the context that it needs but traces don't record.
pub(super) struct ReplayedPolicy {
    pub(super) found: LoadedPolicy,
    pub(super) unrecorded: UnrecordedContext,
}

/// The policies, by the SHA-256 of their bytes.
pub(super) struct PolicySet {
    production: Option<bool>,
    mode: Option<String>,
    given: Option<ReplayedPolicy>,
    by_digest: BTreeMap<String, ReplayedPolicy>,
    /// The files of these policies that aren't built in.
    files: BTreeMap<String, BTreeSet<String>>,
}

impl PolicySet {
    /// Creates the set of one policy that governs all executions.
    pub(super) fn of(policy: LoadedPolicy) -> Self {
        Self::with(&PolicyOptions::default(), Some(policy))
    }

    fn with(options: &PolicyOptions, given: Option<LoadedPolicy>) -> Self {
        let mut set = Self {
            production: options.production,
            mode: options.mode.clone(),
            given: None,
            by_digest: BTreeMap::new(),
            files: BTreeMap::new(),
        };
        set.given = given.map(|found| set.replayed(found));
        set
    }

    fn replayed(&self, found: LoadedPolicy) -> ReplayedPolicy {
        let unrecorded =
            UnrecordedContext::new(&found.policy, self.production, self.mode.as_deref());
        ReplayedPolicy { found, unrecorded }
    }

    /// Loads the policies that the options name.
    pub(super) fn load(options: &PolicyOptions) -> Result<Self, Failure> {
        let given = options.policy.as_deref().map(find::policy).transpose()?;
        let mut set = Self::with(options, given);
        if set.given.is_some() {
            return Ok(set);
        }
        for path in &options.policy_path {
            set.add_files(path)?;
        }
        for shipped in &SHIPPED {
            let file = format!("{}.yaml", shipped.name);
            let found = set.replayed(find::parse(&file, shipped.text.to_owned())?);
            set.by_digest.entry(digest(shipped.text)).or_insert(found);
        }
        if let Some(repository) = &options.policy_repo {
            for (name, text) in revision::history(repository, options.policy_history)? {
                if let Ok(policy) = agent_policy::load(&name, &text) {
                    set.add(
                        &name,
                        LoadedPolicy::of_file(&name, text.clone(), policy),
                        &text,
                    );
                }
            }
        }
        Ok(set)
    }

    /// Adds the policies in a file or folder. Other files may be there; only policies that a trace
    /// refers to have to load.
    fn add_files(&mut self, path: &Path) -> Result<(), Failure> {
        for entry in walkdir::WalkDir::new(path).max_depth(4).sort_by_file_name() {
            let entry = entry.map_err(|e| {
                Failure::unable(
                    format!("can't read `{}`: {e}", path.display()),
                    "it must be readable",
                )
            })?;
            let extension = entry.path().extension();
            let is_policy = extension.is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
            if entry.file_type().is_file() && is_policy {
                let text = find::read(entry.path())?;
                let name = find::name_of(entry.path());
                if let Ok(policy) = agent_policy::load_file(&name, &text) {
                    self.add(
                        &name,
                        LoadedPolicy::of_file(&name, text.clone(), policy),
                        &text,
                    );
                }
            }
        }
        Ok(())
    }

    /// Adds a policy that a trace may refer to, unless it is already known.
    fn add(&mut self, name: &str, found: LoadedPolicy, text: &str) {
        let digest = digest(text);
        let files = self.files.entry(digest.clone()).or_default();
        files.insert(name.to_owned());
        if !self.by_digest.contains_key(&digest) {
            let found = self.replayed(found);
            self.by_digest.insert(digest, found);
        }
    }

    /// Returns the files of the policies.
    pub(super) fn files(&self) -> PolicyFiles {
        let given = self.given.as_ref().map(|given| given.found.files());
        PolicyFiles {
            by_digest: self.files.clone(),
            ..given.unwrap_or_default()
        }
    }

    /// Returns the paths of their files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let given = self.given.iter().flat_map(|given| given.found.paths());
        given.chain(self.files.values().flatten().map(Path::new))
    }

    /// Returns a hash of the texts and names of all policies.
    pub(super) fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        for source in self.given.iter().flat_map(|given| &given.found.sources) {
            add(&source.file);
            add(&source.text);
        }
        for (digest, policy) in &self.by_digest {
            add(digest);
            add(&policy.found.file);
        }
        for file in self.files.values().flatten() {
            add(file);
        }
        hash.finalize().into()
    }

    /// Returns whether some policy has a limit per hour or day.
    pub(super) fn count_across_executions(&self) -> bool {
        let mut all = self.given.iter().chain(self.by_digest.values());
        all.any(|one| one.found.policy.counts_across_executions())
    }

    /// Returns the policy that was in force, with its digest unless all decisions have one policy.
    pub(super) fn policy_of(
        &self,
        decided: &RecordedDecision,
    ) -> Option<(Option<&str>, &ReplayedPolicy)> {
        if let Some(found) = &self.given {
            return Some((None, found));
        }
        let recorded = decided.digest.as_deref()?.to_ascii_lowercase();
        let recorded = recorded.strip_prefix("sha256:").unwrap_or(&recorded);
        let (digest, found) = self.by_digest.get_key_value(recorded)?;
        Some((Some(digest), found))
    }

    /// Returns the policy with this digest, or the only one.
    pub(super) fn by_digest(&self, digest: Option<&str>) -> Option<&ReplayedPolicy> {
        digest.map_or(self.given.as_ref(), |digest| self.by_digest.get(digest))
    }
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
