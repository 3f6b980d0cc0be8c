//! What the desk says: its definitions, its prices, and what it asks for instead of what it can't take.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use barewire::catalog::reservo::Reservo;
use barewire::json::{parse, string_text};
use barewire::mcp::Server;

use crate::desk::{ANA, ANA_ON_DISK, Answer, Desk, ROOMS, Scratch, UNKNOWN, call_line, quote};

const TOOLS: &str = include_str!("tools.json");
const HOURS: &str = "hours debe ser un número entero de 1 a 24.";
const MEMBER: &str =
    "member debe ser el nombre del miembro: de 1 a 200 caracteres, sin caracteres de control.";

/// A tool, its arguments, and what comes of it: an object, or words for the model.
const CONVERSATION: [(&str, &str, Result<&str, &str>); 7] = [
    ("list_rooms", "{}", Ok(ROOMS)),
    (
        "get_quote",
        r#"{"room":"Boardroom","tier":"pro","hours":3}"#,
        Ok(r#"{"room":"Boardroom","tier":"pro","hours":3,"rate_cents":4800,"total_cents":14400}"#),
    ),
    (
        "book_room",
        r#"{"room":"Studio","tier":"basic","hours":24,"member":"Íñigo \"Ñ\" 😀"}"#,
        Ok(
            r#"{"id":1,"room":"Studio","tier":"basic","hours":24,"member":"Íñigo \"Ñ\" 😀","total_cents":60000,"status":"confirmed"}"#,
        ),
    ),
    (
        "cancel_booking",
        r#"{"id":1}"#,
        Ok(r#"{"id":1,"status":"cancelled"}"#),
    ),
    (
        "cancel_booking",
        r#"{"id":1}"#,
        Err("La reserva 1 ya estaba cancelada: no hay nada más que hacer."),
    ),
    (
        "book_room",
        r#"{"room":"Studio","tier":"basic","hours":0,"member":"Íñigo"}"#,
        Err(HOURS),
    ),
    // The number of a cancelled booking does not come back.
    (
        "book_room",
        ANA,
        Ok(
            r#"{"id":2,"room":"Focus","tier":"pro","hours":2,"member":"Ana","total_cents":2400,"status":"confirmed"}"#,
        ),
    ),
];

/// Runs each call on one desk without a process and without files.
fn in_process(calls: &[(&str, String)]) -> Vec<Answer> {
    let desk = Reservo::new(None).expect("the definitions are good");
    let mut server = Server::new(&desk, 8 << 20);
    let answers = calls.iter().map(|(tool, arguments)| {
        let line = call_line(tool, arguments);
        let mut out = Vec::new();
        let request = parse(line.as_bytes()).expect("a call is JSON");
        server.answer(request.root().expect("a call is a value"), &mut out);
        Answer::read(&String::from_utf8(out).expect("UTF-8"))
    });
    answers.collect()
}

#[test]
fn the_definitions_go_on_the_wire_byte_for_byte() {
    let mut desk = Desk::open(None);
    let wanted = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":{TOOLS}}}}}"#);
    for params in ["", r#","params":{}"#, r#","params":null"#] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list"{params}}}"#);
        assert_eq!(desk.ask(&line), wanted, "{line}");
    }
}

#[test]
fn the_copy_of_the_definitions_is_the_original() {
    // The original is not part of the repository; the gate names the folder that has it.
    if let Some(shared) = std::env::var_os("BAREWIRE_SHARED") {
        let original = fs::read_to_string(Path::new(&shared).join("reservo-tools.json"));
        assert_eq!(TOOLS, original.expect("the original is there").trim_end());
    }
}

#[test]
fn a_whole_conversation_in_each_revision() {
    let server_info = format!(
        r#"{{"name":"reservo","version":"{}"}}"#,
        env!("CARGO_PKG_VERSION")
    );
    let modern_meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    for revision in [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        "2026-07-28",
    ] {
        let is_modern = revision == "2026-07-28";
        let mut desk = Desk::open(None);
        if is_modern {
            assert_eq!(
                desk.ask(&format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{modern_meta}}}}}"#
                )),
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"ttlMs":3600000,"cacheScope":"public","_meta":{{"io.modelcontextprotocol/serverInfo":{server_info}}}}}}}"#
                )
            );
        } else {
            assert_eq!(
                desk.ask(&format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"test","version":"0"}}}}}}"#
                )),
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{revision}","capabilities":{{"tools":{{}}}},"serverInfo":{server_info}}}}}"#
                )
            );
            desk.tell(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        }
        for (tool, arguments, wanted) in CONVERSATION {
            let meta = if is_modern {
                format!(",{modern_meta}")
            } else {
                String::new()
            };
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":"ñ","method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}{meta}}}}}"#
            );
            let start = if is_modern {
                r#""resultType":"complete","#
            } else {
                ""
            };
            let end = if is_modern {
                format!(r#","_meta":{{"io.modelcontextprotocol/serverInfo":{server_info}}}"#)
            } else {
                String::new()
            };
            let text = string_text(wanted.unwrap_or_else(|text| text));
            // The revisions are dates, so that their order is the order of their names.
            let structured = match wanted {
                Ok(object) if revision >= "2025-06-18" => {
                    format!(r#","structuredContent":{object}"#)
                }
                _ => String::new(),
            };
            let is_error = wanted.is_err();
            assert_eq!(
                desk.ask(&line),
                format!(
                    r#"{{"jsonrpc":"2.0","id":"ñ","result":{{{start}"content":[{{"type":"text","text":{text}}}]{structured},"isError":{is_error}{end}}}}}"#
                ),
                "{revision} {tool}"
            );
        }
    }
}

