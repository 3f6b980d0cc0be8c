//! JSON text → tokens, resumable at any byte.
//!
//! In: the text in pieces of any size. Out: its tokens, or the first fault. It keeps one bit for each open array or
//! object and, when a cut goes through a token, that token: a token that lies inside one piece is lent from it, one
//! that crosses a cut or holds an escape is gathered in `lexeme`. Where the text is cut changes nothing else.
//!
//! The text of the piece is checked to be UTF-8 at once, so that names and strings are slices of it. Four things can be
//! cut in the middle: a word (`true`), a number, a string, and within a string an *atom*: one escape or one
//! character. An atom is decoded by one function that may answer "not enough yet", and a cut one is given to it
//! again with each further byte.

use super::number::{self, State};
use super::string::{self, Atom};
use super::{Error, ErrorKind, MAX_DEPTH};

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

/// What the grammar lets come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    /// The value that is the whole text; nothing but white space has come.
    Root,
    /// A value, after a colon or a comma.
    Value,
    /// A value or `]`, after `[`.
    FirstElement,
    /// A name or `}`, after `{`.
    FirstName,
    /// A name, after a comma.
    Name,
    Colon,
    CommaOrBracket,
    CommaOrBrace,
    /// White space only.
    End,
}

/// The token that a cut went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    None,
    Word,
    Number,
    String,
}

/// Reads one JSON text that comes in pieces.
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
#[derive(Debug)]
pub struct Tokenizer {
    expect: Expect,
    /// One bit for each open container, the innermost lowest: 1 is an object.
    containers: u128,
    depth: usize,
    /// Bytes of the whole text before the part of the piece that is still to be read.
    offset: usize,
    cut: Cut,
    /// What has been read of the cut token; for a string, unescaped.
    lexeme: String,
    atom: Atom,
    number: State,
    word: Word,
    /// Bytes of a byte order mark that the text began with.
    mark_len: usize,
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self::new()
    }
}

impl Tokenizer {
    /// At the start of a text.
    #[must_use]
    pub fn new() -> Self {
        Self {
            expect: Expect::Root,
            containers: 0,
            depth: 0,
            offset: 0,
            cut: Cut::None,
            lexeme: String::new(),
            atom: Atom::default(),
            number: State::Start,
            word: Word::NULL,
            mark_len: 0,
        }
    }

    /// At the start of another text. The memory of the longest gathered token is kept, up to `bytes_max`.
    pub fn clear(&mut self, bytes_max: usize) {
        let mut lexeme = std::mem::take(&mut self.lexeme);
        lexeme.clear();
        lexeme.shrink_to(bytes_max);
        *self = Self {
            lexeme,
            ..Self::new()
        };
    }

    /// The tokens that end in the next piece of the text. All of them must be taken before the next piece comes.
    pub fn read<'t>(&'t mut self, piece: &'t [u8]) -> Tokens<'t> {
        let piece = self.skip_mark(piece);
        let mut tokens = Tokens {
            text: "",
            at: 0,
            tail: piece,
            tokenizer: self,
        };
        if tokens.tokenizer.atom.is_empty() {
            tokens.take_text();
        }
        tokens
    }

