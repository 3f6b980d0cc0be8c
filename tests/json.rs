//! `barewire::json` by rows: each text with what must come of it, whole and however it is cut.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::string_slice,
    clippy::missing_panics_doc,
    clippy::cast_possible_wrap,
    unreachable_pub,
    clippy::too_many_lines,
    clippy::semicolon_if_nothing_returned,
    clippy::format_collect,
    dead_code,
    reason = "a test may panic"
)]

use std::cmp::Ordering;

use barewire::json::{
    Error, ErrorKind, MAX_DEPTH, Object, Parser, Tokenizer, Value, Writer, parse, string_text,
    written,
};

#[path = "../fuzz/src/lib.rs"]
mod properties;

/// What the parser makes of `text`: the root (after a fault, what is left) and the fault; the same in any pieces.
fn read(text: &[u8]) -> (Option<String>, Option<Error>) {
    properties::cuts(text, 0..=text.len());
    properties::document([text])
}

/// The fault of a text, which the tokenizer alone must find as well unless it takes a whole object to see it.
fn fault(text: &[u8]) -> (ErrorKind, usize) {
    let fault = read(text).1;
    let fault = fault.unwrap_or_else(|| panic!("read {:?}", String::from_utf8_lossy(text)));
    if fault.kind != ErrorKind::DuplicateName {
        assert_eq!(properties::tokens([text]).1, Some(fault));
    }
    (fault.kind, fault.offset)
}

#[test]
fn every_fault_has_its_kind_place_and_words() {
    use ErrorKind as E;
    let rows: &[(&[u8], E, usize, &str)] = &[
        (b"", E::Empty, 0, "no value at byte 0"),
        (b" \t\r\n", E::Empty, 4, "no value at byte 4"),
        (b"[", E::UnexpectedEnd, 1, "unexpected end at byte 1"),
        (b"-", E::UnexpectedEnd, 1, "unexpected end at byte 1"),
        (b"1e+", E::UnexpectedEnd, 3, "unexpected end at byte 3"),
        (b"\"a", E::UnexpectedEnd, 2, "unexpected end at byte 2"),
        (b"\"\\u00", E::UnexpectedEnd, 5, "unexpected end at byte 5"),
        (
            b"\"\xe2\x80",
            E::UnexpectedEnd,
            3,
            "unexpected end at byte 3",
        ),
        (b"nul", E::UnexpectedEnd, 3, "unexpected end at byte 3"),
        (b"{\"a\":1", E::UnexpectedEnd, 6, "unexpected end at byte 6"),
        (b",", E::ExpectedValue, 0, "expected a value at byte 0"),
        (b"[1,]", E::ExpectedValue, 3, "expected a value at byte 3"),
        (b"[,", E::ExpectedValue, 1, "expected a value at byte 1"),
        (
            b"{\"a\":}",
            E::ExpectedValue,
            5,
            "expected a value at byte 5",
        ),
        (b"+1", E::ExpectedValue, 0, "expected a value at byte 0"),
        (
            b"\xc2\xa0",
            E::ExpectedValue,
            0,
            "expected a value at byte 0",
        ),
        (b"\xff", E::ExpectedValue, 0, "expected a value at byte 0"),
        (
            b"{1",
            E::ExpectedName,
            1,
            "expected a name in double quotes at byte 1",
        ),
        (
            b"{\"a\":1,}",
            E::ExpectedName,
            7,
            "expected a name in double quotes at byte 7",
        ),
        (b"{\"a\" 1", E::ExpectedColon, 5, "expected ':' at byte 5"),
        (
            b"[1 1",
            E::ExpectedCommaOrBracket,
            3,
            "expected ',' or ']' at byte 3",
        ),
        (
            b"[1}",
            E::ExpectedCommaOrBracket,
            2,
            "expected ',' or ']' at byte 2",
        ),
        (
            b"{\"a\":1 1",
            E::ExpectedCommaOrBrace,
            7,
            "expected ',' or '}' at byte 7",
        ),
        (
            b"{\"a\":1]",
            E::ExpectedCommaOrBrace,
            6,
            "expected ',' or '}' at byte 6",
        ),
        (b"1 1", E::ExpectedEnd, 2, "expected nothing more at byte 2"),
        (b"01", E::ExpectedEnd, 1, "expected nothing more at byte 1"),
        (
            b"{}\xff",
            E::ExpectedEnd,
            2,
            "expected nothing more at byte 2",
        ),
        (b"-x", E::ExpectedDigit, 1, "expected a digit at byte 1"),
        (b"1.e", E::ExpectedDigit, 2, "expected a digit at byte 2"),
        (
            b"1e+\xff",
            E::ExpectedDigit,
            3,
            "expected a digit at byte 3",
        ),
        (
            b"nul!",
            E::InvalidLiteral,
            3,
            "expected true, false or null at byte 3",
        ),
        (
            b"tr\xc3\xbce",
            E::InvalidLiteral,
            2,
            "expected true, false or null at byte 2",
        ),
        (
            b"\"a\nb\"",
            E::ControlCharacter,
            2,
            "unescaped control character at byte 2",
        ),
        (b"\"\\x", E::InvalidEscape, 2, "invalid escape at byte 2"),
        (
            b"\"\\u12g",
            E::ExpectedHexDigit,
            5,
            "expected a hexadecimal digit at byte 5",
        ),
        (
            b"\"\\ud83d\\u1g",
            E::ExpectedHexDigit,
            10,
            "expected a hexadecimal digit at byte 10",
        ),
        (
            b"\"a\\uDE71\"",
            E::LoneSurrogate,
            2,
            "lone surrogate at byte 2",
        ),
        (b"\"a\xffb\"", E::InvalidUtf8, 2, "invalid UTF-8 at byte 2"),
        (
            b"\"a\xe2\x80\"",
            E::InvalidUtf8,
            2,
            "invalid UTF-8 at byte 2",
        ),
        (
            b"{\"a\":1,\"a\":1}",
            E::DuplicateName,
            10,
            "duplicate name at byte 10",
        ),
    ];
    for (text, kind, offset, words) in rows {
        let shown = String::from_utf8_lossy(text);
        assert_eq!(fault(text), (*kind, *offset), "{shown}");
        assert_eq!(read(text).1.unwrap().to_string(), *words, "{shown}");
        properties::chunks(text);
    }
    // Too large for a row; that it is refused there is shown in `tests/memory.rs`.
    assert_eq!(ErrorKind::TooLong.as_str(), "more than 4 GiB of text");
}

