//! The types that functions and schemas declare, and checking a value against one.

use serde_json::{Value as Json, json};

use crate::names::{check_field_name, check_identifier};
use crate::value::MAX_VALUE_NESTING;
use crate::{ConvexObject, ConvexValue, DocumentId, JsonFormat, TableNumber};

/// How every function handle starts.
const FUNCTION_HANDLE: &str = "function://";

/// A type, as `v.…` of `convex/values` builds and exports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validator {
    /// `v.any()`
    Any,
    /// `v.null()`
    Null,
    /// `v.int64()`
    Int64,
    /// `v.commitTs()`: an int64, or the placeholder for one.
    CommitTs,
    /// `v.function()`: a function handle. The function's type, as JSON, is for TypeScript only.
    Function(Json),
    /// `v.float64()`
    Float64,
    /// `v.boolean()`
    Boolean,
    /// `v.string()`
    String,
    /// `v.bytes()`
    Bytes,
    /// `v.literal(value)`
    Literal(ConvexValue),
    /// `v.id(table)`
    Id(String),
    /// `v.array(element)`
    Array(Box<Validator>),
    /// `v.record(keys, values)`
    Record(Box<Validator>, Box<Validator>),
    /// `v.union(…members)`; without members nothing matches.
    Union(Vec<Validator>),
    /// `v.object({…})`: these fields and no others, in the order they were declared.
    Object(Vec<FieldValidator>),
}

/// The type of one field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldValidator {
    /// The field's name.
    pub name: String,
    /// The type of its value.
    pub validator: Validator,
    /// Whether the field may be missing (`v.optional`).
    pub optional: bool,
}

/// Resolves the table number in an id to the name of a table.
pub trait TableMapping {
    /// The table with this number, or `None` if there is none.
    fn table_name(&self, number: TableNumber) -> Option<&str>;
}

/// A value does not match a validator. The text is what Convex shows, with lines for path, value and validator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValidationError {
    /// A field that is not optional is missing.
    #[error(
        "Object is missing the required field `{field}`. Consider wrapping the field validator in `v.optional(...)` \
         if this is expected.\n\n{path}Object: {object}\nValidator: {validator}"
    )]
    MissingField {
        /// The field.
        field: String,
        /// A `Path: …` line, or nothing for the value itself.
        path: PathLine,
        /// The object as text.
        object: String,
        /// The validator as text.
        validator: String,
    },
    /// A field that the validator does not have.
    #[error(
        "Object contains extra field `{field}` that is not in the validator.\n\n{path}Object: {object}\nValidator: \
         {validator}"
    )]
    ExtraField {
        /// The field.
        field: String,
        /// A `Path: …` line, or nothing for the value itself.
        path: PathLine,
        /// The object as text.
        object: String,
        /// The validator as text.
        validator: String,
    },
    /// A value of another type.
    #[error("Value does not match validator.\n{path}Value: {value}\nValidator: {validator}")]
    Mismatch {
        /// A `Path: …` line, or nothing for the value itself.
        path: PathLine,
        /// The value as text.
        value: String,
        /// The validator as text.
        validator: String,
    },
    /// Another value than the literal.
    #[error("Value is not the expected literal.\n{path}Value: {value}\nValidator: {validator}")]
    Literal {
        /// A `Path: …` line, or nothing for the value itself.
        path: PathLine,
        /// The value as text.
        value: String,
        /// The validator as text.
        validator: String,
    },
    /// The id of a document of another table.
    #[error(
        "Found ID \"{id}\" from table `{found}`, which does not match the table name in validator `{validator}`.{path}"
    )]
    WrongTable {
        /// The id.
        id: String,
        /// The table of the id.
        found: String,
        /// A `Path: …` line after a line break, or nothing for the value itself.
        path: PathTail,
        /// The validator as text.
        validator: String,
    },
    /// The id of a document of a system table.
    #[error(
        "Found ID \"{id}\" from a system table, which does not match the table name in validator `{validator}`.{path}"
    )]
    SystemTable {
        /// The id.
        id: String,
        /// A `Path: …` line after a line break, or nothing for the value itself.
        path: PathTail,
        /// The validator as text.
        validator: String,
    },
}

/// A path printed as a line of its own, or nothing if it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathLine(String);

/// A path printed as a last line, or nothing if it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTail(String);

impl std::fmt::Display for PathLine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { writeln!(formatter, "Path: {}", self.0) }
    }
}

impl std::fmt::Display for PathTail {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(formatter, "\nPath: {}", self.0) }
    }
}

/// JSON that is not a validator; the text says where and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Invalid validator JSON: {0}")]
pub struct ParseValidatorError(pub String);

impl Validator {
    /// Reads what `exportArgs()`, `exportReturns()` and `schema.export()` write. `null` is [`Validator::Any`].
    pub fn from_json(json: &Json) -> Result<Self, ParseValidatorError> {
        Self::parse(json, 0)
    }

