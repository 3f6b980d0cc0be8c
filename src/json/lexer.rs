//! JSON text → lexemes, resumable at any byte: the one place where the grammar of RFC 8259 §2 to §7 stands.
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

use super::number::{self, State};
use super::string::{self, Atom};
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

/// A token, and where its text stands if it has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) kind: Kind,
    pub(super) place: Place,
}

/// Where the text of a lexeme stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In these bytes of [`Lexemes::text`].
    Text { start: usize, end: usize },
    /// At the end of the gathered texts.
    Gathered { start: usize },
}

impl Lexeme {
    fn bare(kind: Kind) -> Self {
        Self::lent(kind, 0, 0)
    }

    fn lent(kind: Kind, start: usize, end: usize) -> Self {
        Self {
            kind,
            place: Place::Text { start, end },
        }
    }
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

/// What is known of a text between two pieces.
#[derive(Debug)]
pub(super) struct Lexer {
    expect: Expect,
    /// What the grammar lets come after the value that is read: it depends on the container alone.
    after_value: Expect,
    /// One bit for each open container, the innermost lowest: 1 is an object.
    containers: u128,
    depth: usize,
    /// Bytes of the whole text before the part of the piece that is still to be read.
    offset: usize,
    cut: Cut,
    /// Bytes of the gathered texts before the token that is gathered, or was gathered last.
    gathered_start: usize,
    atom: Atom,
    number: State,
    word: Word,
    /// Bytes of a byte order mark that the text began with.
    mark_len: usize,
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
    pub(super) fn read<'t>(
        &'t mut self,
        piece: &'t [u8],
        gathered: &'t mut String,
    ) -> Lexemes<'t> {
        let piece = self.skip_mark(piece);
        let mut lexemes = Lexemes {
            text: "",
            at: 0,
            tail: piece,
            lexer: self,
            gathered,
        };
        if lexemes.lexer.atom.is_empty() {
            lexemes.take_text();
        }
        lexemes
    }

    /// Says that the text is over: gives the number that nothing but the end could end, once, and then `None`.
    pub(super) fn finish(&mut self) -> Result<Option<Lexeme>, Error> {
        let error = |kind, offset| Err(Error { kind, offset });
        if self.expect == Expect::Root && self.cut == Cut::None && matches!(self.mark_len, 1 | 2) {
            return error(ErrorKind::ExpectedValue, 0);
        }
        if self.cut == Cut::Number && self.depth == 0 && self.number.is_complete() {
            self.cut = Cut::None;
            self.expect = Expect::End;
            return Ok(Some(self.gathered(Kind::Number)));
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
    fn push(&mut self, is_object: bool) -> Result<(), ErrorKind> {
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
    fn pop(&mut self) {
        self.depth -= 1;
        self.containers >>= 1;
        self.after_value = match (self.depth, self.containers & 1) {
            (0, _) => Expect::End,
            (_, 0) => Expect::CommaOrBracket,
            _ => Expect::CommaOrBrace,
        };
        self.expect = self.after_value;
    }

    /// The token that was gathered.
    fn gathered(&self, kind: Kind) -> Lexeme {
        let start = self.gathered_start;
        Lexeme {
            kind,
            place: Place::Gathered { start },
        }
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

/// The lexemes that end in one piece; made by [`Lexer::read`].
///
/// The piece is `text`, of which `at` bytes are read, and then `tail`: the bytes from the first one on that is not
/// UTF-8, or the start of a character that the cut went through.
#[derive(Debug)]
pub(super) struct Lexemes<'t> {
    lexer: &'t mut Lexer,
    text: &'t str,
    at: usize,
    tail: &'t [u8],
    gathered: &'t mut String,
}

impl<'t> Lexemes<'t> {
    /// The next lexeme, or `None` if the piece is used up.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "a call for each token costs more than most tokens"
    )]
    pub(super) fn next(&mut self) -> Result<Option<Lexeme>, Error> {
        if self.lexer.cut == Cut::None {
            self.token()
        } else {
            self.go_on()
        }
    }

    /// Bytes of the whole text that have been read.
    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.lexer.offset + self.at
    }

    /// Whether a token is being gathered.
    pub(super) fn is_gathering(&self) -> bool {
        matches!(self.lexer.cut, Cut::Number | Cut::String)
    }

    /// The part of the piece in which lexemes stand: it changes only while a string is gathered.
    #[inline]
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Bytes of [`text`](Self::text) that have been read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The gathered texts, which the reader may add to and take away while no token is cut.
    #[inline]
    pub(super) fn gathered(&mut self) -> &mut String {
        self.gathered
    }

    /// Goes over white space and punctuation to the next token, and decides by its first byte.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as above")]
    fn token(&mut self) -> Result<Option<Lexeme>, Error> {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            let start = self.at;
            self.at += 1;
            let lexer = &mut *self.lexer;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                b',' if lexer.expect == Expect::CommaOrBrace => lexer.expect = Expect::Name,
                b',' if lexer.expect == Expect::CommaOrBracket => lexer.expect = Expect::Value,
                b':' if lexer.expect == Expect::Colon => lexer.expect = Expect::Value,
                b'"' if lexer.wants_name() => return self.string(Kind::Name),
                b'"' if lexer.wants_value() => return self.string(Kind::String),
                b'-' | b'0'..=b'9' if lexer.wants_value() => return self.number(start),
                b'{' | b'[' if lexer.wants_value() => {
                    let is_object = byte == b'{';
                    return match lexer.push(is_object) {
                        Ok(()) if is_object => Ok(Some(Lexeme::bare(Kind::ObjectStart))),
                        Ok(()) => Ok(Some(Lexeme::bare(Kind::ArrayStart))),
                        Err(kind) => Err(self.error_at(start, kind)),
                    };
                }
                b'}' if matches!(lexer.expect, Expect::CommaOrBrace | Expect::FirstName) => {
                    lexer.pop();
                    return Ok(Some(Lexeme::bare(Kind::ObjectEnd)));
                }
                b']' if matches!(lexer.expect, Expect::CommaOrBracket | Expect::FirstElement) => {
                    lexer.pop();
                    return Ok(Some(Lexeme::bare(Kind::ArrayEnd)));
                }
                b't' | b'f' | b'n' if lexer.wants_value() => {
                    lexer.word = Word::beginning_with(byte);
                    lexer.cut = Cut::Word;
                    return self.word();
                }
                _ => {
                    let kind = lexer.unexpected();
                    return Err(self.error_at(start, kind));
                }
            }
        }
        if self.tail.is_empty() {
            return Ok(self.piece_is_over());
        }
        // Not a byte of ASCII, and outside a string nothing else has a place.
        Err(self.error_at(self.at, self.lexer.unexpected()))
    }

    /// A string from behind its opening quote on: lent, if it ends in this piece and needs no unescaping.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as above")]
    fn string(&mut self, kind: Kind) -> Result<Option<Lexeme>, Error> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let end = start + string::plain_len(bytes.get(start..).unwrap_or_default());
        if bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            self.string_is_over(kind);
            return Ok(Some(Lexeme::lent(kind, start, end)));
        }
        self.start_gathering(Cut::String);
        self.gather()
    }

    /// Goes on with the token that the last cut went through.
    #[inline(never)]
    fn go_on(&mut self) -> Result<Option<Lexeme>, Error> {
        match self.lexer.cut {
            Cut::None => self.token(),
            Cut::Word => self.word(),
            Cut::Number => self.cut_number(),
            Cut::String => self.gather(),
        }
    }

    fn start_gathering(&mut self, cut: Cut) {
        self.lexer.cut = cut;
        self.lexer.gathered_start = self.gathered.len();
    }

    /// Goes on with a string that is not lent: plain text, then what ended it, until the string or the piece is over.
    #[inline(never)]
    fn gather(&mut self) -> Result<Option<Lexeme>, Error> {
        loop {
            if !self.finish_atom()? {
                return Ok(self.piece_is_over());
            }
            let rest = self.text.get(self.at..).unwrap_or_default();
            let (plain, after) = rest
                .split_at_checked(string::plain_len(rest.as_bytes()))
                .unwrap_or((rest, ""));
            self.gathered.push_str(plain);
            self.at += plain.len();
            match after.as_bytes() {
                [b'"', ..] => {
                    self.at += 1;
                    self.lexer.cut = Cut::None;
                    let kind = if self.lexer.wants_name() {
                        Kind::Name
                    } else {
                        Kind::String
                    };
                    self.string_is_over(kind);
                    return Ok(Some(self.lexer.gathered(kind)));
                }
                [b'\\', ..] => match string::escape(after.as_bytes()) {
                    Ok(Some((character, len))) => {
                        self.gathered.push(character);
                        self.at += len;
                    }
                    Ok(None) => {
                        self.lexer.atom.extend(after.as_bytes());
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
        while !self.lexer.atom.is_empty() {
            match self.lexer.atom.decode() {
                Ok(Some(character)) => {
                    self.gathered.push(character);
                    self.lexer.atom = Atom::default();
                    self.take_text();
                }
                Ok(None) if self.extend_atom() => {}
                Ok(None) => return Ok(false),
                Err((kind, len)) => {
                    let start = self.lexer.offset - self.lexer.atom.len();
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
        self.lexer.atom.extend(&[*byte]);
        self.lexer.offset += 1;
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

    /// A number that begins at `start` of the text: lent, if something stands behind it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as above")]
    fn number(&mut self, start: usize) -> Result<Option<Lexeme>, Error> {
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let (len, state) = number::scan(rest);
        self.at = start + len;
        if len == rest.len() && self.tail.is_empty() {
            // The next piece may go on with it.
            self.start_gathering(Cut::Number);
            return Ok(self.keep_number(start, state));
        }
        if !state.is_complete() {
            return Err(self.error_at(self.at, ErrorKind::ExpectedDigit));
        }
        self.value_is_over();
        Ok(Some(Lexeme::lent(Kind::Number, start, self.at)))
    }

    /// Goes on with a number that was cut before this piece.
    fn cut_number(&mut self) -> Result<Option<Lexeme>, Error> {
        let (len, state) = number::go_on(self.lexer.number, self.text.as_bytes());
        self.at = len;
        if len == self.text.len() && self.tail.is_empty() {
            return Ok(self.keep_number(0, state));
        }
        if !state.is_complete() {
            return Err(self.error_at(self.at, ErrorKind::ExpectedDigit));
        }
        self.gathered
            .push_str(self.text.get(..len).unwrap_or_default());
        self.lexer.cut = Cut::None;
        self.value_is_over();
        Ok(Some(self.lexer.gathered(Kind::Number)))
    }

    /// Keeps the rest of the piece, from `start` on: the number, or a part of it, in `state`.
    fn keep_number(&mut self, start: usize, state: State) -> Option<Lexeme> {
        self.gathered
            .push_str(self.text.get(start..).unwrap_or_default());
        self.lexer.number = state;
        self.piece_is_over()
    }

    /// Goes on with `true`, `false` or `null`.
    fn word(&mut self) -> Result<Option<Lexeme>, Error> {
        while let Some(expected) = self.lexer.word.next_letter() {
            match self.text.as_bytes().get(self.at) {
                Some(byte) if *byte == expected => self.at += 1,
                None if self.tail.is_empty() => return Ok(self.piece_is_over()),
                _ => return Err(self.error_at(self.at, ErrorKind::InvalidLiteral)),
            }
            self.lexer.word.matched += 1;
        }
        self.lexer.cut = Cut::None;
        self.value_is_over();
        Ok(Some(Lexeme::bare(self.lexer.word.kind)))
    }

    #[inline]
    fn string_is_over(&mut self, kind: Kind) {
        if kind == Kind::Name {
            self.lexer.expect = Expect::Colon;
        } else {
            self.value_is_over();
        }
    }

    #[inline]
    fn value_is_over(&mut self) {
        self.lexer.expect = self.lexer.after_value;
    }

    #[inline]
    fn text_is_over(&mut self) {
        self.lexer.offset += self.text.len();
        self.text = "";
        self.at = 0;
    }

    #[inline]
    fn piece_is_over(&mut self) -> Option<Lexeme> {
        self.text_is_over();
        None
    }

    fn error_at(&self, at: usize, kind: ErrorKind) -> Error {
        Error {
            kind,
            offset: self.lexer.offset + at,
        }
    }
}

/// One of the three words of JSON, and how much of it has come.
#[derive(Clone, Copy, Debug)]
struct Word {
    letters: &'static [u8],
    kind: Kind,
    matched: usize,
}

impl Word {
    const TRUE: Self = Self {
        letters: b"true",
        kind: Kind::True,
        matched: 1,
    };
    const FALSE: Self = Self {
        letters: b"false",
        kind: Kind::False,
        matched: 1,
    };
    const NULL: Self = Self {
        letters: b"null",
        kind: Kind::Null,
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
