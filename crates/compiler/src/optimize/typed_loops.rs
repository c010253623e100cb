//! Loops over typed arrays in two versions.
//!
//! Where a loop accesses arrays that are probably typed (see [`super::element_hints`]) and the same in all its rounds, it
//! is doubled. In front of it the arrays are checked once: their kind and buffer never change, so one version accesses
//! elements without further checks but the bounds, and numbers in it stay unboxed; the other is the loop as it was.
//! Registers of both are renamed, so that types in one do not depend on the other.
//!
//! If nothing in the loop can run user code, the number of elements and their address do not change either.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::dead_code::eliminate_dead_code;
use super::element_hints;
use super::inference::infer;
use super::liveness::Liveness;
use super::loops::{Loop, natural_loops};
use super::operands::{
    never_throws, op_uses, op_uses_mut, successors, suspends, terminator_defs, terminator_uses, terminator_uses_mut,
};
use super::types::Type;
use super::webs;
use crate::element::Element;
use crate::ir::{
    Binary, Block, BlockData, Constant, ConstantValue, Function, FunctionId, Instruction, Module, Op, Reg, RegKind,
    Terminator, Unary,
};

/// Loops with more instructions than this are not doubled.
const LARGEST_LOOP: usize = 200;

/// Doubles the loops over typed arrays of all functions, which are simplified before and afterwards.
pub fn version(module: &Module, functions: &mut [Function]) {
    let hints = element_hints::of_bindings(module, functions);
    if hints.iter().all(Option::is_none) && !functions.iter().any(|function| has_hints(module, function, &hints)) {
        return;
    }
    let stable = bindings_stored_by_the_body_only(module, functions);
    for (index, function) in functions.iter_mut().enumerate() {
        if has_hints(module, function, &hints) {
            version_function(module, function, FunctionId(index as u32), &hints, &stable);
        }
    }
}

fn has_hints(module: &Module, function: &Function, hints: &[Option<Element>]) -> bool {
    element_hints::of_registers(module, function, hints).iter().any(Option::is_some)
}

/// Bindings that no function but the module's body stores: they stay what they are while another function runs.
fn bindings_stored_by_the_body_only(module: &Module, functions: &[Function]) -> Vec<bool> {
    let mut stable = vec![true; module.bindings.len()];
    for instruction in functions.iter().skip(1).flat_map(|function| &function.blocks).flat_map(|b| &b.instructions) {
        if let Op::StoreBinding(binding, _) = instruction.op {
            stable[binding as usize] = false;
        }
    }
    stable
}

fn version_function(
    module: &Module,
    function: &mut Function,
    id: FunctionId,
    hints: &[Option<Element>],
    stable: &[bool],
) {
    let mut done: HashSet<Block> = HashSet::new();
    loop {
        let loops = natural_loops(function);
        let next = loops.into_iter().find(|each| !each.blocks.iter().any(|block| done.contains(block)));
        let Some(each) = next else { return };
        let versioned =
            Analysis::of(module, function, id, hints, stable, &each).and_then(|analysis| analysis.version());
        match versioned {
            Some(versioned) => {
                // Neither version is looked at again.
                done.extend(each.blocks);
                done.extend((function.blocks.len()..versioned.blocks.len()).map(|block| Block(block as u32)));
                *function = versioned;
            }
            None => {
                done.insert(each.header);
            }
        }
    }
}

/// Where an array comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Source {
    /// A register that the loop does not write.
    Register(Reg),
    /// A binding that does not change meanwhile.
    Binding(u32),
}

/// What the fast version assumes; checked once it is made.
#[derive(Clone, Copy)]
struct Assumptions {
    /// Nothing in the loop runs user code.
    calm: bool,
    /// Absent elements may be NaN.
    nan: bool,
    /// What is stored is a number.
    stores: bool,
}

const ATTEMPTS: [Assumptions; 5] = [
    Assumptions { calm: true, nan: true, stores: true },
    Assumptions { calm: true, nan: false, stores: true },
    Assumptions { calm: false, nan: true, stores: true },
    Assumptions { calm: false, nan: false, stores: true },
    Assumptions { calm: false, nan: false, stores: false },
];

