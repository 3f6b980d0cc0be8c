//! The command line → a catalog → serve → an exit code.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use barewire::catalog::{Catalog, DefinitionError, demo::Demo, reservo::Reservo};
use barewire::json::{Value, parse};
use barewire::{mcp, stdio};

const HELP: &str = "\
barewire: a Model Context Protocol server over stdio, with no dependencies

Usage:
  barewire [serve] [OPTIONS]        answer JSON-RPC messages, one a line, on stdin and stdout
  barewire tools [--json]           list the tools
  barewire call NAME [ARGUMENTS]    run a tool; ARGUMENTS is a JSON object
  barewire --help | --version

Options:
  --catalog NAME       which tools to serve: demo (default) or reservo
  --data DIR           where reservo keeps its bookings; in memory if not given
  --max-message BYTES  the most bytes of a message or an answer (default 8388608)
  --verbose            tell each message in a line on stderr

Exit status: 0 when the host closes the pipe; 1 if a call failed or the pipe broke; 2 for bad usage.
";

fn main() -> ExitCode {
    // A panic is answered under the id of its request. Its message may hold arguments, so only its place is told.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or(String::new(), |place| {
            format!(" at {}:{}", place.file(), place.line())
        });
        stdio::note(&format!("a tool panicked{place}"));
    }));
    match Command::read(std::env::args_os().skip(1)) {
        Ok(command) => command.run(),
        Err(reason) => fail(&format!("{reason}; see barewire --help"), 2),
    }
}

/// What the command line asks for.
struct Command {
    action: Action,
    catalog: String,
    data: Option<PathBuf>,
    options: stdio::Options,
}

enum Action {
    Serve,
    Tools { as_json: bool },
    Call { name: String, arguments: String },
    Print(String),
}

impl Command {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let (catalog, options) = ("demo".to_owned(), stdio::Options::default());
        let mut command = Self {
            action: Action::Serve,
            catalog,
            data: None,
            options,
        };
        let mut words = Vec::new();
        let mut as_json = false;
        while let Some(argument) = arguments.next() {
            let argument = text(argument)?;
            let (name, inline) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => {
                    (name, Some(OsString::from(value)))
                }
                _ => (argument.as_str(), None),
            };
            let mut value = || {
                inline
                    .clone()
                    .or_else(|| arguments.next())
                    .ok_or(format!("{name} needs a value"))
            };
            match name {
                "--catalog" => command.catalog = text(value()?)?,
                "--data" => command.data = Some(value()?.into()),
                "--max-message" => command.options.bytes_max = bytes(&text(value()?)?)?,
                "--verbose" => command.options.is_verbose = true,
                "--json" => as_json = true,
                "--help" | "-h" => {
                    return Ok(Self {
                        action: Action::Print(HELP.to_owned()),
                        ..command
                    });
                }
                "--version" | "-V" => {
                    let version = format!("barewire {}\n", env!("CARGO_PKG_VERSION"));
                    return Ok(Self {
                        action: Action::Print(version),
                        ..command
                    });
                }
                _ if name.starts_with('-') => return Err(format!("unknown option {name}")),
                _ => words.push(argument),
            }
        }
        command.action = action(words, as_json)?;
        Ok(command)
    }

    fn run(self) -> ExitCode {
        if let Action::Print(text) = &self.action {
            return print(text);
        }
        let catalog = match open(&self.catalog, self.data) {
            Ok(catalog) => catalog,
            Err(status) => return status,
        };
        match self.action {
            Action::Print(_) => ExitCode::SUCCESS,
            Action::Serve => {
                if io::stdin().is_terminal() {
                    stdio::note("waiting for JSON-RPC messages, one a line; leave with Ctrl-D");
                }
                stdio::run(catalog.as_ref(), self.options)
            }
            Action::Tools { as_json } => print(&tools(catalog.as_ref(), as_json)),
            Action::Call { name, arguments } => {
                call(catalog.as_ref(), &name, &arguments, self.options.bytes_max)
            }
        }
    }
}

fn open(name: &str, data: Option<PathBuf>) -> Result<Box<dyn Catalog>, ExitCode> {
    let refused = |error: DefinitionError| fail(&error.to_string(), 1);
    match name {
        "demo" => Ok(Box::new(Demo::new().map_err(refused)?)),
        "reservo" => Ok(Box::new(Reservo::new(data).map_err(refused)?)),
        other => Err(fail(
            &format!("unknown catalog {other}: expected demo or reservo"),
            2,
        )),
    }
}

