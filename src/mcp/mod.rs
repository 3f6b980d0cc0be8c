//! The Model Context Protocol over one catalog: which method does what, in both eras.
//!
//! In: the root [`Value`] of a line. Out: the answer, if it asks for one, at the end of a byte buffer. No input or output
//! happens here, and no message can change how another is read but a handshake, which names the legacy revision.
//!
//! Modern requests (2026-07-28) are served from what they carry and nothing else. Legacy ones (2024-11-05 to
//! 2025-11-25) need no handshake: without one they are served as 2025-11-25.

mod revision;
mod subscriptions;
mod tools;

use crate::catalog::Catalog;
use crate::json::{Array, Document, Error, Object, Value, Writer, written};
use crate::rpc::{self, Fault, Id, Message, Refusal};
use revision::Revision;
use subscriptions::Subscriptions;

/// How long, in milliseconds, and by whom a modern list may be kept: it is the same for everybody, and never changes
/// while the process lives.
const CACHE: &str = r#""ttlMs":3600000,"cacheScope":"public""#;

/// What the notes call a line that is no message, and one that is many.
const NO_MESSAGE: &str = "no message";
const BATCH: &str = "a batch";

/// The most characters of a name of the input that an answer or a note repeats.
const MAX_NAME: usize = 64;

/// Serves the messages of one pipe.
///
/// ```
/// use barewire::{catalog::demo::Demo, json, mcp::Server};
///
/// let demo = Demo::new()?;
/// let mut server = Server::new(&demo, 8 << 20);
/// let line = br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
/// let mut out = Vec::new();
/// server.answer(json::parse(line)?.root().unwrap(), &mut out);
/// assert_eq!(out, b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Server<'c> {
    catalog: &'c dyn Catalog,
    /// The most bytes of an answer.
    bytes_max: usize,
    /// The revision of the last handshake.
    legacy: Revision,
    subscriptions: Subscriptions,
    /// The pages of `tools/list` as JSON text, of each revision that was asked for.
    pages: Vec<(Revision, Vec<String>)>,
    /// `_meta` of a modern result, as JSON text.
    meta: String,
    /// The structured content of the running call.
    structured: String,
    /// What was done, a line for each message, if anybody wants to know.
    notes: Option<Vec<String>>,
}

impl<'c> Server<'c> {
    /// A server of `catalog` whose answers have at most `bytes_max` bytes.
    #[must_use]
    pub fn new(catalog: &'c dyn Catalog, bytes_max: usize) -> Self {
        let meta = written(|writer| {
            writer.object_start();
            write_server_info(writer, "io.modelcontextprotocol/serverInfo", catalog);
            writer.object_end();
        });
        Self {
            catalog,
            bytes_max,
            legacy: Revision::NEWEST_LEGACY,
            subscriptions: Subscriptions::default(),
            pages: Vec::new(),
            meta,
            structured: String::new(),
            notes: None,
        }
    }

    /// Takes notes of what is done from now on.
    pub fn take_notes(&mut self) {
        self.notes.get_or_insert_default();
    }

    /// The notes that were taken since the last call: methods and outcomes, never values of the input.
    pub fn notes(&mut self) -> impl Iterator<Item = String> + use<'_, 'c> {
        self.notes.iter_mut().flat_map(|notes| notes.drain(..))
    }

    /// Notes what became of `what`: the method of a message, or what it is if it has none.
    fn note(&mut self, what: &str, outcome: &str) {
        let Some(notes) = &mut self.notes else { return };
        let outcome = match (what, outcome) {
            ("tools/list", "answered") => self.catalog.list_note(),
            _ => outcome.to_owned(),
        };
        let what = what.chars().take(MAX_NAME).flat_map(char::escape_default);
        notes.push(format!("{} <- {outcome}", what.collect::<String>()));
    }

    /// Answers the message `root`: appends a line to `out`, or nothing if it asks for no answer.
    pub fn answer(&mut self, root: Value<'_>, out: &mut Vec<u8>) {
        line(out, |writer| match root {
            Value::Array(batch) => self.batch(batch, writer),
            _ => self.message(root, false, writer),
        });
    }

