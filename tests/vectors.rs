//! `barewire::json` against the outside vectors: files of other projects and tables of other implementations.
//!
//! They lie in the folder `vectors` of the folder that `BAREWIRE_SHARED` names; its README says what each is. Without
//! it nothing is read and nothing is held, and a line on stderr says so. Counts are part of each test, so that a
//! missing file is a failure. Fast only in a release build.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::case_sensitive_file_extension_comparisons,
    unreachable_pub,
    dead_code,
    reason = "a test may panic"
)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use barewire::json::{ErrorKind, Value, parse, string_text};

#[path = "../fuzz/src/lib.rs"]
mod properties;

/// The folder of the vectors, or `None` after saying that `test` was not run.
fn vectors(test: &str) -> Option<PathBuf> {
    let Some(shared) = std::env::var_os("BAREWIRE_SHARED") else {
        let line = format!(
            "NOT RUN: {test}: set BAREWIRE_SHARED to the folder that holds vectors/, as .ci/run does\n"
        );
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    };
    Some(PathBuf::from(shared).join("vectors"))
}

/// The files of a folder by name, and their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let entries = entries.map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("json" | "ndjson"))
    });
    files
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(&path).unwrap())
        })
        .collect()
}

/// What is made of a text: `accept`, or the fault. The same whole, byte by byte and, under 4 KiB, cut anywhere.
fn verdict(text: &[u8]) -> String {
    let all = if text.len() < 4096 {
        0..=text.len()
    } else {
        0..=0
    };
    properties::cuts(text, all);
    properties::value(text);
    match properties::document([text]).1 {
        None => "accept".to_owned(),
        Some(fault) => fault.to_string(),
    }
}

/// The lines of a table, each cut at its tabs; comments and blank lines are left out.
fn table(text: &str) -> Vec<Vec<&str>> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.map(|line| line.split('\t').collect()).collect()
}

/// The stated verdicts of `tests/verdicts/`: file → verdict and reason.
fn stated(text: &str) -> BTreeMap<&str, &str> {
    table(text)
        .into_iter()
        .map(|row| match row[..] {
            [file, verdict, reason] if !reason.is_empty() => (file, verdict),
            _ => panic!("a row is file, verdict, reason: {row:?}"),
        })
        .collect()
}

#[test]
fn json_test_suite_is_judged_as_it_says() {
    let Some(vectors) = vectors("JSONTestSuite") else {
        return;
    };
    let files = files(&vectors.join("jsontestsuite/test_parsing"));
    let count = |prefix: &str| files.keys().filter(|name| name.starts_with(prefix)).count();
    assert_eq!((count("y_"), count("n_"), count("i_")), (95, 188, 35));
    let stated = stated(include_str!("verdicts/jsontestsuite.tsv"));
    let mut used = 0;
    for (name, text) in &files {
        // The tokenizer knows nothing of duplicate names, and takes all that the suite wants taken.
        let tokenizer = properties::tokens([&text[..]]).1;
        let verdict = verdict(text);
        match &name[..2] {
            "y_" => assert_eq!(tokenizer, None, "{name}"),
            "n_" => assert!(tokenizer.is_some(), "{name}"),
            _ => assert!(stated.contains_key(&**name), "{name}: {verdict}"),
        }
        match stated.get(&**name) {
            Some(stated) => {
                used += 1;
                assert_eq!(verdict, *stated, "{name}");
            }
            None => assert_eq!(
                verdict == "accept",
                name.starts_with("y_"),
                "{name}: {verdict}"
            ),
        }
    }
    assert_eq!((used, stated.len()), (37, 37));
}

