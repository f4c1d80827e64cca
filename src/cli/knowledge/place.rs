//! The location, sources and settings of the index, from the configuration.

use super::failure;
use crate::cli::common::located::{LocatedConfig, locate};
use crate::cli::common::repositories::{Repositories, RepositoriesArgs, is_below};
use crate::cli::output::{Failure, warn};
use crate::config::{Amount, DecayKind, FILE, Knowledge, Profile};
use crate::knowledge::bundle::Parts;
use crate::knowledge::reindex::{Age, age};
use crate::knowledge::retrieve::Budget;
use crate::knowledge::skills::Limits;
use crate::knowledge::{KnowledgeError, SCHEMA, SourceKind, Sources};
use crate::source::stays;
use clap::Args;
use knowledge_index::Store;
use knowledge_index::rank::{Decay, Weights};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Default location of the index.
const STORE: &str = ".yuangs/index.db";
/// Default location of the index of several repositories.
const COMMON_STORE: &str = ".yuangs/repositories.db";
/// Default half-life of scores in days.
const HALF_LIFE: u32 = 30;

/// Selects the index.
#[derive(Debug, Clone, Args)]
pub struct PlaceArgs {
    /// Read this configuration. The default is the nearest `yuangs-verify.toml` from the current
    /// folder upward.
    #[arg(long, value_name = "FILE", conflicts_with = "store")]
    config: Option<PathBuf>,
    /// Use an agent's own store instead of a configuration, such as `~/.yuangs`. It may contain
    /// `context-bank`, `knowledge` (the graph), `skills` and `traces`; the index is its file
    /// `index.db`.
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
}

/// Selects the index of one or of several repositories.
#[derive(Debug, Clone, Args)]
pub(super) struct CommonPlaceArgs {
    #[command(flatten)]
    one: PlaceArgs,
    #[command(flatten)]
    several: RepositoriesArgs,
}

/// The parts of an agent's own store.
const PARTS: [(SourceKind, &str); 4] = [
    (SourceKind::Bank, "context-bank"),
    (SourceKind::Graph, "knowledge"),
    (SourceKind::Skills, "skills"),
    (SourceKind::Traces, "traces"),
];

/// Selects the source of vectors.
#[derive(Debug, Clone, Args)]
pub(super) struct ModelArgs {
    /// Use the vectors of the model2vec model in this folder (`model.safetensors`,
    /// `tokenizer.json`). The default is `model` in the configuration, or else vectors learned from
    /// the index itself.
    #[arg(long, value_name = "FOLDER")]
    pub(super) model: Option<PathBuf>,
}

impl ModelArgs {
    /// Returns the directory of the model. One that the configuration names must be below the
    /// configuration.
    pub(super) fn folder(&self, place: &Place) -> Result<Option<PathBuf>, Failure> {
        place.model(self.model.as_deref())
    }
}

/// The index as configured.
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) sources: Sources,
    pub(super) section: Knowledge,
}

impl PlaceArgs {
    pub(super) fn place(&self) -> Result<Place, Failure> {
        self.store
            .as_deref()
            .map_or_else(|| self.configured(), own_store)
    }

    fn configured(&self) -> Result<Place, Failure> {
        Place::of(&locate(self.config.as_deref())?)
    }
}

impl CommonPlaceArgs {
    pub(super) fn place(&self) -> Result<Place, Failure> {
        match self.several.list()? {
            None => self.one.place(),
            Some(_) if self.one.config.is_some() || self.one.store.is_some() => {
                Err(Failure::unable(
                    "--config and --store name one index, --root and --repositories another one",
                    "give one of them",
                ))
            }
            Some(repositories) => Place::common(repositories),
        }
    }
}

/// Returns the parts of an agent's own store. A folder without parts may be a context bank itself.
fn own_store(folder: &Path) -> Result<Place, Failure> {
    let mut paths: Vec<(SourceKind, String)> = PARTS
        .into_iter()
        .filter(|(_, part)| folder.join(part).is_dir())
        .map(|(kind, part)| (kind, part.to_owned()))
        .collect();
    if paths.is_empty() && folder.join("index.json").is_file() {
        paths.push((SourceKind::Bank, ".".to_owned()));
    }
    if paths.is_empty() {
        let parts = PARTS.map(|(_, part)| format!("`{part}`")).join(", ");
        return Err(Failure::unable(
            format!("`{}` is no store of an agent", folder.display()),
            format!("a store has one of {parts}, or is a context bank with `index.json`"),
        ));
    }
    let path = folder.join("index.db");
    if !stays(folder, &path) {
        return Err(failure(&KnowledgeError::Outside {
            path: path.display().to_string(),
        }));
    }
    Ok(Place {
        sources: Sources {
            root: folder.to_owned(),
            paths,
            index: Some(path.clone()),
            ..Sources::default()
        },
        path,
        section: Knowledge::default(),
    })
}

