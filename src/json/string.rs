//! JSON strings (RFC 8259 §7), both ways: finding where the plain part ends, one escape, and the writer's escapes.

use super::{ErrorKind, index};

/// The bytes before the first one that is not plain text: a quote, a backslash or a control character.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "most strings are shorter than a call is long"
)]
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    // Most names and values end within the first two words.
    match split_plain_word(bytes) {
        Word::Stop(len) => len,
        Word::Plain(after) => match split_plain_word(after) {
            Word::Stop(len) => 8 + len,
            Word::Plain(after) => 16 + plain_len_of_long(after),
            Word::Short => 8 + plain_len_bytewise(after),
        },
        Word::Short => plain_len_bytewise(bytes),
    }
}

#[inline(never)]
fn plain_len_of_long(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    match split_plain_word(rest) {
        Word::Plain(after) => rest = after,
        Word::Stop(len) => return len,
        Word::Short => return plain_len_bytewise(rest),
    }
    rest = skip_blocks(rest, is_stop);
    loop {
        match split_plain_word(rest) {
            Word::Plain(after) => rest = after,
            Word::Stop(len) => return bytes.len() - rest.len() + len,
            Word::Short => return bytes.len() - rest.len() + plain_len_bytewise(rest),
        }
    }
}

enum Word<'b> {
    Plain(&'b [u8]),
    Stop(usize),
    Short,
}

/// Looks at eight bytes at once.
#[inline]
fn split_plain_word(bytes: &[u8]) -> Word<'_> {
    let Some((word, after)) = bytes.split_first_chunk::<8>() else {
        return Word::Short;
    };
    let stops = stops(u64::from_le_bytes(*word));
    if stops == 0 {
        Word::Plain(after)
    } else {
        Word::Stop(index(stops.trailing_zeros() / 8))
    }
}

#[inline(never)]
fn plain_len_bytewise(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|&byte| is_stop(byte))
        .unwrap_or(bytes.len())
}

#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "branches would keep it from becoming vector code"
)]
fn is_stop(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Sets the top bit of each byte of `word` that is a stop.
///
/// `x - low` borrows into the top bit of a byte that is less than its subtrahend; `!word` clears those that had the bit
/// before, which `x`, that differs from `word` in lower bits only, had too. A borrow can also leave a byte and mark the
/// one above it, but never the lowest one marked.
#[inline]
fn stops(word: u64) -> u64 {
    stops_in_ascii(word) & !word & HIGH
}

/// As [`stops`], if all of `word` is ASCII and the other bits are cleared.
#[inline]
fn stops_in_ascii(word: u64) -> u64 {
    let below = |x: u64, limit: u8| x.wrapping_sub(ONES * u64::from(limit));
    let equals = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | equals(b'"') | equals(b'\\')
}

/// One, and the top bit, in each byte of a word.
const ONES: u64 = u64::MAX / 255;
const HIGH: u64 = ONES << 7;

/// A fault inside an escape or a character, and the bytes of it before the fault.
pub(super) type Fault = (ErrorKind, usize);

/// What the escape of this one letter means: all but `u`.
#[inline]
fn short_escape(letter: u8) -> Option<char> {
    match letter {
        b'"' | b'\\' | b'/' => Some(char::from(letter)),
        b'b' => Some('\u{8}'),
        b'f' => Some('\u{c}'),
        b'n' => Some('\n'),
        b'r' => Some('\r'),
        b't' => Some('\t'),
        _ => None,
    }
}

/// Reads the escape that `bytes` begins with: the character it means and its length, or `None` if more bytes must
/// come to tell. A pair of surrogate escapes is one escape of twelve bytes.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "most escapes are of one letter, for which this is a few instructions"
)]
pub(super) fn escape(bytes: &[u8]) -> Result<Option<(char, usize)>, Fault> {
    let Some(&letter) = bytes.get(1) else {
        return Ok(None);
    };
    match short_escape(letter) {
        Some(meaning) => Ok(Some((meaning, 2))),
        None if letter == b'u' => unicode_escape(bytes),
        None => Err((ErrorKind::InvalidEscape, 1)),
    }
}