/// A loop that is worth two versions.
struct Analysis<'a> {
    module: &'a Module,
    function: &'a Function,
    id: FunctionId,
    each: &'a Loop,
    /// Types of all registers, where arguments may be anything.
    types: Vec<Type>,
    liveness: Liveness,
    /// Registers the loop writes.
    defined: HashSet<Reg>,
    /// The arrays it accesses, by register that holds them at an access.
    arrays: BTreeMap<Reg, (Source, Element)>,
}

impl<'a> Analysis<'a> {
    fn of(
        module: &'a Module,
        function: &'a Function,
        id: FunctionId,
        hints: &[Option<Element>],
        stable: &[bool],
        each: &'a Loop,
    ) -> Option<Self> {
        let blocks = || each.blocks.iter().map(|block| &function.blocks[block.0 as usize]);
        let size: usize = blocks().map(|block| block.instructions.len()).sum();
        let suits = |block: &BlockData| block.handler.is_none() && !suspends(&block.terminator);
        if size > LARGEST_LOOP || each.header == Block(0) || !blocks().all(suits) {
            return None;
        }
        let mut definitions: HashMap<Reg, Vec<&Op>> = HashMap::new();
        let mut stored: HashSet<u32> = HashSet::new();
        for instruction in blocks().flat_map(|block| &block.instructions) {
            if let Some(result) = instruction.result {
                definitions.entry(result).or_default().push(&instruction.op);
            }
            if let Op::StoreBinding(binding, _) = instruction.op {
                stored.insert(binding);
            }
        }
        let hints = element_hints::of_registers(module, function, hints);
        let mut arrays = BTreeMap::new();
        for instruction in blocks().flat_map(|block| &block.instructions) {
            let (Op::GetElement(object, _) | Op::SetElement(object, ..)) = instruction.op else { continue };
            let Some(element) = hints[object.0 as usize] else { continue };
            let source = match definitions.get(&object).map(Vec::as_slice) {
                None => Source::Register(object),
                Some(&[&Op::LoadBinding(binding)]) if stable[binding as usize] && !stored.contains(&binding) => {
                    Source::Binding(binding)
                }
                Some(_) => continue,
            };
            arrays.insert(object, (source, element));
        }
        if arrays.is_empty() {
            return None;
        }
        // Lengths of the same arrays are read from other registers.
        let accessed: HashMap<Source, Element> = arrays.values().copied().collect();
        for (&reg, operations) in &definitions {
            if let [&Op::LoadBinding(binding)] = operations[..]
                && let Some(&element) = accessed.get(&Source::Binding(binding))
            {
                arrays.insert(reg, (Source::Binding(binding), element));
            }
        }
        Some(Self {
            module,
            function,
            id,
            each,
            types: infer(module, function, id, &vec![None; module.functions.len()]),
            liveness: Liveness::compute(function),
            defined: definitions.keys().copied().collect(),
            arrays,
        })
    }

    /// The function with both versions, by the first assumptions that turn out to hold.
    fn version(&self) -> Option<Function> {
        ATTEMPTS.iter().find_map(|&assumptions| {
            let (mut function, fast) = Versioning::of(self, assumptions).build();
            eliminate_dead_code(&mut function);
            webs::split(&mut function);
            let types = infer(self.module, &function, self.id, &vec![None; self.module.functions.len()]);
            holds(&function, &fast, &types, assumptions).then_some(function)
        })
    }

    fn is_length(&self, key: Constant) -> bool {
        match &self.module.constants[key.0 as usize] {
            ConstantValue::String(units) => units.iter().copied().eq("length".encode_utf16()),
            _ => false,
        }
    }
}

/// Whether the fast blocks keep what was assumed for them.
fn holds(function: &Function, fast: &[Block], types: &[Type], assumptions: Assumptions) -> bool {
    let of = |reg: &Reg| types[reg.0 as usize];
    let blocks = || fast.iter().map(|block| &function.blocks[block.0 as usize]);
    let instructions = || blocks().flat_map(|block| &block.instructions);
    let stores_numbers = instructions().all(|instruction| match &instruction.op {
        Op::StoreElement { value, .. } => of(value).is_number(),
        _ => true,
    });
    let calm = || instructions().all(|instruction| is_calm(&instruction.op, &of));
    stores_numbers && (!assumptions.calm || calm()) && (!assumptions.nan || nobody_tells_nan(function, fast, &of))
}