#[test]
fn every_file_is_judged_as_v8_does_or_by_a_listed_policy() {
    let Some(vectors) = vectors("V8's verdicts") else {
        return;
    };
    let verdicts = std::fs::read_to_string(vectors.join("verdicts/verdicts.tsv")).unwrap();
    let v8: BTreeMap<_, _> = table(&verdicts)
        .into_iter()
        .map(|row| (row[0], row[1]))
        .collect();
    let mut read = Vec::new();
    for (folder, count) in [
        ("jsontestsuite/test_parsing", 318),
        ("jsontestsuite/test_transform", 22),
        ("jsonchecker", 111),
        ("yyjson/test_checker", 36),
        ("yyjson/test_encoding", 10),
        ("yyjson/test_roundtrip", 48),
        ("yyjson/test_yyjson", 209),
    ] {
        let files = files(&vectors.join(folder));
        assert_eq!(files.len(), count, "{folder}");
        read.extend(
            files
                .into_iter()
                .map(|(name, text)| (format!("{folder}/{name}"), text)),
        );
    }
    let policies = stated(include_str!("verdicts/against_v8.tsv"));
    let (mut agreed, mut unasked) = (0, 0);
    let mut differing = BTreeMap::new();
    for (name, text) in &read {
        let Some(expected) = v8.get(&**name) else {
            // Lines of JSON texts: no text, so V8 was not asked.
            assert!(name.ends_with(".ndjson"), "{name}");
            unasked += 1;
            continue;
        };
        let verdict = verdict(text);
        if (verdict == "accept") == (*expected == "accept") {
            agreed += 1;
        } else {
            differing.insert(&**name, verdict);
        }
    }
    let differing: BTreeMap<_, _> = differing
        .iter()
        .map(|(name, verdict)| (*name, &**verdict))
        .collect();
    assert_eq!(differing, policies);
    assert_eq!((agreed, policies.len(), unasked), (719, 32, 3));
}

#[test]
fn the_tags_of_yyjson_and_the_names_of_jsonchecker_are_kept() {
    let Some(vectors) = vectors("yyjson and jsonchecker by file name") else {
        return;
    };
    let listed = stated(include_str!("verdicts/against_names.tsv"));
    let mut differing = BTreeMap::new();
    let mut count = 0;
    for folder in [
        "jsonchecker",
        "yyjson/test_checker",
        "yyjson/test_encoding",
        "yyjson/test_roundtrip",
        "yyjson/test_yyjson",
    ] {
        for (name, text) in files(&vectors.join(folder)) {
            // Numbers of any length and a mark at the start are read without an extension.
            let tags = name.replace("(bignum)", "").replace("(bom)", "");
            let refused = (name.starts_with("fail") && !name.contains("EXCLUDE"))
                || name.starts_with("utf16")
                || name.starts_with("utf32")
                || tags.contains('(');
            let verdict = verdict(&text);
            count += 1;
            if (verdict == "accept") == refused {
                differing.insert(format!("{folder}/{name}"), verdict);
            }
        }
    }
    assert_eq!(count, 111 + 36 + 10 + 48 + 209);
    let differing: BTreeMap<_, _> = differing
        .iter()
        .map(|(name, verdict)| (&**name, &**verdict))
        .collect();
    assert_eq!(differing, listed);
}

#[test]
fn minified_texts_come_out_byte_for_byte() {
    let Some(vectors) = vectors("yyjson's round trips") else {
        return;
    };
    let files = files(&vectors.join("yyjson/test_roundtrip"));
    assert_eq!(files.len(), 48);
    let mut count = 0;
    for (name, text) in &files {
        let document = match parse(text) {
            Ok(document) => document,
            // Both are listed in `verdicts/against_v8.tsv`.
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::DuplicateName, "{name}");
                continue;
            }
        };
        count += 1;
        let text = std::str::from_utf8(text).unwrap().trim_end_matches('\n');
        assert_eq!(document.root().unwrap().to_text(), text, "{name}");
    }
    assert_eq!(count, 46);
}

#[test]
fn numbers_are_written_as_v8_does() {
    let Some(vectors) = vectors("numfmt") else {
        return;
    };
    let numfmt = vectors.join("numfmt");
    let mut counts = Vec::new();
    for (file, separator) in [
        ("es_number_to_string_200k.tsv", '\t'),
        ("es6testfile100k.txt", ','),
        ("rfc8785_appendix_b.tsv", '\t'),
    ] {
        let text = std::fs::read_to_string(numfmt.join(file)).unwrap();
        let mut count = 0;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (bits, expected) = line.split_once(separator).unwrap();
            let value = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
            if expected == "error" {
                // RFC 8785 has no text for what is not finite; JSON's is `null`.
                assert_eq!(
                    barewire::json::written(|writer| writer.number(value)),
                    "null"
                );
            } else {
                assert_eq!(properties::formatted(value), expected, "{bits}");
            }
            count += 1;
        }
        counts.push(count);
    }
    assert_eq!(counts, [200_000, 100_000, 26]);
}

