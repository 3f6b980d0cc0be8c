//! JSON text → lexemes, resumable at any byte: what is known of a text between two pieces.
//!
//! In: the text in pieces of any size. Out: for each token its kind and where its text stands, or the first fault. It keeps one
//! bit for each open array or object and, when a cut goes through a token, that token: a token that lies inside one
//! piece is a part of it, one that crosses a cut or holds an escape is gathered at the end of a `String` of the caller.
//! Where the text is cut changes nothing else.
//!
//! The text of the piece is checked to be UTF-8 at once, so that names and strings are slices of it. Four things can be
//! cut in the middle: a word (`true`), a number, a string, and within a string an *atom*: one escape or one
//! character. An atom is decoded by one function that may answer "not enough yet", and a cut one is given to it
//! again with each further byte.

use super::lexemes::Lexemes;
use super::literal::Word;
use super::number::State;
use super::string::Atom;
use super::{Error, ErrorKind, MAX_DEPTH};

/// What kind of token a lexeme is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Name,
    String,
    Number,
    True,
    False,
    Null,
}

/// Where the text of a token stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In these bytes of [`Lexemes::text`].
    Text { start: usize, end: usize },
    /// At the end of the gathered texts.
    Gathered { start: usize },
}

impl Place {
    /// That of a token without a text.
    pub(super) const NONE: Self = Self::Text { start: 0, end: 0 };
}

/// What the grammar lets come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expect {
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
pub(super) enum Cut {
    None,
    Word,
    Number,
    String,
}

/// What is known of a text between two pieces.
#[derive(Debug)]
pub(super) struct Lexer {
    pub(super) expect: Expect,
    /// What the grammar lets come after the value that is read: it depends on the container alone.
    pub(super) after_value: Expect,
    /// One bit for each open container, the innermost lowest: 1 is an object.
    pub(super) containers: u128,
    pub(super) depth: usize,
    /// Bytes of the whole text before the part of the piece that is still to be read.
    pub(super) offset: usize,
    pub(super) cut: Cut,
    /// Bytes of the gathered texts before the token that is gathered, or was gathered last.
    pub(super) gathered_start: usize,
    pub(super) atom: Atom,
    pub(super) number: State,
    pub(super) word: Word,
    /// Bytes of a byte order mark that the text began with.
    pub(super) mark_len: usize,
}

impl Default for Lexer {
    /// At the start of a text.
    #[inline]
    fn default() -> Self {
        Self {
            expect: Expect::Root,
            after_value: Expect::End,
            containers: 0,
            depth: 0,
            offset: 0,
            cut: Cut::None,
            gathered_start: 0,
            atom: Atom::default(),
            number: State::Start,
            word: Word::NULL,
            mark_len: 0,
        }
    }
}

impl Lexer {
    /// The lexemes that end in the next piece of the text. All of them must be taken before the next piece comes, and
    /// `gathered` must be as it was then.
    pub(super) fn read<'t>(&'t mut self, piece: &'t [u8], gathered: &'t mut String) -> Lexemes<'t> {
        let piece = self.skip_mark(piece);
        Lexemes::of_bytes(self, piece, gathered)
    }

    /// As [`read`](Self::read), for a piece that is known to be UTF-8.
    pub(super) fn read_text<'t>(
        &'t mut self,
        piece: &'t str,
        gathered: &'t mut String,
    ) -> Lexemes<'t> {
        let is_in_mark = self.offset == self.mark_len && (1..3).contains(&self.mark_len);
        if is_in_mark || !self.atom.is_empty() {
            return self.read(piece.as_bytes(), gathered);
        }
        let mut text = piece;
        if self.offset == 0 {
            text = piece.strip_prefix('\u{feff}').unwrap_or(piece);
            self.offset = piece.len() - text.len();
            self.mark_len = self.offset;
        }
        Lexemes::of_text(self, text, gathered)
    }

    /// Says that the text is over: gives the number that nothing but the end could end, once, and then `None`.
    pub(super) fn finish(&mut self) -> Result<Option<Place>, Error> {
        let error = |kind, offset| Err(Error { kind, offset });
        if self.expect == Expect::Root && self.cut == Cut::None && matches!(self.mark_len, 1 | 2) {
            return error(ErrorKind::ExpectedValue, 0);
        }
        if self.cut == Cut::Number && self.depth == 0 && self.number.is_complete() {
            self.cut = Cut::None;
            self.expect = Expect::End;
            return Ok(Some(self.gathered()));
        }
        match self.expect {
            Expect::End => Ok(None),
            Expect::Root if self.cut == Cut::None => error(ErrorKind::Empty, self.offset),
            _ => error(ErrorKind::UnexpectedEnd, self.offset),
        }
    }

    /// Takes a byte order mark off the first bytes of the text. Half a mark is left for the reader to refuse.
    #[inline]
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

    #[inline]
    pub(super) fn push(&mut self, is_object: bool) -> Result<(), ErrorKind> {
        if self.depth == MAX_DEPTH {
            return Err(ErrorKind::TooDeep);
        }
        self.depth += 1;
        self.containers = self.containers << 1 | u128::from(is_object);
        (self.expect, self.after_value) = if is_object {
            (Expect::FirstName, Expect::CommaOrBrace)
        } else {
            (Expect::FirstElement, Expect::CommaOrBracket)
        };
        Ok(())
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        self.depth -= 1;
        self.containers >>= 1;
        self.after_value = match (self.depth, self.containers & 1) {
            (0, _) => Expect::End,
            (_, 0) => Expect::CommaOrBracket,
            _ => Expect::CommaOrBrace,
        };
        self.expect = self.after_value;
    }

    /// The place of the token that was gathered.
    pub(super) fn gathered(&self) -> Place {
        let start = self.gathered_start;
        Place::Gathered { start }
    }

    /// Whether a comma may come.
    pub(super) fn is_after_element(&self) -> bool {
        matches!(self.expect, Expect::CommaOrBrace | Expect::CommaOrBracket)
    }

    /// What the grammar lets come after a comma: it depends on the container alone.
    #[inline]
    pub(super) fn after_comma(&self) -> Expect {
        if self.after_value == Expect::CommaOrBrace {
            Expect::Name
        } else {
            Expect::Value
        }
    }

    pub(super) fn wants_value(&self) -> bool {
        matches!(
            self.expect,
            Expect::Root | Expect::Value | Expect::FirstElement
        )
    }

    pub(super) fn wants_name(&self) -> bool {
        matches!(self.expect, Expect::Name | Expect::FirstName)
    }

    /// What is wrong with a byte that the grammar has no place for here.
    pub(super) fn unexpected(&self) -> ErrorKind {
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