/// Whether the operation runs no user code.
fn is_calm(op: &Op, of: &impl Fn(&Reg) -> Type) -> bool {
    match op {
        Op::CheckInitialized { .. } => true,
        Op::Binary(Binary::In | Binary::InstanceOf, ..) => false,
        Op::Binary(_, left, right) => of(left).is_plain_primitive() && of(right).is_plain_primitive(),
        Op::Unary(_, operand) => of(operand).is_plain_primitive(),
        op => never_throws(op),
    }
}

/// Whether every use of a loaded element, up to copies, takes NaN for what it takes undefined: a number.
fn nobody_tells_nan(function: &Function, fast: &[Block], of: &impl Fn(&Reg) -> Type) -> bool {
    let is_fast: HashSet<u32> = fast.iter().map(|block| block.0).collect();
    let mut loaded: HashSet<Reg> = HashSet::new();
    let mut grown = true;
    while grown {
        let before = loaded.len();
        for instruction in fast.iter().flat_map(|block| &function.blocks[block.0 as usize].instructions) {
            let from_element = match &instruction.op {
                Op::LoadElement { .. } => true,
                Op::Copy(source) => loaded.contains(source),
                _ => false,
            };
            if from_element {
                loaded.extend(instruction.result);
            }
        }
        grown = loaded.len() > before;
    }
    let mut fine = true;
    for (number, block) in (0..).zip(&function.blocks) {
        let fast = is_fast.contains(&number);
        for instruction in &block.instructions {
            let numeric = fast
                && match &instruction.op {
                    Op::Copy(_) | Op::StoreElement { .. } => true,
                    Op::Binary(Binary::Add, left, right) => of(left).is_number() && of(right).is_number(),
                    Op::Binary(operator, ..) => !matches!(
                        operator,
                        Binary::StrictEqual
                            | Binary::StrictNotEqual
                            | Binary::LooseEqual
                            | Binary::LooseNotEqual
                            | Binary::In
                            | Binary::InstanceOf
                    ),
                    Op::Unary(operator, _) => matches!(
                        operator,
                        Unary::Neg
                            | Unary::Plus
                            | Unary::BitNot
                            | Unary::ToNumeric
                            | Unary::Inc
                            | Unary::Dec
                            | Unary::Not
                    ),
                    _ => false,
                };
            op_uses(&instruction.op, &mut |reg| fine &= numeric || !loaded.contains(reg));
        }
        let by_truth = fast && matches!(block.terminator, Terminator::Branch { .. });
        terminator_uses(&block.terminator, &mut |reg| fine &= by_truth || !loaded.contains(reg));
    }
    fine
}

/// The two versions under construction.
struct Versioning<'a> {
    analysis: &'a Analysis<'a>,
    assumptions: Assumptions,
    function: Function,
    /// Fast block of each block of the loop.
    fast: HashMap<Block, Block>,
    fast_names: HashMap<Reg, Reg>,
    slow_names: HashMap<Reg, Reg>,
    /// In the fast version: the array, and its count and data where they do not change.
    checked: BTreeMap<Source, CheckedArray>,
}

#[derive(Clone, Copy)]
struct CheckedArray {
    array: Reg,
    element: Element,
    fixed: Option<Extent>,
}

/// Where a typed array's elements are.
#[derive(Clone, Copy)]
struct Extent {
    count: Reg,
    data: Reg,
}

impl<'a> Versioning<'a> {
    fn of(analysis: &'a Analysis<'a>, assumptions: Assumptions) -> Self {
        let function = analysis.function.clone();
        let first = function.blocks.len();
        let fast = analysis.each.blocks.iter().zip(first..);
        let mut versioning = Self {
            analysis,
            assumptions,
            fast: fast.map(|(&block, number)| (block, Block(number as u32))).collect(),
            function,
            fast_names: HashMap::new(),
            slow_names: HashMap::new(),
            checked: BTreeMap::new(),
        };
        let mut defined: Vec<Reg> = analysis.defined.iter().copied().collect();
        defined.sort();
        for reg in defined {
            let kind = analysis.function.registers[reg.0 as usize];
            let names = [versioning.fresh(kind), versioning.fresh(kind)];
            versioning.fast_names.insert(reg, names[0]);
            versioning.slow_names.insert(reg, names[1]);
        }
        for &(source, element) in analysis.arrays.values() {
            let array = match source {
                Source::Register(reg) => reg,
                Source::Binding(_) => versioning.fresh(RegKind::Value),
            };
            let fixed = assumptions.calm.then(|| versioning.extent());
            versioning.checked.entry(source).or_insert(CheckedArray { array, element, fixed });
        }
        versioning
    }

