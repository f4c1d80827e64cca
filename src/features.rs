//! The optional parts of the program, and which of them this build contains.
//!
//! `Cargo.toml` defines them. A build without a feature still lists its commands and accepts its
//! configuration sections, but refuses to run them with [`NotInBuild`].

/// An optional part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Maps of a repository.
    Repomap,
    /// The index of knowledge.
    Knowledge,
    /// Languages of repo maps that fewer people need.
    LanguagesExtra,
    /// Vectors from a given model for the index of knowledge.
    Model2Vec,
    /// Tables as Apache Parquet files.
    Parquet,
    /// Search for weaknesses of policies.
    PolicyFuzz,
}

impl Feature {
    pub const ALL: [Self; 6] = [
        Self::Repomap,
        Self::Knowledge,
        Self::LanguagesExtra,
        Self::Model2Vec,
        Self::Parquet,
        Self::PolicyFuzz,
    ];

    /// Returns the name for `cargo build --features`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repomap => "repomap",
            Self::Knowledge => "knowledge",
            Self::LanguagesExtra => "languages-extra",
            Self::Model2Vec => "model2vec",
            Self::Parquet => "parquet",
            Self::PolicyFuzz => "policy-fuzz",
        }
    }

    /// Returns true if this build contains the feature.
    #[must_use]
    pub const fn is_built(self) -> bool {
        match self {
            Self::Repomap => cfg!(feature = "repomap"),
            Self::Knowledge => cfg!(feature = "knowledge"),
            Self::LanguagesExtra => cfg!(feature = "languages-extra"),
            Self::Model2Vec => cfg!(feature = "model2vec"),
            Self::Parquet => cfg!(feature = "parquet"),
            Self::PolicyFuzz => cfg!(feature = "policy-fuzz"),
        }
    }

    /// Checks that this build contains the feature.
    ///
    /// # Errors
    /// When it doesn't.
    pub const fn require(self) -> Result<(), NotInBuild> {
        if self.is_built() {
            Ok(())
        } else {
            Err(NotInBuild(self))
        }
    }
}

/// The error for a feature that this build doesn't contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not part of this build: build with `--features {name}`", name = .0.name())]
pub struct NotInBuild(pub Feature);

impl NotInBuild {
    /// A further hint on how to get the feature.
    pub const REMEDY: &'static str = "every feature but `languages-extra`, `model2vec` and `parquet` is part of a build without `--no-default-features`; docs/build.md lists them";
}
