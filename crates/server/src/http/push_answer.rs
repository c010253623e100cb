//! What clients are told of a push, in the shapes they expect.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use convex_wasm_runner::{Function, FunctionKind, ModuleSourceMap, Visibility};
use convex_wasm_values::Schema;
use serde_json::{Value, json};

use crate::auth::Provider;
use crate::deployment::{FinishedPush, SchemaChange, StartedPush};

/// The key under which an answer carries the push's name through the client.
const OWN: &str = "convexWasm";

/// The answer of `start_push`. Clients send it back whole to finish the push.
pub fn started(push: &StartedPush) -> Value {
    let import = push.app.import_phase;
    let timestamp = (import.time_ms * 1e6) as i64;
    json!({
        "environmentVariables": push.environment,
        "externalDepsId": null,
        "componentDefinitionPackages": { "": {} },
        "appAuth": push.auth.iter().map(Provider::to_json).collect::<Vec<_>>(),
        "analysis": { "": {
            "definition": {
                "path": "",
                "definitionType": { "type": "app" },
                "childComponents": [],
                "httpMounts": {},
                "exports": { "type": "branch", "branch": [] },
                "envVars": null,
            },
            "schema": push.app.schema.as_ref().map(|_| push.schema.to_json()),
            "functions": functions(push),
            "udfConfig": {
                "serverVersion": push.app.server_version,
                "importPhaseRngSeed": { "$bytes": BASE64.encode(import.seed) },
                "importPhaseUnixTimestamp": { "$integer": BASE64.encode(timestamp.to_le_bytes()) },
            },
        } },
        "app": {
            "definitionPath": "",
            "componentPath": "",
            "args": {},
            "childComponents": {},
            "httpRoutes": { "httpModuleRoutes": push.built.routes, "mounts": [] },
            "exports": {},
        },
        "schemaChange": schema_change(push),
        OWN: { "push": push.id, "report": push.built.report },
    })
}

/// The push that an answer of [`started`] is about.
pub fn push_id(start_push: &Value) -> Option<&str> {
    start_push[OWN]["push"].as_str()
}

/// The answer of `evaluate_schema`: what would become of the indexes, and how many documents their tables have. How many
/// bytes a validation would read is not known before it runs, so no tables are named.
pub fn evaluated(change: &SchemaChange) -> Value {
    let indexes = index_changes(&change.replaced, &change.schema).into_iter().map(|(change_of_index, mut index)| {
        let table = index["name"].as_str().and_then(|name| name.split_once('.')).map_or("", |(table, _)| table);
        let documents = change.documents.get(table).copied().unwrap_or(0);
        index["change"] = change_of_index.into();
        index["needsBackfill"] = (change_of_index == "added").into();
        index["numDocs"] = documents.into();
        index
    });
    json!({
        "componentSchemaEvaluations": { "": {
            "definitionPath": "",
            "schemaValidation": change.schema.schema_validation,
            "tables": [],
            "indexes": indexes.collect::<Vec<_>>(),
        } },
        "newComponentDefinitions": [],
    })
}

/// What a push changes in the schema.
pub fn schema_change(push: &StartedPush) -> Value {
    json!({
        "allocatedComponentIds": {},
        "schemaIds": { "": push.schema_id.as_ref().map(|id| &id.0) },
        "indexDiffs": { "": index_diff(push) },
    })
}

/// The answer of `finish_push`.
pub fn finished(finished: &FinishedPush) -> Value {
    let FinishedPush { push, added_modules, removed_modules, crons } = finished;
    let schema = |schema: &Schema| (!schema.tables.is_empty()).then(|| schema.to_json().to_string());
    let (previous, next) = (schema(&push.replaced_schema), schema(&push.schema));
    let schema_diff = (previous != next).then(|| json!({ "previous_schema": previous, "next_schema": next }));
    json!({
        "authDiff": {
            "added": missing_from(&push.replaced_auth, &push.auth),
            "removed": missing_from(&push.auth, &push.replaced_auth),
        },
        "definitionDiffs": {},
        "componentDiffs": { "": {
            "diffType": { "type": "modify" },
            "moduleDiff": { "added": added_modules, "removed": removed_modules },
            "udfConfigDiff": null,
            "cronDiff": { "added": crons.added, "updated": crons.updated, "deleted": crons.deleted },
            "indexDiff": index_diff(push),
            "schemaDiff": schema_diff,
        } },
    })
}

/// Providers that another list does not have, as JSON texts.
fn missing_from(others: &[Provider], providers: &[Provider]) -> Vec<String> {
    providers
        .iter()
        .filter(|provider| !others.contains(provider))
        .map(|provider| provider.to_json().to_string())
        .collect()
}

/// The answer of a dry run's `finish_push`.
pub fn unchanged() -> Value {
    json!({ "authDiff": { "added": [], "removed": [] }, "definitionDiffs": {}, "componentDiffs": {} })
}

