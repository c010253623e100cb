//! `Intl.NumberFormat`, and `toLocaleString` of numbers and BigInts.

use super::decimal::Decimal;
use super::number_options::{NumberOptions, Rounding, Style};
use super::{
    IntlObject, Part, Service, bound, bound_method, class, create, described, joined, locale, parts_array, this,
};
use crate::builtin::{CallContext, methods, native, native_constructor};
use crate::cell::Gc;
use crate::convert::{Numeric, to_numeric};
use crate::object::Object;
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// Words for powers of a thousand: short and long.
const POWERS: [(&str, &str); 4] = [("K", "thousand"), ("M", "million"), ("B", "billion"), ("T", "trillion")];

pub(super) fn install(intl: Object) {
    let prototype = class(intl, "NumberFormat", native_constructor(construct));
    bound_method(prototype, "format", native(|cx| Ok(bound(number_format(cx, "format")?.0, 1, native(format)))));
    methods(
        prototype,
        &[("formatToParts", 1, native(format_to_parts)), ("resolvedOptions", 0, native(resolved_options))],
    );
}

fn number_format(cx: &CallContext, method: &str) -> JsResult<(Gc<IntlObject>, NumberOptions)> {
    this(cx, &format!("NumberFormat.prototype.{method}"), |service| match service {
        Service::Number(options) => Some(options),
        _ => None,
    })
}

fn construct(cx: &CallContext) -> JsResult {
    let locale = locale(cx.arg(0))?;
    let options = NumberOptions::read(cx.arg(1), "Intl.NumberFormat")?;
    create(cx, locale, Service::Number(options))
}

/// The bound function of `format`.
fn format(cx: &CallContext) -> JsResult {
    let Some(object) = cx.callee.home.get().as_kind::<IntlObject>() else { return Ok(Value::UNDEFINED) };
    let Service::Number(options) = object.service else { return Ok(Value::UNDEFINED) };
    Ok(joined(&parts_of(cx.arg(0), &options)?))
}

fn format_to_parts(cx: &CallContext) -> JsResult {
    let (_, options) = number_format(cx, "formatToParts")?;
    Ok(parts_array(&parts_of(cx.arg(0), &options)?))
}

/// `Number.prototype.toLocaleString`
pub fn number_to_locale_string(number: f64, locales: Value, options: Value) -> JsResult {
    locale(locales)?;
    let options = NumberOptions::read(options, "Number.prototype.toLocaleString")?;
    Ok(joined(&parts_of(number.into(), &options)?))
}

/// `BigInt.prototype.toLocaleString`
pub fn bigint_to_locale_string(bigint: Value, locales: Value, options: Value) -> JsResult {
    locale(locales)?;
    let options = NumberOptions::read(options, "BigInt.prototype.toLocaleString")?;
    Ok(joined(&parts_of(bigint, &options)?))
}

fn parts_of(value: Value, options: &NumberOptions) -> JsResult<Vec<Part>> {
    Ok(match to_numeric(value)? {
        Numeric::Number(number) if number.is_nan() => signed(options, false, true, vec![("nan", "NaN".into())]),
        Numeric::Number(number) if number.is_infinite() => {
            signed(options, number < 0.0, false, vec![("infinity", "∞".into())])
        }
        Numeric::Number(number) => decimal_parts(Decimal::from_f64(number), options),
        Numeric::BigInt(bigint) => {
            let text = bigint.value().to_string();
            decimal_parts(Decimal::parse(text.trim_start_matches('-'), text.starts_with('-')), options)
        }
    })
}

