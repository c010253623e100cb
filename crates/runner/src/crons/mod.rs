//! Cron jobs: functions that run again and again, as `crons.ts` says.

mod calendar;
mod expression;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use expression::{Expression, InvalidExpression};

const MS_OF_A_MINUTE: f64 = 60_000.0;

/// When a cron job runs, in the words of npm's `crons.export()`. Times are in UTC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum CronSchedule {
    /// Every so often; one of the three.
    Interval {
        /// Its length in seconds,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<f64>,
        /// in minutes,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        minutes: Option<f64>,
        /// or in hours.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hours: Option<f64>,
    },
    /// Every hour, at this minute or some other.
    Hourly {
        /// 0 to 59.
        #[serde(rename = "minuteUTC", default, skip_serializing_if = "Option::is_none")]
        minute: Option<u32>,
    },
    /// Every day.
    Daily {
        /// 0 to 23.
        #[serde(rename = "hourUTC")]
        hour: u32,
        /// 0 to 59.
        #[serde(rename = "minuteUTC")]
        minute: u32,
    },
    /// Every week.
    Weekly {
        /// The day.
        day_of_week: Weekday,
        /// 0 to 23.
        #[serde(rename = "hourUTC")]
        hour: u32,
        /// 0 to 59.
        #[serde(rename = "minuteUTC")]
        minute: u32,
    },
    /// Every month that has this day.
    Monthly {
        /// 1 to 31.
        day: u32,
        /// 0 to 23.
        #[serde(rename = "hourUTC")]
        hour: u32,
        /// 0 to 59.
        #[serde(rename = "minuteUTC")]
        minute: u32,
    },
    /// As a cron expression says.
    Cron {
        /// See [`Expression`].
        cron: String,
    },
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Weekday {
    Sunday,
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
}

/// A schedule that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSchedule {
    /// The expression.
    #[error(transparent)]
    Expression(#[from] InvalidExpression),
    /// An interval.
    #[error("an interval is a whole number of seconds, minutes or hours that is larger than 0")]
    Interval,
    /// A time of day, or a day.
    #[error("a minute is between 0 and 59, an hour between 0 and 23, a day between 1 and 31")]
    OutOfRange,
}

impl CronSchedule {
    /// When a job runs for the first time, in milliseconds since the epoch.
    ///
    /// # Errors
    /// The schedule cannot be kept.
    pub fn first(&self, name: &str, now_ms: f64) -> Result<f64, InvalidSchedule> {
        match self.interval_ms()? {
            Some(_) => Ok(now_ms),
            None => self.next(name, now_ms, now_ms),
        }
    }

    /// When a job that was to run at `last_ms` runs again: not before `now_ms`, so what was missed is left out. Times are in
    /// milliseconds since the epoch; `name` decides about what is left to chance.
    ///
    /// # Errors
    /// The schedule cannot be kept.
    pub fn next(&self, name: &str, last_ms: f64, now_ms: f64) -> Result<f64, InvalidSchedule> {
        if let Some(interval) = self.interval_ms()? {
            let missed = ((now_ms - last_ms) / interval).floor().max(0.0);
            return Ok(last_ms + (missed + 1.0) * interval);
        }
        let splay_ms = chance(name, "splay") % (convex_wasm_knobs::CRON_SPLAY_SECONDS.get() * 1_000).max(1);
        let from = ((now_ms - splay_ms as f64) / MS_OF_A_MINUTE).floor() as i64;
        let minute = self.expression(name)?.after(from).ok_or(InvalidSchedule::OutOfRange)?;
        Ok(minute as f64 * MS_OF_A_MINUTE + splay_ms as f64)
    }

    fn interval_ms(&self) -> Result<Option<f64>, InvalidSchedule> {
        let Self::Interval { seconds, minutes, hours } = self else { return Ok(None) };
        let interval = match (seconds, minutes, hours) {
            (Some(seconds), None, None) => *seconds,
            (None, Some(minutes), None) => minutes * 60.0,
            (None, None, Some(hours)) => hours * 3_600.0,
            _ => return Err(InvalidSchedule::Interval),
        };
        let fine = interval >= 1.0 && interval.fract() == 0.0 && interval.is_finite();
        if fine { Ok(Some(interval * 1e3)) } else { Err(InvalidSchedule::Interval) }
    }

    fn expression(&self, name: &str) -> Result<Expression, InvalidSchedule> {
        let (minute, hour, day, weekday) = match self {
            Self::Cron { cron } => return Ok(cron.parse()?),
            Self::Interval { .. } => return Err(InvalidSchedule::Interval),
            Self::Hourly { minute } => (minute.unwrap_or((chance(name, "minute") % 60) as u32), None, None, None),
            Self::Daily { hour, minute } => (*minute, Some(*hour), None, None),
            Self::Weekly { day_of_week, hour, minute } => (*minute, Some(*hour), None, Some(*day_of_week as u32)),
            Self::Monthly { day, hour, minute } => (*minute, Some(*hour), Some(*day), None),
        };
        let fine = minute < 60 && hour.is_none_or(|hour| hour < 24) && day.is_none_or(|day| (1..=31).contains(&day));
        if fine { Ok(Expression::of(minute, hour, day, weekday)) } else { Err(InvalidSchedule::OutOfRange) }
    }
}

