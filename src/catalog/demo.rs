//! The default catalog: `add` and `echo`.

use super::{Arguments, Call, Catalog, DefinitionError, Info, Tool, ToolError};

/// The definitions, as they go on the wire.
const DEFINITIONS: [&str; 2] = [
    r#"{"name":"add","description":"Add two numbers","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false}}"#,
    r#"{"name":"echo","description":"Echo text","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}"#,
];

/// `add` returns the sum as JavaScript's `String(a + b)`, `echo` its text.
#[derive(Debug)]
pub struct Demo {
    info: Info,
    tools: Vec<Tool>,
}

impl Demo {
    /// The catalog, its definitions read.
    ///
    /// # Errors
    /// A definition is refused.
    pub fn new() -> Result<Self, DefinitionError> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let info = Info {
            name: "barewire".to_owned(),
            version,
            instructions: None,
        };
        Ok(Self {
            info,
            tools: Tool::parse_all(&DEFINITIONS)?,
        })
    }
}

impl Catalog for Demo {
    fn info(&self) -> &Info {
        &self.info
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn call(
        &self,
        name: &str,
        arguments: Arguments<'_>,
        call: &mut Call<'_>,
    ) -> Result<(), ToolError> {
        match name {
            "add" => call.number(arguments.number("a")?.to_f64() + arguments.number("b")?.to_f64()),
            "echo" => call.text(arguments.string("text")?),
            _ => return Err("no such tool".into()),
        }
        Ok(())
    }
}
