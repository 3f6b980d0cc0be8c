//! Whole conversations, to the byte: `tests/transcripts/*.txt` and the sessions in README.md.
//!
//! | a line that begins with | is |
//! |---|---|
//! | `# ` | a comment |
//! | `$ barewire ` | the arguments of the program, if it is the first line |
//! | `> ` | a line that goes in |
//! | `>> ` | bytes that go in without an LF; `\xNN` stands for one byte |
//! | `< ` | a line that must come out, to what went in above |
//! | `^D` | the end of the input: what stands below comes out after it |
//!
//! Each is replayed through `stdio::serve` with its input whole and in single bytes, and through the program, which must
//! have answered what stands above before it gets the next line. After a change of what comes out,
//! `BAREWIRE_REWRITE=1 cargo test --test transcripts` writes the `< ` lines anew; review the difference.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::tests_outside_test_module,
    reason = "a test may panic"
)]

mod support;

use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use barewire::catalog::demo::Demo;
use barewire::json;
use barewire::stdio;
use support::Process;

/// What goes in at once, and what must come out before more goes in.
#[derive(Debug, Default)]
struct Step {
    input: Vec<u8>,
    output: String,
}

/// A transcript: the last step is what comes out after the end of the input.
struct Transcript {
    arguments: Vec<String>,
    steps: Vec<Step>,
}

impl Transcript {
    fn read(text: &str) -> Self {
        let mut transcript = Self {
            arguments: Vec::new(),
            steps: Vec::new(),
        };
        let mut is_over = false;
        for line in text.lines() {
            let steps = &mut transcript.steps;
            if let Some(arguments) = line.strip_prefix("$ barewire") {
                transcript.arguments = arguments.split_whitespace().map(str::to_owned).collect();
            } else if let Some(input) = line.strip_prefix("> ") {
                steps.push(Step::of([input.as_bytes(), b"\n"].concat()));
            } else if let Some(input) = line.strip_prefix(">> ") {
                steps.push(Step::of(bytes(input)));
            } else if let Some(output) = line.strip_prefix("< ") {
                let step = steps.last_mut().expect("something went in");
                step.output.extend([output, "\n"]);
            } else if line == "^D" {
                steps.push(Step::default());
                is_over = true;
            } else {
                assert!(line.is_empty() || line.starts_with('#'), "{line}");
            }
        }
        if !is_over {
            transcript.steps.push(Step::default());
        }
        transcript
    }

    fn input(&self) -> Vec<u8> {
        self.steps
            .iter()
            .flat_map(|step| step.input.clone())
            .collect()
    }

    fn output(&self) -> String {
        self.steps.iter().map(|step| step.output.as_str()).collect()
    }

    /// The limit of a message if that is all that the arguments say, so that no process is needed.
    fn bytes_max(&self) -> Option<usize> {
        match self.arguments.as_slice() {
            [] => Some(stdio::MAX_MESSAGE),
            [name, value] if name == "--max-message" => value.parse().ok(),
            _ => None,
        }
    }
}

impl Step {
    fn of(input: Vec<u8>) -> Self {
        Self {
            input,
            output: String::new(),
        }
    }
}

/// `text` with each `\xNN` as that byte.
fn bytes(text: &str) -> Vec<u8> {
    let mut pieces = text.split("\\x");
    let mut out = pieces.next().unwrap().as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at(2);
        out.push(u8::from_str_radix(digits, 16).unwrap());
        out.extend(rest.as_bytes());
    }
    out
}

/// Gives one byte at a time.
struct ByteByByte<'t>(&'t [u8]);

impl Read for ByteByByte<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(1);
        self.0.read(&mut buffer[..len])
    }
}

/// The one place that knows how a conversation is served in process.
fn served(mut input: impl Read, bytes_max: usize) -> String {
    let mut output = Vec::new();
    let options = stdio::Options {
        bytes_max,
        ..stdio::Options::default()
    };
    stdio::serve(&Demo::new().unwrap(), options, &mut input, &mut output).unwrap();
    String::from_utf8(output).expect("answers are UTF-8")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts")
}

/// The names and texts of all transcripts, in the order of their names.
fn transcripts() -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let text = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(text).collect()
}

/// Fails at the first line that differs.
fn compare(place: &str, got: &str, expected: &str) {
    for (index, (got, expected)) in got.lines().zip(expected.lines()).enumerate() {
        assert_eq!(got, expected, "{place}, answer {}", index + 1);
    }
    assert_eq!(got, expected, "{place}");
}

#[test]
fn every_transcript_holds_in_process_whole_and_in_single_bytes() {
    if std::env::var_os("BAREWIRE_REWRITE").is_some() {
        for (path, text) in transcripts() {
            rewrite(&path, &text);
        }
    }
    for (path, text) in transcripts() {
        let transcript = Transcript::read(&text);
        let Some(bytes_max) = transcript.bytes_max() else {
            continue;
        };
        let (name, input, expected) = (path.display(), transcript.input(), transcript.output());
        compare(
            &format!("{name}, whole"),
            &served(&input[..], bytes_max),
            &expected,
        );
        let got = served(ByteByByte(&input), bytes_max);
        compare(&format!("{name}, in single bytes"), &got, &expected);
    }
}

