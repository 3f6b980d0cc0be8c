//! Tokens → a document.
//!
//! In: the pieces of a text, by way of the [`Lexer`]. Out: a [`Document`], or the first fault; after a fault,
//! what was read before it. Names are checked to be unique when their object ends.

use std::ops::ControlFlow;

use super::document::{Document, Node};
use super::lexemes::Lexemes;
use super::lexer::{Kind, Lexer, Place};
use super::{Error, ErrorKind, Value, index};

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
    Ok(parser.document)
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
    lexer: Lexer,
    document: Document,
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
        self.lexer = Lexer::default();
        let Document { nodes, text } = &mut self.document;
        let kept = nodes.capacity() * size_of::<Node>() + text.capacity();
        let used = nodes.len() * size_of::<Node>() + text.len();
        nodes.clear();
        text.clear();
        self.builder.clear();
        // What a long text needed is kept for the next one, and given back after the first short one.
        if kept > KEPT_BYTES && used < kept / 4 {
            nodes.shrink_to(KEPT_BYTES / 2 / size_of::<Node>());
            text.shrink_to(KEPT_BYTES / 2);
            self.builder.shrink();
        }
    }

    /// Reads the next piece of the text.
    ///
    /// # Errors
    /// The first fault of the text. What is left of the text must not be fed.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), Error> {
        let Self {
            lexer,
            document: Document { nodes, text },
            builder,
        } = self;
        let read = builder.read(lexer.read(piece, text), nodes, piece.len());
        if read.is_err() {
            self.give_up();
        }
        read
    }

    /// Reads the next piece of the text, which is known to be UTF-8, as [`feed`](Self::feed) does.
    ///
    /// # Errors
    /// The first fault of the text. What is left of the text must not be fed.
    pub fn feed_text(&mut self, piece: &str) -> Result<(), Error> {
        let Self {
            lexer,
            document: Document { nodes, text },
            builder,
        } = self;
        let read = builder.read(lexer.read_text(piece, text), nodes, piece.len());
        if read.is_err() {
            self.give_up();
        }
        read
    }

    /// Says that the text is over.
    ///
    /// # Errors
    /// The text is not a whole value.
    pub fn finish(&mut self) -> Result<Value<'_>, Error> {
        match self.lexer.finish() {
            Ok(None) => {}
            Ok(Some(place)) => {
                let (start, end) = match place {
                    Place::Gathered { start } => (start, self.document.text.len()),
                    Place::Text { start, end } => (start, end),
                };
                let number = Node::new(Kind::Number, start, end);
                self.document.nodes.push(number);
            }
            Err(fault) => {
                self.give_up();
                return Err(fault);
            }
        }
        match self.document.root() {
            Some(root) => Ok(root),
            None => unreachable!("a text without a fault has a value"),
        }
    }

    /// Says that no more of the text will be fed although it is not over: closes what is open, so that what was read
    /// can be seen.
    pub fn give_up(&mut self) {
        let nodes = &mut self.document.nodes;
        if nodes.last().is_some_and(|node| node.kind == Kind::Name) {
            nodes.pop();
        }
        while let Some(open) = self.builder.open.last() {
            let start = nodes.get(index(open.at)).map(|node| node.kind);
            let kind = if start == Some(Kind::ObjectStart) {
                Kind::ObjectEnd
            } else {
                Kind::ArrayEnd
            };
            self.builder.end(kind, nodes);
        }
    }

    /// What was read of the text before the fault.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }
}

/// The bits of a key that are a hash; the others are the position of a node.
const HASH: u64 = !0xffff_ffff;

fn key(hash: u64, at: usize) -> u64 {
    (hash & HASH) | u64::from(position(at))
}

fn node_of(key: u64) -> usize {
    usize::try_from(key & !HASH).unwrap_or(usize::MAX)
}

/// A number that is different for most different names; the upper bits depend on all that is looked at.
fn hash(name: &[u8]) -> u64 {
    // The odd number nearest to 2^64 divided by the golden ratio.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let all = || name.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
    let first = name.first_chunk().map_or_else(all, word);
    let last = name.last_chunk().map_or(0, word);
    let len = u64::from(position(name.len()));
    let first = first.wrapping_mul(SPREAD);
    (first ^ (first >> 32) ^ last ^ (len << 56)).wrapping_mul(SPREAD)
}

