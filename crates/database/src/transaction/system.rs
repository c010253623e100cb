//! What the server keeps in tables of the system: the deployment's artifacts and its environment variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use convex_wasm_knobs::{ENV_VAR_LIMIT, ENV_VAR_NAME_MAX_LENGTH, ENV_VAR_TOTAL_SIZE_LIMIT, ENV_VAR_VALUE_MAX_LENGTH};
use convex_wasm_persistence::{BlobId, KeyRange, Order, PersistenceError};
use convex_wasm_values::{ConvexObject, ConvexValue, DocumentId};

use super::scan::IndexScan;
use super::{Current, Transaction, with_prefix};
use crate::system_tables::{ENVIRONMENT_VARIABLES, SOURCE_PACKAGES, SystemTable};
use crate::{Error, Result};
use convex_wasm_values::sort_key::encode_string_key;

/// Names that the server sets itself.
const FORBIDDEN_NAMES: [&str; 2] = ["CONVEX_CLOUD_URL", "CONVEX_SITE_URL"];
/// Position of the index on `name` in the tables here.
const BY_NAME: u32 = 2;

/// Something a deployment consists of, kept under a name: a blob and what to know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// The content, put with [`crate::Database::put_blob`] before.
    pub blob: BlobId,
    /// Bytes of the content.
    pub size: u64,
    /// What to know without reading the content.
    pub metadata: ConvexObject,
}

impl Artifact {
    fn to_row(&self, name: &str) -> ConvexObject {
        ConvexObject::from([
            ("name".to_owned(), name.into()),
            ("sha256".to_owned(), self.blob.to_string().into()),
            ("size".to_owned(), ConvexValue::Int64(i64::try_from(self.size).unwrap_or(i64::MAX))),
            ("metadata".to_owned(), self.metadata.clone().into()),
        ])
    }

    fn from_row(row: &ConvexObject) -> Result<Self> {
        let parse = || {
            let ConvexValue::Int64(size) = row.get("size")? else { return None };
            Some(Self {
                blob: BlobId::from_hex(row.get("sha256")?.as_str()?)?,
                size: u64::try_from(*size).ok()?,
                metadata: row.get("metadata")?.as_object()?.clone(),
            })
        };
        parse().ok_or_else(|| damaged(&SOURCE_PACKAGES))
    }
}

impl Transaction {
    /// The environment variables of the deployment.
    pub async fn environment_variables(&mut self) -> Result<BTreeMap<String, String>> {
        let rows = self.named_rows(&ENVIRONMENT_VARIABLES, KeyRange::all()).await?;
        rows.iter()
            .map(|row| {
                let text = |field: &str| row.get(field).and_then(ConvexValue::as_str).map(str::to_owned);
                text("name").zip(text("value")).ok_or_else(|| damaged(&ENVIRONMENT_VARIABLES))
            })
            .collect()
    }

    /// Sets (`Some`) and removes (`None`) environment variables.
    pub async fn set_environment_variables(&mut self, changes: &[(String, Option<String>)]) -> Result<()> {
        let mut variables = self.environment_variables().await?;
        for (name, value) in changes {
            check_variable(name, value.as_deref())?;
            match value {
                Some(value) => variables.insert(name.clone(), value.clone()),
                None => variables.remove(name),
            };
            let row = value.as_deref().map(|value| {
                ConvexObject::from([("name".to_owned(), name.as_str().into()), ("value".to_owned(), value.into())])
            });
            self.set_named_row(&ENVIRONMENT_VARIABLES, name, row).await?;
        }
        let (count, total) = (ENV_VAR_LIMIT.get(), ENV_VAR_TOTAL_SIZE_LIMIT.get());
        if variables.len() > count {
            return Err(Error::developer(
                "EnvVarLimitMet",
                format!("There are too many environment variables (limit: {count})."),
            ));
        }
        if variables.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > total {
            return Err(Error::developer(
                "EnvVarTotalSizeLimitMet",
                format!("The environment variables are too large in all (limit: {total} bytes)."),
            ));
        }
        Ok(())
    }

    /// The artifact of a name, such as `modules`. Depends on it: a deploy invalidates.
    pub async fn artifact(&mut self, name: &str) -> Result<Option<Artifact>> {
        let row = self.named_row(&SOURCE_PACKAGES, name).await?;
        row.map(|row| Artifact::from_row(&row.document)).transpose()
    }

