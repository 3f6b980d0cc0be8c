//! The program as a process: what a transcript cannot say about pipes, signals, memory and the command line. Numbers in
//! comments are those of the field cases.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::tests_outside_test_module,
    reason = "a test may panic"
)]

mod support;

use std::process::Stdio;
use std::time::{Duration, Instant};

use support::{Process, barewire, run, wait};

const INIT: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":99,"method":"ping"}"#;
const PONG: &str = "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n";
const DISCOVER: &str = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A call of `echo` with `text`, which needs no escapes, and its answer.
fn echo(id: usize, text: &str) -> (String, String) {
    (
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}}}}"#
        ) + "\n",
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#
        ) + "\n",
    )
}

/// `PING` with an `x` that makes it `len` bytes long.
fn ping_of(len: usize) -> String {
    let start = r#"{"jsonrpc":"2.0","id":99,"method":"ping","x":""#;
    format!("{start}{}\"}}", "x".repeat(len - start.len() - 2))
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

/// 9: everything that was read is answered before it ends, although the input ends at once.
#[test]
fn no_answer_is_lost_at_the_end_of_the_input() {
    let (calls, answers): (String, String) = (0..50).map(|id| echo(id, "hola")).unzip();
    for _ in 0..200 {
        let end = run(&mut barewire(), calls.as_bytes());
        assert_eq!(text(&end.stdout), answers);
        assert!(end.status.success() && end.stderr.is_empty(), "{end:?}");
    }
}

/// 10: without a host it does not live on.
#[test]
fn it_ends_when_there_is_no_input() {
    let start = Instant::now();
    let output = barewire().stdin(Stdio::null()).output().unwrap();
    assert!(
        output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
        "{output:?}"
    );
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

/// 12: the host fills both pipes before it reads; then all answers are there, in order.
#[test]
fn a_host_that_reads_late_gets_all_answers_in_order() {
    let (calls, answers): (String, String) = (0..20_000).map(|id| echo(id, "drain late")).unzip();
    let mut child = barewire()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer =
        std::thread::spawn(move || std::io::Write::write_all(&mut stdin, calls.as_bytes()));
    // Long enough that the answers, 1.6 MB, have met a full pipe.
    std::thread::sleep(Duration::from_millis(300));
    let mut got = String::new();
    std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut got).unwrap();
    writer.join().unwrap().unwrap();
    assert!(wait(&mut child).success());
    assert!(
        got == answers,
        "{} bytes instead of {}",
        got.len(),
        answers.len()
    );
}

/// 13: a host that never reads stderr blocks nothing.
#[test]
fn a_full_or_closed_stderr_stops_no_answer() {
    let bad = "{bad\n".repeat(10_000);
    let big = format!("{}\n", ping_of(1 << 20));
    let mut child = barewire()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        std::io::Write::write_all(&mut stdin, [bad, big].concat().as_bytes())
    });
    let mut got = String::new();
    std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut got).unwrap();
    writer.join().unwrap().unwrap();
    assert!(wait(&mut child).success());
    assert_eq!(got.lines().count(), 10_001);
    assert!(got.ends_with(PONG));
    // At most 4 KiB in the life of the process.
    let mut noise = String::new();
    std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut noise).unwrap();
    assert!(noise.len() <= 4096, "{noise}");
}

#[test]
#[cfg(unix)]
fn a_closed_stderr_kills_nothing() {
    let script = format!("exec '{}' \"$@\" 2>&-", env!("CARGO_BIN_EXE_barewire"));
    for (arguments, status) in [("serve", 0), ("--nope", 2)] {
        let mut shell = std::process::Command::new("sh");
        let end = run(
            shell.args(["-c", &script, "sh", arguments]),
            format!("{{bad\n{PING}\n").as_bytes(),
        );
        assert_eq!(end.status.code(), Some(status));
        assert_eq!(text(&end.stdout).ends_with(PONG), status == 0);
    }
}

/// 14: an answer does not wait for the end of the input, and none is cut at the edge of a buffer.
#[test]
fn each_answer_is_whole_while_the_input_stays_open() {
    let mut process = Process::start(&mut barewire());
    process.send(format!("{INIT}\n").as_bytes());
    assert!(
        text(&process.line())
            .starts_with(r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25""#)
    );
    let overhead = echo(7, "").1.len();
    for len in [1, 4096, 16_384, 65_536, 131_072, 1_048_576]
        .into_iter()
        .flat_map(|len| [len - 1, len, len + 1])
    {
        let (call, answer) = echo(7, &"x".repeat(usize::saturating_sub(len, overhead)));
        process.send(call.as_bytes());
        assert!(
            process.line() == answer.as_bytes(),
            "an answer of {len} bytes"
        );
    }
    assert!(process.end().status.success());
}

/// 15: a host that has gone is no failure and nothing to write about.
#[test]
fn a_closed_stdout_ends_it_quietly() {
    let mut child = barewire()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    // The input stays open: it must end because of stdout.
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, format!("{PING}\n").as_bytes()).unwrap();
    let status = wait(&mut child);
    let mut noise = String::new();
    std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut noise).unwrap();
    assert_eq!((status.code(), noise.as_str()), (Some(0), ""));
}

/// 16: SIGTERM and SIGINT have their default effect, at once.
#[test]
#[cfg(unix)]
fn a_signal_ends_it_at_once() {
    use std::os::unix::process::ExitStatusExt;
    for (name, number) in [("-TERM", 15), ("-INT", 2)] {
        let mut process = Process::start(&mut barewire());
        process.send(format!("{PING}\n").as_bytes());
        assert_eq!(text(&process.line()), PONG);
        let id = process.id().to_string();
        let kill = std::process::Command::new("kill")
            .args([name, &id])
            .status()
            .unwrap();
        assert!(kill.success());
        let status = process.wait_with_open_input();
        assert_eq!(status.signal(), Some(number));
    }
}

