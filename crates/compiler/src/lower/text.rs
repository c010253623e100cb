//! Text from the syntax tree: string values with lone surrogates, and how error messages call an expression.

use oxc_ast::ast::*;

/// UTF-16 units of a string of the syntax tree. With `lone_surrogates` Oxc writes U+FFFD before four hex digits of a unit.
pub(super) fn units(text: &str, lone_surrogates: bool) -> Vec<u16> {
    if !lone_surrogates {
        return text.encode_utf16().collect();
    }
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{FFFD}') {
        units.extend(rest[..at].encode_utf16());
        rest = &rest[at + '\u{FFFD}'.len_utf8()..];
        match rest.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
            Some(unit) => {
                units.push(unit);
                rest = &rest[4..];
            }
            None => units.push(0xFFFD),
        }
    }
    units.extend(rest.encode_utf16());
    units
}

/// How V8 names a callee in "x is not a function".
pub(super) fn describe(expression: &Expression<'_>) -> String {
    match expression {
        Expression::Identifier(identifier) => identifier.name.to_string(),
        Expression::ThisExpression(_) => "this".to_owned(),
        Expression::Super(_) => "super".to_owned(),
        Expression::StaticMemberExpression(member) => {
            format!("{}.{}", describe_object(&member.object), member.property.name)
        }
        Expression::PrivateFieldExpression(member) => {
            format!("{}.#{}", describe_object(&member.object), member.field.name)
        }
        Expression::ComputedMemberExpression(member) => {
            format!("{}[{}]", describe_object(&member.object), describe_key(&member.expression))
        }
        Expression::CallExpression(call) => format!("{}(...)", describe(&call.callee)),
        Expression::ChainExpression(chain) => describe_chain(&chain.expression),
        _ => "(intermediate value)".to_owned(),
    }
}

fn describe_object(expression: &Expression<'_>) -> String {
    match expression {
        // V8 prints `super.x` with the value that `super` stands for.
        Expression::Super(_) => "(intermediate value)".to_owned(),
        other => describe(other),
    }
}

fn describe_key(expression: &Expression<'_>) -> String {
    match expression {
        Expression::StringLiteral(text) => format!("\"{}\"", text.value),
        Expression::NumericLiteral(number) => number.value.to_string(),
        other => describe(other),
    }
}

fn describe_chain(element: &ChainElement<'_>) -> String {
    match element {
        ChainElement::CallExpression(call) => format!("{}(...)", describe(&call.callee)),
        ChainElement::StaticMemberExpression(member) => {
            format!("{}?.{}", describe_object(&member.object), member.property.name)
        }
        _ => "(intermediate value)".to_owned(),
    }
}

/// Whether a key is an array index (or any canonical integer), which objects order before other keys.
pub(super) fn is_index(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_digit())
        && (key.len() == 1 || !key.starts_with('0'))
}