    /// All artifacts by name.
    pub async fn artifacts(&mut self) -> Result<BTreeMap<String, Artifact>> {
        let rows = self.named_rows(&SOURCE_PACKAGES, KeyRange::all()).await?;
        rows.iter()
            .map(|row| {
                let name = row.get("name").and_then(ConvexValue::as_str).ok_or_else(|| damaged(&SOURCE_PACKAGES))?;
                Ok((name.to_owned(), Artifact::from_row(row)?))
            })
            .collect()
    }

    /// Sets (`Some`) or removes (`None`) the artifact of a name.
    pub async fn set_artifact(&mut self, name: &str, artifact: Option<&Artifact>) -> Result<()> {
        let row = artifact.map(|artifact| artifact.to_row(name));
        self.set_named_row(&SOURCE_PACKAGES, name, row).await
    }

    pub(super) async fn named_rows(&mut self, table: &SystemTable, range: KeyRange) -> Result<Vec<Arc<ConvexObject>>> {
        let prefetch = convex_wasm_knobs::DEFAULT_QUERY_PREFETCH.get();
        let mut scan = IndexScan::new(table.index(BY_NAME), range, Order::Ascending, prefetch);
        let mut rows = Vec::new();
        while let Some((_, row)) = scan.next(&self.database.reader, self.timestamp(), &self.writes).await? {
            rows.push(row);
        }
        scan.record(&mut self.reads);
        Ok(rows)
    }

    pub(super) async fn named_row(&mut self, table: &SystemTable, name: &str) -> Result<Option<Current>> {
        let mut prefix = Vec::new();
        encode_string_key(name, &mut prefix);
        let Some(row) = self.named_rows(table, with_prefix(prefix)).await?.pop() else { return Ok(None) };
        let id = row.get("_id").and_then(ConvexValue::as_str).and_then(|id| id.parse::<DocumentId>().ok());
        match (id, self.catalog.tablet(table.tablet()).cloned()) {
            (Some(id), Some(table)) => self.read(&table, id.internal).await,
            _ => Err(damaged(table)),
        }
    }

    pub(super) async fn set_named_row(
        &mut self,
        table: &SystemTable,
        name: &str,
        row: Option<ConvexObject>,
    ) -> Result<()> {
        let old = self.named_row(table, name).await?;
        let id = match &old {
            Some(old) => {
                let id = old.document.get("_id").and_then(ConvexValue::as_str);
                id.and_then(|id| id.parse::<DocumentId>().ok()).ok_or_else(|| damaged(table))?.internal
            }
            None if row.is_none() => return Ok(()),
            None => self.new_id(),
        };
        self.put_system(table, id, old, row)
    }
}

fn check_variable(name: &str, value: Option<&str>) -> Result<()> {
    let (max_name, max_value) = (ENV_VAR_NAME_MAX_LENGTH.get(), ENV_VAR_VALUE_MAX_LENGTH.get());
    let mut characters = name.chars();
    let starts_well = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if !starts_well || !characters.all(|next| next.is_ascii_alphanumeric() || next == '_') {
        return Err(Error::developer(
            "EnvironmentVariableNameInvalid",
            format!(
                "\"{name}\" is not a valid name of an environment variable: use letters, digits and underscores, and \
                 no digit at the start."
            ),
        ));
    }
    if name.len() > max_name {
        return Err(Error::developer(
            "EnvironmentVariableNameTooLong",
            format!("The name of an environment variable is too long (limit: {max_name} characters)."),
        ));
    }
    if FORBIDDEN_NAMES.contains(&name) {
        return Err(Error::developer(
            "EnvVarNameForbidden",
            format!("The environment variable \"{name}\" is set by the server and cannot be changed."),
        ));
    }
    if value.is_some_and(|value| value.len() > max_value) {
        return Err(Error::developer(
            "EnvironmentVariableValueTooLarge",
            format!("The value of the environment variable \"{name}\" is too large (limit: {max_value} bytes)."),
        ));
    }
    Ok(())
}

fn damaged(table: &SystemTable) -> Error {
    PersistenceError::Damaged { detail: format!("table {} has a row that does not make sense", table.name) }.into()
}
