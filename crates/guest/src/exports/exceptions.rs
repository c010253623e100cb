//! Throwing.

use super::string;
use crate::call::stack_overflow;
use crate::throw::{Throw, hand_over, throw_reference_error, throw_type_error};
use crate::value::Value;

fn thrown(_: Throw) -> Value {
    Value::EXCEPTION
}

#[unsafe(no_mangle)]
extern "C" fn rt_throw_uninitialized(name: u32) -> Value {
    thrown(throw_reference_error(match string(name).to_text().as_str() {
        "this" => {
            "Must call super constructor in derived class before accessing 'this' or returning from derived constructor"
                .to_owned()
        }
        name => format!("Cannot access '{name}' before initialization"),
    }))
}

#[unsafe(no_mangle)]
extern "C" fn rt_throw_const_assign() -> Value {
    thrown(throw_type_error("Assignment to constant variable."))
}

#[unsafe(no_mangle)]
extern "C" fn rt_throw_import_assign(_name: u32) -> Value {
    thrown(throw_type_error("Assignment to constant variable."))
}

#[unsafe(no_mangle)]
extern "C" fn rt_throw_type_error(message: u32) -> Value {
    thrown(throw_type_error(string(message).to_text()))
}

#[unsafe(no_mangle)]
extern "C" fn rt_throw_reference_error(message: u32) -> Value {
    thrown(throw_reference_error(string(message).to_text()))
}

#[unsafe(no_mangle)]
extern "C" fn rt_throw_stack_overflow() -> Value {
    thrown(stack_overflow())
}

#[unsafe(no_mangle)]
extern "C" fn rt_hand_over(reason: u32) {
    hand_over(&string(reason).to_text());
}
