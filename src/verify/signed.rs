//! Finds signed decisions that were copied. A signature is for one decision about one action, so it
//! may not appear in another record.

use super::place::help;
use super::report::Report;
use crate::diag::{Code, ContentHash, Finding, Place, Related, subject};
use crate::replay::{Aspect, Execution, OwnedAction, Summary};
use crate::rules::{self, codes};
use crate::trace::action::action_hash;
use crate::trace::keys;
use crate::trace::step::Decision;
use borsh::{BorshDeserialize, BorshSerialize};
use content_scan::mask::Mask;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Maximum number of signed decisions compared in one run.
const MOST: usize = 1 << 18;
/// Maximum number of signed decisions that one worker keeps of one input.
pub(super) const MOST_OF_WORKER: usize = 1 << 15;
/// Maximum number of findings about one input; the rest is counted.
const FINDINGS: usize = 1000;

/// A signed decision, as hashes of its signature and of its subject: execution, turn and action.
#[derive(Debug, BorshSerialize, BorshDeserialize)]
struct SignedDecision {
    value: u64,
    about: u64,
    line: u64,
    execution: Arc<str>,
}

/// The signed decisions in a worker's executions.
#[derive(Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct SignedDecisions {
    seen: Vec<SignedDecision>,
    /// Decisions beyond the maximum.
    left_out: Option<Omissions>,
}

/// Signed decisions that weren't compared, because there were too many.
#[derive(Debug, BorshSerialize, BorshDeserialize)]
struct Omissions {
    /// Line of the first of them.
    line: u64,
    execution: Arc<str>,
    /// Hash of all of them.
    content: Box<str>,
}

impl Omissions {
    fn add(kept: &mut Option<Self>, seen: &SignedDecision) {
        let first = || Self {
            line: seen.line,
            execution: seen.execution.clone(),
            content: Box::default(),
        };
        let left_out = kept.get_or_insert_with(first);
        left_out.add_content(&[&seen.value.to_le_bytes(), &seen.about.to_le_bytes()]);
    }

    fn add_content(&mut self, parts: &[&[u8]]) {
        let mut content = ContentHash::default();
        content.add(&*self.content);
        for part in parts {
            content.add(part);
        }
        self.content = content.finish();
    }

    /// Merges the omissions of another worker.
    fn merge(mut self, other: &Self) -> Self {
        if other.line < self.line {
            (self.line, self.execution) = (other.line, other.execution.clone());
        }
        self.add_content(&[other.content.as_bytes()]);
        self
    }
}

impl SignedDecisions {
    /// Records a decision, if it is signed.
    pub(super) fn note(
        &mut self,
        execution: &Execution,
        turn: Option<i64>,
        decision: &Decision<'_>,
        line: u64,
    ) {
        let Some(signature) = decision.signature else {
            return;
        };
        let proposal = execution
            .turn()
            .proposal
            .as_ref()
            .map(|kept| &kept.what)
            .filter(|what| what.is_recorded());
        let action = match decision.modification() {
            Some(modified) => modified
                .payload
                .map(|payload| action_hash(&modified.kind.name(), payload)),
            None => proposal.and_then(OwnedAction::hash),
        };
        let about = serde_json::json!([
            &**execution.id(),
            turn,
            action,
            decision.action.map(|id| id.decode())
        ]);
        let seen = SignedDecision {
            value: short(&keys::value(&signature.value.decode())),
            about: short(about.to_string().as_bytes()),
            line,
            execution: execution.id().clone(),
        };
        if self.seen.len() < MOST_OF_WORKER {
            self.seen.push(seen);
        } else {
            Omissions::add(&mut self.left_out, &seen);
        }
    }

    /// Returns whether no decision was left out.
    pub(super) const fn is_complete(&self) -> bool {
        self.left_out.is_none()
    }

    /// Returns the number of decisions that are kept.
    pub(super) const fn len(&self) -> usize {
        self.seen.len()
    }

    /// Adds a number to the lines.
    pub(super) fn shift(&mut self, lines: u64) {
        for seen in &mut self.seen {
            seen.line = seen.line.saturating_add(lines);
        }
    }

