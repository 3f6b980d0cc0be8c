//! Findings → lines.

use std::io::Write;

use super::text::{Located, Step, Text};
use crate::cli::terminal::visible;

/// The most characters of a name of the input that a finding repeats.
const MAX_NAME: usize = 64;

/// Who stumbles over a finding, and what to do about it.
#[derive(Clone, Copy)]
pub(super) struct Advice {
    pub(super) who: &'static str,
    pub(super) remedy: &'static str,
}

/// Writes the findings and counts them.
pub(super) struct Report<'o> {
    out: &'o mut dyn Write,
    /// The name of the file, as it is shown.
    pub(super) file: String,
    pub(super) count: usize,
    is_closed: bool,
}

impl<'o> Report<'o> {
    pub(super) fn new(file: &str, out: &'o mut dyn Write) -> Self {
        Self {
            out,
            file: visible(file),
            count: 0,
            is_closed: false,
        }
    }

    /// Whether nobody reads the findings any more.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// A finding at `(line, byte)`; `subject` is the tool and the pointer, if there are any.
    pub(super) fn add(
        &mut self,
        (line, byte): (usize, usize),
        subject: &str,
        what: &str,
        advice: Advice,
    ) {
        let colon = if subject.is_empty() { "" } else { ": " };
        let Advice { who, remedy } = advice;
        let text = format!(
            "{}:{line}:{byte}: {subject}{colon}{what}; {who}; {remedy}\n",
            self.file
        );
        self.count += 1;
        self.is_closed |= self.out.write_all(text.as_bytes()).is_err();
    }

    /// Where findings in the value of `text` go.
    pub(super) fn sink<'s>(&'s mut self, text: &'s Text, source: Source) -> Sink<'s, 'o> {
        Sink {
            report: self,
            text,
            source,
        }
    }
}

/// Where a text stands in the file.
#[derive(Clone, Copy, Default)]
pub(super) struct Source {
    pub(super) first_line: usize,
    /// Bytes of the first line before the text.
    pub(super) mark_len: usize,
}

impl Source {
    /// The line of the file, from 1, and how many bytes of it come before the byte at `offset` of the text.
    pub(super) fn place(self, text: &Text, offset: usize) -> (usize, usize) {
        let (line, byte) = text.position(offset);
        let mark_len = if line == 0 { self.mark_len } else { 0 };
        (self.first_line + line, mark_len + byte)
    }
}

/// Takes findings about one value.
pub(super) struct Sink<'s, 'o> {
    report: &'s mut Report<'o>,
    text: &'s Text,
    source: Source,
}

impl Sink<'_, '_> {
    /// A finding at `at`, to which `pointer` leads.
    pub(super) fn add(
        &mut self,
        at: Located<'_>,
        tool: &str,
        pointer: &str,
        what: &str,
        advice: Advice,
    ) {
        let space = if tool.is_empty() || pointer.is_empty() {
            ""
        } else {
            " "
        };
        let place = self.source.place(self.text, at.offset());
        self.report
            .add(place, &format!("{tool}{space}{pointer}"), what, advice);
    }

    /// The line of the file on which `at` begins.
    pub(super) fn line(&self, at: Located<'_>) -> usize {
        self.source.place(self.text, at.offset()).0
    }

    /// Whether the string at `at` is written in ASCII, perhaps with escapes.
    pub(super) fn is_ascii(&self, at: Located<'_>) -> bool {
        let mut is_escaped = false;
        let is_inside = |byte: &&u8| {
            let is_end = **byte == b'"' && !is_escaped;
            is_escaped = **byte == b'\\' && !is_escaped;
            !is_end
        };
        let behind_quote = self.text.rest(at.offset() + 1);
        behind_quote.iter().take_while(is_inside).all(u8::is_ascii)
    }

    /// Bytes of the value.
    pub(super) fn len(&self) -> usize {
        self.text.trimmed_len()
    }
}

/// A name of the input, cut and made visible.
pub(super) fn shown(name: &str) -> String {
    let short: String = name.chars().take(MAX_NAME).collect();
    let dots = if short.len() < name.len() { "..." } else { "" };
    visible(&short) + dots
}

/// Adds a step to a JSON Pointer (RFC 6901 §3).
pub(super) fn push(pointer: &mut String, step: Step<'_>) {
    pointer.push('/');
    match step {
        Step::Name(name) => pointer.push_str(&shown(name).replace('~', "~0").replace('/', "~1")),
        Step::Index(index) => pointer.push_str(&index.to_string()),
    }
}
