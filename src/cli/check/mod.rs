//! `barewire check`: what hosts will stumble over in tool definitions and transcripts.
//!
//! In: lines. Out: one line for each finding, `FILE:LINE:BYTE: TOOL POINTER: what; who; remedy`. A message is one line; a
//! definition may go over several, as files that are written by hand do. At most one value is in memory, and nothing
//! recurses.

mod definition;
mod report;
mod text;
mod value;

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, IsTerminal, Read, Write};
use std::process::ExitCode;

use super::{fail, print};
use barewire::json::{Error, ErrorKind as Fault};
use barewire::stdio;
use report::{Advice, Report, Source};
use text::Text;
use value::Seen;

const NOT_JSON: Advice = Advice {
    who: "hosts drop the line or end the session",
    remedy: "write one JSON text a line, and logs to standard error",
};
const TOO_LONG: Advice = Advice {
    who: "Codex ends the session at 8 MiB a line, the TypeScript SDK at 10 MiB",
    remedy: "send less at once (not looked at; see --max-message)",
};
const REPEATED: Advice = Advice {
    who: "some readers take the first, some the last, some refuse the message",
    remedy: "keep one of them",
};

/// Checks `file`, or standard input if that is `-`.
pub(crate) fn run(file: &str, bytes_max: usize) -> ExitCode {
    let cannot_read = |error: io::Error| fail(&format!("cannot read {file}: {error}"), 2);
    let input: Box<dyn Read> = if file == "-" {
        if io::stdin().is_terminal() {
            stdio::note("reading definitions or messages; end them with Ctrl-D");
        }
        Box::new(io::stdin().lock())
    } else {
        match File::open(file) {
            Ok(file) => Box::new(file),
            Err(error) => return cannot_read(error),
        }
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut checker = Checker::new(Report::new(file, &mut out), bytes_max);
    let read = checker.read(&mut BufReader::new(input));
    let end = checker.finish();
    let written = out.flush();
    drop(out);
    match (read, written) {
        (Err(error), _) => cannot_read(error),
        (Ok(()), Err(error)) if error.kind() != ErrorKind::BrokenPipe => {
            fail(&error.to_string(), 1)
        }
        (Ok(()), _) => match end {
            Some(nothing_found) => print(&nothing_found),
            None => ExitCode::FAILURE,
        },
    }
}

/// The state between two lines.
struct Checker<'o> {
    report: Report<'o>,
    bytes_max: usize,
    seen: Seen,
    /// The value that is being read, and where it stands.
    text: Text,
    source: Source,
    /// The number of the last line that was read.
    line: usize,
    /// Whether the file is a transcript with marks, in which some lines are no JSON. Known from the first line.
    has_marks: Option<bool>,
    /// Whether a value of several lines was broken off, so that it is not known where the next one begins.
    is_lost: bool,
}

impl<'o> Checker<'o> {
    fn new(report: Report<'o>, bytes_max: usize) -> Self {
        Self {
            report,
            bytes_max,
            seen: Seen::default(),
            text: Text::default(),
            source: Source::default(),
            line: 0,
            has_marks: None,
            is_lost: false,
        }
    }

    /// Reads everything, one line at a time, of which no more is kept than the limit allows.
    fn read(&mut self, input: &mut impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        while !self.report.is_closed() {
            let room = self.bytes_max.saturating_sub(self.text.len());
            let most = u64::try_from(room).unwrap_or(u64::MAX).saturating_add(1);
            line.clear();
            if input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            self.line += 1;
            if line.len() > room && !line.ends_with(b"\n") {
                input.skip_until(b'\n')?;
                self.refuse_length();
            } else {
                self.take(&line);
            }
            line.shrink_to(1 << 18);
        }
        if self.text.len() > 0 {
            self.end_text();
        }
        Ok(())
    }

    /// What to say if nothing was found.
    fn finish(self) -> Option<String> {
        (self.report.count == 0).then(|| format!("{}: {}\n", self.report.file, self.seen.summary()))
    }

