//! The section about the record of a single command: the selected model and why, the skills, and
//! the outcome.

use super::TABLE;
use crate::report::page::{Kind, Page, Tone};
use crate::trajectory::words::{duration, moment, plural};
use crate::verify::timeline::CommandRun;

/// Writes the section of one record.
pub(super) fn write(run: &CommandRun, page: &mut Page) {
    page.heading(1, format!("Command {} ({})", run.name, run.id), Tone::Plain);
    page.row(
        "recorded in",
        format!(
            "{}:{} (yuangs-record: no turns, so nothing is replayed)",
            run.file, run.line
        ),
    );
    page.row("when", moment(run.time));
    let mode = run
        .mode
        .as_ref()
        .map(|m| format!(", mode {m}"))
        .unwrap_or_default();
    page.row(
        "where",
        format!("{}, tool {}{mode}", run.project, run.tool_version),
    );
    if let Some(asked) = &run.asked {
        page.row("asked", "");
        page.block(Kind::Text, &asked.text, asked.cut, 6);
    }
    let wanted = [("required", &run.required), ("preferred", &run.preferred)];
    let wanted: Vec<String> = wanted
        .iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(word, list)| format!("{word} {}", list.join(", ")))
        .collect();
    page.row(
        "wanted",
        if wanted.is_empty() {
            "no capability in particular".to_owned()
        } else {
            wanted.join("; ")
        },
    );
    decision(run, page);
    for skill in &run.skills {
        let score = skill.score.map_or("no score recorded".to_owned(), |s| {
            format!("score {s} at that time")
        });
        page.row("skill", format!("{}, {score}", skill.name));
    }
    if let Some(line) = &run.command {
        let analysis = shell_effects::analyse(&line.text, &shell_effects::Context::new(&TABLE));
        let tone = match analysis.risk {
            shell_effects::RiskLevel::High => Tone::Bad,
            shell_effects::RiskLevel::Medium => Tone::Warning,
            shell_effects::RiskLevel::Low => Tone::Plain,
        };
        page.toned("command", format!("{} risk", analysis.risk.name()), tone);
        page.block(Kind::Text, &line.text, line.cut, 12);
        for reason in analysis.reasons().iter().take(4) {
            page.row("because", reason.clone());
        }
    }
    let mut parts = vec![if run.success {
        "success".to_owned()
    } else {
        "failed".to_owned()
    }];
    parts.extend(run.failure.clone());
    parts.extend(
        run.tokens
            .and_then(|n| u64::try_from(n).ok())
            .map(|n| plural(n, "token")),
    );
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float to integer cast saturates, which suits a duration"
    )]
    parts.extend(run.latency_ms.map(|ms| duration(ms as i64)));
    parts.extend(run.reward.map(|r| format!("reward {r}")));
    page.toned(
        "outcome",
        parts.join(", "),
        if run.success { Tone::Good } else { Tone::Bad },
    );
}

fn decision(run: &CommandRun, page: &mut Page) {
    let model = run.model.as_deref().unwrap_or("not recorded");
    let of = if run.candidates.is_empty() {
        String::new()
    } else {
        format!(", of {}", run.candidates.join(", "))
    };
    let strategy = run
        .strategy
        .as_ref()
        .map(|s| format!(", strategy {s}"))
        .unwrap_or_default();
    let reason = run
        .reason
        .as_ref()
        .map(|r| format!(": {r}"))
        .unwrap_or_default();
    page.row("model", format!("{model}{of}{strategy}{reason}"));
    if run.used_fallback {
        let why = run
            .fallback_reason
            .as_deref()
            .unwrap_or("no reason is recorded");
        page.toned("fallback", why, Tone::Warning);
    }
}
