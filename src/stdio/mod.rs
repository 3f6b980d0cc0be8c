//! Lines in, lines out: the pipe between a host and the server, and its end.
//!
//! In: bytes of standard input. Out: bytes of standard output, one line an answer. A line ends at LF and nowhere else;
//! it goes piece by piece into the parser, so that a message takes no more memory than what is kept of it. Answers are
//! collected while whole lines wait in what was read, and then written at once: a lone request is answered
//! immediately, many together cost one write.

mod log;
mod output;

pub use log::note;

use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::process::ExitCode;

use crate::catalog::Catalog;
use crate::json::{self, Parser};
use crate::mcp::Server;
use output::Output;

/// The most bytes of a message unless the caller says otherwise. Hosts have limits of their own: 8 MiB a line is the
/// smallest known one.
pub const MAX_MESSAGE: usize = 8 << 20;

/// Bytes that are read at once: what a pipe holds on Linux.
const CHUNK_BYTES: usize = 64 << 10;

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
    let input = &mut io::stdin().lock();
    let served = match Output::stdout() {
        Ok(mut output) => serve(catalog, options, input, &mut output).map(|()| output.finish()),
        Err(_) => serve(catalog, options, input, &mut io::stdout().lock()),
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
    let mut connection = Connection::new(catalog, options);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let len = match input.read(&mut chunk) {
            Ok(len) => len,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut rest = chunk.get(..len).unwrap_or_default();
        if rest.is_empty() {
            connection.finish();
        }
        while let Some((line, after)) = split_line(rest) {
            connection.take(line);
            rest = after;
            if connection.out.len() >= FLUSH_BYTES && !connection.write_to(output)? {
                return Ok(());
            }
        }
        if !connection.write_to(output)? || len == 0 {
            return Ok(());
        }
    }
}

/// Splits off everything up to and with the first LF; without one, everything.
fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut after = bytes;
    // `skip_until` is the one search for a byte in `std` that looks at more than one byte at a time.
    match after.skip_until(b'\n') {
        Ok(0) | Err(_) => None,
        Ok(len) => bytes.split_at_checked(len),
    }
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

    /// Takes a line or a piece of one.
    fn take(&mut self, piece: &[u8]) {
        let (text, ends) = match piece.split_last() {
            Some((b'\n', text)) => (text, true),
            _ => (piece, false),
        };
        if !self.is_refused {
            self.read(text);
        }
        if ends {
            self.end_line();
        }
    }

    fn read(&mut self, text: &[u8]) {
        let room = self.options.bytes_max - self.line_len;
        let (text, excess) = text.split_at_checked(room).unwrap_or((text, &[]));
        self.line_len += text.len();
        if let Err(fault) = self.parser.feed(text) {
            self.is_refused = true;
            self.server
                .refuse_text(fault, self.parser.document(), &mut self.out);
        } else if !excess.is_empty() {
            self.is_refused = true;
            self.parser.give_up();
            self.server.refuse_length(
                self.options.bytes_max,
                self.parser.document(),
                &mut self.out,
            );
        }
        if self.is_refused {
            self.parser.clear();
        }
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
    fn write_to(&mut self, output: &mut impl Write) -> io::Result<bool> {
        if self.out.is_empty() {
            return Ok(true);
        }
        let written = output.write_all(&self.out).and_then(|()| output.flush());
        self.out.clear();
        self.out.shrink_to(4 * FLUSH_BYTES);
        match written {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(error),
        }
    }
}
