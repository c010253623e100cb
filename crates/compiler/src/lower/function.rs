//! Entry of a function: what it receives, its environment, parameters, hoisted declarations.

use std::collections::{BTreeSet, HashMap};

use convex_wasm_abi::layout::frame;
use convex_wasm_abi::value;
use oxc_ast::ast::*;
use oxc_semantic::SymbolFlags;
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeId;
use oxc_syntax::symbol::SymbolId;

use super::builder::Builder;
use super::control::Control;
use super::facts::{EnvKey, Implicit};
use super::patterns::Source;
use super::{Goal, ModuleLowerer, Refusal, RefusedFunction, Result};
use crate::ir::{self, Block, Constant, FunctionId, FunctionKind, Instruction, Op, Reg, Terminator};

/// Source of a function.
#[derive(Clone, Copy)]
pub(super) enum Code<'b, 'a> {
    Module(&'b Program<'a>),
    Function(&'b Function<'a>),
    Arrow(&'b ArrowFunctionExpression<'a>),
    /// The constructor of a class that has none, with the class's span.
    DefaultConstructor(&'b Class<'a>),
    /// Instance (or static) fields, private methods and static blocks of a class.
    Initializer {
        class: &'b Class<'a>,
        is_static: bool,
    },
}

/// One function being lowered.
pub(super) struct FunctionLowerer<'f, 'm> {
    pub(super) module: &'f mut ModuleLowerer<'m>,
    pub(super) id: FunctionId,
    pub(super) kind: FunctionKind,
    pub(super) is_async: bool,
    pub(super) is_generator: bool,
    pub(super) builder: Builder,
    /// Registers of variables that no closure captures.
    pub(super) locals: HashMap<SymbolId, Reg>,
    /// Registers that are defined in more than one place: variables, results of branches.
    pub(super) variables: BTreeSet<Reg>,
    /// Those whose value may change while an expression that read them is evaluated.
    pub(super) mutable: BTreeSet<Reg>,
    /// Environments around the function, innermost last.
    pub(super) outer: Vec<EnvKey>,
    /// Registers of the environments around it, innermost first, as far as they are used.
    pub(super) hops: Vec<Reg>,
    /// Environments created by the function that are in scope, innermost last.
    pub(super) active: Vec<(EnvKey, Reg)>,
    pub(super) control: Vec<Control>,
    /// Labels of the statement about to be lowered.
    pub(super) labels: Vec<String>,
    /// Where an optional chain goes on if it is cut short.
    pub(super) chain_exit: Option<Block>,
    /// Stacks of resources of the scopes around the current statement, innermost last.
    pub(super) disposables: Vec<Reg>,
    /// Why the function needs more memory of a kind than there is.
    pub(super) too_large: Option<Refusal>,
    received: Received,
}

/// Registers filled at entry.
#[derive(Default)]
struct Received {
    parameters: Vec<Reg>,
    rest: Option<Reg>,
    this: Option<Reg>,
    new_target: Option<Reg>,
    arguments: Option<Reg>,
    callee: Option<Reg>,
    env: Option<Reg>,
}

/// Stands for a function whose enclosing function was refused, so that nothing can create it.
pub(super) fn unreached() -> ir::Function {
    refused_function("", FunctionKind::Normal, "the function around it is not compiled")
}

fn refused_function(name: &str, kind: FunctionKind, reason: &str) -> ir::Function {
    ir::Function {
        name: name.to_owned(),
        class: String::new(),
        kind,
        is_async: false,
        is_generator: false,
        strict: true,
        length: 0,
        source: (0, 0),
        parameters: Vec::new(),
        rest: None,
        this: None,
        new_target: None,
        arguments: None,
        callee: None,
        env: None,
        registers: Vec::new(),
        blocks: Vec::new(),
        refused: Some(reason.to_owned()),
    }
}