impl Node {
    #[inline]
    fn new(kind: Kind, start: usize, end: usize) -> Self {
        Self {
            kind,
            start: position(start),
            end: position(end),
        }
    }
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

/// What is known of the text that is read.
#[derive(Debug, Default)]
struct Builder {
    /// The containers that are open, outermost first.
    open: Vec<Open>,
    /// A bit for each name of the innermost object so far, and those that came more than once: most objects have
    /// none, and only the others' names must be looked at.
    seen: u64,
    may_repeat: u64,
    /// Where the text of the piece stands in that of the document, and where in the whole text.
    text_at: usize,
    text_offset: usize,
    /// Where in the whole text the bytes of the document's text came from.
    sources: Vec<Source>,
    /// Names that are looked at: the hash above, the node below.
    names: Vec<u64>,
}

/// From byte `at` of the document's text on, up to the next source, it was read from byte `offset` on.
#[derive(Debug)]
struct Source {
    at: usize,
    offset: usize,
}

/// A container that has begun: its node, and what was known of the names of the one around it.
#[derive(Debug)]
struct Open {
    at: u32,
    seen: u64,
    may_repeat: u64,
}

impl Builder {
    #[inline]
    fn clear(&mut self) {
        self.open.clear();
        (self.seen, self.may_repeat) = (0, 0);
        self.sources.clear();
    }

    /// Gives back what only a long text needs.
    #[inline(never)]
    fn shrink(&mut self) {
        self.sources = Vec::new();
        self.names = Vec::new();
    }

    /// Adds the nodes of a piece of `len` bytes.
    #[inline(never)]
    fn read(
        &mut self,
        mut lexemes: Lexemes<'_>,
        nodes: &mut Vec<Node>,
        len: usize,
    ) -> Result<(), Error> {
        if lexemes.offset() + len > MAX_LEN {
            return Err(Error {
                kind: ErrorKind::TooLong,
                offset: MAX_LEN,
            });
        }
        if !lexemes.is_gathering() {
            self.keep_text(&mut lexemes);
        }
        let fault = lexemes.each(|lexemes, kind, place| {
            match (kind, place) {
                (Kind::ObjectStart | Kind::ArrayStart, _) => self.start(kind, nodes),
                (Kind::ArrayEnd, _) => self.end(kind, nodes),
                (Kind::ObjectEnd, _) => {
                    if self.may_repeat != 0 {
                        let checked = self.check_names(nodes, lexemes.gathered());
                        if let Err(fault) = checked {
                            return ControlFlow::Break(fault);
                        }
                    }
                    self.end(kind, nodes);
                }
                (Kind::True | Kind::False | Kind::Null, _) => nodes.push(Node::new(kind, 0, 0)),
                (Kind::Name | Kind::String | Kind::Number, Place::Text { start, end }) => {
                    if kind == Kind::Name {
                        self.note_name(lexemes.text().as_bytes(), start, end);
                    }
                    let at = self.text_at;
                    let (start, end) = (at.wrapping_add(start), at.wrapping_add(end));
                    nodes.push(Node::new(kind, start, end));
                }
                (_, Place::Gathered { start }) => {
                    nodes.push(self.gathered(kind, start, lexemes));
                }
            }
            ControlFlow::Continue(())
        })?;
        fault.map_or(Ok(()), Err)
    }

    /// Keeps the rest of the piece with whatever stands between the texts in it: one copy costs less than one for each.
    #[inline(never)]
    fn keep_text(&mut self, lexemes: &mut Lexemes<'_>) {
        let rest = lexemes.text().get(lexemes.at()..).unwrap_or_default();
        // A piece of nothing but white space leaves nothing.
        let rest = rest.trim_ascii_start();
        let skipped = lexemes.text().len() - rest.len();
        self.text_offset = lexemes.offset() - lexemes.at();
        let offset = self.text_offset + skipped;
        let text = lexemes.gathered();
        let at = text.len();
        text.push_str(rest);
        self.text_at = at.wrapping_sub(skipped);
        if !rest.is_empty() {
            // A name in it has a quote before it, while one that was gathered may be empty and end where this begins.
            let (at, offset) = (at + 1, offset + 1);
            self.sources.push(Source { at, offset });
        }
    }

