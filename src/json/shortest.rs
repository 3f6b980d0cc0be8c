//! The shortest decimal digits that read back as a given `f64`: Raffaello Giulietti's Schubfach.
//!
//! In: a positive finite `f64`, as `significand × 2^exponent`. Out: `digits × 10^exponent`. What ECMA-262
//! `Number::toString` asks for: as few digits as possible, of those the closest, and on a tie the even one.
//! (`std` rounds a tie up.) The names and steps follow "The Schubfach way to render doubles", 2020-2022:
//! <https://drive.google.com/file/d/1IEeATSVnEE6TkrHlCYNY2GjaraBjOT4f>.
//!
//! The idea: all reals that read back as `v` fill an interval around it. The interval is wider than one unit of
//! `10^k` and narrower than ten, for a `k` that depends on the exponent alone. So at most one multiple of `10^(k+1)`
//! lies in it, and if there is one it is the shortest; else one of the two multiples of `10^k` next to `v` is.
//! All three are compared with the bounds, scaled by `4 × 10^-k` so that halves are whole numbers. The product
//! with `10^-k` need not be exact: `round_to_odd` keeps the bit "there was a rest", which the comparisons need.

/// The smallest power of ten in [`POWERS`].
const MIN_POWER: i32 = -292;
const MAX_POWER: i32 = 324;

/// `digits × 10^exponent` is the shortest text of `significand × 2^exponent`; `digits` may end in zeros.
///
/// `significand` is below 2^53 and not 0; it is 2^52 or more unless `exponent` is that of the subnormals.
pub(super) fn shortest(significand: u64, exponent: i32) -> (u64, i32) {
    // An even significand owns the bounds of its interval: round-to-even reads them back as it.
    let open = significand & 1;
    // Below a power of two the numbers are twice as dense, so the lower bound is half as far.
    let is_power_of_two = significand == 1 << 52 && exponent > -1074;
    let center = significand << 2;
    let lower = center - if is_power_of_two { 1 } else { 2 };
    let upper = center + 2;

    let k = if is_power_of_two {
        floor_log10_of_three_quarters_of_2_to(exponent)
    } else {
        floor_log10_of_2_to(exponent)
    };
    let shift = exponent + floor_log2_of_10_to(-k) + 1;
    let power = power_of_ten(-k);
    let center = round_to_odd(power, center << shift);
    let lower = round_to_odd(power, lower << shift) + open;
    let upper = round_to_odd(power, upper << shift) - open;

    let s = center / 4;
    if s >= 10 {
        let tens = s / 10;
        let below = lower <= 40 * tens;
        let above = 40 * tens + 40 <= upper;
        // Both cannot hold, as the interval is narrower than ten.
        if below != above {
            return (tens + u64::from(above), k + 1);
        }
    }
    let below = lower <= 4 * s;
    let above = 4 * s + 4 <= upper;
    if below != above {
        return (s + u64::from(above), k);
    }
    let middle = 4 * s + 2;
    let round_up = center > middle || (center == middle && s & 1 == 1);
    (s + u64::from(round_up), k)
}

/// `⌊power × factor / 2^128⌋`, with the last bit set if the rest is not zero.
///
/// `power` is up to one unit too large, so a rest of one unit means none (section 9 of the paper).
fn round_to_odd(power: u128, factor: u64) -> u64 {
    let factor = u128::from(factor);
    let product = u128::from(high(power)) * factor + ((u128::from(low(power)) * factor) >> 64);
    high(product) | u64::from(low(product) > 1)
}

#[expect(clippy::as_conversions, reason = "the upper half of a u128 fits a u64")]
const fn high(x: u128) -> u64 {
    (x >> 64) as u64
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "the lower half is what is asked for"
)]
const fn low(x: u128) -> u64 {
    x as u64
}

// The three logarithms are exact over all exponents of an `f64` (sections 6 and 7 of the paper; tested below).

/// `⌊log10(2^e)⌋`
const fn floor_log10_of_2_to(e: i32) -> i32 {
    (e * 1_262_611) >> 22
}

/// `⌊log10(3/4 × 2^e)⌋`
const fn floor_log10_of_three_quarters_of_2_to(e: i32) -> i32 {
    (e * 1_262_611 - 524_031) >> 22
}

/// `⌊log2(10^e)⌋`
const fn floor_log2_of_10_to(e: i32) -> i32 {
    (e * 1_741_647) >> 19
}

