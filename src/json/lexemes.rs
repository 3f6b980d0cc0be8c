//! One piece of a JSON text → its lexemes: the one place where the grammar of RFC 8259 §2 to §7 stands.
//!
//! In: a piece, and what the [`Lexer`] knows of those before it. Out: for each token its kind and where its text stands.

use std::ops::ControlFlow;

use super::lexer::{Cut, Expect, Kind, Lexer, Place};
use super::literal::Word;
use super::number::{self, State};
use super::string::{self, Atom};
use super::{Error, ErrorKind};

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
    #[inline]
    pub(super) fn of_bytes(
        lexer: &'t mut Lexer,
        piece: &'t [u8],
        gathered: &'t mut String,
    ) -> Self {
        let mut lexemes = Self::of_text(lexer, "", gathered);
        lexemes.tail = piece;
        if lexemes.lexer.atom.is_empty() {
            lexemes.take_text();
        }
        lexemes
    }

    #[inline]
    pub(super) fn of_text(lexer: &'t mut Lexer, text: &'t str, gathered: &'t mut String) -> Self {
        Self {
            lexer,
            text,
            at: 0,
            tail: &[],
            gathered,
        }
    }

    /// Gives the lexemes of the piece to `take` until it breaks; `None` if the piece is used up.
    #[expect(
        clippy::too_many_lines,
        reason = "one arm for each thing that may come: the grammar in one place"
    )]
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "its two callers each need a loop of their own, in which nothing is asked twice"
    )]
    pub(super) fn each<R>(
        &mut self,
        mut take: impl FnMut(&mut Self, Kind, Place) -> ControlFlow<R>,
    ) -> Result<Option<R>, Error> {
        if self.lexer.cut != Cut::None {
            let Some((kind, place)) = self.go_on()? else {
                return Ok(None);
            };
            if let ControlFlow::Break(result) = take(self, kind, place) {
                return Ok(Some(result));
            }
        }
        // What follows a name or a value in a text without white space is looked for right behind it.
        let (mut bytes, mut at) = (self.text.as_bytes(), self.at);
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            at += 1;
            let lexer = &mut *self.lexer;
            match byte {
                b'"' if lexer.wants_name() => {
                    let Some(place) = self.string(bytes, at)? else {
                        return Ok(None);
                    };
                    self.lexer.expect = Expect::Colon;
                    if let ControlFlow::Break(result) = take(self, Kind::Name, place) {
                        return Ok(Some(result));
                    }
                    (bytes, at) = (self.text.as_bytes(), self.at);
                    if bytes.get(at) == Some(&b':') {
                        self.lexer.expect = Expect::Value;
                        at += 1;
                    }
                    continue;
                }
                b'"' if lexer.wants_value() => {
                    let Some(place) = self.string(bytes, at)? else {
                        return Ok(None);
                    };
                    self.lexer.expect = self.lexer.after_value;
                    if let ControlFlow::Break(result) = take(self, Kind::String, place) {
                        return Ok(Some(result));
                    }
                    (bytes, at) = (self.text.as_bytes(), self.at);
                }
                b'-' | b'0'..=b'9' if lexer.wants_value() => {
                    self.at = start;
                    let Some(place) = self.number(bytes)? else {
                        return Ok(None);
                    };
                    at = self.at;
                    if let ControlFlow::Break(result) = take(self, Kind::Number, place) {
                        return Ok(Some(result));
                    }
                }
                b'{' if lexer.wants_value() => {
                    self.push(at, true)?;
                    if let ControlFlow::Break(result) = take(self, Kind::ObjectStart, Place::NONE) {
                        return Ok(Some(result));
                    }
                    continue;
                }
                b'[' if lexer.wants_value() => {
                    self.push(at, false)?;
                    if let ControlFlow::Break(result) = take(self, Kind::ArrayStart, Place::NONE) {
                        return Ok(Some(result));
                    }
                    continue;
                }
                b'}' if matches!(lexer.expect, Expect::CommaOrBrace | Expect::FirstName) => {
                    lexer.pop();
                    self.at = at;
                    if let ControlFlow::Break(result) = take(self, Kind::ObjectEnd, Place::NONE) {
                        return Ok(Some(result));
                    }
                }
                b']' if matches!(lexer.expect, Expect::CommaOrBracket | Expect::FirstElement) => {
                    lexer.pop();
                    self.at = at;
                    if let ControlFlow::Break(result) = take(self, Kind::ArrayEnd, Place::NONE) {
                        return Ok(Some(result));
                    }
                }
                b't' | b'f' | b'n' if lexer.wants_value() => {
                    lexer.word = Word::beginning_with(byte);
                    lexer.cut = Cut::Word;
                    self.at = at;
                    let Some(kind) = self.word()? else {
                        return Ok(None);
                    };
                    at = self.at;
                    if let ControlFlow::Break(result) = take(self, kind, Place::NONE) {
                        return Ok(Some(result));
                    }
                }
                b',' if lexer.is_after_element() => {
                    lexer.expect = lexer.after_comma();
                    continue;
                }
                b':' if lexer.expect == Expect::Colon => {
                    lexer.expect = Expect::Value;
                    continue;
                }
                b' ' | b'\t' | b'\n' | b'\r' => continue,
                _ => {
                    let kind = lexer.unexpected();
                    return Err(self.error_at(start, kind));
                }
            }
            if bytes.get(at) == Some(&b',') && self.lexer.depth > 0 {
                self.lexer.expect = self.lexer.after_comma();
                at += 1;
            }
        }
        self.at = at;
        if self.tail.is_empty() {
            self.text_is_over();
            return Ok(None);
        }
        // Not a byte of ASCII, and outside a string nothing else has a place.
        Err(self.error_at(self.at, self.lexer.unexpected()))
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

    /// Goes into the container whose bracket ends at byte `at`.
    #[inline]
    fn push(&mut self, at: usize, is_object: bool) -> Result<(), Error> {
        self.at = at;
        self.lexer
            .push(is_object)
            .map_err(|kind| self.error_at(at - 1, kind))
    }

    /// A string from byte `at` of the text, which is `bytes`, on, behind its opening quote: lent, if it ends in this piece and
    /// needs no unescaping.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as above")]
    fn string(&mut self, bytes: &[u8], at: usize) -> Result<Option<Place>, Error> {
        let end = at + string::plain_len(bytes.get(at..).unwrap_or_default());
        if bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Some(Place::Text { start: at, end }));
        }
        self.at = at;
        self.gathered_string()
    }

    /// Gathers a string: it holds an escape, or goes on in the next piece.
    #[inline(never)]
    fn gathered_string(&mut self) -> Result<Option<Place>, Error> {
        self.start_gathering(Cut::String);
        let gathered = self.gather()?;
        Ok(gathered.map(|(_, place)| place))
    }

    /// Goes on with the token that the last cut went through.
    #[inline(never)]
    fn go_on(&mut self) -> Result<Option<(Kind, Place)>, Error> {
        match self.lexer.cut {
            Cut::Number => {
                let number = self.cut_number()?;
                Ok(number.map(|place| (Kind::Number, place)))
            }
            Cut::String => self.gather(),
            Cut::Word | Cut::None => {
                let word = self.word()?;
                Ok(word.map(|kind| (kind, Place::NONE)))
            }
        }
    }

    fn start_gathering(&mut self, cut: Cut) {
        self.lexer.cut = cut;
        self.lexer.gathered_start = self.gathered.len();
    }

    /// Goes on with a string that is not lent: plain text, then what ended it, until the string or the piece is over.
    #[inline(never)]
    fn gather(&mut self) -> Result<Option<(Kind, Place)>, Error> {
        loop {
            if !self.finish_atom()? {
                self.text_is_over();
                return Ok(None);
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
                    return Ok(Some((kind, self.lexer.gathered())));
                }
                [b'\\', ..] => self.escapes(after.as_bytes())?,
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

    /// Gathers the escapes that `rest`, which is what is left of the text, begins with: often they come one behind the other.
    #[inline]
    fn escapes(&mut self, mut rest: &[u8]) -> Result<(), Error> {
        while rest.first() == Some(&b'\\') {
            match string::escape(rest) {
                Ok(Some((character, len))) => {
                    self.gathered.push(character);
                    self.at += len;
                    rest = rest.get(len..).unwrap_or_default();
                }
                Ok(None) => {
                    self.lexer.atom.extend(rest);
                    self.text_is_over();
                    break;
                }
                Err((kind, len)) => return Err(self.error_at(self.at + len, kind)),
            }
        }
        Ok(())
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

    /// The number that begins here in the text, which is `bytes`: lent, if something stands behind it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as above")]
    fn number(&mut self, bytes: &[u8]) -> Result<Option<Place>, Error> {
        let start = self.at;
        let rest = bytes.get(start..).unwrap_or_default();
        let (len, state) = number::scan(rest);
        self.at = start + len;
        if len == rest.len() && self.tail.is_empty() {
            // The next piece may go on with it.
            self.start_gathering(Cut::Number);
            self.keep_number(start, state);
            return Ok(None);
        }
        if !state.is_complete() {
            return Err(self.error_at(self.at, ErrorKind::ExpectedDigit));
        }
        self.value_is_over();
        let end = self.at;
        Ok(Some(Place::Text { start, end }))
    }

    /// Goes on with a number that was cut before this piece.
    fn cut_number(&mut self) -> Result<Option<Place>, Error> {
        let (len, state) = number::go_on(self.lexer.number, self.text.as_bytes());
        self.at = len;
        if len == self.text.len() && self.tail.is_empty() {
            self.keep_number(0, state);
            return Ok(None);
        }
        if !state.is_complete() {
            return Err(self.error_at(self.at, ErrorKind::ExpectedDigit));
        }
        self.gathered
            .push_str(self.text.get(..len).unwrap_or_default());
        self.lexer.cut = Cut::None;
        self.value_is_over();
        Ok(Some(self.lexer.gathered()))
    }

    /// Keeps the rest of the piece, from `start` on: the number, or a part of it, in `state`.
    #[inline(never)]
    fn keep_number(&mut self, start: usize, state: State) {
        self.gathered
            .push_str(self.text.get(start..).unwrap_or_default());
        self.lexer.number = state;
        self.text_is_over();
    }

    /// Goes on with `true`, `false` or `null`.
    #[inline(never)]
    fn word(&mut self) -> Result<Option<Kind>, Error> {
        while let Some(expected) = self.lexer.word.next_letter() {
            match self.text.as_bytes().get(self.at) {
                Some(byte) if *byte == expected => self.at += 1,
                None if self.tail.is_empty() => {
                    self.text_is_over();
                    return Ok(None);
                }
                _ => return Err(self.error_at(self.at, ErrorKind::InvalidLiteral)),
            }
            self.lexer.word.matched += 1;
        }
        self.lexer.cut = Cut::None;
        self.value_is_over();
        Ok(Some(self.lexer.word.kind))
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

    fn error_at(&self, at: usize, kind: ErrorKind) -> Error {
        Error {
            kind,
            offset: self.lexer.offset + at,
        }
    }
}
