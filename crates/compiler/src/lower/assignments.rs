//! Assignment in all its forms: `=`, compound, logical, `++` and `--`, and what they assign to.

use oxc_ast::ast::*;

use super::facts::Implicit;
use super::function::FunctionLowerer;
use super::{Refusal, Result, text};
use crate::ir::{Binary, Constant, Op, Reg, Unary};
use oxc_span::GetSpan;

/// A place that can be assigned to, its object and key evaluated.
#[derive(Clone, Copy)]
pub(super) enum Reference<'b, 'a> {
    Variable(&'b IdentifierReference<'a>),
    /// A name that was looked for in the objects of `with` statements.
    Found {
        identifier: &'b IdentifierReference<'a>,
        found: Reg,
    },
    Property {
        object: Reg,
        key: Constant,
        position: u32,
    },
    Element {
        object: Reg,
        key: Reg,
        position: u32,
    },
    Private {
        object: Reg,
        name: Reg,
        position: u32,
    },
    Super {
        callee: Reg,
        key: Reg,
        this: Reg,
        position: u32,
    },
}

impl FunctionLowerer<'_, '_> {
    pub(super) fn assignment(&mut self, assignment: &AssignmentExpression<'_>) -> Result<Reg> {
        let right = &assignment.right;
        match assignment.operator {
            AssignmentOperator::Assign => match &assignment.left {
                AssignmentTarget::ArrayAssignmentTarget(_) | AssignmentTarget::ObjectAssignmentTarget(_) => {
                    let value = self.expression(right)?;
                    // The pattern may assign the variable that the value came from.
                    let value = self.stable(value, true);
                    self.assign_pattern(&assignment.left, value, &text::describe(right))?;
                    Ok(value)
                }
                target => {
                    let reference = self.reference(target, Some(right))?;
                    let value = self.named(right, reference_name(target))?;
                    let position = self.operator_position(assignment);
                    self.write(&reference, value, position)
                }
            },
            operator => {
                let reference = self.reference(&assignment.left, Some(right))?;
                match binary_operator(operator) {
                    Some(binary) => self.compound(assignment, &reference, binary),
                    None => self.logical_assignment(assignment, &reference),
                }
            }
        }
    }

    fn compound(
        &mut self,
        assignment: &AssignmentExpression<'_>,
        reference: &Reference<'_, '_>,
        operator: Binary,
    ) -> Result<Reg> {
        let reference = &self.with_property_key(reference, &assignment.left);
        let old = self.read(reference)?;
        let old = self.stable_before(old, &[&assignment.right]);
        let value = self.expression(&assignment.right)?;
        let position = self.operator_position(assignment);
        let result = self.emit_at(position, Op::Binary(operator, old, value));
        self.write(reference, result, position)
    }

    /// A key that is used twice is converted once. What names, members and operators give is a string or number in all
    /// but made-up code, and conversions of those cannot be noticed.
    fn with_property_key<'b, 'a>(
        &mut self,
        reference: &Reference<'b, 'a>,
        target: &AssignmentTarget<'_>,
    ) -> Reference<'b, 'a> {
        match (*reference, target) {
            (Reference::Element { object, key, position }, AssignmentTarget::ComputedMemberExpression(member))
                if matches!(member.expression, Expression::CallExpression(_) | Expression::ObjectExpression(_)) =>
            {
                Reference::Element { object, key: self.converted_key(object, key, position), position }
            }
            (reference, _) => reference,
        }
    }

    /// The key of an object as a property key; reading from undefined or null fails before that.
    fn converted_key(&mut self, object: Reg, key: Reg, position: u32) -> Reg {
        let converted = self.result_register();
        self.builder.emit_into(converted, Op::Copy(key));
        let (convert, end) = (self.builder.new_block(), self.builder.new_block());
        let nullish = self.builder.emit(Op::IsNullish(object));
        self.builder.branch(nullish, end, convert);
        self.builder.switch_to(convert);
        let value = self.emit_at(position, Op::Unary(Unary::ToPropertyKey, key));
        self.builder.emit_into(converted, Op::Copy(value));
        self.builder.fall_into(end);
        converted
    }

