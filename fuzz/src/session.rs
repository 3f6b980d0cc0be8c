//! What must hold for any bytes on standard input, whatever the catalog: no panic, one line an answer, at most one
//! answer a line, and no message that changes what another means.

use std::io::Read;

use barewire::catalog::{Catalog, demo::Demo, reservo::Reservo};
use barewire::json::{Value, parse};
use barewire::stdio::{Options, serve};

/// The most bytes of a message here: small, so that the limit is met.
const BYTES_MAX: usize = 1024;

/// Gives `piece` bytes at a time.
struct Pieces<'t> {
    text: &'t [u8],
    piece: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = buffer.len().min(self.piece);
        self.text.read(&mut buffer[..len])
    }
}

/// The lines that a new server of `catalog` answers to `text`.
fn served(catalog: &dyn Catalog, text: &[u8], piece: usize) -> String {
    let options = Options {
        bytes_max: BYTES_MAX,
        is_verbose: false,
    };
    let mut output = Vec::new();
    serve(catalog, options, &mut Pieces { text, piece }, &mut output)
        .expect("nothing fails in memory");
    String::from_utf8(output).expect("answers are UTF-8")
}

/// A whole conversation with each catalog.
pub fn session(text: &[u8]) {
    let demo = Demo::new().expect("its definitions are good");
    let answers = conversation(|| &demo, text);
    lines_stand_alone(&demo, text, &answers);
    let mut desks = Vec::new();
    // Bookings are numbered: each conversation needs a desk of its own.
    for piece in [usize::MAX, 1] {
        let desk = Reservo::new(None).expect("its definitions are good");
        desks.push(served(&desk, text, piece));
    }
    assert_eq!(desks[0], desks[1]);
    looks_right(text, &desks[0]);
}

fn conversation<'c>(catalog: impl Fn() -> &'c dyn Catalog, text: &[u8]) -> String {
    let answers = served(catalog(), text, usize::MAX);
    for piece in [1, 7] {
        assert_eq!(
            served(catalog(), text, piece),
            answers,
            "in pieces of {piece}"
        );
    }
    looks_right(text, &answers);
    answers
}

/// Each answer is a line of JSON of the right shape, and no line of input has two.
fn looks_right(text: &[u8], answers: &str) {
    let asked = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.iter().all(|byte| b" \t\r".contains(byte)))
        .count();
    let mut acknowledged = 0;
    let mut answered = 0;
    assert!(answers.is_empty() || answers.ends_with('\n'));
    for line in answers.lines() {
        assert!(!line.contains('\r') && line.len() <= BYTES_MAX, "{line}");
        let document = parse(line.as_bytes()).expect("an answer is JSON");
        let root = document.root().expect("an answer is a value");
        answered += 1;
        match root {
            Value::Array(batch) => batch.iter().for_each(message),
            _ if root.get("method").is_some() => {
                acknowledged += 1;
                let method = root.get("method").and_then(Value::as_str);
                assert_eq!(method, Some("notifications/subscriptions/acknowledged"));
            }
            _ => message(root),
        }
    }
    // A subscription has an answer when it ends, besides the acknowledgement.
    assert!(
        answered <= asked + acknowledged,
        "{answered} answers to {asked} lines"
    );
}

fn message(answer: Value<'_>) {
    assert_eq!(answer.get("jsonrpc").and_then(Value::as_str), Some("2.0"));
    assert!(answer.get("id").is_some());
    match (answer.get("result"), answer.get("error")) {
        (Some(Value::Object(_)), None) => assert!(!matches!(answer.get("id"), Some(Value::Null))),
        (None, Some(error)) => {
            assert!(error.get("code").and_then(Value::as_number).is_some());
            assert!(error.get("message").and_then(Value::as_str).is_some());
        }
        _ => panic!("neither a result nor an error, or both"),
    }
}

/// Without a handshake or a subscription the conversation is that of its lines, each with a server of its own.
fn lines_stand_alone(catalog: &dyn Catalog, text: &[u8], answers: &str) {
    if answers.contains("protocolVersion") || answers.contains("subscriptionId") {
        return;
    }
    let alone: String = text
        .split(|byte| *byte == b'\n')
        .map(|line| served(catalog, line, usize::MAX))
        .collect();
    assert_eq!(alone, answers);
}
