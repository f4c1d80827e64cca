//! Attestations on the command line: `gate --attest` and `attest` write one, `attest verify` checks
//! it.

use super::file;
use super::gate::{GateArgs, Located, Material, RulesArgs};
use super::output::{Color, Failure, print};
use super::replay::trust_store;
use super::{EXIT_CLEAN, EXIT_FINDINGS};
use crate::attest::{Predicate, Statement, Verdict, private_key};
use crate::config::{Applied, FILE};
use crate::diag::{FailOn, Severity};
use crate::report::{Outcome, terminal};
use crate::source::{Found, Input, open_regular};
use crate::verify::Report;
use clap::{Args, Subcommand};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What `gate` takes for an attestation.
#[derive(Debug, Args)]
#[group(requires_all = ["attest", "attest_key", "attest_key_id", "now"], multiple = true)]
pub(super) struct AttestArgs {
    /// Write a signed statement (in-toto, DSSE) of what was looked at and how it ended; needs
    /// --now.
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
        Self {
            attest: Some(file),
            attest_key: Some(key),
            attest_key_id: Some(key_id),
        }
    }
}

/// The digests of everything that a gate reads, taken before it reads it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Digests {
    traces: BTreeMap<String, String>,
    /// Files among the traces that the gate doesn't read or can't open.
    unread: BTreeSet<String>,
    materials: BTreeMap<String, String>,
}

impl AttestArgs {
    /// The file that is written and the key that is read, where an attestation is asked for.
    pub(super) fn files(&self) -> (Option<&Path>, Option<&Path>) {
        (self.attest.as_deref(), self.attest_key.as_deref())
    }

    /// Takes the digests before the gate runs; none when no attestation is asked for.
    pub(super) fn before(
        &self,
        located: &Located,
        baseline: Option<&Material>,
    ) -> Result<Option<Digests>, Failure> {
        self.attest
            .as_ref()
            .map(|_| digests(located, baseline))
            .transpose()
    }

    /// Writes the attestation, unless what was read has changed meanwhile.
    pub(super) fn after(
        &self,
        before: Option<Digests>,
        located: &Located,
        baseline: Option<&Material>,
        judged: (&Report, &Applied, &Outcome, i64),
    ) -> Result<(), Failure> {
        let (Some(path), Some(key), Some(key_id), Some(before)) =
            (&self.attest, &self.attest_key, &self.attest_key_id, before)
        else {
            return Ok(());
        };
        if digests(located, baseline)? != before {
            return Err(Failure::unable(
                "what was judged has changed while it was judged",
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
        super::write::write(path, envelope.map_err(unusable)?)
    }
}

fn digests(located: &Located, baseline: Option<&Material>) -> Result<Digests, Failure> {
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
        let Found { name, input } = match input {
            Ok(found) => found,
            // It is a finding and fails the gate; there is nothing to hash of it.
            Err(missing) => {
                unread.insert(missing.name);
                continue;
            }
        };
        let Input::File(path) = input else {
            return Err(Failure::unable(
                "standard input can't be attested",
                "put the trace into a file",
            ));
        };
        let digest = digest(&path)?;
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
    let below = |file: &String| located.material(file);
    let files = [
        ("configuration", Some(located.itself())),
        (
            "policy",
            config.policy.as_ref().map(|p| below(&p.file)).transpose()?,
        ),
        (
            "trust file",
            config.keys.as_ref().map(|k| below(&k.file)).transpose()?,
        ),
        ("baseline", baseline.cloned()),
    ];
    let mut materials = BTreeMap::new();
    for (what, material) in files {
        let digest = match &material {
            None => continue,
            Some(Material::File(path)) => digest(path)?,
            Some(pinned) => hex(&Sha256::digest(located.text(pinned)?)),
        };
        materials.insert(what.to_owned(), digest);
    }
    Ok(Digests {
        traces,
        unread,
        materials,
    })
}

/// SHA-256 of a file as it lies there, in lower-case hexadecimal.
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Write a signed statement of how the gate ended, or check one.
///
/// Writing runs the gate, so that no other verdict than its own can be signed: a gate that fails is
/// attested as failed, and ends with its exit code.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct AttestCommand {
    #[command(subcommand)]
    verify: Option<Verify>,
    #[command(flatten)]
    rules: RulesArgs,
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
            (Some(Verify::Verify(verify)), ..) => verify.run(),
            (None, Some(output), Some(key), Some(key_id), Some(now)) => {
                GateArgs::attesting(self.rules, AttestArgs::to(output, key, key_id), now).run()
            }
            (None, ..) => Err(Failure::unable(
                "--output, --key, --key-id and --now are needed",
                "see `attest --help`",
            )),
        }
    }
}

/// What can be done with an attestation.
#[derive(Debug, Subcommand)]
pub(super) enum Verify {
    /// Check an attestation: signed by whom it should, passed, and about all that the gate would
    /// read here.
    Verify(VerifyArgs),
}

/// What `attest verify` takes.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// What `attest` or `gate --attest` wrote.
    attestation: PathBuf,
    /// Trust file with the public keys that count.
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,
    /// Who must have signed, as the trust file names them.
    #[arg(long, value_name = "NAME")]
    signer: String,
    /// The folder of the configuration, `yuangs-verify.toml`.
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = ".",
        conflicts_with = "config"
    )]
    root: PathBuf,
    #[command(flatten)]
    rules: RulesArgs,
    /// The baseline, if the gate was told of one on its command line.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Fail (exit 1) when the gate has let findings pass that are this bad.
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Error)]
    fail_on: FailOn,
    /// Accept that findings were ignored, in the baseline, turned off or made less severe.
    #[arg(long)]
    allow_ignored: bool,
}

