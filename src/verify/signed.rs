//! Signed decisions that come again. A signature is for one decision about one action; the same one in another record was copied.

use super::place::help;
use super::report::Report;
use crate::diag::{Code, Finding, Place, Related};
use crate::json::Raw;
use crate::replay::{Aspect, Execution};
use crate::rules;
use crate::trace::action::action_hash;
use crate::trace::keys;
use crate::trace::step::Decision;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Signed decisions of one run that are compared.
const MOST: usize = 1 << 18;
/// Signed decisions that one worker keeps of one input.
const MOST_OF_WORKER: usize = 1 << 15;
/// Findings about one input that are kept; the rest is counted.
const FINDINGS: usize = 1000;

/// A signed decision, by hashes of its signature and of what it is about: execution, turn and action.
#[derive(Debug)]
struct Seen {
    value: u64,
    about: u64,
    line: u64,
    execution: Arc<str>,
}

/// The signed decisions that a worker has seen.
#[derive(Debug, Default)]
pub(super) struct Signed {
    seen: Vec<Seen>,
    /// The first one for which there was no room.
    left_out: Option<(u64, Arc<str>)>,
}

impl Signed {
    /// Takes note of a decision, if it is signed.
    pub(super) fn note(&mut self, execution: &Execution, turn: Option<i64>, decision: &Decision<'_>, line: u64) {
        let Some(signature) = decision.signature else {
            return;
        };
        if self.seen.len() >= MOST_OF_WORKER {
            self.left_out.get_or_insert_with(|| (line, execution.id().clone()));
            return;
        }
        let proposal = execution.turn().proposal.as_ref().map(|kept| &kept.what).filter(|what| what.is_recorded());
        let action = match decision.modification() {
            Some(modified) => modified.payload.map(|payload| action_hash(&modified.kind.name(), payload)),
            None => proposal.and_then(|what| {
                let payload = what.payload.as_deref()?;
                Some(action_hash(&what.as_action().kind.name(), Raw::trusted(payload)))
            }),
        };
        let about = serde_json::json!([&**execution.id(), turn, action, decision.action.map(|id| id.decode())]);
        self.seen.push(Seen {
            value: short(&keys::value(&signature.value.decode())),
            about: short(about.to_string().as_bytes()),
            line,
            execution: execution.id().clone(),
        });
    }

    /// Adds what another worker has seen.
    pub(super) fn absorb(&mut self, other: Self) {
        self.seen.extend(other.seen);
        self.left_out = [self.left_out.take(), other.left_out].into_iter().flatten().min_by_key(|(line, _)| *line);
    }
}

fn short(bytes: &[u8]) -> u64 {
    let hash: [u8; 32] = Sha256::digest(bytes).into();
    hash.first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

/// The signatures of a run so far: what each is about, and where it stands first.
#[derive(Debug, Default)]
pub struct Book {
    first: HashMap<u64, (u64, Arc<str>, u64)>,
}

/// Compares the signed decisions of one input with each other and with those of the inputs before.
pub(super) fn compare(report: &mut Report, file: &Arc<str>, signed: Signed) -> Vec<Finding> {
    let Signed { mut seen, mut left_out } = signed;
    let mut findings = Vec::new();
    let mut copied = HashSet::new();
    let mut too_many = 0;
    seen.sort_by_key(|seen| seen.line);
    for Seen { value, about, line, execution } in seen {
        match report.signed.first.get(&value) {
            Some((before, ..)) if *before == about => {}
            Some((_, before, at)) => {
                if findings.len() < FINDINGS {
                    let related = Related::new(before, *at, "it stands here first");
                    let message = "the signature of this decision stands in another one as well: it was copied";
                    findings.extend(finding(file, line, &execution, Code(322), message.into(), vec![related]));
                } else {
                    too_many += 1;
                }
                copied.insert(execution);
            }
            None if report.signed.first.len() < MOST => {
                report.signed.first.insert(value, (about, file.clone(), line));
            }
            None => {
                left_out.get_or_insert((line, execution));
            }
        }
    }
    if too_many > 0
        && let Some(rule) = rules::by_code(Code(322))
    {
        report.drop_findings(rule.code, rule.severity, too_many);
    }
    for summary in report.summaries.iter_mut().filter(|s| s.file == *file && copied.contains(&s.id)) {
        summary.verdict.deny(Aspect::GovernanceComplete);
    }
    if let Some((line, execution)) = left_out {
        let message = "there are more signed decisions than are compared: nobody looks whether this one is a copy".to_owned();
        findings.extend(finding(file, line, &execution, Code(107), message, Vec::new()));
    }
    findings
}

fn finding(
    file: &Arc<str>,
    line: u64,
    execution: &Arc<str>,
    code: Code,
    message: String,
    related: Vec<Related>,
) -> Option<Finding> {
    let rule = rules::by_code(code)?;
    let place = Place { file: file.clone(), line, ..Place::default() };
    Some(Finding {
        execution: Some(execution.clone()),
        related,
        help: Some(help(rule)),
        ..Finding::new(rule.code, rule.name, rule.severity, message, place)
    })
}
