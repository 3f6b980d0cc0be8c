//! A desk as a process that is asked line by line, and directories to keep its bookings in.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use barewire::json::{Value, parse};

pub(crate) const ANA: &str = r#"{"room":"Focus","tier":"pro","hours":2,"member":"Ana"}"#;
pub(crate) const ANA_ON_DISK: &str =
    "{\"room\":\"Focus\",\"tier\":\"pro\",\"hours\":2,\"member\":\"Ana\",\"total_cents\":2400}\n";
pub(crate) const ROOMS: &str = r#"{"rooms":[{"room":"Focus","base_rate_cents":1500},{"room":"Studio","base_rate_cents":2500},{"room":"Boardroom","base_rate_cents":6000}]}"#;
pub(crate) const UNKNOWN: &str = "Esa reserva no existe: usa el id que devolvió book_room.";

/// A directory of its own for one test, removed when the test is over.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("reservo-{}-{n}", std::process::id()));
        fs::create_dir_all(&path).expect("a scratch directory");
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        fs::write(self.file(name), text).expect("a file is written");
    }

    pub(crate) fn cat(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn ls(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the directory is there");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into()
            })
            .collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A running server; killed when it is dropped.
pub(crate) struct Desk {
    pub(crate) child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Desk {
    pub(crate) fn open(data: Option<&Path>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_barewire"));
        command.args(["--catalog", "reservo"]);
        if let Some(data) = data {
            command.arg("--data").arg(data);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        Self {
            stdin: child.stdin.take().expect("stdin is a pipe"),
            stdout: BufReader::new(child.stdout.take().expect("stdout is a pipe")),
            child,
        }
    }

    pub(crate) fn tell(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("the server reads");
    }

    /// The next line, without its LF; empty if the server is gone.
    pub(crate) fn hear(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("UTF-8");
        line.trim_end_matches('\n').to_owned()
    }

    pub(crate) fn ask(&mut self, line: &str) -> String {
        self.tell(line);
        self.hear()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &str) -> Answer {
        Answer::read(&self.ask(&call_line(tool, arguments)))
    }

    pub(crate) fn book(&mut self) -> Answer {
        self.call("book_room", ANA)
    }

    pub(crate) fn cancel(&mut self, id: u64) -> Answer {
        self.call("cancel_booking", &format!(r#"{{"id":{id}}}"#))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The result of a call: its text, and whether it says that it failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl Answer {
    pub(crate) fn read(line: &str) -> Self {
        let document = parse(line.as_bytes()).unwrap_or_else(|fault| panic!("{fault}: {line:?}"));
        let result = document
            .root()
            .and_then(|root| root.get("result"))
            .unwrap_or_else(|| panic!("no result: {line}"));
        let blocks = result.get("content").and_then(Value::as_array);
        let text = blocks
            .and_then(|blocks| blocks.iter().next())
            .and_then(|block| block.get("text").and_then(Value::as_str));
        Self {
            text: text.unwrap_or_else(|| panic!("no text: {line}")).to_owned(),
            is_error: matches!(result.get("isError"), Some(Value::Bool(true))),
        }
    }

    /// The number of the booking that was confirmed.
    #[track_caller]
    pub(crate) fn id(&self) -> u64 {
        assert!(!self.is_error, "{}", self.text);
        let document = parse(self.text.as_bytes()).expect("a result is JSON");
        let id = document.root().and_then(|root| root.get("id"));
        let id = id.and_then(Value::as_number).expect("a result has an id");
        id.as_str().parse().expect("an id is a whole number")
    }

    /// Checks that the call failed and says so with each of `parts`.
    #[track_caller]
    pub(crate) fn is_refused_with(&self, parts: &[&str]) {
        assert!(self.is_error, "{}", self.text);
        for part in parts {
            assert!(
                self.text.contains(part),
                "{:?} does not say {part:?}",
                self.text
            );
        }
    }
}

pub(crate) fn call_line(tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

pub(crate) fn quote(room: &str, tier: &str, hours: &str) -> (&'static str, String) {
    (
        "get_quote",
        format!(r#"{{"room":"{room}","tier":"{tier}","hours":{hours}}}"#),
    )
}
