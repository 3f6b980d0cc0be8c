//! `barewire check`: each rule has a value that breaks it and one that does not. Numbers in comments are those of the field
//! cases.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::tests_outside_test_module,
    clippy::too_many_lines,
    reason = "a test may panic, and a table may be long"
)]

mod support;

use barewire::json::{Value, parse};
use support::{End, barewire, run};

fn checked(input: &str) -> End {
    run(barewire().arg("check"), input.as_bytes())
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The findings in `input` without who stumbles and what to do, which every one must have.
fn findings(input: &str) -> Vec<String> {
    let end = checked(input);
    assert_eq!(text(&end.stderr), "");
    let lines: Vec<&str> = text(&end.stdout).lines().collect();
    if end.status.code() == Some(0) {
        assert!(
            lines.len() == 1 && lines[0].starts_with("-: nothing found in "),
            "{lines:?}"
        );
        return Vec::new();
    }
    assert_eq!(end.status.code(), Some(1));
    assert!(!lines.is_empty(), "{input}");
    let cut = |line: &&str| {
        let parts: Vec<&str> = line.split("; ").collect();
        assert!(
            parts.len() == 3 && parts.iter().all(|part| !part.is_empty()),
            "{line}"
        );
        parts[0].strip_prefix("-:").unwrap().to_owned()
    };
    lines.iter().map(cut).collect()
}

/// At the byte of a finding stands the value to which its pointer leads.
fn byte_and_pointer_agree(input: &str, finding: &str) {
    let [line, byte, subject, _] = finding.splitn(4, ':').collect::<Vec<_>>()[..] else {
        return;
    };
    let (line, byte): (usize, usize) = (line.parse().unwrap(), byte.parse().unwrap());
    let line = input.lines().nth(line - 1).unwrap();
    // The value is the whole input, or a line of it, perhaps behind a mark.
    let texts = [input, line.trim_start_matches(['<', '>', ' '])];
    let documents = texts.map(|text| parse(text.as_bytes()));
    let Some(document) = documents.into_iter().find_map(Result::ok) else {
        return;
    };
    let pointer = subject.find(" /").map_or("", |at| &subject[at + 2..]);
    let mut value = document.root().unwrap();
    for step in pointer.split_terminator('/') {
        let name = step.replace("~1", "/").replace("~0", "~");
        value = match value {
            Value::Array(array) => array.iter().nth(step.parse().unwrap()).unwrap(),
            _ => value.get(&name).unwrap(),
        };
    }
    assert!(
        line[byte..].starts_with(&value.to_text()),
        "{finding}: {line}"
    );
}

/// A definition with this name and description, and these members of the schema besides its type.
fn tool(name: &str, description: &str, schema: &str) -> String {
    format!(
        r#"{{"name":"{name}","description":"{description}","inputSchema":{{"type":"object",{schema}}}}}"#
    )
}

const NOTHING: &str = r#""properties":{},"additionalProperties":false"#;

fn named(name: &str) -> String {
    tool(name, "Does it", NOTHING)
}

fn told(description: &str) -> String {
    tool("t", description, NOTHING)
}

fn taking(property: &str) -> String {
    let schema = format!(r#""properties":{{"p":{property}}},"additionalProperties":false"#);
    tool("t", "Does it", &schema)
}

fn with(members: &str) -> String {
    tool("t", "Does it", &format!("{NOTHING},{members}"))
}

#[test]
fn a_definition_with_a_flaw_has_one_finding_and_without_it_none() {
    // What breaks the rule, what is said, and the nearest text that does not break it.
    let rows: &[(String, &str, String)] = &[
        // 55
        (
            tool("t", "Does it", r#""additionalProperties":false"#),
            "1:50: t /inputSchema: no properties",
            named("t"),
        ),
        (
            tool("t", "Does it", r#""properties":[],"additionalProperties":false"#),
            "1:80: t /inputSchema/properties: expected an object, got array",
            named("t"),
        ),
        // 56
        (with(r#""anyOf":[]"#), "1:120: t /inputSchema/anyOf: anyOf at the top of the schema", taking(r#"{"anyOf":[]}"#)),
        (with(r#""oneOf":[]"#), "1:120: t /inputSchema/oneOf: oneOf at the top of the schema", taking(r#"{"oneOf":[]}"#)),
        (with(r#""allOf":[]"#), "1:120: t /inputSchema/allOf: allOf at the top of the schema", taking(r#"{"allOf":[]}"#)),
        (with(r#""not":{}"#), "1:118: t /inputSchema/not: not at the top of the schema", taking(r#"{"not":{}}"#)),
        (with(r#""if":{}"#), "1:117: t /inputSchema/if: if at the top of the schema", taking(r#"{"if":{}}"#)),
        (
            taking(r##"{"$ref":"#"}"##),
            "1:93: t /inputSchema/properties/p/$ref: a reference",
            taking(r##"{"default":{"$ref":"#"}}"##),
        ),
        (
            taking(r#"{"type":["string","null"]}"#),
            "1:93: t /inputSchema/properties/p/type: a list of types",
            taking(r#"{"enum":[{"type":["string","null"]}]}"#),
        ),
        (
            taking(r#"{"type":"string","default":null}"#),
            "1:112: t /inputSchema/properties/p/default: a default of null",
            taking(r#"{"type":"string","default":""}"#),
        ),
        // Inside arrays of schemas, schemas and maps of them; a property may have the name of a keyword.
        (
            taking(r#"{"anyOf":[{},{"items":{"$defs":{"a/b":{"not":{"type":[]}}}}}]}"#),
            "1:138: t /inputSchema/properties/p/anyOf/1/items/$defs/a~1b/not/type: a list of types",
            taking(r#"{"properties":{"type":{},"default":{},"$ref":{},"$schema":{}}}"#),
        ),
        // 57
        (
            with(r#""$schema":"http://json-schema.org/draft-07/schema#""#),
            "1:122: t /inputSchema/$schema: a dialect label",
            with(r#""$comment":"http://json-schema.org/draft-07/schema#""#),
        ),
        (
            named("t").replace("}}", r#"},"outputSchema":{"$schema":"x"}}"#),
            "1:139: t /outputSchema/$schema: a dialect label",
            named("t").replace("}}", r#"},"outputSchema":{"type":"x"}}"#),
        ),
        // 58
        (named(""), "1:8: /name: an empty name", named("t")),
        (named("a b"), "1:8: a b /name: a name with a space", named("a_b")),
        (named("a/b"), "1:8: a/b /name: a name with '/'", named("a_b")),
        (named("é"), "1:8: é /name: a name with U+00E9 (é)", named("e")),
        (named("a\\u001b"), "1:8: a␛ /name: a name with U+001B", named("a")),
        (named("a.b"), "1:8: a.b /name: a name with a dot", named("a_b")),
        (named("a-b"), "1:8: a-b /name: a name with a hyphen", named("a_B")),
        (named("1a"), "1:8: 1a /name: a name that begins with a digit", named("a1")),
        (
            named(&"n".repeat(41)),
            &format!("1:8: {} /name: a name of 41 characters leaves fewer than 20 for the name of the server", "n".repeat(41)),
            named(&"n".repeat(40)),
        ),
        (
            named(&"n".repeat(65)),
            &format!("1:8: {}... /name: a name of 65 characters", "n".repeat(64)),
            named(&"n".repeat(40)),
        ),
        (
            named(&"n".repeat(129)),
            &format!("1:8: {}... /name: a name of 129 characters", "n".repeat(64)),
            named(&"n".repeat(40)),
        ),
        // 64
        (
            tool("t", "Does it", r#""properties":{}"#),
            "1:50: t /inputSchema: no additionalProperties",
            tool("t", "Does it", r#""properties":{},"additionalProperties":{"type":"string"}"#),
        ),
        (
            tool("t", "Does it", r#""properties":{},"additionalProperties":true"#),
            "1:106: t /inputSchema/additionalProperties: any argument is let through",
            named("t"),
        ),
        // 73
        (told(""), "1:0: t: no description", told("x")),
        (
            r#"{"name":"t","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}"#.to_owned(),
            "1:0: t: no description",
            told("x"),
        ),
        (told(&"x".repeat(1025)), "1:26: t /description: 1025 characters", told(&"x".repeat(1024))),
        (told("caf\u{e9}"), "1:26: t /description: U+00E9 (é)", told("caf\\u00e9\\n\\t\\\"")),
        (told("a\\u001b[2J"), "1:26: t /description: U+001B", told("a[2J")),
        (told("a\u{202e}b"), "1:26: t /description: U+202E", told("ab")),
        // What is missing, or of another type.
        (
            r#"{"description":"Does it","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}"#.to_owned(),
            "1:0: (no name): no name",
            named("t"),
        ),
        (named("t").replace("\"t\"", "5"), "1:8: (no name) /name: expected a string, got number", named("t")),
        (told("x").replace("\"x\"", "[]"), "1:26: t /description: expected a string, got array", told("x")),
        (r#"{"name":"t","description":"Does it"}"#.to_owned(), "1:0: t: no inputSchema", named("t")),
        (
            r#"{"name":"t","description":"Does it","inputSchema":null}"#.to_owned(),
            "1:50: t /inputSchema: expected an object, got null",
            named("t"),
        ),
        (named("t").replace("\"object\"", "\"array\""), "1:58: t /inputSchema/type: expected \"object\"", named("t")),
        (
            named("t").replace("\"type\":\"object\",", ""),
            "1:50: t /inputSchema: no type",
            named("t"),
        ),
        // Two tools.
        (
            format!("{}\n{}\n", named("t"), named("t")),
            "2:8: t /name: the same name as that of the tool in line 1",
            format!("{}\n{}\n", named("t"), named("u")),
        ),
        (
            format!("{}\n\n{}\n", named("get_it"), named("get_It")),
            "3:8: get_It /name: differs only in case from get_it in line 1",
            format!("{}\n\n{}\n", named("get_it"), named("get__it")),
        ),
        // Not JSON, or not what can be looked at.
        (
            format!("{},\n", named("t")),
            &format!("1:{}: not JSON: expected nothing more", named("t").len()),
            format!("{}\n", named("t")),
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2}".to_owned(),
            "1:28: two members of one object have this name",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"di\":2}".to_owned(),
        ),
        ("5".to_owned(), "1:0: expected an object, got number", "[]".to_owned()),
        ("5\n".to_owned(), "1:0: expected an object, got number", "\n \u{feff}\n".replace(' ', "")),
        ("[ 5]".to_owned(), "1:2: /0: expected an object, got number", "[ ]".to_owned()),
    ];
    for (bad, expected, good) in rows {
        assert_eq!(findings(bad), [*expected], "{bad}");
        byte_and_pointer_agree(bad, expected);
        assert_eq!(findings(good), [""; 0], "{good}");
    }
}

/// The messages of a transcript: lists, results, what the server says of itself.
#[test]
fn a_message_with_a_flaw_has_one_finding_and_without_it_none() {
    let list = |tools: &[String]| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{}]}}}}"#,
            tools.join(",")
        )
    };
    let result = |len: usize| {
        let around =
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":""}]}}"#.len();
        let text = "x".repeat(len - around);
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let told = |instructions: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"serverInfo":{{"name":"s"}},"instructions":"{instructions}"}}}}"#
        )
    };
    let server = |name: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"serverInfo":{{"name":"{name}"}}}}}}"#)
    };
    let modern = |name: &str| {
        server(name)
            .replace(
                "\"serverInfo\"",
                "\"_meta\":{\"io.modelcontextprotocol/serverInfo\"",
            )
            .replace("}}}", "}}}}")
    };
    let long = [named(&"n".repeat(41))];
    let open = [tool("t", "Does it", r#""properties":{}"#)];
    let rows: &[(String, &str, String)] = &[
        (
            list(&[named("a"), open[0].clone()]),
            "1:207: t /result/tools/1/inputSchema: no additionalProperties",
            list(&[named("a"), named("t")]),
        ),
        // In a batch, without an envelope, over several lines, behind a mark.
        (
            format!("[{}]", list(&open)),
            "1:94: t /0/result/tools/0/inputSchema: no additionalProperties",
            format!("[{}]", list(&[named("t")])),
        ),
        (
            format!("{{\"tools\":[{}]}}", open[0]),
            "1:60: t /tools/0/inputSchema: no additionalProperties",
            format!("{{\"tools\":[{}]}}", named("t")),
        ),
        (
            format!("\n[\n  {},\n{}\n]\n", named("a"), open[0]),
            "4:50: t /1/inputSchema: no additionalProperties",
            format!("\n[\n  {},\n{}\n]\n", named("a"), named("t")),
        ),
        (
            format!(
                "# A comment\n$ barewire\n>> {{\\x0A\n> {{\"jsonrpc\":\"2.0\"}}\n< {}\n^D\n",
                list(&open)
            ),
            "5:95: t /result/tools/0/inputSchema: no additionalProperties",
            format!(
                "> {{\"jsonrpc\":\"2.0\"}}\n# A comment\n< {}\n",
                list(&[named("t")])
            ),
        ),
        // The same name in two lists is the same tool; in one list it is not.
        (
            list(&[named("t"), named("t")]),
            "1:165: t /result/tools/1/name: the same name as that of the tool in line 1",
            format!("{}\n{}\n", list(&[named("t")]), list(&[named("t")])),
        ),
        // 58, with the name of the server.
        (
            format!("{}\n{}\n", server(&"s".repeat(20)), list(&long)),
            &format!(
                "2:51: {} /result/tools/0/name: 61 characters with the name of the server, {}",
                "n".repeat(41),
                "s".repeat(20)
            ),
            format!("{}\n{}\n", server(&"s".repeat(19)), list(&long)),
        ),
        (
            format!("{}\n{}\n", modern(&"s".repeat(20)), list(&long)),
            &format!(
                "2:51: {} /result/tools/0/name: 61 characters with the name of the server, {}",
                "n".repeat(41),
                "s".repeat(20)
            ),
            format!("{}\n{}\n", modern(&"s".repeat(19)), list(&long)),
        ),
        // 73
        (
            told(&"x".repeat(2049)),
            "1:75: /result/instructions: 2049 characters",
            told(&"x".repeat(2048)),
        ),
        (
            format!(
                "{}\n{}\n",
                list(&[named("a"), named("b")]),
                list(&[named("b"), named("a")])
            ),
            "2:42: /result/tools: the same tools as before in another order",
            format!(
                "{}\n{}\n",
                list(&[named("a"), named("b")]),
                list(&[named("b"), named("c")])
            ),
        ),
        // 74: what counts is the line.
        (
            result(100_001),
            "1:33: /result: a result of 100001 bytes",
            result(100_000),
        ),
        (
            result(1_048_577),
            "1:33: /result: a result of 1048577 bytes",
            result(100_000),
        ),
        // A log line, a message that was cut off, one that was cut off in its first member.
        (
            format!("Listening on stdio\n{}\n", list(&[])),
            "1:0: not JSON: expected a value",
            format!("\n{}\n", list(&[])),
        ),
        (
            format!("{{\"jsonrpc\":\"2.0\",\"id\":\n{}\n", list(&[])),
            "1:22: not JSON: unexpected end",
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1}}\n{}\n", list(&[])),
        ),
        (
            format!("{{\"id\":1\n{}\n", list(&[])),
            "2:0: not JSON, from line 1 on: expected ',' or '}'",
            format!("{{\"id\":1,\"method\":\"x\"}}\n{}\n", list(&[])),
        ),
        (
            "> {\n> {\"jsonrpc\":\"2.0\"}\n".to_owned(),
            "1:3: not JSON: unexpected end",
            "> {\"jsonrpc\":\"2.0\"}\n".to_owned(),
        ),
        (
            "{\"jsonrpc\":\"2.0\n".to_owned(),
            "1:15: not JSON: the line ends inside a string",
            "{\"jsonrpc\":\"2.0\\nx\"}".to_owned(),
        ),
        (
            "{\n\"a\": [1\n\"b\",\n{\"x\": 1},\n".to_owned(),
            "3:0: not JSON, from line 1 on: expected ',' or ']'",
            "[\n\n]".to_owned(),
        ),
        (
            "[\n[1,\n".to_owned(),
            "2:3: not JSON, from line 1 on: unexpected end",
            "[\n[]]\n".replace("[]", ""),
        ),
    ];
    for (bad, expected, good) in rows {
        let start: String = bad.chars().take(200).collect();
        assert_eq!(findings(bad), [*expected], "{start}");
        byte_and_pointer_agree(bad, expected);
        assert_eq!(findings(good), [""; 0], "{start}");
    }
    // A line that is cut off does not hide what is wrong in the next.
    let cut = format!("{{\"id\":1\n{}\n", list(&open));
    assert_eq!(findings(&cut).len(), 2);
}

/// The whole of a finding, and of the line that says that there is none.
#[test]
fn a_finding_is_one_line_that_names_file_place_hosts_and_remedy() {
    let folder = std::env::temp_dir().join(format!("barewire check {}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("tools.json");
    let path = file.to_str().unwrap();
    let expected = format!(
        "{path}:1:50: t /inputSchema: no properties; Codex, Copilot and others with an OpenAI-style back end refuse the \
         tool, some the whole request; write \"properties\":{{}}, even if there are none\n"
    );
    std::fs::write(
        &file,
        tool("t", "Does it", r#""additionalProperties":false"#),
    )
    .unwrap();
    let end = run(barewire().args(["check", path]), b"");
    assert_eq!(
        (text(&end.stdout), end.status.code()),
        (&*expected, Some(1))
    );
    std::fs::write(&file, named("t")).unwrap();
    let end = run(barewire().args(["check", path]), b"");
    let nothing = format!("{path}: nothing found in 1 definition and 0 messages\n");
    assert_eq!((text(&end.stdout), end.status.code()), (&*nothing, Some(0)));
    std::fs::remove_file(&file).unwrap();
    for unreadable in [path, folder.to_str().unwrap()] {
        let end = run(barewire().args(["check", unreadable]), b"");
        assert_eq!((text(&end.stdout), end.status.code()), ("", Some(2)));
        assert!(
            text(&end.stderr).starts_with(&format!("barewire: cannot read {unreadable}: ")),
            "{end:?}"
        );
    }
    std::fs::remove_dir(&folder).unwrap();
    let dash = run(barewire().args(["check", "-"]), named("t").as_bytes());
    assert_eq!(
        text(&dash.stdout),
        "-: nothing found in 1 definition and 0 messages\n"
    );
}

/// What the program itself serves. Reservo's definitions are the course's, byte for byte, and leave other arguments open.
#[test]
fn our_own_definitions_and_transcripts_hold() {
    let listed = |catalog| {
        run(
            barewire().args(["--catalog", catalog, "tools", "--json"]),
            b"",
        )
        .stdout
    };
    assert_eq!(findings(text(&listed("demo"))), [""; 0]);
    let found = findings(text(&listed("reservo")));
    assert_eq!(found.len(), 4);
    assert!(
        found
            .iter()
            .all(|finding| finding.ends_with(" /inputSchema: no additionalProperties")),
        "{found:?}"
    );
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for transcript in [
        "01-owner.txt",
        "03-envelope.txt",
        "04-handshakes.txt",
        "06-modern.txt",
        "08-text.txt",
    ] {
        let path = root.join("tests/transcripts").join(transcript);
        let end = run(barewire().arg("check").arg(&path), b"");
        assert_eq!(
            end.status.code(),
            Some(0),
            "{transcript}: {}",
            text(&end.stdout)
        );
    }
}

/// One line is kept, no more than the limit allows, and what is deep or has many names takes no longer than what is flat.
#[test]
fn hostile_input_is_read_to_its_end() {
    let deep = format!("{}{}\n", "[".repeat(200), "]".repeat(200));
    assert_eq!(
        findings(&deep),
        ["1:128: not JSON: more than 128 levels of nesting"]
    );
    let mut command = barewire();
    command.args(["--max-message", "1024", "check"]);
    let long = format!(
        "{}\n{}\n",
        "x".repeat(1 << 20),
        tool("t", "Does it", "\"properties\":{}")
    );
    let end = run(&mut command, long.as_bytes());
    let lines: Vec<&str> = text(&end.stdout).lines().collect();
    assert!(
        lines[0].starts_with("-:1:0: more than 1024 bytes; ") && lines[1].starts_with("-:2:50: t "),
        "{lines:?}"
    );
    assert_eq!(lines.len(), 2);
    let lines = "[\n".to_owned() + &"{},\n".repeat(1000) + "{}]\n";
    let end = run(&mut command, lines.as_bytes());
    assert!(
        text(&end.stdout).starts_with("-:257:0: more than 1024 bytes; "),
        "{}",
        text(&end.stdout)
    );
    assert_eq!(text(&end.stdout).lines().count(), 1);
    // Long names and many levels: a pointer has a part of each name only.
    let name = "n".repeat(10_000);
    let nested =
        format!("{{\"properties\":{{\"{name}\":").repeat(60) + "{\"type\":[]}" + &"}}".repeat(60);
    let found = findings(&taking(&nested));
    assert!(
        found.len() == 1 && found[0].len() < 10_000,
        "{}",
        found.len()
    );
}
