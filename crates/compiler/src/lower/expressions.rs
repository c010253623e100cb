//! Expressions: dispatch, operators, member access, conditions, optional chains.

use convex_wasm_abi::value;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::facts::Implicit;
use super::function::{Code, FunctionLowerer};
use super::{PrivateName, Refusal, Result, text};
use crate::ir::{Binary, Block, ConstantValue, Op, Reg, Unary};

const TYPESCRIPT: &str = "it has syntax that is not JavaScript";

impl FunctionLowerer<'_, '_> {
    /// Evaluates an expression. The register may be a variable's; see [`Self::stable`].
    pub(super) fn expression(&mut self, expression: &Expression<'_>) -> Result<Reg> {
        self.builder.position = expression.span().start;
        let register = match expression {
            Expression::BooleanLiteral(literal) => self.builder.boolean(literal.value),
            Expression::NullLiteral(_) => self.special(value::NULL),
            Expression::NumericLiteral(literal) => self.builder.emit(Op::Number(literal.value)),
            Expression::BigIntLiteral(literal) => self.constant_value(ConstantValue::BigInt(literal.value.to_string())),
            Expression::StringLiteral(literal) => self.string_literal(literal),
            Expression::RegExpLiteral(literal) => self.regexp(literal),
            Expression::TemplateLiteral(template) => self.template(template)?,
            Expression::Identifier(identifier) => self.read_identifier(identifier)?,
            Expression::ThisExpression(this) => self.read_this(this.span.start),
            Expression::ArrayExpression(array) => self.array(array)?,
            Expression::ObjectExpression(object) => self.object(object)?,
            Expression::ArrowFunctionExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::ClassExpression(_) => self.named(expression, "")?,
            Expression::AssignmentExpression(assignment) => self.assignment(assignment)?,
            Expression::UpdateExpression(update) => self.update(update, true)?,
            Expression::UnaryExpression(unary) => self.unary(unary)?,
            Expression::BinaryExpression(binary) => self.binary(binary)?,
            Expression::LogicalExpression(logical) => self.logical(logical)?,
            Expression::ConditionalExpression(conditional) => self.conditional(conditional)?,
            Expression::SequenceExpression(sequence) => self.sequence(sequence)?,
            Expression::PrivateInExpression(private) => self.private_in(private)?,
            Expression::StaticMemberExpression(member) => self.static_member(member)?,
            Expression::ComputedMemberExpression(member) => self.computed_member(member)?,
            Expression::PrivateFieldExpression(member) => self.private_member(member)?,
            Expression::CallExpression(call) => self.call(call)?,
            Expression::NewExpression(new) => self.construct(new)?,
            Expression::TaggedTemplateExpression(tagged) => self.tagged_template(tagged)?,
            Expression::ChainExpression(chain) => self.chain(chain)?,
            Expression::AwaitExpression(await_expression) => self.await_expression(await_expression)?,
            Expression::YieldExpression(yield_expression) => self.yield_expression(yield_expression)?,
            Expression::ImportExpression(import) => self.dynamic_import(import)?,
            Expression::ImportMeta(_) => self.builder.emit(Op::ImportMeta),
            Expression::NewTarget(_) => self.read_implicit(Implicit::NewTarget),
            Expression::ParenthesizedExpression(inner) => self.expression(&inner.expression)?,
            other => return Err(Refusal::new(TYPESCRIPT, other.span().start)),
        };
        Ok(register)
    }

    /// Evaluates for the effect only.
    pub(super) fn effect(&mut self, expression: &Expression<'_>) -> Result<()> {
        match expression {
            Expression::UpdateExpression(update) => self.update(update, false)?,
            Expression::SequenceExpression(sequence) => {
                for expression in &sequence.expressions {
                    self.effect(expression)?;
                }
                return Ok(());
            }
            other => self.expression(other)?,
        };
        Ok(())
    }

