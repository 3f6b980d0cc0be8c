//! JSON-RPC 2.0: what a line means, and the envelope of an answer. It knows no method names.
//!
//! In: the root [`Value`] of a line. Out: a [`Message`], or a [`Refusal`]. And the way back: an [`Id`] and a result or
//! a [`Fault`] → an answer, its members in the order `jsonrpc`, `id`, `result` or `error`.

use std::borrow::Cow;

use crate::json::{Document, Error, ErrorKind, Value, Writer};

/// The id of a request: a string or an integer of any size, answered with the text that it came with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id<'d> {
    /// An integer, as it was spelled: `1`, `1.0`, `9007199254740993`.
    Number(&'d str),
    /// A string, unescaped.
    String(&'d str),
}

impl<'d> Id<'d> {
    /// The id that `value` is; `None` if it may not be one (fractions, `null`, and whatever else there is).
    #[must_use]
    pub fn read(value: Value<'d>) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::String(text)),
            Value::Number(number) if number.is_integer() => Some(Self::Number(number.as_str())),
            _ => None,
        }
    }

    /// Writes the id as a JSON value.
    pub fn write(self, writer: &mut Writer<'_>) {
        match self {
            Self::Number(text) => writer.json(text),
            Self::String(text) => writer.string(text),
        }
    }
}

/// One message (JSON-RPC 2.0 §4 and §5). `params` are [`Value::Null`] if there are none.
#[derive(Clone, Copy, Debug)]
pub enum Message<'d> {
    /// Asks for exactly one answer under its id.
    Request {
        /// Names the request in its answer.
        id: Id<'d>,
        /// What is asked for.
        method: &'d str,
        /// Of any type: the method says which it takes.
        params: Value<'d>,
    },
    /// Is never answered.
    Notification {
        /// What happened; `None` if it is not a string.
        method: Option<&'d str>,
        /// Of any type.
        params: Value<'d>,
    },
    /// Answers a request of ours.
    Response {
        /// The id of that request; `None` if it could not be one.
        id: Option<Id<'d>>,
    },
}

impl<'d> Message<'d> {
    /// Reads a message. Members that JSON-RPC does not name are ignored; names match exactly.
    ///
    /// # Errors
    /// -32600, under the id of the message if it has one: not an object, `jsonrpc` other than "2.0", an `id` that is
    /// neither string nor integer, a `method` that is no string, or neither `method` nor `result` nor `error`.
    pub fn read(root: Value<'d>) -> Result<Self, Refusal<'d>> {
        let Value::Object(object) = root else {
            return Err(Refusal::invalid(None, &expected("", "object", Some(root))));
        };
        let (mut jsonrpc, mut id, mut method, mut params, mut is_response) =
            (None, None, None, Value::Null, false);
        for member in object.members() {
            if member.is("jsonrpc") {
                jsonrpc = Some(member.value());
            } else if member.is("id") {
                id = Some(member.value());
            } else if member.is("method") {
                method = Some(member.value());
            } else if member.is("params") {
                params = member.value();
            } else if member.is("result") || member.is("error") {
                is_response = true;
            }
        }
        let valid_id = id.and_then(Id::read);
        match (method, id) {
            (None, _) if is_response => return Ok(Self::Response { id: valid_id }),
            // Whatever else is wrong with it: answering what asked for no answer makes hosts close the pipe.
            (Some(method), None) => {
                return Ok(Self::Notification {
                    method: method.as_str(),
                    params,
                });
            }
            (_, Some(id)) if valid_id.is_none() => {
                return Err(Refusal::invalid(
                    None,
                    &expected("/id", "string or integer", Some(id)),
                ));
            }
            _ => {}
        }
        if jsonrpc.and_then(Value::as_str) != Some("2.0") {
            return Err(Refusal::invalid(valid_id, "/jsonrpc: expected \"2.0\""));
        }
        match (valid_id, method) {
            (Some(id), Some(Value::String(method))) => Ok(Self::Request { id, method, params }),
            _ => Err(Refusal::invalid(
                valid_id,
                &expected("/method", "string", method),
            )),
        }
    }
}

/// A message that is answered with an error before anything is done about it.
#[derive(Clone, Debug)]
pub struct Refusal<'d> {
    /// The id of the message, if it could be read.
    pub id: Option<Id<'d>>,
    /// What is wrong.
    pub fault: Fault,
}

impl<'d> Refusal<'d> {
    fn invalid(id: Option<Id<'d>>, rule: &str) -> Self {
        Self {
            id,
            fault: Fault::invalid_request(rule),
        }
    }

