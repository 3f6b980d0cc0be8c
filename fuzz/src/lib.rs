//! What must hold for every input of `barewire::json`, as plain functions that panic where it does not.
//!
//! The fuzz targets call them, and so does `tests/properties.rs` of the crate, which includes this file: it knows only
//! `std` and `barewire`, and cannot rot.

pub mod session;

use std::cmp::Ordering;
use std::fmt::Write as _;

use barewire::json::{
    Error, ErrorKind, Parser, Tokenizer, Value, Writer, format_number, parse, string_text, written,
};

/// What the tokenizer makes of a text that comes in these pieces: its tokens as `Debug` has them, each with a blank
/// behind it, and the fault.
pub fn tokens<'t>(pieces: impl IntoIterator<Item = &'t [u8]>) -> (String, Option<Error>) {
    let mut seen = String::new();
    let fault = read(&mut Tokenizer::new(), pieces, &mut seen).err();
    (seen, fault)
}

fn read<'t>(
    tokenizer: &mut Tokenizer,
    pieces: impl IntoIterator<Item = &'t [u8]>,
    seen: &mut String,
) -> Result<(), Error> {
    for piece in pieces {
        let mut tokens = tokenizer.read(piece);
        while let Some(token) = tokens.next()? {
            write!(seen, "{token:?} ").unwrap();
        }
    }
    while let Some(token) = tokenizer.finish()? {
        write!(seen, "{token:?} ").unwrap();
    }
    Ok(())
}

/// What the parser makes of a text that comes in these pieces: the root (after a fault, what is left of it) as compact
/// text, and the fault.
pub fn document<'t>(pieces: impl IntoIterator<Item = &'t [u8]>) -> (Option<String>, Option<Error>) {
    let mut parser = Parser::new();
    let fed = pieces.into_iter().try_for_each(|piece| parser.feed(piece));
    let fault = fed.and_then(|()| parser.finish().map(|_| ())).err();
    (parser.document().root().map(Value::to_text), fault)
}

/// Where a text is cut changes nothing, and what comes before a fault has none.
pub fn chunks(text: &[u8]) {
    // Every position of a short text; a long one would take the square of its length.
    let step = text.len() / 32 + 1;
    cuts(text, (0..=text.len()).step_by(step));
    for len in [2, 3, 5, 7] {
        same(text, || text.chunks(len));
    }
    comes_first(text, |text| tokens([text]).1);
    comes_first(text, |text| document([text]).1);
}

/// A fault at the end is the end, and any other one is the first: what stands before it lacks only its end.
fn comes_first(text: &[u8], fault: impl Fn(&[u8]) -> Option<Error>) {
    let is_end = |fault: Error| matches!(fault.kind, ErrorKind::UnexpectedEnd | ErrorKind::Empty);
    let Some(found) = fault(text) else { return };
    let before = text.get(..found.offset).expect("a fault lies in the text");
    if is_end(found) {
        assert_eq!(before, text, "{found}");
    } else if let Some(earlier) = fault(before) {
        assert!(is_end(earlier), "{found} after {earlier}");
    }
}

/// The text gives the same whole, byte by byte and in two pieces that meet at each of `positions`.
pub fn cuts(text: &[u8], positions: impl Iterator<Item = usize>) {
    same(text, || text.chunks(1));
    for at in positions {
        same(text, || {
            let (before, after) = text.split_at(at);
            [before, b"", after].into_iter()
        });
    }
}

fn same<'t, P: Iterator<Item = &'t [u8]>>(text: &'t [u8], pieces: impl Fn() -> P) {
    assert_eq!(tokens(pieces()), tokens([text]));
    assert_eq!(document(pieces()), document([text]));
}

/// A value that was read is written, read and written the same; what is left after a fault can be read too.
pub fn value(text: &[u8]) {
    let (left, fault) = document([text]);
    if let Some(fault) = fault {
        if let Some(again) = left.and_then(|left| document([left.as_bytes()]).1) {
            assert_eq!(again.kind, ErrorKind::DuplicateName, "after {fault}");
        }
        return;
    }
    let left = left.expect("a text without a fault has a value");
    let (read_tokens, _) = tokens([text]);
    assert_eq!(tokens([left.as_bytes()]), (read_tokens.clone(), None));
    assert_eq!(document([left.as_bytes()]), (Some(left), None));
    let document = parse(text).expect("read before");
    let mut seen = String::new();
    outline(document.root().expect("read before"), &mut seen);
    assert_eq!(seen, read_tokens);
}