impl VerifyArgs {
    /// Checks and tells.
    fn run(self) -> Result<u8, Failure> {
        let store = trust_store(&self.keys)?;
        let statement = match Statement::open(&file::text(&self.attestation)?, &store, &self.signer)
        {
            Ok(statement) => statement,
            Err(error) => {
                print(Color::Auto, |out| {
                    writeln!(out, "FAIL {}", terminal(&error.to_string()))
                })?;
                return Ok(EXIT_FINDINGS);
            }
        };
        let mut problems = verdict(&statement.predicate, self.fail_on, self.allow_ignored);
        match self.here() {
            Ok(here) => problems.extend(differences(&statement, &here)),
            Err(failure) => problems.push(failure.to_string()),
        }
        let (files, counts) = (statement.subject.len(), &statement.predicate.counts);
        let count = |name: &str| counts.get(name).copied().unwrap_or_default();
        print(Color::Auto, |out| {
            for problem in &problems {
                writeln!(out, "FAIL {}", terminal(problem))?;
            }
            if problems.is_empty() {
                let signer = terminal(&self.signer);
                let found = format!(
                    "{} errors, {} warnings, {} notes",
                    count("errors"),
                    count("warnings"),
                    count("notes")
                );
                let word = if count("errors") == 0 { "PASS" } else { "INFO" };
                writeln!(
                    out,
                    "{word} attested by {signer}: {files} files as they lie here, {found}"
                )?;
            }
            Ok(())
        })?;
        Ok(if problems.is_empty() {
            EXIT_CLEAN
        } else {
            EXIT_FINDINGS
        })
    }

    /// What the gate would read if it ran here and now.
    fn here(&self) -> Result<Digests, Failure> {
        let named = || {
            self.rules
                .config
                .clone()
                .unwrap_or_else(|| self.root.join(FILE))
        };
        let rules = if self.rules.is_pinned() {
            self.rules.clone()
        } else {
            RulesArgs::of(Some(named()))
        };
        let located = rules.locate(&self.root)?;
        digests(
            &located,
            located.baseline(self.baseline.as_deref())?.as_ref(),
        )
    }
}

/// What the statement itself says against it.
fn verdict(predicate: &Predicate, fail_on: FailOn, allow_ignored: bool) -> Vec<String> {
    let mut problems = Vec::new();
    // A count that isn't stated isn't zero.
    let count = |name: &str| {
        predicate
            .counts
            .get(name)
            .map_or_else(|| "an unknown number".to_owned(), u64::to_string)
    };
    let let_pass = [
        ("ignored", "ignored"),
        ("known", "in the baseline"),
        ("off", "turned off"),
        ("lowered", "made less severe"),
    ];
    for (name, what) in let_pass
        .into_iter()
        .filter(|(name, _)| !allow_ignored && count(name) != "0")
    {
        problems.push(format!(
            "findings that were {what}: {} (--allow-ignored accepts them)",
            count(name)
        ));
    }
    let accepted = predicate.verdict == Verdict::Unenforced && fail_on == FailOn::Never;
    if predicate.verdict != Verdict::Passed && !accepted {
        problems.push(format!("the gate did not pass: {:?}", predicate.verdict).to_lowercase());
    }
    for (severity, name) in [
        (Severity::Error, "errors"),
        (Severity::Warning, "warnings"),
        (Severity::Note, "notes"),
    ] {
        // A count that isn't stated isn't zero.
        let count = predicate.counts.get(name).copied();
        if fail_on.includes(severity) && count != Some(0) {
            let count = count.map_or_else(|| "an unknown number of".to_owned(), |n| n.to_string());
            problems.push(format!("the gate let {count} {name} pass"));
        }
    }
    problems
}

/// Where what was attested and what lies here aren't the same.
fn differences(statement: &Statement, here: &Digests) -> Vec<String> {
    let mut problems = Vec::new();
    if statement.subject.is_empty() {
        problems.push("it is about no file".into());
    }
    problems.extend(
        here.unread
            .iter()
            .map(|name| format!("{name} lies among the traces and isn't read")),
    );
    let mut attested = BTreeMap::new();
    for subject in &statement.subject {
        let digest = subject.digest.get("sha256").map_or("", String::as_str);
        if attested.insert(subject.name.as_str(), digest).is_some() {
            problems.push(format!("it speaks twice of {}", subject.name));
        }
    }
    let materials = statement
        .predicate
        .materials
        .iter()
        .map(|(name, digest)| (name.as_str(), digest.as_str()))
        .collect();
    for (before, now, the) in [
        (attested, &here.traces, ""),
        (materials, &here.materials, "the "),
    ] {
        let now: BTreeMap<&str, &str> = now
            .iter()
            .map(|(name, digest)| (name.as_str(), digest.as_str()))
            .collect();
        let names: BTreeSet<&str> = before.keys().chain(now.keys()).copied().collect();
        for name in names {
            match (before.get(name), now.get(name)) {
                (Some(before), Some(now)) if before == now => {}
                (Some(_), Some(_)) => problems.push(format!("{the}{name} isn't what was attested")),
                (Some(_), None) => {
                    problems.push(format!("{the}{name} isn't among what the gate reads here"));
                }
                (None, _) => problems.push(format!("{the}{name} lies here and wasn't attested")),
            }
        }
    }
    problems
}