#[test]
fn every_transcript_holds_line_by_line_in_the_program() {
    if std::env::var_os("BAREWIRE_REWRITE").is_some() {
        return;
    }
    for (path, text) in transcripts() {
        let transcript = Transcript::read(&text);
        let name = path.display().to_string();
        let mut process = Process::start(support::barewire().args(&transcript.arguments));
        let (last, steps) = transcript.steps.split_last().unwrap();
        for step in steps {
            process.send(&step.input);
            for expected in step.output.lines() {
                let got = String::from_utf8(process.line()).unwrap();
                assert_eq!(got.strip_suffix('\n'), Some(expected), "{name}");
            }
        }
        let end = process.end();
        compare(
            &name,
            std::str::from_utf8(&end.stdout).unwrap(),
            &last.output,
        );
        assert_eq!(std::str::from_utf8(&end.stderr), Ok(""), "{name}");
        assert!(end.status.success(), "{name}: {}", end.status);
    }
}

/// What holds for every answer: one JSON text without white space around it, and nothing that is absent is `null` but the id
/// of an error that can have none (field cases 28, 59).
#[test]
fn every_answer_is_json_without_null() {
    for (path, text) in transcripts() {
        for answer in Transcript::read(&text).output().lines() {
            let place = format!("{}: {answer}", path.display());
            let document = json::parse(answer.as_bytes()).expect(&place);
            let written = document.root().unwrap().to_text();
            assert_eq!(written, answer, "{place}");
            let rest = answer.replace("\"id\":null,\"error\":", "");
            assert!(!rest.contains(":null") && !answer.contains('\r'), "{place}");
        }
    }
}

/// Writes the `< ` lines of `path` as they come out now. A `ping` after each whole line shows where its answers end.
fn rewrite(path: &Path, text: &str) {
    let transcript = Transcript::read(text);
    let mut input = Vec::new();
    for (index, step) in transcript.steps.iter().enumerate() {
        input.extend(&step.input);
        if step.input.ends_with(b"\n") {
            let ping =
                format!("{{\"jsonrpc\":\"2.0\",\"id\":\"step {index}\",\"method\":\"ping\"}}\n");
            input.extend(ping.as_bytes());
        }
    }
    let output = if let Some(bytes_max) = transcript.bytes_max() {
        served(&input[..], bytes_max)
    } else {
        let end = support::run(support::barewire().args(&transcript.arguments), &input);
        String::from_utf8(end.stdout).unwrap()
    };
    let mut answers = output.lines();
    let mut written = String::new();
    let mut index = 0;
    let mut is_over = false;
    for line in text.lines().filter(|line| !line.starts_with("< ")) {
        written.extend([line, "\n"]);
        is_over |= line == "^D";
        let is_input = line.starts_with("> ") || line.starts_with(">> ");
        if is_input && transcript.steps[index].input.ends_with(b"\n") {
            let end = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"step {index}\",\"result\":{{}}}}");
            for answer in answers.by_ref().take_while(|answer| *answer != end) {
                writeln!(written, "< {answer}").unwrap();
            }
        }
        index += usize::from(is_input);
    }
    let rest: Vec<&str> = answers.collect();
    assert!(
        rest.is_empty() || is_over,
        "{}: answers at the end need ^D",
        path.display()
    );
    for answer in rest {
        writeln!(written, "< {answer}").unwrap();
    }
    std::fs::write(path, written).unwrap();
}

/// Runs the `$ ` lines of each fenced `console` block of README.md and compares what they print. The program is the one that
/// was built for this test; lines with `cargo` are not run, as cargo is what runs this.
#[test]
#[cfg(unix)]
fn every_session_of_the_readme_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let program = env!("CARGO_BIN_EXE_barewire");
    let folder = Path::new(program).parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let blocks: Vec<&str> = readme
        .split("\n```console\n")
        .skip(1)
        .map(|block| block.split("\n```").next().unwrap())
        .collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        let mut expected = String::new();
        let mut command = String::new();
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(text) => command = [command, text.to_owned(), "\n".to_owned()].concat(),
                None if command.ends_with("\\\n") => command.extend([line, "\n"]),
                None => expected.extend([line, "\n"]),
            }
        }
        let runs = command.lines().filter(|line| !line.starts_with("cargo "));
        let script: String = runs.flat_map(|line| [line, "\n"]).collect();
        let script = script.replace("target/release/barewire", "barewire");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("exec 2>&1\n{script}")])
            .env("PATH", &path);
        let end = support::run(&mut shell, b"");
        compare(&command, &String::from_utf8_lossy(&end.stdout), &expected);
    }
}

/// The example of a catalog is a program that `tests/catalogs.rs` builds and runs.
#[test]
fn the_example_of_the_readme_is_the_crate_that_is_tested() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let program = std::fs::read_to_string(root.join("tests/own-catalog/src/main.rs")).unwrap();
    assert!(readme.contains(&format!("\n```rust\n{program}```\n")));
}
