//! Files in a folder. A file that has its name is complete and durable.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};

use crate::files::{ByteStream, FileKey, Written};

/// Bytes read at once.
const PIECE: usize = 256 << 10;
/// Folder of files that are being written.
const UNFINISHED: &str = "unfinished";

/// A folder of files.
#[derive(Clone, Debug)]
pub struct Folder {
    folder: PathBuf,
}

impl Folder {
    /// Uses `folder`, which is made if it does not exist. Files that were not finished are removed.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn open(folder: PathBuf) -> io::Result<Self> {
        let unfinished = folder.join(UNFINISHED);
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished)?;
        }
        fs::create_dir_all(&unfinished)?;
        Ok(Self { folder })
    }

    /// Writes a new file. When this returns it is durable; if it fails there is none.
    ///
    /// # Errors
    /// The stream fails, or the disk.
    pub(crate) async fn write(&self, mut content: ByteStream) -> io::Result<Written> {
        let key = FileKey::random();
        let path = self.folder.join(UNFINISHED).join(key.as_str());
        let mut file = blocking(move || Unfinished::create(path)).await?;
        while let Some(piece) = content.try_next().await? {
            file = blocking(move || file.append(&piece)).await?;
        }
        let place = self.place(&key);
        let (sha256, size) = blocking(move || file.finish(&place)).await?;
        Ok(Written { key, sha256, size })
    }

    /// Bytes of a file, in pieces; `None` if there is no such file.
    ///
    /// # Errors
    /// The disk fails.
    pub(crate) async fn read(&self, key: &FileKey, range: Range<u64>) -> io::Result<Option<ByteStream>> {
        let place = self.place(key);
        let opened = blocking(move || {
            let mut file = File::open(place)?;
            file.seek(SeekFrom::Start(range.start))?;
            Ok(file.take(range.end.saturating_sub(range.start)))
        });
        match opened.await {
            Ok(file) => Ok(Some(stream::try_unfold(file, |file| blocking(move || read_piece(file))).boxed())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// The disk fails.
    pub(crate) async fn remove(&self, key: &FileKey) -> io::Result<()> {
        let place = self.place(key);
        match blocking(move || fs::remove_file(place)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The files that were written at least this long ago.
    ///
    /// # Errors
    /// The disk fails.
    pub(crate) async fn older_than(&self, age: Duration) -> io::Result<Vec<FileKey>> {
        let folder = self.folder.clone();
        blocking(move || {
            let mut old = Vec::new();
            for shelf in fs::read_dir(folder)? {
                let shelf = shelf?;
                if shelf.file_name() != UNFINISHED && shelf.file_type()?.is_dir() {
                    old.extend(old_files(&shelf.path(), age)?);
                }
            }
            Ok(old)
        })
        .await
    }

    /// Files are kept on 256 shelves, since folders with very many files are slow.
    fn place(&self, key: &FileKey) -> PathBuf {
        self.folder.join(&key.as_str()[..2]).join(key.as_str())
    }
}

fn old_files(shelf: &Path, age: Duration) -> io::Result<Vec<FileKey>> {
    let now = SystemTime::now();
    let mut old = Vec::new();
    for entry in fs::read_dir(shelf)? {
        let entry = entry?;
        let written = entry.metadata()?.modified()?;
        let key = entry.file_name().to_str().and_then(FileKey::parse);
        old.extend(key.filter(|_| now.duration_since(written).is_ok_and(|since| since >= age)));
    }
    Ok(old)
}

fn read_piece(mut file: io::Take<File>) -> io::Result<Option<(Bytes, io::Take<File>)>> {
    let mut piece = vec![0; PIECE.min(usize::try_from(file.limit()).unwrap_or(PIECE))];
    let length = file.read(&mut piece)?;
    piece.truncate(length);
    Ok((length > 0).then(|| (Bytes::from(piece), file)))
}

/// A file that is being written; removed unless it is finished.
struct Unfinished {
    file: File,
    path: Option<PathBuf>,
    hash: Sha256,
    size: u64,
}

impl Unfinished {
    fn create(path: PathBuf) -> io::Result<Self> {
        Ok(Self { file: File::create_new(&path)?, path: Some(path), hash: Sha256::new(), size: 0 })
    }

    fn append(mut self, piece: &[u8]) -> io::Result<Self> {
        self.file.write_all(piece)?;
        self.hash.update(piece);
        self.size += piece.len() as u64;
        Ok(self)
    }

    /// Gives the file its name, after its content is durable, and makes the name durable.
    fn finish(mut self, place: &Path) -> io::Result<([u8; 32], u64)> {
        self.file.sync_all()?;
        if let (Some(shelf), Some(path)) = (place.parent(), &self.path) {
            if !shelf.exists() {
                fs::create_dir_all(shelf)?;
                if let Some(folder) = shelf.parent() {
                    File::open(folder)?.sync_all()?;
                }
            }
            fs::rename(path, place)?;
            File::open(shelf)?.sync_all()?;
        }
        self.path = None;
        Ok((std::mem::take(&mut self.hash).finalize().into(), self.size))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.path
            && let Err(error) = fs::remove_file(path)
        {
            tracing::warn!(%error, "an unfinished file stays until the next start");
        }
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
