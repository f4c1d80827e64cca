//! `replay` and `validate`: verify traces and print reports.

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use super::common::formats::trace_format;
use super::common::git::git_failure;
use super::common::inputs::Inputs;
use super::common::secrets::secret_rules;
use super::common::tools::read_tools;
use super::common::trust::trust_store;
use super::conclusion::{Conclusion, Reproduction};
use super::file;
use super::output::{Color, Failure, warn};
use super::progress::Progress;
use super::reports::DRAWN_TURNS;
use super::shares::{ShareArgs, check_named, document_format, path_names};
pub(super) use crate::diag::FailOn;
use crate::diag::{Finding, Severity, assign_fingerprints};
use crate::replay::{Assessor, Sidecar};
use crate::report::Format as ReportFormat;
use crate::rules::{Settings, SignatureRequirement, codes};
use crate::schema::Validator;
use crate::source::{Discovery, Limits, open_regular, survey};
use crate::trace::Format;
use crate::trajectory::reevaluate::{self, Reevaluation};
use crate::trajectory::versions;
use crate::verify::account::reconcile;
use crate::verify::partial::{Command, RunOptions, Work};
use crate::verify::{
    AuditLog, Options, Report, read_decisions, report_audit_log, report_unmatched_decisions,
    skipped_sentence, verify, watch,
};
use clap::{Args, FromArgMatches as _, ValueEnum};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use worktree::diff::tree::{Revision, TreeError};
use worktree::git::{GitError, ObjectId, Repository};

/// Completes a report before it is written.
type Finish<'s> = dyn Fn(&mut Report) -> Result<(), Failure> + 's;

