//! What someone who vendors the crate writes: a table of tool definitions and one `match`.
//!
//! In: the name of a tool and arguments that fit its schema. Out: the content of a result, written as it is made, or the
//! text of an error for the model. A catalog knows nothing of protocol revisions, ids or pipes.

pub mod demo;
pub mod reservo;
mod store;

use std::fmt;

use crate::json::{Mark, Number, Object, Value, Writer, parse};
use crate::schema::Schema;

/// Who the server is; it goes to the host in `initialize`, `server/discover` and every modern result.
#[derive(Clone, Debug)]
pub struct Info {
    /// The name of the implementation: programs tell servers apart by it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How to use the tools, for the model; hosts cut it at about 2,000 characters.
    pub instructions: Option<String>,
}

/// The tools of a server.
///
/// Its methods are called from one thread at a time and may panic: the host gets an error and the server lives on.
pub trait Catalog: Sync {
    /// Who the server is.
    fn info(&self) -> &Info;

    /// The tools; their order here is their order on the wire. Always the same.
    fn tools(&self) -> &[Tool];

    /// What `--verbose` says of a `tools/list`.
    fn list_note(&self) -> String {
        format!("returning {} tools", self.tools().len())
    }

    /// Runs the tool `name`, which is one of [`tools`](Self::tools), with arguments that fit its schema.
    ///
    /// # Errors
    /// What went wrong and what to change, in words for the model. What was written to `call` before is dropped.
    fn call(
        &self,
        name: &str,
        arguments: Arguments<'_>,
        call: &mut Call<'_>,
    ) -> Result<(), ToolError>;
}

/// One tool: its definition as it goes on the wire, and its compiled `inputSchema`.
#[derive(Clone, Debug)]
pub struct Tool {
    name: String,
    description: String,
    members: Vec<Member>,
    schema: Schema,
}

/// A member of a definition, as JSON text.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    value: String,
}

impl Tool {
    /// Reads a definition: a JSON object with at least `name` and `inputSchema`. It goes on the wire as it stands here,
    /// in this order, without white space.
    ///
    /// # Errors
    /// What in the definition is not as the protocol or the schema checker wants it.
    pub fn parse(definition: &str) -> Result<Self, DefinitionError> {
        let document = parse(definition.as_bytes())
            .map_err(|fault| DefinitionError::new("", &fault.to_string()))?;
        let Some(Value::Object(object)) = document.root() else {
            return Err(DefinitionError::new("", "expected an object"));
        };
        let name = object
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if !is_tool_name(name) {
            return Err(DefinitionError::new(
                "/name",
                "expected 1 to 128 of A-Z a-z 0-9 _ - .",
            ));
        }
        let refuse = |pointer: &str, reason: &str| {
            DefinitionError::new(&format!("{name}: {pointer}"), reason)
        };
        let schema = object
            .get("inputSchema")
            .ok_or_else(|| refuse("/inputSchema", "expected a schema"))?;
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(refuse(
                "/inputSchema/type",
                "expected \"object\", as arguments are always one",
            ));
        }
        let schema = Schema::compile(schema)
            .map_err(|error| refuse(&format!("/inputSchema{}", error.pointer), &error.reason))?;
        for (member, value) in object {
            let wanted = member_type(member)
                .ok_or_else(|| refuse(&format!("/{member}"), "unknown member"))?;
            if value.type_name() != wanted {
                return Err(refuse(&format!("/{member}"), &format!("expected {wanted}")));
            }
        }
        let members = object.iter().map(|(name, value)| Member {
            name: name.to_owned(),
            value: value.to_text(),
        });
        let description = object
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        Ok(Self {
            name: name.to_owned(),
            description,
            members: members.collect(),
            schema,
        })
    }

    /// Reads the definitions of a catalog.
    ///
    /// # Errors
    /// A definition is refused, or two tools have the same name but for upper and lower case.
    pub fn parse_all(definitions: &[&str]) -> Result<Vec<Self>, DefinitionError> {
        let mut tools: Vec<Self> = Vec::new();
        for definition in definitions {
            let tool = Self::parse(definition)?;
            if tools
                .iter()
                .any(|other| other.name.eq_ignore_ascii_case(&tool.name))
            {
                return Err(DefinitionError::new(
                    &tool.name,
                    "expected a name that no other tool has",
                ));
            }
            tools.push(tool);
        }
        Ok(tools)
    }

    /// The name that calls the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, in words for the model; empty if the definition does not say.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What its arguments must fit.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Writes the definition, but for the members that `is_left_out` names.
    pub fn write(&self, writer: &mut Writer<'_>, is_left_out: impl Fn(&str) -> bool) {
        writer.object_start();
        for member in self
            .members
            .iter()
            .filter(|member| !is_left_out(&member.name))
        {
            writer.name(&member.name);
            writer.json(&member.value);
        }
        writer.object_end();
    }
}

