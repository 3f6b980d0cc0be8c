//! JSON numbers (RFC 8259 §6), both ways: the grammar of their spelling and the text of an `f64`.
//!
//! A number that was read keeps its spelling, so that ids and large integers stay exact. A number that is written comes
//! out as ECMA-262 `Number::toString` has it.

use std::cmp::Ordering;

use super::index;
use super::shortest::shortest;

/// Where in the grammar a number stands, so that it can be resumed at any byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Start,
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

impl State {
    /// Whether a number may end here.
    pub(super) fn is_complete(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Integer | Self::Fraction | Self::Exponent
        )
    }
}

/// The number that `bytes` begin with: how many belong to it, and the state after them.
#[inline]
pub(super) fn scan(bytes: &[u8]) -> (usize, State) {
    // Nearly all are an integer that does not begin with zero, or it and a fraction.
    let is_negative = usize::from(bytes.first() == Some(&b'-'));
    let after_sign = bytes.get(is_negative..).unwrap_or_default();
    if let Some(b'1'..=b'9') = after_sign.first() {
        let len = is_negative + digits_len(after_sign);
        match bytes.get(len) {
            Some(b'.' | b'e' | b'E') => {}
            _ => return (len, State::Integer),
        }
    }
    go_on(State::Start, bytes)
}

/// Goes on with a number: how many of `bytes` belong to it, and the state after them.
#[inline(never)]
pub(super) fn go_on(mut state: State, bytes: &[u8]) -> (usize, State) {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        state = match (state, byte) {
            (State::Start, b'-') => State::Minus,
            (State::Start | State::Minus, b'0') => State::Zero,
            (State::Start | State::Minus | State::Integer, b'0'..=b'9') => State::Integer,
            (State::Zero | State::Integer, b'.') => State::Point,
            (State::Point | State::Fraction, b'0'..=b'9') => State::Fraction,
            (State::Zero | State::Integer | State::Fraction, b'e' | b'E') => State::E,
            (State::E, b'+' | b'-') => State::Sign,
            (State::E | State::Sign | State::Exponent, b'0'..=b'9') => State::Exponent,
            _ => break,
        };
        at += 1;
        if matches!(state, State::Integer | State::Fraction | State::Exponent) {
            at += bytes.get(at..).map_or(0, digits_len);
        }
    }
    (at, state)
}

/// How many digits `bytes` begin with.
#[inline]
fn digits_len(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        let others = others(u64::from_le_bytes(*word));
        if others != 0 {
            return bytes.len() - rest.len() + index(others.trailing_zeros() / 8);
        }
        rest = after;
    }
    let tail = rest.iter().position(|byte| !byte.is_ascii_digit());
    bytes.len() - rest.len() + tail.unwrap_or(rest.len())
}

/// Sets the top bit of each byte of `word` that is no digit.
///
/// A digit is `0x30` and at most 9, so that the sum below stays under `0x80`. A carry out of a byte can only mark the
/// one above it, never the lowest one marked.
#[inline]
fn others(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let digits = word ^ (ONES * 0x30);
    (digits.wrapping_add(ONES * 0x76) | digits) & (ONES << 7)
}

/// A number of a JSON text, as it was spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number<'d> {
    text: &'d str,
}

impl<'d> Number<'d> {
    /// `text` follows the grammar: the tokenizer checked it.
    pub(super) fn new(text: &'d str) -> Self {
        Self { text }
    }

