//! `policy compare`: compares two policies.

use super::find::{self, LoadedPolicy};
use super::folder::policies_under;
use super::objection::Objections;
use super::revision::Revision;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::file::traces;
use crate::cli::output::{Color, Failure, print_prose_if};
use crate::cli::progress::{Progress, Unit};
use crate::diag::{FailOn, Place, subject};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use crate::trajectory::recorded_decisions::DecisionHistory;
use crate::trajectory::words::plural;
use crate::verify::{Options, Report, watch};
use agent_policy::{
    Case, Comparison, Context, Effect, Effort, Position, Question, RuleChange, UnprovenChange,
    compare, load_cases, load_corpus,
};
use clap::Args;
use content_scan::mask::Mask;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Number of random questions when a gate compares policies.
const GATE_CASES: u32 = 200;
/// Maximum number of characters of a class in a message; a pattern may be long.
const MAX_CLASS_SHOWN: usize = 160;
/// Maximum number of recorded actions that are evaluated.
const MAX_RECORDED: usize = 1_000_000;

/// Arguments of `policy compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The old policy: a file, a folder of policies, either at a revision (`REV:PATH`), or the name
    /// of a built-in one.
    #[arg(value_name = "BASE")]
    base: String,
    /// The new policy.
    #[arg(value_name = "HEAD")]
    head: String,
    /// Ask about the actions of a corpus or a test file too.
    #[arg(long, value_name = "FILE")]
    corpus: Vec<PathBuf>,
    /// Ask about the actions that traces record too.
    #[arg(long, value_name = "PATH")]
    traces: Vec<PathBuf>,
    /// Start the search with this seed; the same seed tries the same actions.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Random questions that cross-check the proof.
    #[arg(
        long,
        default_value_t = 200,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(2..=10_000_000)
    )]
    cases: u32,
    /// Fail (exit 1) on findings of this severity or above.
    #[arg(long, value_enum, default_value_t = FailOn::Warning, value_name = "SEVERITY")]
    fail_on: FailOn,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
}

/// Two versions of a policy with the same name.
struct Pair {
    base: LoadedPolicy,
    head: LoadedPolicy,
}

impl Pair {
    /// Returns what the policies don't say as the vendor's files do.
    fn gaps(&self) -> impl Iterator<Item = (Place, String)> {
        [&self.base, &self.head].into_iter().flat_map(|policy| {
            let gaps = policy.gaps.iter();
            gaps.map(|gap| (policy.place(gap.at), gap.message.clone()))
        })
    }
}

