//! A JSON text that comes line by line, and where in it each value begins.
//!
//! The library's documents do not say at which byte a value stood, as nothing on the wire needs it. So the tokens are read
//! here once more, and noted as one place for each value, in the order in which a document gives them.

use barewire::json::{Document, Elements, Error, Members, Token, Tokenizer, Value, parse};

/// Where a value begins, and how many values it is together with those inside it. 32 bits hold both, as a text has at most
/// 1 GiB.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u32,
    len: u32,
}

/// The lines of one text so far.
#[derive(Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
    /// Where each line begins.
    lines: Vec<usize>,
    tokenizer: Tokenizer,
    /// The byte behind the last token.
    token_end: usize,
    places: Vec<Place>,
    /// The places of the arrays and objects that are open.
    open: Vec<usize>,
    has_jsonrpc: bool,
}

impl Text {
    /// At the start of another text.
    pub(super) fn clear(&mut self) {
        const KEPT_BYTES: usize = 1 << 18;
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
        self.lines.clear();
        self.tokenizer.clear(KEPT_BYTES);
        self.token_end = 0;
        self.places.clear();
        self.places.shrink_to(KEPT_BYTES);
        self.open.clear();
        self.has_jsonrpc = false;
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of the text without white space at its end.
    pub(super) fn trimmed_len(&self) -> usize {
        self.bytes.trim_ascii_end().len()
    }

    pub(super) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Whether nothing but white space has come.
    pub(super) fn is_blank(&self) -> bool {
        let mark = "\u{feff}".as_bytes();
        let text = self.bytes.strip_prefix(mark).unwrap_or(&self.bytes);
        text.trim_ascii().is_empty()
    }

    /// Whether a value has come and nothing of it is open.
    pub(super) fn is_whole(&self) -> bool {
        !self.places.is_empty() && self.open.is_empty()
    }

    /// Whether it is an object with a member `jsonrpc`.
    pub(super) fn has_jsonrpc(&self) -> bool {
        self.has_jsonrpc
    }

    /// The line, from 0, of the byte at `offset`, and how many bytes of that line come before it.
    pub(super) fn position(&self, offset: usize) -> (usize, usize) {
        let line = self
            .lines
            .partition_point(|start| *start <= offset)
            .saturating_sub(1);
        (
            line,
            offset - self.lines.get(line).copied().unwrap_or_default(),
        )
    }

    /// The text from the byte at `offset` on.
    pub(super) fn rest(&self, offset: usize) -> &[u8] {
        self.bytes.get(offset..).unwrap_or_default()
    }

    /// Reads the next line, with its LF.
    pub(super) fn take(&mut self, line: &[u8]) -> Result<(), Error> {
        let start = self.bytes.len();
        self.lines.push(start);
        self.bytes.extend_from_slice(line);
        let piece = self.bytes.get(start..).unwrap_or_default();
        let mut tokens = self.tokenizer.read(piece);
        if start == 0 {
            // A byte order mark is no part of the first token.
            self.token_end = tokens.offset();
        }
        while let Some(token) = tokens.next()? {
            let place = Place {
                offset: narrow(token_start(&self.bytes, self.token_end)),
                len: 1,
            };
            match token {
                Token::Name(name) => self.has_jsonrpc |= self.open.len() == 1 && name == "jsonrpc",
                Token::ObjectEnd | Token::ArrayEnd => {
                    let count = self.places.len();
                    let at = self.open.pop().unwrap_or_default();
                    if let Some(place) = self.places.get_mut(at) {
                        place.len = narrow(count - at);
                    }
                }
                Token::ObjectStart | Token::ArrayStart => {
                    self.open.push(self.places.len());
                    self.places.push(place);
                }
                _ => self.places.push(place),
            }
            self.token_end = tokens.offset();
        }
        Ok(())
    }

    /// Says that the text is over.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        if self.tokenizer.finish()?.is_some() {
            let offset = narrow(token_start(&self.bytes, self.token_end));
            self.places.push(Place { offset, len: 1 });
        }
        Ok(())
    }

    /// The text as a document.
    pub(super) fn document(&self) -> Result<Document, Error> {
        parse(&self.bytes)
    }

    /// The root of the document of this text.
    pub(super) fn root<'d>(&'d self, document: &'d Document) -> Option<Located<'d>> {
        let value = document.root()?;
        Some(Located {
            value,
            at: 0,
            places: &self.places,
        })
    }
}

