//! The command line: what each way to start the program prints and returns. Numbers in comments are those of the field
//! cases.

#![allow(
    clippy::unwrap_used,
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
        (&["--help"], 0, "barewire: ", ""),
        (&["-h"], 0, "barewire: ", ""),
        (&["serve", "--help"], 0, "barewire: ", ""),
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
        (&["nope"], 2, "", "barewire: unknown command nope"),
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
    let rows: &[(&[&str], i32, &str, &str)] = &[
        (&["tools"], 0, "add  Add two numbers\necho  Echo text\n", ""),
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
        (&["call", "nope"], 1, "", "barewire: Unknown tool: nope\n"),
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
            "barewire: arguments: expected a name in double quotes at byte 1\n",
        ),
    ];
    for (arguments, status, stdout, stderr) in rows {
        let end = run(barewire().args(*arguments), b"");
        assert_eq!(text(&end.stdout), *stdout, "{arguments:?}");
        assert_eq!(text(&end.stderr), *stderr, "{arguments:?}");
        assert_eq!(end.status.code(), Some(*status), "{arguments:?}");
    }
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
