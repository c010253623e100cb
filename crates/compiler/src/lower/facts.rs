//! What lowering must know of a whole module before it lowers the first function; found by [`super::collect`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use oxc_ast::ast::*;
use oxc_semantic::SymbolFlags;
use oxc_syntax::scope::ScopeId;
use oxc_syntax::symbol::SymbolId;

use crate::ir::{FunctionId, FunctionKind};

/// What an arrow function takes from the function around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Implicit {
    This,
    Arguments,
    NewTarget,
    /// The function object itself: home of `super`, parent of `super()`.
    Callee,
}

/// The scope an environment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum EnvKey {
    Scope(ScopeId),
    /// Field initialisers have no scope of their own.
    Initializer(FunctionId),
}

/// A slot of an environment.
#[derive(Clone, Copy, Debug)]
pub(super) struct EnvSlot {
    pub(super) env: EnvKey,
    pub(super) slot: u32,
}

#[derive(Debug)]
pub(super) struct FunctionFacts {
    pub(super) kind: FunctionKind,
    pub(super) parent: FunctionId,
    /// The environment of the function's parameters and body, if it has any.
    pub(super) env: EnvKey,
    /// It, or a function in it, refers to an environment outside.
    pub(super) needs_env: bool,
    /// No earlier position can run it: its own start, or that of the scope a declaration is hoisted to.
    pub(super) callable_from: u32,
    /// What it, or an arrow function in it, uses.
    pub(super) uses: BTreeSet<Implicit>,
    pub(super) strict: bool,
    /// Elements of its `arguments` object are its parameters (ECMA-262 10.4.4): these have consecutive slots of its
    /// environment, of which this is the first, and their number.
    pub(super) mapped: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SymbolFacts {
    pub(super) owner: FunctionId,
    /// From this position on the variable is initialised, in straight code.
    pub(super) initialized_at: u32,
    /// Declared in a `switch`, whose cases may skip the declaration.
    pub(super) in_switch: bool,
    /// Reading it before it is initialised is an error.
    pub(super) has_dead_zone: bool,
}

/// A class: the functions that it consists of beside its methods, and what its environment keeps for them.
#[derive(Debug)]
pub(super) struct ClassFacts {
    pub(super) constructor: FunctionId,
    pub(super) instance_initializer: Option<(FunctionId, u32)>,
    pub(super) static_initializer: Option<FunctionId>,
    /// Slot of each instance private method or accessor, by position.
    pub(super) private_methods: BTreeMap<u32, u32>,
    /// Slot of each private name, if the class may be evaluated more than once and has new ones each time.
    pub(super) private_names: BTreeMap<String, u32>,
    /// Slot of each computed field key, by position.
    pub(super) field_keys: BTreeMap<u32, u32>,
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) functions: Vec<FunctionFacts>,
    pub(super) classes: HashMap<ScopeId, ClassFacts>,
    pub(super) by_scope: HashMap<ScopeId, FunctionId>,
    pub(super) symbols: HashMap<SymbolId, SymbolFacts>,
    pub(super) known: HashMap<SymbolId, FunctionId>,
    pub(super) checked: HashSet<SymbolId>,
    /// The module's body suspends itself, so it is an async function.
    pub(super) has_top_level_await: bool,
    /// Scopes with an object that may have names as properties, and where the object is: `with` statements, and functions
    /// whose variables a text given to `eval` creates.
    pub(super) object_scopes: HashMap<ScopeId, EnvSlot>,
    /// Arrow functions in place of sloppy texts given to `eval`.
    pub(super) eval_texts: HashSet<FunctionId>,
    /// Relative paths written in the module, if it has an `import()` of something not constant.
    pub(super) relative_paths: BTreeSet<String>,
    /// Globals that the module tests with `typeof` before it uses them.
    pub(super) probed_globals: BTreeSet<String>,
    pub(super) env_sizes: HashMap<EnvKey, u32>,
    pub(super) symbol_slots: HashMap<SymbolId, EnvSlot>,
    pub(super) implicit_slots: HashMap<(FunctionId, Implicit), EnvSlot>,
}

impl Facts {
    pub(super) fn function(&self, id: FunctionId) -> &FunctionFacts {
        &self.functions[id.0 as usize]
    }

    /// The function whose parameters and body a scope holds.
    pub(super) fn function_of_scope(&self, scope: ScopeId) -> FunctionId {
        self.by_scope[&scope]
    }

