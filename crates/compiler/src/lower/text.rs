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

/// How V8 names an expression in "x is not a function".
pub(super) fn describe(expression: &Expression<'_>) -> String {
    match expression {
        Expression::Identifier(identifier) => identifier.name.to_string(),
        Expression::ThisExpression(_) => "this".to_owned(),
        Expression::NullLiteral(_) => "null".to_owned(),
        Expression::BooleanLiteral(literal) => literal.value.to_string(),
        Expression::NumericLiteral(literal) => literal.value.to_string(),
        Expression::StringLiteral(literal) => format!("\"{}\"", literal.value),
        Expression::ArrayExpression(array) => {
            let elements: Vec<String> = array
                .elements
                .iter()
                .map(|element| element.as_expression().map_or_else(String::new, describe))
                .collect();
            format!("[{}]", elements.join(","))
        }
        Expression::ObjectExpression(object) => {
            let values = object.properties.iter().map(|property| match property {
                ObjectPropertyKind::ObjectProperty(property) => describe(&property.value),
                ObjectPropertyKind::SpreadProperty(spread) => format!("(...{})", describe(&spread.argument)),
            });
            format!("{{{}}}", values.collect::<String>())
        }
        Expression::BinaryExpression(binary) => {
            format!("({} {} {})", describe(&binary.left), binary.operator.as_str(), describe(&binary.right))
        }
        Expression::StaticMemberExpression(member) => static_member(member),
        Expression::PrivateFieldExpression(member) => {
            format!("{}.#{}", describe_object(&member.object), member.field.name)
        }
        Expression::ComputedMemberExpression(member) => {
            let object = describe_object(&member.object);
            match &member.expression {
                Expression::StringLiteral(name) => format!("{object}.{}", name.value),
                key => format!("{object}[{}]", describe(key)),
            }
        }
        Expression::CallExpression(call) => format!("{}(...)", describe(&call.callee)),
        _ => INTERMEDIATE.to_owned(),
    }
}

const INTERMEDIATE: &str = "(intermediate value)";

fn static_member(member: &StaticMemberExpression<'_>) -> String {
    let dot = if member.optional { "?." } else { "." };
    format!("{}{dot}{}", describe_object(&member.object), member.property.name)
}

fn describe_object(expression: &Expression<'_>) -> String {
    match expression {
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::StaticMemberExpression(member) => static_member(member),
            _ => INTERMEDIATE.to_owned(),
        },
        other => describe(other),
    }
}

/// Whether a key is an array index (or any canonical integer), which objects order before other keys.
pub(super) fn is_index(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit()) && (key.len() == 1 || !key.starts_with('0'))
}
