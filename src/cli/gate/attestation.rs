//! Writes the signed statement of what a gate read and how it ended.

use crate::attest::{Predicate, Statement, Verdict, private_key};
use crate::cli::common::located::{LocatedConfig, RuleFile};
use crate::cli::file;
use crate::cli::output::Failure;
use crate::config::Applied;
use crate::report::Outcome;
use crate::source::{Input, open_regular};
use crate::verify::Report;
use clap::Args;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use util::hex;

/// Options of `gate` for an attestation.
#[derive(Debug, Args)]
#[group(requires_all = ["attest", "attest_key", "attest_key_id", "now"], multiple = true)]
pub(in crate::cli) struct AttestArgs {
    /// Write a signed statement (in-toto, DSSE) of what was checked and how it ended; needs
    /// --now.
    #[arg(long, value_name = "FILE", help_heading = "Attestation")]
    attest: Option<PathBuf>,
    /// Sign with this private key, Ed25519 in PEM.
    #[arg(long, value_name = "FILE", help_heading = "Attestation")]
    attest_key: Option<PathBuf>,
    /// Name the key by this id, as in trust files.
    #[arg(long, value_name = "ID", help_heading = "Attestation")]
    attest_key_id: Option<String>,
}

impl AttestArgs {
    /// Creates the options for an attestation.
    pub(in crate::cli) fn to(file: PathBuf, key: PathBuf, key_id: String) -> Self {
        Self {
            attest: Some(file),
            attest_key: Some(key),
            attest_key_id: Some(key_id),
        }
    }
}

/// Digests of everything that a gate reads, computed before it reads it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) struct Digests {
    pub(in crate::cli) traces: BTreeMap<String, String>,
    /// Files among the traces that the gate doesn't read or can't open.
    pub(in crate::cli) unread: BTreeSet<String>,
    pub(in crate::cli) materials: BTreeMap<String, String>,
}

impl AttestArgs {
    /// Returns the output file and the key file, if an attestation is requested.
    pub(super) fn files(&self) -> (Option<&Path>, Option<&Path>) {
        (self.attest.as_deref(), self.attest_key.as_deref())
    }

    /// Computes the digests before the gate runs; `None` without an attestation.
    pub(super) fn before(
        &self,
        located: &LocatedConfig,
        baseline: Option<&RuleFile>,
    ) -> Result<Option<Digests>, Failure> {
        self.attest
            .as_ref()
            .map(|_| digests(located, baseline))
            .transpose()
    }

    /// Writes the attestation, unless the inputs have changed since `before`.
    pub(super) fn after(
        &self,
        before: Option<Digests>,
        located: &LocatedConfig,
        baseline: Option<&RuleFile>,
        judged: (&Report, &Applied, &Outcome, i64),
    ) -> Result<(), Failure> {
        let (Some(path), Some(key), Some(key_id), Some(before)) =
            (&self.attest, &self.attest_key, &self.attest_key_id, before)
        else {
            return Ok(());
        };
        if digests(located, baseline)? != before {
            return Err(Failure::unable(
                "the inputs changed while they were checked",
                "run the gate when nobody writes there",
            ));
        }
        let (report, applied, outcome, time) = judged;
        let verdict = match outcome {
            Outcome::Clean => Verdict::Passed,
            Outcome::Findings => Verdict::Failed,
            Outcome::Unenforced(_) => Verdict::Unenforced,
            Outcome::Unable(_) | Outcome::Empty(_) => Verdict::Undecided,
        };
        let counts = &report.counts;
        let all = [
            ("files", counts.files),
            ("records", counts.records),
            ("executions", report.summaries.len() as u64),
            ("turns", counts.turns),
            ("errors", counts.errors),
            ("warnings", counts.warnings),
            ("notes", counts.notes),
            ("signaturesUnchecked", counts.signatures_unchecked),
            ("ignored", applied.ignored),
            ("accepted", applied.accepted),
            ("known", applied.known),
            ("off", applied.off),
            ("lowered", applied.lowered),
        ];
        let predicate = Predicate {
            tool_version: env!("CARGO_PKG_VERSION").into(),
            time,
            verdict,
            materials: before.materials,
            counts: all
                .into_iter()
                .map(|(name, count)| (name.to_owned(), count))
                .collect(),
        };
        let unusable = |e: crate::attest::AttestError| {
            Failure::unable(
                format!("`{}`: {e}", key.display()),
                "--attest-key names a private key",
            )
        };
        let envelope = Statement::new(before.traces, predicate)
            .sign(&private_key(&file::text(key)?).map_err(unusable)?, key_id);
        crate::cli::write::write(path, envelope.map_err(unusable)?)
    }
}

pub(in crate::cli) fn digests(
    located: &LocatedConfig,
    baseline: Option<&RuleFile>,
) -> Result<Digests, Failure> {
    let config = &located.config;
    let mut traces = BTreeMap::new();
    let found = config
        .traces
        .as_ref()
        .map(|t| located.traces(t))
        .transpose()?
        .unwrap_or_default();
    let mut unread: BTreeSet<String> = found.skipped.into_iter().map(|s| s.name).collect();
    for input in found.inputs {
        let found = match input {
            Ok(found) => found,
            // A finding already makes the gate fail, and there is nothing to hash.
            Err(missing) => {
                unread.insert(missing.name);
                continue;
            }
        };
        if found.input == Input::Stdin {
            return Err(Failure::unable(
                "standard input can't be attested",
                "put the trace into a file",
            ));
        }
        for (name, path) in found.files() {
            let digest = digest(path)?;
            if let Some(other) = traces
                .insert(name.clone(), digest.clone())
                .filter(|other| *other != digest)
            {
                let message = format!("two traces are called `{name}`: {other} and {digest}");
                return Err(Failure::unable(
                    message,
                    "give them names that differ in UTF-8",
                ));
            }
        }
    }
    let below = |file: &String| located.material(file);
    let files = [
        ("configuration".to_owned(), Some(located.itself())),
        (
            "policy".to_owned(),
            config.policy.as_ref().map(|p| below(&p.file)).transpose()?,
        ),
        (
            "trust file".to_owned(),
            config.keys.as_ref().map(|k| below(&k.file)).transpose()?,
        ),
        ("baseline".to_owned(), baseline.cloned()),
    ];
    let manifests = config.tools.iter().flat_map(|tools| &tools.files);
    let manifests = manifests
        .map(|file| Ok((format!("tools {file}"), Some(below(file)?))))
        .collect::<Result<Vec<_>, Failure>>()?;
    let mut materials = BTreeMap::new();
    for (what, material) in files.into_iter().chain(manifests) {
        let digest = match &material {
            None => continue,
            Some(RuleFile::File(path)) => digest(path)?,
            Some(pinned) => hex(&Sha256::digest(located.text(pinned)?)),
        };
        materials.insert(what, digest);
    }
    Ok(Digests {
        traces,
        unread,
        materials,
    })
}

/// Returns the SHA-256 of a file as stored, in lower-case hexadecimal.
fn digest(path: &Path) -> Result<String, Failure> {
    let failed = |e| {
        Failure::unable(
            format!("can't read `{}`: {e}", path.display()),
            "it must be a file that can be read",
        )
    };
    let mut file = open_regular(path).map_err(failed)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            n => hash.update(buffer.get(..n).unwrap_or_default()),
        }
    }
    Ok(hex(&hash.finalize()))
}