    /// The spelling: `1`, `1.0` and `1e0` are three texts.
    #[must_use]
    pub fn as_str(self) -> &'d str {
        self.text
    }

    /// The nearest `f64` (ties to even); infinite if the number is past the range, as in JavaScript.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        // Most are small integers, which any way of reading gets right. `-0` is none of them.
        if let Ok(integer) = self.text.parse::<u32>() {
            return f64::from(integer);
        }
        match self.text.parse() {
            Ok(value) => value,
            Err(_) => unreachable!("JSON's grammar of numbers is part of that of `f64::from_str`"),
        }
    }

    /// Whether the number is mathematically an integer, however it is spelled and of any size: `7`, `7.0`, `70e-1`.
    #[must_use]
    pub fn is_integer(self) -> bool {
        let is_sign = |byte: u8| matches!(byte, b'.' | b'e' | b'E');
        if !self.text.bytes().any(is_sign) {
            return true;
        }
        let parts = self.parts();
        parts.is_zero() || parts.last >= 0
    }

    /// Which of two numbers is greater, mathematically and of any size: `1`, `1.0` and `10e-1` are equal.
    ///
    /// Exponents past 10^18 either way count as that.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        let (a, b) = (self.parts(), other.parts());
        let sign = |parts: &Parts<'_>| match (parts.is_zero(), parts.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let magnitude = || {
            a.first
                .cmp(&b.first)
                .then_with(|| a.digits().cmp(b.digits()))
        };
        sign(&a).cmp(&sign(&b)).then_with(|| match sign(&a) {
            0 => Ordering::Equal,
            1 => magnitude(),
            _ => magnitude().reverse(),
        })
    }

    fn parts(self) -> Parts<'d> {
        const MAX_EXPONENT: i64 = 1_000_000_000_000_000_000;
        let count = |text: &str| i64::try_from(text.len()).unwrap_or(MAX_EXPONENT);
        let (is_negative, text) = match self.text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, self.text),
        };
        let (significand, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let limit = if exponent.starts_with('-') {
            -MAX_EXPONENT
        } else {
            MAX_EXPONENT
        };
        let exponent: i64 = exponent
            .parse()
            .unwrap_or(limit)
            .clamp(-MAX_EXPONENT, MAX_EXPONENT);
        let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));

        // Leading zeros carry no value, and nor do trailing ones once the place of the last digit is known.
        let last = exponent - count(fraction.trim_end_matches('0'));
        let (whole, fraction) = (
            whole.trim_start_matches('0'),
            fraction.trim_end_matches('0'),
        );
        let (last, whole) = if fraction.is_empty() {
            let digits = whole.trim_end_matches('0');
            (last + count(whole) - count(digits), digits)
        } else {
            (last, whole)
        };
        let fraction = if whole.is_empty() {
            fraction.trim_start_matches('0')
        } else {
            fraction
        };
        let first = last + count(whole) + count(fraction);
        Parts {
            is_negative,
            whole,
            fraction,
            first,
            last,
        }
    }
}

/// A number as `± digits × 10^last`, the digits without zeros at either end; `10^first` is the next power
/// of ten above it.
struct Parts<'d> {
    is_negative: bool,
    whole: &'d str,
    fraction: &'d str,
    first: i64,
    last: i64,
}

impl<'d> Parts<'d> {
    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn digits(&self) -> impl Iterator<Item = u8> + use<'d> {
        self.whole.bytes().chain(self.fraction.bytes())
    }
}

/// Appends `value` as ECMA-262 `Number::toString` has it: `6.5`, `7`, `0` for -0, `1e+21`, `1e-7`, `Infinity`, `NaN`.
///
/// The last two are not JSON: [`Writer::number`](super::Writer::number) writes `null` for them.
///
/// ```
/// let mut out = Vec::new();
/// barewire::json::format_number(0.1 + 0.2, &mut out);
/// assert_eq!(out, b"0.30000000000000004");
/// ```
pub fn format(value: f64, out: &mut Vec<u8>) {
    if value.is_nan() {
        return out.extend_from_slice(b"NaN");
    }
    if value < 0.0 {
        out.push(b'-');
    }
    let value = value.abs();
    if value.is_infinite() {
        return out.extend_from_slice(b"Infinity");
    }
    if let Some(integer) = small_integer(value) {
        return out.extend_from_slice(Digits::of(integer).as_bytes());
    }
    let (significand, exponent) = decompose(value);
    let (digits, exponent) = shortest(significand, exponent);
    let (digits, exponent) = without_trailing_zeros(digits, exponent);
    place_point(Digits::of(digits), exponent, out);
}