fn decimal_parts(mut decimal: Decimal, options: &NumberOptions) -> Vec<Part> {
    if options.style == Style::Percent {
        decimal.shift(2);
    }
    let mut power = 0;
    if options.compact.is_some() {
        power = (decimal.magnitude() - 1).div_euclid(3).clamp(0, POWERS.len() as i32);
        decimal.shift(-3 * power);
    }
    let mut fraction = round(&mut decimal, options);
    if options.compact.is_some() && decimal.magnitude() > 3 && power < POWERS.len() as i32 {
        // Rounding made a thousand of it.
        decimal.shift(-3);
        power += 1;
        fraction = round(&mut decimal, options);
    }
    let (whole, fraction) = decimal.text(options.min_integer, fraction);
    let mut parts = grouped(&whole, options.grouping);
    if !fraction.is_empty() {
        parts.push(("decimal", ".".into()));
        parts.push(("fraction", fraction));
    }
    if let (Some(display), Some((short, long))) =
        (options.compact, (power as usize).checked_sub(1).and_then(|index| POWERS.get(index)))
    {
        if display == "long" {
            parts.push(("literal", " ".into()));
        }
        parts.push(("compact", if display == "long" { *long } else { *short }.into()));
    }
    signed(options, decimal.negative, decimal.is_zero(), parts)
}

/// Rounds; answers the least number of digits after the decimal point.
fn round(decimal: &mut Decimal, options: &NumberOptions) -> u32 {
    match options.rounding {
        Rounding::Fraction(min, max) => {
            decimal.round_to_fraction(max);
            min
        }
        Rounding::Significant(min, max) => {
            decimal.round_to_significant(max);
            decimal.fraction_for(min)
        }
        Rounding::Compact => {
            if decimal.magnitude() > 2 {
                decimal.round_to_fraction(0);
            } else {
                decimal.round_to_significant(2);
            }
            0
        }
    }
}

fn grouped(whole: &str, grouping: &str) -> Vec<Part> {
    let least = match grouping {
        "false" => usize::MAX,
        "min2" => 5,
        _ => 4,
    };
    if whole.len() < least {
        return vec![("integer", whole.to_owned())];
    }
    let (first, mut rest) = whole.split_at((whole.len() - 1) % 3 + 1);
    let mut parts = vec![("integer", first.to_owned())];
    while !rest.is_empty() {
        let (group, more) = rest.split_at(3);
        parts.push(("group", ",".into()));
        parts.push(("integer", group.to_owned()));
        rest = more;
    }
    parts
}

/// The parts of a number's digits with sign and unit.
fn signed(options: &NumberOptions, negative: bool, is_zero: bool, number: Vec<Part>) -> Vec<Part> {
    let sign = match (options.sign, negative) {
        ("never", _) | ("auto" | "negative", false) => None,
        ("exceptZero" | "negative", _) if is_zero => None,
        (_, true) => Some(("minusSign", "-")),
        (_, false) => Some(("plusSign", "+")),
    };
    let in_brackets = options.accounting && matches!(sign, Some(("minusSign", _)));
    let mut parts = vec![];
    if in_brackets {
        parts.push(("literal", "(".into()));
    } else if let Some((kind, sign)) = sign {
        parts.push((kind, sign.into()));
    }
    if let Style::Currency(code, display) = options.style {
        let symbol = currency_symbol(code, display);
        let is_digit = number.first().is_some_and(|(kind, _)| *kind == "integer");
        let needs_space = is_digit && symbol.ends_with(|last: char| last.is_alphabetic());
        parts.push(("currency", symbol));
        if needs_space {
            parts.push(("literal", "\u{A0}".into()));
        }
    }
    parts.extend(number);
    if options.style == Style::Percent {
        parts.push(("percentSign", "%".into()));
    }
    if in_brackets {
        parts.push(("literal", ")".into()));
    }
    parts
}

