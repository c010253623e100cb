//! Symbols, well-known symbols, and private names (symbols that only `#x` syntax can reach).

use core::cell::Cell;

use crate::cell::{Gc, Header, kind};
use crate::state::State;
use crate::string::JsString;
use crate::value::Value;

/// Flag: a private name.
const PRIVATE: u8 = 1;
/// Flag: a private name that an evaluation of its class has taken.
const TAKEN: u8 = 2;
/// Flag: the private name of static methods or accessors.
const STATIC: u8 = 4;

/// A symbol cell.
#[repr(C)]
pub struct SymbolCell {
    header: Header,
    /// A string or undefined; without `#` for private names.
    description: Cell<Value>,
    /// The name of the class, if this is the private name of methods or accessors; else undefined.
    class: Cell<Value>,
}

/// A symbol.
pub type Symbol = Gc<SymbolCell>;

impl SymbolCell {
    /// A fresh symbol; the description is a string or undefined.
    pub fn fresh(description: Value) -> Symbol {
        let header = Header::new(kind::SYMBOL, 0, 0, 0);
        Gc::new(SymbolCell { header, description: Cell::new(description), class: Cell::new(Value::UNDEFINED) })
    }

    /// A fresh private name of a field.
    pub fn private_field(name: &str) -> Symbol {
        SymbolCell::private(PRIVATE, JsString::from_str(name).into(), Value::UNDEFINED)
    }

    /// A fresh private name of methods or accessors of a class, whose name may be empty.
    pub fn private_method(name: &str, class: &str, is_static: bool) -> Symbol {
        let flags = if is_static { PRIVATE | STATIC } else { PRIVATE };
        SymbolCell::private(flags, JsString::from_str(name).into(), JsString::from_str(class).into())
    }

    fn private(flags: u8, description: Value, class: Value) -> Symbol {
        let header = Header::new(kind::SYMBOL, flags, 0, 0);
        Gc::new(SymbolCell { header, description: Cell::new(description), class: Cell::new(class) })
    }

    /// The private name for an evaluation of the class whose unit has this one: itself for the first, a fresh one for others.
    pub fn for_evaluation(first: Symbol) -> Symbol {
        let flags = first.header.flags.get();
        if flags & TAKEN != 0 {
            return SymbolCell::private(flags, first.description(), first.class.get());
        }
        first.header.flags.set(flags | TAKEN);
        first
    }

    /// Of a private name of methods: the name of the class, which may be empty, and whether they are static.
    pub fn brand(&self) -> Option<(String, bool)> {
        let class = self.class.get().as_string()?;
        Some((class.to_text(), self.header.flags.get() & STATIC != 0))
    }

    /// The description: a string or undefined.
    pub fn description(&self) -> Value {
        self.description.get()
    }

    /// Whether this is a private name.
    pub fn is_private(&self) -> bool {
        self.header.flags.get() & PRIVATE != 0
    }

    /// `Symbol(description)`, as `Symbol.prototype.toString` gives.
    pub fn descriptive_string(&self) -> String {
        let description = self.description().as_string().map(JsString::to_text).unwrap_or_default();
        if self.is_private() { format!("#{description}") } else { format!("Symbol({description})") }
    }
}

macro_rules! well_known {
    ($($(#[doc = $doc:literal])* $method:ident $name:literal,)*) => {
        #[allow(non_camel_case_types)]
        enum WellKnown { $($method,)* }
        const WELL_KNOWN: &[&str] = &[$($name,)*];
        static SYMBOLS: State<[Option<Symbol>; WELL_KNOWN.len()]> = State::new([None; WELL_KNOWN.len()]);
        $($(#[doc = $doc])* pub fn $method() -> Symbol { well_known(WellKnown::$method as usize) })*
    };
}

well_known! {
    /// `Symbol.iterator`
    iterator "iterator",
    /// `Symbol.asyncIterator`
    async_iterator "asyncIterator",
    /// `Symbol.hasInstance`
    has_instance "hasInstance",
    /// `Symbol.toPrimitive`
    to_primitive "toPrimitive",
    /// `Symbol.toStringTag`
    to_string_tag "toStringTag",
    /// `Symbol.species`
    species "species",
    /// `Symbol.isConcatSpreadable`
    is_concat_spreadable "isConcatSpreadable",
    /// `Symbol.unscopables`
    unscopables "unscopables",
    /// `Symbol.match`
    match_ "match",
    /// `Symbol.matchAll`
    match_all "matchAll",
    /// `Symbol.replace`
    replace "replace",
    /// `Symbol.search`
    search "search",
    /// `Symbol.split`
    split "split",
    /// `Symbol.dispose`
    dispose "dispose",
    /// `Symbol.asyncDispose`
    async_dispose "asyncDispose",
}

/// Names of all well-known symbols, without `Symbol.`.
pub fn well_known_names() -> &'static [&'static str] {
    WELL_KNOWN
}

/// The well-known symbol of that name.
pub fn well_known_named(name: &str) -> Option<Symbol> {
    WELL_KNOWN.iter().position(|&known| known == name).map(well_known)
}

fn well_known(index: usize) -> Symbol {
    if let Some(symbol) = SYMBOLS.with(|symbols| symbols[index]) {
        return symbol;
    }
    let symbol = SymbolCell::fresh(Value::from(format!("Symbol.{}", WELL_KNOWN[index]).as_str()));
    SYMBOLS.with(|symbols| symbols[index] = Some(symbol));
    symbol
}
