//! barewire as a peer: one parser from text to text, as the server has it.
use crate::adapter::*;
use ::barewire::json::{Document, Error, Parser, Token, Tokenizer, Writer, parse};
use std::cell::RefCell;
use std::hint::black_box;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Reads `text` in pieces of at most `piece` bytes into the buffers of `parser`, and forgets it.
pub fn read(parser: &mut Parser, text: &[u8], piece: usize) -> Result<(), Error> {
    text.chunks(piece)
        .try_for_each(|piece| parser.feed(piece))?;
    black_box(parser.finish()?);
    parser.clear();
    Ok(())
}

/// One call of a [`Writer`].
pub enum Step {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Name(String),
    String(String),
    Number(f64),
    Bool(bool),
    Null,
}

/// The calls that write `text` again, as a program makes them that has numbers and no text of them.
pub fn steps(text: &[u8]) -> Result<Vec<Step>, Error> {
    let (mut tokenizer, mut steps) = (Tokenizer::new(), Vec::new());
    let mut tokens = tokenizer.read(text);
    while let Some(token) = tokens.next()? {
        steps.push(match token {
            Token::ObjectStart => Step::ObjectStart,
            Token::ObjectEnd => Step::ObjectEnd,
            Token::ArrayStart => Step::ArrayStart,
            Token::ArrayEnd => Step::ArrayEnd,
            Token::Name(name) => Step::Name(name.to_owned()),
            Token::String(text) => Step::String(text.to_owned()),
            Token::Number(text) => Step::Number(text.parse().expect("JSON's numbers are Rust's")),
            Token::Bool(value) => Step::Bool(value),
            Token::Null => Step::Null,
        });
    }
    Ok(steps)
}

/// Makes the calls.
pub fn replay(steps: &[Step], out: &mut Vec<u8>) {
    let mut writer = Writer::new(out);
    for step in steps {
        match step {
            Step::ObjectStart => writer.object_start(),
            Step::ObjectEnd => writer.object_end(),
            Step::ArrayStart => writer.array_start(),
            Step::ArrayEnd => writer.array_end(),
            Step::Name(name) => writer.name(name),
            Step::String(text) => writer.string(text),
            Step::Number(value) => writer.number(*value),
            Step::Bool(value) => writer.bool(*value),
            Step::Null => writer.null(),
        }
    }
}

struct D(Document);
impl Dom for D {
    fn write(&self, out: &mut Vec<u8>) {
        Writer::new(out).value(self.0.root().expect("it was read whole"));
    }
}
pub struct Barewire;
impl Peer for Barewire {
    fn name(&self) -> &'static str {
        "barewire"
    }
    fn about(&self) -> &'static str {
        "DOM: Document (flat nodes and one text, reused; names checked to be unique). scan: Tokenizer, every token decoded"
    }
    fn dom(&self, b: &[u8]) -> Option<R<()>> {
        PARSER.with_borrow_mut(|parser| {
            let outcome = read(parser, b, b.len().max(1));
            if outcome.is_err() {
                parser.clear();
            }
            Some(outcome.map_err(es))
        })
    }
    fn scan(&self, b: &[u8]) -> Option<R<u64>> {
        let scan = || {
            let (mut tokenizer, mut count) = (Tokenizer::new(), 0);
            let mut tokens = tokenizer.read(b);
            while tokens.next()?.is_some() {
                count += 1;
            }
            Ok::<u64, Error>(count + u64::from(tokenizer.finish()?.is_some()))
        };
        Some(scan().map_err(es))
    }
    fn with_dom(&self, b: &[u8], f: &mut dyn FnMut(&dyn Dom)) -> Option<R<()>> {
        Some(parse(b).map(|v| f(&D(v))).map_err(es))
    }
}