/// The bits of the number that is the whole text, if it is one.
fn bits_of(text: &str) -> Option<u64> {
    let document = parse(text.as_bytes()).ok()?;
    let number = document.root().and_then(Value::as_number)?;
    assert_eq!(number.as_str(), text);
    Some(number.to_f64().to_bits())
}

#[test]
fn numbers_are_read_to_the_last_bit() {
    let Some(vectors) = vectors("numparse") else {
        return;
    };
    let numparse = vectors.join("numparse");
    let mut counts = Vec::new();
    for file in ["hard.tsv", "yyjson_labelled.tsv"] {
        let text = std::fs::read_to_string(numparse.join("hard").join(file)).unwrap();
        let (mut read, mut refused) = (0, 0);
        for line in text.lines() {
            let (expected, text) = line.split_once('\t').unwrap();
            if expected == "invalid" {
                assert_eq!(bits_of(text), None, "{text}");
                refused += 1;
            } else {
                let expected = u64::from_str_radix(expected, 16).unwrap();
                assert_eq!(bits_of(text), Some(expected), "{text}");
                read += 1;
            }
        }
        counts.push((read, refused));
    }
    assert_eq!(counts, [(23_632, 0), (28_704, 877)]);

    // This suite also holds texts of C (`.5`, `1.`, `inf`, `0x1p3`), which are not JSON.
    let mut counts = Vec::new();
    for file in [
        "freetype-2-7.txt",
        "google-wuffs.txt",
        "lemire-fast-float.txt",
        "more-test-cases.txt",
        "tencent-rapidjson.txt",
    ] {
        let text = std::fs::read_to_string(numparse.join("nigeltao/data").join(file)).unwrap();
        let (mut read, mut refused) = (0, 0);
        for line in text.lines() {
            let columns: Vec<_> = line.splitn(4, ' ').collect();
            match bits_of(columns[3]) {
                None => refused += 1,
                Some(bits) => {
                    assert_eq!(bits, u64::from_str_radix(columns[2], 16).unwrap(), "{line}");
                    read += 1;
                }
            }
        }
        counts.push((read, refused));
    }
    assert_eq!(
        counts,
        [(3526, 40), (10_690, 54), (3293, 6), (60, 0), (3549, 14)]
    );
}

fn bytes_of_hex(hex: &str) -> Vec<u8> {
    assert_eq!(hex.len() % 2, 0, "{hex}");
    let pairs = (0..hex.len()).step_by(2).map(|at| &hex[at..at + 2]);
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

/// Whether a string of these bytes is read as itself, however it is cut.
fn is_string(bytes: &[u8]) -> bool {
    let mut text = b"\"".to_vec();
    for byte in bytes {
        // What no string may hold raw stands escaped, so that only the UTF-8 is judged.
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            0..0x20 => text.extend(format!("\\u{byte:04x}").bytes()),
            _ => text.push(*byte),
        }
    }
    text.push(b'"');
    properties::cuts(&text, 0..=text.len());
    match parse(&text) {
        Ok(document) => {
            let read = document.root().and_then(Value::as_str).unwrap();
            assert_eq!(read.as_bytes(), bytes);
            true
        }
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::InvalidUtf8, "{bytes:x?}");
            false
        }
    }
}

#[test]
fn utf8_is_judged_as_the_standard_says() {
    let Some(vectors) = vectors("UTF-8") else {
        return;
    };
    let text = std::fs::read_to_string(vectors.join("utf8/utf8_cases.tsv")).unwrap();
    let cases = table(&text);
    assert_eq!(cases.len(), 8288);
    for row in cases {
        assert_eq!(
            is_string(&bytes_of_hex(row[0])),
            row[1] == "valid",
            "{row:?}"
        );
    }

    let text =
        std::fs::read_to_string(vectors.join("utf8-suites/flenniken/utf8tests.txt")).unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let columns: Vec<_> = line.splitn(5, ':').collect();
        let hex = |text: &str| bytes_of_hex(&text.trim().replace(' ', ""));
        match columns[1].trim() {
            "valid" => assert!(is_string(columns[2].as_bytes()), "{line}"),
            "valid hex" => assert!(is_string(&hex(columns[2])), "{line}"),
            "invalid hex" => assert!(!is_string(&hex(columns[2])), "{line}"),
            _ => panic!("{line}"),
        }
        if columns[1].trim().starts_with("valid") {
            valid += 1;
        } else {
            invalid += 1;
        }
    }
    assert_eq!((valid, invalid), (77, 145));

    let text = std::fs::read(vectors.join("utf8-suites/kuhn/UTF-8-test.txt")).unwrap();
    let lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
    let valid = lines.iter().filter(|line| is_string(line)).count();
    assert_eq!((valid, lines.len()), (204, 272));
}

