//! Code of single instructions.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::env;
use convex_wasm_abi::memory::PENDING_EXCEPTION;
use convex_wasm_abi::value::EMPTY;
use convex_wasm_abi::value::UNDEFINED;
use wasm_encoder::{BlockType, Instruction as Wasm};

use super::code::Callee;
use super::emitter::{DATA_BASE, Emitter, Operand, Repr};
use super::entry::env_slot;
use crate::ir::{Constant, Instruction, Op, Reg};

impl Emitter<'_, '_> {
    /// Emits one instruction.
    pub fn emit_instruction(&mut self, instruction: &Instruction) {
        use Operand::{Cell, Data, Env, Int, Key, Name, Value, Word};
        let result = instruction.result;
        match &instruction.op {
            Op::Special(_) | Op::Number(_) | Op::Int(_) | Op::Constant(_) => {
                self.emit_constant(&instruction.op, result)
            }
            Op::Copy(source) => self.emit_copy(*source, result),
            Op::Catch => {
                self.code.i32(0).load_i64(PENDING_EXCEPTION);
                self.store(result, Repr::Boxed);
                self.code.i32(0).word(EMPTY).store_i64(PENDING_EXCEPTION);
            }

            Op::LoadBinding(binding) => {
                let offset = self.unit.data.binding(*binding);
                self.code.emit(Wasm::GlobalGet(DATA_BASE)).load_i64(offset);
                self.store(result, Repr::Boxed);
            }
            Op::StoreBinding(binding, value) => {
                let offset = self.unit.data.binding(*binding);
                self.code.emit(Wasm::GlobalGet(DATA_BASE));
                self.push_boxed(*value);
                self.code.store_i64(offset);
            }
            Op::LoadImport(import) => {
                let offset = self.unit.data.import(*import);
                self.code.emit(Wasm::GlobalGet(DATA_BASE)).load_i32(offset).load_i64(0);
                self.store(result, Repr::Boxed);
            }
            Op::LoadEnv { env, slot } | Op::PrivateName { env, slot, .. } => {
                self.push(*env);
                self.code.load_i64(env_slot(*slot));
                self.store(result, Repr::Boxed);
            }
            Op::StoreEnv { env, slot, value } => {
                self.push(*env);
                self.push_boxed(*value);
                self.code.store_i64(env_slot(*slot));
            }
            Op::NewEnv { parent, slots } => self.emit_new_env(*parent, *slots, result),
            Op::MapArguments { arguments, env, first, count } => {
                let operands = [Value(*arguments), Env(Some(*env)), Int(*first as i32), Int(*count as i32)];
                self.call_infallible(Runtime::MapArguments, &operands, Some((result, Repr::Boxed)));
            }
            Op::ParentEnv(env) => {
                self.push(*env);
                self.code.load_i32(env::PARENT);
                self.store(result, Repr::Env);
            }
            Op::CheckInitialized { value, name } => self.emit_check_initialized(*value, *name),
            Op::LoadGlobal(name) => self.emit_load_global(*name, false, result),
            Op::LoadGlobalOrUndefined(name) => self.emit_load_global(*name, true, result),
            Op::StoreGlobal(name, value) => {
                self.call_status(Runtime::SetGlobal, &[Key(*name), Value(*value), Int(self.function.strict.into())]);
            }
            Op::DeclareGlobal(name, function) => {
                let function = function.map_or(Word(EMPTY), Value);
                self.call_status(Runtime::DeclareGlobal, &[Key(*name), function]);
            }
            Op::DeclareEvalGlobal(name, function) => {
                let function = function.map_or(Word(EMPTY), Value);
                self.call_status(Runtime::DeclareEvalGlobal, &[Key(*name), function]);
            }
            Op::ThrowConstAssign => self.emit_throw(Runtime::ThrowConstAssign, &[]),
            Op::ThrowError { reference, message } => {
                let function = if *reference { Runtime::ThrowReferenceError } else { Runtime::ThrowTypeError };
                self.emit_throw(function, &[Key(*message)]);
            }

            Op::Binary(operator, left, right) => self.emit_binary(*operator, *left, *right, result),
            Op::Unary(operator, operand) => self.emit_unary(*operator, *operand, result),
            Op::Concat(parts) => {
                let parts: Vec<Option<Reg>> = parts.iter().copied().map(Some).collect();
                self.store_arguments(0, &parts);
                self.call_value(Runtime::Concat, &[Int(parts.len() as i32)], result);
            }
            Op::IsNullish(operand) => {
                self.push_is_nullish(*operand);
                self.store(result, Repr::Bool);
            }
            Op::IsUndefined(operand) => {
                self.push_is_word(*operand, UNDEFINED);
                self.store(result, Repr::Bool);
            }
            Op::IsEmpty(operand) => {
                self.push_is_word(*operand, EMPTY);
                self.store(result, Repr::Bool);
            }
            Op::IsObject(operand) => {
                self.push_is_object(*operand);
                self.store(result, Repr::Bool);
            }
            Op::RequireObjectCoercible { value, name } => self.emit_require_object_coercible(*value, *name),

            Op::Get(object, key) => self.emit_get(*object, *key, result),
            Op::GetMethod(object, key) => self.emit_get_method(*object, *key, result),
            Op::GetElement(object, key) => self.emit_get_element(*object, *key, result),
            Op::Set(object, key, value) if !self.function.strict => {
                let cache = self.unit.data.add_cache();
                self.call_status(Runtime::Set, &[Value(*object), Key(*key), Value(*value), Data(cache), Int(0)]);
            }
            Op::SetElement(object, key, value) if !self.function.strict => {
                self.call_status(Runtime::SetElement, &[Value(*object), Value(*key), Value(*value), Int(0)]);
            }
            Op::Set(object, key, value) => self.emit_set(*object, *key, *value),
            Op::SetElement(object, key, value) => self.emit_set_element(*object, *key, *value),
            Op::GetSuper { callee, key, this } => {
                self.call_value(Runtime::GetSuper, &[Cell(*callee), Value(*key), Value(*this)], result);
            }
            Op::SetSuper { callee, key, this, value } => {
                let strict = Int(self.function.strict.into());
                self.call_status(Runtime::SetSuper, &[Cell(*callee), Value(*key), Value(*this), Value(*value), strict]);
            }
            Op::Delete(object, key) => {
                let strict = Int(self.function.strict.into());
                self.call_value(Runtime::Delete, &[Value(*object), Value(*key), strict], result);
            }
            Op::NewPrivateName { first } => {
                self.push_constant(*first);
                self.code.call(Callee::Runtime(Runtime::NewPrivateName));
                self.store(result, Repr::Boxed);
            }
            Op::GetPrivate(object, name) => self.emit_get_private(*object, *name, result),
            Op::SetPrivate(object, name, value) => self.emit_set_private(*object, *name, *value),
            Op::AddPrivate(object, name, value) => self.emit_add_private(*object, *name, *value),
            Op::AddPrivateMethod { object, name, function, kind } => self
                .call_status(Runtime::AddPrivateMethod, &[Value(*object), Value(*name), Value(*function), Int(*kind)]),
            Op::HasPrivate(name, object) => {
                self.call_value(Runtime::HasPrivate, &[Value(*name), Value(*object)], result)
            }

            Op::Call { callee, this, arguments, known, name } => {
                self.emit_call(*callee, *this, arguments, *known, *name, result);
            }
            Op::CallMethod { object, key, method, arguments, name } => {
                self.emit_call_method(*object, *key, *method, arguments, *name, result);
            }
            Op::Construct { callee, arguments, name } => {
                self.emit_construct(*callee, arguments, *name, result);
            }
            Op::SuperCall { callee, arguments, new_target } => {
                self.emit_super_call(*callee, arguments, *new_target, result);
            }

            Op::NewObject(properties) => self.emit_new_object(properties, result),
            Op::NewArray(elements) => self.emit_new_array(elements, result),
            Op::ForeseeFunction(text, maker) => {
                self.call_infallible(Runtime::ForeseeFunction, &[Value(*text), Value(*maker)], None);
            }
            Op::ArrayAppend(array, value) => {
                self.call_infallible(Runtime::ArrayAppend, &[Value(*array), Value(*value)], None);
            }
            Op::ArraySpread(array, iterable, name) => {
                self.call_status(Runtime::ArraySpread, &[Value(*array), Value(*iterable), Name(*name)]);
            }
            Op::ArgumentsSpread(array, iterable, name) => {
                self.call_status(Runtime::ArgumentsSpread, &[Value(*array), Value(*iterable), Key(*name)]);
            }
            Op::ObjectSpread(object, source) => {
                self.call_status(Runtime::ObjectSpread, &[Value(*object), Value(*source)]);
            }
            Op::ObjectRest(source, excluded) => {
                let keys: Vec<Option<Reg>> = excluded.iter().copied().map(Some).collect();
                self.store_arguments(0, &keys);
                self.call_value(Runtime::ObjectRest, &[Value(*source), Int(keys.len() as i32)], result);
            }
            Op::DefineField(object, key, value) => self.emit_define_field(*object, *key, *value),
            Op::DefineMethod { object, key, function, enumerable } => self.call_status(
                Runtime::DefineMethod,
                &[Value(*object), Value(*key), Value(*function), Int(i32::from(*enumerable))],
            ),
            Op::DefineAccessor { object, key, function, setter, enumerable } => {
                let flags = [Int(i32::from(*setter)), Int(i32::from(*enumerable))];
                let operands = [Value(*object), Value(*key), Value(*function), flags[0], flags[1]];
                self.call_status(Runtime::DefineAccessor, &operands);
            }
            Op::SetLiteralPrototype(object, prototype) => {
                self.call_infallible(Runtime::SetLiteralPrototype, &[Value(*object), Value(*prototype)], None);
            }
            Op::SetFunctionName { function, key, prefix } => {
                let operands = [Value(*function), Value(*key), Int(*prefix)];
                self.call_infallible(Runtime::SetFunctionName, &operands, None);
            }
            Op::NewFunction { function, env } => {
                let info = self.unit.data.function_info(*function);
                let to = Some((result, Repr::Boxed));
                self.call_infallible(Runtime::NewFunction, &[Data(info), Env(*env)], to);
            }
            Op::NewClass { constructor, env, heritage } => {
                let info = self.unit.data.function_info(*constructor);
                let heritage = heritage.map_or(Operand::Word(EMPTY), Value);
                self.call_value(Runtime::NewClass, &[Data(info), Env(*env), heritage], result);
            }
            Op::ClassPrototype(constructor) => {
                self.call_infallible(Runtime::ClassPrototype, &[Value(*constructor)], Some((result, Repr::Boxed)));
            }
            Op::SetHome(function, object) => {
                self.call_infallible(Runtime::SetHome, &[Value(*function), Value(*object)], None);
            }
            Op::NewRegExp(pattern, flags) => {
                self.push_constant(*pattern);
                self.push_constant(*flags);
                self.call_value(Runtime::NewRegExp, &[], result);
            }

            Op::IteratorOpen(iterable, name) => {
                self.call_value(Runtime::IteratorOpen, &[Value(*iterable), Name(*name)], result);
            }
            Op::IteratorNext(record) => self.call_value(Runtime::IteratorNext, &[Value(*record)], result),
            Op::IteratorClose { record, throwing } => {
                self.call_status(Runtime::IteratorClose, &[Value(*record), Int(i32::from(*throwing))]);
            }
            Op::IteratorRest(record) => self.call_value(Runtime::IteratorRest, &[Value(*record)], result),
            Op::AsyncIteratorOpen(iterable, name) => {
                self.call_value(Runtime::AsyncIteratorOpen, &[Value(*iterable), Name(*name)], result);
            }
            Op::AsyncIteratorNext(record) => self.call_value(Runtime::AsyncIteratorNext, &[Value(*record)], result),
            Op::AsyncIteratorResult(record, awaited) => {
                self.call_value(Runtime::AsyncIteratorResult, &[Value(*record), Value(*awaited)], result);
            }
            Op::AsyncIteratorClose { record, throwing } => {
                let operands = [Value(*record), Int(i32::from(*throwing))];
                self.call_value(Runtime::AsyncIteratorClose, &operands, result);
            }
            Op::ForInOpen(object) => self.call_value(Runtime::ForInOpen, &[Value(*object)], result),
            Op::ForInNext(record) => {
                self.call_infallible(Runtime::ForInNext, &[Value(*record)], Some((result, Repr::Boxed)));
            }
            Op::DelegateOpen { iterable, is_async } => {
                self.call_value(Runtime::DelegateOpen, &[Value(*iterable), Int(i32::from(*is_async))], result);
            }
            Op::DelegateStep(record, mode, received) => {
                self.emit_delegate(Runtime::DelegateStep, *record, *mode, *received, result)
            }
            Op::DelegateResult(record, mode, awaited) => {
                self.emit_delegate(Runtime::DelegateResult, *record, *mode, *awaited, result);
            }
            Op::DelegateReturned(record) => {
                self.call_infallible(Runtime::DelegateReturned, &[Value(*record)], Some((result, Repr::Bool)));
            }

            Op::ScopeHas(object, name) => self.call_value(Runtime::ScopeHas, &[Value(*object), Key(*name)], result),
            Op::ScopeGet(object, name) => {
                let strict = Int(self.function.strict.into());
                self.call_value(Runtime::ScopeGet, &[Value(*object), Key(*name), strict], result);
            }
            Op::ScopeSet(object, name, value) => {
                let strict = Int(self.function.strict.into());
                self.call_status(Runtime::ScopeSet, &[Value(*object), Key(*name), Value(*value), strict]);
            }

            Op::NewDisposables => {
                self.call_infallible(Runtime::NewDisposables, &[], Some((result, Repr::Boxed)));
            }
            Op::AddDisposable { stack, value, is_async } => {
                let operands = [Value(*stack), Value(*value), Int(i32::from(*is_async))];
                self.call_status(Runtime::AddDisposable, &operands);
            }
            Op::DisposalFailed(stack, error) => {
                self.call_infallible(Runtime::DisposalFailed, &[Value(*stack), Value(*error)], None);
            }
            Op::DisposeNext(stack) => {
                self.call_infallible(Runtime::DisposeNext, &[Value(*stack)], Some((result, Repr::Boxed)));
            }
            Op::DisposeEnd(stack) => self.call_status(Runtime::DisposeEnd, &[Value(*stack)]),

            Op::IsTypedArray { object, element, length } => {
                self.emit_is_typed_array(*object, *element, *length, result)
            }
            Op::ElementCount(array) => self.emit_element_count(*array, result),
            Op::ElementData(array) => self.emit_element_data(*array, result),
            Op::LoadElement { data, count, index, element, absent_is_nan } => {
                self.emit_load_element([*data, *count, *index], *element, *absent_is_nan, result);
            }
            Op::StoreElement { data, count, index, element, value } => {
                self.emit_store_element([*data, *count, *index], *element, *value);
            }

            Op::ImportDynamic(import) => {
                let offset = self.unit.data.import(*import);
                self.code.emit(Wasm::GlobalGet(DATA_BASE)).load_i32(offset);
                self.call_value(Runtime::ImportDynamic, &[], result);
            }
            Op::ImportSpecifier { specifier, options, source_phase } => {
                let options = options.map_or(Word(UNDEFINED), Value);
                let operands = [Value(*specifier), options, Int(i32::from(*source_phase))];
                self.call_value(Runtime::ImportSpecifier, &operands, result);
            }
            Op::RejectedPromise(reason) => {
                self.call_infallible(Runtime::RejectedPromise, &[Value(*reason)], Some((result, Repr::Boxed)));
            }
            Op::HandOver(reason) => self.call_infallible(Runtime::HandOver, &[Key(*reason)], None),
            Op::ImportMeta => {
                self.code.emit(Wasm::GlobalGet(DATA_BASE));
                self.call_value(Runtime::ImportMeta, &[], result);
            }
            Op::ThrowImportAssign(name) => self.emit_throw(Runtime::ThrowImportAssign, &[Name(Some(*name))]),
        }
    }

