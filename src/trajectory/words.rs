//! The terms for actions, decisions and times that all outputs share.

use crate::report::Lang;
use crate::trace::record::CallOutcome;
use crate::verify::timeline::{CallEnd, Deed, Shown, Text, Turn, Verdict};
use governance::DecidedBy;
use governance::{RiskLevel, Ruling};

/// Formats a count with its noun.
#[must_use]
pub fn plural(count: u64, word: &str) -> String {
    if count == 1 {
        format!("1 {word}")
    } else {
        format!("{count} {word}s")
    }
}

/// Returns the first line of a text, truncated to `limit` characters. A `…` marks missing text.
#[must_use]
pub fn first_line(text: &Text, limit: usize) -> String {
    let mut lines = text.text.lines();
    let line = lines.next().unwrap_or_default();
    let short: String = line.chars().take(limit).collect();
    let whole = short.len() == line.len() && lines.next().is_none() && text.cut == 0;
    if whole { short } else { format!("{short}…") }
}

/// Maximum number of characters shown of a command.
pub(super) const COMMAND: usize = 100;
/// Prefix of a command.
pub(super) const PROMPT: &str = "$ ";

/// Describes an action briefly. Hostile.
#[must_use]
pub fn action(action: &Shown, lang: Lang) -> String {
    action_up_to(action, COMMAND, lang)
}

/// Formats an untruncated command line as [`action`] shows it.
pub(super) fn shown_command(line: &str) -> String {
    first_line(&Text::truncated(line, usize::MAX), COMMAND + PROMPT.len())
}

/// Describes an action briefly, with up to `command` characters of a command. Hostile.
pub(super) fn action_up_to(action: &Shown, command: usize, lang: Lang) -> String {
    let paths = action.paths.join(", ");
    match &action.deed {
        Deed::Command(text) => format!("{PROMPT}{}", first_line(text, command)),
        Deed::Diff(_) if paths.is_empty() => lang.say("diff").into(),
        Deed::Diff(_) => lang.fill("diff of {0}", &[&paths]),
        Deed::Tool { tool, .. } if paths.is_empty() => tool.clone(),
        Deed::Tool { tool, .. } => format!("{tool} {paths}"),
        Deed::Answer(_) => lang.say("answer").into(),
        Deed::Other { word, .. } => word.clone(),
    }
}

/// Returns the name of who decided.
#[must_use]
pub const fn by(by: DecidedBy) -> &'static str {
    match by {
        DecidedBy::Policy => "policy",
        DecidedBy::Human => "human",
    }
}

/// Describes a decision with its author. Hostile.
#[must_use]
pub fn decision(decision: &Verdict, lang: Lang) -> String {
    let who = match (decision.by, &decision.signer, &decision.rule) {
        (DecidedBy::Human, Some(signer), _) => lang.fill("a human, {0}", &[signer]),
        (DecidedBy::Human, None, _) => lang.say("a human who isn't named").into(),
        (DecidedBy::Policy, _, Some(rule)) => lang.fill("policy, rule {0}", &[rule]),
        (DecidedBy::Policy, _, None) => lang.say("policy, no rule named").into(),
    };
    lang.fill("{0} by {1}", &[&lang.say(decision.ruling.name()), &who])
}

/// Returns the milliseconds between a proposal and its decision.
#[must_use]
pub fn waited(turn: &Turn) -> Option<i64> {
    turn.decision.as_ref()?.time?.checked_sub(turn.proposed_at?)
}

/// Returns the risk of a turn's proposed action: the higher of the recorded and the effective risk.
#[must_use]
pub fn risk(turn: &Turn) -> Option<RiskLevel> {
    turn.judged_risk
        .max(turn.proposed.as_ref().and_then(|p| p.risk))
}

/// Returns what was decided about a turn's action, and by whom.
fn ruling(turn: &Turn) -> Option<(Ruling, DecidedBy)> {
    let decision = turn.decision.as_ref().map(|d| (d.ruling, d.by));
    decision.or_else(|| turn.call.as_ref()?.decided)
}

/// Returns the name of the decision about a turn's action.
#[must_use]
pub fn decided(turn: &Turn) -> &'static str {
    let by_text = |call: &CallEnd| call.outcome == CallOutcome::RejectedByText;
    match ruling(turn) {
        Some((ruling, _)) => ruling.name(),
        None if turn.call.as_ref().is_some_and(by_text) => Ruling::Rejected.name(),
        None => NOT_RECORDED,
    }
}