#[test]
fn a_level_past_the_last_is_refused_at_its_bracket() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| {
            let inside = if open == "[" { "" } else { "1" };
            format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
        };
        let deepest = nested(MAX_DEPTH);
        assert_eq!(read(deepest.as_bytes()), (Some(deepest.clone()), None));
        let (kind, offset) = fault(nested(MAX_DEPTH + 1).as_bytes());
        assert_eq!((kind, offset), (ErrorKind::TooDeep, MAX_DEPTH * open.len()));
    }
    assert_eq!(MAX_DEPTH, 128);
    assert_eq!(
        ErrorKind::TooDeep.as_str(),
        "more than 128 levels of nesting"
    );
}

#[test]
fn a_hundred_thousand_brackets_take_no_stack() {
    let small = std::thread::Builder::new().stack_size(64 * 1024);
    let reading = small.spawn(|| {
        for unit in ["[", "[{\"\":"] {
            let text = unit.repeat(100_000);
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.kind, ErrorKind::TooDeep);
            assert_eq!(properties::tokens(text.as_bytes().chunks(1)).1, Some(error));
        }
        let deep = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        assert_eq!(
            parse(deep.as_bytes()).unwrap().root().unwrap().to_text(),
            deep
        );
    });
    reading.unwrap().join().unwrap();
}

#[test]
fn what_was_read_comes_out_the_same() {
    // Text, and what is written of it: order, spelling of numbers, and only the escapes that must be.
    let rows: &[(&str, &str)] = &[
        (" null ", "null"),
        ("[true , false]", "[true,false]"),
        ("{\"b\":1,\"a\":2,\"\":3}", "{\"b\":1,\"a\":2,\"\":3}"),
        ("{\"10\":1,\"9\":2}", "{\"10\":1,\"9\":2}"),
        ("-0", "-0"),
        ("1.0", "1.0"),
        ("1e2", "1e2"),
        ("1E+02", "1E+02"),
        ("9007199254740993", "9007199254740993"),
        ("18446744073709551616", "18446744073709551616"),
        ("[0.10,-0.0,1e-0]", "[0.10,-0.0,1e-0]"),
        ("\"\\u0061\\/\\u00e9\"", "\"a/é\""),
        ("\"\\b\\f\\n\\r\\t\\\"\\\\\"", "\"\\b\\f\\n\\r\\t\\\"\\\\\""),
        ("\"\\u0000\\u001F\\u007f\"", "\"\\u0000\\u001f\u{7f}\""),
        ("\"\u{85}\u{2028}\u{2029}\"", "\"\\u0085\\u2028\\u2029\""),
        (
            "\"\u{84}\u{2027}\u{202a}é😀\"",
            "\"\u{84}\u{2027}\u{202a}é😀\"",
        ),
        ("\u{feff}{}", "{}"),
        ("\u{feff} 1", "1"),
        ("\"\u{feff}\"", "\"\u{feff}\""),
    ];
    for (text, written) in rows {
        assert_eq!(
            read(text.as_bytes()),
            (Some((*written).into()), None),
            "{text}"
        );
        properties::value(text.as_bytes());
    }
}

