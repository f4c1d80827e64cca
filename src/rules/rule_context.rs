//! The input of a rule, and the sink for its findings.

use super::Rule;
use crate::diag::Severity;
use crate::replay::{
    Assessor, Clock, Close, DiffFate, Execution, PolicyFiles, Sidecar, StepFacts, ToolManifest,
    UnreadDiff,
};
use crate::trace::formats::RecordClass;
use crate::trace::keys::TrustStore;
use crate::trace::step::{Annotation, Decision, Fact, Outcome, Step};
use crate::trace::{Entry, Record};
use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::Arc;

/// Which decisions must be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Signed")]
pub enum SignatureRequirement {
    /// Decisions of humans.
    Human,
    /// All decisions.
    All,
}

/// The rules' settings, chosen by the caller of a verification.
#[derive(Debug, Default)]
pub struct Settings {
    /// How to assess risk.
    pub assessor: Assessor,
    /// The trusted keys. Without them, signatures aren't checked.
    pub keys: Option<TrustStore>,
    /// Whether to keep what actions changed, for the comparison with a repository.
    pub keep_changes: bool,
    /// Which decisions must be signed.
    pub signed: Option<SignatureRequirement>,
    /// The maximum number of tokens in the context of a turn. It applies if it is lower than that
    /// of the trace, or the trace has none.
    pub context_budget: Option<u64>,
    /// How long a human's approval may take, in milliseconds. 0 means any time.
    pub approval_timeout: Option<u64>,
    /// The absolute path of the work tree. Overrides the one in the trace.
    pub workdir: Option<String>,
    /// The policies that govern the executions, besides those in the trace.
    pub policies: PolicyFiles,
    /// Decisions from a source apart from the trace.
    pub decisions: Option<Arc<Sidecar>>,
    /// The manifests of tools that calls are compared with.
    pub tools: Option<Arc<ToolManifest>>,
}

/// One step of an execution, one record as a whole, or the end of an execution.
#[derive(Debug, Clone, Copy)]
pub struct RuleContext<'s, 'r, 'a> {
    /// The state of the execution after the step.
    pub execution: &'s Execution,
    /// The step; `None` for a record as a whole, or for the end.
    pub step: Option<&'s Step<'r, 'a>>,
    /// The record; `None` at the end.
    pub entry: Option<&'s Entry<'a>>,
    /// The facts that the replay determined about the step.
    pub step_facts: &'s StepFacts,
    /// The facts about the end; only present there.
    pub close: Option<&'s Close>,
    pub settings: &'s Settings,
}

impl<'a> RuleContext<'_, '_, 'a> {
    /// Returns the diffs that can't be parsed and whose fate is known here.
    pub fn unread_diffs(&self) -> impl Iterator<Item = &UnreadDiff> {
        let last = self.close.and_then(|close| close.unread_diff.as_ref());
        self.step_facts.anomalies().unread_diffs.iter().chain(last)
    }

    /// Returns whether the step starts an execution.
    #[must_use]
    pub fn starts(&self) -> bool {
        self.step
            .is_some_and(|s| matches!(s.fact, Fact::Started(_)))
    }

    /// Returns the decision in the step.
    #[must_use]
    pub fn decision(&self) -> Option<Decision<'a>> {
        match self.step?.fact {
            Fact::Decided(decision) => Some(decision),
            Fact::Moved(moved) => moved.decision,
            Fact::Annotation(Annotation::Executed(_, told)) => told.map(|(_, decision)| *decision),
            Fact::Annotation(Annotation::Decided(_, told)) => told.map(|told| told.decision),
            _ => None,
        }
    }

    /// Returns the pointer of the member that holds the time of the step, or of its decision.
    #[must_use]
    pub fn time_member(&self, of: Clock) -> Cow<'static, str> {
        let Some((entry, step)) = self.entry.zip(self.step) else {
            return "".into();
        };
        if of == Clock::Decision {
            let own = entry
                .record
                .native()
                .and_then(|record| record.decision_pointer(step));
            return match (own, step.part.member) {
                (Some(own), _) => format!("{own}/timestamp").into(),
                (None, "governance") => "/governance/timestamp".into(),
                (None, _) => "/decision/timestamp".into(),
            };
        }
        let class = entry.record.class();
        let member = match (class, step.part.member) {
            (Some(RecordClass::Frame), _) => "/0",
            (_, "governance") => "/governance/timestamp",
            (Some(RecordClass::Turn), "thought" | "thoughts" | "proposedAction") => "/startTime",
            (Some(RecordClass::Turn), _) => "/endTime",
            _ => "/timestamp",
        };
        member.into()
    }

    /// Returns the result in the step.
    #[must_use]
    pub fn result(&self) -> Option<Outcome<'a>> {
        match self.step?.fact {
            Fact::Executed(executed) | Fact::Annotation(Annotation::Executed(executed, _)) => {
                executed.result
            }
            _ => None,
        }
    }

    /// Returns the decision's timestamp with its original spelling, which the signature covers.
    #[must_use]
    pub fn written_timestamp(&self) -> Option<serde_json::Value> {
        let entry = self
            .entry
            .filter(|e| matches!(e.record, Record::V1(_) | Record::Recovered(_)))?;
        let at = entry.resolve(&self.step?.part.pointer("/timestamp"))?;
        strict_json::from_text(entry.text.get(at.value)?).ok()
    }
}

