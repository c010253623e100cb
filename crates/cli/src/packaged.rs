//! Native code of the guest at the end of the program's own file.
//!
//! Compiling the guest takes seconds, and a build script that did it would compile Cranelift a second time. So the
//! finished program compiles it and writes a copy of itself with the result behind it, which starts at once. The file ends
//! with the native code, its key in the cache of native code (64 hexadecimal digits), the length of the native code (8
//! bytes, little endian), and a mark (8 bytes). A program without the mark, or on a machine that the code does not fit,
//! compiles the guest at its first start.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use convex_wasm_runtime::{Engine, NativeCache, NoCache};

use crate::exit::Failure;

const MARK: &[u8; 8] = b"cvxguest";
const KEY_LENGTH: usize = 64;
const TRAILER_LENGTH: usize = KEY_LENGTH + size_of::<u64>() + MARK.len();

/// Answers the native code that the program carries, and asks another cache for everything else.
pub struct Packaged<C> {
    /// Where the code lies; None if nothing is packaged, or the program's own file cannot be read.
    carried: Option<Trailer>,
    below: C,
}

impl<C> Packaged<C> {
    /// What the program carries, above another cache.
    pub fn above(below: C) -> Self {
        let carried = open_self().and_then(|mut file| Trailer::read(&mut file)).ok().flatten();
        Packaged { carried, below }
    }
}

impl<C: NativeCache> NativeCache for Packaged<C> {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let carried = self.carried.as_ref().filter(|carried| carried.key == key.as_bytes());
        // If the file cannot be read any more, the cache below still answers.
        carried.and_then(|carried| carried.code().ok()).or_else(|| self.below.get(key))
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        self.below.put(key, bytes);
    }
}

/// Writes a copy of this program that carries native code of its guest for this kind of machine.
pub fn write_copy(path: &Path) -> Result<(), Failure> {
    let (key, native) = compile_guest()?;
    copy_with(path, &key, &native).map_err(|error| Failure::setup(format!("could not write {}", path.display()), error))
}

fn open_self() -> io::Result<File> {
    File::open(std::env::current_exe()?)
}

/// Where the native code lies in the program's file.
struct Trailer {
    start: u64,
    length: u64,
    key: [u8; KEY_LENGTH],
}

impl Trailer {
    fn read(file: &mut File) -> io::Result<Option<Self>> {
        let end = file.seek(SeekFrom::End(0))?;
        let Some(trailer_start) = end.checked_sub(TRAILER_LENGTH as u64) else { return Ok(None) };
        file.seek(SeekFrom::Start(trailer_start))?;
        let (mut key, mut length, mut mark) = ([0; KEY_LENGTH], [0; 8], [0; 8]);
        file.read_exact(&mut key)?;
        file.read_exact(&mut length)?;
        file.read_exact(&mut mark)?;
        let length = u64::from_le_bytes(length);
        let start = trailer_start.checked_sub(length);
        Ok(start.filter(|_| mark == *MARK).map(|start| Trailer { start, length, key }))
    }

    fn code(&self) -> io::Result<Vec<u8>> {
        let mut file = open_self()?;
        file.seek(SeekFrom::Start(self.start))?;
        let mut native = Vec::new();
        file.take(self.length).read_to_end(&mut native)?;
        Ok(native)
    }
}

/// The guest's native code and its key.
fn compile_guest() -> Result<KeyAndCode, Failure> {
    let capture = Capture::default();
    Engine::new(capture.clone()).map_err(|error| Failure::setup("could not compile the guest", error))?;
    let made = capture.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    made.ok_or_else(|| Failure::setup("could not compile the guest", "the engine made no native code"))
}

/// Keeps what an engine stores: the guest's native code.
#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Option<KeyAndCode>>>);

type KeyAndCode = (String, Vec<u8>);

impl NativeCache for Capture {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        NoCache.get(key)
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((key.to_owned(), bytes.to_vec()));
    }
}

/// Writes beside the final name and renames, so that nobody ever starts half a program.
fn copy_with(path: &Path, key: &str, native: &[u8]) -> io::Result<()> {
    let mut program = fs::read(std::env::current_exe()?)?;
    if let Some(carried) = Trailer::read(&mut open_self()?)? {
        program.truncate(usize::try_from(carried.start).unwrap_or(program.len()));
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let unfinished = path.with_extension("unfinished");
    let mut file = File::create(&unfinished)?;
    for part in [&program, native, key.as_bytes(), &(native.len() as u64).to_le_bytes(), MARK] {
        file.write_all(part)?;
    }
    file.set_permissions(fs::Permissions::from_mode(0o755))?;
    file.sync_all()?;
    drop(file);
    fs::rename(unfinished, path)
}
