//! The program as a process: what a transcript cannot say about pipes, signals and memory. Numbers in comments are those
//! of the field cases.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::tests_outside_test_module,
    reason = "a test may panic"
)]

mod support;

use std::io::Read;
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use barewire::catalog::demo::Demo;
use barewire::stdio::{Options, serve};
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

/// 12: a host of one thread writes all its requests before it reads: nobody may wait for the other.
#[test]
fn a_host_that_writes_all_before_it_reads_is_not_waited_for() {
    let (calls, answers): (String, String) = (0..50_000).map(|id| echo(id, "one thread")).unzip();
    let mut child = barewire()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, calls.as_bytes()).unwrap();
    drop(stdin);
    let mut got = String::new();
    std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut got).unwrap();
    assert!(wait(&mut child).success());
    assert!(
        got == answers,
        "{} bytes instead of {}",
        got.len(),
        answers.len()
    );
}

/// 12: answers queue in memory up to a bound; then the server stops until the host reads, and nothing is lost.
#[test]
#[cfg(target_os = "linux")]
fn a_host_that_does_not_read_fills_no_memory() {
    let calls_of_a_mebibyte = 120;
    let (call, answer) = echo(1, &"x".repeat(1 << 20));
    let mut child = barewire()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let resident = || memory_of(&status, "VmRSS:");
    let mut stdin = child.stdin.take().unwrap();
    let line = call.clone();
    let writer = std::thread::spawn(move || {
        (0..calls_of_a_mebibyte)
            .try_for_each(|_| std::io::Write::write_all(&mut stdin, line.as_bytes()))
    });
    // Until it has read all that it will: the queue is full, and the memory stays as it is.
    let (mut before, start) = (0, Instant::now());
    while before < 60 << 10 || resident() != before {
        before = resident();
        assert!(start.elapsed() < support::PATIENCE, "{before} KiB");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(before < 96 << 10, "{before} KiB");
    assert!(!writer.is_finished(), "it read more than it may keep");
    let mut got = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for _ in 0..calls_of_a_mebibyte {
        line.clear();
        std::io::BufRead::read_line(&mut got, &mut line).unwrap();
        assert!(line == answer, "an answer of {} bytes", line.len());
    }
    writer.join().unwrap().unwrap();
    assert!(wait(&mut child).success());
}

/// 12: the end of the input comes while nobody reads: it ends all the same, in its own time.
#[test]
fn the_end_of_the_input_ends_it_although_nobody_reads() {
    let calls: String = (0..20_000).map(|id| echo(id, "nobody reads").0).collect();
    let mut child = barewire()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, calls.as_bytes()).unwrap();
    drop(stdin);
    let start = Instant::now();
    assert!(wait(&mut child).success());
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

/// A server whose host has filled its queue and sent a little more, and the answers that it owes.
#[cfg(target_os = "linux")]
fn with_a_full_queue() -> (Child, ChildStdin, String) {
    let (mut calls, mut answers) = (String::new(), String::new());
    // The queue, what the pipe behind it holds, and a little for what is read ahead.
    while answers.len() < (60 << 20) + (128 << 10) {
        let (call, answer) = echo(answers.len(), &"x".repeat(1 << 10));
        calls.push_str(&call);
        answers.push_str(&answer);
    }
    let mut child = barewire()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, calls.as_bytes()).unwrap();
    let status = format!("/proc/{}/status", child.id());
    let resident = memory_of(&status, "VmRSS:");
    assert!((60 << 10..68 << 10).contains(&resident), "{resident} KiB");
    (child, stdin, answers)
}

/// 12: a host that has filled the queue closes only its own side: the server sees it, and ends.
#[test]
#[cfg(target_os = "linux")]
fn the_end_of_the_input_is_seen_behind_a_full_queue() {
    let (mut child, stdin, _) = with_a_full_queue();
    drop(stdin);
    let start = Instant::now();
    assert!(wait(&mut child).success());
    // It takes 0.9 s at most; the rest is for a busy machine.
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

/// 12: what was read ahead of a full queue is answered too, in order, also behind the end of the input.
#[test]
#[cfg(target_os = "linux")]
fn what_was_read_ahead_of_a_full_queue_is_answered() {
    let (mut child, stdin, mut answers) = with_a_full_queue();
    let (call, answer) = echo(1, "the last one");
    answers.push_str(&answer);
    let writer = std::thread::spawn(move || {
        let mut stdin = stdin;
        std::io::Write::write_all(&mut stdin, call.as_bytes())
    });
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

/// 13: what `--verbose` writes is dropped when nobody reads it, and holds methods and outcomes, never values (104).
#[test]
fn a_verbose_server_waits_for_nobody_and_tells_no_value() {
    let calls: String = (0..20_000).map(|id| echo(id, "hunter2").0).collect();
    let mut child = barewire()
        .arg("--verbose")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        std::io::Write::write_all(&mut stdin, calls.as_bytes()).map(|()| stdin)
    });
    let mut got = std::io::BufReader::new(child.stdout.take().unwrap());
    for id in 0..20_000 {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut got, &mut line).unwrap();
        assert_eq!(line, echo(id, "hunter2").1);
    }
    drop(writer.join().unwrap().unwrap());
    let mut noise = String::new();
    std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut noise).unwrap();
    assert!(wait(&mut child).success());
    assert!(noise.len() > 4096 && !noise.contains("hunter2"), "{noise}");
    assert!(
        noise.lines().all(|line| line.contains("tools/call")),
        "{noise}"
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

/// Gives the bytes before the cut, then the others.
struct Cut<'t>(&'t [u8], &'t [u8]);

impl Read for Cut<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let part = if self.0.is_empty() {
            &mut self.1
        } else {
            &mut self.0
        };
        part.read(buffer)
    }
}

