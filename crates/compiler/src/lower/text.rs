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
                .map(|element| match element {
                    ArrayExpressionElement::SpreadElement(spread) => format!("(...{})", describe(&spread.argument)),
                    other => other.as_expression().map_or_else(|| INTERMEDIATE.to_owned(), describe),
                })
                .collect();
            format!("[{}]", elements.join(","))
        }
        Expression::ObjectExpression(object) => format!("{{{}}}", INTERMEDIATE.repeat(object.properties.len())),
        Expression::BinaryExpression(binary) => {
            format!("({} {} {})", describe(&binary.left), binary.operator.as_str(), describe(&binary.right))
        }
        Expression::LogicalExpression(logical) => {
            format!("({} {} {})", describe(&logical.left), logical.operator.as_str(), describe(&logical.right))
        }
        Expression::SequenceExpression(sequence) => {
            format!("({})", sequence.expressions.iter().map(describe).collect::<Vec<_>>().join(" , "))
        }
        Expression::UnaryExpression(unary) => {
            let operator = unary.operator.as_str();
            let space = if unary.operator.is_keyword() { " " } else { "" };
            format!("({operator}{space}{})", describe(&unary.argument))
        }
        Expression::UpdateExpression(update) => {
            let (operator, target) = (update.operator.as_str(), describe_target(&update.argument));
            if update.prefix { format!("({operator}{target})") } else { format!("({target}{operator})") }
        }
        Expression::AssignmentExpression(assignment) => match assignment.left.as_simple_assignment_target() {
            Some(target) => describe_target(target),
            None => INTERMEDIATE.to_owned(),
        },
        Expression::ConditionalExpression(_) => INTERMEDIATE.repeat(3),
        Expression::RegExpLiteral(literal) => literal.regex.to_string(),
        Expression::TaggedTemplateExpression(tagged) => format!("{}(...)", describe(&tagged.tag)),
        Expression::ParenthesizedExpression(inner) => describe(&inner.expression),
        Expression::StaticMemberExpression(member) => static_member(member),
        Expression::PrivateFieldExpression(member) => {
            format!("{}.#{}", describe_object(&member.object), member.field.name)
        }
        Expression::ComputedMemberExpression(member) => {
            let object = describe_object(&member.object);
            match &member.expression {
                Expression::StringLiteral(name) => format!("{object}{}{}", dot(member.optional), name.value),
                key => format!("{object}{}[{}]", if member.optional { "?." } else { "" }, describe(key)),
            }
        }
        Expression::CallExpression(call) => format!("{}(...)", describe(&call.callee)),
        _ => INTERMEDIATE.to_owned(),
    }
}

/// How V8 names what `for…of` and array spreads iterate; none stands for the type of the value.
pub(super) fn iterable(expression: &Expression<'_>, is_async: bool) -> Option<String> {
    match expression {
        Expression::ParenthesizedExpression(inner) => iterable(&inner.expression, is_async),
        Expression::ChainExpression(_) => None,
        Expression::LogicalExpression(logical) if logical.operator != LogicalOperator::Coalesce => None,
        Expression::CallExpression(call) => {
            let arguments = if is_async { "(...)" } else { "" };
            Some(format!("{}{arguments}{RETURNED}", describe(&call.callee)))
        }
        Expression::NewExpression(new) => Some(format!("{}{RETURNED}", describe(&new.callee))),
        other => Some(describe(other)),
    }
}

/// How V8 names the initializer of an array pattern; none stands for the type of the value.
pub(super) fn initializer(expression: &Expression<'_>) -> Option<String> {
    match expression {
        Expression::CallExpression(call) => match &call.callee {
            Expression::Identifier(_) | Expression::CallExpression(_) => {
                initializer(&call.callee).map(|callee| callee.trim_end_matches(RETURNED).to_owned() + RETURNED)
            }
            _ => None,
        },
        Expression::NewExpression(new) if matches!(new.callee, Expression::Identifier(_)) => {
            iterable(expression, false)
        }
        Expression::NewExpression(_)
        | Expression::StaticMemberExpression(_)
        | Expression::ComputedMemberExpression(_)
        | Expression::PrivateFieldExpression(_)
        | Expression::ChainExpression(_)
        | Expression::BinaryExpression(_)
        | Expression::LogicalExpression(_)
        | Expression::AssignmentExpression(_)
        | Expression::SequenceExpression(_)
        | Expression::ParenthesizedExpression(_)
        | Expression::TaggedTemplateExpression(_) => None,
        other => Some(describe(other)),
    }
}

fn describe_target(target: &SimpleAssignmentTarget<'_>) -> String {
    match target {
        SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) => identifier.name.to_string(),
        SimpleAssignmentTarget::StaticMemberExpression(member) => static_member(member),
        _ => INTERMEDIATE.to_owned(),
    }
}

const RETURNED: &str = " is not a function or its return value";
const INTERMEDIATE: &str = "(intermediate value)";

fn static_member(member: &StaticMemberExpression<'_>) -> String {
    format!("{}{}{}", describe_object(&member.object), dot(member.optional), member.property.name)
}

fn dot(optional: bool) -> &'static str {
    if optional { "?." } else { "." }
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
