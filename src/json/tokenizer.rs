//! JSON text → tokens: the [`Lexer`]'s lexemes with their texts, for readers that keep nothing.

use std::ops::ControlFlow;

use super::Error;
use super::lexemes::Lexemes;
use super::lexer::{Kind, Lexer, Place};

/// A lexical element of a JSON text. Commas and colons are checked and left out.
///
/// What [`Tokens::next`] gives for a whole text is `value`, where
///
/// ```text
/// value  = Null | Bool | Number | String | array | object
/// array  = ArrayStart value* ArrayEnd
/// object = ObjectStart (Name value)* ObjectEnd
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'t> {
    /// `{`
    ObjectStart,
    /// `}`
    ObjectEnd,
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// The name of a member, unescaped. Its value follows.
    Name(&'t str),
    /// A string that is a value, unescaped.
    String(&'t str),
    /// A number, as it is spelled.
    Number(&'t str),
    /// `true` or `false`
    Bool(bool),
    /// `null`
    Null,
}

impl<'t> Token<'t> {
    /// The token of this kind with this text, if it has one.
    fn new(kind: Kind, text: &'t str) -> Self {
        match kind {
            Kind::ObjectStart => Self::ObjectStart,
            Kind::ObjectEnd => Self::ObjectEnd,
            Kind::ArrayStart => Self::ArrayStart,
            Kind::ArrayEnd => Self::ArrayEnd,
            Kind::Name => Self::Name(text),
            Kind::String => Self::String(text),
            Kind::Number => Self::Number(text),
            Kind::True => Self::Bool(true),
            Kind::False => Self::Bool(false),
            Kind::Null => Self::Null,
        }
    }
}

/// Reads one JSON text that comes in pieces. It keeps one bit for each open array or object, and a token that a cut
/// went through.
///
/// ```
/// use barewire::json::{Token, Tokenizer};
///
/// let mut tokenizer = Tokenizer::new();
/// let mut names = Vec::new();
/// for piece in ["{\"na", "me\":[1", "2]}"] {
///     let mut tokens = tokenizer.read(piece.as_bytes());
///     while let Some(token) = tokens.next()? {
///         if let Token::Name(name) = token {
///             names.push(name.to_owned());
///         }
///     }
/// }
/// assert_eq!(tokenizer.finish()?, None);
/// assert_eq!(names, ["name"]);
/// # Ok::<(), barewire::json::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Tokenizer {
    lexer: Lexer,
    /// The token that is gathered, or was gathered last.
    gathered: String,
}

impl Tokenizer {
    /// At the start of a text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// At the start of another text. The memory of the longest gathered token is kept, up to `bytes_max`.
    pub fn clear(&mut self, bytes_max: usize) {
        self.lexer = Lexer::default();
        self.gathered.clear();
        self.gathered.shrink_to(bytes_max);
    }

    /// The tokens that end in the next piece of the text. All of them must be taken before the next piece comes.
    pub fn read<'t>(&'t mut self, piece: &'t [u8]) -> Tokens<'t> {
        Tokens {
            lexemes: self.lexer.read(piece, &mut self.gathered),
        }
    }

    /// Says that the text is over: gives the number that nothing but the end could end, once, and then `None`.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`](super::ErrorKind::Empty) or [`ErrorKind::UnexpectedEnd`](super::ErrorKind::UnexpectedEnd)
    /// if the text is not a whole value.
    pub fn finish(&mut self) -> Result<Option<Token<'_>>, Error> {
        let number = self.lexer.finish()?;
        Ok(number.map(|_| Token::Number(&self.gathered)))
    }
}

/// The tokens that end in one piece; made by [`Tokenizer::read`].
#[derive(Debug)]
pub struct Tokens<'t> {
    lexemes: Lexemes<'t>,
}

impl Tokens<'_> {
    /// The next token, or `None` if the piece is used up.
    ///
    /// # Errors
    /// The first fault of the text. Nothing is said of what comes after it: the text must be given up.
    #[expect(
        clippy::should_implement_trait,
        reason = "a token is lent until the next call, which no `Iterator` can do"
    )]
    pub fn next(&mut self) -> Result<Option<Token<'_>>, Error> {
        if !self.lexemes.is_gathering() {
            self.lexemes.gathered().clear();
        }
        let first = |_: &mut Lexemes<'_>, kind, place| ControlFlow::Break((kind, place));
        let Some((kind, place)) = self.lexemes.each(first)? else {
            return Ok(None);
        };
        let text = match place {
            Place::Text { start, end } => self.lexemes.text().get(start..end).unwrap_or_default(),
            Place::Gathered { .. } => self.lexemes.gathered(),
        };
        Ok(Some(Token::new(kind, text)))
    }

    /// Bytes of the whole text that have been read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.lexemes.offset()
    }
}
