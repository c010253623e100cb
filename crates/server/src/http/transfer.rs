//! Data as files: `/api/export/…`, `/api/import/…`, `/api/perform_import`, `/api/cancel_import`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use convex_wasm_database::Timestamp;
use convex_wasm_knobs::IMPORT_MAX_BYTES;
use convex_wasm_runner::CallError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::body::{read, read_json};
use super::error::ApiError;
use super::identity;
use crate::Backend;
use crate::transfer::{self, Format, ImportState, Imported, Mode};

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new()
        .route("/api/export/request/zip", post(request_export))
        .route("/api/export/zip/{timestamp}", get(export))
        .route("/api/import/start_upload", post(start_upload))
        .route("/api/import/upload_part", post(upload_part))
        .route("/api/import/finish_upload", post(finish_upload))
        .route("/api/perform_import", post(perform))
        .route("/api/cancel_import", post(cancel))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    #[serde(default)]
    include_storage: bool,
}

/// The newest snapshot is what will be exported; the file is made when it is fetched.
async fn request_export(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    Query(Export { include_storage }): Query<Export>,
) -> Result<(), ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    backend.transfers.export_files.store(include_storage, Ordering::Relaxed);
    Ok(())
}

async fn export(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    Path(timestamp): Path<u64>,
) -> Result<Response, ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let with_files = backend.transfers.export_files.load(Ordering::Relaxed);
    let file = transfer::zip_of(&backend, Timestamp(timestamp), with_files).await.map_err(CallError::from)?;
    let disposition = format!("attachment; filename=snapshot_{timestamp}.zip");
    let headers = [(header::CONTENT_TYPE, "application/zip".to_owned()), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, file).into_response())
}

async fn start_upload(State(backend): State<Arc<Backend>>, headers: HeaderMap) -> Result<Json<Value>, ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    Ok(Json(json!({ "uploadToken": backend.transfers.start_upload() })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    upload_token: String,
    part_number: usize,
}

async fn upload_part(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    Query(Part { upload_token, part_number }): Query<Part>,
    body: Body,
) -> Result<Json<String>, ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let part = read(body, IMPORT_MAX_BYTES.get()).await?;
    Ok(Json(backend.transfers.add_part(&upload_token, part_number, part).map_err(refused)?))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FinishUpload {
    import: ImportBody,
    upload_token: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ImportBody {
    table_name: Option<String>,
    component_path: Option<String>,
    mode: Mode,
    format: Format,
}

/// Reads the file and tells what an import of it would do. What is wrong with it is the state of the import.
async fn finish_upload(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let FinishUpload { import, upload_token } = read_json(body).await?;
    let ImportBody { table_name, component_path, mode, format } = import;
    if component_path.is_some_and(|path| !path.is_empty()) {
        return Err(ApiError::bad_request("ComponentsNotSupported", "This server does not run components yet."));
    }
    let content = backend.transfers.finish_upload(&upload_token).map_err(refused)?;
    let parsed = tokio::task::spawn_blocking(move || transfer::parse(format, table_name.as_deref(), &content)).await;
    let parsed = parsed.unwrap_or_else(|error| Err(format!("The file could not be read: {error}.")));
    let planned = parsed.and_then(|import| {
        let plan = transfer::plan(&backend, &import, mode).map_err(|error| error.to_string())?;
        Ok((import, plan))
    });
    let id = match planned {
        Ok((import, plan)) => {
            let state = ImportState::Waiting { message: plan.message, deletes: plan.deletes };
            backend.transfers.keep(mode, Some(import), state)
        }
        Err(error) => backend.transfers.keep(mode, None, ImportState::Failed { error }),
    };
    Ok(Json(json!({ "importId": id })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    import_id: String,
}

/// Starts an import that the developer agreed to. It goes on when the client goes away.
async fn perform(State(backend): State<Arc<Backend>>, headers: HeaderMap, body: Body) -> Result<(), ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let Named { import_id } = read_json(body).await?;
    let import = backend.transfers.import(&import_id).ok_or_else(unknown_import)?;
    let Some(content) = import.content.lock().take() else { return Ok(()) };
    import.state.send_replace(ImportState::InProgress);
    tokio::spawn(async move {
        let state = import_state(&backend, &content, import.mode).await;
        import.state.send_replace(state);
    });
    Ok(())
}

async fn import_state(backend: &Backend, import: &Imported, mode: Mode) -> ImportState {
    match transfer::run(backend, import, mode).await {
        Ok(added) => ImportState::Completed { added },
        Err(error) => ImportState::Failed { error: error.to_string() },
    }
}

async fn cancel(State(backend): State<Arc<Backend>>, headers: HeaderMap, body: Body) -> Result<(), ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let Named { import_id } = read_json(body).await?;
    let import = backend.transfers.import(&import_id).ok_or_else(unknown_import)?;
    if import.content.lock().take().is_some() {
        import.state.send_replace(ImportState::Failed { error: "Import canceled".to_owned() });
    }
    Ok(())
}

fn refused(reason: String) -> ApiError {
    ApiError::bad_request("ImportFailed", reason)
}

fn unknown_import() -> ApiError {
    refused("The import is not known: the server was restarted, or many others were begun. Import again.".to_owned())
}
