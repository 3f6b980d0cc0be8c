//! One call from the command line: its arguments, as JSON or one by one, and the text of its result.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use super::terminal::{COLUMNS, Look, caret, visible_lines};
use super::tools::{document, types};
use super::{fail, print, suggestion};
use barewire::catalog::{Catalog, Tool};
use barewire::json::{Value, parse, written};
use barewire::{mcp, stdio};

/// Runs one tool as a host would, and prints the texts of its result.
pub(crate) fn run(
    catalog: &dyn Catalog,
    name: &str,
    words: &[String],
    bytes_max: usize,
) -> ExitCode {
    let Some(tool) = catalog.tools().iter().find(|tool| tool.name() == name) else {
        return fail(&unknown(catalog, name), 1);
    };
    let arguments = match words {
        [only] if only == "-" => standard_input(bytes_max).and_then(|text| json(&text)),
        _ => given(tool, words),
    };
    match arguments {
        Ok(arguments) => answer(catalog, name, &arguments, bytes_max),
        Err(reason) => fail(&reason, 2),
    }
}

fn unknown(catalog: &dyn Catalog, name: &str) -> String {
    let names: Vec<&str> = catalog.tools().iter().map(Tool::name).collect();
    let near = suggestion(name, names.iter().copied());
    format!(
        "unknown tool {name}{near}: the catalog has {}",
        names.join(", ")
    )
}

/// The arguments as JSON text.
fn given(tool: &Tool, words: &[String]) -> Result<String, String> {
    let Some(first) = words.first() else {
        return Ok("{}".to_owned());
    };
    let is_pair = |word: &&String| pair(word).is_some();
    let pairs = words.iter().filter(is_pair).count();
    let has_json = words.iter().any(|word| is_json(word));
    match words.iter().find(|word| pair(word).is_none()) {
        None => from_pairs(tool, words),
        Some(_) if pairs > 0 && has_json => {
            Err("arguments are one JSON object or ARGUMENT=VALUE words, not both".to_owned())
        }
        Some(word) if pairs > 0 || !has_json => Err(format!(
            "expected ARGUMENT=VALUE or a JSON object, got {word}"
        )),
        Some(_) => match words.get(1) {
            Some(extra) => Err(format!("unexpected argument {extra}")),
            None => json(first.as_bytes()),
        },
    }
}

/// Whether a word is meant as JSON: it begins like an object, an array or a string, or is another value.
fn is_json(word: &str) -> bool {
    word.trim_start().starts_with(['{', '[', '"']) || parse(word.as_bytes()).is_ok()
}

/// `name=value`, unless it is JSON that happens to hold the sign.
fn pair(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    (!name.is_empty() && !is_json(word)).then_some((name, value))
}

fn from_pairs(tool: &Tool, words: &[String]) -> Result<String, String> {
    let document = document(tool);
    let schema = document.root().and_then(|tool| tool.get("inputSchema"));
    let properties = schema.and_then(|schema| schema.get("properties"));
    let pairs: Vec<(&str, &str)> = words.iter().filter_map(|word| pair(word)).collect();
    let mut names = HashSet::new();
    if let Some((name, _)) = pairs.iter().find(|(name, _)| !names.insert(name)) {
        return Err(format!("argument {name} is given twice"));
    }
    Ok(written(|writer| {
        writer.object_start();
        for (name, text) in &pairs {
            writer.name(name);
            match typed(properties.and_then(|properties| properties.get(name)), text) {
                Some(value) => writer.json(&value),
                None => writer.string(text),
            }
        }
        writer.object_end();
    }))
}

/// `text` as the JSON text of a value of a type that the schema names; `None` if it is to be a string as it stands.
fn typed(schema: Option<Value<'_>>, text: &str) -> Option<String> {
    let document = parse(text.as_bytes()).ok()?;
    let value = document.root()?;
    let mut types = schema.map(types).unwrap_or_default();
    // A choice among strings needs no type beside it.
    let choices = schema
        .and_then(|schema| schema.get("enum"))
        .and_then(Value::as_array);
    if types.is_empty()
        && choices.is_some_and(|choices| choices.iter().all(|choice| choice.as_str().is_some()))
    {
        types.push("string");
    }
    let kind = value.type_name();
    let is_kind = |name: &&str| **name == *kind || (*name == "integer" && kind == "number");
    let is_text = types.contains(&"string") && (kind == "string" || !types.iter().any(is_kind));
    (!is_text).then(|| value.to_text())
}

