//! A deployment's tables and indexes, as `schema.export()` of `convex/server` writes them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::names::check_identifier;
use crate::validator::ParseValidatorError;
use crate::{FieldPath, Validator};

/// Most indexes of all kinds of a table.
pub const MAX_INDEXES_PER_TABLE: usize = 64;
/// Most fields of an index, and most filter fields of a search or vector index.
pub const MAX_INDEX_FIELDS: usize = 16;
/// Fewest and most dimensions of a vector index.
pub const VECTOR_DIMENSIONS: std::ops::RangeInclusive<u32> = 2..=4096;

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Whether writes are checked against the documents' types. Otherwise the types are for TypeScript only.
    pub schema_validation: bool,
    /// The tables by name.
    pub tables: BTreeMap<String, TableDefinition>,
}

/// One table of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDefinition {
    /// Indexes by name.
    pub indexes: BTreeMap<String, IndexDefinition>,
    /// Text search indexes by name.
    pub search_indexes: BTreeMap<String, SearchIndexDefinition>,
    /// Vector indexes by name.
    pub vector_indexes: BTreeMap<String, VectorIndexDefinition>,
    /// The type of the documents, without system fields; [`Validator::Any`] allows every document.
    pub document_type: Validator,
}

/// An index over fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDefinition {
    /// The fields as the developer listed them. Every key goes on with `_creationTime` and the id.
    pub fields: Vec<FieldPath>,
    /// Built, but not to be queried.
    pub staged: bool,
}

/// A text search index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchIndexDefinition {
    /// The field with the text.
    pub search_field: FieldPath,
    /// Fields that a search can be narrowed by.
    pub filter_fields: Vec<FieldPath>,
    /// Built, but not to be queried.
    pub staged: bool,
}

/// A vector index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorIndexDefinition {
    /// The field with the vector.
    pub vector_field: FieldPath,
    /// Length of the vectors.
    pub dimensions: u32,
    /// Fields that a search can be narrowed by.
    pub filter_fields: Vec<FieldPath>,
    /// Built, but not to be queried.
    pub staged: bool,
}

/// Why a schema is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    /// Convex's short code, such as `IndexNotUnique`.
    pub code: &'static str,
    /// What is wrong, with the names of the table and the index.
    pub message: String,
}

impl SchemaError {
    fn new(code: &'static str, message: String) -> Self {
        Self { code, message }
    }

    fn malformed(message: String) -> Self {
        Self::new("InvalidSchemaExport", message)
    }
}

impl From<ParseValidatorError> for SchemaError {
    fn from(error: ParseValidatorError) -> Self {
        Self::malformed(error.to_string())
    }
}

impl Schema {
    /// The schema of a deployment that has none: every document is allowed in every table.
    pub fn empty() -> Self {
        Self { schema_validation: false, tables: BTreeMap::new() }
    }

    /// Reads and checks what `schema.export()` writes.
    pub fn from_json(json: &Json) -> Result<Self, SchemaError> {
        let mut tables = BTreeMap::new();
        for table in list(json, "tables")? {
            let name = text(table, "tableName")?;
            check_table_name(name)?;
            if tables.insert(name.to_owned(), TableDefinition::from_json(name, table)?).is_some() {
                return Err(SchemaError::new(
                    "TableNamesNotUnique",
                    format!("Table \"{name}\" is defined more than once in the schema."),
                ));
            }
        }
        let schema_validation = json.get("schemaValidation").and_then(Json::as_bool).unwrap_or(true);
        Ok(Self { schema_validation, tables })
    }

    /// Writes the JSON that [`Schema::from_json`] reads.
    pub fn to_json(&self) -> Json {
        let tables: Vec<Json> = self.tables.iter().map(|(name, table)| table.to_json(name)).collect();
        json!({"schemaValidation": self.schema_validation, "tables": tables})
    }

    /// The type that documents of a table must have, or `None` if every document is allowed.
    pub fn enforced_type(&self, table: &str) -> Option<&Validator> {
        let document_type = &self.tables.get(table).filter(|_| self.schema_validation)?.document_type;
        (*document_type != Validator::Any).then_some(document_type)
    }
}

fn check_table_name(name: &str) -> Result<(), SchemaError> {
    check_identifier(name).map_err(|error| SchemaError::new("InvalidTableName", error))?;
    if name.starts_with('_') {
        return Err(SchemaError::new(
            "TableNameReserved",
            format!("Table name \"{name}\" is reserved: names that start with an underscore belong to the system."),
        ));
    }
    Ok(())
}

