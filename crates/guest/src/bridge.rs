//! The exports the host calls (see [`convex_wasm_abi::bridge`]).

use convex_wasm_abi::bridge::{RESULT_HEADER, status};
use convex_wasm_abi::memory::{INTRINSICS, termination};

use crate::cell::Gc;
use crate::convert::{get_value, to_string};
use crate::heap::Contents;
use crate::key::PropertyKey;
use crate::memory::{NEW_TARGET, PENDING_EXCEPTION, PROTO_EPOCH, RESULT, STRING_PROTOTYPE, TERMINATION, set_intrinsic};
use crate::object::NamespaceObject;
use crate::operations;
use crate::promise::{PromiseObject, PromiseState, queue};
use crate::realm::Intrinsic;
use crate::state::State;
use crate::string::{JsString, intern_str, ropes};
use crate::throw::JsResult;
use crate::value::Value;
use crate::{
    async_iterate, builtins, call, collector, describe, failure, heap, host, link, modules, promise, realm,
    realm_shapes,
};

static BOOTED: State<bool> = State::new(false);
static RESULT_TEXT: State<Vec<u8>> = State::new(Vec::new());
/// The promise of the call under way.
static CURRENT: State<Option<Gc<PromiseObject>>> = State::new(None);

/// Whether the realm is complete.
pub fn booted() -> bool {
    BOOTED.with(|booted| *booted)
}

/// Leaves bytes for the host in RESULT.
pub fn leave_text(bytes: &[u8]) {
    RESULT_TEXT.with(|text| {
        *text = bytes.to_vec();
        RESULT.set([text.as_ptr() as u32, text.len() as u32]);
    });
}

/// Text in memory that the host wrote.
fn host_bytes(address: u32, length: u32) -> &'static [u8] {
    // SAFETY: the host passes memory it got from `allocate` and filled.
    unsafe { core::slice::from_raw_parts(address as usize as *const u8, length as usize) }
}

/// The word of a binding.
fn binding(address: u32) -> Value {
    // SAFETY: the host passes addresses of bindings, which are words in units' data.
    unsafe { core::ptr::read(address as usize as *const Value) }
}

/// Builds the realm.
#[unsafe(no_mangle)]
pub extern "C" fn boot() {
    host::show_stack();
    heap::initialize();
    PROTO_EPOCH.set(1);
    NEW_TARGET.set(Value::UNDEFINED);
    PENDING_EXCEPTION.set(Value::EMPTY);
    std::panic::set_hook(Box::new(|panic| {
        leave_text(panic.to_string().as_bytes());
        TERMINATION.set(termination::PANIC);
    }));
    crate::string::prepare_small_ints();
    promise::install();
    builtins::install();
    async_iterate::install();
    remember_intrinsics();
    BOOTED.with(|booted| *booted = true);
}

/// Fills the table by which compiled code recognises functions, and others the guest recognises.
fn remember_intrinsics() {
    for (index, path) in INTRINSICS.iter().enumerate() {
        set_intrinsic(index, lookup(path).unwrap_or(Value::UNDEFINED));
    }
    if let Some(object) = lookup("Function.prototype").and_then(Value::as_object)
        && let Ok(method) = object.get(crate::symbol::has_instance().into())
        && let Some(method) = method.as_object()
    {
        realm::set_intrinsic(realm::Intrinsic::HasInstance, method);
    }
    STRING_PROTOTYPE.set(realm::intrinsic(Intrinsic::StringPrototype).address());
    // Literals in compiled code read the shape from memory.
    realm_shapes::array_shape();
    // Changes of these are watched from now on, even if nothing inherits from them yet.
    for watched in [Intrinsic::ObjectPrototype, Intrinsic::ArrayPrototype, Intrinsic::ArrayIteratorPrototype] {
        realm::intrinsic(watched).mark_as_prototype();
    }
}

fn lookup(path: &str) -> Option<Value> {
    path.split('.').try_fold(Value::from(realm::global()), |value, name| value.as_object()?.get(name.into()).ok())
}

/// 8-aligned memory for what the host writes.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(bytes: u32) -> u32 {
    heap::allocate_storage(bytes, Contents::Words)
}

/// A module namespace object: the address of its word.
#[unsafe(no_mangle)]
pub extern "C" fn make_namespace(address: u32, length: u32) -> u32 {
    let mut records = Records { bytes: host_bytes(address, length) };
    let mut bindings = vec![];
    while let (Some(length), Some(binding)) = (records.word(), records.word()) {
        let name = String::from_utf8_lossy(records.take(length)).into_owned();
        bindings.push((PropertyKey::from_string(intern_str(&name)), binding));
    }
    let word = heap::allocate_storage(8, Contents::Words);
    let namespace = Value::from(NamespaceObject::create(bindings));
    // SAFETY: fresh memory of 8 bytes.
    unsafe { core::ptr::write(word as usize as *mut Value, namespace) };
    link::keep(word);
    word
}

/// Records of words and bytes.
struct Records {
    bytes: &'static [u8],
}

