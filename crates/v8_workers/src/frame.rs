//! Frames between backend and worker: u32 length of the rest, u32 generation, u8 kind, then fields of u32 length and
//! UTF-8 text; numbers are little-endian. The second field of a piece of a stream is bytes. `harness/channel.js` is the other end.

use bytes::{Buf, Bytes, BytesMut};

use crate::error::WorkerError;

const HEADER: usize = 9;
/// Bytes of the longest frame: a result of the largest size, twice as long when it is escaped.
const LONGEST: usize = 64 << 20;

/// What the backend says.
pub(crate) mod command {
    /// The program: its digest, then path and source of each module.
    pub(crate) const LOAD: u8 = 1;
    /// An execution; see `requestOf` in `harness/main.js`.
    pub(crate) const RUN: u8 = 2;
    /// The answers to a batch, in its order: `=value` or `!{"message","code","data"}`.
    pub(crate) const ANSWERS: u8 = 3;
    /// The answer to one question.
    pub(crate) const REPLY: u8 = 4;
    /// The answer to an operation of an action: its id, and the answer as in a batch.
    pub(crate) const ANSWER: u8 = 5;
    /// The worker is about to be parked: what every execution needs is done now.
    pub(crate) const PREPARE: u8 = 6;
    /// A piece of a stream that the worker reads: its id, and bytes.
    pub(crate) const PIECE: u8 = 7;
    /// The end of a stream that the worker reads: its id, and an error unless it is empty.
    pub(crate) const END: u8 = 8;
    /// The next piece of a stream that the worker writes may come: its id, and a text if none is wanted any more.
    pub(crate) const PULL: u8 = 9;
}

/// What a worker says.
pub(crate) mod report {
    /// The digest of the program it holds.
    pub(crate) const READY: u8 = 16;
    /// It was given an execution of another program than the one it holds.
    pub(crate) const WRONG: u8 = 17;
    /// Modules are evaluated; the function begins.
    pub(crate) const STARTED: u8 = 18;
    /// Asynchronous system calls: name and argument of each.
    pub(crate) const BATCH: u8 = 19;
    /// A question it waits for: kind (`syscall`, `variable`, `names`), name, argument.
    pub(crate) const ASK: u8 = 20;
    /// A console line: level and text.
    pub(crate) const LOG: u8 = 21;
    /// The end: the result, and whether the worker can be used again.
    pub(crate) const DONE: u8 = 22;
    /// The end: the exception, and whether the worker can be used again.
    pub(crate) const FAILED: u8 = 23;
    /// The end: nothing can settle the promise any more.
    pub(crate) const STUCK: u8 = 24;
    /// An asynchronous system call of an action: id, name, argument.
    pub(crate) const OPERATION: u8 = 25;
    /// A piece of a stream that the worker writes: its id, and bytes.
    pub(crate) const PIECE: u8 = 26;
    /// The end of a stream that the worker writes: its id, and an error unless it is empty.
    pub(crate) const END: u8 = 27;
    /// The next piece of a stream that the worker reads may come: its id.
    pub(crate) const PULL: u8 = 28;
    /// The worker reads no more of a stream: its id.
    pub(crate) const CANCEL: u8 = 29;
}

/// A message. Those of one execution carry its number, so that what comes late is recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) generation: u32,
    pub(crate) kind: u8,
    pub(crate) fields: Vec<String>,
    /// The bytes of a piece of a stream.
    pub(crate) bytes: Bytes,
}

impl Frame {
    /// Field `index`, empty if it is missing.
    pub(crate) fn field(&self, index: usize) -> &str {
        self.fields.get(index).map_or("", String::as_str)
    }
}

/// Writes a frame.
pub(crate) fn encode<T: AsRef<[u8]>>(generation: u32, kind: u8, fields: &[T]) -> Result<Vec<u8>, WorkerError> {
    let length = HEADER + fields.iter().map(|field| 4 + field.as_ref().len()).sum::<usize>();
    if length > LONGEST {
        return Err(WorkerError::TooLong { length, limit: LONGEST });
    }
    let mut bytes = Vec::with_capacity(length);
    bytes.extend((length as u32 - 4).to_le_bytes());
    bytes.extend(generation.to_le_bytes());
    bytes.push(kind);
    for field in fields {
        let content = field.as_ref();
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(content);
    }
    Ok(bytes)
}

/// Takes the first frame out of what has arrived, if all of it has.
pub(crate) fn decode(bytes: &mut BytesMut) -> Result<Option<Frame>, WorkerError> {
    let Some(length) = bytes.first_chunk().map(|word| 4 + u32::from_le_bytes(*word) as usize) else { return Ok(None) };
    if !(HEADER..=LONGEST).contains(&length) {
        return Err(WorkerError::TooLong { length, limit: LONGEST });
    }
    if bytes.len() < length {
        bytes.reserve(length - bytes.len());
        return Ok(None);
    }
    let mut frame = bytes.split_to(length);
    frame.advance(4);
    let (generation, kind) = (frame.get_u32_le(), frame.get_u8());
    let (mut fields, mut bytes) = (Vec::new(), Bytes::new());
    while !frame.is_empty() {
        let size = frame.try_get_u32_le().map_err(|_| WorkerError::Malformed)? as usize;
        if size > frame.len() {
            return Err(WorkerError::Malformed);
        }
        let field = frame.split_to(size);
        if kind == report::PIECE && fields.len() == 1 {
            bytes = field.freeze();
        } else {
            fields.push(String::from_utf8_lossy(&field).into_owned());
        }
    }
    Ok(Some(Frame { generation, kind, fields, bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_survives_arriving_byte_by_byte() {
        let fields = ["", "text", "é😀"];
        let written = encode(7, report::LOG, &fields).unwrap();
        let mut arrived = BytesMut::new();
        for (index, byte) in written.iter().enumerate() {
            assert_eq!(decode(&mut arrived).unwrap(), None, "complete after {index} bytes");
            arrived.extend_from_slice(&[*byte]);
        }
        let frame = decode(&mut arrived).unwrap().unwrap();
        assert_eq!((frame.generation, frame.kind), (7, report::LOG));
        assert_eq!(frame.fields, fields);
        assert!(arrived.is_empty());
    }

    #[test]
    fn a_worker_cannot_make_the_backend_reserve_memory_or_read_beyond_a_frame() {
        let mut huge = BytesMut::from(&u32::MAX.to_le_bytes()[..]);
        assert!(matches!(decode(&mut huge), Err(WorkerError::TooLong { .. })));
        let mut broken = BytesMut::from(&encode(1, report::DONE, &["x"]).unwrap()[..]);
        broken[9] = 200;
        assert!(matches!(decode(&mut broken), Err(WorkerError::Malformed)));
    }
}