impl<'m> ModuleLowerer<'m> {
    /// Lowers a function and everything in it. `outer` are the environments at the place of its creation.
    pub(super) fn lower_function(&mut self, id: FunctionId, name: &str, code: Code<'_, '_>, outer: &[EnvKey]) {
        let is_async = code.is_async() || (id == FunctionId(0) && self.facts.has_top_level_await);
        let facts = self.facts.function(id);
        let outer = if facts.needs_env { outer.to_vec() } else { Vec::new() };
        let kind = facts.kind;
        let mut lowerer = FunctionLowerer {
            module: self,
            id,
            kind,
            is_async,
            is_generator: code.is_generator(),
            builder: Builder::new(),
            locals: HashMap::new(),
            variables: BTreeSet::new(),
            mutable: BTreeSet::new(),
            outer,
            hops: Vec::new(),
            active: Vec::new(),
            control: Vec::new(),
            labels: Vec::new(),
            chain_exit: None,
            disposables: Vec::new(),
            too_large: None,
            received: Received::default(),
        };
        let lowered = lowerer.lower_code(code);
        let too_large = lowerer.too_large.take();
        let finished = lowered.and(too_large.map_or(Ok(()), Err)).and_then(|()| lowerer.finish(code.source().0));
        let mut function = match finished {
            Ok(function) => function,
            Err(refusal) => {
                self.refusals.push((
                    id,
                    RefusedFunction {
                        name: name.to_owned(),
                        reason: refusal.reason.clone(),
                        position: refusal.position,
                    },
                ));
                refused_function(name, kind, &refusal.reason)
            }
        };
        function.name = name.to_owned();
        function.is_async = is_async;
        function.is_generator = code.is_generator();
        function.length = code.length();
        function.source = code.source();
        self.functions[id.0 as usize] = Some(function);
    }
}

/// What follows white space and comments.
fn skip_trivia(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let end = match text.get(..2) {
            Some("/*") => text.find("*/").map(|at| at + 2),
            Some("//") => text.find(['\n', '\r', '\u{2028}', '\u{2029}']),
            _ => return text,
        };
        text = end.and_then(|end| text.get(end..)).unwrap_or_default();
    }
}

impl ModuleLowerer<'_> {
    /// Makes a lowered function's text, which `toString` gives, begin elsewhere than at its parameters.
    pub(super) fn set_source_start(&mut self, id: FunctionId, start: u32) {
        if let Some(Some(function)) = self.functions.get_mut(id.0 as usize) {
            function.source.0 = start;
        }
    }

    /// Says whose method a lowered function is.
    pub(super) fn set_class(&mut self, id: FunctionId, class: &str) {
        if let Some(Some(function)) = self.functions.get_mut(id.0 as usize) {
            class.clone_into(&mut function.class);
        }
    }

    pub(super) fn set_source_end(&mut self, id: FunctionId, end: u32) {
        if let Some(Some(function)) = self.functions.get_mut(id.0 as usize) {
            function.source.1 = end;
        }
    }

    /// Where a method's text begins: behind `static`, which is not part of it.
    pub(super) fn method_start(&self, method: &MethodDefinition<'_>) -> u32 {
        let start = method.span.start;
        let text = self.source.get(start as usize..method.span.end as usize).unwrap_or_default();
        let behind = text.strip_prefix("static").filter(|_| method.r#static).map(skip_trivia);
        behind.map_or(start, |behind| method.span.end - behind.len() as u32)
    }
}

impl Code<'_, '_> {
    fn is_async(&self) -> bool {
        match self {
            Code::Function(function) => function.r#async,
            Code::Arrow(arrow) => arrow.r#async,
            _ => false,
        }
    }

    fn is_generator(&self) -> bool {
        matches!(self, Code::Function(function) if function.generator)
    }

    fn parameters(&self) -> Option<&FormalParameters<'_>> {
        match self {
            Code::Function(function) => Some(&function.params),
            Code::Arrow(arrow) => Some(&arrow.params),
            _ => None,
        }
    }

    /// The `length` property: parameters before the first with a default value.
    fn length(&self) -> u32 {
        let items = self.parameters().map_or(&[][..], |parameters| &parameters.items);
        items.iter().take_while(|item| item.initializer.is_none()).count() as u32
    }

    fn source(&self) -> (u32, u32) {
        let span = match self {
            Code::Module(program) => program.span,
            Code::Function(function) => function.span,
            Code::Arrow(arrow) => arrow.span,
            Code::DefaultConstructor(class) | Code::Initializer { class, .. } => class.span,
        };
        (span.start, span.end)
    }
}

impl FunctionLowerer<'_, '_> {
    fn lower_code(&mut self, code: Code<'_, '_>) -> Result<()> {
        self.builder.position = code.source().0;
        self.receive();
        match code {
            Code::Module(program) => {
                self.declare_globals();
                self.hoist_functions(&program.body);
                self.statements(&program.body)?;
            }
            Code::Function(function) => self.function_code(function)?,
            Code::Arrow(arrow) => self.arrow_code(arrow)?,
            Code::DefaultConstructor(class) => return self.default_constructor(class),
            Code::Initializer { class, is_static } => self.initializer_code(class, is_static)?,
        }
        self.return_at_end();
        Ok(())
    }