fn standard_input(bytes_max: usize) -> Result<Vec<u8>, String> {
    if io::stdin().is_terminal() {
        stdio::note("reading a JSON object; end it with Ctrl-D");
    }
    let mut text = Vec::new();
    let limit = u64::try_from(bytes_max)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let read = io::stdin().lock().take(limit).read_to_end(&mut text);
    read.map_err(|error| format!("cannot read standard input: {error}"))?;
    if text.len() > bytes_max {
        return Err(format!(
            "standard input has more than {bytes_max} bytes; see --max-message"
        ));
    }
    Ok(text)
}

/// Checks that `text` is JSON; if not, shows where.
fn json(text: &[u8]) -> Result<String, String> {
    let text = text.trim_ascii_end();
    let fault = match parse(text) {
        Ok(document) => return Ok(document.root().map(Value::to_text).unwrap_or_default()),
        Err(fault) => fault,
    };
    if text.is_empty() {
        return Err("arguments: expected a JSON object, got nothing".to_owned());
    }
    let columns = Look::of(&io::stderr()).columns.unwrap_or(COLUMNS);
    let before = text.get(..fault.offset).unwrap_or(text);
    let line = before.split(|byte| *byte == b'\n').count();
    let place = if text.contains(&b'\n') {
        format!(", in line {line}")
    } else {
        String::new()
    };
    Err(format!(
        "arguments: {fault}{place}\n{}",
        caret(text, fault.offset, columns)
    ))
}

/// Sends the call through the server and prints what comes back.
fn answer(catalog: &dyn Catalog, name: &str, arguments: &str, bytes_max: usize) -> ExitCode {
    let request = written(|writer| {
        writer.open(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"#);
        writer.string(name);
        writer.name("arguments");
        writer.json(arguments);
        writer.close("}}");
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
    let mut text: String = texts.flat_map(|text| [text, "\n"]).collect();
    // A program gets what the tool gave; a terminal must not be told to do anything by it.
    if io::stdout().is_terminal() {
        text = visible_lines(&text);
    }
    let is_error = matches!(
        result.and_then(|result| result.get("isError")),
        Some(Value::Bool(true))
    );
    let printed = print(&text);
    if is_error { ExitCode::FAILURE } else { printed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_goes_to_a_type_of_the_schema() {
        // The schema of the argument, the text, the JSON text of its value; `None`: a string as it stands.
        let rows = [
            (r#"{"type":"string"}"#, "5", None),
            (r#"{"type":"string"}"#, "\"5\"", None),
            (r#"{"type":"string"}"#, "null", None),
            (r#"{"type":"number"}"#, "5e0", Some("5e0")),
            (r#"{"type":"number"}"#, "five", None),
            (r#"{"type":"number"}"#, "05", None),
            (r#"{"type":"integer"}"#, "\"5\"", Some("\"5\"")),
            (r#"{"type":"boolean"}"#, " true", Some("true")),
            (r#"{"type":"array"}"#, "[1, 2]", Some("[1,2]")),
            (r#"{"type":["string","null"]}"#, "null", Some("null")),
            (r#"{"type":["string","null"]}"#, "5", None),
            (r#"{"type":["string","integer"]}"#, "5", Some("5")),
            (r#"{"enum":["1","2"]}"#, "1", None),
            (r#"{"enum":["1",2]}"#, "2", Some("2")),
            ("{}", "5", Some("5")),
            ("{}", "x", None),
            ("true", "null", Some("null")),
        ];
        for (schema, text, expected) in rows {
            let document = parse(schema.as_bytes()).unwrap();
            let value = typed(document.root(), text);
            assert_eq!(value.as_deref(), expected, "{schema} {text}");
        }
        assert_eq!(typed(None, "5").as_deref(), Some("5"));
    }
}