/// The first byte of the token that comes after `end`. The text before it was read: commas and colons stand where they may.
fn token_start(bytes: &[u8], end: usize) -> usize {
    let rest = bytes.get(end..).unwrap_or_default();
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b':');
    end + rest.iter().take_while(|byte| is_between(byte)).count()
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn widen(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// A value, and where it stood.
#[derive(Clone, Copy)]
pub(super) struct Located<'d> {
    pub(super) value: Value<'d>,
    at: usize,
    places: &'d [Place],
}

impl<'d> Located<'d> {
    /// Bytes of the text before it.
    pub(super) fn offset(self) -> usize {
        self.places
            .get(self.at)
            .map_or(0, |place| widen(place.offset))
    }

    pub(super) fn get(self, name: &str) -> Option<Self> {
        let mut children = self.children();
        children
            .find(|(step, _)| matches!(step, Step::Name(other) if *other == name))
            .map(|(_, value)| value)
    }

    /// What is inside it; nothing, if it is neither an object nor an array.
    pub(super) fn children(self) -> Children<'d> {
        let rest = match self.value {
            Value::Object(object) => Rest::Members(object.iter()),
            Value::Array(array) => Rest::Elements(array.iter()),
            _ => Rest::Nothing,
        };
        Children {
            rest,
            index: 0,
            at: self.at + 1,
            places: self.places,
        }
    }
}

/// The way from a value to one inside it.
#[derive(Clone, Copy)]
pub(super) enum Step<'d> {
    Name(&'d str),
    Index(usize),
}

/// The values inside a value, in order.
pub(super) struct Children<'d> {
    rest: Rest<'d>,
    index: usize,
    at: usize,
    places: &'d [Place],
}

enum Rest<'d> {
    Members(Members<'d>),
    Elements(Elements<'d>),
    Nothing,
}

impl<'d> Iterator for Children<'d> {
    type Item = (Step<'d>, Located<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let (step, value) = match &mut self.rest {
            Rest::Members(members) => members
                .next()
                .map(|(name, value)| (Step::Name(name), value))?,
            Rest::Elements(elements) => (Step::Index(self.index), elements.next()?),
            Rest::Nothing => return None,
        };
        let located = Located {
            value,
            at: self.at,
            places: self.places,
        };
        self.index += 1;
        self.at += self.places.get(self.at).map_or(1, |place| widen(place.len));
        Some((step, located))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each value of `text`, with the byte where it begins.
    fn placed(text: &str) -> Vec<String> {
        let mut read = Text::default();
        text.split_inclusive('\n')
            .for_each(|line| read.take(line.as_bytes()).unwrap());
        read.finish().unwrap();
        let document = read.document().unwrap();
        let mut open = vec![read.root(&document).unwrap()];
        let mut found = Vec::new();
        while let Some(value) = open.pop() {
            found.push(format!("{} {}", value.offset(), value.value.to_text()));
            open.extend(value.children().map(|(_, child)| child));
        }
        found
    }

    #[test]
    fn every_value_knows_where_it_begins() {
        let rows: &[(&str, &[&str])] = &[
            ("5", &["0 5"]),
            (" 5 ", &["1 5"]),
            ("\u{feff} [ ]", &["4 []"]),
            (
                "{\"a\" : [1,\n [2] ] ,\"b\\u0062\":null}",
                &[
                    "0 {\"a\":[1,[2]],\"bb\":null}",
                    "29 null",
                    "7 [1,[2]]",
                    "12 [2]",
                    "13 2",
                    "8 1",
                ],
            ),
            (
                "[\"\\n,:\",\"漢\" , true]",
                &[
                    "0 [\"\\n,:\",\"漢\",true]",
                    "16 true",
                    "8 \"漢\"",
                    "1 \"\\n,:\"",
                ],
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(placed(text), *expected);
        }
    }

    #[test]
    fn a_text_knows_its_lines_and_whether_it_is_over() {
        let mut text = Text::default();
        text.take(b" \n").unwrap();
        assert!(text.is_blank() && !text.is_whole());
        text.take(b"{\"x\":{\"jsonrpc\":1},\n").unwrap();
        assert!(!text.is_blank() && !text.is_whole() && !text.has_jsonrpc());
        text.take(b"\"jsonrpc\":1}\n").unwrap();
        assert!(text.is_whole() && text.has_jsonrpc());
        assert_eq!(
            (text.position(0), text.position(3), text.position(23)),
            ((0, 0), (1, 1), (2, 1))
        );
        text.clear();
        assert!(text.is_blank() && text.len() == 0 && !text.has_jsonrpc());
    }
}
