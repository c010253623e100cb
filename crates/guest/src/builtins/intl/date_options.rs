//! Options of `Intl.DateTimeFormat`.

use super::options::Options;
use crate::throw::{JsResult, hand_over, throw_range_error, throw_type_error};
use crate::value::Value;

/// A field's width: "numeric", "2-digit", "short", "long"; `None`: it is not shown.
pub type Width = Option<&'static str>;

/// The options.
#[derive(Clone, Copy, Default)]
pub struct DateOptions {
    /// Day of the week.
    pub weekday: Width,
    /// Year.
    pub year: Width,
    /// Month.
    pub month: Width,
    /// Day of the month.
    pub day: Width,
    /// Hour.
    pub hour: Width,
    /// Minute.
    pub minute: Width,
    /// Second.
    pub second: Width,
    /// Digits of the second's fraction, 0 to 3.
    pub fraction: u32,
    /// Name of the time zone.
    pub zone: Width,
    /// Hours count to 24.
    pub is_24_hours: bool,
    /// Styles that were asked for instead of fields.
    pub styles: [Width; 2],
}

/// Fields that must be there, or else are added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// Those of the date.
    Date,
    /// Those of the time.
    Time,
    /// All.
    All,
}

impl DateOptions {
    /// Reads them: if no field of `required` is asked for, those of `defaults` are shown.
    pub fn read(value: Value, owner: &'static str, required: Fields, defaults: Fields) -> JsResult<DateOptions> {
        let options = Options::new(value, owner)?;
        options.refuse(&["calendar", "numberingSystem", "era", "dayPeriod"])?;
        let hour12 = options.boolean("hour12")?;
        let cycle = options.one_of("hourCycle", &["h11", "h12", "h23", "h24"])?;
        read_time_zone(options)?;
        let is_24_hours = match hour12 {
            Some(hour12) => !hour12,
            None => matches!(cycle, Some("h23" | "h24")),
        };
        let mut read = DateOptions { is_24_hours, ..DateOptions::default() };
        if hour12.is_none() && matches!(cycle, Some("h11" | "h24")) {
            hand_over("hour cycles h11 and h24");
        }
        const DIGITS: &[&str] = &["2-digit", "numeric"];
        let texts = ["narrow", "short", "long"];
        read.weekday = options.one_of("weekday", &texts)?;
        read.year = options.one_of("year", DIGITS)?;
        read.month = options.one_of("month", &["2-digit", "numeric", "narrow", "short", "long"])?;
        read.day = options.one_of("day", DIGITS)?;
        read.hour = options.one_of("hour", DIGITS)?;
        read.minute = options.one_of("minute", DIGITS)?;
        read.second = options.one_of("second", DIGITS)?;
        read.fraction = options.integer("fractionalSecondDigits", 1, 3)?.unwrap_or(0);
        let zones = ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"];
        read.zone = options.one_of("timeZoneName", &zones)?;
        let styles = ["full", "long", "medium", "short"];
        read.styles = [options.one_of("dateStyle", &styles)?, options.one_of("timeStyle", &styles)?];
        if read.weekday == Some("narrow")
            || read.month == Some("narrow")
            || read.zone.is_some_and(|zone| zone.len() > 5)
        {
            hand_over("this style of Intl.DateTimeFormat");
        }
        if read.styles != [None; 2] {
            return read.with_styles(required);
        }
        read.complete(required, defaults);
        Ok(read)
    }

    fn has_date(&self) -> bool {
        self.weekday.is_some() || self.year.is_some() || self.month.is_some() || self.day.is_some()
    }

    fn has_time(&self) -> bool {
        self.hour.is_some() || self.minute.is_some() || self.second.is_some() || self.fraction > 0
    }

    fn complete(&mut self, required: Fields, defaults: Fields) {
        let found = match required {
            Fields::Date => self.has_date(),
            Fields::Time => self.has_time(),
            Fields::All => self.has_date() || self.has_time(),
        };
        if found {
            return;
        }
        let numeric = Some("numeric");
        if defaults != Fields::Time {
            (self.year, self.month, self.day) = (numeric, numeric, numeric);
        }
        if defaults != Fields::Date {
            (self.hour, self.minute, self.second) = (numeric, numeric, numeric);
        }
    }

    /// The fields that the styles stand for.
    fn with_styles(mut self, required: Fields) -> JsResult<DateOptions> {
        let [date, time] = self.styles;
        if self.has_date() || self.has_time() || self.zone.is_some() {
            return Err(throw_type_error("Invalid option : option"));
        }
        if required == Fields::Date && time.is_some() || required == Fields::Time && date.is_some() {
            let style = if required == Fields::Date { "timeStyle" } else { "dateStyle" };
            return Err(throw_type_error(format!("Invalid option : {style}")));
        }
        if let Some(style) = date {
            self.weekday = (style == "full").then_some("long");
            self.year = Some(if style == "short" { "2-digit" } else { "numeric" });
            self.month = Some(match style {
                "full" | "long" => "long",
                "medium" => "short",
                _ => "numeric",
            });
            self.day = Some("numeric");
        }
        if let Some(style) = time {
            (self.hour, self.minute) = (Some("numeric"), Some("2-digit"));
            self.second = (style != "short").then_some("2-digit");
            self.zone = match style {
                "full" => Some("long"),
                "long" => Some("short"),
                _ => None,
            };
        }
        Ok(self)
    }
}

/// UTC under one of its names, or the execution is handed over.
fn read_time_zone(options: Options) -> JsResult<()> {
    let Some(zone) = super::text(options.get("timeZone")?)? else { return Ok(()) };
    let is_plausible = zone.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_+-:".contains(&byte));
    match zone.to_ascii_uppercase().as_str() {
        "UTC" | "GMT" | "ETC/UTC" | "ETC/GMT" | "UCT" | "ZULU" => Ok(()),
        _ if zone.is_empty() || !is_plausible => Err(throw_range_error(format!("Invalid time zone specified: {zone}"))),
        _ => hand_over("time zones other than UTC"),
    }
}
