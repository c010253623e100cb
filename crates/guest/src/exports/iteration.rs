//! Iteration.

use super::{internal, name};
use crate::async_iterate;
use crate::delegate::Delegate;
use crate::for_in::ForIn;
use crate::frame::ResumeMode;
use crate::iterate::IteratorRecord;
use crate::object::ArrayCell;
use crate::throw::{to_status, to_word};
use crate::value::Value;

#[unsafe(no_mangle)]
extern "C" fn rt_iterator_open(value: Value, name_address: u32) -> Value {
    to_word(IteratorRecord::open_for_code(value, name(name_address)).map(Value::internal))
}

#[unsafe(no_mangle)]
extern "C" fn rt_iterator_next(record: Value) -> Value {
    to_word(internal::<IteratorRecord>(record).step().map(|value| value.unwrap_or(Value::EMPTY)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_iterator_close(record: Value, throwing: u32) -> i32 {
    let record = internal::<IteratorRecord>(record);
    if throwing != 0 {
        record.close_silently();
        return 0;
    }
    to_status(record.close())
}

#[unsafe(no_mangle)]
extern "C" fn rt_iterator_rest(record: Value) -> Value {
    let record = internal::<IteratorRecord>(record);
    let rest = || {
        if let Some(rest) = record.take_packed_rest() {
            return Ok(rest.into());
        }
        let rest = ArrayCell::with_capacity(0);
        record.drain_into(rest)?;
        Ok(rest.into())
    };
    to_word(rest())
}

#[unsafe(no_mangle)]
extern "C" fn rt_async_iterator_open(value: Value, name_address: u32) -> Value {
    to_word(async_iterate::open(value, name(name_address)).map(Value::internal))
}

#[unsafe(no_mangle)]
extern "C" fn rt_async_iterator_next(record: Value) -> Value {
    to_word(async_iterate::next(internal(record)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_async_iterator_result(record: Value, awaited: Value) -> Value {
    to_word(async_iterate::result(internal(record), awaited))
}

#[unsafe(no_mangle)]
extern "C" fn rt_async_iterator_close(record: Value, throwing: u32) -> Value {
    match async_iterate::close(internal(record)) {
        Err(thrown) if throwing != 0 => {
            thrown.take();
            Value::EMPTY
        }
        result => to_word(result),
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_for_in_open(value: Value) -> Value {
    to_word(ForIn::open(value).map(Value::internal))
}

#[unsafe(no_mangle)]
extern "C" fn rt_for_in_next(record: Value) -> Value {
    internal::<ForIn>(record).step().unwrap_or(Value::EMPTY)
}

#[unsafe(no_mangle)]
extern "C" fn rt_delegate_open(iterable: Value, is_async: u32) -> Value {
    to_word(Delegate::open(iterable, is_async != 0).map(Value::internal))
}

#[unsafe(no_mangle)]
extern "C" fn rt_delegate_step(record: Value, mode: i32, received: Value) -> Value {
    to_word(internal::<Delegate>(record).step(ResumeMode::from_number(mode), received))
}

#[unsafe(no_mangle)]
extern "C" fn rt_delegate_result(record: Value, mode: i32, awaited: Value) -> Value {
    to_word(internal::<Delegate>(record).result(ResumeMode::from_number(mode), awaited))
}

#[unsafe(no_mangle)]
extern "C" fn rt_delegate_returned(record: Value) -> i32 {
    internal::<Delegate>(record).returned.get() as i32
}