/// Options of both commands.
#[derive(Debug, Args)]
pub struct Common {
    /// Traces: files, folders (`.jsonl`, `.ndjson`, `.json`, `.traj`, `.cast`, `.eval`, also
    /// `.gz` and `.zst`), or `-` for standard input.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read every input as this format instead of finding out, as `execution-record`,
    /// `claude-code` or `codex`; another word lists all names.
    #[arg(long, value_name = "NAME", value_parser = trace_format)]
    format_in: Option<Format>,
    #[command(flatten)]
    conclusion: Conclusion,
    /// List at most N findings (0: all) and count the rest.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    max_findings: usize,
    /// Draw at most N turns in an HTML report and count the rest; 2,000 by default.
    #[arg(long, value_name = "N")]
    max_turns: Option<usize>,
    /// Limit the size of a record.
    #[arg(
        long,
        default_value_t = Limits::default().record_bytes,
        value_name = "BYTES",
        help_heading = "Limits",
    )]
    max_record_bytes: usize,
    /// Limit the nesting of a record; at most 128.
    #[arg(
        long,
        default_value_t = Limits::default().depth,
        value_parser = clap::value_parser!(u32).range(1..=128),
        value_name = "LEVELS",
        help_heading = "Limits",
    )]
    max_depth: u32,
    /// Limit the size of a document that isn't one record per line.
    #[arg(
        long,
        default_value_t = Limits::default().document_bytes,
        value_name = "BYTES",
        help_heading = "Limits",
    )]
    max_document_bytes: usize,
    /// Limit the size of an input after decompression.
    #[arg(
        long,
        default_value_t = Limits::default().input_bytes,
        value_name = "BYTES",
        help_heading = "Limits",
    )]
    max_input_bytes: u64,
    /// Limit the number of executions in the inputs. The records of further ones aren't checked,
    /// which is an error.
    #[arg(long, default_value_t = Limits::default().executions, value_name = "N", help_heading = "Limits")]
    max_executions: usize,
    /// Limit the memory for the open executions of an input. Beyond it no more are opened, which is
    /// an error.
    #[arg(
        long,
        default_value_t = Limits::default().open_bytes,
        value_name = "BYTES",
        help_heading = "Limits",
    )]
    max_open_bytes: usize,
    /// Threads to use (0: one for each core).
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    share: ShareArgs,
    /// Determine the risk of an action with these rules, to compare it with the recorded one.
    #[arg(long, value_enum, default_value_t = RiskLevel::V1)]
    risk: RiskLevel,
    /// Choose what is replayed. `strict`: the recorded decisions, applied again. `compatible`: as
    /// strict, and the versions of prompts, tools, policies and models are listed, with those that
    /// differ. `re-evaluate`: `--policy` is evaluated at each decision, and the path is followed up
    /// to the first action that it stops.
    #[arg(long, value_enum, default_value_t = Mode::Strict, value_name = "MODE")]
    mode: Mode,
    /// Re-evaluate with this policy: a file, or the name of a built-in one.
    #[arg(long, value_name = "FILE|NAME", required_if_eq("mode", "re-evaluate"))]
    policy: Option<String>,
    /// Accept signatures by the public keys in this trust file. Without it signatures aren't
    /// checked.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Require signatures by a key of the trust file: of the decisions of people, or of all.
    /// Decisions without a signature fail, whatever their format.
    #[arg(long, value_enum, value_name = "WHOSE")]
    require_signatures: Option<Require>,
    /// Limit the tokens in the context of a turn. A trace can set a lower limit itself, but not a
    /// higher one.
    #[arg(long, value_name = "TOKENS")]
    context_budget: Option<u64>,
    /// Limit how long a human's approval may take after the request; 0 allows any time. The default
    /// is 300000.
    #[arg(long, value_name = "MS")]
    approval_timeout: Option<u64>,
    /// Set the root of the work tree, an absolute path. The default is the recorded root. If none
    /// is recorded, absolute paths may be inside; those of sessions never are.
    #[arg(long, value_name = "DIR", value_parser = absolute)]
    workdir: Option<String>,
    /// Read decisions about the calls of sessions from another source: an OTLP log, or any session
    /// format that records decisions. They are joined by session and call.
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Compare the calls of sessions with this permission audit log: JSON lines with `toolName`,
    /// `args`, `result` and `allowed`.
    #[arg(long, value_name = "FILE")]
    audit_log: Option<PathBuf>,
    /// Compare calls of tools with this manifest: of tools, a skill, servers or an agent, or a
    /// listing of a server. May be given several times.
    #[arg(long, value_name = "FILE")]
    tools: Vec<PathBuf>,
    /// Compare the executed actions with this git repository: do their diffs apply, are the files
    /// that change those that were declared and observed?
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Set the revision that the first execution began on (default `HEAD`). With `--head`, it is
    /// the best common ancestor of both.
    #[arg(long, value_name = "REV", requires = "repo")]
    base: Option<String>,
    /// Check that the record accounts for the changes up to this revision, which the executions led
    /// to.
    #[arg(long, value_name = "REV", requires = "repo", requires = "base")]
    head: Option<String>,
}

/// Reads a permission audit log.
fn audit_log(path: &Path) -> Result<AuditLog, Failure> {
    let unable = |why: &str| {
        Failure::unable(
            format!("can't use the audit log `{}`: {why}", path.display()),
            "each line is a JSON object with `toolName`, `args` and `allowed`",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|error| unable(&error.to_string()))?;
    let log = AuditLog::parse(&text).map_err(|why| unable(&why))?;
    if log.is_empty() {
        return Err(unable("it has no entry"));
    }
    Ok(log)
}

/// Reads the decisions in a file.
fn sidecar(path: &Path) -> Result<Arc<Sidecar>, Failure> {
    let unable = |why: &str| {
        Failure::unable(
            format!("can't use the decisions of `{}`: {why}", path.display()),
            "name a file that records decisions about calls, as an OTLP log does",
        )
    };
    let inputs = survey(std::slice::from_ref(&path.to_path_buf())).inputs;
    let (sidecar, report) = read_decisions(&inputs, &Options::default());
    // An unreadable record may be a rejection.
    let broken = |f: &&Finding| f.severity == Severity::Error && f.code.0 < 200;
    if let Some(finding) = report.findings.iter().find(broken) {
        return Err(unable(&format!(
            "line {}: {}",
            finding.place.line, finding.message
        )));
    }
    if sidecar.is_empty() {
        return Err(unable("it holds none"));
    }
    Ok(Arc::new(sidecar))
}

/// Returns the hashes of files.
fn hashes(files: &[&Path]) -> Result<Vec<[u8; 32]>, Failure> {
    let files = files.iter();
    files
        .map(|path| {
            let mut hash = blake3::Hasher::new();
            // A pipe could block, and can't be read twice.
            let read = open_regular(path).and_then(|file| hash.update_reader(file).map(|_| ()));
            let unable = |error: io::Error| {
                let message = format!("can't read `{}`: {error}", path.display());
                Failure::unable(
                    message,
                    "name a regular file: the shares and `merge` read it",
                )
            };
            read.map_err(unable)?;
            Ok(hash.finalize().into())
        })
        .collect()
}

fn absolute(text: &str) -> Result<String, String> {
    if text.starts_with('/') {
        Ok(text.to_owned())
    } else {
        Err("an absolute path, as the trace would name it".to_owned())
    }
}

/// The kinds of replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Apply the recorded decisions again.
    Strict,
    /// As strict, and list the versions of what the decisions rested on.
    Compatible,
    /// Ask a policy again at each decision.
    ReEvaluate,
}

