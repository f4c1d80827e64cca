//! Workflow commands of GitHub Actions, which it shows as annotations.
//!
//! The runner accepts 10 errors, 10 warnings and 10 notices per step and silently drops the rest.
//! So the most severe findings are written, and a last notice counts the others.

use super::{Run, terminal, words};
use crate::diag::{Finding, Severity};
use std::io::{self, Write};

/// Maximum number of annotations per level and step.
const PER_LEVEL: usize = 10;
/// Maximum number of characters of a message. The runner truncates title and message at about 4
/// KiB.
const MESSAGE: usize = 1000;

/// Writes the annotations, followed by an ordinary line with the counts.
pub(super) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let all = run.report.findings.len() as u64 + run.report.counts.left_out;
    let of = |severity| {
        run.report
            .findings
            .iter()
            .filter(move |f| f.severity == severity)
    };
    let fits = run.report.counts.left_out == 0
        && [Severity::Error, Severity::Warning, Severity::Note]
            .into_iter()
            .all(|s| of(s).count() <= PER_LEVEL);
    let mut printed = 0;
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        // The line that counts the omitted findings is a notice, too.
        let room = if severity == Severity::Note && !fits {
            PER_LEVEL - 1
        } else {
            PER_LEVEL
        };
        let room = if severity == Severity::Note && run.outcome.sentence().is_some() {
            room - 1
        } else {
            room
        };
        let room = if severity == Severity::Warning && run.unenforced().is_some() {
            room - 1
        } else {
            room
        };
        for finding in of(severity).take(room) {
            annotation(run, finding, out)?;
            printed += 1;
        }
    }
    if let Some(unenforced) = run.unenforced() {
        writeln!(out, "::warning title=yuangs-verify::{}", data(&unenforced))?;
    }
    if let Some(sentence) = run.outcome.sentence() {
        writeln!(out, "::notice title=yuangs-verify::{}", data(sentence))?;
    }
    if all > printed {
        let more = words::plural(all - printed, "more finding");
        writeln!(
            out,
            "::notice title=yuangs-verify::{} not annotated here; the other reports list them",
            data(&more)
        )?;
    }
    for notice in &run.report.notices {
        writeln!(out, "note: {}", data(notice))?;
    }
    writeln!(
        out,
        "{}: {}",
        words::verified_counts(run.report, run.text),
        words::finding_counts(run.report, run.text)
    )
}

fn annotation(run: &Run<'_>, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = &finding.place;
    write!(out, "::{level} file={}", property(&run.path(&place.file)))?;
    if place.line > 0 {
        write!(out, ",line={}", place.line)?;
        if let Some((start, end)) = place.characters() {
            write!(out, ",col={start},endColumn={end}")?;
        }
    }
    let title = format!("{} {}", finding.code, finding.name);
    let execution = finding
        .execution
        .as_deref()
        .map(|id| format!(" (execution {})", words::clip(id, 100)))
        .unwrap_or_default();
    let message = format!("{}{execution}", words::clip(&finding.message, MESSAGE));
    writeln!(out, ",title={}::{}", property(&title), data(&message))
}

/// Escapes the message of a command. The runner decodes these escapes and no others.
fn data(text: &str) -> String {
    terminal(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property of a command, which would end at a comma or a double colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(data("a\r\n::error::x%0A"), "a\\r\\n::error::x%250A");
        assert_eq!(property("a,line=1::b%3A"), "a%2Cline=1%3A%3Ab%253A");
    }

    proptest! {
        #[test]
        fn a_property_stays_one_property(text in any::<String>()) {
            let safe = property(&text);
            prop_assert!(!safe.contains([',', ':', '\n', '\r']));
            prop_assert_eq!(safe.matches('%').count(), safe.matches("%25").count() + safe.matches("%3A").count() + safe.matches("%2C").count());
        }
    }
}