impl UnreadDiff {
    /// Returns `full` if the diff may have had an effect. Otherwise it is only a fact.
    #[must_use]
    pub const fn severity(&self, full: Severity) -> Severity {
        match self.fate {
            DiffFate::Done | DiffFate::Unknown => full,
            DiffFate::Failed | DiffFate::NotRun => Severity::Note,
        }
    }
}

/// The requested place of a draft.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Target {
    /// The step.
    #[default]
    Step,
    /// A JSON pointer relative to the step.
    Below(String),
    /// The first of these pointers, relative to the step, that exists; otherwise the step.
    BelowIfPresent(Vec<&'static str>),
    /// A JSON pointer relative to the record.
    Record(Cow<'static, str>),
    /// A line of the input.
    Line(u64),
}

/// A finding whose place isn't determined yet.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The rule.
    pub rule: &'static Rule,
    /// The message.
    pub message: String,
    /// The severity, if it differs from that of the rule.
    pub severity: Option<Severity>,
    pub target: Target,
    /// Related lines with their messages.
    pub related: Vec<(u64, String)>,
    /// The subject, if execution, turn and action don't identify it.
    pub subject: Option<String>,
}

/// Collects the drafts that rules report about one step.
#[derive(Debug, Default)]
pub struct Sink {
    /// The drafts, in the order of the rules' codes.
    pub drafts: Vec<Draft>,
}

/// Completes a draft that was just reported.
#[derive(Debug)]
pub struct FindingBuilder<'o> {
    draft: &'o mut Draft,
}

impl Sink {
    /// Adds a finding. Its place is the step, unless the builder changes it.
    pub fn report(
        &mut self,
        rule: &'static Rule,
        message: impl Into<String>,
    ) -> FindingBuilder<'_> {
        let draft = Draft {
            rule,
            message: message.into(),
            severity: None,
            target: Target::Step,
            related: Vec::new(),
            subject: None,
        };
        FindingBuilder {
            draft: self.drafts.push_mut(draft),
        }
    }
}

impl FindingBuilder<'_> {
    /// Places the finding at a pointer relative to the step.
    pub fn below(self, pointer: &str) -> Self {
        self.draft.target = Target::Below(pointer.to_owned());
        self
    }

    /// Places the finding at a pointer relative to the step, if that exists. Several calls give
    /// alternatives, in order.
    pub fn below_if_present(self, pointer: &'static str) -> Self {
        match &mut self.draft.target {
            Target::BelowIfPresent(pointers) => pointers.push(pointer),
            other => *other = Target::BelowIfPresent(vec![pointer]),
        }
        self
    }

    /// Places the finding at a pointer relative to the record.
    pub fn in_record(self, pointer: impl Into<Cow<'static, str>>) -> Self {
        self.draft.target = Target::Record(pointer.into());
        self
    }

    /// Places the finding at a line.
    pub fn at_line(self, line: u64) -> Self {
        self.draft.target = Target::Line(line);
        self
    }

    /// Sets the severity.
    pub fn severity(self, severity: Severity) -> Self {
        self.draft.severity = Some(severity);
        self
    }

    /// Sets the subject, if execution, turn and action don't identify it: a path, token or id, or
    /// which of the rule's cases it is. The fingerprint depends on it, so it contains facts, never
    /// the words of the message.
    pub fn subject(self, subject: impl Into<String>) -> Self {
        self.draft.subject = Some(subject.into());
        self
    }

    /// Adds a related line. Line 0 is ignored.
    pub fn related(self, line: u64, message: impl Into<String>) -> Self {
        if line > 0 {
            self.draft.related.push((line, message.into()));
        }
        self
    }

    /// Adds the transitions that led here: the tail of the shortest prefix that shows the
    /// violation.
    pub fn path(self, cx: &RuleContext<'_, '_, '_>) -> Self {
        if let Some(violation) = cx.execution.violation()
            && cx.entry.is_some_and(|e| e.line == violation.line)
        {
            for (line, event, state) in &violation.path {
                self.draft
                    .related
                    .push((*line, format!("{event} led to {state}")));
            }
        }
        self
    }
}
