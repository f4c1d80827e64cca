//! `knowledge skills evaluate`: prints metrics, scores and advice.

use super::{AskArgs, SkillIndex};
use crate::cli::knowledge::{Format, failure};
use crate::cli::output::{Color, Failure, print};
use crate::cli::replay::FailOn;
use crate::cli::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::diag::Finding;
use crate::knowledge::skills::{self, Limits, SkillEvaluation, Skills, Suggestion, Weights};
use crate::report::{findings_json, line_start, safe_json, terminal, write_findings};
use crate::trajectory::words::plural;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::io::{self, Write};
use util::time::format_minute;

/// Arguments of `knowledge skills evaluate`.
#[derive(Debug, Args)]
pub struct EvaluateArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// Weigh the metrics: balanced (success 0.4, cost 0.2, latency 0.15, rollback 0.15, stability
    /// 0.1) or aggressive (success 0.6, the others 0.1 each).
    #[arg(long, value_enum, default_value_t = Weighing::Balanced, value_name = "WEIGHTS")]
    weights: Weighing,
    /// Show only the skill with this name.
    #[arg(long, value_name = "NAME")]
    skill: Option<String>,
    /// Fail (exit 1) when there are findings this bad: promotions without evidence (YV903), skills
    /// used though they weren't enabled (YV911).
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
}

/// Weights of the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Weighing {
    /// Success 0.4.
    Balanced,
    /// Success 0.6.
    Aggressive,
}

impl From<Weighing> for Weights {
    fn from(weighing: Weighing) -> Self {
        match weighing {
            Weighing::Balanced => Self::Balanced,
            Weighing::Aggressive => Self::Aggressive,
        }
    }
}

/// The output of an evaluation.
struct EvaluationOutput<'t> {
    all: &'t [SkillEvaluation],
    findings: &'t [Finding],
    limits: Limits,
    weights: Weights,
    now: Option<i64>,
    asked: &'t SkillIndex,
}

impl EvaluateArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let asked = self.ask.read()?;
        let (limits, weights) = (asked.place.limits(), Weights::from(self.weights));
        let now = self.ask.now.or_else(|| asked.skills.newest());
        let mut all = asked.skills.evaluated(weights, limits, self.ask.now);
        let mut findings =
            skills::findings_of(&asked.store, &asked.skills, limits).map_err(|e| failure(&e))?;
        if let Some(name) = &self.skill {
            all.retain(|e| e.name == *name);
            // Every message names its skill in backticks, optionally followed by a version.
            findings.retain(|f| {
                [format!("`{name}`"), format!("`{name} ")]
                    .iter()
                    .any(|n| f.message.contains(n))
            });
        }
        let output = EvaluationOutput {
            all: &all,
            findings: &findings,
            limits,
            weights,
            now,
            asked: &asked,
        };
        print(Color::Auto, |out| match self.ask.format {
            Format::Text => text(&output, out),
            Format::Json => writeln!(out, "{}", safe_json(&document(&output))),
        })?;
        let failed = self.fail_on.met_by(&findings);
        Ok(match () {
            () if failed => EXIT_FINDINGS,
            () if all.is_empty() => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        })
    }
}

fn version(e: &SkillEvaluation) -> String {
    if e.version.is_empty() {
        "(version not recorded)".to_owned()
    } else {
        e.version.clone()
    }
}

