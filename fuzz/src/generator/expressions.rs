//! Expressions, by the kind of value they usually give.

use super::{Kind, Writer};

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "7",
    "-1",
    "0.5",
    "-0",
    "3.75",
    "100",
    "255",
    "65536",
    "1e21",
    "1e-7",
    "2147483647",
    "-2147483648",
    "4294967295",
    "9007199254740993",
    "NaN",
    "Infinity",
    "0.1",
    "1_000",
];
const TEXTS: &[&str] = &[
    "''",
    "'a'",
    "'b'",
    "'abc'",
    "'12'",
    "' x '",
    "'é'",
    "'\\u{1F600}z'",
    "'a,b,c'",
    "'Hello World'",
    "'length'",
    "'\\n\"'",
    "'0x1f'",
    "'ab'.repeat(20)",
];
const KEYS: &[&str] = &["a", "b", "c", "x", "0", "1"];
const PATTERNS: &[&str] = &[
    "/a/",
    "/[a-c]+/g",
    "/(\\w)(\\d?)/",
    "/(?<first>.)./gu",
    "/^\\s*|\\s*$/g",
    "/o|l{2}/gi",
    "/(?=b)/g",
    "/[^,]+/y",
    "/(a)|(b)/g",
];

impl Writer<'_> {
    /// An expression of some kind.
    pub(super) fn expression(&mut self, kind: Kind, depth: usize) -> String {
        match kind {
            Kind::Number => self.number(depth),
            Kind::Text => self.string(depth),
            Kind::List => self.list(depth),
            Kind::Record => self.record(depth),
            Kind::Function => self.function_value(depth),
            Kind::Any => self.any(depth),
        }
    }

    fn known(&mut self, kind: Kind) -> Option<String> {
        self.variable(|variable| variable.kind == kind)
    }

    fn literal(&mut self, options: &[&'static str]) -> String {
        self.choices.one_of(options).to_owned()
    }

    pub(super) fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.number_leaf();
        }
        let d = depth - 1;
        match self.choices.below(17) {
            0 => self.number_leaf(),
            1..=3 => {
                let operator = self.choices.one_of(&["+", "-", "*", "/", "%", "**"]);
                let (left, right) = (self.number(d), self.number(d));
                let left = if operator == "**" { format!("({left})") } else { left };
                format!("({left} {operator} {right})")
            }
            4 => {
                let operator = self.choices.one_of(&["&", "|", "^", "<<", ">>", ">>>"]);
                format!("({} {operator} {})", self.number(d), self.number(d))
            }
            5 => {
                let operator = self.choices.one_of(&["- ", "+ ", "~"]);
                format!("({operator}{})", self.any_number(d))
            }
            6 => {
                let function = self
                    .choices
                    .one_of(&["floor", "abs", "round", "trunc", "sign", "sqrt", "clz32", "ceil", "fround", "cbrt"]);
                format!("Math.{function}({})", self.number(d))
            }
            7 => {
                let function = self.choices.one_of(&["max", "min", "imul", "hypot"]);
                format!("Math.{function}({}, {})", self.number(d), self.number(d))
            }
            8 => format!("{}.length", self.list(d)),
            9 => format!("{}.length", self.string(d)),
            10 => self.update().unwrap_or_else(|| "1".to_owned()),
            11 => format!("({} ? {} : {})", self.flag(d), self.number(d), self.number(d)),
            12 => {
                let function = self.choices.one_of(&["Number", "parseInt", "parseFloat"]);
                format!("{function}({})", self.string(d))
            }
            13 => {
                let (list, start) = (self.list(d), self.number(0));
                format!("{list}.reduce((acc, item, at) => (burn(), acc + Number(item) * at), {start})")
            }
            14 => {
                let method = self.choices.one_of(&["charCodeAt", "codePointAt", "indexOf", "search", "localeCompare"]);
                let argument = if method.starts_with('c') { self.number(0) } else { self.string(0) };
                format!("{}.{method}({argument})", self.string(d))
            }
            15 => {
                let method = self.choices.one_of(&["indexOf", "findIndex", "lastIndexOf", "push", "unshift"]);
                let argument = if method == "findIndex" { "(item) => item > 1".to_owned() } else { self.any(0) };
                format!("{}.{method}({argument})", self.list(d))
            }
            _ => format!("({}, {})", self.any(d), self.number(d)),
        }
    }

    fn number_leaf(&mut self) -> String {
        if self.choices.below(3) > 0
            && let Some(name) = self.known(Kind::Number)
        {
            return name;
        }
        self.literal(NUMBERS)
    }

    /// A number, or once in a while something that becomes one.
    fn any_number(&mut self, depth: usize) -> String {
        if self.choices.once_in(5) { format!("({})", self.any(depth)) } else { self.number(depth) }
    }

    /// Writes to a variable and gives a number.
    fn update(&mut self) -> Option<String> {
        let name = self.variable(|variable| variable.kind == Kind::Number && !variable.constant)?;
        Some(match self.choices.below(6) {
            0 => format!("++{name}"),
            1 => format!("{name}++"),
            2 => format!("{name}--"),
            3 => {
                let operator = self.choices.one_of(&["+=", "-=", "*=", "%=", "|=", ">>>=", "<<=", "**="]);
                format!("({name} {operator} {})", self.number(1))
            }
            4 => {
                let operator = self.choices.one_of(&["??=", "||=", "&&="]);
                format!("({name} {operator} {})", self.number(1))
            }
            _ => format!("({name} = {})", self.number(1)),
        })
    }

    /// A string.
    pub(super) fn string(&mut self, depth: usize) -> String {
        if depth == 0 {
            if self.choices.below(3) > 0
                && let Some(name) = self.known(Kind::Text)
            {
                return name;
            }
            return self.literal(TEXTS);
        }
        let d = depth - 1;
        match self.choices.below(15) {
            0 | 1 => self.string(0),
            2 | 3 => format!("({} + {})", self.string(d), self.any(d)),
            4 => format!("`<${{{}}}-${{{}}}>`", self.string(d), self.number(d)),
            5 => format!("{}.slice({}, {})", self.string(d), self.number(0), self.number(0)),
            6 => {
                let method = self.choices.one_of(&[
                    "toUpperCase()",
                    "trim()",
                    "toLowerCase()",
                    "at(-1) + ''",
                    "padStart(5, '*')",
                    "normalize('NFD')",
                    "split('').reverse().join('')",
                    "concat(1, null)",
                    "substring(2, 0)",
                    "toWellFormed()",
                ]);
                format!("({}.{method})", self.string(d))
            }
            7 => format!("{}.join({})", self.list(d), self.string(0)),
            8 => format!("(typeof {})", self.any(d)),
            9 => format!("show({})", self.any(d)),
            10 => format!("(JSON.stringify({}) ?? 'none')", self.any(d)),
            11 => {
                let pattern = self.literal(PATTERNS);
                let with = self.choices.one_of(&["'<$&>'", "'$1-$2'", "(...all) => all.length + String(all[0])"]);
                format!("{}.replace({pattern}, {with})", self.string(d))
            }
            12 => {
                let method = self.choices.one_of(&[
                    "toString(2)",
                    "toFixed(2)",
                    "toString(36)",
                    "toPrecision(4)",
                    "toExponential()",
                ]);
                format!("Number({}).{method}", self.number(d))
            }
            13 => format!("tag`x${{{}}}\\n${{{}}}`", self.any(d), self.string(0)),
            _ => format!("({} ? {} : {})", self.flag(d), self.string(d), self.string(d)),
        }
    }

    /// A boolean.
    pub(super) fn flag(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.literal(&["true", "false"]);
        }
        let d = depth - 1;
        match self.choices.below(11) {
            0..=2 => {
                let operator = self.choices.one_of(&["<", "<=", ">", ">=", "===", "!=="]);
                format!("({} {operator} {})", self.number(d), self.number(d))
            }
            3 => {
                let operator = self.choices.one_of(&["<", "===", ">=", "!="]);
                format!("({} {operator} {})", self.string(d), self.string(d))
            }
            4 => {
                let operator = self.choices.one_of(&["==", "===", "!=", "<", "&&", "||", "??"]);
                let (left, right) = (self.any(d), self.any(d));
                format!("(({left}) {operator} ({right}))")
            }
            5 => format!("!{}", self.any_number(d)),
            6 => {
                let key = self.literal(KEYS);
                format!("('{key}' in {})", self.record(d))
            }
            7 => format!("{}.includes({})", self.string(d), self.string(0)),
            8 => {
                let method = self.choices.one_of(&["some", "every"]);
                format!(
                    "{}.{method}((item) => (burn(), {}))",
                    self.list(d),
                    self.literal(&["item", "item > 1", "item === 'a'"])
                )
            }
            9 => {
                let class = self.choices.one_of(&["Array", "Object", "Map", "Error", "Function"]);
                format!("({} instanceof {class})", self.any(d))
            }
            _ => format!("{}.test({})", self.literal(PATTERNS), self.string(d)),
        }
    }

    /// An array.
    pub(super) fn list(&mut self, depth: usize) -> String {
        if depth == 0 {
            if let Some(name) = self.known(Kind::List) {
                return name;
            }
            return self.literal(&["[]", "[1, 2, 3]", "['b', 'a']", "[3, , 1]", "[0.5, -0, NaN]"]);
        }
        let d = depth - 1;
        match self.choices.below(15) {
            0 => self.list(0),
            1 | 2 => format!("[{}, {}]", self.any(d), self.any(d)),
            3 => format!("[...{}, {}]", self.list(d), self.any(d)),
            4 => {
                let body = self.callback_body(d, &["item", "at"]);
                format!("{}.map((item, at) => {body})", self.list(d))
            }
            5 => {
                let list = self.list(d);
                let condition = self.literal(&["item > 1", "at % 2 === 0", "item", "item !== undefined"]);
                format!("{list}.filter((item, at) => {condition})")
            }
            6 => format!("{}.slice({}, {})", self.list(d), self.number(0), self.number(0)),
            7 => format!("{}.concat({}, {})", self.list(d), self.list(d), self.any(0)),
            8 => {
                let method = self.choices.one_of(&[
                    "toSorted()",
                    "toReversed()",
                    "flat()",
                    "slice().sort((p, q) => q - p)",
                    "slice().reverse()",
                    "with(0, 'w')",
                    "toSpliced(1, 1, 'n', 'm')",
                    "slice().fill(7, 1)",
                    "slice().copyWithin(0, 1)",
                    "slice().sort((p, q) => String(p).length - String(q).length)",
                ]);
                format!("{}.concat(1).{method}", self.list(d))
            }
            9 => {
                let count = self.choices.below(6);
                let body = self.callback_body(d, &["_", "at"]);
                format!("Array.from({{ length: {count} }}, (_, at) => {body})")
            }
            10 => format!("[...{}]", self.string(d)),
            11 => {
                let method = self.choices.one_of(&["keys", "values", "entries"]);
                format!("Object.{method}({})", self.record(d))
            }
            12 => format!("[...new Set({})]", self.list(d)),
            13 => format!("{}.flatMap((item) => [item, {}])", self.list(d), self.any(0)),
            _ => format!("({}.match({}) ?? [])", self.string(d), self.literal(PATTERNS)),
        }
    }

    fn callback_body(&mut self, depth: usize, parameters: &[&str]) -> String {
        self.scoped(self.function_place(), |writer| {
            for parameter in parameters {
                writer.declare(parameter, Kind::Any, true);
            }
            let body = writer.any(depth);
            format!("(burn(), {body})")
        })
    }

    /// An object.
    pub(super) fn record(&mut self, depth: usize) -> String {
        if depth == 0 {
            if let Some(name) = self.known(Kind::Record) {
                return name;
            }
            return self.literal(&["{}", "{ a: 1 }", "{ b: 'x', a: [1] }"]).replacen('{', "({", 1) + ")";
        }
        let d = depth - 1;
        match self.choices.below(11) {
            0 => self.record(0),
            1..=3 => format!("({{ a: {}, b: {}, {}: {} }})", self.any(d), self.any(d), self.literal(KEYS), self.any(d)),
            4 => format!("({{ ...{}, {}: {} }})", self.record(d), self.literal(KEYS), self.any(d)),
            5 => format!("({{ [{}]: {}, ...{} }})", self.string(d), self.any(d), self.any(0)),
            6 => {
                let body = self.scoped(self.function_place(), |getter| getter.number(d));
                format!(
                    "({{ n: 1, get a() {{ burn(); return this.n + {body}; }}, set a(v) {{ this.n = v; }}, m(p) {{ return [this.n, p]; }} }})"
                )
            }
            7 => format!("Object.assign({{}}, {}, {})", self.record(d), self.any(0)),
            8 => format!("Object.fromEntries(Object.entries({}).map(([k, v]) => [k + 'q', v]))", self.record(d)),
            9 => {
                format!("Object.create({}, {{ own: {{ value: {}, enumerable: true }} }})", self.record(d), self.any(0))
            }
            _ => format!("Object.groupBy({}, (item) => typeof item)", self.list(d)),
        }
    }

    /// Anything.
    pub(super) fn any(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.choices.below(8) {
                0 => self.number(0),
                1 => self.literal(&["undefined", "null", "true", "false", "10n", "-3n"]),
                2 => self.string(0),
                3 => self.list(0),
                4 => self.record(0),
                _ => self.variable(|_| true).unwrap_or_else(|| "null".to_owned()),
            };
        }
        let d = depth - 1;
        match self.choices.below(18) {
            0 => self.any(0),
            1 | 2 => self.number(d),
            3 => self.string(d),
            4 => self.flag(d),
            5 => self.list(d),
            6 => self.record(d),
            7 => self.function_value(d),
            8 => format!("{}[{}]", self.list(d), self.number(0)),
            9 => {
                let link = self.choices.one_of(&[".", "?."]);
                format!("{}{link}{}", self.record(d), self.literal(&["a", "b", "c", "x"]))
            }
            10 => {
                let key = self.literal(KEYS);
                format!("{}?.['{key}']?.a?.b", self.any(d))
            }
            11 => self.call(d),
            12 => {
                let operator = self.choices.one_of(&["+", "-", "*"]);
                format!("({}n {operator} {}n)", self.choices.below(100), self.choices.below(100))
            }
            13 => {
                let operator = self.choices.one_of(&["&&", "||"]);
                format!("({} {operator} {})", self.any(d), self.any(d))
            }
            14 => format!("({} ?? {})", self.any(d), self.any(d)),
            15 => format!("new Map([[{}, {}], ['k', 1]])", self.any(d), self.any(d)),
            16 if self.place.method => {
                self.literal(&["this.f", "this.g", "this.#p", "this.m?.name", "this.constructor.name"])
            }
            16 => format!("(delete {}.a)", self.record(d)),
            _ if self.place.asynchronous => format!("(await {})", self.any(d)),
            _ if self.place.generator => format!("(yield {})", self.any(d)),
            _ => format!("(void {})", self.any(d)),
        }
    }

    /// A call of a function that is visible, with some arguments.
    pub(super) fn call(&mut self, depth: usize) -> String {
        let callee = self.known(Kind::Function).unwrap_or_else(|| "show".to_owned());
        match self.choices.below(4) {
            0 => format!("{callee}({})", self.any(depth)),
            1 => format!("{callee}({}, {})", self.any(depth), self.any(depth)),
            2 => format!("{callee}(...{}, {})", self.list(depth), self.any(depth)),
            _ => format!("{callee}.call({}, {})", self.any(0), self.any(depth)),
        }
    }
}