    fn parse(json: &Json, depth: usize) -> Result<Self, ParseValidatorError> {
        let fail = |message: String| Err(ParseValidatorError(message));
        if json.is_null() {
            return Ok(Self::Any);
        }
        // A validator deeper than any value is of no use, and recursion has to end.
        if depth > MAX_VALUE_NESTING {
            return fail(format!("nested more than {MAX_VALUE_NESTING} levels deep"));
        }
        let Some(kind) = json.get("type").and_then(Json::as_str) else {
            return fail(format!("expected an object with a \"type\", got {json}"));
        };
        let part = |key: &str| {
            json.get(key).ok_or_else(|| ParseValidatorError(format!("\"{kind}\" needs the field \"{key}\"")))
        };
        let inner = |json: &Json| Self::parse(json, depth + 1).map(Box::new);
        Ok(match kind {
            "any" => Self::Any,
            "null" => Self::Null,
            "bigint" => Self::Int64,
            "commitTs" => Self::CommitTs,
            "function" => Self::Function(json.clone()),
            "number" => Self::Float64,
            "boolean" => Self::Boolean,
            "string" => Self::String,
            "bytes" => Self::Bytes,
            "literal" => match ConvexValue::from_json(part("value")?) {
                Ok(value) => Self::Literal(value),
                Err(error) => return fail(format!("\"literal\": {error}")),
            },
            "id" => match part("tableName")?.as_str().map(|name| (name, check_identifier(name))) {
                Some((name, Ok(()))) => Self::Id(name.to_owned()),
                Some((_, Err(error))) => return fail(format!("\"id\": {error}")),
                None => return fail("\"id\" needs a string \"tableName\"".to_owned()),
            },
            "array" => Self::Array(inner(part("value")?)?),
            "record" => {
                let values = part("values")?;
                if values.get("optional").and_then(Json::as_bool).unwrap_or(false) {
                    return fail("the values of a \"record\" cannot be optional".to_owned());
                }
                let Some(values) = values.get("fieldType") else {
                    return fail("the values of a \"record\" need a \"fieldType\"".to_owned());
                };
                Self::Record(inner(part("keys")?)?, inner(values)?)
            }
            "union" => match part("value")?.as_array() {
                Some(members) => {
                    Self::Union(members.iter().map(|json| Self::parse(json, depth + 1)).collect::<Result<_, _>>()?)
                }
                None => return fail("the \"value\" of a \"union\" must be an array".to_owned()),
            },
            "object" => match part("value")?.as_object() {
                Some(fields) => Self::Object(
                    fields
                        .iter()
                        .map(|(name, field)| FieldValidator::parse(name, field, depth))
                        .collect::<Result<_, _>>()?,
                ),
                None => return fail("the \"value\" of an \"object\" must be an object".to_owned()),
            },
            other => return fail(format!("unknown type \"{other}\"")),
        })
    }

