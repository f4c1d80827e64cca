//! Renders an audit as one screen of text, and as JSON.

use super::Read;
use crate::cli::policy::OtherDecisions;
use crate::cli::wrap;
use crate::report::{Lang, terminal};
use crate::trajectory::audit::{Audit, Notes, Spot};
use crate::trajectory::words::moment;
use governance::RiskLevel;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::env::home_dir;
use std::io::{self, Write};
use std::path::Path;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Maximum width of a line in columns, on a terminal and elsewhere.
const WIDTH: usize = 80;
/// Maximum number of listed findings of one kind.
const LISTED: usize = 5;
/// Maximum number of listed actions.
const ACTIONS: usize = 10;

/// Writes the screen.
pub(super) fn text(
    read: &Read,
    other: Option<&OtherDecisions>,
    lang: Lang,
    out: &mut dyn Write,
) -> io::Result<()> {
    let audit = &read.audit;
    head(read, lang, out)?;
    if !audit.riskiest.is_empty() {
        writeln!(out, "\n{}", lang.say("Riskiest actions"))?;
        for action in audit.riskiest.iter().take(ACTIONS) {
            let ends = match (&*action.decision, &*action.outcome) {
                ("not-recorded", outcome) => lang.say(outcome).to_owned(),
                (decision, outcome) => {
                    lang.list(&[decision, outcome].map(|word| lang.say(word).to_owned()))
                }
            };
            line(out, lang.say(action.risk.name()), &action.what, &ends)?;
            writeln!(out, "          {}", spot(&action.at))?;
        }
        let more = [RiskLevel::High, RiskLevel::Medium].into_iter();
        let more = more.map(|risk| (audit.unlisted(risk, ACTIONS), lang.say(risk.name())));
        let more: Vec<String> = more
            .filter(|(count, _)| *count > 0)
            .map(|(count, risk)| lang.fill("{0} {1}", &[&count, &risk]))
            .collect();
        if !more.is_empty() {
            let more = lang.fill("and more: {0}", &[&lang.list(&more)]);
            writeln!(out, "  {more}")?;
        }
    }
    rejections(audit, lang, out)?;
    notes("Secrets", &audit.secrets, lang, out)?;
    notes("Outside of the work tree", &audit.outside, lang, out)?;
    notes("Also found", &audit.errors, lang, out)?;
    if let Some(other) = other {
        writeln!(
            out,
            "\n{}",
            lang.fill(
                "The policy was asked about {0}, and would have decided otherwise:",
                &[&lang.plural(other.asked, "call")]
            )
        )?;
        if other.groups.is_empty() {
            writeln!(out, "  {}", lang.say("nothing"))?;
        }
        for group in &other.groups {
            let what = group
                .first
                .as_ref()
                .map_or("", |(_, _, what)| what.as_str());
            line(
                out,
                group.decision,
                what,
                &lang.fill("{0} in all", &[&group.count]),
            )?;
            let reason = terminal(&group.reason);
            writeln!(out, "          {} ({})", reason, terminal(&group.rule))?;
            if let Some((file, at, _)) = &group.first {
                let first = Spot {
                    file: file.clone(),
                    line: *at,
                };
                let first = lang.fill("first: {0}", &[&spot(&first)]);
                writeln!(out, "          {first}")?;
            }
        }
    }
    if !audit.not_recorded.is_empty() {
        let parts: Vec<String> = audit
            .not_recorded
            .iter()
            .map(|(part, count)| {
                let part = lang.say(part);
                if *count == audit.sessions() {
                    part.to_owned()
                } else {
                    lang.fill("{0} (of {1})", &[&part, &lang.plural(*count, "session")])
                }
            })
            .collect();
        writeln!(out)?;
        let parts = parts.join(lang.say("; "));
        wrapped(out, &lang.fill("Not recorded: {0}", &[&parts]))?;
    }
    Ok(())
}

fn head(read: &Read, lang: Lang, out: &mut dyn Write) -> io::Result<()> {
    let audit = &read.audit;
    let formats: Vec<String> = audit
        .sessions
        .iter()
        .map(|(format, count)| format!("{format} {count}"))
        .collect();
    let of = if formats.is_empty() {
        String::new()
    } else {
        format!(" ({})", formats.join(", "))
    };
    let mut parts = vec![lang.plural(audit.sessions(), "session") + &of];
    if audit.sub_agents > 0 {
        parts.push(lang.fill("{0} of sub-agents", &[&audit.sub_agents]));
    }
    parts.push(lang.plural(audit.calls, "call"));
    if let (Some(from), Some(to)) = (audit.from, audit.to) {
        let day = |time| moment(time).chars().take(10).collect::<String>();
        parts.push(match (day(from), day(to)) {
            (from, to) if from == to => from,
            (from, to) => lang.fill("{0} to {1}", &[&from, &to]),
        });
    }
    wrapped(out, &lang.list(&parts))?;
    let risks: Vec<String> = [RiskLevel::High, RiskLevel::Medium, RiskLevel::Low]
        .into_iter()
        .filter_map(|risk| Some((audit.risks.get(&risk)?, lang.say(risk.name()))))
        .map(|(count, risk)| lang.fill("{0} {1}", &[count, &risk]))
        .collect();
    if !risks.is_empty() {
        let risks = lang.list(&risks);
        writeln!(out, "{}", lang.fill("By risk: {0}", &[&risks]))?;
    }
    let mut besides = Vec::new();
    if read.older > 0 {
        besides.push(lang.fill("{0} older (--since)", &[&read.older]));
    }
    if read.moved > 0 {
        besides.push(lang.fill("{0} began in other folders", &[&read.moved]));
    }
    if read.elsewhere > 0 {
        besides.push(lang.fill("{0} of other folders", &[&read.elsewhere]));
    }
    if audit.undated > 0 {
        besides.push(lang.fill("{0} without a time, counted", &[&audit.undated]));
    }
    if audit.calls_left_out > 0 {
        let calls = lang.plural(audit.calls_left_out, "call");
        besides.push(lang.fill("{0} not ranked", &[&calls]));
    }
    if !besides.is_empty() {
        let besides = besides.join(lang.say("; "));
        wrapped(out, &lang.fill("Besides: {0}", &[&besides]))?;
    }
    Ok(())
}

