//! Filter expressions.

use std::borrow::Cow;
use std::cmp::Ordering;

use convex_wasm_values::{ConvexObject, ConvexValue, FieldPath, decode_optional};
use serde_json::Value as Json;

use crate::{Error, Result};

/// Most levels of an expression.
const MAX_DEPTH: usize = 64;

/// An expression over a document. Its value is a Convex value or `undefined`.
#[derive(Clone, Debug)]
pub enum Expression {
    /// The value at a path.
    Field(FieldPath),
    /// A constant.
    Literal(Option<ConvexValue>),
    /// A comparison by the total order.
    Compare(Comparison, Box<(Expression, Expression)>),
    /// Arithmetic on two integers or two floats.
    Arithmetic(Arithmetic, Box<(Expression, Expression)>),
    /// The negative of a number.
    Negate(Box<Expression>),
    /// Whether all are true; stops at the first that is not.
    And(Vec<Expression>),
    /// Whether any is true; stops at the first that is.
    Or(Vec<Expression>),
    /// The opposite of a boolean.
    Not(Box<Expression>),
}

/// Kinds of comparisons.
#[derive(Clone, Copy, Debug)]
pub enum Comparison {
    /// `==`
    Eq,
    /// `!=`
    Neq,
    /// `<`
    Lt,
    /// `<=`
    Lte,
    /// `>`
    Gt,
    /// `>=`
    Gte,
}

/// Kinds of arithmetic.
#[derive(Clone, Copy, Debug)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
}

/// A value that may be borrowed from the document or the expression; `None` is `undefined`.
type Evaluated<'a> = Option<Cow<'a, ConvexValue>>;

impl Expression {
    /// Reads an expression.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::parse(json, 0)
    }

    fn parse(json: &Json, depth: usize) -> Result<Self> {
        let invalid = || Error::developer("InvalidFilter", format!("Invalid filter expression: {json}"));
        if depth == MAX_DEPTH {
            return Err(Error::developer("InvalidFilter", "A filter expression is nested too deeply."));
        }
        let Some((operator, operand)) =
            json.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.iter().next())
        else {
            return Err(invalid());
        };
        let one = || Self::parse(operand, depth + 1).map(Box::new);
        let two = || match operand.as_array().map(Vec::as_slice) {
            Some([left, right]) => Ok(Box::new((Self::parse(left, depth + 1)?, Self::parse(right, depth + 1)?))),
            _ => Err(invalid()),
        };
        let many = || -> Result<Vec<Self>> {
            operand.as_array().ok_or_else(invalid)?.iter().map(|json| Self::parse(json, depth + 1)).collect()
        };
        Ok(match operator.as_str() {
            "$field" => {
                let path = operand.as_str().ok_or_else(invalid)?;
                Self::Field(FieldPath::parse(path).map_err(|error| Error::developer("InvalidFilter", error))?)
            }
            "$literal" => Self::Literal(decode_optional(operand)?),
            "$eq" => Self::Compare(Comparison::Eq, two()?),
            "$neq" => Self::Compare(Comparison::Neq, two()?),
            "$lt" => Self::Compare(Comparison::Lt, two()?),
            "$lte" => Self::Compare(Comparison::Lte, two()?),
            "$gt" => Self::Compare(Comparison::Gt, two()?),
            "$gte" => Self::Compare(Comparison::Gte, two()?),
            "$add" => Self::Arithmetic(Arithmetic::Add, two()?),
            "$sub" => Self::Arithmetic(Arithmetic::Sub, two()?),
            "$mul" => Self::Arithmetic(Arithmetic::Mul, two()?),
            "$div" => Self::Arithmetic(Arithmetic::Div, two()?),
            "$mod" => Self::Arithmetic(Arithmetic::Mod, two()?),
            "$neg" => Self::Negate(one()?),
            "$and" => Self::And(many()?),
            "$or" => Self::Or(many()?),
            "$not" => Self::Not(one()?),
            _ => return Err(invalid()),
        })
    }

    /// Whether the expression is `true` for a document.
    pub fn matches(&self, document: &ConvexObject) -> Result<bool> {
        Ok(matches!(self.evaluate(document)?.as_deref(), Some(ConvexValue::Boolean(true))))
    }

    fn evaluate<'a>(&'a self, document: &'a ConvexObject) -> Result<Evaluated<'a>> {
        let boolean = |value: bool| Ok(Some(Cow::Owned(ConvexValue::Boolean(value))));
        match self {
            Self::Field(path) => Ok(path.get(document).map(Cow::Borrowed)),
            Self::Literal(value) => Ok(value.as_ref().map(Cow::Borrowed)),
            Self::Compare(comparison, operands) => {
                // `None` orders first, as `undefined` does.
                let order = operands.0.evaluate(document)?.cmp(&operands.1.evaluate(document)?);
                boolean(comparison.holds(order))
            }
            Self::Arithmetic(arithmetic, operands) => {
                let left = operands.0.evaluate(document)?;
                let right = operands.1.evaluate(document)?;
                arithmetic.apply(left.as_deref(), right.as_deref()).map(|value| Some(Cow::Owned(value)))
            }
            Self::Negate(operand) => match operand.evaluate(document)?.as_deref() {
                Some(ConvexValue::Int64(number)) => {
                    let negative = number.checked_neg().ok_or_else(overflow)?;
                    Ok(Some(Cow::Owned(ConvexValue::Int64(negative))))
                }
                Some(ConvexValue::Float64(number)) => Ok(Some(Cow::Owned(ConvexValue::Float64(-number)))),
                other => Err(eval_error(format!("Cannot negate {}.", show(other)))),
            },
            Self::And(operands) => {
                for operand in operands {
                    if !operand.evaluate_boolean(document)? {
                        return boolean(false);
                    }
                }
                boolean(true)
            }
            Self::Or(operands) => {
                for operand in operands {
                    if operand.evaluate_boolean(document)? {
                        return boolean(true);
                    }
                }
                boolean(false)
            }
            Self::Not(operand) => boolean(!operand.evaluate_boolean(document)?),
        }
    }

    fn evaluate_boolean(&self, document: &ConvexObject) -> Result<bool> {
        match self.evaluate(document)?.as_deref() {
            Some(ConvexValue::Boolean(value)) => Ok(*value),
            other => Err(eval_error(format!("Expected a boolean in a filter, got {}.", show(other)))),
        }
    }
}

