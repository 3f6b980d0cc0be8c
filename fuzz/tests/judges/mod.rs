//! Two other implementations as judges: `serde_json`, which keeps the spelling of numbers here, and `ryu_js`.
//!
//! Where we differ by choice, `Policy` lists it with its reason, and such a text is not compared further. Anything
//! else is a bug of one of us.

use barewire::json::{Error, ErrorKind, Value, parse};

/// Why a text that `serde_json` reads may be refused by us, or the other way round.
#[derive(Debug, PartialEq, Eq)]
pub enum Policy {
    /// We refuse a text with two meanings; `serde_json` takes the last member.
    DuplicateNames,
    /// We read 128 levels; `serde_json` gives up within the 128th.
    Depth,
    /// We skip one at the start; `serde_json` refuses it.
    ByteOrderMark,
    /// With `arbitrary_precision` a number travels as an object of this name, which a text can forge: `serde_json`
    /// then reads a number where an object stands, or refuses it.
    PrivateName,
}

const PRIVATE_NAME: &str = "$serde_json::private::Number";

/// Panics where we and a judge differ on these bytes: as a text, and as numbers.
pub fn agree(data: &[u8]) {
    texts_agree(data);
    for bytes in data.chunks_exact(8) {
        let bytes = bytes.try_into().expect("eight of them");
        formats_agree(f64::from_le_bytes(bytes));
    }
}

/// The number is written as `ryu_js` writes it, which knows `Infinity` and `NaN` too.
pub fn formats_agree(value: f64) {
    assert!(formats_same(value), "{:016x}", value.to_bits());
}

pub fn formats_same(value: f64) -> bool {
    let mut ours = Vec::with_capacity(32);
    barewire::json::format_number(value, &mut ours);
    ours == ryu_js::Buffer::new().format(value).as_bytes()
}

/// Both read the text, to the same value, or both refuse it; or why not.
pub fn texts_agree(text: &[u8]) -> Option<Policy> {
    let ours = parse(text);
    let theirs: Result<serde_json::Value, _> = serde_json::from_slice(text);
    let policy = policy(text, ours.as_ref().err().copied());
    if policy.is_some() {
        return policy;
    }
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => {
            let root = ours.root().expect("a text without a fault has a value");
            assert!(same(root, theirs), "{} against {theirs}", root.to_text());
        }
        (Err(_), Err(_)) => {}
        (Ok(_), Err(error)) => panic!("only we read it: {error}"),
        (Err(error), Ok(_)) => panic!("only they read it: {error}"),
    }
    None
}

fn policy(text: &[u8], ours: Option<Error>) -> Option<Policy> {
    let private = text
        .windows(PRIVATE_NAME.len())
        .any(|window| window == PRIVATE_NAME.as_bytes());
    match ours.map(|error| error.kind) {
        _ if text.starts_with("\u{feff}".as_bytes()) => Some(Policy::ByteOrderMark),
        Some(ErrorKind::DuplicateName) => Some(Policy::DuplicateNames),
        _ if brackets(text) >= 128 => Some(Policy::Depth),
        // An escape can hide it: then the text holds one, and the rest of it.
        _ if private || text.windows(2).any(|window| window == br"\u") && hidden(text) => {
            Some(Policy::PrivateName)
        }
        _ => None,
    }
}

/// Whether the private name stands in the text with escapes in it.
fn hidden(text: &[u8]) -> bool {
    let mut tokenizer = barewire::json::Tokenizer::new();
    let mut tokens = tokenizer.read(text);
    while let Ok(Some(token)) = tokens.next() {
        if matches!(token, barewire::json::Token::Name(PRIVATE_NAME)) {
            return true;
        }
    }
    false
}

/// Brackets that open something, or stand in a string: at least the depth.
fn brackets(text: &[u8]) -> usize {
    text.iter().filter(|byte| b"[{".contains(byte)).count()
}

/// The same value: members in any order, as theirs are sorted, and numbers spelled the same.
fn same(ours: Value<'_>, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(ours), serde_json::Value::Bool(theirs)) => ours == *theirs,
        (Value::Number(ours), serde_json::Value::Number(theirs)) => {
            // They write an exponent with its sign and a small `e`.
            spelled(ours.as_str()) == theirs.to_string()
                && theirs
                    .as_f64()
                    .is_none_or(|theirs| theirs.to_bits() == ours.to_f64().to_bits())
        }
        (Value::String(ours), serde_json::Value::String(theirs)) => ours == theirs,
        (Value::Array(ours), serde_json::Value::Array(theirs)) => {
            ours.iter().count() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| same(ours, theirs))
        }
        (Value::Object(ours), serde_json::Value::Object(theirs)) => {
            ours.iter().count() == theirs.len()
                && ours
                    .iter()
                    .all(|(name, value)| theirs.get(name).is_some_and(|theirs| same(value, theirs)))
        }
        _ => false,
    }
}

fn spelled(number: &str) -> String {
    let number = number.replace('E', "e");
    match number.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with(['+', '-']) => {
            format!("{digits}e+{exponent}")
        }
        _ => number,
    }
}
