//! Calls, `new`, `super(…)`, tagged templates.

use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::facts::Implicit;
use super::function::FunctionLowerer;
use super::{Refusal, Result, text};
use crate::function_text::FORESEE;
use crate::ir::{Arguments, Constant, ConstantValue, FunctionId, Op, Reg};

/// A callee, evaluated, with the `this` it is called with.
struct Callee {
    function: Reg,
    this: Reg,
    known: Option<FunctionId>,
    /// The name of the method of `this` that the function is.
    method: Option<Constant>,
    position: u32,
}

impl Callee {
    /// A callee of which nothing is known.
    fn found(function: Reg, this: Reg, position: u32) -> Self {
        Self { function, this, known: None, method: None, position }
    }
}

impl FunctionLowerer<'_, '_> {
    pub(super) fn call(&mut self, call: &CallExpression<'_>) -> Result<Reg> {
        if matches!(call.callee, Expression::Super(_)) {
            return self.super_call(call);
        }
        if let Expression::Identifier(identifier) = &call.callee
            && identifier.name == "eval"
            && self.symbol_of(identifier).is_none()
        {
            return Err(Refusal::new("it calls eval", call.span.start));
        }
        if call.span.start >= self.module.source_end
            && let Expression::Identifier(identifier) = &call.callee
            && identifier.name == FORESEE
        {
            return self.foresee(call);
        }
        if self.is_eval_declaration(call) {
            return self.eval_declaration(call);
        }
        let name = self.callee_name(&call.callee, &call.arguments);
        let callee = self.callee(&call.callee, &call.arguments)?;
        if call.optional {
            self.cut_chain_if_nullish(callee.function);
        }
        let arguments = self.arguments(&call.arguments)?;
        self.builder.position = match &call.callee {
            Expression::Identifier(_) | Expression::StaticMemberExpression(_) => callee.position,
            other => self.module.position_of(other.span().end, "("),
        };
        let Callee { function, this, known, method, .. } = callee;
        Ok(self.builder.emit(match method {
            Some(key) => Op::CallMethod { object: this, key, method: function, arguments, name },
            None => Op::Call { callee: function, this, arguments, known, name },
        }))
    }

    /// A statement of [`crate::function_text`].
    fn foresee(&mut self, call: &CallExpression<'_>) -> Result<Reg> {
        let arguments: Vec<&Expression<'_>> = call.arguments.iter().map(argument_expression).collect();
        if let [text, maker] = self.operands(&arguments)?[..] {
            self.builder.perform(Op::ForeseeFunction(text, maker));
        }
        Ok(self.builder.undefined())
    }