    /// The node of a token that was gathered, which ends before what is left of the piece.
    #[inline(never)]
    fn gathered(&mut self, kind: Kind, start: usize, lexemes: &mut Lexemes<'_>) -> Node {
        let text = lexemes.gathered();
        let end = text.len();
        if kind == Kind::Name {
            // With the quotes that a name in the piece has around it.
            let name = format!("\"{}\"", text.get(start..).unwrap_or_default());
            self.note_name(name.as_bytes(), 1, name.len() - 1);
            let offset = lexemes.offset().wrapping_sub(end - start + 1);
            self.sources.push(Source { at: start, offset });
        }
        // The text is another one if the token began in an earlier piece or held a character that was cut.
        if self.text_offset != lexemes.offset() - lexemes.at() {
            self.keep_text(lexemes);
        }
        Node::new(kind, start, end)
    }

    #[inline]
    fn start(&mut self, kind: Kind, nodes: &mut Vec<Node>) {
        self.open.push(Open {
            at: position(nodes.len()),
            seen: self.seen,
            may_repeat: self.may_repeat,
        });
        (self.seen, self.may_repeat) = (0, 0);
        nodes.push(Node::new(kind, 0, 0));
    }

    #[inline]
    fn end(&mut self, kind: Kind, nodes: &mut Vec<Node>) {
        let Some(open) = self.open.pop() else {
            unreachable!("the lexer pairs every end with a start")
        };
        (self.seen, self.may_repeat) = (open.seen, open.may_repeat);
        let end = position(nodes.len());
        if let Some(start) = nodes.get_mut(index(open.at)) {
            start.end = end;
        }
        nodes.push(Node::new(kind, 0, 0));
    }

    /// Notes a bit for the name `bytes[start..end]`, which stands between quotes, that is different for most different
    /// names.
    #[inline]
    fn note_name(&mut self, bytes: &[u8], start: usize, end: usize) {
        let byte = |at: usize| bytes.get(at).map_or(0, |byte| usize::from(*byte));
        let mixed = byte(start) + 8 * byte(end.wrapping_sub(1)) + 5 * (end - start);
        let bit = 1 << (mixed % 64);
        self.may_repeat |= self.seen & bit;
        self.seen |= bit;
    }

    /// Looks for two equal names in the innermost object, which is whole. They are sorted, so that no choice of names costs
    /// more than `n log n`.
    #[inline(never)]
    fn check_names(&mut self, nodes: &[Node], text: &str) -> Result<(), Error> {
        let text_of = |key: &u64| {
            let node = nodes.get(node_of(*key));
            node.and_then(|node| text.as_bytes().get(index(node.start)..index(node.end)))
        };
        self.names.clear();
        let mut at = self.open.last().map_or(0, |open| index(open.at) + 1);
        while at < nodes.len() {
            let hash = hash(text_of(&key(0, at)).unwrap_or_default());
            self.names.push(key(hash, at));
            at = match nodes.get(at + 1) {
                Some(node) if matches!(node.kind, Kind::ObjectStart | Kind::ArrayStart) => {
                    index(node.end) + 1
                }
                _ => at + 2,
            };
        }
        let same_hash = |a: u64, b: u64| (a ^ b) & HASH == 0;
        self.names.sort_unstable_by(|a, b| {
            if same_hash(*a, *b) {
                text_of(a).cmp(&text_of(b)).then(a.cmp(b))
            } else {
                a.cmp(b)
            }
        });
        let pairs = self.names.iter().zip(self.names.iter().skip(1));
        let second = pairs
            .filter(|(a, b)| same_hash(**a, **b) && text_of(a) == text_of(b))
            .map(|(_, second)| node_of(*second))
            .min();
        second.map_or(Ok(()), |at| {
            let (start, end) = nodes.get(at).map_or((0, 0), |node| (node.start, node.end));
            let known = self
                .sources
                .partition_point(|source| source.at <= index(start));
            let source = known.checked_sub(1).and_then(|last| self.sources.get(last));
            let offset = source.map_or(0, |source| {
                source.offset.wrapping_add(index(end) - source.at)
            });
            // Behind the closing quote.
            Err(Error {
                kind: ErrorKind::DuplicateName,
                offset: offset + 1,
            })
        })
    }
}