/// A number that depends only on a job's name, so that jobs do not all run at once and each keeps its time.
fn chance(name: &str, purpose: &str) -> u64 {
    let hash = Sha256::new().chain_update(purpose).chain_update([0]).chain_update(name).finalize();
    hash.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_767_268_800_000; // Thursday, 2026-01-01 12:00

    fn next(schedule: serde_json::Value, now_ms: f64) -> String {
        let schedule: CronSchedule = serde_json::from_value(schedule).unwrap();
        let next = schedule.next("job", now_ms, now_ms).unwrap();
        let minute = calendar::Minute::of((next / MS_OF_A_MINUTE) as i64);
        format!("{}-{:02}-{:02} {:02}:{:02}", minute.year, minute.month, minute.day, minute.hour, minute.minute)
    }

    #[test]
    fn every_kind_of_schedule_finds_its_next_time() {
        use serde_json::json;
        let daily = json!({ "type": "daily", "hourUTC": 3, "minuteUTC": 5 });
        let weekly = json!({ "type": "weekly", "dayOfWeek": "monday", "hourUTC": 1, "minuteUTC": 0 });
        let monthly = json!({ "type": "monthly", "day": 31, "hourUTC": 1, "minuteUTC": 0 });
        for (schedule, expected) in [
            (json!({ "type": "interval", "seconds": 30 }), "2026-01-01 12:00"),
            (json!({ "type": "interval", "minutes": 5 }), "2026-01-01 12:05"),
            (json!({ "type": "interval", "hours": 24 }), "2026-01-02 12:00"),
            (json!({ "type": "hourly", "minuteUTC": 7 }), "2026-01-01 12:07"),
            (daily, "2026-01-02 03:05"),
            (weekly, "2026-01-05 01:00"),
            (monthly, "2026-01-31 01:00"),
        ] {
            assert_eq!(next(schedule.clone(), NOON as f64), expected, "{schedule}");
        }
    }

    #[test]
    fn cron_expressions_mean_what_crontab_says() {
        for (cron, expected) in [
            ("* * * * *", "2026-01-01 12:01"),
            ("*/25 * * * *", "2026-01-01 12:25"),
            ("0 12 * * *", "2026-01-02 12:00"),
            ("0 0 29 2 *", "2028-02-29 00:00"),
            ("30 4 1,15 * 5", "2026-01-02 04:30"),
            ("0 9 * * MON-FRI", "2026-01-02 09:00"),
            ("0 9 * * 7", "2026-01-04 09:00"),
            ("15 10-12/2 * jun ?", "2026-06-01 10:15"),
            ("5/20 13 * * *", "2026-01-01 13:05"),
        ] {
            // Whatever chance adds, this minute's time is over.
            let now_ms = NOON as f64 + MS_OF_A_MINUTE - 1.0;
            assert_eq!(next(serde_json::json!({ "type": "cron", "cron": cron }), now_ms), expected, "{cron}");
        }
        for wrong in ["", "* * * *", "60 * * * *", "* * 0 * *", "*/0 * * * *", "5-1 * * * *", "x * * * *", "0 0 30 2 *"]
        {
            assert!(wrong.parse::<Expression>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_was_missed_is_left_out_and_the_rhythm_kept() {
        let every = CronSchedule::Interval { seconds: Some(10.0), minutes: None, hours: None };
        assert_eq!(every.next("job", 5_000.0, 5_100.0), Ok(15_000.0));
        assert_eq!(every.next("job", 5_000.0, 65_100.0), Ok(75_000.0));
        assert_eq!(every.first("job", 5_000.0), Ok(5_000.0));
        let never = CronSchedule::Interval { seconds: Some(0.0), minutes: None, hours: None };
        assert_eq!(never.first("job", 0.0), Err(InvalidSchedule::Interval));
    }

    #[test]
    fn jobs_with_a_time_of_day_are_spread_within_the_minute_and_keep_their_place() {
        let hourly = CronSchedule::Hourly { minute: None };
        let times: Vec<f64> = ["a", "b", "c"].map(|name| hourly.next(name, 0.0, NOON as f64).unwrap()).into();
        assert!(times.iter().all(|time| (NOON as f64..NOON as f64 + 3_660_000.0).contains(time)), "{times:?}");
        assert!(times[0] != times[1] && times[1] != times[2], "{times:?}");
        assert_eq!(hourly.next("a", times[0], times[0]), Ok(times[0] + 3_600_000.0));
    }
}
