//! Queries of Convex's own that the CLI watches: `_system/cli/…`. They are answered by the server itself, for admins.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use convex_wasm_database::{self as database, PageArgs, Timestamp, Transaction};
use convex_wasm_runner::{Call, CallError, FunctionError, FunctionKind, Outcome, Visibility, WatchedQuery};
use convex_wasm_values::{ConvexObject, ConvexValue, JsonFormat};
use serde_json::{Value as Json, json};

use crate::Backend;

/// Folder of the system's functions. No app has modules there.
const FOLDER: &str = "_system/";
/// Tables named in one page, if the client does not say.
const PAGE: usize = 100;

/// Whether a path is one of the system's own.
pub fn is_system(call: &Call) -> bool {
    call.path.module().starts_with(FOLDER)
}

/// Runs a query of the system at a snapshot.
///
/// # Errors
/// The database failed. A query that does not exist, or is called by somebody else, fails as a function does.
pub async fn watch(backend: &Backend, call: &Call, at: Timestamp) -> Result<WatchedQuery, CallError> {
    let mut transaction = backend.begin_system_at(at)?;
    let result = if call.identity.is_admin() {
        match answer(backend, &mut transaction, call).await {
            Err(database::Error::Developer { message, .. }) => Err(FunctionError::new(message)),
            result => result?,
        }
    } else {
        Err(FunctionError::new(format!("{} needs an admin key.", call.path)))
    };
    let outcome = Arc::new(Outcome { result, log_lines: Vec::new(), timestamp: at });
    let reads = Arc::new(transaction.into_read_set());
    Ok(WatchedQuery { outcome, reads, journal: None, cached: false })
}

type Answer = Result<ConvexValue, FunctionError>;

async fn answer(backend: &Backend, transaction: &mut Transaction, call: &Call) -> database::Result<Answer> {
    let args = call.arguments.to_json(JsonFormat::Encoded);
    Ok(match call.path.to_string().as_str() {
        "_system/cli/queryEnvironmentVariables:default" => {
            let variables = transaction.environment_variables().await?;
            Ok(ConvexValue::Array(variables.into_iter().map(variable).collect()))
        }
        "_system/cli/queryEnvironmentVariables:get" => {
            let name = args["name"].as_str().unwrap_or_default();
            let found = transaction.environment_variables().await?.remove_entry(name);
            Ok(found.map_or(ConvexValue::Null, variable))
        }
        "_system/cli/convexUrl:cloudUrl" => Ok(backend.origin().into()),
        "_system/cli/convexUrl:siteUrl" => Ok(backend.site().into()),
        "_system/cli/tables:default" => Ok(tables(transaction, &args)),
        "_system/cli/tableSize:default" => {
            let table = args["tableName"].as_str().unwrap_or_default();
            Ok(ConvexValue::Float64(transaction.count(table)? as f64))
        }
        "_system/cli/modules:apiSpec" => Ok(api_spec(backend)),
        "_system/cli/exports:getLatest" => Ok(from_json(&json!({
            "state": "completed",
            "start_ts": ConvexValue::Int64(i64::try_from(transaction.timestamp().0).unwrap_or(i64::MAX))
                .to_json(JsonFormat::Encoded),
            "format": {
                "format": "zip",
                "include_storage": backend.transfers.export_files.load(Ordering::Relaxed),
            },
        }))),
        "_system/cli/queryImport:list" => {
            let imports: Vec<Json> = backend.transfers.imports().iter().map(|import| import.to_json()).collect();
            Ok(from_json(&imports.into()))
        }
        "_system/cli/queryImport:default" => Ok(import(backend, &args).await),
        "_system/cli/tableData:default" => table_page(transaction, &args).await?,
        unknown => Err(FunctionError::new(format!("This server does not have the system query {unknown} yet."))),
    })
}

fn from_json(json: &Json) -> ConvexValue {
    // What the server writes itself is valid.
    ConvexValue::from_json(json).unwrap_or(ConvexValue::Null)
}

/// An import that is decided; whoever asks for one in progress waits.
async fn import(backend: &Backend, args: &Json) -> ConvexValue {
    let Some(import) = backend.transfers.import(args["importId"].as_str().unwrap_or_default()) else {
        let error = "The import is not known: the server was restarted, or many others were begun.";
        return from_json(&json!({ "state": { "state": "failed", "error_message": error } }));
    };
    import.settled().await;
    from_json(&import.to_json())
}

/// Every function and its types.
fn api_spec(backend: &Backend) -> ConvexValue {
    let deployment = backend.runner().deployment();
    let functions = deployment.iter().flat_map(|deployment| deployment.functions());
    let described = functions.filter(|function| function.kind != FunctionKind::HttpAction).map(|function| {
        let visibility = match function.visibility {
            Visibility::Public => "public",
            Visibility::Internal => "internal",
        };
        json!({
            "identifier": format!("{}:{}", function.path.module(), function.path.function()),
            "functionType": function.kind.to_string(),
            "visibility": { "kind": visibility },
            "args": function.args.to_json(),
            "returns": function.returns.to_json(),
        })
    });
    from_json(&described.collect::<Vec<_>>().into())
}

fn variable((name, value): (String, String)) -> ConvexValue {
    let fields = [("name".to_owned(), name.into()), ("value".to_owned(), value.into())];
    ConvexValue::Object(ConvexObject::from(fields))
}

/// A page of the names of all tables; a cursor is the last name of the page before.
fn tables(transaction: &mut Transaction, args: &Json) -> ConvexValue {
    let options = &args["paginationOpts"];
    let size = options["numItems"].as_f64().map_or(PAGE, |size| size.max(1.0) as usize);
    let after = options["cursor"].as_str().unwrap_or_default();
    let mut names = transaction.table_names();
    names.retain(|name| name.as_str() > after);
    names.sort();
    let is_done = names.len() <= size;
    names.truncate(size);
    let cursor = names.last().cloned().unwrap_or_else(|| after.to_owned());
    let page = names.into_iter().map(|name| {
        let fields = [("name".to_owned(), ConvexValue::from(name))];
        ConvexValue::Object(ConvexObject::from(fields))
    });
    page_value(page.collect(), is_done, cursor)
}

/// A page of a table's documents.
async fn table_page(transaction: &mut Transaction, args: &Json) -> database::Result<Answer> {
    let options = &args["paginationOpts"];
    let source = json!({
        "type": "FullTableScan",
        "tableName": args["table"],
        "order": args["order"].as_str().unwrap_or("asc"),
    });
    let arguments = json!({
        "query": { "source": source, "operators": [] },
        "cursor": options["cursor"],
        "pageSize": options["numItems"].as_f64().unwrap_or(PAGE as f64),
    });
    let arguments: PageArgs = match serde_json::from_value(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return Ok(Err(FunctionError::new(format!("The arguments are not valid: {error}")))),
    };
    let page = transaction.query_page(&arguments).await?;
    Ok(Ok(page_value(page.page, page.is_done, page.continue_cursor)))
}

fn page_value(page: Vec<ConvexValue>, is_done: bool, cursor: String) -> ConvexValue {
    ConvexValue::Object(ConvexObject::from([
        ("page".to_owned(), ConvexValue::Array(page)),
        ("isDone".to_owned(), ConvexValue::Boolean(is_done)),
        ("continueCursor".to_owned(), cursor.into()),
    ]))
}
