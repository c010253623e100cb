//! `Iterator.concat`.

use core::cell::Cell;

use super::helpers::{self, Task};
use crate::builtin::CallContext;
use crate::cell::{Gc, Header};
use crate::error::display;
use crate::iterate::{IteratorRecord, not_iterable};
use crate::object::Object;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// Iterables one after the other.
#[repr(C)]
pub(super) struct Concatenation {
    header: Header,
    /// Iterables, each with its `Symbol.iterator` method.
    sources: Vec<(Object, Object)>,
    /// How many of them were opened.
    opened: Cell<usize>,
    /// The iterator of the last one opened.
    current: Cell<Option<Gc<IteratorRecord>>>,
}

pub(super) fn concat(cx: &CallContext) -> JsResult {
    let mut sources = Vec::with_capacity(cx.arguments.len());
    for &item in cx.arguments {
        let Some(iterable) = item.as_object() else {
            return Err(throw_type_error(format!("{} is not an object", display(item))));
        };
        let method = iterable.get_method(crate::symbol::iterator().into())?;
        sources.push((iterable, method.ok_or_else(|| not_iterable(item))?));
    }
    let header = Header::internal::<Concatenation>();
    let (opened, current) = (Cell::new(0), Cell::new(None));
    Ok(helpers::create(Task::Concat(Gc::new(Concatenation { header, sources, opened, current }))))
}

impl Concatenation {
    pub(super) fn step(&self) -> JsResult<Option<Value>> {
        loop {
            if let Some(current) = self.current.get()
                && let Some(value) = current.step()?
            {
                return Ok(Some(value));
            }
            let next = self.opened.get();
            let Some(&(iterable, method)) = self.sources.get(next) else { return Ok(None) };
            self.opened.set(next + 1);
            self.current.set(Some(IteratorRecord::from_method(iterable.into(), method.into())?));
        }
    }

    pub(super) fn close(&self) -> JsResult<()> {
        self.current.get().map_or(Ok(()), |current| current.close())
    }
}
