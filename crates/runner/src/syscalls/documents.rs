//! Reading and writing documents.

use std::sync::Arc;

use convex_wasm_database::{DocumentArg, InsertArg, PageArgs, PatchArg, ReplaceArg, Transaction};
use convex_wasm_runtime::{BoxError, Operation};
use convex_wasm_values::ConvexObject;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::synchronous::QueryIdArgs;
use super::{SyscallError, SyscallResult, parse, write};
use crate::execution::Execution;
use crate::function::FunctionKind;

pub(super) const GET: &str = "1.0/get";

pub(super) async fn get(execution: &mut Execution, document: DocumentArg) -> SyscallResult {
    write_document(execution.transaction()?.get(&document).await?)
}

/// Several `1.0/get`. An argument that cannot be read fails alone.
pub(super) async fn get_many(
    execution: &mut Execution,
    operations: &[Operation],
) -> Result<Vec<SyscallResult>, BoxError> {
    let parsed: Vec<Result<DocumentArg, SyscallError>> =
        operations.iter().map(|operation| parse(GET, &operation.argument)).collect();
    let wanted: Vec<DocumentArg> = parsed.iter().flatten().cloned().collect();
    let mut found = execution.transaction()?.get_many(&wanted).await.into_iter();
    let results = parsed.into_iter().map(|argument| {
        argument?;
        // There is one result for each argument that could be read.
        write_document(found.next().transpose()?.flatten())
    });
    Ok(results.collect())
}

fn write_document(document: Option<Arc<ConvexObject>>) -> SyscallResult {
    write(&document.as_deref())
}

pub(super) async fn query_next(execution: &mut Execution, args: QueryIdArgs) -> SyscallResult {
    #[derive(Serialize)]
    struct Row<'a> {
        value: Option<&'a ConvexObject>,
        done: bool,
    }
    let document = execution.transaction()?.query_next(args.query_id).await?;
    write(&Row { value: document.as_deref(), done: document.is_none() })
}

pub(super) async fn query_page(execution: &mut Execution, args: PageArgs) -> SyscallResult {
    write(&execution.transaction()?.query_page(&args).await?)
}

#[derive(Deserialize)]
pub(super) struct CountArgs {
    table: String,
}

pub(super) async fn count(execution: &mut Execution, args: CountArgs) -> SyscallResult {
    write(&execution.transaction()?.count(&args.table)?)
}

pub(super) async fn insert(execution: &mut Execution, arg: InsertArg) -> SyscallResult {
    let id = writer(execution)?.insert(&arg).await?;
    write(&json!({ "_id": id.to_string() }))
}

pub(super) async fn patch(execution: &mut Execution, arg: PatchArg) -> SyscallResult {
    write(&*writer(execution)?.patch(&arg).await?)
}

pub(super) async fn replace(execution: &mut Execution, arg: ReplaceArg) -> SyscallResult {
    write(&*writer(execution)?.replace(&arg).await?)
}

pub(super) async fn remove(execution: &mut Execution, document: DocumentArg) -> SyscallResult {
    write(&*writer(execution)?.delete(&document).await?)
}

/// The transaction, if this execution may write.
fn writer(execution: &mut Execution) -> Result<&mut Transaction, SyscallError> {
    if execution.kind != FunctionKind::Mutation {
        return Err(SyscallError::throw(
            "ReadOnlyTransaction",
            format!("{} is a query: queries cannot write to the database. Make it a mutation.", execution.function),
        ));
    }
    Ok(execution.transaction()?)
}
