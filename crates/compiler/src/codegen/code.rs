//! A Wasm function under construction: instructions with symbolic callees, labels and pooled locals.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use convex_wasm_abi::functions::Runtime;
use wasm_encoder::{BlockType, Encode, Instruction, MemArg, ValType};

use super::helpers::Helper;
use crate::ir::FunctionId;

/// A function's Wasm type.
pub type Signature = (Vec<ValType>, Vec<ValType>);

/// What a direct call calls; turned into a function index when the module is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Callee {
    /// An import from the guest.
    Runtime(Runtime),
    /// The direct entry of a known function.
    Direct(FunctionId),
    /// The resume function of an async function or generator.
    Resume(FunctionId),
    /// An outlined sequence of this unit.
    Helper(Helper),
}

/// One instruction, or a note about those that follow.
#[derive(Clone, Debug)]
enum Item {
    Plain(Instruction<'static>),
    Call(Callee),
    TailCall(Callee),
    CallIndirect(SignatureIndex),
    Word(u64),
    Position(Source),
}

/// Where code comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A byte offset in the source.
    Offset(u32),
    /// Nowhere: outlined code, which stack traces leave out.
    Outlined,
}

/// Words used at least this often in a function come from a local that is set once.
const USES_OF_POOLED_WORD: u32 = 3;

/// Index of an indirect call's signature in [`Code::signatures`].
type SignatureIndex = usize;

/// A branch target: the nesting depth of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(u32);

/// A Wasm local.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Local(pub u32);

/// A function under construction.
pub struct Code {
    signature: Signature,
    locals: Vec<ValType>,
    free: HashMap<ValType, Vec<Local>>,
    items: Vec<Item>,
    signatures: Vec<Signature>,
    depth: u32,
}

/// An encoded body and the source positions in it.
pub struct EncodedBody {
    /// Locals, instructions, and the closing `end`.
    pub bytes: Vec<u8>,
    /// Offset in `bytes` and what source holds from there on.
    pub positions: Vec<(u32, Source)>,
}

/// Indices that are only known once a whole module has been generated.
pub trait Indices {
    /// Function index of a callee.
    fn function(&self, callee: Callee) -> u32;
    /// Type index of a signature.
    fn signature(&self, signature: &Signature) -> u32;
}

impl Code {
    /// Starts a function; its parameters are the first locals.
    pub fn new(parameters: &[ValType], results: &[ValType]) -> Self {
        Self {
            signature: (parameters.to_vec(), results.to_vec()),
            locals: Vec::new(),
            free: HashMap::new(),
            items: Vec::new(),
            signatures: Vec::new(),
            depth: 0,
        }
    }

    /// The function's own type.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Everything it calls directly.
    pub fn callees(&self) -> impl Iterator<Item = Callee> {
        self.items.iter().filter_map(|item| match item {
            Item::Call(callee) | Item::TailCall(callee) => Some(*callee),
            _ => None,
        })
    }

    /// Types of its indirect calls.
    pub fn indirect_signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// A local that nothing else uses until it is released.
    pub fn take_local(&mut self, ty: ValType) -> Local {
        if let Some(local) = self.free.get_mut(&ty).and_then(Vec::pop) {
            return local;
        }
        self.locals.push(ty);
        Local((self.signature.0.len() + self.locals.len() - 1) as u32)
    }

    /// Gives a local back for reuse.
    pub fn release_local(&mut self, local: Local) {
        let index = local.0 as usize;
        if let Some(index) = index.checked_sub(self.signature.0.len()) {
            self.free.entry(self.locals[index]).or_default().push(local);
        }
    }

    /// Appends an instruction.
    pub fn emit(&mut self, instruction: Instruction<'static>) -> &mut Self {
        self.items.push(Item::Plain(instruction));
        self
    }

    /// Notes that what follows comes from this byte offset in the source.
    pub fn position(&mut self, source: u32) {
        self.items.push(Item::Position(Source::Offset(source)));
    }

    /// Direct call.
    pub fn call(&mut self, callee: Callee) -> &mut Self {
        self.items.push(Item::Call(callee));
        self
    }

    /// Call in place of this function, whose results are those of the callee.
    pub fn tail_call(&mut self, callee: Callee) -> &mut Self {
        self.items.push(Item::TailCall(callee));
        self
    }

