//! Puts a unit's functions, imports, data and elements together to a Wasm module.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use convex_wasm_abi::functions::{RUNTIME_FUNCTIONS, Runtime};
use convex_wasm_abi::memory::MEMORY_PAGES;
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, FunctionSection, GlobalType,
    ImportSection, MemoryType, Module as WasmModule, RefType, TableType, TypeSection, ValType,
};

use super::code::{Callee, Code, Indices, Signature, Source};
use super::data::Data;
use super::emitter::{DATA_BASE, TABLE_BASE, Unit};
use super::entry::FunctionCode;
use super::helpers::Helper;
use super::{EmittedUnit, SourceInfo};
use crate::ir::{Function, FunctionId, FunctionKind, Module};
use crate::unit::{CodePoint, CodePosition, FunctionMeta};

/// The Wasm functions of a unit, with the IR function each belongs to.
#[derive(Default)]
pub struct Assembly {
    uniform: Vec<Code>,
    direct: Vec<(FunctionId, Code)>,
    resume: Vec<(FunctionId, Code)>,
    points: Points,
}

/// Starts and suspension points of functions, numbered through the unit.
#[derive(Default)]
struct Points {
    /// By function: the number of its first.
    first: Vec<u32>,
    /// By number: the function, and a byte offset in the source.
    all: Vec<(usize, u32)>,
}

impl Points {
    /// Adds those of the next function.
    fn add(&mut self, points: Vec<u32>) {
        let function = self.first.len();
        self.first.push(self.all.len() as u32);
        self.all.extend(points.into_iter().map(|at| (function, at)));
    }
}

/// A defined Wasm function and its name in stack traces.
struct Defined<'a> {
    code: &'a Code,
    owner: Option<FunctionId>,
}

/// Function and type indices.
struct Numbering {
    functions: BTreeMap<Callee, u32>,
    types: BTreeMap<(Vec<u8>, Vec<u8>), u32>,
    signatures: Vec<Signature>,
}

impl Numbering {
    fn intern(&mut self, signature: &Signature) -> u32 {
        let key = signature_key(signature);
        if let Some(&index) = self.types.get(&key) {
            return index;
        }
        let index = self.signatures.len() as u32;
        self.types.insert(key, index);
        self.signatures.push(signature.clone());
        index
    }
}

impl Indices for Numbering {
    fn function(&self, callee: Callee) -> u32 {
        self.functions[&callee]
    }

    fn signature(&self, signature: &Signature) -> u32 {
        self.types[&signature_key(signature)]
    }
}

fn signature_key((parameters, results): &Signature) -> (Vec<u8>, Vec<u8>) {
    let bytes = |types: &[ValType]| types.iter().map(|&ty| type_byte(ty)).collect();
    (bytes(parameters), bytes(results))
}

fn type_byte(ty: ValType) -> u8 {
    match ty {
        ValType::I32 => b'i',
        ValType::I64 => b'j',
        ValType::F64 => b'd',
        _ => b'?',
    }
}

/// The Wasm type of a guest function.
fn runtime_signature(function: Runtime) -> Signature {
    let (parameters, results) = RUNTIME_FUNCTIONS[function as usize].signature.split_once(':').unwrap_or_default();
    let types = |text: &str| {
        text.chars()
            .map(|letter| match letter {
                'i' => ValType::I32,
                'j' => ValType::I64,
                _ => ValType::F64,
            })
            .collect()
    };
    (types(parameters), types(results))
}

impl Assembly {
    /// Adds the next function.
    pub fn add(&mut self, id: FunctionId, code: FunctionCode) {
        self.uniform.push(code.uniform);
        self.direct.extend(code.direct.map(|code| (id, code)));
        self.resume.extend(code.resume.map(|code| (id, code)));
        self.points.add(code.points);
    }

    /// Writes the module.
    pub fn finish(self, unit: &Unit<'_>, source: &SourceInfo<'_>) -> EmittedUnit {
        let helpers = self.helpers();
        let imports = self.imports(&helpers, unit.data.is_stable());
        let defined = self.defined(&helpers);
        let numbering = self.number(&imports, &helpers, &defined);
        let data = unit.data.encode(unit.module, &self.points.first);

        let mut wasm = WasmModule::new();
        let mut types = TypeSection::new();
        for (parameters, results) in &numbering.signatures {
            types.ty().function(parameters.iter().copied(), results.iter().copied());
        }
        wasm.section(&types);
        wasm.section(&import_section(&imports, &numbering));
        let mut functions = FunctionSection::new();
        for function in &defined {
            functions.function(numbering.signature(function.code.signature()));
        }
        wasm.section(&functions);
        wasm.section(&self.element_section(&numbering, &unit.data));
        let (code, names, raw_positions) =
            code_section(&defined, &numbering, wasm.len(), unit.module, &self.points.first);
        wasm.section(&code);
        let mut segments = DataSection::new();
        segments.active(0, &ConstExpr::global_get(DATA_BASE), data.iter().copied());
        wasm.section(&segments);

        let positions: Vec<_> = raw_positions.iter().map(|(_, position)| *position).collect();
        let points: Vec<_> = self.points.all.iter().map(|(_, at)| Source::Offset(*at)).collect();
        let lines = Lines::of(source.text, positions.iter().chain(&points));
        EmittedUnit {
            wasm: wasm.finish(),
            data_size: data.len() as u32,
            table_size: unit.data.function_count() + 1,
            bindings_offset: unit.data.bindings_offset(),
            imports_offset: unit.data.imports_offset(),
            functions: names,
            positions: raw_positions.iter().map(|&(offset, position)| lines.code_position(offset, position)).collect(),
            points: self
                .points
                .all
                .iter()
                .map(|&(function, at)| lines.point(&unit.module.functions[function], at))
                .collect(),
        }
    }

