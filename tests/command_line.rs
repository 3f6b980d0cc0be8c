//! The command line: what each way to start the program prints and returns. Numbers in comments are those of the field
//! cases.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::tests_outside_test_module,
    clippy::too_many_lines,
    reason = "a test may panic, and a table may be long"
)]

mod support;

use barewire::json::parse;
use support::{barewire, run};

const PING: &str = r#"{"jsonrpc":"2.0","id":99,"method":"ping"}"#;
const PONG: &str = "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n";

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// 1, 2: whatever it is started with, stdout has messages or what was asked for, stderr lines that are no messages.
#[test]
fn stdout_and_stderr_of_each_way_to_start_it() {
    // Arguments, exit status, the start of stdout, the start of stderr.
    let rows: &[(&[&str], i32, &str, &str)] = &[
        (&[], 0, PONG, ""),
        (&["serve"], 0, PONG, ""),
        (&["--catalog", "demo"], 0, PONG, ""),
        (&["--catalog=demo", "serve"], 0, PONG, ""),
        (&["serve", "--max-message", "1024"], 0, PONG, ""),
        (&["--max-message=1073741824"], 0, PONG, ""),
        (&["--catalog", "reservo"], 0, PONG, ""),
        (
            &["--catalog", "reservo", "--data", "/nowhere/at/all"],
            0,
            PONG,
            "",
        ),
        (&["--help"], 0, "NAME\n  barewire - ", ""),
        (&["-h"], 0, "NAME\n  barewire - ", ""),
        (&["help"], 0, "NAME\n  barewire - ", ""),
        (&["help", "call"], 0, "NAME\n  barewire - ", ""),
        (&["serve", "--help"], 0, "NAME\n  barewire - ", ""),
        (&["call", "--help"], 0, "NAME\n  barewire - ", ""),
        (&["call", "add", "-h"], 0, "NAME\n  barewire - ", ""),
        (&["--sbom"], 0, "{\"spdxVersion\":\"SPDX-2.3\",", ""),
        (
            &["--version"],
            0,
            concat!("barewire ", env!("CARGO_PKG_VERSION"), "\n"),
            "",
        ),
        (
            &["-V"],
            0,
            concat!("barewire ", env!("CARGO_PKG_VERSION"), "\n"),
            "",
        ),
        (&["--nope"], 2, "", "barewire: unknown option --nope"),
        (&["nope"], 2, "", "barewire: unknown command nope; see"),
        (
            &["chekc"],
            2,
            "",
            "barewire: unknown command chekc (did you mean check?); see barewire --help\n",
        ),
        (
            &["--jsno"],
            2,
            "",
            "barewire: unknown option --jsno (did you mean --json?); see barewire --help\n",
        ),
        (
            &["tools", "--json=yes"],
            2,
            "",
            "barewire: --json takes no value",
        ),
        (&["\x1b[2J"], 2, "", "barewire: unknown command ␛[2J; see"),
        (
            &["check", "a", "b"],
            2,
            "",
            "barewire: unexpected argument b",
        ),
        (
            &["check", "--json"],
            2,
            "",
            "barewire: --json goes with tools",
        ),
        (
            &["serve", "nope"],
            2,
            "",
            "barewire: unexpected argument nope",
        ),
        (&["--catalog"], 2, "", "barewire: --catalog needs a value"),
        (&["--data"], 2, "", "barewire: --data needs a value"),
        (
            &["--catalog", "nope"],
            2,
            "",
            "barewire: unknown catalog nope",
        ),
        (
            &["--max-message"],
            2,
            "",
            "barewire: --max-message needs a value",
        ),
        (
            &["--max-message", "x"],
            2,
            "",
            "barewire: --max-message needs a number of bytes",
        ),
        (
            &["--max-message", "-1"],
            2,
            "",
            "barewire: --max-message needs a number of bytes",
        ),
        (
            &["--max-message", "1023"],
            2,
            "",
            "barewire: --max-message needs a number of bytes",
        ),
        (
            &["--max-message", "1073741825"],
            2,
            "",
            "barewire: --max-message needs a number of bytes",
        ),
        (
            &["--max-message="],
            2,
            "",
            "barewire: --max-message needs a number of bytes",
        ),
        (&["call"], 2, "", "barewire: call needs the NAME of a tool"),
        (
            &["call", "add", "{}", "x"],
            2,
            "",
            "barewire: unexpected argument x",
        ),
        (&["tools", "x"], 2, "", "barewire: unexpected argument x"),
    ];
    for (arguments, status, stdout, stderr) in rows {
        let end = run(barewire().args(*arguments), format!("{PING}\n").as_bytes());
        assert_eq!(end.status.code(), Some(*status), "{arguments:?}");
        let (out, err) = (text(&end.stdout), text(&end.stderr));
        assert!(
            out.starts_with(stdout) && out.is_empty() == stdout.is_empty(),
            "{arguments:?}: {out}"
        );
        assert!(
            err.starts_with(stderr) && err.is_empty() == stderr.is_empty(),
            "{arguments:?}: {err}"
        );
        assert!(
            err.lines().all(|line| !line.starts_with(['{', '['])),
            "{arguments:?}: {err}"
        );
    }
}

