//! Cron expressions: minute, hour, day of the month, month and day of the week, in UTC.
//!
//! The syntax is that of crontab(5): `*`, numbers, ranges, lists, steps, and the names of months and days.

use super::calendar::Minute;

/// Minutes that an expression selects. Each set has one bit for each number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expression {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether a day has to be in both of `days` and `weekdays`: one of them is all. Otherwise one is enough.
    both_days: bool,
}

/// A text that is no cron expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no cron expression: {reason}. Write minute, hour, day of the month, month and day of the week, for example \"0 12 * * 1-5\"."
)]
pub struct InvalidExpression {
    text: String,
    reason: &'static str,
}

/// Longest time to the next match: from one 29 February to the next, over a year like 2100 without one.
const LONGEST_GAP_MINUTES: i64 = 9 * 366 * 1_440;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Numbers that a field takes, and names that stand for those from `low` on.
struct Field {
    low: u32,
    high: u32,
    names: &'static [&'static str],
}

impl std::str::FromStr for Expression {
    type Err = InvalidExpression;

    fn from_str(text: &str) -> Result<Self, InvalidExpression> {
        let invalid = |reason| InvalidExpression { text: text.chars().take(200).collect(), reason };
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else { return Err(invalid("it needs five fields")) };
        let set = |text: &str, low, high, names| Field { low, high, names }.set(text).map_err(invalid);
        // Sunday is 0 and 7.
        let weekdays = set(weekday, 0, 7, &WEEKDAYS)?;
        let expression = Self {
            minutes: set(minute, 0, 59, &[])?,
            hours: set(hour, 0, 23, &[])?,
            days: set(day, 1, 31, &[])?,
            months: set(month, 1, 12, &MONTHS)?,
            weekdays: (weekdays | (weekdays >> 7)) & 0x7f,
            both_days: day.starts_with(['*', '?']) || weekday.starts_with(['*', '?']),
        };
        // Some expressions, as for 30 February, select nothing.
        expression.after(0).map(|_| expression).ok_or_else(|| invalid("there is no such day"))
    }
}

impl Field {
    fn set(&self, text: &str) -> Result<u64, &'static str> {
        text.split(',').try_fold(0, |set, part| Ok(set | self.part(part)?))
    }

    fn part(&self, text: &str) -> Result<u64, &'static str> {
        let (range, step) = match text.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<u32>().map_err(|_| "a step is a number")?)),
            None => (text, None),
        };
        if step == Some(0) {
            return Err("a step is at least 1");
        }
        let (first, last) = match range.split_once('-') {
            _ if matches!(range, "*" | "?") => (self.low, self.high),
            Some((first, last)) => (self.number(first)?, self.number(last)?),
            // A step goes on to the end.
            None => (self.number(range)?, if step.is_some() { self.high } else { self.number(range)? }),
        };
        if first > last {
            return Err("a range begins with the smaller number");
        }
        Ok((first..=last).step_by(step.unwrap_or(1) as usize).fold(0, |set, number| set | (1 << number)))
    }

    fn number(&self, text: &str) -> Result<u32, &'static str> {
        let named = self.names.iter().position(|name| name.eq_ignore_ascii_case(text));
        let number = match named {
            Some(position) => self.low + position as u32,
            None => text.parse().map_err(|_| "a field has numbers, ranges, lists and steps")?,
        };
        if (self.low..=self.high).contains(&number) { Ok(number) } else { Err("a number is too small or too large") }
    }
}

impl Expression {
    /// A minute of every hour (`None`: all of them), of every day and so on, as the specifications of npm's `crons` name them.
    pub fn of(minute: u32, hour: Option<u32>, day: Option<u32>, weekday: Option<u32>) -> Self {
        let one = |number: Option<u32>| number.map_or(u64::MAX, |number| 1 << number);
        Self {
            minutes: one(Some(minute)),
            hours: one(hour),
            days: one(day),
            months: u64::MAX,
            weekdays: one(weekday),
            both_days: true,
        }
    }

    /// The first selected minute after `minutes`, both in minutes since the epoch; `None` if there is none for years.
    pub fn after(&self, minutes: i64) -> Option<i64> {
        let mut at = minutes + 1;
        while at <= minutes + LONGEST_GAP_MINUTES {
            let time = Minute::of(at);
            if !self.selects_day(&time) {
                at += time.until_next_day();
            } else if !has(self.hours, time.hour) {
                at += time.until_next_hour();
            } else if !has(self.minutes, time.minute) {
                at += 1;
            } else {
                return Some(at);
            }
        }
        None
    }

    fn selects_day(&self, time: &Minute) -> bool {
        let (day, weekday) = (has(self.days, time.day), has(self.weekdays, time.weekday));
        has(self.months, time.month) && if self.both_days { day && weekday } else { day || weekday }
    }
}

fn has(set: u64, number: u32) -> bool {
    (set >> number) & 1 == 1
}
