//! Calls → JSON text.
//!
//! In: values, in the order in which they shall stand. Out: compact JSON text at the end of a byte buffer. It cannot
//! fail, allocates nothing but the buffer, and has no way to write a member twice that the caller did not write
//! twice: the caller's order of calls is the order on the wire.

use super::document::{Document, Node};
use super::lexer::Kind;
use super::number::{self, Digits};
use super::{Value, string};

/// Appends JSON text to a byte buffer.
///
/// The calls must follow the grammar of JSON: a `name` before each value inside an object, and an end for each start.
/// Commas, colons, quotes and escapes are the writer's.
///
/// ```
/// let mut out = Vec::new();
/// let mut writer = barewire::json::Writer::new(&mut out);
/// writer.object_start();
/// writer.name("sum");
/// writer.number(2.5 + 4.0);
/// writer.name("unit");
/// writer.string("\"m\"");
/// writer.object_end();
/// assert_eq!(out, br#"{"sum":6.5,"unit":"\"m\""}"#);
/// ```
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// Whether a comma must stand before the next name or value.
    comma: bool,
}

impl<'o> Writer<'o> {
    /// Writes at the end of `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, comma: false }
    }

    /// A writer for what stands inside the container that was just started.
    #[must_use]
    pub fn inside(&mut self) -> Writer<'_> {
        Writer {
            out: self.out,
            comma: self.comma,
        }
    }

    /// Remembers this place, so that what comes after it can be taken back.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark {
            len: self.out.len(),
            comma: self.comma,
        }
    }

    /// Takes back everything that was written since `mark`.
    pub fn rewind(&mut self, mark: Mark) {
        self.out.truncate(mark.len);
        self.comma = mark.comma;
    }

    /// Bytes that were written since `mark`.
    #[must_use]
    pub fn len_since(&self, mark: Mark) -> usize {
        self.out.len() - mark.len
    }

    #[inline]
    fn separate(&mut self) {
        if self.comma {
            self.out.push(b',');
        }
        self.comma = true;
    }

    /// Copies `text`, which is JSON up to the place where a name or a value must follow: `{"a":1,"b":[`.
    #[inline]
    pub fn open(&mut self, text: &str) {
        self.separate();
        self.out.extend_from_slice(text.as_bytes());
        self.comma = false;
    }

    /// Copies `text`, which ends what is open: `]}`.
    #[inline]
    pub fn close(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
        self.comma = true;
    }

    /// `{`
    pub fn object_start(&mut self) {
        self.open("{");
    }

    /// `}`
    #[inline]
    pub fn object_end(&mut self) {
        self.close("}");
    }

    /// `[`
    pub fn array_start(&mut self) {
        self.open("[");
    }

    /// `]`
    pub fn array_end(&mut self) {
        self.close("]");
    }

    /// The name of a member; its value must follow.
    #[inline]
    pub fn name(&mut self, name: &str) {
        self.name_of(name.as_bytes());
    }

    /// A string, escaped as `JSON.stringify` does, and U+0085, U+2028 and U+2029 besides.
    #[inline]
    pub fn string(&mut self, text: &str) {
        self.string_of(text.as_bytes());
    }

    /// A number as ECMA-262 `Number::toString` has it; `null` if it is not finite, as JSON has no text for that.
    pub fn number(&mut self, value: f64) {
        if !value.is_finite() {
            return self.null();
        }
        self.separate();
        number::format(value, self.out);
    }

    /// The text of a number as a string: `"6.5"`, and also `"Infinity"` and `"NaN"`.
    pub fn number_as_string(&mut self, value: f64) {
        self.separate();
        self.out.push(b'"');
        number::format(value, self.out);
        self.out.push(b'"');
    }

    /// An integer, all its digits.
    pub fn integer(&mut self, value: i64) {
        self.separate();
        if value < 0 {
            self.out.push(b'-');
        }
        self.out
            .extend_from_slice(Digits::of(value.unsigned_abs()).as_bytes());
    }

    /// `true` or `false`
    pub fn bool(&mut self, value: bool) {
        self.json(if value { "true" } else { "false" });
    }

    /// `null`
    pub fn null(&mut self) {
        self.json("null");
    }

    /// A value that was read: the same members in the same order, numbers with the same spelling.
    pub fn value(&mut self, value: Value<'_>) {
        match value {
            Value::Null => self.null(),
            Value::Bool(value) => self.bool(value),
            Value::Number(number) => self.json(number.as_str()),
            Value::String(text) => self.string(text),
            Value::Array(array) => {
                self.array_start();
                self.nodes(array.nodes());
                self.array_end();
            }
            Value::Object(object) => {
                self.object_start();
                self.nodes(object.nodes());
                self.object_end();
            }
        }
    }

    fn nodes(&mut self, (document, nodes): (&Document, &[Node])) {
        for node in nodes {
            match node.kind {
                Kind::ObjectStart => self.object_start(),
                Kind::ObjectEnd => self.object_end(),
                Kind::ArrayStart => self.array_start(),
                Kind::ArrayEnd => self.array_end(),
                Kind::Name => self.name_of(document.bytes_of(*node)),
                Kind::String => self.string_of(document.bytes_of(*node)),
                Kind::Number => self.json_of(document.bytes_of(*node)),
                Kind::True => self.bool(true),
                Kind::False => self.bool(false),
                Kind::Null => self.null(),
            }
        }
    }

    #[inline]
    fn name_of(&mut self, name: &[u8]) {
        self.open_quote();
        string::write(name, self.out);
        self.out.extend_from_slice(b"\":");
        self.comma = false;
    }

    #[inline]
    fn string_of(&mut self, text: &[u8]) {
        self.open_quote();
        string::write(text, self.out);
        self.out.push(b'"');
    }

    #[inline]
    fn open_quote(&mut self) {
        if self.comma {
            self.out.extend_from_slice(b",\"");
        } else {
            self.out.push(b'"');
        }
        self.comma = true;
    }

    #[inline]
    fn json_of(&mut self, text: &[u8]) {
        self.separate();
        self.out.extend_from_slice(text);
    }

    /// A value, or whole members, that are JSON text already, copied as they are.
    #[inline]
    pub fn json(&mut self, text: &str) {
        self.json_of(text.as_bytes());
    }
}

/// A place in what a [`Writer`] wrote.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    len: usize,
    comma: bool,
}

/// `text` as JSON text: between quotes, escaped.
#[must_use]
pub fn string_text(text: &str) -> String {
    written(|writer| writer.string(text))
}

impl Value<'_> {
    /// The value as compact JSON text: the same members in the same order, numbers with the same spelling.
    #[must_use]
    pub fn to_text(self) -> String {
        written(|writer| writer.value(self))
    }
}

/// What `write` writes, as a string of its own.
pub fn written(write: impl FnOnce(&mut Writer<'_>)) -> String {
    let mut out = Vec::new();
    write(&mut Writer::new(&mut out));
    match String::from_utf8(out) {
        Ok(text) => text,
        Err(_) => unreachable!("a writer writes UTF-8"),
    }
}
