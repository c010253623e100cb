//! Options of `Intl.NumberFormat`.

use super::options::Options;
use crate::throw::{JsResult, hand_over, throw_range_error, throw_type_error};
use crate::value::Value;

/// What a number is shown as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A plain number.
    Decimal,
    /// Hundredths.
    Percent,
    /// An amount in this currency, and how the currency is shown.
    Currency([u8; 3], &'static str),
}

/// How many digits are shown.
#[derive(Clone, Copy)]
pub enum Rounding {
    /// At least and at most so many after the decimal point.
    Fraction(u32, u32),
    /// At least and at most so many significant ones.
    Significant(u32, u32),
    /// Two significant ones, but no digit before the decimal point is lost.
    Compact,
}

/// The options.
#[derive(Clone, Copy)]
pub struct NumberOptions {
    /// See [`Style`].
    pub style: Style,
    /// Negative amounts stand in brackets.
    pub accounting: bool,
    /// `None`: all digits; else "short" or "long" words for thousands, millions, …
    pub compact: Option<&'static str>,
    /// "always", "auto", "min2" or "false".
    pub grouping: &'static str,
    /// Least digits before the decimal point.
    pub min_integer: u32,
    /// See [`Rounding`].
    pub rounding: Rounding,
    /// When signs are shown.
    pub sign: &'static str,
}

const MAX_FRACTION: u32 = 100;

/// Digits after the decimal point of a currency (ISO 4217).
fn currency_digits(code: [u8; 3]) -> u32 {
    match &code {
        b"BIF" | b"CLP" | b"DJF" | b"GNF" | b"ISK" | b"JPY" | b"KMF" | b"KRW" | b"PYG" | b"RWF" | b"UGX" | b"UYI"
        | b"VND" | b"VUV" | b"XAF" | b"XOF" | b"XPF" => 0,
        b"BHD" | b"IQD" | b"JOD" | b"KWD" | b"LYD" | b"OMR" | b"TND" => 3,
        b"CLF" | b"UYW" => 4,
        _ => 2,
    }
}

impl NumberOptions {
    /// Reads them.
    pub fn read(value: Value, owner: &'static str) -> JsResult<NumberOptions> {
        let options = Options::new(value, owner)?;
        options.refuse(&["numberingSystem"])?;
        let style = read_style(options)?;
        let accounting = options.one_of("currencySign", &["standard", "accounting"])? == Some("accounting");
        let notation = options.one_of("notation", &["standard", "scientific", "engineering", "compact"])?;
        if matches!(notation, Some("scientific" | "engineering")) {
            hand_over("scientific notation of Intl.NumberFormat");
        }
        let is_compact = notation == Some("compact");
        let min_integer = options.integer("minimumIntegerDigits", 1, 21)?.unwrap_or(1);
        let rounding = read_rounding(options, style, is_compact)?;
        let compact = options.one_of("compactDisplay", &["short", "long"])?.unwrap_or("short");
        let grouping = read_grouping(options, is_compact)?;
        let signs = ["auto", "never", "always", "exceptZero", "negative"];
        let sign = options.one_of("signDisplay", &signs)?.unwrap_or("auto");
        Ok(NumberOptions {
            style,
            accounting: accounting && matches!(style, Style::Currency(..)),
            compact: is_compact.then_some(compact),
            grouping,
            min_integer,
            rounding,
            sign,
        })
    }

    /// `style` as text.
    pub fn style_name(&self) -> &'static str {
        match self.style {
            Style::Decimal => "decimal",
            Style::Percent => "percent",
            Style::Currency(..) => "currency",
        }
    }
}

fn read_style(options: Options) -> JsResult<Style> {
    let style = options.one_of("style", &["decimal", "percent", "currency", "unit"])?.unwrap_or("decimal");
    let currency = super::text(options.get("currency")?)?;
    let code = match &currency {
        Some(text) => match <[u8; 3]>::try_from(text.to_ascii_uppercase().as_bytes()) {
            Ok(code) if code.iter().all(u8::is_ascii_uppercase) => Some(code),
            _ => return Err(throw_range_error(format!("Invalid currency code : {text}"))),
        },
        None => None,
    };
    let displays = ["code", "symbol", "narrowSymbol", "name"];
    let display = options.one_of("currencyDisplay", &displays)?.unwrap_or("symbol");
    match (style, code) {
        ("currency", None) => Err(throw_type_error("Currency code is required with currency style.")),
        ("currency", Some(_)) if display == "name" => hand_over("names of currencies"),
        ("currency", Some(code)) => Ok(Style::Currency(code, display)),
        ("unit", _) => hand_over("units of Intl.NumberFormat"),
        ("percent", _) => Ok(Style::Percent),
        _ => Ok(Style::Decimal),
    }
}

/// SetNumberFormatDigitOptions, without the rounding that is new since ES2023.
fn read_rounding(options: Options, style: Style, is_compact: bool) -> JsResult<Rounding> {
    if options.integer("roundingIncrement", 1, 5000)?.unwrap_or(1) != 1
        || super::text(options.get("roundingMode")?)?.is_some_and(|mode| mode != "halfExpand")
        || super::text(options.get("roundingPriority")?)?.is_some_and(|priority| priority != "auto")
        || super::text(options.get("trailingZeroDisplay")?)?.is_some_and(|display| display != "auto")
    {
        hand_over("this rounding of Intl.NumberFormat");
    }
    let (min, max) = ("minimumSignificantDigits", "maximumSignificantDigits");
    if options.has(min)? || options.has(max)? {
        let least = options.integer(min, 1, 21)?.unwrap_or(1);
        let most = options.integer(max, least, 21)?.unwrap_or(21);
        return Ok(Rounding::Significant(least, most));
    }
    let (min, max) = ("minimumFractionDigits", "maximumFractionDigits");
    let (least, most) = (options.integer(min, 0, MAX_FRACTION)?, options.integer(max, 0, MAX_FRACTION)?);
    let (default_least, default_most) = match style {
        _ if is_compact && least.is_none() && most.is_none() => return Ok(Rounding::Compact),
        Style::Currency(code, _) => (currency_digits(code), currency_digits(code)),
        Style::Percent => (0, 0),
        Style::Decimal => (0, 3),
    };
    match (least, most) {
        (Some(least), Some(most)) if least > most => Err(throw_range_error(format!("{max} value is out of range."))),
        (Some(least), most) => Ok(Rounding::Fraction(least, most.unwrap_or(default_most.max(least)))),
        (None, most) => {
            let most = most.unwrap_or(default_most);
            Ok(Rounding::Fraction(default_least.min(most), most))
        }
    }
}

fn read_grouping(options: Options, is_compact: bool) -> JsResult<&'static str> {
    let default = if is_compact { "min2" } else { "auto" };
    let value = options.get("useGrouping")?;
    match value {
        _ if value.is_undefined() => Ok(default),
        Value::TRUE => Ok("always"),
        _ if !crate::convert::to_boolean(value) => Ok("false"),
        _ if matches!(super::text(value)?.as_deref(), Some("true" | "false")) => Ok(default),
        _ => Ok(options.one_of("useGrouping", &["min2", "auto", "always"])?.unwrap_or(default)),
    }
}