    /// Turns the call that the function ends with, if any, into a tail call. A function without other calls needs
    /// neither saved registers nor a check of the stack.
    pub fn end_with_tail_call(&mut self) {
        if let Some(last) = self.items.last_mut()
            && let Item::Call(callee) = *last
        {
            *last = Item::TailCall(callee);
        }
    }

    /// Call of a guest function.
    pub fn call_runtime(&mut self, function: Runtime) -> &mut Self {
        self.call(Callee::Runtime(function))
    }

    /// Call of an outlined sequence.
    pub fn call_helper(&mut self, helper: Helper) -> &mut Self {
        self.call(Callee::Helper(helper))
    }

    /// Call through the table; the element index is on the stack.
    pub fn call_indirect(&mut self, signature: Signature) -> &mut Self {
        let index = self.signatures.iter().position(|known| *known == signature).unwrap_or_else(|| {
            self.signatures.push(signature);
            self.signatures.len() - 1
        });
        self.items.push(Item::CallIndirect(index));
        self
    }

    // ---- structure ----

    /// Opens a block; branches to its label leave it.
    pub fn block(&mut self, ty: BlockType) -> Label {
        self.emit(Instruction::Block(ty));
        self.open()
    }

    /// Opens a loop; branches to its label repeat it.
    pub fn start_loop(&mut self) -> Label {
        self.emit(Instruction::Loop(BlockType::Empty));
        self.open()
    }

    /// Opens an `if` on the i32 on the stack.
    pub fn start_if(&mut self, ty: BlockType) -> Label {
        self.emit(Instruction::If(ty));
        self.open()
    }

    /// The other arm.
    pub fn start_else(&mut self) -> &mut Self {
        self.emit(Instruction::Else)
    }

    /// Closes the innermost block, loop or `if`.
    pub fn end(&mut self) -> &mut Self {
        self.depth -= 1;
        self.emit(Instruction::End)
    }

    fn open(&mut self) -> Label {
        self.depth += 1;
        Label(self.depth)
    }

    /// Relative depth of a label from here.
    fn relative(&self, label: Label) -> u32 {
        self.depth - label.0
    }

    /// Branch.
    pub fn br(&mut self, label: Label) -> &mut Self {
        let depth = self.relative(label);
        self.emit(Instruction::Br(depth))
    }

    /// Branch if the i32 on the stack is not zero.
    pub fn br_if(&mut self, label: Label) -> &mut Self {
        let depth = self.relative(label);
        self.emit(Instruction::BrIf(depth))
    }

    /// Branch by the i32 on the stack.
    pub fn br_table(&mut self, labels: &[Label], otherwise: Label) -> &mut Self {
        let depths: Vec<u32> = labels.iter().map(|&label| self.relative(label)).collect();
        let otherwise = self.relative(otherwise);
        self.emit(Instruction::BrTable(Cow::Owned(depths), otherwise))
    }

    // ---- short forms ----

    /// `local.get`; right after a `local.set` of the same local, both become `local.tee`.
    pub fn get(&mut self, local: Local) -> &mut Self {
        if let Some(Item::Plain(last @ Instruction::LocalSet(_))) = self.items.last_mut()
            && matches!(last, Instruction::LocalSet(set) if *set == local.0)
        {
            *last = Instruction::LocalTee(local.0);
            return self;
        }
        self.emit(Instruction::LocalGet(local.0))
    }

    /// `local.set`
    pub fn set(&mut self, local: Local) -> &mut Self {
        self.emit(Instruction::LocalSet(local.0))
    }

    /// `local.tee`
    pub fn tee(&mut self, local: Local) -> &mut Self {
        self.emit(Instruction::LocalTee(local.0))
    }

    /// i32 constant.
    pub fn i32(&mut self, value: i32) -> &mut Self {
        self.emit(Instruction::I32Const(value))
    }

    /// i64 constant.
    pub fn i64(&mut self, value: i64) -> &mut Self {
        self.emit(Instruction::I64Const(value))
    }

    /// A value's word, or another large i64.
    pub fn word(&mut self, word: u64) -> &mut Self {
        self.items.push(Item::Word(word));
        self
    }

    /// f64 constant.
    pub fn f64(&mut self, value: f64) -> &mut Self {
        self.emit(Instruction::F64Const(value.into()))
    }