    /// Stack traces place the failure of an assignment at its operator.
    fn operator_position(&self, assignment: &AssignmentExpression<'_>) -> u32 {
        self.module.position_of(assignment.left.span().end, assignment.operator.as_str())
    }

    fn logical_assignment(
        &mut self,
        assignment: &AssignmentExpression<'_>,
        reference: &Reference<'_, '_>,
    ) -> Result<Reg> {
        let result = self.result_register();
        let (assign, end) = (self.builder.new_block(), self.builder.new_block());
        let old = self.read(reference)?;
        self.builder.emit_into(result, Op::Copy(old));
        match assignment.operator {
            AssignmentOperator::LogicalAnd => self.builder.branch(result, assign, end),
            AssignmentOperator::LogicalOr => self.builder.branch(result, end, assign),
            _ => {
                let nullish = self.builder.emit(Op::IsNullish(result));
                self.builder.branch(nullish, assign, end);
            }
        }
        self.builder.switch_to(assign);
        let value = self.named(&assignment.right, reference_name(&assignment.left))?;
        self.builder.emit_into(result, Op::Copy(value));
        let position = self.operator_position(assignment);
        self.write(reference, result, position)?;
        self.builder.fall_into(end);
        Ok(result)
    }

    /// `x++` and the like. Without `wanted` the value is of no use to anyone.
    pub(super) fn update(&mut self, update: &UpdateExpression<'_>, wanted: bool) -> Result<Reg> {
        let operator = if update.operator == UpdateOperator::Increment { Unary::Inc } else { Unary::Dec };
        let reference = self.simple_reference(&update.argument, None)?;
        let old = self.read(&reference)?;
        self.builder.position = update.span.start;
        let old = self.builder.emit(Op::Unary(Unary::ToNumeric, old));
        let new = self.builder.emit(Op::Unary(operator, old));
        let written = self.write(&reference, new, update.span.start)?;
        Ok(if update.prefix || !wanted { written } else { old })
    }

    /// Evaluates object and key of a target. `later` is evaluated before the assignment happens.
    pub(super) fn reference<'b, 'a>(
        &mut self,
        target: &'b AssignmentTarget<'a>,
        later: Option<&Expression<'_>>,
    ) -> Result<Reference<'b, 'a>> {
        match target.as_simple_assignment_target() {
            Some(simple) => self.simple_reference(simple, later),
            None => Err(Refusal::new("it assigns to a pattern with an operator", target.span().start)),
        }
    }