#[test]
fn verbose_says_how_many_tools_were_listed() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_barewire"))
        .args(["--catalog", "reservo", "--verbose"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list"}}"#).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("[server] tools/list <- devolviendo 4 tools\n"),
        "{stderr}"
    );
}

#[test]
fn a_price_is_the_hourly_price_added_once_an_hour() {
    // Written out by hand, so that a wrong percentage or rounding in the server shows.
    let hourly = [
        ("Focus", "basic", 1500),
        ("Focus", "pro", 1200),
        ("Studio", "basic", 2500),
        ("Studio", "pro", 2000),
        ("Boardroom", "basic", 6000),
        ("Boardroom", "pro", 4800),
    ];
    let mut calls = Vec::new();
    let mut wanted = Vec::new();
    for (room, tier, cents) in hourly {
        let mut total = 0;
        for hours in 1..=24 {
            total += cents;
            calls.push(quote(room, tier, &hours.to_string()));
            wanted.push(Answer {
                text: format!(
                    r#"{{"room":"{room}","tier":"{tier}","hours":{hours},"rate_cents":{cents},"total_cents":{total}}}"#
                ),
                is_error: false,
            });
        }
    }
    assert_eq!(in_process(&calls), wanted);
}

#[test]
fn every_number_of_hours_gets_an_answer() {
    let no_integer = "Invalid arguments: /hours: expected integer, got number";
    let one = r#"{"room":"Focus","tier":"pro","hours":1,"rate_cents":1200,"total_cents":1200}"#;
    let all_day =
        r#"{"room":"Focus","tier":"pro","hours":24,"rate_cents":1200,"total_cents":28800}"#;
    let rows = [
        ("1.0", Ok(one)),
        ("10e-1", Ok(one)),
        ("2.4e1", Ok(all_day)),
        ("24.000", Ok(all_day)),
        ("0", Err(HOURS)),
        ("-0", Err(HOURS)),
        ("25", Err(HOURS)),
        ("-1", Err(HOURS)),
        ("1e400", Err(HOURS)),
        ("-1e400", Err(HOURS)),
        ("1e99999999999999999999", Err(HOURS)),
        ("99999999999999999999", Err(HOURS)),
        ("9223372036854775807", Err(HOURS)),
        ("-9223372036854775808", Err(HOURS)),
        // Whole numbers that a cut to 32 bits would turn into 1.
        ("4294967297", Err(HOURS)),
        ("18446744073709551617", Err(HOURS)),
        ("2.5", Err(no_integer)),
        // Near enough to 1 that an f64 can't tell; exactly it is no whole number.
        ("1.00000000000000000001", Err(no_integer)),
        ("1e-400", Err(no_integer)),
        (
            r#""2""#,
            Err("Invalid arguments: /hours: expected integer, got string"),
        ),
        (
            "null",
            Err("Invalid arguments: /hours: expected integer, got null"),
        ),
    ];
    for (hours, wanted) in rows {
        let answers = in_process(&[quote("Focus", "pro", hours)]);
        let wanted = Answer {
            text: wanted.unwrap_or_else(|text| text).to_owned(),
            is_error: wanted.is_err(),
        };
        assert_eq!(answers, [wanted], "{hours}");
    }
}

