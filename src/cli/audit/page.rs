//! An audit as one screen of text, and as JSON.

use super::Read;
use crate::cli::policy::OtherDecisions;
use crate::report::terminal;
use crate::trajectory::audit::{Audit, Notes, Spot};
use crate::trajectory::words::{moment, plural};
use governance::RiskLevel;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::env::home_dir;
use std::io::{self, Write};
use std::path::Path;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns of a line.
const WIDTH: usize = 80;
/// Findings of a kind that are listed.
const LISTED: usize = 5;

/// The screen.
pub(super) fn text(
    read: &Read,
    other: Option<&OtherDecisions>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let audit = &read.audit;
    head(read, out)?;
    if !audit.riskiest.is_empty() {
        writeln!(out, "\nRiskiest actions")?;
        for action in &audit.riskiest {
            let ends = match (action.decision, action.outcome) {
                ("not-recorded", outcome) => outcome.to_owned(),
                (decision, outcome) => format!("{decision}, {outcome}"),
            };
            line(out, action.risk.name(), &action.what, &ends)?;
            writeln!(out, "          {}", spot(&action.at))?;
        }
    }
    rejections(audit, out)?;
    notes("Secrets", &audit.secrets, out)?;
    notes("Outside of the work tree", &audit.outside, out)?;
    notes("Also found", &audit.errors, out)?;
    if let Some(other) = other {
        writeln!(
            out,
            "\nThe policy was asked about {}, and would have decided otherwise:",
            plural(other.asked, "call")
        )?;
        if other.groups.is_empty() {
            writeln!(out, "  nothing")?;
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
                &format!("{} in all", group.count),
            )?;
            let reason = terminal(&group.reason);
            writeln!(out, "          {} ({})", reason, terminal(&group.rule))?;
            if let Some((file, at, _)) = &group.first {
                let first = Spot {
                    file: file.clone(),
                    line: *at,
                };
                writeln!(out, "          first: {}", spot(&first))?;
            }
        }
    }
    if !audit.not_recorded.is_empty() {
        let parts: Vec<String> = audit
            .not_recorded
            .iter()
            .map(|(part, count)| {
                if *count == audit.sessions() {
                    (*part).to_owned()
                } else {
                    format!("{part} (of {})", plural(*count, "session"))
                }
            })
            .collect();
        writeln!(out)?;
        wrapped(out, &format!("Not recorded: {}", parts.join("; ")))?;
    }
    Ok(())
}

fn head(read: &Read, out: &mut dyn Write) -> io::Result<()> {
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
    let mut line = plural(audit.sessions(), "session") + &of;
    if audit.sub_agents > 0 {
        line += &format!(", {} of sub-agents", audit.sub_agents);
    }
    line += &format!(", {}", plural(audit.calls, "call"));
    if let (Some(from), Some(to)) = (audit.from, audit.to) {
        let day = |time| moment(time).chars().take(10).collect::<String>();
        line += &match (day(from), day(to)) {
            (from, to) if from == to => format!(", {from}"),
            (from, to) => format!(", {from} to {to}"),
        };
    }
    wrapped(out, &line)?;
    let risks: Vec<String> = [RiskLevel::High, RiskLevel::Medium, RiskLevel::Low]
        .into_iter()
        .filter_map(|risk| Some(format!("{} {}", audit.risks.get(&risk)?, risk.name())))
        .collect();
    if !risks.is_empty() {
        writeln!(out, "By risk: {}", risks.join(", "))?;
    }
    let mut besides = Vec::new();
    if read.older > 0 {
        besides.push(format!("{} older (--since)", read.older));
    }
    if read.moved > 0 {
        besides.push(format!("{} began in other folders", read.moved));
    }
    if read.elsewhere > 0 {
        besides.push(format!("{} of other folders", read.elsewhere));
    }
    if audit.undated > 0 {
        besides.push(format!("{} without a time, counted", audit.undated));
    }
    if audit.calls_left_out > 0 {
        besides.push(format!(
            "{} not ranked",
            plural(audit.calls_left_out, "call")
        ));
    }
    if !besides.is_empty() {
        wrapped(out, &format!("Besides: {}", besides.join("; ")))?;
    }
    Ok(())
}

fn rejections(audit: &Audit, out: &mut dyn Write) -> io::Result<()> {
    let r = audit.rejections;
    let all = r.by_human + r.by_policy + r.by_text;
    if all + r.ran_all_the_same == 0 {
        return Ok(());
    }
    let mut parts = Vec::new();
    for (count, by) in [
        (r.by_human, "by people"),
        (r.by_policy, "by a policy, a hook or a guard"),
        (r.by_text, "by a text only, which any tool can print"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {by}"));
        }
    }
    let parts = parts.join(", ");
    writeln!(out)?;
    wrapped(out, &format!("Rejected: {} ({parts})", plural(all, "call")))?;
    if r.ran_all_the_same > 0 {
        writeln!(
            out,
            "  {} ran all the same: see below",
            plural(r.ran_all_the_same, "rejected call")
        )?;
    }
    Ok(())
}

fn notes(title: &str, notes: &Notes, out: &mut dyn Write) -> io::Result<()> {
    if notes.count == 0 {
        return Ok(());
    }
    writeln!(out, "\n{title}: {}", notes.count)?;
    for note in notes.first.iter().take(LISTED) {
        line(out, &note.code, &note.message, "")?;
        writeln!(out, "          {}", spot(&note.at))?;
    }
    let listed = notes.first.len().min(LISTED) as u64;
    if notes.count > listed {
        writeln!(out, "          and {} more", notes.count - listed)?;
    }
    Ok(())
}

/// A sentence in lines of the page.
fn wrapped(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.width() + 1 + word.width() > WIDTH {
            writeln!(out, "{line}")?;
            " ".clone_into(&mut line);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{line}")
}

/// A text in so many columns; what is missing leaves a `…`.
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

/// One line of a list: a word, what it is about, and how it ended at the right edge.
fn line(out: &mut dyn Write, word: &str, what: &str, ends: &str) -> io::Result<()> {
    let word = terminal(word);
    let what = terminal(what).replace('\n', " ");
    let left = format!("  {word:<7} ");
    let room = WIDTH
        .saturating_sub(left.width() + ends.width() + 1)
        .max(20);
    let shown = cut(&what, room);
    if ends.is_empty() {
        return writeln!(out, "{left}{shown}");
    }
    let gap = room.saturating_sub(shown.width());
    writeln!(out, "{left}{shown}{} {ends}", " ".repeat(gap))
}

/// A place, with a tilde for the home directory.
fn spot(spot: &Spot) -> String {
    let home = home_dir();
    let below = home
        .as_deref()
        .and_then(|home| Path::new(&spot.file).strip_prefix(home).ok())
        .map(|below| format!("~/{}", below.display()));
    let file = below.unwrap_or_else(|| spot.file.clone());
    format!("{}:{}", terminal(&file), spot.line)
}

/// The same for programs.
pub(super) fn json(read: &Read, other: Option<&OtherDecisions>) -> Value {
    let mut value = json!({
        "audit": read.audit,
        "files": read.files.len(),
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
