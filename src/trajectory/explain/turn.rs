//! The section about one turn, short enough for one screen.

use super::{Detail, TABLE, execution};
use crate::report::Lang;
use crate::report::page::{Kind, Page, Tone};
use crate::trajectory::context::{self, Change, ItemChange, View};
use crate::trajectory::model::{FindingNote, Trajectory};
use crate::trajectory::words::{self, TurnOutcome, duration};
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
    view: &View<'_>,
    found: &[&FindingNote],
    detail: Detail,
    page: &mut Page,
) {
    let Some(turn) = of.turns.get(index) else {
        return;
    };
    let lang = page.lang;
    let fate = TurnOutcome::from_turn(turn);
    let number = turn.number.map_or_else(
        || lang.say("Before the first turn").to_owned(),
        |n| lang.fill("Turn {0}", &[&n]),
    );
    let mut title = vec![number];
    title.extend(
        turn.proposed
            .as_ref()
            .or(turn.ran.as_ref())
            .map(|action| words::action(action, lang)),
    );
    title.extend(words::risk(turn).map(|risk| rated(risk, lang)));
    if fate == TurnOutcome::None {
        title.extend(
            turn.thoughts
                .iter()
                .any(|t| t.done)
                .then(|| lang.say("believes itself done").to_owned()),
        );
    } else {
        title.push(lang.say(fate.name()).to_owned());
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
    shown_to_the_model(turn, view, page);
    thoughts(turn, page);
    acted(turn, detail, page);
    decided(turn, detail, page);
    came_of_it(turn, detail, page);
    for frame in &turn.frames {
        page.row(
            lang.say("terminal"),
            format!("{}: {}", frame.what, words::first_line(&frame.text, 200)),
        );
    }
    if let Some(evaluation) = &turn.evaluation {
        page.row(lang.say("evaluation"), evaluation.clone());
    }
    if let Some(stop) = turn.path.iter().find(|s| s.illegal.is_some()) {
        let event = stop.illegal.clone().unwrap_or_default();
        page.toned(
            lang.say("path"),
            lang.fill(
                "{0} was illegal; the state stayed {1}",
                &[&event, &stop.state.name()],
            ),
            Tone::Bad,
        );
    }
    for note in found {
        execution::finding(note, page);
    }
    let took = turn.end.zip(turn.start).and_then(|(e, s)| e.checked_sub(s));
    let mut parts = vec![lang.fill("line {0}", &[&turn.line])];
    parts.extend(took.map(duration));
    page.row(lang.say("recorded"), lang.list(&parts));
}

fn rated(risk: governance::RiskLevel, lang: Lang) -> String {
    lang.fill("{0} risk", &[&lang.say(risk.name())])
}

fn list(paths: &[String], lang: Lang) -> String {
    let more = paths.len().saturating_sub(PATHS);
    let shown = paths
        .get(..PATHS.min(paths.len()))
        .unwrap_or_default()
        .join(", ");
    if more > 0 {
        lang.fill("{0} and {1} more", &[&shown, &more])
    } else {
        shown
    }
}

/// Names an item with its size, or with both sizes if it changed.
fn sized(change: &ItemChange<'_>, lang: Lang) -> String {
    let path = change.path;
    match (change.change, change.tokens) {
        (Change::Added, (_, Some(tokens))) | (Change::Removed, (Some(tokens), _)) => {
            lang.fill("{0} ({1})", &[&path, &lang.plural(tokens, "token")])
        }
        (Change::Changed, (Some(before), Some(after))) if before != after => {
            let after = lang.plural(after, "token");
            lang.fill("{0} ({1} → {2})", &[&path, &before, &after])
        }
        _ => path.to_owned(),
    }
}

fn shown_to_the_model(turn: &Turn, view: &View<'_>, page: &mut Page) {
    let lang = page.lang;
    let mut parts = Vec::new();
    if let Some(context) = &turn.context {
        parts.extend(
            context
                .items
                .as_ref()
                .map(|i| lang.plural((i.len() + context.items_cut) as u64, "item")),
        );
        parts.extend(context.messages.map(|n| lang.plural(n as u64, "message")));
        parts.extend(
            context
                .prompt_version
                .as_ref()
                .map(|v| lang.fill("prompt {0}", &[v])),
        );
        parts.extend(
            context
                .tool_set_version
                .as_ref()
                .map(|v| lang.fill("tools {0}", &[v])),
        );
    }
    for change in [Change::Added, Change::Removed, Change::Changed] {
        let of_kind = view.changes.iter().filter(|c| c.change == change);
        let paths: Vec<String> = of_kind.map(|c| sized(c, lang)).collect();
        let sign = change.sign();
        parts.extend((!paths.is_empty()).then(|| format!("{sign} {}", list(&paths, lang))));
    }
    if !parts.is_empty() {
        page.row(lang.say("context"), parts.join(lang.say("; ")));
    }
    let items = turn.context.as_ref().and_then(|c| c.items.as_ref());
    if let Some(items) = items.filter(|items| view.is_first && !items.is_empty()) {
        let named = items.iter().map(|item| {
            let entry = ItemChange {
                change: Change::Added,
                path: &item.path,
                tokens: (None, item.tokens),
            };
            sized(&entry, lang)
        });
        let paths: Vec<String> = named.collect();
        page.row(lang.say("in view"), list(&paths, lang));
    }
    if let Some(used) = context::of_turn(turn).filter(|u| !u.is_empty()) {
        page.row(
            lang.say("refers to"),
            list(&used.into_iter().collect::<Vec<_>>(), lang),
        );
    }
    if let Some(skills) = turn.used_skills.as_ref().filter(|s| !s.is_empty()) {
        page.row(lang.say("skills"), list(skills, lang));
    }
}

fn thoughts(turn: &Turn, page: &mut Page) {
    let lang = page.lang;
    for thought in &turn.thoughts {
        let who = thought
            .agent
            .as_ref()
            .map(|a| format!("{a}: "))
            .unwrap_or_default();
        let why = thought
            .reasoning
            .as_ref()
            .map_or(lang.say("no reason is recorded").to_owned(), |r| {
                words::first_line(r, 400)
            });
        page.row(lang.say("thought"), format!("{who}{why}"));
    }
}

fn acted(turn: &Turn, detail: Detail, page: &mut Page) {
    let lang = page.lang;
    match (&turn.proposed, &turn.ran) {
        (Some(proposed), _) => action(lang.say("proposed"), proposed, detail, page),
        (None, None) => {}
        (None, Some(ran)) => action(lang.say("ran"), ran, detail, page),
    }
    if let Some(declared) = turn.declared_changes.as_ref().filter(|d| !d.is_empty()) {
        page.row(
            lang.say("declares"),
            lang.fill("it will change {0}", &[&list(declared, lang)]),
        );
    }
}

fn action(name: &'static str, shown: &Shown, detail: Detail, page: &mut Page) {
    let lang = page.lang;
    let mut parts = vec![shown.deed.word().to_owned()];
    parts.extend(shown.id.clone());
    let risk = shown.risk.map(|risk| rated(risk, lang));
    parts.extend(risk.map(|risk| lang.fill("recorded as {0}", &[&risk])));
    page.row(name, lang.list(&parts));
    match &shown.deed {
        Deed::Command(text) => {
            page.block(Kind::Text, &text.text, text.cut, detail.lines);
            if text.cut == 0 && text.text.len() <= COMMAND {
                effects(&text.text, page);
            } else {
                page.row(
                    lang.say("effects"),
                    lang.say("too long to be taken apart here"),
                );
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
    let lang = page.lang;
    let analysis = shell_effects::analyse(line, &shell_effects::Context::new(&TABLE));
    if analysis.unparsed {
        page.toned(
            lang.say("effects"),
            lang.say("not understood, so anything may happen"),
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
            lang.say("effect"),
            format!(
                "{} {}{target}: {}",
                lang.say(effect.risk.name()),
                effect.kind.as_str(),
                effect.why
            ),
            tone,
        );
    }
    let more = analysis.effects.len().saturating_sub(EFFECTS);
    if more > 0 {
        page.row(
            lang.say("effect"),
            lang.fill("… {0} more: see `yuangs-verify command explain`", &[&more]),
        );
    }
}

fn decided(turn: &Turn, detail: Detail, page: &mut Page) {
    let lang = page.lang;
    let Some(decision) = &turn.decision else {
        if turn.proposed.is_some() || turn.result.is_some() {
            let why = if turn.decision_broken {
                lang.say("there is one that can't be read")
            } else {
                lang.say("none is recorded")
            };
            page.toned(lang.say("decision"), why, Tone::Warning);
        }
        return;
    };
    let mut parts = vec![words::decision(decision, lang)];
    let waited = words::waited(turn).map(duration);
    parts.extend(waited.map(|time| lang.fill("after {0}", &[&time])));
    parts.extend(
        decision
            .signed
            .then(|| lang.say("with a signature").to_owned()),
    );
    let reason = decision
        .reason
        .as_ref()
        .map(|r| format!(": {r}"))
        .unwrap_or_default();
    let tone = match decision.ruling {
        Ruling::Approved => Tone::Good,
        Ruling::Modified | Ruling::Rejected => Tone::Warning,
    };
    page.toned(lang.say("decision"), lang.list(&parts) + &reason, tone);
    if let Some(modified) = &decision.modified {
        action(lang.say("changed to"), modified, detail, page);
    }
}

fn came_of_it(turn: &Turn, detail: Detail, page: &mut Page) {
    let lang = page.lang;
    if let (Some(ran), Some(_)) = (&turn.ran, &turn.proposed)
        && turn
            .decision
            .as_ref()
            .and_then(|d| d.modified.as_ref())
            .is_none_or(|m| m.deed != ran.deed)
    {
        action(lang.say("executed"), ran, detail, page);
    }
    if let Some(result) = &turn.result {
        let ending = if result.failed() {
            lang.say("failed")
        } else {
            lang.say("success")
        };
        let mut parts = vec![ending.to_owned()];
        parts.extend(
            (result.success && result.marked_failed)
                .then(|| lang.say("though its flag says success").to_owned()),
        );
        parts.extend(result.exit_code.map(|c| lang.fill("exit code {0}", &[&c])));
        parts.extend(result.error_type.clone());
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a float to integer cast saturates, which suits a duration"
        )]
        parts.extend(result.duration_ms.map(|ms| duration(ms as i64)));
        parts.extend(result.cost.map(|c| lang.fill("cost {0}", &[&c])));
        page.toned(
            lang.say("result"),
            lang.list(&parts),
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
            lang.say("changed"),
            if observed.is_empty() {
                lang.say("no file").to_owned()
            } else {
                list(observed, lang)
            },
        );
    }
    if let Some(observation) = &turn.observation {
        let cut = if observation.truncated {
            lang.say(" (cut by the writer)")
        } else {
            ""
        };
        page.row(
            lang.say("observed"),
            format!("{}{cut}", words::first_line(&observation.summary, 400)),
        );
        if !observation.artifacts.is_empty() {
            page.row(lang.say("artifacts"), list(&observation.artifacts, lang));
        }
    }
}
