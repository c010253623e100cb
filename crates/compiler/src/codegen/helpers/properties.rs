//! Properties and elements: what inline caches know and dense elements here, the rest in the guest.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{
    self, accessor, array, function, inline_cache, kind, more_entry, object, set_mode, typed_array,
};
use convex_wasm_abi::memory::{PROTO_EPOCH, STACK_DEPTH, STACK_LIMIT, STRING_PROTOTYPE};
use convex_wasm_abi::value::{self, FIRST_TAGGED, TAG_INT, TAG_OBJECT, TAG_STRING};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::{A, B, Helper, data_address, key_address, return_inside};
use crate::codegen::code::{Callee, Code, Label, Local, at};
use crate::codegen::entry::uniform_signature;
use crate::codegen::properties::add_by_cache;
use crate::codegen::typed_arrays;

/// What the guest makes of a property that is named by a key, or by a private name or another key value.
#[derive(Clone, Copy)]
pub(super) enum Fallback {
    Key(Runtime),
    Private(Runtime),
}

impl Fallback {
    /// Pushes the name whose constant's offset is in a local, as the guest function takes it.
    fn push_name(self, code: &mut Code, name: Local) {
        match self {
            Self::Key(_) => key_address(code, name),
            Self::Private(_) => {
                data_address(code, name);
                code.load_i64(0);
            }
        }
    }
}

/// Property read: own hits, prototype hits, getters of prototypes, then the guest.
pub(super) fn get(code: &mut Code, fallback: Fallback) {
    let (key, cache) = (Local(1), Local(2));
    let absolute = code.take_local(ValType::I32);
    let (shape, slots) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let word = code.take_local(ValType::I64);
    data_address(code, cache);
    code.set(absolute);
    let slow = code.block(BlockType::Empty);
    let accessor = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).start_if(BlockType::Empty);
    get_of_string(code, shape, absolute, slow);
    code.end();
    code.get(A).emit(Instruction::I32WrapI64).load_i32(object::SHAPE).set(shape);
    find_entry(code, shape, inline_cache::OWN, absolute, |code, place| {
        code.get(A).emit(Instruction::I32WrapI64).get(place).emit(Instruction::I32Add).load_i64(0);
        code.emit(Instruction::Return);
    });
    let further = code.block(BlockType::Empty);
    code.load_cell_i32(PROTO_EPOCH).get(absolute).load_i32(inline_cache::EPOCH).emit(Instruction::I32Ne).br_if(further);
    find_entry(code, shape, inline_cache::HOLDER, absolute, |code, place| {
        code.get(place).load_i64(0).emit(Instruction::Return);
    });
    find_entry(code, shape, inline_cache::ACCESSOR, absolute, |code, place| {
        code.get(place).load_i64(accessor::GET).set(word).br(accessor);
    });
    code.end();
    find_more(code, shape, absolute, slow, |code, entry| {
        let is = |code: &mut Code, kind: u32| {
            code.get(entry).load_i32(more_entry::FOUND).i32(kind.cast_signed()).emit(Instruction::I32Eq);
            code.start_if(BlockType::Empty);
        };
        is(code, more_entry::INLINE);
        code.get(A).emit(Instruction::I32WrapI64).get(entry).load_i32(more_entry::WHERE);
        code.emit(Instruction::I32Add).load_i64(0);
        return_inside(code);
        is(code, more_entry::HOLDER);
        code.get(entry).load_i32(more_entry::WHERE).load_i64(0);
        return_inside(code);
        is(code, more_entry::OUT_OF_LINE);
        code.get(A)
            .emit(Instruction::I32WrapI64)
            .load_i32(object::SLOTS)
            .tee(slots)
            .emit(Instruction::I32Eqz)
            .br_if(slow);
        code.get(slots).get(entry).load_i32(more_entry::WHERE).emit(Instruction::I32Add).load_i64(0).tee(word);
        code.word(value::EMPTY).emit(Instruction::I64Eq).br_if(slow);
        code.get(word);
        return_inside(code);
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::ACCESSOR.cast_signed());
        code.emit(Instruction::I32Ne).br_if(slow);
        code.get(entry).load_i32(more_entry::WHERE).load_i64(accessor::GET).set(word).br(accessor);
    });
    code.end();
    leave_unless_callable(code, word, slow);
    code.get(A).get(word).emit(Instruction::I32WrapI64).tail_call(Callee::Helper(Helper::CallGetter));
    code.end();
    code.get(A);
    fallback.push_name(code, key);
    code.get(absolute);
    match fallback {
        Fallback::Key(function) | Fallback::Private(function) => code.call_runtime(function),
    };
}