fn text(output: &EvaluationOutput<'_>, out: &mut dyn Write) -> io::Result<()> {
    let number = |n: Option<f64>, digits: usize| {
        n.map_or_else(|| "-".to_owned(), |n| format!("{n:.digits$}"))
    };
    for e in output.all {
        let f = &e.figures;
        let stage = e.stage.as_deref().unwrap_or("no manifest");
        let intent = if e.intent.is_empty() {
            String::new()
        } else {
            format!(": {}", e.intent)
        };
        writeln!(
            out,
            "{}",
            line_start(&format!("{} {} [{stage}]{intent}", e.name, version(e)))
        )?;
        writeln!(
            out,
            "  score {:.3}  success {:.3} of {}  cost {}  latency {} ms  rollback {:.3}  stability {:.3}  last {}",
            e.score,
            f.success_rate(),
            f.executions,
            number(f.avg_cost, 4),
            number(f.avg_latency, 0),
            f.rollback_rate(),
            f.stability(),
            f.last.map_or_else(|| "-".to_owned(), format_minute)
        )?;
        let tests: Vec<&str> = e.tests.iter().map(|t| t.text.as_str()).collect();
        let word = match e.suggestion {
            Suggestion::Promote => "promote to production",
            Suggestion::Retire => "retire",
            Suggestion::Stay if e.stage.as_deref() == Some("production") => "stays in production",
            Suggestion::Stay if e.stage.as_deref() == Some("retired") => "stays retired",
            Suggestion::Stay => "not to be promoted yet",
        };
        writeln!(out, "  {word} ({})", tests.join("; "))?;
        for advice in &e.advice {
            writeln!(out, "  {advice}")?;
        }
    }
    let selected = Skills::selected(output.all);
    if !selected.is_empty() {
        writeln!(out, "\nbest in production, by intent")?;
        for (intent, e) in selected {
            let line = format!("{intent}: {} {} ({:.3})", e.name, version(e), e.score);
            writeln!(out, "  {}", line_start(&line))?;
        }
    }
    if !output.findings.is_empty() {
        writeln!(out)?;
        write_findings(output.findings, out)?;
    }
    for (file, table, rows) in &output.asked.beside {
        writeln!(
            out,
            "beside the index: {rows} uses from {} of {}",
            terminal(table),
            terminal(file)
        )?;
    }
    let as_of = output.now.map_or_else(
        || "no time is recorded".to_owned(),
        |now| format!("as of {} UTC", format_minute(now)),
    );
    let (skills, uses) = (
        output.all.len() as u64,
        output.asked.skills.uses.len() as u64,
    );
    writeln!(
        out,
        "{}, {}, {as_of}",
        plural(skills, "skill"),
        plural(uses, "use")
    )
}

fn document(output: &EvaluationOutput<'_>) -> Value {
    let one = |e: &SkillEvaluation| {
        let f = &e.figures;
        let tests: Vec<Value> = e
            .tests
            .iter()
            .map(|t| json!({ "met": t.met, "condition": t.text }))
            .collect();
        json!({
            "skill_name": e.name, "skill_version": e.version, "intent": e.intent, "stage": e.stage,
            "execution_count": f.executions, "success_count": f.successes, "failure_count": f.failures(),
            "not_recorded": f.unjudged, "weak": f.weak, "success_rate": f.success_rate(), "total_cost": f.total_cost, "avg_cost": f.avg_cost,
            "total_latency": f.total_latency, "avg_latency": f.avg_latency, "rollback_count": f.rollbacks,
            "rollback_rate": f.rollback_rate(), "stability_score": f.stability(), "current_score": e.score,
            "first_execution_at": f.first, "last_execution_at": f.last,
            "advice": e.advice, "suggestion": e.suggestion.name(), "conditions": tests,
        })
    };
    let selected: Vec<Value> = Skills::selected(output.all)
        .into_iter()
        .map(|(intent, e)| json!({ "intent": intent, "skill_name": e.name, "skill_version": e.version, "score": e.score }))
        .collect();
    let beside: Vec<Value> = output
        .asked
        .beside
        .iter()
        .map(|(file, table, rows)| json!({ "file": file, "table": table, "uses": rows }))
        .collect();
    json!({
        "version": 1,
        "now": output.now,
        "weights": if output.weights == Weights::Balanced { "balanced" } else { "aggressive" },
        "limits": { "max_cost": output.limits.max_cost, "max_latency": output.limits.max_latency },
        "skills": output.all.iter().map(one).collect::<Vec<_>>(),
        "selected": selected,
        "beside": beside,
        "findings": findings_json(output.findings),
    })
}