/// What stands for a currency in American English (CLDR).
fn currency_symbol(code: [u8; 3], display: &str) -> String {
    let text = || String::from_utf8_lossy(&code).into_owned();
    let narrow = match &code {
        b"ARS" | b"AUD" | b"BBD" | b"BMD" | b"BND" | b"BSD" | b"BZD" | b"CAD" | b"CLP" | b"COP" | b"CUP" | b"DOP"
        | b"FJD" | b"GYD" | b"HKD" | b"JMD" | b"KYD" | b"LRD" | b"MXN" | b"NAD" | b"NZD" | b"SBD" | b"SGD" | b"SRD"
        | b"TTD" | b"TWD" | b"UYU" | b"XCD" => "$",
        b"CNY" => "¥",
        b"RUB" => "₽",
        b"TRY" => "₺",
        b"UAH" => "₴",
        b"NGN" => "₦",
        b"PLN" => "zł",
        b"CZK" => "Kč",
        b"HUF" => "Ft",
        b"DKK" | b"NOK" | b"SEK" | b"ISK" => "kr",
        b"ZAR" => "R",
        b"THB" => "฿",
        b"IDR" => "Rp",
        b"MYR" => "RM",
        b"EGP" => "E£",
        _ => "",
    };
    let symbol = match &code {
        b"USD" => "$",
        b"EUR" => "€",
        b"GBP" => "£",
        b"JPY" => "¥",
        b"INR" => "₹",
        b"CNY" => "CN¥",
        b"KRW" => "₩",
        b"ILS" => "₪",
        b"VND" => "₫",
        b"PHP" => "₱",
        b"CAD" => "CA$",
        b"AUD" => "A$",
        b"NZD" => "NZ$",
        b"HKD" => "HK$",
        b"TWD" => "NT$",
        b"MXN" => "MX$",
        b"BRL" => "R$",
        b"XCD" => "EC$",
        b"XAF" => "FCFA",
        b"XOF" => "F\u{202F}CFA",
        b"XPF" => "CFPF",
        _ => "",
    };
    match display {
        "narrowSymbol" if !narrow.is_empty() => narrow.to_owned(),
        "symbol" | "narrowSymbol" if !symbol.is_empty() => symbol.to_owned(),
        _ => text(),
    }
}

fn resolved_options(cx: &CallContext) -> JsResult {
    let (object, options) = number_format(cx, "resolvedOptions")?;
    let (currency, display, sign) = match options.style {
        Style::Currency(code, display) => (
            JsString::from_str(&String::from_utf8_lossy(&code)).into(),
            display.into(),
            if options.accounting { "accounting" } else { "standard" }.into(),
        ),
        _ => (Value::UNDEFINED, Value::UNDEFINED, Value::UNDEFINED),
    };
    let number = |value: u32| Value::from(value);
    let nothing = Value::UNDEFINED;
    let (fraction, significant) = match options.rounding {
        Rounding::Fraction(min, max) => ([number(min), number(max)], [nothing; 2]),
        Rounding::Significant(min, max) => ([nothing; 2], [number(min), number(max)]),
        Rounding::Compact => ([number(0), number(0)], [number(1), number(2)]),
    };
    let grouping = if options.grouping == "false" { Value::FALSE } else { options.grouping.into() };
    let priority = if matches!(options.rounding, Rounding::Compact) { "morePrecision" } else { "auto" };
    Ok(described(&[
        ("locale", object.locale.into()),
        ("numberingSystem", "latn".into()),
        ("style", options.style_name().into()),
        ("currency", currency),
        ("currencyDisplay", display),
        ("currencySign", sign),
        ("minimumIntegerDigits", number(options.min_integer)),
        ("minimumFractionDigits", fraction[0]),
        ("maximumFractionDigits", fraction[1]),
        ("minimumSignificantDigits", significant[0]),
        ("maximumSignificantDigits", significant[1]),
        ("useGrouping", grouping),
        ("notation", if options.compact.is_some() { "compact" } else { "standard" }.into()),
        ("compactDisplay", options.compact.map_or(nothing, Value::from)),
        ("signDisplay", options.sign.into()),
        ("roundingIncrement", number(1)),
        ("roundingMode", "halfExpand".into()),
        ("roundingPriority", priority.into()),
        ("trailingZeroDisplay", "auto".into()),
    ]))
}
