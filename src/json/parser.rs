//! Tokens → a document.
//!
//! In: the pieces of a text, by way of the [`Tokenizer`]. Out: a [`Document`], or the first fault; after a fault,
//! what was read before it. Names are checked to be unique when their object ends.

use super::document::{Document, Kind, Node};
use super::{Error, ErrorKind, Token, Tokenizer, Value, index};

/// Bytes of a buffer that are kept from one text to the next: what is larger is given back.
const KEPT_BYTES: usize = 1 << 18;

/// The most bytes of a text: positions are 32 bits.
const MAX_LEN: usize = index(u32::MAX);

/// Reads a whole text.
///
/// ```
/// let document = barewire::json::parse(br#"{"id":1.0}"#)?;
/// let id = document.root().and_then(|root| root.get("id")).and_then(|id| id.as_number());
/// assert_eq!(id.map(|id| id.as_str()), Some("1.0"));
/// # Ok::<(), barewire::json::Error>(())
/// ```
///
/// # Errors
/// The first fault of the text.
pub fn parse(text: &[u8]) -> Result<Document, Error> {
    let mut parser = Parser::new();
    parser.feed(text)?;
    parser.finish()?;
    Ok(parser.builder.document)
}

/// Reads one text after the other, each in pieces of any size, into the same buffers.
///
/// ```
/// let mut parser = barewire::json::Parser::new();
/// parser.feed(b"{\"a\":")?;
/// parser.feed(b"true}")?;
/// assert!(matches!(parser.finish()?.get("a"), Some(barewire::json::Value::Bool(true))));
/// parser.clear();
/// # Ok::<(), barewire::json::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Parser {
    tokenizer: Tokenizer,
    builder: Builder,
}

impl Parser {
    /// At the start of a text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// At the start of another text.
    pub fn clear(&mut self) {
        self.tokenizer.clear(KEPT_BYTES);
        self.builder.clear();
    }

    /// Reads the next piece of the text.
    ///
    /// # Errors
    /// The first fault of the text. What is left of the text must not be fed.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), Error> {
        let mut tokens = self.tokenizer.read(piece);
        if tokens.offset() + piece.len() > MAX_LEN {
            return Err(self.builder.fail(Error {
                kind: ErrorKind::TooLong,
                offset: MAX_LEN,
            }));
        }
        loop {
            let step = match tokens.next() {
                Ok(None) => return Ok(()),
                Ok(Some(Token::ObjectEnd)) => self.builder.end_object(),
                Ok(Some(Token::Name(name))) => {
                    let tag = tag(name);
                    self.builder.take(Token::Name(name));
                    self.builder.note_name(tag, tokens.offset());
                    Ok(())
                }
                Ok(Some(token)) => {
                    self.builder.take(token);
                    Ok(())
                }
                Err(fault) => Err(fault),
            };
            if let Err(fault) = step {
                return Err(self.builder.fail(fault));
            }
        }
    }

    /// Says that the text is over.
    ///
    /// # Errors
    /// The text is not a whole value.
    pub fn finish(&mut self) -> Result<Value<'_>, Error> {
        match self.tokenizer.finish() {
            Ok(token) => token.into_iter().for_each(|token| self.builder.take(token)),
            Err(fault) => return Err(self.builder.fail(fault)),
        }
        match self.builder.document.root() {
            Some(root) => Ok(root),
            None => unreachable!("a text without a fault has a value"),
        }
    }

    /// Says that no more of the text will be fed although it is not over: closes what is open, so that what was read
    /// can be seen.
    pub fn give_up(&mut self) {
        self.builder.close();
    }

    /// What was read of the text before the fault.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.builder.document
    }
}

/// Fills a document.
#[derive(Debug, Default)]
struct Builder {
    document: Document,
    open: Vec<Open>,
    /// The names of the open objects, outermost first.
    names: Vec<Name>,
}

/// A container that has begun: its node, and how many names there were before it.
#[derive(Debug)]
struct Open {
    at: usize,
    names: usize,
    /// A bit for each name so far, by its tag.
    seen: u64,
    /// Whether two names have the same bit, so that they must be looked at.
    may_repeat: bool,
}

/// A name: its node, and the byte behind it in the text that is read.
#[derive(Clone, Copy, Debug)]
struct Name {
    /// Different for most different names: compared before the texts are.
    tag: u32,
    at: u32,
    offset: usize,
}

/// A number that is different for most different names.
#[inline]
fn tag(name: &str) -> u32 {
    let byte = |byte: Option<&u8>| byte.map_or(0, |byte| u32::from(*byte));
    let (first, last) = (name.as_bytes().first(), name.as_bytes().last());
    (position(name.len()) << 16) ^ (byte(first) << 8) ^ byte(last)
}

/// Checked by [`Parser::feed`]: a document has at most as many nodes and bytes as the text.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "at most `MAX_LEN`"
)]
fn position(n: usize) -> u32 {
    n as u32
}

