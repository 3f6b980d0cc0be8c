//! The tools as a list for a person: what each does, and the name, type and meaning of its arguments.

use super::terminal::{Look, column, visible, width};
use barewire::catalog::{Catalog, Tool};
use barewire::json::{Document, Value, parse, written};

/// The definitions as JSON text, one a line.
pub(crate) fn definitions(catalog: &dyn Catalog) -> String {
    let lines = catalog.tools().iter().map(|tool| definition(tool) + "\n");
    lines.collect()
}

fn definition(tool: &Tool) -> String {
    written(|writer| tool.write(writer, |_| false))
}

/// The `inputSchema` of a tool is under that name in the document.
pub(crate) fn document(tool: &Tool) -> Document {
    parse(definition(tool).as_bytes()).unwrap_or_default()
}

/// One argument, as a row of a table.
struct Row {
    name: String,
    kind: String,
    need: &'static str,
    meaning: String,
}

/// The list.
pub(crate) fn list(catalog: &dyn Catalog, look: Look) -> String {
    let rows: Vec<Vec<Row>> = catalog
        .tools()
        .iter()
        .map(|tool| {
            rows(
                document(tool)
                    .root()
                    .and_then(|tool| tool.get("inputSchema")),
            )
        })
        .collect();
    // At a terminal, one long name must not push all texts to the edge: it stands on a line of its own.
    let most = look.columns.map_or(usize::MAX, |columns| columns / 3);
    let names = catalog.tools().iter().map(|tool| width(tool.name()) + 2);
    let indent = names.filter(|width| *width <= most).max().unwrap_or(4);
    let mut out = String::new();
    for (tool, rows) in catalog.tools().iter().zip(&rows) {
        out.push_str(&look.bold(tool.name()));
        column(
            &mut out,
            width(tool.name()),
            indent,
            tool.description(),
            look,
        );
        table(&mut out, rows, indent + 2, look);
    }
    out
}

/// Writes the rows with aligned columns.
fn table(out: &mut String, rows: &[Row], indent: usize, look: Look) {
    let widest = |cell: fn(&Row) -> &str| {
        rows.iter()
            .map(|row| width(cell(row)))
            .max()
            .unwrap_or_default()
    };
    let (name, kind) = (widest(|row| &row.name), widest(|row| &row.kind));
    for row in rows {
        let pad = |text: &str, columns: usize| " ".repeat(columns - width(text));
        let mut line = " ".repeat(indent);
        line.extend([
            &row.name,
            &pad(&row.name, name),
            "  ",
            &row.kind,
            &pad(&row.kind, kind),
            "  ",
            row.need,
        ]);
        let used = width(&line);
        out.push_str(&line);
        // What does not fit beside goes below, not into a strip at the edge.
        let beside = indent + name + kind + 2 * 3 + "required".len();
        let is_narrow = look.columns.is_some_and(|columns| beside + 24 > columns);
        column(
            out,
            used,
            if is_narrow { indent + 4 } else { beside },
            &row.meaning,
            look,
        );
    }
}

fn rows(schema: Option<Value<'_>>) -> Vec<Row> {
    let member = |name| schema.and_then(|schema| schema.get(name));
    let required: Vec<&str> = member("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = member("properties").and_then(Value::as_object);
    let told = properties.into_iter().flatten().map(|(name, schema)| Row {
        name: visible(name),
        kind: visible(&kind(schema)),
        need: if required.contains(&name) {
            "required"
        } else {
            "optional"
        },
        meaning: meaning(schema),
    });
    // A name may be required and not described.
    let is_told = |name: &str| properties.is_some_and(|properties| properties.get(name).is_some());
    let others = required
        .iter()
        .filter(|name| !is_told(name))
        .map(|name| Row {
            name: visible(name),
            kind: "any".to_owned(),
            need: "required",
            meaning: String::new(),
        });
    told.chain(others).collect()
}

/// The types that a schema names.
pub(crate) fn types(schema: Value<'_>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn kind(schema: Value<'_>) -> String {
    let names = types(schema);
    if names.is_empty() {
        "any".to_owned()
    } else {
        names.join(" or ")
    }
}

/// What the schema says of an argument besides its type.
fn meaning(schema: Value<'_>) -> String {
    let text = |value: Value<'_>| value.to_text();
    let described = schema
        .get("description")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let choices = schema.get("enum").and_then(Value::as_array).map(|values| {
        let texts: Vec<String> = values.iter().map(text).collect();
        format!("one of {}", texts.join(", "))
    });
    let constant = schema
        .get("const")
        .map(|value| format!("always {}", text(value)));
    let default = schema
        .get("default")
        .map(|value| format!("{} if not given", text(value)));
    let said: Vec<String> = [described, choices, constant, default]
        .into_iter()
        .flatten()
        .collect();
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use barewire::catalog::{Arguments, Call, Info, ToolError, demo::Demo};

    struct Listed(Info, Vec<Tool>);

    impl Catalog for Listed {
        fn info(&self) -> &Info {
            &self.0
        }
        fn tools(&self) -> &[Tool] {
            &self.1
        }
        fn call(&self, _: &str, _: Arguments<'_>, _: &mut Call<'_>) -> Result<(), ToolError> {
            Ok(())
        }
    }

    fn listed(definitions: &[&str], columns: Option<usize>) -> String {
        let info = Demo::new().unwrap().info().clone();
        let catalog = Listed(info, Tool::parse_all(definitions).unwrap());
        list(
            &catalog,
            Look {
                columns,
                is_styled: false,
            },
        )
    }

    const FIND: &str = r#"{"name":"find","description":"Find what was lost\nand say where\u001b","inputSchema":{"type":"object",
        "properties":{"what":{"type":["string","null"],"description":"A word of it"},"most":{"type":"integer","default":10},
        "kind":{"enum":["a","b"]},"v":{"const":1}},"required":["what","other"]}}"#;
    const LONG: &str = r#"{"name":"a_name_that_is_longer_than_a_third","description":"Do it now","inputSchema":{"type":"object"}}"#;

    #[test]
    fn a_program_gets_each_text_on_one_line() {
        let expected = "\
find                                Find what was lost
                                    and say where␛
                                      what   string or null  required  A word of it
                                      most   integer         optional  10 if not given
                                      kind   any             optional  one of \"a\", \"b\"
                                      v      any             optional  always 1
                                      other  any             required
a_name_that_is_longer_than_a_third  Do it now
";
        assert_eq!(listed(&[FIND, LONG], None), expected);
        assert_eq!(listed(&[], None), "");
    }

    #[test]
    fn a_narrow_terminal_gets_narrow_columns() {
        let expected = "\
find  Find what was lost
      and say where␛
        what   string or null  required
            A word of it
        most   integer         optional
            10 if not given
        kind   any             optional
            one of \"a\", \"b\"
        v      any             optional
            always 1
        other  any             required
a_name_that_is_longer_than_a_third
      Do it now
";
        assert_eq!(listed(&[FIND, LONG], Some(24)), expected);
    }

    #[test]
    fn names_are_bold_if_asked() {
        let look = Look {
            columns: Some(80),
            is_styled: true,
        };
        let text = list(&Demo::new().unwrap(), look);
        assert!(
            text.starts_with("\x1b[1madd\x1b[0m   Add two numbers\n"),
            "{text}"
        );
        assert_eq!(
            text.replace("\x1b[1m", "").replace("\x1b[0m", ""),
            list(&Demo::new().unwrap(), Look::PLAIN)
        );
    }
}
