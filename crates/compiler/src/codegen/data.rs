//! The data segment of a unit (see [`convex_wasm_abi::unit`]).

use std::collections::{HashMap, HashSet};

use convex_wasm_abi::layout::{function, inline_cache};
use convex_wasm_abi::unit::{self, constant, function_info};
use convex_wasm_abi::{ABI_VERSION, value};

use super::places::{Groups, Places};
use crate::ir::{Constant, ConstantValue, Function, FunctionId, FunctionKind, Module, Op};
use crate::optimize::instances;

/// Offset of the stand-in, a function cell that calls of values that are no function cells go through.
pub const STAND_IN: u32 = unit::HEADER_SIZE;
/// Offset of the bindings.
const BINDINGS: u32 = STAND_IN + function::SIZE;

/// A group of functions has a multiple of so many places of each kind.
mod granule {
    pub const FUNCTIONS: u32 = 32;
    pub const CONSTANTS: u32 = 128;
    pub const SHAPES: u32 = 64;
    pub const CACHES: u32 = 128;
}

/// Where the parts of a unit's data are, relative to its base, and what they hold. Constants and shapes are placed when
/// code first uses them. Inline caches are behind all else that code refers to: how many there are is known last.
pub struct Data {
    constants: Vec<ConstantValue>,
    strings: HashMap<Vec<u16>, Constant>,
    constant_places: Places<Constant>,
    shape_places: Places<Vec<Constant>>,
    /// Place of each function, and of the end behind them.
    function_places: Vec<u32>,
    groups: Groups,
    offsets: Offsets,
    caches: u32,
}

#[derive(Default)]
struct Offsets {
    imports: u32,
    functions: u32,
    shapes: u32,
    constants: u32,
    caches: u32,
}

