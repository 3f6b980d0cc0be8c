//! A schema as a JSON value → its rules.

use std::fmt;

use super::{Choice, Limits, Rules, Schema, Types};
use crate::json::{Document, Value, parse};

/// Keywords that say something about a schema and ask nothing of a value (JSON Schema Validation §9).
const ANNOTATIONS: [&str; 8] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
];

/// The types of a value, each in its place in the set of [`Types`].
const TYPES: [&str; 7] = [
    "null", "boolean", "number", "integer", "string", "array", "object",
];

/// The place of the type that numbers may have besides their own.
pub(super) const INTEGER: usize = 3;

/// Why a schema was refused: where in it, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// JSON Pointer to the keyword.
    pub pointer: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.reason)
    }
}

impl std::error::Error for CompileError {}

/// A schema that is still to be compiled: its place in the list of rules, its pointer, and itself.
struct Task<'d> {
    at: usize,
    pointer: String,
    schema: Value<'d>,
}

/// The schemas found so far, and the places promised to them.
struct Tasks<'d> {
    open: Vec<Task<'d>>,
    promised: usize,
}

impl<'d> Tasks<'d> {
    fn add(&mut self, pointer: String, schema: Value<'d>) -> usize {
        let at = self.promised;
        self.promised += 1;
        self.open.push(Task {
            at,
            pointer,
            schema,
        });
        at
    }
}

impl Schema {
    /// Compiles `schema`, an object or a boolean.
    ///
    /// # Errors
    /// A keyword that is not known, or one whose value is not what the keyword takes.
    pub fn compile(schema: Value<'_>) -> Result<Self, CompileError> {
        let mut tasks = Tasks {
            open: Vec::new(),
            promised: 0,
        };
        tasks.add(String::new(), schema);
        let mut rules: Vec<(usize, Rules)> = Vec::new();
        while let Some(task) = tasks.open.pop() {
            rules.push((task.at, Rules::compile(&task, &mut tasks)?));
        }
        rules.sort_by_key(|(at, _)| *at);
        Ok(Self {
            rules: rules.into_iter().map(|(_, rules)| rules).collect(),
        })
    }
}

impl Rules {
    fn compile<'d>(task: &Task<'d>, tasks: &mut Tasks<'d>) -> Result<Self, CompileError> {
        let mut rules = Self::default();
        let members = match task.schema {
            Value::Bool(is_any) => {
                if !is_any {
                    rules.types.set = 0;
                }
                return Ok(rules);
            }
            Value::Object(object) => object,
            _ => return Err(error(&task.pointer, "expected an object or a boolean")),
        };
        for (keyword, value) in members {
            let at = format!("{}/{}", task.pointer, pointer_part(keyword));
            match keyword {
                "type" => rules.types = types(&at, value)?,
                "properties" => {
                    let members = value
                        .as_object()
                        .ok_or_else(|| error(&at, "expected an object"))?;
                    for (name, schema) in members {
                        let place = tasks.add(format!("{at}/{}", pointer_part(name)), schema);
                        rules.properties.push((name.to_owned(), place));
                    }
                }
                "additionalProperties" => rules.additional = Some(tasks.add(at, value)),
                "items" => rules.items = Some(tasks.add(at, value)),
                "required" => rules.required = strings(&at, value)?,
                "enum" => rules.limits().one_of = Some(Choice::of(&at, value)?),
                "const" => rules.limits().constant = Some(Choice::only(value)),
                "minimum" => rules.limits().minimum = Some(number(&at, value)?),
                "maximum" => rules.limits().maximum = Some(number(&at, value)?),
                "minLength" => rules.limits().min_length = Some(length(&at, value)?),
                "maxLength" => rules.limits().max_length = Some(length(&at, value)?),
                _ if ANNOTATIONS.contains(&keyword) => {}
                _ => return Err(error(&at, "unknown keyword")),
            }
        }
        Ok(rules)
    }

    fn limits(&mut self) -> &mut Limits {
        self.limits.get_or_insert_default()
    }
}

fn error(pointer: &str, reason: &str) -> CompileError {
    CompileError {
        pointer: pointer.to_owned(),
        reason: reason.to_owned(),
    }
}

/// A name as a reference token of a JSON Pointer (RFC 6901 §3).
pub(super) fn pointer_part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn types(at: &str, value: Value<'_>) -> Result<Types, CompileError> {
    let names = match value {
        Value::String(name) => vec![name.to_owned()],
        _ => strings(at, value)?,
    };
    let known = names
        .iter()
        .map(|name| TYPES.iter().position(|known| known == name))
        .collect::<Option<Vec<_>>>();
    match known {
        Some(places) if !places.is_empty() => Ok(Types {
            set: places.iter().fold(0, |set, place| set | 1 << place),
            text: names.join(" or "),
        }),
        _ => Err(error(at, "expected types of JSON Schema")),
    }
}

fn strings(at: &str, value: Value<'_>) -> Result<Vec<String>, CompileError> {
    let elements = value.as_array().into_iter().flatten();
    let strings = elements
        .map(|element| element.as_str().map(str::to_owned))
        .collect::<Option<Vec<_>>>();
    match strings {
        Some(strings) if value.as_array().is_some() => Ok(strings),
        _ => Err(error(at, "expected an array of strings")),
    }
}

fn number(at: &str, value: Value<'_>) -> Result<Document, CompileError> {
    value
        .as_number()
        .map(|_| copy(value))
        .ok_or_else(|| error(at, "expected a number"))
}

/// A count may be spelled `2.0` or `2e0`; one past the range is never reached.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an integer that is not negative; `as` takes the nearest count there is"
)]
fn length(at: &str, value: Value<'_>) -> Result<usize, CompileError> {
    let number = value
        .as_number()
        .filter(|number| number.is_integer() && number.to_f64() >= 0.0)
        .ok_or_else(|| error(at, "expected a count of characters"))?;
    Ok(number.to_f64() as usize)
}

impl Choice {
    fn of(at: &str, value: Value<'_>) -> Result<Self, CompileError> {
        let array = value
            .as_array()
            .ok_or_else(|| error(at, "expected an array"))?;
        let texts: Vec<String> = array.iter().map(Value::to_text).collect();
        let text = if texts.len() == 1 {
            texts.concat()
        } else {
            format!("one of {}", texts.join(", "))
        };
        Ok(Self {
            values: copy(value),
            text,
        })
    }

    fn only(value: Value<'_>) -> Self {
        let text = value.to_text();
        let values = read(&format!("[{text}]"));
        Self { values, text }
    }
}

fn copy(value: Value<'_>) -> Document {
    read(&value.to_text())
}

fn read(text: &str) -> Document {
    match parse(text.as_bytes()) {
        Ok(document) => document,
        Err(fault) => unreachable!("a value inside a document was written and has {fault}"),
    }
}
