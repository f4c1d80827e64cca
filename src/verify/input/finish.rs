//! Completes an input: adds the results of its workers to the report, without secrets.

use super::Run;
use crate::diag::{Finding, Severity, subject};
use crate::replay::{Execution, Summary};
use crate::rules::codes;
use crate::source::{Input, line_names};
use crate::trace::cut::CutAction;
use crate::trace::formats::Format;
use crate::verify::Report;
use crate::verify::bounds::RefusedRecords;
use crate::verify::finding_store::FindingStore;
use crate::verify::shard::Shard;
use crate::verify::signed::{self, SignedDecisions};
use crate::verify::timeline::{self, Timeline};
use crate::verify::units::InputUnits;
use content_scan::mask::Mask;
use governance::State;
use std::collections::HashMap;
use std::sync::Arc;

impl Run<'_> {
    pub(super) fn finish(mut self, report: &mut Report) {
        self.report_foreign();
        report.counts.unknown_inputs += u64::from(
            self.foreign
                .as_ref()
                .is_some_and(|foreign| foreign.known.is_none()),
        );
        report.counts.known_inputs +=
            u64::from(self.format.is_some() || self.options.schema.is_some());
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
        let settings = &self.options.settings;
        let earlier = report.summaries.len();
        let shards = std::mem::take(&mut self.shards);
        let (mut findings, dropped) =
            std::mem::replace(&mut self.findings, FindingStore::new(0, false)).into_parts();
        for ((code, severity), number) in dropped {
            report.drop_findings(code, severity, number);
        }
        let mut refused: Option<RefusedRecords> = None;
        report
            .summaries
            .reserve(shards.iter().map(Shard::executions).sum());
        let mut follow_ups = Vec::new();
        let mut timelines = Vec::new();
        let mut last_turns = Vec::new();
        let mut signed = SignedDecisions::default();
        // `attributed`: some execution may own the record that breaks off. `open`: one of them may
        // still have been running.
        let (mut attributed, mut open) = (false, false);
        for shard in shards {
            let mut output = shard.end(&self.stem, settings);
            if self.turns.is_some() {
                last_turns.append(&mut output.timeline.turns);
            }
            if self.only.is_some() {
                // Its units and executions are those of the watched records.
                findings.extend(output.findings);
                for ((code, severity), number) in output.dropped {
                    report.drop_findings(code, severity, number);
                }
                refused = merged(refused, output.refused);
                continue;
            }
            if !self.mask.is_empty() {
                output.timeline.each_text(&mut |text| self.mask.clean(text));
            }
            self.units.move_steps(
                output.repeated,
                output.refused.as_ref().map_or(0, |refused| refused.records),
            );
            refused = merged(refused, output.refused);
            findings.extend(output.findings);
            follow_ups.extend(output.follow_ups);
            timelines.push(output.timeline);
            signed.absorb(output.signed);
            for ((code, severity), number) in output.dropped {
                report.drop_findings(code, severity, number);
            }
            for id in output.failed_unlisted {
                let id = self.mask.hide(&id).map_or(id, Into::into);
                report.failed_unlisted.insert((self.file.clone(), id));
            }
            for mut summary in output.summaries {
                if let Some((_, cut)) = &self.cut
                    && cut.execution.as_deref().is_none_or(|id| *id == *summary.id)
                {
                    summary.verdict.doubt_all();
                    attributed = true;
                    open |= cut.execution.is_some() || summary.final_state != Some(State::Terminal);
                }
                report.counts.turns += summary.turns;
                report.counts.signatures_unchecked += summary.signatures_unchecked;
                report.held += summary.weight();
                report.summaries.push(summary);
            }
        }
        if let Some(on_turn) = self.turns.take() {
            last_turns.sort_by(|a, b| (a.line, &a.execution).cmp(&(b.line, &b.execution)));
            last_turns.into_iter().for_each(on_turn);
        }
        if let Some((line, cut)) = &self.cut {
            let finding = findings
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
                report
                    .summaries
                    .extend(summary_of_truncated(&self.file, self.format, *line, cut));
            }
        }
        if let Some(refused) = refused {
            let message = refused.message(&self.options.limits, self.reading().router.workers());
            let about = subject(["executions", &refused.content.finish()]);
            findings.extend(
                self.file_finding(codes::LIMIT_EXCEEDED, (refused.line, 0), &about, &message)
                    .map(Box::new),
            );
        }
        findings.extend(
            signed::compare(report, &self.file, signed)
                .into_iter()
                .map(Box::new),
        );
        let mut commands = Timeline {
            commands: self.commands,
            ..Timeline::default()
        };
        commands.each_text(&mut |text| self.mask.clean(text));
        timelines.push(commands);
        timeline::merge(&mut report.timeline, timelines, self.options.max_turns);
        follow_ups.sort_by(|(a, x), (b, y)| (a, x.line, &x.message).cmp(&(b, y.line, &y.message)));
        let mut roots: HashMap<u64, usize> = HashMap::new();
        for (n, finding) in findings
            .iter()
            .enumerate()
            .filter(|(_, f)| f.code < codes::FIRST_OF_EXECUTIONS)
        {
            roots.entry(finding.place.line).or_insert(n);
        }
        for (line, related) in follow_ups {
            if let Some(finding) = roots.get(&line).and_then(|n| findings.get_mut(*n)) {
                finding.relate(related);
                continue;
            }
            // The finding that explains them isn't listed.
            for folded in related.folded {
                report.drop_findings(folded.code, folded.severity, 1);
                if let Some(id) = folded
                    .execution
                    .filter(|_| folded.severity == Severity::Error)
                {
                    let id = self.mask.hide(&id).map_or(id, Into::into);
                    report.failed_unlisted.insert((self.file.clone(), id));
                }
            }
        }
        report.counts.records +=
            (self.units.total() - self.units.blank).saturating_sub(self.unread_rests);
        report.add_input(InputUnits {
            path: self.file.clone(),
            format: self.format.map(Format::name),
            units: self.units,
        });
        name_documents(self.source, &mut findings);
        if !self.mask.is_empty() {
            for finding in &mut findings {
                hide_in_finding(finding, &self.mask);
            }
            for summary in report.summaries.iter_mut().skip(earlier) {
                hide_in_summary(summary, &self.mask);
            }
        }
        report.keep(findings, self.options.kept_findings());
        report.secrets.absorb(self.mask);
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
fn name_documents(source: Option<&Input>, findings: &mut [Box<Finding>]) {
    if findings.is_empty() {
        return;
    }
    let names = source.map(line_names).unwrap_or_default();
    for finding in findings {
        let line = usize::try_from(finding.place.line).ok();
        let name = line
            .and_then(|line| line.checked_sub(1))
            .and_then(|n| names.get(n));
        if let Some(name) = name {
            finding.message.push_str(&format!(" (in `{name}`)"));
        }
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
