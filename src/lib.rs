//! A Model Context Protocol (MCP) server over stdio with no dependencies: to read, to vendor and to run.
//!
//! A host (Claude, VS Code, Cursor, Zed, Codex…) starts the program and exchanges one JSON-RPC message a line
//! with it. Here is the way of one byte through the crate, from standard input to standard output:
//!
//! | step | enters | as | leaves as |
//! |---|---|---|---|
//! | 1 | [`stdio`] reads | bytes in a fixed buffer | pieces, cut at LF |
//! | 2 | [`json::Tokenizer`] | pieces of any size | tokens |
//! | 3 | [`json::Parser`] | tokens | a [`json::Document`], or an error with its byte, and what was read before it |
//! | 4 | [`rpc::Message::read`] | its root [`json::Value`] | a request, a notification or a response |
//! | 5 | [`mcp::Server`] | a message | one `match` on the method |
//! | 6 | [`schema::Schema::check`], then the `match` of the [`catalog`] | a name and arguments | content, written as it is made |
//! | 7 | [`rpc`] and [`json::Writer`] | content | bytes in a fixed order of members |
//! | 8 | [`stdio`] writes | whole lines | flushed when no further whole message waits |
//!
//! Imports point down this list only: `main → cli → stdio → mcp → { rpc, schema, catalog } → json`, and `json` knows
//! only `std`. Nothing but [`stdio`], `main`, `cli` and the store of the catalog [`catalog::reservo`] touches input, output,
//! the environment or time. There is no unsafe code, no macro, no feature and no build script.
//!
//! # The map
//!
//! | file | what |
//! |---|---|
//! | `main.rs` | the command line → a catalog → serve → an exit code |
//! | `cli/help.rs`, `tools.rs`, `call.rs`, `sbom.rs` | what the program prints for a person |
//! | `cli/terminal.rs` | width, bold, line breaks, the caret below a fault |
//! | `cli/check/` | what hosts will stumble over in definitions and transcripts |
//! | `stdio/mod.rs` | lines in, lines out; the limit of a line; the end of the process |
//! | `stdio/output.rs` | answers that the host does not take yet, so that neither waits for the other for ever |
//! | `stdio/log.rs` | standard error: 4 KiB at most, never waited for |
//! | `mcp/mod.rs` | which method does what, in both eras of the protocol |
//! | `mcp/revision.rs` | which revision a request is served by |
//! | `mcp/tools.rs` | `tools/list` and `tools/call` |
//! | `mcp/subscriptions.rs` | `subscriptions/listen` |
//! | `rpc.rs` | JSON-RPC 2.0: messages, ids, errors |
//! | `schema/` | JSON Schema: compiled once, checked often |
//! | `catalog/mod.rs` | what you write: [`catalog::Catalog`], [`catalog::Tool`] |
//! | `catalog/demo.rs` | `add` and `echo` |
//! | `catalog/reservo.rs`, `store.rs` | a room-booking desk in Spanish, and its bookings as files |
//! | `json/lexer.rs`, `lexemes.rs`, `literal.rs`, `string.rs`, `number.rs` | text → lexemes: the grammar, and the parts of it with two directions |
//! | `json/tokenizer.rs` | lexemes → tokens, for who keeps nothing |
//! | `json/parser.rs`, `document.rs` | lexemes → a flat list of nodes → values |
//! | `json/writer.rs`, `shortest.rs` | calls → text, and the digits of a number |
//!
//! # Limits
//!
//! | what | limit | past it | why |
//! |---|---|---|---|
//! | a message, an answer | 8 MiB ([`stdio::MAX_MESSAGE`], `--max-message`) | one error, the next line is served | hosts close the pipe at lines of about that length |
//! | nesting | 128 levels ([`json::MAX_DEPTH`]) | -32700 | one bit a level in a `u128`; no message comes near it |
//! | one JSON text | 4 GiB | an error | a [`json::Document`] counts bytes in 32 bits |
//! | answers that the host does not take | 64 MiB with the requests behind them | the server answers nothing until the host reads | neither side may wait for ever, and memory has an end |
//! | standard error | 4 KiB unless `--verbose` | silence | hosts that never read it, and hosts that keep it |
//! | open subscriptions | 64 | -32603 | each is remembered until it ends |
//! | a page of `tools/list` | 1 MiB | the next page, by `nextCursor` | many hosts read the first page alone |
//! | what one check reports | 8 mismatches | the first eight | a model repairs a few at a time |
//!
//! # A server of your own
//!
//! A catalog is a table of definitions and one `match`:
//!
//! ```
//! use barewire::catalog::{Arguments, Call, Catalog, DefinitionError, Info, Tool, ToolError};
//! use barewire::stdio::{self, Options};
//!
//! struct Greeter {
//!     info: Info,
//!     tools: Vec<Tool>,
//! }
//!
//! impl Catalog for Greeter {
//!     fn info(&self) -> &Info {
//!         &self.info
//!     }
//!     fn tools(&self) -> &[Tool] {
//!         &self.tools
//!     }
//!     fn call(&self, name: &str, arguments: Arguments, call: &mut Call) -> Result<(), ToolError> {
//!         match name {
//!             "greet" => call.text(&format!("Hello, {}!", arguments.string("name")?)),
//!             _ => return Err("no such tool".into()),
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let greet = r#"{"name":"greet","description":"Greet somebody by name","inputSchema":{"type":"object",
//!     "properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}}"#;
//! let info = Info { name: "greeter".into(), version: "1.0".into(), instructions: None };
//! let greeter = Greeter { info, tools: Tool::parse_all(&[greet])? };
//!
//! // In `main`, `stdio::run(&greeter, Options::default())` serves standard input and output. Here, a line:
//! let mut line = &br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}"#[..];
//! let mut answer = Vec::new();
//! stdio::serve(&greeter, Options::default(), &mut line, &mut answer).unwrap();
//! let text = br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ada!"}],"isError":false}}"#;
//! assert_eq!(answer.trim_ascii_end(), text);
//! # Ok::<(), DefinitionError>(())
//! ```

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "a test may panic"
    )
)]

pub mod catalog;
pub mod json;
pub mod mcp;
pub mod rpc;
pub mod schema;
pub mod stdio;