    /// Number of slots of a scope's environment; 0 if it has none.
    pub(super) fn env_size(&self, key: EnvKey) -> u32 {
        self.env_sizes.get(&key).copied().unwrap_or(0)
    }

    pub(super) fn symbol_slot(&self, symbol: SymbolId) -> Option<EnvSlot> {
        self.symbol_slots.get(&symbol).copied()
    }

    pub(super) fn implicit_slot(&self, function: FunctionId, implicit: Implicit) -> Option<EnvSlot> {
        self.implicit_slots.get(&(function, implicit)).copied()
    }

    /// The function the variable holds whenever it holds anything.
    pub(super) fn known_function(&self, symbol: SymbolId) -> Option<FunctionId> {
        self.known.get(&symbol).copied()
    }

    /// Whether reading the variable before it is initialised is an error.
    pub(super) fn has_dead_zone(&self, symbol: SymbolId) -> bool {
        self.symbols.get(&symbol).is_some_and(|facts| facts.has_dead_zone)
    }

    /// Whether some use of the variable may come before its initialisation.
    pub(super) fn is_checked(&self, symbol: SymbolId) -> bool {
        self.checked.contains(&symbol)
    }

    /// The function, or the script, in which a text given to `eval` creates variables.
    pub(super) fn variable_scope(&self, mut function: FunctionId) -> FunctionId {
        while self.eval_texts.contains(&function) {
            function = self.function(function).parent;
        }
        function
    }

    /// The function from which an arrow function has its `this`: the nearest that is no arrow function.
    pub(super) fn receiver(&self, mut function: FunctionId) -> FunctionId {
        while self.function(function).kind == FunctionKind::Arrow {
            function = self.function(function).parent;
        }
        function
    }

    /// Whether a lexical variable is certainly initialised where `function` reads it at `position`.
    pub(super) fn is_initialized(&self, symbol: SymbolId, function: FunctionId, position: u32) -> bool {
        let Some(facts) = self.symbols.get(&symbol) else { return false };
        if facts.in_switch {
            return false;
        }
        let mut from = position;
        let mut inner = function;
        while inner != facts.owner {
            from = self.function(inner).callable_from;
            if inner == FunctionId(0) {
                return false;
            }
            inner = self.function(inner).parent;
        }
        from >= facts.initialized_at
    }
}

pub(super) fn is_constructor(element: &ClassElement<'_>) -> bool {
    matches!(element, ClassElement::MethodDefinition(method) if method.kind.is_constructor())
}

/// The private names that a class declares, and those methods and accessors that they name; a getter and a setter share
/// their name.
pub(super) fn private_names<'a, 'b>(class: &'a Class<'b>) -> BTreeMap<&'a str, Option<&'a MethodDefinition<'b>>> {
    let names = class.body.body.iter().filter_map(|element| match element {
        ClassElement::MethodDefinition(method) => private_name(&method.key).zip(Some(Some(&**method))),
        ClassElement::PropertyDefinition(field) => private_name(&field.key).zip(Some(None)),
        _ => None,
    });
    names.collect()
}

fn private_name<'a>(key: &'a PropertyKey<'_>) -> Option<&'a str> {
    match key {
        PropertyKey::PrivateIdentifier(identifier) => Some(identifier.name.as_str()),
        _ => None,
    }
}

/// Elements that an instance initialiser sets up.
pub(super) fn is_instance_state(element: &ClassElement<'_>) -> bool {
    match element {
        ClassElement::PropertyDefinition(field) => !field.r#static,
        ClassElement::MethodDefinition(method) => {
            !method.r#static && matches!(method.key, PropertyKey::PrivateIdentifier(_))
        }
        _ => false,
    }
}

/// Elements that a static initialiser runs.
pub(super) fn is_static_state(element: &ClassElement<'_>) -> bool {
    match element {
        ClassElement::PropertyDefinition(field) => field.r#static,
        ClassElement::StaticBlock(_) => true,
        _ => false,
    }
}

/// Whether the variable has a temporal dead zone.
pub(super) fn is_lexical(flags: SymbolFlags) -> bool {
    flags.intersects(SymbolFlags::BlockScopedVariable | SymbolFlags::Class)
}

/// Whether assignments to the variable throw.
pub(super) fn is_constant(flags: SymbolFlags) -> bool {
    flags.contains(SymbolFlags::ConstVariable)
}
