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

/// What one schema object asks of a value. Each rule holds for the types that it is about and passes others.
#[derive(Clone, Debug, Default)]
struct Rules {
    /// `false`: nothing fits.
    never: bool,
    types: Option<Types>,
    /// Names, and the position of the rules for their values.
    properties: Vec<(String, usize)>,
    /// The rules for the values of other names.
    additional: Option<usize>,
    required: Vec<String>,
    items: Option<usize>,
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

/// The names of a `type`: `integer` is a number that is mathematically one.
#[derive(Clone, Debug)]
struct Types {
    /// A bit for each name, by its place in `compile::TYPES`.
    set: u8,
    text: String,
}
