//! Which registers instructions and terminators read, and which effects they may have.

use crate::ir::{Arguments, Block, Op, Reg, Terminator};

/// Defines visitors of an operation's and a terminator's operands for shared or exclusive references.
macro_rules! operand_visitors {
    ($op_visitor:ident, $terminator_visitor:ident, $iter:ident, $($mutability:tt)?) => {
        /// Calls `visit` with every register the operation reads, in evaluation order.
        pub fn $op_visitor(op: &$($mutability)? Op, visit: &mut dyn FnMut(&$($mutability)? Reg)) {
            match op {
                Op::Special(_) | Op::Number(_) | Op::Int(_) | Op::Constant(_) | Op::Catch | Op::LoadBinding(_)
                | Op::LoadImport(_) | Op::LoadGlobal(_) | Op::LoadGlobalOrUndefined(_) | Op::ThrowConstAssign
                | Op::ThrowError { .. } | Op::NewRegExp(..) | Op::ImportDynamic(_) | Op::ImportMeta
                | Op::ThrowImportAssign(_) | Op::NewDisposables | Op::NewPrivateName { .. } | Op::HandOver(_) => {}
                Op::Copy(a) | Op::StoreBinding(_, a) | Op::LoadEnv { env: a, .. } | Op::PrivateName { env: a, .. } | Op::ParentEnv(a)
                | Op::CheckInitialized { value: a, .. } | Op::StoreGlobal(_, a) | Op::Unary(_, a) | Op::IsNullish(a)
                | Op::IsUndefined(a) | Op::IsEmpty(a) | Op::IsObject(a) | Op::RequireObjectCoercible { value: a, .. }
                | Op::Get(a, _) | Op::GetMethod(a, _) | Op::ClassPrototype(a) | Op::IteratorOpen(a, _) | Op::IteratorNext(a)
                | Op::IteratorClose { record: a, .. } | Op::IteratorRest(a) | Op::AsyncIteratorOpen(a, _)
                | Op::AsyncIteratorNext(a) | Op::AsyncIteratorClose { record: a, .. } | Op::ForInOpen(a)
                | Op::ForInNext(a) | Op::IsTypedArray { object: a, .. } | Op::ElementCount(a)
                | Op::ElementData(a) | Op::DelegateOpen { iterable: a, .. } | Op::DelegateReturned(a)
                | Op::DisposeNext(a) | Op::DisposeEnd(a) | Op::ScopeHas(a, _) | Op::ScopeGet(a, _)
                | Op::RejectedPromise(a) => visit(a),
                Op::StoreEnv { env: a, value: b, .. } | Op::MapArguments { arguments: a, env: b, .. } | Op::Binary(_, a, b) | Op::GetElement(a, b) | Op::Set(a, _, b)
                | Op::Delete(a, b) | Op::GetPrivate(a, b) | Op::HasPrivate(a, b) | Op::ArrayAppend(a, b)
                | Op::ForeseeFunction(a, b)
                | Op::ArraySpread(a, b, _) | Op::ArgumentsSpread(a, b, _) | Op::ObjectSpread(a, b) | Op::SetLiteralPrototype(a, b)
                | Op::SetFunctionName { function: a, key: b, .. } | Op::SetHome(a, b)
                | Op::AsyncIteratorResult(a, b) | Op::AddDisposable { stack: a, value: b, .. } | Op::DisposalFailed(a, b)
                | Op::ScopeSet(a, _, b) => {
                    visit(a);
                    visit(b);
                }
                Op::SetElement(a, b, c) | Op::GetSuper { callee: a, key: b, this: c } | Op::SetPrivate(a, b, c)
                | Op::AddPrivate(a, b, c) | Op::AddPrivateMethod { object: a, name: b, function: c, .. }
                | Op::DefineField(a, b, c) | Op::DefineMethod { object: a, key: b, function: c, .. }
                | Op::DefineAccessor { object: a, key: b, function: c, .. } | Op::DelegateStep(a, b, c)
                | Op::DelegateResult(a, b, c) => {
                    visit(a);
                    visit(b);
                    visit(c);
                }
                Op::LoadElement { data: a, count: b, index: c, .. } => {
                    visit(a);
                    visit(b);
                    visit(c);
                }
                Op::StoreElement { data, count, index, value, .. } => {
                    visit(data);
                    visit(count);
                    visit(index);
                    visit(value);
                }
                Op::SetSuper { callee, key, this, value } => {
                    visit(callee);
                    visit(key);
                    visit(this);
                    visit(value);
                }
                Op::DeclareGlobal(_, function) | Op::DeclareEvalGlobal(_, function) => function.$iter().for_each(visit),
                Op::ImportSpecifier { specifier, options, .. } => {
                    visit(specifier);
                    options.$iter().for_each(visit);
                }
                Op::NewEnv { parent, .. } => parent.$iter().for_each(visit),
                Op::Concat(parts) => parts.$iter().for_each(visit),
                Op::Call { callee, this, arguments, .. } => {
                    visit(callee);
                    visit(this);
                    match arguments {
                        Arguments::List(list) => list.$iter().for_each(visit),
                        Arguments::Array(array) => visit(array),
                    }
                }
                Op::CallMethod { object, method, arguments, .. } => {
                    visit(object);
                    visit(method);
                    match arguments {
                        Arguments::List(list) => list.$iter().for_each(visit),
                        Arguments::Array(array) => visit(array),
                    }
                }
                Op::Construct { callee, arguments, .. } => {
                    visit(callee);
                    match arguments {
                        Arguments::List(list) => list.$iter().for_each(&mut *visit),
                        Arguments::Array(array) => visit(array),
                    }
                }
                Op::SuperCall { callee, arguments, new_target } => {
                    visit(callee);
                    match arguments {
                        Arguments::List(list) => list.$iter().for_each(&mut *visit),
                        Arguments::Array(array) => visit(array),
                    }
                    visit(new_target);
                }
                Op::NewObject(properties) => properties.$iter().for_each(|(_, value)| visit(value)),
                Op::NewArray(elements) => elements.$iter().flatten().for_each(visit),
                Op::ObjectRest(source, keys) => {
                    visit(source);
                    keys.$iter().for_each(visit);
                }
                Op::NewFunction { env, .. } => env.$iter().for_each(visit),
                Op::NewClass { env, heritage, .. } => {
                    env.$iter().for_each(&mut *visit);
                    heritage.$iter().for_each(visit);
                }
            }
        }

        /// Calls `visit` with every register the terminator reads.
        pub fn $terminator_visitor(terminator: &$($mutability)? Terminator, visit: &mut dyn FnMut(&$($mutability)? Reg)) {
            match terminator {
                Terminator::Jump(_) | Terminator::InitialYield(_) | Terminator::YieldDelegate { .. }
                | Terminator::Unreachable => {}
                Terminator::Branch { condition: a, .. } | Terminator::Dispatch { index: a, .. } | Terminator::Return(a)
                | Terminator::Throw(a) | Terminator::Await { value: a, .. } | Terminator::Yield { value: a, .. } => visit(a),
            }
        }
    };
}