    fn fresh(&mut self, kind: RegKind) -> Reg {
        self.function.registers.push(kind);
        Reg(self.function.registers.len() as u32 - 1)
    }

    fn extent(&mut self) -> Extent {
        Extent { count: self.fresh(RegKind::Value), data: self.fresh(RegKind::Env) }
    }

    /// The function with both versions, and the fast blocks.
    fn build(mut self) -> (Function, Vec<Block>) {
        let blocks = &self.analysis.each.blocks;
        let mut fast_blocks: Vec<BlockData> = Vec::new();
        for &block in blocks {
            let data = self.analysis.function.blocks[block.0 as usize].clone();
            let mut instructions = Vec::new();
            for instruction in &data.instructions {
                self.speed_up(instruction, &mut instructions);
            }
            fast_blocks.push(BlockData { instructions, terminator: data.terminator, handler: None });
        }
        self.function.blocks.extend(fast_blocks);
        let fast: Vec<Block> = blocks.iter().map(|block| self.fast[block]).collect();
        let names = [std::mem::take(&mut self.fast_names), std::mem::take(&mut self.slow_names)];
        for (&block, &fast) in blocks.iter().zip(&fast) {
            self.finish_block(fast, &names[0], true);
            self.finish_block(block, &names[1], false);
        }
        self.enter(&names);
        (self.function, fast)
    }

    /// Renames the registers of a block in the loop and leads its exits through blocks that give them their old names.
    fn finish_block(&mut self, block: Block, names: &HashMap<Reg, Reg>, is_fast: bool) {
        let rename = |reg: &mut Reg| *reg = names.get(reg).copied().unwrap_or(*reg);
        let data = &mut self.function.blocks[block.0 as usize];
        for instruction in &mut data.instructions {
            op_uses_mut(&mut instruction.op, &mut |reg| rename(reg));
            instruction.result.iter_mut().for_each(rename);
        }
        terminator_uses_mut(&mut data.terminator, &mut |reg| rename(reg));
        debug_assert!(terminator_defs(&data.terminator).next().is_none());
        for target in successors(&self.function.blocks[block.0 as usize].terminator) {
            let to = match self.fast.get(&target) {
                Some(&fast) if is_fast => fast,
                Some(_) => continue,
                None => self.block_of_copies(target, |reg| Some((reg, *names.get(&reg)?))),
            };
            retarget(&mut self.function.blocks[block.0 as usize].terminator, target, to);
        }
    }

    /// A new block that copies registers live in `target` and goes there. `copy` gives result and source for a register.
    fn block_of_copies(&mut self, target: Block, copy: impl Fn(Reg) -> Option<(Reg, Reg)>) -> Block {
        let position = self.function.source.0;
        let copies = self.analysis.liveness.live_in(target).filter_map(copy);
        let instructions = copies
            .map(|(result, source)| Instruction { result: Some(result), op: Op::Copy(source), position })
            .collect();
        self.add_block(instructions, Terminator::Jump(target))
    }

    fn add_block(&mut self, instructions: Vec<Instruction>, terminator: Terminator) -> Block {
        self.function.blocks.push(BlockData { instructions, terminator, handler: None });
        Block(self.function.blocks.len() as u32 - 1)
    }

    /// Leads the edges into the loop through the checks: to the fast version if all arrays are as expected.
    fn enter(&mut self, [fast_names, slow_names]: &[HashMap<Reg, Reg>; 2]) {
        let header = self.analysis.each.header;
        let slow = self.block_of_copies(header, |reg| Some((*slow_names.get(&reg)?, reg)));
        let fast = self.block_of_copies(header, |reg| Some((*fast_names.get(&reg)?, reg)));
        let position = self.function.source.0;
        let make = |result, op| Instruction { result: Some(result), op, position };
        let checked = self.checked.clone();
        let extents = checked.values().filter_map(|array| Some((array.array, array.fixed?)));
        let extents: Vec<Instruction> = extents
            .flat_map(|(array, extent)| {
                [make(extent.count, Op::ElementCount(array)), make(extent.data, Op::ElementData(array))]
            })
            .collect();
        let block = &mut self.function.blocks[fast.0 as usize];
        block.instructions.splice(0..0, extents);
        block.terminator = Terminator::Jump(self.fast[&header]);
        let mut next = fast;
        for (&source, array) in checked.iter().rev() {
            let mut instructions = Vec::new();
            if let Source::Binding(binding) = source {
                instructions.push(make(array.array, Op::LoadBinding(binding)));
            }
            let condition = self.fresh(RegKind::Value);
            let length = self.assumptions.calm && self.reads_length_of(source);
            let check = Op::IsTypedArray { object: array.array, element: array.element, length };
            instructions.push(make(condition, check));
            next = self.add_block(instructions, Terminator::Branch { condition, then: next, otherwise: slow });
        }
        let inside: HashSet<u32> = self.analysis.each.blocks.iter().map(|block| block.0).collect();
        for (number, block) in (0..).zip(&mut self.function.blocks[..self.analysis.function.blocks.len()]) {
            if !inside.contains(&number) {
                retarget(&mut block.terminator, header, next);
            }
        }
    }