    /// i32 at a constant offset from the address on the stack.
    pub fn load_i32(&mut self, offset: u32) -> &mut Self {
        self.emit(Instruction::I32Load(at(offset, 2)))
    }

    /// u8 at a constant offset from the address on the stack.
    pub fn load_u8(&mut self, offset: u32) -> &mut Self {
        self.emit(Instruction::I32Load8U(at(offset, 0)))
    }

    /// i64 at a constant offset from the address on the stack.
    pub fn load_i64(&mut self, offset: u32) -> &mut Self {
        self.emit(Instruction::I64Load(at(offset, 3)))
    }

    /// Stores the i32 on the stack at a constant offset from the address below it.
    pub fn store_i32(&mut self, offset: u32) -> &mut Self {
        self.emit(Instruction::I32Store(at(offset, 2)))
    }

    /// Stores the i64 on the stack at a constant offset from the address below it.
    pub fn store_i64(&mut self, offset: u32) -> &mut Self {
        self.emit(Instruction::I64Store(at(offset, 3)))
    }

    /// The i32 in the cell at a fixed address.
    pub fn load_cell_i32(&mut self, address: u32) -> &mut Self {
        self.i32(0).load_i32(address)
    }

    /// Bytes of the finished function.
    pub fn encode(&self, indices: &impl Indices) -> EncodedBody {
        let mut bytes = Vec::new();
        let pooled = self.pooled_words();
        let runs = self.local_runs(pooled.len());
        (runs.len() as u32).encode(&mut bytes);
        for (count, ty) in runs {
            count.encode(&mut bytes);
            ty.encode(&mut bytes);
        }
        for (word, local) in &pooled {
            Instruction::I64Const(word.cast_signed()).encode(&mut bytes);
            Instruction::LocalSet(*local).encode(&mut bytes);
        }
        let mut positions: Vec<(u32, Source)> = vec![(0, Source::Outlined)];
        for item in &self.items {
            match item {
                Item::Plain(instruction) => instruction.encode(&mut bytes),
                Item::Call(callee) => Instruction::Call(indices.function(*callee)).encode(&mut bytes),
                Item::TailCall(callee) => Instruction::ReturnCall(indices.function(*callee)).encode(&mut bytes),
                Item::CallIndirect(index) => {
                    let type_index = indices.signature(&self.signatures[*index]);
                    Instruction::CallIndirect { type_index, table_index: 0 }.encode(&mut bytes);
                }
                Item::Word(word) => match pooled.get(word) {
                    Some(&local) => Instruction::LocalGet(local).encode(&mut bytes),
                    None => Instruction::I64Const(word.cast_signed()).encode(&mut bytes),
                },
                Item::Position(source) => note_position(&mut positions, bytes.len() as u32, *source),
            }
        }
        Instruction::End.encode(&mut bytes);
        EncodedBody { bytes, positions }
    }

    /// Large words used often, and the locals behind all others that hold them.
    fn pooled_words(&self) -> BTreeMap<u64, u32> {
        let mut uses: BTreeMap<u64, u32> = BTreeMap::new();
        for item in &self.items {
            if let Item::Word(word) = item {
                *uses.entry(*word).or_default() += 1;
            }
        }
        let is_large = |word: u64| i32::try_from(word.cast_signed()).is_err();
        let first = (self.signature.0.len() + self.locals.len()) as u32;
        let often = uses.into_iter().filter(|&(word, count)| count >= USES_OF_POOLED_WORD && is_large(word));
        often.zip(first..).map(|((word, _), local)| (word, local)).collect()
    }

    fn local_runs(&self, pooled: usize) -> Vec<(u32, ValType)> {
        let mut runs: Vec<(u32, ValType)> = Vec::new();
        for ty in self.locals.iter().copied().chain(std::iter::repeat_n(ValType::I64, pooled)) {
            match runs.last_mut() {
                Some((count, last)) if *last == ty => *count += 1,
                _ => runs.push((1, ty)),
            }
        }
        runs
    }
}

fn note_position(positions: &mut Vec<(u32, Source)>, offset: u32, source: Source) {
    match positions.last_mut() {
        Some(last) if last.0 == offset => last.1 = source,
        Some(last) if last.1 == source => {}
        _ => positions.push((offset, source)),
    }
}

/// A memory operand.
pub fn at(offset: u32, align: u32) -> MemArg {
    MemArg { offset: u64::from(offset), align, memory_index: 0 }
}