    /// Says that the text is over: gives the number that nothing but the end could end, once, and then `None`.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] or [`ErrorKind::UnexpectedEnd`] if the text is not a whole value.
    pub fn finish(&mut self) -> Result<Option<Token<'_>>, Error> {
        if self.expect == Expect::Root && self.cut == Cut::None && matches!(self.mark_len, 1 | 2) {
            return Err(Error {
                kind: ErrorKind::ExpectedValue,
                offset: 0,
            });
        }
        if self.cut == Cut::Number && self.depth == 0 && self.number.is_complete() {
            self.cut = Cut::None;
            self.expect = Expect::End;
            return Ok(Some(Token::Number(&self.lexeme)));
        }
        match self.expect {
            Expect::End => Ok(None),
            Expect::Root if self.cut == Cut::None => Err(Error {
                kind: ErrorKind::Empty,
                offset: self.offset,
            }),
            _ => Err(Error {
                kind: ErrorKind::UnexpectedEnd,
                offset: self.offset,
            }),
        }
    }

    /// Takes a byte order mark off the first bytes of the text. Half a mark is left for the reader to refuse.
    fn skip_mark<'t>(&mut self, piece: &'t [u8]) -> &'t [u8] {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        let mut rest = piece;
        while self.offset == self.mark_len && self.mark_len < MARK.len() {
            match rest.split_first() {
                None => break,
                Some((byte, after)) if MARK.get(self.mark_len) == Some(byte) => {
                    self.mark_len += 1;
                    self.offset += 1;
                    rest = after;
                }
                Some(_) if self.mark_len == 0 => break,
                Some(_) => {
                    self.offset = 0;
                    self.mark_len = 0;
                    return MARK;
                }
            }
        }
        rest
    }

    fn push(&mut self, is_object: bool) -> Result<(), ErrorKind> {
        if self.depth == MAX_DEPTH {
            return Err(ErrorKind::TooDeep);
        }
        self.depth += 1;
        self.containers = self.containers << 1 | u128::from(is_object);
        self.expect = if is_object {
            Expect::FirstName
        } else {
            Expect::FirstElement
        };
        Ok(())
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.containers >>= 1;
        self.value_is_over();
    }

    fn value_is_over(&mut self) {
        self.expect = match (self.depth, self.containers & 1) {
            (0, _) => Expect::End,
            (_, 0) => Expect::CommaOrBracket,
            _ => Expect::CommaOrBrace,
        };
    }

    fn wants_value(&self) -> bool {
        matches!(
            self.expect,
            Expect::Root | Expect::Value | Expect::FirstElement
        )
    }

    fn wants_name(&self) -> bool {
        matches!(self.expect, Expect::Name | Expect::FirstName)
    }

    /// What is wrong with a byte that the grammar has no place for here.
    fn unexpected(&self) -> ErrorKind {
        match self.expect {
            Expect::Root | Expect::Value | Expect::FirstElement => ErrorKind::ExpectedValue,
            Expect::FirstName | Expect::Name => ErrorKind::ExpectedName,
            Expect::Colon => ErrorKind::ExpectedColon,
            Expect::CommaOrBracket => ErrorKind::ExpectedCommaOrBracket,
            Expect::CommaOrBrace => ErrorKind::ExpectedCommaOrBrace,
            Expect::End => ErrorKind::ExpectedEnd,
        }
    }
}

