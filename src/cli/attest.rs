//! Attestations on the command line: `gate --attest` and `attest` write one, `attest verify` checks it.

use super::file;
use super::gate::{GateArgs, Located};
use super::output::{Color, Failure, print};
use super::replay::trust_store;
use super::{EXIT_CLEAN, EXIT_FINDINGS};
use crate::attest::{Predicate, Statement, Verdict, private_key};
use crate::report::{Outcome, terminal};
use crate::source::{Found, Input, discover};
use crate::verify::Report;
use clap::{Args, Subcommand};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What `gate` takes for an attestation.
#[derive(Debug, Args)]
#[group(requires_all = ["attest", "attest_key", "attest_key_id", "now"], multiple = true)]
pub(super) struct AttestArgs {
    /// Write a signed statement (in-toto, DSSE) of what was looked at and how it ended; needs --now.
    #[arg(long, value_name = "FILE", help_heading = "Attestation")]
    attest: Option<PathBuf>,
    /// Private key, Ed25519 in PEM.
    #[arg(long, value_name = "FILE", help_heading = "Attestation")]
    attest_key: Option<PathBuf>,
    /// The id that trust files know the key by.
    #[arg(long, value_name = "ID", help_heading = "Attestation")]
    attest_key_id: Option<String>,
}

impl AttestArgs {
    /// An attestation that is asked for.
    fn to(file: PathBuf, key: PathBuf, key_id: String) -> Self {
        Self { attest: Some(file), attest_key: Some(key), attest_key_id: Some(key_id) }
    }
}

/// The digests of everything that a gate reads, taken before it reads it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Digests {
    traces: BTreeMap<String, String>,
    materials: BTreeMap<String, String>,
}

impl AttestArgs {
    /// Takes the digests before the gate runs; none when no attestation is asked for.
    pub(super) fn before(&self, located: &Located, baseline: Option<&Path>) -> Result<Option<Digests>, Failure> {
        self.attest.as_ref().map(|_| digests(located, baseline)).transpose()
    }

    /// Writes the attestation, unless what was read has changed meanwhile.
    pub(super) fn after(
        &self,
        before: Option<Digests>,
        located: &Located,
        baseline: Option<&Path>,
        judged: (&Report, &Outcome, i64),
    ) -> Result<(), Failure> {
        let (Some(path), Some(key), Some(key_id), Some(before)) = (&self.attest, &self.attest_key, &self.attest_key_id, before)
        else {
            return Ok(());
        };
        if digests(located, baseline)? != before {
            return Err(Failure::unable(
                "what was judged has changed while it was judged",
                "run the gate when nobody writes there",
            ));
        }
        let (report, outcome, time) = judged;
        let verdict = match outcome {
            Outcome::Clean => Verdict::Passed,
            Outcome::Findings => Verdict::Failed,
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
        ];
        let predicate = Predicate {
            tool_version: env!("CARGO_PKG_VERSION").into(),
            time,
            verdict,
            materials: before.materials,
            counts: all.into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
        };
        let unusable = |e: crate::attest::AttestError| {
            Failure::unable(format!("`{}`: {e}", key.display()), "--attest-key names a private key")
        };
        let envelope = Statement::new(before.traces, predicate).sign(&private_key(&file::text(key)?).map_err(unusable)?, key_id);
        std::fs::write(path, envelope.map_err(unusable)?)
            .map_err(|e| Failure::unable(format!("can't write `{}`: {e}", path.display()), "the folder must exist"))
    }
}

fn digests(located: &Located, baseline: Option<&Path>) -> Result<Digests, Failure> {
    let config = &located.config;
    let mut traces = BTreeMap::new();
    let paths: Vec<PathBuf> = config.traces.iter().flat_map(|t| &t.paths).map(|p| located.root.join(p)).collect();
    // What can't be opened is a finding and fails the gate; there is nothing to hash of it.
    for Found { name, input } in discover(&paths).into_iter().flatten() {
        match input {
            Input::File(path) => traces.insert(located.name(&name), digest(&path)?),
            Input::Stdin => return Err(Failure::unable("standard input can't be attested", "put the trace into a file")),
        };
    }
    let mut materials = BTreeMap::from([("configuration".to_owned(), digest(&located.path)?)]);
    if let Some(policy) = &config.policy {
        materials.insert("policy".into(), digest(&located.root.join(&policy.file))?);
    }
    if let Some(keys) = &config.keys {
        materials.insert("trust file".into(), digest(&located.root.join(&keys.file))?);
    }
    if let Some(baseline) = baseline {
        materials.insert("baseline".into(), digest(baseline)?);
    }
    Ok(Digests { traces, materials })
}

