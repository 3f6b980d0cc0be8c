//! The judges over what a fuzzer would take long to reach: sweeps of numbers, and all short texts.

mod judges;

use judges::{Policy, agree, formats_same, texts_agree};

/// How many random numbers: those of a debug build take a second.
const NUMBERS: u64 = if cfg!(debug_assertions) {
    200_000
} else {
    20_000_000
};

/// `splitmix64`: the same numbers on every machine and in every run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

fn differences(values: impl Iterator<Item = f64>) -> u64 {
    values.map(|value| u64::from(!formats_same(value))).sum()
}

#[test]
fn numbers_of_random_bits_are_written_the_same() {
    let mut state = 2;
    let values = (0..NUMBERS).map(|_| f64::from_bits(random(&mut state)));
    assert_eq!(differences(values), 0);
}

#[test]
fn numbers_that_people_write_are_written_the_same() {
    let count = i32::try_from(NUMBERS / 10).unwrap();
    let hundredths = (0..count).map(|n| f64::from(n) / 100.0);
    let integers = (0..count).map(|n| f64::from(n) * 4_503_599_627.0);
    let tenths = (0..count).map(|n| f64::from(n) * 0.1);
    assert_eq!(differences(hundredths.chain(integers).chain(tenths)), 0);
}

#[test]
fn numbers_beside_every_power_are_written_the_same() {
    let powers = (0..2047_u64).map(|exponent| exponent << 52);
    let tens = (-323..309).map(|n| format!("1e{n}").parse::<f64>().unwrap().to_bits());
    let bits = powers
        .chain(tens)
        .flat_map(|bits| (0..9).map(move |n| (bits + n).wrapping_sub(4)));
    assert_eq!(differences(bits.map(f64::from_bits)), 0);
}

#[test]
fn every_short_text_is_judged_the_same() {
    const SIGNS: &[u8; 12] = b"[]{},:\"1-.e0";
    for len in 0..=5_u32 {
        for number in 0..SIGNS.len().pow(len) {
            let text: Vec<u8> = (0..len)
                .map(|at| SIGNS[number / SIGNS.len().pow(at) % SIGNS.len()])
                .collect();
            assert_eq!(texts_agree(&text), None);
        }
    }
    for first in 0..=u8::MAX {
        for second in 0..=u8::MAX {
            assert_eq!(texts_agree(&[first, second]), None);
            assert_eq!(texts_agree(&[b'"', first, second, b'"']), None);
            assert_eq!(texts_agree(&[b'"', b'\\', first, second, b'"']), None);
        }
    }
}

#[test]
fn the_seeds_are_judged_the_same() {
    for target in ["differential", "tokenizer", "value", "string", "number"] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("seeds")
            .join(target);
        let mut count = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            agree(&std::fs::read(file.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 3, "{target}");
    }
}

#[test]
fn each_policy_has_a_text() {
    let deep = "[".repeat(128) + &"]".repeat(128);
    for (text, policy) in [
        ("{\"a\":1,\"\\u0061\":2}", Policy::DuplicateNames),
        (&deep, Policy::Depth),
        ("\u{feff}1", Policy::ByteOrderMark),
        (
            "{\"$serde_json::private::Number\":\"1\"}",
            Policy::PrivateName,
        ),
        (
            "{\"\\u0024serde_json::private::Number\":\"1\"}",
            Policy::PrivateName,
        ),
    ] {
        assert_eq!(texts_agree(text.as_bytes()), Some(policy), "{text}");
    }
    assert_eq!(
        texts_agree(b"[\"\\ud800\"]"),
        None,
        "both refuse a lone surrogate"
    );
}