/// Returns the sources that the configuration of one of several repositories names; or why it can't
/// be used.
fn member(root: &Path) -> Result<Sources, String> {
    let config = root.join(FILE);
    if !root.is_dir() {
        return Err(format!("`{}` isn't a folder", root.display()));
    }
    if !stays(root, &config) {
        return Err(format!(
            "`{}` leads out of the repository",
            config.display()
        ));
    }
    let located = locate(Some(&config)).map_err(|e| e.to_string())?;
    let sources = Place::of(&located).map_err(|e| e.to_string())?.sources;
    if sources.paths.is_empty() {
        return Err(format!(
            "[knowledge] in `{}` names no source",
            config.display()
        ));
    }
    Ok(sources)
}

/// Returns a name of a directory that isn't empty.
fn named(folder: PathBuf) -> PathBuf {
    if folder.as_os_str().is_empty() {
        ".".into()
    } else {
        folder
    }
}

impl Place {
    /// Returns the index that a configuration describes.
    pub(super) fn of(located: &LocatedConfig) -> Result<Self, Failure> {
        let Some(section) = located.config.knowledge.clone() else {
            return Err(Failure::unable(
                format!("`{}` has no section [knowledge]", located.path.display()),
                "add one that names its sources, such as documents = ['README.md', 'docs']; docs/knowledge.md has all keys",
            ));
        };
        let store = section.store.clone().unwrap_or_else(|| STORE.to_owned());
        let path = located.root.join(&store);
        if !is_below(&store) || !located.holds(&path) {
            return Err(failure(&KnowledgeError::Outside { path: store }));
        }
        let root = named(located.root.clone());
        let lists = [
            (SourceKind::Traces, &section.traces),
            (SourceKind::Transcripts, &section.transcripts),
            (SourceKind::Documents, &section.documents),
            (SourceKind::Progress, &section.progress),
            (SourceKind::Summaries, &section.summaries),
            (SourceKind::Runs, &section.runs),
            (SourceKind::Graph, &section.graph),
            (SourceKind::Bank, &section.bank),
            (SourceKind::Skills, &section.skills),
            (SourceKind::RepoMap, &section.repomap),
            (SourceKind::History, &section.history),
        ];
        let paths = lists
            .into_iter()
            .flat_map(|(kind, list)| list.iter().map(move |path| (kind, path.clone())))
            .collect();
        Ok(Self {
            sources: Sources {
                root,
                paths,
                index: Some(path.clone()),
                ..Sources::default()
            },
            path,
            section,
        })
    }

    /// Returns the common index of several repositories. Its settings are the defaults.
    fn common(all: Repositories) -> Result<Self, Failure> {
        let store = all.store.unwrap_or_else(|| COMMON_STORE.to_owned());
        let path = all.root.join(&store);
        if !is_below(&store) || !stays(&all.root, &path) {
            return Err(failure(&KnowledgeError::Outside { path: store }));
        }
        let list = all.list.into_iter();
        let list = list.map(|repository| (repository.name, member(&repository.path)));
        Ok(Self {
            sources: Sources {
                root: named(all.root),
                paths: Vec::new(),
                index: Some(path.clone()),
                repositories: list.collect::<BTreeMap<_, _>>(),
            },
            path,
            section: Knowledge::default(),
        })
    }

    /// Returns the directory of a given model, or else of the configured one.
    pub(super) fn model(&self, given: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
        let (None, Some(model)) = (given, &self.section.model) else {
            return Ok(given.map(Path::to_owned));
        };
        let folder = self.sources.inside(model);
        folder.map(Some).map_err(|error| failure(&error))
    }

    /// Opens the index for reading.
    pub(super) fn open(&self) -> Result<Store, Failure> {
        Store::open(&self.path, &SCHEMA).map_err(|e| failure(&e.into()))
    }

