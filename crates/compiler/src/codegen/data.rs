//! The data segment of a unit (see [`convex_wasm_abi::unit`]).

use std::collections::HashMap;

use convex_wasm_abi::layout::{function, inline_cache};
use convex_wasm_abi::unit::{self, constant, function_info};
use convex_wasm_abi::{ABI_VERSION, value};

use crate::ir::{Constant, ConstantValue, Function, FunctionId, FunctionKind, Module, Op};
use crate::optimize::instances;

/// Offset of the stand-in, a function cell that calls of values that are no function cells go through.
pub const STAND_IN: u32 = unit::HEADER_SIZE;
/// Offset of the constants.
const CONSTANTS: u32 = STAND_IN + function::SIZE;

/// Table element of a function's uniform entry. The module's body is first, then comes the stand-in's entry.
pub fn element(function: FunctionId) -> u32 {
    if function.0 == 0 { 0 } else { function.0 + 1 }
}

/// Where the parts of a unit's data are, relative to its base, and what they hold. All parts but the inline caches,
/// which come last, are known before code is generated.
pub struct Data {
    constants: Vec<ConstantValue>,
    strings: HashMap<Vec<u16>, Constant>,
    shapes: Vec<Vec<Constant>>,
    shape_indices: HashMap<Vec<Constant>, u32>,
    offsets: Offsets,
    caches: u32,
}

#[derive(Default)]
struct Offsets {
    bindings: u32,
    functions: u32,
    shapes: u32,
    imports: u32,
    shape_descriptors: u32,
    constant_descriptors: u32,
    caches: u32,
}

