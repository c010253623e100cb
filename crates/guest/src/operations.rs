//! Asynchronous host operations: issued while JavaScript runs, handed to the host as one batch when it cannot go on.

use crate::cell::Gc;
use crate::promise::PromiseObject;
use crate::shape::FastMap;
use crate::state::State;

struct Operations {
    next_id: u32,
    /// Records of the next batch (see [`convex_wasm_abi::bridge::OPERATION_HEADER`]).
    batch: Vec<u8>,
    /// Promises of everything issued and not settled.
    pending: Option<FastMap<u32, Gc<PromiseObject>>>,
}

static OPERATIONS: State<Operations> = State::new(Operations { next_id: 1, batch: Vec::new(), pending: None });

/// Issues an operation: the promise will be resolved with the JSON text of the reply (a string), or rejected with an `Error`
/// that has `data` (parsed) and `code` if the host gave any. Name and argument are UTF-8.
pub fn enqueue_operation(name: &[u8], argument: &[u8]) -> Gc<PromiseObject> {
    let promise = PromiseObject::pending();
    OPERATIONS.with(|operations| {
        let id = operations.next_id;
        operations.next_id += 1;
        for word in [id, name.len() as u32, argument.len() as u32] {
            operations.batch.extend_from_slice(&word.to_le_bytes());
        }
        operations.batch.extend_from_slice(name);
        operations.batch.extend_from_slice(argument);
        let padded = operations.batch.len().next_multiple_of(4);
        operations.batch.resize(padded, 0);
        operations.pending.get_or_insert_default().insert(id, promise);
    });
    promise
}

/// The records issued since the last call; `None` if there are none.
pub(crate) fn take_batch() -> Option<Vec<u8>> {
    let batch = OPERATIONS.with(|operations| core::mem::take(&mut operations.batch));
    (!batch.is_empty()).then_some(batch)
}

/// Whether operations are outstanding.
pub(crate) fn any_pending() -> bool {
    OPERATIONS.with(|operations| operations.pending.as_ref().is_some_and(|pending| !pending.is_empty()))
}

/// The promise of an operation that is now settled.
pub(crate) fn take_pending(id: u32) -> Option<Gc<PromiseObject>> {
    OPERATIONS.with(|operations| operations.pending.as_mut()?.remove(&id))
}
