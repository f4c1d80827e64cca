//! The ledger of decisions about skills, which is only appended to.

use super::Change;
use super::candidates::{Candidate, Readiness, Status};
use crate::diag::Finding;
use crate::knowledge::KnowledgeError;
use crate::knowledge::extract::{extract, is_repeated, read_promotion};
use crate::knowledge::safe_file::{lock, replace};
use crate::knowledge::source_config::{SourceFile, SourceKind, Sources};
use crate::manifest::PROMOTIONS;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A decision about a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict<'v> {
    pub status: Status,
    pub by: &'v str,
    pub reason: Option<&'v str>,
    /// Milliseconds since the Unix epoch.
    pub time: i64,
}

/// Why a decision can't be recorded.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// No directory of skills is configured.
    #[error("[knowledge] skills names no folder to keep decisions in")]
    NoFolder,
    /// The ledger is outside of the root, or a symbolic link.
    #[error("`{0}` isn't a file below the configuration")]
    Outside(String),
    /// The evidence is missing.
    #[error("`{id}` can't be approved: {lacks}")]
    NotReady {
        id: String,
        /// The missing evidence.
        lacks: String,
    },
    /// The latest decision is the same.
    #[error("`{id}` is {status} already")]
    Already {
        id: String,
        /// The name of that decision.
        status: &'static str,
    },
    /// Another process is writing.
    #[error("another process is deciding")]
    Busy,
    /// A file can't be read or written.
    #[error("`{0}`: {1}")]
    Io(String, std::io::Error),
    /// The sources can't be listed.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
}

impl LedgerError {
    /// Returns what the user can do about the error.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::NoFolder => {
                "name one, such as skills = ['skills']; decisions are kept in promotions.jsonl there"
            }
            Self::Outside(_) => "symbolic links and folders elsewhere aren't written to",
            Self::NotReady { .. } => {
                "it needs more evidence; `knowledge skills defer` keeps it in view"
            }
            Self::Already { .. } => "nothing was written",
            Self::Busy => "wait until it is done",
            Self::Io(..) => "it must exist and be accessible",
            Self::Knowledge(error) => error.remedy(),
        }
    }
}

/// Returns the faults of a ledger, and the number of readable lines.
#[must_use]
pub fn ledger_faults(name: &str, path: &Path) -> (Vec<Finding>, u64) {
    let file = SourceFile {
        within: 0,
        kind: SourceKind::Skills,
        name: name.to_owned(),
        path: path.to_path_buf(),
    };
    let extracted = extract(&file);
    (extracted.findings, extracted.promotions.len() as u64)
}

/// The decisions of a project.
#[derive(Debug)]
pub struct Ledger {
    /// The readable decisions, in the order of files and lines.
    pub changes: Vec<Change>,
    /// Number of unreadable lines, which `reindex` reports.
    pub broken: u64,
    /// The ledger for new decisions: the path relative to the root, and the path to open.
    at: Option<(String, PathBuf)>,
    root: PathBuf,
}

impl Ledger {
    /// Reads every ledger among the sources.
    ///
    /// # Errors
    /// When a source leads out of the root, or a file can't be read.
    pub fn read(sources: &Sources) -> Result<Self, LedgerError> {
        let paths: Vec<_> = sources
            .paths
            .iter()
            .filter(|(kind, _)| *kind == SourceKind::Skills)
            .cloned()
            .collect();
        let first = paths.first().map(|(_, path)| path.clone());
        let listing = Sources {
            root: sources.root.clone(),
            paths,
            ..Sources::default()
        }
        .list()?;
        // A ledger that can't be listed may contain decisions. Only the file that the first
        // decision creates may be missing.
        let lost = listing
            .unlisted
            .into_iter()
            .find(|(path, _)| !path.to_lowercase().ends_with(".jsonl"));
        if let Some((path, error)) = lost {
            return Err(KnowledgeError::Source { path, error }.into());
        }
        let mut ledger = Self {
            changes: Vec::new(),
            broken: 0,
            at: None,
            root: sources.root.clone(),
        };
        for file in listing.files.iter().filter(|f| f.is_lines()) {
            let text = std::fs::read_to_string(&file.path)
                .map_err(|e| LedgerError::Io(file.name.clone(), e))?;
            for (number, line) in (1_u64..)
                .zip(text.lines())
                .filter(|(_, line)| !line.trim().is_empty())
            {
                let record = serde_json::from_str::<Value>(line)
                    .ok()
                    .filter(|_| !is_repeated(line));
                match record.and_then(|record| read_promotion(number, &record).ok()) {
                    Some(what) => ledger.changes.push(Change {
                        file: file.name.clone(),
                        what,
                    }),
                    None => ledger.broken += 1,
                }
            }
        }
        ledger.at = first.map(|first| ledger.place(&first));
        Ok(ledger)
    }

