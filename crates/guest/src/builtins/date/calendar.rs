//! The proleptic Gregorian calendar on time values: milliseconds since 1970-01-01 UTC (ECMA-262 §21.4.1). The local
//! time zone is UTC.

/// Milliseconds of a day.
pub const DAY: f64 = 86_400_000.0;

/// A time value taken apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fields {
    /// Astronomical year.
    pub year: f64,
    /// 0–11.
    pub month: f64,
    /// 1–31.
    pub day: f64,
    /// 0–23.
    pub hour: f64,
    /// 0–59.
    pub minute: f64,
    /// 0–59.
    pub second: f64,
    /// 0–999.
    pub millisecond: f64,
    /// 0 (Sunday) to 6.
    pub weekday: f64,
}

/// Days from 1970-01-01 to the first of March-based era arithmetic's civil date (Howard Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms").
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Fields of a time value that is no NaN.
pub fn fields(time: f64) -> Fields {
    let time = time as i64;
    let days = time.div_euclid(86_400_000);
    let rest = time.rem_euclid(86_400_000);
    let (year, month, day) = civil_from_days(days);
    Fields {
        year: year as f64,
        month: (month - 1) as f64,
        day: day as f64,
        hour: (rest / 3_600_000) as f64,
        minute: (rest / 60_000 % 60) as f64,
        second: (rest / 1000 % 60) as f64,
        millisecond: (rest % 1000) as f64,
        weekday: (days + 4).rem_euclid(7) as f64,
    }
}

/// MakeDay: month may lie outside 0–11 and day outside the month; NaN when an argument is not finite or far out of range.
pub fn make_day(year: f64, month: f64, day: f64) -> f64 {
    if !(year.is_finite() && month.is_finite() && day.is_finite()) {
        return f64::NAN;
    }
    let (year, month, day) = (year.trunc(), month.trunc(), day.trunc());
    let year = year + (month / 12.0).floor();
    if year.abs() > 400_000.0 || month.abs() > 1e9 {
        return f64::NAN;
    }
    days_from_civil(year as i64, (month as i64).rem_euclid(12) + 1, 1) as f64 + day - 1.0
}

/// MakeTime.
pub fn make_time(hour: f64, minute: f64, second: f64, millisecond: f64) -> f64 {
    if !(hour.is_finite() && minute.is_finite() && second.is_finite() && millisecond.is_finite()) {
        return f64::NAN;
    }
    hour.trunc() * 3_600_000.0 + minute.trunc() * 60_000.0 + second.trunc() * 1000.0 + millisecond.trunc()
}

/// MakeDate.
pub fn make_date(day: f64, time: f64) -> f64 {
    let date = day * DAY + time;
    if date.is_finite() { date } else { f64::NAN }
}

/// TimeClip: NaN outside ±100,000,000 days; no −0.
pub fn time_clip(time: f64) -> f64 {
    if time.abs() <= 8.64e15 { time.trunc() + 0.0 } else { f64::NAN }
}

/// Two-digit years of the constructor mean 1900–1999.
pub fn full_year(year: f64) -> f64 {
    let whole = year.trunc();
    if (0.0..=99.0).contains(&whole) { 1900.0 + whole } else { year }
}