/// `⌊10^e × 2^-r⌋ + 1` with the `r` that makes it a number of exactly 128 bits. The paper's has 126 bits.
fn power_of_ten(e: i32) -> u128 {
    let at = usize::try_from(e - MIN_POWER).ok();
    match at.and_then(|at| POWERS.get(at)) {
        Some(power) => *power,
        None => unreachable!("no exponent of an f64 needs 10^{e}"),
    }
}

static POWERS: [u128; 617] = powers();

/// Computes the table while the crate is compiled: from 10^0 upwards by multiplying by 5 and downwards by dividing
/// by 5 (the factor 2 only moves the binary point), with 256 bits, cut off after each step. Each step loses less than one
/// unit of the 256 bits, all of them less than 2^10, and no power has its next 118 bits so close to
/// a carry that this could reach the upper 128 (the tests compare each entry with exact integers).
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler evaluates this: an index out of bounds fails the build"
)]
#[expect(
    clippy::as_conversions,
    reason = "`try_from` is not const; both are positive"
)]
const fn powers() -> [u128; 617] {
    let mut table = [0; 617];
    let zero = -MIN_POWER as usize;
    let one = [0, 0, 0, 1 << 63];
    let mut limbs = one;
    let mut at = zero;
    loop {
        table[at] = upper_half_plus_one(limbs);
        if at == zero + MAX_POWER as usize {
            break;
        }
        limbs = times_five(limbs);
        at += 1;
    }
    limbs = one;
    at = zero;
    while at > 0 {
        limbs = divided_by_five(limbs);
        at -= 1;
        table[at] = upper_half_plus_one(limbs);
    }
    table
}

/// 256 bits as four limbs, the lowest first; the highest bit is set.
type Limbs = [u64; 4];

const fn upper_half_plus_one(limbs: Limbs) -> u128 {
    let [_, _, third, fourth] = limbs;
    join(fourth, third) + 1
}

#[expect(clippy::as_conversions, reason = "`from` is not const")]
const fn join(high: u64, low: u64) -> u128 {
    (high as u128) << 64 | low as u128
}

#[expect(
    clippy::indexing_slicing,
    reason = "the compiler evaluates this: an index out of bounds fails the build"
)]
const fn times_five(mut limbs: Limbs) -> Limbs {
    let mut carry = 0;
    let mut at = 0;
    while at < 4 {
        let product = join(0, limbs[at]) * 5 + join(0, carry);
        limbs[at] = low(product);
        carry = high(product);
        at += 1;
    }
    shifted_right(limbs, carry)
}

#[expect(
    clippy::indexing_slicing,
    reason = "the compiler evaluates this: an index out of bounds fails the build"
)]
const fn divided_by_five(mut limbs: Limbs) -> Limbs {
    let mut rest = 0;
    let mut at = 4;
    while at > 0 {
        at -= 1;
        let dividend = join(rest, limbs[at]);
        limbs[at] = low(dividend / 5);
        rest = low(dividend % 5);
    }
    // One limb more of the quotient, for the bits that the shift to the top lets in.
    let next = low(join(rest, 0) / 5);
    let [first, second, third, fourth] = limbs;
    let shift = 64 - fourth.leading_zeros();
    let top = fourth;
    // `fourth` lost two or three bits: shifting right by the bits it kept is shifting left by those it lost.
    let moved = shifted_right([next, first, second, third], top);
    assert!(
        shift >= 61,
        "a quotient by five is at most three bits shorter"
    );
    moved
}