    fn place(&self, first: &str) -> (String, PathBuf) {
        let first = first.trim_end_matches('/').trim_start_matches("./");
        let path = self.root.join(first);
        let name = match () {
            () if path.is_dir() => format!("{first}/{PROMOTIONS}"),
            () if first.to_lowercase().ends_with(".jsonl") => first.to_owned(),
            () => first
                .rsplit_once('/')
                .map_or(PROMOTIONS.to_owned(), |(folder, _)| {
                    format!("{folder}/{PROMOTIONS}")
                }),
        };
        let name = name.strip_prefix("./").map_or(name.clone(), str::to_owned);
        let path = self.root.join(&name);
        (name, path)
    }

    /// Appends a decision about a candidate. `locks` is a directory of the user. Returns the file
    /// and line of the new entry.
    ///
    /// # Errors
    /// When an approval lacks evidence, the latest decision is the same, or the file can't be
    /// written.
    pub fn decide(
        &self,
        candidate: &Candidate,
        verdict: &Verdict<'_>,
        locks: &Path,
    ) -> Result<(String, String), LedgerError> {
        if candidate.status == verdict.status {
            return Err(LedgerError::Already {
                id: candidate.id.clone(),
                status: verdict.status.name(),
            });
        }
        if let (Status::Approved, Readiness::Lacks(lacks)) = (verdict.status, &candidate.readiness)
        {
            return Err(LedgerError::NotReady {
                id: candidate.id.clone(),
                lacks: lacks.join("; "),
            });
        }
        let (name, path) = self.at.as_ref().ok_or(LedgerError::NoFolder)?;
        self.check(name, path)?;
        let io = |error| LedgerError::Io(name.clone(), error);
        let _lock = lock(locks).map_err(io)?.ok_or(LedgerError::Busy)?;
        let mut bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(io(error)),
        };
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        let line = json!({
            "skill_name": candidate.name,
            "candidate": candidate.id,
            "old_status": candidate.status.name(),
            "new_status": verdict.status.name(),
            "metrics": { "referenced": candidate.referenced, "verifiedUseful": candidate.useful,
                "verifiedRate": candidate.verified_rate, "confidence": candidate.confidence, "useCount": candidate.uses,
                "lastUsed": candidate.used },
            "sourceContextPaths": [candidate.path],
            "reason": verdict.reason,
            "by": verdict.by,
            "promoted_at": verdict.time,
        })
        .to_string();
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        replace(path, &bytes).map_err(io)?;
        Ok((name.clone(), line))
    }

    /// Checks that a file may be written: it is below the root and not a symbolic link.
    fn check(&self, name: &str, path: &Path) -> Result<(), LedgerError> {
        let outside = || LedgerError::Outside(name.to_owned());
        let folder = path
            .parent()
            .filter(|f| !f.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let (root, folder) = (self.root.canonicalize(), folder.canonicalize());
        let (Ok(root), Ok(folder)) = (root, folder) else {
            return Err(outside());
        };
        let other = path
            .symlink_metadata()
            .is_ok_and(|m| !m.file_type().is_file());
        if other || !folder.starts_with(root) {
            Err(outside())
        } else {
            Ok(())
        }
    }
}
