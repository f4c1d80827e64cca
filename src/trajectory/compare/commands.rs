//! Compares two records of single commands: their decision, model, skills and risk.

use super::{Aspect, At, Comparison, Difference, Sameness, Side};
use crate::report::Lang;
use crate::trajectory::words::first_line;
use crate::verify::timeline::CommandRun;
use shell_effects::Table;

/// Returns the side that a record forms.
pub(super) fn side(run: &CommandRun) -> Side {
    Side {
        execution_id: run.id.to_string(),
        file: run.file.to_string(),
        line: run.line,
    }
}

/// Compares two records. The command counts as their path, and the model with its skills as their
/// decision.
pub(super) fn compare(base: &CommandRun, new: &CommandRun, lang: Lang) -> Comparison {
    let at = |run: &CommandRun| {
        Some(At {
            turn: None,
            line: run.line,
        })
    };
    let table = Table::builtin();
    let risk = |run: &CommandRun| {
        let line = run.command.as_ref()?;
        let risk = shell_effects::analyse(&line.text, &shell_effects::Context::new(&table)).risk;
        Some(lang.say(risk.name()).to_owned())
    };
    let model = |run: &CommandRun| {
        let fallback = match (&run.fallback_reason, run.used_fallback) {
            (Some(reason), true) => lang.fill(", as a fallback: {0}", &[reason]),
            (None, true) => lang.say(", as a fallback").to_owned(),
            (_, false) => String::new(),
        };
        Some(format!(
            "{}{fallback}",
            run.model.as_deref().unwrap_or(lang.say("not recorded"))
        ))
    };
    let decision = |run: &CommandRun| {
        let parts: Vec<&str> = [&run.strategy, &run.reason]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        (!parts.is_empty()).then(|| parts.join(": "))
    };
    let skills = |run: &CommandRun| {
        let all: Vec<String> = run
            .skills
            .iter()
            .map(|s| {
                s.score
                    .map_or(s.name.clone(), |score| format!("{} {score}", s.name))
            })
            .collect();
        (!all.is_empty()).then(|| all.join(", "))
    };
    let outcome = |run: &CommandRun| {
        let why = run
            .failure
            .as_ref()
            .map(|f| format!(": {f}"))
            .unwrap_or_default();
        Some(format!(
            "{}{why}",
            lang.say(if run.success { "success" } else { "failed" })
        ))
    };
    let asked = |run: &CommandRun| {
        Some(format!(
            "{} {}",
            run.name,
            run.asked
                .as_ref()
                .map(|a| first_line(a, 200))
                .unwrap_or_default()
        ))
    };
    let line = |run: &CommandRun| run.command.as_ref().map(|c| first_line(c, 200));
    let mut same = Sameness::ALL;
    let mut differences = Vec::new();
    let mut hold = |aspect, a: Option<String>, b: Option<String>, differ: bool| {
        if differ {
            differences.push(Difference {
                aspect,
                base_at: at(base),
                new_at: at(new),
                base: a,
                new: b,
            });
        }
        !differ
    };
    hold(
        Aspect::Intent,
        asked(base),
        asked(new),
        (&base.name, &base.asked) != (&new.name, &new.asked),
    );
    same.path = hold(
        Aspect::Command,
        line(base),
        line(new),
        base.command != new.command,
    );
    hold(Aspect::Risk, risk(base), risk(new), risk(base) != risk(new));
    let models = hold(
        Aspect::Model,
        model(base),
        model(new),
        model(base) != model(new),
    );
    let why = hold(
        Aspect::Decision,
        decision(base),
        decision(new),
        decision(base) != decision(new),
    );
    let used = hold(
        Aspect::Skills,
        skills(base),
        skills(new),
        base.skills != new.skills,
    );
    same.decisions = models && why && used;
    same.outcome = hold(
        Aspect::Outcome,
        outcome(base),
        outcome(new),
        outcome(base) != outcome(new),
    );
    Comparison {
        base: side(base),
        new: side(new),
        same,
        aligned: 1,
        aligned_by_actions: true,
        left_out: 0,
        differences,
    }
}
