//! Lines in, lines out: the pipe between a host and the server, and its end.
//!
//! In: bytes of standard input. Out: bytes of standard output, one line an answer. A line ends at LF and nowhere else;
//! it goes piece by piece into the parser, so that a message takes no more memory than what is kept of it. Answers are
//! collected while whole lines wait in what was read, and then written at once: a lone request is answered
//! immediately, many together cost one write.

mod log;
mod output;

pub use log::note;

use std::io::{self, ErrorKind, Read, Write};
use std::process::ExitCode;

use crate::catalog::Catalog;
use crate::json::{self, Parser};
use crate::mcp::Server;
use output::Output;

/// The most bytes of a message unless the caller says otherwise. Hosts have limits of their own: 8 MiB a line is the
/// smallest known one.
pub const MAX_MESSAGE: usize = 8 << 20;

/// Bytes that are read at once at most: what a pipe holds on Linux.
const CHUNK_BYTES: usize = 64 << 10;

/// Bytes that are read at once at first. Most hosts send one short line at a time, and memory that is never touched costs
/// neither time at the start nor room.
const FIRST_CHUNK_BYTES: usize = 8 << 10;

/// Bytes of answers after which they are written although more lines wait.
const FLUSH_BYTES: usize = 64 << 10;

/// How to serve.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most bytes of a message and of an answer.
    pub bytes_max: usize,
    /// Whether each message is told in a line on standard error, and more than 4 KiB of them.
    pub is_verbose: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bytes_max: MAX_MESSAGE,
            is_verbose: false,
        }
    }
}

/// Serves `catalog` on standard input and output until the host closes one of them.
///
/// Returns success then; failure, with the reason on standard error, if reading or writing failed in another way.
#[must_use]
pub fn run(catalog: &dyn Catalog, options: Options) -> ExitCode {
    if options.is_verbose {
        log::lift_limit();
    }
    let served = match Output::stdout() {
        Ok(mut output) => {
            let mut input = output.input();
            let write = |answers: &mut Vec<u8>| output.write(answers);
            serve_to(catalog, options, &mut input, write).map(|()| output.finish())
        }
        Err(_) => serve(
            catalog,
            options,
            &mut io::stdin().lock(),
            &mut io::stdout().lock(),
        ),
    };
    if let Err(error) = &served {
        note(&format!("stopped: {error}"));
    }
    log::finish();
    if served.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Serves `catalog`: reads messages from `input` and writes the answers to `output`.
///
/// ```
/// use barewire::catalog::demo::Demo;
/// use barewire::stdio::{Options, serve};
///
/// let mut input = &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"[..];
/// let mut output = Vec::new();
/// serve(&Demo::new()?, Options::default(), &mut input, &mut output)?;
/// assert_eq!(output, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Reading failed, or writing failed for another reason than that the other side has gone.
pub fn serve(
    catalog: &dyn Catalog,
    options: Options,
    input: &mut impl Read,
    output: &mut impl Write,
) -> io::Result<()> {
    serve_to(catalog, options, input, |answers| {
        output.write_all(answers)?;
        output.flush()
    })
}

/// The loop of both. `write` takes the answers so far, and may keep their buffer and leave another one.
fn serve_to(
    catalog: &dyn Catalog,
    options: Options,
    input: &mut impl Read,
    mut write: impl FnMut(&mut Vec<u8>) -> io::Result<()>,
) -> io::Result<()> {
    let mut connection = Connection::new(catalog, options);
    let mut chunk = vec![0; FIRST_CHUNK_BYTES];
    // Bytes at the start of the chunk: of a character that the last read cut.
    let mut carried = 0;
    loop {
        let len = match input.read(chunk.get_mut(carried..).unwrap_or_default()) {
            Ok(len) => len,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let filled = carried + len;
        let read = chunk.get(..filled).unwrap_or_default();
        carried = if len == 0 { 0 } else { cut_len(read) };
        // The bytes of all lines are looked at in one go: what is UTF-8, as all should be, need not be looked at again.
        let (known, mut rest) = split_utf8(read.get(..filled - carried).unwrap_or_default());
        let mut text = known;
        while let Some(end) = line_end(text.as_bytes()) {
            let (line, after) = text.split_at(end);
            connection.take_text(line);
            connection.end_line();
            text = after.get(1..).unwrap_or_default();
            if connection.out.len() >= FLUSH_BYTES && !connection.write_to(&mut write)? {
                return Ok(());
            }
        }
        if !text.is_empty() {
            connection.take_text(text);
        }
        while !rest.is_empty() {
            match line_end(rest) {
                Some(end) => {
                    let (line, after) = rest.split_at(end);
                    connection.take(line);
                    connection.end_line();
                    rest = after.get(1..).unwrap_or_default();
                }
                None => connection.take(std::mem::take(&mut rest)),
            }
            if connection.out.len() >= FLUSH_BYTES && !connection.write_to(&mut write)? {
                return Ok(());
            }
        }
        if len == 0 {
            connection.finish();
        }
        if !connection.write_to(&mut write)? || len == 0 {
            return Ok(());
        }
        chunk.copy_within(filled - carried..filled, 0);
        if filled == chunk.len() {
            chunk.resize(CHUNK_BYTES, 0);
        }
    }
}

/// How many bytes at the end of `bytes` begin a character that goes on behind them.
fn cut_len(bytes: &[u8]) -> usize {
    match bytes {
        [.., 0xc0..=0xff] => 1,
        [.., 0xe0..=0xff, 0x80..0xc0] => 2,
        [.., 0xf0..=0xff, 0x80..0xc0, 0x80..0xc0] => 3,
        _ => 0,
    }
}

/// As much of `bytes` as is UTF-8, and the rest.
fn split_utf8(bytes: &[u8]) -> (&str, &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|_| {
        let first = bytes.utf8_chunks().next();
        first.map_or("", |first| first.valid())
    });
    (text, bytes.get(text.len()..).unwrap_or_default())
}

/// The bytes before the first LF.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "branches would keep it from becoming vector code"
)]
fn line_end(bytes: &[u8]) -> Option<usize> {
    let has_lf = |found: bool, byte: &u8| found | (*byte == b'\n');
    let mut rest = bytes;
    // No early exit inside a block: this is the shape that compilers turn into vector code.
    while let Some((block, after)) = rest.split_first_chunk::<32>() {
        if block.iter().fold(false, has_lf) {
            break;
        }
        rest = after;
    }
    while let Some((block, after)) = rest.split_first_chunk::<8>() {
        if block.iter().fold(false, has_lf) {
            break;
        }
        rest = after;
    }
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    Some(bytes.len() - rest.len() + end)
}