impl TableDefinition {
    fn from_json(table: &str, json: &Json) -> Result<Self, SchemaError> {
        let mut names = IndexNames { table, seen: BTreeSet::new() };
        let mut definition = Self {
            indexes: BTreeMap::new(),
            search_indexes: BTreeMap::new(),
            vector_indexes: BTreeMap::new(),
            document_type: Validator::from_json(json.get("documentType").unwrap_or(&Json::Null))?,
        };
        check_document_type(table, &definition.document_type)?;
        for (key, staged) in [("indexes", false), ("stagedDbIndexes", true)] {
            for index in list(json, key)? {
                let name = names.add(index)?;
                let fields = index_fields(&names.describe(name), index)?;
                if let Some((other, _)) = definition.indexes.iter().find(|(_, other)| other.fields == fields) {
                    return Err(SchemaError::new(
                        "IndexNotUnique",
                        format!("Indexes \"{other}\" and \"{name}\" of table \"{table}\" have the same fields."),
                    ));
                }
                definition.indexes.insert(name.to_owned(), IndexDefinition { fields, staged });
            }
        }
        for (key, staged) in [("searchIndexes", false), ("stagedSearchIndexes", true)] {
            for index in list(json, key)? {
                let name = names.add(index)?;
                let search_field = field_path(text(index, "searchField")?)?;
                let filter_fields = filter_fields(&names.describe(name), index)?;
                let search = SearchIndexDefinition { search_field, filter_fields, staged };
                definition.search_indexes.insert(name.to_owned(), search);
            }
        }
        for (key, staged) in [("vectorIndexes", false), ("stagedVectorIndexes", true)] {
            for index in list(json, key)? {
                let name = names.add(index)?;
                let described = names.describe(name);
                let vector = VectorIndexDefinition {
                    vector_field: field_path(text(index, "vectorField")?)?,
                    dimensions: dimensions(&described, index)?,
                    filter_fields: filter_fields(&described, index)?,
                    staged,
                };
                definition.vector_indexes.insert(name.to_owned(), vector);
            }
        }
        Ok(definition)
    }

    fn to_json(&self, name: &str) -> Json {
        let indexes = |staged: bool| -> Vec<Json> {
            self.indexes
                .iter()
                .filter(|(_, index)| index.staged == staged)
                .map(|(name, index)| json!({"indexDescriptor": name, "fields": paths(&index.fields)}))
                .collect()
        };
        let search_indexes = |staged: bool| -> Vec<Json> {
            self.search_indexes
                .iter()
                .filter(|(_, index)| index.staged == staged)
                .map(|(name, index)| {
                    json!({
                        "indexDescriptor": name,
                        "searchField": index.search_field.as_str(),
                        "filterFields": paths(&index.filter_fields),
                    })
                })
                .collect()
        };
        let vector_indexes = |staged: bool| -> Vec<Json> {
            self.vector_indexes
                .iter()
                .filter(|(_, index)| index.staged == staged)
                .map(|(name, index)| {
                    json!({
                        "indexDescriptor": name,
                        "vectorField": index.vector_field.as_str(),
                        "dimensions": index.dimensions,
                        "filterFields": paths(&index.filter_fields),
                    })
                })
                .collect()
        };
        json!({
            "tableName": name,
            "indexes": indexes(false),
            "stagedDbIndexes": indexes(true),
            "searchIndexes": search_indexes(false),
            "stagedSearchIndexes": search_indexes(true),
            "vectorIndexes": vector_indexes(false),
            "stagedVectorIndexes": vector_indexes(true),
            "documentType": self.document_type.to_json(),
        })
    }
}

/// The names of all kinds of indexes of one table, which must differ.
struct IndexNames<'a> {
    table: &'a str,
    seen: BTreeSet<&'a str>,
}

