//! The section about one turn, short enough for one screen.

use super::{Detail, TABLE, execution};
use crate::report::page::{Kind, Page, Tone};
use crate::trajectory::context;
use crate::trajectory::model::{FindingNote, Trajectory};
use crate::trajectory::words::{self, TurnOutcome, duration, plural};
use crate::verify::timeline::{Deed, Shown, Turn};
use governance::Ruling;

/// Maximum number of effects shown for a command.
const EFFECTS: usize = 6;
/// Maximum number of bytes of a command to analyse here. A longer one is left to `command explain`.
const COMMAND: usize = 8_000;
/// Maximum number of paths shown of a list.
const PATHS: usize = 8;

/// Writes the section of one turn.
pub(super) fn write(
    of: &Trajectory,
    index: usize,
    found: &[&FindingNote],
    detail: Detail,
    page: &mut Page,
) {
    let Some(turn) = of.turns.get(index) else {
        return;
    };
    let fate = TurnOutcome::from_turn(turn);
    let number = turn
        .number
        .map_or("Before the first turn".to_owned(), |n| format!("Turn {n}"));
    let mut title = vec![number];
    title.extend(
        turn.proposed
            .as_ref()
            .or(turn.ran.as_ref())
            .map(words::action),
    );
    title.extend(words::risk(turn).map(|r| format!("{} risk", r.name())));
    if fate == TurnOutcome::None {
        title.extend(
            turn.thoughts
                .iter()
                .any(|t| t.done)
                .then(|| "believes itself done".to_owned()),
        );
    } else {
        title.push(fate.name().to_owned());
    }
    let tone = match () {
        () if found
            .iter()
            .any(|f| f.severity == crate::diag::Severity::Error) =>
        {
            Tone::Bad
        }
        () if fate == TurnOutcome::Failed || fate == TurnOutcome::Rejected => Tone::Warning,
        () => Tone::Plain,
    };
    page.heading(2, title.join(" · "), tone);
    shown_to_the_model(turn, page);
    thoughts(turn, page);
    acted(turn, detail, page);
    decided(turn, detail, page);
    came_of_it(turn, detail, page);
    for frame in &turn.frames {
        page.row(
            "terminal",
            format!("{}: {}", frame.what, words::first_line(&frame.text, 200)),
        );
    }
    if let Some(evaluation) = &turn.evaluation {
        page.row("evaluation", evaluation.clone());
    }
    if let Some(stop) = turn.path.iter().find(|s| s.illegal.is_some()) {
        let event = stop.illegal.clone().unwrap_or_default();
        page.toned(
            "path",
            format!(
                "{event} was illegal; the state stayed {}",
                stop.state.name()
            ),
            Tone::Bad,
        );
    }
    for note in found {
        execution::finding(note, page);
    }
    let took = turn.end.zip(turn.start).and_then(|(e, s)| e.checked_sub(s));
    let took = took
        .map(|ms| format!(", {}", duration(ms)))
        .unwrap_or_default();
    page.row("recorded", format!("line {}{took}", turn.line));
}

fn list(paths: &[String]) -> String {
    let more = paths.len().saturating_sub(PATHS);
    let shown = paths
        .get(..PATHS.min(paths.len()))
        .unwrap_or_default()
        .join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}

fn shown_to_the_model(turn: &Turn, page: &mut Page) {
    let mut parts = Vec::new();
    if let Some(context) = &turn.context {
        parts.extend(
            context
                .items
                .as_ref()
                .map(|i| plural((i.len() + context.items_cut) as u64, "item")),
        );
        parts.extend(context.messages.map(|n| plural(n as u64, "message")));
        parts.extend(
            context
                .prompt_version
                .as_ref()
                .map(|v| format!("prompt {v}")),
        );
        parts.extend(
            context
                .tool_set_version
                .as_ref()
                .map(|v| format!("tools {v}")),
        );
    }
    if let Some(diff) = &turn.context_diff {
        for (sign, paths) in [
            ("+", &diff.added),
            ("-", &diff.removed),
            ("~", &diff.changed),
        ] {
            parts.extend((!paths.is_empty()).then(|| format!("{sign} {}", list(paths))));
        }
    }
    if !parts.is_empty() {
        page.row("context", parts.join("; "));
    }
    if let Some(used) = context::of_turn(turn).filter(|u| !u.is_empty()) {
        page.row("refers to", list(&used.into_iter().collect::<Vec<_>>()));
    }
    if let Some(skills) = turn.used_skills.as_ref().filter(|s| !s.is_empty()) {
        page.row("skills", list(skills));
    }
}

fn thoughts(turn: &Turn, page: &mut Page) {
    for thought in &turn.thoughts {
        let who = thought
            .agent
            .as_ref()
            .map(|a| format!("{a}: "))
            .unwrap_or_default();
        let why = thought
            .reasoning
            .as_ref()
            .map_or("no reason is recorded".to_owned(), |r| {
                words::first_line(r, 400)
            });
        page.row("thought", format!("{who}{why}"));
    }
}

fn acted(turn: &Turn, detail: Detail, page: &mut Page) {
    match (&turn.proposed, &turn.ran) {
        (Some(proposed), _) => action("proposed", proposed, detail, page),
        (None, None) => {}
        (None, Some(ran)) => action("ran", ran, detail, page),
    }
    if let Some(declared) = turn.declared_changes.as_ref().filter(|d| !d.is_empty()) {
        page.row("declares", format!("it will change {}", list(declared)));
    }
}