    /// Warns on standard error if the index is older than its sources.
    pub(super) fn warn_of_age(&self, store: &Store) {
        let indexed = std::fs::metadata(&self.path).and_then(|data| data.modified());
        let Some(age) = indexed.ok().map(|at| age(store, &self.sources, at)) else {
            return;
        };
        match age {
            Err(error) => warn(&format!(
                "whether the index is older than its sources isn't known: {error}"
            )),
            Ok(Age {
                added: 0,
                changed: 0,
                removed: 0,
            }) => {}
            Ok(Age {
                added,
                changed,
                removed,
            }) => warn(&format!(
                "the index is older than its sources ({added} new, {changed} changed, {removed} gone); `knowledge reindex` brings it up to date"
            )),
        }
    }

    /// Returns the half-life of scores in days.
    pub(super) fn half_life(&self) -> f64 {
        f64::from(self.section.half_life_days.unwrap_or(HALF_LIFE).max(1))
    }

    /// Returns how scores decrease with age.
    pub(super) fn decay(&self) -> Decay {
        match self.section.decay {
            None | Some(DecayKind::Exponential) => Decay::Exponential,
            Some(DecayKind::Linear) => Decay::Linear,
            Some(DecayKind::Step) => Decay::Step,
        }
    }

    /// Returns the weights and minimal scores of a search.
    pub(super) fn weights(&self) -> Weights {
        let (default, set) = (Weights::default(), &self.section.ranking);
        let or = |set: Option<Amount>, default| set.map_or(default, f64::from);
        Weights {
            full_text: or(set.full_text, default.full_text),
            vectors: or(set.vectors, default.vectors),
            minimum: or(set.minimum, default.minimum),
            answer: or(set.answer, default.answer),
        }
    }

    /// Returns the limits for scoring skills.
    pub(super) fn limits(&self) -> Limits {
        let (default, set) = (Limits::default(), &self.section.limits);
        Limits {
            max_cost: set.max_cost.map_or(default.max_cost, f64::from),
            max_latency: set.max_latency_ms.map_or(default.max_latency, f64::from),
        }
    }

    /// Returns the user's directory next to the index, for locks and journals.
    pub(super) fn own_folder(&self) -> PathBuf {
        self.path
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default()
    }

    /// Returns a profile; `None` for the default profile if it isn't configured.
    fn profile(&self, profile: Option<&str>) -> Result<Option<&Profile>, Failure> {
        let name = profile.unwrap_or("default");
        if let Some(set) = self.section.profiles.get(name) {
            return Ok(Some(set));
        }
        if name == "default" {
            return Ok(None);
        }
        let known: Vec<&str> = self.section.profiles.keys().map(String::as_str).collect();
        let known = if known.is_empty() {
            "none is configured".to_owned()
        } else {
            format!("configured: {}", known.join(", "))
        };
        Err(Failure::unable(
            format!("no profile is called `{name}`"),
            format!("{known}; [knowledge.profiles.NAME] makes one"),
        ))
    }

    /// Returns the budgets of the parts of a bundle.
    pub(super) fn parts(&self, profile: Option<&str>) -> Result<Parts, Failure> {
        let default = Parts::default();
        let Some(Profile { bundle: set, .. }) = self.profile(profile)? else {
            return Ok(default);
        };
        let parts = Parts {
            profile: set.profile.unwrap_or(default.profile),
            task: set.task.unwrap_or(default.task),
            summary: set.summary.unwrap_or(default.summary),
            events: set.events.unwrap_or(default.events),
            chunks: set.chunks.unwrap_or(default.chunks),
            total: set.total.unwrap_or(default.total),
        };
        parts.check().map_err(|e| failure(&e))?;
        Ok(parts)
    }

    /// Returns the budgets of a profile.
    pub(super) fn budget(&self, profile: Option<&str>) -> Result<Budget, Failure> {
        let Some(set) = self.profile(profile)? else {
            return Ok(Budget::default());
        };
        let default = Budget::default();
        let budget = Budget {
            total: set.budget_tokens.unwrap_or(default.total),
            index: set.index_tokens.unwrap_or(default.index),
            timeline: set.timeline_tokens.unwrap_or(default.timeline),
            detail: set.detail_tokens.unwrap_or(default.detail),
            map: set.map_tokens.unwrap_or(default.map),
            per_source: set.max_per_source_tokens,
        };
        budget.check().map_err(|e| failure(&e))?;
        Ok(budget)
    }
}