impl Data {
    /// Plans the data of a module with this source text.
    pub fn plan(module: &Module, text: &str) -> Self {
        let mut data = Self {
            constants: module.constants.clone(),
            strings: HashMap::new(),
            constant_places: Places::default(),
            shape_places: Places::default(),
            function_places: Vec::new(),
            groups: Groups::of(module, text),
            offsets: Offsets::default(),
            caches: 0,
        };
        for (index, value) in module.constants.iter().enumerate() {
            if let ConstantValue::String(units) = value {
                data.strings.entry(units.clone()).or_insert(Constant(index as u32));
            }
        }
        let mut shapes: HashSet<Vec<Constant>> = HashSet::new();
        for function in &module.functions {
            data.add_string(&function.name);
            if let Some(reason) = &function.refused {
                data.add_string(reason);
            }
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                if let Op::NewObject(properties) = &instruction.op {
                    shapes.insert(properties.iter().map(|(key, _)| *key).collect());
                }
            }
        }
        data.place_functions(module);
        data.place_parts(module, shapes.len());
        data
    }

    fn add_string(&mut self, text: &str) {
        let units: Vec<u16> = text.encode_utf16().collect();
        if !self.strings.contains_key(&units) {
            self.strings.insert(units.clone(), Constant(self.constants.len() as u32));
            self.constants.push(ConstantValue::String(units));
        }
    }

    /// The resume function of an async function or generator has the place behind it.
    fn place_functions(&mut self, module: &Module) {
        let mut next: u32 = 0;
        for (index, function) in module.functions.iter().enumerate() {
            if self.groups.begins(index) {
                next = next.next_multiple_of(granule::FUNCTIONS);
            }
            self.function_places.push(next);
            next += 1 + u32::from(function.is_async || function.is_generator);
        }
        self.function_places.push(next);
    }

    fn place_parts(&mut self, module: &Module, shapes: usize) {
        let mut end = BINDINGS + 8 * module.bindings.len() as u32;
        let mut part = |size: u32| {
            let start = self.groups.part(end);
            end = start + size;
            start
        };
        self.offsets = Offsets {
            imports: part(4 * module.imports.len() as u32),
            functions: part(function_info::SIZE * self.function_count()),
            shapes: part(4 * self.groups.capacity(shapes, granule::SHAPES)),
            constants: part(8 * self.groups.capacity(self.constants.len(), granule::CONSTANTS)),
            caches: part(0),
        };
    }

    /// Must be called before code of each function is generated, in their order.
    pub fn begin_function(&mut self, function: usize) {
        if self.groups.begins(function) {
            self.constant_places.fill(granule::CONSTANTS);
            self.shape_places.fill(granule::SHAPES);
            self.caches = self.caches.next_multiple_of(granule::CACHES);
        }
    }

    /// Places the constants that no code uses. To be called behind the last function.
    pub fn end_functions(&mut self) {
        for index in 0..self.constants.len() as u32 {
            self.constant_places.of(&Constant(index));
        }
    }

    /// Whether the module is so large that an edit should not change code elsewhere.
    pub fn is_stable(&self) -> bool {
        self.groups.are_stable()
    }

    /// Number of function records, free ones included.
    pub fn function_count(&self) -> u32 {
        self.function_places.last().copied().unwrap_or(0)
    }

    /// Table element of a function's uniform entry. The module's body is first, then comes the stand-in's entry.
    pub fn element(&self, function: FunctionId) -> u32 {
        match self.function_places[function.0 as usize] {
            0 => 0,
            place => place + 1,
        }
    }

    /// Table element of a function's resume function.
    pub fn resume_element(&self, function: FunctionId) -> u32 {
        self.function_places[function.0 as usize] + 2
    }

    /// Offset of the first binding.
    pub fn bindings_offset(&self) -> u32 {
        BINDINGS
    }

    /// Offset of the first import slot.
    pub fn imports_offset(&self) -> u32 {
        self.offsets.imports
    }

    /// Offset of a constant's word.
    pub fn constant(&mut self, constant: Constant) -> u32 {
        self.offsets.constants + 8 * self.constant_places.of(&constant)
    }

    /// Offset of the word of a string the plan knows: a function's name or the reason it was refused.
    pub fn string(&mut self, text: &str) -> u32 {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.constant(self.strings.get(&units).copied().unwrap_or(Constant(0)))
    }

    /// The units of a string constant.
    pub fn string_units(&self, constant: Constant) -> Option<&[u16]> {
        match &self.constants[constant.0 as usize] {
            ConstantValue::String(units) => Some(units),
            _ => None,
        }
    }

    /// Offset of a binding's word.
    pub fn binding(&self, binding: u32) -> u32 {
        BINDINGS + 8 * binding
    }

    /// Offset of an import slot.
    pub fn import(&self, import: u32) -> u32 {
        self.offsets.imports + 4 * import
    }

    /// Offset of a function's record.
    pub fn function_info(&self, function: FunctionId) -> u32 {
        self.offsets.functions + function_info::SIZE * self.function_places[function.0 as usize]
    }

    /// Offset of the word that holds the address of a literal's shape.
    pub fn shape(&mut self, keys: &[Constant]) -> u32 {
        self.offsets.shapes + 4 * self.shape_places.of(keys)
    }

    /// Offset of a new inline cache.
    pub fn add_cache(&mut self) -> u32 {
        self.caches += 1;
        self.offsets.caches + inline_cache::SIZE * (self.caches - 1)
    }

    /// The segment's bytes. `first_points` has the number of each function's first point.
    pub fn encode(&self, module: &Module, first_points: &[u32]) -> Vec<u8> {
        let shape_descriptors = self.shape_descriptors();
        let constant_descriptors = self.constant_descriptors();
        let end_of_caches = self.offsets.caches + inline_cache::SIZE * self.caches;
        let descriptors = [end_of_caches, end_of_caches + shape_descriptors.len() as u32];
        let end_of_descriptors = (descriptors[1] + constant_descriptors.len() as u32).next_multiple_of(8);
        let size = end_of_descriptors + 8 * module.hoisted.len() as u32;

        let mut bytes = Vec::with_capacity(size as usize);
        for word in self.header(module, descriptors, end_of_descriptors, size) {
            bytes.extend(word.to_le_bytes());
        }
        bytes.resize(BINDINGS as usize, 0);
        for binding in &module.bindings {
            let word = if binding.lexical { value::EMPTY } else { value::UNDEFINED };
            bytes.extend(word.to_le_bytes());
        }
        let places = module.functions.iter().zip(&self.function_places).zip(first_points);
        for (index, ((function, &place), &first_point)) in places.enumerate() {
            bytes.resize((self.offsets.functions + function_info::SIZE * place) as usize, 0);
            for word in self.function_record(module, index as u32, function, first_point) {
                bytes.extend(word.to_le_bytes());
            }
        }
        bytes.resize(descriptors[0] as usize, 0);
        bytes.extend(shape_descriptors);
        bytes.extend(constant_descriptors);
        bytes.resize(end_of_descriptors as usize, 0);
        for &(binding, function) in &module.hoisted {
            bytes.extend(binding.to_le_bytes());
            bytes.extend(self.function_places[function.0 as usize].to_le_bytes());
        }
        bytes
    }

    /// The words of the header, in the order of `convex_wasm_abi::unit`, with the offsets of the descriptors of shapes and of
    /// constants, and that of the hoisted functions.
    fn header(&self, module: &Module, descriptors: [u32; 2], hoisted: u32, size: u32) -> [u32; 18] {
        [
            ABI_VERSION,
            self.offsets.constants,
            self.constant_places.len(),
            descriptors[1],
            self.offsets.functions,
            self.function_count(),
            self.offsets.shapes,
            self.shape_places.len(),
            descriptors[0],
            BINDINGS,
            module.bindings.len() as u32,
            self.offsets.imports,
            module.imports.len() as u32,
            self.offsets.caches,
            self.caches,
            size,
            hoisted,
            module.hoisted.len() as u32,
        ]
    }

    fn function_record(&self, module: &Module, index: u32, function: &Function, first_point: u32) -> [u32; 8] {
        let properties = instances::properties(module, function).min(0xFF) << function_info::PROPERTIES_SHIFT;
        let units: Vec<u16> = function.name.encode_utf16().collect();
        let name = self.strings.get(&units).map_or(0, |&constant| self.index(constant));
        [
            name,
            function.length,
            function_flags(function) | properties,
            self.element(FunctionId(index)),
            function.source.0,
            function.source.1,
            0,
            first_point,
        ]
    }

    /// Index of a constant among those of the unit.
    fn index(&self, constant: Constant) -> u32 {
        self.constant_places.get(&constant).unwrap_or(0)
    }

    fn shape_descriptors(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for keys in self.shape_places.things() {
            let keys = keys.as_deref().unwrap_or_default();
            bytes.extend((keys.len() as u32).to_le_bytes());
            bytes.extend(keys.iter().flat_map(|&key| self.index(key).to_le_bytes()));
        }
        bytes
    }

    fn constant_descriptors(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for constant in self.constant_places.things() {
            // A free place holds the empty string.
            let Some(constant) = constant else {
                describe_string(&mut bytes, &[]);
                continue;
            };
            match &self.constants[constant.0 as usize] {
                ConstantValue::String(units) => describe_string(&mut bytes, units),
                ConstantValue::BigInt(digits) => describe_text(&mut bytes, constant::BIGINT, digits),
                ConstantValue::PrivateName(name) => describe_text(&mut bytes, constant::PRIVATE_NAME, name),
                ConstantValue::WellKnownSymbol(name) => describe_text(&mut bytes, constant::WELL_KNOWN_SYMBOL, name),
                ConstantValue::RegExp(pattern, flags) => {
                    bytes.push(constant::REGEXP);
                    bytes.extend(self.index(*pattern).to_le_bytes());
                    bytes.extend(self.index(*flags).to_le_bytes());
                }
                ConstantValue::Template(cooked, raw) => {
                    bytes.push(constant::TEMPLATE);
                    bytes.extend((raw.len() as u32).to_le_bytes());
                    for string in cooked {
                        let index = string.map_or(u32::MAX, |string| self.index(string));
                        bytes.extend(index.to_le_bytes());
                    }
                    bytes.extend(raw.iter().flat_map(|&string| self.index(string).to_le_bytes()));
                }
            }
        }
        bytes
    }
}