fn rejections(audit: &Audit, lang: Lang, out: &mut dyn Write) -> io::Result<()> {
    let r = audit.rejections;
    let all = r.by_human + r.by_policy + r.by_text;
    if all + r.ran_all_the_same == 0 {
        return Ok(());
    }
    let mut parts = Vec::new();
    for (count, by) in [
        (r.by_human, "{0} by people"),
        (r.by_policy, "{0} by a policy, a hook or a guard"),
        (r.by_text, "{0} by a text only, which any tool can print"),
    ] {
        if count > 0 {
            parts.push(lang.fill(by, &[&count]));
        }
    }
    let (calls, parts) = (lang.plural(all, "call"), lang.list(&parts));
    writeln!(out)?;
    wrapped(out, &lang.fill("Rejected: {0} ({1})", &[&calls, &parts]))?;
    if r.ran_all_the_same > 0 {
        writeln!(
            out,
            "  {}",
            lang.fill(
                "{0} ran all the same: see below",
                &[&lang.plural(r.ran_all_the_same, "rejected call")]
            )
        )?;
    }
    Ok(())
}

fn notes(title: &str, notes: &Notes, lang: Lang, out: &mut dyn Write) -> io::Result<()> {
    if notes.count == 0 {
        return Ok(());
    }
    writeln!(out, "\n{}: {}", lang.say(title), notes.count)?;
    for note in notes.first.iter().take(LISTED) {
        line(out, &note.code, &note.message, "")?;
        writeln!(out, "          {}", spot(&note.at))?;
    }
    let listed = notes.first.len().min(LISTED) as u64;
    if notes.count > listed {
        let more = lang.fill("and {0} more", &[&(notes.count - listed)]);
        writeln!(out, "          {more}")?;
    }
    Ok(())
}

/// Returns the width of the page in columns.
fn width() -> usize {
    wrap::columns().map_or(WIDTH, |columns| columns.min(WIDTH))
}

/// Wraps a sentence to the width of the page.
fn wrapped(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let width = width();
    let mut line = String::new();
    for (spaced, part) in wrap::parts(text) {
        let gap = usize::from(spaced);
        if !line.is_empty() && line.width() + gap + part.width() > width {
            writeln!(out, "{line}")?;
            "  ".clone_into(&mut line);
        } else if spaced && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&part);
    }
    writeln!(out, "{line}")
}

/// Cuts a text to a number of columns. A `…` marks a cut.
fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if text.width() <= columns {
        return Cow::Borrowed(text);
    }
    let mut room = columns.saturating_sub(1);
    let fits = |c: &char| {
        let left = room.checked_sub(c.width().unwrap_or(0));
        room = left.unwrap_or(0);
        left.is_some()
    };
    Cow::Owned(text.chars().take_while(fits).chain(['…']).collect())
}

/// Writes a line of a list: a word, its subject, and the outcome at the right edge.
fn line(out: &mut dyn Write, word: &str, what: &str, ends: &str) -> io::Result<()> {
    let word = terminal(word);
    let what = terminal(what).replace('\n', " ");
    let pad = 7_usize.saturating_sub(word.width());
    let left = format!("  {word}{} ", " ".repeat(pad));
    let room = width()
        .saturating_sub(left.width() + ends.width() + 1)
        .max(20);
    let shown = cut(&what, room);
    if ends.is_empty() {
        return writeln!(out, "{left}{shown}");
    }
    let gap = room.saturating_sub(shown.width());
    writeln!(out, "{left}{shown}{} {ends}", " ".repeat(gap))
}

/// Formats a place, with `~` for the home directory.
fn spot(spot: &Spot) -> String {
    let home = home_dir();
    let below = home
        .as_deref()
        .and_then(|home| Path::new(&spot.file).strip_prefix(home).ok())
        .map(|below| format!("~/{}", below.display()));
    let file = below.unwrap_or_else(|| spot.file.clone());
    format!("{}:{}", terminal(&file), spot.line)
}

/// Returns the same content as JSON.
pub(super) fn json(read: &Read, other: Option<&OtherDecisions>) -> Value {
    let mut value = json!({
        "audit": read.audit,
        "files": read.file_count,
        "unopened": read.unopened,
        "older": read.older,
        "elsewhere": read.elsewhere,
        "movedHere": read.moved,
    });
    if let (Some(other), Some(object)) = (other, value.as_object_mut()) {
        let groups: Vec<Value> = other
            .groups
            .iter()
            .map(|group| {
                let first = group.first.as_ref();
                json!({
                    "decision": group.decision,
                    "rule": group.rule,
                    "reason": group.reason,
                    "count": group.count,
                    "first": first.map(|(file, line, what)| {
                        json!({ "file": file, "line": line, "what": what })
                    }),
                })
            })
            .collect();
        object.insert(
            "policy".to_owned(),
            json!({ "asked": other.asked, "otherDecisions": groups }),
        );
    }
    value
}