    fn reads_length_of(&self, source: Source) -> bool {
        let blocks = self.analysis.each.blocks.iter().map(|block| &self.analysis.function.blocks[block.0 as usize]);
        blocks.flat_map(|block| &block.instructions).any(|instruction| match instruction.op {
            Op::Get(object, key) => self.source_of(object) == Some(source) && self.analysis.is_length(key),
            _ => false,
        })
    }

    fn source_of(&self, object: Reg) -> Option<Source> {
        self.analysis.arrays.get(&object).map(|&(source, _)| source)
    }

    fn array_of(&self, object: Reg) -> Option<CheckedArray> {
        self.checked.get(&self.source_of(object)?).copied()
    }

    fn is_index(&self, key: Reg) -> bool {
        self.analysis.types[key.0 as usize].is_integer()
    }

    /// Appends what an instruction becomes in the fast version. Registers still have their old names.
    fn speed_up(&mut self, instruction: &Instruction, to: &mut Vec<Instruction>) {
        let Instruction { result, position, .. } = *instruction;
        let op = match instruction.op {
            Op::LoadBinding(_) if result.is_some_and(|reg| self.array_of(reg).is_some()) => {
                result.and_then(|reg| self.array_of(reg)).map(|array| Op::Copy(array.array))
            }
            Op::CheckInitialized { value, .. } if self.array_of(value).is_some() => return,
            Op::Get(object, key) if self.analysis.is_length(key) => {
                self.array_of(object).and_then(|array| array.fixed).map(|extent| Op::Copy(extent.count))
            }
            Op::GetElement(object, index) if self.is_index(index) => self.array_of(object).map(|array| {
                let Extent { count, data } = self.extent_at(array, position, to);
                Op::LoadElement { data, count, index, element: array.element, absent_is_nan: self.assumptions.nan }
            }),
            Op::SetElement(object, index, value) if self.assumptions.stores && self.is_index(index) => {
                self.array_of(object).map(|array| {
                    let Extent { count, data } = self.extent_at(array, position, to);
                    Op::StoreElement { data, count, index, element: array.element, value }
                })
            }
            _ => None,
        };
        to.push(Instruction { result, op: op.unwrap_or_else(|| instruction.op.clone()), position });
    }

    /// Count and data of an array where it is accessed.
    fn extent_at(&mut self, array: CheckedArray, position: u32, to: &mut Vec<Instruction>) -> Extent {
        if let Some(extent) = array.fixed {
            return extent;
        }
        let extent = self.extent();
        to.push(Instruction { result: Some(extent.count), op: Op::ElementCount(array.array), position });
        to.push(Instruction { result: Some(extent.data), op: Op::ElementData(array.array), position });
        extent
    }
}

/// Replaces a successor.
fn retarget(terminator: &mut Terminator, from: Block, to: Block) {
    let replace = |block: &mut Block| {
        if *block == from {
            *block = to;
        }
    };
    match terminator {
        Terminator::Jump(block) | Terminator::InitialYield(block) => replace(block),
        Terminator::Branch { then, otherwise, .. } => [then, otherwise].into_iter().for_each(replace),
        Terminator::Dispatch { targets, otherwise, .. } => targets.iter_mut().chain([otherwise]).for_each(replace),
        Terminator::Await { resume, .. } | Terminator::YieldDelegate { resume, .. } => replace(resume),
        Terminator::Yield { resume, on_return, .. } => [resume, on_return].into_iter().for_each(replace),
        Terminator::Return(_) | Terminator::Throw(_) | Terminator::Unreachable => {}
    }
}
