//! What of a tool's definition hosts stumble over.
//!
//! Each rule comes from public reports of the hosts that it names; the numbers are those of the field cases that
//! `tests/field-cases.tsv` lists.

use super::report::{Advice, Sink, push, shown};
use super::text::{Children, Located};
use crate::cli::terminal::is_unseen;
use barewire::json::Value;

const NO_OBJECT: Advice = Advice {
    who: "strict clients drop the whole list",
    remedy: "write an object with name, description and inputSchema",
};
const NO_NAME: Advice = Advice {
    who: "strict clients drop the whole list",
    remedy: "give the tool a name",
};
const CHARACTERS: Advice = Advice {
    who: "the specification allows A-Z a-z 0-9 _ - . alone, and Claude Desktop, Codex and Copilot drop the tool or the server",
    remedy: "use a-z, 0-9 and _",
};
const DOTS: Advice = Advice {
    who: "Claude Desktop, Codex and Copilot refuse it, although the specification does not",
    remedy: "use _",
};
const HYPHENS: Advice = Advice {
    who: "Cursor refuses it, although the specification does not",
    remedy: "use _",
};
const FIRST_DIGIT: Advice = Advice {
    who: "Gemini refuses the whole request",
    remedy: "begin with a letter",
};
const OVER_128: Advice = Advice {
    who: "the specification allows 128",
    remedy: "use at most 40",
};
const OVER_64: Advice = Advice {
    who: "Claude Desktop, OpenAI and Gemini allow 64",
    remedy: "use at most 40",
};
const OVER_60: Advice = Advice {
    who: "Cursor drops a tool whose name has more than 60 characters together with that of its server",
    remedy: "use at most 40",
};
const NO_DESCRIPTION: Advice = Advice {
    who: "a model cannot tell when to use the tool",
    remedy: "say it in a sentence or two",
};
const LONG_PROSE: Advice = Advice {
    who: "OpenAI refuses descriptions over 1,024 characters, Claude Code cuts all text at 2,048",
    remedy: "say what matters first, in less",
};
const UNSEEN: Advice = Advice {
    who: "a model reads it and the person who approves the tool does not, and a terminal may obey it",
    remedy: "leave it out",
};
const NOT_ASCII: Advice = Advice {
    who: "on Windows, hosts that read with the code page of the system garble it or fail in the handshake",
    remedy: "write it in ASCII, if need be with \\u escapes",
};
const NO_SCHEMA: Advice = Advice {
    who: "strict clients drop the whole list",
    remedy: r#"write {"type":"object","properties":{},"additionalProperties":false} if there are no arguments"#,
};
const NO_PROPERTIES: Advice = Advice {
    who: "Codex, Copilot and others with an OpenAI-style back end refuse the tool, some the whole request",
    remedy: r#"write "properties":{}, even if there are none"#,
};
const UNIONS: Advice = Advice {
    who: "Claude, Bedrock, Vertex and Azure refuse the whole request, and so all tools of all servers",
    remedy: "say it in the description and check it in the tool",
};
const CONDITIONS: Advice = Advice {
    who: "model APIs that refuse anyOf there refuse this as well",
    remedy: "say it in the description and check it in the tool",
};
const DIALECT: Advice = Advice {
    who: "Claude Desktop and Claude Code refuse draft-07, clients with an old Ajv refuse 2020-12",
    remedy: "leave it out: 2020-12 is what is meant without it",
};
const REFERENCES: Advice = Advice {
    who: "not every host resolves references before the model API refuses them",
    remedy: "write the schema in its place",
};
const TYPE_LISTS: Advice = Advice {
    who: "Cursor refuses each call with the argument, Gemini the whole request",
    remedy: "name one type, and leave the argument out of required if it may be absent",
};
const NULL_DEFAULTS: Advice = Advice {
    who: "NeMo Agent Toolkit sends the null, which the schema then refuses",
    remedy: "leave the default out",
};
const OPEN: Advice = Advice {
    who: "with every host, an argument that the model misspelt is ignored and a default used",
    remedy: r#"write "additionalProperties":false"#,
};