/// Returns a property of a string's prototype that the cache knows, or leaves.
fn get_of_string(code: &mut Code, shape: Local, cache: Local, slow: Label) {
    code.get(A).has_tag(TAG_STRING).emit(Instruction::I32Eqz).br_if(slow);
    code.load_cell_i32(STRING_PROTOTYPE).load_i32(object::SHAPE).set(shape);
    code.load_cell_i32(PROTO_EPOCH).get(cache).load_i32(inline_cache::EPOCH).emit(Instruction::I32Ne).br_if(slow);
    find_entry(code, shape, inline_cache::HOLDER, cache, |code, place| {
        code.get(place).load_i64(0).emit(Instruction::Return);
    });
    code.br(slow);
}

/// Leaves if the getter or setter in `function` is no function or the stack is used up.
fn leave_unless_callable(code: &mut Code, function: Local, slow: Label) {
    code.get(function).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
    code.get(function).emit(Instruction::I32WrapI64).load_u8(layout::KIND);
    code.i32(i32::from(kind::FUNCTION)).emit(Instruction::I32Ne).br_if(slow);
    code.load_cell_i32(STACK_DEPTH).load_cell_i32(STACK_LIMIT).emit(Instruction::I32GtU).br_if(slow);
}

/// Stack that a getter or setter called from here is counted with, beside what it counts itself.
const ACCESSOR_FRAME: i32 = 256;

/// Calls a getter, or a setter with a value, on the object in `A`.
pub(super) fn call_accessor(code: &mut Code, value: Option<Local>) {
    let (cell, depth) = (Local(1), code.take_local(ValType::I32));
    code.load_cell_i32(STACK_DEPTH).set(depth);
    code.i32(0).get(depth).i32(ACCESSOR_FRAME).emit(Instruction::I32Add).store_i32(STACK_DEPTH);
    code.get(cell).i32(i32::from(value.is_some())).get(A);
    match value {
        Some(value) => code.get(value),
        None => code.word(value::UNDEFINED),
    };
    code.word(value::UNDEFINED).word(value::UNDEFINED);
    code.get(cell).load_i32(function::CODE).call_indirect(uniform_signature());
    if value.is_some() {
        code.word(value::EXCEPTION).emit(Instruction::I64Eq);
    }
    code.i32(0).get(depth).store_i32(STACK_DEPTH);
}

/// `length` of strings, arrays and typed arrays, then as any property.
pub(super) fn length(code: &mut Code) {
    let (cell, shape) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let absolute = code.take_local(ValType::I32);
    code.get(A).has_tag(TAG_STRING).start_if(BlockType::Empty);
    code.get(A).string_length().tag_i32(TAG_INT);
    return_inside(code);
    code.get(A).has_tag(TAG_OBJECT).start_if(BlockType::Empty);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND);
    code.i32(i32::from(kind::ARRAY)).emit(Instruction::I32Eq).start_if(BlockType::Empty);
    code.get(cell).load_u8(layout::FLAGS).i32(i32::from(array::SPARSE)).emit(Instruction::I32And);
    code.emit(Instruction::I32Eqz).start_if(BlockType::Empty);
    code.get(cell).load_i32(array::LENGTH).tag_i32(TAG_INT);
    return_inside(code);
    code.end();
    let other = code.block(BlockType::Empty);
    data_address(code, Local(2));
    code.set(absolute).get(cell).load_i32(object::SHAPE).set(shape);
    find_more(code, shape, absolute, other, |code, entry| {
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::ELEMENT_COUNT.cast_signed());
        code.emit(Instruction::I32Ne).br_if(other);
        code.get(cell).load_i32(typed_array::LENGTH).tee(shape).emit(Instruction::I32Eqz).br_if(other);
        code.get(shape).tag_i32(TAG_INT).emit(Instruction::Return);
    });
    code.end().end();
    code.get(A).get(Local(1)).get(Local(2)).call_helper(Helper::Get);
}

/// Whether `length` of a typed array is its number of elements, as the cache knows or the guest finds out.
pub(super) fn has_element_count(code: &mut Code) {
    let (absolute, shape) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    data_address(code, Local(1));
    code.set(absolute).get(A).emit(Instruction::I32WrapI64).load_i32(object::SHAPE).set(shape);
    let slow = code.block(BlockType::Empty);
    find_more(code, shape, absolute, slow, |code, entry| {
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::ELEMENT_COUNT.cast_signed());
        code.emit(Instruction::I32Ne).br_if(slow).i32(1).emit(Instruction::Return);
    });
    code.end();
    code.get(A).get(absolute).call_runtime(Runtime::HasElementCount);
}