    /// Returns whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.seen.is_empty() && self.left_out.is_none()
    }

    /// Hides secrets in the ids of executions.
    pub(super) fn hide(&mut self, mask: &Mask) {
        let seen = self.seen.iter_mut().map(|seen| &mut seen.execution);
        let left_out = self.left_out.iter_mut().map(|left| &mut left.execution);
        for id in seen.chain(left_out) {
            if let Some(hidden) = mask.hide(id) {
                *id = hidden.into();
            }
        }
    }

    /// Merges the decisions of another worker.
    pub(super) fn absorb(&mut self, other: Self) {
        self.seen.extend(other.seen);
        self.left_out = match (self.left_out.take(), other.left_out) {
            (Some(one), Some(other)) => Some(one.merge(&other)),
            (one, other) => one.or(other),
        };
    }
}

fn short(bytes: &[u8]) -> u64 {
    let hash: [u8; 32] = Sha256::digest(bytes).into();
    hash.first_chunk()
        .map_or(0, |first| u64::from_le_bytes(*first))
}

/// The signatures of a run so far: by the hash of each, what it is about and where it first
/// appears.
#[derive(Debug, Default)]
pub struct Signatures {
    first: HashMap<u64, (u64, Arc<str>, u64)>,
}

/// Compares the signed decisions of one input with each other and with those of earlier inputs.
/// `summaries` are those of the input. Returns the findings.
pub(super) fn compare(
    report: &mut Report,
    summaries: &mut [Summary],
    file: &Arc<str>,
    signed: SignedDecisions,
) -> Vec<Finding> {
    let SignedDecisions {
        mut seen,
        mut left_out,
    } = signed;
    let mut findings = Vec::new();
    let mut copied = HashSet::new();
    let mut too_many = 0;
    seen.sort_by_key(|seen| seen.line);
    for seen in seen {
        let SignedDecision {
            value,
            about,
            line,
            ref execution,
        } = seen;
        match report.signed.first.get(&value) {
            Some((before, ..)) if *before == about => {}
            Some((_, before, at)) => {
                if findings.len() < FINDINGS {
                    let related = Related::new(before, *at, "it appears here first");
                    let message =
                        "the signature of this decision appears in another one too: it was copied";
                    let copy = subject([&*format!("{value:016x}"), &*format!("{about:016x}")]);
                    findings.extend(finding(
                        (file, line, execution),
                        codes::REUSED_DECISION,
                        message.into(),
                        copy,
                        vec![related],
                    ));
                } else {
                    too_many += 1;
                }
                copied.insert(execution.clone());
            }
            None if report.signed.first.len() < MOST => {
                report
                    .signed
                    .first
                    .insert(value, (about, file.clone(), line));
            }
            None => Omissions::add(&mut left_out, &seen),
        }
    }
    if too_many > 0
        && let Some(rule) = rules::by_code(codes::REUSED_DECISION)
    {
        report.drop_findings(rule.code, rule.severity, too_many);
    }
    for summary in summaries.iter_mut().filter(|s| copied.contains(&s.id)) {
        summary.verdict.deny(Aspect::GovernanceComplete);
    }
    if let Some(Omissions {
        line,
        execution,
        content,
    }) = left_out
    {
        let message =
            "there are too many signed decisions to compare: this one wasn't checked for a copy"
                .to_owned();
        let content = subject(["signatures", &*content]);
        findings.extend(finding(
            (file, line, &execution),
            codes::LIMIT_EXCEEDED,
            message,
            content,
            Vec::new(),
        ));
    }
    findings
}

fn finding(
    (file, line, execution): (&Arc<str>, u64, &Arc<str>),
    code: Code,
    message: String,
    subject: Box<str>,
    related: Vec<Related>,
) -> Option<Finding> {
    let rule = rules::by_code(code)?;
    let place = Place {
        file: file.clone(),
        line,
        ..Place::default()
    };
    Some(Finding {
        execution: Some(execution.clone()),
        related,
        subject: Some(subject),
        help: Some(help(rule)),
        ..rules::finding(rule.code, message, place)
    })
}
