//! Destructuring, in declarations (binding patterns) and assignments (assignment patterns).

use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::assignments::Reference;
use super::control::Control;
use super::function::{FunctionLowerer, identifier_name};
use super::{Refusal, Result, text};
use crate::ir::{Block, Op, Reg, Unary};

/// An array pattern's iterator while its elements are assigned.
struct OpenIterator {
    record: Reg,
    outer: Option<Block>,
    cleanup: Option<Block>,
}

/// Where a value that is destructured comes from, for error messages.
#[derive(Clone, Copy)]
pub(super) enum Source<'s> {
    Initializer(&'s Expression<'s>),
    ForVariable,
    Caught,
    Parameter,
}

/// V8's name of the values of a `for…of` loop.
const FOR: &str = ".for";

impl Source<'_> {
    /// What messages on properties call it; "" stands for the value itself.
    fn text(self) -> String {
        match self {
            Self::Initializer(expression) => text::describe(expression),
            Self::ForVariable => FOR.to_owned(),
            Self::Caught => ".catch".to_owned(),
            Self::Parameter => String::new(),
        }
    }

    /// What messages on iteration call it; none stands for its type.
    fn iterable(self) -> Option<String> {
        match self {
            Self::Initializer(expression) => text::initializer(expression),
            Self::ForVariable => Some(FOR.to_owned()),
            Self::Caught | Self::Parameter => None,
        }
    }
}

impl FunctionLowerer<'_, '_> {
    /// Destructures a value.
    pub(super) fn destructure(&mut self, pattern: &BindingPattern<'_>, value: Reg, source: Source<'_>) -> Result<()> {
        match pattern {
            BindingPattern::ObjectPattern(object) => self.bind_object(object, value, Some(&source.text())),
            BindingPattern::ArrayPattern(array) => self.bind_array(array, value, source.iterable()),
            other => self.bind_pattern(other, value),
        }
    }

