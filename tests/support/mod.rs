//! A server process under test: started, written to, read line by line with a limit of time, never left behind.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// After this a process counts as hanging. Far above what any machine needs; no test waits for it unless it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The program under test.
pub(crate) fn barewire() -> Command {
    Command::new(env!("CARGO_BIN_EXE_barewire"))
}

/// A process whose three pipes are held here. It is killed when this is dropped before it ended.
pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
}

/// What was left when a process had ended.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    /// What was on stdout that nobody had read.
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        let mut stderr = child.stderr.take().expect("stderr is a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).is_ok_and(|len| len > 0)
                && sender.send(std::mem::take(&mut line)).is_ok()
            {}
        });
        let stderr = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            text
        });
        Self {
            child,
            stdin,
            lines,
            stderr: Some(stderr),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes `bytes` to its stdin.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is still open");
        stdin.write_all(bytes).expect("the process reads");
        stdin.flush().expect("the process reads");
    }

    /// The next line of its stdout, with its LF; empty if there is none.
    pub(crate) fn line(&mut self) -> Vec<u8> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
            Err(RecvTimeoutError::Timeout) => panic!("no answer in {PATIENCE:?}"),
        }
    }

    /// Closes its stdin.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits until it has ended by itself although its input stays open.
    pub(crate) fn wait_with_open_input(mut self) -> ExitStatus {
        wait(&mut self.child)
    }

    /// Closes its stdin and waits until it has ended by itself.
    pub(crate) fn end(mut self) -> End {
        self.close();
        let mut stdout = Vec::new();
        loop {
            match self.line() {
                line if line.is_empty() => break,
                line => stdout.extend(line),
            }
        }
        let status = wait(&mut self.child);
        let stderr = self.stderr.take().map(JoinHandle::join);
        End {
            status,
            stdout,
            stderr: stderr.and_then(Result::ok).unwrap_or_default(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for the end of `child`; kills it and fails if it does not come.
pub(crate) fn wait(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the process can be waited for") {
            return status;
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("still running after {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Starts `command`, gives it `input` and the end of it, and returns what it wrote.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> End {
    let mut process = Process::start(command);
    if let Some(stdin) = &mut process.stdin {
        // A program that wants no input may have closed it.
        let _ = stdin.write_all(input);
    }
    process.end()
}
