//! How much memory a text takes that is only tokenized: none that grows with it. Measured where Linux says it, in
//! `/proc/self/status`; 1 GiB in a release build, 32 MiB in a debug build, which is thirty times slower.
//!
//! One test, since the tests of one file share a process and would be measured together.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

use barewire::json::{ErrorKind, Parser, Tokenizer};

const PIECE: usize = 64 << 10;
const STREAM: usize = if cfg!(debug_assertions) {
    32 << 20
} else {
    1 << 30
};
const KIB_MAX: usize = 1 << 10;

/// Kibibytes that the process holds now (`VmRSS`) or held at most (`VmHWM`).
fn kib(line: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|it| it.strip_prefix(line)).unwrap();
    line.trim_matches([':', ' ', '\t', 'k', 'B'])
        .parse()
        .unwrap()
}

/// Tokenizes `unit` again and again after `start`: how many tokens, and how many KiB that took at most.
fn tokenize(start: &str, unit: &str) -> (usize, usize) {
    let piece = unit.repeat(PIECE / unit.len());
    let mut tokenizer = Tokenizer::new();
    let mut tokens = tokenizer.read(start.as_bytes());
    while tokens.next().unwrap().is_some() {}
    let before = kib("VmRSS");
    let (mut read, mut count) = (0, 0);
    while read < STREAM {
        let mut tokens = tokenizer.read(piece.as_bytes());
        while tokens.next().unwrap().is_some() {
            count += 1;
        }
        read += piece.len();
    }
    assert_eq!(tokenizer.finish().unwrap_err().offset, start.len() + read);
    (count, kib("VmHWM") - before)
}

#[test]
fn a_stream_of_any_length_takes_no_memory() {
    for (start, unit, tokens) in [
        ("", " ", 0),
        ("", " \t\r\n", 0),
        // The comma before each, so that a piece ends with a number that the next one could go on with.
        ("[1", ",1", STREAM / 2),
        ("[1", ",\"a\\n\"", STREAM / 6),
        ("[{}", ",{\"a\":[null]}", STREAM / 13 * 6),
    ] {
        let (count, kib) = tokenize(start, unit);
        assert!(
            count * 20 >= tokens * 19,
            "{unit:?}: {count} tokens of {tokens}"
        );
        assert!(kib < KIB_MAX, "{unit:?}: {kib} KiB");
    }
    a_text_longer_than_positions_is_refused();
    // That the measure can fail: a string of the text is held whole.
    let before = kib("VmRSS");
    let mut tokenizer = Tokenizer::new();
    assert!(tokenizer.read(b"\"").next().unwrap().is_none());
    let piece = vec![b'a'; PIECE];
    for _ in 0..64 {
        assert!(tokenizer.read(&piece).next().unwrap().is_none());
    }
    assert!(kib("VmHWM") - before > KIB_MAX);
}

/// Four seconds of white space at 1 GiB a second: only for a release build.
fn a_text_longer_than_positions_is_refused() {
    if cfg!(debug_assertions) {
        return;
    }
    let piece = vec![b' '; 1 << 24];
    let mut parser = Parser::new();
    for _ in 0..255 {
        parser.feed(&piece).unwrap();
    }
    let last = piece.len() - 1;
    parser.feed(&piece[..last]).unwrap();
    let error = parser.feed(b" ").unwrap_err();
    let max = usize::try_from(u32::MAX).unwrap();
    assert_eq!((error.kind, error.offset), (ErrorKind::TooLong, max));
    assert_eq!(
        error.to_string(),
        "more than 4 GiB of text at byte 4294967295"
    );
}