    /// Takes what the caller passes beside arguments, and creates the function's environment.
    fn receive(&mut self) {
        let facts = self.module.facts;
        let function = facts.function(self.id);
        if !self.outer.is_empty() {
            let env = self.builder.new_env_register();
            self.received.env = Some(env);
            self.hops.push(env);
        }
        if self.id != FunctionId(0) {
            for &implicit in &function.uses {
                let register = self.result_register();
                *self.received_slot(implicit) = Some(register);
            }
        }
        self.enter_env(function.env);
        self.create_eval_variables(function.env);
        if let (Some((first, count)), Some(arguments)) = (function.mapped, self.received.arguments) {
            let env = self.env_register(function.env);
            self.builder.emit_into(arguments, Op::MapArguments { arguments, env, first, count });
        }
        for &implicit in &function.uses {
            let Some(slot) = facts.implicit_slot(self.id, implicit) else { continue };
            // `this` of a derived constructor stays EMPTY until `super()` returns.
            if implicit == Implicit::This && self.kind == FunctionKind::DerivedConstructor {
                continue;
            }
            if let Some(register) = *self.received_slot(implicit) {
                self.store_slot(slot, register);
            }
        }
    }

    fn received_slot(&mut self, implicit: Implicit) -> &mut Option<Reg> {
        match implicit {
            Implicit::This => &mut self.received.this,
            Implicit::Arguments => &mut self.received.arguments,
            Implicit::NewTarget => &mut self.received.new_target,
            Implicit::Callee => &mut self.received.callee,
        }
    }

    /// Register of `this` and the like in the function that receives it.
    pub(super) fn received(&self, implicit: Implicit) -> Option<Reg> {
        match implicit {
            Implicit::This => self.received.this,
            Implicit::Arguments => self.received.arguments,
            Implicit::NewTarget => self.received.new_target,
            Implicit::Callee => self.received.callee,
        }
    }

    fn function_code(&mut self, function: &Function<'_>) -> Result<()> {
        let name = function.id.as_ref().filter(|_| function.is_expression());
        if let (Some(symbol), Some(callee)) = (name.and_then(|id| id.symbol_id.get()), self.received.callee) {
            match self.module.facts.symbol_slot(symbol) {
                Some(slot) => self.store_slot(slot, callee),
                None => {
                    self.locals.insert(symbol, callee);
                }
            }
        }
        if self.kind == FunctionKind::BaseConstructor {
            self.run_instance_initializer()?;
        }
        let Some(body) = &function.body else {
            return Err(Refusal::new("it has no body", function.span.start));
        };
        if let (FunctionKind::DerivedConstructor, Some(end)) = (self.kind, super_call_end(&body.statements)) {
            self.module.this_bound_at.insert(self.id, end);
        }
        self.parameters(&function.params)?;
        self.body(body, function.scope_id.get(), &function.params)
    }

