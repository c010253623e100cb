//! ZIP files (PKWARE's APPNOTE.TXT): as many files as fit into memory, stored or deflated, without encryption.
//!
//! A file is a row of entries, each behind a *local header*, then the *central directory* that lists them, then the *end
//! record* that says where the directory is. What is larger than 4 GiB is not written, and read where extra fields (ZIP64)
//! are not needed.

use std::io::{Read, Write};

use flate2::{Compression, Crc, read::DeflateDecoder, write::DeflateEncoder};

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// Bytes of headers before names.
const LOCAL_LENGTH: usize = 30;
const CENTRAL_LENGTH: usize = 46;
const END_LENGTH: usize = 22;
/// Methods of compression.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Version 2.0 can be unpacked with folders and deflate.
const VERSION: u16 = 20;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;
/// 1980-01-01, the first day that ZIP files know.
const DATE: u16 = (1 << 5) | 1;

/// A ZIP file that is being written.
#[derive(Default)]
pub struct Writer {
    file: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
}

/// An entry that is being written.
pub struct EntryWriter {
    name: String,
    crc: Crc,
    deflated: DeflateEncoder<Vec<u8>>,
}

/// The file would be too large for the format.
#[derive(Debug, thiserror::Error)]
#[error("a ZIP file holds at most 65,535 files and 4 GiB")]
pub struct TooLarge;

impl EntryWriter {
    /// An empty entry.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), crc: Crc::new(), deflated: DeflateEncoder::new(Vec::new(), Compression::fast()) }
    }

    /// Adds content.
    ///
    /// # Errors
    /// The entry is too large.
    pub fn write(&mut self, content: &[u8]) -> Result<(), TooLarge> {
        self.crc.update(content);
        self.deflated.write_all(content).map_err(|_| TooLarge)
    }
}

impl Writer {
    /// Adds an entry.
    ///
    /// # Errors
    /// The file is too large.
    pub fn add(&mut self, entry: EntryWriter) -> Result<(), TooLarge> {
        let EntryWriter { name, crc, deflated } = entry;
        let length = u32::try_from(deflated.total_in()).map_err(|_| TooLarge)?;
        let content = deflated.finish().map_err(|_| TooLarge)?;
        let packed = u32::try_from(content.len()).map_err(|_| TooLarge)?;
        let name_length = u16::try_from(name.len()).map_err(|_| TooLarge)?;
        let start = u32::try_from(self.file.len()).map_err(|_| TooLarge)?;
        self.entries = self.entries.checked_add(1).ok_or(TooLarge)?;
        let mut about = Vec::new();
        for word in [VERSION, UTF8, DEFLATED, 0, DATE] {
            about.extend(word.to_le_bytes());
        }
        for word in [crc.sum(), packed, length] {
            about.extend(word.to_le_bytes());
        }
        about.extend(name_length.to_le_bytes());
        about.extend(0_u16.to_le_bytes());
        self.file.extend(LOCAL.to_le_bytes());
        self.file.extend(&about);
        self.file.extend(name.as_bytes());
        self.file.extend(content);
        self.directory.extend(CENTRAL.to_le_bytes());
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(&about);
        // Comment, disk, and attributes of the file: none.
        self.directory.extend([0; 10]);
        self.directory.extend(start.to_le_bytes());
        self.directory.extend(name.as_bytes());
        Ok(())
    }

    /// The whole file.
    ///
    /// # Errors
    /// The file is too large.
    pub fn finish(mut self) -> Result<Vec<u8>, TooLarge> {
        let start = u32::try_from(self.file.len()).map_err(|_| TooLarge)?;
        let length = u32::try_from(self.directory.len()).map_err(|_| TooLarge)?;
        self.file.append(&mut self.directory);
        self.file.extend(END.to_le_bytes());
        self.file.extend([0; 4]);
        self.file.extend(self.entries.to_le_bytes());
        self.file.extend(self.entries.to_le_bytes());
        self.file.extend(length.to_le_bytes());
        self.file.extend(start.to_le_bytes());
        self.file.extend([0; 2]);
        Ok(self.file)
    }
}

/// An entry of a ZIP file.
pub struct Entry<'a> {
    /// Its path.
    pub name: String,
    method: u16,
    crc: u32,
    packed: &'a [u8],
}

/// The entries of a ZIP file; None if it is none that can be read.
pub fn entries(file: &[u8]) -> Option<Vec<Entry<'_>>> {
    // Behind the end record there may be a comment of up to 64 KiB.
    let last = file.len().checked_sub(END_LENGTH)?;
    let end = (last.saturating_sub(usize::from(u16::MAX))..=last).rev().find(|at| u32_at(file, *at) == Some(END))?;
    let count = u16_at(file, end + 10)?;
    let mut at = u32_at(file, end + 16)? as usize;
    let mut entries = Vec::new();
    for _ in 0..count {
        if u32_at(file, at)? != CENTRAL {
            return None;
        }
        let [name, extra, comment] = [28, 30, 32].map(|offset| u16_at(file, at + offset).map(usize::from));
        let header = Entry {
            name: String::from_utf8(file.get(at + CENTRAL_LENGTH..at + CENTRAL_LENGTH + name?)?.to_vec()).ok()?,
            method: u16_at(file, at + 10)?,
            crc: u32_at(file, at + 16)?,
            packed: packed(file, u32_at(file, at + 42)? as usize, u32_at(file, at + 20)? as usize)?,
        };
        entries.push(header);
        at += CENTRAL_LENGTH + name? + extra? + comment?;
    }
    Some(entries)
}

/// The content behind a local header.
fn packed(file: &[u8], header: usize, length: usize) -> Option<&[u8]> {
    if u32_at(file, header)? != LOCAL {
        return None;
    }
    let [name, extra] = [26, 28].map(|offset| u16_at(file, header + offset).map(usize::from));
    let start = header + LOCAL_LENGTH + name? + extra?;
    file.get(start..start.checked_add(length)?)
}

impl Entry<'_> {
    /// The content, if it has at most `limit` bytes.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn content(&self, limit: usize) -> Result<Vec<u8>, String> {
        let mut content = Vec::new();
        let most = limit as u64 + 1;
        let read = match self.method {
            STORED => self.packed.take(most).read_to_end(&mut content),
            DEFLATED => DeflateDecoder::new(self.packed).take(most).read_to_end(&mut content),
            other => return Err(format!("{} is packed with method {other}, which is not supported.", self.name)),
        };
        read.map_err(|error| format!("{} is damaged: {error}.", self.name))?;
        if content.len() > limit {
            return Err(format!("The file is too large when it is unpacked ({}).", self.name));
        }
        let mut crc = Crc::new();
        crc.update(&content);
        if crc.sum() == self.crc { Ok(content) } else { Err(format!("{} is damaged.", self.name)) }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}
