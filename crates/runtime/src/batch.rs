//! The encoding of batches and their results (see [`convex_wasm_abi::bridge`]).

use convex_wasm_abi::bridge::{OPERATION_HEADER, RESULT_HEADER};
use convex_wasm_execution::{Operation, OperationResult};

/// Reads a batch: the ids of its operations, and the operations. `None` if it is malformed.
pub(crate) fn decode(mut bytes: &[u8]) -> Option<(Vec<u32>, Vec<Operation>)> {
    let (mut ids, mut operations) = (Vec::new(), Vec::new());
    while !bytes.is_empty() {
        let (header, rest) = bytes.split_at_checked(OPERATION_HEADER as usize)?;
        let [id, name, argument] = [word(header, 0)?, word(header, 4)?, word(header, 8)?];
        let (name, rest) = rest.split_at_checked(name as usize)?;
        let (argument, _) = rest.split_at_checked(argument as usize)?;
        ids.push(id);
        operations.push(Operation { name: text(name), argument: text(argument) });
        let length = header.len() + name.len() + argument.len();
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Some((ids, operations))
}

/// Writes the results of the operations with these ids.
pub(crate) fn encode(ids: &[u32], results: &[OperationResult]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (id, result) in ids.iter().zip(results) {
        let (failed, text) = match result {
            Ok(json) => (0_u32, std::borrow::Cow::Borrowed(json.as_str())),
            Err(error) => (1, serde_json::json!(error).to_string().into()),
        };
        bytes.reserve(RESULT_HEADER as usize + text.len() + 3);
        bytes.extend(id.to_le_bytes());
        bytes.extend(failed.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}

fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