/// Returns the name of who decided about a turn's action.
#[must_use]
pub fn decided_by(turn: &Turn) -> &'static str {
    match ruling(turn).map(|(_, by)| by) {
        Some(DecidedBy::Human) => "human",
        Some(DecidedBy::Policy) => "policy",
        None => NOT_RECORDED,
    }
}

/// Returns the name of the outcome of a turn's action.
#[must_use]
pub fn outcome(turn: &Turn) -> &'static str {
    if let Some(call) = &turn.call {
        return match call.outcome {
            CallOutcome::Ok => "ok",
            CallOutcome::Error => "error",
            CallOutcome::Interrupted => "interrupted",
            CallOutcome::NotExecuted | CallOutcome::RejectedByText => "not-executed",
            CallOutcome::Unmatched | CallOutcome::Open => "unmatched",
            CallOutcome::NotRecorded => NOT_RECORDED,
        };
    }
    match TurnOutcome::from_turn(turn) {
        TurnOutcome::Succeeded => "ok",
        TurnOutcome::Failed => "error",
        TurnOutcome::Rejected => "not-executed",
        TurnOutcome::Open | TurnOutcome::None => NOT_RECORDED,
    }
}

/// The value for facts that a trace doesn't record.
const NOT_RECORDED: &str = "not-recorded";

/// The outcome of a turn's action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TurnOutcome {
    /// Nothing was proposed.
    None,
    /// The action was refused.
    Rejected,
    /// The action was executed, and the record reports success.
    Succeeded,
    /// The action was executed and failed.
    Failed,
    /// The action was allowed or nobody decided, and no result is recorded.
    Open,
}

impl TurnOutcome {
    /// Determines the outcome of a turn's action.
    #[must_use]
    pub fn from_turn(turn: &Turn) -> Self {
        match turn.call.as_ref().map(|call| call.outcome) {
            Some(CallOutcome::Unmatched | CallOutcome::Open | CallOutcome::NotRecorded) => {
                return Self::Open;
            }
            Some(CallOutcome::RejectedByText) => return Self::Rejected,
            _ => {}
        }
        match (&turn.result, &turn.decision, &turn.proposed) {
            (Some(result), _, _) if result.failed() => Self::Failed,
            (Some(_), _, _) => Self::Succeeded,
            (None, Some(decision), _) if decision.ruling == Ruling::Rejected => Self::Rejected,
            (None, Some(_), _) | (None, None, Some(_)) => Self::Open,
            (None, None, None) => Self::None,
        }
    }

    /// Returns the name for reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "nothing proposed",
            Self::Rejected => "refused",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Open => "no result recorded",
        }
    }
}

/// Formats a duration in milliseconds for people.
#[must_use]
pub fn duration(millis: i64) -> String {
    match millis {
        i64::MIN..=999 => format!("{millis} ms"),
        1_000..=119_999 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        120_000..=7_199_999 => format!("{} min", millis / 60_000),
        _ => format!("{} h", millis / 3_600_000),
    }
}

/// Formats milliseconds since the epoch as RFC 3339 in UTC. Outside the years 1 to 9999, returns
/// the number itself.
///
/// The date uses Howard Hinnant's `civil_from_days`, for the proleptic Gregorian calendar.
#[must_use]
pub fn moment(millis: i64) -> String {
    let (days, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    if !(-719_162..=2_932_896).contains(&days) {
        return format!("{millis} ms");
    }
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{:03}Z",
        rest % 1_000
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn moments_are_read_back(millis in -62_135_596_800_000_i64..253_402_300_799_999) {
            prop_assert_eq!(util::time::parse_rfc3339(&moment(millis)), Some(millis));
        }
    }

    #[test]
    fn times_are_said_briefly() {
        let said = [-5, 0, 999, 1_000, 8_412, 119_999, 120_000, 7_200_000].map(duration);
        assert_eq!(
            said,
            [
                "-5 ms", "0 ms", "999 ms", "1.0 s", "8.4 s", "119.9 s", "2 min", "2 h"
            ]
        );
    }

    #[test]
    fn what_is_cut_is_marked() {
        assert_eq!(first_line(&Text::truncated("ls", 10), 10), "ls");
        assert_eq!(first_line(&Text::truncated("ls -la", 10), 2), "ls…");
        assert_eq!(first_line(&Text::truncated("ls\nrm", 10), 9), "ls…");
        assert_eq!(first_line(&Text::truncated("lsrm", 2), 9), "ls…");
    }
}
