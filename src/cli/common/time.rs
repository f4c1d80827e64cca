//! Times on the command line.

use crate::config::day_end;
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the current time in milliseconds since the Unix epoch; `None` if the clock is before it.
pub(in crate::cli) fn current_time() -> Option<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(now.as_millis()).ok()
}

/// Parses a date or an RFC 3339 timestamp to milliseconds since the Unix epoch.
pub(in crate::cli) fn parse_time(text: &str) -> Result<i64, String> {
    let day = day_end(text).map(|end| end - 86_400_000);
    day.or_else(|| util::time::parse_rfc3339(text))
        .ok_or_else(|| "expected 2027-01-31 or RFC 3339".to_owned())
}
