//! What a value is - a message, a list of tools, a definition - and what of it is looked at.
//!
//! Numbers in comments are those of the field cases that `tests/field-cases.tsv` lists.

use std::collections::HashMap;

use super::definition::{self, prose};
use super::report::{Advice, Sink, push, shown};
use super::text::Located;
use barewire::json::Value;

/// The most names of tools that are remembered. Longer lists are not compared to their end.
const MAX_NAMES: usize = 1 << 16;

const NO_MEANING: Advice = Advice {
    who: "it is neither a message nor a definition",
    remedy: "send objects",
};
const SAME_NAME: Advice = Advice {
    who: "hosts keep one of the two or drop the server",
    remedy: "give each tool a name of its own",
};
const SAME_BUT_CASE: Advice = Advice {
    who: "hosts and models that do not heed case take one for the other",
    remedy: "give each tool a name that differs in more than case",
};
const OTHER_ORDER: Advice = Advice {
    who: "each change of order makes the model's prompt cache useless",
    remedy: "list the tools in one order always",
};
const LARGE: Advice = Advice {
    who: "Claude Code moves what exceeds about 25,000 tokens into a file and shows 2 KB",
    remedy: "return less than 100 KB: cut it and say so, or offer pages",
};
const HUGE: Advice = Advice {
    who: "Claude Desktop refuses results of more than 1,048,576 bytes",
    remedy: "return less than 100 KB: cut it and say so, or offer pages",
};

/// What the values so far have said.
#[derive(Default)]
pub(super) struct Seen {
    messages: usize,
    definitions: usize,
    /// Of the definitions that stand in no list of their own.
    names: Names,
    /// The name that the server gives itself.
    server: Option<String>,
    /// The names of the last list, in its order.
    order: Vec<String>,
}

/// The names of one set of tools, without regard to case: the name as it was spelled, and its line.
#[derive(Default)]
struct Names(HashMap<String, (String, usize)>);

impl Seen {
    /// What to say if nothing was found.
    pub(super) fn summary(&self) -> String {
        let count = |count: usize, noun: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {noun}{plural}")
        };
        let (definitions, messages) = (
            count(self.definitions, "definition"),
            count(self.messages, "message"),
        );
        format!("nothing found in {definitions} and {messages}")
    }

    pub(super) fn check(&mut self, root: Located<'_>, sink: &mut Sink<'_, '_>) {
        if !matches!(root.value, Value::Array(_)) {
            return self.object(root, "", sink);
        }
        for (step, value) in root.children() {
            let mut pointer = String::new();
            push(&mut pointer, step);
            self.object(value, &pointer, sink);
        }
    }

    fn object(&mut self, value: Located<'_>, pointer: &str, sink: &mut Sink<'_, '_>) {
        let has = |name| value.get(name).is_some();
        if !matches!(value.value, Value::Object(_)) {
            let what = format!("expected an object, got {}", value.value.type_name());
            sink.add(value, "", pointer, &what, NO_MEANING);
        } else if ["jsonrpc", "method", "result", "error"]
            .into_iter()
            .any(has)
        {
            self.message(value, pointer, sink);
        } else if let Some(tools) = array(value, "tools") {
            self.list(tools, &format!("{pointer}/tools"), sink);
        } else {
            let mut names = std::mem::take(&mut self.names);
            self.definition(value, pointer, &mut names, sink);
            self.names = names;
        }
    }

    fn message(&mut self, message: Located<'_>, pointer: &str, sink: &mut Sink<'_, '_>) {
        self.messages += 1;
        let Some(result) = message.get("result") else {
            return;
        };
        let pointer = format!("{pointer}/result");
        let meta = result
            .get("_meta")
            .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
        let name = result
            .get("serverInfo")
            .or(meta)
            .and_then(|info| info.get("name"));
        if let Some(name) = name.and_then(|name| name.value.as_str()) {
            self.server = Some(shown(name));
        }
        if let Some(instructions) = result.get("instructions") {
            prose(
                instructions,
                "",
                &format!("{pointer}/instructions"),
                2048,
                sink,
            );
        }
        if let Some(tools) = array(result, "tools") {
            self.list(tools, &format!("{pointer}/tools"), sink);
        }
        // 74: what counts is the line as it goes out, with escapes and envelope.
        let len = sink.len();
        if array(result, "content").is_some() && len > 100_000 {
            let advice = if len > 1 << 20 { HUGE } else { LARGE };
            sink.add(
                result,
                "",
                &pointer,
                &format!("a result of {len} bytes"),
                advice,
            );
        }
    }

    fn list(&mut self, tools: Located<'_>, pointer: &str, sink: &mut Sink<'_, '_>) {
        let mut names = Names::default();
        let mut order = Vec::new();
        for (step, tool) in tools.children() {
            let mut pointer = pointer.to_owned();
            push(&mut pointer, step);
            self.definition(tool, &pointer, &mut names, sink);
            order.extend(
                tool.get("name")
                    .and_then(|name| name.value.as_str())
                    .map(shown),
            );
        }
        // 73: the same tools in another order.
        let sorted = |names: &[String]| {
            let mut names = names.to_vec();
            names.sort_unstable();
            names
        };
        if order != self.order && sorted(&order) == sorted(&self.order) {
            sink.add(
                tools,
                "",
                pointer,
                "the same tools as before in another order",
                OTHER_ORDER,
            );
        }
        self.order = order;
    }

    fn definition(
        &mut self,
        tool: Located<'_>,
        pointer: &str,
        names: &mut Names,
        sink: &mut Sink<'_, '_>,
    ) {
        self.definitions += 1;
        definition::check(tool, pointer, self.server.as_deref(), sink);
        if let Some(name) = tool.get("name") {
            names.add(name, &format!("{pointer}/name"), sink);
        }
    }
}

impl Names {
    fn add(&mut self, at: Located<'_>, pointer: &str, sink: &mut Sink<'_, '_>) {
        // What is longer is a finding already.
        let Some(name) = at.value.as_str().filter(|name| name.len() <= 128) else {
            return;
        };
        let key = name.to_lowercase();
        match self.0.get(&key) {
            Some((other, line)) if other == name => {
                let what = format!("the same name as that of the tool in line {line}");
                sink.add(at, &shown(name), pointer, &what, SAME_NAME);
            }
            Some((other, line)) => {
                let what = format!("differs only in case from {} in line {line}", shown(other));
                sink.add(at, &shown(name), pointer, &what, SAME_BUT_CASE);
            }
            None if self.0.len() < MAX_NAMES => {
                self.0.insert(key, (name.to_owned(), sink.line(at)));
            }
            None => {}
        }
    }
}

fn array<'d>(value: Located<'d>, name: &str) -> Option<Located<'d>> {
    value
        .get(name)
        .filter(|member| matches!(member.value, Value::Array(_)))
}