/// The tokens that end in one piece; made by [`Tokenizer::read`].
///
/// The piece is `text`, of which `at` bytes are read, and then `tail`: the bytes from the first one on that is not
/// UTF-8, or the start of a character that the cut went through.
#[derive(Debug)]
pub struct Tokens<'t> {
    tokenizer: &'t mut Tokenizer,
    text: &'t str,
    at: usize,
    tail: &'t [u8],
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
    #[inline]
    pub fn next(&mut self) -> Result<Option<Token<'_>>, Error> {
        match self.tokenizer.cut {
            Cut::None => self.token(),
            Cut::Word => self.word(),
            Cut::Number => self.number(self.at),
            Cut::String => self.gather(),
        }
    }

    /// Bytes of the whole text that have been read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.tokenizer.offset + self.at
    }

    /// Goes over white space and punctuation to the next token, and decides by its first byte. The one place where
    /// the grammar of RFC 8259 §2 to §5 stands.
    #[inline]
    fn token(&mut self) -> Result<Option<Token<'_>>, Error> {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            let start = self.at;
            self.at += 1;
            let tokenizer = &mut *self.tokenizer;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                b',' if tokenizer.expect == Expect::CommaOrBrace => tokenizer.expect = Expect::Name,
                b',' if tokenizer.expect == Expect::CommaOrBracket => {
                    tokenizer.expect = Expect::Value;
                }
                b':' if tokenizer.expect == Expect::Colon => tokenizer.expect = Expect::Value,
                b'"' if tokenizer.wants_value() || tokenizer.wants_name() => return self.string(),
                b'-' | b'0'..=b'9' if tokenizer.wants_value() => {
                    tokenizer.number = State::Start;
                    self.at = start;
                    return self.number(start);
                }
                b'{' | b'[' if tokenizer.wants_value() => {
                    let is_object = byte == b'{';
                    return match tokenizer.push(is_object) {
                        Ok(()) if is_object => Ok(Some(Token::ObjectStart)),
                        Ok(()) => Ok(Some(Token::ArrayStart)),
                        Err(kind) => Err(self.error_at(start, kind)),
                    };
                }
                b'}' if matches!(tokenizer.expect, Expect::CommaOrBrace | Expect::FirstName) => {
                    tokenizer.pop();
                    return Ok(Some(Token::ObjectEnd));
                }
                b']' if matches!(
                    tokenizer.expect,
                    Expect::CommaOrBracket | Expect::FirstElement
                ) =>
                {
                    tokenizer.pop();
                    return Ok(Some(Token::ArrayEnd));
                }
                b't' | b'f' | b'n' if tokenizer.wants_value() => {
                    tokenizer.word = Word::beginning_with(byte);
                    tokenizer.cut = Cut::Word;
                    return self.word();
                }
                _ => {
                    let kind = tokenizer.unexpected();
                    return Err(self.error_at(start, kind));
                }
            }
        }
        if self.tail.is_empty() {
            return Ok(self.piece_is_over());
        }
        // Not a byte of ASCII, and outside a string nothing else has a place.
        Err(self.error_at(self.at, self.tokenizer.unexpected()))
    }

    /// A string from behind its opening quote on: lent, if it ends in this piece and needs no unescaping.
    #[inline]
    fn string(&mut self) -> Result<Option<Token<'_>>, Error> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let end = self.at + string::plain_len(rest);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            let text = self.text.get(self.at..end).unwrap_or_default();
            self.at = end + 1;
            let is_name = self.string_is_over();
            return Ok(Some(string_token(is_name, text)));
        }
        self.tokenizer.lexeme.clear();
        self.tokenizer.cut = Cut::String;
        self.gather()
    }

    /// Goes on with a string that is not lent: plain text, then what ended it, until the string or the piece is over.
    #[cold]
    fn gather(&mut self) -> Result<Option<Token<'_>>, Error> {
        loop {
            if !self.finish_atom()? {
                return Ok(self.piece_is_over());
            }
            let rest = self.text.get(self.at..).unwrap_or_default();
            let (plain, after) = rest
                .split_at_checked(string::plain_len(rest.as_bytes()))
                .unwrap_or((rest, ""));
            self.tokenizer.lexeme.push_str(plain);
            self.at += plain.len();
            match after.as_bytes() {
                [b'"', ..] => {
                    self.at += 1;
                    let is_name = self.string_is_over();
                    return Ok(Some(string_token(is_name, &self.tokenizer.lexeme)));
                }
                [b'\\', ..] => match string::escape(after.as_bytes()) {
                    Ok(Some((character, len))) => {
                        self.tokenizer.lexeme.push(character);
                        self.at += len;
                    }
                    Ok(None) => {
                        self.tokenizer.atom.extend(after.as_bytes());
                        self.text_is_over();
                    }
                    Err((kind, len)) => return Err(self.error_at(self.at + len, kind)),
                },
                [_, ..] => return Err(self.error_at(self.at, ErrorKind::ControlCharacter)),
                [] => {
                    self.text_is_over();
                    if !self.extend_atom() {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Gives the atom that is open, if any, the bytes that it lacks; whether none is open any more.
    fn finish_atom(&mut self) -> Result<bool, Error> {
        while !self.tokenizer.atom.is_empty() {
            match self.tokenizer.atom.decode() {
                Ok(Some(character)) => {
                    self.tokenizer.lexeme.push(character);
                    self.tokenizer.atom = Atom::default();
                    self.take_text();
                }
                Ok(None) if self.extend_atom() => {}
                Ok(None) => return Ok(false),
                Err((kind, len)) => {
                    let start = self.tokenizer.offset - self.tokenizer.atom.len();
                    return Err(Error {
                        kind,
                        offset: start + len,
                    });
                }
            }
        }
        Ok(true)
    }

    /// Moves one byte of the tail to the atom, if there is one.
    fn extend_atom(&mut self) -> bool {
        let Some((byte, after)) = self.tail.split_first() else {
            return false;
        };
        self.tokenizer.atom.extend(&[*byte]);
        self.tokenizer.offset += 1;
        self.tail = after;
        true
    }

    /// Makes as much of the tail the text as is UTF-8.
    fn take_text(&mut self) {
        self.text_is_over();
        self.text = match std::str::from_utf8(self.tail) {
            Ok(text) => text,
            Err(_) => self
                .tail
                .utf8_chunks()
                .next()
                .map_or("", |first| first.valid()),
        };
        self.tail = self.tail.get(self.text.len()..).unwrap_or_default();
    }

    /// Goes on with a number that begins at `start` of the text, or that was cut before it.
    #[inline]
    fn number(&mut self, start: usize) -> Result<Option<Token<'_>>, Error> {
        let rest = self.text.get(start..).unwrap_or_default();
        let (len, state) = number::scan(self.tokenizer.number, rest.as_bytes());
        let spelling = rest.get(..len).unwrap_or_default();
        self.at = start + len;
        let is_whole = self.tokenizer.cut == Cut::None;
        if len == rest.len() && self.tail.is_empty() {
            // The next piece may go on with it.
            if is_whole {
                self.tokenizer.lexeme.clear();
            }
            self.tokenizer.lexeme.push_str(spelling);
            self.tokenizer.number = state;
            self.tokenizer.cut = Cut::Number;
            return Ok(self.piece_is_over());
        }
        if !state.is_complete() {
            return Err(self.error_at(self.at, ErrorKind::ExpectedDigit));
        }
        self.tokenizer.value_is_over();
        if is_whole {
            return Ok(Some(Token::Number(spelling)));
        }
        self.tokenizer.cut = Cut::None;
        self.tokenizer.lexeme.push_str(spelling);
        Ok(Some(Token::Number(&self.tokenizer.lexeme)))
    }

    /// Goes on with `true`, `false` or `null`.
    fn word(&mut self) -> Result<Option<Token<'_>>, Error> {
        while let Some(expected) = self.tokenizer.word.next_letter() {
            match self.text.as_bytes().get(self.at) {
                Some(byte) if *byte == expected => self.at += 1,
                None if self.tail.is_empty() => return Ok(self.piece_is_over()),
                _ => return Err(self.error_at(self.at, ErrorKind::InvalidLiteral)),
            }
            self.tokenizer.word.matched += 1;
        }
        self.tokenizer.cut = Cut::None;
        self.tokenizer.value_is_over();
        Ok(Some(self.tokenizer.word.token))
    }

    /// Whether the string that has just ended is a name.
    fn string_is_over(&mut self) -> bool {
        self.tokenizer.cut = Cut::None;
        let is_name = self.tokenizer.wants_name();
        if is_name {
            self.tokenizer.expect = Expect::Colon;
        } else {
            self.tokenizer.value_is_over();
        }
        is_name
    }

    fn text_is_over(&mut self) {
        self.tokenizer.offset += self.text.len();
        self.text = "";
        self.at = 0;
    }

    fn piece_is_over(&mut self) -> Option<Token<'static>> {
        self.text_is_over();
        None
    }

    fn error_at(&self, at: usize, kind: ErrorKind) -> Error {
        Error {
            kind,
            offset: self.tokenizer.offset + at,
        }
    }
}

fn string_token(is_name: bool, text: &str) -> Token<'_> {
    if is_name {
        Token::Name(text)
    } else {
        Token::String(text)
    }
}

/// One of the three words of JSON, and how much of it has come.
#[derive(Clone, Copy, Debug)]
struct Word {
    letters: &'static [u8],
    token: Token<'static>,
    matched: usize,
}

impl Word {
    const TRUE: Self = Self {
        letters: b"true",
        token: Token::Bool(true),
        matched: 1,
    };
    const FALSE: Self = Self {
        letters: b"false",
        token: Token::Bool(false),
        matched: 1,
    };
    const NULL: Self = Self {
        letters: b"null",
        token: Token::Null,
        matched: 1,
    };

    fn beginning_with(letter: u8) -> Self {
        match letter {
            b't' => Self::TRUE,
            b'f' => Self::FALSE,
            _ => Self::NULL,
        }
    }

    fn next_letter(self) -> Option<u8> {
        self.letters.get(self.matched).copied()
    }
}
