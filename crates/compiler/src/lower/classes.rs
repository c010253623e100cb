//! Classes: constructor, methods, accessors, fields, private names, static blocks.
//!
//! A class with instance fields or private methods has an initialiser function, kept in the class's environment, that
//! its constructor calls on a new instance; static fields and blocks make up another one that runs once.

use std::collections::HashMap;

use convex_wasm_abi::unit::constant;
use oxc_ast::ast::*;

use super::facts::{ClassFacts, EnvKey, EnvSlot, Implicit, private_names};
use super::function::{Code, FunctionLowerer};
use super::literals::{is_anonymous_function, key_name};
use super::{PrivateName, Refusal, Result};
use crate::ir::{Arguments, ConstantValue, FunctionId, Op, Reg};

/// Kinds of `Op::AddPrivateMethod`.
const METHOD: i32 = 0;
const GETTER: i32 = 1;
const SETTER: i32 = 2;

impl FunctionLowerer<'_, '_> {
    /// Evaluates a class and initialises its name. An anonymous class gets `name`.
    pub(super) fn class(&mut self, class: &Class<'_>, name: &str) -> Result<Reg> {
        if let Some(decorator) = class.decorators.first() {
            return Err(Refusal::new("it uses decorators", decorator.span.start));
        }
        let Some(scope) = class.scope_id.get() else {
            return Err(Refusal::new("it has syntax that is not JavaScript", class.span.start));
        };
        let facts = self.module.facts;
        let Some(class_facts) = facts.classes.get(&scope) else {
            return Err(Refusal::new("it has syntax that is not JavaScript", class.span.start));
        };
        let name = class.id.as_ref().map_or(name, |id| id.name.as_str());
        self.enter_scope(Some(scope));
        self.declare_private_names(class, class_facts, EnvKey::Scope(scope));
        let outer_names = self.module.class_names.len();
        self.module.class_names.extend(class.id.as_ref().and_then(|id| id.symbol_id.get()));
        let lowered = self.class_in_scope(class, class_facts, EnvKey::Scope(scope), name);
        self.module.class_names.truncate(outer_names);
        self.module.private_names.pop();
        self.leave_scope(Some(scope));
        lowered
    }

    fn declare_private_names(&mut self, class: &Class<'_>, facts: &ClassFacts, env: EnvKey) {
        let mut names = HashMap::new();
        for (name, method) in private_names(class) {
            let mut text = name.to_owned();
            if let Some(method) = method {
                let kind = if method.r#static { constant::STATIC } else { constant::INSTANCE };
                text.extend(['\0', kind]);
                text.push_str(class.id.as_ref().map_or("", |id| id.name.as_str()));
            }
            let first = self.module.fresh_constant(ConstantValue::PrivateName(text));
            let slot = facts.private_names.get(name).map(|&slot| EnvSlot { env, slot });
            if let Some(slot) = slot {
                let fresh = self.builder.emit(Op::NewPrivateName { first });
                self.store_slot(slot, fresh);
            }
            names.insert(name.to_owned(), PrivateName { first, slot });
        }
        self.module.private_names.push(names);
    }

    fn class_in_scope(&mut self, class: &Class<'_>, facts: &ClassFacts, env: EnvKey, name: &str) -> Result<Reg> {
        let heritage = match &class.heritage {
            Some(heritage) => Some(self.expression(&heritage.expression)?),
            None => None,
        };
        if let Some((initializer, slot)) = facts.instance_initializer {
            self.module.initializers.insert(facts.constructor, (initializer, EnvSlot { env, slot }));
        }
        let constructor = self.class_constructor(class, facts.constructor, heritage, name);
        let needs_prototype = facts.instance_initializer.is_some()
            || class.body.body.iter().any(|element| matches!(element, ClassElement::MethodDefinition(_)));
        let prototype = if needs_prototype { self.builder.emit(Op::ClassPrototype(constructor)) } else { constructor };
        for element in &class.body.body {
            match element {
                ClassElement::MethodDefinition(method) if !method.kind.is_constructor() => {
                    let object = if method.r#static { constructor } else { prototype };
                    let kept = facts.private_methods.get(&method.span.start);
                    self.class_method(method, object, kept.map(|&slot| EnvSlot { env, slot }))?;
                    let is_named = method.kind.is_method() && !matches!(method.key, PropertyKey::PrivateIdentifier(_));
                    if let Some(scope) = method.value.scope_id.get().filter(|_| is_named) {
                        self.module.set_class(self.module.facts.function_of_scope(scope), name);
                    }
                }
                ClassElement::PropertyDefinition(field) => {
                    if let Some(&slot) = facts.field_keys.get(&field.span.start) {
                        let key = self.property_key(&field.key, true)?;
                        self.store_slot(EnvSlot { env, slot }, key);
                    }
                }
                ClassElement::AccessorProperty(accessor) => {
                    return Err(Refusal::new("it uses an accessor field", accessor.span.start));
                }
                _ => {}
            }
        }
        if let Some((initializer, slot)) = facts.instance_initializer {
            let function = self.initializer(class, initializer, prototype, false);
            self.store_slot(EnvSlot { env, slot }, function);
        }
        if let Some(symbol) = class.id.as_ref().and_then(|id| id.symbol_id.get()) {
            self.initialize_symbol(symbol, constructor, false);
        }
        if let Some(initializer) = facts.static_initializer {
            let function = self.initializer(class, initializer, constructor, true);
            let arguments = Arguments::List(Vec::new());
            let known = Some(initializer);
            self.builder.emit(Op::Call { callee: function, this: constructor, arguments, known, name: None });
        }
        Ok(constructor)
    }

