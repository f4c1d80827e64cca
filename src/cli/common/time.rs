//! Times on the command line.

use crate::config::day_end;

/// Parses a date or an RFC 3339 timestamp to milliseconds since the Unix epoch.
pub(in crate::cli) fn parse_time(text: &str) -> Result<i64, String> {
    let day = day_end(text).map(|end| end - 86_400_000);
    day.or_else(|| util::time::parse_rfc3339(text))
        .ok_or_else(|| "expected 2027-01-31 or RFC 3339".to_owned())
}