fn cron_specs(push: &StartedPush) -> Value {
    push.built.crons.iter().map(|(name, cron)| json!([name, cron.to_json()])).collect()
}

/// Functions by module.
fn functions(push: &StartedPush) -> Value {
    let mut modules: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    let mut maps: BTreeMap<&str, ModuleSourceMap> = BTreeMap::new();
    for (function, place) in push.built.functions() {
        let path = function.path.module();
        let map = maps.entry(path).or_insert_with(|| {
            let json = push.app.modules.get(path).and_then(|module| module.source_map.clone());
            ModuleSourceMap::new(path, json)
        });
        let original = place.map(|(line, column)| match map.lookup(line, column) {
            Some(source) => (source.line, source.column),
            None => (line + 1, column + 1),
        });
        let position =
            original.map(|(line, column)| json!({ "path": path, "start_lineno": line, "start_col": column }));
        modules.entry(path).or_default().extend(described(function, position));
    }
    modules
        .into_iter()
        .map(|(path, functions)| {
            let crons = (path == "crons.js").then(|| cron_specs(push));
            let module =
                json!({ "functions": functions, "httpRoutes": null, "cronSpecs": crons, "sourceMapped": null });
            (path.to_owned(), module)
        })
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// HTTP actions are no functions to clients; they are reached by their routes.
fn described(function: &Function, position: Option<Value>) -> Option<Value> {
    let kind = match function.kind {
        FunctionKind::Query => "Query",
        FunctionKind::Mutation => "Mutation",
        FunctionKind::Action => "Action",
        FunctionKind::HttpAction => return None,
    };
    let visibility = match function.visibility {
        Visibility::Public => "public",
        Visibility::Internal => "internal",
    };
    Some(json!({
        "name": function.path.function(),
        "pos": position,
        "udfType": kind,
        "visibility": { "kind": visibility },
        "args": function.args.to_json().to_string(),
        "returns": function.returns.to_json().to_string(),
    }))
}

fn index_diff(push: &StartedPush) -> Value {
    let changes = index_changes(&push.replaced_schema, &push.schema);
    let of = |change: &str| -> Vec<&Value> {
        changes.iter().filter(|(kind, _)| *kind == change).map(|(_, index)| index).collect()
    };
    json!({
        "added_indexes": of("added"),
        "removed_indexes": of("dropped"),
        "enabled_indexes": of("enabled"),
        "disabled_indexes": of("disabled"),
    })
}

/// What becomes of each index of two schemas: `added`, `identical`, `enabled`, `disabled` or `dropped`.
fn index_changes(before: &Schema, after: &Schema) -> Vec<(&'static str, Value)> {
    let (before, after) = (indexes(before), indexes(after));
    let mut changes = Vec::new();
    for (name, index) in &after {
        let change = match before.get(name) {
            Some(old) if old == index => "identical",
            Some(old) if without_stage(old) == without_stage(index) => {
                if index["staged"] == true {
                    "disabled"
                } else {
                    "enabled"
                }
            }
            Some(old) => {
                changes.push(("dropped", old.clone()));
                "added"
            }
            None => "added",
        };
        changes.push((change, index.clone()));
    }
    let gone = before.into_iter().filter(|(name, _)| !after.contains_key(name));
    changes.extend(gone.map(|(_, index)| ("dropped", index)));
    changes
}

fn without_stage(index: &Value) -> Value {
    let mut index = index.clone();
    if let Some(fields) = index.as_object_mut() {
        fields.remove("staged");
    }
    index
}

/// Every index of a schema by `table.index`, as clients show it.
fn indexes(schema: &Schema) -> BTreeMap<String, Value> {
    let mut indexes = BTreeMap::new();
    for (table, definition) in &schema.tables {
        let mut add = |name: &str, staged: bool, mut index: Value| {
            let name = format!("{table}.{name}");
            index["name"] = name.as_str().into();
            if staged {
                index["staged"] = true.into();
            }
            indexes.insert(name, index);
        };
        for (name, index) in &definition.indexes {
            let mut fields: Vec<String> = index.fields.iter().map(ToString::to_string).collect();
            fields.push("_creationTime".to_owned());
            add(name, index.staged, json!({ "type": "database", "fields": fields }));
        }
        for (name, index) in &definition.search_indexes {
            let filters: Vec<String> = index.filter_fields.iter().map(ToString::to_string).collect();
            let field = index.search_field.to_string();
            add(name, index.staged, json!({ "type": "search", "searchField": field, "filterFields": filters }));
        }
        for (name, index) in &definition.vector_indexes {
            let filters: Vec<String> = index.filter_fields.iter().map(ToString::to_string).collect();
            let field = index.vector_field.to_string();
            let index_json = json!({
                "type": "vector", "dimensions": index.dimensions, "vectorField": field, "filterFields": filters,
            });
            add(name, index.staged, index_json);
        }
    }
    indexes
}