operand_visitors!(op_uses, terminator_uses, iter,);
operand_visitors!(op_uses_mut, terminator_uses_mut, iter_mut, mut);

/// Registers a terminator defines on the edges to its successors.
pub fn terminator_defs(terminator: &Terminator) -> impl Iterator<Item = Reg> {
    let defs = match terminator {
        Terminator::Await { result, .. } | Terminator::Yield { result, .. } => [Some(*result), None],
        Terminator::YieldDelegate { mode, result, .. } => [Some(*mode), Some(*result)],
        _ => [None, None],
    };
    defs.into_iter().flatten()
}

/// Registers a terminator defines, to rename them.
pub fn terminator_defs_mut(terminator: &mut Terminator, visit: &mut dyn FnMut(&mut Reg)) {
    match terminator {
        Terminator::Await { result, .. } | Terminator::Yield { result, .. } => visit(result),
        Terminator::YieldDelegate { mode, result, .. } => {
            visit(mode);
            visit(result);
        }
        _ => {}
    }
}

/// Successor blocks of a terminator (the handler is not one of them).
pub fn successors(terminator: &Terminator) -> Vec<Block> {
    match terminator {
        Terminator::Jump(block) | Terminator::InitialYield(block) => vec![*block],
        Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
        Terminator::Dispatch { targets, otherwise, .. } => targets.iter().copied().chain([*otherwise]).collect(),
        Terminator::Await { resume, .. } | Terminator::YieldDelegate { resume, .. } => vec![*resume],
        Terminator::Yield { resume, on_return, .. } => vec![*resume, *on_return],
        Terminator::Return(_) | Terminator::Throw(_) | Terminator::Unreachable => Vec::new(),
    }
}

/// Whether the terminator stops the function until it is resumed.
pub fn suspends(terminator: &Terminator) -> bool {
    matches!(
        terminator,
        Terminator::Await { .. }
            | Terminator::Yield { .. }
            | Terminator::InitialYield(_)
            | Terminator::YieldDelegate { .. }
    )
}

/// Whether the operation has no effect but its result, so that it may be dropped when nobody reads that.
pub fn is_pure(op: &Op) -> bool {
    matches!(
        op,
        Op::Special(_)
            | Op::Number(_)
            | Op::Int(_)
            | Op::Constant(_)
            | Op::Copy(_)
            | Op::LoadBinding(_)
            | Op::LoadImport(_)
            | Op::LoadEnv { .. }
            | Op::PrivateName { .. }
            | Op::NewEnv { .. }
            | Op::ParentEnv(_)
            | Op::IsNullish(_)
            | Op::IsUndefined(_)
            | Op::IsEmpty(_)
            | Op::IsObject(_)
            | Op::NewObject(_)
            | Op::NewArray(_)
            | Op::NewFunction { .. }
            | Op::ClassPrototype(_)
            | Op::IsTypedArray { .. }
            | Op::ElementCount(_)
            | Op::ElementData(_)
            | Op::LoadElement { .. }
    )
}

/// Whether the operation can never throw, whatever the types of its operands.
pub fn never_throws(op: &Op) -> bool {
    is_pure(op)
        || matches!(
            op,
            Op::Catch
                | Op::StoreBinding(..)
                | Op::StoreEnv { .. }
                | Op::MapArguments { .. }
                | Op::ArrayAppend(..)
                | Op::ForeseeFunction(..)
                | Op::SetLiteralPrototype(..)
                | Op::SetFunctionName { .. }
                | Op::SetHome(..)
                | Op::ForInNext(_)
                | Op::DelegateReturned(_)
                | Op::NewDisposables
                | Op::RejectedPromise(_)
                | Op::HandOver(_)
                | Op::DisposalFailed(..)
                | Op::DisposeNext(_)
                | Op::StoreElement { .. }
        )
}
