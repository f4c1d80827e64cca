//! `policy eval`: evaluates a policy for actions.

use super::find::{self, LoadedPolicy};
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::common::formats::OutputFormat;
use crate::cli::file;
use crate::cli::output::{Color, Failure, print, warn};
use crate::report::{safe_json, terminal};
use agent_policy::{
    Action, Context, Decision, Effect, Question, RuleExplanation, Tristate, json_context,
    json_once, json_question,
};
use clap::Args;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of `policy eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Use this policy: a file, or the name of a built-in one.
    #[arg(short, long, value_name = "FILE|NAME", default_value = "default")]
    policy: String,
    /// One action as JSON: `{"type": …, "payload": …}`, or
    /// `{"action": …, "context": …, "history": …}`.
    #[arg(value_name = "ACTION", conflicts_with_all = ["shell", "file"])]
    action: Option<String>,
    /// Evaluate this command line.
    #[arg(
        long,
        value_name = "CMD",
        allow_hyphen_values = true,
        conflicts_with = "file"
    )]
    shell: Option<String>,
    /// Read actions from this file, one per line, or `{"action": …, "context": …, "history": …}`;
    /// `-` is standard input.
    #[arg(long, value_name = "JSONL")]
    file: Option<PathBuf>,
    /// Evaluate in this context, as JSON: `risk`, `turn`, `agent`, `mode`, `production`, `time`.
    #[arg(long, value_name = "JSON")]
    context: Option<String>,
    /// Explain for each rule why it matches or doesn't.
    #[arg(long)]
    trace: bool,
    /// Exit with 1 when an action isn't allowed, unless the policy only monitors.
    #[arg(long)]
    check: bool,
    /// Exit with the answer: 0 allowed, 1 denied, 3 a human must approve. Of several actions the
    /// strictest answer counts; a policy that only monitors exits with 0.
    #[arg(long, conflicts_with = "check")]
    exit_code: bool,
    /// Output format.
    #[arg(long, value_parser = OutputFormat::parser("For people", "JSON"), default_value = "text")]
    format: OutputFormat,
}

/// A question with its line in a file, or why the line isn't one.
type NumberedQuestion = (u64, Result<Question, String>);

impl EvalArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let found = find::policy(&self.policy)?;
        let base = match &self.context {
            None => Context::default(),
            Some(text) => {
                let remedy = r#"a context is {"agent": "coder", "mode": "review", "production": true, "risk": "low"}"#;
                let context = json_once(text).and_then(|value| json_context(&value));
                context.map_err(|why| {
                    Failure::unable(format!("the context can't be used: {why}"), remedy)
                })?
            }
        };
        let questions = self.questions(&base)?;
        let (mut strictest, mut unreadable) = (Effect::Allow, false);
        print(Color::Auto, |out| {
            for (line, question) in &questions {
                match question {
                    Ok(question) => {
                        let effect = self.answer(&found, question, *line, out)?;
                        strictest = strictest.max(effect);
                    }
                    Err(why) => {
                        unreadable = true;
                        match self.format {
                            OutputFormat::Text => {
                                writeln!(out, "line {line}: no action: {}", terminal(why))?;
                            }
                            OutputFormat::Json => writeln!(
                                out,
                                "{}",
                                safe_json(&json!({ "line": line, "error": why }))
                            )?,
                        }
                    }
                }
            }
            if found.policy.monitor && self.format == OutputFormat::Text {
                writeln!(
                    out,
                    "the policy only monitors: it reports, and stops nothing"
                )?;
            }
            Ok(())
        })?;
        Ok(match () {
            () if unreadable => EXIT_ERROR,
            () if questions.is_empty() => {
                warn("nothing was asked: the file holds no action");
                EXIT_NOTHING_VERIFIED
            }
            () if found.policy.monitor => EXIT_CLEAN,
            () => match strictest {
                Effect::Deny if self.check || self.exit_code => EXIT_FINDINGS,
                Effect::RequireApproval if self.check => EXIT_FINDINGS,
                Effect::RequireApproval if self.exit_code => EXIT_NOTHING_VERIFIED,
                Effect::Allow | Effect::RequireApproval | Effect::Deny => EXIT_CLEAN,
            },
        })
    }

    fn questions(&self, base: &Context) -> Result<Vec<NumberedQuestion>, Failure> {
        if let Some(line) = &self.shell {
            return Ok(vec![(
                0,
                Ok(Question {
                    context: base.clone(),
                    ..Question::plain(Action::shell(line))
                }),
            )]);
        }
        if let Some(text) = &self.action {
            let question = json_question(text, base).map_err(|why| unusable("the action", &why))?;
            return Ok(vec![(0, Ok(question))]);
        }
        let Some(path) = &self.file else {
            return Err(Failure::unable(
                "nothing to ask about",
                "give an ACTION, --shell CMD or --file JSONL",
            ));
        };
        let text = file::text_or_input(path)?;
        let lines = (1..)
            .zip(text.lines())
            .filter(|(_, l)| !l.trim().is_empty());
        Ok(lines
            .map(|(n, line)| (n, json_question(line, base)))
            .collect())
    }

    fn answer(
        &self,
        found: &LoadedPolicy,
        question: &Question,
        line: u64,
        out: &mut dyn Write,
    ) -> io::Result<Effect> {
        let policy = &found.policy;
        let history = question.history();
        let action = &question.action;
        let request = question.context.request(action, &history);
        let decision = policy.decide(&request);
        let consulted = if self.trace {
            policy.explain(&request)
        } else {
            Vec::new()
        };
        match self.format {
            OutputFormat::Text => text(action, line, &decision, out)
                .and_then(|()| account(found, &consulted, &decision, out))?,
            OutputFormat::Json => {
                let mut value = json!({
                    "effect": decision.effect,
                    "rule": decision.rule.map(|r| &r.id),
                    "reason": decision.reason(),
                    "risk": policy.risk(&request),
                    "monitor": policy.monitor,
                });
                if let Some(object) = value.as_object_mut() {
                    if line > 0 {
                        object.insert("line".into(), line.into());
                    }
                    if self.trace {
                        let rules = consulted.iter().map(|c| {
                            json!({ "rule": c.rule.id, "effect": c.rule.effect, "holds": c.holds, "why": c.why, "consulted": !c.too_late, "file": found.file_of(c.rule.at), "line": c.rule.at.line })
                        });
                        object.insert("trace".into(), rules.collect());
                    }
                }
                writeln!(out, "{}", safe_json(&value))?;
            }
        }
        Ok(decision.effect)
    }
}

fn unusable(what: &str, why: &str) -> Failure {
    Failure::unable(
        format!("{what} can't be used: {why}"),
        r#"an action is {"type": "shell_cmd", "payload": {"command": "ls"}}"#,
    )
}

fn text(
    action: &Action,
    line: u64,
    decision: &Decision<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let number = if line > 0 {
        format!("{line}: ")
    } else {
        String::new()
    };
    writeln!(
        out,
        "{number}{} by {}: {}\n    {}",
        decision.effect,
        decision.rule.map_or_else(
            || "the default".to_owned(),
            |r| format!("rule {}", terminal(&r.id))
        ),
        terminal(&decision.reason()),
        terminal(&action.summary())
    )
}

/// Writes the explanation of every rule.
fn account(
    found: &LoadedPolicy,
    consulted: &[RuleExplanation<'_>],
    decision: &Decision<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, one) in consulted.iter().enumerate() {
        let mark = match one.holds {
            _ if decision.index == Some(index) => "decides",
            _ if one.too_late => "not asked",
            Tristate::Yes => "matches",
            Tristate::Maybe => "may match",
            Tristate::No => "no match",
        };
        write!(
            out,
            "    {mark:<10} {} ({}): {}",
            terminal(&one.rule.id),
            one.rule.effect,
            terminal(&one.why)
        )?;
        // Rules of several files are found by their places.
        if found.sources.len() > 1 {
            let at = one.rule.at;
            write!(out, " [{}:{}]", terminal(found.file_of(at)), at.line)?;
        }
        writeln!(out)?;
    }
    Ok(())
}