    fn all_code(&self) -> impl Iterator<Item = &Code> {
        let direct = self.direct.iter().chain(&self.resume).map(|(_, code)| code);
        self.uniform.iter().chain(direct)
    }

    /// Helpers that are called, also by other helpers.
    fn helpers(&self) -> BTreeMap<Helper, Code> {
        let mut helpers = BTreeMap::new();
        let called = |code: &Code| -> Vec<Helper> {
            code.callees()
                .filter_map(|callee| match callee {
                    Callee::Helper(helper) => Some(helper),
                    _ => None,
                })
                .collect()
        };
        let mut work: Vec<Helper> = self.all_code().flat_map(called).collect();
        // The table always holds the stand-in's entry.
        work.push(Helper::CallAny);
        while let Some(helper) = work.pop() {
            if let Entry::Vacant(place) = helpers.entry(helper) {
                let code = place.insert(helper.code());
                work.extend(called(code));
            }
        }
        helpers
    }

    /// Guest functions that are called, or all if they must not depend on that.
    fn imports(&self, helpers: &BTreeMap<Helper, Code>, all: bool) -> BTreeSet<Runtime> {
        if all {
            return Runtime::ALL.iter().copied().collect();
        }
        let callees = self.all_code().chain(helpers.values()).flat_map(Code::callees);
        callees
            .filter_map(|callee| match callee {
                Callee::Runtime(function) => Some(function),
                _ => None,
            })
            .collect()
    }

    /// All functions in the order of their indices: uniform entries, direct entries, resume functions, helpers.
    fn defined<'a>(&'a self, helpers: &'a BTreeMap<Helper, Code>) -> Vec<Defined<'a>> {
        let uniform =
            self.uniform.iter().zip(0..).map(|(code, index)| Defined { code, owner: Some(FunctionId(index)) });
        let others = self.direct.iter().chain(&self.resume).map(|(id, code)| Defined { code, owner: Some(*id) });
        let helpers = helpers.values().map(|code| Defined { code, owner: None });
        uniform.chain(others).chain(helpers).collect()
    }

