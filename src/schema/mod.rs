//! JSON Schema 2020-12, the part that tool arguments of today need: compile once, check often.
//!
//! In: a schema as a JSON value, once; then values. Out: what of a value does not fit, as JSON Pointers into it
//! with what was expected and the type that came, never the value itself.
//!
//! Known so far: `type`, `properties`, `required`, `additionalProperties`, `items`, `enum`, `const`, `minimum`,
//! `maximum`, `minLength`, `maxLength`, and the annotations. Any other keyword is refused when the schema is compiled: a rule
//! that is not understood must not look as if it held.

mod check;
mod compile;
mod equal;

pub use check::Mismatch;
pub use compile::CompileError;

use crate::json::Document;

/// A compiled schema.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The rules of the schema, the first, and of each schema inside it.
    rules: Vec<Rules>,
}

/// What one schema asks of a value. Each rule holds for the types that it is about and passes others.
#[derive(Clone, Debug, Default)]
struct Rules {
    types: Types,
    /// Names, and the position of the rules for their values.
    properties: Vec<(String, usize)>,
    /// The position of the rules for the values of other names.
    additional: Option<usize>,
    required: Vec<String>,
    /// The position of the rules for the elements of an array.
    items: Option<usize>,
    /// Few schemas have one, and the others need not be asked for each.
    limits: Option<Box<Limits>>,
}

/// What a schema asks of the value itself, besides its type.
#[derive(Clone, Debug, Default)]
struct Limits {
    /// `enum`
    one_of: Option<Choice>,
    /// `const`
    constant: Option<Choice>,
    /// Bounds of numbers, each the text of one.
    minimum: Option<Document>,
    maximum: Option<Document>,
    /// Bounds in characters.
    min_length: Option<usize>,
    max_length: Option<usize>,
}

/// Values of which a value must be one, and their JSON text for the message.
#[derive(Clone, Debug)]
struct Choice {
    values: Document,
    text: String,
}

/// The types that fit: `integer` is a number that is mathematically one.
#[derive(Clone, Debug)]
struct Types {
    /// A bit for each name, by its place in `compile::TYPES`. Nothing fits the schema `false`.
    set: u8,
    text: String,
}

impl Default for Types {
    fn default() -> Self {
        Self {
            set: u8::MAX,
            text: "any value".to_owned(),
        }
    }
}