    fn arrow_code(&mut self, arrow: &ArrowFunctionExpression<'_>) -> Result<()> {
        self.parameters(&arrow.params)?;
        match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => self.body(body, arrow.scope_id.get(), &arrow.params),
            expression => {
                let expression = expression.to_expression();
                let value = self.expression(expression)?;
                self.builder.position = expression.span().start;
                self.builder.terminate(Terminator::Return(value));
                Ok(())
            }
        }
    }

    fn body(
        &mut self,
        body: &FunctionBody<'_>,
        scope: Option<ScopeId>,
        parameters: &FormalParameters<'_>,
    ) -> Result<()> {
        if let Some(scope) = scope {
            let mut bound = BTreeSet::new();
            let patterns = parameters.items.iter().map(|item| &item.pattern);
            let rest = parameters.rest.iter().map(|rest| &rest.rest.argument);
            for pattern in patterns.chain(rest) {
                bound.extend(pattern.get_binding_identifiers().iter().filter_map(|id| id.symbol_id.get()));
            }
            self.declare_variables(scope, &bound);
        }
        self.hoist_functions(&body.statements);
        if self.is_generator {
            let start = self.builder.new_block();
            self.builder.terminate(Terminator::InitialYield(start));
            self.builder.switch_to(start);
        }
        self.statements(&body.statements)
    }

    fn parameters(&mut self, parameters: &FormalParameters<'_>) -> Result<()> {
        self.received.parameters = parameters.items.iter().map(|_| self.result_register()).collect();
        self.received.rest = parameters.rest.as_ref().map(|_| self.result_register());
        for identifier in parameters.items.iter().flat_map(|item| item.pattern.get_binding_identifiers()) {
            identifier.symbol_id.get().into_iter().for_each(|symbol| self.declare_lexical(symbol));
        }
        for (index, item) in parameters.items.iter().enumerate() {
            let register = self.received.parameters[index];
            if let Some(initializer) = &item.initializer {
                let name = identifier_name(&item.pattern);
                self.default_value(register, initializer, name)?;
            }
            self.bind_parameter(&item.pattern, register)?;
        }
        if let (Some(rest), Some(register)) = (&parameters.rest, self.received.rest) {
            self.bind_parameter(&rest.rest.argument, register)?;
        }
        Ok(())
    }

    /// A plain parameter that no closure captures stays in the register it came in.
    fn bind_parameter(&mut self, pattern: &BindingPattern<'_>, register: Reg) -> Result<()> {
        if let BindingPattern::BindingIdentifier(identifier) = pattern
            && let Some(symbol) = identifier.symbol_id.get()
            && self.module.facts.symbol_slot(symbol).is_none()
            && !self.module.facts.is_checked(symbol)
        {
            self.locals.insert(symbol, register);
            if self.module.scoping.symbol_is_mutated(symbol)
                || !self.module.scoping.symbol_redeclarations(symbol).is_empty()
            {
                self.mutable.insert(register);
            }
            return Ok(());
        }
        self.destructure(pattern, register, Source::Parameter)
    }

    /// All arguments as an array, for constructors that pass them on.
    pub(super) fn receive_rest(&mut self) -> Reg {
        let rest = self.result_register();
        self.received.rest = Some(rest);
        rest
    }

    /// Sets the `var` variables of a function scope to undefined, but not those in `except`.
    pub(super) fn declare_variables(&mut self, scope: ScopeId, except: &BTreeSet<SymbolId>) {
        let mut symbols: Vec<SymbolId> = self.module.scoping.iter_bindings_in(scope).collect();
        symbols.sort_unstable();
        let mut undefined = None;
        for symbol in symbols {
            let flags = self.module.scoping.symbol_flags(symbol);
            if except.contains(&symbol) {
                continue;
            }
            // A function declared in a block of sloppy code is a variable of the function around it too (ECMA-262 B.3.2).
            let is_sloppy = !self.module.facts.function(self.id).strict;
            if flags.contains(SymbolFlags::FunctionScopedVariable)
                || (is_sloppy
                    && flags.contains(SymbolFlags::Function)
                    && !flags.contains(SymbolFlags::FunctionExpression))
            {
                let arguments =
                    self.received.arguments.filter(|_| self.module.scoping.symbol_name(symbol) == "arguments");
                let value = match arguments {
                    Some(arguments) => arguments,
                    None => *undefined.get_or_insert_with(|| self.builder.undefined()),
                };
                self.initialize_symbol(symbol, value, false);
            } else {
                self.declare_lexical(symbol);
            }
        }
    }

    /// Makes the variables of a script properties of the global object (ECMA-262 16.1.7).
    fn declare_globals(&mut self) {
        let mut names: Vec<Constant> = self.module.globals.values().copied().collect();
        names.sort_unstable_by_key(|name| name.0);
        for name in names {
            self.builder.perform(Op::DeclareGlobal(name, None));
        }
    }

    /// The result of a body that ends without `return`.
    fn return_at_end(&mut self) {
        let value = match self.kind {
            FunctionKind::DerivedConstructor => self.read_this(u32::MAX),
            _ => self.builder.undefined(),
        };
        self.builder.terminate(Terminator::Return(value));
    }

    fn finish(mut self, position: u32) -> Result<ir::Function> {
        let chain = self.hops.windows(2).map(|pair| Instruction {
            result: Some(pair[1]),
            op: Op::ParentEnv(pair[0]),
            position: self.builder.position,
        });
        let chain = chain.collect();
        self.builder.prepend(chain);
        let Received { parameters, rest, this, new_target, arguments, callee, env } = self.received;
        let function = ir::Function {
            name: String::new(),
            class: String::new(),
            kind: self.kind,
            is_async: self.is_async,
            is_generator: self.is_generator,
            strict: self.module.facts.function(self.id).strict,
            length: 0,
            source: (0, 0),
            parameters,
            rest,
            this,
            new_target,
            arguments,
            callee,
            env,
            registers: std::mem::take(&mut self.builder.registers),
            blocks: self.builder.finish(),
            refused: None,
        };
        check_frame(&function, position)?;
        Ok(function)
    }

    /// Environments in scope here, innermost last: what a closure created here captures.
    pub(super) fn env_chain(&self) -> Vec<EnvKey> {
        self.outer.iter().copied().chain(self.active.iter().map(|(key, _)| *key)).collect()
    }

    /// Register of the innermost environment, if `function` needs it.
    pub(super) fn captured_env(&self, function: FunctionId) -> Option<Reg> {
        if !self.module.facts.function(function).needs_env {
            return None;
        }
        self.active.last().map(|(_, register)| *register).or(self.received.env)
    }

    /// Lowers a function and creates its closure here.
    pub(super) fn closure(&mut self, id: FunctionId, name: &str, code: Code<'_, '_>) -> Reg {
        let chain = self.env_chain();
        self.module.lower_function(id, name, code, &chain);
        let env = self.captured_env(id);
        self.builder.emit(Op::NewFunction { function: id, env })
    }

    /// Creates the closures of function declarations, so that they can be called from the scope's beginning on.
    pub(super) fn hoist_functions(&mut self, statements: &[Statement<'_>]) {
        for statement in statements {
            let function = match statement {
                Statement::FunctionDeclaration(function) => function,
                Statement::ExportDeclaration(export) => match &export.declaration {
                    Declaration::FunctionDeclaration(function) => function,
                    _ => continue,
                },
                Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => function,
                    _ => continue,
                },
                _ => continue,
            };
            let Some(scope) = function.scope_id.get() else { continue };
            let id = self.module.facts.function_of_scope(scope);
            let name = function.id.as_ref().map_or("default", |id| id.name.as_str());
            self.builder.position = function.span.start;
            if let Some(binding) = self.hoisted_binding(function) {
                let chain = self.env_chain();
                self.module.lower_function(id, name, Code::Function(function), &chain);
                self.module.module.hoisted.push((binding, id));
                continue;
            }
            let closure = self.closure(id, name, Code::Function(function));
            match function.id.as_ref().and_then(|id| id.symbol_id.get()) {
                Some(symbol) => self.initialize_function(symbol, closure),
                None => self.store_default_export(closure),
            }
        }
    }

    /// The binding of a function that the module declares: other modules may call it before this one is evaluated.
    fn hoisted_binding(&self, function: &Function<'_>) -> Option<u32> {
        if self.id != FunctionId(0) || self.module.goal == Goal::Script {
            return None;
        }
        match function.id.as_ref().and_then(|id| id.symbol_id.get()) {
            Some(symbol) => self.module.bindings.get(&symbol).copied(),
            None => self.module.default_binding,
        }
    }

    pub(super) fn store_default_export(&mut self, value: Reg) {
        if let Some(binding) = self.module.default_binding {
            self.builder.perform(Op::StoreBinding(binding, value));
        }
    }

    pub(super) fn special(&mut self, word: u64) -> Reg {
        self.builder.emit(Op::Special(word))
    }

    pub(super) fn empty(&mut self) -> Reg {
        self.special(value::EMPTY)
    }
}