/// 17: the limit counts the bytes of a line without its LF.
#[test]
fn a_message_of_the_limit_is_served_and_one_byte_more_is_refused() {
    let limit = 8 << 20;
    let refusal = r#"{"jsonrpc":"2.0","id":99,"error":{"code":-32600,"message":"Invalid Request","data":"expected at most 8388608 bytes in a message"}}"#;
    let input = format!("{}\n{}\n{PING}\n", ping_of(limit), ping_of(limit + 1));
    let end = run(&mut barewire(), input.as_bytes());
    assert_eq!(text(&end.stdout), format!("{PONG}{refusal}\n{PONG}"));
}

/// 17: a line without an end is thrown away as it comes; memory follows the limit, not the host.
#[test]
fn an_endless_line_takes_no_memory_and_the_next_line_is_served() {
    let mut process = Process::start(&mut barewire());
    process.send(br#"{"jsonrpc":"2.0","id":1,"method":"ping","x":""#);
    let mebibyte = vec![b'a'; 1 << 20];
    for _ in 0..64 {
        process.send(&mebibyte);
    }
    process.send(format!("\n{PING}\n").as_bytes());
    assert!(
        text(&process.line()).starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#)
    );
    assert_eq!(text(&process.line()), PONG);
    #[cfg(target_os = "linux")]
    {
        // Twice the limit while the buffer grows, and the program itself; afterwards the buffer is given back.
        let (peak, now) = (memory(&process, "VmHWM:"), memory(&process, "VmRSS:"));
        assert!(
            peak < 24 << 10 && now < 12 << 10,
            "peak {peak} KiB, now {now} KiB"
        );
    }
    assert!(process.end().status.success());
}

/// No memory grows with the number of messages.
#[test]
#[cfg(target_os = "linux")]
fn many_messages_take_no_memory() {
    let mut process = Process::start(&mut barewire());
    let mut after_round = || {
        for id in 0..2_000 {
            let (call, answer) = echo(id, "hola");
            process.send(call.as_bytes());
            assert_eq!(text(&process.line()), answer);
        }
        memory(&process, "VmRSS:")
    };
    let (first, second) = (after_round(), after_round());
    assert!(
        first < 8 << 10 && second <= first + 128,
        "{first} KiB, then {second} KiB"
    );
}

/// KiB of memory of a running process, as the kernel counts them.
#[cfg(target_os = "linux")]
fn memory(process: &Process, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// 21: bytes in are UTF-8 and bytes out are UTF-8, whatever the locale says.
#[test]
fn every_locale_gives_the_same_bytes() {
    let (call, answer) = echo(1, "řemeslník ✓ 漢字 😀");
    let input = format!("{INIT}\n{call}");
    let expected = run(&mut barewire(), input.as_bytes()).stdout;
    assert!(text(&expected).ends_with(&answer));
    for locale in [
        "C",
        "POSIX",
        "",
        "ja_JP.SJIS",
        "de_DE.ISO-8859-1",
        "tr_TR.UTF-8",
        "nonsense",
    ] {
        let mut command = barewire();
        command
            .env("LC_ALL", locale)
            .env("LANG", locale)
            .env_remove("LC_CTYPE");
        assert!(
            run(&mut command, input.as_bytes()).stdout == expected,
            "{locale}"
        );
        command.env_clear();
        assert!(
            run(&mut command, input.as_bytes()).stdout == expected,
            "no environment"
        );
    }
}

/// 22: hosts start a second process for the probe and kill it; starting, discovering and listing leave no trace.
#[test]
fn two_processes_live_side_by_side_and_touch_no_file() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("side-by-side");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut probe = Process::start(barewire().current_dir(&folder));
    probe.send(format!("{DISCOVER}\n").as_bytes());
    assert!(text(&probe.line()).contains(r#""supportedVersions":["2026-07-28"]"#));
    let mut real = Process::start(barewire().current_dir(&folder));
    drop(probe);
    for request in [
        INIT,
        PING,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    ] {
        real.send(format!("{request}\n").as_bytes());
        assert!(text(&real.line()).contains("result"));
    }
    assert!(real.end().status.success());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

/// 23: the first answer comes long before any host gives up (10 s).
#[test]
fn the_first_answer_comes_soon() {
    let start = Instant::now();
    let mut process = Process::start(&mut barewire());
    process.send(format!("{DISCOVER}\n").as_bytes());
    assert!(!process.line().is_empty());
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

/// 73: every process lists the same bytes.
#[test]
fn fresh_processes_list_the_same_bytes() {
    let input = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}}\n{DISCOVER}\n");
    let first = run(&mut barewire(), input.as_bytes()).stdout;
    for _ in 0..20 {
        assert!(run(&mut barewire(), input.as_bytes()).stdout == first);
    }
}

/// 104: neither values nor raw lines go to stderr or into errors.
#[test]
fn no_value_of_the_input_is_repeated() {
    let rows = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":"hunter2","b":"hunter2","c":"hunter2"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":"hunter2"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"hunter2"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"hunter2"}"#,
        r#"{"jsonrpc":"hunter2","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":["hunter2"],"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"hunter2"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"password":"hunter2",}}"#,
        r#"{"jsonrpc":"2.0","id":1,"hunter2":1,"hunter2":2}"#,
        "hunter2",
        r#""hunter2""#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"hunter2"}}}"#,
    ];
    for row in rows {
        let end = run(&mut barewire(), format!("{row}\n").as_bytes());
        assert!(!text(&end.stdout).contains("hunter2"), "{row}");
        assert_eq!(text(&end.stderr), "", "{row}");
    }
}