#[test]
fn a_member_has_a_name() {
    let longest = "ñ".repeat(200);
    let too_long = "ñ".repeat(201);
    let rows = [
        ("Ana", true),
        (" Ana María ", true),
        (longest.as_str(), true),
        (too_long.as_str(), false),
        ("", false),
        (" ", false),
        // Blank as Unicode has it, not only ASCII.
        ("\u{a0}\u{2003}\u{3000}", false),
        ("Ana\nMaría", false),
        ("Ana\u{0}", false),
        ("\u{1b}[31mAna", false),
        ("Ana\u{7f}", false),
        ("Ana\u{85}", false),
    ];
    for (member, is_name) in rows {
        let arguments = format!(
            r#"{{"room":"Focus","tier":"basic","hours":1,"member":{}}}"#,
            string_text(member)
        );
        // The one after it shows whether it has taken a number.
        let answers = in_process(&[("book_room", arguments), ("book_room", ANA.to_owned())]);
        let [answer, next] = answers.as_slice() else {
            panic!("two calls, two answers")
        };
        if is_name {
            assert_eq!((answer.id(), next.id()), (1, 2), "{member:?}");
            let kept = format!(r#""member":{},"#, string_text(member));
            assert!(answer.text.contains(&kept), "{}", answer.text);
        } else {
            assert_eq!((answer.text.as_str(), next.id()), (MEMBER, 1), "{member:?}");
        }
    }
}

#[test]
fn a_refused_call_books_nothing() {
    let scratch = Scratch::new();
    let mut desk = Desk::open(Some(&scratch.0));
    let rows = [
        ("{}", "/member: expected string, got nothing"),
        (
            r#"{"room":"focus","tier":"pro","hours":2,"member":"Ana"}"#,
            r#"/room: expected one of "Focus", "Studio", "Boardroom""#,
        ),
        (
            r#"{"room":"Focus","tier":"gold","hours":2,"member":"Ana"}"#,
            r#"/tier: expected one of "basic", "pro""#,
        ),
        (
            r#"{"room":"Focus","tier":"pro","hours":2.5,"member":"Ana"}"#,
            "/hours: expected integer",
        ),
        (
            r#"{"room":"Focus","tier":"pro","hours":2,"member":7}"#,
            "/member: expected string, got number",
        ),
        (
            r#"{"room":"Focus","tier":"pro","hours":25,"member":"Ana"}"#,
            HOURS,
        ),
        (
            r#"{"room":"Focus","tier":"pro","hours":2,"member":""}"#,
            MEMBER,
        ),
    ];
    for (arguments, wanted) in rows {
        desk.call("book_room", arguments).is_refused_with(&[wanted]);
        assert!(scratch.ls().is_empty(), "{arguments}");
    }
    // A request without an id is a notification, and one that is no call of a tool asks for an answer only.
    desk.tell(&call_line("book_room", ANA).replace(r#""id":1,"#, ""));
    let fault = desk.ask(&call_line("book_rooms", ANA));
    assert!(fault.contains("Unknown tool: book_rooms"), "{fault}");
    assert!(scratch.ls().is_empty());
}

#[test]
fn the_schemas_allow_arguments_that_they_do_not_name() {
    // No `additionalProperties` in them: hosts send notes of their own along. They are not kept.
    let scratch = Scratch::new();
    let mut desk = Desk::open(Some(&scratch.0));
    let arguments = ANA.replace('}', r#","note":{"deep":[1]},"id":40,"total_cents":0}"#);
    assert_eq!(desk.call("book_room", &arguments).id(), 1);
    assert_eq!(scratch.cat("1.json"), ANA_ON_DISK);
    assert_eq!(desk.call("list_rooms", r#"{"city":"Quito"}"#).text, ROOMS);
    assert_eq!(
        desk.call("cancel_booking", r#"{"id":1,"reason":"lluvia"}"#)
            .id(),
        1
    );
}

#[test]
fn only_the_number_of_a_booking_cancels() {
    let no_integer = "Invalid arguments: /id: expected integer, got";
    let before = "La reserva 1 ya estaba cancelada: no hay nada más que hacer.";
    let rows = [
        ("0", UNKNOWN),
        ("-0", UNKNOWN),
        ("-1", UNKNOWN),
        ("3", UNKNOWN),
        ("1e400", UNKNOWN),
        ("-1e400", UNKNOWN),
        ("9007199254740993", UNKNOWN),
        ("99999999999999999999", UNKNOWN),
        ("18446744073709551617", UNKNOWN),
        ("1.5", no_integer),
        ("1.00000000000000000001", no_integer),
        (r#""1""#, no_integer),
        ("null", no_integer),
        ("1.0", r#"{"id":1,"status":"cancelled"}"#),
        ("1", before),
        ("1.0", before),
        ("10e-1", before),
        ("2e0", r#"{"id":2,"status":"cancelled"}"#),
    ];
    for data in [None, Some(Scratch::new())] {
        let mut desk = Desk::open(data.as_ref().map(|scratch| scratch.0.as_path()));
        assert_eq!((desk.book().id(), desk.book().id()), (1, 2));
        for (id, wanted) in rows {
            let answer = desk.call("cancel_booking", &format!(r#"{{"id":{id}}}"#));
            assert!(answer.text.starts_with(wanted), "{id}: {}", answer.text);
            assert_eq!(answer.is_error, !wanted.starts_with('{'), "{id}");
        }
    }
}

#[test]
fn without_a_directory_bookings_end_with_the_process() {
    for _ in 0..2 {
        let mut desk = Desk::open(None);
        assert_eq!(desk.book().id(), 1);
        assert_eq!(desk.book().id(), 2);
        assert_eq!(desk.cancel(2).id(), 2);
    }
}
