//! The page that `--help` prints. It stands for a manual page, so it says all that there is to say.

use super::terminal::{COLUMNS, Look, column, width};

/// The commands, for the page and for whoever misspells one.
pub(crate) const COMMANDS: [&str; 5] = ["serve", "tools", "call", "check", "help"];

/// The options, with two dashes.
pub(crate) const OPTIONS: [&str; 8] = [
    "--catalog",
    "--data",
    "--json",
    "--max-message",
    "--verbose",
    "--help",
    "--version",
    "--sbom",
];

enum Part {
    Heading(&'static str),
    /// A paragraph.
    Text(&'static str),
    /// A line as it stands.
    Line(&'static str),
    /// A word, and what it means.
    Entry(&'static str, &'static str),
}

use Part::{Entry, Heading, Line, Text};

const PAGE: &[Part] = &[
    Heading("NAME"),
    Line("barewire - a Model Context Protocol server over stdio, with no dependencies"),
    Heading("SYNOPSIS"),
    Line("barewire [serve] [OPTIONS]"),
    Line("barewire tools [--json] [OPTIONS]"),
    Line("barewire call NAME [JSON | - | ARGUMENT=VALUE ...] [OPTIONS]"),
    Line("barewire check [FILE]"),
    Line("barewire help | --help | --version | --sbom"),
    Heading("DESCRIPTION"),
    Text(
        "A host (Claude, VS Code, Cursor, Zed, Codex ...) starts barewire and exchanges one JSON-RPC message a line \
         with it, on its standard input and output. The other commands are for people: they show the tools, run one, \
         and check what a server offers or has answered.",
    ),
    Heading("COMMANDS"),
    Entry(
        "serve",
        "Answer messages until the host closes the pipe. This is what happens without a command.",
    ),
    Entry(
        "tools",
        "List the tools: what they do, and the name and type of each argument. With --json, their definitions, one a \
         line, as they go on the wire.",
    ),
    Entry(
        "call NAME",
        "Run a tool as a host would and print the text of its result. Its arguments are one JSON object, or are read as \
         that from standard input if - stands there, or are given one by one as ARGUMENT=VALUE. Such a value is taken \
         as it stands if the tool wants a string, else as JSON if it is JSON, else as a string.",
    ),
    Entry(
        "check [FILE]",
        "Say what hosts will stumble over in tool definitions or in a transcript, read from FILE, or from standard \
         input without FILE or if it is -. Definitions are objects, one after the other, in an array, or in the \
         member tools of an object. A transcript has one JSON-RPC message a line, each perhaps behind > or < and a \
         space. Each finding is a line FILE:LINE:BYTE: TOOL POINTER: what is wrong; who stumbles; what to do. \
         BYTE counts the bytes of the line before the place; POINTER, a JSON Pointer, leads there from the start of the \
         value.",
    ),
    Entry("help", "Print this page."),
    Heading("OPTIONS"),
    Entry(
        "--catalog NAME",
        "Which tools: demo (add and echo; the default) or reservo (a room-booking desk in Spanish).",
    ),
    Entry(
        "--data DIR",
        "Where reservo keeps its bookings. In memory if not given.",
    ),
    Entry("--json", "With tools: print definitions."),
    Entry(
        "--max-message BYTES",
        "The most bytes of a message, of an answer, and of a value that check reads: 1024 to 1073741824, 8388608 if not \
         given.",
    ),
    Entry(
        "--verbose",
        "With serve: tell each message in a line on standard error.",
    ),
    Entry("-h, --help", "Print this page."),
    Entry("-V, --version", "Print the version."),
    Entry(
        "--sbom",
        "Print the software bill of materials as SPDX 2.3 JSON.",
    ),
    Entry("--", "What follows is no option."),
    Heading("ENVIRONMENT"),
    Text("Only what is printed for people, and only at a terminal, depends on it."),
    Entry(
        "COLUMNS",
        "The columns of the terminal, 20 to 1000; else 80. What goes to a file or a pipe is not wrapped, but for this page.",
    ),
    Entry("NO_COLOR", "If not empty: nothing is bold."),
    Entry("TERM", "If dumb or not set: nothing is bold."),
    Heading("EXIT STATUS"),
    Entry(
        "0",
        "The host closed the pipe; the call succeeded; check found nothing.",
    ),
    Entry(
        "1",
        "The pipe broke; the call failed; check found something.",
    ),
    Entry(
        "2",
        "Bad usage: the reason is on standard error. Or check could not read its file.",
    ),
    Heading("FILES"),
    Entry(
        "DIR/ID.json",
        "With --data: a booking of reservo, which never changes.",
    ),
    Entry("DIR/ID.cancelled", "The same booking was cancelled."),
    Heading("EXAMPLES"),
    Line("barewire --catalog reservo tools"),
    Line("barewire call add a=2.5 b=4"),
    Line("barewire call add '{\"a\":2.5,\"b\":4}'"),
    Line("barewire --catalog reservo call get_quote room=Studio tier=pro hours=3"),
    Line("barewire tools --json | barewire check"),
    Line("barewire --sbom > barewire.spdx.json"),
];

/// The column where texts begin.
const INDENT: usize = 2;

/// The column where the meaning of a word begins.
const MEANING: usize = 24;

/// The page, as wide as the terminal; 80 columns for a file or a pager, as manual pages do it.
pub(crate) fn page(look: Look) -> String {
    let look = Look {
        columns: look.columns.or(Some(COLUMNS)),
        ..look
    };
    let mut out = String::new();
    for part in PAGE {
        match part {
            Heading(text) => {
                let gap = if out.is_empty() { "" } else { "\n" };
                out.extend([gap, &look.bold(text), "\n"]);
            }
            Text(text) => column(&mut out, 0, INDENT, text, look),
            Line(text) => out.extend(["  ", text, "\n"]),
            Entry(word, text) => {
                out.extend(["  ", &look.bold(word)]);
                column(&mut out, INDENT + width(word), MEANING, text, look);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_section_command_and_option() {
        let page = page(Look::PLAIN);
        for heading in [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "COMMANDS",
            "OPTIONS",
            "ENVIRONMENT",
            "EXIT STATUS",
            "FILES",
            "EXAMPLES",
        ] {
            assert!(page.lines().any(|line| line == heading), "{heading}");
        }
        for word in COMMANDS.iter().chain(&OPTIONS) {
            let is_told = |line: &str| {
                line.strip_prefix("  ").is_some_and(|line| {
                    line.replace(", ", " ")
                        .split(' ')
                        .take(2)
                        .any(|first| first == *word)
                })
            };
            assert!(page.lines().any(is_told), "{word}");
        }
        assert!(page.lines().all(|line| line.len() <= COLUMNS), "{page}");
        assert!(page.is_ascii());
    }

    #[test]
    fn the_page_fits_a_narrow_terminal_and_has_bold_words_only_if_asked() {
        let narrow = Look {
            columns: Some(44),
            is_styled: true,
        };
        let text = page(narrow);
        let plain = text.replace("\x1b[1m", "").replace("\x1b[0m", "");
        assert!(text.starts_with("\x1b[1mNAME\x1b[0m\n"));
        let prose = |line: &&str| !line.starts_with("  barewire");
        assert!(
            plain.lines().filter(prose).all(|line| width(line) <= 44),
            "{plain}"
        );
        assert!(!page(Look::PLAIN).contains('\x1b'));
    }
}
