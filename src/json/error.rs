//! What can be wrong with a JSON text, and at which byte.

use std::fmt;

/// A fault in a JSON text: what was wrong and where.
///
/// It is the first fault of the text in reading order, and the same one wherever the text was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// What was wrong.
    pub kind: ErrorKind,
    /// Bytes of the text before the fault.
    pub offset: usize,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind.as_str(), self.offset)
    }
}

impl std::error::Error for Error {}

/// The ways in which a text is not JSON (RFC 8259), or is more than this crate reads.
///
/// The example of each variant is the shortest text that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Nothing but white space: ` `
    Empty,
    /// The text stops inside a value: `[`
    UnexpectedEnd,
    /// Something else stands where a value must: `,`
    ExpectedValue,
    /// A member of an object must begin with a string: `{1`
    ExpectedName,
    /// Between the name and the value of a member: `{"a" 1`
    ExpectedColon,
    /// After an element of an array: `[1 1`
    ExpectedCommaOrBracket,
    /// After a member of an object: `{"a":1 1`
    ExpectedCommaOrBrace,
    /// After the value that is the whole text: `1 1`
    ExpectedEnd,
    /// A number lacks a digit: `-x`
    ExpectedDigit,
    /// A word that is not `true`, `false` or `null`: `nul!`
    InvalidLiteral,
    /// U+0000 to U+001F inside a string must be escaped.
    ControlCharacter,
    /// Not one of the eight escapes or `\u`: `"\x`
    InvalidEscape,
    /// `\u` takes four hexadecimal digits: `"\u12g`
    ExpectedHexDigit,
    /// `\uD800` to `\uDFFF` mean something only as a pair: `"\uDE71"`
    LoneSurrogate,
    /// The bytes inside a string are not UTF-8 (RFC 3629).
    InvalidUtf8,
    /// More than [`MAX_DEPTH`](super::MAX_DEPTH) arrays and objects inside one another.
    TooDeep,
    /// A name occurs twice in one object: `{"a":1,"a":1}`
    DuplicateName,
    /// More than 4 GiB: a [`Document`](super::Document) counts its bytes in 32 bits.
    TooLong,
}

impl ErrorKind {
    /// The fault in words, lower case and without a full stop.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "no value",
            Self::UnexpectedEnd => "unexpected end",
            Self::ExpectedValue => "expected a value",
            Self::ExpectedName => "expected a name in double quotes",
            Self::ExpectedColon => "expected ':'",
            Self::ExpectedCommaOrBracket => "expected ',' or ']'",
            Self::ExpectedCommaOrBrace => "expected ',' or '}'",
            Self::ExpectedEnd => "expected nothing more",
            Self::ExpectedDigit => "expected a digit",
            Self::InvalidLiteral => "expected true, false or null",
            Self::ControlCharacter => "unescaped control character",
            Self::InvalidEscape => "invalid escape",
            Self::ExpectedHexDigit => "expected a hexadecimal digit",
            Self::LoneSurrogate => "lone surrogate",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::TooDeep => "more than 128 levels of nesting",
            Self::DuplicateName => "duplicate name",
            Self::TooLong => "more than 4 GiB of text",
        }
    }
}