    /// What errors call the callee. With arguments after a spread V8 calls indirectly, and does not know.
    fn callee_name(&mut self, callee: &Expression<'_>, arguments: &[Argument<'_>]) -> Option<Constant> {
        let spread = arguments.iter().position(Argument::is_spread);
        if spread.is_some_and(|index| index + 1 < arguments.len()) {
            return None;
        }
        Some(self.module.string(&text::describe(callee)))
    }

    fn callee(&mut self, callee: &Expression<'_>, arguments: &[Argument<'_>]) -> Result<Callee> {
        match callee {
            Expression::ChainExpression(chain) => self.chain_callee(chain),
            Expression::ParenthesizedExpression(inner) => self.callee(&inner.expression, arguments),
            Expression::StaticMemberExpression(member) => {
                let position = member.property.span.start;
                if matches!(member.object, Expression::Super(_)) {
                    let this = self.read_this(member.span.start);
                    let function = self.static_member(member)?;
                    return Ok(Callee::found(function, this, position));
                }
                let this = self.member_object(&member.object, member.optional)?;
                let this = self.stable_before_arguments(this, arguments);
                let key = self.module.string(&member.property.name);
                self.builder.position = position;
                let function = self.builder.emit(Op::GetMethod(this, key));
                Ok(Callee { method: Some(key), ..Callee::found(function, this, position) })
            }
            Expression::ComputedMemberExpression(member) => {
                let position = member.expression.span().start;
                if matches!(member.object, Expression::Super(_)) {
                    let this = self.read_this(member.span.start);
                    let function = self.computed_member(member)?;
                    return Ok(Callee::found(function, this, position));
                }
                let this = self.member_object(&member.object, member.optional)?;
                let this = self.stable_before(this, &[&member.expression]);
                let this = self.stable_before_arguments(this, arguments);
                let key = self.expression(&member.expression)?;
                self.builder.position = position;
                let function = self.builder.emit(Op::GetElement(this, key));
                Ok(Callee::found(function, this, position))
            }
            Expression::PrivateFieldExpression(member) => {
                let position = member.field.span.start;
                let this = self.member_object(&member.object, member.optional)?;
                let this = self.stable_before_arguments(this, arguments);
                let name = self.private_name(&member.field)?;
                self.builder.position = position;
                let function = self.builder.emit(Op::GetPrivate(this, name));
                Ok(Callee::found(function, this, position))
            }
            Expression::Identifier(identifier) if let Some(found) = self.find_in_objects(identifier) => {
                let this = self.receiver_of_found(identifier, found);
                let function = self.read_found(identifier, found, |this| this.read_declared(identifier))?;
                Ok(Callee::found(function, this, identifier.span.start))
            }
            other => {
                let function = self.expression(other)?;
                let function = self.stable_before_arguments(function, arguments);
                let known = self.known_callee(other);
                let this = self.builder.undefined();
                Ok(Callee { known, ..Callee::found(function, this, other.span().start) })
            }
        }
    }

    /// `(a?.b)(…)`: the parentheses end the chain, but `this` is still `a`.
    fn chain_callee(&mut self, chain: &ChainExpression<'_>) -> Result<Callee> {
        let this = self.result_register();
        let undefined = convex_wasm_abi::value::UNDEFINED;
        self.builder.emit_into(this, Op::Special(undefined));
        let function = self.in_chain(
            |lowerer| {
                let callee = match &chain.expression {
                    ChainElement::StaticMemberExpression(member) => {
                        let object = lowerer.member_object(&member.object, member.optional)?;
                        let key = lowerer.module.string(&member.property.name);
                        lowerer.builder.emit_into(this, Op::Copy(object));
                        lowerer.builder.emit(Op::Get(object, key))
                    }
                    ChainElement::ComputedMemberExpression(member) => {
                        let object = lowerer.member_object(&member.object, member.optional)?;
                        lowerer.builder.emit_into(this, Op::Copy(object));
                        let key = lowerer.expression(&member.expression)?;
                        lowerer.builder.emit(Op::GetElement(this, key))
                    }
                    ChainElement::PrivateFieldExpression(member) => {
                        let object = lowerer.member_object(&member.object, member.optional)?;
                        lowerer.builder.emit_into(this, Op::Copy(object));
                        let name = lowerer.private_name(&member.field)?;
                        lowerer.builder.emit(Op::GetPrivate(object, name))
                    }
                    other => lowerer.chain_element(other)?,
                };
                Ok(callee)
            },
            undefined,
        )?;
        Ok(Callee::found(function, this, chain.span.start))
    }

    /// The function a callee certainly is. A `var` may still be undefined where it is not certainly initialised.
    fn known_callee(&self, callee: &Expression<'_>) -> Option<FunctionId> {
        let Expression::Identifier(identifier) = callee else { return None };
        let symbol = self.symbol_of(identifier)?;
        let known = self.module.facts.known_function(symbol)?;
        let flags = self.module.scoping.symbol_flags(symbol);
        let is_var = flags.contains(oxc_semantic::SymbolFlags::FunctionScopedVariable);
        let initialized = !is_var || self.module.facts.is_initialized(symbol, self.id, identifier.span.start);
        initialized.then_some(known)
    }

    fn stable_before_arguments(&mut self, register: Reg, arguments: &[Argument<'_>]) -> Reg {
        let later: Vec<&Expression<'_>> = arguments.iter().map(argument_expression).collect();
        self.stable_before(register, &later)
    }

    pub(super) fn arguments(&mut self, arguments: &[Argument<'_>]) -> Result<Arguments> {
        let first_spread = arguments.iter().position(Argument::is_spread);
        let plain = &arguments[..first_spread.unwrap_or(arguments.len())];
        let plain: Vec<&Expression<'_>> = plain.iter().map(argument_expression).collect();
        let Some(first_spread) = first_spread else { return Ok(Arguments::List(self.operands(&plain)?)) };
        let rest = &arguments[first_spread..];
        let mut elements = self.operands(&plain)?;
        // The array copies them before the rest is evaluated.
        let array = self.builder.emit(Op::NewArray(elements.drain(..).map(Some).collect()));
        for argument in rest {
            let value = self.expression(argument_expression(argument))?;
            self.builder.perform(match argument {
                Argument::SpreadElement(spread) if rest.len() == 1 => {
                    Op::ArgumentsSpread(array, value, self.module.string(&text::describe(&spread.argument)))
                }
                Argument::SpreadElement(_) => Op::ArraySpread(array, value, None),
                _ => Op::ArrayAppend(array, value),
            });
        }
        Ok(Arguments::Array(array))
    }

    pub(super) fn construct(&mut self, new: &NewExpression<'_>) -> Result<Reg> {
        if let Expression::Identifier(identifier) = &new.callee
            && identifier.name == "Function"
            && self.symbol_of(identifier).is_none()
        {
            return Err(Refusal::new("it makes a function from text", new.span.start));
        }
        let name = self.callee_name(&new.callee, &new.arguments);
        let callee = self.expression(&new.callee)?;
        let callee = self.stable_before_arguments(callee, &new.arguments);
        let arguments = self.arguments(&new.arguments)?;
        self.builder.position = new.span.start;
        Ok(self.builder.emit(Op::Construct { callee, arguments, name }))
    }

    fn super_call(&mut self, call: &CallExpression<'_>) -> Result<Reg> {
        let arguments = self.arguments(&call.arguments)?;
        self.builder.position = call.span.start;
        self.finish_super_call(arguments)
    }

    /// Calls the parent's constructor, binds `this`, initialises fields.
    pub(super) fn finish_super_call(&mut self, arguments: Arguments) -> Result<Reg> {
        let callee = self.read_implicit(Implicit::Callee);
        let new_target = self.read_implicit(Implicit::NewTarget);
        let this = self.builder.emit(Op::SuperCall { callee, arguments, new_target });
        let bound = self.read_implicit(Implicit::This);
        let (bind, again) = (self.builder.new_block(), self.builder.new_block());
        let unbound = self.builder.emit(Op::IsEmpty(bound));
        self.builder.branch(unbound, bind, again);
        self.builder.switch_to(again);
        self.throw_error(true, "Super constructor may only be called once");
        self.builder.switch_to(bind);
        self.bind_this(this);
        self.run_instance_initializer()?;
        Ok(this)
    }

    pub(super) fn tagged_template(&mut self, tagged: &TaggedTemplateExpression<'_>) -> Result<Reg> {
        let name = self.callee_name(&tagged.tag, &[]);
        let callee = self.callee(&tagged.tag, &[])?;
        let template = self.template_object(&tagged.quasi);
        let template = self.builder.emit(Op::Constant(template));
        let function = self.stable(callee.function, true);
        let this = self.stable(callee.this, true);
        let expressions: Vec<&Expression<'_>> = tagged.quasi.expressions.iter().collect();
        let mut arguments = vec![template];
        arguments.extend(self.operands(&expressions)?);
        self.builder.position = callee.position;
        let arguments = Arguments::List(arguments);
        Ok(self.builder.emit(Op::Call { callee: function, this, arguments, known: callee.known, name }))
    }

    fn template_object(&mut self, template: &TemplateLiteral<'_>) -> Constant {
        let mut cooked = Vec::new();
        let mut raw = Vec::new();
        for quasi in &template.quasis {
            let text = quasi.value.cooked.as_ref();
            cooked.push(text.map(|text| {
                let units = text::units(text, quasi.lone_surrogates);
                self.module.constant(ConstantValue::String(units))
            }));
            raw.push(self.module.string(&quasi.value.raw));
        }
        self.module.fresh_constant(ConstantValue::Template(cooked, raw))
    }
}

fn argument_expression<'b, 'a>(argument: &'b Argument<'a>) -> &'b Expression<'a> {
    match argument {
        Argument::SpreadElement(spread) => &spread.argument,
        other => other.to_expression(),
    }
}