    /// Evaluates an expression; if it is an anonymous function or class, it gets the name.
    pub(super) fn named(&mut self, expression: &Expression<'_>, name: &str) -> Result<Reg> {
        match expression {
            Expression::FunctionExpression(function) => {
                let name = function.id.as_ref().map_or(name, |id| id.name.as_str());
                let Some(scope) = function.scope_id.get() else {
                    return Err(Refusal::new(TYPESCRIPT, function.span.start));
                };
                let id = self.module.facts.function_of_scope(scope);
                self.builder.position = function.span.start;
                Ok(self.closure(id, name, Code::Function(function)))
            }
            Expression::ArrowFunctionExpression(arrow) => {
                let Some(scope) = arrow.scope_id.get() else {
                    return Err(Refusal::new(TYPESCRIPT, arrow.span.start));
                };
                let id = self.module.facts.function_of_scope(scope);
                self.builder.position = arrow.span.start;
                Ok(self.closure(id, name, Code::Arrow(arrow)))
            }
            Expression::ClassExpression(class) => self.class(class, name),
            Expression::ParenthesizedExpression(inner) => self.named(&inner.expression, name),
            other => self.expression(other),
        }
    }

    /// Evaluates expressions from left to right so that none sees a later one's assignments.
    pub(super) fn operands(&mut self, expressions: &[&Expression<'_>]) -> Result<Vec<Reg>> {
        let mut registers = Vec::with_capacity(expressions.len());
        for (index, expression) in expressions.iter().enumerate() {
            let register = self.expression(expression)?;
            registers.push(self.stable_before(register, &expressions[index + 1..]));
        }
        Ok(registers)
    }

    /// [`Self::stable`] against expressions that are evaluated later.
    pub(super) fn stable_before(&mut self, register: Reg, later: &[&Expression<'_>]) -> Reg {
        let assigns = self.mutable.contains(&register) && later.iter().any(|expression| may_assign(expression));
        self.stable(register, assigns)
    }

    fn unary(&mut self, unary: &UnaryExpression<'_>) -> Result<Reg> {
        let operator = match unary.operator {
            UnaryOperator::Typeof => {
                let operand = match &unary.argument {
                    Expression::Identifier(identifier) => self.read_for_typeof(identifier)?,
                    other => self.expression(other)?,
                };
                return Ok(self.builder.emit(Op::Unary(Unary::TypeOf, operand)));
            }
            UnaryOperator::Void => {
                self.effect(&unary.argument)?;
                return Ok(self.builder.undefined());
            }
            UnaryOperator::Delete => return self.delete(&unary.argument),
            UnaryOperator::UnaryNegation => {
                if let Expression::NumericLiteral(literal) = &unary.argument {
                    return Ok(self.builder.emit(Op::Number(-literal.value)));
                }
                Unary::Neg
            }
            UnaryOperator::UnaryPlus => Unary::Plus,
            UnaryOperator::LogicalNot => Unary::Not,
            UnaryOperator::BitwiseNot => Unary::BitNot,
        };
        let operand = self.expression(&unary.argument)?;
        self.builder.position = unary.span.start;
        Ok(self.builder.emit(Op::Unary(operator, operand)))
    }

    fn delete(&mut self, target: &Expression<'_>) -> Result<Reg> {
        match target {
            Expression::ChainExpression(chain) => self.in_chain(
                |this| match &chain.expression {
                    ChainElement::StaticMemberExpression(member) => this.delete_static(member),
                    ChainElement::ComputedMemberExpression(member) => this.delete_computed(member),
                    _ => {
                        this.chain_element(&chain.expression)?;
                        Ok(this.builder.boolean(true))
                    }
                },
                value::TRUE,
            ),
            Expression::StaticMemberExpression(member) => self.delete_static(member),
            Expression::ComputedMemberExpression(member) => self.delete_computed(member),
            Expression::Identifier(identifier) => self.delete_variable(identifier),
            other => {
                self.effect(other)?;
                Ok(self.builder.boolean(true))
            }
        }
    }

    /// Only in sloppy code: globals that no script has declared can be deleted, other variables cannot.
    fn delete_variable(&mut self, identifier: &IdentifierReference<'_>) -> Result<Reg> {
        match self.find_in_objects(identifier) {
            Some(found) => self.delete_found(identifier, found, |this| this.delete_declared(identifier)),
            None => self.delete_declared(identifier),
        }
    }

    fn delete_declared(&mut self, identifier: &IdentifierReference<'_>) -> Result<Reg> {
        if self.is_local(identifier) {
            return Ok(self.builder.boolean(false));
        }
        let global = self.global_object();
        let key = self.string_value(&identifier.name);
        self.builder.position = identifier.span.start;
        Ok(self.builder.emit(Op::Delete(global, key)))
    }

    fn delete_static(&mut self, member: &StaticMemberExpression<'_>) -> Result<Reg> {
        if matches!(member.object, Expression::Super(_)) {
            return Ok(self.delete_super());
        }
        let object = self.member_object(&member.object, member.optional)?;
        let key = self.string_value(&member.property.name);
        self.builder.position = member.property.span.start;
        Ok(self.builder.emit(Op::Delete(object, key)))
    }

    fn delete_computed(&mut self, member: &ComputedMemberExpression<'_>) -> Result<Reg> {
        if matches!(member.object, Expression::Super(_)) {
            return Ok(self.delete_super());
        }
        let object = self.member_object(&member.object, member.optional)?;
        let object = self.stable_before(object, &[&member.expression]);
        let key = self.expression(&member.expression)?;
        Ok(self.builder.emit(Op::Delete(object, key)))
    }

    fn delete_super(&mut self) -> Reg {
        self.throw_error(true, "Unsupported reference to 'super'");
        self.builder.undefined()
    }

    fn binary(&mut self, binary: &BinaryExpression<'_>) -> Result<Reg> {
        let left = self.expression(&binary.left)?;
        let left = self.stable_before(left, &[&binary.right]);
        let right = self.expression(&binary.right)?;
        self.builder.position = self.module.position_of(binary.left.span().end, binary.operator.as_str());
        Ok(self.builder.emit(Op::Binary(binary_operator(binary.operator), left, right)))
    }

    fn logical(&mut self, logical: &LogicalExpression<'_>) -> Result<Reg> {
        let result = self.result_register();
        let (evaluate, end) = (self.builder.new_block(), self.builder.new_block());
        let left = self.expression(&logical.left)?;
        self.builder.emit_into(result, Op::Copy(left));
        match logical.operator {
            LogicalOperator::And => self.builder.branch(result, evaluate, end),
            LogicalOperator::Or => {
                self.builder.branch(result, end, evaluate);
                self.builder.switch_to(evaluate);
            }
            LogicalOperator::Coalesce => {
                let nullish = self.builder.emit(Op::IsNullish(result));
                self.builder.branch(nullish, evaluate, end);
            }
        }
        let right = self.expression(&logical.right)?;
        self.builder.emit_into(result, Op::Copy(right));
        self.builder.fall_into(end);
        Ok(result)
    }

    fn conditional(&mut self, conditional: &ConditionalExpression<'_>) -> Result<Reg> {
        let result = self.result_register();
        let (then, otherwise, end) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        self.condition(&conditional.test, then, otherwise)?;
        self.builder.switch_to(then);
        let value = self.expression(&conditional.consequent)?;
        self.builder.emit_into(result, Op::Copy(value));
        self.builder.jump(end);
        self.builder.switch_to(otherwise);
        let value = self.expression(&conditional.alternate)?;
        self.builder.emit_into(result, Op::Copy(value));
        self.builder.fall_into(end);
        Ok(result)
    }

    /// Goes to `then` or `otherwise` by the truth of an expression, without making a boolean of it.
    pub(super) fn condition(&mut self, test: &Expression<'_>, then: Block, otherwise: Block) -> Result<()> {
        match test {
            Expression::LogicalExpression(logical) if logical.operator != LogicalOperator::Coalesce => {
                let right = self.builder.new_block();
                match logical.operator {
                    LogicalOperator::And => self.condition(&logical.left, right, otherwise)?,
                    _ => self.condition(&logical.left, then, right)?,
                }
                self.builder.switch_to(right);
                self.condition(&logical.right, then, otherwise)
            }
            Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::LogicalNot => {
                self.condition(&unary.argument, otherwise, then)
            }
            Expression::ParenthesizedExpression(inner) => self.condition(&inner.expression, then, otherwise),
            _ => {
                let condition = self.expression(test)?;
                self.builder.terminate(crate::ir::Terminator::Branch { condition, then, otherwise });
                Ok(())
            }
        }
    }

    fn sequence(&mut self, sequence: &SequenceExpression<'_>) -> Result<Reg> {
        let Some((last, first)) = sequence.expressions.split_last() else { return Ok(self.builder.undefined()) };
        for expression in first {
            self.effect(expression)?;
        }
        self.expression(last)
    }

    fn private_in(&mut self, private: &PrivateInExpression<'_>) -> Result<Reg> {
        let object = self.expression(&private.right)?;
        let name = self.private_name(&private.left)?;
        self.builder.position = private.span.start;
        Ok(self.builder.emit(Op::HasPrivate(name, object)))
    }

    /// A register with the private symbol of `#name`.
    pub(super) fn private_name(&mut self, identifier: &PrivateIdentifier<'_>) -> Result<Reg> {
        let Some(PrivateName { first, slot }) = self.module.private_name(&identifier.name) else {
            return Err(Refusal::new("it uses an undeclared private name", identifier.span.start));
        };
        Ok(match slot {
            Some(slot) => {
                let env = self.env_register(slot.env);
                self.builder.emit(Op::PrivateName { env, slot: slot.slot, first })
            }
            None => self.builder.emit(Op::Constant(first)),
        })
    }

    // ---- member access ----

    /// The object of a member access; with `?.` the chain is cut short if it is nullish.
    pub(super) fn member_object(&mut self, object: &Expression<'_>, optional: bool) -> Result<Reg> {
        let register = self.expression(object)?;
        if optional {
            self.cut_chain_if_nullish(register);
        }
        Ok(register)
    }

    pub(super) fn cut_chain_if_nullish(&mut self, register: Reg) {
        if let Some(exit) = self.chain_exit {
            let go_on = self.builder.new_block();
            let nullish = self.builder.emit(Op::IsNullish(register));
            self.builder.branch(nullish, exit, go_on);
            self.builder.switch_to(go_on);
        }
    }

    pub(super) fn static_member(&mut self, member: &StaticMemberExpression<'_>) -> Result<Reg> {
        if matches!(member.object, Expression::Super(_)) {
            let this = self.read_this(member.span.start);
            let key = self.string_value(&member.property.name);
            return Ok(self.super_member(this, key, member.span.start));
        }
        let object = self.member_object(&member.object, member.optional)?;
        let key = self.module.string(&member.property.name);
        self.builder.position = member.property.span.start;
        Ok(self.builder.emit(Op::Get(object, key)))
    }

    pub(super) fn computed_member(&mut self, member: &ComputedMemberExpression<'_>) -> Result<Reg> {
        if matches!(member.object, Expression::Super(_)) {
            let this = self.read_this(member.span.start);
            let key = self.expression(&member.expression)?;
            return Ok(self.super_member(this, key, member.span.start));
        }
        let object = self.member_object(&member.object, member.optional)?;
        let object = self.stable_before(object, &[&member.expression]);
        if let Some(key) = static_key(&member.expression) {
            let key = self.module.string(key);
            self.builder.position = member.expression.span().start;
            return Ok(self.builder.emit(Op::Get(object, key)));
        }
        let key = self.expression(&member.expression)?;
        self.builder.position = member.expression.span().start;
        Ok(self.builder.emit(Op::GetElement(object, key)))
    }

    pub(super) fn private_member(&mut self, member: &PrivateFieldExpression<'_>) -> Result<Reg> {
        let object = self.member_object(&member.object, member.optional)?;
        let name = self.private_name(&member.field)?;
        self.builder.position = member.field.span.start;
        Ok(self.builder.emit(Op::GetPrivate(object, name)))
    }

    fn super_member(&mut self, this: Reg, key: Reg, position: u32) -> Reg {
        let callee = self.read_implicit(Implicit::Callee);
        self.builder.position = position;
        self.builder.emit(Op::GetSuper { callee, key, this })
    }

    // ---- optional chains ----

    fn chain(&mut self, chain: &ChainExpression<'_>) -> Result<Reg> {
        self.in_chain(|this| this.chain_element(&chain.expression), value::UNDEFINED)
    }

    pub(super) fn chain_element(&mut self, element: &ChainElement<'_>) -> Result<Reg> {
        match element {
            ChainElement::CallExpression(call) => self.call(call),
            ChainElement::StaticMemberExpression(member) => self.static_member(member),
            ChainElement::ComputedMemberExpression(member) => self.computed_member(member),
            ChainElement::PrivateFieldExpression(member) => self.private_member(member),
            ChainElement::TSNonNullExpression(other) => Err(Refusal::new(TYPESCRIPT, other.span.start)),
        }
    }

    /// Evaluates a chain; if it is cut short the result is the word `otherwise`.
    pub(super) fn in_chain(&mut self, evaluate: impl FnOnce(&mut Self) -> Result<Reg>, otherwise: u64) -> Result<Reg> {
        let (exit, end) = (self.builder.new_block(), self.builder.new_block());
        let outer = self.chain_exit.replace(exit);
        let evaluated = evaluate(self);
        self.chain_exit = outer;
        let register = evaluated?;
        let result = self.result_register();
        self.builder.emit_into(result, Op::Copy(register));
        self.builder.jump(end);
        self.builder.switch_to(exit);
        self.builder.emit_into(result, Op::Special(otherwise));
        self.builder.fall_into(end);
        Ok(result)
    }
}

/// The key of `o["key"]` if it can be used like `o.key`.
pub(super) fn static_key<'b>(key: &'b Expression<'_>) -> Option<&'b str> {
    match key {
        Expression::StringLiteral(literal) if !literal.lone_surrogates && !text::is_index(&literal.value) => {
            Some(literal.value.as_str())
        }
        _ => None,
    }
}

/// Whether evaluating an expression can assign to a local variable. Only code of the same function can, since
/// variables that closures assign are in environments.
pub(super) fn may_assign(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::BooleanLiteral(_)
        | Expression::NullLiteral(_)
        | Expression::NumericLiteral(_)
        | Expression::BigIntLiteral(_)
        | Expression::StringLiteral(_)
        | Expression::RegExpLiteral(_)
        | Expression::Identifier(_)
        | Expression::ThisExpression(_)
        | Expression::Super(_)
        | Expression::ArrowFunctionExpression(_)
        | Expression::FunctionExpression(_)
        | Expression::ImportMeta(_)
        | Expression::NewTarget(_) => false,
        Expression::TemplateLiteral(template) => template.expressions.iter().any(may_assign),
        Expression::UnaryExpression(unary) => may_assign(&unary.argument),
        Expression::BinaryExpression(binary) => may_assign(&binary.left) || may_assign(&binary.right),
        Expression::LogicalExpression(logical) => may_assign(&logical.left) || may_assign(&logical.right),
        Expression::ConditionalExpression(conditional) => {
            may_assign(&conditional.test) || may_assign(&conditional.consequent) || may_assign(&conditional.alternate)
        }
        Expression::StaticMemberExpression(member) => may_assign(&member.object),
        Expression::PrivateFieldExpression(member) => may_assign(&member.object),
        Expression::ComputedMemberExpression(member) => may_assign(&member.object) || may_assign(&member.expression),
        Expression::CallExpression(call) => may_assign(&call.callee) || call.arguments.iter().any(argument_may_assign),
        Expression::NewExpression(new) => may_assign(&new.callee) || new.arguments.iter().any(argument_may_assign),
        Expression::AwaitExpression(await_expression) => may_assign(&await_expression.argument),
        _ => true,
    }
}

fn argument_may_assign(argument: &Argument<'_>) -> bool {
    match argument {
        Argument::SpreadElement(spread) => may_assign(&spread.argument),
        other => other.as_expression().is_none_or(may_assign),
    }
}

fn binary_operator(operator: BinaryOperator) -> Binary {
    match operator {
        BinaryOperator::Equality => Binary::LooseEqual,
        BinaryOperator::Inequality => Binary::LooseNotEqual,
        BinaryOperator::StrictEquality => Binary::StrictEqual,
        BinaryOperator::StrictInequality => Binary::StrictNotEqual,
        BinaryOperator::LessThan => Binary::Less,
        BinaryOperator::LessEqualThan => Binary::LessEqual,
        BinaryOperator::GreaterThan => Binary::Greater,
        BinaryOperator::GreaterEqualThan => Binary::GreaterEqual,
        BinaryOperator::ShiftLeft => Binary::Shl,
        BinaryOperator::ShiftRight => Binary::Shr,
        BinaryOperator::ShiftRightZeroFill => Binary::UShr,
        BinaryOperator::Addition => Binary::Add,
        BinaryOperator::Subtraction => Binary::Sub,
        BinaryOperator::Multiplication => Binary::Mul,
        BinaryOperator::Division => Binary::Div,
        BinaryOperator::Remainder => Binary::Rem,
        BinaryOperator::Exponential => Binary::Exp,
        BinaryOperator::BitwiseOR => Binary::BitOr,
        BinaryOperator::BitwiseXOR => Binary::BitXor,
        BinaryOperator::BitwiseAnd => Binary::BitAnd,
        BinaryOperator::In => Binary::In,
        BinaryOperator::Instanceof => Binary::InstanceOf,
    }
}
