//! The Gregorian calendar in UTC.

const MINUTES_OF_A_DAY: i64 = 1_440;

/// A minute of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minute {
    /// 1970 to 9999.
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
    /// 0 (Sunday) to 6.
    pub weekday: u32,
    /// 0 to 23.
    pub hour: u32,
    /// 0 to 59.
    pub minute: u32,
}

impl Minute {
    /// The minute that begins this many minutes after the epoch.
    ///
    /// Days become dates by eras of 400 years that begin in March, see Howard Hinnant, "chrono-compatible low-level date
    /// algorithms".
    pub fn of(minutes: i64) -> Self {
        let days = minutes.div_euclid(MINUTES_OF_A_DAY);
        let within_day = minutes.rem_euclid(MINUTES_OF_A_DAY) as u32;
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * shifted_month + 2) / 5 + 1) as u32;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 } as u32;
        Self {
            year: year_of_era + 400 * era + i64::from(month <= 2),
            month,
            day,
            weekday: (days + 4).rem_euclid(7) as u32,
            hour: within_day / 60,
            minute: within_day % 60,
        }
    }

    /// Minutes until the next day begins.
    pub fn until_next_day(&self) -> i64 {
        MINUTES_OF_A_DAY - i64::from(self.hour * 60 + self.minute)
    }

    /// Minutes until the next hour begins.
    pub fn until_next_hour(&self) -> i64 {
        60 - i64::from(self.minute)
    }
}