/// The decisions that must be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Require {
    /// Those of people.
    Human,
    /// All of them.
    All,
}

/// Risk profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RiskLevel {
    /// Believe the record (a type that nobody knows is high all the same).
    Off,
    /// The early runtime's rules.
    V0,
    /// What the action does, as far as it can be understood.
    V1,
}

impl ReplayArgs {
    /// Returns the options that the findings depend on, as words of a command.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |option: &str, value: &dyn Fn() -> Option<String>| {
            if let Some(value) = value() {
                words.extend([option.to_owned(), value]);
            }
        };
        let shown = |path: &Option<PathBuf>| Some(path.as_ref()?.to_string_lossy().into_owned());
        add("--risk", &|| {
            let risk = Some(self.risk).filter(|risk| *risk != RiskLevel::V1)?;
            Some(risk.to_possible_value()?.get_name().to_owned())
        });
        add("--keys", &|| shown(&self.keys));
        add("--require-signatures", &|| {
            let required = self.require_signatures?.to_possible_value()?;
            Some(required.get_name().to_owned())
        });
        add("--context-budget", &|| {
            Some(self.context_budget?.to_string())
        });
        add("--approval-timeout", &|| {
            Some(self.approval_timeout?.to_string())
        });
        add("--workdir", &|| self.workdir.clone());
        add("--decisions", &|| shown(&self.decisions));
        add("--audit-log", &|| shown(&self.audit_log));
        for path in &self.tools {
            add("--tools", &|| Some(path.to_string_lossy().into_owned()));
        }
        add("--mode", &|| {
            (self.mode == Mode::Compatible).then(|| "compatible".to_owned())
        });
        words
    }

    /// Returns the files that the options name.
    fn files(&self) -> Vec<&Path> {
        let named = [&self.keys, &self.decisions, &self.audit_log];
        let named = named.into_iter().flatten().chain(&self.tools);
        named.map(PathBuf::as_path).collect()
    }

    /// Reads the files that the options name, and returns the settings of the rules.
    fn settings(&self) -> Result<Settings, Failure> {
        let keys = self.keys.as_deref().map(trust_store).transpose()?;
        if self.require_signatures.is_some() && keys.is_none() {
            let remedy =
                "name the trust file with --keys: a signature that nobody checks proves nothing";
            return Err(Failure::unable(
                "signatures are required, and no key is known",
                remedy,
            ));
        }
        let signed = self.require_signatures.map(|require| match require {
            Require::Human => SignatureRequirement::Human,
            Require::All => SignatureRequirement::All,
        });
        let assessor = match self.risk {
            RiskLevel::Off => Assessor::Off,
            RiskLevel::V0 => Assessor::V0,
            RiskLevel::V1 => Assessor::V1,
        };
        Ok(Settings {
            assessor,
            keys,
            signed,
            keep_changes: self.repo.is_some(),
            context_budget: self.context_budget,
            approval_timeout: self.approval_timeout,
            workdir: self.workdir.clone(),
            decisions: self.decisions.as_deref().map(sidecar).transpose()?,
            tools: read_tools(&self.tools)?,
            ..Settings::default()
        })
    }

    /// Restores the settings of a run from the words of its command.
    pub(super) fn settings_of(run: &RunOptions) -> Result<Settings, Failure> {
        let command = ReplayArgs::augment_args(clap::Command::new("replay").no_binary_name(true));
        let words = run.words.iter().map(String::as_str).chain(["--", "-"]);
        let args = command
            .try_get_matches_from(words)
            .and_then(|matches| Self::from_arg_matches(&matches))
            .map_err(|_| {
                Failure::unable("its command isn't one of this version", "write it again")
            })?;
        args.check_share()?;
        if hashes(&args.files())? != run.files {
            return Err(Failure::unable(
                "a file that the options name was changed since",
                "write all partial results again",
            ));
        }
        args.settings()
    }

    pub(super) fn run(self) -> Result<u8, Failure> {
        let mut extra = self.words();
        // Read first, so that an unusable log fails before the traces are read.
        let audit = self.audit_log.as_deref().map(audit_log).transpose()?;
        let options = Options {
            settings: self.settings()?,
            ..self.common.options()
        };
        let decisions = options.settings.decisions.clone();
        match (self.mode, &self.policy, &self.repo) {
            (Mode::ReEvaluate, ..) if self.share.partial.is_some() => {
                return Err(Failure::unable(
                    "a re-evaluation has no partial result",
                    "leave --partial out",
                ));
            }
            (Mode::ReEvaluate, Some(policy), None) => return self.re_evaluate(policy, options),
            (Mode::ReEvaluate, Some(_), Some(_)) => {
                return Err(Failure::unable(
                    "a re-evaluation doesn't read a repository",
                    "leave --repo out",
                ));
            }
            (Mode::ReEvaluate, None, _) => {
                return Err(Failure::unable(
                    "a re-evaluation asks a policy",
                    "name it with --policy",
                ));
            }
            (_, Some(_), _) => {
                return Err(Failure::unable(
                    "only a re-evaluation asks a policy",
                    "add --mode re-evaluate, or leave --policy out",
                ));
            }
            (Mode::Strict | Mode::Compatible, None, _) => {}
        }
        let settings = self.files();
        let with_versions = self.mode == Mode::Compatible;
        if let Some(partial) = &self.share.partial {
            self.check_share()?;
            let common = &self.common;
            return common.write_share(
                &self.share,
                partial,
                (options, &settings),
                (&extra, with_versions),
            );
        }
        let audit = std::cell::RefCell::new(audit);
        let versions = |report: &mut Report| {
            if let (Some(log), Some(path)) = (audit.take(), &self.audit_log) {
                let inputs = file::traces(&self.common.paths);
                let log = (&*path.to_string_lossy(), log);
                report_audit_log(report, &inputs, &self.common.options(), log);
            }
            if let Some(decisions) = &decisions {
                report_unmatched_decisions(report, decisions);
            }
            if with_versions {
                let sentences = versions::sentences(&report.timeline);
                report.notices.extend(sentences);
            }
        };
        let Some(folder) = &self.repo else {
            return self
                .common
                .run(options, &settings, &extra, with_versions, &|report| {
                    versions(report);
                    Ok(())
                });
        };
        extra.extend([
            "--repo".to_owned(),
            folder.to_string_lossy().into_owned(),
            "--base".to_owned(),
            self.base().to_owned(),
        ]);
        extra.extend(
            self.head
                .iter()
                .flat_map(|head| ["--head".to_owned(), head.clone()]),
        );
        let repository = Repository::discover(folder).map_err(|e| git_failure(&e))?;
        let (base, head) = self.ends(&repository).map_err(|e| git_failure(&e))?;
        let tree = |id| Revision::new(&repository, id).map_err(|e| git_failure(&e));
        let base = (base, tree(base)?);
        let head = head
            .map(|id| Ok::<_, Failure>((id, tree(id)?)))
            .transpose()?;
        self.common
            .run(options, &settings, &extra, with_versions, &|report| {
                versions(report);
                let unreadable = |e: TreeError| {
                    Failure::unable(
                        e.to_string(),
                        "a shallow or partial clone may lack it: fetch it",
                    )
                };
                reconcile(
                    report,
                    (base.0, &base.1),
                    head.as_ref().map(|(id, tree)| (*id, tree)),
                )
                .map_err(unreadable)
            })
    }

    /// Refuses what concerns the run as a whole.
    fn check_share(&self) -> Result<(), Failure> {
        if self.common.conclusion.is_given() {
            return Err(Failure::unable(
                "a share with --partial writes no report",
                "pass the options for reports, --fail-on and --lang to `merge`",
            ));
        }
        let unable = [
            ("--repo", self.repo.is_some()),
            ("--decisions", self.decisions.is_some()),
            ("--audit-log", self.audit_log.is_some()),
        ];
        let given = unable.into_iter().find(|(_, is_given)| *is_given);
        given.map_or(Ok(()), |(option, _)| {
            Err(Failure::unable(
                format!("{option} compares with all inputs of a run, and a share has only some"),
                format!("leave {option} out, or replay everything in one run"),
            ))
        })
    }

    /// Evaluates the policy at each decision.
    fn re_evaluate(&self, policy: &str, options: Options) -> Result<u8, Failure> {
        secret_rules()?;
        let found = super::policy::find::policy(policy)?;
        let mut reevaluation = Reevaluation::new(&found.policy);
        let inputs = file::traces(&self.common.paths);
        let progress = Progress::of_inputs(&inputs, self.common.conclusion.quiet);
        let options = Options {
            bytes_read: Some(progress.done()),
            settings: Settings {
                policies: found.files(),
                ..options.settings
            },
            ..options
        };
        let rule = codes::GOVERNING_POLICY_CHANGED;
        let report = watch(&inputs, &options, Some(rule), &mut |file, id, entry| {
            reevaluation.record(file, id, entry);
        });
        drop(progress);
        let document = reevaluation.finish(&report, rule);
        let format = document_format(self.common.conclusion.reports.only_format()?)?;
        format.print(Color::Auto, || reevaluate::page(&document), || &document)?;
        Ok(match () {
            () if report.counts.unopened > 0 => EXIT_ERROR,
            // An unreadable record may contain a decision that the policy stops.
            () if self.common.conclusion.fail_on != FailOn::Never
                && (document.stopped > 0 || report.counts.errors > 0) =>
            {
                EXIT_FINDINGS
            }
            () if document.decisions == 0 => {
                warn("nothing was re-evaluated: no decision is recorded");
                EXIT_NOTHING_VERIFIED
            }
            () => EXIT_CLEAN,
        })
    }

    fn base(&self) -> &str {
        self.base.as_deref().unwrap_or("HEAD")
    }

    /// Returns the revisions that the record begins and ends on.
    fn ends(&self, repository: &Repository) -> Result<(ObjectId, Option<ObjectId>), GitError> {
        let base = repository.commit(self.base())?;
        let Some(head) = &self.head else {
            return Ok((base, None));
        };
        let head = repository.commit(head)?;
        Ok((
            repository.merge_base(base, head)?.unwrap_or(base),
            Some(head),
        ))
    }
}