fn describe_string(bytes: &mut Vec<u8>, units: &[u16]) {
    let latin1: Option<Vec<u8>> = units.iter().map(|&unit| u8::try_from(unit).ok()).collect();
    bytes.push(if latin1.is_some() { constant::LATIN1 } else { constant::UTF16 });
    bytes.extend((units.len() as u32).to_le_bytes());
    match latin1 {
        Some(latin1) => bytes.extend(latin1),
        None => bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes())),
    }
}

fn describe_text(bytes: &mut Vec<u8>, tag: u8, text: &str) {
    bytes.push(tag);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn function_flags(function: &Function) -> u32 {
    let mut flags = match function.kind {
        FunctionKind::Normal if function.is_async || function.is_generator => 0,
        FunctionKind::Normal => function_info::CONSTRUCTOR,
        FunctionKind::Arrow => function_info::ARROW,
        FunctionKind::Method | FunctionKind::Initializer | FunctionKind::ModuleBody => function_info::METHOD,
        FunctionKind::BaseConstructor => function_info::CONSTRUCTOR | function_info::CLASS,
        FunctionKind::DerivedConstructor => function_info::CONSTRUCTOR | function_info::CLASS | function_info::DERIVED,
    };
    let optional = [
        (function.new_target.is_some(), function_info::USES_NEW_TARGET),
        (function.is_async, function_info::ASYNC),
        (function.is_generator, function_info::GENERATOR),
        (function.strict, function_info::STRICT),
    ];
    for (set, flag) in optional {
        if set {
            flags |= flag;
        }
    }
    flags
}
