//! Functions of every sort, and classes.

use super::{Kind, Place, Writer};

impl Writer<'_> {
    /// A function as a value.
    pub(super) fn function_value(&mut self, depth: usize) -> String {
        match self.choices.below(4) {
            0 => {
                let (parameters, body) = self
                    .function_parts(self.function_place(), |writer| format!("(burn(), {})", writer.any(depth.min(2))));
                format!("(({parameters}) => {body})")
            }
            1 => {
                let (parameters, body) = self.function_parts(self.function_place(), Self::function_body);
                let name = self.choices.one_of(&["", " named"]);
                format!("(function{name}({parameters}) {body})")
            }
            _ => self.variable(|variable| variable.kind == Kind::Function).unwrap_or_else(|| "show".to_owned()),
        }
    }

    /// Parameters and body; the body sees the parameters.
    fn function_parts(&mut self, place: Place, body: impl FnOnce(&mut Self) -> String) -> (String, String) {
        self.scoped(place, |writer| {
            let parameters = writer.parameters();
            let body = body(writer);
            (parameters, body)
        })
    }

    /// Inside an ordinary function.
    pub(super) fn function_place(&self) -> Place {
        Place { function: true, looping: false, asynchronous: false, generator: false, ..self.deeper() }
    }

    fn parameters(&mut self) -> String {
        // Defaults can neither wait nor yield.
        let inside = self.function_place();
        let place = std::mem::replace(&mut self.place, inside);
        let parameters = self.parameter_list();
        self.place = place;
        parameters
    }

    fn parameter_list(&mut self) -> String {
        let mut parameters = Vec::new();
        for _ in 0..self.choices.below(4) {
            let name = self.fresh("p");
            let written = match self.choices.below(5) {
                0 | 1 => name.clone(),
                2 => format!("{name} = {}", self.any(1)),
                3 => format!("{{ a: {name} = {}, ...{name}rest }} = {{}}", self.any(0)),
                _ => format!("[{name}, ...{name}rest] = []"),
            };
            if written.contains("rest") {
                self.declare(&format!("{name}rest"), Kind::Any, false);
            }
            self.declare(&name, Kind::Any, false);
            parameters.push(written);
        }
        if self.choices.once_in(4) {
            let name = self.fresh("rest");
            self.declare(&name, Kind::List, false);
            parameters.push(format!("...{name}"));
        }
        parameters.join(", ")
    }

    fn function_body(&mut self) -> String {
        let statements = self.captured(|writer| {
            for _ in 0..writer.choices.below(4) {
                writer.statement();
            }
        });
        let result = self.any(2);
        format!("{{\nburn();\n{statements}return {result};\n}}")
    }

    /// A declaration of a function; usually it is called and what it gives is printed.
    pub(super) fn function_declaration(&mut self) {
        let name = self.fresh("f");
        let sort = self.choices.below(4);
        let place = Place { method: false, asynchronous: sort >= 2, generator: sort == 1, ..self.function_place() };
        let (parameters, body) = self.function_parts(place, Self::function_body);
        let argument = self.any(1);
        let call = match sort {
            0 => {
                self.line(&format!("function {name}({parameters}) {body}"));
                self.declare(&name, Kind::Function, true);
                format!("print('{name}', {name}({argument}, 2));")
            }
            1 => {
                self.line(&format!("function* {name}({parameters}) {body}"));
                format!("print('{name}', [...take({name}({argument}), 4)]);")
            }
            2 => {
                self.line(&format!("async function {name}({parameters}) {body}"));
                format!("{name}({argument}).then((v) => print('{name}', v), (e) => print('{name} rejected', e));")
            }
            _ => {
                self.line(&format!("const {name} = async ({parameters}) => {body};"));
                format!(
                    "Promise.allSettled([{name}({argument}), {name}(), 3]).then((v) => print('{name} settled', v));"
                )
            }
        };
        self.line(&call);
    }

    /// A class, perhaps derived from an earlier one, and an instance of it.
    pub(super) fn class_declaration(&mut self) {
        let name = self.fresh("C");
        let parent = self.variable(|variable| variable.name.starts_with('C'));
        let built_in = if self.choices.once_in(4) {
            Some(self.choices.one_of(&["Error", "Array", "Map"]).to_owned())
        } else {
            None
        };
        let parent = parent.or(built_in);
        let derived = parent.is_some();
        let place = Place { method: true, ..self.function_place() };
        let extends = parent.map_or(String::new(), |parent| format!(" extends {parent}"));
        let superior = if derived { "super();\n" } else { "" };
        let members = self.scoped(place, |writer| {
            let (field, fixed) = (writer.any(1), writer.number(1));
            let (getter, setter) = (writer.any(1), writer.any(0));
            let (parameters, body) = writer.function_parts(place, Self::function_body);
            let upper = if derived { "super.m?.(1)" } else { "new.target" };
            format!(
                "#p = {field};\nf = {field};\nstatic s = {fixed};\nconstructor(x) {{\nburn();\n{superior}this.x = x;\n}}\n\
                 get g() {{ burn(); return {getter}; }}\nset g(v) {{ this.#p = [v, {setter}]; }}\n\
                 m({parameters}) {body}\n#h() {{ return {upper}; }}\nh() {{ burn(); return [this.#h(), #p in this]; }}\n\
                 static make(x) {{ return new this(x); }}\n"
            )
        });
        self.line(&format!("class {name}{extends} {{\n{members}}}"));
        let instance = self.fresh("o");
        let argument = self.any(1);
        self.line(&format!("const {instance} = {name}.make({argument});"));
        self.line(&format!("print('{instance}', {instance});\n{instance}.g = {argument};"));
        self.line(&format!("print('{instance}', [{instance}.h(), {name}.s, {name}.name, {name}.length]);"));
        self.line(&format!("print('{instance}.m', {instance}.m({argument}));"));
        self.declare(&name, Kind::Any, true);
        self.declare(&instance, Kind::Record, true);
    }
}
