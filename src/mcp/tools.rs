//! `tools/list` and `tools/call`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::revision::Revision;
use super::{MAX_NAME, Server, start_result, write_cache};
use crate::catalog::{Arguments, Call, Tool, ToolError};
use crate::json::{Object, Value, Writer, written};
use crate::rpc::{self, Fault, Id};

/// Bytes after which a page of tools ends. Many hosts read the first page alone, so it holds whatever is sensible.
const PAGE_BYTES: usize = 1 << 20;

impl Server<'_> {
    pub(super) fn list_tools(
        &mut self,
        revision: Revision,
        id: Id<'_>,
        params: Option<Object<'_>>,
        writer: &mut Writer<'_>,
    ) -> Result<(), Fault> {
        let cursor = params.and_then(|params| params.get("cursor"));
        let at = match cursor {
            None | Some(Value::Null) => 0,
            Some(Value::String(cursor)) => cursor_position(cursor).unwrap_or(usize::MAX),
            other => return Err(Fault::invalid_params("/params/cursor", "string", other)),
        };
        let pages = self.pages(revision);
        let Some(page) = pages.get(at) else {
            let wanted = "a cursor that this server gave out";
            return Err(Fault::invalid_params("/params/cursor", wanted, cursor));
        };
        start_result(writer, revision, id);
        writer.open(r#""tools":"#);
        writer.json(page);
        if at + 1 < pages.len() {
            writer.open(r#""nextCursor":"#);
            writer.string(&(at + 1).to_string());
        }
        write_cache(writer, revision);
        self.end_result(writer, revision);
        Ok(())
    }

    /// The pages as they look in `revision`, written when they are first asked for.
    fn pages(&mut self, revision: Revision) -> &[String] {
        let known = self.pages.iter().position(|(known, _)| *known == revision);
        let at = known.unwrap_or_else(|| {
            self.pages
                .push((revision, write_pages(self.catalog.tools(), revision)));
            self.pages.len() - 1
        });
        self.pages
            .get(at)
            .map(|(_, pages)| pages.as_slice())
            .unwrap_or_default()
    }

    pub(super) fn call_tool(
        &mut self,
        revision: Revision,
        id: Id<'_>,
        params: Option<Object<'_>>,
        writer: &mut Writer<'_>,
    ) -> Result<(), Fault> {
        let member = |name| params.and_then(|params| params.get(name));
        let name = match member("name") {
            Some(Value::String(name)) => name,
            other => return Err(Fault::invalid_params("/params/name", "string", other)),
        };
        let Some(tool) = self.catalog.tools().iter().find(|tool| tool.name() == name) else {
            let short: String = name.chars().take(MAX_NAME).collect();
            return Err(Fault::new(
                rpc::INVALID_PARAMS,
                format!("Unknown tool: {short}"),
            ));
        };
        let arguments = match member("arguments") {
            None | Some(Value::Null) => Object::EMPTY,
            Some(Value::Object(arguments)) => arguments,
            other => return Err(Fault::invalid_params("/params/arguments", "object", other)),
        };

        let start = writer.mark();
        start_result(writer, revision, id);
        writer.open(r#""content":["#);
        let content = writer.mark();
        let mut call = Call::new(writer.inside(), &mut self.structured);
        let catalog = self.catalog;
        let outcome = match misfit(tool, arguments) {
            Some(error) => Err(error),
            // A tool may leave its own state half changed; what it wrote here is taken back.
            None => catch_unwind(AssertUnwindSafe(|| {
                catalog.call(name, Arguments(arguments), &mut call)
            }))
            .map_err(|_| Fault::internal_error())?,
        };
        if let Err(error) = &outcome {
            call.fail(error);
        }
        self.end_call(revision, outcome.is_err(), writer);
        let len = writer.len_since(start);
        if len > self.bytes_max {
            writer.rewind(content);
            let text = format!(
                "The result has {len} bytes, more than the {} that go into one answer.",
                self.bytes_max
            );
            Call::new(writer.inside(), &mut self.structured).text(&text);
            self.end_call(revision, true, writer);
        }
        Ok(())
    }

    /// Writes what follows the content blocks of a call.
    fn end_call(&self, revision: Revision, is_error: bool, writer: &mut Writer<'_>) {
        writer.close("]");
        if !self.structured.is_empty() && revision >= Revision::June2025 {
            writer.open(r#""structuredContent":"#);
            writer.json(&self.structured);
        }
        writer.json(if is_error {
            r#""isError":true"#
        } else {
            r#""isError":false"#
        });
        self.end_result(writer, revision);
    }
}

/// What about the arguments does not fit, in words for the model.
fn misfit(tool: &Tool, arguments: Object<'_>) -> Option<ToolError> {
    let mismatches = tool.schema().check(Value::Object(arguments));
    if mismatches.is_empty() {
        return None;
    }
    let texts: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
    let text = format!("Invalid arguments: {}", texts.join("; "));
    Some(ToolError(text))
}

/// A cursor is the number of a page, from the second one on, in the one spelling that we give out.
fn cursor_position(cursor: &str) -> Option<usize> {
    let at: usize = cursor.parse().ok()?;
    (at > 0 && at.to_string() == cursor).then_some(at)
}

/// The tools as arrays of JSON text, one a page.
fn write_pages(tools: &[Tool], revision: Revision) -> Vec<String> {
    let mut pages = Vec::new();
    let mut rest = tools;
    while pages.is_empty() || !rest.is_empty() {
        pages.push(written(|writer| {
            let start = writer.mark();
            writer.array_start();
            while let Some((tool, after)) = rest.split_first() {
                tool.write(writer, |member| is_foreign(member, revision));
                rest = after;
                if writer.len_since(start) > PAGE_BYTES {
                    break;
                }
            }
            writer.array_end();
        }));
    }
    pages
}

/// Whether a definition has no such member in this revision: it came later, or went before.
fn is_foreign(member: &str, revision: Revision) -> bool {
    let (first, last) = match member {
        "annotations" => (Revision::March2025, Revision::July2026),
        "title" | "outputSchema" | "_meta" => (Revision::June2025, Revision::July2026),
        "icons" => (Revision::November2025, Revision::July2026),
        "execution" => (Revision::November2025, Revision::November2025),
        _ => return false,
    };
    revision < first || revision > last
}