/// 14: a read may end anywhere, in a character too, and the input may end there.
#[test]
fn where_a_read_ends_changes_no_answer() {
    let (call, answer) = echo(1, "é漢😀\u{7ff}");
    // Behind 13 bytes of a line.
    let faults: [(&[u8], &str); 7] = [
        (b"\xc3(", "invalid UTF-8 at byte 13"),
        (b"\xff\xff\xff", "invalid UTF-8 at byte 13"),
        (b"\x80\x80\x80\x80", "invalid UTF-8 at byte 13"),
        (b"\xf0\x9f\x98", "unexpected end at byte 16"),
        (b"\xe6\xbc\"}", "invalid UTF-8 at byte 13"),
        (b"\xf5\x80\x80\x80", "invalid UTF-8 at byte 13"),
        (b"\xed\xa0\x80", "invalid UTF-8 at byte 13"),
    ];
    let demo = Demo::new().unwrap();
    let served = |before: &[u8], after: &[u8]| {
        let mut output = Vec::new();
        let mut input = Cut(before, after);
        serve(&demo, Options::default(), &mut input, &mut output).unwrap();
        text(&output).to_owned()
    };
    let (mut lines, mut answers) = (call.into_bytes(), answer);
    for (fault, data) in faults {
        lines.extend([br#"{"id":2,"x":""#, fault, b"\n"].concat());
        answers += &parse_error("2", data);
    }
    // The last line has no end, and nor has its character.
    for (end, answer) in [
        (&b""[..], String::new()),
        (PING.as_bytes(), PONG.to_owned()),
        (b"\xe6", parse_error("null", "expected a value at byte 0")),
        (
            b"\xe6\xbc",
            parse_error("null", "expected a value at byte 0"),
        ),
        (
            b"\"\xe6\xbc",
            parse_error("null", "unexpected end at byte 3"),
        ),
    ] {
        let all = [&lines, end].concat();
        for at in 0..=all.len() {
            let (before, after) = all.split_at(at);
            assert_eq!(
                served(before, after),
                answers.clone() + &answer,
                "cut at {at}"
            );
        }
    }
}

fn parse_error(id: &str, data: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32700,"message":"Parse error","data":"{data}"}}}}"#
    ) + "\n"
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
        if is_ignored(number) {
            // As for a job that a script started in the background: what was inherited stays so.
            process.send(format!("{PING}\n").as_bytes());
            assert_eq!(text(&process.line()), PONG);
            continue;
        }
        let status = process.wait_with_open_input();
        assert_eq!(status.signal(), Some(number));
    }
}

/// Whether whoever started this test ignores the signal, so that the server does too.
#[cfg(unix)]
fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    mask >> (number - 1) & 1 == 1
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

/// 74: no line over the limit goes out, as hosts close the pipe at 8 MiB; escapes count.
#[test]
fn an_answer_that_escapes_make_too_long_is_an_error() {
    let (call, _) = echo(1, &"\u{2028}".repeat(2_000_000));
    let end = run(&mut barewire(), format!("{call}{PING}\n").as_bytes());
    let error = "The result has 12000089 bytes, more than the 8388608 that go into one answer.";
    let expected = echo(1, error).1.replace("false", "true");
    assert_eq!(text(&end.stdout), expected + PONG);
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

/// 32: each of the four million elements of this batch would have an error of a hundred bytes.
#[test]
fn a_batch_asks_for_no_more_than_one_answer_may_have() {
    let mut process = Process::start(&mut barewire());
    process.send(format!("{}\n", INIT.replace("2025-11-25", "2025-03-26")).as_bytes());
    assert!(text(&process.line()).contains(r#""protocolVersion":"2025-03-26""#));
    process.send(format!("[{PING}{}]\n", ",1".repeat(4_000_000)).as_bytes());
    let expected = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error","data":"expected an answer of at most 8388608 bytes"}}"#;
    assert_eq!(text(&process.line()), format!("{expected}\n"));
    #[cfg(target_os = "linux")]
    {
        // 12 bytes an element while it is read, and the answer up to where it was given up.
        let peak = memory(&process, "VmHWM:");
        assert!(peak < 128 << 10, "{peak} KiB");
    }
    process.send(format!("[{}]\n", vec![PING; 50_000].join(",")).as_bytes());
    let answers = vec![PONG.trim_end(); 50_000].join(",");
    assert!(process.line() == format!("[{answers}]\n").as_bytes());
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
    memory_of(&format!("/proc/{}/status", process.id()), name)
}

#[cfg(target_os = "linux")]
fn memory_of(status: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(status).unwrap();
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