/// Checks a definition, to which `pointer` leads.
pub(super) fn check(
    tool: Located<'_>,
    pointer: &str,
    server: Option<&str>,
    sink: &mut Sink<'_, '_>,
) {
    if !matches!(tool.value, Value::Object(_)) {
        let what = format!("expected an object, got {}", tool.value.type_name());
        return sink.add(tool, "", pointer, &what, NO_OBJECT);
    }
    let name = tool.get("name").and_then(|name| name.value.as_str());
    let label = name.map_or_else(|| "(no name)".to_owned(), shown);
    match tool.get("name") {
        Some(at) if name.is_none() => {
            let what = format!("expected a string, got {}", at.value.type_name());
            sink.add(at, &label, &format!("{pointer}/name"), &what, NO_NAME);
        }
        Some(at) => check_name(at, &label, &format!("{pointer}/name"), server, sink),
        None => sink.add(tool, &label, pointer, "no name", NO_NAME),
    }
    match tool.get("description") {
        Some(text) if !matches!(text.value, Value::String("")) => {
            prose(text, &label, &format!("{pointer}/description"), 1024, sink);
        }
        _ => sink.add(tool, &label, pointer, "no description", NO_DESCRIPTION),
    }
    match tool.get("inputSchema") {
        Some(schema) => check_schema(schema, &label, &format!("{pointer}/inputSchema"), sink),
        None => sink.add(tool, &label, pointer, "no inputSchema", NO_SCHEMA),
    }
    if let Some(dialect) = tool
        .get("outputSchema")
        .and_then(|schema| schema.get("$schema"))
    {
        sink.add(
            dialect,
            &label,
            &format!("{pointer}/outputSchema/$schema"),
            "a dialect label",
            DIALECT,
        );
    }
}

/// 58: what works everywhere is `^[a-z][a-z0-9_]{0,39}$`. Upper case does, too, as long as it is not all that differs.
fn check_name(
    at: Located<'_>,
    label: &str,
    pointer: &str,
    server: Option<&str>,
    sink: &mut Sink<'_, '_>,
) {
    let name = at.value.as_str().unwrap_or_default();
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let bad = name.chars().find(|c| !is_allowed(*c));
    let (what, advice) = match bad {
        _ if name.is_empty() => ("an empty name".to_owned(), NO_NAME),
        Some(c) => (format!("a name with {}", described(c)), CHARACTERS),
        None if name.contains('.') => ("a name with a dot".to_owned(), DOTS),
        None if name.contains('-') => ("a name with a hyphen".to_owned(), HYPHENS),
        None if name.starts_with(|c: char| c.is_ascii_digit()) => {
            ("a name that begins with a digit".to_owned(), FIRST_DIGIT)
        }
        None => (String::new(), NO_NAME),
    };
    if !what.is_empty() {
        sink.add(at, label, pointer, &what, advice);
    }
    let len = name.chars().count();
    let with_server = server.map_or(0, |server| server.chars().count() + len);
    let what = format!("a name of {len} characters");
    match server {
        _ if len > 128 => sink.add(at, label, pointer, &what, OVER_128),
        _ if len > 64 => sink.add(at, label, pointer, &what, OVER_64),
        Some(server) if with_server > 60 => {
            let what = format!("{with_server} characters with the name of the server, {server}");
            sink.add(at, label, pointer, &what, OVER_60);
        }
        None if len > 40 => {
            let what = format!("{what} leaves fewer than 20 for the name of the server");
            sink.add(at, label, pointer, &what, OVER_60);
        }
        _ => {}
    }
}

/// 73, 103: a description or instructions, of at most `most` characters.
pub(super) fn prose(
    at: Located<'_>,
    label: &str,
    pointer: &str,
    most: usize,
    sink: &mut Sink<'_, '_>,
) {
    let Some(text) = at.value.as_str() else {
        let what = format!("expected a string, got {}", at.value.type_name());
        return sink.add(at, label, pointer, &what, NO_OBJECT);
    };
    let len = text.chars().count();
    if len > most {
        sink.add(at, label, pointer, &format!("{len} characters"), LONG_PROSE);
    }
    let is_break = |c: char| matches!(c, '\n' | '\r' | '\t');
    if let Some(c) = text.chars().find(|c| is_unseen(*c) && !is_break(*c)) {
        sink.add(at, label, pointer, &described(c), UNSEEN);
    } else if let Some(c) = text
        .chars()
        .find(|c| !c.is_ascii())
        .filter(|_| !sink.is_ascii(at))
    {
        sink.add(at, label, pointer, &described(c), NOT_ASCII);
    }
}

/// A character, and its number if it is no plain one.
fn described(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '!'..='~' => format!("{c:?}"),
        _ if is_unseen(c) => format!("U+{:04X}", u32::from(c)),
        _ => format!("U+{:04X} ({c})", u32::from(c)),
    }
}

