//! JSON (RFC 8259), both ways, knowing nothing but `std`.
//!
//! Reading: bytes in pieces of any size → [`Tokenizer`] → tokens → [`Parser`] → a [`Document`], seen through
//! [`Value`]s. Writing: calls of a [`Writer`] → bytes. There is no tree to build or to drop and nothing recurses.
//!
//! Where RFC 8259 leaves a choice, this is ours:
//! - §4: a name that occurs twice in one object (after unescaping) is refused; members keep their order.
//! - §6: a number is its own spelling, of any length; its `f64` is correctly rounded, and infinite past the range.
//! - §8.1: the text is UTF-8 and nothing else; a byte order mark before it is skipped.
//! - §8.2: a lone surrogate is refused, since no Unicode text can hold it.
//! - §9: at most [`MAX_DEPTH`] levels and 4 GiB.

mod document;
mod error;
mod lexemes;
mod lexer;
mod literal;
mod number;
mod parser;
mod shortest;
mod string;
mod tokenizer;
mod writer;

pub(crate) use document::Member;
pub use document::{Array, Document, Elements, Members, Object, Value};
pub use error::{Error, ErrorKind};
pub use number::{Number, format as format_number};
pub use parser::{Parser, parse};
pub use tokenizer::{Token, Tokenizer, Tokens};
pub use writer::{Mark, Writer, string_text, written};

/// The most arrays and objects that may stand inside one another.
///
/// No message of the Model Context Protocol comes near it, and one bit a level fits in a `u128`.
pub const MAX_DEPTH: usize = 128;

/// Widens to `usize`, which has at least 32 bits on every platform with `std` threads.
#[expect(
    clippy::as_conversions,
    reason = "`usize: From<u32>` is missing only for 16-bit platforms"
)]
const fn index(n: u32) -> usize {
    n as usize
}