impl Records {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.bytes.split_first_chunk::<4>()?;
        self.bytes = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn take(&mut self, length: u32) -> &'static [u8] {
        let (taken, rest) = self.bytes.split_at(self.bytes.len().min(length as usize));
        self.bytes = rest;
        taken
    }
}

/// Evaluates a module with those it needs, and the microtasks they leave.
#[unsafe(no_mangle)]
pub extern "C" fn evaluate(code: u32) -> u32 {
    ropes::watch();
    let result = modules::evaluate_to_end(code);
    ropes::flatten_made();
    match result {
        Ok(()) => {
            leave_text(b"");
            status::DONE
        }
        Err(thrown) => failed(thrown.take()),
    }
}

/// Collects what evaluation left behind: the memory is about to become an image.
#[unsafe(no_mangle)]
extern "C" fn clear_garbage() {
    collector::clear_garbage();
}

/// Says which modules (words with the table indices of their bodies, in order) a module imports.
#[unsafe(no_mangle)]
extern "C" fn register_requests(code: u32, at: u32, length: u32) {
    let mut records = Records { bytes: host_bytes(at, length) };
    modules::request(code, core::iter::from_fn(|| records.word()));
}

/// Says which module `import()` of a namespace evaluates.
#[unsafe(no_mangle)]
extern "C" fn register_import(namespace: u32, code: u32) {
    modules::make_importable(namespace, code);
}

fn failed(reason: Value) -> u32 {
    leave_text(failure::to_json(reason).as_bytes());
    status::FAILED
}

/// What Convex's analysis wants to know about the value of a binding.
#[unsafe(no_mangle)]
extern "C" fn describe(address: u32) -> u32 {
    match describe::describe(binding(address)) {
        Ok(json) => {
            leave_text(json.as_bytes());
            status::DONE
        }
        Err(thrown) => failed(thrown.take()),
    }
}

/// Calls a method of the object in a binding with one string.
#[unsafe(no_mangle)]
extern "C" fn invoke(address: u32, name: u32, name_length: u32, arguments: u32, arguments_length: u32) -> u32 {
    let name = String::from_utf8_lossy(host_bytes(name, name_length)).into_owned();
    let argument = String::from_utf8_lossy(host_bytes(arguments, arguments_length));
    match start(binding(address), &name, Value::from(&*argument)) {
        Ok(promise) => {
            CURRENT.with(|current| *current = Some(promise));
            proceed()
        }
        Err(thrown) => failed(thrown.take()),
    }
}

/// Calls the method; what it answers as a promise somebody listens to.
fn start(object: Value, name: &str, argument: Value) -> JsResult<Gc<PromiseObject>> {
    let result = call::invoke(object, name.into(), &[argument])?;
    let promise = promise::resolved(result)?;
    promise.mark_handled();
    Ok(promise)
}

/// Runs microtasks; then says where the call stands.
fn proceed() -> u32 {
    if let Err(thrown) = queue::drain() {
        return failed(thrown.take());
    }
    let Some(promise) = CURRENT.with(|current| *current) else { return status::STUCK };
    match promise.state() {
        PromiseState::Fulfilled => match to_string(promise.result()) {
            Ok(text) => {
                leave_text(text.to_text().as_bytes());
                status::DONE
            }
            Err(thrown) => failed(thrown.take()),
        },
        PromiseState::Rejected => failed(promise.result()),
        PromiseState::Pending => match operations::take_batch() {
            Some(batch) => {
                leave_text(&batch);
                status::PENDING
            }
            None if operations::any_pending() => {
                leave_text(b"");
                status::PENDING
            }
            None => {
                leave_text(b"");
                status::STUCK
            }
        },
    }
}

/// Settles operations with their replies.
#[unsafe(no_mangle)]
extern "C" fn resume(address: u32, length: u32) -> u32 {
    let mut records = Records { bytes: host_bytes(address, length) };
    while records.bytes.len() >= RESULT_HEADER as usize {
        let (Some(id), Some(failure), Some(length)) = (records.word(), records.word(), records.word()) else { break };
        let text = records.take(length);
        records.take(length.wrapping_neg() & 3);
        if let Some(promise) = operations::take_pending(id) {
            settle(promise, failure != 0, text);
        }
        if let Err(thrown) = queue::drain() {
            return failed(thrown.take());
        }
    }
    proceed()
}

fn settle(promise: Gc<PromiseObject>, failure: bool, text: &[u8]) {
    let text = JsString::from_str(&String::from_utf8_lossy(text));
    if !failure {
        return promise.fulfill(text.into());
    }
    match failure::from_json(text) {
        Ok(error) => promise.reject(error.into()),
        Err(thrown) => promise.reject(thrown.take()),
    }
}

/// A property of any value as an object, for those that look at exports.
pub(crate) fn property(value: Value, name: &str) -> JsResult {
    if value.is_nullish() { Ok(Value::UNDEFINED) } else { get_value(value, name.into()) }
}

/// Appends text as a JSON string.
pub(crate) fn write_json_string(out: &mut String, text: &str) {
    out.push('"');
    for point in text.chars() {
        match point {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            point if (point as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", point as u32)),
            point => out.push(point),
        }
    }
    out.push('"');
}
