//! `Iterator.prototype.chunks` and `windows`: arrays of values that follow each other.

use super::helpers::{self, Task};
use super::this_object;
use crate::builtin::{CallContext, Method, native};
use crate::cell::{Gc, Header};
use crate::error::display;
use crate::iterate::IteratorRecord;
use crate::object::ArrayCell;
use crate::state::State;
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[
    ("chunks", 1, native(|cx| create(cx, "chunks", |_| Ok(Grouping::Chunks)))),
    ("windows", 1, native(|cx| create(cx, "windows", windows))),
];

/// How values become arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grouping {
    /// Each value once; the last array may be shorter.
    Chunks,
    /// Each array begins one value later than the one before; all have the same size.
    Windows,
    /// As `Windows`, but if there are less values than that, one array has them all.
    WindowsOrPartial,
}

/// Values of an iterator as arrays.
#[repr(C)]
pub(super) struct Chunking {
    header: Header,
    grouping: Grouping,
    /// Values in an array; at least 1.
    size: u32,
    record: Gc<IteratorRecord>,
    /// The window that was yielded last, or as much of the first as there was.
    window: State<Vec<Value>>,
}

fn create(cx: &CallContext, name: &str, grouping: fn(&CallContext) -> JsResult<Grouping>) -> JsResult {
    let iterator = this_object(cx, name)?;
    let checked = size(cx.arg(0)).and_then(|size| Ok((size, grouping(cx)?)));
    let (size, grouping) = checked.inspect_err(|_| IteratorRecord::unread(iterator).close_silently())?;
    let record = IteratorRecord::from_iterator(iterator)?;
    let header = Header::internal::<Chunking>();
    let chunking = Chunking { header, grouping, size, record, window: State::new(Vec::new()) };
    Ok(helpers::create(Task::Chunking(Gc::new(chunking))))
}

/// A whole number from 1 to 2³² − 1, not coerced.
fn size(value: Value) -> JsResult<u32> {
    match value.as_number() {
        Some(number) if number.is_finite() && number.trunc() == number => match number as u32 {
            size if size > 0 && f64::from(size) == number => Ok(size),
            _ => Err(throw_range_error(format!("{number} is not a size"))),
        },
        _ => Err(throw_type_error(format!("{} is not an integer", display(value)))),
    }
}

fn windows(cx: &CallContext) -> JsResult<Grouping> {
    let undersized = cx.arg(1);
    if undersized.is_undefined() {
        return Ok(Grouping::Windows);
    }
    match undersized.as_string() {
        Some(text) if text.is("only-full") => Ok(Grouping::Windows),
        Some(text) if text.is("allow-partial") => Ok(Grouping::WindowsOrPartial),
        _ => Err(throw_type_error("undersized must be \"only-full\" or \"allow-partial\"")),
    }
}

impl Chunking {
    pub(super) fn step(&self) -> JsResult<Option<Value>> {
        match self.grouping {
            Grouping::Chunks => self.step_chunk(),
            Grouping::Windows | Grouping::WindowsOrPartial => self.step_window(),
        }
    }

    pub(super) fn close(&self) -> JsResult<()> {
        self.record.close()
    }

    fn step_chunk(&self) -> JsResult<Option<Value>> {
        let chunk = ArrayCell::with_capacity(0);
        while chunk.len() < self.size
            && let Some(value) = self.record.step()?
        {
            chunk.push(value);
        }
        Ok((!chunk.is_empty()).then(|| chunk.into()))
    }

    fn step_window(&self) -> JsResult<Option<Value>> {
        let size = self.size as usize;
        while let Some(value) = self.record.step()? {
            let full = self.window.with(|window| {
                if window.len() == size {
                    window.remove(0);
                }
                window.push(value);
                (window.len() == size).then(|| window.clone())
            });
            if let Some(full) = full {
                return Ok(Some(full.into()));
            }
        }
        let rest = self.window.with(core::mem::take);
        let partial = self.grouping == Grouping::WindowsOrPartial && !rest.is_empty() && rest.len() < size;
        Ok(partial.then(|| rest.into()))
    }
}
