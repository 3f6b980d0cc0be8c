//! Catalogs that are not ours: what the server makes of their tools, and a whole crate that brings one of its own.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::tests_outside_test_module,
    clippy::too_many_lines,
    reason = "a test may panic, and a table may be long"
)]

mod support;

use std::path::Path;
use std::process::Command;

use barewire::catalog::{Arguments, Call, Catalog, Info, Tool, ToolError};
use barewire::{json, stdio};

/// Tools that do what tools should not, and one that does it all.
struct Bench {
    info: Info,
    tools: Vec<Tool>,
}

impl Bench {
    fn new(definitions: &[&str]) -> Self {
        Self {
            info: Info {
                name: "bench".to_owned(),
                version: "1".to_owned(),
                instructions: Some("Use \"all\".".to_owned()),
            },
            tools: Tool::parse_all(definitions).unwrap(),
        }
    }
}

impl Catalog for Bench {
    fn info(&self) -> &Info {
        &self.info
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn call(
        &self,
        name: &str,
        arguments: Arguments<'_>,
        call: &mut Call<'_>,
    ) -> Result<(), ToolError> {
        match name {
            "panics" => {
                call.text("written before");
                panic!("hunter2");
            }
            "fails" => {
                call.text("written before");
                call.object(r#"{"before":1}"#);
                return Err("the room is taken".into());
            }
            "long" => call.text(&"x".repeat(2000)),
            "long_object" => call.object(&format!(r#"{{"x":"{}"}}"#, "x".repeat(700))),
            "texts" => {
                call.text("one");
                call.number(-0.0);
                call.text("");
            }
            "object" => call.object(r#"{"b":1,"a":[null]}"#),
            "missing" => call.text(arguments.string("nobody_required_it")?),
            _ => {}
        }
        Ok(())
    }
}

fn plain(name: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object","properties":{{}}}}}}"#)
}

fn bench() -> Bench {
    let names = [
        "panics",
        "fails",
        "long",
        "long_object",
        "texts",
        "object",
        "missing",
    ];
    let definitions = names.map(plain);
    Bench::new(&definitions.each_ref().map(String::as_str))
}

/// The one place that knows how a catalog is served. The lines that come out for the lines that go in.
fn served(catalog: &dyn Catalog, bytes_max: usize, input: &[String]) -> Vec<String> {
    let mut output = Vec::new();
    let input = input.join("\n");
    let options = stdio::Options {
        bytes_max,
        ..stdio::Options::default()
    };
    stdio::serve(catalog, options, &mut input.as_bytes(), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn call(name: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#)
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":99,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":99,"result":{}}"#;

fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}"}}}}"#
    )
}

#[test]
fn a_call_of_each_tool_gives_these_bytes_and_the_server_lives_on() {
    let rows = [
        (
            "panics",
            r#""error":{"code":-32603,"message":"Internal error"}"#,
        ),
        (
            "fails",
            r#""result":{"content":[{"type":"text","text":"the room is taken"}],"isError":true}"#,
        ),
        (
            "long",
            r#""result":{"content":[{"type":"text","text":"The result has 2089 bytes, more than the 1024 that go into one answer."}],"isError":true}"#,
        ),
        (
            "long_object",
            r#""result":{"content":[{"type":"text","text":"The result has 1530 bytes, more than the 1024 that go into one answer."}],"isError":true}"#,
        ),
        (
            "texts",
            r#""result":{"content":[{"type":"text","text":"one"},{"type":"text","text":"0"},{"type":"text","text":""}],"isError":false}"#,
        ),
        (
            "object",
            r#""result":{"content":[{"type":"text","text":"{\"b\":1,\"a\":[null]}"}],"structuredContent":{"b":1,"a":[null]},"isError":false}"#,
        ),
        (
            "missing",
            r#""result":{"content":[{"type":"text","text":"/nobody_required_it: expected string"}],"isError":true}"#,
        ),
    ];
    for (name, answer) in rows {
        let expected = [
            format!(r#"{{"jsonrpc":"2.0","id":1,{answer}}}"#),
            PONG.to_owned(),
        ];
        assert_eq!(
            served(&bench(), 1024, &[call(name), PING.to_owned()]),
            expected,
            "{name}"
        );
    }
}

#[test]
fn a_tool_that_panics_does_so_in_a_batch_and_in_the_modern_era_too() {
    let modern = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"panics",{META}}}}}"#
    );
    let input = [
        initialize("2025-03-26"),
        format!("[{},{PING}]", call("panics")),
        modern,
    ];
    let answers = served(&bench(), stdio::MAX_MESSAGE, &input);
    let error = |id: u8| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"Internal error"}}}}"#
        )
    };
    assert_eq!(answers[1..], [format!("[{},{PONG}]", error(1)), error(2)]);
}