/// SHA-256 of a file as it lies there, in lower-case hexadecimal.
fn digest(path: &Path) -> Result<String, Failure> {
    let failed = |e| Failure::unable(format!("can't read `{}`: {e}", path.display()), "it must be readable");
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            n => hash.update(buffer.get(..n).unwrap_or_default()),
        }
    }
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}

/// Write a signed statement of how the gate ended, or check one.
///
/// Writing runs the gate, so that no other verdict than its own can be signed: a gate that fails is attested as
/// failed, and ends with its exit code.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct AttestCommand {
    #[command(subcommand)]
    verify: Option<Verify>,
    /// The configuration; without it `yuangs-verify.toml` is looked for from the current folder upward.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Private key, Ed25519 in PEM.
    #[arg(long, value_name = "FILE", required = true)]
    key: Option<PathBuf>,
    /// The id that trust files know the key by.
    #[arg(long, value_name = "ID", required = true)]
    key_id: Option<String>,
    /// The time that the statement states, as 2027-01-31 or RFC 3339.
    #[arg(long, value_name = "TIME", required = true, value_parser = super::gate::time)]
    now: Option<i64>,
    /// Where the statement (in-toto, DSSE) goes.
    #[arg(short, long, value_name = "FILE", required = true)]
    output: Option<PathBuf>,
}

impl AttestCommand {
    /// Runs it.
    pub(super) fn run(self) -> Result<u8, Failure> {
        match (self.verify, self.output, self.key, self.key_id, self.now) {
            (Some(verify), ..) => verify.run(),
            (None, Some(output), Some(key), Some(key_id), Some(now)) => {
                GateArgs::attesting(self.config, AttestArgs::to(output, key, key_id), now).run()
            }
            (None, ..) => Err(Failure::unable("--output, --key, --key-id and --now are needed", "see `attest --help`")),
        }
    }
}

/// What can be done with an attestation.
#[derive(Debug, Subcommand)]
pub(super) enum Verify {
    /// Check an attestation: signed by whom it should, passed, and about the files that lie here.
    Verify {
        /// What `attest` or `gate --attest` wrote.
        attestation: PathBuf,
        /// Trust file with the public keys that count.
        #[arg(long, value_name = "FILE")]
        keys: PathBuf,
        /// Who must have signed, as the trust file names them.
        #[arg(long, value_name = "NAME")]
        signer: String,
        /// The folder that the names of the files are relative to: that of the configuration.
        #[arg(long, value_name = "FOLDER", default_value = ".")]
        root: PathBuf,
    },
}

impl Verify {
    /// Checks and tells.
    fn run(self) -> Result<u8, Failure> {
        let Self::Verify { attestation, keys, signer, root } = self;
        let store = trust_store(&keys)?;
        let statement = match Statement::open(&file::text(&attestation)?, &store, &signer) {
            Ok(statement) => statement,
            Err(error) => {
                print(Color::Auto, |out| writeln!(out, "FAIL {}", terminal(&error.to_string())))?;
                return Ok(EXIT_FINDINGS);
            }
        };
        let mut problems = Vec::new();
        if statement.predicate.verdict != Verdict::Passed {
            problems.push(format!("the gate did not pass: {:?}", statement.predicate.verdict).to_lowercase());
        }
        if statement.subject.is_empty() {
            problems.push("it is about no file".into());
        }
        for subject in &statement.subject {
            // A name is part of what was signed, and still no reason to read outside.
            let path = Path::new(&subject.name);
            let below = path.components().all(|c| matches!(c, std::path::Component::Normal(_)));
            let found = if below { digest(&root.join(path)).ok() } else { None };
            match (found, subject.digest.get("sha256")) {
                (Some(found), Some(stated)) if found == *stated => {}
                (None, _) => problems.push(format!("{} can't be read here", subject.name)),
                _ => problems.push(format!("{} isn't what was attested", subject.name)),
            }
        }
        print(Color::Auto, |out| {
            for problem in &problems {
                writeln!(out, "FAIL {}", terminal(problem))?;
            }
            if problems.is_empty() {
                writeln!(out, "PASS attested by {}: {} files as they lie here", terminal(&signer), statement.subject.len())?;
            }
            Ok(())
        })?;
        Ok(if problems.is_empty() { EXIT_CLEAN } else { EXIT_FINDINGS })
    }
}
