//! The module itself: its variables, imports, exports, and its body as a function.

use oxc_ast::ast::*;
use oxc_semantic::SymbolFlags;
use oxc_syntax::symbol::SymbolId;

use super::facts::is_lexical;
use super::function::Code;
use super::{Goal, ModuleLowerer};
use crate::ir::{Binding, Export, FunctionId, Import};

/// Name of the binding of an anonymous default export; no source variable can have it.
const DEFAULT_BINDING: &str = "*default*";

impl ModuleLowerer<'_> {
    /// Gives every module-level variable a binding, in the order of declaration.
    pub(super) fn declare_bindings(&mut self) {
        let root = self.scoping.root_scope_id();
        let mut symbols: Vec<SymbolId> = self.scoping.iter_bindings_in(root).collect();
        symbols.sort_unstable();
        for symbol in symbols {
            let flags = self.scoping.symbol_flags(symbol);
            if flags.intersects(SymbolFlags::Import | SymbolFlags::TypeImport) {
                continue;
            }
            if self.goal == Goal::Script && !is_lexical(flags) {
                let name = self.string(self.scoping.symbol_name(symbol));
                self.globals.insert(symbol, name);
                continue;
            }
            let known_function = self.facts.known_function(symbol);
            let binding = self.add_binding(self.scoping.symbol_name(symbol), is_lexical(flags), known_function);
            self.bindings.insert(symbol, binding);
        }
    }

    fn add_binding(&mut self, name: &str, lexical: bool, known_function: Option<FunctionId>) -> u32 {
        self.module.bindings.push(Binding { name: name.to_owned(), lexical, known_function });
        self.module.bindings.len() as u32 - 1
    }

    /// Records requests, imports and exports.
    pub(super) fn declare_module(&mut self, program: &Program<'_>) {
        // Imports are hoisted: an export may name one that is written below it.
        for statement in &program.body {
            self.declare_request(statement);
            if let Statement::ImportDeclaration(import) = statement {
                self.declare_import(import);
            }
        }
        for statement in &program.body {
            self.declare_export(statement);
        }
    }

    fn declare_request(&mut self, statement: &Statement<'_>) {
        let specifier = match statement {
            Statement::ImportDeclaration(import) => &import.source,
            Statement::ExportAllDeclaration(export) => &export.source,
            Statement::ExportFromDeclaration(export) => &export.source,
            _ => return,
        };
        let specifier = specifier.value.to_string();
        if !self.module.requests.contains(&specifier) {
            self.module.requests.push(specifier);
        }
    }

    fn declare_import(&mut self, import: &ImportDeclaration<'_>) {
        let specifier = import.source.value.as_str();
        for item in import.specifiers.iter().flatten() {
            let (local, name) = match item {
                ImportDeclarationSpecifier::ImportSpecifier(named) => (&named.local, Some(named.imported.name())),
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => (&default.local, Some("default".into())),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(namespace) => (&namespace.local, None),
            };
            let slot = self.import_slot(specifier, name.map(|name| name.to_string()));
            if let Some(symbol) = local.symbol_id.get() {
                self.imports.insert(symbol, slot);
            }
        }
    }

    /// The slot of an import, the same for the same name of the same module.
    pub(super) fn import_slot(&mut self, specifier: &str, name: Option<String>) -> u32 {
        let import = Import { specifier: specifier.to_owned(), name };
        if let Some(slot) = self.module.imports.iter().position(|other| *other == import) {
            return slot as u32;
        }
        self.module.imports.push(import);
        self.module.imports.len() as u32 - 1
    }

    fn declare_export(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ExportDeclaration(export) => self.export_declaration(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => self.export_default(&export.declaration),
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    self.export_specifier(specifier);
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    self.module.exports.push(Export::From {
                        name: specifier.exported.name().to_string(),
                        specifier: export.source.value.to_string(),
                        imported: Some(specifier.local.name().to_string()),
                    });
                }
            }
            Statement::ExportAllDeclaration(export) => {
                let specifier = export.source.value.to_string();
                self.module.exports.push(match &export.exported {
                    Some(name) => Export::From { name: name.name().to_string(), specifier, imported: None },
                    None => Export::Star { specifier },
                });
            }
            _ => {}
        }
    }

    fn export_declaration(&mut self, declaration: &Declaration<'_>) {
        match declaration {
            Declaration::VariableDeclaration(variables) => {
                for declarator in &variables.declarations {
                    for identifier in declarator.id.get_binding_identifiers() {
                        self.export_symbol(&identifier.name, identifier.symbol_id.get());
                    }
                }
            }
            Declaration::FunctionDeclaration(function) => {
                if let Some(id) = &function.id {
                    self.export_symbol(&id.name, id.symbol_id.get());
                }
            }
            Declaration::ClassDeclaration(class) => {
                if let Some(id) = &class.id {
                    self.export_symbol(&id.name, id.symbol_id.get());
                }
            }
            _ => {}
        }
    }

    fn export_default(&mut self, declaration: &ExportDefaultDeclarationKind<'_>) {
        let (id, lexical) = match declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => (&function.id, false),
            ExportDefaultDeclarationKind::ClassDeclaration(class) => (&class.id, true),
            _ => (&None, true),
        };
        match id {
            Some(id) => self.export_symbol("default", id.symbol_id.get()),
            None => {
                let binding = self.add_binding(DEFAULT_BINDING, lexical, None);
                self.default_binding = Some(binding);
                self.module.exports.push(Export::Local { name: "default".to_owned(), binding });
            }
        }
    }

    fn export_specifier(&mut self, specifier: &ExportSpecifier<'_>) {
        let ModuleExportName::IdentifierReference(local) = &specifier.local else { return };
        let symbol = local.reference_id.get().and_then(|id| self.scoping.get_reference(id).symbol_id());
        self.export_symbol(&specifier.exported.name(), symbol);
    }

    /// Exports a variable of this module, or one that it imports.
    fn export_symbol(&mut self, name: &str, symbol: Option<SymbolId>) {
        let Some(symbol) = symbol else { return };
        let name = name.to_owned();
        if let Some(&binding) = self.bindings.get(&symbol) {
            self.module.exports.push(Export::Local { name, binding });
        } else if let Some(&slot) = self.imports.get(&symbol) {
            let Import { specifier, name: imported } = self.module.imports[slot as usize].clone();
            self.module.exports.push(Export::From { name, specifier, imported });
        }
    }

    pub(super) fn lower_body(&mut self, program: &Program<'_>) {
        self.lower_function(FunctionId(0), "", Code::Module(program), &[]);
    }
}