/// Arguments of `validate`.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    #[command(flatten)]
    common: Common,
    /// Check against this JSON Schema instead (any draft; references inside the file only): each
    /// record, or a YAML file as a whole.
    #[arg(long, value_name = "FILE", conflicts_with = "format_in")]
    schema: Option<PathBuf>,
    /// Set the project that manifests (skill.json, skills.json, meta.json, .mcp.json,
    /// .ai-stack.json, tools, and the same in YAML) belong to: the files they name must be in it.
    /// The default is the nearest parent folder with `.git` or `yuangs-verify.toml`.
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

impl ValidateArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let schema =
            match &self.schema {
                None => None,
                Some(path) => {
                    let validator = Validator::from_text(&file::text(path)?);
                    let remedy = "`$ref` may only point into the same file";
                    Some(validator.map_err(|e| {
                        Failure::unable(format!("`{}`: {e}", path.display()), remedy)
                    })?)
                }
            };
        let extra: Vec<String> = self
            .schema
            .iter()
            .flat_map(|path| ["--schema".to_owned(), path.to_string_lossy().into_owned()])
            .collect();
        if self.common.format_in.is_some() {
            let options = Options {
                schema_only: true,
                ..self.common.options()
            };
            return self.common.run(options, &[], &extra, false, &|_| Ok(()));
        }
        // A manifest isn't a trace and is checked as a manifest. With a schema, YAML is checked
        // against it as a whole, and JSON record by record.
        let Discovery { inputs, skipped } = survey(&self.common.paths);
        let (manifests, inputs) = super::manifests::part(inputs, schema.is_some());
        let named = manifests.iter().map(super::manifests::Manifest::path);
        let settings: Vec<&Path> = self
            .schema
            .iter()
            .map(PathBuf::as_path)
            .chain(named)
            .collect();
        let options = Options {
            schema_only: true,
            schema: schema.clone(),
            ..self.common.options()
        };
        self.common.run_on(
            (Discovery { inputs, skipped }, &settings),
            options,
            &extra,
            false,
            &|report| {
                report.absorb(super::manifests::check(
                    &manifests,
                    self.project.as_deref(),
                    schema.as_ref(),
                )?);
                report.findings.sort_by_cached_key(Finding::order);
                assign_fingerprints(&mut report.findings);
                Ok(())
            },
        )
    }
}