/// `value`, not negative, as an integer if it is one below 2^53: its digits are its shortest text.
#[expect(
    clippy::as_conversions,
    reason = "no `TryFrom<f64>` exists; `as` saturates and the comparison tells"
)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "as above"
)]
#[expect(clippy::float_cmp, reason = "exact equality is the question")]
fn small_integer(value: f64) -> Option<u64> {
    let integer = value as u64;
    (integer < 1 << 53 && integer as f64 == value).then_some(integer)
}

/// A positive finite `value` as `significand × 2^exponent` (IEEE 754 binary64).
fn decompose(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match i32::try_from(bits >> 52) {
        Ok(0) => (fraction, -1074),
        Ok(biased) => (fraction | 1 << 52, biased - 1075),
        Err(_) => unreachable!("twelve bits fit"),
    }
}

fn without_trailing_zeros(mut digits: u64, mut exponent: i32) -> (u64, i32) {
    for (power, zeros) in [(100_000_000, 8), (10_000, 4), (100, 2), (10, 1)] {
        while digits % power == 0 {
            digits /= power;
            exponent += zeros;
        }
    }
    (digits, exponent)
}

/// ECMA-262 `Number::toString` steps 6 to 12: `digits × 10^exponent`, where the digits are `k` and the point stands after `n`.
fn place_point(mut all: Digits, exponent: i32, out: &mut Vec<u8>) {
    let digits = all.as_bytes();
    let k = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let n = k + exponent;
    let zeros = |count: i32| std::iter::repeat_n(b'0', usize::try_from(count).unwrap_or(0));
    let point = usize::try_from(n).unwrap_or(0);
    if (k..=21).contains(&n) {
        out.extend_from_slice(digits);
        out.extend(zeros(n - k));
    } else if (1..=21).contains(&n) {
        let (whole, fraction) = digits.split_at(point);
        out.extend_from_slice(whole);
        out.push(b'.');
        out.extend_from_slice(fraction);
    } else if (-5..=0).contains(&n) {
        out.extend_from_slice(b"0.");
        out.extend(zeros(-n));
        out.extend_from_slice(digits);
    } else {
        if k > 1 {
            all.insert_point();
        }
        out.extend_from_slice(all.as_bytes());
        out.extend_from_slice(if n > 0 { b"e+" } else { b"e-" });
        out.extend_from_slice(Digits::of(u64::from((n - 1).unsigned_abs())).as_bytes());
    }
}

/// The decimal digits of an integer, on the stack, with room for a point before them.
pub(super) struct Digits {
    buffer: [u8; 22],
    start: usize,
}

/// `00` to `99`: two digits cost one division.
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler evaluates this: an index out of bounds fails the build"
)]
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let (mut at, mut tens, mut ones) = (0, b'0', b'0');
    while at < 100 {
        pairs[at] = [tens, ones];
        (tens, ones) = if ones == b'9' {
            (tens + 1, b'0')
        } else {
            (tens, ones + 1)
        };
        at += 1;
    }
    pairs
};

impl Digits {
    #[inline]
    pub(super) fn of(mut value: u64) -> Self {
        let mut buffer = [b'0'; 22];
        let mut start = buffer.len();
        for pair in buffer.rchunks_exact_mut(2) {
            let (digits, is_one) = last_pair(value);
            pair.copy_from_slice(&digits);
            start -= 2;
            value /= 100;
            if value == 0 {
                start += usize::from(is_one);
                break;
            }
        }
        Self { buffer, start }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Puts a point behind the first digit.
    fn insert_point(&mut self) {
        self.start -= 1;
        if let Some([before, first, ..]) = self.buffer.get_mut(self.start..) {
            *before = *first;
            *first = b'.';
        }
    }
}

/// The last two digits of `value`, and whether the first of them is a zero.
#[expect(clippy::as_conversions, reason = "a rest by a hundred fits")]
#[expect(clippy::indexing_slicing, reason = "as above")]
#[inline]
fn last_pair(value: u64) -> ([u8; 2], bool) {
    let rest = (value % 100) as usize;
    (PAIRS[rest], rest < 10)
}
