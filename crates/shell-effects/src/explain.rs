//! Shows an analysis to people: the tree of programs, the effects under the text, the risk and its
//! reasons. No part of the line reaches the terminal unescaped.

use crate::effect::{Analysis, Certainty, Effect, Span, StepOrigin};
use std::fmt::Write as _;

/// Maximum length of the excerpt around an effect, in bytes.
const WINDOW: usize = 96;

/// Escapes control, bidirectional and invisible characters, so that a line can neither move the
/// terminal's cursor nor reorder itself.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        escape_char(c, &mut out);
    }
    out
}

fn escape_char(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        c if c.is_control() || invisible(c) => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
        c => out.push(c),
    }
}

/// Returns whether a character reorders text or is invisible.
fn invisible(c: char) -> bool {
    text_safety::invisible_chars::is_ignorable(c)
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}')
}

/// Returns the approximate width in columns: wide for East Asian scripts and pictographs.
fn width(c: char) -> usize {
    match u32::from(c) {
        0x1100..=0x115e
        | 0x2e80..=0x303e
        | 0x3041..=0x33ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xa000..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        0x0300..=0x036f => 0,
        _ => 1,
    }
}

/// Returns the escaped line, cut to a window around the span, and the carets below it.
fn excerpt(cmd: &str, span: Span) -> (String, String) {
    let (from, to) = (span.from.min(cmd.len()), span.to.min(cmd.len()));
    let start = from.saturating_sub(WINDOW / 2);
    let end = to
        .min(from.saturating_add(WINDOW))
        .saturating_add(WINDOW / 2)
        .min(cmd.len());
    let mut line = String::new();
    let mut marks = String::new();
    if start > 0 {
        line.push('…');
        marks.push(' ');
    }
    for (i, c) in cmd.char_indices() {
        if i < start || i >= end {
            continue;
        }
        let before = line.len();
        escape_char(c, &mut line);
        let cols: usize = line
            .get(before..)
            .unwrap_or_default()
            .chars()
            .map(width)
            .sum();
        let mark = if i >= from && i < to { '^' } else { ' ' };
        marks.extend(std::iter::repeat_n(mark, cols));
    }
    if end < cmd.len() {
        line.push('…');
    }
    (line, marks.trim_end().to_owned())
}

fn origin(h: StepOrigin) -> &'static str {
    match h {
        StepOrigin::Direct => "",
        StepOrigin::Wrapper => "run by the line above: ",
        StepOrigin::Substitution => "in a substitution: ",
        StepOrigin::Code => "as code: ",
        StepOrigin::Function => "in a function: ",
    }
}

/// Formats the tree of steps.
#[must_use]
pub fn tree(analysis: &Analysis) -> String {
    let mut depth: Vec<usize> = Vec::with_capacity(analysis.tree.len());
    let mut out = String::new();
    for s in &analysis.tree {
        let d = s
            .parent
            .and_then(|p| depth.get(p))
            .map_or(0, |d| d + 1)
            .min(24);
        depth.push(d);
        let _ = write!(
            out,
            "{}{}{}",
            "  ".repeat(d + 1),
            origin(s.origin),
            escape(&s.program)
        );
        for a in s.args.iter().take(16) {
            let short: String = a.chars().take(80).collect();
            let dots = if short.len() < a.len() { "…" } else { "" };
            let text = escape(&short);
            if text.is_empty() || text.contains(' ') {
                let _ = write!(out, " '{text}{dots}'");
            } else {
                let _ = write!(out, " {text}{dots}");
            }
        }
        if s.args.len() > 16 {
            let _ = write!(out, " … ({} more)", s.args.len() - 16);
        }
        out.push('\n');
    }
    out
}

fn effect_line(e: &Effect) -> String {
    let mut s = format!("{} {}", e.risk.name(), e.kind.as_str());
    if let Some(t) = &e.target {
        let short: String = t.chars().take(120).collect();
        let _ = write!(s, " `{}`", escape(&short));
    }
    let sure = if e.certainty == Certainty::Possible {
        " (possible)"
    } else {
        ""
    };
    let _ = write!(s, "{sure}: {}", escape(&e.why));
    s
}

/// Formats the whole explanation.
#[must_use]
pub fn explain(cmd: &str, analysis: &Analysis) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "risk: {}{}",
        analysis.risk.name(),
        if analysis.unparsed {
            " (not understood)"
        } else {
            ""
        }
    );
    for r in &analysis.reasons() {
        let _ = writeln!(out, "  {}", escape(r));
    }
    if !analysis.tree.is_empty() {
        out.push_str("\nwhat would run:\n");
        out.push_str(&tree(analysis));
    }
    if analysis.effects.is_empty() {
        out.push_str("\nno effects\n");
        return out;
    }
    out.push_str("\neffects:\n");
    let mut last: Option<Span> = None;
    for e in &analysis.effects {
        if last != Some(e.span) {
            let (line, marks) = excerpt(cmd, e.span);
            let _ = writeln!(out, "  {line}\n  {marks}");
            last = Some(e.span);
        }
        let _ = writeln!(out, "    {}", effect_line(e));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Table, analyse};

    fn shown(cmd: &str) -> String {
        let t = Table::builtin();
        explain(cmd, &analyse(cmd, &Context::new(&t)))
    }

    #[test]
    fn carets_are_under_the_text() {
        let s = shown("echo hi > /etc/motd");
        let lines: Vec<&str> = s.lines().collect();
        let i = lines.iter().position(|l| l.contains("^^")).unwrap();
        let col = lines[i].find('^').unwrap();
        assert_eq!(lines[i - 1].get(col..), Some("> /etc/motd"));
    }

    #[test]
    fn nothing_dangerous_reaches_the_terminal() {
        let s = shown("echo \u{1b}[31m \u{202e}txt\u{200b} \u{7} \u{9b} > /etc/\u{1b}x");
        assert!(
            s.chars()
                .all(|c| c == '\n' || !(c.is_control() || invisible(c))),
            "{s:?}"
        );
        assert!(s.contains("\\u{1b}"));
    }

    #[test]
    fn the_tree_is_nested() {
        let s = shown("sudo timeout 5 sh -c 'rm -rf /srv'");
        let rm = s
            .lines()
            .find(|l| l.contains("rm -rf /srv") && l.contains("as code"))
            .unwrap();
        assert!(rm.starts_with("        "), "{rm:?}");
    }
}
