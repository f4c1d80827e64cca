//! An action as the page shows it: diffs with colours, commands with their effects underlined.

use super::shown;
use crate::report::{Lang, terminal};
use crate::verify::timeline::{Deed, Shown, Text};
use serde::Serialize;
use shell_effects::Table;
use std::sync::LazyLock;

/// Maximum number of effects listed of one command.
const EFFECTS: usize = 12;

static TABLE: LazyLock<Table> = LazyLock::new(Table::builtin);

/// The number of command bytes that one page still analyses. A trace may contain more commands than
/// can be analysed in acceptable time.
#[derive(Debug)]
pub(super) struct AnalysisBudget(usize);

impl AnalysisBudget {
    /// Creates the budget of one page.
    pub(super) const fn new() -> Self {
        Self(1 << 19)
    }

    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// The view of an action. Its kind determines which members are filled.
#[derive(Debug, Default, Serialize)]
pub(super) struct View {
    kind: &'static str,
    text: String,
    segments: Vec<Segment>,
    effects: Vec<Effect>,
    lines: Vec<Line>,
    cut: usize,
    /// Whether the command was analysed.
    whole: bool,
}

#[derive(Debug, Serialize)]
struct Segment {
    text: String,
    risk: Option<&'static str>,
    about: String,
}

impl Segment {
    fn plain(text: &str) -> Self {
        Self {
            text: lines(text),
            risk: None,
            about: String::new(),
        }
    }
}

#[derive(Debug, Serialize)]
struct Effect {
    kind: &'static str,
    risk: &'static str,
    target: Option<String>,
    why: String,
}

#[derive(Debug, Serialize)]
struct Line {
    kind: &'static str,
    text: String,
}

/// Escapes text with several lines. A CI runner that prints the page would run a line that begins
/// with `::`, so those are escaped, too.
pub(super) fn lines(text: &str) -> String {
    let one = |line: &str| {
        let line = terminal(line.strip_suffix('\r').unwrap_or(line));
        let colons = line.trim_start().starts_with("::");
        if colons {
            line.replacen(':', "\\u{003a}", 1)
        } else {
            line.into_owned()
        }
    };
    text.split('\n').map(one).collect::<Vec<_>>().join("\n")
}

pub(super) fn view(deed: &Deed, budget: &mut AnalysisBudget) -> View {
    match deed {
        Deed::Command(text) if budget.spend(text.text.len()) => of_command(text),
        Deed::Command(text) => View {
            kind: "command",
            segments: vec![Segment::plain(&text.text)],
            cut: text.cut,
            whole: false,
            ..View::default()
        },
        Deed::Diff(text) => of_diff(text),
        Deed::Tool { payload: text, .. } => View {
            kind: "tool call",
            text: lines(&text.text),
            cut: text.cut,
            ..View::default()
        },
        Deed::Answer(text) => View {
            kind: "answer",
            text: lines(&text.text),
            cut: text.cut,
            ..View::default()
        },
        Deed::Other {
            word: kind,
            payload: text,
        } => View {
            kind: "action",
            text: format!("{}\n{}", shown(kind), lines(&text.text)),
            cut: text.cut,
            ..View::default()
        },
    }
}

/// Describes the action briefly.
pub(super) fn brief(action: &Shown, lang: Lang) -> String {
    let first = |text: &Text| {
        super::words::clip(text.text.lines().next().unwrap_or_default(), 120).into_owned()
    };
    let paths = || action.paths.join(", ");
    let text = match &action.deed {
        Deed::Command(text) => first(text),
        Deed::Diff(_) => lang.fill("diff of {0}", &[&paths()]),
        Deed::Tool { tool: name, .. } => format!("{name} {}", paths()),
        Deed::Answer(_) => lang.say("answer").into(),
        Deed::Other { word: kind, .. } => kind.clone(),
    };
    shown(&text)
}

fn of_command(text: &Text) -> View {
    let analysis = shell_effects::analyse(&text.text, &shell_effects::Context::new(&TABLE));
    let effects: Vec<&shell_effects::Effect> = analysis.effects.iter().take(EFFECTS).collect();
    let mut edges: Vec<usize> = effects
        .iter()
        .flat_map(|e| [e.span.from, e.span.to])
        .chain([0, text.text.len()])
        .collect();
    edges.retain(|at| text.text.is_char_boundary(*at));
    edges.sort_unstable();
    edges.dedup();
    let mut segments = Vec::new();
    for (from, to) in edges.iter().zip(edges.iter().skip(1)) {
        let over: Vec<_> = effects
            .iter()
            .filter(|e| e.span.from <= *from && *to <= e.span.to)
            .collect();
        let about: Vec<&str> = over.iter().map(|e| e.kind.as_str()).collect();
        segments.push(Segment {
            text: lines(text.text.get(*from..*to).unwrap_or_default()),
            risk: over.iter().map(|e| e.risk).max().map(|r| r.name()),
            about: about.join(", "),
        });
    }
    let effects = effects
        .iter()
        .map(|e| Effect {
            kind: e.kind.as_str(),
            risk: e.risk.name(),
            target: e.target.as_deref().map(shown),
            why: shown(&e.why),
        })
        .collect();
    View {
        kind: "command",
        segments,
        effects,
        cut: text.cut,
        whole: true,
        ..View::default()
    }
}

fn of_diff(text: &Text) -> View {
    let lines = text.text.lines().map(|line| {
        let kind = match line.as_bytes() {
            [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => "file",
            _ if line.starts_with("diff --git ") || line.starts_with("rename ") => "file",
            [b'@', b'@', ..] => "hunk",
            [b'+', ..] => "add",
            [b'-', ..] => "del",
            _ => "",
        };
        Line {
            kind,
            text: terminal(line).into_owned(),
        }
    });
    View {
        kind: "diff",
        lines: lines.collect(),
        cut: text.cut,
        ..View::default()
    }
}