    fn number(
        &self,
        imports: &BTreeSet<Runtime>,
        helpers: &BTreeMap<Helper, Code>,
        defined: &[Defined<'_>],
    ) -> Numbering {
        let mut numbering = Numbering { functions: BTreeMap::new(), types: BTreeMap::new(), signatures: Vec::new() };
        // Code contains the indices of these alone.
        for signature in defined.iter().flat_map(|function| function.code.indirect_signatures()) {
            numbering.intern(signature);
        }
        for &function in imports {
            numbering.intern(&runtime_signature(function));
        }
        for function in defined {
            numbering.intern(function.code.signature());
        }
        let callees = imports.iter().map(|&function| Callee::Runtime(function));
        for (index, callee) in callees.enumerate() {
            numbering.functions.insert(callee, index as u32);
        }
        let others = self.direct.iter().map(|(id, _)| Callee::Direct(*id));
        let others = others.chain(self.resume.iter().map(|(id, _)| Callee::Resume(*id)));
        let others = others.chain(helpers.keys().map(|&helper| Callee::Helper(helper)));
        for (callee, index) in others.zip(self.first_direct(imports)..) {
            numbering.functions.insert(callee, index);
        }
        numbering
    }

    /// Function index of the first function behind the uniform entries.
    fn first_direct(&self, imports: &BTreeSet<Runtime>) -> u32 {
        (imports.len() + self.uniform.len()) as u32
    }

    /// Free places hold the stand-in's entry.
    fn element_section(&self, numbering: &Numbering, data: &Data) -> ElementSection {
        let first = numbering.functions.keys().filter(|callee| matches!(callee, Callee::Runtime(_))).count() as u32;
        let stand_in = numbering.function(Callee::Helper(Helper::CallAny));
        let mut functions = vec![stand_in; data.function_count() as usize + 1];
        for index in 0..self.uniform.len() as u32 {
            functions[data.element(FunctionId(index)) as usize] = first + index;
        }
        for (id, _) in &self.resume {
            functions[data.resume_element(*id) as usize] = numbering.function(Callee::Resume(*id));
        }
        let mut elements = ElementSection::new();
        elements.active(None, &ConstExpr::global_get(TABLE_BASE), Elements::Functions(Cow::Owned(functions)));
        elements
    }
}

fn import_section(imports: &BTreeSet<Runtime>, numbering: &Numbering) -> ImportSection {
    let mut section = ImportSection::new();
    let pages = u64::from(MEMORY_PAGES);
    let memory =
        MemoryType { minimum: pages, maximum: Some(pages), memory64: false, shared: false, page_size_log2: None };
    section.import("env", "memory", memory);
    let table = TableType { element_type: RefType::FUNCREF, minimum: 0, maximum: None, table64: false, shared: false };
    section.import("env", "table", table);
    let global = GlobalType { val_type: ValType::I32, mutable: false, shared: false };
    section.import("env", "data_base", global);
    section.import("env", "table_base", global);
    for &function in imports {
        let ty = numbering.signature(&runtime_signature(function));
        section.import("rt", RUNTIME_FUNCTIONS[function as usize].name, EntityType::Function(ty));
    }
    section
}

/// Code section, functions by offset, and (Wasm offset, source offset) pairs; `start` is the module's length before it.
fn code_section(
    defined: &[Defined<'_>],
    numbering: &Numbering,
    start: usize,
    module: &Module,
    first_points: &[u32],
) -> (CodeSection, Vec<FunctionMeta>, Vec<(u32, Source)>) {
    let bodies: Vec<_> = defined.iter().map(|function| function.code.encode(numbering)).collect();
    let mut section = CodeSection::new();
    for body in &bodies {
        section.raw(&body.bytes);
    }
    let count = leb_size(bodies.len());
    // Section id, its size, the number of functions; then each body behind its own size.
    let mut offset = start + 1 + leb_size(count + section.byte_len()) + count;
    let (mut functions, mut positions) = (Vec::new(), Vec::new());
    for (function, body) in defined.iter().zip(&bodies) {
        offset += leb_size(body.bytes.len());
        let owner = function.owner.map(|id| id.0 as usize);
        let name = owner.map(|index| frame_name(&module.functions[index])).unwrap_or_default();
        let first_point = owner.map_or(FunctionMeta::NO_POINT, |index| first_points[index]);
        functions.push(FunctionMeta { name, code_offset: offset as u32, first_point });
        positions.extend(body.positions.iter().map(|(at, source)| (offset as u32 + at, *source)));
        offset += body.bytes.len();
    }
    (section, functions, positions)
}

/// Bytes of an unsigned LEB128 number.
fn leb_size(value: usize) -> usize {
    (usize::BITS - (value | 1).leading_zeros()).div_ceil(7) as usize
}

/// Lines and UTF-16 columns of byte offsets in the source.
struct Lines {
    offsets: Vec<u32>,
    places: Vec<(u32, u32)>,
}

impl Lines {
    /// Of these places, in one pass over the text: generated sources have lines of megabytes.
    fn of<'a>(text: &str, positions: impl Iterator<Item = &'a Source>) -> Self {
        let mut offsets: Vec<u32> = positions
            .filter_map(|source| match source {
                Source::Offset(offset) => Some(*offset),
                Source::Outlined => None,
            })
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        let mut places = Vec::with_capacity(offsets.len());
        let (mut line, mut column) = (0, 0);
        let mut characters = text.char_indices().peekable();
        for &offset in &offsets {
            while let Some((_, character)) = characters.next_if(|&(at, _)| at < offset as usize) {
                (line, column) =
                    if character == '\n' { (line + 1, 0) } else { (line, column + character.len_utf16() as u32) };
            }
            places.push((line, column));
        }
        Self { offsets, places }
    }

    fn place(&self, offset: u32) -> (u32, u32) {
        self.offsets.binary_search(&offset).map_or((0, 0), |index| self.places[index])
    }

    fn code_position(&self, offset: u32, source: Source) -> CodePosition {
        let (line, column) = match source {
            Source::Offset(source) => self.place(source),
            Source::Outlined => (CodePosition::NO_LINE, 0),
        };
        CodePosition { offset, line, column }
    }

    fn point(&self, function: &Function, offset: u32) -> CodePoint {
        let (line, column) = self.place(offset);
        CodePoint { function: frame_name(function), line, column }
    }
}

/// A function's name in stack traces.
fn frame_name(function: &Function) -> String {
    match function.kind {
        FunctionKind::BaseConstructor | FunctionKind::DerivedConstructor if function.name.is_empty() => {
            "new <anonymous>".to_owned()
        }
        FunctionKind::BaseConstructor | FunctionKind::DerivedConstructor => format!("new {}", function.name),
        _ if function.class.is_empty() || function.name.is_empty() => function.name.clone(),
        _ => format!("{}.{}", function.class, function.name),
    }
}