/// The tokens of a value by way of its members and elements: at most `MAX_DEPTH` calls deep.
fn outline(value: Value<'_>, seen: &mut String) {
    match value {
        Value::Null => seen.push_str("Null "),
        Value::Bool(value) => write!(seen, "Bool({value}) ").unwrap(),
        Value::Number(number) => write!(seen, "Number({:?}) ", number.as_str()).unwrap(),
        Value::String(text) => write!(seen, "String({text:?}) ").unwrap(),
        Value::Array(array) => {
            seen.push_str("ArrayStart ");
            array.into_iter().for_each(|element| outline(element, seen));
            seen.push_str("ArrayEnd ");
        }
        Value::Object(object) => {
            seen.push_str("ObjectStart ");
            for (name, member) in object {
                write!(seen, "Name({name:?}) ").unwrap();
                let start = seen.len();
                outline(member, seen);
                let mut found = String::new();
                outline(object.get(name).expect("it was just listed"), &mut found);
                assert_eq!(found, seen[start..], "no other member is found");
            }
            seen.push_str("ObjectEnd ");
        }
    }
}

/// Each eight bytes as an `f64`: its text is JSON and means the same bits.
pub fn number(data: &[u8]) {
    let mut last = None;
    for bytes in data.chunks_exact(8) {
        let bytes = bytes.try_into().expect("eight of them");
        let value = f64::from_le_bytes(bytes);
        number_of(value, last);
        let integer = i64::from_le_bytes(bytes);
        assert_eq!(
            written(|writer| writer.integer(integer)),
            integer.to_string()
        );
        last = Some(value);
    }
}

fn number_of(value: f64, other: Option<f64>) {
    let text = formatted(value);
    assert_eq!(
        written(|writer| writer.number_as_string(value)),
        format!("\"{text}\"")
    );
    if !value.is_finite() {
        assert_eq!(written(|writer| writer.number(value)), "null");
        return;
    }
    assert_eq!(written(|writer| writer.number(value)), text);
    // `std` has the fewest digits too: on ties it takes another last one, but never more of them.
    assert_eq!(
        significant(&text),
        significant(&format!("{value:e}")),
        "{text}"
    );
    let document = parse(text.as_bytes()).expect("the text of a number is JSON");
    let Some(Value::Number(number)) = document.root() else {
        panic!("{text} is not a number")
    };
    assert_eq!(number.as_str(), text);
    // `0` is the text of -0 too, and so the one number whose sign is lost.
    assert_eq!(number.to_f64().to_bits(), (value + 0.0).to_bits(), "{text}");
    // Up to 10^21 the text has all digits; beyond, what is written is an integer as every such `f64` is.
    assert_eq!(number.is_integer(), value.fract() == 0.0, "{text}");
    assert_eq!(number.compare(number), Ordering::Equal);
    if let Some(other) = other.filter(|other| other.is_finite()) {
        let text = formatted(other);
        let other_document = parse(text.as_bytes()).expect("the text of a number is JSON");
        let other_number = other_document.root().and_then(Value::as_number).unwrap();
        let order = value.partial_cmp(&other).expect("both are finite");
        assert_eq!(number.compare(other_number), order, "{value} {other}");
        assert_eq!(other_number.compare(number), order.reverse());
    }
}

/// How many digits a number has, without zeros at either end and its exponent.
fn significant(text: &str) -> usize {
    let (digits, _) = text.split_once('e').unwrap_or((text, ""));
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// `value` as `format_number` has it.
#[must_use]
pub fn formatted(value: f64) -> String {
    let mut out = Vec::new();
    format_number(value, &mut out);
    String::from_utf8(out).expect("digits are UTF-8")
}

/// Any string is read as it was written, and any bytes between quotes are a string if they may be.
pub fn string(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let quoted = string_text(&text);
    // Each unit spelled out: a bug that needs a certain pair of surrogates is met by any text that holds it.
    let spelled: String = text.encode_utf16().fold(String::new(), |spelled, unit| {
        format!("{spelled}\\u{unit:04x}")
    });
    assert_eq!(
        string_of(format!("\"{spelled}\"").as_bytes()).as_deref(),
        Some(&*text)
    );
    assert_eq!(string_of(quoted.as_bytes()), Some(text.into_owned()));
    let breaks_line = |c: char| c < ' ' || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}');
    assert!(!quoted.contains(breaks_line), "{quoted}");

    let mut name = Vec::new();
    let mut writer = Writer::new(&mut name);
    writer.object_start();
    writer.name(&String::from_utf8_lossy(bytes));
    writer.null();
    writer.object_end();
    assert_eq!(name, [b"{", quoted.as_bytes(), b":null}"].concat());

    let raw = [b"\"", bytes, b"\""].concat();
    if !bytes.iter().any(|byte| b"\"\\".contains(byte)) {
        let plain = std::str::from_utf8(bytes).ok();
        let plain = plain.filter(|text| !text.contains(|c| c < ' '));
        assert_eq!(string_of(&raw).as_deref(), plain);
    }
    chunks(&raw);
}

fn string_of(text: &[u8]) -> Option<String> {
    let document = parse(text).ok()?;
    document.root().and_then(Value::as_str).map(str::to_owned)
}