impl Builder {
    fn clear(&mut self) {
        self.document.nodes.clear();
        self.document
            .nodes
            .shrink_to(KEPT_BYTES / size_of::<Node>());
        self.document.text.clear();
        self.document.text.shrink_to(KEPT_BYTES);
        self.open.clear();
        self.names.clear();
        self.names.shrink_to(KEPT_BYTES / size_of::<Name>());
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "a call for each token costs more than most tokens"
    )]
    fn take(&mut self, token: Token<'_>) {
        match token {
            Token::ObjectStart => self.start(Kind::ObjectStart),
            Token::ArrayStart => self.start(Kind::ArrayStart),
            Token::ObjectEnd => self.end(Kind::ObjectEnd),
            Token::ArrayEnd => self.end(Kind::ArrayEnd),
            Token::Name(text) => self.text(Kind::Name, text),
            Token::String(text) => self.text(Kind::String, text),
            Token::Number(text) => self.text(Kind::Number, text),
            Token::Bool(true) => self.push(Kind::True, 0, 0),
            Token::Bool(false) => self.push(Kind::False, 0, 0),
            Token::Null => self.push(Kind::Null, 0, 0),
        }
    }

    fn push(&mut self, kind: Kind, start: u32, end: u32) {
        self.document.nodes.push(Node { kind, start, end });
    }

    #[inline]
    fn text(&mut self, kind: Kind, text: &str) {
        let start = position(self.document.text.len());
        self.document.text.push_str(text);
        self.push(kind, start, position(self.document.text.len()));
    }

    fn start(&mut self, kind: Kind) {
        self.open.push(Open {
            at: self.document.nodes.len(),
            names: self.names.len(),
            seen: 0,
            may_repeat: false,
        });
        self.push(kind, 0, 0);
    }

    fn end(&mut self, kind: Kind) {
        let end = self.document.nodes.len();
        self.push(kind, 0, 0);
        let open = self
            .open
            .pop()
            .and_then(|open| self.document.nodes.get_mut(open.at));
        match open {
            Some(node) => node.end = position(end),
            None => unreachable!("the tokenizer pairs every end with a start"),
        }
    }

    /// Says that the last node is a name, which ends before `offset`.
    #[inline]
    fn note_name(&mut self, tag: u32, offset: usize) {
        let at = position(self.document.nodes.len() - 1);
        self.names.push(Name { tag, at, offset });
        if let Some(open) = self.open.last_mut() {
            // The upper bits of a product depend on all bits of the factor.
            let bit = 1 << (tag.wrapping_mul(0x9e37_79b1) >> 26);
            open.may_repeat |= open.seen & bit != 0;
            open.seen |= bit;
        }
    }

    fn end_object(&mut self) -> Result<(), Error> {
        let (first, may_repeat) = self
            .open
            .last()
            .map_or((0, false), |open| (open.names, open.may_repeat));
        let duplicate = if may_repeat {
            self.duplicate_since(first)
        } else {
            None
        };
        self.names.truncate(first);
        match duplicate {
            None => {
                self.end(Kind::ObjectEnd);
                Ok(())
            }
            Some(offset) => Err(Error {
                kind: ErrorKind::DuplicateName,
                offset,
            }),
        }
    }

    /// The offset behind the earliest name that repeats an earlier one, if there is one. The names may be reordered:
    /// few are compared each with each, many are sorted, so that no choice of names costs more than `n log n`.
    #[inline(never)]
    fn duplicate_since(&mut self, first: usize) -> Option<usize> {
        const FEW: usize = 8;
        let document = &self.document;
        let text_of = |name: &Name| document.text_of(document.node(name.at));
        let same = |a: &Name, b: &Name| a.tag == b.tag && text_of(a) == text_of(b);
        let names = self.names.get_mut(first..).unwrap_or_default();
        if names.len() <= FEW {
            let mut rest = &*names;
            let mut found = None;
            while let Some((last, before)) = rest.split_last() {
                if before.iter().any(|name| same(name, last)) {
                    found = Some(last.offset);
                }
                rest = before;
            }
            return found;
        }
        names.sort_unstable_by(|a, b| {
            let by_text = || text_of(a).cmp(text_of(b)).then(a.offset.cmp(&b.offset));
            a.tag.cmp(&b.tag).then_with(by_text)
        });
        let pairs = names.iter().zip(names.iter().skip(1));
        pairs
            .filter(|(a, b)| same(a, b))
            .map(|(_, second)| second.offset)
            .min()
    }

    fn fail(&mut self, fault: Error) -> Error {
        self.close();
        fault
    }

    /// Ends what is open, so that what came before the fault can be read.
    fn close(&mut self) {
        if self
            .document
            .nodes
            .last()
            .is_some_and(|node| node.kind == Kind::Name)
        {
            self.document.nodes.pop();
        }
        while let Some(open) = self.open.last() {
            let is_object = self
                .document
                .nodes
                .get(open.at)
                .is_some_and(|node| node.kind == Kind::ObjectStart);
            self.end(if is_object {
                Kind::ObjectEnd
            } else {
                Kind::ArrayEnd
            });
        }
    }
}
