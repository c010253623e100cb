//! Literals: strings, templates, regular expressions, arrays, objects.

use std::collections::HashSet;

use convex_wasm_abi::unit::MAX_SHAPE_KEYS;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::facts::Implicit;
use super::function::{Code, FunctionLowerer};
use super::{Refusal, Result, text};
use crate::ir::{ConstantValue, Op, Reg, Unary};

/// Elements put into an array literal at once; the rest is appended.
const MAX_ELEMENTS: usize = 256;
/// Properties put into an object literal at once; the rest is defined one by one.
const MAX_PROPERTIES: usize = MAX_SHAPE_KEYS as usize;

impl FunctionLowerer<'_, '_> {
    pub(super) fn string_literal(&mut self, literal: &StringLiteral<'_>) -> Reg {
        let units = text::units(&literal.value, literal.lone_surrogates);
        self.constant_value(ConstantValue::String(units))
    }

    pub(super) fn regexp(&mut self, literal: &RegExpLiteral<'_>) -> Reg {
        let pattern = self.module.string(&literal.regex.pattern.text);
        let flags = self.module.string(&literal.regex.flags.to_string());
        self.module.constant(ConstantValue::RegExp(pattern, flags));
        self.builder.emit(Op::NewRegExp(pattern, flags))
    }

    pub(super) fn template(&mut self, template: &TemplateLiteral<'_>) -> Result<Reg> {
        let mut parts = Vec::new();
        for (index, quasi) in template.quasis.iter().enumerate() {
            if let Some(cooked) = &quasi.value.cooked
                && (!cooked.is_empty() || template.expressions.is_empty())
            {
                let units = text::units(cooked, quasi.lone_surrogates);
                parts.push(self.constant_value(ConstantValue::String(units)));
            }
            if let Some(expression) = template.expressions.get(index) {
                let value = self.expression(expression)?;
                let is_last = index + 1 == template.expressions.len();
                parts.push(if is_last { value } else { self.builder.emit(Op::Unary(Unary::ForConcat, value)) });
            }
        }
        if let ([part], true) = (parts.as_slice(), template.expressions.is_empty()) {
            return Ok(*part);
        }
        self.builder.position = template.span.start;
        Ok(self.builder.emit(Op::Concat(parts)))
    }

    pub(super) fn array(&mut self, array: &ArrayExpression<'_>) -> Result<Reg> {
        let plain = array.elements.iter().take(MAX_ELEMENTS).take_while(|element| !element.is_spread()).count();
        let (first, rest) = array.elements.split_at(plain);
        let mut elements = Vec::with_capacity(plain);
        for (index, element) in first.iter().enumerate() {
            elements.push(match element.as_expression() {
                Some(expression) => {
                    let value = self.expression(expression)?;
                    let later: Vec<_> =
                        first[index + 1..].iter().filter_map(|element| element.as_expression()).collect();
                    Some(self.stable_before(value, &later))
                }
                None => None,
            });
        }
        self.builder.position = array.span.start;
        let result = self.builder.emit(Op::NewArray(elements));
        for element in rest {
            match element {
                ArrayExpressionElement::SpreadElement(spread) => {
                    let iterable = self.expression(&spread.argument)?;
                    self.builder.position = spread.argument.span().start;
                    let name = text::iterable(&spread.argument, false).map(|name| self.module.string(&name));
                    self.builder.perform(Op::ArraySpread(result, iterable, name));
                }
                ArrayExpressionElement::Elision(_) => {
                    let hole = self.empty();
                    self.builder.perform(Op::ArrayAppend(result, hole));
                }
                other => {
                    if let Some(expression) = other.as_expression() {
                        let value = self.expression(expression)?;
                        self.builder.perform(Op::ArrayAppend(result, value));
                    }
                }
            }
        }
        Ok(result)
    }

    pub(super) fn object(&mut self, object: &ObjectExpression<'_>) -> Result<Reg> {
        let count = self.static_properties(object);
        let (first, rest) = object.properties.split_at(count);
        let mut properties = Vec::with_capacity(count);
        for (index, property) in first.iter().enumerate() {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            let Some(name) = static_name(&property.key) else { continue };
            let value = self.property_value(property, name)?;
            let later: Vec<_> = first[index + 1..].iter().filter_map(property_expression).collect();
            let value = self.stable_before(value, &later);
            properties.push((self.module.string(name), value));
        }
        self.builder.position = object.span.start;
        let result = self.builder.emit(Op::NewObject(properties));
        for property in rest {
            self.define_property(result, property)?;
        }
        Ok(result)
    }

