//! Statements.

use super::{Kind, Place, Writer};

/// Blocks inside blocks, at most.
const DEEPEST: usize = 4;

impl Writer<'_> {
    /// A statement at the top: what it throws is printed and ends nothing else. Declarations stay visible.
    pub(super) fn guarded_statement(&mut self) {
        let visible = self.scopes.last().map_or(0, Vec::len);
        let statement = self.captured(Self::statement);
        let declared: Vec<String> =
            self.scopes.last().into_iter().flatten().skip(visible).map(|it| it.name.clone()).collect();
        // A declaration that must be seen by what follows cannot stand in a block.
        if declared.is_empty() {
            self.line(&format!("try {{\n{statement}}} catch (error) {{ print('caught', error); }}"));
        } else {
            let names = declared.join(", ");
            self.line(&format!("let {names};\ntry {{\n({{ {names} }} = (() => {{\n{statement}return {{ {names} }};\n}})());\n}} catch (error) {{ print('caught', error); }}"));
        }
    }

    /// Prints every variable at the top.
    pub(super) fn print_variables(&mut self) {
        let names: Vec<String> = self.scopes.iter().flatten().map(|variable| variable.name.clone()).collect();
        for name in names {
            self.line(&format!("print('{name}', {name});"));
        }
    }

    /// One statement.
    pub(super) fn statement(&mut self) {
        if self.place.depth >= DEEPEST {
            return self.simple_statement();
        }
        match self.choices.below(20) {
            0..=3 => self.simple_statement(),
            4..=6 => self.declaration(),
            7 => self.branch(),
            8 | 9 => self.counted_loop(),
            10 => self.loop_over(),
            11 => self.protected(),
            12 => self.switch(),
            13 => self.closures_in_loop(),
            14..=16 => self.function_declaration(),
            17 if self.place.depth < 2 => self.class_declaration(),
            18 => self.destructuring(),
            _ => self.labelled(),
        }
    }

    fn simple_statement(&mut self) {
        match self.choices.below(9) {
            0 | 1 => {
                let value = self.any(2);
                self.line(&format!("print('v', {value});"));
            }
            2 | 3 => self.assignment(),
            4 => {
                let (record, key, value) = (self.record(0), self.string(0), self.any(1));
                self.line(&format!("{record}[{key}] = cut({value});"));
            }
            5 => {
                let (list, at, value) = (self.list(0), self.choices.below(6), self.any(1));
                self.line(&format!("{list}[{at}] = cut({value});"));
            }
            6 if self.place.looping => {
                let (condition, jump) = (self.flag(1), self.choices.one_of(&["break", "continue"]));
                self.line(&format!("if ({condition}) {jump};"));
            }
            7 if self.place.function => {
                let (condition, value) = (self.flag(1), self.any(1));
                let leave = self.choices.one_of(&["return", "throw"]);
                self.line(&format!("if ({condition}) {leave} {value};"));
            }
            _ => {
                let call = self.call(1);
                self.line(&format!("{call};"));
            }
        }
    }

    fn assignment(&mut self) {
        let kind = [Kind::Number, Kind::Text, Kind::List, Kind::Record, Kind::Any][self.choices.below(5)];
        let Some(name) = self.variable(|variable| variable.kind == kind && !variable.constant) else {
            return self.declaration();
        };
        let value = self.expression(kind, 2);
        let operator = match kind {
            Kind::Number => self.choices.one_of(&["=", "+=", "-=", "*=", "&=", ">>=", "/="]),
            Kind::Text => self.choices.one_of(&["=", "+="]),
            _ => self.choices.one_of(&["=", "??=", "||="]),
        };
        self.line(&format!("{name} {operator} cut({value});"));
    }

    fn declaration(&mut self) {
        let kind =
            [Kind::Number, Kind::Text, Kind::List, Kind::Record, Kind::Function, Kind::Any][self.choices.below(6)];
        let value = self.expression(kind, 3);
        let name = self.fresh("v");
        let constant = self.choices.once_in(3);
        self.line(&format!("{} {name} = cut({value});", if constant { "const" } else { "let" }));
        // At the top every variable is declared by the statement's guard, which leaves it unassigned if this throws.
        self.declare(&name, kind, constant);
    }

    fn block(&mut self, place: Place) -> String {
        self.scoped(place, |writer| {
            writer.captured(|writer| {
                for _ in 0..=writer.choices.below(3) {
                    writer.statement();
                }
            })
        })
    }

    fn branch(&mut self) {
        let condition = self.flag(2);
        let (then, otherwise) = (self.block(self.deeper()), self.block(self.deeper()));
        self.line(&format!("if ({condition}) {{\n{then}}} else {{\n{otherwise}}}"));
    }

    fn counted_loop(&mut self) {
        let name = self.fresh("i");
        let count = self.choices.below(6);
        let place = Place { looping: true, ..self.deeper() };
        let body = self.scoped(place, |writer| {
            writer.declare(&name, Kind::Number, false);
            writer.block(place)
        });
        let text = match self.choices.below(3) {
            0 => format!("for (let {name} = 0; {name} < {count}; {name}++) {{\nburn();\n{body}}}"),
            1 => format!("{{\nlet {name} = {count};\nwhile ({name}-- > 0) {{\nburn();\n{body}}}\n}}"),
            _ => format!("{{\nvar {name} = 0;\ndo {{\nburn();\n{body}}} while (++{name} < {count});\n}}"),
        };
        self.line(&text);
    }

    fn loop_over(&mut self) {
        let name = self.fresh("e");
        let of = match self.choices.below(5) {
            0 | 1 => format!("of {}", self.list(2)),
            2 => format!("of {}", self.string(1)),
            3 => format!("of new Map(Object.entries({}))", self.record(1)),
            _ => format!("in {}", self.record(1)),
        };
        let place = Place { looping: true, ..self.deeper() };
        let body = self.scoped(place, |writer| {
            writer.declare(&name, Kind::Any, false);
            writer.block(place)
        });
        self.line(&format!("for (let {name} {of}) {{\nburn();\n{body}print('{name}', {name});\n}}"));
    }

    fn protected(&mut self) {
        let tried = self.block(self.deeper());
        let thrown = match self.choices.below(4) {
            0 => String::new(),
            1 => format!("throw {};\n", self.any(1)),
            2 => format!("throw new Error({}, {{ cause: 1 }});\n", self.string(1)),
            _ => "null.x;\n".to_owned(),
        };
        let name = self.fresh("x");
        let caught = self.scoped(self.deeper(), |writer| {
            writer.declare(&name, Kind::Any, false);
            writer.block(writer.place)
        });
        let last = self.block(Place { looping: false, function: false, ..self.deeper() });
        let text = match self.choices.below(3) {
            0 => format!("try {{\n{tried}{thrown}}} catch ({name}) {{\nprint('{name}', {name});\n{caught}}}"),
            1 => format!("try {{\n{tried}{thrown}}} catch ({name}) {{\n{caught}}} finally {{\n{last}}}"),
            _ => format!(
                "try {{\ntry {{\n{tried}{thrown}}} finally {{\n{last}}}\n}} catch ({name}) {{\nprint('{name}', {name});\n}}"
            ),
        };
        self.line(&text);
    }

    fn switch(&mut self) {
        let value = self.any(2);
        let mut cases = String::new();
        for _ in 0..=self.choices.below(3) {
            let label = self.any(0);
            let body = self.block(Place { looping: self.place.looping, ..self.deeper() });
            let end = self.choices.one_of(&["break;\n", ""]);
            cases.push_str(&format!("case {label}: {{\n{body}}}\n{end}"));
        }
        let body = self.block(self.deeper());
        self.line(&format!("switch ({value}) {{\n{cases}default: {{\n{body}}}\n}}"));
    }

    fn closures_in_loop(&mut self) {
        let (list, name) = (self.fresh("v"), self.fresh("i"));
        let body = self.scoped(self.function_place(), |writer| {
            writer.declare(&name, Kind::Number, false);
            writer.any(2)
        });
        self.line(&format!(
            "const {list} = [];\nfor (let {name} = 0; {name} < 3; {name}++) {list}.push(() => (burn(), [{name}++, {body}]));\n\
             print('{list}', {list}.map((f) => [f(), f()]));"
        ));
    }

    fn destructuring(&mut self) {
        let (first, second, rest) = (self.fresh("v"), self.fresh("v"), self.fresh("v"));
        let (default, key) = (self.any(1), self.string(0));
        let text = match self.choices.below(4) {
            0 => format!("let [{first}, {second} = {default}, ...{rest}] = {};", self.list(2)),
            1 => format!("let {{ a: {first}, b: {second} = {default}, ...{rest} }} = {};", self.record(2)),
            2 => {
                format!("let {{ [{key}]: {first}, x: [{second} = {default}] = [1], ...{rest} }} = {};", self.record(2))
            }
            _ => format!(
                "let {first} = 1, {second} = 2, {rest} = 3;\n[{first}, {second}, {rest}] = [{second}, {rest}, {first}];"
            ),
        };
        self.line(&text);
        for name in [first, second, rest] {
            self.declare(&name, Kind::Any, false);
        }
    }

    fn labelled(&mut self) {
        let (label, outer, inner) = (self.fresh("l"), self.fresh("i"), self.fresh("i"));
        let place = Place { looping: true, ..self.deeper() };
        let (condition, jump, body) = self.scoped(place, |writer| {
            writer.declare(&outer, Kind::Number, true);
            writer.declare(&inner, Kind::Number, true);
            let jump = writer.choices.one_of(&["break", "continue"]);
            (writer.flag(2), jump, writer.block(place))
        });
        self.line(&format!(
            "{label}: for (let {outer} = 0; {outer} < 3; {outer}++) {{\nfor (let {inner} = 0; {inner} < 3; {inner}++) {{\nburn();\n\
             if ({condition}) {jump} {label};\n{body}}}\n}}"
        ));
    }
}
