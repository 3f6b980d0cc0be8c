//! The properties that the fuzz targets check (`fuzz/src/lib.rs`), over their seeds and 10,000 changes of them each.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    unreachable_pub,
    dead_code,
    reason = "a test may panic"
)]

use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
mod properties;

const CHANGES: usize = 10_000;

/// `splitmix64`: the same numbers on every machine and in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Signs that mean something to the grammar: a random byte seldom does.
const PARTS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud83d",
    b"\\ude00",
    b"\\u0061",
    b"\\n",
    b"-",
    b"0",
    b"1",
    b".",
    b"e",
    b"E+",
    b"true",
    b"false",
    b"null",
    b" ",
    b"\n",
    b"\"a\":",
    b"\"a\"",
    b"\xc2",
    b"\xe2\x80\xa8",
    b"\xf0\x9f\x98\x80",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\0",
    b"{\"a\":1,\"b\":[1.5e3]}",
    b"12345678",
];

/// `seed` after one to three changes: a part put in, bytes taken out, doubled, replaced, or joined with another seed.
fn change(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut text = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len() + 1);
        let end = at + random.below((text.len() - at).min(16) + 1);
        match random.below(6) {
            0 | 1 => drop(text.splice(at..at, PARTS[random.below(PARTS.len())].iter().copied())),
            2 => drop(text.drain(at..end)),
            3 => {
                let doubled = text[at..end].to_vec();
                drop(text.splice(at..at, doubled));
            }
            4 if at < text.len() => text[at] = random.next() as u8,
            _ => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                text.truncate(at);
                text.extend_from_slice(&other[from..]);
            }
        }
        text.truncate(512);
    }
    text
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(target);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= 4, "{target} has too few seeds");
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

fn holds(target: &str, property: fn(&[u8])) {
    let seeds = seeds(target);
    for seed in &seeds {
        property(seed);
    }
    let mut random = Random(0);
    for _ in 0..CHANGES {
        property(&change(&seeds, &mut random));
    }
}

#[test]
fn where_a_text_is_cut_changes_nothing() {
    holds("tokenizer", properties::chunks);
}

#[test]
fn a_value_is_read_as_it_was_written() {
    holds("value", properties::value);
    // The texts of the differential target are the ones most worth reading.
    holds("differential", properties::value);
}

#[test]
fn a_number_means_the_same_bits() {
    holds("number", properties::number);
}

#[test]
fn a_string_is_read_as_it_was_written() {
    holds("string", properties::string);
}

#[test]
fn a_conversation_is_that_of_its_lines() {
    holds("session", properties::session::session);
}

#[test]
fn the_changes_reach_texts_that_are_read_and_texts_that_are_not() {
    let seeds = seeds("value");
    let mut random = Random(0);
    let read = (0..CHANGES)
        .filter(|_| barewire::json::parse(&change(&seeds, &mut random)).is_ok())
        .count();
    assert!((CHANGES / 20..CHANGES * 9 / 10).contains(&read), "{read}");
}