impl CompareArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (pairs, one_sided) = self.pairs()?;
        let (given, secrets) = self.given()?;
        let effort = Effort {
            seed: self.seed,
            cases: self.cases,
            only: Vec::new(),
        };
        let mut objections = Objections::default();
        let mut results = Vec::new();
        let count = pairs.len();
        let progress = Progress::start("comparing policies", Unit::Items, 0, false);
        for (n, pair) in pairs.into_iter().enumerate() {
            progress.set(n, count);
            let comparison = compare(&pair.base.policy, &pair.head.policy, &given, &effort);
            report(&pair, &comparison, &mut objections);
            results.push((pair, comparison));
        }
        drop(progress);
        objections.hide(&secrets);
        objections.finish();
        print_prose_if(
            self.format == OutputFormat::Text,
            Color::Auto,
            |out| match self.format {
                OutputFormat::Text => text(&results, &one_sided, &objections, out),
                OutputFormat::Json => writeln!(
                    out,
                    "{}",
                    safe_json(&self.json(&results, &one_sided, &objections, &secrets))
                ),
            },
        )?;
        if results.is_empty() {
            return Ok(EXIT_ERROR);
        }
        // A removed policy allows whatever the others don't forbid, and nothing verifies that.
        let gone = !one_sided.is_empty() && self.fail_on != FailOn::Never;
        // What is inconclusive has an exit code of its own.
        let decided = objections
            .findings
            .iter()
            .filter(|f| f.code.0 != INCONCLUSIVE);
        let decided: Vec<_> = decided.map(|f| f.severity).collect();
        let failing = self
            .fail_on
            .count(|severity| decided.iter().filter(|own| **own == severity).count() as u64);
        let unproven = results.iter().any(|(_, found)| !found.unproven.is_empty());
        Ok(match () {
            () if failing > 0 || gone => EXIT_FINDINGS,
            () if unproven && self.fail_on != FailOn::Never => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        })
    }

    /// Returns the policies to compare, and the files that only one of the directories has.
    fn pairs(&self) -> Result<(Vec<Pair>, Vec<String>), Failure> {
        let (base, head) = match (folder(&self.base)?, folder(&self.head)?) {
            (None, None) => {
                let pair = Pair {
                    base: find::policy(&self.base)?,
                    head: find::policy(&self.head)?,
                };
                return Ok((vec![pair], Vec::new()));
            }
            (Some(base), Some(head)) => (base, head),
            _ => {
                let remedy = "name two files, or two folders";
                return Err(Failure::unable(
                    "a folder can only be compared with a folder",
                    remedy,
                ));
            }
        };
        let removed = base
            .keys()
            .filter(|n| !head.contains_key(*n))
            .map(|n| format!("{n} is only in the base"));
        let added = head
            .keys()
            .filter(|n| !base.contains_key(*n))
            .map(|n| format!("{n} is only in the head"));
        let one_sided = removed.chain(added).collect();
        let mut pairs = Vec::new();
        for (name, (file, text)) in &base {
            if let Some((new_file, new_text)) = head.get(name) {
                pairs.push(Pair {
                    base: find::parse(file, text.clone())?,
                    head: find::parse(new_file, new_text.clone())?,
                });
            }
        }
        Ok((pairs, one_sided))
    }

    /// Returns the actions of corpora, test files and traces, and a mask of their secrets.
    fn given(&self) -> Result<(Vec<Question>, Mask), Failure> {
        let mut given = Vec::new();
        for path in &self.corpus {
            let (name, text) = (find::name_of(path), find::read(path)?);
            let cases = if path.extension().is_some_and(|e| e == "jsonl") {
                load_corpus(&text)
            } else {
                load_cases(&text)
            };
            given.extend(
                cases
                    .map_err(|p| find::complain(&name, &text, &p))?
                    .iter()
                    .map(Case::question),
            );
        }
        let mut ledger = DecisionHistory::default();
        let options = Options {
            max_findings: 1,
            ..Options::default()
        };
        let report = watch(
            &traces(&self.traces),
            &options,
            None,
            &mut |file, execution, entry| {
                entry.record.steps(&mut |step| {
                    ledger.step(&format!("{file}\n{execution}"), step, &mut |decided, _| {
                        if given.len() < MAX_RECORDED {
                            let context = Context {
                                risk: decided.risk,
                                turn: decided.turn.and_then(|turn| u64::try_from(turn).ok()),
                                agent: decided.agent.clone(),
                                time: decided.time,
                                ..Context::default()
                            };
                            given.push(Question {
                                context,
                                ..Question::plain(decided.action.clone())
                            });
                        }
                    });
                });
            },
        );
        if report.counts.unopened > 0 {
            return Err(Failure::unable(
                "a trace can't be opened",
                "--traces takes files and folders of traces",
            ));
        }
        Ok((given, report.secrets))
    }

    fn json(
        &self,
        results: &[(Pair, Comparison)],
        one_sided: &[String],
        objections: &Objections,
        secrets: &Mask,
    ) -> serde_json::Value {
        let pairs: Vec<_> = results
            .iter()
            .map(|(pair, found)| {
                let differences = found.differences.iter().map(|(kind, d)| {
                    json!({
                        "kind": kind,
                        "witness": without(d.witness.action.to_json(), secrets),
                        "context": d.witness.circumstances().map(|c| without(c, secrets)),
                        "history": d.witness.approved().map(|h| without(h, secrets)),
                        "reason": d.reason,
                    })
                });
                json!({
                    "base": pair.base.file,
                    "head": pair.head.file,
                    "made": found.made,
                    "aimed": found.targeted,
                    "given": found.given,
                    "proven": found.is_proven(),
                    "equivalent": found.equivalent,
                    "inconclusive": found.unproven,
                    "stricterWithoutWitness": found.stricter_without_witness,
                    "lostProperties": found.lost,
                    "rules": found.rules,
                    "notes": pair.gaps().map(|(place, message)| {
                        json!({ "file": place.file, "line": place.line, "message": message })
                    }).collect::<Vec<_>>(),
                    "differences": differences.collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({
            "version": 1,
            "seed": self.seed,
            "exhaustive": results.iter().all(|(_, found)| found.is_proven()),
            "pairs": pairs,
            "notCompared": one_sided,
            "findings": findings_json(&objections.findings),
        })
    }
}

/// Writes the comparison for people.
fn text(
    results: &[(Pair, Comparison)],
    one_sided: &[String],
    objections: &Objections,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_findings(&objections.findings, out)?;
    for line in one_sided {
        writeln!(out, "not compared: {}", terminal(line))?;
    }
    for (pair, found) in results {
        writeln!(
            out,
            "{} → {}",
            terminal(&pair.base.file),
            terminal(&pair.head.file)
        )?;
        for (id, change) in &found.rules {
            match change {
                RuleChange::Added => writeln!(out, "    + {}", terminal(id))?,
                RuleChange::Removed => writeln!(out, "    - {}", terminal(id))?,
                RuleChange::Changed(parts) => {
                    writeln!(out, "    ~ {}: {}", terminal(id), parts.join(", "))?;
                }
            }
        }
        let (milder, stricter): (Vec<_>, Vec<_>) = found
            .differences
            .iter()
            .partition(|(k, _)| k.is_more_permissive());
        write!(
            out,
            "    more permissive: {}; stricter: {}",
            plural(milder.len() as u64, "kind"),
            plural(stricter.len() as u64, "kind"),
        )?;
        if found.stricter_without_witness > 0 {
            let more = plural(found.stricter_without_witness, "kind");
            write!(out, " (and {more} that no known action shows)")?;
        }
        writeln!(out)?;
        writeln!(out, "    {}", verdict(found))?;
        for (place, message) in pair.gaps() {
            let file = terminal(&place.file);
            writeln!(
                out,
                "    note: {file}:{}: {}",
                place.line,
                terminal(&message)
            )?;
        }
    }
    Ok(())
}

/// Compares a policy with its version at the merge base, for a gate.
pub(in crate::cli) fn compare_with_base(policy: &Path, base: &str) -> Result<Report, Failure> {
    let mut objections = Objections::default();
    let Some((file, text)) = super::revision::at_merge_base(policy, base)? else {
        let mut report = objections.into_report();
        report.notices.push(format!(
            "the policy is new: where the branch parted from {base} there was none to compare with"
        ));
        return Ok(report);
    };
    let head = find::parse(&find::name_of(policy), find::read(policy)?)?;
    let pair = Pair {
        base: find::parse(&file, text)?,
        head,
    };
    let effort = Effort {
        seed: 0,
        cases: GATE_CASES,
        only: Vec::new(),
    };
    let found = if pair.base.is_same_text(&pair.head) {
        None
    } else {
        Some(compare(&pair.base.policy, &pair.head.policy, &[], &effort))
    };
    if let Some(found) = &found {
        report(&pair, found, &mut objections);
    }
    let mut report = objections.into_report();
    report.notices.push(match found {
        None => format!("the policy is as it was in {}", pair.base.file),
        Some(found) => {
            format!(
                "the policy was compared with {}: {}",
                pair.base.file,
                verdict(&found)
            )
        }
    });
    Ok(report)
}

/// Files by name: each as reported, with its text.
type Files = BTreeMap<String, (String, String)>;

/// Returns the policies of a directory by their relative paths: the name as reported, and the text.
/// `None` for a single policy.
fn folder(written: &str) -> Result<Option<Files>, Failure> {
    if find::format_of(written).0.is_some() {
        return Ok(None);
    }
    if let Some(revision) = Revision::named(written)? {
        let named =
            |(name, text): (String, String)| (name.clone(), (revision.name_of(&name), text));
        return Ok(revision
            .folder()?
            .map(|files| files.into_iter().map(named).collect()));
    }
    if !Path::new(written).is_dir() {
        return Ok(None);
    }
    let mut all = BTreeMap::new();
    for path in policies_under(Path::new(written))? {
        let name = find::name_of(path.strip_prefix(written).unwrap_or(&path));
        all.insert(name, (find::name_of(&path), find::read(&path)?));
    }
    Ok(Some(all))
}

/// Removes the secrets from the texts and member names of a value.
fn without(value: serde_json::Value, secrets: &Mask) -> serde_json::Value {
    use serde_json::Value;
    let clean = |mut text: String| {
        secrets.clean(&mut text);
        text
    };
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(list) => list.into_iter().map(|v| without(v, secrets)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, v)| (clean(name), without(v, secrets)))
            .collect(),
        other => other,
    }
}

/// What the comparison proves.
fn verdict(found: &Comparison) -> &'static str {
    let permissive = found.differences.keys().any(|k| k.is_more_permissive());
    match (found.is_proven(), permissive, found.differences.is_empty()) {
        (false, ..) => "not proved: see what is inconclusive",
        (true, true, _) => "proved: nothing else becomes more permissive",
        (true, false, false) => "proved: nothing becomes more permissive",
        (true, false, true) if found.equivalent => "proved: both decide every action alike",
        (true, false, true) => "proved: nothing becomes more permissive",
    }
}