#[test]
fn tools_are_listed_and_called_from_the_command_line() {
    let add = r#"{"name":"add","description":"Add two numbers","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false}}"#;
    let echo = r#"{"name":"echo","description":"Echo text","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}"#;
    let definitions = format!("{add}\n{echo}\n");
    // Arguments, exit status, stdout, stderr.
    let list = "\
add   Add two numbers
        a  number  required
        b  number  required
echo  Echo text
        text  string  required
";
    let rows: &[(&[&str], i32, &str, &str)] = &[
        (&["tools"], 0, list, ""),
        (&["tools", "--json"], 0, &definitions, ""),
        (&["call", "add", r#"{"a":2.5,"b":4}"#], 0, "6.5\n", ""),
        (
            &["call", "add", r#" { "a" : 1e21 , "b" : 0 } "#],
            0,
            "1e+21\n",
            "",
        ),
        (&["call", "echo", r#"{"text":"hola"}"#], 0, "hola\n", ""),
        (
            &["call", "echo", r#"{"text":"\u2028 \"é\""}"#],
            0,
            "\u{2028} \"é\"\n",
            "",
        ),
        (
            &["call", "add", r#"{"a":1}"#],
            1,
            "Invalid arguments: /b: expected number, got nothing\n",
            "",
        ),
        (
            &["call", "add"],
            1,
            "Invalid arguments: /a: expected number, got nothing; /b: expected number, got nothing\n",
            "",
        ),
        (
            &["--json"],
            2,
            "",
            "barewire: --json goes with tools; see barewire --help\n",
        ),
        (
            &["call", "nope"],
            1,
            "",
            "barewire: unknown tool nope: the catalog has add, echo\n",
        ),
        (
            &["call", "ehco", "text=hola"],
            1,
            "",
            "barewire: unknown tool ehco (did you mean echo?): the catalog has add, echo\n",
        ),
        (
            &["call", "add", "[]"],
            1,
            "",
            "barewire: Invalid params: /params/arguments: expected object, got array\n",
        ),
        (
            &["call", "add", "{bad"],
            2,
            "",
            "barewire: arguments: expected a name in double quotes at byte 1\n{bad\n ^\n",
        ),
    ];
    for (arguments, status, stdout, stderr) in rows {
        let end = run(barewire().args(*arguments), b"");
        assert_eq!(text(&end.stdout), *stdout, "{arguments:?}");
        assert_eq!(text(&end.stderr), *stderr, "{arguments:?}");
        assert_eq!(end.status.code(), Some(*status), "{arguments:?}");
    }
}

/// A value goes to the type that the schema names: text where it wants a string, else JSON, else a string.
#[test]
fn arguments_may_be_given_one_by_one() {
    let both = "barewire: arguments are one JSON object or ARGUMENT=VALUE words, not both\n";
    // Arguments, exit status, stdout, stderr.
    let rows: &[(&[&str], i32, &str, &str)] = &[
        (&["add", "a=2.5", "b=4"], 0, "6.5\n", ""),
        (&["add", "b=-1e21", "a=0"], 0, "-1e+21\n", ""),
        (&["echo", "text=5"], 0, "5\n", ""),
        (&["echo", "text=\"5\""], 0, "\"5\"\n", ""),
        (&["echo", "text={\"a\":1}"], 0, "{\"a\":1}\n", ""),
        (&["echo", "text="], 0, "\n", ""),
        (&["echo", "text=a=b --json"], 0, "a=b --json\n", ""),
        (&["--", "echo", "text=--"], 0, "--\n", ""),
        (
            &["add", "a=two", "b=true"],
            1,
            "Invalid arguments: /a: expected number, got string; /b: expected number, got boolean\n",
            "",
        ),
        (
            &["echo", "text=x", "txet=y"],
            1,
            "Invalid arguments: /txet: expected no member but text, got string\n",
            "",
        ),
        (
            &["add", "a=1", "b=2", "a=3"],
            2,
            "",
            "barewire: argument a is given twice\n",
        ),
        (&["add", "a=1", r#"{"b":2}"#], 2, "", both),
        (&["add", r#"{"b":2}"#, "a=1"], 2, "", both),
        (
            &["add", "a=1", "two"],
            2,
            "",
            "barewire: expected ARGUMENT=VALUE or a JSON object, got two\n",
        ),
        (
            &["echo", "hola"],
            2,
            "",
            "barewire: expected ARGUMENT=VALUE or a JSON object, got hola\n",
        ),
        (
            &["echo", "=x"],
            2,
            "",
            "barewire: expected ARGUMENT=VALUE or a JSON object, got =x\n",
        ),
        (
            &["add", "{}", "{}"],
            2,
            "",
            "barewire: unexpected argument {}\n",
        ),
        (&["echo", r#"{"text":"a=b"}"#], 0, "a=b\n", ""),
    ];
    for (arguments, status, stdout, stderr) in rows {
        let end = run(barewire().arg("call").args(*arguments), b"");
        assert_eq!(text(&end.stdout), *stdout, "{arguments:?}");
        assert_eq!(text(&end.stderr), *stderr, "{arguments:?}");
        assert_eq!(end.status.code(), Some(*status), "{arguments:?}");
    }
    let quote = [
        "--catalog=reservo",
        "call",
        "get_quote",
        "room=Studio",
        "tier=pro",
        "hours=3",
    ];
    let end = run(barewire().args(quote), b"");
    assert!(
        text(&end.stdout).ends_with("\"total_cents\":6000}\n"),
        "{end:?}"
    );
}

#[test]
fn arguments_may_come_on_standard_input() {
    let long = format!("{{\"text\":\"{}\"}}", "x".repeat(2048));
    let rows: &[(&str, i32, &str, &str)] = &[
        ("{\"text\":\n\"hola\"}\n", 0, "hola\n", ""),
        (
            "{\"text\":\n  \"ho\tla\"}\n",
            2,
            "",
            "barewire: arguments: unescaped control character at byte 14, in line 2\n  \"ho␉la\"}\n     ^\n",
        ),
        (
            "{\"text\":\n",
            2,
            "",
            "barewire: arguments: unexpected end at byte 8\n{\"text\":\n        ^\n",
        ),
        (
            " \n",
            2,
            "",
            "barewire: arguments: expected a JSON object, got nothing\n",
        ),
        (
            &long,
            2,
            "",
            "barewire: standard input has more than 1024 bytes; see --max-message\n",
        ),
    ];
    for (input, status, stdout, stderr) in rows {
        let arguments = ["--max-message=1024", "call", "echo", "-"];
        let end = run(barewire().args(arguments), input.as_bytes());
        assert_eq!((text(&end.stdout), text(&end.stderr)), (*stdout, *stderr));
        assert_eq!(end.status.code(), Some(*status), "{input}");
    }
}

/// The line with the fault is cut to 80 columns around it; a wide character takes two of them.
#[test]
fn a_fault_in_arguments_has_a_caret_below_it() {
    let wide = format!("{{\"text\":\"{}\" x}}", "漢".repeat(100));
    let end = run(barewire().args(["call", "echo", &wide]), b"");
    let lines: Vec<&str> = text(&end.stderr).lines().collect();
    assert_eq!(
        lines[0],
        "barewire: arguments: expected ',' or '}' at byte 311"
    );
    assert!(
        lines[1].starts_with("...漢") && lines[1].ends_with("漢\" x}"),
        "{}",
        lines[1]
    );
    let columns = |text: &str| {
        text.chars()
            .map(|c| if c == '漢' { 2 } else { 1 })
            .sum::<usize>()
    };
    assert!(columns(lines[1]) <= 80 && lines.len() == 3, "{lines:?}");
    assert_eq!(
        lines[2].len(),
        columns(lines[1].split_once('x').unwrap().0) + 1
    );
    assert_eq!(lines[2].trim_start(), "^");
}

/// What goes to a pipe has neither style nor breaks, whatever the environment says.
#[test]
fn a_pipe_gets_whole_lines_without_escape_sequences() {
    for arguments in [
        &["--help"][..],
        &["tools"],
        &["--catalog=reservo", "tools"],
        &["nope"],
    ] {
        let plain = run(barewire().args(arguments), b"");
        let mut command = barewire();
        command
            .args(arguments)
            .env("COLUMNS", "30")
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR");
        let end = run(&mut command, b"");
        assert_eq!((&end.stdout, &end.stderr), (&plain.stdout, &plain.stderr));
        assert!(
            !end.stdout.contains(&0x1b) && !end.stderr.contains(&0x1b),
            "{arguments:?}"
        );
    }
}

/// One package, no dependency, the same bytes each time.
#[test]
fn the_bill_of_materials_is_that_of_this_package() {
    let end = run(barewire().arg("--sbom"), b"");
    assert_eq!(end.stdout, run(barewire().arg("--sbom"), b"").stdout);
    let document = parse(&end.stdout).unwrap();
    let root = document.root().unwrap();
    let packages: Vec<_> = root
        .get("packages")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert_eq!(packages.len(), 1);
    for (name, value) in [
        ("name", env!("CARGO_PKG_NAME")),
        ("versionInfo", env!("CARGO_PKG_VERSION")),
        ("licenseDeclared", env!("CARGO_PKG_LICENSE")),
    ] {
        assert_eq!(packages[0].get(name).unwrap().as_str(), Some(value));
    }
    let relationships = root.get("relationships").unwrap().to_text();
    assert!(
        relationships.contains(r#""relationshipType":"DEPENDS_ON","relatedSpdxElement":"NONE""#)
    );
}

/// 104: methods and outcomes, nothing else of what came; a method of the host's own is escaped and cut.
#[test]
fn verbose_tells_what_was_asked_and_what_became_of_it() {
    let long = "m".repeat(65);
    let input = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hunter2"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a\u001b\n"}"#,
        &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{long}"}}"#),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        "[]",
        "{hunter2",
        "",
    ];
    let rows = [
        ("demo", "returning 2 tools", "answered"),
        ("reservo", "devolviendo 4 tools", "error -32602"),
    ];
    for (catalog, list, add) in rows {
        let mut command = barewire();
        command.args(["--verbose", "--catalog", catalog]);
        let end = run(&mut command, input.join("\n").as_bytes());
        let expected = [
            format!("[server] tools/list <- {list}"),
            format!("[server] tools/call <- {add}"),
            "[server] tools/call <- error -32602".to_owned(),
            "[server] a\\u{1b}\\n <- error -32601".to_owned(),
            format!("[server] {} <- error -32601", &long[..64]),
            "[server] notifications/initialized <- no answer is asked for".to_owned(),
            "[server] a response <- nobody waits for it".to_owned(),
            "[server] no message <- error -32600".to_owned(),
            "[server] a batch <- error -32600".to_owned(),
            "[server] no message <- error -32700".to_owned(),
        ];
        assert_eq!(text(&end.stderr).lines().collect::<Vec<_>>(), expected);
    }
}

/// 55 to 58, 73: what no host refuses in a definition.
#[test]
fn the_definitions_suit_every_host() {
    for catalog in ["demo", "reservo"] {
        let end = run(
            barewire().args(["--catalog", catalog, "tools", "--json"]),
            b"",
        );
        for definition in text(&end.stdout).lines() {
            let document = parse(definition.as_bytes()).unwrap();
            let tool = document.root().unwrap();
            let string = |name| tool.get(name).unwrap().as_str().unwrap();
            let name = string("name");
            assert!(
                name.len() <= 40 && name.starts_with(|first: char| first.is_ascii_lowercase()),
                "{name}"
            );
            assert!(
                name.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
                "{name}"
            );
            assert!((1..1024).contains(&string("description").len()), "{name}");
            assert!(
                definition.bytes().all(|byte| (b' '..=b'~').contains(&byte)),
                "{name}"
            );
            let schema = tool.get("inputSchema").unwrap();
            assert_eq!(
                schema.get("type").unwrap().as_str(),
                Some("object"),
                "{name}"
            );
            assert!(
                schema.get("properties").unwrap().as_object().is_some(),
                "{name}"
            );
            for keyword in ["$schema", "$ref", "anyOf", "oneOf", "allOf", "not", "if"] {
                assert!(schema.get(keyword).is_none(), "{name}: {keyword}");
            }
        }
    }
}
