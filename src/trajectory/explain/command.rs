//! The section about the record of a single command: the selected model and why, the skills, and
//! the outcome.

use super::TABLE;
use crate::report::page::{Kind, Page, Tone};
use crate::trajectory::words::{duration, moment};
use crate::verify::timeline::CommandRun;

/// Writes the section of one record.
pub(super) fn write(run: &CommandRun, page: &mut Page) {
    let lang = page.lang;
    page.heading(
        1,
        lang.fill("Command {0} ({1})", &[&run.name, &run.id]),
        Tone::Plain,
    );
    page.row(
        lang.say("recorded in"),
        lang.fill(
            "{0}:{1} (yuangs-record: no turns, so nothing is replayed)",
            &[&run.file, &run.line],
        ),
    );
    page.row(lang.say("when"), moment(run.time));
    let mut place = vec![
        run.project.clone(),
        lang.fill("tool {0}", &[&run.tool_version]),
    ];
    let mode = run.mode.as_ref();
    place.extend(mode.map(|mode| lang.fill("mode {0}", &[mode])));
    page.row(lang.say("where"), lang.list(&place));
    if let Some(asked) = &run.asked {
        page.row(lang.say("asked"), "");
        page.block(Kind::Text, &asked.text, asked.cut, 6);
    }
    let wanted = [
        (lang.say("required"), &run.required),
        (lang.say("preferred"), &run.preferred),
    ];
    let wanted: Vec<String> = wanted
        .iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(word, list)| format!("{word} {}", list.join(", ")))
        .collect();
    page.row(
        lang.say("wanted"),
        if wanted.is_empty() {
            lang.say("no capability in particular").to_owned()
        } else {
            wanted.join(lang.say("; "))
        },
    );
    decision(run, page);
    for skill in &run.skills {
        let score = skill.score.map_or_else(
            || lang.say("no score recorded").to_owned(),
            |score| lang.fill("score {0} at that time", &[&score]),
        );
        let parts = [skill.name.clone(), score];
        page.row(lang.say("skill"), lang.list(&parts));
    }
    if let Some(line) = &run.command {
        let analysis = shell_effects::analyse(&line.text, &shell_effects::Context::new(&TABLE));
        let tone = match analysis.risk {
            shell_effects::RiskLevel::High => Tone::Bad,
            shell_effects::RiskLevel::Medium => Tone::Warning,
            shell_effects::RiskLevel::Low => Tone::Plain,
        };
        let risk = lang.fill("{0} risk", &[&lang.say(analysis.risk.name())]);
        page.toned(lang.say("command"), risk, tone);
        page.block(Kind::Text, &line.text, line.cut, 12);
        for reason in analysis.reasons().iter().take(4) {
            page.row(lang.say("because"), reason.clone());
        }
    }
    let mut parts = vec![if run.success {
        lang.say("success").to_owned()
    } else {
        lang.say("failed").to_owned()
    }];
    parts.extend(run.failure.clone());
    parts.extend(
        run.tokens
            .and_then(|n| u64::try_from(n).ok())
            .map(|n| lang.plural(n, "token")),
    );
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float to integer cast saturates, which suits a duration"
    )]
    parts.extend(run.latency_ms.map(|ms| duration(ms as i64)));
    parts.extend(run.reward.map(|r| lang.fill("reward {0}", &[&r])));
    page.toned(
        lang.say("outcome"),
        lang.list(&parts),
        if run.success { Tone::Good } else { Tone::Bad },
    );
}

fn decision(run: &CommandRun, page: &mut Page) {
    let lang = page.lang;
    let model = run.model.as_deref().unwrap_or(lang.say("not recorded"));
    let mut parts = vec![model.to_owned()];
    if !run.candidates.is_empty() {
        parts.push(lang.fill("of {0}", &[&run.candidates.join(", ")]));
    }
    let strategy = run.strategy.as_ref();
    parts.extend(strategy.map(|name| lang.fill("strategy {0}", &[name])));
    let reason = run
        .reason
        .as_ref()
        .map(|r| format!(": {r}"))
        .unwrap_or_default();
    page.row(lang.say("model"), lang.list(&parts) + &reason);
    if run.used_fallback {
        let why = run
            .fallback_reason
            .as_deref()
            .unwrap_or(lang.say("no reason is recorded"));
        page.toned(lang.say("fallback"), why, Tone::Warning);
    }
}