impl Comparison {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Eq => order.is_eq(),
            Self::Neq => order.is_ne(),
            Self::Lt => order.is_lt(),
            Self::Lte => order.is_le(),
            Self::Gt => order.is_gt(),
            Self::Gte => order.is_ge(),
        }
    }
}

impl Arithmetic {
    fn apply(self, left: Option<&ConvexValue>, right: Option<&ConvexValue>) -> Result<ConvexValue> {
        match (left, right) {
            (Some(ConvexValue::Int64(left)), Some(ConvexValue::Int64(right))) => {
                let result = match self {
                    Self::Add => left.checked_add(*right),
                    Self::Sub => left.checked_sub(*right),
                    Self::Mul => left.checked_mul(*right),
                    Self::Div => left.checked_div(*right),
                    Self::Mod => left.checked_rem(*right),
                };
                result.map(ConvexValue::Int64).ok_or_else(overflow)
            }
            (Some(ConvexValue::Float64(left)), Some(ConvexValue::Float64(right))) => {
                Ok(ConvexValue::Float64(match self {
                    Self::Add => left + right,
                    Self::Sub => left - right,
                    Self::Mul => left * right,
                    Self::Div => left / right,
                    Self::Mod => left % right,
                }))
            }
            _ => Err(eval_error(format!(
                "Arithmetic in a filter needs two numbers of the same type, got {} and {}.",
                show(left),
                show(right)
            ))),
        }
    }
}

fn show(value: Option<&ConvexValue>) -> String {
    value.map_or_else(|| "undefined".to_owned(), ConvexValue::to_string)
}

fn overflow() -> Error {
    eval_error("Integer arithmetic in a filter overflowed or divided by zero.".to_owned())
}

fn eval_error(message: String) -> Error {
    Error::developer("EvalError", message)
}
