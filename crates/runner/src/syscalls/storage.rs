//! `ctx.storage`: files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use convex_wasm_database::{self as database, FileContent, StoredFile, Transaction};
use convex_wasm_storage::{ByteStream, FileKey, Storage};
use convex_wasm_v8_workers::Streams;
use convex_wasm_values::DocumentId;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::json;

use super::{SyscallError, SyscallResult, write};
use crate::actions::Action;
use crate::execution::Execution;
use crate::function::FunctionKind;
use crate::runner::unix_nanos;

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileArgs {
    /// An id of `_storage`, or a file's key.
    storage_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoreArgs {
    /// The content in base64, from a mutation.
    #[serde(default)]
    blob: String,
    /// Or the stream of it, from an action.
    #[serde(default)]
    stream_id: String,
    content_type: Option<String>,
    sha256: Option<String>,
}

/// What names a file.
#[derive(Clone)]
enum FileName {
    Id(DocumentId),
    Key(FileKey),
}

impl FileArgs {
    fn name(&self, method: &str) -> Result<FileName, SyscallError> {
        if let Some(key) = FileKey::parse(&self.storage_id) {
            return Ok(FileName::Key(key));
        }
        self.storage_id.parse().map(FileName::Id).map_err(|error| {
            let text = format!("Invalid argument `storageId` for `storage.{method}`: {error}");
            SyscallError::throw("InvalidArgument", text)
        })
    }
}

pub(super) async fn get_url(execution: &mut Execution, args: FileArgs) -> SyscallResult {
    let name = args.name("getUrl")?;
    let storage = execution.context.storage.clone();
    url(&storage, find(execution.transaction()?, &name).await?)
}

pub(super) async fn get_metadata(execution: &mut Execution, args: FileArgs) -> SyscallResult {
    let name = args.name("getMetadata")?;
    metadata(find(execution.transaction()?, &name).await?)
}

pub(super) async fn generate_upload_url(execution: &mut Execution) -> SyscallResult {
    writer(execution)?;
    write(&execution.context.storage.addresses.upload(execution.context.time_ms as u64))
}

pub(super) async fn delete(execution: &mut Execution, args: FileArgs) -> SyscallResult {
    let name = args.name("delete")?;
    remove(writer(execution)?, &name, &args.storage_id).await?;
    write(&())
}

/// The content is written at once; the file is there when the mutation commits.
pub(super) async fn store(execution: &mut Execution, args: StoreArgs) -> SyscallResult {
    writer(execution)?;
    let storage = execution.context.storage.clone();
    let content = BASE64.decode(&args.blob).map_err(|error| {
        SyscallError::throw("InvalidArgument", format!("Invalid argument `blob` for `storage.store`: {error}"))
    })?;
    let file = write_file(&storage, stream::iter([Ok(Bytes::from(content))]).boxed(), &args).await?;
    write(&writer(execution)?.insert_file(&file)?.to_string())
}

pub(super) async fn get(execution: &mut Execution, args: FileArgs) -> SyscallResult {
    let name = args.name("get")?;
    let storage = execution.context.storage.clone();
    let Some(file) = find(writer(execution)?, &name).await? else { return write(&()) };
    let pieces: Vec<Bytes> = open(&storage, &file).await?.try_collect().await.map_err(failed)?;
    write(&json!({ "blob": BASE64.encode(pieces.concat()), "contentType": file.content.content_type }))
}

/// A storage operation of an action; `None` if it is none.
pub(super) async fn in_action(
    action: &Action,
    streams: &Streams,
    name: &str,
    argument: &str,
) -> Result<Option<String>, SyscallError> {
    let (runner, storage) = (&action.runner, &action.runner.storage);
    let writer = action.function.to_string();
    Ok(Some(match name {
        "1.0/storageGenerateUploadUrl" => write(&storage.addresses.upload(unix_nanos() / 1_000_000))?,
        "1.0/storageGetUrl" => url(storage, read(action, super::parse(name, argument)?, "getUrl").await?)?,
        "1.0/storageGetMetadata" => metadata(read(action, super::parse(name, argument)?, "getMetadata").await?)?,
        "1.0/storageDelete" => {
            let args: FileArgs = super::parse(name, argument)?;
            let file = args.name("delete")?;
            let removed = runner.change(&writer, |transaction| {
                let (file, id) = (file.clone(), args.storage_id.clone());
                async move { remove(transaction, &file, &id).await }.boxed()
            });
            removed.await?;
            write(&())?
        }
        "storage/store" => {
            let args: StoreArgs = super::parse(name, argument)?;
            let file = write_file(storage, streams.receive(&args.stream_id), &args).await?;
            let inserted = runner.change(&writer, |transaction| {
                let file = file.clone();
                async move { transaction.insert_file(&file) }.boxed()
            });
            write(&inserted.await?.to_string())?
        }
        "storage/get" => match read(action, super::parse(name, argument)?, "get").await? {
            Some(file) => {
                let id = streams.send(open(storage, &file).await?);
                write(&json!({ "streamId": id, "contentType": file.content.content_type }))?
            }
            None => write(&())?,
        },
        _ => return Ok(None),
    }))
}

async fn read(action: &Action, args: FileArgs, method: &str) -> Result<Option<StoredFile>, SyscallError> {
    let name = args.name(method)?;
    let (mut transaction, _) = action.runner.read(&action.function).await?;
    Ok(find(&mut transaction, &name).await?)
}

async fn find(transaction: &mut Transaction, name: &FileName) -> database::Result<Option<StoredFile>> {
    match name {
        FileName::Id(id) => transaction.file(*id).await,
        FileName::Key(key) => transaction.file_by_key(key.as_str()).await,
    }
}

async fn remove(transaction: &mut Transaction, name: &FileName, id: &str) -> database::Result<()> {
    let removed = match find(transaction, name).await? {
        Some(file) => transaction.delete_file(file.id).await?,
        None => false,
    };
    if removed {
        return Ok(());
    }
    let message = format!("storage id {id} not found");
    Err(database::Error::Developer { code: "StorageIdNotFound", message, data: None })
}

fn url(storage: &Storage, file: Option<StoredFile>) -> SyscallResult {
    let key = file.and_then(|file| FileKey::parse(&file.content.key));
    write(&key.map(|key| storage.addresses.file(&key)))
}

fn metadata(file: Option<StoredFile>) -> SyscallResult {
    write(&file.map(|StoredFile { id, content }| {
        json!({
            "storageId": id.to_string(),
            "sha256": hex::encode(content.sha256),
            "size": content.size,
            "contentType": content.content_type,
        })
    }))
}

async fn open(storage: &Storage, file: &StoredFile) -> Result<ByteStream, SyscallError> {
    let content = match FileKey::parse(&file.content.key) {
        Some(key) => storage.files.read(&key, 0..file.content.size).await.map_err(failed)?,
        None => None,
    };
    content.ok_or_else(|| SyscallError::throw("FileNotFound", format!("The content of file {} is missing.", file.id)))
}

/// Writes a content that nothing refers to yet.
async fn write_file(storage: &Storage, content: ByteStream, args: &StoreArgs) -> Result<FileContent, SyscallError> {
    let written = storage.files.write(content).await.map_err(failed)?;
    let expected = args.sha256.as_ref().map(|text| {
        // Some callers have it in hexadecimal, as metadata do, others in base64, as the header `Digest`.
        hex::decode(text).or_else(|_| BASE64.decode(text)).unwrap_or_default()
    });
    if expected.is_some_and(|expected| expected != written.sha256) {
        return Err(SyscallError::throw("Sha256Mismatch", "The content does not have the SHA-256 that was said."));
    }
    Ok(FileContent {
        key: written.key.to_string(),
        sha256: written.sha256,
        size: written.size,
        content_type: args.content_type.clone().filter(|content_type| !content_type.is_empty()),
    })
}

/// The transaction, if this execution may write.
fn writer(execution: &mut Execution) -> Result<&mut Transaction, SyscallError> {
    if execution.kind != FunctionKind::Mutation {
        let text = format!("{} is a query: queries can only read about files. Make it a mutation.", execution.function);
        return Err(SyscallError::throw("ReadOnlyTransaction", text));
    }
    Ok(execution.transaction()?)
}

fn failed(error: std::io::Error) -> SyscallError {
    SyscallError::throw("StorageFailed", format!("A file could not be read or written: {error}"))
}