#[test]
fn a_mark_is_whole_and_comes_once_and_first() {
    let rows: &[(&[u8], ErrorKind, usize)] = &[
        (b"\xef\xbb\xbf", ErrorKind::Empty, 3),
        (b"\xef\xbb\xbf,", ErrorKind::ExpectedValue, 3),
        (b"\xef\xbb\xbf\xef\xbb\xbf1", ErrorKind::ExpectedValue, 3),
        (b" \xef\xbb\xbf1", ErrorKind::ExpectedValue, 1),
        (b"\xef", ErrorKind::ExpectedValue, 0),
        (b"\xef\xbb", ErrorKind::ExpectedValue, 0),
        (b"\xef\xbb1", ErrorKind::ExpectedValue, 0),
        (b"\xef1", ErrorKind::ExpectedValue, 0),
        (b"\xbb\xbf1", ErrorKind::ExpectedValue, 0),
        (b"\xfe\xff\x001", ErrorKind::ExpectedValue, 0),
    ];
    for (text, kind, offset) in rows {
        assert_eq!(fault(text), (*kind, *offset), "{text:x?}");
    }
}

#[test]
fn what_broke_other_readers_is_read_or_refused() {
    let long = format!("[{}]", "9".repeat(5000));
    let read_as: &[(&str, &str)] = &[
        ("\"\\ud83d\\udd25\"", "\"\u{1f525}\""),
        ("\"\u{1f525}é\u{2010}\"", "\"\u{1f525}é\u{2010}\""),
        (&long, &long),
    ];
    for (text, written) in read_as {
        assert_eq!(
            properties::document([text.as_bytes()]).0.as_deref(),
            Some(*written)
        );
        properties::chunks(text.as_bytes());
    }
    let mut torn = b"{\"".to_vec();
    torn.extend([0xae; 1024]);
    let deep = b"[".repeat(10_000);
    let refused: &[(&[u8], ErrorKind, usize)] = &[
        (b"18446744073709551616.", ErrorKind::UnexpectedEnd, 21),
        (b"\"\\uDE71\"", ErrorKind::LoneSurrogate, 1),
        (b"\"\\ud83d\\ud83d\\udd25\"", ErrorKind::LoneSurrogate, 1),
        (b"\"\\ud83d\\n\"", ErrorKind::LoneSurrogate, 1),
        (b"\"\\ud83d\"", ErrorKind::LoneSurrogate, 1),
        (b"\"\\ud83d\\u0041\"", ErrorKind::LoneSurrogate, 1),
        (b"{\"\":\"\\u20A\"}", ErrorKind::ExpectedHexDigit, 10),
        (b"\"\\u 0 0 4 1\"", ErrorKind::ExpectedHexDigit, 3),
        (&torn, ErrorKind::InvalidUtf8, 2),
        (&deep, ErrorKind::TooDeep, MAX_DEPTH),
    ];
    for (text, kind, offset) in refused {
        let error = properties::document([*text]).1.unwrap();
        assert_eq!((error.kind, error.offset), (*kind, *offset));
        properties::chunks(text);
    }
    let pieces: [&[u8]; 3] = [b"{\"number\":", b"-", b"2}"];
    assert_eq!(properties::document(pieces).0.unwrap(), "{\"number\":-2}");
}

#[test]
fn after_a_fault_the_members_before_it_are_there() {
    let rows: &[(&str, Option<&str>)] = &[
        ("", None),
        ("x", None),
        ("[", Some("[]")),
        ("{", Some("{}")),
        ("{\"id\"", Some("{}")),
        ("{\"id\":", Some("{}")),
        ("{\"id\":7", Some("{}")),
        ("{\"id\":7,", Some("{\"id\":7}")),
        ("{\"id\":7,\"b\":x", Some("{\"id\":7}")),
        (
            "{\"id\":7,\"b\":{\"c\":[1,{\"d\":tru",
            Some("{\"id\":7,\"b\":{\"c\":[1,{}]}}"),
        ),
        ("{\"id\":7} x", Some("{\"id\":7}")),
        ("[1,[2,\"a\\", Some("[1,[2]]")),
        ("{\"a\":1,\"a\":2} ", Some("{\"a\":1,\"a\":2}")),
    ];
    for (text, left) in rows {
        let (root, fault) = read(text.as_bytes());
        assert_eq!(root.as_deref(), *left, "{text}");
        assert!(fault.is_some(), "{text}");
        properties::value(text.as_bytes());
    }
    let mut parser = Parser::new();
    parser.feed(b"{\"id\":7,\"b\":[").unwrap();
    parser.give_up();
    let root = parser.document().root().unwrap();
    assert_eq!(root.to_text(), "{\"id\":7,\"b\":[]}");
    parser.clear();
    parser.feed(b"[]").unwrap();
    assert_eq!(parser.finish().unwrap().to_text(), "[]");
}