    fn simple_reference<'b, 'a>(
        &mut self,
        target: &'b SimpleAssignmentTarget<'a>,
        later: Option<&Expression<'_>>,
    ) -> Result<Reference<'b, 'a>> {
        let later: &[&Expression<'_>] = later.as_slice();
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) => Ok(self.variable_reference(identifier)),
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                let position = member.property.span.start;
                if matches!(member.object, Expression::Super(_)) {
                    let this = self.read_this(position);
                    let key = self.string_value(&member.property.name);
                    return Ok(self.super_reference(this, key, position));
                }
                let object = self.expression(&member.object)?;
                let object = self.stable_before(object, later);
                Ok(Reference::Property { object, key: self.module.string(&member.property.name), position })
            }
            SimpleAssignmentTarget::ComputedMemberExpression(member) => {
                let position = member.expression.span().start;
                if matches!(member.object, Expression::Super(_)) {
                    let this = self.read_this(position);
                    let key = self.expression(&member.expression)?;
                    let key = self.stable_before(key, later);
                    return Ok(self.super_reference(this, key, position));
                }
                let object = self.expression(&member.object)?;
                let object = self.stable_before(object, &[&member.expression]);
                let object = self.stable_before(object, later);
                if let Some(key) = super::expressions::static_key(&member.expression) {
                    return Ok(Reference::Property { object, key: self.module.string(key), position });
                }
                let key = self.expression(&member.expression)?;
                let key = self.stable_before(key, later);
                Ok(Reference::Element { object, key, position })
            }
            SimpleAssignmentTarget::PrivateFieldExpression(member) => {
                let object = self.expression(&member.object)?;
                let object = self.stable_before(object, later);
                let name = self.private_name(&member.field)?;
                Ok(Reference::Private { object, name, position: member.field.span.start })
            }
            other => Err(Refusal::new("it has syntax that is not JavaScript", other.span().start)),
        }
    }

    pub(super) fn variable_reference<'b, 'a>(&mut self, identifier: &'b IdentifierReference<'a>) -> Reference<'b, 'a> {
        match self.find_in_objects(identifier) {
            Some(found) => Reference::Found { identifier, found },
            None => Reference::Variable(identifier),
        }
    }

    fn super_reference<'b, 'a>(&mut self, this: Reg, key: Reg, position: u32) -> Reference<'b, 'a> {
        let callee = self.read_implicit(Implicit::Callee);
        Reference::Super { callee, key, this, position }
    }

    pub(super) fn read(&mut self, reference: &Reference<'_, '_>) -> Result<Reg> {
        match *reference {
            Reference::Variable(identifier) => self.read_declared(identifier),
            Reference::Found { identifier, found } => {
                self.read_found(identifier, found, |this| this.read_declared(identifier))
            }
            Reference::Property { object, key, position } => Ok(self.emit_at(position, Op::Get(object, key))),
            Reference::Element { object, key, position } => Ok(self.emit_at(position, Op::GetElement(object, key))),
            Reference::Private { object, name, position } => Ok(self.emit_at(position, Op::GetPrivate(object, name))),
            Reference::Super { callee, key, this, position } => {
                Ok(self.emit_at(position, Op::GetSuper { callee, key, this }))
            }
        }
    }

    /// Assigns. Answers a register that holds the value afterwards.
    pub(super) fn write(&mut self, reference: &Reference<'_, '_>, value: Reg, position: u32) -> Result<Reg> {
        self.builder.position = position;
        self.builder.perform(match *reference {
            Reference::Variable(identifier) => {
                let temporary = !self.variables.contains(&value);
                return Ok(self.assign_identifier(identifier, value, temporary));
            }
            Reference::Found { identifier, found } => return self.write_found(identifier, found, value),
            Reference::Property { object, key, .. } => Op::Set(object, key, value),
            Reference::Element { object, key, .. } => Op::SetElement(object, key, value),
            Reference::Private { object, name, .. } => Op::SetPrivate(object, name, value),
            Reference::Super { callee, key, this, .. } => Op::SetSuper { callee, key, this, value },
        });
        Ok(value)
    }

    fn emit_at(&mut self, position: u32, op: Op) -> Reg {
        self.builder.position = position;
        self.builder.emit(op)
    }
}

/// The name an anonymous function takes from what it is assigned to.
fn reference_name<'b>(target: &'b AssignmentTarget<'_>) -> &'b str {
    match target {
        AssignmentTarget::AssignmentTargetIdentifier(identifier) => identifier.name.as_str(),
        _ => "",
    }
}

/// The operator of a compound assignment; `None` for the logical ones.
fn binary_operator(operator: AssignmentOperator) -> Option<Binary> {
    Some(match operator {
        AssignmentOperator::Addition => Binary::Add,
        AssignmentOperator::Subtraction => Binary::Sub,
        AssignmentOperator::Multiplication => Binary::Mul,
        AssignmentOperator::Division => Binary::Div,
        AssignmentOperator::Remainder => Binary::Rem,
        AssignmentOperator::Exponential => Binary::Exp,
        AssignmentOperator::ShiftLeft => Binary::Shl,
        AssignmentOperator::ShiftRight => Binary::Shr,
        AssignmentOperator::ShiftRightZeroFill => Binary::UShr,
        AssignmentOperator::BitwiseOR => Binary::BitOr,
        AssignmentOperator::BitwiseXOR => Binary::BitXor,
        AssignmentOperator::BitwiseAnd => Binary::BitAnd,
        _ => return None,
    })
}