    fn class_constructor(&mut self, class: &Class<'_>, id: FunctionId, heritage: Option<Reg>, name: &str) -> Reg {
        let chain = self.env_chain();
        let explicit = class.body.body.iter().find_map(|element| match element {
            ClassElement::MethodDefinition(method) if method.kind.is_constructor() => Some(&method.value),
            _ => None,
        });
        let code = explicit.map_or(Code::DefaultConstructor(class), |function| Code::Function(function));
        self.module.lower_function(id, name, code, &chain);
        // `toString` of a class is the text of the class, not of its constructor.
        self.module.set_source_start(id, class.span.start);
        self.module.set_source_end(id, class.span.end);
        let env = self.captured_env(id);
        self.builder.position = class.span.start;
        self.builder.emit(Op::NewClass { constructor: id, env, heritage })
    }

    fn initializer(&mut self, class: &Class<'_>, id: FunctionId, home: Reg, is_static: bool) -> Reg {
        let name = if is_static { "<static_initializer>" } else { "<instance_members_initializer>" };
        let function = self.closure(id, name, Code::Initializer { class, is_static });
        self.builder.perform(Op::SetHome(function, home));
        function
    }

    fn class_method(&mut self, method: &MethodDefinition<'_>, object: Reg, kept: Option<EnvSlot>) -> Result<()> {
        let key = self.property_key(&method.key, method.computed)?;
        let text = key_name(&method.key).filter(|_| !method.computed).unwrap_or_default();
        let name = match method.kind {
            MethodDefinitionKind::Get => format!("get {text}"),
            MethodDefinitionKind::Set => format!("set {text}"),
            _ => text,
        };
        let function = self.method(&method.value, &name, self.module.method_start(method))?;
        if method.computed {
            let prefix = private_kind(method.kind);
            self.builder.perform(Op::SetFunctionName { function, key, prefix });
        }
        if matches!(method.key, PropertyKey::PrivateIdentifier(_)) {
            self.builder.perform(Op::SetHome(function, object));
            match kept {
                Some(slot) => self.store_slot(slot, function),
                None => {
                    let kind = private_kind(method.kind);
                    self.builder.perform(Op::AddPrivateMethod { object, name: key, function, kind });
                }
            }
            return Ok(());
        }
        self.builder.perform(match method.kind {
            MethodDefinitionKind::Get => Op::DefineAccessor { object, key, function, setter: false, enumerable: false },
            MethodDefinitionKind::Set => Op::DefineAccessor { object, key, function, setter: true, enumerable: false },
            _ => Op::DefineMethod { object, key, function, enumerable: false },
        });
        Ok(())
    }

    // ---- bodies ----

    pub(super) fn default_constructor(&mut self, class: &Class<'_>) -> Result<()> {
        if class.heritage.is_none() {
            self.run_instance_initializer()?;
            let value = self.builder.undefined();
            self.finish_return(value);
            return Ok(());
        }
        let rest = self.receive_rest();
        let this = self.finish_super_call(Arguments::Array(rest))?;
        self.builder.terminate(crate::ir::Terminator::Return(this));
        Ok(())
    }

    /// Private methods first, then fields (and static blocks) in order.
    pub(super) fn initializer_code(&mut self, class: &Class<'_>, is_static: bool) -> Result<()> {
        let Some(scope) = class.scope_id.get() else { return Ok(()) };
        let facts = self.module.facts;
        let Some(class_facts) = facts.classes.get(&scope) else { return Ok(()) };
        let env = EnvKey::Scope(scope);
        let this = self.read_implicit(Implicit::This);
        if !is_static {
            for element in &class.body.body {
                let ClassElement::MethodDefinition(method) = element else { continue };
                let Some(&slot) = class_facts.private_methods.get(&method.span.start) else { continue };
                let function = self.load_slot(EnvSlot { env, slot });
                let name = self.property_key(&method.key, false)?;
                let kind = private_kind(method.kind);
                self.builder.perform(Op::AddPrivateMethod { object: this, name, function, kind });
            }
        }
        for element in &class.body.body {
            match element {
                ClassElement::PropertyDefinition(field) if field.r#static == is_static => {
                    let kept = class_facts.field_keys.get(&field.span.start);
                    self.field(field, this, kept.map(|&slot| EnvSlot { env, slot }))?;
                }
                ClassElement::StaticBlock(block) if is_static => self.static_block(block)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &PropertyDefinition<'_>, this: Reg, kept: Option<EnvSlot>) -> Result<()> {
        let key = match kept {
            Some(slot) => self.load_slot(slot),
            None => self.property_key(&field.key, false)?,
        };
        let name = key_name(&field.key).filter(|_| !field.computed).unwrap_or_default();
        let value = match &field.value {
            Some(value) => self.named(value, &name)?,
            None => self.builder.undefined(),
        };
        if kept.is_some() && field.value.as_ref().is_some_and(is_anonymous_function) {
            self.builder.perform(Op::SetFunctionName { function: value, key, prefix: 0 });
        }
        self.builder.position = field.span.start;
        self.builder.perform(match &field.key {
            PropertyKey::PrivateIdentifier(_) => Op::AddPrivate(this, key, value),
            _ => Op::DefineField(this, key, value),
        });
        Ok(())
    }

    fn static_block(&mut self, block: &StaticBlock<'_>) -> Result<()> {
        let scope = block.scope_id.get();
        self.enter_scope(scope);
        if let Some(scope) = scope {
            self.declare_variables(scope, &Default::default());
        }
        self.hoist_functions(&block.body);
        let lowered = self.statements(&block.body);
        self.leave_scope(scope);
        lowered
    }
}

fn private_kind(kind: MethodDefinitionKind) -> i32 {
    match kind {
        MethodDefinitionKind::Get => GETTER,
        MethodDefinitionKind::Set => SETTER,
        _ => METHOD,
    }
}
