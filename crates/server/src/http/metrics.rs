//! `/metrics`: what the server does, in the text format of Prometheus.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use convex_wasm_v8_workers::Step;

use crate::Backend;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new().route("/metrics", get(metrics))
}

async fn metrics(State(backend): State<Arc<Backend>>) -> impl IntoResponse {
    let mut text = String::new();
    let database = backend.database.statistics();
    counter(&mut text, "database_commits_total", "Transactions that were committed.", database.commits as f64);
    counter(&mut text, "database_groups_total", "Groups in which they were written.", database.groups as f64);
    gauge(&mut text, "database_subscriptions", "Read sets that are watched.", database.subscriptions);
    gauge(&mut text, "database_cache_bytes", "Documents and index rows in memory.", database.cache_size);
    if let Some(workers) = backend.builder.v8() {
        let v8 = workers.statistics();
        gauge(&mut text, "v8_workers_alive", "V8 worker processes.", v8.alive);
        gauge(&mut text, "v8_workers_parked", "V8 workers that wait for an execution.", v8.parked);
        gauge(&mut text, "v8_workers_quarantined", "V8 workers that do not end though killed.", v8.quarantined);
        let hits = [
            ("v8_warm_worker_hit_total", "Executions that found a parked worker.", v8.warm_worker_hit),
            ("v8_warm_worker_miss_total", "Executions that found none.", v8.warm_worker_miss),
            ("v8_wrong_hint_total", "Workers claimed for another program.", v8.wrong_hint),
            ("v8_from_snapshot_total", "Workers started from a snapshot.", v8.from_snapshot),
        ];
        for (name, help, value) in hits {
            counter(&mut text, name, help, value as f64);
        }
        step(&mut text, "v8_snapshot_get", "Looking up snapshots.", &v8.snapshot_get);
        step(&mut text, "v8_worker_new", "Starting workers.", &v8.worker_new);
        step(&mut text, "v8_assign", "Evaluating modules for executions.", &v8.assign);
        step(&mut text, "v8_user_code_execute", "Executions.", &v8.user_code_execute);
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
}

fn step(text: &mut String, name: &str, help: &str, step: &Step) {
    counter(text, &format!("{name}_calls_total"), help, step.calls as f64);
    counter(text, &format!("{name}_seconds_total"), help, step.total.as_secs_f64());
    gauge(text, &format!("{name}_longest_seconds"), help, step.longest.as_secs_f64());
}

fn counter(text: &mut String, name: &str, help: &str, value: f64) {
    metric(text, name, "counter", help, value);
}

fn gauge(text: &mut String, name: &str, help: &str, value: impl std::fmt::Display) {
    metric(text, name, "gauge", help, value);
}

fn metric(text: &mut String, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "# HELP convex_wasm_{name} {help}\n# TYPE convex_wasm_{name} {kind}\nconvex_wasm_{name} {value}"
    );
}
