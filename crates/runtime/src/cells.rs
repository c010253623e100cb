//! Reading and writing linear memory: cells at fixed addresses, and ranges whose bounds a guest chose.

/// Linear memory seen as the cells at fixed addresses of [`convex_wasm_abi::memory`]. Cells lie far inside of the
/// memory, which has a fixed size.
pub(crate) struct Cells<B>(pub(crate) B);

impl<B: AsRef<[u8]>> Cells<B> {
    pub(crate) fn u32(&self, address: u32) -> u32 {
        self.bytes(address).map_or(0, u32::from_le_bytes)
    }

    fn bytes<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        self.0.as_ref().get(address as usize..)?.first_chunk().copied()
    }
}

impl<B: AsMut<[u8]>> Cells<B> {
    pub(crate) fn set(&mut self, address: u32, value: &[u8]) {
        if let Some(cell) = slice_mut(self.0.as_mut(), address, value.len() as u32) {
            cell.copy_from_slice(value);
        }
    }

    pub(crate) fn set_u32(&mut self, address: u32, value: u32) {
        self.set(address, &value.to_le_bytes());
    }
}

/// `length` bytes at `address`; `None` if they are not all inside.
pub(crate) fn slice(memory: &[u8], address: u32, length: u32) -> Option<&[u8]> {
    memory.get(address as usize..)?.get(..length as usize)
}

/// As [`slice`], to be written.
pub(crate) fn slice_mut(memory: &mut [u8], address: u32, length: u32) -> Option<&mut [u8]> {
    memory.get_mut(address as usize..)?.get_mut(..length as usize)
}
