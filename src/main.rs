//! The command line → a catalog → serve → an exit code.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test may panic"
    )
)]

mod cli;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use barewire::catalog::{Catalog, DefinitionError, demo::Demo, reservo::Reservo};
use barewire::stdio;
use cli::terminal::Look;
use cli::{call, check, fail, help, print, sbom, suggestion, tools};

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
    Call { name: String, words: Vec<String> },
    Check { file: String },
    Help,
    Version,
    Sbom,
}

impl Command {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut command = Self {
            action: Action::Serve,
            catalog: "demo".to_owned(),
            data: None,
            options: stdio::Options::default(),
        };
        let mut words = Vec::new();
        let mut as_json = false;
        while let Some(argument) = arguments.next() {
            let argument = text(argument)?;
            let (name, inline) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (argument.as_str(), None),
            };
            let mut value = || match inline {
                Some(value) => Ok(OsString::from(value)),
                None => arguments.next().ok_or(format!("{name} needs a value")),
            };
            match name {
                "--catalog" => command.catalog = text(value()?)?,
                "--data" => command.data = Some(value()?.into()),
                "--max-message" => command.options.bytes_max = bytes(&text(value()?)?)?,
                _ if inline.is_some() && help::OPTIONS.contains(&name) => {
                    return Err(format!("{name} takes no value"));
                }
                "--verbose" => command.options.is_verbose = true,
                "--json" => as_json = true,
                "--help" | "-h" => return Ok(command.but(Action::Help)),
                "--version" | "-V" => return Ok(command.but(Action::Version)),
                "--sbom" => return Ok(command.but(Action::Sbom)),
                "--" => {
                    for word in arguments.by_ref() {
                        words.push(text(word)?);
                    }
                }
                _ if name.starts_with('-') && name != "-" => {
                    let near = suggestion(name, help::OPTIONS);
                    return Err(format!("unknown option {name}{near}"));
                }
                _ => words.push(argument),
            }
        }
        let action = action(words, as_json)?;
        Ok(command.but(action))
    }

    fn but(self, action: Action) -> Self {
        Self { action, ..self }
    }

    fn run(self) -> ExitCode {
        let look = || Look::of(&io::stdout());
        match self.action {
            Action::Help => return print(&help::page(look())),
            Action::Version => return print(concat!("barewire ", env!("CARGO_PKG_VERSION"), "\n")),
            Action::Sbom => return print(&sbom::document()),
            Action::Check { file } => return check::run(&file, self.options.bytes_max),
            _ => {}
        }
        let catalog = match open(&self.catalog, self.data) {
            Ok(catalog) => catalog,
            Err(status) => return status,
        };
        let catalog = catalog.as_ref();
        match self.action {
            Action::Tools { as_json: true } => print(&tools::definitions(catalog)),
            Action::Tools { as_json: false } => print(&tools::list(catalog, look())),
            Action::Call { name, words } => {
                call::run(catalog, &name, &words, self.options.bytes_max)
            }
            _ => {
                if io::stdin().is_terminal() {
                    stdio::note("waiting for JSON-RPC messages, one a line; leave with Ctrl-D");
                }
                stdio::run(catalog, self.options)
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
        Some("call") => Action::Call {
            name: words.next().ok_or("call needs the NAME of a tool")?,
            words: words.by_ref().collect(),
        },
        Some("check") => Action::Check {
            file: words.next().unwrap_or_else(|| "-".to_owned()),
        },
        Some("help") => return Ok(Action::Help),
        Some(other) => {
            let near = suggestion(other, help::COMMANDS);
            return Err(format!("unknown command {other}{near}"));
        }
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
