//! What module-level names are defined as, as far as it shows without running the module.

use std::collections::{BTreeMap, HashMap};

use oxc_ast::ast::*;

use crate::ir::Binding;
use crate::unit::Definition;

/// Definitions of a module's bindings, by index.
pub fn definitions(program: &Program<'_>, bindings: &[Binding]) -> BTreeMap<u32, Definition> {
    let names = bindings.iter().enumerate().map(|(index, binding)| (binding.name.as_str(), index as u32)).collect();
    let mut collector = Collector { names, imports: HashMap::new(), found: BTreeMap::new() };
    for statement in &program.body {
        if let Statement::ImportDeclaration(import) = statement {
            collector.import(import);
        }
    }
    for statement in &program.body {
        collector.statement(statement);
    }
    collector.found
}

struct Collector<'b> {
    names: HashMap<&'b str, u32>,
    imports: HashMap<String, Definition>,
    found: BTreeMap<u32, Definition>,
}

impl Collector<'_> {
    fn import(&mut self, import: &ImportDeclaration<'_>) {
        for item in import.specifiers.iter().flatten() {
            let (local, name) = match item {
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    (&named.local, Some(named.imported.name().to_string()))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                    (&default.local, Some("default".to_owned()))
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(namespace) => (&namespace.local, None),
            };
            let definition = Definition::Import { specifier: import.source.value.to_string(), name };
            self.imports.insert(local.name.to_string(), definition);
        }
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::VariableDeclaration(variables) => self.variables(variables),
            Statement::FunctionDeclaration(function) => self.function(function, None),
            Statement::ExpressionStatement(statement) => self.rename(&statement.expression),
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::VariableDeclaration(variables) => self.variables(variables),
                Declaration::FunctionDeclaration(function) => self.function(function, None),
                _ => {}
            },
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                    self.function(function, Some("*default*"));
                }
                other => {
                    if let Some(expression) = other.as_expression() {
                        self.define("*default*", expression);
                    }
                }
            },
            _ => {}
        }
    }

    fn variables(&mut self, variables: &VariableDeclaration<'_>) {
        for declarator in &variables.declarations {
            if let (BindingPattern::BindingIdentifier(identifier), Some(init)) = (&declarator.id, &declarator.init) {
                self.define(&identifier.name, init);
            }
        }
    }

    fn function(&mut self, function: &Function<'_>, otherwise: Option<&str>) {
        let name = function.id.as_ref().map(|id| id.name.as_str()).or(otherwise);
        if let Some((name, &index)) = name.and_then(|name| Some((name, self.names.get(name)?))) {
            self.found.insert(index, Definition::Function(name.to_owned()));
        }
    }

    fn define(&mut self, name: &str, expression: &Expression<'_>) {
        if let (Some(&index), Some(definition)) = (self.names.get(name), self.definition(name, expression)) {
            self.found.insert(index, definition);
        }
    }

    /// `__name(f, "original")`: bundlers keep the names of functions they rename.
    fn rename(&mut self, expression: &Expression<'_>) {
        let Expression::CallExpression(call) = expression else { return };
        if let [Argument::Identifier(function), Argument::StringLiteral(name)] = call.arguments.as_slice()
            && let Some(index) = self.names.get(function.name.as_str())
            && let Some(Definition::Function(known)) = self.found.get_mut(index)
        {
            *known = name.value.to_string();
        }
    }

    fn definition(&self, name: &str, expression: &Expression<'_>) -> Option<Definition> {
        match expression {
            Expression::Identifier(identifier) => self.reference(&identifier.name),
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => {
                Some(Definition::Function(name.to_owned()))
            }
            Expression::StaticMemberExpression(member) => self.member(member),
            Expression::CallExpression(call) => {
                if let [
                    Argument::FunctionExpression(_) | Argument::ArrowFunctionExpression(_),
                    Argument::StringLiteral(name),
                ] = call.arguments.as_slice()
                {
                    return Some(Definition::Function(name.value.to_string()));
                }
                Some(Definition::Call(Box::new(self.definition("", &call.callee)?)))
            }
            _ => None,
        }
    }

    fn reference(&self, name: &str) -> Option<Definition> {
        let alias = self.names.get(name).map(|&index| Definition::Alias(index));
        alias.or_else(|| self.imports.get(name).cloned())
    }

    /// `namespace.name`
    fn member(&self, member: &StaticMemberExpression<'_>) -> Option<Definition> {
        let Expression::Identifier(object) = &member.object else { return None };
        match self.imports.get(object.name.as_str())? {
            Definition::Import { specifier, name: None } => {
                Some(Definition::Import { specifier: specifier.clone(), name: Some(member.property.name.to_string()) })
            }
            _ => None,
        }
    }
}