/// Runs `found`, which must not fall through, with the second word of the cache's own entry for `shape` with a tag, if
/// there is one.
fn find_entry(code: &mut Code, shape: Local, tag: u32, cache: Local, found: impl FnOnce(&mut Code, Local)) {
    let (tagged, place) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    code.get(shape).i32(tag.cast_signed()).emit(Instruction::I32Or).set(tagged);
    let none = code.block(BlockType::Empty);
    let matching = code.block(BlockType::Empty);
    for entry in [0, inline_cache::SECOND] {
        code.get(cache).load_i32(entry + inline_cache::WHERE).set(place);
        code.get(cache).load_i32(entry + inline_cache::SHAPE).get(tagged).emit(Instruction::I32Eq).br_if(matching);
    }
    code.br(none).end();
    found(code, place);
    code.end();
    code.release_local(tagged);
    code.release_local(place);
}

pub(super) fn get_global(code: &mut Code) {
    let (key, cache) = (Local(0), Local(1));
    let absolute = code.take_local(ValType::I32);
    let slot = code.take_local(ValType::I32);
    data_address(code, cache);
    code.set(absolute);
    let slow = code.block(BlockType::Empty);
    code.load_cell_i32(PROTO_EPOCH).get(absolute).load_i32(inline_cache::EPOCH).emit(Instruction::I32Ne).br_if(slow);
    code.get(absolute).load_i32(inline_cache::WHERE).tee(slot).emit(Instruction::I32Eqz).br_if(slow);
    code.get(slot).load_i64(0);
    return_inside(code);
    key_address(code, key);
    code.get(absolute).call_runtime(Runtime::GetGlobal);
}

/// Runs `found` with the entry for further shapes that holds for `shape`; leaves if there is none. `found` must not fall
/// through.
pub(super) fn find_more(
    code: &mut Code,
    shape: Local,
    cache: Local,
    slow: Label,
    found: impl FnOnce(&mut Code, Local),
) {
    let entry = code.take_local(ValType::I32);
    let epoch = code.take_local(ValType::I32);
    code.get(cache).load_i32(inline_cache::MORE).tee(entry).emit(Instruction::I32Eqz).br_if(slow);
    let matching = code.block(BlockType::Empty);
    for number in 0..more_entry::COUNT {
        if number > 0 {
            code.get(entry).i32(more_entry::SIZE.cast_signed()).emit(Instruction::I32Add).set(entry);
        }
        code.get(entry).load_i32(more_entry::SHAPE).get(shape).emit(Instruction::I32Eq).br_if(matching);
    }
    code.br(slow).end();
    code.get(entry).load_i32(more_entry::EPOCH).tee(epoch).load_cell_i32(PROTO_EPOCH).emit(Instruction::I32Ne);
    code.get(epoch).i32(0).emit(Instruction::I32Ne).emit(Instruction::I32And).br_if(slow);
    found(code, entry);
    code.release_local(entry);
    code.release_local(epoch);
}

/// Property write at a site that mostly adds the property: additions that the cache's own entries know, then as any write.
pub(super) fn add(code: &mut Code, fallback: Fallback) {
    let (cell, absolute) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let other = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(other);
    data_address(code, Local(3));
    code.set(absolute).get(A).emit(Instruction::I32WrapI64).set(cell);
    let base = |code: &mut Code| {
        code.get(absolute);
    };
    add_by_cache(code, cell, B, &base, 0, other);
    code.i32(0);
    return_inside(code);
    set(code, fallback, set_mode::STRICT | set_mode::ADDS);
}