impl Data {
    /// Plans the data of a module.
    pub fn plan(module: &Module) -> Self {
        let mut data = Self {
            constants: module.constants.clone(),
            strings: HashMap::new(),
            shapes: Vec::new(),
            shape_indices: HashMap::new(),
            offsets: Offsets::default(),
            caches: 0,
        };
        for (index, value) in module.constants.iter().enumerate() {
            if let ConstantValue::String(units) = value {
                data.strings.entry(units.clone()).or_insert(Constant(index as u32));
            }
        }
        for function in &module.functions {
            data.add_string(&function.name);
            if let Some(reason) = &function.refused {
                data.add_string(reason);
            }
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                if let Op::NewObject(properties) = &instruction.op {
                    data.add_shape(properties.iter().map(|(key, _)| *key).collect());
                }
            }
        }
        data.place(module);
        data
    }

    fn add_string(&mut self, text: &str) {
        let units: Vec<u16> = text.encode_utf16().collect();
        if !self.strings.contains_key(&units) {
            self.strings.insert(units.clone(), Constant(self.constants.len() as u32));
            self.constants.push(ConstantValue::String(units));
        }
    }

    fn add_shape(&mut self, keys: Vec<Constant>) {
        if !self.shape_indices.contains_key(&keys) {
            self.shape_indices.insert(keys.clone(), self.shapes.len() as u32);
            self.shapes.push(keys);
        }
    }

    /// Puts 8-byte parts first, then 4-byte parts, then bytes.
    fn place(&mut self, module: &Module) {
        let mut end = CONSTANTS + 8 * self.constants.len() as u32;
        let mut part = |size: u32| {
            end += size;
            end - size
        };
        self.offsets.bindings = part(8 * module.bindings.len() as u32);
        self.offsets.functions = part(function_info::SIZE * module.functions.len() as u32);
        self.offsets.shapes = part(4 * self.shapes.len() as u32);
        self.offsets.imports = part(4 * module.imports.len() as u32);
        self.offsets.shape_descriptors = part(self.shapes.iter().map(|keys| 4 + 4 * keys.len() as u32).sum());
        self.offsets.constant_descriptors = part(self.constant_descriptors().len() as u32);
        self.offsets.caches = part(0).next_multiple_of(8);
    }

    /// Offset of the first binding.
    pub fn bindings_offset(&self) -> u32 {
        self.offsets.bindings
    }

    /// Offset of the first import slot.
    pub fn imports_offset(&self) -> u32 {
        self.offsets.imports
    }

    /// Offset of a constant's word.
    pub fn constant(&self, constant: Constant) -> u32 {
        CONSTANTS + 8 * constant.0
    }

    /// Offset of the word of a string the plan knows: a function's name or the reason it was refused.
    pub fn string(&self, text: &str) -> u32 {
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
        self.offsets.bindings + 8 * binding
    }

    /// Offset of an import slot.
    pub fn import(&self, import: u32) -> u32 {
        self.offsets.imports + 4 * import
    }

    /// Offset of a function's record.
    pub fn function_info(&self, function: FunctionId) -> u32 {
        self.offsets.functions + function_info::SIZE * function.0
    }

    /// Offset of the word that holds the address of a literal's shape.
    pub fn shape(&self, keys: &[Constant]) -> u32 {
        self.offsets.shapes + 4 * self.shape_indices.get(keys).copied().unwrap_or(0)
    }

    /// Offset of a new inline cache.
    pub fn add_cache(&mut self) -> u32 {
        self.caches += 1;
        self.offsets.caches + inline_cache::SIZE * (self.caches - 1)
    }

    /// Size of the whole segment, caches included.
    pub fn size(&self) -> u32 {
        (self.offsets.caches + inline_cache::SIZE * self.caches).next_multiple_of(8)
    }

    /// The segment's bytes. `first_points` has the number of each function's first point.
    pub fn encode(&self, module: &Module, first_points: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size() as usize);
        for word in self.header(module) {
            bytes.extend(word.to_le_bytes());
        }
        bytes.resize(self.offsets.bindings as usize, 0);
        for binding in &module.bindings {
            let word = if binding.lexical { value::EMPTY } else { value::UNDEFINED };
            bytes.extend(word.to_le_bytes());
        }
        for ((index, function), &first_point) in module.functions.iter().enumerate().zip(first_points) {
            for word in self.function_record(module, index as u32, function, first_point) {
                bytes.extend(word.to_le_bytes());
            }
        }
        bytes.resize(self.offsets.shape_descriptors as usize, 0);
        for keys in &self.shapes {
            bytes.extend((keys.len() as u32).to_le_bytes());
            bytes.extend(keys.iter().flat_map(|key| key.0.to_le_bytes()));
        }
        bytes.extend(self.constant_descriptors());
        bytes.resize(self.size() as usize, 0);
        bytes
    }

    /// The words of the header, in the order of `convex_wasm_abi::unit`.
    fn header(&self, module: &Module) -> [u32; 16] {
        [
            ABI_VERSION,
            CONSTANTS,
            self.constants.len() as u32,
            self.offsets.constant_descriptors,
            self.offsets.functions,
            module.functions.len() as u32,
            self.offsets.shapes,
            self.shapes.len() as u32,
            self.offsets.shape_descriptors,
            self.offsets.bindings,
            module.bindings.len() as u32,
            self.offsets.imports,
            module.imports.len() as u32,
            self.offsets.caches,
            self.caches,
            self.size(),
        ]
    }

    fn function_record(&self, module: &Module, index: u32, function: &Function, first_point: u32) -> [u32; 8] {
        let properties = instances::properties(module, function).min(0xFF) << function_info::PROPERTIES_SHIFT;
        let units: Vec<u16> = function.name.encode_utf16().collect();
        let name = self.strings.get(&units).map_or(0, |constant| constant.0);
        [
            name,
            function.length,
            function_flags(function) | properties,
            element(FunctionId(index)),
            function.source.0,
            function.source.1,
            0,
            first_point,
        ]
    }

    fn constant_descriptors(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for value in &self.constants {
            match value {
                ConstantValue::String(units) => describe_string(&mut bytes, units),
                ConstantValue::BigInt(digits) => describe_text(&mut bytes, constant::BIGINT, digits),
                ConstantValue::PrivateName(name) => describe_text(&mut bytes, constant::PRIVATE_NAME, name),
                ConstantValue::WellKnownSymbol(name) => describe_text(&mut bytes, constant::WELL_KNOWN_SYMBOL, name),
                ConstantValue::RegExp(pattern, flags) => {
                    bytes.push(constant::REGEXP);
                    bytes.extend(pattern.0.to_le_bytes());
                    bytes.extend(flags.0.to_le_bytes());
                }
                ConstantValue::Template(cooked, raw) => {
                    bytes.push(constant::TEMPLATE);
                    bytes.extend((raw.len() as u32).to_le_bytes());
                    for string in cooked {
                        bytes.extend(string.map_or(u32::MAX, |string| string.0).to_le_bytes());
                    }
                    bytes.extend(raw.iter().flat_map(|string| string.0.to_le_bytes()));
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
