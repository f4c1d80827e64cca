//! Attestations: `gate --attest` and `attest` write one, `attest verify` checks it.

use super::common::exit::{EXIT_CLEAN, EXIT_FINDINGS};
use super::common::located::RulesArgs;
use super::common::time::parse_time;
use super::common::trust::trust_store;
use super::file;
use super::gate::GateArgs;
use super::gate::attestation::{AttestArgs, Digests, digests};
use super::output::{Color, Failure, print};
use crate::attest::{Predicate, Statement, Verdict};
use crate::config::FILE;
use crate::diag::{FailOn, Severity};
use crate::report::terminal;
use clap::{Args, Subcommand};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Sign how the gate ended, or check that.
///
/// Writing runs the gate, so that no other verdict than its own can be signed: a gate that fails is
/// attested as failed, and ends with its exit code.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "\
yuangs-verify attest [OPTIONS]
         --key <FILE> --key-id <ID>
         --now <TIME> --output <FILE>
       yuangs-verify attest verify [OPTIONS]
         --keys <FILE> --signer <NAME> <ATTESTATION>"
)]
pub(super) struct AttestCommand {
    #[command(subcommand)]
    verify: Option<Verify>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Sign with this private key, Ed25519 in PEM.
    #[arg(long, value_name = "FILE", required = true)]
    key: Option<PathBuf>,
    /// Name the key by this id, as in trust files.
    #[arg(long, value_name = "ID", required = true)]
    key_id: Option<String>,
    /// State this time, as 2027-01-31 or RFC 3339.
    #[arg(long, value_name = "TIME", required = true, value_parser = parse_time)]
    now: Option<i64>,
    /// Write the statement (in-toto, DSSE) to this file.
    #[arg(short, long, value_name = "FILE", required = true)]
    output: Option<PathBuf>,
}

impl AttestCommand {
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

/// Subcommands of `attest`.
#[derive(Debug, Subcommand)]
pub(super) enum Verify {
    /// Check an attestation: signed by whom it should, passed, and about all that the gate would
    /// read here.
    Verify(VerifyArgs),
}

/// Arguments of `attest verify`.
#[derive(Debug, Args)]
#[command(override_usage = "\
yuangs-verify attest verify [OPTIONS]
         --keys <FILE> --signer <NAME> <ATTESTATION>")]
pub(super) struct VerifyArgs {
    /// The attestation of `attest` or `gate --attest`.
    attestation: PathBuf,
    /// Accept the public keys in this trust file.
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,
    /// Require a signature by this signer of the trust file.
    #[arg(long, value_name = "NAME")]
    signer: String,
    /// Read the configuration `yuangs-verify.toml` in this folder.
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = ".",
        conflicts_with = "config"
    )]
    root: PathBuf,
    #[command(flatten)]
    rules: RulesArgs,
    /// Read this baseline, if the gate's command line named one.
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
    /// Checks the statement and prints the result.
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

    /// Computes the digests of everything that the gate would read here and now.
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
            RulesArgs::from_config(Some(named()))
        };
        let located = rules.locate(&self.root)?;
        digests(
            &located,
            located.baseline(self.baseline.as_deref())?.as_ref(),
        )
    }
}

/// Returns the problems that the statement itself records.
fn verdict(predicate: &Predicate, fail_on: FailOn, allow_ignored: bool) -> Vec<String> {
    let mut problems = Vec::new();
    // A missing count isn't zero.
    let count = |name: &str| {
        predicate
            .counts
            .get(name)
            .map_or_else(|| "an unknown number".to_owned(), u64::to_string)
    };
    let let_pass = [
        ("ignored", "ignored"),
        ("accepted", "accepted"),
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
        // A missing count isn't zero.
        let count = predicate.counts.get(name).copied();
        if fail_on.includes(severity) && count != Some(0) {
            let count = count.map_or_else(|| "an unknown number of".to_owned(), |n| n.to_string());
            problems.push(format!("the gate let {count} {name} pass"));
        }
    }
    problems
}

/// Returns the differences between the attested files and those found here.
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
