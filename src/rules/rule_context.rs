//! What a rule is shown, and how it answers.

use super::Rule;
use crate::diag::Severity;
use crate::replay::{Assessor, Clock, Close, Execution, Sidecar, StepFacts};
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
pub enum Signed {
    /// Those of people.
    Human,
    /// All of them.
    All,
}

/// What the caller of a verification has chosen.
#[derive(Debug, Default)]
pub struct Settings {
    /// How risk is found.
    pub assessor: Assessor,
    /// Whose signatures count. Without it signatures aren't checked.
    pub keys: Option<TrustStore>,
    /// Keep what actions changed, to hold it against a repository.
    pub keep_changes: bool,
    /// Which decisions must be signed.
    pub signed: Option<Signed>,
    /// Tokens that the context of a turn may have, whatever the trace says of it.
    pub context_budget: Option<u64>,
    /// The root of the work tree, absolute, whatever the trace says of it.
    pub workdir: Option<String>,
    /// Decisions from a source beside the trace.
    pub decisions: Option<Arc<Sidecar>>,
}

/// One step of one execution, or its end.
#[derive(Debug, Clone, Copy)]
pub struct RuleContext<'s, 'r, 'a> {
    /// The execution after the step.
    pub execution: &'s Execution,
    /// The step; none when a record as a whole or the end is looked at.
    pub step: Option<&'s Step<'r, 'a>>,
    /// The record; none at the end.
    pub entry: Option<&'s Entry<'a>>,
    /// What the replay found out.
    pub step_facts: &'s StepFacts,
    /// What is to be said at the end.
    pub close: Option<&'s Close>,
    /// What the caller has chosen.
    pub settings: &'s Settings,
}

impl<'a> RuleContext<'_, '_, 'a> {
    /// Whether an execution starts here.
    #[must_use]
    pub fn starts(&self) -> bool {
        self.step
            .is_some_and(|s| matches!(s.fact, Fact::Started(_)))
    }

    /// The decision that the step holds.
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

    /// The member of the record that the step's time comes from, or the time of the decision in it.
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

    /// The result that the step holds.
    #[must_use]
    pub fn result(&self) -> Option<Outcome<'a>> {
        match self.step?.fact {
            Fact::Executed(executed) | Fact::Annotation(Annotation::Executed(executed, _)) => {
                executed.result
            }
            _ => None,
        }
    }

    /// The timestamp of the decision as it is written: the signature covers its spelling.
    #[must_use]
    pub fn written_timestamp(&self) -> Option<serde_json::Value> {
        let entry = self
            .entry
            .filter(|e| matches!(e.record, Record::V1(_) | Record::Recovered(_)))?;
        let at = entry.resolve(&self.step?.part.pointer("/timestamp"))?;
        strict_json::from_text(entry.text.get(at.value)?).ok()
    }
}

/// Where a draft wants to point.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Target {
    /// The step.
    #[default]
    Step,
    /// Something below the step, by pointer.
    Below(String),
    /// The first of these below the step that is there, else the step.
    BelowIfThere(Vec<&'static str>),
    /// A member of the record, by pointer.
    Record(Cow<'static, str>),
    /// A line, whatever stands there.
    Line(u64),
}

/// A finding before it has its place.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The rule.
    pub rule: &'static Rule,
    /// What was found.
    pub message: String,
    /// How bad it is, where that isn't the rule's own severity.
    pub severity: Option<Severity>,
    /// Where.
    pub target: Target,
    /// Lines that explain it.
    pub related: Vec<(u64, String)>,
    /// What it is about, where execution, turn and action don't say.
    pub subject: Option<String>,
}

/// What the rules say about one scene.
#[derive(Debug, Default)]
pub struct Sink {
    /// The drafts, in the order of the codes.
    pub drafts: Vec<Draft>,
}

/// A draft that is being written.
#[derive(Debug)]
pub struct FindingBuilder<'o> {
    draft: &'o mut Draft,
}

impl Sink {
    /// Adds a finding; the place is that of the step unless the handle says otherwise.
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
    /// Points below the step.
    pub fn below(self, pointer: &str) -> Self {
        self.draft.target = Target::Below(pointer.to_owned());
        self
    }

    /// Points below the step, if something is there.
    pub fn below_if_there(self, pointer: &'static str) -> Self {
        match &mut self.draft.target {
            Target::BelowIfThere(pointers) => pointers.push(pointer),
            other => *other = Target::BelowIfThere(vec![pointer]),
        }
        self
    }

    /// Points into the record, not below the step.
    pub fn whole_record(self, pointer: impl Into<Cow<'static, str>>) -> Self {
        self.draft.target = Target::Record(pointer.into());
        self
    }

    /// Points to a line.
    pub fn at_line(self, line: u64) -> Self {
        self.draft.target = Target::Line(line);
        self
    }

    /// Changes the severity.
    pub fn severity(self, severity: Severity) -> Self {
        self.draft.severity = Some(severity);
        self
    }

    /// Names what it is about, where execution, turn and action don't say it: which path, token,
    /// id, or which of the things that the rule finds. The fingerprint is made of it, so it holds
    /// facts and never the words of the message.
    pub fn subject(self, subject: impl Into<String>) -> Self {
        self.draft.subject = Some(subject.into());
        self
    }

    /// Adds a line that explains it. Line 0 is nowhere.
    pub fn related(self, line: u64, message: impl Into<String>) -> Self {
        if line > 0 {
            self.draft.related.push((line, message.into()));
        }
        self
    }

    /// Adds the movements that led here: the tail of the shortest prefix that shows the break.
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
