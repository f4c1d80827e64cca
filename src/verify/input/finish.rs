//! Completes an input: adds the results of its workers to the report, without secrets.

use super::Run;
use crate::diag::{Finding, Related, Severity, subject};
use crate::replay::{Execution, Summary};
use crate::rules::codes;
use crate::source::{Input, line_names};
use crate::trace::cut::CutAction;
use crate::trace::formats::Format;
use crate::verify::bounds::RefusedRecords;
use crate::verify::finding_store::FindingStore;
use crate::verify::input_result::{InputResult, name_line};
use crate::verify::shard::Shard;
use crate::verify::timeline::{self, Timeline};
use content_scan::mask::Mask;
use governance::State;
use std::collections::HashMap;
use std::sync::Arc;

impl Run<'_> {
    /// Ends the input and returns its results.
    pub(super) fn finish(mut self) -> InputResult {
        self.report_foreign();
        self.report_unexpected_format();
        let (findings, dropped) =
            std::mem::replace(&mut self.findings, FindingStore::new(0, false)).into_parts();
        let mut result = InputResult {
            file: self.file.clone(),
            format: self.format,
            findings,
            dropped,
            ..InputResult::default()
        };
        let foreign = self.foreign.as_ref();
        result.counts.unknown_inputs =
            u64::from(foreign.is_some_and(|foreign| foreign.known.is_none()));
        result.counts.known_inputs =
            u64::from(self.format.is_some() || self.options.schema.is_some());
        // The pieces have read a seam's bytes.
        result.counts.bytes = if self.seam.is_some() { 0 } else { self.bytes };
        let follow_ups = self.end_workers(&mut result);
        self.attribute_cut(&mut result);
        attach_follow_ups(follow_ups, &mut result);
        result.counts.records =
            (self.units.total() - self.units.blank).saturating_sub(self.unread_rests);
        result.units = self.units;
        name_documents(self.source, &mut result);
        self.hide_secrets(&mut result);
        if let Some(mut piece) = self.piece {
            piece.end(self.next_line - 1);
            piece.is_independent &= self.mask.is_empty()
                && self.cut.is_none()
                && result.dropped.is_empty()
                && result.signed.is_complete();
            if !piece.is_independent {
                result = InputResult {
                    file: result.file,
                    ..InputResult::default()
                };
                piece.forget_content();
            }
            result.piece = Some(piece);
        }
        result.mask = self.mask;
        result
    }

    /// Reports that the configuration doesn't accept the format (YV110).
    fn report_unexpected_format(&mut self) {
        if let (Some(format), Some(accepted)) = (self.format, &self.options.formats)
            && !accepted.contains(&format)
        {
            let accepted: Vec<&str> = accepted.iter().map(|f| f.name()).collect();
            let accepted = if accepted.is_empty() {
                "none".to_owned()
            } else {
                accepted.join(", ")
            };
            let message = format!(
                "the trace is in the format `{}`; the configuration accepts {accepted}",
                format.name()
            );
            self.finding(codes::UNEXPECTED_FORMAT, (0, 0), format.name(), &message);
        }
    }

    /// Ends the workers, and adds their results. Returns the follow-ups of lines that couldn't be
    /// read.
    fn end_workers(&mut self, result: &mut InputResult) -> Vec<(u64, Related)> {
        let settings = &self.options.settings;
        let shards = std::mem::take(&mut self.shards);
        let executions = shards.iter().map(Shard::executions).sum();
        result.summaries.reserve(executions);
        let mut refused: Option<RefusedRecords> = None;
        let mut follow_ups = Vec::new();
        let mut timelines = Vec::new();
        let mut last_turns = Vec::new();
        for shard in shards {
            let mut output = shard.end(&self.stem, settings);
            if self.turns.is_some() {
                last_turns.append(&mut output.timeline.turns);
            }
            result.findings.extend(output.findings);
            result.drop_all(output.dropped);
            if let Some(piece) = &mut self.piece {
                piece.is_independent &= output.refused.is_none()
                    && output.repeated == 0
                    && output.follow_ups.is_empty();
                piece.workers.push(output.load);
            }
            if self.only.is_none() {
                self.units.move_steps(
                    output.repeated,
                    output.refused.as_ref().map_or(0, |refused| refused.records),
                );
                follow_ups.extend(output.follow_ups);
                timelines.push(output.timeline);
                result.signed.absorb(output.signed);
                result.failed_unlisted.extend(output.failed_unlisted);
                result.summaries.extend(output.summaries);
            }
            refused = merged(refused, output.refused);
        }
        for summary in &result.summaries {
            result.counts.turns += summary.turns;
            result.counts.signatures_unchecked += summary.signatures_unchecked;
        }
        if let Some(on_turn) = self.turns.take() {
            last_turns.sort_by(|a, b| (a.line, &a.execution).cmp(&(b.line, &b.execution)));
            last_turns.into_iter().for_each(on_turn);
        }
        if let Some(refused) = refused {
            let message = refused.message(&self.options.limits, self.reading().router.workers());
            let about = subject(["executions", &refused.content.finish()]);
            result.findings.extend(
                self.file_finding(codes::LIMIT_EXCEEDED, (refused.line, 0), &about, &message)
                    .map(Box::new),
            );
        }
        timelines.push(Timeline {
            commands: std::mem::take(&mut self.commands),
            ..Timeline::default()
        });
        timeline::merge(&mut result.timeline, timelines, self.options.max_turns);
        follow_ups
    }

    /// Adds to the report of a last line that breaks off what it shows of an execution.
    fn attribute_cut(&self, result: &mut InputResult) {
        let Some((line, cut)) = &self.cut else {
            return;
        };
        // `attributed`: some execution may own the record that breaks off. `open`: one of them may
        // still have been running.
        let (mut attributed, mut open) = (false, false);
        for summary in &mut result.summaries {
            if cut.execution.as_deref().is_none_or(|id| *id == *summary.id) {
                summary.verdict.doubt_all();
                attributed = true;
                open |= cut.execution.is_some() || summary.final_state != Some(State::Terminal);
            }
        }
        let finding = result
            .findings
            .iter_mut()
            .find(|f| f.code == codes::TRUNCATED_RECORD && f.place.line == *line);
        if let Some(finding) = finding.filter(|_| cut.shown && !open) {
            // An ended execution may execute nothing, and an execution that isn't on record may
            // not either.
            finding.severity = Severity::Error;
            finding.execution = cut.execution.as_deref().map(Into::into);
            finding.message.push_str(
                "; it shows an executed action, and no execution on record is open for it",
            );
        }
        if !attributed {
            result
                .summaries
                .extend(summary_of_truncated(&self.file, self.format, *line, cut));
        }
    }

    /// Hides the secrets of the input in all texts of its results.
    fn hide_secrets(&self, result: &mut InputResult) {
        let mask = &self.mask;
        if mask.is_empty() {
            return;
        }
        for finding in &mut result.findings {
            hide_in_finding(finding, mask);
        }
        for summary in &mut result.summaries {
            hide_in_summary(summary, mask);
        }
        let failed = std::mem::take(&mut result.failed_unlisted).into_iter();
        result.failed_unlisted = failed
            .map(|id| mask.hide(&id).map_or(id, Into::into))
            .collect();
        result.signed.hide(mask);
        result.names.iter_mut().for_each(|name| mask.clean(name));
        result.timeline.each_text(&mut |text| mask.clean(text));
    }
}