fn action(name: &'static str, shown: &Shown, detail: Detail, page: &mut Page) {
    let id = shown
        .id
        .as_ref()
        .map(|id| format!(", {id}"))
        .unwrap_or_default();
    let risk = shown
        .risk
        .map(|r| format!(", recorded as {} risk", r.name()))
        .unwrap_or_default();
    page.row(name, format!("{}{id}{risk}", shown.deed.word()));
    match &shown.deed {
        Deed::Command(text) => {
            page.block(Kind::Text, &text.text, text.cut, detail.lines);
            if text.cut == 0 && text.text.len() <= COMMAND {
                effects(&text.text, page);
            } else {
                page.row("effects", "too long to be taken apart here");
            }
        }
        Deed::Diff(text) => page.block(
            Kind::Diff,
            &text.text,
            text.cut,
            detail.lines.saturating_mul(2),
        ),
        Deed::Tool { payload: text, .. }
        | Deed::Answer(text)
        | Deed::Other { payload: text, .. } => {
            page.block(Kind::Text, &text.text, text.cut, detail.lines);
        }
    }
}

fn effects(line: &str, page: &mut Page) {
    let analysis = shell_effects::analyse(line, &shell_effects::Context::new(&TABLE));
    if analysis.unparsed {
        page.toned(
            "effects",
            "not understood, so anything may happen",
            Tone::Bad,
        );
    }
    for effect in analysis.effects.iter().take(EFFECTS) {
        let target = effect
            .target
            .as_ref()
            .map(|t| format!(" {t}"))
            .unwrap_or_default();
        let tone = if effect.risk == shell_effects::RiskLevel::High {
            Tone::Bad
        } else {
            Tone::Plain
        };
        page.toned(
            "effect",
            format!(
                "{} {}{target}: {}",
                effect.risk.name(),
                effect.kind.as_str(),
                effect.why
            ),
            tone,
        );
    }
    let more = analysis.effects.len().saturating_sub(EFFECTS);
    if more > 0 {
        page.row(
            "effect",
            format!("… {more} more: see `yuangs-verify command explain`"),
        );
    }
}

fn decided(turn: &Turn, detail: Detail, page: &mut Page) {
    let Some(decision) = &turn.decision else {
        if turn.proposed.is_some() || turn.result.is_some() {
            let why = if turn.decision_broken {
                "there is one that can't be read"
            } else {
                "none is recorded"
            };
            page.toned("decision", why, Tone::Warning);
        }
        return;
    };
    let waited = words::waited(turn)
        .map(|ms| format!(", after {}", duration(ms)))
        .unwrap_or_default();
    let reason = decision
        .reason
        .as_ref()
        .map(|r| format!(": {r}"))
        .unwrap_or_default();
    let signed = if decision.signed {
        ", with a signature"
    } else {
        ""
    };
    let tone = match decision.ruling {
        Ruling::Approved => Tone::Good,
        Ruling::Modified | Ruling::Rejected => Tone::Warning,
    };
    page.toned(
        "decision",
        format!("{}{waited}{signed}{reason}", words::decision(decision)),
        tone,
    );
    if let Some(modified) = &decision.modified {
        action("changed to", modified, detail, page);
    }
}

fn came_of_it(turn: &Turn, detail: Detail, page: &mut Page) {
    if let (Some(ran), Some(_)) = (&turn.ran, &turn.proposed)
        && turn
            .decision
            .as_ref()
            .and_then(|d| d.modified.as_ref())
            .is_none_or(|m| m.deed != ran.deed)
    {
        action("executed", ran, detail, page);
    }
    if let Some(result) = &turn.result {
        let mut parts = vec![if result.failed() { "failed" } else { "success" }.to_owned()];
        parts.extend(
            (result.success && result.marked_failed)
                .then(|| "though its flag says success".to_owned()),
        );
        parts.extend(result.exit_code.map(|c| format!("exit code {c}")));
        parts.extend(result.error_type.clone());
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a float to integer cast saturates, which suits a duration"
        )]
        parts.extend(result.duration_ms.map(|ms| duration(ms as i64)));
        parts.extend(result.cost.map(|c| format!("cost {c}")));
        page.toned(
            "result",
            parts.join(", "),
            if result.failed() {
                Tone::Bad
            } else {
                Tone::Good
            },
        );
        if !result.output.text.trim().is_empty() {
            page.block(
                Kind::Text,
                &result.output.text,
                result.output.cut,
                detail.lines,
            );
        }
        if let Some(error) = result
            .error
            .as_ref()
            .filter(|e| **e != result.output && !e.text.trim().is_empty())
        {
            page.block(Kind::Text, &error.text, error.cut, detail.lines);
        }
    }
    if let Some(observed) = &turn.observed_changes {
        page.row(
            "changed",
            if observed.is_empty() {
                "no file".to_owned()
            } else {
                list(observed)
            },
        );
    }
    if let Some(observation) = &turn.observation {
        let cut = if observation.truncated {
            " (cut by the writer)"
        } else {
            ""
        };
        page.row(
            "observed",
            format!("{}{cut}", words::first_line(&observation.summary, 400)),
        );
        if !observation.artifacts.is_empty() {
            page.row("artifacts", list(&observation.artifacts));
        }
    }
}