    /// The answer to a line that is not JSON; `before` is what was read of it before the fault. The error goes under the id
    /// that stands there, so that the caller need not wait for a time-out.
    #[must_use]
    pub fn of_text(error: Error, before: &'d Document) -> Self {
        let fault = match error.kind {
            // These are JSON, but more than one meaning or more than we take.
            ErrorKind::DuplicateName | ErrorKind::TooLong => {
                Fault::invalid_request(&error.to_string())
            }
            _ => Fault::with_text(PARSE_ERROR, "Parse error", &error.to_string()),
        };
        Self {
            id: Self::id_before(before),
            fault,
        }
    }

    /// The answer to a line of more than `bytes_max` bytes.
    #[must_use]
    pub fn of_length(bytes_max: usize, before: &'d Document) -> Self {
        let rule = format!("expected at most {bytes_max} bytes in a message");
        Self::invalid(Self::id_before(before), &rule)
    }

    /// The one id among the members that were read: two of them name nothing.
    fn id_before(document: &'d Document) -> Option<Id<'d>> {
        let Some(Value::Object(object)) = document.root() else {
            return None;
        };
        let mut ids = object.iter().filter(|(name, _)| *name == "id");
        match (ids.next(), ids.next()) {
            (Some((_, id)), None) => Id::read(id),
            _ => None,
        }
    }
}

/// Not JSON (JSON-RPC 2.0 §5.1).
pub const PARSE_ERROR: i32 = -32700;
/// JSON, but not a message.
pub const INVALID_REQUEST: i32 = -32600;
/// Unknown, or not offered.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The method does not take such parameters.
pub const INVALID_PARAMS: i32 = -32602;
/// The server is at fault.
pub const INTERNAL_ERROR: i32 = -32603;

/// An error object (JSON-RPC 2.0 §5.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which kind of error.
    pub code: i32,
    /// The kind in words.
    pub message: Cow<'static, str>,
    /// What is wrong in this case, as JSON text.
    pub data: Option<String>,
}

impl Fault {
    /// An error that says all with its code and message.
    #[must_use]
    pub fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// An error whose `data` is a string.
    #[must_use]
    pub fn with_text(code: i32, message: impl Into<Cow<'static, str>>, text: &str) -> Self {
        Self {
            data: Some(crate::json::string_text(text)),
            ..Self::new(code, message)
        }
    }

    /// -32600: JSON, but not a message. `rule` says what was expected.
    #[must_use]
    pub fn invalid_request(rule: &str) -> Self {
        Self::with_text(INVALID_REQUEST, "Invalid Request", rule)
    }

    /// -32602: `member` (a JSON Pointer into the message) is not what the method takes.
    #[must_use]
    pub fn invalid_params(member: &str, wanted: &str, got: Option<Value<'_>>) -> Self {
        Self::with_text(
            INVALID_PARAMS,
            "Invalid params",
            &expected(member, wanted, got),
        )
    }

    /// -32601: unknown, or not offered.
    #[must_use]
    pub fn method_not_found() -> Self {
        Self::new(METHOD_NOT_FOUND, "Method not found")
    }

    /// -32603: the server is at fault.
    #[must_use]
    pub fn internal_error() -> Self {
        Self::new(INTERNAL_ERROR, "Internal error")
    }
}

/// `/id: expected string or integer, got null`: the member, what it should be, the type that it has; never its value.
fn expected(member: &str, wanted: &str, got: Option<Value<'_>>) -> String {
    let got = got.map_or("nothing", Value::type_name);
    let colon = if member.is_empty() { "" } else { ": " };
    format!("{member}{colon}expected {wanted}, got {got}")
}

/// Starts the answer to the request `id`; the result must follow as one value, and then [`end_answer`].
pub fn start_result(writer: &mut Writer<'_>, id: Id<'_>) {
    start_answer(writer, Some(id));
    writer.open(r#""result":"#);
}

/// Ends what [`start_result`] or [`start_notification`] began.
pub fn end_answer(writer: &mut Writer<'_>) {
    writer.object_end();
}

/// Writes the answer `fault` to the request `id`, or to a message whose id cannot be known.
pub fn write_error(writer: &mut Writer<'_>, id: Option<Id<'_>>, fault: &Fault) {
    start_answer(writer, id);
    writer.open(r#""error":{"code":"#);
    writer.integer(fault.code.into());
    writer.open(r#""message":"#);
    writer.string(&fault.message);
    if let Some(data) = &fault.data {
        writer.open(r#""data":"#);
        writer.json(data);
    }
    writer.object_end();
    end_answer(writer);
}

/// Starts a notification; its `params` must follow as one value, and then [`end_answer`].
pub fn start_notification(writer: &mut Writer<'_>, method: &str) {
    writer.open(r#"{"jsonrpc":"2.0","method":"#);
    writer.string(method);
    writer.open(r#""params":"#);
}

fn start_answer(writer: &mut Writer<'_>, id: Option<Id<'_>>) {
    writer.open(r#"{"jsonrpc":"2.0","id":"#);
    match id {
        Some(id) => id.write(writer),
        None => writer.null(),
    }
}