/// Structured content came with 2025-06-18. Text came always (case 66).
#[test]
fn structured_content_goes_to_revisions_that_know_it() {
    let text = r#""content":[{"type":"text","text":"{\"b\":1,\"a\":[null]}"}]"#;
    let both = format!(r#"{text},"structuredContent":{{"b":1,"a":[null]}}"#);
    let rows = [
        ("2024-11-05", text),
        ("2025-03-26", text),
        ("2025-06-18", &both),
        ("2025-11-25", &both),
    ];
    for (version, content) in rows {
        let answers = served(
            &bench(),
            stdio::MAX_MESSAGE,
            &[initialize(version), call("object")],
        );
        let expected =
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{{content},"isError":false}}}}"#);
        assert_eq!(answers[1], expected, "{version}");
    }
    let modern = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"object",{META}}}}}"#
    );
    let expected = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete",{both},"isError":false,"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"bench","version":"1"}}}}}}}}"#
    );
    assert_eq!(served(&bench(), stdio::MAX_MESSAGE, &[modern]), [expected]);
}

#[test]
fn instructions_stand_in_both_handshakes() {
    let discover =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{META}}}}}"#);
    let expected = [
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"},"instructions":"Use \"all\"."}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"Use \"all\".","ttlMs":3600000,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1"}}}}"#,
    ];
    assert_eq!(
        served(
            &bench(),
            stdio::MAX_MESSAGE,
            &[initialize("2025-11-25"), discover]
        ),
        expected
    );
}

/// Case 42: a definition shows the members that the revision knows. `execution` came with 2025-11-25 and went again.
#[test]
fn a_definition_has_the_members_of_its_revision() {
    let name = r#"{"name":"all""#;
    let title = r#","title":"All""#;
    let start = r#","description":"d","inputSchema":{"type":"object","properties":{}}"#;
    let output = r#","outputSchema":{"type":"object"}"#;
    let annotations = r#","annotations":{"readOnlyHint":true}"#;
    let icons = r#","icons":[{"src":"data:,"}]"#;
    let execution = r#","execution":{"taskSupport":"optional"}"#;
    let meta = r#","_meta":{"x/y":1}}"#;
    let definition = [
        name,
        title,
        start,
        output,
        annotations,
        icons,
        execution,
        meta,
    ]
    .concat();
    let rows: [(&str, &[&str]); 5] = [
        ("2024-11-05", &[name, start, "}"]),
        ("2025-03-26", &[name, start, annotations, "}"]),
        (
            "2025-06-18",
            &[name, title, start, output, annotations, meta],
        ),
        (
            "2025-11-25",
            &[
                name,
                title,
                start,
                output,
                annotations,
                icons,
                execution,
                meta,
            ],
        ),
        (
            "2026-07-28",
            &[name, title, start, output, annotations, icons, meta],
        ),
    ];
    // One pipe, each revision twice: what was written for one is not given to another.
    let twice = || rows.iter().chain(rows.iter().rev());
    let input: Vec<String> = twice()
        .flat_map(|(version, _)| {
            let params = if *version == "2026-07-28" { META } else { "" };
            let list = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{params}}}}}"#
            );
            [initialize(version), list]
        })
        .collect();
    let answers = served(&Bench::new(&[&definition]), stdio::MAX_MESSAGE, &input);
    for ((version, members), lines) in twice().zip(answers.chunks(2)) {
        let tools = format!(r#""tools":[{}]"#, members.concat());
        assert!(lines[1].contains(&tools), "{version}: {}", lines[1]);
    }
    assert_eq!(answers.len(), 2 * twice().count());
}

