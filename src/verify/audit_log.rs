//! Permission audit logs: which tool calls a runtime allowed. They are compared with the calls of
//! sessions.

use super::{Options, Report, watch};
use crate::diag::{Code, Finding, Place, assign_fingerprints, subject};
use crate::rules;
use crate::source::{Found, Missing};
use crate::trace::action::{action_hash, asked, command};
use crate::trace::call::CallOutcome;
use crate::trace::{Record, v1};
use governance::{ActionType, Ruling};
use hashbrown::HashMap;
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::Arc;
use strict_json::{Raw, Str, from_text};

/// One line of a log.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
struct Line<'a> {
    tool_name: Str<'a>,
    args: Option<Raw<'a>>,
    allowed: bool,
}

/// What a log says about one call.
#[derive(Debug)]
struct AuditEntry {
    line: u64,
    tool: Box<str>,
    allowed: bool,
    /// A session contains the call.
    met: bool,
}

/// A permission audit log. It has neither sessions nor ids, so that calls are recognised by tool
/// and arguments.
#[derive(Debug, Default)]
pub struct AuditLog {
    entries: Vec<AuditEntry>,
    /// Entries by tool and arguments: the allowed and the denied ones.
    by_call: HashMap<String, [VecDeque<usize>; 2]>,
    /// Entries by tool.
    by_tool: HashMap<Box<str>, [VecDeque<usize>; 2]>,
}

/// Identifies a call.
fn key(tool: &str, arguments: Option<Raw<'_>>) -> String {
    match arguments.and_then(command) {
        Some(line) => format!("{tool}\0{line}"),
        None => action_hash(tool, arguments.unwrap_or_else(|| Raw::trusted("{}"))),
    }
}

impl AuditLog {
    /// Parses a log with one JSON object per line.
    ///
    /// # Errors
    /// The line that isn't an entry, and why.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut log = Self::default();
        for (number, text) in (1u64..).zip(text.lines()) {
            if text.trim().is_empty() {
                continue;
            }
            let line: Line<'_> =
                from_text(text).map_err(|error| format!("line {number}: {error}"))?;
            let tool: Box<str> = line.tool_name.distinct().into();
            let list = usize::from(!line.allowed);
            let position = log.entries.len();
            let lists = log.by_call.entry(key(&tool, line.args)).or_default();
            if let Some(list) = lists.get_mut(list) {
                list.push_back(position);
            }
            let lists = log.by_tool.entry(tool.clone()).or_default();
            if let Some(list) = lists.get_mut(list) {
                list.push_back(position);
            }
            log.entries.push(AuditEntry {
                line: number,
                tool,
                allowed: line.allowed,
                met: false,
            });
        }
        Ok(log)
    }

    /// Returns whether it has no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes an entry about a call: one that allows it if `allowed`, otherwise one that denies it.
    fn take(&mut self, tool: &str, key: Option<&str>, allowed: bool) -> Option<u64> {
        let lists = match key {
            Some(key) => self.by_call.get_mut(key),
            None => self.by_tool.get_mut(tool),
        };
        let list = lists?.get_mut(usize::from(!allowed))?;
        while let Some(position) = list.pop_front() {
            if let Some(entry) = self.entries.get_mut(position).filter(|entry| !entry.met) {
                entry.met = true;
                return Some(entry.line);
            }
        }
        None
    }
}

/// Compares the calls in the inputs with a log, whose name is `file`. Adds a finding for each call
/// that was executed although the log denies it or doesn't contain it, and for each allowed call
/// that no session contains.
pub fn report_audit_log(
    report: &mut Report,
    inputs: &[Result<Found, Missing>],
    options: &Options,
    (file, mut log): (&str, AuditLog),
) {
    let mut findings: Vec<Finding> = Vec::new();
    let file: Arc<str> = file.into();
    // What can't be read has been reported by the verification of the same inputs.
    drop(watch(
        inputs,
        options,
        None,
        &mut |input, execution, entry| {
            let Record::V1(v1::Record::Call(call)) = &entry.record else {
                return;
            };
            let rejected = call.outcome == CallOutcome::NotExecuted
                || call
                    .decision
                    .as_ref()
                    .is_some_and(|decision| decision.status == Ruling::Rejected);
            let executed = matches!(call.outcome, CallOutcome::Ok | CallOutcome::Error);
            let payload = call.action.as_ref().map(|action| action.payload.0);
            let named = payload.and_then(asked);
            let tool = match (call.tool, &named) {
                (Some(tool), _) => tool.distinct().into_owned(),
                (None, Some((tool, _))) => tool.clone(),
                (None, None) => return,
            };
            // The diff of an edit isn't what the tool was given.
            let known = call.action.as_ref().is_some_and(|action| {
                matches!(action.kind, ActionType::ToolCall | ActionType::ShellCmd)
            });
            let arguments = named.map(|(_, arguments)| arguments).or(payload);
            let key = known.then(|| key(&tool, arguments));
            let key = key.as_deref();
            if !executed {
                if rejected {
                    log.take(&tool, key, false);
                } else {
                    let _ = log
                        .take(&tool, key, true)
                        .or_else(|| log.take(&tool, key, false));
                }
                return;
            }
            if log.take(&tool, key, true).is_some() {
                return;
            }
            let message = match log.take(&tool, key, false) {
                Some(line) => format!(
                    "the call of `{tool}` was executed, and line {line} of the audit log denies it"
                ),
                None => {
                    format!(
                        "the call of `{tool}` was executed, and the audit log doesn't contain it"
                    )
                }
            };
            let place = Place {
                file: input.into(),
                line: entry.line,
                ..Place::default()
            };
            findings.push(Finding {
                execution: Some(execution.into()),
                turn: Some(call.turn_id.get()),
                subject: Some(subject([&*call.call_id.decode()])),
                ..rules::finding(Code(332), message, place)
            });
        },
    ));
    for entry in log
        .entries
        .iter()
        .filter(|entry| entry.allowed && !entry.met)
    {
        let place = Place {
            file: file.clone(),
            line: entry.line,
            ..Place::default()
        };
        let message = format!(
            "no session contains this call of `{}`, which was allowed",
            entry.tool
        );
        findings.push(Finding {
            subject: Some(subject([&*entry.tool])),
            ..rules::finding(Code(332), message, place)
        });
    }
    for mut finding in findings {
        report.counts.count(finding.severity);
        report.secrets.clean(&mut finding.message);
        report.findings.push(finding);
    }
    report.findings.sort_by_cached_key(Finding::order);
    assign_fingerprints(&mut report.findings);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_answers_for_one_call() {
        let mut log = AuditLog::parse(
            "{\"toolName\":\"t\",\"args\":{\"b\":1,\"a\":[2]},\"allowed\":true}\n\n\
             {\"toolName\":\"t\",\"args\":{\"x\":1},\"allowed\":false}\n",
        )
        .unwrap();
        let same = key("t", Some(Raw::trusted("{\"a\": [2], \"b\": 1}")));
        assert_eq!(log.take("t", Some(&same), false), None);
        assert_eq!(log.take("t", Some(&same), true), Some(1));
        assert_eq!(log.take("t", Some(&same), true), None);
        assert_eq!(log.take("t", None, false), Some(3));
        assert!(AuditLog::parse("{\"toolName\":\"t\"}").is_err());
        assert!(AuditLog::parse("\n").unwrap().is_empty());
    }
}