/// The state between two reads.
struct Connection<'c> {
    server: Server<'c>,
    parser: Parser,
    options: Options,
    /// Bytes of the line so far.
    line_len: usize,
    /// Whether the line has been answered with an error, so that the rest of it is thrown away.
    is_refused: bool,
    out: Vec<u8>,
}

impl<'c> Connection<'c> {
    fn new(catalog: &'c dyn Catalog, options: Options) -> Self {
        let mut server = Server::new(catalog, options.bytes_max);
        if options.is_verbose {
            server.take_notes();
        }
        Self {
            server,
            parser: Parser::new(),
            options,
            line_len: 0,
            is_refused: false,
            out: Vec::new(),
        }
    }

    /// Takes a piece of a line that is known to be UTF-8.
    fn take_text(&mut self, text: &str) {
        if self.is_refused || text.len() > self.room() {
            self.take(text.as_bytes());
        } else {
            self.line_len += text.len();
            let fed = self.parser.feed_text(text);
            self.refuse(fed, false);
        }
    }

    /// Takes a piece of a line.
    fn take(&mut self, piece: &[u8]) {
        if !self.is_refused {
            let (text, excess) = piece.split_at_checked(self.room()).unwrap_or((piece, &[]));
            self.line_len += text.len();
            let fed = self.parser.feed(text);
            self.refuse(fed, !excess.is_empty());
        }
    }

    /// The most bytes that the line may still have.
    fn room(&self) -> usize {
        self.options.bytes_max - self.line_len
    }

    /// Answers the line with an error if it has a fault or is too long.
    fn refuse(&mut self, fed: Result<(), json::Error>, is_too_long: bool) {
        if let Err(fault) = fed {
            self.server
                .refuse_text(fault, self.parser.document(), &mut self.out);
        } else if is_too_long {
            self.parser.give_up();
            let before = self.parser.document();
            let bytes_max = self.options.bytes_max;
            self.server.refuse_length(bytes_max, before, &mut self.out);
        } else {
            return;
        }
        self.is_refused = true;
        self.parser.clear();
    }

    fn end_line(&mut self) {
        if !self.is_refused {
            match self.parser.finish() {
                Ok(root) => self.server.answer(root, &mut self.out),
                // Nothing but white space asks for nothing.
                Err(fault) if fault.kind == json::ErrorKind::Empty => {}
                Err(fault) => self
                    .server
                    .refuse_text(fault, self.parser.document(), &mut self.out),
            }
            self.parser.clear();
        }
        self.line_len = 0;
        self.is_refused = false;
        self.server
            .notes()
            .for_each(|note| log::line(format!("[server] {note}\n")));
    }

    /// The input is over: what is left of it is a line.
    fn finish(&mut self) {
        self.end_line();
        self.server.finish(&mut self.out);
    }

    /// Writes the answers so far; whether the other side is still there.
    fn write_to(
        &mut self,
        write: &mut impl FnMut(&mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<bool> {
        if self.out.is_empty() {
            return Ok(true);
        }
        // The buffer of a long answer is kept for the next one, and given back by the first short one.
        let len = self.out.len();
        if len < self.out.capacity() / 4 {
            self.out.shrink_to(len.max(4 * FLUSH_BYTES));
        }
        let written = write(&mut self.out);
        self.out.clear();
        match written {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(error),
        }
    }
}