fn action(words: Vec<String>, as_json: bool) -> Result<Action, String> {
    let mut words = words.into_iter();
    let action = match words.next().as_deref() {
        None | Some("serve") => Action::Serve,
        Some("tools") => Action::Tools { as_json },
        Some("call") => {
            let name = words.next().ok_or("call needs the NAME of a tool")?;
            Action::Call {
                name,
                arguments: words.next().unwrap_or_else(|| "{}".to_owned()),
            }
        }
        Some(other) => return Err(format!("unknown command {other}")),
    };
    if as_json && !matches!(action, Action::Tools { .. }) {
        return Err("--json goes with tools".to_owned());
    }
    match words.next() {
        Some(extra) => Err(format!("unexpected argument {extra}")),
        None => Ok(action),
    }
}

fn text(argument: OsString) -> Result<String, String> {
    argument
        .into_string()
        .map_err(|_| "expected arguments in UTF-8".to_owned())
}

fn bytes(text: &str) -> Result<usize, String> {
    let wanted = "--max-message needs a number of bytes from 1024 to 1073741824";
    text.parse()
        .ok()
        .filter(|bytes| (1 << 10..=1 << 30).contains(bytes))
        .ok_or_else(|| wanted.to_owned())
}

/// The tools: their names and descriptions, or their definitions as JSON text.
fn tools(catalog: &dyn Catalog, as_json: bool) -> String {
    let mut text = String::new();
    for tool in catalog.tools() {
        if as_json {
            text.push_str(&barewire::json::written(|writer| {
                tool.write(writer, |_| false);
            }));
        } else {
            text.push_str(tool.name());
            text.push_str("  ");
            text.push_str(tool.description());
        }
        text.push('\n');
    }
    text
}

/// Runs one tool as a host would, and prints the texts of its result.
fn call(catalog: &dyn Catalog, name: &str, arguments: &str, bytes_max: usize) -> ExitCode {
    let arguments = match parse(arguments.as_bytes()) {
        Ok(document) => document.root().map(Value::to_text).unwrap_or_default(),
        Err(fault) => return fail(&format!("arguments: {fault}"), 2),
    };
    let request = barewire::json::written(|writer| {
        writer.object_start();
        writer.name("jsonrpc");
        writer.string("2.0");
        writer.name("id");
        writer.integer(1);
        writer.name("method");
        writer.string("tools/call");
        writer.name("params");
        writer.object_start();
        writer.name("name");
        writer.string(name);
        writer.name("arguments");
        writer.json(&arguments);
        writer.object_end();
        writer.object_end();
    });
    let mut out = Vec::new();
    if let Some(root) = parse(request.as_bytes()).unwrap_or_default().root() {
        mcp::Server::new(catalog, bytes_max).answer(root, &mut out);
    }
    let answer = parse(&out).unwrap_or_default();
    let member = |name| answer.root().and_then(|root| root.get(name));
    if let Some(error) = member("error") {
        let text = |name| error.get(name).and_then(Value::as_str);
        let data = text("data").map_or(String::new(), |data| format!(": {data}"));
        return fail(&format!("{}{data}", text("message").unwrap_or_default()), 1);
    }
    let result = member("result");
    let blocks = result
        .and_then(|result| result.get("content"))
        .and_then(Value::as_array);
    let texts = blocks
        .into_iter()
        .flatten()
        .filter_map(|block| block.get("text").and_then(Value::as_str));
    let text: String = texts.flat_map(|text| [text, "\n"]).collect();
    let is_error = matches!(
        result.and_then(|result| result.get("isError")),
        Some(Value::Bool(true))
    );
    let printed = print(&text);
    if is_error { ExitCode::FAILURE } else { printed }
}

/// Prints to standard output; a reader that has gone is no failure.
fn print(text: &str) -> ExitCode {
    match io::stdout()
        .lock()
        .write_all(text.as_bytes())
        .and_then(|()| io::stdout().flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(&error.to_string(), 1),
        _ => ExitCode::SUCCESS,
    }
}

fn fail(reason: &str, status: u8) -> ExitCode {
    let _ = io::stderr().write_all(format!("barewire: {reason}\n").as_bytes());
    ExitCode::from(status)
}