/// The upper 256 bits of the 320 or fewer significant bits of `carry` and `limbs`.
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler evaluates this: an index out of bounds fails the build"
)]
const fn shifted_right(mut limbs: Limbs, carry: u64) -> Limbs {
    let bits = 64 - carry.leading_zeros();
    let mut at = 0;
    while at < 4 {
        let above = if at == 3 { carry } else { limbs[at + 1] };
        limbs[at] = low(join(above, limbs[at]) >> bits);
        at += 1;
    }
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An integer of any size: digits of base 2^32, the highest first and not 0, after their count. So the derived
    /// order is the order of the numbers.
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Natural(usize, Vec<u32>);

    impl Natural {
        fn times(&self, factor: u32) -> Self {
            let mut carry = 0;
            let mut digits: Vec<u32> = Vec::new();
            for digit in self.1.iter().rev() {
                let product = u64::from(*digit) * u64::from(factor) + carry;
                digits.push(product as u32);
                carry = product >> 32;
            }
            digits.push(carry as u32);
            digits.reverse();
            Self::of(digits)
        }

        fn minus(&self, other: &Self) -> Self {
            let mut borrow = 0;
            let mut digits: Vec<u32> = Vec::new();
            let others = other.1.iter().rev().copied().chain(std::iter::repeat(0));
            for (digit, other) in self.1.iter().rev().zip(others) {
                let difference = i64::from(*digit) - i64::from(other) - borrow;
                digits.push(difference as u32);
                borrow = i64::from(difference < 0);
            }
            digits.reverse();
            Self::of(digits)
        }

        fn of(digits: Vec<u32>) -> Self {
            let digits: Vec<u32> = digits.into_iter().skip_while(|digit| *digit == 0).collect();
            Self(digits.len(), digits)
        }

        fn power(base: u32, exponent: i32) -> Self {
            (0..exponent).fold(Self(1, vec![1]), |power, _| power.times(base))
        }
    }

    /// The first 128 significant bits of `dividend / divisor`.
    fn quotient(mut dividend: Natural, mut divisor: Natural) -> u128 {
        while divisor < dividend {
            divisor = divisor.times(2);
        }
        let mut quotient = 0;
        while quotient >> 127 == 0 {
            let fits = divisor <= dividend;
            if fits {
                dividend = dividend.minus(&divisor);
            }
            dividend = dividend.times(2);
            quotient = quotient << 1 | u128::from(fits);
        }
        quotient
    }

    #[test]
    fn each_power_of_ten_is_the_exact_one_plus_one() {
        for e in MIN_POWER..=MAX_POWER {
            let exact = quotient(Natural::power(5, e), Natural::power(5, -e));
            assert_eq!(power_of_ten(e), exact + 1, "10^{e}");
        }
    }

    #[test]
    fn the_logarithms_are_exact_over_all_exponents() {
        let tens: Vec<Natural> = (0..=330).map(|e| Natural::power(10, e)).collect();
        // ⌊log10(a / b)⌋ is the last e with 10^e × b ≤ a, or minus the first with b ≤ 10^e × a.
        let scaled = |ten: &Natural, factors: &[u32]| {
            factors
                .iter()
                .fold(ten.clone(), |it, factor| it.times(*factor))
        };
        for e in 0..=1023 {
            let two = Natural::power(2, e);
            let log = |four: &[u32], three: &[u32]| {
                let power = scaled(&two, three);
                tens.iter()
                    .rposition(|ten| scaled(ten, four) <= power)
                    .map_or(-1, |at| at as i32)
            };
            let minus_log = |four: &[u32], three: &[u32]| {
                let power = scaled(&two, four);
                -(tens
                    .iter()
                    .position(|ten| power <= scaled(ten, three))
                    .unwrap() as i32)
            };
            assert_eq!(floor_log10_of_2_to(e), log(&[], &[]), "2^{e}");
            assert_eq!(floor_log10_of_2_to(-e), minus_log(&[], &[]), "2^-{e}");
            assert_eq!(
                floor_log10_of_three_quarters_of_2_to(e),
                log(&[4], &[3]),
                "3/4 × 2^{e}"
            );
            assert_eq!(
                floor_log10_of_three_quarters_of_2_to(-e),
                minus_log(&[4], &[3]),
                "3/4 × 2^-{e}"
            );
        }
        for (e, ten) in (0..=324).zip(&tens) {
            let bits = ten.0 as i32 * 32 - ten.1[0].leading_zeros() as i32;
            assert_eq!(floor_log2_of_10_to(e), bits - 1, "10^{e}");
            let is_one = i32::from(e == 0);
            assert_eq!(floor_log2_of_10_to(-e), -bits + is_one, "10^-{e}");
        }
    }

    #[test]
    fn the_cases_of_the_proof() {
        let rows: [(&str, u64, i32, (u64, i32)); 7] = [
            (
                "the smallest subnormal: one digit is enough",
                1,
                -1074,
                (5, -324),
            ),
            (
                "the largest subnormal",
                (1 << 52) - 1,
                -1074,
                (2_225_073_858_507_201, -323),
            ),
            (
                "the smallest normal: a power of two with even spacing",
                1 << 52,
                -1074,
                (22_250_738_585_072_014, -324),
            ),
            (
                "a power of two: the interval is narrower below",
                1 << 52,
                971,
                (898_846_567_431_158, 293),
            ),
            (
                "the largest",
                (1 << 53) - 1,
                971,
                (17_976_931_348_623_157, 292),
            ),
            (
                "a tie goes to the even digit (RFC 8785)",
                0x0014_3ff3_c1cb_0959,
                -2,
                (14_249_539_237_812_062, -1),
            ),
            (
                "one: the digits may end in zeros",
                1 << 52,
                -52,
                (1_000_000_000_000_000, -15),
            ),
        ];
        for (name, significand, exponent, expected) in rows {
            assert_eq!(shortest(significand, exponent), expected, "{name}");
        }
    }
}