/// A frame keeps what is live where the function is suspended, at most all registers.
fn check_frame(function: &ir::Function, position: u32) -> Result<()> {
    let suspends = function.is_async || function.is_generator;
    if !suspends || function.registers.len() <= frame::MAX_SLOTS as usize {
        return Ok(());
    }
    match crate::codegen::frame_slots(function) {
        slots if slots > frame::MAX_SLOTS as usize => {
            Err(Refusal::new(format!("it keeps {slots} values while it waits, too many"), position))
        }
        _ => Ok(()),
    }
}

/// The name a pattern's default value takes if it is an anonymous function.
pub(super) fn identifier_name<'b>(pattern: &'b BindingPattern<'_>) -> Option<&'b str> {
    match pattern {
        BindingPattern::BindingIdentifier(identifier) => Some(identifier.name.as_str()),
        _ => None,
    }
}

/// End of the statement `super(…);` if it is one of a constructor's own statements.
fn super_call_end(statements: &[Statement<'_>]) -> Option<u32> {
    statements.iter().find_map(|statement| match statement {
        Statement::ExpressionStatement(statement) => match &statement.expression {
            Expression::CallExpression(call) if matches!(call.callee, Expression::Super(_)) => Some(call.span.end),
            _ => None,
        },
        _ => None,
    })
}