    /// A constant; registers that never hold anything else need no code.
    fn emit_constant(&mut self, op: &Op, result: Option<Reg>) {
        let Some(reg) = result.filter(|&reg| self.known(reg).is_none()) else { return };
        match op {
            Op::Special(word) if self.repr(reg) == Repr::Bool => {
                self.code.i32(i32::from(*word == convex_wasm_abi::value::TRUE));
                self.store(result, Repr::Bool);
            }
            Op::Special(word) => {
                self.code.word(*word);
                self.store(result, Repr::Boxed);
            }
            Op::Number(number) => self.emit_number(*number, reg),
            Op::Int(number) => self.emit_number(f64::from(*number), reg),
            Op::Constant(constant) => {
                self.push_constant(*constant);
                self.store(result, Repr::Boxed);
            }
            _ => {}
        }
    }

    fn emit_number(&mut self, number: f64, reg: Reg) {
        let repr = self.repr(reg);
        match repr {
            Repr::Int32 => self.code.i32(number as i32),
            Repr::Long => self.code.i64(number as i64),
            Repr::Float => self.code.f64(number),
            Repr::Boxed | Repr::Bool | Repr::Env => self.code.word(super::values::number_word(number)),
        };
        self.store(Some(reg), repr);
    }

    /// Calls a guest function that always throws.
    fn emit_throw(&mut self, function: Runtime, operands: &[Operand]) {
        self.push_operands(operands);
        self.code.call_runtime(function).emit(Wasm::Drop);
        self.branch_to_throw();
    }

    fn emit_check_initialized(&mut self, value: Reg, name: Constant) {
        if !self.type_of(value).may_be_internal() {
            return;
        }
        self.push_is_word(value, EMPTY);
        self.code.start_if(BlockType::Empty);
        self.emit_throw(Runtime::ThrowUninitialized, &[Operand::Key(name)]);
        self.code.end();
    }

    fn emit_require_object_coercible(&mut self, value: Reg, name: Option<Constant>) {
        if self.type_of(value).is_object() {
            return;
        }
        self.push_is_nullish(value);
        self.code.start_if(BlockType::Empty);
        self.call_status(Runtime::RequireObjectCoercible, &[Operand::Value(value), Operand::Name(name)]);
        self.code.end();
    }

    /// A step of `yield*`; the mode is an int register.
    fn emit_delegate(&mut self, function: Runtime, record: Reg, mode: Reg, value: Reg, result: Option<Reg>) {
        self.push_boxed(record);
        self.push_boxed(mode);
        self.code.emit(Wasm::I32WrapI64);
        self.push_boxed(value);
        self.call_value(function, &[], result);
    }
}