/// White space and the spelling of numbers are the definition's; the order of members too.
#[test]
fn a_definition_goes_on_the_wire_as_it_stands() {
    let definition = " { \"inputSchema\" : { \"properties\" : { \"n\" : { \"maximum\" : 1.50e1 , \"type\" : \"number\" } } ,\n \"type\" : \"object\" } , \"name\" : \"z\\u0041\" } ";
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned();
    let expected = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"inputSchema":{"properties":{"n":{"maximum":1.50e1,"type":"number"}},"type":"object"},"name":"zA"}]}}"#;
    assert_eq!(
        served(&Bench::new(&[definition]), stdio::MAX_MESSAGE, &[list]),
        [expected]
    );
}

#[test]
fn a_catalog_without_tools_lists_none() {
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned();
    let expected = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#;
    assert_eq!(
        served(&Bench::new(&[]), stdio::MAX_MESSAGE, &[list]),
        [expected]
    );
}

/// A list of 3 MB has pages: walking the cursors gives every tool once and in order, and each page fits into an answer.
#[test]
fn cursors_lead_through_all_pages() {
    let description = "d".repeat(100_000);
    let definitions: Vec<String> = (0..30)
        .map(|at| format!(r#"{{"name":"t{at}","description":"{description}","inputSchema":{{"type":"object","properties":{{}}}}}}"#))
        .collect();
    let catalog = Bench::new(&definitions.iter().map(String::as_str).collect::<Vec<_>>());
    for params in ["", META] {
        let (mut names, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let list = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{cursor}{params}}}}}"#
            );
            let list = list.replace(",}", "}");
            let answer = served(&catalog, 2 << 20, &[list]).remove(0);
            pages += 1;
            assert!(pages <= 3, "the cursors lead in a circle");
            let document = json::parse(answer.as_bytes()).unwrap();
            let result = document.root().unwrap().get("result").unwrap();
            for tool in result.get("tools").unwrap().as_array().unwrap() {
                names.push(tool.get("name").unwrap().as_str().unwrap().to_owned());
            }
            match result.get("nextCursor") {
                Some(next) => cursor = format!(r#""cursor":{},"#, next.to_text()),
                None => break,
            }
        }
        let expected: Vec<String> = (0..30).map(|at| format!("t{at}")).collect();
        assert_eq!(names, expected);
        assert_eq!(pages, 3);
    }
    for cursor in [
        "0",
        "3",
        "4",
        "01",
        "+1",
        "1 ",
        " 1",
        "1.0",
        "-1",
        "",
        "18446744073709551616",
        "x",
    ] {
        let list = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"cursor":"{cursor}"}}}}"#
        );
        let expected = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params","data":"/params/cursor: expected a cursor that this server gave out, got string"}}"#;
        assert_eq!(served(&catalog, 2 << 20, &[list]), [expected], "{cursor:?}");
    }
}

/// 17, 74: the list does not fit into an answer of this limit, which is said and not sent.
#[test]
fn a_list_over_the_limit_is_an_error_that_says_so() {
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned();
    let definition = plain("long").replace(
        "{}",
        &format!(r#"{{"a":{{"title":"{}"}}}}"#, "x".repeat(2000)),
    );
    let expected = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error","data":"expected an answer of at most 1024 bytes"}}"#;
    assert_eq!(
        served(&Bench::new(&[&definition]), 1024, &[list]),
        [expected]
    );
}

#[test]
fn a_subscription_whose_end_would_be_over_the_limit_is_refused() {
    let lines_of = |len: usize| {
        let id = "i".repeat(len);
        let listen = format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"subscriptions/listen","params":{{"notifications":{{}},{META}}}}}"#
        );
        served(&bench(), 1024, &[listen])
    };
    let mut refused = Vec::new();
    for len in 0..700 {
        let lines = lines_of(len);
        assert!(lines.iter().all(|line| line.len() <= 1024), "{len}");
        match lines.as_slice() {
            // Acknowledged, and answered at the end.
            [_, _] => assert!(refused.is_empty(), "{len}"),
            [line] => {
                let text = r#""data":"expected an answer of at most 1024 bytes""#;
                assert!(line.contains(text), "{len}: {line}");
                refused.push(len);
            }
            _ => panic!("{len}: {lines:?}"),
        }
    }
    let first = refused[0];
    // The longest end that still goes out: a byte of the id stands in it twice.
    let end = lines_of(first - 1).remove(1);
    assert!(end.len() > 1022, "{}", end.len());
}