    /// How many properties, from the first on, only have static names and values.
    fn static_properties(&self, object: &ObjectExpression<'_>) -> usize {
        let mut names = HashSet::new();
        let mut is_static = |property: &ObjectPropertyKind<'_>| {
            let ObjectPropertyKind::ObjectProperty(property) = property else { return false };
            let name = static_name(&property.key).filter(|_| !property.computed);
            property.kind == PropertyKind::Init
                && !self.needs_home(property)
                && name.is_some_and(|name| name != "__proto__" && names.insert(name.to_owned()))
        };
        let mut count = 0;
        while count < MAX_PROPERTIES && object.properties.get(count).is_some_and(&mut is_static) {
            count += 1;
        }
        count
    }

    /// Whether a property is a method that uses `super`.
    fn needs_home(&self, property: &ObjectProperty<'_>) -> bool {
        let Expression::FunctionExpression(function) = &property.value else { return false };
        let Some(scope) = function.scope_id.get().filter(|_| property.method) else { return false };
        let facts = self.module.facts;
        facts.function(facts.function_of_scope(scope)).uses.contains(&Implicit::Callee)
    }

    fn property_value(&mut self, property: &ObjectProperty<'_>, name: &str) -> Result<Reg> {
        match &property.value {
            Expression::FunctionExpression(function) if property.method || property.kind != PropertyKind::Init => {
                self.method(function, name, property.span.start)
            }
            value => self.named(value, name),
        }
    }

    /// Closure of a method, getter or setter, whose text begins at `start`.
    pub(super) fn method(&mut self, function: &Function<'_>, name: &str, start: u32) -> Result<Reg> {
        let Some(scope) = function.scope_id.get() else {
            return Err(Refusal::new("it has a method without a body", function.span.start));
        };
        let id = self.module.facts.function_of_scope(scope);
        self.builder.position = function.span.start;
        let closure = self.closure(id, name, Code::Function(function));
        self.module.set_source_start(id, start);
        Ok(closure)
    }

    fn define_property(&mut self, object: Reg, property: &ObjectPropertyKind<'_>) -> Result<()> {
        let property = match property {
            ObjectPropertyKind::SpreadProperty(spread) => {
                let source = self.expression(&spread.argument)?;
                self.builder.position = spread.span.start;
                self.builder.perform(Op::ObjectSpread(object, source));
                return Ok(());
            }
            ObjectPropertyKind::ObjectProperty(property) => property,
        };
        let name = static_name(&property.key).filter(|_| !property.computed);
        let is_plain = property.kind == PropertyKind::Init && !property.method;
        if is_plain && !property.shorthand && name == Some("__proto__") {
            let prototype = self.expression(&property.value)?;
            self.builder.perform(Op::SetLiteralPrototype(object, prototype));
            return Ok(());
        }
        let key = self.property_key(&property.key, property.computed)?;
        let key = self.stable_before(key, &[&property.value]);
        let text = key_name(&property.key).filter(|_| !property.computed);
        let value = self.property_value(property, &prefixed(property.kind, text.as_deref().unwrap_or("")))?;
        if property.computed && is_anonymous_function(&property.value) {
            let prefix = match property.kind {
                PropertyKind::Init => 0,
                PropertyKind::Get => 1,
                PropertyKind::Set => 2,
            };
            self.builder.perform(Op::SetFunctionName { function: value, key, prefix });
        }
        self.builder.position = property.span.start;
        self.builder.perform(match property.kind {
            PropertyKind::Init if property.method => {
                Op::DefineMethod { object, key, function: value, enumerable: true }
            }
            PropertyKind::Init => Op::DefineField(object, key, value),
            PropertyKind::Get => Op::DefineAccessor { object, key, function: value, setter: false, enumerable: true },
            PropertyKind::Set => Op::DefineAccessor { object, key, function: value, setter: true, enumerable: true },
        });
        Ok(())
    }

    /// A register with a property key, evaluated and converted.
    pub(super) fn property_key(&mut self, key: &PropertyKey<'_>, computed: bool) -> Result<Reg> {
        self.builder.position = key.span().start;
        match key {
            PropertyKey::StaticIdentifier(identifier) => Ok(self.string_value(&identifier.name)),
            PropertyKey::PrivateIdentifier(identifier) => self.private_name(identifier),
            other => {
                let register = self.expression(other.to_expression())?;
                let constant = matches!(other, PropertyKey::StringLiteral(_) | PropertyKey::NumericLiteral(_));
                if computed && !constant {
                    return Ok(self.builder.emit(Op::Unary(Unary::ToPropertyKey, register)));
                }
                Ok(register)
            }
        }
    }
}

fn property_expression<'b, 'a>(property: &'b ObjectPropertyKind<'a>) -> Option<&'b Expression<'a>> {
    match property {
        ObjectPropertyKind::ObjectProperty(property) => Some(&property.value),
        ObjectPropertyKind::SpreadProperty(_) => None,
    }
}

/// The name of a key that is written as such and is no array index.
fn static_name<'b>(key: &'b PropertyKey<'_>) -> Option<&'b str> {
    match key {
        PropertyKey::StaticIdentifier(identifier) => Some(identifier.name.as_str()),
        PropertyKey::StringLiteral(literal) if !literal.lone_surrogates && !text::is_index(&literal.value) => {
            Some(literal.value.as_str())
        }
        _ => None,
    }
}

/// The property name of a key that is not computed.
pub(super) fn key_name(key: &PropertyKey<'_>) -> Option<String> {
    match key {
        PropertyKey::PrivateIdentifier(identifier) => Some(format!("#{}", identifier.name)),
        other => other.static_name().map(|name| name.into_owned()),
    }
}

fn prefixed(kind: PropertyKind, name: &str) -> String {
    match kind {
        PropertyKind::Init => name.to_owned(),
        PropertyKind::Get => format!("get {name}"),
        PropertyKind::Set => format!("set {name}"),
    }
}

/// Whether an expression is a function or class that takes its name from what it is bound to.
pub(super) fn is_anonymous_function(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::ArrowFunctionExpression(_) => true,
        Expression::FunctionExpression(function) => function.id.is_none(),
        Expression::ClassExpression(class) => class.id.is_none(),
        Expression::ParenthesizedExpression(inner) => is_anonymous_function(&inner.expression),
        _ => false,
    }
}