impl<'a> IndexNames<'a> {
    fn add(&mut self, index: &'a Json) -> Result<&'a str, SchemaError> {
        let name = text(index, "indexDescriptor")?;
        let described = self.describe(name);
        check_identifier(name)
            .map_err(|error| SchemaError::new("InvalidIndexName", format!("{described}: {error}")))?;
        if name.starts_with('_') || matches!(name, "by_id" | "by_creation_time") {
            return Err(SchemaError::new("IndexNameReserved", format!("{described} has a reserved name.")));
        }
        if !self.seen.insert(name) {
            return Err(SchemaError::new("IndexNamesNotUnique", format!("{described} is defined more than once.")));
        }
        if self.seen.len() > MAX_INDEXES_PER_TABLE {
            return Err(SchemaError::new(
                "TooManyIndexes",
                format!("Table \"{}\" has more than {MAX_INDEXES_PER_TABLE} indexes.", self.table),
            ));
        }
        Ok(name)
    }

    fn describe(&self, name: &str) -> String {
        format!("Index \"{name}\" of table \"{}\"", self.table)
    }
}

fn index_fields(described: &str, index: &Json) -> Result<Vec<FieldPath>, SchemaError> {
    let fields = field_paths(index, "fields")?;
    let error = |code, problem: &str| Err(SchemaError::new(code, format!("{described} {problem}")));
    if fields.is_empty() {
        return error("EmptyIndex", "has no fields.");
    }
    if fields.len() > MAX_INDEX_FIELDS {
        return error("IndexTooManyFields", &format!("has more than {MAX_INDEX_FIELDS} fields."));
    }
    for (position, field) in fields.iter().enumerate() {
        match field.as_str() {
            "_id" => return error("IndexFieldsContainId", "lists `_id`, which is part of every index."),
            "_creationTime" => {
                return error(
                    "IndexFieldsContainCreationTime",
                    "lists `_creationTime`, which is added to every index automatically.",
                );
            }
            name if fields[..position].contains(field) => {
                return error("FieldsNotUniqueWithinIndex", &format!("lists the field `{name}` twice."));
            }
            _ => {}
        }
    }
    Ok(fields)
}

fn filter_fields(described: &str, index: &Json) -> Result<Vec<FieldPath>, SchemaError> {
    let fields = field_paths(index, "filterFields")?;
    if fields.len() > MAX_INDEX_FIELDS {
        return Err(SchemaError::new(
            "IndexTooManyFilterFields",
            format!("{described} has more than {MAX_INDEX_FIELDS} filter fields."),
        ));
    }
    Ok(fields)
}

fn dimensions(described: &str, index: &Json) -> Result<u32, SchemaError> {
    // The CLI may write the number as a float.
    index
        .get("dimensions")
        .and_then(Json::as_f64)
        .filter(|number| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number))
        .map(|number| number as u32)
        .filter(|number| VECTOR_DIMENSIONS.contains(number))
        .ok_or_else(|| {
            SchemaError::new(
                "InvalidVectorDimensionError",
                format!(
                    "{described} must have between {} and {} dimensions.",
                    VECTOR_DIMENSIONS.start(),
                    VECTOR_DIMENSIONS.end()
                ),
            )
        })
}

fn check_document_type(table: &str, document_type: &Validator) -> Result<(), SchemaError> {
    let fine = match document_type {
        Validator::Any | Validator::Object(_) => true,
        Validator::Union(members) => {
            return members.iter().try_for_each(|member| check_document_type(table, member));
        }
        _ => false,
    };
    if !fine {
        return Err(SchemaError::new(
            "InvalidTopLevelTypeInSchemaError",
            format!("Documents of table \"{table}\" must be objects or unions of objects, not {document_type}."),
        ));
    }
    Ok(())
}

fn list<'a>(json: &'a Json, key: &str) -> Result<&'a [Json], SchemaError> {
    match json.get(key) {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(items)) => Ok(items),
        Some(_) => Err(SchemaError::malformed(format!("\"{key}\" of a schema must be an array."))),
    }
}

fn text<'a>(json: &'a Json, key: &str) -> Result<&'a str, SchemaError> {
    json.get(key)
        .and_then(Json::as_str)
        .ok_or_else(|| SchemaError::malformed(format!("A schema needs the text \"{key}\" here: {json}")))
}

fn field_path(path: &str) -> Result<FieldPath, SchemaError> {
    FieldPath::parse(path).map_err(|error| SchemaError::new("InvalidFieldPath", format!("Field \"{path}\": {error}")))
}

fn field_paths(json: &Json, key: &str) -> Result<Vec<FieldPath>, SchemaError> {
    list(json, key)?
        .iter()
        .map(|field| {
            field_path(
                field.as_str().ok_or_else(|| SchemaError::malformed(format!("\"{key}\" must list texts: {json}")))?,
            )
        })
        .collect()
}

fn paths(fields: &[FieldPath]) -> Vec<&str> {
    fields.iter().map(FieldPath::as_str).collect()
}