    /// Initialises the variables of a pattern.
    pub(super) fn bind_pattern(&mut self, pattern: &BindingPattern<'_>, value: Reg) -> Result<()> {
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => {
                if let Some(symbol) = identifier.symbol_id.get() {
                    if let Some(found) = self.find_variable_in_objects(symbol) {
                        return self.initialize_found(symbol, found, value);
                    }
                    let temporary = !self.variables.contains(&value);
                    self.initialize_symbol(symbol, value, temporary);
                }
                Ok(())
            }
            BindingPattern::ObjectPattern(object) => self.bind_object(object, value, None),
            BindingPattern::ArrayPattern(array) => self.bind_array(array, value, None),
            BindingPattern::AssignmentPattern(assignment) => {
                let value = self.or_default(value, &assignment.right, identifier_name(&assignment.left))?;
                match &assignment.left {
                    BindingPattern::ObjectPattern(object) => {
                        self.bind_object(object, value, Some(&text::describe(&assignment.right)))
                    }
                    other => self.bind_pattern(other, value),
                }
            }
        }
    }

    /// Overwrites the register with a default value if it holds undefined.
    pub(super) fn default_value(&mut self, register: Reg, default: &Expression<'_>, name: Option<&str>) -> Result<()> {
        let (missing, present) = (self.builder.new_block(), self.builder.new_block());
        let is_undefined = self.builder.emit(Op::IsUndefined(register));
        self.builder.branch(is_undefined, missing, present);
        self.builder.switch_to(missing);
        let value = self.named(default, name.unwrap_or(""))?;
        self.builder.emit_into(register, Op::Copy(value));
        self.builder.fall_into(present);
        Ok(())
    }

    fn or_default(&mut self, value: Reg, default: &Expression<'_>, name: Option<&str>) -> Result<Reg> {
        let register = self.result_register();
        self.builder.emit_into(register, Op::Copy(value));
        self.default_value(register, default, name)?;
        Ok(register)
    }

    fn bind_object(&mut self, pattern: &ObjectPattern<'_>, value: Reg, source: Option<&str>) -> Result<()> {
        let first = pattern.properties.first();
        self.builder.position = first.map_or(pattern.span.start, |first| first.span.start);
        // V8 says that reading the first property failed if that has a default value.
        let source = source.filter(|_| !first.is_some_and(|first| first.value.is_assignment_pattern()));
        self.require_object(value, first.and_then(|first| key_text(&first.key)), source);
        let mut excluded = Vec::new();
        for property in &pattern.properties {
            let key = self.pattern_key(&property.key, property.computed)?;
            let key = self.remember_key(key, pattern.rest.is_some(), &mut excluded);
            let element = self.get_key(value, key, property.key.span().start);
            self.bind_pattern(&property.value, element)?;
        }
        if let Some(rest) = &pattern.rest {
            let object = self.builder.emit(Op::ObjectRest(value, excluded));
            self.bind_pattern(&rest.argument, object)?;
        }
        Ok(())
    }

    /// Destructuring undefined or null is a TypeError even if the pattern is empty. Without a name for the value, reading
    /// the first property says it well enough.
    fn require_object(&mut self, value: Reg, first_key: Option<String>, source: Option<&str>) {
        let name = match (first_key, source) {
            (Some(_), None) => return,
            (Some(key), Some(source)) => Some(format!("property '{key}' of '{source}'")),
            (None, source) => source.filter(|source| !source.is_empty()).map(str::to_owned),
        };
        let name = name.map(|name| self.module.string(&name));
        self.builder.perform(Op::RequireObjectCoercible { value, name });
    }

    fn pattern_key(&mut self, key: &PropertyKey<'_>, computed: bool) -> Result<Key> {
        if !computed && let Some(name) = static_name(key) {
            return Ok(Key::Name(name));
        }
        let Some(expression) = key.as_expression() else {
            return Err(Refusal::new("it destructures a private name", key.span().start));
        };
        let register = self.expression(expression)?;
        if matches!(expression, Expression::NumericLiteral(_) | Expression::StringLiteral(_)) {
            return Ok(Key::Value(register));
        }
        Ok(Key::Value(self.builder.emit(Op::Unary(Unary::ToPropertyKey, register))))
    }

    /// Keys that a rest element leaves out are needed in registers.
    fn remember_key(&mut self, key: Key, has_rest: bool, excluded: &mut Vec<Reg>) -> Key {
        if has_rest {
            excluded.push(match &key {
                Key::Name(name) => self.string_value(name),
                Key::Value(register) => *register,
            });
        }
        key
    }

    fn get_key(&mut self, object: Reg, key: Key, position: u32) -> Reg {
        self.builder.position = position;
        match key {
            Key::Name(name) => {
                let key = self.module.string(&name);
                self.builder.emit(Op::Get(object, key))
            }
            Key::Value(key) => self.builder.emit(Op::GetElement(object, key)),
        }
    }

    fn bind_array(&mut self, pattern: &ArrayPattern<'_>, value: Reg, name: Option<String>) -> Result<()> {
        // Only defaults and nested patterns can throw while the iterator is open.
        let plain = |element: &BindingPattern<'_>| matches!(element, BindingPattern::BindingIdentifier(_));
        let cannot_throw = pattern.elements.iter().flatten().all(plain);
        let iterator = self.open_iterator(value, name, pattern.span.start, cannot_throw);
        let lowered = self.bind_elements(pattern, iterator.record);
        self.finish_iterator(&iterator, lowered, pattern.rest.is_some())
    }

    fn bind_elements(&mut self, pattern: &ArrayPattern<'_>, record: Reg) -> Result<()> {
        for element in &pattern.elements {
            let value = self.next_element(record);
            if let Some(element) = element {
                self.bind_pattern(element, value)?;
            }
        }
        if let Some(rest) = &pattern.rest {
            let array = self.builder.emit(Op::IteratorRest(record));
            self.bind_pattern(&rest.argument, array)?;
        }
        Ok(())
    }

    /// `name` is what errors call the value; its type if there is none.
    fn open_iterator(&mut self, value: Reg, name: Option<String>, position: u32, cannot_throw: bool) -> OpenIterator {
        self.builder.position = position;
        let name = name.map(|name| self.module.string(&name));
        let record = self.builder.emit(Op::IteratorOpen(value, name));
        let outer = self.builder.handler();
        let cleanup = (!cannot_throw).then(|| self.builder.new_block());
        if cleanup.is_some() {
            self.control.push(Control::Iterator { record, is_async: false, handler: outer });
            self.builder.set_handler(cleanup);
        }
        OpenIterator { record, outer, cleanup }
    }

    fn finish_iterator(&mut self, iterator: &OpenIterator, lowered: Result<()>, drained: bool) -> Result<()> {
        if let Some(cleanup) = iterator.cleanup {
            self.control.pop();
            lowered?;
            let close = self.builder.new_block();
            self.builder.jump(close);
            self.builder.set_handler_for_next(iterator.outer);
            self.iterator_cleanup(cleanup, iterator.record, false);
            self.builder.switch_to(close);
        } else {
            lowered?;
        }
        if !drained {
            self.builder.perform(Op::IteratorClose { record: iterator.record, throwing: false });
        }
        Ok(())
    }

    /// The next value of an iterator, undefined once it is done.
    fn next_element(&mut self, record: Reg) -> Reg {
        let value = self.result_register();
        self.builder.emit_into(value, Op::IteratorNext(record));
        let (missing, present) = (self.builder.new_block(), self.builder.new_block());
        let is_empty = self.builder.emit(Op::IsEmpty(value));
        self.builder.branch(is_empty, missing, present);
        self.builder.switch_to(missing);
        self.builder.emit_into(value, Op::Special(convex_wasm_abi::value::UNDEFINED));
        self.builder.fall_into(present);
        value
    }

    // ---- assignment patterns ----

    /// Assigns to a target of any kind.
    pub(super) fn assign_target(&mut self, target: &AssignmentTarget<'_>, value: Reg) -> Result<()> {
        match target {
            AssignmentTarget::ArrayAssignmentTarget(array) => self.assign_array(array, value),
            AssignmentTarget::ObjectAssignmentTarget(object) => self.assign_object(object, value, None),
            simple => {
                let reference = self.reference(simple, None)?;
                self.write(&reference, value, simple.span().start)?;
                Ok(())
            }
        }
    }

    /// Destructures the value of an assignment; see [`Self::destructure`].
    pub(super) fn assign_pattern(&mut self, target: &AssignmentTarget<'_>, value: Reg, source: &str) -> Result<()> {
        match target {
            AssignmentTarget::ObjectAssignmentTarget(object) => self.assign_object(object, value, Some(source)),
            other => self.assign_target(other, value),
        }
    }

    /// Evaluates a target's object and key before the value is fetched, then assigns. Patterns have neither.
    fn assign_element(
        &mut self,
        target: &AssignmentTarget<'_>,
        default: Option<&Expression<'_>>,
        fetch: impl FnOnce(&mut Self) -> Reg,
    ) -> Result<()> {
        let reference = match target.as_simple_assignment_target() {
            Some(_) => Some(self.reference(target, None)?),
            None => None,
        };
        let mut value = fetch(self);
        if let Some(default) = default {
            let name = match &reference {
                Some(Reference::Variable(identifier) | Reference::Found { identifier, .. }) => {
                    Some(identifier.name.as_str())
                }
                _ => None,
            };
            value = self.or_default(value, default, name)?;
        }
        match reference {
            Some(reference) => {
                self.write(&reference, value, target.span().start)?;
                Ok(())
            }
            None => match default {
                Some(default) => self.assign_pattern(target, value, &text::describe(default)),
                None => self.assign_target(target, value),
            },
        }
    }

    fn assign_maybe_default(
        &mut self,
        target: &AssignmentTargetMaybeDefault<'_>,
        fetch: impl FnOnce(&mut Self) -> Reg,
    ) -> Result<()> {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(with_default) => {
                self.assign_element(&with_default.binding, Some(&with_default.init), fetch)
            }
            other => match other.as_assignment_target() {
                Some(target) => self.assign_element(target, None, fetch),
                None => Ok(()),
            },
        }
    }

    fn assign_array(&mut self, pattern: &ArrayAssignmentTarget<'_>, value: Reg) -> Result<()> {
        let iterator = self.open_iterator(value, None, pattern.span.start, false);
        let lowered = self.assign_elements(pattern, iterator.record);
        self.finish_iterator(&iterator, lowered, pattern.rest.is_some())
    }

    fn assign_elements(&mut self, pattern: &ArrayAssignmentTarget<'_>, record: Reg) -> Result<()> {
        for element in &pattern.elements {
            match element {
                Some(element) => self.assign_maybe_default(element, |this| this.next_element(record))?,
                None => {
                    self.next_element(record);
                }
            }
        }
        if let Some(rest) = &pattern.rest {
            self.assign_element(&rest.target, None, |this| this.builder.emit(Op::IteratorRest(record)))?;
        }
        Ok(())
    }

    fn assign_object(&mut self, pattern: &ObjectAssignmentTarget<'_>, value: Reg, source: Option<&str>) -> Result<()> {
        self.builder.position = pattern.span.start;
        let first = pattern.properties.first().and_then(|first| match first {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                Some(property.binding.name.to_string())
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => key_text(&property.name),
        });
        let has_default = pattern.properties.first().is_some_and(|first| match first {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => property.init.is_some(),
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                matches!(property.binding, AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(_))
            }
        });
        self.require_object(value, first, source.filter(|_| !has_default));
        let mut excluded = Vec::new();
        let has_rest = pattern.rest.is_some();
        for property in &pattern.properties {
            match property {
                AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                    let name = property.binding.name.as_str();
                    let key = self.remember_key(Key::Name(name.to_owned()), has_rest, &mut excluded);
                    let reference = self.variable_reference(&property.binding);
                    let mut element = self.get_key(value, key, property.span.start);
                    if let Some(default) = &property.init {
                        element = self.or_default(element, default, Some(name))?;
                    }
                    self.write(&reference, element, property.span.start)?;
                }
                AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                    let key = self.pattern_key(&property.name, property.computed)?;
                    let key = self.remember_key(key, has_rest, &mut excluded);
                    let position = property.name.span().start;
                    self.assign_maybe_default(&property.binding, |this| this.get_key(value, key, position))?;
                }
            }
        }
        if let Some(rest) = &pattern.rest {
            self.assign_element(&rest.target, None, |this| this.builder.emit(Op::ObjectRest(value, excluded)))?;
        }
        Ok(())
    }
}

/// A property key of a pattern.
enum Key {
    Name(String),
    Value(Reg),
}

/// The name of a key that is written as such and is no index.
fn static_name(key: &PropertyKey<'_>) -> Option<String> {
    match key {
        PropertyKey::StaticIdentifier(identifier) => Some(identifier.name.to_string()),
        PropertyKey::StringLiteral(literal) if !literal.lone_surrogates && !text::is_index(&literal.value) => {
            Some(literal.value.to_string())
        }
        _ => None,
    }
}

/// How an error message names a key.
fn key_text(key: &PropertyKey<'_>) -> Option<String> {
    match key {
        PropertyKey::StaticIdentifier(identifier) => Some(identifier.name.to_string()),
        PropertyKey::StringLiteral(literal) => Some(literal.value.to_string()),
        PropertyKey::NumericLiteral(literal) => Some(literal.value.to_string()),
        _ => None,
    }
}