/// Attaches follow-ups of lines that couldn't be read to the findings about these lines.
fn attach_follow_ups(mut follow_ups: Vec<(u64, Related)>, result: &mut InputResult) {
    follow_ups.sort_by(|(a, x), (b, y)| (a, x.line, &x.message).cmp(&(b, y.line, &y.message)));
    let mut roots: HashMap<u64, usize> = HashMap::new();
    for (n, finding) in result
        .findings
        .iter()
        .enumerate()
        .filter(|(_, f)| f.code < codes::FIRST_OF_EXECUTIONS)
    {
        roots.entry(finding.place.line).or_insert(n);
    }
    for (line, related) in follow_ups {
        let root = roots.get(&line);
        if let Some(finding) = root.and_then(|n| result.findings.get_mut(*n)) {
            finding.relate(related);
            continue;
        }
        // The finding that explains them isn't listed.
        for folded in related.folded {
            result.drop_finding(folded.code, folded.severity);
            if folded.severity == Severity::Error {
                result.failed_unlisted.extend(folded.execution);
            }
        }
    }
}

fn merged(one: Option<RefusedRecords>, other: Option<RefusedRecords>) -> Option<RefusedRecords> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.merge(&other)),
        (one, other) => one.or(other),
    }
}

/// Adds to the messages of findings the archive entry, or the file of a directory, in which they
/// are.
fn name_documents(source: Option<&Input>, result: &mut InputResult) {
    if result.findings.is_empty() && result.signed.is_empty() {
        return;
    }
    let names = source.map(line_names).unwrap_or_default();
    for finding in &mut result.findings {
        name_line(finding, &names);
    }
    if !result.signed.is_empty() {
        result.names = names;
    }
}

/// Masks secrets in all texts of a finding.
fn hide_in_finding(finding: &mut Finding, mask: &Mask) {
    // The message of a secret's own finding names only its first characters.
    if finding.code != codes::SECRET_IN_TRACE {
        mask.clean(&mut finding.message);
    }
    if let Some(excerpt) = &mut finding.place.excerpt
        && let Some(text) = mask.redact_span(&excerpt.text)
    {
        excerpt.text = text;
    }
    if let Some(pointer) = &mut finding.place.pointer {
        mask.clean(pointer);
    }
    if let Some(hidden) = finding.execution.as_deref().and_then(|id| mask.hide(id)) {
        finding.execution = Some(hidden.into());
    }
    for related in &mut finding.related {
        mask.clean(&mut related.message);
        related
            .folded
            .iter_mut()
            .for_each(|folded| hide_in_finding(folded, mask));
    }
}

fn hide_in_summary(summary: &mut Summary, mask: &Mask) {
    if let Some(hidden) = mask.hide(&summary.id) {
        summary.id = hidden.into();
    }
    if let Some(hidden) = summary
        .outcome
        .as_deref()
        .and_then(|outcome| mask.hide(outcome))
    {
        summary.outcome = Some(hidden.into());
    }
}

/// Returns the summary of an execution whose only record breaks off.
fn summary_of_truncated(
    file: &Arc<str>,
    format: Option<Format>,
    line: u64,
    cut: &CutAction,
) -> Option<Summary> {
    let id = cut.execution.as_deref()?;
    let mut execution = Execution::new(id.into(), file.clone(), format?, line);
    execution.doubt_all();
    Some(execution.summary())
}
