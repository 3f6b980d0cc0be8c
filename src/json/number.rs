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
    if !value.is_finite() {
        return out.extend_from_slice(match value {
            f64::INFINITY => b"Infinity",
            f64::NEG_INFINITY => b"-Infinity",
            _ => b"NaN",
        });
    }
    let magnitude = value.abs();
    let (digits, exponent) = small_integer(magnitude).map_or_else(
        || {
            let (significand, exponent) = decompose(magnitude);
            let (digits, exponent) = shortest(significand, exponent);
            without_trailing_zeros(digits, exponent)
        },
        |integer| (integer, 0),
    );
    let mut text = Digits::of(digits);
    text.place_point(exponent);
    if value < 0.0 {
        text.put_before(b'-');
    }
    out.extend_from_slice(text.as_bytes());
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
    // Too large, or a fraction: the biased exponent tells, in one comparison.
    let exponent = (value.to_bits() >> 52).wrapping_sub(1023);
    if exponent >= 53 && value != 0.0 {
        return None;
    }
    let integer = value as u64;
    (integer as f64 == value).then_some(integer)
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
    if digits % 10 != 0 {
        return (digits, exponent);
    }
    for (power, zeros) in [(100_000_000, 8), (10_000, 4), (100, 2), (10, 1)] {
        while digits % power == 0 {
            digits /= power;
            exponent += zeros;
        }
    }
    (digits, exponent)
}

/// The decimal digits of an integer, on the stack, with room for what may stand around them.
pub(super) struct Digits {
    /// The digits end before [`END`]. What nothing else was written to is zeros.
    buffer: [u8; 56],
    start: usize,
    end: usize,
}

/// Before the digits, of which an `f64` has at most 17, there is room for `-0.00000`, behind them for twenty zeros.
const END: usize = 32;

impl Digits {
    #[inline]
    pub(super) fn of(value: u64) -> Self {
        let mut buffer = [b'0'; 56];
        let (mut start, mut rest) = (END, value);
        let places = buffer.get_mut(..start).unwrap_or_default();
        for places in places.rchunks_exact_mut(8) {
            let digits = eight_digits(rest % 100_000_000);
            places.copy_from_slice(&text_of(digits).to_le_bytes());
            start -= 8;
            rest /= 100_000_000;
            if rest == 0 {
                start += leading_zeros(digits);
                break;
            }
        }
        Self {
            buffer,
            start,
            end: END,
        }
    }

    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    fn put_before(&mut self, byte: u8) {
        self.start -= 1;
        self.put(self.start, byte);
    }

    fn put(&mut self, at: usize, byte: u8) {
        if let Some(place) = self.buffer.get_mut(at) {
            *place = byte;
        }
    }

    /// ECMA-262 `Number::toString` steps 6 to 12: makes the digits, which are `k` many, the text of
    /// `digits × 10^exponent`, where the point stands after `n` of them.
    fn place_point(&mut self, exponent: i32) {
        let k = self.end - self.start;
        let n = exponent + i32::try_from(k).unwrap_or(i32::MAX);
        let count = |n: i32| usize::try_from(n).unwrap_or(0);
        if !(-5..=21).contains(&n) {
            if k > 1 {
                self.insert_point(1);
            }
            let sign = if n > 0 { b'+' } else { b'-' };
            let digits = four_digits((n - 1).unsigned_abs().into());
            let zeros = leading_zeros(digits);
            let text = text_of(digits) >> (8 * zeros) << 16;
            let text = text | u64::from(sign) << 8 | u64::from(b'e');
            if let Some(places) = self.buffer.get_mut(self.end..self.end + 8) {
                places.copy_from_slice(&text.to_le_bytes());
            }
            self.end += 2 + 8 - zeros;
        } else if n <= 0 {
            self.start -= 2 + count(-n);
            self.put(self.start + 1, b'.');
        } else if exponent < 0 {
            self.insert_point(count(n));
        } else {
            self.end += count(exponent);
        }
    }

    /// Puts a point behind the first `whole` digits.
    fn insert_point(&mut self, whole: usize) {
        let digits = self.start..self.start + whole;
        self.start -= 1;
        self.buffer.copy_within(digits, self.start);
        self.put(self.start + whole, b'.');
    }
}

/// The digits of a number below 10^8, one a byte, the first in the lowest one.
///
/// The number is cut into halves, the halves side by side into quarters, and these into digits. A product with 10486 / 2^20
/// or 103 / 2^10 is the quotient by 100 or 10 for as many digits as there are; the mask drops what comes from the
/// neighbour.
#[inline]
fn eight_digits(value: u64) -> u64 {
    let halves = side_by_side(value, value / 10_000, 10_000, 32);
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    digits_of_quarters(side_by_side(halves, hundreds, 100, 16))
}

/// As [`eight_digits`], of a number below 10^4: the first four are zeros.
#[inline]
fn four_digits(value: u64) -> u64 {
    digits_of_quarters(side_by_side(value, value / 100, 100, 16)) << 32
}

#[inline]
fn digits_of_quarters(quarters: u64) -> u64 {
    let tens = ((quarters * 103) >> 10) & 0x000f_000f_000f_000f;
    side_by_side(quarters, tens, 10, 8)
}

/// `quotient | rest << bits`, where the rest is `value - divisor * quotient`: the same in fewer steps.
#[inline]
fn side_by_side(value: u64, quotient: u64, divisor: u64, bits: u32) -> u64 {
    (value << bits) - ((divisor << bits) - 1) * quotient
}

#[inline]
fn text_of(digits: u64) -> u64 {
    digits | 0x3030_3030_3030_3030
}

/// How many of eight digits are zeros before the first other one, or before the last one.
#[inline]
fn leading_zeros(digits: u64) -> usize {
    index((digits | 1 << 63).trailing_zeros() / 8)
}
