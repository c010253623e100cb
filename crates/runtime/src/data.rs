//! Data segments, taken out of modules.
//!
//! Instantiating a module writes its data. Environments have their data from the image already, and writing it again
//! would cost a page fault for every page of it. So modules are compiled without data, and the host writes it once,
//! when a program is initialised.

use std::ops::Range;

use wasmparser::{BinaryReaderError, ConstExpr, DataKind, Operator, Parser, Payload};

use crate::cells;

/// A module without its data.
pub(crate) struct Split {
    /// The module. Its code stands at the same offsets as before.
    pub(crate) wasm: Vec<u8>,
    pub(crate) data: Data,
}

/// Data segments of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data(Vec<Segment>);

#[derive(Clone, Debug)]
struct Segment {
    base: Base,
    bytes: Vec<u8>,
}

/// Where a segment goes.
#[derive(Clone, Copy, Debug)]
enum Base {
    /// To this address (the guest).
    Address(u32),
    /// To the value of the first imported global, `env.data_base` (units).
    DataBase,
}

impl Data {
    /// Writes the data of a module whose `env.data_base` is `data_base`. `None` if it does not fit the memory.
    pub(crate) fn write(&self, memory: &mut [u8], data_base: u32) -> Option<()> {
        for segment in &self.0 {
            let address = match segment.base {
                Base::Address(address) => address,
                Base::DataBase => data_base,
            };
            let length = u32::try_from(segment.bytes.len()).ok()?;
            cells::slice_mut(memory, address, length)?.copy_from_slice(&segment.bytes);
        }
        Some(())
    }

    /// Whether a piece of memory (of a module without `env.data_base`) is within a segment and still what was written.
    pub(crate) fn is_unchanged(&self, memory: &[u8], piece: &Range<u32>) -> bool {
        self.0.iter().any(|segment| {
            let Base::Address(address) = segment.base else { return false };
            let within = piece.start.checked_sub(address).zip(piece.end.checked_sub(address));
            let written = within.and_then(|(start, end)| segment.bytes.get(start as usize..end as usize));
            written.is_some() && written == memory.get(piece.start as usize..piece.end as usize)
        })
    }
}

/// Takes the data out of a module. Modules with other segments than guest and units have are left as they are.
pub(crate) fn split(wasm: &[u8]) -> Result<Split, BinaryReaderError> {
    let (mut rest, mut data) = (Vec::with_capacity(wasm.len()), Vec::new());
    let mut end_of_last = 0;
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        let range = match &payload {
            Payload::Version { range, .. } => range.clone(),
            // Code may refer to segments by number.
            Payload::DataCountSection { .. } => return Ok(whole(wasm)),
            other => match other.as_section() {
                Some((_, range)) => range,
                None => continue,
            },
        };
        let section = end_of_last..range.end;
        end_of_last = range.end;
        let Payload::DataSection(reader) = payload else {
            rest.extend(&wasm[section]);
            continue;
        };
        for segment in reader {
            let segment = segment?;
            let DataKind::Active { memory_index: 0, offset_expr } = segment.kind else { return Ok(whole(wasm)) };
            let Some(base) = base(&offset_expr)? else { return Ok(whole(wasm)) };
            data.push(Segment { base, bytes: segment.data.to_vec() });
        }
    }
    Ok(Split { wasm: rest, data: Data(data) })
}

fn whole(wasm: &[u8]) -> Split {
    Split { wasm: wasm.to_vec(), data: Data::default() }
}

fn base(offset: &ConstExpr<'_>) -> Result<Option<Base>, BinaryReaderError> {
    let mut operators = offset.get_operators_reader();
    let base = match operators.read()? {
        Operator::I32Const { value } => Base::Address(value as u32),
        Operator::GlobalGet { global_index: 0 } => Base::DataBase,
        _ => return Ok(None),
    };
    Ok(matches!(operators.read()?, Operator::End).then_some(base))
}