/// Property write: own hits, further shapes, setters of prototypes, additions in an inline slot, then the guest.
pub(super) fn set(code: &mut Code, fallback: Fallback, mode: u32) {
    let (key, cache) = (Local(2), Local(3));
    let (absolute, shape) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let (cell, slot) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let setter = code.take_local(ValType::I64);
    data_address(code, cache);
    code.set(absolute);
    let slow = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_i32(object::SHAPE).set(shape);
    find_entry(code, shape, inline_cache::OWN, absolute, |code, place| {
        code.get(cell).get(place).emit(Instruction::I32Add).get(B).store_i64(0).i32(0).emit(Instruction::Return);
    });
    let accessor = code.block(BlockType::Empty);
    let further = code.block(BlockType::Empty);
    code.load_cell_i32(PROTO_EPOCH).get(absolute).load_i32(inline_cache::EPOCH).emit(Instruction::I32Ne).br_if(further);
    find_entry(code, shape, inline_cache::ACCESSOR, absolute, |code, place| {
        code.get(place).load_i64(accessor::SET).set(setter).br(accessor);
    });
    code.end();
    find_more(code, shape, absolute, slow, |code, entry| {
        // Kind and flags: an ordinary object that is neither restricted nor a prototype.
        code.get(cell).emit(Instruction::I32Load16U(at(layout::KIND, 1))).i32(i32::from(kind::OBJECT));
        code.emit(Instruction::I32Ne).br_if(slow);
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::INLINE.cast_signed()).emit(Instruction::I32Eq);
        code.start_if(BlockType::Empty);
        code.get(cell).get(entry).load_i32(more_entry::WHERE).emit(Instruction::I32Add).get(B).store_i64(0).i32(0);
        return_inside(code);
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::ACCESSOR.cast_signed()).emit(Instruction::I32Eq);
        code.start_if(BlockType::Empty);
        code.get(entry).load_i32(more_entry::WHERE).load_i64(accessor::SET).set(setter).br(accessor).end();
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::ADDITION.cast_signed()).emit(Instruction::I32Ne);
        code.br_if(slow);
        code.get(entry).load_i32(more_entry::SLOT).tee(slot);
        code.get(cell)
            .emit(Instruction::I32Load16U(at(object::INLINE_CAPACITY, 1)))
            .emit(Instruction::I32GeU)
            .br_if(slow);
        code.get(cell).get(slot).i32(3).emit(Instruction::I32Shl).emit(Instruction::I32Add);
        code.get(B).store_i64(object::INLINE_SLOTS);
        code.get(cell).get(entry).load_i32(more_entry::WHERE).store_i32(object::SHAPE);
        code.i32(0).emit(Instruction::Return);
    });
    code.end();
    leave_unless_callable(code, setter, slow);
    code.get(A).get(setter).emit(Instruction::I32WrapI64).get(B).tail_call(Callee::Helper(Helper::CallSetter)).end();
    code.get(A);
    fallback.push_name(code, key);
    code.get(B).get(absolute);
    match fallback {
        Fallback::Key(function) => code.i32(mode.cast_signed()).call_runtime(function),
        Fallback::Private(function) => code.call_runtime(function),
    };
}

/// Pushes the element index that the key in `B` is, or leaves: ints and integral doubles.
pub(super) fn index_or_leave(code: &mut Code, index: Local, other: Label) {
    let float = code.take_local(ValType::F64);
    code.get(B).has_tag(TAG_INT).start_if(BlockType::Empty);
    code.get(B).emit(Instruction::I32WrapI64).set(index);
    code.start_else();
    code.get(B).word(FIRST_TAGGED).emit(Instruction::I64GeU).br_if(other);
    code.get(B).emit(Instruction::F64ReinterpretI64).tee(float);
    code.get(float).emit(Instruction::I32TruncSatF64U).tee(index).emit(Instruction::F64ConvertI32U);
    code.emit(Instruction::F64Ne).br_if(other);
    code.end();
    code.release_local(float);
}

pub(super) fn get_element(code: &mut Code) {
    let (index, cell, cell_kind) =
        (code.take_local(ValType::I32), code.take_local(ValType::I32), code.take_local(ValType::I32));
    let word = code.take_local(ValType::I64);
    let slow = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
    index_or_leave(code, index, slow);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND).tee(cell_kind);
    code.i32(i32::from(kind::ARRAY)).emit(Instruction::I32Eq).start_if(BlockType::Empty);
    code.get(index).get(cell).load_i32(array::LENGTH).emit(Instruction::I32GeU).br_if(slow);
    code.get(cell).load_i32(array::ELEMENTS).get(index).i32(3).emit(Instruction::I32Shl).emit(Instruction::I32Add);
    code.load_i64(0).tee(word).word(value::EMPTY).emit(Instruction::I64Eq).br_if(slow);
    code.get(word);
    return_inside(code);
    typed_arrays::emit_boxed_get(code, cell, cell_kind, index, slow);
    code.end();
    code.get(A).get(B).call_runtime(Runtime::GetElement);
}

pub(super) fn set_element(code: &mut Code) {
    let v = Local(2);
    let (index, cell, cell_kind) =
        (code.take_local(ValType::I32), code.take_local(ValType::I32), code.take_local(ValType::I32));
    let slow = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
    index_or_leave(code, index, slow);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND).tee(cell_kind);
    code.i32(i32::from(kind::ARRAY)).emit(Instruction::I32Eq).start_if(BlockType::Empty);
    code.get(cell).load_u8(layout::FLAGS).br_if(slow);
    code.get(index).get(cell).load_i32(array::LENGTH).emit(Instruction::I32GeU).br_if(slow);
    code.get(cell).load_i32(array::ELEMENTS).get(index).i32(3).emit(Instruction::I32Shl).emit(Instruction::I32Add);
    code.tee(cell).load_i64(0).word(value::EMPTY).emit(Instruction::I64Eq).br_if(slow);
    code.get(cell).get(v).store_i64(0).i32(0);
    return_inside(code);
    typed_arrays::emit_boxed_set(code, cell, cell_kind, index, v, slow);
    code.end();
    code.get(A).get(B).get(v).i32(1).call_runtime(Runtime::SetElement);
}