    /// Answers a line that is not JSON; `before` is what was read of it before the fault.
    pub fn refuse_text(&mut self, error: Error, before: &Document, out: &mut Vec<u8>) {
        line(out, |writer| {
            let refusal = Refusal::of_text(error, before);
            self.write_error(writer, NO_MESSAGE, refusal.id, refusal.fault);
        });
    }

    /// Answers a line of more than `bytes_max` bytes.
    pub fn refuse_length(&mut self, bytes_max: usize, before: &Document, out: &mut Vec<u8>) {
        line(out, |writer| {
            let refusal = Refusal::of_length(bytes_max, before);
            self.write_error(writer, NO_MESSAGE, refusal.id, refusal.fault);
        });
    }

    /// Says that no more messages come: ends the subscriptions, as MCP 2026-07-28 basic/patterns/subscriptions asks.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        for id in self.subscriptions.take() {
            line(out, |writer| {
                subscriptions::write_end(writer, &id, self.catalog);
            });
        }
    }

    /// Answers a batch (JSON-RPC 2.0 §6), which only revision 2025-03-26 has.
    fn batch(&mut self, batch: Array<'_>, writer: &mut Writer<'_>) {
        if self.legacy != Revision::March2025 {
            let fault =
                Fault::invalid_request("expected object, got array: only 2025-03-26 has batches");
            return self.write_error(writer, BATCH, None, fault);
        }
        if batch.iter().next().is_none() {
            let fault = Fault::invalid_request("expected at least one message");
            return self.write_error(writer, BATCH, None, fault);
        }
        let start = writer.mark();
        writer.array_start();
        let first = writer.mark();
        for message in batch {
            self.message(message, true, writer);
            // The rest does not run: its answers would be lost too, and each byte of a batch can ask for a hundred.
            if writer.len_since(start) >= self.bytes_max {
                writer.rewind(start);
                return self.write_error(writer, BATCH, None, self.too_long());
            }
        }
        if writer.len_since(first) == 0 {
            return writer.rewind(start);
        }
        writer.array_end();
    }

    fn message(&mut self, root: Value<'_>, is_in_batch: bool, writer: &mut Writer<'_>) {
        match Message::read(root) {
            Err(refusal) => self.write_error(writer, NO_MESSAGE, refusal.id, refusal.fault),
            Ok(Message::Request { id, method, params }) => {
                let start = writer.mark();
                let answered = self.request(id, method, params, is_in_batch, writer);
                let is_too_long = writer.len_since(start) > self.bytes_max;
                let answered = if is_too_long {
                    Err(self.too_long())
                } else {
                    answered
                };
                match answered {
                    Ok(()) => self.note(method, "answered"),
                    Err(fault) => {
                        writer.rewind(start);
                        self.write_error(writer, method, Some(id), fault);
                    }
                }
            }
            Ok(Message::Notification { method, params }) => {
                // A request that comes without an id must have no effect.
                if method == Some("notifications/cancelled") {
                    if let Some(id) = params.get("requestId").and_then(Id::read) {
                        self.subscriptions.cancel(id);
                    }
                }
                self.note(method.unwrap_or(NO_MESSAGE), "no answer is asked for");
            }
            Ok(Message::Response { .. }) => self.note("a response", "nobody waits for it"),
        }
    }

    /// The one place where methods have names.
    fn request(
        &mut self,
        id: Id<'_>,
        method: &str,
        params: Value<'_>,
        is_in_batch: bool,
        writer: &mut Writer<'_>,
    ) -> Result<(), Fault> {
        let params = match params {
            Value::Null => None,
            Value::Object(object) => Some(object),
            other => return Err(Fault::invalid_params("/params", "object", Some(other))),
        };
        let revision = Revision::of_request(method, params, self.legacy)?;
        if is_in_batch && (revision.is_modern() || method == "initialize") {
            return Err(Fault::invalid_request(
                "expected a message of its own, not in a batch",
            ));
        }
        match (method, revision.is_modern()) {
            ("initialize", false) => self.initialize(id, params, writer),
            ("ping", false) => {
                rpc::start_result(writer, id);
                writer.json("{}");
                rpc::end_answer(writer);
            }
            ("server/discover", true) => self.discover(id, writer),
            ("subscriptions/listen", true) => self.listen(id, params, writer)?,
            ("tools/list", _) => self.list_tools(revision, id, params, writer)?,
            ("tools/call", _) => self.call_tool(revision, id, params, writer)?,
            _ => return Err(Fault::method_not_found()),
        }
        Ok(())
    }

    fn initialize(&mut self, id: Id<'_>, params: Option<Object<'_>>, writer: &mut Writer<'_>) {
        self.legacy = Revision::negotiate(params.and_then(|params| params.get("protocolVersion")));
        rpc::start_result(writer, id);
        writer.object_start();
        writer.name("protocolVersion");
        writer.string(self.legacy.as_str());
        write_capabilities(writer);
        write_server_info(writer, "serverInfo", self.catalog);
        self.write_instructions(writer);
        writer.object_end();
        rpc::end_answer(writer);
    }

    fn discover(&mut self, id: Id<'_>, writer: &mut Writer<'_>) {
        let revision = Revision::July2026;
        start_result(writer, revision, id);
        writer.name("supportedVersions");
        writer.array_start();
        writer.string(revision.as_str());
        writer.array_end();
        write_capabilities(writer);
        self.write_instructions(writer);
        write_cache(writer, revision);
        self.end_result(writer, revision);
    }

    fn write_instructions(&self, writer: &mut Writer<'_>) {
        if let Some(instructions) = &self.catalog.info().instructions {
            writer.name("instructions");
            writer.string(instructions);
        }
    }

    /// Ends what [`start_result`] began.
    fn end_result(&self, writer: &mut Writer<'_>, revision: Revision) {
        if revision.is_modern() {
            writer.open(r#""_meta":"#);
            writer.json(&self.meta);
        }
        writer.close("}");
        rpc::end_answer(writer);
    }

    /// Writes the error; what would make even that too long, the id or a version in `data`, is left out.
    fn write_error(
        &mut self,
        writer: &mut Writer<'_>,
        what: &str,
        id: Option<Id<'_>>,
        fault: Fault,
    ) {
        self.note(what, &format!("error {}", fault.code));
        let start = writer.mark();
        let mut fault = fault;
        for id in [id, id, None] {
            writer.rewind(start);
            rpc::write_error(writer, id, &fault);
            if writer.len_since(start) <= self.bytes_max {
                return;
            }
            fault = self.too_long();
        }
    }

    fn too_long(&self) -> Fault {
        let text = format!("expected an answer of at most {} bytes", self.bytes_max);
        Fault::with_text(rpc::INTERNAL_ERROR, "Internal error", &text)
    }
}

/// Appends what `write` writes, and LF if it is anything.
fn line(out: &mut Vec<u8>, write: impl FnOnce(&mut Writer<'_>)) {
    let start = out.len();
    write(&mut Writer::new(out));
    if out.len() > start {
        out.push(b'\n');
    }
}

/// Starts an answer up to the first member of the result that both eras have.
fn start_result(writer: &mut Writer<'_>, revision: Revision, id: Id<'_>) {
    rpc::start_result(writer, id);
    writer.open("{");
    if revision.is_modern() {
        writer.json(r#""resultType":"complete""#);
    }
}

fn write_cache(writer: &mut Writer<'_>, revision: Revision) {
    if revision.is_modern() {
        writer.json(CACHE);
    }
}

fn write_capabilities(writer: &mut Writer<'_>) {
    // No `listChanged`: the tools never change while the process lives.
    writer.json(r#""capabilities":{"tools":{}}"#);
}

fn write_server_info(writer: &mut Writer<'_>, name: &str, catalog: &dyn Catalog) {
    let info = catalog.info();
    writer.name(name);
    writer.object_start();
    writer.name("name");
    writer.string(&info.name);
    writer.name("version");
    writer.string(&info.version);
    writer.object_end();
}