#[test]
fn a_definition_that_could_not_be_served_is_refused() {
    let schema = r#""inputSchema":{"type":"object","properties":{}}"#;
    let long = "n".repeat(129);
    // The definition, and the error.
    let rows: &[(&str, &str)] = &[
        ("", "tool definition: no value at byte 0"),
        ("{", "tool definition: unexpected end at byte 1"),
        ("[]", "tool definition: expected an object"),
        (
            "{}",
            "tool definition /name: expected 1 to 128 of A-Z a-z 0-9 _ - .",
        ),
        (
            r#"{"name":5}"#,
            "tool definition /name: expected 1 to 128 of A-Z a-z 0-9 _ - .",
        ),
        (
            r#"{"name":""}"#,
            "tool definition /name: expected 1 to 128 of A-Z a-z 0-9 _ - .",
        ),
        (
            r#"{"name":"a b"}"#,
            "tool definition /name: expected 1 to 128 of A-Z a-z 0-9 _ - .",
        ),
        (
            r#"{"name":"a/b"}"#,
            "tool definition /name: expected 1 to 128 of A-Z a-z 0-9 _ - .",
        ),
        (
            r#"{"name":"é"}"#,
            "tool definition /name: expected 1 to 128 of A-Z a-z 0-9 _ - .",
        ),
        (
            r#"{"name":"a\u0000"}"#,
            "tool definition /name: expected 1 to 128 of A-Z a-z 0-9 _ - .",
        ),
        (
            &format!(r#"{{"name":"{long}"}}"#),
            "tool definition /name: expected 1 to 128 of A-Z a-z 0-9 _ - .",
        ),
        (
            r#"{"name":"a","name":"b"}"#,
            "tool definition: duplicate name at byte 18",
        ),
        (
            r#"{"name":"a"}"#,
            "tool definition a: /inputSchema: expected a schema",
        ),
        (
            r#"{"name":"a","inputSchema":null}"#,
            "tool definition a: /inputSchema/type: expected \"object\", as arguments are always one",
        ),
        (
            r#"{"name":"a","inputSchema":true}"#,
            "tool definition a: /inputSchema/type: expected \"object\", as arguments are always one",
        ),
        (
            r#"{"name":"a","inputSchema":{}}"#,
            "tool definition a: /inputSchema/type: expected \"object\", as arguments are always one",
        ),
        (
            r#"{"name":"a","inputSchema":{"type":["object"]}}"#,
            "tool definition a: /inputSchema/type: expected \"object\", as arguments are always one",
        ),
        (
            r#"{"name":"a","inputSchema":{"type":"object","anyOf":[]}}"#,
            "tool definition a: /inputSchema/anyOf: unknown keyword",
        ),
        (
            r#"{"name":"a","inputSchema":{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}}"#,
            "tool definition a: /inputSchema/$schema: unknown keyword",
        ),
        (
            r#"{"name":"a","inputSchema":{"type":"object","properties":{"x/y":{"type":"text"}}}}"#,
            "tool definition a: /inputSchema/properties/x~1y/type: expected types of JSON Schema",
        ),
        (
            &format!(r#"{{"name":"a","description":5,{schema}}}"#),
            "tool definition a: /description: expected string",
        ),
        (
            &format!(r#"{{"name":"a","title":null,{schema}}}"#),
            "tool definition a: /title: expected string",
        ),
        (
            &format!(r#"{{"name":"a","outputSchema":true,{schema}}}"#),
            "tool definition a: /outputSchema: expected object",
        ),
        (
            &format!(r#"{{"name":"a","annotations":[],{schema}}}"#),
            "tool definition a: /annotations: expected object",
        ),
        (
            &format!(r#"{{"name":"a","_meta":null,{schema}}}"#),
            "tool definition a: /_meta: expected object",
        ),
        (
            &format!(r#"{{"name":"a","execution":"x",{schema}}}"#),
            "tool definition a: /execution: expected object",
        ),
        (
            &format!(r#"{{"name":"a","icons":{{}},{schema}}}"#),
            "tool definition a: /icons: expected array",
        ),
        (
            &format!(r#"{{"name":"a","Description":"d",{schema}}}"#),
            "tool definition a: /Description: unknown member",
        ),
    ];
    for (definition, error) in rows {
        let refused = Tool::parse(definition).map(|tool| tool.name().to_owned());
        assert_eq!(
            refused.map_err(|error| error.to_string()),
            Err((*error).to_owned()),
            "{definition}"
        );
    }
}

/// Some hosts see no case in names.
#[test]
fn two_tools_of_one_name_are_refused() {
    for (a, b) in [("same", "same"), ("same", "SAME")] {
        let error = Tool::parse_all(&[&plain(a), &plain(b)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("tool definition {b}: expected a name that no other tool has")
        );
    }
    assert_eq!(
        Tool::parse_all(&[&plain("n.-_9"), &plain(&"n".repeat(128))])
            .unwrap()
            .len(),
        2
    );
}

/// The library face: a crate with a path dependency brings a catalog of its own, in 40 lines.
#[test]
fn a_crate_of_its_own_serves_its_own_tools() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/own-catalog");
    let program = std::fs::read_to_string(source.join("src/main.rs")).unwrap();
    assert!(program.lines().count() <= 40);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-catalog");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--offline", "--quiet"])
        .current_dir(&source)
        .env("CARGO_TARGET_DIR", &target)
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );

    let definitions = std::fs::read_to_string(source.join("src/tools.jsonl")).unwrap();
    let definitions = definitions.trim_end().replace('\n', ",");
    // Three of them are Reservo's, byte for byte; the first one differs by its `city`.
    let reservo = support::run(
        support::barewire().args(["--catalog", "reservo", "tools", "--json"]),
        b"",
    );
    let original = String::from_utf8(reservo.stdout).unwrap();
    let original = original.trim_end().replace('\n', ",");
    assert_eq!(
        definitions.replace(r#"{"city":{"type":"string"}}"#, "{}"),
        original
    );

    // What goes in, and what must come out.
    let rows = [
        (r#""id":1,"method":"tools/list""#, format!(r#""id":1,"result":{{"tools":[{definitions}]}}"#)),
        (
            r#""id":2,"method":"tools/call","params":{"name":"list_rooms"}"#,
            r#""id":2,"result":{"content":[{"type":"text","text":"{\"rooms\":[{\"room\":\"Focus\",\"base_rate_cents\":1500},{\"room\":\"Studio\",\"base_rate_cents\":2500},{\"room\":\"Boardroom\",\"base_rate_cents\":6000}]}"}],"structuredContent":{"rooms":[{"room":"Focus","base_rate_cents":1500},{"room":"Studio","base_rate_cents":2500},{"room":"Boardroom","base_rate_cents":6000}]},"isError":false}"#.to_owned(),
        ),
        (
            r#""id":3,"method":"tools/call","params":{"name":"list_rooms","arguments":{"city":"Lima"}}"#,
            r#""id":3,"result":{"content":[{"type":"text","text":"{\"rooms\":[{\"room\":\"Studio\",\"base_rate_cents\":2500}]}"}],"structuredContent":{"rooms":[{"room":"Studio","base_rate_cents":2500}]},"isError":false}"#.to_owned(),
        ),
        (
            r#""id":4,"method":"tools/call","params":{"name":"list_rooms","arguments":{"city":5}}"#,
            r#""id":4,"result":{"content":[{"type":"text","text":"Invalid arguments: /city: expected string, got number"}],"isError":true}"#.to_owned(),
        ),
        (
            r#""id":5,"method":"tools/call","params":{"name":"get_quote","arguments":{"room":"Focus","tier":"pro","hours":2}}"#,
            r#""id":5,"result":{"content":[{"type":"text","text":"{\"room\":\"Focus\",\"tier\":\"pro\",\"hours\":2,\"rate_cents\":1200,\"total_cents\":2400}"}],"structuredContent":{"room":"Focus","tier":"pro","hours":2,"rate_cents":1200,"total_cents":2400},"isError":false}"#.to_owned(),
        ),
    ];
    let line = |text: &str| format!("{{\"jsonrpc\":\"2.0\",{text}}}\n");
    let input: String = rows.iter().map(|(input, _)| line(input)).collect();
    let program = target
        .join("debug")
        .join("own-catalog")
        .with_extension(std::env::consts::EXE_EXTENSION);
    let end = support::run(&mut Command::new(program), input.as_bytes());
    let got = String::from_utf8(end.stdout).unwrap();
    for ((_, expected), got) in rows.iter().zip(got.lines()) {
        assert_eq!(format!("{got}\n"), line(expected));
    }
    assert_eq!(got.lines().count(), rows.len());
    assert!(end.status.success() && end.stderr.is_empty());
}
