//! Random JavaScript programs that end and print what they compute: the same on every engine.

mod choices;
mod expressions;
mod functions;
mod statements;

pub use choices::{Choices, Shrinking};

/// What programs print with, and the fuel that ends their loops: a module of its own, compiled once.
pub const PRELUDE: &str = include_str!("prelude.js");

/// The module that [`IMPORT`] names.
pub const PRELUDE_PATH: &str = "prelude.mjs";

/// The first line of a program.
pub const IMPORT: &str = "import { burn, cut, print, show, tag, take } from './prelude.mjs';\n";

/// Statements at the top of a program, at most.
const STATEMENTS: usize = 12;

/// The program that follows from these decisions.
pub fn program(choices: &mut Choices) -> String {
    let mut writer =
        Writer { choices, text: IMPORT.to_owned(), scopes: vec![Vec::new()], names: 0, place: Place::default() };
    for _ in 0..=writer.choices.below(STATEMENTS) {
        writer.guarded_statement();
    }
    writer.print_variables();
    writer.text
}

/// What a variable usually holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    List,
    Record,
    Function,
    Any,
}

#[derive(Clone)]
struct Variable {
    name: String,
    kind: Kind,
    constant: bool,
}

/// What may stand here.
#[derive(Clone, Copy, Default)]
struct Place {
    depth: usize,
    looping: bool,
    function: bool,
    method: bool,
    asynchronous: bool,
    generator: bool,
}

struct Writer<'c> {
    choices: &'c mut Choices,
    text: String,
    scopes: Vec<Vec<Variable>>,
    names: usize,
    place: Place,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn declare(&mut self, name: &str, kind: Kind, constant: bool) {
        let variable = Variable { name: name.to_owned(), kind, constant };
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(variable);
        }
    }

    /// A visible variable of that kind, if there is one.
    fn variable(&mut self, wanted: impl Fn(&Variable) -> bool) -> Option<String> {
        let fitting: Vec<&Variable> = self.scopes.iter().flatten().filter(|variable| wanted(variable)).collect();
        if fitting.is_empty() {
            return None;
        }
        // The newest is the simplest: it needs the fewest other statements.
        let chosen = fitting.len() - 1 - self.choices.below(fitting.len());
        Some(fitting[chosen].name.clone())
    }

    /// Writes inside a scope of its own, at a place.
    fn scoped<T>(&mut self, place: Place, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.place, place);
        self.scopes.push(Vec::new());
        let result = write(self);
        self.scopes.pop();
        self.place = outer;
        result
    }

    /// What `write` adds to the text, taken out of it.
    fn captured(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let start = self.text.len();
        write(self);
        self.text.split_off(start)
    }

    fn deeper(&self) -> Place {
        Place { depth: self.place.depth + 1, ..self.place }
    }
}