/// The code of what is neither proved nor shown.
const INCONCLUSIVE: u16 = 519;

/// The code of a difference.
const fn code_of(base: Effect, head: Effect) -> u16 {
    match (base, head) {
        (_, Effect::Allow) => 516,
        (Effect::Deny, Effect::RequireApproval) => 506,
        (_, Effect::RequireApproval) => 507,
        (_, Effect::Deny) => 517,
    }
}

/// Reports a finding for each kind of difference, at the responsible rule of the head.
fn report(pair: &Pair, found: &Comparison, to: &mut Objections) {
    if found.disarmed {
        let message =
            "more permissive: the policy enforced, and now it only monitors: it stops nothing"
                .to_owned();
        to.add(516, pair.head.place(Position::START), message, None)
            .subject = Some("disarmed".into());
    }
    for UnprovenChange { what, change } in &found.lost {
        let place = pair
            .head
            .policy
            .properties
            .iter()
            .find(|p| p.id == *what)
            .map_or(Position::START, |p| p.at);
        let message =
            format!("the property `{what}` held in the base, and the head lost it: {change}");
        let help = "keep the property, or say in the pull request why it needn't hold any more";
        to.add(520, pair.head.place(place), message, Some(help.into()))
            .subject = Some(subject([&**what]));
    }
    for one in &found.unproven {
        let help = "read the kind of action: if it can exist, add a case for it; if not, write the \
                    rule so that it excludes it";
        to.add(
            INCONCLUSIVE,
            pair.head.place(Position::START),
            format!("inconclusive: {}: {}", one.what, one.change),
            Some(help.into()),
        )
        .subject = Some(subject(["inconclusive", &one.what]));
    }
    for (kind, difference) in &found.differences {
        let place = pair
            .head
            .policy
            .rule(&kind.head_rule)
            .map_or(Position::START, |r| r.at);
        let word = if kind.is_more_permissive() {
            "more permissive"
        } else {
            "stricter"
        };
        let code = code_of(kind.base, kind.head);
        let class = match kind.class.char_indices().nth(MAX_CLASS_SHOWN) {
            _ if kind.class.is_empty() => String::new(),
            Some((end, _)) => format!(" for {}…", kind.class.get(..end).unwrap_or_default()),
            None => format!(" for {}", kind.class),
        };
        let message = format!(
            "{word}: {} by `{}` becomes {} by `{}`{class}: {}",
            kind.base,
            kind.base_rule,
            kind.head,
            kind.head_rule,
            difference.witness.summary()
        );
        let help = format!("the new reason: {}", difference.reason);
        let (base, head) = (kind.base.to_string(), kind.head.to_string());
        to.add(code, pair.head.place(place), message, Some(help))
            .subject = Some(subject([
            &*base,
            &*kind.base_rule,
            &*head,
            &*kind.head_rule,
            &*kind.class,
        ]));
    }
}
