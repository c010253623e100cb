//! `using` and `await using`.

use super::internal;
use crate::dispose::Disposables;
use crate::throw::to_status;
use crate::value::Value;

#[unsafe(no_mangle)]
extern "C" fn rt_new_disposables() -> Value {
    Value::internal(Disposables::new())
}

#[unsafe(no_mangle)]
extern "C" fn rt_add_disposable(stack: Value, value: Value, is_async: u32) -> i32 {
    to_status(internal::<Disposables>(stack).add(value, is_async != 0))
}

#[unsafe(no_mangle)]
extern "C" fn rt_disposal_failed(stack: Value, error: Value) {
    internal::<Disposables>(stack).fail(error);
}

#[unsafe(no_mangle)]
extern "C" fn rt_dispose_next(stack: Value) -> Value {
    internal::<Disposables>(stack).advance()
}

#[unsafe(no_mangle)]
extern "C" fn rt_dispose_end(stack: Value) -> i32 {
    to_status(internal::<Disposables>(stack).finish())
}