    fn refuse_length(&mut self) {
        let what = format!("more than {} bytes", self.bytes_max);
        self.report.add((self.line, 0), "", &what, TOO_LONG);
        self.give_up();
    }

    fn take(&mut self, line: &[u8]) {
        if self.is_lost && !looks_whole(line) {
            return;
        }
        self.is_lost = false;
        let mut rest = line;
        if self.text.len() == 0 {
            let Some(mark_len) = self.mark_len(line) else {
                return;
            };
            rest = line.get(mark_len..).unwrap_or_default();
            self.source = Source {
                first_line: self.line,
                mark_len,
            };
        }
        match self.text.take(rest) {
            Err(fault) => {
                let is_first = self.text.line_count() == 1;
                self.refuse(fault);
                // A message that was cut off, perhaps: then this line is the next one.
                if !is_first && looks_whole(line) {
                    self.take(line);
                }
            }
            Ok(()) if self.text.is_whole() => self.end_text(),
            Ok(()) if self.text.is_blank() => self.text.clear(),
            // A message does not go on in the next line.
            Ok(())
                if self.source.mark_len > 0
                    || (self.text.line_count() == 1 && self.text.has_jsonrpc()) =>
            {
                self.end_text();
            }
            Ok(()) => {}
        }
    }

    /// How many bytes at the start of a line only say who sent it; `None` if the line is a comment, a command or a piece of
    /// a message.
    fn mark_len(&mut self, line: &[u8]) -> Option<usize> {
        let begins_with =
            |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark.as_bytes()));
        let is_message = begins_with(&["> ", "< "]);
        let is_aside = begins_with(&["#", "$ ", ">> ", "^D"]);
        if !line.trim_ascii().is_empty() {
            self.has_marks.get_or_insert(is_message || is_aside);
        }
        match (is_message, is_aside && self.has_marks == Some(true)) {
            (true, _) => Some(2),
            (false, true) => None,
            (false, false) => Some(0),
        }
    }

    /// The value is whole, or nothing of it comes any more.
    fn end_text(&mut self) {
        if let Err(fault) = self.text.finish() {
            return self.refuse(fault);
        }
        let document = match self.text.document() {
            Ok(document) => document,
            Err(fault) => return self.refuse(fault),
        };
        if let Some(root) = self.text.root(&document) {
            let mut sink = self.report.sink(&self.text, self.source);
            self.seen.check(root, &mut sink);
        }
        self.text.clear();
    }

    fn refuse(&mut self, fault: Error) {
        let is_break = fault.kind == Fault::ControlCharacter
            && self.text.rest(fault.offset).starts_with(b"\n");
        let (offset, kind) = match fault.kind {
            Fault::UnexpectedEnd => (self.text.trimmed_len(), "unexpected end"),
            Fault::ControlCharacter if is_break => (fault.offset, "the line ends inside a string"),
            _ => (fault.offset, fault.kind.as_str()),
        };
        let (what, advice) = match fault.kind {
            Fault::DuplicateName => (
                "two members of one object have this name".to_owned(),
                REPEATED,
            ),
            _ if self.text.line_count() > 1 => (
                format!("not JSON, from line {} on: {kind}", self.source.first_line),
                NOT_JSON,
            ),
            _ => (format!("not JSON: {kind}"), NOT_JSON),
        };
        let place = self.source.place(&self.text, offset);
        self.report.add(place, "", &what, advice);
        if fault.kind == Fault::DuplicateName {
            self.text.clear();
        } else {
            self.give_up();
        }
    }

    /// Drops the value. If it had several lines, the next value begins where one looks whole.
    fn give_up(&mut self) {
        self.is_lost = self.text.line_count() > 1;
        self.text.clear();
    }
}

/// Whether a line looks like a whole object and not like a part of one.
fn looks_whole(line: &[u8]) -> bool {
    line.starts_with(b"{\"") && line.trim_ascii_end().ends_with(b"}")
}
