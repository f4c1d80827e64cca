//! Parsing and formatting of the date-times in records.

/// Parses an RFC 3339 date-time (section 5.6) into milliseconds since the epoch. A leap second
/// equals the second before it.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    parse_rfc3339_with_unit(text).map(|(millis, _)| millis)
}

/// Like [`parse_rfc3339`], with the unit of the last digit in milliseconds: 1000 without a
/// fraction, 1 for three or more digits.
#[must_use]
pub fn parse_rfc3339_with_unit(text: &str) -> Option<(i64, i64)> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = bytes.get(from..to)?;
        digits.iter().try_fold(0i64, |n, b| {
            b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0'))
        })
    };
    let literal =
        |at: usize, allowed: &[u8]| bytes.get(at).filter(|b| allowed.contains(b)).copied();
    literal(4, b"-")?;
    literal(7, b"-")?;
    literal(10, b"Tt")?;
    literal(13, b":")?;
    literal(16, b":")?;
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut at = 19;
    let (mut millis, mut unit) = (0, 1000);
    if literal(at, b".").is_some() {
        let digits = bytes
            .get(at + 1..)?
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        if digits == 0 {
            return None;
        }
        for n in 0..3 {
            millis = millis * 10
                + if n < digits {
                    number(at + 1 + n, at + 2 + n)?
                } else {
                    0
                };
        }
        unit = [100, 10].get(digits - 1).copied().unwrap_or(1);
        at += 1 + digits;
    }
    let offset = match literal(at, b"Zz+-")? {
        b'Z' | b'z' => {
            at += 1;
            0
        }
        sign => {
            literal(at + 3, b":")?;
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            at += 6;
            (hours * 60 + minutes) * if sign == b'-' { -1 } else { 1 }
        }
    };
    if at != bytes.len() {
        return None;
    }
    let seconds = days_from_civil(year, month, day) * 86_400
        + hour * 3600
        + (minute - offset) * 60
        + second.min(59);
    Some((seconds * 1000 + millis, unit))
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days since 1970-01-01 in the proleptic Gregorian calendar (Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms").
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Formats a time as `2026-01-31 10:20`, UTC. Years with more than four digits are written in full.
#[must_use]
pub fn format_minute(millis: i64) -> String {
    let minutes = millis.div_euclid(60_000);
    let (days, minute) = (minutes.div_euclid(1440), minutes.rem_euclid(1440));
    // The inverse of `days_from_civil`, from the same source.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_shifted + 2) / 5 + 1;
    let month = if month_shifted < 10 {
        month_shifted + 3
    } else {
        month_shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}",
        minute / 60,
        minute % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn minutes_are_read_back(minute in -1_000_000_000i64..10_000_000_000) {
            let (millis, text) = (minute * 60_000, format_minute(minute * 60_000));
            if let Some(back) = parse_rfc3339(&format!("{}:00Z", text.replace(' ', "T"))) {
                prop_assert_eq!(back, millis);
            } else {
                prop_assert!(!(0..253_402_300_800_000).contains(&millis), "{}", text);
            }
        }

        #[test]
        fn any_time_is_written(millis: i64) {
            prop_assert!(format_minute(millis).len() >= 16);
        }

        #[test]
        fn no_text_panics(text in "[0-9TtZz:.+\\-]{0,30}") {
            let _ = parse_rfc3339(&text);
        }

        #[test]
        fn days_follow_each_other(day in 0i64..1_000_000) {
            // Counts days from the epoch in another way: month by month.
            let (mut year, mut month, mut left) = (1970, 1, day % 40_000);
            while left >= days_in_month(year, month) {
                left -= days_in_month(year, month);
                (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            }
            prop_assert_eq!(days_from_civil(year, month, left + 1), day % 40_000);
        }
    }
}