/// An object of these names, and the offset behind the name at `index`.
fn object(names: &[String], index: usize) -> (String, usize) {
    let members: Vec<_> = names.iter().map(|name| format!("{name}:0")).collect();
    let before = members[..index].join(",").len() + usize::from(index > 0);
    let text = format!("{{{}}}", members.join(","));
    (text, 1 + before + names[index].len())
}

#[test]
fn the_earliest_repeated_name_is_reported_among_few_and_many() {
    for count in [2, 3, 7, 8, 9, 10, 17, 100] {
        let unique: Vec<_> = (0..count)
            .map(|n| format!("\"n{}\"", n * 7 % 101))
            .collect();
        let (text, _) = object(&unique, 0);
        assert_eq!(properties::document([text.as_bytes()]), (Some(text), None));
        for first in 0..count - 1 {
            for second in first + 1..count {
                let mut names = unique.clone();
                names[second] = names[first].clone();
                // Later repeats, of another name and of the same, must not be reported instead.
                names.extend([
                    unique[count - 1].clone(),
                    unique[0].clone(),
                    names[first].clone(),
                ]);
                let (text, offset) = object(&names, second);
                let error = parse(text.as_bytes()).unwrap_err();
                assert_eq!(
                    (error.kind, error.offset),
                    (ErrorKind::DuplicateName, offset),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn names_are_the_same_by_value_and_in_one_object_only() {
    for (text, offset) in [
        ("{\"a\":1,\"\\u0061\":1}", 15),
        ("{\"\":1,\"\":1}", 8),
        ("[{\"\\/\":1,\"/\":1}]", 12),
        ("{\"x\":{\"a\":1,\"b\":2,\"a\":3},\"x\":1}", 21),
        ("{\"\\ud83d\\ude00\":1,\"😀\":2}", 24),
    ] {
        assert_eq!(
            fault(text.as_bytes()),
            (ErrorKind::DuplicateName, offset),
            "{text}"
        );
    }
    for text in [
        "{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}",
        "[{\"a\":1},{\"a\":1}]",
        "{\"a\":1,\"A\":1,\"á\":1,\"a\u{301}\":1,\"á\\u0000\":1}",
    ] {
        assert_eq!(read(text.as_bytes()).1, None, "{text}");
    }
}

#[test]
fn forty_thousand_names_are_compared_few_times() {
    // A test by time would be one of the machine. This text takes 8 × 10^8 comparisons if each is compared with each,
    // which no debug build does within the patience of a person; sorted, it takes about 6 × 10^5.
    let names: Vec<_> = (0..40_000)
        .map(|n| format!("\"n{}\"", n * 7919 % 40_009))
        .collect();
    let (text, _) = object(&names, 0);
    assert!(parse(text.as_bytes()).is_ok());
}

fn number_of(text: &str, check: impl FnOnce(barewire::json::Number<'_>)) {
    let document = parse(text.as_bytes()).unwrap();
    check(document.root().unwrap().as_number().unwrap());
}

#[test]
fn a_number_is_its_spelling_and_the_nearest_f64() {
    let rows: &[(&str, f64)] = &[
        ("0.9999999999999999", 1.0 - f64::EPSILON / 2.0),
        ("3.5E-2147483647", 0.0),
        ("1e400", f64::INFINITY),
        ("-1e400", f64::NEG_INFINITY),
        ("-0", -0.0),
        ("9007199254740993", 9_007_199_254_740_992.0),
        ("5e-324", f64::from_bits(1)),
        ("2.5", 2.5),
    ];
    for (text, value) in rows {
        number_of(text, |number| {
            assert_eq!(number.to_f64().to_bits(), value.to_bits(), "{text}");
            assert_eq!(number.as_str(), *text);
        });
    }
}

#[test]
fn an_integer_is_one_however_it_is_spelled() {
    for text in [
        "0",
        "-0",
        "0.0",
        "0e-9",
        "7",
        "-7",
        "7.0",
        "7.000e0",
        "70e-1",
        "1e400",
        "1.5e1",
        "0.7e1",
        "12.50e1",
        "1200e-2",
        "0.000e-99999999999999999999",
        "1e99999999999999999999",
        "100000000000000000000000000000.0",
    ] {
        number_of(text, |number| assert!(number.is_integer(), "{text}"));
    }
    for text in [
        "0.5",
        "-7.1",
        "7e-1",
        "1.5e0",
        "12.50e0",
        "1201e-2",
        "1e-99999999999999999999",
        "0.07e1",
        "10e-2",
        "100000000000000000000000000000.1",
    ] {
        number_of(text, |number| assert!(!number.is_integer(), "{text}"));
    }
}

#[test]
fn numbers_are_ordered_by_what_they_mean() {
    // In order; those on one line are equal.
    let lines: &[&[&str]] = &[
        &["-1e999999999999999999999"],
        &["-1e400", "-10e399"],
        &["-20"],
        &["-11"],
        &["-10", "-1e1", "-10.0"],
        &["-0.001", "-1e-3"],
        &["-1e-400"],
        &["0", "-0", "0.0", "0e5", "-0.00e-7"],
        &["1e-400"],
        &["0.001", "1e-3", "0.10e-2"],
        &["0.0011"],
        &["1", "1.0", "10e-1", "0.1e1", "1E+0"],
        &["1.0000000000000000000000001"],
        &["1.05"],
        &["1.5", "15e-1", "0.15E1"],
        &["9"],
        &["10", "1e1", "10.0"],
        &["9007199254740992"],
        &["9007199254740993", "9007199254740993.000"],
        &["1e400", "10e399"],
        &["1e999999999999999999999"],
    ];
    for (at, line) in lines.iter().enumerate() {
        for (other_at, other_line) in lines.iter().enumerate() {
            for a in *line {
                for b in *other_line {
                    number_of(a, |a| {
                        number_of(b, |b| {
                            assert_eq!(a.compare(b), at.cmp(&other_at), "{a:?} {b:?}")
                        });
                    });
                }
            }
        }
    }
    number_of("1", |one| assert_eq!(one.compare(one), Ordering::Equal));
}

#[test]
fn numbers_are_written_as_ecmascript_does() {
    let rows: &[(f64, &str)] = &[
        (6.5, "6.5"),
        (7.0, "7"),
        (0.0, "0"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (-1e21, "-1e+21"),
        (1e20, "100000000000000000000"),
        (123e18, "123000000000000000000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (0.1 + 0.2, "0.30000000000000004"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
        (f64::NAN, "NaN"),
        (1_424_953_923_781_206.2, "1424953923781206.2"),
        (f64::from_bits(0xc318_b0e1_d2d6_b5b1), "-1737470848118124.2"),
        (9_007_199_254_740_991.0, "9007199254740991"),
        (9_007_199_254_740_992.0, "9007199254740992"),
        (9_007_199_254_740_994.0, "9007199254740994"),
        // Past 2^53 the shortest digits are fewer than all of them.
        (1_152_921_504_606_846_976.0, "1152921504606847000"),
        (9_223_372_036_854_775_808.0, "9223372036854776000"),
        (295_147_905_179_352_825_856.0, "295147905179352830000"),
        (123_456.789, "123456.789"),
        (-0.000_012_3, "-0.0000123"),
        (100.0, "100"),
        (1e100, "1e+100"),
        (1.25e-100, "1.25e-100"),
    ];
    for (value, text) in rows {
        assert_eq!(properties::formatted(*value), *text);
        let json = if value.is_finite() { text } else { "null" };
        assert_eq!(written(|writer| writer.number(*value)), json);
    }
}

/// Words, blocks and single bytes are looked at in turn: what ends the plain part stands at each place of each of them.
#[test]
fn the_end_of_plain_text_is_found_at_every_place() {
    for len in 0..100 {
        for filler in [" ", "!", "#", "~", "\u{7f}", "[", "]", "\u{80}", "é", "漢"] {
            let plain = filler.repeat(len);
            for (stop, rest, text) in [
                ("", "", ""),
                (
                    "\\n",
                    "\\\\ and more, past the next block of thirty-two",
                    "\n\\ and more, past the next block of thirty-two",
                ),
                ("\\u0041", "é", "Aé"),
            ] {
                let document = parse(format!("\"{plain}{stop}{rest}\"").as_bytes()).unwrap();
                let found = document.root().and_then(Value::as_str);
                assert_eq!(
                    found,
                    Some(format!("{plain}{text}").as_str()),
                    "{len} times {filler:?}, {stop:?}"
                );
            }
            for control in 0..0x20_u8 {
                let mut bytes = format!("\"{plain}").into_bytes();
                let offset = bytes.len();
                bytes.extend([control, b'x', b'"']);
                let fault = parse(&bytes).unwrap_err();
                assert_eq!(
                    (fault.kind, fault.offset),
                    (ErrorKind::ControlCharacter, offset),
                    "{len} times {filler:?}"
                );
            }
        }
    }
}

/// Each of ASCII and what begins like it or like the line ends that are escaped too, at every place of short and long texts,
/// comes out as ECMA-262 `JSON.stringify` says, and back.
#[test]
fn each_sign_is_escaped_as_it_must_be() {
    let others = "\u{80}\u{85}\u{a2}\u{c2}\u{2027}\u{2028}\u{2029}\u{202a}\u{2085}";
    for sign in ('\0'..='\u{7f}').chain(others.chars()) {
        let escaped = match sign {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\u{8}' => "\\b".to_owned(),
            '\t' => "\\t".to_owned(),
            '\n' => "\\n".to_owned(),
            '\u{c}' => "\\f".to_owned(),
            '\r' => "\\r".to_owned(),
            '\0'..'\u{20}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                format!("\\u{:04x}", u32::from(sign))
            }
            _ => sign.to_string(),
        };
        let lengths = (0..20).flat_map(|before| (0..10).map(move |after| (before, after)));
        let long = [31, 32, 33, 63, 64, 65].map(|len| (len, len));
        for (before, after) in lengths.chain(long) {
            let (before, after) = (
                "a".repeat(before),
                "é".repeat(after / 2) + &"b".repeat(after % 2),
            );
            // Twice, so that two in one block do not hide each other.
            let text = format!("{before}{sign}{sign}{after}");
            let written = string_text(&text);
            assert_eq!(written, format!("\"{before}{escaped}{escaped}{after}\""));
            let document = parse(written.as_bytes()).unwrap();
            assert_eq!(document.root().and_then(Value::as_str), Some(text.as_str()));
        }
    }
}

/// A token of each kind stands where the grammar has no place for it.
#[test]
fn a_value_or_a_name_stands_only_where_it_may() {
    use ErrorKind::{
        ExpectedColon, ExpectedCommaOrBrace, ExpectedCommaOrBracket, ExpectedEnd, ExpectedName,
    };
    for token in ["true", "false", "null", "0", "-1", "\"\"", "[", "{", ":"] {
        for (before, kind) in [
            ("1 ", ExpectedEnd),
            ("[1 ", ExpectedCommaOrBracket),
            ("{\"a\" ", ExpectedColon),
            ("{\"a\":1 ", ExpectedCommaOrBrace),
            ("{", ExpectedName),
            ("{\"a\":1,", ExpectedName),
        ] {
            // Two of these are where it may stand.
            if (token == "\"\"" && kind == ExpectedName) || (token == ":" && kind == ExpectedColon)
            {
                continue;
            }
            assert_eq!(
                fault(format!("{before}{token}").as_bytes()),
                (kind, before.len()),
                "{before}{token}"
            );
        }
    }
    for before in ["", "[", "[1,", "{\"a\":"] {
        for sign in [":", ",", "}"] {
            assert_eq!(
                fault(format!("{before}{sign}").as_bytes()),
                (ErrorKind::ExpectedValue, before.len()),
                "{before}{sign}"
            );
        }
    }
}

#[test]
fn a_writer_puts_commas_where_they_belong() {
    fn nested(writer: &mut Writer<'_>) {
        writer.array_start();
        writer.array_start();
        writer.array_end();
        writer.object_start();
        writer.object_end();
        writer.object_start();
        writer.name("a");
        writer.array_start();
        writer.null();
        writer.bool(true);
        writer.array_end();
        writer.name("b");
        writer.bool(false);
        writer.object_end();
        writer.integer(7);
        writer.array_end();
    }
    type Row = (fn(&mut Writer<'_>), &'static str);
    let rows: &[Row] = &[
        (nested, "[[],{},{\"a\":[null,true],\"b\":false},7]"),
        (|w| w.integer(i64::MIN), "-9223372036854775808"),
        (|w| w.integer(i64::MAX), "9223372036854775807"),
        (|w| w.integer(0), "0"),
        (|w| w.integer(-10), "-10"),
        (|w| w.number_as_string(f64::NAN), "\"NaN\""),
        (|w| w.number_as_string(-6.5), "\"-6.5\""),
        (|w| w.json("{\"raw\": 1}"), "{\"raw\": 1}"),
        (
            |w| w.string("a\"\\\u{1}\u{1f}/\u{2028}"),
            "\"a\\\"\\\\\\u0001\\u001f/\\u2028\"",
        ),
    ];
    for (write, text) in rows {
        assert_eq!(written(*write), *text);
    }
    assert_eq!(string_text("\n"), "\"\\n\"");
}

#[test]
fn a_writer_takes_back_what_came_after_a_mark() {
    let mut out = b"before ".to_vec();
    let mut writer = Writer::new(&mut out);
    writer.array_start();
    let first = writer.mark();
    writer.string("lost");
    assert_eq!(writer.len_since(first), 6);
    writer.rewind(first);
    writer.integer(1);
    let second = writer.mark();
    writer.array_start();
    writer.rewind(second);
    {
        let mut inside = writer.inside();
        inside.integer(2);
    }
    writer.array_end();
    assert_eq!(out, b"before [1,2]");
}

#[test]
fn a_value_says_what_it_is() {
    let document = parse(b"[null,true,1,\"s\",[2],{\"a\":3}]").unwrap();
    let root = document.root().unwrap();
    let names: Vec<_> = root
        .as_array()
        .unwrap()
        .iter()
        .map(Value::type_name)
        .collect();
    assert_eq!(
        names,
        ["null", "boolean", "number", "string", "array", "object"]
    );
    let shown = |value: Value<'_>| {
        (
            value.as_str().is_some(),
            value.as_number().is_some(),
            value.as_array().is_some(),
            value.as_object().is_some(),
            value.get("a").is_some(),
        )
    };
    let shown: Vec<_> = root.as_array().unwrap().into_iter().map(shown).collect();
    let none = (false, false, false, false, false);
    assert_eq!(
        shown,
        [
            none,
            none,
            (false, true, false, false, false),
            (true, false, false, false, false),
            (false, false, true, false, false),
            (false, false, false, true, true),
        ]
    );
    assert!(root.get("a").is_none());
    assert!(Object::EMPTY.iter().next().is_none());
    assert!(Object::EMPTY.get("a").is_none());
}

#[test]
fn a_name_finds_its_own_member() {
    let document = parse(b"{\"a\":{\"b\":1},\"b\":[{\"c\":2}],\"c\":3,\"d\":\"c\"}").unwrap();
    let root = document.root().unwrap();
    let rows = [
        ("a", Some("{\"b\":1}")),
        ("b", Some("[{\"c\":2}]")),
        ("c", Some("3")),
        ("d", Some("\"c\"")),
        ("e", None),
    ];
    for (name, text) in rows {
        assert_eq!(root.get(name).map(Value::to_text).as_deref(), text);
    }
    // A value is no name, even if it has the same text.
    let document = parse(b"{\"a\":\"b\",\"b\":1}").unwrap();
    let found = document.root().unwrap().get("b");
    assert_eq!(found.map(Value::to_text).as_deref(), Some("1"));
}

#[test]
fn a_cleared_tokenizer_starts_over() {
    let mut tokenizer = Tokenizer::new();
    for text in [
        "\u{feff}[1,\"ab",
        "{\"a\\u00",
        "tru",
        "-",
        "[[[{",
        "\u{feff}1",
    ] {
        let mut tokens = tokenizer.read(text.as_bytes());
        while tokens.next().unwrap().is_some() {}
        assert_eq!(tokens.offset(), text.len());
        tokenizer.clear(0);
        assert_eq!(tokenizer.read(b" ").offset(), 0);
        assert_eq!(tokenizer.finish().unwrap_err().kind, ErrorKind::Empty);
        tokenizer.clear(1 << 10);
    }
}

mod exhaustive {
    //! Every input of a small space, against a recogniser that is as simple as can be.

    use super::{ErrorKind, parse, properties};

    /// The grammar of RFC 8259 word for word, by descent, for ASCII texts without escapes of `\u`.
    struct Naive<'t>(&'t [u8]);

    impl Naive<'_> {
        fn accepts(text: &[u8]) -> bool {
            let mut rest = Naive(text);
            rest.white() && rest.value() && rest.white() && rest.0.is_empty()
        }

        fn white(&mut self) -> bool {
            while self.any(b" \t\r\n") {}
            true
        }

        fn any(&mut self, set: &[u8]) -> bool {
            match self.0 {
                [first, rest @ ..] if set.contains(first) => {
                    self.0 = rest;
                    true
                }
                _ => false,
            }
        }

        fn word(&mut self, word: &[u8]) -> bool {
            match self.0.strip_prefix(word) {
                Some(rest) => {
                    self.0 = rest;
                    true
                }
                None => false,
            }
        }

        fn value(&mut self) -> bool {
            match self.0.first() {
                Some(b'{') => self.list(b"{", b"}", |it| {
                    it.string() && it.white() && it.any(b":") && it.white() && it.value()
                }),
                Some(b'[') => self.list(b"[", b"]", Self::value),
                Some(b'"') => self.string(),
                Some(b't') => self.word(b"true"),
                Some(b'f') => self.word(b"false"),
                Some(b'n') => self.word(b"null"),
                _ => self.number(),
            }
        }

        fn list(&mut self, open: &[u8], close: &[u8], item: impl Fn(&mut Self) -> bool) -> bool {
            self.any(open);
            self.white();
            if self.any(close) {
                return true;
            }
            loop {
                if !(self.white() && item(self) && self.white()) {
                    return false;
                }
                if self.any(close) {
                    return true;
                }
                if !self.any(b",") {
                    return false;
                }
            }
        }

        fn string(&mut self) -> bool {
            if !self.any(b"\"") {
                return false;
            }
            loop {
                if self.any(b"\"") {
                    return true;
                }
                if self.any(b"\\") {
                    if !self.any(b"\"\\/bfnrt") {
                        return false;
                    }
                    continue;
                }
                match self.0 {
                    [0x20..=0x7f, rest @ ..] => self.0 = rest,
                    _ => return false,
                }
            }
        }

        fn digits(&mut self) -> bool {
            let mut found = false;
            while self.any(b"0123456789") {
                found = true;
            }
            found
        }

        fn number(&mut self) -> bool {
            self.any(b"-");
            if !(self.any(b"0") || self.digits()) {
                return false;
            }
            if self.any(b".") && !self.digits() {
                return false;
            }
            if self.any(b"eE") {
                self.any(b"+-");
                return self.digits();
            }
            true
        }
    }

    #[test]
    fn the_recogniser_knows_the_grammar() {
        for text in ["{ }", "[1, -0.5e+3]", "{\"a\": [null]}", " \"\\n\" ", "0"] {
            assert!(Naive::accepts(text.as_bytes()), "{text}");
        }
        for text in [
            "", "01", "[1,]", "{\"a\"}", "1.", "-", "\"\\x\"", "[] []", "{1:1}",
        ] {
            assert!(!Naive::accepts(text.as_bytes()), "{text}");
        }
    }

    /// Whether the crate reads a text, the same in one piece and byte by byte. A duplicate name is grammatical.
    fn reads(text: &[u8]) -> bool {
        let (whole, bytes) = (
            properties::document([text]),
            properties::document(text.chunks(1)),
        );
        assert_eq!(whole, bytes, "{text:?}");
        whole
            .1
            .is_none_or(|fault| fault.kind == ErrorKind::DuplicateName)
    }

    #[test]
    fn every_text_of_one_or_two_bytes() {
        for first in 0..=u8::MAX {
            assert_eq!(reads(&[first]), Naive::accepts(&[first]), "{first}");
            for second in 0..=u8::MAX {
                let text = [first, second];
                assert_eq!(reads(&text), Naive::accepts(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn every_text_of_up_to_six_signs() {
        const SIGNS: &[u8; 8] = b"[]{},:\"1";
        let mut count = 0;
        let mut accepted = 0;
        for len in 0..=6 {
            for number in 0..8_usize.pow(len) {
                let text: Vec<u8> = (0..len).map(|at| SIGNS[number >> (3 * at) & 7]).collect();
                let expected = Naive::accepts(&text);
                assert_eq!(reads(&text), expected, "{}", String::from_utf8_lossy(&text));
                count += 1;
                accepted += usize::from(expected);
            }
        }
        assert_eq!(count, 299_593);
        assert!(accepted > 1000, "{accepted}");
    }

    fn string_of(text: &str) -> Result<String, (ErrorKind, usize)> {
        let document = parse(text.as_bytes()).map_err(|error| (error.kind, error.offset))?;
        Ok(document.root().unwrap().as_str().unwrap().to_owned())
    }

    #[test]
    fn every_escape_of_four_digits() {
        for unit in 0..=u16::MAX {
            let expected = char::from_u32(u32::from(unit)).map(String::from);
            let expected = expected.ok_or((ErrorKind::LoneSurrogate, 1));
            assert_eq!(string_of(&format!("\"\\u{unit:04x}\"")), expected);
            assert_eq!(string_of(&format!("\"\\u{unit:04X}\"")), expected);
        }
    }

    #[test]
    fn every_pair_of_surrogate_escapes() {
        for high in 0xd800_u16..0xdc00 {
            // One text for all that follow a high surrogate, or the debug build takes its time.
            let pairs: String = (0xdc00_u16..0xe000)
                .map(|low| format!("\\u{high:04x}\\u{low:04x}"))
                .collect();
            let units = (0xdc00_u16..0xe000).flat_map(|low| [high, low]);
            let expected: String = char::decode_utf16(units).map(Result::unwrap).collect();
            assert_eq!(string_of(&format!("\"{pairs}\"")).unwrap(), expected);
        }
        for second in (0..0xdc00_u16).chain(0xe000..=u16::MAX).step_by(7) {
            let text = format!("\"\\udbff\\u{second:04x}\"");
            assert_eq!(
                string_of(&text),
                Err((ErrorKind::LoneSurrogate, 1)),
                "{text}"
            );
        }
    }

    #[test]
    fn every_character_and_every_escape_letter() {
        let all: String = ('\0'..=char::MAX).collect();
        assert_eq!(string_of(&barewire::json::string_text(&all)).unwrap(), all);
        for letter in '\0'..='\u{7f}' {
            let meant = match letter {
                'b' => "\u{8}",
                'f' => "\u{c}",
                'n' => "\n",
                'r' => "\r",
                't' => "\t",
                '"' => "\"",
                '\\' => "\\",
                '/' => "/",
                'u' => continue,
                _ => {
                    let expected = Err((ErrorKind::InvalidEscape, 2));
                    assert_eq!(string_of(&format!("\"\\{letter}\"")), expected);
                    continue;
                }
            };
            assert_eq!(string_of(&format!("\"\\{letter}\"")).as_deref(), Ok(meant));
        }
    }
}