/// The rules for the whole of an `inputSchema`, then those for all that is inside it.
fn check_schema(schema: Located<'_>, label: &str, pointer: &str, sink: &mut Sink<'_, '_>) {
    let got = |value: Value<'_>| format!("got {}", value.type_name());
    if !matches!(schema.value, Value::Object(_)) {
        let what = format!("expected an object, {}", got(schema.value));
        return sink.add(schema, label, pointer, &what, NO_SCHEMA);
    }
    match schema.get("type") {
        Some(kind) if kind.value.as_str() == Some("object") => {}
        Some(kind) => sink.add(
            kind,
            label,
            &format!("{pointer}/type"),
            "expected \"object\"",
            NO_SCHEMA,
        ),
        None => sink.add(schema, label, pointer, "no type", NO_SCHEMA),
    }
    // 55
    match schema.get("properties") {
        Some(properties) if matches!(properties.value, Value::Object(_)) => {}
        Some(other) => {
            let what = format!("expected an object, {}", got(other.value));
            sink.add(
                other,
                label,
                &format!("{pointer}/properties"),
                &what,
                NO_PROPERTIES,
            );
        }
        None => sink.add(schema, label, pointer, "no properties", NO_PROPERTIES),
    }
    check_top(schema, label, pointer, sink);
    // 64
    match schema.get("additionalProperties") {
        None => sink.add(schema, label, pointer, "no additionalProperties", OPEN),
        Some(open) if matches!(open.value, Value::Bool(true)) => {
            sink.add(
                open,
                label,
                &format!("{pointer}/additionalProperties"),
                "any argument is let through",
                OPEN,
            );
        }
        Some(_) => {}
    }
    walk(schema, label, pointer, sink);
}

/// 56: keywords that are refused at the top alone.
fn check_top(schema: Located<'_>, label: &str, pointer: &str, sink: &mut Sink<'_, '_>) {
    for (keyword, advice) in [
        ("anyOf", UNIONS),
        ("oneOf", UNIONS),
        ("allOf", UNIONS),
        ("not", CONDITIONS),
        ("if", CONDITIONS),
    ] {
        if let Some(union) = schema.get(keyword) {
            let what = format!("{keyword} at the top of the schema");
            sink.add(union, label, &format!("{pointer}/{keyword}"), &what, advice);
        }
    }
}

/// What the values inside a value are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Keywords of a schema.
    Keywords,
    /// Schemas, each under a name or a number.
    Schemas,
    /// Nothing that is looked at.
    Data,
}

/// A container that is being gone through, and the length of the pointer to it.
struct Level<'d> {
    inside: Inside,
    rest: Children<'d>,
    pointer_len: usize,
}

/// Goes through a schema and the schemas in it, one level at a time: the list of levels is as long as the text is deep.
fn walk(schema: Located<'_>, label: &str, start: &str, sink: &mut Sink<'_, '_>) {
    let mut pointer = start.to_owned();
    let mut levels = vec![Level {
        inside: Inside::Keywords,
        rest: schema.children(),
        pointer_len: pointer.len(),
    }];
    while let Some(level) = levels.last_mut() {
        pointer.truncate(level.pointer_len);
        let Some((step, value)) = level.rest.next() else {
            levels.pop();
            continue;
        };
        push(&mut pointer, step);
        let inside = match (level.inside, step) {
            (Inside::Keywords, super::text::Step::Name(keyword)) => {
                if let Some((what, advice)) = keyword_rule(keyword, value, levels.len() == 1) {
                    sink.add(value, label, &pointer, what, advice);
                }
                inside(keyword, value)
            }
            (Inside::Schemas, _) => Inside::Keywords,
            _ => Inside::Data,
        };
        if inside != Inside::Data {
            levels.push(Level {
                inside,
                rest: value.children(),
                pointer_len: pointer.len(),
            });
        }
    }
}

/// 56, 57: what is wrong with a keyword of any schema.
fn keyword_rule(keyword: &str, value: Located<'_>, is_top: bool) -> Option<(&'static str, Advice)> {
    match (keyword, value.value) {
        ("$schema", _) => Some(("a dialect label", DIALECT)),
        ("$ref", _) => Some(("a reference", REFERENCES)),
        // That of the whole must be "object", which is a rule of its own.
        ("type", Value::Array(_)) if !is_top => Some(("a list of types", TYPE_LISTS)),
        ("default", Value::Null) => Some(("a default of null", NULL_DEFAULTS)),
        _ => None,
    }
}

/// What is inside the value of a keyword (JSON Schema 2020-12 Core §10 and §11, and what older drafts had).
fn inside(keyword: &str, value: Located<'_>) -> Inside {
    match keyword {
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions"
        | "anyOf" | "oneOf" | "allOf" | "prefixItems" => Inside::Schemas,
        "items" if matches!(value.value, Value::Array(_)) => Inside::Schemas,
        "items"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else" => Inside::Keywords,
        _ => Inside::Data,
    }
}