/// The type of a member of a definition, in any revision; `None` if it has no such member.
fn member_type(member: &str) -> Option<&'static str> {
    match member {
        "name" | "title" | "description" => Some("string"),
        "inputSchema" | "outputSchema" | "annotations" | "execution" | "_meta" => Some("object"),
        "icons" => Some("array"),
        _ => None,
    }
}

/// MCP 2025-11-25, server/tools, "Tool Names".
fn is_tool_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=128).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// Why a definition was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionError {
    place: String,
    reason: String,
}

impl DefinitionError {
    fn new(place: &str, reason: &str) -> Self {
        Self {
            place: place.to_owned(),
            reason: reason.to_owned(),
        }
    }
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.place.is_empty() { "" } else { " " };
        write!(f, "tool definition{space}{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for DefinitionError {}

/// Why a tool did not do what it was asked: a text for the model, which goes out as a result with `isError`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError(pub String);

impl<T: Into<String>> From<T> for ToolError {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

/// The arguments of a call. They fit the `inputSchema` of the tool.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'d>(pub Object<'d>);

impl<'d> Arguments<'d> {
    /// The argument `name`, if it was given.
    #[must_use]
    #[inline]
    pub fn get(self, name: &str) -> Option<Value<'d>> {
        self.0.get(name)
    }

    /// The number `name`.
    ///
    /// # Errors
    /// It is missing or no number: the schema of the tool should require it.
    #[inline]
    pub fn number(self, name: &str) -> Result<Number<'d>, ToolError> {
        self.get(name)
            .and_then(Value::as_number)
            .ok_or_else(|| Self::missing(name, "number"))
    }

    /// The string `name`.
    ///
    /// # Errors
    /// It is missing or no string: the schema of the tool should require it.
    #[inline]
    pub fn string(self, name: &str) -> Result<&'d str, ToolError> {
        self.get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| Self::missing(name, "string"))
    }

    fn missing(name: &str, wanted: &str) -> ToolError {
        ToolError(format!("/{name}: expected {wanted}"))
    }
}

/// A running call: where a tool writes its result.
///
/// What is written goes straight into the answer: there is nothing to build.
#[derive(Debug)]
pub struct Call<'o> {
    /// Inside the array `content`.
    writer: Writer<'o>,
    start: Mark,
    structured: &'o mut String,
}

impl<'o> Call<'o> {
    /// A call that writes content blocks to `writer` and leaves its structured content, if any, in `structured`.
    pub fn new(writer: Writer<'o>, structured: &'o mut String) -> Self {
        structured.clear();
        Self {
            start: writer.mark(),
            writer,
            structured,
        }
    }

    /// Adds a text block.
    pub fn text(&mut self, text: &str) {
        self.block(|writer| writer.string(text));
    }

    /// Adds a text block with a number as JavaScript's `String(value)` has it: `6.5`, `1e+21`, `Infinity`.
    pub fn number(&mut self, value: f64) {
        self.block(|writer| writer.number_as_string(value));
    }

    /// Adds an object, given as JSON text, in both forms that hosts read: as a text block and as structured content.
    pub fn object(&mut self, json: &str) {
        self.text(json);
        json.clone_into(self.structured);
    }

    /// Drops what was written and says what went wrong instead.
    pub fn fail(&mut self, error: &ToolError) {
        self.writer.rewind(self.start);
        self.structured.clear();
        self.text(&error.0);
    }

    fn block(&mut self, text: impl FnOnce(&mut Writer<'o>)) {
        self.writer.open(r#"{"type":"text","text":"#);
        text(&mut self.writer);
        self.writer.close("}");
    }
}