    /// Writes the JSON that [`Validator::from_json`] reads.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Any => json!({"type": "any"}),
            Self::Null => json!({"type": "null"}),
            Self::Int64 => json!({"type": "bigint"}),
            Self::CommitTs => json!({"type": "commitTs"}),
            Self::Function(json) => json.clone(),
            Self::Float64 => json!({"type": "number"}),
            Self::Boolean => json!({"type": "boolean"}),
            Self::String => json!({"type": "string"}),
            Self::Bytes => json!({"type": "bytes"}),
            Self::Literal(value) => json!({"type": "literal", "value": value.to_json(JsonFormat::Encoded)}),
            Self::Id(table) => json!({"type": "id", "tableName": table}),
            Self::Array(element) => json!({"type": "array", "value": element.to_json()}),
            Self::Record(keys, values) => json!({
                "type": "record",
                "keys": keys.to_json(),
                "values": {"fieldType": values.to_json(), "optional": false},
            }),
            Self::Union(members) => {
                json!({"type": "union", "value": members.iter().map(Self::to_json).collect::<Vec<_>>()})
            }
            Self::Object(fields) => {
                let fields: serde_json::Map<String, Json> = fields
                    .iter()
                    .map(|field| {
                        let json = json!({"fieldType": field.validator.to_json(), "optional": field.optional});
                        (field.name.clone(), json)
                    })
                    .collect();
                json!({"type": "object", "value": fields})
            }
        }
    }

    /// Checks a value.
    pub fn check(&self, value: &ConvexValue, tables: &dyn TableMapping) -> Result<(), ValidationError> {
        self.check_at(value, tables, &mut String::new())
    }

    /// Checks an object, a document say, without wrapping it in a value.
    pub fn check_object(&self, object: &ConvexObject, tables: &dyn TableMapping) -> Result<(), ValidationError> {
        match self {
            Self::Object(fields) => check_fields(fields, object, tables, &mut String::new()),
            _ => self.check(&ConvexValue::Object(object.clone()), tables),
        }
    }

    /// Checks a value at a path. The path is extended on the way down and restored on the way up.
    fn check_at(
        &self,
        value: &ConvexValue,
        tables: &dyn TableMapping,
        path: &mut String,
    ) -> Result<(), ValidationError> {
        match (self, value) {
            (Self::Any, _)
            | (Self::Null, ConvexValue::Null)
            | (Self::Int64, ConvexValue::Int64(_))
            | (Self::CommitTs, ConvexValue::Int64(_) | ConvexValue::CommitTs)
            | (Self::Float64, ConvexValue::Float64(_))
            | (Self::Boolean, ConvexValue::Boolean(_))
            | (Self::String, ConvexValue::String(_))
            | (Self::Bytes, ConvexValue::Bytes(_)) => Ok(()),
            (Self::Function(_), ConvexValue::String(text)) if text.starts_with(FUNCTION_HANDLE) => Ok(()),
            (Self::Literal(expected), _) if is_same_literal(expected, value) => Ok(()),
            (Self::Literal(_), _) => Err(ValidationError::Literal {
                path: PathLine(path.clone()),
                value: value.to_string(),
                validator: self.to_string(),
            }),
            (Self::Id(table), ConvexValue::String(id)) => self.check_id(table, id, tables, path),
            (Self::Array(element), ConvexValue::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    within(path, &format!("[{index}]"), |path| element.check_at(item, tables, path))?;
                }
                Ok(())
            }
            (Self::Record(keys, values), ConvexValue::Object(fields)) => {
                for (name, field) in fields {
                    within(path, &format!(".{name}"), |path| {
                        keys.check_at(&ConvexValue::from(name.as_str()), tables, path)?;
                        values.check_at(field, tables, path)
                    })?;
                }
                Ok(())
            }
            (Self::Union(members), _)
                if members.iter().any(|member| member.check_at(value, tables, &mut path.clone()).is_ok()) =>
            {
                Ok(())
            }
            (Self::Object(fields), ConvexValue::Object(object)) => check_fields(fields, object, tables, path),
            _ => Err(self.mismatch(value, path)),
        }
    }

    fn check_id(&self, table: &str, id: &str, tables: &dyn TableMapping, path: &str) -> Result<(), ValidationError> {
        let Ok(parsed) = id.parse::<DocumentId>() else {
            return Err(self.mismatch(&ConvexValue::from(id), path));
        };
        match tables.table_name(parsed.table) {
            Some(found) if found == table => Ok(()),
            Some(found) if found.starts_with('_') => Err(ValidationError::SystemTable {
                id: id.to_owned(),
                path: PathTail(path.to_owned()),
                validator: self.to_string(),
            }),
            Some(found) => Err(ValidationError::WrongTable {
                id: id.to_owned(),
                found: found.to_owned(),
                path: PathTail(path.to_owned()),
                validator: self.to_string(),
            }),
            None => Err(self.mismatch(&ConvexValue::from(id), path)),
        }
    }

    fn mismatch(&self, value: &ConvexValue, path: &str) -> ValidationError {
        ValidationError::Mismatch {
            path: PathLine(path.to_owned()),
            value: value.to_string(),
            validator: self.to_string(),
        }
    }
}

impl FieldValidator {
    fn parse(name: &str, json: &Json, depth: usize) -> Result<Self, ParseValidatorError> {
        check_field_name(name).map_err(ParseValidatorError)?;
        let Some(field_type) = json.get("fieldType") else {
            return Err(ParseValidatorError(format!("the field \"{name}\" needs a \"fieldType\"")));
        };
        Ok(Self {
            name: name.to_owned(),
            validator: Validator::parse(field_type, depth + 1)?,
            optional: json.get("optional").and_then(Json::as_bool).unwrap_or(false),
        })
    }
}

fn check_fields(
    fields: &[FieldValidator],
    object: &ConvexObject,
    tables: &dyn TableMapping,
    path: &mut String,
) -> Result<(), ValidationError> {
    for field in fields {
        match object.get(&field.name) {
            Some(value) => {
                within(path, &format!(".{}", field.name), |path| field.validator.check_at(value, tables, path))?;
            }
            None if field.optional => {}
            None => {
                return Err(ValidationError::MissingField {
                    field: field.name.clone(),
                    path: PathLine(path.clone()),
                    object: ConvexValue::Object(object.clone()).to_string(),
                    validator: Validator::Object(fields.to_vec()).to_string(),
                });
            }
        }
    }
    match object.keys().find(|name| fields.iter().all(|field| field.name != **name)) {
        None => Ok(()),
        Some(extra) => Err(ValidationError::ExtraField {
            field: extra.clone(),
            path: PathLine(path.clone()),
            object: ConvexValue::Object(object.clone()).to_string(),
            validator: Validator::Object(fields.to_vec()).to_string(),
        }),
    }
}

/// Runs `check` with the path extended by one part.
fn within<T>(path: &mut String, part: &str, check: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    path.push_str(part);
    let result = check(path);
    path.truncate(length);
    result
}

/// JavaScript's `===`: unlike in the total order, zeros are equal.
fn is_same_literal(expected: &ConvexValue, value: &ConvexValue) -> bool {
    match (expected, value) {
        (ConvexValue::Float64(expected), ConvexValue::Float64(value)) => expected == value,
        _ => expected == value,
    }
}