#[inline(never)]
fn unicode_escape(bytes: &[u8]) -> Result<Option<(char, usize)>, Fault> {
    let lone = (ErrorKind::LoneSurrogate, 0);
    let Some(first) = code_unit(bytes, 0)? else {
        return Ok(None);
    };
    if let Some(meaning) = char::from_u32(first) {
        return Ok(Some((meaning, 6)));
    }
    if first >= 0xdc00 {
        return Err(lone);
    }
    for (at, expected) in [(6, b'\\'), (7, b'u')] {
        match bytes.get(at) {
            None => return Ok(None),
            Some(byte) if *byte == expected => {}
            Some(_) => return Err(lone),
        }
    }
    let Some(second) = code_unit(bytes, 6)? else {
        return Ok(None);
    };
    if !(0xdc00..0xe000).contains(&second) {
        return Err(lone);
    }
    let meaning = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
    meaning.map(|meaning| Some((meaning, 12))).ok_or(lone)
}

/// The four digits of the `\uXXXX` at `start`.
fn code_unit(bytes: &[u8], start: usize) -> Result<Option<u32>, Fault> {
    let mut unit = 0;
    for at in start + 2..start + 6 {
        let Some(&byte) = bytes.get(at) else {
            return Ok(None);
        };
        let digit = char::from(byte)
            .to_digit(16)
            .ok_or((ErrorKind::ExpectedHexDigit, at))?;
        unit = unit << 4 | digit;
    }
    Ok(Some(unit))
}

/// Reads the UTF-8 character that `bytes` begins with, which must be all of them; `None` if more must come.
pub(super) fn character(bytes: &[u8]) -> Result<Option<(char, usize)>, Fault> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.chars().next().map(|meaning| (meaning, bytes.len()))),
        Err(error) if error.error_len().is_none() => Ok(None),
        Err(_) => Err((ErrorKind::InvalidUtf8, 0)),
    }
}

/// An escape or a character of a string, as much of it as has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Atom {
    /// The longest is a pair of surrogate escapes.
    bytes: [u8; 12],
    len: usize,
}

impl Atom {
    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }

    pub(super) fn len(self) -> usize {
        self.len
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        for (place, byte) in self.bytes.iter_mut().skip(self.len).zip(bytes) {
            *place = *byte;
        }
        self.len += bytes.len();
    }

    /// The character that it means; `None` if it is not whole.
    pub(super) fn decode(self) -> Result<Option<char>, Fault> {
        let bytes = self.bytes.get(..self.len).unwrap_or_default();
        let decoded = if bytes.first() == Some(&b'\\') {
            escape(bytes)
        } else {
            character(bytes)
        };
        Ok(decoded?.map(|(character, _)| character))
    }
}

/// Appends `text`, which is UTF-8, without the quotes around it, escaped as ECMA-262 `JSON.stringify` does, and besides it U+0085, U+2028 and
/// U+2029, since some hosts split lines there.
#[inline]
pub(super) fn write(text: &[u8], out: &mut Vec<u8>) {
    let (plain, rest) = split_plain(text);
    out.extend_from_slice(plain);
    if !rest.is_empty() {
        write_escaped(rest, out);
    }
}

/// Splits off what needs no escape.
#[inline]
fn split_plain(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes
        .split_at_checked(unescaped_len(bytes))
        .unwrap_or((bytes, &[]))
}