#[test]
fn escapes_are_read_as_v8_does() {
    let Some(vectors) = vectors("escapes") else {
        return;
    };
    let text = std::fs::read_to_string(vectors.join("strings/escapes.tsv")).unwrap();
    let (mut ok, mut lone, mut error) = (0, 0, 0);
    for row in table(&text) {
        let json = parse(format!("\"{}\"", row[0]).as_bytes()).unwrap();
        let json = json.root().and_then(Value::as_str).unwrap();
        properties::chunks(json.as_bytes());
        let read = parse(json.as_bytes());
        match row[1] {
            "ok" => {
                let read = read.unwrap();
                let read = read.root().and_then(Value::as_str).unwrap();
                assert_eq!(read.as_bytes(), bytes_of_hex(row[4]), "{json}");
                assert_eq!(string_text(read), with_separators_escaped(row[3]), "{json}");
                ok += 1;
            }
            "lone" => {
                assert_eq!(read.unwrap_err().kind, ErrorKind::LoneSurrogate, "{json}");
                lone += 1;
            }
            _ => {
                assert!(read.is_err(), "{json}");
                error += 1;
            }
        }
    }
    assert_eq!((ok, lone, error), (108, 85, 86));
}

/// `JSON.stringify` leaves these raw; DESIGN.md §5.6 escapes them, since some hosts split lines there.
fn with_separators_escaped(text: &str) -> String {
    text.replace('\u{85}', "\\u0085")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[test]
fn strings_are_written_as_v8_does_but_for_three_separators() {
    let Some(vectors) = vectors("JSON.stringify") else {
        return;
    };
    let text = std::fs::read_to_string(vectors.join("strings/stringify.tsv")).unwrap();
    let (mut count, mut separators) = (0, 0);
    for line in text.split_terminator('\n') {
        let (hex, expected) = line.split_once('\t').unwrap();
        let string = String::from_utf8(bytes_of_hex(hex)).unwrap();
        assert_eq!(
            string_text(&string),
            with_separators_escaped(expected),
            "{hex}"
        );
        separators += usize::from(with_separators_escaped(expected) != expected);
        properties::string(string.as_bytes());
        count += 1;
    }
    assert_eq!((count, separators), (997, 5));
}

#[test]
fn naughty_strings_are_themselves() {
    let Some(vectors) = vectors("blns") else {
        return;
    };
    let files = files(&vectors.join("blns"));
    for (name, count, encoded) in [("blns.json", 515, false), ("blns.base64.json", 676, true)] {
        let document = parse(&files[name]).unwrap();
        let strings = document.root().and_then(Value::as_array).unwrap();
        assert_eq!(strings.iter().count(), count);
        for string in strings {
            let string = string.as_str().unwrap();
            let alphabet = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
            assert!(!encoded || string.chars().all(alphabet), "{string}");
            properties::string(string.as_bytes());
        }
    }
}

/// A value as RFC 8785 has it: members sorted by UTF-16, numbers by `Number::toString`.
fn canonical(value: Value<'_>, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&properties::formatted(number.to_f64())),
        Value::Array(array) => {
            out.push('[');
            for (at, element) in array.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                canonical(element, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
            out.push('{');
            for (at, (name, member)) in members.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                out.push_str(&string_text(name));
                out.push(':');
                canonical(member, out);
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&value.to_text()),
    }
}

#[test]
fn canonical_texts_are_those_of_rfc_8785() {
    let Some(vectors) = vectors("RFC 8785") else {
        return;
    };
    let inputs = files(&vectors.join("jcs/input"));
    let outputs = files(&vectors.join("jcs/output"));
    assert_eq!((inputs.len(), outputs.len()), (6, 6));
    for (name, input) in &inputs {
        let mut out = String::new();
        canonical(parse(input).unwrap().root().unwrap(), &mut out);
        let expected = String::from_utf8(outputs[name].clone()).unwrap();
        assert_eq!(out, with_separators_escaped(&expected), "{name}");
    }
}