impl Common {
    fn options(&self) -> Options {
        Options {
            format: self.format_in,
            limits: Limits {
                record_bytes: self.max_record_bytes,
                depth: self.max_depth,
                document_bytes: self.max_document_bytes,
                input_bytes: self.max_input_bytes,
                executions: self.max_executions,
                open_bytes: self.max_open_bytes,
            },
            max_findings: self.max_findings,
            threads: self.threads,
            ..Options::default()
        }
    }

    fn run(
        &self,
        options: Options,
        settings: &[&Path],
        extra: &[String],
        keep_turns: bool,
        after: &Finish<'_>,
    ) -> Result<u8, Failure> {
        self.run_on(
            (survey(&self.paths), settings),
            options,
            extra,
            keep_turns,
            after,
        )
    }

    fn run_on(
        &self,
        (found, settings): (Discovery, &[&Path]),
        options: Options,
        extra: &[String],
        keep_turns: bool,
        after: &Finish<'_>,
    ) -> Result<u8, Failure> {
        secret_rules()?;
        let mut apart = Inputs::default();
        apart.add_found(&found.inputs);
        for file in settings {
            apart.add(file);
        }
        let targets = self.conclusion.targets(&apart)?;
        let with_turns = keep_turns || targets.iter().any(|t| t.format == ReportFormat::Html);
        let progress = Progress::of_inputs(&found.inputs, self.conclusion.quiet);
        let options = &Options {
            max_turns: if with_turns {
                self.max_turns.unwrap_or(DRAWN_TURNS)
            } else {
                0
            },
            bytes_read: Some(progress.done()),
            ..options
        };
        let mut report = verify(&found.inputs, options);
        drop(progress);
        report.skip(found.skipped);
        report
            .notices
            .extend(skipped_sentence(&report.skipped, report.counts.skipped));
        report.notices.extend(report.silent.sentence());
        after(&mut report)?;
        let reproduction = Reproduction {
            name: if options.schema_only {
                "validate"
            } else {
                "replay"
            },
            format: self.format_in.map(Format::name),
            words: extra,
            paths: path_names(&self.paths),
        };
        self.conclusion
            .write((report, options.schema_only), &targets, &reproduction)
    }

    /// Verifies a share of the inputs and writes its partial result.
    fn write_share(
        &self,
        share: &ShareArgs,
        path: &Path,
        (options, settings): (Options, &[&Path]),
        (words, with_versions): (&[String], bool),
    ) -> Result<u8, Failure> {
        secret_rules()?;
        check_named(settings.iter().copied())?;
        let max_turns = if with_versions { DRAWN_TURNS } else { 0 };
        let mut options = Options {
            max_turns: self.max_turns.unwrap_or(max_turns),
            ..options
        };
        let run = RunOptions {
            command: Command::Replay,
            words: words.to_vec(),
            files: hashes(settings)?,
            with_versions,
            ..RunOptions::of(&options)
        };
        let mut apart = Inputs::default();
        for file in settings {
            apart.add(file);
        }
        apart.keep_apart([path])?;
        share.write(
            path,
            (survey(&self.paths), &self.paths),
            (&mut options, run),
            Work::Verify,
            self.conclusion.quiet,
        )
    }
}