/// The rest of a string, from the first byte on that must be looked at.
#[inline(never)]
fn write_escaped(mut after: &[u8], out: &mut Vec<u8>) {
    loop {
        let rest = match after {
            [] => break,
            [0xc2, 0x85, rest @ ..] => write_escape(b"\\u0085", rest, out),
            [0xe2, 0x80, 0xa8, rest @ ..] => write_escape(b"\\u2028", rest, out),
            [0xe2, 0x80, 0xa9, rest @ ..] => write_escape(b"\\u2029", rest, out),
            [b'"', rest @ ..] => write_escape(b"\\\"", rest, out),
            [b'\\', rest @ ..] => write_escape(b"\\\\", rest, out),
            [0x08, rest @ ..] => write_escape(b"\\b", rest, out),
            [0x09, rest @ ..] => write_escape(b"\\t", rest, out),
            [0x0a, rest @ ..] => write_escape(b"\\n", rest, out),
            [0x0c, rest @ ..] => write_escape(b"\\f", rest, out),
            [0x0d, rest @ ..] => write_escape(b"\\r", rest, out),
            [control @ ..0x20, rest @ ..] => {
                let (sixteens, ones) = (b'0' + control / 16, hex_digit(control % 16));
                write_escape(&[b'\\', b'u', b'0', b'0', sixteens, ones], rest, out)
            }
            // A lead byte that C2 85, E2 80 A8 or E2 80 A9 begin with, and some other character.
            [lead, rest @ ..] => {
                out.push(*lead);
                rest
            }
        };
        after = rest;
        // Escapes often come one behind the other.
        if rest.first().is_some_and(|byte| !may_need_escape(*byte)) {
            let (plain, rest) = split_plain(rest);
            out.extend_from_slice(plain);
            after = rest;
        }
    }
}

#[inline]
fn write_escape<'b>(text: &[u8], rest: &'b [u8], out: &mut Vec<u8>) -> &'b [u8] {
    out.extend_from_slice(text);
    rest
}

fn hex_digit(nibble: u8) -> u8 {
    if nibble < 10 {
        b'0' + nibble
    } else {
        b'a' + (nibble - 10)
    }
}

/// The bytes before the first one that the writer must look at.
#[inline]
fn unescaped_len(bytes: &[u8]) -> usize {
    let Some(last) = bytes.last_chunk::<8>() else {
        return unescaped_len_of_short(bytes);
    };
    let mut rest = bytes;
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        let stops = writer_stops(*word);
        if stops != 0 {
            return bytes.len() - rest.len() + index(stops.trailing_zeros() / 8);
        }
        rest = skip_blocks(after, may_need_escape);
    }
    // The last word begins before what is left: with bytes that are no stops.
    match writer_stops(*last) {
        0 => bytes.len(),
        stops => bytes.len() - 8 + index(stops.trailing_zeros() / 8),
    }
}

/// As [`unescaped_len`], of less than eight bytes.
#[inline]
fn unescaped_len_of_short(bytes: &[u8]) -> usize {
    if let (Some([a, b, c, d]), Some([w, x, y, z])) = (bytes.first_chunk(), bytes.last_chunk()) {
        // Of four bytes or more the first four and the last four are all of them.
        if writer_stops([*a, *b, *c, *d, *w, *x, *y, *z]) == 0 {
            return bytes.len();
        }
    }
    let stop = bytes.iter().position(|byte| may_need_escape(*byte));
    stop.unwrap_or(bytes.len())
}

/// Sets the top bit of each byte of `word` that the writer must look at.
#[inline]
fn writer_stops(word: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(word);
    if (word | stops_in_ascii(word)) & HIGH == 0 {
        return 0;
    }
    stops(word) | leads(word)
}

/// Skips blocks in which no byte is what `is_found` looks for.
///
/// No early exit inside a block, and no `||` in `is_found`: this is the shape that compilers turn into vector code.
#[inline]
fn skip_blocks(bytes: &[u8], is_found: impl Fn(u8) -> bool) -> &[u8] {
    let mut rest = bytes;
    while let Some((block, after)) = rest.split_first_chunk::<32>() {
        if block
            .iter()
            .fold(false, |found, &byte| found | is_found(byte))
        {
            break;
        }
        rest = after;
    }
    rest
}

/// Whether the writer must look at `byte`.
#[inline]
fn may_need_escape(byte: u8) -> bool {
    is_stop(byte) | is_lead(byte)
}

/// Whether `byte` is C2, with which U+0085 begins, or E2, with which U+2028 and U+2029 do.
#[inline]
fn is_lead(byte: u8) -> bool {
    byte & 0xdf == 0xc2
}

/// Sets the top bit of each byte of `word` that is such a lead byte; as with [`stops`], only the lowest one marked is sure.
#[inline]
fn leads(word: u64) -> u64 {
    let difference = (word & (ONES * 0xdf)) ^ (ONES * 0xc2);
    difference.wrapping_sub(ONES) & !difference & HIGH
}
